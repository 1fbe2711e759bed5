"""Convert array-likes to arrays that the Rust crate takes: contiguous, of real numbers, with the right axes.

This module does not check whether the numbers are rankings.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import TEXT, check_unmasked, same_label, wrong_axes
from wkendall._errors import (
    Parts,
    RankingError,
    RankingTypeError,
    bad_argument,
    bad_entry,
    bad_type,
    made,
    parts_of,
    remade,
    shown,
)

#: So many rows tell what a column has.
FEW_ROWS = 5


def check_same_labels(x: object, y: object, attribute: str, names: tuple[str, str], kind: str = "item") -> None:
    """Raise an error if two data frames or series have different labels, or the same labels in another order."""
    first, second = labels_of(x, attribute), labels_of(y, attribute)
    for column, (one, other) in enumerate(zip(first or (), second or (), strict=False)):
        if not same_label(one, other):
            found = f"{kind} {column} is labelled {one!r} in {names[0]} and {other!r} in {names[1]}"
            message = f"{found}: both must have the same {kind}s in the same order"
            raise RankingError(message, argument=names[1], column=column, value=other, kind="items differ")


def check_not_rearranged(x: object, y: object, attribute: str, names: tuple[str, str], kind: str) -> None:
    """Raise an error if two data frames or series have the same labels in another order; different labels are accepted."""
    first, second = (sorted(map(repr, labels_of(values, attribute) or ())) for values in (x, y))
    if first == second:
        check_same_labels(x, y, attribute, names, kind)


def check_collected(values: object, name: str) -> None:
    """Refuse a lazy frame of polars."""
    if type(values).__name__ == "LazyFrame":
        raise bad_type(name, f" is a LazyFrame, whose rows have not been computed: pass {name}.collect()")


def library_of(values: object) -> str:
    """Return the name of the package that a type comes from."""
    return type(values).__module__.partition(".")[0]


def known_frame(values: Any) -> Any:
    """Convert a data frame of another library to pandas, polars or pyarrow; return anything else unchanged."""
    library = library_of(values)
    if library in ("numpy", "builtins", "pandas", "polars"):
        return values
    if library == "modin":
        return values.modin.to_pandas()
    if hasattr(values, "columns") and hasattr(values, "to_pandas") and library != "pyarrow":
        return values.to_pandas()
    if hasattr(values, "__arrow_c_stream__") and not hasattr(values, "chunks"):  # a table, not a column
        import pyarrow as pa

        return pa.table(values)
    return values


def labels_of(values: object, attribute: str) -> list[Hashable] | None:
    """Return the columns of a data frame, or the index of a series; None for other objects."""
    if attribute == "columns" and library_of(values) == "pyarrow":
        attribute = "column_names"
    found: Any = getattr(values, attribute, None)
    return None if found is None or callable(found) else list(found)


def as_array(values: ArrayLike, name: str, axes: int) -> NDArray[Any]:
    """Convert to an array with one or two axes; do not check whether it holds rankings."""
    check_unmasked(values, name)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise _ragged(values, name) or bad_argument(name, f" cannot be converted to an array: {error}") from None
    meaning = {1: "one ranking, a 1-d array of n items", 2: "a 2-d array, one ranking per row"}[axes]
    if hasattr(values, "is_distance"):
        raise bad_type(
            name, f" is the measure {values!r}, but must be {meaning}: pass it by name, as kernel= or measure="
        )
    if array.dtype == object and array.ndim == 0:
        raise TypeError(
            f"{name} is of type {type(values).__name__}, but must be {meaning}, or something that NumPy can convert to one"
        )
    if array.ndim != axes:
        raise (_ragged(values, name) if array.dtype == object else None) or wrong_axes(array, name, meaning, axes)
    return array


def unmasked(values: Any) -> Any:
    """Return an array in which masked entries are NaN; other numbers may change, but keep their order."""
    if isinstance(values, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in values):
        return [unmasked(row) for row in values]
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values) or values.dtype.kind not in "iuf":
        return values
    whole = np.ma.getdata(values)
    if values.dtype.kind in "iu" and np.abs(whole.astype(np.float64)).max() >= 2**53:
        # Doubles would make different numbers equal. Only the order of such numbers can matter.
        whole = np.unique(whole, return_inverse=True)[1].reshape(values.shape)
    found = whole.astype(values.dtype if values.dtype.kind == "f" else np.float64)
    found[np.ma.getmaskarray(values)] = np.nan
    return found


def _ragged(values: Any, name: str) -> RankingError | None:
    """Return an error that explains rows of different lengths; None if the rows have equal lengths."""
    if not isinstance(values, list | tuple):
        return None
    lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else None for row in values]
    for row, length in enumerate(lengths):
        if length is None:
            reason = f" is {shown(values[row])}, not a row of items"
            return bad_entry(name, (row,), reason, value=values[row], kind="ragged")
        if length != lengths[0]:
            advice = ("names",) if any(isinstance(entry, str) for entry in (*values[0], *values[row])) else ()
            reason = f" has {length} items, but row 0 has {lengths[0]}: every row must rank the same items"
            return bad_entry(name, (row,), reason, *advice, value=length, kind="ragged")
    return None


def acceptable(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return a contiguous and aligned array of a type that Rust takes, with the same numbers."""
    if array.dtype == object:
        array = _from_objects(array, name)
    if not array.size:
        return np.empty(array.shape)  # an empty list has no type
    kind = array.dtype.kind
    if kind not in "iuf":
        check_no_text(array, name)
        value = array.flat[0]
        if kind == "b":
            raise _no_number(name, (0, 0), bool(value), ", a boolean")
        raise _no_number(name, (0, 0), value.item() if kind == "c" else value, f", of dtype {array.dtype}")
    if kind == "f" and array.dtype.itemsize not in (4, 8):
        return np.require(array, np.float64, ["C", "A"])
    if array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative:
        return array
    # Data from a network or from a file with a header may be unaligned.
    return np.require(array, array.dtype.newbyteorder("="), ["C", "A"])


