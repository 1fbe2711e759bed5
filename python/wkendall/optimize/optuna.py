"""Orders in Optuna: a function that suggests an order, and a sampler that models the order and the other parameters.

>>> import optuna
>>> from wkendall.optimize.optuna import OrderSampler, suggest_order
>>> def cost(trial):
...     order = suggest_order(trial, "jobs", 5)
...     speed = trial.suggest_float("speed", 0.5, 2.0)
...     return float(order @ [5, 4, 3, 2, 1]) + (speed - 1) ** 2
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(sampler=OrderSampler(seed=0))
>>> study.optimize(cost, n_trials=40)
>>> suggest_order(study.best_trial, "jobs", 5)
array([0, 1, 2, 3, 4])

Needs optuna: `pip install "wkendall[optuna]"`.
"""

from __future__ import annotations

import math
import re
import threading
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from wkendall._arguments import as_order, check_choice, check_flag
from wkendall._errors import bad_argument, bad_type, shown
from wkendall._run import one_thread
from wkendall.optimize.arguments import as_seed
from wkendall.optimize.moves import Orders
from wkendall.optimize.optimizer import INITIAL, Optimizer
from wkendall.optimize.product import KERNELS
from wkendall.optimize.spaces import SPACES, Site, Space
from wkendall.optimize.variables import Variables

__all__ = ["OrderSampler", "suggest_order"]

#: How the parameters of an order are named, for each space.
_NOUNS = {"order": "item", "tour": "stop"}
_NAME = re.compile(r"(.*)\[(item|stop) (\d+)\]", re.DOTALL)
_USED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL, TrialState.RUNNING)


def suggest_order(trial: optuna.trial.BaseTrial, name: str, n_items: SupportsIndex, *, space: str = "order") -> Orders:
    """Suggest an order of the items 0..n_items - 1 in a trial of an Optuna study.

    The trial gets one parameter for each item i. The parameter is a number from 0 to n_items - 1, and its name is
    `"name[item i]"`. To get the order, the items are sorted by these numbers. `OrderSampler` sets the number of each
    item to the position of the item in the order. You can also use every other sampler of Optuna. For another sampler,
    the numbers of the items are ordinary parameters.

    Parameters
    ----------
    trial : optuna.trial.Trial
        The trial that the objective function receives. For a finished trial, such as `study.best_trial`,
        `suggest_order` returns the order of this trial.
    name : str
        The name of the order.
    n_items : int
        The number of items to put in order.
    space : {"order", "tour"}
        Whether to suggest an order or a tour. A tour is a closed route: it has neither a start nor a direction. For a
        tour, the parameters have the names `"name[stop i]"`.

    Returns
    -------
    array
        The items from first to last.

    Examples
    --------
    >>> import optuna
    >>> trial = optuna.trial.FixedTrial({"jobs[item 0]": 2, "jobs[item 1]": 0, "jobs[item 2]": 1})
    >>> suggest_order(trial, "jobs", 3)  # item 0 is last
    array([1, 2, 0])
    """
    if not hasattr(trial, "suggest_float"):
        raise bad_type("trial", f" must be a trial of Optuna, not {shown(trial)}")
    if not isinstance(name, str):
        raise bad_type("name", f" must be a text, not {shown(name)}")
    items = as_order(n_items, "n_items")
    check_choice(space, "space", SPACES)
    _check_same_order(trial, name, items, space)
    if items == 1:
        return np.zeros(1, np.int64)
    noun = _NOUNS[space]
    keys = [trial.suggest_float(f"{name}[{noun} {item}]", 0.0, items - 1.0) for item in range(items)]
    return _sorted(keys, space)


