"""Read text files. Errors name the line."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from wkendall._disk import as_path
from wkendall._errors import Parts, RankingError, bad_argument, bad_type, made, shown

#: Cells of a CSV file that mean a missing value: those of pandas.
MISSING = {"", "NA", "NaN", "nan", "N/A", "n/a", "null", "NULL", "None", "<NA>", "-nan", "-NaN", "#N/A", "#NA"}
MISSING |= {"#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
#: True and false in a table of observations, as pandas knows them.
FLAGS = {"True": 1, "TRUE": 1, "true": 1, "False": 0, "FALSE": 0, "false": 0}
#: Digits can be matched in one way only: of a long cell that is no number each way would be tried.
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE)
#: Any 18 digits fit in 64 bits.
WHOLE = re.compile(r"[0-9]{1,18}")


class File(NamedTuple):
    """The name of a file, and the text in it."""

    name: str
    text: str

    def fail(
        self,
        line: int,
        reason: str,
        kind: str | None = None,
        column: int | None = None,
        value: object = None,
        advice: tuple[str, ...] = (),
    ) -> NoReturn:
        """Raise an error about a line. Lines count from 1. The attributes `row` and `column` of the error count from 0."""
        parts = Parts(f"{self.name}, line {line}: {reason}", advice=advice)
        raise made(RankingError, parts, row=line - 1, column=column, value=value, kind=kind) from None

    def whole(self, line: int, text: str, what: str, least: int = 1) -> int:
        """Return a whole number in a line."""
        if not WHOLE.fullmatch(text) or int(text) < least:
            rule = f"a whole number from {least}" + (" of at most 18 digits" if len(text) > 18 else "")
            self.fail(line, f"{what} is {shown(text)}, but must be {rule}", value=text)
        return int(text)


def opened(path: object, encoding: str | None = None) -> File:
    """Read a text file in the given encoding. `encoding` is None if the caller has no such option; then it is UTF-8."""
    source = as_path(path)
    known = _codec(encoding)
    data = source.read_bytes()
    try:
        file = File(source.name, data.decode(known))
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(known, errors="replace")
        reason = f"the byte 0x{error.object[error.start]:02x} is not {_shown_codec(known)}"
        File(source.name, before).fail(len(lines_of(before)), *_not_text(reason, data, encoding))
    except UnicodeError as error:  # of UTF-16 without its first mark
        File(source.name, "").fail(1, f"this is not text in {_shown_codec(known)}: {error}")
    before, zero, _ = file.text.partition("\0")
    if zero:
        file.fail(len(lines_of(before)), *_not_text("there is a zero byte", data, encoding))
    return file


def _codec(encoding: object) -> str:
    """Return the name of Python's codec for an encoding. With UTF-8, a byte order mark at the start is left out."""
    if encoding is None:
        return "utf-8-sig"
    rule = "the name of an encoding that Python knows, such as 'utf-8', 'cp1252' or 'latin-1'"
    if not isinstance(encoding, str):
        raise bad_type("encoding", f" must be {rule}, not {shown(encoding)}")
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # refuses codecs that are not for text
    except (LookupError, ValueError):
        raise bad_argument("encoding", f" is {shown(encoding)}, but must be {rule}", value=encoding) from None
    return "utf-8-sig" if name == "utf-8" else name


def _shown_codec(name: str) -> str:
    return "UTF-8" if name == "utf-8-sig" else name


def _not_text(reason: str, data: bytes, encoding: str | None) -> tuple[str, None, None, None, tuple[str, ...]]:
    """Return what is wrong with the encoding of a file, and the encoding that it may have."""
    must = f"{reason}: the file must be text in {_shown_codec(_codec(encoding))}"
    if encoding is None or _codec(encoding) != "utf-8-sig":
        return must, None, None, None, ()
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if wide:
        return must, None, None, None, ("encoding", "utf-16", "this file, which begins with the mark of UTF-16")
    if "zero" in reason:
        return must, None, None, None, ()
    return must, None, None, None, ("encoding", "cp1252", "files from older programs on Windows")


def lines_of(text: str) -> list[str]:
    """Split a text at line ends only. `str.splitlines` also splits at other characters."""
    return re.split("\r\n|\r|\n", text)


def rows_of(file: File, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file, each with the line where it begins."""
    text = io.StringIO(file.text, newline="")
    reader = csv.reader(text, delimiter=delimiter, skipinitialspace=delimiter != " ", strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        file.fail(line, f"the row cannot be split into cells: {error}")
