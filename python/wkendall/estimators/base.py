"""The common base of the estimators, and the base of the transformers to vectors.

An estimator takes arrays or a `Rankings`. The parameters `input`, `top`, `ties` and `missing` of the estimator say how
to read arrays. For a `Rankings` these parameters are not used. An array that a method receives is first converted to a
`Rankings`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array, as_order, as_result_type, as_threads, check_same_rows, row_labels
from wkendall._errors import RankingError, located
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.arrays.options import Input, Missing, Reading, Ties, Top
from wkendall.arrays.sparse import is_sparse
from wkendall.embedding import BLOCK
from wkendall.estimators.input_checks import check_rankings, checked_data, checked_targets, names_of_columns
from wkendall.gram import as_kernel, diagonal_of, gram_of
from wkendall.measures import Kendall, Kernel
from wkendall.rankings import Rankings, merged, read_rankings


@dataclass(init=False, eq=False, repr=False)
class RankingEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that takes rankings. Its parameters are fields, and `dataclass` makes the constructors."""

    #: What a parameter that is None stands for, so that a grid search can vary its parameters.
    _if_none: ClassVar[dict[str, Any]] = {"kernel": Kendall}

    _: KW_ONLY
    input: Input = "ranks"
    top: Top = "low"
    ties: Ties = "error"
    missing: Missing = "error"
    n_jobs: SupportsIndex | None = None

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters.

        The names are stored, because scikit-learn would inspect the signature at each call, about five times in each
        fit.
        """
        names: tuple[str, ...] | None = cls.__dict__.get("_names_of_parameters")
        if names is None:
            names = cls._names_of_parameters = tuple(super()._get_param_names())
        return list(names)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator.

        The name `kernel__weight` means the parameter `weight` of the kernel. If the parameter `kernel` is None, it
        becomes a new `Kendall()` with this parameter.
        """
        for part in self._if_none.keys() & {name.partition("__")[0] for name in params if "__" in name}:
            if params.get(part, getattr(self, part, self)) is None:
                params[part] = self._if_none[part]()
        found: Self = super().set_params(**params)
        return found

    def _read(self, X: ArrayLike | Rankings, *, reset: bool) -> Rankings:
        """Read and check the rankings that a method received, and check the number and the names of the items."""
        if isinstance(X, Rankings):
            return check_rankings(self, X, reset=reset)
        found: Rankings = self._described(self._data(X, reset=reset), X, reset)
        return found

    def _read_labelled(self, X: ArrayLike | Rankings, y: ArrayLike, *, numeric: bool) -> tuple[Rankings, NDArray[Any]]:
        """Read and check the rankings that `fit` received, and their classes or targets."""
        if isinstance(X, Rankings):
            targets = checked_targets(self, X, y, y_numeric=numeric)
            return check_rankings(self, X, reset=True, least=2), targets
        data, targets = self._data(X, y=y, y_numeric=numeric, ensure_min_samples=2, ensure_min_features=2)
        return self._described(data, X, True), targets

    def _data(self, X: ArrayLike, **how: Any) -> Any:
        """Check an array as scikit-learn does. Return the array, and also `y` if `y` was passed."""
        if is_sparse(X):
            self._reading(how.get("reset", True)).check_takes_lists("X")
            how["accept_sparse"] = True
        return checked_data(self, X, **how)

    def _described(self, data: Any, X: ArrayLike, reset: bool, read: Callable[..., Any] = read_rankings) -> Any:
        """Read rankings from checked data. Give them the item names and row labels of `X`."""
        items, labels = self._names(X), row_labels(X)
        try:
            rankings = read(data, "X", self._reading(reset), self._threads)
        except RankingError as error:
            raise located(error, items, labels) from None
        if reset:
            self._items_of_fit, self._reading_of_fit = items, None
        if not isinstance(rankings, Rankings) or (items is None and labels is None):
            return rankings
        return rankings._with(items=items, labels=labels)

    def _output(self, values: Array, X: object) -> Array:
        """Return the result of a transformer; with `set_output(transform="pandas")`, it gets the row labels of `X`."""
        if not isinstance(X, Rankings) or X._labels is None:
            return values
        chosen = getattr(self, "_sklearn_output_config", {}).get("transform") or get_config()["transform_output"]
        if chosen != "pandas":
            return values
        import pandas as pd

        return cast("Array", pd.DataFrame(values, index=X.labels))

    def _names(self, X: ArrayLike) -> tuple[Hashable, ...] | None:
        """Return the names of the items, or None for orders: their columns are positions, not items."""
        return None if self.input == "orders" else names_of_columns(X)

    def _reading(self, reset: bool = True) -> Reading:
        """Return how to read arrays.

        If `fit` received a `Rankings` and the parameters have their defaults, later arrays are read as this `Rankings`
        was.
        """
        own, usual = (Reading(each.input, each.top, each.ties, each.missing) for each in (self, type(self)))
        fitted: Reading | None = None if reset else self._reading_of_fit
        return own if fitted is None or own != usual else fitted

    @property
    def _threads(self) -> int | None:
        return as_threads(self.n_jobs)

    def _kernel(self) -> Kernel:
        """Return the kernel. Parameters that its weight does not use are removed, for grid searches over weights."""
        return as_kernel(self.kernel, type(self).__name__)._used()

    def _gram(self, X: Rankings, Y: Rankings | None = None, *, dtype: DTypeLike = np.float64) -> Array:
        return gram_of(X, Y, self._kernel(), Run(dtype, n_jobs=self.n_jobs))

    def _own(self, X: Rankings) -> Array:
        return diagonal_of(X, self._kernel(), Run(n_jobs=self.n_jobs))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = self.missing == "bottom"
        return tags


