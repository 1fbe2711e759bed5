"""One page about a set of rankings: the data, ranks with intervals, pairs, consensus, map, clusters and groups.

Each part of the page has a function. The function returns the HTML of the part, and a sentence for the summary. If a
part needs more rankings or items, it contains only a sentence that says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._html import document, html_figure, html_table
from wkendall.description import Description
from wkendall.estimators import KendallKMeans
from wkendall.estimators.cluster_number import cluster_number
from wkendall.plotting import plot_map, plot_rank_intervals, plot_ranks, plot_shares
from wkendall.rankings import Rankings
from wkendall.statistics.consensus import consensus
from wkendall.statistics.pair_differences import PairDifferences, pair_differences
from wkendall.statistics.rank_intervals import rank_intervals
from wkendall.statistics.samples import observed
from wkendall.statistics.two_samples import two_sample_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of a larger catalogue only the items that are listed most often are compared; a table of pairs shows the first ones.
MAX_ITEMS, FEW_ITEMS, SHOWN_PAIRS = 100, 30, 15
#: Of more groups, the largest are named; of more pairs of groups, those with the smallest p-values.
MAX_GROUPS, MAX_PAIRS = 12, 30
#: Of three groups or more, the largest ones are compared with all others; pairs and permutations for each of them.
GROUPS_WITH_PAIRS, PAIRS_OF_GROUP, GROUP_PERMUTATIONS = 6, 5, 1999
#: How items that are left out count.
_LEFT_OUT = {
    "bottom": "The order of the items and their places count an item that is left out as tied for the last ranks.",
    "anywhere": "The order of the items counts an item that is left out with its expected rank; their places do not count it.",
}
#: Rankings that a map shows, clusters that are tried, and the least number of people to look for clusters.
MAP_ROWS, MAX_CLUSTERS, FEW_PEOPLE = 1000, 6, 10


class Subject(NamedTuple):
    """The subject of a page: the rankings, their groups, weights and description, the seed, and the threads."""

    rankings: Rankings
    groups: NDArray[Any] | None
    described: Description
    #: The rankings, or those of the items that are listed most often.
    compared: Rankings
    seed: int
    n_jobs: int | None
    #: The weight of each ranking, if there are weights.
    weights: NDArray[np.float64] | None = None

    @property
    def frequency(self) -> NDArray[Any]:
        """The count or the weight of each ranking; the sum of the weights is the number of rankings."""
        return observed(self.compared) if self.weights is None else self.described._source.weights

    @property
    def people(self) -> int:
        """The number of rankings that were observed."""
        return self.described.n_rankings

    def name(self, item: Any) -> str:
        """Return the name of an item; an item without a name has a number from 1."""
        return str(item) if self.rankings.items is not None else f"item {int(item) + 1}"


class Part(NamedTuple):
    """A part of the page: its title, its text as HTML, and a sentence for the summary, as plain text."""

    title: str
    text: str
    summary: str = ""


def report_page(
    title: str,
    rankings: Rankings,
    groups: NDArray[Any] | None = None,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    tell: Callable[[int, int], None] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> str:
    """Return a page about rankings, with all pictures; `tell` is called with the numbers of finished parts and of all parts."""
    described = rankings.describe(groups, sample_weight=weights)
    subject = Subject(rankings, groups, described, _compared(rankings, described), seed, n_jobs, weights)
    parts = [_data, _ranks, _pairs, _consensus, _map, _clusters]
    if groups is not None:
        parts.append(_groups)
    found = []
    for number, part in enumerate(parts):
        if tell is not None:
            tell(number, len(parts))
        found.append(part(subject))
    if tell is not None:
        tell(len(parts), len(parts))
    summary = " ".join(part.summary for part in found if part.summary)
    texts = [f"<h2>{escape(part.title)}</h2>\n{part.text}" for part in found]
    note = _note(f"Made by wkendall {_core.__version__}, seed {seed}.")
    return document(title, "\n".join([f"<h1>{escape(title)}</h1>", f"<p>{escape(summary)}</p>", *texts, note]))


def _compared(rankings: Rankings, described: Description) -> Rankings:
    if rankings.n_items <= MAX_ITEMS:
        return rankings
    order = described.order
    return _only(rankings, order[np.sort(np.argsort(described.missing[order], kind="stable")[:FEW_ITEMS])].tolist())


def _data(subject: Subject) -> Part:
    rankings, described = subject.rankings, subject.described
    frequency = observed(rankings)
    listed = described._source.placed()
    short = int(frequency[listed < rankings.n_items].sum())
    tied = np.zeros(len(rankings), dtype=bool)
    for row, _, _, size in described._source.entries():
        tied[row[size > 1]] = True
    lines = [
        ("rankings", f"{subject.people:,}"),
        ("different rankings", f"{described.n_distinct:,}"),
        ("items", f"{rankings.n_items:,}"),
        ("rankings with ties", _of(int(frequency[tied].sum()), subject.people)),
        ("rankings that leave items out", _of(short, subject.people)),
    ]
    if subject.weights is not None:
        lines.append(("weights", f"{subject.weights.min():.4g} to {subject.weights.max():.4g}, in all parts below"))
    if subject.people > 1 and rankings.n_items > 1:
        lines.append(("Kendall's W", f"{described.kendall_w:.2f} (0: mean ranks are equal, 1: all rankings are equal)"))
    if subject.groups is not None and described.groups is not None:
        sizes = {str(label): group.n_rankings for label, group in described.groups.items()}
        many = len(sizes) > MAX_GROUPS
        largest = sorted(sizes, key=lambda label: -sizes[label])[:MAX_GROUPS] if many else sizes
        lines += [(f"group {label}", f"{sizes[label]:,}") for label in largest]
        others = [size for label, size in sizes.items() if label not in largest]
        if others:
            lines.append((f"{len(others)} smaller groups", f"{min(others):,} to {max(others):,} each"))
    said = f"{_many(subject.people, 'ranking')} of {_many(rankings.n_items, 'item')}."
    return Part("The data", html_table(("what", "number"), lines), said)


def _ranks(subject: Subject) -> Part:
    described, compared = subject.described, subject.compared
    kept = set(compared.items or range(compared.n_items))
    shown = [item for item in described.order if described.items[item] in kept]
    total = max(subject.people, 1)
    headings = ["item", "mean rank", "median", "first", "not ranked"]
    limits: dict[Any, str] = {}
    intervals = None
    if subject.people > 1 and compared.n_items > 1 and subject.weights is None:
        intervals = rank_intervals(compared, n_resamples=1999, rng=subject.seed)
        names = compared.items or range(compared.n_items)
        limits = {
            name: f"{low} to {high}" if low < high else str(low)
            for name, low, high in zip(names, intervals.low, intervals.high, strict=True)
        }
        headings.append("place, 95 % interval")
    lines = []
    for item in shown:
        name = described.items[item]
        line = [subject.name(name), _number(described.mean[item], 2), _number(described.median[item], 1)]
        line += [f"{count / total:.0%}" for count in (described.first[item], described.missing[item])]
        lines.append([*line, limits.get(name, "")] if intervals is not None else line)
    text, said = html_table(headings, lines), ""
    if described.missing.any():
        left_out = _LEFT_OUT["anywhere" if compared._missing == "anywhere" else "bottom"]
        text += _note(f"Mean rank and median are over the rankings that have the item. {left_out}")
    if compared is not subject.rankings:
        text += _note(
            f"Intervals, and all parts below, compare these {compared.n_items} of {subject.rankings.n_items:,} items: those "
            "that are listed most often, and of items that are listed equally often those with the best mean ranks."
        )
    if intervals is not None:
        apart = int(np.sum(intervals.separated))
        said = (
            f"By mean ranks, {apart} of {_many(compared.n_items - 1, 'pair')} of neighbouring places can be told apart."
        )
        text += (
            f"<p>{said} The intervals hold for all items at once: with a probability of 95 % each contains the place that the "
            "item would have if everybody were asked.</p>"
        )
    ranks = described if subject.rankings is compared else compared.describe(sample_weight=subject.weights)
    among = "" if subject.rankings is compared else f" among these {compared.n_items} items"
    text += _picture(lambda: plot_ranks(ranks), f"How often each item has each rank{among}. Dots are mean ranks.")
    if intervals is not None:
        caption = "Places by mean rank, with simultaneous 95 % intervals. Bars join items that cannot be told apart."
        text += _picture(lambda: plot_rank_intervals(intervals), caption)
    return Part("Ranks", text, said)


def _pairs(subject: Subject) -> Part:
    compared = subject.compared
    if compared.n_items < 2:
        return Part("Pairs of items", "<p>There is one item: nothing to compare.</p>")
    described = compared.describe(sample_weight=subject.weights)
    some = described.order[:FEW_ITEMS].tolist()
    fewer = len(some) < compared.n_items
    shown = _only(compared, some).describe(sample_weight=subject.weights) if fewer else described
    return Part(
        "Pairs of items",
        _picture(
            lambda: plot_shares(shown), "The share of rankings that have the item of the row before that of the column."
        ),
    )


def _consensus(subject: Subject) -> Part:
    compared = subject.compared
    if not subject.people:
        return Part("Consensus", "<p>There are no rankings.</p>")
    found = consensus(compared, sample_weight=subject.weights, rng=subject.seed, n_jobs=subject.n_jobs)
    text = f"<p><b>{escape(' > '.join(map(subject.name, found.items)))}</b></p>"
    pairs = compared.n_items * (compared.n_items - 1) / 2
    if pairs:
        text += (
            f"<p>This order agrees with the rankings on {found.score / pairs:.1%} of the pairs of items, the largest share of "
            "all orders (Kemeny's rule; ties count half). "
            if found.optimal
            else f"<p>This order agrees with the rankings on {found.score / pairs:.1%} of the pairs of items. No order agrees "
            f"on more than {found.bound / pairs:.1%}; whether a better one exists is not known. "
        )
        if found.optimal:
            proved = {True: "It is the only best order.", False: "Another order is as good.", None: ""}
            text += f"That it is the best is proved. {proved[found.unique]}"
        text += "</p>"
    first = [subject.name(item) for item in found.items[:3]]
    among = "" if compared is subject.rankings else f" of the {compared.n_items} items that are compared"
    return Part("Consensus", text, f"The consensus{among} begins with {', '.join(first)}.")


def _map(subject: Subject) -> Part:
    compared = subject.compared
    if len(compared) < 3 or compared.n_items < 2:
        return Part("Map", "<p>A map needs at least three rankings of two items.</p>")
    if compared.describe().n_distinct < 2:
        return Part("Map", "<p>All rankings are equal: there is nothing to map.</p>")
    shown, groups = compared, subject.groups
    if len(shown) > MAP_ROWS:
        frequency = subject.frequency.astype(np.float64)
        random = np.random.default_rng(subject.seed)
        some = min(MAP_ROWS, int(np.count_nonzero(frequency)))
        chosen = np.sort(random.choice(len(compared), some, replace=False, p=frequency / frequency.sum()))
        shown, groups = compared[chosen], None if groups is None else groups[chosen]
    if shown.n_items > FEW_ITEMS:
        shown = _only(shown, shown.describe().order[:FEW_ITEMS].tolist())
    caption = "Similar rankings are close. An arrow points to the rankings that put its item high."
    if len(shown) < len(compared):
        caption += f" {len(shown):,} of {len(compared):,} rankings, drawn at random."
    return Part("Map", _picture(lambda: plot_map(shown, groups=groups, n_jobs=subject.n_jobs), caption))


def _clusters(subject: Subject) -> Part:
    compared = subject.compared
    if subject.people < FEW_PEOPLE or compared.n_items < 2:
        return Part(
            "Clusters", f"<p>Clusters are looked for in {FEW_PEOPLE} rankings or more, of two items or more.</p>"
        )
    how: dict[str, Any] = {"max_clusters": MAX_CLUSTERS, "rng": subject.seed, "n_jobs": subject.n_jobs}
    number = cluster_number(compared, sample_weight=subject.weights, **how)
    if number.n_clusters == 1:
        said = "There seems to be one cluster: no groups of people with opinions of their own."
        return Part("Clusters", f"<p>{said}</p>", said)
    model = KendallKMeans(number.n_clusters, random_state=subject.seed, n_jobs=subject.n_jobs)
    model.fit(compared, sample_weight=subject.weights)
    sizes = np.bincount(model.labels_, subject.frequency, minlength=number.n_clusters)
    orders = model.consensus(rng=subject.seed).to_lists()
    lines = [
        (
            str(place + 1),
            _of(round(float(sizes[cluster])), subject.people),
            " > ".join(map(subject.name, orders[cluster][:10])),
        )
        for place, cluster in enumerate(np.argsort(-sizes, kind="stable"))
    ]
    said = f"There seem to be {number.n_clusters} clusters."
    text = f"<p>{said} (Up to {MAX_CLUSTERS} were tried.)</p>"
    return Part("Clusters", text + html_table(("cluster", "rankings", "consensus"), lines), said)


def _groups(subject: Subject) -> Part:
    groups, compared = subject.groups, subject.compared
    assert groups is not None
    labels, member = np.unique(groups, return_inverse=True)
    sizes = np.bincount(member, observed(compared))
    if len(labels) < 2 or sizes.min() < 2 or compared.n_items < 2:
        return Part("Groups", "<p>A test needs at least two groups, with at least two rankings of two items each.</p>")
    how: dict[str, Any] = {"sample_weight": subject.weights, "rng": subject.seed}
    result = two_sample_test(compared, groups=groups, n_jobs=subject.n_jobs, **how)
    said = "The groups differ" if result.pvalue <= 0.05 else "No difference between the groups can be shown"
    said += f" (p = {result.pvalue:.4g})."
    text = f"<p>{said} This is a permutation test of the maximum mean discrepancy.</p>"
    if len(labels) > 2 and result.pairwise_pvalues is not None:
        pvalues = result.pairwise_pvalues
        pairs = [(one, other) for one in range(len(labels)) for other in range(one + 1, len(labels))]
        if len(pairs) > MAX_PAIRS:
            pairs.sort(key=lambda pair: pvalues[pair])
            text += _note(f"The {MAX_PAIRS} smallest of {len(pairs):,} p-values of pairs of groups.")
        lines = [
            (str(labels[one]), str(labels[other]), f"{pvalues[one, other]:.4g}") for one, other in pairs[:MAX_PAIRS]
        ]
        text += html_table(("group", "other group", "p, adjusted (Holm)"), lines)
        text += _against_others(subject, [str(label) for label in labels], member, sizes)
    else:
        found = pair_differences(compared, groups, **how)
        shown = min(len(found.first), SHOWN_PAIRS)
        headings = ("pair", *map(str, found.groups), "difference in points, 95 %", "p, adjusted")
        text += html_table(headings, _differences(subject, found, shown))
        several = int((found.pvalue <= 0.05).sum())
        text += _note(
            f"The {shown} largest of {len(found.first)} differences; {several} have an adjusted p of at most 0.05. The "
            "intervals hold for all pairs at once."
        )
    return Part("Groups", text, said)


def _against_others(subject: Subject, labels: Sequence[str], member: NDArray[Any], sizes: NDArray[Any]) -> str:
    """Return a table of the pairs of items in which each of the largest groups differs from all other rankings."""
    largest = np.sort(np.argsort(-sizes, kind="stable")[:GROUPS_WITH_PAIRS]).tolist()
    how: dict[str, Any] = {"sample_weight": subject.weights, "rng": subject.seed}
    how |= {"confidence": 1 - 0.05 / len(largest), "n_permutations": GROUP_PERMUTATIONS}
    lines: list[tuple[str, ...]] = []
    for group in largest:
        found = pair_differences(subject.compared, member != group, **how)
        lines += [(labels[group], *line) for line in _differences(subject, found, PAIRS_OF_GROUP, len(largest))]
    headings = ("group", "pair", "in the group", "in the others", "difference in points, 95 %", "p, adjusted")
    which = "each group" if len(largest) == len(labels) else f"each of the {len(largest)} largest groups"
    return html_table(headings, lines) + _note(
        f"The {PAIRS_OF_GROUP} largest differences between {which} and all others. The intervals hold for all these groups and "
        "all pairs of items at once. For two of the groups: wkendall compare --pairs 15, with a file of two groups."
    )


def _differences(subject: Subject, found: PairDifferences, shown: int, tables: int = 1) -> list[tuple[str, ...]]:
    """Return the first lines of a table of differences; p-values are adjusted for the number of tables."""
    return [
        (
            f"{subject.name(found.first[pair])} before {subject.name(found.second[pair])}",
            *(f"{share:.0%}" for share in found.shares[pair]),
            f"{100 * found.low[pair]:+.0f} to {100 * found.high[pair]:+.0f}",
            f"{min(1, tables * found.pvalue[pair]):.4g}",
        )
        for pair in range(min(shown, len(found.first)))
    ]


def _only(rankings: Rankings, items: Sequence[int]) -> Rankings:
    """Return rankings of some items, by their numbers."""
    column = np.full(rankings.n_items, -1)
    column[items] = np.arange(len(items))
    places = np.full((len(rankings), len(items)), np.nan)
    for row, item, place, _ in rankings.describe()._source.entries():
        kept = column[item] >= 0
        places[row[kept], column[item[kept]]] = place[kept]
    names = [(rankings.items or range(rankings.n_items))[item] for item in items]
    missing: Any = "anywhere" if rankings._missing == "anywhere" else "bottom"
    return Rankings(-places, input="scores", ties="mean", missing=missing, items=names, counts=rankings.counts)


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _of(count: int, total: int) -> str:
    return f"{count:,} ({count / max(total, 1):.0%})"


def _picture(draw: Callable[[], Axes], caption: str) -> str:
    from matplotlib import pyplot as plt

    with warnings.catch_warnings():
        # The page has texts, for which the browser has letters.
        warnings.filterwarnings("ignore", "Glyph .* missing|no installed font")
        axes = draw()
    figure = axes.figure
    text = html_figure(figure, caption)  # type: ignore[arg-type]
    plt.close(figure)  # type: ignore[arg-type]
    return text
