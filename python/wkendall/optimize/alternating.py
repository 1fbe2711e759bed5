"""Search for the largest expected improvement over orders with other variables: both parts in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr

from wkendall._arguments import Array
from wkendall.optimize.moves import Moves, Orders
from wkendall.optimize.process import Process
from wkendall.optimize.product import ProductKernel, ProductModel, Site, joined, shares
from wkendall.optimize.search import Search, log_improvement
from wkendall.optimize.spaces import SMALL, Candidates, Space
from wkendall.optimize.variables import Values, Variables

#: Searches start at this many of the best points, and at this many of the most promising random points.
_BEST, _RANDOM, _DRAWN = 3, 2, 64
#: The number of times that both parts are changed in turn, and the least gain in the logarithm of the improvement.
_ROUNDS, _LEAST = 3, 1e-3
#: Variables are first tried at this many random places, and at this many near the present ones. Gradients start from
#: the best of them.
_ANYWHERE, _NEAR = 48, 16
#: The number of steps along gradients, and how often real numbers and other variables are changed in turn.
_STEPS, _CHANGES = 15, 3
_HALF_LOG = 0.5 * np.log(2 * np.pi)


class Sites:
    """Points that may be proposed: feasible, and not evaluated yet."""

    def __init__(
        self,
        space: Space,
        variables: Variables,
        feasible: Callable[[Orders, dict[str, Any]], bool] | None,
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

    def acceptable(self, path: Orders, values: Values) -> bool:
        """Tell whether a point may be proposed, in either direction of a tour."""
        site = Site(self.space.directed(path), values)
        key = site.key
        if key in self.taken:
            return False
        if self.feasible is None:
            return True
        if key not in self._allowed:
            order = self.space.order(site.path)
            self._allowed[key] = bool(self.feasible(order, self.variables.by_name(values)))
        return self._allowed[key]

    def some(self, count: int, rng: np.random.Generator, best: Site | None = None) -> list[Site]:
        """Draw random points, every second one with a part of the best point, and return the acceptable ones."""
        drawn = [Site(self.space.random(rng), self.variables.random(rng)) for _ in range(count)]
        if best is not None:
            drawn[1::4] = [Site(best.path, site.values) for site in drawn[1::4]]
            drawn[3::4] = [Site(site.path, best.values) for site in drawn[3::4]]
        return [site for site in drawn if self.acceptable(*site)]

    def first(self, number: int, count: int, seed: int, rng: np.random.Generator) -> Site | None:
        """Return one of the first `count` points: a random order with evenly spread variables."""
        site = Site(self.space.random(rng), self.variables.spread(number, count, seed))
        return site if self.acceptable(*site) else self.random(rng)

    def random(self, rng: np.random.Generator) -> Site | None:
        """Draw a random acceptable point; if that fails, search a small space or the neighbours of evaluated points."""
        draws = (Site(self.space.random(rng), self.variables.random(rng)) for _ in range(Candidates.TRIES))
        found = next((site for site in draws if self.acceptable(*site)), None)
        if found is not None:
            return found
        if self.space.size * self.variables.size <= SMALL:
            points = (Site(path, values) for path in self.space.all() for values in self.variables.all())
            left = [site for site in points if self.acceptable(*site)]
            return left[rng.integers(len(left))] if left else None
        return next(islice(self._neighbours(rng), 1), None)

    def _neighbours(self, rng: np.random.Generator) -> Iterator[Site]:
        for place in rng.permutation(len(self.evaluated)):
            path, values = self.evaluated[place]
            near = (Site(path, drawn) for drawn in (self.variables.random(rng) for _ in range(20)))
            moved = (Site(self.moves.neighbour(path, move), values) for move in rng.permutation(len(self.moves)))
            for site in (*near, *moved):
                if self.acceptable(*site):
                    yield Site(self.space.directed(site.path), site.values)


def proposed(sites: Sites, model: ProductModel, pending: list[Site], rng: np.random.Generator) -> Site | None:
    """Return the acceptable point with the largest expected improvement that is found, None if there is none."""
    search = Alternating(sites, *model.given(pending), rng)
    best = model.best_sites(_BEST)
    drawn = sites.some(_DRAWN, rng, best[0])
    if drawn:
        promises = search.promises(drawn)
        drawn = [drawn[place] for place in np.argsort(-promises, kind="stable")[:_RANDOM]]
    found = search.from_all(best + drawn)
    return None if found is None else Site(sites.space.directed(found.path), found.values)


class Alternating:
    """A search that changes the variables with a fixed order, then the order with fixed variables, and so on."""

    def __init__(
        self, sites: Sites, kernel: ProductKernel, process: Process, best: float, rng: np.random.Generator
    ) -> None:
        self.sites, self.variables = sites, sites.variables
        self.kernel, self.process, self.best = kernel, process, best
        self.rng = rng
        self.parameters = process.parameters
        self.split = kernel.split

    def promises(self, sites: list[Site]) -> Array:
        """Return the logarithm of the expected improvement of points."""
        paths = np.array([site.path for site in sites])
        places = np.array([self.variables.places(site.values) for site in sites])
        return self._improvement(self.kernel.between(paths, places, self.parameters))

    def from_all(self, starts: list[Site]) -> Site | None:
        """Search from each of the starts, and return the best point; None if nothing acceptable was found."""
        best, reached = None, -np.inf
        for start in starts:
            site, promise = self._climb(start)
            if promise > reached:
                best, reached = site, promise
        return best

    def _climb(self, site: Site) -> tuple[Site, float]:
        path, values = site
        reached = float(self.promises([site])[0]) if self.sites.acceptable(*site) else -np.inf
        for _ in range(_ROUNDS):
            before = reached
            values, reached = self._vary(path, values, reached)
            path, reached = self._move(path, values, reached)
            if not reached > before + _LEAST:
                break
        return Site(path, values), reached

    def _move(self, path: Orders, values: Values, reached: float) -> tuple[Orders, float]:
        """Improve the order by moves."""
        if self.sites.space.size == 1:
            return path, reached
        fixed: Any = self.kernel.at(self.variables.places(values))
        search = Search(
            fixed, self.process, self.best, self.sites.moves, lambda path: self.sites.acceptable(path, values)
        )
        return search.from_one(path, reached, _ROUNDS * (_BEST + _RANDOM))

    def _vary(self, path: Orders, values: Values, reached: float) -> tuple[Values, float]:
        """Improve the variables."""
        orders = self.kernel.orders.between(path[np.newaxis], self.parameters[: self.split])[0]
        found: dict[Values, float] = {}

        def judge(many: list[Values]) -> None:
            new = [one for one in dict.fromkeys(many) if one not in found]
            if new:
                places = np.array([self.variables.places(one) for one in new])
                rows = self.kernel.variables.between(places, self.parameters[self.split : -2])
                promises = self._improvement(joined(orders, rows, self.parameters))
                found.update(zip(new, promises.tolist(), strict=True))

        judge([values, *self._tries(values)])
        now = max(found, key=found.__getitem__)
        for _ in range(_CHANGES):
            top = now
            if self.variables.real:
                now = self._uphill(orders, now)
                judge([now])
            others = self.variables.around(now, self.variables.discrete)
            judge(others)
            now = max([top, now, *others], key=found.__getitem__)
            if now == top or not others:
                break
        for one in sorted(found, key=found.__getitem__, reverse=True):
            if found[one] <= reached:
                break
            if self.sites.acceptable(path, one):
                return one, found[one]
        return values, reached

    def _tries(self, values: Values) -> list[Values]:
        """Return random values, and values near the present ones."""
        anywhere = [self.variables.random(self.rng) for _ in range(_ANYWHERE)]
        centre, near = self.variables.places(values), []
        for number in range(_NEAR):
            places = centre.copy()
            spread = (0.02, 0.1)[number % 2] * self.rng.standard_normal(len(places))
            places[self.variables.real] = np.clip(places + spread, 0, 1)[self.variables.real]
            near.append(self.variables.values(places))
        return anywhere + near + self.variables.around(values, self.variables.discrete)

    def _uphill(self, orders: Array, values: Values) -> Values:
        """Move the real numbers along the gradient of the expected improvement, with all else fixed."""
        places, real = self.variables.places(values), self.variables.real
        own = self.parameters[self.split : -2]

        def downhill(free: Array) -> tuple[float, Array]:
            places[real] = free
            return self._slope(*self._joined(orders, *self.kernel.variables.with_slopes(places, own)))

        found = minimize(
            downhill,
            places[real],
            method="L-BFGS-B",
            jac=True,
            bounds=[(0, 1)] * len(real),
            options={"maxiter": _STEPS},
        )
        places[real] = found.x
        moved = self.variables.values(places)
        return tuple(moved[column] if column in real else values[column] for column in range(len(values)))

    def _joined(self, orders: Array, row: Array, slopes: Array) -> tuple[Array, Array]:
        """Return the correlations of a point, and their derivatives by its real numbers."""
        _, b, c = shares(self.parameters)
        return joined(orders, row, self.parameters), slopes * (b + c * orders)

    def _slope(self, row: Array, slopes: Array) -> tuple[float, Array]:
        """Return the negative logarithm of the expected improvement, and its gradient."""
        process = self.process
        mean = float(process.mean(row))
        explained = process.variance * (process.inverse @ row)
        variance = process.variance - float(explained @ explained)
        deviation = np.sqrt(max(variance, 1e-12))
        value = float(log_improvement(self.best, np.array([mean]), np.array([deviation]))[0])
        z = (self.best - mean) / deviation
        of_mean = -np.exp(log_ndtr(z) - value)
        of_deviation = np.exp(-z * z / 2 - _HALF_LOG - value) if variance > 1e-12 else 0.0
        mean_slopes = process.variance * (slopes @ process.weights)
        deviation_slopes = -process.variance * (slopes @ (process.inverse.T @ explained)) / deviation
        return -value, -(of_mean * mean_slopes + of_deviation * deviation_slopes)

    def _improvement(self, correlations: Array) -> Array:
        mean, deviation = self.process.mean(correlations), self.process.deviation(correlations)
        return log_improvement(self.best, mean, deviation)
