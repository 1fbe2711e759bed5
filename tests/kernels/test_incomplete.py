"""Ties and missing items: means over all complete rankings that agree. tests/rust compares them with enumerations."""

import numpy as np
import pytest
import wkendall
from definitions import NAN, kernels, random_rankings
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
    with pytest.raises(ValueError, match=r"missing is .anywhere., which is for the standard weight: tensors of"):
        wkendall.embed(Rankings([[1, NAN]], missing="anywhere"), np.ones(2))
