"""The embedding of rankings: the tensors and features whose inner products are the kernels."""

from __future__ import annotations

from typing import Any, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._arguments import as_result_type, as_threads, check_choice, check_flag, check_out, real_array
from wkendall._memory import check_fits
from wkendall._progress import progress_bar
from wkendall.kernels.specification import Kernel
from wkendall.kernels.tensors import one_tensor
from wkendall.reading.rankings import Input, Missing, Ties, Top, as_any_rankings, as_rankings

#: Numbers for which memory is taken at a time where work is done in blocks of rows.
BLOCK = 1 << 20


def embed(
    X: ArrayLike,
    U: ArrayLike,
    *,
    input: Input = "ranks",
    top: Top = "low",
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Tensors of rankings: entry [p, i, j, ..] is U[s(i), s(j), ..], s being ranking p.

    Their inner products are `gram_matrix(X, U=U, order=U.ndim)`, which does not build them.

    Parameters
    ----------
    X, input, top, dtype, out, n_jobs, progress
        As for `gram_matrix`.
    U : array-like of shape (n, .., n)
        Weights of tuples of positions, any number of axes.

    Returns
    -------
    ndarray of shape (m, n, .., n)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.embed([[2, 3, 1]], [0.5, 0.3, 0.2])
    array([[0.3, 0.2, 0.5]])
    """
    result_type, threads = as_result_type(dtype), as_threads(n_jobs)
    check_flag(progress, "progress")
    rankings = as_rankings(X, "X", input, top, threads)
    weights = one_tensor(U, "U", rankings.items)
    shape = (rankings.rows, *weights.shape)
    if out is None:
        check_fits(rankings.rows, weights.size, result_type, "use dtype=np.float32, or `combine` and `linear_function`")
        out = np.empty(shape, dtype=result_type)
    else:
        check_out(out, shape, result_type, U)
    with progress_bar(progress, "embed") as show:
        flat = out.reshape(rankings.rows, weights.size)
        _core.embed(rankings, weights.ndim, weights.ravel(), flat, threads=threads, progress=show)
    return out


def combine(
    X: ArrayLike,
    coef: ArrayLike,
    U: ArrayLike,
    *,
    input: Input = "ranks",
    top: Top = "low",
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[np.float64]:
    """Weighted sum of the tensors of rankings, without building them.

    Parameters
    ----------
    X, U, input, top, n_jobs, progress
        As for `embed`.
    coef : array-like of shape (m,)
        A coefficient for each ranking.

    Returns
    -------
    ndarray of shape (n, .., n)
        The sum over p of `coef[p] * embed(X, U)[p]`.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.combine([[1, 2, 3], [3, 2, 1]], [2, 1], [3, 2, 1])
    array([7., 6., 5.])
    """
    threads = as_threads(n_jobs)
    check_flag(progress, "progress")
    rankings = as_rankings(X, "X", input, top, threads)
    weights = one_tensor(U, "U", rankings.items)
    coefficients = real_array(coef, "coef", (1,), "an array of one coefficient for each ranking")
    if len(coefficients) != rankings.rows:
        raise ValueError(f"coef has {len(coefficients)} coefficients, but X has {rankings.rows} rankings")
    if not np.isfinite(coefficients).all():
        place = int(np.argmin(np.isfinite(coefficients)))
        raise ValueError(f"coef[{place}] is {coefficients[place]}: coefficients must be finite")
    with progress_bar(progress, "combine") as show:
        total = _core.combine(rankings, coefficients, weights.ndim, weights.ravel(), threads=threads, progress=show)
    return total.reshape(weights.shape)


def linear_function(
    X: ArrayLike,
    U: ArrayLike,
    B: ArrayLike,
    *,
    input: Input = "ranks",
    top: Top = "low",
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[np.float64]:
    """Inner product of `B` and the tensor of each ranking, without building the tensors.

    It equals `linear_function(inverse(X), B, U)`: items and positions, weights and coefficients change places.

    Parameters
    ----------
    X, U, input, top, n_jobs, progress
        As for `embed`.
    B : array-like of the same shape as U
        A coefficient for each tuple of items.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.linear_function([[1, 2, 3], [3, 2, 1]], U=[3, 2, 1], B=[1, 0, 0])
    array([3., 1.])
    """
    threads = as_threads(n_jobs)
    check_flag(progress, "progress")
    rankings = as_rankings(X, "X", input, top, threads)
    weights = one_tensor(U, "U", rankings.items)
    tensor = one_tensor(B, "B", rankings.items, weights.ndim)
    with progress_bar(progress, "linear_function") as show:
        return _core.linear_function(
            rankings, weights.ndim, weights.ravel(), tensor.ravel(), threads=threads, progress=show
        )


def inverse(X: ArrayLike, *, input: Input = "ranks", top: Top = "low") -> NDArray[np.int64]:
    """Inverse permutation of each ranking: entry [p, a] is the number, from 1, of the item that ranking p puts a-th.

    Parameters
    ----------
    X, input, top
        As for `gram_matrix`.

    Returns
    -------
    ndarray of shape (m, n)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.inverse([[2, 3, 1]])
    array([[3, 1, 2]])
    """
    return as_rankings(X, "X", input, top).inverse().ranks()


def features(
    X: ArrayLike,
    *,
    weight: str = "standard",
    k: SupportsIndex | None = None,
    u: str | ArrayLike | None = None,
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
) -> NDArray[Any]:
    """Explicit features whose inner products are the kernel of order 2, for linear models on many rankings.

    With N = n (n - 1) / 2 pairs of items i < j, and the weight of the pair's two ranks:

    - signed: N columns, the weight times the sign of the pair's order. The average kernel, a mean over k = 1..n of top-k
      kernels, has N columns for each k from 2.
    - standard: N + 1 columns, the signs divided by the root of 2, and a constant, because a pair of signs that agree is half of
      one more than their product.
    - all others: 2 N columns, N for the pairs in the one order and N for those in the other; the average kernel as above.

    Parameters
    ----------
    X, weight, k, u, signed, normalize, input, top, ties, missing, dtype, out, n_jobs, progress
        As for `gram_matrix`, without `missing="anywhere"`.

    Returns
    -------
    ndarray of shape (m, columns)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.features([[1, 2, 3], [3, 2, 1]], signed=True)
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """
    result_type, threads = as_result_type(dtype), as_threads(n_jobs)
    check_flag(progress, "progress")
    check_choice(missing, "missing", get_args(Missing))
    if missing == "anywhere":
        raise ValueError('missing="anywhere" has no features: they are for ties="mean" and missing="bottom"')
    rankings = as_any_rankings(X, "X", input, top, ties, missing, threads)
    measure = Kernel(weight, k, u, None, None, 2, True, signed, normalize).measure(rankings.items)
    shape = (rankings.rows, _core.feature_columns(measure))
    if out is None:
        check_fits(*shape, result_type, "use dtype=np.float32, or make them in blocks of rows")
        out = np.empty(shape, dtype=result_type)
    else:
        check_out(out, shape, result_type)
    with progress_bar(progress, "features") as show:
        _core.features(measure, rankings, out, threads=threads, progress=show)
    return out
