"""The whole run: results, ends, interruptions, files."""

import signal
import sys

import numpy as np
import pytest
from paths import ROOT, loaded
from scipy.optimize import OptimizeResult
from wkendall import RankingError
from wkendall.optimize import Optimizer, minimize

COSTS = np.random.default_rng(1).random((7, 7))


def cost(x):
    return float(COSTS[np.arange(7), x].sum())


def test_result():
    found = minimize(cost, 7, n_calls=20, rng=0)
    assert isinstance(found, OptimizeResult)
    assert (found.nfev, found.success, found.message) == (20, True, "20 evaluations")
    assert found.x_iters.shape == (20, 7)
    assert [cost(x) for x in found.x_iters] == found.func_vals.tolist()
    assert found.fun == min(found.func_vals) == cost(found.x)


def test_same_as_ask_and_tell():
    optimizer = Optimizer(7, rng=3)
    for _ in range(20):
        order = optimizer.ask()
        optimizer.tell(order, cost(order))
    assert np.array_equal(minimize(cost, 7, n_calls=20, rng=3).x_iters, optimizer.x_iters)


def test_tours():
    cities = np.random.default_rng(0).random((8, 2))

    def length(x):
        return float(np.linalg.norm(cities[x] - cities[np.roll(x, 1)], axis=1).sum())

    found = minimize(length, 8, n_calls=60, space="tour", rng=0)
    every = minimize(length, 6, n_calls=100, space="tour", rng=0)
    assert (every.nfev, every.message, every.success) == (60, "all orders were evaluated: 60 evaluations", True)
    assert all(x[0] == 0 and x[1] < x[-1] for x in found.x_iters)
    rng = np.random.default_rng(0)
    assert found.fun < min(length(rng.permutation(8)) for _ in range(60))


def test_three_items_have_six_orders():
    found = minimize(lambda x: float(x[0]), 3, rng=0)
    assert (found.nfev, found.fun, found.success) == (6, 0.0, True)
    assert found.message == "all orders were evaluated: 6 evaluations"


def test_all_feasible_orders():
    found = minimize(lambda x: float(x[1]), 4, feasible=lambda x: x[0] == 2, rng=0)
    assert (found.nfev, found.fun, found.message) == (6, 0.0, "no more feasible orders: 6 evaluations")


def test_given_orders_come_first():
    first = [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5, 6]]
    found = minimize(cost, 7, n_calls=5, x0=first, rng=0)
    assert found.x_iters[:2].tolist() == first[:2]
    assert len({tuple(x) for x in found.x_iters.tolist()}) == 5
    assert minimize(cost, 7, n_calls=1, x0=first[1], rng=0).x.tolist() == first[1]


def test_callbacks():
    seen = []
    stopped = minimize(cost, 7, n_calls=20, rng=0, callback=lambda result: seen.append(result.nfev) or result.nfev == 4)
    assert (stopped.nfev, stopped.message) == (4, "the callback stopped the run after 4 evaluations")
    assert stopped.success
    assert seen == [1, 2, 3, 4]

    def stop(result):
        raise StopIteration

    assert minimize(cost, 7, rng=0, callback=stop).nfev == 1


def test_progress(capsys):
    assert minimize(cost, 7, n_calls=3, rng=0, progress=True).nfev == 3
    assert "3/3" in capsys.readouterr().err


@pytest.mark.parametrize("at", [1, 15])
def test_interrupted(at):
    """Ctrl-C while f runs; before the first value there is nothing to return."""
    calls = []

    def slow(x):
        calls.append(x)
        if len(calls) == at + 1:
            signal.raise_signal(signal.SIGINT)
        return cost(x)

    found = minimize(slow, 7, rng=0)
    assert (found.nfev, found.success) == (at, False)
    assert found.message == f"Ctrl-C stopped the run after {at} evaluations"
    assert found.fun == min(found.func_vals)
    calls = [None] * at
    with pytest.raises(KeyboardInterrupt):
        minimize(slow, 7, rng=0)


def test_errors_of_the_function():
    def broken(x):
        if x[0] == 2:
            raise RuntimeError("no such machine")
        return cost(x)

    with pytest.raises(RuntimeError, match="no such machine") as raised:
        minimize(broken, 7, rng=0)
    assert "of the order [2," in raised.value.__notes__[0]
    with pytest.raises(RankingError, match=r"^f\(x\) is nan, but must be a real number, or inf for an order that"):
        minimize(lambda x: np.nan, 7, rng=0)
    with pytest.raises(TypeError, match=r"^f\(x\) must be a real number"):
        minimize(lambda x: None, 7, rng=0)


