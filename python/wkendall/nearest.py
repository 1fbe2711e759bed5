"""Nearest neighbours: the most similar rankings for each ranking, without the matrix of all pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import compress
from numbers import Real
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import as_order, check_choice
from wkendall._errors import bad_argument, bad_type, shown
from wkendall._matrix import diagonal_of
from wkendall._memory import check_fits
from wkendall._run import Run, progress_bar
from wkendall.arrays.options import Missing
from wkendall.gram import as_measure, feature_distances
from wkendall.measures import KendallDistance, Measure
from wkendall.rankings import Rankings, read_both, read_complete

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Mode = Literal["distance", "connectivity"]
MODES = ("distance", "connectivity")
#: Fewer lists than this are compared one by one.
WORTH_AN_INDEX = 1000
ADVICE = "ask for fewer neighbours, or for those of some rankings at a time with Y="


class Neighbors(NamedTuple):
    """What `neighbors` returns: for each ranking, the nearest rankings, the nearest first.

    Attributes
    ----------
    values : ndarray of shape (m, n_neighbors)
        The values of the measure between each ranking and its neighbours.
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
    """Find the nearest rankings of Y for each ranking of X. Without Y, find the nearest among the other rankings of X.

    The result is bitwise identical to the result of sorting each row of `similarity_matrix`. But this matrix is never
    built: only the neighbours that are found are stored.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings, one per row.
    Y : Rankings or array-like of shape (m', n), optional
        The rankings that can be neighbours. Without `Y`, the rankings of `X` can be neighbours of each other, and a
        ranking is not its own neighbour.
    n_neighbors : int
        The number of neighbours to find for each ranking.
    measure : Measure, optional
        How rankings are compared. For a distance, the smallest values come first. For a kernel or another similarity,
        the largest values come first. The default is `KendallDistance()`.
    n_jobs, progress
        As for `gram_matrix`. The result is bitwise identical for any number of threads.

    Returns
    -------
    Neighbors
        A named tuple of `values` and `indices`, arrays of shape (m, n_neighbors). The nearest neighbour comes first. If
        two neighbours have equal values, the one with the smaller index comes first. If `Y` is a `Rankings` with
        labels, `np.array(Y.labels)[indices]` has the labels of the neighbours.

    See Also
    --------
    neighbors_within : all rankings within a radius.
    neighbors_graph : neighbours as a graph for scikit-learn, UMAP and scanpy.
    packed_signs : rankings as bit vectors, for approximate search with other libraries.

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
    """Find all rankings of Y within a radius of each ranking of X. Without Y, search the other rankings of X.

    Parameters
    ----------
    X, Y, measure, n_jobs, progress
        As for `neighbors`.
    radius : float
        The limit for neighbours. If `measure` is a distance, two rankings are neighbours if its value is at most
        `radius`. If `measure` is a kernel or another similarity, they are neighbours if its value is at least `radius`.

    Returns
    -------
    scipy.sparse.csr_array of shape (m, m')
        The values of the measure for all pairs of neighbours. Values of zero are stored, too.

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
        What is stored for each pair of neighbours: their distance, or the number 1 ("connectivity"). If the measure is
        a distance, the distance is its value. If the measure is a kernel K, the distance of rankings s and t is
        `sqrt(K(s, s) + K(t, t) - 2 K(s, t))`, as in `distance_matrix(kernel=K)`. For `RankBiasedOverlap` with
        `value="ext"` or `value="max"`, the distance is 1 minus the overlap.

    Returns
    -------
    scipy.sparse.csr_array of shape (m, m')
        One row for each ranking of `X`. The entries of a row are sorted by increasing distance. Distances of 0 are
        stored, too.

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
    """Return rankings as bit vectors whose Hamming distance is the number of pairs of items in opposite orders.

    This number is the Kendall distance. With these bit vectors, libraries that search binary vectors, such as FAISS and
    Milvus, can search rankings. A vector has one bit for each pair of items `i < j`: the bit is 1 if i comes before j,
    and 0 otherwise. The pairs are in the order (0, 1), (0, 2), (1, 2), (0, 3), .. The bit of the first pair is the
    lowest bit of the first byte. Unused bits of the last byte are 0.

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
    x = read_complete(X)
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
    """Find neighbours. A ranking can be its own neighbour if `y` is `x` itself, but not if `y` is None."""
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
    """Find all neighbours within a radius."""
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
    """Return neighbours as a graph; `wanted` is the number of neighbours (an int) or the radius (a float)."""
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
    """Return a sparse array; its indices have 32 bits if possible, because some libraries accept only such indices."""
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
    """Turn values of the measure into distances; pairs of rankings of `x` and `y` are given by their row numbers."""
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
    """Return the kernel of each ranking with itself; with an index, the weights of the kernel are ready."""
    if index is None:
        found: NDArray[np.float64] = diagonal_of(plain(rankings)[rows], measure, run)
        return found
    if isinstance(rankings, Searched):
        return index.core.diagonal(index.core.lists(rows), threads=run.threads)
    return index.core.diagonal(index.handle(rankings[rows]), threads=run.threads)


class _Index(NamedTuple):
    """An index of lists, and the measure for which it was made."""

    measure: Measure
    #: The measure for the Rust crate.
    of_crate: _core.Measure
    core: _core.ListIndex

    def handle(self, lists: Rankings | Searched) -> _core.Rankings:
        """Return lists in the form that the index needs."""
        return plain(lists)._handle_for(self.of_crate)


class Searched:
    """Rankings in which neighbours are searched. For lists, an index makes the search faster.

    Lists are rankings of only a few of the items. The index is made once and then kept.

    The rankings of a `Searched` never change. `added` and `removed` return a new object, so other threads can go on
    searching the old rankings. If several threads need the index at the same time, the index is made only once. A
    pickle contains the index as bytes.
    """

    #: The rankings; None if the index has them.
    _handle: _core.Rankings | None

    def __init__(self, rankings: Rankings) -> None:
        """Store the rankings."""
        self._set(rankings.shape, rankings._missing, rankings._parts)
        self._handle = rankings._handle

    def _set(self, shape: tuple[int, int], missing: Missing, described: dict[str, Any]) -> None:
        """Set everything but the rankings themselves."""
        self.shape, self._missing = shape, missing
        #: The items, labels and counts of a `Rankings`, how many items its rows list, and how it was read.
        self._described = described
        #: Those who add or remove rankings hold it.
        self.growing = Lock()
        self._lock = Lock()
        self._handle = None
        #: The last measure, and its index if there is one.
        self._made: tuple[Measure, _Index | None] | None = None
        #: From a pickle: the measure and the bytes of an index that has not been made yet.
        self._stored: tuple[Measure, NDArray[np.uint8]] | None = None

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def rankings(self) -> Rankings:
        """The rankings."""
        with self._lock:
            return Rankings._made(self._rankings(), self._missing, **self._described)

    def _rankings(self) -> _core.Rankings:
        if self._handle is not None:
            return self._handle
        index = self._last_index()
        assert index is not None
        return index.core.lists()

    def _last_index(self) -> _Index | None:
        """Return the index that was used last; if the object comes from a pickle, make this index from its bytes."""
        if self._stored is not None:
            self._load()
        return None if self._made is None else self._made[1]

    def _load(self, keep: bool = False) -> None:
        assert self._stored is not None
        measure, stored = self._stored
        core = measure._measure(self.shape[1])
        index = _core.ListIndex.from_bytes(core, stored, keep)
        self._made, self._stored = (measure, _Index(measure, core, index)), None

    def load(self) -> None:
        """Make the index from the bytes of a file, before the first search. The index uses the memory of these bytes."""
        if self._stored is not None:
            self._load(keep=True)
            _check_rows(self._described, self.shape[0], self._last_index())

    def index(self, measure: Measure, run: Run) -> _Index | None:
        """Return the index for a measure. Only one index is kept: an index for another measure replaces it.

        The result is None if the rankings are not lists, if there are only a few lists, or if the measure has no index.
        The result is also None for long lists, because long lists are compared faster as rankings of all items.
        """
        made = self._made
        if made is not None and made[0] == measure:
            return made[1]
        with self._lock:
            self._last_index()
            if self._made is None or self._made[0] != measure:
                rankings = self._rankings()
                index = self._new_index(rankings, measure, run)
                # The caller may change the parameters, or arrays in them.
                self._made, self._handle = (deepcopy(measure), index), None if index is not None else rankings
            return self._made[1]

    def _new_index(self, rankings: _core.Rankings, measure: Measure, run: Run) -> _Index | None:
        if not rankings.is_lists or len(self) < WORTH_AN_INDEX:
            return None
        core = measure._measure(self.shape[1])
        if not core.has_index or _core.expanded_lists(core, rankings, None) is not None:
            return None
        lists = Rankings._made(rankings, self._missing, **self._described)._handle_for(core)
        with progress_bar(run.progress, "index") as show:
            return _Index(deepcopy(measure), core, _core.ListIndex(core, lists, run.threads, show))

    def added(self, new: Rankings, run: Run) -> Searched:
        """Return these rankings followed by other rankings of the same items."""
        missing = {self._missing, new._missing} - {"error"}
        if len(missing) > 1:
            rule = f'the rankings were read with missing="{self._missing}", but X with missing="{new._missing}"'
            raise bad_argument("X", f": {rule}: both must be read in the same way", kind="missing")
        old = self._described
        both: dict[str, Any] = {"items": old["items"] if new._items is None else new._items}
        both["reading"] = old.get("reading")
        for name, default in (("listed", self.shape[1]), ("counts", 1)):
            parts = (old[name], len(self)), (getattr(new, f"_{name}"), len(new))
            if any(part is not None for part, _ in parts):
                filled = [np.full(size, default) if part is None else part for part, size in parts]
                both[name] = np.concatenate(filled)
            else:
                both[name] = None
        unlabelled = old["labels"] is None or new._labels is None
        both["labels"] = None if unlabelled else [*old["labels"], *cast("Sequence[object]", new._labels)]
        return self._changed(
            (len(self) + len(new), next(iter(missing), "error"), both),
            lambda index: index.core.added(index.handle(new), run.threads),
            lambda rankings: rankings.joined(new._handle),
        )

    def removed(self, rows: NDArray[np.int64], run: Run) -> Searched:
        """Return these rankings without some rows."""
        kept = np.ones(len(self), dtype=bool)
        kept[rows] = False
        rest = dict(self._described)
        for name in ("listed", "counts"):
            rest[name] = None if rest[name] is None else rest[name][kept]
        if rest["labels"] is not None:
            rest["labels"] = list(compress(rest["labels"], kept.tolist()))
        return self._changed(
            (int(kept.sum()), self._missing, rest),
            lambda index: index.core.removed(rows, run.threads),
            lambda rankings: rankings.select(np.flatnonzero(kept), True),
        )

    def _changed(
        self,
        state: tuple[int, Missing, dict[str, Any]],
        indexed: Callable[[_Index], _core.ListIndex],
        plain: Callable[[_core.Rankings], _core.Rankings],
    ) -> Searched:
        """Return an object for other rankings: `indexed` changes the index, or `plain` changes the rankings."""
        rows, missing, described = state
        with self._lock:
            index, handle = self._last_index(), self._handle
        found = object.__new__(Searched)
        found._set((rows, self.shape[1]), missing, described)
        found.growing = self.growing
        if index is not None:
            found._made = (index.measure, index._replace(core=indexed(index)))
        else:
            assert handle is not None
            found._handle = plain(handle)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return the index as bytes, or the rankings if there is no index."""
        with self._lock:
            stored = self._stored
            index = None if self._made is None else self._made[1]
        if index is not None:
            stored = (index.measure, index.core.to_bytes())
        if stored is None:
            return {"rankings": self.rankings}
        return {"parts": (self.shape, self._missing, self._described), "stored": stored}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Keep the bytes until the first search; if another version of wkendall wrote them, build the index again."""
        if "stored" in state:
            self._set(*state["parts"])
            self._stored = state["stored"]
        else:
            self.__init__(state["rankings"])  # type: ignore[misc]


def _check_rows(described: dict[str, Any], rows: int, index: _Index | None) -> None:
    """Raise an error if the index does not have as many rankings as there are labels, counts and lengths."""
    of_rows = [described[name] for name in ("listed", "labels", "counts") if described[name] is not None]
    if index is None or {index.core.rows, *map(len, of_rows)} != {rows}:
        raise ValueError("the index has another number of rankings")


def plain(rankings: Rankings | Searched) -> Rankings:
    """Return the rankings themselves."""
    return rankings.rankings if isinstance(rankings, Searched) else rankings


def _index(x: Rankings | Searched, y: Rankings | Searched | None, measure: Measure, run: Run) -> _Index | None:
    """Return the index of the searched rankings, if they have an index."""
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
