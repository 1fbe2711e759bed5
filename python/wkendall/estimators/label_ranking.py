"""Label ranking for scikit-learn: predict a ranking of labels from features.

A ranking of n labels is written as a vector with one sign for each pair of labels, as in the Kendall kernel. A
regressor predicts the mean of this vector from the features. The predicted ranking is the ranking whose vector has the
largest inner product with the predicted mean. The search for this ranking is a linear ordering problem (Korba, Garcia
and d'Alché-Buc, 2018).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import MultiOutputMixin, clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, has_fit_parameter, validate_data

from wkendall import _core
from wkendall._arguments import Array, check_same_rows, row_labels
from wkendall._errors import RankingError, bad_argument, bad_type, one_line, shown
from wkendall._run import Run
from wkendall.arrays.options import Missing, Reading, Ties
from wkendall.embedding import BLOCK, features_of, mean_signs, signs_of
from wkendall.estimators.base import RankingEstimator
from wkendall.estimators.input_checks import FITTED
from wkendall.gram import diagonal_of
from wkendall.measures import Kendall, Kernel
from wkendall.rankings import Rankings, check_all_items_fit, matched, read_rankings, sample_weights


class StandardizedKernelRidge(KernelRidge):  # type: ignore[misc]
    """Kernel ridge regression with a Gaussian kernel, on features that are scaled to mean 0 and variance 1."""

    def __init__(self, alpha: float = 0.1, gamma: float | None = None) -> None:
        super().__init__(alpha, kernel="rbf", gamma=gamma)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Scale the features and fit the regression."""
        if issparse(X):
            rule = "the default regressor scales them, which fills the zeros: pass another, such as regressor=Ridge()"
            raise bad_argument("X", f" has sparse features, but {rule}", kind="sparse")
        self.scaler_ = StandardScaler().set_output(transform="default").fit(X, sample_weight=sample_weight)
        fitted: Self = super().fit(self.scaler_.transform(X), y, sample_weight)
        return fitted

    def predict(self, X: ArrayLike) -> Array:
        """Predict from features."""
        return np.asarray(super().predict(self.scaler_.transform(X)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


@dataclass(eq=False, repr=False)
class LabelRanker(MultiOutputMixin, RankingEstimator):  # type: ignore[misc]
    """A model that predicts rankings of labels from features.

    In a ranking, a pair of labels has the sign 1 if the first label of the pair comes before the second, and -1 if it
    comes after the second. A regressor predicts the mean sign of each pair from the features. For each row of features,
    the predicted ranking is the ranking that agrees most with the predicted mean signs. This ranking is the solution of
    a linear ordering problem (see `linear_ordering`). Korba, Garcia and d'Alché-Buc (2018) describe this method:
    structured prediction with Kemeny's embedding.

    Parameters
    ----------
    regressor : regressor of scikit-learn, optional
        Any regressor that can predict several numbers at once: one number for each pair of labels. The default is
        kernel ridge regression with a Gaussian kernel, on features that are scaled to mean 0 and variance 1. A grid
        search can vary the parameters of the default regressor: `regressor__alpha`, 0.1 by default, and
        `regressor__gamma`. By default, gamma is 1 divided by the number of features.
    kernel : Kendall, optional
        The kernel that says how much each pair of labels counts; `Kendall()` if absent. The kernel must have
        `weight="standard"` and `order=2`, the defaults: with another weight or order, the predicted ranking would not
        be the solution of a linear ordering problem. The parameters `signed`, `normalize` and `item_weight` of the
        kernel can have any values.
    input, top, n_jobs
        As for `KendallGram`. `input` and `top` say how to read the rankings `y`. `n_jobs` is the number of threads that
        find the predicted rankings from the mean signs. It does not change the number of threads of the regressor.
    ties : {"mean", "error"}
        As for `Rankings`. With "mean", a pair of tied labels has the sign 0.
    missing : {"anywhere", "bottom", "error"}
        As for `Rankings`. "anywhere": nothing is known about the position of a missing label. The sign of a pair with
        this label is then a mean: the mean of its signs in all complete rankings that have the other labels in the
        order of the incomplete ranking.

    Attributes
    ----------
    regressor_ : regressor
        The fitted regressor.
    items_ : list
        The names of the labels, or their numbers from 0 if they have no names.
    n_features_in_, feature_names_in_
        The number and the names of the features.

    Examples
    --------
    >>> import wkendall
    >>> X = [[0.0], [0.1], [0.9], [1.0]]
    >>> y = wkendall.Rankings([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]], items=["tea", "milk", "beer"])
    >>> model = wkendall.LabelRanker().fit(X, y)
    >>> model.predict([[0.2], [0.8]])
    array([[1, 2, 3],
           [3, 2, 1]])
    >>> model.predict_rankings([[0.2], [0.8]]).to_lists()
    [['tea', 'milk', 'beer'], ['beer', 'milk', 'tea']]
    """

    regressor: Any = None
    kernel: Kernel | None = None
    _: KW_ONLY
    ties: Ties = "mean"
    missing: Missing = "anywhere"

    _if_none: ClassVar[dict[str, Any]] = {"kernel": Kendall, "regressor": StandardizedKernelRidge}

    def fit(self, X: ArrayLike, y: ArrayLike | Rankings, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from features `X` and rankings of labels `y`, one ranking per row.

        NaN in an array `y` is a missing label. `sample_weight` contains a weight for each row. If `sample_weight` is
        absent and `y` is a `Rankings` with counts, the weights are these counts. If there are weights or counts, the
        `fit` method of the regressor must accept `sample_weight`.
        """
        kernel = self._kernel()
        self._check_features(X, y=y)
        rankings = self._rankings(X, y, reset=True)
        weighted = sample_weight is not None or rankings._counts is not None
        weights = sample_weights(sample_weight, rankings)
        targets, self._factors = embedded(rankings, kernel, Run(n_jobs=self.n_jobs))
        self._mean = np.average(targets, axis=0, weights=weights)
        targets -= self._mean
        if targets.shape[1] < 2:  # one label has no pairs, but its features are checked
            targets = targets[:, 0] if targets.size else np.zeros(len(targets))
        regressor = clone(self._regressor())
        if weighted and not has_fit_parameter(regressor, "sample_weight"):
            rule = "its fit has no sample_weight: leave out weights and counts, or choose another regressor"
            raise bad_argument("regressor", f" is {regressor!r}, but {rule}", kind="no weights")
        try:
            self.regressor_ = regressor.fit(X, targets, **({"sample_weight": weights} if weighted else {}))
        except ValueError as error:
            if targets.ndim == 1 or get_tags(regressor).target_tags.multi_output:
                raise
            rule = "which predicts one number: wrap it in sklearn.multioutput.MultiOutputRegressor"
            raise bad_argument("regressor", f" is {regressor!r}, {rule}", kind="one output") from error
        self.items_ = rankings.items or list(range(rankings.n_items))
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Predict the rank of each label. The result has a row for each row of `X`; rank 1 is the best."""
        pairs = self._pairs(X)
        n, step = len(self.items_), max(1, BLOCK // len(self.items_) ** 2)
        ranks = np.ones((len(pairs), n), dtype=np.int64)
        if n > 1:
            for begin in range(0, len(pairs), step):
                matrices = self._matrices(pairs[begin : begin + step] * self._factors)
                ranks[begin : begin + step] = _core.linear_orderings(matrices, "auto", threads=self._threads)[0]
        return ranks

    def predict_rankings(self, X: ArrayLike) -> Rankings:
        """Predict a `Rankings` with the names of the labels. If `X` is a data frame, the row labels of `X` are kept."""
        found = read_rankings(self.predict(X), "y", threads=self._threads)
        return found._with(items=self._items_of_fit, labels=row_labels(X))

    def predict_pairs(self, X: ArrayLike) -> Array:
        """Predict the mean sign of each pair of labels, which shows how sure the order of the two labels is.

        Entry [p, i, j] of the result is the mean sign of the labels i and j for row p of `X`. It is near 1 if label i
        almost surely comes before label j, and near -1 if label i almost surely comes after label j. It is near 0 if
        both orders are equally likely.
        """
        pairs = self._pairs(X)
        return self._matrices(np.divide(pairs, self._factors, out=np.zeros_like(pairs), where=self._factors > 0))

    def score(self, X: ArrayLike, y: ArrayLike | Rankings, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean of Kendall's tau between each predicted ranking and the ranking in the same row of `y`.

        The tau of a row is tau-b, as in scipy. Labels that are missing in a row of `y` are left out of the tau of this
        row. But with `missing="bottom"`, the missing labels count as tied in the last place. If a row of `y` puts no
        label before another label, it has no tau, and it is left out of the mean. If all rows are left out, the score
        is 0.
        """
        check_is_fitted(self)
        rankings = self._rankings(X, y, reset=False)
        weights = sample_weights(sample_weight, rankings)
        signs = mean_signs(rankings)
        signs[np.abs(signs) < 1] = 0
        ordered = np.count_nonzero(signs, axis=1)
        labels = (~np.isnan(rankings._ranks())).sum(axis=1) if rankings._missing == "anywhere" else rankings.n_items
        agreement = np.einsum("pk,pk->p", signs, signs_of(self.predict(X)))
        taus = agreement / np.sqrt(np.maximum(ordered * (labels * (labels - 1) / 2), 1))
        counted = weights * (ordered > 0)
        return float(np.average(taus, weights=counted)) if counted.any() else 0.0

    def _regressor(self) -> Any:
        chosen = StandardizedKernelRidge() if self.regressor is None else self.regressor
        if isinstance(chosen, type) or not (hasattr(chosen, "fit") and hasattr(chosen, "predict")):
            raise bad_type("regressor", f" must be a regressor of scikit-learn, such as Ridge(), not {shown(chosen)}")
        return chosen

    def _kernel(self) -> Kendall:
        kernel = super()._kernel()
        if isinstance(kernel, Kendall) and kernel.weight == "standard" and kernel.order == 2:
            return kernel
        rule = "LabelRanker finds the best ranking as a linear ordering, for Kendall() of order 2, with or without item_weight"
        raise bad_argument("kernel", f" is {kernel!r}, but {rule}", kind="no linear ordering")

    def _check_features(self, X: ArrayLike, **how: Any) -> None:
        """Check the number and the names of features. The regressor checks their values, which can be texts."""
        given = X if hasattr(X, "shape") else np.asarray(X)
        if getattr(getattr(given, "dtype", None), "kind", "") == "c":
            raise bad_argument("X", " is complex. Complex data not supported: features are real", kind="type")
        try:
            validate_data(self, X, skip_check_array=True, ensure_2d=len(given.shape) == 2, **how)
        except ValueError as error:
            raise ValueError(one_line(str(error))) from None

    def _reading(self, reset: bool = True) -> Reading:
        """Return how arrays are read. Arrays of orders cannot have ties or missing labels, which are then errors."""
        found = super()._reading(reset)
        usual = found.ties == type(self).ties and found.missing == type(self).missing
        return found._replace(ties="error", missing="error") if found.input == "orders" and usual else found

    def _rankings(self, X: ArrayLike, y: ArrayLike | Rankings, *, reset: bool) -> Rankings:
        """Read the rankings `y` of the rows of `X`."""
        rankings = y if isinstance(y, Rankings) else read_rankings(y, "y", self._reading(reset), self._threads)
        rows = _num_samples(X)
        if len(rankings) != rows or not rankings.n_items:
            found = f" has {len(rankings)} rankings of {rankings.n_items} labels, but X has {rows} rows"
            rule = "pass a ranking of at least one label for each row of X"
            raise bad_argument("y", f"{found}: {rule}", value=len(rankings), kind="rows differ")
        check_same_rows(X, y, ("X", "y"))
        check_all_items_fit(rankings)
        if reset:
            reading = rankings._reading and Reading(*rankings._reading[:4])
            self.__dict__.update(_items_of_fit=rankings._items, _reading_of_fit=reading)
            return rankings
        fitted = SimpleNamespace(n_items=len(self.items_), _items=self._items_of_fit)
        return matched(cast("Rankings", fitted), rankings, (FITTED, "y"))

    def _pairs(self, X: ArrayLike) -> Array:
        """Return the numbers that the regressor predicts: one for each row of `X` and each pair of labels."""
        check_is_fitted(self)
        self._check_features(X, reset=False)
        found = np.asarray(self.regressor_.predict(X), dtype=np.float64)
        pairs = found.reshape(len(found), -1)[:, : len(self._mean)] + self._mean
        for row in np.flatnonzero(~np.isfinite(pairs).all(axis=1))[:1].tolist():
            rule = "features are too large or the regressor did not converge"
            raise RankingError(
                f"the regressor predicts numbers that are not finite for row {row} of X: {rule}", row=row
            )
        return pairs

    def _matrices(self, pairs: Array) -> Array:
        """Return a matrix for each row of `pairs`.

        Entry [p, i, j] is the number of the pair (i, j) in row p, and entry [p, j, i] is minus this number.
        """
        n = len(self.items_)
        matrices = np.zeros((len(pairs), n, n))
        first, second = np.triu_indices(n, 1)
        matrices[:, first, second], matrices[:, second, first] = pairs, -pairs
        return matrices

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._regressor()).input_tags
        tags.target_tags.required, tags.target_tags.single_output = True, False
        return tags


def embedded(rankings: Rankings, kernel: Kendall, run: Run) -> tuple[Array, Array]:
    """Return the signs of the pairs of each ranking, times a factor for each pair; also return these factors.

    The signs of an incomplete ranking are means over all complete rankings that do not contradict this ranking. The
    factor of a pair is the square root of the product of the weights of its two items. If the kernel is normalized,
    each row is scaled: its norm is then the norm of the row of a complete ranking.
    """
    signed, plain = (Kendall(signed=sign, item_weight=kernel.item_weight) for sign in (True, kernel.signed))
    complete = read_rankings(np.arange(1, rankings.n_items + 1)[np.newaxis], "y")
    factors: Array = features_of(complete, signed, run)[0]
    vectors = mean_signs(rankings) * factors
    if kernel.normalize:
        full, own = diagonal_of(complete, plain, run)[0], diagonal_of(rankings, plain, run)
        vectors *= np.sqrt(np.divide(full, own, out=np.zeros_like(own), where=own > 0))[:, np.newaxis]
    return vectors, factors
