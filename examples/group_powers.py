"""How often do tests find that two groups of rankings differ? Level and power of `two_sample_test`, beside a test of mean ranks.

Draws many pairs of groups from models, tests each pair, and prints the part of them that is rejected at 0.05. The test of mean
ranks compares the mean rank of each item in both groups: the sum of the squared differences, with the same permutations.

    python examples/group_powers.py --sets 2000
"""

import argparse

import numpy as np
import wkendall
from wkendall.datasets import make_mallows, make_plackett_luce, make_uniform

PEOPLE, ITEMS = 30, (5, 8)


def either_way(n, rng, part=0.5):
    """Give part of the people a ranking or its reverse, with equal chances, and the others any ranking."""
    X = make_uniform(PEOPLE, n, rng=rng)
    told = rng.random(PEOPLE) < part
    ranking = np.arange(1, n + 1)
    turned = rng.random((PEOPLE, 1)) < 0.5
    return np.where(told[:, np.newaxis], np.where(turned, n + 1 - ranking, ranking), X)


def shifted(n):
    """Swap the first two items of a ranking, and the last two."""
    ranking = np.arange(1, n + 1)
    ranking[[0, 1, -2, -1]] = ranking[[1, 0, -1, -2]]
    return ranking


#: What both groups come from: how to draw the first and the second.
MODELS = {
    "no difference: all rankings equally probable": (
        lambda n, rng: make_uniform(PEOPLE, n, rng=rng),
        lambda n, rng: make_uniform(PEOPLE, n, rng=rng),
    ),
    "no difference: both around one ranking": (
        lambda n, rng: make_mallows(PEOPLE, n, 0.5, rng=rng),
        lambda n, rng: make_mallows(PEOPLE, n, 0.5, rng=rng),
    ),
    "a ranking or its reverse, half of them noise": (
        either_way,
        lambda n, rng: make_uniform(PEOPLE, n, rng=rng),
    ),
    "around two rankings that differ by two swaps": (
        lambda n, rng: make_mallows(PEOPLE, n, 0.5, rng=rng),
        lambda n, rng: make_mallows(PEOPLE, shifted(n), 0.5, rng=rng),
    ),
    "around one ranking, closely and loosely": (
        lambda n, rng: make_mallows(PEOPLE, n, 0.3, rng=rng),
        lambda n, rng: make_mallows(PEOPLE, n, 0.7, rng=rng),
    ),
    "one favourite that differs": (
        lambda n, rng: make_plackett_luce(PEOPLE, [3, 1] + [1] * (n - 2), rng=rng),
        lambda n, rng: make_plackett_luce(PEOPLE, [1, 3] + [1] * (n - 2), rng=rng),
    ),
}  # fmt: skip


def mean_ranks(X, Y, permutations, rng):
    """Return the p-value of the test of mean ranks."""
    Z = np.concatenate([X, Y]) - (X.shape[1] + 1) / 2
    in_first = np.zeros((permutations + 1, len(Z)))
    in_first[:, : len(X)] = 1
    in_first[1:] = rng.permuted(in_first[1:], axis=1)
    sums = in_first @ Z
    differences = sums / len(X) - (Z.sum(axis=0) - sums) / len(Y)
    statistics = (differences**2).sum(axis=1)
    return (1 + (statistics[1:] >= statistics[0] - 1e-10).sum()) / (1 + permutations)


def rejected(model, n, sets, permutations, seed, **options):
    """Return which part of the pairs of groups each test rejects at 0.05."""
    first, second = MODELS[model]
    rng = np.random.default_rng([seed, n, *map(ord, model)])
    counts = np.zeros(2)
    for _ in range(sets):
        X, Y = first(n, rng), second(n, rng)
        result = wkendall.two_sample_test(X, Y, n_permutations=permutations, rng=rng, **options)
        counts += [result.pvalue <= 0.05, mean_ranks(X, Y, permutations, rng) <= 0.05]
    return counts / sets


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000, help="pairs of groups for each model")
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", nargs="*", default=list(MODELS), help="some of the models")
    parser.add_argument(
        "--rates", type=float, nargs="*", default=[], help="compare so many times 1 / mean distance as lam"
    )
    options = parser.parse_args()
    print(
        f"groups of {PEOPLE}, {options.sets} pairs of groups, {options.permutations} permutations; rejected at 0.05\n"
    )
    print(f"{'model':46} items  two_sample_test  mean ranks")
    for model in options.models:
        for n in ITEMS:
            found = rejected(model, n, options.sets, options.permutations, options.seed)
            print(f"{model:46} {n:5}  {found[0]:15.3f}  {found[1]:10.3f}", flush=True)


if __name__ == "__main__":
    main()
