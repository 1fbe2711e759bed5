"""Solve the dual problem of a support vector machine with an interior-point method.

The problem is to maximise <margins, a> - <ya, K ya> / 2 over the vector a. K is the kernel matrix, and ya is the
product of y and a, entry by entry. There are two conditions: 0 <= a <= costs, and <equation, a> = 0. y contains the
targets, -1 and 1. For a support vector machine without constraints, all entries of the vector `margins` are 1, and the
vector `equation` is y. A constraint has the form score >= margin. It adds one more row to the problem, with its own
entry in `margins`. This row has y = 1, an infinite cost, and the entry 0 in `equation`. About twenty steps give many
correct digits, for every kernel and all costs. Each step solves two or three linear systems. The matrix of these
systems is K plus a diagonal matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotrs

from wkendall._arguments import Array

#: The fraction of the way to the nearest bound that a step goes.
NEAR = 0.995
Solver = Callable[[Array], Array]


class FromFeatures(NamedTuple):
    """A kernel given by feature vectors, which are shorter than the number of rankings."""

    features: Array

    def divided(self, alpha: float) -> FromFeatures:
        """Return the kernel divided by the number `alpha`."""
        return self if alpha == 1 else FromFeatures(self.features / np.sqrt(alpha))

    def times(self, vector: Array) -> Array:
        """Return K times a vector."""
        return self.features @ (vector @ self.features)

    def solver(self, diagonal: Array) -> Solver:
        """Return a function that solves (K + D) x = v, where D is a positive diagonal matrix."""
        scaled = self.features / diagonal[:, np.newaxis]
        small = scaled.T @ self.features
        small.flat[:: len(small) + 1] += 1.0
        of_small = _factored(small)
        return _refined(lambda vector: vector / diagonal - scaled @ of_small(vector @ scaled), self, diagonal)


class FromGram(NamedTuple):
    """A kernel given by its Gram matrix."""

    gram: Array

    def divided(self, alpha: float) -> FromGram:
        """Return the kernel divided by the number `alpha`."""
        return self if alpha == 1 else FromGram(self.gram / alpha)

    def times(self, vector: Array) -> Array:
        """Return K times a vector."""
        return self.gram @ vector

    def solver(self, diagonal: Array) -> Solver:
        """Return a function that solves (K + D) x = v, where D is a positive diagonal matrix."""
        matrix = self.gram.copy()
        matrix.flat[:: len(matrix) + 1] += diagonal
        return _refined(_factored(matrix), self, diagonal)


#: The kernel K between all training rankings.
KernelMatrix = FromFeatures | FromGram


def _factored(matrix: Array) -> Solver:
    """Return a function that solves A x = v for x, with a Cholesky factor of the matrix A.

    LAPACK is called directly, because the checks of SciPy take as long as a solution.
    """
    factor, info = dpotrf(matrix, clean=False)
    if info or not np.isfinite(factor.flat[:: len(matrix) + 1]).all():
        raise LinAlgError("the matrix is not positive definite")
    return lambda vector: np.asarray(dpotrs(factor, vector)[0])


def _refined(solve: Solver, kernel: KernelMatrix, diagonal: Array) -> Solver:
    """Return a solver with one additional step of iterative refinement.

    The first solution loses digits if the features are much larger than the diagonal.
    """

    def solve_twice(vector: Array) -> Array:
        found = solve(vector)
        return found + solve(vector - kernel.times(found) - diagonal * found)

    return solve_twice


def path(
    kernel: KernelMatrix, y: Array, costs: Array, margins: Array, equation: Array
) -> Iterator[tuple[Array, Array]]:
    """Yield vectors a that converge to the solution, each with the scores K ya. Rounding errors end the iterations.

    This is Mehrotra's predictor-corrector method. `low` and `high` are the multipliers of the lower and the upper bound
    of a. `level` is the multiplier of the condition <equation, a> = 0. `room` is the distance of a from the upper
    bound.
    """
    bounded = np.isfinite(costs)
    bounds = len(y) + int(bounded.sum())
    a, level = np.where(bounded, costs, costs[bounded].mean()) / 2, 0.0
    scores = kernel.times(y * a)
    low = np.maximum(y * scores - margins, 0.0) + max(1.0, float(np.abs(scores).max()))
    high = np.where(bounded, low - (y * scores - margins), 0.0)

    def products(low: Array, a: Array, high: Array, room: Array) -> float:
        return float(low @ a + high[bounded] @ room[bounded])

    while True:
        yield a, scores
        room = costs - a
        mean = products(low, a, high, room) / bounds
        try:
            solve = kernel.solver(low / a + high / room)
        except LinAlgError:
            return
        across = y * solve(y * equation)
        residual = y * scores - margins + level * equation - low + high

        def move(
            low_goal: Array,
            high_goal: Array,
            a: Array = a,
            low: Array = low,
            high: Array = high,
            room: Array = room,
            solve: Solver = solve,
            across: Array = across,
            residual: Array = residual,
        ) -> tuple[Array, Array, Array, float]:
            """Return the Newton step for the equations `low * a = low_goal` and `high * room = high_goal`."""
            step = y * solve(y * (low_goal / a - low - high_goal / room + high - residual))
            change = float((equation @ step + equation @ a) / (equation @ across))
            step = step - change * across
            return step, (low_goal - low * step) / a - low, (high_goal + high * step) / room - high, change

        nothing = np.zeros_like(y)
        step, low_step, high_step, _ = move(nothing, nothing)
        length = _longest((a, step), (room, -step), (low, low_step), (high, high_step))
        reached = products(low + length * low_step, a + length * step, high + length * high_step, room - length * step)
        goal = mean * (reached / (bounds * mean)) ** 3
        step, low_step, high_step, change = move(goal - step * low_step, goal + step * high_step)
        length = NEAR * _longest((a, step), (room, -step), (low, low_step), (high, high_step))
        a, level = a + length * step, level + length * change
        low, high = low + length * low_step, high + length * high_step
        scores = kernel.times(y * a)
        if not (length > 1e-10 and np.isfinite(scores).all() and (a > 0).all() and (a < costs).all()):
            return


def _longest(*pairs: tuple[Array, Array]) -> float:
    """Return the largest fraction of a step, at most 1, that keeps all values positive."""
    parts = [float((values[steps < 0] / -steps[steps < 0]).min(initial=1 / NEAR)) for values, steps in pairs]
    return min(parts)
