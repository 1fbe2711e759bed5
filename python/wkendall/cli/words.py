"""Messages of the library in the terms of the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from wkendall._errors import (
    Advice,
    Argument,
    Column,
    Option,
    Piece,
    RankingError,
    Row,
    in_python,
    sentence_of,
)
from wkendall.cli.errors import CommandError
from wkendall.cli.reading import Source

#: Function arguments that are options here, and the names of the options.
_OPTIONS = {name: name for name in ("k", "u", "U", "W", "order", "lam", "train", "test", "method", "radius")} | {
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


@contextmanager
def in_words_of_the_command(**sources: Source | None) -> Iterator[None]:
    """Reword messages of the library: options for parameters, files for arrays, lines of files for rows.

    Parameters
    ----------
    **sources
        The files of the rankings, by the names that the library uses (X and Y).
    """
    try:
        yield
    except (ValueError, TypeError, ImportError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an error of the system
        files = {name: source for name, source in sources.items() if source is not None}
        about = files.get(error.argument or "") if isinstance(error, RankingError) else None
        edited = about if about is not None and about.lines else None
        raise CommandError(sentence_of(error).said(lambda piece: _said(piece, files, edited))) from error


def _said(piece: Piece, files: Mapping[str, Source], edited: Source | None) -> str:
    """Write a piece of a message; positions in text files are shown as text editors show them."""
    match piece:
        case Row(number) if edited is not None:
            return f"line {edited.lines[number]}"
        case Column(number) if edited is not None:
            return f"{number + 1}" if edited.items is None else repr(edited.items[number])
        case Argument(name) if name in files:
            return str(files[name].path)
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
