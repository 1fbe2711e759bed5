"""Weights that the learners find, for labels that were simulated with known weights.

1. Labels come from known weights U of pairs of positions and coefficients B of pairs of items: y says whether <B,
   Phi_U(s)> is above its median. No fixed kernel has such weights. The learners and fixed kernels are compared on test
   rankings.
2. Labels mix a signal of single items with a signal of pairs. Which of the two does SUQUAN-SVD find, without and with
   `pure=True`?
3. Labels say whether two items are in the same half of a ranking, and one of the items becomes more and more popular.

The script prints the tables of docs/learning.md and draws its picture.
"""

import argparse
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np
import wkendall
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from wkendall import Kendall
from wkendall.plotting import plot_objective, plot_weights

mpl.use("Agg")
import matplotlib.pyplot as plt

ITEMS, LEARN, TEST = 8, 1000, 1000
FIXED = {
    "standard": Kendall(normalize=True),
    "top-2": Kendall("top", k=2, normalize=True),
    "top-4": Kendall("top", k=4, normalize=True),
    "top-6": Kendall("top", k=6, normalize=True),
    "average": Kendall("average", normalize=True),
    "add, hyperbolic": Kendall("add", u="hyperbolic", normalize=True),
    "add, log": Kendall("add", u="log", normalize=True),
    "mult, hyperbolic": Kendall("mult", u="hyperbolic", normalize=True),
    "mult, log": Kendall("mult", u="log", normalize=True),
    "standard of order 3": Kendall(order=3, normalize=True),
}


def rankings(rng, rows, items):
    return np.array([rng.permutation(items) + 1 for _ in range(rows)])


def planted(seed):
    """Accuracy of every kernel and learner on labels from planted weights, and the alternating learner."""
    rng = np.random.default_rng(seed)
    X = rankings(rng, LEARN + TEST, ITEMS)
    scores = wkendall.linear_function(X, *rng.standard_normal((2, ITEMS, ITEMS)))
    y = scores > np.median(scores)
    old, new = slice(0, LEARN), slice(LEARN, None)
    found = {}
    for name, kernel in FIXED.items():
        K = kernel(X)
        search = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}, cv=3)
        found[name] = search.fit(K[old, old], y[old]).score(K[new, old], y[new])
    grid = {"C": [0.1, 1.0, 10.0], "n_components": [1, 2, 4]}
    search = GridSearchCV(wkendall.SuquanSVDClassifier(), grid, cv=3).fit(X[old], y[old])
    found["SUQUAN-SVD"] = search.score(X[new], y[new])
    search = GridSearchCV(wkendall.AlternatingClassifier(), {"C": [0.1, 1.0]}, cv=3).fit(X[old], y[old])
    found["alternating"] = search.score(X[new], y[new])
    return found, search.best_estimator_


def of_pairs(rng, items):
    """Draw a pure tensor of pairs: skew-symmetric with zero row sums and norm 1."""
    table = rng.standard_normal((items, items))
    table = table - table.T
    part = table.mean(axis=1)
    table = table - part[:, None] + part[None, :]
    return table / np.linalg.norm(table)


def mixture(strength, seed, items=6, rows=2000):
    """Cosines between planted and learned weights of pairs, plain and pure, for a strength of the signal of single items."""
    rng = np.random.default_rng(seed)
    X = rankings(rng, rows, items)
    U, B = of_pairs(rng, items), of_pairs(rng, items)
    single = wkendall.linear_function(X, *rng.standard_normal((2, items)))
    pairs = wkendall.linear_function(X, U, B)
    y = pairs / pairs.std() + strength * (single - single.mean()) / single.std() > 0
    plain, pure = wkendall.suquan_svd(X, y), wkendall.suquan_svd(X, y, pure=True)
    return U, plain, pure


