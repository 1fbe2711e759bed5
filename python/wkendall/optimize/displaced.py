"""The number of positions with a different item: the distance for assignments, and its updates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall.optimize.moves import Counts, Moves, Orders


def displaced(paths: Orders, others: Orders) -> Array:
    """Count the positions with a different item, for each path and each of the others."""
    found = np.zeros((len(paths), len(others)))
    for position in range(paths.shape[1]):
        found += paths[:, position, np.newaxis] != others[:, position]
    return found


def displaced_neighbours(moves: Moves, ranks: NDArray[np.int32], distances: Counts) -> Counts:
    """Count the same for each neighbour of a path, as `Moves.discordant` does.

    An insertion shifts the items in between by one position. Their matches are sums over a range: differences of
    running sums.
    """
    items, evaluated = ranks.shape
    found: Counts = np.empty((len(moves), evaluated), np.int32)
    places = np.arange(items, dtype=np.int32)[:, np.newaxis]
    stay, left, right = (_running(ranks == places + shift) for shift in (0, -1, 1))
    here = (ranks == places).astype(np.int32)
    turned = {0: here, -1: np.zeros((items + 1, evaluated), np.int32)}
    base, end = distances.astype(np.int32), 0
    for offset in range(1, moves.reach + 1):
        count = items - offset
        low, high = places[:count], places[offset:]
        up = (ranks[:count] == high).astype(np.int32)
        down = (ranks[offset:] == low).astype(np.int32)
        lost = stay[offset + 1 :] - stay[:count]
        gains = [up + left[offset + 1 :] - left[1 : count + 1] - lost]
        if offset >= 2:
            gains.append(down + right[offset:-1] - right[:count] - lost)
            gains.append(up + down - here[:count] - here[offset:])
        if moves.reversals:
            turned[offset] = up + down + turned.pop(offset - 2)[1 : count + 1]
            if offset >= 3:
                gains.append(turned[offset] - lost)
        for gain in gains:
            np.subtract(base, gain, out=found[end : end + count])
            end += count
    return found


def _running(matches: NDArray[np.bool_]) -> Counts:
    """Return sums over the first rows: row k is the sum over rows 0..k - 1."""
    sums: Counts = np.zeros((len(matches) + 1, matches.shape[1]), np.int32)
    np.cumsum(matches, axis=0, out=sums[1:])
    return sums
