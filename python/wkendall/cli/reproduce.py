"""`wkendall reproduce`: the numerical experiments of the paper."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections import Counter, defaultdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wkendall._arguments import as_threads
from wkendall.cli.messages import CommandError, command_errors
from wkendall.cli.options import add_number, number_of_jobs, whole_number

if TYPE_CHECKING:
    from wkendall.datasets import Survey
    from wkendall.experiments import Measurement, Protocol, Store

_SUMMARY = "repeat the experiments of the paper"
_DESCRIPTION = """\
Repeat the numerical experiments of Jiao and Vert, "The Weighted Kendall and
High-order Kernels for Permutations". The data are rankings of six sources of news
about science. With each kernel in turn, a support vector machine predicts from the
ranking of a person whether the person is 40 or over. The command writes a table of
its own results and of the results of the paper (table.csv, table.json), plots, and
one page with everything (report.html).

Without --data the people are simulated from a model of the survey. Every
finished measurement is stored in the folder of --out. --resume continues a run that
was interrupted or killed. With --resume you can also add kernels or repetitions to
a finished run.
"""
#: The kernels in the order of the table; those of the paper come first.
_KERNELS = (
    *("top-2", "top-3", "top-4", "top-5", "standard", "average", "add-hyperbolic", "add-log"),
    *(
        "mult-hyperbolic",
        "mult-log",
        "suquan-svd",
        "alternating",
        "order-3",
        "order-3-mult",
        "mallows",
        "smooth",
        "mixture",
    ),
)
_OF_THE_PAPER = 12
_EPILOG = f"""\
kernels: {", ".join(_KERNELS[:8])},
  {", ".join(_KERNELS[8:])};
  "paper" means the twelve kernels of the paper's table, "all" means all kernels

examples:
  wkendall reproduce --repeats 3 --kernels standard,average,top-2
  wkendall reproduce --data counts.csv --out survey
  wkendall reproduce --data counts.csv --out survey --repeats 1000 --resume
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--data",
        metavar="FILE",
        help="the file of the survey: a table of counts, euro55.2.des.RData of the R package prefmod, or the table of "
        "ICPSR 03341",
    )
    add_number(parser, "--repeats", 50, "number of repetitions")
    parser.add_argument(
        "--train", type=_half_and_half, default=400, metavar="N", help="number of people for training; default 400"
    )
    parser.add_argument(
        "--test", type=_half_and_half, default=100, metavar="N", help="number of people for testing; default 100"
    )
    parser.add_argument(
        "--kernels",
        type=_kernels,
        default=_KERNELS,
        metavar="LIST",
        help="names of kernels (see below), separated by commas; default all",
    )
    parser.add_argument(
        "--jobs",
        type=number_of_jobs,
        default=-1,
        metavar="N",
        help="number of processes; -1 (default) is one process per core",
    )
    add_number(parser, "--seed", 0, "seed of all random choices", least=0)
    parser.add_argument(
        "-o", "--out", default="reproduction", metavar="FOLDER", help='folder for the results; default "reproduction"'
    )
    parser.add_argument("--resume", action="store_true", help="continue the run whose measurements are in the folder")
    parser.add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="show progress and remaining time on standard error (default)",
    )


def _half_and_half(text: str) -> int:
    people = whole_number(2)(text)
    if people % 2:
        raise argparse.ArgumentTypeError(f"{people} must be an even number of people, half of them of each class")
    return people


def _kernels(text: str) -> tuple[str, ...]:
    names: list[str] = []
    for name in map(str.strip, text.split(",")):
        few = {"all": _KERNELS, "paper": _KERNELS[:_OF_THE_PAPER]}.get(name, (name,))
        unknown = [one for one in few if one not in _KERNELS]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of all, paper, {', '.join(_KERNELS)}")
        names += few
    return tuple(kernel for kernel in _KERNELS if kernel in names)


