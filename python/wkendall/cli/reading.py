"""Read rankings from files, for all commands. The files are CSV, .npy, .npz or PrefLib files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wkendall._errors import RankingError, parts_of, short
from wkendall._memory import check_fits
from wkendall.arrays.options import Reading
from wkendall.cli.arrays import from_npz, load_array
from wkendall.cli.messages import CommandError, UsageError, command_errors, message_of
from wkendall.rankings import Rankings
from wkendall.reading.contents import Contents
from wkendall.reading.csv_files import read_table
from wkendall.reading.csv_rows import first_row
from wkendall.reading.preflib import KINDS as ALLOWED
from wkendall.reading.preflib import read_orders
from wkendall.reading.text_files import WHOLE
from wkendall.statistics.samples import each_person

CSV, NPY, NPZ, PREFLIB = "CSV", ".npy", ".npz", "PrefLib"
KINDS = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), CSV),
    ".npy": NPY,
    ".npz": NPZ,
    **dict.fromkeys((".soc", ".soi", ".toc", ".toi"), PREFLIB),
}
#: Options for one kind of file, and their defaults.
_OPTIONS: dict[str, tuple[str, object]] = {
    "delimiter": (CSV, None),
    "header": (CSV, None),
    "id": (CSV, None),
    "items": (CSV, None),
    "skip": (CSV, []),
    "layout": (CSV, "ranks"),
    "item": (CSV, None),
    "value": (CSV, None),
    "array": (NPZ, None),
    "expand": (PREFLIB, False),
}


#: Items that are listed when a file has been read.
MAX_NAMES = 10


class Source(NamedTuple):
    """Rankings from a file, with their names and counts, and with other columns that the command needs."""

    path: Path
    rankings: Rankings
    #: The cells of separated columns, or separated arrays, by name.
    apart: Mapping[str, Any]
    #: The line of each row, for CSV and PrefLib.
    lines: Sequence[int]


def kind_of(path: Path) -> str:
    """Return the kind of a file, given by its extension."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise CommandError(f"{path}: the name of a file with rankings must end in one of {', '.join(KINDS)}")
    return kind


def inputs_of(arguments: argparse.Namespace) -> list[Path]:
    """Return the input file and, if there is one, the file to compare with."""
    return [arguments.file] if arguments.against is None else [arguments.file, arguments.against]


def check_reading(arguments: argparse.Namespace, *paths: Path) -> None:
    """Raise an error about options that none of the files can use. Set the defaults of --ties and --missing."""
    check_table_options(arguments, *paths)
    for name in ("item", "value"):
        if getattr(arguments, name) is not None and arguments.layout != "long":
            raise UsageError(f"--{name} goes with --layout long")
    if arguments.layout in ("choices", "lists") and arguments.input != "ranks":
        raise UsageError(
            f"--input {arguments.input} does not go with --layout {arguments.layout}, which has names of items"
        )
    if PREFLIB in map(kind_of, paths) and arguments.input != "ranks":
        raise UsageError(f"--input {arguments.input} does not go with PrefLib files, which say what they hold")
    allowed = [ALLOWED[path.suffix.lower()] for path in paths if kind_of(path) == PREFLIB]
    if arguments.ties is None:
        arguments.ties = "mean" if any(ties for ties, _ in allowed) else "error"
    if arguments.missing is None:
        lists = arguments.layout != "ranks" or any(not complete for _, complete in allowed)
        arguments.missing = "bottom" if lists else "error"


def check_table_options(arguments: argparse.Namespace, *paths: Path) -> None:
    """Raise an error about options for other kinds of files."""
    kinds = [kind_of(path) for path in paths]
    for name, (kind, unsaid) in _OPTIONS.items():
        if getattr(arguments, name, unsaid) != unsaid and kind not in kinds:
            raise UsageError(f"--{name} goes with {kind} files")
    beside = [getattr(arguments, name, None) for name in ("labels", "pairs")]
    texts = any(isinstance(path, Path) and path.suffix.lower() != ".npy" for path in beside)
    if arguments.encoding != "utf-8" and not texts and not {CSV, PREFLIB}.intersection(kinds):
        raise UsageError("--encoding goes with CSV and PrefLib files")
    _check_columns(arguments, *(path for path, kind in zip(paths, kinds, strict=True) if kind == CSV))


def _check_columns(arguments: argparse.Namespace, *paths: Path) -> None:
    """Raise an error if an option names a column that no file has, before the cells are read."""
    wanted = [(name, verb) for name, verb in _columns(arguments) if not WHOLE.fullmatch(name)]
    if not wanted:
        return
    try:
        rows = [
            [] if arguments.header is False else first_row(path, arguments.delimiter, arguments.encoding)
            for path in paths
        ]
    except (OSError, RankingError):
        return  # said when the file is read
    for name, verb in wanted:
        if not any(name in row for row in rows):
            known = short(", ".join(repr(cell) for cell in rows[0]), 200) if len(rows) == 1 and rows[0] else ""
            raise CommandError(_no_column(name, verb, paths) + (f": it has {known}" if known else ""))


