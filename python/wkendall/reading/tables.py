"""From tables of observations to columns of numbers that the Rust crate takes, whatever the types of the columns.

Only the order of the values of a column matters. If a column must be converted to doubles and has integers that doubles
cannot represent, each integer is replaced by its rank among the distinct values.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import check_unmasked, wrong_axes
from wkendall._errors import Argument, Piece, RankingError, RankingTypeError, Row, Sentence, bad_argument
from wkendall._text import shown
from wkendall.reading.sparse import is_sparse

Kind = Literal["pandas", "polars"]
#: Doubles represent all integers up to this one exactly.
EXACT = 2**53
_MEANING = "a table with a row for each observation and a column for each variable"


class Table(NamedTuple):
    """A table, column by column."""

    #: One row for each column of the table, C-contiguous; NaN is missing.
    values: NDArray[Any]
    #: The labels of the columns; None if there are none.
    labels: Any = None
    #: The library of the table, if the result should keep the labels.
    kind: Kind | None = None


def read_table_columns(data: Any, name: str) -> Table:
    """Read a data frame, a series or an array; `name` is the name of the caller's argument."""
    if is_sparse(data):
        rule = " is sparse: it does not say whether entries that are not stored are 0 or missing; pass an array"
        raise bad_argument(name, rule, kind="sparse")
    library = type(data).__module__.partition(".")[0]
    if library == "pandas" and hasattr(data, "iloc"):
        return _from_pandas(data, name)
    if library == "polars" and hasattr(data, "to_numpy"):
        return _from_polars(data, name)
    return Table(_from_array(data, name))


def check_same_rows(x: Table, y: Table, data: Any, other: Any) -> None:
    """Refuse two tables that do not have the same observations."""
    first, second = x.values.shape[1], y.values.shape[1]
    if first != second:
        said = f" has {first} rows, but ", Argument("other"), f" has {second}: both must have the same observations"
        raise RankingError(Sentence(Argument("data"), *said), argument="other", value=second, kind="rows differ")
    if x.kind == y.kind == "pandas" and not data.index.equals(other.index):
        rule = " has another index than data: rows are matched by position, so both must have the same index"
        raise bad_argument("other", rule, kind="rows differ")


def _from_pandas(data: Any, name: str) -> Table:
    frame = data.to_frame() if data.ndim == 1 else data
    if data.ndim == 1 and data.name is None:
        frame.columns = [0]
    types = set(frame.dtypes)
    if len(types) == 1 and isinstance(kind := types.pop(), np.dtype) and kind.kind in "iufb":
        return Table(_of_one_type(frame.to_numpy(), name), frame.columns, "pandas")
    labels = list(frame.columns)
    columns = (_of_pandas_column(frame.iloc[:, number]) for number in range(len(labels)))
    return Table(_joined(columns, labels, len(frame), name), frame.columns, "pandas")


