"""The common base of the classifiers and regressors that learn weights.

It has the parameters, the input, one function per class, and the scores.

The score of a ranking s is <B, Phi_U(s)> + intercept, which equals <U, Phi_B(s^-1)> + intercept. U has the weights of
tuples of positions, B the coefficients of tuples of items. Prediction takes one pass over these tensors; it needs no
Gram matrix with the training rankings.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, NamedTuple, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array, as_axes, as_order, as_threads, check_choice, check_flag
from wkendall._errors import bad_argument
from wkendall._text import shown
from wkendall.arrays.options import Reading
from wkendall.estimators.alpha_search import choose_alpha
from wkendall.estimators.base import ClassifierScore, RankingEstimator, RegressorScore
from wkendall.learning.alternating import Alternation
from wkendall.learning.coefficients import Hinge, Loss, Squares, Tensors, merge, train
from wkendall.learning.penalties import Name as Penalty
from wkendall.learning.penalties import named_penalty
from wkendall.learning.position_tensors import PositionTensors, tensors_of
from wkendall.learning.suquan import check_learnable, leading_weights
from wkendall.rankings import Rankings, merged, sample_weights
from wkendall.tensors import one_tensor, position_weights

Labels = NDArray[Any]
#: The tolerance of support vector machines for given weights.
TOLERANCE = 1e-4


class Model(NamedTuple):
    """A fitted function of rankings."""

    U: Array
    B: Array
    intercept: float
    objective_path: Array
    n_iter: int
    singular_values: Array | None


class Task(NamedTuple):
    """The data of one function to fit: distinct rankings, their targets, and the cost of an error in each."""

    sample: PositionTensors
    targets: Array
    costs: Array


@dataclass(init=False, eq=False, repr=False)
class Learner(RankingEstimator):
    """The common base of classifiers and regressors: parameters, input, scores."""

    _loss: ClassVar[Loss]

    order: SupportsIndex = 2
    _: KW_ONLY
    C: float = 1.0

    @abstractmethod
    def _fit_one(self, task: Task) -> Model:
        """Fit one function."""

    def _choose(self, rankings: Rankings, y: Labels, weights: Array) -> None:
        """Choose parameters that are to be chosen."""

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

    def _tasks(self, rankings: Rankings, targets: list[Array], costs: Array) -> list[Task]:
        """Combine rankings and targets; merge equal rankings."""
        _, member = merged(rankings)
        tasks = []
        for of_task in targets:
            rows, different, total = merge(member, of_task, costs)
            tasks.append(Task(tensors_of(rankings, self._threads, rows), different, total))
        return tasks

    def _check_parameters(self) -> None:
        as_axes(self.order, "order")
        as_threads(self.n_jobs)
        check_positive(self.C, "C")

    def _keep(self, models: list[Model]) -> None:
        """Set the fitted attributes: values for a single function, otherwise lists with one entry for each function."""
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
        sample = tensors_of(self._read(X), self._threads)
        one = isinstance(self.U_, np.ndarray)
        weights, tensors = ([self.U_], [self.B_]) if one else (self.U_, self.B_)
        scores = np.empty((sample.rows, len(weights)))
        for column, (U, B, intercept) in enumerate(zip(weights, tensors, np.atleast_1d(self.intercept_), strict=True)):
            stack = (-1, *U.shape[U.ndim - int(self.order) :])
            members = zip(U.reshape(stack), B.reshape(stack), strict=True)
            parts = [sample.scores(member, tensor) for member, tensor in members]
            scores[:, column] = sum(parts) + intercept
        return scores


@dataclass(init=False, eq=False, repr=False)
class Suquan(Learner):
    """Weights from singular vectors, then the optimal coefficients."""

    _: KW_ONLY
    n_components: SupportsIndex = 1
    pure: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        as_order(self.n_components, "n_components")
        check_flag(self.pure, "pure")

    def _fit_one(self, task: Task) -> Model:
        order = int(self.order)
        coefficients = slopes(task.targets, task.costs)
        found = leading_weights(task.sample, coefficients, order, int(self.n_components), bool(self.pure))
        fit = train(Tensors(task.sample, found.U, order), task.targets, task.costs, self._loss, TOLERANCE)
        objective = fit.cost + float(np.vdot(fit.tensor, fit.tensor)) / 2
        return Model(found.U, fit.tensor, fit.intercept, np.array([objective]), 1, found.singular_values)


@dataclass(init=False, eq=False, repr=False)
class Alternating(Learner):
    """Weights and coefficients in turn, each optimal for the other."""

    _: KW_ONLY
    alpha: float | str = 1.0
    penalty: Penalty = "ridge"
    toward: str | ArrayLike | None = None
    init: str | ArrayLike = "standard"
    max_iter: SupportsIndex = 100
    tol: float = 1e-4

    def _check_parameters(self) -> None:
        super()._check_parameters()
        as_order(self.max_iter, "max_iter")
        check_positive(self.tol, "tol")
        if isinstance(self.alpha, str):
            check_choice(self.alpha, "alpha", ("auto",))
        else:
            check_positive(self.alpha, "alpha")
        check_choice(self.penalty, "penalty", get_args(Penalty))
        order, needed = int(self.order), {"monotone": 1, "low-rank": 2}.get(self.penalty, self.order)
        if order != needed:
            raise ValueError(f"penalty is {self.penalty!r}, which is for order {needed}, but order is {order}")
        for name, choices in (("init", ("standard", "suquan")), ("toward", ("standard", "hyperbolic", "log"))):
            if isinstance(getattr(self, name), str):
                check_choice(getattr(self, name), name, choices)

    def _given(self, name: str, items: int) -> Array:
        """Return the weights that a parameter names or contains."""
        value, order = getattr(self, name), int(self.order)
        if not isinstance(value, str):
            weights = one_tensor(value, name, items, order)
            if not weights.any():
                raise ValueError(f"{name} has only zeros, from which no weights can be learned")
        elif order > items:
            zeros = f"which has only zeros for order {order} and {items} items"
            raise bad_argument(name, f" is {value!r}, {zeros}: use 'suquan' or a lower order")
        elif value == "standard":
            # The standard weights of order 1 are all equal, and their kernel is constant.
            weights = np.arange(items, 0.0, -1.0) if order == 1 else position_weights(items, order=order)
        else:
            weights = position_weights(items, "mult", u=value, order=order)
        if self.penalty == "monotone" and name == "toward" and (np.diff(weights) > 0).any():
            place = int(np.flatnonzero(np.diff(weights) > 0)[0])
            rule = "weights that fall from the top down cannot be learned from there"
            raise ValueError(f"toward[{place + 1}] is larger than toward[{place}], but penalty is 'monotone': {rule}")
        return weights

    def _start(self, task: Task, toward: Array | None) -> tuple[Array, Array | None]:
        if isinstance(self.init, str) and self.init == "suquan":
            found = leading_weights(task.sample, slopes(task.targets, task.costs), int(self.order), 1, False)
            return found.U, found.singular_values
        if toward is not None and isinstance(self.init, str):
            return toward, None
        weights = self._given("init", task.sample.items)
        return weights / np.linalg.norm(weights) if isinstance(self.init, str) else weights, None

    def _fit_one(self, task: Task) -> Model:
        toward = None if self.toward is None else self._given("toward", task.sample.items)
        start, singular_values = self._start(task, toward)
        penalty = named_penalty(self.penalty, start, toward)
        if penalty is not None:
            base = np.zeros_like(start) if toward is None else toward
            start = base + penalty.nearest(start - base)
        alpha = float(self.alpha_ if self.alpha == "auto" else self.alpha)
        search = Alternation(*task, self._loss, tol=self.tol, alpha=alpha, penalty=penalty, toward=toward)
        end = search.run(start, int(self.max_iter))
        if not end.converged and end.iterations == int(self.max_iter):
            advice = f"increase max_iter, or tol above {self.tol:g}"
            message = f"not converged after max_iter={self.max_iter} iterations: {advice}"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        return Model(end.state.U, end.state.B, end.state.intercept, end.path, end.iterations, singular_values)

    def _choose(self, rankings: Rankings, y: Labels, weights: Array) -> None:
        """Choose alpha on held-out rankings."""
        if self.alpha != "auto":
            return
        found = choose_alpha(self, rankings, y, weights)
        self.alpha_, self.alpha_scores_ = found.alpha, found.scores


@dataclass(init=False, eq=False, repr=False)
class Classifier(ClassifierScore, Learner):
    """Classes as targets: one function for two classes, one-vs-rest for more."""

    _loss = Hinge()

    _: KW_ONLY
    class_weight: dict[Any, float] | str | None = None

    def fit(self, X: ArrayLike | Rankings, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn weights and coefficients from rankings and their classes `y`; more than two are learned one-vs-rest.

        `sample_weight` has a weight for each ranking; how often it was observed, if absent.
        """
        self._check_parameters()
        rankings, labels = self._read_labelled(X, y, numeric=False)
        check_classification_targets(labels)
        self.classes_, member = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class only, {self.classes_[0]}: a classifier needs at least two")
        weights = sample_weights(sample_weight, rankings)
        given = self.class_weight
        if not (given is None or isinstance(given, dict) or (isinstance(given, str) and given == "balanced")):
            rule = 'must be None, "balanced" or a dict with a number for each class'
            raise ValueError(f"class_weight is {shown(given)}, but {rule}")
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        for label, factor in zip(self.classes_, factors, strict=True):
            if not 0 < factor < float("inf"):
                raise ValueError(f"class_weight of class {label} is {factor}, but must be a finite number above zero")
        self._choose(rankings, labels, weights)
        costs = self.C * weights * factors[member]
        positive = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        targets = [np.where(member == index, 1.0, -1.0) for index in positive]
        for index, of_class in zip(positive, targets, strict=True):
            for sign in (1.0, -1.0):
                if not costs[of_class == sign].sum() > 0:
                    which = "of" if sign > 0 else "except those of"
                    raise ValueError(f"sample_weight is zero for all rankings {which} class {self.classes_[index]}")
        self._keep([self._fit_one(task) for task in self._tasks(rankings, targets, costs)])
        predicted = self.predict(rankings[weights > 0])
        if (predicted == predicted[:1]).all():
            advice = "a larger C, or toward='standard' if the weights are learned, may help"
            warnings.warn(f"the model predicts class {predicted[0]} for every ranking of fit: {advice}", stacklevel=2)
        return self

    def decision_function(self, X: ArrayLike | Rankings) -> Array:
        """Score rankings: positive for the second of two classes; for more classes, one column per class."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: ArrayLike | Rankings) -> Labels:
        """Return the class of each ranking."""
        scores = self._scores(X)
        best = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])


class Regressor(RegressorScore, Learner):
    """Numbers as targets."""

    _loss = Squares()

    def fit(self, X: ArrayLike | Rankings, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn weights and coefficients from rankings and their targets `y`.

        `sample_weight` has a weight for each ranking; how often it was observed, if absent.
        """
        self._check_parameters()
        rankings, y = self._read_labelled(X, y, numeric=True)
        weights = sample_weights(sample_weight, rankings)
        self._choose(rankings, y, weights)
        targets = np.asarray(y, dtype=np.float64)
        # Subtract the mean, so that large targets lose no digits.
        middle = float(np.average(targets, weights=weights))
        (task,) = self._tasks(rankings, [targets - middle], self.C * weights)
        model = self._fit_one(task)
        self._keep([model._replace(intercept=model.intercept + middle)])
        return self

    def predict(self, X: ArrayLike | Rankings) -> Array:
        """Predict the target of each ranking."""
        return self._scores(X)[:, 0]


def slopes(targets: Array, weights: Array) -> Array:
    """Return the coefficient of each ranking in M.

    It is the weighted deviation of its target from the mean, times the range of the targets, divided by the weighted
    sum of the squared deviations. For targets of two values it is plus or minus the weight divided by the total weight
    of its class.
    """
    distances = targets - np.average(targets, weights=weights)
    squares = float(weights @ distances**2)
    spread = float(np.ptp(targets))
    return spread * weights * distances / squares if squares > 0 else np.zeros_like(targets)


def check_positive(value: object, name: str) -> None:
    """Refuse a value that is not a finite number above zero."""
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else 0.0
    except OverflowError:
        number = float("inf")
    if not 0 < number < float("inf"):
        raise ValueError(f"{name} is {shown(value)}, but must be a finite number above zero")
