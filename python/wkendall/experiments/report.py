"""The results of a run as files: the table, the plots, and one page with all results. The page needs no other files."""

from __future__ import annotations

import json
import platform
from collections.abc import Container, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
import sklearn

from wkendall import _core
from wkendall._disk import write_whole
from wkendall._html import document, drawn, html_figure, html_table
from wkendall.experiments import table
from wkendall.experiments.protocol import METHODS, Measurement
from wkendall.experiments.table import Row
from wkendall.plotting import plot_accuracies, plot_differences, plot_reduction_factors, plot_weights

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABEL_NOTE = (
    "The class is age 40 and over, not over 40 as in the paper: only age groups are published, so that the 269 people aged 40 "
    "have the other label (5,716 under 40 and 6,500 from 40 on, where the paper has 5,985 and 6,231)."
)


def write_results(
    folder: Path,
    measurements: Sequence[Measurement],
    settings: dict[str, Any],
    seconds: float | None = None,
    replaced: Container[str] | None = None,
) -> list[Row]:
    """Write the table (as CSV and as JSON), the plots and the report to a folder, and return the rows of the table.

    There must be at least one measurement. `seconds` is the duration of the run. `replaced` has the names of the
    existing files that may be replaced. Without `replaced`, every existing file may be replaced.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wkendall.experiments import Measurement, write_results
    >>> measured = [Measurement("standard", i, 0.6 + i / 100, 0.64, {"C": 1.0}, 0.2, None) for i in range(3)]
    >>> settings = {"seed": 0, "train": 400, "test": 100, "folds": 5, "data": "simulated", "people": 12216}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = write_results(pathlib.Path(folder), measured, settings)
    ...     print(sorted(path.name for path in pathlib.Path(folder).iterdir()))
    ['accuracies.png', 'reduction_factors.png', 'report.html', 'table.csv', 'table.json']
    """

    def write(name: str, content: str | bytes) -> None:
        write_whole(folder / name, content, replace=replaced is None or name in replaced)

    rows = table.summarize(measurements)
    write("table.csv", table.as_csv(rows))
    contents = {
        "settings": settings,
        "versions": versions(),
        "seconds": seconds,
        "seconds_by_kernel": _seconds(measurements),
        "rows": [row._asdict() for row in rows],
    }
    write("table.json", json.dumps(contents, indent=2) + "\n")
    figures = draw(measurements)
    for name, (figure, _) in figures.items():
        write(f"{name}.png", drawn(figure, "png"))
    write("report.html", page(rows, measurements, settings, seconds, figures))
    return rows


def versions() -> dict[str, str]:
    """Return the versions of the libraries."""
    return {
        "wkendall": _core.__version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "machine": platform.machine(),
    }


