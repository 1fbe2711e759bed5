"""Compare ways to optimise an order together with other variables, on three problems.

A seed determines the problem and ten random points with which all methods start. Results are written to a JSON file after
each run. Finished runs are not repeated, so the script can be stopped and started again. Needs optuna.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import optuna
from optimisation import interval
from wkendall.optimize import Optimizer, minimize
from wkendall.optimize.optuna import OrderSampler, suggest_order
from wkendall.optimize.variables import Variables

CALLS, FIRST = 60, 10
PROBLEMS = {
    "flow shop": "10 jobs, speeds of 4 machines",
    "features": "10 features, how many, their scale and penalty",
    "deliveries": "10 customers, depot, load and start time",
}
METHODS = [
    "random", "TPE", "TPE, multivariate", "order first", "variables first", "wkendall", "OrderSampler", "wkendall, 4 at a time"
]  # fmt: skip


def flow_shop(rng):
    """Time of the last job and energy: a machine with speed s needs 1 / s of the time and s^2 of the energy."""
    work = rng.integers(1, 100, (10, 4))
    price = rng.uniform(0.1, 0.6, 4)

    def cost(order, variables):
        speed = [variables[f"speed {machine}"] for machine in range(4)]
        free = np.zeros(4)
        for job in order:
            done = 0.0
            for machine in range(4):
                done = free[machine] = max(free[machine], done) + work[job, machine] / speed[machine]
        return float(free[-1] + (price * work.sum(axis=0) * np.square(speed)).sum())

    return cost, 10, {f"speed {machine}": (0.5, 2.0) for machine in range(4)}


def features(rng):
    """Error of a ridge regression, and price of the features that it uses: the first in the order.

    The penalty of a feature grows with its position.
    """
    price = rng.uniform(0.01, 0.08, 10)
    effects = rng.standard_normal(10) * rng.uniform(0, 1, 10) ** 2
    mixing = np.eye(10) + 0.4 * rng.standard_normal((10, 10))

    def sample(count):
        X = np.exp(0.7 * rng.standard_normal((count, 10)) @ mixing)
        y = np.log(X) @ effects + 0.5 * rng.standard_normal(count)
        return X, y

    scales = {"as measured": lambda X: X, "logarithm": np.log, "root": np.sqrt}
    (train, known), (test, wanted) = sample(40), sample(300)

    def cost(order, variables):
        used = order[: variables["features"]]
        scale = scales[variables["scale"]]
        X, Z = scale(train[:, used]), scale(test[:, used])
        centre, spread = X.mean(axis=0), X.std(axis=0)
        X, Z = (X - centre) / spread, (Z - centre) / spread
        penalty = variables["penalty"] * variables["growth"] ** np.arange(len(used))
        weights = np.linalg.solve(X.T @ X + np.diag(penalty), X.T @ (known - known.mean()))
        errors = Z @ weights + known.mean() - wanted
        return float(np.sqrt(errors @ errors / len(errors)) + price[used].sum())

    variables = {"features": (1, 10), "penalty": (1e-2, 1e3, "log"), "growth": (1.0, 4.0), "scale": list(scales)}
    return cost, 10, variables


def deliveries(rng):
    """Working hours and vehicle: customers in the order, back to the depot when the next load does not fit."""
    places, depots = rng.random((10, 2)), rng.random((5, 2))
    loads = rng.integers(1, 10, 10)
    rush = rng.uniform(7.5, 9.0)

    def cost(order, variables):
        depot = depots["ABCDE".index(variables["depot"])]
        now, at, left = variables["start"], depot, variables["load"]

        def drive(to):
            nonlocal now, at
            slow = 1 + 1.5 * np.exp(-((now - rush) ** 2))
            now, at = now + 1.2 * slow * np.linalg.norm(to - at), to

        for customer in order:
            if loads[customer] > left:
                drive(depot)
                left = variables["load"]
            drive(places[customer])
            left -= loads[customer]
        drive(depot)
        early = max(0.0, 7.0 - variables["start"])
        return float(now - variables["start"] + 0.08 * variables["load"] + 0.5 * early + 0.3 * max(0.0, now - 15.0))

    return cost, 10, {"depot": list("ABCDE"), "load": (9, 40), "start": (5.0, 11.0)}


def problem(name, seed):
    """Return the function, the number of items, the variables and the first points with their values."""
    number = list(PROBLEMS).index(name)
    f, items, variables = (flow_shop, features, deliveries)[number](np.random.default_rng([seed, number]))
    rng, space = np.random.default_rng([seed, number, 99]), Variables(variables)
    first = [(rng.permutation(items), space.by_name(space.random(rng))) for _ in range(FIRST)]
    return f, items, variables, first, [f(*point) for point in first]


def random_search(f, items, variables, values, seed):
    rng, space = np.random.default_rng([seed, 7]), Variables(variables)
    return values + [f(rng.permutation(items), space.by_name(space.random(rng))) for _ in range(CALLS - FIRST)]


def in_study(f, items, variables, first, sampler):
    """Run an Optuna study; TPE gets the order as random keys."""

    def objective(trial):
        chosen = {}
        order = suggest_order(trial, "order", items)
        for name, spec in variables.items():
            if isinstance(spec, list):
                chosen[name] = trial.suggest_categorical(name, spec)
            elif isinstance(spec[0], int):
                chosen[name] = trial.suggest_int(name, *spec)
            else:
                chosen[name] = trial.suggest_float(name, *spec[:2], log=len(spec) == 3)
        return f(order, chosen)

    study = optuna.create_study(sampler=sampler)
    for order, chosen in first:
        keys = {f"order[item {item}]": float(at) for item, at in enumerate(np.argsort(order))}
        study.enqueue_trial({**keys, **chosen})
    study.optimize(objective, n_trials=CALLS)
    return [trial.value for trial in study.trials]


def in_turn(f, items, variables, first, values, seed, order_first):
    """Optimise one part from the best of the first points, then the other; each part gets half of the evaluations."""
    best = int(np.argmin(values))
    order, chosen, value = *first[best], values[best]
    found, half = list(values), (CALLS - FIRST) // 2
    for part in (1, 0) if order_first else (0, 1):
        if part:
            done = minimize(
                lambda x, own=chosen: f(x, own), items, n_calls=half, n_initial=5, x0=order, y0=value, rng=seed
            )
            order = done.x
        else:
            done = minimize(
                lambda _, own, order=order: f(order, own), 1, n_calls=half, n_initial=5, variables=variables, rng=seed,
                x0=([0], chosen), y0=value,
            )  # fmt: skip
            chosen = done.x.variables
        value = done.fun
        found += done.func_vals[1:].tolist()
    return found


def together(f, items, variables, first, values, seed, at_once):
    optimizer = Optimizer(items, variables=variables, rng=seed)
    optimizer.tell(first, values)
    while len(optimizer.func_vals) < CALLS:
        points = optimizer.ask(min(at_once, CALLS - len(optimizer.func_vals)))
        optimizer.tell(points, [f(*point) for point in points])
    return optimizer.func_vals.tolist()


def run(name, method, seed):
    """Return the best value after each evaluation."""
    case = problem(name, seed)
    if method == "random":
        found = random_search(*case[:3], case[4], seed)
    elif method in ("TPE", "TPE, multivariate"):
        found = in_study(*case[:4], optuna.samplers.TPESampler(seed=seed, multivariate="," in method))
    elif method == "OrderSampler":
        found = in_study(*case[:4], OrderSampler(seed=seed))
    elif method.endswith("first"):
        found = in_turn(*case, seed, method == "order first")
    else:
        found = together(*case, seed, 4 if "4" in method else 1)
    return np.minimum.accumulate(found).tolist()


def table(results, methods):
    """Print means and paired differences between wkendall and the others, in Markdown."""
    for title, columns in (("mean", methods), ("difference", [one for one in methods if one != "wkendall"])):
        print(f"\n| {title} | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
        for name, runs in results.items():
            cells = []
            for method in columns:
                ends = {seed: path[-1] for seed, path in runs.get(method, {}).items()}
                if title == "mean":
                    cells.append(f"{np.mean(list(ends.values())):.4g}" if ends else "")
                    continue
                ours = {seed: path[-1] for seed, path in runs["wkendall"].items() if seed in ends}
                mean, half = interval([ours[seed] - ends[seed] for seed in ours]) if len(ours) > 1 else (np.nan, np.nan)
                cells.append(f"{mean:.3g} ± {half:.2g} ({len(ours)} seeds)")
            print(f"| {name} | {' | '.join(cells)} |".replace("-", chr(8722)))


def batches(results, after=(20, 30, 40, 60)):
    """Print the mean of the best value after some evaluations, one at a time and in batches of 4, and their difference."""
    methods = ["wkendall", "wkendall, 4 at a time"]
    print(f"\n| batches | {' | '.join(f'{count} evaluations' for count in after)} |\n|{'---|' * (len(after) + 1)}")
    for name, runs in results.items():
        one, four = (runs.get(method, {}) for method in methods)
        both = [seed for seed in four if seed in one]
        if len(both) < 2:
            continue
        cells = []
        for count in after:
            first, second = (np.array([paths[seed][count - 1] for seed in both]) for paths in (one, four))
            mean, half = interval(second - first)
            cells.append(f"{first.mean():.4g}, {second.mean():.4g} ({mean:.3g} ± {half:.2g})")
        print(f"| {name}, {len(both)} seeds | {' | '.join(cells)} |".replace("-", chr(8722)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=[0, 20], help="the first, and one after the last")
    parser.add_argument("--problems", nargs="*", default=list(PROBLEMS), choices=list(PROBLEMS))
    parser.add_argument("--methods", nargs="*", default=METHODS, choices=METHODS)
    parser.add_argument("--json", type=Path, default=Path("mixed_variables.json"))
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    results = json.loads(options.json.read_text()) if options.json.exists() else {}
    begin = time.process_time()
    for seed in range(*options.seeds):
        for name in options.problems:
            for method in options.methods:
                runs = results.setdefault(name, {}).setdefault(method, {})
                if str(seed) not in runs:
                    runs[str(seed)] = run(name, method, seed)
        part = options.json.with_suffix(".part")
        part.write_text(json.dumps(results))
        part.replace(options.json)
    print(f"{time.process_time() - begin:.0f} s of processor time")
    table(results, options.methods)
    batches(results)


if __name__ == "__main__":
    main()
