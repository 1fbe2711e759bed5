"""Benefit and cost of higher orders.

Two experiments use two groups of people who rank 12 items. In the first experiment, the groups do not differ in pairs
of items: for every two items, half of each group prefers the one and half prefers the other. In the second experiment,
one group prefers some items, so pairs differ. An SVM predicts the group from the ranking with kernels of orders 1 to 8
and some others. The script also computes the normalized kernel of orders 1 to 10 between rankings at several distances,
and measures the time for a pair of rankings on one thread. It prints the tables of docs/high_order.md and
docs/measurements.md and draws its picture.
"""

import argparse
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np
import wkendall
from sklearn.svm import SVC

mpl.use("Agg")
import matplotlib.pyplot as plt

ITEMS = 12
ORDERS = range(1, 9)
LEARN, CHOOSE, TEST = 300, 100, 1000
NOISE = 1.0
SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000)
COSTS = [0.01, 0.1, 1.0, 10.0, 100.0]
# Positions of the items on a circle: in order for one group, even items before odd items for the other.
ITEM = np.arange(ITEMS)
PLACES = 2 * np.pi / ITEMS * np.array([ITEM, ITEM // 2 + ITEM % 2 * (ITEMS // 2)])
# Log strengths of the items for groups that differ in pairs: the second group prefers the even items.
STRENGTHS = np.array([[0.0] * ITEMS, [0.5, -0.5] * (ITEMS // 2)])

COLOURS = ["#4477aa", "#ee6677", "#228833", "#aa3377"]


def circle(people, rng):
    """Draw people with a favourite place on a circle who prefer items near it.

    Reflecting the circle exchanges any two items, so that each is preferred to the other half of the time, in both groups.
    """
    group = np.arange(people) % 2
    favourite = rng.uniform(0, 2 * np.pi, (people, 1))
    return np.cos(PLACES[group] - favourite) + NOISE * rng.standard_normal((people, ITEMS)), group


def strengths(people, rng):
    """Draw people from the Plackett-Luce model: log strengths and Gumbel noise."""
    group = np.arange(people) % 2
    return STRENGTHS[group] + rng.gumbel(size=(people, ITEMS)), group


def between(n):
    """Weights of triples of positions: 1 where the second lies between the first and the third."""
    a, b, c = np.ogrid[:n, :n, :n]
    return ((a < b) & (b < c) | (a > b) & (b > c)).astype(float)


TAU = wkendall.Kendall(signed=True, normalize=True)
OTHERS = {
    "order 2, signed": TAU,
    "order 2, mult, hyperbolic": wkendall.Kendall("mult", u="hyperbolic", normalize=True),
    "order 2, signed, squared": TAU**2,
    "Mallows": wkendall.Mallows(0.05),
    "U = between, order 3": wkendall.TensorKernel(between(ITEMS), order=3, normalize=True),
}


def accuracy(kernel, people, group):
    """Train on some people, choose the cost C on others, train on both, and test on the rest."""
    known = LEARN + CHOOSE
    K = kernel(people, people[:known])

    def score(C, learned, tested):
        svm = SVC(C=C, kernel="precomputed").fit(K[:learned, :learned], group[:learned])
        return svm.score(K[tested, :learned], group[tested])

    best = max(COSTS, key=lambda C: score(C, LEARN, slice(LEARN, known)))
    return score(best, known, slice(known, None))


def experiment(draw, kernels, repeats):
    """Test accuracies: for each kernel, one per repetition with new people."""
    results = {name: [] for name in kernels}
    for seed in range(repeats):
        scores, group = draw(LEARN + CHOOSE + TEST, np.random.default_rng(seed))
        people = wkendall.Rankings(scores, input="scores")
        for name, kernel in kernels.items():
            results[name].append(accuracy(kernel, people, group))
    return {name: np.array(values) for name, values in results.items()}


def similarities(n=20, rankings=2000):
    """Mean normalized kernel of orders 1 to 10 between the identity and rankings at several distances."""
    rng = np.random.default_rng(0)
    identity = np.arange(1, n + 1)
    # For high orders few rankings contribute to the mean, so many are needed.
    sets = {"random": rng.permuted(np.tile(identity, (100 * rankings, 1)), axis=1)}
    for swaps in (40, 10, 1):
        X = np.tile(identity, (rankings, 1))
        for row in X:
            for i in rng.integers(0, n - 1, swaps):
                row[[i, i + 1]] = row[[i + 1, i]]
        sets[f"{swaps} swaps of neighbours" if swaps > 1 else "1 swap of neighbours"] = X
    return {
        name: [wkendall.gram_matrix(X, [identity], order=d, normalize=True).mean() for d in range(1, 11)]
        for name, X in sets.items()
    }


def times(kernels, rounds, budget=0.01):
    """Microseconds for a pair of random rankings on one thread, for kernels given by number of items and parameters.

    Each is the best of several runs; all kernels take turns, so that a busy moment of the machine does not spoil all runs of one.
    """
    rng = np.random.default_rng(0)

    def rankings(rows, n):
        return rng.permuted(np.tile(np.arange(1, n + 1), (rows, 1)), axis=1)

    def run(X, Y, parameters):
        start = time.perf_counter()
        wkendall.gram_matrix(X, Y, n_jobs=1, **parameters)
        return (time.perf_counter() - start) / (len(X) * len(Y)) * 1e6

    cases = {}
    for name, (n, parameters) in kernels.items():
        rows = 10
        for _ in range(2):  # a few pairs tell how many there should be
            X = rankings(rows, n)
            rows = int(np.clip((budget * 1e6 / min(run(X, X[::-1], parameters) for _ in range(3))) ** 0.5, 10, 400))
        cases[name] = (rankings(rows, n), rankings(rows, n), parameters)
    runs = [{name: run(*case) for name, case in cases.items()} for _ in range(rounds)]
    return {name: min(found[name] for found in runs) for name in cases}


def general_weights(n=20):
    """Kernels of all kinds, for the measurement of their cost."""
    rng = np.random.default_rng(0)
    U = rng.standard_normal((n, n))
    A = np.exp(-np.square(np.subtract.outer(np.arange(n), np.arange(n))) / 8.0)
    return {
        "standard, order 2": {},
        "standard, order 3": {"order": 3},
        "add, order 3": {"order": 3, "weight": "add", "u": "log"},
        "matrix": {"U": U},
        "symmetric matrix": {"U": U + U.T},
        "stack of 5 matrices": {"U": rng.standard_normal((5, n, n))},
        "tensor, order 3": {"U": rng.standard_normal((n, n, n)), "order": 3},
        "1 term, order 3": {"U": tuple(rng.standard_normal((3, 1, n))), "order": 3},
        "4 terms, order 3": {"U": tuple(rng.standard_normal((3, 4, n))), "order": 3},
        "W": {"W": np.einsum("ac,bd->abcd", A, A), "check": False},
    }


def draw(seen, plain, alike, took, path):
    """Draw accuracies, similarities, and time by order and by number of items."""
    figure, ((one, two), (three, four)) = plt.subplots(2, 2, figsize=(10, 7.5), layout="constrained")
    for results, label, colour in ((seen, "groups differ in triples", 1), (plain, "groups differ in pairs", 0)):
        values = np.array([results[d] for d in ORDERS])
        errors = 1.96 * values.std(axis=1, ddof=1) / values.shape[1] ** 0.5
        one.errorbar(ORDERS, values.mean(axis=1), errors, fmt="o-", color=COLOURS[colour], label=label, capsize=3)
    one.axhline(0.5, color="#222222", linewidth=0.8, linestyle=":")
    one.set(xlabel="order d", ylabel="test accuracy", title="Which group? SVM by order")
    orders = range(1, 11)
    for (name, values), colour in zip(reversed(alike.items()), COLOURS, strict=True):
        two.semilogy(orders, values, "o-", color=colour, label=name)
    two.set(xlabel="order d", ylabel="mean of K(s, t) / K(s, s)", title="Similarity of rankings of 20 items")
    for n, colour in zip((1000, 100, 20), COLOURS, strict=False):
        three.semilogy(orders, [took[n, d] for d in orders], "o-", color=colour, label=f"n = {n:,}")
    three.set(xlabel="order d", ylabel="microseconds per pair", title="Time, standard weight, one thread")
    for d, colour in zip((5, 3, 2), COLOURS, strict=False):
        four.loglog(SIZES, [took[n, d] for n in SIZES], "o-", color=colour, label=f"d = {d}")
    four.set(xlabel="number of items n", ylabel="microseconds per pair", title="Time, standard weight, one thread")
    for axes in (one, two, three, four):
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def show_accuracies(title, results):
    print(
        f"\n{title}: {len(next(iter(results.values())))} times {LEARN + CHOOSE} people to learn from, {TEST} to test on"
    )
    for name, values in results.items():
        label = name if isinstance(name, str) else f"order {name}"
        print(f"  {label:26} {values.mean():.3f} +- {values.std(ddof=1) / len(values) ** 0.5:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=12, help="number of runs; the best time counts")
    parser.add_argument("--out", type=Path, default=Path("high_order.png"))
    options = parser.parse_args()

    by_order = {d: wkendall.Kendall(order=d, normalize=True) for d in ORDERS}
    seen = experiment(circle, by_order | OTHERS, options.repeats)
    show_accuracies("groups that no pair tells apart", seen)
    plain = experiment(strengths, by_order | OTHERS, options.repeats)
    show_accuracies("groups that differ in pairs", plain)

    alike = similarities()
    print(f"\n{'mean normalized kernel, n = 20':32}" + "".join(f"{f'd = {d}':>9}" for d in range(1, 11)))
    for name, values in alike.items():
        print(f"  {name:30}" + "".join(f"{value:9.2g}" for value in values))

    cases = [(n, d) for n in (20, 100, 1000) for d in range(1, 11)] + [(n, d) for d in (2, 3, 5) for n in SIZES]
    took = times({(n, d): (n, {"order": d}) for n, d in cases}, options.rounds)
    print(f"\n{'microseconds per pair':32}" + "".join(f"{f'd = {d}':>9}" for d in range(1, 11)))
    for n in (20, 100, 1000):
        print(f"  {f'n = {n}':30}" + "".join(f"{took[n, d]:9.3g}" for d in range(1, 11)))
    print(f"\n{'microseconds per pair':26}" + "".join(f"{f'n = {n}':>10}" for n in SIZES))
    for d in (2, 3, 5):
        print(f"  {f'd = {d}':24}" + "".join(f"{took[n, d]:10.3g}" for n in SIZES))
    print("\nmicroseconds per pair, n = 20")
    general = {name: (20, parameters) for name, parameters in general_weights().items()}
    for name, value in times(general, options.rounds).items():
        print(f"  {name:26} {value:9.3g}")
    draw(seen, plain, alike, took, options.out)
    print(f"\npicture: {options.out}")


if __name__ == "__main__":
    main()
