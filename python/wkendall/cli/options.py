"""Options that several commands share."""

from __future__ import annotations

import argparse
import csv
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from wkendall._errors import shown
from wkendall.arrays.options import Input, Missing, Ties, Top
from wkendall.reading.csv_rows import LAYOUTS


def add_output(parser: argparse.ArgumentParser, kind: str, what: str, required: bool = True) -> None:
    """Add the option for the output: -o, --out or --output."""
    names = ("-o", "--out", "--output")
    parser.add_argument(*names, dest="output", type=Path, required=required, metavar=kind, help=what)


def add_column(parser: argparse.ArgumentParser, name: str, what: str) -> None:
    """Add an option that names a column or an array that is not part of the rankings."""
    where = "the column of a CSV file, or the array of an .npz file, that has"
    parser.add_argument(name, metavar="COLUMN", help=f"{where} {what}")


def add_number(
    parser: argparse._ActionsContainer, name: str, default: int, what: str, least: int = 1, below: int | None = None
) -> None:
    """Add an option for a whole number."""
    kind = whole_number(least, below)
    parser.add_argument(name, type=kind, default=default, metavar="N", help=f"{what}; default {default}")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a file and for the meaning of its numbers."""
    add_files(parser)
    _add_meaning(parser)


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a file of rankings."""
    files = add_tables(
        parser,
        ("the rankings", "the rankings"),
        "names of items, separated by commas. With --layout ranks they are the columns to read; with the other layouts they "
        "are all items that can occur",
    )
    files.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="ranks",
        help="layout of a CSV file. ranks (default): one ranking per row, one item per column, numbers in the cells; choices: "
        "one ranking per row, names of items in the cells, the first choice first; lists: like choices, but blank cells "
        "are left out, so that later choices move up; long: one row for each item of each ranking, with the name of the "
        "ranking, the item, and the rank or score of the item",
    )
    files.add_argument("--item", metavar="COLUMN", help="for --layout long: the column of the items")
    files.add_argument("--value", metavar="COLUMN", help="for --layout long: the column of the ranks or scores")
    files.add_argument(
        "--expand",
        action="store_true",
        help="for a PrefLib file: read one ranking for each voter, instead of one for each distinct order",
    )


def add_tables(parser: argparse.ArgumentParser, words: tuple[str, str], items: str) -> argparse._ArgumentGroup:
    """Add the options for reading tables.

    `words` has two nouns for the help texts. One noun is for the rows, such as "the observations". The other noun is
    for the file, such as "the table". `items` is the help text of --items.
    """
    rows, what = words
    files = parser.add_argument_group("how files are read")
    files.add_argument(
        "--delimiter",
        type=_delimiter,
        metavar="CHARACTER",
        help="the character between the cells of a CSV file; default: comma, semicolon or tab, whichever fits",
    )
    files.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether the first row of a CSV file has the column names; default: it has them, and there is a warning if it "
        "may be a row of data; with --header there is no warning",
    )
    files.add_argument(
        "--encoding",
        default="utf-8",
        metavar="NAME",
        help="encoding of CSV and PrefLib files, such as cp1252 for files of older programs on Windows; default utf-8",
    )
    files.add_argument(
        "--id", metavar="COLUMN", help=f"a column of a CSV file with names of {rows}: its name, or its number from 1"
    )
    files.add_argument(
        "--items", metavar="NAMES", action="extend", type=_names, help=f"{items}; put names with commas in quotes"
    )
    files.add_argument(
        "--skip",
        metavar="COLUMNS",
        action="extend",
        type=_names,
        default=[],
        help="columns of a CSV file to ignore, separated by commas; you may give the option several times",
    )
    files.add_argument(
        "--array",
        metavar="NAME",
        help=f"the array of an .npz file that has {what}; default: the array X, or the only array",
    )
    return files


def _add_meaning(parser: argparse.ArgumentParser) -> None:
    meaning = parser.add_argument_group("what the numbers mean")
    meaning.add_argument(
        "--input",
        choices=get_args(Input),
        default="ranks",
        help="ranks (default): the numbers are ranks of the items; orders: a row lists the items, best first; scores: the "
        "numbers are scores of the items, and a larger score is better",
    )
    meaning.add_argument(
        "--top",
        choices=get_args(Top),
        default="low",
        help="which rank is the best: low (default) for rank 1, high for the largest rank",
    )
    meaning.add_argument(
        "--ties",
        choices=get_args(Ties),
        help="what to do with equal numbers in a row. error (default): an error; mean: they are ties, and the result is the "
        "mean over all ways to break the ties (default for PrefLib files that end in .toc or .toi)",
    )
    meaning.add_argument(
        "--missing",
        choices=get_args(Missing),
        help="what to do with empty cells, and with items that a list leaves out. error (default): an error; bottom: the item "
        "is below all items that have a number (default for the layouts choices, lists and long, and for PrefLib files that "
        "end in .soi or .toi); anywhere: the position of the item is unknown",
    )


def add_running(parser: argparse.ArgumentParser, writes: bool = True) -> None:
    """Add the options --jobs and --progress. If `writes` is true, also add --force, for existing files."""
    running = parser.add_argument_group("how the command runs")
    running.add_argument(
        "--jobs", type=number_of_jobs, metavar="N", help="number of threads; -1 (default) is one thread per core"
    )
    running.add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="show a progress bar on standard error (default: only if standard error is a terminal and tqdm is installed)",
    )
    if writes:
        running.add_argument("--force", action="store_true", help="overwrite existing files")


def whole_number(least: int, below: int | None = None) -> Callable[[str], int]:
    """Return a function that parses a whole number. The function raises an error if the text is wrong."""

    def convert(text: str) -> int:
        if (
            not re.fullmatch(r"[+-]?[0-9]{1,18}", text)
            or int(text) < least
            or (below is not None and int(text) >= below)
        ):
            end = "" if below is None else f" and below {below}"
            end += " of at most 18 digits" if len(text) > 18 else ""
            raise argparse.ArgumentTypeError(f"{shown(text)} must be a whole number from {least}{end}")
        return int(text)

    return convert


def _names(text: str) -> list[str]:
    """Split names at commas, unless they are in quotes."""
    try:
        names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True, strict=True), [])]
    except csv.Error as error:
        raise argparse.ArgumentTypeError(f"{shown(text)} cannot be split into names: {error}") from None
    if "" in names or not names:
        raise argparse.ArgumentTypeError(f"{shown(text)} has an empty name: names are separated by commas")
    return names


def _delimiter(text: str) -> str:
    if len(text) != 1 or text in '\r\n"':
        raise argparse.ArgumentTypeError(f"{text!r} must be one character, such as ',' or ';'")
    return text


def number_of_jobs(text: str) -> int:
    """Parse the text of --jobs. A wrong text is an error."""
    if text == "-1":
        return -1
    try:
        return whole_number(1)(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{shown(text)} must be a whole number from 1, or -1 for one per core"
        ) from None


def wants_progress(arguments: argparse.Namespace) -> bool:
    """Return whether to show a progress bar. By default: only in a terminal, and if tqdm is installed."""
    if arguments.progress is not None:
        return bool(arguments.progress)
    return sys.stderr is not None and sys.stderr.isatty() and importlib.util.find_spec("tqdm") is not None
