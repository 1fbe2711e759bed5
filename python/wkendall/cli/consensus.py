"""`wkendall consensus`: the ranking that agrees most with the rankings of a file."""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any, NamedTuple, TextIO, get_args

from wkendall.cli.kernel_options import add_kernel, measure_of
from wkendall.cli.labels import groups_of, weights_of
from wkendall.cli.messages import CommandError, UsageError, command_errors
from wkendall.cli.options import add_column, add_number, add_output, add_reading, add_running
from wkendall.cli.output import STDOUT, check_output, ending_of, new_file, say_written, text_file
from wkendall.cli.reading import PREFLIB, check_reading, kind_of, read_rankings
from wkendall.statistics.consensus import consensus
from wkendall.statistics.ordering import Consensus, Method

FORMATS = {".txt": "text", ".csv": "csv", ".json": "json"}

_SUMMARY = "find the ranking that agrees most with the rankings of a file"
_DESCRIPTION = """\
Find the ranking that agrees most with the rankings of a file. Without options
for weights of positions, this is the Kemeny ranking. For the Kemeny ranking, the
sum of the Kendall distances to the rankings of the file is smallest. (The Kendall
distance is the number of pairs of items that two rankings order differently.) The
command prints the items, the best first, and the score of the ranking. It also
prints whether the ranking is proven to be optimal, and whether it is the only best
ranking.

Rankings are read from CSV files (.csv, .tsv, .txt: one ranking per row, one
item per column), NumPy files (.npy, .npz) or PrefLib files (.soc, .soi, .toc,
.toi). In a PrefLib file, each voter counts as one person, items with the same rank
are tied, and items that are not listed come last.

With --group COLUMN the command finds a ranking for each group.
"""
_EPILOG = """\
examples:
  wkendall consensus votes.toi
  wkendall consensus votes.csv --format json
  wkendall consensus votes.csv --weights voters --ties mean -o ranking.csv
  wkendall consensus votes.csv --weight top --k 3
  wkendall consensus people.csv --group age
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings")
    what = "a .txt, .csv or .json file; default: standard output, as with -"
    add_output(parser, "OUTPUT", what, required=False)
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS.values()),
        help="output format; default: the format that the ending of OUTPUT means, or text on standard output",
    )
    add_column(parser, "--weights", "the weight of each ranking")
    add_column(parser, "--group", "the group of each ranking; the command finds a ranking for each group")
    search = parser.add_argument_group("how the ranking is found")
    search.add_argument(
        "--method",
        choices=get_args(Method),
        default="auto",
        help="exact: the best of all rankings (with weights of positions, only for up to 20 items); local: local search by "
        "insertions and swaps; borda: sort the items by their mean ranks; auto (default): exact where possible",
    )
    add_number(search, "--seed", 0, "seed of the local search", least=0)
    add_kernel(parser)
    add_reading(parser)
    add_running(parser)


class Found(NamedTuple):
    """The consensus of a group, or of all rankings."""

    group: str | None
    rankings: int
    consensus: Consensus


def run(arguments: argparse.Namespace) -> int:
    """Find the consensus rankings and write them."""
    arguments.output = None if arguments.output == STDOUT else arguments.output
    kind = _check(arguments)
    measure = measure_of(arguments)
    with new_file(arguments.output or STDOUT, arguments.force) as unfinished:
        found = _find(arguments, measure)
        with text_file(unfinished) as file:
            _write(file, kind, arguments.group, found)
    if arguments.output is not None:
        items, score = f"{len(found[0].consensus.ranking)} items", f"score {found[0].consensus.score:.6g}"
        said = f"{items}, {score}" if arguments.group is None else f"{len(found)} groups, {items}"
        say_written(arguments.output, said)
    return 0


def _check(arguments: argparse.Namespace) -> str:
    """Raise an error for wrong combinations of options, before any file is read. Return the type of the output."""
    kind = "text" if arguments.format is None else arguments.format
    if arguments.output is not None:
        check_output(arguments.output, [*FORMATS], arguments.file, arguments.u, arguments.U, arguments.W)
        kind = FORMATS[ending_of(arguments.output)]
        if arguments.format not in (None, kind):
            raise UsageError(f"--format {arguments.format} does not go with the name {str(arguments.output)!r}")
    for name in ("weights", "group"):
        if kind_of(arguments.file) == PREFLIB and getattr(arguments, name) is not None:
            raise UsageError(f"--{name} goes with CSV and .npz files: PrefLib files have numbers of voters")
    check_reading(arguments, arguments.file)
    return str(kind)


def _find(arguments: argparse.Namespace, measure: Any) -> list[Found]:
    (source,) = read_rankings(arguments, arguments.file, apart=[arguments.weights, arguments.group])
    weights = None if arguments.weights is None else weights_of(source, arguments.weights)
    groups: list[tuple[str | None, Any]] = [(None, slice(None))]
    if arguments.group is not None:
        groups = [*groups_of(source, arguments.group).items()]
    found = []
    for name, rows in groups:
        rankings = source.rankings[rows]
        how: dict[str, Any] = {"method": arguments.method, "rng": arguments.seed, "n_jobs": arguments.jobs}
        how["sample_weight"] = None if weights is None else weights[rows]
        if weights is not None and len(rankings) and not weights[rows].any():
            of_group = "" if name is None else f" of {arguments.group} {name}"
            said = f"{arguments.weights} is 0 for all rankings{of_group}, but at least one must count"
            raise CommandError(f"{source.path}: {said}")
        with command_errors(X=source.path):
            found.append(Found(name, len(rankings), consensus(rankings, kernel=measure, **how)))
    return found


def _write(file: TextIO, kind: str, column: str | None, found: list[Found]) -> None:
    """Write the items of the consensus of each group, the best item first."""
    if kind == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*([] if column is None else ["group"]), "rank", "item"])
        for one in found:
            group = [] if column is None else [one.group]
            writer.writerows([*group, rank, item] for rank, item in enumerate(_items(one.consensus), 1))
    elif kind == "json":
        results = [{"group": one.group, "rankings": one.rankings} | _described(one.consensus) for one in found]
        result: Any = {"column": column, "groups": results} if column is not None else _described(found[0].consensus)
        print(json.dumps(result, indent=2, ensure_ascii=False), file=file)
    else:
        for place, one in enumerate(found):
            if column is not None:
                many = f"{one.rankings} ranking{'' if one.rankings == 1 else 's'}"
                print("\n" * (place > 0) + f"{column} {one.group}, {many}", file=file)
            _print(file, one.consensus)


def _items(found: Consensus) -> list[Any]:
    """Return the names of the items, or their numbers from 1; the best item comes first."""
    return [item if isinstance(item, str) else item + 1 for item in found.items]


def _described(found: Consensus) -> dict[str, Any]:
    ranks = {"order": _items(found), "ranking": found.ranking.tolist()}
    known = {"score": found.score, "bound": found.bound, "optimal": found.optimal, "unique": found.unique}
    return ranks | known


def _print(file: TextIO, found: Consensus) -> None:
    names = _items(found)
    width = len(str(len(names)))
    for rank, name in enumerate(names, 1):
        print(f"{rank:{width}}  {name}", file=file)
    best = "no ranking has a larger one" if found.optimal else f"none is larger than {found.bound:.6g}"
    if found.unique is not None:
        best = "every other ranking has a smaller one" if found.unique else f"{best}, but others have the same one"
    print(f"score {found.score:.6g}: {best}", file=file)
