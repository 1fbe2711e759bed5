"""Learning from rankings with ties and missing items: mean tensors by enumeration."""

import numpy as np
import pytest
import wkendall
from definitions import completions, random_rows
from wkendall import (
    AlternatingClassifier,
    AlternatingRegressor,
    Rankings,
    SuquanSVDClassifier,
    SuquanSVDRegressor,
    _core,
)
from wkendall.learning import position_tensors
from wkendall.learning.position_tensors import PositionTensors
from wkendall.learning.suquan import leading_weights

NAN = np.nan


def tied(X):
    """The tensors of rankings that are taken for rankings with ties even if they have none."""
    with_ties = np.vstack([np.ones((1, X.shape[1])), X])
    rankings = _core.Rankings(with_ties, ties="mean", missing="bottom")
    return PositionTensors(rankings.select(np.arange(1, len(with_ties)), keep=True))


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


@pytest.mark.parametrize("inverse", [False, True])
def test_blocks_of_rankings_are_multiplied(inverse, monkeypatch):
    rng = np.random.default_rng(5)
    sample = tied(random_rows(rng, 11, 4))
    sample = sample.inverted() if inverse else sample
    stack = rng.standard_normal((3, 4, 4))
    wanted = sum(sample.embed(U) @ sample.embed(U).T for U in stack)
    for size in (1, 4 * 16, 1 << 20):
        monkeypatch.setattr(position_tensors, "BLOCK", size)
        np.testing.assert_allclose(sample.gram(stack, 2), wanted, atol=1e-12)


@pytest.mark.parametrize("kind", [SuquanSVDClassifier, AlternatingClassifier, SuquanSVDRegressor, AlternatingRegressor])
@pytest.mark.parametrize("order", [1, 2])
def test_estimators_take_ties_and_missing_items(kind, order):
    rng = np.random.default_rng(4)
    y = np.arange(120) % 2
    scores = rng.integers(0, 4, (120, 5)).astype(float)
    scores[:, 0] += 2 * y
    scores[rng.random((120, 5)) < 0.2] = NAN
    model = kind(order, input="scores", ties="mean", missing="bottom").fit(scores, y)
    assert model.score(scores, y) > (0.65 if "Classifier" in kind.__name__ else 0.1)
    found = model.decision_function(scores) if "Classifier" in kind.__name__ else model.predict(scores)
    for row in range(5):
        tensor = mean_embedding(-scores[row], model.U_)
        assert found[row] == pytest.approx((tensor * model.B_).sum() + model.intercept_, abs=1e-9)
    # New rankings may be complete.
    model.predict([[5, 4, 3, 2, 1], [1, 2, 3, 4, 5]])


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize("order", [1, 2])
def test_weights_from_rankings_with_ties(order, pure):
    rng = np.random.default_rng(6)
    X = random_rows(rng, 30, 5)
    y = np.where(np.arange(30) % 3, "a", "b")
    votes = Rankings(X, ties="mean", missing="bottom")
    found = wkendall.suquan_svd(votes, y, order, pure=pure, n_jobs=1)
    # The same as of all complete rankings that agree, with parts of the coefficient.
    rows, coefficients = [], []
    for row, label in zip(X, y, strict=True):
        agree = completions(row, "bottom")
        rows += agree
        coefficients += [(1 / 10 if label == "b" else -1 / 20) / len(agree)] * len(agree)
    complete = PositionTensors(_core.Rankings(np.array(rows)))
    wanted = leading_weights(complete, np.array(coefficients), order, 1, pure)
    np.testing.assert_allclose(found.singular_values, wanted.singular_values, rtol=1e-9)
    np.testing.assert_allclose(found.U, wanted.U, atol=1e-8)
    np.testing.assert_allclose(found.B, wanted.B, atol=1e-8)
    other = wkendall.suquan_svd(votes, y, order, pure=pure, n_jobs=2)
    np.testing.assert_array_equal(found.U, other.U)


def test_what_is_not_learned():
    X, y = [[1, 1, 2], [NAN, 1, 2], [2, 1, 3], [3, 2, 1]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"missing is .anywhere., which is for the standard weight: means of position"):
        wkendall.suquan_svd(Rankings(X, ties="mean", missing="anywhere"), y)
    with pytest.raises(ValueError, match="order is 3, but with ties or missing items"):
        wkendall.suquan_svd(Rankings(X, ties="mean", missing="bottom"), y, 3)
    with pytest.raises(ValueError, match="X has no items"):
        wkendall.suquan_svd(np.zeros((2, 0)), [0, 1])
