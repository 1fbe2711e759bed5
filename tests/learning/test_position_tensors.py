"""Learning from rankings with ties and missing items: mean tensors by enumeration."""

import numpy as np
import pytest
import wkendall
from completions import completions, random_rows
from definitions import random_rankings
from subspaces import leading_subspaces, pure_basis
from wkendall import AlternatingClassifier, AlternatingRegressor, SuquanSVDClassifier, SuquanSVDRegressor, _core
from wkendall.learning.position_tensors import Complete, Tied, block_means
from wkendall.learning.suquan import leading_weights

NAN = np.nan


def tied(X):
    rankings = _core.Rankings.tied(X, False, True, "bottom")
    return Tied(rankings.ranks() - rankings.is_complete)  # from 1 if they are complete


def mean_embedding(row, U):
    return np.mean([wkendall.embed([ranks], U)[0] for ranks in completions(row, "bottom")], axis=0)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 4, 5])
def test_tensors_are_means_over_completions(n, order):
    rng = np.random.default_rng(n)
    X = random_rows(rng, 5, n)
    U, B = rng.standard_normal((2, *(n,) * order))
    coefficients = rng.standard_normal(5)
    sample = tied(X)
    wanted = np.array([mean_embedding(row, U) for row in X])
    flat = wanted.reshape(5, -1)
    np.testing.assert_allclose(sample.embed(U), flat, atol=1e-12)
    np.testing.assert_allclose(sample.gram(U, order), flat @ flat.T, atol=1e-11)
    np.testing.assert_allclose(sample.combine(coefficients, U), np.tensordot(coefficients, wanted, axes=1), atol=1e-11)
    np.testing.assert_allclose(sample.scores(U, B), flat @ B.ravel(), atol=1e-11)
    np.testing.assert_allclose(sample.inverted().scores(B, U), flat @ B.ravel(), atol=1e-11)
    sums = sample.tuple_sums(coefficients, order)
    np.testing.assert_allclose(sums @ U.ravel(), sample.combine(coefficients, U).ravel(), atol=1e-11)
    np.testing.assert_allclose(sums.T @ B.ravel(), sample.inverted().combine(coefficients, B).ravel(), atol=1e-11)


@pytest.mark.parametrize("order", [1, 2])
def test_complete_rankings_are_the_same_either_way(order):
    rng = np.random.default_rng(1)
    X = random_rankings(rng, 6, 5)
    U, B = rng.standard_normal((2, *(5,) * order))
    coefficients = rng.standard_normal(6)
    one, other = Complete(_core.Rankings(X, "ranks", False)), Tied(X - 1)
    for first, second in ((one, other), (one.inverted(), other.inverted())):
        np.testing.assert_allclose(first.embed(U), second.embed(U), atol=1e-12)
        np.testing.assert_allclose(first.gram(U, order), second.gram(U, order), atol=1e-11)
        np.testing.assert_allclose(first.combine(coefficients, U), second.combine(coefficients, U), atol=1e-11)
        np.testing.assert_allclose(first.scores(U, B), second.scores(U, B), atol=1e-11)
        np.testing.assert_allclose(
            first.tuple_sums(coefficients, order), second.tuple_sums(coefficients, order), atol=1e-12
        )


def test_block_means_are_a_projection():
    rng = np.random.default_rng(2)
    for U in (rng.standard_normal(7), rng.standard_normal((7, 7))):
        once = block_means(U, np.array([0, 1, 4]))
        np.testing.assert_allclose(block_means(once, np.array([0, 1, 4])), once, atol=1e-13)


@pytest.mark.parametrize("pure", [False, True])
def test_singular_vectors_of_incomplete_rankings(pure):
    rng = np.random.default_rng(3)
    X = random_rows(rng, 40, 4)
    sample = tied(X)
    coefficients = np.where(np.arange(40) % 2, 1.0, -1.0) / 20
    M = sample.tuple_sums(coefficients, 2).T
    if pure:
        basis = pure_basis(4, 2)
        M = basis.T @ basis @ M @ basis.T @ basis
    (value, left, _, size), *_ = leading_subspaces(M, 1)
    found = leading_weights(sample, coefficients, 2, 1, pure)
    np.testing.assert_allclose(found.singular_values, [value], rtol=1e-9)
    assert found.multiplicity.tolist() == [size]
    np.testing.assert_allclose(left @ found.U.ravel(), found.U.ravel(), atol=1e-8)


@pytest.mark.parametrize("kind", [SuquanSVDClassifier, AlternatingClassifier, SuquanSVDRegressor, AlternatingRegressor])
@pytest.mark.parametrize("order", [1, 2])
def test_estimators_take_ties_and_missing_items(kind, order):
    rng = np.random.default_rng(4)
    y = np.arange(120) % 2
    scores = rng.integers(0, 4, (120, 5)).astype(float)
    scores[:, 0] += 2 * y
    scores[rng.random((120, 5)) < 0.2] = NAN
    model = kind(order, input="scores", ties="mean", missing="bottom", tol=1e-3).fit(scores, y)
    assert model.score(scores, y) > (0.65 if "Classifier" in kind.__name__ else 0.1)
    found = model.decision_function(scores) if "Classifier" in kind.__name__ else model.predict(scores)
    for row in range(5):
        tensor = mean_embedding(-scores[row], model.U_)
        assert found[row] == pytest.approx((tensor * model.B_).sum() + model.intercept_, abs=1e-9)
    # New rankings may be complete.
    model.predict([[5, 4, 3, 2, 1], [1, 2, 3, 4, 5]])


def test_what_estimators_do_not_take():
    X, y = [[1, 1, 2], [NAN, 1, 2], [2, 1, 3], [3, 2, 1]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match="NaN"):
        SuquanSVDClassifier(ties="mean").fit(X, y)
    with pytest.raises(ValueError, match=r'X: row 0 holds 1 twice, .*ties="mean"'):
        SuquanSVDClassifier(missing="bottom").fit(X, y)
    with pytest.raises(ValueError, match='missing="anywhere" is for the standard weight'):
        SuquanSVDClassifier(ties="mean", missing="anywhere").fit(X, y)
    with pytest.raises(
        ValueError, match="order is 3, but with ties or missing items weights are learned for order 1 and 2 only"
    ):
        SuquanSVDClassifier(3, ties="mean", missing="bottom").fit(X, y)


def test_enumeration_helper_counts():
    assert len(completions([1.0, 1.0, NAN, NAN], "bottom")) == 4
    assert all(sorted(ranks) == [1, 2, 3] for ranks in completions([NAN] * 3, "bottom"))
