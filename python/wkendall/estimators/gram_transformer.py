"""A kernel as an object of scikit-learn: a transformer of rankings to Gram matrices."""

from __future__ import annotations

from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array, as_result_type
from wkendall.estimators.input_checks import is_one_ranking
from wkendall.estimators.kernel_parameters import KernelParameters
from wkendall.reading.arrays import check_same_labels
from wkendall.reading.rankings import CheckedRankings, Input, Missing, Ties, Top, check_same_items


class WeightedKendall(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelParameters):  # type: ignore[misc]
    """A kernel with all its parameters: a transformer of rankings to Gram matrices, and a function of two sets of rankings.

    `transform` gives the kernel between rankings and those of `fit`. Put it in front of an estimator that takes
    `kernel="precomputed"` or `affinity="precomputed"`: whole matrices are computed at once, and in cross-validation the rankings
    of `fit` are those of the training. As a function it is for `SVC(kernel=WeightedKendall(...))`. KernelPCA, KernelRidge and
    Nystroem of scikit-learn take functions too, but call them for one pair after the other: use the transformer there, and
    `KendallNystroem`.

    Parameters
    ----------
    weight, k, u, U, W, order, check, signed, normalize, input, top, ties, missing, dtype, n_jobs
        As for `gram_matrix`. `weight` can be "mallows" as well. `k` and `u` are ignored, not refused, with a weight that does not
        use them, so that a grid search can change the weight alone.
    lam : float
        For `weight="mallows"`: as for `mallows`. Ignored with others.

    Attributes
    ----------
    rankings_ : ndarray of shape (m, n), or scipy.sparse.csr_array
        The rankings of `fit`, as ranks from 1, whatever `input` and `top`; tied items have the first of the ranks that they
        share, items of unknown place NaN. If `fit` was given a sparse array, one without the items that come last.
    n_features_in_ : int
        The number of items.
    feature_names_in_ : ndarray of n names
        If `fit` was given a data frame.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]
    >>> wkendall.WeightedKendall(weight="top", k=3).fit(X).transform([[1, 2, 4, 3]])
    array([[1., 0., 0.]])

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> model = make_pipeline(wkendall.WeightedKendall(weight="mult", u="log"), SVC(kernel="precomputed"))
    >>> model.fit(X, ["a", "a", "b"]).predict([[1, 2, 4, 3]])
    array(['a'], dtype='<U1')
    """

    def __init__(
        self,
        weight: str = "standard",
        *,
        k: SupportsIndex | None = None,
        u: str | ArrayLike | None = None,
        U: ArrayLike | tuple[object, ...] | None = None,
        W: ArrayLike | None = None,
        order: SupportsIndex = 2,
        check: bool = True,
        signed: bool = False,
        normalize: bool = False,
        lam: float | None = None,
        input: Input = "ranks",
        top: Top = "low",
        ties: Ties = "error",
        missing: Missing = "error",
        dtype: DTypeLike = np.float64,
        n_jobs: SupportsIndex | None = None,
    ) -> None:
        super().__init__(
            weight, k=k, u=u, U=U, W=W, order=order, check=check, signed=signed, normalize=normalize, lam=lam,
            input=input, top=top, ties=ties, missing=missing, n_jobs=n_jobs,
        )  # fmt: skip
        self.dtype = dtype

    def __call__(self, X: ArrayLike, Y: ArrayLike | None = None) -> Any:
        """Kernel between all rankings of `X`, or of `X` and `Y`; `fit` does not matter.

        Parameters
        ----------
        X, Y : array-like of shape (m, n) and (m', n)
            Rankings, one a row. Or two single rankings, which is how some estimators of scikit-learn ask: slow.

        Returns
        -------
        ndarray of shape (m, m'), or float
        """
        if Y is not None and is_one_ranking(X) and is_one_ranking(Y):
            return float(self(np.asarray(X)[np.newaxis], np.asarray(Y)[np.newaxis])[0, 0])
        if Y is None or Y is X:
            return self._gram(self._checked(X, "X"), dtype=self.dtype)
        if self.input != "orders":
            check_same_labels(X, Y, "columns", ("X", "Y"))
        x, y = self._checked(X, "X"), self._checked(Y, "Y")
        check_same_items(x, y)
        return self._gram(x, y, dtype=self.dtype)

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002
        """Keep the rankings to compare with.

        Parameters
        ----------
        X : array-like of shape (m, n)
            Rankings, one a row.
        y : object
            Not used.

        Returns
        -------
        self
        """
        self._keep(X)
        return self

    def _keep(self, X: ArrayLike) -> CheckedRankings:
        as_result_type(self.dtype)
        rankings = self._read(X, reset=True)
        self._gram(rankings.select(slice(1)))  # which checks the parameters
        self.rankings_ = rankings.places
        return rankings

    def transform(self, X: ArrayLike) -> Array:
        """Kernel between rankings and those of `fit`.

        Parameters
        ----------
        X : array-like of shape (m', n)

        Returns
        -------
        ndarray of shape (m', m)
        """
        check_is_fitted(self)
        return self._gram(self._read(X, reset=False), self._kept(self.rankings_), dtype=self.dtype)

    def fit_transform(self, X: ArrayLike, y: object = None) -> Array:  # noqa: ARG002
        """Kernel between all rankings, which are kept.

        Parameters
        ----------
        X : array-like of shape (m, n)
        y : object
            Not used.

        Returns
        -------
        ndarray of shape (m, m)
        """
        return self._gram(self._keep(X), dtype=self.dtype)

    @property
    def _n_features_out(self) -> int:
        return int(self.rankings_.shape[0])
