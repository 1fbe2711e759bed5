"""Transformers of rankings to vectors, in chunks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array, as_order, as_result_type
from wkendall._memory import check_fits
from wkendall.embedding import BLOCK
from wkendall.estimators.base import RankingEstimator
from wkendall.rankings import Rankings


class VectorMap(TransformerMixin, RankingEstimator):  # type: ignore[misc]
    """A map from each ranking to a vector. Rankings do not affect each other, so they can be processed in chunks."""

    dtype: DTypeLike
    _n_features_out: int

    @abstractmethod
    def _vectors(self, rankings: Rankings) -> Array:
        """Return the vectors of some rankings."""

    def transform(self, X: ArrayLike | Rankings) -> Array:
        """Vectors of rankings.

        Parameters
        ----------
        X : Rankings or array-like of shape (m, n)
            Rankings, one per row.

        Returns
        -------
        ndarray of shape (m, columns)
        """
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
        """Vectors of rankings, a chunk of rows at a time: for models with `partial_fit`, with little memory.

        Parameters
        ----------
        X : Rankings or array-like of shape (m, n)
            Rankings, one per row; all are checked before the first chunk.
        size : int, optional
            Number of rows of a chunk; if absent, a chunk takes a few MiB.

        Returns
        -------
        iterator of (slice, ndarray)
            The rows of the chunk, and their vectors.
        """
        check_is_fitted(self)
        rows = None if size is None else as_order(size, "size")
        return self._pieces(self._read(X, reset=False), rows)

    def _pieces(self, rankings: Rankings, size: int | None) -> Iterator[tuple[slice, Array]]:
        step = size or max(1, BLOCK // max(self._n_features_out, 1))
        for begin in range(0, len(rankings), step):
            rows = slice(begin, min(begin + step, len(rankings)))
            yield rows, self._vectors(rankings if step >= len(rankings) else rankings[rows])
