"""Rankings as points in the plane, with the items as directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall._arguments import Array, check_same_rows, group_rows
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.gram import as_kernel, gram_of
from wkendall.measures import Kernel
from wkendall.plotting.figures import axes_or_new, titled, written
from wkendall.rankings import Rankings, read_rankings
from wkendall.statistics.rank_intervals import expected_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Advice for too many rankings.
ADVICE = "draw a random part of the rankings"
#: The length of the longest arrow, relative to the farthest point.
REACH = 0.9
#: The space around the points, arrows and names, relative to their extent, and how often it is adjusted.
MARGIN, PASSES = 0.06, 3


def plot_map(
    X: ArrayLike | Rankings,
    *,
    kernel: Kernel | None = None,
    groups: ArrayLike | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    n_jobs: SupportsIndex | None = None,
) -> Axes:
    """Map of rankings: similar rankings are close, and arrows point to where each item is preferred.

    The points are the first two components of a kernel principal component analysis. The arrow of an item shows how its
    mean rank changes over the map: rankings in the direction of the arrow put the item high. The longer an arrow, the
    better the map explains the ranks of its item.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        At least two rankings. Arrows have the names of the items, or their numbers from 0.
    kernel : Kernel, optional
        As for `gram_matrix`.
    groups : array-like of shape (m,), optional
        A label for each ranking. Each label has its own colour, and a legend shows them; its title is the name of a
        series. Ordered categories keep their order.
    ax, title
        As for `plot_weights`.
    n_jobs : int, optional
        As for `gram_matrix`.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.datasets.make_mallows(50, 4, 1.0, rng=0)
    >>> ax = wkendall.plotting.plot_map(wkendall.Rankings(X, items=["tea", "coffee", "milk", "water"]))
    """
    chosen = as_kernel(kernel, "plot_map")
    run = Run(n_jobs=n_jobs).check()
    rankings = read_rankings(X, "X", threads=run.threads)
    rows = len(rankings)
    if rows < 2:
        raise bad_argument("X", f" has {rows} rankings, but a map needs at least 2")
    check_same_rows(rankings, groups, ("X", "groups"))
    numbers: dict[Any, Any] = {None: slice(None)} if groups is None else group_rows(groups, rows, "groups")
    check_fits(rows, rows, np.dtype(np.float64), ADVICE)
    points, shares = components(gram_of(rankings, None, chosen, run))
    ranks = expected_ranks(rankings)
    ranks[np.isnan(ranks)] = (rankings.n_items + 1) / 2  # an item can have any rank
    ax = axes_or_new(ax)
    for label, some in numbers.items():
        ax.plot(points[some, 0], points[some, 1], ".", alpha=0.6, label=None if label is None else written(label))
    names = rankings.items or range(rankings.n_items)
    _draw_items(ax, points, directions(points, ranks), names)
    ax.set(xlabel=f"first component ({shares[0]:.0%})", ylabel=f"second component ({shares[1]:.0%})")
    ax.set_aspect("equal", adjustable="datalim")
    if groups is not None:
        name = getattr(groups, "name", None)
        ax.legend(frameon=False, title=name if isinstance(name, str) and name else None)
    titled(ax, title)
    _fit_limits(ax)
    return ax


def components(gram: Array) -> tuple[Array, Array]:
    """Return the first two principal components of points with these inner products, and their shares of the variance."""
    from scipy.linalg import eigh

    centred = gram - gram.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    total = float(np.trace(centred)) or 1.0
    last = len(centred) - 1
    values, vectors = eigh(centred, subset_by_index=(last - 1, last))
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    # The sign of a component is arbitrary: make its largest entry positive.
    vectors = vectors * np.where(vectors[np.abs(vectors).argmax(axis=0), [0, 1]] < 0, -1, 1)
    return vectors * np.sqrt(values), values / total


def directions(points: Array, ranks: Array) -> Array:
    """Return, for each item, the direction in which its rank improves, times its correlation with the map."""
    spread = points.std(axis=0)
    scale = ranks.std(axis=0)
    centred = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1)
    better = -(ranks - ranks.mean(axis=0)) / np.where(scale > 0, scale, 1)
    return np.asarray(better.T @ centred) / len(points)


def _draw_items(ax: Axes, points: Array, arrows: Array, names: Sequence[object]) -> None:
    longest = float(np.linalg.norm(arrows, axis=1).max(initial=0.0)) or 1.0
    far = float(np.abs(points).max(initial=0.0)) or 1.0
    ends = arrows * (REACH * far / longest)
    ax.update_datalim(ends)
    placed: list[tuple[float, float]] = []
    for item in np.argsort(ends[:, 1]):
        x, y = ends[item]
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": "0.25"})
        at = (1.04 * x, 1.04 * y)
        # Move a name up if it would overlap another one.
        while any(abs(at[0] - other[0]) < 0.25 * far and abs(at[1] - other[1]) < 0.07 * far for other in placed):
            at = (at[0], at[1] + 0.03 * far)
        placed.append(at)
        name = ax.annotate(
            written(names[item]), at, ha="left" if x > 0 else "right", va="center", fontsize="small",
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7},
        )  # fmt: skip
        name.set_in_layout(False)  # the limits make room for it


def _fit_limits(ax: Axes) -> None:
    """Set the limits of axes with equal scales so that they contain all data, and the names with their whole texts.

    Names have a size in pixels. So the limits depend on the size of the axes, which depends on the labels of the ticks,
    which depend on the limits: a few passes are enough.
    """
    canvas: Any = ax.figure.canvas
    names = [text for text in ax.texts if text.get_text()]
    if not names:
        return
    anchors = np.array([text.xy for text in names]).reshape(-1, 2)  # type: ignore[attr-defined]
    low, high = np.minimum(ax.dataLim.min, anchors.min(axis=0)), np.maximum(ax.dataLim.max, anchors.max(axis=0))
    for _ in range(PASSES):
        canvas.figure.draw_without_rendering()
        size = np.array(ax.bbox.size)
        boxes = [text.get_bbox_patch().get_window_extent() for text in names]  # type: ignore[union-attr]
        pixels = ax.transData.transform(anchors)
        # What the names need before and behind their anchors. Names that do not fit leave the data a fifth of the axes.
        most = 0.4 * size
        before = np.minimum(pixels - [box.min for box in boxes], most)
        behind = np.minimum([box.max for box in boxes] - pixels, most)
        scale, wider = 0.0, float(((high - low) / size).max()) or 1.0
        while wider > 1.0001 * scale:
            scale = wider
            first = np.minimum(low, (anchors - scale * before).min(axis=0))
            last = np.maximum(high, (anchors + scale * behind).max(axis=0))
            wider = float(((last - first) / size).max())
        middle, half = (first + last) / 2, (1 + MARGIN) * scale * size / 2
        (left, bottom), (right, top) = middle - half, middle + half
        # Still automatic: matplotlib warns when it adapts fixed limits to the shape of the axes.
        ax.set_xlim(left, right, auto=None)
        ax.set_ylim(bottom, top, auto=None)
