"""Matrices: the kernels and the distance between all pairs of rankings, and the diagonal.

Everything here checks its parameters, hands them to the Rust crate and returns what comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._memory import ADVICE, ADVICE_GRAM
from wkendall._progress import progress_bar
from wkendall._text import shown
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Distance, Kernel, Mallows, Specification
from wkendall.reading.rankings import CheckedRankings, Input, Missing, Reading, Ties, Top, completed

#: So many distances are made of kernels at a time.
_CELLS = 1 << 20
#: Squared distances of less than this part of the self-similarities are errors of the kernels, which have twelve digits.
_ROUNDING = 1e-12


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
        with it, and the value is the mean over these; only the order of the numbers of a row matters. For order 1 and 2,
        not for `W`; with `U` in O(n^2), factors too.
    missing : {"error", "bottom", "anywhere"}
        What NaN in a row is: a mistake; an item below all that have a number, tied with the others of its kind (a top-k list);
        or an item whose place is not known, for the standard weight. The value is a mean as for ties. With "bottom", `X` and `Y`
        may be sparse arrays of scipy: what is stored are the numbers of listed items, zeros included, and what is not stored is
        not listed. The time for a pair then depends on the lengths of the lists, not on the number of items. Take `signed=True,
        normalize=True` for lists: otherwise pairs of items that neither list has make all lists look alike. Disjoint top-10 lists
        of 1,000 items have the normalized value 0.98, and -0.01 if signed.
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
    kernel = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    return matrix(kernel, X, Y, Reading(input, top, ties, missing), Run(dtype, out, n_jobs, progress, backend))


def distance_matrix(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    kernel: Mapping[str, Any] | None = None,
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

    With ties or missing items it is the mean number for complete rankings that agree with the two. A pair of tied items adds
    1/2, also to the distance of a ranking from itself: **the diagonal is then not zero, and the distance is not a metric**. Pass
    `kernel={}` for a metric.

    Parameters
    ----------
    X, Y, input, top, ties, missing, dtype, out, n_jobs, progress
        As for `gram_matrix`. Sparse arrays are lists.
    kernel : dict, optional
        Parameters of a kernel K, such as `{"weight": "mult", "u": "log"}`, as for `gram_matrix`. The result is then
        `sqrt(K(s, s) + K(t, t) - 2 K(s, t))`, the distance between s and t in the geometry of the kernel. It is zero for equal
        rankings, with ties too, and fulfils the triangle inequality. Squares of at most 1e-12 (K(s, s) + K(t, t)) are rounding
        errors and become zero. `{}` is the standard kernel, for which complete rankings have the root of the number of
        discordant pairs, times the square root of 2.

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

    >>> X = [[1, 2, 3], [1, 1, 1]]
    >>> wkendall.distance_matrix(X, ties="mean")
    array([[0. , 1.5],
           [1.5, 1.5]])
    >>> wkendall.distance_matrix(X, ties="mean", kernel={}).round(3)
    array([[0.   , 1.225],
           [1.225, 0.   ]])
    """
    reading, run = Reading(input, top, ties, missing), Run(dtype, out, n_jobs, progress)
    if kernel is None:
        return matrix(Distance(), X, Y, reading, run)
    what = _kernel_of(kernel)
    run.check()
    return _metric_of(*reading.both(X, Y, run.threads), what, run)


def _kernel_of(parameters: object) -> Kernel:
    """Return the kernel with these parameters."""
    if not isinstance(parameters, Mapping):
        raise TypeError(f"kernel must be a dict of parameters of gram_matrix or None, not {shown(parameters)}")
    for name in parameters:
        if name not in Kernel._fields:
            raise ValueError(
                f"kernel has the key {shown(name)}, but the parameters of a kernel are {', '.join(Kernel._fields)}"
            )
    return Kernel(**parameters)


