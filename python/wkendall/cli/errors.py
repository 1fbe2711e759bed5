"""Errors as one line, and the library's names of arguments as options."""

from __future__ import annotations

from wkendall._errors import Advice, Argument, Option, Piece, in_python, sentence_of
from wkendall._text import one_line

#: Function arguments that are options here, and the names of the options.
_OPTIONS = {name: name for name in ("k", "u", "U", "W", "order", "lam", "train", "test", "method", "radius")} | {
    **{name: name for name in ("id", "item", "value", "skip")},
    "n_components": "components",
    "n_neighbors": "n-neighbors",
}
#: Advice for the command line that replaces advice for Python.
_ADVICE = {
    "start again": "--force starts again",
    "overwrite": "--force overwrites it",
    "extra": "[cli]",
    "lists": "",
}


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


def with_options(error: BaseException) -> str:
    """Return the message of the library with options in place of arguments."""
    return sentence_of(error).said(in_options)


def in_options(piece: Piece) -> str:
    """Write a piece of a message of the library for the command line."""
    match piece:
        case Argument(name) if name in _OPTIONS:
            return f"--{_OPTIONS[name]}"
        case Option(name, bool(value)):
            return f"--{name}" if value else f"--no-{name}"
        case Option(name, value):
            return f"--{name} {value}"
        case Advice(kind, words):
            return _ADVICE.get(kind, words)
        case other:
            return in_python(other)
