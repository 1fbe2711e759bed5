"""The rows and columns of a CSV file, before its cells are interpreted."""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Collection, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from typing import Literal, NamedTuple, NoReturn, get_args

import numpy as np

from wkendall._errors import Parts, bad_argument, made, short, shown
from wkendall.reading.text_files import FLAGS, MISSING, NUMBER, WHOLE, File, opened, rows_of

DELIMITERS = (",", ";", "\t")
#: The number of rows of a CSV file from which the delimiter is inferred.
SAMPLE = 100
#: Doubles hold all whole numbers with so many characters.
_SHORT = 15
Layout = Literal["ranks", "choices", "lists", "long"]
LAYOUTS: tuple[str, ...] = get_args(Layout)
#: What the columns are, one of them, and the rows; in a table of observations they are something else.
_WORDS = ("items", "an item", "rankings")
_TABLE_WORDS = ("columns", "a variable", "observations")
#: What the first row could be, for each layout.
_LOST = {"ranks": "a ranking", "choices": "a ranking", "long": "an item of a ranking", "table": "an observation"}


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
    #: The columns to skip or to read that exist, as they were given.
    found: set[str]
    #: The columns that are read.
    kept: list[int]
    #: Line and column of the cells that say NA or NaN in quotes, which are names where names are expected.
    quoted: Collection[tuple[int, int]] = ()

    def label(self, column: int) -> str:
        """Return the name of a column in messages."""
        return f"column {column + 1}" + (f", {shown(self.names[column])}," if self.names is not None else "")

    def check_width(self, line: int, cells: list[str], fewer: bool = False) -> None:
        """Raise an error if a row does not have as many cells as the first row. With `fewer`, it may have fewer cells."""
        if len(cells) > self.width or (len(cells) < self.width and not (fewer and cells)):
            self.file.fail(line, f"the row has {len(cells)} cells, but the first row has {self.width}")

    def cells_apart(self) -> dict[str, list[str]]:
        """Return the cells of the columns that were asked for by name."""
        return {
            name: [cells[column] if column < len(cells) else "" for _, cells in self.body]
            for name, column in self.apart.items()
        }

    def is_blank(self, line: int, column: int, cell: str) -> bool:
        """Return whether a cell that should contain a name is blank. A quoted NA is a name."""
        return cell in MISSING and (not self.quoted or (line, column) not in self.quoted)

    def refuse_text(self, line: int, column: int, cell: str, advice: tuple[str, ...] = ()) -> NoReturn:
        """Raise an error about a cell that is not a number."""
        reason = f"{self.label(column)} holds {shown(cell)}, which is not a number"
        parts = cell.split()
        if len(parts) > 1 and all(map(NUMBER.fullmatch, parts)):
            advice = ("delimiter",)
        elif cell.count(",") == 1 and NUMBER.fullmatch(cell.replace(",", ".")):
            advice = ("decimals",)
        self.file.fail(line, reason, "text", column, cell, advice=advice)

    def number(self, line: int, cell: str, column: int) -> float | Decimal:
        """Return the number in a cell: a double, or a decimal if a double cannot hold it exactly. NaN means missing."""
        if cell in MISSING:
            return math.nan
        if not NUMBER.fullmatch(cell):
            others = [row[column] for _, row in self.body if column < len(row) and row[column] not in MISSING]
            numbers = sum(NUMBER.fullmatch(other) is not None for other in others)
            self.refuse_text(line, column, cell, ("stray text",) if 2 * numbers > len(others) else ())
        number = float(cell)
        if math.isinf(number):
            reason = f"{self.label(column)} holds {shown(cell)}, which is not finite"
            self.file.fail(line, reason, "infinite", column, number)
        return Decimal(cell) if is_long(cell) else number


