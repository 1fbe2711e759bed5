"""Learning weights and coefficients together, and the estimators for scikit-learn."""

import csv
import pickle
import warnings

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from paths import SURVEY
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import AlternatingClassifier, AlternatingRegressor, SuquanSVDClassifier, SuquanSVDRegressor
from wkendall.learning.coefficients import Hinge, Squares, best_intercept, merge
from wkendall.learning.decomposition import Pure
from wkendall.learning.interior_point import FromFeatures, FromGram

CLASSIFIERS = [SuquanSVDClassifier, AlternatingClassifier]
REGRESSORS = [SuquanSVDRegressor, AlternatingRegressor]
NAN = float("nan")


def two_classes(rng, rows=80, items=5):
    """Rankings of people of whom one half tends to put the first two items first."""
    scores = rng.standard_normal((rows, items))
    y = np.arange(rows) % 2
    scores[:, :2] += 1.5 * y[:, np.newaxis]
    return (-scores).argsort(axis=1).argsort(axis=1) + 1, y


def scores_of(model, X, inverted=False):
    """The scores of a fitted model from the tensors of the rankings, all of them built."""
    U, B = (model.B_, model.U_) if inverted else (model.U_, model.B_)
    order = int(model.order)
    X = wkendall.inverse(X) if inverted else X
    pairs = zip(U.reshape(-1, *U.shape[-order:]), B.reshape(-1, *B.shape[-order:]), strict=True)
    return sum(np.tensordot(wkendall.embed(X, u), b, axes=order) for u, b in pairs) + model.intercept_


def objective(model, X, y, C, squares=False):
    """What the alternating estimators minimise, from its definition."""
    scores = scores_of(model, X)
    losses = (y - scores) ** 2 if squares else np.maximum(0, 1 - np.where(y == model.classes_[1], 1, -1) * scores)
    return C * losses.sum() + (model.U_**2).sum() / 2 + (model.B_**2).sum() / 2


# scikit-learn's checks.


@pytest.mark.filterwarnings("ignore:the rankings tell nothing about y", "ignore:not converged after max_iter")
@parametrize_with_checks([kind(input="scores", ties="mean") for kind in CLASSIFIERS + REGRESSORS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_clone_and_pickle(kind):
    rng = np.random.default_rng(0)
    X, y = two_classes(rng)
    model = kind(order=1, C=3.0).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_grid_search_in_a_pipeline(kind):
    rng = np.random.default_rng(1)
    X, y = two_classes(rng, 60, 4)
    name = kind.__name__.lower()
    grid = {f"{name}__C": [0.1, 10.0], f"{name}__order": [1, 2]}
    if "Suquan" in kind.__name__:
        grid[f"{name}__n_components"] = [1, 2]
    search = GridSearchCV(make_pipeline(FunctionTransformer(lambda X: 5 - X), kind(top="high", tol=1e-2)), grid, cv=3)
    search.fit(X, y)
    assert search.best_score_ > (0.55 if kind in CLASSIFIERS else 0.0)


def test_feature_names():
    import pandas as pd

    X, y = two_classes(np.random.default_rng(2))
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = SuquanSVDClassifier().fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcde")
    assert model.n_features_in_ == 5
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("bacde")])


# Scores.


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_scores_by_items_and_by_positions(kind, order):
    rng = np.random.default_rng(order)
    X, y = two_classes(rng, 60, 4)
    new = random_rankings(rng, 30, 4)
    model = kind(order=order, tol=1e-2).fit(X, y)
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
    model = SuquanSVDClassifier(C=2.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.U_, wkendall.suquan_svd(X, y).U, atol=1e-12)
    machine = SVC(C=2.0, kernel="precomputed", tol=1e-8).fit(wkendall.gram_matrix(X, U=model.U_), y)
    expected = machine.decision_function(wkendall.gram_matrix(new, X, U=model.U_))
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-5)


