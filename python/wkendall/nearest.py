"""Nearest neighbours: the most similar rankings for each ranking, without the matrix of all pairs."""

from __future__ import annotations

from copy import deepcopy
from numbers import Real
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import as_order, check_choice
from wkendall._errors import bad_argument, bad_type
from wkendall._matrix import diagonal_of
from wkendall._memory import check_fits
from wkendall._progress import progress_bar
from wkendall._run import Run
from wkendall._text import shown
from wkendall.arrays.options import Reading
from wkendall.gram import as_measure, feature_distances
from wkendall.measures import Kendall, KendallDistance, Mallows, Measure
from wkendall.rankings import Rankings, read_both, read_rankings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Mode = Literal["distance", "connectivity"]
MODES = ("distance", "connectivity")
#: Fewer lists than this are compared one by one.
WORTH_AN_INDEX = 1000
ADVICE = "ask for fewer neighbours, or for those of some rankings at a time with Y="


class Neighbors(NamedTuple):
    """What `neighbors` returns: the nearest rankings of each ranking, the nearest first.

    Attributes
    ----------
    values : ndarray of shape (m, n_neighbors)
        Values of the measure.
    indices : ndarray of shape (m, n_neighbors)
        Row numbers of the neighbours.

    Examples
    --------
    >>> import wkendall
    >>> found = wkendall.neighbors([[1, 2, 3], [2, 1, 3], [3, 2, 1]], n_neighbors=1)
    >>> isinstance(found, wkendall.Neighbors), found._fields
    (True, ('values', 'indices'))
    """

    values: NDArray[np.float64]
    indices: NDArray[np.int64]


