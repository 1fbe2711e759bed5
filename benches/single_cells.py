"""Correlations of genes and open regions of chromatin in single cells, all sparse: wkendall and the package fast_kendall_sc.

    python benches/single_cells.py

10,000 cells, 300 genes of which 5 % of the values are stored, 3,000 regions (3 %, all 1), 60,000 pairs. Prints CPU and elapsed
time for each pair, the best of five, and whether the values agree. The peer is left out if it is not installed.
"""

import time

import numpy as np
import scipy.sparse as sp
import wkendall

CELLS, GENES, REGIONS, PAIRS = 10_000, 300, 3000, 60_000


def best(call, runs=5):
    """Return the result, and the least CPU and elapsed times in microseconds for each pair."""
    times = []
    for _ in range(runs):
        elapsed, used = time.perf_counter(), time.process_time()
        result = call()
        times.append((time.process_time() - used, time.perf_counter() - elapsed))
    return result, *(1e6 / PAIRS * min(column) for column in zip(*times, strict=True))


def main():
    rng = np.random.default_rng(0)
    counts = {"data_rvs": lambda count: rng.integers(1, 8, count).astype(float)}
    genes = sp.random(CELLS, GENES, 0.05, format="csc", random_state=1, **counts)
    regions = sp.random(CELLS, REGIONS, 0.03, format="csc", random_state=2, data_rvs=np.ones)
    pairs = rng.integers(0, GENES, PAIRS), rng.integers(0, REGIONS, PAIRS)
    calls = {
        "wkendall": lambda: wkendall.corr(genes, regions, pairs=pairs),
        "wkendall, one thread": lambda: wkendall.corr(genes, regions, pairs=pairs, n_jobs=1),
        "wkendall with p-values": lambda: wkendall.corr(genes, regions, pairs=pairs, pvalues=True).statistic,
    }
    try:
        import fast_kendall_sc
    except ImportError:
        print("fast_kendall_sc is not installed")
    else:
        calls["fast_kendall_sc"] = lambda: fast_kendall_sc.batch_kendall_tau(genes, regions, *pairs)
    expected = None
    print(f"{'':24} {'CPU':>8} {'elapsed':>8}  (microseconds for each pair)")
    for name, call in calls.items():
        found, used, elapsed = best(call)
        expected = found if expected is None else expected
        agree = "" if np.allclose(found, expected, rtol=0, atol=1e-12) else "  other values"
        print(f"{name:24} {used:8.2f} {elapsed:8.2f}{agree}")


if __name__ == "__main__":
    main()
