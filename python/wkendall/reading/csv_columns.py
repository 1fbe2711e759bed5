"""CSV files of observations: a row for each, a column for each variable.

Columns are read as a data frame has them: whole numbers exactly, whatever their length, other numbers as doubles, and columns of
true and false.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._text import shown
from wkendall.reading.columns import numbers_in_order
from wkendall.reading.csv_rows import Rows, is_long, read_rows
from wkendall.reading.text_files import ABSENT, FLAGS, NUMBER


class CsvColumns(NamedTuple):
    """What is in a file of observations."""

    #: A row for each observation; doubles in the order of the numbers of each column. NaN is missing.
    X: NDArray[np.float64]
    #: The names of the columns, if the file has any.
    names: list[str] | None
    #: The cells of each column that was set apart.
    apart: dict[str, list[str]]
    #: The columns that were ignored.
    skipped: set[str]
    #: The line where each observation begins.
    lines: list[int]


def read_columns(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    apart: Sequence[str] = (),
    skip: Collection[str] = (),
) -> CsvColumns:
    """Read a CSV file of observations; columns set `apart` must be there, those to `skip` need not."""
    rows = read_rows(path, "table", delimiter=delimiter, header=header, apart=apart, skip=skip, may_lack=True)
    for line, cells in rows.body:
        rows.check_width(line, cells)
    names = None if rows.names is None else [rows.names[column] for column in rows.kept]
    values = np.array([_of_column(rows, column) for column in rows.kept])
    return CsvColumns(values.T, names, rows.cells_apart(), rows.skipped, [line for line, _ in rows.body])


def _of_column(rows: Rows, column: int) -> NDArray[np.float64]:
    """Return doubles in the order of the numbers of a column."""
    found: list[Any] = []
    flag: tuple[int, str] | None = None
    numbers = False
    for line, cells in rows.body:
        cell = cells[column]
        if cell in ABSENT:
            found.append(None)
        elif cell in FLAGS and not numbers:
            flag = flag or (line, cell)
            found.append(float(FLAGS[cell]))
        elif flag is not None:
            reason = f"{rows.label(column)} holds {shown(cell)}, but {flag[1]} in line {flag[0]}"
            rows.file.fail(line, f"{reason}: a column has numbers, or true and false", "text", column, cell)
        else:
            numbers = True
            found.append(_number(rows, line, column, cell))
    return numbers_in_order(found)


def _number(rows: Rows, line: int, column: int, cell: str) -> float | Decimal:
    if not NUMBER.fullmatch(cell):
        reason = f"{rows.label(column)} holds {shown(cell)}, which is not a number"
        rows.file.fail(line, reason, "text", column, cell)
    if is_long(cell):
        return Decimal(cell)
    number = float(cell)
    if math.isinf(number) and "inf" not in cell.lower():
        reason = f"{rows.label(column)} holds {shown(cell)}, which is too large for a double"
        rows.file.fail(line, reason, "infinite", column, cell)
    return number
