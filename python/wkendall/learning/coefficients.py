"""Kernel machines: the optimal linear function of the embedding of rankings for given position weights.

Minimise sum of cost * loss(target, score) + |B|^2 / 2 over B and an intercept, where the score is <B, Phi_U(s)> +
intercept. The optimal B is a linear combination of the tensors of the rankings.
"""

from __future__ import annotations

import warnings
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from sklearn.exceptions import ConvergenceWarning

from wkendall._arguments import Array
from wkendall.learning.interior_point import FromFeatures, FromGram, KernelMatrix, path
from wkendall.learning.position_tensors import PositionTensors

#: Maximum number of steps for a support vector machine; twenty are typical.
MOST_STEPS = 100


class Hinge:
    """max(0, 1 - target * score), for targets of -1 and 1: a support vector machine."""

    def __call__(self, targets: Array, scores: Array) -> Array:
        """Return the loss of each score."""
        return np.maximum(0.0, 1.0 - targets * scores)

    def solve(self, kernel: KernelMatrix, targets: Array, costs: Array, tolerance: float) -> tuple[Array, float]:
        """Return the coefficients of the rankings and the intercept of the optimal function.

        `tolerance` is the allowed relative excess of the objective over its minimum: the primal and the dual objective
        must be close enough.
        """
        least, highest = np.inf, -np.inf
        coefficients, intercept = np.zeros_like(targets), 0.0
        for a, scores in islice(path(kernel, targets, costs), MOST_STEPS):
            middle = best_intercept(targets, scores, costs)
            half = float((targets * a) @ scores) / 2
            value = half + float(costs @ self(targets, scores + middle))
            if value <= least:
                least, coefficients, intercept = value, targets * a, middle
            # If <y, a> is not exactly zero, the dual bound is lower by |<y, a>| times the intercept, which is no larger
            # than a score.
            distance = abs(float(targets @ a)) * (1.0 + float(np.abs(scores).max()))
            highest = max(highest, float(a.sum()) - half - distance)
            if least - highest <= tolerance * least:
                return coefficients, intercept
        if least - highest > 1e-6 * least:
            warnings.warn(
                f"the support vector machine was solved only to a relative accuracy of {(least - highest) / least:.1e}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return coefficients, intercept


class Squares:
    """(target - score)^2: ridge regression."""

    def __call__(self, targets: Array, scores: Array) -> Array:
        """Return the loss of each score."""
        return (targets - scores) ** 2

    def solve(self, kernel: KernelMatrix, targets: Array, costs: Array, tolerance: float) -> tuple[Array, float]:  # noqa: ARG002
        """Return the coefficients and the intercept, by solving linear equations."""
        # 2 cost (target - K a - b) = a for every ranking, and the coefficients sum to zero because b is free.
        try:
            solve = kernel.solver(0.5 / costs)
        except LinAlgError:
            most = float(costs.max())
            raise ValueError(
                f"C is too large for these rankings: the cost of an error is up to {most:g}, too large to solve"
            ) from None
        of_targets, of_ones = solve(targets), solve(np.ones_like(targets))
        intercept = float(of_targets.sum() / of_ones.sum())
        return of_targets - intercept * of_ones, intercept


#: A loss of targets and scores, and its solver.
Loss = Hinge | Squares


def best_intercept(targets: Array, scores: Array, costs: Array) -> float:
    """Return the intercept with the smallest sum of hinge losses; the midpoint if there are several.

    The loss of a ranking has a kink where its margin is 1. At each kink the slope of the sum grows by the cost of the
    ranking: from minus the total cost of the positive rankings to the total cost of the negative ones.
    """
    bends = targets - scores
    places = np.argsort(bends, kind="stable")
    slopes = np.cumsum(costs[places]) - costs[targets > 0].sum()
    zero = 1e-12 * costs.sum()
    first, last = int(np.searchsorted(slopes, -zero)), int(np.searchsorted(slopes, zero, side="right"))
    return float(bends[places[first]] + bends[places[min(last, len(places) - 1)]]) / 2


class Fit(NamedTuple):
    """The optimal coefficients for given weights, and the total loss of all rankings."""

    tensor: Array
    intercept: float
    cost: float


def train(
    sample: PositionTensors, targets: Array, costs: Array, U: Array, order: int, loss: Loss, tolerance: float
) -> Fit:
    """Find the coefficients of tuples of items for given weights, a tensor or a stack; they have the shape of the weights."""
    stack = U.reshape(-1, *U.shape[U.ndim - order :])
    kernel: KernelMatrix
    if U.size < sample.rows:
        kernel = FromFeatures(np.hstack([sample.embed(tensor) for tensor in stack]))
    else:
        kernel = FromGram(sample.gram(U, order))
    coefficients, intercept = loss.solve(kernel, targets, costs, tolerance)
    tensor = np.stack([sample.combine(coefficients, tensor) for tensor in stack]).reshape(U.shape)
    return Fit(tensor, intercept, float(costs @ loss(targets, kernel.times(coefficients) + intercept)))


def merge(member: NDArray[np.intp], targets: Array, costs: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """Merge equal rankings with equal targets and add their costs; drop rankings without cost.

    `member` is the number of each ranking among the distinct ones. Returns the row of each remaining ranking, its
    target and its cost.
    """
    counted = np.flatnonzero(costs > 0)
    together = np.column_stack([member[counted], targets[counted].view(np.int64)])
    different, first, member = np.unique(together, axis=0, return_index=True, return_inverse=True)
    total: Array = np.bincount(member.ravel(), costs[counted], minlength=len(different)).astype(np.float64)
    return counted[first], different[:, -1].view(np.float64).copy(), total
