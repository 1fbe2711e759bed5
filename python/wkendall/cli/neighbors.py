"""`wkendall neighbors`: for each ranking, the most similar rankings in the same file or in another file."""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from wkendall.cli.kernel_options import add_kernel, measure_of
from wkendall.cli.messages import command_errors
from wkendall.cli.options import add_output, add_reading, add_running, wants_progress, whole_number
from wkendall.cli.output import check_output, described, ending_of, new_file, say_written, text_file, write_npz
from wkendall.cli.reading import Source, check_reading, inputs_of, read_both
from wkendall.measures import Measure
from wkendall.nearest import neighbors, neighbors_within

ENDINGS = (".csv", ".npz")
#: The default number of neighbours.
DEFAULT = 10

_SUMMARY = "find the most similar rankings"
_DESCRIPTION = """\
For each ranking of a file, find the most similar rankings of a second file. With
only one file, find the most similar other rankings of the same file. The matrix
of all pairs is never built.

Rankings are read from files as for wkendall gram. In a PrefLib file, items with the
same rank are tied, and items that are not listed come last.

If OUTPUT is a .csv file, it has a line for each neighbour, with four columns:
  the row number of the ranking, from 0
  the place of the neighbour among the neighbours, from 1
  the row number of the neighbour
  the value: the distance or the kernel
With --id the file has names instead of row numbers.

If OUTPUT is an .npz file, it has the arrays values and indices, with one row for
each ranking. With --radius these arrays have one axis. The array indptr then says
where the neighbours of each ranking begin, as in a sparse matrix by rows. If items
or rankings have names, the names are in the arrays items, ids and ids_against.
"""
_EPILOG = """\
examples:
  wkendall neighbors votes.csv -o near.csv
  wkendall neighbors votes.csv -n 3 -o near.csv
  wkendall neighbors new.csv votes.csv -n 5 -o near.npz --weight mult --u log
  wkendall neighbors votes.csv --radius 2 -o near.csv
"""


class _Table(NamedTuple):
    """The neighbours of all rows, one after another."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    values: NDArray[Any]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings")
    parser.add_argument(
        "against", type=Path, nargs="?", metavar="AMONG", help="the rankings to search; without AMONG, search INPUT"
    )
    add_output(parser, "OUTPUT", ".csv or .npz; - is CSV on standard output")
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument(
        "-n", "--n-neighbors", type=whole_number(1), metavar="N", help=f"number of neighbours; default {DEFAULT}"
    )
    wanted.add_argument(
        "--radius",
        type=float,
        metavar="R",
        help="instead of -n: find all rankings at a distance of at most R; with a kernel, with a value of at least R",
    )
    kinds = {"distance": "the number of discordant pairs, the smallest first (default)"}
    kinds["kernel"] = "weighted concordant pairs, the largest first (default if you pass an option of the kernel)"
    add_kernel(parser, "--metric", kinds)
    add_reading(parser)
    add_running(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find the neighbours and write them."""
    check_output(arguments.output, ENDINGS, *inputs_of(arguments), arguments.u, arguments.U, arguments.W)
    check_reading(arguments, *inputs_of(arguments))
    measure = measure_of(arguments)
    started = time.perf_counter()
    with new_file(arguments.output, arguments.force) as unfinished:
        x, y = read_both(arguments)
        found = _find(arguments, measure, x, y)
        _write(unfinished, arguments, x, y, found)
    seconds = time.perf_counter() - started
    say_written(arguments.output, f"{len(found.indices)} neighbours of {len(x.rankings)} rankings in {seconds:.2f} s")
    return 0


def _find(arguments: argparse.Namespace, measure: Measure, x: Source, y: Source | None) -> _Table:
    how: dict[str, Any] = {"measure": measure, "n_jobs": arguments.jobs, "progress": wants_progress(arguments)}
    rankings = x.rankings, None if y is None else y.rankings
    with command_errors(X=x.path, Y=y and y.path):
        if arguments.radius is not None:
            within = neighbors_within(*rankings, radius=arguments.radius, **how)
            return _Table(within.indptr.astype(np.int64), within.indices.astype(np.int64), within.data)
        wanted = DEFAULT if arguments.n_neighbors is None else arguments.n_neighbors
        found = neighbors(*rankings, n_neighbors=wanted, **how)
    rows, count = found.indices.shape
    return _Table(np.arange(rows + 1) * count, found.indices.ravel(), found.values.ravel())


def _write(path: Path, arguments: argparse.Namespace, x: Source, y: Source | None, found: _Table) -> None:
    if ending_of(arguments.output) == ".csv":
        with text_file(path) as stream:
            write_csv(stream, found, x.rankings.labels, (y or x).rankings.labels)
        return
    rows = len(x.rankings)
    shape = (-1,) if arguments.radius is not None else (rows, len(found.indices) // max(rows, 1))
    arrays: dict[str, Any] = {"values": found.values.reshape(shape), "indices": found.indices.reshape(shape)}
    if arguments.radius is not None:
        arrays["indptr"] = found.indptr
    write_npz(path, arrays | described(x.rankings, None if y is None else y.rankings))


def write_csv(stream: TextIO, found: _Table, rows: list[str] | None, columns: list[str] | None) -> None:
    """Write one line for each neighbour, with as few digits as give the values exactly."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["row", "rank", "neighbor", "value"])
    for row, (start, end) in enumerate(zip(found.indptr[:-1].tolist(), found.indptr[1:].tolist(), strict=True)):
        name = row if rows is None else rows[row]
        pairs = zip(found.indices[start:end].tolist(), found.values[start:end].astype(str).tolist(), strict=True)
        writer.writerows(
            [name, rank, index if columns is None else columns[index], value]
            for rank, (index, value) in enumerate(pairs, 1)
        )
