"""A scikit-learn transformer that turns rankings into Gram matrices: matrices of kernel values."""

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
    """A scikit-learn transformer that turns rankings into Gram matrices: matrices of kernel values.

    `fit` stores rankings. `transform` returns a matrix: it has a row for each ranking that you pass to `transform`, and
    a column for each ranking of `fit`. Each entry is the kernel value of the two rankings. In a pipeline, use this
    transformer before an estimator with `kernel="precomputed"` or `affinity="precomputed"`. In cross-validation of a
    pipeline, the transformer is fitted on the training rankings only.

    `SVC` needs no transformer: `SVC(kernel=Kendall(...))` works, because a kernel object can be called like a function.
    KernelPCA, KernelRidge and Nystroem of scikit-learn also accept functions as kernels. But they call the function for
    one pair of rankings at a time, which is slow. So use `KendallGram` before KernelPCA and KernelRidge, and use
    `KendallNystroem` instead of Nystroem.

    Parameters
    ----------
    kernel : Kernel, optional
        The kernel, such as `Kendall("mult", u="log")`; `Kendall()` if absent. A grid search can vary the parameters of
        the kernel: for example, the name `kernel__weight` means the parameter `weight` of the kernel. The parameters
        `k` and `u` of the kernel are ignored if its `weight` does not use them.
    input, top, ties, missing
        How to read arrays of shape (m, n), with one ranking per row. The values have the same meaning as for
        `Rankings`. If you pass a `Rankings`, these parameters are not used, because a `Rankings` has already been read.
        If you pass a `Rankings` to `fit` and leave these parameters at their defaults, arrays in later calls are read
        with the parameters of this `Rankings`.
    dtype, n_jobs
        As for `gram_matrix`.
    cache_size : float, optional
        The largest size of a cache for kernel values, in mebibytes; None for no cache. With a cache, a grid search
        computes the value of each kernel for each pair of rankings only once, and uses this value in all folds. All
        `KendallGram` objects with a `cache_size` in the same process share one cache. Clones of these objects share it
        too. Kernel values are bitwise identical with and without a cache. In four cases, they are only equal up to
        rounding: with ties, with missing items, with a `TensorKernel`, and with a sum or product of kernels. For
        rankings that list only a few of very many items, no values are stored in the cache. The method `clear_cache`
        empties the cache and frees its memory.

    Attributes
    ----------
    rankings_ : Rankings
        The rankings of `fit`.
    n_features_in_ : int
        The number of items.
    feature_names_in_ : ndarray of n names
        The names of the items. The attribute exists only if you passed a data frame or a `Rankings` with names to
        `fit`, and if all names are strings. If you later pass a `Rankings` with these names in another order, its items
        are matched by name. If you later pass a data frame, its columns must be in the same order as in `fit`.

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
        """Store the rankings with which `transform` will compare other rankings."""
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
        """Return the state for a copy or a pickle, with the rankings themselves.

        The cache gives each ranking a number. These numbers are not part of the state, because they are valid only in
        this process.
        """
        state: dict[str, Any] = super().__getstate__()
        return {**state, "_rankings": self.rankings_} if "_rankings" in state else state

    @staticmethod
    def clear_cache() -> None:
        """Empty the cache of this process: remove all kernel values and all rankings from it."""
        kernel_cache.CACHE.forget()

    def transform(self, X: ArrayLike | Rankings) -> Array:
        """Return the kernel values of all pairs: rows are the given rankings, columns are the rankings of `fit`."""
        check_is_fitted(self)
        return self._output(self._matrix(self._read_known(X, reset=False), self._rankings), X)

    def fit_transform(self, X: ArrayLike | Rankings, y: object = None) -> Array:
        """Store the rankings, and return the kernel values of all pairs of these rankings."""
        check_same_rows(X, y)
        return self._output(self._matrix(self._keep(X)), X)

    def _read_known(self, X: ArrayLike | Rankings, *, reset: bool) -> Rankings | Known:
        """Check and return the rankings that a method received; with a cache, also their numbers in the cache."""
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
