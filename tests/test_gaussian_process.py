"""Kernels for the Gaussian processes of scikit-learn: values, gradients, and what scikit-learn asks of a kernel."""

import pickle
from itertools import permutations, product
from math import exp, log

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from process_kernels import ALL, FIXED, LEARNED, MIXED, numerical_gradient, rankings, value_and_slope
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    ConstantKernel,
    WhiteKernel,
)
from sklearn.model_selection import GridSearchCV
from wkendall.gaussian_process.scikit_learn import MallowsKernel, WeightedKendallKernel, _differences

# Values.


@pytest.mark.parametrize("kernel", LEARNED + FIXED, ids=repr)
def test_values_are_those_of_the_package(kernel):
    X, Y = rankings(), rankings(5, seed=1)
    options = {"input": kernel.input, "top": kernel.top}
    for other in (None, Y):
        if isinstance(kernel, MallowsKernel):
            both = (None if some is None else wkendall.Rankings(some, **options) for some in (X, other))
            wanted = wkendall.Mallows(kernel.lam)(*both)
        else:
            ranks = np.arange(1, 7)
            families = {"power": ranks**-kernel.a, "exponential": np.exp(-kernel.a * (ranks - 1))}
            u = families.get(kernel.u, kernel.u) if isinstance(kernel.u, str) else kernel.u
            options |= {name: getattr(kernel, name) for name in ("weight", "k", "order", "signed", "normalize", "ties")}
            options["u"] = u if kernel.weight in ("add", "mult") else None
            wanted = wkendall.gram_matrix(X, other, **options)
        found = kernel(X, other)
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_positive_semi_definite(kernel):
    X = np.array(list(permutations([1.0, 2.0, 3.0, 4.0, 5.0])))
    kernel = clone(kernel)
    if isinstance(getattr(kernel, "u", None), np.ndarray):
        kernel.set_params(u=kernel.u[:5])
    K = kernel(X)
    eigenvalues = np.linalg.eigvalsh(K)
    assert (K == K.T).all()
    assert eigenvalues[0] >= -1e-10 * eigenvalues[-1]


# Gradients.


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_gradients_against_differences(kernel):
    X = rankings()
    K, gradient = kernel(X, eval_gradient=True)
    assert gradient.shape == (9, 9, kernel.n_dims)
    np.testing.assert_array_equal(K, kernel(X))
    if kernel.n_dims:
        np.testing.assert_allclose(gradient, numerical_gradient(kernel, X), rtol=0, atol=2e-9 * np.abs(K).max())


@pytest.mark.parametrize("weight", ["add", "mult"])
@pytest.mark.parametrize("u", ["power", "exponential"])
@pytest.mark.parametrize("items", range(8))
def test_gradients_by_definition(weight, u, items):
    X = random_rankings(np.random.default_rng(items), 5, items)
    for order, signed, a in [
        (1, False, 1.0),
        (2, False, 0.01),
        (2, True, 1.0),
        (2, False, 5.0),
        (3, False, 0.5),
        (5, False, 1.0),
    ]:
        kernel = WeightedKendallKernel(weight, u=u, a=a, order=order, signed=signed, normalize=False)
        both = np.array([[value_and_slope(kernel, s, t) for t in X] for s in X])
        K, slope = both[..., 0], both[..., 1]
        size = np.abs(slope).max() + np.abs(K).max()
        np.testing.assert_allclose(kernel(X, eval_gradient=True)[1][..., 0], slope, rtol=0, atol=1e-12 * size)
        kernel.set_params(normalize=True)
        own, change = K[0, 0], slope[0, 0]
        wanted = (slope * own - K * change) / own**2 if own else np.zeros_like(K)
        atol = 1e-12 * (1 + abs(change / own)) if own else 0
        np.testing.assert_allclose(kernel(X, eval_gradient=True)[1][..., 0], wanted, rtol=0, atol=atol)


@pytest.mark.parametrize("pairs", range(1, 13))
def test_differences_are_exact_for_polynomials(pairs):
    nodes, coefficients = _differences(pairs)
    assert ((nodes > 0) & (nodes < 1)).all()
    for degree in range(2 * pairs + 1):
        found = (coefficients * (nodes**degree - (-nodes) ** degree)).sum()
        assert found == pytest.approx(float(degree == 1), abs=1e-13)


