"""The ranking that agrees most with others."""

from __future__ import annotations

from typing import Literal, NamedTuple, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import Array, Random, check_choice, generator, sample_weights
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Kernel
from wkendall.reading.rankings import CheckedRankings, Input, Missing, Reading, Ties, Top
from wkendall.statistics.pair_kernels import check_all_items_fit, check_pairs

Method = Literal["auto", "exact", "local", "borda"]


class Consensus(NamedTuple):
    """What `consensus` returns: a ranking, and how much others agree with it.

    Attributes
    ----------
    ranking : ndarray of shape (n,)
        The rank of each item; 1 is the best.
    score : float
        The weighted mean of the kernel of this ranking and the others.
    bound : float
        No ranking has a larger score than this.
    optimal : bool
        Whether no ranking has a larger score than this one.

    Examples
    --------
    >>> import wkendall
    >>> isinstance(wkendall.consensus([[1, 2, 3], [1, 3, 2]]), wkendall.Consensus)
    True
    """

    ranking: NDArray[np.int64]
    score: float
    bound: float
    optimal: bool


def consensus(
    X: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    method: Method = "auto",
    rng: Random = None,
    weight: str = STANDARD,
    k: SupportsIndex | None = None,
    u: str | ArrayLike | None = None,
    U: ArrayLike | tuple[object, ...] | None = None,
    W: ArrayLike | None = None,
    order: SupportsIndex = 2,
    check: bool = True,
    signed: bool = False,
    normalize: bool = False,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    n_jobs: SupportsIndex | None = None,
) -> Consensus:
    """Find the consensus of rankings: the ranking whose weighted mean kernel with them is the largest.

    With the standard weight this is Kemeny's ranking: it disagrees with the given rankings on the fewest pairs of
    items. If there is a ranking that follows the majority on every pair, it is the consensus. Other weights can give
    pairs near the top more weight.

    Parameters
    ----------
    X : array-like of shape (m, n)
        Rankings, as for `gram_matrix`. A ranking with ties or missing items counts as the mean over the complete
        rankings that agree with it. Sparse arrays are read as lists and expanded to an array of shape (m, n).
    sample_weight : array-like of shape (m,), optional
        The weight of each ranking, at least 0; for example its number of voters. The default is 1 for each. Two pandas
        objects must have the same index.
    method : {"auto", "exact", "local", "borda"}
        "exact" finds the best of all rankings, for up to 20 items; with `weight="mult"` or `U` up to 10. "local" moves
        and swaps items as long as the score grows, from several starts, for any number of items. "borda" sorts the
        items by their mean ranks. "auto" is exact where possible. With the standard weight, "auto" first divides the
        items into ordered groups, so that majorities prefer every item of a group to every item of the next groups. It
        then orders each group separately, exactly for up to 20 items.
    rng : int or numpy.random.Generator, optional
        A seed (an integer of at least 0) or a generator, for the local search. If absent, every call draws different
        starts.
    weight, k, u, U, signed, normalize
        The kernel, as for `gram_matrix`. With the standard weight `signed` does not change the best ranking; with other
        weights it can. `normalize` divides the kernel with each ranking by the square roots of both self-similarities.
        This gives rankings with many ties more weight than without `normalize`.
    W, order, check
        `W` and orders other than 2 are refused: a consensus needs weights of pairs of items, given by name or by `U`.
    input, top, ties, missing, n_jobs
        As for `gram_matrix`.

    Returns
    -------
    Consensus
        A named tuple. `ranking`: the rank of each item; 1 is the best, whatever `top` is. `score`: the weighted mean of
        the kernel between this ranking and those of `X`. `bound`: an upper bound of the score of any ranking.
        `optimal`: whether `bound` proves that no ranking has a larger score. If several rankings are best, one of them
        is returned.

    Examples
    --------
    >>> import wkendall
    >>> votes = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4], [4, 1, 2, 3]]
    >>> found = wkendall.consensus(votes, sample_weight=[30, 25, 20, 25])
    >>> found.ranking, found.score, found.optimal
    (array([1, 2, 3, 4]), 4.8, True)
    >>> wkendall.consensus(votes, weight="top", k=1, method="borda").ranking
    array([2, 1, 3, 4])
    """
    kernel = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    run = Run(n_jobs=n_jobs)
    run.check()
    check_choice(method, "method", get_args(Method))
    random = generator(rng)
    check_pairs(kernel, "consensus")
    rankings = Reading(input, top, ties, missing).rankings(X, "X", run.threads)
    if not rankings.rows:
        raise bad_argument("X", " has no rankings: a consensus needs at least one", kind="no rankings")
    return consensus_of(rankings, sample_weights(sample_weight, rankings.rows, X), kernel, method, random, run)


def consensus_of(
    rankings: CheckedRankings, weights: Array, kernel: Kernel, method: Method, random: np.random.Generator, run: Run
) -> Consensus:
    """Find the consensus of checked rankings; at least one weight is positive."""
    items = rankings.items
    measure = kernel.measure(items)
    # The average weight needs a number for each pair of items and each position of the later item.
    places = items if kernel.weight == "average" else 1
    check_fits(items, items * places, np.dtype(np.float64), "take fewer items", shape=f"{items}^{2 + (places > 1)}")
    seed = int(random.integers(2**63))
    check_all_items_fit(rankings)
    return Consensus(*_core.consensus(measure, rankings.core, weights, method, seed, threads=run.threads))
