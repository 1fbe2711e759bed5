"""Level of the tests of groups, and coverage of simultaneous intervals, in simulations.

Each case draws data sets in which the groups do not differ and prints the share of them in which something is rejected at
level 0.05. With 2,000 data sets the standard error of a level of 0.05 is 0.005. The cases of coverage draw groups that
differ and print the share of data sets in which all intervals contain their difference.

    python benches/group_levels.py --sets 2000
"""

import argparse

import numpy as np
import wkendall
from wkendall import Rankings
from wkendall.datasets import make_mallows, make_plackett_luce, make_uniform

ITEMS = 5


def around(rng, people, lam=0.5, items=ITEMS):
    return make_mallows(people, items, lam, rng=rng)


def differing(rng, X, groups, permutations=199, **options):
    return wkendall.two_sample_test(X, groups=groups, n_permutations=permutations, rng=rng, **options)


def labels(*sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def paired(rng, people=20):
    """Everybody ranks twice, around an order of their own."""
    X = np.concatenate(
        [make_mallows(2, order.tolist(), 1.0, rng=rng) for order in make_uniform(people, ITEMS, rng=rng)]
    )
    return differing(rng, X, np.tile([0, 1], people), blocks=np.repeat(np.arange(people), 2)).pvalue <= 0.05


def stratified(rng):
    """Strata with rankings of their own, and with different shares of the two groups."""
    sizes = ((12, 4), (4, 12), (8, 8))
    centers = ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 1, 5, 2, 4])
    X = np.concatenate([make_mallows(sum(s), c, 1.0, rng=rng) for s, c in zip(sizes, centers, strict=True)])
    groups = np.concatenate([labels(*size) for size in sizes])
    return differing(rng, X, groups, blocks=labels(*map(sum, sizes))).pvalue <= 0.05


def weighted(rng, sizes=(25, 15)):
    """Weights of a skewed distribution that depend on the ranking."""
    X = around(rng, sum(sizes))
    weights = rng.lognormal(0, 0.7, len(X)) * np.where(X[:, 0] == 1, 3, 1)
    return differing(rng, X, labels(*sizes), sample_weight=weights).pvalue <= 0.05


def weighted_in_blocks(rng):
    X = around(rng, 40)
    groups, blocks = np.tile([0, 1], 20), np.repeat(np.arange(10), 4)
    return differing(rng, X, groups, blocks=blocks, sample_weight=rng.lognormal(0, 0.7, 40)).pvalue <= 0.05


def counted(rng, sizes=(30, 20)):
    """Rows of distinct rankings, each with the number of its people in a group."""
    X, groups = around(rng, sum(sizes)), labels(*sizes)
    parts = [Rankings(X[groups == group]).distinct() for group in (0, 1)]
    rows = Rankings(np.concatenate(parts), counts=np.concatenate([part.counts for part in parts]))
    return differing(rng, rows, labels(*map(len, parts))).pvalue <= 0.05


def several(rng, sizes=(12, 16, 20)):
    return differing(rng, around(rng, sum(sizes)), labels(*sizes), 199).pvalue <= 0.05


def holm(rng, sizes=(12, 16, 20), permutations=299):
    """Any two of the groups are said to differ."""
    found = differing(rng, around(rng, sum(sizes)), labels(*sizes), permutations).pairwise_pvalues
    return found.min() <= 0.05


def holm_of_four(rng):
    return holm(rng, (12, 12, 12, 12), 599)


def holm_with_a_difference(rng):
    """The first group differs from the second and third, which do not differ: these are said to differ."""
    X = np.concatenate([make_mallows(15, [5, 4, 3, 2, 1], 1.0, rng=rng), around(rng, 30, 1.0)])
    return differing(rng, X, labels(15, 15, 15), 299).pairwise_pvalues[1, 2] <= 0.05


def pairs(rng, X, sizes, **options):
    groups = labels(*sizes)
    return wkendall.pair_differences(X, groups, n_permutations=199, rng=rng, **options).pvalue.min() <= 0.05


def pairs_complete(rng, sizes=(25, 35)):
    return pairs(rng, around(rng, sum(sizes)), sizes)


