"""Factors of a matrix of weights: found only where a kernel computed from them keeps its promise.

The promise is that every value is within 1e-12 of the sum of the absolute values of its terms, U[a, b] U[c, d]. Let L R be the
factors and E = U - L R. A value computed from the factors is wrong by what E changes, and by the rounding of sums of products of
|L|, |R|, |L| and |R|. Both are bounded here, before the factors are taken.
"""

from __future__ import annotations

import math

import numpy as np

from wkendall._arguments import Array

#: What a kernel from factors may be wrong by, as a part of the sum of the absolute values of its terms. The promise is 1e-12.
ALLOWED = 8e-13
#: Half the distance from 1 to the next number.
UNIT = float(np.finfo(np.float64).eps) / 2
#: Products of two numbers that are not smaller have all their digits.
SMALLEST = 2.0**-480


def low_rank(U: Array, most: int) -> Array | None:
    """Return the vectors of a matrix of rank at most `most`; None if its rank is higher or they would change the result."""
    if not np.isfinite(U).all():
        return None
    exponent = int(np.frexp(np.abs(U).max(initial=0.0))[1])
    scaled = np.ldexp(U, -exponent)
    if not (np.ldexp(scaled, exponent) == U).all():  # the smallest entries have lost digits
        return None
    try:
        found = _found(scaled, most)
    except MemoryError:  # it takes five times that of U
        return None
    if found is None:
        return None
    half = exponent // 2
    left, right = np.ldexp(found[0], half), np.ldexp(found[1], exponent - half)
    return np.ascontiguousarray(np.stack([left.T, right], axis=1)).ravel() if _in_range(left, right) else None


def _found(U: Array, most: int) -> tuple[Array, Array] | None:
    """Return factors that keep the promise."""
    items = len(U)
    # Most matrices are of full rank, and so is a part of them.
    some = np.linspace(0, items - 1, min(items, 4 * most + 4)).astype(np.intp)
    size, least = float(np.linalg.norm(U)), _least_terms(U)
    # Entries so small may be dropped: even together they change no value by much.
    for unseen in (0.0, ALLOWED / 16 * least / max(items * size, 1.0)):
        if _crosses(U[np.ix_(some, some)], most, unseen) is None:
            continue
        crosses = _crosses(U, most, unseen)
        if crosses is None:
            continue
        rows, columns, parts, others = crosses
        for left, right in ((_coefficients(parts, rows), U[rows]), (U[:, columns], _coefficients(others, columns).T)):
            if _error(U, left, right, least) <= ALLOWED:
                return left, right
    return None


def _crosses(U: Array, most: int, unseen: float) -> tuple[list[int], list[int], Array, Array] | None:
    """Return rows and columns of which all others are made, and the columns and rows of elimination with full pivoting.

    What is left after each step is set to zero where rounding explains it. So small entries beside large ones count.
    """
    left, noise = U.copy(), np.full(U.shape, unseen)
    rows: list[int] = []
    columns: list[int] = []
    parts, others = np.empty((len(U), most)), np.empty((len(U), most))
    while True:
        left[np.abs(left) <= noise] = 0
        row, column = np.unravel_index(int(np.abs(left).argmax()), U.shape)
        pivot, rank = left[row, column], len(rows)
        if pivot == 0:
            return rows, columns, parts[:, :rank], others[:, :rank]
        if rank == most:
            return None
        part, other = left[:, column] / pivot, left[row] / pivot
        rows.append(int(row))
        columns.append(int(column))
        parts[:, rank], others[:, rank] = part, other
        cross = np.outer(part, left[row])
        noise += np.outer(np.abs(part), noise[row]) + np.outer(noise[:, column], np.abs(other))
        noise += 4 * UNIT * (np.abs(cross) + np.abs(left))
        left -= cross
        left[row], left[:, column] = 0, 0


def _coefficients(parts: Array, rows: list[int]) -> Array:
    """Return how each row is made of those chosen: parts times the inverse of its chosen rows, which are lower triangular."""
    made = parts.copy()
    for step in range(len(rows) - 1, -1, -1):
        made[:, step] -= made[:, step + 1 :] @ parts[rows[step + 1 :], step]
    made[rows] = np.eye(len(rows))
    return made


def _least_terms(U: Array) -> float:
    """Return what the sum of absolute terms of two rankings is at least: the largest entries times the smallest."""
    ordered = np.sort(np.abs(U), axis=None)
    return float(ordered @ ordered[::-1])


def _error(U: Array, left: Array, right: Array, least: float) -> float:
    """Return a bound of the error of a kernel from factors, as a part of the sum of the absolute values of its terms."""
    items, rank = left.shape
    sizes = np.abs(left) @ np.abs(right)
    apart = np.abs(U - left @ right) + (rank + 2) * UNIT * sizes
    # Two sums of n products, added one by one. Long sums do not round in one direction only.
    rounding = UNIT * (2 * min(items, 8 * math.isqrt(items)) + rank**2)
    entries = np.abs(U)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        change, growth = (np.where(part > 0, part / entries, 0.0).max(initial=0.0) for part in (apart, sizes))
        each = 2 * change + change**2 + rounding * growth**2
        whole = (2 * np.linalg.norm(apart) * np.linalg.norm(U) + rounding * np.vdot(sizes, sizes)) / np.float64(least)
    return float(np.fmin(each, whole))


def _in_range(left: Array, right: Array) -> bool:
    """Tell whether products neither overflow nor lose digits; the limit above is that of the Rust crate."""
    sizes = np.abs(np.concatenate([left.ravel(), right.ravel()]))
    if (sizes[sizes > 0] < SMALLEST).any():
        return False
    with np.errstate(over="ignore"):
        largest = np.float64(sizes.max(initial=0.0))
        return bool(np.isfinite(((1 + largest**2) * len(left)) ** 2 * float(right.shape[0]) ** 2))
