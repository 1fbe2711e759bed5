"""Plots of weights and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import as_order, check_flag, real_array
from wkendall._errors import bad_argument, bad_type, short, shown
from wkendall._memory import check_fits
from wkendall.plotting.axes import (
    LETTER,
    LONGEST,
    LOW_ROW,
    ROW,
    axes_of_rows,
    axes_or_new,
    letters_beside,
    name_rows,
    size_of_names,
    title_axes,
    two_labels,
    widened,
    written,
)
from wkendall.statistics.importance import PairImportance
from wkendall.statistics.pair_differences import PairDifferences
from wkendall.statistics.spectrum import PARTS, Spectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The largest number of positions for which the values are written into the cells.
WRITTEN = 12
#: Up to this many items each has its name beside a heat map, and up to this many ranks each has a tick.
NAMED, TICKS = 60, 40
#: The largest number of differences of groups that are drawn.
DIFFERENCES = 20


def plot_weights(
    U: ArrayLike,
    *,
    items: Sequence[object] | None = None,
    ax: Axes | None = None,
    values: bool | None = None,
    title: str | None = None,
    classes: ArrayLike | None = None,
) -> Axes:
    """Heat map of weights of pairs of positions: blue for negative, red for positive.

    Parameters
    ----------
    U : array-like of shape (n, n) or (n,)
        Weights of pairs of positions, or of single positions. Weights of single positions are drawn as one row.
    items : sequence of n names, optional
        The names of the items. Pass `items` if U contains coefficients of items, such as `B_` of a fitted model, and
        not weights of positions.
    ax : matplotlib Axes, optional
        The axes to draw on; a new figure if absent.
    values : bool, optional
        Write the values into the cells; the default is True for up to 12 positions.
    title : str, optional
        The title of the plot; none if absent.
    classes : sequence of two labels, optional
        The labels `classes_` of the fitted model, if U contains the coefficients of items of this model. The colour bar
        then says which class is red and which class is blue. If the cell of items i (row) and j (column) is red, "i
        before j" is evidence for the second class. This is true only if, for all positions a < b, the position weights
        P of the model satisfy P[a, b] > P[b, a]. The standard weight has this property.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import wkendall
    >>> ax = wkendall.plotting.plot_weights(wkendall.position_weights(4, "mult", u="log"))
    """
    if values is not None:
        check_flag(values, "values")
    weights = real_array(U, "U", (1, 2), "an array of shape (n, n), or (n,) for order 1")
    if weights.ndim == 2 and weights.shape[0] != weights.shape[1]:
        raise bad_argument("U", f" has shape {weights.shape}, but must be square: (n, n)")
    if items is not None and len(items) != weights.shape[-1]:
        raise bad_argument("items", f" has {len(items)} names, but U is for {weights.shape[-1]} items")
    labels = two_labels(classes)
    if labels is not None and items is None:
        raise bad_argument("classes", ", but without items: only coefficients of items speak for classes")
    new = ax is None
    ax = axes_or_new(ax)
    rows = np.atleast_2d(weights)
    n = rows.shape[1]
    if new and items is not None:
        more = max(0.0, LOW_ROW * n - 3.0)
        width, height = ax.figure.get_size_inches()  # type: ignore[union-attr]
        ax.figure.set_size_inches(width + more, height + more * (weights.ndim == 2))  # type: ignore[union-attr]
        widened(ax, items, tall=True)
    largest = float(np.abs(rows).max(initial=0.0)) or 1.0
    # A row of many square cells would be too low to be seen.
    aspect: Any = "equal" if weights.ndim == 2 or n <= NAMED else "auto"
    image = ax.imshow(rows, cmap="RdBu_r", vmin=-largest, vmax=largest, aspect=aspect)
    most = min(20, 60 // len(str(max(n, 1)))) if items is None else NAMED
    step = max(1, int(np.ceil(n / most)))
    ticks = np.arange(0, n, step)
    longest = letters_beside(ax)
    names = [str(tick + 1) for tick in ticks] if items is None else [written(items[i], longest) for i in ticks.tolist()]
    turned: dict[str, Any] = {"fontsize": size_of_names(ax, len(ticks), "x")}
    if items is not None:
        turned |= {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(ticks, names, **turned)
    rank = "" if items is not None else "rank of the "
    if weights.ndim == 2:
        ax.set_yticks(ticks, names, fontsize=size_of_names(ax, len(ticks)))
        ax.set(xlabel=f"{rank}second item", ylabel=f"{rank}first item")
    else:
        ax.set_yticks([])
        ax.set(xlabel="rank" if items is None else "item")
    if values if values is not None else n <= WRITTEN:
        for (row, column), weight in np.ndenumerate(rows):
            color = "white" if abs(weight) > 0.6 * largest else "black"
            # Adding zero turns a rounded -0 into 0.
            text = f"{round(float(weight), 2) + 0.0:.2f}"
            ax.text(column, row, text, ha="center", va="center", color=color, fontsize="small")
    orientation = ("horizontal", "vertical")[weights.ndim - 1]
    meaning = "weight" if labels is None else f"red speaks for {labels[1]}\nblue speaks for {labels[0]}"
    bar = ax.figure.colorbar(image, ax=ax, label=meaning, orientation=orientation, shrink=0.8)
    title_axes(bar.ax, None)
    return title_axes(ax, title)


def plot_position_scores(U: ArrayLike, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Curves of the weights of single positions, computed from the weights of pairs of positions.

    Unlike the heat map of `plot_weights`, the curves are readable for many positions. For weights U[a, b] of pairs
    there are up to three curves. The first curve is the mean of U[a, b] over b, and the second curve is the mean over
    a. Both means leave out the diagonal (a = b). The third curve is the diagonal, if it is not 0. If the weights
    outside the diagonal have the form r[a] + c[b], the curves contain all information. `suquan_svd` usually finds such
    weights, except with `pure=True`.

    Parameters
    ----------
    U : array-like of shape (n, n) or (n,)
        Weights of pairs of positions, or of single positions.
    ax, title
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> ax = wkendall.plotting.plot_position_scores(wkendall.position_weights(100, "mult", u="log"))
    """
    weights = real_array(U, "U", (1, 2), "an array of shape (n, n), or (n,) for order 1")
    ax = axes_or_new(ax)
    ranks = np.arange(1, len(weights) + 1)
    marked: dict[str, Any] = {"marker": "o", "markersize": 4} if len(ranks) <= TICKS else {}
    if weights.ndim == 1:
        ax.plot(ranks, weights, label="weight", **marked)
    else:
        if weights.shape[0] != weights.shape[1]:
            raise bad_argument("U", f" has shape {weights.shape}, but must be square: (n, n)")
        own = np.diag(weights)
        others = max(len(weights) - 1, 1)
        ax.plot(ranks, (weights.sum(axis=1) - own) / others, label="first item of a pair", **marked)
        ax.plot(ranks, (weights.sum(axis=0) - own) / others, label="second item of a pair", **marked)
        if own.any():
            ax.plot(ranks, own, label="the item with itself", **marked)
        ax.legend(frameon=False)
    ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    ax.set(xlabel="rank", ylabel="mean weight" if weights.ndim == 2 else "weight")
    _tick_ranks(ax, len(ranks))
    return title_axes(ax, title)


