"""An order together with other variables: ranges, kernels and their gradients, runs, files."""

import itertools
import json
import math
import pickle

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from wkendall import RankingError
from wkendall.optimize import Optimizer, minimize
from wkendall.optimize.alternating import Alternating
from wkendall.optimize.distances import Edges, TopFootrule
from wkendall.optimize.model import Model
from wkendall.optimize.moves import Moves
from wkendall.optimize.optimizer import _is_on_plateau
from wkendall.optimize.product import KERNELS, ProductKernel, VariableKernel, order_kernel
from wkendall.optimize.spaces import Candidates, Site, Space
from wkendall.optimize.variables import Point, Variables

SPECS = {
    "speed": (0.5, 2.0),
    "kind": ["a", "b", None],
    "count": (1, 9),
    "rate": (1e-4, 1.0, "log"),
    "size": (1, 1000, "log"),
}
SMALL = {"speed": (0.0, 1.0), "kind": ["a", "b"], "count": (0, 5)}


def cost(order, variables):
    wanted = np.arange(len(order))[::-1]
    misplaced = np.abs(order - wanted).sum()
    kind = 2.0 * (variables["kind"] != "b")
    return float(misplaced + kind + 8 * (variables["speed"] - 0.3) ** 2 + (variables["count"] - 4) ** 2 / 4)


def sites_of(space, variables, count, seed=0):
    rng = np.random.default_rng(seed)
    return [Site(space.random(rng), variables.random(rng)) for _ in range(count)]


def same(first, second):
    return all(np.array_equal(a[0], b[0]) and a[1] == b[1] for a, b in zip(first, second, strict=True))


def test_values_have_places_and_places_values():
    variables = Variables(SPECS)
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = variables.random(rng)
        places = variables.places(values)
        assert (places[variables.numbers] >= 0).all()
        assert (places[variables.numbers] <= 1).all()
        again = variables.values(places)
        assert [type(one) for one in again] == [float, type(values[1]), int, float, int]
        assert again[1:3] == values[1:3]
        assert again[4] == values[4]
        assert np.allclose([again[0], again[3]], [values[0], values[3]], rtol=1e-12)
        assert variables.checked(variables.by_name(values)) == values
    ends = variables.values(np.array([0.0, 2, 1.0, 0.0, 1.0]))
    assert ends == (0.5, None, 9, 1e-4, 1000)


def test_whole_numbers_and_choices_are_equally_likely():
    variables = Variables({"count": (1, 4), "kind": list("abc"), "switch": (0, 1)})
    rng = np.random.default_rng(0)
    drawn = [variables.random(rng) for _ in range(6000)]
    for column, values in enumerate(([1, 2, 3, 4], list("abc"), [0, 1])):
        found = [sum(one[column] == value for one in drawn) for value in values]
        assert sum(found) == 6000
        assert np.allclose(found, 6000 / len(values), rtol=0.1)


def test_the_first_points_are_spread():
    variables = Variables({"a": (0.0, 1.0), "b": (0.0, 1.0)})
    points = np.array([variables.spread(number, 8, 5) for number in range(16)])
    for column in points.T:
        assert np.histogram(column, 8, (0, 1))[0].tolist() == [2] * 8
    assert variables.spread(3, 8, 5) == variables.spread(3, 8, 5) != variables.spread(3, 8, 6)


def test_numbers_of_other_types():
    variables = Variables({"a": (np.int32(0), np.int64(5)), "b": (0, 1.0), "c": (np.float32(0), 1)})
    assert [(part.whole, part.size) for part in variables.parts] == [(True, 6), (False, math.inf), (False, math.inf)]
    assert variables.checked({"a": 3.0, "b": np.float64(0.5), "c": 1}) == (3, 0.5, 1.0)
    assert Variables({"kind": [0, 1]}).checked({"kind": True}) == (0 + 1,)