def _check_same_order(trial: optuna.trial.BaseTrial, name: str, items: int, space: str) -> None:
    """Raise an error if the trial has another number of items, or if a finished trial does not have this order."""
    found = Counter(match.group(1, 2) for match in map(_NAME.fullmatch, trial.params) if match)
    count = found[name, _NOUNS[space]]
    if count == items or (not count and (items == 1 or not isinstance(trial, FrozenTrial))):
        return
    if count:
        raise bad_argument(
            "n_items", f" is {items}, but the order {name!r} of this trial has {count} items", value=items
        )
    spaces = {noun: known for known, noun in _NOUNS.items()}
    orders = [f"{known!r} with space={spaces[noun]!r}" for known, noun in found]
    said = f" is {name!r} with space={space!r}, but this trial has {' and '.join(orders) or 'no order'}"
    raise bad_argument("name", said, value=name)


class OrderSampler(BaseSampler):
    """A sampler for Optuna studies with an order. It models the order and the other parameters together.

    In a trial, suggest the order with `suggest_order`, and other parameters as usual. The sampler uses the same model
    and the same search as `wkendall.optimize.Optimizer` with `variables`.

    The sampler stores nothing about a study. So you can continue a study with a new sampler. If the new sampler has the
    same seed, and trials run one at a time, the results are the same as without the interruption.

    - A parameter is modelled if all finished trials have suggested it with the same range, or with the same choices.
      For other parameters, such as a parameter that only some trials suggest, `independent_sampler` is used.
    - If trials have several orders, only the order with the most items is modelled.
    - A pruned trial counts with its last reported value. If this value is better than the median of the values of the
      complete trials, the median is used instead. If the reported value is worse than the worst value of the complete
      trials, this worst value is used.
    - A failed trial counts with the worst value of the other trials.
    - A trial that is still running, in a thread or another process, counts with a predicted value.
    - A study with several objectives is an error. Constraints are ignored.

    Parameters
    ----------
    n_initial : int
        The number of random trials at the start.
    kernel : {"mallows", "discordant", "displaced", "kendall"}
        The similarity of two orders, with the same names as for `Optimizer`. For tours this parameter has no effect,
        because there is only one kernel for tours.
    noisy : bool
        Whether trials with the same parameters can have different values. If True, the same parameters can be proposed
        again.
    seed : None, int or Generator
        The seed of all random choices. None means a random seed.
    independent_sampler : optuna.samplers.BaseSampler, optional
        The sampler for the parameters that are not modelled. The default is a random sampler.

    Examples
    --------
    >>> import optuna
    >>> from wkendall.optimize.optuna import OrderSampler
    >>> study = optuna.create_study(direction="maximize", sampler=OrderSampler(seed=0))
    """

    def __init__(
        self,
        *,
        n_initial: SupportsIndex = INITIAL,
        kernel: str = "mallows",
        noisy: bool = False,
        seed: int | np.random.Generator | None = None,
        independent_sampler: BaseSampler | None = None,
    ) -> None:
        self.n_initial = as_order(n_initial, "n_initial")
        check_choice(kernel, "kernel", tuple(KERNELS))
        check_flag(noisy, "noisy")
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            said = f" must be a sampler of Optuna or None, not {shown(independent_sampler)}"
            raise bad_type("independent_sampler", said)
        self.kernel, self.noisy = kernel, bool(noisy)
        self.seed = as_seed(seed, "seed")
        self.independent_sampler = independent_sampler
        #: Parameters of trials that run in this process, which may not be in the storage yet.
        self._running: dict[tuple[str, int], dict[str, Any]] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_running")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _running={}, _lock=threading.Lock())

    def infer_relative_search_space(
        self,
        study: Study,
        trial: FrozenTrial,  # noqa: ARG002
    ) -> dict[str, BaseDistribution]:
        """Return the parameters that are modelled."""
        if len(study.directions) > 1:
            raise bad_argument(
                "study", f" has {len(study.directions)} objectives, but OrderSampler takes studies with one"
            )
        finished = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
        common = optuna.search_space.intersection_search_space(finished, include_pruned=True)
        group = _longest_order(common)
        keys = () if group is None else group.keys
        return {
            name: distribution
            for name, distribution in common.items()
            if name in keys
            or (not _NAME.fullmatch(name) and not distribution.single() and _spec(distribution) is not None)
        }

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Choose the parameters that are modelled."""
        if not search_space:
            return {}
        space = _Parameters(search_space)
        with self._lock:
            trials = study.get_trials(deepcopy=False, states=_USED)
            running = {one.number for one in trials if one.state == TrialState.RUNNING}
            for key in [key for key in self._running if key[0] == study.study_name and key[1] not in running]:
                del self._running[key]
            optimizer = self._told(study, trial, trials, space)
            with one_thread():
                site = optimizer._propose(optimizer._pending, trial.number)
            if site is None:
                return {}
            found = space.parameters(site)
            self._running[study.study_name, trial.number] = found
        return found

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Choose a parameter that is not modelled."""
        sampler = self.independent_sampler
        if sampler is None:
            # A seed for each parameter of each trial, so that a resumed study goes on as it would have.
            seeds = [self.seed, trial.number, zlib.crc32(param_name.encode())]
            sampler = RandomSampler(seed=int(np.random.SeedSequence(seeds).generate_state(1)[0]))
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def reseed_rng(self) -> None:
        """Give the independent sampler a new seed, for parallel trials."""
        if self.independent_sampler is not None:
            self.independent_sampler.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Prepare the independent sampler."""
        if self.independent_sampler is not None:
            self.independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Pass the result to the independent sampler."""
        if self.independent_sampler is not None:
            self.independent_sampler.after_trial(study, trial, state, values)

    def _told(self, study: Study, trial: FrozenTrial, trials: list[FrozenTrial], space: _Parameters) -> Optimizer:
        """Return an optimizer that has received the values of the trials of a study."""
        optimizer = Optimizer(
            space.items, n_initial=self.n_initial, kernel="mallows" if space.is_tour else self.kernel,
            space="tour" if space.is_tour else "order", variables=space.specs, noisy=self.noisy, rng=self.seed,
        )  # fmt: skip
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        told: dict[bytes, tuple[Site, list[float]]] = {}
        pending: dict[bytes, Site] = {}
        for one, loss in _losses(trials, sign):
            parameters = {**one.params, **self._running.get((study.study_name, one.number), {})}
            if one.number == trial.number or not space.keys() <= parameters.keys():
                continue
            site = space.site(parameters)
            if loss is None:
                pending[site.key] = site
            else:
                told.setdefault(site.key, (site, []))[1].append(loss)
        sites, values = [], []
        for site, losses in told.values():
            finite = [loss for loss in losses if math.isfinite(loss)]
            # A point that failed once, and then had a value, has that value.
            each = losses if self.noisy else [float(np.mean(finite)) if finite else math.inf]
            sites += [site] * len(each)
            values += each
        optimizer._sites, optimizer._values = sites, values
        optimizer._known = {key: number for number, key in enumerate(told)}
        optimizer._pending = [site for key, site in pending.items() if self.noisy or key not in told]
        return optimizer


