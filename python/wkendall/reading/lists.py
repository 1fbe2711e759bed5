"""Make rankings from ranked lists of names.

Tied items share the best of their ranks (1, 2, 2, 4). None, NaN and blank texts at the end of a list are padding, like
blank cells at the end of a row of a CSV file. A None, NaN or blank text at another place is an error, and the error
says where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._arguments import check_choice, plain_name, row_labels
from wkendall._errors import Parts, RankingError, made, shown
from wkendall._memory import check_fits
from wkendall.arrays.options import Reading
from wkendall.arrays.sparse import SparseRows, sparse_array
from wkendall.rankings import Rankings
from wkendall.reading.contents import Contents

#: What to do with items that have no column.
Unknown = Literal["new", "error", "ignore"]
#: What to do with a blank before an item of a list.
Gaps = Literal["error", "close"]
GAPS = get_args(Gaps)


def from_lists(
    lists: Iterable[Iterable[object]] | Mapping[Any, Iterable[object]],
    items: Iterable[object] | None = None,
    *,
    gaps: Gaps = "error",
) -> Rankings:
    """Make a `Rankings` from ranked lists of any items. The lists may have different lengths and different items.

    The items that a list leaves out are tied with each other, below all items of the list. Items in a set inside a list
    are tied. The rankings are stored as lists, so that time and memory depend on the lengths of the lists. If every
    list has all items, the lists are stored as rankings of all items instead.

    Pass `items` whenever you compare a second set of lists with a first set. For example, if a model was fitted to
    `votes`, read the lists of new people by `from_lists(new, items=votes.items)`. Without `items`, the items are taken
    from the lists, in the order in which they first appear. So the results of two calls usually have different items,
    or the same items in another order. In a pipeline of scikit-learn, use `ListEncoder`, which stores the items.

    To compare lists, use a kernel with `signed=True, normalize=True`. As an example, take two top-10 lists out of 1,000
    items, without a common item. With `normalize=True`, kernels with the following parameters give these similarities
    of the two lists:

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

    Without `signed=True`, the standard and the average kernel give nearly all pairs of lists a high similarity. The
    reason is the items that are in neither list. These items are tied in both lists, and without `signed=True` these
    two kernels count such ties as partial agreement. The similarities depend on the number of items, and therefore on
    `items`.

    Parameters
    ----------
    lists : iterable of iterables, or dict
        Ranked lists, with the best item first. The keys of a dict are the names of the lists. Items are any hashable
        objects, such as strings, numbers or tuples. A set, frozenset or list inside a list is a group of tied items. A
        list may be empty. None, NaN and blank strings are not items. They are allowed at the end of a list; for other
        places, see `gaps`. In a data frame of pandas or polars, each row is a list.
    items : iterable, optional
        All items, in the order that the result has as its attribute `items`. Without `items`, the items are taken from
        the lists, in the order in which they first appear. Items that first appear in the same set are sorted.
    gaps : {"error", "close"}
        How to treat a blank (None, NaN or a blank string) before an item. "error": raise an error. "close": leave out
        the blank, so that later items move up. For example, a second choice without a first choice then becomes the
        first choice.

    Returns
    -------
    Rankings
        The rankings, with the names of the items. The labels of the rows are the keys of a dict, or the index of a data
        frame or series.

    Examples
    --------
    >>> import wkendall
    >>> votes = wkendall.from_lists([["apple", "pear", "plum"], ["plum", "fig"], [{"fig", "pear"}]])
    >>> votes
    Rankings: 3 lists of 4 items, 1 with ties, 3 with missing items
      apple > pear > plum
      plum > fig
      fig = pear
    >>> votes.items
    ['apple', 'pear', 'plum', 'fig']
    >>> wkendall.gram_matrix(votes, kernel=wkendall.Kendall(signed=True, normalize=True)).round(2)
    array([[ 1.  , -0.55, -0.41],
           [-0.55,  1.  , -0.22],
           [-0.41, -0.22,  1.  ]])
    >>> wkendall.from_lists([["fig", "apple", None], ["pear", "", ""]], items=votes.items).to_lists()
    [['fig', 'apple'], ['pear']]
    >>> wkendall.from_lists([["fig", None, "apple"], ["", "pear", ""]], items=votes.items, gaps="close").to_lists()
    [['fig', 'apple'], ['pear']]

    Lists with names:

    >>> wkendall.from_lists({"one engine": ["kendall", "mallows"], "another": ["mallows", "borda"]})
    Rankings: 2 lists of 3 items, 2 with missing items
      one engine: kendall > mallows
      another: mallows > borda
    """
    check_choice(gaps, "gaps", GAPS)
    columns = {} if items is None else columns_of(items)
    if isinstance(lists, np.ndarray) and lists.ndim == 2 and lists.dtype.kind in "iu" and lists.size:
        numbered = _numbered(lists, columns, given=items is not None)
        if numbered is not None:
            return numbered
        lists = lists.tolist()  # numbers of Python, for messages and names
    labels = row_labels(lists)
    if isinstance(lists, Mapping):
        labels, lists = [plain_name(name) for name in lists], list(lists.values())
    rows = ranked_rows(lists, columns, unknown="new" if items is None else "error", gaps=gaps)
    found = Contents("lists", as_lists(rows, len(columns)), tuple(columns), labels)
    return found.rankings(Reading(ties="mean", missing="bottom"))


def _numbered(lists: NDArray[Any], columns: dict[object, int], *, given: bool) -> Rankings | None:
    """Return the rankings of an array of whole numbers, or None if the numbers are not in a narrow range.

    Without `items`, the columns are in the order in which the items first appear.
    """
    names = np.array(list(columns)) if given else lists
    if names.dtype.kind not in "iu" or names.ndim not in (1, 2):
        return None
    least, largest = min(int(lists.min()), int(names.min())), max(int(lists.max()), int(names.max()))
    if largest - least > 4 * (lists.size + names.size) + 1000 or not -(2**62) < least <= largest < 2**62:
        return None
    flat = lists.ravel().astype(np.int64, copy=False) - least
    places = np.full(largest - least + 1, -1, dtype=np.int64)
    if given:
        places[names.astype(np.int64) - least] = np.arange(len(names))
    else:
        # The first place of each number, because the last number that is assigned stays.
        places[flat[::-1]] = np.arange(flat.size - 1, -1, -1)
        found = np.flatnonzero(places >= 0)
        found = found[np.argsort(places[found])]
        places[found] = np.arange(len(found))
        columns.update(zip((found + least).tolist(), range(len(found)), strict=True))
    (rows, length), listed = lists.shape, places[flat]
    wrong = int(np.argmax(listed < 0)) // length if given and listed.min() < 0 else rows
    ranks = np.tile(np.arange(1, length + 1), wrong)
    parts = SparseRows(np.arange(wrong + 1) * length, listed[: wrong * length], ranks, (wrong, len(columns)))
    try:
        core = _core.Rankings.lists(parts.bounds, parts.columns, parts.values, len(columns), False, False)
    except RankingError as error:  # an item is listed twice
        wrong = cast("int", error.row)
    if wrong < rows:
        _row(wrong, lists[wrong].tolist(), columns, "error")  # raises the error
    reading = Reading(ties="mean", missing="bottom")
    if length == len(columns):
        return Contents("lists", parts, tuple(columns)).rankings(reading)
    return Rankings._made(core, "bottom", listed=np.full(rows, length), items=tuple(columns), reading=reading)


def columns_of(items: object) -> dict[object, int]:
    """Return the column of each item. `items` has the items in the order of the columns."""
    if isinstance(items, range):
        return dict(zip(items, range(len(items)), strict=True))
    columns: dict[object, int] = {}
    for place, item in enumerate(_sequence(items, "items", "a list of items")):
        item, where = plain_name(item), _Place(None, place)
        _check_item(item, where)
        if columns.setdefault(item, place) != place:
            message = f"items holds {shown(item)} twice, in places {columns[item]} and {place}"
            raise where.error(message, item, "duplicate")
    return columns


def ranked_rows(
    lists: object, columns: dict[object, int], unknown: Unknown, gaps: Gaps = "error"
) -> list[dict[int, int]]:
    """Return, for every list, the ranks of its items by column.

    An item without a column gets a new column ("new"), raises an error ("error") or is dropped ("ignore").
    """
    given = _sequence(_table_rows(lists), "lists", "a list of ranked lists, such as [['a', 'b'], ['b']]")
    return [_row(number, ranked, columns, unknown, gaps) for number, ranked in enumerate(given)]


def as_ranks(rows: list[dict[int, int]], columns: int, sparse: bool) -> Any:
    """Return the array with these rows."""
    if sparse:
        return sparse_array(as_lists(rows, columns))
    advice = "pass sparse=True, leave out items that few lists have, or take fewer lists at a time"
    check_fits(len(rows), columns, np.dtype(np.float64), advice)
    X = np.full((len(rows), columns), np.nan)
    for number, row in enumerate(rows):
        X[number, list(row)] = list(row.values())
    return X


def as_lists(rows: Sequence[Mapping[int, float]], columns: int) -> SparseRows:
    """Return, for each row, the listed items and their ranks, as sparse rows. Items with NaN are not listed."""
    entries = [sorted((column, number) for column, number in row.items() if number == number) for row in rows]
    bounds = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    listed = np.fromiter((column for row in entries for column, _ in row), np.int64, int(bounds[-1]))
    numbers = np.fromiter((number for row in entries for _, number in row), np.float64, int(bounds[-1]))
    return SparseRows(bounds, listed, numbers, (len(rows), columns))


def _table_rows(lists: Any) -> object:
    """Return the rows of a data frame. A loop over a data frame itself gives its columns."""
    if getattr(lists, "columns", None) is None or callable(lists.columns):
        return lists
    if callable(getattr(lists, "itertuples", None)):  # pandas
        return _cells(lists.itertuples(index=False, name=None))
    return _cells(lists.rows()) if callable(getattr(lists, "rows", None)) else lists  # polars


def _cells(rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    """Raise an error for lists in the cells of a data frame. Such lists would become groups of tied items."""
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


def _row(
    number: int, ranked: object, columns: dict[object, int], unknown: Unknown, gaps: Gaps = "error"
) -> dict[int, int]:
    """Return the ranks of the items of one list, by column."""
    ranks: dict[int, int] = {}
    places: dict[object, int] = {}
    elements = list(_sequence(ranked, f"list {number}", "a list of items, best first"))
    while elements and _is_padding(elements[-1]):
        elements.pop()
    for place, element in enumerate(elements):
        if gaps == "close" and _is_padding(element):
            continue
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


def _is_padding(element: object) -> bool:
    """Return whether a value is None, NaN, the NA of pandas, or a blank text."""
    if isinstance(element, str | bytes):
        return not element or element.isspace()
    if element is None or type(element).__name__ == "NAType":
        return True
    if isinstance(element, int | tuple | list | set | frozenset):  # the usual cases
        return False
    unequal = element != element
    return isinstance(unequal, bool | np.bool_) and bool(unequal)


def _group(element: object, where: _Place) -> list[object]:
    """Return the items of an element of a list. Their order is the same in every run of the program."""
    if type(element) is int or (type(element) is str and element and not element.isspace()):  # the usual cases
        return [element]
    if not isinstance(element, list | set | frozenset):
        if _is_padding(element):
            reason = f"{where} holds {shown(element)}, but an item follows: padding must be at the end of a list"
            how: dict[str, Any] = {"row": where.row, "column": where.column, "value": element, "kind": "nan"}
            raise made(RankingError, Parts(reason, advice=("gaps",)), argument="lists", **how)
        _check_item(element, where)
        return [plain_name(element)]
    if not element:
        raise where.error(f"{where} holds {shown(element)}, but a group of tied items must have items", element)
    for item in element:
        _check_item(item, where)
    items: list[Any] = [plain_name(item) for item in element]
    if isinstance(element, list):
        return items
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=repr)


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
    try:
        if not isinstance(values, str | bytes | Mapping | set | frozenset):
            return iter(cast("Iterable[object]", values))
    except TypeError:
        pass
    raise TypeError(f"{name} must be {meaning}, not {shown(values)} of type {type(values).__name__}")
