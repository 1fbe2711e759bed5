"""`wkendall cluster`: clusters of the rankings of a file, and an estimate of the number of clusters."""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from wkendall.cli.describe import check_weights
from wkendall.cli.kernel_options import add_kernel, measure_of
from wkendall.cli.labels import weights_of
from wkendall.cli.messages import command_errors
from wkendall.cli.options import (
    add_column,
    add_number,
    add_output,
    add_reading,
    add_running,
    wants_progress,
    whole_number,
)
from wkendall.cli.output import check_output, new_file, say_written, standard_output, text_file
from wkendall.cli.reading import Source, check_reading, read_rankings
from wkendall.gram import check_pairs
from wkendall.measures import Kernel, Mallows
from wkendall.statistics.samples import observed

if TYPE_CHECKING:
    from wkendall.estimators.cluster_number import ClusterNumber

_SUMMARY = "find clusters of rankings, and estimate their number"
_DESCRIPTION = """\
Divide the rankings of a file into clusters of similar rankings. For each cluster,
print its size and the ranking that agrees most with the rankings of the cluster.

Without --clusters the command estimates the number of clusters. It tries 1, 2,
3, ... clusters. One more cluster lowers the sum of the squared distances between
the rankings and the centres of their clusters. This fall is compared with the fall
in simulated rankings that have only the clusters found so far. The gap is the fall
in the data minus the fall in the simulated rankings. When the gap is small, no more
clusters are tried. The gaps and their standard errors are printed.

With -o the command also writes the cluster of each ranking to a CSV file.
"""
_EPILOG = """\
examples:
  wkendall cluster votes.csv
  wkendall cluster people.csv --skip age --clusters 2 -o clusters.csv
  wkendall cluster north.toi --json
"""


class Found(NamedTuple):
    """The cluster of each ranking, numbered from 0, and for each cluster the size and the consensus order.

    The size is the number of people, or the sum of their weights.
    """

    labels: NDArray[Any]
    sizes: list[float]
    orders: list[list[Any]]
    number: ClusterNumber | None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings")
    add_output(parser, "OUTPUT.csv", "a file with the cluster of each ranking; - is standard output", required=False)
    parser.add_argument("--json", action="store_true", help="print the result as JSON, for programs")
    add_column(parser, "--weights", "the weight of each ranking")
    clusters = parser.add_argument_group("the clusters")
    clusters.add_argument(
        "--clusters", type=whole_number(1), metavar="N", help="the number of clusters; the default is an estimate"
    )
    add_number(clusters, "--max-clusters", 8, "for the estimate: the largest number of clusters to try")
    add_number(clusters, "--seed", 0, "seed of all random choices", least=0, below=2**32)
    add_kernel(parser)
    add_reading(parser)
    add_running(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find the clusters, and print them."""
    if arguments.output is not None:
        check_output(arguments.output, [".csv"], arguments.file, arguments.u, arguments.U, arguments.W)
    check_weights(arguments)
    check_reading(arguments, arguments.file)
    kernel = measure_of(arguments)
    assert isinstance(kernel, Kernel)
    with command_errors():
        if not isinstance(kernel, Mallows):
            check_pairs(kernel, "consensus")
    if arguments.output is None:
        source, found = _find(arguments, kernel)
    else:
        with new_file(arguments.output, arguments.force) as unfinished:
            source, found = _find(arguments, kernel)
            with text_file(unfinished) as file:
                _write(file, source, found)
        say_written(arguments.output, f"{len(found.labels)} rankings in {len(found.sizes)} clusters")
        if str(arguments.output) == "-":
            return 0
    with standard_output() as file:
        if arguments.json:
            print(json.dumps(_report(source, found), indent=2, ensure_ascii=False), file=file)
        else:
            _print(found, arguments.weights is not None, file)
    return 0


def _find(arguments: argparse.Namespace, kernel: Kernel) -> tuple[Source, Found]:
    from wkendall.estimators import KendallKMeans
    from wkendall.estimators.cluster_number import cluster_number

    (source,) = read_rankings(arguments, arguments.file, apart=[arguments.weights])
    rankings, clusters, number = source.rankings, arguments.clusters, None
    weights = None if arguments.weights is None else weights_of(source, arguments.weights)
    with command_errors(X=source.path, sample_weight=arguments.weights):
        if clusters is None:
            how: dict[str, Any] = {"n_jobs": arguments.jobs, "progress": wants_progress(arguments)}
            how |= {"max_clusters": arguments.max_clusters, "rng": arguments.seed}
            number = cluster_number(rankings, kernel, sample_weight=weights, **how)
            clusters = number.n_clusters
        model = KendallKMeans(clusters, kernel, random_state=arguments.seed, n_jobs=arguments.jobs)
        model.fit(rankings, sample_weight=weights)
        orders = model.consensus(rng=arguments.seed).to_lists()
    each = observed(rankings) if weights is None else weights
    sizes = np.bincount(model.labels_, each, minlength=clusters)
    # The largest cluster first.
    order = np.argsort(-sizes, kind="stable")
    labels = np.argsort(order)[model.labels_]
    items = [[item if isinstance(item, str) else item + 1 for item in orders[place]] for place in order]
    return source, Found(labels, sizes[order].tolist(), items, number)


def _write(file: TextIO, source: Source, found: Found) -> None:
    writer = csv.writer(file, lineterminator="\n")
    names = source.rankings.labels
    writer.writerow(["row" if names is None else "id", "cluster"])
    each = range(len(found.labels)) if names is None else names
    writer.writerows(zip(each, (found.labels + 1).tolist(), strict=True))


def _report(source: Source, found: Found) -> dict[str, Any]:
    clusters = [{"size": size, "order": order} for size, order in zip(found.sizes, found.orders, strict=True)]
    known: dict[str, Any] = {"items": source.rankings.n_items, "clusters": clusters}
    if found.number is not None:
        known |= {"gap": found.number.gap.tolist(), "error": found.number.error.tolist()}
    return known | {"labels": (found.labels + 1).tolist()}


def _print(found: Found, weighted: bool, file: TextIO) -> None:
    total, many = sum(found.sizes), len(found.sizes)
    if found.number is not None:
        said = "there seems to be 1 cluster" if many == 1 else f"there seem to be {many} clusters"
        print(f"{said}: one more would bring little", file=file)
        gap, error = found.number.gap, found.number.error
        print("  clusters" + "".join(f" {number:7d}" for number in range(1, len(gap) + 1)), file=file)
        print("  gap     " + "".join(f" {value:7.3f}" for value in gap), file=file)
        print("  error   " + "".join(f" {value:7.3f}" for value in error), file=file)
    for number, (size, order) in enumerate(zip(found.sizes, found.orders, strict=True), 1):
        shown = f"weight {size:.6g}" if weighted else f"{size:,.0f} {'person' if size == 1 else 'people'}"
        share = f"{size / total:.0%}"
        print(f"cluster {number}, {shown}, {share}: {' > '.join(map(str, order))}", file=file)
