"""Moves and the distances of all neighbours, compared with definitions that know nothing of updates."""

from itertools import combinations, permutations
from math import exp, factorial

import numpy as np
import pytest
from wkendall.optimize.correlations import Kernel
from wkendall.optimize.distances import Discordant, Displaced, Edges, Footrule, TopFootrule
from wkendall.optimize.moves import Moves
from wkendall.optimize.spaces import Space


def discordant(x, y):
    x, y = list(x), list(y)
    return sum((x.index(i) < x.index(j)) != (y.index(i) < y.index(j)) for i, j in combinations(x, 2))


def displaced(x, y):
    return sum(one != other for one, other in zip(x, y, strict=True))


def footrule(x, y):
    x, y = list(x), list(y)
    return sum(abs(x.index(item) - y.index(item)) for item in x)


def top_footrule(x, y):
    """Position r of n is at 1 - exp(-16 r / n), in whole thousandths."""
    at = [round(1000 * (1 - exp(-16 * r / len(x)))) for r in range(len(x))]
    x, y = list(x), list(y)
    return sum(abs(at[x.index(item)] - at[y.index(item)]) for item in x)


def edges(x, y):
    """Edges of tours that begin and end at an item that is not in the path."""

    def all_of(path):
        tour = ["start", *path, "start"]
        return {frozenset(tour[place : place + 2]) for place in range(len(tour) - 1)}

    return len(all_of(x) - all_of(y))


def neighbours(x, reversals):
    """All orders after one insertion, one swap or, if wanted, one reversal."""
    found, items = set(), range(len(x))
    for i in items:
        for j in items:
            rest = [*x[:i], *x[i + 1 :]]
            found.add((*rest[:j], x[i], *rest[j:]))
            swapped = list(x)
            swapped[i], swapped[j] = x[j], x[i]
            found.add(tuple(swapped))
            if reversals and i < j:
                found.add((*x[:i], *x[i : j + 1][::-1], *x[j + 1 :]))
    return found - {tuple(x)}


@pytest.mark.parametrize("reversals", [False, True])
@pytest.mark.parametrize("items", range(9))
def test_each_neighbour_is_reached_once(items, reversals):
    x = np.random.default_rng(items).permutation(items)
    moves = Moves(items, reversals=reversals)
    found = [tuple(moves.neighbour(x, move).tolist()) for move in range(len(moves))]
    assert len(set(found)) == len(found)
    assert set(found) == neighbours(x.tolist(), reversals)


@pytest.mark.parametrize("reversals", [False, True])
@pytest.mark.parametrize(
    ("measure", "definition", "least"),
    [
        (Discordant(), discordant, 1),
        (Displaced(), displaced, 1),
        (Footrule(), footrule, 1),
        (TopFootrule(), top_footrule, 1),
        (Edges(), edges, 2),
    ],
)
@pytest.mark.parametrize("items", [1, 2, 3, 4, 5, 6, 9])
def test_distances_of_neighbours(items, measure, definition, least, reversals):
    if items < least:
        pytest.skip("a tour of two items has one edge twice")
    rng = np.random.default_rng(items)
    evaluated = np.array([rng.permutation(items) for _ in range(4)])
    kernel, moves = Kernel([measure], evaluated), Moves(items, reversals=reversals)
    view = kernel.view(rng.permutation(items))
    for _ in range(3):  # distances are carried on from move to move
        correlations = view.neighbours(moves, np.array([0.3]))
        around = [moves.neighbour(view.path, move) for move in range(len(moves))]
        expected = np.array([[definition(path, other) for other in evaluated] for path in around]).reshape(-1, 4)
        assert np.array_equal(view.around[0], expected)
        rate = np.exp(0.3) / measure.typical(items)
        assert np.allclose(correlations, np.exp(-rate * expected), rtol=1e-14)
        assert (
            np.allclose(kernel.between(np.array(around).reshape(-1, items), np.array([0.3])), correlations)
            or not around
        )
        if around:
            view = view.moved(moves, int(rng.integers(len(moves))))
    expected = [[definition(one, other) for other in evaluated] for one in evaluated]
    assert np.array_equal(kernel.distances[0], expected)


def test_many_items_have_shorter_moves(monkeypatch):
    monkeypatch.setattr("wkendall.optimize.moves.MAX_DISTANCES", 3 * 12 * 5 * 4)
    rng = np.random.default_rng(0)
    evaluated = np.array([rng.permutation(12) for _ in range(5)])
    moves = Moves(12, reversals=False, evaluated=5)
    assert moves.reach == 4
    assert np.abs(moves.first - moves.second).max() == 4
    view = Kernel([Discordant()], evaluated).view(evaluated[0])
    view.neighbours(moves, np.zeros(1))
    around = [moves.neighbour(view.path, move) for move in range(len(moves))]
    assert np.array_equal(view.around[0], [[discordant(path, other) for other in evaluated] for path in around])


@pytest.mark.parametrize(
    "measures", [[Discordant()], [Displaced()], [Footrule()], [TopFootrule()], [Discordant(), Displaced()], [Edges()]]
)
def test_kernels_are_positive_definite_and_have_gradients(measures):
    paths = np.array(list(permutations(range(4))))
    if isinstance(measures[0], Edges):
        paths = paths[paths[:, 0] < paths[:, -1]]
    kernel = Kernel(measures, paths)
    parameters = np.linspace(-0.5, 0.5, len(measures))
    matrix, slopes = kernel.matrix(parameters)
    # Of four items, TopFootrule does not tell the last two positions apart.
    assert np.linalg.eigvalsh(matrix)[0] > (-1e-12 if isinstance(measures[0], TopFootrule) else 0)
    for place, slope in enumerate(slopes):
        step = np.eye(len(measures))[place] * 1e-6
        above, below = kernel.matrix(parameters + step)[0], kernel.matrix(parameters - step)[0]
        assert np.allclose(slope, (above - below) / 2e-6, atol=1e-9)


@pytest.mark.parametrize("items", range(1, 7))
def test_tours_have_neither_start_nor_direction(items):
    space = Space("tour", items)
    forms = {}
    for order in permutations(range(items)):
        path = space.path(np.array(order))
        turned = [np.roll(order[::way], shift) for way in (1, -1) for shift in range(items)]
        assert all(np.array_equal(space.path(np.array(each)), path) for each in turned)
        forms[path.tobytes()] = space.order(path)
    assert len(forms) == space.size == max(1, factorial(items - 1) // 2)
    assert sorted(forms) == sorted(path.tobytes() for path in space.all())
    assert all(order[0] == 0 and (items < 3 or order[1] < order[-1]) for order in forms.values())


@pytest.mark.parametrize("items", range(1, 6))
def test_random_points_are_uniform(items):
    for name in ("order", "tour"):
        space, rng = Space(name, items), np.random.default_rng(0)
        drawn = [space.random(rng).tobytes() for _ in range(20 * space.size)]
        assert set(drawn) == {path.tobytes() for path in space.all()}
