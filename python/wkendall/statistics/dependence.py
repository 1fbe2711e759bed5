"""The Hilbert-Schmidt independence criterion of a sample, and of permutations of the sample.

K is the centred kernel between the distinct rankings, and L is the kernel between the values that are paired with the
rankings. The criterion is the mean of the product of K and L over all pairs of people. The values are called y. There
are three ways to compute the criterion:

- within groups, if the values are labels;
- from factors F with L = F F', if there are few factors;
- pair by pair in all other cases.

People are sorted by their rankings, and their values are permuted. Each way is a class with three methods. `of` returns
the criterion for given values of the people, and `drawn` returns it for a batch of random permutations. `batch` is the
number of permutations that are computed together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall._memory import check_fits
from wkendall.statistics.paired_values import Values
from wkendall.statistics.permutations import BATCH_NUMBERS, BATCH_WORK, Groups
from wkendall.statistics.samples import ADVICE, Sample

#: Factors are complete if the remainder of a kernel, scaled to a largest value of 1 to 2, is at most this.
RESIDUAL = 1e-13
#: More factors take too long to find: the time grows with the square of their number times the number of distinct
#: values.
MAX_FACTORS = 1024
#: Seconds on one core for a multiplication in a matrix product, for looking up and adding a number, and for the
#: overhead of a permutation that is computed separately.
_MULTIPLY, _LOOK_UP, _ALONE = 1e-10, 3e-9, 3e-5


class _Labels(NamedTuple):
    """The criterion for labels: sums of the kernel within groups of people with the same label."""

    groups: Groups

    def of(self, values: NDArray[np.intp]) -> Array:
        counts, labels = self.groups.counts, len(self.groups.sizes)
        places = values * len(counts) + np.repeat(np.arange(len(counts)), counts)
        tables = [np.bincount(row, minlength=labels * len(counts)).reshape(labels, -1)[:-1] for row in places]
        return self._value(np.array(tables))

    def _value(self, tables: NDArray[np.int64]) -> Array:
        if not tables.shape[1]:  # only one label
            return np.zeros(len(tables))
        within, _ = self.groups.sums(tables)
        return np.asarray(within.sum(axis=1) / float(self.groups.counts.sum()) ** 2)

    def drawn(self, random: np.random.Generator, batch: int) -> Array:
        if len(self.groups.sizes) == 1:
            return np.zeros(batch)
        return self._value(self.groups.draw(random, batch))

    def batch(self) -> int:
        return self.groups.batch() if len(self.groups.sizes) > 1 else BATCH_NUMBERS


class _Factors(NamedTuple):
    """The criterion for a kernel with few factors: `factors` has a row for each distinct value of y."""

    gram: Array
    counts: NDArray[np.int64]
    factors: Array
    values: NDArray[np.intp]

    def of(self, values: NDArray[np.intp]) -> Array:
        sums = self.factors[values.T]
        if len(self.gram) < len(sums):
            sums = np.add.reduceat(sums, np.cumsum(self.counts) - self.counts, axis=0)
        flat = sums.reshape(len(sums), -1)
        forms = np.einsum("ij,ij->j", self.gram @ flat, flat)
        return np.asarray(forms.reshape(len(values), -1).sum(axis=1) / float(values.shape[1]) ** 2)

    def drawn(self, random: np.random.Generator, batch: int) -> Array:
        return self.of(random.permuted(np.tile(self.values, (batch, 1)), axis=1))

    def batch(self) -> int:
        rank = max(1, self.factors.shape[1])
        return int(
            max(1, min(BATCH_NUMBERS // (len(self.values) * rank), BATCH_WORK // (len(self.gram) ** 2 * rank) + 1))
        )


class _Pairs(NamedTuple):
    """The criterion for any kernel, one pair of people after another."""

    gram: Array
    counts: NDArray[np.int64]
    other: Array
    values: NDArray[np.intp]

    def of(self, values: NDArray[np.intp]) -> Array:
        return np.array([self._value(row) for row in values])

    def _value(self, values: NDArray[np.intp]) -> float:
        people, total = len(values), 0.0
        member = np.repeat(np.arange(len(self.counts)), self.counts)
        starts = np.cumsum(self.counts) - self.counts
        step = max(1, BATCH_NUMBERS // people)
        for begin in range(0, people, step):
            part = self.other[values[begin : begin + step]].take(values, axis=1)
            if len(self.gram) == people:
                total += float(np.vdot(self.gram[begin : begin + step], part))
            else:
                total += float(np.vdot(self.gram[member[begin : begin + step]], np.add.reduceat(part, starts, axis=1)))
        return total / people**2

    def drawn(self, random: np.random.Generator, batch: int) -> Array:
        return np.array([self._value(random.permutation(self.values)) for _ in range(batch)])

    def batch(self) -> int:
        return int(max(1, 10 * BATCH_NUMBERS // len(self.values) ** 2))


def dependence_of(gram: Array, sample: Sample, values: Values) -> _Labels | _Factors | _Pairs:
    """Return the fastest way to compute the criterion."""
    member = values.member[np.argsort(sample.member, kind="stable")]
    most, different = most_factors(len(gram), len(member)), len(values.counts)
    if values.own is None:
        if different <= most + 1:
            return _Labels(Groups(gram, sample.counts, values.counts))
        check_fits(different, different, np.dtype(np.float64), ADVICE)
        return _Pairs(gram, sample.counts, np.eye(different), member)
    factors = low_rank(values, most)
    if factors is None:
        assert values.matrix is not None
        return _Pairs(gram, sample.counts, values.matrix(), member)
    factors -= (values.counts / len(member)) @ factors
    return _Factors(gram, sample.counts, factors, member)


def most_factors(different: int, people: int) -> int:
    """Return the number of factors at which matrix products take as long as looking up all pairs of people."""
    equal = (_LOOK_UP * people**2 + _ALONE) / (_MULTIPLY * different**2 + _LOOK_UP * people)
    return max(1, min(int(equal), MAX_FACTORS))


def low_rank(values: Values, most: int) -> Array | None:
    """Return factors F of the kernel between distinct values, L = F F', by pivoted Cholesky; None if more than `most`."""
    assert values.own is not None
    assert values.column is not None
    left, most = values.own.copy(), min(most, len(values.own))
    rows = np.empty((min(most, 32), len(left)))
    for rank in range(most + 1):
        pivot = int(left.argmax())
        if left[pivot] <= RESIDUAL:
            return np.ascontiguousarray(rows[:rank].T)
        if rank == most:
            break
        if rank == len(rows):
            check_fits(2 * rank, len(left), rows.dtype, ADVICE)
            rows = np.concatenate([rows, np.empty((min(rank, most - rank), len(left)))])
        rows[rank] = (values.column(pivot) - rows[:rank, pivot] @ rows[:rank]) / np.sqrt(left[pivot])
        left = np.maximum(left - rows[rank] ** 2, 0)
        left[pivot] = 0
    return None
