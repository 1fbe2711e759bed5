"""The test of whether groups of rankings come from the same distribution."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall._arguments import Array, Random, generator
from wkendall._errors import shown
from wkendall._run import Run
from wkendall.arrays.options import RANKS
from wkendall.gram import as_kernel
from wkendall.measures import Kernel
from wkendall.rankings import Rankings, matched, read_rankings, reading_beside
from wkendall.statistics.assignments import Assigned, Labels, People, group_labels, people_of
from wkendall.statistics.permutations import (
    Groups,
    TestResult,
    answer,
    checked_permutations,
    holm,
    null_distribution,
    share_as_large,
)
from wkendall.statistics.samples import kernel_between, pooled, scaled


def two_sample_test(
    *X: ArrayLike | Rankings,
    groups: Any = None,
    kernel: Kernel | None = None,
    blocks: Any = None,
    sample_weight: ArrayLike | None = None,
    n_permutations: SupportsIndex = 9999,
    rng: Random = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> TestResult:
    """Test whether two or more groups of rankings come from the same distribution.

    The statistic is the unbiased squared maximum mean discrepancy, `M1 + M2 - 2 M12`. M1 is the mean of the kernel over
    all pairs of rankings in the first group, and M2 is the corresponding mean for the second group. M12 is the mean of
    the kernel over all pairs with one ranking from each group. If both groups come from the same distribution, the
    statistic is about 0, and it can be negative. The p-value is `(1 + c) / (1 + p)`. Here p is the number of random
    permutations of the group labels. The number c counts the permutations whose statistic is at least as large as the
    observed statistic.

    With more than two groups, the discrepancy is computed for each pair of groups. The statistic is the mean over all
    pairs of groups, weighted by the product of the sizes of the two groups. Each pair of groups is also tested
    separately, with permutations of the people of these two groups. The p-values of these separate tests are adjusted
    by Holm's method.

    Parameters
    ----------
    *X : Rankings or array-likes of shape (m, n)
        One argument for each group: its rankings, one per row. All groups rank the same items. There must be at least
        two groups, with at least two rankings each. With `groups`, pass one array with the rankings of all groups. If a
        `Rankings` has `counts`, each of its rows stands for as many people as the count of the row.
    groups : array-like of m labels, optional
        The group of each ranking: texts, numbers or booleans.
    kernel : Kernel, optional
        The default is the normalized `Mallows` kernel. This kernel is characteristic: it detects every difference
        between distributions of complete rankings. Its rate `lam` is 2 divided by the mean number of discordant pairs
        of items, over all pairs of rankings of all groups. If all rankings are equal, the rate is 1. The standard
        kernel `Kendall()` detects only differences in the probability that one item is before another. With weights of
        positions, such as `Kendall("mult", u="log")`, it also detects differences in the positions of the two items.
    blocks : array-like of m labels, optional
        The block of each ranking. A permutation exchanges group labels only within a block. For paired data, such as
        rankings of the same people before and after a campaign, a block is a pair of rankings. For stratified samples,
        a block is a stratum. If each group is its own argument, `blocks` and `sample_weight` begin with the values of
        the first group. The values of the second group follow, and so on.
    sample_weight : array-like of m numbers, optional
        The weight of each person, at least 0, for example a survey weight. In a permutation, each person keeps the same
        weight.
    n_permutations : int
        Number of random permutations, at least 1. The smallest possible p-value is 1 / (1 + n_permutations).
    rng : int or numpy.random.Generator, optional
        A seed (an integer of at least 0) or a generator. With a seed the result is the same in every call, for any
        `n_jobs`. Without `rng`, every call draws other random numbers.
    n_jobs : int, optional
        The number of threads for the Gram matrix, as for `gram_matrix`. NumPy's own settings control the threads of
        matrix products.
    progress : bool
        Show a progress bar; needs tqdm.

    Returns
    -------
    TestResult

    Notes
    -----
    Let the weights w of a group be scaled such that their sum is 1. The mean of the kernel over pairs in the group, M1
    or M2, is then `(Q - A D) / (1 - A)`. Q is the sum of `w_i w_j K(i, j)` over all people i and j of the group. D is
    the sum of `w_i K(i, i)` over all people i, and A is the sum of `w_i^2`. With equal weights, this is the mean over
    pairs of different people.

    The p-value is exact if the joint distribution of ranking and weight is the same in all groups. With blocks, this
    distribution must be the same in all groups within each block.

    If the statistic of a permutation equals the observed statistic up to rounding errors, the permutation is counted in
    the number c. Differences of up to 1e-10 times the largest entry of the centred kernel matrix (the matrix after row
    means and column means are subtracted) count as rounding errors. Equal rankings are merged. For m distinct rankings,
    the kernel takes 8 m^2 bytes, and a permutation takes m^2 multiplications.

    Examples
    --------
    >>> import wkendall
    >>> from wkendall.datasets import make_mallows
    >>> X = make_mallows(30, [1, 2, 3, 4, 5], 0.5, rng=0)
    >>> Y = make_mallows(30, [2, 1, 3, 5, 4], 0.5, rng=1)
    >>> result = wkendall.two_sample_test(X, Y, rng=0, n_permutations=999)
    >>> round(result.statistic, 3), result.pvalue
    (0.056, 0.006)
    >>> round(wkendall.two_sample_test(X, Y, kernel=wkendall.Kendall("top", k=2), rng=0, n_permutations=999).pvalue, 2)
    0.02

    Now suppose that these are rankings of 30 people before and after a campaign. Every person is a block of two
    rankings.

    >>> both, when, person = [*X.tolist(), *Y.tolist()], ["before"] * 30 + ["after"] * 30, [*range(30)] * 2
    >>> paired = wkendall.two_sample_test(both, groups=when, blocks=person, rng=0, n_permutations=999)
    >>> paired.groups, round(paired.statistic, 3), paired.pvalue
    (['after', 'before'], 0.056, 0.006)
    """
    chosen = None if kernel is None else as_kernel(kernel, "two_sample_test")
    permutations, random = checked_permutations(n_permutations), generator(rng)
    run = Run(n_jobs=n_jobs, progress=progress).check()
    rankings, group, names = _read(X, groups, run.threads)
    people, sample = people_of(rankings, group, names, blocks, sample_weight)
    gram, used = kernel_between(sample, chosen, run)
    whole = _permuted(people, gram, run, permutations, random)
    apart = whole.unit * pairwise(whole.gram, people)
    alone = np.ones((len(names), len(names)))
    pairs = list(combinations(range(len(names)), 2))
    found = [whole] if len(pairs) == 1 else []
    for pair in pairs if len(pairs) > 1 else ():
        some, columns = people.of(pair)
        found.append(_permuted(some, whole.gram[np.ix_(columns, columns)], run, permutations, random))
    for (one, other), pvalue in zip(pairs, holm(np.array([each.pvalue for each in found])), strict=True):
        alone[one, other] = alone[other, one] = pvalue
    more = {"kernel": used, "pairwise": apart, "pairwise_pvalues": alone, "groups": names}
    return answer(whole.statistic, whole.null, whole.unit, whole.tolerance, **more)


def _read(
    given: Sequence[ArrayLike | Rankings], groups: Any, threads: int | None
) -> tuple[Rankings, Labels, list[Any]]:
    """Return the rankings of all groups, the group of each ranking, and the names of the groups."""
    if groups is not None:
        if len(given) != 1:
            raise TypeError(f"two_sample_test takes one array of rankings with groups, not {len(given)}")
        rankings = read_rankings(given[0], "X", threads=threads)
        return rankings, *group_labels(rankings, groups)
    if len(given) < 2:
        rule = "one array for each, or one array and groups, a label for each row"
        raise TypeError(f"two_sample_test needs at least two groups of rankings: {rule}")
    if len(given) == 2 and _is_labels(given[1], given[0]):
        rule = "a label for each row is groups: two_sample_test(X, groups=labels)"
        raise TypeError(f"two_sample_test takes an array of rankings for each group, not {shown(given[1])}; {rule}")
    names = [f"groups[{place}]" for place in range(len(given))]
    read = [
        read_rankings(some, name, reading_beside(RANKS, some, *given), threads)
        for some, name in zip(given, names, strict=True)
    ]
    read = [matched(read[0], group, (names[0], name)) for group, name in zip(read, names, strict=True)]
    numbers = list(range(len(read)))
    return pooled(read, threads), np.repeat(numbers, [len(group) for group in read]), numbers


def _is_labels(values: Any, rankings: Any) -> bool:
    """Return whether values are labels of rankings, and not rankings."""
    single = values.ndim == 1 if hasattr(values, "ndim") else isinstance(values, list) and all(map(np.isscalar, values))
    return single and hasattr(rankings, "__len__") and len(values) == len(rankings)


class _Permuted(NamedTuple):
    """The observed statistic, the statistics of permutations, and the centred kernel, divided by `unit`."""

    statistic: float
    null: Array
    gram: Array
    unit: float
    tolerance: float

    @property
    def pvalue(self) -> float:
        return share_as_large(self.statistic, self.null, self.tolerance)


def _permuted(people: People, gram: Array, run: Run, permutations: int, random: np.random.Generator) -> _Permuted:
    """Compute the statistics; the kernel is centred in place."""
    whole = scaled(gram, people.totals)
    statistic = float(discrepancies(whole.gram, people, people.observed)[0])
    null = null_distribution(
        lambda batch: discrepancies(whole.gram, people, people.draw(random, batch)),
        permutations, people.batch(gram.size), (run.progress, "two_sample_test"),
    )  # fmt: skip
    return _Permuted(statistic, null, *whole)


def discrepancies(gram: Array, people: People, assigned: Assigned) -> Array:
    """Return for each assignment the mean squared discrepancy of pairs of groups, weighted by the products of their sizes."""
    within, own = Groups(gram, people.totals, np.empty(0, dtype=np.int64)).sums(assigned.tables)
    size = people.totals.sum()
    sizes = assigned.tables.sum(axis=2)
    sizes = np.concatenate([sizes, size - sizes.sum(axis=1, keepdims=True)], axis=1).astype(np.float64)
    means = (within - assigned.squares / sizes * own) / (sizes**2 - assigned.squares)
    # The kernel is centred: the sums between different groups and the sums within groups add up to 0.
    total = (means * sizes * (size - sizes) + within).sum(axis=1)
    return np.asarray(2 * total / (size**2 - (sizes**2).sum(axis=1)))


def pairwise(gram: Array, people: People) -> Array:
    """Return the squared discrepancy between every two groups."""
    rows, squares = people.tables, people.squares
    sizes = rows.sum(axis=1)
    sums = rows @ gram @ rows.T
    means = (sums.diagonal() - squares / sizes * (rows @ gram.diagonal())) / (sizes**2 - squares)
    found = means[:, np.newaxis] + means - 2 * sums / np.outer(sizes, sizes)
    np.fill_diagonal(found, 0)
    return np.asarray(found)
