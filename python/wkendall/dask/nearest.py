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

from wkendall._arguments import as_order
from wkendall._errors import bad_argument
from wkendall._run import Run
from wkendall.arrays.options import Input, Missing, Reading, Ties, Top
from wkendall.dask.blocks import Call, both, jobs, layer_of, planned
from wkendall.gram import as_measure
from wkendall.measures import KendallDistance, Measure
from wkendall.nearest import Neighbors, as_radius, neighbors_of, within_of
from wkendall.rankings import read_both, read_rankings


def neighbors(
    X: da.Array | ArrayLike,
    Y: da.Array | ArrayLike | None = None,
    *,
    n_neighbors: SupportsIndex = 10,
    measure: Measure | None = None,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    n_jobs: SupportsIndex | None = None,
    backend: str | None = None,
) -> Neighbors:
    """For each ranking of X, find the nearest rankings of Y. The results are dask arrays.

    Without `Y`, each ranking is compared with the other rankings of `X`. The results are the same as the results of
    `wkendall.neighbors`, up to rounding. The values can differ by rounding only in the three cases that the docstring
    of `wkendall.dask.gram_matrix` lists.

    Each chunk of `X` is compared with the chunks of `Y` one after another. After each chunk, only the best neighbours
    so far are kept. So the memory of a task depends only on the sizes of the chunks and on `n_neighbors`.

    Parameters
    ----------
    X, Y, input, top, ties, missing, n_jobs, backend
        As for `wkendall.dask.gram_matrix`.
    n_neighbors, measure
        As for `wkendall.neighbors`.

    Returns
    -------
    Neighbors
        A named tuple with the dask arrays `values` and `indices`, both of shape (m, n_neighbors).

    Examples
    --------
    >>> import dask.array as da
    >>> import wkendall.dask
    >>> X = da.from_array([[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]], chunks=(3, 4))
    >>> found = wkendall.dask.neighbors(X, n_neighbors=1)
    >>> found.indices.compute()
    array([[1],
           [0],
           [3],
           [2]])
    """
    reading, run = Reading(input, top, ties, missing), Run(n_jobs=jobs(n_jobs), backend=backend)
    return _best(*_search(X, Y, measure, reading, run, as_order(n_neighbors, "n_neighbors")))


def neighbors_within(
    X: da.Array | ArrayLike,
    Y: da.Array | ArrayLike | None = None,
    *,
    radius: float,
    measure: Measure | None = None,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    n_jobs: SupportsIndex | None = None,
    backend: str | None = None,
) -> da.Array:
    """For each ranking of X, find all rankings of Y within a radius.

    The result is a dask array whose blocks of rows are sparse arrays of scipy. It has an entry for each ranking that is
    found. The values are the same as the values of `wkendall.neighbors_within`. The parameters are as for
    `wkendall.dask.neighbors`, with `radius` instead of `n_neighbors`.

    Returns
    -------
    dask array of shape (m, m')

    Examples
    --------
    >>> import dask.array as da
    >>> import wkendall.dask
    >>> X = da.from_array([[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]], chunks=(3, 4))
    >>> wkendall.dask.neighbors_within(X, radius=1).compute().indices
    array([1, 0, 3, 2], dtype=int32)
    """
    reading, run = Reading(input, top, ties, missing), Run(n_jobs=jobs(n_jobs), backend=backend)
    return _close(*_search(X, Y, measure, reading, run, as_radius(radius)))


@dataclass(frozen=True)
class _Search(Call):
    """The search in each block."""

    #: The number of neighbours, or the radius.
    wanted: int | float = 0


def _search(
    X: da.Array | ArrayLike,
    Y: da.Array | ArrayLike | None,
    measure: Measure | None,
    reading: Reading,
    run: Run,
    wanted: int | float,
) -> tuple[_Search, da.Array, da.Array | None]:
    """Check everything that can be checked without computing an array, and make the call for the blocks."""
    chosen = as_measure(measure, KendallDistance())
    x, y = both(X, Y, reading)
    run.check()
    nothing = read_rankings(np.empty((0, x.shape[1])), "X", reading)
    within_of(nothing, None, chosen, 0.0 if isinstance(wanted, int) else wanted, run)  # checks the parameters
    rankings = max(x.shape[0] - 1, 0) if y is None else y.shape[0]
    if isinstance(wanted, int) and wanted > rankings:
        kind = "other rankings" if y is None else "rankings"
        rule = f"it must be from 1 to {rankings}" if rankings else "none can be found"
        raise bad_argument("n_neighbors", f" is {wanted}, but there are {rankings} {kind}: {rule}", value=wanted)
    call = planned(_Search(_search_block, chosen, reading, run, "XX" if y is None else "XY", wanted), x, y)
    assert isinstance(call, _Search)
    rows = x.rechunk((x.chunks[0], -1))
    return call, rows, None if y is None else y.rechunk((y.chunks[0], -1))


def _search_block(call: Call, x: NDArray[Any], y: NDArray[Any] | None) -> Any:
    assert isinstance(call, _Search)
    rows, columns = read_both(x, y, call.reading, call.run.threads)
    if isinstance(call.wanted, float):
        return within_of(rows, columns, call.measure, call.wanted, call.run)
    count = min(call.wanted, len(rows) - 1 if columns is None else len(columns))
    if count < 1 or not len(rows):
        shape = (len(rows), 0 if len(rows) else call.wanted)
        return Neighbors(np.empty(shape), np.empty(shape, dtype=np.int64))
    return neighbors_of(rows, columns, call.measure, count, call.run)


def _found(call: _Search, x: da.Array, y: da.Array | None) -> tuple[str, dict[Any, Any], Callable[[int, int], Any]]:
    """Return a name, a layer of tasks (one for each pair of chunks), and a function that gives the key of each task."""
    name = tokenize(call, x.name, None if y is None else y.name)
    of_pair = f"wkendall-found-{name}"
    return name, layer_of(of_pair, call, x, y), lambda i, j: (of_pair, i, j)


def _best(call: _Search, x: da.Array, y: da.Array | None) -> Neighbors:
    """Keep the best neighbours so far, one chunk after another."""
    name, layer, found = _found(call, x, y)
    firsts = np.cumsum([0, *(x if y is None else y).chunks[0]]).tolist()
    sign = 1 if call.measure.is_distance else -1
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
    """Merge the best neighbours so far with the neighbours in a new chunk, which begins at row `first` of the array."""
    values, indices = found.values, found.indices + first
    if best is not None:
        values, indices = np.hstack([best.values, values]), np.hstack([best.indices, indices])
    # A stable sort keeps equal values in the order of their indices.
    order = np.argsort(sign * values, axis=1, kind="stable")[:, :count]
    return Neighbors(np.take_along_axis(values, order, axis=1), np.take_along_axis(indices, order, axis=1))


def _close(call: _Search, x: da.Array, y: da.Array | None) -> da.Array:
    name, layer, found = _found(call, x, y)
    columns = (x if y is None else y).chunks[0]
    key = f"wkendall-close-{name}"
    for i in range(len(x.chunks[0])):
        layer[key, i, 0] = (_side_by_side, [found(i, j) for j in range(len(columns))])
    graph = HighLevelGraph.from_collections(key, layer, dependencies=[x] if y is None else [x, y])
    return da.Array(graph, key, (x.chunks[0], (sum(columns),)), meta=csr_array((0, 0), dtype=np.float64))


def _side_by_side(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else hstack(found, format="csr")