def test_all_values():
    variables = Variables({"count": (1, 3), "kind": ["a", "b"]})
    assert sorted(variables.all()) == sorted(itertools.product([1, 2, 3], "ab"))
    assert variables.size == 6
    assert {one for one, _ in variables.around((1, "a"), [0])} == {2, 3}
    assert variables.around((1, "a"), [1]) == [(1, "b")]


def defined(parameters, variables, orders, sites):
    """The correlation of points from its definition, point by point."""
    numbers, choices = variables.numbers, variables.choices
    logs, rates = parameters[: len(numbers)], parameters[len(numbers) : len(numbers) + len(choices)]
    a, b, c = np.exp([*parameters[-2:], 0.0]) / np.exp([*parameters[-2:], 0.0]).sum()
    places = [variables.places(site.values) for site in sites]
    found = np.empty((len(sites), len(sites)))
    for (i, p), (j, q) in itertools.product(enumerate(places), repeat=2):
        r = math.sqrt(5 * sum(((p[k] - q[k]) / math.exp(log)) ** 2 for k, log in zip(numbers, logs, strict=True)))
        own = (1 + r + r * r / 3) * math.exp(-r)
        own *= math.exp(-sum(math.exp(rate) for k, rate in zip(choices, rates, strict=True) if p[k] != q[k]))
        found[i, j] = a * orders[i, j] + b * own + c * orders[i, j] * own
    return found


@pytest.mark.parametrize("specs", [SPECS, {"speed": (0.5, 2.0)}, {"kind": ["a", "b"]}])
@pytest.mark.parametrize("name", ["discordant", "displaced", "kendall"])
def test_kernel(name, specs):
    variables, space = Variables(specs), Space("order", 6)
    sites = sites_of(space, variables, 12)
    paths, places = np.array([site.path for site in sites]), np.array([variables.places(site.values) for site in sites])
    orders = order_kernel(KERNELS[name][0], paths)
    kernel = ProductKernel(orders, VariableKernel(variables, places))
    rng = np.random.default_rng(1)
    parameters = np.array([one[0] for one in kernel.prior]) + 0.5 * rng.standard_normal(len(kernel.prior))
    matrix, slopes = kernel.matrix(parameters)
    own = orders.matrix(parameters[: kernel.split])[0]
    assert np.allclose(matrix, defined(parameters[kernel.split :], variables, own, sites), rtol=1e-10, atol=1e-12)
    assert np.allclose(np.diag(matrix), 1)
    assert np.linalg.eigvalsh(matrix).min() > -1e-10
    assert np.allclose(kernel.between(paths, places, parameters), matrix, rtol=1e-9, atol=1e-12)
    assert len(slopes) == len(parameters)
    for number, slope in enumerate(slopes):
        step = 1e-5 * (np.arange(len(parameters)) == number)
        numeric = (kernel.matrix(parameters + step)[0] - kernel.matrix(parameters - step)[0]) / 2e-5
        assert np.allclose(slope, numeric, atol=1e-7)
    # Neighbours of a path with fixed variables.
    moves = Moves(6, reversals=False)
    view = kernel.at(places[3]).view(paths[2])
    for _ in range(3):
        around = np.array([moves.neighbour(view.path, move) for move in range(len(moves))])
        direct = kernel.between(around, np.tile(places[3], (len(moves), 1)), parameters)
        assert np.allclose(view.neighbours(moves, parameters), direct, rtol=1e-9, atol=1e-12)
        view = view.moved(moves, 4)


def test_gradient_of_the_improvement():
    variables, space = Variables(SPECS), Space("order", 6)
    sites = sites_of(space, variables, 15)
    values = np.array([cost(site.path, {**variables.by_name(site.values)}) for site in sites])
    model = Model("mallows", space, variables, sites, values, False)
    search = Alternating(Candidates(space, variables, None, set(), sites), model, [], np.random.default_rng(0))
    own = search.parameters[search.split : -2]
    for path, others in sites_of(space, variables, 5, seed=3):
        orders = search.kernel.orders.between(path[np.newaxis], search.parameters[: search.split])[0]
        places = variables.places(others)

        def row(free, places=places, orders=orders):
            moved = places.copy()
            moved[variables.real] = free
            return search._slope(*search._joined(orders, *search.kernel.variables.with_slopes(moved, own)))

        free = places[variables.real]
        value, slope = row(free)
        site = Site(path, others)
        assert np.isclose(-value, search.promises([site])[0], rtol=1e-6)
        assert np.allclose(slope, approx_fprime(free, lambda x: row(x)[0], 1e-7), rtol=1e-3, atol=1e-4)