def read_rows(
    path: str | os.PathLike[str],
    layout: str,
    *,
    delimiter: str | None,
    header: bool | None,
    apart: Sequence[str],
    skip: Collection[str],
    may_lack: bool,
    columns: Collection[str] | None = None,
    known_items: Collection[str] = (),
    encoding: str = "utf-8",
) -> Rows:
    """Read a CSV file. Columns are given by name, or by number from 1 if no column has such a name.

    `layout` is "table" for a table of observations. Columns to `skip` are not read. `may_lack` says whether the file
    may lack them. If `columns` are given, only these columns are read, in the given order. A table may lack some of
    them. `known_items` are items that the file may list.
    """
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '\r\n"'):
        raise bad_argument("delimiter", f" must be one character, such as ',' or ';', or None, not {shown(delimiter)}")
    if header is not None and not isinstance(header, bool | np.bool_):
        raise TypeError(f"header must be True, False or None, not {shown(header)}")
    file = opened(path, encoding)
    rows, quoted = _rows_and_quoted(file, delimiter or found_delimiter(file), layout in ("choices", "long"))
    while rows and (not rows[-1][1] or (rows[-1][1] == [""] and len(rows[0][1]) > 1)):
        rows.pop()
    if not rows:
        file.fail(1, "the file is empty")
    items, an_item, rankings = _TABLE_WORDS if layout == "table" else _WORDS
    line, first = rows[0]
    if not first:
        what = "numbers" if layout in ("ranks", "table") else "cells"
        file.fail(line, f"the line is blank, but must be the first row of {what}, or the names of the {items}")
    named = header is None or bool(header)
    names, width = (first, len(first)) if named else (None, max(len(cells) for _, cells in rows))
    width = width if layout == "choices" else len(first)
    places = {name: _place(names or [], width, name) for name in (*apart, *skip)}
    chosen = {name: _place(names or [], width, name) for name in columns or ()}
    for name, place in (places | chosen).items():
        if place is None and not (may_lack and name not in apart and (name not in chosen or layout == "table")):
            no_column(file, line, names or [], name)
    known = {name: place for name, place in places.items() if place is not None}
    every = (
        range(width)
        if columns is None
        else [*dict.fromkeys(column for column in chosen.values() if column is not None)]
    )
    kept = [column for column in every if column not in known.values()]
    if not kept and layout != "long":
        file.fail(line, f"every column is skipped or not {an_item}: no {items} are left")
    body = rows
    if names is not None:
        body = rows[1:]
        left_out = [known[name] for name in skip if name in known]
        read = set(kept) if layout != "long" else {*range(width)}.difference(left_out)
        like = header is None and _is_like_others(rows, layout, read, known_items)
        hint = ("columns", _LOST[layout]) if like else ()
        _check_names(file, line, names, kept if layout in ("ranks", "table") else (), an_item, hint)
        if not body:
            what = items if layout == "ranks" else "columns"
            only = f"the names of the {what} are the only row: there must be {rankings} after them"
            file.fail(line, only, advice=hint)
        if like:
            _tell_of_first_row(file, line, names, layout)
    asked = {name: known[name] for name in apart}
    found = {*(known.keys() & set(skip)), *(name for name, place in chosen.items() if place is not None)}
    return Rows(file, line, names, width, body, asked, found, kept, quoted)


def is_long(cell: str) -> bool:
    """Return whether a number is a whole number that a double may not hold exactly."""
    return len(cell) > _SHORT and cell.lstrip("+-").isdecimal()


def _rows_and_quoted(
    file: File, delimiter: str, named: bool
) -> tuple[list[tuple[int, list[str]]], set[tuple[int, int]]]:
    """Return the rows; for a file of names, also the positions of the cells that contain NA in quotes.

    Python's reader does not report whether a cell was in quotes.
    """
    words = "|".join(re.escape(word) for word in MISSING if word)
    between, spaces = re.escape(delimiter), "" if delimiter == " " else " *"
    # A quote that follows a delimiter and precedes a letter or a space opens a cell: within a cell quotes are doubled, and
    # after a cell there is a delimiter.
    cell = re.compile(rf'((?:\A|[\r\n]|{between}){spaces}"{spaces})({words})(?={spaces}"(?:[\r\n]|{between}|\Z))')
    text, count = cell.subn("\\1\\2\0", file.text) if named else (file.text, 0)
    rows = list(rows_of(file._replace(text=text), delimiter))
    if not count:
        return rows, set()
    found = {(line, column) for line, cells in rows for column, cell in enumerate(cells) if cell.endswith("\0")}
    return [(line, [cell.rstrip("\0") for cell in cells]) for line, cells in rows], found


