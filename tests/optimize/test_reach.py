"""How far the next point may be away from the best one, and searches within this distance."""

import numpy as np
import pytest
from wkendall.optimize import Optimizer
from wkendall.optimize.model import Model
from wkendall.optimize.moves import INSERTION, SWAP
from wkendall.optimize.search import Search, reach
from wkendall.optimize.spaces import Candidates, Site, Space

GAINS = np.random.default_rng(2).random((8, 8))
RNG = np.random.default_rng(3)
PATHS = np.array([RNG.permutation(8) for _ in range(25)])
SITES = [Site(path) for path in PATHS]
VALUES = np.array([-np.triu(GAINS[np.ix_(path, path)], 1).sum() for path in PATHS])


def test_reach_doubles_and_halves():
    def after(values, initial, first=8.0, again=2.0, least=0.0):
        return reach(values, initial, first, again, least)[0]

    assert after([], 10) == after([5, 3, 1], 3) == 8
    assert after([5, 4], 1) == 16
    assert after([5, 5, 6, 5], 1) == after([5, 5, 6, np.inf], 1) == 4  # an equal value is none that is better
    assert after([5, 5, 5], 1) == 8
    assert after([5, 4, 3, 2], 1) == after([5], 1, first=64.0) == np.inf
    assert after([5, 4, 3, 2, 2, 2, 2], 1) == 32
    assert [after([1] * (1 + 3 * times), 1) for times in range(1, 11)] == [
        4, 2, 1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 2, 1,
    ]  # fmt: skip
    assert after([1] * 28, 1, again=64.0) == np.inf
    assert after([1] * 19 + [0], 1) == 1
    assert after([np.inf, np.inf, 1.0], 1) == 16
    assert after([5, 4.9, 4.8, 4.7], 1, least=0.2) == 16  # small steps add up
    assert after([5, 4.9, 4.8, 4.8], 1, least=0.2) == 4
    assert [reach([5] * count, 1, 8.0, 2.0)[1] for count in range(1, 6)] == [0, 1, 2, 0, 1]


def searched(taken=()):
    space = Space("order", 8)
    candidates = Candidates(space, None, None, {path.tobytes() for path in PATHS} | set(taken), SITES)
    model = Model("discordant", space, None, SITES, VALUES, False)
    return model, Search(*model.given([]), candidates.moves, candidates.acceptable)


def around(x):
    """All orders that one item or two swapped items lead to."""
    found = set()
    for i in range(8):
        for j in range(8):
            rest = np.delete(x, i)
            found.add(tuple(np.insert(rest, j, x[i]).tolist()))
            swapped = x.copy()
            swapped[[i, j]] = x[[j, i]]
            found.add(tuple(swapped.tolist()))
    return found - {tuple(x.tolist())} - {tuple(path) for path in PATHS.tolist()}


def test_one_move():
    """The neighbour with the largest expected improvement; the next one if it is taken."""
    model, search = searched()
    start = model.best(1)[0].path
    assert np.array_equal(start, PATHS[np.argmin(VALUES)])
    near = np.array(sorted(around(start)))
    promises = search.promises(search.kernel.between(near, search.process.parameters))
    first, second = near[np.argsort(-promises)[:2]]
    assert np.array_equal(search.within(start, 1, RNG), first)
    assert np.array_equal(searched([first.tobytes()])[1].within(start, 1.5, RNG), second)
    assert searched([path.tobytes() for path in near])[1].within(start, 1, RNG) is None


def test_more_moves():
    model, search = searched()
    start = model.best(1)[0].path
    promises = []
    for moves in (1, 2, 8):
        path = search.within(start, moves, RNG)
        promises.append(search.promises(search.kernel.between(path[np.newaxis], search.process.parameters))[0])
    assert promises == sorted(promises)
    assert promises[0] < promises[1]


@pytest.mark.parametrize("share", [1 / 2, 1 / 32, 1e-9])
def test_some_moves(share):
    """The best of some random moves: with few of them, many different ones are found."""
    model, search = searched()
    start = model.best(1)[0].path
    near, rng = around(start), np.random.default_rng(0)
    found = [search.within(start, share, rng) for _ in range(40)]
    found = {tuple(path.tolist()) for path in found if path is not None}
    assert found <= near
    assert len(found) > (1 if share == 1 / 2 else 15)
    assert set(np.unique(search.moves.kind)) == {INSERTION, SWAP}
    again = [search.within(start, share, np.random.default_rng(5)) for _ in range(2)]
    assert np.array_equal(*again)


def test_the_last_of_equal_ones():
    model = Model("mallows", Space("order", 8), None, SITES, np.round(VALUES), False)
    best = np.flatnonzero(np.round(VALUES) == np.round(VALUES).min())
    assert len(best) > 1
    assert np.array_equal(model.last_best().path, PATHS[best[-1]])
    assert np.array_equal(model.best(1)[0].path, PATHS[best[0]])


def test_hyperparameters_are_those_of_the_first_evaluations():
    """Whether the evaluations were told one by one, with questions in between, or at once."""
    step = Optimizer(8, rng=0)
    for path, value in zip(PATHS, VALUES, strict=True):
        step.tell(path, value)
        step.ask()
    once = Optimizer(8, rng=0)
    once.tell(PATHS, VALUES)
    hyper = [optimizer._fitted().hyper for optimizer in (step, once)]
    assert hyper[0].evaluations == hyper[1].evaluations == 24
    first = Model("mallows", Space("order", 8), None, SITES[:24], VALUES[:24], False).hyper
    for one in hyper:
        assert np.array_equal(one.process.parameters, first.process.parameters)
        assert (one.process.noise, one.process.variance) == (first.process.noise, first.process.variance)
    step._pending = []
    assert np.array_equal(step.ask(), once.ask())


def test_stuck_runs_find_what_is_left():
    """The function is flat except for one order: the search is random in the end, and stops at nothing."""
    target = [3, 0, 2, 1]
    optimizer = Optimizer(4, n_initial=2, rng=1)
    for _ in range(24):
        order = optimizer.ask()
        optimizer.tell(order, float(order.tolist() != target))
    assert optimizer.result().fun == 0
    assert len({tuple(x) for x in optimizer.x_iters.tolist()}) == 24
