"""The variable that is paired with the rankings of a sample: labels, numbers, vectors, other rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import TEXT, Array, check_choice, check_unmasked, real_array
from wkendall._errors import bad_argument, bad_type
from wkendall._memory import check_fits
from wkendall._text import shown
from wkendall.kernels.run import Run
from wkendall.reading.rankings import Reading
from wkendall.statistics.samples import ADVICE, Counts, KernelOptions, counts_of, kernel_between, reduced, sample_of

ValueKernel = Literal["auto", "delta", "gaussian", "mallows", "kendall"]

#: The median distance is computed from at most this many distinct values, evenly spaced in sorted order.
MOST_VALUES = 1000
#: Squares of distances in between have all their digits.
_SAFE = (1e-140, 1e140)
#: The least positive double.
_LEAST = 5e-324
_READING = ("input", "top", "ties", "missing")
_OPTIONS = {
    "delta": (),
    "gaussian": ("bandwidth",),
    "mallows": ("lam", "normalize", *_READING),
    "kendall": ("weight", "k", "u", "U", "W", "order", "check", "signed", "normalize", *_READING),
}


class Values(NamedTuple):
    """Values: the index of each row's distinct value, the counts of the distinct values, and a kernel between them."""

    member: NDArray[np.intp]
    counts: Counts
    #: The factor that the kernel was divided by, so that its largest value is 1 to 2.
    unit: float
    #: The kernel of each distinct value with itself, of all with one, and of all with all; absent for labels.
    own: Array | None = None
    column: Callable[[int], Array] | None = None
    matrix: Callable[[], Array] | None = None


def values_of(y: Any, rows: int, y_kernel: object, y_options: Mapping[str, Any] | None, run: Run) -> Values:
    """Read the values that are paired with `rows` rankings, and choose the kernel between them."""
    check_choice(y_kernel, "y_kernel", get_args(ValueKernel))
    check_unmasked(y, "y")
    kind = _kind(y) if y_kernel == "auto" else str(y_kernel)
    options = _checked_options(y_options, kind)
    if kind == "delta":
        return _labels(y, rows)
    return _numbers(y, rows, **options) if kind == "gaussian" else _rankings(y, rows, kind, options, run)


def _kind(y: Any) -> str:
    """Tell labels from numbers."""
    if str(getattr(y, "dtype", "")).lower() in ("category", "categorical", "enum"):
        return "delta"
    array = _as_array(y)
    if array.dtype.kind in TEXT + "b":
        return "delta"
    if array.dtype == object:
        numbers = all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in array.flat)
        return "gaussian" if numbers else "delta"
    if array.dtype.kind not in "iuf":
        raise bad_type("y", f" has dtype {array.dtype}, but must be labels, real numbers, vectors or rankings")
    return "gaussian"


def _as_array(y: Any) -> NDArray[Any]:
    """Return an array of what `y` holds; texts, flags and numbers in one list stay what they are."""
    try:
        array = np.asarray(y)
        if isinstance(y, list | tuple) and array.dtype.kind not in "cmM":
            kinds = set(map(type, y))
            if any(issubclass(kind, str | bytes | bool | np.bool_) for kind in kinds) and len(kinds) > 1:
                array = np.array(y, dtype=object)
    except ValueError:
        raise bad_argument(
            "y", f" cannot be converted to an array, because its rows differ in length: {shown(y)}"
        ) from None
    if array.ndim == 0:
        raise bad_type("y", f" must be labels, numbers, vectors or rankings, one for each row of X, not {shown(y)}")
    return array


