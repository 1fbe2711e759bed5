"""The file of a matrix, written block by block with a journal, so that an interrupted run can be resumed.

While a matrix is computed, its file is called `NAME.unfinished`. The file `NAME.journal` records what is computed, from
which rankings, and which blocks are done. The steps have this order, so that every line of the journal is true even if
the process is killed or the power fails:

    the data of a block are written and synced -> the journal records the block, and is synced -> the next block
    all blocks are done -> the file is renamed, unless the name is taken -> the journal is removed

A finished file has no journal, because a journal could not show whether the file was changed later. To find out whether
a finished file has the wanted matrix, the blocks are computed again, and every bit is compared.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._arguments import check_flag
from wkendall._disk import check_space, claim, reserve, resolved, sync_folder
from wkendall._errors import Parts, bad_argument, made
from wkendall._run import progress_bar
from wkendall.gram_file.blocks import Block, Work
from wkendall.gram_file.journal import Journal

#: Increased when files of an earlier version cannot be resumed.
FORMAT = 1

#: Steps of the progress bar for a block.
STEPS = 100


def unfinished_names(target: Path) -> tuple[Path, Path]:
    """Return the names of the unfinished file and of its journal."""
    return target.with_name(f"{target.name}.unfinished"), target.with_name(f"{target.name}.journal")


def left_over(path: Path) -> str:
    """Return a text about the files that an earlier run has left, and what the option --resume does with them."""
    (journal := Journal(unfinished_names(resolved(path))[1])).close()
    if journal.has_named(resolved(path)):
        return f"{path} is complete, but its run was stopped before it was recorded: --resume finishes it"
    return f"{path}.unfinished is from an earlier run: --resume continues it"


def discard(path: Path) -> None:
    """Remove the unfinished file of an earlier run, if there is one and no process is writing to it."""
    unfinished, noted = unfinished_names(resolved(path))
    if noted.exists():
        journal = Journal(noted)
        if journal.header is not None:  # otherwise the unfinished file is not ours: the journal is written first
            unfinished.unlink(missing_ok=True)
        journal.remove()


def opened(path: Path) -> NDArray[Any]:
    """Return a finished file as a memory map. An empty array cannot be mapped, so it is read."""
    try:
        found: NDArray[Any] = np.load(path, mmap_mode="r")
    except ValueError:
        found = np.load(path)
    return found


def write(path: Path, work: Work, *, resume: bool, force: bool = False, progress: bool = False) -> int | None:
    """Write a matrix, or its missing blocks, to a file.

    The result is the number of blocks that earlier runs had finished, or None if the whole file was already finished.

    With `resume`, an unfinished file is continued, and a finished file is compared with the matrix. With `force`,
    existing files are replaced. This includes an unfinished file of other rankings or options. Without `resume` and
    `force`, an existing file is an error.
    """
    check_flag(resume, "resume")
    check_flag(progress, "progress")
    target = resolved(path)
    if not target.parent.is_dir():
        # If the path is a link, the folder of its target.
        folder = target.parent if path.parent.is_dir() else path.parent
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}")
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder, but must be the name of a file")
    unfinished, noted = unfinished_names(target)
    if target.exists() and not force and not resume and not noted.exists():
        raise _taken(path)
    header = _header(work)
    try:
        journal = Journal(noted)
        try:
            return _File(path, target, unfinished, journal, work, force).run(header, resume, progress)
        finally:
            journal.close()
    except OSError as error:
        # The error of a full disk names no file. Report the name that the caller gave.
        if error.errno is not None:
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
        raise


def _header(work: Work) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": _core.__version__,
        "shape": [*work.shape],
        "dtype": work.dtype.name,
        **work.options,
        "backend": work.chosen_backend(),
        "block": [*work.block_sides()],
        "X": work.x.digest(),
        "Y": None if work.y is None else work.y.digest(),
    }


class _File:
    """A file that is being written, with its journal open."""

    def __init__(self, path: Path, target: Path, unfinished: Path, journal: Journal, work: Work, force: bool) -> None:
        self.path, self.target, self.unfinished = path, target, unfinished
        self.journal, self.work, self.force = journal, work, force
        #: Whether this package created the unfinished file.
        self.own = journal.header is not None
        self.start = len(_npy_header(work))
        self.size = self.start + work.shape[0] * work.shape[1] * work.dtype.itemsize

    def run(self, header: dict[str, Any], resume: bool, progress: bool) -> int | None:
        try:
            if resume and not self.force and not self.journal.entries and self.target.exists():
                self._check_finished(header["backend"], progress)
                self.journal.remove()
                return None
            if not self.journal.entries or (self.force and (not resume or self._is_other(header))):
                self._refuse_taken()
                self._begin(header)
            elif not resume:
                left, on = f"{self.unfinished} is the unfinished file of an earlier run", "continues it"
                if self._is_named():
                    left = f"{self.path} is complete, but its run was stopped before it was recorded"
                    on = "finishes it"
                raise FileExistsError(f"{left}: resume=True {on}; to start again, remove {self._both}")
            else:
                self._compare(header)
                if self._is_named():
                    already = len(self._done())
                    self._clean()
                    return already
                self._refuse_taken()
                self._check_data()
            already = len(self._done())
            self._compute(progress)
            self._name()
        except BaseException:
            if not self.journal.entries:
                # No work is lost, and the next run needs no advice about the empty file.
                with suppress(OSError):
                    if self.own:
                        self.unfinished.unlink(missing_ok=True)
                    self.journal.remove()
            raise
        return already

    def _refuse_taken(self) -> None:
        if self.target.exists() and not self.force:
            raise _taken(self.path)

    def _begin(self, header: dict[str, Any]) -> None:
        """Create the unfinished file in its full size, and write the first line of the journal."""
        # The journal comes first: an unfinished file without a journal is taken for a file of somebody else.
        known = self.journal.header is not None or self._is_like_ours(self.unfinished)
        check_space(self.unfinished, self.size)
        self.journal.clear()
        self.journal.begin(header)
        if known:
            self.unfinished.unlink(missing_ok=True)
        with self._new() as file:
            self.own = True
            file.write(_npy_header(self.work))
            file.truncate(self.size)
        reserve(self.unfinished, self.start)
        with self.unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        sync_folder(self.target.parent)

    def _is_like_ours(self, path: Path) -> bool:
        """Whether a file has the header and the size of this matrix. After a power failure, its journal may be lost."""
        header = _npy_header(self.work)
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(header)) == header and os.fstat(file.fileno()).st_size == self.size

    def _new(self) -> Any:
        try:
            return self.unfinished.open("xb")
        except FileExistsError:
            raise FileExistsError(
                f"{self.unfinished} already exists, but is not from an earlier run: move or rename it"
            ) from None

    def _is_other(self, header: dict[str, Any]) -> bool:
        """Whether the journal describes another matrix, or the file that the journal describes is lost."""
        try:
            self._compare(header)
            if not self._is_named():
                self._check_data()
        except (ValueError, FileNotFoundError):
            return True
        return False

    def _compare(self, header: dict[str, Any]) -> None:
        found = self.journal.header or {}
        begun = self.path if self._is_named() else self.unfinished
        for name in ("X", "Y"):
            if found.get(name) != header[name] and found.get("format") == FORMAT:
                other = f" has other rankings than {begun} was started with: pass the same rankings; "
                raise bad_argument(name, other, "start again", self._both)
        for name, value in header.items():
            if name != "block" and (name not in found or found[name] != value):
                other = f"{begun} was started with {name} = {found.get(name)!r}, not {value!r}: pass the same value; "
                raise made(ValueError, Parts(other, advice=("start again", self._both)))

    @property
    def _both(self) -> str:
        """The names of the files to remove before a new start, for messages."""
        return f"it and {self.journal.path.name}"

    def _check_data(self) -> None:
        if not self.unfinished.exists():
            lost = f"{self.unfinished} is missing, but {self.journal.path.name} exists: "
            raise made(FileNotFoundError, Parts(lost, advice=("start again", "the journal")))
        if not self._is_like_ours(self.unfinished):
            raise made(ValueError, Parts(f"{self.unfinished} is damaged: ", advice=("start again", self._both)))

    def _done(self) -> set[tuple[int, int]]:
        return {(entry[0], entry[1]) for entry in self.journal.entries if isinstance(entry, list)}

    def _compute(self, progress: bool) -> None:
        header = self.journal.header or {}
        rows, columns = header["block"]
        blocks = self.work.blocks((rows, columns))
        missing = self._computed(blocks, self._done(), header["backend"], progress)
        with self.unfinished.open("r+b", buffering=0) as file, closing(missing):
            for block, out in missing:
                self._store(file, block, out)
                self.journal.add([block.rows.start, block.columns.start])

    def _computed(
        self, blocks: list[Block], done: set[tuple[int, int]], backend: str, progress: bool
    ) -> Generator[tuple[Block, NDArray[Any]]]:
        """Compute the missing blocks one after the other, and yield each of them. All blocks use the same memory."""
        missing = [block for block in blocks if (block.rows.start, block.columns.start) not in done]
        total = STEPS * len(blocks)
        buffer = np.empty(max((block.shape[0] * block.shape[1] for block in missing), default=0), self.work.dtype)
        with progress_bar(progress, "gram_to_file", total - STEPS * len(missing), total) as show:
            for number, block in enumerate(missing, start=len(blocks) - len(missing)):
                before = STEPS * number

                def step(done: int, parts: int, before: int = before) -> None:
                    if show is not None:
                        show(before + STEPS * done // max(parts, 1), total)

                out = buffer[: block.shape[0] * block.shape[1]].reshape(block.shape)
                self.work.fill(block, out, backend, None if show is None else step)
                yield block, out

    def _check_finished(self, backend: str, progress: bool) -> None:
        """Raise an error if a file differs from this matrix in any bit."""
        if not self._is_like_ours(self.target):
            shape, name = self.work.shape, self.work.dtype.name
            raise self._other(f"an .npy file of {shape[0]} x {shape[1]} {name} values")
        found, bits = opened(self.target), f"u{self.work.dtype.itemsize}"
        with closing(self._computed(self.work.blocks(self.work.block_sides()), set(), backend, progress)) as wanted:
            for block, out in wanted:
                same = np.array_equal(found[block.rows, block.columns].view(bits), out.view(bits))
                if same and self.work.mirrored:
                    same = np.array_equal(found[block.columns, block.rows].T.view(bits), out.view(bits))
                if not same:
                    raise self._other("the matrix of these rankings and options")

    def _other(self, what: str) -> FileExistsError:
        return _taken(self.path, f", and is not {what}")

    def _store(self, file: Any, block: Block, out: NDArray[Any]) -> None:
        """Write a block to disk. If the matrix is symmetric, also write the mirror image of the block."""
        self._put(file, block, out)
        if self.work.mirrored and block.rows != block.columns:
            self._put(file, Block(block.columns, block.rows), np.ascontiguousarray(out.T))
        os.fsync(file.fileno())

    def _put(self, file: Any, block: Block, out: NDArray[Any]) -> None:
        width = self.work.shape[1]
        # Through a file and not a memory map: writing to a memory map on a full disk kills the process with a signal.
        for row, values in [(0, out)] if block.shape[1] == width else enumerate(out):
            place = (block.rows.start + row) * width + block.columns.start
            file.seek(self.start + place * self.work.dtype.itemsize)
            data = values.data.cast("B")
            while data:
                data = data[file.write(data) :]

    def _name(self) -> None:
        self.journal.add({"naming": self.unfinished.stat().st_ino})
        if self.force:
            self.unfinished.replace(self.target)
        else:
            try:
                claim(self.unfinished, self.target)
            except FileExistsError:
                other = f"{self.path} was created by another program during the run and is not changed"
                away = f"{other}: the matrix is complete in {self.unfinished}; move the other file, and then "
                raise made(FileExistsError, Parts(away, advice=("rename",))) from None
        self._clean()

    def _is_named(self) -> bool:
        """Whether an earlier run was killed after it had renamed the finished file, with its journal left."""
        return self.journal.has_named(self.target) and self.target.stat().st_size == self.size

    def _clean(self) -> None:
        sync_folder(self.target.parent)
        self.unfinished.unlink(missing_ok=True)
        self.journal.remove()


def _taken(path: Path, what: str = "") -> FileExistsError:
    return made(FileExistsError, Parts(f"{path} already exists{what}: ", advice=("overwrite",)))


def _npy_header(work: Work) -> bytes:
    file = BytesIO()
    described = {"descr": np.lib.format.dtype_to_descr(work.dtype), "fortran_order": False, "shape": work.shape}
    np.lib.format.write_array_header_1_0(file, described)
    return file.getvalue()
