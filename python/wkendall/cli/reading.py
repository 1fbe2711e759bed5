"""From files to arrays of rankings: CSV, NumPy's .npy and .npz, PrefLib."""

from __future__ import annotations

import argparse
import math
import os
import struct
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import RankingError
from wkendall._memory import check_fits, check_room
from wkendall._text import short
from wkendall.cli.errors import CommandError, UsageError, with_options
from wkendall.reading.text_files import NUMBER, WHOLE

CSV, NPY, NPZ, PREFLIB = "CSV", ".npy", ".npz", "PrefLib"
KINDS = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), CSV),
    ".npy": NPY,
    ".npz": NPZ,
    **dict.fromkeys((".soc", ".soi", ".toc", ".toi"), PREFLIB),
}
#: The exceptions of NumPy and zipfile for damaged files.
_DAMAGE = (
    *(ArithmeticError, EOFError, LookupError, NotImplementedError, OSError, RuntimeError, SyntaxError, TypeError),
    *(ValueError, struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
#: The maximum compression ratio of an array in an .npz file, for the two methods that NumPy uses.
_EXPANSION = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
#: The first bytes of files that NumPy reads: an array, an archive, an empty archive.
_OPENINGS = (np.lib.format.MAGIC_PREFIX, b"PK\x03\x04", b"PK\x05\x06")
#: Options for one kind of file, and their defaults.
_OPTIONS: dict[str, tuple[str, object]] = {
    "delimiter": (CSV, None),
    "header": (CSV, None),
    "id": (CSV, None),
    "skip": (CSV, []),
    "layout": (CSV, "ranks"),
    "item": (CSV, None),
    "value": (CSV, None),
    "array": (NPZ, None),
    "expand": (PREFLIB, False),
}


class Source(NamedTuple):
    """Rankings from a file, with the other contents of the file."""

    path: Path
    #: An array; for short lists out of many items a sparse one, if the command takes lists.
    X: Any
    #: The names of the items, if the file has any.
    items: list[str] | None = None
    #: The names of the rankings, if requested.
    ids: list[str] | None = None
    #: For PrefLib: the number of voters of each order.
    counts: NDArray[np.int64] | None = None
    #: The cells of the column of labels, or the array of labels, if the file has one.
    labels: list[str] | NDArray[Any] | None = None
    #: The line of each row, for CSV and PrefLib.
    lines: Sequence[int] = ()
    #: Columns that were ignored.
    skipped: Collection[str] = ()
    #: The layout of a CSV file, or "PrefLib"; "ranks" for all files with one column for each item.
    layout: str = "ranks"

    @property
    def rows(self) -> int:
        """The number of rankings."""
        return int(self.X.shape[0])

    @property
    def lists_items(self) -> bool:
        """Whether the items are those that the rankings list: another file may list others."""
        return self.layout in ("choices", "long")


def kind_of(path: Path) -> str:
    """Return the kind of a file, given by its extension."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise CommandError(f"{path}: the name of a file with rankings must end in one of {', '.join(KINDS)}")
    return kind


def check_reading(arguments: argparse.Namespace, *paths: Path) -> None:
    """Refuse options that no file can use, and settle what ties and missing items are."""
    check_table_options(arguments, *paths)
    _settle_meaning(arguments, *paths)
    for name in ("item", "value"):
        if getattr(arguments, name) is not None and arguments.layout != "long":
            raise UsageError(f"--{name} goes with --layout long")
    if arguments.layout == "choices" and arguments.input != "ranks":
        raise UsageError(f"--input {arguments.input} does not go with --layout choices, which has names of items")
    if PREFLIB in map(kind_of, paths) and arguments.input != "ranks":
        raise UsageError(f"--input {arguments.input} does not go with PrefLib files, which say what they hold")


def _settle_meaning(arguments: argparse.Namespace, *paths: Path) -> None:
    """Take ties and missing items as the kind of a PrefLib file allows them, unless something else is said."""
    from wkendall.reading.preflib import KINDS as ALLOWED

    allowed = [ALLOWED[path.suffix.lower()] for path in paths if kind_of(path) == PREFLIB]
    if getattr(arguments, "ties", "") is None:
        arguments.ties = "mean" if any(ties for ties, _ in allowed) else "error"
    if getattr(arguments, "missing", "") is None:
        arguments.missing = "bottom" if any(not complete for _, complete in allowed) else "error"


def check_table_options(arguments: argparse.Namespace, *paths: Path) -> None:
    """Refuse options for other kinds of files."""
    kinds = [kind_of(path) for path in paths]
    for name, (kind, unsaid) in _OPTIONS.items():
        if getattr(arguments, name, unsaid) != unsaid and kind not in kinds:
            raise UsageError(f"--{name} goes with {kind} files")
    _check_skip(arguments, *(path for path, kind in zip(paths, kinds, strict=True) if kind == CSV))


def _check_skip(arguments: argparse.Namespace, *paths: Path) -> None:
    """Refuse the name of a column to leave out that no file has, before the cells are read."""
    from wkendall.reading.csv_rows import first_row

    wanted = [name for name in getattr(arguments, "skip", ()) if not WHOLE.fullmatch(name)]
    if not wanted:
        return
    try:
        rows = [[] if arguments.header is False else first_row(path, arguments.delimiter) for path in paths]
    except (OSError, RankingError):
        return  # said when the file is read
    for name in wanted:
        if not any(name in row for row in rows):
            known = short(", ".join(repr(cell) for cell in rows[0]), 200) if len(rows) == 1 and rows[0] else ""
            raise CommandError(_nothing_to_skip(name, paths) + (f": it has {known}" if known else ""))


def _nothing_to_skip(name: str, paths: Iterable[Path]) -> str:
    return f"there is no column {name!r} to skip in {' and '.join(map(str, paths))}"


def read_rankings(
    path: Path,
    arguments: argparse.Namespace,
    label: str | None = None,
    items: list[str] | None = None,
    *,
    lists: bool = False,
) -> Source:
    """Read a file according to the options.

    `label` is the column or array of labels. `items` are the columns for CSV files that list items; the default is the
    items of the file. `lists` says whether the command takes sparse arrays of lists.
    """
    source = _read(path, arguments, label, items, lists)
    say_size(source)
    return source


def say_size(source: Source, rows: str = "ranking", columns: str = "item") -> None:
    """Say how much was read, so that a column or a row that is read as something else is seen."""
    (m, n), voters = source.X.shape, "" if source.counts is None else f" ({source.counts.sum()} voters)"
    sizes = (f"{size} {name}{'' if size == 1 else 's'}" for size, name in ((m, rows), (n, columns)))
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"read {' of '.join(sizes)} from {source.path}{voters}", file=sys.stderr, flush=True)


def _read(path: Path, arguments: argparse.Namespace, label: str | None, items: list[str] | None, lists: bool) -> Source:
    kind = kind_of(path)
    if kind == CSV:
        return _from_csv(path, arguments, label, items, lists)
    if kind == PREFLIB:
        return _from_preflib(path, arguments.expand)
    source = from_npz(path, arguments.array, label) if kind == NPZ else Source(path, load_array(path))
    if source.X.ndim != 2:
        raise CommandError(
            f"{path} has an array of shape {source.X.shape}, but must have two axes: one ranking per row"
        )
    return source


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
    """Read all arrays of an .npz file; arrays of Python objects are refused, because reading them would run code."""
    if not path.exists():
        raise CommandError(f"there is no {path}: wkendall learn -o {path.parent} writes it")
    with _loaded(path) as arrays:
        if isinstance(arrays, np.ndarray):
            raise CommandError(f"{path} has one array without a name, but must be an .npz file")
        return {name: _member(path, arrays, name) for name in arrays.files}


def check_skipped(arguments: argparse.Namespace, *sources: Source) -> None:
    """Refuse columns to skip that no file has; it is enough if one of two files has the column."""
    for name in arguments.skip:
        if not any(name in source.skipped for source in sources):
            raise CommandError(_nothing_to_skip(name, (source.path for source in sources)))


def _from_csv(
    path: Path, arguments: argparse.Namespace, label: str | None, items: list[str] | None, lists: bool
) -> Source:
    from wkendall.reading.csv_files import read_table

    apart = [name for name in (arguments.id, label) if name is not None]
    how: dict[str, Any] = {name: getattr(arguments, name) for name in ("delimiter", "header", "skip", "layout")}
    how |= {"apart": apart, "may_lack": True, "item": arguments.item, "value": arguments.value}
    how |= {"id": arguments.id} if arguments.layout == "long" else {}
    how |= {"items": items} if arguments.layout != "ranks" else {}
    # Scores of a long table may be negative, which those of a sparse array may not.
    how["sparse"] = None if lists and arguments.missing == "bottom" and arguments.input == "ranks" else False
    try:
        table = read_table(path, **how)
    except RankingError as error:
        raise CommandError(f"{with_options(error)}{csv_hint(error, arguments)}") from error
    named = table.named and arguments.input != "orders"  # the columns of orders are positions, not items
    return Source(
        path,
        table.X,
        table.items if named else None,
        ids=table.ids if table.ids is not None else table.apart.get(arguments.id),
        labels=None if label is None else table.apart[label],
        lines=table.lines,
        skipped=table.skipped,
        layout=arguments.layout,
    )


def csv_hint(error: RankingError, arguments: argparse.Namespace) -> str:
    """Say which option helps with a CSV file that cannot be read."""
    if error.kind == "text" and getattr(arguments, "layout", None) == "ranks" and not _are_numbers(str(error.value)):
        return "; use --skip COLUMN to leave a column out, or --layout choices or long for names of items in the cells"
    if error.kind == "text" and error.column == 0 and arguments.delimiter is None and _are_numbers(error.value):
        return "; use --delimiter ' ' for numbers with spaces between them"
    return "; use --skip COLUMN to leave a column out" if error.kind in ("text", "no name") else ""


def _are_numbers(cell: str) -> bool:
    parts = cell.split()
    return len(parts) > 1 and all(NUMBER.fullmatch(part) for part in parts)


def _from_preflib(path: Path, expand: bool) -> Source:
    from wkendall.reading.preflib import read_orders

    (X, items, counts), lines = read_orders(path)
    if expand:
        check_fits(sum(counts.tolist()), len(items), X.dtype, f"{path.name} without --expand takes less")
        return Source(path, X.repeat(counts, axis=0), items, lines=np.repeat(lines, counts).tolist(), layout=PREFLIB)
    return Source(path, X, items, counts=counts, lines=lines, layout=PREFLIB)


def from_npz(
    path: Path, name: str | None, label: str | None = None, rows: str = "the rankings", column: str = "item"
) -> Source:
    """Read an array of an .npz file; messages call its rows and its columns so."""
    with _loaded(path) as arrays:
        if isinstance(arrays, np.ndarray):
            raise CommandError(f"{path} has one array without a name, but must be an .npz file")
        labels = None if label is None else _member(path, arrays, label)
        others = [found for found in arrays.files if found not in (label, "items")]
        if name is None and "X" not in others and len(others) != 1:
            raise CommandError(f"{path} has the arrays {_known(arrays)}: --array says which has {rows}")
        X = _member(path, arrays, name or ("X" if "X" in others else others[0]))
        items = _member(path, arrays, "items") if "items" in arrays.files else None
    if items is not None and (items.shape != (X.shape[1:2] or (1,)) or items.dtype.kind == "V"):
        what = short(f"shape {items.shape} and dtype {items.dtype}")
        raise CommandError(f"{path}: the array 'items' has {what}, but must have a name for each {column}")
    return Source(path, X, None if items is None else [str(item) for item in items.tolist()], labels=labels)


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
    """Refuse an array whose header claims more memory than the file can fill."""
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
    """Refuse texts with invalid code points: NumPy reads them, but Python cannot convert them to strings."""
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        largest = int(array.astype(array.dtype.newbyteorder("=")).reshape(-1).view(np.uint32).max())
        if largest > sys.maxunicode:
            raise ValueError(f"a text holds the number {largest:#x}, which is not a character")
    return array


def _check_header(file: IO[bytes], size: int) -> None:
    """Refuse an array that is larger than its file, before memory is allocated for it."""
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


def _check_room(path: Path, size: int) -> None:
    """Refuse an .npy file that does not fit in memory; it need not be damaged."""
    try:
        check_room(size)
    except ValueError as error:
        raise CommandError(f"{path} cannot be read: {error}") from error


@contextmanager
def _loaded(path: Path) -> Iterator[Any]:
    """Yield the array of an .npy file, or the arrays of an .npz file, which are read on access."""
    with path.open("rb") as file:
        opening = file.read(len(np.lib.format.MAGIC_PREFIX))
        try:
            if opening == np.lib.format.MAGIC_PREFIX:
                file.seek(0)
                size = os.fstat(file.fileno()).st_size
                _check_header(file, size)
                _check_room(path, size)
            file.seek(0)
            loaded = np.load(file, allow_pickle=False)
        except _DAMAGE as error:
            # NumPy takes a file without an array for a pickled one, and its message would advise to load it anyway.
            known = not opening or opening.startswith(_OPENINGS)
            reason = f": {short(str(error), 200)}" if known else ""
            raise CommandError(f"{path} is not a file of NumPy arrays, or is damaged{reason}") from error
        yield loaded