def _losses(trials: list[FrozenTrial], sign: float) -> list[tuple[FrozenTrial, float | None]]:
    """Return the value to minimise of each trial: inf for a failed trial, None for a trial that is running."""
    complete = [sign * one.value for one in trials if one.state == TrialState.COMPLETE and one.value is not None]
    finite = [loss for loss in complete if math.isfinite(loss)]
    middle, worst = (float(np.median(finite)), max(finite)) if finite else (math.inf, math.inf)

    def loss(one: FrozenTrial) -> float | None:
        if one.state == TrialState.RUNNING:
            return None
        if one.state == TrialState.COMPLETE and one.value is not None:
            return sign * one.value if sign * one.value > -math.inf else min(finite, default=0.0)
        if one.state == TrialState.PRUNED and one.intermediate_values:
            last = sign * one.intermediate_values[max(one.intermediate_values)]
            return math.inf if math.isnan(last) else min(max(last, middle), worst)
        return math.inf

    return [(one, loss(one)) for one in trials]


class _Group(NamedTuple):
    """The parameters that make up one order."""

    keys: tuple[str, ...]
    space: str


def _longest_order(search_space: dict[str, BaseDistribution]) -> _Group | None:
    """Return the order with the most items. Of several orders with equally many items, return the first by name."""
    found: dict[tuple[str, str], int] = {}
    for name in search_space:
        if match := _NAME.fullmatch(name):
            found[match[1], match[2]] = found.get((match[1], match[2]), 0) + 1
    for (name, noun), items in sorted(found.items(), key=lambda one: (-one[1], one[0])):
        keys = tuple(f"{name}[{noun} {item}]" for item in range(items))
        if items > 1 and all(search_space.get(key) == FloatDistribution(0.0, items - 1.0) for key in keys):
            return _Group(keys, next(space for space, own in _NOUNS.items() if own == noun))
    return None


