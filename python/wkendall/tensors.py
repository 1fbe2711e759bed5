"""General weights: tensors U, stacks and factors of them, arrays W, and those that belong to the named kernels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._memory import check_fits
from wkendall.parameters import as_factor, as_order, named_weight, real_array

#: A matrix of weights is replaced by products of vectors if that is at least so many times less work.
WORTH_FACTORS = 4


class Weights(NamedTuple):
    """Weights as the Rust crate takes them."""

    kind: Literal["tensor", "factors", "quadruples"]
    order: int
    values: NDArray[np.float64]


def tensor_weights(U: object, items: int, order: int, pairs: int) -> Weights:
    """Check `U=`: a tensor, a stack of tensors, or a tuple of factors; `pairs` is how many pairs of rankings are to come."""
    if isinstance(U, tuple) and _is_factors(U, items, order):
        return Weights("factors", order, _factors(U, items, order))
    one, several = _shape(items, order), _shape("r", items, order)
    tensor = real_array(U, "U", (order, order + 1), f"of shape {one} for order {order}, or {several} for a stack")
    if tensor.shape[-order:] != (items,) * order:
        raise ValueError(
            f"U has shape {tensor.shape}, but for rankings of {items} items and order {order} it must be {one}, or {several} "
            "for a stack"
        )
    # Finding the factors of a matrix takes some ten products with it.
    if tensor.ndim == order == 2 and pairs > 10 * items and items >= WORTH_FACTORS:
        vectors = _low_rank(tensor)
        if vectors is not None:
            return Weights("factors", 2, vectors)
    return Weights("tensor", order, tensor.ravel())


def one_tensor(U: object, name: str, items: int, order: int | None = None) -> NDArray[np.float64]:
    """Check a single tensor, of any order unless one is given."""
    axes = tuple(range(1, 33)) if order is None else (order,)
    wanted = "an array with one axis of n weights or more" if order is None else f"an array with {order} axes"
    tensor = real_array(U, name, axes, wanted)
    if tensor.shape != (items,) * tensor.ndim:
        raise ValueError(
            f"{name} has shape {tensor.shape}, but for rankings of {items} items it must be {_shape(items, tensor.ndim)}"
        )
    return tensor


def quadruple_weights(W: object, items: int, check: bool) -> Weights:
    """Check `W=`, and unless told not to that it makes a kernel."""
    array = real_array(W, "W", (4,), f"an array of shape {_shape(items, 4)}")
    if array.shape != (items,) * 4:
        raise ValueError(f"W has shape {array.shape}, but for rankings of {items} items it must be {_shape(items, 4)}")
    if check and items:
        _check_kernel(array)
    return Weights("quadruples", 2, array.ravel())


def _check_kernel(W: NDArray[np.float64]) -> None:
    """Refuse an array that is not symmetric and positive semi-definite as a matrix of n^2 rows."""
    anyway = "pass check=False to use it all the same"
    matrix = W.reshape(len(W) ** 2, -1)
    if not np.isfinite(matrix).all():
        a, b, c, d = np.argwhere(~np.isfinite(W))[0]
        value = "NaN" if np.isnan(W[a, b, c, d]) else W[a, b, c, d]
        raise ValueError(f"W[{a}, {b}, {c}, {d}] is {value}: weights must be finite")
    eigenvalues = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    size = np.abs(eigenvalues).max()
    apart = np.abs(matrix - matrix.T)
    if apart.max() > 1e-10 * size:
        a, b, c, d = np.unravel_index(int(apart.argmax()), W.shape)
        raise ValueError(
            f"W is not symmetric: W[{a}, {b}, {c}, {d}] is {W[a, b, c, d]:g}, but W[{c}, {d}, {a}, {b}] is "
            f"{W[c, d, a, b]:g} (the most negative eigenvalue of its symmetric part is {eigenvalues[0]:g}): a kernel needs both "
            f"the same; {anyway}"
        )
    if eigenvalues[0] < -1e-10 * size:
        raise ValueError(
            f"W is not positive semi-definite: its most negative eigenvalue is {eigenvalues[0]:g}, the largest "
            f"{eigenvalues[-1]:g}; {anyway}"
        )


def _is_factors(U: tuple[Any, ...], items: int, order: int) -> bool:
    """Tell factors from an array written as a tuple of rows."""
    if not U or any(isinstance(part, np.ndarray) for part in U):
        return True
    if not all(isinstance(part, tuple | list) and part and all(np.ndim(vector) == 1 for vector in part) for part in U):
        return False
    if any(isinstance(vector, np.ndarray) for part in U for vector in part):
        return True
    lengths = {len(vector) for part in U for vector in part} | {len(part) for part in U}
    return not (order in (2, 3) and lengths == {items})


def _factors(U: tuple[Any, ...], items: int, order: int) -> NDArray[np.float64]:
    """Return the vectors of all terms, one after the other."""
    meaning = (
        f"for {items} items and order {order} factors are {order} arrays of shape (r, {items}), one for each axis, or a tuple "
        f"of terms, each {order} vectors of {items} weights"
    )
    if not U:
        raise ValueError(f"U is empty, but {meaning}")
    if any(isinstance(part, np.ndarray) for part in U):
        axes = [np.atleast_2d(_vectors(part, f"U[{index}]", (1, 2), items, meaning)) for index, part in enumerate(U)]
        if len(axes) != order:
            raise ValueError(f"U has {len(axes)} factors, but {meaning}")
        if len({part.shape for part in axes}) > 1:
            raise ValueError(f"U has factors of shapes {', '.join(str(part.shape) for part in axes)}, but {meaning}")
        return np.ascontiguousarray(np.stack(axes, axis=1)).ravel()
    for index, term in enumerate(U):
        if len(term) != order:
            raise ValueError(f"U[{index}] has {len(term)} vectors, but {meaning}")
    vectors = [
        _vectors(vector, f"U[{index}][{axis}]", (1,), items, meaning)
        for index, term in enumerate(U)
        for axis, vector in enumerate(term)
    ]
    return np.concatenate(vectors)


def _vectors(values: object, name: str, axes: tuple[int, ...], items: int, meaning: str) -> NDArray[np.float64]:
    array = real_array(values, name, axes, "vectors of n weights")
    if array.shape[-1] != items:
        raise ValueError(f"{name} has shape {array.shape}, but {meaning}")
    return array


def _low_rank(U: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the vectors of a matrix of low rank, or None where they would save little or change the result."""
    if not np.isfinite(U).all():
        return None
    left, sizes, right = np.linalg.svd(U)
    rank = int((sizes > len(U) * np.finfo(np.float64).eps * sizes[0]).sum())
    if WORTH_FACTORS * 2 * rank**2 > len(U):
        return None
    return np.ascontiguousarray(np.stack([left[:, :rank].T * sizes[:rank, np.newaxis], right[:rank]], axis=1)).ravel()


