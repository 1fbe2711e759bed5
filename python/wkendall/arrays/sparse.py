"""Lists of a few out of many items: sparse arrays of scipy, of which only the stored entries are read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import RankingTypeError, bad_argument, bad_entry

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Types of numbers that the Rust crate reads without conversion.
_TYPES = ("int32", "int64", "float32", "float64")


class SparseRows(NamedTuple):
    """Sparse rows in the form of the Rust crate: the bounds of the rows, the columns and the stored numbers."""

    bounds: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]
    shape: tuple[int, int]


def is_sparse(values: object) -> bool:
    """Return whether this is a sparse array or matrix of scipy, without importing scipy."""
    scipy_sparse: Any = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and bool(scipy_sparse.issparse(values))


def sparse_rows(values: Any, name: str, *, positive: bool = False) -> SparseRows:
    """Return the rows of a sparse array of any format; all stored entries are kept, also zeros.

    With `positive`, stored numbers must be above 0. This option is for scores. Items without an entry look like zeros,
    so a stored score of 0 or less is probably a mistake.
    """
    if len(values.shape) != 2:
        values = values.reshape(1, -1)
    if values.format == "coo":
        _check_unique(values, name)
    if values.format in ("bsr", "dia"):
        _check_unfilled(values, name)
    rows = values if values.format == "csr" else values.tocsr()
    bounds, columns = rows.indptr, rows.indices
    if bounds.dtype != columns.dtype or bounds.dtype.name not in ("int32", "int64"):
        bounds, columns = bounds.astype(np.int64), columns.astype(np.int64)
    # If the arrays of a matrix were changed by hand, there may be entries after the last row.
    used = int(bounds[-1])
    if positive:
        _check_positive(bounds, columns, rows.data[:used], name)
    numbers = _numbers(rows.data, name)
    shape = (int(rows.shape[0]), int(rows.shape[1]))
    contiguous = np.ascontiguousarray
    return SparseRows(contiguous(bounds), contiguous(columns[:used]), contiguous(numbers[:used]), shape)


def _check_unfilled(values: Any, name: str) -> None:
    """Raise an error for zeros in a format that fills blocks or diagonals with zeros: some may be padding."""
    if values.format == "bsr":
        if values.blocksize == (1, 1):  # nothing to fill
            return
        inside = values.data
    else:
        places = np.arange(values.data.shape[1])
        rows = places - np.asarray(values.offsets)[:, np.newaxis]
        inside = values.data[(rows >= 0) & (rows < values.shape[0]) & (places < values.shape[1])]
    if (inside == 0).any():
        stored = "blocks" if values.format == "bsr" else "diagonals"
        why = (
            f" is sparse and has format {values.format}, whose {stored} hold zeros here: they may be entries or padding"
        )
        advice = f"; pass {name}.tocsr(), after its eliminate_zeros() if zeros are padding"
        raise bad_argument(name, why + advice, value=0.0, kind="sparse")


def _check_positive(bounds: NDArray[Any], columns: NDArray[Any], data: NDArray[Any], name: str) -> None:
    """Raise an error for stored scores of 0 or less: an item without an entry comes last, but looks like a 0."""
    if data.dtype.kind not in "iuf":
        return
    for place in np.flatnonzero(data <= 0)[:1]:
        row, column, value = int(np.searchsorted(bounds, place, "right")) - 1, int(columns[place]), data[place].item()
        rule = ": an item that is not stored is not listed and comes last, so that stored scores must be positive; "
        advice = 'add a constant to the stored scores, or pass ranks with input="ranks"'
        reason = f" stores the score {value}{rule}{advice}"
        raise bad_entry(name, (row, column), reason, value=value, kind="not positive")


def _numbers(data: NDArray[Any], name: str) -> NDArray[Any]:
    if data.dtype.name in _TYPES and data.dtype.isnative:
        return data
    if data.dtype.kind not in "iuf":
        rule = f" is sparse and has dtype {data.dtype}, but rankings are made of real numbers"
        raise RankingTypeError(name + rule, argument=name, kind="not a number")
    if data.dtype.kind == "u" and data.size and data.max() > np.iinfo(np.int64).max:
        # Flipping the highest bit maps unsigned to signed numbers in the same order.
        return (data ^ np.uint64(1 << 63)).astype(np.uint64).view(np.int64)
    return data.astype(np.float64 if data.dtype.kind == "f" else np.int64)


def _check_unique(values: Any, name: str) -> None:
    """Raise an error for duplicate entries, because scipy adds their numbers."""
    row, column = values.coords if hasattr(values, "coords") else (values.row, values.col)
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    for place in np.flatnonzero((row[1:] == row[:-1]) & (column[1:] == column[:-1]))[:1]:
        where, item = int(row[place]), int(column[place])
        raise bad_entry(name, (where, item), " is listed twice: an item has one place", kind="listed twice")


def sparse_array(rows: SparseRows) -> csr_array:
    """Return a sparse array of scipy."""
    from scipy.sparse import csr_array

    return csr_array((rows.values, rows.columns, rows.bounds), shape=rows.shape)
