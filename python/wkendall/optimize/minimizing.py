"""A whole optimisation run in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from wkendall._arguments import as_order, check_flag
from wkendall._disk import as_path
from wkendall._errors import RankingError, bad_argument, shown
from wkendall._run import progress_bar
from wkendall.optimize.arguments import as_points, as_value, as_values, check_callable
from wkendall.optimize.optimizer import Optimizer, as_result
from wkendall.optimize.variables import Point


def minimize(
    f: Callable[..., float],
    n_items: SupportsIndex,
    *,
    n_calls: SupportsIndex = 100,
    n_initial: SupportsIndex | None = None,
    kernel: str = "mallows",
    space: str = "order",
    variables: Mapping[str, Any] | None = None,
    maximize: bool = False,
    x0: Any = None,
    y0: ArrayLike | None = None,
    feasible: Callable[..., bool] | None = None,
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
        `f(x)` must return the value of the order `x`. `x` is an array of the items 0..n_items - 1, from first to last.
        If an order cannot be evaluated, `f` must return `inf`, or `-inf` with `maximize=True`. NaN is an error. If you
        pass the parameter `variables`, the call is `f(x, values)`. The dictionary `values` then has the value of each
        variable under its name. If `f` raises an exception, the run ends. The results of the run are then lost, unless
        you use `save`, or keep the results with `callback`.
    n_items : int
        The number of items to put in order.
    n_calls : int
        The maximum number of evaluations of `f`.
    n_initial, kernel, space, variables, maximize, feasible, noisy, rng
        The parameters of `Optimizer` with these names. By default, `n_initial` is the smaller of 10 and half of
        `n_calls`.
    x0 : array-like of shape (n_items,) or (m, n_items), optional
        The orders to evaluate first, at most `n_calls` orders. With `variables`, pass a pair `(order, values)` of an
        order and a dictionary of values, or a list of such pairs.
    y0 : float or array-like of shape (m,), optional
        The values of the orders in `x0`, if you know them. These orders are then not evaluated, and do not count in
        `n_calls`.
    callback : callable, optional
        A function that is called after each evaluation. Its argument is the result so far, with the fields that are
        listed below. If the function returns True or raises StopIteration, the run stops.
    progress : bool
        Show a progress bar.
    save : str or path, optional
        A file for the state of the run. The file is written before the first evaluation and after each evaluation. If
        the file already has evaluations of an earlier run, this earlier run is continued. `n_calls` then includes the
        earlier evaluations. These parameters must have the same values as in the earlier run: `n_items`, `kernel`,
        `space`, `variables`, `maximize`, `feasible` and `noisy`. If you passed `y0`, pass the same `x0` and `y0` again.
        You need not pass `n_initial` and `rng` again. If you pass them, they must have the same values as in the
        earlier run.

    Returns
    -------
    OptimizeResult
        An object with these fields:

        - `x`: the best order. With `variables`, `x` is a named pair: its field `order` is an order, and its field
          `variables` is the dictionary of the values of the variables.
        - `fun`: the value of `x`.
        - `x_iters`: all orders with a value, including the orders of `x0` whose values are in `y0`. With `variables`,
          `x_iters` is a list of such named pairs.
        - `func_vals`: the values of the orders in `x_iters`.
        - `nfev`: the number of evaluations of `f`.
        - `message`: why the run ended.
        - `success`: False if no value is finite, or if Ctrl-C stopped the run. After Ctrl-C, `x` is the best order that
          was evaluated.

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
    optimizer = Optimizer(n_items, variables=variables, maximize=maximize, feasible=feasible, **settings)
    first, known = _first(optimizer, x0, y0)
    if len(first) > calls:
        raise bad_argument(
            "n_calls", f" is {calls}, but x0 has {len(first)} points to evaluate: allow as many calls", value=calls
        )
    file = None if save is None else as_path(save, "save")
    if file is not None:
        try:  # before anything expensive is done
            if file.exists():
                optimizer = _continued(file, optimizer, known, n_initial is not None, rng is not None)
            optimizer.save(file)
        except OSError as error:
            error.add_note(f"save={str(file)!r} is where the state of the run is written")
            raise
    run = _Run(f, optimizer, callback, file, known)
    with progress_bar(progress, "evaluations", len(optimizer.func_vals) - known, calls) as show:
        return run.to_the_end(calls, first, show)


def _first(optimizer: Optimizer, x0: Any, y0: Any) -> tuple[list[Any], int]:
    """Return the points of `x0` to evaluate, and the number of points with known values.

    Known values are passed to the optimizer.
    """
    if x0 is None:
        if y0 is not None:
            raise bad_argument("y0", " has known values, but x0 does not say of which orders")
        return [], 0
    points, single = as_points(x0, optimizer.n_items, optimizer._variables, "x0")
    if y0 is None:
        others = optimizer._variables
        first = [order if others is None else Point(order, others.by_name(own)) for order, own in points]
        for row, point in enumerate(first):
            optimizer.check_feasible(point, "x0", None if single else row)
        return first, 0
    values = as_values(y0, len(points), single, ("x0", "y0"), optimizer._failed)
    optimizer._add(points, values, "x0", single)
    return [], len(points)


class _Run(NamedTuple):
    """Evaluations, one after another."""

    f: Callable[..., float]
    optimizer: Optimizer
    callback: Callable[[OptimizeResult[Any]], Any] | None
    file: Path | None
    known: int

    @property
    def done(self) -> int:
        """The number of evaluations."""
        return len(self.optimizer.func_vals) - self.known

    def to_the_end(self, calls: int, first: list[Any], show: Callable[[int, int], None] | None) -> OptimizeResult[Any]:
        """Evaluate until there are `calls` evaluations, or until something else ends the run."""
        try:
            while (done := self.done) < calls:
                point = self._next(first)
                if point is None:
                    left = "all orders were evaluated" if self.optimizer.feasible is None else "no more feasible orders"
                    return self._ended(f"{left}: {done} evaluations")
                self._evaluate(point)
                if show is not None:
                    show(done + 1, calls)
                if self._stopped():
                    return self._ended(f"the callback stopped the run after {done + 1} evaluations")
        except KeyboardInterrupt:
            if not len(self.optimizer.func_vals):
                raise
            done = self.done
            return self._ended(f"Ctrl-C stopped the run after {done} evaluations", success=False)
        return self._ended(f"{self.done} evaluations" if self.result().success else None)

    def result(self) -> OptimizeResult[Any]:
        """Return the result so far."""
        return as_result({**self.optimizer.result(), "nfev": self.done})

    def _next(self, first: list[Any]) -> Any:
        while first:
            point = first.pop(0)
            if self.optimizer.noisy or not self.optimizer.is_known(point):
                return point
        try:
            return self.optimizer.ask()
        except RankingError as error:
            if error.kind != "exhausted":
                raise
            return None

    def _evaluate(self, point: Any) -> None:
        order, others = (point, None) if self.optimizer.variables is None else point
        try:
            value = self.f(order.copy()) if others is None else self.f(order.copy(), dict(others))
            value = as_value(value, "f(x)", failed=self.optimizer._failed)
        except Exception as error:
            also = "" if others is None else f" with {others}"
            error.add_note(f"in evaluation {self.done} of f, of the order {order.tolist()}{also}")
            raise
        self.optimizer.tell(point, value)
        if self.file is not None:
            self.optimizer.save(self.file)

    def _stopped(self) -> bool:
        if self.callback is None:
            return False
        try:
            return self.callback(self.result()) is True
        except StopIteration:
            return True

    def _ended(self, message: str | None, success: bool = True) -> OptimizeResult[Any]:
        result = self.result()
        return as_result({**result, "message": message or result.message, "success": success and result.success})


def _exact(variables: dict[str, Any] | None) -> str:
    """Return `variables` as text. Values that are equal but of different types, such as 0 and 0.0, have other texts."""
    return repr(variables and sorted(variables.items()))


def _continued(file: Path, wanted: Optimizer, known: int, initial_given: bool, seed_given: bool) -> Optimizer:
    """Return the optimizer in a file. It is an error if the file is from another run."""
    found = Optimizer.load(file, feasible=wanted.feasible)
    if not len(found.func_vals):
        return wanted
    names = (
        ["n_items", "kernel", "space", "variables", "maximize", "noisy"]
        + ["n_initial"] * initial_given
        + ["seed"] * seed_given
    )
    for name in names:
        was, now = getattr(found, name), getattr(wanted, name)
        if was != now or (name == "variables" and _exact(was) != _exact(now)):
            said = "rng" if name == "seed" else name
            other = f" is {str(file)!r}, a run with {said}={shown(was)}, but {said} is {shown(now)} here"
            raise bad_argument("save", f"{other}: give the same, or use another file", value=str(file))
    same = [site.key for site in found._sites[:known]] == [site.key for site in wanted._sites]
    if not same or found._values[:known] != wanted._values:
        other = f" is {str(file)!r}, a run that does not begin with the values of x0 and y0"
        raise bad_argument("save", f"{other}: give the same, or use another file", value=str(file))
    return found
