"""`wkendall predict`: labels of rankings, predicted with the result of `wkendall learn`."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import as_axes
from wkendall._errors import RankingError, parsed_json
from wkendall._run import Run
from wkendall.arrays.options import Reading
from wkendall.cli.arrays import load_arrays
from wkendall.cli.messages import CommandError, command_errors
from wkendall.cli.options import add_files, add_output, add_running, wants_progress
from wkendall.cli.output import check_output, new_file, say_written, text_file
from wkendall.cli.reading import CSV, check_reading, kind_of, read_rankings
from wkendall.embedding import linear_function_of
from wkendall.rankings import Rankings
from wkendall.reading.contents import Contents
from wkendall.reading.csv_rows import first_row

WEIGHTS = "weights.npz"
#: Options for the meaning of the numbers, which are fixed by learning.
_MEANING = ("input", "top", "ties", "missing")

_SUMMARY = "predict labels with learned weights"
_DESCRIPTION = """\
Predict the labels of rankings with the result of wkendall learn.

The command writes a CSV file with one row for each ranking. A row has the name of
the ranking if there is one, the prediction, and for classes the scores. With two
classes, the second class is predicted if the score is positive. With more
classes, the class with the largest score is predicted. The option --id says which
column has the names of the rankings. The default is the column that was --id in
wkendall learn.

The items must be the same as in wkendall learn. Items are matched by name, so
their order has no effect, and other columns are not used. If the columns have
no names, they must be in the same order as in wkendall learn. The numbers have
the same meaning (--input, --top, --ties, --missing) as in wkendall learn.

The command reads the file weights.npz of the model. This file has only numbers
and text, so no code is run when it is read.
"""
_EPILOG = """\
examples:
  wkendall learn people.csv --label age -o learned
  wkendall predict votes.csv --model learned -o ages.csv
"""


class Model(NamedTuple):
    """A learned model."""

    path: Path
    #: Weights, coefficients and intercept of each function.
    functions: list[tuple[NDArray[np.float64], NDArray[np.float64], float]]
    items: list[str]
    #: None for regression.
    classes: NDArray[Any] | None
    settings: Mapping[str, Any]

    @property
    def order(self) -> int:
        """The order of the weights: each weight belongs to this number of positions."""
        return int(self.settings["order"])

    def scores(self, rankings: Rankings, arguments: argparse.Namespace) -> NDArray[np.float64]:
        """Return the scores of rankings, with one column for each function of the model."""
        from wkendall.learning.suquan import check_learnable

        check_learnable(rankings, self.order)
        run = Run(n_jobs=arguments.jobs, progress=wants_progress(arguments)).check()
        found = np.zeros((len(rankings), len(self.functions)))
        for column, (U, B, intercept) in enumerate(self.functions):
            shape = (-1, *U.shape[U.ndim - self.order :])
            for weights, tensor in zip(U.reshape(shape), B.reshape(shape), strict=True):
                found[:, column] += linear_function_of(rankings._handle, weights, tensor, run)
            found[:, column] += intercept
        return found


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings: CSV, .npy, .npz or PrefLib")
    parser.add_argument(
        "--model", type=Path, required=True, metavar="FOLDER", help="the folder that wkendall learn wrote to"
    )
    add_output(parser, "OUTPUT", "a .csv file; - is standard output")
    add_files(parser)
    add_running(parser)


def run(arguments: argparse.Namespace) -> int:
    """Predict the labels and write them."""
    weights = arguments.model / WEIGHTS
    check_output(arguments.output, [".csv"], arguments.file, weights)
    with new_file(arguments.output, arguments.force) as unfinished, text_file(unfinished) as file:
        rows = _predict(arguments, weights, file)
    say_written(arguments.output, f"{rows} {'prediction' if rows == 1 else 'predictions'}")
    return 0


def _predict(arguments: argparse.Namespace, weights: Path, file: TextIO) -> int:
    model = _load(weights)
    for name in _MEANING:
        setattr(arguments, name, model.settings[name])
    if arguments.id is None and arguments.header is not False and kind_of(arguments.file) == CSV:
        with suppress(OSError, RankingError):  # said when the file is read
            known = model.settings.get("id")
            arguments.id = (
                known if known in first_row(arguments.file, arguments.delimiter, arguments.encoding) else None
            )
    check_reading(arguments, arguments.file)
    names = model.items if model.settings.get("named", True) else None
    like = Contents(str(model.path), np.empty((0, len(model.items))), names)
    (source,) = read_rankings(arguments, arguments.file, like=like, learned=True)
    if source.rankings.n_items != len(model.items):
        raise CommandError(
            f"{source.path} has {source.rankings.n_items} items, but {model.path} was learned from {len(model.items)}: both "
            "must have the same items"
        )
    with command_errors(X=source.path):
        scores = model.scores(source.rankings, arguments)
    _write(file, source.rankings, model, scores)
    return len(scores)


def _write(file: TextIO, rankings: Rankings, model: Model, scores: NDArray[np.float64]) -> None:
    columns: dict[str, list[Any]] = {}
    if rankings.labels is not None:
        columns["id"] = rankings.labels
    if rankings.counts is not None:
        columns["voters"] = rankings.counts.tolist()
    if model.classes is None:
        columns["prediction"] = scores[:, 0].tolist()
    else:
        two = scores.shape[1] == 1
        best = (scores[:, 0] > 0).astype(int) if two else scores.argmax(axis=1)
        columns["prediction"] = model.classes[best].tolist()
        names = ["score"] if two else [f"score {name}" for name in model.classes.tolist()]
        columns |= dict(zip(names, scores.T.tolist(), strict=True))
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def _load(path: Path) -> Model:
    """Read a learned model, and check that its parts fit together."""
    arrays = load_arrays(path)
    try:
        settings = parsed_json(str(arrays["settings"]))
        items = [str(item) for item in arrays["items"].ravel().tolist()]
        intercepts = _numbers(arrays, "intercept").ravel()
        classes = None if settings["regression"] else arrays["classes"]
        Reading(*(settings[name] for name in _MEANING)).check()
        shape = (len(items),) * as_axes(settings["order"], "order")
        endings = [""] if len(intercepts) == 1 else [f"_{index}" for index in range(len(intercepts))]
        functions = []
        for ending, intercept in zip(endings, intercepts.tolist(), strict=True):
            U, B = (_numbers(arrays, name + ending) for name in "UB")
            if U.shape != B.shape or U.shape[U.ndim - len(shape) :] != shape or U.ndim > len(shape) + 1:
                raise ValueError(f"U and B have shapes {U.shape} and {B.shape} for {len(items)} items")
            functions.append((U, B, intercept))
        count = 1 if classes is None or len(classes) == 2 else len(classes)
        if classes is not None and (classes.ndim != 1 or len(classes) < 2):
            raise ValueError(f"classes has shape {classes.shape}, but must have at least two")
        if count != len(functions):
            raise ValueError(f"there are {len(functions)} functions, but must be {count}")
    except KeyError as error:
        raise CommandError(f"{path} was not written by wkendall learn: it has no {error}") from error
    except (ValueError, TypeError) as error:
        raise CommandError(f"{path} was not written by wkendall learn: {error}") from error
    return Model(path, functions, items, classes, settings)


def _numbers(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.float64]:
    found = arrays[name]
    if found.dtype.kind not in "iuf":
        raise ValueError(f"{name} has dtype {found.dtype}, but must have numbers")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} has numbers that are not finite")
    return found.astype(np.float64)
