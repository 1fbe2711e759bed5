"""The best order of items, given a number for each pair of items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import Array, Random, as_amount, check_choice, generator, real_array, row_labels, same_label
from wkendall._errors import RankingError, bad_argument, bad_entry, bad_type, located, shown
from wkendall._run import Run, Show, progress_bar
from wkendall.arrays.convert import check_collected, labels_of
from wkendall.rankings import Rankings, check_different

Method = Literal["auto", "exact", "local", "borda"]
_SECONDS = "a number of seconds from 0, or None"
#: The work of "auto" in steps of the simplex algorithm times rows and columns of the program: about ten seconds.
_AUTO_WORK = 1e9


class Consensus(NamedTuple):
    """What `consensus` and `linear_ordering` return: a ranking, its score, and whether it is proved to be the best.

    Attributes
    ----------
    ranking : ndarray of shape (n,)
        The rank of each item; 1 is the best.
    score : float
        For `consensus`, the weighted mean of the kernel between this ranking and the given rankings. For
        `linear_ordering`, the sum of M[i, j] over all items i before j, where M is the given matrix.
    bound : float
        An upper bound: no ranking has a score above this number.
    optimal : bool
        Whether `bound` proves that no ranking has a larger score than this ranking.
    items : list
        The names of the items, or their numbers from 0 if they have no names, the best first.
    unique : bool or None
        True if this ranking is the only best ranking: every other ranking has a smaller score. False if another ranking
        has the same score. None if this is not known. Scores that differ only by a possible rounding error count as
        equal. For `consensus` with the standard weight, let M[i, j] be the total weight of the rankings that have i
        before j; for `linear_ordering`, M is the given matrix. The limit for a rounding error is 1e-12 times the sum of
        all `|M[i, j] - M[j, i]|`. With more than 20 items the factor is 1e-10 instead of 1e-12. If all differences
        `M[i, j] - M[j, i]` are multiples of one number, for example whole numbers, scores are compared exactly.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.consensus([[1, 2, 3], [1, 3, 2]]).unique
    False
    """

    ranking: NDArray[np.int64]
    score: float
    bound: float
    optimal: bool
    items: list[Any]
    unique: bool | None


def linear_ordering(
    M: ArrayLike,
    *,
    method: Method = "auto",
    time_limit: float | None = None,
    rng: Random = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> Consensus:
    """Find the order of items with the largest sum of M[i, j] over all items i before j.

    M[i, j] is the value of having item i before item j. Examples are the votes for i against j, or the points that team
    i won against team j. M[i, j] and M[j, i] can be any two numbers, also negative numbers.

    Parameters
    ----------
    M : array-like or data frame of shape (n, n)
        Finite numbers. The diagonal is ignored, but must be finite too. For a data frame, the names of the columns are
        the names of the items. If the rows have names, they must be the same names in the same order.
    method : {"auto", "exact", "local", "borda"}
        "exact" finds the best order and proves that it is the best, for any number of items if there is enough time.
        "auto" does the same, but stops the search for a proof after about ten seconds, and returns the best order
        found.

        "exact" and "auto" first split the items into groups. For every item i of one group and every item j of a later
        group, M[i, j] is at least M[j, i]. The best order of the groups is therefore known. Then the items within each
        group are ordered: with dynamic programming for up to 20 items, and with cutting planes and branching for more
        items.

        "local" starts from several orders, and moves and swaps items as long as the sum grows. This is called the local
        search. "borda" computes a difference for each item: the sum of its row minus the sum of its column. It sorts
        the items by this difference, the largest difference first.
    time_limit : float, optional
        Stop the search for a proof after this many seconds. The result is then the best order found so far, and `bound`
        is an upper bound of the sum for all orders. For "auto", `time_limit` replaces the ten seconds. For groups of
        more than 20 items, a local search comes before the search for a proof. `time_limit` does not stop this local
        search, which takes at most a few seconds.
    rng, n_jobs, progress
        As for `two_sample_test` and `gram_matrix`. `rng` is for the local search. The progress bar shows how much of
        the gap between `score` and `bound` has been closed. Cutting planes use one thread.

    Returns
    -------
    Consensus
        A named tuple. If several orders are best, one of them is returned, and `unique` is False. If Ctrl-C ends a long
        search for a proof, the best order found so far is returned. The field `bound` is then an upper bound of the sum
        for all orders.

    Examples
    --------
    >>> import wkendall
    >>> found = wkendall.linear_ordering([[0, 5, 1], [2, 0, 4], [3, 1, 0]])
    >>> found.items, found.score, found.optimal, found.unique
    ([0, 1, 2], 10.0, True, True)
    """
    run = Run(n_jobs=n_jobs, progress=progress).check()
    check_choice(method, "method", get_args(Method))
    seconds = None if time_limit is None else as_amount(time_limit, "time_limit", _SECONDS)
    seed = int(generator(rng).integers(2**63))
    matrix, names = _square(M)
    try:
        with progress_bar(progress, "linear ordering") as show:
            found = _core.linear_ordering(matrix, method, seed, run.threads, prover(method, seconds, show))
    except KeyboardInterrupt:  # before there was an order to prove
        found = _core.linear_ordering(matrix, "borda", seed, run.threads)
    return as_consensus(found, names)


def prover(
    method: Method, seconds: float | None = None, show: Show | None = None
) -> Callable[[Array, NDArray[np.int64], float], object]:
    """Return a function that tries to prove that an order is the best, within the limits of the method."""
    limits: Any = None

    def proved(margins: Array, order: NDArray[np.int64], bound: float) -> object:
        # Not before it is needed: this loads linear programming.
        from wkendall.statistics.cutting_planes import Limits, prove

        nonlocal limits
        work = _AUTO_WORK if method == "auto" and seconds is None else np.inf
        limits = limits or Limits(work, seconds, show)  # of all proofs together
        return prove(margins, order, bound, limits)

    return proved


def as_consensus(found: tuple[NDArray[np.int64], float, float, bool, bool | None], names: Any) -> Consensus:
    """Add the names of the items, if there are any, to what the crate returns."""
    ranking, score, bound, optimal, unique = found
    order = np.argsort(ranking).tolist()
    items = order if names is None else [names[item] for item in order]
    return Consensus(ranking, score + 0.0, bound + 0.0, optimal, items, unique)  # an empty sum is 0.0, not -0.0


def _square(M: ArrayLike) -> tuple[Array, list[Any] | None]:
    """Return the matrix, checked, and the names of the items."""
    check_collected(M, "M")
    if isinstance(M, Rankings):
        raise bad_type("M", " is a Rankings, but must be a matrix of numbers of pairs; consensus takes rankings")
    columns, rows = labels_of(M, "columns"), row_labels(M)
    matrix = real_array(M, "M", (2,), "a square matrix with a row and a column for each item")
    if matrix.shape[0] != matrix.shape[1]:
        rule = f" has shape {matrix.shape}, but must be square: a row and a column for each item"
        raise bad_argument("M", rule, kind="shape")
    names = None if columns is None or columns == list(range(len(columns))) else columns
    if not np.isfinite(matrix).all():
        row, column = (int(place) for place in np.argwhere(~np.isfinite(matrix))[0])
        value = float(matrix[row, column])
        reason = f" holds {value}: every entry must be a finite number"
        wrong = bad_entry("M", (row, column), reason, value=value, kind="nan" if np.isnan(value) else "infinite")
        raise located(wrong, names, rows)
    if names is not None:
        check_different(names, "M")
        if rows is not None and not isinstance(rows, range):
            for place, (label, name) in enumerate(zip(rows, names, strict=True)):
                if not same_label(label, name):
                    found = f"row {place} of M is labelled {shown(label)} and column {place} {shown(name)}"
                    rule = "both must have the same items in the same order"
                    raise RankingError(f"{found}: {rule}", argument="M", row=place, value=label, kind="items differ")
    return matrix, names
