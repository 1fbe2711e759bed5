"""Alternating optimisation of weights U of positions and coefficients B of items."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from wkendall._arguments import Array
from wkendall.learning.coefficients import Linear, Loss, Mapped, Problem, Tensors, train
from wkendall.learning.penalties import LowRank, Penalty
from wkendall.learning.position_tensors import PositionTensors

#: The relative accuracy of a half step: far smaller than the tolerance for a rise of the objective.
EXACT, RISE = 1e-9, 1e-6
#: The range of the logarithm of the factor of B that a step over U tries, and the number of tries. Twice as many take twice
#: as long and end at objectives that are as often higher as lower.
FACTORS, FACTOR_STEPS = (-1.0, 0.3), 4


class State(NamedTuple):
    """The weights U, the coefficients B, the intercept, and the three terms of the objective.

    `cost` is the total loss of all rankings, and `ridge` is |B|^2 / 2. `penalty` is alpha * P(U - U0). Here U0 contains
    given weights, and P(U - U0) is large if U is far from U0. The factor alpha is the strength of the penalty. B is
    stored as a tensor, or as the coefficients of a weighted sum of the tensors of rankings.
    """

    U: Array
    B: Any
    intercept: float
    cost: float
    ridge: float
    penalty: float

    def objective(self) -> float:
        """Return the objective, which is minimised."""
        return self.cost + self.penalty + self.ridge


class Dense:
    """Weights U and coefficients B as tensors: the scores of rankings as functions of U or of B, and the penalties."""

    def __init__(self, sample: PositionTensors, penalty: Penalty | None, toward: Array | None) -> None:
        self._sample, self._inverse = sample, sample.inverted()
        self._penalty, self._toward = penalty, toward
        self.toward_zero = toward is None
        self.balances = toward is None and not isinstance(penalty, LowRank)
        #: Whether scores are those of the parameters of a step: the tensor of rounded parameters has other scores.
        self.exact = penalty is None

    def coefficients(self, U: Array) -> Tensors:
        """Return the scores of the rankings as a function of B, for the weights U."""
        return Tensors(self._sample, U, U.ndim)

    def weights(self, U: Array, B: Array) -> Tensors | Mapped:
        """Return the scores of the rankings as a function of V = U - U0, without the scores of U0."""
        if self._penalty is None:
            return Tensors(self._inverse, B, B.ndim)
        return self._penalty.map(self._inverse, B, U if self._toward is None else U - self._toward)

    def moved(self, V: Array) -> Array:
        """Return U0 + V."""
        return V if self._toward is None else self._toward + V

    def offsets(self, B: Array) -> Array | float:
        """Return the scores of the rankings for the weights U0 and the coefficients B, without the intercept."""
        return 0.0 if self._toward is None else self._sample.scores(self._toward, B)

    def scores(self, U: Array, B: Array) -> Array:
        """Return the scores of the rankings without the intercept."""
        return self._sample.scores(U, B)

    def ridge(self, B: Array) -> float:
        """Return |B|^2 / 2."""
        return float(np.vdot(B, B)) / 2

    def value(self, U: Array) -> float:
        """Return P(U - U0)."""
        change = U if self._toward is None else U - self._toward
        return float(np.vdot(change, change)) / 2 if self._penalty is None else self._penalty.value(change)


class Space(Protocol):
    """The interface of `Dense` and `SinglePositions`. U is an array. B is what `coefficients(U).tensor` returns."""

    toward_zero: bool
    balances: bool
    exact: bool

    def coefficients(self, U: Array) -> Linear:
        """Return the scores of the rankings as a function of B, for the weights U."""

    def weights(self, U: Array, B: Any) -> Tensors | Mapped:
        """Return the scores of the rankings as a function of V = U - U0, without the scores of U0."""

    def moved(self, V: Array) -> Array:
        """Return U0 + V."""

    def offsets(self, B: Any) -> Array | float:
        """Return the scores of the rankings for the weights U0 and the coefficients B, without the intercept."""

    def scores(self, U: Array, B: Any) -> Array:
        """Return the scores of the rankings without the intercept."""

    def ridge(self, B: Any) -> float:
        """Return |B|^2 / 2."""

    def value(self, U: Array) -> float:
        """Return P(U - U0)."""


class Alternation:
    """Minimise the sum of cost * loss, plus |B|^2 / 2 + alpha P(U - U0), over U and B in turn.

    A half step minimises over B for fixed U, or over U for fixed B. For fixed U the scores are linear in B. For fixed B
    the scores are linear in U, because <B, Phi_U(s)> = <U, Phi_B(s^-1)>. Here Phi_U(s) is the tensor of the ranking s
    (see `embed`), and s^-1 is the inverse permutation of s.
    """

    def __init__(
        self,
        space: Space,
        targets: Array,
        costs: Array,
        loss: Loss,
        *,
        tol: float,
        alpha: float,
        accuracy: float = EXACT,
        factor_steps: int = FACTOR_STEPS,
    ) -> None:
        self._space, self._accuracy, self._factor_steps = space, accuracy, factor_steps
        self._targets, self._costs, self._loss, self._tol = targets, costs, loss, tol
        self._alpha = alpha

    def coefficients(self, state: State) -> State:
        """Return the optimal B and intercept for fixed U."""
        fit = train(self._space.coefficients(state.U), self._targets, self._costs, self._loss, self._accuracy)
        return state._replace(B=fit.tensor, intercept=fit.intercept, cost=fit.cost, ridge=self._space.ridge(fit.tensor))

    def weights(self, state: State) -> State:
        """Return the optimal U and intercept for fixed B. If there is a U0, B is also multiplied by the best factor.

        Without this factor, U may never change. Suppose that all losses are zero for the weights U0 and these
        coefficients B. Then U = U0 is optimal for this B, and nothing is learned.
        """
        space, B = self._space, state.B
        function = space.weights(state.U, B)
        kernel, offsets = function.kernel(), space.offsets(B)
        floors = function.floors if isinstance(function, Mapped) else np.zeros(0)
        steps: list[State] = []

        def step(logarithm: float) -> float:
            """Find the optimal U for the coefficients f B, where f is a factor.

            The scores for U and f B are equal to the scores for f U and B. So the problem is solved for f V instead of
            V = U - U0, with alpha / f^2 instead of alpha. f is the exponential of `logarithm`.
            """
            factor = float(np.exp(logarithm))
            alpha = self._alpha / factor**2
            rest = 0.0 if space.toward_zero else space.ridge(B)
            problem = Problem(
                kernel.divided(alpha), self._targets, self._costs, factor * offsets, factor * floors, rest
            )
            coefficients, intercept = self._loss.solve(problem, self._accuracy)
            U = space.moved(function.tensor(coefficients) / (alpha * factor))
            scaled = factor * B
            scores = problem.kernel.times(coefficients) + problem.offsets if space.exact else space.scores(U, scaled)
            cost = float(self._costs @ self._loss(self._targets, scores + intercept))
            steps.append(State(U, scaled, intercept, cost, space.ridge(scaled), self._alpha * space.value(U)))
            return steps[-1].objective()

        step(0.0)
        if not space.toward_zero:
            minimize_scalar(
                step, bounds=FACTORS, method="bounded", options={"maxiter": self._factor_steps, "xatol": 0.01}
            )
        return min(steps, key=State.objective)

    def run(self, start: Array, most: int) -> Alternated:
        """Alternate until neither half step lowers the objective by more than `tol` times the objective."""
        penalty = self._alpha * self._space.value(start)
        state = self._balanced(self.coefficients(State(start, None, 0.0, 0.0, 0.0, penalty)))
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
            state = self._balanced(state)
            path[-1] = state.objective()
        return Alternated(state, np.array(path), most, False)

    def _balanced(self, state: State) -> State:
        """Scale U and B so that alpha * P(U) and |B|^2 / 2 are equal.

        The scores stay the same, and the sum of these two terms becomes as small as possible.
        """
        if not self._space.balances:
            return state
        if 0.0 in (state.ridge, state.penalty):
            return state._replace(U=np.zeros_like(state.U), B=0.0 * state.B, ridge=0.0, penalty=0.0)
        scale = float(np.sqrt(np.sqrt(state.ridge) / np.sqrt(state.penalty)))
        B = state.B / scale
        return state._replace(U=state.U * scale, B=B, ridge=self._space.ridge(B), penalty=state.penalty * scale**2)


class Alternated(NamedTuple):
    """The final state of an alternation, and the objective at the start and after each half step."""

    state: State
    path: Array
    iterations: int
    converged: bool
