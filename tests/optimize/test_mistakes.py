"""Mistakes of users that once had a wrong message, or none: values of other shapes, kinds of variables, files, `feasible`."""

import numpy as np
import pytest
from wkendall import RankingError
from wkendall.optimize import Optimizer, minimize

ORDERS = [[0, 1, 2, 3], [3, 2, 1, 0]]
PAIR = (ORDERS[0], {"speed": 1.0})


def told(x, y):
    optimizer = Optimizer(4)
    optimizer.tell(x, y)
    return optimizer.func_vals.tolist()


@pytest.mark.parametrize("values", [(1, 2), range(1, 3), np.array([1, 2]), np.float32([1, 2])])
def test_values_of_several_orders(values):
    assert told(ORDERS, values) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1.0], [2.0]], "y has 2 axes, but x has 2 orders: give one value for each"),
        (np.ones((2, 1)), "y has 2 axes, but x has 2 orders: give one value for each"),
        (1.0, "y has 1 value, but x has 2 orders: give one value for each"),
        ({0: 1.0, 1: 2.0}, r"y must be a list or an array of values, not \{0: 1.0, 1: 2.0\}"),
        (map(float, "12"), "y must be a list or an array of values, not <map"),
        (np.ma.masked_array([1.0, 2.0], [0, 1]), "y.* masked"),
    ],
)
def test_values_that_are_not_one_for_each_order(values, said):
    with pytest.raises((TypeError, ValueError), match=said):
        told(ORDERS, values)


@pytest.mark.parametrize("order", ["0123", None, 3, {0: 1}, iter(range(4))])
def test_what_is_no_list_is_shown(order):
    with pytest.raises(TypeError, match=r"x must be an order of the 4 items: each of 0..3 once, not "):
        told(order, 1.0)


def test_orders_in_a_data_frame():
    pandas = pytest.importorskip("pandas")
    assert told(pandas.DataFrame(ORDERS), pandas.Series([1.0, 2.0], index=["a", "b"])) == [1.0, 2.0]


def test_more_first_orders_than_calls():
    with pytest.raises(RankingError, match=r"^n_calls is 1, but x0 has 2 points to evaluate: allow as many calls$"):
        minimize(lambda x: float(x[0]), 4, n_calls=1, x0=ORDERS)
    assert minimize(lambda x: float(x[0]), 4, n_calls=2, x0=ORDERS).nfev == 2
    assert minimize(lambda x: float(x[0]), 4, n_calls=1, x0=ORDERS, y0=[0, 3]).nfev == 1


def test_masked_orders():
    with pytest.raises(RankingError, match=r"x.* masked"):
        told(np.ma.masked_array(ORDERS, np.eye(2, 4)), [1.0, 2.0])


@pytest.mark.parametrize("point", [PAIR, [PAIR, PAIR]])
def test_variables_that_the_optimizer_does_not_have(point):
    with pytest.raises(RankingError, match=r"x has values of variables, but there are no variables: .*variables="):
        told(point, 1.0)


def test_choices_of_numpy():
    optimizer = Optimizer(3, variables={"size": list(np.array([4, 8])), "rate": [np.float64(0.5), np.True_]}, rng=0)
    assert optimizer.variables == {"size": [4, 8], "rate": [0.5, True]}
    kinds = {type(choice) for choices in optimizer.variables.values() for choice in choices}
    assert kinds == {int, float, bool}


@pytest.mark.parametrize("choice", [np.inf, -np.inf, np.nan, np.float64("inf")])
def test_choices_that_no_file_can_hold(choice):
    with pytest.raises(TypeError, match=r"\['size'\] has -?(inf|nan), but choices must be texts, finite numbers"):
        Optimizer(3, variables={"size": [1, choice]})


@pytest.mark.parametrize(
    ("was", "now"),
    [((0, 3), (0.0, 3.0)), ((0.0, 3.0), (0, 3)), ([0, 1], [False, True]), ([1, 2], [1.0, 2.0])],
)
def test_equal_numbers_of_another_kind_are_other_variables(was, now, tmp_path):
    file = tmp_path / "run.json"
    minimize(lambda x, v: float(x[0]), 4, n_calls=2, variables={"size": was}, rng=0, save=file)
    with pytest.raises(RankingError, match=r"a run with variables=.*give the same, or use another file"):
        minimize(lambda x, v: float(x[0]), 4, n_calls=3, variables={"size": now}, rng=0, save=file)
    minimize(lambda x, v: float(x[0]), 4, n_calls=3, variables={"size": was}, rng=0, save=file)


def test_a_folder_as_file(tmp_path):
    with pytest.raises(OSError, match="directory") as raised:
        minimize(lambda x: float(x[0]), 4, n_calls=2, save=tmp_path)
    assert raised.value.__notes__ == [f"save={str(tmp_path)!r} is where the state of the run is written"]


@pytest.mark.parametrize("answer", [None, "no", [True, False], np.array([True, False]), np.nan])
def test_feasible_that_does_not_answer(answer):
    with pytest.raises(TypeError, match=r"feasible\(x\) must be True or False, not "):
        Optimizer(4, feasible=lambda x: answer, rng=0).ask()
    with pytest.raises(TypeError, match=r"feasible\(x\) must be True or False, not "):
        Optimizer(4, feasible=lambda x: answer, rng=0).tell([0, 1, 2, 3], 1.0)


@pytest.mark.parametrize("kind", [bool, int, np.bool_, lambda answer: np.array([answer])])
def test_feasible_that_answers(kind):
    assert Optimizer(4, feasible=lambda x: kind(x[0] == 2), rng=0).ask()[0] == 2


@pytest.fixture
def suggest():
    optuna = pytest.importorskip("optuna")
    from wkendall.optimize.optuna import suggest_order

    def made(name, items, space="order", *, frozen=True):
        trial = optuna.create_study().ask()
        suggest_order(trial, "jobs", 5)
        if frozen:
            trial = trial.study.get_trials()[0]
        return suggest_order(trial, name, items, space=space)

    return made


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("items", [1, 4, 6])
def test_a_trial_has_one_number_of_items(suggest, items, frozen):
    with pytest.raises(RankingError, match=f"n_items is {items}, but the order 'jobs' of this trial has 5 items"):
        suggest("jobs", items, frozen=frozen)
    assert sorted(suggest("jobs", 5, frozen=frozen)) == list(range(5))


@pytest.mark.parametrize(("name", "space"), [("job", "order"), ("jobs", "tour")])
def test_orders_that_a_finished_trial_does_not_have(suggest, name, space):
    said = f"name is {name!r} with space={space!r}, but this trial has 'jobs' with space='order'"
    with pytest.raises(RankingError, match=said):
        suggest(name, 5, space)
    assert sorted(suggest(name, 5, space, frozen=False)) == list(range(5))
