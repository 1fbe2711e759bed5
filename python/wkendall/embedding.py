"""Rankings as tensors and as feature vectors: inner products of tensors, or of feature vectors, are values of kernels."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._arguments import check_same_rows, real_array
from wkendall._errors import RankingError, bad_argument
from wkendall._memory import check_fits
from wkendall._run import Run, progress_bar
from wkendall.arrays.options import RANKS, from_places
from wkendall.gram import as_kernel, gram_of
from wkendall.measures import Kendall, Kernel
from wkendall.rankings import Rankings, read_complete, read_rankings
from wkendall.tensors import one_tensor

#: The number of array entries allocated at a time when rows are processed in blocks.
BLOCK = 1 << 20
#: Why tensors of weights, and what learns them, do not take `missing="anywhere"`.
NO_TENSORS = (
    "which is for the standard weight: means of position weights over all positions of an item are not computed; use "
    "missing='bottom', or KendallFeatures or a kernel without position weights"
)


def embed(X: ArrayLike | Rankings, U: ArrayLike) -> NDArray[np.float64]:
    """Tensors of rankings: entry [p, i, j, ..] is U[s(i), s(j), ..], where s(i) is the rank of item i in ranking p.

    Each ranking becomes an array with as many axes as U. This array is called the tensor of the ranking. The inner
    products of the tensors are the entries of `gram_matrix(X, U=U, order=U.ndim)`. `gram_matrix` computes these entries
    without building the tensors.

    The tensor of a ranking with ties is the mean of the tensors of all complete rankings that agree with this ranking
    (see `Rankings`). Tied items share several ranks; these ranks are called their block. The block of an item that is
    not tied is its rank. If U has two axes, the entry of the items i and j is a mean:

    - i and j have different blocks: the mean of U[a, b] over all ranks a of the block of i and all ranks b of the block
      of j.
    - i and j are different items with the same block: the mean of U[a, b] over all pairs of different ranks a and b of
      the block.
    - i = j: the mean of U[a, a] over all ranks a of the block.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings, one per row. Items of unknown position (`missing="anywhere"`) raise an error.
    U : array-like of shape (n, .., n)
        Weights of tuples of positions; U can have any number of axes. For rankings with ties or missing items, U can
        have at most two axes.

    Returns
    -------
    ndarray of shape (m, n, .., n)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.embed([[2, 3, 1]], [0.5, 0.3, 0.2])
    array([[0.3, 0.2, 0.5]])
    >>> wkendall.embed(wkendall.Rankings([[2, 2, 1]], ties="mean"), [0.5, 0.25, 0.75])
    array([[0.5, 0.5, 0.5]])
    """
    return embed_of(_embeddable(X), U, Run())


def combine(X: ArrayLike | Rankings, coef: ArrayLike, U: ArrayLike) -> NDArray[np.float64]:
    """Weighted sum of the tensors of rankings (see `embed`), computed without building the tensors.

    Parameters
    ----------
    X, U
        As for `embed`.
    coef : array-like of shape (m,)
        One coefficient for each ranking.

    Returns
    -------
    ndarray of shape (n, .., n)
        The sum of `coef[p] * embed(X, U)[p]` over p.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.combine([[1, 2, 3], [3, 2, 1]], [2, 1], [3, 2, 1])
    array([7., 6., 5.])
    """
    rankings = _embeddable(X)
    weights = one_tensor(U, "U", rankings.items)
    coefficients = real_array(coef, "coef", (1,), "an array of one coefficient for each ranking")
    if len(coefficients) != rankings.rows:
        raise bad_argument("coef", f" has {len(coefficients)} coefficients, but X has {rankings.rows} rankings")
    check_same_rows(X, coef, ("X", "coef"))
    if not np.isfinite(coefficients).all():
        place = int(np.argmin(np.isfinite(coefficients)))
        value = float(coefficients[place])
        raise bad_argument("coef", f"[{place}] is {value}: coefficients must be finite", value=value)
    return combine_of(rankings, coefficients, weights, Run())


def linear_function(X: ArrayLike | Rankings, U: ArrayLike, B: ArrayLike) -> NDArray[np.float64]:
    """Inner product of `B` and the tensor of each ranking (see `embed`), computed without building the tensors.

    For complete rankings, U and B can be exchanged: the result equals `linear_function(inverse(X), B, U)`.

    Parameters
    ----------
    X, U
        As for `embed`.
    B : array-like of the same shape as U
        One coefficient for each tuple of items.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.linear_function([[1, 2, 3], [3, 2, 1]], U=[3, 2, 1], B=[1, 0, 0])
    array([3., 1.])
    """
    return linear_function_of(_embeddable(X), U, B, Run())


def inverse(X: ArrayLike | Rankings) -> NDArray[np.int64]:
    """Inverse permutation of each ranking: entry [p, a] is the number of the item at position a of ranking p.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Complete rankings.

    Returns
    -------
    ndarray of shape (m, n)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.inverse([[2, 3, 1]])
    array([[3, 1, 2]])

    The order [3, 1, 4, 2] puts item 3 first, then item 1, item 4 and item 2. The inverse of this order contains the
    ranks of the items 1, 2, 3 and 4:

    >>> orders = [[3, 1, 4, 2]]
    >>> wkendall.inverse(orders)
    array([[2, 4, 1, 3]])
    """
    return read_complete(X)._handle.inverse().ranks()


def features(
    X: ArrayLike | Rankings,
    kernel: Kernel | None = None,
    *,
    dtype: DTypeLike = np.float64,
    out: NDArray[Any] | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Feature vectors whose inner products are the kernel, for linear models on many rankings.

    The kernel must be a sum over pairs of items (order 2). For n items, there are N = n (n - 1) / 2 pairs of items
    `i < j`. The sign of a pair in a ranking is 1 if i comes before j, and -1 otherwise. The weight of a pair in a
    ranking depends on the ranks of its two items. The columns of the result depend on the kernel:

    - `signed=True`: N columns, one for each pair. The column of a pair contains the weight of the pair times its sign.
    - Standard weight, `signed=False`: N columns with the signs divided by sqrt(2), and one constant column. The reason
      is that a pair adds (1 + product of its signs in the two rankings) / 2 to the kernel. This number is 1 if the two
      signs are equal, and 0 otherwise.
    - Other weights, `signed=False`: 2 N columns. The first N columns contain the weight of each pair if i comes before
      j, and 0 otherwise. The last N columns contain the weight if j comes before i, and 0 otherwise.
    - `Kendall("average")`: the columns of the kernel `Kendall("top", k=k)` for each k = 2..n, all divided by sqrt(n).
      The reason is that the average kernel is the sum of these kernels, divided by n.

    Parameters
    ----------
    X, dtype, out, n_jobs, progress
        As for `gram_matrix`. Items of unknown position (`missing="anywhere"`) are allowed only for `Kendall()`, with or
        without `signed` and `normalize`. Such items are not allowed for sums or multiples of kernels. With such items,
        the sign of a pair is replaced by its mean over all possible positions of the items. The columns are in the
        order of the items of `X`. If a second set of rankings has its items in another order, use `KendallFeatures`.
    kernel : `Kendall`, or a sum of multiples of `Kendall` kernels, optional
        The kernel; the default is the Kendall kernel. For a sum of kernels, the result has the columns of the first
        kernel, then the columns of the second kernel, and so on.

    Returns
    -------
    ndarray of shape (m, columns)

    Examples
    --------
    >>> import wkendall
    >>> wkendall.features([[1, 2, 3], [3, 2, 1]], wkendall.Kendall(signed=True))
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """
    chosen = as_kernel(kernel, "features")
    run = Run(dtype, out, n_jobs, progress).check()
    return features_of(read_rankings(X, "X", RANKS, run.threads), chosen, run)