def plot_objective(estimator: Any, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Curve of the objective of a fitted `AlternatingClassifier` or `AlternatingRegressor`, after each half step.

    The objective is the sum that the fit minimises. A half step optimises either the position weights U or the
    coefficients B of the items.

    Parameters
    ----------
    estimator : fitted estimator
        If the classifier has more than two classes, there is one curve for each class.
    ax, title
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [3, 4, 1, 2]]
    >>> ax = wkendall.plotting.plot_objective(wkendall.AlternatingClassifier().fit(X, [0, 0, 1, 1]))
    """
    found = getattr(estimator, "objective_path_", None)
    if found is None:
        raise bad_argument("estimator", f" is {shown(estimator)}, which has no objective_path_: fit an estimator first")
    ax = axes_or_new(ax)
    paths: list[NDArray[np.float64]] = [found] if isinstance(found, np.ndarray) else list(found)
    for index, path in enumerate(paths):
        label = None if len(paths) == 1 else written(f"class {estimator.classes_[index]}", 30)
        line = ("-", "--", ":", "-.")[index // 10 % 4]  # there are ten colours
        ax.plot(np.arange(len(path)) / 2, path, line, marker="o", markersize=3, label=label)
    if len(paths) > 1:
        columns = int(np.ceil(len(paths) / 18))
        ax.legend(frameon=False, ncols=columns, fontsize="medium" if len(paths) <= 10 else "x-small")
    ax.set(xlabel="iteration (U and B, half a step each)", ylabel="objective")
    return title_axes(ax, title)


def plot_reduction_factors(n: SupportsIndex, *, k: SupportsIndex = 3, ax: Axes | None = None) -> Axes:
    """Curves of the weight of each rank: hyperbolic weights, logarithmic weights, and the weights of the top-k kernel.

    Parameters
    ----------
    n : int
        The number of ranks.
    k : int
        The k of the top-k kernel, `Kendall("top", k=k)`.
    ax
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> ax = wkendall.plotting.plot_reduction_factors(6)
    """
    last, cut = as_order(n, "n"), as_order(k, "k")
    check_fits(last, 3, np.dtype(np.float64), "take fewer ranks")
    ax = axes_or_new(ax)
    ranks = np.arange(1, last + 1)
    marked: dict[str, Any] = {"marker": "o", "markersize": 4} if last <= TICKS else {}
    ax.step(ranks, ranks <= cut, where="mid", label=f"top-{cut}", **marked)
    named = _core.position_weights(last)
    ax.plot(ranks, named["hyperbolic"], label="hyperbolic, 1 / (rank + 1)", **marked)
    ax.plot(ranks, named["log"], label="logarithmic, 1 / log2(rank + 1)", **marked)
    ax.set(xlabel="rank", ylabel="factor", ylim=(0, 1.05))
    _tick_ranks(ax, last)
    # Above the axes, where no line is.
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, ncols=2, fontsize="small", frameon=False)
    return ax


def plot_accuracies(
    accuracies: Mapping[str, Sequence[float]], published: Mapping[str, float] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Box plot of the accuracies of several methods, with a dot at each mean; the first method is on top.

    Parameters
    ----------
    accuracies : dict of sequences of float
        The accuracies of each method. The keys are the names of the methods.
    published : dict of float, optional
        Published mean accuracies of the methods, drawn as crosses.
    ax
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> ax = wkendall.plotting.plot_accuracies({"standard": [0.61, 0.63, 0.65], "average": [0.62, 0.65, 0.66]})
    """
    _check_numbers(accuracies, "accuracies", "sequences of accuracies")
    if not accuracies:
        raise bad_argument("accuracies", " is empty, but must have those of at least one method")
    _check_numbers({} if published is None else published, "published", "numbers", 0)
    names = list(accuracies)
    ax = axes_of_rows(ax, names)
    places = np.arange(len(names), 0, -1)
    ax.boxplot(
        [list(values) for values in accuracies.values()],
        positions=places,
        orientation="horizontal",
        widths=0.6,
        medianprops={"color": "#4477aa", "linewidth": 1.5},
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": "0.6"},
        boxprops={"color": "0.4"},
        whiskerprops={"color": "0.4"},
        capprops={"color": "0.4"},
    )
    ax.plot([np.mean(list(values)) for values in accuracies.values()], places, "o", color="#4477aa", label="mean")
    _add_crosses(ax, published, dict(zip(names, places, strict=True)), "paper's mean")
    _rows(ax, places, names, "accuracy")
    return ax


