"""Compare Bayesian optimisation over permutations with random search, local search and Lehmer codes.

`--set random`: four kinds of random problems, 100 evaluations. `--set public`: public instances and random linear orderings,
150 evaluations, also with Optuna's TPE (`pip install optuna`). `--set large`: random problems with 50 and 100 items, 300
evaluations.

A seed determines the problem, if it is random, and ten random orders with which all methods start. Results are written to a
JSON file after each run. Finished runs are not repeated, so the script can be stopped and started again. `--plot` draws the
results of the random problems. `--before` compares with the file of another version of the package: run the script with that
version installed, `--methods wkendall` and another `--json`.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from instances import OPTIMA, TAILLARD, drawn, public
from scipy.stats import t as student
from wkendall.optimize import minimize
from wkendall.optimize.moves import INSERTION, Moves
from wkendall.optimize.process import Process

try:
    from wkendall.optimize.search import log_improvement
except ImportError:  # a version before wkendall.optimize.search had it, for --before
    from wkendall.optimize.improvement import log_improvement

FIRST = 10
PROBLEMS = {
    "travelling salesman": "12 cities",
    "quadratic assignment": "12 facilities",
    "linear ordering": "15 items",
    "flow shop": "15 jobs on 5 machines",
}
LARGE = [f"{kind} {items}" for items in (50, 100) for kind in PROBLEMS]
#: The problems of each set, the number of evaluations, and the methods.
SETS = {
    "random": (list(PROBLEMS), 100, ["random search", "local search", "Lehmer codes", "wkendall"]),
    "public": (
        [*OPTIMA, "linear ordering 20"],
        150,
        ["random search", "local search", "insertions", "TPE", "wkendall"],
    ),
    "large": (LARGE, 300, ["random search", "local search", "insertions", "wkendall"]),
}
COLORS = {"random search": "#bbbbbb", "local search": "#ccbb44", "Lehmer codes": "#ee6677", "wkendall": "#4477aa"}


def problem(name, seed):
    """Return the function, the number of items and the space."""
    if name in OPTIMA:
        return public(name)
    kind = next(kind for kind in PROBLEMS if name.startswith(kind))
    items = int((name.removeprefix(kind) or PROBLEMS[kind]).split()[0])
    rng = np.random.default_rng([seed, list(PROBLEMS).index(kind)])
    f, space = drawn(kind, items, rng)
    return f, items, space


def random_search(f, first, rng, calls):
    return [f(x) for x in first] + [f(rng.permutation(len(first[0]))) for _ in range(calls - len(first))]


def local_search(f, first, rng, calls, space, kinds=None):
    """Move to a random neighbour if it is not worse; the neighbours are those of the optimiser, or of some kinds of moves.

    No neighbour is tried twice in vain. If none is left, the search starts again from a random order.
    """
    found = [f(x) for x in first]
    moves = Moves(len(first[0]), reversals=space == "tour")
    chosen = np.flatnonzero(np.isin(moves.kind, kinds)) if kinds else np.arange(len(moves))
    order, best = first[int(np.argmin(found))], min(found)
    left = list(rng.permutation(chosen))
    while len(found) < calls:
        neighbour = moves.neighbour(order, left.pop()) if left else rng.permutation(len(order))
        restart = not left
        found.append(f(neighbour))
        if restart or found[-1] <= best:
            order, best = neighbour, found[-1]
            left = list(rng.permutation(chosen))
    return found


class Gaussian:
    """The kernel exp(-lam |a - b|^2) between Lehmer codes, scaled to 0..1."""

    prior, starts = [(0.0, 1.5, (-4.0, 4.0))], [[0.0], [1.5]]

    def __init__(self, codes):
        self.scale = np.arange(codes.shape[1], 0, -1)
        self.codes = codes / self.scale
        self.squares = self.distances(self.codes)

    def distances(self, codes):
        return ((codes[:, np.newaxis] - self.codes) ** 2).sum(axis=2) * 6 / self.codes.shape[1]

    def matrix(self, parameters):
        lam = np.exp(parameters[0])
        correlations = np.exp(-lam * self.squares)
        return correlations, [-lam * self.squares * correlations]

    def between(self, codes, parameters):
        return np.exp(-np.exp(parameters[0]) * self.distances(codes / self.scale))


class Promises:
    """The logarithm of the expected improvement of codes; -inf for evaluated codes."""

    def __init__(self, codes, found):
        values = np.array(found)
        values = (values - values.mean()) / (values.std() or 1.0)
        self.best = values.min()
        self.kernel = Gaussian(np.array(codes))
        self.process = Process(self.kernel, values)
        self.known = {code.tobytes() for code in codes}

    def __call__(self, codes):
        correlations = self.kernel.between(codes, self.process.parameters)
        gain = log_improvement(self.best, self.process.mean(correlations), self.process.deviation(correlations))
        gain[[code.tobytes() in self.known for code in codes]] = -np.inf
        return gain


def decoded(code):
    """Return the order of a Lehmer code: each number is the index of the next item among the remaining ones."""
    left = list(range(len(code) + 1))
    return np.array([left.pop(int(place)) for place in code] + left)


def encoded(order):
    return np.array([sum(later < item for later in order[place + 1 :]) for place, item in enumerate(order[:-1])])


def lehmer_search(f, first, rng, calls):
    """Optimise over Lehmer codes with the same process and acquisition function; neighbours differ in one number."""
    items = len(first[0])
    codes, found = [encoded(x) for x in first], [f(x) for x in first]
    places = np.repeat(np.arange(items - 1), np.arange(items, 1, -1))
    numbers = np.concatenate([np.arange(most) for most in range(items, 1, -1)])
    while len(found) < calls:
        promises = Promises(codes, found)
        drawn = np.array([encoded(rng.permutation(items)) for _ in range(64)])
        starts = [codes[place] for place in np.argsort(found, kind="stable")[:3]]
        starts += list(drawn[np.argsort(-promises(drawn))[:2]])
        best, reached = None, -np.inf
        for code in starts:
            height = -np.inf
            while True:
                around = np.repeat(code[np.newaxis], len(places), axis=0)
                around[np.arange(len(places)), places] = numbers
                gains = promises(around)
                if gains.max() <= height:
                    break
                code, height = around[np.argmax(gains)], gains.max()
            if height > reached:
                best, reached = code, height
        codes.append(best)
        found.append(f(decoded(best)))
    return found


def tpe(f, first, seed, calls):
    """Run Optuna's default sampler on random keys: the order sorts one number in 0..1 for each item."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names = [f"item {item}" for item in range(len(first[0]))]

    def objective(trial):
        return f(np.argsort([trial.suggest_float(name, 0.0, 1.0) for name in names]))

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    for x in first:
        study.enqueue_trial(dict(zip(names, ((np.argsort(x) + 0.5) / len(x)).tolist(), strict=True)))
    study.optimize(objective, n_trials=calls)
    return [trial.value for trial in study.trials]


