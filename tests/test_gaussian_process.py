"""Kernels for the Gaussian processes of scikit-learn: values, gradients, and what scikit-learn asks of a kernel."""

import importlib.util
import pickle
import sys
from itertools import combinations, permutations, product
from math import exp, log, prod

import numpy as np
import pytest
import wkendall
from definitions import random_rankings, tuples
from paths import ROOT
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    CompoundKernel,
    ConstantKernel,
    Exponentiation,
    Product,
    Sum,
    WhiteKernel,
)
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV
from wkendall.gaussian_process import MallowsKernel, WeightedKendallKernel, _differences

LEARNED = [
    *(
        WeightedKendallKernel(weight, u=u, a=a)
        for weight in ("add", "mult")
        for u, a in [("power", 0.7), ("exponential", 0.3)]
    ),
    WeightedKendallKernel("mult", u="power", a=1.3, normalize=False),
    WeightedKendallKernel("add", u="exponential", a=0.2, normalize=False),
    WeightedKendallKernel("mult", u="exponential", a=0.4, signed=True),
    WeightedKendallKernel("add", u="power", a=2.0, signed=True, normalize=False),
    WeightedKendallKernel("mult", u="power", a=0.5, order=3),
    WeightedKendallKernel("mult", u="exponential", a=0.2, order=4, normalize=False),
    WeightedKendallKernel("add", u="power", a=0.9, order=3),
    WeightedKendallKernel("mult", u="power", a=1.1, top="high"),
    WeightedKendallKernel("add", u="exponential", a=0.2, input="orders"),
    WeightedKendallKernel("mult", u="power", a=0.8, input="scores"),
    WeightedKendallKernel("mult", u="power", a=0.8, ties="mean"),
    MallowsKernel(0.07),
    MallowsKernel(0.2, input="orders", top="high"),
]
FIXED = [
    WeightedKendallKernel("standard"),
    WeightedKendallKernel("top", k=3),
    WeightedKendallKernel("average", signed=True),
    WeightedKendallKernel("add", u="log"),
    WeightedKendallKernel("mult", u="hyperbolic", normalize=False),
    WeightedKendallKernel("mult", u=np.linspace(1, -0.2, 6)),
    WeightedKendallKernel("mult", a_bounds="fixed"),
    MallowsKernel(0.3, "fixed"),
]
MIXED = [
    2.0 * MallowsKernel(0.05) + WhiteKernel(0.1),
    ConstantKernel(0.5) * WeightedKendallKernel("mult", u="power", a=0.6) + MallowsKernel(0.1) * 3.0,
    WeightedKendallKernel("add", u="exponential", a=0.4) * MallowsKernel(0.02) + WeightedKendallKernel("standard"),
    ConstantKernel(0.7) * WeightedKendallKernel("top", k=2) + WeightedKendallKernel("mult", a=0.5, normalize=False),
    Exponentiation(WeightedKendallKernel("mult", u="power", a=0.6), 2),
]
ALL = LEARNED + FIXED + MIXED


def rankings(rows=9, items=6, seed=0):
    """As scikit-learn hands them over: whole numbers in an array of floats."""
    return random_rankings(np.random.default_rng(seed), rows, items).astype(np.float64)


def position_weights(kernel, items):
    """The weights u and their derivatives with respect to the logarithm of a, rank by rank."""
    u, changes = [], []
    for rank in range(1, items + 1):
        fall = log(rank) if kernel.u == "power" else rank - 1
        u.append(exp(-kernel.a * fall))
        changes.append(-kernel.a * fall * u[-1])
    return u, changes


def value_and_slope(kernel, s, t):
    """The concordant sum and its derivative, by the product rule for every tuple of items; not normalized."""
    u, changes = position_weights(kernel, len(s))

    def of_ranks(ranks):
        if kernel.weight == "add":
            return sum(u[a] for a in ranks), sum(changes[a] for a in ranks)
        others = [prod(u[b] for b in ranks if b != a) for a in ranks]
        return prod(u[a] for a in ranks), sum(changes[a] * other for a, other in zip(ranks, others, strict=True))

    value = slope = 0.0
    for items in combinations(sorted(range(len(s)), key=s.__getitem__), int(kernel.order)):
        first, second = [int(s[i]) - 1 for i in items], [int(t[i]) - 1 for i in items]
        sign = 1 if second == sorted(second) else -1 if kernel.signed else 0
        (x, dx), (y, dy) = of_ranks(first), of_ranks(second)
        value += sign * x * y
        slope += sign * (dx * y + x * dy)
    return value, slope


def numerical_gradient(kernel, X, step=2e-3):
    """Differences of the fourth order, one hyperparameter after the other."""
    columns = []
    for axis in np.eye(kernel.n_dims):
        at = [kernel.clone_with_theta(kernel.theta + move * step * axis)(X) for move in (-2, -1, 1, 2)]
        columns.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step))
    return np.stack(columns, axis=2)


# Values.