def run(optimizer, count, f=cost):
    for _ in range(count):
        point = optimizer.ask()
        optimizer.tell(point, f(*point))
    return optimizer


@pytest.mark.parametrize("how", [{}, {"kernel": "kendall"}, {"space": "tour"}, {"noisy": True}])
def test_same_seed_same_run(how):
    first, second, other = (run(Optimizer(5, variables=SMALL, rng=seed, **how), 16) for seed in (3, 3, 4))
    assert same(first.x_iters, second.x_iters)
    assert not same(first.x_iters, other.x_iters)


def test_both_parts_are_found():
    found = minimize(cost, 6, variables=SMALL, n_calls=45, rng=0)
    assert isinstance(found.x, Point)
    order, variables = found.x
    assert order.tolist() == [5, 4, 3, 2, 1, 0]
    assert (variables["kind"], variables["count"]) == ("b", 4)
    assert abs(variables["speed"] - 0.3) < 0.05
    assert found.fun == cost(*found.x) == min(found.func_vals)
    assert [cost(*point) for point in found.x_iters] == found.func_vals.tolist()
    assert (found.nfev, found.message) == (45, "45 evaluations")


def test_maximize_is_minimize_of_the_negative():
    down = minimize(cost, 5, variables=SMALL, n_calls=16, rng=1)
    up = minimize(lambda *point: -cost(*point), 5, variables=SMALL, n_calls=16, rng=1, maximize=True)
    assert same(down.x_iters, up.x_iters)
    assert (up.fun, up.func_vals.tolist()) == (-down.fun, (-down.func_vals).tolist())
    plain = minimize(lambda x: float(x[0] + 2 * x[1]), 5, n_calls=16, rng=1)
    turned = minimize(lambda x: -float(x[0] + 2 * x[1]), 5, n_calls=16, rng=1, maximize=True)
    assert np.array_equal(plain.x_iters, turned.x_iters)
    assert turned.fun == -plain.fun
    noisy = minimize(lambda x: -float(x[0]), 4, n_calls=16, rng=1, maximize=True, noisy=True)
    assert noisy.x[0] == 0
    assert abs(noisy.fun) < 0.5


def test_failures_when_maximised(tmp_path):
    optimizer = Optimizer(4, variables=SMALL, maximize=True, n_initial=3, rng=0)
    assert (optimizer.result().fun, optimizer.result().success) == (-math.inf, False)
    run(optimizer, 8, lambda order, variables: -math.inf if order[0] == 0 else -cost(order, variables))
    assert np.isneginf(optimizer.func_vals).any() or (np.array([x.order[0] for x in optimizer.x_iters]) != 0).all()
    assert np.isfinite(optimizer.result().fun)
    optimizer.tell((np.arange(4), {"speed": 0.5, "kind": "a", "count": 1}), -math.inf)
    optimizer.save(tmp_path / "run.json")
    assert Optimizer.load(tmp_path / "run.json").func_vals.tolist() == optimizer.func_vals.tolist()


@pytest.mark.parametrize("told", [0, 4, 12])
@pytest.mark.parametrize("how", [{}, {"maximize": True, "space": "tour"}])
def test_saved_runs_go_on(tmp_path, told, how):
    settings = {"variables": SMALL, "rng": 6, "n_initial": 5, **how}
    whole = run(Optimizer(5, **settings), 15)
    part = run(Optimizer(5, **settings), told)
    part.save(tmp_path / "run.json")
    again = Optimizer.load(tmp_path / "run.json")
    assert (again.variables, again.maximize) == (SMALL, "maximize" in how)
    assert same(again.x_iters, part.x_iters)
    assert same(run(again, 15 - told).x_iters, whole.x_iters)
    state = json.loads((tmp_path / "run.json").read_text())
    assert state["version"] == 2
    assert state["variables"]["kind"] == {"choices": ["a", "b"]}


