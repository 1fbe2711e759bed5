"""The feature vectors of a kernel as a scikit-learn transformer."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from wkendall._arguments import Array, check_same_rows
from wkendall._errors import bad_argument, shown
from wkendall._run import Run
from wkendall.embedding import features_of
from wkendall.estimators.base import VectorMap
from wkendall.measures import Kendall, Kernel, Scaled, Sum
from wkendall.rankings import Rankings


@dataclass(eq=False, repr=False)
class KendallFeatures(VectorMap):
    """A transformer from rankings to feature vectors: inner products of these vectors are exactly the kernel values.

    The function `features` computes the same vectors. `fit` learns only the number and the names of the items.

    Parameters
    ----------
    kernel : Kendall or a sum of multiples of such kernels, optional
        As for the function `features`; `Kendall()` if absent. The parameters `k` and `u` of the kernel are ignored if
        its `weight` does not use them.
    input, top, ties, missing, dtype, n_jobs
        As for `KendallGram`.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        As for `KendallGram`.

    Examples
    --------
    >>> import wkendall
    >>> map = wkendall.KendallFeatures(wkendall.Kendall(signed=True)).fit([[1, 2, 3]])
    >>> map.get_feature_names_out(["tea", "milk", "beer"])
    array(['tea before milk', 'tea before beer', 'milk before beer'],
          dtype=object)
    >>> map.transform([[1, 2, 3], [3, 2, 1]])
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """

    kernel: Kernel | None = None
    _: KW_ONLY
    dtype: DTypeLike = np.float64

    def fit(self, X: ArrayLike | Rankings, y: object = None) -> Self:
        """Check the rankings and the parameters, and store the number and the names of the items."""
        check_same_rows(X, y)
        rankings = self._read(X, reset=True)
        self._n_features_out = self._vectors(rankings[:1]).shape[1]
        return self

    def _vectors(self, rankings: Rankings) -> Array:
        return features_of(rankings, self._kernel(), Run(self.dtype, n_jobs=self.n_jobs).check())

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return the names of the columns.

        The column "a before b" contains the weight of this pair of items for each ranking that puts item a before item
        b. For the other rankings it contains zero, or minus the weight if the kernel is signed. The kernel `Kendall()`,
        without `signed` and without `item_weight`, is an exception. The column "a before b" then contains a constant
        for each ranking that puts item a before item b, and minus this constant if b comes first. For this kernel there
        is also a last column with the same value for every ranking. `Kendall("average")` is a mean of the kernels
        `Kendall("top", k=k)`. So it has a column "a before b, top k" for each pair and for each k = 2, 3, .., n. For a
        sum of kernels, each column name also contains the kernel to which the column belongs.

        `input_features` contains the names of the items. By default these are the names that `fit` received, or x0, x1,
        .. if there were no names.
        """
        check_is_fitted(self)
        if input_features is not None and np.asarray(input_features, dtype=object).ndim != 1:
            raise bad_argument(
                "input_features", f" is {shown(input_features)}, but must be an array of n names, or None"
            )
        items = _check_feature_names_in(self, input_features)
        if input_features is None:
            items = self._items_of_fit or [f"x{item}" for item in range(self.n_features_in_)]
        return np.array(names_of(self._kernel(), list(items)), dtype=object)


def names_of(kernel: Kernel, items: list[Any]) -> list[str]:
    """Return the names of the features of a kernel."""
    if isinstance(kernel, Sum):
        parts = (kernel.left, kernel.right)
        return [
            name if isinstance(part, Sum) else f"{name}, {part!r}" for part in parts for name in names_of(part, items)
        ]
    if isinstance(kernel, Scaled):
        return names_of(kernel.kernel, items)
    assert isinstance(kernel, Kendall)
    pairs = [(items[i], items[j]) for i, j in zip(*np.triu_indices(len(items), 1), strict=True)]
    # The top of all items is the standard weight.
    standard = kernel.weight == "standard" or (kernel.weight == "top" and kernel.k == len(items))
    plain = kernel.item_weight is None or bool(np.all(np.asarray(kernel.item_weight) == 1))
    if standard and plain and not kernel.signed:
        return [*(f"{i} before {j}" for i, j in pairs), "constant"]
    orders = [pairs] if kernel.signed else [pairs, [(j, i) for i, j in pairs]]
    tops = [f", top {k}" for k in range(2, len(items) + 1)] if kernel.weight == "average" else [""]
    return [f"{i} before {j}{top}" for order in orders for top in tops for i, j in order]
