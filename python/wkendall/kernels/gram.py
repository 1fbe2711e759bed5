"""Matrices: the kernels and the distance between all pairs of rankings, and the diagonal.

Everything here checks its parameters, hands them to the Rust crate and returns what comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._arguments import as_result_type, as_threads, check_flag, check_out
from wkendall._memory import ADVICE, ADVICE_GRAM, check_fits
from wkendall._progress import progress_bar
from wkendall._text import shown
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.specification import Kernel
from wkendall.reading.rankings import (
    Input,
    Missing,
    Ties,
    Top,
    as_any_rankings,
    read_both,
)


def gram_matrix(
    X: ArrayLike,
    Y: ArrayLike | None = None,
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
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
    backend: str | None = None,
) -> NDArray[Any]:
    """Kernel between all pairs of rankings.

    The sum, over the pairs of items that both rankings put in the same order, of a weight that depends on the four ranks.
    The matrix for `Y=None` is symmetric and positive semi-definite (up to rounding, which with `dtype=np.float32` can leave
    eigenvalues of -1e-7 times the largest), and relabelling the items does not change it.

    Parameters
    ----------
    X : array-like of shape (m, n)
        Rankings, one a row: `X[p, i]` is the rank that ranking p gives to item i. Each row is a permutation of 1..n, or
        every row one of 0..n-1. Lists, arrays of any integer type or of whole floats, pandas and polars data frames.
    Y : array-like of shape (m', n), optional
        Rankings to compare with; those of `X` if absent.
    weight : {"standard", "top", "add", "mult", "average"}
        What a concordant pair adds. With ranks a < b in one ranking and c < d in the other:
        1; or 1 if all four are at most `k`; or (u[a] + u[b]) (u[c] + u[d]); or u[a] u[b] u[c] u[d];
        or (n + 1 - max(b, d)) / n, the mean of the top-k kernels over k = 1..n.
    k : int
        For `weight="top"`: how many ranks count, 1..n.
    u : {"hyperbolic", "log"} or array-like of shape (n,)
        For `weight="add"` and `"mult"`: position weights, `u[0]` being that of the most preferred position. The names stand
        for 1 / (r + 1) and 1 / log2(r + 1) at rank r = 1..n.
    U : array-like of shape (n, .., n) with `order` axes, a stack of these, or factors
        Instead of `weight`: any weights of tuples of positions. For order 2 the kernel is the sum of U[a, b] U[c, d] over all
        ordered pairs of items, concordant or not, an item with itself included; it takes O(n^2) for a pair of rankings.
        An array with one axis more, in front, is a stack, and the kernel the sum of its members' kernels. Arrays and stacks may
        be nested lists. A tuple is always factors, in one of two forms: `order` arrays of shape (r, n), one for each axis; or
        r tuples of `order` vectors, one for each term. Lists in place of these arrays or tuples are refused, because they
        could be either. Factors stand for the sum of r outer products and take O(r^2 n).
    W : array-like of shape (n, n, n, n)
        Instead of `weight`: a concordant pair adds W[a, b, c, d]. Symmetric and positive semi-definite as a matrix with a row
        for each pair a < b and a column for each pair c < d. The other entries do not count: they may be any finite numbers.
        With `check=False` the entries that count may be anything, and the result is the definition.
    order : int
        How many items a tuple has, from 1. The named weights are then summed over the tuples that both rankings put in the same
        order: 1; or 1 if all ranks are at most `k`; or the sum of u over the ranks in one ranking times that in the other; or
        the product of u over all ranks; or what the last item has for pairs. Takes O(order n log n) for a pair of
        rankings. Counts above 2^53 are rounded.
    check : bool
        Whether to check that W makes a kernel, which takes O(n^6).
    signed : bool
        Discordant pairs count too, negative.
    normalize : bool
        Divide by the square roots of both self-similarities; 0 where these are 0. A self-similarity of at most 1e-12 of the sum
        of the absolute values of its terms counts as 0, with or without `normalize`. `signed=True, normalize=True` with the
        standard weight is Kendall's tau.
    input : {"ranks", "orders", "scores"}
        What the numbers are. Orders list items from the most preferred to the least, counting from 1 or from 0. Scores
        are any real numbers, larger is better, and no two in a row are equal.
    top : {"low", "high"}
        Which end of the ranks is the top: 1, or n as in the R package kernrank. `top="high"` gives what `top="low"` gives
        for `n + 1 - X`.
    ties : {"error", "mean"}
        What equal numbers in a row are: a mistake, or ties. A ranking with ties stands for all complete rankings that agree
        with it, and the value is the mean over these; only the order of the numbers of a row matters. For the named weights
        and order 2.
    missing : {"error", "bottom", "anywhere"}
        What NaN in a row is: a mistake; an item below all that have a number, tied with the others of its kind (a top-k list);
        or an item whose place is not known, for the standard weight. The value is a mean as for ties.
    dtype : float64 or float32
        The type of the result. With float32 weighted sums may be computed in single precision, with errors of about 1e-6
        of the self-similarity; counts are exact. Kernels whose values are beyond the range of float32 are refused.
    out : ndarray of shape (m, m'), optional
        Filled and returned; of type `dtype`, C-contiguous and not masked. May be a memory map. After an interruption its
        contents are unspecified.
    n_jobs : int, optional
        Threads: 1 for one, -1 for one on each core, None for the same or what RAYON_NUM_THREADS or OMP_NUM_THREADS says.
        The result has the same bits for any number.
    progress : bool
        Show a progress bar; needs tqdm (`pip install "wkendall[progress]"`).
    backend : str, optional
        How to compute, for tests and for finding faults: a strategy ("bits", "product", "pairs", "partition"), an instruction
        set ("portable", "avx2", "avx512"), or both as in "bits-avx2". Left out, the fastest is picked; see `show_config`.

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
    """
    measure = Kernel(weight, k, u, U, W, order, check, signed, normalize).measure
    return _matrix(measure, X, Y, input, top, dtype, out, n_jobs, progress, "gram_matrix", backend, (ties, missing))


def distance_matrix(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Kendall tau distance between all pairs of rankings: the number of discordant pairs of items.

    Parameters are those of `gram_matrix`. With ties or missing items it is the mean number for complete rankings that agree
    with the two, so that a pair of tied items adds 1/2, also to the distance of a ranking from itself.

    Returns
    -------
    ndarray of shape (m, m')

    Examples
    --------
    >>> import wkendall
    >>> wkendall.distance_matrix([[1, 2, 3], [2, 1, 3], [3, 2, 1]])
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """

    def measure(items: int, _: int) -> _core.Measure:
        return _core.Measure.distance(items)

    return _matrix(measure, X, Y, input, top, dtype, out, n_jobs, progress, "distance_matrix", None, (ties, missing))


def mallows(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    lam: float = 1.0,
    *,
    input: Input = "ranks",
    top: Top = "low",
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Mallows kernel between all pairs of rankings: `exp(-lam * distance)`, the distance being that of `distance_matrix`.

    Parameters
    ----------
    X, Y, input, top, dtype, out, n_jobs, progress
        As for `gram_matrix`.
    lam : float
        How fast the similarity falls with each discordant pair; not negative.

    Returns
    -------
    ndarray of shape (m, m')

    Examples
    --------
    >>> import wkendall
    >>> wkendall.mallows([[1, 2, 3], [2, 1, 3], [3, 2, 1]], lam=0.5).round(3)
    array([[1.   , 0.607, 0.223],
           [0.607, 1.   , 0.368],
           [0.223, 0.368, 1.   ]])
    """
    if not isinstance(lam, Real) or isinstance(lam, bool | np.bool_):
        raise TypeError(f"lam must be a real number, not {shown(lam)}")
    try:
        rate = float(lam)
    except OverflowError:
        raise ValueError(f"lam is {shown(lam)}, too large: it must be a finite number from 0") from None

    def measure(items: int, _: int) -> _core.Measure:
        return _core.Measure.mallows(items, rate)

    return _matrix(measure, X, Y, input, top, dtype, out, n_jobs, progress, "mallows")


def diagonal(
    X: ArrayLike,
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
    n_jobs: SupportsIndex | None = None,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Kernel between each ranking and itself: the diagonal of `gram_matrix`, whose parameters it takes.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.diagonal([[1, 2, 3], [3, 2, 1]])
    array([3., 3.])
    """
    result_type = as_result_type(dtype)
    threads = as_threads(n_jobs)
    rankings = as_any_rankings(X, "X", input, top, ties, missing, threads)
    measure = Kernel(weight, k, u, U, W, order, check, signed, normalize).measure(rankings.items)
    if result_type == np.float32:
        measure.check_single()
    if isinstance(rankings, _core.Incomplete):
        return _core.diagonal(measure, rankings, threads=threads).astype(result_type, copy=False)
    return np.full(rankings.rows, measure.of_equal(), dtype=result_type)


def _matrix(
    measure_of: Callable[[int, int], _core.Measure],
    X: ArrayLike,
    Y: ArrayLike | None,
    input: Input,
    top: Top,
    dtype: DTypeLike,
    out: NDArray[Any] | None,
    n_jobs: SupportsIndex | None,
    progress: bool,
    what: str,
    backend: str | None = None,
    incomplete: tuple[Ties, Missing] | None = None,
) -> NDArray[Any]:
    result_type = as_result_type(dtype)
    threads = as_threads(n_jobs)
    check_flag(progress, "progress")
    if backend is not None and not isinstance(backend, str):
        raise TypeError(f"backend must be a name or None, not {shown(backend)}")
    x, y = read_both(X, Y, input, top, incomplete, threads)
    shape = (x.rows, x.rows if y is None else y.rows)
    measure = measure_of(x.items, shape[0] * shape[1])
    if out is None:
        check_fits(*shape, result_type, ADVICE_GRAM if what == "gram_matrix" else ADVICE)
        out = np.empty(shape, dtype=result_type)
    else:
        check_out(out, shape, result_type)
    with progress_bar(progress, what) as show:
        _core.gram(measure, x, y, out, threads=threads, backend=backend, progress=show)
    return out
