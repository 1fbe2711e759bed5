"""Convert tables of observations, with columns of any types, to columns of numbers that the Rust crate takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import TEXT, check_same_rows, wrong_axes
from wkendall._errors import RankingError, bad_argument, bad_entry, bad_type, shown
from wkendall._memory import check_fits
from wkendall.arrays.convert import check_collected, known_frame, library_of
from wkendall.arrays.sparse import is_sparse
from wkendall.reading.columns import EXACT, Place, in_order

_MEANING = "a table with a row for each observation and a column for each variable"
Kind = Literal["pandas", "modin", "polars", "pyarrow"]
#: Values of a column, and which of them are missing.
Column = tuple[NDArray[Any], NDArray[np.bool_] | None]


class Table(NamedTuple):
    """A table, column by column."""

    #: One row for each column of the table, C-contiguous; NaN is missing. Empty if the table is sparse.
    values: NDArray[Any]
    #: The labels of the columns; None if there are none.
    labels: Any = None
    #: The library of the table, if the result should keep the labels.
    kind: Kind | None = None
    #: The values that are not 0, if only these are known: where each column begins, their rows, and the values.
    sparse: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]] | None = None

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.values) if self.sparse is None else len(self.sparse[0]) - 1

    @property
    def observations(self) -> int:
        """The number of rows."""
        return int(self.values.shape[1])

    def to_dense(self) -> Table:
        """Return the table as a dense array."""
        if self.sparse is None:
            return self
        starts, rows, values = self.sparse
        check_fits(self.columns, self.observations, np.dtype(np.float64))
        made = np.zeros((self.columns, self.observations))
        made[np.repeat(np.arange(self.columns), np.diff(starts)), rows] = values
        return self._replace(values=made, sparse=None)

    def to_sparse(self) -> Table:
        """Return the table as a sparse array, without its zeros. The table must not have missing values."""
        if self.sparse is not None:
            return self
        columns, rows = np.nonzero(self.values)
        starts = np.searchsorted(columns, np.arange(len(self.values) + 1)).astype(np.int64)
        numbers = in_order_of_all(self.values[columns, rows])
        empty = np.empty((0, self.observations))
        return self._replace(values=empty, sparse=(starts, rows.astype(np.int64), numbers))


def read_table_columns(data: Any, name: str, *, sparse: bool = False) -> Table:
    """Read a data frame, a series or an array. `name` is the name of the caller's argument.

    With `sparse`, a sparse array stays sparse. The values that the array does not store are 0.
    """
    if type(data) is np.ndarray:
        return Table(_from_array(data, name))
    check_collected(data, name)
    if is_sparse(data):
        if not sparse:
            rule = " is sparse, so entries that it does not store could be 0 or missing: pass an array"
            raise bad_argument(name, rule, kind="sparse")
        return _from_sparse(data, name)
    modin, data = library_of(data) == "modin", known_frame(data)
    library = library_of(data)
    if sparse and library == "pandas" and _stores_few(data):
        return _from_sparse(data.sparse.to_coo(), name)._replace(labels=data.columns, kind="pandas")
    if library == "pandas" and hasattr(data, "iloc"):
        return _from_pandas(data, name)._replace(kind="modin" if modin else "pandas")
    if library == "polars" and hasattr(data, "to_numpy"):
        return _from_polars(data, name)
    if library == "pyarrow":
        return _from_arrow(data, name)
    if type(data).__name__ == "AnnData":
        raise bad_type(name, f" is an AnnData: pass {name}.X, or {name}.to_df() for the names of the variables")
    if library == "pandas" and getattr(data, "ordered", False) is True:  # ordered categories without a series
        return Table(_joined(iter([_of_codes(data.codes)]), _places(name, 1), len(data)))
    return Table(_from_array(data, name))


def _stores_few(frame: Any) -> bool:
    """Return whether all columns of a data frame are sparse, and the values that are not stored are 0."""
    kinds = set(frame.dtypes) if hasattr(frame, "dtypes") and getattr(frame, "ndim", 1) == 2 else set()
    return bool(kinds) and all(type(kind).__name__ == "SparseDtype" and kind.fill_value == 0 for kind in kinds)


def _from_sparse(data: Any, name: str) -> Table:
    if len(data.shape) != 2:
        raise wrong_axes(data, name, _MEANING)
    stored = data.tocsc(copy=True)  # adds up entries that are stored twice
    if stored.dtype.kind not in "iufb":
        raise bad_type(name, f" has values of type {stored.dtype}, but correlations need numbers")
    stored.sum_duplicates()
    missing = np.isnan(stored.data) if stored.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if missing.any():
        place = int(missing.argmax())
        column = int(np.searchsorted(stored.indptr, place, side="right")) - 1
        row = int(stored.indices[place])
        rule = " is NaN, but a sparse table cannot have missing values: pass an array"
        raise bad_entry(name, (row, column), rule, value=float("nan"), kind="sparse")
    parts = (stored.indptr.astype(np.int64), stored.indices.astype(np.int64), in_order_of_all(stored.data))
    return Table(np.empty((0, stored.shape[0])), sparse=parts)


def in_order_of_all(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as doubles.

    If doubles cannot hold some whole numbers exactly, all numbers are replaced by smaller numbers with the same order
    and the same signs.
    """
    if values.dtype.kind in "iu" and values.size and max(abs(int(values.min())), abs(int(values.max()))) > EXACT:
        distinct, place = np.unique(values, return_inverse=True)
        return (place - int(np.searchsorted(distinct, 0))).astype(np.float64) + (distinct[place] > 0)
    return values.astype(np.float64)


