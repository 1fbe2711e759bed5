"""`wkendall gram`: the matrix of a kernel between all rankings of a file, or of two files."""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from wkendall._disk import reserve, resolved
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.cli import output
from wkendall.cli.kernel_options import add_kernel, measure_of
from wkendall.cli.messages import CommandError, UsageError, command_errors
from wkendall.cli.options import add_output, add_reading, add_running, wants_progress
from wkendall.cli.reading import Source, check_reading, inputs_of, read_both
from wkendall.gram import similarity_matrix
from wkendall.gram_file import matrix_file, to_file
from wkendall.measures import Measure
from wkendall.rankings import matched

ENDINGS = (".npy", ".npz", ".csv")
#: Advice for a matrix that does not fit in memory.
_ADVICE = "write it to an .npy file, which may be larger than memory, or use --dtype float32"

_SUMMARY = "compute the matrix of a kernel between rankings"
_DESCRIPTION = """\
Compute a kernel between all rankings of a file, and write the matrix. With
--against, compute the kernel between the rankings of two files.

Rankings are read from CSV files (.csv, .tsv, .txt: one ranking per row, one
item per column, or another --layout), NumPy files (.npy, .npz) or PrefLib files
(.soc, .soi, .toc, .toi). The matrix is written to one of these files:
  .npy  the matrix, which may be larger than memory
  .csv  the matrix
  .npz  the matrix as the array K; names of items and of rankings, if there are
        any, as the arrays items and ids

For a PrefLib file, the matrix has one row for each distinct order. If OUTPUT is an
.npz file, its array counts has the number of voters of each order. With --expand
the matrix has one row for each voter instead.

With --resume an .npy file is written block by block. If the run is interrupted
or killed, the finished blocks stay in OUTPUT.unfinished. Give the same command
again to continue with the other blocks. If OUTPUT is already complete, the command
computes the matrix again and compares it with OUTPUT. It fails if a bit differs.
"""
_EPILOG = """\
examples:
  wkendall gram votes.csv -o gram.npy
  wkendall gram votes.csv -o gram.csv --weight mult --u log --normalize
  wkendall gram votes.csv -o gram.npz --weight top --k 3 --force
  wkendall gram votes.csv -o large.npy --resume
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings")
    add_output(parser, "OUTPUT", ".npy, .csv or .npz; - is CSV on standard output")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="a second file; each of its rankings is a column of the matrix"
    )
    kinds = {"kendall": "weighted concordant pairs (default)"}
    kinds["distance"] = "the number of discordant pairs d, which is not a kernel"
    kinds["mallows"] = "exp(-lam d), with lam 1 unless --lam is given"
    add_kernel(parser, "--kernel", kinds)
    add_reading(parser)
    add_running(parser)
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64", help="data type of the matrix")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="for .npy: continue an earlier run that was interrupted or killed; if there is none, start a run that can be "
        "continued",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compute the matrix and write it."""
    output.check_output(arguments.output, ENDINGS, *inputs_of(arguments), arguments.u, arguments.U, arguments.W)
    if arguments.resume and arguments.output.suffix.lower() != ".npy":
        raise UsageError(f"--resume goes with an .npy file, not with {str(arguments.output)!r}")
    check_reading(arguments, *inputs_of(arguments))
    measure = measure_of(arguments)
    started = time.perf_counter()
    already: int | None = 0
    if arguments.resume:
        output.check_new(arguments.output, force=True)
        x, y = read_both(arguments)
        already = _resume(arguments, measure, x, y)
    else:
        _refuse_unfinished(arguments)
        with output.new_file(arguments.output, arguments.force) as unfinished:
            x, y = read_both(arguments)
            _write(unfinished, arguments, measure, x, y)
    rows, columns = _shape(x, y)
    said = f"{rows} x {columns} {arguments.dtype} in {time.perf_counter() - started:.2f} s"
    if already:
        said += f", with {already} {'block' if already == 1 else 'blocks'} of an earlier run"
    if already is None:
        print(f"{arguments.output} was complete already: {said}, which the comparison took")
    else:
        output.say_written(arguments.output, said)
    _tell_of_counts(arguments, x, y)
    return 0


