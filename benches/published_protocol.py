"""Repeat the published protocol of Bayesian optimisation over permutations: 20 random orders, then 180 steps, seeds 0 to 19.

The protocol and the problems are those of A. Deshwal, S. Belakaria, J. R. Doppa and D. H. Kim, Bayesian optimization over
permutation spaces, AAAI 2022 (BOPS), and of Z. Xie and L. Chen, From sorting algorithms to scalable kernels: Bayesian
optimization in high-dimensional permutation spaces, ICLR 2026 (MergeBO). The random orders are theirs:
`numpy.random.seed(seed)`, then 20 permutations.

QAP-15 is chr15a of QAPLIB. TSP-10 is not part of this project: `--tsp FILE` reads it from a file with the matrices A
(distances) and B (the edges of a tour), tsp_synthetic/pcb_dim_10_1.mat in the repository of BOPS. `random 10 cities` stands in
for it, with new cities for each seed.

The area is that under the best value so far minus the optimum, by the trapezoidal rule over the 200 evaluations.
"""

import argparse
import json
import time
from itertools import permutations
from pathlib import Path

import numpy as np
from instances import OPTIMA, assignment, public, tour
from optimisation import interval, local_search, random_search, tpe
from scipy.io import loadmat
from wkendall.optimize import minimize
from wkendall.optimize.moves import INSERTION

FIRST, CALLS = 20, 200
METHODS = ["random search", "local search", "insertions", "TPE", "wkendall"]
#: The smallest value that was published for TSP-10; a tour in the unit of the publications.
SHORTEST = 329.969018


def tsp(file):
    """Return the function of the orders as they were published, the space, and the places of the tour in their sequence."""
    data = loadmat(file)
    lengths, edges = np.asarray(data["A"], float), np.asarray(data["B"], float)
    joined = edges + edges.T
    if not np.allclose(lengths, lengths.T) or not np.array_equal((joined > 0).sum(axis=0), np.full(len(edges), 2)):
        raise ValueError(f"{file}: A is not symmetric, or B is not a tour")
    places = [0, int(np.argmax(joined[0] > 0))]
    while len(places) < len(edges):
        places.append(next(int(j) for j in np.flatnonzero(joined[places[-1]]) if j not in places))
    whole = assignment(edges, lengths)
    return lambda x: whole(x) / 1e4, "tour", np.array(places)


def random_cities(seed):
    """Return the function of random tours of ten cities, its optimum, and the rest as `tsp` does."""
    cities = np.random.default_rng([seed, 10]).random((10, 2))
    lengths = 100 * np.linalg.norm(cities[:, np.newaxis] - cities, axis=2)
    tours = np.array([(0, *rest) for rest in permutations(range(1, 10))])
    optimum = lengths[tours, np.roll(tours, 1, axis=1)].sum(axis=1).min()
    return (tour(lengths), "tour", np.arange(10)), float(optimum)


def run(problem, method, seed):
    """Return the value of each evaluation."""
    f, space, places = problem
    drawn = np.random.RandomState(seed)
    first = [drawn.permutation(len(places)) for _ in range(FIRST)]
    rng = np.random.default_rng([seed, 99])
    # Our tours are the cities in their sequence.
    first, turned = [x[places] for x in first], np.argsort(places)

    def of_tour(x):
        return f(x[turned])

    if method == "random search":
        return random_search(of_tour, first, rng, CALLS)
    if method in ("local search", "insertions"):
        return local_search(of_tour, first, rng, CALLS, space, [INSERTION] if method == "insertions" else None)
    if method == "TPE":
        return tpe(of_tour, first, seed, CALLS)
    made = minimize(of_tour, len(places), n_calls=CALLS, x0=first, n_initial=FIRST, space=space, rng=seed)
    return made.func_vals.tolist()


def table(name, runs, optima):
    """Print the final value, the area, and how often the optimum was found, in Markdown."""
    print(f"\n| {name} | final value | area | optimum found | area, wkendall minus this |\n|{'---|' * 5}")
    found = {method: np.array([each[str(seed)] for seed in range(len(optima))]) for method, each in runs.items()}
    paths = {method: np.minimum.accumulate(each, axis=1) - np.c_[optima] for method, each in found.items()}
    areas = {method: np.trapezoid(each, axis=1) for method, each in paths.items()}
    for method, each in paths.items():
        cells = [
            "{:,.2f} ± {:,.2f}".format(*interval(each[:, -1] + optima)),
            "{:,.1f} ± {:,.1f}".format(*interval(areas[method])),
            f"{(each[:, -1] <= 1e-6).sum()} of {len(each)}",
            "" if method == "wkendall" else "{:,.1f} ± {:,.1f}".format(*interval(areas["wkendall"] - areas[method])),
        ]
        print(f"| {method} | {' | '.join(cells)} |".replace("-", chr(8722)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tsp", type=Path, help="the file of TSP-10")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--methods", nargs="*", default=METHODS, choices=METHODS)
    parser.add_argument("--json", type=Path, default=Path("published_protocol.json"))
    options = parser.parse_args()
    f, items, space = public("chr15a")
    drawn = np.random.RandomState(0)
    # The first values of seed 0, as a notebook in the repository of MergeBO shows them.
    assert [f(drawn.permutation(items)) for _ in range(3)] == [66000, 52854, 53768]
    problems = {
        "QAP-15": [((f, space, np.arange(items)), OPTIMA["chr15a"])] * options.seeds,
        "random 10 cities": [random_cities(seed) for seed in range(options.seeds)],
    }
    if options.tsp:
        problems["TSP-10"] = [(tsp(options.tsp), SHORTEST)] * options.seeds
    results = json.loads(options.json.read_text()) if options.json.exists() else {}
    begin = time.process_time()
    for seed in range(options.seeds):
        for name, each in problems.items():
            for method in options.methods:
                runs = results.setdefault(name, {}).setdefault(method, {})
                if str(seed) not in runs:
                    runs[str(seed)] = list(map(float, run(each[seed][0], method, seed)))
        part = options.json.with_suffix(".part")
        part.write_text(json.dumps(results))
        part.replace(options.json)
    print(f"{time.process_time() - begin:.0f} s of processor time")
    for name, each in problems.items():
        table(name, results[name], [optimum for _, optimum in each])


if __name__ == "__main__":
    main()
