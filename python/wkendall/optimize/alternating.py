"""The search for the point with the largest expected improvement. A point is an order with values of other variables.

The search changes the order and the variables in turn.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr

from wkendall._arguments import Array
from wkendall.optimize.model import Model
from wkendall.optimize.moves import Orders
from wkendall.optimize.product import joined, shares
from wkendall.optimize.search import MAX_CORRELATIONS, Search, log_improvement
from wkendall.optimize.spaces import Candidates, Site
from wkendall.optimize.variables import Values

#: The number of times that both parts are changed in turn, and the least gain in the logarithm of the improvement.
_ROUNDS, _LEAST = 3, 1e-3
#: The number of searches for orders in one step, which share its work.
_SEARCHES = 5 * _ROUNDS
#: Variables are first tried at this many random places, and at this many near the present ones. Gradients start from
#: the best of them.
_ANYWHERE, _NEAR = 48, 16
#: The number of steps along gradients, and how often real numbers and other variables are changed in turn.
_STEPS, _CHANGES = 15, 3
#: With a limited reach, numbers stay within this share of their range for each move.
_SHARE = 1 / 16
#: A choice is worth a try if the standard deviation of its prediction is at least this share of that of unknown points.
_UNKNOWN = 0.3
#: The least number of moves of which a share is tried.
_MIN_MOVES = 64
_HALF_LOG = 0.5 * np.log(2 * np.pi)


class Alternating:
    """A search that changes the variables for a fixed order, then the order for fixed variables, and so on."""

    def __init__(self, candidates: Candidates, model: Model, pending: list[Site], rng: np.random.Generator) -> None:
        self.candidates, self.model = candidates, model
        self.kernel, self.process, self.best = model.given(pending)
        self.parameters = self.process.parameters
        self.rng = rng
        if model.variables is not None:
            self.variables, self.split = model.variables, self.kernel.split

    def promises(self, sites: list[Site]) -> Array:
        """Return the logarithm of the expected improvement of points."""
        return self._improvement(self.kernel.between(*self.model.parts(sites), self.parameters))

    def from_all(self, starts: list[Site]) -> Site | None:
        """Search from each point of `starts`. Return the best acceptable point, or None if there is none."""
        if self.model.variables is None:
            path = self._orders(()).from_all([start.path for start in starts])
            return None if path is None else Site(path)
        return self._best(starts, np.inf)

    def within(self, start: Site, reach: float) -> Site | None:
        """Search near the point `start`.

        The order changes by at most `reach` moves. A variable that is a real number changes by at most `reach` times
        `_SHARE` of its range.

        If `reach` is below 1, only some random moves are tried, together with small changes of the variables. `reach`
        is then the share of the moves that are tried.
        """
        if self.model.variables is None:
            path = self._orders(()).within(start.path, reach, self.rng)
            return None if path is None else Site(path)
        if reach >= 1:
            return self._best([start], reach)
        count = max(1, round(reach * max(len(self.candidates.moves), _MIN_MOVES)))
        drawn = [site for site in (self._near(start) for _ in range(count)) if self.candidates.acceptable(*site)]
        return drawn[int(np.argmax(self.promises(drawn)))] if drawn else None

    def switched(self, site: Site) -> Site | None:
        """Return a point that differs from `site` only in one variable, which is a list of choices.

        Only points are considered at which the prediction of the model is uncertain. The result is the point with the
        largest expected improvement, or None if there are no such points.
        """
        if self.model.variables is None:
            return None
        others = [Site(site.path, own) for own in self.variables.around(site.values, self.variables.choices)]
        others = [one for one in others if self.candidates.acceptable(*one)]
        if not others:
            return None
        correlations = self.kernel.between(*self.model.parts(others), self.parameters)
        known = self.process.deviation(correlations) < _UNKNOWN * np.sqrt(self.process.variance)
        promises = np.where(known, -np.inf, self._improvement(correlations))
        return None if known.all() else others[int(np.argmax(promises))]

    def _orders(self, values: Values) -> Search:
        """Return the search for orders with fixed variables."""
        kernel = self.kernel if self.model.variables is None else self.kernel.at(self.variables.places(values))
        candidates = self.candidates
        return Search(
            kernel, self.process, self.best, candidates.moves, lambda path: candidates.acceptable(path, values)
        )

    def _near(self, site: Site) -> Site:
        """Return a random point near `site`, after a move of the order, small changes of the variables, or both."""
        moves, many = self.candidates.moves, len(self.variables.parts)
        part = self.rng.integers(3) if len(moves) else 1
        path, values = site.path, site.values
        if part != 1:
            path = moves.neighbour(path, int(self.rng.integers(len(moves))))
        if part != 0:
            changed = self.rng.random(many) < 2 / (1 + many)
            changed[self.rng.integers(many)] = True
            values = self.variables.near(values, changed, 0.01 * 30 ** self.rng.random(), self.rng)
        return Site(path, values)

    def _best(self, starts: list[Site], reach: float) -> Site | None:
        """Search from each point of `starts`, and return the best point that was found."""
        best, reached = None, -np.inf
        for start in starts:
            site, promise = self._climb(start, reach)
            if promise > reached:
                best, reached = site, promise
        return best

    def _climb(self, site: Site, reach: float) -> tuple[Site, float]:
        path, values = site
        half = min(1.0, reach * _SHARE)
        box = self.variables.places(values)
        box = np.array([np.maximum(0, box - half), np.minimum(1, box + half)])
        reached = float(self.promises([site])[0]) if self.candidates.acceptable(*site) else -np.inf
        for _ in range(_ROUNDS):
            before = reached
            values, reached = self._vary(path, values, reached, box)
            path, reached = self._move(path, values, reached, reach)
            path, values, reached = self._both(path, values, reached)
            if not reached > before + _LEAST:
                break
        return Site(path, values), reached

    def _both(self, path: Orders, values: Values, reached: float) -> tuple[Orders, Values, float]:
        """Change the order by one move, and at the same time one variable that is not a real number."""
        others = self.variables.around(values, self.variables.discrete) if self.candidates.space.size > 1 else []
        work = max(1, len(self.candidates.moves) * self.kernel.orders.evaluated * self.kernel.orders.cost)
        most = MAX_CORRELATIONS // work // _SEARCHES
        if len(others) > most:
            others = [others[place] for place in self.rng.permutation(len(others))[:most]]
        found = path, values, reached
        for other in others:
            moved, promise = self._orders(other).from_one(path, found[2], _SEARCHES, 1)
            if promise > found[2]:
                found = moved, other, promise
        return found

    def _move(self, path: Orders, values: Values, reached: float, reach: float) -> tuple[Orders, float]:
        """Improve the order by at most `reach` moves, as long as the expected improvement grows above `reached`."""
        if self.candidates.space.size == 1:
            return path, reached
        return self._orders(values).from_one(path, reached, _SEARCHES, reach)

    def _vary(self, path: Orders, values: Values, reached: float, box: Array) -> tuple[Values, float]:
        """Improve the variables within `box`, if the expected improvement becomes larger than `reached`."""
        orders = self.kernel.orders.between(path[np.newaxis], self.parameters[: self.split])[0]
        found: dict[Values, float] = {}

        def judge(many: list[Values]) -> None:
            new = [one for one in dict.fromkeys(many) if one not in found]
            if new:
                places = np.array([self.variables.places(one) for one in new])
                rows = self.kernel.variables.between(places, self.parameters[self.split : -2])
                promises = self._improvement(joined(orders, rows, self.parameters))
                found.update(zip(new, promises.tolist(), strict=True))

        judge([values, *self._tries(values, box)])
        now = max(found, key=found.__getitem__)
        for _ in range(_CHANGES):
            top = now
            if self.variables.real:
                now = self._uphill(orders, now, box)
                judge([now])
            others = self.variables.around(now, self.variables.discrete)
            judge(others)
            now = max([top, now, *others], key=found.__getitem__)
            if now == top or not others:
                break
        for one in sorted(found, key=found.__getitem__, reverse=True):
            if found[one] <= reached:
                break
            if self.candidates.acceptable(path, one):
                return one, found[one]
        return values, reached

    def _tries(self, values: Values, box: Array) -> list[Values]:
        """Return random values of the variables, and values near `values`."""
        anywhere = [self._inside(self.variables.random(self.rng), box) for _ in range(_ANYWHERE)]
        centre, near = self.variables.places(values), []
        for number in range(_NEAR):
            places = centre.copy()
            spread = (0.02, 0.1)[number % 2] * self.rng.standard_normal(len(places))
            places[self.variables.real] = np.clip(places + spread, *box)[self.variables.real]
            near.append(self.variables.values(places))
        return anywhere + near + self.variables.around(values, self.variables.discrete)

    def _inside(self, values: Values, box: Array) -> Values:
        """Scale the real numbers of `values` into the box. If the reach has no limit, the box is the whole range."""
        places = self.variables.places(values)
        low, high = box[:, self.variables.real]
        places[self.variables.real] = low + (high - low) * places[self.variables.real]
        return self.variables.values(places)

    def _uphill(self, orders: Array, values: Values, box: Array) -> Values:
        """Change the real numbers so that the expected improvement grows. The order and other variables stay fixed."""
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
            bounds=list(zip(*box[:, real].tolist(), strict=True)),
            options={"maxiter": _STEPS},
        )
        places[real] = found.x
        moved = self.variables.values(places)
        return tuple(moved[column] if column in real else values[column] for column in range(len(values)))

    def _joined(self, orders: Array, row: Array, slopes: Array) -> tuple[Array, Array]:
        """Return the correlations of a point, and the derivatives with respect to the real numbers of the point."""
        _, b, c = shares(self.parameters)
        return joined(orders, row, self.parameters), slopes * (b + c * orders)

    def _slope(self, row: Array, slopes: Array) -> tuple[float, Array]:
        """Return the negative logarithm of the expected improvement, and the gradient of this logarithm."""
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