def check_same_observations(x: Table, y: Table, data: Any, other: Any) -> None:
    """Raise an error if two tables do not have the same observations."""
    first, second = x.observations, y.observations
    if first != second:
        message = f"data has {first} rows, but other has {second}: both must have the same observations"
        raise RankingError(message, argument="other", value=second, kind="rows differ")
    check_same_rows(data, other, ("data", "other"))


def _from_pandas(data: Any, name: str) -> Table:
    frame = data.to_frame() if data.ndim == 1 else data
    if data.ndim == 1 and data.name is None:
        frame.columns = [0]
    types = set(frame.dtypes)
    if len(types) == 1 and isinstance(kind := types.pop(), np.dtype) and kind.kind in "iufb":
        return Table(_of_one_type(frame.to_numpy(), name), frame.columns, "pandas")
    places = _places(name, list(frame.columns))
    columns = (_of_pandas_column(frame.iloc[:, place.number]) for place in places)
    return Table(_joined(columns, places, len(frame)), frame.columns, "pandas")


def _of_pandas_column(column: Any) -> Column:
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy(), None
    if getattr(column.dtype, "ordered", False):
        return _of_codes(column.cat.codes.to_numpy())
    # Extension types of pandas, which have their own missing values.
    missing = column.isna().to_numpy()
    import pandas as pd

    if hasattr(column.dtype, "tz"):
        return column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), None
    if isinstance(column.dtype, pd.PeriodDtype):
        return column.dt.to_timestamp().to_numpy(), None
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.to_numpy(dtype=np.uint8, na_value=False), missing
    if pd.api.types.is_unsigned_integer_dtype(column.dtype):
        return column.to_numpy(dtype=np.uint64, na_value=0), missing
    if pd.api.types.is_integer_dtype(column.dtype):
        return column.to_numpy(dtype=np.int64, na_value=0), missing
    if pd.api.types.is_float_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan), None
    return column.to_numpy(dtype=object), None


def _of_codes(codes: NDArray[Any]) -> Column:
    """Return the positions of the values in the sequence of the ordered categories. -1 means missing."""
    return codes, codes < 0


def _from_polars(data: Any, name: str) -> Table:
    frame = data if hasattr(data, "columns") else data.to_frame()
    labels = list(frame.columns)
    places = _places(name, labels)
    columns = (_of_polars_column(frame[label], place) for label, place in zip(labels, places, strict=True))
    return Table(_joined(columns, places, frame.height), labels, "polars")


def _of_polars_column(column: Any, place: Place) -> Column:
    if column.dtype.is_nested():
        raise place.no_numbers(f"values of type {column.dtype}")
    if column.dtype.is_temporal():
        column = column.to_physical()
    if column.dtype.is_decimal() or str(column.dtype) in ("Int128", "UInt128"):  # NumPy has no such types
        return _objects(column.to_list()), None
    if type(column.dtype).__name__ == "Enum":  # ordered categories
        column = column.to_physical()
    missing = column.is_null().to_numpy() if column.null_count() else None
    if missing is not None and column.dtype.is_integer():
        return column.fill_null(0).to_numpy(), missing
    if missing is not None and str(column.dtype) == "Boolean":
        return column.fill_null(False).to_numpy(), missing
    return column.to_numpy(), None


def _from_arrow(data: Any, name: str) -> Table:
    labels = getattr(data, "column_names", None)
    columns = [data] if labels is None else data.columns
    places = _places(name, 1 if labels is None else labels)
    parts = (_of_arrow_column(column) for column in columns)
    return Table(_joined(parts, places, len(data)), labels, None if labels is None else "pyarrow")


