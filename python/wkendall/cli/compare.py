"""`wkendall compare`: a test of whether groups of rankings differ."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from wkendall.cli.kernel_options import add_kernel, is_weighted, measure_of
from wkendall.cli.labels import groups_of, weights_of
from wkendall.cli.messages import CommandError, UsageError, command_errors
from wkendall.cli.options import add_column, add_number, add_reading, add_running, wants_progress
from wkendall.cli.output import standard_output
from wkendall.cli.reading import CSV, NPZ, Source, check_reading, kind_of, read_rankings
from wkendall.measures import Kernel, Mallows
from wkendall.rankings import Rankings
from wkendall.statistics.pair_differences import PairDifferences, pair_differences
from wkendall.statistics.permutations import TestResult
from wkendall.statistics.samples import check_size, observed, pooled
from wkendall.statistics.two_samples import two_sample_test

_SUMMARY = "test whether groups of rankings differ"
_DESCRIPTION = """\
Test whether groups of rankings come from the same distribution. Print how much
the groups differ, and a p-value. To get the p-value, people are assigned to groups
at random many times. The p-value is the share of these assignments in which the
groups differ at least as much as in the data.

Each group is a file (CSV, .npy, .npz or PrefLib). You can also pass a single file
for all groups: --group then names the column with the group of each ranking.

