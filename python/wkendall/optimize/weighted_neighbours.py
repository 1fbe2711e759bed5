"""The weighted Kendall kernel of all neighbours of a path, updated from that of the path in O(1) each.

Position k of the path has the weight u[k]; the item there has the weight v[k] in an evaluated path. Two positions k < l add
u[k] u[l] v[k] v[l] s(k, l), with s = 1 if the evaluated path has both items in the same order and -1 if not. If neighbours in the
path change places, the weights of both items change, by what their sums with all others say. A longer insertion is one such
change more than a shorter one. In the loop below `left` and `right` are sums over the positions outside the part that a move
changes; they lose one term when the part grows by one position, and the sums over the part gain one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall.optimize.moves import Moves


def weighted_neighbours(moves: Moves, ranks: NDArray[np.int32], u: Array, values: Array) -> Array:
    """Return the signed kernel between each neighbour of a path and each evaluated path; there are no reversals.

    Parameters
    ----------
    moves : Moves
    ranks : ndarray of shape (items, evaluated)
        Where the evaluated paths have the items of the path, in its order.
    u : ndarray of shape (items,)
        Position weights.
    values : ndarray of shape (evaluated,)
        The kernel of the path itself.

    Returns
    -------
    ndarray of shape (moves, evaluated)
    """
    items, evaluated = ranks.shape
    found, end = np.empty((len(moves), evaluated)), 0
    v = u[ranks]
    here = u[:, np.newaxis] * v  # weights where the items are, and one position before and behind
    before, behind = np.roll(u, 1)[:, np.newaxis] * v, np.roll(u, -1)[:, np.newaxis] * v
    all_left, all_right = _sums(ranks, here)
    left, right = all_left.copy(), all_right.copy()
    up, down = np.zeros((2, items, evaluated))
    # Sums over the part, for its first and its last item, if the part moves up or down by a position.
    first_before, last_before, first_behind, last_behind = np.zeros((4, items, evaluated))
    for offset in range(1, moves.reach + 1):
        count = items - offset
        a, b = slice(0, count), slice(offset, None)
        s = _signs(ranks, offset)
        left[b] -= here[a] * s
        right[a] -= here[b] * s
        # The first item has come to the position before the last, and now passes it.
        step = (u[offset:] - u[offset - 1 : -1])[:, np.newaxis]
        passed = v[a] * (all_left[a] - first_before[a] + right[a]) - v[b] * (left[b] + last_before[b] + all_right[b])
        up[a] += step * passed - 2 * before[b] * u[offset:, np.newaxis] * v[a] * s
        blocks = [up[a]]
        # The last item has come to the position behind the first, and now passes it.
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
    """Return for each position the weighted sums of signs over all positions before it, and behind it."""
    left, right = np.zeros_like(weights), np.zeros_like(weights)
    for offset in range(1, len(ranks)):
        s = _signs(ranks, offset)
        left[offset:] += weights[:-offset] * s
        right[:-offset] += weights[offset:] * s
    return left, right
