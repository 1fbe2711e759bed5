"""Weighted Kendall kernels between orders, with learned position weights."""

from __future__ import annotations

import numpy as np

from wkendall._arguments import Array
from wkendall._run import Run
from wkendall.arrays.options import Reading
from wkendall.gram import gram_of
from wkendall.measures import Kendall
from wkendall.optimize.correlations import Prior
from wkendall.optimize.moves import Moves, Orders
from wkendall.optimize.weighted_neighbours import weighted_neighbours
from wkendall.rankings import read_both


class WeightedKernel:
    """The signed, normalized kernel with the weights exp(-a r) of the positions r = 0, 1, ..; its parameter is log a.

    It has the same methods as `correlations.Kernel`.
    """

    #: The approximate cost of a correlation relative to `correlations.Kernel`, for 100 items.
    cost = 2

    def __init__(self, paths: Orders) -> None:
        self.paths = paths
        self.evaluated, self.length = paths.shape
        usual = float(np.log(1.5 / max(1, self.length)))
        self.prior: Prior = [(usual, 1.0, (usual - 4.0, usual + 3.0))]
        self.starts = [[usual]]
        ranks = np.argsort(paths, axis=1)
        first, second = np.triu_indices(self.length, 1)
        self.ranks = np.ascontiguousarray(ranks.T, np.int32)
        self._signs = np.where(ranks[:, first] < ranks[:, second], 1.0, -1.0)
        self._sums = (ranks[:, first] + ranks[:, second]).astype(np.float64)

    def matrix(self, parameters: Array) -> tuple[Array, list[Array]]:
        """Return the correlations of all pairs of paths, and their derivatives.

        The vector of a path has an entry +-exp(-a (r + s)) for each pair of items with positions r and s. Its length is
        the same for all paths.
        """
        if self.length < 2:
            return np.zeros((self.evaluated, self.evaluated)), [np.zeros((self.evaluated, self.evaluated))]
        a = np.exp(parameters[0])
        vectors = self._signs * np.exp(-a * self._sums)
        changes = -a * self._sums * vectors
        square = vectors[0] @ vectors[0]
        correlations = vectors @ vectors.T / square
        slopes = changes @ vectors.T
        slopes = (slopes + slopes.T) / square - 2 * (changes[0] @ vectors[0]) / square * correlations
        return correlations, [slopes]

    def between(self, paths: Orders, parameters: Array) -> Array:
        """Return the correlations of other paths with the evaluated ones."""
        u, _ = self.weights(parameters)
        kernel = Kendall("mult", u=u, signed=True, normalize=True)
        return gram_of(*read_both(paths, self.paths, Reading("orders")), kernel, Run())

    def view(self, path: Orders) -> WeightedView:
        """Return the view of the evaluated paths from a path."""
        return WeightedView(self, path)

    def weights(self, parameters: Array) -> tuple[Array, float]:
        """Return the position weights, and the kernel of a path with itself before normalization."""
        u: Array = np.exp(-np.exp(parameters[0]) * np.arange(self.length))
        squares = u * u
        return u, float(squares.sum() ** 2 - squares @ squares) / 2


class WeightedView:
    """The kernel between a path and the evaluated paths, updated from move to move."""

    def __init__(self, kernel: WeightedKernel, path: Orders, values: Array | None = None) -> None:
        self.kernel = kernel
        self.path = path
        self.values = values
        self.around = np.empty((0, kernel.evaluated))

    def neighbours(self, moves: Moves, parameters: Array) -> Array:
        """Return the correlations of all neighbours with the evaluated paths."""
        if not len(moves):
            return self.around
        u, own = self.kernel.weights(parameters)
        if self.values is None:
            self.values = self.kernel.between(self.path[np.newaxis], parameters)[0] * own
        self.around = weighted_neighbours(moves, self.kernel.ranks[self.path], u, self.values)
        return self.around / own

    def moved(self, moves: Moves, move: int) -> WeightedView:
        """Return the view after a move."""
        return WeightedView(self.kernel, moves.neighbour(self.path, move), self.around[move])
