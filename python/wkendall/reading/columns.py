"""Convert the values of a column, of any type, to doubles in the same order. Values that are not numbers are errors.

Only the order of the values matters. If doubles cannot hold the values exactly, the distinct values are sorted, and
each value is replaced by its position in this sequence.
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import TEXT
from wkendall._errors import Parts, RankingTypeError, made, shown

#: Doubles hold all whole numbers up to here.
EXACT = 2**53
_WHAT = {"c": ", a complex number", **dict.fromkeys(TEXT, ", a text")}
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


class Place(NamedTuple):
    """Where a column comes from: the argument, the number of the column, and the name of the column in messages."""

    argument: str
    number: int
    #: What messages call it.
    called: str

    def no_number(self, row: int, value: object, what: str = "") -> RankingTypeError:
        """Return an error about a value that cannot be compared with the other values."""
        return self._refused(f"{shown(value)} in row {row}{what}", row=row, value=value)

    def no_numbers(self, what: str) -> RankingTypeError:
        """Return an error about a whole column."""
        return self._refused(what)

    def _refused(self, what: str, row: int | None = None, value: object = None) -> RankingTypeError:
        remedy = "leave the column out or turn it into numbers first"
        reason = f": {self.called} holds {what}, but correlations need numbers, dates or ordered categories; {remedy}"
        known: dict[str, Any] = {"row": row, "column": self.number, "value": value, "kind": "not a number"}
        return made(RankingTypeError, Parts(reason, self.argument), argument=self.argument, **known)


def in_order(column: NDArray[Any], missing: NDArray[np.bool_] | None, place: Place) -> NDArray[np.float64]:
    """Return doubles in the order of the values of a column. Missing values become NaN."""
    kind = column.dtype.kind
    if not column.size:
        return np.empty(0)
    if kind == "O":
        return _of_objects(column, missing, place)
    if kind in "iub":
        return _of_whole(column, missing)
    if kind == "f" and column.dtype.itemsize > 8:
        made = np.unique(column, return_inverse=True)[1].astype(np.float64)
        made[np.isnan(column)] = np.nan
    elif kind == "f":
        with np.errstate(invalid="ignore"):  # of NaN with some bits
            made = column.astype(np.float64)
    elif kind in "Mm":
        absent = np.isnat(column) if missing is None else np.isnat(column) | missing
        return _of_whole(column.view(np.int64), absent)
    else:
        raise place.no_number(0, column[0].item(), _WHAT.get(kind, ""))
    if missing is not None:
        made[missing] = np.nan
    return made


def _of_whole(column: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    known = slice(None) if missing is None else ~missing
    made = np.full(len(column), np.nan)
    values = column[known]
    if values.size and column.dtype.itemsize == 8 and (int(values.max()) > EXACT or int(values.min()) < -EXACT):
        made[known] = np.unique(values, return_inverse=True)[1].ravel()
    else:
        made[known] = values
    return made


def _of_objects(column: NDArray[Any], missing: NDArray[np.bool_] | None, place: Place) -> NDArray[np.float64]:
    dates = _dates(column, missing)
    if dates is not None:
        return dates
    values: list[Any] = []
    for row, value in enumerate(column):
        try:
            values.append(None if missing is not None and missing[row] else _number(value))
        except TypeError:
            raise place.no_number(row, value, ", a text" if isinstance(value, str) else "") from None
    return numbers_in_order(values)


def _dates(column: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[np.float64] | None:
    """Return doubles in the order of dates, times or durations of one type, or None for other values."""
    values: list[Any] = [None if missing is not None and missing[row] else value for row, value in enumerate(column)]
    values = [None if type(value).__name__ in ("NaTType", "NAType") or value is np.nan else value for value in values]
    types = {type(value) for value in values if value is not None}
    if len(types) != 1 or not issubclass(types.pop(), _DATES):
        return None
    try:
        places = {
            value: number for number, value in enumerate(sorted({value for value in values if value is not None}))
        }
    except TypeError:  # with and without a time zone
        return None
    return np.array([np.nan if value is None else places[value] for value in values], dtype=np.float64)


def numbers_in_order(values: list[Any]) -> NDArray[np.float64]:
    """Return doubles in the order of Python numbers: whole numbers, floats, fractions, decimals. None means missing."""
    known = [value for value in values if value is not None]
    types = set(map(type, known))
    if types <= {int, float} and (types <= {float} or all(abs(value) <= EXACT for value in known)):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    with decimal.localcontext() as context:
        context.traps[decimal.FloatOperation] = False
        # Numbers of different types compare exactly, and equal ones have the same hash.
        places = {value: number for number, value in enumerate(sorted(set(known)))}
        return np.array([np.nan if value is None else places[value] for value in values], dtype=np.float64)


def doubles_apart(values: Sequence[float | Decimal]) -> list[float]:
    """Return the nearest doubles. If two distinct numbers would become equal, the larger number is moved up."""
    with decimal.localcontext() as context:
        context.traps[decimal.FloatOperation] = False
        distinct = sorted({value for value in values if value == value})
        places: dict[float | Decimal, float] = {}
        last = -math.inf
        for value in distinct:
            last = places[value] = max(float(value), math.nextafter(last, math.inf))
        last = math.inf
        for value in reversed(distinct):  # the largest doubles have no room above
            last = places[value] = min(places[value], math.nextafter(last, -math.inf))
        return [places[value] if value == value else math.nan for value in values]


def _number(value: Any) -> int | float | Fraction | Decimal | None:
    """Return a number that Python compares exactly with any other number, or None for a missing value.

    Raise a TypeError if the value is not a number.
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return None if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value) else _number(value[()])
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return int(value)
    if isinstance(value, np.longdouble) and np.isfinite(value):
        return Fraction(*value.as_integer_ratio())
    if isinstance(value, Decimal):
        return None if value.is_nan() else value
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if not isinstance(value, Real):
        raise TypeError
    number = float(value)
    return None if number != number else number
