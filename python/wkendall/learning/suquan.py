"""SUQUAN-SVD: position weights from labelled rankings, by singular vectors.

U contains weights of tuples of d positions, and B contains coefficients of tuples of d items. The score of a ranking s
is <B, Phi_U(s)>, where Phi_U(s) is the tensor of the ranking (see `embed`). Each ranking p has a coefficient c_p, which
is positive for one class and negative for the other class. Let Pi_p be the permutation matrix of ranking p. Let M be
the sum of c_p (Pi_p x .. x Pi_p) over all rankings p. Here x is the Kronecker product of d matrices, so M acts on
arrays with d axes. The difference between the mean scores of the two classes is <U, M B>. Among all U and B of norm 1,
the leading singular vectors of M make this difference largest.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import (
    Array,
    as_axes,
    as_order,
    as_threads,
    check_flag,
    check_same_rows,
    check_unmasked,
    entry_name,
)
from wkendall._errors import bad_argument, shown
from wkendall._memory import check_fits
from wkendall._run import Show, progress_bar
from wkendall.arrays.options import RANKS
from wkendall.embedding import NO_TENSORS
from wkendall.learning.decomposition import Pure, scattered
from wkendall.learning.position_tensors import PositionTensors, tensors_of
from wkendall.learning.singular_values import across, leading
from wkendall.rankings import Rankings, read_rankings, sample_weights
from wkendall.tensors import position_weights

#: A tensor is not used to fix a direction if its projection onto the subspace is shorter than this fraction of its
#: length.
ACROSS = 1e-4


class SuquanSVD(NamedTuple):
    """What `suquan_svd` returns: learned weights U, coefficients B, singular values and their multiplicities."""

    U: Array
    B: Array
    singular_values: Array
    multiplicity: NDArray[np.int64]


def suquan_svd(
    X: ArrayLike | Rankings,
    y: ArrayLike,
    order: SupportsIndex = 2,
    n_components: SupportsIndex = 1,
    *,
    pure: bool = False,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> SuquanSVD:
    """Learn the position weights that best separate two classes of rankings, by singular vectors (SUQUAN-SVD).

    For order 2, U contains a weight for each pair of positions, and B contains a coefficient for each pair of items.
    The score of a ranking is the sum of `B[i, j] U[s(i), s(j)]` over all items i and j, where s(i) is the position of
    item i in the ranking. SUQUAN-SVD finds U and B of norm 1 such that the difference between the mean scores of the
    two classes is as large as possible.

    U and B are singular vectors of a matrix M. For order 2, M has a row for each pair of items, and a column for each
    pair of positions. Each ranking has a coefficient c: 1 divided by the number of rankings in its class, with a minus
    sign for one of the two classes. A ranking adds c to M in the row (i, j) and the column (s(i), s(j)), for all items
    i and j. For the largest singular value of M, B is a left singular vector, and U is a right singular vector.

    The largest singular value often has several right singular vectors, which span a subspace. To choose U from this
    subspace, the function tries some fixed arrays, one after another: the weights of the standard kernel, the identity,
    weights that fall linearly with the ranks, and pseudorandom arrays. It takes the first of these arrays that is not
    orthogonal to the subspace. U is the array of norm 1 in the subspace that is nearest to the array taken. So the same
    data give the same U on any machine.

    For order 2, the largest singular value usually has three right singular vectors. U is then a weighted sum of three
    arrays, which are made from one vector v with a number v[a] for each position a. The first array has v[a] in each
    entry [a, b], the second has v[b] in each entry [a, b], and the third has v[a] in each entry [a, a] and is zero
    elsewhere. The kernel `TensorKernel(U)` then compares only the positions of single items, not pairs of items. With
    `pure=True`, U has no parts that depend on single positions, so `TensorKernel(U)` compares pairs of items.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings, one per row. For orders 1 and 2, the rankings may have ties and missing items, but not
        `missing="anywhere"`. The score of a ranking with ties is the mean of the scores of all complete rankings that
        do not contradict it (see `Rankings`).
    y : array-like of shape (m,)
        The class of each ranking. There must be two classes. The class that comes later in sorted order is the positive
        class: its mean score is the larger one, and its rankings have positive coefficients c.
    order : int
        The number of axes of U and B: 2 means pairs of positions and pairs of items.
    n_components : int
        The number of distinct singular values to use. If this number is above 1, U contains several arrays, one for
        each singular vector, and has one more axis, in front. First come orthonormal right singular vectors of the
        largest singular value, then those of the second largest singular value, and so on. In the same way, B contains
        the left singular vectors. The kernel `TensorKernel(U)` does not depend on the choice of the orthonormal
        vectors.
    pure : bool
        If True, all parts of U that depend on fewer than `order` positions are removed, and all parts of B that depend
        on fewer than `order` items. U and B are then zero where two indices are equal, and their sum over each index is
        zero. For order 2, the diagonal, the row sums and the column sums are zero.
    n_jobs : int, optional
        As for `gram_matrix`.
    progress : bool, keyword only
        Whether to show a progress bar of the iterations; needs tqdm. The bar shows an estimate of the total number of
        iterations. With only a few items there are no iterations.

    Returns
    -------
    SuquanSVD
        A named tuple with these fields:

        - `U`: the weights of pairs (or longer tuples) of positions, of norm 1 and shape (n, .., n). If `n_components`
          is above 1, `U` contains several such arrays and has one more axis, in front.
        - `B`: the coefficients of pairs (or longer tuples) of items, with the same shape as `U`.
        - `singular_values`: the distinct singular values, in decreasing order.
        - `multiplicity`: for each distinct singular value, the number of its right singular vectors.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3], [1, 3, 2], [3, 2, 1], [2, 3, 1]]
    >>> found = wkendall.suquan_svd(X, ["b", "b", "a", "a"], order=1)
    >>> found.U.round(3)
    array([ 0.816, -0.408, -0.408])
    """
    threads, axes = as_threads(n_jobs), as_axes(order, "order")
    components = as_order(n_components, "n_components")
    check_flag(pure, "pure")
    check_flag(progress, "progress")
    rankings = read_rankings(X, "X", RANKS._replace(anywhere=False), threads)
    check_learnable(rankings, axes)
    coefficients = class_coefficients(y, sample_weights(None, rankings))
    check_same_rows(rankings, y, ("X", "y"))
    with progress_bar(progress, "suquan_svd") as show:
        return leading_weights(tensors_of(rankings, threads), coefficients, axes, components, bool(pure), show)


def check_learnable(rankings: Rankings, order: int) -> None:
    """Raise an error if weights of this order cannot be learned from the rankings."""
    if rankings._missing == "anywhere":
        raise bad_argument("missing", f" is 'anywhere', {NO_TENSORS}", value="anywhere")
    if rankings.kind != "complete" and order > 2:
        rule = "with ties or missing items weights are learned for order 1 and 2 only"
        why = "means over more than two tied items at a time are not implemented"
        raise bad_argument("order", f" is {order}, but {rule}: {why}", value=order)


def class_coefficients(y: ArrayLike, weights: Array) -> Array:
    """Return the weight of each ranking divided by the total weight of its class.

    For the class that comes first in sorted order, this number gets a minus sign.
    """
    rows = len(weights)
    check_unmasked(y, "y")
    try:
        labels = np.asarray(y)
    except ValueError:
        raise bad_argument("y", f" is {shown(y)}, but must have shape ({rows},), a label for each ranking") from None
    if labels.shape != (rows,):
        raise bad_argument("y", f" has shape {labels.shape}, but X has {rows} rankings: it must have shape ({rows},)")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise bad_argument(entry_name(y, "y", row), f" is {labels[row]}, but must be the class of a ranking")
    if labels.dtype == object:
        kinds = sorted({type(label).__name__ for label in labels})
        if len(kinds) > 1 or kinds == ["NoneType"]:
            raise bad_argument("y", f" holds {' and '.join(kinds)}, but all labels must be of one kind")
    classes, member = np.unique(labels, return_inverse=True)
    if len(classes) != 2:
        raise bad_argument("y", f" has {len(classes)} different labels, but must have two, one for each class")
    sums = np.bincount(member, weights)
    if not sums.all():
        raise bad_argument("counts", f" is zero for all rankings of class {classes[int(sums.argmin())]}")
    return np.where(member == 1, weights, -weights) / sums[member]


def leading_weights(
    sample: PositionTensors, coefficients: Array, order: int, components: int, pure: bool, show: Show | None = None
) -> SuquanSVD:
    """Do SUQUAN-SVD for rankings with given coefficients c_p. The sum of the coefficients must be zero."""
    items = sample.items
    shape = (items,) * order
    if items == 0:
        raise bad_argument("X", " has no items: there are no positions to learn weights of")
    if pure and items <= order:
        none = f"{items} items have no tensors of order {order} without a part of lower order"
        raise bad_argument("pure", f" needs at least {order + 1} items: {none}")
    check_fits(items ** (order - 1), items, np.dtype(np.float64), "use a lower order", shape=f"{items}^{order}")
    found = leading(sample, coefficients, order, components, pure, show)
    if not found:
        return _nothing_learned(items, order, components, pure)
    left, right, multiplicity = [], [], []
    for group in found:
        bases = [singular.lifted(order) for singular in group]
        basis, partners = (np.concatenate(side) for side in zip(*bases, strict=True))
        multiplicity.append(len(basis))
        chosen = _fixed_directions(basis, items, order, 1 if components == 1 else len(basis))
        left.append(chosen @ basis)
        right.append(chosen @ partners)
    values = np.array([group[0].value for group in found])
    U, B = (np.concatenate(side).reshape(-1, *shape) for side in (left, right))
    if components == 1:
        U, B = U[0], B[0]
    return SuquanSVD(U, B, values, np.array(multiplicity))


def _nothing_learned(items: int, order: int, components: int, pure: bool) -> SuquanSVD:
    """Return the standard weights, or their pure part, for M = 0. Every direction is then a leading singular vector."""
    warnings.warn("the rankings contain no information about y: no weights can be learned", UserWarning, stacklevel=4)
    project = Pure(items, order) if pure else np.atleast_2d
    for tensor in _directions(items, order):
        weights = project(tensor.reshape(1, -1))
        size = float(np.linalg.norm(weights))
        if size > ACROSS * float(np.linalg.norm(tensor)):
            break
    U = (weights / size).reshape((items,) * order)
    U = U if components == 1 else U[np.newaxis]
    return SuquanSVD(U, U.copy(), np.zeros(1), np.array([items**order]))


def _fixed_directions(basis: Array, items: int, order: int, count: int) -> Array:
    """Return coefficients of vectors in the span of a basis. The vectors depend only on the span, not on the basis.

    The vectors have norm 1 and are nearest to fixed tensors. Each new vector is orthogonal to the vectors before it.
    """
    chosen = np.empty((0, len(basis)))
    for tensor in _directions(items, order):
        place = (basis @ tensor.ravel())[np.newaxis]
        place = across(across(place, chosen), chosen)
        size = float(np.linalg.norm(place))
        if size > ACROSS * float(np.linalg.norm(tensor)):
            chosen = np.concatenate([chosen, place / size])
        if len(chosen) == count:
            break
    return chosen


def _directions(items: int, order: int) -> Iterator[Array]:
    """Yield the standard weights, the identity, weights that fall linearly with ranks, then pseudorandom tensors."""
    yield position_weights(items, order=order)
    identity = np.zeros((items,) * order)
    identity[(np.arange(items),) * order] = 1.0
    yield identity
    yield sum(np.ogrid[(slice(items),) * order], np.zeros((items,) * order))[(slice(None, None, -1),) * order]
    for vector in scattered(items**order):
        yield vector.reshape((items,) * order)