def test_gradients_of_many_items():
    """No digits are lost where the last weights are next to nothing."""
    X = rankings(6, 300)
    for kernel in (WeightedKendallKernel(u="exponential", a=0.5), WeightedKendallKernel("add", u="power", a=3.0)):
        K, gradient = kernel(X, eval_gradient=True)
        np.testing.assert_allclose(gradient, numerical_gradient(kernel, X), rtol=0, atol=1e-9 * K.max())


def test_gradient_of_the_likelihood():
    X = rankings(30)
    y = np.random.default_rng(1).standard_normal(30)
    for kernel in MIXED[:4]:
        model = GaussianProcessRegressor(kernel + WhiteKernel(0.1), optimizer=None).fit(X, y)
        theta = model.kernel_.theta
        _, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
        for axis, slope in zip(np.eye(len(theta)), gradient, strict=True):
            up, down = (model.log_marginal_likelihood(theta + step * axis) for step in (1e-5, -1e-5))
            assert slope == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6)


# What scikit-learn asks of a kernel.


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_diagonal_and_one_matrix_against_two(kernel):
    X = rankings()
    np.testing.assert_allclose(kernel.diag(X), np.diag(kernel(X)), rtol=1e-12)
    if "WhiteKernel" not in repr(kernel):  # which tells a matrix of X alone from one of X and a copy of X
        np.testing.assert_allclose(kernel(X, X), kernel(X), rtol=1e-12)


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_theta_and_bounds_are_logarithms(kernel):
    free = [parameter for parameter in kernel.hyperparameters if not parameter.fixed]
    values = kernel.get_params()
    assert kernel.n_dims == len(free) == len(kernel.theta)
    np.testing.assert_allclose(kernel.theta, [log(values[parameter.name]) for parameter in free])
    np.testing.assert_allclose(
        kernel.bounds.reshape(-1, 2), [np.log(parameter.bounds[0]) for parameter in free] or np.empty((0, 2))
    )
    moved = kernel.clone_with_theta(kernel.theta + 0.5)
    np.testing.assert_allclose(moved.theta, kernel.theta + 0.5)
    for parameter in free:
        assert moved.get_params()[parameter.name] == pytest.approx(values[parameter.name] * exp(0.5))
    with pytest.raises(ValueError, match="theta has not the correct number of entries"):
        kernel.clone_with_theta(np.append(kernel.theta, 0.0))


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_clones_and_pickles(kernel):
    X = rankings()
    for copy in (clone(kernel), pickle.loads(pickle.dumps(kernel)), kernel.clone_with_theta(kernel.theta)):
        assert copy is not kernel
        assert type(copy) is type(kernel)
        assert repr(copy) == repr(kernel)
        np.testing.assert_allclose(copy.theta, kernel.theta)
        np.testing.assert_allclose(copy(X), kernel(X), rtol=1e-12)
    assert clone(kernel) == kernel
    assert set(clone(kernel).get_params()) == set(kernel.get_params())


def test_parameters_are_set_and_cloned():
    kernel = ConstantKernel(2.0) * WeightedKendallKernel(a=0.5) + MallowsKernel()
    kernel.set_params(k1__k2__a=3.0, k1__k2__a_bounds="fixed", k2__lam=0.7)
    copy = clone(kernel)
    assert copy.k1.k2.a == 3.0
    np.testing.assert_allclose(copy.theta, np.log([2.0, 0.7]))
    with pytest.raises(ValueError, match="Invalid parameter b for kernel WeightedKendallKernel"):
        WeightedKendallKernel().set_params(b=1)


def test_equality():
    assert WeightedKendallKernel(a=0.5) == WeightedKendallKernel(a=0.5)
    assert WeightedKendallKernel(a=0.5) != WeightedKendallKernel(a=0.6)
    assert WeightedKendallKernel(u=[2, 1]) == WeightedKendallKernel(u=np.array([2.0, 1.0]))
    assert WeightedKendallKernel(u=np.ones(2)) != WeightedKendallKernel(u=np.ones(3))
    assert WeightedKendallKernel(u=np.ones(2)) != WeightedKendallKernel()
    assert MallowsKernel(0.1) != WeightedKendallKernel()
    assert MallowsKernel(0.1) != MallowsKernel(0.1, "fixed")
    assert MallowsKernel(0.1) != 0.1


