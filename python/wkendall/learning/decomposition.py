"""Split tensors over positions into parts that permutations of the positions map to parts of the same kind.

A permutation of the positions maps a tensor of order d to another tensor of order d. Some kinds of tensors are mapped
to tensors of the same kind:

- tensors that depend only on some of their indices
- tensors that are zero outside a pattern of equal indices, such as the diagonal
- *pure* tensors: they are zero where two indices are equal, and their sum over each index is zero

A pure tensor of order j can be lifted, that is, turned into a tensor of a higher order d. There are two ways to do
this. In the first way, the pure tensor is placed on a pattern of equal indices, such as the diagonal, and all other
entries are zero. In the second way, the lifted tensor depends only on j of the d indices. Every tensor of order d is a
sum of lifted pure tensors of the orders 0..d. Permutations, and sums of permutations, can be applied before or after a
lift, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array


class Pure:
    """Projection of tensors onto the pure tensors."""

    def __init__(self, items: int, order: int) -> None:
        self.shape = (items,) * order
        self.size = items**order
        self._apart = _apart(items, order)

    def __call__(self, tensors: Array) -> Array:
        """Project each row. A row is a tensor written as a vector.

        First, all entries with two equal indices are set to zero. For order 1, the projection then subtracts the mean
        from each entry. For order 2, it subtracts x_a + y_b from each entry (a, b) off the diagonal, where x and y are
        vectors with equal sums. Two equations determine x and y. Let r be the vector of row sums of the tensor, and c
        the vector of its column sums. Then `r + c = (n - 2) (x + y) + sum(x + y)` and `r - c = n (x - y)`. For higher
        orders, the part that depends on fewer indices is subtracted by the method of conjugate gradients. A few steps
        of this method are enough, because the linear equations that it solves have a matrix with few distinct
        eigenvalues.
        """
        tensors = np.where(self._apart, tensors.reshape(-1, *self.shape), 0.0)
        if len(self.shape) == 1:
            return np.asarray(tensors - tensors.mean(axis=1, keepdims=True))
        if len(self.shape) == 2 and self.shape[0] > 2:
            return self._pairs(tensors).reshape(-1, self.size)
        limit = 1e-30 * float(np.vdot(tensors, tensors))
        sums = self._sums(tensors)
        direction, size = sums, _square(sums)
        for _ in range(50):
            if size <= limit:
                break
            change = np.where(self._apart, sum(direction), 0.0)
            tensors -= size / float(np.vdot(change, change)) * change
            sums = self._sums(tensors)
            before, size = size, _square(sums)
            direction = [part + size / before * old for part, old in zip(sums, direction, strict=True)]
        return tensors.reshape(-1, self.size)

    def _pairs(self, tensors: Array) -> Array:
        items, (rows, columns) = self.shape[0], (tensors.sum(axis=axis) for axis in (2, 1))
        both = rows + columns
        both = (both - both.sum(axis=1, keepdims=True) / (2 * (items - 1))) / (items - 2)
        apart = (rows - columns) / items
        tensors -= ((both + apart) / 2)[:, :, np.newaxis]
        tensors -= ((both - apart) / 2)[:, np.newaxis, :]
        tensors[:, range(items), range(items)] = 0.0
        return tensors

    def _sums(self, tensors: Array) -> list[Array]:
        return [tensors.sum(axis=axis, keepdims=True) for axis in range(1, tensors.ndim)]


def lifts(pure: Array, order: int) -> Iterator[Array]:
    """Yield all lifts of a pure tensor to an order: for each pattern of equal indices and each choice of indices."""
    items, own = len(pure), pure.ndim
    for pattern in _patterns(order):
        groups = max(pattern) + 1
        places = np.ogrid[(slice(items),) * groups]
        apart = _apart(items, groups)
        for chosen in combinations(range(groups), own):
            spread = pure[tuple(places[group] for group in chosen)]
            tensor = np.zeros((items,) * order)
            tensor[tuple(places[group] for group in pattern)] = np.where(apart, spread, 0.0)
            yield tensor


def scattered(size: int) -> Iterator[Array]:
    """Yield pseudorandom vectors without structure and symmetry. They are the same on every machine."""
    numbers = np.arange(size, dtype=np.uint64)
    while True:
        mixed = numbers * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        yield (mixed >> np.uint64(11)).astype(np.float64) / 2**52 - 1.0
        numbers += np.uint64(size)


def _patterns(order: int) -> Iterator[tuple[int, ...]]:
    """Yield all patterns of equal indices.

    In a pattern, index a belongs to the group pattern[a]. The groups are numbered in the order of their first index.
    """
    patterns: list[tuple[int, ...]] = [()]
    for _ in range(order):
        patterns = [(*pattern, group) for pattern in patterns for group in range(max(pattern, default=-1) + 2)]
    yield from patterns


def _apart(items: int, axes: int) -> NDArray[np.bool_]:
    """Return a boolean array: True where all indices are distinct."""
    places = np.ogrid[(slice(items),) * axes]
    apart = np.ones((items,) * axes, dtype=bool)
    for one, other in combinations(places, 2):
        apart &= one != other
    return apart


def _square(parts: list[Array]) -> float:
    return sum(float(np.vdot(part, part)) for part in parts)
