"""Linear orderings with a proof: the tables of docs/measurements.md.

    python benches/linear_orderings.py [FOLDER]

The folder has instances of LOLIB: text files with n and an n x n matrix. Seconds are of CPU, with one thread. Every ordering is
checked: its score is the sum of the entries, and no order that local search finds from other starts exceeds the bound.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import wkendall


def measure(M: np.ndarray, **options: object) -> tuple[wkendall.Consensus, float]:
    """Order the items, check the result, and return it with the seconds that it took."""
    began = time.process_time()
    found = wkendall.linear_ordering(M, n_jobs=1, rng=0, **options)
    seconds = time.process_time() - began
    assert np.isclose(found.score, np.triu(M[np.ix_(found.items, found.items)], 1).sum())
    assert wkendall.linear_ordering(M, method="local", n_jobs=1, rng=1).score <= found.bound * (1 + 1e-12)
    return found, seconds


def margins(X: np.ndarray) -> np.ndarray:
    """Return for each pair of items how many rankings have the first one before the second."""
    return np.sum(X[:, :, None] < X[:, None, :], axis=0).astype(float)


def libraries(folder: Path) -> None:
    """Order the instances of a folder."""
    print("| instance | items | score | optimal | unique | seconds |\n|---|---|---|---|---|---|")
    for path in sorted(folder.glob("*.txt")):
        n, *entries = path.read_text().split()
        found, seconds = measure(np.array(entries, dtype=float).reshape(int(n), int(n)))
        proof = " | ".join("yes" if value else "no" for value in (found.optimal, found.unique))
        print(f"| {path.stem} | {n} | {found.score:,.0f} | {proof} | {seconds:.1f} |", flush=True)


def profiles() -> None:
    """Order the items of rankings from Mallows models."""
    print("\n| `lam` | proven | unique | median seconds | longest |\n|---|---|---|---|---|")
    for lam in (0.1, 0.05, 0.02, 0.01, 0.005, 0.0):
        results = [measure(margins(wkendall.datasets.make_mallows(100, 50, lam, rng=seed))) for seed in range(100)]
        times = [seconds for _, seconds in results]
        proven, unique = (sum(bool(getattr(found, name)) for found, _ in results) for name in ("optimal", "unique"))
        print(f"| {lam} | {proven} of 100 | {unique} | {np.median(times):.2f} | {max(times):.1f} |", flush=True)


def noise() -> None:
    """Order items by random numbers: the hardest case."""
    print("\n| random numbers | items | optimal | gap | seconds |\n|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    for n in (50, 75, 100):
        skewed = np.floor(np.exp(rng.normal(0, 3, (n, n))) * (rng.random((n, n)) < 0.5))
        size = np.exp(rng.normal(0, 3, (n, 1)) + rng.normal(0, 3, n) + rng.normal(0, 2, (n, n)))
        trade = np.floor(size * (rng.random((n, n)) < 0.5))
        for name, M in (("skewed", skewed), ("skewed, large and small items", trade)):
            _row(name, M)
    for n in (30, 35, 40):
        _row("uniform", rng.integers(0, 100, (n, n)).astype(float))


def _row(name: str, M: np.ndarray) -> None:
    found, seconds = measure(M)
    gap = found.bound / found.score - 1
    print(f"| {name} | {len(M)} | {'yes' if found.optimal else 'no'} | {gap:.2%} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        libraries(Path(sys.argv[1]))
    profiles()
    noise()
