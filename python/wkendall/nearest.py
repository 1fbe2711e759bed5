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
from wkendall.arrays.options import Missing, Reading
from wkendall.gram import as_measure, feature_distances
from wkendall.measures import KendallDistance, Measure
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
        equal values the smaller index comes first.

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


def neighbors_of(
    x: Rankings | Searched, y: Rankings | Searched | None, measure: Measure, n_neighbors: int, run: Run
) -> Neighbors:
    """Find neighbours. If `y` is `x` itself, a ranking can be its own neighbour."""
    check_fits(len(x), 2 * n_neighbors, np.dtype(np.float64), ADVICE)
    index = _index(x, y, measure, run)
    with progress_bar(run.progress, "neighbors") as show:
        if index is not None:
            rows = None if y is None else index.handle(x)
            return Neighbors(*index.core.neighbors(rows, n_neighbors, threads=run.threads, progress=show))
        how: dict[str, Any] = {"threads": run.threads, "backend": run.backend, "progress": show}
        return Neighbors(*_core.neighbors(*_bound(x, y, measure), n_neighbors, **how))


def within_of(
    x: Rankings | Searched, y: Rankings | Searched | None, measure: Measure, radius: float, run: Run
) -> csr_array:
    """Find all rankings within a radius."""
    index = _index(x, y, measure, run)
    with progress_bar(run.progress, "neighbors") as show:
        if index is not None:
            rows = None if y is None else index.handle(x)
            found = index.core.within(rows, radius, threads=run.threads, progress=show)
        else:
            how: dict[str, Any] = {"threads": run.threads, "backend": run.backend, "progress": show}
            found = _core.within(*_bound(x, y, measure), radius, **how)
    starts, indices, values = found
    return _sparse(values, indices, starts, _shape(x, y))


def graph_of(
    x: Rankings | Searched,
    y: Rankings | Searched | None,
    measure: Measure,
    wanted: int | float,
    mode: Mode,
    run: Run,
) -> csr_array:
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
    x: Rankings | Searched,
    y: Rankings | Searched | None,
    measure: Measure,
    rows: NDArray[Any],
    columns: NDArray[Any],
    values: NDArray[np.float64],
    run: Run,
) -> NDArray[np.float64]:
    """Turn values of the measure into distances, for pairs of rankings of `x` and `y` given by their row numbers."""
    if measure.is_distance:
        return values
    if measure._has_complement:
        return np.asarray(1.0 - values)
    if not measure.is_kernel:
        rule = f"{measure!r} is neither a distance nor a kernel: distances need one of these"
        raise bad_argument("measure", f": {rule}", kind="no kernel")
    index = _index(x, y, measure, run)
    if y is None or y is x:
        found, places = np.unique(np.concatenate([rows, columns]), return_inverse=True)
        own = _own(x, found, index, measure, run)[places]
        return feature_distances(own[: len(rows)] + own[len(rows) :], values)
    found, places = np.unique(columns, return_inverse=True)
    own = _own(x, np.arange(len(x)), index, measure, run)
    return feature_distances(own[rows] + _own(y, found, index, measure, run)[places], values)


def _own(
    rankings: Rankings | Searched, rows: NDArray[Any], index: _Index | None, measure: Measure, run: Run
) -> NDArray[np.float64]:
    """Return the kernel of some rankings and themselves. An index has the weights ready, which takes long for very many items."""
    if index is None:
        found: NDArray[np.float64] = diagonal_of(plain(rankings)[rows], measure, run)
        return found
    if isinstance(rankings, Searched):
        return index.core.diagonal(index.core.lists(rows), threads=run.threads)
    return index.core.diagonal(index.handle(rankings[rows]), threads=run.threads)


class _Index(NamedTuple):
    """An index of lists, and what it was made for."""

    measure: Measure
    #: The measure for the Rust crate.
    of_crate: _core.Measure
    core: _core.ListIndex

    def handle(self, lists: Rankings | Searched) -> _core.Rankings:
        """Return lists as the index takes them."""
        return plain(lists)._handle_for(self.of_crate)


