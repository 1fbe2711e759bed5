"""Read .npy and .npz files of NumPy. No code of a file is run, and no more memory is used than its data need."""

from __future__ import annotations

import math
import os
import struct
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import short
from wkendall._memory import check_room
from wkendall.cli.messages import CommandError
from wkendall.reading.contents import Contents

#: The exceptions of NumPy and zipfile for damaged files.
_DAMAGE = (
    *(ArithmeticError, EOFError, LookupError, NotImplementedError, OSError, RuntimeError, SyntaxError, TypeError),
    *(ValueError, struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
#: The maximum compression ratio of an array in an .npz file, for the two methods that NumPy uses.
_EXPANSION = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
#: The first bytes of files that NumPy reads: an array, an archive, an empty archive.
_OPENINGS = (np.lib.format.MAGIC_PREFIX, b"PK\x03\x04", b"PK\x05\x06")


def load_array(path: Path) -> NDArray[Any]:
    """Read an .npy file."""
    with _loaded(path) as loaded:
        if not isinstance(loaded, np.ndarray):
            raise CommandError(f"{path} has several arrays in it, but must be an .npy file with one")
        try:
            return _letters_checked(loaded)
        except ValueError as error:
            raise CommandError(f"{path}: {error}") from error


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of an .npz file. An array of Python objects is an error, because reading it would run code."""
    if not path.exists():
        raise CommandError(f"there is no {path}: wkendall learn -o {path.parent} writes it")
    with _loaded(path) as arrays:
        if isinstance(arrays, np.ndarray):
            raise CommandError(f"{path} has one array without a name, but must be an .npz file")
        return {name: _member(path, arrays, name) for name in arrays.files}


def from_npz(
    path: Path, name: str | None, apart: Sequence[str] = (), rows: str = "the rankings", column: str = "item"
) -> Contents:
    """Read an array of an .npz file, and the other arrays named in `apart`.

    In messages, `rows` is the word for the rows of the array, and `column` is the word for a column.
    """
    with _loaded(path) as arrays:
        if isinstance(arrays, np.ndarray):
            raise CommandError(f"{path} has one array without a name, but must be an .npz file")
        separated = {other: _member(path, arrays, other) for other in apart}
        others = [found for found in arrays.files if found not in (*apart, "items")]
        if name is None and "X" not in others and len(others) != 1:
            raise CommandError(f"{path} has the arrays {_known(arrays)}: --array says which has {rows}")
        X = _member(path, arrays, name or ("X" if "X" in others else others[0]))
        items = _member(path, arrays, "items") if "items" in arrays.files else None
    if items is not None and (items.shape != (X.shape[1:2] or (1,)) or items.dtype.kind == "V"):
        what = short(f"shape {items.shape} and dtype {items.dtype}")
        raise CommandError(f"{path}: the array 'items' has {what}, but must have a name for each {column}")
    names = None if items is None else [str(item) for item in items.tolist()]
    return Contents(str(path), X, names, apart=separated)


def _known(arrays: Any) -> str:
    return short(", ".join(arrays.files), 200)


def _member(path: Path, arrays: Any, name: str) -> NDArray[Any]:
    if name not in arrays.files:
        raise CommandError(f"{path} has no array {name!r}: it has {_known(arrays)}")
    try:
        _check_member(path, arrays.zip, name)
        return _letters_checked(np.asarray(arrays[name]))
    except _DAMAGE as error:
        raise CommandError(f"{path}: the array {short(repr(name))} cannot be read: {short(str(error), 200)}") from error


def _check_member(path: Path, archive: zipfile.ZipFile, name: str) -> None:
    """Raise an error for the array `name` if its header says that it is larger than the data in the file."""
    member = archive.getinfo(name if name in archive.namelist() else f"{name}.npy")
    expansion = _EXPANSION.get(member.compress_type)
    if expansion is None:
        raise ValueError("it is compressed in a way that NumPy does not use")
    if member.file_size > expansion * path.stat().st_size:
        raise ValueError(f"its {member.file_size} bytes cannot be in a file of {path.stat().st_size} bytes")
    check_room(member.file_size)
    with archive.open(member) as file:
        if file.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX:
            file.seek(0)
            _check_header(file, member.file_size)


def _letters_checked(array: NDArray[Any]) -> NDArray[Any]:
    """Raise an error for texts with invalid code points. NumPy reads such texts, but Python cannot convert them."""
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        largest = int(array.astype(array.dtype.newbyteorder("=")).reshape(-1).view(np.uint32).max())
        if largest > sys.maxunicode:
            raise ValueError(f"a text holds the number {largest:#x}, which is not a character")
    return array


def _check_header(file: IO[bytes], size: int) -> None:
    """Raise an error for an array that is larger than its file, before memory is allocated for the array."""
    version = np.lib.format.read_magic(file)
    # Version 3 differs from version 2 only in the encoding of field names, which arrays of numbers do not have.
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    try:
        shape, _, dtype = read(file)
    except MemoryError:  # raised by Python's parser for deeply nested headers
        raise ValueError("its header cannot be read") from None
    wanted = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or wanted > size - file.tell():
        raise ValueError(
            f"its header says {short(str(shape))} {short(str(dtype))}, but {size - file.tell()} bytes follow"
        )


@contextmanager
def _loaded(path: Path) -> Iterator[Any]:
    """Yield the array of an .npy file, or the arrays of an .npz file, each of which is read when it is used."""
    with path.open("rb") as file:
        opening = file.read(len(np.lib.format.MAGIC_PREFIX))
        try:
            if opening == np.lib.format.MAGIC_PREFIX:
                file.seek(0)
                size = os.fstat(file.fileno()).st_size
                _check_header(file, size)
                try:
                    check_room(size)
                except ValueError as error:  # the file need not be damaged
                    raise CommandError(f"{path} cannot be read: {error}") from error
            file.seek(0)
            loaded = np.load(file, allow_pickle=False)
        except _DAMAGE as error:
            # NumPy takes a file without an array for a pickled one, and its message would advise to load it anyway.
            known = not opening or opening.startswith(_OPENINGS)
            reason = f": {short(str(error), 200)}" if known else ""
            raise CommandError(f"{path} is not a file of NumPy arrays, or is damaged{reason}") from error
        yield loaded
