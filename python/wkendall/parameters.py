"""The parameters of kernels and of runs, checked one by one."""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall.rankings import check_choice, check_unmasked

WEIGHTS = ("standard", "top", "add", "mult", "average")
FACTORS = ("hyperbolic", "log")


class Unsaid(str):
    """The default of a parameter, told apart from the same word said by the caller."""

    __slots__ = ()


STANDARD = Unsaid("standard")


def kernel_measure(
    items: int,
    weight: str,
    k: SupportsIndex | None,
    u: str | ArrayLike | None,
    U: ArrayLike | None,
    signed: bool,
    normalize: bool,
) -> _core.Measure:
    """Check the parameters of a kernel."""
    check_flag(signed, "signed")
    check_flag(normalize, "normalize")
    if U is None:
        measure = _core.Measure.kernel(items, *named_weight(items, weight, k, u))
    else:
        if not isinstance(weight, Unsaid):
            raise ValueError(f"both U and weight={weight!r} are given: pass one of them")
        _check_unused(k, "k", "U")
        _check_unused(u, "u", "U")
        measure = _core.Measure.kernel(items, "matrix", matrix=_weight_matrix(U, items))
    if signed:
        measure = measure.signed()
    return measure.normalized() if normalize else measure


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
        _check_unused(k, "k", said)
    if weight in ("add", "mult"):
        if u is None:
            raise ValueError(f'{said} needs u, one of "hyperbolic" and "log" or an array of {items} position weights')
    else:
        _check_unused(u, "u", said)
    return str(weight), None if k is None else _top_ranks(k, items), None if u is None else _factor(u)


def _check_unused(value: object, name: str, said: str) -> None:
    if value is not None:
        uses = {"k": 'weight="top"', "u": 'weight="add" and weight="mult"'}[name]
        raise ValueError(f"{name} is given, but {said} does not use it: it goes with {uses}")


def _top_ranks(k: SupportsIndex, items: int) -> int:
    number = _integer(k, "k must be an integer")
    if not 1 <= number <= max(items, 1):
        raise ValueError(f"k is {number}, but must be from 1 to {max(items, 1)}, the number of items")
    return number


def _integer(value: object, rule: str) -> int:
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{rule}, not {value!r}")
    try:
        return operator.index(cast("SupportsIndex", value))
    except TypeError:
        raise TypeError(f"{rule}, not {value!r}") from None


def _factor(u: str | ArrayLike) -> str | NDArray[np.float64]:
    if isinstance(u, str):
        check_choice(u, "u", FACTORS)
        return str(u)
    return _real_array(u, "u", 1, "an array of n position weights, or one of 'hyperbolic' and 'log'")


def _weight_matrix(U: ArrayLike, items: int) -> NDArray[np.float64]:
    matrix = _real_array(U, "U", 2, f"an array of shape ({items}, {items})")
    if matrix.shape != (items, items):
        raise ValueError(f"U has shape {matrix.shape}, but for rankings of {items} items it must be ({items}, {items})")
    return matrix


def _real_array(values: ArrayLike, name: str, axes: int, meaning: str) -> NDArray[np.float64]:
    check_unmasked(values, name)
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be {meaning}, of real numbers, not {values!r}") from None
    if array.size and array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be {meaning}, of real numbers, not {array.dtype}")
    if array.ndim != axes:
        raise ValueError(f"{name} has {array.ndim} axes and shape {array.shape}, but must be {meaning}")
    return np.ascontiguousarray(array, dtype=np.float64)


def as_result_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of a result: double or single precision."""
    wrong = ValueError(f"dtype is {dtype!r}, but must be float64 or float32")
    try:
        result_type = np.dtype(dtype)
    except TypeError:
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
        raise ValueError(f"n_jobs is {number}, but must be a number of threads from 1, -1 for all cores, or None")
    return min(number, _core.MOST_THREADS)


def check_flag(value: object, name: str) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {value!r}")


def check_out(out: NDArray[Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
    """Refuse an array that the result cannot be written to."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}, but the result has shape {shape}")
    if out.dtype != dtype:
        raise ValueError(f"out has dtype {out.dtype}, but the result has dtype {dtype}: change one or the other")
    if not out.flags.c_contiguous:
        raise ValueError("out is not C-contiguous: its rows must lie one after the other in memory")
    if not out.flags.aligned:
        raise ValueError("out is not aligned: its memory must begin at a multiple of the size of its numbers")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
