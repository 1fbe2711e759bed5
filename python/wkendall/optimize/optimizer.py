"""Step-by-step optimisation: ask for orders to evaluate, and tell their values."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from wkendall._arguments import Array, as_integer, as_order, check_choice, check_flag
from wkendall._disk import as_path, write_whole
from wkendall._errors import RankingError, bad_argument, parsed_json, shown
from wkendall._run import one_thread
from wkendall.optimize.alternating import Alternating
from wkendall.optimize.arguments import as_pair, as_point, as_points, as_seed, as_value, as_values, check_callable
from wkendall.optimize.model import Hyperparameters, Model
from wkendall.optimize.moves import Orders
from wkendall.optimize.product import COSTS, KERNELS
from wkendall.optimize.search import PATIENCE, reach
from wkendall.optimize.spaces import SMALL, Candidates, Site, Space, as_answer
from wkendall.optimize.variables import Point, Values, Variables

#: The format of a saved run, its versions, and the settings in it.
_FORMAT, _VERSIONS = "wkendall.optimize", (1, 2)
_SETTINGS = ("n_items", "n_initial", "kernel", "space", "noisy", "feasible", "rng")
#: Settings that files of version 1 do not have.
_LATER = {"variables": None, "maximize": False}
#: The number of random orders that are evaluated before the model is used.
INITIAL = 10
#: Searches start at this many of the best points, and at this many of the most promising random points.
_BEST, _RANDOM, _DRAWN = 3, 2, 64
#: With variables, a value is better than others if it is by this many standard deviations: real numbers can always be improved
#: a little.
_CLEARLY = 0.02
#: On a plateau, points are compared by the expected improvement beyond this many standard deviations.
_BEYOND = 0.3


class Optimizer:
    """Bayesian optimisation over permutations, step by step: `ask` for an order, evaluate it, `tell` its value.

    With `variables`, the optimiser searches for an order together with values of other variables. You then get and pass
    a named pair `(order, variables)` instead of an order. In this pair, `variables` is a dictionary that has the value
    of each variable under its name.

    A Gaussian process models the function that is minimised. To find the next order, a local search looks for the order
    with the largest expected improvement. The local search changes an order by small moves, such as a swap of two
    items. The local search tries only orders that are at most max(1, r) moves away from the best evaluated order. The
    number r is doubled after a new best value, and halved after three evaluations without a new best value. If r is
    large, there is no limit.

    The result of `ask` depends only on the settings, the seed, and the earlier calls of `ask` and `tell`. So the same
    seed gives the same run.

    Parameters
    ----------
    n_items : int
        The number of items to put in order.
    n_initial : int, optional
        The number of random orders at the start; 10 by default. An order that you pass to `tell` without `ask` counts
        as one of these random orders.
    kernel : {"mallows", "discordant", "displaced", "kendall"}
        The similarity of two orders in the Gaussian process. The numbers lam and a in the list below are learned from
        the values of the function. "discordant", "displaced" and "kendall" are only for `space="order"`.

        - "discordant": exp(-lam d), where d is the number of discordant pairs of items.
        - "displaced": exp(-lam d), where d is the number of positions at which the two orders have different items.
        - "kendall": a weighted Kendall kernel, in which position r = 0, 1, .. has the weight exp(-a r). It is for
          functions that depend mostly on the first positions.
        - "mallows": "discordant" or "displaced", whichever of the two fits the values better.

        With "mallows" and `variables`, four more kernels are tried, and the kernel that fits the values best is used.
        One of the four is "kendall"; it is left out if there are very many items or evaluations. The other three are
        exp(-lam d) with these distances d:

        - the footrule: for each item, the distance between its positions in the two orders, summed over all items;
        - a footrule in which mostly the first positions count;
        - the number of pairs of items that are neighbours in the first order and not in the second.

        For tours, "mallows" is always exp(-lam d), where d is the number of edges of one tour that the other tour does
        not have. An edge is a pair of items that are neighbours in the tour.
    space : {"order", "tour"}
        A tour is a closed route, without a start and without a direction. It is written with item 0 first, and with the
        second item smaller than the last.
    variables : dict, optional
        Variables besides the order. The keys are their names, and the values are of these kinds:

        - A tuple `(low, high)`: a range of real numbers. If both ends are integers, it is a range of whole numbers:
          `(0, 1)` is 0 or 1, but `(0.0, 1.0)` is any number from 0 to 1.
        - A tuple `(low, high, "log")`: a range on a logarithmic scale.
        - A list of choices: texts, finite numbers, True, False or None. The sequence of the choices has no meaning.
    maximize : bool
        Whether to maximise the function instead of minimising it. With True, do not change the sign of the values, and
        use -inf as the value of an order that cannot be evaluated.
    feasible : callable, optional
        `feasible(x)` must return True if the order `x` may be evaluated, and False otherwise. `ask` never returns an
        order that may not be evaluated. With `variables` the call is `feasible(order, variables)`.
    noisy : bool
        Whether the function can return different values for the same order. If True, `ask` can return an order again
        that already has a value, and `tell` accepts a second value.
    rng : None, int or Generator
        The seed of the run. None means a random seed.

    Examples
    --------
    >>> from wkendall.optimize import Optimizer
    >>> optimizer = Optimizer(5, rng=0)
    >>> for _ in range(30):
    ...     order = optimizer.ask()
    ...     optimizer.tell(order, sum(place * item for place, item in enumerate(order)))
    >>> optimizer.result().x
    array([4, 3, 2, 1, 0])

    With another variable:

    >>> optimizer = Optimizer(5, variables={"speed": (0.5, 2.0)}, rng=0)
    >>> order, variables = optimizer.ask()
    >>> optimizer.tell((order, variables), float(order[0]) + variables["speed"])
    """

    def __init__(
        self,
        n_items: SupportsIndex,
        *,
        n_initial: SupportsIndex | None = None,
        kernel: str = "mallows",
        space: str = "order",
        variables: Mapping[str, Any] | None = None,
        maximize: bool = False,
        feasible: Callable[..., bool] | None = None,
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
        self._variables = None if variables is None else Variables(variables)
        check_flag(maximize, "maximize")
        self.maximize = bool(maximize)
        check_callable(feasible, "feasible")
        self.feasible = feasible
        check_flag(noisy, "noisy")
        self.noisy = bool(noisy)
        #: What all random choices depend on.
        self.seed = as_seed(rng)
        self._sites: list[Site] = []
        self._values: list[float] = []
        self._pending: list[Site] = []
        self._known: dict[bytes, int] = {}
        self._model: Model | None = None
        self._hyper: Hyperparameters | None = None

    @property
    def variables(self) -> dict[str, Any] | None:
        """The variables besides the order, in the form that the constructor takes."""
        return None if self._variables is None else self._variables.specs

    @property
    def x_iters(self) -> Any:
        """All orders with a value, one per row. With `variables`, a list of pairs `(order, variables)`."""
        if self._variables is not None:
            return [self._point(site) for site in self._sites]
        orders = [self._space.order(site.path) for site in self._sites]
        return np.array(orders, np.int64).reshape(-1, self.n_items)

    @property
    def func_vals(self) -> Array:
        """The values of all orders in `x_iters`."""
        return np.array(self._values)

    def ask(self, n: SupportsIndex | None = None) -> Any:
        """Return the next order to evaluate, or `n` different orders.

        With `n`, the result is an array of shape (n, n_items). If the optimiser was made with `variables`, the result
        is a pair `(order, variables)`, or with `n` a list of such pairs. The `n` orders can be evaluated in parallel.

        Until `tell` receives the value of an order, `ask` does not return this order again. Until then, the model uses
        its own prediction instead of the value.

        An error is raised in two cases. If fewer orders are left than requested, the field `kind` of the error is
        "exhausted". If no feasible order was found, it is "infeasible".
        """
        count = 1 if n is None else as_order(n, "n")
        pending = list(self._pending)
        for _ in range(count):
            with one_thread():
                site = self._propose(pending)
            if site is None:
                raise self._exhausted(count, len(pending) - len(self._pending))
            pending.append(site)
        points = [self._point(site) for site in pending[len(self._pending) :]]
        self._pending = pending
        if n is None:
            return points[0]
        return points if self._variables is not None else np.array(points)

    def tell(self, x: Any, y: ArrayLike) -> None:
        """Add the value `y` of an order `x`, or the values of several orders.

        You can also pass orders that `ask` did not return. The value `inf` means that an order cannot be evaluated; use
        `-inf` if the function is maximised. Such an order counts as if it had the worst value so far.

        It is an error if an order is not a permutation, or is not feasible. Without `noisy=True`, it is an error if an
        order already has a value. It is also an error if a variable is out of its range, or if a value is NaN. After
        an error, nothing is added.
        """
        points, single = as_points(x, self.n_items, self._variables)
        self._add(points, as_values(y, len(points), single, ("x", "y"), self._failed), "x", single)

    def _add(self, points: list[tuple[Orders, Values]], values: list[float], name: str, single: bool) -> None:
        sites = [Site(self._space.path(order), own) for order, own in points]
        new: dict[bytes, int] = {}
        for row, site in enumerate(sites):
            self._check_new(site, name, None if single else row, new)
            new.setdefault(site.key, row)
        for number, site in enumerate(sites, len(self._sites)):
            self._known.setdefault(site.key, number)
        # In one statement, so that an interruption leaves both unchanged.
        self._sites, self._values = [*self._sites, *sites], [*self._values, *values]
        self._pending = [site for site in self._pending if site.key not in new]
        self._model = None

    def result(self) -> OptimizeResult[Any]:
        """Return the best order so far and all evaluations, in the form of scipy's results.

        The result has the same fields as the result of `minimize`: `x`, `fun`, `x_iters`, `func_vals`, `nfev`,
        `message` and `success`. `x` and `fun` are the best order and its value. With `noisy=True`, `x` is the evaluated
        order with the best predicted value, and `fun` is this predicted value. With `maximize=True`, `fun` is the
        largest value, not its negative. Before the first evaluation `x` is None, and `fun` is inf, or -inf with
        `maximize=True`.
        """
        values, count = self._losses(), len(self._values)
        x, fun = None, np.inf
        if count:
            best, fun = int(np.argmin(values)), float(values.min())
            if self.noisy and np.isfinite(fun):
                with one_thread():
                    predicted = self._fitted().predictions()
                best, fun = int(np.argmin(predicted)), float(predicted.min())
            x = self._point(self._sites[best])
        success = bool(np.isfinite(fun))
        message = f"{count} evaluations" if success else f"no finite value in {count} evaluations"
        fun = -fun if self.maximize else fun
        found = {"x": x, "fun": fun, "x_iters": self.x_iters, "func_vals": self.func_vals, "nfev": count}
        return as_result(found | {"message": message, "success": success})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all evaluations and the settings to a JSON file. The function `feasible` is not written.

        An existing file is replaced as a whole, and keeps its permissions. If `path` is a symbolic link, the file that
        the link leads to is replaced, and the link stays.
        """
        settings = {
            name: getattr(self, name) for name in ("n_items", "n_initial", "kernel", "space", "noisy", "maximize")
        }
        settings |= {"feasible": self.feasible is not None, "rng": self.seed}
        # JSON has no infinite numbers: an order that failed has the value null.
        values = [value if np.isfinite(value) else None for value in self._values]
        orders = [self._space.order(site.path).tolist() for site in self._sites]
        state = {"format": _FORMAT, "version": _VERSIONS[-1], **settings, "variables": None, "x": orders, "y": values}
        if self._variables is not None:
            # JSON has no tuples: ranges and choices are told apart by name.
            specs = self._variables.specs.items()
            state["variables"] = {name: {"choices" if isinstance(of, list) else "range": of} for name, of in specs}
            state["x_variables"] = [site.values for site in self._sites]
        write_whole(as_path(path), json.dumps(state, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, feasible: Callable[..., bool] | None = None) -> Self:
        """Return an optimiser from a file that `save` wrote. It continues the run as if there had been no interruption.

        The file contains only the orders whose values were passed to `tell`. An order that `ask` returned and that has
        no value yet is not in the file, so `ask` can return it again. If the optimiser had a function `feasible`, pass
        this function again, because the file does not contain it.
        """
        settings, orders, others, values = _read_state(path)
        was_given = settings.pop("feasible")
        with _damaged(path):
            check_flag(was_given, "feasible")
            as_integer(settings["rng"], "rng", "a whole number")
            as_order(settings["n_initial"], "n_initial")
            settings["variables"] = _specs(settings["variables"])
            empty = cls(**settings)
            points = [
                (as_point(order, empty.n_items, "x", row), empty._told(own, row))
                for row, (order, own) in enumerate(zip(orders, others, strict=True))
            ]
            values = [empty._failed if value is None else value for value in values]
            numbers = [as_value(value, "y", row, empty._failed) for row, value in enumerate(values)]
        if was_given != (feasible is not None):
            said = "without" if feasible is not None else "with"
            raise bad_argument("feasible", f" must be given as before: {str(path)!r} was saved {said} it")
        made = cls(**settings, feasible=feasible)
        for point, number in zip(points, numbers, strict=True):
            try:
                made._add([point], [number], "x", True)
            except RankingError as error:
                if error.kind == "infeasible":
                    raise
                with _damaged(path):
                    raise
        return made

    def is_known(self, x: Any) -> bool:
        """Return whether `tell` has received a value for this order, or for an equivalent tour."""
        return self._site(x, "x", None).key in self._known

    def check_feasible(self, x: Any, name: str = "x", row: int | None = None) -> None:
        """Raise an error if `feasible` is False for an order. The message calls the order `name` or `name[row]`."""
        self._check_feasible(self._site(x, name, row), name, row)

    def __repr__(self) -> str:
        others = "" if self._variables is None else f", variables={', '.join(self._variables.names)}"
        many = f"{len(self._values)} evaluations"
        return f"Optimizer({self.n_items}, kernel={self.kernel!r}, space={self.space!r}{others}): {many}"

    @property
    def _failed(self) -> float:
        """The value of an order that cannot be evaluated: inf or -inf."""
        return -np.inf if self.maximize else np.inf

    def _losses(self) -> Array:
        """Return the values so far; if the function is maximised, with the opposite sign."""
        return -self.func_vals if self.maximize else self.func_vals

    def _site(self, x: Any, name: str, row: int | None) -> Site:
        """Return the inner form of a point. For errors, `name` and `row` say which point it is."""
        if self._variables is None:
            return Site(self._space.path(as_point(x, self.n_items, name, row)), ())
        order, values = as_pair(x, self.n_items, self._variables, name, row)
        return Site(self._space.path(order), values)

    def _point(self, site: Site) -> Any:
        """Return a point as users see it."""
        order = self._space.order(site.path)
        return order if self._variables is None else Point(order, self._variables.by_name(site.values))

    def _told(self, values: Any, row: int) -> Values:
        """Check the values of variables in a file."""
        if self._variables is None:
            return ()
        if not isinstance(values, list) or len(values) != len(self._variables.names):
            count = len(self._variables.names)
            raise ValueError(f"x_variables[{row}] must be a list of {count} values, not {shown(values)}")
        return self._variables.checked(self._variables.by_name(tuple(values)), f"x_variables[{row}]", row)

    def _propose(self, pending: list[Site], number: int | None = None) -> Site | None:
        """Return the next point, or None if there is none. The points `pending` are being evaluated.

        `number` determines the random choices. By default it is the number of evaluated and pending points.
        """
        number = len(self._sites) + len(pending) if number is None else number
        rng = np.random.default_rng([self.seed, number])
        taken = {site.key for site in pending} | (set() if self.noisy else set(self._known))
        known = self._sites + pending
        candidates = Candidates(self._space, self._variables, self.feasible, taken, known, COSTS[self.kernel])
        if len(known) < self.n_initial or not self._sites or candidates.size == 1:
            return candidates.first(number, self.n_initial, self.seed, rng)
        model = self._fitted()
        search = Alternating(candidates, model, pending, rng)
        losses = self._losses().tolist()
        least = 0.0 if self._variables is None else _CLEARLY * model.scale
        limit, misses = reach(losses, self.n_initial, *model.reaches, least)
        found = search.switched(model.best(1)[0]) if (misses + len(pending)) % PATIENCE == PATIENCE - 1 else None
        if self._variables is not None and not self.noisy and _is_on_plateau(losses, self.n_initial, least):
            limit, search.best = np.inf, search.best - _BEYOND
        if found is None and limit < np.inf:
            # Many schedules have the same makespan: a local search has to move on between equal ones.
            found = search.within(model.last_best() if limit < 1 else model.best(1)[0], limit)
        if found is None:
            drawn = candidates.some(_DRAWN, rng)
            if drawn:
                promises = search.promises(drawn)
                drawn = [drawn[place] for place in np.argsort(-promises, kind="stable")[:_RANDOM]]
            found = search.from_all(model.best(_BEST) + drawn)
        return candidates.random(rng) if found is None else Site(self._space.directed(found.path), found.values)

    def _fitted(self) -> Model:
        if self._model is None:
            self._model = Model(
                self.kernel, self._space, self._variables, self._sites, self._losses(), self.noisy, self._hyper
            )
            self._hyper = self._model.hyper
        return self._model

    def _check_new(self, site: Site, name: str, row: int | None, new: dict[bytes, int]) -> None:
        """Raise an error if a point is not feasible or already has a value."""
        where, key = name if row is None else f"{name}[{row}]", site.key
        self._check_feasible(site, name, row)
        if self.noisy or (key not in self._known and key not in new):
            return
        earlier = f"as {name}[{new[key]}]" if key in new else f"as number {self._known[key]}"
        noun = "a tour" if self._space.is_tour else "an order"
        said = (
            f"{self._written(site)}, {noun if self._variables is None else 'a point'} that was told before, {earlier}"
        )
        raise bad_argument(
            where, f" is {said}: Optimizer(noisy=True) takes repeated values",
            row=row, kind="duplicate",
        )  # fmt: skip

    def _check_feasible(self, site: Site, name: str, row: int | None) -> None:
        if self.feasible is None:
            return
        point = self._point(site)
        if not as_answer(self.feasible(point) if self._variables is None else self.feasible(*point)):
            where = name if row is None else f"{name}[{row}]"
            said = f" is {self._written(site)}, for which feasible is False"
            raise bad_argument(where, said, row=row, kind="infeasible")

    def _written(self, site: Site) -> str:
        """Return a point as text."""
        order = str(self._space.order(site.path).tolist())
        return order if self._variables is None else f"({order}, {shown(self._variables.by_name(site.values))})"

    def _exhausted(self, count: int, found: int) -> Exception:
        """Return the error for the case that fewer orders are left than requested."""
        each = "tours" if self._space.is_tour else "orders"
        size: float = self._space.size
        if self._variables is not None:
            each, size = "points", size * self._variables.size
        small, kind = size <= SMALL, "feasible " if self.feasible is not None else ""
        if kind and not self._sites and not found:
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


def _is_on_plateau(losses: list[float], initial: int, least: float) -> bool:
    """Return whether the last value, after the first `initial` values, is about equal to the best value before it.

    Such values are common if a part of the order has no effect on the function. More points with this value then give
    no information. Two values are about equal if they differ by at most `least`, which is a share of the standard
    deviation of the values. A few huge values make the standard deviation large. So the difference may also be at most
    a share of the difference between the quartiles.
    """
    if not (len(losses) > max(1, initial) and np.isfinite(losses[-1])):
        return False
    low, high = np.quantile([loss for loss in losses if np.isfinite(loss)], [0.25, 0.75])
    return bool(abs(losses[-1] - min(losses[:-1])) <= min(least, 4 * _CLEARLY * (high - low)))


def as_result(found: dict[str, Any]) -> OptimizeResult[Any]:
    """Return a result as an object of scipy's class `OptimizeResult`."""
    make: Any = OptimizeResult  # a dict with keys that its type does not declare
    made: OptimizeResult[Any] = make(found)
    return made


def _read_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[Any], list[Any], list[Any]]:
    """Read a file of `Optimizer.save`. The types of the settings and evaluations are not checked here."""
    file = as_path(path)
    try:
        state = parsed_json(file.read_bytes())
    except ValueError:
        raise ValueError(f"{str(file)!r} is not a file that Optimizer.save wrote: it is not JSON") from None
    if not isinstance(state, dict) or state.get("format") != _FORMAT:
        raise ValueError(f"{str(file)!r} is not a file that Optimizer.save wrote: it is other JSON")
    with _damaged(path):
        if state.get("version") not in _VERSIONS or isinstance(state["version"], bool | float):
            versions = " or ".join(map(str, _VERSIONS))
            raise ValueError(f"it has version {shown(state.get('version'))}, but must have version {versions}")
        if state["version"] == 1:
            state |= _LATER
        for name in (*_SETTINGS, *_LATER, "x", "y", *["x_variables"] * (state.get("variables") is not None)):
            if name not in state:
                raise ValueError(f"it has no {name!r}")
        orders, values = state["x"], state["y"]
        if not (isinstance(orders, list) and isinstance(values, list) and len(orders) == len(values)):
            raise ValueError("'x' and 'y' must be lists of the same length")
        if state["variables"] is None and "x_variables" in state:
            raise ValueError("it has 'x_variables', but no 'variables'")
        others = [None] * len(orders) if state["variables"] is None else state["x_variables"]
        if not (isinstance(others, list) and len(others) == len(orders)):
            raise ValueError("'x' and 'x_variables' must be lists of the same length")
    return {name: state[name] for name in (*_SETTINGS, *_LATER)}, orders, others, values


def _specs(variables: Any) -> dict[str, Any] | None:
    """Return the variables of a file in the form that the constructor takes."""
    if variables is None:
        return None
    if not isinstance(variables, dict):
        raise ValueError(f"'variables' must be an object, not {shown(variables)}")
    specs = {}
    for name, spec in variables.items():
        kinds = list(spec) if isinstance(spec, dict) else []
        if kinds not in (["range"], ["choices"]) or not isinstance(spec[kinds[0]], list):
            raise ValueError(f"variable {shown(name)} must have a list as 'range' or 'choices', not {shown(spec)}")
        specs[name] = tuple(spec["range"]) if kinds == ["range"] else spec["choices"]
    return specs


@contextmanager
def _damaged(path: str | os.PathLike[str]) -> Iterator[None]:
    """Change every error into an error that says that the file is damaged."""
    try:
        yield
    except RecursionError:
        raise ValueError(f"{str(path)!r} is damaged: it has lists in lists, too many to read") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}") from None
