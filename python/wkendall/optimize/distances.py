"""Distances between paths, and quick updates of these distances for all neighbours of a path.

Each distance is a squared Euclidean distance between vectors. Each distance has three methods:

- `typical`: the approximate distance between two random paths;
- `between`: the distance of each path from each path of a second set;
- `neighbours`: the distance of each neighbour of a path from each evaluated path, with the arguments of `Moves.discordant`.

`reaches` has the values of the arguments `first` and `again` of `search.reach`. These values were chosen by
measurements. Far from the evaluated points, models with a distance for tours or for assignments predict well. Models
with the number of discordant pairs predict badly at such points for flow shops, where many orders have equal values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall._run import Run
from wkendall.arrays.options import Reading
from wkendall.gram import gram_of
from wkendall.measures import KendallDistance
from wkendall.optimize.moves import Counts, Moves, Orders
from wkendall.rankings import read_both


class Discordant:
    """The number of pairs of items that two paths have in different orders."""

    reaches = (8.0, 2.0)

    def typical(self, length: int) -> float:
        """Return the approximate distance between two random paths."""
        return max(1.0, length * (length - 1) / 4)

    def between(self, paths: Orders, others: Orders) -> Array:
        """Return the distance of each path to each of the others."""
        return gram_of(*read_both(paths, others, Reading("orders")), KendallDistance(), Run())

    def neighbours(self, moves: Moves, ranks: NDArray[np.int32], distances: Counts) -> Counts:
        """Return the distance of each neighbour of a path from each evaluated path."""
        return moves.discordant(ranks, distances)


class _Positions:
    """The sum, over all items, of a function of the positions of the item in the two paths."""

    def _each(self, ranks: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
        raise NotImplementedError

    def _scale(self, items: int) -> NDArray[np.int32]:
        """Return the numbers that `_each` compares, for the positions -1 to `items`."""
        return np.arange(-1, items + 1, dtype=np.int32)

    def between(self, paths: Orders, others: Orders) -> Array:
        """Return the distance of each path to each of the others."""
        items = paths.shape[1]
        scale = self._scale(items)[1:-1]
        ranks, theirs = scale[np.argsort(paths, axis=1)], scale[np.argsort(others, axis=1)]
        found = np.zeros((len(paths), len(others)))
        for item in range(items):
            found += self._each(ranks[:, item, np.newaxis], theirs[:, item])
        return found

    def neighbours(self, moves: Moves, ranks: NDArray[np.int32], distances: Counts) -> Counts:
        """Return the distance of each neighbour of a path from each evaluated path.

        An insertion takes an item out at one position and puts it back at another. The items between the two positions
        move by one position. The sum of the changes of these items is the difference of two running sums.
        """
        items, evaluated = ranks.shape
        found: Counts = np.empty((len(moves), evaluated), np.int32)
        scale = self._scale(items)[:, np.newaxis]
        before, places, behind = scale[:-2], scale[1:-1], scale[2:]
        ranks = places[ranks, 0]
        stay = self._each(ranks, places).astype(np.int32)
        left, right = (_running(self._each(ranks, shifted) - stay) for shifted in (before, behind))
        turned = {0: np.zeros((items, evaluated), np.int32), -1: np.zeros((items + 1, evaluated), np.int32)}
        base, end = distances.astype(np.int32), 0
        for offset in range(1, moves.reach + 1):
            count = items - offset
            up = self._each(ranks[:count], places[offset:]) - stay[:count]
            down = self._each(ranks[offset:], places[:count]) - stay[offset:]
            changes = [up + left[offset + 1 :] - left[1 : count + 1]]
            if offset >= 2:
                changes += [down + right[offset:-1] - right[:count], up + down]
            if moves.reversals:
                turned[offset] = up + down + turned.pop(offset - 2)[1 : count + 1]
                if offset >= 3:
                    changes.append(turned[offset])
            for change in changes:
                np.add(base, change, out=found[end : end + count])
                end += count
        return found


class Displaced(_Positions):
    """The number of positions at which two paths have different items: a distance for assignments."""

    reaches = (64.0, 64.0)

    def typical(self, length: int) -> float:
        """Return the approximate distance between two random paths."""
        return float(max(1, length))

    def _each(self, ranks: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(ranks != places)


class Footrule(_Positions):
    """The sum, over all items, of the distance between the positions of the item in the two paths."""

    reaches = (8.0, 2.0)

    def typical(self, length: int) -> float:
        """Return the approximate distance between two random paths."""
        return max(1.0, (length * length - 1) / 3)

    def _each(self, ranks: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.abs(ranks - places))


class TopFootrule(Footrule):
    """The footrule with positions that count less toward the end: position r of n is replaced by 1000 (1 - exp(-16 r / n)).

    The end of an order often has no effect on the function that is minimised. An example is a function with a variable
    that says how many of the first items are used.
    """

    def typical(self, length: int) -> float:
        """Return the approximate distance between two random paths."""
        places = self._scale(length)[1:-1].astype(float)
        return max(1.0, float(np.abs(places[:, np.newaxis] - places).sum()) / max(1, length))

    def _scale(self, items: int) -> NDArray[np.int32]:
        positions = np.maximum(super()._scale(items), 0)  # -1 is not used
        return np.round(1000 - 1000 * np.exp(-16 * positions / max(1, items))).astype(np.int32)


class Edges:
    """The number of edges of one tour that the other tour does not have.

    A path is a tour without item 0. In the tour, item 0 comes before the path, and again after the path. The edges of a
    tour do not depend on its start or direction.
    """

    reaches = (64.0, 64.0)

    def typical(self, length: int) -> float:
        """Return the approximate distance between two random paths."""
        return float(length + 1)

    def between(self, paths: Orders, others: Orders) -> Array:
        """Return the distance of each path to each of the others."""
        length = paths.shape[1]
        ranks = np.argsort(others, axis=1).T
        found = np.empty((len(paths), len(others)))
        for row, path in enumerate(paths):
            found[row] = length + 1 - _shared(ranks[path].astype(np.int32), 1).sum(axis=0)
        return found

    def neighbours(self, moves: Moves, ranks: NDArray[np.int32], distances: Counts) -> Counts:
        """Return the distance of each neighbour from each evaluated path. A move replaces two to four edges."""
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


#: A distance between paths.
Distance = Discordant | Displaced | Footrule | Edges


def _running(changes: Counts) -> Counts:
    """Return sums over the first rows: row k is the sum over rows 0..k - 1."""
    sums: Counts = np.zeros((len(changes) + 1, changes.shape[1]), np.int32)
    np.cumsum(changes, axis=0, out=sums[1:])
    return sums


def _shared(ranks: NDArray[np.int32], offset: int) -> Counts:
    """Return whether the items at positions k and k + offset are adjacent in each evaluated tour, for every k.

    The positions are positions in the tour, which is written with its first item at both ends.
    """
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
