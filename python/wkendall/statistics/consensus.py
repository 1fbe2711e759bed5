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
from wkendall.arrays.options import Reading
from wkendall.arrays.sparse import SparseRows
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
    """Find the consensus of rankings: the ranking that is most similar to the given rankings on average.

    The similarity is the kernel, and the average is weighted by `sample_weight`. With the standard weight (the default
    kernel) the consensus is Kemeny's ranking: it disagrees with the given rankings on the fewest pairs of items. If one
    ranking orders every pair of items as the majority of the given rankings does, then this ranking is the consensus.
    With other weights, pairs near the top can count more than other pairs.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings. For a ranking with ties or missing items, the kernel is the mean over all complete rankings that agree
        with this ranking (see `Rankings`). Rankings that list only some of the items are expanded to an array of shape
        (m, n). So the time and the memory of the search grow with n^2, also for lists. If at least half of the items
        are listed in no ranking, these items are left out of the search, and come last in the consensus. This rule
        applies only to the standard weight without `normalize`, and not to the method "borda".
    kernel : Kendall, or TensorKernel with U, optional
        The kernel, of order 2 (a sum over pairs of items); the default is the Kendall kernel. With the standard weight,
        `signed` does not change the best ranking. With other weights, `signed` can change it. `normalize` divides the
        kernel K(s, t) by `sqrt(K(s, s) K(t, t))`. Rankings with many ties then have more weight than without
        `normalize`.
    sample_weight : array-like of shape (m,), optional
        The weight of each ranking, at least 0; for example its number of voters. The default is the counts of `X`;
        without counts, each ranking has weight 1.
    method : {"auto", "exact", "local", "borda"}
        How the consensus is found.

        - "exact" finds the best of all rankings. With the standard weight there can be any number of items, as in
          `linear_ordering`. With `weight="mult"` or `U` there can be up to 10 items, and with the other weights up to
          20.
        - "local" starts from several rankings, and moves and swaps items as long as the mean kernel grows. There can be
          any number of items.
        - "borda" sorts the items by their mean ranks.
        - "auto" uses "exact" where possible, and otherwise "local". With the standard weight and many items, "auto"
          stops after about ten seconds, even if its ranking is not proved to be the best.
    rng, n_jobs
        As for `two_sample_test`; `rng` is used by the method "local". For many items, "auto" and "exact" begin in the
        same way as "local", and also use `rng`.

    Returns
    -------
    Consensus
        A named tuple. If several rankings are best, one of them is returned, and `unique` is False. If Ctrl-C ends a
        long search for a proof that the ranking is the best, the best ranking found so far is returned. The field
        `bound` is then an upper bound of the scores of all rankings.

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


def _is_plain(kernel: Kendall) -> bool:
    """Return whether a kernel of order 2 adds the same number for every concordant pair of items."""
    return kernel.weight == "standard" and kernel.item_weight is None and not kernel.normalize


def _listing(rankings: Rankings, weights: Array) -> Array | None:
    """Return the total weight of the lists that have each item; None if a list has items that are not stored."""
    bounds, columns, _ = rankings._handle.parts()
    lengths = np.diff(bounds)
    if rankings._listed is not None and (rankings._listed > lengths).any():
        return None
    return np.bincount(columns, np.repeat(weights, lengths), minlength=rankings.n_items).astype(np.float64)


def _of_listed(
    rankings: Rankings,
    weights: Array,
    masses: Array,
    kernel: Kendall,
    method: Method,
    random: np.random.Generator,
    run: Run,
) -> Consensus:
    """Find the consensus of the listed items, and put the other items last.

    `masses` is 0 for the items that no list has. The pairs with at least one of these items add the same number to the
    score and to the bound.
    """
    rankings, weights = rankings[weights > 0], weights[weights > 0]
    listed, rest = np.flatnonzero(masses), np.flatnonzero(masses == 0)
    place = np.cumsum(masses > 0) - 1
    bounds, columns, starts = rankings._handle.parts()
    rows = SparseRows(bounds, place[columns], starts, (len(rankings), len(listed)))
    core, lengths, _ = Reading(ties="mean", missing="bottom").read_lists(rows, "X")
    found = consensus_of(Rankings._made(core, "bottom", listed=lengths), weights, kernel, method, random, run)
    # A listed item is before one that no list has, or tied with it; two of the latter are tied.
    before, pairs = len(rest) * float(masses.sum()) / float(weights.sum()), len(rest) * (len(rest) - 1) / 2
    more = before if kernel.signed else (before + len(rest) * len(listed) + pairs) / 2
    ranking = np.empty(rankings.n_items, dtype=np.int64)
    ranking[listed], ranking[rest] = found.ranking, np.arange(len(listed) + 1, rankings.n_items + 1)
    unique = False if found.optimal and len(rest) > 1 else found.unique
    parts = (ranking, found.score + more, found.bound + more, found.optimal, unique)
    return as_consensus(parts, rankings._items)


def consensus_of(
    rankings: Rankings, weights: Array, kernel: Kernel, method: Method, random: np.random.Generator, run: Run
) -> Consensus:
    """Find the consensus; at least one weight is positive."""
    # Borda's mean ranks depend on how many items no list has.
    if isinstance(kernel, Kendall) and _is_plain(kernel) and rankings.kind == "lists" and method != "borda":
        masses = _listing(rankings, weights)
        if masses is not None and 0 < 2 * np.count_nonzero(masses) <= len(masses):
            return _of_listed(rankings, weights, masses, kernel, method, random, run)
    items = rankings.n_items
    measure = kernel._measure(items)
    # The average weight needs a number for each pair of items and each position of the later item.
    places = items if isinstance(kernel, Kendall) and kernel.weight == "average" else 1
    check_fits(items, items * places, np.dtype(np.float64), "take fewer items", shape=f"{items}^{2 + (places > 1)}")
    seed = int(random.integers(2**63))
    check_all_items_fit(rankings)
    found = _core.consensus(measure, rankings._handle, weights, method, seed, run.threads, prover(method))
    return as_consensus(found, rankings._items)
