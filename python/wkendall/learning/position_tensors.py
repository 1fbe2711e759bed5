"""Rankings to learn from, complete or not: their tensors, and sums of these.

A sample gives each ranking s the tensor Phi_U(s), with entries U[s(i), s(j), ..]. An incomplete ranking has the mean of the
tensors of all complete rankings that agree with it. With any of these as s, that is Phi_V(s) for V the mean of U over blocks
of tied ranks: over the pairs of two blocks, the pairs of different ranks of one block, and the single ranks of a block. The
mean is a projection, so that sums over positions are made of the same.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._arguments import Array
from wkendall._memory import check_fits
from wkendall.kernels.embedding import combine_of, embed_of, linear_function_of
from wkendall.kernels.gram import gram_of
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Kernel
from wkendall.reading.rankings import CheckedRankings


class PositionTensors(Protocol):
    """Rankings to learn from."""

    rows: int
    items: int

    def embed(self, U: Array) -> Array:
        """Return the tensor of each ranking, as a row."""
        ...

    def gram(self, U: Array, order: int) -> Array:
        """Return the inner products of these rows, U being a tensor or a stack."""
        ...

    def combine(self, coefficients: Array, U: Array) -> Array:
        """Return the sum of the tensors, each times a coefficient."""
        ...

    def scores(self, U: Array, B: Array) -> Array:
        """Return the inner product of B and the tensor of each ranking."""
        ...

    def inverted(self) -> PositionTensors:
        """Return the inverse permutations: items for positions, and positions for items."""
        ...

    def tuple_sums(self, coefficients: Array, order: int) -> Array:
        """Return the sums of coefficients, or of parts of them, by tuple of items and tuple of ranks."""
        ...


def tensors_of(rankings: CheckedRankings, n_jobs: int | None, rows: NDArray[np.intp] | None = None) -> PositionTensors:
    """Return the tensors of all rankings, or of some."""
    if not rankings.is_complete:
        return Tied(rankings.starts if rows is None else rankings.starts[rows], n_jobs)
    return Complete(rankings.core if rows is None else rankings.core.select(rows), n_jobs)


class Complete:
    """Complete rankings."""

    def __init__(self, rankings: _core.Rankings, n_jobs: int | None = None) -> None:
        self.rows, self.items = rankings.rows, rankings.items
        self._rankings, self._run = rankings, Run(n_jobs=n_jobs)

    def embed(self, U: Array) -> Array:
        """Return the tensor of each ranking, as a row."""
        return embed_of(self._rankings, U, self._run).reshape(self.rows, -1)

    def gram(self, U: Array, order: int) -> Array:
        """Return the inner products of the tensors."""
        return gram_of(CheckedRankings(self._rankings), None, Kernel(U=U, order=order), self._run)

    def combine(self, coefficients: Array, U: Array) -> Array:
        """Return the sum of the tensors, each times a coefficient."""
        return combine_of(self._rankings, coefficients, U, self._run)

    def scores(self, U: Array, B: Array) -> Array:
        """Return the inner product of B and the tensor of each ranking."""
        return linear_function_of(self._rankings, U, B, self._run)

    def inverted(self) -> Complete:
        """Return the inverse permutations."""
        return Complete(self._rankings.inverse(), self._run.threads)

    def tuple_sums(self, coefficients: Array, order: int) -> Array:
        """Return the sums of coefficients by tuple of items and tuple of ranks."""
        sums = np.empty((self.items**order, self.items**order))
        _core.tuple_sums(self._rankings, coefficients, order, sums, threads=self._run.threads)
        return sums


class Tied:
    """Rankings with ties, by the first ranks, from 0, of the blocks of tied items; for tensors of order 1 and 2."""

    def __init__(self, starts: NDArray[np.int64], n_jobs: int | None = None, *, inverse: bool = False) -> None:
        self.rows, self.items = starts.shape
        self._starts, self._n_jobs, self._inverse = starts, n_jobs, inverse
        self._orders = np.argsort(starts, axis=1, kind="stable")
        self._places = np.argsort(self._orders, axis=1)
        self._blocks = [np.unique(row) for row in starts]

    def _tensor(self, row: int, U: Array) -> Array:
        """Return the mean tensor of one ranking."""
        if U.ndim > 2:
            raise ValueError(
                f"order is {U.ndim}, but rankings with ties or missing items have tensors of order 1 and 2 only"
            )
        chosen = self._orders[row] if self._inverse else self._places[row]
        index = np.ix_(*(chosen,) * U.ndim)
        if self._inverse:
            return block_means(U[index], self._blocks[row])
        return block_means(U, self._blocks[row])[index]

    def embed(self, U: Array) -> Array:
        """Return the tensor of each ranking, as a row."""
        return np.array([self._tensor(row, U).ravel() for row in range(self.rows)]).reshape(self.rows, U.size)

    def gram(self, U: Array, order: int) -> Array:
        """Return the inner products of the tensors."""
        stack = U.reshape(-1, *U.shape[U.ndim - order :])
        check_fits(self.rows, U.size, np.dtype(np.float64), "learn from fewer rankings, or use order=1")
        features = np.hstack([self.embed(tensor) for tensor in stack])
        return features @ features.T

    def combine(self, coefficients: Array, U: Array) -> Array:
        """Return the sum of the tensors, each times a coefficient."""
        total = np.zeros(U.shape)
        for row, coefficient in enumerate(coefficients):
            total += coefficient * self._tensor(row, U)
        return total

    def scores(self, U: Array, B: Array) -> Array:
        """Return the inner product of B and the tensor of each ranking."""
        return np.array([float(np.vdot(self._tensor(row, U), B)) for row in range(self.rows)])

    def inverted(self) -> Tied:
        """Return the inverse permutations."""
        return Tied(self._starts, self._n_jobs, inverse=not self._inverse)

    def tuple_sums(self, coefficients: Array, order: int) -> Array:
        """Return the sums of parts of coefficients by tuple of items and tuple of ranks."""
        if order > 2:
            raise ValueError(
                f"order is {order}, but rankings with ties or missing items have tensors of order 1 and 2 only"
            )
        size = self.items**order
        total = np.zeros((self.items,) * (2 * order))
        for row, coefficient in enumerate(coefficients):
            total += coefficient * self._chances(row, order)
        sums = total.reshape(size, size)
        return sums.T if self._inverse else sums

    def _chances(self, row: int, order: int) -> Array:
        """Return the chance of each item, or pair of items, to have each rank, or pair of ranks."""
        blocks, order_of = self._blocks[row], self._orders[row]
        single = np.zeros((self.items, self.items))
        for start, end in zip(blocks, [*blocks[1:], self.items], strict=True):
            single[np.ix_(order_of[start:end], range(start, end))] = 1 / (end - start)
        if order == 1:
            return single
        pairs: Array = np.einsum("ia,jb->ijab", single, single)
        for start, end in zip(blocks, [*blocks[1:], self.items], strict=True):
            size = end - start
            if size > 1:
                same = np.eye(size)
                apart = np.multiply.outer(1 - same, 1 - same) / (size * (size - 1))
                inside, ranks = order_of[start:end], np.arange(start, end)
                pairs[np.ix_(inside, inside, ranks, ranks)] = apart + np.multiply.outer(same, same) / size
        return pairs


def block_means(U: Array, starts: NDArray[np.int64]) -> Array:
    """Return the mean of a tensor over blocks of ranks with these first ranks, written to every place of the blocks."""
    sizes = np.diff(starts, append=len(U))
    if U.ndim == 1:
        return np.repeat(np.add.reduceat(U, starts) / sizes, sizes)
    own = np.add.reduceat(np.diag(U), starts)
    sums = np.add.reduceat(np.add.reduceat(U, starts, axis=0), starts, axis=1)
    means = sums / (sizes[:, np.newaxis] * sizes)
    # Two different ranks of one block, and a rank with itself.
    np.fill_diagonal(means, (np.diag(sums) - own) / np.maximum(sizes * (sizes - 1), 1))
    spread = np.repeat(np.repeat(means, sizes, axis=0), sizes, axis=1)
    np.fill_diagonal(spread, np.repeat(own / sizes, sizes))
    return spread