def test_files_of_version_1_still_load(tmp_path):
    path = tmp_path / "run.json"
    old = {
        "format": "wkendall.optimize", "version": 1, "n_items": 4, "n_initial": 3, "kernel": "mallows", "space": "order",
        "noisy": False, "feasible": False, "rng": 5, "x": [[0, 1, 2, 3], [3, 2, 1, 0]], "y": [2.5, None],
    }  # fmt: skip
    path.write_text(json.dumps(old))
    optimizer = Optimizer.load(path)
    assert (optimizer.variables, optimizer.maximize) == (None, False)
    assert optimizer.func_vals.tolist() == [2.5, math.inf]
    optimizer.save(path)
    assert Optimizer.load(path).x_iters.tolist() == old["x"]


@pytest.mark.parametrize("killed", [2, 9])
def test_killed_runs_go_on(tmp_path, killed):
    calls = []

    def killer(*point):
        if len(calls) == killed:
            raise SystemExit
        calls.append(point)
        return cost(*point)

    how = {
        "variables": SMALL,
        "n_calls": 12,
        "rng": 2,
        "x0": (np.arange(5), {"speed": 0.1, "kind": "a", "count": 2}),
        "y0": 17.0,
    }
    whole = minimize(cost, 5, **how)
    assert (whole.nfev, len(whole.func_vals), whole.message) == (12, 13, "12 evaluations")
    with pytest.raises(SystemExit):
        minimize(killer, 5, save=tmp_path / "run.json", **how)
    again = minimize(cost, 5, save=tmp_path / "run.json", **how)
    assert same(again.x_iters, whole.x_iters)
    assert again.nfev == 12
    for change, said in [
        ({"variables": SMALL | {"count": (0, 6)}}, "variables="),
        ({"maximize": True}, "maximize=False"),
        ({"y0": 18.0}, "does not begin with the values of x0 and y0"),
    ]:
        with pytest.raises(RankingError, match=f"^save is .*{said}"):
            minimize(cost, 5, save=tmp_path / "run.json", **how | change)


def test_known_values_are_not_evaluated():
    calls = []

    def counted(x):
        calls.append(tuple(x))
        return float(x[0])

    known = list(itertools.permutations(range(4)))[:6]
    found = minimize(counted, 4, n_calls=5, x0=known, y0=[float(x[0]) for x in known], rng=0)
    assert len(calls) == found.nfev == 5
    assert not set(calls) & set(known)
    assert found.func_vals[:6].tolist() == [0.0] * 6
    assert found.message == "5 evaluations"
    one = minimize(counted, 4, n_calls=1, x0=known[0], y0=0.5, rng=0, callback=lambda result: result.nfev == 1)
    assert (one.fun, one.nfev) == (0.5, 1)
    # A model from the first evaluation on: enough values are known.
    seen = [x for x in itertools.permutations(range(4)) if x[-1] != 3]
    first = minimize(lambda x: float(-x[-1]), 4, n_calls=1, x0=seen, y0=[float(-x[-1]) for x in seen], rng=0)
    assert first.fun == -3.0


def test_constraints_on_both_parts():
    def feasible(order, variables):
        return order[0] < order[-1] and variables["count"] >= 3 and variables["speed"] < 0.5

    found = minimize(cost, 5, variables=SMALL, feasible=feasible, n_calls=18, rng=0)
    assert all(feasible(*point) for point in found.x_iters)
    with pytest.raises(RankingError, match=r"^x0 is \(\[0, 1, 2, 3, 4\], .*, for which feasible is False$"):
        minimize(cost, 5, variables=SMALL, feasible=feasible, x0=(range(5), {"speed": 0.9, "kind": "a", "count": 3}))


