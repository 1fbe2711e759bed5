"""Learning weights and coefficients together, and the solvers of the half steps."""

import warnings

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from labelled import REGRESSORS, objective, two_classes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.svm import SVC
from wkendall import AlternatingClassifier, AlternatingRegressor, SuquanSVDRegressor
from wkendall.learning.coefficients import Hinge, Problem
from wkendall.learning.interior_point import FromFeatures, FromGram


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


@pytest.mark.parametrize("problem", range(12))
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
    with pytest.warns(ConvergenceWarning, match="not converged after max_iter=1 iterations: increase max_iter, or"):
        AlternatingClassifier(max_iter=1, tol=1e-6).fit(X, y)


@pytest.mark.parametrize("problem", range(15))
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
        coefficients, intercept = Hinge().solve(Problem(kernel, targets, costs), 1e-9)
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
    with pytest.warns(UserWarning, match="no weights can be learned"):
        model = SuquanSVDRegressor().fit(X, np.full(10, 3.0))
    np.testing.assert_allclose(model.predict(X), 3.0)