def draw(measurements: Sequence[Measurement]) -> dict[str, tuple[Figure, str]]:
    """Draw the plots, each with a one-sentence caption."""
    from matplotlib.figure import Figure

    figures = {}
    rows = table.summarize(measurements)
    figure = Figure(figsize=(5.4, 0.9 + 0.32 * len(rows)), layout="constrained")
    order = [row.kernel for row in rows]
    accuracies = {METHODS[kernel].label: [m.accuracy for m in measurements if m.kernel == kernel] for kernel in order}
    published = {METHODS[kernel].label: paper.mean for kernel in order if (paper := METHODS[kernel].published)}
    plot_accuracies(accuracies, published, ax=figure.add_subplot())
    figures["accuracies"] = (
        figure,
        "Accuracy in each repetition: boxes from the lower to the upper quartile with the median, dots for the means, crosses "
        "for the means that the paper gives.",
    )
    compared = {
        row.label: (row.difference, row.low, row.high)
        for row in rows
        if row.difference is not None and row.low is not None and row.high is not None
    }
    if compared:
        figure = Figure(figsize=(5.4, 1.1 + 0.3 * len(compared)), layout="constrained")
        standard = published[METHODS[table.BASELINE].label]
        theirs = {name: mean - standard for name, mean in published.items()}
        ax = plot_differences(compared, theirs, ax=figure.add_subplot())
        ax.set_xlabel("difference in accuracy from the standard kernel")
        figures["differences"] = (
            figure,
            "Difference in accuracy from the standard kernel: means of the paired differences with 95 % intervals, and "
            "crosses for the differences of the paper's means.",
        )
    figure = Figure(figsize=(5.4, 3.4), layout="constrained")
    plot_reduction_factors(6, ax=figure.add_subplot())
    figures["reduction_factors"] = (figure, "The weight of each rank: the factors of the weighted kernels.")
    for kernel in ("suquan-svd", "alternating"):
        learned = [m.weights for m in measurements if m.kernel == kernel and m.weights is not None]
        if learned:
            figure = Figure(figsize=(5.4, 4.2), layout="constrained")
            # Only directions can be compared: the norm of weights from alternating steps is arbitrary.
            first = np.array(learned[0])
            plot_weights(first / (np.linalg.norm(first) or 1.0), ax=figure.add_subplot())
            figures[f"weights_{kernel}"] = (
                figure,
                f"Weights of pairs of ranks, {METHODS[kernel].label}, in the first repetition, with squares that add up to 1.",
            )
    return figures


def page(
    rows: Sequence[Row],
    measurements: Sequence[Measurement],
    settings: dict[str, Any],
    seconds: float | None,
    figures: dict[str, tuple[Figure, str]],
) -> str:
    """Write the report as one HTML page that contains the plots."""
    repetitions = max(row.repetitions for row in rows)
    base = next((number for number, row in enumerate(rows) if row.kernel == table.BASELINE), None)
    pictures = "\n".join(html_figure(figure, caption) for figure, caption in figures.values())
    took = "" if seconds is None else f"<p>This run took {seconds:.0f} s.</p>"
    body = f"""<h1>Weighted Kendall kernels: is a person 40 or over?</h1>
<p>Each person ranks six sources of news about science. A support vector machine learns from {settings["train"]} people, half
of them 40 or over, and is tested on {settings["test"]} others; C is chosen from 0.001 to 1000 by {settings["folds"]}-fold
cross-validation. This is done with each kernel for the same people, {repetitions} times. Data: {escape(settings["data"])}.</p>
<p class="note">{LABEL_NOTE}</p>
<h2>Accuracy</h2>
{html_table(table.HEADINGS, [table.cells(row) for row in rows], base)}
<p class="note">Ordered by the mean. SD: standard deviation between repetitions. p: one-sided paired Wilcoxon test of "better than
the standard kernel"; the paper gives it where the mean is higher.</p>
<h2>Pictures</h2>
{pictures}
<h2>Settings</h2>
{html_table(("setting", "value"), [(name, str(value)) for name, value in settings.items()])}
<h2>Versions</h2>
{html_table(("what", "version"), list(versions().items()))}
<h2>Time</h2>
{took}
{html_table(("kernel", "total seconds", "seconds per repetition"), _times(measurements))}"""
    return document("Weighted Kendall kernels: who is 40?", body)


def _seconds(measurements: Sequence[Measurement]) -> dict[str, float]:
    """Return the time that the measurements of each kernel took, added up over all processes."""
    total: dict[str, float] = {}
    for measurement in measurements:
        total[measurement.kernel] = total.get(measurement.kernel, 0.0) + measurement.seconds
    return dict(sorted(total.items(), key=lambda pair: -pair[1]))


def _times(measurements: Sequence[Measurement]) -> list[tuple[str, ...]]:
    counts = {kernel: sum(m.kernel == kernel for m in measurements) for kernel in METHODS}
    return [
        (METHODS[kernel].label, f"{total:.1f}", f"{total / counts[kernel]:.2f}")
        for kernel, total in _seconds(measurements).items()
    ]
