"""`KernelMixtureClassifier` and `KernelMixtureRegressor`: the weights by their definition, and planted mixtures."""

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import Kendall, KernelMixtureClassifier, KernelMixtureRegressor, Mallows, Rankings, TensorKernel
from wkendall.learning.alignment import align

KINDS = [KernelMixtureClassifier, KernelMixtureRegressor]
KERNELS = [Kendall("top", k=3), Kendall(signed=True), Mallows("auto")]


@parametrize_with_checks([kind(input="scores", ties="mean") for kind in KINDS])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def centred(gram, weights):
    """The Gram matrix of the features without their weighted mean."""
    means = np.eye(len(gram)) - weights / weights.sum()
    return means @ gram @ means.T


def objective(factors, grams, labels, weights):
    """The squared distance of the mixture from the matrix of labels, each pair of rankings with both weights."""
    apart = sum(b * gram for b, gram in zip(factors, grams, strict=True)) - labels
    return float((np.outer(weights, weights) * apart**2).sum())


def drawn(kind, rows=60, items=5, seed=0):
    rng = np.random.default_rng(seed)
    X = random_rankings(rng, rows, items)
    number = X[:, 0] - X[:, 1] + 3 * (X[:, 2] < 3) + rng.standard_normal(rows)
    return X, np.digitize(number, [-2, 2]) if kind is KernelMixtureClassifier else number


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_weights_by_their_definition(kind, seed):
    X, y = drawn(kind, seed=seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(X))
    model = kind(KERNELS).fit(X, y, sample_weight=weights)
    grams = [centred(kernel(X), weights) for kernel in KERNELS]
    sizes = [float(np.average(gram.diagonal(), weights=weights)) for gram in grams]
    targets = (y[:, np.newaxis] == np.unique(y)) if kind is KernelMixtureClassifier else y[:, np.newaxis]
    labels = centred(targets.astype(float) @ targets.T, weights)
    scaled = [gram / size for gram, size in zip(grams, sizes, strict=True)]
    found = minimize(objective, np.ones(3), (scaled, labels, weights), bounds=[(0, None)] * 3, tol=1e-14)
    np.testing.assert_allclose(model.weights_, found.x / found.x.sum(), atol=1e-4)
    # The mixture has variance 1, and the shares of its variance are the weights.
    mixture = centred(model.kernel_(X), weights)
    assert np.average(mixture.diagonal(), weights=weights) == pytest.approx(1)
    np.testing.assert_allclose(
        mixture, sum(b * gram for b, gram in zip(model.weights_, scaled, strict=True)), atol=1e-12
    )


def test_a_planted_mixture_is_recovered_exactly():
    rng = np.random.default_rng(3)
    X = random_rankings(rng, 50, 6)
    kernels = [*KERNELS, Kendall("mult", u="log")]
    for planted in ([0.5, 0.2, 0, 0.3], [0, 0, 1, 0], [0.25] * 4):
        grams = [centred(kernel(X), np.ones(50)) for kernel in kernels]
        sizes = [np.trace(gram) / 50 for gram in grams]
        values, vectors = np.linalg.eigh(sum(b / v * gram for b, v, gram in zip(planted, sizes, grams, strict=True)))
        targets = vectors * np.sqrt(np.maximum(values, 0))  # the matrix of these targets is the mixture
        found = align([kernel(X) for kernel in kernels], targets, np.ones(50))
        # The ridge of 1e-9 is divided by the least eigenvalue of the products of these kernels, about 0.003.
        np.testing.assert_allclose(found.shares, planted, atol=1e-5)


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_planted_mixture_is_recovered_from_one_target(share):
    """Targets are sums of random functions of two kernels: of the positions of items, and of skew pairs alone.

    A target has 11 and 55 random coefficients in the two; the standard deviation of a share is about 0.12, and that of
    the mean over 16 targets 0.03. The bounds are more than three of these.
    """
    rng = np.random.default_rng(int(10 * share))
    U = rng.standard_normal((12, 12))
    U -= U.T
    line = U.sum(axis=1) / 12
    pairs = U - line[:, np.newaxis] + line  # without positions of single items
    kernels = [TensorKernel(rng.standard_normal(12), order=1), TensorKernel(pairs)]
    shares = []
    for _ in range(16):
        X = random_rankings(rng, 120, 12)
        parts = [wkendall.embed(X, kernel.U).reshape(120, -1) for kernel in kernels]
        functions = [part @ rng.standard_normal(part.shape[1]) / np.linalg.norm(part[0]) for part in parts]
        y = np.sqrt(share) * functions[0] + np.sqrt(1 - share) * functions[1]
        shares.append(KernelMixtureRegressor(kernels).fit(X, y).weights_[0])
    assert abs(np.mean(shares) - share) < 0.1, np.mean(shares)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_shares(kind):
    for seed in range(10):
        X, y = drawn(kind, 30, 5, seed)
        model = kind([*KERNELS, 1e9 * Kendall("mult", u="hyperbolic"), 1e-9 * Kendall()]).fit(X, y)
        assert (model.weights_ >= 0).all()
        assert model.weights_.sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
