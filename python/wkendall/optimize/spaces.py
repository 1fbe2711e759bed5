"""The search space: all orders of the items, or tours, which have neither a start nor a direction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import factorial

import numpy as np

from wkendall._arguments import check_choice
from wkendall.optimize.moves import Orders

SPACES = ("order", "tour")


class Space:
    """The orders of `items` items, or their tours.

    A tour is written with item 0 first, in the direction in which the second item is smaller than the last. Its other
    items in that sequence are its `path`; the path of an order is the order itself. Moves and distances are defined for
    paths.
    """

    def __init__(self, name: str, items: int) -> None:
        check_choice(name, "space", SPACES)
        self.name = name
        self.items = items
        self.is_tour = name == "tour"
        #: The number of items of a path.
        self.length = items - 1 if self.is_tour else items

    @property
    def size(self) -> int:
        """The number of distinct points."""
        return factorial(self.length) // (2 if self.is_tour and self.length > 1 else 1)

    def path(self, order: Orders) -> Orders:
        """Return the part of an order that can change, numbered from 0: the canonical form."""
        if not self.is_tour:
            return order
        path = np.roll(order, -int(np.argmin(order)))[1:] - 1
        return self.directed(path)

    def directed(self, path: Orders) -> Orders:
        """Return a path in the direction of its canonical form."""
        turned = self.is_tour and len(path) > 1 and path[0] > path[-1]
        return path[::-1].copy() if turned else path

    def order(self, path: Orders) -> Orders:
        """Return the order of a path, as users see it."""
        return np.concatenate([[0], path + 1]) if self.is_tour else path.copy()

    def random(self, rng: np.random.Generator) -> Orders:
        """Draw a path; all points are equally likely."""
        return self.directed(rng.permutation(self.length))

    def all(self) -> Iterator[Orders]:
        """Yield all paths."""
        for path in permutations(range(self.length)):
            if not self.is_tour or len(path) < 2 or path[0] < path[-1]:
                yield np.array(path, np.int64)
