"""The kernels by their definitions, for tests to compare with. Shares no code with the package."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import fsum, prod
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import LinearConstraint, milp


class Sums(NamedTuple):
    concordant: float
    signed: float
    #: Sums of the absolute values of the concordant terms, and of all terms.
    concordant_size: float
    size: float


def expected(s, t, weight="standard", k=None, u=None, item_weight=None) -> Sums:
    """Sums over the pairs of items of two rankings, ranks from 1, rank 1 the most preferred."""
    n = len(s)
    u = reduction(u, n) if isinstance(u, str) else u
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
        elif weight == "later":
            term = u[b - 1] * u[max(c, d) - 1]
        elif weight == "mult":
            term = u[a - 1] * u[b - 1] * u[c - 1] * u[d - 1]
        else:
            raise NotImplementedError(weight)
        term *= 1 if item_weight is None else item_weight[i] * item_weight[j]
        (concordant if c < d else discordant).append(term)
    scale = max(n, 1) if weight == "average" else 1
    size = fsum(map(abs, concordant))
    return Sums(
        fsum(concordant) / scale,
        (fsum(concordant) - fsum(discordant)) / scale,
        size,
        size + fsum(map(abs, discordant)),
    )


def random_rankings(rng, m, n) -> np.ndarray:
    """Uniform rankings, ranks from 1."""
    return np.array([rng.permutation(n) + 1 for _ in range(m)], dtype=np.int64).reshape(m, n)


def reduction(name, n) -> list[float]:
    """The named position weights."""
    named = {"hyperbolic": lambda r: 1 / (r + 1), "log": lambda r: 1 / np.log2(r + 1)}
    named["ap"] = lambda r: 1 / (r - 1) if r > 1 else 0.0
    return [named[name](r) for r in range(1, n + 1)]


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


def embedding(s, U) -> np.ndarray:
    """Phi_U of one ranking, entry by entry."""
    phi = np.empty(U.shape)
    for items in product(range(len(s)), repeat=U.ndim):
        phi[items] = U[tuple(s[i] - 1 for i in items)]
    return phi


def counted(params):
    """Whether the values of a named kernel are counts, or counts divided once, and so exact. General weights are not."""
    exact = {"standard": True, "top": True, "add": False, "mult": False, "average": True, "later": False}
    return "weight" in params and exact[params["weight"]]


# The statistics of tests, with double loops.


def distance(s, t) -> int:
    """The number of discordant pairs of items of two complete rankings."""
    return sum((s[i] - s[j]) * (t[i] - t[j]) < 0 for i, j in combinations(range(len(s)), 2))


def squared_discrepancy(K, first, second) -> float:
    """The unbiased squared maximum mean discrepancy of people with these numbers; K is the kernel between all."""
    within = [
        fsum(K[i, j] for i in group for j in group if i != j) / (len(group) * (len(group) - 1))
        for group in (first, second)
    ]
    between = fsum(K[i, j] for i in first for j in second) / (len(first) * len(second))
    return within[0] + within[1] - 2 * between


def mean_discrepancy(K, groups) -> float:
    """The mean over pairs of groups, weighted by the products of their sizes."""
    pairs = list(combinations(groups, 2))
    weights = [prod(map(len, pair)) for pair in pairs]
    values = [squared_discrepancy(K, *pair) for pair in pairs]
    return fsum(map(prod, zip(weights, values, strict=True))) / sum(weights)


def consecutive(sizes) -> list[list[int]]:
    """Numbers of people of groups that come one after the other."""
    ends = np.cumsum([0, *sizes]).tolist()
    return [list(range(begin, end)) for begin, end in pairwise(ends)]


def criterion(K, L) -> float:
    """The Hilbert-Schmidt independence criterion: means of products of both kernels, over pairs, quadruples and triples."""
    m = range(len(K))
    pairs = fsum(K[i, j] * L[i, j] for i in m for j in m) / len(K) ** 2
    all_of = fsum(K[i, j] for i in m for j in m) * fsum(L[i, j] for i in m for j in m) / len(K) ** 4
    rows = fsum(fsum(K[i, j] for j in m) * fsum(L[i, j] for j in m) for i in m) / len(K) ** 3
    return pairs + all_of - 2 * rows


def splits(people, size):
    """All ways to choose the first group."""
    for first in combinations(range(people), size):
        yield list(first), [person for person in range(people) if person not in first]


# Rankings with ties and missing items.

NAN = np.nan
#: How lists are read.
BOTTOM = {"ties": "mean", "missing": "bottom"}


def sparse(X, form="csr"):
    """Rows as lists: what is not NaN is stored, zeros too."""
    X = np.asarray(X, dtype=float)
    rows, columns = np.nonzero(~np.isnan(X))
    return sp.coo_array((X[rows, columns], (rows, columns)), shape=X.shape).asformat(form)


def completions(row, missing):
    """All complete rankings that agree with a row of ranks, of which the least is the best and NaN is missing."""
    n = len(row)
    known = [i for i in range(n) if not np.isnan(row[i])]
    unknown = [i for i in range(n) if np.isnan(row[i])]
    found = []
    for order in permutations(range(n)):  # items, best first
        place = {item: rank for rank, item in enumerate(order)}
        if any(row[i] < row[j] and place[i] > place[j] for i, j in product(known, known)):
            continue
        if missing == "bottom" and any(place[i] > place[j] for i, j in product(known, unknown)):
            continue
        found.append([place[i] + 1 for i in range(n)])
    return found


def random_rows(rng, m, n, ties=True, missing=True):
    """Rows of ranks with ties and NaN; the first has every item tied, the second none, the third lacks all."""
    rows = rng.integers(1, n + 1, (m, n)).astype(float) if ties else random_rankings(rng, m, n).astype(float)
    if missing:
        rows[rng.random((m, n)) < 0.3] = NAN
    if ties and m > 2:
        rows[0] = 1.0
        rows[1] = random_rankings(rng, 1, n)[0]
        if missing:
            rows[2] = NAN
    return rows


def best_by_milp(M):
    """Return the largest sum of M[i, j] over items i before j, by an integer program.

    It has a variable for each pair of items, and no cycles of three.
    """
    n, pairs = len(M), list(combinations(range(len(M)), 2))
    number = {pair: place for place, pair in enumerate(pairs)}
    rows = sp.lil_array((n * (n - 1) * (n - 2) // 6, len(pairs)))
    for place, (i, j, k) in enumerate(combinations(range(n), 3)):
        rows[place, number[i, j]], rows[place, number[j, k]], rows[place, number[i, k]] = 1, 1, -1
    gains = np.array([M[i, j] - M[j, i] for i, j in pairs], dtype=float)
    how = {"integrality": np.ones(len(pairs)), "bounds": (0, 1), "options": {"mip_rel_gap": 0}}
    found = milp(-gains, constraints=LinearConstraint(rows.tocsr(), 0, 1), **how)
    return sum(M[j, i] for i, j in pairs) - found.fun
