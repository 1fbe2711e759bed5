"""From files to tables of observations: CSV, NumPy's .npy and .npz."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from wkendall._errors import RankingError
from wkendall.cli.arrays import from_npz, load_array
from wkendall.cli.messages import CommandError, UsageError, message_of
from wkendall.cli.reading import CSV, KINDS, NPZ, PREFLIB, check_found, csv_hint, say_size
from wkendall.reading.contents import Contents
from wkendall.reading.csv_columns import read_columns

ENDINGS = [ending for ending, kind in KINDS.items() if kind != PREFLIB]


def check_ending(path: Path) -> None:
    """Refuse a file that is no table, by the ending of its name."""
    if KINDS.get(path.suffix.lower()) == PREFLIB:
        raise UsageError(f"{path} is a PrefLib file, but a table of observations is a CSV or NumPy file")
    if path.suffix.lower() not in ENDINGS:
        raise CommandError(f"{path}: the name of a file with a table must end in one of {', '.join(ENDINGS)}")


def read_tables(arguments: argparse.Namespace, *paths: Path) -> list[Contents]:
    """Read tables as the options say; they must have the same observations."""
    tables = [_read(path, arguments) for path in paths]
    for table in tables:
        say_size(table, "observation", "column")
    check_found(arguments, *tables)
    for table in tables[1:]:
        _check_same_observations(tables[0], table)
    return tables


def _read(path: Path, arguments: argparse.Namespace) -> Contents:
    kind = KINDS[path.suffix.lower()]
    if kind == CSV:
        return _from_csv(path, arguments)
    table = {"rows": "the table", "column": "column"}
    found = from_npz(path, arguments.array, **table) if kind == NPZ else Contents(str(path), load_array(path))
    X = np.asarray(found.X)
    if X.ndim not in (1, 2):
        shape = f"an array of shape {X.shape}"
        raise CommandError(
            f"{path} has {shape}, but must have two axes, one observation a row, or one axis for one column"
        )
    return found._replace(X=X[:, np.newaxis] if X.ndim == 1 else X)


def _from_csv(path: Path, arguments: argparse.Namespace) -> Contents:
    how = {name: getattr(arguments, name) for name in ("delimiter", "header", "id", "skip", "items")}
    try:
        return read_columns(path, **how)._replace(name=str(path))
    except RankingError as error:
        raise CommandError(f"{message_of(error)}{csv_hint(error, arguments)}") from error


def _check_same_observations(x: Contents, y: Contents) -> None:
    if len(x.X) != len(y.X):
        raise CommandError(
            f"{x.name} has {len(x.X)} rows, but {y.name} has {len(y.X)}: both must have the same observations"
        )
    for row, (first, second) in enumerate(zip(x.ids or (), y.ids or (), strict=bool(x.ids and y.ids))):
        if first != second:
            raise CommandError(
                f"{y.name}, line {y.lines[row]}: the observation is {second!r}, but {first!r} in {x.name}, line "
                f"{x.lines[row]}: both must have the same observations in the same order"
            )
