"""A classifier and a regressor that learn a mixture of kernels, that is, a weighted sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array
from wkendall._errors import bad_argument, bad_type, shown
from wkendall._memory import check_fits
from wkendall._run import Run, one_thread
from wkendall.estimators.base import ClassifierScore, RankingEstimator, RegressorScore
from wkendall.estimators.learners import check_positive
from wkendall.gram import as_kernel, gram_of
from wkendall.learning.alignment import align
from wkendall.learning.coefficients import merge
from wkendall.measures import Kendall, Kernel, Mallows, Measure
from wkendall.rankings import Rankings, merged, sample_weights

#: The kernels of a mixture unless they are given: pairs, pairs near the top, and the Mallows kernel, which sees all.
KERNELS = (Kendall(signed=True), Kendall("average", signed=True), Kendall("mult", u="log"), Mallows("auto"))


@dataclass(init=False, eq=False, repr=False)
class _Mixture(RankingEstimator):
    kernels: Sequence[Kernel] | None = None
    _: KW_ONLY
    C: float = 1.0

    def _kernel(self) -> Kernel:
        return self.kernel_

    def _parts(self) -> list[Kernel]:
        """Check the kernels."""
        given = KERNELS if self.kernels is None else self.kernels
        if isinstance(given, Measure | str) or not isinstance(given, Sequence):
            raise bad_type("kernels", f" must be a list of kernels, not {shown(given)}")
        if not given:
            raise bad_argument("kernels", " is empty, but must have at least one kernel", kind="too few")
        name = type(self).__name__
        return [as_kernel(kernel, name, f"kernels[{place}]")._used() for place, kernel in enumerate(given)]

    def _mix(self, rankings: Rankings, targets: Array, weights: Array) -> Array:
        """Learn the mixture; return its Gram matrix."""
        parts, size, run = self._parts(), len(rankings), Run(n_jobs=self.n_jobs)
        advice = "fit a random part of the rankings, or use KendallNystroem"
        check_fits(size * (1 + len(parts)), size, np.dtype(np.float64), advice)
        grams = [gram_of(rankings, None, part, run) for part in parts]
        with one_thread():
            found = align(grams, targets, weights)
        self.weights_ = found.shares
        scaled = [float(b) * part for b, part in zip(found.factors, parts, strict=True) if b > 0]
        self.kernel_: Kernel = reduce(add, scaled)
        self.rankings_ = rankings
        return self._gram(rankings)

    def _between(self, X: ArrayLike | Rankings) -> Array:
        check_is_fitted(self)
        return self._gram(self._read(X, reset=False), self.rankings_)

    def _merged(
        self, rankings: Rankings, targets: Array, sample_weight: ArrayLike | None
    ) -> tuple[Rankings, Array, Array]:
        """Merge equal rankings with equal targets. Return those of positive weight, with their targets and weights."""
        weights = sample_weights(sample_weight, rankings)
        rows, different, total = merge(merged(rankings)[1], targets, weights)
        return rankings[rows]._with(labels=None, counts=None), different, total


@dataclass(eq=False, repr=False)
class KernelMixtureClassifier(ClassifierScore, _Mixture):
    """Support vector machine with a mixture of kernels: a weighted sum of kernels with learned factors.

    The mixture is the sum of b_k K_k over the kernels K_k, with factors b_k >= 0. The method ALIGNF (Cortes, Mohri and
    Rostamizadeh, 2012) learns the factors: the Gram matrix of the mixture should be as close as possible to a target
    matrix. The target matrix has a row and a column for each training ranking. An entry is 1 if its two rankings have
    the same class, otherwise 0. All these matrices are centred before they are compared: the mean of each row and of
    each column is then 0. Finally `SVC` is trained with the mixture.

    Parameters
    ----------
    kernels : list of kernels, optional
        The kernels to mix. By default there are four: `Kendall(signed=True)`, `Kendall("average", signed=True)`,
        `Kendall("mult", u="log")`, and `Mallows("auto")`. If you multiply one of the kernels by a positive number, the
        mixture stays the same.
    C : float
        The cost of training errors. The variance of a kernel is the mean squared distance between the feature vectors
        of the training rankings and the mean of these vectors. The factors are such that the mixture has variance 1, so
        the same C suits all mixtures.
    class_weight : dict, "balanced" or None
        The factor by which the cost of errors in each class is multiplied, as in scikit-learn.
    input, top, ties, missing, n_jobs
        As for `KendallGram`.

    Attributes
    ----------
    weights_ : ndarray
        For each kernel K_k, the share of b_k K_k in the variance of the mixture. The shares are from 0 to 1, and add up
        to 1. Equal kernels have equal shares. If no kernel helps to predict the classes, all kernels that are not
        constant on the training rankings have equal shares.
    kernel_ : Kernel
        The mixture, as a kernel that you can pass to other functions. It is the sum of b_k K_k over the kernels with
        b_k > 0.
    classes_ : ndarray
        The classes.
    estimator_ : SVC
        The support vector machine.
    rankings_ : Rankings
        The training rankings whose sample weight is positive. Equal rankings of the same class are merged.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.datasets.make_uniform(200, 6, rng=0)
    >>> y = (X[:, 0] < X[:, 1]).astype(int)
    >>> kernels = [wkendall.Kendall(signed=True), wkendall.Kendall("top", k=2)]
    >>> model = wkendall.KernelMixtureClassifier(kernels).fit(X[:100], y[:100])
    >>> model.weights_.round(2), model.score(X[100:], y[100:])
    (array([0.91, 0.09]), 1.0)
    """

    _: KW_ONLY
    class_weight: dict[Any, float] | str | None = None

    def fit(self, X: ArrayLike | Rankings, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the mixture, and train `SVC` with the mixture.

        `sample_weight` contains a weight for each ranking. By default, this weight is the number of times that the
        ranking was observed.
        """
        check_positive(self.C, "C")
        rankings, labels = self._read_labelled(X, y, numeric=False)
        check_classification_targets(labels)
        self.classes_, member = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise bad_argument("y", f" has one class only, {self.classes_[0]}: a classifier needs at least two")
        rankings, numbers, weights = self._merged(rankings, member.astype(np.float64), sample_weight)
        member = numbers.astype(np.intp)
        counted = np.bincount(member, minlength=len(self.classes_))
        if not counted.all():
            raise bad_argument(
                "sample_weight", f" is zero for all rankings of class {self.classes_[int(counted.argmin())]}"
            )
        gram = self._mix(rankings, np.eye(len(self.classes_))[member], weights)
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        costs = weights * factors[member]
        machine = SVC(C=self.C, kernel="precomputed", break_ties=True)
        self.estimator_ = machine.fit(gram, self.classes_[member], sample_weight=costs)
        return self

    def decision_function(self, X: ArrayLike | Rankings) -> Array:
        """Return the scores of rankings.

        For two classes, each ranking has one score, and a positive score means the second class. For more classes, the
        result has a column of scores for each class.
        """
        gram = self._between(X)
        return np.asarray(self.estimator_.decision_function(gram))

    def predict(self, X: ArrayLike | Rankings) -> NDArray[Any]:
        """Return the class of each ranking."""
        gram = self._between(X)
        return np.asarray(self.estimator_.predict(gram))


