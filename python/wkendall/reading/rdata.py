"""Reader of data frames in R save files."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from wkendall._text import short, shown

INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
#: Limit in bytes of the decompressed data, and of the dictionary: a small compressed file can expand to any size.
MOST_BYTES = 2**28
#: The bytes of the first piece of a stream that is decompressed.
_PIECE = 64
#: The first bytes of compressed files, and their decompressors.
PACKED: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_BYTES),
}
NO_INTEGER = -(2**31)


class Vector(NamedTuple):
    """A vector of R with its attributes."""

    values: Any
    attributes: dict[str, Any]


class Save:
    """An R save file, read from front to back; see "Serialization Formats" in the manual "R Internals"."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data, self.at = name, data, 0
        self.symbols: list[str] = []
        for start, unpack in PACKED.items():
            if data.startswith(start):
                try:
                    self.data = self.unpacked(data, start, unpack)
                except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
                    self.fail(f"the file cannot be decompressed: {error}")

    def fail(self, reason: str) -> NoReturn:
        """Raise an error about the file."""
        raise ValueError(f"{self.name}: {reason}") from None

    def unpacked(self, data: bytes, start: bytes, unpack: Callable[[], Any]) -> bytes:
        """Return the decompressed data, from one stream or several."""
        parts: list[bytes] = []
        room = MOST_BYTES
        at = 0
        while data.startswith(start, at):
            stream = unpack()
            # What follows the stream is copied: pieces that grow with it keep the time linear, however many streams there are.
            size = _PIECE
            while not stream.eof:
                if at >= len(data):
                    raise EOFError("it ends in the middle")
                parts.append(stream.decompress(data[at : at + size], room + 1))
                at += size
                size *= 2
                room -= len(parts[-1])
                if room < 0:
                    raise ValueError(f"it holds more than {MOST_BYTES // 2**20} MiB")
            at = min(at, len(data)) - len(stream.unused_data)
        return b"".join(parts)

    def frame(self) -> tuple[list[str], list[Vector]]:
        """Return the names and the columns of the only data frame."""
        if self.take(7) not in (b"RDX2\nX\n", b"RDX3\nX\n"):
            said = f"beginning with RDX2 or RDX3, but begins with {shown(self.data[:7])}"
            self.fail(f"the file must be one that R's save() writes, in XDR format, {said}")
        version, _, _ = self.integer(), self.integer(), self.integer()
        if version == 3:
            self.take(self.length())
        try:
            objects = self.item()
        except RecursionError:
            self.fail("its lists are nested too deeply for a data frame")
        values = [value for _, value in objects] if isinstance(objects, list) else []
        frames = [value for value in values if isinstance(value, Vector) and "data.frame" in texts(value, "class")]
        if len(frames) != 1:
            self.fail(f"there must be one data frame in the file, but there are {len(frames)}")
        names, columns = texts(frames[0], "names"), frames[0].values
        named = all(isinstance(name, str) for name in names)
        if not isinstance(columns, list) or len(names) != len(columns) or not named:
            self.fail("the data frame must have a name for each column")
        for name, column in zip(names, columns, strict=True):
            length = len(column.values) if isinstance(column, Vector) else 0
            if not length or length != len(columns[0].values):
                self.fail(f"column {short(name)} has {length} rows, but every column must have equally many, and some")
        return names, columns

    def whole(self, name: str, column: Vector) -> NDArray[np.int64]:
        """Return the whole numbers of a column; for a factor those of its levels, or its codes if the levels are words."""
        values = column.values
        levels = texts(column, "levels")
        if levels:
            if not all(level is None or isinstance(level, str) for level in levels):
                self.fail(f"column {name} is a factor whose levels are not texts")
            if not all(level is not None and INTEGER.fullmatch(level) for level in levels):
                first: dict[str | None, int | None] = {None: None}
                levels = [first.setdefault(level, place) for place, level in enumerate(levels, 1)]
            values = [
                levels[code - 1] if isinstance(code, int) and 0 < code <= len(levels) else None for code in values
            ]
        found = []
        for row, value in enumerate(values, 1):
            if not (value is None or isinstance(value, int | float | str)):
                self.fail(f"row {row}: column {name} holds a list, but must hold a whole number of at most 9 digits")
            text = f"{value:.17g}" if isinstance(value, float) else str(value)
            if value == NO_INTEGER or not INTEGER.fullmatch(text):
                said = "NA" if value is None or value == NO_INTEGER or value != value else shown(value)
                self.fail(f"row {row}: column {name} holds {said}, but must hold a whole number of at most 9 digits")
            found.append(int(text))
        return np.array(found, dtype=np.int64)

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        self.at += size
        if self.at > len(self.data):
            self.fail("the file ends in the middle of its data")
        return self.data[self.at - size : self.at]

    def integer(self) -> int:
        """Return the next integer."""
        return int.from_bytes(self.take(4), "big", signed=True)

    def length(self) -> int:
        """Return the next length of a vector."""
        length = self.integer()
        if length < 0:
            self.fail(f"there is a vector of length {length}: vectors of more than 2^31 - 1 elements are not read")
        return length

    def item(self) -> Any:
        """Return the next object: a vector, a list of (tag, object) pairs, a text, or None."""
        flags = self.integer()
        kind = flags & 0xFF
        if kind == 0xFE:
            return None
        if kind == 0xFF:
            number = flags >> 8 or self.integer()
            if not 1 <= number <= len(self.symbols):
                self.fail(f"there is a reference to symbol {number} of {len(self.symbols)}")
            return self.symbols[number - 1]
        if kind == 1:
            name = self.item()
            # Nested references could make a name that exceeds memory when it is printed.
            if not isinstance(name, str):
                self.fail("there is a symbol whose name is not a text")
            self.symbols.append(name)
            return name
        if kind in (2, 6):
            return self.pairs(flags)
        if kind == 9:
            size = self.integer()
            return None if size == -1 else self.take(size if size >= 0 else len(self.data)).decode(errors="replace")
        if kind == 238:
            return self.sequence()
        values: Any
        if kind in (10, 13, 14):
            length = self.length()
            form = np.dtype(">f8" if kind == 14 else ">i4")
            values = np.frombuffer(self.take(length * form.itemsize), form).tolist()
        elif kind in (16, 19):
            values = [self.item() for _ in range(self.length())]
        else:
            self.fail(f"there is an R object of type {kind}: only data frames of numbers, factors and text are read")
        return Vector(values, self.attributes() if flags & 0x200 else {})

    def pairs(self, flags: int) -> list[tuple[Any, Any]]:
        """Return the tags and objects of a list, up to its end."""
        found = []
        while True:
            if flags & 0x200:
                self.item()
            tag = self.item() if flags & 0x400 else None
            if not (tag is None or isinstance(tag, str)):
                self.fail("there is a list with a tag that is not a text")
            found.append((tag, self.item()))
            flags = self.integer()
            if flags & 0xFF == 0xFE:
                return found
            if flags & 0xFF != 2:
                self.fail(f"a list goes on with an R object of type {flags & 0xFF}")

    def attributes(self) -> dict[str, Any]:
        """Return the attributes that follow."""
        pairs = self.item() or []
        if not isinstance(pairs, list):
            self.fail("the attributes of a vector are not a list")
        return {str(tag): value for tag, value in pairs}

    def sequence(self) -> Vector:
        """Return a vector that R stores as its length, its first number and its step."""
        info, state, attributes = self.item(), self.item(), self.attributes()
        kind = info[0][1] if isinstance(info, list) else info
        if kind != "compact_intseq":
            self.fail(f"there is an R vector of the kind {shown(kind)}: of such, only compact_intseq is read")
        numbers = state.values if isinstance(state, Vector) else []
        real = len(numbers) == 3 and all(isinstance(number, int | float) for number in numbers)
        if not real or not all(abs(number) < 2**31 for number in numbers) or abs(numbers[2]) != 1:
            self.fail("a compact_intseq must be a length, a first number, and 1 or -1 for the step")
        length, first, step = map(int, numbers)
        if length > len(self.data):
            self.fail(f"there is a compact_intseq of {length} numbers, more than the bytes of the file")
        return Vector(range(first, first + step * length, step), attributes)


def texts(vector: Vector, attribute: str) -> list[Any]:
    """Return an attribute that is a list of texts, empty if there is none."""
    found = vector.attributes.get(attribute)
    return found.values if isinstance(found, Vector) and isinstance(found.values, list) else []
