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
