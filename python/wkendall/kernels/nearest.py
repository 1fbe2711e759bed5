"""Nearest neighbours: the most similar rankings for each ranking, without the matrix of all pairs."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import as_order, check_choice
from wkendall._errors import Argument, Option, bad_argument, bad_type
from wkendall._memory import check_fits
from wkendall._progress import progress_bar
from wkendall._text import shown
from wkendall.kernels.gram import diagonal_of, feature_distances, suited
from wkendall.kernels.named_weights import STANDARD, DefaultWeight, as_position_weights
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Distance, Kernel, Specification
from wkendall.reading.rankings import CheckedRankings, Input, KeptMeasure, Missing, Reading, Ties, Top

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Metric = Literal["kernel", "distance"]
Mode = Literal["distance", "connectivity"]
METRICS = ("kernel", "distance")
MODES = ("distance", "connectivity")
#: Fewer lists than this are compared one by one.
WORTH_AN_INDEX = 1000


class DefaultCount(int):
    """The default of `n_neighbors`, told apart from the same number said by the caller."""

    __slots__ = ()


#: How many neighbours are found if nothing is said.
TEN = DefaultCount(10)
ADVICE = "ask for fewer neighbours, or for those of some rankings at a time with Y="


class Neighbors(NamedTuple):
    """The most similar rankings for each ranking, the best first; see `neighbors`."""

    #: Values of the kernel or the distance, of shape (m, n_neighbors).
    values: NDArray[np.float64]
    #: Row numbers of the neighbours, of the same shape.
    indices: NDArray[np.int64]


def neighbors(
    X: ArrayLike,
    Y: ArrayLike | None = None,
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
    progress: bool = False,
    backend: str | None = None,
) -> Neighbors | csr_array:
    """Find, for each ranking of X, the most similar rankings of Y, or of the rest of X if there is no Y.

    The result is bitwise identical to sorting the rows of `gram_matrix` or `distance_matrix`, but the matrix is never
    built. Memory grows with the number of neighbours.

    Parameters
    ----------
    X : array-like of shape (m, n)
        Rankings, one per row, as for `gram_matrix`.
    Y : array-like of shape (m', n), optional
        Rankings to search. Without `Y` the other rankings of `X` are searched: a ranking is not its own neighbour.
    n_neighbors : int
        The number of neighbours of each ranking; the default is 10.
    radius : float, optional
        Instead of `n_neighbors`: find all rankings with a kernel of at least `radius` or, with `metric="distance"`, a
        distance of at most `radius`.
    metric : {"kernel", "distance"}
        The measure of similarity: the kernel (largest value first), or the number of discordant pairs (smallest first).
    weight, k, u, U, W, order, check, signed, normalize
        The kernel, as for `gram_matrix`; not for `metric="distance"`.
    input, top, ties, missing
        The meaning of the numbers, as for `gram_matrix`. With `missing="bottom"` sparse arrays are read as lists.
    n_jobs : int, optional
        Number of threads, as for `gram_matrix`. The result is bitwise identical for any number.
    progress : bool
        Show a progress bar; needs tqdm.
    backend : str, optional
        How to compute, as for `gram_matrix`.

    Returns
    -------
    Neighbors
        A named tuple of `values` and `indices`, arrays of shape (m, n_neighbors). The best neighbour comes first. Among
        equal values the smaller index comes first.
    scipy.sparse.csr_array of shape (m, m')
        With `radius`: the values of all neighbours. Values of zero are stored.

    See Also
    --------
    neighbors_graph : the same as a graph for scikit-learn, UMAP and scanpy.
    packed_signs : bits for approximate search with other libraries.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]]
    >>> found = wkendall.neighbors(X, n_neighbors=1, metric="distance")
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
    >>> wkendall.neighbors([[1, 2, 4, 3]], X, n_neighbors=2).indices
    array([[0, 1]])
    >>> wkendall.neighbors(X, radius=5).toarray()
    array([[0., 5., 0., 0.],
           [5., 0., 0., 0.],
           [0., 0., 0., 5.],
           [0., 0., 5., 0.]])
    """
    kernel = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    what, run = specification(metric, kernel), Run(n_jobs=n_jobs, progress=progress, backend=backend)
    run.check()
    wanted = as_wanted(n_neighbors, radius)
    x, y = Reading(input, top, ties, missing).both(X, Y, run.threads)
    if isinstance(wanted, int):
        return neighbors_of(x, y, what, wanted, run)
    return within_of(x, y, what, wanted, run)


def neighbors_graph(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    n_neighbors: SupportsIndex = TEN,
    radius: float | None = None,
    mode: Mode = "distance",
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
    progress: bool = False,
) -> csr_array:
    """Return the graph of neighbours, for tools that accept precomputed neighbours: scikit-learn, UMAP, scanpy.

    Parameters
    ----------
    X, Y, n_neighbors, radius, metric, n_jobs, progress
        As for `neighbors`.
    mode : {"distance", "connectivity"}
        The stored value: a distance, or 1. The distance is the number of discordant pairs for `metric="distance"`, and
        `sqrt(K(s, s) + K(t, t) - 2 K(s, t))` for a kernel, as `distance_matrix(kernel=...)` computes it.
    weight, k, u, U, W, order, check, signed, normalize, input, top, ties, missing
        As for `gram_matrix`.

    Returns
    -------
    scipy.sparse.csr_array of shape (m, m')
        One row for each ranking of `X`, with its entries by increasing distance. Distances of 0 are stored.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [4, 3, 1, 2]]
    >>> wkendall.neighbors_graph(X, n_neighbors=1, metric="distance").toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    """
    check_choice(mode, "mode", MODES)
    kernel = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    what, run = specification(metric, kernel), Run(n_jobs=n_jobs, progress=progress)
    run.check()
    wanted = as_wanted(n_neighbors, radius)
    x, y = Reading(input, top, ties, missing).both(X, Y, run.threads)
    return graph_of(x, y, what, wanted, mode, run)


def packed_signs(
    X: ArrayLike, *, input: Input = "ranks", top: Top = "low", n_jobs: SupportsIndex | None = None
) -> NDArray[np.uint8]:
    """Return rankings as bit vectors whose Hamming distance is the Kendall distance.

    With these, FAISS, Milvus and other indexes of binary vectors can search rankings. The bit of a pair of items i < j
    is 1 if i comes before j. The pairs are in the order (0, 1), (0, 2), (1, 2), (0, 3), ..; the first pair is the
    lowest bit of the first byte. Zeros fill the last byte.

    Parameters
    ----------
    X : array-like of shape (m, n)
        Complete rankings, as for `gram_matrix`.
    input, top, n_jobs
        As for `gram_matrix`.

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
    run = Run(n_jobs=n_jobs)
    run.check()
    x = Reading(input, top, advises=False).rankings(X, "X", run.threads)
    size = (x.items * (x.items - 1) // 2 + 7) // 8
    check_fits(x.rows, size, np.dtype(np.uint8), "pack some rankings at a time")
    return _core.packed_signs(x.core, threads=run.threads)


def specification(metric: Metric, kernel: Kernel) -> Specification:
    """Return the measure that neighbours are compared by; refuse parameters of a kernel for a distance."""
    check_choice(metric, "metric", METRICS)
    if metric == "kernel":
        return kernel
    for name, value, default in zip(Kernel._fields, kernel, Kernel(), strict=True):
        unused = isinstance(value, DefaultWeight) if name == "weight" else value is default or name == "check"
        if not unused and not (name == "order" and value == 2):
            raise not_of_a_distance(name)
    return Distance()


def not_of_a_distance(name: str) -> Exception:
    """Say that a parameter goes with kernels only."""
    distance, kernel = Option("metric", "distance"), Option("metric", "kernel")
    return bad_argument(name, " is given, but ", distance, " does not use it: it goes with ", kernel)


def as_wanted(n_neighbors: object, radius: object) -> int | float:
    """Return how many neighbours are wanted, or within which radius; refuse both."""
    if radius is None:
        return as_order(n_neighbors, "n_neighbors")
    if n_neighbors is not None and not isinstance(n_neighbors, DefaultCount):
        raise bad_argument("n_neighbors", " and ", Argument("radius"), " are both given: pass one of them")
    return as_radius(radius)


def as_radius(radius: object) -> float:
    """Check that a radius is a number; the Rust crate checks its range."""
    if not isinstance(radius, Real) or isinstance(radius, bool | np.bool_):
        raise bad_type("radius", f" must be a real number, not {shown(radius)}")
    try:
        return float(radius)
    except OverflowError:
        raise bad_argument("radius", f" is {shown(radius)}, too large for a float64", value=radius) from None


def neighbors_of(
    x: CheckedRankings, y: CheckedRankings | None, what: Specification, n_neighbors: int, run: Run
) -> Neighbors:
    """Find neighbours of checked rankings. If `y` is `x` itself, a ranking can be its own neighbour."""
    check_fits(x.rows, 2 * n_neighbors, np.dtype(np.float64), ADVICE)
    x, y = _both_suited(x, y, what)
    index = _index(x if y is None else y, what, run)
    with progress_bar(run.progress, "neighbors") as show:
        if index is not None:
            rows = None if y is None else x.core
            return Neighbors(*index.neighbors(rows, n_neighbors, threads=run.threads, progress=show))
        found = _core.neighbors(
            _measure(x, y, what), x.core, None if y is None else y.core, n_neighbors,
            threads=run.threads, backend=run.backend, progress=show,
        )  # fmt: skip
    return Neighbors(*found)


def _both_suited(
    x: CheckedRankings, y: CheckedRankings | None, what: Specification
) -> tuple[CheckedRankings, CheckedRankings | None]:
    """Apply `suited` to both sets; sets that are one object stay one."""
    fit = suited(x, what)
    return fit, fit if y is x else None if y is None else suited(y, what)


def within_of(x: CheckedRankings, y: CheckedRankings | None, what: Specification, radius: float, run: Run) -> csr_array:
    """Find all rankings within a radius."""
    x, y = _both_suited(x, y, what)
    index = _index(x if y is None else y, what, run)
    with progress_bar(run.progress, "neighbors") as show:
        if index is not None:
            rows = None if y is None else x.core
            starts, indices, values = index.within(rows, radius, threads=run.threads, progress=show)
        else:
            starts, indices, values = _core.within(
                _measure(x, y, what), x.core, None if y is None else y.core, radius,
                threads=run.threads, backend=run.backend, progress=show,
            )  # fmt: skip
    return _sparse(values, indices, starts, _shape(x, y))


def graph_of(
    x: CheckedRankings,
    y: CheckedRankings | None,
    what: Specification,
    wanted: int | float,
    mode: Mode,
    run: Run,
) -> csr_array:
    """Find a number of neighbours, or all within a radius, and return them as a graph."""
    starts: NDArray[Any]
    indices: NDArray[Any]
    values: NDArray[Any]
    if isinstance(wanted, int):
        found = neighbors_of(x, y, what, wanted, run)
        starts = np.arange(0, found.indices.size + 1, wanted)
        indices, values = found.indices.ravel(), found.values.ravel()
    else:
        close = within_of(x, y, what, wanted, run)
        starts, indices, values = close.indptr, close.indices, close.data
    if mode == "connectivity":
        return _sparse(np.ones(len(indices)), indices, starts, _shape(x, y))
    rows = np.repeat(np.arange(x.rows), np.diff(starts))
    distances = distances_of(x, y, what, rows, indices, values, run)
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
    x: CheckedRankings,
    y: CheckedRankings | None,
    what: Specification,
    rows: NDArray[Any],
    columns: NDArray[Any],
    values: NDArray[np.float64],
    run: Run,
) -> NDArray[np.float64]:
    """Turn values of the measure into distances, for pairs of rankings of `x` and `y` given by their row numbers."""
    if isinstance(what, Distance):
        return values
    index = _index(x if y is None else y, what, run)
    own = _own(x, index, what, run)
    if y is None or y is x:
        of_columns = own[columns]
    else:
        found, places = np.unique(columns, return_inverse=True)
        of_columns = _own(y.select(found), index, what, run)[places]
    return feature_distances(own[rows] + of_columns, values)


