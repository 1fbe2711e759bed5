"""`wkendall compare`: a test whether groups of rankings differ."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, get_args

import numpy as np
from numpy.typing import NDArray

from wkendall.cli.errors import CommandError, UsageError
from wkendall.cli.items import with_same_items
from wkendall.cli.options import add_reading, add_running, new_parser, wants_progress, whole_number
from wkendall.cli.output import standard_output
from wkendall.cli.reading import (
    CSV,
    NPZ,
    Source,
    check_reading,
    check_skipped,
    kind_of,
    read_rankings,
)
from wkendall.cli.weighting import WEIGHTING, add_weights, check_weights, weights_given
from wkendall.cli.words import in_words_of_the_command
from wkendall.kernels.run import Run
from wkendall.reading import rankings as checking
from wkendall.reading.rankings import CheckedRankings, Reading
from wkendall.reading.text_files import MISSING
from wkendall.statistics.permutations import checked_permutations
from wkendall.statistics.results import TestResult
from wkendall.statistics.samples import KernelName, KernelOptions
from wkendall.statistics.two_samples import compare

if TYPE_CHECKING:
    from wkendall.cli.options import Commands

#: Options that imply the kernel "kendall", because the Mallows kernel does not have them.
_WEIGHTED = ("weight", "k", "u", "U", "W", "order")

_DESCRIPTION = """\
Test whether groups of rankings come from the same distribution. Print how much
they differ, and a p-value: the share of random assignments of people to groups
that differ at least as much.

Each group is a file (CSV, .npy, .npz or PrefLib), or --group names the column
of one file that says to which group a ranking belongs. With more than two
groups all are compared at once. Of PrefLib files the numbers of voters count,
items of one rank are ties, and items that are not listed come last.
"""
_EPILOG = """\
examples:
  wkendall compare north.csv south.csv
  wkendall compare north.csv south.csv west.csv --json
  wkendall compare people.csv --group age --weight top --k 3
  wkendall compare north.toi south.toi --permutations 999 --seed 7
"""


class Group(NamedTuple):
    """A group: its name, its rankings, and the number of voters of each, if the file has it."""

    name: str
    rankings: CheckedRankings
    voters: NDArray[np.int64] | None

    @property
    def people(self) -> int:
        """Number of people in the group."""
        return self.rankings.rows if self.voters is None else int(self.voters.sum())


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = new_parser(commands, "compare", "test whether groups of rankings differ", _DESCRIPTION, _EPILOG)
    parser.add_argument("files", type=Path, nargs="+", metavar="INPUT", help="the rankings, one file for each group")
    parser.add_argument(
        "--group",
        metavar="COLUMN",
        help="the column of a CSV file, or the array of an .npz file, that has the groups; for a single file",
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    test = parser.add_argument_group("the test")
    test.add_argument(
        "--permutations",
        type=whole_number(1),
        default=9999,
        metavar="N",
        help="number of random permutations; default 9999",
    )
    test.add_argument(
        "--seed", type=whole_number(0), default=0, metavar="N", help="seed of the permutations; default 0"
    )
    kernel = parser.add_argument_group("the kernel")
    kernel.add_argument(
        "--kernel",
        choices=get_args(KernelName),
        help="mallows: exp(-lam d), where d is the number of discordant pairs, which detects every difference (default); "
        "kendall: weighted concordant pairs (default if there is an option for weights)",
    )
    kernel.add_argument(
        "--lam", type=float, help="for --kernel mallows: the rate; default 2 / (mean of d over pairs of people)"
    )
    add_weights(kernel)
    add_reading(parser)
    add_running(parser, writes=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare the groups and print the result."""
    _check(arguments)
    groups = _read(arguments)
    with in_words_of_the_command():
        options = KernelOptions(**_options(arguments))
        options.specification()
        how = Run(n_jobs=arguments.jobs, progress=wants_progress(arguments))
        permutations = checked_permutations(arguments.permutations)
        result = compare(
            [group.rankings for group in groups],
            [group.voters for group in groups],
            options, how, permutations, np.random.default_rng(arguments.seed),
        )  # fmt: skip
    with standard_output() as file:
        if arguments.json:
            print(json.dumps(_report(arguments, groups, result), indent=2), file=file)
        else:
            _print(arguments, groups, result, file)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse wrong combinations of options before any file is read."""
    if arguments.group is None and len(arguments.files) < 2:
        raise UsageError("there must be two files, one for each group, or --group COLUMN with one file")
    if arguments.group is not None:
        if len(arguments.files) > 1:
            raise UsageError("--group goes with one file")
        if kind_of(arguments.files[0]) not in (CSV, NPZ):
            raise UsageError("--group goes with CSV and .npz files")
    if not _is_kendall(arguments):
        for name in (*_WEIGHTED, "signed"):
            if getattr(arguments, name) != WEIGHTING[name]:
                raise UsageError(f"--{name} goes with --kernel kendall")
    elif arguments.lam is not None:
        raise UsageError("--lam goes with --kernel mallows")
    check_weights(arguments)
    check_reading(arguments, *arguments.files)


def _is_kendall(arguments: argparse.Namespace) -> bool:
    """Whether the kernel is "kendall": chosen explicitly, or implied by an option for weights."""
    if arguments.kernel is not None:
        return bool(arguments.kernel == "kendall")
    return any(getattr(arguments, name) != WEIGHTING[name] for name in _WEIGHTED)


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of the kernel."""
    if not _is_kendall(arguments):
        # Without --normalize use the default of the kernel, which is not always False.
        divided = {"normalize": True} if arguments.normalize else {}
        return {"kernel": "mallows", "lam": arguments.lam, **divided}
    return {"kernel": "kendall", **weights_given(arguments)}


