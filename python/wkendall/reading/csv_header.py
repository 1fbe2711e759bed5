"""Whether the first row of a CSV file has the names of the columns.

A row must never be lost. Where the cells do not tell, the caller has to say it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from wkendall._errors import Option, Piece
from wkendall._text import shown
from wkendall.reading.text_files import ABSENT, FLAGS, MISSING, NUMBER, WHOLE, File

#: Ordinal numbers in the names of columns, such as "second choice".
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_COUNTED = re.compile(rf"[0-9]{{1,18}}((?i:st|nd|rd|th)(?![a-z]))?|\b(?i:{'|'.join(_ORDINALS)})(?![a-z])")
_WHICH: tuple[Piece, ...] = (": ", Option("header", True), " or ", Option("header", False), " says which")

Lines = Sequence[tuple[int, list[str]]]


def has_names(
    file: File, rows: Lines, layout: str, apart: Collection[str], skip: Collection[str], items: Collection[str]
) -> bool:
    """Tell whether the first row has the column names; `items` are those that are known, for "choices"."""
    line, first = rows[0]
    if any(name in first and not WHOLE.fullmatch(name) for name in (*apart, *skip)):
        return True
    # In a long table, the numbers of columns also say where ranks are.
    numbered = {int(name) - 1 for name in (skip if layout == "long" else (*apart, *skip)) if WHOLE.fullmatch(name)}
    cells = {column: cell for column, cell in enumerate(first) if column not in numbered}
    if layout == "long":
        return not _is_entry(cells, rows[1:])
    if layout == "choices":
        listed = {cell for _, row in rows[1:] for column, cell in enumerate(row) if column not in numbered}
        found, reason = _are_columns([*cells.values()], listed - set(MISSING), items)
    else:
        found, reason = _are_texts([*cells.values()], layout)
    # A column that is asked for by name, and that does not exist, is a better reason to refuse the file.
    if reason and all(map(WHOLE.fullmatch, apart)):
        file.fail(line, (reason, *_WHICH), "header")
    return found


def _is_entry(first: dict[int, str], body: Lines) -> bool:
    """Tell whether the first row of a long table is an entry: it lacks a name, or has a number or a cell of another entry."""
    if any(NUMBER.fullmatch(cell) or cell in MISSING for cell in first.values()):
        return True
    cells = set(first.values())
    similar = (row for _, row in body if not cells.isdisjoint(row))
    return any(column < len(row) and row[column] == cell for row in similar for column, cell in first.items())


def _are_texts(cells: list[str], layout: str) -> tuple[bool, str]:
    """Tell names from numbers, or say why not: both in one row are names, or numbers with a mistake."""
    absent: Collection[str] = ABSENT if layout == "table" else MISSING
    flags: Collection[str] = FLAGS if layout == "table" else ()
    present = [cell for cell in cells if cell not in absent]
    numbers = [cell for cell in present if NUMBER.fullmatch(cell) or cell in flags]
    texts = [cell for cell in present if not NUMBER.fullmatch(cell) and cell not in flags]
    if not texts or not numbers:
        return bool(texts), ""
    what = "an observation" if layout == "table" else "a ranking"
    both = f"{shown(texts[0])} and {shown(numbers[0])}"
    return True, f"the row has {both}, so it may be the names of the columns, or {what} with a wrong cell"


def _are_columns(cells: list[str], listed: set[str], items: Collection[str]) -> tuple[bool, str]:
    """Tell names of columns from names of items, or say why not; `listed` are the items of the other rows."""
    first = [cell for cell in cells if cell not in MISSING]
    if not first or any(cell in listed or cell in items for cell in first):
        return False, ""
    numbers = bool(listed) and all(map(NUMBER.fullmatch, listed)) and not any(map(NUMBER.fullmatch, first))
    if len(first) == len(cells) and (numbers or _are_counted(first, listed)):  # a column has a name
        return True, ""
    row = f"no cell of the row occurs in another row, so {shown(first[0])} may be the name of a column"
    return True, f"{row}, or the first choice of a ranking"


def _are_counted(first: list[str], listed: set[str]) -> bool:
    """Tell whether the names count the columns from 0 or 1, as "choice 1" and "choice 2" do, and no item has such a name."""
    split = [_split(cell) for cell in first]
    forms = {form for form, _ in split}
    if len(forms) > 1 or any(_split(cell)[0] in forms for cell in listed):
        return False
    numbers = [number for _, number in split]
    if len(numbers) == 1:
        return numbers[0][-1:] == [1]
    counted = [old for old, new in zip(numbers[0], numbers[1], strict=False) if new != old]
    return counted in ([0], [1]) and all(_is_next(before, after) for before, after in pairwise(numbers))


def _is_next(before: list[int], after: list[int]) -> bool:
    """Tell whether one of the numbers is larger by one, and the others are the same."""
    steps = [new - old for old, new in zip(before, after, strict=False)]
    return len(before) == len(after) and sorted(steps) == [*[0] * (len(steps) - 1), 1]


def _split(cell: str) -> tuple[str, list[int]]:
    """Return a name without its numbers, and the numbers; "1st" and "first" leave the same name, and "1" another."""
    numbers: list[int] = []

    def number(found: re.Match[str]) -> str:
        word = found.group().lower()
        if word in _ORDINALS:
            numbers.append(_ORDINALS.index(word) + 1)
            return "{1st}"
        numbers.append(int(word.rstrip("stndrh")))
        return "{1}" if word.isdecimal() else "{1st}"

    return _COUNTED.sub(number, cell).lower(), numbers
