"""Errors that keep their details: row, column, value, argument, and a message that can be reworded.

A message is a sequence of pieces: texts, and places and names that have other names elsewhere. dask changes row
numbers; the command line shows lines of files and its own options. So no code has to search for words in a message.
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
    """Advice; `kind` lets other interfaces replace or drop it."""

    kind: str
    words: str


Piece = str | Row | Column | Argument | Option | Advice

#: Advice for names of items.
NAMES = Advice("lists", "; use from_lists for lists of names, best first, or ListEncoder in a pipeline")


def in_python(piece: Piece) -> str:
    """Write a piece for a user of the Python functions."""
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
    """A message that keeps its pieces. It can be the only argument of any exception."""

    __slots__ = ("pieces",)

    pieces: tuple[Piece, ...]

    def __new__(cls, *pieces: Piece) -> Self:
        """Join the pieces in the wording for Python."""
        made = super().__new__(cls, "".join(map(in_python, pieces)))
        made.pieces = pieces
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[Piece, ...]]:
        return type(self), self.pieces

    def said(self, how: Callable[[Piece], str]) -> str:
        """Return the message with each piece written by `how`."""
        return "".join(map(how, self.pieces))


class RankingError(ValueError):
    """Rankings, or a parameter, that cannot be used; the attributes say what is wrong and where.

    It is a `ValueError`. If an entry is not a number, such as a text, it is also a `TypeError`. Attributes that do not
    apply are None.

    Attributes
    ----------
    argument : str
        The name of the argument, such as "X" or "u".
    row, column : int
        The position in the argument, counting from 0. For a value that occurs twice in a row, the column is that of the
        second. For `from_lists`: the list and the position in it. For a text file: the row is the line.
    value : number or text
        The wrong value; its text form if it is neither a number nor a text.
    kind : str
        The kind of error, for programs: "duplicate", "nan", "out of range", "not whole", "infinite", "mixed base" (some
        rows count from 0 and others from 1), "text", "not a number", "masked", "ragged" (rows of different lengths),
        "axes" (the value is the number of axes), "items differ", and others.

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
        # Errors are sent between processes, and not every object can be pickled.
        self.value: Any = value if value is None or isinstance(value, str | bytes | Number) else shown(value)
        self.kind = kind


class RankingTypeError(RankingError, TypeError):
    """Rankings with an entry that is not a number."""


_Error = TypeVar("_Error", bound=RankingError)


def sentence_of(error: BaseException) -> Sentence:
    """Return the message of an error; the message of another library is a single piece."""
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
    """Return the same error with another message, and with some attributes changed."""
    known = {name: getattr(error, name) for name in ("argument", "row", "column", "value", "kind")}
    return type(error)(Sentence(*pieces), **{**known, **attributes})


def about(error: _Error, argument: str, *advice: Piece) -> _Error:
    """Add the name of the argument, and advice, to an error."""
    pieces = (Argument(argument), ": ", *sentence_of(error).pieces, *advice)
    return changed(error, pieces, argument=argument)


def moved(error: _Error, rows: int, argument: str) -> _Error:
    """Turn an error about some rows of an argument into one about the whole argument, which may have another name."""

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
    """Remove the advice where it does not apply."""
    return changed(error, (piece for piece in sentence_of(error).pieces if not isinstance(piece, Advice)))


_MADE: dict[str, Callable[..., Piece]] = {"row": Row, "column": Column, "argument": Argument, "advice": Advice}
_MADE["option"] = Option


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
