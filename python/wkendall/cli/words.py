"""What the library says about its parameters, in the words of the command line."""

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

#: Arguments of functions that are options here, and the names of these.
_OPTIONS = {name: name for name in ("k", "u", "U", "W", "order", "lam", "train", "test", "method", "radius")} | {
    "n_components": "components",
    "n_neighbors": "n-neighbors",
}
#: What to do here, where something else has to be done in Python.
_ADVICE = {
    "start again": "--force starts again",
    "overwrite": "--force overwrites it",
    "extra": "[cli]",
    "lists": "",
}


@contextmanager
def in_words_of_the_command(**sources: Source | None) -> Iterator[None]:
    """Turn what the library says into what the command line calls parameters, files and places in them.

    Parameters
    ----------
    **sources
        For the names that the library gives to rankings, X and Y, the files that they came from.
    """
    try:
        yield
    except (ValueError, TypeError, ImportError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system said it
        files = {name: source for name, source in sources.items() if source is not None}
        about = files.get(error.argument or "") if isinstance(error, RankingError) else None
        edited = about if about is not None and about.lines else None
        raise CommandError(sentence_of(error).said(lambda piece: _said(piece, files, edited))) from error


def _said(piece: Piece, files: Mapping[str, Source], edited: Source | None) -> str:
    """Say a piece of a message; places in a file for text editors as these show them."""
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
