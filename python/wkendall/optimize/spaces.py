"""The search space, and the points that may be proposed. The space is all orders, or all tours.

A tour has neither a start nor a direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from math import factorial
from typing import NamedTuple

import numpy as np

from wkendall._arguments import check_choice
from wkendall._errors import bad_type, shown
from wkendall.optimize.moves import Moves, Orders
from wkendall.optimize.variables import Values, Variables

SPACES = ("order", "tour")
#: Spaces of at most this many points (8 items) are searched completely if random draws find nothing.
SMALL = 50_000


class Space:
    """The orders of `items` items, or their tours.

    A tour is written with item 0 first, and with the second item smaller than the last. The `path` of a tour is the
    part after item 0. The `path` of an order is the order itself. Moves and distances are defined for paths.
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
        """Return the path of an order in canonical form, with its items numbered from 0."""
        if not self.is_tour:
            return order
        path = np.roll(order, -int(np.argmin(order)))[1:] - 1
        return self.directed(path)

    def directed(self, path: Orders) -> Orders:
        """Return a path in canonical form: the path of a tour may be reversed."""
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


class Site(NamedTuple):
    """A point inside the optimiser: the path, and the values of the variables."""

    path: Orders
    values: Values = ()

    @property
    def key(self) -> bytes:
        """The key of the point: equal points have equal keys. For an order alone, the key is the bytes of its path."""
        return self.path.tobytes() + (repr(self.values).encode() if self.values else b"")


def as_answer(value: object) -> bool:
    """Check what `feasible` returns. None is an error, because a function that lacks its return statement returns None."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, bool | np.bool_ | int | np.integer):
        raise bad_type("feasible(x)", f" must be True or False, not {shown(value)}")
    return bool(value)


class Candidates:
    """The points that may be proposed: feasible, and not evaluated yet. A higher `cost` allows only shorter moves."""

    #: The number of random points that are drawn before other ways are tried.
    TRIES = 2000

    def __init__(
        self,
        space: Space,
        variables: Variables | None,
        feasible: Callable[..., bool] | None,
        taken: set[bytes],
        evaluated: list[Site],
        cost: int = 1,
    ) -> None:
        self.space, self.variables = space, variables
        self.feasible = feasible
        self.taken = taken
        self.evaluated = evaluated
        self.moves = Moves(space.length, reversals=space.is_tour, evaluated=cost * len(evaluated))
        self._allowed: dict[bytes, bool] = {}

    @property
    def size(self) -> float:
        """The number of points of the space."""
        return self.space.size * (1 if self.variables is None else self.variables.size)

    def acceptable(self, path: Orders, values: Values = ()) -> bool:
        """Return whether a point may be proposed. The direction of a tour has no effect."""
        site = Site(self.space.directed(path), values)
        key = site.key
        if key in self.taken:
            return False
        if self.feasible is None:
            return True
        if key not in self._allowed:
            order = self.space.order(site.path)
            others = () if self.variables is None else (self.variables.by_name(values),)
            self._allowed[key] = as_answer(self.feasible(order, *others))
        return self._allowed[key]

    def some(self, count: int, rng: np.random.Generator) -> list[Site]:
        """Draw `count` random points, and return the acceptable points among them, if there are any."""
        return list(self._drawn(rng, count))

    def first(self, number: int, count: int, seed: int, rng: np.random.Generator) -> Site | None:
        """Return point `number` of `count` points for the start of a run: random orders, evenly spread variables."""
        if self.variables is not None:
            site = Site(self.space.random(rng), self.variables.spread(number, count, seed))
            if self.acceptable(*site):
                return site
        return self.random(rng)

    def random(self, rng: np.random.Generator) -> Site | None:
        """Return a random acceptable point, or None if no acceptable point is found.

        Random points are drawn first. If none is acceptable, a small space is searched completely. In a large space,
        the neighbours of the evaluated points are tried.
        """
        found = next(self._drawn(rng, self.TRIES), None)
        if found is not None:
            return found
        if self.size <= SMALL:
            values = [()] if self.variables is None else list(self.variables.all())
            points = (Site(path, own) for path in self.space.all() for own in values)
            left = [site for site in points if self.acceptable(*site)]
            return left[rng.integers(len(left))] if left else None
        near = (site for site in self._neighbours(rng) if self.acceptable(*site))
        return next((Site(self.space.directed(site.path), site.values) for site in near), None)

    def _drawn(self, rng: np.random.Generator, tries: int) -> Iterator[Site]:
        for _ in range(tries):
            site = Site(self.space.random(rng), () if self.variables is None else self.variables.random(rng))
            if self.acceptable(*site):
                yield site

    def _neighbours(self, rng: np.random.Generator) -> Iterator[Site]:
        for place in rng.permutation(len(self.evaluated)):
            path, values = self.evaluated[place]
            if self.variables is not None:
                yield from (Site(path, self.variables.random(rng)) for _ in range(20))
            yield from (Site(self.moves.neighbour(path, move), values) for move in rng.permutation(len(self.moves)))