def test_functions_cannot_change_orders():
    def changing(x):
        value = cost(x)
        x[:] = 0
        return value

    assert np.array_equal(minimize(changing, 7, n_calls=8, rng=0).x_iters, minimize(cost, 7, n_calls=8, rng=0).x_iters)


def test_values_may_be_arrays_of_one_number():
    assert minimize(lambda x: np.array([cost(x)]), 7, n_calls=3, rng=0).fun > 0


@pytest.mark.parametrize("killed", [1, 6, 14])
def test_killed_runs_go_on(tmp_path, killed):
    """A run that ends in the middle of an evaluation loses that one, and goes on as it would have."""
    whole, calls = minimize(cost, 7, n_calls=18, rng=2), []

    def killer(x):
        if len(calls) == killed:
            raise SystemExit
        calls.append(x)
        return cost(x)

    with pytest.raises(SystemExit):
        minimize(killer, 7, n_calls=18, rng=2, save=tmp_path / "run.json")
    again = minimize(cost, 7, n_calls=18, rng=2, save=tmp_path / "run.json")
    assert np.array_equal(again.x_iters, whole.x_iters)
    assert minimize(cost, 7, n_calls=18, save=tmp_path / "run.json").nfev == 18
    same = "give the same, or use another file"
    with pytest.raises(
        RankingError, match=rf"^save is .*run.json', a run with n_items=7, but n_items is 6 here: {same}$"
    ):
        minimize(cost, 6, save=tmp_path / "run.json")
    with pytest.raises(RankingError, match=rf"^save is .*, a run with rng=2, but rng is 3 here: {same}$"):
        minimize(cost, 7, n_calls=20, rng=3, save=tmp_path / "run.json")
    with pytest.raises(RankingError, match=rf"^save is .*, a run with n_initial=9, but n_initial is 8 here: {same}$"):
        minimize(cost, 7, n_calls=20, n_initial=8, save=tmp_path / "run.json")
    # Nothing was said about either.
    assert minimize(cost, 7, n_calls=20, save=tmp_path / "run.json").nfev == 20


def test_nothing_is_evaluated_before_arguments_are_checked(tmp_path):
    calls = []

    def counted(x):
        calls.append(x)
        return 0.0

    with pytest.raises(RankingError, match=r"^x0 is .* feasible is False"):
        minimize(counted, 4, x0=[3, 2, 1, 0], feasible=lambda x: x[0] == 0)
    with pytest.raises(FileNotFoundError) as raised:
        minimize(counted, 4, save=tmp_path / "none" / "run.json")
    assert "where the state of the run is written" in raised.value.__notes__[0]
    assert not calls
    # For a tour any form of it may be given.
    found = minimize(counted, 4, n_calls=1, x0=[2, 1, 0, 3], space="tour", feasible=lambda x: x[0] == 0)
    assert found.x.tolist() == [0, 1, 2, 3]


def test_a_file_without_evaluations_binds_nobody(tmp_path):
    def fails(x):
        raise SystemExit

    with pytest.raises(SystemExit):
        minimize(fails, 7, n_calls=18, rng=2, save=tmp_path / "run.json")
    again = minimize(cost, 7, n_calls=12, rng=3, save=tmp_path / "run.json")
    assert np.array_equal(again.x_iters, minimize(cost, 7, n_calls=12, rng=3).x_iters)


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize(("space", "n_items"), [("order", 1), ("tour", 1), ("tour", 2), ("tour", 3)])
def test_spaces_of_one_point(space, n_items, noisy):
    found = minimize(lambda _: 1.0, n_items, space=space, n_initial=1, n_calls=5, rng=0, noisy=noisy)
    assert found.x.tolist() == list(range(n_items))
    assert (found.fun, found.nfev) == (1.0, 5 if noisy else 1)
    with pytest.raises(RankingError, match="n is 3, but only 1"):
        Optimizer(n_items, space=space, n_initial=1, rng=0, noisy=noisy).ask(3)


def test_the_example_of_the_order_of_jobs(monkeypatch, capsys, tmp_path):
    flow_shop = loaded(ROOT / "examples/flow_shop.py")
    sizes = ["--jobs-to-schedule", "6", "--machines", "3", "--evaluations", "18", "--save", str(tmp_path / "run.json")]
    monkeypatch.setattr(sys, "argv", ["flow_shop.py", *sizes])
    outputs = []
    for _ in range(2):
        flow_shop.main()
        outputs.append(capsys.readouterr().out)
    assert outputs[0].startswith("18 evaluations\norder of the jobs: ")
    assert outputs[1] == outputs[0]  # all evaluations are in the file