def check_objects(array: NDArray[Any], name: str) -> None:
    """Refuse an array with texts, or with Python objects that are not numbers."""
    check_no_text(array, name)
    if array.dtype == object:
        _from_objects(array, name)


def check_no_text(array: NDArray[Any], name: str) -> None:
    """Raise an error for an array with texts; the error names the first text that is not a number, or else the first text."""
    if array.dtype.kind not in TEXT + "O":
        return
    first = None
    for place, value in np.ndenumerate(array):
        if not isinstance(value, str | bytes):
            continue
        named = not _is_number(value)
        if first is None or named:
            first = place, value.item() if isinstance(value, np.generic) else value
        if named:
            beside_numbers = any(isinstance(other, Real) and other == other for other in np.ravel(array[place[:-1]]))
            advice = "names beside numbers" if beside_numbers else "names"
            raise _no_number(name, *first, ", a text", advice, kind="text")
    if first is not None:
        raise _no_number(name, *first, ", a text", "texts", kind="text")


def about_stray_text(error: RankingError, frame: Any) -> RankingError:
    """Return an error about a text in a data frame, with special advice if most values of its column are numbers.

    "Most" means more than half. A text of a number counts as a number.
    """
    if error.kind != "text" or error.column is None:
        return error
    known = [
        value for value in np.asarray(frame)[:, error.column].tolist() if not (_is_missing(value) or value != value)
    ]
    numbers = sum(isinstance(value, Real) or (isinstance(value, str | bytes) and _is_number(value)) for value in known)
    return (
        remade(error, parts_of(error)._replace(advice=("stray text of frames",))) if 2 * numbers > len(known) else error
    )


def tell_of_large(numbers: NDArray[Any], items: Sequence[Hashable], name: str, advice: str, level: int) -> None:
    """Warn if all numbers of a column are above the number of items, and another column has no such number.

    Such large ranks are allowed if only the order of the ranks counts. But usually such a column does not contain
    ranks, but, for example, ages. `level` is the `stacklevel` of the warning: the warning points at the call of the
    user.
    """
    n = len(items)
    if len(numbers) < FEW_ROWS:
        return
    low, high = np.fmin.reduce(numbers, axis=0), np.fmax.reduce(numbers, axis=0)
    for column in np.flatnonzero(low > n)[: int((high <= n).any())].tolist():
        found = f"{low[column]:.15g} to {high[column]:.15g}, above {n}, the number of items, but is read as an item"
        parts = Parts(f"{name}: column {shown(items[column])} has {found}", advice=(advice, str(items[column])))
        warnings.warn(made(UserWarning, parts), stacklevel=level)


def _no_number(
    name: str, place: tuple[int, ...], value: object, what: str = "", *advice: str, kind: str = "not a number"
) -> RankingError:
    """Make the error for an entry that is not a number."""
    reason = f" holds {shown(value)}{what}, but rankings are made of real numbers"
    return bad_entry(name, place, reason, *advice, error=RankingTypeError, value=value, kind=kind)


def _is_number(text: str | bytes) -> bool:
    """Return whether this is the text of a number, perhaps with a decimal comma."""
    try:
        float(text.replace(b",", b".") if isinstance(text, bytes) else text.replace(",", "."))
    except ValueError:
        return False
    return True


def _from_objects(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Convert Python numbers to an array; name the first object that is not a number."""
    for place, value in np.ndenumerate(array):
        if isinstance(value, bool) or not (isinstance(value, Real | Decimal) or _is_missing(value)):
            if isinstance(value, str | bytes):
                check_no_text(array, name)
            raise _no_number(name, place, value)
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            rule = f" holds {shown(value)}, a number of more than 64 bits: ranks run from 1 to {array.shape[1]}"
            raise bad_entry(name, place, rule, value=value, kind="out of range")
    flat = array.ravel().tolist()
    whole = all(isinstance(value, int | np.integer) for value in flat)
    if whole and flat:
        return array.astype(np.int64 if max(flat) < 2**63 else np.uint64 if min(flat) >= 0 else np.float64)
    return np.array([float("nan") if _is_missing(value) else float(value) for value in flat]).reshape(array.shape)


def _is_missing(value: object) -> bool:
    # Python cannot convert a Decimal that is a signalling NaN to a float.
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, Decimal) and value.is_nan())
    )
