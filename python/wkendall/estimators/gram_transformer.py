"""A kernel as a scikit-learn transformer of rankings to Gram matrices."""

from __future__ import annotations

from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array, as_result_type, as_threads
from wkendall.estimators import kernel_cache
from wkendall.estimators.input_checks import checked_data, is_one_ranking
from wkendall.estimators.kernel_cache import as_bytes
from wkendall.estimators.kernel_parameters import KernelParameters
from wkendall.estimators.known_rows import Known
from wkendall.kernels.run import Run
from wkendall.reading.arrays import check_same_labels
from wkendall.reading.rankings import CheckedRankings, Input, Missing, Places, Ties, Top, check_same_items
from wkendall.reading.sparse import is_sparse


class WeightedKendall(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelParameters):  # type: ignore[misc]
    """A kernel with its parameters: a transformer of rankings to Gram matrices, and a function of two sets of rankings.

    `transform` returns the kernel between the given rankings and the rankings of `fit`. Use it before an estimator with
    `kernel="precomputed"` or `affinity="precomputed"`. It computes whole matrices at once, and in cross-validation it
    is fitted on the training rankings only.

    As a function it can be passed to `SVC(kernel=WeightedKendall(...))`. KernelPCA, KernelRidge and Nystroem of
    scikit-learn take functions too, but call them for one pair at a time. Use the transformer with KernelPCA and
    KernelRidge, and `KendallNystroem` in place of Nystroem.

    Parameters
    ----------
    weight, k, u, U, W, order, check, signed, normalize, input, top, ties, missing, dtype, n_jobs
        As for `gram_matrix`. `weight` can also be "mallows". `k` and `u` are ignored, not refused, if the weight does
        not use them, so that a grid search can vary the weight alone.
    lam : float
        For `weight="mallows"`: as for `mallows`. Ignored for other weights.
    cache_size : float, optional
        Size of the cache in mebibytes; None for no cache. All objects of the process that have a `cache_size`, clones
        included, share the cache. A grid search then computes each kernel only once for each pair of rankings, across
        all folds. Values are the same as without a cache (with ties, missing items or `U`, up to rounding). Sparse arrays are not
        cached. `clear_cache` frees the memory.

    Attributes
    ----------
    rankings_ : ndarray of shape (m, n), or scipy.sparse.csr_array
        The rankings of `fit` as ranks from 1, whatever `input` and `top` are. Tied items have the smallest of the ranks
        that they share. Items of unknown position have NaN. It is sparse, without the unlisted items, if `fit` was
        given a sparse array.
    n_features_in_ : int
        The number of items.
    feature_names_in_ : ndarray of n names
        Only if `fit` was given a data frame.

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
        cache_size: float | None = None,
    ) -> None:
        super().__init__(
            weight, k=k, u=u, U=U, W=W, order=order, check=check, signed=signed, normalize=normalize, lam=lam,
            input=input, top=top, ties=ties, missing=missing, n_jobs=n_jobs,
        )  # fmt: skip
        self.dtype = dtype
        self.cache_size = cache_size

    def __call__(self, X: ArrayLike, Y: ArrayLike | None = None) -> Any:
        """Kernel between all rankings of `X`, or of `X` and `Y`; it does not depend on `fit`.

        Parameters
        ----------
        X, Y : array-like of shape (m, n) and (m', n)
            Rankings, one per row. Or two single rankings, as some estimators of scikit-learn pass them; this is slow.

        Returns
        -------
        ndarray of shape (m, m'), or float
        """
        if Y is not None and is_one_ranking(X) and is_one_ranking(Y):
            return float(self(np.asarray(X)[np.newaxis], np.asarray(Y)[np.newaxis])[0, 0])
        if Y is None or Y is X:
            return self._matrix(self._known(X, "X"))
        if self.input != "orders":
            check_same_labels(X, Y, "columns", ("X", "Y"))
        x, y = self._known(X, "X"), self._known(Y, "Y")
        check_same_items(x, y)
        return self._matrix(x, y)

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002
        """Store the rankings to compare with.

        Parameters
        ----------
        X : array-like of shape (m, n)
            Rankings, one per row.
        y : object
            Not used.

        Returns
        -------
        self
        """
        self._keep(X)
        return self

    def _keep(self, X: ArrayLike) -> CheckedRankings | Known:
        as_result_type(self.dtype)
        rankings = self._read_known(X, reset=True)
        if isinstance(rankings, Known):
            kernel_cache.CACHE.check(self._specification(), rankings.items)
            if rankings.read is not None:
                self._gram(rankings.read.select(slice(1)))
            self._rankings = rankings.without_handle()
        else:
            self._gram(rankings.select(slice(1)))  # checks the parameters
            self._rankings = rankings.places
        return rankings

    @property
    def rankings_(self) -> Places:
        """The rankings of `fit`."""
        return self._rankings.all_places() if isinstance(self._rankings, Known) else self._rankings

    @staticmethod
    def clear_cache() -> None:
        """Remove all cached values of this process.

        Examples
        --------
        >>> import wkendall
        >>> wkendall.WeightedKendall.clear_cache()
        """
        kernel_cache.CACHE.forget()

    def transform(self, X: ArrayLike) -> Array:
        """Kernel between rankings and the rankings of `fit`.

        Parameters
        ----------
        X : array-like of shape (m', n)

        Returns
        -------
        ndarray of shape (m', m)
        """
        check_is_fitted(self)
        rankings = self._read_known(X, reset=False)
        if isinstance(rankings, Known) and isinstance(self._rankings, Known):
            return self._matrix(rankings, self._rankings)
        return self._matrix(rankings, self._kept(self.rankings_))

    def fit_transform(self, X: ArrayLike, y: object = None) -> Array:  # noqa: ARG002
        """Store the rankings and return the kernel between all of them.

        Parameters
        ----------
        X : array-like of shape (m, n)
        y : object
            Not used.

        Returns
        -------
        ndarray of shape (m, m)
        """
        return self._matrix(self._keep(X))

    def _read_known(self, X: ArrayLike, *, reset: bool) -> CheckedRankings | Known:
        """Check the rankings of a method call, or find them in the cache."""
        if self.cache_size is None or is_sparse(X):
            return self._read(X, reset=reset)
        return self._known(checked_data(self, X, reset=reset), "X")

    def _known(self, X: ArrayLike, name: str) -> CheckedRankings | Known:
        most = as_bytes(self.cache_size)
        if most is None or not isinstance(X, np.ndarray):
            return self._checked(X, name)
        return kernel_cache.CACHE.known(X, name, self._reading(), as_threads(self.n_jobs), most)

    def _matrix(self, x: CheckedRankings | Known, y: CheckedRankings | Known | None = None) -> Array:
        most = as_bytes(self.cache_size)
        if most is not None and isinstance(x, Known) and (y is None or isinstance(y, Known)):
            run = Run(self.dtype, n_jobs=self.n_jobs)
            return kernel_cache.CACHE.matrix(x, y, self._specification(), run, most)
        threads = as_threads(self.n_jobs)
        rows = x.checked(threads) if isinstance(x, Known) else x
        columns = y.checked(threads) if isinstance(y, Known) else y
        return self._gram(rows, columns, dtype=self.dtype)

    @property
    def _n_features_out(self) -> int:
        kept = self._rankings
        return len(kept.places) if isinstance(kept, Known) else int(kept.shape[0])
