"""The weight "later", and kernels with weights of items; tests/rust and test_comparisons.py compare values with definitions."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import wkendall
from definitions import random_rankings


def weights_of(n, rng):
    """Every weight, with `u` by name and as numbers of both signs."""
    top = [{"weight": "top", "k": (n + 1) // 2}, {"weight": "top", "k": n}] if n else []
    u = rng.standard_normal(n)
    with_u = [{"weight": weight, "u": named} for weight in ("add", "mult", "later") for named in ("ap", "log", u)]
    return [{"weight": "standard"}, *top, {"weight": "average"}, *with_u]


def test_relabelled_items():
    rng = np.random.default_rng(3)
    for n in (6, 40):
        X, labels, v = random_rankings(rng, 6, n), rng.permutation(n), rng.uniform(0, 1, n)
        for weight in weights_of(n, rng):
            one, other = (wkendall.Kendall(**weight, item_weight=w) for w in (v, v[labels]))
            np.testing.assert_allclose(other(X[:, labels]), one(X), rtol=1e-12, atol=1e-12)
        later = wkendall.Kendall("later", u="ap")
        np.testing.assert_allclose(later(X[:, labels]), later(X), rtol=1e-13)


def test_later_and_ap_correlation():
    """The first ranking is fixed: the sum of both directions' terms, not the product."""
    n = 5
    s, X = np.arange(1, n + 1), np.array(list(permutations(range(1, n + 1))))
    tau = wkendall.APCorrelation()(X, [s])[:, 0]
    # With u = 1 in the other ranking, the sum of "later" is that of AP correlation: (tau + 1) (n - 1) / 2.
    u = wkendall.position_weights(n, "later", u="ap")
    ones = np.triu(np.ones((n, n)), 1)
    numbers = [np.sum(u[np.ix_(s - 1, s - 1)] * ones[np.ix_(x - 1, x - 1)]) for x in X]
    np.testing.assert_allclose(numbers, (tau + 1) * (n - 1) / 2, atol=1e-12)


def test_kappa_has_no_items():
    with pytest.raises(wkendall.RankingError, match="kappa") as caught:
        wkendall.kappa([2, 1, 3], item_weight=[1, 2, 3])
    assert caught.value.argument == "item_weight"


def test_position_weights():
    np.testing.assert_array_equal(wkendall.position_weights(3, "later", u=[5, 3, 2]), [[0, 3, 2], [0, 0, 2], [0, 0, 0]])
    X = random_rankings(np.random.default_rng(5), 6, 7)
    U = wkendall.position_weights(7, "later", u="ap")
    np.testing.assert_allclose(
        wkendall.gram_matrix(X, U=U), wkendall.gram_matrix(X, weight="later", u="ap"), rtol=1e-12
    )
    np.testing.assert_array_equal(wkendall.position_weights(3, "add", u="ap")[0], [0, 1, 0.5])
    with pytest.raises(wkendall.RankingError, match="later") as caught:
        wkendall.position_weights(3, "later", u="ap", order=3)
    assert caught.value.argument == "order"


def test_shorthand():
    X, v = random_rankings(np.random.default_rng(6), 5, 4), [1, 0, 2, 3]
    kernel = wkendall.Kendall("later", u="ap", item_weight=v)
    np.testing.assert_array_equal(wkendall.gram_matrix(X, weight="later", u="ap", item_weight=v), kernel(X))
    assert wkendall.kernel(X[0], X[1], weight="later", u="ap", item_weight=v) == kernel(X)[0, 1]
    np.testing.assert_array_equal(wkendall.diagonal(X, item_weight=v), wkendall.Kendall(item_weight=v)(X).diagonal())
    assert repr(kernel) == "Kendall('later', u='ap', item_weight=[1, 0, 2, 3])"


def test_correlation_with_later():
    rng = np.random.default_rng(7)
    for n in (2, 5, 40):
        X = random_rankings(rng, 5, n)
        for u in ("ap", rng.uniform(0, 1, n), rng.standard_normal(n)):
            concordant, signed = (wkendall.Kendall("later", u=u, signed=signed)(X) for signed in (False, True))
            total = 2 * concordant - signed
            wanted = np.divide(signed, total, out=np.zeros_like(total), where=total != 0)
            np.testing.assert_allclose(wkendall.KendallCorrelation("later", u=u)(X), wanted, rtol=1e-8, atol=1e-9)


def test_very_large_and_small_numbers():
    X = random_rankings(np.random.default_rng(9), 5, 40)
    v = np.linspace(0, 1, 40)
    for u in (np.linspace(1, 2, 40), np.geomspace(1, 1e-30, 40)):
        for weight in ("add", "mult", "later"):
            kernel = wkendall.Kendall(weight, u=u, item_weight=v, normalize=True)
            for scale in (1e-200, 1e120):
                huge = wkendall.Kendall(weight, u=scale * u, item_weight=scale * v, normalize=True)
                np.testing.assert_allclose(huge(X), kernel(X), rtol=1e-9)
    for parameters in ({"u": 1e200 * np.ones(40)}, {"u": "ap", "item_weight": 1e200 * v}):
        with pytest.raises(wkendall.RankingError):
            wkendall.Kendall("later", **parameters)(X)


