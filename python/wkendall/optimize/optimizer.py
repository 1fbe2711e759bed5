"""Step-by-step optimisation: ask for orders to evaluate, tell their values."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import OptimizeResult

from wkendall._arguments import Array, as_integer, as_order, check_choice, check_flag
from wkendall._blas import one_thread
from wkendall._disk import as_path, write_whole
from wkendall._errors import RankingError, bad_argument
from wkendall._text import parsed_json, shown
from wkendall.optimize.arguments import as_point, as_points, as_seed, as_value, check_callable
from wkendall.optimize.model import COSTS, KERNELS, Hyperparameters, Model
from wkendall.optimize.moves import Orders
from wkendall.optimize.search import Search, reach
from wkendall.optimize.spaces import SMALL, Candidates, Space

#: The format of a saved run, and the settings in it.
_FORMAT, _VERSION = "wkendall.optimize", 1
_SETTINGS = ("n_items", "n_initial", "kernel", "space", "noisy", "feasible", "rng")
#: The number of random orders that are evaluated before the model is used.
INITIAL = 10
#: Searches start at this many of the best points, and at this many of the most promising random points.
_BEST, _RANDOM, _DRAWN = 3, 2, 64


class Optimizer:
    """Bayesian optimisation over permutations, step by step: `ask` for an order, evaluate it, `tell` its value.

    A Gaussian process models the function that is minimised. The next order has the largest expected improvement that a
    local search finds, everywhere or within a number of moves from the best order: the more often new best values are
    found, the further it may be away. The result of `ask` depends only on the seed and on the points that were told and
    asked for: the same seed gives the same run.

    Parameters
    ----------
    n_items : int
        The number of items to put in order.
    n_initial : int, optional
        The number of random orders at the start; 10 by default. An order that you pass to `tell` without `ask` counts
        as one of them.
    kernel : {"mallows", "discordant", "displaced", "kendall"}
        The similarity of orders. "mallows" is exp(-lam d), where d is the number of discordant pairs of items or the
        number of displaced items. It uses the distance with the higher likelihood; "discordant" and "displaced" fix the
        choice. For two tours, d is the number of edges that they do not share. "kendall" is a weighted Kendall kernel
        with learned weights exp(-a r) of the positions r = 0, 1, .., for functions that depend mostly on the first
        positions. "discordant", "displaced" and "kendall" are only for `space="order"`.
    space : {"order", "tour"}
        A tour has neither a start nor a direction: it is written with item 0 first and the second item smaller than the
        last.
    feasible : callable, optional
        `feasible(x)` tells whether an order may be evaluated. Other orders are never proposed.
    noisy : bool
        Whether the function can return different values for the same order. If True, the same order can be asked for
        and told again.
    rng : None, int or Generator
        The seed of the run.

    Examples
    --------
    >>> from wkendall.optimize import Optimizer
    >>> optimizer = Optimizer(5, rng=0)
    >>> for _ in range(30):
    ...     order = optimizer.ask()
    ...     optimizer.tell(order, sum(place * item for place, item in enumerate(order)))
    >>> optimizer.result().x
    array([4, 3, 2, 1, 0])
    """

    def __init__(
        self,
        n_items: SupportsIndex,
        *,
        n_initial: SupportsIndex | None = None,
        kernel: str = "mallows",
        space: str = "order",
        feasible: Callable[[Orders], bool] | None = None,
        noisy: bool = False,
        rng: int | np.random.Generator | None = None,
    ) -> None:
        self.n_items = as_order(n_items, "n_items")
        self.n_initial = INITIAL if n_initial is None else as_order(n_initial, "n_initial")
        check_choice(kernel, "kernel", tuple(KERNELS))
        self._space = Space(space, self.n_items)
        if self._space.is_tour and kernel != "mallows":
            raise bad_argument(
                "kernel", f' is {kernel!r}, but must be "mallows" for space="tour": a tour has no first position',
                value=kernel,
            )  # fmt: skip
        self.kernel, self.space = kernel, space
        check_callable(feasible, "feasible")
        self.feasible = feasible
        check_flag(noisy, "noisy")
        self.noisy = bool(noisy)
        #: What all random choices depend on.
        self.seed = as_seed(rng)
        self._paths: list[Orders] = []
        self._values: list[float] = []
        self._pending: list[Orders] = []
        self._known: dict[bytes, int] = {}
        self._model: Model | None = None
        self._hyper: Hyperparameters | None = None

    @property
    def x_iters(self) -> Orders:
        """The orders that were told, one per row."""
        orders = [self._space.order(path) for path in self._paths]
        return np.array(orders, np.int64).reshape(-1, self.n_items)

    @property
    def func_vals(self) -> Array:
        """The values that were told."""
        return np.array(self._values)

    def ask(self, n: SupportsIndex | None = None) -> NDArray[np.int64]:
        """Return the next order to evaluate, or `n` different ones.

        Points that were asked for and not told yet count as being evaluated: they are not proposed again, and the model
        uses its own prediction as their value. The `n` points are found one after another in this way, for parallel
        evaluation; the result then has shape (n, n_items). It is an error if fewer orders are left than requested (kind
        "exhausted"), or if no feasible order was found (kind "infeasible").
        """
        count = 1 if n is None else as_order(n, "n")
        pending = list(self._pending)
        for _ in range(count):
            with one_thread():
                path = self._propose(pending)
            if path is None:
                raise self._exhausted(count, len(pending) - len(self._pending))
            pending.append(path)
        orders = [self._space.order(path) for path in pending[len(self._pending) :]]
        self._pending = pending
        return orders[0] if n is None else np.array(orders)

    def tell(self, x: ArrayLike, y: ArrayLike) -> None:
        """Add the value `y` of an order `x`, or the values of several, whether they were asked for or not.

        `inf` means that an order failed: it counts as the largest value so far. It is an error if an order is not a
        permutation, is not feasible or was told before, or if a value is NaN. Nothing is added in this case.
        """
        orders, values = as_points(x, y, self.n_items)
        paths = [self._space.path(order) for order in orders]
        new: dict[bytes, int] = {}
        for row, path in enumerate(paths):
            self._check_new(path, None if len(paths) == 1 else row, new)
            new.setdefault(path.tobytes(), row)
        for number, path in enumerate(paths, len(self._paths)):
            self._known.setdefault(path.tobytes(), number)
        # In one statement, so that an interruption leaves both unchanged.
        self._paths, self._values = [*self._paths, *paths], [*self._values, *values]
        self._pending = [path for path in self._pending if path.tobytes() not in new]
        self._model = None

    def result(self) -> OptimizeResult[Any]:
        """Return the best order so far and all evaluations, in the form of scipy's results.

        `x` and `fun` are the best order and its value; the others are `x_iters`, `func_vals`, `nfev`, `message` and
        `success`. If the values are noisy, the best order is the one with the smallest prediction, and `fun` is the
        prediction. Before the first evaluation `x` is None and `fun` is inf.
        """
        values, count = self.func_vals, len(self._values)
        x, fun = None, np.inf
        if count:
            best, fun = int(np.argmin(values)), float(values.min())
            if self.noisy and np.isfinite(fun):
                with one_thread():
                    predicted = self._fitted().predictions()
                best, fun = int(np.argmin(predicted)), float(predicted.min())
            x = self._space.order(self._paths[best])
        success = bool(np.isfinite(fun))
        message = f"{count} evaluations" if success else f"no finite value in {count} evaluations"
        found = {"x": x, "fun": fun, "x_iters": self.x_iters, "func_vals": values, "nfev": count}
        return as_result(found | {"message": message, "success": success})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all evaluations and the settings to a JSON file. `feasible` is not written.

        An existing file is replaced atomically and keeps its mode. The file that a symbolic link leads to is replaced,
        not the link.
        """
        settings = {name: getattr(self, name) for name in ("n_items", "n_initial", "kernel", "space", "noisy")}
        settings |= {"feasible": self.feasible is not None, "rng": self.seed}
        # JSON has no infinite numbers: an order that failed has the value null.
        values = [value if np.isfinite(value) else None for value in self._values]
        state = {"format": _FORMAT, "version": _VERSION, **settings, "x": self.x_iters.tolist(), "y": values}
        write_whole(as_path(path), json.dumps(state, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, feasible: Callable[[Orders], bool] | None = None) -> Self:
        """Read a file of `save`. The run continues as if it had not been interrupted.

        Points that were asked for but not told before the file was written can be asked for again. Pass `feasible` as to
        the constructor: a function cannot be saved.
        """
        settings, orders, values = _read_state(path)
        was_given = settings.pop("feasible")
        with _damaged(path):
            check_flag(was_given, "feasible")
            as_integer(settings["rng"], "rng", "a whole number")
            as_order(settings["n_initial"], "n_initial")
            items = cls(**settings).n_items
            points = [as_point(order, items, "x", row) for row, order in enumerate(orders)]
            numbers = [as_value(value, "y", row) for row, value in enumerate(values)]
        if was_given != (feasible is not None):
            said = "without" if feasible is not None else "with"
            raise bad_argument("feasible", f" must be given as before: {str(path)!r} was saved {said} it")
        made = cls(**settings, feasible=feasible)
        for point, number in zip(points, numbers, strict=True):
            try:
                made.tell(point, number)
            except RankingError as error:
                if error.kind == "infeasible":
                    raise
                with _damaged(path):
                    raise
        return made

    def is_known(self, x: ArrayLike) -> bool:
        """Return whether `tell` has received a value for this order, or for an equivalent tour."""
        return self._space.path(as_point(x, self.n_items)).tobytes() in self._known

    def check_feasible(self, x: ArrayLike, name: str = "x", row: int | None = None) -> None:
        """Refuse an order for which `feasible` is False; the error calls it `name`, with its row among several."""
        order = self._space.order(self._space.path(as_point(x, self.n_items, name, row)))
        where = name if row is None else f"{name}[{row}]"
        if self.feasible is not None and not self.feasible(order.copy()):
            raise bad_argument(where, f" is {order.tolist()}, for which feasible is False", row=row, kind="infeasible")

    def __repr__(self) -> str:
        return (
            f"Optimizer({self.n_items}, kernel={self.kernel!r}, space={self.space!r}): {len(self._values)} evaluations"
        )

    def _propose(self, pending: list[Orders]) -> Orders | None:
        """Find the next path, given those that are being evaluated. None if there is none."""
        count = len(self._paths) + len(pending)
        rng = np.random.default_rng([self.seed, count])
        taken = {path.tobytes() for path in pending} | (set() if self.noisy else set(self._known))
        candidates = Candidates(self._space, self.feasible, taken, self._paths + pending, COSTS[self.kernel])
        if count < self.n_initial or not self._paths or self._space.size == 1:
            return candidates.random(rng)
        model = self._fitted()
        search = Search(*model.given(pending), candidates.moves, candidates.acceptable)
        limit, found = reach(self._values, self.n_initial, *model.reaches), None
        if limit < np.inf:
            # Many schedules have the same makespan: a local search has to move on between equal ones.
            start = model.last_best() if limit < 1 else model.best_paths(1)[0]
            found = search.within(start, limit, rng)
        if found is None:
            drawn = candidates.some(_DRAWN, rng)
            if drawn:
                promises = search.promises(search.kernel.between(np.array(drawn), search.process.parameters))
                drawn = [drawn[place] for place in np.argsort(-promises, kind="stable")[:_RANDOM]]
            found = search.from_all(model.best_paths(_BEST) + drawn)
        return candidates.random(rng) if found is None else self._space.directed(found)

    def _fitted(self) -> Model:
        if self._model is None:
            self._model = Model(
                self.kernel, self._space, np.array(self._paths), self.func_vals, self.noisy, self._hyper
            )
            self._hyper = self._model.hyper
        return self._model

    def _check_new(self, path: Orders, row: int | None, new: dict[bytes, int]) -> None:
        """Refuse a path that is not feasible or already has a value."""
        where, key = "x" if row is None else f"x[{row}]", path.tobytes()
        order = self._space.order(path)
        self.check_feasible(order, "x", row)
        if self.noisy or (key not in self._known and key not in new):
            return
        earlier = f"as x[{new[key]}]" if key in new else f"as number {self._known[key]}"
        said = "a tour" if self._space.is_tour else "an order"
        raise bad_argument(
            where, f" is {order.tolist()}, {said} that was told before, {earlier}: Optimizer(noisy=True) takes repeated values",
            row=row, kind="duplicate",
        )  # fmt: skip

    def _exhausted(self, count: int, found: int) -> Exception:
        """Say that there are not so many orders as were asked for."""
        each, size = "tours" if self._space.is_tour else "orders", self._space.size
        small, kind = size <= SMALL, "feasible " if self.feasible is not None else ""
        if kind and not self._paths and not found:
            tried = f"the {size} {each}" if small else f"{Candidates.TRIES} random {each} that were tried"
            advice = "" if small else ": tell the value of a feasible one, or give it to minimize as x0"
            return bad_argument("feasible", f" is False for all {tried}{advice}", kind="infeasible")
        single = found == 1
        number = f"only {found}" if found else "no"
        left = f"{'is' if single else 'are'} left, of {size} in all"
        if kind and not small:
            number, left = f"{number} more", f"{'was' if single else 'were'} found"
        said = f"{number} {kind}{each[:-1] if single else each} {left}"
        if count == 1:
            return RankingError(said, kind="exhausted")
        return bad_argument("n", f" is {count}, but {said}", value=count, kind="exhausted")


def as_result(found: dict[str, Any]) -> OptimizeResult[Any]:
    """Return a result in the type of scipy's functions."""
    make: Any = OptimizeResult  # a dict with keys that its type does not declare
    made: OptimizeResult[Any] = make(found)
    return made


def _read_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[list[int]], list[float]]:
    """Read a file of `Optimizer.save`. The settings and evaluations may be of any type."""
    file = as_path(path)
    try:
        state = parsed_json(file.read_bytes())
    except ValueError:
        raise ValueError(f"{str(file)!r} is not a file that Optimizer.save wrote: it is not JSON") from None
    if not isinstance(state, dict) or state.get("format") != _FORMAT:
        raise ValueError(f"{str(file)!r} is not a file that Optimizer.save wrote: it is other JSON")
    with _damaged(path):
        if state.get("version") != _VERSION:
            raise ValueError(f"it has version {shown(state.get('version'))}, but must have version {_VERSION}")
        for name in (*_SETTINGS, "x", "y"):
            if name not in state:
                raise ValueError(f"it has no {name!r}")
        orders, values = state["x"], state["y"]
        if not (isinstance(orders, list) and isinstance(values, list) and len(orders) == len(values)):
            raise ValueError("'x' and 'y' must be lists of the same length")
        numbers = [np.inf if value is None else value for value in values]
    return {name: state[name] for name in _SETTINGS}, orders, numbers


@contextmanager
def _damaged(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say of all errors that a file has caused them."""
    try:
        yield
    except RecursionError:
        raise ValueError(f"{str(path)!r} is damaged: it has lists in lists, too many to read") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}") from None
