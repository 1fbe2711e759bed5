"""In which order should jobs go through a factory? Bayesian optimisation over permutations

In a permutation flow shop every job passes through the same machines, and all machines process the jobs in the same order.
The makespan is the time when the last job leaves the last machine. The search assumes that one evaluation is expensive. With
`--save` the state is saved after each evaluation, so an interrupted run can continue.
"""

import argparse
from pathlib import Path

import numpy as np
from wkendall.optimize import minimize


def makespan(times, order):
    """Time when the last job leaves the last machine; `times[job, machine]`."""
    free = np.zeros(times.shape[1])
    for job in order:
        done = 0.0
        for machine, duration in enumerate(times[job]):
            done = free[machine] = max(free[machine], done) + duration
    return free[-1]


def nawaz_enscore_ham(times):
    """Build an order by the NEH heuristic, which uses all times: longest jobs first, each at its best position."""
    order = []
    for job in np.argsort(-times.sum(axis=1), kind="stable"):
        options = [[*order[:place], job, *order[place:]] for place in range(len(order) + 1)]
        order = min(options, key=lambda option: makespan(times, option))
    return order


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs-to-schedule", type=int, default=15)
    parser.add_argument("--machines", type=int, default=5)
    parser.add_argument("--evaluations", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, help="JSON file for the state of the run")
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    times = rng.integers(1, 100, (options.jobs_to_schedule, options.machines))
    found = minimize(
        lambda order: makespan(times, order),
        options.jobs_to_schedule,
        n_calls=options.evaluations,
        rng=options.seed,
        progress=True,
        save=options.save,
    )
    random = min(makespan(times, rng.permutation(len(times))) for _ in range(options.evaluations))
    print(f"{found.message}\norder of the jobs: {' '.join(map(str, found.x))}")
    print(f"makespan {found.fun:.0f}")
    print(f"best of {options.evaluations} random orders {random:.0f}")
    print(f"NEH heuristic, which knows all times: {makespan(times, nawaz_enscore_ham(times)):.0f}")


if __name__ == "__main__":
    main()
