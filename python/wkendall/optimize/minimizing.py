"""A whole optimisation run in one call."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from wkendall._arguments import as_order, check_flag
from wkendall._disk import as_path
from wkendall._errors import RankingError, bad_argument
from wkendall._progress import progress_bar
from wkendall._text import shown
from wkendall.optimize.arguments import as_orders, as_value, check_callable
from wkendall.optimize.moves import Orders
from wkendall.optimize.optimizer import Optimizer, as_result


def minimize(
    f: Callable[[Orders], float],
    n_items: SupportsIndex,
    *,
    n_calls: SupportsIndex = 100,
    n_initial: SupportsIndex | None = None,
    kernel: str = "mallows",
    space: str = "order",
    x0: ArrayLike | None = None,
    feasible: Callable[[Orders], bool] | None = None,
    noisy: bool = False,
    rng: int | np.random.Generator | None = None,
    callback: Callable[[OptimizeResult[Any]], Any] | None = None,
    progress: bool = False,
    save: str | os.PathLike[str] | None = None,
) -> OptimizeResult[Any]:
    """Find the order of items that minimises a function that is expensive to evaluate.

    Parameters
    ----------
    f : callable
        `f(x)` is the value of the order `x`, an array of the items 0..n_items - 1 from first to last. Return `inf` for
        an order that failed. NaN is an error. If `f` raises an exception, the run ends: use `save` or `callback` to
        keep the results.
    n_items : int
        The number of items to put in order.
    n_calls : int
        The number of evaluations of `f`.
    n_initial, kernel, space, feasible, noisy, rng
        As for `Optimizer`. The default of `n_initial` is 10, but at most half of `n_calls`.
    x0 : array-like of shape (n_items,) or (m, n_items), optional
        Orders to evaluate first.
    callback : callable, optional
        Called with the result so far after each evaluation. The run stops if it returns True or raises StopIteration.
    progress : bool
        Show a progress bar.
    save : str or path, optional
        A file for the state of the run. It is written before the first evaluation and after each evaluation. If the
        file exists and contains evaluations, the run continues from it, and `n_calls` includes these evaluations.
        `n_items`, `kernel`, `space` and `noisy` must be the same as in the file. `n_initial` and `rng` must be the same
        or absent; if absent, those of the file are used.

    Returns
    -------
    OptimizeResult
        `x`, the best order; `fun`, its value; `x_iters` and `func_vals`, all evaluations; `nfev`, their number;
        `message`, why the run ended; `success`, False if no value is finite or if Ctrl-C stopped the run. After Ctrl-C
        the best result so far is returned.

    Examples
    --------
    >>> import numpy as np
    >>> from wkendall.optimize import minimize
    >>> B = np.random.default_rng(0).random((8, 8))  # what is gained if one item comes before another
    >>> found = minimize(lambda x: -np.triu(B[np.ix_(x, x)], 1).sum(), 8, n_calls=40, rng=0)
    >>> found.nfev, found.message
    (40, '40 evaluations')
    """
    check_callable(f, "f", optional=False)
    check_callable(callback, "callback")
    check_flag(progress, "progress")
    calls = as_order(n_calls, "n_calls")
    initial = max(1, min(10, calls // 2)) if n_initial is None else n_initial
    settings: dict[str, Any] = {"n_initial": initial, "kernel": kernel, "space": space, "noisy": noisy, "rng": rng}
    optimizer = Optimizer(n_items, feasible=feasible, **settings)
    first = [] if x0 is None else as_orders(x0, optimizer.n_items, "x0")
    for row, order in enumerate(first):
        optimizer.check_feasible(order, "x0", row if len(first) > 1 else None)
    file = None if save is None else as_path(save, "save")
    if file is not None:
        if file.exists():
            optimizer = _continued(file, optimizer, n_initial is not None, rng is not None)
        try:  # before anything expensive is done
            optimizer.save(file)
        except OSError as error:
            error.add_note(f"save={str(file)!r} is where the state of the run is written")
            raise
    run = _Run(f, optimizer, callback, file)
    with progress_bar(progress, "evaluations", len(optimizer.func_vals), calls) as show:
        return run.to_the_end(calls, first, show)


class _Run(NamedTuple):
    """Evaluations, one after another."""

    f: Callable[[Orders], float]
    optimizer: Optimizer
    callback: Callable[[OptimizeResult[Any]], Any] | None
    file: Path | None

    def to_the_end(
        self, calls: int, first: list[Orders], show: Callable[[int, int], None] | None
    ) -> OptimizeResult[Any]:
        """Evaluate until there are `n_calls` values, or until something else ends the run."""
        try:
            while (done := len(self.optimizer.func_vals)) < calls:
                order = self._next(first)
                if order is None:
                    left = "all orders were evaluated" if self.optimizer.feasible is None else "no more feasible orders"
                    return self._ended(f"{left}: {done} evaluations")
                self._evaluate(order)
                if show is not None:
                    show(done + 1, calls)
                if self._stopped():
                    return self._ended(f"the callback stopped the run after {done + 1} evaluations")
        except KeyboardInterrupt:
            if not len(self.optimizer.func_vals):
                raise
            done = len(self.optimizer.func_vals)
            return self._ended(f"Ctrl-C stopped the run after {done} evaluations", success=False)
        return self.optimizer.result()

    def _next(self, first: list[Orders]) -> Orders | None:
        while first:
            order = first.pop(0)
            if self.optimizer.noisy or not self.optimizer.is_known(order):
                return order
        try:
            return self.optimizer.ask()
        except RankingError as error:
            if error.kind != "exhausted":
                raise
            return None

    def _evaluate(self, order: Orders) -> None:
        number = len(self.optimizer.func_vals)
        try:
            value = as_value(self.f(order.copy()), "f(x)")
        except Exception as error:
            error.add_note(f"in evaluation {number} of f, of the order {order.tolist()}")
            raise
        self.optimizer.tell(order, value)
        if self.file is not None:
            self.optimizer.save(self.file)

    def _stopped(self) -> bool:
        if self.callback is None:
            return False
        try:
            return self.callback(self.optimizer.result()) is True
        except StopIteration:
            return True

    def _ended(self, message: str, success: bool = True) -> OptimizeResult[Any]:
        result: Any = self.optimizer.result()
        return as_result({**result, "message": message, "success": success and result["success"]})


def _continued(file: Path, wanted: Optimizer, initial_given: bool, seed_given: bool) -> Optimizer:
    """Return the run that a file holds, if it is the same run."""
    found = Optimizer.load(file, feasible=wanted.feasible)
    if not len(found.func_vals):
        return wanted
    names = ["n_items", "kernel", "space", "noisy"] + ["n_initial"] * initial_given + ["seed"] * seed_given
    for name in names:
        was, now = getattr(found, name), getattr(wanted, name)
        if was != now:
            said = "rng" if name == "seed" else name
            other = f" is {str(file)!r}, a run with {said}={shown(was)}, but {said} is {shown(now)} here"
            raise bad_argument("save", f"{other}: give the same, or use another file", value=str(file))
    return found
