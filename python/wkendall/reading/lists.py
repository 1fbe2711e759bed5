"""From ranked lists of names to arrays of ranks.

Items that a list leaves out become NaN. Tied items share the best of their ranks (1, 2, 2, 4). None, NaN and blank texts
at the end of a list are padding, as blank cells at the end of a row of a CSV file are. Anything else is an error that
names its position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from wkendall._arguments import check_flag
from wkendall._errors import RankingError
from wkendall._memory import check_fits
from wkendall._text import shown
from wkendall.reading.sparse import SparseRows, sparse_array

#: Advice for an array that is too large.
_ADVICE = "pass sparse=True, leave out items that few lists have, or take fewer lists at a time"
#: Arrays of fewer entries than this are dense, unless something else is asked for: half a megabyte.
_SMALL = 1 << 16
#: Lists that fill more than this share of an array are stored in a dense one, which then is not much larger.
_FULL = 0.25
#: What to do with items that have no column.
Unknown = Literal["new", "error", "ignore"]


class RankedLists(NamedTuple):
    """Rankings and the names of their items; see `from_lists` and `read_csv`."""

    X: Any
    items: list[Any]


def from_lists(
    lists: Iterable[Iterable[object]], items: Iterable[object] | None = None, *, sparse: bool | None = None
) -> RankedLists:
    """Ranks from ranked lists of any items. The lists may have different lengths and different items.

    Without `items`, columns are in the order in which items first appear, so two calls with different lists have
    different columns. **Pass `items=` whenever a second set of lists is compared with the first**, for example new
    people with a fitted model: `from_lists(new, items=items)`. In scikit-learn, `ListEncoder` stores the items.

    Compare lists with `signed=True, normalize=True`. Two top-10 lists without a common item, out of 1,000 items, have
    these similarities (`missing="bottom", normalize=True`):

    ====================================  ==========
    kernel                                similarity
    ====================================  ==========
    standard                                    0.98
    average                                     0.96
    mult, u="log"                               0.65
    mult, u="hyperbolic"                       0.003
    standard, signed=True                      -0.01
    top, k=10                                      0
    ====================================  ==========

    The items that are in neither list are tied in both lists. The unsigned kernels therefore give nearly all pairs of
    lists a high similarity. The values depend on the number of items, and therefore on `items`.

    Parameters
    ----------
    lists : iterable of iterables
        Ranked lists, best first. Items are any hashable objects: strings, numbers, tuples. A set, frozenset or list
        inside a list is a group of tied items. A list may be empty. None, NaN and empty or blank strings are padding:
        they are allowed only at the end of a list. In a data frame of pandas or polars, each row is a list.
    items : iterable, optional
        All items, in the order of the columns. If absent, the items of the lists in the order in which they first
        appear; tied items in a set are sorted.
    sparse : bool, optional
        Whether to return a sparse array, for short lists out of many items. Every function with `missing="bottom"`
        accepts it. Time and memory then depend on the lengths of the lists. By default the array is sparse if a dense
        one would have at least 65,536 entries, of which the lists fill at most a quarter.

    Returns
    -------
    X : ndarray of shape (m, n), or scipy.sparse.csr_array
        `X[p, i]` is the rank, from 1, that list p gives to item i. If the list does not contain the item, the entry is
        NaN; in a sparse array it is not stored. Tied items share the best of their ranks: 1, 2, 2, 4.
    items : list of n items

    Examples
    --------
    >>> from wkendall import from_lists
    >>> X, items = from_lists([["apple", "pear", "plum"], ["plum", "fig"]])
    >>> items
    ['apple', 'pear', 'plum', 'fig']
    >>> X
    array([[ 1.,  2.,  3., nan],
           [nan, nan,  1.,  2.]])

    `wkendall.gram_matrix(X, missing="bottom", signed=True, normalize=True)` compares these lists. Items that a list
    leaves out are then below all items of the list. Lists with ties also need `ties="mean"`.

    >>> from_lists([["fig", "apple", None], ["pear", "", ""]], items=items).X
    array([[ 2., nan, nan,  1.],
           [nan,  1., nan, nan]])

    >>> from_lists([["plum", {"apple", "pear"}, "fig"]], items=["apple", "fig", "pear", "plum"]).X
    array([[2., 4., 2., 1.]])

    >>> X, items = from_lists([["apple", "pear", "plum"], ["plum", "fig"]], sparse=True)
    >>> X.shape, X.nnz
    ((2, 4), 5)
    """
    if sparse is not None:
        check_flag(sparse, "sparse")
    columns = {} if items is None else columns_of(items)
    rows = ranked_rows(lists, columns, unknown="new" if items is None else "error")
    return RankedLists(as_ranks(rows, len(columns), sparse), list(columns))


def columns_of(items: object) -> dict[object, int]:
    """Return the column of each item; `items` is in the order of the columns."""
    columns: dict[object, int] = {}
    for place, item in enumerate(_sequence(items, "items", "a list of items")):
        where = _Place(None, place)
        _check_item(item, where)
        if columns.setdefault(item, place) != place:
            message = f"items holds {shown(item)} twice, in places {columns[item]} and {place}"
            raise where.error(message, item, "duplicate")
    return columns


def ranked_rows(lists: object, columns: dict[object, int], unknown: Unknown) -> list[dict[int, int]]:
    """Return, for every list, the ranks of its items by column.

    Items without a column get a new one ("new"), are refused ("error") or dropped ("ignore").
    """
    given = _sequence(_table_rows(lists), "lists", "a list of ranked lists, such as [['a', 'b'], ['b']]")
    return [_row(number, ranked, columns, unknown) for number, ranked in enumerate(given)]


def as_ranks(rows: list[dict[int, int]], columns: int, sparse: bool | None, advice: str = _ADVICE) -> Any:
    """Return the array with these rows; if `sparse` is None, in the form that suits them."""
    if short_lists(len(rows), columns, sum(map(len, rows))) if sparse is None else sparse:
        return _sparse(rows, columns)
    check_fits(len(rows), columns, np.dtype(np.float64), advice)
    X = np.full((len(rows), columns), np.nan)
    for number, row in enumerate(rows):
        X[number, list(row)] = list(row.values())
    return X


def short_lists(rows: int, columns: int, entries: int) -> bool:
    """Return whether lists with so many entries in all are short enough for a sparse array."""
    return rows * columns >= _SMALL and entries <= _FULL * rows * columns


def _table_rows(lists: Any) -> object:
    """Return the rows of a data frame; iterating over a data frame itself yields its columns."""
    if getattr(lists, "columns", None) is None or callable(lists.columns):
        return lists
    if callable(getattr(lists, "itertuples", None)):  # pandas
        return _cells(lists.itertuples(index=False, name=None))
    return _cells(lists.rows()) if callable(getattr(lists, "rows", None)) else lists  # polars


def _cells(rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    """Refuse lists in the cells of a data frame, which would become groups of tied items."""
    for number, row in enumerate(rows):
        for place, cell in enumerate(row):
            if isinstance(cell, list | np.ndarray):
                rule = "cells of a data frame must be items: pass the column with the lists by itself"
                raise TypeError(f"{_Place(number, place)} holds {shown(cell)}, but {rule}")
        yield row


class _Place(NamedTuple):
    """A position in a list, or in the list of items if there is no row."""

    row: int | None
    column: int

    def __str__(self) -> str:
        return f"{'items' if self.row is None else f'list {self.row}'}, place {self.column}"

    def error(self, message: str, value: object, kind: str | None = None) -> RankingError:
        """Make an error about the value at this position."""
        argument = "items" if self.row is None else "lists"
        return RankingError(message, argument=argument, row=self.row, column=self.column, value=value, kind=kind)


def _sparse(rows: list[dict[int, int]], columns: int) -> Any:
    bounds = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    listed = np.fromiter(chain.from_iterable(rows), np.int64, int(bounds[-1]))
    ranks = np.fromiter(chain.from_iterable(row.values() for row in rows), np.float64, int(bounds[-1]))
    found = sparse_array(SparseRows(bounds, listed, ranks, (len(rows), columns)))
    found.sort_indices()
    return found


def _row(number: int, ranked: object, columns: dict[object, int], unknown: Unknown) -> dict[int, int]:
    """Return the ranks of the items of one list, by column."""
    ranks: dict[int, int] = {}
    places: dict[object, int] = {}
    for place, element in enumerate(_unpadded(number, ranked)):
        where = _Place(number, place)
        group, rank = _group(element, where), len(ranks) + 1
        for item in group:
            if item in places:
                both = f"both in place {place}" if places[item] == place else f"in places {places[item]} and {place}"
                message = f"list {number} holds {shown(item)} twice, {both}: an item has one rank"
                raise where.error(message, item, "duplicate")
            places[item] = place
            if item not in columns:
                if unknown == "ignore":
                    continue
                if unknown == "error":
                    message = f"{where} holds {shown(item)}, which is not one of the {len(columns)} items given"
                    raise where.error(message, item, "out of range")
            ranks[columns.setdefault(item, len(columns))] = rank
    return ranks


def _unpadded(number: int, ranked: object) -> list[object]:
    """Return the elements of a list without the padding at its end."""
    elements = list(_sequence(ranked, f"list {number}", "a list of items, best first"))
    while elements and _is_padding(elements[-1]):
        elements.pop()
    return elements


def _is_padding(element: object) -> bool:
    """Return whether this is None, NaN, the NA of pandas, or a text without a letter."""
    if isinstance(element, str | bytes):
        return not element or element.isspace()
    if element is None or type(element).__name__ == "NAType":
        return True
    if isinstance(element, int | tuple | list | set | frozenset):  # the usual cases
        return False
    unequal = element != element
    return isinstance(unequal, bool | np.bool_) and bool(unequal)


def _group(element: object, where: _Place) -> list[object]:
    """Return the items of an element of a list, in an order that is the same in every run."""
    if type(element) is int or (type(element) is str and element and not element.isspace()):  # the usual cases
        return [element]
    if not isinstance(element, list | set | frozenset):
        if _is_padding(element):
            message = f"{where} holds {shown(element)}, but an item follows: padding must be at the end of a list"
            raise where.error(message, element, "nan")
        _check_item(element, where)
        return [element]
    if not element:
        raise where.error(f"{where} holds {shown(element)}, but a group of tied items must have items", element)
    for item in element:
        _check_item(item, where)
    if isinstance(element, list):
        return element
    try:
        return sorted(cast("set[Any]", element))
    except TypeError:
        return sorted(element, key=repr)


def _check_item(item: object, where: _Place) -> None:
    if isinstance(item, list | set | frozenset):
        raise TypeError(f"{where} holds {shown(item)} where an item must be: lists and sets are groups of tied items")
    try:
        hash(item)
    except TypeError:
        what = f"{shown(item)} of type {type(item).__name__}"
        raise TypeError(f"{where} holds {what}, but items must be hashable: strings, numbers or tuples") from None
    if _is_padding(item):
        message = f"{where} holds {shown(item)}, which is not an item: leave out items that are not ranked"
        raise where.error(message, item, "nan")


def _sequence(values: object, name: str, meaning: str) -> Iterator[object]:
    """Refuse values that are not an ordered sequence."""
    try:
        if not isinstance(values, str | bytes | Mapping | set | frozenset):
            return iter(cast("Iterable[object]", values))
    except TypeError:
        pass
    raise TypeError(f"{name} must be {meaning}, not {shown(values)} of type {type(values).__name__}")
