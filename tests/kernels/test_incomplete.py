"""Ties and missing items: means over all complete rankings that agree. tests/rust compares them with enumerations."""

import numpy as np
import pytest
import wkendall
from definitions import NAN, completions, kernels, random_rankings, random_rows
from nouns import features
from scipy.stats import kendalltau
from wkendall import Rankings


@pytest.mark.parametrize("n", [5, 1000, 300_000])
def test_signed_values_of_unknown_places_keep_their_digits(n):
    X = np.full((2, n), NAN)
    X[:, 0] = 1
    X[0, 1] = X[1, 2] = 2
    value = wkendall.gram_matrix(X, missing="anywhere", signed=True)[0, 1]
    np.testing.assert_allclose(value, (n - 3) / 9 + 2 / 3 - 1 / 9, rtol=1e-13)


def test_everything_tied():
    # All items tied: every ordered pair has chance 1/2.
    assert wkendall.kernel([1, 1, 1, 1], [1, 2, 3, 4], ties="mean") == 3.0
    assert wkendall.kernel([5, 5, 5, 5], [2, 2, 2, 2], ties="mean") == 3.0
    assert wkendall.kernel([NAN] * 4, [1, 2, NAN, NAN], missing="bottom") == 3.0
    assert wkendall.kernel([1, 1, 1], [3, 2, 1], ties="mean", signed=True) == 0.0
    assert wkendall.kernel([1, 1, 1], [3, 2, 1], ties="mean", signed=True, normalize=True) == 0.0


def test_complete_rows_are_what_they_were():
    rng = np.random.default_rng(2)
    X = random_rankings(rng, 80, 12)
    for kernel in kernels(12, rng):
        plain = wkendall.gram_matrix(X, **kernel)
        np.testing.assert_array_equal(plain, wkendall.gram_matrix(X, ties="mean", missing="bottom", **kernel))
        np.testing.assert_array_equal(plain, wkendall.gram_matrix(X * 10.0 - 3, ties="mean", **kernel))
        # Beside one that is not complete they are computed in another way.
        tied = np.vstack([X, np.ones(12)])
        np.testing.assert_allclose(
            wkendall.gram_matrix(tied, ties="mean", **kernel)[:-1, :-1], plain, rtol=1e-11, atol=1e-13
        )


def test_tau_b():
    rng = np.random.default_rng(6)
    for n in (2, 5, 12, 40):
        x, y = rng.integers(0, max(2, n // 3), (2, n))
        x[:2], y[:2] = (0, 1), (1, 0)
        assert wkendall.kernel(x, y, ties="mean", signed=True, normalize=True) == pytest.approx(
            kendalltau(x, y).statistic
        )


@pytest.mark.parametrize("missing", ["error", "bottom", "anywhere"])
@pytest.mark.parametrize("signed", [False, True])
def test_features_are_means_over_completions(signed, missing):
    rng = np.random.default_rng(20)
    for n in range(1, 5):
        X = random_rows(rng, 8, n, missing=missing != "error")
        for parameters in kernels(n, rng) if missing != "anywhere" else [{}]:
            found = features(X, {"ties": "mean", "missing": missing, "signed": signed, **parameters})
            for row, vector in zip(X, found, strict=True):
                mean = features(completions(row, missing), {"signed": signed, **parameters}).mean(axis=0)
                np.testing.assert_allclose(vector, mean, atol=1e-13)
            kernel = {"ties": "mean", "missing": missing, "signed": signed, "normalize": True, **parameters}
            unit = features(X, kernel)
            np.testing.assert_allclose(unit @ unit.T, wkendall.gram_matrix(X, **kernel), atol=1e-12)


def test_features_of_unknown_places_in_blocks_and_for_estimators(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 6)) < 0.4, NAN, random_rankings(rng, 40, 6))
    rankings = Rankings(X, missing="anywhere")
    wanted = wkendall.features(rankings)
    monkeypatch.setattr(wkendall.embedding, "BLOCK", 50)
    np.testing.assert_array_equal(wkendall.features(rankings), wanted)
    np.testing.assert_array_equal(wkendall.KendallFeatures(missing="anywhere").fit_transform(X), wanted)
    out = np.empty(wanted.shape, dtype=np.float32)
    assert wkendall.features(rankings, out=out, dtype=np.float32) is out
    np.testing.assert_allclose(out, wanted, rtol=1e-6)
    assert wkendall.features(Rankings([[NAN]], missing="anywhere")).shape == (1, 1)
    for refused in (
        wkendall.Kendall("average"),
        wkendall.Kendall(order=3),
        wkendall.Kendall() + wkendall.Kendall("average"),
    ):
        with pytest.raises(ValueError, match=r"anywhere|order is 3"):
            wkendall.features(rankings, refused)
    with pytest.raises(wkendall.RankingError, match="one Kendall"):
        wkendall.features(rankings, 2 * wkendall.Kendall())


def test_repeated_rows_of_unknown_places_are_told_apart():
    X = np.array([[1, 2, NAN], [1, 2, 3]] * 40)
    few = wkendall.gram_matrix(X[:2], missing="anywhere")
    assert few[0, 1] != few[0, 0]
    np.testing.assert_allclose(wkendall.gram_matrix(X, missing="anywhere"), np.tile(few, (40, 40)), rtol=1e-14)


def test_advice_is_given_only_where_it_can_be_followed():
    for call, can in (
        (wkendall.Rankings, True),
        (wkendall.gram_matrix, True),
        (wkendall.Mallows(1.0), True),
        (lambda X: wkendall.KendallCorrelation()(X[0], X[0]), True),
        (wkendall.inverse, False),
    ):
        with pytest.raises(ValueError, match="holds 2 twice") as raised:
            call([[1, 2, 2]])
        assert ("ties=" in str(raised.value)) == can


def test_tensors_of_unknown_places_are_refused():
    with pytest.raises(
        ValueError, match=r"missing is .anywhere., which is for the standard weight: means of position weights"
    ):
        wkendall.embed(Rankings([[1, NAN]], missing="anywhere"), np.ones(2))
