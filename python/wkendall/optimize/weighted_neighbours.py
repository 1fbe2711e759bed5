"""The weighted Kendall kernel of all neighbours of a path, each updated from that of the path in O(1).

Position k of the path has the weight u[k]; the item at this position has the weight v[k] in an evaluated path. Two
positions k < l add u[k] u[l] v[k] v[l] s(k, l), where s = 1 if the evaluated path has both items in the same order and
-1 otherwise. If two adjacent items of the path are swapped, their weights change; the effect follows from their sums
with all other items. An insertion over one more position is one more such swap. In the loop below, `left` and `right`
are sums over the positions outside the part that a move changes. They lose one term when the part grows by one
position, and the sums over the part gain one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall.optimize.moves import Moves


def weighted_neighbours(moves: Moves, ranks: NDArray[np.int32], u: Array, values: Array) -> Array:
    """Return the signed kernel between each neighbour of a path and each evaluated path; reversals are not supported.

    Parameters
    ----------
    moves : Moves
    ranks : ndarray of shape (items, evaluated)
        The positions of the items in the evaluated paths; the items are in the sequence of the path.
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
    """Return, for each position, the weighted sums of signs over all positions before it and after it."""
    left, right = np.zeros_like(weights), np.zeros_like(weights)
    for offset in range(1, len(ranks)):
        s = _signs(ranks, offset)
        left[offset:] += weights[:-offset] * s
        right[:-offset] += weights[offset:] * s
    return left, right