def run(name, method, seed, calls):
    """Return the best value after each evaluation."""
    f, items, space = problem(name, seed)
    rng = np.random.default_rng([seed, 99])
    first = [rng.permutation(items) for _ in range(FIRST)]
    if method == "random search":
        found = random_search(f, first, rng, calls)
    elif method == "local search":
        found = local_search(f, first, rng, calls, space)
    elif method == "insertions":
        found = local_search(f, first, rng, calls, space, [INSERTION])
    elif method == "Lehmer codes":
        found = lehmer_search(f, first, rng, calls)
    elif method == "TPE":
        found = tpe(f, first, seed, calls)
    else:
        kernel = method.partition(" ")[2] or "mallows"
        found = minimize(
            f, items, n_calls=calls, x0=first, n_initial=FIRST, space=space, kernel=kernel, rng=seed
        ).func_vals
    return np.minimum.accumulate(found).tolist()


def interval(differences):
    """Return the mean and the half width of the 95 % confidence interval."""
    count = len(differences)
    return np.mean(differences), student.ppf(0.975, count - 1) * np.std(differences, ddof=1) / count**0.5


def table(results):
    """Print two tables in Markdown: means, and paired differences between wkendall and the others."""
    methods = list(dict.fromkeys(method for runs in results.values() for method in runs))
    others = [method for method in methods if method != "wkendall"]
    digits = {"travelling salesman": 2, "flow shop": 1}
    for title, columns in (("mean", methods), ("difference", others)):
        print(f"\n| {title} | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
        for name, runs in results.items():
            ends = {method: {seed: path[-1] for seed, path in runs.get(method, {}).items()} for method in methods}
            cells = []
            for method in columns:
                if title == "mean":
                    values, shape = list(ends[method].values()), "{:,.{}f}"
                    cells.append(shape.format(np.mean(values), digits.get(name, 0)) if values else "")
                    continue
                both = sorted(set(ends[method]) & set(ends.get("wkendall", {})))
                mean, half = interval([ends["wkendall"][seed] - ends[method][seed] for seed in both])
                cells.append("{:,.{}f} ± {:,.{}f}".format(mean, digits.get(name, 0), half, digits.get(name, 0)))
            print(f"| {name} | {' | '.join(cells)} |".replace("-", chr(8722)))


def draw(results, path):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 6.6), layout="constrained")
    for axis, (name, label) in zip(axes.flat, PROBLEMS.items(), strict=True):
        # Each seed is a different problem, so values are relative to the best of all methods.
        best = np.min([[path[-1:] for path in runs.values()] for runs in results[name].values()], axis=0)
        for method, color in COLORS.items():
            lines = np.array(list(results[name][method].values()))
            lines = 100 * (lines - best) / np.abs(best)
            mean, half = np.array([interval(column) for column in lines.T]).T
            count = np.arange(1, lines.shape[1] + 1)
            axis.plot(count, mean, color=color, label=method)
            axis.fill_between(count, mean - half, mean + half, color=color, alpha=0.2, linewidth=0)
        axis.set(title=f"{name}: {label}", xlabel="evaluations", ylabel="% above the best found", ylim=(0, None))
        axis.spines[["top", "right"]].set_visible(False)
    axes[0, 0].legend(frameon=False)
    figure.savefig(path, dpi=110)


