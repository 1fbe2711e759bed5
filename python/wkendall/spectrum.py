"""The leading singular values of a weighted sum of permutations that acts on tensors over positions.

With Pi_p the permutation matrix of ranking p, M is the sum over p of c_p (Pi_p x .. x Pi_p), a matrix of n^d rows. A sum of
permutations acts on the parts of `wkendall.parts` one by one, in the same way on every lift of a part. So its singular
vectors are the lifts of those that it has on the pure tensors of the orders up to d. On order 1 it is an n x n matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator, eigsh

from wkendall.parts import Array, Pure, lifts, reorderings, scattered
from wkendall.samples import Sample

#: Singular values this close, as a part of the larger one, count as one.
SAME = 1e-8
#: Singular values below this part of the sum of the absolute coefficients are zero: what is left of cancelled sums.
NOTHING = 1e-13
#: Up to so many tuples of positions all singular values are found at once: 0.2 s.
DENSE = 600
#: The same for single positions, which there is no need to look for in a larger space.
DENSE_SINGLE = 2000
#: Up to so many tuples M is formed if there are more rankings than half of that: products with it then take less.
FORMED = 2000
#: How to look for a singular value, ever more exactly: how many vectors to keep, the part of its square that it may be off,
#: and the part of a known value below which it needs no closer look. Ten steps find a value twice as large in the square as
#: all others to a part in a million, for a million tuples.
LOOKS = ((10, 0.5, 0.7), (32, 0.02, 0.95), (32, 1e-14, 1 - SAME))


class Singular(NamedTuple):
    """A singular value with all its singular vectors: orthonormal tensors, one behind the other."""

    value: float
    left: Array
    right: Array

    def lifted(self, order: int) -> tuple[Array, Array]:
        """Return bases of the lifts of the tensors to an order, orthonormal, as rows."""
        left, right = (
            np.stack([lift.ravel() for tensor in side for lift in lifts(tensor, order)])
            for side in (self.left, self.right)
        )
        # Lifts commute with M, so that those of both sides have the same inner products. Few items can make them dependent.
        sizes, mixing = scipy.linalg.eigh(left @ left.T)
        kept = sizes > 1e-12 * sizes[-1]
        mixing = mixing.T[kept] / np.sqrt(sizes[kept, np.newaxis])
        return mixing @ left, mixing @ right


def leading(sample: Sample, coefficients: Array, order: int, count: int, pure: bool) -> list[list[Singular]]:
    """Return so many different singular values other than zero, the largest first, each with what it has in every part.

    The coefficients have the sum zero, so that M is zero on constants.
    """
    nothing = NOTHING * float(np.abs(coefficients).sum())
    if nothing == 0.0:
        return []
    found: list[Singular] = []
    for part in [order] if pure else range(1, order + 1):
        operator = Operator(sample, coefficients, part)
        groups = _equal(found)
        floor = groups[count - 1][0].value if len(groups) >= count else nothing
        found += operator.all() if operator.dense else _search(operator, count, max(floor, nothing))
    return _equal([singular for singular in found if singular.value > nothing])[:count]


class Operator:
    """M on the pure tensors of one order. Tensors are written as vectors, the rows of a matrix."""

    def __init__(self, sample: Sample, coefficients: Array, order: int) -> None:
        self.shape = (sample.items,) * order
        self.size = sample.items**order
        self.dense = self.size <= (DENSE_SINGLE if order == 1 else DENSE)
        self._pure = Pure(sample.items, order)
        self._sample, self._coefficients = sample, coefficients
        self._nothing = NOTHING * float(np.abs(coefficients).sum())
        formed = self.dense or self.size <= min(FORMED, 2 * sample.rows)
        self._inverted: Sample | None = None
        #: M, transposed.
        self._transposed = sample.tuple_sums(coefficients, order) if formed else None

    def apply(self, tensors: Array) -> Array:
        """Return M B for each row B."""
        if self._transposed is not None:
            return self._pure(tensors @ self._transposed)
        return self._pure(self._combine(self._inverse(), tensors))

    def transposed(self, tensors: Array) -> Array:
        """Return the transpose of M times U for each row U."""
        if self._transposed is not None:
            return self._pure(tensors @ self._transposed.T)
        return self._pure(self._combine(self._sample, tensors))

    def _inverse(self) -> Sample:
        if self._inverted is None:
            self._inverted = self._sample.inverted()
        return self._inverted

    def _combine(self, sample: Sample, tensors: Array) -> Array:
        return np.stack([sample.combine(self._coefficients, row.reshape(self.shape)).ravel() for row in tensors])

    def all(self) -> list[Singular]:
        """Return all singular values of a matrix that is formed, the largest first."""
        if self._transposed is None or not self.size:
            return []
        left, values, right = scipy.linalg.svd(self._pure(self._transposed).T)
        ends = np.flatnonzero(values[:-1] - values[1:] > SAME * values[:-1]) + 1
        return [
            Singular(
                float(values[group[0]]), left.T[group].reshape(-1, *self.shape), right[group].reshape(-1, *self.shape)
            )
            for group in np.split(np.arange(len(values)), ends)
        ]

    def largest(self, known: Array, start: Array, kept: int, tolerance: float) -> tuple[float, Array]:
        """Return the largest singular value on the tensors across `known`, orthonormal rows, and its right vector.

        The iterations keep so many vectors, and end at an error of the square of the value below a part of it.
        """

        def square(vector: Array) -> Array:
            row = self.transposed(self.apply(across(vector.reshape(1, -1), known)))
            return np.asarray(across(row, known)[0])

        operator = LinearOperator((self.size, self.size), matvec=square, dtype=np.float64)
        start = across(self._pure(start.reshape(1, -1)), known)[0]
        # On zeros the iterations have nothing to begin with.
        if np.linalg.norm(square(start)) <= self._nothing**2 * np.linalg.norm(start):
            return 0.0, start
        values, vectors = eigsh(operator, k=1, which="LA", v0=start, ncv=min(kept, self.size), tol=tolerance)
        vector = across(vectors.T, known)[0]
        return float(np.sqrt(max(values[0], 0.0))), vector / np.linalg.norm(vector)


def across(rows: Array, known: Array) -> Array:
    """Take the part in the span of orthonormal rows away from each row."""
    return rows - rows @ known.T @ known


def _search(operator: Operator, count: int, floor: float) -> list[Singular]:
    """Return so many different singular values, the largest first, but none below the floor.

    Each is found on the tensors across those that are known, so that one that comes again is not missed. A rough value comes
    first: if it is clearly below all that matter, that is enough. Changing the order of the axes of a singular vector gives
    another one.
    """
    rights, values = np.empty((0, operator.size)), np.empty(0)
    starts = scattered(operator.size)
    while len(rights) < operator.size:
        least = floor if len(np.unique(values)) < count else max(floor, values[-1])
        vector = next(starts)
        for kept, tolerance, enough in LOOKS:
            value, vector = operator.largest(rights, vector, kept, tolerance)
            if value < enough * least:
                break
        if value < least * (1 - SAME):
            break
        if len(values) and values[-1] - value <= SAME * values[-1]:
            value = float(values[-1])
        for other in reorderings(vector.reshape(operator.shape)):
            row = across(across(other.reshape(1, -1), rights), rights)
            size = np.linalg.norm(row)
            if size > 1e-6:
                rights, values = np.concatenate([rights, row / size]), np.append(values, value)
    found = []
    for value in np.unique(values)[::-1]:
        right = rights[values == value]
        left = operator.apply(right) / value
        found.append(Singular(float(value), left.reshape(-1, *operator.shape), right.reshape(-1, *operator.shape)))
    return found


def _equal(found: list[Singular]) -> list[list[Singular]]:
    """Put equal singular values together, the largest first."""
    groups: list[list[Singular]] = []
    for singular in sorted(found, key=lambda singular: -singular.value):
        if groups and groups[-1][0].value - singular.value <= SAME * groups[-1][0].value:
            groups[-1].append(singular)
        else:
            groups.append([singular])
    return groups
