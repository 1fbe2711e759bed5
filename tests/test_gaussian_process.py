"""Kernels for the Gaussian processes of scikit-learn: values, gradients, and what scikit-learn asks of a kernel."""

import pickle
from itertools import product
from math import exp, log

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Exponentiation, WhiteKernel
from sklearn.model_selection import GridSearchCV
from wkendall.gaussian_process.scikit_learn import MallowsKernel, WeightedKendallKernel

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


def numerical_gradient(kernel, X, step=2e-3):
    """Differences of the fourth order, one hyperparameter after the other."""
    columns = []
    for axis in np.eye(kernel.n_dims):
        at = [kernel.clone_with_theta(kernel.theta + move * step * axis)(X) for move in (-2, -1, 1, 2)]
        columns.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step))
    return np.stack(columns, axis=2)


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
def test_gradients_against_differences(kernel):
    X = rankings()
    K, gradient = kernel(X, eval_gradient=True)
    assert gradient.shape == (9, 9, kernel.n_dims)
    np.testing.assert_array_equal(K, kernel(X))
    if kernel.n_dims:
        np.testing.assert_allclose(gradient, numerical_gradient(kernel, X), rtol=0, atol=2e-9 * np.abs(K).max())


def test_gradients_of_many_items():
    """No digits are lost where the last weights are next to nothing."""
    X = rankings(6, 300)
    for kernel in (WeightedKendallKernel(u="exponential", a=0.5), WeightedKendallKernel("add", u="power", a=3.0)):
        K, gradient = kernel(X, eval_gradient=True)
        np.testing.assert_allclose(gradient, numerical_gradient(kernel, X), rtol=0, atol=1e-9 * K.max())


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


def test_the_gradient_is_that_of_one_matrix():
    with pytest.raises(ValueError, match="eval_gradient=True is for the matrix of X alone: leave Y out"):
        MallowsKernel()(rankings(), rankings(), eval_gradient=True)