def _columns(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield the columns that options name, and what is done with each column."""
    yield from ((name, "skip") for name in arguments.skip)
    if getattr(arguments, "layout", "ranks") == "ranks":
        yield from ((name, "read") for name in arguments.items or ())


def _no_column(name: str, verb: str, paths: Iterable[object]) -> str:
    return f"there is no column {name!r} to {verb} in {' and '.join(map(str, paths))}"


def read_rankings(
    arguments: argparse.Namespace,
    *paths: Path,
    apart: Sequence[str | None] = (),
    like: Contents | None = None,
    learned: bool = False,
) -> list[Source]:
    """Read files according to the options. The files must rank the same items; the results have them in equal order.

    `apart` has the names of columns or arrays that are not part of the rankings. `like` has the items in the wanted
    order, for example the items of a model. `learned` is True for the commands `learn` and `predict`.
    """
    wanted = [name for name in apart if name is not None]
    found = [_read(path, arguments, wanted, like) for path in paths]
    check_found(arguments, *found)
    found = with_same_items(arguments.input, *([] if like is None else [like]), *found)[-len(paths) :]
    meaning = (arguments.input, arguments.top, arguments.ties, arguments.missing)
    reading = Reading(*meaning, anywhere=not learned)
    sources = [
        _checked(path, contents, reading, getattr(arguments, "expand", False), learned and like is not None)
        for path, contents in zip(paths, found, strict=True)
    ]
    first = sources[0]
    for other in sources[1:]:
        if other.rankings.n_items != first.rankings.n_items:
            sizes = f"{first.path} has {first.rankings.n_items} items, but {other.path} has {other.rankings.n_items}"
            raise CommandError(f"{sizes}: both must rank the same items")
    return sources


def read_both(arguments: argparse.Namespace) -> tuple[Source, Source | None]:
    """Read the input file and, if there is one, the file to compare with."""
    x, *others = read_rankings(arguments, *inputs_of(arguments))
    return x, others[0] if others else None


def _checked(path: Path, contents: Contents, reading: Reading, expand: bool, fixed: bool) -> Source:
    with command_errors(learned=fixed):
        rankings = contents.rankings(reading)
    lines = contents.lines
    if expand and contents.counts is not None:
        lines = np.repeat(lines, contents.counts).tolist()
        rankings = each_person(rankings)
    return Source(path, rankings, contents.apart, lines)


def say_size(contents: Contents, rows: str = "ranking", columns: str = "item", expand: bool = False) -> None:
    """Print the numbers of rankings and items, so that users notice if a row or a column was read by mistake."""
    (m, n), voters = contents.shape, 0 if contents.counts is None else int(contents.counts.sum())
    m, voters = (voters, 0) if expand and contents.counts is not None else (m, voters)
    sizes = (f"{size} {name}{'' if size == 1 else 's'}" for size, name in ((m, rows), (n, columns)))
    if sys.stderr is not None:
        with suppress(OSError):
            many = f" ({voters} voters)" if voters else ""
            names = f": {_listed(contents.items)}" if columns == "item" and contents.items else ""
            print(f"read {' of '.join(sizes)} from {contents.name}{many}{names}", file=sys.stderr, flush=True)


def _listed(names: Sequence[object]) -> str:
    """Return a text with some of the names, always with the last name, because the last column is often no item."""
    words = [short(f'"{name}"' if "," in str(name) else str(name), 30) for name in names]
    return ", ".join(words if len(words) <= MAX_NAMES else [*words[: MAX_NAMES - 1], "...", words[-1]])


def _read(path: Path, arguments: argparse.Namespace, apart: Sequence[str], like: Contents | None) -> Contents:
    kind = kind_of(path)
    if kind == CSV:
        found = _from_csv(path, arguments, apart, like)
    elif kind == PREFLIB:
        with command_errors():
            found = read_orders(path, arguments.encoding)._replace(name=str(path))
        if arguments.expand and found.counts is not None:
            advice = f"{path.name} without --expand takes less"
            check_fits(sum(found.counts.tolist()), found.shape[1], np.dtype(np.float64), advice)
    else:
        found = from_npz(path, arguments.array, apart) if kind == NPZ else Contents(str(path), load_array(path))
        if len(found.X.shape) != 2:
            raise CommandError(
                f"{path} has an array of shape {found.X.shape}, but must have two axes: one ranking per row"
            )
    say_size(found, expand=arguments.expand)
    return found


def check_found(arguments: argparse.Namespace, *files: Contents) -> None:
    """Raise an error about columns to read or to skip that no file has. One of two files with the column is enough."""
    for name, verb in _columns(arguments):
        if not any(name in file.found for file in files):
            raise CommandError(_no_column(name, verb, (file.name for file in files)))


def _from_csv(path: Path, arguments: argparse.Namespace, apart: Sequence[str], like: Contents | None) -> Contents:
    how: dict[str, Any] = {
        name: getattr(arguments, name) for name in ("delimiter", "header", "skip", "layout", "id", "encoding")
    }
    how |= {"apart": apart, "may_lack": True, "item": arguments.item, "value": arguments.value}
    how["items"] = arguments.items
    with csv_errors():
        if arguments.items is None and like is not None:
            how["items"] = _columns_of(like, path, arguments) if arguments.layout == "ranks" else like.items
        return read_table(path, **how)._replace(name=str(path))


@contextmanager
def csv_errors() -> Iterator[None]:
    """Raise errors about a CSV file as errors of the command."""
    try:
        yield
    except RankingError as error:
        raise CommandError(f"{message_of(error)}{_csv_hint(error)}") from error


def _columns_of(model: Contents, path: Path, arguments: argparse.Namespace) -> Sequence[str] | None:
    """If a file has a column for each item of a model, return these items, and print the columns that are not used."""
    row = [] if arguments.header is False else first_row(path, arguments.delimiter, arguments.encoding)
    if model.items is None or arguments.input == "orders" or not set(model.items).issubset(row):
        return None
    named = {*model.items, *arguments.skip, arguments.id}
    unused = [name for number, name in enumerate(row, 1) if not named.intersection((name, str(number)))]
    if unused and sys.stderr is not None:
        with suppress(OSError):
            print(f"not used from {path}, because not in {model.name}: {_listed(unused)}", file=sys.stderr, flush=True)
    return model.items


def _csv_hint(error: RankingError) -> str:
    """Return which option helps after an error in a CSV file; empty if the error already has advice."""
    if error.kind != "text" or parts_of(error).advice:
        return ""
    return "; use --skip COLUMN to leave a column out, --id COLUMN for names"


def with_same_items(input: str, *files: Contents) -> list[Contents]:
    """Give files the same items, in the order of the first file. Items are matched by name.

    Files of the layouts "choices", "lists" and "long" can leave out items. If all files have one of these layouts, each
    file gets the items of all files. Other files must have the same items. Files without names are not changed.
    """
    named = [file for file in files if file.items is not None]
    listing = [file for file in named if _lists_items(file)]
    if input == "orders" or len(files) == 1:  # the columns of orders are positions, not items
        return list(files)
    for file in files:
        if listing and file.items is None:
            raise CommandError(
                f"{file.name} has no names of items, so its columns cannot be matched with the items of {listing[0].name}"
            )
    if all(file.items == named[0].items for file in named):
        return list(files)
    complete = [file for file in named if not _lists_items(file)]
    for file in named:
        _check_names(file)
        if complete:
            _check_same(complete[0], file)
    items = [*dict.fromkeys(item for file in complete[:1] or listing for item in file.items or ())]
    return [file if file.items is None else file.arranged(items) for file in files]


def _lists_items(file: Contents) -> bool:
    """Return whether a file lists items instead of having a column for each. Another file may list other items."""
    return file.layout in ("choices", "long")


def _check_names(file: Contents) -> None:
    """Raise an error if two items have the same name, which is possible in an .npz file."""
    first: dict[str, int] = {}
    for place, name in enumerate(file.items or (), 1):
        if first.setdefault(name, place) != place:
            raise CommandError(f"{file.name}: items {first[name]} and {place} have the same name, {name!r}")


def _check_same(x: Contents, y: Contents) -> None:
    """Raise an error if a file has other items than the first file. A file of lists may leave out some items."""
    first, second = x.items or [], y.items or []
    of_first, of_second = set(first), set(second)
    lacks = [] if _lists_items(y) else [item for item in first if item not in of_second]
    more = [item for item in second if item not in of_first]
    if lacks or more:
        found = ((x.name, lacks, y.name), (y.name, more, x.name))
        differences = [_only(has, names, other) for has, names, other in found if names]
        raise CommandError(f"{', and '.join(differences)}: both must have the same items, in any order")


def _only(has: str, names: Sequence[str], other: str) -> str:
    what = f"the item {names[0]!r}" if len(names) == 1 else f"{names[0]!r} and {len(names) - 1} more items"
    return f"{has} has {what} that {other} lacks"
