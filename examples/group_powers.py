"""Level and power of `two_sample_test`, compared with a test of mean ranks.

The script draws many pairs of groups from models and tests each pair. It prints the share of tests that reject at level
0.05, and draws a picture. The statistic of the test of mean ranks is the sum over items of the squared difference of
the mean ranks. The p-value of this test comes from permutations.

    python examples/group_powers.py --sets 2000
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
import wkendall
from wkendall.datasets import make_mallows, make_plackett_luce, make_uniform

mpl.use("Agg")
import matplotlib.pyplot as plt

PEOPLE, ITEMS = 30, (5, 8)


def either_way(n, rng, part=0.5):
    """Give some people a ranking or its reverse, with equal probability, and the others a random ranking."""
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


#: Models: functions that draw the first and the second group.
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
    """Return the share of pairs of groups that each test rejects at level 0.05."""
    first, second = MODELS[model]
    rng = np.random.default_rng([seed, n, *map(ord, model)])
    counts = np.zeros(2)
    for _ in range(sets):
        X, Y = first(n, rng), second(n, rng)
        result = wkendall.two_sample_test(X, Y, n_permutations=permutations, rng=rng, **options)
        counts += [result.pvalue <= 0.05, mean_ranks(X, Y, permutations, rng) <= 0.05]
    return counts / sets


def draw(found, path):
    """Draw the permutations of one pair of groups and the powers of both tests."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), width_ratios=[2, 3], layout="constrained")
    rng = np.random.default_rng(4)
    X, Y = either_way(8, rng), make_uniform(PEOPLE, 8, rng=rng)
    result = wkendall.two_sample_test(X, Y, rng=rng)
    left.hist(result.null_distribution, bins=40, color="#bbbbbb")
    left.axvline(result.statistic, color="#ee6677", linewidth=2)
    left.annotate(
        f"the two groups:\np = {result.pvalue:.4f}", (result.statistic, 0.75), (8, 0), xycoords=("data", "axes fraction"),
        textcoords="offset points", ha="left", color="#ee6677",
    )  # fmt: skip
    left.set(
        title="A ranking or its reverse, against noise",
        xlabel="squared discrepancy of permuted people",
        ylabel="permutations",
    )
    rows = [row for row in found if not row[0].startswith("no difference")]
    places = np.arange(len(rows))
    for test, color, name in ((0, "#4477aa", "two_sample_test"), (1, "#ccbb44", "mean ranks")):
        right.barh(places - 0.2 + 0.4 * test, [row[2][test] for row in rows], 0.38, color=color, label=name)
    right.axvline(0.05, color="0.3", linestyle=":")
    right.set_yticks(places, [f"{model}, {n} items" for model, n, _ in rows])
    right.invert_yaxis()
    right.set(title="Pairs of groups that are told apart", xlabel="part rejected at 0.05", xlim=(0, 1))
    right.legend(frameon=False, loc="center right", bbox_to_anchor=(1, 0.66))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000, help="pairs of groups for each model")
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("group_powers.png"))
    options = parser.parse_args()
    print(
        f"groups of {PEOPLE}, {options.sets} pairs of groups, {options.permutations} permutations; rejected at 0.05\n"
    )
    print(f"{'model':46} items  two_sample_test  mean ranks")
    found = []
    for model in MODELS:
        for n in ITEMS:
            found.append((model, n, rejected(model, n, options.sets, options.permutations, options.seed)))
            print(f"{model:46} {n:5}  {found[-1][2][0]:15.3f}  {found[-1][2][1]:10.3f}", flush=True)
    draw(found, options.out)
    print(f"\npicture: {options.out}")


if __name__ == "__main__":
    main()