class VectorMap(TransformerMixin, RankingEstimator):  # type: ignore[misc]
    """A transformer that computes a vector for each ranking. Each vector depends only on its own ranking."""

    _n_features_out: int

    @abstractmethod
    def _vectors(self, rankings: Rankings) -> Array:
        """Return the vectors of some rankings."""

    def transform(self, X: ArrayLike | Rankings) -> Array:
        """Return an array with the vector of each ranking as a row."""
        check_is_fitted(self)
        rankings, result_type = self._read(X, reset=False), as_result_type(self.dtype)
        check_fits(
            len(rankings), self._n_features_out, result_type, "use dtype=np.float32, or a loop over the method chunks"
        )
        out = np.empty((len(rankings), self._n_features_out), dtype=result_type)
        for rows, vectors in self._pieces(rankings, None):
            out[rows] = vectors
        return self._output(out, X)

    def chunks(self, X: ArrayLike | Rankings, size: SupportsIndex | None = None) -> Iterator[tuple[slice, Array]]:
        """Yield the vectors of rankings chunk by chunk, for models with `partial_fit`.

        A chunk has `size` rankings. Without `size`, the number of rankings is such that the vectors of a chunk take a
        few MiB. Each chunk is a pair: a slice of the rows of `X`, and the vectors of these rows. All rankings are
        checked before the first chunk is computed.
        """
        check_is_fitted(self)
        rows = None if size is None else as_order(size, "size")
        return self._pieces(self._read(X, reset=False), rows)

    def _pieces(self, rankings: Rankings, size: int | None) -> Iterator[tuple[slice, Array]]:
        step = size or max(1, BLOCK // max(self._n_features_out, 1))
        for begin in range(0, len(rankings), step):
            rows = slice(begin, min(begin + step, len(rankings)))
            yield rows, self._vectors(rankings if step >= len(rankings) else rankings[rows])


def distinct(rankings: Rankings, weights: Array) -> tuple[Rankings, NDArray[np.intp], Array]:
    """Return the distinct rankings, an array of numbers, and the total weight of each distinct ranking.

    The distinct rankings are numbered from 0. The array contains the number of the ranking in each row of `rankings`.
    """
    first, member = merged(rankings)
    sums = np.bincount(member, weights, minlength=len(first)).astype(np.float64)
    return rankings[first]._with(labels=None, counts=None), member, sums


class ClassifierScore(ClassifierMixin):  # type: ignore[misc]
    """The score of a classifier of rankings: each ranking counts as often as it was observed."""

    def score(self, X: ArrayLike | Rankings, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy: the share of rankings whose predicted class is correct, weighted by `sample_weight`."""
        return float(super().score(X, y, weights_of_score(X, y, sample_weight)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks use data of which little remains after ranking.
        tags.classifier_tags.poor_score = True
        return tags


class RegressorScore(RegressorMixin):  # type: ignore[misc]
    """The score of a regressor of rankings: each ranking counts as often as it was observed."""

    def score(self, X: ArrayLike | Rankings, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the coefficient of determination R^2 of the predictions."""
        return float(super().score(X, y, weights_of_score(X, y, sample_weight)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def weights_of_score(X: ArrayLike | Rankings, y: object, sample_weight: ArrayLike | None) -> ArrayLike | None:
    """Check that the targets and the weights have the same row labels as the rankings. Return the weights."""
    check_same_rows(X, y, ("X", "y"))
    check_same_rows(X, sample_weight, ("X", "sample_weight"))
    return X._counts if isinstance(X, Rankings) and sample_weight is None else sample_weight
