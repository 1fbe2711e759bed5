"""The common base of the classifiers and regressors that learn weights.

The base class stores the parameters, reads the input, fits one function for each class, and computes the scores.

The array U contains the weights of tuples of positions. The array B contains the coefficients of tuples of items. The
score of a ranking s is <B, Phi_U(s)> + intercept. Phi_U(s) is an array with the shape of B: for order 2, its entry for
the items i and j is U[s(i), s(j)], where s(i) is the rank of item i. <., .> is the sum of the products of corresponding
entries. The score also equals <U, Phi_B(s^-1)> + intercept, where s^-1 is the inverse permutation of s. So a prediction
is one pass over U and B, and needs no Gram matrix with the training rankings.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, NamedTuple, SupportsIndex, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array, as_axes, as_order, as_threads, check_choice, check_flag
from wkendall._errors import bad_argument, shown
from wkendall._matrix import gram_of
from wkendall._run import Run, one_thread
from wkendall.arrays.options import Reading
from wkendall.estimators.alpha_search import GAP, Search, Setting, choose, sampled
from wkendall.estimators.base import ClassifierScore, RankingEstimator, RegressorScore
from wkendall.learning.alternating import Alternated, Alternation, Dense, Space
from wkendall.learning.bases import Base, Name, names
from wkendall.learning.coefficients import Hinge, Loss, Squares, Tensors, merge, train
from wkendall.learning.penalties import MAX_PAIRED, named_penalty
from wkendall.learning.penalties import Name as Penalty
from wkendall.learning.position_tensors import PositionTensors, tensors_of
from wkendall.learning.single_positions import Expansion, Placed
from wkendall.learning.suquan import check_learnable, leading_weights
from wkendall.rankings import Rankings, merged, sample_weights
from wkendall.tensors import one_tensor

Labels = NDArray[Any]
#: The tolerance of support vector machines for given weights.
TOLERANCE = 1e-4
#: With more positions than this multiple of the rankings, smooth weights of pairs are learned without matrices.
MORE_POSITIONS = 4


class Model(NamedTuple):
    """A fitted function of rankings, with the weights U and the coefficients B.

    For thousands of positions, U contains parameters that determine the weights, and B is a `Combination` of rankings.
    """

    U: Array
    B: Any
    intercept: float
    objective_path: Array
    n_iter: int
    singular_values: Array | None
    converged: bool = True


class Task(NamedTuple):
    """The data of one function to fit: the rows of the distinct rankings, their targets and their costs of errors."""

    rankings: Rankings
    rows: NDArray[np.intp]
    targets: Array
    costs: Array
    n_jobs: int | None

    def sample(self) -> PositionTensors:
        """Return the tensors of the distinct rankings."""
        return tensors_of(self.rankings, self.n_jobs, self.rows)


class Data(NamedTuple):
    """The rankings of `fit`, the targets of each function to fit, and the cost of an error per ranking if C is 1."""

    rankings: Rankings
    targets: list[Array]
    weights: Array
    costs: Array
    #: The score of each ranking, from the values of the functions.
    judge: Callable[[Array], Array]
    classes: NDArray[np.intp] | None

    def part(self, rows: NDArray[np.intp]) -> Data:
        """Return the data of some of the rankings."""

        def judge(values: Array) -> Array:
            every = np.zeros((len(self.costs), values.shape[1]))
            every[rows] = values
            return self.judge(every)[rows]

        targets = [one[rows] for one in self.targets]
        classes = None if self.classes is None else self.classes[rows]
        return Data(self.rankings[rows], targets, self.weights[rows], self.costs[rows], judge, classes)


@dataclass(init=False, eq=False, repr=False)
class Learner(RankingEstimator):
    """The common base of the classifiers and regressors: it has the parameters, reads the input, computes scores."""

    _loss: ClassVar[Loss]

    order: SupportsIndex = 2
    _: KW_ONLY
    C: float | str = 1.0

    @abstractmethod
    def _fit_all(self, data: Data) -> list[Model]:
        """Fit one function for each entry of `data.targets`."""

    def _read(self, X: ArrayLike | Rankings, *, reset: bool = False) -> Rankings:
        rankings = super()._read(X, reset=reset)
        check_learnable(rankings, int(self.order))
        return rankings

    def _read_labelled(self, X: ArrayLike | Rankings, y: ArrayLike, *, numeric: bool) -> tuple[Rankings, Labels]:
        """Check the rankings of `fit`, and their labels or targets."""
        rankings, targets = super()._read_labelled(X, y, numeric=numeric)
        check_learnable(rankings, int(self.order))
        return rankings, targets

    def _reading(self, reset: bool = True) -> Reading:
        return super()._reading(reset)._replace(anywhere=False)

    def _tasks(self, data: Data, costs: Array) -> list[Task]:
        """Return a task for each function to fit. Equal rankings with equal targets are merged."""
        _, member = merged(data.rankings)
        found = [merge(member, targets, costs) for targets in data.targets]
        return [Task(data.rankings, *one, self._threads) for one in found]

    def _check_parameters(self) -> None:
        as_axes(self.order, "order")
        as_threads(self.n_jobs)
        self._check_cost()

    def _check_cost(self) -> None:
        check_positive(self.C, "C")

    def _keep(self, models: list[Model]) -> None:
        """Set the fitted attributes: single values for one function, or lists with one entry for each function."""
        one = len(models) == 1
        self.U_ = models[0].U if one else [model.U for model in models]
        self.B_ = models[0].B if one else [model.B for model in models]
        self.intercept_ = models[0].intercept if one else np.array([model.intercept for model in models])
        self.objective_path_ = models[0].objective_path if one else [model.objective_path for model in models]
        self.n_iter_ = models[0].n_iter if one else np.array([model.n_iter for model in models])
        values = [model.singular_values for model in models]
        if values[0] is not None:
            self.singular_values_ = values[0] if one else values

    def _scores(self, X: ArrayLike | Rankings) -> Array:
        check_is_fitted(self)
        return self._values(self._read(X))

    def _values(self, rankings: Rankings) -> Array:
        """Return the values of the fitted functions: a row for each ranking, a column for each function."""
        sample = tensors_of(rankings, self._threads)
        one = isinstance(self.U_, np.ndarray)
        weights, tensors = ([self.U_], [self.B_]) if one else (self.U_, self.B_)
        scores = np.empty((sample.rows, len(weights)))
        for column, (U, B, intercept) in enumerate(zip(weights, tensors, np.atleast_1d(self.intercept_), strict=True)):
            stack = (-1, *U.shape[U.ndim - int(self.order) :])
            members = zip(U.reshape(stack), B.reshape(stack), strict=True)
            parts = [sample.scores(member, tensor) for member, tensor in members]
            scores[:, column] = sum(parts) + intercept
        return scores

    def _check_fit(self, data: Data, values: Array) -> None:
        """Warn if the model cannot be trusted. `values` contains the values of the fitted functions for `data`."""


@dataclass(init=False, eq=False, repr=False)
class Suquan(Learner):
    """Learners that find the weights from singular vectors, and then find the optimal coefficients."""

    _: KW_ONLY
    n_components: SupportsIndex = 1
    pure: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        as_order(self.n_components, "n_components")
        check_flag(self.pure, "pure")

    def _fit_all(self, data: Data) -> list[Model]:
        return [self._fit_one(task) for task in self._tasks(data, float(self.C) * data.costs)]

    def _fit_one(self, task: Task) -> Model:
        order, sample = int(self.order), task.sample()
        coefficients = slopes(task.targets, task.costs)
        found = leading_weights(sample, coefficients, order, int(self.n_components), bool(self.pure))
        fit = train(Tensors(sample, found.U, order), task.targets, task.costs, self._loss, TOLERANCE)
        objective = fit.cost + float(np.vdot(fit.tensor, fit.tensor)) / 2
        return Model(found.U, fit.tensor, fit.intercept, np.array([objective]), 1, found.singular_values)


class Expanded:
    """An attribute that is computed when it is used: for thousands of positions, its value is a large matrix."""

    def __init__(self, make: Callable[[Expansion, int | None], Array]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, kind: type) -> Any:
        """Compute the value of the attribute from the expansions of a fitted model."""
        found = [] if model is None else model.__dict__.get("expansions_", [])
        if not found:
            raise AttributeError(f"{kind.__name__} has no {self._name} before fit")
        made = [self._make(expansion, model._threads) for expansion in found]
        return made[0] if len(made) == 1 else made


@dataclass(init=False, eq=False, repr=False)
class Alternating(Learner):
    """Learners that optimise weights for fixed coefficients and coefficients for fixed weights, in turn."""

    _: KW_ONLY
    alpha: float | str = 1.0
    penalty: Penalty = "ridge"
    toward: str | ArrayLike | None = None
    init: str | ArrayLike = "standard"
    max_iter: SupportsIndex = 100
    tol: float = 1e-4

    U_ = Expanded(lambda expansion, _: expansion.weights())
    B_ = Expanded(lambda expansion, n_jobs: expansion.coefficients(n_jobs))

    def _check_cost(self) -> None:
        if not (isinstance(self.C, str) and self.C == "auto"):
            check_positive(self.C, "C")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        as_order(self.max_iter, "max_iter")
        check_positive(self.tol, "tol")
        if isinstance(self.alpha, str):
            check_choice(self.alpha, "alpha", ("auto",))
        else:
            check_positive(self.alpha, "alpha")
            for name in ("C", "toward"):
                if isinstance(getattr(self, name), str) and getattr(self, name) == "auto":
                    raise bad_argument(name, f" is 'auto', but alpha is {self.alpha:g}: use alpha='auto', too")
        check_choice(self.penalty, "penalty", get_args(Penalty))
        order = int(self.order)
        possible = {"monotone": (1, 2), "low-rank": (2,)}.get(self.penalty, (order,))
        if order not in possible:
            orders = " and ".join(map(str, possible))
            raise bad_argument("penalty", f" is {self.penalty!r}, which is for order {orders}, but order is {order}")
        if isinstance(self.init, str):
            check_choice(self.init, "init", ("standard", "suquan"))
        if isinstance(self.toward, str):
            check_choice(self.toward, "toward", (*names(order), "auto"))

    def _given(self, name: str, items: int) -> Base:
        """Return the weights of the parameter `name`, such as "toward". Its value is an array, or a name of weights."""
        value, order = getattr(self, name), int(self.order)
        if not isinstance(value, str):
            weights = one_tensor(value, name, items, order)
            if not weights.any():
                raise bad_argument(name, " has only zeros, from which no weights can be learned")
            line = weights.diagonal() if order == 2 else weights
            if self.penalty == "monotone" and name == "toward" and (np.diff(line) > 0).any():
                place = int(np.flatnonzero(np.diff(line) > 0)[0])
                rule = "weights that fall from the top down cannot be learned from there"
                last, before = (str([at] * order) for at in (place + 1, place))
                raise bad_argument("toward", f"{last} is larger than toward{before}, but penalty is 'monotone': {rule}")
            return Base(weights, items, order)
        if order > items:
            zeros = f"which has only zeros for order {order} and {items} items"
            raise bad_argument(name, f" is {value!r}, {zeros}: use 'suquan' or a lower order")
        return Base(cast("Name", value), items, order)

    def _start(self, task: Task, setting: Setting) -> tuple[Array, Array | None]:
        """Return the weights to start from, and the singular values for `init="suquan"`, otherwise None."""
        if isinstance(setting.init, str) and setting.init == "suquan":
            found = leading_weights(task.sample(), slopes(task.targets, task.costs), int(self.order), 1, False)
            return found.U, found.singular_values
        if setting.base is not None and isinstance(setting.init, str):
            return setting.base.tensor(), None
        weights = self._given("init", task.rankings.n_items).tensor()
        return weights / np.linalg.norm(weights) if isinstance(setting.init, str) else weights, None

    def _fit_all(self, data: Data) -> list[Model]:
        items = data.rankings.n_items
        automatic = isinstance(self.toward, str) and self.toward == "auto"
        base = None if self.toward is None or automatic else self._given("toward", items)
        few = max(MORE_POSITIONS * len(data.rankings), MAX_PAIRED)
        many = self.penalty == "smooth" and int(self.order) == 2 and items > few
        pairs = Placed(data.rankings, self._threads) if many else None
        if self.alpha == "auto":
            bases = [base]
            if automatic:
                named = [Base(name, items, int(self.order)) for name in names(int(self.order))]
                bases = [None, *(one for one in named if one.square() > 0)]
            with one_thread():  # of many small problems
                setting = self._choose(data, bases, automatic, pairs)
        else:
            setting = Setting(base, float(self.C), float(self.alpha), self.init, self.tol)
        models = [self._fit_one(task, setting, pairs) for task in self._tasks(data, setting.C * data.costs)]
        if not all(model.converged for model in models):
            advice = f"increase max_iter, or tol above {self.tol:g}"
            message = f"not converged after max_iter={self.max_iter} iterations: {advice}"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        for name in ("U_", "B_", "expansions_"):
            self.__dict__.pop(name, None)
        if pairs is not None:
            kept = data.rankings._with(labels=None, counts=None)
            self.expansions_ = [Expansion(kept, setting.base, model.U, model.B) for model in models]
        return models

    def _keep(self, models: list[Model]) -> None:
        super()._keep(models)
        if hasattr(self, "expansions_"):
            del self.__dict__["U_"], self.__dict__["B_"]

    def _values(self, rankings: Rankings) -> Array:
        if not hasattr(self, "expansions_"):
            return super()._values(rankings)
        columns = [expansion.scores(rankings, self._threads) for expansion in self.expansions_]
        values: Array = np.column_stack(columns) + self.intercept_
        return values

    def _fit_one(self, task: Task, setting: Setting, pairs: Placed | None) -> Model:
        """Fit one function."""
        if pairs is not None:
            return self._fit_many(task, setting, pairs)
        start, singular_values = self._start(task, setting)
        toward = None if setting.base is None else setting.base.tensor()
        penalty = named_penalty(self.penalty, start, toward)
        if penalty is not None:
            base = np.zeros_like(start) if toward is None else toward
            start = base + penalty.nearest(start - base)
        end = self._alternate(Dense(task.sample(), penalty, toward), task, setting, start)
        return self._model(end, end.state.U, end.state.B, singular_values)

    def _fit_many(self, task: Task, setting: Setting, pairs: Placed) -> Model:
        """Fit one function of rankings of many items. Its B is a `Combination` of all rankings of `fit`."""
        space, init = pairs.space(setting.base, task.rows), setting.init
        if isinstance(init, str) and init == "suquan":
            start = space.leading(slopes(task.targets, task.costs))
        elif setting.base is not None and isinstance(init, str):
            start = space.nearest(None)
        else:
            start = space.nearest(self._given("init", task.rankings.n_items), unit=isinstance(init, str))
        end = self._alternate(space, task, setting, start)
        return self._model(end, end.state.U, end.state.B.spread(task.rows, len(task.rankings)), None)

    def _alternate(self, space: Space, task: Task, setting: Setting, start: Array) -> Alternated:
        search = Alternation(
            space,
            task.targets,
            task.costs,
            self._loss,
            tol=setting.tol,
            alpha=setting.alpha,
            accuracy=setting.accuracy,
            factor_steps=setting.factor_steps,
        )
        return search.run(start, int(self.max_iter))

    def _model(self, end: Alternated, U: Array, B: Any, singular_values: Array | None) -> Model:
        converged = end.converged or end.iterations < int(self.max_iter)
        return Model(U, B, end.state.intercept, end.path, end.iterations, singular_values, converged)

    def _choose(self, data: Data, bases: list[Base | None], scaled: bool, pairs: Placed | None) -> Setting:
        """Choose U0, C and alpha on held-out rankings."""
        rows = sampled(data.costs, data.classes)
        if len(rows) < len(data.costs):
            data = data.part(rows)
            pairs = None if pairs is None else Placed(data.rankings, self._threads)
        sample, run = tensors_of(data.rankings, self._threads), Run(n_jobs=self.n_jobs)

        def fit(setting: Setting, costs: Array) -> Array:
            models = [self._fit_one(task, setting, pairs) for task in self._tasks(data, setting.C * costs)]
            space = sample if pairs is None else pairs.space(setting.base)
            return np.column_stack([space.scores(model.U, model.B) + model.intercept for model in models])

        def gram(base: Base) -> Array:
            return gram_of(data.rankings, None, base.kernel(), run)

        C = None if self.C == "auto" else float(self.C)
        search = Search(*data[1:], self._loss, gram, fit)
        found = choose(search, bases, C, self.init, self.tol, scaled=scaled)
        base, self.C_, self.alpha_ = found.setting[:3]
        self.toward_ = None if base is None else base.weights
        self.validated_, self.candidates_ = found.score, found.candidates
        return found.setting

    def _check_fit(self, data: Data, values: Array) -> None:
        if self.alpha != "auto":
            return
        held = self.validated_
        own = float(np.average(data.judge(values), weights=data.weights))
        if own - held > GAP:
            scores = f"{own:.2f} for the rankings of training and {held:.2f} for held-out ones"
            advice = "toward='auto' or a smaller C may help" if self.toward is None else "a smaller C may help"
            warnings.warn(f"the model does not generalise: the mean score is {scores}; {advice}", stacklevel=3)


@dataclass(init=False, eq=False, repr=False)
class Classifier(ClassifierScore, Learner):
    """Learners whose targets are classes.

    For two classes one function is fitted. For more classes there is one function for each class, which separates this
    class from all other classes.
    """

    _loss = Hinge()

    _: KW_ONLY
    class_weight: dict[Any, float] | str | None = None

    def fit(self, X: ArrayLike | Rankings, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn the position weights U and the item coefficients B from rankings and their classes `y`.

        For more than two classes, one model for each class separates this class from the others. `sample_weight`
        contains a weight for each ranking. By default, this weight is the number of times that the ranking was
        observed.
        """
        self._check_parameters()
        rankings, labels = self._read_labelled(X, y, numeric=False)
        check_classification_targets(labels)
        self.classes_, member = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise bad_argument("y", f" has one class only, {self.classes_[0]}: a classifier needs at least two")
        weights = sample_weights(sample_weight, rankings)
        given = self.class_weight
        if not (given is None or isinstance(given, dict) or (isinstance(given, str) and given == "balanced")):
            rule = 'must be None, "balanced" or a dict with a number for each class'
            raise bad_argument("class_weight", f" is {shown(given)}, but {rule}")
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        for label, factor in zip(self.classes_, factors, strict=True):
            if not 0 < factor < float("inf"):
                raise bad_argument(
                    "class_weight", f" of class {label} is {factor}, but must be a finite number above zero"
                )
        costs = weights * factors[member]
        positive = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        targets = [np.where(member == index, 1.0, -1.0) for index in positive]
        for index, of_class in zip(positive, targets, strict=True):
            for sign in (1.0, -1.0):
                if not costs[of_class == sign].sum() > 0:
                    which = "of" if sign > 0 else "except those of"
                    raise bad_argument(
                        "sample_weight", f" is zero for all rankings {which} class {self.classes_[index]}"
                    )

        def judge(values: Array) -> Array:
            right: Array = (best_class(values) == member).astype(np.float64)
            return right

        data = Data(rankings, targets, weights, costs, judge, member)
        self._keep(self._fit_all(data))
        values = self._values(rankings)
        self._check_fit(data, values)
        predicted = best_class(values[weights > 0])
        if (predicted == predicted[:1]).all():
            advice = "a larger C, or toward='standard' if the weights are learned, may help"
            which = self.classes_[predicted[0]]
            warnings.warn(f"the model predicts class {which} for every ranking of fit: {advice}", stacklevel=2)
        return self

    def decision_function(self, X: ArrayLike | Rankings) -> Array:
        """Return the scores of rankings.

        For two classes, each ranking has one score, and a positive score means the second class. For more classes, the
        result has a column of scores for each class.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: ArrayLike | Rankings) -> Labels:
        """Return the class of each ranking."""
        best = best_class(self._scores(X))
        return np.asarray(self.classes_[best])


class Regressor(RegressorScore, Learner):
    """Learners whose targets are numbers."""

    _loss = Squares()

    def fit(self, X: ArrayLike | Rankings, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn the position weights U and the item coefficients B from rankings and their targets `y`.

        `sample_weight` contains a weight for each ranking. By default, this weight is the number of times that the
        ranking was observed.
        """
        self._check_parameters()
        rankings, y = self._read_labelled(X, y, numeric=True)
        weights = sample_weights(sample_weight, rankings)
        targets = np.asarray(y, dtype=np.float64)
        # Subtract the mean, so that large targets lose no digits.
        middle = float(np.average(targets, weights=weights))
        targets = targets - middle
        variance = float(np.average(targets**2, weights=weights))

        def judge(values: Array) -> Array:
            """Return a number for each ranking. The mean of these numbers is the coefficient of determination."""
            return 1 - (targets - values[:, 0]) ** 2 / max(variance, np.finfo(float).tiny)

        data = Data(rankings, [targets], weights, weights, judge, None)
        models = self._fit_all(data)
        self._keep(models)
        self._check_fit(data, self._values(rankings))
        self.intercept_ += middle
        return self

    def predict(self, X: ArrayLike | Rankings) -> Array:
        """Predict the target of each ranking."""
        return self._scores(X)[:, 0]


def best_class(values: Array) -> NDArray[np.intp]:
    """Return the class number of each ranking. `values` has one column for two classes, else one for each class."""
    return (values[:, 0] > 0).astype(np.intp) if values.shape[1] == 1 else values.argmax(axis=1)


def slopes(targets: Array, weights: Array) -> Array:
    """Return the coefficient of each ranking in the matrix M of SUQUAN-SVD.

    Let w be the weight of a ranking, and d the target of this ranking minus the mean of all targets. Let R be the
    largest target minus the smallest target, and Q the sum of w d^2 over all rankings. The coefficient of the ranking
    is w d R / Q. If the targets have only two values, this coefficient is w divided by the total weight of the rankings
    with the same target. It is negative for the rankings with the smaller target.
    """
    distances = targets - np.average(targets, weights=weights)
    squares = float(weights @ distances**2)
    spread = float(np.ptp(targets))
    return spread * weights * distances / squares if squares > 0 else np.zeros_like(targets)


def check_positive(value: object, name: str) -> None:
    """Raise an error if a value is not a finite number above zero."""
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else 0.0
    except OverflowError:
        number = float("inf")
    if not 0 < number < float("inf"):
        raise bad_argument(name, f" is {shown(value)}, but must be a finite number above zero", value=value)
