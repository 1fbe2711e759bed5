"""How often the 95 % intervals of `rank_intervals` contain all true ranks: the table of the page on leaderboards.

    python benches/rank_coverage.py --boards 2000

A board has 12 items. Items with equal true means share their ranks, and their intervals must contain all of these. "percentiles"
are the 2.5 % and 97.5 % percentiles of the ranks in resamples of the rows, for boards without equal items. The last line has the
time for 181 items and 41 tasks.
"""

import argparse
import time

import numpy as np
import wkendall
from scipy.stats import rankdata

ITEMS = 12
EQUAL, STEPS, PAIRS = np.zeros(ITEMS), 0.1 * np.arange(ITEMS), np.repeat(np.arange(6) / 2, 2)


def binary(rng, rows, ability):
    """Solved or not; tasks have different difficulties."""
    return (rng.normal(ability, size=(rows, ITEMS)) > rng.normal(size=(rows, 1))).astype(float)


def with_gaps(rng, rows, means):
    """A hard task has more missing results."""
    difficulty = rng.normal(size=(rows, 1))
    scores = rng.normal(means, size=(rows, ITEMS)) - difficulty
    scores[rng.random(scores.shape) < 0.4 / (1 + np.exp(-2 * difficulty))] = np.nan
    return scores


def skewed(rng, rows, means):
    """Every second item has an exponential distribution, the others a normal one."""
    scores = rng.normal(0, 0.5, size=(rows, ITEMS))
    scores[:, ::2] = rng.exponential(size=(rows, ITEMS // 2)) - 1
    return scores + means


def ranked(rng, rows, means):
    """Judges who rank noisy scores, rounded, so that some are tied."""
    scores = np.round(2 * rng.normal(means, size=(rows, ITEMS)))
    return wkendall.Rankings(scores, input="scores", ties="mean")


SHAPES = {
    "normal, all equal": (lambda rng, rows, means: rng.normal(means, size=(rows, ITEMS)), EQUAL),
    "normal, pairs of equals": (lambda rng, rows, means: rng.normal(means, size=(rows, ITEMS)), PAIRS),
    "normal, steps of 0.1": (lambda rng, rows, means: rng.normal(means, size=(rows, ITEMS)), STEPS),
    "Student's t with 2 degrees of freedom, all equal": (
        lambda rng, rows, means: means + rng.standard_t(2, size=(rows, ITEMS)),
        EQUAL,
    ),
    "tasks of very different scales, all equal": (
        lambda rng, rows, means: means + rng.lognormal(0, 2, size=(rows, 1)) * rng.normal(size=(rows, ITEMS)),
        EQUAL,
    ),
    "solved or not, all equal": (binary, EQUAL),
    "solved or not, pairs of equals": (binary, PAIRS),
    "missing results, all equal": (with_gaps, EQUAL),
    "missing results, steps of 0.1": (with_gaps, STEPS),
    "mean ranks of judges, ties, all equal": (ranked, EQUAL),
    "half of the items skewed, all equal": (skewed, EQUAL),
}


def percentiles(scores, resamples, rng):
    """The usual intervals: percentiles of the rank of each item in resamples of the rows."""
    if isinstance(scores, wkendall.Rankings):
        scores = -np.asarray(scores)
    weights = rng.multinomial(len(scores), np.full(len(scores), 1 / len(scores)), size=resamples)
    known = ~np.isnan(scores)
    means = (weights @ np.nan_to_num(scores)) / np.maximum(weights @ known, 1)
    return np.percentile(rankdata(-means, method="ordinal", axis=1), [2.5, 97.5], axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=399)
    parser.add_argument("--rows", type=int, nargs="+", default=[10, 40, 200])
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    heads = [f"{rows} tasks" for rows in options.rows]
    print("| board |", " | ".join(f"{head} | percentiles" for head in heads), "|")
    print("|---" * (1 + 2 * len(heads)) + "|")
    for name, (make, means) in SHAPES.items():
        first = 1 + (means > means[:, np.newaxis]).sum(axis=1)
        last = ITEMS - (means < means[:, np.newaxis]).sum(axis=1)
        shares, ties = [], bool((first < last).any())
        for rows in options.rows:
            hits = np.zeros(2 - ties)
            for _ in range(options.boards):
                board = make(rng, rows, means)
                found = wkendall.rank_intervals(board, n_resamples=options.resamples, rng=rng)
                intervals = [(found.low, found.high), *([] if ties else [percentiles(board, options.resamples, rng)])]
                hits += [bool(((low <= first) & (high >= last)).all()) for low, high in intervals]
            shares += [f"{share:.3f}" for share in hits / options.boards] + [""] * ties
        print(f"| {name} |", " | ".join(shares), "|", flush=True)
    scores = rng.normal(np.linspace(0, 1, 181), 0.4, size=(41, 181))
    start = time.process_time(), time.perf_counter()
    wkendall.rank_intervals(scores, n_resamples=10_000, rng=0)
    print(f"181 items, 41 tasks, 10,000 resamples: {time.process_time() - start[0]:.2f} s of CPU, ", end="")
    print(f"{time.perf_counter() - start[1]:.2f} s")


if __name__ == "__main__":
    main()
