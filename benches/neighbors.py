"""Compare `neighbors` with FAISS on the same bits, and with a loop over blocks of `gram_matrix`, on one thread and on all.

With `--lists 1000000` it measures queries against top-10 lists out of 1,000,000 items instead; popularity follows Zipf's law.

Prints seconds, nanoseconds for each pair of rankings and ratios; the contestants take turns, and times are the best of
several rounds. The results are compared as well: distances must be equal. FAISS has its bits ready; `neighbors` reads and
checks the rankings.
"""

import argparse
import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import wkendall
from scipy.sparse import csr_array
from wkendall import AverageOverlap, Kendall, KendallDistance, RankBiasedOverlap


def rankings(rng, rows, items):
    """Return random rankings."""
    return np.argsort(rng.random((rows, items), dtype=np.float32), axis=1) + 1


def best_of(rounds, **calls):
    """Return the best time and the result of each call."""
    times, results = dict.fromkeys(calls, float("inf")), {}
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter()
            results[name] = call()
            times[name] = min(times[name], time.perf_counter() - begin)
    return times, results


def memory(field, reset=False):
    """Return the memory of this process, now ("VmRSS") or at most ("VmHWM") since the last reset, in MiB; Linux only."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    found = re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024


def against_faiss(rng, queries, rows, items, threads, rounds):
    """Search ten neighbours of some rankings by their distance."""
    X, Y = rankings(rng, queries, items), rankings(rng, rows, items)
    before = memory("VmRSS", reset=True)
    wkendall.neighbors(X, Y, n_jobs=threads)
    print(f"{queries} x {rows} x {items}: {memory('VmHWM') - before:.0f} MiB beyond the input")
    import faiss

    faiss.omp_set_num_threads(threads)
    bits, of_queries = wkendall.packed_signs(Y), wkendall.packed_signs(X)
    index = faiss.IndexBinaryFlat(8 * bits.shape[1])
    index.add(bits)
    times, results = best_of(
        rounds,
        wkendall=lambda: wkendall.neighbors(X, Y, n_jobs=threads),
        faiss=lambda: index.search(of_queries, 10),
    )
    assert (results["wkendall"].values == results["faiss"][0]).all(), "the distances differ"
    report(f"neighbors, {threads} threads", times, queries * rows)


def report(what, times, pairs):
    """Print times and ratios."""
    ours = times["wkendall"]
    for name, seconds in times.items():
        print(f"  {what}, {name:10} {seconds:8.3f} s {1e9 * seconds / pairs:7.3f} ns a pair {seconds / ours:7.2f}")


def by_blocks(X, count, threads, size=1000):
    """Return neighbours by sorting blocks of the matrix."""
    values, indices = [], []
    for start in range(0, len(X), size):
        K = wkendall.gram_matrix(X[start : start + size], X, n_jobs=threads)
        K[np.arange(len(K)), np.arange(start, start + len(K))] = -np.inf
        found = np.argpartition(-K, count, axis=1)[:, :count].copy()  # a view would keep the whole block
        values.append(np.sort(np.take_along_axis(K, found, axis=1), axis=1)[:, ::-1])
        indices.append(found)
    return np.concatenate(values), np.concatenate(indices)


def against_blocks(rng, rows, items, threads, rounds):
    """Find the whole graph of some rankings."""
    X = rankings(rng, rows, items)
    times, results = best_of(
        rounds,
        wkendall=lambda: wkendall.neighbors(X, measure=Kendall(), n_jobs=threads),
        blocks=lambda: by_blocks(X, 10, threads),
    )
    assert (results["wkendall"].values == results["blocks"][0]).all(), "the values differ"
    report(f"graph of {rows}, {threads} threads", times, rows * rows)


def zipf_lists(rng, rows, items, length):
    """Return lists of items as a sparse array; the item of rank r is drawn with a probability proportional to 1 / r."""
    cumulated = np.cumsum(1 / np.arange(1.0, items + 1))
    names, listed = rng.permutation(items), np.empty((rows, length), dtype=np.int64)
    for start in range(0, rows, 10_000):
        drawn = np.searchsorted(cumulated / cumulated[-1], rng.random((min(10_000, rows - start), 20 * length)))
        for row, items_drawn in enumerate(drawn.tolist(), start):
            listed[row] = names[list(dict.fromkeys(items_drawn))[:length]]
    ranks, bounds = np.tile(np.arange(1.0, length + 1), rows), np.arange(rows + 1) * length
    return csr_array((ranks, listed.ravel(), bounds), shape=(rows, items))


SCALED = {"signed": True, "normalize": True}
MEASURES_OF_LISTS = {
    "distance": KendallDistance(),
    "standard": Kendall(**SCALED),
    "mult log": Kendall("mult", u="log", **SCALED),
    "mult hyperbolic": Kendall("mult", u="hyperbolic", **SCALED),
    "top 10": Kendall("top", k=10, **SCALED),
    "rank-biased": RankBiasedOverlap(),
    "average overlap": AverageOverlap(10),
}


def of_lists(rng, rows, queries=40, items=1_000_000, length=10):
    """Measure `fit` of `KendallNeighbors`, which makes the index, and single queries."""
    lists = zipf_lists(rng, rows + queries, items, length)
    for name, measure in MEASURES_OF_LISTS.items():
        model = wkendall.KendallNeighbors(10, measure, missing="bottom", n_jobs=1)
        begin = time.perf_counter()
        model.fit(lists[:rows])
        fit, times = time.perf_counter() - begin, []
        for row in range(rows, rows + queries):
            begin = time.perf_counter()
            model.kneighbors(lists[row : row + 1])
            times.append(time.perf_counter() - begin)
        taken = 1000 * np.array(times)
        print(
            f"  {rows} lists, {name:16} fit {fit:.2f} s, query {np.median(taken):.2f} ms, at most {taken.max():.2f} ms"
        )
        changes(model, lists, rng, rows)


def changes(model, lists, rng, rows):
    """Measure adding 0.1 % of the lists, removing 1 %, saving and loading."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        new, gone = lists[: rows // 1000], rng.choice(rows, rows // 100, replace=False)
        times, _ = best_of(
            1,
            add=lambda: model.add(new),
            remove=lambda: model.remove(gone),
            save=lambda: model.save(path),
            load=lambda: wkendall.KendallNeighbors.load(path),
            mapped=lambda: wkendall.KendallNeighbors.load(path, mmap=True),
        )
    print("   ", ", ".join(f"{name} {1000 * seconds:.0f} ms" for name, seconds in times.items()))


def main():
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--graph", type=int, default=100_000)
    parser.add_argument("--items", type=int, nargs="+", default=[20])
    parser.add_argument("--threads", type=int, nargs="+", default=None)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--lists", type=int, default=0)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    if given.lists:
        of_lists(rng, given.lists)
        return
    for threads in given.threads or sorted({1, wkendall._core.available_cores()}):
        for items in given.items:
            if given.rows:
                against_faiss(rng, 500, given.rows, items, threads, given.rounds)
            if given.graph:
                against_blocks(rng, given.graph, items, threads, 1)


if __name__ == "__main__":
    main()
