"""Compare the speed for rankings with ties and complete rankings, and of tau-b with pandas, on one thread.

The script prints nanoseconds per pair of rankings, complete and with ties, their ratio, and the ratio to the multiplicative
kernel of complete rankings. Complete rankings and ties take turns; times are the best of several runs.
"""

import argparse
import csv
import gzip
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import wkendall

#: The number of rankings and the levels of ties for each number of items.
SIZES = {20: (1200, 5), 100: (600, 10), 300: (300, 10), 1000: (150, 50), 5000: (32, 50), 20_000: (12, 50)}
KERNELS = {
    "mult": {"weight": "mult", "u": "log"},
    "standard": {},
    "tau-b": {"signed": True, "normalize": True},
    "add": {"weight": "add", "u": "log"},
    "top": {"weight": "top"},
    "average": {"weight": "average"},
}
EXPRESSION = Path(__file__).resolve().parents[2] / "shared/data/expression"


def seconds(*calls, least=0.4):
    """Return the best time of each call; the calls take turns."""
    best = [float("inf")] * len(calls)
    start, runs = time.perf_counter(), 0
    while runs < 3 or time.perf_counter() - start < least * len(calls):
        for number, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            best[number] = min(best[number], time.perf_counter() - begin)
        runs += 1
    return best


def simulated(sizes):
    """Print times for random rankings."""
    print(f"{'n':>6} {'kernel':9} {'complete':>12} {'ties':>12} {'ratio':>7} {'to complete mult':>17}")
    for n in sizes:
        m, levels = SIZES[n]
        rng = np.random.default_rng(n)
        X = np.array([rng.permutation(n) + 1 for _ in range(m)])
        tied = rng.integers(0, levels, size=(m, n))
        out, mult = np.empty((m, m)), None
        for name, options in KERNELS.items():
            gram = partial(
                wkendall.gram_matrix, **options, **({"k": n // 4} if name == "top" else {}), out=out, n_jobs=1
            )
            found = seconds(partial(gram, X), partial(gram, tied, ties="mean"))
            complete, ties = (1e9 * t / (m * (m - 1) / 2) for t in found)
            mult = complete if name == "mult" else mult
            print(f"{n:6} {name:9} {complete:9.1f} ns {ties:9.1f} ns {ties / complete:7.2f} {ties / mult:17.2f}")


def frames():
    """Print times of tau-b and of pandas, for columns with ties and for expression data if available."""
    rng = np.random.default_rng(0)
    tables = {f"{n} x {m}, {n // 20} levels": rng.integers(0, n // 20, size=(n, m)) for n, m in [(100, 60), (1000, 30)]}
    for file in sorted(EXPRESSION.glob("*/*.csv.gz")):
        with gzip.open(file, "rt") as text:
            tables[file.parent.name] = np.array(list(csv.reader(text))[1:], dtype=float).T
    for name, values in tables.items():
        frame = pd.DataFrame(values)
        tau = partial(wkendall.gram_matrix, input="scores", ties="mean", signed=True, normalize=True, n_jobs=1)
        ours, theirs = seconds(partial(tau, frame.to_numpy().T), partial(frame.corr, "kendall"), least=0.0)
        print(f"tau-b of {name}, {values.shape}: {ours:.4f} s, pandas {theirs:.4f} s, ratio {theirs / ours:.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    simulated(parser.parse_args().sizes)
    frames()
