"""The parameters of kernels and of runs, checked one by one."""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._files import shown
from wkendall.rankings import check_choice, check_unmasked, wrong_axes

WEIGHTS = ("standard", "top", "add", "mult", "average")
FACTORS = ("hyperbolic", "log")
#: How many axes NumPy's arrays can have.
MOST_AXES = 64 if int(np.__version__.partition(".")[0]) >= 2 else 32
#: How many numbers are made at a time where there may be very many.
STEP = 2**20
#: No integer parameter is larger.
LARGEST = 2**63 - 1


class Unsaid(str):
    """The default of a parameter, told apart from the same word said by the caller."""

    __slots__ = ()


STANDARD = Unsaid("standard")


def named_weight(
    items: int, weight: str, k: SupportsIndex | None, u: str | ArrayLike | None
) -> tuple[str, int | None, str | NDArray[np.float64] | None]:
    """Check a named weight and that it gets the parameters it uses and no others."""
    check_choice(weight, "weight", WEIGHTS)
    said = f'weight="{weight}"'
    if weight == "top":
        if k is None:
            raise ValueError(f"{said} needs k, the number of ranks that count, from 1 to {max(items, 1)}")
    else:
        check_unused(k, "k", said)
    if weight in ("add", "mult"):
        if u is None:
            raise ValueError(f'{said} needs u, one of "hyperbolic" and "log" or an array of {items} position weights')
    else:
        check_unused(u, "u", said)
    return str(weight), None if k is None else _top_ranks(k, items), None if u is None else _factor(u)


def check_unused(value: object, name: str, said: str) -> None:
    """Refuse a parameter that goes with another kind of weight."""
    if value is not None:
        uses = {"k": 'weight="top"', "u": 'weight="add" and weight="mult"'}[name]
        raise ValueError(f"{name} is given, but {said} does not use it: it goes with {uses}")


def _top_ranks(k: SupportsIndex, items: int) -> int:
    number = _integer(k, "k must be an integer")
    if not 1 <= number <= max(items, 1):
        raise ValueError(f"k is {shown(number)}, but must be from 1 to {max(items, 1)}, the number of items")
    return number


def _integer(value: object, rule: str) -> int:
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{rule}, not {shown(value)}")
    try:
        return operator.index(cast("SupportsIndex", value))
    except TypeError:
        raise TypeError(f"{rule}, not {shown(value)}") from None


def _factor(u: str | ArrayLike) -> str | NDArray[np.float64]:
    if isinstance(u, str):
        check_choice(u, "u", FACTORS)
        return str(u)
    return real_array(u, "u", (1,), "an array of n position weights, or one of 'hyperbolic' and 'log'")


def as_factor(factor: str | NDArray[np.float64], items: int) -> NDArray[np.float64]:
    """Return position weights, given by name or one by one."""
    if isinstance(factor, str):
        values = np.empty(items)
        # In steps, between which Ctrl-C is seen.
        for first in range(0, items, STEP):
            ranks = np.arange(first + 1, min(first + STEP, items) + 1)
            values[first : first + STEP] = 1 / (ranks + 1) if factor == "hyperbolic" else 1 / np.log2(ranks + 1)
        return values
    if len(factor) != items:
        raise ValueError(f"u has {len(factor)} position weights, but there are {items} items")
    return factor


def as_order(value: object, name: str, least: int = 1) -> int:
    """Return a number of items or of tuples of them."""
    number = _integer(value, f"{name} must be an integer")
    if number < least:
        raise ValueError(f"{name} is {shown(number)}, but must be at least {least}")
    if number > LARGEST:
        raise ValueError(f"{name} is {shown(number)}, but must be at most {LARGEST}")
    return number


def as_axes(value: object, name: str, more: int = 0) -> int:
    """Return a number of axes that an array can have beside `more`."""
    number = as_order(value, name)
    if number > MOST_AXES - more:
        raise ValueError(f"{name} is {number}, but must be at most {MOST_AXES - more}: an array has no more axes")
    return number


def real_array(values: object, name: str, axes: tuple[int, ...], meaning: str) -> NDArray[np.float64]:
    """Check an array of real numbers with one of so many axes."""
    check_unmasked(values, name)
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be {meaning}, of real numbers, not {shown(values)}") from None
    if array.size and array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be {meaning}, of real numbers, not {array.dtype}")
    if array.ndim not in axes:
        raise wrong_axes(array, name, meaning)
    return np.require(array, np.float64, ["C", "A"])


def as_result_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of a result: double or single precision."""
    wrong = ValueError(f"dtype is {shown(dtype)}, but must be float64 or float32")
    try:
        result_type = np.dtype(dtype)
    except (TypeError, ValueError):
        raise wrong from None
    if result_type not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise wrong
    return result_type


def as_threads(n_jobs: SupportsIndex | None) -> int | None:
    """Return the number of threads, or None for the default."""
    if n_jobs is None:
        return None
    number = _integer(n_jobs, "n_jobs must be an integer or None")
    if number == -1:
        return _core.available_cores()
    if number < 1:
        raise ValueError(
            f"n_jobs is {shown(number)}, but must be a number of threads from 1, -1 for all cores, or None"
        )
    return min(number, _core.MOST_THREADS)


def check_flag(value: object, name: str) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")


def check_out(out: NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any], *read: object) -> None:
    """Refuse an array that the result cannot be written to, or that shares memory with what is read meanwhile."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError("out is a masked array, whose mask would hide results: pass the array behind it, out.data")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}, but the result has shape {shape}")
    if out.dtype != dtype:
        raise ValueError(f"out has dtype {out.dtype}, but the result has dtype {dtype}: change one or the other")
    if not out.flags.c_contiguous:
        raise ValueError("out is not C-contiguous: its rows must lie one after the other in memory")
    if not out.flags.aligned:
        raise ValueError("out is not aligned: its memory must begin at a multiple of the size of its numbers")
    if not out.flags.writeable:
        raise ValueError("out is read-only: it must be an array that can be written to")
    for values in read:
        if isinstance(values, np.ndarray) and np.may_share_memory(out, values):
            raise ValueError("out shares memory with an argument: the result would overwrite it")
