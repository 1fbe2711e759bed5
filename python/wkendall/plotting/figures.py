"""Plots of weights and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import as_order, check_flag, real_array
from wkendall._errors import bad_type
from wkendall._memory import check_fits
from wkendall._text import shown
from wkendall.statistics.importance import PairImportance
from wkendall.statistics.spectrum import PARTS, Spectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The largest number of positions for which the values are written into the cells.
WRITTEN = 12


def plot_weights(
    U: ArrayLike,
    *,
    items: Sequence[object] | None = None,
    ax: Axes | None = None,
    values: bool | None = None,
    title: str | None = None,
) -> Axes:
    """Heat map of weights of pairs of positions: blue for negative, red for positive.

    Parameters
    ----------
    U : array-like of shape (n, n) or (n,)
        Weights of pairs, or of single positions, which are drawn as one row.
    items : sequence of n names, optional
        Names of the items, if U has coefficients of items, such as `B_` of a learner, instead of weights of positions.
    ax : matplotlib Axes, optional
        The axes to draw on; a new figure if absent.
    values : bool, optional
        Write the values into the cells; the default is True for up to 12 positions.
    title : str, optional

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
        raise ValueError(f"U has shape {weights.shape}, but must be square: (n, n)")
    if items is not None and len(items) != weights.shape[-1]:
        raise ValueError(f"items has {len(items)} names, but U is for {weights.shape[-1]} items")
    ax = axes_or_new(ax)
    rows = np.atleast_2d(weights)
    largest = float(np.abs(rows).max(initial=0.0)) or 1.0
    image = ax.imshow(rows, cmap="RdBu_r", vmin=-largest, vmax=largest)
    n = rows.shape[1]
    step = max(1, int(np.ceil(n / 20)))
    ticks = np.arange(0, n, step)
    names = [str(tick + 1) for tick in ticks] if items is None else [written(items[int(tick)]) for tick in ticks]
    turned: dict[str, Any] = {} if items is None else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(ticks, names, **turned)
    rank = "" if items is not None else "rank of the "
    if weights.ndim == 2:
        ax.set_yticks(ticks, names)
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
    ax.figure.colorbar(image, ax=ax, label="weight", orientation=orientation, shrink=0.8)
    return titled(ax, title)


