"""The kernels by their definitions, for tests to compare with. Shares no code with the package."""

from __future__ import annotations

from itertools import combinations
from math import fsum
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
