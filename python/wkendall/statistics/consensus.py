"""The ranking that agrees most with others."""

from __future__ import annotations

from typing import SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike

from wkendall import _core
from wkendall._arguments import Array, Random, check_choice, generator
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.gram import as_kernel, check_pairs
from wkendall.measures import Kendall, Kernel
from wkendall.rankings import Rankings, check_all_items_fit, read_rankings, sample_weights
from wkendall.statistics.ordering import Consensus, Method, as_consensus, prover


def consensus(
    X: ArrayLike | Rankings,
    *,
    kernel: Kernel | None = None,
    sample_weight: ArrayLike | None = None,
    method: Method = "auto",
    rng: Random = None,
    n_jobs: SupportsIndex | None = None,
) -> Consensus:
    """Find the consensus of rankings: the ranking whose weighted mean kernel with the given rankings is the largest.

    With the standard weight this is Kemeny's ranking: it disagrees with the given rankings on the fewest pairs of
    items. If there is a ranking that follows the majority on every pair, it is the consensus. Other weights can give
    pairs near the top more weight.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings. A ranking with ties or missing items counts as the mean over the complete rankings that agree with it.
        Lists are expanded to an array of shape (m, n).
    kernel : Kendall, or TensorKernel with U, optional
        The kernel, of order 2; the Kendall kernel if absent. With the standard weight `signed` does not change the best
        ranking; with other weights it can. `normalize` divides the kernel with each ranking by the square roots of both
        self-similarities. This gives rankings with many ties more weight than without `normalize`.
    sample_weight : array-like of shape (m,), optional
        The weight of each ranking, at least 0; for example its number of voters. The default is the counts of `X`, or 1
        for each ranking.
    method : {"auto", "exact", "local", "borda"}
        "exact" finds the best of all rankings. The standard weight takes any number of items, as in `linear_ordering`;
        `weight="mult"` and `U` take up to 10 items, the other weights up to 20. "local" moves and swaps items as long
        as the score grows, from several starts, for any number of items. "borda" sorts the items by their mean ranks.
        "auto" is exact where possible. With the standard weight and many items, it stops the search for a proof after
        about ten seconds.
    rng, n_jobs
        As for `two_sample_test`; `rng` is for the local search.

    Returns
    -------
    Consensus
        A named tuple. If several rankings are best, one of them is returned, and `unique` is False. If Ctrl-C ends the
        proof of many items, the best ranking so far is returned with its bound.

    Examples
    --------
    >>> import wkendall
    >>> votes = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4], [4, 1, 2, 3]]
    >>> found = wkendall.consensus(votes, sample_weight=[30, 25, 20, 25])
    >>> found.ranking, found.score, found.optimal
    (array([1, 2, 3, 4]), 4.8, True)
    >>> wkendall.consensus(wkendall.Rankings(votes, items=["ann", "bob", "cem", "dot"])).items
    ['ann', 'bob', 'cem', 'dot']
    >>> wkendall.consensus(votes, kernel=wkendall.Kendall("top", k=1), method="borda").ranking
    array([2, 1, 3, 4])
    """
    chosen = as_kernel(kernel, "consensus")
    run = Run(n_jobs=n_jobs).check()
    check_choice(method, "method", get_args(Method))
    random = generator(rng)
    check_pairs(chosen, "consensus")
    rankings = read_rankings(X, "X", threads=run.threads)
    if not len(rankings):
        raise bad_argument("X", " has no rankings: a consensus needs at least one", kind="no rankings")
    weights = sample_weights(sample_weight, rankings)
    return consensus_of(rankings, weights, chosen, method, random, run)


def consensus_of(
    rankings: Rankings, weights: Array, kernel: Kernel, method: Method, random: np.random.Generator, run: Run
) -> Consensus:
    """Find the consensus; at least one weight is positive."""
    items = rankings.n_items
    measure = kernel._measure(items)
    # The average weight needs a number for each pair of items and each position of the later item.
    places = items if isinstance(kernel, Kendall) and kernel.weight == "average" else 1
    check_fits(items, items * places, np.dtype(np.float64), "take fewer items", shape=f"{items}^{2 + (places > 1)}")
    seed = int(random.integers(2**63))
    check_all_items_fit(rankings)
    found = _core.consensus(measure, rankings._handle, weights, method, seed, run.threads, prover(method))
    return as_consensus(found, rankings._items)
