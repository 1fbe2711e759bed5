"""Checks of the arguments of public functions, one argument at a time."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from contextlib import suppress
from numbers import Real
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wkendall import _core
from wkendall._errors import RankingError, bad_argument, bad_entry, bad_type, shown, some_names

Array = NDArray[np.float64]
#: The types of `rng=`.
Random = SupportsIndex | np.random.Generator | None
_ARRAYS = {np.ma.MaskedArray, type(np.ma.masked)}

_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)

#: Parameters of measures that have a number for each item. A measure does not know the names of the items.
_OF_ITEMS = ("item_weight", "item_weights", "rank")

#: Dtype kinds of arrays of texts.
TEXT = "UST"

#: The maximum number of axes of a NumPy array.
MAX_AXES = 64 if int(np.__version__.partition(".")[0]) >= 2 else 32
#: The largest value of an integer parameter.
LARGEST = 2**63 - 1


def check_choice(value: object, name: str, choices: tuple[str, ...]) -> None:
    """Raise an error for a word that is not one of `choices`."""
    if not isinstance(value, str):
        raise bad_type(name, f" must be one of {_listed(choices)}, not {shown(value)}")
    if value not in choices:
        raise bad_argument(name, f" is {shown(value)}, but must be one of {_listed(choices)}", value=value)


def check_unmasked(values: object, name: str) -> None:
    """Raise an error for masked entries in an array or a list of arrays: NumPy would use the hidden values."""
    places = _masked(values)
    if places is None and isinstance(values, list | tuple):
        for row, part in enumerate(values):
            inside = _masked(part)
            # Types first: a loop over the entries takes several times as long.
            if inside is None and isinstance(part, list | tuple) and _ARRAYS.intersection(map(type, part)):
                inside = next(((column,) for column, entry in enumerate(part) if _masked(entry) == ()), None)
            if inside is not None:
                places = (row, *inside)
                break
    if places is None:
        return
    rule = "is masked: every entry needs a number"
    if len(places) == 2:
        raise bad_entry(name, places, f" {rule}", kind="masked")
    where = f"place {', '.join(map(str, places))}" if places else "its only entry"
    raise bad_argument(name, f": {where} {rule}", kind="masked")


def _masked(values: object) -> tuple[int, ...] | None:
    """Return the position of the first masked entry of an array."""
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):
        return None
    return tuple(int(place) for place in np.argwhere(np.ma.getmaskarray(values))[0])


def _listed(choices: tuple[str, ...]) -> str:
    return ", ".join(repr(choice) for choice in choices)


def wrong_axes(array: Any, name: str, meaning: str, axes: int | None = None) -> RankingError:
    """Make the error for an array with the wrong number of axes; `meaning` says what the array must be."""
    found = f"{array.ndim}-dimensional, of shape {array.shape}" if array.ndim else "a single value"
    advice: tuple[str, ...] = ()
    if axes == 2 and array.ndim == 1 and array.dtype.kind in TEXT:
        advice = ("names",)
    elif axes == 2 and array.ndim == 1 and array.dtype == object and isinstance(array.flat[0], list | tuple):
        named = any(isinstance(entry, str) for row in array if isinstance(row, list | tuple) for entry in row)
        advice = ("names",) if named else ("list", name)
    elif axes == 2 and array.ndim == 1 and array.size:
        advice = ("axes", name)
    return bad_argument(name, f" is {found}, but must be {meaning}", *advice, kind="axes", value=array.ndim)


def as_integer(value: object, name: str, rule: str = "an integer") -> int:
    """Return a whole number as an int; the error for other values says that the value must be `rule`."""
    if type(value) is int:  # the common case, in a tenth of the time
        return value
    if not isinstance(value, bool | np.bool_):
        with suppress(TypeError):
            return operator.index(cast("SupportsIndex", value))
    raise bad_type(name, f" must be {rule}, not {shown(value)}")


def as_order(value: object, name: str, least: int = 1) -> int:
    """Return a whole number of at least `least`, such as a number of items, or the order of a kernel."""
    number = as_integer(value, name)
    if number < least:
        raise bad_argument(name, f" is {shown(number)}, but must be at least {least}", value=number)
    if number > LARGEST:
        raise bad_argument(name, f" is {shown(number)}, but must be at most {LARGEST}", value=number)
    return number


def as_amount(value: Any, name: str, rule: str = "a number that is not negative") -> float:
    """Return a number of at least 0 as a float; it can be infinite."""
    number = np.nan
    with suppress(TypeError, ValueError, OverflowError):
        number = float(value)
    if not number >= 0.0:
        raise bad_argument(name, f" is {shown(value)}, but must be {rule}")
    return number


def as_axes(value: object, name: str, more: int = 0) -> int:
    """Return a number of axes; raise an error if an array cannot have `more` additional axes."""
    number = as_order(value, name)
    if number > MAX_AXES - more:
        most = f"{MAX_AXES - more}: an array has no more axes"
        raise bad_argument(name, f" is {number}, but must be at most {most}", value=number)
    return number


def real_array(values: object, name: str, axes: tuple[int, ...], meaning: str) -> NDArray[np.float64]:
    """Check an array of real numbers; `axes` has the allowed numbers of axes, and `meaning` describes the array."""
    check_unmasked(values, name)
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise bad_type(name, f" must be {meaning}, of real numbers, not {shown(values)}") from None
    if array.size and array.dtype.kind not in "iuf":
        raise bad_type(name, f" must be {meaning}, of real numbers, not {array.dtype}")
    if array.ndim not in axes:
        raise wrong_axes(array, name, meaning)
    return np.require(array, np.float64, ["C", "A"])


def plain(value: object, name: str) -> object:
    """Convert a parameter to a bool, an int, a float or an array of doubles; None if it cannot be converted.

    The Rust crate calls this function, and then checks the value.
    """
    if isinstance(value, np.bool_):
        return bool(value)
    with suppress(TypeError):
        return operator.index(cast("SupportsIndex", value))
    if isinstance(value, Real):
        with suppress(OverflowError):
            return float(value)
        return None
    check_unmasked(value, name)
    if name in _OF_ITEMS and not isinstance(row_labels(value), range | None):
        rule = f"numbers belong to items by position: sort them, and pass {name}.to_numpy()"
        raise bad_argument(
            name, f" has the labels {some_names(row_labels(value) or (), 3)}, but {rule}", kind="items differ"
        )
    with suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(value)
        array = array.astype(np.float64) if array.dtype == object else array
        if array.ndim and (array.dtype.kind in "iuf" or not array.size):
            return np.require(array, np.float64, ["C", "A"])
    return None


def wrong_parameter(name: str, value: Any, rule: str, of_type: bool) -> Exception:
    """Make the error for a parameter that the Rust crate refuses; `of_type` says whether its type is wrong."""
    if of_type:
        return bad_type(name, f" must be {rule}, not {shown(value)}")
    if np.ndim(value):
        return wrong_axes(np.asarray(value), name, rule)
    return bad_argument(name, f" is {shown(value)}, but must be {rule}", value=value)


def as_result_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of a result: double or single precision."""
    if dtype is np.float64:  # the common case, in a tenth of the time
        return _DOUBLE
    with suppress(TypeError, ValueError):
        result_type = np.dtype(dtype)
        if result_type in (_DOUBLE, _SINGLE):
            return result_type
    raise bad_argument("dtype", f" is {shown(dtype)}, but must be float64 or float32", value=dtype)


