"""A cache of kernel values. All `KendallGram` objects of a process that have a `cache_size` share this cache.

In cross-validation, the training parts of the folds overlap: nearly every pair of rankings is in many of these parts.
So the cache stores the kernel values of pairs, not whole matrices. Each ranking gets a number when the cache receives
it for the first time. The cache has a table of values for each kernel. The numbers of two rankings are the row and the
column of their value in the table. To make a matrix, the cache takes its values from the table. Values that are not in
the table yet are computed in a few blocks.

A grid search passes the same arrays to `KendallGram` again for each kernel and for each parameter of the final
estimator. So the cache also stores, for each array, the numbers of the rankings in its rows.

The cache never takes more memory than the `cache_size` of the object that uses it at the moment. A full cache first
removes the stored numbers of arrays. If this is not enough, it removes the tables that were not used for the longest
time, and then everything.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from numbers import Real
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._errors import bad_argument, bad_type, shown
from wkendall._run import Run
from wkendall.arrays.options import Reading
from wkendall.estimators.known_rows import ROW_BYTES, Known, Numbers, Rows
from wkendall.gram import gram_of
from wkendall.measures import Kendall, Kernel, TensorKernel
from wkendall.rankings import Rankings, read_rankings

#: More than the memory of any machine.
MAX_MEBIBYTES = 2.0**40
#: The missing values of a request are computed in at most this many blocks of rows and columns.
MAX_BLOCKS = 8
#: The maximum number of plans that are stored.
MAX_PLANS = 4096
#: Kernels whose values for complete rankings are counts or functions of counts: every strategy computes them exactly.
COUNTS = ("standard", "top", "average")
#: The types of parameters for which equal values mean the same.
PLAIN = (str, int, float, bool, type(None))

#: The parameters of a kernel, with their types.
Key = tuple[Any, ...]


def as_bytes(cache_size: object) -> int | None:
    """Convert the size of a cache from mebibytes to bytes; None for no cache."""
    if cache_size is None:
        return None
    rule = "a number of mebibytes, or None for no cache"
    if not isinstance(cache_size, Real) or isinstance(cache_size, bool | np.bool_):
        raise bad_type("cache_size", f" must be {rule}, not {shown(cache_size)}")
    try:
        size = float(cache_size)
    except OverflowError:
        size = MAX_MEBIBYTES
    if not 0 < size < MAX_MEBIBYTES:
        raise bad_argument(
            "cache_size", f" is {shown(cache_size)}, but must be {rule}, above 0 and below 2**40", value=cache_size
        )
    return int(size * 2**20)


class Table:
    """Values of one kernel, indexed by the numbers of two rankings. NaN marks a value that is not computed yet."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        """Make an empty table."""
        self.values = np.empty((0, 0), dtype=dtype)

    def bytes_for(self, size: int) -> int:
        """Return the number of bytes of the table for `size` rankings."""
        return self._capacity(size) ** 2 * self.values.itemsize

    def _capacity(self, size: int) -> int:
        return len(self.values) if size <= len(self.values) else size + size // 4

    def collect(self, rows: Numbers, columns: Numbers) -> NDArray[Any]:
        """Return the stored values, and NaN for values that are not stored yet."""
        known = len(self.values)
        if max(rows.max(initial=-1), columns.max(initial=-1)) < known:
            return self._part(rows, columns)
        found = np.full((len(rows), len(columns)), np.nan, dtype=self.values.dtype)
        old_rows, old_columns = np.flatnonzero(rows < known), np.flatnonzero(columns < known)
        found[np.ix_(old_rows, old_columns)] = self.values[np.ix_(rows[old_rows], columns[old_columns])]
        return found

    def _part(self, rows: Numbers, columns: Numbers) -> NDArray[Any]:
        """Return the values of some rows and columns. For many values, this is three times as fast as `np.ix_`."""
        if len(self.values) > 4 * max(len(rows), len(columns)):
            return self.values[np.ix_(rows, columns)]
        if len(rows) <= len(columns):
            return self.values.take(rows, axis=0).take(columns, axis=1)
        return self.values.take(columns, axis=1).take(rows, axis=0)

    def store(self, rows: Numbers, columns: Numbers, values: NDArray[Any], symmetric: bool) -> None:
        """Store the values of some rows and columns."""
        size = 1 + max(rows.max(initial=-1), columns.max(initial=-1))
        if size > len(self.values):
            grown = np.full((self._capacity(size),) * 2, np.nan, dtype=self.values.dtype)
            grown[: len(self.values), : len(self.values)] = self.values
            self.values = grown
        self.values[np.ix_(rows, columns)] = values
        if symmetric:
            self.values[np.ix_(columns, rows)] = values.T


class Cache:
    """The rankings that were read before, and the tables of kernel values. Their total size is limited."""

    def __init__(self) -> None:
        """Make an empty cache."""
        self.lock = Lock()
        self.clear()

    def clear(self) -> None:
        """Remove everything."""
        self.rows: dict[tuple[Any, ...], Rows] = {}
        #: The rows of arrays, by kind and the hashes of all rows.
        self.arrays: dict[tuple[Any, ...], Known] = {}
        self.array_bytes = 0
        self.tables: OrderedDict[tuple[Any, ...], Table] = OrderedDict()
        self.row_bytes = 0
        #: The strategy for given, checked parameters and the shape of a matrix.
        self.plans: dict[tuple[Any, ...], str | None] = {}

    @property
    def used(self) -> int:
        """The number of bytes that the cache takes."""
        return self.row_bytes + self.array_bytes + sum(table.values.nbytes for table in self.tables.values())

    def forget(self) -> None:
        """Remove everything, also while other threads use the cache."""
        with self.lock:
            self.clear()

    def known(self, data: Any, name: str, reading: Reading, threads: int | None, most: int) -> Known | Rankings:
        """Return the rankings of an array with their numbers, or without numbers if the cache has no room for them."""
        is_array = isinstance(data, np.ndarray) and not isinstance(data, np.ma.MaskedArray)
        if not is_array or data.ndim != 2 or data.dtype.kind not in "iuf" or not data.size:
            return read_rankings(data, name, reading, threads)
        reading.check()
        hashes = _hashes(data)
        key = (reading, data.shape[1], data.dtype.str)
        found = self._find(key, hashes, most)
        if found is not None:
            return found
        read = read_rankings(data, name, reading, threads)
        complete = read.kind == "complete"
        firsts: list[int | None] = [0 if complete else None] * len(read)
        if complete and reading.input != "scores":
            # A single missing item makes no tie, so that the ranking is complete.
            firsts = [None if np.isnan(lowest) else int(lowest) for lowest in data.min(axis=1)]
        if _hashes(data) != hashes:
            return read  # another thread writes to the array
        return self._added(key, hashes, read, firsts, most)

    def numbered(self, read: Rankings, most: int) -> Known | Rankings:
        """Return a `Rankings` with the numbers of its rankings, as `known` does for arrays. Lists get no numbers."""
        if read.kind == "lists":
            return read
        data = read._places if read._listed is None else np.column_stack([read._places, read._listed])
        hashes, key = _hashes(data), (read._missing, read.n_items, data.shape[1], data.dtype.str)
        found = self._find(key, hashes, most)
        firsts: list[int | None] = [0 if read.kind == "complete" else None] * len(read)
        return self._added(key, hashes, read, firsts, most) if found is None else found

    def _find(self, key: tuple[Any, ...], hashes: bytes, most: int) -> Known | None:
        """Return the rankings with these hashes and their numbers if the cache has all of them, otherwise None."""
        found = self.arrays.get((key, hashes))
        if found is None:
            with self.lock:
                rows = self.rows.get(key)
                found = None if rows is None else rows.find(hashes)
                if found is not None:
                    self._remember((key, hashes), found, most)
        return found

    def _added(
        self, key: tuple[Any, ...], hashes: bytes, read: Rankings, firsts: list[int | None], most: int
    ) -> Known | Rankings:
        """Give numbers to rankings that the cache has not seen before, if there is room for them."""
        with self.lock:
            per_row = read._places[0].nbytes + ROW_BYTES
            rows = self.rows.get(key) or Rows(read._missing)
            if not self._make_room(per_row * rows.count_new(hashes), most):
                self.clear()
                if per_row * len(read) > most:
                    return read
            rows = self.rows.setdefault(key, Rows(read._missing))
            self.row_bytes += per_row * rows.count_new(hashes)
            return rows.add(hashes, read, firsts)

    def _remember(self, array: tuple[Any, ...], rows: Known, most: int) -> None:
        needed = rows.bytes_of_numbers
        self._forget_arrays(needed, most)
        if array not in self.arrays and self.used + needed <= most:
            self.arrays[array] = rows
            self.array_bytes += needed

    def matrix(self, x: Known, y: Known | None, kernel: Kernel, run: Run, most: int) -> NDArray[Any]:
        """Return the Gram matrix of `x`, or the matrix between `x` and `y`, as `gram_of` does."""
        columns = x if y is None else y
        run.check()
        if columns.table is not x.table or x.repeats or columns.repeats:
            self.check(kernel, x.n_items)
            return gram_of(x.rankings(run.threads), None if y is None else y.rankings(run.threads), kernel, run)
        complete = x.is_complete and columns.is_complete
        key = _key(kernel)
        run = self._planned(kernel, key, x.n_items, (len(x), len(columns)), complete, run)
        options = repr((type(kernel).__name__, kernel._options())) if key is None else key
        name = (id(x.table), options, run.result_type.str, complete, run.backend)
        with self.lock:
            table = self.tables.get(name) or Table(run.result_type)
            if name in self.tables:
                self.tables.move_to_end(name)
            found = table.collect(x.numbers, columns.numbers)
        missing = np.isnan(found)
        if missing.any():
            symmetric = kernel._measure(x.n_items).symmetric
            _fill(found, missing, (x, columns), y is None and symmetric, kernel, run)
            with self.lock:
                self._keep(name, x.table, (x.numbers, columns.numbers), found, symmetric, most)
        return found

    def check(self, kernel: Kernel, items: int) -> None:
        """Raise an error if the parameters are not valid for `items` items."""
        self._planned(kernel, _key(kernel), items, (1, 1), False, Run())

    def _planned(
        self, kernel: Kernel, of_kernel: Key | None, items: int, shape: tuple[int, int], complete: bool, run: Run
    ) -> Run:
        """Check the parameters, and choose one strategy (a way to compute) for the whole matrix.

        All values must come from the same strategy, because another strategy would round them differently.
        """
        single = run.result_type == np.float32
        key = None if of_kernel is None else (of_kernel, items, shape, complete, single)
        plans = self.plans
        if key is not None and key in plans:
            return run._replace(backend=plans[key])
        measure = kernel._measure(items, shape[0] * shape[1])
        if single:
            measure.check_single()
        planned = complete and _is_planned(kernel)
        backend = _core.planned(measure, *shape, single).partition("-")[0] if planned else None
        if len(plans) >= MAX_PLANS:
            self.plans = {}
        elif key is not None:
            plans[key] = backend
        return run._replace(backend=backend)

    def _keep(
        self,
        name: tuple[Any, ...],
        rows: Rows,
        numbers: tuple[Numbers, Numbers],
        values: NDArray[Any],
        symmetric: bool,
        most: int,
    ) -> None:
        if not any(known is rows for known in self.rows.values()):
            return  # removed in the meantime
        table = self.tables.pop(name, None) or Table(values.dtype)
        size = 1 + int(max(part.max(initial=-1) for part in numbers))
        if self._make_room(table.bytes_for(size), most):
            table.store(*numbers, values, symmetric)
            self.tables[name] = table

    def _forget_arrays(self, needed: int, most: int) -> None:
        if self.used + needed > most:
            self.arrays, self.array_bytes = {}, 0

    def _make_room(self, needed: int, most: int) -> bool:
        """Remove numbers of arrays, then tables, until `needed` bytes fit within `most`. Return whether they fit."""
        self._forget_arrays(needed, most)
        while self.tables and self.used + needed > most:
            self.tables.popitem(last=False)
        return self.used + needed <= most


def _hashes(data: NDArray[Any]) -> bytes:
    return _core.row_hashes(np.ascontiguousarray(data).view(np.uint8))


def _key(kernel: Kernel) -> Key | None:
    """Return the parameters of a kernel with their types, or None if one of them is neither a text nor a number.

    Two kernels with equal texts and numbers as parameters are the same kernel. This need not be true for arrays.
    """
    parts: list[Any] = [type(kernel)]
    for value in vars(kernel).values():
        part = _key(value) if isinstance(value, Kernel) else value
        if part is None and value is not None:
            return None
        if not isinstance(value, Kernel) and type(value) not in PLAIN:
            return None
        parts += [type(value), part]
    return tuple(parts)


def _is_planned(kernel: Kernel) -> bool:
    """Return whether strategies round differently and one can be chosen.

    For kernels that count pairs, no strategy rounds. For sums and products of kernels, no strategy can be chosen.
    """
    if isinstance(kernel, Kendall):
        return kernel.order != 2 or str(kernel.weight) not in COUNTS
    return isinstance(kernel, TensorKernel)


def _fill(
    values: NDArray[Any],
    missing: NDArray[np.bool_],
    sides: tuple[Known, Known],
    symmetric: bool,
    kernel: Kernel,
    run: Run,
) -> None:
    """Compute the missing values, in a few blocks."""
    x, y = sides

    def compute(rows: Numbers, columns: Numbers | None) -> None:
        if rows.size == 0 or (columns is not None and columns.size == 0):
            return
        place = np.ix_(rows, rows if columns is None else columns)
        of_columns = None if columns is None else y.select(columns, run.threads)
        values[place] = gram_of(x.select(rows, run.threads), of_columns, kernel, run)
        missing[place] = False
        if symmetric and columns is not None:
            values[np.ix_(columns, rows)] = values[place].T
            missing[np.ix_(columns, rows)] = False

    for _ in range(MAX_BLOCKS):
        fullest = int(missing.sum(axis=1).argmax())
        columns = np.flatnonzero(missing[fullest])
        if not columns.size:
            return
        _block(np.flatnonzero(missing[:, columns].all(axis=1)), columns, symmetric, compute)
    _block(np.flatnonzero(missing.any(axis=1)), np.flatnonzero(missing.any(axis=0)), symmetric, compute)


def _block(
    rows: Numbers, columns: Numbers, symmetric: bool, compute: Callable[[Numbers, Numbers | None], None]
) -> None:
    if not symmetric:
        compute(rows, columns)
        return
    both = np.intersect1d(rows, columns)
    compute(both, None)
    compute(np.setdiff1d(rows, both), both)
    compute(rows, np.setdiff1d(columns, both))


CACHE = Cache()


def _after_fork() -> None:
    # Another thread of the parent process may have held the lock.
    global CACHE
    CACHE = Cache()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
