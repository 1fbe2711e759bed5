"""Optuna studies with an order: suggestions, the sampler, pruners, storages, threads and processes."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

optuna = pytest.importorskip("optuna", reason="optuna is not installed")

from optuna.trial import FixedTrial, TrialState  # noqa: E402
from wkendall import RankingError  # noqa: E402
from wkendall.optimize.optuna import OrderSampler, suggest_order  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
WANTED = np.array([3, 1, 4, 0, 2])


def cost(trial):
    order = suggest_order(trial, "jobs", 5)
    speed = trial.suggest_float("speed", 0.5, 2.0)
    count = trial.suggest_int("count", 0, 6, step=2)
    rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
    kind = trial.suggest_categorical("kind", ["a", "b", None])
    share = trial.suggest_float("share", 0.0, 1.0, step=0.25)
    misplaced = np.abs(np.argsort(order) - np.argsort(WANTED)).sum()
    numbers = 4 * (speed - 1) ** 2 + abs(count - 4) / 2 + math.log10(rate / 0.01) ** 2 / 4 + abs(share - 0.25)
    return float(misplaced + numbers + 2 * (kind != "b"))


def studied(trials, f=cost, sampler=None, **how):
    study = optuna.create_study(sampler=sampler or OrderSampler(seed=0, n_initial=6), **how)
    study.optimize(f, n_trials=trials)
    return study


def parameters(study):
    return [trial.params for trial in study.trials]


def test_suggested_orders():
    keys = {f"jobs[item {item}]": key for item, key in enumerate([0.4, 3.0, 0.1, 2.0])}
    assert suggest_order(FixedTrial(keys), "jobs", 4).tolist() == [2, 0, 3, 1]
    assert suggest_order(FixedTrial({}), "jobs", 1).tolist() == [0]
    stops = {f"jobs[stop {item}]": key for item, key in enumerate([0.4, 3.0, 0.1, 2.0])}
    assert suggest_order(FixedTrial(stops), "jobs", 4, space="tour").tolist() == [0, 2, 1, 3]


@pytest.mark.parametrize("sampler", [optuna.samplers.RandomSampler, optuna.samplers.TPESampler])
def test_other_samplers_suggest_orders(sampler):
    study = studied(15, sampler=sampler(seed=0))
    orders = [suggest_order(trial, "jobs", 5) for trial in study.trials]
    assert (np.sort(orders, axis=1) == np.arange(5)).all()
    assert len({tuple(order) for order in orders}) > 5


def test_all_parts_are_found():
    study = studied(55)
    assert suggest_order(study.best_trial, "jobs", 5).tolist() == WANTED.tolist()
    best = study.best_params
    assert (best["count"], best["kind"], best["share"]) == (4, "b", 0.25)
    assert abs(best["speed"] - 1) < 0.2
    # The parameters of the order are positions once there is a model.
    for trial in study.trials[6:]:
        assert sorted(trial.params[f"jobs[item {item}]"] for item in range(5)) == [0, 1, 2, 3, 4]
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 55


def test_maximize():
    down = studied(14)
    up = studied(14, lambda trial: -cost(trial), direction="maximize")
    assert parameters(down) == parameters(up)


def test_same_seed_same_run_and_resumed_studies(tmp_path):
    whole = studied(16)
    assert parameters(studied(16)) == parameters(whole)
    assert parameters(studied(16, sampler=OrderSampler(seed=1, n_initial=6))) != parameters(whole)
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    for trials in (3, 8, 5):  # each time with a new sampler
        sampler = pickle.loads(pickle.dumps(OrderSampler(seed=0, n_initial=6)))
        study = optuna.create_study(study_name="s", storage=storage, sampler=sampler, load_if_exists=True)
        study.optimize(cost, n_trials=trials)
    assert parameters(study) == parameters(whole)


def test_ask_and_tell_and_enqueued_trials():
    study = optuna.create_study(sampler=OrderSampler(seed=0, n_initial=3))
    study.enqueue_trial({f"jobs[item {item}]": at for item, at in enumerate(np.argsort(WANTED))} | {"speed": 1.0})
    seen = []
    for _ in range(8):
        trial = study.ask()
        seen.append(suggest_order(trial, "jobs", 5).tolist())
        study.tell(trial, cost(trial))
    assert seen[0] == WANTED.tolist()
    # Several trials that run at the same time are different.
    running = [study.ask() for _ in range(4)]
    points = set()
    for trial in running:
        cost(trial)
        points.add(tuple(trial.params.values()))
    assert len(points) == 4


def test_running_trials_are_known_before_their_parameters():
    study = studied(8)
    trials = [study.ask() for _ in range(3)]  # relative parameters are chosen here, and not stored yet
    proposed = [tuple(trial.relative_params.values()) for trial in trials]
    assert len(set(proposed)) == 3


def test_pruners():
    steps = []

    def slow(trial):
        value = cost(trial)
        for step in range(5):
            steps.append(step)
            trial.report(value + 5 - step, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study = studied(30, slow, pruner=optuna.pruners.PercentilePruner(20.0, n_startup_trials=3))
    states = [trial.state for trial in study.trials]
    assert states.count(TrialState.PRUNED) > 3
    assert states.count(TrialState.COMPLETE) > 5
    assert len(steps) < 150
    again = studied(30, slow, pruner=optuna.pruners.PercentilePruner(20.0, n_startup_trials=3))
    assert parameters(again) == parameters(study)


def test_failed_trials_and_infinite_values():
    def broken(trial):
        value = cost(trial)
        if suggest_order(trial, "jobs", 5)[0] == 0:
            raise RuntimeError
        return math.inf if trial.params["kind"] == "a" else value

    study = optuna.create_study(sampler=OrderSampler(seed=0, n_initial=6))
    study.optimize(broken, n_trials=25, catch=RuntimeError)
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 25
    assert math.isfinite(study.best_value)
    all_infinite = studied(10, lambda trial: -math.inf * (cost(trial) > 0))
    assert len(all_infinite.trials) == 10


def test_conditional_parameters_are_sampled_independently():
    def branching(trial):
        value = cost(trial)
        if trial.params["kind"] == "a":
            return value + trial.suggest_float("depth", 0, 1)
        return value + trial.suggest_int("width", 1, 3)

    study = studied(20, branching)
    assert parameters(study) == parameters(studied(20, branching))
    asked = study.ask()
    cost(asked)
    assert "speed" in asked.relative_params
    assert not {"depth", "width"} & set(asked.relative_params)
    other = OrderSampler(seed=0, independent_sampler=optuna.samplers.TPESampler(seed=0))
    assert len(studied(12, branching, sampler=other).trials) == 12


def test_several_orders_and_none():
    def two(trial):
        return float(suggest_order(trial, "first", 3)[0] + suggest_order(trial, "second", 6)[0])

    study = studied(15, two, sampler=OrderSampler(seed=0, n_initial=4))
    assert set(study.ask().relative_params) == {f"second[item {item}]" for item in range(6)}
    plain = studied(20, lambda trial: (trial.suggest_float("x", -1, 1) - 0.2) ** 2)
    assert plain.best_value < 1e-2
    alone = studied(25, lambda trial: float(suggest_order(trial, "jobs", 5) @ [5, 4, 3, 2, 1]))
    assert alone.best_value == 20


def test_tours():
    cities = np.random.default_rng(0).random((7, 2))

    def length(trial):
        tour = suggest_order(trial, "tour", 7, space="tour")
        assert tour[0] == 0
        assert tour[1] < tour[-1]
        return float(np.linalg.norm(cities[tour] - cities[np.roll(tour, 1)], axis=1).sum())

    study = studied(40, length)
    random = studied(40, length, sampler=optuna.samplers.RandomSampler(seed=0))
    assert study.best_value < random.best_value
    tours = {tuple(suggest_order(trial, "tour", 7, space="tour")) for trial in study.trials[6:]}
    assert len(tours) == 34


def test_small_spaces_end_in_repeated_points():
    study = studied(10, lambda trial: float(suggest_order(trial, "jobs", 3)[0]))
    assert len(study.trials) == 10
    assert len({tuple(suggest_order(trial, "jobs", 3)) for trial in study.trials}) == 6


def test_values_out_of_range_and_noise():
    study = optuna.create_study(sampler=OrderSampler(seed=0, n_initial=2, noisy=True))
    study.enqueue_trial({"x": 0.5, "n": 3})
    study.enqueue_trial({"x": 0.5, "n": 3})
    rng = np.random.default_rng(0)

    def noisy(trial):
        return (trial.suggest_float("x", 0, 1) - 0.5) ** 2 + trial.suggest_int("n", 1, 4) + rng.standard_normal() / 10

    study.optimize(noisy, n_trials=8)
    assert len(study.trials) == 8


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_threads(tmp_path, kind):
    storage = None if kind == "memory" else f"sqlite:///{tmp_path / 'study.db'}"
    study = optuna.create_study(storage=storage, sampler=OrderSampler(seed=0, n_initial=6))
    study.optimize(cost, n_trials=16, n_jobs=2)
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 16


WORKER = """
import sys
sys.path.insert(0, {folder!r})
from test_optuna import OrderSampler, cost, optuna
study = optuna.load_study(study_name="s", storage={storage!r}, sampler=OrderSampler(seed=0, n_initial=6))
study.optimize(cost, n_trials=8)
"""


def test_processes(tmp_path):
    from pathlib import Path

    storage = f"sqlite:///{tmp_path / 'study.db'}"
    optuna.create_study(study_name="s", storage=storage)
    code = WORKER.format(folder=str(Path(__file__).parent), storage=storage)
    workers = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for worker in workers:
        _, said = worker.communicate(timeout=200)
        assert worker.returncode == 0, said
    study = optuna.load_study(study_name="s", storage=storage)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 16
    # Two processes can propose the same point at the same time.
    assert len({tuple(trial.params.values()) for trial in study.trials}) >= 10


def test_refused():
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=OrderSampler(seed=0))
    with pytest.raises(RankingError, match=r"^study has 2 objectives, but OrderSampler takes studies with one$"):
        suggest_order(study.ask(), "jobs", 3)
    trial = FixedTrial({})
    for call, error, match in [
        (lambda: suggest_order(3, "jobs", 3), TypeError, "^trial must be a trial of Optuna, not 3$"),
        (lambda: suggest_order(trial, 3, 3), TypeError, "^name must be a text, not 3$"),
        (lambda: suggest_order(trial, "jobs", 0), ValueError, "^n_items is 0, but must be at least 1$"),
        (lambda: suggest_order(trial, "jobs", 2.5), TypeError, "^n_items must be an integer, not 2.5$"),
        (lambda: suggest_order(trial, "jobs", 3, space="ring"), ValueError, "^space is 'ring', but must be one of"),
        (lambda: OrderSampler(n_initial=0), ValueError, "^n_initial is 0, but must be at least 1$"),
        (lambda: OrderSampler(kernel="rbf"), ValueError, "^kernel is 'rbf', but must be one of"),
        (lambda: OrderSampler(noisy=1), TypeError, "^noisy must be True or False, not 1$"),
        (lambda: OrderSampler(seed=-1), ValueError, "^seed is -1, but must be"),
        (lambda: OrderSampler(independent_sampler=3), TypeError, "^independent_sampler must be a sampler of Optuna"),
    ]:
        with pytest.raises(error, match=match):
            call()
