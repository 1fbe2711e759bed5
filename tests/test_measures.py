"""Measures: their parameters, what they say of themselves, how they are called, and who refuses them."""

import copy
import inspect
import pickle

import numpy as np
import pytest
import wkendall
from definitions import BOTTOM, random_rankings, random_rows, sparse
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, SVR
from wkendall import Kendall, KendallCorrelation, KendallDistance, Mallows, Rankings, TensorKernel

U = np.random.default_rng(0).standard_normal((5, 5))
W = np.einsum("ab,cd->abcd", np.triu(U, 1), np.triu(U, 1))
KERNELS = [
    Kendall(),
    Kendall("top", k=3),
    Kendall("add", u="log"),
    Kendall("mult", u=[1.0, 0.5, 0.25, 0.1, 0.0], normalize=True),
    Kendall("mult", u=np.linspace(1, -1, 5), signed=True),
    Kendall("average", order=3),
    Kendall(signed=True, normalize=True),
    TensorKernel(U),
    TensorKernel(U=(U[:2], U[2:4]), normalize=True),
    TensorKernel(W=W, check=False),
    TensorKernel(U[0], order=1),
    Mallows(),
    Mallows(0.25, normalize=True),
]
OTHERS = [
    KendallDistance(),
    KendallCorrelation(),
    KendallCorrelation("add", u="hyperbolic"),
    KendallCorrelation("top", k=2),
]
MEASURES = [*KERNELS, *OTHERS]
IDS = [repr(measure)[:50] for measure in MEASURES]
X = random_rankings(np.random.default_rng(1), 12, 5)


@pytest.fixture(params=MEASURES, ids=IDS)
def measure(request):
    return copy.deepcopy(request.param)


# Parameters.


def test_parameters_are_attributes(measure):
    parameters = measure.get_params()
    assert list(parameters) == list(inspect.signature(type(measure)).parameters)
    for name, value in parameters.items():
        assert getattr(measure, name) is value
    assert measure.get_params(deep=False) == parameters
    assert type(measure)(**parameters) == measure


def test_parameters_can_be_set():
    kernel = Kendall("mult", u="log")
    assert kernel.set_params(weight="top", k=3, u=None) is kernel
    assert kernel == Kendall("top", k=3)
    kernel.k = 2
    assert kernel.get_params()["k"] == 2
    assert kernel.set_params() is kernel
    with pytest.raises(ValueError, match=r"^Kendall has no parameter 'wieght': it has weight, k, u, order, signed"):
        kernel.set_params(wieght="mult")
    with pytest.raises(ValueError, match=r"^KendallDistance has no parameter 'k': it has no parameters$"):
        KendallDistance().set_params(k=2)
    with pytest.raises(ValueError, match=r"^Kendall has no parameter 'weight__k'"):
        kernel.set_params(weight__k=3)


# Equality, text, copies.


def test_equality(measure):
    assert measure == copy.deepcopy(measure)
    assert sum(measure == other for other in MEASURES) == 1
    assert measure != measure.get_params()
    assert measure != repr(measure)
    assert measure is not None


def test_equality_is_that_of_parameters():
    assert Kendall("mult", u=[1, 2]) == Kendall("mult", u=np.array([1.0, 2.0]))
    assert Kendall("mult", u=[1, 2]) != Kendall("mult", u=[1, 3])
    assert Kendall("mult", u=[1, 2]) != Kendall("mult", u=[1, 2, 3])
    assert Kendall("mult", u="log") != Kendall("mult", u=np.array([1.0]))
    assert Kendall("mult", u="log") != Kendall("mult", u="hyperbolic")
    assert Kendall() != Kendall(normalize=True)
    assert Kendall() == Kendall("standard", order=2)
    assert Kendall() != KendallCorrelation()
    assert TensorKernel(U) != TensorKernel(W=U)
    assert TensorKernel(U=(U[0], U[1])) == TensorKernel(U=(U[0].copy(), U[1].copy()))
    assert TensorKernel(U=(U[0], U[1])) != TensorKernel(U=[U[0], U[1]])
    assert Mallows(1) == Mallows(1.0)
    assert KendallDistance() == KendallDistance()
    kernel = Kendall("mult", u=np.ones(5))
    other = copy.deepcopy(kernel)
    kernel.u[2] = 0  # in place
    assert kernel != other


