"""Correlations exp(-lam d) between paths, where d is a distance; quick updates for the neighbours of a path.

With several distances d, the exponent is minus the sum of the terms lam d, with a lam for each distance. Each d is a
squared Euclidean distance between vectors. All these kernels are therefore positive definite.
"""

from __future__ import annotations

import numpy as np

from wkendall._arguments import Array
from wkendall.optimize.distances import Distance
from wkendall.optimize.moves import Counts, Moves, Orders

Prior = list[tuple[float, float, tuple[float, float]]]

#: Mean, standard deviation and bounds of the logarithm of (lam times the distance between random paths).
_PRIOR = (0.0, 1.5, (-4.0, 4.0))


class Kernel:
    """Correlations with the evaluated paths, with the interface `process.Correlation`.

    There is one parameter for each distance: log lam plus a constant.
    """

    cost = 1

    def __init__(self, measures: list[Distance], paths: Orders) -> None:
        self.measures = measures
        self.paths = paths
        self.evaluated, self.length = paths.shape
        self.scales = [1 / measure.typical(self.length) for measure in measures]
        #: The positions of the items in the paths, one column for each path.
        self.ranks = np.ascontiguousarray(np.argsort(paths, axis=1).T, np.int32)
        self.distances = [measure.between(paths, paths) for measure in measures]
        self.prior: Prior = [_PRIOR] * len(measures)
        self.starts = [[0.0] * len(measures), [1.5] * len(measures)]

    def matrix(self, parameters: Array) -> tuple[Array, list[Array]]:
        """Return the correlations of all pairs of paths, and the derivatives with respect to each parameter."""
        rates = np.exp(parameters) * self.scales
        correlations = _falling(self.distances, rates)
        return correlations, [-rate * each * correlations for rate, each in zip(rates, self.distances, strict=True)]

    def between(self, paths: Orders, parameters: Array) -> Array:
        """Return the correlations of other paths with the evaluated paths."""
        distances = [measure.between(paths, self.paths) for measure in self.measures]
        return _falling(distances, np.exp(parameters) * self.scales)

    def view(self, path: Orders) -> View:
        """Return a view of a path: its distances from the evaluated paths, which are updated after each move."""
        distances = [measure.between(path[np.newaxis], self.paths)[0] for measure in self.measures]
        return View(self, path, [each.astype(np.int32) for each in distances])


class View:
    """The distances of a path from the evaluated paths, which are updated after each move."""

    def __init__(self, kernel: Kernel, path: Orders, distances: list[Counts]) -> None:
        self.kernel = kernel
        self.path = path
        self.distances = distances
        self.around: list[Counts] = []

    def neighbours(self, moves: Moves, parameters: Array) -> Array:
        """Return the correlations of all neighbours of the path with the evaluated paths."""
        ranks = self.kernel.ranks[self.path]
        pairs = zip(self.kernel.measures, self.distances, strict=True)
        self.around = [measure.neighbours(moves, ranks, distances) for measure, distances in pairs]
        return _falling(self.around, np.exp(parameters) * self.kernel.scales)

    def moved(self, moves: Moves, move: int) -> View:
        """Return the view after a move. The last call of `neighbours` has computed the new distances."""
        return View(self.kernel, moves.neighbour(self.path, move), [around[move] for around in self.around])


def _falling(distances: list[Array] | list[Counts], rates: Array) -> Array:
    found: Array = np.multiply(distances[0], -rates[0])
    for each, rate in zip(distances[1:], rates[1:], strict=True):
        found -= rate * each
    return np.exp(found, out=found)
