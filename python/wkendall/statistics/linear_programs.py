"""Linear programs that grow row by row, solved by HiGHS, which is a part of scipy.

scipy's public functions solve each program from the beginning. scipy's internal interface to HiGHS continues from the
last solution, which is about ten times as fast for the programs of this package. This interface is not public, so it is
tried on a small program first. If the trial fails, `linprog` is used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

from wkendall._arguments import Array

#: Simplex steps between two looks at signals and limits: some tenths of a second.
_STEPS = 1000
_OPTIONS = {
    "output_flag": False,
    "solver": "simplex",
    "presolve": "off",
    "threads": 1,
    "simplex_iteration_limit": _STEPS,
}
#: A row is removed when it was slack by more than this in so many solutions, if this removes a tenth of the rows.
_SLACK, _ROUNDS, _WORTH = 1e-3, 3, 0.1

Check = Callable[[float], None]


class Program:
    """Minimise `costs @ y` with lower <= y <= upper and `rows @ y >= sides`."""

    def __init__(self, costs: Array, warm: bool | None = None) -> None:
        size = len(costs)
        self.costs, self.lower, self.upper = costs, np.zeros(size), np.ones(size)
        self.rows, self.sides, self._idle = csr_array((0, size)), np.zeros(0), np.zeros(0)
        self._solver = _Warm(costs) if (_warm_works() if warm is None else warm) else None

    def limit(self, lower: Array, upper: Array) -> None:
        """Set the limits of all variables."""
        self.lower, self.upper = lower, upper
        if self._solver:
            self._solver.limit(lower, upper)

    def add(self, rows: csr_array, sides: Array, keep: bool = False) -> None:
        """Remove rows that had no effect on the last solutions, then add rows; with `keep`, these rows always stay."""
        gone = self._idle >= _ROUNDS
        if gone.sum() > _WORTH * len(gone):
            self.rows, self.sides, self._idle = self.rows[~gone], self.sides[~gone], self._idle[~gone]
            if self._solver:
                self._solver.remove(np.flatnonzero(gone))
        self.rows = vstack([self.rows, rows], format="csr")
        self.sides = np.concatenate([self.sides, sides])
        self._idle = np.concatenate([self._idle, np.full(len(sides), -np.inf if keep else 0.0)])
        if self._solver:
            self._solver.add(rows, sides)

    def solve(self, check: Check) -> tuple[Array, float, Array] | None:
        """Return the solution, a lower bound of the minimum, and the reduced costs; None if there is no solution.

        The lower bound is computed from the dual values that the solver returns. Any dual values of at least 0 give a
        lower bound. Errors of the solver can make the bound weaker, but the bound is always valid.
        """
        solved = self._solver.solve(check) if self._solver else self._solve_anew(check)
        if solved is None:
            return None
        y, duals = np.clip(solved[0], self.lower, self.upper), np.maximum(solved[1], 0.0)
        slack = self.rows @ y - self.sides
        self._idle = np.where(slack > _SLACK, self._idle + 1, np.minimum(self._idle, 0.0))
        reduced = self.costs - self.rows.T @ duals
        return y, float(duals @ self.sides + np.minimum(reduced * self.lower, reduced * self.upper).sum()), reduced

    def _solve_anew(self, check: Check) -> tuple[Array, Array] | None:
        given: dict[str, Any] = {"bounds": np.column_stack([self.lower, self.upper]), "method": "highs-ds"}
        given |= {"A_ub": -self.rows, "b_ub": -self.sides} if len(self.sides) else {}
        found: Any = linprog(self.costs, **given)
        check((1.0 + found.nit) * sum(self.rows.shape))
        if found.x is None:
            return None
        return found.x, -found.ineqlin.marginals if len(self.sides) else np.zeros(0)


class _Warm:
    """A program in HiGHS; the search for a solution starts from the last solution."""

    def __init__(self, costs: Array) -> None:
        from scipy.optimize._highspy import _core as highs  # type: ignore[import-not-found]

        self._highs: Any = highs
        self._all = np.arange(len(costs), dtype=np.int32)
        self._program: Any = highs._Highs()
        for name, value in _OPTIONS.items():
            self._program.setOptionValue(name, value)
        self._program.addVars(len(costs), np.zeros(len(costs)), np.ones(len(costs)))
        self._program.changeColsCost(len(costs), self._all, costs)

    def limit(self, lower: Array, upper: Array) -> None:
        self._program.changeColsBounds(len(lower), self._all, lower, upper)

    def add(self, rows: csr_array, sides: Array) -> None:
        parts = rows.indptr[:-1].astype(np.int32), rows.indices.astype(np.int32), rows.data
        self._program.addRows(len(sides), sides, np.full(len(sides), np.inf), rows.nnz, *parts)

    def remove(self, numbers: NDArray[np.int64]) -> None:
        self._program.deleteRows(len(numbers), numbers.astype(np.int32))

    def solve(self, check: Check) -> tuple[Array, Array] | None:
        status, statuses = None, self._highs.HighsModelStatus
        while status in (None, statuses.kIterationLimit):
            self._program.run()
            steps = self._program.getInfo().simplex_iteration_count
            check((1.0 + steps) * (self._program.getNumCol() + self._program.getNumRow()))
            status = self._program.getModelStatus()
        if status == statuses.kInfeasible:
            return None
        solution = self._program.getSolution()
        return np.array(solution.col_value), np.array(solution.row_dual)


@cache
def _warm_works() -> bool:
    """Return whether scipy's own interface to HiGHS works as it did in scipy 1.15 to 1.17."""
    try:
        program = Program(np.array([1.0, -2.0]), warm=True)
        values = []
        for row, side in (([1.0, 0.0], 0.5), ([1.0, -1.0], 0.0)):
            program.add(csr_array(np.array([row])), np.array([side]))
            values.append(program.solve(lambda _: None))
        assert program._solver is not None
        program._solver.remove(np.array([0]))
        program.limit(np.zeros(2), np.array([0.25, 1.0]))
        found = program._solver.solve(lambda _: None)
        bounds = [value[1] for value in values if value is not None]
        return found is not None and np.allclose([*bounds, *found[0]], [-1.5, -1.0, 0.25, 0.25])
    except Exception:
        return False