def test_equal_measures_have_equal_hashes():
    """scikit-learn looks kernels up in a dictionary."""
    assert hash(Kendall("mult", u=[1, 2])) == hash(Kendall("mult", u=np.array([1, 2])))
    assert Kendall() in {Kendall(): 1}


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (Kendall(), "Kendall()"),
        (Kendall("top", k=5), "Kendall('top', k=5)"),
        (Kendall(signed=True, normalize=True), "Kendall(signed=True, normalize=True)"),
        (Kendall("mult", u="log", order=3), "Kendall('mult', u='log', order=3)"),
        (Kendall("add", u=[1, 2]), "Kendall('add', u=[1, 2])"),
        (Kendall("standard", order=2), "Kendall()"),
        (Mallows(), "Mallows()"),
        (Mallows(0.5, normalize=True), "Mallows(0.5, normalize=True)"),
        (Mallows(normalize=True), "Mallows(normalize=True)"),
        (TensorKernel(W=None), "TensorKernel()"),
        (KendallDistance(), "KendallDistance()"),
        (KendallCorrelation("add", u="log"), "KendallCorrelation('add', u='log')"),
    ],
)
def test_repr(measure, text):
    assert repr(measure) == text
    assert eval(text) == measure


def test_copies(measure):
    for other in (copy.copy(measure), copy.deepcopy(measure), clone(measure), pickle.loads(pickle.dumps(measure))):
        assert type(other) is type(measure)
        assert other == measure
        np.testing.assert_array_equal(other(X), measure(X))


# What they say of themselves.


def test_what_they_are(measure):
    assert measure.is_kernel == (measure in KERNELS or measure == KendallCorrelation())
    assert measure.is_distance == isinstance(measure, KendallDistance)
    assert isinstance(measure.takes, frozenset)
    assert measure.takes <= {"ties", "lists", "unknown"}


def test_what_they_take(measure):
    """What is in `takes` is computed; the rest is refused in one sentence."""
    values = random_rows(np.random.default_rng(2), 6, 5)
    given = {
        "ties": Rankings(values, **BOTTOM),
        "lists": Rankings(sparse(values), **BOTTOM),
        "unknown": Rankings(values, ties="mean", missing="anywhere"),
    }
    for kind, rankings in given.items():
        if kind in measure.takes:
            assert measure(rankings).shape == (6, 6)
        else:
            with pytest.raises(
                ValueError, match=r"^(order is|W is for complete|if missing items can be anywhere)"
            ) as caught:
                measure(rankings)
            assert "\n" not in str(caught.value)


# Calls.


def test_a_measure_is_called(measure):
    K = wkendall.similarity_matrix(X, measure=measure)
    assert K.shape == (12, 12)
    for given in (X, X.tolist(), Rankings(X)):
        np.testing.assert_array_equal(measure(given), K)
    np.testing.assert_array_equal(measure(X, X), K)
    np.testing.assert_array_equal(measure(X, X.copy()), K)
    np.testing.assert_array_equal(measure(Rankings(X), X[:4]), wkendall.similarity_matrix(X, X[:4], measure))
    if measure.is_kernel:
        np.testing.assert_array_equal(wkendall.gram_matrix(X, kernel=measure), K)
        np.testing.assert_array_equal(K, K.T)
        assert np.linalg.eigvalsh(K)[0] >= -1e-10 * np.abs(K).max()


def test_one_pair(measure):
    K = measure(X)
    value = measure(X[0], X[1])
    assert isinstance(value, float)
    assert value == pytest.approx(K[0, 1], rel=1e-12, abs=1e-12)
    assert measure(X[0].tolist(), X[1].tolist()) == value
    # A Rankings of one ranking gives a matrix.
    assert measure(Rankings(X[:1]), Rankings(X[1:2])).shape == (1, 1)
    with pytest.raises(wkendall.RankingError, match=r"^X is 1-dimensional"):
        measure(X[0])
    with pytest.raises(wkendall.RankingError, match=r"^Y is 1-dimensional"):
        measure(X, X[0])
    with pytest.raises(wkendall.RankingError, match=r"^X has 5 items, but Y has 2"):
        measure(X[0], [1, 2])


