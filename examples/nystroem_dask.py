"""An SVM for half a million rankings of 40 items, on a cluster of two processes.

The Gram matrix of all people would take two terabytes. Nystroem's method needs the kernel only with a few hundred
people L, the landmarks: the inner products of the features K(X, L) K(L, L)^(-1/2) approximate the kernel. Dask computes
the people, their features and the predictions chunk by chunk, and a linear SVM is trained on one chunk after the other.
The script compares this SVM with an SVM that uses the exact kernel on a subset of the people. The script prints times,
accuracies and memory.
"""

import argparse
import resource
import time
from collections import deque

import dask
import dask.array as da
import numpy as np
import wkendall
import wkendall.dask
from dask.distributed import Client, LocalCluster
from sklearn.linear_model import SGDClassifier
from sklearn.svm import SVC

ITEMS = 40
CHUNK = 25_000
KERNEL = wkendall.Kendall("mult", u="hyperbolic", normalize=True)
# Log strengths: the two groups have their favourites in opposite orders; the other items are equal.
FAVOURITES = np.array([3.0, 2.6, 2.2, 1.8, 1.4])


def simulate(people, seed):
    """Draw rankings from the Plackett-Luce model, with the group of each person as the last column."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, people)
    X = np.empty((people, ITEMS + 1), dtype=np.int8)
    X[:, -1] = group
    for label, favourites in enumerate((FAVOURITES, FAVOURITES[::-1])):
        strengths = np.exp(np.r_[favourites, np.zeros(ITEMS - len(favourites))])
        X[group == label, :-1] = wkendall.datasets.make_plackett_luce((group == label).sum(), strengths, rng=rng)
    return X


def people(chunks):
    """Return dask arrays of rankings and of groups, computed on the workers."""
    parts = [
        da.from_delayed(dask.delayed(simulate)(CHUNK, seed), (CHUNK, ITEMS + 1), np.int8) for seed in range(chunks)
    ]
    both = da.concatenate(parts)
    return both[:, :-1], both[:, -1]


def nystroem_root(landmarks):
    """Return the inverse square root of the kernel between landmarks, without directions that are only rounding."""
    values, vectors = np.linalg.eigh(KERNEL(landmarks))
    kept = values > 1e-10 * values[-1]
    return vectors[:, kept] / np.sqrt(values[kept])


def one_by_one(client, Z, y, ahead=4):
    """Yield chunks of features and groups in order, and compute a few ahead."""
    waiting = deque()
    for block, labels in zip(Z.blocks, y.blocks, strict=True):
        waiting.append(client.compute([block, labels]))
        if len(waiting) > ahead:
            yield client.gather(waiting.popleft())
    while waiting:
        yield client.gather(waiting.popleft())


def accuracy(scores, y):
    return float(((scores > 0) == (y == 1)).mean().compute())


def trained(K, y):
    """Train an SVM with this kernel, with C chosen on a fifth of the people; return the coefficients and the intercept."""
    cut = len(y) * 4 // 5
    models = {C: SVC(C=C, kernel="precomputed").fit(K[:cut, :cut], y[:cut]) for C in (0.1, 1.0, 10.0)}
    C = max(models, key=lambda C: models[C].score(K[cut:, :cut], y[cut:]))
    model = SVC(C=C, kernel="precomputed").fit(K, y)
    coefficients = np.zeros(len(y))
    coefficients[model.support_] = model.dual_coef_[0]
    return coefficients, model.intercept_[0]


def run(options, client):
    start = time.perf_counter()

    def report(what):
        print(f"{time.perf_counter() - start:7.1f} s  {what}", flush=True)

    X, y = dask.persist(*people(options.chunks))
    tested = max(1, options.chunks // 10) * CHUNK
    train, held_out = slice(tested, None), slice(None, tested)
    rng = np.random.default_rng(0)
    chosen = tested + np.sort(rng.choice(len(X) - tested, options.landmarks, replace=False))
    landmarks = X[chosen].compute()
    report(f"{len(X):,} people, {X.nbytes / 1e6:.0f} MB; their Gram matrix would take {len(X) ** 2 * 8 / 1e12:.3g} TB")

    root = nystroem_root(landmarks)
    Z = wkendall.dask.gram_matrix(X, landmarks, KERNEL) @ root
    report(f"{options.landmarks} landmarks, {root.shape[1]} features, {Z.nbytes / 1e9:.1f} GB if all were kept")
    model = SGDClassifier(alpha=1e-6, average=True, random_state=0)
    for epoch in range(options.epochs):
        for block, labels in one_by_one(client, Z[train], y[train]):
            model.partial_fit(block, labels, classes=[0, 1])
        found = accuracy(Z[held_out] @ model.coef_[0] + model.intercept_[0], y[held_out])
        report(f"pass {epoch + 1} over {len(X) - tested:,}: accuracy {found:.4f} on {tested:,} held out")

    few = slice(tested, tested + options.exact)
    some, labels, features = dask.compute(X[few], y[few], Z[few])
    coefficients, constant = trained(features @ features.T, labels)
    found = accuracy(Z[held_out] @ (features.T @ coefficients) + constant, y[held_out])
    report(f"these features, {options.exact:,} people only: accuracy {found:.4f}")
    coefficients, constant = trained(KERNEL(some), labels)
    kernel = wkendall.dask.gram_matrix(X[held_out], some[coefficients != 0], KERNEL)
    found = accuracy(kernel @ coefficients[coefficients != 0] + constant, y[held_out])
    report(f"the exact kernel, the same {options.exact:,} people: accuracy {found:.4f}")


def peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3  # kilobytes on Linux


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=20, help=f"number of chunks of {CHUNK:,} people, at least 2")
    parser.add_argument("--landmarks", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--exact", type=int, default=5000, help="people for the exact kernel")
    options = parser.parse_args()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="1GB", dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        run(options, client)
        workers = ", ".join(f"{peak:.0f}" for peak in client.run(peak_memory).values())
        print(f"peak memory: workers {workers} MB, this process {peak_memory():.0f} MB")


if __name__ == "__main__":
    main()