@pytest.mark.parametrize("kernel", LEARNED + FIXED, ids=repr)
def test_values_are_those_of_the_package(kernel):
    X, Y = rankings(), rankings(5, seed=1)
    options = {"input": kernel.input, "top": kernel.top}
    for other in (None, Y):
        if isinstance(kernel, MallowsKernel):
            wanted = wkendall.mallows(X, other, kernel.lam, **options)
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


@pytest.mark.parametrize("items", range(8))
@pytest.mark.parametrize("order", [1, 2, 3])
def test_values_by_definition(items, order):
    X = random_rankings(np.random.default_rng(items), 6, items)
    for weight, u in product(("add", "mult"), ("power", "exponential")):
        kernel = WeightedKendallKernel(weight, u=u, a=0.8, order=order, normalize=False)
        weights, _ = position_weights(kernel, items)
        wanted = [[float(tuples(s, t, order, weight, u=weights)) for t in X] for s in X]
        np.testing.assert_allclose(kernel(X), wanted, rtol=1e-12)
    distances = [
        [sum((a - b) * (c - d) < 0 for (a, c), (b, d) in combinations(zip(s, t, strict=True), 2)) for t in X] for s in X
    ]
    np.testing.assert_allclose(MallowsKernel(0.3)(X), np.exp(-0.3 * np.array(distances)), rtol=1e-14)


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


def test_scores_and_ties():
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((8, 6))
    ranks = (-scores).argsort(axis=1).argsort(axis=1) + 1
    np.testing.assert_array_equal(MallowsKernel(input="scores")(scores), MallowsKernel()(ranks))
    np.testing.assert_array_equal(WeightedKendallKernel(input="scores")(scores), WeightedKendallKernel()(ranks))
    tied = np.array([[3.0, 1, 1, 2], [1, 1, 2, 2], [4, 3, 2, 1]])
    kernel = WeightedKendallKernel("mult", a=0.7, ties="mean")
    wanted = wkendall.gram_matrix(tied, weight="mult", u=np.arange(1, 5) ** -0.7, ties="mean", normalize=True)
    np.testing.assert_allclose(kernel(tied), wanted, rtol=1e-13)
    np.testing.assert_allclose(kernel(tied, eval_gradient=True)[1], numerical_gradient(kernel, tied), atol=1e-10)
    assert not kernel.is_stationary()


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


@pytest.mark.parametrize("weight", ["add", "mult"])
@pytest.mark.parametrize("u", ["power", "exponential"])
def test_gradients_by_polarisation(weight, u):
    """With U the weights of pairs and V their derivative, it is half of G_{U + V} - G_{U - V}."""
    X = rankings(20, 40)
    kernel = WeightedKendallKernel(weight, u=u, a=0.2, normalize=False)
    values, changes = map(np.array, position_weights(kernel, 40))
    if weight == "add":
        U, V = np.add.outer(values, values), np.add.outer(changes, changes)
    else:
        U, V = np.multiply.outer(values, values), np.outer(values, changes) + np.outer(changes, values)
    more, less = (wkendall.gram_matrix(X, U=np.triu(weights, 1)) for weights in (U + V, U - V))
    slope = kernel(X, eval_gradient=True)[1][..., 0]
    np.testing.assert_allclose(slope, (more - less) / 2, rtol=0, atol=1e-12 * more.max())


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


def test_operators():
    X = rankings()
    first, second = MallowsKernel(0.1), WeightedKendallKernel(a=0.4)
    assert isinstance(first + second, Sum)
    assert isinstance(2.0 * first, Product)
    np.testing.assert_allclose((first + second)(X), first(X) + second(X))
    np.testing.assert_allclose((first * second)(X), (second * first)(X))
    np.testing.assert_allclose((3.0 * first + 1.0)(X), 3 * first(X) + 1)
    np.testing.assert_allclose((second**2)(X), second(X) ** 2)
    both = CompoundKernel([first, second])(X)
    np.testing.assert_allclose(both, np.stack([first(X), second(X)], axis=2))


def test_products_of_mallows_kernels_add_rates():
    X = rankings()
    np.testing.assert_allclose((MallowsKernel(0.1) * MallowsKernel(0.2))(X), MallowsKernel(0.3)(X))


@pytest.mark.parametrize("kernel", LEARNED + FIXED, ids=repr)
def test_stationary(kernel):
    """Numbers moved by one are the same rankings, and items relabelled in both have the same kernel."""
    X, Y = rankings(), rankings(seed=1)
    assert kernel.is_stationary() == (getattr(kernel, "ties", "error") == "error")
    np.testing.assert_allclose(np.diag(kernel(X - 1, X)), kernel.diag(X), rtol=1e-12)
    if kernel.input != "orders":
        labels = np.random.default_rng(2).permutation(6)
        np.testing.assert_allclose(kernel(X[:, labels], Y[:, labels]), kernel(X, Y), atol=1e-12)


def test_input_is_an_array_of_rankings():
    for kernel in ALL:
        assert kernel.requires_vector_input


