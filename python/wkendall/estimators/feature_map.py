"""Explicit features of a kernel as a scikit-learn transformer."""

from __future__ import annotations

from typing import Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from wkendall._arguments import Array
from wkendall._text import shown
from wkendall.estimators.input_checks import is_one_ranking
from wkendall.estimators.kernel_parameters import used
from wkendall.estimators.vectors import VectorMap
from wkendall.kernels.embedding import features_of
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Kernel
from wkendall.reading.rankings import CheckedRankings, Input, Missing, Ties, Top


class KendallFeatures(VectorMap):
    """Vectors whose inner products are exactly a kernel of order 2: `features` as a transformer.

    `fit` learns only the number and the names of the items.

    Parameters
    ----------
    weight, k, u, signed, normalize, input, top, ties, missing, dtype, n_jobs
        As for `features`. `k` and `u` are ignored if the weight does not use them.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        As for `WeightedKendall`.

    Examples
    --------
    >>> import wkendall
    >>> map = wkendall.KendallFeatures(signed=True).fit([[1, 2, 3]])
    >>> map.get_feature_names_out(["tea", "milk", "beer"])
    array(['tea before milk', 'tea before beer', 'milk before beer'],
          dtype=object)
    >>> map.transform([[1, 2, 3], [3, 2, 1]])
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """

    def __init__(
        self,
        weight: str = "standard",
        *,
        k: SupportsIndex | None = None,
        u: str | ArrayLike | None = None,
        signed: bool = False,
        normalize: bool = False,
        input: Input = "ranks",
        top: Top = "low",
        ties: Ties = "error",
        missing: Missing = "error",
        dtype: DTypeLike = np.float64,
        n_jobs: SupportsIndex | None = None,
    ) -> None:
        self.weight = weight
        self.k = k
        self.u = u
        self.signed = signed
        self.normalize = normalize
        self.input = input
        self.top = top
        self.ties = ties
        self.missing = missing
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002
        """Check rankings and parameters.

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
        rankings = self._read(X, reset=True)
        self._n_features_out = self._vectors(rankings.select(slice(1))).shape[1]
        return self

    def _vectors(self, rankings: CheckedRankings) -> Array:
        chosen = used(self.weight, self.k, self.u)
        kernel = Kernel(self.weight, **chosen, signed=self.signed, normalize=self.normalize)
        run = Run(self.dtype, n_jobs=self.n_jobs)
        run.check()
        return features_of(rankings, kernel, run)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns.

        A column "a before b" is the weight of the pair if a is before b. Otherwise it is zero, or minus the weight if
        signed. The columns of the standard kernel are signs, and its last column is constant. The average kernel has
        these columns for each top 2, 3, .., n of the ranking.

        Parameters
        ----------
        input_features : array-like of n names, optional
            Names of the items. If absent, the column names of the data frame of `fit`, or x0, x1, ..

        Returns
        -------
        ndarray of names
        """
        check_is_fitted(self)
        if input_features is not None and not is_one_ranking(input_features):
            raise ValueError(f"input_features is {shown(input_features)}, but must be an array of n names, or None")
        items = _check_feature_names_in(self, input_features)
        pairs = [(items[i], items[j]) for i, j in zip(*np.triu_indices(len(items), 1), strict=True)]
        # The top of all items is the standard weight.
        standard = self.weight == "standard" or (self.weight == "top" and self.k == len(items))
        if standard and not self.signed:
            return np.array([*(f"{i} before {j}" for i, j in pairs), "constant"], dtype=object)
        orders = [pairs] if self.signed else [pairs, [(j, i) for i, j in pairs]]
        tops = [f", top {k}" for k in range(2, len(items) + 1)] if self.weight == "average" else [""]
        return np.array([f"{i} before {j}{top}" for order in orders for top in tops for i, j in order], dtype=object)
