"""Every kernel by its definition, without rounding, and the size of its terms: what the property tests compare with.

A value is a sum of terms. Its size is the sum of their absolute values: the value for the absolute values of all weights, with
discordant pairs counted too where the kernel is signed, tied ones not. Shares no code with the package.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import lcm, prod, sqrt
from typing import NamedTuple

import numpy as np
from definitions import orders, reduction


class Value(NamedTuple):
    value: Fraction
    size: Fraction


class Blocks(NamedTuple):
    """For each item the first rank, from 0, of its block and the number of items in it; whether it has a place."""

    starts: np.ndarray
    sizes: np.ndarray
    placed: np.ndarray


def blocks(row, missing="bottom") -> Blocks:
    """Read a row of ranks, of which the least is the best and NaN is missing."""
    row = np.asarray(row, dtype=float)
    placed = np.ones(len(row), dtype=bool) if missing == "bottom" else ~np.isnan(row)
    values = np.where(np.isnan(row), np.inf, row)
    known = values[placed]
    starts = np.array([(known < value).sum() for value in values], dtype=int)
    return Blocks(starts, np.array([(known == value).sum() for value in values], dtype=int), placed)


def whole(values) -> tuple[np.ndarray, int]:
    """Floats as whole numbers and the power of two that they are to be divided by."""
    values = np.asarray(values, dtype=float)
    ratios = [value.as_integer_ratio() for value in values.ravel().tolist()]
    scale = max((below for _, below in ratios), default=1)
    numbers = np.empty(len(ratios), dtype=object)
    numbers[:] = [above * (scale // below) for above, below in ratios]
    return numbers.reshape(values.shape), scale


def total(array) -> int:
    return sum(array.ravel().tolist())


def pair_table(n, weight, k, u) -> tuple[np.ndarray, int]:
    """What two items have at each pair of ranks, zero unless the first comes first; and what to divide it by."""
    upper = np.triu(np.ones((n, n), dtype=int), 1).astype(object)
    if weight == "standard":
        return upper, 1
    if weight == "top":
        return upper * (np.arange(n) < k).astype(int).astype(object), 1
    numbers, scale = whole(u)
    if weight == "add":
        return np.add.outer(numbers, numbers) * upper, scale
    return np.multiply.outer(numbers, numbers) * upper, scale**2


def mean_table(table, ranking) -> tuple[np.ndarray, int]:
    """The mean of a table over the ranks that two items can have, for all ordered pairs of items."""
    starts, sizes, _ = ranking
    if (sizes == 1).all():
        return table[np.ix_(starts, starts)], 1
    n = len(starts)
    starts = starts.tolist()
    inside = {start: range(start, start + size) for start, size in zip(starts, sizes.tolist(), strict=True)}
    counts = {(a, b): len(inside[a]) * (len(inside[b]) - (a == b)) or 1 for a in inside for b in inside}
    scale = reduce(lcm, counts.values(), 1)
    # The tables are zero for equal ranks, so that of one block only different ranks count.
    means = {(a, b): total(table[np.ix_(inside[a], inside[b])]) * (scale // count) for (a, b), count in counts.items()}
    result = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(n):
            if i != j:
                result[i, j] = means[starts[i], starts[j]]
    return result, scale


def chance_table(ranking) -> tuple[np.ndarray, int]:
    """The chance that the first of two items comes first, where items without a place can be anywhere."""
    starts, sizes, placed = ranking
    n, known = len(starts), int(placed.sum())
    result = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            if placed[i] and placed[j]:
                chance = Fraction(int(starts[i] < starts[j]) * 2 + int(starts[i] == starts[j]), 2)
            elif placed[i] or placed[j]:
                item = i if placed[i] else j
                before = 1 - Fraction(int(2 * starts[item] + sizes[item] + 1), 2 * (known + 1))
                chance = before if placed[i] else 1 - before
            else:
                chance = Fraction(1, 2)
            result[i, j] = chance
    return result, 1


def products(one, other, scale, signed) -> Fraction:
    """The sum over ordered pairs of items, or of the differences between their two orders."""
    (first, below), (second, other_below) = one, other
    if signed:
        first, second = (np.triu(table - table.T, 1) for table in (first, second))
    return Fraction(total(first * second)) / (scale**2 * below * other_below)


def average(s, t, signed) -> Value:
    """The mean of the top-k kernels over k; in floats, whose rounding is far below the bound."""
    n = len(s.starts)
    if (s.sizes == 1).all() and (t.sizes == 1).all():
        later = [np.maximum.outer(ranking.starts, ranking.starts) for ranking in (s, t)]
        room = n - np.maximum(*later)
        same = np.less.outer(s.starts, s.starts) & np.less.outer(t.starts, t.starts)
        opposite = np.less.outer(s.starts, s.starts) & np.greater.outer(t.starts, t.starts)
        concordant, discordant = int(room[same].sum()), int(room[opposite].sum())
        below = max(n, 1)
        if signed:
            return Value(Fraction(concordant - discordant, below), Fraction(concordant + discordant, below))
        return Value(Fraction(concordant, below), Fraction(concordant, below))

    def stack(ranking):
        inside = np.clip(np.arange(1, n + 1)[:, np.newaxis] - ranking.starts, 0, ranking.sizes)
        part = inside / ranking.sizes
        first = np.less.outer(ranking.starts, ranking.starts)
        tied = np.equal.outer(ranking.starts, ranking.starts) & ~np.eye(n, dtype=bool)
        pairs = np.maximum(ranking.sizes * (ranking.sizes - 1), 1)
        both = (inside * (inside - 1) / 2 / pairs)[:, :, np.newaxis]
        return part[:, :, np.newaxis] * part[:, np.newaxis, :] * first + both * tied

    one, other = stack(s), stack(t)
    plain = float((one * other).sum()) / n
    if not signed:
        return Value(Fraction(plain), Fraction(plain))
    one_skew, other_skew = (np.triu(part - part.transpose(0, 2, 1)) for part in (one, other))
    terms = one_skew * other_skew
    return Value(Fraction(float(terms.sum()) / n), Fraction(float(np.abs(terms).sum()) / n))


def named(s, t, weight="standard", k=None, u=None, order=2, signed=False, missing="bottom") -> Value:
    """A kernel with a named weight of two rows of ranks."""
    n = len(s)
    u = reduction(u, n) if isinstance(u, str) else u
    if order != 2:
        value = orders(s, t, order, weight, k, u)[-1]
        if u is None:
            return Value(Fraction(value), Fraction(value))
        return Value(Fraction(value), Fraction(orders(s, t, order, weight, k, np.abs(u))[-1]))
    first, second = blocks(s, missing), blocks(t, missing)
    if weight == "average":
        return average(first, second, signed)
    found = []
    for numbers in (u, u if u is None else np.abs(u)):
        if first.placed.all() and second.placed.all():
            table, scale = pair_table(n, weight, k, numbers)
            found.append((mean_table(table, first), mean_table(table, second), scale))
        else:
            found.append((chance_table(first), chance_table(second), 1))
    value = products(*found[0], signed)
    if signed and first.placed.all() and second.placed.all():
        # Tied pairs have no term.
        found[1] = [(abs(np.triu(table - table.T, 1)), below) for table, below in found[1][:2]] + [found[1][2]]
    size = products(*found[1], False)
    if signed and not (first.placed.all() and second.placed.all()):
        one, (other, below), scale = found[1]
        size += products(one, (other.T, below), scale, False)
    return Value(value, size)


def tensor(s, t, stack) -> Value:
    """G_U, summed over a stack of tensors."""
    stack = np.asarray(stack, dtype=float)
    axes = stack.ndim - 1
    s, t = (np.ix_(*[np.asarray(ranks, dtype=int) - 1] * axes) for ranks in (s, t))
    sums = [Fraction(0), Fraction(0)]
    for member in stack:
        numbers, scale = whole(member)
        product = numbers[s] * numbers[t]
        sums[0] += Fraction(total(product), scale**2)
        sums[1] += Fraction(total(abs(product)), scale**2)
    return Value(*sums)


def factored(s, t, terms) -> Value:
    """G_U for a sum of outer products: for every two terms the product over the axes of inner products."""
    s, t = (np.asarray(ranks, dtype=int) - 1 for ranks in (s, t))
    sums = []
    for numbers in (np.asarray(terms, dtype=float), np.abs(np.asarray(terms, dtype=float))):
        vectors, scale = whole(numbers)
        inner = [[prod(total(x[s] * y[t]) for x, y in zip(a, b, strict=True)) for b in vectors] for a in vectors]
        sums.append(Fraction(sum(map(sum, inner)), scale ** (2 * numbers.shape[1])))
    return Value(*sums)


def quadruples(s, t, W) -> Value:
    """K_W."""
    s, t = (np.asarray(ranks, dtype=int) - 1 for ranks in (s, t))
    first, second = np.nonzero(np.less.outer(s, s) & np.less.outer(t, t))
    numbers, scale = whole(np.asarray(W, dtype=float)[s[first], s[second], t[first], t[second]])
    return Value(Fraction(total(numbers), scale), Fraction(total(abs(numbers)), scale))


def ratio(numerator, one, other) -> float:
    """A fraction over the root of the product of two others."""
    square = numerator * numerator / (one * other)
    return sqrt(float(square)) * (1 if numerator > 0 else -1)
