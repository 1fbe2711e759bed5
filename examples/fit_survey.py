"""Fit the model of `wkendall.datasets.make_survey`, and measure how well it fits.

Each of the two age groups is a mixture of two classes. In a class the log-probability of a ranking is a constant plus an
effect for each pair of items that the ranking orders like the questionnaire. The EM algorithm maximises the likelihood of the
counts from several starts. The script prints the parameters as they appear in the module, and the differences between the
counts, the model and people drawn from it. It needs the table of counts, see `load_eurobarometer`.
"""

import argparse
import sys
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
from wkendall.datasets import ITEMS, MODEL, group_chances, load_eurobarometer, make_survey

COUNTS = Path(__file__).parents[1] / "../shared/data/eurobarometer55_2/counts.csv"
RANKINGS = np.array(list(permutations(range(1, len(ITEMS) + 1))))
ORDERED = np.array([RANKINGS[:, i] < RANKINGS[:, j] for i, j in combinations(range(len(ITEMS)), 2)], dtype=float).T


def probabilities(effects):
    odds = np.exp(ORDERED @ effects)
    return odds / odds.sum()


def fit_class(weights, effects):
    """Maximise the likelihood of the weighted rankings by Newton steps, halved where the likelihood falls."""
    weights = weights / weights.sum()
    value = weights @ np.log(probabilities(effects))
    for _ in range(20):
        chances = probabilities(effects)
        means = chances @ ORDERED
        curvature = (ORDERED * chances[:, np.newaxis]).T @ ORDERED - np.outer(means, means)
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(means)), weights @ ORDERED - means)
        while (new := weights @ np.log(probabilities(effects + step))) < value and abs(step).max() > 1e-12:
            step /= 2
        if new - value < 1e-12:
            break
        effects, value = effects + step, new
    return effects


def fit_group(counts, classes, rng, steps):
    """Return the log likelihood, the shares and the effects of a group, from one random start."""
    effects = rng.normal(scale=0.5, size=(classes, ORDERED.shape[1]))
    shares = np.full(classes, 1 / classes)
    reached = -np.inf
    for _ in range(steps):
        joint = shares[:, np.newaxis] * np.array([probabilities(one) for one in effects])
        value = counts @ np.log(joint.sum(axis=0))
        if value - reached < 1e-4:
            break
        reached = value
        members = counts * joint / joint.sum(axis=0)
        shares = members.sum(axis=1) / counts.sum()
        effects = np.array([fit_class(*pair) for pair in zip(members, effects, strict=True)])
    largest_first = np.argsort(-shares)
    return reached, shares[largest_first], effects[largest_first]


def group_counts(people):
    """Read how many people of each group give each ranking."""
    number = {tuple(ranking): place for place, ranking in enumerate(RANKINGS.tolist())}
    counts = np.zeros((2, len(RANKINGS)))
    for row, label in zip(people.X.tolist(), people.y, strict=True):
        counts[label, number[tuple(row)]] += 1
    return counts


def report(what, chances, real):
    """Largest differences from the shares of the survey, over groups, items and pairs."""
    off = chances - real
    mean = abs(off @ RANKINGS).max()
    pairs = abs(off @ ORDERED).max()
    at = max(abs(off @ (rank == RANKINGS)).max() for rank in range(1, len(ITEMS) + 1))
    total = ", ".join(f"{value:.3f}" for value in abs(off).sum(axis=1) / 2)
    print(f"{what:24} mean rank {mean:.4f}  pair {pairs:.4f}  rank of an item {at:.4f}  total variation {total}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=COUNTS, help="table of counts")
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--steps", type=int, default=3000, help="maximum number of EM steps from each start")
    options = parser.parse_args()
    if not options.data.exists():
        sys.exit(f"{options.data} is not there: give the counts table of Eurobarometer 55.2 with --data")

    people = load_eurobarometer(options.data)
    counts = group_counts(people)
    real = counts / counts.sum(axis=1, keepdims=True)
    rng = np.random.default_rng(0)
    model = []
    for group in counts:
        tries = [fit_group(group, 2, rng, options.steps) for _ in range(options.starts)]
        reached, shares, effects = max(tries, key=lambda one: one[0])
        print(f"log likelihoods {', '.join(f'{one[0]:.1f}' for one in tries)}: the best is {reached:.1f}")
        shares = shares.round(3)
        model.append([(float(share), one.round(3).tolist()) for share, one in zip(shares, effects, strict=True)])
    print("MODEL = (")
    for group in model:
        print("    (")
        for share, effects in group:
            print(f"        ({share}, ({', '.join(map(str, effects))})),")
        print("    ),")
    print(")\n\nlargest differences from the survey")
    report("this model", np.array([group_chances(RANKINGS, group) for group in model]), real)
    report("the model in the module", np.array([group_chances(RANKINGS, group) for group in MODEL]), real)
    drawn = [group_counts(make_survey(rng=seed)) for seed in range(20)]
    drawn = np.array(drawn) / counts.sum(axis=1, keepdims=True)
    report("make_survey(rng=0)", drawn[0], real)
    print(
        "make_survey, 20 seeds, largest differences on average: "
        f"mean rank {np.mean([abs((one - real) @ RANKINGS).max() for one in drawn]):.4f}, "
        f"pair {np.mean([abs((one - real) @ ORDERED).max() for one in drawn]):.4f}"
    )


if __name__ == "__main__":
    main()
