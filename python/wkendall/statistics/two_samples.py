"""The test whether groups of rankings come from the same distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall._arguments import Array, Random, generator
from wkendall._run import Run
from wkendall.arrays.options import RANKS
from wkendall.gram import as_kernel
from wkendall.measures import Kernel
from wkendall.rankings import Rankings, matched, read_rankings, reading_beside
from wkendall.statistics.permutations import (
    MOST_PEOPLE,
    Groups,
    Tables,
    TestResult,
    answer,
    checked_permutations,
    null_distribution,
)
from wkendall.statistics.samples import check_size, counts_of, kernel_between, observed, pooled, sample_of, scaled


def two_sample_test(
    *groups: ArrayLike | Rankings,
    kernel: Kernel | None = None,
    n_permutations: SupportsIndex = 9999,
    rng: Random = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> TestResult:
    """Test whether two or more groups of rankings come from the same distribution.

    The statistic is the unbiased squared maximum mean discrepancy: the mean of the kernel over pairs of rankings in the
    first group, plus the mean over pairs in the second group, minus twice the mean over pairs with one ranking from
    each group. It is about 0 if the groups come from the same distribution, and can be negative. The p-value is
    `(1 + c) / (1 + p)`, where p is the number of random permutations of the group labels, and c is the number of
    permutations whose statistic is at least as large.

    With more groups the statistic is the mean of the discrepancies of all pairs of groups, each pair weighted by the
    product of its sizes. For two groups that is the discrepancy itself.

    Parameters
    ----------
    *groups : Rankings or array-likes of shape (m, n)
        The rankings of each group, one per row, of the same items; at least two groups, and at least two rankings per
        group. A row of a `Rankings` with `counts` stands for as many people.
    kernel : Kernel, optional
        The default is the normalized `Mallows` kernel. It is characteristic: it detects every difference between
        distributions of complete rankings. Its rate is 2 divided by the mean number of discordant pairs of items, over
        all pairs of rankings of all groups; 1 if all rankings are equal. A `Kendall` kernel of order 2 detects only
        differences in the probability that one item is before another. With position weights, the positions of the two
        items count too.
    n_permutations : int
        Number of random permutations, at least 1. The p-value is at least 1 / (1 + n_permutations).
    rng : int or numpy.random.Generator, optional
        A seed (an integer of at least 0) or a generator. With a seed the result is the same in every call, for any
        `n_jobs`; without it every call draws other numbers.
    n_jobs : int, optional
        Threads for the Gram matrix, as for `gram_matrix`. NumPy's own settings control the threads of matrix products.
    progress : bool
        Show a progress bar; needs tqdm.

    Returns
    -------
    TestResult

    Notes
    -----
    Permutations whose statistic is equal up to rounding, 1e-10 times the largest value of the centred kernel, are counted.
    Equal rankings are merged. For m distinct rankings the kernel takes 8 m^2 bytes, and a permutation m^2 multiplications.

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
    """
    chosen = None if kernel is None else as_kernel(kernel, "two_sample_test")
    permutations, random = checked_permutations(n_permutations), generator(rng)
    run = Run(n_jobs=n_jobs, progress=progress).check()
    return compare(_read(groups, run.threads), chosen, run, permutations, random)


def _read(given: Sequence[ArrayLike | Rankings], threads: int | None) -> list[Rankings]:
    if len(given) < 2:
        raise TypeError("two_sample_test needs at least two groups of rankings, one array for each")
    names = [f"groups[{place}]" for place in range(len(given))]
    groups = [
        read_rankings(some, name, reading_beside(RANKS, some, *given), threads)
        for some, name in zip(given, names, strict=True)
    ]
    groups = [matched(groups[0], group, (names[0], name)) for group, name in zip(groups, names, strict=True)]
    for group, name in zip(groups, names, strict=True):
        check_size(int(observed(group).sum()), name)
    return groups


def compare(
    groups: Sequence[Rankings], kernel: Kernel | None, run: Run, permutations: int, random: np.random.Generator
) -> TestResult:
    """Test whether groups of rankings differ."""
    people = [observed(group) for group in groups]
    total = sum(int(some.sum()) for some in people)
    if total >= MOST_PEOPLE:
        raise ValueError(f"there are {total} people, but a test takes fewer than {MOST_PEOPLE}")
    sample = sample_of(pooled(groups, run.threads))
    ends = np.cumsum([0, *map(len, groups)])
    tables = np.array([
        counts_of(sample.member[begin:end], len(sample.counts), some)
        for begin, end, some in zip(ends[:-1], ends[1:], people, strict=True)
    ])  # fmt: skip
    gram, used = kernel_between(sample, kernel, run)
    whole = scaled(gram, sample.counts)
    dealt = Groups(whole.gram, sample.counts, tables.sum(axis=1))
    statistic = float(discrepancies(dealt, tables[np.newaxis, :-1])[0])
    null = null_distribution(
        lambda batch: discrepancies(dealt, dealt.draw(random, batch)),
        permutations, dealt.batch(), (run.progress, "two_sample_test"),
    )  # fmt: skip
    apart = whole.unit * pairwise(dealt, tables)
    return answer(statistic, null, whole.unit, whole.tolerance, kernel=used, pairwise=apart)


def discrepancies(groups: Groups, tables: Tables) -> Array:
    """Return, for each table, the mean squared discrepancy of pairs of groups, weighted by the products of their sizes."""
    within, own = groups.sums(tables)
    sizes = groups.sizes.astype(np.float64)
    size = sizes.sum()
    means = (within - own) / (sizes * (sizes - 1))
    # The kernel is centred: the sums between different groups and the sums within groups add up to 0.
    total = (means * sizes * (size - sizes) + within).sum(axis=1)
    return np.asarray(2 * total / (size**2 - (sizes**2).sum()))


def pairwise(groups: Groups, tables: Tables) -> Array:
    """Return the squared discrepancy of every two groups."""
    sizes, rows = groups.sizes.astype(np.float64), tables.astype(np.float64)
    sums = rows @ groups.gram @ rows.T
    means = (sums.diagonal() - rows @ groups.gram.diagonal()) / (sizes * (sizes - 1))
    found = means[:, np.newaxis] + means - 2 * sums / np.outer(sizes, sizes)
    np.fill_diagonal(found, 0)
    return np.asarray(found)