def _is_like_others(
    rows: Sequence[tuple[int, list[str]]], layout: str, columns: Collection[int], items: Collection[str]
) -> bool:
    """Return whether the first row looks like a row of data, by its cells in some columns.

    In a table of numbers, such a row has only numbers. In the layout "choices", it has an item of another row or of
    `items`. In a long table, it has a number, a blank, or a cell of another row.
    """
    first = {column: cell for column, cell in enumerate(rows[0][1]) if column in columns}
    if layout == "table":
        return all(NUMBER.fullmatch(cell) or cell in FLAGS or cell in MISSING for cell in first.values())
    if layout == "ranks":
        return all(NUMBER.fullmatch(cell) or cell in MISSING for cell in first.values())
    if layout == "choices":
        names = {cell for cell in first.values() if cell not in MISSING}
        listed = ((column, cell) for _, row in rows[1:] if not names.isdisjoint(row) for column, cell in enumerate(row))
        return not names or not names.isdisjoint(items) or any(cell in names and at in columns for at, cell in listed)
    if any(NUMBER.fullmatch(cell) or cell in MISSING for cell in first.values()):
        return True
    names = set(first.values())
    similar = (row for _, row in rows[1:] if not names.isdisjoint(row))
    return any(column < len(row) and row[column] == cell for row in similar for column, cell in first.items())


def _tell_of_first_row(file: File, line: int, names: list[str], layout: str) -> None:
    """Warn that the first row is read as column names, although it could be a row of data."""
    row = f", {short(', '.join(names), 60)}," if any(names) else ""
    read = f"{file.name}, line {line}: the first row{row} is read as the names of the columns, but may be {_LOST[layout]}: "
    warnings.warn(made(UserWarning, Parts(read, advice=("header", _LOST[layout]))), stacklevel=5)


def first_row(path: str | os.PathLike[str], delimiter: str | None, encoding: str = "utf-8") -> list[str]:
    """Return the cells of the first row of a file, which may be the names of its columns."""
    file = opened(path, encoding)
    return next((cells for _, cells in rows_of(file, delimiter or found_delimiter(file))), [])


def found_delimiter(file: File) -> str:
    """Return a delimiter that splits each of the first rows into the same number of cells.

    If several delimiters do this, return the delimiter that gives the most cells.
    """
    sizes: dict[str, list[int]] = {delimiter: [] for delimiter in DELIMITERS}
    for delimiter, found in sizes.items():
        with suppress(ValueError):  # raised again when the file is read with this delimiter
            for _, cells in islice(rows_of(file, delimiter), SAMPLE):
                if cells:
                    found.append(len(cells))
    alike = [delimiter for delimiter, found in sizes.items() if len(set(found)) == 1 and found[0] > 1]
    return max(alike or DELIMITERS, key=lambda delimiter: sizes[delimiter][:1])


def _place(names: list[str], size: int, name: str) -> int | None:
    """Return the position of a column, given by its name or its number from 1, or None if there is no such column."""
    if name in names:
        return names.index(name)
    return int(name) - 1 if WHOLE.fullmatch(name) and 1 <= int(name) <= size else None


def no_column(file: File, line: int, names: list[str], name: str) -> NoReturn:
    """Raise an error about the name of a column that does not exist."""
    known = f"they are {', '.join(shown(known) for known in names[:8])}" if names else "they have no names"
    file.fail(line, f"there is no column {shown(name)}: {known}{', ...' if len(names) > 8 else ''}")


def _check_names(
    file: File, line: int, names: list[str], items: Collection[int], an_item: str, hint: tuple[str, ...]
) -> None:
    first: dict[str, int] = {}
    for column, name in enumerate(names, 1):
        if not name and column - 1 in items:
            reason = f"column {column} has no name, but every column must be {an_item}: leave out row numbers"
            file.fail(line, reason, "no name", column - 1, advice=hint or ("no name", str(column)))
        if name and first.setdefault(name, column) != column:
            reason = f"columns {first[name]} and {column} have the same name, {shown(name)}"
            file.fail(line, reason, advice=hint)
