"""The test of whether rankings depend on another variable."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall._arguments import Random, check_same_rows, generator
from wkendall._run import Run
from wkendall.gram import as_kernel
from wkendall.measures import Kernel
from wkendall.rankings import Rankings, read_rankings
from wkendall.statistics.dependence import dependence_of
from wkendall.statistics.paired_values import ValueKernel, values_of
from wkendall.statistics.permutations import TestResult, answer, checked_permutations, null_distribution
from wkendall.statistics.samples import check_size, each_person, kernel_between, observed, sample_of, scaled


def independence_test(
    X: ArrayLike | Rankings,
    y: Any,
    *,
    kernel: Kernel | None = None,
    y_kernel: Kernel | ValueKernel | None = None,
    bandwidth: float | None = None,
    n_permutations: SupportsIndex = 9999,
    rng: Random = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> TestResult:
    """Test whether rankings are independent of labels, numbers, vectors or other rankings.

    The statistic is the Hilbert-Schmidt independence criterion, trace(K H L H) / m^2, for m rankings. K is the kernel
    matrix of the rankings, L is the kernel matrix of `y`, and H is the centring matrix. To get H K H from K, subtract
    the mean of each row from the row, and then the mean of each column from the column. The statistic is never
    negative, and it is 0 if the sample shows no dependence. The p-value is `(1 + c) / (1 + p)`, where p is the number
    of random permutations of `y`. The number c counts the permutations whose statistic is at least as large as the
    observed statistic.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings, one per row; at least two. If `X` has `counts`, each row stands for as many people as its count.
    y : array-like of shape (m,) or (m, d), or Rankings
        The value that is paired with each ranking: a label, a number, a vector, or a ranking of the same or other items.
    kernel : Kernel, optional
        The kernel between rankings. The default is the normalized `Mallows` kernel with the rate that `two_sample_test`
        describes.
    y_kernel : {"delta", "gaussian"} or Kernel, optional
        The kernel between values of `y`. "delta" is for labels: the kernel is 1 for equal labels, and 0 for different
        labels. "gaussian" is for numbers and vectors: `exp(-|a - b|^2 / (2 bandwidth^2))`. A `Kernel` is for rankings:
        the rows of `y` are then rankings.

        The default is "delta" for strings, booleans and categories. It is "gaussian" for numbers, including whole
        numbers, and for rows of numbers. It is the Mallows kernel for a `Rankings`. Pass "delta" if numbers are labels.
        Labels of different types are different: 1, "1" and True are three labels. Every ranking needs a value of `y`:
        None and NaN raise an error.
    bandwidth : float, optional
        The bandwidth of "gaussian". The default is the median distance over all pairs of people with different values
        of `y`. If `y` has more than 1,000 distinct values, only 1,000 people are used for the median. These people are
        evenly spaced in the list of all people, sorted by `y`.
    n_permutations, rng, n_jobs, progress
        As for `two_sample_test`.

    Returns
    -------
    TestResult

    Notes
    -----
    The notes of `two_sample_test` apply here, too. With labels or numbers, a permutation takes as long as a product of
    the Gram matrix of the distinct rankings with a few vectors. Differences of whole numbers in `y` are exact, for
    whole numbers of any size.

    Examples
    --------
    >>> import numpy as np, wkendall
    >>> X = wkendall.datasets.make_mallows(40, 5, 0.3, rng=0)
    >>> age = 40 + 8 * X[:, 0] + np.random.default_rng(1).normal(0, 12, 40)
    >>> round(wkendall.independence_test(X, age, rng=0, n_permutations=999).pvalue, 3)
    0.001
    >>> party = ["left" if rank < 3 else "right" for rank in X[:, 4]]
    >>> round(wkendall.independence_test(X, party, rng=0, n_permutations=999).pvalue, 3)
    0.001
    """
    chosen = None if kernel is None else as_kernel(kernel, "independence_test")
    permutations, random = checked_permutations(n_permutations), generator(rng)
    run = Run(n_jobs=n_jobs, progress=progress).check()
    rankings = read_rankings(X, "X", threads=run.threads)
    check_size(int(observed(rankings).sum()), "X")
    check_same_rows(rankings, y)
    values = values_of(y, rankings, y_kernel, bandwidth, run)
    sample = sample_of(each_person(rankings))
    gram, used = kernel_between(sample, chosen, run)
    kernel_of_x = scaled(gram, sample.counts)
    bar = (run.progress, "independence_test")
    dependence = dependence_of(kernel_of_x.gram, sample, values)
    observed_values = values.member[np.argsort(sample.member, kind="stable")]
    statistic = float(dependence.of(observed_values[np.newaxis])[0])
    null = null_distribution(lambda batch: dependence.drawn(random, batch), permutations, dependence.batch(), bar)
    unit, tolerance = kernel_of_x.unit * values.unit, max(kernel_of_x.tolerance, values.tolerance)
    return answer(statistic, null, unit, tolerance, kernel=used, bandwidth=values.bandwidth)
