"""Learning the weights of positions from labelled rankings by singular vectors: SUQUAN-SVD.

Give each ranking a coefficient c_p, positive for one class and negative for the other. Let Pi_p be the permutation matrix of
ranking p and M the sum over p of c_p (Pi_p x .. x Pi_p), a matrix on tensors of order d. A model scores a ranking by <B,
Phi_U(s)>. The difference between the mean scores of the two classes is <U, M B>; among tensors of norm 1 it is largest for
the leading singular vectors of M.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from wkendall._arguments import as_axes, as_order, as_threads, check_flag
from wkendall._memory import check_fits
from wkendall.kernels.tensors import position_weights
from wkendall.learning.coefficients import Fit, Loss, train
from wkendall.learning.decomposition import Array, Pure, scattered
from wkendall.learning.position_tensors import Complete, Sample
from wkendall.learning.singular_values import across, leading
from wkendall.reading.files import shown
from wkendall.reading.rankings import Input, Top, as_rankings, check_unmasked

#: How exactly half steps are solved, as a part of the objective: far better than what may count as a rise.
EXACT, RISE = 1e-9, 1e-6
#: A tensor is passed over in fixing a direction if less than this part of its length lies in the subspace.
ACROSS = 1e-4


class SuquanSVD(NamedTuple):
    """Learned weights; see `suquan_svd`."""

    U: Array
    B: Array
    singular_values: Array
    multiplicity: NDArray[np.int64]


def suquan_svd(
    X: ArrayLike,
    y: ArrayLike,
    order: SupportsIndex = 2,
    n_components: SupportsIndex = 1,
    *,
    pure: bool = False,
    input: Input = "ranks",
    top: Top = "low",
    n_jobs: SupportsIndex | None = None,
) -> SuquanSVD:
    """Weights of positions that best tell two classes of rankings apart, by singular vectors (SUQUAN-SVD).

    The leading singular value usually comes several times, three times for order 2: what single items tell about the classes
    appears once on the diagonal of U, once in its symmetric and once in its skew-symmetric part. All its singular vectors are
    found. Of the subspace that they span, U is the direction nearest to the weights of the standard kernel; if these lie across
    it, the direction nearest to the identity tensor, to weights that fall linearly with the ranks, and then to fixed tensors of
    no meaning. The product of U with that tensor is positive, which fixes its sign. So the same data give the same U on any
    machine.

    For order 2 that U is r[a] + c[b] off the diagonal: its kernel knows single items only. `pure=True` looks for what is really
    of the order asked for.

    Parameters
    ----------
    X, input, top, n_jobs
        As for `gram_matrix`.
    y : array-like of shape (m,)
        The class of each ranking, one of two; the later one in sorted order is the positive one.
    order : int
        Axes of U.
    n_components : int
        How many different singular values to use. With more than one, U and B are stacks of orthonormal bases, for each value
        of all its singular vectors; the kernel of U depends on the subspaces only.
    pure : bool
        Only tensors without a part of lower order: zero where two indices are equal, and with sum zero over each index. For
        order 2: zero diagonal, zero row and column sums.

    Returns
    -------
    SuquanSVD
        A named tuple. U and B: weights of tuples of positions and coefficients of tuples of items, of norm 1 and shape
        (n, .., n); stacks of these for `n_components` above 1. singular_values: the different ones, from the largest on.
        multiplicity: how often each comes.

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
    rankings = as_rankings(X, "X", input, top, threads)
    coefficients = class_coefficients(y, rankings.rows)
    return leading_weights(Complete(rankings.ranks(), threads), coefficients, axes, components, bool(pure))


def class_coefficients(y: ArrayLike, rows: int) -> Array:
    """Return 1 / size of the class for the rankings of the later of two classes, and the negative of it for the others."""
    check_unmasked(y, "y")
    try:
        labels = np.asarray(y)
    except ValueError:
        raise ValueError(f"y is {shown(y)}, but must have shape ({rows},), a label for each ranking") from None
    if labels.shape != (rows,):
        raise ValueError(f"y has shape {labels.shape}, but X has {rows} rankings: it must have shape ({rows},)")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise ValueError(f"y[{row}] is {labels[row]}, but must be the class of a ranking")
    if labels.dtype == object:
        kinds = sorted({type(label).__name__ for label in labels})
        if len(kinds) > 1 or kinds == ["NoneType"]:
            raise ValueError(f"y holds {' and '.join(kinds)}, but all labels must be of one kind")
    classes, member, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) != 2:
        raise ValueError(f"y has {len(classes)} different labels, but must have two, one for each class")
    return np.asarray(np.where(member == 1, 1 / counts[1], -1 / counts[0]))