@dataclass(eq=False, repr=False)
class KernelMixtureRegressor(RegressorScore, _Mixture):
    """Ridge regression with a mixture of kernels: a weighted sum of kernels with learned factors.

    The factors are learned as in `KernelMixtureClassifier`, but the target matrix is computed from numbers, not from
    classes. The target of a ranking is the number that the model learns to predict. Let d(s) be the target of a
    training ranking s minus the mean of all targets. The entry of the target matrix for the rankings s and t is
    `d(s) d(t)`. For any ranking s, the regression predicts `f(s) + intercept`, where f(s) is the inner product of a
    vector w and the feature vector of s. The regression minimises `C * sum of squared errors + |w|^2 / 2`.

    Parameters
    ----------
    kernels, C, input, top, ties, missing, n_jobs
        As for `KernelMixtureClassifier`.

    Attributes
    ----------
    weights_, kernel_, rankings_
        As for `KernelMixtureClassifier`.
    estimator_ : KernelRidge
        The ridge regression. It is fitted on the Gram matrix of the mixture and on the targets, both centred.
    intercept_ : float
        The intercept.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.datasets.make_uniform(200, 6, rng=0)
    >>> y = X[:, 0] + 0.5 * X[:, 1]
    >>> kernels = [wkendall.Kendall(signed=True), wkendall.Mallows("auto")]
    >>> model = wkendall.KernelMixtureRegressor(kernels, C=10).fit(X[:100], y[:100])
    >>> model.weights_.round(2), round(model.score(X[100:], y[100:]), 2)
    (array([0.94, 0.06]), 1.0)
    """

    def fit(self, X: ArrayLike | Rankings, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the mixture, and fit the regression with the mixture.

        `sample_weight` contains a weight for each ranking. By default, this weight is the number of times that the
        ranking was observed.
        """
        check_positive(self.C, "C")
        rankings, values = self._read_labelled(X, y, numeric=True)
        rankings, targets, weights = self._merged(rankings, np.asarray(values, dtype=np.float64), sample_weight)
        middle = float(np.average(targets, weights=weights))
        gram = self._mix(rankings, (targets - middle)[:, np.newaxis], weights)
        means = np.average(gram, axis=0, weights=weights)
        ridge = KernelRidge(alpha=1 / (2 * self.C), kernel="precomputed")
        centred = gram - means - (means - np.average(means, weights=weights))[:, np.newaxis]
        with one_thread():
            self.estimator_ = ridge.fit(centred, targets - middle, sample_weight=weights)
        # The coefficients sum to 0, so that centring a new row changes every value by the same number.
        self.intercept_ = middle - float(means @ ridge.dual_coef_)
        return self

    def predict(self, X: ArrayLike | Rankings) -> Array:
        """Predict the target of each ranking."""
        gram = self._between(X)
        return np.asarray(gram @ self.estimator_.dual_coef_ + self.intercept_)
