"""Kernel machines: the optimal coefficients B of a linear function of rankings, for given position weights U.

The score of a ranking s is <B, Phi_U(s)> + intercept, where Phi_U(s) is the tensor of the ranking (see `embed`). The
optimal B and intercept minimise an objective: |B|^2 / 2 plus the sum of `cost * loss(target, score)` over the rankings.
Each ranking has a target and a cost of errors. The optimal B is a linear combination of the tensors of the rankings.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from wkendall._arguments import Array
from wkendall._errors import bad_argument
from wkendall.learning.interior_point import FromFeatures, FromGram, KernelMatrix, path
from wkendall.learning.position_tensors import PositionTensors

#: Maximum number of steps for a support vector machine; twenty are typical.
MAX_STEPS = 100


class Problem(NamedTuple):
    """A kernel machine: the problem of finding the coefficients in the scores `K coefficients + offsets + intercept`.

    K is the kernel matrix. Its first rows belong to the rankings with targets. If there are further rows, they belong
    to constraints.
    """

    kernel: KernelMatrix
    targets: Array
    costs: Array
    #: The part of the scores that is not learned.
    offsets: Array | float = 0.0
    #: The rows of the kernel after those of the targets have scores of at least these numbers.
    floors: Array = np.zeros(0)
    #: The part of the objective that does not change, to which the accuracy is relative, too.
    rest: float = 0.0


class Hinge:
    """The loss `max(0, 1 - target * score)` of a support vector machine. The targets are -1 and 1."""

    def __call__(self, targets: Array, scores: Array) -> Array:
        """Return the loss of each score."""
        return np.maximum(0.0, 1.0 - targets * scores)

    def solve(self, problem: Problem, tolerance: float) -> tuple[Array, float]:
        """Return the coefficients of the rows of the kernel matrix, and the intercept, of the optimal function.

        `tolerance` is the allowed relative difference between the reached objective and its minimum. The dual objective
        is a lower bound of the minimum. So the relative difference between the reached objective and the dual objective
        is compared with `tolerance`.
        """
        kernel, targets, costs, offsets, floors, rest = problem
        rows, none = len(targets), np.zeros_like(floors)
        y, equation = np.append(targets, none + 1.0), np.append(targets, none)
        margins = np.append(1.0 - targets * offsets, floors)
        least, highest = np.inf, -np.inf
        coefficients, intercept = np.zeros_like(y), 0.0
        for a, products in islice(path(kernel, y, np.append(costs, none + np.inf), margins, equation), MAX_STEPS):
            scores = products[:rows] + offsets
            middle = best_intercept(targets, scores, costs)
            half = float((y * a) @ products) / 2
            # A violated constraint costs twice its multiplier: more than the objective can gain.
            missing = 2 * float(a[rows:] @ np.maximum(floors - products[rows:], 0.0))
            value = half + float(costs @ self(targets, scores + middle)) + missing
            if value <= least:
                least, coefficients, intercept = value, y * a, middle
            # If <y, a> is not exactly zero, the dual bound is lower by |<y, a>| times the intercept, which is no larger
            # than a score.
            distance = abs(float(equation @ a)) * (1.0 + float(np.abs(scores).max()))
            highest = max(highest, float(margins @ a) - half - distance)
            if least - highest <= tolerance * (least + rest):
                return coefficients, intercept
        if least - highest > 1e-6 * (least + rest):
            accuracy = (least - highest) / (least + rest)
            warnings.warn(
                f"the support vector machine was solved only to a relative accuracy of {accuracy:.1e}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return coefficients, intercept


class Squares:
    """The loss (target - score)^2 of ridge regression."""

    def __call__(self, targets: Array, scores: Array) -> Array:
        """Return the loss of each score."""
        return (targets - scores) ** 2

    def solve(self, problem: Problem, tolerance: float) -> tuple[Array, float]:  # noqa: ARG002
        """Return coefficients and intercept, from linear equations or, with constraints, from least squares."""
        kernel, costs = problem.kernel, problem.costs
        targets = problem.targets - problem.offsets
        if len(problem.floors):
            return _constrained(problem, targets)
        # 2 cost (target - K a - b) = a for every ranking, and the coefficients sum to zero because b is free.
        try:
            solve = kernel.solver(0.5 / costs)
        except LinAlgError:
            most = float(costs.max())
            raise bad_argument(
                "C", f" is too large for these rankings: the cost of an error is up to {most:g}, too large to solve"
            ) from None
        of_targets, of_ones = solve(targets), solve(np.ones_like(targets))
        intercept = float(of_targets.sum() / of_ones.sum())
        return of_targets - intercept * of_ones, intercept


def _constrained(problem: Problem, targets: Array) -> tuple[Array, float]:
    """Solve ridge regression with linearly independent constraints.

    The multipliers of the constraints solve a problem of non-negative least squares. Without constraints, the solution
    of the ridge regression is `H^-1 g`. With constraints it is `H^-1 (g + limits' multipliers)`.
    """
    assert isinstance(problem.kernel, FromFeatures)
    features, limits = np.split(problem.kernel.features, [len(targets)])
    shares = problem.costs / problem.costs.sum()
    middle, features_mean = float(shares @ targets), shares @ features
    centred = features - features_mean
    weighted = 2 * problem.costs[:, np.newaxis] * centred
    factor = cho_factor(np.eye(features.shape[1]) + weighted.T @ centred)
    gradient = (targets - middle) @ weighted
    directions = cho_solve(factor, limits.T)
    root = cholesky(limits @ directions, lower=True)
    needed = solve_triangular(root, problem.floors - gradient @ directions, lower=True)
    multipliers = nnls(root.T, needed)[0]
    theta = cho_solve(factor, gradient) + directions @ multipliers
    intercept = middle - float(features_mean @ theta)
    return np.append(2 * problem.costs * (targets - features @ theta - intercept), multipliers), intercept


#: A loss of targets and scores, and its solver.
Loss = Hinge | Squares


def best_intercept(targets: Array, scores: Array, costs: Array) -> float:
    """Return the intercept with the smallest weighted sum of hinge losses, or the midpoint of several such intercepts.

    As a function of the intercept, the loss of a ranking has a kink where `target * (score + intercept)` is 1. At each
    kink, the slope of the weighted sum of losses grows by the cost of the ranking. For intercepts far below zero, the
    slope is minus the total cost of the rankings with target 1. For intercepts far above zero, the slope is the total
    cost of the rankings with target -1.
    """
    bends = targets - scores
    places = np.argsort(bends, kind="stable")
    slopes = np.cumsum(costs[places]) - costs[targets > 0].sum()
    zero = 1e-12 * costs.sum()
    first, last = int(np.searchsorted(slopes, -zero)), int(np.searchsorted(slopes, zero, side="right"))
    return float(bends[places[first]] + bends[places[min(last, len(places) - 1)]]) / 2


class Fit(NamedTuple):
    """The optimal coefficients and intercept for given weights, and the total loss of all rankings."""

    tensor: Any
    intercept: float
    cost: float


class Tensors(NamedTuple):
    """The scores of rankings for fixed weights U, as linear functions of the coefficients B.

    The score of a ranking s is <B, Phi_U(s)>, where Phi_U(s) is the tensor of the ranking (see `embed`). U is one
    tensor, or a stack of tensors. B has the same shape as U.
    """

    sample: PositionTensors
    U: Array
    order: int

    def kernel(self) -> KernelMatrix:
        """Return the kernel matrix of the training rankings."""
        if self.U.size < self.sample.rows:
            return FromFeatures(np.hstack([self.sample.embed(tensor) for tensor in self._stack()]))
        return FromGram(self.sample.gram(self.U, self.order))

    def tensor(self, coefficients: Array) -> Array:
        """Return B: the sum of the tensors of the rankings, each tensor times the coefficient of its ranking."""
        return np.stack([self.sample.combine(coefficients, tensor) for tensor in self._stack()]).reshape(self.U.shape)

    def _stack(self) -> Array:
        return self.U.reshape(-1, *self.U.shape[self.U.ndim - self.order :])


class Mapped(NamedTuple):
    """Scores that are linear in parameters theta. The function `back` computes a tensor from theta."""

    features: Array
    back: Callable[[Array], Array]
    #: Inner products of these rows with theta must be at least the floors.
    limits: Array | None = None
    floors: Array = np.zeros(0)

    def kernel(self) -> KernelMatrix:
        """Return the kernel matrix of the training rankings, followed by the constraints."""
        features = self._rows()
        if features.shape[1] < len(features):
            return FromFeatures(features)
        if self.limits is not None:
            # As many features as rows have the same inner products.
            return FromFeatures(np.transpose(np.linalg.qr(features.T, mode="r")))
        return FromGram(features @ features.T)

    def tensor(self, coefficients: Array) -> Array:
        """Return the tensor for given coefficients of the rows of the kernel matrix."""
        return self.back(coefficients @ self._rows())

    def _rows(self) -> Array:
        return self.features if self.limits is None else np.vstack([self.features, self.limits])


class Linear(Protocol):
    """The interface of scores that are linear in an object, such as a tensor.

    The object is computed from coefficients, one for each ranking.
    """

    def kernel(self) -> KernelMatrix:
        """Return the kernel matrix of the training rankings."""

    def tensor(self, coefficients: Array) -> Any:
        """Return the object in which the scores are linear, computed from the coefficients of the rankings."""


def train(function: Linear, targets: Array, costs: Array, loss: Loss, tolerance: float) -> Fit:
    """Find the optimal linear function of rankings, and its intercept."""
    problem = Problem(function.kernel(), targets, costs)
    coefficients, intercept = loss.solve(problem, tolerance)
    scores = problem.kernel.times(coefficients) + intercept
    return Fit(function.tensor(coefficients), intercept, float(costs @ loss(targets, scores)))


def merge(member: NDArray[np.intp], targets: Array, costs: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """Merge equal rankings with equal targets and add their costs. Rankings with the cost 0 are dropped.

    Equal rankings have the same number in `member`. The result has three arrays: the row, the target and the cost of
    each remaining ranking.
    """
    counted = np.flatnonzero(costs > 0)
    together = np.column_stack([member[counted], targets[counted].view(np.int64)])
    different, first, member = np.unique(together, axis=0, return_index=True, return_inverse=True)
    total: Array = np.bincount(member.ravel(), costs[counted], minlength=len(different)).astype(np.float64)
    return counted[first], different[:, -1].view(np.float64).copy(), total
