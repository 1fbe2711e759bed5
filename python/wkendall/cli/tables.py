"""From files to tables of observations: CSV, NumPy's .npy and .npz."""

from __future__ import annotations

import argparse
from pathlib import Path

from wkendall._errors import RankingError
from wkendall.cli.errors import CommandError, UsageError, with_options
from wkendall.cli.reading import (
    CSV,
    KINDS,
    NPZ,
    PREFLIB,
    Source,
    check_skipped,
    csv_hint,
    from_npz,
    load_array,
    say_size,
)

ENDINGS = [ending for ending, kind in KINDS.items() if kind != PREFLIB]


def check_ending(path: Path) -> None:
    """Refuse a file that is no table, by the ending of its name."""
    if KINDS.get(path.suffix.lower()) == PREFLIB:
        raise UsageError(f"{path} is a PrefLib file, but a table of observations is a CSV or NumPy file")
    if path.suffix.lower() not in ENDINGS:
        raise CommandError(f"{path}: the name of a file with a table must end in one of {', '.join(ENDINGS)}")


def read_tables(arguments: argparse.Namespace, *paths: Path) -> list[Source]:
    """Read tables as the options say; they must have the same observations."""
    sources = [_read(path, arguments) for path in paths]
    for source in sources:
        say_size(source, "observation", "column")
    check_skipped(arguments, *sources)
    for source in sources[1:]:
        _check_same_observations(sources[0], source)
    return sources


def _read(path: Path, arguments: argparse.Namespace) -> Source:
    kind = KINDS[path.suffix.lower()]
    if kind == CSV:
        return _from_csv(path, arguments)
    table = {"rows": "the table", "column": "column"}
    source = from_npz(path, arguments.array, **table) if kind == NPZ else Source(path, load_array(path))
    if source.X.ndim not in (1, 2):
        shape = f"an array of shape {source.X.shape}"
        raise CommandError(
            f"{path} has {shape}, but must have two axes, one observation a row, or one axis for one column"
        )
    return source._replace(X=source.X.reshape(len(source.X), -1) if source.X.ndim == 1 else source.X)


def _from_csv(path: Path, arguments: argparse.Namespace) -> Source:
    from wkendall.reading.csv_columns import read_columns

    apart = [] if arguments.id is None else [arguments.id]
    how = {name: getattr(arguments, name) for name in ("delimiter", "header", "skip")}
    try:
        table = read_columns(path, apart=apart, **how)
    except RankingError as error:
        raise CommandError(f"{with_options(error)}{csv_hint(error, arguments)}") from error
    ids = None if arguments.id is None else table.apart[arguments.id]
    return Source(path, table.X, table.names, ids, lines=table.lines, skipped=table.skipped)


def _check_same_observations(x: Source, y: Source) -> None:
    if len(x.X) != len(y.X):
        raise CommandError(
            f"{x.path} has {len(x.X)} rows, but {y.path} has {len(y.X)}: both must have the same observations"
        )
    for row, (first, second) in enumerate(zip(x.ids or (), y.ids or (), strict=bool(x.ids and y.ids))):
        if first != second:
            raise CommandError(
                f"{y.path}, line {y.lines[row]}: the observation is {second!r}, but {first!r} in {x.path}, line "
                f"{x.lines[row]}: both must have the same observations in the same order"
            )
