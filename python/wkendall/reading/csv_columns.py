"""CSV files of observations: one row for each observation, one column for each variable.

The types of columns are like those of a data frame. Whole numbers of any length are read exactly. Other numbers are
read as doubles. A column can also have true and false.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import shown
from wkendall.reading.columns import numbers_in_order
from wkendall.reading.contents import Contents
from wkendall.reading.csv_rows import Rows, is_long, read_rows
from wkendall.reading.text_files import FLAGS, MISSING, NUMBER


def read_columns(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    id: str | None = None,
    skip: Collection[str] = (),
    items: Collection[str] | None = None,
    encoding: str = "utf-8",
) -> Contents:
    """Read a CSV file of observations.

    `items` are the columns to read, and `skip` are columns to ignore. It is no error if the file lacks some of these
    columns. For each column, the result has doubles that are in the same order as the numbers of the column. NaN means
    missing.
    """
    how: dict[str, Any] = {"delimiter": delimiter, "header": header, "skip": skip, "columns": items, "may_lack": True}
    how["encoding"] = encoding
    rows = read_rows(path, "table", apart=[] if id is None else [id], **how)
    for line, cells in rows.body:
        rows.check_width(line, cells)
    names = None if rows.names is None else [rows.names[column] for column in rows.kept]
    values = np.array([_of_column(rows, column) for column in rows.kept]).T
    ids = None if id is None else rows.cells_apart()[id]
    return Contents(rows.file.name, values, names, ids, lines=[line for line, _ in rows.body], found=rows.found)


def _of_column(rows: Rows, column: int) -> NDArray[np.float64]:
    found: list[Any] = []
    flag: tuple[int, str] | None = None
    numbers = False
    for line, cells in rows.body:
        cell = cells[column]
        if cell in MISSING:
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
        rows.refuse_text(line, column, cell)
    if is_long(cell):
        return Decimal(cell)
    number = float(cell)
    if math.isinf(number) and "inf" not in cell.lower():
        reason = f"{rows.label(column)} holds {shown(cell)}, which is too large for a double"
        rows.file.fail(line, reason, "infinite", column, cell)
    return number
