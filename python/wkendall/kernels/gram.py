"""Kernels and distances between all pairs of rankings, and the diagonal.

Each function checks its parameters, calls the Rust crate and returns the result.
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

#: The number of distances computed from kernel values at a time.
_CELLS = 1 << 20
#: Squared distances below this fraction of the self-similarities are rounding errors: kernel values have about twelve
#: digits.
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

    The kernel sums a weight over all concordant pairs of items, those that both rankings put in the same order. The
    weight depends on the four ranks of the pair. With `Y=None` the matrix is symmetric and positive semi-definite, up
    to rounding: with `dtype=np.float32` eigenvalues can be as low as -1e-7 times the largest. Relabelling the items
    does not change the matrix.

    Parameters
    ----------
    X : array-like of shape (m, n)
        Rankings, one per row: `X[p, i]` is the rank that ranking p gives to item i. All rows are permutations of 1..n,
        or all rows are permutations of 0..n-1. `X` can be a list of rows, an array of integers or of floats with whole
        values, or a data frame of pandas or polars.
    Y : array-like of shape (m', n), optional
        Rankings to compare with; the rankings of `X` if absent.
    weight : {"standard", "top", "add", "mult", "average"}
        What a concordant pair adds to the sum. With ranks a < b in one ranking and c < d in the other:

        - "standard": 1
        - "top": 1 if all four ranks are at most `k`, otherwise 0
        - "add": (u[a] + u[b]) (u[c] + u[d])
        - "mult": u[a] u[b] u[c] u[d]
        - "average": (n + 1 - max(b, d)) / n, the mean of the top-k kernels over k = 1..n
    k : int
        For `weight="top"`: the number of ranks that count, 1..n.
    u : {"hyperbolic", "log"} or array-like of shape (n,)
        For `weight="add"` and `"mult"`: position weights; `u[0]` is the weight of the most preferred position.
        "hyperbolic" means 1 / (r + 1) and "log" means 1 / log2(r + 1), at rank r = 1..n.
    U : array-like of shape (n, .., n) with `order` axes, a stack of these, or factors
        Instead of `weight`: any weights of tuples of positions. For order 2 the kernel is the sum of U[a, b] U[c, d]
        over all ordered pairs of items, concordant or not, including each item with itself. It takes O(n^2) for a pair
        of rankings. An array with one more axis in front is a stack: the kernel is the sum of the kernels of its
        members. Arrays and stacks may be nested lists. A tuple always means factors. It contains either `order` arrays
        of shape (r, n), one array for each axis, or r tuples, one tuple of `order` vectors for each term. Lists in
        place of these arrays or tuples are refused because they are ambiguous. Factors represent the sum of r outer
        products. They take O(r^2 n) for a pair of rankings.
    W : array-like of shape (n, n, n, n)
        Instead of `weight`: a concordant pair adds W[a, b, c, d]. W must be symmetric and positive semi-definite as a
        matrix with a row for each pair a < b and a column for each pair c < d. The other entries are ignored and may be
        any finite numbers. With `check=False` any W is accepted. The result is then the same sum, but it may not be a
        kernel.
    order : int
        The number of items in a tuple, from 1. Named weights are summed over the tuples that both rankings put in the
        same order. A tuple adds 1 ("standard"); 1 if all ranks are at most `k` ("top"); the sum of u over its ranks in
        one ranking times the sum in the other ("add"); the product of u over all its ranks ("mult"); (n + 1 - r) / n,
        where r is the larger of the last item's two ranks ("average"). It takes O(order n log n) for a pair of
        rankings. Counts above 2^53 are rounded.
    check : bool
        Whether to check that W defines a kernel; the check takes O(n^6).
    signed : bool
        Subtract the weights of discordant pairs. Only for a named weight and order 2, not for `U` or `W`.
    normalize : bool
        Divide by `sqrt(K(s, s) K(t, t))`. K(s, s) is the self-similarity of s; the result is 0 where a self-similarity
        is 0. With or without `normalize`, a self-similarity counts as 0 if it is at most 1e-12 times the sum of the
        absolute values of its terms. `signed=True, normalize=True` with the standard weight is Kendall's tau.
    input : {"ranks", "orders", "scores"}
        The meaning of the numbers. Orders list items from the most preferred to the least, counting from 1 or from 0.
        Scores are any real numbers; larger is better, and the scores of a row must differ.
    top : {"low", "high"}
        Which rank is the most preferred: rank 1 ("low"), or rank n ("high"), as in the R package kernrank. If `X` are
        ranks, `top="high"` gives the result of `top="low"` for `n + 1 - X`.
    ties : {"error", "mean"}
        The meaning of equal numbers in a row: a mistake, or ties. The value for a ranking with ties is the mean over
        all complete rankings that agree with it; only the order of the numbers in a row matters. Available for orders 1
        and 2, and not with `W`. With `U` it takes O(n^2) for a pair of rankings, also for factors.
    missing : {"error", "bottom", "anywhere"}
        The meaning of NaN in a row. "error": a mistake. "bottom": the item is below all items that have a number, and
        tied with the other items that have none (a top-k list). "anywhere": the position of the item is unknown
        (standard weight only). The value is a mean over complete rankings, as for ties.

        With "bottom", `X` and `Y` may be sparse arrays of scipy. Stored entries, zeros included, are the numbers of
        listed items; items without a stored entry are not listed. Stored scores must be positive. The time for a pair
        then depends on the lengths of the lists and not on the number of items.

        Use `signed=True, normalize=True` for lists. Otherwise the pairs of items that are in neither list make almost
        all lists very similar: for two disjoint top-10 lists out of 1,000 items the normalized value is 0.98, but -0.01
        with `signed=True`.
    dtype : float64 or float32
        The type of the result. With float32, weighted sums may be computed in single precision, with errors of about
        1e-6 times the self-similarity; counts are exact. Kernels with values beyond the range of float32 are refused.
    out : ndarray of shape (m, m'), optional
        The array to fill and return. It has type `dtype`, is C-contiguous and is not masked; it may be a memory map.
        After an interruption its contents are unspecified.
    n_jobs : int, optional
        Number of threads: 1 for one thread, -1 for one per core. None uses RAYON_NUM_THREADS or OMP_NUM_THREADS if set,
        and otherwise one thread per core. The result is bitwise identical for any number of threads.
    progress : bool
        Show a progress bar; needs tqdm (`pip install "wkendall[progress]"`).
    backend : str, optional
        How to compute, for tests and debugging: a strategy ("bits", "product", "pairs", "partition"), an instruction
        set ("portable", "avx2", "avx512"), or both as in "bits-avx2". By default the fastest is chosen; see
        `show_config`.

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

    With ties or missing items, the distance is the mean over the complete rankings that agree with the two rankings. A
    pair of tied items adds 1/2, also to the distance of a ranking from itself. **The diagonal is then not zero, and the
    distance is not a metric**. Pass `kernel={}` to get a metric.

    Parameters
    ----------
    X, Y, input, top, ties, missing, dtype, out, n_jobs, progress
        As for `gram_matrix`. Sparse arrays are read as lists.
    kernel : dict, optional
        Parameters of a kernel K, such as `{"weight": "mult", "u": "log"}`, as for `gram_matrix`. The result is then the
        distance in the feature space of the kernel, `sqrt(K(s, s) + K(t, t) - 2 K(s, t))`. It is zero for equal
        rankings, with ties too, and satisfies the triangle inequality. Squared distances of at most
        `1e-12 (K(s, s) + K(t, t))` are set to zero, because they are rounding errors. `{}` is the standard kernel: for
        complete rankings the result is then the square root of twice the number of discordant pairs.

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
    """Return the kernel that has these parameters."""
    if not isinstance(parameters, Mapping):
        raise TypeError(f"kernel must be a dict of parameters of gram_matrix or None, not {shown(parameters)}")
    for name in parameters:
        if name not in Kernel._fields:
            raise ValueError(
                f"kernel has the key {shown(name)}, but the parameters of a kernel are {', '.join(Kernel._fields)}"
            )
    return Kernel(**parameters)


def _metric_of(x: CheckedRankings, y: CheckedRankings | None, kernel: Kernel, run: Run) -> NDArray[Any]:
    """Compute distances in the feature space of a kernel."""
    double = Run(n_jobs=run.n_jobs)
    columns = x if y is None else y
    own = diagonal_of(x, kernel, double)
    others = own if y is None else diagonal_of(y, kernel, double)
    out = run.result((x.rows, columns.rows), columns.rows)
    # In one call if the result has the precision that the differences need: it computes only half of a symmetric
    # matrix.
    whole = gram_of(x, y, kernel, run._replace(out=out)) if out.dtype == np.float64 else None
    size = max(1, _CELLS // max(columns.rows, 1))
    for start in range(0, x.rows, size):
        rows = slice(start, start + size)
        K = whole[rows] if whole is not None else gram_of(x.select(rows), columns, kernel, double)
        out[rows] = feature_distances(own[rows, np.newaxis] + others, K)
    return out


def feature_distances(sums: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances in the feature space of a kernel; `sums` are sums of two self-similarities.

    Differences that may be rounding errors become 0, so that equal rankings are at distance 0.
    """
    squares = sums - 2 * values
    squares[squares <= _ROUNDING * sums] = 0.0
    return np.sqrt(squares, out=squares)


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
    """Mallows kernel between all pairs of rankings: `exp(-lam * distance)`, with the distance of `distance_matrix`.

    With ties or missing items, the distance is a mean over the complete rankings that agree with the two rankings. The
    result is then not the mean of the Mallows kernels of these complete rankings. It is still positive definite: it
    equals `exp(lam / 2 <s, t>)` times a constant, where s and t are the vectors of the mean signs of pairs of items.
    The distance of a ranking with ties from itself is not zero, so its self-similarity is below 1.

    Parameters
    ----------
    X, Y, input, top, ties, missing, dtype, out, n_jobs, progress
        As for `gram_matrix`.
    lam : float
        The rate at which the similarity falls with each discordant pair; not negative.
    normalize : bool
        Divide by the square roots of both self-similarities. The result is `exp(-lam / 4 |s - t|^2)`, which is 1 for
        equal rankings. For complete rankings `normalize` does not change the values.

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
    """Kernel between each ranking and itself: the diagonal of `gram_matrix`, with the same parameters.

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
    """Read rankings and compute a matrix of their values."""
    run.check()
    x, y = reading.both(X, Y, run.threads)
    return gram_of(x, y, what, run)


def gram_of(x: CheckedRankings, y: CheckedRankings | None, what: Specification, run: Run) -> NDArray[Any]:
    """Compute the matrix between all rankings of `x`, or between those of `x` and of `y`."""
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
    """Compute the value of each ranking with itself."""
    measure = what.measure(rankings.items)
    if run.result_type == np.float32:
        measure.check_single()
    own = _core.diagonal(measure, suited(rankings, what).core, threads=run.threads)
    return own.astype(run.result_type, copy=False)
