"""The pairs of items that matter most for the value of a function of rankings."""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import Array, as_order, check_same_rows, real_array
from wkendall._errors import bad_argument
from wkendall._run import Run
from wkendall.gram import as_kernel, check_pairs
from wkendall.measures import Kernel
from wkendall.rankings import Rankings, check_all_items_fit, read_rankings


class PairImportance(NamedTuple):
    """What `pair_importance` returns: pairs of items and their effects on a linear function, the largest effect first.

    Attributes
    ----------
    first : ndarray
        One item of each pair, by its name, or by its number from 0. The value of the function is larger if this item
        comes first.
    second : ndarray
        The other item of each pair.
    effect : ndarray
        What "first before second" adds to the value of the function, minus what "second before first" adds. Effects are
        at least 0.

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
    X: ArrayLike | Rankings,
    coef: ArrayLike,
    *,
    kernel: Kernel | None = None,
    n_pairs: SupportsIndex = 20,
    n_jobs: SupportsIndex | None = None,
) -> PairImportance:
    """Find the pairs of items that matter most for a linear function of rankings, such as a support vector machine.

    The linear function is f(s) = sum over p of `coef[p]` K(s, X[p]), where K is the kernel. This function is a sum of
    contributions, one for each pair of items. With the standard weight, a contribution depends only on which of the two
    items comes first. The effect of a pair is the contribution of "first before second" minus the contribution of
    "second before first". With other weights, a contribution also depends on the positions of the two items. The effect
    is then the mean of the difference of the two contributions over all positions that the two items can have in a
    complete ranking.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings: the support vectors, or all training rankings. Rankings that list only some of the items are expanded
        to an array of shape (m, n).
    coef : array-like of shape (m,) or (1, m)
        A finite coefficient for each ranking, such as `dual_coef_` of a fitted `SVR`, of a `KernelRidge`, or of an
        `SVC` with two classes.
    kernel : Kendall, or TensorKernel with U, optional
        The kernel K of the function, of order 2; the default is the Kendall kernel. With `normalize=True`, K(s, X[p])
        is divided by a number that depends on K(s, s). The effects are then computed for complete rankings s, because
        K(s, s) is the same for all of them.
    n_pairs : int
        The number of pairs to return, at least 1. If there are fewer pairs, all pairs are returned.
    n_jobs : int, optional
        As for `gram_matrix`.

    Returns
    -------
    PairImportance
        A named tuple. If "a before b" lowers the value of the function, the pair is returned as "b before a". Pairs
        with equal effects are in the order of their items.

    Examples
    --------
    >>> import wkendall
    >>> from sklearn.svm import SVC
    >>> X, y = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 2, 1]], ["a first", "a first", "b first", "b first"]
    >>> model = SVC(kernel="precomputed").fit(wkendall.gram_matrix(X), y)
    >>> support = wkendall.Rankings(X, items=["a", "b", "c"])[model.support_]
    >>> found = wkendall.pair_importance(support, model.dual_coef_, n_pairs=1)
    >>> found.first, found.second, found.effect.round(1)
    (array(['b'], dtype='<U1'), array(['a'], dtype='<U1'), array([2.]))
    """
    chosen = as_kernel(kernel, "pair_importance")
    run = Run(n_jobs=n_jobs).check()
    count = as_order(n_pairs, "n_pairs")
    check_pairs(chosen, "pair_importance")
    rankings = read_rankings(X, "X", threads=run.threads)
    check_all_items_fit(rankings)
    coefficients = _coefficients(coef, len(rankings))
    check_same_rows(rankings, coef, ("X", "coef"))
    measure = chosen._measure(rankings.n_items)
    # Divided by a power of two, so that sums of large coefficients do not overflow on the way.
    exponent = int(np.frexp(np.abs(coefficients).max(initial=0.0))[1])
    scaled = np.ldexp(coefficients, -exponent)
    first, second, effect = _core.largest_effects(measure, rankings._handle, scaled, count, threads=run.threads)
    with np.errstate(over="ignore"):
        effect = np.ldexp(effect, exponent)
    for place in np.flatnonzero(~np.isfinite(effect))[:1].tolist():
        pair = f"of items {int(first[place])} and {int(second[place])}"
        rule = "divide the coefficients, or the weights of the kernel, by a power of ten"
        raise bad_argument("coef", f": the effect {pair} is too large for a double; {rule}", kind="infinite")
    if rankings._items is None:
        return PairImportance(first, second, effect)
    names = named(rankings._items)
    return PairImportance(names[first], names[second], effect)


def named(items: tuple[Any, ...]) -> NDArray[Any]:
    """Return names as an array: of texts if all are texts, otherwise of objects."""
    if all(isinstance(item, str) for item in items):
        return np.array(items)
    names = np.empty(len(items), dtype=object)
    names[:] = items
    return names


def _coefficients(coef: Any, rows: int) -> Array:
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
