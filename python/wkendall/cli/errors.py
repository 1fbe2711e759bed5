"""What went wrong, in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager


class CommandError(Exception):
    """The work failed, for a reason that the message says: exit code 1."""


class UsageError(Exception):
    """The options do not go together: exit code 2."""


#: How the library names its parameters, and how the command line does.
_WORDS = (
    (r"\b(weight|input|top|ties|missing)=([\"'])(\w+)\2", r"--\1 \3"),
    (r"\b(signed|normalize|pure)=True\b", r"--\1"),
    (r"\bcheck=False\b", "--no-check"),
    (r"^(k|u|U|W|order|dtype|lam|C|pure) (?=is|has|must|holds)", r"--\1 "),
    (r"\border is (?=\d)", "--order is "),
    (r"\bn_jobs\b", "--jobs"),
    (r"\bn_components\b", "--components"),
)


@contextmanager
def in_words_of_the_command(**names: object) -> Iterator[None]:
    """Turn what the library says about parameters into what the command line calls them.

    Parameters
    ----------
    **names
        What the library calls an argument, such as X, and where it came from, such as the name of a file.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        message = str(error)
        for name, source in names.items():
            message = re.sub(rf"\b{name}\b", lambda _, source=source: str(source), message)  # type: ignore[misc]
        for pattern, words in _WORDS:
            message = re.sub(pattern, words, message)
        raise CommandError(message) from error


def explain(error: BaseException) -> str:
    """Return a sentence about an error, on one line."""
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return _one_line(f"{where}{error.strerror}")
    if isinstance(error, MemoryError):
        detail = f": {error}" if str(error) else ""
        return _one_line(f"not enough memory{detail}")
    if isinstance(error, CommandError | ValueError | TypeError | ImportError) and str(error):
        return _one_line(str(error))
    return _one_line(f"{type(error).__name__}: {error}; --debug shows where")


def _one_line(text: str) -> str:
    return " ".join(text.split())