def pairs_uniform(rng, sizes=(25, 35)):
    return pairs(rng, make_uniform(sum(sizes), 6, rng=rng), sizes)


def incomplete(rng, people):
    X = around(rng, people).astype(float)
    X[X == 4] = 3
    X[rng.random(X.shape) < 0.2] = np.nan
    return Rankings(X, ties="mean", missing="anywhere")


def pairs_incomplete(rng, sizes=(30, 30)):
    return pairs(rng, incomplete(rng, sum(sizes)), sizes)


def pairs_weighted(rng, sizes=(30, 40)):
    X = around(rng, sum(sizes))
    return pairs(rng, X, sizes, sample_weight=rng.lognormal(0, 0.7, len(X)) * np.where(X[:, 0] == 1, 2, 1))


#: Functions that say, for a data set of groups that do not differ, whether something is rejected at 0.05.
LEVELS = {
    "labels of three groups": several,
    "paired rankings (`blocks=`)": paired,
    "strata (`blocks=`)": stratified,
    "weights (`sample_weight=`)": weighted,
    "weights within blocks": weighted_in_blocks,
    "counts": counted,
    "`pairwise_pvalues`, any of 3": holm,
    "`pairwise_pvalues`, any of 6": holm_of_four,
    "`pairwise_pvalues`, the pair of three that does not differ": holm_with_a_difference,
    "`pair_differences`, any of 10, around one ranking": pairs_complete,
    "`pair_differences`, any of 15, all rankings equally probable": pairs_uniform,
    "`pair_differences`, ties and missing items": pairs_incomplete,
    "`pair_differences`, weights": pairs_weighted,
}

#: Two models of groups that differ, and the sizes of the groups.
COVERED = {
    "swapped items": (
        lambda m, rng: around(rng, m),
        lambda m, rng: make_mallows(m, [2, 1, 3, 5, 4], 0.5, rng=rng),
        (30, 30),
    ),
    "swapped items, unequal sizes": (
        lambda m, rng: around(rng, m),
        lambda m, rng: make_mallows(m, [2, 1, 3, 5, 4], 0.5, rng=rng),
        (20, 80),
    ),
    "closely and loosely": (
        lambda m, rng: around(rng, m, 1.5),
        lambda m, rng: around(rng, m, 0.3),
        (30, 30),
    ),
    "closely and loosely, unequal sizes": (
        lambda m, rng: around(rng, m, 1.5),
        lambda m, rng: around(rng, m, 0.3),
        (80, 20),
    ),
    "loosely and closely, unequal sizes": (
        lambda m, rng: around(rng, m, 1.5),
        lambda m, rng: around(rng, m, 0.3),
        (20, 80),
    ),
    "another favourite": (
        lambda m, rng: make_plackett_luce(m, [6, 1, 1, 1, 1, 1, 1, 1], rng=rng),
        lambda m, rng: make_plackett_luce(m, [1, 6, 1, 1, 1, 1, 1, 1], rng=rng),
        (50, 50),
    ),
}  # fmt: skip


def before(X):
    return (X[:, :, None] < X[:, None, :]).mean(axis=0)


def coverage(name, sets, seed):
    first, second, sizes = COVERED[name]
    rng = np.random.default_rng([seed, *map(ord, name)])
    true = before(first(100_000, rng)) - before(second(100_000, rng))
    covered = 0
    for _ in range(sets):
        X = np.concatenate([first(sizes[0], rng), second(sizes[1], rng)])
        found = wkendall.pair_differences(X, labels(*sizes), n_permutations=199, rng=rng)
        wanted = true[found.first, found.second]
        covered += bool(((found.low <= wanted) & (wanted <= found.high)).all())
    return covered / sets


def level(name, sets, seed):
    rng = np.random.default_rng([seed, *map(ord, name)])
    return sum(bool(LEVELS[name](rng)) for _ in range(sets)) / sets


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="cases whose names contain this text")
    options = parser.parse_args()
    for what, cases, run in (("rejected", LEVELS, level), ("covered", COVERED, coverage)):
        for name in cases:
            if options.only in name:
                print(f"| {name} | {what} {run(name, options.sets, options.seed):.3f} |", flush=True)


if __name__ == "__main__":
    main()