def _own(
    rankings: CheckedRankings, index: _core.ListIndex | None, what: Specification, run: Run
) -> NDArray[np.float64]:
    """Return the kernel of each ranking and itself. An index has the weights ready, which takes long for very many items."""
    if index is None:
        found: NDArray[np.float64] = diagonal_of(rankings, what, run)
        return found
    return index.diagonal(rankings.core, threads=run.threads)


def _index(searched: CheckedRankings, what: Specification, run: Run) -> _core.ListIndex | None:
    """Return the index of the lists, built once and kept for the next searches."""
    if searched.kept is None or not searched.core.is_lists or searched.rows < WORTH_AN_INDEX:
        return None
    if isinstance(what, Kernel) and (what.U is not None or what.W is not None or what.order != 2):
        return None  # lists are expanded to rankings of all items
    weights: NDArray[np.float64] | None = None
    described = what
    if isinstance(what, Kernel) and what.u is not None and not isinstance(what.u, str):
        weights, described = as_position_weights(what.u), what._replace(u=None)
        what = what._replace(u=weights)
    measure = KeptMeasure(repr((what.function, described.options())), weights)
    return searched.kept.index(searched.core, measure, lambda: what.measure(searched.items), run.threads)


def prepare(searched: CheckedRankings, what: Specification, run: Run) -> None:
    """Build the index of lists that are kept for searches, if they need one."""
    _index(suited(searched, what), what, run)


def _shape(x: CheckedRankings, y: CheckedRankings | None) -> tuple[int, int]:
    return x.rows, x.rows if y is None else y.rows


def _measure(x: CheckedRankings, y: CheckedRankings | None, what: Specification) -> _core.Measure:
    rows, columns = _shape(x, y)
    return what.measure(x.items, rows * columns)
