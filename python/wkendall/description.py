"""A summary of rankings: ranks of items, how often one item is before another, and how much the rankings agree."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._arguments import Array, check_choice, data_frames
from wkendall._errors import bad_argument, short, shown
from wkendall._memory import check_fits

#: Items that a description shows of itself.
SHOWN_ITEMS = 20
#: Entries of rankings that are counted together: 100 MiB.
BLOCK = 1 << 22

Table = Literal["items", "ranks", "shares"]
Whole = NDArray[np.int64]


class Source(NamedTuple):
    """The data that are described: the parts of a `Rankings`, and the number of distinct rankings."""

    handle: _core.Rankings
    anywhere: bool
    listed: Whole | None
    counts: Whole | None
    items: tuple[Hashable, ...] | None
    distinct: int
    #: The weight of each ranking, with sum 1, in place of the counts.
    shares: Array | None = None

    @property
    def observed(self) -> int:
        """How many rankings were observed."""
        return self.handle.rows if self.counts is None else int(self.counts.sum())

    @property
    def weights(self) -> Array:
        """The count of each ranking, or its weight; the weights add up to the number of observed rankings."""
        if self.shares is not None:
            return self.shares * self.observed
        return np.ones(self.handle.rows) if self.counts is None else self.counts.astype(np.float64)

    def placed(self) -> Whole:
        """Return the number of items that each ranking lists."""
        rows, n = self.handle.rows, self.handle.items
        if self.listed is not None:
            return self.listed
        if self.anywhere and not self.handle.is_complete:
            return np.asarray((self.handle.ranks() < n).sum(axis=1))
        return np.full(rows, n)

    def places(self, rows: slice) -> Array:
        """Return the best rank of each item's block, for the rankings in `rows`; NaN for items that are not listed.

        A block is a set of tied items; an item that is not tied is a block of its own. Rankings that are stored as
        lists are not allowed.
        """
        handle = self.handle.select(np.arange(self.handle.rows)[rows])
        places = handle.ranks() + (not handle.is_complete)
        if self.listed is not None:
            return np.where(places == self.listed[rows, np.newaxis] + 1, np.nan, places)
        return np.where(places > handle.items, np.nan, places)

    def entries(self) -> Iterator[tuple[Whole, Whole, Whole, Whole]]:
        """Yield an entry for each listed item, in batches: row, item, best rank and size of its block of tied items."""
        rows, n = self.handle.rows, self.handle.items
        if not self.handle.is_lists:
            height = max(1, BLOCK // max(n, 1))
            for begin in range(0, rows, height):
                places = self.places(slice(begin, begin + height))
                row, item = np.nonzero(~np.isnan(places))
                start = places[row, item].astype(np.int64)
                sizes = np.ones_like(start)
                if not self.handle.is_complete:
                    block = row * n + start - 1
                    sizes = np.bincount(block, minlength=len(places) * n)[block]
                yield row + begin, item, start, sizes
            return
        bounds, item, start = self.handle.parts()
        lengths = np.diff(bounds)
        row = np.repeat(np.arange(rows), lengths)
        block = bounds[row] + start - 1
        yield row, item, start, np.bincount(block, minlength=len(item))[block]
        for last in np.flatnonzero(self.placed() > lengths):  # a last block that is listed but not stored
            rest = np.setdiff1d(np.arange(n), item[bounds[last] : bounds[last + 1]])
            same = np.ones_like(rest)
            yield last * same, rest, (lengths[last] + 1) * same, len(rest) * same

    def pairs(self, chosen: Whole) -> tuple[Array, Array, Array]:
        """Return three sums over rankings, for the chosen items.

        For each pair of items, the first sum counts the rankings that have the first item before the second; a tie
        counts half. The second sum counts the rankings that list both items. The third sum has one entry for each item:
        the number of rankings that list this item.
        """
        return self._pairs_of_lists(chosen) if self.handle.is_lists else self._pairs_of_places(chosen)

    def _pairs_of_places(self, chosen: Whole) -> tuple[Array, Array, Array]:
        n, weights, handle = len(chosen), self.weights, self.handle
        listed = np.full(n, weights.sum())
        both = np.full((n, n), weights.sum())
        if not handle.is_complete or self.listed is not None or n < handle.items:
            places = np.ascontiguousarray(self.places(slice(None))[:, chosen])
            handle = _core.Rankings(places, ties="mean", missing="bottom")
            known = (~np.isnan(places)).astype(np.float64)
            if not known.all():
                listed, both = weights @ known, known.T @ (weights[:, np.newaxis] * known)
            chosen = np.arange(n)
        # The effect of a pair is how much more often one item is before the other, here also if the other is not listed.
        standard = _core.Measure("kendall", n, {"weight": "standard"})
        first, second, effect = _core.largest_effects(standard, handle, weights, n * (n - 1) // 2)
        more = np.zeros((n, n))
        more[first, second], more[second, first] = effect, -effect
        more = more[np.ix_(chosen, chosen)]
        return (both + more - listed[:, np.newaxis] + listed) / 2, both, listed

    def _pairs_of_lists(self, chosen: Whole) -> tuple[Array, Array, Array]:
        n, place = len(chosen), np.full(self.handle.items, -1)
        place[chosen] = np.arange(n)
        row, item, start = (np.concatenate(parts) for parts in list(zip(*self.entries(), strict=True))[:3])
        kept = np.flatnonzero(place[item] >= 0)
        kept = kept[np.lexsort((start[kept], row[kept]))]
        row, item, start, weights = row[kept], place[item[kept]], start[kept], self.weights[row[kept]]
        before, both = np.zeros((2, n, n))
        listed: Array = np.asarray(np.bincount(item, weights, n), dtype=np.float64)
        np.fill_diagonal(both, listed)
        for apart in range(1, len(row)):  # pairs that are so many entries apart in the same list
            same = np.flatnonzero(row[apart:] == row[:-apart])
            if not len(same):
                break
            one, two, weight = item[same], item[same + apart], weights[same]
            tied = np.where(start[same] == start[same + apart], weight / 2, 0.0)
            np.add.at(before, (one, two), weight - tied)
            np.add.at(before, (two, one), tied)
            np.add.at(both, (one, two), weight)
            np.add.at(both, (two, one), weight)
        return before, both, listed


class Description:
    """What `Rankings.describe` returns: ranks of items, how often one item is before another, and Kendall's W.

    Each array has one entry or one row for each item, in the order of `items`. A ranking with a count of c (see
    `counts` of `Rankings`) is counted c times. If `sample_weight` was passed to `Rankings.describe`, these weights are
    scaled so that their sum is the number of rankings. In the description of a group, the weights are scaled so that
    their sum is the number of rankings of the group. With weights, numbers such as `first` are sums of weights, not
    counts. Tied items have the mean of the ranks that they share. If two items are tied for the first place, each of
    them is counted as first with 1/2.

    Attributes
    ----------
    items : list
        The names of the items, or their numbers from 0.
    n_rankings, n_distinct : int
        How many rankings were observed, and how many different rankings are among them.
    mean, median : ndarray of shape (n,)
        The mean and the median of the ranks of each item, over the rankings that list the item. If no ranking lists the
        item, both numbers are NaN. If some items of a ranking have an unknown position (`missing="anywhere"`), the
        other items of this ranking are ranked among themselves.
    first : ndarray of shape (n,)
        How often each item is first.
    missing : ndarray of shape (n,)
        How often each item is not listed or has an unknown position.
    kendall_w : float
        Kendall's coefficient of concordance W, corrected for ties. W is 0 if all items have the same mean rank, and 1
        if all rankings are equal. For ranks r of n items, let S(r) be the sum of `(r[i] - (n + 1) / 2) ** 2` over all
        items i. W is S of the mean ranks, divided by the mean of S over all rankings. Items that are not listed share
        the last ranks. With `missing="anywhere"`, the rank of an item in a ranking is a mean: its mean rank in all
        complete rankings that agree with this ranking (see `Rankings`). W is 0 if all items are tied in all rankings,
        and NaN if there are no rankings.
    kendall_w_pvalue : float
        The p-value of `kendall_w` for the hypothesis that all rankings are random (Friedman's test). For m rankings,
        `m (n - 1) W` is compared with the chi-squared distribution with n - 1 degrees of freedom. This approximation is
        good for about 10 rankings or more. The p-value is NaN with `sample_weight`, with items of unknown position
        (`missing="anywhere"`), with fewer than two items, and without rankings.
    order : ndarray of shape (n,)
        The item numbers (from 0), sorted by mean rank, the smallest mean rank first. This is Borda's order. The ranks
        are computed as for `kendall_w`.
    ranks : ndarray of shape (n, r)
        How often each item has each rank, from rank 1 to the last rank that occurs. An item that shares two ranks is
        counted with 1/2 for each of these ranks. This array is computed when it is first used.
    shares : ndarray of shape (n, n)
        Entry [i, j] is the share of the rankings that have item i before item j. A ranking that ties the two items
        counts half. An item that is not listed (`missing="bottom"`) is after every listed item. Rankings that list
        neither of the two items are left out. With `missing="anywhere"`, rankings that list only one of the two items
        are also left out. The diagonal is 1/2. A share is NaN if no ranking is left. This array is computed when it is
        first used. `shares_of` computes the shares of some items only.
    groups : dict of Description, or None
        If `by` was passed to `Rankings.describe`: the description of each group. The keys are the labels of the groups.

    Examples
    --------
    >>> import wkendall
    >>> votes = wkendall.Rankings([[1, 2, 3], [2, 1, 3], [3, 1, 2]], items=["apple", "pear", "plum"], counts=[5, 3, 2])
    >>> found = votes.describe()
    >>> found
    10 rankings of 3 items, 3 distinct, Kendall's W 0.33
      item   mean  median  first  missing
      pear    1.5     1.5    50%       0%
      apple   1.7     1.5    50%       0%
      plum    2.8     3.0     0%       0%
    >>> found.shares[0, 1]  # apple before pear
    0.5
    >>> found.ranks[0]  # how often apple is first, second and third
    array([5., 3., 2.])
    """

    __module__ = "wkendall"

    def __init__(self, source: Source, groups: dict[Any, Description] | None = None) -> None:
        self._source = source
        n, weights = source.handle.items, source.weights
        self.items = list(range(n) if source.items is None else source.items)
        self.groups, self.n_distinct, self.n_rankings = groups, source.distinct, source.observed
        placed = source.placed()
        # Expected ranks around the middle: of an item that is not listed, and the factor of the ranks of listed ones.
        middle = (n + 1) / 2
        last = np.zeros(len(weights)) if source.anywhere else placed / 2
        scale = (n + 1) / (placed + 1) if source.anywhere else np.ones(len(weights))
        listed, sums, self.first, around = np.zeros((4, n))
        squares = float(weights @ ((n - placed) * last**2))
        table: list[tuple[Whole, Array]] = []
        for row, item, start, size in source.entries():
            weight, twice = weights[row], 2 * start + size - 1
            listed += np.bincount(item, weight, n)
            sums += np.bincount(item, weight * twice, n) / 2
            self.first += np.bincount(item, np.where(start == 1, weight / size, 0.0), n)
            apart = scale[row] * twice / 2 - middle
            around += np.bincount(item, weight * (apart - last[row]), n)
            squares += float(weight @ apart**2)
            table.append(_merged(item * (2 * n + 2) + twice, weight, n * (2 * n + 2)))
        around += weights @ last
        left_out = self.n_rankings - listed
        # Weights are not whole, and their sums have rounding errors.
        rounding = 1e-12 * max(self.n_rankings, 1)
        self.missing: NDArray[Any] = (
            left_out.round().astype(np.int64) if source.shares is None else np.where(left_out > rounding, left_out, 0.0)
        )
        self.mean = np.divide(sums, listed, out=np.full(n, np.nan), where=listed > 0)
        self.median = _medians(table, listed, n)
        self.order: NDArray[np.intp] = np.argsort(around, kind="stable")
        agreement = float(around @ around)
        self.kendall_w = agreement / (self.n_rankings * squares) if squares else 0.0 if self.n_rankings else np.nan

    @property
    def kendall_w_pvalue(self) -> float:
        """The p-value of Kendall's W, from Friedman's test: `m (n - 1) W` is compared with a chi-squared distribution.

        m is the number of rankings, and the distribution has n - 1 degrees of freedom. The p-value is NaN with
        `sample_weight`, with items of unknown position (`missing="anywhere"`), with fewer than two items, and without
        rankings.
        """
        source, degrees = self._source, len(self.items) - 1
        unknown = source.anywhere and bool((source.placed() <= degrees).any())
        if source.shares is not None or unknown or degrees < 1:
            return np.nan
        from scipy.special import chdtrc

        return float(chdtrc(degrees, self.n_rankings * degrees * self.kendall_w))

    @cached_property
    def ranks(self) -> Array:
        """How often each item has each rank."""
        source, n = self._source, self._source.handle.items
        parts = list(source.entries())
        depth = max((int((start + size).max(initial=1)) - 1 for _, _, start, size in parts), default=0)
        check_fits(n, depth + 1, np.dtype(np.float64), "leave out the items that few rankings list")
        # Items without ties are counted apart, so that their counts are whole.
        found, changes = np.zeros(n * depth), np.zeros(n * (depth + 1))
        for row, item, start, size in parts:
            weight, tied = source.weights[row], size > 1
            found += np.bincount((item * depth + start - 1)[~tied], weight[~tied], n * depth)
            if tied.any():
                share, place = (weight / size)[tied], (item * (depth + 1) + start - 1)[tied]
                changes += np.bincount(place, share, len(changes))
                changes -= np.bincount(place + size[tied], share, len(changes))
        spread = changes.reshape(n, depth + 1).cumsum(axis=1)[:, :depth]
        return np.asarray(found.reshape(n, depth) + np.maximum(spread, 0))

    @cached_property
    def shares(self) -> Array:
        """The share of the rankings that have one item before another item."""
        n = self._source.handle.items
        check_fits(
            6 * n,
            n,
            np.dtype(np.float64),
            shape=f"{n} x {n}, with its parts,",
            advice="shares_of(items) gives those of some items",
        )
        return self._shares(np.arange(n))

    def shares_of(self, items: Iterable[Hashable]) -> Array:
        """Return the matrix `shares` for some items: how often the item of a row comes before the item of a column.

        Pass the names of the items, or their numbers from 0 if they have no names.

        Examples
        --------
        >>> import wkendall
        >>> lists = wkendall.from_lists([["tea", "milk"], ["milk"], ["beer", "tea"]])
        >>> lists.describe().shares_of(["tea", "milk"])
        array([[0.5       , 0.66666667],
               [0.33333333, 0.5       ]])
        """
        places = {name: place for place, name in enumerate(self.items)}
        chosen: dict[Hashable, int] = {}
        for item in items:
            if item not in places or item in chosen:
                what = " twice" if item in chosen else ", but no item has this name"
                raise bad_argument("items", f" has {shown(item)}{what}", value=item)
            chosen[item] = places[item]
        return self._shares(np.array([*chosen.values()], dtype=np.int64))

    def _shares(self, chosen: Whole) -> Array:
        n = len(chosen)
        found = np.full((n, n), np.nan)
        if self._source.handle.rows and n:
            before, pairs, listed = self._source.pairs(chosen)
            if not self._source.anywhere:  # a listed item is before one that is not
                before, pairs = before + listed[:, np.newaxis] - pairs, listed[:, np.newaxis] + listed - pairs
            np.divide(before, pairs, out=found, where=pairs > 0)
        np.fill_diagonal(found, 0.5)
        return found

    def to_frame(self, table: Table = "items") -> Any:
        """Return a pandas data frame with one row for each item; if there are groups, each group has its own columns.

        Parameters
        ----------
        table : {"items", "ranks", "shares"}
            "items": the columns mean, median, first and missing. "ranks": a column for each rank, as in the attribute
            `ranks`. "shares": a column for each item, as in the attribute `shares`.

        Examples
        --------
        >>> import wkendall
        >>> votes = wkendall.Rankings([[1, 2], [1, 2], [2, 1]], items=["tea", "milk"])
        >>> votes.describe(by=["old", "old", "young"]).to_frame()["young"]
              mean  median  first  missing
        tea    2.0     2.0    0.0        0
        milk   1.0     1.0    1.0        0
        """
        check_choice(table, "table", get_args(Table))
        pd = data_frames()
        if self.groups is not None:
            return pd.concat({label: group.to_frame(table) for label, group in self.groups.items()}, axis=1)
        if table == "items":
            return pd.DataFrame({name: getattr(self, name) for name in COLUMNS}, index=self.items)
        values = self.ranks if table == "ranks" else self.shares
        columns = self.items if table == "shares" else range(1, values.shape[1] + 1)
        return pd.DataFrame(values, index=self.items, columns=columns)

    def __repr__(self) -> str:
        title, header, rows, rest = self._table()
        cells = [header, *rows]
        widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
        lines = [
            "  " + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in cells
        ]
        return "\n".join([*title, *lines, *([f"  {rest}"] if rest else [])])

    def _repr_html_(self) -> str:
        from html import escape

        title, header, rows, rest = self._table()
        head = "".join(f"<th>{escape(name)}</th>" for name in header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<div>{'<br>'.join(map(escape, title))}{table}{escape(rest)}</div>"

    def _table(self) -> tuple[list[str], list[str], list[list[str]], str]:
        """Return the lines above a table of the first items, its header, its rows, and the line below it."""
        shown_items = self.order[:SHOWN_ITEMS].tolist()
        more = len(self.items) - len(shown_items)
        rest = f"... and {more:,} more" if more else ""
        names = [short(str(self.items[item]), 40) for item in shown_items]
        if self.groups is not None:
            title = [self._summary(), *(f"{label}: {group._summary()}" for label, group in self.groups.items())]
            parts = [self, *self.groups.values()]
            rows = [
                [name, *(_number(part.mean[item], 2) for part in parts)]
                for name, item in zip(names, shown_items, strict=True)
            ]
            return title, ["mean rank", "all", *(short(str(label), 20) for label in self.groups)], rows, rest
        observed = max(self.n_rankings, 1)
        rows = [
            [name, _number(self.mean[item], 2), _number(self.median[item], 1)]
            + [f"{100 * count[item] / observed:.3g}%" for count in (self.first, self.missing)]
            for name, item in zip(names, shown_items, strict=True)
        ]
        return [self._summary()], ["item", *COLUMNS], rows, rest

    def _summary(self) -> str:
        m, n = self.n_rankings, len(self.items)
        parts = [f"{m:,} ranking{'' if m == 1 else 's'} of {n:,} item{'' if n == 1 else 's'}"]
        parts.append(f"{self.n_distinct:,} distinct")
        return ", ".join(parts) + ("" if np.isnan(self.kendall_w) else f", Kendall's W {self.kendall_w:.2f}")


#: Columns of the table of items.
COLUMNS = ("mean", "median", "first", "missing")


def _number(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"


def _merged(keys: Whole, weights: Array, size: int) -> tuple[Whole, Array]:
    """Return the distinct keys in increasing order, and the total weight of each; all keys are below `size`."""
    if len(keys) > size:
        total: Any = np.bincount(keys, weights, size)
        return np.flatnonzero(total), total[total > 0]
    found, member = np.unique(keys, return_inverse=True)
    total = np.bincount(member.reshape(-1), weights, len(found))
    return found[total > 0], total[total > 0]


def _medians(table: Sequence[tuple[Whole, Array]], listed: Array, n: int) -> Array:
    """Return the median of the ranks of each item.

    `table` contains keys and their weights. The key of an item with a rank is `item * (2 * n + 2) + 2 * rank`. `listed`
    is the total weight of the rankings that list the item.
    """
    found = np.full(n, np.nan)
    some = np.flatnonzero(listed > 0)
    if len(some):
        keys, weights = (np.concatenate(parts) for parts in zip(*table, strict=True))
        keys, weights = _merged(keys, weights, n * (2 * n + 2))
        reached = np.cumsum(weights)
        halves = np.cumsum(listed)[some] - listed[some] / 2
        # Sums of weights that are not whole have rounding errors.
        near = min(1e-12 * float(reached[-1]), 0.25)
        ends = [keys[np.minimum(np.searchsorted(reached, halves + apart), len(keys) - 1)] for apart in (-near, near)]
        found[some] = (ends[0] % (2 * n + 2) + ends[1] % (2 * n + 2)) / 4
    return found
