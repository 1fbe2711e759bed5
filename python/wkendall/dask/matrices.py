"""Gram matrices and features."""

from __future__ import annotations

from math import isqrt
from typing import Any, SupportsIndex

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall._arguments import as_result_type
from wkendall._errors import bad_argument, shown
from wkendall._run import Run
from wkendall.arrays.options import Input, Missing, Reading, Ties, Top
from wkendall.dask import blocks
from wkendall.embedding import features_of
from wkendall.gram import as_kernel, gram_of
from wkendall.measures import Kernel, Measure
from wkendall.rankings import read_both, read_rankings


def gram_matrix(
    X: da.Array | ArrayLike,
    Y: da.Array | ArrayLike | None = None,
    kernel: Kernel | None = None,
    *,
    chunks: Any = None,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    dtype: DTypeLike = np.float64,
    n_jobs: SupportsIndex | None = None,
    backend: str | None = None,
) -> da.Array:
    """Return the kernel values of all pairs of rankings, as a dask array.

    The values are bitwise identical to the values of `wkendall.gram_matrix`, for blocks of any sizes, with one
    exception. If the kernel has weights, such as position weights, values can differ by rounding in three cases:

    - At least half of the rankings are repetitions.
    - Some rankings have ties or missing items.
    - `dtype` is float32, and blocks have fewer than 240 rows or columns.

    Without `Y`, only the blocks on and above the diagonal are computed. The blocks below the diagonal are transposes of
    the blocks above it.

    Parameters are checked immediately. Rankings are checked when the blocks are computed. The row numbers in error
    messages count the rows of the whole array, not the rows of a chunk. On a cluster of machines, wkendall must be
    installed on all workers.

    Parameters
    ----------
    X : dask array or array-like of shape (m, n)
        Rankings, one per row. If the columns are split into chunks, the chunks of each row are merged. With
        `missing="bottom"`, X can also be a sparse array of scipy, or a dask array of sparse arrays.
    Y : dask array or array-like of shape (m', n), optional
        The rankings that `X` is compared with. Without `Y`, `X` is compared with itself.
    chunks : int, pair, or any other form that dask accepts for an array of shape (m, m'), optional
        The sizes of the blocks. For example, 1000 means blocks of 1000 x 1000; (5000, 1000), "auto" and "16 MiB" are
        also possible. By default, the rows of the result are split like the rows of `X`, and its columns like the rows
        of `Y`. If a block would take more than 64 MiB, the blocks are smaller. Without `Y`, the columns are split like
        the rows.
    kernel, dtype, backend
        As for `wkendall.gram_matrix`.
    input, top, ties, missing
        What the numbers in `X` and `Y` mean, as for `wkendall.Rankings`.
    n_jobs : int, optional
        The number of threads for each block. The default is 1, because dask computes as many blocks at once as a worker
        has threads.

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
    reading, run = Reading(input, top, ties, missing), Run(dtype, n_jobs=blocks.jobs(n_jobs), backend=backend)
    chosen: Measure = as_kernel(kernel, "gram_matrix")
    x, y = blocks.both(X, Y, reading)
    run.check()
    gram_of(read_rankings(np.empty((0, x.shape[1])), "X", reading), None, chosen, run)  # checks the parameters
    sizes = _block_sizes(chunks, x, y, run.result_type)
    call = blocks.planned(blocks.Call(_gram_block, chosen, reading, run, "XX" if y is None else "XY"), x, y)
    x, y = x.rechunk((sizes[0], -1)), None if y is None else y.rechunk((sizes[1], -1))
    name = f"wkendall-gram-{tokenize(call, x.name, None if y is None else y.name)}"
    layer = blocks.layer_of(name, call, x, y, call.measure._measure(x.shape[1]).symmetric)
    graph = HighLevelGraph.from_collections(name, layer, dependencies=[x] if y is None else [x, y])
    return da.Array(graph, name, sizes, dtype=run.result_type)


def features(
    X: da.Array | ArrayLike,
    kernel: Kernel | None = None,
    *,
    chunks: Any = None,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    dtype: DTypeLike = np.float64,
    n_jobs: SupportsIndex | None = None,
) -> da.Array:
    """Return a feature vector for each ranking, as a dask array. Inner products of the vectors are kernel values.

    The vectors are the same as the vectors of `wkendall.features`. Use them for linear models that are trained block by
    block.

    Parameters
    ----------
    kernel
        As for `wkendall.features`.
    chunks : int, tuple of sizes that add up to m, or "auto", optional
        The number of rows of each block. Each block has all columns. By default, the rows of the result are split like
        the rows of `X`. If a block would take more than 64 MiB, the blocks are smaller.
    X, input, top, ties, missing, dtype, n_jobs
        As for `wkendall.dask.gram_matrix`.

    Returns
    -------
    dask array of shape (m, columns)

    Examples
    --------
    >>> import dask.array as da
    >>> import wkendall.dask
    >>> X = da.from_array([[1, 2, 3], [3, 2, 1]], chunks=(1, 3))
    >>> wkendall.dask.features(X, wkendall.Kendall(signed=True)).compute()
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """
    chosen, reading = as_kernel(kernel, "features"), Reading(input, top, ties, missing)
    x = blocks.as_dask(X, "X", reading)
    run = Run(dtype, n_jobs=blocks.jobs(n_jobs)).check()
    columns = features_of(read_rankings(np.empty((0, x.shape[1])), "X", reading), chosen, run).shape[1]
    result_type = as_result_type(dtype)
    if chunks is None:
        rows = blocks.fitting(x.chunks[0], blocks.BLOCK_BYTES // result_type.itemsize // max(columns, 1))
    else:
        rows, _ = blocks.normal(chunks, (x.shape[0], columns), result_type, whole_rows=True)
    x = x.rechunk((rows, -1))
    call = blocks.Call(_feature_block, chosen, reading, run, "X")
    name = f"wkendall-features-{tokenize(call, x.name)}"
    layer: dict[Any, Any] = {f"call-{name}": call}
    of_chunk = blocks.source(layer, x, call)
    for i in range(len(rows)):
        layer[name, i, 0] = (blocks.block, f"call-{name}", *of_chunk(i))
    graph = HighLevelGraph.from_collections(name, layer, dependencies=[x])
    return da.Array(graph, name, (rows, (columns,)), dtype=result_type)


def _gram_block(call: blocks.Call, x: NDArray[Any], y: NDArray[Any] | None) -> NDArray[Any]:
    return gram_of(*read_both(x, y, call.reading, call.run.threads), call.measure, call.run)


def _feature_block(call: blocks.Call, x: NDArray[Any], _: NDArray[Any] | None) -> NDArray[Any]:
    assert isinstance(call.measure, Kernel)
    return features_of(read_rankings(x, "X", call.reading, call.run.threads), call.measure, call.run)


def _block_sizes(
    chunks: Any, x: da.Array, y: da.Array | None, dtype: np.dtype[Any]
) -> tuple[blocks.Sizes, blocks.Sizes]:
    """Return the numbers of rows and of columns of the blocks of a Gram matrix."""
    if chunks is not None:
        rows, columns = blocks.normal(chunks, (x.shape[0], (x if y is None else y).shape[0]), dtype)
        if y is None and rows != columns:
            raise bad_argument(
                "chunks", f" is {shown(chunks)}, but without Y the rows and the columns must have the same chunks"
            )
        return rows, columns
    most = blocks.BLOCK_BYTES // dtype.itemsize
    if y is None:
        rows = blocks.fitting(x.chunks[0], isqrt(most))
        return rows, rows
    columns = blocks.fitting(y.chunks[0], most // min(max(*x.chunks[0], 1), isqrt(most)))
    return blocks.fitting(x.chunks[0], most // max(*columns, 1)), columns
