"""Compare the speed of published comparisons with other packages: one pair at a time there, all pairs here.

scipy's `weightedtau`, the package rbo, and the definitions of Kendall's tau and AP correlation in NumPy, for random rankings
and for top-10 lists. All values are compared before they are timed. Packages that are not installed are left out. Times are for
each pair, the best of several runs, which take turns: CPU time on one thread, wall time on all. wkendall computes the matrix of
all pairs; the others compute some of the pairs, on one thread.
"""

import argparse
import importlib.metadata
import platform
import time
from itertools import combinations, islice

import numpy as np
import wkendall
from scipy.stats import weightedtau

#: The number of rankings, and the number of pairs for the others.
SIZES = {20: (1000, 40), 1000: (128, 10), 20_000: (16, 1)}
LISTS, LENGTH, CATALOGUE = 2000, 10, 100_000
P = 0.9
#: The number of threads if all are used.
ALL = max(2, wkendall._core.available_cores())


def installed(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def earlier_in_both(s, t):
    """For each item in the order of `t`, the number of items before it in both rankings, a block of rows at a time."""
    found, ranks = np.empty(len(s)), s[np.argsort(t)]
    for begin in range(0, len(s), 1000):
        end = begin + 1000
        before = ranks[np.newaxis, :end] < ranks[begin:end, np.newaxis]
        found[begin:end] = np.tril(before, begin - 1).sum(axis=1)
    return found


def tau(s, t):
    n = len(s)
    return 4 * earlier_in_both(s, t).sum() / (n * (n - 1)) - 1


def ap(s, t):
    """AP correlation of a true ranking and an estimate."""
    return 2 * np.mean(earlier_in_both(s, t)[1:] / np.arange(1, len(s))) - 1


def of_ties():
    """Name, measure, name of the other, and its function of two rankings (or of their orders)."""
    for additive, name in ((True, "WeightedTau()"), (False, "WeightedTau(additive=False)")):
        yield (
            name,
            wkendall.WeightedTau(additive=additive),
            "scipy",
            lambda s, t, additive=additive: weightedtau(-s, -t, additive=additive).statistic,
        )


def of_rankings():
    yield from of_ties()
    yield "KendallCorrelation()", wkendall.KendallCorrelation(), "NumPy", tau
    yield "APCorrelation()", wkendall.APCorrelation(), "NumPy", ap
    if installed("rbo"):
        yield "RankBiasedOverlap(0.9)", wkendall.RankBiasedOverlap(P), "rbo", lambda s, t: ext(order(s), order(t))


def order(ranks):
    return np.argsort(ranks).tolist()


def ext(s, t):
    from rbo import RankingSimilarity

    return RankingSimilarity(s, t).rbo_ext(p=P)


def overlap(s, t):
    """Average overlap, by its definition."""
    return sum(len(set(s[:depth]).intersection(t[:depth])) / depth for depth in range(1, LENGTH + 1)) / LENGTH


def of_lists():
    yield "AverageOverlap(10)", wkendall.AverageOverlap(LENGTH), "Python sets", overlap
    if installed("rbo"):
        yield "RankBiasedOverlap(0.9)", wkendall.RankBiasedOverlap(P), "rbo", ext


def best_times(functions, seconds):
    """Return the shortest of several runs of each function, and its result. They take turns."""
    times, results = {name: [] for name in functions}, {}
    while waiting := [name for name, took in times.items() if len(took) < 2 or sum(took) < seconds]:
        for name in waiting:
            clock = time.perf_counter if name == ALL else time.process_time
            before = clock()
            results[name] = functions[name]()
            times[name].append(clock() - before)
    return {name: (min(took), results[name]) for name, took in times.items()}


def race(said, rows, rankings, pairs, ways, seconds):
    """Print a line of the table for each measure and number of threads."""
    for name, measure, other, function in ways:
        few = list(islice(combinations(range(len(rows)), 2), pairs))
        functions = {other: lambda function=function, few=few: [function(rows[p], rows[q]) for p, q in few]}
        for jobs in (1, ALL):
            functions[jobs] = lambda measure=measure, jobs=jobs: wkendall.similarity_matrix(
                rankings, measure=measure, n_jobs=jobs
            )
        found = best_times(functions, seconds)
        took, values = found.pop(other)
        # A matrix that is not symmetric has twice as many values.
        count = len(rows) * (len(rows) - 1) / (1 if name == "APCorrelation()" else 2)
        for jobs, (mine, matrix) in found.items():
            np.testing.assert_allclose([matrix[p, q] for p, q in few], values, rtol=1e-9, atol=1e-12, err_msg=name)
            ns, theirs = mine / count * 1e9, took / len(few) * 1e9
            cells = [f"`{name}`", said, jobs, f"{ns:,.0f}", other, f"{theirs:,.0f}", f"{theirs / ns:,.0f}"]
            print("|", " | ".join(map(str, cells)), "|", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each method")
    seconds = parser.parse_args().seconds
    versions = [f"wkendall {wkendall.__version__}"]
    versions += [f"{name} {installed(name)}" for name in ("numpy", "scipy", "rbo") if installed(name)]
    print(", ".join(versions), platform.processor() or platform.machine(), f"{ALL} threads")
    if not installed("rbo"):
        print("rbo is not installed and is left out")
    print("ranx compares runs with relevance judgements, not with each other: it has none of these measures\n")
    print(
        "| measure | items | threads | wkendall, ns per pair | other | ns per pair | ratio |\n|---|---|---|---|---|---|---|"
    )
    rng = np.random.default_rng(0)
    for n, (count, pairs) in SIZES.items():
        rows = np.array([rng.permutation(n) + 1 for _ in range(count)])
        race(f"{n:,}", rows, wkendall.Rankings(rows), pairs, of_rankings(), seconds)
        rows = (rows + 1) // 2
        race(f"{n:,}, in pairs of ties", rows, wkendall.Rankings(rows, ties="mean"), pairs, of_ties(), seconds)
    popularity = np.log(1 / np.arange(1, CATALOGUE + 1))
    rows = [np.argsort(-popularity - rng.gumbel(size=CATALOGUE))[:LENGTH].tolist() for _ in range(LISTS)]
    lists = wkendall.from_lists(rows, items=range(CATALOGUE))
    race("10 of 100,000", rows, lists, 200, of_lists(), seconds)


if __name__ == "__main__":
    main()
