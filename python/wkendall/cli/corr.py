"""`wkendall corr`: rank correlations between the columns of a table, with p-values and intervals."""

from __future__ import annotations

import argparse
import csv
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO, get_args

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import short
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
from wkendall.reading.text_files import opened, rows_of
from wkendall.statistics.correlations import Alternative, Correlations, CorrelationTable, Method, corr

ENDINGS = (".csv", ".npy", ".npz")
#: The endings of the names of tables.
_TABLES = [ending for ending, kind in reading.KINDS.items() if kind != reading.PREFLIB]

_SUMMARY = "compute rank correlations between the columns of a table"
_DESCRIPTION = """\
Compute rank correlations between all columns of a table, and write the matrix.
With --against, compute the correlations between the columns of two tables that
have the same observations.

Tables are read from CSV files (.csv, .tsv, .txt: one observation per row, one
variable per column) or NumPy files (.npy, .npz; an array with one axis is one
column). Cells are numbers (inf and -inf are allowed), or True and False. Whole
numbers of any length are compared exactly. Empty cells, NA, NaN and null are
missing values. The correlation of two columns uses the observations in which
neither value is missing.

Without -o the matrix is rounded and printed. With -o it is written to a file:
  .csv  the matrix, with the names of the columns if there are any
  .npy  the matrix
  .npz  the arrays statistic, columns and, with --against, columns_against

In an .npz file, p-values and the ends of intervals are the arrays pvalue, low
and high. For the other kinds of files they are in separate files: for tau.csv
these are tau_pvalues.csv, tau_low.csv and tau_high.csv. If an earlier run has
left such a file, and it would not belong to the new matrix, the command fails.
--force removes the old file.

With --at-least or --pairs the result is a table with a line for each pair of
columns, in one .csv or .npz file.
"""
_EPILOG = """\
examples:
  wkendall corr table.csv --pvalues
  wkendall corr table.csv -o tau.csv --pvalues
  wkendall corr people.csv -o tau.npz --skip age --min-periods 10
  wkendall corr table.csv --against traits.csv -o both.csv
  wkendall corr table.csv --method spearman --confidence 0.95
  wkendall corr table.csv --at-least 0.6 --pvalues -o network.csv
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the table")
    what = ".csv, .npy or .npz; - is CSV on standard output; without -o a rounded table is printed"
    add_output(parser, "OUTPUT", what, required=False)
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FILE",
        help="a second table with the same observations as INPUT; each of its variables is a column of the matrix",
    )
    what = "the coefficient (default: tau-b, which pandas and R call kendall)"
    parser.add_argument("--method", choices=get_args(Method), default="tau-b", help=what)
    parser.add_argument("--pvalues", action="store_true", help="also write p-values")
    parser.add_argument(
        "--confidence", type=float, metavar="P", help="also write confidence intervals with this level, such as 0.95"
    )
    parser.add_argument("--weights", metavar="COLUMN", help="a column of the table with a weight for each observation")
    parser.add_argument(
        "--at-least",
        type=float,
        metavar="R",
        help="write only pairs of columns whose correlation is at least R or at most -R",
    )
    parser.add_argument(
        "--pairs", type=Path, metavar="FILE", help="a CSV file with two names of columns in each line: only these pairs"
    )
    parser.add_argument(
        "--alternative",
        choices=get_args(Alternative),
        help="the alternative hypothesis of the p-values. two-sided (default): any association; less: a negative association; "
        "greater: a positive association",
    )
    parser.add_argument(
        "--min-periods",
        type=whole_number(0),
        default=1,
        metavar="N",
        help="if fewer than N observations have a value in both columns, the correlation is NaN; default 1",
    )
    add_tables(parser, ("the observations", "the table"), "the columns to read of a CSV file, separated by commas")
    add_running(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compute the matrix and write it."""
    _check(arguments)
    if arguments.output is None:
        with standard_output() as stream:
            x, y = _read(arguments)
            _print(stream, arguments, _computed(arguments, x, y), x, y)
        return 0
    started = time.perf_counter()
    further = _beside(arguments).values()
    with ExitStack() as stack:
        files = [stack.enter_context(new_file(name, arguments.force)) for name in (arguments.output, *further)]
        x, y = _read(arguments)
        found = _computed(arguments, x, y)
        _write(ending_of(arguments.output), files, found, x, y)
    for path in filter(Path.is_file, _foreign(arguments)):
        path.unlink()
    shape = " x ".join(map(str, found.statistic.shape)) + (" pairs" if _as_table(arguments) else "")
    say_written(arguments.output, f"{shape} float64 in {time.perf_counter() - started:.2f} s", *further)
    return 0


