"""`rank_intervals` against its definition, pair by pair and resample by resample, and what it promises."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
import wkendall
from wkendall import Rankings, rank_intervals
from wkendall.statistics.rank_intervals import MAX_ROWS, _groups, expected_ranks

NAN = float("nan")


def all_signs(scores):
    """The items that are better for certain, if every vector of signs is tried: a loop over pairs and signs."""
    m, n = scores.shape
    statistic, largest = np.zeros((n, n)), np.zeros(2**m)
    for i, j in itertools.permutations(range(n), 2):
        differences = [a - b for a, b in zip(scores[:, i], scores[:, j], strict=True) if a == a and b == b]
        both = [bool(a == a and b == b) for a, b in zip(scores[:, i], scores[:, j], strict=True)]
        size = sum(d * d for d in differences) ** 0.5
        if not size:
            continue
        statistic[i, j] = sum(differences) / size
        for number, signs in enumerate(itertools.product((-1, 1), repeat=m)):
            some = [sign for sign, known in zip(signs, both, strict=True) if known]
            value = abs(sum(sign * d for sign, d in zip(some, differences, strict=True))) / size
            largest[number] = max(largest[number], value)
    limit = np.sort(largest)[int(np.ceil(0.95 * 2**m)) - 1]
    return statistic > limit + 1e-6, np.abs(statistic - limit).min()


@pytest.mark.parametrize("gaps", [0.0, 0.25])
def test_random_signs_give_what_all_signs_give(gaps):
    rng, seen = np.random.default_rng(3), 0
    for _ in range(24):
        scores = rng.normal([3.0, 2.8, 1.5, 0.0], 0.4, size=(8, 4))
        scores[rng.random(scores.shape) < gaps] = NAN
        better, nearest = all_signs(scores)
        found = rank_intervals(scores, rng=0)
        assert (found.apart == (better | better.T)).all()
        if nearest > 0.05:
            random_signs = rank_intervals(np.vstack([scores, np.full((7, 4), NAN)]), rng=0)
            assert (random_signs.apart == found.apart).all()
        assert (found.low == np.minimum(1 + better.sum(axis=0), found.rank)).all()
        assert (found.high == np.maximum(4 - better.sum(axis=1), found.rank)).all()
        seen += better.any()
    assert seen >= 2


def test_groups_and_neighbours_follow_from_pairs():
    rng = np.random.default_rng(0)
    found = rank_intervals(rng.normal(np.linspace(2, 0, 9), 0.4, size=(30, 9)), rng=0)
    order = np.argsort(found.rank, kind="stable")
    apart = found.apart[np.ix_(order, order)]
    assert found.separated.tolist() == [apart[k, k + 1] for k in range(8)]
    runs = {(a, b) for a in range(9) for b in range(a, 9) if not apart[a : b + 1, a : b + 1].any()}
    longest = [r for r in sorted(runs) if not any(s != r and s[0] <= r[0] and r[1] <= s[1] for s in runs)]
    assert found.groups == [order[a : b + 1].tolist() for a, b in longest]
    assert len(found.groups) > 2


def test_groups_cover_all_pairs_that_are_not_told_apart():
    rng = np.random.default_rng(2)
    for n in (1, 2, 5, 9):
        for share in (0.1, 0.5, 0.9):
            apart = np.triu(rng.random((n, n)) < share, 1)
            apart |= apart.T
            groups = _groups(apart)
            for i, j in itertools.product(range(n), repeat=2):
                assert apart[i, j] != any(i in group and j in group for group in groups)
            for group in groups:
                assert not apart[np.ix_(group, group)].any()
                assert all(apart[other, group].any() for other in set(range(n)) - set(group))


def test_names_and_the_types_of_scores():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, 2], [0, None]] * 7, columns=["b", "a"])
    for some in (frame, frame.convert_dtypes(), frame.astype(object).where(frame.notna(), None)):
        found = rank_intervals(some, rng=0)
        assert found.items == ["b", "a"]
        assert found.groups == [["a"], ["b"]]
    with pytest.raises(wkendall.RankingError, match="row 'x', column 'a' is inf"):
        rank_intervals(pd.DataFrame({"b": [1.0], "a": [np.inf]}, index=["x"]))
    assert rank_intervals(np.array([[True, False]] * 9), rng=0).groups == [[0], [1]]
    votes = Rankings([[1, 2, 3]] * 12, items=["x", "y", "z"])
    rank, low, high, groups, separated = found = rank_intervals(votes, rng=0)
    assert (rank.tolist(), low.tolist(), high.tolist()) == ([1, 2, 3],) * 3
    assert groups == [["x"], ["y"], ["z"]]
    assert separated.all()
    assert found.estimate.tolist() == [1, 2, 3]
    assert pickle.loads(pickle.dumps(found)).items == found.items


def test_ranks_in_an_array():
    ranks = np.array([[1, 2, 3], [2, 1, 3]] * 10)
    for table in (ranks, ranks.tolist(), pd.DataFrame(ranks, columns=list("abc")), ranks.astype(float)):
        with pytest.warns(UserWarning, match=r"^scores_or_rankings: every row is a permutation of 1\.\.3, ") as said:
            assert rank_intervals(table, rng=0).rank.tolist() == [2, 2, 1]
        assert said[0].filename == __file__
    with_scores = rank_intervals(Rankings(ranks, input="scores"), rng=0)
    assert with_scores.rank.tolist() == [2, 2, 1]
    for scores in (
        ranks[:4],
        ranks - 1,
        ranks * 2,
        np.where(ranks == 2, NAN, ranks),
        np.ones((9, 1)),
        np.eye(2)[[0] * 9] == 1,
    ):
        rank_intervals(scores, rng=0)  # no warning


def test_ranks_of_rankings_are_means_over_complete_rankings():
    for row, missing in ([1, NAN, NAN, 2], "anywhere"), ([1, NAN, NAN, 2], "bottom"), ([2, 1, 2, 3], "error"):
        made = Rankings([row], ties="mean", missing=missing)
        agree = []
        for order in itertools.permutations(range(1, 5)):
            listed = [k for k in range(4) if row[k] == row[k]]
            fits = all(order[a] < order[b] for a in listed for b in listed if row[a] < row[b])
            last = missing != "bottom" or all(order[a] < order[b] for a in listed for b in range(4) if row[b] != row[b])
            agree += [order] if fits and last else []
        wanted = np.mean(agree, axis=0)
        wanted[np.isnan(row) & (missing == "anywhere")] = NAN
        np.testing.assert_allclose(expected_ranks(made)[0], wanted)


def test_counts_are_frequencies():
    ranks, counts = np.array([[1, 2, 3], [2, 1, 3], [3, 1, 2]]), [20, 15, 1]
    one = rank_intervals(Rankings(ranks, counts=counts), rng=0)
    other = rank_intervals(Rankings(np.repeat(ranks, counts, axis=0)), rng=0)
    for name in ("rank", "low", "high", "apart"):
        assert (getattr(one, name) == getattr(other, name)).all()
    many = rank_intervals(Rankings(ranks, counts=[10**9, 10**9, 1]), rng=0)
    assert many.groups == [[1], [0], [2]] or many.groups == [[1, 0], [2]]


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_many_rows_are_added_up_in_parts(gaps):
    """As many rows as give the same answer as a Student's t test of every pair."""
    rng = np.random.default_rng(4)
    scores = rng.normal([0, 0.02, 0.5, 1], size=(4 * MAX_ROWS, 4))
    scores[rng.random(scores.shape) < gaps] = NAN
    found = rank_intervals(scores, rng=0, n_resamples=999)
    assert found.groups in ([[3], [2], [1, 0]], [[3], [2], [0, 1]])


