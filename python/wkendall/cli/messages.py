"""Errors for the command line, each in one line. They name files, lines and options, not arguments and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from wkendall._errors import one_line, parts_of

#: Arguments of the library that are options here, and the names of the options.
_OPTIONS = {
    **{name: name for name in ("k", "u", "U", "W", "order", "lam", "signed", "method", "radius", "init", "pure")},
    **{name: name for name in ("train", "test", "input", "ties", "missing")},
    "n_components": "components",
    "n_neighbors": "n-neighbors",
}
#: What to do, by the kinds of advice of `wkendall._errors.ADVICE`.
_ADVICE = {
    "": "",
    "axes": "",
    "check": "; pass --no-check to use it anyway",
    "column": "",
    "columns": "; --no-header reads the row as {}",
    "decimals": "; write decimals with a point",
    "delimiter": "; use --delimiter ' ' for numbers with spaces between them",
    "encoding": "; --encoding {} reads {}",
    "gaps": "",
    "gaps of files": "; --layout lists leaves out blanks, so that later items move up",
    "header": "--no-header reads the row as {}, --header confirms the names",
    "item numbers": "; a CSV file may have items in the cells, best first: --layout choices",
    "item numbers of files": "; --layout choices reads cells as items, best first",
    "items": "; --items chooses the columns to read",
    "long table": "; --layout long reads a line for each item of a ranking",
    "leave out": "; leave out items that are not listed",
    "list": "",
    "lists": "",
    "long": "--id, --item and --value name them, --skip leaves out others",
    "missing": "; --missing bottom puts items without a number last, --missing anywhere leaves their position open",
    "missing last": "; --missing bottom puts items without a number last",
    "names": "",
    "no name": "; --skip {} leaves it out",
    "names beside numbers": "",
    "numbers of rows": "--id {0} reads it as the names of the rankings, --skip {0} leaves it out",
    "one group": "",
    "overwrite": "--force overwrites it",
    "ratings": "; --ties mean treats equal numbers as ties, with --input scores if larger numbers are better",
    "rename": "--resume renames it",
    "scores": "; --input scores reads real numbers as scores, where larger is better",
    "sparse": "so pass --missing bottom",
    "start again": "--force starts again",
    "text column": "; --id {0} reads the column as the names of the rankings, --skip {0} leaves it out, --layout choices or long "
    "is for names of items in the cells",
    "stray text": "; a number that is missing is an empty cell",
    "stray text of frames": "",
    "texts": "; convert texts to numbers first",
    "tied ranks": "; --input ranks with --ties mean reads such ranks",
    "ties": "; --ties mean treats equal numbers as ties",
    "unlabelled": "",
    "unknown": "",
}
_ADVICE |= {f"{kind} of": _ADVICE[kind] for kind in ("missing", "missing last", "ratings", "scores", "sparse", "ties")}
#: The same for predictions, which take the options of reading from the model.
_LEARNED = _ADVICE | {
    "missing last": "; wkendall learn with --missing bottom puts items without a number last",
    "ratings": "; wkendall learn with --ties mean treats equal numbers as ties, and wkendall learn with --input scores reads "
    "larger numbers as better",
    "scores": "; wkendall learn with --input scores reads real numbers as scores, where larger is better",
    "tied ranks": "; wkendall learn with --input ranks and --ties mean reads such ranks",
    "ties": "; wkendall learn with --ties mean treats equal numbers as ties",
}


class CommandError(Exception):
    """The work failed; the message gives the reason. Exit code 1."""


class UsageError(Exception):
    """Wrong combination of options. Exit code 2."""


def explain(error: BaseException) -> str:
    """Return a sentence about an error, on one line."""
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return one_line(f"{where}{error.strerror}")
    if isinstance(error, MemoryError):
        detail = f": {error}" if str(error) else ""
        return one_line(f"not enough memory{detail}")
    if isinstance(error, CommandError | OSError | ValueError | TypeError | ImportError) and str(error):
        return one_line(str(error))
    return one_line(f"{type(error).__name__}: {error}; --debug shows the traceback")


def message_of(error: BaseException, files: Mapping[str, object] | None = None, learned: bool = False) -> str:
    """Return the message of an error or a warning of the library, with options and files instead of arguments."""
    parts = parts_of(error)
    file = (files or {}).get(parts.subject)
    option = _OPTIONS.get(parts.subject)
    name = str(file) if file is not None else parts.subject if option is None else f"--{option}"
    return parts.message(name, _LEARNED if learned else _ADVICE)


@contextmanager
def command_errors(*, learned: bool = False, **files: object) -> Iterator[None]:
    """Raise errors of the library as errors of the command. `files` are the files of the arguments X and Y.

    With `learned=True`, the command reads its rankings with the options that were passed to `wkendall learn`.
    """
    try:
        yield
    except (ValueError, TypeError, ImportError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an error of the system
        raise CommandError(message_of(error, files, learned)) from error
