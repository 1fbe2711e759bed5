"""Simultaneous confidence intervals for the ranks of items that are sorted by mean scores or mean ranks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import Array, Random, as_order, check_flag, data_frames, generator, plain, row_labels
from wkendall._errors import RankingError, bad_argument, bad_entry, bad_type, located, shown
from wkendall._memory import check_fits
from wkendall._run import one_thread, progress_bar
from wkendall.arrays.convert import FEW_ROWS, acceptable, as_array
from wkendall.arrays.options import RANKS
from wkendall.rankings import Rankings, check_all_items_fit, item_names

#: More rows than this are added up in as many random parts, which then count as rows: a t-test with 500 rows needs 1% more
#: than one with any number of rows to tell two items of 181 apart.
MAX_ROWS = 500
#: Up to this many observations are dealt to the parts one by one.
DEALT = 10**7
#: Resamples that are computed together: the sums of 181 items then stay in the cache.
BATCH = 2048
#: Differences of scores below this, relative to the largest scores of both items, are rounding.
ROUNDING = 2.0**-45
#: Two statistics are equal if they differ by less than this fraction: they are computed in single precision.
EQUAL = 1e-5


class _Intervals(NamedTuple):
    rank: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    groups: list[list[Any]]
    separated: NDArray[np.bool_]


class RankIntervals(_Intervals):
    """What `rank_intervals` returns: a tuple of the first five attributes, with more attributes.

    Attributes
    ----------
    rank : ndarray of shape (n,)
        The rank of each item; 1 is the best. Items with equal estimates have the same rank: the best of the ranks that
        they share.
    low, high : ndarray of shape (n,)
        The ends of the interval for the rank of each item. With probability `confidence`, all intervals contain the
        true ranks.
    groups : list of lists
        Sets of items that cannot be told apart (see `rank_intervals`), in the order of their ranks. Each set is as
        large as possible. Any two items that cannot be told apart are together in at least one set. Sets can overlap.
        Usually a set contains neighbours in the ranking, but it can leave out an item between two of its items. The
        sets contain the names of the items, or their numbers from 0.
    separated : ndarray of shape (n - 1,)
        For each item in the order of the ranks, except the last item: whether it can be told apart from the next item.
    items : list
        The names of the items, or their numbers from 0.
    estimate : ndarray of shape (n,)
        The numbers by which the items are sorted: mean scores (larger is better) or mean ranks (smaller is better). If
        results are missing, they are the effects of the items (see the notes of `rank_intervals`).
    apart : ndarray of shape (n, n)
        Entry [i, j] says whether the items i and j can be told apart.
    confidence : float
        The parameter `confidence` of `rank_intervals`.

    Examples
    --------
    >>> import wkendall
    >>> found = wkendall.rank_intervals([[9, 8, 5]] * 8 + [[8, 9, 5]] * 8, rng=0)
    >>> found.groups, found.separated
    ([[0, 1], [2]], array([False,  True]))
    """

    items: list[Any]
    estimate: Array
    apart: NDArray[np.bool_]
    confidence: float

    def __new__(cls, *fields: Any, **more: Any) -> Self:
        """Make a result; `more` has the other attributes."""
        made = super().__new__(cls, *fields)
        vars(made).update(more)
        return made

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row for each item, the best item first.

        Examples
        --------
        >>> import wkendall
        >>> wkendall.rank_intervals([[1, 2, 4]] * 8 + [[1, 4, 2]] * 8, rng=0).to_frame()
           estimate  rank  low  high
        1       3.0     1    1     2
        2       3.0     1    1     2
        0       1.0     3    3     3
        """
        columns = {name: getattr(self, name) for name in ("estimate", "rank", "low", "high")}
        return data_frames().DataFrame(columns, index=self.items).sort_values("rank", kind="stable")


