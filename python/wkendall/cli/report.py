"""`wkendall report`: one page about the rankings of a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from wkendall._arguments import as_threads
from wkendall._run import progress_bar
from wkendall.cli.describe import check_weights, group_labels
from wkendall.cli.labels import weights_of
from wkendall.cli.messages import command_errors
from wkendall.cli.options import add_column, add_number, add_output, add_reading, add_running, wants_progress
from wkendall.cli.output import check_output, new_file, say_written, text_file
from wkendall.cli.reading import check_reading, read_rankings

_SUMMARY = "write one page about rankings, with tables and pictures"
_DESCRIPTION = """\
Write an HTML page that needs no other files. The page describes the data, with
ties and missing items. It shows mean ranks with intervals, how often each item is
before each other item, the consensus, a map, and clusters. It also says whether
the consensus is proven to be the best ranking.

With --group the page also shows whether the groups differ, and which pairs of items
they order differently. With --weights all numbers are weighted, and mean ranks have
no intervals. If there are more than 100 items, only the 30 items that are listed
most often are compared. The pictures need matplotlib: pip install 'wkendall[plot]'.
"""
_EPILOG = """\
examples:
  wkendall report votes.csv -o report.html
  wkendall report votes.csv --group age --title "Survey of 2026" -o report.html
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings")
    add_output(parser, "OUTPUT.html", "the page")
    parser.add_argument("--title", metavar="TEXT", help="the title of the page; default: the name of the file")
    add_column(parser, "--group", "the group of each ranking")
    add_column(parser, "--weights", "the weight of each ranking")
    add_number(parser, "--seed", 0, "seed of all random choices", least=0, below=2**32)
    add_reading(parser)
    add_running(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the page."""
    check_output(arguments.output, [".html"], arguments.file)
    check_weights(arguments)
    check_reading(arguments, arguments.file)
    with new_file(arguments.output, arguments.force) as unfinished:
        (source,) = read_rankings(arguments, arguments.file, apart=[arguments.group, arguments.weights])
        labels = group_labels(source, arguments.group)
        weights = None if arguments.weights is None else weights_of(source, arguments.weights)
        from wkendall.report_page import report_page

        title = arguments.title or f"Rankings of {source.path.name}"
        names = {"X": source.path, "sample_weight": arguments.weights}
        with command_errors(**names), progress_bar(wants_progress(arguments), "report") as show:
            how = {"seed": arguments.seed, "n_jobs": as_threads(arguments.jobs), "tell": show, "weights": weights}
            page = report_page(title, source.rankings, labels, **how)
        with text_file(unfinished) as file:
            file.write(page)
    say_written(arguments.output, f"a page about {len(source.rankings)} rankings")
    return 0
