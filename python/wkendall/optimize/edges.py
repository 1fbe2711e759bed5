"""The number of edges that two tours do not share: the distance for tours, and its updates.

A path is a tour without its first item. This item comes before the first and after the last item of the path. The edges
of a tour do not depend on its start and direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall.optimize.moves import Counts, Moves, Orders


def edges_not_shared(paths: Orders, others: Orders) -> Array:
    """Count the edges of each path that each of the others does not have."""
    length = paths.shape[1]
    ranks = np.argsort(others, axis=1).T
    found = np.empty((len(paths), len(others)))
    for row, path in enumerate(paths):
        found[row] = length + 1 - _shared(ranks[path].astype(np.int32), 1).sum(axis=0)
    return found


def neighbours_edges(moves: Moves, ranks: NDArray[np.int32], distances: Counts) -> Counts:
    """Count the same for each neighbour of a path, as `Moves.discordant` does: a move replaces two to four edges."""
    items, evaluated = ranks.shape
    found: Counts = np.empty((len(moves), evaluated), np.int32)
    # shared[offset][k]: whether the items at positions k and k + offset are adjacent in the evaluated tour. Position 0
    # and the last position are the first item of the tour; the items of the path are at 1..items.
    shared = {offset: _shared(ranks, offset) for offset in (1, 2) if offset <= items + 1}
    step, skip, end = shared[1], shared.get(2), 0
    for offset in range(1, moves.reach + 1):
        count = items - offset
        shared[offset + 1] = _shared(ranks, offset + 1)
        near, far = shared[offset], shared[offset + 1]
        # Edges before and after both ends of the part: a - 1, a, a + 1 and b - 1, b, b + 1 for positions a < b.
        before, first = step[:count], step[1 : count + 1]
        last, behind = step[offset : offset + count], step[offset + 1 : offset + 1 + count]
        inside, outside, across = near[1 : count + 1], far[:count], far[1 : count + 1]
        assert skip is not None
        gains = [skip[:count] + inside + across - before - first - behind]
        if offset >= 2:
            gains.append(skip[offset : offset + count] + outside + inside - last - behind - before)
            inner = shared[offset - 1]
            exchanged = outside + inner[2 : count + 2] + inner[1 : count + 1] + across
            gains.append(exchanged - before - first - last - behind)
        if moves.reversals and offset >= 3:
            gains.append(outside + across - before - behind)
        for gain in gains:
            np.subtract(distances, gain, out=found[end : end + count])
            end += count
        shared.pop(offset - 1, None)
    return found


def _shared(ranks: NDArray[np.int32], offset: int) -> Counts:
    """Tell, for all positions k and k + offset of a tour with its first item at both ends, whether they are adjacent."""
    items, evaluated = ranks.shape
    count = items + 2 - offset
    found: Counts = np.zeros((count, evaluated), np.int32)
    if offset <= items:
        outer = (ranks == 0) | (ranks == items - 1)
        found[0] = outer[offset - 1]
        found[-1] = outer[items - offset]
    if offset < items:
        found[1:-1] = np.abs(ranks[offset:] - ranks[:-offset]) == 1
    return found
