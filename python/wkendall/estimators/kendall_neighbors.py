"""Nearest rankings for scikit-learn: the neighbours of rankings, and sparse matrices (graphs) of neighbours."""

from __future__ import annotations

import itertools
import os
from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import as_order, check_choice, check_flag, check_same_rows
from wkendall._errors import bad_argument, shown
from wkendall._run import Run
from wkendall._saved import load_object, save_object
from wkendall.estimators.base import RankingEstimator
from wkendall.gram import as_measure, gram_of
from wkendall.measures import KendallDistance, Measure
from wkendall.nearest import (
    MODES,
    Mode,
    Neighbors,
    Searched,
    as_radius,
    distances_of,
    graph_of,
    neighbors_of,
    within_of,
)
from wkendall.rankings import Index, Rankings

if TYPE_CHECKING:
    from scipy.sparse import csr_array, csr_matrix


@dataclass(eq=False, repr=False)
class KendallNeighbors(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RankingEstimator):  # type: ignore[misc]
    """A search for nearest rankings, with the methods of scikit-learn's `NearestNeighbors`.

    The class is also a transformer: `transform` works as in scikit-learn's `KNeighborsTransformer`. It returns a sparse
    matrix, called a graph: for each given ranking, the distances of its nearest rankings among the rankings of `fit`.
    In a pipeline, use this transformer before an estimator with `metric="precomputed"`, such as `KNeighborsClassifier`
    or `DBSCAN`.

    By default, the neighbours of a ranking are the rankings with the fewest discordant pairs. A pair of items is
    discordant if the two rankings put its items in opposite orders. If `measure` is a kernel or another similarity, the
    neighbours are the rankings with the largest values. The function `neighbors` finds the same neighbours.

    The method `neighbors` returns the values of the measure. The methods `kneighbors` and `radius_neighbors` return
    distances, and graphs contain distances or ones. By default, the distance of two rankings s and t is the number of
    discordant pairs. For a kernel K, the distance is `sqrt(K(s, s) + K(t, t) - 2 K(s, t))`. For `RankBiasedOverlap`
    with `value="ext"` or `value="max"`, the distance is 1 minus the value of the measure.

    If `fit` gets lists that leave out most of the items, it can build an index, which makes searches fast. The index
    needs at least 1,000 lists and one of these measures:

    - `KendallDistance`, `Mallows` or `AverageOverlap`;
    - `RankBiasedOverlap` with `value="ext"` or `value="min"`, and without `item_weight`;
    - `Kendall` of order 2 (the default), with another weight than "later".

    The methods `add` and `remove` add and remove rankings without building the whole index again. The method `save`
    writes the object and its index to a file, and `load` reads the file. Several threads may search, add and remove
    rankings at the same time: a search uses the rankings as they were before a change, or as they are after it.

    With a kernel, the rankings with the largest kernel values are not always the rankings with the smallest distances.
    They are the same rankings if all rankings have equal self-similarities K(s, s). For most kernels, all complete
    rankings have the same self-similarity. With ties, missing items or lists, self-similarities can differ, unless the
    kernel has `normalize=True`. If they differ, `kneighbors` and `radius_neighbors` still find the rankings with the
    largest kernel values. The two methods sort these rankings by distance, but a ranking that was not found can have a
    smaller distance.

    Parameters
    ----------
    n_neighbors : int
        The number of neighbours to find for each ranking.
    measure : Measure, optional
        A distance or a kernel, as for `neighbors`; `KendallDistance()` if absent.
    radius : float, optional
        The default radius of `radius_neighbors` and `radius_neighbors_graph`. If `measure` is a distance, these methods
        find all rankings with a distance of at most `radius`. If `measure` is a kernel or another similarity, they find
        all rankings with a value of at least `radius`.
    mode : {"distance", "connectivity"}
        The values that `transform` stores: distances, or ones. As in scikit-learn, each row has `n_neighbors + 1`
        neighbours with "distance", and `n_neighbors` neighbours with "connectivity".
    input, top, ties, missing, n_jobs
        As for `KendallGram`.
    progress : bool
        Whether to show a progress bar while an index is built and while neighbours are searched.

    Attributes
    ----------
    rankings_ : Rankings
        The rankings that are searched.
    n_samples_fit_ : int
        The number of rankings in `rankings_`.
    n_features_in_, feature_names_in_
        As for `KendallGram`.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]]
    >>> model = wkendall.KendallNeighbors(1).fit(X)
    >>> distances, indices = model.kneighbors([[1, 2, 4, 3]])
    >>> distances, indices
    (array([[1.]]), array([[0]]))

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> graph = wkendall.KendallNeighbors(1)
    >>> model = make_pipeline(graph, KNeighborsClassifier(1, metric="precomputed"))
    >>> model.fit(X, ["a", "a", "b", "b"]).predict([[1, 2, 4, 3]])
    array(['a'], dtype='<U1')
    """

    n_neighbors: SupportsIndex = 5
    measure: Measure | None = None
    _: KW_ONLY
    radius: float | None = None
    mode: Mode = "distance"
    progress: bool = False

    def fit(self, X: ArrayLike | Rankings, y: object = None) -> Self:
        """Store the rankings to search, and build an index if it makes the search faster.

        A pickle of the object contains the index.
        """
        check_same_rows(X, y)
        as_order(self.n_neighbors, "n_neighbors")
        check_choice(self.mode, "mode", MODES)
        if self.radius is not None:
            as_radius(self.radius)
        check_flag(self.progress, "progress")
        rankings = self._read(X, reset=True)
        what, run = self._compared_by(), self._run()
        gram_of(rankings[:1], None, what, Run(n_jobs=self.n_jobs))  # checks the parameters
        self._searched = Searched(rankings)
        self.n_samples_fit_ = len(rankings)
        self._searched.index(what, run)
        return self

    @property
    def rankings_(self) -> Rankings:
        """The rankings that are searched."""
        check_is_fitted(self)
        return self._searched.rankings

    def add(self, X: ArrayLike | Rankings) -> Self:
        """Add rankings of the same items, after the last row of the rankings that are searched.

        If `fit` built an index, adding a few lists takes a few milliseconds, even if there are many lists. The new
        lists get a small index of their own, and small indexes are merged from time to time.

        Examples
        --------
        >>> import wkendall
        >>> model = wkendall.KendallNeighbors(1).fit([[1, 2, 3], [3, 2, 1]]).add([[2, 1, 3]])
        >>> model.kneighbors([[2, 1, 3]])
        (array([[0.]]), array([[2]]))
        >>> model.remove([0]).kneighbors([[2, 1, 3]])
        (array([[0.]]), array([[1]]))
        """
        check_is_fitted(self)
        new = self._read(X, reset=False)
        with self._searched.growing:
            self._change(self._searched.added(new, Run(n_jobs=self.n_jobs)))
        return self

    def remove(self, rows: Index) -> Self:
        """Remove rankings. `rows` is a row number, several row numbers, a slice or a boolean mask.

        The remaining rankings keep their order. Their new row numbers start at 0 and have no gaps.
        """
        check_is_fitted(self)
        with self._searched.growing:
            self._change(self._searched.removed(as_rows(rows, self._searched), Run(n_jobs=self.n_jobs)))
        return self

    def _change(self, searched: Searched) -> None:
        self._searched = searched
        self.n_samples_fit_ = len(searched)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the object, with its rankings and their index, to a file. The method `load` reads the file.

        If a file with this name exists, it is replaced when the new file is complete.

        Examples
        --------
        >>> import tempfile, pathlib, wkendall
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.wkendall"
        >>> wkendall.KendallNeighbors(1).fit([[1, 2, 3], [3, 2, 1]]).save(path)
        >>> wkendall.KendallNeighbors.load(path).kneighbors([[2, 1, 3]])
        (array([[1.]]), array([[0]]))
        """
        check_is_fitted(self)
        save_object(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], mmap: bool = False) -> Self:
        """Read a file that `save` wrote.

        Read only files that you trust: like a pickle, a file can run code when it is read.

        With `mmap=True`, the index is not copied to memory: the file is memory-mapped instead. Loading is then faster,
        and processes that load the same file share its memory. The file must not change while a process uses it.
        """
        check_flag(mmap, "mmap")
        return load_object(path, cls, mmap, lambda model: model._searched.load())

    def neighbors(self, X: ArrayLike | Rankings | None = None, n_neighbors: SupportsIndex | None = None) -> Neighbors:
        """Return the nearest rankings and the values of the measure, as the function `neighbors` does.

        `X` and `n_neighbors` are as for `kneighbors`. The result is a named tuple: `values` has the values of the
        measure, and `indices` has the row numbers of the neighbours. The nearest neighbour comes first. If two
        neighbours have equal values, the neighbour with the smaller row number comes first.

        Examples
        --------
        >>> import wkendall
        >>> lists = wkendall.from_lists([["a", "b", "c"], ["c", "b"], ["d", "a"]])
        >>> model = wkendall.KendallNeighbors(2, wkendall.RankBiasedOverlap()).fit(lists)
        >>> model.neighbors(wkendall.from_lists([["b", "a"]], items=lists.items))
        Neighbors(values=array([[0.9 , 0.45]]), indices=array([[0, 1]]))
        """
        x, y = self._sides(X)
        return neighbors_of(x, y, self._compared_by(), self._count(n_neighbors), self._run())

    def kneighbors(
        self,
        X: ArrayLike | Rankings | None = None,
        n_neighbors: SupportsIndex | None = None,
        return_distance: bool = True,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]] | NDArray[np.int64]:
        """Find the nearest rankings of `fit` for each ranking of `X`.

        Parameters
        ----------
        X : Rankings or array-like of shape (m', n), optional
            The rankings whose neighbours are searched. Without `X`, the neighbours of the rankings of `fit` are
            searched, and a ranking is not its own neighbour.
        n_neighbors : int, optional
            The number of neighbours. If absent, `n_neighbors` of the object is used.
        return_distance : bool
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (m', n_neighbors)
            The distances of the neighbours, in increasing order.
        indices : ndarray of shape (m', n_neighbors)
            The row numbers of the neighbours among the rankings of `fit`.
        """
        check_flag(return_distance, "return_distance")
        x, y = self._sides(X)
        count, run, measure = self._count(n_neighbors), self._run(), self._compared_by()
        found = neighbors_of(x, y, measure, count, run)
        if not (return_distance or measure.is_kernel):
            return found.indices
        rows = np.repeat(np.arange(len(x)), count)
        distances = distances_of(x, y, measure, rows, found.indices.ravel(), found.values.ravel(), run)
        distances = distances.reshape(found.values.shape)
        by_distance = np.argsort(distances, axis=1, kind="stable")
        indices = np.take_along_axis(found.indices, by_distance, axis=1)
        return (np.take_along_axis(distances, by_distance, axis=1), indices) if return_distance else indices

    def radius_neighbors(
        self,
        X: ArrayLike | Rankings | None = None,
        radius: float | None = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> tuple[NDArray[Any], NDArray[Any]] | NDArray[Any]:
        """Find all rankings of `fit` within a radius of each ranking of `X`.

        Parameters
        ----------
        X, return_distance
            As for `kneighbors`.
        radius : float, optional
            As for the class. If absent, `radius` of the object is used.
        sort_results : bool
            Whether to sort the neighbours by distance. If False, they are sorted by row number.

        Returns
        -------
        distances : ndarray of m' arrays
            For each row of `X`, the distances of its neighbours.
        indices : ndarray of m' arrays
            For each row of `X`, the row numbers of its neighbours among the rankings of `fit`.
        """
        check_flag(return_distance, "return_distance")
        check_flag(sort_results, "sort_results")
        x, y = self._sides(X)
        run = self._run()
        found = within_of(x, y, self._compared_by(), self._limit(radius), run)
        rows = np.repeat(np.arange(len(x)), np.diff(found.indptr))
        indices = found.indices.astype(np.int64, copy=False)
        distances = distances_of(x, y, self._compared_by(), rows, indices, found.data, run)
        if sort_results:
            by_distance = np.lexsort((distances, rows))
            distances, indices = distances[by_distance], indices[by_distance]
        parts = _in_rows(indices, found.indptr)
        return (_in_rows(distances, found.indptr), parts) if return_distance else parts

    def kneighbors_graph(
        self,
        X: ArrayLike | Rankings | None = None,
        n_neighbors: SupportsIndex | None = None,
        mode: Mode = "connectivity",
    ) -> csr_matrix:
        """Return a sparse matrix (a graph) with an entry for each neighbour that `kneighbors` finds.

        `X` and `n_neighbors` are as for `kneighbors`. The matrix has a row for each ranking of `X` and a column for
        each ranking of `fit`. The entries are ones for `mode="connectivity"`, and distances for `mode="distance"`.
        """
        check_choice(mode, "mode", MODES)
        x, y = self._sides(X)
        return _as_matrix(graph_of(x, y, self._compared_by(), self._count(n_neighbors), mode, self._run()))

    def radius_neighbors_graph(
        self, X: ArrayLike | Rankings | None = None, radius: float | None = None, mode: Mode = "connectivity"
    ) -> csr_matrix:
        """Return a sparse matrix (a graph) with an entry for each neighbour that `radius_neighbors` finds.

        `X` and `radius` are as for `radius_neighbors`. The matrix has a row for each ranking of `X` and a column for
        each ranking of `fit`. The entries are ones for `mode="connectivity"`, and distances for `mode="distance"`.
        """
        check_choice(mode, "mode", MODES)
        x, y = self._sides(X)
        return _as_matrix(graph_of(x, y, self._compared_by(), self._limit(radius), mode, self._run()))

    def transform(self, X: ArrayLike | Rankings) -> csr_matrix:
        """Return a sparse matrix (a graph) with the distances of the nearest rankings of `fit`, or with ones.

        The matrix has a row for each ranking of `X` and a column for each ranking of `fit`. The parameter `mode` of the
        class chooses distances or ones. A complete ranking of `fit` is its own nearest neighbour. If a ranking of `fit`
        has ties or missing items, its distance from another ranking can be smaller than its distance from itself.
        """
        check_is_fitted(self)
        return self._graph(*self._sides(X))

    def _graph(self, x: Rankings | Searched, y: Rankings | Searched | None) -> csr_matrix:
        """Return the graph of `transform`."""
        count, rows = self._count(None) + (self.mode == "distance"), len(x if y is None else y)
        if self.mode == "distance" and count > rows:
            raise _too_many(count - 1, rows)
        return _as_matrix(graph_of(x, y, self._compared_by(), count, self.mode, self._run()))

    def fit_transform(self, X: ArrayLike | Rankings, y: object = None) -> csr_matrix:
        """Store the rankings, and return the graph of their neighbours, as `transform` does for the same rankings."""
        check_same_rows(X, y)
        searched = self.fit(X)._searched
        return self._graph(searched, searched)

    def _sides(self, X: ArrayLike | Rankings | None) -> tuple[Rankings | Searched, Searched | None]:
        check_is_fitted(self)
        searched = self._searched  # another thread may add rankings meanwhile
        return (searched, None) if X is None else (self._read(X, reset=False), searched)

    def _run(self) -> Run:
        return Run(n_jobs=self.n_jobs, progress=self.progress)

    def _compared_by(self) -> Measure:
        return as_measure(self.measure, KendallDistance())._used()

    def _count(self, n_neighbors: SupportsIndex | None) -> int:
        return as_order(self.n_neighbors if n_neighbors is None else n_neighbors, "n_neighbors")

    def _limit(self, radius: float | None) -> float:
        given = self.radius if radius is None else radius
        if given is None:
            raise bad_argument("radius", " is not given: pass one here or to KendallNeighbors")
        return as_radius(given)

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_


def as_rows(rows: Index, searched: Searched) -> NDArray[np.int64]:
    """Return the row numbers that `rows` selects. Negative numbers count from the end."""
    count = len(searched)
    numbers = np.arange(count)[rows] if isinstance(rows, slice) else np.asarray(rows)
    if numbers.dtype.kind == "b" and numbers.shape == (count,):
        labelled = SimpleNamespace(_labels=searched._described["labels"])
        check_same_rows(labelled, rows, ("the rankings", "the mask"))
        return np.flatnonzero(numbers)
    if numbers.size == 0:
        return np.zeros(0, dtype=np.int64)
    if numbers.ndim > 1 or numbers.dtype.kind not in "iu":
        rule = f" must be a number, a slice, a mask of {count} flags or row numbers, not {shown(rows)}"
        raise bad_argument("rows", rule, value=rows)
    numbers = np.atleast_1d(numbers).astype(np.int64)
    for row in numbers[(numbers < -count) | (numbers >= count)][:1].tolist():
        raise bad_argument("rows", f" holds {row}, but there are {count} rankings, counted from 0", value=row)
    return np.where(numbers < 0, numbers + count, numbers)


def _too_many(count: int, rankings: int) -> Exception:
    """Return the error for asking for more neighbours than there are rankings besides the ranking itself."""
    rule = f"it must be from 1 to {rankings - 1}" if rankings > 1 else "none can be found"
    there = f" is {count}, but fit had {rankings} ranking{'s'[: rankings != 1]}, of which a ranking finds itself: "
    return bad_argument("n_neighbors", there + rule, value=count)


def _as_matrix(graph: csr_array) -> csr_matrix:
    """Return a graph as a sparse matrix, as scikit-learn does: scanpy and UMAP do not take scipy's sparse arrays."""
    from scipy.sparse import csr_matrix

    return csr_matrix((graph.data, graph.indices, graph.indptr), shape=graph.shape)


def _in_rows(values: NDArray[Any], starts: NDArray[Any]) -> NDArray[Any]:
    """Split `values` into rows, and return an array of these rows. Row i begins at index `starts[i]` of `values`."""
    parts = np.empty(len(starts) - 1, dtype=object)
    for row, (start, end) in enumerate(itertools.pairwise(starts)):
        parts[row] = values[start:end]
    return parts
