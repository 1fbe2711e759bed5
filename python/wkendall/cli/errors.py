"""Errors as one line."""

from __future__ import annotations

from wkendall._text import one_line


class CommandError(Exception):
    """The work failed; the message gives the reason. Exit code 1."""


class UsageError(Exception):
    """Wrong combination of options. Exit code 2."""


def explain(error: BaseException) -> str:
    """Return a sentence about an error, on one line."""
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return one_line(f"{where}{error.strerror}")
    if isinstance(error, MemoryError):
        detail = f": {error}" if str(error) else ""
        return one_line(f"not enough memory{detail}")
    if isinstance(error, CommandError | OSError | ValueError | TypeError | ImportError) and str(error):
        return one_line(str(error))
    return one_line(f"{type(error).__name__}: {error}; --debug shows the traceback")
