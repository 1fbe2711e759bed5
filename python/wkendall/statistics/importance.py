"""The pairs of items that matter most to a function of rankings."""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import Array, as_order, real_array
from wkendall._errors import bad_argument, bad_type
from wkendall._text import shown
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Kernel
from wkendall.reading.rankings import Input, Missing, Reading, Ties, Top
from wkendall.statistics.pair_kernels import check_all_items_fit, check_pairs


class PairImportance(NamedTuple):
    """What `pair_importance` returns: pairs of items and their effects, the largest first.

    Attributes
    ----------
    first : ndarray
        The item that adds more to the function if it comes first: its number, from 0, or its name.
    second : ndarray
        The other item.
    effect : ndarray
        How much more "first before second" adds than "second before first"; not negative.

    Examples
    --------
    >>> import wkendall
    >>> isinstance(wkendall.pair_importance([[1, 2, 3]], [1]), wkendall.PairImportance)
    True
    """

    first: NDArray[Any]
    second: NDArray[Any]
    effect: Array


def pair_importance(
    X: ArrayLike,
    coef: ArrayLike,
    *,
    n_pairs: SupportsIndex = 20,
    items: ArrayLike | None = None,
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
) -> PairImportance:
    """Find the pairs of items that matter most to a linear function of rankings, such as a support vector machine.

    The function is f(s) = sum over p of `coef[p]` K(s, X[p]). It is a sum of contributions of pairs of items. With the
    standard weight, a contribution depends only on which of the two items comes first. The effect of a pair is the
    contribution of "first before second" minus that of "second before first". With other weights, a contribution also
    depends on the positions of the two items. The effect is then the mean over all positions that they can have in a
    complete ranking.

    Parameters
    ----------
    X : array-like of shape (m, n)
        Rankings, as for `gram_matrix`: the support vectors, or all training rankings. Sparse arrays are read as lists
        and expanded to an array of shape (m, n).
    coef : array-like of shape (m,) or (1, m)
        A finite coefficient for each ranking: `dual_coef_` of a fitted `SVC` with two classes, of `SVR` or of `KernelRidge`.
    n_pairs : int
        Number of pairs to return, from 1; all pairs if there are fewer.
    items : array-like of n names, optional
        Names to return in place of numbers.
    weight, k, u, U, signed, normalize
        The kernel of the function, as for `gram_matrix`. With `normalize` the effects hold for complete rankings, whose
        self-similarities are all equal.
    W, order, check
        `W` and orders other than 2 are refused: effects need weights of pairs of items, given by name or by `U`.
    input, top, ties, missing, n_jobs
        As for `gram_matrix`.

    Returns
    -------
    PairImportance
        A named tuple of the arrays `first`, `second` and `effect`, the largest effects first. Effects are not negative:
        if "a before b" lowers the value of the function, the pair is returned as "b before a". Equal effects are in the
        order of the items.

    Examples
    --------
    >>> import wkendall
    >>> from sklearn.svm import SVC
    >>> X, y = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 2, 1]], ["a first", "a first", "b first", "b first"]
    >>> model = SVC(kernel="precomputed").fit(wkendall.gram_matrix(X), y)
    >>> support = [X[row] for row in model.support_]
    >>> found = wkendall.pair_importance(support, model.dual_coef_, n_pairs=1, items=["a", "b", "c"])
    >>> found.first, found.second, found.effect.round(1)
    (array(['b'], dtype='<U1'), array(['a'], dtype='<U1'), array([2.]))
    """
    kernel = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    run = Run(n_jobs=n_jobs)
    run.check()
    count = as_order(n_pairs, "n_pairs")
    check_pairs(kernel, "pair importance")
    rankings = Reading(input, top, ties, missing).rankings(X, "X", run.threads)
    check_all_items_fit(rankings)
    coefficients = _coefficients(coef, rankings.rows)
    names = None if items is None else _names(items, rankings.items)
    measure = kernel.measure(rankings.items)
    # Divided by a power of two, so that sums of large coefficients do not overflow on the way.
    exponent = int(np.frexp(np.abs(coefficients).max(initial=0.0))[1])
    scaled = np.ldexp(coefficients, -exponent)
    first, second, effect = _core.largest_effects(measure, rankings.core, scaled, count, threads=run.threads)
    with np.errstate(over="ignore"):
        effect = np.ldexp(effect, exponent)
    _check_finite(first, second, effect)
    if names is None:
        return PairImportance(first, second, effect)
    return PairImportance(names[first], names[second], effect)


def _coefficients(coef: Any, rows: int) -> Array:
    """Return one coefficient for each ranking."""
    dense = coef.toarray() if hasattr(coef, "toarray") else coef
    found = real_array(dense, "coef", (1, 2), "an array of one coefficient for each ranking")
    if found.ndim == 2 and len(found) != 1:
        rule = "one function at a time: fit two classes, or one class against the rest"
        raise bad_argument(
            "coef", f" has shape {found.shape}, the coefficients of {len(found)} functions: pass those of {rule}"
        )
    found = found.ravel()
    if len(found) != rows:
        rule = f" has {len(found)} coefficients, but X has {rows} rankings: each needs one"
        raise bad_argument("coef", rule, value=len(found), kind="rows differ")
    if not np.isfinite(found).all():
        place = int(np.argmin(np.isfinite(found)))
        value = float(found[place])
        raise bad_argument("coef", f"[{place}] is {value}: coefficients must be finite", row=place, value=value)
    return found


def _check_finite(first: NDArray[Any], second: NDArray[Any], effect: Array) -> None:
    """Refuse effects that no double can hold."""
    for place in np.flatnonzero(~np.isfinite(effect))[:1].tolist():
        pair = f"of items {int(first[place])} and {int(second[place])}"
        rule = "divide the coefficients, or the weights of the kernel, by a power of ten"
        raise bad_argument("coef", f": the effect {pair} is too large for a double; {rule}", kind="infinite")


def _names(items: ArrayLike, count: int) -> NDArray[Any]:
    """Return the names of all items."""
    names = np.asarray(items)
    if names.ndim != 1:
        raise bad_type("items", f" must be the names of {count} items, not {shown(items)}")
    if len(names) != count:
        raise bad_argument("items", f" has {len(names)} names, but X ranks {count} items")
    return names
