"""Save an object as one file, and load it again; the data of its arrays can stay in the file.

The file begins with a mark (bytes that identify the format) and a header. Then there are blocks of data; the header has
the place and the checksum of each block. The first block is the pickle of the object without the data of its arrays.
Then there is one block for each array. Blocks begin at multiples of 64 bytes.
"""

from __future__ import annotations

import os
import pickle
import struct
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from wkendall._core import __version__
from wkendall._disk import as_path, write_whole

T = TypeVar("T")
_MARK = b"wkendall object\n"
#: The number of blocks, and the version of the format; then for each block its place, its length and its checksum.
_HEAD, _BLOCK = struct.Struct("<II"), struct.Struct("<QQQ")
_VERSION, _ALIGNED = 1, 64


def save_object(path: str | os.PathLike[str], value: object) -> None:
    """Write an object to a file."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps((__version__, value), protocol=5, buffer_callback=buffers.append)
    blocks = [memoryview(pickled), *(buffer.raw() for buffer in buffers)]
    place = len(_MARK) + _HEAD.size + _BLOCK.size * len(blocks) + 4
    head = [_HEAD.pack(len(blocks), _VERSION)]
    pieces: list[bytes | memoryview] = []
    for block in blocks:
        padding = -place % _ALIGNED
        head.append(_BLOCK.pack(place + padding, block.nbytes, zlib.crc32(block)))
        pieces += [bytes(padding), block]
        place += padding + block.nbytes
    whole = b"".join(head)
    write_whole(as_path(path), [_MARK, whole, struct.pack("<I", zlib.crc32(whole)), *pieces])


def load_object(path: str | os.PathLike[str], kind: type[T], mmap: bool, finish: Callable[[T], None]) -> T:
    """Read an object of the class `kind` from a file; `finish` checks it. With `mmap`, arrays stay in the file."""
    file, what = as_path(path), f"{kind.__name__}.save"
    with file.open("rb") as opened:
        if opened.read(len(_MARK)) != _MARK:
            raise ValueError(f"{str(file)!r} is not a file that {what} wrote")
        try:
            places = _places(opened, file.stat().st_size)
            first, last, _ = places[0]
            opened.seek(first)
            blocks: list[Any] = [opened.read(last - first)]
            if mmap:
                mapped = np.memmap(file, dtype=np.uint8, mode="r")
                blocks += [mapped[start:end].data for start, end, _ in places[1:]]
            else:
                for start, end, _ in places[1:]:
                    opened.seek(start)
                    blocks.append(opened.read(end - start))
            for block, (*_, checksum) in zip(blocks[:1] if mmap else blocks, places, strict=False):
                if zlib.crc32(block) != checksum:
                    raise ValueError("a checksum differs")
        except (ValueError, struct.error) as error:
            raise ValueError(f"{str(file)!r} is damaged: {error}") from None
    try:
        version, found = pickle.loads(blocks[0], buffers=blocks[1:])
    except Exception as error:  # of any kind: the classes may have changed
        raise ValueError(f"{str(file)!r} cannot be read with this version of wkendall: {error}") from None
    if not isinstance(found, kind):
        raise ValueError(f"{str(file)!r} has an object of type {type(found).__name__}, not {kind.__name__}")
    try:
        finish(found)
    except (TypeError, ValueError) as error:
        reason = "is damaged" if version == __version__ else f"is of version {version} of wkendall"
        raise ValueError(f"{str(file)!r} {reason}: {error}") from None
    return found


def _places(opened: Any, size: int) -> list[tuple[int, int, int]]:
    """Return the beginning, the end and the checksum of each block."""
    head = opened.read(_HEAD.size)
    count, version = _HEAD.unpack(head)
    if version != _VERSION:
        raise ValueError(f"it has version {version} of the format, but must have version {_VERSION}")
    if not 0 < count <= size // _BLOCK.size:
        raise ValueError("its header is wrong")
    head += opened.read(_BLOCK.size * count)
    if struct.unpack("<I", opened.read(4))[0] != zlib.crc32(head):
        raise ValueError("its header is wrong")
    found = [(place, place + length, checksum) for place, length, checksum in _BLOCK.iter_unpack(head[_HEAD.size :])]
    if found[-1][1] != size:
        raise ValueError(f"it has {size} bytes, but must have {found[-1][1]}")
    return found
