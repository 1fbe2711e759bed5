"""Weights of positions as arrays: tensors U (also as stacks or as factors), arrays W, and the tensors of named kernels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from threading import Thread
from typing import Any, Literal, NamedTuple, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import MAX_AXES, as_axes, as_order, real_array
from wkendall._errors import bad_argument, shown
from wkendall._memory import check_fits
from wkendall.low_rank import low_rank

#: How many entries of a long array are computed at a time.
STEP = 2**20
#: The allowed relative difference between W[a, b, c, d] and W[c, d, a, b]. Their mean is used, which changes values by
#: at most half of it.
UNEVEN = 1e-12
#: How far below zero rounding may push an eigenvalue, relative to the largest eigenvalue.
INDEFINITE = 1e-10
#: The number of rows and columns of a matrix that are processed at a time.
PIECE = 128


class Weights(NamedTuple):
    """Weights in the form that the Rust crate takes: the name of the parameter, and its numbers."""

    kind: Literal["U", "factors", "W"]
    values: NDArray[np.float64]


def tensor_weights(U: object, items: int, order: int, pairs: int) -> Weights:
    """Check `U`: a tensor, a stack of tensors, or a tuple of factors; `pairs` is the number of pairs of rankings to compare."""
    if isinstance(U, tuple):
        return Weights("factors", _factors(U, items, order))
    one, several = _shape(items, order), _shape("r", items, order)
    tensor = real_array(U, "U", (order, order + 1), f"of shape {one} for order {order}, or {several} for a stack")
    if tensor.shape[-order:] != (items,) * order:
        rule = f"for rankings of {items} items and order {order} it must be {one}, or {several} for a stack"
        raise bad_argument("U", f" has shape {tensor.shape}, but {rule}")
    most = _core.most_factors(items, pairs)
    if tensor.ndim == order == 2 and most is not None:
        vectors = low_rank(tensor, most)
        if vectors is not None:
            return Weights("factors", vectors)
    return Weights("U", tensor.ravel())


def one_tensor(U: object, name: str, items: int, order: int | None = None) -> NDArray[np.float64]:
    """Check a single tensor; if `order` is given, the tensor must have this number of axes."""
    axes = tuple(range(1, MAX_AXES + 1)) if order is None else (order,)
    wanted = "an array with one axis of n weights or more" if order is None else f"an array with {order} axes"
    tensor = real_array(U, name, axes, wanted)
    if tensor.shape != (items,) * tensor.ndim:
        rule = f"for rankings of {items} items it must be {_shape(items, tensor.ndim)}"
        raise bad_argument(name, f" has shape {tensor.shape}, but {rule}")
    return tensor


def quadruple_weights(W: object, items: int, check: bool, definite: bool = True) -> Weights:
    """Check the shape of `W`; with `check`, also the symmetry, and, if `definite`, the signs of the eigenvalues."""
    array = real_array(W, "W", (4,), f"an array of shape {_shape(items, 4)}")
    if array.shape != (items,) * 4:
        rule = f"for rankings of {items} items it must be {_shape(items, 4)}"
        raise bad_argument("W", f" has shape {array.shape}, but {rule}")
    _check_finite(array)
    # Only the pairs of positions a < b and c < d count. The other entries change nothing and are not checked.
    pairs = np.flatnonzero(np.triu(np.ones((items, items), dtype=bool), 1))
    places = np.ix_(pairs, pairs)
    counted = array.reshape(items**2, items**2)[places]
    whole = np.zeros((items**2, items**2))
    if check and counted.any():
        counted = _even(counted, [divmod(int(pair), items) for pair in pairs])
        if definite:
            _check_definite(counted)
    whole[places] = counted
    return Weights("W", whole.ravel())


def _check_finite(W: NDArray[np.float64]) -> None:
    wrong = ~np.isfinite(W)
    if wrong.any():
        places = np.argwhere(wrong)
        # Report an entry that counts before one that does not.
        counts = (places[:, 0] < places[:, 1]) & (places[:, 2] < places[:, 3])
        a, b, c, d = places[int(counts.argmax())]
        value = "NaN" if np.isnan(W[a, b, c, d]) else W[a, b, c, d]
        raise bad_argument("W", f"[{a}, {b}, {c}, {d}] is {value}: weights must be finite", value=float(value))


def _even(matrix: NDArray[np.float64], pairs: list[tuple[int, int]]) -> NDArray[np.float64]:
    """Return a symmetric matrix with a row for each pair a < b; raise an error if `matrix` is not nearly symmetric."""
    with np.errstate(over="ignore"):
        apart = np.abs(matrix - matrix.T)
    wrong = apart > UNEVEN * np.maximum(np.abs(matrix), np.abs(matrix.T))
    if wrong.any():
        first, second = np.unravel_index(int(np.where(wrong, apart, 0).argmax()), matrix.shape)
        (a, b), (c, d) = pairs[first], pairs[second]
        raise bad_argument(
            "W",
            f" is not symmetric: W[{a}, {b}, {c}, {d}] is {float(matrix[first, second])!r}, but W[{c}, {d}, {a}, {b}] is "
            f"{float(matrix[second, first])!r}: a kernel needs equal values",
            "check",
        )
    return np.where(apart > 0, matrix / 2 + matrix.T / 2, matrix)


def _check_definite(matrix: NDArray[np.float64]) -> None:
    exponent = int(np.frexp(np.abs(matrix).max())[1])
    scaled = np.ldexp(matrix, -exponent)
    # Cholesky takes a third of the time of eigenvalues and can be interrupted. Only a matrix near or beyond the limit
    # needs them.
    if _has_factor(scaled, INDEFINITE / 2 * _least_norm(scaled)):
        return
    eigenvalues = _in_thread(np.linalg.eigvalsh, scaled)
    if eigenvalues[0] < -INDEFINITE * np.abs(eigenvalues).max():
        least, largest = (float(np.ldexp(eigenvalue, exponent)) for eigenvalue in (eigenvalues[0], eigenvalues[-1]))
        raise bad_argument(
            "W",
            " is not positive semi-definite: as a matrix of the pairs of positions a < b its most negative eigenvalue is "
            f"{least:g}, the largest {largest:g}",
            "check",
        )


def _least_norm(matrix: NDArray[np.float64]) -> float:
    """Return a lower bound of the largest absolute eigenvalue; the bound is usually close to this eigenvalue."""
    vector = matrix[int((matrix**2).sum(axis=0).argmax())]
    norm = float(np.linalg.norm(vector))
    for _ in range(5):
        vector = matrix @ (vector / np.linalg.norm(vector))
        norm = max(norm, float(np.linalg.norm(vector)))
    return norm


def _has_factor(matrix: NDArray[np.float64], shift: float) -> bool:
    """Tell whether a symmetric matrix plus `shift` on its diagonal has a Cholesky factor; Ctrl-C can stop this."""
    left = matrix + shift * np.eye(len(matrix))
    for start in range(0, len(left), PIECE):
        end = start + PIECE
        try:
            corner = np.linalg.cholesky(left[start:end, start:end])
        except np.linalg.LinAlgError:
            return False
        below = np.linalg.solve(corner, left[end:, start:end].T)
        for first in range(0, below.shape[1], PIECE):
            left[end + first :, end + first : end + first + PIECE] -= (
                below[:, first:].T @ below[:, first : first + PIECE]
            )
    return True


def _in_thread(function: Callable[[Any], Any], argument: Any) -> Any:
    """Call a function that signals cannot interrupt. Ctrl-C raises here; the thread ends when the function returns."""
    done: list[tuple[Any, BaseException | None]] = []

    def call() -> None:
        try:
            done.append((function(argument), None))
        except BaseException as error:
            done.append((None, error))

    thread = Thread(target=call, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the system cannot start another thread
        call()
    while not done:
        thread.join(0.1)
    result, error = done[0]
    if error is not None:
        raise error
    return result


def _factors(U: tuple[Any, ...], items: int, order: int) -> NDArray[np.float64]:
    """Return the vectors of all outer products whose sum is U, one after another."""
    meaning = (
        f"a tuple must contain factors: for {items} items and order {order}, {order} arrays of shape (r, {items}), "
        f"one for each axis, or tuples of {order} vectors of {items} weights, one for each term"
    )
    if not U:
        raise bad_argument("U", f" is empty, but {meaning}")
    terms = isinstance(U[0], tuple)
    for index, part in enumerate(U):
        _check_part(part, f"U[{index}]", terms, meaning)
    if not terms:
        axes = [np.atleast_2d(_vectors(part, f"U[{index}]", (1, 2), items, meaning)) for index, part in enumerate(U)]
        if len(axes) != order:
            raise bad_argument("U", f" has {len(axes)} factors, but {meaning}")
        if len({part.shape for part in axes}) > 1:
            raise bad_argument(
                "U", f" has factors of shapes {', '.join(str(part.shape) for part in axes)}, but {meaning}"
            )
        return np.ascontiguousarray(np.stack(axes, axis=1)).ravel()
    for index, term in enumerate(U):
        if len(term) != order:
            raise bad_argument("U", f"[{index}] has {len(term)} vectors, but {meaning}")
    vectors = [
        _vectors(vector, f"U[{index}][{axis}]", (1,), items, meaning)
        for index, term in enumerate(U)
        for axis, vector in enumerate(term)
    ]
    return np.concatenate(vectors)


def _check_part(part: object, name: str, terms: bool, meaning: str) -> None:
    """Raise an error for an entry of the tuple U that could mean an axis, an outer product or a row of an array.

    `terms` says whether the entries of U are outer products.
    """
    if isinstance(part, tuple):
        if not terms:
            raise TypeError(f"{name} is a tuple, but U[0] is not: {meaning}")
        for index, vector in enumerate(part):
            if np.ndim(vector) == 0:
                raise TypeError(
                    f"{name}[{index}] is {shown(vector)}, but {meaning}; weights themselves are an array or nested lists"
                )
    elif terms:
        raise TypeError(f"{name} is of type {type(part).__name__}, but U[0] is a tuple: {meaning}")
    elif isinstance(part, list):
        raise TypeError(f"{name} is a list, which could be an axis or a term, but {meaning}")
    elif np.ndim(cast("ArrayLike", part)) == 0:
        raise TypeError(f"{name} is {shown(part)}, but {meaning}; weights themselves are an array or nested lists")


def _vectors(values: object, name: str, axes: tuple[int, ...], items: int, meaning: str) -> NDArray[np.float64]:
    array = real_array(values, name, axes, "vectors of n weights")
    if array.shape[-1] != items:
        raise bad_argument(name, f" has shape {array.shape}, but {meaning}")
    return array


def _shape(*parts: object) -> str:
    """Write the shape of an array; the last two arguments are the length and the number of its equal axes."""
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
    """Array U for which `TensorKernel(U, order=order)` is the same kernel as `Kendall` with the given parameters.

    Entry [a, b, ..] is the weight of the positions a, b, .. in one ranking. Only entries with increasing positions
    (`a < b < ..`) can differ from 0. `Kendall("average")` is the mean of the kernels `Kendall("top", k=k)` over k =
    1..n. A single array U cannot express this mean. For `weight="average"` the result is therefore a stack of n arrays
    U (an array with one more axis in front), one for each k.

    Parameters
    ----------
    n : int
        Number of items.
    weight, k, u, order
        As for `Kendall`.

    Returns
    -------
    ndarray of shape (n, .., n) with `order` axes; for `weight="average"`, one more axis in front

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
    # Weights of a known kind need nothing here: the crate tells how they combine positions.
    combined, values = _core.Measure("kendall", items, {"weight": weight, "k": k, "u": u}).position_weights()
    stacked = combined == "tops"
    if combined == "later" and axes != 2:
        raise bad_argument("order", f" is {axes}, but the weight 'later' is for pairs of items: order 2", value=axes)
    axes = as_axes(axes, "order", more=stacked)
    size = axes + stacked
    advice = "take fewer items or a lower order"
    check_fits(items ** (size - 1), items, np.dtype(np.float64), advice, shape=f"{items}^{size}")
    out = np.zeros((items,) * size)
    if stacked:
        for last in range(1, items + 1):
            part = out[last - 1][(slice(last),) * axes]
            _fill_increasing(part, values[:last], np.multiply, 1 / np.sqrt(items))
        return out
    if combined == "later":
        out[...] = np.triu(np.broadcast_to(values, (items, items)), 1)
        return out
    combine, before = (np.add, 0.0) if combined == "sums" else (np.multiply, 1.0)
    _fill_increasing(out[(slice(len(values)),) * axes], values, combine, before)
    return out


def _fill_increasing(
    out: NDArray[np.float64], values: NDArray[np.float64], combine: np.ufunc, before: float | np.float64
) -> None:
    """Fill the entries [a, b, ..] with a < b < ... by combining `before` and the weights of their positions.

    Large arrays are filled in steps, so that Ctrl-C is handled in between.
    """
    if out.ndim > 1 and out.size > STEP:
        for rank in range(len(out)):
            rest = (slice(rank + 1, None),) * (out.ndim - 1)
            _fill_increasing(out[rank][rest], values[rank + 1 :], combine, combine(before, values[rank]))
        return
    if out.ndim == 1:
        for first in range(0, len(out), STEP):
            out[first : first + STEP] = combine(before, values[first : first + STEP])
        return
    ranks = np.ogrid[(slice(len(out)),) * out.ndim]
    increasing = np.ones(out.shape, dtype=bool)
    for lower, higher in pairwise(ranks):
        increasing &= lower < higher
    total: Any = before
    for places in ranks:
        total = combine(total, values[places])
    out[...] = np.where(increasing, total, 0.0)
