"""How often do methods find the number of clusters? Rankings from mixtures of Mallows models.

The centres are random rankings, and all clusters have the same size. "0" clusters: all rankings are equally probable. "PL":
one cluster, a Plackett-Luce model whose strengths grow by the factor exp(lam). The methods: `cluster_number`; the gap
statistic with uniformly distributed rankings as reference; prediction strength (Tibshirani and Walther 2005, the largest
number with at least 0.8); the largest silhouette (Rousseeuw 1987), which cannot find one cluster.

    python benches/cluster_numbers.py --sets 10
"""

import argparse

import numpy as np
import wkendall
from sklearn.metrics import silhouette_score
from wkendall.datasets import make_mallows, make_plackett_luce, make_uniform

MOST, SPLITS, PEOPLE = 7, 5, 240


def clustered(X, clusters, rng):
    seed = int(rng.integers(2**31))
    return wkendall.KendallKMeans(clusters, n_init=5, random_state=seed, n_jobs=1).fit(X)


def simulated(X, rng):
    return wkendall.cluster_number(X, max_clusters=MOST, rng=rng, n_jobs=1).n_clusters


def uniform_gap(X, rng, references=10):
    """The smallest number whose gap is at least the next one minus its error, from Tibshirani, Walther and Hastie (2001)."""
    data = [X, *(make_uniform(*X.shape, rng=rng) for _ in range(references))]
    logs = np.log([[clustered(some, k, rng).inertia_ for k in range(1, MOST + 1)] for some in data])
    gaps, errors = logs[1:].mean(axis=0) - logs[0], logs[1:].std(axis=0) * np.sqrt(1 + 1 / references)
    enough = np.flatnonzero(gaps[:-1] >= gaps[1:] - errors[1:])
    return int(enough[0]) + 1 if len(enough) else MOST


def prediction_strength(X, rng, enough=0.8):
    strengths = np.zeros((SPLITS, MOST))
    for split in strengths:
        halves = np.array_split(rng.permutation(len(X)), 2)
        for k in range(1, MOST + 1):
            models = [clustered(X[rows], k, rng) for rows in halves]
            for rows, own, other in ((halves[0], *models), (halves[1], *models[::-1])):
                predicted = other.predict(X[rows])
                sizes = [np.bincount(predicted[own.labels_ == cluster]) for cluster in range(k)]
                together = [(s * (s - 1)).sum() / (s.sum() * (s.sum() - 1)) for s in sizes if s.sum() > 1]
                split[k - 1] += min(together) / 2
    return int(np.flatnonzero(strengths.mean(axis=0) >= enough)[-1]) + 1


def silhouette(X, rng):
    distances = np.sqrt(wkendall.distance_matrix(X))
    labels = [clustered(X, k, rng).labels_ for k in range(2, MOST + 1)]
    scores = [silhouette_score(distances, some, metric="precomputed") if some.any() else -1 for some in labels]
    return int(np.argmax(scores)) + 2


METHODS = {
    "`cluster_number`": simulated,
    "gap, uniform reference": uniform_gap,
    "prediction strength": prediction_strength,
    "silhouette": silhouette,
}
NUMBERS = ("0", "PL", "1", "2", "3", "4", "5")


def drawn(number, n, lam, rng):
    if number == "0":
        return make_uniform(PEOPLE, n, rng=rng)
    if number == "PL":
        return make_plackett_luce(PEOPLE, np.exp(lam * np.arange(n)), rng=rng)
    centers, each = make_uniform(int(number), n, rng=rng), PEOPLE // int(number)
    return np.concatenate([make_mallows(each, center, lam, rng=rng) for center in centers])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=10)
    options = parser.parse_args()
    print(f"| items, lam | method | {' | '.join(NUMBERS)} |")
    for n, lam in ((6, 1.0), (10, 0.5)):
        for name, method in METHODS.items():
            right = []
            for number in NUMBERS:
                found = []
                for seed in range(options.sets):
                    rng = np.random.default_rng([n, int(10 * lam), NUMBERS.index(number), seed])
                    found.append(method(drawn(number, n, lam, rng), rng))
                right.append(np.mean(np.array(found) == (int(number) if number in "12345" else 1)))
            print(f"| {n}, {lam} | {name} | {' | '.join(f'{share:.2f}' for share in right)} |", flush=True)


if __name__ == "__main__":
    main()
