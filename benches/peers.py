"""Races wkendall against what people use today, in one process, on one thread and on all.

Every way computes the Gram matrix of the same random rankings, preparation of the input included; results are compared before
times are. The table gives nanoseconds for each of the m (m - 1) / 2 pairs and how many times as long as wkendall on one thread
the others take. Loops over pairs are timed on a part of the pairs.
"""

import argparse
import time

import numpy as np
import pandas as pd
import wkendall
from scipy.stats import kendalltau, weightedtau

SIZES = [(1000, 6), (1000, 20), (500, 100), (60, 1000), (20, 20_000)]


def best_time(function, seconds):
    """Return the shortest of several runs and the result."""
    times, result = [], None
    start = time.perf_counter()
    while not times or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - before)
    return min(times), result


def numpy_features(X):
    """Concordant pairs by the product of sign features with BLAS."""
    i, j = np.triu_indices(X.shape[1], 1)
    signs = np.where(X[:, i] < X[:, j], 1.0, -1.0)
    return (signs @ signs.T + len(i)) / 2


def pandas_tau(X):
    """Kendall's tau of columns, so rankings go into columns."""
    return pd.DataFrame(X.T).corr(method="kendall").to_numpy()


def scipy_loop(function, X, pairs):
    return [function(X[p], X[q]).statistic for p, q in pairs]


def race(m, n, seconds):
    rng = np.random.default_rng(0)
    X = np.array([rng.permutation(n) + 1 for _ in range(m)])
    pairs = m * (m - 1) / 2
    few = [(p, q) for p in range(min(m, 8)) for q in range(p)]
    rows = []

    def add(kernel, name, took, of=pairs):
        rows.append((kernel, name, took / of * 1e9))

    standard = {}
    for n_jobs, threads in [(1, "1 thread"), (None, "all threads")]:
        took, standard = best_time(lambda jobs=n_jobs: wkendall.gram_matrix(X, n_jobs=jobs), seconds)
        add("standard", f"wkendall, {threads}", took)
    tau = wkendall.gram_matrix(X, signed=True, normalize=True)
    took, found = best_time(lambda: scipy_loop(kendalltau, X, few), seconds)
    np.testing.assert_allclose(found, [tau[pair] for pair in few], atol=1e-12)
    add("standard", "scipy kendalltau, a loop", took, len(few))
    if m * n <= 200_000:
        took, found = best_time(lambda: pandas_tau(X), seconds)
        np.testing.assert_allclose(found, tau, atol=1e-12)
        add("standard", "pandas corr(kendall)", took)
    if m * n * n < 2e8:
        took, found = best_time(lambda: numpy_features(X), seconds)
        np.testing.assert_array_equal(found, standard)
        add("standard", "NumPy features, BLAS float64, all threads", took)

    for weight in ("add", "mult"):
        for n_jobs, threads in [(1, "1 thread"), (None, "all threads")]:
            call = {"weight": weight, "u": "log", "n_jobs": n_jobs}
            took, _ = best_time(lambda call=call: wkendall.gram_matrix(X, **call), seconds)
            add(weight, f"wkendall, {threads}", took)
        took, _ = best_time(
            lambda w=weight: scipy_loop(lambda s, t: weightedtau(s, t, additive=w == "add"), X, few), seconds
        )
        add(weight, "scipy weightedtau, a loop (no kernel)", took, len(few))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="for each entry")
    options = parser.parse_args()
    print("| n | kernel | way | ns per pair | times wkendall |\n|---|---|---|---|---|")
    for m, n in SIZES:
        own = None
        for kernel, name, took in race(m, n, options.seconds):
            own = took if name == "wkendall, 1 thread" else own
            print(f"| {n} | {kernel} | {name} | {took:,.0f} | {took / own:,.2f} |", flush=True)


if __name__ == "__main__":
    main()