def rank_intervals(
    scores_or_rankings: ArrayLike | Rankings,
    *,
    confidence: float = 0.95,
    n_resamples: SupportsIndex = 9999,
    rng: Random = None,
    progress: bool = False,
) -> RankIntervals:
    """Rank items by their mean scores or mean ranks, with simultaneous confidence intervals for the ranks.

    The rows of the data are a sample from all possible tasks, judges or people. The true rank of an item is its rank by
    the mean over all possible rows, not only over the observed rows. With probability `confidence`, the intervals of
    all items contain the true ranks. If several items have equal true means, the interval of each of them contains all
    ranks that they share. Two items "can be told apart" if the test that the notes describe finds a difference between
    their true means.

    Parameters
    ----------
    scores_or_rankings : array-like of shape (m, n), data frame or Rankings
        An array or data frame contains scores. Rows are tasks, judges or samples, and columns are items. A larger score
        is better, and NaN is a missing result. Items are sorted by their mean scores. If a `Rankings` is passed, items
        are sorted by their mean ranks. For an array of ranks, pass `Rankings(ranks)`. There is a warning if at least
        5 rows are passed as scores and every row is a permutation of 1..n. To rank the items by score within each row,
        and to sort by the means of these ranks, pass `Rankings(scores, input="scores", ties="mean")`.
    confidence : float
        The probability that all intervals contain the true ranks; between 0 and 1.
    n_resamples : int
        The number of resamples for the test (see the notes), at least 1. If there are few rows (at most 14 with the
        default), all possible resamples are used instead.
    rng, progress
        As for `two_sample_test`.

    Returns
    -------
    RankIntervals

    Notes
    -----
    The test compares every two items in the rows that have results of both items. A row gives the difference d of the
    two results. The statistic of the pair is `|sum of d| / sqrt(sum of d^2)`, which increases with the absolute value
    of Student's t. A resample draws a random sign, 1 or -1, for each row, and multiplies all differences of the row by
    this sign. For each resample, the largest statistic of all pairs is computed. The limit of the test is the
    `confidence` quantile of these largest statistics. Two items are told apart if their statistic in the data is above
    the limit. If the differences of equally good items have a symmetric distribution, the confidence is correct for any
    number of rows. For other distributions, the confidence is approximately correct if there are many rows.

    Suppose that k items are better than item i and can be told apart from item i. The interval of item i then begins at
    rank `k + 1`. If w of the n items are worse than item i and can be told apart from it, the interval ends at rank
    `n - w`. The method is from Mogstad, Romano, Shaikh and Wilhelm (Review of Economic Studies 91, 2024).

    If results are missing, a least-squares fit writes each score as an effect of the row plus an effect of the item.
    Items are sorted by the effects of the items, so a missing result for a difficult task is no advantage. Without
    missing results, this order is the order of the means. An item without any result has the last rank.

    In a `Rankings`, tied items have the mean of the ranks that they share. Items that are not listed are tied after the
    listed items. Items of unknown position count as missing results. A row with a count of c is used as c rows.

    Examples
    --------
    >>> import numpy as np
    >>> import wkendall
    >>> scores = np.random.default_rng(0).normal([0.9, 0.5, 0.5, 0.1], 0.2, size=(30, 4))
    >>> found = wkendall.rank_intervals(scores, rng=0)
    >>> found.rank, found.low, found.high
    (array([1, 3, 2, 4]), array([1, 2, 2, 4]), array([1, 3, 3, 4]))
    """
    level, number, random = _checked_confidence(confidence), as_order(n_resamples, "n_resamples"), generator(rng)
    check_flag(progress, "progress")
    values, counts, names = _read(scores_or_rankings)
    n = values.shape[1]
    check_fits(n, 3 * n, np.dtype(np.float64), "leave out items", shape=f"{n} x {n}")
    sign = -1.0 if isinstance(scores_or_rankings, Rankings) else 1.0
    estimate = _estimates(values, counts)
    with one_thread():
        apart = _better(Differences(sign * values, counts, random), level, number, random, progress)
    return _result(sign * estimate, apart, names, estimate=estimate, confidence=level)


def _checked_confidence(confidence: object) -> float:
    value = plain(confidence, "confidence")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise bad_type("confidence", f" must be a number between 0 and 1, not {shown(confidence)}")
    if not 0 < value < 1:
        raise bad_argument("confidence", f" is {shown(confidence)}, but must be between 0 and 1", value=value)
    return float(value)