def _read(arguments: argparse.Namespace) -> list[Group]:
    sources = [read_rankings(path, arguments, arguments.group, lists=True) for path in arguments.files]
    check_skipped(arguments, *sources)
    sources = with_same_items(arguments, *sources)
    reading = Reading(arguments.input, arguments.top, arguments.ties, arguments.missing)
    found = []
    for source in sources:
        with in_words_of_the_command(X=sources[0], Y=source):
            found.append(reading.rankings(source.X, "Y", None))
            checking.check_same_items(found[0], found[-1])
    if arguments.group is None:
        groups = [
            Group(str(source.path), rankings, source.counts) for source, rankings in zip(sources, found, strict=True)
        ]
    else:
        groups = _by_label(sources[0], found[0], arguments.group)
    for group in groups:
        if group.people < 2:
            size = f"{group.people} ranking{'' if group.people == 1 else 's'}"
            raise CommandError(f"{group.name} has {size}, but a group must have at least 2")
    return groups


def _by_label(source: Source, rankings: CheckedRankings, column: str) -> list[Group]:
    labels: list[str] = [str(label) for label in _labels(source)]
    if len(labels) != rankings.rows:
        raise CommandError(f"{source.path} has {len(labels)} labels, but {rankings.rows} rankings")
    for row, label in enumerate(labels):
        if label in MISSING:
            where = f", line {source.lines[row]}" if source.lines else f", row {row}"
            raise CommandError(f"{source.path}{where}: the group is missing")
    names = sorted(set(labels), key=_natural)
    if len(names) < 2:
        raise CommandError(f"{source.path}: there is one group in {column!r}, {names[0]!r}, but a test needs two")
    members = np.array([names.index(label) for label in labels])
    return [
        Group(f"{column} {name}", rankings.select(np.flatnonzero(members == number)), None)
        for number, name in enumerate(names)
    ]


def _labels(source: Source) -> Sequence[Any]:
    labels = source.labels
    if isinstance(labels, np.ndarray):
        if labels.ndim != 1:
            raise CommandError(f"{source.path}: the groups have shape {labels.shape}, but must be a row of labels")
        return list(labels.tolist())
    return labels or []


def _natural(label: str) -> tuple[float, str]:
    """Return a sort key: numbers by size, then texts."""
    try:
        return float(label), label
    except ValueError:
        return math.inf, label


def _report(arguments: argparse.Namespace, groups: list[Group], result: TestResult) -> dict[str, Any]:
    assert result.pairwise is not None
    return {
        "statistic": result.statistic,
        "pvalue": result.pvalue,
        "kernel": "kendall" if result.lam is None else "mallows",
        "lam": result.lam,
        "permutations": arguments.permutations,
        "seed": arguments.seed,
        "items": groups[0].rankings.items,
        "groups": [{"name": group.name, "people": group.people} for group in groups],
        "pairwise": result.pairwise.tolist(),
    }


def _print(arguments: argparse.Namespace, groups: list[Group], result: TestResult, file: TextIO) -> None:
    width = max(len(group.name) for group in groups)
    kernel = "Kendall kernel" if result.lam is None else f"Mallows kernel, lam {result.lam:.4g}"
    print(f"{len(groups)} groups, {groups[0].rankings.items} items, {kernel}", file=file)
    for number, group in enumerate(groups):
        assert result.pairwise is not None
        beside = "".join(f" {value:9.5f}" for value in result.pairwise[number, :number]) if len(groups) > 2 else ""
        print(f"  {group.name:{width}} {group.people:9,} people{beside}", file=file)
    print(f"squared discrepancy {result.statistic:.5f}", file=file)
    print(f"p-value {result.pvalue:.4g} ({arguments.permutations} permutations, seed {arguments.seed})", file=file)