@pytest.mark.parametrize(
    ("kernel", "shown"),
    [
        (MallowsKernel(0.25), "MallowsKernel(lam=0.25)"),
        (WeightedKendallKernel(a=0.12345), "WeightedKendallKernel('mult', u='power', a=0.123)"),
        (WeightedKendallKernel("top", k=3, signed=True), "WeightedKendallKernel('top', k=3, signed=True)"),
        (WeightedKendallKernel("add", u="log", order=3), "WeightedKendallKernel('add', u='log', order=3)"),
        (2.0 * MallowsKernel(1 / 3), "1.41**2 * MallowsKernel(lam=0.333)"),
        (MallowsKernel("much"), "MallowsKernel(lam='much')"),
    ],
)
def test_shown(kernel, shown):
    assert repr(kernel) == shown


def test_lists_and_data_frames():
    import pandas as pd

    X = random_rankings(np.random.default_rng(0), 5, 4)
    for kernel in (MallowsKernel(), WeightedKendallKernel()):
        for same in (X.tolist(), X.astype(np.float32), pd.DataFrame(X), X - 1):
            np.testing.assert_array_equal(kernel(same), kernel(X))
            np.testing.assert_array_equal(kernel.diag(same), kernel.diag(X))
        np.testing.assert_array_equal(pairwise_kernels(X, metric=kernel), kernel(X))


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
        (WeightedKendallKernel(u=None), ValueError, 'weight="mult" needs u'),
        (WeightedKendallKernel(a=-0.1), ValueError, "a is -0.1, but must be"),
        (WeightedKendallKernel(a="steep"), TypeError, "a must be a real number, not 'steep'"),
        (WeightedKendallKernel(a_bounds=(2, 1)), ValueError, r"a_bounds is \(2, 1\), but must be"),
        (WeightedKendallKernel("top"), ValueError, 'weight="top" needs k'),
        (WeightedKendallKernel("top", k=7), ValueError, "k is 7, but must be from 1 to 6"),
        (WeightedKendallKernel(k=3), ValueError, 'k is given, but weight="mult" does not use it'),
        (WeightedKendallKernel(order=0), ValueError, "order is 0, but must be at least 1"),
        (WeightedKendallKernel(order=3, signed=True), ValueError, "signed=True is for order 2"),
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
        with pytest.raises(ValueError, match="must be a 2-d array, one ranking a row"):
            call([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="X has 6 items, but Y has 5"):
        kernel(X, rankings(3, 5))
    with pytest.raises(ValueError, match="eval_gradient=True is for the matrix of X alone: leave Y out"):
        kernel(X, X, eval_gradient=True)
    broken = X.copy()
    broken[3, 2] = 9
    with pytest.raises(ValueError, match="X: row 3, column 2 holds"):
        GaussianProcessRegressor(kernel).fit(broken, X[:, 0])


# The example.


@pytest.fixture(scope="module")
def flow_shop():
    specification = importlib.util.spec_from_file_location("flow_shop", ROOT / "examples/flow_shop.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_makespan_is_the_longest_path(flow_shop):
    """Through the table of jobs, in order, and machines: every step goes to the next job or to the next machine."""
    rng = np.random.default_rng(0)
    for jobs, machines in product(range(1, 5), range(1, 4)):
        times, order = rng.integers(1, 100, (jobs, machines)), rng.permutation(jobs)
        lengths = []
        for turns in combinations(range(jobs + machines - 2), machines - 1):
            job = machine = 0
            lengths.append(times[order[0], 0])
            for step in range(jobs + machines - 2):
                job, machine = (job, machine + 1) if step in turns else (job + 1, machine)
                lengths[-1] += times[order[job], machine]
        assert flow_shop.makespan(times, order) == max(lengths)


def test_neighbours_of_an_order(flow_shop):
    moves = flow_shop.all_moves(6)
    assert len(moves) == 5 * 5 + 6 * 5 / 2 - 5  # exchanging neighbours is putting one of them elsewhere
    assert (np.sort(moves, axis=1) == np.arange(6)).all()
    assert flow_shop.nawaz_enscore_ham(np.array([[1, 9], [9, 1]])) == [0, 1]


def test_flow_shop(flow_shop, monkeypatch, capsys, tmp_path):
    sizes = ["--jobs-to-schedule", "6", "--machines", "3", "--evaluations", "18", "--repeats", "2", "--workers", "1"]
    monkeypatch.setattr(sys, "argv", ["flow_shop.py", *sizes, "--out", str(tmp_path / "picture.png")])
    flow_shop.main()
    shown = capsys.readouterr().out
    assert "8 of 8 runs" in shown
    assert all(method in shown for method in flow_shop.COLORS)
    assert (tmp_path / "picture.png").stat().st_size > 1000
    monkeypatch.setattr(sys, "argv", ["flow_shop.py", "--repeats", "0"])
    with pytest.raises(SystemExit):
        flow_shop.main()
    assert "--repeats is 0, but must be at least 1" in capsys.readouterr().err