def test_similarity_matrix():
    np.testing.assert_array_equal(wkendall.similarity_matrix(X), wkendall.gram_matrix(X))
    np.testing.assert_array_equal(wkendall.similarity_matrix(X, measure=KendallDistance()), wkendall.distance_matrix(X))
    for measure in MEASURES:
        K = wkendall.similarity_matrix(X, X[:5], measure)
        out = np.empty((12, 5))
        assert wkendall.similarity_matrix(X, X[:5], measure, out=out) is out
        np.testing.assert_array_equal(out, K)
        np.testing.assert_array_equal(wkendall.similarity_matrix(X, X[:5], measure, n_jobs=2), K)
        single = wkendall.similarity_matrix(X, X[:5], measure, dtype=np.float32)
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, K, rtol=1e-5, atol=1e-5 * np.abs(K).max())


# Who refuses them.

NEED_A_KERNEL = {
    "gram_matrix": lambda measure: wkendall.gram_matrix(X, kernel=measure),
    "diagonal": lambda measure: wkendall.diagonal(X, measure),
    "kernel": lambda measure: wkendall.kernel(X[0], X[1], measure),
    "kappa": lambda measure: wkendall.kappa(X[0], measure),
    "distance_matrix": lambda measure: wkendall.distance_matrix(X, kernel=measure),
    "features": lambda measure: wkendall.features(X, measure),
    "gram_to_file": lambda measure: wkendall.gram_to_file("never.npy", X, kernel=measure),
    "two_sample_test": lambda measure: wkendall.two_sample_test(X, X, kernel=measure),
    "independence_test": lambda measure: wkendall.independence_test(X, X[:, 0], kernel=measure),
    "consensus": lambda measure: wkendall.consensus(X, kernel=measure),
    "pair_importance": lambda measure: wkendall.pair_importance(X, np.ones(12), kernel=measure),
}