class _Parameters:
    """The modelled parameters of trials, as points of an optimizer."""

    def __init__(self, search_space: dict[str, BaseDistribution]) -> None:
        group = _longest_order(search_space)
        self.order_keys = () if group is None else group.keys
        self.items = max(1, len(self.order_keys))
        self.is_tour = group is not None and group.space == "tour"
        self.space = Space("tour" if self.is_tour else "order", self.items)
        self.others = {name: one for name, one in search_space.items() if name not in self.order_keys}
        self.specs = {name: _spec(one) for name, one in self.others.items()} or None
        self.variables = None if self.specs is None else Variables(self.specs)

    def keys(self) -> set[str]:
        """Return the names."""
        return {*self.order_keys, *self.others}

    def site(self, parameters: dict[str, Any]) -> Site:
        """Return the point of a trial."""
        keys = [parameters[key] for key in self.order_keys] or [0.0]
        order = _sorted(keys, self.space.name)
        if self.variables is None:
            return Site(self.space.path(order), ())
        values = {name: _inner(one, parameters[name]) for name, one in self.others.items()}
        return Site(self.space.path(order), self.variables.checked(values))

    def parameters(self, site: Site) -> dict[str, Any]:
        """Return the parameters of a point."""
        positions = np.argsort(self.space.order(site.path))
        found: dict[str, Any] = {key: float(at) for key, at in zip(self.order_keys, positions, strict=False)}
        for (name, one), value in zip(self.others.items(), site.values, strict=bool(self.others)):
            found[name] = _outer(one, value)
        return found


def _sorted(keys: Sequence[float], space: str) -> Orders:
    order = np.argsort(np.asarray(keys, float), kind="stable")
    made = Space(space, len(keys))
    return made.order(made.path(order))


def _steps(one: FloatDistribution | IntDistribution) -> int | None:
    """Return the number of steps from the lowest to the highest value.

    The result is None if every real number, or every whole number, between these two values is allowed.
    """
    if one.step is None or (isinstance(one, IntDistribution) and one.step == 1):
        return None
    return round((one.high - one.low) / one.step)


def _spec(one: BaseDistribution) -> Any:
    """Return a distribution in the form of a variable of `Optimizer`, or None if there is no such form."""
    if isinstance(one, CategoricalDistribution):
        return list(range(len(one.choices)))
    if not isinstance(one, FloatDistribution | IntDistribution):
        return None
    steps = _steps(one)
    if steps is not None:
        return (0, steps) if 0 < steps <= 2**53 else None
    if isinstance(one, IntDistribution) and max(abs(one.low), abs(one.high)) > 2**53:
        return None
    if not math.isfinite(one.high - one.low):
        return None
    return (one.low, one.high, "log") if one.log else (one.low, one.high)


def _inner(one: BaseDistribution, value: Any) -> Any:
    """Return a value of a trial as a value of a variable. A value out of range becomes the nearest end of the range."""
    if isinstance(one, CategoricalDistribution):
        return int(one.to_internal_repr(value))
    assert isinstance(one, FloatDistribution | IntDistribution)
    inside = min(max(value, one.low), one.high)
    return inside if _steps(one) is None else round((inside - one.low) / (one.step or 1))


def _outer(one: BaseDistribution, value: Any) -> Any:
    """Return a value of a variable as a value of a trial."""
    if isinstance(one, CategoricalDistribution):
        return one.choices[value]
    assert isinstance(one, FloatDistribution | IntDistribution)
    return value if _steps(one) is None else min(one.high, one.low + value * (one.step or 1))
