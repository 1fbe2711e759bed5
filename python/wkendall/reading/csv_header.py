"""The first row of a CSV file: it has the names of the columns, unless the caller says otherwise.

A row must never be lost unseen: a first row that could be one of the others is told apart, so that a warning can name it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from wkendall.reading.text_files import FLAGS, MISSING, NUMBER

#: What the first row could be, for each layout.
LOST = {"ranks": "a ranking", "choices": "a ranking", "long": "an item of a ranking", "table": "an observation"}

Lines = Sequence[tuple[int, list[str]]]


def is_like_others(rows: Lines, layout: str, columns: Collection[int], items: Collection[str]) -> bool:
    """Tell whether the first row could be one of the others, by its cells in these columns; `items` are known, for "choices".

    Numbers: a row of numbers. Choices: a row with an item. Long tables: a row with a number, a blank, or a cell of another row.
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
