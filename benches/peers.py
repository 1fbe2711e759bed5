"""Compare the speed of wkendall with its alternatives, in one process, on one thread and on all.

Every method computes the kernel between all pairs of the same random rankings, including the preparation of the input.
Results are compared before timing. Times are the best of several runs, for each of the m (m - 1) / 2 pairs. Loops over scipy
functions are timed on some of the pairs. The numba functions were written for this comparison.

The script prints a table of ratios and writes it as Markdown, JSON and a plot.
"""

import argparse
import inspect
import json
import platform
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import matplotlib as mpl
import numba
import numpy as np
import pandas as pd
import wkendall
from scipy.stats import kendalltau, weightedtau
from threadpoolctl import threadpool_limits

mpl.use("Agg")
import matplotlib.pyplot as plt

#: The number of rankings for each number of items.
SIZES = {6: 2000, 20: 2000, 100: 1000, 300: 400, 1000: 256, 5000: 128, 20_000: 16}
WEIGHTS = {"standard": {}, "mult": {"u": "log"}, "add": {"u": "log"}, "average": {}}


@numba.njit(cache=False)
def fenwick_pair(order, ranks, weight, u, tree, pairs_tree):
    """Sum over concordant pairs of one pair of rankings with a binary indexed tree; the additive weight needs four."""
    n = len(order)
    tree[:] = 0.0
    pairs_tree[:] = 0.0
    total = 0.0
    for position in range(n):
        rank = ranks[order[position]]
        a = b = c = d = 0.0
        i = rank
        while i > 0:
            a += tree[i]
            if weight == 2:
                b += pairs_tree[0, i]
                c += pairs_tree[1, i]
                d += pairs_tree[2, i]
            i -= i & -i
        up, ur = u[position], u[rank]
        if weight == 0:
            total += a
            brings = 1.0
        elif weight == 1:
            brings = up * ur
            total += a * brings
        elif weight == 2:
            total += d + b * ur + c * up + a * up * ur
            brings = 1.0
        else:
            total += a * (n - max(position, rank)) / n
            brings = 1.0
        i = rank + 1
        while i <= n:
            tree[i] += brings
            if weight == 2:
                pairs_tree[0, i] += up
                pairs_tree[1, i] += ur
                pairs_tree[2, i] += up * ur
            i += i & -i
    return total


@numba.njit(parallel=True, cache=False)
def fenwick(X, weight, u):
    m, n = X.shape
    K = np.empty((m, m))
    for p in numba.prange(m):
        order = np.argsort(X[p])
        tree = np.empty(n + 1)
        pairs_tree = np.empty((3, n + 1 if weight == 2 else 1))
        for q in range(p, m):
            K[p, q] = fenwick_pair(order, X[q], weight, u, tree, pairs_tree)
            K[q, p] = K[p, q]
    return K


@numba.njit(cache=False)
def popcount(x):
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)


