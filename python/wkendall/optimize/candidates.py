"""Paths that may be proposed: feasible, and not evaluated yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from wkendall.optimize.moves import Moves, Orders
from wkendall.optimize.spaces import Space

#: Spaces of at most this many points (8 items) are searched completely if random draws find nothing.
SMALL = 50_000


class Candidates:
    """Paths that may be proposed. The higher the `cost` of a correlation, the shorter the moves."""

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