def _of_arrow_column(column: Any) -> Column:
    from pyarrow import int8, int32, int64, types

    if getattr(column.type, "ordered", False):  # categories
        column = column.unify_dictionaries().combine_chunks() if hasattr(column, "chunks") else column
        column = column.indices
    if types.is_temporal(column.type) and not types.is_interval(column.type):
        column = column.cast(int32() if column.type.bit_width == 32 else int64())
    if types.is_boolean(column.type):
        column = column.cast(int8())
    if types.is_integer(column.type):
        missing = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
        return column.fill_null(0).to_numpy(zero_copy_only=False), missing
    if types.is_floating(column.type):
        return column.to_numpy(zero_copy_only=False), None  # null is NaN
    return _objects(column.to_pylist()), None


def _objects(values: list[Any]) -> NDArray[Any]:
    """Return an array of one axis, whatever the values are."""
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def _from_array(data: Any, name: str) -> NDArray[Any]:
    missing = None
    if isinstance(data, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(data)
        data = data.data
    try:
        array = _of_lists(data) if isinstance(data, list | tuple) else np.asarray(data)
    except ValueError as error:
        raise _ragged(data, name) or bad_argument(
            name, f" cannot be converted to an array: {error}", kind="ragged"
        ) from None
    if array.ndim == 0 and array.dtype == object:
        raise bad_type(name, f" is of type {type(data).__name__}, but must be {_MEANING}")
    if array.ndim not in (1, 2):
        raise wrong_axes(array, name, f"{_MEANING}, or one column")
    array = array[:, np.newaxis] if array.ndim == 1 else array
    if array.dtype.kind in "iufb" and array.dtype.itemsize <= 8 and (missing is None or not missing.any()):
        return _of_one_type(array, name)
    places = _places(name, array.shape[1])
    if missing is not None:
        return _joined(zip(array.T, missing.reshape(array.shape).T, strict=True), places, len(array))
    return _joined(((column, None) for column in array.T), places, len(array))


def _of_lists(data: list[Any] | tuple[Any, ...]) -> NDArray[Any]:
    """Return lists as an array. No entry is changed: masked, made a text, or rounded."""
    given = [_unmasked(row) for row in data]
    array = np.asarray(given)
    rounded = array.dtype.kind == "f" and bool(((np.abs(array) >= EXACT) & np.isfinite(array)).any())
    return np.array(given, dtype=object) if rounded or array.dtype.kind in TEXT else array


def _unmasked(row: Any) -> Any:
    """Return a row of a list, with None instead of masked entries."""
    if isinstance(row, np.ma.MaskedArray):
        values = np.array(row.data, dtype=object)
        values[np.ma.getmaskarray(row)] = None
        return values.tolist()
    if isinstance(row, list | tuple) and any(issubclass(kind, np.ma.MaskedArray) for kind in set(map(type, row))):
        return [_unmasked(entry) for entry in row]
    return row


def _ragged(data: Any, name: str) -> RankingError | None:
    """If the rows have different lengths, explain this in an error."""
    if not isinstance(data, list | tuple):
        return None
    lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in data]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            rule = "every row must have a value for each column"
            reason = f" has {length} values, but row 0 has {lengths[0]}: {rule}"
            return bad_entry(name, (row,), reason, value=length, kind="ragged")
    return None


def _of_one_type(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the columns of a numeric array. Copy only columns that are not contiguous."""
    kind = array.dtype.newbyteorder("=")
    if kind.kind == "b":
        kind = np.dtype(np.uint8)
    elif kind == np.float16:
        kind = np.dtype(np.float32)
    elif kind.kind == "f" and kind.itemsize > 8:
        return _joined(((column, None) for column in array.T), _places(name, array.shape[1]), len(array))
    with np.errstate(invalid="ignore"):  # of NaN with some bits
        return np.require(array.T, kind, ["C", "A"])


def _joined(columns: Iterator[Column], places: list[Place], rows: int) -> NDArray[np.float64]:
    """Return columns of different types as doubles in the same order."""
    made = [in_order(column, missing, place) for (column, missing), place in zip(columns, places, strict=True)]
    return np.array(made, dtype=np.float64).reshape(len(made), rows)


def _places(name: str, labels: list[Any] | int) -> list[Place]:
    """Say which columns a table has."""
    called = range(labels) if isinstance(labels, int) else map(shown, labels)
    return [Place(name, number, f"column {label}") for number, label in enumerate(called)]
