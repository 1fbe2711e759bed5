"""Plots of rankings: distributions of ranks, how often one item is before another, and ranks with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from wkendall._errors import bad_type, shown
from wkendall.description import Description
from wkendall.plotting.axes import (
    LETTER,
    NUMBER_ROW,
    axes_of_rows,
    letters_beside,
    name_rows,
    size_of_names,
    tall_axes,
    title_axes,
    widened,
    written,
)
from wkendall.plotting.matrices import write_numbers
from wkendall.rankings import Rankings, read_rankings
from wkendall.statistics.rank_intervals import RankIntervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Items and ranks that are drawn; of more items, the best.
MAX_ITEMS, MAX_RANKS = 100, 100
#: The largest number of items for which shares are written into the cells.
WRITTEN = 12
#: Up to this many groups have a dot each; of more groups, a line shows the lowest and the highest mean.
DOTS = 8


def plot_ranks(X: ArrayLike | Rankings | Description, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Distribution of the ranks of each item: a darker cell means that more rankings give the item this rank.

    The item with the best mean rank is on top. A dot marks the mean rank of an item. If `X` is a `Description` with
    groups, there is a dot for each group. With more than eight groups, the dot is the mean rank over all rankings, and
    a line goes from the lowest to the highest mean rank of the groups. If rankings leave items out, the last column
    shows how often each item is left out. With more than 100 items, only the 100 best items are drawn.

    Parameters
    ----------
    X : Rankings, array-like of shape (m, n), or Description
        Rankings, or the result of `Rankings.describe`.
    ax, title
        As for `plot_weights`. If a figure is created, its height depends on the number of items.

    Examples
    --------
    >>> import wkendall
    >>> votes = wkendall.Rankings([[1, 2, 3], [1, 3, 2], [2, 1, 3]], items=["tea", "milk", "water"])
    >>> ax = wkendall.plotting.plot_ranks(votes)
    >>> ax = wkendall.plotting.plot_ranks(votes.describe(by=["old", "young", "young"]))
    """
    found = _described(X)
    order = found.order[:MAX_ITEMS]
    names = [found.items[item] for item in order]
    ax = axes_of_rows(ax, names)
    ranks = found.ranks[order, :MAX_RANKS] / max(found.n_rankings, 1)
    depth = ranks.shape[1]
    if ranks.size:
        image = ax.imshow(ranks, cmap="Blues", vmin=0, vmax=ranks.max() or 1, aspect="auto", interpolation="nearest")
        ax.figure.colorbar(image, ax=ax, label="share of the rankings", shrink=min(1.0, 10 / max(len(order), 10)))
    _draw_means(ax, found, order, depth)
    places = np.arange(0, depth, max(1, int(np.ceil(depth / 12))))
    ticks = [str(place + 1) for place in places]
    gaps = bool(found.missing.any())
    width = 0.12 * max(depth, 1) if gaps else 0.0
    if gaps:
        ax.axvline(depth - 0.5, color="0.3", linewidth=0.8)
        for row, share in enumerate(found.missing[order] / found.n_rankings):
            ax.text(
                depth - 0.5 + width / 2,
                row,
                f"{share:.0%}",
                ha="center",
                va="center",
                fontsize=size_of_names(ax, len(order)),
            )
        places, ticks = np.append(places, depth - 0.5 + width / 2), [*ticks, "missing"]
    ax.set_xticks(places, ticks)
    name_rows(ax, names)
    ax.set(xlabel="rank; dots are means", xlim=(-0.5, max(depth, 1) - 0.5 + width))
    return _with_legend(ax, title) if found.groups is not None else title_axes(ax, title)


