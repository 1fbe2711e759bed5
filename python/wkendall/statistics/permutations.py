"""The statistics of permutations of a sample, computed in batches, and the p-value.

A permutation assigns the people of a sample to groups of given sizes. The sum of a kernel within a group depends only
on how often each distinct ranking occurs in the group. Permutations are therefore drawn as tables of counts. The sum
within a group is a quadratic form of its counts, and is computed with matrix products.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array, as_order
from wkendall._memory import check_fits
from wkendall._run import progress_bar
from wkendall.measures import Kernel
from wkendall.statistics.samples import Counts

Tables = NDArray[np.int64]

#: Array entries and multiplications of a batch: it takes 50 MiB and a few tenths of a second, and then Ctrl-C is
#: handled.
BATCH_NUMBERS, BATCH_WORK = 2**21, 10**9
#: A draw from a hypergeometric distribution (0.1 us) takes as long as shuffling this many people (11 ns each), measured
#: with 720 distinct rankings of 12,216 people.
PEOPLE = 9
#: NumPy cannot draw from the hypergeometric distribution for this many people or more.
MAX_PEOPLE = 10**9


class Groups(NamedTuple):
    """A sample in groups: the centred kernel between its distinct rankings, their counts, and the sizes of the groups."""

    gram: Array
    counts: NDArray[Any]
    sizes: Counts

    def sums(self, tables: NDArray[Any]) -> tuple[Array, Array]:
        """Return two sums of the kernel for each group: over all pairs of people, and over each person paired with itself.

        The tables contain all groups except the last group. The kernel is centred, so all sums over the whole sample
        are zero. The sum within the last group therefore equals the sum within the union of all other groups.
        """
        batch, others, size = tables.shape
        rows = tables.reshape(-1, size).astype(np.float64)
        products = rows @ self.gram
        own = (rows @ self.gram.diagonal()).reshape(batch, others)
        within = np.einsum("ij,ij->i", products, rows).reshape(batch, others)
        last = within
        if others > 1:
            joined = rows.reshape(tables.shape).sum(axis=1)
            last = np.einsum("ij,ij->i", products.reshape(tables.shape).sum(axis=1), joined)[:, np.newaxis]
        rest = self.counts @ self.gram.diagonal() - own.sum(axis=1, keepdims=True)
        return np.concatenate([within, last], axis=1), np.concatenate([own, rest], axis=1)

    def batch(self, work: int | None = None) -> int:
        """Return the number of permutations that are computed together; each takes `work` multiplications for a group."""
        others, size = len(self.sizes) - 1, len(self.counts)
        width = max(others * size, int(self.counts.sum()) if self._shuffles else 0)
        return max(1, min(BATCH_NUMBERS // width, BATCH_WORK // (others * (work or size**2)) + 8))

    @property
    def _shuffles(self) -> bool:
        """Whether to shuffle people, which is faster than drawing counts if few people have the same ranking."""
        return int(self.counts.sum()) <= PEOPLE * len(self.counts) * (len(self.sizes) - 1)

    def draw(self, random: np.random.Generator, batch: int) -> Tables:
        """Assign people to groups at random, `batch` times; return the counts of the rankings in all groups except the last."""
        if len(self.sizes) == 2:
            few = int(self.sizes.min()) <= PEOPLE * len(self.counts)
            method: Literal["count", "marginals"] = "count" if few else "marginals"
            drawn = random.multivariate_hypergeometric(self.counts, int(self.sizes[0]), size=batch, method=method)
            return drawn[:, np.newaxis]
        return self._shuffled(random, batch) if self._shuffles else self._dealt(random, batch)

    def _shuffled(self, random: np.random.Generator, batch: int) -> Tables:
        others, size = len(self.sizes) - 1, len(self.counts)
        people = np.repeat(np.arange(size), self.counts)
        group = np.repeat(np.arange(others + 1), self.sizes)
        shuffled = random.permuted(np.tile(people, (batch, 1)), axis=1)[:, group < others]
        places = (np.arange(batch)[:, np.newaxis] * others + group[group < others]) * size + shuffled
        tables = np.bincount(places.ravel(), minlength=batch * others * size)
        return tables.astype(np.int64, copy=False).reshape(batch, others, size)

    def _dealt(self, random: np.random.Generator, batch: int) -> Tables:
        others, size = len(self.sizes) - 1, len(self.counts)
        tables = np.empty((batch, others, size), dtype=np.int64)
        for table in tables:
            left = self.counts.copy()
            for group in range(others):
                table[group] = random.multivariate_hypergeometric(left, int(self.sizes[group]), method="marginals")
                left -= table[group]
        return tables


class _Answer(NamedTuple):
    statistic: float
    pvalue: float


class TestResult(_Answer):
    """The result of a test: a tuple of the statistic and the p-value, with more attributes.

    Attributes
    ----------
    statistic : float
        The value of the test statistic; larger values are stronger evidence against the null hypothesis.
    pvalue : float
        (1 + c) / (1 + p), where p is the number of permutations. The number c counts the permutations whose statistic
        is at least `statistic`.
    null_distribution : ndarray of shape (n_permutations,)
        The statistics of the permutations.
    kernel : Kernel or None
        The kernel that the test used for the rankings.
    bandwidth : float or None
        For `independence_test`: the bandwidth of the Gaussian kernel between the values of `y`. None if `y` has another
        kernel.
    pairwise : ndarray of shape (groups, groups) or None
        For `two_sample_test`: the squared maximum mean discrepancy between every two groups, 0 on the diagonal.
    pairwise_pvalues : ndarray of shape (groups, groups) or None
        For `two_sample_test`: the p-value for every two groups, adjusted by Holm's method; 1 on the diagonal.
    groups : list or None
        For `two_sample_test`: the labels of the groups, in the order of `pairwise`. Groups without labels have numbers
        from 0.

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
    pairwise_pvalues: Array | None
    groups: list[Any] | None

    def __new__(cls, statistic: float, pvalue: float, **more: Any) -> Self:
        """Make a result; `more` has the other attributes."""
        made = super().__new__(cls, statistic, pvalue)
        absent = dict.fromkeys(("kernel", "bandwidth", "pairwise", "pairwise_pvalues", "groups"))
        vars(made).update({"null_distribution": np.empty(0)} | absent | more)
        return made