def test_the_regression_is_ridge_on_the_embedding():
    rng = np.random.default_rng(5)
    X = random_rankings(rng, 60, 5)
    y = X[:, 0] + rng.standard_normal(60) + 1e6
    weights = rng.uniform(0.5, 2, 60)
    model = SuquanSVDRegressor(C=0.7).fit(X, y, sample_weight=weights)
    tensors = wkendall.embed(X, model.U_).reshape(60, -1)
    ridge = Ridge(alpha=1 / 1.4).fit(tensors, y, sample_weight=weights)
    np.testing.assert_allclose(model.predict(X), ridge.predict(tensors), rtol=1e-9)


def test_a_regression_on_two_classes_learns_the_weights_of_a_classifier():
    X, y = two_classes(np.random.default_rng(6))
    one, other = SuquanSVDClassifier().fit(X, y), SuquanSVDRegressor().fit(X, y)
    np.testing.assert_allclose(one.U_, other.U_, atol=1e-10)
    np.testing.assert_allclose(one.singular_values_, other.singular_values_, rtol=1e-10)


def test_more_than_two_classes():
    rng = np.random.default_rng(7)
    scores = rng.standard_normal((150, 6))
    y = np.arange(150) % 3
    scores[np.arange(150), y] += 3
    X = (-scores).argsort(axis=1).argsort(axis=1) + 1
    labels = np.array(["one", "two", "three"])[y]
    for kind in CLASSIFIERS:
        model = kind(tol=1e-2).fit(X, labels)
        assert model.classes_.tolist() == ["one", "three", "two"]
        assert model.decision_function(X).shape == (150, 3)
        assert len(model.U_) == len(model.B_) == len(model.intercept_) == 3
        assert model.score(X, labels) > 0.8
        for column, label in enumerate(model.classes_):
            alone = kind(tol=1e-2).fit(X, labels == label)
            np.testing.assert_allclose(model.decision_function(X)[:, column], alone.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_weights_of_samples_count_like_repetitions(kind):
    rng = np.random.default_rng(8)
    X, y = two_classes(rng, 40, 4)
    y = y if kind in CLASSIFIERS else y + rng.standard_normal(40)
    weights = rng.integers(0, 4, 40)
    weights[:2] = 1
    model = kind().fit(X, y, sample_weight=weights)
    repeated = kind().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(model.U_, repeated.U_, atol=1e-6)
    np.testing.assert_allclose(model.B_, repeated.B_, atol=1e-6)


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


# Alternating.


def half_steps(model, X, y, C, squares):
    """The objective after the best B for U, and after the best U for B, by solvers of scikit-learn on explicit tensors."""
    found = []
    for fixed, _other, rankings in ((model.U_, model.B_, X), (model.B_, model.U_, wkendall.inverse(X))):
        tensors = wkendall.embed(rankings, fixed).reshape(len(X), -1)
        if squares:
            machine = Ridge(alpha=1 / (2 * C)).fit(tensors, y)
            losses, free = (y - machine.predict(tensors)) ** 2, machine.coef_
        else:
            with warnings.catch_warnings():
                # An early end only makes it a weaker rival.
                warnings.simplefilter("ignore", ConvergenceWarning)
                machine = SVC(kernel="linear", C=C, tol=1e-8, max_iter=300_000).fit(tensors, y)
            signs = np.where(y == machine.classes_[1], 1, -1)
            losses, free = np.maximum(0, 1 - signs * machine.decision_function(tensors)), machine.coef_
        found.append(C * losses.sum() + (fixed**2).sum() / 2 + (free**2).sum() / 2)
    return found


def check_alternation(model, X, y, squares=False):
    path = model.objective_path_
    rises = np.diff(path) / path[:-1]
    assert rises.max(initial=0.0) <= 1e-6
    end = objective(model, X, y, model.C, squares)
    np.testing.assert_allclose(end, path[-1], rtol=1e-9)
    for after in half_steps(model, X, y, model.C, squares):
        assert end - after <= (model.tol + 1e-7) * end
    np.testing.assert_allclose(np.linalg.norm(model.U_), np.linalg.norm(model.B_), rtol=0.02)


@pytest.mark.parametrize("problem", range(20))
def test_the_objective_falls_until_no_half_step_helps(problem):
    rng = np.random.default_rng(problem)
    items, order = [(4, 2), (5, 2), (3, 3), (6, 1)][problem % 4]
    C = [0.1, 1.0, 10.0][problem % 3]
    if problem % 2:
        X, y = two_classes(rng, 60, items)
    else:
        X, y = random_rankings(rng, 60, items), np.arange(60) % 2
    init = "suquan" if problem % 5 == 4 else "standard"
    model = AlternatingClassifier(order, C=C, init=init, tol=1e-6, max_iter=2000).fit(X, y)
    check_alternation(model, X, y)
    model = AlternatingRegressor(order, C=C, init=init, tol=1e-6, max_iter=5000).fit(X, y)
    check_alternation(model, X, y, squares=True)


@pytest.mark.skipif(not SURVEY.exists(), reason="the counts of the survey are not there")
def test_the_objective_falls_on_the_survey():
    with SURVEY.open() as file:
        rows = [[int(value) for value in row.values()] for row in csv.DictReader(file)]
    counts = np.array(rows)
    people = np.repeat(counts, counts[:, 8], axis=0)
    chosen = np.random.default_rng(0).permutation(len(people))[:500]
    X, y = people[chosen, :6], people[chosen, 7] >= 3
    model = AlternatingClassifier(C=0.1, tol=1e-4, max_iter=300).fit(X, y)
    check_alternation(model, X, y)
    # All of them, each different answer once.
    model = AlternatingClassifier(C=0.001, tol=1e-3).fit(counts[:, :6], counts[:, 7] >= 3, sample_weight=counts[:, 8])
    assert np.diff(model.objective_path_).max() <= 1e-6 * model.objective_path_[0]
    assert model.objective_path_[-1] < model.objective_path_[0]


def test_a_start_can_be_given():
    X, y = two_classes(np.random.default_rng(10))
    start = wkendall.position_weights(5, "mult", u="log")
    model = AlternatingClassifier(init=start).fit(X, y)
    assert model.objective_path_[-1] < model.objective_path_[0]
    again = AlternatingClassifier(init="suquan").fit(X, y)
    assert again.singular_values_.shape == (1,)
    assert not hasattr(model, "singular_values_")


def test_too_small_a_cost_learns_nothing():
    X, y = two_classes(np.random.default_rng(11))
    model = AlternatingClassifier(C=1e-6, tol=1e-6, max_iter=1000).fit(X, y)
    assert np.linalg.norm(model.U_) < 1e-2
    assert np.isfinite(model.decision_function(X)).all()


def test_too_few_iterations_are_said():
    X, y = two_classes(np.random.default_rng(12))
    with pytest.warns(
        ConvergenceWarning, match="not converged after max_iter=1 iterations: allow more, or a larger tol than 1e-06"
    ):
        AlternatingClassifier(max_iter=1, tol=1e-6).fit(X, y)


def test_progress_is_a_line_for_each_iteration(capsys):
    X, y = two_classes(np.random.default_rng(13))
    model = AlternatingClassifier(verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[0].startswith("[AlternatingClassifier] iteration 1: objective ")
    SuquanSVDClassifier(verbose=True).fit(X, y + 1 * (X[:, 0] == 1))
    assert "[SuquanSVDClassifier, class " in capsys.readouterr().out


def test_learners_find_planted_weights_that_no_fixed_kernel_has():
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 2000, 8)
    scores = wkendall.linear_function(X, *rng.standard_normal((2, 8, 8)))
    y = scores > np.median(scores)
    old, new = slice(0, 1000), slice(1000, None)
    best = 0.0
    kernels = [{"weight": "top", "k": k} for k in range(2, 9)] + [{"weight": "average"}, {"order": 3}]
    kernels += [{"weight": weight, "u": u} for weight in ("add", "mult") for u in ("hyperbolic", "log")]
    for kernel in kernels:
        K = wkendall.gram_matrix(X, normalize=True, **kernel)
        for C in (0.1, 1.0, 10.0):  # the best on the new rankings: more than a fixed kernel can know
            best = max(best, SVC(kernel="precomputed", C=C).fit(K[old, old], y[old]).score(K[new, old], y[new]))
    for model in (SuquanSVDClassifier(n_components=4, C=10.0), AlternatingClassifier()):
        assert model.fit(X[old], y[old]).score(X[new], y[new]) > best + 0.05


def test_a_start_of_single_positions_stays_there():
    rng = np.random.default_rng(1)
    X = random_rankings(rng, 300, 5)
    y = wkendall.linear_function(X, *rng.standard_normal((2, 5, 5))) > 0
    model = AlternatingClassifier(init="suquan").fit(X, y)
    if wkendall.suquan_svd(X, y).multiplicity[0] == 3:
        pure = Pure(5, 2)(model.U_.reshape(1, -1))
        np.testing.assert_allclose(pure, 0, atol=1e-6 * np.linalg.norm(model.U_))


# Parts.


def test_the_best_intercept():
    rng = np.random.default_rng(14)
    for rows in (2, 3, 10, 31):
        targets = np.where(np.arange(rows) % 2, 1.0, -1.0)
        scores, costs = rng.integers(-3, 4, rows) / 2, rng.integers(1, 4, rows).astype(float)
        found = best_intercept(targets, scores, costs)
        bends = targets - scores
        sums = [costs @ Hinge()(targets, scores + b) for b in [*bends, found]]
        assert sums[-1] == pytest.approx(min(sums))


def test_equal_rankings_are_put_together():
    ranks = np.array([[1, 2], [2, 1], [1, 2], [1, 2], [2, 1]])
    targets, costs = np.array([1.0, -1.0, 1.0, -0.5, 3.0]), np.array([1.0, 2.0, 3.0, 4.0, 0.0])
    merged = {(*row, target): cost for row, target, cost in zip(*merge(ranks, targets, costs), strict=True)}
    assert merged == {(1, 2, 1.0): 4.0, (2, 1, -1.0): 2.0, (1, 2, -0.5): 4.0}


def test_squares_are_solved_to_the_optimum():
    rng = np.random.default_rng(15)
    features, targets, costs = rng.standard_normal((20, 4)), rng.standard_normal(20), rng.uniform(0.1, 2, 20)
    for kernel in (FromFeatures(features), FromGram(features @ features.T)):
        coefficients, intercept = Squares().solve(kernel, targets, costs, 0.0)
        scores = features @ features.T @ coefficients + intercept
        np.testing.assert_allclose(2 * costs * (targets - scores), coefficients, atol=1e-10)
        assert coefficients.sum() == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("problem", range(30))
def test_support_vector_machines_are_solved_to_the_optimum(problem):
    rng = np.random.default_rng(problem)
    rows, width = int(rng.integers(2, 60)), int(rng.integers(1, 10))
    features = rng.standard_normal((rows, width)) * 10.0 ** rng.integers(-2, 2)
    if problem % 7 == 0:
        features[:] = 0
    targets = np.where(np.arange(rows) % 2, 1.0, -1.0)
    costs = 10.0 ** rng.integers(-2, 3) * rng.uniform(0.5, 2, rows)

    def objective(direction, intercept):
        return direction @ direction / 2 + costs @ np.maximum(0, 1 - targets * (features @ direction + intercept))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = SVC(kernel="linear", tol=1e-6, max_iter=300_000).fit(features, targets, sample_weight=costs)
    peer = objective(machine.coef_[0], machine.intercept_[0])
    for kernel in (FromFeatures(features), FromGram(features @ features.T)):
        coefficients, intercept = Hinge().solve(kernel, targets, costs, 1e-9)
        assert ((coefficients * targets >= 0) & (coefficients * targets <= costs)).all()
        assert coefficients.sum() == pytest.approx(0, abs=1e-7 * costs.sum())
        assert objective(coefficients @ features, intercept) <= peer * (1 + 1e-7)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e5])