def plot_shares(X: ArrayLike | Rankings | Description, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Heat map of pairs: the share of the rankings in which the row's item comes before the column's item.

    A share of more than half is red, and a share of less than half is blue. Pairs that no ranking compares are grey.
    The item with the best mean rank is on top. With more than 100 items, only the 100 best items are drawn.

    Parameters
    ----------
    X, ax, title
        As for `plot_ranks`.

    Examples
    --------
    >>> import wkendall
    >>> votes = wkendall.Rankings([[1, 2, 3], [1, 3, 2], [2, 1, 3]], items=["tea", "milk", "water"])
    >>> ax = wkendall.plotting.plot_shares(votes)
    """
    found = _described(X)
    order = found.order[:MAX_ITEMS]
    names = [found.items[item] for item in order]
    shares = found.shares_of(names)
    np.fill_diagonal(shares, np.nan)
    with_numbers = len(names) <= WRITTEN
    new = ax is None
    ax = tall_axes(ax, len(names), NUMBER_ROW if with_numbers else None, square=True)
    if new:
        widened(ax, names, tall=True)
    ax.set_facecolor("0.85")
    if shares.size:
        image = ax.imshow(shares, cmap="RdBu_r", vmin=0, vmax=1, interpolation="nearest")
        ax.figure.colorbar(image, ax=ax, label="row before column", shrink=0.7)
        if with_numbers:
            write_numbers(ax, image, True, np.zeros(shares.shape, dtype=bool))
    name_rows(ax, names)
    labels = [written(name, letters_beside(ax)) for name in names]
    ax.set_xticks(np.arange(len(names)), labels, rotation=90, fontsize=size_of_names(ax, len(names), "x"))
    return title_axes(ax, title)


def plot_rank_intervals(intervals: RankIntervals, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Ranks with their intervals, and the groups of items that cannot be told apart. The best item is on top.

    Each vertical bar on the right is a group of items: no two items of the group can be told apart (see
    `rank_intervals`). Where a bar is thin, it passes an item that does not belong to the group. A dotted line between
    two neighbouring items means that these two items can be told apart. With more than 100 items, only the 100 best
    items are drawn.

    Parameters
    ----------
    intervals : RankIntervals
        The result of `rank_intervals`.
    ax, title
        As for `plot_ranks`.

    Examples
    --------
    >>> import wkendall
    >>> found = wkendall.rank_intervals([[9, 8, 5]] * 8 + [[8, 9, 5]] * 8, rng=0)
    >>> ax = wkendall.plotting.plot_rank_intervals(found)
    """
    if not isinstance(intervals, RankIntervals):
        raise bad_type("intervals", f" must be what rank_intervals returns, not {shown(intervals)}")
    order = np.argsort(intervals.rank, kind="stable")[:MAX_ITEMS]
    n, rows = len(intervals.rank), np.arange(len(order))
    ax = axes_of_rows(ax, [intervals.items[item] for item in order])
    ax.hlines(rows, intervals.low[order], intervals.high[order], color="#4477aa", linewidth=2)
    ax.plot(intervals.rank[order], rows, "o", color="#4477aa", markersize=4)
    for place in np.flatnonzero(intervals.separated[: max(len(order) - 1, 0)]):
        ax.axhline(place + 0.5, color="0.6", linewidth=0.8, linestyle=":", label="neighbours told apart")
    places = {intervals.items[item]: place for place, item in enumerate(order)}
    ends: list[int] = []  # of the last bar of each lane
    width = 0.025 * max(n, 1)
    for group in intervals.groups:
        rows = np.array([places[name] for name in group if name in places])
        if len(rows) > 1:
            lane = next((lane for lane, end in enumerate(ends) if end < rows[0]), len(ends))
            ends[lane : lane + 1] = [int(rows[-1])]
            x = n + 0.5 + (lane + 1) * width
            ax.plot([x, x], rows[[0, -1]], color="#cc3311", linewidth=0.5)
            for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
                ax.plot([x, x], [run[0] - 0.25, run[-1] + 0.25], color="#cc3311", label="not told apart")
    name_rows(ax, list(places))
    ax.set(xlim=(0.5, n + 0.5 + (len(ends) + 1) * width), ylim=(max(len(order), 1) - 0.5, -0.5))
    ax.set_xlabel(f"rank, with simultaneous {100 * intervals.confidence:g}% intervals")
    step = max(1, int(np.ceil(n / 12)))
    ax.set_xticks(range(1, n + 1) if step == 1 else [1, *range(2 * step, n + 1, step)])
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)
    return _with_legend(ax, title)


def _described(X: ArrayLike | Rankings | Description) -> Description:
    return X if isinstance(X, Description) else read_rankings(X, "X").describe()


def _draw_means(ax: Axes, found: Description, order: Any, depth: int) -> None:
    """Draw the mean ranks of all rankings or of each group as dots; for many groups, draw a line over their range."""
    groups = {} if found.groups is None else found.groups
    rows = np.arange(len(order))
    few = 0 < len(groups) <= DOTS
    dots: dict[Any, Description] = dict(groups) if few else {None: found}
    for number, (label, group) in enumerate(dots.items()):
        offset = (number + 1) / (len(dots) + 1) - 0.5
        x = group.mean[order] - 1
        seen = x < depth
        style: dict[str, Any] = {"label": written(label, 24)} if few else {"color": "#cc3311", "zorder": 3}
        if groups and not few:
            style["label"] = "all"
        ax.plot(x[seen], rows[seen] + offset, "o", markersize=5, markeredgecolor="white", **style)
    if groups and not few:
        means = np.array([group.mean[order] for group in groups.values()]) - 1
        known = np.isfinite(means).any(axis=0)
        low, high = np.nanmin(means[:, known], axis=0), np.nanmax(means[:, known], axis=0)
        low, high = np.minimum(low, depth - 0.5), np.minimum(high, depth - 0.5)
        ax.hlines(
            rows[known],
            low,
            high,
            color="#cc3311",
            linewidth=1.2,
            label=f"means of {len(groups)} groups, lowest to highest",
        )


def _with_legend(ax: Axes, title: str | None) -> Axes:
    """Draw a legend above the axes, with each label once, and draw the title above the legend."""
    handles, labels = ax.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    lines = 0
    if once:
        # As many columns as fit, each with room for its mark.
        width = ax.get_window_extent().width / ax.figure.dpi
        columns = int(np.clip(width / (LETTER * max(map(len, once)) + 0.6), 1, min(4, len(once))))
        lines = int(np.ceil(len(once) / columns))
        place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
        ax.legend(once.values(), once.keys(), frameon=False, ncols=columns, fontsize="small", **place)
    return title_axes(ax, title, **({"pad": 10 + 14 * lines} if lines else {}))
