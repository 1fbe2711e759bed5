"""Alternating optimisation of weights and coefficients."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from wkendall._arguments import Array
from wkendall.learning.coefficients import Fit, Loss, train
from wkendall.learning.position_tensors import PositionTensors

#: The relative accuracy of a half step: far smaller than the tolerance for a rise of the objective.
EXACT, RISE = 1e-9, 1e-6


class State(NamedTuple):
    """Weights, coefficients and intercept, and the total loss of all rankings."""

    U: Array
    B: Array
    intercept: float
    cost: float

    def objective(self) -> float:
        """Return the objective, which is minimised."""
        return self.cost + (float(np.vdot(self.U, self.U)) + float(np.vdot(self.B, self.B))) / 2

    def balanced(self) -> State:
        """Scale U and B to equal norms: the scores stay the same, and the sum of the squared norms becomes minimal."""
        norms = float(np.linalg.norm(self.U)), float(np.linalg.norm(self.B))
        if 0.0 in norms:
            return self._replace(U=np.zeros_like(self.U), B=np.zeros_like(self.B))
        scale = float(np.sqrt(norms[1] / norms[0]))
        return self._replace(U=self.U * scale, B=self.B / scale)


class Alternation:
    """Minimises sum of cost * loss + |B|^2 / 2 + |U|^2 / 2, over B for fixed U and over U for fixed B in turn.

    With B fixed the scores are linear in U, as they are in B with U fixed: <B, Phi_U(s)> = <U, Phi_B(s^-1)>.
    """

    def __init__(self, sample: PositionTensors, targets: Array, costs: Array, loss: Loss, *, tol: float) -> None:
        self._sample, self._inverse = sample, sample.inverted()
        self._targets, self._costs, self._loss, self._tol = targets, costs, loss, tol

    def coefficients(self, state: State) -> State:
        """Return the optimal B and intercept for fixed U."""
        fit = self._train(self._sample, state.U)
        return State(state.U, fit.tensor, fit.intercept, fit.cost)

    def weights(self, state: State) -> State:
        """Return the optimal U and intercept for fixed B."""
        fit = self._train(self._inverse, state.B)
        return State(fit.tensor, state.B, fit.intercept, fit.cost)

    def _train(self, sample: PositionTensors, fixed: Array) -> Fit:
        return train(sample, self._targets, self._costs, fixed, fixed.ndim, self._loss, EXACT)

    def run(self, start: Array, most: int) -> Alternated:
        """Alternate until, at equal norms, neither half step lowers the objective by more than a fraction `tol` of it."""
        state = self.coefficients(State(start, np.zeros_like(start), 0.0, 0.0)).balanced()
        path = [state.objective()]
        for iteration in range(1, most + 1):
            before = state
            for step in (self.coefficients, self.weights):
                after = step(state)
                gain = state.objective() - after.objective()
                if gain < -RISE * state.objective():
                    rise = f"from {state.objective():.9g} to {after.objective():.9g}"
                    message = f"iteration {iteration}: the objective rose {rise}; stopped at the lower one"
                    warnings.warn(message, ConvergenceWarning, stacklevel=3)
                    return Alternated(state, np.array(path), iteration, False)
                if gain > self._tol * state.objective():
                    state = after
                path.append(state.objective())
            if state is before:
                return Alternated(state, np.array(path), iteration, True)
            state = state.balanced()
            path[-1] = state.objective()
        return Alternated(state, np.array(path), most, False)


class Alternated(NamedTuple):
    """The result of an alternation, and the objective at the start and after each half step."""

    state: State
    path: Array
    iterations: int
    converged: bool
