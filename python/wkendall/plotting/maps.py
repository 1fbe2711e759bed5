"""Rankings as points in the plane, with items as arrows."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import Array, check_same_rows, group_rows
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.gram import as_kernel, gram_of
from wkendall.measures import Kernel
from wkendall.plotting.axes import LARGE, LONGEST, axes_or_new, title_axes, written
from wkendall.plotting.fonts import use_fonts
from wkendall.rankings import Rankings, merged, read_rankings
from wkendall.statistics.rank_intervals import expected_ranks
from wkendall.statistics.samples import counts_of, observed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Advice for too many rankings.
ADVICE = "draw a random part of the rankings"
#: The length of the longest arrow, relative to the farthest point.
REACH = 0.9
#: The space around the points, arrows and names, relative to their extent, and how often it is adjusted.
MARGIN, PASSES = 0.06, 3
#: Items that are drawn; of more items, those that the map explains best.
MAX_ITEMS = 40
#: The distance of names from the tips of arrows, and between columns and points, in points.
NEAR, APART = 3, 10
#: The height of a line of names relative to the size of its letters.
LINE = 1.35
#: The size of long names, in points; what is still too long is cut.
MIN_SIZE = 5.0
#: Marks of groups: there are ten colours for each.
MARKS = "o^sDvP*X<>"
#: How far the points of two groups are from the place that they share, in points.
ASIDE = 1.8
#: With fewer places, all eigenvalues are computed.
FEW_PLACES = 500
#: Groups that have a legend of normal size.
FEW_GROUPS = 12
#: The width of points and arrows in a new figure, and the largest width of this figure, in inches.
WIDTH, WIDEST = 4.6, 14.0


def plot_map(
    X: ArrayLike | Rankings,
    *,
    kernel: Kernel | None = None,
    groups: ArrayLike | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    n_jobs: SupportsIndex | None = None,
) -> Axes:
    """Map of rankings: similar rankings are close, and the arrow of an item points to rankings that prefer the item.

    Each ranking is a point. The coordinates of the points are the first two components of a kernel principal component
    analysis. If `X` has counts, each row has its count as weight, and is one point. If a ranking occurs in several
    groups, the points of the groups are drawn beside each other.

    The arrow of an item shows how its rank changes over the map: rankings in the direction of the arrow have the item
    near the top. A long arrow means that the map explains the ranks of the item well. Names are at the tips of the
    arrows. If names would hide each other, all names are at the two sides of the map, with dotted lines to the arrows.
    With more than 40 items, only the items with the 40 longest arrows are drawn.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        At least two rankings. Arrows have the names of the items, or their numbers from 0.
    kernel : Kernel, optional
        As for `gram_matrix`.
    groups : array-like of shape (m,), optional
        A label for each ranking. Each label has its own colour, and a legend shows the labels. If `groups` is a series
        with a name, this name is the title of the legend; otherwise the title is "group". With more than ten labels,
        some labels have the same colour and different marks. Labels that are ordered categories keep their order.
    ax, title
        As for `plot_weights`. A new figure is large enough for the names.
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
    # Equal rankings are one place: with few items, even a survey of many people has few places.
    first, place_of = merged(rankings)
    people = counts_of(place_of, len(first), observed(rankings)).astype(np.float64)
    check_fits(len(first), len(first), np.dtype(np.float64), ADVICE)
    distinct = rankings[first]
    places, shares = components(gram_of(distinct, None, chosen, run), people)
    points = places[place_of]
    ranks = expected_ranks(distinct)
    ranks[np.isnan(ranks)] = (rankings.n_items + 1) / 2  # an item can have any rank
    new = ax is None
    ax = axes_or_new(ax)
    # Many points are light and small: the arrows stay visible, and dark places have many rankings.
    style: dict[str, Any] = {"alpha": float(np.clip(9 / np.sqrt(rows), 0.2, 0.7)), "linestyle": "none"}
    style |= {"markersize": 5 if rows <= 300 else 4, "markeredgewidth": 0}
    aside = _aside(ax, [place_of[some] for some in numbers.values()])
    for place, (label, some) in enumerate(numbers.items()):
        mark = MARKS[place // 10 % len(MARKS)]
        name = None if label is None else written(label, 24)
        ax.plot(points[some, 0], points[some, 1], mark, label=name, transform=aside[place], **style)
    ax.update_datalim(points)
    arrows = directions(places, ranks, people)
    longest = np.linalg.norm(arrows, axis=1)
    ends = arrows * (REACH * (float(np.abs(points).max(initial=0.0)) or 1.0) / (float(longest.max(initial=0.0)) or 1.0))
    drawn = np.sort(np.argsort(-longest, kind="stable")[:MAX_ITEMS])
    names = [str((rankings.items or range(rankings.n_items))[item]) for item in drawn]
    ax.set(xlabel=f"first component ({shares[0]:.0%})", ylabel=f"second component ({shares[1]:.0%})")
    ax.set_aspect("equal", adjustable="datalim")
    legend = None
    if groups is not None:
        legend = _legend(ax, getattr(groups, "name", None), len(numbers))
    title_axes(ax, title)
    _draw_items(ax, ends[drawn], names, legend, new)
    return ax


def _legend(ax: Axes, name: object, count: int) -> Any:
    """Draw a legend of groups in the corner; `_space` returns the size of the axes without this legend."""
    size = "medium" if count <= FEW_GROUPS else "x-small"
    tall = ax.get_window_extent().height * 72 / ax.figure.dpi
    columns = int(np.ceil((count + 1) / max(1, tall // (11 if count > FEW_GROUPS else 16))))
    title = written(name, 24) if isinstance(name, str) and name else "group"
    how: dict[str, Any] = {"fontsize": size, "title_fontsize": size, "ncols": columns, "columnspacing": 0.8}
    how |= {"handletextpad": 0.2, "labelspacing": 0.35}
    legend = ax.legend(loc="upper right", frameon=False, title=title, **how)
    handles: Any = legend.legend_handles
    for handle in handles:
        handle.set(alpha=1.0, markersize=5)
    return legend


def _aside(ax: Axes, groups: Sequence[NDArray[np.intp]]) -> list[Any]:
    """Return where to draw the points of each group: beside each other if groups share places, which would hide groups."""
    from matplotlib.transforms import ScaledTranslation

    if np.bincount(np.concatenate([np.unique(group) for group in groups])).max() < 2:
        return [ax.transData] * len(groups)
    angles = np.pi + 2 * np.pi * np.arange(len(groups)) / len(groups)
    radius = min(ASIDE / np.sin(np.pi / max(2, len(groups))), 3 * ASIDE) / 72
    moves = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return [ax.transData + ScaledTranslation(x, y, ax.figure.dpi_scale_trans) for x, y in moves]


def components(gram: Array, people: Array) -> tuple[Array, Array]:
    """Return the first two principal components of points with inner products `gram`, and their shares of variance.

    Each point stands for a number of people.
    """
    share = people / people.sum()
    centred = gram - share @ gram
    centred -= (centred @ share)[:, np.newaxis]
    total = float(people @ centred.diagonal()) or 1.0
    root = np.sqrt(people)
    values, vectors = _leading(centred * root * root[:, np.newaxis])
    values = np.maximum(values, 0)
    points = centred @ (root[:, np.newaxis] * vectors) / np.where(values > 0, np.sqrt(values), 1)
    # The sign of a component is arbitrary: make its largest entry positive.
    points *= np.where(points[np.abs(points).argmax(axis=0), [0, 1]] < 0, -1, 1)
    return points, values / total


def _leading(matrix: Array) -> tuple[Array, Array]:
    """Return the two largest eigenvalues of a symmetric matrix and their eigenvectors, the largest first."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackError, eigsh

    size = len(matrix)
    if size == 1:
        return np.zeros(2), np.zeros((1, 2))
    if size >= FEW_PLACES:
        # A few products with vectors, instead of a number of steps that grows with the cube of the size.
        with contextlib.suppress(ArpackError):  # such as a matrix of zeros
            values, vectors = eigsh(matrix, k=2, which="LA", v0=np.random.default_rng(0).standard_normal(size))
            return values[::-1], vectors[:, ::-1]
    values, vectors = eigh(matrix, subset_by_index=(size - 2, size - 1))
    return values[::-1], vectors[:, ::-1]


def directions(points: Array, ranks: Array, people: Array) -> Array:
    """Return, for each item, the correlations of minus its rank with the two coordinates of the points."""
    share = people / people.sum()
    points, ranks = points - share @ points, ranks - share @ ranks
    spread, scale = np.sqrt(share @ points**2), np.sqrt(share @ ranks**2)
    points, ranks = points / np.where(spread > 0, spread, 1), ranks / np.where(scale > 0, scale, 1)
    return np.asarray(-(share * ranks.T) @ points)


def _draw_items(ax: Axes, ends: Array, names: Sequence[str], legend: Any, new: bool) -> None:
    """Draw arrows and names; the names are at the tips if they do not hide each other, otherwise in columns at both sides."""
    ax.update_datalim(ends)
    for end in ends:
        ax.annotate("", end, (0, 0), arrowprops={"arrowstyle": "->", "color": "0.2", "shrinkA": 0, "shrinkB": 0})
    texts = []
    for end, name in zip(ends, names, strict=True):
        text = ax.annotate(
            written(name), end, (0, 0), textcoords="offset points", fontsize="small", va="center",
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7},
        )  # fmt: skip
        text.set_in_layout(False)  # the limits make room for it
        texts.append(text)
    use_fonts(texts)
    if not _at_tips(ax, texts, ends, legend):
        _in_columns(ax, texts, ends, names, legend, new)


def _boxes(texts: Sequence[Any]) -> Array:
    """Return the left, lower, right and upper ends of texts, in pixels."""
    boxes = [text.get_bbox_patch().get_window_extent() for text in texts]
    return np.array([(box.x0, box.y0, box.x1, box.y1) for box in boxes]).reshape(-1, 4)


def _space(ax: Axes, legend: Any) -> Array:
    """Return the width and height of the axes without the legend, in pixels, once the figure is laid out."""
    ax.figure.canvas.figure.draw_without_rendering()
    size = np.array(ax.bbox.size)
    if legend is not None:
        size[0] = max(size[0] - legend.get_window_extent().width - APART * ax.figure.dpi / 72, 0.25 * size[0])
    return size


def _set_limits(ax: Axes, middle: Array, scale: float, space: Array) -> None:
    """Set limits so that `middle` is in the middle of the space beside the legend; `scale`: units for each pixel."""
    low, high = middle - scale * space / 2, middle - scale * space / 2 + scale * np.array(ax.bbox.size)
    # Still automatic: matplotlib warns when it adapts fixed limits to the shape of the axes.
    ax.set_xlim(low[0], high[0], auto=None)
    ax.set_ylim(low[1], high[1], auto=None)


def _at_tips(ax: Axes, texts: Sequence[Any], ends: Array, legend: Any) -> bool:
    """Write names at the tips of arrows and set the limits; return whether no name is too long or hides anything.

    Names have a size in pixels, so the limits depend on the size of the axes. The size of the axes depends on the
    labels of the ticks, and these labels depend on the limits. A few passes are enough to find limits, size and labels.
    """
    low, high = np.array(ax.dataLim.min), np.array(ax.dataLim.max)
    for text, (x, y) in zip(texts, ends, strict=True):
        away = NEAR * np.array([x, y]) / (np.hypot(x, y) or 1.0)
        text.set(position=tuple(away), ha="left" if x > 0 else "right")
    fits = True
    for _ in range(PASSES):
        space = _space(ax, legend)
        pixels, boxes = ax.transData.transform(ends), _boxes(texts)
        # What the names need before and behind the tips, at any scale.
        before, behind = pixels - boxes[:, :2], boxes[:, 2:] - pixels
        fits = bool((np.maximum(before, behind) <= 0.4 * space).all())
        before, behind = np.minimum(before, 0.4 * space), np.minimum(behind, 0.4 * space)
        scale, wider = 0.0, float(((high - low) / space).max()) or 1.0
        while wider > 1.0001 * scale:
            scale = wider
            first = np.minimum(low, (ends - scale * before).min(axis=0, initial=np.inf))
            last = np.maximum(high, (ends + scale * behind).max(axis=0, initial=-np.inf))
            wider = float(((last - first) / space).max())
        _set_limits(ax, (first + last) / 2, (1 + MARGIN) * scale, space)
    if not fits:
        return False
    _space(ax, legend)
    boxes, tips = _boxes(texts), ax.transData.transform(ends)
    hidden: Any = (boxes[:, None, :2] < boxes[None, :, 2:]).all(axis=2) & (boxes[None, :, :2] < boxes[:, None, 2:]).all(
        axis=2
    )
    covered: Any = (boxes[:, None, :2] < tips).all(axis=2) & (tips < boxes[:, None, 2:]).all(axis=2)
    np.fill_diagonal(hidden, False)
    np.fill_diagonal(covered, False)
    return not (hidden | covered).any()


def _in_columns(ax: Axes, texts: Sequence[Any], ends: Array, names: Sequence[str], legend: Any, new: bool) -> None:
    """Write names in a column on each side of the map, with lines to their arrows, and set the limits."""
    from matplotlib.collections import LineCollection

    figure: Any = ax.figure
    count = len(texts)
    # Half of the names at most on each side, so that no column is longer than it must be.
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    lefts = int(np.clip((ends[:, 0] < 0).sum(), min(count // 3, 8), count - min(count // 3, 8)))
    sides = [order[:lefts], order[lefts:]]
    rows = max(len(side) for side in sides)
    pixel = figure.dpi / 72
    if new:
        space = _space(ax, legend)
        around = np.array(figure.get_size_inches()) - np.array(ax.bbox.size) / figure.dpi
        widths = [_width(texts, side) / figure.dpi for side in sides]
        wide = WIDTH + sum(widths) + (np.array(ax.bbox.size) - space)[0] / figure.dpi + 0.5
        tall = rows * LINE * LARGE / 72 + 0.2
        default = figure.get_size_inches()
        wanted = np.minimum(np.maximum(default, [wide + around[0], tall + around[1]]), [WIDEST, 100.0])
        figure.set_size_inches(*wanted)
    low, high = np.array(ax.dataLim.min), np.array(ax.dataLim.max)
    middle = (low + high) / 2
    size = 0.0
    for _ in range(PASSES):
        space = _space(ax, legend)
        size = float(np.clip((space[1] / pixel - 6) / (LINE * max(rows, 1)), 1.0, LARGE))
        most = 0.32 * space[0]
        for text, name in zip(texts, names, strict=True):
            text.set(fontsize=size, text=written(name))
        # Long names are first smaller, then shorter.
        size *= float(np.clip(most / max(1.0, *(_width(texts, side) for side in sides)), MIN_SIZE / LARGE, 1.0))
        for text in texts:
            text.set_fontsize(size)
        for side in sides:
            _shorten(texts, names, side, most)
        widths = [_width(texts, side) for side in sides]
        inner = np.array([space[0] - sum(widths) - (2 * APART + 6) * pixel, space[1] - 6 * pixel])
        inner = np.maximum(inner, 0.2 * space)
        scale = (1 + MARGIN) * float(((high - low) / inner).max()) or 1.0
        shift = np.array([(widths[1] - widths[0]) * scale / 2, 0.0])
        _set_limits(ax, middle + shift, scale, space)
    room = space[1] * scale / 2 - 3 * pixel * scale
    gap = LINE * size * pixel * scale
    leads: list[Any] = []
    for side, sign, align in zip(sides, (-1, 1), ("right", "left"), strict=True):
        x = middle[0] + sign * ((high - low)[0] * (1 + MARGIN) / 2 + APART * pixel * scale)
        ranked = side[np.argsort(ends[side, 1], kind="stable")]
        for item, y in zip(ranked, _spread(ends[ranked, 1], gap, middle[1] - room, middle[1] + room), strict=True):
            text = texts[item]
            text.set(position=(x, y), ha=align)
            text.anncoords = "data"
            leads.append([ends[item], (x, y)])
    ax.add_collection(LineCollection(leads, colors="0.5", linewidths=0.7, linestyles=":"), autolim=False)


def _width(texts: Sequence[Any], side: NDArray[np.intp]) -> float:
    """Return the width of the longest of some texts, in pixels."""
    return max((float(texts[item].get_window_extent().width) for item in side), default=0.0)


def _shorten(texts: Sequence[Any], names: Sequence[str], side: NDArray[np.intp], most: float) -> None:
    """Shorten names that are longer than `most` pixels."""
    for item in side:
        length = LONGEST
        while length > 4 and texts[item].get_window_extent().width > most:
            length = min(length - 1, int(len(texts[item].get_text()) * most / texts[item].get_window_extent().width))
            texts[item].set_text(written(names[item], max(length, 4)))


def _spread(wanted: Array, gap: float, low: float, high: float) -> Array:
    """Return places from low to high in the same order: close to the wanted places, and at least a gap apart."""
    from sklearn.isotonic import isotonic_regression

    steps = gap * np.arange(len(wanted))
    first, last = low + gap / 2, max(high - gap / 2 - gap * max(len(wanted) - 1, 0), low + gap / 2)
    return np.asarray(isotonic_regression(wanted - steps, y_min=first, y_max=last) + steps)
