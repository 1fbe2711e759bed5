"""The pairs of items that two groups of rankings order differently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import Array, Random, data_frames, generator
from wkendall._errors import bad_argument, shown
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.rankings import Rankings, check_all_items_fit, merged, read_rankings, sample_weights
from wkendall.statistics.assignments import group_labels
from wkendall.statistics.importance import named
from wkendall.statistics.permutations import BATCH_NUMBERS, Groups, checked_permutations, null_distribution
from wkendall.statistics.samples import EQUAL, check_size, counts_of, observed, power_of_two

#: Pairs of items that are compared together: with some hundred permutations they fit into the cache of a core.
BLOCK = 1024


class PairDifferences(NamedTuple):
    """What `pair_differences` returns: pairs of items, the largest difference first.

    Attributes
    ----------
    first, second : ndarray of shape (pairs,)
        The names of the items, or their numbers from 0. The item in `first` is before the item in `second` more often
        in the first group than in the second group.
    difference : ndarray of shape (pairs,)
        The share of the first group that has "first before second", minus the corresponding share of the second group.
        The difference is at least 0.
    low, high : ndarray of shape (pairs,)
        The ends of simultaneous confidence intervals: with probability `confidence`, all intervals contain the true
        differences.
    pvalue : ndarray of shape (pairs,)
        P-values, adjusted for the number of pairs. If the groups do not differ, all p-values are above 0.05 with a
        probability of at least 0.95. If the interval of a pair does not contain 0, the p-value of the pair is at most
        `1 - confidence`.
    shares : ndarray of shape (pairs, 2)
        For each pair, the share of each group that has "first before second".
    groups : tuple
        The labels of the two groups.

    Examples
    --------
    >>> import wkendall
    >>> found = wkendall.pair_differences([[1, 2]] * 9 + [[2, 1]] * 9, ["a"] * 9 + ["b"] * 9, rng=0)
    >>> found.groups, found.shares
    (('a', 'b'), array([[1., 0.]]))
    """

    first: NDArray[Any]
    second: NDArray[Any]
    difference: Array
    low: Array
    high: Array
    pvalue: Array
    shares: Array
    groups: tuple[Any, Any]

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row for each pair; each group has a column with its shares.

        Examples
        --------
        >>> import wkendall
        >>> found = wkendall.pair_differences([[1, 2]] * 9 + [[2, 1]] * 9, ["a"] * 9 + ["b"] * 9, rng=0)
        >>> found.to_frame()[["first", "second", "share a", "share b", "difference"]]
           first  second  share a  share b  difference
        0      0       1      1.0      0.0         1.0
        """
        pd = data_frames()
        shares = {f"share {group}": self.shares[:, place] for place, group in enumerate(self.groups)}
        rest = {name: getattr(self, name) for name in ("difference", "low", "high", "pvalue")}
        return pd.DataFrame({"first": self.first, "second": self.second, **shares, **rest})


