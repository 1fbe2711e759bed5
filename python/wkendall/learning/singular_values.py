"""The leading singular values of a weighted sum of permutations that acts on tensors over positions.

Let Pi_p be the permutation matrix of ranking p, and c_p its coefficient. M is the sum of c_p (Pi_p x .. x Pi_p) over
all rankings p. Here x is the Kronecker product of d matrices, so M has n^d rows. The module `decomposition` splits
tensors into parts, and explains pure tensors and lifts. M maps each part to itself, and acts in the same way on every
lift of a pure tensor. So the singular vectors of M are lifts of pure tensors of the orders up to d. For order 1, M is
an n x n matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

from wkendall._arguments import Array
from wkendall._run import Show
from wkendall.learning.decomposition import Pure, lifts, scattered
from wkendall.learning.lanczos import SAME, Lanczos
from wkendall.learning.position_tensors import PositionTensors

#: Singular values below this fraction of the sum of the absolute coefficients are zero: they are rounding errors.
NOTHING = 1e-13
#: Matrices with at most this many rows are decomposed completely, which takes 5 ms.
DENSE = 100
#: M is formed as a matrix up to this many rows, or up to the second number if there are more rankings than half of its
#: rows.
FORMED, FORMED_FOR_MANY = 1000, 2000
#: The number of extra singular values to compute from a formed matrix, to find all that are equal.
MORE = 4
#: Values below this fraction of the largest are not computed from M'M, which loses their last digits.
SQUARED = 1e-3
#: A rough look at a formed matrix: the number of vectors to keep, the tolerance relative to the squared value, and the
#: fraction of a known value below which the matrix is left out. Ten steps find a value whose square is twice that of all
#: others with relative accuracy 1e-6, for a million tuples.
LOOK = (10, 0.5, 0.7)


class Singular(NamedTuple):
    """A singular value with all its singular vectors, as stacks of orthonormal tensors."""

    value: float
    left: Array
    right: Array

    def lifted(self, order: int) -> tuple[Array, Array]:
        """Lift the left and the right tensors to `order`. Return orthonormal bases of the lifts. Tensors are rows."""
        left, right = (
            np.stack([lift.ravel() for tensor in side for lift in lifts(tensor, order)])
            for side in (self.left, self.right)
        )
        # Lifts commute with M, so the lifts of both sides have the same inner products. With few items they can be
        # dependent.
        sizes, mixing = scipy.linalg.eigh(left @ left.T)
        kept = sizes > 1e-12 * sizes[-1]
        mixing = mixing.T[kept] / np.sqrt(sizes[kept, np.newaxis])
        return mixing @ left, mixing @ right


def leading(
    sample: PositionTensors, coefficients: Array, order: int, count: int, pure: bool, show: Show | None = None
) -> list[list[Singular]]:
    """Return the `count` largest distinct singular values of M above zero, each with its singular vectors.

    The sum of the coefficients must be zero. M then maps constant tensors to zero.
    """
    nothing = NOTHING * float(np.abs(coefficients).sum())
    if nothing == 0.0:
        return []
    found: list[Singular] = []
    for part in [order] if pure else range(1, order + 1):
        for operator in _operators(sample, coefficients, part, show):
            groups = _equal(found)
            floor = groups[count - 1][0].value if len(groups) >= count else nothing
            found += operator.leading(count, max(floor, nothing))
    return _equal([singular for singular in found if singular.value > nothing])[:count]


def _operators(sample: PositionTensors, coefficients: Array, order: int, show: Show | None) -> list[Operator | Formed]:
    """Return M on the pure tensors of one order. For order 2, M is split into two parts."""
    items = sample.items
    if items <= order > 1:
        return []
    size = items * (items - 1) // 2 if order == 2 else items**order
    if size > max(FORMED, min(FORMED_FOR_MANY, 2 * sample.rows if order > 1 else size)):
        return [Operator(sample, coefficients, order, show)]
    sums = sample.tuple_sums(coefficients, order)
    if order != 2:
        return [Formed(Pure(items, order)(sums).T, lambda rows: rows.reshape(-1, *(items,) * order))]
    return list(_formed_pairs(sums, items))


def _formed_pairs(sums: Array, items: int) -> Iterator[Formed]:
    """Compute M on symmetric and on skew-symmetric pure matrices. A matrix is given by its upper triangle."""
    one, other = np.triu_indices(items, 1)
    pairs = np.arange(len(one))
    half = sums[one * items + other]
    straight, crossed = half.take(one * items + other, axis=1), half.take(other * items + one, axis=1)
    for sign in (1.0, -1.0):
        matrix = straight + crossed if sign > 0 else straight - crossed
        # Remove the matrices with entries x_a + x_b, or x_a - x_b. Let L map x to these entries. The x nearest to a
        # matrix A is (L'L)^-1 L'A. In the first case L'L has n - 1 on the diagonal and 1 elsewhere. In the second, L'L
        # acts as n on all L'A.
        lift = np.zeros((len(pairs), items))
        lift[pairs, one], lift[pairs, other] = 1.0, sign
        nearest = lift.T @ matrix
        nearest = (nearest - nearest.sum(0) / (2 * (items - 1))) / (items - 2) if sign > 0 else nearest / items
        matrix -= lift @ nearest
        yield Formed(matrix.T, partial(_from_above, (one, other), items, sign))


def _from_above(above: tuple[NDArray[np.int64], ...], items: int, sign: float, rows: Array) -> Array:
    """Return a matrix for each row: its entries above the diagonal are the row divided by sqrt(2)."""
    one, other = above
    made = np.zeros((len(rows), items, items))
    made[:, one, other], made[:, other, one] = rows / np.sqrt(2), sign * rows / np.sqrt(2)
    return made


class Formed:
    """A part of M as a matrix, and a function that turns the coordinates of vectors into tensors of the same norm."""

    def __init__(self, matrix: Array, tensors: Callable[[Array], Array]) -> None:
        self.matrix = matrix
        self._tensors = tensors

    def leading(self, count: int, floor: float) -> list[Singular]:
        """Return at least `count` distinct singular values, the largest first, or an empty list.

        The list is empty if all singular values are below the number `floor`.
        """
        size = len(self.matrix)
        if np.linalg.norm(self.matrix) < floor * (1 - SAME):
            return []
        few = count + MORE
        if size > max(DENSE, 2 * few):
            if self._rough(next(scattered(size))) < LOOK[2] * floor:
                return []
            # Some eigenvectors of M'M take a tenth of the time of all singular vectors.
            squares, vectors = scipy.linalg.eigh(self.matrix.T @ self.matrix, subset_by_index=[size - few, size - 1])
            values, right = np.sqrt(np.maximum(squares[::-1], 0.0)), vectors[:, ::-1].T
            left = right @ self.matrix.T / np.maximum(values, floor)[:, np.newaxis]
            found = self._groups(left, values, right)[:-1]
            if len(found) >= count and found[count - 1].value > SQUARED * values[0]:
                return found
        left, values, right = scipy.linalg.svd(self.matrix)
        return self._groups(left.T, values, right)

    def _rough(self, start: Array) -> float:
        """Return a rough lower estimate of the largest singular value."""
        square = LinearOperator(
            self.matrix.shape, matvec=lambda vector: self.matrix.T @ (self.matrix @ vector), dtype=np.float64
        )
        kept, tolerance, _ = LOOK
        return float(
            np.sqrt(eigsh(square, k=1, which="LA", v0=start, ncv=kept, tol=tolerance, return_eigenvectors=False)[0])
        )

    def _groups(self, left: Array, values: Array, right: Array) -> list[Singular]:
        ends = np.flatnonzero(values[:-1] - values[1:] > SAME * values[:-1]) + 1
        return [
            Singular(float(values[group[0]]), self._tensors(left[group]), self._tensors(right[group]))
            for group in np.split(np.arange(len(values)), ends)
        ]


class Operator:
    """M on the pure tensors of one order, without forming the matrix M. Each tensor is a row of a matrix.

    For order 2, the symmetric and the skew-symmetric tensors are two separate parts.
    """

    def __init__(self, sample: PositionTensors, coefficients: Array, order: int, show: Show | None = None) -> None:
        self.shape = (sample.items,) * order
        self.size = sample.items**order
        self.signs = (1.0, -1.0) if order == 2 else (1.0,)
        self._pure = Pure(sample.items, order)
        self._sample, self._inverse, self._coefficients = sample, sample.inverted(), coefficients
        norm = float(np.abs(coefficients).sum())
        self._nothing = NOTHING * norm
        self._lanczos = Lanczos(self.square, self.part, norm**2, show)

    def apply(self, tensor: Array) -> Array:
        """Return M B, where B is `tensor`."""
        return np.asarray(self._pure(self._combine(self._inverse, tensor))[0])

    def square(self, tensor: Array) -> Array:
        """Return M' M B, where M' is the transpose of M, and B is `tensor`."""
        return np.asarray(self._pure(self._combine(self._sample, self._combine(self._inverse, tensor)))[0])

    def part(self, which: int, tensors: Array) -> Array:
        """Return the projection of each row onto one of the parts."""
        if len(self.signs) == 1:
            return tensors
        matrices = tensors.reshape(-1, *self.shape)
        return ((matrices + self.signs[which] * matrices.transpose(0, 2, 1)) / 2).reshape(-1, self.size)

    def _combine(self, sample: PositionTensors, tensor: Array) -> Array:
        return sample.combine(self._coefficients, tensor.reshape(self.shape)).reshape(1, -1)

    def leading(self, count: int, floor: float) -> list[Singular]:
        """Return `count` distinct singular values, the largest first, and none below the number `floor`.

        Each search for a singular vector covers only tensors that are orthogonal to the singular vectors found before.
        So a singular value with several singular vectors is found several times. If the axes of a singular vector are
        permuted, the result is also a singular vector of the same value.
        """
        rights = [np.empty((0, self.size)) for _ in self.signs]
        values = [np.empty(0) for _ in self.signs]
        starts, unfinished = scattered(self.size), set(range(len(self.signs)))
        while unfinished:
            distinct = np.unique(np.concatenate(values))
            least = max(floor, distinct[-count]) if len(distinct) >= count else floor
            start = self._pure(next(starts)[np.newaxis])
            start = np.concatenate([self._start(start, which, rights, unfinished) for which in range(len(rights))])
            vectors = self._lanczos.largest(start, rights, least**2, share=count == 1)
            for which in sorted(unfinished):
                vector = vectors[which]
                value = 0.0 if vector is None else float(np.linalg.norm(self.apply(vector)))
                if vector is None or value < max(least * (1 - SAME), self._nothing):
                    unfinished.remove(which)
                    continue
                equal = [known for known in np.concatenate(values) if abs(known - value) <= SAME * known]
                value = float(equal[0]) if equal else value
                for axes in permutations(range(len(self.shape))):
                    other = vector.reshape(self.shape).transpose(axes)
                    row = across(across(other.reshape(1, -1), rights[which]), rights[which])
                    size = np.linalg.norm(row)
                    if size > 1e-6:
                        rights[which] = np.concatenate([rights[which], row / size])
                        values[which] = np.append(values[which], value)
        return [
            self._singular(value, right[of_part == value])
            for right, of_part in zip(rights, values, strict=True)
            for value in np.unique(of_part)
        ]

    def _start(self, start: Array, which: int, rights: list[Array], unfinished: set[int]) -> Array:
        """Return the start of the search in a part: a tensor that is orthogonal to the known singular vectors.

        The start is zero if the search in this part is finished, or if there is no such tensor.
        """
        start = self.part(which, start)
        rest = across(across(start, rights[which]), rights[which])
        usable = which in unfinished and np.linalg.norm(rest) > 1e-8 * np.linalg.norm(start)
        return rest if usable else np.zeros_like(rest)

    def _singular(self, value: float, right: Array) -> Singular:
        left = np.stack([self.apply(row) for row in right])
        left /= np.linalg.norm(left, axis=1, keepdims=True)
        return Singular(float(value), left.reshape(-1, *self.shape), right.reshape(-1, *self.shape))


def across(rows: Array, known: Array) -> Array:
    """Subtract from each row its projection onto the span of the orthonormal rows `known`."""
    return rows - rows @ known.T @ known


def _equal(found: list[Singular]) -> list[list[Singular]]:
    """Group the results with equal singular values, the largest first."""
    groups: list[list[Singular]] = []
    for singular in sorted(found, key=lambda singular: -singular.value):
        if groups and groups[-1][0].value - singular.value <= SAME * groups[-1][0].value:
            groups[-1].append(singular)
        else:
            groups.append([singular])
    return groups
