"""`wkendall describe`: ranks of items, shares of pairs and agreement of the rankings of a file."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from wkendall.cli.labels import groups_of, weights_of
from wkendall.cli.messages import CommandError, UsageError, command_errors
from wkendall.cli.options import add_column, add_reading
from wkendall.cli.output import standard_output
from wkendall.cli.reading import PREFLIB, Source, check_reading, kind_of, read_rankings
from wkendall.description import Description

_SUMMARY = "describe rankings: mean ranks, first places, who is before whom"
_DESCRIPTION = """\
Print the number of rankings, and how much they agree (Kendall's W, from 0 to 1).
For each item, print the mean and the median of its ranks, how often it is first,
and how often it is left out. With --group the groups of people are shown side by
side. With --weights each ranking counts with its weight.
"""
_EPILOG = """\
examples:
  wkendall describe votes.csv
  wkendall describe votes.csv --group age
  wkendall describe votes.toi --json
"""
#: A table of pairs is written for up to so many items.
MAX_ITEMS = 100


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the result as JSON, for programs; with up to 100 items, the JSON also has, for each two items, the "
        "share of rankings that have the first item before the second",
    )
    add_column(parser, "--group", "the group of each ranking")
    add_column(parser, "--weights", "the weight of each ranking")
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    """Describe the rankings."""
    check_weights(arguments)
    check_reading(arguments, arguments.file)
    (source,) = read_rankings(arguments, arguments.file, apart=[arguments.group, arguments.weights])
    weights = None if arguments.weights is None else weights_of(source, arguments.weights)
    with command_errors(X=source.path, by=arguments.group, sample_weight=arguments.weights):
        found = source.rankings.describe(group_labels(source, arguments.group), sample_weight=weights)
    with standard_output() as file:
        print(json.dumps(_report(found), indent=2, ensure_ascii=False) if arguments.json else found, file=file)
    return 0


def check_weights(arguments: argparse.Namespace) -> None:
    """Raise an error about --weights for a PrefLib file, which has no columns."""
    if arguments.weights is not None and kind_of(arguments.file) == PREFLIB:
        raise UsageError("--weights goes with CSV and .npz files: PrefLib files have numbers of voters")


def group_labels(source: Source, column: str | None) -> Any:
    """Return the group of each ranking as text, or None if no column of groups is given."""
    if column is None:
        return None
    groups = groups_of(source, column)
    if not groups:
        raise CommandError(f"{source.path} has no rankings, and so no groups")
    labels = np.empty(len(source.rankings), dtype=object)
    for label, rows in groups.items():
        labels[rows] = label
    return labels.astype(str)


def _report(found: Description) -> dict[str, Any]:
    items = [item + 1 if isinstance(item, int) else str(item) for item in found.items]
    report: dict[str, Any] = {
        "rankings": found.n_rankings,
        "distinct": found.n_distinct,
        "kendall_w": _known(found.kendall_w),
        "kendall_w_pvalue": _known(found.kendall_w_pvalue),
    }
    report["items"] = [
        {
            "item": items[place],
            "mean": _known(found.mean[place]),
            "median": _known(found.median[place]),
            "first": _known(found.first[place]),
            "missing": found.missing[place].item(),
        }
        for place in found.order.tolist()
    ]
    if len(items) <= MAX_ITEMS:
        shares = [[_known(share) for share in row] for row in found.shares]
        report["shares"] = {"items": items, "before": shares}
    if found.groups is not None:
        report["groups"] = {str(label): _report(group) for label, group in found.groups.items()}
    return report


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
