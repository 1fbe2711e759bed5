"""The kernels by their definitions, for tests to compare with. Shares no code with the package."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from math import fsum, prod
from typing import NamedTuple

import numpy as np


class Sums(NamedTuple):
    concordant: float
    signed: float
    #: Sums of the absolute values of the concordant terms, and of all terms.
    concordant_size: float
    size: float


def sums(s, t, weight, k=None, u=None) -> Sums:
    """Sums over the pairs of items of two rankings, ranks from 1, rank 1 the most preferred."""
    n = len(s)
    s, t = [int(rank) for rank in s], [int(rank) for rank in t]
    concordant, discordant = [], []
    for i, j in combinations(range(n), 2):
        first, second = (i, j) if s[i] < s[j] else (j, i)
        a, b, c, d = s[first], s[second], t[first], t[second]
        largest = max(a, b, c, d)
        if weight == "standard":
            term = 1
        elif weight == "top":
            term = 1 if largest <= k else 0
        elif weight == "average":
            term = n + 1 - largest  # divided by n at the end, once, so that it is exact
        elif weight == "add":
            term = (u[a - 1] + u[b - 1]) * (u[c - 1] + u[d - 1])
        else:
            term = u[a - 1] * u[b - 1] * u[c - 1] * u[d - 1]
        (concordant if c < d else discordant).append(term)
    scale = max(n, 1) if weight == "average" else 1
    size = fsum(map(abs, concordant))
    return Sums(
        fsum(concordant) / scale,
        (fsum(concordant) - fsum(discordant)) / scale,
        size,
        size + fsum(map(abs, discordant)),
    )


def general(s, t, U) -> float:
    """G_U: the sum over all ordered pairs of items, an item with itself included."""
    n = len(s)
    return sum(U[s[i] - 1, s[j] - 1] * U[t[i] - 1, t[j] - 1] for i in range(n) for j in range(n))


def random_rankings(rng, m, n) -> np.ndarray:
    """Uniform rankings, ranks from 1."""
    return np.array([rng.permutation(n) + 1 for _ in range(m)], dtype=np.int64).reshape(m, n)


def reduction(name, n) -> list[float]:
    """The named position weights."""
    return [1 / (r + 1) if name == "hyperbolic" else 1 / np.log2(r + 1) for r in range(1, n + 1)]


def kernels(n, rng=None) -> list[dict]:
    """Parameters of all five kernels for n items; with negative and zero position weights too."""
    rng = np.random.default_rng(0) if rng is None else rng
    tops = sorted({1, (n + 1) // 2, n} & set(range(1, n + 1)))
    factors = ["hyperbolic", "log", rng.standard_normal(n), np.zeros(n), 0.5 ** np.arange(n)]
    return [
        {"weight": "standard"},
        {"weight": "average"},
        *({"weight": "top", "k": k} for k in tops),
        *({"weight": weight, "u": u} for weight in ("add", "mult") for u in factors),
    ]


def expected(s, t, weight, k=None, u=None) -> Sums:
    """As `sums`, with position weights by name too."""
    return sums(s, t, weight, k, reduction(u, len(s)) if isinstance(u, str) else u)


def tuples(s, t, order, weight, k=None, u=None) -> Fraction:
    """The named kernel of any order: the sum over all tuples of items, without rounding."""
    n = len(s)
    s, t = [int(rank) for rank in s], [int(rank) for rank in t]
    u = [Fraction(float(value)) for value in (reduction(u, n) if isinstance(u, str) else u if u is not None else [])]
    total = Fraction(0)
    for items in combinations(sorted(range(n), key=s.__getitem__), order):
        first, second = [s[i] for i in items], [t[i] for i in items]
        if second != sorted(second):
            continue
        largest = max(first[-1], second[-1])
        if weight == "standard":
            total += 1
        elif weight == "top":
            total += largest <= k
        elif weight == "average":
            total += Fraction(n + 1 - largest, n)
        else:
            join = sum if weight == "add" else prod
            total += join(u[a - 1] for a in first) * join(u[b - 1] for b in second)
    return total


def orders(s, t, most, weight, k=None, u=None) -> list[Fraction]:
    """The named kernels of orders 1 to `most`, without rounding, from sums over the tuples that end at each item."""
    n = len(s)
    ranks = sorted((int(a), int(b)) for a, b in zip(s, t, strict=True))
    if weight == "top":
        ranks = [pair for pair in ranks if max(pair) <= k]
    before = [[i for i in range(j) if ranks[i][1] < ranks[j][1]] for j in range(len(ranks))]

    def carried(ends):
        return [sum(map(ends.__getitem__, earlier)) for earlier in before]

    if weight in ("add", "mult"):
        # Whole numbers over a common denominator.
        ratios = [float(value).as_integer_ratio() for value in (reduction(u, n) if isinstance(u, str) else u)]
        scale = max((below for _, below in ratios), default=1)
        whole = [above * (scale // below) for above, below in ratios]
        factors = [(whole[a - 1], whole[b - 1]) for a, b in ranks]
        if weight == "add":
            return [Fraction(value, scale**2) for value in _sums_of_factors(factors, carried, most)]
        last, each, scale = [1] * len(ranks), [a * b for a, b in factors], scale**2
    else:
        last = [Fraction(n + 1 - max(pair), n) if weight == "average" else 1 for pair in ranks]
        each, scale = [1] * len(ranks), 1
    sums, ends = [], each
    for order in range(1, most + 1):
        sums.append(sum(map(prod, zip(ends, last, strict=True)), Fraction(0)) / scale**order)
        ends = [factor * value for factor, value in zip(each, carried(ends), strict=True)]
    return sums


def _sums_of_factors(factors, carried, most) -> list[int]:
    """Over the tuples: the sums of (the sum of one side's factors) times (the sum of the other's)."""
    count, first, second, both = zip(*((1, x, y, x * y) for x, y in factors), strict=True) if factors else ((),) * 4
    sums = []
    for _ in range(most):
        sums.append(sum(both))
        states = list(zip(factors, *map(carried, (count, first, second, both)), strict=True))
        count = [c for _, c, _, _, _ in states]
        first = [a + c * x for (x, _), c, a, _, _ in states]
        second = [b + c * y for (_, y), c, _, b, _ in states]
        both = [ab + a * y + b * x + c * x * y for (x, y), c, a, b, ab in states]
    return sums


def tensor_kernel(s, t, U) -> float:
    """G_U for a tensor with any number of axes: the sum over all tuples of items, repeated items included."""
    places = list(product(range(len(s)), repeat=U.ndim))
    return fsum(U[tuple(s[i] - 1 for i in items)] * U[tuple(t[i] - 1 for i in items)] for items in places)


def pairs_of_pairs(s, t, W) -> float:
    """K_W: the sum over the concordant pairs of items of a weight of all four ranks."""
    n = len(s)
    s, t = [rank - 1 for rank in s], [rank - 1 for rank in t]
    concordant = [(i, j) for i in range(n) for j in range(n) if s[i] < s[j] and t[i] < t[j]]
    return fsum(W[s[i], s[j], t[i], t[j]] for i, j in concordant)


def dense(terms, n, order) -> np.ndarray:
    """The tensor that is the sum of the outer products of each term's vectors."""
    return sum((reduce(np.multiply.outer, term) for term in terms), np.zeros((n,) * order))


