"""The statistics of tests by their definitions, with double loops. Shares no code with the package."""

from itertools import combinations, pairwise
from math import fsum, prod

import numpy as np


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