@pytest.mark.parametrize("noisy", [False, True])
def test_all_points_once_then_none(noisy):
    specs = {"kind": ["a", "b"], "count": (1, 2)}
    found = minimize(
        lambda x, v: float(x[0] + v["count"]), 3, variables=specs, n_calls=26, n_initial=4, rng=0, noisy=noisy
    )
    points = {(*point.order.tolist(), *point.variables.values()) for point in found.x_iters}
    assert len(points) == found.nfev == 24 if not noisy else len(points) < found.nfev == 26
    if not noisy:
        assert found.message == "all orders were evaluated: 24 evaluations"
        optimizer = Optimizer(3, variables=specs, rng=0)
        optimizer.tell(found.x_iters[:22], found.func_vals[:22])
        with pytest.raises(RankingError, match=r"^n is 3, but only 2 points are left, of 24 in all$"):
            optimizer.ask(3)
        assert len(optimizer.ask(2)) == 2


@pytest.mark.parametrize("told", [0, 12])
def test_batches_are_different_points(told):
    optimizer = run(Optimizer(5, variables=SMALL, rng=2), told)
    batch = [*optimizer.ask(4), optimizer.ask()]
    keys = {(*point.order.tolist(), *point.variables.values()) for point in [*batch, *optimizer.x_iters]}
    assert len(keys) == told + 5
    optimizer.tell(batch[:4], [cost(*point) for point in batch[:4]])
    optimizer.tell(tuple(batch[4]), 3.0)
    assert len(optimizer.func_vals) == told + 5
    assert optimizer.is_known(batch[0])


def test_noisy_functions():
    rng = np.random.default_rng(0)
    found = minimize(
        lambda x, v: cost(x, v) + 0.5 * rng.standard_normal(), 4, n_calls=40, noisy=True, rng=0,
        variables={"kind": ["a", "b"], "count": (3, 5), "speed": (0.2, 0.4)},
    )  # fmt: skip
    assert found.x.order.tolist() == [3, 2, 1, 0]
    assert found.x.variables["kind"] == "b"
    assert found.fun > found.func_vals.min()


@pytest.mark.parametrize("space", ["order", "tour"])
@pytest.mark.parametrize("n_items", [1, 2])
def test_variables_alone(space, n_items):
    found = minimize(
        lambda x, v: (v["speed"] - 0.3) ** 2, n_items, variables={"speed": (0.0, 1.0)}, space=space, n_calls=16, rng=0
    )
    assert found.fun < 1e-3


def test_what_f_gets_is_its_own():
    def changing(order, variables):
        value = cost(order, variables)
        order[:] = 0
        variables.clear()
        return value

    plain, changed = (minimize(f, 5, variables=SMALL, n_calls=12, rng=0) for f in (cost, changing))
    assert same(plain.x_iters, changed.x_iters)
    optimizer = Optimizer(5, variables=SMALL, rng=0)
    point = optimizer.ask()
    optimizer.tell(point, 1.0)
    point.variables["count"] = 99
    assert optimizer.x_iters[0].variables["count"] != 99
    assert pickle.loads(pickle.dumps(optimizer)).ask().variables == optimizer.ask().variables
    assert (
        repr(optimizer) == "Optimizer(5, kernel='mallows', space='order', variables=speed, kind, count): 1 evaluations"
    )


def test_errors_of_the_function_name_the_point():
    with pytest.raises(ZeroDivisionError) as raised:
        minimize(lambda x, v: 1 / 0, 3, variables={"speed": (0, 1)}, rng=0)
    assert raised.value.__notes__[0].startswith("in evaluation 0 of f, of the order [")
    assert "with {'speed': " in raised.value.__notes__[0]