def same_half(popularity, seed, items=6, rows=2000):
    """Label by a pair: whether the first two items are in the same half, for a popularity of the first item."""
    rng = np.random.default_rng(seed)
    utility = rng.gumbel(size=(rows, items))
    utility[:, 0] += popularity
    X = (-utility).argsort(axis=1).argsort(axis=1) + 1
    half = np.where(np.arange(items) < items // 2, 1.0, -1.0)
    y = half[X[:, 0] - 1] == half[X[:, 1] - 1]
    # The halves are equal, so row sums are -1 only because of the zeros on the diagonal.
    U = np.outer(half, half) + 1 / (items - 1)
    np.fill_diagonal(U, 0.0)
    return U / np.linalg.norm(U), wkendall.suquan_svd(X, y), wkendall.suquan_svd(X, y, pure=True)


def cosines_of(experiment, amounts, seeds=10):
    """Cosines between planted and learned weights, plain and pure, for every amount and seed."""
    cosines = np.empty((2, len(amounts), seeds))
    for index, amount in enumerate(amounts):
        for seed in range(seeds):
            U, *found = experiment(amount, seed)
            cosines[:, index, seed] = [abs(float((U * weights.U).sum())) for weights in found]
    return cosines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="repetitions of the first experiment")
    parser.add_argument("--out", type=Path, default=Path("build/learned_weights.png"))
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)

    start = time.perf_counter()
    results = [planted(seed) for seed in range(options.seeds)]
    print(f"| kernel | {' | '.join(f'data {seed}' for seed in range(options.seeds))} | mean |")
    print("|---|" + "---|" * (options.seeds + 1))
    for name in results[0][0]:
        values = [found[name] for found, _ in results]
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} | {np.mean(values):.3f} |")
    print(f"\n{time.perf_counter() - start:.0f} s\n")

    strengths = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0])
    cosines = cosines_of(mixture, strengths)
    popularities = np.array([0.0, 1.0, 1.5, 2.0, 3.0])
    for what, amounts, values in (
        ("signal of single items", strengths, cosines),
        ("popularity of the first item", popularities, cosines_of(same_half, popularities)),
    ):
        print(f"| {what} | plain | pure |\n|---|---|---|")
        for amount, (plain, pure) in zip(amounts, values.mean(axis=2).T, strict=True):
            print(f"| {amount} | {plain:.2f} | {pure:.2f} |")
        print()

    figure, axes = plt.subplots(2, 3, figsize=(12, 7.4), layout="constrained")
    U, plain, pure = same_half(1.5, 0)
    plot_weights(U, ax=axes[0, 0], title="planted: same half or not")
    plot_weights(plain.U, ax=axes[0, 1], title="SUQUAN-SVD finds single items")
    sign = np.sign((U * pure.U).sum())
    plot_weights(sign * pure.U, ax=axes[0, 2], title="pure=True finds the pairs")
    panel = axes[1, 0]
    for name, values, colour in zip(("plain", "pure=True"), cosines, ("#ee6677", "#4477aa"), strict=True):
        panel.plot(strengths, values.mean(axis=1), marker="o", color=colour, label=name)
    panel.set(
        xlabel="strength of the signal of single items", ylabel="|cosine| with the planted weights", ylim=(0, 1.05)
    )
    panel.legend(frameon=False)
    panel = axes[1, 1]
    names = sorted(results[0][0], key=lambda name: np.mean([found[name] for found, _ in results]))
    means = [np.mean([found[name] for found, _ in results]) for name in names]
    colours = ["#4477aa" if name in ("SUQUAN-SVD", "alternating") else "0.7" for name in names]
    panel.barh(names, means, color=colours)
    panel.set(xlim=(0.5, 1), xlabel="accuracy on new rankings, planted weights")
    plot_objective(results[0][1], ax=axes[1, 2], title="alternating optimisation")
    figure.savefig(options.out, dpi=110)
    print(f"\npicture: {options.out}")


if __name__ == "__main__":
    main()
