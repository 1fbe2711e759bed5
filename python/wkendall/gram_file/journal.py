"""A journal on disk that records the finished parts of a long computation, one line for each part.

The first line describes the computation. Each line has a checksum and a JSON value. If a process is killed while it
writes a line, the checksum of this line is wrong. If the checksum of the last line is wrong, this line is removed when
the journal is opened again.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from typing import Any

from wkendall._disk import lock, sync_folder

#: How often to reopen a journal that another process has removed, before reporting that the other process uses it.
_TRIES = 100
#: How a journal begins: a checksum, and a description. What begins otherwise was written by somebody else.
_BEGINNING = re.compile(rb"[0-9a-f]{16} \{")


class Journal:
    """An open journal, locked against all other processes. The file is created if it does not exist.

    `header` is the description of the computation, or None if the journal is empty. `entries` are the lines after the
    description.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = self._opened()
        try:
            self.header: dict[str, Any] | None = None
            self.entries: list[Any] = []
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _opened(self) -> FileIO:
        """Open the file and lock it. Try again if another process held the lock and has removed the file."""
        for _ in range(_TRIES):
            file = FileIO(os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+")
            try:
                if not lock(file):
                    break
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(file.fileno()), self.path.stat()):
                        return file
            except BaseException:
                file.close()
                raise
            file.close()
        file.close()
        raise FileExistsError(f"another run is writing to {self.path}: wait until it ends")

    def _read(self) -> None:
        content = self._file.readall()
        if content and not _BEGINNING.match(content):
            raise ValueError(f"{self.path} is not a journal of an earlier run: move or rename it")
        *lines, torn = content.split(b"\n")
        end = 0
        values = []
        for number, line in enumerate(lines, start=1):
            checksum, _, text = line.partition(b" ")
            if checksum == _checksum(text):
                values.append(json.loads(text))
                end += len(line) + 1
            elif number < len(lines) or torn:
                raise ValueError(f"line {number} of {self.path} is damaged: remove the file and start again")
        if values:
            self.header, *self.entries = values
        self._file.truncate(end)
        self._file.seek(end)

    def begin(self, header: dict[str, Any]) -> None:
        """Write the description of the computation."""
        self._append(header)
        sync_folder(self.path.parent)
        self.header = header

    def add(self, entry: Any) -> None:
        """Add an entry. When this method returns, the entry is on disk."""
        self._append(entry)
        self.entries.append(entry)

    def has_named(self, target: Path) -> bool:
        """Whether the last entry says that a file is renamed to `target`, and the file already has this name."""
        last = self.entries[-1] if self.entries else None
        return isinstance(last, dict) and target.exists() and target.stat().st_ino == last.get("naming")

    def _append(self, value: Any) -> None:
        text = json.dumps(value).encode()
        line = _checksum(text) + b" " + text + b"\n"
        while line:
            line = line[self._file.write(line) :]
        os.fsync(self._file.fileno())

    def clear(self) -> None:
        """Remove all entries."""
        self.header, self.entries = None, []
        self._file.truncate(0)
        self._file.seek(0)

    def remove(self) -> None:
        """Close the file and remove it."""
        if sys.platform == "win32":
            self._file.close()  # an open file cannot be removed on Windows
        self.path.unlink(missing_ok=True)
        self._file.close()

    def close(self) -> None:
        """Close the file and release the lock."""
        self._file.close()


def _checksum(text: bytes) -> bytes:
    return blake2b(text, digest_size=8).hexdigest().encode()
