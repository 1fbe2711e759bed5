"""Rankings in CSV files."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from wkendall._text import shown
from wkendall.reading.lists import RankedLists
from wkendall.reading.text_files import MISSING, NUMBER, WHOLE, File, opened, rows_of

DELIMITERS = (",", ";", "\t")
#: So many rows of a CSV file are looked at to find its delimiter.
SAMPLE = 100


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


def read_csv(path: str | os.PathLike[str], *, delimiter: str | None = None, header: bool | None = None) -> RankedLists:
    r"""Read a CSV file of rankings, one ranking a row, one item a column.

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

    Examples
    --------
    >>> import pathlib, tempfile, wkendall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "votes.csv")
    ...     _ = path.write_text("apple;pear;plum\n1;2;3\n2;1;\n")
    ...     X, items = wkendall.read_csv(path)
    >>> items
    ['apple', 'pear', 'plum']
    >>> X
    array([[ 1.,  2.,  3.],
           [ 2.,  1., nan]])
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
        raise ValueError(f"delimiter must be one character, such as ',' or ';', or None, not {shown(delimiter)}")
    if header is not None and not isinstance(header, bool | np.bool_):
        raise TypeError(f"header must be True, False or None, not {shown(header)}")
    file = opened(path)
    rows = list(rows_of(file, delimiter or found_delimiter(file)))
    while rows and (not rows[-1][1] or (rows[-1][1] == [""] and len(rows[0][1]) > 1)):
        rows.pop()
    if not rows:
        file.fail(1, "the file is empty")
    line, names = rows[0]
    if not names:
        file.fail(line, "the line is blank, but must be the first row of numbers, or the names of the items")
    if header is None:
        header = any(cell not in MISSING and not NUMBER.fullmatch(cell) for cell in names)
    columns = {name: _place(names if header else [], len(names), name) for name in (*apart, *skip)}
    for name in apart:
        if columns[name] is None:
            no_column(file, line, names if header else [], name)
    kept = [column for column in range(len(names)) if column not in columns.values()]
    if not kept:
        file.fail(line, "every column is set apart: no items are left")
    if header:
        _check_names(file, line, names, kept)
        if len(rows) == 1:
            file.fail(line, "the names of the items are the only row: there must be rankings after them")
    labels = [f"column {column}" + (f", {shown(name)}," if header else "") for column, name in enumerate(names, 1)]
    body = rows[bool(header) :]
    X = np.array([_numbers(file, line, cells, labels, kept) for line, cells in body])
    items = [names[column] if header else str(column + 1) for column in kept]
    cells_apart = {name: [cells[column] for _, cells in body] for name, column in columns.items() if column is not None}
    return Table(X, items, bool(header), cells_apart, [line for line, _ in body])


def found_delimiter(file: File) -> str:
    """Return the delimiter that splits the first rows alike; of several the one that makes most cells."""
    sizes: dict[str, list[int]] = {delimiter: [] for delimiter in DELIMITERS}
    for delimiter, found in sizes.items():
        with suppress(ValueError):  # raised again when the file is read with this delimiter
            for _, cells in islice(rows_of(file, delimiter), SAMPLE):
                if cells:
                    found.append(len(cells))
    alike = [delimiter for delimiter, found in sizes.items() if len(set(found)) == 1 and found[0] > 1]
    return max(alike or DELIMITERS, key=lambda delimiter: sizes[delimiter][:1])


def _place(names: list[str], size: int, name: str) -> int | None:
    """Return the place of a column, given by its name or by its number from 1, if there is such a column."""
    if name in names:
        return names.index(name)
    return int(name) - 1 if WHOLE.fullmatch(name) and 1 <= int(name) <= size else None


def no_column(file: File, line: int, names: list[str], name: str) -> NoReturn:
    """Refuse the name of a column that is not there."""
    known = f"they are {', '.join(shown(known) for known in names[:8])}" if names else "they have no names"
    file.fail(line, f"there is no column {shown(name)}: {known}{', ...' if len(names) > 8 else ''}")


def _check_names(file: File, line: int, names: list[str], kept: Sequence[int]) -> None:
    first: dict[str, int] = {}
    for column, name in enumerate(names, 1):
        if not name and column - 1 in kept:
            reason = f"column {column} has no name, but every column must be an item: row numbers are none"
            file.fail(line, reason, "no name", column - 1)
        if first.setdefault(name, column) != column:
            file.fail(line, f"columns {first[name]} and {column} have the same name, {shown(name)}")


def _numbers(file: File, line: int, cells: list[str], labels: list[str], kept: Sequence[int]) -> list[float]:
    if len(cells) != len(labels):
        file.fail(line, f"the row has {len(cells)} cells, but the first row has {len(labels)}")
    numbers = []
    for column in kept:
        label, cell = labels[column], cells[column]
        if cell not in MISSING and not NUMBER.fullmatch(cell):
            file.fail(line, f"{label} holds {shown(cell)}, which is not a number", "text", column, cell)
        number = math.nan if cell in MISSING else float(cell)
        if math.isinf(number):
            file.fail(line, f"{label} holds {shown(cell)}, which is not finite", "infinite", column, number)
        numbers.append(number)
    return numbers
