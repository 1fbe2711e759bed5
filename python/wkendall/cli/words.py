"""Messages of the library in the terms of the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from wkendall._errors import Advice, Argument, Column, Option, Piece, RankingError, Row, sentence_of
from wkendall.cli.errors import CommandError, in_options
from wkendall.cli.reading import Source


@contextmanager
def in_words_of_the_command(*, learned: Collection[str] = (), **sources: Source | None) -> Iterator[None]:
    """Reword messages of the library: options for parameters, files for arrays, lines of files for rows.

    Parameters
    ----------
    learned : collection of str
        Options that this command does not have, because it takes them from `wkendall learn`.
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
        pieces = sentence_of(error).pieces
        if isinstance(error, RankingError) and about is not None and about.layout != "ranks":
            pieces = _of_items(pieces, error.kind)
        words = (_said(piece, files, about, learned) for piece in pieces)
        raise CommandError("".join(words)) from error


def _of_items(pieces: tuple[Piece, ...], kind: str | None) -> tuple[Piece, ...]:
    """Name items: the array that was made from a file has a column for each, but the file has none."""
    columns = [place for place, piece in enumerate(pieces) if isinstance(piece, Column)]
    if kind == "nan" and columns:
        item = columns[0]
        return *pieces[: item - 1], " leaves out item ", pieces[item], *pieces[item + 2 :]
    found = list(pieces)
    for place in columns:
        before = found[place - 1]
        if isinstance(before, str):
            found[place - 1] = before.replace("in columns ", "for items ").replace("column ", "item ")
    return tuple(found)


def _said(piece: Piece, files: Mapping[str, Source], about: Source | None, learned: Collection[str]) -> str:
    """Write a piece of a message; positions in text files are shown as text editors show them."""
    match piece:
        case Row(number) if about is not None and about.layout == "long" and about.ids is not None:
            return f"ranking {about.ids[number]!r}"
        case Row(number) if about is not None and about.lines:
            return f"line {about.lines[number]}"
        case Column(number) if about is not None and about.items is not None:
            return repr(about.items[number])
        case Column(number) if about is not None and about.lines:
            return f"{number + 1}"
        case Argument(name) if name in files:
            return str(files[name].path)
        case Option(name, _) if name in learned:
            return f"wkendall learn with {in_options(piece)}"
        case Advice("scores"):
            option = _said(Option("input", "scores"), files, about, learned)
            return f"; {option} reads real numbers as scores, where larger is better"
        case other:
            return in_options(other)
