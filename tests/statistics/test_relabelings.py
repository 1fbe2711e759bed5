"""P-values of measures by relabelings, compared with all relabelings and with scipy."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import wkendall
from wkendall import permutation_pvalue

MEASURES = [wkendall.WeightedTau(), wkendall.APCorrelation(), wkendall.RankBiasedOverlap(), wkendall.Footrule()]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_the_share_of_all_relabelings(measure):
    rng = np.random.default_rng(0)
    X, Y = np.argsort(rng.random((2, 3, 5)), axis=2) + 1
    found = permutation_pvalue(X, Y, measure, rng=1)
    for x, y, pvalue in zip(X, Y, found, strict=True):
        values = measure([x], np.array(list(permutations(y))))[0]
        observed = measure([x], [y])[0, 0]
        as_similar = values <= observed + 1e-12 if measure.is_distance else values >= observed - 1e-12
        share = as_similar.mean()
        assert abs(pvalue - share) < 5 * np.sqrt(share * (1 - share) / 9999) + 2e-4


def test_tau_has_the_exact_pvalue_of_scipy():
    rng = np.random.default_rng(1)
    X, Y = np.argsort(rng.random((2, 4, 8)), axis=2) + 1
    wanted = [
        scipy.stats.kendalltau(x, y, alternative="greater", method="exact").pvalue for x, y in zip(X, Y, strict=True)
    ]
    np.testing.assert_allclose(permutation_pvalue(X, Y, rng=2), wanted, atol=0.03)
    np.testing.assert_array_equal(permutation_pvalue(X, Y, rng=2), permutation_pvalue(X, Y, rng=2, n_jobs=1))


def test_ties_and_lists():
    tied = wkendall.Rankings([[1, 1, 2, 2, 3, 3]] * 2, ties="mean")
    equal, reversed_ = permutation_pvalue(
        tied, wkendall.Rankings([[1, 1, 2, 2, 3, 3], [3, 3, 2, 2, 1, 1]], ties="mean"), rng=0
    )
    assert equal < 0.05
    assert reversed_ == 1
    lists = wkendall.from_lists([list("abcde"), list("abced"), list("vwxyz")], items=[*"abcdevwxyz", *range(300)])
    for measure in (wkendall.RankBiasedOverlap(), wkendall.AverageOverlap(), wkendall.Kendall(signed=True)):
        close, far = permutation_pvalue(lists[:2], lists[1:], measure, rng=0, n_permutations=199)
        assert close == 1 / 200
        assert far > 0.5
    every = wkendall.from_lists([["a", "b", "c"], *map(list, permutations("abc", 2))], items=["a", "b", "c"])
    values = wkendall.RankBiasedOverlap()(every[:1], every[1:])[0]
    for row, value in enumerate(values.tolist(), 1):
        found = permutation_pvalue(every[:1], every[row : row + 1], wkendall.RankBiasedOverlap(), rng=0)
        assert found == pytest.approx(np.mean(values >= value - 1e-12), abs=0.03)


def test_pvalues_of_independent_lists_are_uniform_with_all_items():
    """Without the items that are in no list, they are near 1."""
    rng, measure = np.random.default_rng(0), wkendall.RankBiasedOverlap(0.9)
    pairs = [[rng.permutation(60)[:10].tolist() for _ in range(2)] for _ in range(100)]
    few, every = (
        [
            permutation_pvalue(lists[0], lists[1], measure, rng=0, n_permutations=199)[0]
            for lists in (wkendall.from_lists(pair, items=items) for pair in pairs)
        ]
        for items in (None, range(60))
    )
    assert np.median(few) > 0.95
    assert 0.4 < np.median(every) < 0.6
    assert 0 < np.mean(np.array(every) <= 0.1) < 0.2


def test_lists_of_run_files_can_get_the_items_of_a_collection(tmp_path):
    path = tmp_path / "runs.txt"
    path.write_text(
        "".join(f"1 Q0 d{item} 1 {score} {run}\n" for run in "ab" for item, score in ((3, 2), (1, 1), (2, 1)))
    )
    found = wkendall.read_trec(path)["1"]
    lists = wkendall.from_lists(
        dict(zip(found.labels, found.to_lists(), strict=True)), items=[f"d{n}" for n in range(9)]
    )
    assert (lists.labels, lists.n_items) == (["a", "b"], 9)
    assert lists.to_lists() == found.to_lists() == [["d3", {"d1", "d2"}]] * 2
    with_all, without = (permutation_pvalue(x[0], x[1], rng=0, n_permutations=199)[0] for x in (lists, found))
    assert with_all < 0.05 < without


def test_one_ranking_with_every_row():
    names = ["x", "y", "z"]
    one = wkendall.from_lists({"query": ["a", "b"]}, items=list("abcdef"))
    many = wkendall.from_lists([["a", "b"], ["b", "c"], ["d", "e", "f"]], items=list("abcdef"))
    repeated = one[[0, 0, 0]]
    for first, second, x, y in ((one, many, repeated, many), (many, one, many, repeated)):
        found = permutation_pvalue(first, second, wkendall.RankBiasedOverlap(0.9), n_permutations=50, rng=0)
        assert (
            found.tolist()
            == permutation_pvalue(x, y, wkendall.RankBiasedOverlap(0.9), n_permutations=50, rng=0).tolist()
        )
    truth = pd.DataFrame([[1, 2, 3]], columns=names, index=["v"])
    systems = pd.DataFrame([[1, 2, 3], [3, 2, 1]], columns=names, index=["u", "v"])
    assert permutation_pvalue(truth, systems, n_permutations=5, rng=0).shape == (2,)


def test_errors():
    with pytest.raises(
        wkendall.RankingError, match=r"Y has 2 rankings, but X has 3.*, or one ranking with ev"
    ) as caught:
        permutation_pvalue([[1, 2], [2, 1], [1, 2]], [[1, 2], [2, 1]])
    assert caught.value.argument == "Y"
    with pytest.raises(ValueError, match="n_permutations"):
        permutation_pvalue([[1, 2]], [[1, 2]], n_permutations=0)
    assert permutation_pvalue(np.empty((0, 3)), np.empty((0, 3))).shape == (0,)
