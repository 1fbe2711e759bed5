"""The values that are paired with the rankings of a sample: labels, numbers, vectors, or other rankings."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import TEXT, Array, check_choice, check_unmasked, entry_name, is_absent, real_array
from wkendall._errors import RankingError, bad_argument, bad_type, parts_of, remade, shown
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.gram import as_kernel
from wkendall.measures import Kernel, Measure
from wkendall.rankings import Rankings, read_rankings
from wkendall.reading.columns import EXACT
from wkendall.statistics import samples

ValueKernel = Literal["delta", "gaussian"]

#: If there are more distinct values, the median distance is that of this many people, evenly spaced in sorted order.
MAX_VALUES = 1000
#: Squares of distances in between have all their digits.
_SAFE = (1e-140, 1e140)
#: The least positive double.
_LEAST = 5e-324


class Values(NamedTuple):
    """The values that are paired with the rankings, and a kernel between two distinct values.

    `member` is the index of each row's value among the distinct values. `counts` says how often each distinct value
    occurs. The test of independence uses only the centred kernel. Centring removes from a kernel L(a, b) all terms of
    the form f(a) + f(b), for any function f. The kernel stored here may therefore differ by such terms from the kernel
    that the user chose.
    """

    member: NDArray[np.intp]
    counts: samples.Counts
    #: The factor that the kernel was divided by, so that its largest value is 1 to 2.
    unit: float
    #: By rounding of the kernel, the statistic changes by less than this, if the kernel between rankings is scaled.
    tolerance: float
    #: The bandwidth of a Gaussian kernel.
    bandwidth: float | None = None
    #: The kernel of each distinct value with itself, of all with one, and of all with all; absent for labels.
    own: Array | None = None
    column: Callable[[int], Array] | None = None
    matrix: Callable[[], Array] | None = None


def values_of(y: Any, rankings: Rankings, y_kernel: object, bandwidth: object, run: Run) -> Values:
    """Read the values that are paired with rankings, one for each person, and choose the kernel between them."""
    columns = getattr(y, "columns", None)
    if columns is not None and len(columns) == 1 and not isinstance(y_kernel, Measure):
        y = y[columns[0]]
    if isinstance(y_kernel, Measure) or isinstance(y, Rankings):
        if isinstance(y_kernel, str):
            raise bad_argument("y_kernel", f" is {y_kernel!r}, but y is a Rankings: pass a kernel between rankings")
        if bandwidth is not None:
            raise bad_argument("bandwidth", ' is given, but y has rankings: it goes with y_kernel="gaussian"')
        kernel = None if y_kernel is None else as_kernel(y_kernel, "independence_test", "y_kernel")
        return _rankings(y, rankings, kernel, run)
    if y_kernel is not None:
        check_choice(y_kernel, "y_kernel", get_args(ValueKernel))
    check_unmasked(y, "y")
    kind = _kind(y) if y_kernel is None else str(y_kernel)
    if kind == "delta" and bandwidth is not None:
        raise bad_argument("bandwidth", ' is given, but y has labels: it goes with y_kernel="gaussian"')
    _check_rows(len(_as_array(y)), len(rankings))
    counts = rankings._counts
    people = y if counts is None else _repeated(y, counts)
    rows = len(rankings) if counts is None else int(counts.sum())
    try:
        return _labels(people, rows) if kind == "delta" else _numbers(people, rows, bandwidth)
    except RankingError as error:
        if error.row is None:
            raise
        row = error.row if counts is None else int(np.searchsorted(counts.cumsum(), error.row, side="right"))
        place = entry_name(y, "", row)
        if kind != "delta" and _as_array(y).ndim == 2:
            place = f"{place[:-1]}, {error.column}]"
        parts = parts_of(error)
        raise remade(error, parts._replace(reason=f"{place}{parts.reason}"), row=row) from None


def _repeated(y: Any, counts: samples.Counts) -> Any:
    if isinstance(y, list | tuple):  # an array could make equal numbers or texts of them
        return [value for value, count in zip(y, counts.tolist(), strict=True) for _ in range(count)]
    return np.repeat(np.asarray(y), counts, axis=0)


def _kind(y: Any) -> str:
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


def _as_array(y: Any, name: str = "y") -> NDArray[Any]:
    """Return an array of what `y` holds; texts, booleans and numbers in one list keep their types."""
    try:
        array = np.asarray(y)
        if isinstance(y, list | tuple) and array.dtype.kind not in "cmM":
            kinds = set(map(type, y))
            if any(issubclass(kind, str | bytes | bool | np.bool_) for kind in kinds) and len(kinds) > 1:
                array = np.array(y, dtype=object)
    except ValueError:
        raise bad_argument(
            name, f" cannot be converted to an array, because its rows differ in length: {shown(y)}"
        ) from None
    if array.ndim == 0:
        possible = "labels, numbers, vectors or rankings" if name == "y" else "labels"
        advice = ("column", shown(y)) if isinstance(y, str) else ()
        raise bad_type(name, f" must be {possible}, one for each row of X, not {shown(y)}", *advice)
    return array


def _check_rows(found: int, rows: int, name: str = "y") -> None:
    if found != rows:
        rule = f" has {found} values, but X has {rows} rankings: it must have one for each"
        raise bad_argument(name, rule, value=found, kind="rows differ")


def _labels(y: Any, rows: int) -> Values:
    member, names = labels_of(y, rows, "y")
    return Values(member, samples.counts_of(member, len(names), None), 1.0, samples.EQUAL)


def labels_of(values: Any, rows: int, name: str) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the number of each row's label, and the distinct labels in the order of their first rows."""
    check_unmasked(values, name)
    columns = getattr(values, "columns", None)
    values = values[columns[0]] if columns is not None and len(columns) == 1 else values
    array = _as_array(values, name)
    if array.ndim != 1:
        raise bad_argument(name, f" has shape {array.shape}, but there must be one label for each ranking", kind="axes")
    _check_rows(len(array), rows, name)
    numbers: dict[Any, int] = {}
    member = np.empty(rows, dtype=np.intp)
    # Those of a list as they are: an array could make equal numbers or texts of them.
    for row, label in enumerate(values if isinstance(values, list | tuple) else array.tolist()):
        if is_absent(label):
            where = name if name == "y" else entry_name(values, name, row)  # `values_of` adds the place in y
            rule = f" is {shown(label)}: every ranking needs a label"
            raise bad_argument(where, rule, "unlabelled", name, row=row, kind="nan")
        # To Python 1 and True are equal.
        flag = isinstance(label, bool | np.bool_)
        try:
            member[row] = numbers.setdefault((flag, label), len(numbers))
        except TypeError:
            what = f" is {shown(label)}, but a label is a text, a number or a flag"
            raise bad_type(f"{name}[{row}]", what) from None
    return member, [label for _, label in numbers]


