"""Classifiers and regressors that learn weights, for scikit-learn."""

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from labelled import CLASSIFIERS, NAN, REGRESSORS, scores_of, two_classes
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import Rankings, SuquanSVDClassifier, SuquanSVDRegressor

GOOD = {"X": [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 2, 1]], "y": [0, 1, 0, 1]}


@pytest.mark.filterwarnings("ignore:the rankings contain no information about y", "ignore:not converged after max_iter")
@pytest.mark.filterwarnings("ignore:the model predicts class")
@parametrize_with_checks([kind(input="scores", ties="mean") for kind in CLASSIFIERS + REGRESSORS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def quick(kind, **options):
    """A learner that stops early."""
    return kind(**options, **({} if "Suquan" in kind.__name__ else {"tol": 1e-2}))


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_rankings_give_what_their_array_gives(kind):
    X, y = two_classes(np.random.default_rng(20), 60, 5)
    model = quick(kind).fit(X, y)
    votes = Rankings(X, items="abcde")
    # The estimator's own options are for arrays.
    found = quick(kind, input="scores").fit(votes, y)
    np.testing.assert_array_equal(found.predict(votes), model.predict(X))
    assert found.feature_names_in_.tolist() == list("abcde")
    backwards = Rankings(X[:, ::-1], items="edcba")
    np.testing.assert_array_equal(found.predict(backwards), model.predict(X))
    assert found.score(backwards, y) == model.score(X, y)
    with pytest.raises(ValueError, match="the data of fit has the item 'a', but X does not"):
        found.predict(Rankings(X, items="fbcde"))
    np.testing.assert_array_equal(cross_val_score(quick(kind), votes, y), cross_val_score(quick(kind), X, y))
    grid = {"C": [0.1, 10.0], "order": [1, 2]}
    by_array, by_votes = (GridSearchCV(quick(kind), grid, cv=3).fit(data, y) for data in (X, votes))
    np.testing.assert_array_equal(by_array.cv_results_["mean_test_score"], by_votes.cv_results_["mean_test_score"])


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("order", [1, 2])
def test_lists_out_of_a_catalogue(kind, order):
    rng = np.random.default_rng(21)
    y = np.arange(60) % 2
    scores = rng.random((60, 7))
    scores[:, :2] += 0.5 * y[:, np.newaxis]
    X = np.where(scores >= np.sort(scores, axis=1)[:, [-3]], scores, NAN)
    how = {"input": "scores", "missing": "bottom"}
    expected = kind(order, **how).fit(X, y)
    lists = csr_array(np.nan_to_num(X))
    for model, data in ((kind(order, **how), lists), (kind(order), Rankings(lists, **how))):
        model.fit(data, y)
        np.testing.assert_allclose(model.B_, expected.B_, atol=1e-9)
        np.testing.assert_array_equal(model.predict(data).round(9), expected.predict(X).round(9))


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_counts_are_weights_and_weights_are_repetitions(kind):
    rng = np.random.default_rng(22)
    X, y = two_classes(rng, 40, 4)
    y = y if kind in CLASSIFIERS else y + rng.standard_normal(40)
    counts = rng.integers(0, 4, 40)
    counts[:2] = 1
    expected = kind().fit(X, y, sample_weight=counts)
    repeated = kind().fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(expected.U_, repeated.U_, atol=1e-6)
    np.testing.assert_allclose(expected.B_, repeated.B_, atol=1e-6)
    model = kind().fit(Rankings(X, counts=counts), y)
    np.testing.assert_array_equal(model.B_, expected.B_)
    assert model.score(Rankings(X, counts=counts), y) == expected.score(X, y, sample_weight=counts)
    assert model.score(Rankings(X, counts=counts), y, np.ones(40)) == expected.score(X, y)


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_scores_by_items_and_by_positions(kind, order):
    rng = np.random.default_rng(order)
    X, y = two_classes(rng, 60, 4)
    new = random_rankings(rng, 30, 4)
    model = quick(kind, order=order).fit(X, y)
    found = model.decision_function(new) if kind in CLASSIFIERS else model.predict(new)
    np.testing.assert_allclose(found, scores_of(model, new), atol=1e-10)
    np.testing.assert_allclose(found, scores_of(model, new, inverted=True), atol=1e-10)


@pytest.mark.parametrize("kind", [SuquanSVDClassifier, SuquanSVDRegressor])
def test_scores_of_several_components(kind):
    rng = np.random.default_rng(3)
    X, y = two_classes(rng, 60, 5)
    model = kind(n_components=2).fit(X, y)
    assert model.U_.shape[0] > 2
    assert model.singular_values_.shape == (2,)
    found = model.decision_function(X) if kind is SuquanSVDClassifier else model.predict(X)
    np.testing.assert_allclose(found, scores_of(model, X), atol=1e-10)
    np.testing.assert_allclose(found, scores_of(model, X, inverted=True), atol=1e-10)


def test_the_machine_is_that_of_the_kernel():
    rng = np.random.default_rng(4)
    X, y = two_classes(rng)
    new = random_rankings(rng, 50, 5)
    model = SuquanSVDClassifier(C=2.0).fit(X, y)
    np.testing.assert_allclose(model.U_, wkendall.suquan_svd(X, y).U, atol=1e-12)
    machine = SVC(C=2.0, kernel="precomputed", tol=1e-8).fit(wkendall.gram_matrix(X, U=model.U_), y)
    expected = machine.decision_function(wkendall.gram_matrix(new, X, U=model.U_))
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-3)


def test_the_regression_is_ridge_on_the_embedding():
    rng = np.random.default_rng(5)
    X = random_rankings(rng, 60, 5)
    y = X[:, 0] + rng.standard_normal(60) + 1e6
    weights = rng.uniform(0.5, 2, 60)
    model = SuquanSVDRegressor(C=0.7).fit(X, y, sample_weight=weights)
    tensors = wkendall.embed(X, model.U_).reshape(60, -1)
    ridge = Ridge(alpha=1 / 1.4).fit(tensors, y, sample_weight=weights)
    np.testing.assert_allclose(model.predict(X), ridge.predict(tensors), rtol=1e-9)


def test_more_than_two_classes():
    rng = np.random.default_rng(7)
    scores = rng.standard_normal((150, 6))
    y = np.arange(150) % 3
    scores[np.arange(150), y] += 3
    X = (-scores).argsort(axis=1).argsort(axis=1) + 1
    labels = np.array(["one", "two", "three"])[y]
    for kind in CLASSIFIERS:
        model = quick(kind).fit(X, labels)
        assert model.classes_.tolist() == ["one", "three", "two"]
        assert model.decision_function(X).shape == (150, 3)
        assert len(model.U_) == len(model.B_) == len(model.intercept_) == 3
        assert model.score(X, labels) > 0.8
        for column, label in enumerate(model.classes_):
            alone = quick(kind).fit(X, labels == label)
            np.testing.assert_allclose(model.decision_function(X)[:, column], alone.decision_function(X), atol=1e-9)


def test_weights_of_classes_count_like_weights_of_samples():
    X, y = two_classes(np.random.default_rng(9), 40, 4)
    y[:10] = 0
    for kind in CLASSIFIERS:
        model = kind(class_weight={0: 1.0, 1: 5.0}).fit(X, y)
        other = kind().fit(X, y, sample_weight=np.where(y == 1, 5.0, 1.0))
        np.testing.assert_allclose(model.B_, other.B_, atol=1e-9)
        balanced = kind(class_weight="balanced").fit(X, y)
        counts = np.bincount(y)
        other = kind(class_weight={0: 20 / counts[0], 1: 20 / counts[1]}).fit(X, y)
        np.testing.assert_allclose(balanced.B_, other.B_, atol=1e-9)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("factor", [0, -1, NAN])
def test_bad_weights_of_classes_are_refused(kind, factor):
    with pytest.raises(
        ValueError, match=f"class_weight of class 0 is {float(factor)}, but must be a finite number above zero"
    ):
        kind(class_weight={0: factor, 1: 1}).fit(**GOOD)


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": Rankings([[1, 2, 3]]), "y": [0]}, "X has 1 ranking, but .* needs at least 2"),
        ({"X": Rankings([[1], [1]]), "y": [0, 1]}, "X has 1 item, but .* needs at least 2"),
        ({"y": [0, 1, 0]}, r"y is of shape \(3,\), but X has 4 rankings"),
        ({"y": None}, "requires y to be passed, but the target y is None"),
        ({"y": [0, 1, np.nan, 1]}, "NaN"),
        ({"X": Rankings([[1, 2, NAN]] * 4, missing="anywhere")}, "missing is .anywhere., which is for the standard"),
    ],
)
def test_bad_rankings_and_labels_are_refused(kind, change, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(**{"X": Rankings(GOOD["X"]), "y": GOOD["y"], **change})
