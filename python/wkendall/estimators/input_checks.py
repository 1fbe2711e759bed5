"""The input checks of scikit-learn, with error messages of one line that name the argument."""

from __future__ import annotations

from collections.abc import Hashable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from wkendall._arguments import check_same_rows, check_unmasked, row_labels
from wkendall._errors import Parts, RankingError, bad_argument, located, one_line, remade, shown
from wkendall.arrays.convert import (
    as_array,
    check_collected,
    check_not_rearranged,
    check_objects,
    check_same_labels,
    labels_of,
)
from wkendall.arrays.options import Reading
from wkendall.rankings import Rankings, check_different, matched

#: The rankings of `fit`, in messages.
FITTED = "the data of fit"


def checked_data(estimator: BaseEstimator, X: ArrayLike, **how: Any) -> Any:
    """Check the rankings that a method of an estimator receives, and also the labels `y` if they are given.

    Missing and infinite values are not checked here. The readers of rankings check them and report the row.
    """
    check_collected(X, "X")
    if how.keys() == {"reset"} and _is_plain(estimator, X, how["reset"]):
        return X
    check_unmasked(X, "X")
    names_of_columns(X)  # refuses two of one name
    y = how.get("y")
    if y is not None:
        check_unmasked(y, "y")
    try:
        found = validate_data(estimator, X, ensure_all_finite=False, **how)
    except (TypeError, ValueError) as error:
        if not issparse(X):  # for these scikit-learn's own message is clear
            array = _two_axes(X)
            try:
                _check_entries(array, error)
            except RankingError as wrong:
                raise located(wrong, names_of_columns(X), row_labels(X)) from None
            rows = len(array)
            if y is not None:
                _check_labels(y, rows)
        advice = "" if how.get("reset", True) else _advice_about_items(estimator, X)
        raise type(error)(one_line(str(error)) + advice) from None
    _check_labels_of_items(estimator, X, how.get("reset", True))
    check_same_rows(X, y, ("X", "y"))
    return found


def checked_targets(estimator: BaseEstimator, X: Rankings, y: ArrayLike, *, y_numeric: bool) -> NDArray[Any]:
    """Check the labels or targets `y` of a `Rankings`, in the same way as `checked_data` does for arrays."""
    check_unmasked(y, "y")
    try:
        found: NDArray[Any] = validate_data(estimator, y=y, y_numeric=y_numeric)
    except (TypeError, ValueError) as error:
        if y is not None:
            _check_labels(y, len(X))
        raise type(error)(one_line(str(error))) from None
    _check_labels(found, len(X))
    check_same_rows(X, y, ("X", "y"))
    return found


def check_rankings(estimator: Any, X: Rankings, *, reset: bool, least: int = 1) -> Rankings:
    """Check a `Rankings`, and return it with the items in the order of `fit`.

    There must be at least `least` rankings and at least `least` items.
    """
    for size, noun in zip(X.shape, ("ranking", "item"), strict=True):
        if size < least:
            found = f"X has {size} {noun}{'' if size == 1 else 's'}"
            rule = f"{type(estimator).__name__} needs at least {least}"
            raise RankingError(f"{found}, but {rule}", argument="X", value=size, kind="too few")
    if not reset:
        fitted = SimpleNamespace(n_items=estimator.n_features_in_, _items=estimator._items_of_fit)
        return matched(cast("Rankings", fitted), X, (FITTED, "X"))
    estimator.n_features_in_ = X.n_items
    estimator._items_of_fit, estimator._reading_of_fit = X._items, X._reading and Reading(*X._reading[:4])
    estimator.__dict__.pop("feature_names_in_", None)
    estimator._labels_of_items = X.items
    if X._items is not None and all(isinstance(name, str) for name in X._items):
        estimator.feature_names_in_, estimator._labels_of_items = np.array(X._items, dtype=object), None
    return X


