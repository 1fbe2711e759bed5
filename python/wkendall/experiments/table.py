"""A table of mean accuracies, differences from the standard kernel, tests, and the results of the paper."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from wkendall.experiments.protocol import METHODS, Measurement

#: The kernel that the others are compared with.
BASELINE = "standard"
#: The confidence level of the intervals.
CONFIDENCE = 0.95


class Row(NamedTuple):
    """The results of a kernel. A value is None if there are too few repetitions, or no results of the standard kernel.

    In each repetition, the accuracy of the standard kernel is subtracted from the accuracy of this kernel. `difference`
    is the mean of these differences. `low` and `high` are the ends of the 95 % confidence interval of `difference` (by
    Student's t). `p` is the p-value of Wilcoxon's paired test. The null hypothesis of the test is that the kernel is
    not better than the standard kernel. Fields whose names begin with `paper` contain the results of the paper.

    Examples
    --------
    >>> from wkendall.experiments import Row
    >>> Row._fields[:5]
    ('kernel', 'label', 'repetitions', 'mean', 'sd')
    """

    kernel: str
    label: str
    repetitions: int
    mean: float
    sd: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    paper_mean: float | None
    paper_sd: float | None
    paper_p: float | None


def summarize(measurements: Sequence[Measurement]) -> list[Row]:
    """Return one row for each kernel, the best kernel first.

    Examples
    --------
    >>> from wkendall.experiments import Measurement, summarize
    >>> accuracies = {"standard": (0.60, 0.64, 0.62), "average": (0.63, 0.64, 0.66)}
    >>> rows = summarize(
    ...     [Measurement(name, i, one, one, {}, 0.1, None) for name, of in accuracies.items() for i, one in enumerate(of)]
    ... )
    >>> [(row.kernel, round(row.mean, 3), row.difference and round(row.difference, 3)) for row in rows]
    [('average', 0.643, 0.023), ('standard', 0.62, None)]
    """
    found: dict[str, dict[int, float]] = {}
    for measurement in measurements:
        found.setdefault(measurement.kernel, {})[measurement.repetition] = measurement.accuracy
    rows = [_row(kernel, found[kernel], found.get(BASELINE, {})) for kernel in METHODS if kernel in found]
    # Rounded, because equal accuracies may differ in the last digit.
    return sorted(rows, key=lambda row: -round(row.mean, 9))


def _row(kernel: str, accuracies: dict[int, float], baseline: dict[int, float]) -> Row:
    values = np.array(list(accuracies.values()))
    method = METHODS[kernel]
    paper = method.published
    return Row(
        kernel,
        method.label,
        len(values),
        float(values.mean()),
        float(values.std(ddof=1)) if len(values) > 1 else None,
        *_compared(kernel, accuracies, baseline),
        *(paper if paper is not None else (None, None, None)),
    )


def _compared(
    kernel: str, accuracies: dict[int, float], baseline: dict[int, float]
) -> tuple[float | None, float | None, float | None, float | None]:
    """Return the mean difference from the accuracies `baseline`, the ends of its interval, and the p-value."""
    both = sorted(accuracies.keys() & baseline.keys())
    if kernel == BASELINE or not both:
        return None, None, None, None
    # Rounded, because equal differences of accuracies may differ in the last digit.
    differences = np.round([accuracies[i] - baseline[i] for i in both], 9)
    mean = float(differences.mean())
    if len(both) < 2 or not differences.any():
        return mean, None, None, None
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(both) - 1) * differences.std(ddof=1) / np.sqrt(len(both)))
    # wilcoxon is exact for few repetitions. The normal approximation would be too small: for three, all better, 0.054
    # instead of 0.125.
    p = float(stats.wilcoxon(differences, alternative="greater").pvalue)
    return mean, mean - half, mean + half, p


def as_csv(rows: Sequence[Row]) -> str:
    """Return the rows as CSV text, with empty cells for missing values."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in rows:
        writer.writerow([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row])
    return file.getvalue()


#: The columns of the printed table.
HEADINGS = ("kernel", "mean ± SD", "difference from standard (95 %)", "p", "paper: mean ± SD", "paper: p")


def cells(row: Row) -> tuple[str, ...]:
    """Format a row for printing."""
    if row.low is not None:
        difference = f"{row.difference:+.3f} ({row.low:+.3f} to {row.high:+.3f})"
    else:
        difference = "" if row.difference is None else f"{row.difference:+.3f}"
    return (
        row.label,
        _spread(row.mean, row.sd),
        difference,
        _chance(row.p),
        "" if row.paper_mean is None else _spread(row.paper_mean, row.paper_sd),
        _chance(row.paper_p),
    )


def as_text(rows: Sequence[Row]) -> str:
    """Format the table for a terminal."""
    lines = [HEADINGS, *map(cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    written = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    ]
    written.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(written)


def _spread(mean: float, sd: float | None) -> str:
    return f"{mean:.3f}" if sd is None else f"{mean:.3f} ± {sd:.3f}"


def _chance(p: float | None) -> str:
    if p is None:
        return ""
    return f"{p:.2f}" if p >= 0.01 else f"{p:.1g}" if p >= 1e-4 else "< 0.0001"
