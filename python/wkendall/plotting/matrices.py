"""Heat maps of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import check_flag, real_array
from wkendall._errors import bad_argument, bad_type
from wkendall.plotting.axes import (
    LARGE,
    LEAST,
    LOW_ROW,
    NUMBER_ROW,
    axes_or_new,
    letters_beside,
    size_of_names,
    title_axes,
    widened,
    written,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The largest number of rows for which labels are drawn.
LABELLED = 60
#: The largest number of rows for which the order of the leaves is optimised; for more, this would take too long.
OPTIMAL = 500


def plot_matrix(
    matrix: Any,
    *,
    labels: Sequence[object] | None = None,
    column_labels: Sequence[object] | None = None,
    cluster: bool = True,
    vmin: float | None = None,
    vmax: float | None = None,
    annotate: bool = False,
    pvalues: Any = None,
    level: float = 0.05,
    ax: Axes | None = None,
    title: str | None = None,
    bar: str = "tau",
) -> Axes:
    """Heat map of correlations or similarities, with similar columns next to each other.

    Parameters
    ----------
    matrix : data frame or array-like of shape (n, n) or (n, k)
        A matrix, such as the result of `corr` or `gram_matrix`. Cells with NaN are grey.
    labels : sequence of n names, optional
        The names of the rows. If absent, the index of a pandas DataFrame is used. If there is no index, the rows of a
        symmetric matrix get the names of its columns. The rows of any other matrix get numbers.
    column_labels : sequence of k names, optional
        The names of the columns. If absent, the column names of a data frame are used. But if `labels` is passed, and
        the matrix is symmetric or a square array, `labels` are also the names of the columns.
    cluster : bool
        Order the rows and columns of a symmetric matrix by hierarchical clustering with average linkage. The distance
        of two columns i and j is the largest value of the matrix outside the diagonal, minus `matrix[i, j]`. If
        `matrix[i, j]` is NaN, the mean distance is used. A matrix that is not symmetric keeps its order.
    vmin, vmax : float, optional
        The values at the ends of the colour scale. If they are absent, the scale ends at the largest absolute value. It
        begins at 0, or, if some values are negative, at minus the largest absolute value.
    annotate : bool
        Write the values into the cells, with two decimals.
    pvalues : data frame or array-like of the shape of `matrix`, optional
        The p-value of each cell. Cells with a p-value below `level` are marked with a star. The diagonal of a symmetric
        matrix has no stars. If there are many p-values, correct them for multiple tests first.
    level : float
        The limit for the p-values: cells with a p-value below `level` are marked.
    ax, title
        As for `plot_weights`.
    bar : str
        The label of the colour bar.

    Examples
    --------
    >>> import numpy as np, wkendall
    >>> data = np.random.default_rng(0).normal(size=(50, 6))
    >>> ax = wkendall.plotting.plot_matrix(wkendall.corr(data), labels=list("abcdef"))
    """
    check_flag(cluster, "cluster")
    check_flag(annotate, "annotate")
    for name, given, field in (("matrix", matrix, "statistic"), ("pvalues", pvalues, "pvalue")):
        if isinstance(given, tuple) and hasattr(given, field):
            raise bad_type(name, f" is a {type(given).__name__}, which has several arrays: pass its field .{field}")
    values = real_array(matrix, "matrix", (2,), "an array of shape (n, n) or (n, k)")
    marks = np.zeros(values.shape, dtype=bool)
    if pvalues is not None:
        marks = real_array(pvalues, "pvalues", (2,), "an array of the shape of matrix") < level
        if marks.shape != values.shape:
            raise bad_argument("pvalues", f" has shape {marks.shape}, but matrix has {values.shape}")
    symmetric = np.array_equal(values, values.T, equal_nan=True)
    if _of_one_table(values, symmetric):
        np.fill_diagonal(marks, val=False)
    rows, columns = _names(matrix, values, symmetric, labels, column_labels)
    new = ax is None
    ax = axes_or_new(ax)
    if new:
        _suit(ax, rows, columns, annotate)
    if cluster and len(values) > 2 and symmetric:
        order = _order_of_tree(values)
        values, marks = values[np.ix_(order, order)], marks[np.ix_(order, order)]
        rows, columns = [rows[i] for i in order], [columns[i] for i in order]
    known = values[np.isfinite(values)]
    largest = float(np.abs(known).max(initial=0.0)) or 1.0
    signed = known.size > 0 and float(known.min()) < 0
    least, colours = (-largest, "RdBu_r") if signed else (0.0, "viridis")
    low, high = least if vmin is None else vmin, largest if vmax is None else vmax
    image = ax.imshow(values, cmap=colours, vmin=low, vmax=high, interpolation="nearest")
    ax.set_facecolor("0.8")
    write_numbers(ax, image, annotate, marks)
    longest = letters_beside(ax)
    for names, axis, angle in ((columns, ax.xaxis, 90), (rows, ax.yaxis, 0)):
        step = max(1, int(np.ceil(len(names) / LABELLED)))
        places = np.arange(0, len(names), step)
        how: dict[str, Any] = {"rotation": angle, "fontsize": size_of_names(ax, len(places), axis.axis_name)}
        axis.set_ticks(places, [written(names[place], longest) for place in places], **how)
    ax.figure.colorbar(image, ax=ax, label=bar, shrink=0.8)
    return title_axes(ax, title)


def _suit(ax: Axes, rows: Sequence[object], columns: Sequence[object], annotate: bool) -> None:
    """Give a new figure a size that fits the number of cells and the length of their names."""
    cell = NUMBER_ROW if annotate and max(len(rows), len(columns)) <= LABELLED else LOW_ROW
    tall, wide = (cell * min(len(names), LABELLED) for names in (rows, columns))
    ax.figure.set_size_inches(max(6.4, wide + 2.6), max(4.8, tall + 1.0))  # type: ignore[union-attr]
    widened(ax, [*rows[:LABELLED], *columns[:LABELLED]], tall=True)


def write_numbers(ax: Axes, image: Any, numbers: bool, marks: NDArray[np.bool_]) -> None:
    """Write numbers with two decimals, stars, or both into the cells of an image, in a readable colour."""
    cells = np.ma.filled(image.get_array().astype(np.float64), np.nan)
    box = ax.get_window_extent()
    fits = box.width * 72 / ax.figure.dpi / max(cells.shape[1], 1) / (3.2 if numbers else 1.0)
    size = float(np.clip(fits, LEAST, LARGE))
    for row, column in np.argwhere(marks | (numbers & np.isfinite(cells))).tolist():
        # Adding zero turns a rounded -0 into 0.
        number = f"{round(float(cells[row, column]), 2) + 0.0:.2f}" if numbers else ""
        red, green, blue, _ = image.cmap(image.norm(cells[row, column]))
        dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
        ax.text(column, row, number + "*" * bool(marks[row, column]), color="white" if dark else "black", **style)


def _of_one_table(values: NDArray[np.float64], symmetric: bool) -> bool:
    """Return whether the rows and the columns of a matrix are the same."""
    # One number is the correlation of a column with itself if it is 1, or if there is none.
    return symmetric and (len(values) != 1 or not abs(values[0, 0]) < 1)


def _names(
    matrix: Any,
    values: NDArray[np.float64],
    symmetric: bool,
    labels: Sequence[object] | None,
    column_labels: Sequence[object] | None,
) -> tuple[list[object], list[object]]:
    count, width = values.shape
    framed = hasattr(matrix, "columns")
    columns = list(matrix.columns) if framed else list(range(width))
    if hasattr(matrix, "index") and not callable(matrix.index):
        rows = list(matrix.index)
    else:
        rows = columns if _of_one_table(values, symmetric) else list(range(count))
    if labels is not None:
        rows = list(labels)
        if len(rows) != count:
            raise bad_argument("labels", f" has {len(rows)} names, but matrix has {count} rows: each needs one")
        columns = rows if symmetric or (count == width and not framed) else columns
    if column_labels is not None:
        columns = list(column_labels)
        if len(columns) != width:
            raise bad_argument(
                "column_labels", f" has {len(columns)} names, but matrix has {width} columns: each needs one"
            )
    return rows, columns


def _order_of_tree(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return an order of the rows of a symmetric matrix, from a tree of clusters, that puts similar rows side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    off = ~np.eye(len(values), dtype=bool)
    known = values[off & np.isfinite(values)]
    distances = known.max(initial=-np.inf) - values
    usual = float(distances[off & np.isfinite(values)].mean()) if known.size else 0.0
    distances[~np.isfinite(distances)] = usual
    np.fill_diagonal(distances, 0.0)
    tree = linkage(squareform(distances, checks=False), "average", optimal_ordering=len(values) <= OPTIMAL)
    order: NDArray[np.intp] = leaves_list(tree).astype(np.intp)
    return order