@pytest.mark.filterwarnings("ignore:not converged after max_iter")
def test_the_scale_of_numbers_does_not_break_a_regression(scale):
    rng = np.random.default_rng(16)
    X = random_rankings(rng, 60, 6)
    y = scale * rng.standard_normal(60)
    for kind in REGRESSORS:
        model = kind(C=100.0).fit(X, y)
        assert np.diff(model.objective_path_).max(initial=0.0) <= 1e-6 * model.objective_path_[0]
        if scale >= 1:
            assert model.score(X, y) > 0.2


def test_a_constant_target_is_predicted():
    X = random_rankings(np.random.default_rng(17), 10, 30)
    with pytest.warns(UserWarning, match="nothing to learn"):
        model = SuquanSVDRegressor().fit(X, np.full(10, 3.0))
    np.testing.assert_allclose(model.predict(X), 3.0)


# Errors.

GOOD = {"X": [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 2, 1]], "y": [0, 1, 0, 1]}


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize(
    ("change", "parameters", "message"),
    [
        ({"X": [[1, 2, 3]], "y": [0]}, {}, "a minimum of 2 is required"),
        ({"y": [0, 1, 0]}, {}, r"y is of shape \(3,\), but X has 4 rankings"),
        ({"y": [0, 1, np.nan, 1]}, {}, "NaN"),
        ({"y": [0, 1, np.inf, 1]}, {}, "infinity"),
        ({"X": [[1, 2, 2]] * 4}, {}, "X: row 0"),
        ({"sample_weight": [0, 0, 0, 0]}, {}, "sample_weight is zero for all rankings"),
        ({"sample_weight": [1, -1, 1, 1]}, {}, r"sample_weight\[1\] is -1"),
        ({}, {"C": 0}, "C is 0, but must be a finite number above zero"),
        ({}, {"C": np.inf}, "C is inf"),
        ({}, {"tol": -1.0}, "tol is -1.0"),
        ({}, {"order": 0}, "order is 0"),
        ({}, {"input": "rank"}, "input is 'rank', but must be one of"),
    ],
)
def test_bad_input_is_refused(kind, change, parameters, message):
    with pytest.raises(ValueError, match=message):
        kind(**parameters).fit(**(GOOD | change))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_one_class_is_refused(kind):
    with pytest.raises(ValueError, match="y has one class only, 0: a classifier needs at least two"):
        kind().fit(GOOD["X"], [0, 0, 0, 0])
    with pytest.raises(ValueError, match="sample_weight is zero for all rankings of class 1"):
        kind().fit(**GOOD, sample_weight=[1, 0, 1, 0])


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("factor", [0, -1, NAN])
def test_bad_weights_of_classes_are_refused(kind, factor):
    with pytest.raises(
        ValueError, match=f"class_weight of class 0 is {float(factor)}, but must be a finite number above zero"
    ):
        kind(class_weight={0: factor, 1: 1}).fit(**GOOD)


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_a_missing_number_is_named(kind):
    with pytest.raises(ValueError, match='X: row 1, column 2 holds NaN: every item needs a number; missing="bottom"'):
        kind().fit([[1, 2, 3], [1, 2, NAN]], [0, 1])


@pytest.mark.parametrize("kind", [AlternatingClassifier, AlternatingRegressor])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"init": "random"}, "init is 'random', but must be one of 'standard', 'suquan'"),
        ({"init": np.zeros((3, 3))}, "init has only zeros"),
        ({"init": np.ones((4, 4))}, r"init has shape \(4, 4\), but for rankings of 3 items it must be \(3, 3\)"),
        ({"order": 4}, 'init="standard" has only zeros for order 4 and 3 items'),
        ({"max_iter": 0}, "max_iter is 0"),
    ],
)
def test_a_bad_start_is_refused(kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        kind(**parameters).fit(**GOOD)


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_other_rankings_than_fitted_are_refused(kind):
    with pytest.raises(NotFittedError):
        kind().predict(GOOD["X"])
    model = kind().fit(**GOOD)
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 3 features"):
        model.predict([[1, 2, 3, 4]])
    with pytest.raises(ValueError, match="X: row 0"):
        model.predict([[1, 2, 4]])
