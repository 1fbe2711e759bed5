"""In which order should jobs go through a factory? Bayesian optimisation over permutations

Permutation flow shop: every job passes the same machines, and all machines take the jobs in the same order. The makespan is the
time when the last job leaves the last machine. The order is looked for as if one evaluation were expensive: a Gaussian process
with a kernel between rankings models the makespan, and the order that promises the largest improvement is tried next. It is
compared with random orders and with a local search, each with the same number of evaluations. Prints a table and writes a
picture.
"""

import argparse
import time
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
from wkendall.gaussian_process import MallowsKernel, WeightedKendallKernel

mpl.use("Agg")
import matplotlib.pyplot as plt

COLORS = {
    "random search": "#bbbbbb",
    "local search": "#ccbb44",
    "GP, weighted Kendall": "#ee6677",
    "GP, Mallows": "#4477aa",
}
FIRST = 10  # random orders that every method begins with
REFIT = 5  # hyperparameters are learned anew after so many evaluations
STARTS = 2  # local searches for the next order begin at so many of the best orders so far, and at as many random ones


def makespan(times, order):
    """Time when the last job leaves the last machine; `times[job, machine]`."""
    free = np.zeros(times.shape[1])
    for job in order:
        done = 0.0
        for machine, duration in enumerate(times[job]):
            done = free[machine] = max(free[machine], done) + duration
    return free[-1]


def nawaz_enscore_ham(times):
    """Build an order by the NEH heuristic, which knows all times: longest jobs first, each where it costs least."""
    order = []
    for job in np.argsort(-times.sum(axis=1), kind="stable"):
        options = [[*order[:place], job, *order[place:]] for place in range(len(order) + 1)]
        order = min(options, key=lambda option: makespan(times, option))
    return order


def all_moves(jobs):
    """Index arrays that make the neighbours of an order: one job put elsewhere, or two exchanged."""
    moves = set()
    for i in range(jobs):
        rest = [*range(i), *range(i + 1, jobs)]
        for j in range(jobs):
            moves.add((*rest[:j], i, *rest[j:]))
            exchanged = list(range(jobs))
            exchanged[i], exchanged[j] = j, i
            moves.add(tuple(exchanged))
    moves.remove(tuple(range(jobs)))
    return np.array(sorted(moves))


def random_search(times, first, budget, rng):
    orders = first + [rng.permutation(len(times)) for _ in range(budget - len(first))]
    return [makespan(times, order) for order in orders]


def local_search(times, first, budget, rng):
    """Go to a random neighbour whenever it is not worse, beginning at the best order of the first ones."""
    found = [makespan(times, order) for order in first]
    moves = all_moves(len(times))
    order, best = first[int(np.argmin(found))], min(found)
    while len(found) < budget:
        neighbour = order[rng.choice(moves)]
        found.append(makespan(times, neighbour))
        if found[-1] <= best:
            order, best = neighbour, found[-1]
    return found


def optimise(times, first, budget, rng, kernel):
    """Evaluate the order with the largest expected improvement, again and again."""
    orders, found = list(first), [makespan(times, order) for order in first]
    moves = all_moves(len(times))
    learned = kernel
    while len(found) < budget:
        learn = (len(found) - len(first)) % REFIT == 0
        values = (np.array(found) - np.mean(found)) / (np.std(found) or 1.0)
        # From the same start every time: a search that once took all for noise would not find back.
        search = {"kernel": kernel} if learn else {"kernel": learned, "optimizer": None}
        model = GaussianProcessRegressor(**search)
        with warnings.catch_warnings():
            # With few evaluations the best noise level is often none at all, the lower bound.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(np.array(orders), values)
        learned = model.kernel_
        best = [orders[place] for place in np.argsort(found, kind="stable")[:STARTS]]
        starts = np.array(best + [rng.permutation(len(times)) for _ in range(STARTS)])
        orders.append(most_promising(model, starts, moves, orders, values.min()))
        found.append(makespan(times, orders[-1]))
    return found


def expected_improvement(model, orders, best):
    mean, deviation = model.predict(orders, return_std=True)
    # The noise is no part of what is to be improved.
    deviation = np.sqrt(np.maximum(deviation**2 - model.kernel_.k2.noise_level, 1e-12))
    gain = (best - mean) / deviation
    return deviation * (gain * norm.cdf(gain) + norm.pdf(gain))


