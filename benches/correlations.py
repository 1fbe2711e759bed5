"""Compare the speed of `wkendall.corr` with pandas, scipy and numba, in one process, on one thread and on all.

Every method computes Kendall's tau-b between all columns of the same random tables, including reading. Results are compared
before timing. Times are the best of several runs, for each of the m (m - 1) / 2 pairs of columns. The loop over scipy's
function is timed on some of the pairs. The numba function was written for this comparison. It uses a binary indexed tree over
the ranks of one column, updated in the order of the other.

The script prints a table and writes it as Markdown and JSON.
"""

import argparse
import json
import time
from functools import partial
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import wkendall
from scipy.stats import kendalltau, rankdata

#: The number of columns for each number of observations.
SIZES = {100: 400, 1000: 200, 10_000: 24}
#: The number of levels (None without ties) and the share of missing values.
KINDS = {
    "no ties": (None, 0.0),
    "50 levels": (50, 0.0),
    "no ties, 5 % missing": (None, 0.05),
    "50 levels, 5 % missing": (50, 0.05),
}


def table(rows, columns, levels, missing, seed=0):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(rows, columns)) + rng.normal(size=(rows, 1))
    if levels is not None:
        data = np.floor(levels * rankdata(data, axis=0) / (rows + 1))
    data[rng.random(data.shape) < missing] = np.nan
    return data


@numba.njit(cache=False)
def numba_pair(order, x, y, tree):
    """Tau-b of two columns of ranks from 1, 0 being missing, by a binary indexed tree."""
    tree[:] = 0
    concordant = discordant = tied_x = common = 0
    count_y = np.zeros(len(tree), np.int64)
    start = 0
    n = len(order)
    while start < n:
        end = start
        while end < n and x[order[end]] == x[order[start]]:
            end += 1
        added = 0
        if x[order[start]] > 0:
            for place in range(start, end):
                rank = y[order[place]]
                if rank == 0:
                    continue
                below = 0
                i = rank - 1
                while i > 0:
                    below += tree[i]
                    i -= i & -i
                concordant += below
                discordant += common - below - count_y[rank]
                added += 1
            for place in range(start, end):
                rank = y[order[place]]
                if rank == 0:
                    continue
                count_y[rank] += 1
                i = rank
                while i < len(tree):
                    tree[i] += 1
                    i += i & -i
            common += added
            tied_x += added * (added - 1) // 2
        start = end
    tied_y = 0
    for count in count_y:
        tied_y += count * (count - 1) // 2
    pairs = common * (common - 1) // 2
    product = float(pairs - tied_x) * float(pairs - tied_y)
    return (concordant - discordant) / np.sqrt(product) if product > 0 else np.nan


@numba.njit(parallel=True, cache=False)
def numba_all(ranks):
    m, n = ranks.shape
    result = np.empty((m, m))
    for p in numba.prange(m):
        order = np.argsort(ranks[p], kind="mergesort")
        tree = np.empty(n + 1, np.int64)
        for q in range(p, m):
            result[p, q] = result[q, p] = numba_pair(order, ranks[p], ranks[q], tree)
    return result


def numba_corr(data, threads):
    numba.set_num_threads(threads)
    ranks = np.nan_to_num(rankdata(data, method="dense", axis=0, nan_policy="omit")).astype(np.int64)
    return numba_all(np.ascontiguousarray(ranks.T))


def scipy_corr(data, pairs):
    """Values of some pairs, and NaN elsewhere."""
    result = np.full((data.shape[1],) * 2, np.nan)
    for i, j in pairs:
        both = ~np.isnan(data[:, i] + data[:, j])
        result[i, j] = result[j, i] = kendalltau(data[both, i], data[both, j]).statistic
    return result


def best(call, seconds):
    times = []
    while len(times) < 2 or sum(times) < seconds:
        before = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - before)
        if times[0] > 4 * seconds:
            break
    return min(times), result


def race(rows, columns, levels, missing, seconds):
    """Nanoseconds per pair for each method."""
    data = table(rows, columns, levels, missing)
    frame = pd.DataFrame(data)
    everyone = columns * (columns - 1) // 2
    some = [(i, j) for i in range(columns) for j in range(i)][:: max(1, everyone // 50)]
    cores = wkendall._core.available_cores()
    ways = {
        "wkendall": (partial(wkendall.corr, frame, n_jobs=1), everyone),
        "wkendall, p-values": (lambda: wkendall.corr(frame, n_jobs=1, pvalues=True).statistic, everyone),
        f"wkendall, {cores} threads": (partial(wkendall.corr, frame, n_jobs=cores), everyone),
        "pandas": (partial(frame.corr, "kendall"), everyone),
        "scipy": (partial(scipy_corr, data, some), len(some)),
        "numba": (partial(numba_corr, data, 1), everyone),
        f"numba, {cores} threads": (partial(numba_corr, data, cores), everyone),
    }
    numba_corr(data[:9, :3], cores)  # compiles
    found, expected = {}, None
    for name, (call, pairs) in ways.items():
        took, result = best(call, seconds)
        result = np.asarray(result)
        expected = result if expected is None else expected
        known = ~np.isnan(result)
        np.testing.assert_allclose(result[known], expected[known], rtol=0, atol=1e-12, err_msg=name)
        found[name] = 1e9 * took / pairs
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="minimum time for each method")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of observations")
    parser.add_argument("--out", type=Path, default=Path("build"))
    arguments = parser.parse_args()
    results, lines = [], []
    for rows in arguments.sizes:
        for kind, (levels, missing) in KINDS.items():
            found = race(rows, SIZES.get(rows, 50), levels, missing, arguments.seconds)
            results.append({"observations": rows, "columns": SIZES.get(rows, 50), "kind": kind, "ns": found})
            if not lines:
                lines += ["| observations | " + " | ".join(["", *found, "times pandas"]) + " |"]
                lines += ["|---" * (len(found) + 3) + "|"]
            cells = [f"{rows:,}", kind, *(f"{took:,.0f}" for took in found.values())]
            cells.append(f"{found['pandas'] / found['wkendall']:.0f}")
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "correlations.json").write_text(json.dumps(results, indent=1) + "\n")
    (arguments.out / "correlations.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