@numba.njit(parallel=True, cache=False)
def bitset(X):
    m, n = X.shape
    pairs = n * (n - 1) // 2
    words = (pairs + 63) // 64
    B = np.zeros((m, words), dtype=np.uint64)
    for p in numba.prange(m):
        bit = 0
        for i in range(n):
            for j in range(i):
                if X[p, j] < X[p, i]:
                    B[p, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
                bit += 1
    K = np.empty((m, m))
    for p in numba.prange(m):
        for q in range(p, m):
            differ = np.uint64(0)
            for w in range(words):
                differ += popcount(B[p, w] ^ B[q, w])
            K[p, q] = K[q, p] = pairs - differ
    return K


def signs_blas(X):
    """Concordant pairs by the product of sign features."""
    i, j = np.triu_indices(X.shape[1], 1)
    signs = np.where(X[:, i] < X[:, j], 1.0, -1.0)
    return (signs @ signs.T + len(i)) / 2


def embedding_blas(X, u, weight, dtype):
    """The full embedding with n x n features, half of them 0."""
    v = u.astype(dtype)[X]
    joined = v[:, :, None] * v[:, None, :] if weight == "mult" else v[:, :, None] + v[:, None, :]
    features = (joined * (X[:, :, None] < X[:, None, :])).reshape(len(X), -1)
    return features @ features.T


def best_times(functions, seconds):
    """Return the shortest of several runs of each function, and its result.

    They take turns, so that a slow moment of the machine meets all of them.
    """
    times, results = {name: [] for name in functions}, {}
    while waiting := [name for name, took in times.items() if len(took) < 2 or sum(took) < seconds]:
        for name in waiting:
            before = time.perf_counter()
            results[name] = functions[name]()
            times[name].append(time.perf_counter() - before)
    return {name: (min(took), results[name]) for name, took in times.items()}


def ways(weight, X, u):
    """All methods to compute the matrix, by name; `None` if one would need too much time or memory."""
    n, m = X.shape[1], len(X)
    code = ["standard", "mult", "add", "average"].index(weight)
    call = {"weight": weight, **WEIGHTS[weight]}
    found = {"wkendall": lambda jobs: wkendall.gram_matrix(X, n_jobs=jobs, **call)}
    found["numba Fenwick"] = lambda _: fenwick(X, code, u)
    if weight == "standard":
        if n <= 5000:
            found["numba bitset"] = lambda _: bitset(X)
        if m * n * n <= 3e8:
            found["NumPy signs, BLAS float64"] = lambda _: signs_blas(X)
        if n <= 1000:
            found["pandas corr(kendall)"] = lambda _: pd.DataFrame(X.T).corr(method="kendall").to_numpy()
    elif weight != "average" and m * n * n <= 3e8:
        found["NumPy embedding, BLAS float64"] = lambda _: embedding_blas(X, u, weight, np.float64)
        found["NumPy embedding, BLAS float32"] = lambda _: embedding_blas(X, u, weight, np.float32)
        found["wkendall float32"] = lambda jobs: wkendall.gram_matrix(X, n_jobs=jobs, dtype=np.float32, **call)
    return found


def scipy_loop(weight, X):
    """Time per pair of a loop over scipy's function, for a few pairs."""
    function = {"standard": kendalltau, "mult": lambda s, t: weightedtau(s, t, additive=False), "add": weightedtau}.get(
        weight
    )
    if function is None:
        return None
    few = [(p, q) for p in range(min(len(X), 5)) for q in range(p)]
    took, _ = best_times({"": lambda: [function(X[p], X[q]) for p, q in few]}, 0.2)[""]
    return took / len(few)


def check(weight, name, K, wanted):
    if name.startswith("pandas"):
        n_pairs = wanted[0, 0]
        K = (K + 1) / 2 * n_pairs
    tolerance = 1e-4 if "32" in name else 1e-9
    np.testing.assert_allclose(K, wanted, rtol=tolerance, atol=tolerance * wanted[0, 0], err_msg=f"{weight}, {name}")


def race(weight, n, seconds, own=False):
    rng = np.random.default_rng(0)
    X = np.array([rng.permutation(n) for _ in range(SIZES[n])])
    u = 1 / np.log2(np.arange(n) + 2)
    pairs = len(X) * (len(X) - 1) / 2
    cores = wkendall._core.available_cores()
    wanted = None
    for threads in dict.fromkeys([1, cores]):
        numba.set_num_threads(threads)
        with threadpool_limits(threads):
            functions = {name: partial(function, threads) for name, function in ways(weight, X, u).items()}
            functions = {name: function for name, function in functions.items() if not own or "wkendall" in name}
            for function in functions.values():
                function()  # compiles
            for name, (took, K) in best_times(functions, seconds).items():
                wanted = K if wanted is None else wanted
                check(weight, name, K, wanted)
                yield {"weight": weight, "n": n, "threads": threads, "way": name, "ns": took / pairs * 1e9}
    if not own and (took := scipy_loop(weight, X)) is not None:
        name = "scipy kendalltau, loop" if weight == "standard" else "scipy weightedtau, loop (not a kernel)"
        yield {"weight": weight, "n": n, "threads": 1, "way": name, "ns": took * 1e9}


def orders(seconds):
    """Compare higher orders with order 2, one pair of rankings at a time on one thread."""
    lines = ["| n | order | ns per pair | relative to order 2 |", "|---|---|---|---|"]
    for n, m in ((100, 128), (1000, 64)):
        rng = np.random.default_rng(0)
        X = np.array([rng.permutation(n) for _ in range(m)])
        functions = {
            order: partial(wkendall.gram_matrix, X, order=order, n_jobs=1, backend="pairs") for order in (2, 3, 5, 9)
        }
        times = best_times(functions, seconds)
        for order, (took, _) in times.items():
            pair = took / (m * (m - 1) / 2) * 1e9
            lines.append(f"| {n} | {order} | {pair:,.0f} | {took / times[2][0]:.1f} |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def general_weights(seconds):
    """Compare general weights with NumPy's embedding."""
    n, m = 100, 3000
    rng = np.random.default_rng(0)
    X = np.array([rng.permutation(n) for _ in range(m)])
    U = rng.standard_normal((n, n))

    def numpy_way():
        embedding = U[X[:, :, None], X[:, None, :]].reshape(m, -1)
        return embedding @ embedding.T

    lines = ["| threads | weights | wkendall, s | NumPy embedding, s | ratio |", "|---|---|---|---|---|"]
    for threads in dict.fromkeys([1, wkendall._core.available_cores()]):
        with threadpool_limits(threads):
            weights = {"dense": U, "symmetric": U + U.T, "two factors": tuple(rng.standard_normal((2, 2, n)))}
            functions = {name: partial(wkendall.gram_matrix, X, U=W, n_jobs=threads) for name, W in weights.items()}
            # One run takes longer than the given time, so allow several.
            times = best_times({"NumPy": numpy_way} | functions, 6 * seconds)
            check("general", "NumPy", times["NumPy"][1], times["dense"][1])
            theirs = times["NumPy"][0]
            for name in weights:
                took = times[name][0]
                lines.append(f"| {threads} | {name} | {took:.2f} | {theirs:.2f} | {theirs / took:.2f} |")
                print(lines[-1], flush=True)
    return "\n".join(lines)


def learning(seconds):
    """Compare singular vectors for learned weights with LAPACK on the explicit matrix, where that is feasible."""
    lines = [
        "| n | rankings | labels | wkendall, s | memory of the process, MiB | explicit matrix and LAPACK, s | ratio |"
    ]
    lines.append("|---|---|---|---|---|---|---|")
    for n, m, signal in ((30, 2000, 0.5), (30, 2000, 0.0), (100, 2000, 0.5), (100, 2000, 0.0), (1000, 500, 0.5)):
        X, y = two_groups(n, m, signal)
        functions = {"ours": partial(wkendall.suquan_svd, X, y)}
        if n <= 30:
            functions["explicit"] = partial(explicit_suquan, X, y)
        times = best_times(functions, seconds)
        cells = ["", ""]
        if "explicit" in times:
            theirs, value = times["explicit"]
            np.testing.assert_allclose(times["ours"][1].singular_values[0], value, rtol=1e-9)
            cells = [f"{theirs:.3f}", f"{theirs / times['ours'][0]:.1f}"]
        kind = "depend on items" if signal else "random"
        peak = peak_of(f"wkendall.suquan_svd(*two_groups{(n, m, signal)})")
        lines.append(f"| {n} | {m} | {kind} | {times['ours'][0]:.3f} | {peak} | {cells[0]} | {cells[1]} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def peak_of(call):
    """Peak memory in MiB of a new process for a call; Linux only."""
    status = Path("/proc/self/status")
    if not status.exists():
        return ""
    # `resource` would include the size of the parent process.
    script = f"import wkendall; {call}; print(open('{status}').read().split('VmHWM:')[1].split()[0])"
    source = "import numpy as np\n" + inspect.getsource(two_groups) + script
    found = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout
    return str(int(found) // 1024)


def two_groups(n, m, signal):
    """Rankings of two groups; the second group prefers half of the items."""
    rng = np.random.default_rng(0)
    y = np.arange(m) % 2
    scores = rng.standard_normal((m, n))
    scores[:, : n // 2] += signal * y[:, None]
    return (-scores).argsort(axis=1).argsort(axis=1) + 1, y


def explicit_suquan(X, y):
    """The leading singular value of the explicit matrix with n^2 rows."""
    _m, n = X.shape
    shares = np.where(y == 1, 1 / (y == 1).sum(), -1 / (y == 0).sum())
    matrix = np.zeros((n * n, n * n))
    for ranks, share in zip(X - 1, shares, strict=True):
        matrix[(ranks[:, None] * n + ranks).ravel(), np.arange(n * n)] += share
    return np.linalg.svd(matrix)[1][0]


def cpu_name():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def table(results):
    """Markdown: nanoseconds per pair, and the time relative to wkendall with the same number of threads."""
    lines = ["| kernel | n | threads | method | ns per pair | relative to wkendall |", "|---|---|---|---|---|---|"]
    for row in results:
        own = next(
            r["ns"]
            for r in results
            if (r["weight"], r["n"], r["threads"]) == (row["weight"], row["n"], row["threads"])
            and r["way"] == ("wkendall float32" if "32" in row["way"] else "wkendall")
        )
        ratio = f"{row['ns'] / own:,.1f}"
        lines.append(f"| {row['weight']} | {row['n']} | {row['threads']} | {row['way']} | {row['ns']:,.0f} | {ratio} |")
    return "\n".join(lines)


def plot(results, path):
    figure, panels = plt.subplots(2, 2, figsize=(11, 8), sharex=True, layout="constrained")
    for axes, weight in zip(panels.flat, WEIGHTS, strict=True):
        rows = [row for row in results if row["weight"] == weight and row["threads"] == 1]
        for way in dict.fromkeys(row["way"] for row in rows):
            points = [(row["n"], row["ns"]) for row in rows if row["way"] == way]
            own = way.startswith("wkendall")
            axes.loglog(
                *zip(*points, strict=True), marker="o", label=way, lw=2.5 if own else 1.2, zorder=3 if own else 2
            )
        axes.set(title=weight, xlabel="items", ylabel="ns per pair, one thread")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.8, help="for each entry")
    parser.add_argument("--weights", nargs="*", default=list(WEIGHTS), choices=list(WEIGHTS))
    parser.add_argument("--items", nargs="*", type=int, default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--own", action="store_true", help="only wkendall, to compare its versions")
    parser.add_argument("--out", type=Path, default=Path("build"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    head = f"{cpu_name()}, {wkendall._core.available_cores()} cores, {', '.join(wkendall._core.instruction_sets())}"
    head += (
        f"; wkendall {wkendall.__version__}, NumPy {np.__version__}, numba {numba.__version__}, pandas {pd.__version__}"
    )
    print(head)
    results = []
    for weight in options.weights:
        for n in options.items:
            for row in race(weight, n, options.seconds, options.own):
                results.append(row)
                print(f"{weight:9} n={n:<6} threads={row['threads']} {row['way']:40} {row['ns']:14,.1f} ns", flush=True)
    if options.own:
        (options.out / "benchmark.json").write_text(json.dumps({"machine": head, "results": results}, indent=1))
        return
    print("\nhigher orders, standard weight")
    of_orders = orders(options.seconds)
    print("\ngeneral weights, n = 100, m = 3000")
    of_general = general_weights(options.seconds)
    print("\nlearned weights, order 2")
    of_learning = learning(options.seconds)
    text = (
        f"{head}.\n\n{table(results)}\n\nHigher orders, standard weight, one thread:\n\n{of_orders}\n\n"
        f"General weights of order 2, 3000 rankings of 100 items:\n\n{of_general}\n\n"
        f"Learned weights of order 2 (`suquan_svd`), all threads:\n\n{of_learning}\n"
    )
    print("\n" + text)
    (options.out / "benchmark.md").write_text(text)
    (options.out / "benchmark.json").write_text(json.dumps({"machine": head, "results": results}, indent=1))
    plot(results, options.out / "benchmark.png")
    print(f"written to {options.out}/benchmark.md, .json and .png")


if __name__ == "__main__":
    main()