def test_missing_results_of_hard_tasks_do_not_help():
    """The item that skips hard tasks has the larger mean, but is worse in every task."""
    difficulty = np.arange(20.0)
    scores = np.stack([-difficulty, -difficulty - 1, -difficulty - 2], axis=1) + np.random.default_rng(0).normal(
        0, 0.1, size=(20, 3)
    )
    scores[10:, 1] = NAN
    assert np.nanmean(scores[:, 1]) > np.nanmean(scores[:, 0])
    found = rank_intervals(scores, rng=0)
    assert found.rank.tolist() == [1, 2, 3]
    table = rank_intervals(pd.DataFrame(scores[:, [2, 0, 1]], columns=list("cab")), rng=0).to_frame()
    assert list(table.index) == ["a", "b", "c"]
    np.testing.assert_allclose(table, np.stack([found.estimate, found.rank, found.low, found.high], axis=1))
    design = np.array([[float(c in (r, 20 + i)) for c in range(23)] for r in range(20) for i in range(3)])
    known = ~np.isnan(scores.ravel())
    effects = np.linalg.lstsq(design[known], scores.ravel()[known], rcond=None)[0][20:]
    np.testing.assert_allclose(found.estimate - found.estimate.mean(), effects - effects.mean())


@pytest.mark.parametrize(
    ("scores", "rank", "low", "high"),
    [
        (np.zeros((3, 0)), [], [], []),
        ([[1.0]], [1], [1], [1]),
        ([[1.0, 2.0]], [2, 1], [1, 1], [2, 2]),
        ([[1, 1, 1]] * 30, [1, 1, 1], [1, 1, 1], [3, 3, 3]),
        ([[1, 2, NAN]] * 30, [2, 1, 3], [2, 1, 1], [3, 2, 3]),
        ([[NAN, NAN]] * 3, [1, 1], [1, 1], [2, 2]),
        ([[1e300, -1e300]] * 30, [1, 2], [1, 2], [1, 2]),
        ([[1e-300, 0.0]] * 30, [1, 2], [1, 2], [1, 2]),
        ([[1 + 2.0**-52, 1.0]] * 32, [1, 2], [1, 1], [2, 2]),
        ([[1e9, 2e-6, 1e-6]] * 30, [1, 2, 3], [1, 2, 3], [1, 2, 3]),
        ([[1e9, 2e-6, 1e-6], [1e9, NAN, 2e-6]] * 30, [1, 2, 3], [1, 2, 3], [1, 2, 3]),
    ],
)
def test_small_and_extreme_tables(scores, rank, low, high):
    found = rank_intervals(scores, rng=0, n_resamples=199)
    assert (found.rank.tolist(), found.low.tolist(), found.high.tolist()) == (rank, low, high)
    assert len(found.separated) == max(len(rank) - 1, 0)


