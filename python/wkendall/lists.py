"""From ranked lists of names, PrefLib files and CSV files to arrays of ranks.

Items that a list leaves out become NaN; tied items share the best of their ranks (1, 2, 2, 4). What does not fit is an error that
says where it stands: nothing is left out or mended.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from wkendall._memory import check_fits

#: What the endings of PrefLib files say of their orders: whether they may have ties, and whether they must be complete.
KINDS = {".soc": (False, True), ".soi": (False, False), ".toc": (True, True), ".toi": (True, False)}
#: Cells of a CSV file that stand for a missing number.
MISSING = ("", "NA", "NaN", "nan")
DELIMITERS = (",", ";", "\t")
#: So many rows of a CSV file are looked at to find its delimiter.
SAMPLE = 100

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE)
#: Any 18 digits fit in 64 bits.
_WHOLE = re.compile(r"[0-9]{1,18}")
#: A place of an order: an alternative, or several in braces, up to a comma or the end.
_PLACE = re.compile(r"\s*(?:\{(?P<tied>[^{}]*)\}|(?P<single>[^{},]*))\s*(?P<comma>,|$)")
_NAME = "ALTERNATIVE NAME"


class RankedLists(NamedTuple):
    """Rankings and the names of their columns; see `from_lists` and `read_csv`."""

    X: NDArray[np.float64]
    items: list[Any]


class Table(NamedTuple):
    """What is in a CSV file; see `read_table`."""

    X: NDArray[np.float64]
    items: list[str]
    #: Whether the file has the names of the items.
    named: bool
    #: The cells of each column that was set apart.
    apart: dict[str, list[str]]
    #: The line where each row begins.
    lines: list[int]


class Preferences(NamedTuple):
    """Rankings, the names of their columns and how often each occurs; see `read_preflib`."""

    X: NDArray[np.float64]
    items: list[str]
    counts: NDArray[np.int64]


def from_lists(lists: Iterable[Iterable[object]], items: Iterable[object] | None = None) -> RankedLists:
    """Ranks from ranked lists of any items, which may have different lengths and different items.

    Parameters
    ----------
    lists : iterable of iterables
        Ranked lists, best first. Items are whatever is hashable: strings, numbers, tuples. A set, frozenset or list inside a
        list is a group of tied items. A list may be empty.
    items : iterable, optional
        All items, in the order of the columns. If absent, those of the lists in the order in which they first appear, tied
        items in a set being sorted.

    Returns
    -------
    X : ndarray of shape (m, n)
        `X[p, i]` is the rank, from 1, that list p gives to item i; NaN if the list does not have it. Tied items share the best
        of their ranks: 1, 2, 2, 4.
    items : list of n items

    Examples
    --------
    >>> from wkendall.lists import from_lists
    >>> X, items = from_lists([["apple", "pear", "plum"], ["plum", "fig"]])
    >>> items
    ['apple', 'pear', 'plum', 'fig']
    >>> X
    array([[ 1.,  2.,  3., nan],
           [nan, nan,  1.,  2.]])

    How alike these lists are, if what a list leaves out is below all that it has, says
    `wkendall.gram_matrix(X, missing="bottom", normalize=True)`. Lists with ties need `ties="mean"` as well.

    >>> from_lists([["plum", {"apple", "pear"}, "fig"]], items=["apple", "fig", "pear", "plum"]).X
    array([[2., 4., 2., 1.]])
    """
    columns: dict[object, int] = {}
    for place, item in enumerate([] if items is None else _sequence(items, "items", "a list of items")):
        _check_item(item, f"items, place {place}")
        if columns.setdefault(item, place) != place:
            raise ValueError(f"items holds {_shown(item)} twice, in places {columns[item]} and {place}")
    given = _sequence(lists, "lists", "a list of ranked lists, such as [['a', 'b'], ['b']]")
    rows = [_row(number, ranked, columns, new=items is None) for number, ranked in enumerate(given)]
    advice = "leave out items that few lists have, or take fewer lists at a time"
    check_fits(len(rows), len(columns), np.dtype(np.float64), advice)
    X = np.full((len(rows), len(columns)), np.nan)
    for number, row in enumerate(rows):
        X[number, list(row)] = list(row.values())
    return RankedLists(X, list(columns))


def read_preflib(path: str | os.PathLike[str]) -> Preferences:
    """Read a file of orders from the PrefLib library (https://preflib.org).

    Both formats are understood: the current one, with header lines `# KEY: value`, and the one before it, which begins with
    the number of alternatives. The numbers in the header must agree with the orders, and the orders with the kind of file.

    Parameters
    ----------
    path : path
        A file in UTF-8 whose name ends in .soc or .soi (strict orders, complete or not) or .toc or .toi (orders with ties).

    Returns
    -------
    X : ndarray of shape (m, n)
        `X[p, i]` is the rank, from 1, that order p gives to item i; NaN if the order does not have it. Tied items share the
        best of their ranks: 1, 2, 2, 4.
    items : list of n names
        In the order of the numbers of the alternatives.
    counts : ndarray of m integers
        How many voters gave each order. `X.repeat(counts, axis=0)` has a row for each voter.
    """
    kind = _as_path(path).suffix.lower()
    if kind not in KINDS:
        _File(Path(path).name, "").fail(1, f"the name of the file must end in one of {', '.join(KINDS)}")
    file = _opened(path)
    lines = [(number, line.strip()) for number, line in enumerate(_lines(file.text), 1) if line.strip()]
    if not lines:
        file.fail(1, "the file is empty")
    items, totals, orders = (_current_format if lines[0][1][0] == "#" else _old_format)(file, kind, lines)
    check_fits(len(orders), len(items), np.dtype(np.float64), "split the file")
    X = np.full((len(orders), len(items)), np.nan)
    counts = np.zeros(len(orders), dtype=np.int64)
    first: dict[bytes, int] = {}
    for row, (line, count, order) in enumerate(orders):
        counts[row] = file.whole(line, count, "the count")
        for alternative, rank in _order(file, kind, line, order, len(items)).items():
            X[row, alternative - 1] = rank
        before = first.setdefault(X[row].tobytes(), line)
        if before != line:
            file.fail(line, f"the order is that of line {before}: each must be there once, with all its voters")
    for line, said, number, of in totals:
        found = sum(counts.tolist()) if of == "voters" else len(orders)
        if number != found:
            what = "the counts add up to" if of == "voters" else "the number of orders is"
            file.fail(line, f"{said} is {number}, but {what} {found}")
    return Preferences(X, items, counts)


def read_csv(path: str | os.PathLike[str], *, delimiter: str | None = None, header: bool | None = None) -> RankedLists:
    """Read a CSV file of rankings, one ranking a row, one item a column.

    The numbers may be ranks or scores, or orders if there are no names; `gram_matrix` is told which.

    Parameters
    ----------
    path : path
        A file in UTF-8. Cells are numbers with a decimal point; an empty cell, NA, NaN or nan is a missing number. Lines may
        be blank at the end only.
    delimiter : str, optional
        The character between cells. If absent, the one of comma, semicolon and tab that gives all rows equally many cells.
    header : bool, optional
        Whether the first row has the names of the items. If absent: whether it has a cell that is neither a number nor missing.

    Returns
    -------
    X : ndarray of shape (m, n)
        The numbers, NaN where they are missing.
    items : list of n names
        "1", "2" and so on if the file has no names.
    """
    table = read_table(path, delimiter=delimiter, header=header)
    return RankedLists(table.X, table.items)


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    apart: Collection[str] = (),
    skip: Collection[str] = (),
) -> Table:
    """Read a CSV file of rankings as `read_csv` does, with some columns set apart that are no items, such as labels.

    Parameters
    ----------
    path, delimiter, header
        As for `read_csv`.
    apart : collection of str
        Columns, each by its name, or by its number from 1 if no column has such a name. Their cells are left as text.
    skip : collection of str
        More of these, which need not be there.

    Returns
    -------
    Table
    """
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '\r\n"'):
        raise ValueError(f"delimiter must be one character, such as ',' or ';', or None, not {_shown(delimiter)}")
    if header is not None and not isinstance(header, bool | np.bool_):
        raise TypeError(f"header must be True, False or None, not {_shown(header)}")
    file = _opened(path)
    rows = list(_rows(file, delimiter or _found_delimiter(file)))
    while rows and (not rows[-1][1] or (rows[-1][1] == [""] and len(rows[0][1]) > 1)):
        rows.pop()
    if not rows:
        file.fail(1, "the file is empty")
    line, names = rows[0]
    if not names:
        file.fail(line, "the line is blank, but must be the first row of numbers, or the names of the items")
    if header is None:
        header = any(cell not in MISSING and not _NUMBER.fullmatch(cell) for cell in names)
    columns = {name: _place(names if header else [], len(names), name) for name in (*apart, *skip)}
    for name in apart:
        if columns[name] is None:
            _no_column(file, line, names if header else [], name)
    kept = [column for column in range(len(names)) if column not in columns.values()]
    if not kept:
        file.fail(line, "every column is set apart: no items are left")
    if header:
        _check_names(file, line, names, kept)
        if len(rows) == 1:
            file.fail(line, "the names of the items are the only row: there must be rankings after them")
    labels = [f"column {column}" + (f", {_shown(name)}," if header else "") for column, name in enumerate(names, 1)]
    body = rows[bool(header) :]
    X = np.array([_numbers(file, line, cells, labels, kept) for line, cells in body])
    items = [names[column] if header else str(column + 1) for column in kept]
    cells_apart = {name: [cells[column] for _, cells in body] for name, column in columns.items() if column is not None}
    return Table(X, items, bool(header), cells_apart, [line for line, _ in body])


def _row(number: int, ranked: object, columns: dict[object, int], new: bool) -> dict[int, int]:
    """Return the rank of each column of a list, adding columns for items that have none if they may be `new`."""
    ranks: dict[int, int] = {}
    places: dict[object, int] = {}
    for place, element in enumerate(_sequence(ranked, f"list {number}", "a list of items, best first")):
        where = f"list {number}, place {place}"
        group, rank = _group(element, where), len(ranks) + 1
        for item in group:
            if item in places:
                both = f"both in place {place}" if places[item] == place else f"in places {places[item]} and {place}"
                raise ValueError(f"list {number} holds {_shown(item)} twice, {both}: an item has one rank")
            if item not in columns and not new:
                raise ValueError(f"{where} holds {_shown(item)}, which is not one of the {len(columns)} items given")
            places[item] = place
            ranks[columns.setdefault(item, len(columns))] = rank
    return ranks


def _group(element: object, where: str) -> list[object]:
    """Return the items that an element of a list stands for, in an order that is the same in every run."""
    if not isinstance(element, list | set | frozenset):
        _check_item(element, where)
        return [element]
    if not element:
        raise ValueError(f"{where} holds {_shown(element)}, but a group of tied items must have items")
    for item in element:
        _check_item(item, where)
    if isinstance(element, list):
        return element
    try:
        return sorted(cast("set[Any]", element))
    except TypeError:
        return sorted(element, key=repr)


def _check_item(item: object, where: str) -> None:
    if isinstance(item, list | set | frozenset):
        raise TypeError(f"{where} holds {_shown(item)} where an item must be: lists and sets are groups of tied items")
    try:
        hash(item)
    except TypeError:
        what = f"{_shown(item)} of type {type(item).__name__}"
        raise TypeError(f"{where} holds {what}, but items must be hashable: strings, numbers or tuples") from None
    unequal = item is None or type(item).__name__ == "NAType" or item != item
    if isinstance(unequal, bool | np.bool_) and unequal:
        raise ValueError(f"{where} holds {_shown(item)}, which is no item: leave out what is not ranked")


def _sequence(values: object, name: str, meaning: str) -> Iterator[object]:
    """Refuse what has no order or nothing in it that could be ordered."""
    try:
        if not isinstance(values, str | bytes | Mapping | set | frozenset):
            return iter(cast("Iterable[object]", values))
    except TypeError:
        pass
    raise TypeError(f"{name} must be {meaning}, not {_shown(values)} of type {type(values).__name__}")


def _shown(value: object) -> str:
    """Return a value as it is written in code, on one line and not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


class _File(NamedTuple):
    name: str
    text: str

    def fail(self, line: int, reason: str) -> NoReturn:
        raise ValueError(f"{self.name}, line {line}: {reason}") from None

    def whole(self, line: int, text: str, what: str, least: int = 1) -> int:
        if not _WHOLE.fullmatch(text) or int(text) < least:
            rule = f"a whole number from {least}" + (" of at most 18 digits" if len(text) > 18 else "")
            self.fail(line, f"{what} is {_shown(text)}, but must be {rule}")
        return int(text)


def _as_path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be the name of a file, not {_shown(path)}")
    return Path(path)


def _opened(path: object) -> _File:
    source = _as_path(path)
    try:
        file = _File(source.name, source.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        byte, before = error.object[error.start], error.object[: error.start].decode()
        reason = f"the byte 0x{byte:02x} is not UTF-8: the file must be text in UTF-8"
        _File(source.name, before).fail(len(_lines(before)), reason)
    before, zero, _ = file.text.partition("\0")
    if zero:
        file.fail(len(_lines(before)), "there is a zero byte: the file must be text in UTF-8")
    return file


def _lines(text: str) -> list[str]:
    """Split at ends of lines only, not at the other characters that `str.splitlines` takes for them."""
    return re.split("\r\n|\r|\n", text)


class _Content(NamedTuple):
    """What is in a PrefLib file."""

    items: list[str]
    #: Line, name and value of a number in the header, and what it counts: voters or orders.
    totals: list[tuple[int, str, int, str]]
    #: Line, count and order.
    orders: list[tuple[int, str, str]]


def _current_format(file: _File, kind: str, lines: list[tuple[int, str]]) -> _Content:
    header: dict[str, tuple[int, str]] = {}
    orders: list[tuple[int, str, str]] = []
    for line, text in lines:
        first, colon, second = (part.strip() for part in text.removeprefix("#").partition(":"))
        if not colon:
            file.fail(line, f"{_shown(text)} is neither a line like '# KEY: value' nor one like '5: 1,2,{{3,4}}'")
        if text[0] != "#":
            orders.append((line, first, second))
            continue
        key = " ".join(first.upper().split())
        if orders:
            file.fail(line, f"the header goes on with {_shown(text)}, but must be complete before the first order")
        if key in header:
            file.fail(line, f"{key} is given again, after line {header[key][0]}")
        header[key] = line, second
    line, stated = header.get("DATA TYPE", (0, ""))
    if stated and f".{stated.lower()}" != kind:
        file.fail(line, f"DATA TYPE is {_shown(stated)}, but the name of the file ends in {kind}")
    numbers: list[tuple[int, str, int]] = []
    for key, least in [("NUMBER ALTERNATIVES", 1), ("NUMBER VOTERS", 0), ("NUMBER UNIQUE ORDERS", 0)]:
        if key not in header:
            file.fail(orders[0][0] if orders else lines[-1][0], f"the header ends without a line '# {key}: ...'")
        numbers.append((header[key][0], key, file.whole(*header[key], key, least)))
    names = [(line, key[len(_NAME) :].strip(), name) for key, (line, name) in header.items() if key.startswith(_NAME)]
    (line, _, size), voters, unique = numbers
    return _Content(_named(file, line, size, names), [(*voters, "voters"), (*unique, "orders")], orders)


def _old_format(file: _File, _kind: str, lines: list[tuple[int, str]]) -> _Content:
    line, text = lines[0]
    if not _WHOLE.fullmatch(text):
        file.fail(line, f"{_shown(text)} is neither a line like '# KEY: value' nor the number of alternatives")
    size = file.whole(line, text, "the number of alternatives")
    if len(lines) < size + 2:
        file.fail(lines[-1][0], f"the file ends before {size} alternatives and a line of three numbers have come")
    pairs = [(number, *(part.strip() for part in text.partition(","))) for number, text in lines]
    split = [(number, first, rest) for number, first, _, rest in cast("list[tuple[int, str, str, str]]", pairs)]
    items = _named(file, line, size, split[1 : size + 1])
    line, text = lines[size + 1]
    totals = [part.strip() for part in text.split(",")]
    if len(totals) != 3:
        file.fail(line, f"{_shown(text)} must be the numbers of voters, of all counts and of orders, as in 475,475,31")
    voters, total, unique = (file.whole(line, number, "a number of this line", 0) for number in totals)
    return _Content(
        items,
        [
            (line, "the number of voters", voters, "voters"),
            (line, "the sum of all counts", total, "voters"),
            (line, "the number of different orders", unique, "orders"),
        ],
        split[size + 2 :],
    )


def _named(file: _File, line: int, size: int, entries: list[tuple[int, str, str]]) -> list[str]:
    """Return the names of the alternatives, given with their lines and numbers, in the order of the numbers."""
    by_number: dict[int, str] = {}
    by_name: dict[str, int] = {}
    for place, text, name in entries:
        number = file.whole(place, text, "the number of an alternative")
        if number > size:
            file.fail(place, f"alternative {number} is not one of the {size} alternatives that line {line} announces")
        if number in by_number:
            file.fail(place, f"alternative {number} has a name already, {_shown(by_number[number])}")
        if not name:
            file.fail(place, f"alternative {number} has an empty name")
        if by_name.setdefault(name, number) != number:
            file.fail(place, f"alternative {number} has the name of alternative {by_name[name]}, {_shown(name)}")
        by_number[number] = name
    if len(by_number) < size:
        lacking = next(number for number in range(1, size + 1) if number not in by_number)
        file.fail(line, f"{size} alternatives are announced, but alternative {lacking} has no name")
    return [by_number[number] for number in range(1, size + 1)]


def _order(file: _File, kind: str, line: int, text: str, size: int) -> dict[int, int]:
    """Return the ranks of the alternatives in an order such as 1,2,{3,4}."""
    ties, complete = KINDS[kind]
    if not text:
        file.fail(line, "there is a count, but no order after it")
    ranks: dict[int, int] = {}
    for group in _groups(file, line, text):
        rank = len(ranks) + 1
        for part in group:
            alternative = file.whole(line, part.strip(), "an alternative")
            if alternative > size:
                file.fail(line, f"there is no alternative {alternative}: they are numbered from 1 to {size}")
            if alternative in ranks:
                file.fail(line, f"alternative {alternative} is in the order twice")
            ranks[alternative] = rank
        if len(group) > 1 and not ties:
            file.fail(line, f"{','.join(group)} are tied, but the orders of a {kind} file must be strict")
    if complete and len(ranks) < size:
        lacking = next(number for number in range(1, size + 1) if number not in ranks)
        file.fail(line, f"alternative {lacking} is not ranked, but the orders of a {kind} file must be complete")
    return ranks


def _groups(file: _File, line: int, text: str) -> Iterator[list[str]]:
    end, more = 0, True
    while more:
        place = _PLACE.match(text, end)
        if place is None:
            file.fail(line, f"the braces in {_shown(text)} are not in pairs around ties, as in 1,{{2,3}},4")
        end, more = place.end(), bool(place["comma"])
        yield [place["single"]] if place["tied"] is None else place["tied"].split(",")


def _rows(file: _File, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file, each with the line where it begins."""
    text = io.StringIO(file.text, newline="")
    reader = csv.reader(text, delimiter=delimiter, skipinitialspace=delimiter != " ", strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        file.fail(line, f"the row cannot be split into cells: {error}")


def _found_delimiter(file: _File) -> str:
    """Return the delimiter that splits the first rows alike; of several the one that makes most cells."""
    sizes: dict[str, list[int]] = {delimiter: [] for delimiter in DELIMITERS}
    for delimiter, found in sizes.items():
        with suppress(ValueError):  # raised again when the file is read with this delimiter
            for _, cells in islice(_rows(file, delimiter), SAMPLE):
                if cells:
                    found.append(len(cells))
    alike = [delimiter for delimiter, found in sizes.items() if len(set(found)) == 1 and found[0] > 1]
    return max(alike or DELIMITERS, key=lambda delimiter: sizes[delimiter][:1])


def _place(names: list[str], size: int, name: str) -> int | None:
    """Return the place of a column, given by its name or by its number from 1, if there is such a column."""
    if name in names:
        return names.index(name)
    return int(name) - 1 if _WHOLE.fullmatch(name) and 1 <= int(name) <= size else None


def _no_column(file: _File, line: int, names: list[str], name: str) -> NoReturn:
    known = f"they are {', '.join(_shown(known) for known in names[:8])}" if names else "they have no names"
    file.fail(line, f"there is no column {_shown(name)}: {known}{', ...' if len(names) > 8 else ''}")


def _check_names(file: _File, line: int, names: list[str], kept: Sequence[int]) -> None:
    first: dict[str, int] = {}
    for column, name in enumerate(names, 1):
        if not name and column - 1 in kept:
            file.fail(line, f"column {column} has no name, but every column must be an item: row numbers are none")
        if first.setdefault(name, column) != column:
            file.fail(line, f"columns {first[name]} and {column} have the same name, {_shown(name)}")


def _numbers(file: _File, line: int, cells: list[str], labels: list[str], kept: Sequence[int]) -> list[float]:
    if len(cells) != len(labels):
        file.fail(line, f"the row has {len(cells)} cells, but the first row has {len(labels)}")
    numbers = []
    for column in kept:
        label, cell = labels[column], cells[column]
        if cell not in MISSING and not _NUMBER.fullmatch(cell):
            file.fail(line, f"{label} holds {_shown(cell)}, which is not a number")
        number = math.nan if cell in MISSING else float(cell)
        if math.isinf(number):
            file.fail(line, f"{label} holds {_shown(cell)}, which is not finite")
        numbers.append(number)
    return numbers
