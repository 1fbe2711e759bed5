"""Gaussian processes with kernels between rankings: what they learn, and what they refuse."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
import wkendall
from process_kernels import rankings
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    ConstantKernel,
    WhiteKernel,
)
from sklearn.model_selection import GridSearchCV
from wkendall.gaussian_process import MallowsKernel, WeightedKendallKernel

# Few items.


@pytest.mark.parametrize("items", [0, 1, 2])
def test_few_items(items):
    X = np.array([[1.0, 2.0], [2.0, 1.0]])[:, :items] if items > 1 else np.ones((2, items))
    one = np.eye(2) if items == 2 else np.zeros((2, 2))
    K, gradient = MallowsKernel(0.5)(X, eval_gradient=True)
    distance = 1.0 if items == 2 else 0.0
    np.testing.assert_allclose(K, [[1, exp(-0.5 * distance)], [exp(-0.5 * distance), 1]])
    np.testing.assert_allclose(gradient[..., 0], -0.5 * distance * (1 - np.eye(2)) * exp(-0.5 * distance))
    for weight, u in product(("add", "mult"), ("power", "exponential")):
        K, gradient = WeightedKendallKernel(weight, u=u)(X, eval_gradient=True)
        np.testing.assert_array_equal(K, one)
        np.testing.assert_allclose(gradient, 0, atol=1e-15)
    K, gradient = WeightedKendallKernel("mult", u="power", a=0.5, normalize=False)(X, eval_gradient=True)
    np.testing.assert_allclose(K, one / 2)  # (2^-a)^2
    np.testing.assert_allclose(gradient[..., 0], -0.5 * log(2) * one, atol=1e-15)


def test_no_rankings():
    for kernel in (MallowsKernel(), WeightedKendallKernel()):
        K, gradient = kernel(np.empty((0, 3)), eval_gradient=True)
        assert K.shape == (0, 0)
        assert gradient.shape == (0, 0, 1)
        assert kernel.diag(np.empty((0, 3))).shape == (0,)


def test_a_of_zero_is_the_standard_kernel():
    X = rankings()
    for u in ("power", "exponential"):
        kernel = WeightedKendallKernel("mult", u=u, a=0, a_bounds="fixed", normalize=False)
        np.testing.assert_array_equal(kernel(X), wkendall.gram_matrix(X))
    np.testing.assert_array_equal(MallowsKernel(0, "fixed")(X), np.ones((9, 9)))


# Gaussian processes.


def learned(kernel, X, noise, seed, start):
    """Draw from the process with a kernel and noise, and learn it all again from another start."""
    rng = np.random.default_rng(seed)
    root = np.linalg.cholesky(kernel(X) + noise * np.eye(len(X)))
    first = ConstantKernel(1.0) * kernel.clone_with_theta(kernel.theta + log(start)) + WhiteKernel(noise, (1e-8, 1e1))
    return GaussianProcessRegressor(first).fit(X, root @ rng.standard_normal(len(X))).kernel_


@pytest.mark.parametrize("seed", range(3))
def test_lam_is_recovered(seed):
    """Within 30 %: the standard deviation over draws is 10 %, with variance and noise unknown."""
    X = wkendall.datasets.make_mallows(300, 10, 0.3, rng=seed).astype(float)
    kernel = learned(MallowsKernel(0.1), X, 0.01, seed, start=4.0)
    assert kernel.k1.k2.lam == pytest.approx(0.1, rel=0.3)


@pytest.mark.parametrize("weight", ["add", "mult"])
@pytest.mark.parametrize(("u", "a"), [("power", 1.0), ("exponential", 0.3)])
def test_a_is_recovered(weight, u, a):
    """Within 15 %: the standard deviation over draws is 2 % to 5 %, with variance and noise unknown."""
    X = rankings(300, 10, seed=1)
    kernel = learned(WeightedKendallKernel(weight, u=u, a=a), X, 0.01, 1, start=0.3)
    assert kernel.k1.k2.a == pytest.approx(a, rel=0.15)


@pytest.mark.parametrize("kernel", [MallowsKernel(0.05), WeightedKendallKernel(a=0.5)], ids=repr)
def test_prediction_by_its_formula(kernel):
    X, new = rankings(25, 7), rankings(10, 7, seed=1)
    y = np.random.default_rng(2).standard_normal(25)
    model = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X.astype(int), y)
    mean, deviation = model.predict(new.astype(int), return_std=True)
    weights = np.linalg.solve(kernel(X) + 0.1 * np.eye(25), kernel(X, new))
    np.testing.assert_allclose(mean, weights.T @ y, rtol=1e-9)
    np.testing.assert_allclose(deviation**2, 1 - (kernel(X, new) * weights).sum(axis=0), rtol=1e-9)
    assert model.sample_y(new, 3, random_state=0).shape == (10, 3)


def test_classifier_and_grid_search():
    X = rankings(60, 5)
    y = X[:, 0] < X[:, 4]
    assert GaussianProcessClassifier(MallowsKernel(0.2)).fit(X[:40], y[:40]).score(X[40:], y[40:]) > 0.8
    model = GaussianProcessRegressor(WeightedKendallKernel(), alpha=0.1, optimizer=None)
    search = GridSearchCV(model, {"kernel__weight": ["add", "mult"], "kernel__a": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.3


def test_a_grid_search_varies_the_weight_alone():
    X = rankings(60, 5)
    y = X[:, 0] - X[:, 4]
    weights = ["standard", "top", "add", "mult", "average"]
    model = GaussianProcessRegressor(WeightedKendallKernel(u="log", k=3), alpha=0.1, optimizer=None)
    search = GridSearchCV(model, {"kernel__weight": weights}, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.3
    np.testing.assert_array_equal(WeightedKendallKernel(u="log", k=3)(X), WeightedKendallKernel(u="log")(X))
    np.testing.assert_array_equal(WeightedKendallKernel("top", k=3)(X), WeightedKendallKernel("top", u=[1], k=3)(X))


@pytest.mark.parametrize("kernel", [MallowsKernel(0.2), WeightedKendallKernel(a=0.5)], ids=repr)
def test_models_take_rankings(kernel):
    """scikit-learn turns them into arrays of ranks."""
    X = rankings(30, 5)
    y = X[:, 0] - X[:, 4]
    read = wkendall.Rankings(X, items="abcde")
    models = (
        GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None),
        GaussianProcessClassifier(kernel, optimizer=None),
    )
    for model, labels in zip(models, (y, y > 0), strict=True):
        wanted = model.fit(X, labels).predict(X)
        np.testing.assert_array_equal(model.fit(read, labels).predict(read), wanted)


# What is wrong.


@pytest.mark.parametrize(
    ("kernel", "kind", "message"),
    [
        (MallowsKernel(-1.0), ValueError, "lam is -1.0, but must be a finite number above zero"),
        (MallowsKernel(0.0), ValueError, 'lam is 0.0, but .* or zero with lam_bounds="fixed"'),
        (MallowsKernel(-1.0, "fixed"), ValueError, "lam is -1.0, but must be a finite number above zero or zero"),
        (MallowsKernel(float("nan")), ValueError, "lam is nan, but"),
        (MallowsKernel(float("inf")), ValueError, "lam is inf, but"),
        (MallowsKernel("much"), TypeError, "lam must be a real number, not 'much'"),
        (MallowsKernel(True), TypeError, "lam must be a real number, not True"),
        (MallowsKernel(0.1, "fix"), TypeError, 'lam_bounds must be a pair of numbers, lower and upper, or "fixed"'),
        (MallowsKernel(0.1, (1.0, 0.1)), ValueError, r"lam_bounds is \(1.0, 0.1\), but must be a pair of numbers"),
        (MallowsKernel(0.1, (0.0, 0.1)), ValueError, r"lam_bounds is \(0.0, 0.1\), but must be .* above zero"),
        (MallowsKernel(0.1, (0.1,)), ValueError, r"lam_bounds is \(0.1,\), but must be a pair"),
        (MallowsKernel(0.1, None), ValueError, "lam_bounds is a single value, but must be a pair of numbers"),
        (MallowsKernel(input="rank"), ValueError, "input is 'rank', but must be one of"),
        (WeightedKendallKernel("multi"), ValueError, "weight is 'multi', but must be one of"),
        (
            WeightedKendallKernel(u="linear"),
            ValueError,
            "u is 'linear', but must be one of 'power', 'exponential', 'hyperbolic'",
        ),
        (WeightedKendallKernel(u=[1.0, 2.0]), ValueError, "u has 2 position weights, but the rankings have 6 items"),
        (WeightedKendallKernel(u=None), ValueError, "u is missing: the weight"),
        (WeightedKendallKernel(a=-0.1), ValueError, "a is -0.1, but must be"),
        (WeightedKendallKernel(a="steep"), TypeError, "a must be a real number, not 'steep'"),
        (WeightedKendallKernel(a_bounds=(2, 1)), ValueError, r"a_bounds is \(2, 1\), but must be"),
        (WeightedKendallKernel("top"), ValueError, "k is missing: the weight"),
        (WeightedKendallKernel("top", k=7), ValueError, "k is 7, but must be from 1 to 6"),
        (WeightedKendallKernel(order=0), ValueError, "order is 0, but must be at least 1"),
        (
            WeightedKendallKernel(order=3, signed=True),
            ValueError,
            "order is 3, but only kernels of order 2 have a signed form",
        ),
        (WeightedKendallKernel(normalize="yes"), TypeError, "normalize must be True or False, not 'yes'"),
        (WeightedKendallKernel(top="first"), ValueError, "top is 'first', but must be one of"),
        (WeightedKendallKernel(ties="max"), ValueError, "ties is 'max', but must be one of"),
        (WeightedKendallKernel(n_jobs=0), ValueError, "n_jobs is 0, but must be"),
    ],
)
def test_bad_parameters(kernel, kind, message):
    X = rankings()
    for call in (
        lambda: kernel(X),
        lambda: kernel(X, eval_gradient=True),
        lambda: GaussianProcessRegressor(kernel).fit(X, X[:, 0]),
    ):
        with pytest.raises(kind, match=message):
            call()


@pytest.mark.parametrize(
    "kernel", [MallowsKernel(), WeightedKendallKernel(), WeightedKendallKernel("standard")], ids=repr
)
def test_bad_rankings(kernel):
    X = rankings()
    for call in (kernel, kernel.diag, lambda X: kernel(X, eval_gradient=True)):
        with pytest.raises(ValueError, match=r"X: row 0, column 0 holds 1\.5, which is not a whole number"):
            call([[1.5, 2.0, 3.0]])
        with pytest.raises(ValueError, match="twice"):
            call([[1.0, 1.0, 3.0]])
        with pytest.raises(ValueError, match="must be a 2-d array, one ranking per row"):
            call([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="X has 6 items, but Y has 5"):
        kernel(X, rankings(3, 5))
    with pytest.raises(ValueError, match="eval_gradient=True is for the matrix of X alone: leave Y out"):
        kernel(X, X, eval_gradient=True)
    broken = X.copy()
    broken[3, 2] = 9
    with pytest.raises(ValueError, match="X: row 3, column 2 holds"):
        GaussianProcessRegressor(kernel).fit(broken, X[:, 0])