def plot_position_scores(U: ArrayLike, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Curves of the weights of single positions that weights of pairs imply; suited to many positions.

    For weights of pairs these are the means over the second and over the first item of the pair, off the diagonal, and
    the diagonal. They show a weight of the form r[a] + c[b] off the diagonal, as plain SUQUAN-SVD finds it, completely.

    Parameters
    ----------
    U : array-like of shape (n, n) or (n,)
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
    if weights.ndim == 1:
        ax.plot(ranks, weights, label="weight")
    else:
        if weights.shape[0] != weights.shape[1]:
            raise ValueError(f"U has shape {weights.shape}, but must be square: (n, n)")
        own = np.diag(weights)
        others = max(len(weights) - 1, 1)
        ax.plot(ranks, (weights.sum(axis=1) - own) / others, label="first item of a pair")
        ax.plot(ranks, (weights.sum(axis=0) - own) / others, label="second item of a pair")
        if own.any():
            ax.plot(ranks, own, label="the item with itself")
        ax.legend(frameon=False)
    ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    ax.set(xlabel="rank", ylabel="mean weight" if weights.ndim == 2 else "weight")
    return titled(ax, title)


def plot_objective(estimator: Any, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Curve of the objective after each half step of a fitted `AlternatingClassifier` or `AlternatingRegressor`.

    Parameters
    ----------
    estimator : fitted estimator
        With more than two classes there is one curve for each class.
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
        raise ValueError(f"estimator is {shown(estimator)}, which has no objective_path_: fit an estimator first")
    ax = axes_or_new(ax)
    paths: list[NDArray[np.float64]] = [found] if isinstance(found, np.ndarray) else list(found)
    for index, path in enumerate(paths):
        label = None if len(paths) == 1 else f"class {estimator.classes_[index]}"
        ax.plot(np.arange(len(path)) / 2, path, marker="o", markersize=3, label=label)
    if len(paths) > 1:
        ax.legend(frameon=False)
    ax.set(xlabel="iteration (U and B, half a step each)", ylabel="objective")
    return titled(ax, title)


def plot_reduction_factors(n: SupportsIndex, *, k: SupportsIndex = 3, ax: Axes | None = None) -> Axes:
    """Curves of the weight of each rank in the weighted kernels: hyperbolic, logarithmic, and the top-k cutoff.

    Parameters
    ----------
    n : int
        The number of ranks.
    k : int
        The cutoff of top-k.
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
    ax.step(ranks, ranks <= cut, where="mid", label=f"top-{cut}", marker="o", markersize=4)
    named = _core.position_weights(last)
    ax.plot(ranks, named["hyperbolic"], label="hyperbolic, 1 / (rank + 1)", marker="o", markersize=4)
    ax.plot(ranks, named["log"], label="logarithmic, 1 / log2(rank + 1)", marker="o", markersize=4)
    ax.set(xlabel="rank", ylabel="factor", ylim=(0, 1.05))
    ax.set_xticks(ranks[:: max(1, last // 20)])
    ax.legend(loc="upper right", bbox_to_anchor=(1.0, 0.88), frameon=False)
    return ax


def plot_accuracies(
    accuracies: Mapping[str, Sequence[float]], published: Mapping[str, float] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Box plot of the accuracies of several methods, the first method on top, with a dot at each mean.

    Parameters
    ----------
    accuracies : dict of sequences of float
        The accuracies of each method, by its name.
    published : dict of float, optional
        Published means, drawn as crosses.
    ax
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> ax = wkendall.plotting.plot_accuracies({"standard": [0.61, 0.63, 0.65], "average": [0.62, 0.65, 0.66]})
    """
    _check_numbers(accuracies, "accuracies", "sequences of accuracies")
    if not accuracies:
        raise ValueError("accuracies is empty, but must have those of at least one method")
    _check_numbers({} if published is None else published, "published", "numbers", 0)
    ax = axes_or_new(ax)
    names = list(accuracies)
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
    """Differences of several methods from a reference method, as dots with intervals, the first method on top.

    Parameters
    ----------
    intervals : dict of triples of float
        The mean difference and the ends of its interval for each method, by its name.
    published : dict of float, optional
        Published differences, drawn as crosses.
    ax
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> ax = wkendall.plotting.plot_differences({"average": (0.01, 0.004, 0.016), "top-2": (-0.04, -0.05, -0.03)})
    """
    _check_numbers(intervals, "intervals", "triples of numbers: mean, lower end, upper end", 3)
    _check_numbers({} if published is None else published, "published", "numbers", 0)
    ax = axes_or_new(ax)
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


def plot_pairs(importance: PairImportance, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Bar chart of pairs of items, the largest effect on top: which item comes first, and how much that adds.

    Parameters
    ----------
    importance : PairImportance
        The result of `pair_importance`, with the names of the items if the rankings had names.
    ax, title
        As for `plot_weights`.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.Rankings([[1, 2, 3], [2, 1, 3]], items=["tea", "milk", "water"])
    >>> ax = wkendall.plotting.plot_pairs(wkendall.pair_importance(X, [1, -1], n_pairs=2))
    """
    if not isinstance(importance, tuple) or len(importance) != 3:
        raise bad_type("importance", f" must be what pair_importance returns, not {shown(importance)}")
    first, second, effects = importance
    lengths = real_array(effects, "effect", (1,), "an array of effects")
    if len(first) != len(lengths) or len(second) != len(lengths):
        raise ValueError(
            f"importance has {len(first)}, {len(second)} and {len(lengths)} entries, but must have as many of each"
        )
    ax = axes_or_new(ax)
    places = np.arange(len(lengths), 0, -1)
    ax.barh(places, lengths, color="#4477aa", height=0.7)
    _rows(ax, places, [f"{one} before {other}" for one, other in zip(first, second, strict=True)], "effect")
    return titled(ax, title)


def plot_spectrum(
    spectra: Spectrum | Mapping[str, Spectrum], *, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Bars of what kernels see, the first on top: the share of each part in the self-similarity of a ranking.

    Parameters
    ----------
    spectra : Spectrum or dict of these
        What `spectrum` returns, or several of these by the names of the kernels.
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
    ax = axes_or_new(ax)
    places, starts = np.arange(len(named), 0, -1), np.zeros(len(named))
    for part, color in zip(PARTS, ("0.82", "#4477aa", "#ddaa33", "#bb5566"), strict=True):
        lengths = np.array([found.parts.get(part, 0.0) for found in named.values()])
        ax.barh(places, lengths, left=starts, color=color, height=0.7, label=part)
        starts += lengths
    _rows(ax, places, list(named), "share of the self-similarity")
    ax.set_xlim(0, 1)
    ax.legend(loc="upper center", bbox_to_anchor=(0.4, -0.18), ncols=2, frameon=False)
    return titled(ax, title)


def _check_numbers(values: object, name: str, meaning: str, count: int | None = None) -> None:
    """Refuse a value that is not a dict of numbers, or of sequences of `count` numbers, or of any number of them."""
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} must be a dict of {meaning}, by name, not {shown(values)}")
    for key, numbers in values.items():
        found = real_array(numbers, f"{name}[{key!r}]", (0,) if count == 0 else (1,), meaning)
        if found.ndim and (len(found) != count if count else not len(found)):
            raise ValueError(f"{name}[{key!r}] has {len(found)} numbers, but must be {meaning}")


def _add_crosses(ax: Axes, published: Mapping[str, float] | None, places: Mapping[str, Any], label: str) -> None:
    """Draw published numbers, if there are any, and a legend."""
    if published:
        known = [name for name in places if name in published]
        x, y = [published[name] for name in known], [places[name] for name in known]
        ax.plot(x, y, "x", color="#cc3311", label=label)
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False, borderaxespad=0.1)


def _rows(ax: Axes, places: NDArray[np.intp], names: Sequence[object], label: str) -> None:
    """Label the rows of a plot, the first on top, and its horizontal axis."""
    ax.set_yticks(places, [written(name) for name in names])
    ax.set(xlabel=label, ylim=(0.4, len(names) + 0.6))
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)


def written(name: object) -> str:
    """Return a name as it is drawn: two dollar signs do not make a formula."""
    return str(name).replace("$", r"\$")


def titled(ax: Axes, title: str | None) -> Axes:
    """Return axes with a title, if there is one."""
    if title is not None:
        ax.set_title(title)
    return ax


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the given axes, or those of a new figure."""
    if ax is not None:
        if not hasattr(ax, "set_xlabel"):
            raise TypeError(f"ax must be Axes of matplotlib or None, not {shown(ax)}")
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'wkendall[plot]'") from None
    return plt.figure(layout="constrained").add_subplot()