class Searched:
    """Rankings that are kept for searches; lists have an index, which is made once and kept.

    An object does not change, except that it makes its index: `added` and `removed` return another one, so that threads
    that search meanwhile see the rankings from before. Several threads that ask for an index at once make it once. A pickle
    contains the index as arrays.
    """

    def __init__(self, rankings: Rankings, growing: Any = None) -> None:
        """Keep rankings; those who add and remove rankings hold `growing` meanwhile."""
        #: The names of items, the labels and counts of the rows, and how missing items are read.
        self._described = {name: getattr(rankings, f"_{name}") for name in ("listed", "items", "labels", "counts")}
        self._missing: Missing = rankings._missing
        self._n_items = rankings.n_items
        #: None if the index has the lists.
        self._handle: _core.Rankings | None = rankings._handle
        self._rankings: Rankings | None = rankings
        self.growing = Lock() if growing is None else growing
        self._lock = Lock()
        #: The last measure, and its index if there is one.
        self._made: tuple[Measure, _Index | None] | None = None
        #: From a pickle: the measure, the number of items, and the segments of the index.
        self._stored: tuple[Measure, int, list[Any]] | None = None

    @property
    def rankings(self) -> Rankings:
        """The rankings."""
        with self._lock:
            if self._rankings is None:
                self._rankings = Rankings._made(self._lists(), self._missing, **self._described)
            return self._rankings

    def _lists(self) -> _core.Rankings:
        if self._handle is None:
            index = self._kept_index()
            self._handle = index.core.lists()
        return self._handle

    def _kept_index(self) -> _Index:
        """Return the index that has the lists."""
        if self._made is None or self._made[1] is None:
            assert self._stored is not None
            self._made = (self._stored[0], self._loaded(*self._stored))
        found = self._made[1]
        assert found is not None
        return found

    def __len__(self) -> int:
        if self._handle is not None:
            return self._handle.rows
        with self._lock:
            return self._kept_index().core.rows

    def index(self, measure: Measure, run: Run) -> _Index | None:
        """Return the index for a measure; the last index is dropped.

        None for rankings that are not lists, for few lists, for measures without an index, and for long lists, which are
        compared faster as rankings of all items.
        """
        made = self._made
        if made is not None and made[0] == measure:
            return made[1]
        with self._lock:
            if self._made is None and self._stored is not None and self._stored[0] == measure:
                self._made = (self._stored[0], self._loaded(*self._stored))
            if self._made is None or self._made[0] != measure:
                index = self._new_index(self._lists(), measure, run)
                # The caller may change the parameters, or arrays in them.
                self._made, self._stored = (deepcopy(measure), index), None
            return self._made[1]

    def _new_index(self, lists: _core.Rankings, measure: Measure, run: Run) -> _Index | None:
        if not lists.is_lists or lists.rows < WORTH_AN_INDEX:
            return None
        core = measure._measure(lists.items)
        if not core.has_index or _core.expanded_lists(core, lists, None) is not None:
            return None
        rankings = Rankings._made(lists, self._missing, **self._described)
        with progress_bar(run.progress, "index") as show:
            index = _core.ListIndex(core, rankings._handle_for(core), run.threads, show)
        return _Index(deepcopy(measure), core, index)

    def _loaded(self, measure: Measure, items: int, segments: list[Any], keep: bool = False) -> _Index:
        core = measure._measure(items)
        return _Index(measure, core, _core.ListIndex.from_parts(core, items, segments, keep))

    def load(self, keep: bool) -> None:
        """Make the index of a file, before the first search. With `keep`, it uses the memory of the arrays."""
        if self._stored is not None:
            self._made, self._stored = (self._stored[0], self._loaded(*self._stored, keep)), None
        if self._handle is None:
            rows = self._kept_index().core.rows
            of_rows = (self._described[name] for name in ("listed", "labels", "counts"))
            if any(len(part) != rows for part in of_rows if part is not None):
                raise ValueError("the index has another number of rankings")

    def added(self, new: Rankings, run: Run) -> Searched:
        """Return these rankings followed by others of the same items."""
        old, before = self._described, len(self)
        missing = {self._missing, new._missing} - {"error"}
        if len(missing) > 1:
            rule = f'the rankings were read with missing="{self._missing}", but X with missing="{new._missing}"'
            raise bad_argument("X", f": {rule}: both must be read in the same way", kind="missing")
        both: dict[str, Any] = {"items": old["items"] if new._items is None else new._items}
        for name, default in (("listed", self._n_items), ("counts", 1)):
            one, other = old[name], getattr(new, f"_{name}")
            if one is None and other is None:
                both[name] = None
            else:
                one = np.full(before, default) if one is None else one
                both[name] = np.concatenate([one, np.full(len(new), default) if other is None else other])
        unlabelled = old["labels"] is None or new._labels is None
        both["labels"] = None if unlabelled else [*old["labels"], *new._labels]
        index = None if self._made is None else self._made[1]
        found = self._changed(both, next(iter(missing), "error"))
        if index is None:
            found._handle = self._with_lock(self._lists).joined(new._handle)
        else:
            found._made = (index.measure, index._replace(core=index.core.added(index.handle(new), run.threads)))
        return found

    def removed(self, rows: NDArray[np.int64], run: Run) -> Searched:
        """Return these rankings without some rows."""
        index = None if self._made is None else self._made[1]
        kept = np.ones(len(self), dtype=bool)
        kept[rows] = False
        rest = dict(self._described)
        for name in ("listed", "counts"):
            rest[name] = None if rest[name] is None else rest[name][kept]
        if rest["labels"] is not None:
            rest["labels"] = [label for label, keep in zip(rest["labels"], kept.tolist(), strict=True) if keep]
        found = self._changed(rest, self._missing)
        if index is None:
            found._handle = self._with_lock(self._lists).select(np.flatnonzero(kept), True)
        else:
            found._made = (index.measure, index._replace(core=index.core.removed(rows, run.threads)))
        return found

    def _with_lock(self, call: Any) -> Any:
        with self._lock:
            return call()

    def _changed(self, described: dict[str, Any], missing: Missing) -> Searched:
        """Return an object for other rankings, which have no handle and no index yet."""
        found = object.__new__(Searched)
        found.__dict__.update(self.__dict__, _described=described, _missing=missing, _lock=Lock())
        found.__dict__.update(_handle=None, _rankings=None, _made=None, _stored=None)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return the index as arrays, or the rankings if there is none."""
        with self._lock:
            made, stored = self._made, self._stored
            if made is not None and made[1] is not None:
                stored = (made[0], self._n_items, made[1].core.parts())
        if stored is None:
            return {"rankings": self.rankings}
        return {
            "version": _core.__version__,
            "missing": self._missing,
            "described": self._described,
            "stored": stored,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Keep the arrays until the first search; of another version only the lists are taken."""
        if "stored" in state and state["version"] == _core.__version__:
            self.__dict__.update(_described=state["described"], _missing=state["missing"], _n_items=state["stored"][1])
            self.__dict__.update(_handle=None, _rankings=None, _made=None, _stored=state["stored"])
            self.__dict__.update(growing=Lock(), _lock=Lock())
            return
        rankings = state.get("rankings")
        if rankings is None:
            lists = _lists_of(*state["stored"][1:])
            rankings = Rankings._made(lists, state["missing"], **state["described"])
        self.__init__(rankings)  # type: ignore[misc]


