"""The example of the order of jobs, and the problems of the comparison."""

import importlib.util
import sys
from itertools import combinations, product

import numpy as np
import pytest
from paths import ROOT


def loaded(path):
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def flow_shop():
    return loaded(ROOT / "examples/flow_shop.py")


@pytest.fixture(scope="module")
def comparison():
    return loaded(ROOT / "benches/optimisation.py")


def test_makespan_is_the_longest_path(flow_shop):
    """Through the table of jobs, in order, and machines: every step goes to the next job or to the next machine."""
    rng = np.random.default_rng(0)
    for jobs, machines in product(range(1, 5), range(1, 4)):
        times, order = rng.integers(1, 100, (jobs, machines)), rng.permutation(jobs)
        lengths = []
        for turns in combinations(range(jobs + machines - 2), machines - 1):
            job = machine = 0
            lengths.append(times[order[0], 0])
            for step in range(jobs + machines - 2):
                job, machine = (job, machine + 1) if step in turns else (job + 1, machine)
                lengths[-1] += times[order[job], machine]
        assert flow_shop.makespan(times, order) == max(lengths)


def test_heuristic(flow_shop):
    assert flow_shop.nawaz_enscore_ham(np.array([[1, 9], [9, 1]])) == [0, 1]


def test_script(flow_shop, monkeypatch, capsys, tmp_path):
    sizes = ["--jobs-to-schedule", "6", "--machines", "3", "--evaluations", "18", "--save", str(tmp_path / "run.json")]
    monkeypatch.setattr(sys, "argv", ["flow_shop.py", *sizes])
    outputs = []
    for _ in range(2):
        flow_shop.main()
        outputs.append(capsys.readouterr().out)
    assert outputs[0].startswith("18 evaluations\norder of the jobs: ")
    assert outputs[1] == outputs[0]  # all evaluations are in the file


def test_lehmer_codes(comparison):
    """There and back; the code counts the smaller items that come later."""
    rng = np.random.default_rng(0)
    for items in range(2, 8):
        order = rng.permutation(items)
        code = comparison.encoded(order)
        assert [sum(later < order[place] for later in order[place:]) for place in range(items - 1)] == code.tolist()
        assert comparison.decoded(code).tolist() == order.tolist()


@pytest.mark.parametrize("method", ["random search", "local search", "Lehmer codes", "wkendall"])
def test_comparison(comparison, monkeypatch, method):
    monkeypatch.setattr(comparison, "CALLS", 14)
    for name in comparison.PROBLEMS:
        path = comparison.run(name, method, 0)
        assert len(path) == 14
        assert np.all(np.diff(path) <= 0)
        assert path[:10] == comparison.run(name, "random search", 0)[:10]


def test_problems(comparison):
    """Values by loops over their definitions, which the functions do not use."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        order = rng.permutation(12)
        drawn = [np.random.default_rng([seed, place]) for place in range(3)]
        cities = drawn[0].random((12, 2))
        steps = zip(order, [*order[1:], order[0]], strict=True)
        length = sum(np.hypot(*(cities[one] - cities[other])) for one, other in steps)
        assert comparison.problem("travelling salesman", seed)[0](order) == pytest.approx(length)
        flow, distance = drawn[1].integers(0, 100, (2, 12, 12))
        cost = sum(
            flow[i, j] * distance[min(order[i], order[j]), max(order[i], order[j])]
            for i, j in combinations(range(12), 2)
        )
        assert comparison.problem("quadratic assignment", seed)[0](order) == cost
        order = rng.permutation(15)
        gains = drawn[2].integers(0, 100, (15, 15))
        total = sum(gains[order[i], order[j]] for i, j in combinations(range(15), 2))
        assert comparison.problem("linear ordering", seed)[0](order) == -total