def most_promising(model, starts, moves, known, best):
    """Climb the expected improvement from each of the starts; return the best order that has not been evaluated."""
    known = {order.tobytes() for order in known}

    def promise(orders):
        improvement = expected_improvement(model, orders, best)
        improvement[[order.tobytes() in known for order in orders]] = -1.0
        return improvement

    reached = promise(starts)
    climbing = np.arange(len(starts))
    while len(climbing):
        neighbours = starts[climbing][:, moves]
        promises = promise(neighbours.reshape(-1, starts.shape[1])).reshape(neighbours.shape[:2])
        better = promises.max(axis=1) > reached[climbing]
        climbing = climbing[better]
        starts[climbing] = neighbours[better, promises[better].argmax(axis=1)]
        reached[climbing] = promises[better].max(axis=1)
    return starts[reached.argmax()]


def run(method, times, budget, seed):
    """Best makespan after each evaluation; all methods begin with the same orders if they have the same seed."""
    rng = np.random.default_rng(seed)
    jobs = len(times)
    first = [rng.permutation(jobs) for _ in range(min(FIRST, budget))]
    noise = WhiteKernel(0.01)
    options = {"input": "orders", "n_jobs": 1}
    if method == "random search":
        found = random_search(times, first, budget, rng)
    elif method == "local search":
        found = local_search(times, first, budget, rng)
    elif method == "GP, Mallows":
        # Where random orders are neither all alike nor all unlike.
        kernel = MallowsKernel(4 / (jobs * (jobs - 1)), **options)
        found = optimise(times, first, budget, rng, ConstantKernel(1.0) * kernel + noise)
    else:
        kernel = WeightedKendallKernel("mult", u="exponential", a=0.1, **options)
        found = optimise(times, first, budget, rng, ConstantKernel(1.0) * kernel + noise)
    return method, np.minimum.accumulate(found)


def draw(paths, reference, title, path):
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for method, color in COLORS.items():
        lines = np.array(paths[method])
        count = np.arange(1, lines.shape[1] + 1)
        mean, error = lines.mean(axis=0), lines.std(axis=0, ddof=min(1, len(lines) - 1)) / len(lines) ** 0.5
        axes.plot(count, mean, color=color, label=method)
        axes.fill_between(count, mean - 2 * error, mean + 2 * error, color=color, alpha=0.2, linewidth=0)
    axes.axhline(reference, color="0.3", linestyle=":", linewidth=1, label="NEH heuristic, which knows all times")
    axes.set(xlabel="evaluations", ylabel="best makespan so far, mean ± 2 standard errors", title=title)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs-to-schedule", type=int, default=15)
    parser.add_argument("--machines", type=int, default=5)
    parser.add_argument("--evaluations", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=-1, help="processes, -1 for one on each core")
    parser.add_argument("--out", type=Path, default=Path("flow_shop.png"))
    options = parser.parse_args()
    for name, least in [("jobs_to_schedule", 3), ("machines", 1), ("evaluations", 1), ("repeats", 1), ("seed", 0)]:
        if getattr(options, name) < least:
            parser.error(f"--{name.replace('_', '-')} is {getattr(options, name)}, but must be at least {least}")

    shape = (options.jobs_to_schedule, options.machines)
    times = np.random.default_rng(options.seed).integers(1, 100, shape)
    reference = makespan(times, nawaz_enscore_ham(times))
    tasks = [(method, [options.seed, repeat]) for repeat in range(options.repeats) for method in reversed(COLORS)]
    paths = {method: [] for method in COLORS}
    begin = time.perf_counter()
    calls = (delayed(run)(method, times, options.evaluations, seed) for method, seed in tasks)
    for done, (method, path) in enumerate(Parallel(options.workers, return_as="generator_unordered")(calls), 1):
        paths[method].append(path)
        print(f"\r{done} of {len(tasks)} runs, {time.perf_counter() - begin:.0f} s", end="", flush=True)
    title = f"{options.jobs_to_schedule} jobs on {options.machines} machines, {options.repeats} repetitions"
    print(f"\n\n{title}\n{'':22} {'makespan':>8} {'+-':>6} {'best':>6} {'worst':>6}")
    for method, lines in paths.items():
        last = np.array(lines)[:, -1]
        error = last.std(ddof=min(1, len(last) - 1)) / len(last) ** 0.5
        print(f"{method:22} {last.mean():8.1f} {error:6.1f} {last.min():6.0f} {last.max():6.0f}")
    print(f"{'NEH heuristic':22} {reference:8.1f}")
    draw(paths, reference, title, options.out)
    print(f"\npicture: {options.out}")


if __name__ == "__main__":
    main()