def checked_permutations(n_permutations: object) -> int:
    """Raise an error if the number of permutations is below 1, or too large for the memory."""
    number = as_order(n_permutations, "n_permutations")
    check_fits(number, 1, np.dtype(np.float64), "ask for fewer permutations", shape=f"{number}")
    return number


def null_distribution(draw: Callable[[int], Array], permutations: int, batch: int, bar: tuple[bool, str]) -> Array:
    """Return the statistics of permutations; `draw(batch)` returns the statistics of a batch, one row for each permutation."""
    found = []
    with progress_bar(*bar) as show:
        for begin in range(0, permutations, batch):
            end = min(begin + batch, permutations)
            found.append(draw(end - begin))
            if show is not None:
                show(end, permutations)
    return np.concatenate(found)


def answer(statistic: float, null: Array, unit: float, tolerance: float, **more: Any) -> TestResult:
    """Return the result of a test; the kernels were divided by `unit`, and `more` has other attributes."""
    pvalue = share_as_large(statistic, null, tolerance)
    return TestResult(unit * statistic, pvalue, null_distribution=unit * null, **more)


def share_as_large(statistic: float, null: Array, tolerance: float) -> float:
    """Return the p-value: the share of statistics that are at least as large, where the data count as one permutation."""
    return float(1 + np.count_nonzero(null >= statistic - tolerance)) / (1 + len(null))


def holm(pvalues: Array) -> Array:
    """Adjust p-values for their number: Holm's method. The smallest is multiplied by m, the next by m - 1, and so on."""
    order = np.argsort(pvalues, kind="stable")
    found = np.empty(len(pvalues))
    found[order] = np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1))
    return np.minimum(found, 1)