def plot_differences(
    intervals: Mapping[str, tuple[float, float, float]],
    published: Mapping[str, float] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Differences of several methods from a reference method, as dots with intervals; the first method is on top.

    Parameters
    ----------
    intervals : dict of triples of float
        Three numbers for each method: the mean difference, and the lower and the upper end of its interval. The keys
        are the names of the methods.
    published : dict of float, optional
        Published differences of the methods, drawn as crosses.
    ax
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> ax = wkendall.plotting.plot_differences({"average": (0.01, 0.004, 0.016), "top-2": (-0.04, -0.05, -0.03)})
    """
    if isinstance(intervals, PairDifferences):
        raise TypeError(
            "intervals must be a dict of triples of numbers: plot_pairs draws what pair_differences returns"
        )
    _check_numbers(intervals, "intervals", "triples of numbers: mean, lower end, upper end", 3)
    _check_numbers({} if published is None else published, "published", "numbers", 0)
    ax = axes_of_rows(ax, list(intervals))
    places = np.arange(len(intervals), 0, -1)
    ax.axvline(0, color="0.6", linewidth=0.8)
    found = [mean for mean, _, _ in intervals.values()]
    lows, highs = [low for _, low, _ in intervals.values()], [high for _, _, high in intervals.values()]
    ax.hlines(places, lows, highs, color="#4477aa", linewidth=2)
    ax.plot(found, places, "o", color="#4477aa", markersize=5, label="difference")
    _add_crosses(ax, published, dict(zip(intervals, places, strict=True)), "paper's difference")
    _rows(ax, places, list(intervals), "difference")
    ax.locator_params(axis="x", nbins=6)
    return ax


def plot_pairs(
    importance: PairImportance | PairDifferences,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    classes: ArrayLike | None = None,
) -> Axes:
    """Pairs of items with their effects on a model or their differences between two groups; the largest is on top.

    Parameters
    ----------
    importance : PairImportance or PairDifferences
        The result of `pair_importance`, drawn as bars, or the result of `pair_differences`, drawn as dots with their
        intervals. The items have names if the rankings had names. Of the differences, only the 20 largest are drawn.
    ax, title
        As for `plot_weights`.
    classes : sequence of two labels, optional
        The labels `classes_` of the classifier, if `importance` is a result of `pair_importance`. Positive values of
        the decision function predict the second class. With `classes`, the label of the axis says that positive effects
        are evidence for the second class.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.Rankings([[1, 2, 3], [2, 1, 3]], items=["tea", "milk", "water"])
    >>> ax = wkendall.plotting.plot_pairs(wkendall.pair_importance(X, [1, -1], n_pairs=2))
    >>> ax = wkendall.plotting.plot_pairs(wkendall.pair_differences(X[[0, 0, 1, 1]], ["a", "a", "b", "b"], rng=0))
    """
    groups = importance if isinstance(importance, PairDifferences) else None
    if groups is not None:
        first, second, effects = (
            groups.first[:DIFFERENCES],
            groups.second[:DIFFERENCES],
            groups.difference[:DIFFERENCES],
        )
        if classes is not None:
            raise bad_argument("classes", " is for the result of pair_importance: differences have groups")
    elif isinstance(importance, tuple) and len(importance) == 3:
        first, second, effects = importance
    else:
        raise bad_type(
            "importance", f" must be what pair_importance or pair_differences returns, not {shown(importance)}"
        )
    lengths = real_array(effects, "effect", (1,), "an array of effects")
    if len(first) != len(lengths) or len(second) != len(lengths):
        raise bad_argument(
            "importance", f" has {len(first)}, {len(second)} and {len(lengths)} entries, but must have as many of each"
        )
    labels = two_labels(classes)
    new = ax is None
    ax = axes_of_rows(ax, [])
    if new:
        sides = max(
            (len(written(one)) + len(written(other)) for one, other in zip(first, second, strict=True)), default=0
        )
        wide = max(6.4, 4.8 + LETTER * sides)
        ax.figure.set_size_inches(wide, max(2.0, ROW * len(lengths) + 1.0))  # type: ignore[union-attr]
    places = np.arange(len(lengths), 0, -1)
    if groups is None:
        ax.barh(places, lengths, color="#4477aa", height=0.7)
    else:
        ax.axvline(0, color="0.6", linewidth=0.8)
        ax.hlines(places, groups.low[: len(places)], groups.high[: len(places)], color="#4477aa", linewidth=2)
        ax.plot(lengths, places, "o", color="#4477aa", markersize=5)
    # Two names and "before" take three quarters of the width of the axes at most.
    longest = LONGEST if new else max(6, int(0.75 * letters_beside(ax)))
    names = [
        f"{short(str(one), longest)} before {short(str(other), longest)}"
        for one, other in zip(first, second, strict=True)
    ]
    _rows(ax, places, names, "effect: change of the decision function", 2 * LONGEST + 8)
    if groups is not None:
        one, other = (written(label) for label in groups.groups)
        ax.set_xlabel(f"share of {one} minus share of {other},\nwith simultaneous intervals")
    if labels is not None:
        ax.set_xlabel(f"effect: evidence for {labels[1]} against {labels[0]}\n(change of the decision function)")
    return title_axes(ax, title)


def plot_spectrum(
    spectra: Spectrum | Mapping[str, Spectrum], *, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Bars for the result of `spectrum`: how much each part, such as "positions of items", contributes to a kernel.

    Parameters
    ----------
    spectra : Spectrum or dict of these
        The result of `spectrum`, or a dict of several results, with the names of the kernels as keys. The first kernel
        is on top.
    ax, title
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> ax = wkendall.plotting.plot_spectrum({"Kendall": wkendall.spectrum(wkendall.Kendall(), 6)})
    """
    named = spectra if isinstance(spectra, Mapping) else {"": spectra}
    for found in named.values():
        if not isinstance(found, Spectrum):
            raise bad_type("spectra", f" must be what spectrum returns, or a dict of these, not {shown(spectra)}")
    ax = axes_or_new(ax) if len(named) <= 12 else axes_of_rows(ax, list(named))
    places, starts = np.arange(len(named), 0, -1), np.zeros(len(named))
    for part, color in zip(PARTS, ("0.82", "#4477aa", "#ddaa33", "#bb5566"), strict=True):
        lengths = np.array([found.parts.get(part, 0.0) for found in named.values()])
        ax.barh(places, lengths, left=starts, color=color, height=0.7, label=part)
        starts += lengths
    _rows(ax, places, list(named), "share of the self-similarity")
    ax.set_xlim(0, 1)
    ax.legend(loc="upper center", bbox_to_anchor=(0.4, -0.18), ncols=2, frameon=False)
    return title_axes(ax, title)


def _check_numbers(values: object, name: str, meaning: str, count: int | None = None) -> None:
    """Raise an error if a value is not a dict of numbers, or of sequences of numbers (`count` numbers, if it is given)."""
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} must be a dict of {meaning}, by name, not {shown(values)}")
    for key, numbers in values.items():
        found = real_array(numbers, f"{name}[{key!r}]", (0,) if count == 0 else (1,), meaning)
        if found.ndim and (len(found) != count if count else not len(found)):
            raise bad_argument(name, f"[{key!r}] has {len(found)} numbers, but must be {meaning}")