If there are more than two groups, one test compares all of them. Then every two
groups are compared. The p-values of these pairs of groups are adjusted for the
number of pairs (Holm's method).

In a PrefLib file, each voter counts as one person, items with the same rank are
tied, and items that are not listed come last.
"""
_EPILOG = """\
examples:
  wkendall compare north.csv south.csv
  wkendall compare north.csv south.csv west.csv --json
  wkendall compare people.csv --group age --weight top --k 3
  wkendall compare people.csv --group age --pairs 5
  wkendall compare paired.csv --group when --blocks person --weights weight
  wkendall compare north.toi south.toi --permutations 999 --seed 7
"""


class Group(NamedTuple):
    """A group: its name and its rankings."""

    name: str
    rankings: Rankings

    @property
    def people(self) -> int:
        """Number of people in the group."""
        return int(observed(self.rankings).sum())


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("files", type=Path, nargs="+", metavar="INPUT", help="the rankings, one file for each group")
    add_column(parser, "--group", "the group of each ranking; for a single file")
    add_column(
        parser,
        "--blocks",
        "the block (pair or stratum) of each ranking; people of a block exchange their groups only with each other",
    )
    add_column(parser, "--weights", "the weight of each person")
    parser.add_argument("--json", action="store_true", help="print the result as JSON, for programs")
    test = parser.add_argument_group("the test")
    add_number(test, "--permutations", 9999, "number of random assignments of people to groups")
    add_number(test, "--seed", 0, "seed of the random assignments", least=0)
    add_number(
        test, "--pairs", 0, "for two groups: number of pairs of items to list, those that differ most first", least=0
    )
    mallows = "exp(-lam d), where d is the number of discordant pairs (default). It detects every kind of difference. "
    mallows += "The default of lam is 2 / (mean of d over pairs of people)"
    kendall = "weighted concordant pairs (default if you pass an option for weights, such as --weight)"
    add_kernel(parser, "--kernel", {"mallows": mallows, "kendall": kendall})
    add_reading(parser)
    add_running(parser, writes=False)


def run(arguments: argparse.Namespace) -> int:
    """Compare the groups and print the result."""
    _check(arguments)
    kernel = _kernel(arguments)
    groups, how = _read(arguments)
    files: dict[str, Any] = (
        {} if arguments.group is not None else {f"groups[{i}]": group.name for i, group in enumerate(groups)}
    )
    how |= {"n_permutations": arguments.permutations, "rng": arguments.seed, "progress": wants_progress(arguments)}
    pairs = None
    with command_errors(**files):
        result = two_sample_test(*(group.rankings for group in groups), kernel=kernel, n_jobs=arguments.jobs, **how)
        if arguments.pairs:
            del how["blocks"]
            labels = np.repeat([0, 1], [len(group.rankings) for group in groups])
            pairs = pair_differences(pooled([group.rankings for group in groups], arguments.jobs), labels, **how)
    with standard_output() as file:
        if arguments.json:
            print(json.dumps(_report(arguments, groups, result, pairs), indent=2), file=file)
        else:
            _print(arguments, groups, result, file)
            if pairs is not None:
                _print_pairs(_listed(pairs, arguments.pairs), file)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.group is None and len(arguments.files) < 2:
        raise UsageError("there must be two files, one for each group, or --group COLUMN with one file")
    if arguments.group is not None:
        if len(arguments.files) > 1:
            raise UsageError("--group goes with one file")
        if kind_of(arguments.files[0]) not in (CSV, NPZ):
            raise UsageError("--group goes with CSV and .npz files")
    for name in ("blocks", "weights"):
        if getattr(arguments, name) is not None and {*map(kind_of, arguments.files)} - {CSV, NPZ}:
            raise UsageError(f"--{name} goes with CSV and .npz files")
    if arguments.pairs and (arguments.blocks is not None or len(arguments.files) > 2):
        raise UsageError(f"--pairs {'does not go with --blocks' if arguments.blocks else 'goes with two groups'}")
    check_reading(arguments, *arguments.files)


def _kernel(arguments: argparse.Namespace) -> Kernel | None:
    """Return the kernel, or None for the Mallows kernel with a rate that depends on the rankings."""
    if arguments.kernel is None and not is_weighted(arguments):
        arguments.kernel = "mallows"
    measure = measure_of(arguments)
    if isinstance(measure, Mallows):
        return None if arguments.lam is None else Mallows(arguments.lam, normalize=True)
    assert isinstance(measure, Kernel)
    return measure


def _read(arguments: argparse.Namespace) -> tuple[list[Group], dict[str, Any]]:
    """Return the groups, and the blocks and weights of all people. The people are listed group by group."""
    apart = [arguments.group, arguments.blocks, arguments.weights]
    sources = read_rankings(arguments, *arguments.files, apart=apart)
    order: Any = slice(None)
    if arguments.group is None:
        groups = [Group(str(source.path), source.rankings) for source in sources]
    else:
        rows = groups_of(sources[0], arguments.group)
        if len(rows) < 2:
            found = f"there is one group in {arguments.group!r}, {next(iter(rows))!r}, but a test needs two"
            raise CommandError(f"{sources[0].path}: {found}")
        if arguments.pairs and len(rows) > 2:
            raise CommandError(f"--pairs goes with two groups, but {arguments.group!r} has {len(rows)}")
        groups = [Group(f"{arguments.group} {name}", sources[0].rankings[some]) for name, some in rows.items()]
        order = np.concatenate([*rows.values()])
    for group in groups:
        check_size(group.people, group.name)
    how: dict[str, Any] = {"blocks": None, "sample_weight": None}
    if arguments.blocks is not None:
        how["blocks"] = np.concatenate([_labels(source, arguments.blocks) for source in sources])[order]
    if arguments.weights is not None:
        how["sample_weight"] = np.concatenate([weights_of(source, arguments.weights) for source in sources])[order]
    return groups, how


def _labels(source: Source, column: str) -> NDArray[Any]:
    found = np.empty(len(source.rankings), dtype=object)
    for label, rows in groups_of(source, column).items():
        found[rows] = label
    return found


def _listed(pairs: PairDifferences, most: int) -> list[dict[str, Any]]:
    """Return the first `most` pairs of items. Items without names are numbered from 1."""
    rows = zip(*(column[:most].tolist() for column in pairs[:-1]), strict=True)
    found = [dict(zip(PairDifferences._fields, row, strict=False)) for row in rows]
    for one in found:
        one |= {side: one[side] if isinstance(one[side], str) else one[side] + 1 for side in ("first", "second")}
    return found


def _report(
    arguments: argparse.Namespace, groups: list[Group], result: TestResult, pairs: PairDifferences | None
) -> dict[str, Any]:
    assert result.pairwise is not None
    assert result.pairwise_pvalues is not None
    return {
        "statistic": result.statistic,
        "pvalue": result.pvalue,
        "kernel": "mallows" if isinstance(result.kernel, Mallows) else "kendall",
        "lam": result.kernel.lam if isinstance(result.kernel, Mallows) else None,
        "permutations": arguments.permutations,
        "seed": arguments.seed,
        "items": groups[0].rankings.n_items,
        "groups": [{"name": group.name, "people": group.people} for group in groups],
        "pairwise": result.pairwise.tolist(),
        "pairwise_pvalues": result.pairwise_pvalues.tolist(),
    } | ({} if pairs is None else {"pairs": _listed(pairs, arguments.pairs)})


def _print(arguments: argparse.Namespace, groups: list[Group], result: TestResult, file: TextIO) -> None:
    width = max(len(group.name) for group in groups)
    mallows = result.kernel if isinstance(result.kernel, Mallows) else None
    kernel = "Kendall kernel" if mallows is None else f"Mallows kernel, lam {mallows.lam:.4g}"
    print(f"{len(groups)} groups, {groups[0].rankings.n_items} items, {kernel}", file=file)
    assert result.pairwise is not None
    assert result.pairwise_pvalues is not None
    for number, group in enumerate(groups):
        beside = "".join(f" {value:9.5f}" for value in result.pairwise[number, :number]) if len(groups) > 2 else ""
        print(f"  {group.name:{width}} {group.people:9,} people{beside}", file=file)
    print(f"squared discrepancy {result.statistic:.5f}", file=file)
    print(f"p-value {result.pvalue:.4g} ({arguments.permutations} permutations, seed {arguments.seed})", file=file)
    if len(groups) > 2:
        print("p-values of every two groups, adjusted for their number:", file=file)
        for number, group in enumerate(groups[1:], 1):
            beside = "".join(f" {value:9.4g}" for value in result.pairwise_pvalues[number, :number])
            print(f"  {group.name:{width}}{beside}", file=file)


def _print_pairs(pairs: list[dict[str, Any]], file: TextIO) -> None:
    print("pairs of items: shares of both groups, difference with simultaneous 95 % interval, p-value", file=file)
    names = [f"{pair['first']} before {pair['second']}" for pair in pairs]
    for name, pair in zip(names, pairs, strict=True):
        shares = " ".join(f"{share:5.2f}" for share in pair["shares"])
        interval = f"{pair['difference']:5.2f} ({pair['low']:.2f} to {pair['high']:.2f})"
        print(f"  {name:{max(map(len, names))}} {shares} {interval}  {pair['pvalue']:.4g}", file=file)
