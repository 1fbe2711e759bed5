"""Ask and tell: same seed same run, no point twice, ends of spaces, constraints, batches, state on disk."""

import itertools
import json

import numpy as np
import pytest
from wkendall import RankingError
from wkendall.optimize import Optimizer

B = np.random.default_rng(5).random((9, 9))
KERNELS = ["mallows", "discordant", "displaced", "kendall"]


def gain(x):
    return -float(np.triu(B[np.ix_(x, x)], 1).sum())


def run(optimizer, count, f=gain):
    for _ in range(count):
        order = optimizer.ask()
        optimizer.tell(order, f(order))
    return optimizer


@pytest.mark.parametrize("kernel", KERNELS)
def test_same_seed_same_run(kernel):
    first, second, other = (run(Optimizer(9, kernel=kernel, rng=seed), 20) for seed in (3, np.int64(3), 4))
    assert np.array_equal(first.x_iters, second.x_iters)
    assert np.array_equal(first.func_vals, second.func_vals)
    assert not np.array_equal(first.x_iters, other.x_iters)
    assert len({tuple(x) for x in first.x_iters.tolist()}) == 20


def test_generators_and_no_seed():
    made = [run(Optimizer(6, rng=np.random.default_rng(8)), 14).x_iters for _ in range(2)]
    assert np.array_equal(*made)
    assert not np.array_equal(Optimizer(30).ask(), Optimizer(30).ask())


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("items", [1, 2, 3])
def test_all_orders_once_then_none(items, kernel):
    optimizer = Optimizer(items, kernel=kernel, n_initial=2, rng=0)
    count = len(list(itertools.permutations(range(items))))
    run(optimizer, count, lambda x: float(x[0]))
    assert len({tuple(x) for x in optimizer.x_iters.tolist()}) == count
    with pytest.raises(RankingError, match="no orders are left") as raised:
        optimizer.ask()
    assert raised.value.kind == "exhausted"


@pytest.mark.parametrize(("items", "count"), [(1, 1), (2, 1), (3, 1), (4, 3), (5, 12)])
def test_all_tours_once_then_none(items, count):
    optimizer = run(Optimizer(items, space="tour", n_initial=2, rng=0), count, lambda x: float(x[-1]))
    assert len({tuple(x) for x in optimizer.x_iters.tolist()}) == count
    with pytest.raises(RankingError, match=f"no tours are left, of {count} in all"):
        optimizer.ask()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("value", [0.0, -3.5, 1e300])
def test_constant_functions(kernel, value):
    optimizer = run(Optimizer(5, kernel=kernel, rng=0), 25, lambda x: value)
    assert len({tuple(x) for x in optimizer.x_iters.tolist()}) == 25
    assert optimizer.result().fun == value


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e150])
def test_the_scale_of_values_does_not_matter(scale):
    plain = run(Optimizer(9, rng=1), 20)
    scaled = run(Optimizer(9, rng=1), 20, lambda x: scale * gain(x))
    # Values round differently, so that only the first steps must agree.
    assert np.array_equal(plain.x_iters[:12], scaled.x_iters[:12])


def test_orders_that_failed():
    def half(x):
        return np.inf if x[0] > x[-1] else gain(x)

    optimizer = run(Optimizer(6, rng=0), 30, half)
    result = optimizer.result()
    assert np.isinf(optimizer.func_vals).any()
    assert np.isfinite(result.fun)
    assert result.x[0] < result.x[-1]
    none = run(Optimizer(6, n_initial=3, rng=0), 8, lambda x: np.inf).result()
    assert (none.success, none.fun) == (False, np.inf)
    assert none.message == "no finite value in 8 evaluations"


@pytest.mark.parametrize("told", [0, 12])
@pytest.mark.parametrize("space", ["order", "tour"])
def test_batches_are_different_points(told, space):
    optimizer = run(Optimizer(7, space=space, rng=2), told)
    batch = optimizer.ask(5)
    assert batch.shape == (5, 7)
    assert np.array_equal(np.sort(batch, axis=1), np.tile(np.arange(7), (5, 1)))
    more = optimizer.ask(3)
    points = {tuple(x) for x in [*optimizer.x_iters.tolist(), *batch.tolist(), *more.tolist()]}
    assert len(points) == told + 8
    optimizer.tell(batch, [gain(x) for x in batch])
    optimizer.tell(more[0], gain(more[0]))
    assert len(optimizer.func_vals) == told + 6
    assert tuple(optimizer.ask()) not in points


def test_more_than_are_left():
    optimizer = run(Optimizer(3, rng=0), 4)
    with pytest.raises(RankingError, match=r"^n is 3, but only 2 orders are left, of 6 in all"):
        optimizer.ask(3)
    assert len({tuple(x) for x in optimizer.ask(2).tolist()}) == 2  # a refused call changes nothing


def test_what_ask_returns_is_not_shared():
    optimizer = Optimizer(5, rng=0)
    order = optimizer.ask()
    kept = order.copy()
    optimizer.tell(order, 1.0)
    order[:] = 0
    assert np.array_equal(optimizer.x_iters[0], kept)