def _shape(*parts: object) -> str:
    """Write the shape of an array with so many axes of n entries, after others."""
    *first, items, order = parts
    axes = [str(part) for part in first] + [str(items)] * int(str(order))
    return f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"


def position_weights(
    n: SupportsIndex,
    weight: str = "standard",
    *,
    k: SupportsIndex | None = None,
    u: str | ArrayLike | None = None,
    order: SupportsIndex = 2,
) -> NDArray[np.float64]:
    """Weights of tuples of positions that make `U=` the same as a named kernel.

    Entry [a, b, ..] is what a tuple of items with these ranks, from the top down, has in one ranking; it is zero unless
    a < b < ... The average kernel has no such tensor: it is the sum of n of them, one for each k, divided by n.

    Parameters
    ----------
    n : int
        Number of items.
    weight, k, u, order
        As for `gram_matrix`.

    Returns
    -------
    ndarray of shape (n, .., n) with `order` axes; for `weight="average"` with one more in front

    Examples
    --------
    >>> import wkendall
    >>> wkendall.position_weights(3, "mult", u=[3, 2, 1])
    array([[0., 6., 3.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    items = as_order(n, "n", least=0)
    axes = as_order(order, "order")
    name, top, factor = named_weight(items, weight, k, u)
    check_fits(items ** (axes - 1) * (items if name == "average" else 1), items, np.dtype(np.float64))
    ranks = np.ogrid[(slice(items),) * axes]
    increasing = np.ones((items,) * axes, dtype=bool)
    for lower, higher in pairwise(ranks):
        increasing &= lower < higher
    if name == "average":
        tops = np.arange(items).reshape((items,) + (1,) * axes)
        return np.where(increasing & (ranks[-1] <= tops), 1 / np.sqrt(max(items, 1)), 0.0)
    if name == "top" and top is not None:
        return np.where(increasing & (ranks[-1] < top), 1.0, 0.0)
    if factor is None:
        return increasing.astype(np.float64)
    values = as_factor(factor, items)
    parts = [values[rank] for rank in ranks]
    total = parts[0]
    for part in parts[1:]:
        total = total + part if name == "add" else total * part
    return np.where(increasing, total, 0.0)
