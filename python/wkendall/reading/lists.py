"""From ranked lists of names to arrays of ranks.

Items that a list leaves out become NaN; tied items share the best of their ranks (1, 2, 2, 4). What does not fit is an error that
says where it stands: nothing is left out or mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np

from wkendall._arguments import check_flag
from wkendall._errors import RankingError
from wkendall._memory import check_fits
from wkendall._text import shown
from wkendall.reading.sparse import SparseRows, sparse_array


class RankedLists(NamedTuple):
    """Rankings and the names of their columns; see `from_lists` and `read_csv`."""

    X: Any
    items: list[Any]


def from_lists(
    lists: Iterable[Iterable[object]], items: Iterable[object] | None = None, *, sparse: bool = False
) -> RankedLists:
    """Ranks from ranked lists of any items, which may have different lengths and different items.

    Parameters
    ----------
    lists : iterable of iterables
        Ranked lists, best first. Items are whatever is hashable: strings, numbers, tuples. A set, frozenset or list inside a
        list is a group of tied items. A list may be empty.
    items : iterable, optional
        All items, in the order of the columns. If absent, those of the lists in the order in which they first appear, tied
        items in a set being sorted.
    sparse : bool
        Make a sparse array, for short lists out of many items. All that takes `missing="bottom"` takes it too, in time and
        memory that depend on the lengths of the lists.

    Returns
    -------
    X : ndarray of shape (m, n), or scipy.sparse.csr_array
        `X[p, i]` is the rank, from 1, that list p gives to item i; NaN if the list does not have it, or nothing in a sparse
        array. Tied items share the best of their ranks: 1, 2, 2, 4.
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

    `wkendall.gram_matrix(X, missing="bottom", signed=True, normalize=True)` compares these lists; what a list leaves out is then
    below all that it has. Lists with ties need `ties="mean"` as well.

    >>> from_lists([["plum", {"apple", "pear"}, "fig"]], items=["apple", "fig", "pear", "plum"]).X
    array([[2., 4., 2., 1.]])

    >>> X, items = from_lists([["apple", "pear", "plum"], ["plum", "fig"]], sparse=True)
    >>> X.shape, X.nnz
    ((2, 4), 5)
    """
    check_flag(sparse, "sparse")
    columns: dict[object, int] = {}
    for place, item in enumerate([] if items is None else _sequence(items, "items", "a list of items")):
        where = _Place(None, place)
        _check_item(item, where)
        if columns.setdefault(item, place) != place:
            message = f"items holds {shown(item)} twice, in places {columns[item]} and {place}"
            raise where.error(message, item, "duplicate")
    given = _sequence(lists, "lists", "a list of ranked lists, such as [['a', 'b'], ['b']]")
    rows = [_row(number, ranked, columns, new=items is None) for number, ranked in enumerate(given)]
    if sparse:
        return RankedLists(_sparse(rows, len(columns)), list(columns))
    advice = "pass sparse=True, leave out items that few lists have, or take fewer lists at a time"
    check_fits(len(rows), len(columns), np.dtype(np.float64), advice)
    X = np.full((len(rows), len(columns)), np.nan)
    for number, row in enumerate(rows):
        X[number, list(row)] = list(row.values())
    return RankedLists(X, list(columns))


class _Place(NamedTuple):
    """A place in a list, or in the list of items if there is no row."""

    row: int | None
    column: int

    def __str__(self) -> str:
        return f"{'items' if self.row is None else f'list {self.row}'}, place {self.column}"

    def error(self, message: str, value: object, kind: str | None = None) -> RankingError:
        """Make an error about what is there."""
        argument = "items" if self.row is None else "lists"
        return RankingError(message, argument=argument, row=self.row, column=self.column, value=value, kind=kind)


def _sparse(rows: list[dict[int, int]], columns: int) -> Any:
    bounds = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    listed = np.fromiter(chain.from_iterable(rows), np.int64, int(bounds[-1]))
    ranks = np.fromiter(chain.from_iterable(row.values() for row in rows), np.float64, int(bounds[-1]))
    found = sparse_array(SparseRows(bounds, listed, ranks, (len(rows), columns)))
    found.sort_indices()
    return found


def _row(number: int, ranked: object, columns: dict[object, int], new: bool) -> dict[int, int]:
    """Return the rank of each column of a list, adding columns for items that have none if they may be `new`."""
    ranks: dict[int, int] = {}
    places: dict[object, int] = {}
    for place, element in enumerate(_sequence(ranked, f"list {number}", "a list of items, best first")):
        where = _Place(number, place)
        group, rank = _group(element, where), len(ranks) + 1
        for item in group:
            if item in places:
                both = f"both in place {place}" if places[item] == place else f"in places {places[item]} and {place}"
                message = f"list {number} holds {shown(item)} twice, {both}: an item has one rank"
                raise where.error(message, item, "duplicate")
            if item not in columns and not new:
                message = f"{where} holds {shown(item)}, which is not one of the {len(columns)} items given"
                raise where.error(message, item, "out of range")
            places[item] = place
            ranks[columns.setdefault(item, len(columns))] = rank
    return ranks


def _group(element: object, where: _Place) -> list[object]:
    """Return the items that an element of a list stands for, in an order that is the same in every run."""
    if not isinstance(element, list | set | frozenset):
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
    unequal = item is None or type(item).__name__ == "NAType" or item != item
    if isinstance(unequal, bool | np.bool_) and unequal:
        message = f"{where} holds {shown(item)}, which is no item: leave out what is not ranked"
        raise where.error(message, item, "nan")


def _sequence(values: object, name: str, meaning: str) -> Iterator[object]:
    """Refuse what has no order or nothing in it that could be ordered."""
    try:
        if not isinstance(values, str | bytes | Mapping | set | frozenset):
            return iter(cast("Iterable[object]", values))
    except TypeError:
        pass
    raise TypeError(f"{name} must be {meaning}, not {shown(values)} of type {type(values).__name__}")