def _read(given: ArrayLike | Rankings) -> tuple[Array, NDArray[np.int64] | None, Sequence[Any]]:
    """Return scores or ranks (NaN if missing), how often each row was observed, and the names of the items."""
    name = "scores_or_rankings"
    if isinstance(given, Rankings):
        values, counts, names = expected_ranks(given), given._counts, given._items
    else:
        names, counts = item_names(given, "columns", RANKS, name), None
        try:
            array = as_array(given, name, 2)
            solved = array.dtype == bool  # tasks that are solved or not
            values = np.asarray(array if solved else acceptable(array, name), dtype=np.float64)
            for row, column in np.argwhere(np.isinf(values))[:1].tolist():
                what = f" is {values[row, column]}: scores must be finite, or NaN for a missing result"
                raise bad_entry(name, (row, column), what, value=float(values[row, column]), kind="infinite")
        except RankingError as error:
            raise located(error, names, row_labels(given)) from None
        n = values.shape[1]
        if len(values) >= FEW_ROWS and n > 1 and (np.sort(values, axis=1) == np.arange(1, n + 1)).all():
            warnings.warn(
                f"{name}: every row is a permutation of 1..{n}, and is read as scores, where larger is better; "
                f'Rankings({name}) reads ranks, Rankings({name}, input="scores") reads scores without this warning',
                UserWarning,
                stacklevel=3,
            )
    if not (len(values) if counts is None else int(counts.sum())):
        raise bad_argument(name, " has no rows: ranks need at least one", kind="no rankings")
    return values, counts, range(values.shape[1]) if names is None else names


def expected_ranks(rankings: Rankings) -> Array:
    """Return the mean rank of each item over all complete rankings that agree with a ranking; NaN for unknown positions."""
    from scipy.stats import rankdata

    check_all_items_fit(rankings)
    n = rankings.n_items
    if rankings.kind == "lists":
        bounds, columns, starts = rankings._handle.parts()
        places = np.full(rankings.shape, np.inf)  # what is not listed comes last
        places[np.repeat(np.arange(len(rankings)), np.diff(bounds)), columns] = starts
    else:
        places = np.asarray(rankings._places, dtype=np.float64)
    ranks = np.asarray(rankdata(places, axis=1, nan_policy="omit"), dtype=np.float64).reshape(rankings.shape)
    known = n - np.isnan(ranks).sum(axis=1, keepdims=True)
    return np.asarray(ranks * ((n + 1) / (known + 1)))


def _estimates(values: Array, counts: NDArray[np.int64] | None) -> Array:
    """Return the means of the columns; with missing values, the column effects of the fit "row + column"."""
    weights = np.ones(len(values)) if counts is None else counts.astype(np.float64)
    known = ~np.isnan(values)
    if known.all():
        return np.asarray(weights @ values / weights.sum())
    filled, present = np.where(known, values, 0.0), known.astype(np.float64)
    rows = np.maximum(present.sum(axis=1), 1)
    # The normal equations, after the effects of the rows have been eliminated.
    weighted = present * weights[:, np.newaxis]
    system = np.diag(weighted.sum(axis=0)) - weighted.T @ (present / rows[:, np.newaxis])
    right = weights @ filled - weighted.T @ (filled.sum(axis=1) / rows)
    effects = np.linalg.lstsq(system, right, rcond=None)[0]
    some = known.any(axis=0)
    effects += float(weights @ filled.sum(axis=1) / weighted.sum()) - effects[some].mean() if some.any() else 0.0
    return np.where(some, effects, np.nan)


class Differences:
    """The differences between columns in each row.

    If there are more than `MAX_ROWS` rows, the rows are divided at random into `MAX_ROWS` parts, and the rows of each
    part are added up.
    """

    def __init__(self, values: Array, counts: NDArray[np.int64] | None, random: np.random.Generator) -> None:
        known = ~np.isnan(values)
        self.values = np.where(known, values, 0.0)
        self.known = None if known.all() else known.astype(np.float64)
        self.parts = _parts(len(values), counts, random)
        self.sums = self.parts @ self.values
        self.rows, self.items = self.sums.shape
        self.rounding = ROUNDING * (self.parts @ np.abs(self.values)).max(axis=0, initial=0.0)

    def of(self, item: int) -> Array:
        """Return the differences between an item and all later items; missing values and rounding errors become 0."""
        if self.known is None:
            found = self.sums[:, item, np.newaxis] - self.sums[:, item + 1 :]
        else:
            both = self.known[:, item, np.newaxis] * self.known[:, item + 1 :]
            both *= self.values[:, item, np.newaxis] - self.values[:, item + 1 :]
            found = self.parts @ both
        least = np.maximum(self.rounding[item], self.rounding[item + 1 :])
        return np.where(np.abs(found) > least, found, 0.0)