def _lists_of(items: int, segments: list[Any]) -> _core.Rankings:
    """Return the lists of the parts of an index."""
    joined: _core.Rankings | None = None
    for (bounds, entries, has_all, removed), *_ in segments:
        numbers = np.asarray(entries, dtype=np.int64).reshape(-1, 2)
        columns, starts = np.ascontiguousarray(numbers[:, 0]), np.ascontiguousarray(numbers[:, 1])
        whole = has_all | (np.diff(bounds.astype(np.int64)) == items)
        lists = _core.Rankings.lists(bounds.astype(np.int64), columns, starts, items, False, True).listed(whole)
        lists = lists.select(np.delete(np.arange(len(bounds) - 1), removed))
        joined = lists if joined is None else joined.joined(lists)
    assert joined is not None
    return joined


def plain(rankings: Rankings | Searched) -> Rankings:
    """Return the rankings themselves."""
    return rankings.rankings if isinstance(rankings, Searched) else rankings


def _index(x: Rankings | Searched, y: Rankings | Searched | None, measure: Measure, run: Run) -> _Index | None:
    """Return the index of the rankings that are searched, if they have one."""
    searched = x if y is None else y
    return searched.index(measure, run) if isinstance(searched, Searched) else None


def _shape(x: Rankings | Searched, y: Rankings | Searched | None) -> tuple[int, int]:
    return len(x), len(x if y is None else y)


def _bound(
    x: Rankings | Searched, y: Rankings | Searched | None, measure: Measure
) -> tuple[_core.Measure, _core.Rankings, _core.Rankings | None]:
    rows, columns = _shape(x, y)
    given, other = plain(x), None if y is None else plain(y)
    core = measure._measure(given.n_items, rows * columns)
    return core, given._handle_for(core), None if other is None else other._handle_for(core)
