"""The Hilbert-Schmidt independence criterion of a sample and of permutations of it.

Rankings have the centred kernel K between different ones, values that stand beside them a kernel L. The criterion is the mean of
K L over all pairs of people. How it is computed depends on L: within groups if these are labels; from factors F with L = F F' if
there are few; else pair by pair. People are sorted by their rankings, and their values are permuted.
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

#: A kernel whose largest value is 1 to 2 is a product of factors if no more than this is left of it.
RESIDUAL = 1e-13
#: More factors take too long to find: their number squared, times the number of different values.
MOST_FACTORS = 1024
#: Seconds for a multiplication in a product of matrices, for a number that is looked up and added, for a permutation that is done
#: by itself; on one core.
_MULTIPLY, _LOOK_UP, _ALONE = 1e-10, 3e-9, 3e-5


class Labels(NamedTuple):
    """The criterion for labels: sums of the kernel within groups."""

    groups: Groups

    def of(self, values: NDArray[np.intp]) -> Array:
        """Return the criterion for values of the people, who are sorted by their rankings."""
        counts, labels = self.groups.counts, len(self.groups.sizes)
        places = values * len(counts) + np.repeat(np.arange(len(counts)), counts)
        tables = [np.bincount(row, minlength=labels * len(counts)).reshape(labels, -1)[:-1] for row in places]
        return self._value(np.array(tables))

    def _value(self, tables: NDArray[np.int64]) -> Array:
        if not tables.shape[1]:  # one label
            return np.zeros(len(tables))
        within, _ = self.groups.sums(tables)
        return np.asarray(within.sum(axis=1) / float(self.groups.counts.sum()) ** 2)

    def drawn(self, random: np.random.Generator, batch: int) -> Array:
        """Return the criterion for so many permutations."""
        if len(self.groups.sizes) == 1:
            return np.zeros(batch)
        return self._value(self.groups.draw(random, batch))

    def batch(self) -> int:
        """How many permutations are done together."""
        return self.groups.batch() if len(self.groups.sizes) > 1 else BATCH_NUMBERS


class Factors(NamedTuple):
    """The criterion for a kernel of few factors: `factors` has a row for each different value of y."""

    gram: Array
    counts: NDArray[np.int64]
    factors: Array
    values: NDArray[np.intp]

    def of(self, values: NDArray[np.intp]) -> Array:
        """Return the criterion for values of the people, who are sorted by their rankings."""
        sums = self.factors[values.T]
        if len(self.gram) < len(sums):
            sums = np.add.reduceat(sums, np.cumsum(self.counts) - self.counts, axis=0)
        flat = sums.reshape(len(sums), -1)
        forms = np.einsum("ij,ij->j", self.gram @ flat, flat)
        return np.asarray(forms.reshape(len(values), -1).sum(axis=1) / float(values.shape[1]) ** 2)

    def drawn(self, random: np.random.Generator, batch: int) -> Array:
        """Return the criterion for so many permutations."""
        return self.of(random.permuted(np.tile(self.values, (batch, 1)), axis=1))

    def batch(self) -> int:
        """How many permutations are done together."""
        rank = max(1, self.factors.shape[1])
        return int(
            max(1, min(BATCH_NUMBERS // (len(self.values) * rank), BATCH_WORK // (len(self.gram) ** 2 * rank) + 1))
        )


class Pairs(NamedTuple):
    """The criterion for any kernel, one pair of people after the other."""

    gram: Array
    counts: NDArray[np.int64]
    other: Array
    values: NDArray[np.intp]

    def of(self, values: NDArray[np.intp]) -> Array:
        """Return the criterion for values of the people, who are sorted by their rankings."""
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
        """Return the criterion for so many permutations."""
        return np.array([self._value(random.permutation(self.values)) for _ in range(batch)])

    def batch(self) -> int:
        """How many permutations are done together."""
        return int(max(1, 10 * BATCH_NUMBERS // len(self.values) ** 2))


def dependence_of(gram: Array, sample: Sample, values: Values) -> Labels | Factors | Pairs:
    """Return the quickest way to compute the criterion."""
    member = values.member[np.argsort(sample.member, kind="stable")]
    most, different = most_factors(len(gram), len(member)), len(values.counts)
    if values.own is None:
        if different <= most + 1:
            return Labels(Groups(gram, sample.counts, values.counts))
        check_fits(different, different, np.dtype(np.float64), ADVICE)
        return Pairs(gram, sample.counts, np.eye(different), member)
    factors = low_rank(values, most)
    if factors is None:
        assert values.matrix is not None
        return Pairs(gram, sample.counts, values.matrix(), member)
    factors -= (values.counts / len(member)) @ factors
    return Factors(gram, sample.counts, factors, member)


def most_factors(different: int, people: int) -> int:
    """Return with how many factors products of matrices take as long as looking up all pairs of people."""
    equal = (_LOOK_UP * people**2 + _ALONE) / (_MULTIPLY * different**2 + _LOOK_UP * people)
    return max(1, min(int(equal), MOST_FACTORS))


def low_rank(values: Values, most: int) -> Array | None:
    """Return factors F of the kernel between different values, L = F F', by pivoted Cholesky steps; None if there are more."""
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
