"""A kernel as a scikit-learn transformer of rankings to Gram matrices."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array, as_result_type, check_same_rows, row_labels
from wkendall._run import Run
from wkendall.arrays.sparse import is_sparse
from wkendall.estimators import kernel_cache
from wkendall.estimators.base import RankingEstimator
from wkendall.estimators.kernel_cache import as_bytes
from wkendall.estimators.known_rows import Known
from wkendall.measures import Kernel
from wkendall.rankings import Rankings


@dataclass(eq=False, repr=False)
class KendallGram(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RankingEstimator):  # type: ignore[misc]
    """A transformer of rankings to Gram matrices.

    `transform` returns the kernel between the given rankings and the rankings of `fit`. Use this transformer before an
    estimator with `kernel="precomputed"` or `affinity="precomputed"`. Whole matrices are computed at once. In
    cross-validation of a pipeline, the transformer is fitted on the training rankings only.

    For `SVC` no transformer is needed: a kernel is also a function, and `SVC(kernel=Kendall(...))` works. KernelPCA,
    KernelRidge and Nystroem of scikit-learn take functions too, but they call the function for one pair of rankings at
    a time, which is slow. Use the transformer with KernelPCA and KernelRidge, and use `KendallNystroem` in place of
    Nystroem.

    Parameters
    ----------
    kernel : Kernel, optional
        The kernel, such as `Kendall("mult", u="log")`; the Kendall kernel if absent. A grid search can vary its
        parameters, as in `kernel__weight`. If the weight does not use `k` or `u`, they are ignored.
    input, top, ties, missing
        How arrays of shape (m, n), with one ranking per row, are read, as for `Rankings`. A `Rankings` needs no
        options. If `fit` was given a `Rankings` and these options are not set, later arrays are read with the options
        of that `Rankings`.
    dtype, n_jobs
        As for `gram_matrix`.
    cache_size : float, optional
        Size of the cache in mebibytes; None for no cache. With a cache, a grid search computes each kernel only once
        for each pair of rankings, across all folds. All objects of the process that have a `cache_size` share the
        cache, also clones. The values with a cache are bitwise identical to the values without a cache. There are four
        exceptions, where they are equal up to rounding: ties, missing items, a `TensorKernel`, and a combination of
        kernels. Lists out of a catalogue are not cached. `clear_cache` frees the memory.

    Attributes
    ----------
    rankings_ : Rankings
        The rankings of `fit`.
    n_features_in_ : int
        The number of items.
    feature_names_in_ : ndarray of n names
        The names of the items. The attribute exists only if `fit` was given a data frame or a `Rankings` with names,
        and all names are strings. If you later pass a `Rankings` with the same names in another order, its items are
        matched by name. If you later pass a data frame, its columns must be in the same order as in `fit`.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]
    >>> wkendall.KendallGram(wkendall.Kendall("top", k=3)).fit(X).transform([[1, 2, 4, 3]])
    array([[1., 0., 0.]])

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> model = make_pipeline(wkendall.KendallGram(wkendall.Kendall("mult", u="log")), SVC(kernel="precomputed"))
    >>> model.fit(X, ["a", "a", "b"]).predict([[1, 2, 4, 3]])
    array(['a'], dtype='<U1')
    """

    kernel: Kernel | None = None
    _: KW_ONLY
    dtype: DTypeLike = np.float64
    cache_size: float | None = None

    def fit(self, X: ArrayLike | Rankings, y: object = None) -> Self:
        """Store the rankings to compare with."""
        check_same_rows(X, y)
        self._keep(X)
        return self

    def _keep(self, X: ArrayLike | Rankings) -> Rankings | Known:
        as_result_type(self.dtype)
        rankings = self._read_known(X, reset=True)
        if isinstance(rankings, Known):
            kernel_cache.CACHE.check(self._kernel(), rankings.n_items)
            if rankings.read is not None:
                self._gram(rankings.read[:1])
            self._rankings: Rankings | Known = rankings.without_handle()
            counts = X._counts if isinstance(X, Rankings) else None
            self._told: dict[str, Any] = {"items": self._items_of_fit, "labels": row_labels(X), "counts": counts}
            self._told["reading"] = self._reading_of_fit or self._reading()
        else:
            self._gram(rankings[:1])  # checks the parameters
            self._rankings = rankings
        return rankings

    @property
    def rankings_(self) -> Rankings:
        """The rankings of `fit`."""
        kept = self._rankings
        return kept.rankings(self._threads, **self._told) if isinstance(kept, Known) else kept

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy, or a pickle, consists of: numbers of the cache are valid in this process only."""
        state: dict[str, Any] = super().__getstate__()
        return {**state, "_rankings": self.rankings_} if "_rankings" in state else state

    @staticmethod
    def clear_cache() -> None:
        """Remove all cached values of this process."""
        kernel_cache.CACHE.forget()

    def transform(self, X: ArrayLike | Rankings) -> Array:
        """Return the kernel between the given rankings (the rows of the result) and the rankings of `fit` (the columns)."""
        check_is_fitted(self)
        return self._output(self._matrix(self._read_known(X, reset=False), self._rankings), X)

    def fit_transform(self, X: ArrayLike | Rankings, y: object = None) -> Array:
        """Store the rankings and return the kernel between all of them."""
        check_same_rows(X, y)
        return self._output(self._matrix(self._keep(X)), X)

    def _read_known(self, X: ArrayLike | Rankings, *, reset: bool) -> Rankings | Known:
        """Check the rankings of a method call, or find them in the cache."""
        most = as_bytes(self.cache_size)
        if most is None or is_sparse(X):
            return self._read(X, reset=reset)
        if isinstance(X, Rankings):
            return kernel_cache.CACHE.numbered(self._read(X, reset=reset), most)
        data = self._data(X, reset=reset)
        found: Rankings | Known = self._described(data, X, reset, partial(kernel_cache.CACHE.known, most=most))
        return found

    def _matrix(self, x: Rankings | Known, y: Rankings | Known | None = None) -> Array:
        most = as_bytes(self.cache_size)
        run = Run(self.dtype, n_jobs=self.n_jobs)
        if most is not None and isinstance(x, Known) and (y is None or isinstance(y, Known)):
            return kernel_cache.CACHE.matrix(x, y, self._kernel(), run, most)
        rows = x.rankings(run.threads) if isinstance(x, Known) else x
        columns = y.rankings(run.threads) if isinstance(y, Known) else y
        return self._gram(rows, columns, dtype=self.dtype)

    @property
    def _n_features_out(self) -> int:
        return len(self._rankings)