def test_scales_do_not_matter(kind):
    X, y = drawn(kind)
    new = random_rankings(np.random.default_rng(5), 20, 5)
    model = kind(KERNELS).fit(X, y)
    scaled = kind([1e6 * KERNELS[0], 1e-6 * KERNELS[1], 3.0 * KERNELS[2]]).fit(X, y)
    np.testing.assert_allclose(scaled.weights_, model.weights_, atol=1e-9)
    np.testing.assert_allclose(scaled.predict(new), model.predict(new), atol=1e-6)


def test_kernels_of_few_dimensions_have_less_certain_weights():
    """Half of each target is a random function of one kernel, half of another: of 2 and 20, or of 9 and 99 dimensions."""
    rng, spread = np.random.default_rng(8), {}
    for items in (3, 10):
        ramp = np.arange(items) - (items - 1) / 2
        kernels = [TensorKernel(ramp, order=1), Kendall(signed=True)]
        shares = []
        for _ in range(60):
            X = random_rankings(rng, 60, items)
            parts = [wkendall.embed(X, ramp), wkendall.features(X, kernels[1])]
            functions = [part @ rng.standard_normal(part.shape[1]) for part in parts]
            y = sum(function / function.std() for function in functions)
            shares.append(KernelMixtureRegressor(kernels).fit(X, y).weights_[0])
        spread[items] = np.std(shares)
    assert spread[3] > 1.2 * spread[10], spread


def test_a_mixture_is_not_always_better_than_its_best_kernel():
    rng, best = np.random.default_rng(9), Kendall(signed=True)
    gains = []
    for _ in range(8):
        X = random_rankings(rng, 360, 8)
        parts = wkendall.features(X, best)
        function = parts @ rng.standard_normal(parts.shape[1])
        y = function / function.std() + rng.standard_normal(360)
        mixed, alone = (
            KernelMixtureRegressor(kernels, C=0.1).fit(X[:60], y[:60]).score(X[60:], y[60:])
            for kernels in ([best, Kendall("top", k=2), *KERNELS[::2]], [best])
        )
        gains.append(mixed - alone)
    assert np.mean(gains) < -0.02, gains


@pytest.mark.parametrize("kind", KINDS)
def test_one_equal_and_constant_kernels(kind):
    X, y = drawn(kind)
    constant = Kendall(order=1)
    for kernels, wanted in (
        ([Kendall()], [1]),
        ([Kendall(), Kendall(), 5 * Kendall()], [1 / 3] * 3),
        ([Kendall(), Mallows(0.1), Mallows(0.1)], None),
        ([constant, Kendall()], [0, 1]),
        ([constant, constant], [0.5, 0.5]),
    ):
        found = kind(kernels).fit(X, y)
        if wanted is None:
            assert found.weights_[1] == pytest.approx(found.weights_[2], abs=1e-6)
        else:
            np.testing.assert_allclose(found.weights_, wanted, atol=1e-6)
        np.testing.assert_array_equal(kind(kernels).fit(X, y).weights_, found.weights_)
    equal = KernelMixtureRegressor(KERNELS).fit(X, np.ones(len(X)))
    np.testing.assert_allclose(equal.weights_, [1 / 3] * 3)
    np.testing.assert_allclose(equal.predict(X), 1)