def searched(space, specs, f=cost, count=25, taken=(), seed=0):
    """A search with the model of some random points."""
    variables = Variables(specs)
    sites = sites_of(space, variables, count)
    values = np.array([f(site.path, variables.by_name(site.values)) for site in sites])
    model = Model("mallows", space, variables, sites, values, False)
    known = {site.key for site in [*sites, *taken]}
    candidates = Candidates(space, variables, None, known, sites)
    return model, Alternating(candidates, model, [], np.random.default_rng(seed))


@pytest.mark.parametrize("reach", [1, 2, 8])
def test_numbers_stay_within_the_reach(reach):
    model, search = searched(
        Space("order", 6), {"a": (0.0, 1.0), "b": (10.0, 20.0), "kind": ["a", "b"]}, lambda x, v: v["a"]
    )
    best = model.best(1)[0]
    near, far = search.within(best, reach), search.from_all([best])
    away = np.abs(search.variables.places(near.values) - search.variables.places(best.values))[:2]
    assert away.max() <= reach / 16 + 1e-12
    assert near.key != best.key
    assert search.promises([near])[0] <= search.promises([far])[0] + 1e-6


def test_small_changes_of_both_parts():
    """Below a reach of 1, points near the best one: one move, and variables that are changed a little."""
    model, search = searched(Space("order", 6), SMALL)
    best = model.best(1)[0]
    found = [search.within(best, 1 / 64) for _ in range(60)]
    moved = np.array([(site.path != best.path).any() for site in found])
    changed = np.array([site.values != best.values for site in found])
    assert (moved & changed).any()
    assert (moved & ~changed).any()
    assert (~moved & changed).any()
    around = {
        search.candidates.moves.neighbour(best.path, move).tobytes() for move in range(len(search.candidates.moves))
    }
    assert all(site.path.tobytes() in around for site, own in zip(found, moved, strict=True) if own)


def test_choices_that_are_not_known_are_tried():
    def search_of(specs, taken=()):
        def without_pattern(order, own):
            return float(np.random.default_rng([*order, own["count"], ord(own.get("kind", "a"))]).random())

        return searched(Space("order", 5), specs, without_pattern, count=15, taken=taken)

    specs = {"kind": list("abcd"), "count": (1, 9)}
    model, search = search_of(specs)
    best, process = model.best(1)[0], model.process
    others = [Site(best.path, (kind, best.values[1])) for kind in "abcd" if kind != best.values[0]]
    deviations = process.deviation(model.kernel.between(*model.parts(others), process.parameters))
    others = [site for site, one in zip(others, deviations, strict=True) if one >= 0.3 * np.sqrt(process.variance)]
    others = sorted(others, key=lambda site: -search.promises([site])[0])
    assert len(others) >= 2
    for known in range(len(others) + 1):
        found = search_of(specs, others[:known])[1].switched(best)
        assert (found is None) if known == len(others) else (found.key == others[known].key)
    assert search_of({"count": (1, 9)})[1].switched(best) is None


def test_every_choice_is_tried_with_the_best_point():
    """The best choice looks bad at first: it is better only with the best order."""

    def trap(order, variables):
        away = float(np.abs(order - np.arange(len(order))).sum())
        return away - 5.0 if variables["kind"] == "c" and away == 0 else away + 6.0 * (variables["kind"] == "c")

    found = minimize(trap, 5, variables={"kind": list("abc")}, n_calls=50, rng=0)
    assert found.fun == -5.0


def test_an_order_and_a_whole_number_change_together():
    """No single change improves the best point, but one of both parts does."""
    model, search = searched(Space("order", 4), {"count": (1, 4)}, lambda x, v: float(x[0]) + v["count"], 12)
    path, values = model.best(1)[0]
    found = search._both(path, values, -np.inf)
    around = [search.candidates.moves.neighbour(path, move) for move in range(len(search.candidates.moves))]
    both = [Site(one, (count,)) for one in around for count in range(1, 5) if count != values[0]]
    both = [site for site in both if search.candidates.acceptable(*site)]
    promises = search.promises(both)
    assert np.isclose(found[2], promises.max())
    assert Site(*found[:2]).key == both[int(np.argmax(promises))].key


