"""Published comparisons of two rankings by their definitions, for tests to compare with. Shares no code with the package.

A row holds the ranks of all items: the least is the best, equal ranks are ties. A list is a list of groups of tied items,
best first; it may leave items out. Sums are exact or rounded once. A division by zero gives 0.
"""

from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations, permutations, product
from math import fsum, log1p, prod, sqrt

import numpy as np
from definitions import expected


def ratio(numerator, denominator):
    return numerator / denominator if denominator else 0.0


def sign(row, i, j):
    """1 if a row has i before j, -1 if after, 0 for a tie."""
    return int(row[i] < row[j]) - int(row[i] > row[j])


def mean_ranks(row):
    """Ranks from 1; tied items have the mean of the ranks that they share."""
    return [sum(b < a for b in row) + Fraction(sum(b == a for b in row) + 1, 2) for a in row]


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


def mean_over_orders(function, s, t):
    """The mean of a function of two complete rankings over those that agree with each row."""
    values = [float(function(a, b)) for a, b in product(orders(s), orders(t))]
    return fsum(values) / len(values)


# Sums over pairs of items.


def mean_sums(s, t, parameters):
    """The sums of the terms of concordant and of discordant pairs: the means over the complete rankings that agree."""
    values = [expected(a, b, **parameters) for a, b in product(orders(s), orders(t))]
    concordant, signed = (fsum(part) / len(values) for part in list(zip(*values, strict=True))[:2])
    return concordant, concordant - signed


def kendall_kernel(s, t, signed=False, normalize=False, **parameters):
    def value(x, y):
        concordant, discordant = mean_sums(x, y, parameters)
        return concordant - discordant if signed else concordant

    return ratio(value(s, t), sqrt(value(s, s) * value(t, t))) if normalize else value(s, t)


def kendall_correlation(s, t, **parameters):
    c, d = mean_sums(s, t, parameters)
    return ratio(c - d, c + d)


def weighted_concordance(s, t, w, side="first"):
    """Shieh 1998; both sides: the form that Jiao and Vert give for Vigna's."""
    table = w if not isinstance(w, tuple) else [[a * b for b in w[1]] for a in w[0]]
    concordant = [(i, j) for i, j in permutations(range(len(s)), 2) if s[i] < s[j] and t[i] < t[j]]
    rows = (s,) if side == "first" else (s, t)
    return fsum(float(table[int(row[i]) - 1][int(row[j]) - 1]) for i, j in concordant for row in rows)


def generalized_kendall(s, t, item_weights=None, position_costs=None):
    """Kumar and Vassilvitskii 2010, with weights of items and costs of positions."""
    n = len(s)
    s, t = [int(rank) for rank in s], [int(rank) for rank in t]
    v = [1.0] * n if item_weights is None else item_weights
    costs = [1.0] * n if position_costs is None else position_costs
    mean = [1.0 if a == b else fsum(costs[min(a, b) : max(a, b)]) / abs(a - b) for a, b in zip(s, t, strict=True)]
    discordant = [(i, j) for i, j in combinations(range(n), 2) if sign(s, i, j) != sign(t, i, j)]
    return fsum(v[i] * v[j] * mean[i] * mean[j] for i, j in discordant)


def swap_distance(s, t, costs):
    """Farnoud and Milenkovic 2014, the closed form for costs that do not increase."""
    n = len(s)
    running = [fsum(costs[:r]) for r in range(n)]  # of rank r + 1
    terms = []
    for i in range(n):
        inversions = sum(sign(s, i, j) != sign(t, i, j) for j in range(n))
        middle, odd = divmod(int(s[i]) + int(t[i]) + inversions, 2)
        assert not odd
        terms += [2 * running[middle - 1], -running[int(s[i]) - 1], -running[int(t[i]) - 1]]
    return fsum(terms) / 2


def cheapest_swaps(costs):
    """The costs of the cheapest ways from the order 0, 1, .. to all others by swaps of neighbours."""
    start = tuple(range(len(costs) + 1))
    found, ahead = {}, [(0.0, start)]
    while ahead:
        cost, order = heappop(ahead)
        if order in found:
            continue
        found[order] = cost
        for r, more in enumerate(costs):
            heappush(ahead, (cost + more, (*order[:r], order[r + 1], order[r], *order[r + 2 :])))
    return found


# Correlations of rows with ties.


def weighted_tau(s, t, rank=True, weigher="hyperbolic", additive=True):
    """Vigna 2015: the inner product of signs, over the norms. `rank` as for scipy.stats.weightedtau."""
    if rank is True:
        return (weighted_tau(s, t, None, weigher, additive) + weighted_tau(t, s, None, weigher, additive)) / 2
    n = len(s)
    if rank is None:  # by s, then by t; items that are tied in both are interchangeable
        order = sorted(range(n), key=lambda i: (s[i], t[i]))
        rank = [order.index(i) for i in range(n)]
    elif rank is False:
        rank = range(n)
    else:  # only the order of the given ranks matters, equal ones are equal
        rank = [sorted(set(rank)).index(r) for r in rank]
    if isinstance(weigher, str):
        assert weigher == "hyperbolic"
        weights = [1 / (r + 1) for r in rank]
    else:
        weights = [weigher(r) if callable(weigher) else weigher[r] for r in rank]

    def inner(x, y):
        of_pair = sum if additive else prod
        pairs = combinations(range(n), 2)
        return fsum(sign(x, i, j) * sign(y, i, j) * of_pair((weights[i], weights[j])) for i, j in pairs)

    return ratio(inner(s, t), sqrt(inner(s, s)) * sqrt(inner(t, t)))


