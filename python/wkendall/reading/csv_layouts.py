"""The layouts of rankings in a CSV file.

A row has a number for each item, the chosen items in order, or one item of one ranking.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import Parts, made, shown
from wkendall.reading.columns import doubles_apart
from wkendall.reading.contents import Contents
from wkendall.reading.csv_rows import Rows
from wkendall.reading.lists import Gaps, as_lists
from wkendall.reading.text_files import MISSING, NUMBER

#: So many rows show that a column counts them: fewer ranks or scores may do so by chance.
_COUNTING = 4


def of_numbers(rows: Rows) -> Contents:
    """Return the rankings of a file with one ranking per row and one item per column. Cells are numbers."""
    X = np.array([_numbers(rows, line, cells) for line, cells in rows.body])
    _tell_of_counting(rows, X)
    items = None if rows.names is None else [rows.names[column] for column in rows.kept]
    return _contents(rows, X, items, "ranks")


def _contents(rows: Rows, X: Any, items: list[str] | None, layout: str) -> Contents:
    parts: dict[str, Any] = {"lines": [line for line, _ in rows.body], "found": rows.found, "layout": layout}
    return Contents(rows.file.name, X, items, apart=rows.cells_apart(), **parts)


def _numbers(rows: Rows, line: int, cells: list[str]) -> list[float]:
    rows.check_width(line, cells)
    if line == rows.body[0][0]:
        _check_columns(rows, line, cells)
    return _doubles([rows.number(line, cells[column], column) for column in rows.kept])


def _check_columns(rows: Rows, line: int, cells: list[str]) -> None:
    """Raise an error for a column whose first cell is a text, because such a column is not an item."""
    for column in rows.kept:
        if cells[column] not in MISSING and not NUMBER.fullmatch(cells[column]):
            name = str(column + 1) if rows.names is None else rows.names[column]
            rows.refuse_text(line, column, cells[column], ("text column", name))


def _doubles(values: list[float | Decimal]) -> list[float]:
    """Return doubles in the order of the numbers of a ranking."""
    short = [value for value in values if isinstance(value, float)]
    return short if len(short) == len(values) else doubles_apart(values)


def _tell_of_counting(rows: Rows, X: NDArray[np.float64]) -> None:
    """Warn of a column whose numbers grow by one from row to row.

    Such a column numbers the rankings. If all rows are complete ranks, there is no warning.
    """
    if len(X) < _COUNTING or X.shape[1] < 2:
        return
    steady = np.flatnonzero((np.diff(X[:_COUNTING], axis=0) == 1).all(axis=0))
    counting = [place for place in steady.tolist() if (np.diff(X[:, place]) == 1).all()]
    if not counting or (np.sort(X, axis=1) == np.sort(X[0])).all():
        return
    column, (first, second) = rows.kept[counting[0]], X[:2, counting[0]]
    name = str(column + 1) if rows.names is None else rows.names[column]
    counted = f"counts the rows ({first:.15g}, {second:.15g}, ...), but is read as an item: "
    counts = f"{rows.file.name}: {rows.label(column)} {counted}"
    warnings.warn(made(UserWarning, Parts(counts, advice=("numbers of rows", name))), stacklevel=5)


def of_choices(rows: Rows, items: Sequence[str] | None, gaps: Gaps = "error") -> Contents:
    """Return the rankings of a file with one ranking per row. Cells are names of items, the first choice first."""
    columns = {} if items is None else {item: column for column, item in enumerate(items)}
    ranked = []
    for line, cells in rows.body:
        rows.check_width(line, cells, fewer=True)
        ranked.append(_choices(rows, line, cells, columns, items is None, gaps))
    return _contents(rows, as_lists(ranked, len(columns)), list(columns), "choices")


def _choices(rows: Rows, line: int, cells: list[str], columns: dict[str, int], new: bool, gaps: Gaps) -> dict[int, int]:
    ranks: dict[int, int] = {}
    where: dict[str, int] = {}
    blank = None
    for column in rows.kept:
        cell = cells[column] if column < len(cells) else ""
        if rows.is_blank(line, column, cell):
            blank = column if blank is None else blank
            continue
        if blank is not None and gaps == "error":
            reason = f"{rows.label(blank)} is blank, but {rows.label(column)} holds {shown(cell)}: blanks must be last"
            rows.file.fail(line, reason, "nan", blank, cell, advice=("gaps of files",))
        if cell in where:
            reason = f"{shown(cell)} is chosen twice, in columns {where[cell] + 1} and {column + 1}"
            rows.file.fail(line, reason, "duplicate", column, cell)
        where[cell] = column
        _check_known(rows, line, column, cell, columns, new)
        ranks[columns.setdefault(cell, len(columns))] = len(ranks) + 1
    return ranks


def _check_known(rows: Rows, line: int, column: int, item: str, columns: dict[str, int], new: bool) -> None:
    if item not in columns and not new:
        reason = f"{rows.label(column)} holds {shown(item)}, which is not one of the {len(columns)} items given"
        rows.file.fail(line, reason, "out of range", column, item)


def of_long(rows: Rows, id: str | None, item: str | None, value: str | None, items: Sequence[str] | None) -> Contents:
    """Return the rankings of a file in which each row has one item of one ranking, with its rank or score."""
    places = _long_columns(rows, id, item, value)
    people: dict[str, int] = {}
    columns = {} if items is None else {name: column for column, name in enumerate(items)}
    lines: list[int] = []
    cells_of: list[list[str]] = []
    #: For each ranking the line and the number of each item.
    entries: list[dict[int, tuple[int, float | Decimal]]] = []
    for line, cells in rows.body:
        rows.check_width(line, cells)
        who, what, number = (cells[place] for place in places)
        for place in places[:2]:
            if rows.is_blank(line, place, cells[place]):
                rows.file.fail(line, f"{rows.label(place)} is blank", "nan", place)
        if who not in people:
            lines.append(line)
            cells_of.append(cells)
            entries.append({})
        row = people.setdefault(who, len(people))
        _check_same_person(rows, line, cells, who, cells_of[row], lines[row], places)
        _check_known(rows, line, places[1], what, columns, items is None)
        column = columns.setdefault(what, len(columns))
        before = entries[row].setdefault(column, (line, rows.number(line, number, places[2])))[0]
        if before != line:
            reason = f"{shown(who)} has a number for {shown(what)} already, in line {before}"
            rows.file.fail(line, reason, "duplicate", places[1], what)
    apart = {name: [cells[column] for cells in cells_of] for name, column in rows.apart.items()}
    doubles = [_doubles([number for _, number in numbers.values()]) for numbers in entries]
    ranked = [dict(zip(numbers, values, strict=True)) for numbers, values in zip(entries, doubles, strict=True)]
    X = as_lists(ranked, len(columns))
    parts: dict[str, Any] = {"apart": apart, "lines": lines, "found": rows.found, "layout": "long"}
    return Contents(rows.file.name, X, list(columns), list(people), **parts)


def _long_columns(rows: Rows, id: str | None, item: str | None, value: str | None) -> list[int]:
    """Return the columns of the rankings, the items and the numbers. By default, these are the first unused columns."""
    named = [None if name is None else rows.apart[name] for name in (id, item, value)]
    others = iter(rows.kept)
    places = [next(others, None) if place is None else place for place in named]
    found = [place for place in places if place is not None]
    if len(found) < 3 or next(others, None) is not None or len(set(found)) < 3:
        unsaid = len(rows.kept) - named.count(None)
        count = f"there are {abs(unsaid)} columns too {'many' if unsaid > 0 else 'few'}"
        rule = "a long table has one column each for the ranking, the item and the number: "
        why = count if unsaid else "a column is named twice"
        rows.file.fail(rows.line, f"{why}; {rule}", advice=("long",))
    return found


def _check_same_person(
    rows: Rows, line: int, cells: list[str], who: str, first: list[str], before: int, places: Sequence[int]
) -> None:
    """Raise an error if two rows of a ranking differ in a column that is not an item, such as a label."""
    for name, column in rows.apart.items():
        if column not in places and cells[column] != first[column]:
            now, then = shown(cells[column]), f"{shown(first[column])} in line {before}"
            reason = f"{shown(who)} has {now} in column {shown(name)}, but {then}"
            rows.file.fail(line, reason, "items differ", column, cells[column])