def _of_pandas_column(column: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the values of a column, and a mask of the missing ones."""
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy(), None
    # Extension types of pandas, which have their own missing values.
    missing = column.isna().to_numpy()
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        return column.to_numpy(dtype=np.uint8, na_value=0), missing
    if pd.api.types.is_unsigned_integer_dtype(column.dtype):
        return column.to_numpy(dtype=np.uint64, na_value=0), missing
    if pd.api.types.is_integer_dtype(column.dtype):
        return column.to_numpy(dtype=np.int64, na_value=0), missing
    if pd.api.types.is_float_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan), None
    return column.to_numpy(dtype=object), None


def _from_polars(data: Any, name: str) -> Table:
    frame = data if hasattr(data, "columns") else data.to_frame()
    labels = list(frame.columns)
    columns = (_of_polars_column(frame[label]) for label in labels)
    return Table(_joined(columns, labels, frame.height, name), labels, "polars")


def _of_polars_column(column: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    missing = column.is_null().to_numpy() if column.null_count() else None
    if missing is not None and column.dtype.is_integer():
        return column.fill_null(0).to_numpy(), missing
    if missing is not None and str(column.dtype) == "Boolean":
        return column.fill_null(False).to_numpy(), missing
    return column.to_numpy(), None


def _from_array(data: Any, name: str) -> NDArray[Any]:
    missing = None
    if isinstance(data, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(data)
        data = data.data
    else:
        check_unmasked(data, name)
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise _ragged(data, name) or bad_argument(
            name, f" cannot be converted to an array: {error}", kind="ragged"
        ) from None
    if array.ndim == 0 and array.dtype == object:
        raise TypeError(Sentence(Argument(name), f" is of type {type(data).__name__}, but must be {_MEANING}"))
    if array.ndim not in (1, 2):
        raise wrong_axes(array, name, f"{_MEANING}, or one column")
    array = array[:, np.newaxis] if array.ndim == 1 else array
    if missing is not None and missing.any():
        pairs = zip(array.T, missing.reshape(array.shape).T, strict=True)
        return _joined(pairs, None, len(array), name)
    if array.dtype.kind in "iufb" and array.dtype.itemsize <= 8:
        return _of_one_type(array, name)
    return _joined(((column, None) for column in array.T), None, len(array), name)


def _ragged(data: Any, name: str) -> RankingError | None:
    """Explain rows of different lengths, if these are the problem."""
    if not isinstance(data, list | tuple):
        return None
    lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in data]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            rule = f" has {lengths[0]}: every row must have a value for each column"
            pieces = (": ", Row(row), f" has {length} values, but ", Row(0), rule)
            return bad_argument(name, *pieces, row=row, value=length, kind="ragged")
    return None


def _of_one_type(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the columns of a numeric array; copy only if they are not contiguous."""
    kind = array.dtype.newbyteorder("=")
    if kind.kind == "b":
        kind = np.dtype(np.uint8)
    elif kind == np.float16:
        kind = np.dtype(np.float32)
    elif kind.kind == "f" and kind.itemsize > 8:
        return _joined(((column, None) for column in array.T), None, len(array), name)
    return np.require(array.T, kind, ["C", "A"])


def _joined(
    columns: Iterator[tuple[NDArray[Any], NDArray[np.bool_] | None]] | zip[Any],
    labels: list[Any] | None,
    rows: int,
    name: str,
) -> NDArray[np.float64]:
    """Convert columns of different types to doubles, keeping the order of their values."""
    made = []
    for number, (column, missing) in enumerate(columns):
        called = f"column {number}" if labels is None else f"column {shown(labels[number])}"
        made.append(_doubles(column, missing, number, called, name))
    return np.array(made, dtype=np.float64).reshape(len(made), rows)


def _doubles(
    column: NDArray[Any], missing: NDArray[np.bool_] | None, number: int, called: str, name: str
) -> NDArray[np.float64]:
    kind = column.dtype.kind
    if kind == "O":
        column, absent = _of_objects(column, number, called, name)
        missing = absent if missing is None else missing | absent
        kind = column.dtype.kind
    if kind not in "iufb":
        what = {"M": "dates", "m": "durations", "U": "texts", "S": "texts", "T": "texts", "c": "complex numbers"}
        said = f" holds {what.get(kind, str(column.dtype))}, but correlations need numbers"
        value = str(column.flat[0]) if column.size else None
        raise _no_numbers(name, number, called, said, *_remedy(kind), row=0 if column.size else None, value=value)
    if kind in "iu" and column.dtype.itemsize == 8 and column.size and _is_large(column, missing):
        known = column if missing is None else column[~missing]
        made = np.full(len(column), np.nan)
        made[slice(None) if missing is None else ~missing] = np.unique(known, return_inverse=True)[1].ravel()
        return made
    if kind == "f" and column.dtype.itemsize > 8:
        made = np.unique(column, return_inverse=True)[1].astype(np.float64)
        made[np.isnan(column)] = np.nan
    else:
        made = column.astype(np.float64)
    if missing is not None:
        made[missing] = np.nan
    return made


def _is_large(column: NDArray[Any], missing: NDArray[np.bool_] | None) -> bool:
    known = column if missing is None else column[~missing]
    return bool(known.size) and (int(known.max()) > EXACT or int(known.min()) < -EXACT)


def _of_objects(column: NDArray[Any], number: int, called: str, name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Convert Python numbers to an array and a mask of the missing ones; name the first object that is not a number."""
    missing = np.array([_is_missing(value) for value in column], dtype=bool)
    known = [value for value in column if not _is_missing(value)]
    for row, value in zip(np.flatnonzero(~missing), known, strict=True):
        if not isinstance(value, bool | np.bool_ | Real | Decimal):
            said = (f" holds {shown(value)} in ", Row(int(row)), ", but correlations need numbers", *_remedy("O"))
            raise _no_numbers(name, number, called, *said, row=int(row), value=value)
    made: NDArray[Any] = np.zeros(len(column))
    if all(isinstance(value, bool | np.bool_ | int | np.integer) for value in known):
        # Integers of any size are replaced by their ranks among the distinct values.
        places = {value: place for place, value in enumerate(sorted(set(map(int, known))))}
        made[~missing] = [places[int(value)] for value in known]
    else:
        made[~missing] = [float(value) for value in known]
    return made, missing


def _remedy(kind: str) -> tuple[Piece, ...]:
    if kind in "Mm":
        return ('; convert them to numbers first, as .astype("int64") does',)
    return ("; leave the column out or convert it to numbers first",)


def _no_numbers(name: str, column: int, called: str, *said: Piece, row: int | None, value: object) -> RankingTypeError:
    message = Sentence(Argument(name), f": {called}", *said)
    return RankingTypeError(message, argument=name, row=row, column=column, value=value, kind="not a number")


def _is_missing(value: object) -> bool:
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float | np.floating) and bool(value != value))
        or (isinstance(value, Decimal) and value.is_nan())
    )