def _add_crosses(ax: Axes, published: Mapping[str, float] | None, places: Mapping[str, Any], label: str) -> None:
    """Draw published numbers, if there are any, and a legend."""
    if published:
        known = [name for name in places if name in published]
        x, y = [published[name] for name in known], [places[name] for name in known]
        ax.plot(x, y, "x", color="#cc3311", label=label)
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False, borderaxespad=0.1)


def _rows(ax: Axes, places: NDArray[np.intp], names: Sequence[object], label: str, longest: int | None = None) -> None:
    """Label the rows of a plot, the first row on top, and label the horizontal axis."""
    if longest is None:
        name_rows(ax, names, places)
    else:
        ax.set_yticks(places, [written(name, longest) for name in names], fontsize=size_of_names(ax, len(names)))
    ax.set(xlabel=label, ylim=(0.4, len(names) + 0.6))
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    title_axes(ax, None)


def _tick_ranks(ax: Axes, last: int) -> None:
    """Draw a tick for each rank; if there are many ranks, only for the first rank and for multiples of a round number."""
    if last <= TICKS:
        ax.set_xticks(
            range(1, last + 1), [str(rank) for rank in range(1, last + 1)], fontsize=size_of_names(ax, 2 * last, "x")
        )
        return
    least = last / 12
    base = 10 ** int(np.floor(np.log10(least)))
    step = next(base * factor for factor in (1, 2, 5, 10) if base * factor >= least)
    ax.set_xticks([1, *range(step, last + 1, step)])
