"""The search space: all orders of the items, or tours, which have neither a start nor a direction; paths to propose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, permutations
from math import factorial

import numpy as np

from wkendall._arguments import check_choice
from wkendall.optimize.moves import Moves, Orders

SPACES = ("order", "tour")
#: Spaces of at most this many points (8 items) are searched completely if random draws find nothing.
SMALL = 50_000


class Space:
    """The orders of `items` items, or their tours.

    A tour is written with item 0 first, in the direction in which the second item is smaller than the last. The `path`
    of a tour is what follows item 0; the path of an order is the order itself. Moves and distances are defined for
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


class Candidates:
    """Paths that may be proposed: feasible, and not evaluated yet. The higher `cost`, the shorter the moves."""

    #: The number of random paths that are drawn before other ways are tried.
    TRIES = 2000

    def __init__(
        self,
        space: Space,
        feasible: Callable[[Orders], bool] | None,
        taken: set[bytes],
        evaluated: list[Orders],
        cost: int = 1,
    ) -> None:
        self.space = space
        self.feasible = feasible
        self.taken = taken
        self.evaluated = evaluated
        self.moves = Moves(space.length, reversals=space.is_tour, evaluated=cost * len(evaluated))
        self._allowed: dict[bytes, bool] = {}

    def acceptable(self, path: Orders) -> bool:
        """Tell whether a path may be proposed, in either direction."""
        path = self.space.directed(path)
        key = path.tobytes()
        if key in self.taken:
            return False
        if self.feasible is None:
            return True
        if key not in self._allowed:
            self._allowed[key] = bool(self.feasible(self.space.order(path)))
        return self._allowed[key]

    def some(self, count: int, rng: np.random.Generator) -> list[Orders]:
        """Draw random paths and return the acceptable ones, possibly none."""
        return list(islice(self._drawn(rng, count), count))

    def random(self, rng: np.random.Generator) -> Orders | None:
        """Draw a random acceptable path. If that fails, search for one.

        A small space is searched completely. In a large one, the neighbours of the evaluated paths are tried. None if
        there is none.
        """
        found = next(self._drawn(rng, self.TRIES), None)
        if found is not None:
            return found
        if self.space.size <= SMALL:
            left = [path for path in self.space.all() if self.acceptable(path)]
            return left[rng.integers(len(left))] if left else None
        for place in rng.permutation(len(self.evaluated)):
            for move in rng.permutation(len(self.moves)):
                path = self.moves.neighbour(self.evaluated[place], move)
                if self.acceptable(path):
                    return self.space.directed(path)
        return None

    def _drawn(self, rng: np.random.Generator, tries: int) -> Iterator[Orders]:
        for _ in range(tries):
            path = self.space.random(rng)
            if self.acceptable(path):
                yield path