@pytest.mark.parametrize("function", NEED_A_KERNEL)
def test_functions_that_need_a_kernel(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = NEED_A_KERNEL[function]
    for measure, what in [
        (KendallDistance(), "a distance"),
        (KendallCorrelation("add", u="log"), "not positive definite"),
    ]:
        with pytest.raises(wkendall.RankingError) as caught:
            call(measure)
        assert str(caught.value) == (
            f"{function} needs a kernel, but {measure!r} is {what}: similarity_matrix takes any measure"
        )
        assert (caught.value.argument, caught.value.kind) == ("kernel", "no kernel")
    for wrong in ("mult", 3, {"weight": "mult"}, np.eye(5), lambda s, t: 0.0):
        with pytest.raises(TypeError, match=r"^kernel must be a measure, such as Kendall"):
            call(wrong)
    with pytest.raises(TypeError, match=r"^kernel is the class Mallows: pass an object, such as Mallows\(\)$"):
        call(Mallows)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("function", [*NEED_A_KERNEL, "similarity_matrix", "neighbors"])
def test_functions_refuse_parameters_that_are_not_used(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    others = {
        "similarity_matrix": lambda measure: wkendall.similarity_matrix(X, measure=measure),
        "neighbors": lambda measure: wkendall.neighbors(X, n_neighbors=2, measure=measure),
    }
    call = (NEED_A_KERNEL | others)[function]
    for kernel, name in ((Kendall(u="log"), "u"), (Kendall("mult", u="log", k=3), "k"), (Kendall("average", k=3), "k")):
        with pytest.raises(
            wkendall.RankingError, match=f"^{name} is given, but the weight .* does not use it"
        ) as caught:
            call(kernel)
        assert caught.value.argument == name


# The shorthand.

SHORT = {
    "gram_matrix": lambda **options: wkendall.gram_matrix(X, **options),
    "diagonal": lambda **options: wkendall.diagonal(X, **options),
    "kernel": lambda **options: wkendall.kernel(X[0], X[1], **options),
    "kappa": lambda **options: wkendall.kappa(X[0], **options),
}


@pytest.mark.parametrize("function", SHORT)
def test_the_shorthand_is_the_object(function):
    call = SHORT[function]
    for measure in KERNELS:
        if not isinstance(measure, Mallows):
            given = measure.get_params()
            if isinstance(measure, Kendall):
                np.testing.assert_array_equal(call(**given), call(kernel=measure))
            given = {name: value for name, value in given.items() if value is not None}
            np.testing.assert_array_equal(call(**given), call(kernel=measure))
    np.testing.assert_array_equal(call(), call(kernel=None))


@pytest.mark.parametrize("function", SHORT)
def test_errors_of_the_shorthand(function):
    call = SHORT[function]
    with pytest.raises(TypeError) as caught:
        call(wieght="mult")
    assert str(caught.value) == f"{function}() got an unexpected keyword argument 'wieght': did you mean 'weight'?"
    with pytest.raises(TypeError, match=rf"^{function}\(\) got an unexpected keyword argument 'lam'$"):
        call(lam=0.5)
    for name, value, noun in [
        ("weight", "top", "the kernel"),
        ("u", None, "the kernel"),
        ("normalize", True, "the kernel"),
        ("U", U, "the kernel"),
        ("ties", "mean", "Rankings"),
        ("input", "ranks", "Rankings"),
    ]:
        with pytest.raises(wkendall.RankingError) as caught:
            call(kernel=Kendall(), **{name: value})
        assert str(caught.value) == f"{name} is given together with kernel: pass {name} to {noun} instead"
        assert caught.value.argument == name
    for options, argument in [
        ({"U": U, "weight": "mult"}, "U"),
        ({"W": W, "weight": "standard"}, "W"),
        ({"U": U, "k": 2}, "k"),
        ({"W": W, "u": "log"}, "u"),
        ({"U": U, "signed": True}, "signed"),
    ]:
        with pytest.raises(wkendall.RankingError) as caught:
            call(**options)
        assert caught.value.argument == argument
    with pytest.raises(ValueError, match=r"^both U and W are given"):
        call(U=U, W=W)


# scikit-learn.


@pytest.fixture
def labelled():
    rng = np.random.default_rng(3)
    values = random_rankings(rng, 80, 6)
    return values, values[:, 0] < values[:, 1], values[:, 0] - values[:, 1] + rng.normal(0, 0.1, 80)


@pytest.mark.parametrize("kernel", [Kendall("mult", u="log"), Mallows(0.3), Kendall(order=3)], ids=repr)
def test_a_kernel_of_a_support_vector_machine(labelled, kernel):
    values, y, numbers = labelled
    K = wkendall.gram_matrix(values, kernel=kernel)
    model = SVC(kernel=kernel).fit(values[:60], y[:60])
    wanted = SVC(kernel="precomputed").fit(K[:60, :60], y[:60])
    np.testing.assert_allclose(model.decision_function(values), wanted.decision_function(K[:, :60]), rtol=1e-9)
    assert model.score(values[60:], y[60:]) > 0.7
    assert SVR(kernel=kernel).fit(values, numbers).score(values, numbers) > 0.5
    ridge = KernelRidge(kernel=kernel).fit(values[:20], numbers[:20])  # calls it pair by pair
    wanted = KernelRidge(kernel="precomputed").fit(K[:20, :20], numbers[:20])
    np.testing.assert_allclose(ridge.predict(values), wanted.predict(K[:, :20]), rtol=1e-6)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(values), model.predict(values))
    assert clone(model).kernel == kernel


def test_calls_ignore_what_the_weight_does_not_use():
    np.testing.assert_array_equal(Kendall(u="log", k=2)(X), Kendall()(X))
    np.testing.assert_array_equal(Kendall("top", u="log", k=2)(X), Kendall("top", k=2)(X))
    np.testing.assert_array_equal(KendallCorrelation("average", u="log")(X), KendallCorrelation("average")(X))
    with pytest.raises(ValueError, match="u is missing: the weight"):
        Kendall("mult", k=2)(X)
