"""Errors that keep what they know: the row, the column, the value, the argument, and a sentence that can be said in other words.

A sentence is made of pieces: words, and places and names that others know by other names. dask moves the rows, the command line
says lines of files and options. None of them looks for words in a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Number
from typing import Any, NamedTuple, Self, TypeVar

from wkendall._text import shown


class Row(NamedTuple):
    """A row, from 0."""

    number: int


class Column(NamedTuple):
    """The number of a column, from 0."""

    number: int


class Argument(NamedTuple):
    """The name of an argument."""

    name: str


class Option(NamedTuple):
    """An argument with a value, as it is written in a call."""

    name: str
    value: object


class Advice(NamedTuple):
    """What can be done about it; `kind` is for those to whom something else has to be said, or nothing."""

    kind: str
    words: str


Piece = str | Row | Column | Argument | Option | Advice

#: What to do with names.
NAMES = Advice("lists", "; from_lists takes lists of names, best first, and ListEncoder does in a pipeline")


def in_python(piece: Piece) -> str:
    """Say a piece as those know it who call a function."""
    match piece:
        case Row(number):
            return f"row {number}"
        case Column(number):
            return f"{number}"
        case Argument(name):
            return name
        case Option(name, value):
            return f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"
        case Advice(_, words):
            return words
        case words:
            return words


class Sentence(str):
    """A message that keeps its pieces. Any exception can have one, as its only argument."""

    __slots__ = ("pieces",)

    pieces: tuple[Piece, ...]

    def __new__(cls, *pieces: Piece) -> Self:
        """Join the pieces, as they are said in Python."""
        made = super().__new__(cls, "".join(map(in_python, pieces)))
        made.pieces = pieces
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[Piece, ...]]:
        return type(self), self.pieces

    def said(self, how: Callable[[Piece], str]) -> str:
        """Return the message in other words."""
        return "".join(map(how, self.pieces))


class RankingError(ValueError):
    """Rankings, or a parameter, that cannot be used; it knows what is wrong, and where.

    A `ValueError`. If an entry is no number, such as a text, it is a `TypeError` as well. The attributes are None where they do
    not apply.

    Attributes
    ----------
    argument : str
        The name of the argument, such as "X" or "u".
    row, column : int
        The place in the argument, counting from 0. For a value that its row holds twice the column is that of the second.
        Of `from_lists` the list and the place in it; of a text file the row is the line.
    value : number or text
        The value that is wrong; the text that shows it if it is neither a number nor a text.
    kind : str
        What is wrong, for programs to compare with: "duplicate", "nan", "out of range", "not whole", "infinite", "mixed base"
        (some rows count from 0 and others from 1), "text", "not a number", "masked", "ragged" (rows of different lengths),
        "axes" (the value is how many there are), "items differ", and others.

    Examples
    --------
    >>> import wkendall
    >>> try:
    ...     wkendall.gram_matrix([[1, 2, 3], [2, 3, 3]])
    ... except wkendall.RankingError as error:
    ...     error.argument, error.row, error.column, error.value, error.kind
    ('X', 1, 2, 3, 'duplicate')
    """

    __module__ = "wkendall"

    def __init__(
        self,
        message: str = "",
        *,
        argument: str | None = None,
        row: int | None = None,
        column: int | None = None,
        value: Any = None,
        kind: str | None = None,
    ) -> None:
        super().__init__(message)
        self.argument = argument
        self.row = row
        self.column = column
        # Errors go from process to process, and not every object can.
        self.value: Any = value if value is None or isinstance(value, str | bytes | Number) else shown(value)
        self.kind = kind


class RankingTypeError(RankingError, TypeError):
    """Rankings with an entry that is no number."""


_Error = TypeVar("_Error", bound=RankingError)


def sentence_of(error: BaseException) -> Sentence:
    """Return the message of an error; of one from elsewhere in one piece."""
    message = error.args[0] if len(error.args) == 1 else str(error)
    return message if isinstance(message, Sentence) else Sentence(str(message))


def bad_argument(argument: str, *pieces: Piece, **known: Any) -> RankingError:
    """Make an error whose message begins with the name of an argument, or of a part of it as in "U[0]"."""
    name, bracket, rest = argument.partition("[")
    return RankingError(Sentence(Argument(name), bracket + rest, *pieces), argument=name, **known)


def bad_type(argument: str, *pieces: Piece) -> TypeError:
    """Make an error about the type of an argument, or of a part of it."""
    name, bracket, rest = argument.partition("[")
    return TypeError(Sentence(Argument(name), bracket + rest, *pieces))


def changed(error: _Error, pieces: Iterable[Piece], **attributes: Any) -> _Error:
    """Return the same error with another message, and some other attributes."""
    known = {name: getattr(error, name) for name in ("argument", "row", "column", "value", "kind")}
    return type(error)(Sentence(*pieces), **{**known, **attributes})


def about(error: _Error, argument: str, *advice: Piece) -> _Error:
    """Say which argument an error is about, and what can be done."""
    pieces = (Argument(argument), ": ", *sentence_of(error).pieces, *advice)
    return changed(error, pieces, argument=argument)


def moved(error: _Error, rows: int, argument: str) -> _Error:
    """Return an error about a part of the rows of an argument as one about the whole, which may have another name."""

    def in_whole(piece: Piece) -> Piece:
        match piece:
            case Row(number):
                return Row(number + rows)
            case Argument(name) if name == error.argument:
                return Argument(argument)
            case _:
                return piece

    row = None if error.row is None else error.row + rows
    return changed(error, map(in_whole, sentence_of(error).pieces), argument=argument, row=row)


def without_advice(error: _Error) -> _Error:
    """Leave out what can be done, where it cannot."""
    return changed(error, (piece for piece in sentence_of(error).pieces if not isinstance(piece, Advice)))


_MADE: dict[str, Callable[..., Piece]] = {"row": Row, "column": Column, "argument": Argument, "advice": Advice}


def from_core(
    pieces: list[str | tuple[Any, ...]],
    argument: str | None,
    row: int | None,
    column: int | None,
    value: float | None,
    kind: str | None,
) -> RankingError:
    """Make the error that the extension module raises."""
    made = [piece if isinstance(piece, str) else _MADE[piece[0]](*piece[1:]) for piece in pieces]
    return RankingError(Sentence(*made), argument=argument, row=row, column=column, value=value, kind=kind)
