"""A classifier and a regressor that learn a mixture of kernels."""

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
        """Merge equal rankings with equal targets; return those that count, their targets and their weights."""
        weights = sample_weights(sample_weight, rankings)
        rows, different, total = merge(merged(rankings)[1], targets, weights)
        return rankings[rows]._with(labels=None, counts=None), different, total


@dataclass(eq=False, repr=False)
class KernelMixtureClassifier(ClassifierScore, _Mixture):
    """Support vector machine with a mixture of kernels, whose weights are learned.

    The mixture is the sum of b_k K_k with b_k >= 0. The weights are learned by ALIGNF (Cortes, Mohri and Rostamizadeh,
    2012): they minimise the distance between the mixture and a target matrix, both centred. An entry of the target
    matrix is 1 if its two rankings have the same class, otherwise 0. Then `SVC` is trained with the mixture.

    Parameters
    ----------
    kernels : list of kernels, optional
        The kernels to mix. By default the signed Kendall kernels with the weights "standard" and "average", the kernel
        `Kendall("mult", u="log")`, and `Mallows("auto")`. Their scales do not matter.
    C : float
        The cost of training errors. The mixture is scaled to variance 1. The variance is the mean squared distance of
        the features of the training rankings from their mean.
    class_weight : dict, "balanced" or None
        The weight of errors in each class, as in scikit-learn.
    input, top, ties, missing, n_jobs
        As for `KendallGram`.

    Attributes
    ----------
    weights_ : ndarray
        The part of the variance of the mixture that each kernel contributes: from 0 to 1, with sum 1. Equal kernels
        have equal weights. If no kernel is aligned with the labels, all kernels that are not constant have equal
        weights.
    kernel_ : Kernel
        The mixture, as a kernel that you can pass to any other function: the sum of multiples of the kernels with
        positive weights.
    classes_ : ndarray
    estimator_ : SVC
    rankings_ : Rankings
        The training rankings with positive weight; equal rankings of the same class are merged.

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
        """Learn the mixture and the machine; `sample_weight` has a weight for each ranking, by default its count."""
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
        """Score rankings: positive for the second of two classes; for more classes, one column per class."""
        gram = self._between(X)
        return np.asarray(self.estimator_.decision_function(gram))

    def predict(self, X: ArrayLike | Rankings) -> NDArray[Any]:
        """Return the class of each ranking."""
        gram = self._between(X)
        return np.asarray(self.estimator_.predict(gram))


@dataclass(eq=False, repr=False)
class KernelMixtureRegressor(RegressorScore, _Mixture):
    """Ridge regression with a mixture of kernels, whose weights are learned.

    The weights are learned as in `KernelMixtureClassifier`, but the target matrix has, for two rankings, the product of
    their centred targets. The function minimises `C * sum of squared errors + |f|^2 / 2`, with a free intercept.

    Parameters
    ----------
    kernels, C, input, top, ties, missing, n_jobs
        As for `KernelMixtureClassifier`.

    Attributes
    ----------
    weights_, kernel_, rankings_
        As for `KernelMixtureClassifier`.
    estimator_ : KernelRidge
        Fitted on the centred mixture and the centred targets.
    intercept_ : float

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
        """Learn the mixture and the function; `sample_weight` has a weight for each ranking, by default its count."""
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
