"""The leading singular values of a weighted sum of permutations that acts on tensors over positions.

With Pi_p the permutation matrix of ranking p, M is the sum over p of c_p (Pi_p x .. x Pi_p), a matrix of n^d rows. A sum of
permutations acts on the parts of `decomposition` one by one, in the same way on every lift of a part. So its singular
vectors are the lifts of those that it has on the pure tensors of the orders up to d. On order 1 it is an n x n matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

from wkendall._arguments import Array
from wkendall.learning.decomposition import Pure, lifts, reorderings, scattered
from wkendall.learning.position_tensors import PositionTensors

#: Singular values this close, as a part of the larger one, count as one.
SAME = 1e-8
#: Singular values below this part of the sum of the absolute coefficients are zero: what is left of cancelled sums.
NOTHING = 1e-13
#: Matrices of up to so many rows are decomposed as a whole: 5 ms.
DENSE = 100
#: Up to so many rows a matrix is formed, and up to the second number if there are more rankings than half of its rows.
FORMED, FORMED_FOR_MANY = 1000, 2000
#: How many singular values to take from a formed matrix beyond those asked for: to see all that are equal.
MORE = 4
#: Values below this part of the largest are not taken from squares: their last digits are lost.
SQUARED = 1e-3
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


def leading(sample: PositionTensors, coefficients: Array, order: int, count: int, pure: bool) -> list[list[Singular]]:
    """Return so many different singular values other than zero, the largest first, each with what it has in every part.

    The coefficients have the sum zero, so that M is zero on constants.
    """
    nothing = NOTHING * float(np.abs(coefficients).sum())
    if nothing == 0.0:
        return []
    found: list[Singular] = []
    for part in [order] if pure else range(1, order + 1):
        for operator in _operators(sample, coefficients, part):
            groups = _equal(found)
            floor = groups[count - 1][0].value if len(groups) >= count else nothing
            found += operator.leading(count, max(floor, nothing))
    return _equal([singular for singular in found if singular.value > nothing])[:count]


def _operators(sample: PositionTensors, coefficients: Array, order: int) -> list[Operator | Formed]:
    """Return M on the pure tensors of one order, in as many pieces as are easy to tell apart."""
    items = sample.items
    if items <= order > 1:
        return []
    size = items * (items - 1) // 2 if order == 2 else items**order
    if size > max(FORMED, min(FORMED_FOR_MANY, 2 * sample.rows if order > 1 else size)):
        return [Operator(sample, coefficients, order)]
    sums = sample.tuple_sums(coefficients, order)
    if order != 2:
        return [Formed(Pure(items, order)(sums).T, lambda rows: rows.reshape(-1, *(items,) * order))]
    return list(_formed_pairs(sums, items))


def _formed_pairs(sums: Array, items: int) -> Iterator[Formed]:
    """Form M on the symmetric and on the skew-symmetric pure matrices, written as the part above the diagonal."""
    one, other = np.triu_indices(items, 1)
    pairs = np.arange(len(one))
    half = sums[one * items + other]
    straight, crossed = half.take(one * items + other, axis=1), half.take(other * items + one, axis=1)
    for sign in (1.0, -1.0):
        matrix = straight + crossed if sign > 0 else straight - crossed
        # The matrices x_a + x_b, or x_a - x_b, are those to take away. With L the map from x to them, the x nearest to a
        # matrix is (L'L)^-1 L' of it. L'L has n - 1 on the diagonal and 1 off it, or is n on all L' of a matrix.
        lift = np.zeros((len(pairs), items))
        lift[pairs, one], lift[pairs, other] = 1.0, sign
        nearest = lift.T @ matrix
        nearest = (nearest - nearest.sum(0) / (2 * (items - 1))) / (items - 2) if sign > 0 else nearest / items
        matrix -= lift @ nearest
        yield Formed(matrix.T, partial(_from_above, (one, other), items, sign))


def _from_above(above: tuple[NDArray[np.int64], ...], items: int, sign: float, rows: Array) -> Array:
    """Return the matrices, of the same norm, with the numbers of a row above the diagonal."""
    one, other = above
    made = np.zeros((len(rows), items, items))
    made[:, one, other], made[:, other, one] = rows / np.sqrt(2), sign * rows / np.sqrt(2)
    return made


class Formed:
    """A piece of M as a matrix, with the map from orthonormal vectors on its coordinates to orthonormal tensors."""

    def __init__(self, matrix: Array, tensors: Callable[[Array], Array]) -> None:
        self.matrix = matrix
        self._tensors = tensors

    def leading(self, count: int, floor: float) -> list[Singular]:
        """Return at least so many different singular values, the largest first, but none if all are below the floor."""
        size = len(self.matrix)
        if np.linalg.norm(self.matrix) < floor * (1 - SAME):
            return []
        few = count + MORE
        if size > max(DENSE, 2 * few):
            if self._rough(next(scattered(size))) < LOOKS[0][2] * floor:
                return []
            # A part of the eigenvectors of the square takes a tenth of the time of all singular vectors.
            squares, vectors = scipy.linalg.eigh(self.matrix.T @ self.matrix, subset_by_index=[size - few, size - 1])
            values, right = np.sqrt(np.maximum(squares[::-1], 0.0)), vectors[:, ::-1].T
            left = right @ self.matrix.T / np.maximum(values, floor)[:, np.newaxis]
            found = self._groups(left, values, right)[:-1]
            if len(found) >= count and found[count - 1].value > SQUARED * values[0]:
                return found
        left, values, right = scipy.linalg.svd(self.matrix)
        return self._groups(left.T, values, right)

    def _rough(self, start: Array) -> float:
        """Return a value that the largest singular value is not far above."""
        square = LinearOperator(
            self.matrix.shape, matvec=lambda vector: self.matrix.T @ (self.matrix @ vector), dtype=np.float64
        )
        kept, tolerance, _ = LOOKS[0]
        return float(
            np.sqrt(eigsh(square, k=1, which="LA", v0=start, ncv=kept, tol=tolerance, return_eigenvectors=False)[0])
        )

    def _groups(self, left: Array, values: Array, right: Array) -> list[Singular]:
        """Put equal values together."""
        ends = np.flatnonzero(values[:-1] - values[1:] > SAME * values[:-1]) + 1
        return [
            Singular(float(values[group[0]]), self._tensors(left[group]), self._tensors(right[group]))
            for group in np.split(np.arange(len(values)), ends)
        ]


class Operator:
    """M on the pure tensors of one order, never formed. Tensors are written as vectors, the rows of a matrix."""

    def __init__(self, sample: PositionTensors, coefficients: Array, order: int) -> None:
        self.shape = (sample.items,) * order
        self.size = sample.items**order
        self._pure = Pure(sample.items, order)
        self._sample, self._inverse, self._coefficients = sample, sample.inverted(), coefficients
        self._nothing = NOTHING * float(np.abs(coefficients).sum())

    def apply(self, tensors: Array) -> Array:
        """Return M B for each row B."""
        return self._pure(self._combine(self._inverse, tensors))

    def transposed(self, tensors: Array) -> Array:
        """Return the transpose of M times U for each row U."""
        return self._pure(self._combine(self._sample, tensors))

    def _combine(self, sample: PositionTensors, tensors: Array) -> Array:
        return np.stack([sample.combine(self._coefficients, row.reshape(self.shape)).ravel() for row in tensors])

    def leading(self, count: int, floor: float) -> list[Singular]:
        """Return so many different singular values, the largest first, but none below the floor.

        Each is found on the tensors across those that are known, so that one that comes again is not missed. A rough value comes
        first: if it is clearly below all that matter, that is enough. Changing the order of the axes of a singular vector gives
        another one.
        """
        rights, values = np.empty((0, self.size)), np.empty(0)
        starts = scattered(self.size)
        while len(rights) < self.size:
            least = floor if len(np.unique(values)) < count else max(floor, values[-1])
            vector = next(starts)
            for kept, tolerance, enough in LOOKS:
                value, vector = self.largest(rights, vector, kept, tolerance)
                if value < enough * least:
                    break
            if value < least * (1 - SAME):
                break
            if len(values) and values[-1] - value <= SAME * values[-1]:
                value = float(values[-1])
            for other in reorderings(vector.reshape(self.shape)):
                row = across(across(other.reshape(1, -1), rights), rights)
                size = np.linalg.norm(row)
                if size > 1e-6:
                    rights, values = np.concatenate([rights, row / size]), np.append(values, value)
        found = []
        for value in np.unique(values)[::-1]:
            right = rights[values == value]
            left = self.apply(right) / value
            found.append(Singular(float(value), left.reshape(-1, *self.shape), right.reshape(-1, *self.shape)))
        return found

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


def _equal(found: list[Singular]) -> list[list[Singular]]:
    """Put equal singular values together, the largest first."""
    groups: list[list[Singular]] = []
    for singular in sorted(found, key=lambda singular: -singular.value):
        if groups and groups[-1][0].value - singular.value <= SAME * groups[-1][0].value:
            groups[-1].append(singular)
        else:
            groups.append([singular])
    return groups
