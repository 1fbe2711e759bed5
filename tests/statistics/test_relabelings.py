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
