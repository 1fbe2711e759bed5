"""The eigenvalues of a kernel over all rankings, for each irreducible part of its features.

The feature of a ranking s is the matrix with entries U[s(i), s(j)]. Here U contains the weights of positions, and s(i)
is the rank of item i. A kernel with several matrices U has several such features. The mean of the outer product of the
features over all n! rankings commutes with relabelling the items. By Schur's lemma, this mean can be computed from
inner products of the parts of U. The parts are a constant, the positions of items, symmetric pairs and skew pairs. The
page Measurements of the documentation has the derivation.
"""

from __future__ import annotations

import math
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array, as_order
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall._run import one_thread
from wkendall.gram import as_kernel
from wkendall.measures import Kendall, Kernel, Scaled, Sum, TensorKernel
from wkendall.tensors import position_weights, quadruple_weights, tensor_weights

#: The parts, with the partition of n of each.
PARTS = (
    "(n) constant",
    "(n-1,1) positions of items",
    "(n-2,2) symmetric pairs",
    "(n-2,1,1) skew pairs: who is before whom",
)
#: An eigenvalue below this, relative to the largest, is zero: rounding explains it.
ZERO = 1e-13


class Tops(NamedTuple):
    """The weights of `Kendall("average")`, times `factor`: for each k, 1 / sqrt(n) for positions a < b <= k."""

    n: int
    factor: float = 1.0
    signed: bool = False

    def matrix(self, k: int) -> Array:
        """Return the weights for one k."""
        made = np.zeros((self.n, self.n))
        made[:k, :k] = np.triu(np.full((k, k), self.factor / math.sqrt(self.n)), 1)
        return signed(made) if self.signed else made


#: Weights of positions: vectors (r, n) of order 1, matrices (r, n, n) of order 2, or those of the average kernel.
Weights = Array | Tops


class Spectrum(NamedTuple):
    """What `spectrum` returns: the eigenvalues of each part (see `spectrum`), the largest eigenvalue of a part first.

    Attributes
    ----------
    names : tuple of str
        The name of the part to which each eigenvalue belongs.
    eigenvalues : ndarray
        The eigenvalues that are not zero. A part without such eigenvalues has one entry, 0.
    multiplicities : ndarray
        How often each eigenvalue occurs. This number depends only on the part and on the number of items.
    share : ndarray
        Each eigenvalue times its multiplicity, divided by the sum of all these products. This sum is K(s, s), the
        kernel of a ranking with itself.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.spectrum(wkendall.Kendall(signed=True), 4).eigenvalues.round(2)
    array([0.  , 1.67, 0.  , 0.33])
    """

    names: tuple[str, ...]
    eigenvalues: Array
    multiplicities: NDArray[np.int64]
    share: Array

    @property
    def effective_dimension(self) -> float:
        """(Sum of eigenvalues)^2 / (sum of their squares), each counted as often as it occurs; 0 if all eigenvalues are 0."""
        if not self.share.any():
            return 0.0
        return 1 / float((self.share**2 / self.multiplicities).sum())

    @property
    def parts(self) -> dict[str, float]:
        """The share of each part: the sum of the shares of its eigenvalues."""
        names = np.array(self.names)
        return {name: float(self.share[names == name].sum()) for name in dict.fromkeys(self.names)}


