"""What the fuzz targets of the readers share: a file is read, or refused in one line, soon and without much memory."""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import atheris

#: Seconds of the processor that a small file may take.
SECONDS = 1.0
#: Bytes that may be allocated beyond what is there at the start: a small file has no claim to more.
MEMORY = 2**30
#: What `load_eurobarometer` and others may think there is: they refuse what does not fit, which is no error.
AVAILABLE = 2**26


class Choices:
    """Takes options from the first bytes of the input."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def of(self, options: list) -> object:
        """Return one of the options."""
        first, self.data = self.data[:1] or b"\0", self.data[1:]
        return options[first[0] % len(options)]


def options(**given: object) -> argparse.Namespace:
    """Return what the command line says of reading, with defaults."""
    usual = {
        "delimiter": None,
        "header": None,
        "id": None,
        "items": None,
        "skip": [],
        "layout": "ranks",
        "item": None,
        "value": None,
        "array": None,
        "expand": False,
    }
    usual |= {"input": "scores", "top": "low", "ties": "mean", "missing": "bottom"}
    usual |= {"labels": None, "label": None, "regression": False}
    return argparse.Namespace(**(usual | given))


def check(read: Callable[[Path], object], path: Path, content: bytes, refused: tuple[type[Exception], ...]) -> object:
    """Return what is read from a file of this content, or None if it is refused; anything else is a finding."""
    from wkendall.cli.messages import CommandError, explain

    path.write_bytes(content)
    start = time.process_time()
    found = None
    try:
        found = read(path)
    except refused as error:
        # The command line shows its own errors on one line.
        message = explain(error) if isinstance(error, CommandError) else str(error)
        if len(message.splitlines()) != 1 or not message.strip():
            raise AssertionError(f"the message is not one line: {message!r}") from error
        if not message.startswith(path.name) and str(path) not in message and "memory are available" not in message:
            raise AssertionError(f"the message does not name the file: {message!r}") from error
        if len(message) > 1000:
            raise AssertionError(f"the message has {len(message)} characters: {message!r}") from error
    taken = time.process_time() - start
    if taken > SECONDS:
        raise AssertionError(f"{len(content)} bytes took {taken:.1f} s")
    return found


def fuzz(test: Callable[[bytes, Path], None]) -> None:
    """Run a target in a folder of its own."""
    from wkendall import _memory

    _memory.available_bytes = lambda: AVAILABLE
    warnings.simplefilter("ignore")
    used = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmSize"))
    limit = int(used.split()[1]) * 1024 + MEMORY
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        atheris.Setup(sys.argv, lambda data: test(data, Path(folder)))
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        atheris.Fuzz()
