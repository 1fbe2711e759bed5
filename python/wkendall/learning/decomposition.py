"""How tensors over positions split under permutations of the positions.

A permutation of the positions takes a tensor of order d to another one. Tensors that are zero unless their indices are equal
in a given pattern go to such tensors, and so do those that depend on some of their indices only. What is left of order j
after all this is *pure*: zero where two indices are equal, and with sum zero over each index. Every tensor of order d is a
sum of pure tensors of the orders 0..d, each lifted to order d in some way: put on a pattern of equal indices, made to depend
on some of them. Permutations, and sums of them, commute with the lifts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array


class Pure:
    """Projection of tensors on the pure ones."""

    def __init__(self, items: int, order: int) -> None:
        self.shape = (items,) * order
        self.size = items**order
        self._apart = _apart(items, order)

    def __call__(self, tensors: Array) -> Array:
        """Project each row, a tensor written as a vector.

        What depends on fewer indices is taken away by conjugate gradients. They end after a few steps, because sums over an
        index of tensors with different indices have few different eigenvalues.
        """
        tensors = np.where(self._apart, tensors.reshape(-1, *self.shape), 0.0)
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

    def _sums(self, tensors: Array) -> list[Array]:
        return [tensors.sum(axis=axis, keepdims=True) for axis in range(1, tensors.ndim)]


def lifts(pure: Array, order: int) -> Iterator[Array]:
    """Lift a pure tensor to an order in every way: each pattern of equal indices, each choice of the indices to depend on."""
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


def reorderings(tensor: Array) -> Iterator[Array]:
    """Put the axes of a tensor in every order."""
    for axes in permutations(range(tensor.ndim)):
        yield tensor.transpose(axes)


def scattered(size: int) -> Iterator[Array]:
    """Yield vectors without meaning or symmetry, the same on every machine."""
    numbers = np.arange(size, dtype=np.uint64)
    while True:
        mixed = numbers * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        yield (mixed >> np.uint64(11)).astype(np.float64) / 2**52 - 1.0
        numbers += np.uint64(size)


def _patterns(order: int) -> Iterator[tuple[int, ...]]:
    """Say in every way which indices are equal: index a belongs to group pattern[a], groups being numbered as they come."""
    patterns: list[tuple[int, ...]] = [()]
    for _ in range(order):
        patterns = [(*pattern, group) for pattern in patterns for group in range(max(pattern, default=-1) + 2)]
    yield from patterns


def _apart(items: int, axes: int) -> NDArray[np.bool_]:
    """Mark the tuples of different indices."""
    places = np.ogrid[(slice(items),) * axes]
    apart = np.ones((items,) * axes, dtype=bool)
    for one, other in combinations(places, 2):
        apart &= one != other
    return apart


def _square(parts: list[Array]) -> float:
    return sum(float(np.vdot(part, part)) for part in parts)