def _as_table(arguments: argparse.Namespace) -> bool:
    return arguments.at_least is not None or arguments.pairs is not None


def _files(arguments: argparse.Namespace) -> dict[str, Path]:
    """Return the names of the files for p-values and intervals; none if these matrices do not have their own files."""
    output: Path | None = arguments.output
    if output is None or output == STDOUT or output.suffix.lower() == ".npz" or _as_table(arguments):
        return {}
    names = {"pvalue": "pvalues", "low": "low", "high": "high"}
    return {part: output.with_name(f"{output.stem}_{name}{output.suffix}") for part, name in names.items()}


def _beside(arguments: argparse.Namespace) -> dict[str, Path]:
    """Return the files that are written besides the file of the correlations."""
    wanted = {
        "pvalue": arguments.pvalues,
        "low": arguments.confidence is not None,
        "high": arguments.confidence is not None,
    }
    return {part: path for part, path in _files(arguments).items() if wanted[part]}


def _foreign(arguments: argparse.Namespace) -> list[Path]:
    """Return names of files for p-values and intervals that this run does not write, but an earlier run may have."""
    written = _beside(arguments)
    return [path for part, path in _files(arguments).items() if part not in written]


def _check(arguments: argparse.Namespace) -> None:
    output: Path | None = arguments.output
    if output is not None:
        check_output(output, ENDINGS, *reading.inputs_of(arguments))
    more = "--pvalues" if arguments.pvalues else "--confidence" if arguments.confidence is not None else None
    if more and output == STDOUT and not _as_table(arguments):
        raise UsageError(f"{more} makes a second matrix, which cannot go to standard output: name a file")
    if arguments.at_least is not None and arguments.pairs is not None:
        raise UsageError("--at-least and --pairs do not go together")
    if _as_table(arguments) and output not in (None, STDOUT) and output.suffix.lower() == ".npy":
        raise UsageError("the table of --at-least and --pairs goes to a .csv or .npz file")
    if arguments.alternative is not None and not arguments.pvalues:
        raise UsageError("--alternative goes with --pvalues")
    for name in _files(arguments).values():
        check_not_input(name, *reading.inputs_of(arguments))
    for path in reading.inputs_of(arguments):
        if reading.KINDS.get(path.suffix.lower()) == reading.PREFLIB:
            raise UsageError(f"{path} is a PrefLib file, but a table of observations is a CSV or NumPy file")
        if path.suffix.lower() not in _TABLES:
            raise CommandError(f"{path}: the name of a file with a table must end in one of {', '.join(_TABLES)}")
    reading.check_table_options(arguments, *reading.inputs_of(arguments))
    for name in _foreign(arguments):
        if not arguments.force and name.is_file():
            what = "p-values" if name.stem.endswith("_pvalues") else "the ends of intervals"
            raise CommandError(f"{name} has {what} that would not belong to the new {output}: --force removes it")


def _read(arguments: argparse.Namespace) -> tuple[Contents, Contents | None]:
    """Read the table or the two tables as the options say. Two tables must have the same observations."""
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
        how = {name: getattr(arguments, name) for name in ("delimiter", "header", "id", "skip", "items", "encoding")}
        with reading.csv_errors():
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


def _computed(arguments: argparse.Namespace, x: Contents, y: Contents | None) -> Any:
    """Return matrices, or a table of pairs with the names of the columns."""
    x, weights = _without_weights(arguments.weights, x)
    pairs = None if arguments.pairs is None else _read_pairs(arguments.pairs, arguments.encoding, x, y or x)
    with command_errors(data=x.name, other=y and y.name):
        found = corr(
            x.X,
            None if y is None else y.X,
            method=arguments.method,
            pairs=pairs,
            weights=weights,
            at_least=arguments.at_least,
            confidence=arguments.confidence,
            pvalues=arguments.pvalues,
            alternative=arguments.alternative or "two-sided",
            min_periods=arguments.min_periods,
            n_jobs=arguments.jobs,
            progress=wants_progress(arguments),
        )
    more = arguments.pvalues or arguments.confidence is not None
    if pairs is not None:
        return CorrelationTable(pairs[0], pairs[1], *(found if more else (found,)))
    return found if more or arguments.at_least is not None else Correlations(found)


