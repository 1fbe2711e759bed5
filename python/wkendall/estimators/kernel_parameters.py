"""The common base of the scikit-learn estimators with kernel parameters: reading rankings, and kernels between them.

Each estimator takes the parameters of `gram_matrix` under the same names, in addition to its own. A grid search can
then vary `weight` directly, and there is no inner object to clone, or to share by mistake.

Rankings are read once; all methods then pass on `CheckedRankings`. A fitted estimator stores rankings as places: ranks
from 1, where tied items have the first of the ranks that they share and items of unknown position have NaN. Lists out
of a catalogue are stored as sparse arrays.
"""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from wkendall._arguments import Array, as_threads
from wkendall.estimators.input_checks import checked_data
from wkendall.kernels.gram import diagonal_of, gram_of
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Kernel, Mallows, Specification
from wkendall.reading.rankings import CheckedRankings, Input, Missing, Places, Reading, Ties, Top, of_places
from wkendall.reading.sparse import is_sparse


class RankingParameters(BaseEstimator):  # type: ignore[misc]
    """An estimator that takes rankings."""

    input: Input
    top: Top
    ties: Ties
    missing: Missing
    n_jobs: SupportsIndex | None

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters. scikit-learn inspects the signature at each call, some five times in each fit."""
        names: tuple[str, ...] | None = cls.__dict__.get("_names_of_parameters")
        if names is None:
            names = cls._names_of_parameters = tuple(super()._get_param_names())
        return list(names)

    def _read(self, X: ArrayLike, *, reset: bool) -> CheckedRankings:
        """Check the rankings of a method call, and the number and names of the items."""
        if is_sparse(X):
            self._reading().check_takes_lists("X")
            return self._checked(checked_data(self, X, reset=reset, accept_sparse=True), "X")
        return self._checked(checked_data(self, X, reset=reset), "X")

    def _checked(self, X: ArrayLike, name: str) -> CheckedRankings:
        return self._reading().rankings(X, name, as_threads(self.n_jobs))

    def _reading(self) -> Reading:
        return Reading(self.input, self.top, self.ties, self.missing)

    def _kept(self, places: Places) -> CheckedRankings:
        """Return checked rankings from stored places."""
        return of_places(places, self.missing, as_threads(self.n_jobs))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = self.missing == "bottom"
        return tags


class KernelParameters(RankingParameters):
    """An estimator with all parameters of a kernel."""

    def __init__(
        self,
        weight: str,
        *,
        k: SupportsIndex | None,
        u: str | ArrayLike | None,
        U: ArrayLike | tuple[object, ...] | None,
        W: ArrayLike | None,
        order: SupportsIndex,
        check: bool,
        signed: bool,
        normalize: bool,
        lam: float | None,
        input: Input,
        top: Top,
        ties: Ties,
        missing: Missing,
        n_jobs: SupportsIndex | None,
    ) -> None:
        self.weight = weight
        self.k = k
        self.u = u
        self.U = U
        self.W = W
        self.order = order
        self.check = check
        self.signed = signed
        self.normalize = normalize
        self.lam = lam
        self.input = input
        self.top = top
        self.ties = ties
        self.missing = missing
        self.n_jobs = n_jobs

    def _gram(self, X: CheckedRankings, Y: CheckedRankings | None = None, *, dtype: DTypeLike = np.float64) -> Array:
        """Return the kernel between rankings."""
        return gram_of(X, Y, self._specification(), Run(dtype, n_jobs=self.n_jobs))

    def _own(self, X: CheckedRankings) -> Array:
        """Return the kernel between each ranking and itself."""
        return diagonal_of(X, self._specification(), Run(n_jobs=self.n_jobs))

    def _specification(self) -> Specification:
        """Return the measure that is computed for two rankings."""
        if self._is_mallows():
            return Mallows.of(self._rate(), self.normalize)
        general = self.U is not None or self.W is not None
        # The default `weight` counts as not given, so that U and W can be given without it.
        default = general and is_word(self.weight, "standard")
        names = ("U", "W", "order", "check", "signed", "normalize")
        chosen = {name: getattr(self, name) for name in names}
        return Kernel(STANDARD if default else self.weight, **used(self.weight, self.k, self.u), **chosen)

    def _is_mallows(self) -> bool:
        return is_word(self.weight, "mallows")

    def _rate(self) -> float:
        """Return the rate of the Mallows kernel; refuse parameters of other kernels."""
        if self.lam is None:
            raise ValueError(
                'weight="mallows" needs lam, the rate at which the similarity falls with each discordant pair'
            )
        if self.U is not None or self.W is not None or self.order != 2 or self.signed is not False:
            raise ValueError('weight="mallows" does not use U, W, signed=True or an order other than 2: leave them out')
        return self.lam


def is_word(value: object, word: str) -> bool:
    """Return whether a parameter is this word."""
    return isinstance(value, str) and value == word


def used(weight: object, k: SupportsIndex | None, u: str | ArrayLike | None) -> dict[str, Any]:
    """Return the parameters that a weight uses.

    `gram_matrix` refuses the others. An estimator ignores them, as scikit-learn's estimators do, so that a grid search
    can vary the weight alone.
    """
    factor = is_word(weight, "add") or is_word(weight, "mult")
    return {"k": k if is_word(weight, "top") else None, "u": u if factor else None}
