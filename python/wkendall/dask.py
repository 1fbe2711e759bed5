"""Gram matrices and features as dask arrays: block by block, on a machine or a cluster (`pip install "wkendall[dask]"`).

Nothing is computed until dask is asked for it. A block is one call of the function of the same name on one or two chunks of
rankings, on one thread, since dask runs as many blocks at once as it has threads.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isqrt
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._arguments import TEXT, as_result_type, as_threads, wrong_axes
from wkendall._errors import NAMES, RankingError, bad_argument, bad_type, moved
from wkendall._text import shown
from wkendall.kernels import embedding, gram
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Kernel
from wkendall.kernels.tensors import quadruple_weights, tensor_weights
from wkendall.reading.arrays import as_array, check_no_text, check_same_labels
from wkendall.reading.rankings import Input, Missing, Reading, Ties, Top, items_differ
from wkendall.reading.sparse import is_sparse, sparse_array, sparse_rows

try:
    import dask.array as da
    from dask.base import is_dask_collection, tokenize
    from dask.highlevelgraph import HighLevelGraph
except ImportError:
    raise ImportError('wkendall.dask needs dask: pip install "wkendall[dask]"') from None

__all__ = ["features", "gram_matrix"]

#: Blocks of results are no larger than this unless `chunks` says so: large enough for the work to outweigh dask's own, which is
#: about a millisecond for each block, and small enough for a worker to hold several.
BLOCK_BYTES = _core.BLOCK_BYTES

Sizes = tuple[int, ...]


def gram_matrix(
    X: da.Array | ArrayLike,
    Y: da.Array | ArrayLike | None = None,
    chunks: Any = None,
    *,
    weight: str = STANDARD,
    k: SupportsIndex | None = None,
    u: str | ArrayLike | None = None,
    U: ArrayLike | tuple[object, ...] | None = None,
    W: ArrayLike | None = None,
    order: SupportsIndex = 2,
    check: bool = True,
    signed: bool = False,
    normalize: bool = False,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    dtype: DTypeLike = np.float64,
    n_jobs: SupportsIndex | None = None,
    backend: str | None = None,
) -> da.Array:
    """Kernel between all pairs of rankings, as a dask array.

    The values are those of `wkendall.gram_matrix`, with the same bits whatever the blocks. Sums of weights can differ by rounding
    in three cases: at least half of the rankings repeat others, some have ties or missing items, or `dtype` is float32 and blocks
    have fewer than 240 rows or columns. Without `Y`, only the blocks on and above the diagonal are computed; the others are
    their transposes.

    Parameters are checked now, rankings when the blocks are computed; errors name the row of the whole array. Workers of a
    cluster need wkendall installed.

    Parameters
    ----------
    X : dask array or array-like of shape (m, n)
        Rankings, one a row. Chunks along the columns are put together. With `missing="bottom"` a sparse array of scipy too, or
        a dask array of such.
    Y : dask array or array-like of shape (m', n), optional
        Rankings to compare with; those of `X` if absent.
    chunks : int, pair, or what else dask takes for the chunks of an array of shape (m, m'), optional
        The sizes of the blocks: 1000 for blocks of 1000 x 1000, (5000, 1000), "auto", "16 MiB". By default the chunks of rows of
        `X` and `Y`, or if these make blocks of more than 64 MiB, smaller ones. Without `Y` the same for rows and columns.
    weight, k, u, U, W, order, check, signed, normalize, input, top, ties, missing, dtype, backend
        As for `wkendall.gram_matrix`.
    n_jobs : int, optional
        Threads for each block: 1 if absent, because dask computes as many blocks at once as a worker has threads.

    Returns
    -------
    dask array of shape (m, m')

    Examples
    --------
    >>> import dask.array as da
    >>> import wkendall.dask
    >>> X = da.from_array([[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]], chunks=(2, 4))
    >>> K = wkendall.dask.gram_matrix(X)
    >>> K.chunks
    ((2, 1), (2, 1))
    >>> K.compute()
    array([[6., 5., 0.],
           [5., 6., 1.],
           [0., 1., 6.]])
    """
    reading = Reading(input, top, ties, missing)
    x, y = _as_dask(X, "X", reading), None if Y is None else _as_dask(Y, "Y", reading)
    items = x.shape[1]
    if y is not None:
        if y.shape[1] != items:
            raise items_differ(items, y.shape[1])
        if input != "orders":
            check_same_labels(X, Y, "columns", ("X", "Y"))
    kernel = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    run = Run(dtype, n_jobs=_jobs(n_jobs), backend=backend)
    gram.matrix(kernel, np.empty((0, items)), None, reading, run)  # for its checks of parameters
    result_type, complete = as_result_type(dtype), ties == missing == "error"
    sizes = _block_sizes(chunks, x, y, result_type)
    shape = (x.shape[0], (x if y is None else y).shape[0])
    kernel = _prepared(kernel, items, shape[0] * shape[1])
    measure = kernel.measure(items)
    if backend is None and complete:
        planned = _core.planned(measure, *shape, result_type == np.float32)
        run = run._replace(backend=planned.partition("-")[0])
    names, based = "XX" if y is None else "XY", complete and input != "scores"
    call = _Call(_gram_block, kernel, reading, run, names, based)
    x = x.rechunk((sizes[0], -1))
    return _gram(call, x, None if y is None else y.rechunk((sizes[1], -1)), sizes, result_type, measure.symmetric)


def features(
    X: da.Array | ArrayLike,
    chunks: Any = None,
    *,
    weight: str = "standard",
    k: SupportsIndex | None = None,
    u: str | ArrayLike | None = None,
    signed: bool = False,
    normalize: bool = False,
    input: Input = "ranks",
    top: Top = "low",
    dtype: DTypeLike = np.float64,
    n_jobs: SupportsIndex | None = None,
) -> da.Array:
    """Explicit features whose inner products are the kernel of order 2, as a dask array.

    The values of `wkendall.features`, for linear models that are trained block by block.

    Parameters
    ----------
    X : dask array or array-like of shape (m, n)
        Rankings, one a row. Chunks along the columns are put together.
    chunks : int, tuple of sizes that add up to m, or "auto", optional
        How many rows a block has; all its columns are together. By default the chunks of rows of `X`, or if these make blocks
        of more than 64 MiB, smaller ones.
    weight, k, u, signed, normalize, input, top, dtype
        As for `wkendall.features`.
    n_jobs : int, optional
        Threads for each block: 1 if absent.

    Returns
    -------
    dask array of shape (m, columns)

    Examples
    --------
    >>> import dask.array as da
    >>> import wkendall.dask
    >>> X = da.from_array([[1, 2, 3], [3, 2, 1]], chunks=(1, 3))
    >>> wkendall.dask.features(X, signed=True).compute()
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """
    kernel, reading = Kernel(weight, k, u, signed=signed, normalize=normalize), Reading(input, top)
    x = _as_dask(X, "X", reading._replace(advises=False))
    run = Run(dtype, n_jobs=_jobs(n_jobs))
    columns = embedding.feature_matrix(kernel, np.empty((0, x.shape[1])), reading, run).shape[1]
    result_type = as_result_type(dtype)
    if chunks is None:
        rows = _fitting(x.chunks[0], BLOCK_BYTES // result_type.itemsize // max(columns, 1))
    else:
        rows, _ = _normal(chunks, (x.shape[0], columns), result_type, whole_rows=True)
    x = x.rechunk((rows, -1))
    call = _Call(_feature_block, kernel, reading, run, "X", input != "scores")
    name = f"wkendall-features-{tokenize(call, x.name)}"
    layer: dict[Any, Any] = {f"call-{name}": call}
    source = _source(layer, x, call)
    for i in range(len(rows)):
        layer[name, i, 0] = (_block, f"call-{name}", *source(i))
    graph = HighLevelGraph.from_collections(name, layer, dependencies=[x])
    return da.Array(graph, name, (rows, (columns,)), dtype=result_type)


@dataclass(frozen=True)
class _Call:
    """What to compute for each block."""

    function: Callable[[_Call, NDArray[Any], NDArray[Any] | None], NDArray[Any]]
    kernel: Kernel
    reading: Reading
    run: Run
    #: What the arguments are called in errors.
    names: str
    #: Whether the ranks, or items, of all rows have to count from the same number.
    based: bool


def _gram_block(call: _Call, x: NDArray[Any], y: NDArray[Any] | None) -> NDArray[Any]:
    return gram.matrix(call.kernel, x, y, call.reading, call.run)


def _feature_block(call: _Call, x: NDArray[Any], _: NDArray[Any] | None) -> NDArray[Any]:
    return embedding.feature_matrix(call.kernel, x, call.reading, call.run)


def _gram(
    call: _Call,
    x: da.Array,
    y: da.Array | None,
    sizes: tuple[Sizes, Sizes],
    dtype: np.dtype[Any],
    symmetric: bool,
) -> da.Array:
    """Make the array of all blocks; the key of the call stands for it in each, so that its weights are sent once."""
    name = f"wkendall-gram-{tokenize(call, x.name, None if y is None else y.name)}"
    layer: dict[Any, Any] = {f"call-{name}": call}
    left = _source(layer, x, call)
    right = left if y is None else _source(layer, y, call)
    for i in range(len(sizes[0])):
        for j in range(len(sizes[1])):
            if y is None and symmetric and j < i:
                layer[name, i, j] = (np.transpose, (name, j, i))
            elif y is None and j == i:
                layer[name, i, j] = (_block, f"call-{name}", *left(i))
            else:
                layer[name, i, j] = (_block, f"call-{name}", *left(i), *right(j))
    graph = HighLevelGraph.from_collections(name, layer, dependencies=[x] if y is None else [x, y])
    return da.Array(graph, name, sizes, dtype=dtype)


def _source(layer: dict[Any, Any], x: da.Array, call: _Call) -> Callable[[int], tuple[Any, Any, Any]]:
    """Return what gives, for a chunk of rows, the arguments of `_block` about it."""
    firsts = np.cumsum([0, *x.chunks[0]]).tolist()
    base = None
    if call.based and x.size and x.dtype != object:
        base = f"base-{x.name}"
        filled = next(i for i, size in enumerate(x.chunks[0]) if size)
        layer[base] = (np.min, (x.name, filled, 0))
    return lambda i: ((x.name, i, 0), firsts[i], base)


def _block(
    call: _Call,
    x: NDArray[Any],
    first_x: int,
    base_x: float | None,
    y: NDArray[Any] | None = None,
    first_y: int = 0,
    base_y: float | None = None,
) -> NDArray[Any]:
    """Compute a block from chunks of rows; the lowest numbers of the whole arrays' first chunks go with them."""
    try:
        result = call.function(call, x, y)
    except RankingError as error:
        firsts = {"X": first_x, "Y": first_y}
        if error.argument not in firsts:
            raise
        raise moved(error, firsts[error.argument], call.names["XY".index(error.argument)]) from None
    _check_base(x, first_x, base_x, call.names[0])
    if y is not None:
        _check_base(y, first_y, base_y, call.names[1])
    return result


def _check_base(x: NDArray[Any], first: int, base: float | None, name: str) -> None:
    """Refuse a chunk of checked rankings that count from 0 while others count from 1, or the other way round."""
    if base is not None and x.size and base in (0, 1) and x.min() != base:
        low = int(x.min())
        rows = f": rows {first} to {first + len(x) - 1} count from {low}"
        rule = f", but row 0 from {int(base)}: all rows must count from 0 or all from 1"
        raise bad_argument(name, rows, rule, row=first, value=low, kind="mixed base")


def _jobs(n_jobs: SupportsIndex | None) -> int:
    """Return how many threads a block takes: one, or what is asked for; -1 is for the worker to read."""
    threads = as_threads(n_jobs)
    return 1 if n_jobs is None or threads is None else -1 if operator.index(n_jobs) == -1 else threads


def _as_dask(values: da.Array | ArrayLike, name: str, reading: Reading) -> da.Array:
    """Check all about an array of rankings that is known without computing it."""
    if is_sparse(values):
        reading.check_takes_lists(name)
        rows = sparse_array(sparse_rows(values, name))
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
        raise wrong_axes(values, name, "a 2-d array, one ranking a row")
    if any(np.isnan(size) for size in values.shape):
        raise ValueError(
            f"{name} has chunks of unknown size: call {name}.compute_chunk_sizes() first, or for a data frame "
            "to_dask_array(lengths=True)"
        )
    if values.size and values.dtype.kind not in "iufO":
        advice = (NAMES,) if values.dtype.kind in TEXT else ()
        raise bad_type(name, f" has dtype {values.dtype}, but rankings are made of real numbers", *advice)
    return values


def _prepared(kernel: Kernel, items: int, pairs: int) -> Kernel:
    """Do once what would be done for each block: make W even, and find the factors of U that suit the whole array."""
    if kernel.W is not None and kernel.check:
        even = quadruple_weights(kernel.W, items, check=True, definite=False).values
        kernel = kernel._replace(W=even.reshape((items,) * 4))
    kernel = kernel._replace(check=False)
    if kernel.U is None or not items:
        return kernel
    order = int(kernel.order)
    weights = tensor_weights(kernel.U, items, order, pairs)
    if weights.kind == "factors":
        terms = weights.values.reshape(-1, order, items)
        return kernel._replace(U=tuple(terms.transpose(1, 0, 2)))
    # A stack, even if of one: its factors are not looked for again.
    return kernel._replace(U=weights.values.reshape(-1, *(items,) * order))


def _block_sizes(chunks: Any, x: da.Array, y: da.Array | None, dtype: np.dtype[Any]) -> tuple[Sizes, Sizes]:
    """Return the numbers of rows and of columns of the blocks of a Gram matrix."""
    if chunks is not None:
        rows, columns = _normal(chunks, (x.shape[0], (x if y is None else y).shape[0]), dtype)
        if y is None and rows != columns:
            raise ValueError(
                f"chunks is {shown(chunks)}, but without Y rows and columns must be cut in the same places"
            )
        return rows, columns
    most = BLOCK_BYTES // dtype.itemsize
    if y is None:
        rows = _fitting(x.chunks[0], isqrt(most))
        return rows, rows
    columns = _fitting(y.chunks[0], most // min(max(*x.chunks[0], 1), isqrt(most)))
    return _fitting(x.chunks[0], most // max(*columns, 1)), columns


def _fitting(own: Sizes, most: int) -> Sizes:
    """Return sizes of chunks as they are, or if one is too large sizes that are all the same, as zarr wants it, but the last."""
    largest, total = max(own), sum(own)
    if largest <= most:
        return own
    size = ceil(largest / ceil(largest / max(most, 1)))
    return (size,) * (total // size) + ((total % size,) if total % size else ())


def _normal(chunks: Any, shape: tuple[int, int], dtype: np.dtype[Any], whole_rows: bool = False) -> tuple[Sizes, Sizes]:
    """Return sizes of chunks in full."""
    # A string other than "auto" sets a limit of its own.
    limit = None if isinstance(chunks, str) and chunks != "auto" else BLOCK_BYTES
    try:
        wanted = (chunks, -1) if whole_rows else chunks
        rows, columns = da.core.normalize_chunks(wanted, shape, limit=limit, dtype=dtype)
    except (ArithmeticError, TypeError, ValueError):
        rows = columns = ()
    if isinstance(chunks, bool) or not rows or min(*rows, *columns) < 0:
        raise ValueError(
            f"chunks is {shown(chunks)}, but must be how many rows a block has, as in 1000, or another way that dask knows to "
            f"cut an array of shape {shape}"
        )
    return rows, columns
