"""Training rankings, complete or incomplete: their tensors, and weighted sums of the tensors.

The tensor of a complete ranking s is Phi_U(s), with the entries U[s(i), s(j), ..] for the items i, j, .. The tensor of
an incomplete ranking is the mean of the tensors of all complete rankings that do not contradict it. This mean equals
Phi_V(s) for any such complete ranking s, where the entries of V are means of entries of U. Tied items share several
ranks, which are called a block. There are three kinds of means: over the pairs of ranks of two blocks, over the pairs
of different ranks of one block, and over the single ranks of one block. The map from U to V is a projection. So the
same means also give weighted sums over positions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._arguments import Array
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.embedding import combine_of, embed_of, linear_function_of
from wkendall.gram import gram_of
from wkendall.measures import TensorKernel
from wkendall.rankings import Rankings

#: The number of tensor entries of a block of rankings that are computed at a time.
BLOCK = 1 << 22


def tensors_of(rankings: Rankings, n_jobs: int | None, rows: NDArray[np.intp] | None = None) -> PositionTensors:
    """Return the tensors of all rankings, or of the rankings in `rows`."""
    return PositionTensors(rankings._handle if rows is None else rankings._handle.select(rows), n_jobs)


class PositionTensors:
    """Training rankings, or their inverse permutations, in which items and positions are exchanged."""

    def __init__(self, rankings: _core.Rankings, n_jobs: int | None = None, *, inverse: bool = False) -> None:
        self.rows, self.items = rankings.rows, rankings.items
        self._run = Run(n_jobs=n_jobs)
        # A ranking with ties has no inverse, but the mean tensor of the inverses of its complete rankings exists.
        complete = rankings.is_complete and inverse
        self._rankings, self._inverse = (rankings.inverse(), False) if complete else (rankings, inverse)

    def embed(self, U: Array) -> Array:
        """Return the tensor of each ranking for the weights U, as a row."""
        return embed_of(self._rankings, U, self._run, inverse=self._inverse).reshape(self.rows, -1)

    def gram(self, U: Array, order: int) -> Array:
        """Return the matrix of inner products of the tensors for the weights U: one array, or a stack of arrays."""
        if not self._inverse:
            return gram_of(Rankings._made(self._rankings), None, TensorKernel(U, order=order), self._run)
        check_fits(self.rows, self.rows, np.dtype(np.float64), "learn from fewer rankings")
        total = np.zeros((self.rows, self.rows))
        size = U.shape[-1] ** order
        # As many rankings at a time as fit in memory with their tensors.
        starts = range(0, self.rows, max(BLOCK // max(size, 1), 1))
        for member in U.reshape(-1, *U.shape[U.ndim - order :]):
            for first in starts:
                one = self._part(first, starts.step).embed(member)
                for second in starts[: starts.index(first) + 1]:
                    other = one if second == first else self._part(second, starts.step).embed(member)
                    block = one @ other.T
                    total[first : first + len(one), second : second + len(other)] += block
                    if second != first:
                        total[second : second + len(other), first : first + len(one)] += block.T
        return total

    def blocks(self, rows: int) -> Iterator[PositionTensors]:
        """Yield blocks of `rows` rankings."""
        for first in range(0, self.rows, max(rows, 1)):
            yield self._part(first, max(rows, 1))

    def _part(self, first: int, count: int) -> PositionTensors:
        rows = np.arange(first, min(first + count, self.rows))
        part = self._rankings.select(rows, keep=True)
        return PositionTensors(part, self._run.threads, inverse=self._inverse)

    def combine(self, coefficients: Array, U: Array) -> Array:
        """Return the sum of the tensors for the weights U, each tensor times the coefficient of its ranking."""
        return combine_of(self._rankings, coefficients, U, self._run, inverse=self._inverse)

    def scores(self, U: Array, B: Array) -> Array:
        """Return the inner product of B and the tensor of each ranking for the weights U."""
        return linear_function_of(self._rankings, U, B, self._run, inverse=self._inverse)

    def inverted(self) -> PositionTensors:
        """Return the inverse permutations."""
        return PositionTensors(self._rankings, self._run.threads, inverse=not self._inverse)

    def tuple_sums(self, coefficients: Array, order: int) -> Array:
        """Return, for each tuple of items and each tuple of ranks, a sum of the coefficients of rankings.

        The sum is over the rankings that give these ranks to these items. Ties make several ranks possible. The
        coefficient of a ranking with ties is divided among these ranks.
        """
        sums = np.empty((self.items**order, self.items**order))
        _core.tuple_sums(self._rankings, coefficients, order, sums, threads=self._run.threads)
        return sums.T if self._inverse else sums
