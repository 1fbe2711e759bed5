"""`wkendall learn`: position weights from labelled rankings."""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wkendall import __version__
from wkendall._memory import check_fits
from wkendall._run import progress_bar
from wkendall.cli.messages import CommandError, UsageError, command_errors
from wkendall.cli.options import add_column, add_number, add_output, add_reading, add_running, wants_progress
from wkendall.cli.output import check_not_input, new_files, write_npz
from wkendall.cli.reading import CSV, NPZ, check_reading, kind_of, read_rankings
from wkendall.gram import gram_matrix
from wkendall.measures import Kendall
from wkendall.rankings import Rankings

if TYPE_CHECKING:
    from wkendall.cli.validation import Plan, Score, Scores

WEIGHTS, SCORES, PICTURE = FILES = ("weights.npz", "scores.json", "weights.png")
GRID = (0.1, 1.0, 10.0)
#: The standard kernel always uses its own grid: values of C that suit learned weights need not suit it.
BASELINE_GRID = (0.1, 1.0, 10.0, 100.0)
#: Advice for a matrix of the standard kernel that does not fit in memory.
_ADVICE = "--no-baseline leaves it out"

_SUMMARY = "learn position weights from labels"
_DESCRIPTION = """\
Learn position weights from labelled rankings.

The command prints the cross-validated score of the model. The score is the
accuracy, or R^2 with --regression. For comparison it prints two more scores on the
same folds. The first is the score of a support vector machine with the standard
Kendall kernel; with --regression, of kernel ridge regression. The second is the
score of a constant prediction: the largest class, or the mean. The cost of errors
C is chosen by cross-validation inside the folds.

Then the model is fitted on all rankings and written to a folder with these files:
  weights.npz  the position weights U, the item coefficients B and the intercept;
               wkendall predict uses this file
  scores.json  the scores
  weights.png  a picture of U, and of the class that each rank of an item favours;
               only if matplotlib is installed
"""
_EPILOG = """\
examples:
  wkendall learn people.csv --label age -o learned
  wkendall learn people.csv --label age -o pairs --pure --C 1 10 --folds 3
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="INPUT", help="the rankings: CSV, .npy, .npz or PrefLib")
    add_output(parser, "FOLDER", "the folder for the results")
    add_column(parser, "--label", "the labels")
    parser.add_argument(
        "--labels",
        type=Path,
        metavar="FILE",
        help="a separate file with one label for each ranking: an .npy file; a text file (.csv, .txt) with one label per line; "
        "or a CSV file with column names, in which --label is the column of the labels",
    )
    model = parser.add_argument_group("the model")
    model.add_argument("--regression", action="store_true", help="the labels are numbers to predict, not classes")
    model.add_argument(
        "--method",
        choices=("svd", "alternating"),
        default="svd",
        help="svd (default): weights from singular vectors, the faster method; alternating: weights and coefficients are "
        "optimised in turn, the more accurate method",
    )
    add_number(model, "--order", 2, "learn a weight for each tuple of N positions")
    add_number(model, "--components", 1, "for svd: number of distinct singular values to use")
    model.add_argument("--pure", action="store_true", help="for svd: leave out parts of the weights of lower order")
    model.add_argument(
        "--init",
        choices=("standard", "suquan"),
        help="for alternating: the initial weights. standard (default): of the standard kernel; suquan: learned by svd",
    )
    model.add_argument(
        "--C",
        type=_costs,
        nargs="+",
        default=[list(GRID)],
        metavar="C",
        help="the cost of errors; from several numbers, cross-validation chooses the best; default 0.1 1 10",
    )
    add_number(model, "--folds", 5, "number of folds of the cross-validation", least=2)
    add_number(model, "--seed", 0, "seed of the split into folds", least=0, below=2**32)
    model.add_argument(
        "--no-baseline",
        action="store_true",
        help="do not compare with the standard Kendall kernel, for example if there are too many rankings for a matrix",
    )
    add_reading(parser)
    add_running(parser)


def run(arguments: argparse.Namespace) -> int:
    """Learn, print the scores and write the results."""
    _check(arguments)
    started = time.perf_counter()
    grid = sorted({cost for costs in arguments.C for cost in costs})
    with new_files(arguments.output, FILES, arguments.force) as unfinished:
        rankings, y = _read(arguments)
        from wkendall.cli import validation

        plan = validation.plan_of(y, arguments.regression, grid, arguments.folds, arguments.seed)
        with command_errors(X=arguments.file):
            scores, model = _learn(arguments, rankings, plan)
        _print_scores(arguments, rankings, plan, scores, model.C)
        _write(unfinished, arguments, rankings, plan, scores, model)
        written = [name for name in FILES if (unfinished / name).exists()]
    print(f"wrote {', '.join(written)} to {arguments.output} in {time.perf_counter() - started:.2f} s")
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.label is None and arguments.labels is None:
        raise UsageError("the labels are missing: --label COLUMN, or --labels FILE")
    if arguments.labels is None and kind_of(arguments.file) not in (CSV, NPZ):
        raise UsageError("--label goes with CSV and .npz files: use --labels FILE")
    if arguments.method != "svd":
        for name, given in (("components", arguments.components != 1), ("pure", arguments.pure)):
            if given:
                raise UsageError(f"--{name} goes with --method svd")
    elif arguments.init is not None:
        raise UsageError("--init goes with --method alternating")
    check_reading(arguments, arguments.file)
    for name in FILES:
        check_not_input(arguments.output / name, arguments.file, arguments.labels)


def _read(arguments: argparse.Namespace) -> tuple[Rankings, NDArray[Any]]:
    apart = arguments.label if arguments.labels is None else None
    (source,) = read_rankings(arguments, arguments.file, apart=[apart], learned=True)
    counts = source.rankings.counts
    if counts is not None and (counts != 1).any():
        rule = "--expand makes a row for each, which needs a label"
        raise CommandError(f"{source.path} has orders of several voters: {rule}")
    from wkendall.cli.labels import read_labels

    return source.rankings, read_labels(arguments, source)


def _model(arguments: argparse.Namespace) -> Any:
    from wkendall.estimators import supervised

    kind = "Regressor" if arguments.regression else "Classifier"
    how: dict[str, Any] = {"order": arguments.order, "n_jobs": arguments.jobs}
    if arguments.method == "alternating":
        how["init"] = arguments.init or "standard"
        return getattr(supervised, f"Alternating{kind}")(**how)
    how |= {"n_components": arguments.components, "pure": arguments.pure}
    return getattr(supervised, f"SuquanSVD{kind}")(**how)


def _learn(arguments: argparse.Namespace, rankings: Rankings, plan: Plan) -> tuple[dict[str, Scores], Any]:
    """Score the model, and the models that it is compared with. Then fit the model on all rankings."""
    from wkendall.cli import validation
    from wkendall.learning.suquan import check_learnable

    model = _model(arguments)
    check_learnable(rankings, arguments.order)
    others: dict[str, tuple[Plan, Score]] = {}
    if not arguments.no_baseline:
        check_fits(len(rankings), len(rankings), np.dtype(np.float64), _ADVICE)
        K = gram_matrix(rankings, kernel=Kendall(normalize=True), n_jobs=arguments.jobs)
        others["standard"] = plan._replace(grid=list(BASELINE_GRID)), validation.standard(K, plan.y, plan.regression)
    total = sum(plan.fits()) + 1 + sum(other.fits()[0] for other, _ in others.values())
    with progress_bar(wants_progress(arguments), "learn") as show:
        done = 0

        def counted(score: Score) -> Score:
            def run_one(C: float, train: Any, test: Any) -> float:
                nonlocal done
                found = score(C, train, test)
                done += 1
                if show is not None:
                    show(done, total)
                return found

            return run_one

        own = counted(validation.learned(model, rankings, plan.y))
        scores = {"learned": plan.scores(own)}
        scores |= {name: other.scores(counted(score)) for name, (other, score) in others.items()}
        model.set_params(C=plan.best_C(own)).fit(rankings, plan.y)
        if show is not None:
            show(total, total)
    scores["constant"] = plan._replace(grid=[1.0]).scores(validation.constant(plan.y, plan.regression))
    return scores, model


def _names(arguments: argparse.Namespace) -> dict[str, str]:
    method = "SUQUAN-SVD" if arguments.method == "svd" else "alternating"
    learned = f"{method}, order {arguments.order}" + (", pure" if arguments.pure else "")
    learned += f", {arguments.components} components" if arguments.components > 1 else ""
    if arguments.regression:
        return {"learned": learned, "standard": "standard Kendall ridge", "constant": "mean"}
    return {"learned": learned, "standard": "standard Kendall SVM", "constant": "largest class"}


def _print_scores(
    arguments: argparse.Namespace, rankings: Rankings, plan: Plan, scores: dict[str, Scores], C: float
) -> None:
    what = "" if plan.regression else f", {len(np.unique(plan.y))} classes"
    print(f"{len(rankings)} rankings of {rankings.n_items} items{what}; {plan.folds} folds, seed {plan.seed}")
    names = _names(arguments)
    width = max(len(name) for name in names.values())
    print(f"{'':{width}}  {'R^2' if plan.regression else 'accuracy':>8}  {'SD':>6}")
    for key, found in scores.items():
        print(f"{names[key]:{width}}  {found.mean:8.3f}  {found.sd:6.3f}")
    if len(plan.grid) > 1:
        print(f"C for all rankings: {C:g}, of {', '.join(f'{one:g}' for one in plan.grid)}", flush=True)


def _write(
    folder: Path, arguments: argparse.Namespace, rankings: Rankings, plan: Plan, scores: dict[str, Scores], model: Any
) -> None:
    settings = {name: getattr(arguments, name) for name in ("method", "regression", "order", "components", "pure")}
    settings |= {name: getattr(arguments, name) for name in ("input", "top", "ties", "missing", "folds", "seed")}
    settings |= {"named": rankings.items is not None, "id": arguments.id}
    settings |= {"init": model.get_params().get("init"), "C": model.C, "C_tried": plan.grid, "wkendall": __version__}
    one = isinstance(model.U_, np.ndarray)
    arrays: dict[str, Any] = {"U": model.U_, "B": model.B_} if one else {}
    if not one:
        for index, (U, B) in enumerate(zip(model.U_, model.B_, strict=True)):
            arrays |= {f"U_{index}": U, f"B_{index}": B}
    items = rankings.items or [str(number) for number in range(1, rankings.n_items + 1)]
    arrays |= {"intercept": model.intercept_, "items": items, "settings": json.dumps(settings)}
    if not plan.regression:
        arrays["classes"] = model.classes_
    write_npz(folder / WEIGHTS, arrays)
    names = _names(arguments)
    report = {
        "score": "R^2" if plan.regression else "accuracy",
        "rankings": len(rankings),
        "items": rankings.n_items,
        "settings": settings,
        "scores": {
            key: {"name": names[key], "mean": found.mean, "sd": found.sd, "folds": found.folds}
            | ({} if key == "constant" else {"C": found.C})
            for key, found in scores.items()
        },
    }
    (folder / SCORES).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    if arguments.order > 2:
        print(f"no picture: weights of order {arguments.order} have more than two axes")
    elif importlib.util.find_spec("matplotlib") is None:
        print("no picture: it needs matplotlib: pip install 'wkendall[cli]'")
    else:
        from wkendall.cli import learn_picture

        learn_picture.draw(folder / PICTURE, arguments.order, model, items)


def _costs(text: str) -> list[float]:
    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, or several such as 0.1,1,10") from None
    for number in numbers:
        if not 0 < number < math.inf:
            raise argparse.ArgumentTypeError(f"{number:g} must be a finite number above zero")
    return numbers
