"""Factors of a weight matrix, returned only if a kernel computed from them is accurate enough.

For a weight matrix U, a value of the kernel is a sum of terms U[a, b] U[c, d]. The package promises an error of at most
1e-12 times the sum of the absolute values of these terms. Let L and R be the factors. Their product L R is close to U;
let E = U - L R. A value that is computed from the factors has two errors: the effect of E, and rounding errors. The
rounding errors are in sums of products of four numbers: two entries of L and two entries of R. This module bounds both
errors before the factors are used.
"""

from __future__ import annotations

import math

import numpy as np

from wkendall._arguments import Array

#: The allowed error of a kernel from factors, relative to the sum of the absolute values of its terms. The promise is
#: 1e-12.
ALLOWED = 8e-13
#: Half the distance from 1 to the next floating-point number.
UNIT = float(np.finfo(np.float64).eps) / 2
#: Products of two numbers of at least this size are computed without underflow.
SMALLEST = 2.0**-480


def low_rank(U: Array, most: int) -> Array | None:
    """Return the factors of a matrix; None if its rank is above `most`, or if the factors are not accurate."""
    if not np.isfinite(U).all():
        return None
    exponent = int(np.frexp(np.abs(U).max(initial=0.0))[1])
    scaled = np.ldexp(U, -exponent)
    if not (np.ldexp(scaled, exponent) == U).all():  # the smallest entries have lost digits
        return None
    try:
        found = _found(scaled, most)
    except MemoryError:  # this needs five times the memory of U
        return None
    if found is None:
        return None
    half = exponent // 2
    left, right = np.ldexp(found[0], half), np.ldexp(found[1], exponent - half)
    return np.ascontiguousarray(np.stack([left.T, right], axis=1)).ravel() if _in_range(left, right) else None


def _found(U: Array, most: int) -> tuple[Array, Array] | None:
    items = len(U)
    # Most matrices have full rank, and so does a submatrix of them.
    some = np.linspace(0, items - 1, min(items, 4 * most + 4)).astype(np.intp)
    size, least = float(np.linalg.norm(U)), _least_terms(U)
    # Entries this small may be dropped: even all together they change no value by much.
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
    """Return rows and columns that span all rows and columns, and the results of the elimination with full pivoting.

    Entries with an absolute value of at most `unseen` count as zeros. After each step, remainders that can be rounding
    errors are set to zero. In this way, a small entry is kept even if other entries are large.
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
    """Return the matrix that makes all rows from the chosen rows: `parts` times the inverse of `parts[rows]`."""
    made = parts.copy()
    for step in range(len(rows) - 1, -1, -1):
        made[:, step] -= made[:, step + 1 :] @ parts[rows[step + 1 :], step]
    made[rows] = np.eye(len(rows))
    return made


def _least_terms(U: Array) -> float:
    """Return a lower bound, for all pairs of rankings, of the sum of the absolute terms |U[a, b] U[c, d]|."""
    ordered = np.sort(np.abs(U), axis=None)
    return float(ordered @ ordered[::-1])


def _error(U: Array, left: Array, right: Array, least: float) -> float:
    """Return a bound of the error of a kernel computed from factors, divided by the sum of its absolute terms."""
    items, rank = left.shape
    sizes = np.abs(left) @ np.abs(right)
    apart = np.abs(U - left @ right) + (rank + 2) * UNIT * sizes
    # Two sums of n products, added one by one. The rounding errors of long sums partly cancel.
    rounding = UNIT * (2 * min(items, 8 * math.isqrt(items)) + rank**2)
    entries = np.abs(U)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        change, growth = (np.where(part > 0, part / entries, 0.0).max(initial=0.0) for part in (apart, sizes))
        each = 2 * change + change**2 + rounding * growth**2
        whole = (2 * np.linalg.norm(apart) * np.linalg.norm(U) + rounding * np.vdot(sizes, sizes)) / np.float64(least)
    return float(np.fmin(each, whole))


def _in_range(left: Array, right: Array) -> bool:
    """Tell whether products of entries neither overflow nor lose digits; the Rust crate has the same upper limit."""
    sizes = np.abs(np.concatenate([left.ravel(), right.ravel()]))
    if (sizes[sizes > 0] < SMALLEST).any():
        return False
    with np.errstate(over="ignore"):
        largest = np.float64(sizes.max(initial=0.0))
        return bool(np.isfinite(((1 + largest**2) * len(left)) ** 2 * float(right.shape[0]) ** 2))
