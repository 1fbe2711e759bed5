"""Errors with a message and with attributes: argument, row, column, value and kind.

Most errors also keep the parts of their message. Other modules can then write the message again, with other names of
rows and columns. For example, `wkendall.dask` counts rows from the beginning of the whole array. Errors about files
name lines instead of rows. The command line names options instead of arguments. No code searches for words in a
message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Number
from typing import Any, NamedTuple, TypeVar

#: What to do, by the kind of advice. The command line has a table of its own.
ADVICE = {
    "": "",
    "axes": "; [{}] is one ranking",
    "check": "; pass check=False to use it anyway",
    "column": "; pass the column, such as table[{}]",
    "columns": "; header=False reads the row as {}",
    "decimals": "; write decimals with a point",
    "delimiter": '; delimiter=" " is for numbers with spaces between them',
    "encoding": "; encoding={!r} reads {}",
    "gaps": '; gaps="close" leaves out blanks, so that later items move up',
    "gaps of files": '; layout="lists" leaves out blanks, so that later items move up',
    "header": "header=False reads the row as {}, header=True confirms the names",
    "item numbers": "; from_lists takes rows of item numbers, best first, out of a larger catalogue",
    "item numbers of files": '; layout="choices" reads cells as items, best first',
    "items": "; items= chooses the columns to read",
    "long table": '; layout="long" reads a line for each item of a ranking',
    "leave out": "; leave out items that are not listed",
    "list": "; list({}) has rows",
    "lists": "; from_lists takes lists that leave out items",
    "long": "id, item and value name them, skip leaves out others",
    "missing": '; missing="bottom" puts items without a number last, missing="anywhere" leaves their position open',
    "missing last": '; missing="bottom" puts items without a number last',
    "missing last of": '; Rankings({}, missing="bottom") puts items without a number last',
    "missing of": '; Rankings({}, missing="bottom") puts items without a number last, "anywhere" leaves their position open',
    "names": "; use from_lists for lists of names, best first, or ListEncoder in a pipeline",
    "no name": '; skip="{}" leaves it out',
    "names beside numbers": "; leave out columns of texts, or make them the index of a data frame",
    "numbers of rows": 'id="{0}" reads it as the names of the rankings, skip="{0}" leaves it out',
    "one group": "; groups == {} compares this group with all others",
    "overwrite": "remove it, or use another name",
    "ratings": '; ties="mean" treats equal numbers as ties, with input="scores" if larger numbers are better',
    "ratings of": '; Rankings({}, ties="mean") treats equal numbers as ties, with input="scores" if larger numbers are better',
    "rename": "resume=True renames it",
    "scores": '; input="scores" reads real numbers as scores, where larger is better',
    "scores of": '; Rankings({}, input="scores") reads real numbers as scores, where larger is better',
    "sparse": 'so pass missing="bottom"',
    "sparse of": 'so pass Rankings({}, missing="bottom")',
    "start again": "to start again, remove {}",
    "text column": '; id="{0}" reads the column as the names of the rankings, skip="{0}" leaves it out, layout= is for names '
    "of items in the cells",
    "stray text": "; a number that is missing is an empty cell",
    "stray text of frames": "; turn texts that mean a missing number into NaN",
    "texts": "; convert texts to numbers first",
    "tied ranks": '; input="ranks" with ties="mean" reads such ranks',
    "ties": '; ties="mean" treats equal numbers as ties',
    "ties of": '; Rankings({}, ties="mean") treats equal numbers as ties',
    "unlabelled": "; to leave out rankings without a label, pass rankings[mask] and {}[mask]",
    "unknown": '; unknown="ignore" leaves out such items',
}


class Parts(NamedTuple):
    """The parts of a message: the name of an argument, places in the argument, what is wrong, and advice."""

    #: What is wrong.
    reason: str
    #: The argument that the message begins with.
    subject: str = ""
    #: The places that come next, each a row and its columns.
    places: tuple[tuple[int, ...], ...] = ()
    #: The value in two columns of a row, or in the first of two places; the second holds 0.
    value: Any = None
    #: The kind of advice, and what it names.
    advice: tuple[str, ...] = ()

    def message(self, subject: str | None = None, advice: Mapping[str, str] = ADVICE) -> str:
        """Write the message; `subject` replaces the name of the argument, and `advice` has the texts of advice."""
        name = self.subject if subject is None else subject
        colon = ": " if name and self.places else ""
        said = advice[self.advice[0]].format(*self.advice[1:]) if self.advice else ""
        return f"{name}{colon}{self.place()}{self.reason}{said}"

    def place(
        self, row: Callable[[int], str] = "row {}".format, column: Callable[[int], str] = str, noun: str = "column"
    ) -> str:
        """Return the places as text; `row` and `column` turn numbers into names, and `noun` means a column."""
        if not self.places:
            return ""
        where, columns = row(self.places[0][0]), [column(number) for number in self.places[0][1:]]
        if len(columns) == 2:
            both = "in columns" if noun == "column" else f"for {noun}s"
            return f"{where} holds {self.value!r} twice, {both} {columns[0]} and {columns[1]}"
        if columns:
            where = f"{where}, {noun} {columns[0]}"
        if len(self.places) == 2:
            other, zero = self.places[1]
            return f"{where} holds {self.value!r} and {row(other)}, {noun} {column(zero)} holds 0"
        return where


class RankingError(ValueError):
    """The error for invalid rankings or parameters; its attributes say what is wrong, and where.

    A `RankingError` is a `ValueError`. If a value in the data is not a number, for example a text, the error is also a
    `TypeError`. Attributes that do not apply are None.

    Attributes
    ----------
    argument : str
        The name of the argument, such as "X" or "u".
    row, column : int
        The row and the column of the wrong value in the argument, counted from 0. If the same row contains a value
        twice, `column` is the column of the second occurrence. For `from_lists`, `row` is the number of the list, and
        `column` is the position in the list. For a text file, `row` is the number of the line, also counted from 0.
    value : number or text
        The wrong value. A value that is neither a number nor a text is converted to a text.
    kind : str
        A short name of the kind of error, for use in programs: "duplicate", "nan", "out of range", "not whole",
        "infinite", "mixed base" (some rows count from 0 and others from 1), "text", "not a number", "masked", "ragged"
        (rows of different lengths), "axes" (wrong number of axes; `value` is the number of axes), "items differ", and
        others.

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
        self.argument, self.row, self.column, self.kind = argument, row, column, kind
        # Errors are sent between processes, and not every object can be pickled.
        self.value: Any = value if value is None or isinstance(value, str | bytes | Number) else shown(value)


