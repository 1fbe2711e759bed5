"""The kernels of points: of orders, of variables, and of both together.

Let A be the correlation of two orders, and B the correlation of their variables. The correlation of the two points is
`a A + b B + c A B`, with learned shares a, b and c that add up to 1. A variable is a number or a choice from a list. B
is a Matern kernel (nu = 5/2) of the numbers, with a length scale for each number. For each choice that differs between
the two points, B is also multiplied by exp(-rate), with a rate for each choice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wkendall._arguments import Array
from wkendall.optimize.correlations import Kernel, Prior, View
from wkendall.optimize.distances import Discordant, Displaced, Distance
from wkendall.optimize.moves import Moves, Orders
from wkendall.optimize.variables import Variables
from wkendall.optimize.weighted import WeightedKernel, WeightedView

AnyKernel = Kernel | WeightedKernel
AnyView = View | WeightedView

#: The distances of the kernels: a list of choices, each a list of distances.
KERNELS: dict[str, list[list[Distance]]] = {
    "mallows": [[Discordant()], [Displaced()]],
    "discordant": [[Discordant()]],
    "displaced": [[Displaced()]],
    "kendall": [[]],
}
#: The cost of a correlation, relative to "mallows".
COSTS = {name: 1 if choices[0] else WeightedKernel.cost for name, choices in KERNELS.items()}

#: Means, standard deviations and bounds of the logarithms of length scales, rates of choices, and shares relative to
#: that of the product.
_LENGTH, _RATE, _SHARE = (0.0, 1.0, (-3.5, 4.0)), (-0.5, 1.0, (-5.0, 3.0)), (-1.0, 1.5, (-6.0, 4.0))
_ROOT = np.sqrt(5.0)


def order_kernel(measures: list[Distance], paths: Orders) -> AnyKernel:
    """Return the Mallows kernel of some distances. If there are no distances, return the weighted Kendall kernel."""
    return Kernel(measures, paths) if measures else WeightedKernel(paths)


class VariableKernel:
    """The correlation of the variables.

    The parameters are the logarithms of the length scales of the numbers, then the logarithms of the rates of the
    choices.
    """

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
        """Return the correlations of other variables with the variables of the evaluated points."""
        return self._rows(places, parameters)[0]

    def with_slopes(self, place: Array, parameters: Array) -> tuple[Array, Array]:
        """Return the correlations of one point with the evaluated points, and the derivatives of these correlations.

        Only the variables are used. `place` has the places of the values of the point. The derivatives are with respect
        to the real numbers, with one row for each of them.
        """
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
    """The correlation of points, with the interface `process.Correlation`.

    The parameters are the parameters of the kernel of orders, then the parameters of the kernel of variables. The last
    two parameters are log(a / c) and log(b / c), where a, b and c are the shares of the orders, of the variables, and
    of the product.
    """

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
        """Return the correlations of other points with the evaluated points."""
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
        """Return a view of a path: its similarities to the evaluated points, which are updated after each move."""
        return FixedView(self, self.kernel.orders.view(path))


class FixedView(NamedTuple):
    """The similarities of a path with fixed variables to the evaluated points, which are updated after each move."""

    fixed: FixedVariables
    orders: AnyView

    @property
    def path(self) -> Orders:
        """The path."""
        return self.orders.path

    def neighbours(self, moves: Moves, parameters: Array) -> Array:
        """Return the correlations of all neighbours of the path with the evaluated points."""
        kernel = self.fixed.kernel
        row = kernel.variables.between(self.fixed.place[np.newaxis], parameters[kernel.split : -2])
        return joined(self.orders.neighbours(moves, parameters[: kernel.split]), row, parameters)

    def moved(self, moves: Moves, move: int) -> FixedView:
        """Return the view after a move."""
        return FixedView(self.fixed, self.orders.moved(moves, move))


def shares(parameters: Array) -> Array:
    """Return the shares a, b and c: of the orders alone, of the variables alone, and of the product."""
    found: Array = np.exp(np.append(parameters[-2:], 0.0))
    return np.asarray(found / found.sum())


def joined(orders: Array, variables: Array, parameters: Array) -> Array:
    """Combine the correlations of orders and the correlations of variables into the correlations of points."""
    a, b, c = shares(parameters)
    return np.asarray(a * orders + variables * (b + c * orders))
