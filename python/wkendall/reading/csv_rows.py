"""The rows and columns of a CSV file, before its cells are interpreted."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import Literal, NamedTuple, NoReturn, get_args

import numpy as np

from wkendall._text import shown
from wkendall.reading.csv_header import has_names
from wkendall.reading.text_files import MISSING, NUMBER, WHOLE, File, opened, rows_of

DELIMITERS = (",", ";", "\t")
#: The number of rows of a CSV file from which the delimiter is inferred.
SAMPLE = 100
Layout = Literal["ranks", "choices", "long"]
LAYOUTS: tuple[str, ...] = get_args(Layout)
#: What the columns are, one of them, and the rows; in a table of observations they are something else.
_WORDS = ("items", "an item", "rankings")
_TABLE_WORDS = ("columns", "a variable", "observations")


class Rows(NamedTuple):
    """The rows of a file below the column names, and the column names."""

    file: File
    #: The line of the column names, or of the first row.
    line: int
    #: None if the file has no column names.
    names: list[str] | None
    #: The number of columns.
    width: int
    #: The line where each row begins, and its cells.
    body: list[tuple[int, list[str]]]
    #: The columns that were requested, with their positions.
    apart: dict[str, int]
    #: The columns that are ignored and exist, as they were given.
    skipped: set[str]
    #: The other columns.
    kept: list[int]

    def label(self, column: int) -> str:
        """Return the name of a column in messages."""
        return f"column {column + 1}" + (f", {shown(self.names[column])}," if self.names is not None else "")

    def check_width(self, line: int, cells: list[str], fewer: bool = False) -> None:
        """Refuse a row with another number of cells than the first; `fewer` is whether it may have fewer."""
        if len(cells) > self.width or (len(cells) < self.width and not (fewer and cells)):
            self.file.fail(line, f"the row has {len(cells)} cells, but the first row has {self.width}")

    def cells_apart(self) -> dict[str, list[str]]:
        """Return the cells of the columns that were asked for by name."""
        return {
            name: [cells[column] if column < len(cells) else "" for _, cells in self.body]
            for name, column in self.apart.items()
        }

    def number(self, line: int, cell: str, column: int) -> float:
        """Return the number in a cell; NaN if it is missing."""
        if cell in MISSING:
            return math.nan
        if not NUMBER.fullmatch(cell):
            reason = f"{self.label(column)} holds {shown(cell)}, which is not a number"
            self.file.fail(line, reason, "text", column, cell)
        number = float(cell)
        if math.isinf(number):
            reason = f"{self.label(column)} holds {shown(cell)}, which is not finite"
            self.file.fail(line, reason, "infinite", column, number)
        return number


def read_rows(
    path: str | os.PathLike[str],
    layout: str,
    *,
    delimiter: str | None,
    header: bool | None,
    apart: Sequence[str],
    skip: Collection[str],
    may_lack: bool,
    known_items: Collection[str] = (),
) -> Rows:
    """Read a CSV file; columns are given by name, or by number from 1 if no column has such a name.

    `layout` is "table" for a table of observations. Columns to `skip` are never looked at; `may_lack` says whether the
    file may lack them. `known_items` are items that the file may list.
    """
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '\r\n"'):
        raise ValueError(f"delimiter must be one character, such as ',' or ';', or None, not {shown(delimiter)}")
    if header is not None and not isinstance(header, bool | np.bool_):
        raise TypeError(f"header must be True, False or None, not {shown(header)}")
    file = opened(path)
    rows = list(rows_of(file, delimiter or found_delimiter(file)))
    while rows and (not rows[-1][1] or (rows[-1][1] == [""] and len(rows[0][1]) > 1)):
        rows.pop()
    if not rows:
        file.fail(1, "the file is empty")
    items, an_item, rankings = _TABLE_WORDS if layout == "table" else _WORDS
    line, first = rows[0]
    if not first:
        what = "numbers" if layout in ("ranks", "table") else "cells"
        file.fail(line, f"the line is blank, but must be the first row of {what}, or the names of the {items}")
    if header is None:
        header = has_names(file, rows, layout, apart, skip, known_items)
    names, width = (first, len(first)) if header else (None, max(len(cells) for _, cells in rows))
    width = width if layout == "choices" else len(first)
    places = {name: _place(names or [], width, name) for name in (*apart, *skip)}
    for name, place in places.items():
        if place is None and not (may_lack and name not in apart):
            no_column(file, line, names or [], name)
    known = {name: place for name, place in places.items() if place is not None}
    kept = [column for column in range(width) if column not in known.values()]
    if not kept and layout != "long":
        file.fail(line, f"every column is skipped or not {an_item}: no {items} are left")
    if names is not None:
        _check_names(file, line, names, kept if layout in ("ranks", "table") else (), an_item)
        if len(rows) == 1:
            what = items if layout == "ranks" else "columns"
            file.fail(line, f"the names of the {what} are the only row: there must be {rankings} after them")
    asked = {name: known[name] for name in apart}
    return Rows(file, line, names, width, rows[bool(header) :], asked, known.keys() & set(skip), kept)


def first_row(path: str | os.PathLike[str], delimiter: str | None) -> list[str]:
    """Return the cells of the first row of a file, which may be the names of its columns."""
    file = opened(path)
    return next((cells for _, cells in rows_of(file, delimiter or found_delimiter(file))), [])


def found_delimiter(file: File) -> str:
    """Return the delimiter that splits the first rows into equally many cells; among several, the one with the most cells."""
    sizes: dict[str, list[int]] = {delimiter: [] for delimiter in DELIMITERS}
    for delimiter, found in sizes.items():
        with suppress(ValueError):  # raised again when the file is read with this delimiter
            for _, cells in islice(rows_of(file, delimiter), SAMPLE):
                if cells:
                    found.append(len(cells))
    alike = [delimiter for delimiter, found in sizes.items() if len(set(found)) == 1 and found[0] > 1]
    return max(alike or DELIMITERS, key=lambda delimiter: sizes[delimiter][:1])


def _place(names: list[str], size: int, name: str) -> int | None:
    """Return the position of a column, given by its name or by its number from 1; None if there is no such column."""
    if name in names:
        return names.index(name)
    return int(name) - 1 if WHOLE.fullmatch(name) and 1 <= int(name) <= size else None


def no_column(file: File, line: int, names: list[str], name: str) -> NoReturn:
    """Refuse the name of a column that does not exist."""
    known = f"they are {', '.join(shown(known) for known in names[:8])}" if names else "they have no names"
    file.fail(line, f"there is no column {shown(name)}: {known}{', ...' if len(names) > 8 else ''}")


def _check_names(file: File, line: int, names: list[str], items: Collection[int], an_item: str) -> None:
    first: dict[str, int] = {}
    for column, name in enumerate(names, 1):
        if not name and column - 1 in items:
            reason = f"column {column} has no name, but every column must be {an_item}: leave out row numbers"
            file.fail(line, reason, "no name", column - 1)
        if name and first.setdefault(name, column) != column:
            file.fail(line, f"columns {first[name]} and {column} have the same name, {shown(name)}")