class RankingTypeError(RankingError, TypeError):
    """Rankings with an entry that is not a number."""


_Error = TypeVar("_Error", bound=Exception)


def made(exception: type[_Error], parts: Parts, **attributes: Any) -> _Error:
    """Make an exception that keeps the parts of its message."""
    error = exception(parts.message(), **attributes)
    vars(error)["_parts"] = parts
    return error


def parts_of(error: BaseException) -> Parts:
    """Return the parts of an error's message; if the error has no parts, the reason is the whole message."""
    found: Parts = getattr(error, "_parts", None) or Parts(str(error))
    return found


def remade(error: RankingError, parts: Parts, **attributes: Any) -> RankingError:
    """Return the same error with another message, and with some attributes changed."""
    known = {name: getattr(error, name) for name in ("argument", "row", "column", "value", "kind")}
    return made(type(error), parts, **{**known, **attributes})


def bad_argument(argument: str, reason: str, *advice: str, **attributes: Any) -> RankingError:
    """Make an error whose message begins with the name of an argument, or of a part of the argument, as in "U[0]"."""
    name, bracket, rest = argument.partition("[")
    return made(RankingError, Parts(bracket + rest + reason, name, advice=advice), argument=name, **attributes)


def bad_type(argument: str, reason: str, *advice: str) -> TypeError:
    """Make an error about the type of an argument, or of a part of the argument."""
    name, bracket, rest = argument.partition("[")
    return made(TypeError, Parts(bracket + rest + reason, name, advice=advice))


def bad_entry(
    argument: str,
    place: Sequence[int],
    reason: str,
    *advice: str,
    error: type[RankingError] = RankingError,
    **known: Any,
) -> RankingError:
    """Make an error about a row, or about an entry; `place` has the number of the row, or of row and column."""
    row, column = (*place, None)[:2]
    parts = Parts(reason, argument, (tuple(place),), advice=advice)
    return made(error, parts, argument=argument.partition("[")[0], row=row, column=column, **known)


def moved(error: RankingError, rows: int, argument: str) -> RankingError:
    """Turn an error about a part of the rows into an error about the whole argument.

    Before the part there are `rows` other rows. The name of the whole argument is `argument`.
    """
    parts = parts_of(error)
    places = tuple((row + rows, *columns) for row, *columns in parts.places)
    subject = argument if parts.subject == error.argument else parts.subject
    row = None if error.row is None else error.row + rows
    return remade(error, parts._replace(subject=subject, places=places), argument=argument, row=row)


def located(error: RankingError, items: Sequence[Any] | None, labels: Sequence[Any] | None) -> RankingError:
    """Add the names of columns and the labels of rows, if there are any, to the message of an error about rankings."""
    parts = parts_of(error)
    if not parts.places or (items is None and (labels is None or isinstance(labels, range))):
        return error
    row = "row {}".format if labels is None else lambda row: f"row {shown(labels[row])}"
    column = str if items is None else lambda column: shown(items[column])
    reason = f"{': ' if parts.subject else ''}{parts.place(row, column)}{parts.reason}"
    return remade(error, parts._replace(reason=reason, places=()))


def from_core(
    reason: str,
    kind: str | None,
    advice: str | None = None,
    places: Sequence[Sequence[int]] = (),
    argument: str | None = None,
    row: int | None = None,
    column: int | None = None,
    value: float | None = None,
) -> RankingError:
    """Make the error that the extension module raises."""
    parts = Parts(reason, argument or "", tuple(map(tuple, places)), value, (advice,) if advice else ())
    return made(RankingError, parts, argument=argument, row=row, column=column, value=value, kind=kind)


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
    """Return the first `most` names, separated by commas, and say how many other names there are."""
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(map(shown, known[:most])) + more


def names_beside(name: object, known: Iterable[object], noun: str) -> str:
    """Return a hint for a name that is not known: the most similar known name, or else the first of the known names."""
    names = list(known)
    texts = [text for text in names[:10_000] if isinstance(text, str)]  # comparing millions of texts takes too long
    close = get_close_matches(name, texts, 1) if isinstance(name, str) else []
    return f": did you mean {close[0]!r}?" if close else f": the {noun} are {some_names(names, 5)}"


def parsed_json(text: str | bytes) -> Any:
    """Return the content of a JSON text; raise ValueError if it cannot be read, for any reason."""
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it has lists in lists, too many to read") from None
