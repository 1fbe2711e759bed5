"""Linear orderings, compared with all orders tried one by one and with an integer program."""

import signal
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import wkendall
from definitions import best_by_milp, random_rankings, random_rows
from wkendall import Kendall, Rankings, TensorKernel, _core, linear_ordering
from wkendall.statistics import linear_programs
from wkendall.statistics.cutting_planes import Limits, prove, unit_of

LOLIB = Path(__file__).parents[3] / "shared" / "data" / "lolib"
KINDS = {
    "ties": lambda rng, n: rng.integers(-2, 3, (n, n)),
    "whole": lambda rng, n: rng.integers(-1000, 1000, (n, n)),
    "real": lambda rng, n: rng.standard_normal((n, n)),
    "tenths": lambda rng, n: rng.integers(0, 4, (n, n)) * 0.1,
    "constant": lambda rng, n: np.full((n, n), -0.3),
}


def score_of(M, order):
    return np.triu(np.asarray(M, dtype=float)[np.ix_(order, order)], 1).sum()


def proved(M, start, **how):
    """Return what cutting planes find from a start."""
    D = np.asarray(M, dtype=float) - np.transpose(M)
    D[np.abs(D) < 1e-14] = 0
    return prove(D, start, np.inf, Limits(**{"work": np.inf, "seconds": None, "show": None} | how))


