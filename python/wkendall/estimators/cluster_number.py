"""How many clusters of rankings there seem to be: the gap statistic, with one cluster of the same spread as reference."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from wkendall._arguments import Array, Random, as_order, generator
from wkendall._blas import one_thread
from wkendall._errors import bad_argument
from wkendall._progress import progress_bar
from wkendall._run import Run
from wkendall.datasets.simulated import make_mallows
from wkendall.estimators.base import distinct
from wkendall.estimators.clustering import KendallKMeans
from wkendall.measures import Kendall, Kernel
from wkendall.rankings import Rankings, check_all_items_fit, read_rankings, sample_weights
from wkendall.statistics.consensus import consensus_of
from wkendall.statistics.samples import each_person

#: If there are more people, this many are drawn: more would change the gaps little.
MOST_PEOPLE = 1000
#: Runs of k-means for each number of clusters.
RUNS = 5
#: Steps of the search for the rate of the reference, and the largest rate times the number of items.
STEPS, MOST_RATE = 20, 60.0
#: Sums of squares below this fraction of that of one cluster count as equal to it.
SMALLEST = 1e-6


class ClusterNumber(NamedTuple):
    """What `cluster_number` returns.

    Attributes
    ----------
    n_clusters : int
        The number of clusters that there seem to be.
    gap : ndarray of shape (number of clusters tried,)
        The gap for 1, 2, ... clusters: how much closer the rankings are to the centres of their clusters than in one
        cluster of the same spread, as a difference of logarithms.
    error : ndarray of shape (number of clusters tried,)
        The standard error of each gap.

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
    """Estimate how many clusters of rankings there are, from 1: the gap statistic for `KendallKMeans`.

    The rankings are clustered into k = 1, 2, ... clusters. W(k) is the sum of the squared distances from the centres.
    The same is done with reference rankings of one cluster. The gap of k is the mean of log W(k) over the references
    minus log W(k) of the rankings. The answer is the smallest k whose gap is at least the gap of k + 1 minus its
    standard error (Tibshirani, Walther and Hastie 2001).

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings. A row of a `Rankings` with `counts` stands for as many people. If there are more than 1,000 people,
        1,000 of them are drawn.
    kernel : Kernel, optional
        As for `KendallKMeans`.
    max_clusters : int
        The largest number of clusters to try; fewer if there are fewer distinct rankings.
    sample_weight : array-like of shape (m,), optional
        The weight of each person, at least 0.
    n_references : int
        The number of reference data sets, at least 2.
    rng : int or numpy.random.Generator, optional
        As for `two_sample_test`.
    n_jobs, progress
        As for `gram_matrix`.

    Returns
    -------
    ClusterNumber
        A named tuple.

    Notes
    -----
    A reference has as many people as the data. They are drawn from the Mallows model around the Borda ranking, with the
    rate at which W(1) is as large as that of the data, and have the same ties and missing items. With uniformly
    distributed rankings as reference, as in the original method, one concentrated cluster often looks like several.
    `docs/consensus.md` compares methods in a simulation.

    Examples
    --------
    >>> import wkendall
    >>> from wkendall.datasets import make_mallows
    >>> X = [*make_mallows(80, [1, 2, 3, 4, 5, 6], 1.0, rng=0), *make_mallows(60, [4, 6, 5, 3, 1, 2], 1.0, rng=1)]
    >>> found = wkendall.cluster_number(X, rng=0)
    >>> found.n_clusters, found.gap[:3].round(1)
    (2, array([-0. ,  0.5,  0.5]))
    """
    most, references = as_order(max_clusters, "max_clusters"), as_order(n_references, "n_references", 2)
    random, run = generator(rng), Run(n_jobs=n_jobs, progress=progress).check()
    rankings = read_rankings(X, "X", threads=run.threads)
    if not len(rankings):
        raise bad_argument("X", " has no rankings: clusters need at least one", kind="no rankings")
    weights = np.ones(len(rankings)) if sample_weight is None else sample_weights(sample_weight, rankings)
    if rankings._counts is not None:
        weights, rankings = np.repeat(weights, rankings._counts), each_person(rankings)
    rankings, weights = rankings[weights > 0], weights[weights > 0]
    if len(rankings) > MOST_PEOPLE:
        chosen = np.sort(random.choice(len(rankings), MOST_PEOPLE, replace=False))
        rankings, weights = rankings[chosen], weights[chosen]
    check_all_items_fit(rankings)
    weights = weights / weights.max()
    model = KendallKMeans(kernel=kernel, n_init=RUNS, n_jobs=n_jobs)
    most = min(most, len(distinct(rankings, weights)[0]))
    reference = _Reference(rankings, weights, model, random)
    with progress_bar(run.progress, "cluster_number") as show:
        squares = [_squares(rankings, weights, model, most, random)]
        for number in range(references):
            squares.append(_squares(reference.draw(random), weights, model, most, random))
            if show is not None:
                show(number + 1, references)
    logs = np.log(np.array(squares) + SMALLEST * max(squares[0][0], 1e-300))
    gap = logs[1:].mean(axis=0) - logs[0]
    error = logs[1:].std(axis=0) * np.sqrt(1 + 1 / references)
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - error[1:] - 1e-9)
    return ClusterNumber(int(enough[0]) + 1 if len(enough) else most, gap, error)


def _squares(
    rankings: Rankings, weights: Array, model: KendallKMeans, most: int, random: np.random.Generator
) -> list[float]:
    """Return W(1), ..., W(most)."""
    different, member, total = distinct(rankings, weights)
    points = model._points(different, total)
    found: list[float] = []
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")  # fewer distinct rankings than clusters
        for clusters in range(1, most + 1):
            model.set_params(n_clusters=clusters, random_state=int(random.integers(2**31)))
            run = model._best_run(points, model._starts(points, different, member, weights))
            found.append(min(run.inertia, *found) if found else run.inertia)
    return found


class _Reference:
    """The Mallows model of one cluster of the same spread as some rankings, with their ties and missing items."""

    def __init__(self, rankings: Rankings, weights: Array, model: KendallKMeans, random: np.random.Generator) -> None:
        self.rankings = rankings
        found = consensus_of(rankings, weights, Kendall(), "borda", random, Run(n_jobs=model.n_jobs))
        self.center = found.ranking
        ranks = np.asarray(rankings._ranks(), dtype=np.float64)
        self.ranks, self.missing = np.sort(ranks, axis=1), np.isnan(ranks)
        self.plain = rankings.kind == "complete"
        wanted = _squares(rankings, weights, model, 1, random)[0]
        # The same random numbers in all steps, so that W(1) falls smoothly with the rate.
        seed, low, high = int(random.integers(2**31)), 0.0, MOST_RATE / max(1, rankings.n_items)
        for _ in range(STEPS):
            self.rate = (low + high) / 2
            drawn = self.draw(np.random.default_rng(seed))
            wide = _squares(drawn, weights, model, 1, random)[0] > wanted
            low, high = (self.rate, high) if wide else (low, self.rate)

    def draw(self, random: np.random.Generator) -> Rankings:
        """Draw a ranking for each person."""
        drawn = make_mallows(len(self.rankings), self.center, self.rate, rng=random)
        if self.plain:
            return Rankings(drawn)
        missing = self.rankings._missing
        keys = np.where(self.missing, np.inf, drawn) if missing == "anywhere" else drawn
        places = np.take_along_axis(self.ranks, np.argsort(np.argsort(keys, axis=1), axis=1), axis=1)
        kept: Any = places
        if self.rankings.kind == "lists":
            kept = csr_array(np.nan_to_num(places))
        return Rankings(kept, ties="mean", missing=missing)
