"""Time calls on four rankings of five items, where Python takes most of the time.

    python benches/small_calls.py [PATH]

The script prints microseconds, the best of many runs, and writes seconds to a JSON file. `before_after.py` runs it with two
versions of the package in turns.
"""

import json
import sys
import time
from functools import partial
from pathlib import Path

import calls
import numpy as np
import wkendall

X = np.array([[1, 2, 3, 4, 5], [2, 1, 3, 5, 4], [5, 4, 3, 2, 1], [3, 1, 2, 5, 4]])
TIED = np.array([[1, 1, 3, 4, 5], [2, 1, 2, 5, 4], [5, 4, 3, 2, 1], [3, 1, 1, 5, 4]])
MULT = {"weight": "mult", "u": "log"}
CALLS = {
    "gram_matrix": partial(wkendall.gram_matrix, X),
    "gram_matrix, one thread": partial(wkendall.gram_matrix, X, n_jobs=1),
    "gram_matrix, mult": partial(wkendall.gram_matrix, X, **MULT),
    "gram_matrix, mult, normalized": partial(wkendall.gram_matrix, X, **MULT, normalize=True),
    "gram_matrix of X and Y": partial(wkendall.gram_matrix, X, X[:2], **MULT),
    "gram_matrix of lists": partial(wkendall.gram_matrix, X.tolist()),
    "gram_matrix of ties": partial(wkendall.gram_matrix, TIED, ties="mean"),
    "kernel": partial(wkendall.kernel, X[0], X[1]),
    "kernel, mult": partial(wkendall.kernel, X[0], X[1], **MULT),
    "kappa": partial(wkendall.kappa, X[0]),
    "diagonal": partial(wkendall.diagonal, X, n_jobs=1),
    "distance_matrix": partial(wkendall.distance_matrix, X, n_jobs=1),
    "features": partial(wkendall.features, X, n_jobs=1),
    "consensus": partial(wkendall.consensus, X, n_jobs=1),
    "transformer": lambda: calls.gram_transformer(**MULT, n_jobs=1).fit_transform(X),
}
if calls.NOUNS:
    CALLS["mallows"] = lambda: wkendall.gram_matrix(X, kernel=wkendall.Mallows(), n_jobs=1)
    CALLS["neighbors"] = lambda: wkendall.neighbors(X, measure=wkendall.Kendall(), n_neighbors=2, n_jobs=1)
else:
    CALLS["mallows"] = partial(wkendall.mallows, X, n_jobs=1)
    CALLS["neighbors"] = partial(wkendall.neighbors, X, n_neighbors=2, n_jobs=1)


def best(call, seconds):
    """Return the shortest time of a call."""
    shortest, end = float("inf"), time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        call()
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest


def main():
    times = {}
    for name, call in CALLS.items():
        call()
        times[name] = best(call, 0.2)
        print(f"{name:30} {1e6 * times[name]:8.2f} us")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(times))


if __name__ == "__main__":
    main()