def leading_weights(sample: Sample, coefficients: Array, order: int, components: int, pure: bool) -> SuquanSVD:
    """Find the weights for rankings with coefficients whose sum is zero."""
    items = sample.items
    shape = (items,) * order
    if items == 0:
        raise ValueError("X has no items: there are no positions to learn weights of")
    if pure and items <= order:
        raise ValueError(
            f"{items} items have no tensors of order {order} without a part of lower order: pure=True needs at least {order + 1}"
        )
    check_fits(items ** (order - 1), items, np.dtype(np.float64), "use a lower order", shape=f"{items}^{order}")
    found = leading(sample, coefficients, order, components, pure)
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
    """Return the standard weights, or what is pure of them: of a matrix of zeros every direction is a leading one."""
    warnings.warn(
        "the rankings tell nothing about y: there is nothing to learn weights from", UserWarning, stacklevel=4
    )
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
    """Return combinations of a basis that depend on its span only: the directions nearest to fixed tensors, one by one."""
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
    """Yield the weights of the standard kernel, the identity, weights that fall with the ranks, then tensors without meaning."""
    yield position_weights(items, order=order)
    identity = np.zeros((items,) * order)
    identity[(np.arange(items),) * order] = 1.0
    yield identity
    yield sum(np.ogrid[(slice(items),) * order], np.zeros((items,) * order))[(slice(None, None, -1),) * order]
    for vector in scattered(items**order):
        yield vector.reshape((items,) * order)


class State(NamedTuple):
    """Weights, coefficients and intercept, with the sum of the costs of all rankings."""

    U: Array
    B: Array
    intercept: float
    cost: float

    def objective(self) -> float:
        """Return what is minimised."""
        return self.cost + (float(np.vdot(self.U, self.U)) + float(np.vdot(self.B, self.B))) / 2

    def balanced(self) -> State:
        """Scale U and B to equal norms: the scores stay, the sum of the squares is the least."""
        norms = float(np.linalg.norm(self.U)), float(np.linalg.norm(self.B))
        if 0.0 in norms:
            return self._replace(U=np.zeros_like(self.U), B=np.zeros_like(self.B))
        scale = float(np.sqrt(norms[1] / norms[0]))
        return self._replace(U=self.U * scale, B=self.B / scale)


class Alternation:
    """Minimises sum of cost * loss + |B|^2 / 2 + |U|^2 / 2, over B for fixed U and over U for fixed B in turn.

    With B fixed the scores are linear in U, as they are in B with U fixed: <B, Phi_U(s)> = <U, Phi_B(s^-1)>.
    """

    def __init__(self, sample: Sample, targets: Array, costs: Array, loss: Loss, *, tol: float) -> None:
        self._sample, self._inverse = sample, sample.inverted()
        self._targets, self._costs, self._loss, self._tol = targets, costs, loss, tol

    def coefficients(self, state: State) -> State:
        """Return the best B and intercept for U."""
        fit = self._train(self._sample, state.U)
        return State(state.U, fit.tensor, fit.intercept, fit.cost)

    def weights(self, state: State) -> State:
        """Return the best U and intercept for B."""
        fit = self._train(self._inverse, state.B)
        return State(fit.tensor, state.B, fit.intercept, fit.cost)

    def _train(self, sample: Sample, fixed: Array) -> Fit:
        return train(sample, self._targets, self._costs, fixed, fixed.ndim, self._loss, EXACT)

    def run(self, start: Array, most: int, report: Callable[[int, float, float], None]) -> Alternated:
        """Alternate from given weights until, at equal norms, neither half step lowers the objective by more than `tol` of it."""
        state = self.coefficients(State(start, np.zeros_like(start), 0.0, 0.0)).balanced()
        path = [state.objective()]
        for iteration in range(1, most + 1):
            before = state
            for step in (self.coefficients, self.weights):
                after = step(state)
                gain = state.objective() - after.objective()
                if gain < -RISE * state.objective():
                    rise = f"from {state.objective():.9g} to {after.objective():.9g}"
                    message = f"iteration {iteration}: the objective rose {rise}; stopped at the lower one"
                    warnings.warn(message, ConvergenceWarning, stacklevel=3)
                    return Alternated(state, np.array(path), iteration, False)
                if gain > self._tol * state.objective():
                    state = after
                path.append(state.objective())
            report(iteration, path[-1], (path[-3] - path[-1]) / path[-3] if path[-3] else 0.0)
            if state is before:
                return Alternated(state, np.array(path), iteration, True)
            state = state.balanced()
            path[-1] = state.objective()
        return Alternated(state, np.array(path), most, False)


class Alternated(NamedTuple):
    """The end of an alternation, and the objective at the start and after each half step."""

    state: State
    path: Array
    iterations: int
    converged: bool
