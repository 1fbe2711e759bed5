"""Train a linear model on a million rankings of ten items, in chunks.

Two groups of people rank ten items, each group around its own ranking (the Mallows model). The model predicts the group. A
Gram matrix would have 10^12 entries. Instead each ranking becomes a vector: exact features of a kernel of order 2, or
landmark features, which work for every kernel. The vectors are computed some thousand at a time and discarded after a step of
stochastic gradient descent. The script prints accuracies, seconds and the peak memory of the process.
"""

import argparse
import resource
import sys
import time

import numpy as np
import wkendall
from sklearn.linear_model import SGDClassifier

ITEMS = 10
MAPS = {
    "standard, exact features": wkendall.KendallFeatures(wkendall.Kendall(normalize=True, signed=True)),
    "mult log, exact features": wkendall.KendallFeatures(wkendall.Kendall("mult", u="log", normalize=True)),
    "Mallows, 200 landmarks": wkendall.KendallNystroem(wkendall.Mallows(0.05), n_components=200, random_state=0),
    "order 3, 50 landmarks": wkendall.KendallNystroem(
        wkendall.Kendall(order=3, normalize=True), n_components=50, random_state=0
    ),
}


def simulate(people, rng):
    """Draw rankings of two groups whose centres differ in the order of the five favourites."""
    centres = np.arange(1, ITEMS + 1), np.array([5, 4, 3, 2, 1, 6, 7, 8, 9, 10])
    group = rng.integers(0, 2, people)
    X = np.empty((people, ITEMS), dtype=np.int64)
    for number, centre in enumerate(centres):
        X[group == number] = wkendall.datasets.make_mallows((group == number).sum(), centre, 0.3, rng=rng)
    return X, group


def train(vectors, X, group):
    """Take one pass over the rankings."""
    model = SGDClassifier(loss="log_loss", alpha=1e-5, random_state=0)
    vectors.fit(X[:50_000])
    for rows, Z in vectors.chunks(X):
        model.partial_fit(Z, group[rows], classes=[0, 1])
    return model


def peak_memory():
    """Return the peak memory of the process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=1_000_000)
    options = parser.parse_args()

    start = time.perf_counter()
    rng = np.random.default_rng(0)
    X, group = simulate(options.people, rng)
    X_test, group_test = simulate(20_000, rng)
    print(f"{options.people} rankings of {ITEMS} items drawn in {time.perf_counter() - start:.1f} s")
    print(f"{'kernel':26} {'columns':>7} {'accuracy':>8} {'training':>9} {'peak memory':>12}")
    for name, vectors in MAPS.items():
        start = time.perf_counter()
        model = train(vectors, X, group)
        seconds = time.perf_counter() - start
        accuracy = model.score(vectors.transform(X_test), group_test)
        print(f"{name:26} {model.coef_.size:7} {accuracy:8.3f} {seconds:7.1f} s {peak_memory():8.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