def _embeddable(X: ArrayLike | Rankings) -> _core.Rankings:
    """Read rankings for the computation of their tensors."""
    rankings = read_rankings(X, "X", RANKS._replace(anywhere=False))
    if rankings._missing == "anywhere":
        raise bad_argument("missing", f" is 'anywhere', {NO_TENSORS}", value="anywhere")
    return rankings._handle


def features_of(rankings: Rankings, kernel: Kernel, run: Run) -> NDArray[Any]:
    """Compute the features of rankings."""
    if rankings._missing == "anywhere":
        return _features_anywhere(rankings, kernel, run)
    measure = kernel._measure(rankings.n_items)
    shape = (len(rankings), _columns(measure))
    out = run.result(shape, shape[1], "use dtype=np.float32, or make them in blocks of rows")
    with progress_bar(run.progress, "features") as show:
        _core.features(measure, rankings._handle, out, threads=run.threads, progress=show)
    return out


def _features_anywhere(rankings: Rankings, kernel: Kernel, run: Run) -> NDArray[Any]:
    """Compute the features of rankings with items of unknown position: means over all possible positions of these items."""
    if not isinstance(kernel, Kendall):
        rule = "which has features for one Kendall(), with or without signed and normalize: not for sums of kernels"
        raise bad_argument("missing", f" is 'anywhere', {rule}", value="anywhere")
    # Refuses what the kernel does not take.
    gram_of(rankings[:1], None, kernel, run._replace(dtype=np.float64, out=None, progress=False))
    n = rankings.n_items
    complete = from_places(np.arange(1.0, n + 1)[np.newaxis])
    factors = np.empty((1, _columns(kernel._measure(n))))
    _core.features(kernel._measure(n), complete, factors, threads=run.threads)
    pairs = n * (n - 1) // 2
    out = run.result(
        (len(rankings), factors.shape[1]), factors.shape[1], "use dtype=np.float32, or make them in blocks of rows"
    )
    step = max(1, BLOCK // max(factors.shape[1], 1))
    with progress_bar(run.progress, "features") as show:
        for start in range(0, len(rankings), step):
            some = slice(start, start + step)
            signs = mean_signs(rankings[some])
            vectors = np.repeat(factors, len(signs), axis=0)
            vectors[:, :pairs] *= signs
            if kernel.normalize:
                norms = np.linalg.norm(vectors, axis=1, keepdims=True)
                vectors /= np.where(norms > 0, norms, 1)
            out[some] = vectors
            if show is not None:
                show(min(start + step, len(rankings)), len(rankings))
    return out


def columns_of_features(kernel: Kernel, rankings: Rankings) -> int | None:
    """Return the number of features of a kernel; None if the kernel has no features."""
    if not isinstance(kernel, Kendall) or rankings._missing == "anywhere" or kernel.order != 2:
        return None
    return _columns(kernel._measure(rankings.n_items))


def _columns(measure: _core.Measure) -> int:
    try:
        return _core.feature_columns(measure)
    except RankingError:
        raise
    except ValueError as error:
        raise RankingError(str(error), argument="kernel", kind="no features") from None


def embed_of(rankings: _core.Rankings, U: ArrayLike, run: Run, *, inverse: bool = False) -> NDArray[Any]:
    """Compute the tensors of rankings, or of their inverse permutations."""
    weights = one_tensor(U, "U", rankings.items)
    advice = "use `combine` and `linear_function`"
    out = run.result((rankings.rows, *weights.shape), weights.size, advice)
    flat = out.reshape(rankings.rows, weights.size)
    _core.embed(rankings, weights.ndim, weights.ravel(), flat, threads=run.threads, inverse=inverse)
    return out


def combine_of(
    rankings: _core.Rankings,
    coefficients: NDArray[np.float64],
    weights: NDArray[np.float64],
    run: Run,
    *,
    inverse: bool = False,
) -> NDArray[np.float64]:
    """Compute the weighted sum of the tensors of rankings, or of their inverse permutations."""
    flat = np.ascontiguousarray(weights).ravel()
    total = _core.combine(rankings, coefficients, weights.ndim, flat, threads=run.threads, inverse=inverse)
    return total.reshape(weights.shape)


def linear_function_of(
    rankings: _core.Rankings, U: ArrayLike, B: ArrayLike, run: Run, *, inverse: bool = False
) -> NDArray[np.float64]:
    """Compute the inner product of `B` and the tensor of each ranking, or of its inverse permutation."""
    weights = one_tensor(U, "U", rankings.items)
    tensor = one_tensor(B, "B", rankings.items, weights.ndim).ravel()
    with progress_bar(run.progress, "linear_function") as show:
        return _core.linear_function(
            rankings, weights.ndim, weights.ravel(), tensor, threads=run.threads, progress=show, inverse=inverse
        )


def mean_signs(rankings: Rankings) -> NDArray[np.float64]:
    """Return the mean sign of each pair of items over all complete rankings that agree with a ranking.

    The sign is 1 if the first item comes first, and -1 if the second item comes first. If a ranking lists k items,
    there are k + 1 places for a missing item: before, between and after the listed items. The missing item is in each
    place with the same probability. So it comes after a listed item of rank r with probability 1 - r / (k + 1). For
    tied items, r is their mean rank.
    """
    rows, n = rankings.shape
    check_fits(rows, n * (n - 1) // 2, np.dtype(np.float64), "take fewer items or rows")
    from scipy.stats import rankdata  # loaded here: the command line and matrices start without scipy

    ranks = np.asarray(rankings._ranks(), dtype=np.float64)
    missing = np.isnan(ranks)
    signs = signs_of(np.where(missing, n + 1, ranks))
    if rankings._missing == "anywhere" and missing.any():
        first, second = np.triu_indices(n, 1)
        listed = n - missing.sum(axis=1, keepdims=True)
        lead = np.nan_to_num(1 - 2 * rankdata(ranks, axis=1, nan_policy="omit") / (listed + 1))
        unknown = missing[:, first] | missing[:, second]
        signs = np.where(unknown, lead[:, first] - lead[:, second], signs)
    return signs


def signs_of(ranks: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sign of each pair of items: 1 if the first item comes first, -1 if the second does, and 0 for ties."""
    first, second = np.triu_indices(ranks.shape[1], 1)
    signs: NDArray[np.float64] = np.sign(ranks[:, second] - ranks[:, first]).astype(np.float64)
    return signs