def _is_plain(estimator: Any, X: object, reset: bool) -> bool:
    """Return whether `X` is a plain array of numbers with the right shape, which needs no further checks.

    The checks of scikit-learn would take 50 to 90 us. To get a kernel matrix of 60 rankings from the cache takes about
    as long as these checks.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "iuf" or not X.size:
        return False
    if hasattr(estimator, "feature_names_in_"):
        return False
    if reset:
        estimator.n_features_in_ = X.shape[1]
        estimator._labels_of_items = None
    return bool(getattr(estimator, "n_features_in_", None) == X.shape[1])


def check_places(estimator: BaseEstimator, X: object, reset: bool) -> None:
    """Compare the column names of `X` with the column names of the data that `fit` received.

    `X` contains ranked lists. In a data frame of lists, a column name is, for example, "first choice".
    Data without column names are accepted. scikit-learn would warn in this case, but this function does not: ranked
    lists often have no column names.
    """
    labels = names_of_columns(X)
    named = labels is not None and all(isinstance(label, str) for label in labels)
    try:
        if reset or (hasattr(estimator, "feature_names_in_") and labels is not None):
            validate_data(estimator, X if named else [], reset=reset, skip_check_array=True, ensure_2d=False)
    except ValueError as error:
        raise ValueError(one_line(str(error))) from None
    _check_labels_of_items(estimator, X, reset, "column")


def _check_labels_of_items(estimator: Any, X: object, reset: bool, kind: str = "item") -> None:
    """Compare the column labels of `X` with the column labels of the data that `fit` received.

    scikit-learn compares only strings. This function also compares numbers, such as the codes of items.
    """
    if reset:
        estimator._labels_of_items = None if hasattr(estimator, "feature_names_in_") else labels_of(X, "columns")
    else:
        check_items_of_fit(estimator, X, "X", kind)


def check_items_of_fit(estimator: Any, X: object, name: str, kind: str = "item") -> None:
    """Compare the column labels of `X` with those of the data that `fit` received, if both have labels."""
    names, labels = getattr(estimator, "feature_names_in_", None), getattr(estimator, "_labels_of_items", None)
    if names is not None and names_of_columns(X) is not None:
        check_same_labels(SimpleNamespace(columns=names), X, "columns", (FITTED, name), kind)
    elif labels is not None:
        # Without names, columns are labelled 0, 1, 2, ...: only another order of these is a mistake.
        check = check_not_rearranged if labels == list(range(len(labels))) else check_same_labels
        check(SimpleNamespace(columns=labels), X, "columns", (FITTED, name), kind)


def names_of_columns(X: object) -> tuple[Hashable, ...] | None:
    """Return the names of the columns, or None if a data frame has only the default labels 0, 1, 2, ..."""
    labels = labels_of(X, "columns")
    if labels is None or labels == list(range(len(labels))):
        return None
    check_different(labels, "X")
    return tuple(labels)


def _two_axes(X: ArrayLike) -> NDArray[Any]:
    try:
        return as_array(X, "X", 2)
    except RankingError as error:
        if error.kind != "axes" or error.value != 1:
            raise
        # scikit-learn's estimator checks look for these words.
        advice = "Reshape your data if they are an array: X.reshape(1, -1)"
        raise remade(error, Parts(f"{error}. {advice}")) from None


def _advice_about_items(estimator: Any, X: Any) -> str:
    """Return advice for an array with other columns than the rankings of `fit`.

    The advice is for two cases: a data frame has the same names in another order, or the rows of the array are lists of
    items.
    """
    labels, names = labels_of(X, "columns"), getattr(estimator, "feature_names_in_", ())
    if labels is not None and len(names) and sorted(map(str, labels)) == sorted(names):
        return " Or pass a Rankings, whose items are matched by name."
    reading: Reading | None = getattr(estimator, "_reading_of_fit", None)
    if labels is None and reading is not None and reading.missing == "bottom" and estimator._items_of_fit is not None:
        return " If its rows are lists of items, best first, pass from_lists(X, items=...) with the items of fit."
    return ""


def _check_entries(array: NDArray[Any], said: Exception) -> None:
    try:
        check_objects(array, "X")
    except RankingError as error:
        if error.kind != "not a number":
            raise
        # The message of scikit-learn contains the words that its estimator checks look for.
        raise remade(error, Parts(f"{error} ({one_line(str(said))})")) from None


def _check_labels(y: ArrayLike, rows: int) -> None:
    """Raise an error unless `y` has one label for each ranking."""
    try:
        shape = np.asarray(y).shape
    except ValueError:
        shape = None
    if shape != (rows,) and shape != (rows, 1):
        found = shown(y) if shape is None else f"of shape {shape}"
        raise bad_argument(
            "y", f" is {found}, but X has {rows} rankings: it must have shape ({rows},), a label for each"
        )


def random_state(value: Any) -> np.random.RandomState:
    """Return the random number generator."""
    try:
        found: np.random.RandomState = check_random_state(value)
    except (TypeError, ValueError):
        rule = "must be None, a seed from 0 to 4294967295 or a numpy.random.RandomState"
        raise bad_argument("random_state", f" is {shown(value)}, but {rule}", value=value) from None
    return found