@pytest.mark.parametrize("kernel", LEARNED + FIXED, ids=repr)
def test_stationary(kernel):
    """Numbers moved by one are the same rankings, and items relabelled in both have the same kernel."""
    X, Y = rankings(), rankings(seed=1)
    assert kernel.is_stationary() == (getattr(kernel, "ties", "error") == "error")
    np.testing.assert_allclose(np.diag(kernel(X - 1, X)), kernel.diag(X), rtol=1e-12)
    if kernel.input != "orders":
        labels = np.random.default_rng(2).permutation(6)
        np.testing.assert_allclose(kernel(X[:, labels], Y[:, labels]), kernel(X, Y), atol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "shown"),
    [
        (MallowsKernel(0.25), "MallowsKernel(lam=0.25)"),
        (WeightedKendallKernel(a=0.12345), "WeightedKendallKernel('mult', u='power', a=0.123)"),
        (WeightedKendallKernel("top", k=3, signed=True), "WeightedKendallKernel('top', k=3, signed=True)"),
        (
            MallowsKernel(
                0.5, "fixed", normalize=False, input="scores", top="high", ties="mean", missing="bottom", n_jobs=2
            ),
            "MallowsKernel(lam=0.5, lam_bounds='fixed', normalize=False, input='scores', top='high', ties='mean', "
            "missing='bottom', n_jobs=2)",
        ),
        (
            WeightedKendallKernel("average", u=[1.0, 0.5], a=2.0, a_bounds=(1, 2), k=3, normalize=False, ties="mean"),
            "WeightedKendallKernel('average', u=[1.0, 0.5], a=2, a_bounds=(1, 2), k=3, normalize=False, ties='mean')",
        ),
    ],
)
def test_shown(kernel, shown):
    assert repr(kernel) == shown


@pytest.mark.parametrize("kernel", [MallowsKernel(0.3), WeightedKendallKernel(a=0.7)], ids=repr)
def test_rankings_say_for_themselves(kernel):
    """The options of a kernel are for arrays."""
    scores = np.random.default_rng(0).integers(0, 4, (6, 5)).astype(float)
    reader = clone(kernel).set_params(input="scores", ties="mean")
    wanted, gradient = reader(scores, eval_gradient=True)
    read = wkendall.Rankings(scores, input="scores", ties="mean", items="abcde")
    for other in (reader, clone(kernel).set_params(input="orders", top="high")):
        found, slope = other(read, eval_gradient=True)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(slope, gradient)
        np.testing.assert_array_equal(other.diag(read), reader.diag(scores))
        np.testing.assert_array_equal(other(read[:2], read), reader(scores[:2], scores))
    np.testing.assert_array_equal(reader(read[:2], scores), reader(scores[:2], scores))


def test_items_are_matched_by_name():
    import pandas as pd

    X = pd.DataFrame(random_rankings(np.random.default_rng(0), 5, 4), columns=list("abcd"))
    for kernel in (MallowsKernel(), WeightedKendallKernel()):
        np.testing.assert_array_equal(kernel(X, X[list("dbca")]), kernel(X, X))
        with pytest.raises(wkendall.RankingError) as caught:
            kernel(X, X.set_axis(list("abce"), axis=1))
        assert (caught.value.argument, caught.value.kind) == ("Y", "items differ")


# Gaussian processes with these kernels.


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


def test_lam_is_recovered():
    """Within 30 %: the standard deviation over draws is 10 %, with variance and noise unknown."""
    X = wkendall.datasets.make_mallows(300, 10, 0.3, rng=0).astype(float)
    kernel = learned(MallowsKernel(0.1), X, 0.01, 0, start=4.0)
    assert kernel.k1.k2.lam == pytest.approx(0.1, rel=0.3)


@pytest.mark.parametrize(("weight", "u", "a"), [("mult", "power", 1.0), ("add", "exponential", 0.3)])
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


def test_the_gradient_is_that_of_one_matrix():
    with pytest.raises(ValueError, match="eval_gradient=True is for the matrix of X alone: leave Y out"):
        MallowsKernel()(rankings(), rankings(), eval_gradient=True)