def _shape(x: Source, y: Source | None) -> tuple[int, int]:
    return len(x.rankings), len((y or x).rankings)


def _fill(arguments: argparse.Namespace, measure: Measure, x: Source, y: Source | None, out: NDArray[Any]) -> None:
    how: dict[str, Any] = {"dtype": arguments.dtype, "n_jobs": arguments.jobs, "progress": wants_progress(arguments)}
    with command_errors(X=x.path, Y=y and y.path):
        similarity_matrix(x.rankings, None if y is None else y.rankings, measure, out=out, **how)


def _refuse_unfinished(arguments: argparse.Namespace) -> None:
    """Raise an error if there is an unfinished file of an earlier run, unless --force is given."""
    if arguments.output == output.STDOUT or not matrix_file.unfinished_names(resolved(arguments.output))[1].exists():
        return
    if not arguments.force:
        raise CommandError(f"{matrix_file.left_over(arguments.output)}, --force starts again")
    matrix_file.discard(arguments.output)


def _resume(arguments: argparse.Namespace, measure: Measure, x: Source, y: Source | None) -> int | None:
    """Write the matrix block by block, or only its missing blocks.

    The result is the number of blocks that earlier runs had finished, or None if the whole file was already finished.
    """
    unfinished, _ = matrix_file.unfinished_names(resolved(arguments.output))
    run = Run(np.dtype(arguments.dtype), n_jobs=arguments.jobs)
    try:
        with command_errors(X=x.path, Y=y and y.path):
            rankings = x.rankings, None if y is None else matched(x.rankings, y.rankings)
            work = to_file.prepare(measure, *rankings, run)
            progress = wants_progress(arguments)
            return matrix_file.write(arguments.output, work, resume=True, force=arguments.force, progress=progress)
    except CommandError:
        raise
    except BaseException:
        if unfinished.exists() and sys.stderr is not None:
            print(f"the finished part is kept in {unfinished.name}: --resume continues from there", file=sys.stderr)
        raise


def _write(path: Path, arguments: argparse.Namespace, measure: Measure, x: Source, y: Source | None) -> None:
    ending, shape, dtype = output.ending_of(arguments.output), _shape(x, y), np.dtype(arguments.dtype)
    if ending == ".npy":
        # Through a memory map, so that it may be larger than memory.
        out = np.lib.format.open_memmap(path, mode="w+", shape=shape, dtype=dtype)
        # Writing to a memory map crashes the process if the disk is full.
        reserve(path, out.offset)
        _fill(arguments, measure, x, y, out)
        out.flush()
        return
    check_fits(*shape, dtype, _ADVICE)
    K = np.empty(shape, dtype)
    _fill(arguments, measure, x, y, K)
    if ending == ".csv":
        with output.text_file(path) as stream:
            write_csv(stream, K, x.rankings.labels, None if y is None else y.rankings.labels)
        return
    output.write_npz(path, {"K": K, **output.described(x.rankings, None if y is None else y.rankings)})


def write_csv(stream: TextIO, K: NDArray[Any], rows: list[str] | None, columns: list[str] | None) -> None:
    """Write a matrix, with as few digits as give its numbers exactly.

    If there are names of rows, the first line has the names of the columns.
    """
    writer = csv.writer(stream, lineterminator="\n")
    if rows is not None:
        writer.writerow(["", *(rows if columns is None else columns)])
    for number, row in enumerate(K):
        cells = row.astype(str).tolist()
        writer.writerow(cells if rows is None else [rows[number], *cells])


def _tell_of_counts(arguments: argparse.Namespace, x: Source, y: Source | None) -> None:
    """If the output does not contain how many voters gave each order, tell the user how to get these numbers."""
    if arguments.output.suffix.lower() == ".npz":
        return
    for source in (x, y):
        counts = None if source is None else source.rankings.counts
        if source is not None and counts is not None and (counts != 1).any():
            print(
                f"wkendall: {source.path} has {len(counts)} different orders of {counts.sum()} voters: one row for "
                "each order is written; --expand makes one for each voter, and an .npz file keeps the counts",
                file=sys.stderr,
            )
