"""How often the 95 % intervals of `corr` contain the true coefficient: the table of the page on correlation matrices.

    python benches/interval_coverage.py --samples 2000

Each sample has n observations of two variables: normal, Student's t with 2 degrees of freedom, or normal and rounded to about six
values. The true coefficient of the rounded variables, and Spearman's rho, are those of a million observations.
"""

import argparse

import numpy as np
import wkendall

KINDS = ("normal", "heavy tails", "ties")


def sample(rng, tau, n, kind):
    correlation = np.sin(np.pi * tau / 2)
    pairs = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=n)
    if kind == "heavy tails":
        pairs /= np.sqrt(rng.chisquare(2, size=n) / 2)[:, np.newaxis]
    return np.floor(1.25 * pairs + 0.5) if kind == "ties" else pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--methods", nargs="+", default=["tau-b", "gamma", "somers", "spearman"])
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    cells = [(kind, tau) for kind in KINDS for tau in (0.0, 0.3, 0.7)]
    print("| method | n |", " | ".join(f"{kind}, {tau}" for kind, tau in cells), "|")
    print("|---" * (2 + len(cells)) + "|")
    for method in options.methods:
        exact = {"normal", "heavy tails"} if method != "spearman" else set()
        truth = {
            (kind, tau): tau if kind in exact else wkendall.corr(sample(rng, tau, 10**6, kind), method=method)[0, 1]
            for kind, tau in cells
        }
        for n in (50, 500):
            shares = []
            for kind, tau in cells:
                hits = 0
                for _ in range(options.samples):
                    found = wkendall.corr(sample(rng, tau, n, kind), method=method, confidence=0.95, pairs=([0], [1]))
                    hits += found.low[0] <= truth[kind, tau] <= found.high[0]
                shares.append(f"{hits / options.samples:.3f}")
            print(f"| {method} | {n} |", " | ".join(shares), "|", flush=True)


if __name__ == "__main__":
    main()
