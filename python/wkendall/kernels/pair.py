"""The kernel of one pair of rankings or of one permutation, and the correlation."""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall import _core
from wkendall._arguments import as_threads
from wkendall.kernels.named_weights import STANDARD, named_weight
from wkendall.kernels.specification import Kernel
from wkendall.reading.arrays import check_same_labels
from wkendall.reading.rankings import CheckedRankings, Input, Missing, Reading, Ties, Top, check_same_items


def kernel(
    x: ArrayLike,
    y: ArrayLike,
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
) -> float:
    """Kernel between two rankings, with the parameters of `gram_matrix`.

    For more than one pair, `gram_matrix` is much faster than a loop. A single pair uses one thread, whatever `n_jobs`
    is.

    Returns
    -------
    float

    Examples
    --------
    >>> import wkendall
    >>> wkendall.kernel([1, 2, 3, 4], [2, 1, 3, 4])
    5.0
    >>> wkendall.kernel([1, 2, 3, 4], [2, 1, 3, 4], weight="top", k=2)
    0.0
    """
    what = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    return _pair(what.measure, x, y, Reading(input, top, ties, missing), n_jobs)


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    weight: str = "standard",
    k: SupportsIndex | None = None,
    u: str | ArrayLike | None = None,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    n_jobs: SupportsIndex | None = None,
) -> float:
    """Weighted correlation of two rankings: (C - D) / (C + D).

    C is the sum of the weights of the concordant pairs of items, and D is the sum for the discordant pairs. This is not
    a kernel: the denominator depends on the pair, and a matrix of correlations can have negative eigenvalues. For a
    kernel with values from -1 to 1 use `kernel` with `signed=True, normalize=True`. With the standard weight both
    functions give Kendall's tau. The parameters are as for `gram_matrix`, but `U`, `W`, `order`, `signed` and
    `normalize` are not available.

    With ties or missing items, C and D are the means of the two sums over the complete rankings that agree with the two
    rankings. A pair of tied items adds the same amount to C and to D. The standard weight therefore gives tau-a, with
    all pairs in the denominator. A ranking with ties has a correlation below 1 with itself. For tau-b use `kernel` with
    `signed=True, normalize=True, ties="mean"`.

    Returns
    -------
    float
        From -1 to 1 if the weights are not negative; 0 where the denominator is 0.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.correlation([1, 2, 3, 4], [2, 1, 3, 4])
    0.6666666666666666
    >>> wkendall.correlation([1, 2, 3, 4], [4, 3, 2, 1], weight="add", u="log")
    -1.0
    >>> wkendall.correlation([1, 2, 2, 4], [1, 1, 3, 4], ties="mean")
    0.6666666666666666
    """

    def measure(items: int) -> _core.Measure:
        return _core.Measure.correlation(items, *named_weight(items, weight, k, u))

    return _pair(measure, x, y, Reading(input, top, ties, missing), n_jobs)


def kappa(
    pi: ArrayLike,
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
) -> float:
    """Kernel as a function of one permutation: the kernel between the identity and `pi`.

    The kernel between rankings s and t is `kappa(pi)`, where pi(a) is the rank in t of the item at position a in s. The
    parameters are those of `gram_matrix`. It takes O(n log n) by the paper's partition algorithm, and O(n^2) with `U`
    and `W`.

    Returns
    -------
    float

    Examples
    --------
    >>> import wkendall
    >>> wkendall.kappa([2, 3, 1])
    1.0
    """
    as_threads(n_jobs)
    ranking = Reading(input, top, ties, missing).ranking(pi, "pi")
    measure = Kernel(weight, k, u, U, W, order, check, signed, normalize).measure(ranking.items)
    if top == "low" and ranking.is_complete:
        return measure.kappa(ranking.core)
    # `top="high"` mirrors the ranks of both, and the mirrored identity is not the identity.
    identity = Reading("ranks", top).ranking(np.arange(ranking.items), "identity")
    return _value(measure, identity, ranking)


def _pair(
    measure_of: Callable[[int], _core.Measure],
    x: ArrayLike,
    y: ArrayLike,
    reading: Reading,
    n_jobs: SupportsIndex | None,
) -> float:
    as_threads(n_jobs)
    first, second = reading.ranking(x, "x"), reading.ranking(y, "y")
    check_same_items(first, second, ("x", "y"))
    if reading.input != "orders":
        check_same_labels(x, y, "index", ("x", "y"))
    return _value(measure_of(first.items), first, second)


def _value(measure: _core.Measure, x: CheckedRankings, y: CheckedRankings) -> float:
    out = np.empty((1, 1))
    _core.gram(measure, x.core, y.core, out, threads=1)
    return float(out[0, 0])
