"""What the library says about its parameters, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from wkendall.cli.errors import CommandError
from wkendall.cli.reading import Source

#: How the library names its parameters, and how the command line does.
_WORDS = (
    (r"\b(weight|input|top|ties|missing|init)=([\"'])(\w+)\2", r"--\1 \3"),
    (r"\b(signed|normalize|pure|progress|resume)=True\b", r"--\1"),
    (r"\bto start again, remove it and .*$", "--force starts again"),
    (r"\bremove (it and .*|that) to start again$", "--force starts again"),
    (r"\bremove it, or use another name$", "--force overwrites it"),
    (r"\bcheck=False\b", "--no-check"),
    (r"^(k|u|U|W|order|lam|train|test) (?=is|has|must|holds)", r"--\1 "),
    (r"\b(train|test)=(?=[0-9])", r"--\1 "),
    (r"^u(?=\[[0-9]+\] )", "--u"),
    (r"\bn_components\b", "--components"),
    (r"; from_lists takes .*$", ""),
    (r"\[progress\]|\[plot\]", "[cli]"),
)


@contextmanager
def in_words_of_the_command(**sources: Source | None) -> Iterator[None]:
    """Turn what the library says into what the command line calls parameters, files and places in them.

    Parameters
    ----------
    **sources
        For the names that the library gives to rankings, X and Y, the files that they came from.
    """
    try:
        yield
    except (ValueError, TypeError, ImportError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system said it
        message = str(error)
        for name, source in sources.items():
            if source is not None:
                message = _about_file(message, name, source)
        for pattern, words in _WORDS:
            message = re.sub(pattern, words, message)
        raise CommandError(message) from error


def _about_file(message: str, name: str, source: Source) -> str:
    """Name the file, and places in it as a text editor does, if it is one for text editors."""

    def line(found: re.Match[str]) -> str:
        return f"line {source.lines[int(found[1])]}"

    def column(found: re.Match[str]) -> str:
        if source.items is None:
            return f"{found[1]} {int(found[2]) + 1}"
        return f"{found[1]} {source.items[int(found[2])]!r}"

    if source.lines and message.startswith(f"{name}: row "):
        message = re.sub(r"\brow ([0-9]+)", line, message)
        message = re.sub(r"\b(column|columns|and) ([0-9]+)(?=[ ,:])", column, message)
    return re.sub(rf"\b{name}\b", lambda _: str(source.path), message)