def overall(results):
    """Print the mean of paired differences between wkendall and the others over several problems, in percent."""
    found = dict.fromkeys(method for runs in results.values() for method in runs)
    methods = [method for method in found if method not in ("random search", "wkendall")]
    groups = {name: [name] for name in results}
    if set(TAILLARD) <= set(results):
        groups["all ta001 to ta010"] = list(TAILLARD)
    print(f"\n| difference in % | {' | '.join(methods)} |\n|{'---|' * (len(methods) + 1)}")
    for title, names in groups.items():
        cells = []
        for method in methods:
            differences = [
                100 * (path[-1] - other[-1]) / abs(other[-1])
                for name in names
                for seed, path in results[name].get("wkendall", {}).items()
                if (other := results[name].get(method, {}).get(seed))
            ]
            cells.append("{:.2f} ± {:.2f}".format(*interval(differences)) if len(differences) > 1 else "")
        print(f"| {title} | {' | '.join(cells)} |".replace("-", chr(8722)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", choices=SETS, default="random")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--problems", nargs="*", help="some of the problems of the set")
    parser.add_argument("--methods", nargs="*", help='some of the methods, or "wkendall discordant" for another kernel')
    parser.add_argument("--json", type=Path, help="results, optimisation_SET.json unless given")
    parser.add_argument("--before", type=Path, help="results of another version of wkendall, to compare with")
    parser.add_argument("--plot", type=Path, help="draw the results of the random problems")
    options = parser.parse_args()
    names, calls, methods = SETS[options.set]
    file = options.json or Path(f"optimisation_{options.set}.json")
    results = json.loads(file.read_text()) if file.exists() else {}
    begin = time.perf_counter()
    for seed in range(options.seeds):
        for name in options.problems or names:
            for method in options.methods or methods:
                runs = results.setdefault(name, {}).setdefault(method, {})
                if str(seed) not in runs:
                    runs[str(seed)] = run(name, method, seed, calls)
            part = file.with_suffix(".part")
            part.write_text(json.dumps(results))
            part.replace(file)
    print(f"{time.perf_counter() - begin:.0f} s")
    for name, runs in json.loads(options.before.read_text()).items() if options.before else ():
        results.setdefault(name, {})["before"] = runs["wkendall"]
    table(results)
    if options.set != "random":
        overall(results)
    if options.plot:
        draw(results, options.plot)


if __name__ == "__main__":
    main()
