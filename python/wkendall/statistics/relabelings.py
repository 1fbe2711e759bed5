"""P-values of any measure: how often rankings are at least as similar after the items have been relabelled."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from wkendall._arguments import Random, check_same_rows, generator
from wkendall._errors import bad_argument
from wkendall._matrix import gram_of, value_of
from wkendall._run import Run
from wkendall.arrays.options import from_places
from wkendall.gram import as_measure
from wkendall.measures import Kendall, Measure
from wkendall.rankings import Rankings, read_both
from wkendall.statistics.permutations import checked_permutations

#: The number of places of relabelled rankings that are in memory at a time.
CELLS = 1 << 22
#: Values that differ by less than this, relative to the largest, count as equal.
EQUAL = 1e-12


def permutation_pvalue(
    X: ArrayLike | Rankings,
    Y: ArrayLike | Rankings,
    measure: Measure | None = None,
    *,
    n_permutations: SupportsIndex = 9999,
    rng: Random = None,
    n_jobs: SupportsIndex | None = None,
) -> NDArray[np.float64]:
    """P-values for the similarity of each row of `X` and the same row of `Y`, by any measure.

    The items of each ranking of Y are relabelled at random, many times. The p-value is
    `(1 + c) / (1 + n_permutations)`. The number c counts the relabellings after which the two rankings are at least as
    similar as before. A larger value of the measure means more similar; for a distance, a smaller value means more
    similar. If the ranking of Y is a list (it leaves items out), a relabelling replaces the items of the list by
    random items of the `Rankings`. The length of the list does not change.

    For lists, the items of the `Rankings` must be all items that could be listed. `read_trec`, and `from_lists` without
    `items`, take only the items that are in at least one list. If there are other items, random lists out of these few
    items have too many items in common, so the p-value is too large. Pass all items, for example the documents of a
    collection: `from_lists(lists, items=collection)`. If `lists` is a `Rankings`, for example from `read_trec`, use
    `from_lists(lists.to_lists(), items=collection)`.

    Parameters
    ----------
    X, Y : Rankings or array-like of shape (m, n)
        Rankings of the same items, as for `gram_matrix`; each row of X is compared with the same row of Y. If one
        argument is a single ranking, it is compared with every row of the other argument. If rows of X and rows of Y
        have the same labels, the labels must be in the same order.
    measure : Measure, optional
        Any measure, such as `WeightedTau()`, `APCorrelation()` or `RankBiasedOverlap()`. The default is the Kendall
        kernel.
    n_permutations : int
        The number of random relabellings of each ranking of Y.
    rng, n_jobs
        As for `two_sample_test`.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import wkendall
    >>> X, Y = [[1, 2, 3, 4, 5, 6, 7, 8]], [[2, 1, 3, 4, 5, 6, 8, 7], [5, 1, 8, 2, 7, 3, 6, 4]]
    >>> wkendall.permutation_pvalue(X, Y, wkendall.WeightedTau(), rng=0).round(3)
    array([0.004, 0.295])

    Lists of five out of 26 letters, first without and then with the letters that are in no list:

    >>> import string
    >>> for items in (None, list(string.ascii_lowercase)):
    ...     lists = wkendall.from_lists([list("abcde"), list("facbg")], items=items)
    ...     print(wkendall.permutation_pvalue(lists[0], lists[1], wkendall.RankBiasedOverlap(), rng=0).round(3))
    [0.612]
    [0.008]
    """
    chosen = as_measure(measure, Kendall())
    permutations, random = checked_permutations(n_permutations), generator(rng)
    run = Run(n_jobs=n_jobs).check()
    x, y = read_both(X, Y, threads=run.threads)
    assert y is not None
    rows = max(len(x), len(y))
    if len(x) != len(y) and min(len(x), len(y)) != 1:
        raise bad_argument(
            "Y",
            f" has {len(y)} rankings, but X has {len(x)}: each row of X is compared with the same row of Y, or one "
            "ranking with every row",
        )
    if len(x) == len(y) and not set(x.labels or ()).isdisjoint(
        y.labels or ()
    ):  # rows with other labels are others, such as two systems
        check_same_rows(x, y, ("X", "Y"))
    sign = -1 if chosen.is_distance else 1
    found = np.empty(rows)
    for row in range(rows):
        one, other = x[row if len(x) > 1 else 0], y[row if len(y) > 1 else 0]
        observed = sign * value_of(chosen, one, other)
        step = max(1, CELLS // max(1, x.n_items if not y._handle.is_lists else int(other._handle.stored)))
        as_similar, done = 0, 0
        while done < permutations:
            count = min(step, permutations - done)
            values = sign * gram_of(one, _relabelled(other, count, random), chosen, run, "permutation_pvalue")
            as_similar += int(np.count_nonzero(values >= observed - EQUAL * max(1.0, abs(observed))))
            done += count
        found[row] = (1 + as_similar) / (1 + permutations)
    return found


def _relabelled(ranking: Rankings, count: int, random: np.random.Generator) -> Rankings:
    """Return `count` copies of a ranking; in each copy, the items have changed places at random."""
    n = ranking.n_items
    listed = None if ranking._listed is None else np.repeat(ranking._listed, count)
    if not ranking._handle.is_lists:
        places = random.permuted(np.repeat(np.asarray(ranking._places), count, axis=0), axis=1)
        return Rankings._made(from_places(places, ranking._missing), ranking._missing, listed=listed)
    _, columns, starts = ranking._handle.parts()
    size = len(columns)
    items = _distinct(n, (count, size), random)
    order = np.argsort(items, axis=1)
    data = np.take_along_axis(np.broadcast_to(starts, items.shape), order, axis=1)
    bounds = np.arange(count + 1) * size
    chosen = np.take_along_axis(items, order, axis=1)
    lists = csr_array((data.ravel(), chosen.ravel(), bounds), shape=(count, n))
    return Rankings._made(from_places(lists), ranking._missing, listed=listed)


def _distinct(n: int, shape: tuple[int, int], random: np.random.Generator) -> NDArray[np.int64]:
    count, size = shape
    if 2 * size * size > n:
        return np.array([random.permutation(n)[:size] for _ in range(count)], dtype=np.int64).reshape(shape)
    found = random.integers(0, n, shape)
    while True:  # more than half of the rows have different numbers each time
        ordered = np.sort(found, axis=1)
        again = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(again):
            return found
        found[again] = random.integers(0, n, (len(again), size))
