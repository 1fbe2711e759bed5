"""Messages of the library in the terms of the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from wkendall._errors import Advice, Argument, Option, Piece, sentence_of
from wkendall.cli.errors import CommandError, in_options


@contextmanager
def in_words_of_the_command(*, learned: Collection[str] = (), **files: object) -> Iterator[None]:
    """Reword messages of the library: options for parameters, files for arguments.

    Parameters
    ----------
    learned : collection of str
        Options that this command does not have, because it takes them from `wkendall learn`.
    **files
        The files of the rankings, by the names that the library uses (X and Y).
    """

    def said(piece: Piece) -> str:
        match piece:
            case Argument(name) if files.get(name) is not None:
                return str(files[name])
            case Option(name, _) if name in learned:
                return f"wkendall learn with {in_options(piece)}"
            case Advice("scores"):
                return f"; {said(Option('input', 'scores'))} reads real numbers as scores, where larger is better"
            case other:
                return in_options(other)

    try:
        yield
    except (ValueError, TypeError, ImportError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an error of the system
        raise CommandError(sentence_of(error).said(said)) from error
