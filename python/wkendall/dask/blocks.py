"""What all functions of `wkendall.dask` share: they split arrays into blocks, and compute a block."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import TEXT, as_threads, wrong_axes
from wkendall._errors import RankingError, bad_argument, bad_type, moved, shown
from wkendall._run import Run
from wkendall.arrays.convert import as_array, check_no_text, check_same_labels
from wkendall.arrays.options import Reading
from wkendall.arrays.sparse import is_sparse, sparse_array, sparse_rows
from wkendall.measures import Measure, TensorKernel
from wkendall.rankings import Rankings, items_differ
from wkendall.tensors import quadruple_weights, tensor_weights

try:
    import dask.array as da
    from dask.base import is_dask_collection
except ImportError:
    raise ImportError('wkendall.dask needs dask: pip install "wkendall[dask]"') from None

#: Blocks of results are at most this large unless `chunks` is given. They are large enough to outweigh dask's overhead
#: of about a millisecond per block, and small enough for a worker to hold several.
BLOCK_BYTES = _core.BLOCK_BYTES

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """The computation of each block."""

    function: Callable[[Call, NDArray[Any], NDArray[Any] | None], NDArray[Any]]
    measure: Measure
    reading: Reading
    run: Run
    #: The names of the arguments in errors.
    names: str

    @property
    def based(self) -> bool:
        """Whether all rows must count from the same number, 0 or 1, as complete ranks and orders must."""
        return self.reading.ties == self.reading.missing == "error" and self.reading.input != "scores"


def source(layer: dict[Any, Any], x: da.Array, call: Call) -> Callable[[int], tuple[Any, Any, Any]]:
    """Return a function of a chunk number, which gives the arguments of `block` for this chunk of the rows of `x`."""
    firsts = np.cumsum([0, *x.chunks[0]]).tolist()
    base = None
    if call.based and x.size and x.dtype != object:
        base = f"base-{x.name}"
        filled = next(i for i, size in enumerate(x.chunks[0]) if size)
        layer[base] = (np.min, (x.name, filled, 0))
    return lambda i: ((x.name, i, 0), firsts[i], base)


def block(
    call: Call,
    x: NDArray[Any],
    first_x: int,
    base_x: float | None,
    y: NDArray[Any] | None = None,
    first_y: int = 0,
    base_y: float | None = None,
) -> NDArray[Any]:
    """Compute a block of the result from chunks of rows.

    `first_x` is the row number of the first row of the chunk `x` in the whole array. `base_x` is the lowest rank in the
    first chunk of the whole array, usually 0 or 1. The lowest rank in every chunk must be this number. `base_x` is None
    if this is not checked. `first_y` and `base_y` are the corresponding numbers for `y`.
    """
    try:
        result = call.function(call, x, y)
    except RankingError as error:
        firsts = {"X": first_x, "Y": first_y}
        if error.argument not in firsts:
            raise
        raise moved(error, firsts[error.argument], call.names["XY".index(error.argument)]) from None
    check_base(x, first_x, base_x, call.names[0])
    if y is not None:
        check_base(y, first_y, base_y, call.names[1])
    return result


def check_base(x: NDArray[Any], first: int, base: float | None, name: str) -> None:
    """Raise an error if the rankings of a chunk count from 0 while other chunks count from 1, or vice versa."""
    if base is not None and x.size and base in (0, 1) and x.min() != base:
        low = int(x.min())
        rows = f": rows {first} to {first + len(x) - 1} count from {low}"
        rule = f", but row 0 from {int(base)}: all rows must count from 0 or all from 1"
        raise bad_argument(name, rows + rule, row=first, value=low, kind="mixed base")


def jobs(n_jobs: SupportsIndex | None) -> int:
    """Return the number of threads of a block; by default 1. -1 (all) stays -1, because machines of workers differ."""
    threads = as_threads(n_jobs)
    return 1 if n_jobs is None or threads is None else -1 if operator.index(n_jobs) == -1 else threads


def as_dask(values: da.Array | ArrayLike, name: str, reading: Reading) -> da.Array:
    """Check everything about an array of rankings that is known without computing it."""
    if isinstance(values, Rankings):
        raise TypeError(f"{name} is a Rankings, but must be an array: pass the array itself, and how to read it")
    if is_sparse(values):
        reading.check_takes_lists(name)
        rows = sparse_array(sparse_rows(values, name, positive=reading.positive))
        values = da.from_array(rows, chunks=-1, asarray=False, meta=rows[:0])
    if not isinstance(values, da.Array):
        if is_dask_collection(values):
            raise TypeError(
                f"{name} is a dask {type(values).__name__}, but must be a dask array of known size: for a data frame pass "
                f"{name}.to_dask_array(lengths=True)"
            )
        array = as_array(values, name, 2)
        check_no_text(array, name)
        values = da.from_array(array, chunks=-1)
    if values.ndim != 2:
        raise wrong_axes(values, name, "a 2-d array, one ranking per row")
    if any(np.isnan(size) for size in values.shape):
        raise bad_argument(
            name,
            f" has chunks of unknown size: call {name}.compute_chunk_sizes() first, or for a data frame "
            "to_dask_array(lengths=True)",
        )
    if values.size and values.dtype.kind not in "iufO":
        advice = ("names",) if values.dtype.kind in TEXT else ()
        raise bad_type(name, f" has dtype {values.dtype}, but rankings are made of real numbers", *advice)
    return values


def prepared(measure: Measure, items: int, pairs: int) -> Measure:
    """Do the work that all blocks need: make W symmetric, and find the factors of U for the whole array."""
    parts = measure.get_params(deep=False)
    if not isinstance(measure, TensorKernel):
        inner = {name: prepared(part, items, pairs) for name, part in parts.items() if isinstance(part, Measure)}
        return type(measure)(**{**parts, **inner})
    W, U, order = measure.W, measure.U, int(measure.order)
    if W is not None and measure.check:
        W = quadruple_weights(W, items, check=True, definite=False).values.reshape((items,) * 4)
    if U is not None and items:
        weights = tensor_weights(U, items, order, pairs)
        if weights.kind == "factors":
            U = tuple(weights.values.reshape(-1, order, items).transpose(1, 0, 2))
        else:
            # As a stack, even of one tensor, so that no block searches for factors again.
            U = weights.values.reshape(-1, *(items,) * order)
    return TensorKernel(U, W=W, order=order, normalize=measure.normalize, check=False)


def planned(call: Call, x: da.Array, y: da.Array | None) -> Call:
    """Return a call in which the common work of all blocks is done. Blocks are rounded like the whole matrix."""
    items, shape = x.shape[1], (x.shape[0], (x if y is None else y).shape[0])
    measure, run = prepared(call.measure, items, shape[0] * shape[1]), call.run
    if run.backend is None and call.reading.ties == call.reading.missing == "error":
        backend = _core.planned(measure._measure(items), *shape, run.result_type == np.float32)
        run = run._replace(backend=None if "+" in backend else backend.partition("-")[0])
    return replace(call, measure=measure, run=run)


def layer_of(name: str, call: Call, x: da.Array, y: da.Array | None, symmetric: bool = False) -> dict[Any, Any]:
    """Return the tasks of all pairs of chunks.

    The tasks contain only the key of the call. So the weights in the call are sent to a worker only once.
    """
    layer: dict[Any, Any] = {f"call-{name}": call}
    left = source(layer, x, call)
    right = left if y is None else source(layer, y, call)
    for i in range(len(x.chunks[0])):
        for j in range(len((x if y is None else y).chunks[0])):
            if y is None and symmetric and j < i:
                layer[name, i, j] = (np.transpose, (name, j, i))
            else:
                other = () if y is None and j == i else right(j)
                layer[name, i, j] = (block, f"call-{name}", *left(i), *other)
    return layer


def both(X: da.Array | ArrayLike, Y: da.Array | ArrayLike | None, reading: Reading) -> tuple[da.Array, da.Array | None]:
    """Check two arrays of rankings. Different items are an error."""
    x, y = as_dask(X, "X", reading), None if Y is None else as_dask(Y, "Y", reading)
    if y is not None and y.shape[1] != x.shape[1]:
        raise items_differ(x.shape[1], y.shape[1])
    if y is not None and reading.input != "orders":
        check_same_labels(X, Y, "columns", ("X", "Y"))
    return x, y


def fitting(own: Sizes, most: int) -> Sizes:
    """Return the sizes `own` of chunks. If one is above `most`, return equal sizes; only the last may differ."""
    largest, total = max(own), sum(own)
    if largest <= most:
        return own
    size = ceil(largest / ceil(largest / max(most, 1)))
    return (size,) * (total // size) + ((total % size,) if total % size else ())


def normal(chunks: Any, shape: tuple[int, int], dtype: np.dtype[Any], whole_rows: bool = False) -> tuple[Sizes, Sizes]:
    """Return the sizes of all chunks, from any form of `chunks` that dask accepts."""
    # A string other than "auto" contains its own limit.
    limit = None if isinstance(chunks, str) and chunks != "auto" else BLOCK_BYTES
    try:
        wanted = (chunks, -1) if whole_rows else chunks
        rows, columns = da.core.normalize_chunks(wanted, shape, limit=limit, dtype=dtype)
    except (ArithmeticError, TypeError, ValueError):
        rows = columns = ()
    if isinstance(chunks, bool) or not rows or min(*rows, *columns) < 0:
        raise bad_argument(
            "chunks",
            f" is {shown(chunks)}, but must be the number of rows of a block, such as 1000, or any other form that dask "
            f"accepts for an array of shape {shape}",
        )
    return rows, columns
