"""Ranked lists as input of a scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import check_choice, check_flag, check_same_rows
from wkendall._errors import RankingError, bad_argument, parts_of, remade
from wkendall.estimators.input_checks import check_places
from wkendall.reading.lists import GAPS, Gaps, Unknown, as_ranks, columns_of, ranked_rows


@dataclass(eq=False, repr=False)
class ListEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that converts ranked lists of names to arrays of ranks, always with the same columns.

    `fit` assigns a column to each item. `transform` converts new lists to ranks in these columns. Use `ListEncoder` as
    the first step of a pipeline, before an estimator with `missing="bottom"`. For a single set of lists without a
    pipeline, use the function `from_lists`.

    Parameters
    ----------
    sparse : bool
        Whether to return sparse arrays. Sparse arrays save memory if each list has only a few of many items.
    unknown : {"error", "ignore"}
        How to treat an item that `fit` has not seen: "error" raises an error, "ignore" removes the item from its list.
    items : collection, optional
        All items, in the order of the columns of the result. `fit` then treats any other item as `unknown` says. Pass
        `items` for cross-validation: the test lists of a fold can contain an item that is in none of its training
        lists.
    gaps : {"error", "close"}
        What to do with a blank before an item of a list: "error" raises an error, "close" leaves out the blank. A blank
        is None, NaN or a blank string.

    Attributes
    ----------
    items_ : list
        The items, in the order of the columns of the result.
    feature_names_in_ : ndarray of strings
        The column names of a data frame of lists, such as "first choice". The attribute exists only if you passed a
        data frame to `fit`. A data frame that you later pass to `transform` must have the same columns in the same
        order.

    Examples
    --------
    >>> import wkendall
    >>> encoder = wkendall.ListEncoder().fit([["apple", "pear", "plum"], ["plum", "fig"]])
    >>> encoder.items_
    ['apple', 'pear', 'plum', 'fig']
    >>> encoder.transform([["fig", "apple"]])
    array([[ 2., nan, nan,  1.]])

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> kernel = wkendall.KendallGram(wkendall.Kendall(signed=True, normalize=True), missing="bottom")
    >>> model = make_pipeline(wkendall.ListEncoder(unknown="ignore"), kernel, SVC(kernel="precomputed"))
    >>> lists = [["apple", "pear"], ["pear", "apple", "plum"], ["fig", "plum"], ["plum", "fig", "apple"]]
    >>> model.fit(lists, ["sweet", "sweet", "tart", "tart"]).predict([["fig", "quince", "plum"]])
    array(['tart'], dtype='<U5')
    """

    sparse: bool = False
    unknown: Literal["error", "ignore"] = "error"
    _: KW_ONLY
    items: Iterable[object] | None = None
    gaps: Gaps = "error"

    def fit(self, X: Iterable[object], y: object = None) -> Self:
        """Learn the items of ranked lists.

        `transform` returns one column for each item. The columns are in the order in which the items first appear in
        the lists. If the parameter `items` of `ListEncoder` is given, the columns are in the order of `items` instead.

        The lists have the same form as for `from_lists`. Instead of lists, you can pass to `fit` the names of all items
        (strings or numbers), in the order that the columns will have.
        """
        check_same_rows(X, y)
        self._learn(X)
        return self

    def _learn(self, X: Any) -> list[dict[int, int]] | None:
        """Learn the items; return the ranks of the lists, or None if there are only names."""
        self._check_parameters()
        X = X if _is_table(X) else _whole(X)
        rows = None
        if _are_names(X):
            columns = columns_of(X)
            if self.items is not None:
                raise bad_argument("items", " is given, so X must be ranked lists: leave items out to fit on names")
        else:
            columns = {} if self.items is None else columns_of(self.items)
            rows = self._rows(X, columns, "new" if self.items is None else self.unknown)
        check_places(self, X, reset=True)
        self.items_ = list(columns)
        self._columns = (self.items_, columns)
        return rows

    def transform(self, X: Iterable[Iterable[object]]) -> Any:
        """Return an array of shape (m, n): the rank, from 1, of each item of `items_` in each list.

        If an item is not in a list, its entry is NaN; a sparse array has no entry for the item.
        """
        check_is_fitted(self)
        self._check_parameters()
        check_places(self, X, reset=False)
        columns = self._columns_of_items()
        return as_ranks(self._rows(X, columns, self.unknown), len(columns), bool(self.sparse))

    def _columns_of_items(self) -> dict[object, int]:
        """Return a dictionary from items to columns. The dictionary is stored, because `items_` can be long."""
        known: tuple[list[Any], dict[object, int]] | None = getattr(self, "_columns", None)
        if known is None or known[0] is not self.items_ or len(known[1]) != len(self.items_):
            known = self._columns = (self.items_, {item: column for column, item in enumerate(self.items_)})
        return known[1]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a pickle, without the dictionary of columns, which can be made from `items_`."""
        return {name: value for name, value in super().__getstate__().items() if name != "_columns"}

    def fit_transform(self, X: Iterable[Iterable[object]], y: object = None) -> Any:
        """Learn the items of ranked lists, and convert the lists to ranks."""
        check_same_rows(X, y)
        rows = self._learn(X)
        if rows is None:
            raise TypeError("X holds names, but must hold ranked lists: only fit takes names")
        return as_ranks(rows, len(self.items_), bool(self.sparse))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the columns, which are the items as text.

        If two items have the same text, such as the number 1 and the string "1", all names are written as in Python
        code. The number is then called `1`, and the string `'1'`.
        """
        check_is_fitted(self)
        names = [str(item) for item in self.items_]
        if len(set(names)) < len(names):
            names = [repr(item) for item in self.items_]
        return np.array(names, dtype=object)

    def _rows(self, X: object, columns: dict[object, int], unknown: Unknown) -> list[dict[int, int]]:
        """Return, for each list, a dictionary from the columns of its items to their ranks."""
        try:
            return ranked_rows(X, columns, unknown, self.gaps)
        except RankingError as error:
            if error.kind != "out of range":
                raise
            raise remade(error, parts_of(error)._replace(advice=("unknown",))) from None

    def _check_parameters(self) -> None:
        check_flag(self.sparse, "sparse")
        check_choice(self.unknown, "unknown", ("error", "ignore"))
        check_choice(self.gaps, "gaps", GAPS)
        if isinstance(self.items, Iterator):
            kind = type(self.items).__name__
            raise TypeError(f"items is a {kind}, which can be read only once, but every fit reads it: pass a list")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.no_validation = True
        return tags


def _is_table(X: object) -> bool:
    """Return whether `X` is a data frame."""
    columns = getattr(X, "columns", None)
    return columns is not None and not callable(columns)


def _whole(values: Any) -> Any:
    """If `values` is an iterator, which yields its elements only once, return a list, otherwise `values`."""
    return list(values) if hasattr(values, "__next__") else values


def _are_names(X: Any) -> bool:
    """Return whether `X` contains names, not ranked lists. A name is a string, or it is not iterable."""
    if _is_table(X) or isinstance(X, str | bytes | dict | set | frozenset) or not hasattr(X, "__iter__"):
        return False
    first = next(iter(X), ())
    return isinstance(first, str | bytes) or (first is not None and not hasattr(first, "__iter__"))
