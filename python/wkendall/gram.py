"""Matrices of all pairs of rankings, single pairs, and the diagonal.

Each function reads the rankings, makes the measure (such as a kernel or a distance), and lets the Rust crate compute
the result.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, SupportsIndex, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall._arguments import as_order
from wkendall._errors import RankingError, bad_argument, shown
from wkendall._matrix import diagonal_of as diagonal_of
from wkendall._matrix import gram_of as gram_of
from wkendall._matrix import value_of
from wkendall._run import Run
from wkendall.arrays.options import RANKS, UNSAID, Input, Missing, Reading, Ties, Top
from wkendall.measures import Combination, Kendall, KendallDistance, Kernel, Mallows, Measure, TensorKernel
from wkendall.rankings import Rankings, matched, read_both, read_ranking, read_rankings, reading_beside

#: The number of distances computed from kernel values at a time.
_CELLS = 1 << 20
#: Squared distances below this fraction of the self-similarities are rounding errors: kernel values have about twelve
#: digits.
_ROUNDING = 1e-12


class Shorthand(TypedDict, total=False):
    """The parameters of `Kendall` or of `TensorKernel`, and the options `input`, `top`, `ties` and `missing`."""

    weight: str
    k: SupportsIndex | None
    u: str | ArrayLike | None
    order: SupportsIndex
    signed: bool
    normalize: bool
    item_weight: ArrayLike | None
    U: ArrayLike | tuple[object, ...] | None
    W: ArrayLike | None
    check: bool
    input: Input
    top: Top
    ties: Ties
    missing: Missing


def gram_matrix(
    X: ArrayLike | Rankings,
    Y: ArrayLike | Rankings | None = None,
    kernel: Kernel | None = None,
    *,
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
    backend: str | None = None,
    **shorthand: Unpack[Shorthand],
) -> NDArray[Any]:
    """Values of a kernel for all pairs of rankings.

    Without `Y` the matrix is symmetric and positive semi-definite, up to rounding errors. With `dtype=np.float32`, for
    example, the smallest eigenvalue can be -1e-7 times the largest eigenvalue.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings, one per row; see `Rankings`.
    Y : Rankings or array-like of shape (m', n), optional
        Rankings that are compared with the rankings of `X`. If absent, the rankings of `X` are compared with each
        other.
    kernel : Kernel, optional
        The kernel, such as `Kendall("mult", u="log")`. The default is the Kendall kernel: the number of pairs of items
        that both rankings put in the same order.
    dtype : float64 or float32
        The type of the result. With float32, weighted sums may be computed in single precision. The errors of these
        sums are then about 1e-6 times the kernel of a ranking with itself. Kernels that count pairs, such as the
        Kendall kernel, are exact up to 2^24 pairs. If a value could be too large for float32, an error is raised.
    out : ndarray of shape (m, m'), optional
        An array that is filled with the result and returned. The array must have the type `dtype` and be C-contiguous.
        It can be a memory map, but not a masked array. After an interruption, the contents of the array are undefined.
    n_jobs : int, optional
        The number of threads; -1 means one thread per core. If absent, the number comes from the environment variable
        RAYON_NUM_THREADS or OMP_NUM_THREADS. If neither variable is set, there is one thread per core. The result is
        bitwise identical for any number of threads.
    progress : bool
        Show a progress bar; needs tqdm (`pip install "wkendall[progress]"`).
    backend : str, optional
        For tests and debugging only: how the matrix is computed. A strategy is a way to compute the matrix: "bits",
        "product", "pairs" or "partition". An instruction set belongs to the processor: "portable", "neon", "avx2" or
        "avx512". The value is a strategy, an instruction set, or both as in "bits-avx2". By default the fastest backend
        is chosen; `show_config` prints the backends that are chosen by default.
    **shorthand
        Parameters of the kernel, in place of `kernel`: those of `Kendall` (`weight`, `k`, `u`, `order`, `signed`,
        `normalize`, `item_weight`) or those of `TensorKernel` (`U`, `W`, `order`, `normalize`, `check`). The options of
        `Rankings` for reading arrays are also allowed: `input`, `top`, `ties` and `missing`.

    Returns
    -------
    ndarray of shape (m, m')

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]
    >>> wkendall.gram_matrix(X)
    array([[6., 5., 0.],
           [5., 6., 1.],
           [0., 1., 6.]])
    >>> wkendall.gram_matrix(X, weight="mult", u="hyperbolic", normalize=True).round(3)
    array([[1.   , 0.545, 0.   ],
           [0.545, 1.   , 0.124],
           [0.   , 0.124, 1.   ]])
    >>> kernel = wkendall.Kendall("mult", u="hyperbolic", normalize=True)
    >>> wkendall.gram_matrix(X, kernel=kernel).round(3)[0]
    array([1.   , 0.545, 0.   ])
    """
    chosen, reading = from_shorthand(kernel, shorthand, "gram_matrix")
    run = Run(dtype, out, n_jobs, progress, backend).check()
    return gram_of(*read_both(X, Y, reading, run.threads), chosen, run)


def kernel(
    x: ArrayLike | Rankings, y: ArrayLike | Rankings, kernel: Kernel | None = None, **shorthand: Unpack[Shorthand]
) -> float:
    """Value of a kernel for two rankings. For many pairs of rankings, `gram_matrix` is much faster than a loop over `kernel`.

    Parameters
    ----------
    x, y : array-like of n numbers, or Rankings of one ranking
    kernel, **shorthand
        As for `gram_matrix`.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.kernel([1, 2, 3, 4], [2, 1, 3, 4])
    5.0
    >>> wkendall.kernel([1, 2, 3, 4], [2, 1, 3, 4], weight="top", k=2)
    0.0
    """
    chosen, reading = from_shorthand(kernel, shorthand, "kernel")
    first = read_ranking(x, "x", reading_beside(reading, x, y))
    second = read_ranking(y, "y", reading_beside(reading, y, x))
    return value_of(chosen, first, matched(first, second, ("x", "y")))


def kappa(pi: ArrayLike | Rankings, kernel: Kernel | None = None, **shorthand: Unpack[Shorthand]) -> float:
    """Kernel as a function of one permutation: the kernel between the identity 1, 2, .., n and `pi`.

    Let pi(a) be the rank that a ranking t gives to the item at position a of a ranking s. The kernel between s and t is
    then `kappa(pi)`. The computation takes time O(n log n) for `Kendall`, and O(n^2) for `TensorKernel`.

    Parameters
    ----------
    pi : array-like of n numbers, or Rankings of one ranking
    kernel, **shorthand
        As for `gram_matrix`.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.kappa([2, 3, 1])
    1.0
    """
    chosen, reading = from_shorthand(kernel, shorthand, "kappa")
    ranking = read_ranking(pi, "pi", reading)
    top = (ranking._reading or reading).top
    if top == "low" and ranking._handle.is_complete:
        return chosen._measure(ranking.n_items).kappa(ranking._handle)
    # `top="high"` mirrors the ranks of both, and the mirrored identity is not the identity.
    identity = read_ranking(np.arange(ranking.n_items), "identity", Reading("ranks", top))
    return value_of(chosen, identity, ranking)


def diagonal(
    X: ArrayLike | Rankings,
    kernel: Kernel | None = None,
    *,
    n_jobs: SupportsIndex | None = None,
    **shorthand: Unpack[Shorthand],
) -> NDArray[np.float64]:
    """Kernel between each ranking and itself: the diagonal of `gram_matrix`.

    The parameters are as for `gram_matrix`.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.diagonal([[1, 2, 3], [3, 2, 1]])
    array([3., 3.])
    """
    chosen, reading = from_shorthand(kernel, shorthand, "diagonal")
    run = Run(n_jobs=n_jobs).check()
    return diagonal_of(read_rankings(X, "X", reading, run.threads), chosen, run)


def similarity_matrix(
    X: ArrayLike | Rankings,
    Y: ArrayLike | Rankings | None = None,
    measure: Measure | None = None,
    *,
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Values of any measure, kernel or not, between all pairs of rankings.

    Parameters
    ----------
    X, Y, dtype, out, n_jobs, progress
        As for `gram_matrix`. The shape of the result is also as for `gram_matrix`.
    measure : Measure, optional
        The measure: a function of two rankings, such as `KendallCorrelation("add", u="log")`. The default is the
        Kendall kernel.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]
    >>> wkendall.similarity_matrix(X, measure=wkendall.KendallCorrelation("add", u="log")).round(3)
    array([[ 1.   ,  0.466, -1.   ],
           [ 0.466,  1.   , -0.684],
           [-1.   , -0.684,  1.   ]])
    """
    chosen = as_measure(measure, Kendall())
    run = Run(dtype, out, n_jobs, progress).check()
    return gram_of(*read_both(X, Y, threads=run.threads), chosen, run, "similarity_matrix")


def distance_matrix(
    X: ArrayLike | Rankings,
    Y: ArrayLike | Rankings | None = None,
    *,
    kernel: Kernel | None = None,
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Distances between all pairs of rankings: the number of discordant pairs, or the distance that a kernel defines.

    A pair of items is discordant if the two rankings put the two items in opposite orders. With ties or missing items,
    take all complete rankings s' that agree with the first ranking, and all complete rankings t' that agree with the
    second ranking (see `ties` of `Rankings`). The distance is the mean distance of s' and t' over all these rankings. A
    pair of items that at least one ranking ties then adds 1/2, also to the distance of a ranking from itself. With
    ties, therefore, **the diagonal is not zero, and the distance is not a metric**. Pass `kernel=Kendall()` to get a
    metric.

    Parameters
    ----------
    X, Y, dtype, out, n_jobs, progress
        As for `gram_matrix`. The shape of the result is also as for `gram_matrix`.
    kernel : Kernel, optional
        A kernel K. If a kernel is passed, the result is the distance of rankings s and t in the feature space of K:
        `sqrt(K(s, s) + K(t, t) - 2 K(s, t))`. This distance is zero for equal rankings, also with ties, and it
        satisfies the triangle inequality. Squared distances of at most `1e-12 (K(s, s) + K(t, t))` are set to zero,
        because they are rounding errors. With `Kendall()` and complete rankings the result is the square root of twice
        the number of discordant pairs.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.distance_matrix([[1, 2, 3], [2, 1, 3], [3, 2, 1]])
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])

    >>> X = wkendall.Rankings([[1, 2, 3], [1, 1, 1]], ties="mean")
    >>> wkendall.distance_matrix(X)
    array([[0. , 1.5],
           [1.5, 1.5]])
    >>> wkendall.distance_matrix(X, kernel=wkendall.Kendall()).round(3)
    array([[0.   , 1.225],
           [1.225, 0.   ]])
    """
    chosen = KendallDistance() if kernel is None else as_kernel(kernel, "distance_matrix")
    run = Run(dtype, out, n_jobs, progress).check()
    x, y = read_both(X, Y, threads=run.threads)
    return _metric_of(x, y, chosen, run) if chosen.is_kernel else gram_of(x, y, chosen, run, "distance_matrix")


def _metric_of(x: Rankings, y: Rankings | None, kernel: Measure, run: Run) -> NDArray[Any]:
    double = Run(n_jobs=run.n_jobs)
    columns = x if y is None else y
    own = diagonal_of(x, kernel, double)
    others = own if y is None else diagonal_of(y, kernel, double)
    out = run.result((len(x), len(columns)), len(columns))
    # In one call if the result has the precision that the differences need: it computes only half of a symmetric
    # matrix.
    whole = gram_of(x, y, kernel, run._replace(out=out)) if out.dtype == np.float64 else None
    size = max(1, _CELLS // max(len(columns), 1))
    for start in range(0, len(x), size):
        rows = slice(start, start + size)
        K = whole[rows] if whole is not None else gram_of(x[rows], columns, kernel, double)
        out[rows] = feature_distances(own[rows, np.newaxis] + others, K)
    return out


def feature_distances(sums: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances in the feature space of a kernel; `sums` are K(s, s) + K(t, t), and `values` are K(s, t).

    Differences that may be rounding errors become 0, so that equal rankings are at distance 0.
    """
    squares = sums - 2 * values
    squares[squares <= _ROUNDING * sums] = 0.0
    return np.sqrt(squares, out=squares)


def as_measure(measure: object, default: Measure, argument: str = "measure") -> Measure:
    """Return a measure, or the default if `measure` is None; raise an error for other objects."""
    if measure is None:
        return default
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, type) and issubclass(measure, Measure):
        name = measure.__name__
        raise TypeError(f"{argument} is the class {name}: pass an object, such as {name}()")
    raise TypeError(f"{argument} must be a measure, such as Kendall('top', k=5), or None, not {shown(measure)}")


