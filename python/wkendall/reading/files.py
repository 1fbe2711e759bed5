"""Text files: read with errors that name the line, written whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from wkendall._disk import claim

#: Cells of a CSV file that stand for a missing number.
MISSING = ("", "NA", "NaN", "nan")
#: Digits can be matched in one way only: of a long cell that is no number each way would be tried.
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE)
#: Any 18 digits fit in 64 bits.
WHOLE = re.compile(r"[0-9]{1,18}")


def shown(value: object) -> str:
    """Return a value as it is written in code, on one line and not too long."""
    if isinstance(value, int) and abs(value) >= 10**50:  # Python refuses to write very long ones
        return f"an integer of {int(value.bit_length() * 0.30103) + 1} digits"
    try:
        return short(repr(value))
    except ValueError:  # with such an integer inside
        return f"a {type(value).__name__}"


def short(text: str, most: int = 60) -> str:
    """Return a text on one line and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


class File(NamedTuple):
    """The name of a file, and the text in it."""

    name: str
    text: str

    def fail(self, line: int, reason: str) -> NoReturn:
        """Raise an error about a line."""
        raise ValueError(f"{self.name}, line {line}: {reason}") from None

    def whole(self, line: int, text: str, what: str, least: int = 1) -> int:
        """Return a whole number that stands in a line."""
        if not WHOLE.fullmatch(text) or int(text) < least:
            rule = f"a whole number from {least}" + (" of at most 18 digits" if len(text) > 18 else "")
            self.fail(line, f"{what} is {shown(text)}, but must be {rule}")
        return int(text)


def as_path(path: object) -> Path:
    """Return the path of a file."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be the name of a file, not {shown(path)}")
    return Path(path)


def same_file(path: Path, other: object) -> bool:
    """Tell whether two names lead to one file that is there."""
    with suppress(OSError, ValueError):
        return isinstance(other, str | os.PathLike) and path.samefile(other)
    return False


def refuse_own_file(path: Path, values: object, name: str) -> None:
    """Refuse to write to the file that an array is mapped from."""
    while values is not None:
        if same_file(path, getattr(values, "filename", None)):
            raise ValueError(f"{path} is the file that {name} is read from: use another name for the result")
        values = getattr(values, "base", None)


def opened(path: object) -> File:
    """Read a file of text in UTF-8."""
    source = as_path(path)
    try:
        file = File(source.name, source.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        byte, before = error.object[error.start], error.object[: error.start].decode()
        reason = f"the byte 0x{byte:02x} is not UTF-8: the file must be text in UTF-8"
        File(source.name, before).fail(len(lines_of(before)), reason)
    before, zero, _ = file.text.partition("\0")
    if zero:
        file.fail(len(lines_of(before)), "there is a zero byte: the file must be text in UTF-8")
    return file


def lines_of(text: str) -> list[str]:
    """Split at ends of lines only, not at the other characters that `str.splitlines` takes for them."""
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


def write_whole(path: Path, content: str | bytes, *, replace: bool = True) -> None:
    """Write a file beside the place where it belongs and move it there, so that nobody ever sees a part of it.

    Unless it may `replace` what is there, FileExistsError is raised if something is.
    """
    data = content.encode() if isinstance(content, str) else content
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            # A name that is on disk before what it stands for is an empty file after a power cut.
            os.fsync(file.fileno())
        if replace:
            unfinished.replace(path)
        else:
            claim(unfinished, path)
    except FileExistsError:
        raise FileExistsError(f"{path} was made by something else meanwhile, and is left alone") from None
    except OSError as error:
        # A full disk names no file, and the unfinished one means nothing to anybody.
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        # What could not be written cannot be removed either, on a disk that is read only.
        with suppress(OSError):
            unfinished.unlink()
