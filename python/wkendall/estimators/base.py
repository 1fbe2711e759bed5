"""The common base of the estimators: the parameters that say how arrays are read, and the kernel.

Rankings are read once; all methods then pass on `Rankings`. An estimator takes arrays, which its own `input`, `top`,
`ties` and `missing` describe, or a `Rankings`, which says for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Self, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from wkendall._arguments import Array, as_threads, row_labels
from wkendall._errors import RankingError, located
from wkendall._run import Run
from wkendall.arrays.options import Input, Missing, Reading, Ties, Top
from wkendall.arrays.sparse import is_sparse
from wkendall.estimators.input_checks import check_rankings, checked_data, names_of_columns
from wkendall.gram import as_kernel, diagonal_of, gram_of
from wkendall.measures import Kendall, Kernel
from wkendall.rankings import Rankings, merged, read_rankings


class RankingEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that takes rankings."""

    #: The kernel, for estimators that have one.
    kernel: Kernel | None

    def __init__(self, input: Input, top: Top, ties: Ties, missing: Missing, n_jobs: SupportsIndex | None) -> None:
        self.input = input
        self.top = top
        self.ties = ties
        self.missing = missing
        self.n_jobs = n_jobs

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters. scikit-learn inspects the signature at each call, some five times in each fit."""
        names: tuple[str, ...] | None = cls.__dict__.get("_names_of_parameters")
        if names is None:
            names = cls._names_of_parameters = tuple(super()._get_param_names())
        return list(names)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of the kernel, as in `kernel__weight`; without a kernel, those of `Kendall()`."""
        varied = any(name.startswith("kernel__") for name in params)
        if varied and params.get("kernel", getattr(self, "kernel", self)) is None:
            params["kernel"] = Kendall()
        found: Self = super().set_params(**params)
        return found

    def _read(self, X: ArrayLike | Rankings, *, reset: bool) -> Rankings:
        """Check the rankings of a method call, and the number and names of the items."""
        if isinstance(X, Rankings):
            return check_rankings(self, X, reset=reset)
        found: Rankings = self._described(self._data(X, reset=reset), X, reset)
        return found

    def _data(self, X: ArrayLike, **how: Any) -> Any:
        """Check an array as scikit-learn does; return it, and `y` if there is one."""
        if is_sparse(X):
            self._reading(how.get("reset", True)).check_takes_lists("X")
            how["accept_sparse"] = True
        return checked_data(self, X, **how)

    def _described(self, data: Any, X: ArrayLike, reset: bool, read: Callable[..., Any] = read_rankings) -> Any:
        """Read checked data; return rankings with the names of the items and the labels of the rows of `X`."""
        items, labels = self._names(X), row_labels(X)
        try:
            rankings = read(data, "X", self._reading(reset), self._threads)
        except RankingError as error:
            raise located(error, items, labels) from None
        if reset:
            self._items_of_fit, self._reading_of_fit = items, None
        if not isinstance(rankings, Rankings) or (items is None and labels is None):
            return rankings
        parts: dict[str, Any] = {"listed": rankings._listed, "reading": rankings._reading}
        return Rankings._made(rankings._handle, rankings._missing, items=items, labels=labels, **parts)

    def _output(self, values: Array, X: object) -> Array:
        """Return the result of a transformer. For `set_output(transform="pandas")` it has the labels of a `Rankings`."""
        if not isinstance(X, Rankings) or X._labels is None:
            return values
        chosen = getattr(self, "_sklearn_output_config", {}).get("transform") or get_config()["transform_output"]
        if chosen != "pandas":
            return values
        import pandas as pd

        return cast("Array", pd.DataFrame(values, index=X.labels))

    def _names(self, X: ArrayLike) -> tuple[Hashable, ...] | None:
        """Return the names of the items; the columns of orders are places."""
        return None if self.input == "orders" else names_of_columns(X)

    def _reading(self, reset: bool = True) -> Reading:
        """Return how arrays are read; after `fit` as the `Rankings` of `fit`, unless the parameters say otherwise."""
        own = Reading(self.input, self.top, self.ties, self.missing)
        fitted: Reading | None = None if reset else self._reading_of_fit
        return own if fitted is None or own != Reading() else fitted

    @property
    def _threads(self) -> int | None:
        return as_threads(self.n_jobs)

    def _kernel(self) -> Kernel:
        """Return the kernel. Parameters that it does not use are ignored, so that a grid search can vary the weight alone."""
        return as_kernel(self.kernel, type(self).__name__)._used()

    def _gram(self, X: Rankings, Y: Rankings | None = None, *, dtype: DTypeLike = np.float64) -> Array:
        """Return the kernel between rankings."""
        return gram_of(X, Y, self._kernel(), Run(dtype, n_jobs=self.n_jobs))

    def _own(self, X: Rankings) -> Array:
        """Return the kernel between each ranking and itself."""
        return diagonal_of(X, self._kernel(), Run(n_jobs=self.n_jobs))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = self.missing == "bottom"
        return tags


def distinct(rankings: Rankings, weights: Array) -> tuple[Rankings, NDArray[np.intp], Array]:
    """Return the distinct rankings, the index of each row's ranking among them, and the sums of their weights."""
    first, member = merged(rankings)
    found = rankings[first]
    sums = np.bincount(member, weights, minlength=len(first)).astype(np.float64)
    parts: dict[str, Any] = {"listed": found._listed, "items": found._items, "reading": found._reading}
    return Rankings._made(found._handle, found._missing, **parts), member, sums