def as_kernel(kernel: object, function: str, argument: str = "kernel") -> Kernel:
    """Return a kernel, or the Kendall kernel for None; raise an error for measures that are not kernels."""
    found = as_measure(kernel, Kendall(), argument)
    if isinstance(found, Kernel) and found.is_kernel:
        return found
    what = "a distance" if found.is_distance else "not positive definite"
    rule = f"{function} needs a kernel, but {found!r} is {what}: similarity_matrix takes any measure"
    raise RankingError(rule, argument=argument, kind="no kernel")


def check_pairs(kernel: Kernel, function: str) -> None:
    """Raise an error for other kernels than sums over pairs of items.

    A pair must add a product of two weights, one from each ranking.
    """
    if not isinstance(kernel, Kendall | TensorKernel):
        rule = f" is {kernel!r}, but {function} needs a kernel of pairs of items: Kendall, or TensorKernel with U"
        if isinstance(kernel, Combination):
            rule += "; pass one of the kernels that it combines"
        elif isinstance(kernel, Mallows) and function == "consensus":
            rule += "; Kendall() gives the ranking with the smallest mean distance"
        raise bad_argument("kernel", rule, kind="no pairs")
    order = as_order(kernel.order, "order")
    if order != 2:
        raise bad_argument("order", f" is {order}, but {function} is for pairs of items: order 2", value=order)
    if isinstance(kernel, TensorKernel) and kernel.W is not None:
        raise bad_argument("W", f" does not go with {function}: pass U, a matrix of weights or a stack of these")


