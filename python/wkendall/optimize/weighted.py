"""Weighted Kendall kernels between orders, with learned position weights and quick updates for neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall._run import Run
from wkendall.arrays.options import Reading
from wkendall.gram import gram_of
from wkendall.measures import Kendall
from wkendall.optimize.correlations import Prior
from wkendall.optimize.moves import Moves, Orders
from wkendall.rankings import read_both


class WeightedKernel:
    """The signed, normalized kernel with the weight exp(-a r) of each position r = 0, 1, .. Its parameter is log a.

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
        """Return the correlations of all pairs of paths, and the derivatives with respect to the parameter.

        The vector of a path has one entry for each pair of items. If the items have the positions r and s, the entry is
        exp(-a (r + s)) or -exp(-a (r + s)). The sign says which of the two items comes first. All these vectors have
        the same norm.
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
        """Return the correlations of other paths with the evaluated paths."""
        u, _ = self.weights(parameters)
        kernel = Kendall("mult", u=u, signed=True, normalize=True)
        return gram_of(*read_both(paths, self.paths, Reading("orders")), kernel, Run())

    def view(self, path: Orders) -> WeightedView:
        """Return a view of a path: its similarities to the evaluated paths, which are updated after each move."""
        return WeightedView(self, path)

    def weights(self, parameters: Array) -> tuple[Array, float]:
        """Return the position weights, and the kernel of a path with itself before normalization."""
        u: Array = np.exp(-np.exp(parameters[0]) * np.arange(self.length))
        squares = u * u
        return u, float(squares.sum() ** 2 - squares @ squares) / 2


class WeightedView:
    """The kernel between a path and the evaluated paths, which is updated after each move."""

    def __init__(self, kernel: WeightedKernel, path: Orders, values: Array | None = None) -> None:
        self.kernel = kernel
        self.path = path
        self.values = values
        self.around = np.empty((0, kernel.evaluated))

    def neighbours(self, moves: Moves, parameters: Array) -> Array:
        """Return the correlations of all neighbours of the path with the evaluated paths."""
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


def weighted_neighbours(moves: Moves, ranks: NDArray[np.int32], u: Array, values: Array) -> Array:
    """Return the signed kernel between each neighbour of a path and each evaluated path.

    A path is an order of items. Its neighbours are the orders after one move. An evaluated path is a path whose value
    of the minimised function is known. `ranks` is as for `Moves.discordant`, `u` contains the position weights, and
    `values` contains the kernel values between the path itself and the evaluated paths. Each entry of the result takes
    O(1) time. Moves that reverse a part of the path are not supported.

    Position k of the path has the weight u[k]. The item at this position has the weight v[k] in an evaluated path. Two
    positions k < l add u[k] u[l] v[k] v[l] s(k, l) to the kernel. Here s(k, l) = 1 if the evaluated path has the two
    items in the same order as the path, and s(k, l) = -1 otherwise.

    If two adjacent items of the path are swapped, the weights of both items change. The change of the kernel is
    computed from the sums of the terms of these two items with all other items. An insertion takes an item out and puts
    it back some positions away: this is a series of such swaps, one for each position. In the loop of this function,
    `left` and `right` are sums over the positions outside the part that a move changes. If the part grows by one
    position, `left` and `right` lose one term, and the sums over the part gain one term.
    """
    items, evaluated = ranks.shape
    found, end = np.empty((len(moves), evaluated)), 0
    v = u[ranks]
    here = u[:, np.newaxis] * v  # weights at the items' own positions, and one position before and after
    before, behind = np.roll(u, 1)[:, np.newaxis] * v, np.roll(u, -1)[:, np.newaxis] * v
    all_left, all_right = _sums(ranks, here)
    left, right = all_left.copy(), all_right.copy()
    up, down = np.zeros((2, items, evaluated))
    # Sums over the part, for its first and its last item, if the part shifts up or down by one position.
    first_before, last_before, first_behind, last_behind = np.zeros((4, items, evaluated))
    for offset in range(1, moves.reach + 1):
        count = items - offset
        a, b = slice(0, count), slice(offset, None)
        s = _signs(ranks, offset)
        left[b] -= here[a] * s
        right[a] -= here[b] * s
        # The first item has moved to the position before the last item, and is now swapped with it.
        step = (u[offset:] - u[offset - 1 : -1])[:, np.newaxis]
        passed = v[a] * (all_left[a] - first_before[a] + right[a]) - v[b] * (left[b] + last_before[b] + all_right[b])
        up[a] += step * passed - 2 * before[b] * u[offset:, np.newaxis] * v[a] * s
        blocks = [up[a]]
        # The last item has moved to the position after the first item, and is now swapped with it.
        step = (u[1 : count + 1] - u[:count])[:, np.newaxis]
        passed = v[a] * (all_left[a] + first_behind[a] + right[a]) - v[b] * (left[b] - last_behind[b] + all_right[b])
        down[b] += step * passed - 2 * behind[a] * u[:count, np.newaxis] * v[b] * s
        if offset >= 2:
            low, high = u[:count, np.newaxis], u[offset:, np.newaxis]
            outside = v[a] * (all_left[a] + right[a]) - v[b] * (left[b] + all_right[b])
            inside = v[a] * (all_right[a] - right[a] - here[b] * s) + v[b] * (all_left[b] - left[b] - here[a] * s)
            blocks += [down[b], (high - low) * outside - (high + low) * inside - 2 * here[a] * here[b] * s]
        first_before[a] += before[b] * s
        last_before[b] += before[a] * s
        first_behind[a] += behind[b] * s
        last_behind[b] += behind[a] * s
        for block in blocks:
            np.add(block, values, out=found[end : end + count])
            end += count
    return found


def _signs(ranks: NDArray[np.int32], offset: int) -> Array:
    return np.where(ranks[offset:] > ranks[:-offset], 1.0, -1.0)


def _sums(ranks: NDArray[np.int32], weights: Array) -> tuple[Array, Array]:
    """Return, for each position, the weighted sums of signs over all positions before and after this position."""
    left, right = np.zeros_like(weights), np.zeros_like(weights)
    for offset in range(1, len(ranks)):
        s = _signs(ranks, offset)
        left[offset:] += weights[:-offset] * s
        right[:-offset] += weights[offset:] * s
    return left, right
