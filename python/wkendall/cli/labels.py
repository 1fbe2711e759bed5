"""Labels, groups and weights: one value for each ranking, from a column or, for labels, from a separate file."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import shown
from wkendall.cli.arrays import load_array
from wkendall.cli.messages import CommandError, command_errors
from wkendall.cli.reading import CSV, NPY, Source, kind_of
from wkendall.reading.csv_rows import found_delimiter, no_column
from wkendall.reading.text_files import MISSING, NUMBER, opened, rows_of

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def read_labels(arguments: argparse.Namespace, source: Source) -> NDArray[Any]:
    """Return one label for each ranking: texts or whole numbers for classes, any numbers for regression."""
    if arguments.labels is None:
        path, found, lines = source.path, source.apart[arguments.label], source.lines
    else:
        path, found, lines = _from_file(arguments, source)
    if isinstance(found, list):
        labels = _from_cells(path, found, lines, arguments.regression)
    else:
        labels = _from_array(path, np.asarray(found), arguments.regression)
    if len(labels) != len(source.rankings):
        hint = ""
        if isinstance(found, list) and arguments.label is None and len(labels) == len(source.rankings) + 1:
            hint = f"; if the first line is the name of the labels, add --label {shown(found[0])}"
        raise CommandError(
            f"{path} has {len(labels)} labels, but {source.path} has {len(source.rankings)} rankings{hint}"
        )
    return labels


def _from_file(arguments: argparse.Namespace, source: Source) -> tuple[Path, list[str] | NDArray[Any], Sequence[int]]:
    path = arguments.labels
    kind = kind_of(path)
    if kind == NPY:
        return path, load_array(path), ()
    if kind != CSV:
        raise CommandError(f"{path}: labels are read from .npy and CSV files")
    with command_errors():
        file = opened(path, arguments.encoding)
    rows = [(line, cells) for line, cells in rows_of(file, found_delimiter(file)) if cells]
    if not rows:
        raise CommandError(f"{path} is empty")
    column = 0
    if arguments.label is not None:
        line, names = rows[0]
        if arguments.label not in names:
            no_column(file, line, names, arguments.label)
        column, width, rows = names.index(arguments.label), len(names), rows[1:]
    else:
        width = 1
    for line, cells in rows:
        if len(cells) != width:
            hint = ": --label says which column has the labels" if arguments.label is None else ""
            raise CommandError(f"{path.name}, line {line}: the row has {len(cells)} cells, not {width}{hint}")
    if arguments.label is not None and arguments.id in names:
        _check_same_rankings(path, names.index(arguments.id), rows, source)
    return path, [cells[column] for _, cells in rows], [line for line, _ in rows]


def _check_same_rankings(path: Path, column: int, rows: Sequence[tuple[int, list[str]]], source: Source) -> None:
    """Raise an error if both files have names of rankings, and these names or their order differ."""
    for row, ((line, cells), name) in enumerate(zip(rows, source.rankings.labels or (), strict=False)):
        if cells[column] != name:
            where = f", line {source.lines[row]}" if source.lines else ""
            raise CommandError(
                f"{path}, line {line}: the label is for {cells[column]!r}, but the ranking is {name!r} in {source.path}"
                f"{where}: both must have the same rankings in the same order"
            )


def _from_cells(path: Path, cells: list[str], lines: Sequence[int], regression: bool) -> NDArray[Any]:
    for line, cell in zip(lines, cells, strict=True):
        if cell in MISSING:
            raise CommandError(f"{path.name}, line {line}: the label is missing")
    if not regression:
        whole = all(_WHOLE.fullmatch(cell) for cell in cells)
        return np.array([int(cell) for cell in cells], dtype=np.int64) if whole else np.array(cells, dtype=np.str_)
    numbers = []
    for line, cell in zip(lines, cells, strict=True):
        number = float(cell) if NUMBER.fullmatch(cell) else math.nan
        if not math.isfinite(number):
            found = f"the label is {cell!r}, but --regression needs a finite number"
            raise CommandError(f"{path.name}, line {line}: {found}")
        numbers.append(number)
    return np.array(numbers)


def _from_array(path: Path, labels: NDArray[Any], regression: bool) -> NDArray[Any]:
    if labels.ndim != 1:
        raise CommandError(f"{path}: the labels have shape {labels.shape}, but must be a row of labels")
    if regression:
        if labels.dtype.kind not in "biuf" or not np.isfinite(labels).all():
            raise CommandError(f"{path}: the labels must be finite numbers for --regression, not {labels.dtype} or NaN")
        return labels.astype(np.float64)
    if labels.dtype.kind == "f":
        real = labels.astype(np.float64)
        if not ((real == np.round(real)) & (np.abs(real) < 2.0**63)).all():
            raise CommandError(f"{path}: the labels are not whole numbers: --regression is for numbers to predict")
        return labels.astype(np.int64)
    if labels.dtype.kind not in "biuU":
        raise CommandError(f"{path}: the labels must be text, whole numbers or true and false, not {labels.dtype}")
    return labels


def groups_of(source: Source, column: str) -> dict[str, NDArray[np.int64]]:
    """Return the rows of each group, given a column or an array of groups. Groups are sorted, numbers before texts."""
    found = source.apart[column]
    if isinstance(found, np.ndarray) and found.ndim != 1:
        raise CommandError(f"{source.path}: the groups have shape {found.shape}, but must be a row of labels")
    labels = [str(label) for label in (found.tolist() if isinstance(found, np.ndarray) else found)]
    if len(labels) != len(source.rankings):
        raise CommandError(f"{source.path} has {len(labels)} labels, but {len(source.rankings)} rankings")
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        if label in MISSING:
            where = f", line {source.lines[row]}" if source.lines else f", row {row}"
            share = f"{sum(other in MISSING for other in labels):,} of {len(labels):,} rows"
            remedy = "write a name, such as unknown, or leave the rows out"
            raise CommandError(f"{source.path}{where}: the group is missing ({share}); {remedy}")
        rows.setdefault(label, []).append(row)
    return {label: np.array(rows[label], dtype=np.int64) for label in sorted(rows, key=_natural)}


def weights_of(source: Source, column: str) -> NDArray[np.float64]:
    """Return the weight of each ranking, given a column or an array. Weights are finite numbers from 0."""
    cells = source.apart[column]
    if isinstance(cells, np.ndarray) and (cells.dtype.kind not in "iufb" or cells.shape != (len(source.rankings),)):
        what = f"has shape {cells.shape} and dtype {cells.dtype}"
        raise CommandError(f"{source.path}: the array {column!r} {what}, but must have a number for each ranking")
    weights = [float(cell) if not isinstance(cell, str) or NUMBER.fullmatch(cell) else math.nan for cell in cells]
    for row, (cell, weight) in enumerate(zip(cells, weights, strict=True)):
        if not 0 <= weight < math.inf:
            where = f", line {source.lines[row]}: {column}" if source.lines else f": {column}[{row}]"
            found: Any = weight
            if isinstance(cell, str):
                found = "missing" if cell in MISSING else repr(cell)
            raise CommandError(f"{source.path}{where} is {found}, but must be a finite number from 0")
    return np.array(weights)


def _natural(label: str) -> tuple[float, str]:
    """Return a sort key that puts numbers, by their size, before texts."""
    try:
        return float(label), label
    except ValueError:
        return math.inf, label
