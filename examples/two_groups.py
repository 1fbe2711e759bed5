"""Two groups of people rank 24 items. Which group does a person belong to?

All people have the same four favourites, but the groups order them differently. The order of the other twenty items is
noise. For this kind of data, position weights help. Rankings are drawn from the Plackett-Luce model: the next item is
chosen with probability proportional to its strength. An SVM with each kernel predicts the group from the ranking. The
script prints a table and draws a picture.
"""

import argparse
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import SVC
from wkendall import Kendall, Rankings

mpl.use("Agg")
import matplotlib.pyplot as plt

KERNELS = {
    "standard": Kendall(normalize=True),
    "top-4": Kendall("top", k=4, normalize=True),
    "average": Kendall("average", normalize=True),
    "add, log": Kendall("add", u="log", normalize=True),
    "mult, hyperbolic": Kendall("mult", u="hyperbolic", normalize=True),
}
# Log strengths: the two groups have their favourites in opposite orders; the other items are equal.
FAVOURITES = [3.0, 2.6, 2.2, 1.8]
GROUPS = np.array([FAVOURITES + [0.0] * 20, FAVOURITES[::-1] + [0.0] * 20])


def simulate(people, rng):
    """Draw rankings of both groups from the Plackett-Luce model, by sorting log strengths with Gumbel noise."""
    group = np.arange(people) % 2
    scores = GROUPS[group] + rng.gumbel(size=(people, GROUPS.shape[1]))
    return Rankings(scores, input="scores"), group


def accuracies(K, group, splits):
    """Test accuracy for each split, with the cost C chosen on the training part."""
    return np.array([score(K, group, train, test) for train, test in splits])


def score(K, group, train, test):
    inner = StratifiedShuffleSplit(3, test_size=0.25, random_state=0)
    folds = [(train[a], train[b]) for a, b in inner.split(train, group[train])]

    def fit(C, rows):
        return SVC(C=C, kernel="precomputed").fit(K[np.ix_(rows, rows)], group[rows])

    def mean_score(C):
        return np.mean([fit(C, a).score(K[np.ix_(b, a)], group[b]) for a, b in folds])

    best = max([0.01, 0.1, 1.0, 10.0], key=mean_score)
    return fit(best, train).score(K[np.ix_(test, train)], group[test])


def draw(results, seen, K, group, path):
    """Draw the accuracies, and a map of the people with one of the kernels."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[3, 2], layout="constrained")
    names = sorted(results, key=lambda name: results[name].mean())
    means = [results[name].mean() for name in names]
    errors = [1.96 * results[name].std(ddof=1) / len(results[name]) ** 0.5 for name in names]
    left.barh(names, means, xerr=errors, color="#4477aa", height=0.6, error_kw={"ecolor": "#222222", "capsize": 3})
    for place, mean in enumerate(means):
        left.text(0.505, place, f"{mean:.3f}", va="center", color="white", fontweight="bold")
    left.set(
        xlim=(0.5, max(means) + 0.04),
        xlabel="test accuracy, mean and 95 % interval",
        title="Which group? SVM by kernel",
    )
    right.scatter(
        *KernelPCA(2, kernel="precomputed").fit_transform(K).T, c=np.array(["#ee6677", "#228833"])[group], s=12
    )
    right.set(title=f"The people as {seen!r} sees them", xlabel="first kernel principal component",
              ylabel="second")  # fmt: skip
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=600)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("two_groups.png"))
    options = parser.parse_args()

    people, group = simulate(options.people, np.random.default_rng(1))
    shuffle = StratifiedShuffleSplit(options.splits, train_size=0.25, test_size=0.5, random_state=1)
    splits = list(shuffle.split(people, group))
    print(
        f"{options.people} people in two groups rank {people.n_items} items; a quarter to learn from, half to test on,"
    )
    print(f"{options.splits} times\n")
    print(f"{'kernel':18} {'accuracy':>8} {'+-':>6} {'Gram matrix':>12} {'SVMs':>8}")
    results = {}
    for name in KERNELS:
        start = time.perf_counter()
        K = KERNELS[name](people)
        between = time.perf_counter()
        results[name] = accuracies(K, group, splits)
        error = results[name].std(ddof=1) / options.splits**0.5
        took = f"{(between - start) * 1e3:9.1f} ms {time.perf_counter() - between:6.1f} s"
        print(f"{name:18} {results[name].mean():8.3f} {error:6.3f} {took}", flush=True)
    best = max(results, key=lambda name: results[name].mean())
    draw(results, best, KERNELS[best](people), group, options.out)
    print(f"\npicture: {options.out}")


if __name__ == "__main__":
    main()
