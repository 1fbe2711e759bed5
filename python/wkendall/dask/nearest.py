"""Nearest neighbours."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, SupportsIndex

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, hstack

from wkendall import _core
from wkendall._errors import bad_argument
from wkendall.dask.blocks import Call, as_dask, block, jobs, prepared, source
from wkendall.kernels import gram
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.nearest import TEN, Metric, Neighbors, as_wanted, neighbors_of, specification, within_of
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Distance, Kernel, Specification
from wkendall.reading.arrays import check_same_labels
from wkendall.reading.rankings import Input, Missing, Reading, Ties, Top, items_differ


def neighbors(
    X: da.Array | ArrayLike,
    Y: da.Array | ArrayLike | None = None,
    *,
    n_neighbors: SupportsIndex = TEN,
    radius: float | None = None,
    metric: Metric = "kernel",
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
    n_jobs: SupportsIndex | None = None,
    backend: str | None = None,
) -> Neighbors | da.Array:
    """Find the most similar rankings of Y, or of the rest of X if there is no Y, for each ranking of X, as dask arrays.

    The results are those of `wkendall.neighbors`. Each chunk of `X` is compared with the chunks of `Y` one after
    another, and only the best neighbours so far are kept: memory grows with the chunks and with `n_neighbors`. Values
    can differ by rounding in the same cases as those of `wkendall.dask.gram_matrix`.

    Parameters are checked immediately, rankings when the blocks are computed. Errors name the row of the whole array.
    The workers of a cluster need wkendall installed.

    Parameters
    ----------
    X : dask array or array-like of shape (m, n)
        Rankings, one per row. Chunks along the columns are merged. With `missing="bottom"` also a sparse array of
        scipy, or a dask array of sparse arrays.
    Y : dask array or array-like of shape (m', n), optional
        Rankings to search. Without it the other rankings of `X` are searched.
    n_neighbors, radius, metric, weight, k, u, U, W, order, check, signed, normalize, input, top, ties, missing, backend
        As for `wkendall.neighbors`.
    n_jobs : int, optional
        Number of threads for each block. The default is 1, because dask computes as many blocks at once as a worker has
        threads.

    Returns
    -------
    Neighbors
        A named tuple of `values` and `indices`, dask arrays of shape (m, n_neighbors).
    dask array of shape (m, m')
        With `radius`: blocks of rows are sparse arrays of scipy, with the values of all neighbours.

    Examples
    --------
    >>> import dask.array as da
    >>> import wkendall.dask
    >>> X = da.from_array([[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]], chunks=(3, 4))
    >>> found = wkendall.dask.neighbors(X, n_neighbors=1, metric="distance")
    >>> found.indices.compute()
    array([[1],
           [0],
           [3],
           [2]])
    """
    reading = Reading(input, top, ties, missing)
    kernel = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    what = specification(metric, kernel)
    x, y = as_dask(X, "X", reading), None if Y is None else as_dask(Y, "Y", reading)
    if y is not None:
        if y.shape[1] != x.shape[1]:
            raise items_differ(x.shape[1], y.shape[1])
        if input != "orders":
            check_same_labels(X, Y, "columns", ("X", "Y"))
    call = _call(what, x, y, reading, Run(n_jobs=jobs(n_jobs), backend=backend), n_neighbors, radius)
    x = x.rechunk((x.chunks[0], -1))
    y = None if y is None else y.rechunk((y.chunks[0], -1))
    return _close(call, x, y) if radius is not None else _best(call, x, y)


@dataclass(frozen=True)
class _Search(Call):
    """The search in each block."""

    #: The number of neighbours, or the radius.
    wanted: int | float = 0


def _call(
    what: Specification,
    x: da.Array,
    y: da.Array | None,
    reading: Reading,
    run: Run,
    n_neighbors: SupportsIndex,
    radius: float | None,
) -> _Search:
    """Check all parameters, and make the call for the blocks."""
    items, shape = x.shape[1], (x.shape[0], (x if y is None else y).shape[0])
    nothing = np.empty((0, items))
    gram.matrix(what, nothing, None, reading, run)  # for its checks of parameters
    wanted = as_wanted(n_neighbors, radius)
    if isinstance(wanted, int):
        _check_count(wanted, shape[1] - (y is None), y is None)
    else:
        within_of(reading.rankings(nothing, "X"), None, what, wanted, run)
    if isinstance(what, Kernel):
        what = prepared(what, items, shape[0] * shape[1])
    complete = reading.ties == reading.missing == "error"
    if run.backend is None and complete:
        run = run._replace(backend=_core.planned(what.measure(items), *shape).partition("-")[0])
    based = complete and reading.input != "scores"
    return _Search(_search_block, what, reading, run, "XX" if y is None else "XY", based, wanted)


def _check_count(count: int, rankings: int, others: bool) -> None:
    rankings = max(rankings, 0)
    if count > rankings:
        kind = "other rankings" if others else "rankings"
        rule = f"it must be from 1 to {rankings}" if rankings else "none can be found"
        raise bad_argument("n_neighbors", f" is {count}, but there are {rankings} {kind}: {rule}", value=count)


def _search_block(call: Call, x: NDArray[Any], y: NDArray[Any] | None) -> Any:
    """Search one chunk."""
    assert isinstance(call, _Search)
    rows, columns = call.reading.both(x, y, call.run.threads)
    if isinstance(call.wanted, float):
        return within_of(rows, columns, call.kernel, call.wanted, call.run)
    count = min(call.wanted, rows.rows - 1 if columns is None else columns.rows)
    if count < 1 or not rows.rows:
        shape = (rows.rows, 0 if rows.rows else call.wanted)
        return Neighbors(np.empty(shape), np.empty(shape, dtype=np.int64))
    return neighbors_of(rows, columns, call.kernel, count, call.run)


def _found(call: _Search, x: da.Array, y: da.Array | None) -> tuple[str, dict[Any, Any], Callable[[int, int], Any]]:
    """Return a name, a layer with the result of each pair of chunks, and a function that gives the key of each result."""
    name = tokenize(call, x.name, None if y is None else y.name)
    layer: dict[Any, Any] = {f"wkendall-call-{name}": call}
    left = source(layer, x, call)
    right = left if y is None else source(layer, y, call)
    for i in range(len(x.chunks[0])):
        for j in range(len((x if y is None else y).chunks[0])):
            other = () if y is None and i == j else right(j)
            layer[f"wkendall-found-{name}", i, j] = (block, f"wkendall-call-{name}", *left(i), *other)
    return name, layer, lambda i, j: (f"wkendall-found-{name}", i, j)


def _best(call: _Search, x: da.Array, y: da.Array | None) -> Neighbors:
    """Keep the best neighbours so far, one chunk after another."""
    name, layer, found = _found(call, x, y)
    firsts = np.cumsum([0, *(x if y is None else y).chunks[0]]).tolist()
    sign = 1 if isinstance(call.kernel, Distance) else -1
    for i in range(len(x.chunks[0])):
        best: Any = None
        for j in range(len(firsts) - 1):
            layer[f"wkendall-best-{name}", i, j] = (_better, best, found(i, j), firsts[j], call.wanted, sign)
            best = (f"wkendall-best-{name}", i, j)
        for part, of_what in enumerate(Neighbors._fields):
            layer[f"wkendall-{of_what}-{name}", i, 0] = (operator.itemgetter(part), best)
    chunks, both = (x.chunks[0], (int(call.wanted),)), [x] if y is None else [x, y]
    arrays = []
    for of_what, kind in zip(Neighbors._fields, (np.float64, np.int64), strict=True):
        key = f"wkendall-{of_what}-{name}"
        # Both arrays share all tasks; dask merges them by their names.
        graph = HighLevelGraph.from_collections(key, layer, dependencies=both)
        arrays.append(da.Array(graph, key, chunks, dtype=kind))
    return Neighbors(*arrays)


def _better(best: Neighbors | None, found: Neighbors, first: int, count: int, sign: int) -> Neighbors:
    """Merge the neighbours found in a chunk, whose rows begin at `first`, with the best so far."""
    values, indices = found.values, found.indices + first
    if best is not None:
        values, indices = np.hstack([best.values, values]), np.hstack([best.indices, indices])
    # A stable sort keeps equal values in the order of their indices.
    order = np.argsort(sign * values, axis=1, kind="stable")[:, :count]
    return Neighbors(np.take_along_axis(values, order, axis=1), np.take_along_axis(indices, order, axis=1))


def _close(call: _Search, x: da.Array, y: da.Array | None) -> da.Array:
    """Combine the results of all chunks."""
    name, layer, found = _found(call, x, y)
    columns = (x if y is None else y).chunks[0]
    key = f"wkendall-close-{name}"
    for i in range(len(x.chunks[0])):
        layer[key, i, 0] = (_side_by_side, [found(i, j) for j in range(len(columns))])
    graph = HighLevelGraph.from_collections(key, layer, dependencies=[x] if y is None else [x, y])
    return da.Array(graph, key, (x.chunks[0], (sum(columns),)), meta=csr_array((0, 0), dtype=np.float64))


def _side_by_side(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else hstack(found, format="csr")