def as_threads(n_jobs: SupportsIndex | None) -> int | None:
    """Return the number of threads, or None for the default."""
    if n_jobs is None:
        return None
    number = as_integer(n_jobs, "n_jobs", "an integer or None")
    if number == -1:
        return _core.available_cores()
    if number < 1:
        raise bad_argument(
            "n_jobs",
            f" is {shown(number)}, but must be a number of threads from 1, -1 for all cores, or None",
            value=number,
        )
    return min(number, _core.MAX_THREADS)


def data_frames() -> Any:
    """Import pandas, for results that are returned as data frames."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("data frames need pandas: pip install pandas") from None
    return pd


def generator(rng: Random) -> np.random.Generator:
    """Return the random number generator for a seed, a generator, or None (new random numbers)."""
    rule = f" must be None, a seed from 0 or a numpy.random.Generator, not {shown(rng)}"
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    if isinstance(rng, bool | np.bool_) or not hasattr(rng, "__index__"):
        raise bad_type("rng", rule)
    try:
        return np.random.default_rng(int(rng.__index__()))
    except (TypeError, ValueError):
        raise bad_argument("rng", rule, value=rng) from None


def check_flag(value: object, name: str) -> None:
    """Raise an error for a value that is neither true nor false."""
    if value is not True and value is not False and not isinstance(value, np.bool_):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")


def check_out(out: NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raise an error for an output array to which the result cannot be written."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError("out is a masked array, whose mask would hide results: pass the array behind it, out.data")
    if out.shape != shape:
        raise bad_argument("out", f" has shape {out.shape}, but the result has shape {shape}")
    if out.dtype != dtype:
        raise bad_argument("out", f" has dtype {out.dtype}, but the result has dtype {dtype}: change one or the other")
    if not out.flags.c_contiguous:
        raise bad_argument("out", " is not C-contiguous: its rows must lie one after the other in memory")
    if not out.flags.aligned:
        raise bad_argument("out", " is not aligned: its memory must begin at a multiple of the size of its numbers")
    if not out.flags.writeable:
        raise bad_argument("out", " is read-only: it must be an array that can be written to")


def check_same_rows(x: object, y: object, names: tuple[str, str] = ("X", "y")) -> None:
    """Raise an error if `x` and `y` both have row labels, and the labels differ."""
    first, second = row_labels(x), row_labels(y)
    if first is None or second is None or (len(first) == len(second) and all(map(same_label, first, second))):
        return
    for row, (one, other) in enumerate(zip(first, second, strict=False)):
        if not same_label(one, other):
            found = f"row {row} is labelled {shown(one)} in {names[0]} and {shown(other)} in {names[1]}"
            rule = f"rows are matched by position: give both the same index, or pass {names[1]} as an array"
            message = f"{found}, but {rule}"
            raise RankingError(message, argument=names[1], row=row, value=other, kind="rows differ")


def row_labels(values: Any) -> Sequence[object] | None:
    """Return the labels of the rows of a `Rankings`, or of a data frame or series of pandas; None if there are none."""
    if hasattr(values, "_labels"):
        labels: Sequence[object] | None = values._labels
        return labels
    index: Any = getattr(values, "index", None)
    if not hasattr(index, "equals"):
        return None
    numbered = index.dtype.kind in "iuf" and np.array_equal(np.asarray(index), np.arange(len(index)))
    return range(len(index)) if numbered else list(index)


def plain_name(name: Any) -> Any:
    """Convert a text, whole number or boolean of NumPy to the type of Python; return any other name unchanged."""
    return name.item() if isinstance(name, np.str_ | np.integer | np.bool_) else name


def entry_name(values: object, name: str, row: int) -> str:
    """Return the name of a value that belongs to a row, as in "y[2]"; row labels replace row numbers."""
    labels = row_labels(values)
    return f"{name}[{shown(row if labels is None else labels[row])}]"


def is_absent(label: Any) -> bool:
    """Return whether a label is a missing value."""
    return label is None or type(label).__name__ in ("NAType", "NaTType") or bool(label != label)


def group_rows(groups: Any, rows: int, name: str) -> dict[Any, NDArray[np.intp]]:
    """Return the row numbers of each group; ordered categories keep their order, other labels are sorted if possible."""
    if isinstance(groups, str):
        reason = f" is {shown(groups)}, but must have a label for each of the {rows} rankings"
        raise bad_argument(name, reason, "column", shown(groups), value=groups)
    labels = np.asarray(groups)
    if labels.shape != (rows,):
        rule = f" has shape {labels.shape}, but there are {rows} rankings: it must have a label for each"
        raise bad_argument(name, rule)
    numbers: dict[Any, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        if is_absent(label):
            what = f" is {shown(label)}: every ranking needs a group"
            raise bad_argument(entry_name(groups, name, row), what, "unlabelled", name, row=row, kind="nan")
        numbers.setdefault(label, []).append(row)
    dtype: Any = getattr(groups, "dtype", None)
    order: list[Any] = list(numbers)
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":
        order = [label for label in dtype.categories if label in numbers]
    else:
        with suppress(TypeError):
            order.sort()
    return {label: np.array(numbers[label], dtype=np.intp) for label in order}


def same_label(one: Any, other: Any) -> bool:
    """Return whether two labels are equal; NaN counts as equal to NaN."""
    return bool(one is other or one == other or (one != one and other != other))
