"""The best order of many items, with a proof: cutting planes and branching.

A linear program has a variable for each pair of items: which of the two items is first. In an order, no three items
form a cycle (a before b, b before c, c before a). Each such condition is an inequality. The program begins without
these inequalities. If its solution violates some of them, these are added, and the program is solved again. The dual
values of the program give an upper bound of the values of all orders. If the solution has a number other than 0 and 1,
the search branches: it tries the values 0 and 1 of one variable. The method is from Groetschel, Juenger and Reinelt
(1984).
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wkendall._arguments import Array
from wkendall._run import Show
from wkendall.statistics.linear_programs import Program

Integers = NDArray[np.int64]
#: A cycle of three is violated by at least this, and a number is whole up to this.
_VIOLATED = 1e-6
#: Values of orders are equal if they differ by at most this fraction of the sum of all margins, unless margins have a unit.
_EQUAL = 1e-10
#: A unit is at least this fraction of the largest margin.
_MIN_UNIT = 2.0**-40
#: The maximum number of inequalities that a solution adds, for each item, and in how many of them a pair of items may be.
_CUTS, _USES = 12, 3
#: Below the first node, solutions that close less than this part of the gap are slow. After so many, branching is better.
_SLOW, _MAX_SLOW = 1e-3, 6
#: Parts of the progress bar.
_PARTS = 1000


class StoppedError(Exception):
    """The error that ends a search whose time or work is used up."""


class Limits:
    """The limits of a search: an amount of work, or a number of seconds.

    For n items, the start of the search adds work of n^3. Each step of the simplex algorithm adds the number of rows
    plus the number of columns of the linear program. Each search for violated inequalities adds n^3.
    """

    def __init__(self, work: float, seconds: float | None, show: Show | None) -> None:
        self._left, self._show = work, show
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    def check(self, work: float) -> None:
        """Add some work; raise an error if the total work is too large or the time is over."""
        self._left -= work
        if self._left < 0 or time.monotonic() >= self._end:
            raise StoppedError

    def show(self, part: float) -> None:
        """Show in the progress bar which part of the gap between value and bound has been closed."""
        if self._show is not None:
            self._show(round(_PARTS * part), _PARTS)


class Proved(NamedTuple):
    """An order, an upper bound, whether the order is optimal, and whether it is the only optimal order."""

    order: list[int]
    bound: float
    optimal: bool
    unique: bool | None


def prove(margins: Array, order: Integers, bound: float, limits: Limits) -> Proved:
    """Find the best order, from a good order and an upper bound of the values of all orders.

    Ctrl-C and limits end the search early.
    """
    optimal, unique = False, None
    search = None
    try:
        limits.check(len(order) ** 3)  # before memory is needed
        search = _Search(margins[np.ix_(order, order)], limits)
        optimal = search.prove()
        unique = search.is_unique() if optimal else None
    except (StoppedError, KeyboardInterrupt):
        pass
    if search is None:
        return Proved(order.tolist(), bound, optimal, unique)
    return Proved(order[search.best].tolist(), min(bound, search.start - 2 * search.bound), optimal, unique)


def unit_of(numbers: Array) -> float:
    """Return the greatest number of which all given numbers are whole multiples; 0 if this number is too small."""
    left = np.unique(np.abs(numbers))
    left = left[left > 0]
    least = _MIN_UNIT * float(left[-1]) if len(left) else math.inf
    while len(left) > 1 and left[0] >= least:
        rest = np.fmod(left, left[0])  # exact
        left = np.unique(np.append(rest[rest > 0], left[0]))
    return float(left[0]) if len(left) and left[0] >= least else 0.0


class _Search:
    """The search for better orders than a given order. The items are numbered such that the given order is 0, 1, 2, ...

    The variable y of a pair `i < j` is 1 if j is before i. The pair then costs `margins[i, j]`, the margin of i over j.
    The cost of an order is the sum of the costs of its pairs. The value of an order is `start`, the value of the given
    order, minus twice the cost of the order.
    """

    def __init__(self, margins: Array, limits: Limits) -> None:
        self.n, self.limits, self.margins = len(margins), limits, margins
        self.first, self.second = np.triu_indices(self.n, 1)
        self.numbers = np.zeros((self.n, self.n), dtype=np.int64)
        self.numbers[self.first, self.second] = np.arange(len(self.first))
        self.costs = margins[self.first, self.second]
        self.start = float(self.costs.sum())
        #: The best order, its cost, and a lower bound of the cost of any.
        self.best, self.cost, self.bound = np.arange(self.n), 0.0, float(np.minimum(self.costs, 0.0).sum())
        self.gap = -self.bound
        self.other: Integers | None = None
        # Costs differ by a unit or not at all.
        unit, largest = unit_of(self.costs), float(np.abs(self.costs).max())
        self.least = unit / 2 or _EQUAL * float(np.abs(self.costs).sum())
        # The tolerances of the solver are absolute, and far below one.
        self.scale = 1 / unit if unit and largest < 1e7 * unit else 1e4 / largest
        self.program = Program(self.costs * self.scale)

    def prove(self) -> bool:
        """Find the best order; return whether this is proved."""
        return self._branch(lambda: self.cost - self.least, self._improve)

    def is_unique(self) -> bool | None:
        """Return whether every other order has a smaller value than the best one; None if this is not known."""
        for place in range(self.n):
            if (np.delete(self._gains(self.best, place), place) >= -2 * self.least * (1 - 1e-9)).any():
                return False
        # Another order reverses at least one pair of neighbours.
        before, after = self.best[:-1], self.best[1:]
        reverse = before > after
        pairs = self.numbers[np.minimum(before, after), np.maximum(before, after)]
        row = csr_array((np.where(reverse, -1.0, 1.0), (np.zeros(self.n - 1, dtype=int), pairs)), (1, len(self.costs)))
        self.program.add(row, np.array([1.0 - reverse.sum()]), keep=True)
        most = self.cost + self.least
        proved = self._branch(lambda: -math.inf if self.other is not None else most, self._find_other)
        return False if self.other is not None else proved or None

    def _branch(self, goal: Callable[[], float], look: Callable[[Array], None]) -> bool:
        """Pass solutions to `look` until no order can cost less than `goal()`; return whether this is proved."""
        size, serial, dropped = len(self.costs), 0, math.inf
        # The node with the smallest bound comes first; among equal ones the newest.
        waiting = [(-math.inf, 0, np.zeros(size, dtype=np.int8), np.ones(size, dtype=np.int8))]
        while waiting and waiting[0][0] < goal():
            known, _, low, high = heapq.heappop(waiting)
            if look == self._improve:
                self._raise_bound(min(known, dropped))
            self.program.limit(low.astype(float), high.astype(float))
            bound, y, reduced = self._relax(goal, look, serial == 0)
            if bound >= goal() or y is None:
                continue
            # Where the other value costs too much, the value stays.
            spare, free = goal() - bound, low < high
            low, high = low.copy(), high.copy()
            high[free & (reduced >= spare)] = 0
            low[free & (-reduced >= spare)] = 1
            fraction = np.where(low < high, np.minimum(y, 1 - y), -1.0)
            pair = int(np.argmax(fraction * (1 + np.abs(self.costs) / np.abs(self.costs).max())))
            if fraction[pair] <= _VIOLATED:  # rounding: there is nothing to branch on
                dropped = min(dropped, bound)
                continue
            likely = int(y[pair] > 0.5)
            for value in (1 - likely, likely):  # the newest comes first
                serial -= 1
                parts = low.copy(), high.copy()
                parts[0][pair] = parts[1][pair] = value
                heapq.heappush(waiting, (bound, serial, *parts))
        if look == self._improve:
            self._raise_bound(min(dropped, self.cost))
        return dropped >= goal()

    def _raise_bound(self, bound: float) -> None:
        self.bound = max(self.bound, min(bound, self.cost))
        self.limits.show(1 - (self.cost - self.bound) / self.gap if self.gap else 1.0)

    def _relax(
        self, goal: Callable[[], float], look: Callable[[Array], None], root: bool
    ) -> tuple[float, Array | None, Array]:
        """Add inequalities until none is violated or `goal()` is out of reach; return bound, y and reduced costs."""
        bound, reduced, slow = -math.inf, self.costs, 0
        while True:
            solved = self.program.solve(self.limits.check)
            if solved is None:
                return math.inf, None, reduced
            y, lowest = solved[0], solved[1] / self.scale
            slow = slow + 1 if lowest - bound <= _SLOW * abs(goal() - bound) else 0
            if lowest > bound:
                bound, reduced = lowest, solved[2] / self.scale
            look(y)
            if root and look == self._improve:
                self._raise_bound(bound)
            if bound >= goal() or (not root and slow > _MAX_SLOW):
                return bound, y, reduced
            self.limits.check(self.n**3)
            rows, sides = self._violated(y)
            if not len(sides):
                return bound, y, reduced
            self.program.add(rows, sides)

    def _improve(self, y: Array) -> None:
        """Make an order from a solution, move items as long as the order improves, and keep the order if it is best."""
        order, moved = self._order(y), True
        while moved:
            moved = False
            for item in range(self.n):
                place = int(np.flatnonzero(order == item)[0])
                gains = self._gains(order, place)
                to = int(np.argmax(gains))
                if gains[to] > self.least:
                    order, moved = np.insert(np.delete(order, place), to, item), True
        if (cost := self._cost(order)) <= self.cost - self.least:
            self.best, self.cost = order, cost

    def _find_other(self, y: Array) -> None:
        """Make an order from a solution, and keep the order if it is another best order."""
        order = self._order(y)
        if not np.array_equal(order, self.best) and self._cost(order) < self.cost + self.least:
            self.other = order

    def _order(self, y: Array) -> Integers:
        return np.argsort(-self._matrix(y).sum(axis=1), kind="stable")

    def _cost(self, order: Integers) -> float:
        return (self.start - float(np.triu(self.margins[np.ix_(order, order)], 1).sum())) / 2

    def _gains(self, order: Integers, place: int) -> Array:
        """Return, for each place of the order, how much the value grows if the item at `place` is moved there."""
        passed = np.cumsum(np.append(0.0, self.margins[np.delete(order, place), order[place]]))
        gains: Array = 2 * (passed - passed[place])
        return gains

    def _matrix(self, y: Array) -> Array:
        """Return the solution as a matrix: 1 where the row's item is before the column's item."""
        matrix = np.zeros((self.n, self.n))
        matrix[self.first, self.second], matrix[self.second, self.first] = 1 - y, y
        return matrix

    def _violated(self, y: Array) -> tuple[csr_array, Array]:
        """Return violated inequalities: rows of coefficients, and the lower limits of the rows."""
        matrix, found = self._matrix(y), []
        for i in range(self.n - 2):
            # Item i before j, j before k, k before i.
            sums = matrix[i, i + 1 :, None] + matrix[i + 1 :, i + 1 :] + matrix[i + 1 :, i]
            j, k = np.nonzero(sums > 2 + _VIOLATED)
            found.append(np.stack([sums[j, k], np.full(len(j), i), j + i + 1, k + i + 1]))
        cycles = np.concatenate(found, axis=1)
        i, j, k = cycles[1:, np.argsort(-cycles[0], kind="stable")[: 8 * _CUTS * self.n]].astype(np.int64)
        low, high = np.minimum(j, k), np.maximum(j, k)
        pairs = np.column_stack([self.numbers[i, low], self.numbers[low, high], self.numbers[i, high]])
        chosen = self._spread(pairs)
        pairs, forward = pairs[chosen], (j < k)[chosen]
        # For i < low < high, y of (i, low) + y of (low, high) - y of (i, high) is 0 or 1 in every order.
        signs = np.where(forward, 1.0, -1.0)[:, None] * [1.0, 1.0, -1.0]
        rows = csr_array((signs.ravel(), pairs.ravel(), np.arange(0, pairs.size + 1, 3)), (len(pairs), len(y)))
        return rows, np.where(forward, 0.0, -1.0)

    def _spread(self, pairs: Integers) -> list[int]:
        """Choose rows, the first rows if possible, so that no pair of items is in many of the chosen rows."""
        uses = [0] * len(self.costs)
        chosen: list[int] = []
        for row, three in enumerate(pairs.tolist()):
            if max(uses[pair] for pair in three) < _USES and len(chosen) < _CUTS * self.n:
                chosen.append(row)
                for pair in three:
                    uses[pair] += 1
        return chosen
