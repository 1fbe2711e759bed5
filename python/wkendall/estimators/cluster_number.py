"""Estimate how many clusters of rankings there are.

The sum of squares is the sum of the squared distances between the rankings and the centres of their clusters. One more
cluster always lowers this sum. Clusters are added as long as the sum falls more for the data than for simulated
rankings, which have only the clusters found so far.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from wkendall._arguments import Array, Random, as_order, generator
from wkendall._errors import bad_argument
from wkendall._run import Run, one_thread, progress_bar
from wkendall.arrays.options import Reading
from wkendall.arrays.sparse import SparseRows
from wkendall.datasets.simulated import make_mallows, mallows_tops
from wkendall.estimators.base import distinct
from wkendall.estimators.clustering import KendallKMeans
from wkendall.measures import Kendall, Kernel
from wkendall.rankings import Rankings, check_all_items_fit, read_rankings, sample_weights
from wkendall.statistics.consensus import consensus_of
from wkendall.statistics.samples import each_person, pooled

#: If there are more people, this many are drawn: more would change the gaps little.
MAX_PEOPLE = 1000
#: Runs of k-means for each number of clusters.
RUNS = 5
#: Steps of the search for the rate of the reference, the largest rate times the number of items that are drawn, and the
#: number of people that each step needs: of small data sets several references are drawn, at most MAX_DRAWS.
STEPS, MAX_RATE, PEOPLE, MAX_DRAWS = 12, 60.0, 500, 8
#: This fraction of the sum of squares of one cluster is added to all sums of squares, which can be 0.
SMALLEST = 1e-6
#: Lists are drawn item by item if there are at least this many times as many items as the longest list has.
SHORT = 4
#: One more cluster counts if it lowers the logarithm of the sum of squares by so many standard errors more than in
#: simulated rankings, and by so much more: in large data sets every departure from the model has many standard errors.
ERRORS, LEAST = 2.0, 0.03


class ClusterNumber(NamedTuple):
    """What `cluster_number` returns.

    Attributes
    ----------
    n_clusters : int
        The estimated number of clusters.
    gap : ndarray of shape (number of clusters tried,)
        The gap of each k from 1. Let W(k) be the sum of the squared distances between the rankings and the centres of
        their clusters, for k clusters. The fall from k to k + 1 clusters is `log W(k) - log W(k + 1)`. The gap of k is
        the fall in the data minus the mean fall in simulated rankings that have k clusters.
    error : ndarray of shape (number of clusters tried,)
        The standard error of the gap of each k.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.cluster_number([[1, 2, 3]] * 20, rng=0).n_clusters
    1
    """

    n_clusters: int
    gap: Array
    error: Array


def cluster_number(
    X: ArrayLike | Rankings,
    kernel: Kernel | None = None,
    *,
    max_clusters: SupportsIndex = 8,
    sample_weight: ArrayLike | None = None,
    n_references: SupportsIndex = 20,
    rng: Random = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> ClusterNumber:
    """Estimate the number of clusters of rankings, as a value of `n_clusters` for `KendallKMeans`.

    For each k = 1, 2, .., `KendallKMeans` splits the rankings into k clusters. Let W(k) be the sum of the squared
    distances between the rankings and the centres of their clusters. One more cluster lowers W, even if the rankings
    have no clusters. The fall from k to k + 1 clusters is `log W(k) - log W(k + 1)`. The function also computes this
    fall for simulated rankings. The simulated rankings have k clusters, which are similar to the k clusters of the
    data. The gap of k is the fall in the data minus the mean fall in the simulations. The answer is the smallest k
    whose gap is at most 0.03, or at most twice the standard error of this gap. If there is no such k, the answer is
    `max_clusters`.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings, one for each person. In a `Rankings` with `counts`, a row with the count c stands for c people. If
        there are more than 1,000 people, 1,000 of them are drawn at random.
    kernel : Kernel, optional
        As for `KendallKMeans`.
    max_clusters : int
        The largest number of clusters to try. If the number of distinct rankings is smaller, that number is used
        instead.
    sample_weight : array-like of shape (m,), optional
        The weight of each person, at least 0.
    n_references : int
        The number of simulations for each number of clusters, at least 2.
    rng : int or numpy.random.Generator, optional
        As for `two_sample_test`.
    n_jobs, progress
        As for `gram_matrix`.

    Returns
    -------
    ClusterNumber
        A named tuple of `n_clusters`, `gap` and `error`.

    Notes
    -----
    Each simulation has as many people as the data. The rankings of each cluster are drawn from a Mallows model. In this
    model, a ranking is less probable if it has more discordant pairs with the centre of the model. A pair of items is
    discordant if two rankings put its items in opposite orders. The centre of the model is the ranking of the items by
    their mean ranks in the cluster. The rate of the model says how fast the probability falls with the number of
    discordant pairs. Let S be the sum of the squared distances between the rankings of a cluster and the mean of these
    rankings in the feature space of the kernel. The rate is chosen so that S is, on average, as large in the
    simulations as in the data. The simulated rankings have the same numbers of ties and missing items as the rankings
    of the data.

    The method is the gap statistic of Tibshirani, Walther and Hastie (2001) with one change. In the original method,
    the simulated data have no clusters, whatever k is. One concentrated cluster of rankings then often looks like
    several clusters. The page Measurements of the documentation compares this method with other methods on simulated
    rankings.

    A simulation takes O(m n^2) time for m people and n items. For example, a simulation takes 0.5 s for 400 people and
    2,000 items. A call makes up to several hundred simulations. Short lists take less time. If each person lists at
    most a quarter of the items, a simulation draws only as many items as each person lists. If each person lists at
    most L items, a simulation then takes O(m L^2) time.

    Examples
    --------
    >>> import wkendall
    >>> from wkendall.datasets import make_mallows
    >>> X = [*make_mallows(80, [1, 2, 3, 4, 5, 6], 1.0, rng=0), *make_mallows(60, [4, 6, 5, 3, 1, 2], 1.0, rng=1)]
    >>> found = wkendall.cluster_number(X, rng=0)
    >>> found.n_clusters, (found.gap > 2 * found.error).tolist()
    (2, [True, False])
    """
    most, count = as_order(max_clusters, "max_clusters"), as_order(n_references, "n_references", 2)
    random, run = generator(rng), Run(n_jobs=n_jobs, progress=progress).check()
    rankings = read_rankings(X, "X", threads=run.threads)
    if not len(rankings):
        raise bad_argument("X", " has no rankings: clusters need at least one", kind="no rankings")
    weights = np.ones(len(rankings)) if sample_weight is None else sample_weights(sample_weight, rankings)
    if rankings._counts is not None:
        weights, rankings = np.repeat(weights, rankings._counts), each_person(rankings)
    rankings, weights = rankings[weights > 0], weights[weights > 0]
    if len(rankings) > MAX_PEOPLE:
        chosen = np.sort(random.choice(len(rankings), MAX_PEOPLE, replace=False))
        rankings, weights = rankings[chosen], weights[chosen]
    if not _are_short(rankings):
        check_all_items_fit(rankings)
    weights = weights / weights.max()
    model = KendallKMeans(kernel=kernel, n_init=RUNS, n_jobs=n_jobs)
    most = min(most, len(distinct(rankings, weights)[0]))
    gaps, errors = [], []
    with progress_bar(run.progress, "cluster_number") as show:
        wanted, labels = _squares(rankings, weights, model, (1,), random)
        least = SMALLEST * max(wanted[0], 1e-300)
        for clusters in range(1, most):
            both = (clusters, clusters + 1)
            parts = [np.flatnonzero(labels == cluster) for cluster in range(clusters) if (labels == cluster).any()]
            references = [_Reference(rankings[part], weights[part], model, random) for part in parts]
            order, falls = weights[np.concatenate(parts)], []
            for number in range(count):
                drawn = pooled([reference.draw(random) for reference in references], run.threads)
                falls.append(_fall(_squares(drawn, order, model, both, random)[0], least))
                if show is not None:
                    show((clusters - 1) * count + number + 1, (most - 1) * count)
            after, following = _squares(rankings, weights, model, (clusters + 1,), random)
            gaps.append(_fall([wanted[0], *after], least) - float(np.mean(falls)))
            errors.append(float(np.std(falls, ddof=1)) * np.sqrt(1 + 1 / count))
            if gaps[-1] <= max(LEAST, ERRORS * errors[-1]):
                return ClusterNumber(clusters, np.array(gaps), np.array(errors))
            wanted, labels = after, following
    return ClusterNumber(most, np.array(gaps), np.array(errors))


def _fall(squares: Sequence[float], least: float) -> float:
    """Return log W(k) - log W(k + 1), where `squares` contains the sums of squares W(k) and W(k + 1)."""
    before, after = (max(square, 0.0) + least for square in squares)
    return float(np.log(before / after))


def _squares(
    rankings: Rankings, weights: Array, model: KendallKMeans, numbers: Iterable[int], random: np.random.Generator
) -> tuple[list[float], NDArray[np.intp]]:
    """Return the sum of squares for some numbers of clusters, and the clusters for the last of these numbers."""
    different, member, total = distinct(rankings, weights)
    points = model._points(different, total)
    found: list[float] = []
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")  # fewer distinct rankings than clusters
        for clusters in numbers:
            model.set_params(n_clusters=clusters, random_state=int(random.integers(2**31)))
            run = model._best_run(points, model._starts(points, different, member, weights))
            found.append(run.inertia)
    return found, run.labels[member]


def _are_short(rankings: Rankings) -> bool:
    """Return whether the rankings are short lists out of many items. For these, only the listed items are drawn."""
    listed = rankings._listed
    return rankings.kind == "lists" and listed is not None and SHORT * int(listed.max()) <= rankings.n_items


class _Reference:
    """A Mallows model that simulates the rankings of one cluster: with their spread, ties and missing items."""

    def __init__(self, rankings: Rankings, weights: Array, model: KendallKMeans, random: np.random.Generator) -> None:
        self.rankings, self.short = rankings, _are_short(rankings)
        if self.short:
            self.order = rankings.describe(sample_weight=weights).order  # Borda's
            bounds, _, starts = rankings._handle.parts()
            self.bounds = bounds
            self.starts = starts[np.lexsort((starts, np.repeat(np.arange(len(rankings)), np.diff(bounds))))]
        else:
            self.center = consensus_of(rankings, weights, Kendall(), "borda", random, Run(n_jobs=model.n_jobs)).ranking
            ranks = np.asarray(rankings._ranks(), dtype=np.float64)
            self.ranks, self.missing = np.sort(ranks, axis=1), np.isnan(ranks)
        wanted = _squares(rankings, weights, model, (1,), random)[0][0]
        # Short lists can have the same few items out of very many: rates of all scales between the two numbers are tried.
        items = max(1, rankings.n_items)
        scale = max(1, int(np.diff(self.bounds).max())) if self.short else items
        # The same random numbers in all steps, so that W(1) falls smoothly with the rate.
        seed, low, high = int(random.integers(2**31)), 0.0, MAX_RATE / scale
        draws = min(MAX_DRAWS, -(-PEOPLE // len(rankings)))
        for _ in range(STEPS + math.ceil(math.log2(items / scale))):
            self.rate = (low + high) / 2
            drawn = [self.draw(np.random.default_rng([seed, number])) for number in range(draws)]
            mean = sum(_squares(some, weights, model, (1,), random)[0][0] for some in drawn) / draws
            low, high = (self.rate, high) if mean > wanted else (low, self.rate)

    def draw(self, random: np.random.Generator) -> Rankings:
        """Draw a ranking for each person."""
        if self.short:
            return self._draw_short(random)
        drawn = make_mallows(len(self.rankings), self.center, self.rate, rng=random)
        if self.rankings.kind == "complete":
            return Rankings(drawn)
        missing = self.rankings._missing
        keys = np.where(self.missing, np.inf, drawn) if missing == "anywhere" else drawn
        places = np.take_along_axis(self.ranks, np.argsort(np.argsort(keys, axis=1), axis=1), axis=1)
        kept: Any = places
        if self.rankings.kind == "lists":
            kept = csr_array(np.nan_to_num(places))
        return Rankings(kept, ties="mean", missing=missing)

    def _draw_short(self, random: np.random.Generator) -> Rankings:
        """Draw the list of each person: only the listed items are drawn."""
        lengths = np.diff(self.bounds)
        depth = int(lengths.max())
        tops = mallows_tops(len(lengths), self.rankings.n_items, self.rate, depth, random)
        columns = self.order[tops[np.arange(depth) < lengths[:, np.newaxis]]]
        rows = SparseRows(self.bounds, columns, self.starts, self.rankings.shape)
        core, listed, _ = Reading(ties="mean", missing="bottom").read_lists(rows, "X")
        return Rankings._made(core, "bottom", listed=listed)
