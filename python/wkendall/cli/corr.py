"""`wkendall corr`: Kendall's tau-b between the columns of a table, with p-values."""

from __future__ import annotations

import argparse
import csv
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO, get_args

import numpy as np
from numpy.typing import NDArray

from wkendall._text import short
from wkendall.cli import reading
from wkendall.cli.arrays import from_npz, load_array
from wkendall.cli.messages import CommandError, UsageError, command_errors
from wkendall.cli.options import add_output, add_running, add_tables, wants_progress, whole_number
from wkendall.cli.output import (
    STDOUT,
    check_not_input,
    check_output,
    ending_of,
    new_file,
    say_written,
    standard_output,
    text_file,
    write_npz,
)
from wkendall.reading.contents import Contents
from wkendall.reading.csv_columns import read_columns
from wkendall.statistics.correlations import Alternative, Correlations, corr

ENDINGS = (".csv", ".npy", ".npz")
#: The endings of the names of tables.
_TABLES = [ending for ending, kind in reading.KINDS.items() if kind != reading.PREFLIB]

_SUMMARY = "compute Kendall's tau-b between the columns of a table"
_DESCRIPTION = """\
Compute Kendall's tau-b between all columns of a table, or between the columns
of two tables with the same observations, and write the matrix.

Tables are read from CSV files (.csv, .tsv, .txt: one observation a row, one
variable a column) or NumPy files (.npy, .npz; an array with one axis is one
column). Cells are numbers, inf and -inf too, or True and False. Whole numbers
keep their order, whatever their length. Empty cells, NA, NaN and null are
missing; they are left out pair by pair. The matrix is printed, rounded; with -o
it goes to a .csv file, with the names of the columns if they have any; to an
.npy file; or to an .npz file, as the arrays statistic, columns and, with
--against, columns_against.

With --pvalues the p-values go to the array pvalue of an .npz file, and for the
other kinds to a second file: tau.csv has its p-values in tau_pvalues.csv.
Without --pvalues such a file from an earlier run is refused, because it would
not belong to the new matrix; --force removes it.
"""
_EPILOG = """\
examples:
  wkendall corr table.csv --pvalues
  wkendall corr table.csv -o tau.csv --pvalues
  wkendall corr people.csv -o tau.npz --skip age --min-periods 10
  wkendall corr table.csv --against traits.csv -o both.csv
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the table")
    what = ".csv, .npy or .npz; - is CSV on standard output; without it a rounded table is printed"
    add_output(parser, "OUTPUT", what, required=False)
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FILE",
        help="a table with the same observations; each of its variables is a column of the matrix",
    )
    parser.add_argument("--pvalues", action="store_true", help="write p-values too")
    parser.add_argument(
        "--alternative",
        choices=get_args(Alternative),
        help="the alternative hypothesis of the p-values: any association (two-sided, default), a negative or a positive one",
    )
    parser.add_argument(
        "--min-periods",
        type=whole_number(0),
        default=1,
        metavar="N",
        help="columns with fewer common observations have no correlation (NaN)",
    )
    add_tables(parser, ("the observations", "the table"), "the columns to read of a CSV file, separated by commas")
    add_running(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compute the matrix and write it."""
    _check(arguments)
    if arguments.output is None:
        with standard_output() as stream:
            x, y = _read(arguments)
            _print(stream, _computed(arguments, x, y), x, y)
        return 0
    started = time.perf_counter()
    with ExitStack() as stack:
        names = [arguments.output, *_second(arguments)]
        files = [stack.enter_context(new_file(name, arguments.force)) for name in names]
        x, y = _read(arguments)
        found = _computed(arguments, x, y)
        _write(ending_of(arguments.output), files, found, x, y)
    if not arguments.pvalues:
        for path in filter(Path.is_file, _beside(arguments.output)):
            path.unlink()
    said = f"{' x '.join(map(str, found.statistic.shape))} float64 in {time.perf_counter() - started:.2f} s"
    say_written(arguments.output, said, *_second(arguments))
    return 0


def _beside(output: Path | None) -> list[Path]:
    """Return the name of the file that p-values go to, if they have one of their own."""
    if output is None or output == STDOUT or output.suffix.lower() == ".npz":
        return []
    return [output.with_name(f"{output.stem}_pvalues{output.suffix}")]


def _second(arguments: argparse.Namespace) -> list[Path]:
    return _beside(arguments.output) if arguments.pvalues else []


