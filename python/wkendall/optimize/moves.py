"""All neighbours of an order, and their distances from the evaluated orders.

A move changes the order of few pairs of items. So the distances of a neighbour are computed from the distances of the
order itself. The computation of one distance takes O(1) time, because a move over k + 1 positions needs only one more
comparison than the same move over k positions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Orders = NDArray[np.int64]
Counts = NDArray[np.int32]

#: Kinds of moves: one item is moved, two items are swapped, a part is reversed.
INSERTION, SWAP, REVERSAL = range(3)
#: Approximate maximum number of distances in memory at a time. Longer moves are left out if it would be exceeded. All
#: moves of 100 items and 200 evaluated orders are within it.
MAX_DISTANCES = 8_000_000


class Moves:
    """The moves from an order of `items` items to its neighbours. Each neighbour is reached by one move.

    There are three kinds of moves. `kind` has the kind of each move, and `first` and `second` have its two positions:

    - The item at position `first` moves to position `second`.
    - The items at the positions `first` and `second` are swapped.
    - The part from position `first` to position `second` is reversed.
    """

    def __init__(self, items: int, *, reversals: bool, evaluated: int = 1) -> None:
        self.items = items
        self.reversals = reversals
        kinds = 4 if reversals else 3
        self.reach = max(1, min(items - 1, MAX_DISTANCES // (kinds * max(1, items) * max(1, evaluated))))
        parts = [part for offset in range(1, self.reach + 1) for part in self._parts(offset)]
        if items < 2:
            parts = [(INSERTION, np.empty(0, np.int64), np.empty(0, np.int64))]
        self.kind = np.concatenate([np.full(len(first), kind) for kind, first, _ in parts])
        self.first = np.concatenate([first for _, first, _ in parts])
        self.second = np.concatenate([second for _, _, second in parts])

    def __len__(self) -> int:
        return len(self.kind)

    def _parts(self, offset: int) -> list[tuple[int, Orders, Orders]]:
        """Return the moves over `offset` positions, each of them once.

        A swap of adjacent items is also an insertion, and a reversal of three items is also a swap. Such moves are
        listed only once.
        """
        low = np.arange(self.items - offset)
        high = low + offset
        parts = [(INSERTION, low, high)]
        if offset >= 2:
            parts += [(INSERTION, high, low), (SWAP, low, high)]
        if offset >= 3 and self.reversals:
            parts.append((REVERSAL, low, high))
        return parts

    def neighbour(self, order: Orders, move: int) -> Orders:
        """Return the order `order` after the move with the number `move`."""
        first, second = int(self.first[move]), int(self.second[move])
        moved = order.copy()
        if self.kind[move] == SWAP:
            moved[first], moved[second] = order[second], order[first]
        elif self.kind[move] == REVERSAL:
            moved[first : second + 1] = order[first : second + 1][::-1]
        elif first < second:
            moved[first:second], moved[second] = order[first + 1 : second + 1], order[first]
        else:
            moved[second + 1 : first + 1], moved[second] = order[second:first], order[first]
        return moved

    def discordant(self, ranks: NDArray[np.integer], distances: NDArray[np.integer]) -> Counts:
        """Count the discordant pairs between each neighbour of the start and each evaluated order.

        The start is the order from which the moves begin. The result has one row for each neighbour of the start, and
        one column for each evaluated order. `ranks[k, e]` is the position, in the evaluated order e, of the item that
        is at position k of the start. `distances[e]` is the number of discordant pairs between the start and the
        evaluated order e.
        """
        items, evaluated = ranks.shape
        found: Counts = np.empty((len(self), evaluated), np.int32)
        # The change of the distance if the item at a position moves up or down by `offset`, and if the part after it is
        # reversed.
        up = np.zeros((items, evaluated), np.int32)
        down, turned = up.copy(), up.copy()
        ranks, distances, end = ranks.astype(np.int32), distances.astype(np.int32), 0
        for offset in range(1, self.reach + 1):
            count = items - offset
            pair = np.where(ranks[offset:] > ranks[:count], np.int32(1), np.int32(-1))
            up[:count] += pair
            down[offset:] += pair
            changes = [up[:count]]
            if offset >= 2:
                changes += [down[offset:], up[:count] + down[offset:] - pair]
            if self.reversals:
                turned[:count] += down[offset:]
                if offset >= 3:
                    changes.append(turned[:count])
            for change in changes:
                np.add(change, distances, out=found[end : end + count])
                end += count
        return found