def test_told_without_being_asked():
    one, other = Optimizer(9, n_initial=5, rng=0), Optimizer(9, n_initial=5, rng=0)
    orders = [np.random.default_rng(seed).permutation(9) for seed in range(6)]
    for order in orders:
        one.tell(order, gain(order))
    other.tell(orders, [gain(order) for order in orders])
    assert np.array_equal(one.ask(), other.ask())


@pytest.mark.parametrize("kernel", KERNELS)
def test_moves_respect_constraints(kernel):
    """Item 2 is fixed at the second place, and item 0 comes before item 4."""
    asked = []

    def feasible(x):
        asked.append(tuple(x))
        return x[1] == 2 and list(x).index(0) < list(x).index(4)

    optimizer = run(Optimizer(6, kernel=kernel, feasible=feasible, rng=0), 30)
    assert all(feasible(x) for x in optimizer.x_iters)
    assert len({tuple(x) for x in optimizer.x_iters.tolist()}) == 30
    run(optimizer, 30)  # there are 60
    with pytest.raises(RankingError, match="no feasible orders are left"):
        optimizer.ask()


def test_no_feasible_start():
    target = np.arange(12)

    def near(x):
        return np.sum(x != target) <= 3

    optimizer = Optimizer(12, feasible=near, rng=0)
    with pytest.raises(RankingError, match=r"^feasible is False for all 2000 random orders") as raised:
        optimizer.ask()
    assert raised.value.kind == "infeasible"
    optimizer.tell(target, 1.0)
    run(optimizer, 12, lambda x: float(np.sum(x != target)) + 2.0)
    assert all(near(x) for x in optimizer.x_iters)


def test_tours_are_told_in_any_form():
    optimizer = Optimizer(5, space="tour", rng=0)
    optimizer.tell([3, 1, 0, 2, 4], 7.0)
    assert optimizer.x_iters.tolist() == [[0, 1, 3, 4, 2]]
    for same in ([0, 2, 4, 3, 1], [4, 2, 0, 1, 3], [0, 1, 3, 4, 2]):
        assert optimizer.is_known(same)
        with pytest.raises(RankingError, match="a tour that was told before, as number 0"):
            optimizer.tell(same, 7.0)


def test_noisy_values():
    """The same points can be told again; the best order is that of the model."""
    rng = np.random.default_rng(0)
    optimizer = run(
        Optimizer(4, noisy=True, n_initial=6, rng=0), 40, lambda x: float(x[0]) + 0.3 * rng.standard_normal()
    )
    assert len({tuple(x) for x in optimizer.x_iters.tolist()}) < 40
    result = optimizer.result()
    assert result.x[0] == 0
    assert result.fun > optimizer.func_vals.min()
    assert len({tuple(x) for x in optimizer.ask(4).tolist()}) == 4


def test_refused_points_change_nothing():
    optimizer = run(Optimizer(4, rng=0), 2)
    new = [x for x in itertools.permutations(range(4)) if not optimizer.is_known(x)]
    for x, y in [
        ([new[0], new[1], new[0]], [1, 2, 3]),
        ([new[0], optimizer.x_iters[0]], [1, 2]),
        (new[:2], [1, np.nan]),
    ]:
        with pytest.raises(RankingError):
            optimizer.tell(x, y)
        assert len(optimizer.func_vals) == 2
        assert not optimizer.is_known(new[0])


@pytest.mark.parametrize("told", [0, 4, 15])
def test_saved_runs_go_on(tmp_path, told):
    def feasible(x):
        return x[0] != 3

    whole = run(Optimizer(9, rng=6, feasible=feasible, n_initial=8), 20)
    part = run(Optimizer(9, rng=6, feasible=feasible, n_initial=8), told)
    part.save(tmp_path / "run.json")
    again = Optimizer.load(tmp_path / "run.json", feasible=feasible)
    assert np.array_equal(run(again, 20 - told).x_iters, whole.x_iters)
    # Without the file: the same seed, and the evaluations told again.
    retold = Optimizer(9, rng=6, feasible=feasible, n_initial=8)
    if told:
        retold.tell(part.x_iters, part.func_vals)
    assert np.array_equal(run(retold, 20 - told).x_iters, whole.x_iters)


def test_saved_files_are_plain_json(tmp_path):
    optimizer = Optimizer(3, space="tour", noisy=True, rng=1)
    optimizer.tell([2, 1, 0], np.inf)
    optimizer.tell([2, 1, 0], 0.1)
    optimizer.save(str(tmp_path / "run.json"))
    state = json.loads((tmp_path / "run.json").read_text())
    assert state["x"] == [[0, 1, 2], [0, 1, 2]]
    assert state["y"] == [None, 0.1]
    again = Optimizer.load(tmp_path / "run.json")
    assert (again.space, again.noisy, again.func_vals.tolist()) == ("tour", True, [np.inf, 0.1])
    assert repr(again) == "Optimizer(3, kernel='mallows', space='tour'): 2 evaluations"


def test_before_the_first_value():
    result = Optimizer(4).result()
    assert (result.x, result.fun, result.nfev, result.success) == (None, np.inf, 0, False)
    assert result.x_iters.shape == (0, 4)
