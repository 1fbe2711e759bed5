"""Files that are written completely or not at all.

Output is first written to a temporary file in the folder of the final file. When the output is complete, the temporary
file is renamed. If the work fails or is interrupted, the temporary file is removed. If another run creates a file with
the final name during the work, this file is not changed. The finished output is then kept under another name, and the
error reports this name.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from wkendall._disk import claim, resolved, same_file
from wkendall.cli.messages import CommandError, UsageError
from wkendall.rankings import Rankings

#: The name that stands for standard output.
STDOUT = Path("-")


def ending_of(path: Path) -> str:
    """Return the ending of the name of an output. For standard output, return .csv."""
    return ".csv" if path == STDOUT else path.suffix.lower()


def check_output(path: Path, endings: Sequence[str], *inputs: object) -> None:
    """Raise an error if the name of the output has none of the endings, or if the output is also an input."""
    if ending_of(path) not in endings:
        known = ("one of " if len(endings) > 1 else "") + ", ".join(endings)
        raise UsageError(f"the name of the output must end in {known}, not be {str(path)!r}")
    check_not_input(path, *inputs)


@contextmanager
def new_file(path: Path, force: bool) -> Iterator[Path]:
    """Yield the name of an empty file to write to. At the end, this file is renamed to `path`.

    If `path` means standard output, `path` is yielded unchanged. Use this context manager before the work starts. Then
    an error is raised early if the file may not be overwritten, or if the folder is not writable.
    """
    if path == STDOUT:
        with standard_output():
            yield path
        return
    target = check_new(path, force)
    unfinished = target.parent / _unfinished_name()
    try:
        with _about(path, unfinished, target):
            unfinished.open("xb").close()
            yield unfinished
            if force:
                unfinished.replace(target)
            else:
                _name(path, unfinished, target)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def check_new(path: Path, force: bool) -> Path:
    """Raise an error if no file can or may be written to this name. Otherwise return the name with links resolved."""
    target = resolved(path)
    _check_parent(path, target)
    _check_free(path, force)
    return target


def check_not_input(path: Path, *inputs: object) -> None:
    """Raise an error if a result would overwrite an input file."""
    for found in inputs:
        if isinstance(found, Path) and same_file(path, found):
            raise UsageError(
                f"the output {path} is the input {found}, which would be overwritten: give it another name"
            )


@contextmanager
def new_files(folder: Path, names: Sequence[str], force: bool) -> Iterator[Path]:
    """Yield an empty folder to write to. At the end, its files are moved to `folder`, which is created if needed.

    `names` are the files that may be written. Without `force`, an existing file with one of these names is an error.
    With `force`, all existing files with these names are removed, also if no new file has the same name. So all files
    belong to the same run.
    """
    target = resolved(folder)
    if target.exists() and not target.is_dir():
        raise CommandError(f"{folder} is a file, but the results need a folder")
    _check_parent(folder, target)
    for name in names:
        _check_free(folder / name, force)
    # In the folder if it exists: it may be on another disk than its parent, or the parent may not be writable.
    unfinished = (target if target.exists() else target.parent) / _unfinished_name()
    try:
        with _about(folder, unfinished, target):
            unfinished.mkdir()
            yield unfinished
            _name_all(folder, unfinished, target, names, force)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _name(path: Path, unfinished: Path, target: Path) -> None:
    """Rename a file to its final name, or to another name if a file with the final name exists."""
    try:
        claim(unfinished, target)
    except FileExistsError:
        other = f"{target.stem}-{secrets.token_hex(3)}{target.suffix}"
        claim(unfinished, target.with_name(other))
        raise _taken(path, path.with_name(other)) from None


def _name_all(folder: Path, unfinished: Path, target: Path, names: Sequence[str], force: bool) -> None:
    written = sorted(path.name for path in unfinished.iterdir())
    there = target.exists()
    done: list[str] = []
    try:
        target.mkdir(exist_ok=True)
        for name in written:
            if force:
                (unfinished / name).replace(target / name)
            else:
                claim(unfinished / name, target / name)
                done.append(name)
        for name in {*names} - {*written}:
            if not force and (target / name).exists():
                raise FileExistsError(target / name)
            (target / name).unlink(missing_ok=True)
    except BaseException as error:
        for name in done:
            (target / name).replace(unfinished / name)
        if not there:
            with suppress(OSError):
                target.rmdir()  # unless other programs have files in it
        if isinstance(error, FileExistsError):
            raise _taken(folder, _kept(folder, unfinished, target)) from None
        raise


def _kept(folder: Path, unfinished: Path, target: Path) -> Path:
    """Rename a folder of finished files to a visible name: beside the intended folder, or else where it is now."""
    other = f"{target.name}-{secrets.token_hex(3)}"
    try:
        unfinished.rename(target.with_name(other))
    except OSError:
        unfinished.rename(unfinished.with_name(other))
        return folder / other
    return folder.with_name(other)


def _taken(path: Path, kept: Path) -> CommandError:
    return CommandError(
        f"{path} was created by another program during the run and is not changed: the result is {kept}"
    )


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Yield standard output. Errors name standard output."""
    if sys.stdout is None:
        raise CommandError("standard output is closed")
    with _about(Path("standard output")):
        yield sys.stdout


@contextmanager
def text_file(path: Path) -> Iterator[TextIO]:
    """Yield a file, or standard output, to write text to."""
    if path == STDOUT:
        with standard_output() as stream:
            yield stream
            stream.flush()
        return
    with path.open("w", encoding="utf-8", newline="") as stream:
        yield stream


def say_written(path: Path, what: str, *others: Path) -> None:
    """Print which file was written. If the result itself is on standard output, print to standard error."""
    names = " and ".join(map(str, (path, *others)))
    print(f"wrote {names}: {what}", file=sys.stderr if path == STDOUT else sys.stdout)


def described(x: Rankings, y: Rankings | None) -> dict[str, Any]:
    """Return the names of items, the labels of rankings and the counts of `x` and `y` as named arrays."""
    found: dict[str, Any] = {"items": x.items, "ids": x.labels, "counts": x.counts}
    return found if y is None else found | {"ids_against": y.labels, "counts_against": y.counts}


def write_npz(path: Path, arrays: dict[str, Any]) -> None:
    """Write named arrays to an .npz file that loads without pickle. Arrays that are None are left out."""
    # numpy's stub confuses the names of arrays with its own parameters.
    save: Any = np.savez
    with path.open("wb") as file:
        save(file, **{name: np.asarray(array) for name, array in arrays.items() if array is not None})


def _check_parent(path: Path, target: Path) -> None:
    if not target.parent.exists():
        raise CommandError(f"{path} cannot be written: there is no folder {path.parent}")


def _check_free(path: Path, force: bool) -> None:
    if path.is_dir():
        raise CommandError(f"{path} is a folder, but must be the name of a file")
    if path.exists() and not path.is_file():
        raise CommandError(f"{path} is not a regular file: it cannot be replaced")
    if path.exists() and not force:
        raise CommandError(f"{path} already exists: --force overwrites it")


def _unfinished_name() -> str:
    return f".wkendall-{secrets.token_hex(6)}.part"


@contextmanager
def _about(path: Path, *inside: Path) -> Iterator[None]:
    """Change errors so that they name the requested file `path` instead of the temporary file or no file."""
    try:
        yield
    except OSError as error:
        # Only errors about a file have an errno.
        name = error.filename
        ours = name is None or any(str(name).startswith(str(place)) for place in inside)
        if error.errno is not None and ours and not isinstance(error, BrokenPipeError):
            error.filename = os.fspath(path)
        raise