def _check(arguments: argparse.Namespace) -> None:
    output: Path | None = arguments.output
    if output is not None:
        check_output(output, ENDINGS, *reading.inputs_of(arguments))
    if arguments.pvalues and output == STDOUT:
        raise UsageError("--pvalues makes a second matrix, which cannot go to standard output: name a file")
    if arguments.alternative is not None and not arguments.pvalues:
        raise UsageError("--alternative goes with --pvalues")
    for name in _beside(output):
        check_not_input(name, *reading.inputs_of(arguments))
    for path in reading.inputs_of(arguments):
        if reading.KINDS.get(path.suffix.lower()) == reading.PREFLIB:
            raise UsageError(f"{path} is a PrefLib file, but a table of observations is a CSV or NumPy file")
        if path.suffix.lower() not in _TABLES:
            raise CommandError(f"{path}: the name of a file with a table must end in one of {', '.join(_TABLES)}")
    reading.check_table_options(arguments, *reading.inputs_of(arguments))
    for name in _beside(output):
        if not arguments.pvalues and not arguments.force and name.is_file():
            raise CommandError(f"{name} has p-values that would not belong to the new {output}: --force removes it")


def _read(arguments: argparse.Namespace) -> tuple[Contents, Contents | None]:
    """Read the tables as the options say; two must have the same observations."""
    tables = [_read_table(path, arguments) for path in reading.inputs_of(arguments)]
    for table in tables:
        reading.say_size(table, "observation", "column")
    reading.check_found(arguments, *tables)
    if len(tables) == 1:
        return tables[0], None
    _check_same_observations(*tables)
    return tables[0], tables[1]


def _read_table(path: Path, arguments: argparse.Namespace) -> Contents:
    kind = reading.KINDS[path.suffix.lower()]
    if kind == reading.CSV:
        how = {name: getattr(arguments, name) for name in ("delimiter", "header", "id", "skip", "items")}
        with reading.csv_errors(arguments):
            return read_columns(path, **how)._replace(name=str(path))
    table = {"rows": "the table", "column": "column"}
    found = from_npz(path, arguments.array, **table) if kind == reading.NPZ else Contents(str(path), load_array(path))
    X = np.asarray(found.X)
    if X.ndim not in (1, 2):
        shape = f"an array of shape {X.shape}"
        raise CommandError(
            f"{path} has {shape}, but must have two axes, one observation a row, or one axis for one column"
        )
    return found._replace(X=X[:, np.newaxis] if X.ndim == 1 else X)


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


def _computed(arguments: argparse.Namespace, x: Contents, y: Contents | None) -> Correlations:
    with command_errors(data=x.name, other=y and y.name):
        found = corr(
            x.X,
            None if y is None else y.X,
            min_periods=arguments.min_periods,
            pvalues=arguments.pvalues,
            alternative=arguments.alternative or "two-sided",
            n_jobs=arguments.jobs,
            progress=wants_progress(arguments),
        )
    return found if arguments.pvalues else Correlations(found, None)


def _print(stream: TextIO, found: Correlations, x: Contents, y: Contents | None) -> None:
    """Print the matrix, and the p-values below it; columns without names have their numbers."""
    rows, columns = ([*(table.items or map(str, range(1, table.shape[1] + 1)))] for table in (x, y or x))
    for title, matrix in zip(("Kendall's tau-b", "p-values"), found, strict=True):
        if matrix is None:
            continue
        cells = [["" if value != value else f"{value:.3f}" for value in row] for row in matrix.tolist()]
        names = [short(name, 30) for name in rows]
        heads = [short(name, 30) for name in columns]
        first = max(map(len, (title, *names)))
        widths = [max(map(len, (head, *(row[i] for row in cells)))) for i, head in enumerate(heads)]
        for name, row in ((title, heads), *zip(names, cells, strict=True)):
            padded = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            print("  ".join((f"{name:{first}}", *padded)).rstrip(), file=stream)
        if found.pvalue is not None and matrix is found.statistic:
            print(file=stream)


def _write(ending: str, files: list[Path], found: Correlations, x: Contents, y: Contents | None) -> None:
    if ending == ".npz":
        names: dict[str, Any] = {"columns": x.items, "columns_against": None if y is None else y.items}
        write_npz(files[0], {**found._asdict(), **names})
        return
    for path, matrix in zip(files, found, strict=False):
        if ending == ".npy":
            with path.open("wb") as file:
                np.save(file, matrix)
        else:
            with text_file(path) as stream:
                _write_csv(stream, matrix, x, y)


def _write_csv(stream: TextIO, matrix: NDArray[Any], x: Contents, y: Contents | None) -> None:
    """Write a matrix with the fewest digits that reproduce its numbers exactly; NaN is an empty cell."""
    rows, columns = x.items, (x if y is None else y).items
    writer = csv.writer(stream, lineterminator="\n")
    if columns is not None:
        writer.writerow([*([""] if rows is not None else []), *columns])
    for number, row in enumerate(matrix):
        cells = ["" if value != value else repr(value) for value in row.tolist()]
        writer.writerow(cells if rows is None else [rows[number], *cells])