def _checked_options(given: Mapping[str, Any] | None, kind: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise bad_type("y_options", f" must be a dictionary of options, not {shown(given)}")
    for name in given:
        if name not in _OPTIONS[kind]:
            known = ", ".join(_OPTIONS[kind]) or "no options"
            raise bad_argument("y_options", f" has {shown(name)}, but the kernel {kind!r} of y takes {known}")
    return dict(given)


def _check_rows(found: int, rows: int) -> None:
    if found != rows:
        rule = f" has {found} values, but X has {rows} rankings: it must have one for each"
        raise bad_argument("y", rule, value=found, kind="rows differ")


def _labels(y: Any, rows: int) -> Values:
    array = _as_array(y)
    if array.ndim != 1:
        raise bad_argument("y", f" has shape {array.shape}, but there must be one label for each ranking", kind="axes")
    _check_rows(len(array), rows)
    numbers: dict[Any, int] = {}
    member = np.empty(rows, dtype=np.intp)
    # Those of a list as they are: an array could make equal numbers or texts of them.
    for row, label in enumerate(y if isinstance(y, list | tuple) else array.tolist()):
        if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
            raise bad_argument("y", f"[{row}] is {shown(label)}: every ranking needs a label", row=row, kind="nan")
        # To Python 1 and True are equal.
        flag = isinstance(label, bool | np.bool_)
        try:
            member[row] = numbers.setdefault((flag, label), len(numbers))
        except TypeError:
            raise bad_type(f"y[{row}]", f" is {shown(label)}, but a label is a text, a number or a flag") from None
    return Values(member, counts_of(member, len(numbers), None), 1.0)


def _numbers(y: ArrayLike, rows: int, bandwidth: object = None) -> Values:
    meaning = "numbers, one for each ranking, or vectors, one per row"
    flags = isinstance(y, np.ndarray) and y.dtype == bool
    array = real_array(np.asarray(y, dtype=np.int64) if flags else y, "y", (1, 2), meaning)
    _check_rows(len(array), rows)
    vectors = array[:, np.newaxis] if array.ndim == 1 else array
    _check_finite(vectors, array.ndim)
    different, member = np.unique(vectors, axis=0, return_inverse=True)
    member = member.reshape(-1)
    # Differences of the largest doubles would not be finite.
    unit = 0.25 if np.abs(different).max(initial=0.0) > 2.0**1021 else 1.0
    different *= unit
    given = None if bandwidth is None else unit * _checked_bandwidth(bandwidth)
    width = _median_distance(different) if given is None else max(given, _LEAST)

    def column(number: int) -> Array:
        with np.errstate(over="ignore", under="ignore"):  # then it is 0 or 1, to all digits
            return np.asarray(np.exp(-0.5 * (((different - different[number]) / width) ** 2).sum(axis=1)))

    def matrix() -> Array:
        check_fits(len(different), len(different), np.dtype(np.float64), ADVICE)
        return np.array([column(number) for number in range(len(different))])

    return Values(member, counts_of(member, len(different), None), 1.0, np.ones(len(different)), column, matrix)


def _check_finite(vectors: Array, axes: int) -> None:
    for row, column in np.argwhere(~np.isfinite(vectors))[:1].tolist():
        value = float(vectors[row, column])
        place = f"[{row}]" if axes == 1 else f"[{row}, {column}]"
        known = {"row": row, "column": column, "value": value}
        raise bad_argument("y", f"{place} is {value}: numbers must be finite", kind="infinite", **known)


def _checked_bandwidth(bandwidth: object) -> float:
    number = float(real_array(bandwidth, "bandwidth", (0,), "one number above 0").item())
    if not 0 < number < math.inf:
        raise bad_argument("bandwidth", f" is {number}, but must be a finite number above 0", value=number)
    return number


def _median_distance(different: Array) -> float:
    """Return the median distance between distinct values; 1 if there is only one."""
    from scipy.spatial.distance import pdist

    if len(different) < 2:
        return 1.0
    some = different
    if len(different) > MOST_VALUES:
        some = different[np.linspace(0, len(different) - 1, MOST_VALUES).round().astype(np.intp)]
    distances = pdist(some)
    if not (distances.min() > _SAFE[0] and distances.max() < _SAFE[1]):
        # Squares would be too small or too large for a double.
        distances = np.zeros(len(distances))
        for numbers in some.T:
            distances = np.hypot(distances, pdist(numbers[:, np.newaxis], "cityblock"))
    return float(np.median(distances))


def _rankings(y: ArrayLike, rows: int, kind: str, options: dict[str, Any], run: Run) -> Values:
    reading = Reading(**{name: options.pop(name) for name in _READING if name in options})
    kernel = KernelOptions(kernel="mallows" if kind == "mallows" else "kendall", **options)
    kernel.specification()
    rankings = reading.rankings(y, "y", run.threads)
    _check_rows(rankings.rows, rows)
    sample = sample_of(rankings)
    gram, _ = kernel_between(sample, kernel, run)
    unit, own = reduced(gram), gram.diagonal().copy()
    return Values(sample.member, sample.counts, unit, own, lambda number: gram[number], lambda: gram)
