"""From what people have (arrays, lists, data frames) to checked rankings.

This module makes memory acceptable: the right number of axes, a numeric type, contiguous. Whether the numbers are rankings is
for the Rust crate to say; its errors are passed on with the name of the argument in front.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core

Input = Literal["ranks", "orders", "scores"]
Top = Literal["low", "high"]


def as_rankings(values: ArrayLike, name: str, input: Input, top: Top, threads: int | None = None) -> _core.Rankings:
    """Check a 2-d array-like of rankings, one a row; `name` is what the caller calls it."""
    return _checked(_as_array(values, name, 2), name, input, top, threads)


def as_ranking(values: ArrayLike, name: str, input: Input, top: Top) -> _core.Rankings:
    """Check a 1-d array-like that is one ranking."""
    return _checked(_as_array(values, name, 1)[np.newaxis], name, input, top, 1)


def check_choice(value: object, name: str, choices: tuple[str, ...]) -> None:
    """Refuse a word that is not one of `choices`."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {_listed(choices)}, not {value!r}")
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, but must be one of {_listed(choices)}")


def check_same_items(X: object, Y: object) -> None:
    """Refuse two data frames whose columns, the items, have different names or another order."""
    names = [
        list(columns) for columns in (getattr(X, "columns", None), getattr(Y, "columns", None)) if columns is not None
    ]
    if len(names) != 2 or len(names[0]) != len(names[1]):
        return
    for column, (x, y) in enumerate(zip(*names, strict=True)):
        if x != y:
            raise ValueError(
                f"column {column} is named {x!r} in X and {y!r} in Y: both must have the same items in the same order"
            )


def _listed(choices: tuple[str, ...]) -> str:
    return ", ".join(repr(choice) for choice in choices)


def _checked(array: NDArray[Any], name: str, input: Input, top: Top, threads: int | None) -> _core.Rankings:
    check_choice(input, "input", get_args(Input))
    check_choice(top, "top", get_args(Top))
    try:
        return _core.Rankings(_acceptable(array, name), input, top == "high", threads)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _as_array(values: ArrayLike, name: str, axes: int) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries: every item needs a number")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise _ragged(values, name) or ValueError(f"{name} cannot be made an array: {error}") from None
    if array.ndim != axes:
        meaning = {1: "one ranking, a 1-d array of n items", 2: "a 2-d array, one ranking a row"}[axes]
        raise (_ragged(values, name) if array.dtype == object else None) or ValueError(
            f"{name} has {array.ndim} axes and shape {array.shape}, but must be {meaning}"
        )
    return array


def _ragged(values: Any, name: str) -> ValueError | None:
    """Explain rows of different lengths, if that is what is wrong."""
    try:
        lengths = [len(row) for row in values]
    except TypeError:
        return None
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            return ValueError(
                f"{name}: row {row} has {length} items, but row 0 has {lengths[0]}: every row must rank the same items"
            )
    return None


def _acceptable(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return a contiguous array of int64, uint64 or float64 with the same numbers."""
    if array.dtype == object:
        array = _from_objects(array, name)
    # An empty list has no type of its own.
    kind = array.dtype.kind if array.size else "i"
    if kind == "b":
        raise TypeError(f"{name} holds booleans (row 0, column 0 is {array[0, 0]}), but rankings are made of numbers")
    if kind not in "iuf":
        value = array[0, 0]
        raise TypeError(
            f"{name} has dtype {array.dtype} (row 0, column 0 is {value!r}), but rankings are made of real numbers"
        )
    dtype = {"i": np.int64, "u": np.uint64, "f": np.float64}[kind]
    return np.ascontiguousarray(array, dtype=dtype)


def _from_objects(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Turn Python numbers into an array of them; name the first thing that is no number."""
    for (row, column), value in np.ndenumerate(array):
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not (is_number or _is_missing(value)):
            raise TypeError(
                f"{name}: row {row}, column {column} holds {value!r}, but rankings are made of real numbers"
            )
    flat = array.ravel().tolist()
    if all(isinstance(value, int | np.integer) and -(2**63) <= value < 2**63 for value in flat):
        return array.astype(np.int64)
    return np.array([_as_float(value) for value in flat]).reshape(array.shape)


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _as_float(value: Any) -> float:
    try:
        return float("nan") if _is_missing(value) else float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