def _metric_of(x: CheckedRankings, y: CheckedRankings | None, kernel: Kernel, run: Run) -> NDArray[Any]:
    """Compute distances in the geometry of a kernel."""
    double = Run(n_jobs=run.n_jobs)
    columns = x if y is None else y
    own = diagonal_of(x, kernel, double)
    others = own if y is None else diagonal_of(y, kernel, double)
    out = run.result((x.rows, columns.rows), columns.rows)
    # All at once where the result has the precision that differences need, which computes half of a symmetric matrix.
    whole = gram_of(x, y, kernel, run._replace(out=out)) if out.dtype == np.float64 else None
    size = max(1, _CELLS // max(columns.rows, 1))
    for start in range(0, x.rows, size):
        rows = slice(start, start + size)
        K = whole[rows] if whole is not None else gram_of(x.select(rows), columns, kernel, double)
        sums = own[rows, np.newaxis] + others
        squares = sums - 2 * K
        squares[squares <= _ROUNDING * sums] = 0.0
        np.sqrt(squares, out=squares)
        out[rows] = squares
    return out


def mallows(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    lam: float = 1.0,
    *,
    normalize: bool = False,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Mallows kernel between all pairs of rankings: `exp(-lam * distance)`, the distance being that of `distance_matrix`.

    With ties or missing items the distance is a mean over the complete rankings that agree with the two. The kernel is then
    not the mean of the Mallows kernels of these, but it is positive definite all the same: with s and t the vectors of mean
    signs of pairs of items it is `exp(lam / 2 <s, t>)` times a constant. A ranking with ties is at some distance from itself,
    and its self-similarity is below 1.

    Parameters
    ----------
    X, Y, input, top, ties, missing, dtype, out, n_jobs, progress
        As for `gram_matrix`.
    lam : float
        How fast the similarity falls with each discordant pair; not negative.
    normalize : bool
        Divide by the square roots of both self-similarities, which gives `exp(-lam / 4 |s - t|^2)`: 1 for a ranking and
        itself. Changes nothing for complete rankings.

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
    >>> wkendall.mallows([[1, 2, 3], [1, 2, 2]], lam=0.5, ties="mean", normalize=True).round(3)
    array([[1.   , 0.882],
           [0.882, 1.   ]])
    """
    reading = Reading(input, top, ties, missing)
    return matrix(Mallows.of(lam, normalize), X, Y, reading, Run(dtype, out, n_jobs, progress))


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
    run = Run(dtype, n_jobs=n_jobs)
    run.check()
    rankings = Reading(input, top, ties, missing).rankings(X, "X", run.threads)
    return diagonal_of(rankings, Kernel(weight, k, u, U, W, order, check, signed, normalize), run)


def matrix(what: Specification, X: ArrayLike, Y: ArrayLike | None, reading: Reading, run: Run) -> NDArray[Any]:
    """Read rankings and compute a matrix of them."""
    run.check()
    x, y = reading.both(X, Y, run.threads)
    return gram_of(x, y, what, run)


def gram_of(x: CheckedRankings, y: CheckedRankings | None, what: Specification, run: Run) -> NDArray[Any]:
    """Compute the matrix of all rankings of `x`, or of `x` and `y`."""
    shape = (x.rows, x.rows if y is None else y.rows)
    measure = what.measure(x.items, shape[0] * shape[1])
    x, y = suited(x, what), None if y is None else suited(y, what)
    out = run.result(shape, shape[1], ADVICE_GRAM if what.function == "gram_matrix" else ADVICE)
    with progress_bar(run.progress, what.function) as show:
        columns = None if y is None else y.core
        _core.gram(measure, x.core, columns, out, threads=run.threads, backend=run.backend, progress=show)
    return out


def suited(rankings: CheckedRankings, what: Specification) -> CheckedRankings:
    """Return lists of all items as complete rankings where only these have the kernel: orders above 2, and W."""
    if isinstance(what, Kernel) and (
        what.W is not None or (isinstance(what.order, int | np.integer) and what.order > 2)
    ):
        return completed(rankings)
    return rankings


def diagonal_of(rankings: CheckedRankings, what: Specification, run: Run) -> NDArray[Any]:
    """Compute what each ranking has with itself."""
    measure = what.measure(rankings.items)
    if run.result_type == np.float32:
        measure.check_single()
    own = _core.diagonal(measure, suited(rankings, what).core, threads=run.threads)
    return own.astype(run.result_type, copy=False)