def test_the_classifier_is_the_machine_of_the_mixture():
    X, y = drawn(KernelMixtureClassifier)
    new = random_rankings(np.random.default_rng(5), 20, 5)
    model = KernelMixtureClassifier(KERNELS, C=3.0, class_weight="balanced").fit(X, y)
    machine = SVC(C=3.0, kernel=model.kernel_, class_weight="balanced", break_ties=True).fit(X, y)
    # libsvm stops at a tolerance of 1e-3, and the rows of the mixture are in another order.
    np.testing.assert_allclose(model.decision_function(new), machine.decision_function(new), atol=5e-3)
    np.testing.assert_array_equal(model.predict(new), machine.predict(new))


def test_the_regressor_is_ridge_on_the_features():
    X, y = drawn(KernelMixtureRegressor)
    new, weights = random_rankings(np.random.default_rng(5), 20, 5), np.random.default_rng(6).uniform(0.5, 2, 60)
    model = KernelMixtureRegressor([Kendall(), Kendall("top", k=3)], C=3.0).fit(X, y + 1e6, sample_weight=weights)
    train, test = wkendall.features(X, model.kernel_), wkendall.features(new, model.kernel_)
    ridge = Ridge(alpha=1 / 6).fit(train, y + 1e6, sample_weight=weights)
    np.testing.assert_allclose(model.predict(new), ridge.predict(test), rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_weights_and_weights_are_repetitions(kind):
    X, y = drawn(kind)
    counts = np.random.default_rng(2).integers(0, 3, 60)
    model = kind(KERNELS).fit(X, y, sample_weight=counts)
    repeated = kind(KERNELS).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    named = kind(KERNELS).fit(Rankings(X, counts=counts, items="abcde"), y)
    np.testing.assert_allclose(model.weights_, repeated.weights_, atol=1e-9)
    np.testing.assert_array_equal(model.weights_, named.weights_)
    np.testing.assert_allclose(model.predict(X), repeated.predict(X), atol=1e-3)
    turned = Rankings(X[:, ::-1], items="edcba")
    np.testing.assert_array_equal(named.predict(turned), named.predict(Rankings(X, items="abcde")))


@pytest.mark.parametrize("kind", KINDS)
def test_ties_lists_searches_and_copies(kind):
    X, y = drawn(kind)
    lists = np.where(X > 3, np.nan, X)
    model = kind(missing="bottom").fit(lists, y)
    np.testing.assert_allclose(model.predict(lists), kind().fit(Rankings(lists, missing="bottom"), y).predict(lists))
    search = GridSearchCV(kind(), {"kernels": [KERNELS, KERNELS[:1]], "C": [0.1, 1]}, cv=2).fit(X, y)
    assert clone(search.best_estimator_).get_params()["C"] in (0.1, 1)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"kernels": []}, ValueError, "kernels is empty"),
        ({"kernels": Kendall()}, TypeError, "kernels must be a list of kernels"),
        ({"kernels": [Kendall(), wkendall.KendallDistance()]}, ValueError, "needs a kernel"),
        ({"kernels": [Kendall(), "mallows"]}, TypeError, r"kernels\[1\]"),
        ({"C": -1.0}, ValueError, "C is -1.0"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_parameters(kind, options, error, words):
    with pytest.raises(error, match=words):
        kind(**options).fit([[1, 2, 3], [2, 1, 3], [3, 2, 1]], [0, 1, 1])


def test_classes_without_weight():
    with pytest.raises(ValueError, match="one class only, a"):
        KernelMixtureClassifier().fit([[1, 2], [2, 1]], ["a", "a"])
    with pytest.raises(ValueError, match="zero for all rankings of class b"):
        KernelMixtureClassifier().fit([[1, 2], [2, 1]], ["a", "b"], sample_weight=[1, 0])
