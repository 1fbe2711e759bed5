"""Files of orders from the PrefLib library."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np

from wkendall._disk import as_path
from wkendall._errors import short, shown
from wkendall.arrays.options import Reading
from wkendall.rankings import Rankings
from wkendall.reading.contents import Contents
from wkendall.reading.lists import as_lists
from wkendall.reading.text_files import WHOLE, File, lines_of, opened

#: The file name extensions of PrefLib: whether orders may have ties, and whether they must be complete.
KINDS = {".soc": (False, True), ".soi": (False, False), ".toc": (True, True), ".toi": (True, False)}
#: A position of an order: an alternative, or several in braces, up to a comma or the end. Without ambiguity for blanks,
#: which would make the search slow.
_PLACE = re.compile(r"(?:\s*\{(?P<tied>[^{}]*)\}\s*|(?P<single>[^{},]*))(?P<comma>,|$)")
_NAME = "ALTERNATIVE NAME"


def read_preflib(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> Rankings:
    r"""Read a file of orders from the PrefLib library (https://preflib.org).

    PrefLib calls the items "alternatives". There are two formats, and both can be read. The current format has header
    lines `# KEY: value`. The older format begins with the number of alternatives. Alternatives are numbered from 1, or
    from 0 as in some old files. The header contains the number of voters and the number of orders. Both numbers must
    agree with the orders in the file. The orders must agree with the type of the file: the end of its name, such as
    .soc. If an order occurs twice, the two numbers of voters are added.

    Parameters
    ----------
    path : path
        A text file. Its name ends in .soc, .soi, .toc or .toi. Orders with ties are allowed in .toc and .toi files.
        Incomplete orders are allowed in .soi and .toi files.
    encoding : str
        The encoding of the file: a name that Python's `open` accepts.

    Returns
    -------
    Rankings
        The orders, with the names of the alternatives in the order of their numbers. `counts` has the number of voters
        of each order. Alternatives that an order leaves out come last. Incomplete orders are stored as lists. If the
        result is called `votes`, you get one row for each voter by
        `votes[np.repeat(np.arange(len(votes)), votes.counts)]`.

    Examples
    --------
    >>> import pathlib, tempfile, wkendall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "fruit.toi")
    ...     _ = path.write_text("3\n1,apple\n2,pear\n3,plum\n7,7,2\n4,1,{2,3}\n3,2\n")
    ...     votes = wkendall.read_preflib(path)
    >>> votes
    Rankings: 2 lists of 3 items, 1 with ties, 1 with missing items, observed 7 times
      4 x apple > pear = plum
      3 x pear
    >>> votes.counts
    array([4, 3])
    """
    return read_orders(path, encoding).rankings(Reading(ties="mean", missing="bottom"))


def read_orders(path: str | os.PathLike[str], encoding: str = "utf-8") -> Contents:
    """Read a file as `read_preflib` does, without checking the rankings."""
    kind = as_path(path).suffix.lower()
    if kind not in KINDS:
        File(as_path(path).name, "").fail(1, f"the name of the file must end in one of {', '.join(KINDS)}")
    file = opened(path, encoding)
    lines = [(number, line.strip()) for number, line in enumerate(lines_of(file.text), 1) if line.strip()]
    if not lines:
        file.fail(1, "the file is empty")
    items, totals, orders, first = (_current_format if lines[0][1][0] == "#" else _old_format)(file, kind, lines)
    counts: list[int] = []
    lines_of_orders: list[int] = []
    rows: dict[tuple[tuple[int, int], ...], int] = {}
    for line, text, order in orders:
        count = file.whole(line, text, "the count")
        ranks = _order(file, kind, line, order, range(first, first + len(items)))
        row = rows.setdefault(tuple(sorted((number - first, rank) for number, rank in ranks.items())), len(rows))
        if row == len(counts):
            counts.append(count)
            lines_of_orders.append(line)
        else:
            counts[row] += count
    _check_totals(file, totals, counts, len(orders))
    if counts and max(counts) >= 2**63:
        file.fail(lines_of_orders[counts.index(max(counts))], f"{max(counts)} voters are too many: a count has 63 bits")
    parts: dict[str, Any] = {"counts": np.array(counts, dtype=np.int64), "lines": lines_of_orders, "layout": "PrefLib"}
    return Contents(file.name, as_lists([dict(row) for row in rows], len(items)), items, **parts)


def _check_totals(file: File, totals: list[tuple[int, str, int, str]], counts: list[int], orders: int) -> None:
    """Compare the numbers in the header with the orders. If an order occurs twice, the header may count it once."""
    for line, said, number, of in totals:
        voters = of == "voters"
        found = sum(counts) if voters else orders
        if number != found and (voters or number != len(counts)):
            what = "the counts add up to" if voters else "the number of orders is"
            file.fail(line, f"{said} is {number}, but {what} {found}", value=number)


class _Content(NamedTuple):
    """The contents of a PrefLib file."""

    items: list[str]
    #: Line, name and value of a number in the header, and what it counts (voters or orders).
    totals: list[tuple[int, str, int, str]]
    #: Line, count and order.
    orders: list[tuple[int, str, str]]
    #: The number of the first alternative: 1, or 0 in some old files.
    first: int


def _current_format(file: File, kind: str, lines: list[tuple[int, str]]) -> _Content:
    header: dict[str, tuple[int, str]] = {}
    orders: list[tuple[int, str, str]] = []
    for line, text in lines:
        first, colon, second = (part.strip() for part in text.removeprefix("#").partition(":"))
        if not colon:
            file.fail(line, f"{shown(text)} is neither a line like '# KEY: value' nor one like '5: 1,2,{{3,4}}'")
        if text[0] != "#":
            orders.append((line, first, second))
            continue
        key = " ".join(first.upper().split())
        if orders:
            file.fail(line, f"the header goes on with {shown(text)}, but must be complete before the first order")
        if key in header:
            file.fail(line, f"{short(key)} is given again, after line {header[key][0]}", "duplicate", value=key)
        header[key] = line, second
    line, stated = header.get("DATA TYPE", (0, ""))
    if stated and f".{stated.lower()}" != kind:
        file.fail(line, f"DATA TYPE is {shown(stated)}, but the name of the file ends in {kind}")
    numbers: list[tuple[int, str, int]] = []
    for key, least in [("NUMBER ALTERNATIVES", 1), ("NUMBER VOTERS", 0), ("NUMBER UNIQUE ORDERS", 0)]:
        if key not in header:
            file.fail(orders[0][0] if orders else lines[-1][0], f"the header ends without a line '# {key}: ...'")
        numbers.append((header[key][0], key, file.whole(*header[key], key, least)))
    names = [(line, key[len(_NAME) :].strip(), name) for key, (line, name) in header.items() if key.startswith(_NAME)]
    (line, _, size), voters, unique = numbers
    items, base = _named(file, line, size, names)
    return _Content(items, [(*voters, "voters"), (*unique, "orders")], orders, base)


def _old_format(file: File, _kind: str, lines: list[tuple[int, str]]) -> _Content:
    line, text = lines[0]
    if not WHOLE.fullmatch(text):
        file.fail(line, f"{shown(text)} is neither a line like '# KEY: value' nor the number of alternatives")
    size = file.whole(line, text, "the number of alternatives")
    if len(lines) < size + 2:
        file.fail(lines[-1][0], f"the file ends before {size} alternatives and a line of three numbers have come")
    pairs = [(number, *(part.strip() for part in text.partition(","))) for number, text in lines]
    split = [(number, first, rest) for number, first, _, rest in cast("list[tuple[int, str, str, str]]", pairs)]
    items, base = _named(file, line, size, split[1 : size + 1])
    line, text = lines[size + 1]
    totals = [part.strip() for part in text.split(",")]
    if len(totals) != 3:
        file.fail(line, f"{shown(text)} must be the numbers of voters, of all counts and of orders, as in 475,475,31")
    voters, total, unique = (file.whole(line, number, "a number of this line", 0) for number in totals)
    return _Content(
        items,
        [
            (line, "the number of voters", voters, "voters"),
            (line, "the sum of all counts", total, "voters"),
            (line, "the number of different orders", unique, "orders"),
        ],
        split[size + 2 :],
        base,
    )


def _named(file: File, line: int, size: int, entries: list[tuple[int, str, str]]) -> tuple[list[str], int]:
    """Return the names of the alternatives in the order of their numbers, and the first number: 0 or 1.

    Each entry has a line, a number and a name.
    """
    first = 0 if any(text.isdecimal() and not int(text) for _, text, _ in entries if len(text) < 20) else 1
    numbers = range(first, first + size)
    by_number: dict[int, str] = {}
    by_name: dict[str, int] = {}
    for place, text, name in entries:
        number = file.whole(place, text, "the number of an alternative", first)
        if number not in numbers:
            reason = f"alternative {number} is not one of the {size} alternatives that line {line} announces" + (
                ", numbered from 0" if not first else ""
            )
            file.fail(place, reason, "out of range", value=number)
        if number in by_number:
            reason = f"alternative {number} has a name already, {shown(by_number[number])}"
            file.fail(place, reason, "duplicate", value=number)
        if not name:
            file.fail(place, f"alternative {number} has an empty name")
        if by_name.setdefault(name, number) != number:
            reason = f"alternative {number} has the name of alternative {by_name[name]}, {shown(name)}"
            file.fail(place, reason, "duplicate", value=name)
        by_number[number] = name
    if len(by_number) < size:
        lacking = next(number for number in numbers if number not in by_number)
        file.fail(line, f"{size} alternatives are announced, but alternative {lacking} has no name")
    return [by_number[number] for number in numbers], first


def _order(file: File, kind: str, line: int, text: str, known: range) -> dict[int, int]:
    """Return the ranks of the alternatives in an order such as 1,2,{3,4}."""
    ties, complete = KINDS[kind]
    if not text:
        file.fail(line, "there is a count, but no order after it")
    ranks: dict[int, int] = {}
    for group in _groups(file, line, text):
        rank = len(ranks) + 1
        for part in group:
            alternative = file.whole(line, part.strip(), "an alternative", known.start)
            if alternative not in known:
                reason = (
                    f"there is no alternative {alternative}: they are numbered from {known.start} to {known.stop - 1}"
                )
                file.fail(line, reason, "out of range", value=alternative)
            if alternative in ranks:
                file.fail(line, f"alternative {alternative} is in the order twice", "duplicate", value=alternative)
            ranks[alternative] = rank
        if len(group) > 1 and not ties:
            tied = short(",".join(group))
            file.fail(line, f"{tied} are tied, but the orders of a {kind} file must be strict")
    if complete and len(ranks) < len(known):
        lacking = next(number for number in known if number not in ranks)
        file.fail(line, f"alternative {lacking} is not ranked, but the orders of a {kind} file must be complete")
    return ranks


def _groups(file: File, line: int, text: str) -> Iterator[list[str]]:
    end, more = 0, True
    while more:
        place = _PLACE.match(text, end)
        if place is None:
            file.fail(line, f"the braces in {shown(text)} are not in pairs around ties, as in 1,{{2,3}},4")
        end, more = place.end(), bool(place["comma"])
        yield [place["single"]] if place["tied"] is None else place["tied"].split(",")