def factored_kernel(s, t, terms) -> float:
    """G_U for a sum of outer products, exact up to one rounding: a product over axes for every two terms."""
    exact = [[[Fraction(float(value)) for value in vector] for vector in term] for term in terms]
    ranks = [(int(a) - 1, int(b) - 1) for a, b in zip(s, t, strict=True)]
    return float(
        sum(
            prod(sum(x[a] * y[b] for a, b in ranks) for x, y in zip(one, other, strict=True))
            for one in exact
            for other in exact
        )
    )


def position_tensor(n, weight, order, k=None, u=None) -> np.ndarray:
    """Weights of positions, zero off the increasing tuples, whose kernel is the named one; not for "average"."""
    u = reduction(u, n) if isinstance(u, str) else u
    U = np.zeros((n,) * order)
    for places in combinations(range(n), order):
        if weight == "standard":
            U[places] = 1
        elif weight == "top":
            U[places] = places[-1] < k
        else:
            U[places] = (sum if weight == "add" else prod)(u[a] for a in places)
    return U


def embedding(s, U) -> np.ndarray:
    """Phi_U of one ranking, entry by entry."""
    phi = np.empty(U.shape)
    for items in product(range(len(s)), repeat=U.ndim):
        phi[items] = U[tuple(s[i] - 1 for i in items)]
    return phi


def outer_form(s, U, B) -> float:
    """The inner product of the outer product of U and B with as many permutation matrices of s as U has axes."""
    n = len(s)
    permutation = np.zeros((n, n))
    for item, rank in enumerate(s):
        permutation[rank - 1, item] = 1
    return float(U.ravel() @ reduce(np.kron, [permutation] * U.ndim) @ B.ravel())