def pair_differences(
    X: ArrayLike | Rankings,
    groups: Any,
    *,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.95,
    n_permutations: SupportsIndex = 9999,
    rng: Random = None,
    progress: bool = False,
) -> PairDifferences:
    """Find the pairs of items that two groups order differently, with intervals that hold for all pairs at once.

    For each pair of items and each group, the function computes a share: the fraction of people who have the first item
    before the second. Ties count half. A person counts for a pair only if the person's ranking compares the two items.
    With `missing="bottom"`, a ranking compares two items if it lists at least one of them. With `missing="anywhere"`,
    the ranking must list both items. A pair is left out of the result if no ranking of one of the groups compares its
    two items.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        The rankings of both groups. If `X` has `counts`, each row stands for as many people as its count.
    groups : array-like of m labels
        The group of each ranking. There must be exactly two groups. The first group is the group whose label comes
        first in sorted order.
    sample_weight : array-like of m numbers, optional
        As for `two_sample_test`.
    confidence : float
        The probability that all intervals contain the true differences.
    n_permutations, rng, progress
        As for `two_sample_test`.

    Returns
    -------
    PairDifferences
        A named tuple.

    Notes
    -----
    The statistic of a pair is `|d| / e`. Here d is the difference of the shares of the two groups, and e is the
    standard error of d. Before d and e are computed, two people are added to each group: one for each order of the
    pair. The interval of Agresti and Caffo (2000) also adds these people. For each random permutation of the group
    labels, the largest statistic of all pairs is computed. The p-value of a pair is `(1 + c) / (1 + p)`. Here p is the
    number of permutations. The number c counts the permutations whose largest statistic is at least the statistic of
    the pair (Westfall and Young 1993). These p-values are exact if the groups do not differ at all.

    The interval of a pair is `d - q e` to `d + q e`, where q is the larger of two limits. The first limit comes from
    the permutations: a statistic above this limit has a p-value of at most `1 - confidence`. The second limit comes
    from bootstrap samples: from each group, people are drawn with replacement. In such a sample, each pair has a new
    difference d* and a new standard error e*. For each sample, take the largest `|d* - d| / e*` of all pairs. The
    second limit is the `confidence` quantile of these numbers. The second limit is needed if the rankings of one group
    vary more than the rankings of the other group. The page Measurements of the documentation
    shows how often the intervals contain the true differences in simulations.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.datasets.make_mallows(80, [1, 2, 3, 4], 0.7, rng=0).tolist()
    >>> X += wkendall.datasets.make_mallows(80, [4, 2, 3, 1], 0.7, rng=1).tolist()
    >>> votes = wkendall.Rankings(X, items=["tea", "milk", "beer", "wine"])
    >>> found = wkendall.pair_differences(votes, ["old"] * 80 + ["young"] * 80, rng=0)
    >>> print(f"{found.first[0]} before {found.second[0]}: {found.shares[0].round(2)}, p-value {found.pvalue[0]}")
    tea before wine: [0.78 0.14], p-value 0.0001
    >>> print(f"difference {found.difference[0]:.2f}, from {found.low[0]:.2f} to {found.high[0]:.2f}")
    difference 0.64, from 0.46 to 0.78
    """
    permutations, random, run = checked_permutations(n_permutations), generator(rng), Run(progress=progress).check()
    if not (isinstance(confidence, float) and 0.0 < confidence < 1.0):
        raise bad_argument("confidence", f" is {shown(confidence)}, but must be between 0 and 1, for instance 0.95")
    rankings = read_rankings(X, "X", threads=run.threads)
    group, names = group_labels(rankings, groups, most=2)
    check_all_items_fit(rankings)
    counts, weights = observed(rankings), None
    if sample_weight is not None:
        weights = sample_weights(sample_weight, rankings)
        counts, weights = np.where(weights > 0, counts, 0), weights / power_of_two(float(weights.max()))
    for number, name in enumerate(names):
        check_size(int(counts[group == number].sum()), f"groups[{shown(name)}]")
    # Without weights equal rankings are merged; a row with a weight stands alone.
    first, member = merged(rankings) if weights is None else (np.arange(len(rankings)),) * 2
    tables = np.array([counts_of(member[group == one], len(first), counts[group == one]) for one in (0, 1)])
    orders = _Orders(rankings[first], weights)
    counts = tables.sum(axis=0)
    dealt = Groups(np.empty((0, 0)), counts, tables.sum(axis=1))
    found = orders.compared(tables[:1], tables[1:])
    pairs = max(1, min(len(orders.first), BLOCK))
    batch = min(dealt.batch(max(1, len(counts)) * pairs), BATCH_NUMBERS // (4 * pairs))

    def permuted(batch: int) -> Array:
        table = dealt.draw(random, batch)[:, 0]
        return orders.largest(np.zeros(len(orders.first)), table, counts - table)

    def resampled(batch: int) -> Array:
        people = [random.multinomial(table.sum(), table / table.sum(), size=batch) for table in tables]
        return orders.largest(found.difference[0], *people)

    null, spread = (
        np.sort(null_distribution(draw, permutations, batch, (run.progress, "pair_differences")))
        for draw in (permuted, resampled)
    )
    # A statistic with a p-value of 1 - confidence is exceeded by this many permutations.
    above = int((1 - confidence) * (1 + permutations) + 1e-9) - 1
    limit = np.inf if above < 0 else max(null[-1 - above], spread[-1 - above])
    return _result(rankings, found, null, limit, (names[0], names[1]))


class _Compared(NamedTuple):
    """The shares of two groups for each assignment and pair; d and e, as in the notes of `pair_differences`."""

    shares: tuple[Array, Array]
    difference: Array
    error: Array


class _Orders:
    """The orders of all pairs of items in each row, compared in blocks of pairs: there can be millions of pairs."""

    def __init__(self, rankings: Rankings, weights: Array | None) -> None:
        self.ranks, self.weights = rankings._ranks().astype(np.float64), weights
        self.bottom = rankings._missing == "bottom"
        self.first, self.second = np.triu_indices(rankings.n_items, 1)
        check_fits(len(self.first), 16, np.dtype(np.float64), "take fewer items")

    def compared(self, *groups: NDArray[np.int64]) -> _Compared:
        """Compare two groups for all pairs; a group is given by the number of people of each row."""
        parts = [self._compared(block, groups) for block in self._blocks()]
        one, other = (np.concatenate([part.shares[group] for part in parts], axis=1) for group in (0, 1))
        difference, error = (np.concatenate([part[place] for part in parts], axis=1) for place in (1, 2))
        return _Compared((one, other), difference, error)

    def largest(self, center: Array, *groups: NDArray[np.int64]) -> Array:
        """Return the largest `|d - center| / e` of all pairs; `center` has a number for each pair."""
        found = np.zeros(len(groups[0]))
        for block in self._blocks():
            part = self._compared(block, groups)
            statistic = np.abs(part.difference - center[block]) / part.error
            np.maximum(found, statistic.max(axis=1, initial=0.0), out=found)
        return found

    def _blocks(self) -> list[slice]:
        return [slice(begin, begin + BLOCK) for begin in range(0, max(1, len(self.first)), BLOCK)]

    def _scores(self, block: slice) -> tuple[Array, Array]:
        """Return for each row and pair 1 if the first item is before the second, 1/2 for a tie, and 0 otherwise.

        The second array tells whether the row compares the two items; it has one column if all rows compare all pairs.
        Scores of unknown pairs are 0.
        """
        a, b = self.ranks[:, self.first[block]], self.ranks[:, self.second[block]]
        lacks = np.isnan(a), np.isnan(b)
        known = ~(lacks[0] | lacks[1])
        score = np.where(known, (a < b) + 0.5 * (a == b), 0.0)
        if self.bottom:
            score[lacks[1] & ~lacks[0]] = 1
            known = ~(lacks[0] & lacks[1])
        return score, np.ones((len(a), 1)) if known.all() else known.astype(np.float64)

    def _compared(self, block: slice, groups: Sequence[NDArray[np.int64]]) -> _Compared:
        score, known = self._scores(block)
        tied, squared_scores = (score == 0.5).any(), score**2
        shares, means, errors = [], [], []
        for table in groups:
            rows = table.astype(np.float64)
            once = rows if self.weights is None else rows * self.weights
            twice = once if self.weights is None else once * self.weights
            sums, people = once @ score, once @ known
            if self.weights is None:
                squared_score, squares = sums, people
            else:
                squared_score, squares = twice @ score, twice @ known
            squared = twice @ squared_scores if tied else squared_score
            with np.errstate(invalid="ignore", divide="ignore"):
                shares.append(sums / people)
                one = np.where(people > 0, squares / people, 1.0)  # the weight of each of the two more people
            mean = (sums + one) / (people + 2 * one)
            rest = squared - 2 * mean * squared_score + mean**2 * squares + one**2 * (1 - 2 * mean + 2 * mean**2)
            means.append(mean)
            errors.append(rest / (people + 2 * one) ** 2)
        return _Compared((shares[0], shares[1]), means[0] - means[1], np.sqrt(errors[0] + errors[1]))


def _result(rankings: Rankings, found: _Compared, null: Array, limit: float, names: tuple[Any, Any]) -> PairDifferences:
    """Sort the pairs, after turning each pair such that the first group has "first before second" more often."""
    shares = np.stack([share[0] for share in found.shares], axis=1)
    turned = shares[:, 0] < shares[:, 1]
    first, second = np.triu_indices(rankings.n_items, 1)
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    shares[turned] = 1 - shares[turned]
    sign = np.where(turned, -1.0, 1.0)
    center, error = sign * found.difference[0], found.error[0]
    pvalue = (1 + len(null) - np.searchsorted(null, np.abs(center) / error - EQUAL)) / (1 + len(null))
    width = limit * error
    difference = shares[:, 0] - shares[:, 1]
    kept = np.flatnonzero(~np.isnan(difference))
    kept = kept[np.argsort(-difference[kept], kind="stable")]
    items: NDArray[Any] = np.arange(rankings.n_items) if rankings._items is None else named(rankings._items)
    low, high = np.maximum(center - width, -1), np.minimum(center + width, 1)
    of_pairs: tuple[Any, ...] = (items[first], items[second], difference, low, high, pvalue, shares)
    return PairDifferences._make([*(column[kept] for column in of_pairs), names])