def _numbers(y: ArrayLike, rows: int, bandwidth: object = None) -> Values:
    both, unit = _exact_numbers(y, rows)
    different, member, counts = np.unique(np.concatenate(both, axis=1), axis=0, return_inverse=True, return_counts=True)
    numbers = Numbers(*np.split(different, 2, axis=1))
    given = None
    if bandwidth is not None:
        given = float(real_array(bandwidth, "bandwidth", (0,), "one number above 0").item())
        if not 0 < given < math.inf:
            raise bad_argument("bandwidth", f" is {given}, but must be a finite number above 0", value=given)
    width = median_distance(numbers, counts) if given is None else max(unit * given, _LEAST)
    # The kernel L is replaced by L(a, b) - L(a, c) - L(c, b) + L(c, c), where c is a value in the middle. This does not
    # change the criterion, and keeps all digits if the bandwidth is so large that L is nearly constant.
    middle = int(np.searchsorted(counts.cumsum(), rows // 2, side="right"))

    def below_one(number: int) -> Array:
        """Return the kernel between all distinct values and the value with the index `number`, minus 1."""
        with np.errstate(over="ignore", under="ignore"):  # then it is -1 or 0, to all digits
            return np.asarray(np.expm1(-0.5 * ((numbers.minus(number) / width) ** 2).sum(axis=1)))

    from_middle = below_one(middle)
    scale = samples.power_of_two(float(-2 * from_middle.min(initial=0.0)))

    def column(number: int) -> Array:
        return np.asarray((below_one(number) - from_middle - from_middle[number]) / scale)

    def matrix() -> Array:
        check_fits(len(different), len(different), np.dtype(np.float64), samples.ADVICE)
        return np.array([column(number) for number in range(len(different))])

    used, own = width / unit if given is None else given, -2 * from_middle / scale
    return Values(member.reshape(-1), counts, scale, samples.EQUAL, used, own, column, matrix)


class Numbers(NamedTuple):
    """Distinct numbers or vectors, one per row; a number is a sum of two doubles, because large whole numbers need two."""

    high: Array
    low: Array

    def minus(self, number: int) -> Array:
        """Subtract the value with the index `number` from all values."""
        return np.asarray((self.high - self.high[number]) + (self.low - self.low[number]))


def _exact_numbers(y: Any, rows: int) -> tuple[Numbers, float]:
    """Return numbers or vectors, one per row, and the factor by which they were multiplied."""
    flags = isinstance(y, np.ndarray) and y.dtype == bool
    given = np.asarray(y, dtype=np.int64) if flags else y
    array = real_array(given, "y", (1, 2), "numbers, one for each ranking, or vectors, one per row")
    _check_rows(len(array), rows)
    vectors = array[:, np.newaxis] if array.ndim == 1 else array
    for row, column in np.argwhere(~np.isfinite(vectors))[:1].tolist():
        value = float(vectors[row, column])
        known = {"row": row, "column": column, "value": value}
        raise bad_argument("y", f" is {value}: numbers must be finite", kind="infinite", **known)
    largest = np.abs(vectors).max(initial=0.0)
    # Differences of the largest doubles would not be finite.
    unit = 0.25 if largest > 2.0**1021 else 1.0
    if largest > EXACT:
        # NumPy makes floats of a list with whole numbers and floats.
        exact = np.array(given, dtype=object) if isinstance(given, list | tuple) else np.asarray(given)
        if exact.dtype.kind in "iuO":
            columns = exact.reshape(vectors.shape).T.tolist()
            high, low = zip(*(_without_middle(column, Fraction(unit)) for column in columns), strict=True)
            return Numbers(np.array(high).T, np.array(low).T), unit
    return Numbers(unit * vectors, np.zeros(vectors.shape)), unit


def _without_middle(column: list[Any], unit: Fraction) -> tuple[Array, Array]:
    """Subtract the median number from all numbers; return each difference as a sum of two doubles."""
    exact = [Fraction(value if isinstance(value, Rational | Decimal) else float(value)) for value in column]
    middle = sorted(exact)[len(exact) // 2]
    left = [unit * (value - middle) for value in exact]
    high = list(map(float, left))
    return np.array(high), np.array([float(value - Fraction(first)) for value, first in zip(left, high, strict=True)])


def median_distance(numbers: Numbers, counts: samples.Counts) -> float:
    """Return the median distance of two people with different values; 1 if all values are equal."""
    from scipy.spatial.distance import pdist

    some = np.arange(len(counts))
    if len(some) < 2:
        return 1.0
    if len(some) > MAX_VALUES:
        people = np.repeat(some, counts)
        some, counts = np.unique(_evenly_spaced(people), return_counts=True)
        if len(some) < 2:  # nearly all values are equal
            some = _evenly_spaced(np.arange(len(numbers.high)))
            counts = np.ones(len(some), dtype=np.int64)
    distances = pdist(numbers.high[some])
    if numbers.low[some].any() or not (distances.min() > _SAFE[0] and distances.max() < _SAFE[1]):
        # Doubles would be rounded, or their squares would be too small or too large.
        distances = np.zeros(len(distances))
        for high, low in zip(numbers.high[some].T, numbers.low[some].T, strict=True):
            first, second = np.triu_indices(len(some), 1)
            distances = np.hypot(distances, (high[first] - high[second]) + (low[first] - low[second]))
    first, second = np.triu_indices(len(some), 1)
    return _weighted_median(distances, counts[first] * counts[second])


def _evenly_spaced(values: NDArray[np.intp]) -> NDArray[np.intp]:
    """Divide the values into MAX_VALUES parts, and return the middle value of each part."""
    return values[(2 * np.arange(MAX_VALUES) + 1) * len(values) // (2 * MAX_VALUES)]


def _weighted_median(numbers: Array, counts: samples.Counts) -> float:
    """Return the median of numbers that occur `counts` times each."""
    order = numbers.argsort()
    ends = counts[order].cumsum()
    places = np.searchsorted(ends, [(ends[-1] - 1) // 2, ends[-1] // 2], side="right")
    low, high = numbers[order[places]]
    return float(low + (high - low) / 2)


def _rankings(y: Any, rankings: Rankings, kernel: Kernel | None, run: Run) -> Values:
    paired = read_rankings(y, "y", threads=run.threads)
    _check_rows(len(paired), len(rankings))
    sample = samples.sample_of(samples.each_person(paired._with(items=None, labels=None, counts=rankings._counts)))
    gram, _ = samples.kernel_between(sample, kernel, run)
    first = samples.reduced(gram)
    gram, second = samples.without_constant(gram, int(sample.counts.argmax()))
    tolerance = max(samples.EQUAL, samples.ROUNDING / second)
    return Values(
        sample.member, sample.counts, first * second, tolerance,
        own=gram.diagonal().copy(), column=lambda number: gram[number], matrix=lambda: gram,
    )  # fmt: skip
