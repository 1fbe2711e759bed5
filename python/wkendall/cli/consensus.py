"""`wkendall consensus`: the ranking that agrees most with those of a file."""

from __future__ import annotations

import argparse
import csv
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, get_args

import numpy as np
from numpy.typing import NDArray

from wkendall.cli.errors import CommandError, UsageError
from wkendall.cli.options import add_reading, add_running, new_parser, whole_number
from wkendall.cli.output import check_not_input, new_file, standard_output
from wkendall.cli.reading import PREFLIB, Source, check_reading, check_skipped, kind_of, read_rankings
from wkendall.cli.weighting import add_weights, check_weights, weights_given
from wkendall.cli.words import in_words_of_the_command
from wkendall.reading.text_files import MISSING, NUMBER
from wkendall.statistics.consensus import Consensus, Method, consensus

if TYPE_CHECKING:
    from wkendall.cli.options import Commands

FORMATS = {".txt": "text", ".csv": "csv", ".json": "json"}

_DESCRIPTION = """\
Find the ranking that agrees most with the rankings of a file. Without options
for weights this is Kemeny's ranking, which disagrees with them on the fewest
pairs of items. Print the items, the best first, the score of the ranking, and
whether it is optimal.

Rankings are read from CSV files (.csv, .tsv, .txt: one ranking per row, one
item per column), NumPy files (.npy, .npz) or PrefLib files (.soc, .soi, .toc,
.toi). In a PrefLib file each voter counts, items of the same rank are ties, and
items that are not listed come last.
"""
_EPILOG = """\
examples:
  wkendall consensus votes.toi
  wkendall consensus votes.csv --format json
  wkendall consensus votes.csv --weights voters --ties mean -o ranking.csv
  wkendall consensus votes.csv --weight top --k 3
"""


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = new_parser(commands, "consensus", "find the ranking that agrees most with others", _DESCRIPTION, _EPILOG)
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings")
    parser.add_argument(
        "-o", "--out", "--output", dest="output", type=Path, metavar="OUTPUT",
        help="a .txt, .csv or .json file; default standard output",
    )  # fmt: skip
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS.values()),
        help="output format; default given by the name of the output, or text",
    )
    parser.add_argument(
        "--weights",
        metavar="COLUMN",
        help="the column of a CSV file, or the array of an .npz file, that has the weight of each ranking",
    )
    search = parser.add_argument_group("how it is found")
    search.add_argument(
        "--method",
        choices=get_args(Method),
        default="auto",
        help="exact: the best of all rankings, for up to 20 items; local: insertions and swaps, for any number of items; borda: "
        "by mean ranks; auto (default): exact where possible",
    )
    search.add_argument(
        "--seed", type=whole_number(0), default=0, metavar="N", help="seed of the local search; default 0"
    )
    add_weights(parser.add_argument_group("the kernel"))
    add_reading(parser)
    add_running(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Find the ranking and write it."""
    kind = _check(arguments)
    if arguments.output is None:
        with standard_output() as file:
            _write(file, kind, *_find(arguments))
        return 0
    with new_file(arguments.output, arguments.force) as unfinished:
        source, found = _find(arguments)
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            _write(file, kind, source, found)
    print(f"wrote {arguments.output}: {len(found.ranking)} items, score {found.score:.6g}")
    return 0


def _check(arguments: argparse.Namespace) -> str:
    """Refuse wrong combinations of options before any file is read; return the type of the output."""
    kind = "text" if arguments.format is None else arguments.format
    if arguments.output is not None:
        known = FORMATS.get(arguments.output.suffix.lower())
        if known is None:
            endings = ", ".join(FORMATS)
            raise UsageError(f"the name of the output must end in one of {endings}, not be {str(arguments.output)!r}")
        if arguments.format not in (None, known):
            raise UsageError(f"--format {arguments.format} does not go with the name {str(arguments.output)!r}")
        kind = known
        check_not_input(arguments.output, arguments.file, arguments.u, arguments.U)
    if arguments.W is not None:
        raise UsageError("--W does not go with a consensus: --weight and --U give weights of pairs")
    if arguments.order != 2:
        raise UsageError(f"--order is {arguments.order}, but a consensus is for pairs of items: --order 2")
    if kind_of(arguments.file) == PREFLIB and arguments.weights is not None:
        raise UsageError("--weights goes with CSV and .npz files: PrefLib files have numbers of voters")
    check_weights(arguments)
    check_reading(arguments, arguments.file)
    return str(kind)


def _find(arguments: argparse.Namespace) -> tuple[Source, Consensus]:
    source = read_rankings(arguments.file, arguments, arguments.weights)
    check_skipped(arguments, source)
    weights = source.counts if arguments.weights is None else _weights(source, arguments.weights)
    how = {name: getattr(arguments, name) for name in ("input", "top", "ties", "missing", "method")}
    given = weights_given(arguments)
    given.pop("check")
    with in_words_of_the_command(X=source):
        return source, consensus(
            source.X, sample_weight=weights, rng=arguments.seed, n_jobs=arguments.jobs, **how, **given
        )


def _weights(source: Source, column: str) -> NDArray[np.float64]:
    """Return the weight of each ranking."""
    cells = source.labels
    if isinstance(cells, np.ndarray) and (cells.dtype.kind not in "iufb" or cells.shape != (len(source.X),)):
        what = f"has shape {cells.shape} and dtype {cells.dtype}"
        raise CommandError(f"{source.path}: the array {column!r} {what}, but must have a number for each ranking")
    weights = np.array(
        [_weight(source, column, row, cell) for row, cell in enumerate(cells if cells is not None else ())]
    )
    if not weights.any():
        raise CommandError(f"{source.path}: {column} is 0 for all rankings, but at least one must count")
    return weights


def _weight(source: Source, column: str, row: int, cell: Any) -> float:
    weight = float(cell) if not isinstance(cell, str) or NUMBER.fullmatch(cell) else math.nan
    if 0 <= weight < math.inf:
        return weight
    where = f", line {source.lines[row]}: {column}" if source.lines else f": {column}[{row}]"
    found = "missing" if isinstance(cell, str) and cell in MISSING else repr(cell) if isinstance(cell, str) else weight
    raise CommandError(f"{source.path}{where} is {found}, but must be a finite number from 0")


def _write(file: TextIO, kind: str, source: Source, found: Consensus) -> None:
    """Write the items, the best first."""
    order = np.argsort(found.ranking).tolist()
    names: list[Any] = [number + 1 for number in order] if source.items is None else [source.items[i] for i in order]
    if kind == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["rank", "item"])
        writer.writerows(enumerate(names, 1))
        return
    if kind == "json":
        result = {"order": names, "ranking": found.ranking.tolist()}
        result |= {"score": found.score, "bound": found.bound, "optimal": bool(found.optimal)}
        print(json.dumps(result, indent=2, ensure_ascii=False), file=file)
        return
    width = len(str(len(names)))
    for rank, name in enumerate(names, 1):
        print(f"{rank:{width}}  {name}", file=file)
    best = "no ranking has a larger one" if found.optimal else f"none is larger than {found.bound:.6g}"
    print(f"score {found.score:.6g}: {best}", file=file)