def spectrum(kernel: Kernel | None, n: SupportsIndex) -> Spectrum:
    """Eigenvalues of a kernel over all n! rankings: they show which differences between rankings change the kernel.

    The function returns the eigenvalues of the Gram matrix of all n! rankings, divided by n!. They are computed
    directly from the weights of the kernel, so n can be large. The kernel is not centred: the mean of the kernel over
    all pairs of rankings is the eigenvalue of the constant part (the first part below). Each eigenvalue belongs to one
    of these parts:

    - "(n) constant": the same for every ranking.
    - "(n-1,1) positions of items": a function of the position of each item, summed over the items, as in a Borda count.
    - "(n-2,2) symmetric pairs": which two items have two given positions, no matter which of the two items comes first.
      This part contains only what the positions of single items do not explain.
    - "(n-2,1,1) skew pairs": which of two items comes first. This part contains only what the positions of single items
      do not explain.

    If a part has only the eigenvalue 0, differences between rankings in this part do not change the kernel.

    Parameters
    ----------
    kernel : Kernel or None
        A `Kendall` or `TensorKernel` of order 1 or 2, or a sum of multiples of such kernels. None means the Kendall
        kernel. Kernels with weights of items (`item_weight`) raise an error.
    n : int
        The number of items.

    Returns
    -------
    Spectrum

    Notes
    -----
    The computation takes time O(n^2) for a kernel with one matrix U (see `position_weights`), and O(n^3) for
    `Kendall("average")`. For a `TensorKernel` it takes time O(r^2 n^2 + r^3) with r matrices U (an array of shape
    `(r, n, n)`), and O(n^6) with W. The error is about 1e-15 times the largest eigenvalue. Eigenvalues below 1e-13
    times the largest eigenvalue are returned as 0.

    Examples
    --------
    >>> import wkendall
    >>> found = wkendall.spectrum(wkendall.Kendall(), 5)
    >>> for name, eigenvalue, multiplicity in zip(found.names, found.eigenvalues.round(3), found.multiplicities):
    ...     print(name, eigenvalue, multiplicity)
    (n) constant 5.0 1
    (n-1,1) positions of items 1.0 4
    (n-2,2) symmetric pairs 0.0 5
    (n-2,1,1) skew pairs: who is before whom 0.167 6
    >>> found.share.round(2), round(found.effective_dimension, 2)
    (array([0.5, 0.4, 0. , 0.1]), 3.43)
    """
    chosen, items = as_kernel(kernel, "spectrum"), as_order(n, "n")
    check_fits(6 * items, items, np.dtype(np.float64), "take fewer items")
    dimensions = (1, items - 1, items * (items - 3) // 2, (items - 1) * (items - 2) // 2)
    weights = weights_of(chosen, items, "spectrum")
    with one_thread():
        levels = np.concatenate([_levels(some, items) for some in weights])
        first = _smaller_gram(np.concatenate([lines(some, items) for some in weights]))
        blocks = (_smaller_gram(levels[:, np.newaxis]), first, *_pairs(weights, items))
        found = [
            (name, dimension, np.linalg.eigvalsh(block)[::-1][:dimension] / dimension)
            for name, dimension, block in zip(PARTS, dimensions, blocks, strict=True)
            if dimension > 0
        ]
    largest = max(float(values[0]) for _, _, values in found)
    kept = [(name, size, max(1, int((values > ZERO * largest).sum())), values) for name, size, values in found]
    eigenvalues = np.concatenate([values[:count] for *_, count, values in kept])
    eigenvalues[eigenvalues <= ZERO * largest] = 0
    multiplicities = np.repeat([size for _, size, _, _ in kept], [count for _, _, count, _ in kept])
    total = float(eigenvalues @ multiplicities)
    share = eigenvalues * multiplicities / total if total else np.zeros(len(eigenvalues))
    names = tuple(name for name, _, count, _ in kept for _ in range(count))
    return Spectrum(names, eigenvalues, multiplicities.astype(np.int64), share)


def weights_of(kernel: Kernel, n: int, function: str) -> list[Weights]:
    """Return weights of positions whose kernels add up to the given kernel; raise an error if there are none."""
    if isinstance(kernel, Sum):
        return weights_of(kernel.left, n, function) + weights_of(kernel.right, n, function)
    if isinstance(kernel, Scaled):
        kernel._measure(n)  # refuses a wrong factor
        return [_times(some, math.sqrt(kernel.factor)) for some in weights_of(kernel.kernel, n, function)]
    rule = f"{function} is for Kendall and TensorKernel of order 1 or 2, and sums of multiples of these"
    if not isinstance(kernel, Kendall | TensorKernel):
        raise bad_argument("kernel", f" is {kernel!r}, but {rule}", kind="no pairs")
    order = as_order(kernel.order, "order")
    if order > 2:
        raise bad_argument("order", f" is {order}, but {rule}", value=order)
    if isinstance(kernel, Kendall) and kernel.item_weight is not None:
        raise bad_argument("item_weight", f" is given, but {rule}, whose items have no weights")
    kernel._measure(n)  # refuses wrong parameters
    found = _named(kernel, n, order) if isinstance(kernel, Kendall) else _general(kernel, n, order)
    if not kernel.normalize:
        return [found]
    own = found.factor**2 * (n**2 - 1) / 6 if isinstance(found, Tops) else float(np.vdot(found, found))
    return [_times(found, 1 / math.sqrt(own) if own > 0 else 0.0)]


def signed(matrices: Array) -> Array:
    """Return weights of the signed kernel, in which a pair of items occurs in both orders."""
    return (matrices - np.swapaxes(matrices, -1, -2)) / math.sqrt(2)


def _times(weights: Weights, factor: float) -> Weights:
    return weights._replace(factor=factor * weights.factor) if isinstance(weights, Tops) else factor * weights


def _named(kernel: Kendall, n: int, order: int) -> Weights:
    if kernel.weight == "average" and order == 2:
        return Tops(n, 1.0, bool(kernel.signed))
    found = position_weights(n, kernel.weight, k=kernel.k, u=kernel.u, order=order).reshape(-1, *(n,) * order)
    return signed(found) if kernel.signed else found


def _general(kernel: TensorKernel, n: int, order: int) -> Array:
    if kernel.W is None:
        given = tensor_weights(kernel.U, n, order, 1)
        if given.kind == "U":
            return given.values.reshape(-1, *(n,) * order)
        factors = given.values.reshape(-1, order, n)
        return (factors.sum(axis=0) if order == 1 else factors[:, 0].T @ factors[:, 1])[np.newaxis]
    # Always checked: a W that is not positive semi-definite has no features.
    entries = quadruple_weights(kernel.W, n, True).values.reshape(n * n, n * n)
    ordered = np.flatnonzero(np.triu(np.ones((n, n)), 1))
    values, vectors = np.linalg.eigh(entries[np.ix_(ordered, ordered)])
    found = np.zeros((max(len(values), 1), n * n))
    found[: len(values), ordered] = (np.sqrt(np.maximum(values, 0)) * vectors).T
    return found.reshape(-1, n, n)


def _sums(weights: Array) -> tuple[Array, Array, Array]:
    """Return the diagonals of matrices, and the sums of the rows and of the columns without the diagonal."""
    diagonal = weights.diagonal(axis1=1, axis2=2)
    return diagonal, weights.sum(axis=2) - diagonal, weights.sum(axis=1) - diagonal


def _levels(weights: Weights, n: int) -> Array:
    """Return the constant parts of weights: one coordinate for the diagonal, and one for the other entries."""
    ordered = math.sqrt(max(n * (n - 1), 1))
    if isinstance(weights, Tops):
        k = np.arange(1.0, n + 1)
        unit = 0.0 if weights.signed else weights.factor / math.sqrt(n) / ordered
        return np.asarray(unit * k * (k - 1) / 2)
    if weights.ndim == 2:
        return np.asarray(weights.sum(axis=1) / math.sqrt(n))
    diagonal, rows, _ = _sums(weights)
    return np.concatenate([diagonal.sum(axis=1) / math.sqrt(n), rows.sum(axis=1) / ordered])


def lines(weights: Weights, n: int) -> Array:
    """Return the parts of single positions as vectors (.., n), in orthonormal coordinates: diagonal, symmetric, skew."""
    if isinstance(weights, Tops):
        k, a = np.arange(1.0, n + 1)[:, np.newaxis], np.arange(1.0, n + 1)
        rows, columns = np.where(a <= k, k - a, 0), np.where(a <= k, a - 1, 0)
        unit = weights.factor / math.sqrt(n)
        even, odd = (0.0 if weights.signed else unit) * (rows + columns), unit * (rows - columns)
        return _centred([even / _even(n), odd * (math.sqrt(2) if weights.signed else 1) / math.sqrt(2 * n)])
    if weights.ndim == 2:
        return _centred([weights])
    diagonal, rows, columns = _sums(weights)
    return _centred([diagonal, (rows + columns) / _even(n), (rows - columns) / math.sqrt(2 * n)])


def _even(n: int) -> float:
    """Return the norm of the matrix x[a] + x[b], without its diagonal, for a unit vector x whose sum is 0.

    For two items the norm is 0, and all such parts of matrices are 0. The function then returns infinity, so that
    dividing by the result gives 0.
    """
    return math.sqrt(2 * (n - 2)) if n > 2 else math.inf


def _centred(vectors: list[Array]) -> Array:
    found = np.concatenate(vectors)
    return np.asarray(found - found.mean(axis=1, keepdims=True))


def _smaller_gram(vectors: Array) -> Array:
    """Return the matrix of inner products of rows, or of columns if there are fewer: the eigenvalues are the same."""
    return vectors @ vectors.T if len(vectors) <= vectors.shape[1] else vectors.T @ vectors


def residuals(weights: Array, n: int) -> Array:
    """Return what remains of matrices without the diagonal, the constant and the parts of single positions."""
    if n < 3:
        return np.zeros_like(weights)
    _, rows, columns = _sums(weights)
    even, odd = (rows + columns) / (2 * (n - 2)), (rows - columns) / (2 * n)
    mean = rows.sum(axis=1) / (n * (n - 1))
    even -= even.mean(axis=1, keepdims=True) - mean[:, np.newaxis] / 2
    left = weights - (even + odd)[:, :, np.newaxis] - (even - odd)[:, np.newaxis, :]
    left[:, np.arange(n), np.arange(n)] = 0
    return left


def _pairs(weights: list[Weights], n: int) -> tuple[Array, Array]:
    """Return the inner products of the symmetric and of the skew pair parts of all matrices of weights."""
    matrices = [residuals(some, n) for some in weights if not isinstance(some, Tops) and some.ndim == 3]
    dense = np.concatenate([*matrices, np.zeros((0, n, n))])
    tops = [some for some in weights if isinstance(some, Tops)]
    if not len(dense) and not tops:
        return np.zeros((1, 1)), np.zeros((1, 1))
    found = []
    between = _between_tops(n) if tops else (np.empty(0), np.empty(0))
    for sign, of_tops in zip((1, -1), between, strict=True):
        half = (dense + sign * np.swapaxes(dense, 1, 2)) / 2
        rows = half.reshape(len(half), n * n)
        # A signed member has no symmetric part, and sqrt(2) times the skew part.
        scales = [top.factor * ((1 - sign) / math.sqrt(2) if top.signed else 1) for top in tops]
        # Sums of the entries a < b <= k, for each k.
        beside = np.triu(half, 1).sum(axis=1).cumsum(axis=1) / math.sqrt(n)
        across = [scale * beside for scale in scales]
        grid = [[rows @ rows.T, *across]]
        for place, scale in enumerate(scales):
            grid.append([across[place].T, *(scale * other * of_tops for other in scales)])
        found.append(np.block(grid))
    return found[0], found[1]


def _between_tops(n: int) -> tuple[Array, Array]:
    """Return the inner products of the symmetric and of the skew pair parts of the weights of `Kendall("average")`."""
    if n < 3:
        return np.zeros((n, n)), np.zeros((n, n))
    k = np.arange(1.0, n + 1)
    least, counts = np.minimum.outer(k, k), np.outer(k * (k - 1), k * (k - 1))
    whole = least * (least - 1) / 4
    lines = (np.outer(k - 1, k - 1) * least - counts / n) / (2 * (n - 2))
    symmetric = whole - counts / (4 * n * (n - 1)) - lines
    return symmetric / n, (whole - least * (least**2 - 1) / (6 * n)) / n
