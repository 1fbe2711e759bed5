"""The results of hypothesis tests."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from wkendall._arguments import Array
from wkendall.measures import Kernel


class _Answer(NamedTuple):
    statistic: float
    pvalue: float


class TestResult(_Answer):
    """The statistic of a test and its p-value: a tuple of the two, with more attributes.

    Attributes
    ----------
    statistic : float
        The value of the test statistic; larger values are stronger evidence against the hypothesis.
    pvalue : float
        (1 + number of permutations whose statistic is at least as large) / (1 + number of permutations).
    null_distribution : ndarray of shape (n_permutations,)
        The statistics of the permutations.
    kernel : Kernel or None
        The kernel between rankings that was used.
    bandwidth : float or None
        For `independence_test`: the bandwidth of the Gaussian kernel between numbers; None for another kernel.
    pairwise : ndarray of shape (groups, groups) or None
        For `two_sample_test`: the squared discrepancy between every two groups, 0 on the diagonal.

    Examples
    --------
    >>> import wkendall
    >>> result = wkendall.two_sample_test([[1, 2, 3]] * 4, [[3, 2, 1]] * 4, rng=0, n_permutations=99)
    >>> statistic, pvalue = result
    >>> pvalue == result.pvalue == result[1], len(result.null_distribution)
    (True, 99)
    """

    #: Tells pytest that this is not a class of tests, despite its name.
    __test__ = False

    null_distribution: Array
    kernel: Kernel | None
    bandwidth: float | None
    pairwise: Array | None

    def __new__(cls, statistic: float, pvalue: float, **more: Any) -> Self:
        """Make a result; `more` has the other attributes."""
        made = super().__new__(cls, statistic, pvalue)
        vars(made).update(
            {"null_distribution": np.empty(0), "kernel": None, "bandwidth": None, "pairwise": None} | more
        )
        return made