@pytest.fixture(params=["warm", "anew"])
def solver(request, monkeypatch):
    """Both ways to solve linear programs."""
    assert linear_programs._warm_works()
    if request.param == "anew":
        monkeypatch.setattr(linear_programs, "_warm_works", lambda: False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", range(8))
def test_the_best_of_all_orders(n, kind):
    rng = np.random.default_rng(n)
    for _ in range(6 if n < 7 else 2):
        M = KINDS[kind](rng, n)
        scores = np.sort([score_of(M, list(order)) for order in permutations(range(n))])
        unique = len(scores) == 1 or scores[-2] < scores[-1] - 1e-9
        for method in ("auto", "exact", "local", "borda"):
            found = linear_ordering(M, method=method, rng=0)
            assert found.score == pytest.approx(score_of(M, found.items), abs=1e-9)
            assert scores[-1] <= found.bound + 1e-9
            np.testing.assert_array_equal(found.ranking[found.items], np.arange(1, n + 1))
            if method in ("auto", "exact"):
                assert found.score == pytest.approx(scores[-1], abs=1e-9)
                assert (found.optimal, found.unique, found.bound) == (True, unique, found.score)
        if n > 2 and kind != "constant":
            planes = proved(M, rng.permutation(n))
            assert score_of(M, planes.order) == pytest.approx(scores[-1], abs=1e-9)
            assert planes.optimal
            assert planes.unique is bool(unique)


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("kind", ["ties", "whole", "real"])
@pytest.mark.parametrize("n", [8, 11, 13, 15])
def test_an_integer_program(n, kind):
    rng = np.random.default_rng(n)
    M = KINDS[kind](rng, n)
    best = best_by_milp(M)
    found, planes = linear_ordering(M), proved(M, rng.permutation(n))
    assert found.score == pytest.approx(best, rel=1e-9)
    assert score_of(M, planes.order) == pytest.approx(best, rel=1e-9)
    assert planes.bound == pytest.approx(2 * best - M.sum() + np.trace(M), rel=1e-9)
    assert planes.optimal
    assert planes.unique is found.unique


@pytest.mark.parametrize("kind", ["whole", "real"])
def test_more_items_than_dynamic_programming_takes(kind):
    rng = np.random.default_rng(1)
    M = KINDS[kind](rng, 24) + 300 * np.triu(np.ones((24, 24))) * (kind == "whole")
    best = best_by_milp(M)
    for method in ("auto", "exact"):
        found = linear_ordering(M, method=method, rng=0)
        assert found.score == pytest.approx(best, rel=1e-9)
        assert (found.optimal, found.bound) == (True, found.score)
        assert found.unique
    # Two items that are the same can change places.
    M[:, 7], M[7] = M[:, 5], M[5]
    assert linear_ordering(M, rng=0).unique is False


def test_consensus_of_many_items_and_its_cutting_planes():
    X = wkendall.datasets.make_mallows(40, 40, 0.03, rng=3)
    D = np.sign(X[:, None, :] - X[:, :, None]).sum(axis=0)
    found, same = wkendall.consensus(X, method="exact", rng=0), linear_ordering(D, rng=0)
    assert found.optimal
    assert found.score == pytest.approx((same.score + 40 * 780) / 2 / 40, rel=1e-12)
    assert found.unique is same.unique
    with pytest.raises(ValueError, match=r'^method "exact" is for up to 20 items with this weight, but there are 40'):
        wkendall.consensus(X, kernel=Kendall("top", k=3), method="exact")


@pytest.mark.parametrize("ties", ["complete", "ties", "anywhere"])
@pytest.mark.parametrize("n", range(1, 6))
def test_whether_a_consensus_is_unique(n, ties):
    rng = np.random.default_rng(n)
    every = np.array(list(permutations(range(1, n + 1))))
    kernels = [Kendall(), Kendall(signed=True, normalize=True)]
    if ties != "anywhere":
        u = rng.random(n)
        kernels += [Kendall("top", k=min(2, n)), Kendall("average"), Kendall("add", u=u), Kendall("mult", u=u)]
        kernels += [TensorKernel(rng.integers(0, 2, (n, n)).astype(float))]
    for m in (1, 2, 5):
        X = random_rankings(rng, m, n) if ties == "complete" else random_rows(rng, m, n)
        how = {"complete": {}, "ties": {"missing": "bottom"}, "anywhere": {"missing": "anywhere"}}[ties]
        rankings = Rankings(X, ties="mean", **how)
        for kernel in kernels:
            scores = np.sort(wkendall.gram_matrix(every, rankings, kernel).mean(axis=1))
            found = wkendall.consensus(rankings, kernel=kernel)
            assert found.score == pytest.approx(scores[-1], abs=1e-9)
            assert found.unique is bool(len(scores) == 1 or scores[-2] < scores[-1] - 1e-9), kernel
            assert wkendall.consensus(rankings, kernel=kernel, method="borda").unique is None


@pytest.mark.parametrize("scale", [1e300, 1e-300, 5e-324, -1.0, 3.0])
@pytest.mark.parametrize("n", [6, 23])
def test_any_scale(n, scale):
    M = np.random.default_rng(n).integers(-9, 10, (n, n)) + 5.0 * np.triu(np.ones((n, n)))
    M = M.T if scale < 0 else M
    found, other = linear_ordering(np.sign(scale) * M, rng=0), linear_ordering(M * scale, rng=0)
    assert score_of(M, other.items) == score_of(M, found.items)
    assert other.score == pytest.approx(found.score * abs(scale), rel=1e-12, abs=0)
    assert (other.optimal, other.unique) == (found.optimal, found.unique) == (True, found.unique)
    M *= 1e-30
    np.fill_diagonal(M, 1e300)
    assert linear_ordering(M * np.sign(scale), rng=0).score == pytest.approx(found.score * 1e-30, rel=1e-12, abs=0)


def test_names():
    M = pd.DataFrame([[0, 5, 1], [2, 0, 4], [3, 1, 0]], columns=["b", "a", "c"])
    assert linear_ordering(M).items == ["b", "a", "c"]
    assert linear_ordering(M.set_axis(["b", "a", "c"])).items == ["b", "a", "c"]
    assert linear_ordering(M.set_axis(range(3), axis=1)).items == [0, 1, 2]
    with pytest.raises(
        ValueError, match=r"^row 1 of M is labelled 'c' and column 1 'a': both must have the same items"
    ):
        linear_ordering(M.set_axis(["b", "c", "a"]))
    with pytest.raises(ValueError, match="M has two items named 'a', in places 1 and 2: names must differ"):
        linear_ordering(M.set_axis(["b", "a", "a"], axis=1))
    with pytest.raises(ValueError, match=r"^M: row 'a', column 'c' holds nan: every entry must be a finite number$"):
        linear_ordering(M.set_axis(["b", "a", "c"]).where(M.to_numpy() != 4))


@pytest.mark.parametrize(
    ("change", "message", "attributes"),
    [
        ({"M": [[0, 1], [np.nan, 0]]}, "M: row 1, column 0 holds nan: every", ("M", 1, 0, "nan")),
        ({"M": [[0, 1], [2, -np.inf]]}, "M: row 1, column 1 holds -inf: every", ("M", 1, 1, "infinite")),
        ({"M": np.ones((2, 3))}, r"M has shape \(2, 3\), but must be square", ("M", None, None, "shape")),
        ({"M": [1, 2]}, "M is 1-dimensional", ("M", None, None, "axes")),
        ({"time_limit": -1}, "time_limit is -1, but must be a number of seconds from 0, or None", ("time_limit",)),
        ({"time_limit": "soon"}, "time_limit is 'soon', but must be a number of seconds", ("time_limit",)),
        ({"method": "best"}, "method is 'best', but must be one of", ("method",)),
    ],
)
def test_bad_input(change, message, attributes):
    with pytest.raises(wkendall.RankingError, match=f"^{message}") as error:
        linear_ordering(**{"M": np.zeros((2, 2))} | change)
    found = error.value
    assert (found.argument, found.row, found.column, found.kind)[: len(attributes)] == attributes


HARD = np.random.default_rng(0).integers(0, 100, (45, 45))


@pytest.mark.parametrize("how", ["time", "auto", "signal", "signal before"])
def test_a_proof_that_ends_early_has_an_order_and_a_bound(how, monkeypatch):
    known = linear_ordering(HARD, method="local", rng=0)
    calls, solve = [], linear_programs.Program.solve

    def solve_and_interrupt(self, check):
        calls.append(1)
        if how == "signal" and len(calls) == 20:
            signal.raise_signal(signal.SIGINT)
        if how == "auto" and len(calls) == 20:
            check(np.inf)
        return solve(self, check)

    monkeypatch.setattr(linear_programs.Program, "solve", solve_and_interrupt)
    if how == "signal before":
        core = _core.linear_ordering
        interrupt = lambda *words: core(*words) if words[1] == "borda" else signal.raise_signal(signal.SIGINT)  # noqa: E731
        monkeypatch.setattr(_core, "linear_ordering", interrupt)
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = linear_ordering(HARD, time_limit=0 if how == "time" else None, rng=0)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert len(calls) == (20 if how in ("signal", "auto") else 0)
    assert sorted(found.items) == list(range(45))
    assert found.score == score_of(HARD, found.items) <= known.bound
    assert (found.optimal, found.unique) == (False, None)
    assert max(known.score, found.score) < found.bound <= known.bound
    if how in ("signal", "auto"):
        assert found.bound < known.bound  # the program has improved it


def test_a_progress_bar_changes_nothing(capsys):
    X = wkendall.datasets.make_mallows(30, 30, 0.01, rng=0)
    D = np.sign(X[:, None, :] - X[:, :, None]).sum(axis=0)
    one, other = linear_ordering(D, rng=0, n_jobs=1), linear_ordering(D, rng=0, n_jobs=2, progress=True)
    assert "linear ordering" in capsys.readouterr().err
    np.testing.assert_array_equal(one.ranking, other.ranking)
    assert one[1:] == other[1:]


@pytest.mark.parametrize("n", [0, 1, 5, 12, 22])
def test_many_matrices_are_ordered_as_each_alone(n):
    M = np.random.default_rng(n).standard_normal((7, n, n))
    for method in ("auto", "local", "borda"):
        results = [zip(*_core.linear_orderings(M, method, 3, threads), strict=True) for threads in (1, 2)]
        alone = [_core.linear_ordering(one, method, 3, 1) for one in M]
        for wanted, *found in zip(alone, *results, strict=True):
            for ranks, *rest in found:
                np.testing.assert_array_equal(ranks, wanted[0])
                assert tuple(rest) == wanted[1:]
    assert _core.linear_orderings(np.zeros((0, n, n)), "auto")[0].shape == (0, n)
    if n:
        M[3, n - 1, 0] = np.nan
        with pytest.raises(ValueError, match=f"^row {4 * n - 1}, column 0"):
            _core.linear_orderings(M, "auto")


def test_units():
    for numbers, unit in (
        ([6, -10, 0, 15], 1),
        ([6, -9], 3),
        ([0.75, 0.5], 0.25),
        ([1, np.pi], 0),
        ([0, 0], 0),
        ([], 0),
    ):
        assert unit_of(np.array(numbers, dtype=float)) == unit


@pytest.mark.skipif(not LOLIB.is_dir(), reason="the input-output tables of LOLIB are not there")
@pytest.mark.parametrize("path", sorted(LOLIB.glob("*.txt")), ids=lambda path: path.stem)
def test_input_output_tables_are_ordered_with_a_proof(path):
    n, *entries = path.read_text().split()
    M = np.array(entries, dtype=float).reshape(int(n), int(n))
    found = linear_ordering(M, rng=0)
    assert (found.optimal, found.bound) == (True, found.score)
    assert found.score == score_of(M, found.items)
    # From another order the proof comes to the same value.
    assert score_of(M, proved(M, np.argsort(linear_ordering(M, method="borda").ranking)).order) == found.score


@pytest.mark.parametrize("lam", [0.01, 0.02, 0.05, 0.2])
def test_mallows_profiles_are_ordered_with_a_proof(lam):
    for seed in range(3):
        assert wkendall.consensus(wkendall.datasets.make_mallows(100, 50, lam, rng=seed), rng=0).optimal


def test_rankings_are_no_matrix_and_an_empty_sum_is_zero():
    with pytest.raises(TypeError, match="M is a Rankings, but must be a matrix"):
        linear_ordering(Rankings([[1, 2], [2, 1]]))
    assert str(linear_ordering([[5.0]]).score) == str(linear_ordering(np.zeros((0, 0))).bound) == "0.0"