def neighbors(
    X: ArrayLike | Rankings,
    Y: ArrayLike | Rankings | None = None,
    *,
    n_neighbors: SupportsIndex = 10,
    measure: Measure | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> Neighbors:
    """Find, for each ranking of X, the nearest rankings of Y, or of the rest of X if there is no Y.

    The result is bitwise identical to sorting the rows of `similarity_matrix`, but the matrix is never built. Memory
    grows with the number of neighbours.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings, one per row.
    Y : Rankings or array-like of shape (m', n), optional
        Rankings to search. Without `Y` the other rankings of `X` are searched: a ranking is not its own neighbour.
    n_neighbors : int
        The number of neighbours of each ranking.
    measure : Measure, optional
        How rankings are compared: by a distance (smallest first), or by a kernel or another similarity (largest first).
        The default is `KendallDistance()`.
    n_jobs, progress
        As for `gram_matrix`. The result is bitwise identical for any number of threads.

    Returns
    -------
    Neighbors
        A named tuple of `values` and `indices`, arrays of shape (m, n_neighbors). The best neighbour comes first. Among
        equal values the smaller index comes first. `np.array(Y.labels)[indices]` are the labels of a `Rankings`.

    See Also
    --------
    neighbors_within : all rankings within a radius.
    neighbors_graph : neighbours as a graph for scikit-learn, UMAP and scanpy.
    packed_signs : bits for approximate search with other libraries.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]]
    >>> found = wkendall.neighbors(X, n_neighbors=1)
    >>> found.indices
    array([[1],
           [0],
           [3],
           [2]])
    >>> found.values
    array([[1.],
           [1.],
           [1.],
           [1.]])
    >>> wkendall.neighbors([[1, 2, 4, 3]], X, n_neighbors=2, measure=wkendall.Kendall("top", k=3)).indices
    array([[0, 1]])
    """
    chosen, run = as_measure(measure, KendallDistance()), Run(n_jobs=n_jobs, progress=progress)
    run.check()
    count = as_order(n_neighbors, "n_neighbors")
    return neighbors_of(*read_both(X, Y, threads=run.threads), chosen, count, run)


def neighbors_within(
    X: ArrayLike | Rankings,
    Y: ArrayLike | Rankings | None = None,
    *,
    radius: float,
    measure: Measure | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> csr_array:
    """Find, for each ranking of X, all rankings of Y, or of the rest of X if there is no Y, within a radius.

    Parameters
    ----------
    X, Y, measure, n_jobs, progress
        As for `neighbors`.
    radius : float
        The largest distance or, for a kernel or another similarity, the smallest value.

    Returns
    -------
    scipy.sparse.csr_array of shape (m, m')
        The values of all neighbours. Values of zero are stored.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]]
    >>> wkendall.neighbors_within(X, radius=5, measure=wkendall.Kendall()).toarray()
    array([[0., 5., 0., 0.],
           [5., 0., 0., 0.],
           [0., 0., 0., 5.],
           [0., 0., 5., 0.]])
    """
    chosen, run = as_measure(measure, KendallDistance()), Run(n_jobs=n_jobs, progress=progress)
    run.check()
    limit = as_radius(radius)
    return within_of(*read_both(X, Y, threads=run.threads), chosen, limit, run)


def neighbors_graph(
    X: ArrayLike | Rankings,
    Y: ArrayLike | Rankings | None = None,
    *,
    n_neighbors: SupportsIndex = 10,
    mode: Mode = "distance",
    measure: Measure | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> csr_array:
    """Return the graph of neighbours, for tools that accept precomputed neighbours: scikit-learn, UMAP, scanpy.

    Parameters
    ----------
    X, Y, n_neighbors, measure, n_jobs, progress
        As for `neighbors`.
    mode : {"distance", "connectivity"}
        The stored value: a distance, or 1. The distance is `sqrt(K(s, s) + K(t, t) - 2 K(s, t))` for a kernel, as
        `distance_matrix(kernel=...)` computes it, and the value itself for a distance.

    Returns
    -------
    scipy.sparse.csr_array of shape (m, m')
        One row for each ranking of `X`, with its entries by increasing distance. Distances of 0 are stored.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]]
    >>> wkendall.neighbors_graph(X, n_neighbors=1).toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    """
    check_choice(mode, "mode", MODES)
    chosen, run = as_measure(measure, KendallDistance()), Run(n_jobs=n_jobs, progress=progress)
    run.check()
    count = as_order(n_neighbors, "n_neighbors")
    return graph_of(*read_both(X, Y, threads=run.threads), chosen, count, mode, run)


def packed_signs(X: ArrayLike | Rankings) -> NDArray[np.uint8]:
    """Return rankings as bit vectors whose Hamming distance is the Kendall distance.

    With these, FAISS, Milvus and other indexes of binary vectors can search rankings. The bit of a pair of items i < j
    is 1 if i comes before j. The pairs are in the order (0, 1), (0, 2), (1, 2), (0, 3), ..; the first pair is the
    lowest bit of the first byte. Zeros fill the last byte.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Complete rankings.

    Returns
    -------
    ndarray of shape (m, ceil(n (n - 1) / 16)) and type uint8

    Examples
    --------
    >>> import wkendall
    >>> wkendall.packed_signs([[1, 2, 3, 4], [4, 3, 2, 1], [2, 1, 3, 4]])
    array([[63],
           [ 0],
           [62]], dtype=uint8)
    """
    x = read_rankings(X, "X", Reading(advises=False))
    size = (x.n_items * (x.n_items - 1) // 2 + 7) // 8
    check_fits(len(x), size, np.dtype(np.uint8), "pack some rankings at a time")
    return _core.packed_signs(x._handle)


def as_radius(radius: object) -> float:
    """Check that a radius is a number; the Rust crate checks its range."""
    if not isinstance(radius, Real) or isinstance(radius, bool | np.bool_):
        raise bad_type("radius", f" must be a real number, not {shown(radius)}")
    try:
        return float(radius)
    except OverflowError:
        raise bad_argument("radius", f" is {shown(radius)}, too large for a float64", value=radius) from None


def neighbors_of(x: Rankings, y: Rankings | None, measure: Measure, n_neighbors: int, run: Run) -> Neighbors:
    """Find neighbours. If `y` is `x` itself, a ranking can be its own neighbour."""
    check_fits(len(x), 2 * n_neighbors, np.dtype(np.float64), ADVICE)
    index = _index(x if y is None else y, measure, run)
    with progress_bar(run.progress, "neighbors") as show:
        if index is not None:
            rows = None if y is None else x._handle
            return Neighbors(*index.neighbors(rows, n_neighbors, threads=run.threads, progress=show))
        how: dict[str, Any] = {"threads": run.threads, "backend": run.backend, "progress": show}
        return Neighbors(*_core.neighbors(*_bound(x, y, measure), n_neighbors, **how))


def within_of(x: Rankings, y: Rankings | None, measure: Measure, radius: float, run: Run) -> csr_array:
    """Find all rankings within a radius."""
    index = _index(x if y is None else y, measure, run)
    with progress_bar(run.progress, "neighbors") as show:
        if index is not None:
            rows = None if y is None else x._handle
            found = index.within(rows, radius, threads=run.threads, progress=show)
        else:
            how: dict[str, Any] = {"threads": run.threads, "backend": run.backend, "progress": show}
            found = _core.within(*_bound(x, y, measure), radius, **how)
    starts, indices, values = found
    return _sparse(values, indices, starts, _shape(x, y))


def graph_of(x: Rankings, y: Rankings | None, measure: Measure, wanted: int | float, mode: Mode, run: Run) -> csr_array:
    """Find a number of neighbours, or all within a radius, and return them as a graph."""
    starts: NDArray[Any]
    indices: NDArray[Any]
    values: NDArray[Any]
    if isinstance(wanted, int):
        found = neighbors_of(x, y, measure, wanted, run)
        starts = np.arange(0, found.indices.size + 1, wanted)
        indices, values = found.indices.ravel(), found.values.ravel()
    else:
        close = within_of(x, y, measure, wanted, run)
        starts, indices, values = close.indptr, close.indices, close.data
    if mode == "connectivity":
        return _sparse(np.ones(len(indices)), indices, starts, _shape(x, y))
    rows = np.repeat(np.arange(len(x)), np.diff(starts))
    distances = distances_of(x, y, measure, rows, indices, values, run)
    # If rankings have different self-similarities, a larger kernel can mean a larger distance.
    by_distance = np.lexsort((distances, rows))
    return _sparse(distances[by_distance], indices[by_distance], starts, _shape(x, y))


def _sparse(
    values: NDArray[np.float64], indices: NDArray[Any], starts: NDArray[Any], shape: tuple[int, int]
) -> csr_array:
    """Return a sparse array. Indices have 32 bits where they fit, as in scipy's own matrices: some libraries take no others."""
    from scipy.sparse import csr_array

    integer = np.int32 if max(*shape, len(indices)) <= np.iinfo(np.int32).max else np.int64
    return csr_array((values, indices.astype(integer, copy=False), starts.astype(integer, copy=False)), shape=shape)


def distances_of(
    x: Rankings,
    y: Rankings | None,
    measure: Measure,
    rows: NDArray[Any],
    columns: NDArray[Any],
    values: NDArray[np.float64],
    run: Run,
) -> NDArray[np.float64]:
    """Turn values of the measure into distances, for pairs of rankings of `x` and `y` given by their row numbers."""
    if measure.is_distance:
        return values
    if not measure.is_kernel:
        rule = f"{measure!r} is neither a distance nor a kernel: distances need one of these"
        raise bad_argument("measure", f": {rule}", kind="no kernel")
    index = _index(x if y is None else y, measure, run)
    own = _own(x, index, measure, run)
    if y is None or y is x:
        of_columns = own[columns]
    else:
        found, places = np.unique(columns, return_inverse=True)
        of_columns = _own(y[found], index, measure, run)[places]
    return feature_distances(own[rows] + of_columns, values)


def _own(rankings: Rankings, index: _core.ListIndex | None, measure: Measure, run: Run) -> NDArray[np.float64]:
    """Return the kernel of each ranking and itself. An index has the weights ready, which takes long for very many items."""
    if index is None:
        found: NDArray[np.float64] = diagonal_of(rankings, measure, run)
        return found
    return index.diagonal(rankings._handle, threads=run.threads)


class KeptIndex:
    """An index of lists that is kept for the next search, and what it was made for.

    Several threads that ask for it at once make it once. A pickle contains it as arrays.
    """

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._lock = Lock()
        self._made: tuple[Measure, _core.ListIndex | None] | None = None
        #: From a pickle: the measure, and the parts of the index.
        self._stored: tuple[Measure, tuple[Any, ...]] | None = None

    def index(self, lists: Rankings, measure: Measure, threads: int | None) -> _core.ListIndex | None:
        """Return the index of these lists for a measure; the last index is dropped.

        None for long lists, which are compared faster as rankings of all items.
        """
        with self._lock:
            if self._made is None or self._made[0] != measure:
                core = measure._measure(lists.n_items)
                index = self._loaded(lists, measure, core)
                if index is None and core.has_index and _core.expanded_lists(core, lists._handle, None) is None:
                    index = _core.ListIndex(core, lists._handle, threads)
                # The caller may change the parameters, or arrays in them.
                self._made, self._stored = (deepcopy(measure), index), None
            return self._made[1]

    def _loaded(self, lists: Rankings, measure: Measure, core: _core.Measure) -> _core.ListIndex | None:
        """Return the index of a pickle, if it has one for this measure and these lists."""
        if self._stored is None or self._stored[0] != measure:
            return None
        try:
            return _core.ListIndex.from_parts(core, lists._handle, self._stored[1])
        except (TypeError, ValueError):  # of another version, or for other lists
            return None

    def __getstate__(self) -> dict[str, Any]:
        """Return the index as arrays."""
        with self._lock:
            stored = self._stored
            if self._made is not None:
                measure, index = self._made
                stored = None if index is None else (measure, index.parts())
        return {"version": _core.__version__, "stored": stored}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Keep the arrays until the first search; those of another version are dropped."""
        self.__init__()  # type: ignore[misc]
        if state["version"] == _core.__version__:
            self._stored = state["stored"]


def _index(searched: Rankings, measure: Measure, run: Run) -> _core.ListIndex | None:
    """Return the index of the lists, built once and kept for the next searches."""
    kept: KeptIndex | None = searched.__dict__.get("_kept")
    if kept is None or searched.kind != "lists" or len(searched) < WORTH_AN_INDEX:
        return None
    if not isinstance(measure, Kendall | KendallDistance | Mallows) or getattr(measure, "order", 2) != 2:
        return None
    return kept.index(searched, measure, run.threads)


def prepare(searched: Rankings, measure: Measure, run: Run) -> None:
    """Build the index of lists that are kept for searches, if they need one."""
    _index(searched, measure, run)


def _shape(x: Rankings, y: Rankings | None) -> tuple[int, int]:
    return len(x), len(x if y is None else y)


def _bound(
    x: Rankings, y: Rankings | None, measure: Measure
) -> tuple[_core.Measure, _core.Rankings, _core.Rankings | None]:
    rows, columns = _shape(x, y)
    core = measure._measure(x.n_items, rows * columns)
    return core, x._handle_for(core), None if y is None else y._handle_for(core)
