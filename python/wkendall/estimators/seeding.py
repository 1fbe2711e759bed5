"""Random draws of rankings that are far apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wkendall._arguments import Array

#: Squared distances below this fraction of the largest self-similarity are rounding errors of zero.
ROUNDING = 1e-12


def draw_apart(
    own: Array, weights: Array, count: int, random: np.random.RandomState, column: Callable[[int], Array]
) -> list[int]:
    """Draw rankings as k-means++ does; return their row numbers.

    The first is drawn with probability proportional to its weight, each next one proportional to its weight times the
    squared distance from the nearest ranking drawn so far. There are fewer than `count` if all distances are zero
    before that. `own` is the kernel between each ranking and itself; `column` returns that between all rankings and one.
    """
    chosen: list[int] = []
    nearest, chances = np.full(len(own), np.inf), weights
    while len(chosen) < count and chances.any():
        sums = chances.cumsum()
        one = min(int(sums.searchsorted(random.uniform() * sums[-1], side="right")), len(own) - 1)
        chosen.append(one)
        squares = own + own[one] - 2 * column(one)
        squares[squares <= ROUNDING * own.max()] = 0
        nearest = np.minimum(nearest, squares)
        chances = weights * nearest
    return chosen