def _without_weights(name: str | None, x: Contents) -> tuple[Contents, NDArray[Any] | None]:
    """Separate the column of weights from the table."""
    if name is None:
        return x, None
    names = _names(x)
    if name not in names:
        raise CommandError(f"there is no column {name!r} of weights in {x.name}: it has {', '.join(map(repr, names))}")
    column, table = names.index(name), np.asarray(x.X)
    items = None if x.items is None else [item for item in x.items if item != name]
    return x._replace(X=np.delete(table, column, axis=1), items=items), table[:, column]


def _read_pairs(path: Path, encoding: str, x: Contents, y: Contents) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read the names of columns, two in each line."""
    found: list[list[int]] = []
    with reading.csv_errors():
        rows = list(rows_of(opened(path, encoding), ","))
    for number, cells in rows:
        if not cells:
            continue
        if len(cells) != 2:
            raise CommandError(f"{path}, line {number} has {len(cells)} cells: it must have two names of columns")
        for name, contents in zip(cells, (x, y), strict=True):
            if name not in _names(contents):
                raise CommandError(f"{path}, line {number} names {name!r}, but {contents.name} has no such column")
        found.append([_names(contents).index(name) for name, contents in zip(cells, (x, y), strict=True)])
    first, second = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return first, second


def _names(contents: Contents) -> list[str]:
    """Return the names of the columns. For columns without names, return their numbers."""
    return [*map(str, contents.items or range(1, contents.shape[1] + 1))]


_TITLES = {
    "tau-b": "Kendall's tau-b", "tau-a": "Kendall's tau-a", "tau-c": "Stuart's tau-c", "gamma": "Gamma",
    "somers": "Somers' D", "spearman": "Spearman's rho",
}  # fmt: skip


def _print(stream: TextIO, arguments: argparse.Namespace, found: Any, x: Contents, y: Contents | None) -> None:
    """Print the matrices, or the table of pairs."""
    if isinstance(found, CorrelationTable):
        _write_csv(stream, found, x, y)
        return
    x, _ = _without_weights(arguments.weights, x)
    rows, columns = _names(x), _names(y or x)
    titles = (_TITLES[arguments.method], "p-values", "from", "to")
    shown = [(title, matrix) for title, matrix in zip(titles, found[:4], strict=True) if matrix is not None]
    for number, (title, matrix) in enumerate(shown):
        cells = [["" if value != value else f"{value:.3f}" for value in row] for row in matrix.tolist()]
        names = [short(name, 30) for name in rows]
        heads = [short(name, 30) for name in columns]
        first = max(map(len, (title, *names)))
        widths = [max(map(len, (head, *(row[i] for row in cells)))) for i, head in enumerate(heads)]
        for name, row in ((title, heads), *zip(names, cells, strict=True)):
            padded = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            print("  ".join((f"{name:{first}}", *padded)).rstrip(), file=stream)
        if number + 1 < len(shown):
            print(file=stream)


def _write(ending: str, files: list[Path], found: Any, x: Contents, y: Contents | None) -> None:
    if ending == ".npz":
        names: dict[str, Any] = {"columns": x.items, "columns_against": None if y is None else y.items}
        write_npz(files[0], {**found._asdict(), **names})
        return
    parts: list[Any] = (
        [found] if isinstance(found, CorrelationTable) else [part for part in found[:4] if part is not None]
    )
    for path, part in zip(files, parts, strict=True):
        if ending == ".npy":
            with path.open("wb") as file:
                np.save(file, part)
        else:
            with text_file(path) as stream:
                _write_csv(stream, part, x, y)


def _write_csv(stream: TextIO, found: Any, x: Contents, y: Contents | None) -> None:
    """Write a matrix or a table, with as few digits as give its numbers exactly. NaN becomes an empty cell."""
    if isinstance(found, CorrelationTable):
        known = {name: column.tolist() for name, column in found._asdict().items() if column is not None}
        for side, contents in (("i", x), ("j", y or x)):
            known[side] = [_names(contents)[place] for place in known[side]]
        lines = csv.writer(stream, lineterminator="\n")
        lines.writerow(known)
        lines.writerows(["" if cell != cell else cell for cell in line] for line in zip(*known.values(), strict=True))
        return
    matrix: NDArray[Any] = found.statistic if isinstance(found, Correlations) else found
    rows, columns = x.items, (x if y is None else y).items
    writer = csv.writer(stream, lineterminator="\n")
    if columns is not None:
        writer.writerow([*([""] if rows is not None else []), *columns])
    for number, row in enumerate(matrix):
        cells = ["" if value != value else repr(value) for value in row.tolist()]
        writer.writerow(cells if rows is None else [rows[number], *cells])