def ap_correlation(truth, estimate, symmetric=False):
    """Yilmaz et al. 2008; with ties the mean over the orders that agree, tau_AP,a of Urbano and Marrero 2017."""
    if symmetric:
        return ap_correlation_b(truth, estimate)
    n, total = len(truth), Fraction(0)
    for j in range(n):
        first = sum(estimate[i] < estimate[j] for i in range(n)) + 1
        size = sum(estimate[i] == estimate[j] for i in range(n))
        for i in set(range(n)) - {j}:
            in_truth = Fraction(1 + sign(truth, i, j), 2)  # the probability that i is above j
            for rank in range(max(first, 2), first + size):  # of j
                tied = Fraction(rank - first, max(size - 1, 1))
                above = {1: 1, 0: tied, -1: 0}[sign(estimate, i, j)]
                total += in_truth * above * Fraction(1, size * (rank - 1))
    return float(2 * total / (n - 1) - 1) if n > 1 else 0.0


def ap_correlation_b(s, t):
    """tau_AP,b of Urbano and Marrero 2017: without ties, the mean of both directions."""
    both = []
    for truth, estimate in ((s, t), (t, s)):
        parts = []
        for j in range(len(s)):
            above = [i for i in range(len(s)) if estimate[i] < estimate[j]]
            if above:
                parts.append(Fraction(sum(truth[i] < truth[j] for i in above), len(above)))
        if not parts:  # all items are tied
            return 0.0
        both.append(2 * sum(parts) / len(parts) - 1)
    return float(sum(both) / 2)


def spearman_rho(s, t):
    a, b = ([rank - Fraction(len(s) + 1, 2) for rank in mean_ranks(row)] for row in (s, t))
    lengths = sum(x * x for x in a) * sum(y * y for y in b)
    return ratio(float(sum(x * y for x, y in zip(a, b, strict=True))), sqrt(lengths))


def both(item_weight, i, j):
    return 1 if item_weight is None else item_weight[i] * item_weight[j]


def kemeny_snell(s, t, item_weight=None):
    pairs = combinations(range(len(s)), 2)
    return sum(abs(sign(s, i, j) - sign(t, i, j)) * both(item_weight, i, j) for i, j in pairs)


def tau_x(s, t):
    """Emond and Mason 2002: 1 for "before or tied", -1 for "after"."""
    pairs = list(permutations(range(len(s)), 2))
    return ratio(sum((1 if s[i] <= s[j] else -1) * (1 if t[i] <= t[j] else -1) for i, j in pairs), len(pairs))


# Lists.


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
    return all_rank_biased_overlaps(x, y, p, ties, item_weight)[value]


def all_rank_biased_overlaps(x, y, p, ties, item_weight=None):
    """Webber et al. 2010, and Corsi and Urbano 2024 for ties: a dictionary of ext, min, max and res.

    Agreement at depth d is the overlap of both top d over their size. The shorter list has unknown items after its end:
    none of them is in the longer list (min), each is the next item there that is not yet common (max), or as many are
    common as at the end of the shorter list (ext).
    """
    x, y = sorted((x, y), key=lambda ranking: len(blocks(ranking)))
    s, length = len(blocks(x)), len(blocks(y))
    only_long = [item for item in blocks(y) if item not in blocks(x)]  # in their order
    values = {"ext": [], "min": [], "max": []}
    last = 0.0  # the agreement at the end of the shorter list
    for d in range(1, length + 1):
        short, long = in_top(x, d), in_top(y, d)
        if ties == "w":  # all items of a group are at its first rank
            short, long = ({item: float(part > 0) for item, part in top.items()} for top in (short, long))
        a, b = (sum(part ** (1 if ties == "w" else 2) for part in top.values()) for top in (short, long))
        a = a if d <= s else d  # unknown items are not tied
        size = {"w": (a + b) / 2, "a": d, "b": sqrt(a) * sqrt(b)}[ties]
        more = {"ext": 0.0, "min": 0.0, "max": 0.0}
        if d > s:
            candidates = [long[item] for item in only_long if long[item] > 0]
            more["ext"] = (d - s) * last * sum(candidates) / len(candidates)
            more["max"] = sum(long[item] for item in only_long[: d - s])
        for name, found in values.items():
            found.append((overlap(short, long, item_weight) + more[name]) / size * p**d)
        last = overlap(short, long, item_weight) / size if d == s else last
    common = length - len(only_long)
    weight = fsum(1 if item_weight is None else item_weight[item] for item in blocks(x) if item in blocks(y))
    all_common = length + s - common  # the depth at which all seen items can be common
    values["min"].append(weight * (-log1p(-p) - fsum(p**d / d for d in range(1, length + 1))))
    values["max"] += [(2 * d - length - s + common) / d * p**d for d in range(length + 1, all_common + 1)]
    values["max"].append(p ** (all_common + 1) / (1 - p))
    values["ext"].append(ratio(weight + (length - s) * last, length) * p ** (length + 1) / (1 - p))
    found = {name: (1 - p) / p * fsum(terms) for name, terms in values.items()}
    return found | {"res": found["max"] - found["min"]}


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
