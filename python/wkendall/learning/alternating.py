"""Alternating optimisation of weights and coefficients."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from wkendall._arguments import Array
from wkendall.learning.coefficients import Loss, Mapped, Problem, Tensors, train
from wkendall.learning.penalties import LowRank, Penalty
from wkendall.learning.position_tensors import PositionTensors

#: The relative accuracy of a half step: far smaller than the tolerance for a rise of the objective.
EXACT, RISE = 1e-9, 1e-6
#: The range of the logarithm of the factor of B that a step over U tries, and the number of tries. Twice as many take twice
#: as long and end at objectives that are as often higher as lower.
FACTORS, FACTOR_STEPS = (-1.0, 0.3), 4


class State(NamedTuple):
    """Weights, coefficients and intercept, the total loss of all rankings, and alpha * P(U - U0)."""

    U: Array
    B: Array
    intercept: float
    cost: float
    penalty: float

    def objective(self) -> float:
        """Return the objective, which is minimised."""
        return self.cost + self.penalty + float(np.vdot(self.B, self.B)) / 2

    def balanced(self) -> State:
        """Scale U and B so that the penalties of both are equal: the scores stay the same, and their sum becomes minimal."""
        penalty = float(np.vdot(self.B, self.B)) / 2
        if 0.0 in (penalty, self.penalty):
            return self._replace(U=np.zeros_like(self.U), B=np.zeros_like(self.B), penalty=0.0)
        scale = float(np.sqrt(np.sqrt(penalty) / np.sqrt(self.penalty)))
        return self._replace(U=self.U * scale, B=self.B / scale, penalty=self.penalty * scale**2)


class Alternation:
    """Minimises sum of cost * loss + |B|^2 / 2 + alpha P(U - U0), over B for fixed U and over U for fixed B in turn.

    With B fixed the scores are linear in U, as they are in B with U fixed: <B, Phi_U(s)> = <U, Phi_B(s^-1)>. P is |.|^2 / 2
    without a `penalty`; `toward` is U0, or None for zero.
    """

    def __init__(
        self,
        sample: PositionTensors,
        targets: Array,
        costs: Array,
        loss: Loss,
        *,
        tol: float,
        alpha: float = 1.0,
        penalty: Penalty | None = None,
        toward: Array | None = None,
    ) -> None:
        self._sample, self._inverse = sample, sample.inverted()
        self._targets, self._costs, self._loss, self._tol = targets, costs, loss, tol
        self._alpha, self._penalty, self._toward = alpha, penalty, toward
        self._balances = toward is None and not isinstance(penalty, LowRank)

    def coefficients(self, state: State) -> State:
        """Return the optimal B and intercept for fixed U."""
        fit = train(Tensors(self._sample, state.U, state.U.ndim), self._targets, self._costs, self._loss, EXACT)
        return state._replace(B=fit.tensor, intercept=fit.intercept, cost=fit.cost)

    def weights(self, state: State) -> State:
        """Return the optimal U and intercept for fixed B; with U0, B is fixed up to a factor.

        Without the factor, U = U0 would be the end wherever the coefficients of U0 leave no loss.
        """
        B, base = state.B, self._toward
        change = state.U if base is None else state.U - base
        function: Tensors | Mapped = Tensors(self._inverse, B, B.ndim)
        if self._penalty is not None:
            function = self._penalty.map(self._inverse, B, change)
        kernel = function.kernel()
        offsets: Array | float = 0.0 if base is None else self._sample.scores(base, B)
        floors = function.floors if isinstance(function, Mapped) else np.zeros(0)
        steps: list[State] = []

        def step(logarithm: float) -> float:
            """Solve for B times a factor f. The scores are those of f U and B, so that the penalty of f V is alpha / f^2."""
            factor = float(np.exp(logarithm))
            alpha = self._alpha / factor**2
            rest = 0.0 if base is None else float(np.vdot(B, B)) / 2
            problem = Problem(
                kernel.divided(alpha), self._targets, self._costs, factor * offsets, factor * floors, rest
            )
            coefficients, intercept = self._loss.solve(problem, EXACT)
            V = function.tensor(coefficients) / (alpha * factor)
            U = V if base is None else base + V
            if self._penalty is None:
                scores = problem.kernel.times(coefficients) + problem.offsets
            else:  # the tensor of rounded parameters has other scores than the parameters themselves
                scores = self._sample.scores(U, factor * B)
            cost = float(self._costs @ self._loss(self._targets, scores + intercept))
            steps.append(State(U, factor * B, intercept, cost, self._value(U)))
            return steps[-1].objective()

        step(0.0)
        if base is not None:
            minimize_scalar(step, bounds=FACTORS, method="bounded", options={"maxiter": FACTOR_STEPS, "xatol": 0.01})
        return min(steps, key=State.objective)

    def _value(self, U: Array) -> float:
        change = U if self._toward is None else U - self._toward
        square = float(np.vdot(change, change)) / 2 if self._penalty is None else self._penalty.value(change)
        return self._alpha * square

    def run(self, start: Array, most: int) -> Alternated:
        """Alternate until, neither half step lowers the objective by more than a fraction `tol` of it."""
        state = self._scaled(self.coefficients(State(start, np.zeros_like(start), 0.0, 0.0, self._value(start))))
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
            state = self._scaled(state)
            path[-1] = state.objective()
        return Alternated(state, np.array(path), most, False)

    def _scaled(self, state: State) -> State:
        return state.balanced() if self._balances else state


class Alternated(NamedTuple):
    """The result of an alternation, and the objective at the start and after each half step."""

    state: State
    path: Array
    iterations: int
    converged: bool