def test_terms_that_cancel():
    """A self-similarity that is only rounding is 0."""
    X = random_rankings(np.random.default_rng(10), 4, 2)
    kernel = wkendall.Kendall("add", u=[0.1, -0.1], item_weight=[1, 2], normalize=True)
    assert not kernel(X).any()


def test_large_catalogues():
    """The cost depends on the lengths of the lists."""
    rng, n = np.random.default_rng(11), 200_000
    lists = [rng.choice(n, 10, replace=False).tolist() for _ in range(40)]
    rankings = wkendall.from_lists(lists, items=range(n))
    v = rng.uniform(0, 1, n)
    few = np.unique(lists)
    for weight in ({"weight": "later", "u": "ap"}, {"weight": "average"}, {"weight": "mult", "u": "log"}):
        for signed in (False, True):
            K = wkendall.Kendall(**weight, item_weight=v, signed=signed, normalize=True)(rankings)
            np.testing.assert_allclose(K.diagonal(), 1)
            assert np.linalg.eigvalsh(K)[0] > -1e-10
    # Items without a weight do not count: as if there were fewer, if ranks do not matter.
    v[np.setdiff1d(np.arange(n), few)] = 0
    places = {item: place for place, item in enumerate(few.tolist())}
    fewer = wkendall.from_lists([[places[item] for item in row] for row in lists], items=range(len(few)))
    one, other = (wkendall.Kendall(item_weight=w, signed=True) for w in (v, v[few]))
    np.testing.assert_allclose(one(rankings), other(fewer), rtol=1e-9)


@pytest.mark.parametrize("item_weight", [None, np.ones(4), np.arange(4)])
def test_features_have_names(item_weight):
    """Their values are checked in tests/rust."""
    X = random_rankings(np.random.default_rng(13), 4, 4)
    kernel = wkendall.Kendall("later", u="ap", item_weight=item_weight)
    F = wkendall.features(X, kernel)
    np.testing.assert_allclose(F @ F.T, kernel(X), rtol=0, atol=1e-12 * np.abs(kernel(X)).max())
    estimator = wkendall.KendallFeatures(wkendall.Kendall(item_weight=item_weight)).fit(X)
    assert len(estimator.get_feature_names_out()) == estimator.transform(X).shape[1]


def test_consensus_and_importance_of_later():
    rng = np.random.default_rng(14)
    X, every = random_rankings(rng, 9, 5), np.array(list(permutations(range(1, 6))))
    coef = rng.standard_normal(9)
    for signed in (False, True):
        for normalize in (False, True):
            kernel = wkendall.Kendall("later", u="ap", signed=signed, normalize=normalize)
            found = wkendall.consensus(X, kernel=kernel)
            assert found.score == pytest.approx(kernel(every, X).mean(axis=1).max())
            assert kernel([found.ranking], X).mean() == pytest.approx(found.score)
            U = wkendall.TensorKernel(wkendall.position_weights(5, "later", u="ap"))
            if not signed and not normalize:
                wanted = wkendall.pair_importance(X, coef, kernel=U)
                for one, other in zip(wkendall.pair_importance(X, coef, kernel=kernel), wanted, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-12)
    for function in (wkendall.consensus, lambda X, kernel: wkendall.pair_importance(X, coef, kernel=kernel)):
        with pytest.raises(wkendall.RankingError) as caught:
            function(X, kernel=wkendall.Kendall(item_weight=[1, 2, 3, 4, 5]))
        assert caught.value.argument == "item_weight"


@pytest.mark.parametrize(
    "measure",
    [wkendall.Kendall, wkendall.RankBiasedOverlap, wkendall.GeneralizedKendall, wkendall.WeightedTau],
    ids=lambda made: made.__name__,
)
def test_labels_are_refused_because_a_measure_has_no_names(measure):
    name = {"GeneralizedKendall": "item_weights", "WeightedTau": "rank"}.get(measure.__name__, "item_weight")
    values = pd.Series([2, 1, 0], index=["c", "b", "a"])
    frame = pd.DataFrame([[1, 2, 3], [3, 1, 2]], columns=["a", "b", "c"])
    with pytest.raises(
        wkendall.RankingError, match=f"{name} has the labels 'c', 'b', 'a', but numbers belong to items"
    ):
        measure(**{name: values})(frame)
    plain = values.reset_index(drop=True)
    assert np.array_equal(measure(**{name: plain})(frame), measure(**{name: [2, 1, 0]})(frame))
