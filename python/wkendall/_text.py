"""Values and texts as shown in messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def shown(value: object) -> str:
    """Return a value as written in code, on one line and shortened."""
    if isinstance(value, int) and abs(value) >= 10**50:  # Python refuses to print very long integers
        return f"an integer of {int(value.bit_length() * 0.30103) + 1} digits"
    try:
        return short(repr(value))
    except (ValueError, RecursionError):  # an integer of that size inside, or too many lists in lists
        return f"a {type(value).__name__}"


def one_line(text: str) -> str:
    """Return a text without line breaks, and with one space between words."""
    return " ".join(text.split())


def short(text: str, most: int = 60) -> str:
    """Return a text on one line, shortened to `most` characters."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 3]}..."


def some_names(names: Iterable[object], most: int = 10) -> str:
    """Return the first names of several, separated by commas."""
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(map(shown, known[:most])) + more


def parsed_json(text: str | bytes) -> Any:
    """Return what JSON holds; what cannot be read, for any reason, is a ValueError."""
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it has lists in lists, too many to read") from None
