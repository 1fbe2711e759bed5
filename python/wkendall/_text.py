"""Values and texts as messages show them."""

from __future__ import annotations


def shown(value: object) -> str:
    """Return a value as it is written in code, on one line and not too long."""
    if isinstance(value, int) and abs(value) >= 10**50:  # Python refuses to write very long ones
        return f"an integer of {int(value.bit_length() * 0.30103) + 1} digits"
    try:
        return short(repr(value))
    except ValueError:  # with such an integer inside
        return f"a {type(value).__name__}"


def one_line(text: str) -> str:
    """Return a text without ends of lines, and with one space between words."""
    return " ".join(text.split())


def short(text: str, most: int = 60) -> str:
    """Return a text on one line and not too long."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 3]}..."