def test_too_few_rows_or_resamples_separate_nothing():
    assert [bool(rank_intervals([[1, 0]] * rows, rng=0).apart.any()) for rows in range(1, 8)] == [False] * 5 + [
        True
    ] * 2
    assert not rank_intervals([[1, 0]] * 50, rng=0, n_resamples=18).apart.any()
    assert rank_intervals([[1, 0]] * 50, rng=0, n_resamples=19).apart.any()


def test_the_same_seed_gives_the_same_result():
    scores = np.random.default_rng(0).normal(np.linspace(1, 0, 20), size=(1000, 20))
    one, two = (rank_intervals(scores, rng=7, n_resamples=199) for _ in range(2))
    assert (one.apart == two.apart).all()


def test_no_false_separation_more_often_than_stated():
    """400 boards of equal items: about 20 with an error; the table of the docs has 2,000 boards of each shape."""
    rng = np.random.default_rng(8)
    wrong = sum(rank_intervals(rng.normal(size=(12, 6)), rng=rng, n_resamples=99).apart.any() for _ in range(400))
    assert 6 <= wrong <= 38


@pytest.mark.parametrize(
    ("scores", "options", "error", "words"),
    [
        ([[1.0, np.inf]], {}, wkendall.RankingError, "row 0, column 1 is inf"),
        (np.zeros((0, 3)), {}, wkendall.RankingError, "no rows"),
        ([1.0, 2.0], {}, wkendall.RankingError, "1-dimensional"),
        ([[1, "b"]], {}, TypeError, "row 0, column 1"),
        ([[1, 2]], {"confidence": 95}, wkendall.RankingError, "between 0 and 1"),
        ([[1, 2]], {"confidence": "high"}, TypeError, "between 0 and 1"),
        ([[1, 2]], {"n_resamples": 0}, wkendall.RankingError, "at least 1"),
        ([[1, 2]], {"rng": -1}, ValueError, "rng"),
    ],
)
def test_bad_arguments(scores, options, error, words):
    with pytest.raises(error, match=words):
        rank_intervals(scores, **options)
