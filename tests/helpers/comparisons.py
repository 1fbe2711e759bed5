"""Comparisons with weights of items by their definitions, which share no code with the package.

A row holds the ranks of all items: the least is the best, equal ranks are ties. A list is a list of groups of tied items,
best first; it may leave items out. Sums are exact or rounded once. A division by zero gives 0. tests/rust has the definitions
of all comparisons without weights of items.
"""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import fsum, log1p, sqrt

import numpy as np


def ratio(numerator, denominator):
    return numerator / denominator if denominator else 0.0


def sign(row, i, j):
    """1 if a row has i before j, -1 if after, 0 for a tie."""
    return int(row[i] < row[j]) - int(row[i] > row[j])


def at_the_end(row):
    """A row whose NaN, the items that are not listed, are one tied block at the end."""
    return [len(row) + 1.0 if np.isnan(rank) else float(rank) for rank in row]


def groups(row):
    """The list of a row, in which NaN is not listed."""
    return [[i for i, rank in enumerate(row) if rank == level] for level in sorted({r for r in row if not np.isnan(r)})]


def orders(row):
    """All complete rankings that agree with a row."""
    for choice in product(*map(permutations, groups(row))):
        order = [item for group in choice for item in group]
        yield [order.index(item) + 1 for item in range(len(row))]


def both(item_weight, i, j):
    return 1 if item_weight is None else item_weight[i] * item_weight[j]


def kemeny_snell(s, t, item_weight=None):
    pairs = combinations(range(len(s)), 2)
    return sum(abs(sign(s, i, j) - sign(t, i, j)) * both(item_weight, i, j) for i, j in pairs)


def blocks(ranking):
    """For each item of a list the first rank of its group, and the size of the group."""
    found, before = {}, 0
    for group in ranking:
        found |= {item: (before + 1, len(group)) for item in group}
        before += len(group)
    return found


def in_top(ranking, depth):
    """For each item of a list the probability to be among the first items if ties are broken at random."""
    return {i: min(max(depth - first + 1, 0), size) / size for i, (first, size) in blocks(ranking).items()}


def overlap(one, two, item_weight=None):
    weight = (lambda item: 1) if item_weight is None else item_weight.__getitem__
    return fsum(one[item] * two[item] * weight(item) for item in one.keys() & two.keys())


def rank_biased_overlap(x, y, p=0.9, value="ext", ties="a", item_weight=None):
    """Webber et al. 2010, and Corsi and Urbano 2024 for ties.

    Agreement at depth d is the overlap of both top d over their size. The shorter list has unknown items after its end: none
    of them is in the longer list (min), or as many are common as at the end of the shorter list (ext).
    """
    x, y = sorted((x, y), key=lambda ranking: len(blocks(ranking)))
    s, length = len(blocks(x)), len(blocks(y))
    only_long = [item for item in blocks(y) if item not in blocks(x)]
    terms, last = [], 0.0  # the agreement at the end of the shorter list
    for d in range(1, length + 1):
        short, long = in_top(x, d), in_top(y, d)
        if ties == "w":  # all items of a group are at its first rank
            short, long = ({item: float(part > 0) for item, part in top.items()} for top in (short, long))
        a, b = (sum(part ** (1 if ties == "w" else 2) for part in top.values()) for top in (short, long))
        a = a if d <= s else d  # unknown items are not tied
        size = {"w": (a + b) / 2, "a": d, "b": sqrt(a) * sqrt(b)}[ties]
        candidates = [long[item] for item in only_long if long[item] > 0]
        more = (d - s) * last * sum(candidates) / len(candidates) if d > s and value == "ext" else 0.0
        terms.append((overlap(short, long, item_weight) + more) / size * p**d)
        last = overlap(short, long, item_weight) / size if d == s else last
    weight = fsum(1 if item_weight is None else item_weight[item] for item in blocks(x) if item in blocks(y))
    if value == "min":
        terms.append(weight * (-log1p(-p) - fsum(p**d / d for d in range(1, length + 1))))
    else:
        terms.append(ratio(weight + (length - s) * last, length) * p ** (length + 1) / (1 - p))
    return (1 - p) / p * fsum(terms)


def average_overlap(x, y, depth=None, item_weight=None):
    """The mean over depths of the share of common items, of rows in which NaN is not listed and never common."""
    depth = len(x) if depth is None else depth
    depths = range(1, depth + 1)
    return ratio(fsum(overlap(in_top(groups(x), d), in_top(groups(y), d), item_weight) / d for d in depths), depth)


def footrule(x, y, item_weight=None):
    """With mean ranks for ties; what is not listed has the rank after the last one (Fagin et al. 2003)."""
    x, y = blocks(x), blocks(y)

    def rank(ranking, item):
        first, size = ranking.get(item, (len(ranking) + 1, 1))
        return first + Fraction(size - 1, 2)

    differences = {item: float(abs(rank(x, item) - rank(y, item))) for item in x.keys() | y.keys()}
    return fsum(value * (1 if item_weight is None else item_weight[item]) for item, value in differences.items())


def fagin_kendall(x, y, p=0.5, item_weight=None):
    """K^(p) of Fagin et al. 2003: two lists without ties, over their union."""
    x, y = [{item: rank for item, (rank, _) in blocks(ranking).items()} for ranking in (x, y)]
    total = []
    for i, j in combinations(sorted(x.keys() | y.keys()), 2):
        # An item that is not listed is after all that are.
        a, b = (sign([ranking.get(i, np.inf), ranking.get(j, np.inf)], 0, 1) for ranking in (x, y))
        total.append((1 if a * b < 0 else p if a * b == 0 else 0) * both(item_weight, i, j))
    return fsum(total)