def run(arguments: argparse.Namespace) -> int:
    """Run the missing measurements, and write the results."""
    from wkendall.datasets import load_eurobarometer, make_survey
    from wkendall.experiments import Protocol, Store, write_results
    from wkendall.experiments.protocol import check
    from wkendall.experiments.store import settings_of
    from wkendall.experiments.table import as_text

    jobs = as_threads(arguments.jobs) or 1
    if importlib.util.find_spec("matplotlib") is None:
        raise CommandError("the report needs matplotlib: pip install 'wkendall[cli]'")
    start = time.monotonic()
    if arguments.data is None:
        people, source = make_survey(rng=0), "12,216 simulated people"
    else:
        people = load_eurobarometer(arguments.data)
        source = f"{len(people.X):,} people of {Path(arguments.data).name}"
    protocol = Protocol(arguments.train, arguments.test, seed=arguments.seed)
    with command_errors():
        check(people.y, protocol)
    store = Store(arguments.out, settings_of(people.X, people.y, protocol, source), resume=arguments.resume)
    begun = bool(store.measurements)
    try:
        _measure(store, people, protocol, arguments, jobs)
        # After a resume, the time of this run would be mistaken for the total time.
        seconds = None if begun else time.monotonic() - start
        found = store.chosen(arguments.kernels, arguments.repeats)
        settings = {**store.settings, "repeats": arguments.repeats}
        rows = write_results(store.folder, found, settings, seconds, replaced=store.results)
    except BaseException:
        kept = len(store.measurements)
        print(f"{kept} measurements are kept in {arguments.out}: --resume continues from there", file=sys.stderr)
        raise
    finally:
        store.close()
    _say(as_text(rows))
    took = "" if seconds is None else f"; {seconds:.0f} s with --jobs {jobs}"
    _say(f"\n{arguments.repeats} repetitions, {source}{took}")
    _say(f"report: {Path(arguments.out) / 'report.html'}")
    return 0


def _say(text: str) -> None:
    """Print a text. Characters that the terminal cannot show are replaced by "?"."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def _measure(store: Store, people: Survey, protocol: Protocol, arguments: argparse.Namespace, jobs: int) -> None:
    from wkendall.experiments import run as measure_all

    tasks = store.missing(arguments.kernels, arguments.repeats)
    progress = Progress(store, tasks, jobs, shown=arguments.progress)
    try:
        for measurement in measure_all(people.X, people.y, protocol, tasks, jobs):
            store.add(measurement)
            progress.step(measurement)
    finally:
        progress.end()


class Progress:
    """A line with the number of finished measurements and the estimated remaining time."""

    def __init__(self, store: Store, tasks: list[tuple[str, int]], jobs: int, *, shown: bool) -> None:
        self._left = Counter(kernel for kernel, _ in tasks)
        self._done, self._all, self._jobs = 0, len(tasks), jobs
        self._times: defaultdict[str, list[float]] = defaultdict(list)
        for known in store.measurements.values():
            self._times[known.kernel].append(known.seconds)
        self._shown = shown and sys.stderr is not None and bool(tasks)
        self._terminal = self._shown and sys.stderr.isatty()
        self._last = time.monotonic()

    def step(self, measurement: Measurement) -> None:
        """Count a measurement."""
        self._done += 1
        self._left[measurement.kernel] -= 1
        self._times[measurement.kernel].append(measurement.seconds)
        now = time.monotonic()
        # Ten updates per second on a terminal; one every ten seconds in a file.
        if self._shown and (now - self._last > (0.1 if self._terminal else 10.0) or self._done == self._all):
            self._last = now
            self._show()

    def _show(self) -> None:
        part = self._done / self._all
        text = f"{self._done} of {self._all} measurements"
        # Estimate the time of a kernel without measurements by the mean of the others.
        known = [seconds for times in self._times.values() for seconds in times]
        usual = sum(known) / len(known)
        seconds = sum(
            left * (sum(times) / len(times) if (times := self._times.get(kernel)) else usual)
            for kernel, left in self._left.items()
        )
        if self._done < self._all:
            text += f", {timedelta(seconds=round(seconds / self._jobs))} left"
        if self._terminal:
            full = round(30 * part)
            print(f"\r[{'#' * full}{' ' * (30 - full)}] {text} ", end="\x1b[K", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def end(self) -> None:
        """End the line."""
        if self._terminal and self._done:
            print(file=sys.stderr, flush=True)
