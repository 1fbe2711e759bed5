"""Checks of arguments: orders, values, numbers of calls, seeds."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from wkendall._arguments import check_unmasked
from wkendall._errors import bad_argument, bad_type, shown
from wkendall.optimize.moves import Orders
from wkendall.optimize.variables import Values, Variables


def as_point(values: object, items: int, name: str = "x", row: int | None = None) -> Orders:
    """Check an order: a permutation of 0..items - 1."""
    check_unmasked(values, name)
    where = name if row is None else f"{name}[{row}]"
    rule = f"an order of the {items} items: each of 0..{items - 1} once"
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        raise bad_type(where, f" must be {rule}, not {shown(values)}") from None
    if array.ndim == 0:
        raise bad_type(where, f" must be {rule}, not {shown(values)}")
    if array.ndim != 1 or len(array) != items:
        raise bad_argument(where, f" has shape {array.shape}, but must be {rule}", row=row, kind="axes")
    if array.dtype == object or array.dtype.kind not in "iuf":
        raise bad_type(where, f" must be {rule}, not {shown(values)}")
    seen: set[int] = set()
    for column, value in enumerate(array.tolist()):
        if not 0 <= value < items or value != int(value):
            raise bad_argument(
                where, f" has {shown(value)} at position {column}, but must be {rule}",
                row=row, column=column, value=value, kind="out of range",
            )  # fmt: skip
        if value in seen:
            raise bad_argument(
                where, f" has item {int(value)} twice, the second time at position {column}, but must be {rule}",
                row=row, column=column, value=value, kind="duplicate",
            )  # fmt: skip
        seen.add(value)
    return array.astype(np.int64)


def as_value(value: object, name: str = "y", row: int | None = None, failed: float = math.inf) -> float:
    """Check a value of the function. `failed` is the value of an order that cannot be evaluated: inf or -inf."""
    where = name if row is None else f"{name}[{row}]"
    rule = f"a real number, or {failed} for an order that failed"
    if isinstance(value, np.ndarray | list | tuple):
        with suppress(TypeError, ValueError):
            array = np.asarray(value)
            value = array.item() if array.size == 1 else value
    if value is None or isinstance(value, str | bytes | bool | np.bool_ | complex) or value is np.ma.masked:
        raise bad_type(where, f" must be {rule}, not {shown(value)}")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise bad_type(where, f" must be {rule}, not {shown(value)}") from None
    if math.isnan(number) or number == -failed:
        raise bad_argument(where, f" is {number}, but must be {rule}", row=row, value=number, kind="nan")
    return number


def as_points(
    x: object, items: int, variables: Variables | None, name: str = "x"
) -> tuple[list[tuple[Orders, Values]], bool]:
    """Check one point or several points. Return a list of the points, and whether `x` is a single point.

    A point is an order, or a pair of an order and the values of the variables.
    """
    if variables is None:
        if _is_pair(x) or (isinstance(x, list | tuple) and x and _is_pair(x[0])):
            said = " has values of variables, but there are no variables: describe them with variables="
            raise bad_argument(name, said)
        single = _axes(x) < 2
        orders: Any = [x] if single else x
        if not (single or isinstance(x, list | tuple)):  # a data frame, whose parts are columns
            check_unmasked(x, name)
            orders = np.asarray(x)
        return [(as_point(order, items, name, None if single else row), ()) for row, order in enumerate(orders)], single
    if _is_pair(x):
        return [as_pair(x, items, variables, name, None)], True
    if isinstance(x, list | tuple) and x and _is_pair(x[0]):
        return [as_pair(pair, items, variables, name, row) for row, pair in enumerate(x)], False
    raise bad_type(name, f" must be {_PAIR}, or a list of them, not {shown(x)}")


def as_values(y: object, count: int, single: bool, names: tuple[str, str], failed: float) -> list[float]:
    """Check the value of one point, or the values of several points.

    `names` has two names for error messages: the name of the points, and the name of the values.
    """
    if single:
        return [as_value(y, names[1], failed=failed)]
    check_unmasked(y, names[1])
    if isinstance(y, range):
        y = list(y)
    axes, orders = _axes(y), f"but {names[0]} has {_counted(count, 'order')}: give one value for each"
    if axes > 1:
        raise bad_argument(names[1], f" has {axes} axes, {orders}", kind="axes")
    if not axes and isinstance(y, Iterable) and not hasattr(y, "__array__"):
        raise bad_type(names[1], f" must be a list or an array of values, not {shown(y)}")
    values: list[Any] = list(y) if axes else [y]  # type: ignore[call-overload]
    if count != len(values):
        raise bad_argument(names[1], f" has {_counted(len(values), 'value')}, {orders}")
    return [as_value(value, names[1], row, failed) for row, value in enumerate(values)]


_PAIR = "a pair of an order and a dictionary with the values of the variables"


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[1], Mapping)


def as_pair(value: Any, items: int, variables: Variables, name: str, row: int | None) -> tuple[Orders, Values]:
    """Check a pair of an order and the values of variables."""
    where = name if row is None else f"{name}[{row}]"
    if not _is_pair(value):
        raise bad_type(where, f" must be {_PAIR}, not {shown(value)}")
    return as_point(value[0], items, name, row), variables.checked(value[1], where, row)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s'[: number != 1]}"


def _axes(values: Any) -> int:
    """Return the number of axes of an array-like. Its rows may have different lengths."""
    if isinstance(values, list | tuple):
        return 1 + max(map(_axes, values), default=0)
    return int(getattr(values, "ndim", 0))


def as_seed(rng: object, name: str = "rng") -> int:
    """Return the seed that determines all random choices of a run."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**63))
    if isinstance(rng, np.random.RandomState):
        return int(rng.randint(2**31))
    rule = " must be None, a whole number from 0 or a NumPy random generator"
    if isinstance(rng, bool | np.bool_):
        raise bad_type(name, f"{rule}, not {shown(rng)}")
    try:
        seed = operator.index(rng)  # type: ignore[arg-type]
    except TypeError:
        raise bad_type(name, f"{rule}, not {shown(rng)}") from None
    if seed < 0:
        raise bad_argument(name, f" is {shown(seed)}, but{rule}", value=seed)
    return seed


def check_callable(value: object, name: str, *, optional: bool = True) -> None:
    """Raise an error if a value is not callable."""
    if not (callable(value) or (optional and value is None)):
        raise bad_type(name, f" must be a function{' or None' if optional else ''}, not {shown(value)}")