def test_routes_are_modelled_by_their_edges():
    """With variables, the distance of orders may be the edges of a route from a depot and back."""
    places = np.random.default_rng(4).random((8, 2))

    def length(order, variables):
        stops = [np.array([variables["x"], 0.5]), *places[order], np.array([variables["x"], 0.5])]
        return float(sum(np.linalg.norm(a - b) for a, b in itertools.pairwise(stops)))

    model, _ = searched(Space("order", 8), {"x": (0.0, 1.0)}, length, 60)
    assert isinstance(model.measures[0], Edges)


@pytest.mark.parametrize("used", [1, 2])
def test_the_end_of_an_order_can_have_no_effect(used):
    """With variables, the kernel may depend on the first positions only."""
    costs = np.random.default_rng(5).random(10)
    model, _ = searched(Space("order", 10), {"x": (0.0, 1.0)}, lambda x, v: float(costs[x[:used]].sum()) + v["x"], 60)
    assert not model.measures or isinstance(model.measures[0], TopFootrule)


def test_plateaus():
    first = [9.0, 8.0, 7.0, 3.0, 2.0]

    def flat(*later, initial=3, least=0.1):
        return _is_on_plateau([*first, *later], initial, least)

    assert flat(2.0)
    assert flat(2.05)
    assert flat(1.95)
    assert not flat(1.8)
    assert not flat(2.2)
    assert not flat(np.inf)
    assert not flat(2.0, initial=6)  # the first values do not count
    assert not _is_on_plateau([2.0], 0, 0.1)
    assert not _is_on_plateau([np.inf, np.inf, np.inf], 2, 0.1)
    # A huge value makes the standard deviation large, but not the spread of the others.
    assert not _is_on_plateau([1e6, *first, 2.5], 3, 0.02 * np.std([1e6, *first, 2.5]))
    assert _is_on_plateau([1e6, *first, 2.0], 3, 0.02 * np.std([1e6, *first, 2.0]))


def test_the_choice_of_kernels_depends_on_the_fitted_points_only(monkeypatch):
    """A resumed run, whose first model has more points, must choose as the uninterrupted one."""
    monkeypatch.setattr("wkendall.optimize.model._MAX_PAIRS", 60 * 45)  # 60 orders of 10 items
    costs = np.random.default_rng(5).random(10)
    space, variables = Space("order", 10), Variables({"x": (0.0, 1.0)})
    sites = sites_of(space, variables, 62)
    values = np.array([float(costs[site.path[:2]].sum()) + site.values[0] for site in sites])
    earlier = Model("mallows", space, variables, sites[:60], values[:60], False).hyper
    later = Model("mallows", space, variables, sites, values, False, earlier)
    fresh = Model("mallows", space, variables, sites, values, False)
    assert earlier.evaluations == fresh.hyper.evaluations < 60 < len(sites)
    assert earlier.measures == later.measures
    assert [type(one) for one in fresh.measures] == [type(one) for one in later.measures]
    assert np.array_equal(fresh.process.parameters, later.process.parameters)


@pytest.mark.parametrize(("last", "flat"), [(1.0, True), (1.5, False)])
def test_on_a_plateau_the_search_has_no_limit(monkeypatch, last, flat):
    """Another point with the best value is followed by a search everywhere, for more than a small improvement."""
    searches = []
    for name in ("within", "from_all"):
        kept = getattr(Alternating, name)

        def recorded(self, *arguments, name=name, kept=kept):
            searches.append((name, self.best))
            return kept(self, *arguments)

        monkeypatch.setattr(Alternating, name, recorded)
    optimizer = Optimizer(6, variables={"x": (0.0, 1.0)}, n_initial=5, rng=0)
    for value in [2.0, 3.0, 2.5, 4.0, 1.0, last]:
        optimizer.tell(optimizer.ask(), value)
    searches.clear()
    optimizer.ask()
    least = float(optimizer._fitted().judged.min())
    assert searches == [("from_all", least - 0.3) if flat else ("within", least)]
