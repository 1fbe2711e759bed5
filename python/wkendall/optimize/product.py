"""The kernel of an order with other variables, and the model with it.

With the correlation A of the orders and the correlation B of the variables, the correlation of two points is
a A + b B + c A B with learned shares a + b + c = 1. B is the Matern kernel with nu = 5/2 of the places of the numbers, with
a length scale for each, times exp(-rate) for each choice that differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wkendall._arguments import Array
from wkendall.optimize.correlations import Prior
from wkendall.optimize.distances import Distance, Edges
from wkendall.optimize.model import KERNELS, AnyKernel, AnyView, order_kernel, standardised
from wkendall.optimize.moves import Moves, Orders
from wkendall.optimize.process import Process
from wkendall.optimize.spaces import Space
from wkendall.optimize.variables import Values, Variables

#: Means, standard deviations and bounds of the logarithms of length scales, rates of choices, and shares relative to
#: that of the product.
_LENGTH, _RATE, _SHARE = (0.0, 1.0, (-3.5, 4.0)), (-0.5, 1.0, (-5.0, 3.0)), (-1.0, 1.5, (-6.0, 4.0))
_ROOT = np.sqrt(5.0)
#: After this many values without a clearly better one, and then at every third, an improvement by `_FAR` standard
#: deviations is looked for. A value is clearly better by `_CLEAR` standard deviations.
_PATIENCE, _FAR, _CLEAR = 5, 0.5, 0.02


class Site(NamedTuple):
    """A point inside the optimiser: the path, and the values of the variables."""

    path: Orders
    values: Values

    @property
    def key(self) -> bytes:
        """What is equal for equal points; for an order alone, the bytes of its path."""
        return self.path.tobytes() + (repr(self.values).encode() if self.values else b"")


class VariableKernel:
    """The correlation of the variables; parameters are log length scales of numbers, then log rates of choices."""

    def __init__(self, variables: Variables, places: Array) -> None:
        self.numbers, self.choices, self.real = variables.numbers, variables.choices, variables.real
        self.places = places
        centre = 0.5 * np.log(max(1, len(self.numbers))) - 0.5
        mean, deviation, bounds = _LENGTH
        self.prior: Prior = [(mean + centre, deviation, bounds)] * len(self.numbers) + [_RATE] * len(self.choices)
        self.start = [one[0] for one in self.prior]
        self._squares = [(places[:, [column]] - places[:, column]) ** 2 for column in self.numbers]
        self._differ = [(places[:, [column]] != places[:, column]).astype(float) for column in self.choices]

    def matrix(self, parameters: Array) -> tuple[Array, list[Array]]:
        """Return the correlations of all pairs of points, and their derivatives."""
        count = len(self.numbers)
        scaled = [np.exp(-2 * log) * each for log, each in zip(parameters[:count], self._squares, strict=True)]
        rates = np.exp(parameters[count:])
        falling = -sum((rate * each for rate, each in zip(rates, self._differ, strict=True)), np.zeros(1))
        r = _ROOT * np.sqrt(sum(scaled, np.zeros((len(self.places), len(self.places)))))
        decay = np.exp(falling - r)
        correlations = (1 + r + r * r / 3) * decay
        slope = (5 / 3) * (1 + r) * decay
        changes = [slope * each for each in scaled]
        changes += [-rate * each * correlations for rate, each in zip(rates, self._differ, strict=True)]
        return correlations, changes

    def between(self, places: Array, parameters: Array) -> Array:
        """Return the correlations of other places with those of the evaluated points."""
        return self._rows(places, parameters)[0]

    def with_slopes(self, place: Array, parameters: Array) -> tuple[Array, Array]:
        """Return the correlations of a place, and their derivatives by its real numbers, one row for each."""
        correlations, r, decay = self._rows(place[np.newaxis], parameters)
        slope = -(5 / 3) * (1 + r[0]) * decay[0]
        by_column = dict(zip(self.numbers, parameters[: len(self.numbers)], strict=True))
        rows = [
            slope * (place[column] - self.places[:, column]) * np.exp(-2 * by_column[column]) for column in self.real
        ]
        return correlations[0], np.array(rows)

    def _rows(self, places: Array, parameters: Array) -> tuple[Array, Array, Array]:
        count = len(self.numbers)
        squares, falling = np.zeros((2, len(places), len(self.places)))
        for column, log in zip(self.numbers, parameters[:count], strict=True):
            squares += np.exp(-2 * log) * (places[:, [column]] - self.places[:, column]) ** 2
        for column, log in zip(self.choices, parameters[count:], strict=True):
            falling -= np.exp(log) * (places[:, [column]] != self.places[:, column])
        r = _ROOT * np.sqrt(squares)
        decay = np.exp(falling - r)
        return (1 + r + r * r / 3) * decay, r, decay


class ProductKernel:
    """The correlation of points: a `process.Correlation`. Parameters: those of orders, of variables, two log shares."""

    def __init__(self, orders: AnyKernel, variables: VariableKernel) -> None:
        self.orders, self.variables = orders, variables
        self.split = len(orders.prior)
        self.prior: Prior = [*orders.prior, *variables.prior, _SHARE, _SHARE]
        self.starts = [[*start, *variables.start, _SHARE[0], _SHARE[0]] for start in orders.starts]

    def matrix(self, parameters: Array) -> tuple[Array, list[Array]]:
        """Return the correlations of all pairs of points, and their derivatives."""
        a, b, c = shares(parameters)
        orders, order_changes = self.orders.matrix(parameters[: self.split])
        variables, variable_changes = self.variables.matrix(parameters[self.split : -2])
        both = a * orders + b * variables + c * orders * variables
        changes = [(a + c * variables) * each for each in order_changes]
        changes += [(b + c * orders) * each for each in variable_changes]
        return both, [*changes, a * (orders - both), b * (variables - both)]

    def between(self, paths: Orders, places: Array, parameters: Array) -> Array:
        """Return the correlations of other points with the evaluated ones."""
        orders = self.orders.between(paths, parameters[: self.split])
        return joined(orders, self.variables.between(places, parameters[self.split : -2]), parameters)

    def at(self, place: Array) -> FixedVariables:
        """Return the kernel of orders with fixed variables."""
        return FixedVariables(self, place)


class FixedVariables:
    """The product kernel for orders with fixed variables, for `search.Search`."""

    def __init__(self, kernel: ProductKernel, place: Array) -> None:
        self.kernel, self.place = kernel, place
        self.evaluated, self.cost = kernel.orders.evaluated, kernel.orders.cost

    def view(self, path: Orders) -> FixedView:
        """Return the view of the evaluated points from a path."""
        return FixedView(self, self.kernel.orders.view(path))


class FixedView(NamedTuple):
    """The view of the evaluated points from a path with fixed variables, updated from move to move."""

    fixed: FixedVariables
    orders: AnyView

    @property
    def path(self) -> Orders:
        """The path."""
        return self.orders.path

    def neighbours(self, moves: Moves, parameters: Array) -> Array:
        """Return the correlations of all neighbours with the evaluated points."""
        kernel = self.fixed.kernel
        row = kernel.variables.between(self.fixed.place[np.newaxis], parameters[kernel.split : -2])
        return joined(self.orders.neighbours(moves, parameters[: kernel.split]), row, parameters)

    def moved(self, moves: Moves, move: int) -> FixedView:
        """Return the view after a move."""
        return FixedView(self.fixed, self.orders.moved(moves, move))


class ProductModel:
    """A Gaussian process over points, with standardised values; `model.Model` is the one over orders."""

    def __init__(
        self, kernel: str, space: Space, variables: Variables, sites: Sequence[Site], values: Array, noisy: bool
    ) -> None:
        self.variables, self.sites = variables, list(sites)
        self.values, self.centre, self.scale = standardised(values)
        choices: list[list[Distance]] = [[Edges()]] if space.is_tour else KERNELS[kernel]
        found = [(measures, Process(self._kernel(measures, self.sites), self.values)) for measures in choices]
        self.measures, self.process = min(found, key=lambda pair: pair[1].misfit)
        self.kernel = self._kernel(self.measures, self.sites)
        self.fitted = self.process.mean(self.kernel.matrix(self.process.parameters)[0])
        self.judged = self.fitted if noisy else self.values
        # On a plateau, small improvements are likely at many similar points; large ones are only possible elsewhere.
        waited = _waited(self.values)
        eager = waited >= _PATIENCE and (waited - _PATIENCE) % 3 == 0
        self.target = float(self.judged.min()) - (_FAR if eager else 0.0)

    def predictions(self) -> Array:
        """Return the mean of the process at the evaluated points, on the scale of the values."""
        return self.centre + self.scale * self.fitted

    def best_sites(self, count: int) -> list[Site]:
        """Return the `count` best points, without duplicates."""
        found: dict[bytes, Site] = {}
        for place in np.argsort(self.judged, kind="stable"):
            found.setdefault(self.sites[place].key, self.sites[place])
            if len(found) == count:
                break
        return list(found.values())

    def given(self, pending: list[Site]) -> tuple[ProductKernel, Process, float]:
        """Return the kernel, the process and the value to improve on; points without a value get the prediction."""
        best = self.target
        if not pending:
            return self.kernel, self.process, best
        paths, places = self._parts(pending)
        predicted = self.process.mean(self.kernel.between(paths, places, self.process.parameters))
        kernel = self._kernel(self.measures, self.sites + pending)
        return kernel, self.process.conditioned(kernel, np.concatenate([self.values, predicted])), best

    def _kernel(self, measures: list[Distance], sites: list[Site]) -> ProductKernel:
        paths, places = self._parts(sites)
        return ProductKernel(order_kernel(measures, paths), VariableKernel(self.variables, places))

    def _parts(self, sites: list[Site]) -> tuple[Orders, Array]:
        return np.array([site.path for site in sites]), np.array([self.variables.places(site.values) for site in sites])


def _waited(values: Array) -> int:
    """Return the number of values since the last that was clearly better than all before it."""
    best, last = np.inf, 0
    for number, value in enumerate(values):
        if value < best - _CLEAR:
            best, last = value, number
    return len(values) - 1 - last


def shares(parameters: Array) -> Array:
    """Return the shares of the orders alone, the variables alone and the product."""
    found: Array = np.exp(np.append(parameters[-2:], 0.0))
    return np.asarray(found / found.sum())


def joined(orders: Array, variables: Array, parameters: Array) -> Array:
    """Return the correlations of points from those of their orders and of their variables."""
    a, b, c = shares(parameters)
    return np.asarray(a * orders + variables * (b + c * orders))