_READING = ("input", "top", "ties", "missing")
_GENERAL = ("U", "W", "check")
_NAMED = ("weight", "k", "u", "signed", "item_weight")
_KENDALL = frozenset((*_NAMED, "order", "normalize"))


def from_shorthand(kernel: object, shorthand: Shorthand, function: str) -> tuple[Kernel, Reading]:
    """Return the kernel and the reading options that are given by the keyword arguments of a call."""
    if not shorthand:
        return as_kernel(kernel, function), UNSAID if kernel is None else RANKS
    if kernel is None and _KENDALL.issuperset(shorthand):  # the common case, in a third of the time
        return Kendall(**shorthand), UNSAID  # type: ignore[misc]
    given: dict[str, Any] = dict(shorthand)
    for name in given:
        if name not in Shorthand.__annotations__:
            close = get_close_matches(name, Shorthand.__annotations__, 1)
            advice = f": did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{advice}")
        if kernel is not None:
            noun = "Rankings" if name in _READING else "the kernel"
            raise RankingError(f"{name} is given together with kernel: pass {name} to {noun} instead", argument=name)
    reading = Reading(**{name: given.pop(name) for name in _READING if name in given})
    if given.get("U") is None and given.get("W") is None:
        return Kendall(**{name: value for name, value in given.items() if name not in _GENERAL}), reading
    general = "U" if given.get("W") is None else "W"
    if "weight" in given:
        both = f"both {general} and weight={given['weight']!r} are given: pass one of them"
        raise RankingError(both, argument=general)
    for name in ("k", "u", "item_weight"):
        if given.get(name) is not None:
            rule = f"{name} is given, but {general} does not use it: it goes with a named weight"
            raise RankingError(rule, argument=name)
    if given.get("signed"):
        raise bad_argument("signed", f" needs a named weight, not {general}")
    return TensorKernel(**{name: value for name, value in given.items() if name not in _NAMED}), reading