def _parts(rows: int, counts: NDArray[np.int64] | None, random: np.random.Generator) -> Any:
    """Divide the observations of all rows into parts at random; return how often each row is in each part.

    The result is a sparse array of shape (parts, rows).
    """
    from scipy.sparse import csr_array

    total = rows if counts is None else int(counts.sum())
    if total > DEALT and counts is not None:
        return csr_array(random.multinomial(counts, np.full(MAX_ROWS, 1 / MAX_ROWS)).T.astype(np.float64))
    each = np.arange(rows) if counts is None else np.repeat(np.arange(rows), counts)
    if total > MAX_ROWS:
        random.shuffle(each)
    return csr_array((np.ones(total), (np.arange(total) % MAX_ROWS, each)), shape=(min(total, MAX_ROWS), rows))


def _better(
    differences: Differences, confidence: float, resamples: int, random: np.random.Generator, progress: bool
) -> NDArray[np.bool_]:
    """Return for every two items whether the test finds that the first is better than the second."""
    n, rows = differences.items, differences.rows
    check_fits(rows + 2 * n, resamples, np.dtype(np.float32), "ask for fewer resamples")
    every = 0 < rows <= 62 and 2 ** (rows - 1) <= resamples
    if every:  # the first row keeps its sign: all signs together do not matter
        resamples = 2 ** (rows - 1)
        bits = np.arange(resamples) >> np.arange(rows)[::-1, np.newaxis] & 1
    else:
        bits = random.integers(0, 2, size=(rows, resamples), dtype=np.int8)
    signs = 1 - 2 * bits.astype(np.float32)
    totals = None if differences.known is not None else differences.sums.T @ signs
    statistics, largest = np.zeros((n, n)), np.zeros(resamples)
    with progress_bar(progress, "rank_intervals") as show:
        for item in range(n - 1):
            found = differences.of(item)
            peak = np.abs(found).max(axis=0)
            norms = peak * np.sqrt(((found / np.where(peak > 0, peak, 1.0)) ** 2).sum(axis=0))
            scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
            statistics[item, item + 1 :] = found.sum(axis=0) * scale
            scaled = (found * scale).T.astype(np.float32)
            for begin in range(0, resamples, BATCH):
                batch = slice(begin, begin + BATCH)
                if totals is None:
                    sums: NDArray[Any] = scaled @ signs[:, batch]
                else:
                    sums = totals[item + 1 :, batch] - totals[item, batch]
                    sums *= scale[:, np.newaxis]
                np.abs(sums, out=sums)
                np.maximum(largest[batch], sums.max(axis=0), out=largest[batch])
            if show is not None:
                show(item + 1, n - 1)
    # The signs of the data are among all signs, and one more among random ones.
    place = math.ceil(confidence * (resamples + (not every)) * (1 - 1e-12)) - 1
    limit = float(np.partition(largest, place)[place]) if place < resamples else math.inf
    return np.asarray(statistics - statistics.T > limit * (1 + EQUAL))


def _result(goodness: Array, better: NDArray[np.bool_], names: Sequence[Any], **more: Any) -> RankIntervals:
    from scipy.stats import rankdata

    n = len(goodness)
    goodness = np.where(np.isnan(goodness), -np.inf, goodness)
    rank = np.asarray(rankdata(-goodness, method="min"), dtype=np.int64)
    # With missing results, an item can be better than another in common rows and still have the smaller effect.
    low = np.minimum(1 + better.sum(axis=0), rank)
    high = np.maximum(n - better.sum(axis=1), rank)
    apart = better | better.T
    order = np.argsort(rank, kind="stable")
    sorted_apart = apart[np.ix_(order, order)]
    groups = [[names[order[place]] for place in places] for places in _groups(sorted_apart)]
    separated = sorted_apart[np.arange(max(n - 1, 0)), np.arange(1, max(n, 1))]
    return RankIntervals(rank, low, high, groups, separated, items=list(names), apart=apart, **more)


def _groups(apart: NDArray[np.bool_]) -> list[list[int]]:
    """Return maximal sets of items that cannot be told apart; each pair that cannot be told apart is in one of the sets."""
    near, found = ~apart, []
    left = near.copy()  # pairs that no set has yet; an item is near itself
    for first in range(len(apart)):
        while left[first, first:].any():
            second = first + int(left[first, first:].argmax())
            if first == second and near[first].sum() > 1:  # a pair will have it
                left[first, first] = False
                continue
            chosen, possible = [first, second][: 1 + (first != second)], near[first] & near[second]
            possible[chosen] = False
            while possible.any():
                chosen.append(int(possible.argmax()))
                possible &= near[chosen[-1]]
                possible[chosen[-1]] = False
            found.append(sorted(chosen))
            left[np.ix_(chosen, chosen)] = False
    return found
