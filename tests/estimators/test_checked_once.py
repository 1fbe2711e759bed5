"""In one `fit`, and in one call of a kernel for Gaussian processes, every array of rankings is checked exactly once."""

import warnings

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from sklearn.gaussian_process import GaussianProcessRegressor
from wkendall import _core
from wkendall.arrays import options as reading
from wkendall.gaussian_process import MallowsKernel, WeightedKendallKernel
from wkendall.learning import position_tensors

RNG = np.random.default_rng(0)
X = random_rankings(RNG, 24, 5)
Y = random_rankings(RNG, 6, 5)
CLASSES = np.where(X[:, 0] < X[:, 1], "a", "b")
THREE = np.array(["a", "b", "c"])[X[:, 0] % 3]
NUMBERS = (X[:, 0] - X[:, 1] + RNG.random(24)).round(2)


class Counting(type):
    """A class of the extension module that notes each object made from an array."""

    def __call__(cls, values, *rest, **options):
        cls.made.append(values.shape)
        return cls.kind(values, *rest, **options)

    def __instancecheck__(cls, one):
        return isinstance(one, cls.kind)


class Core:
    """The extension module with handles counted."""

    def __init__(self, made):
        self.Rankings = Counting("Rankings", (), {"made": made, "kind": _core.Rankings})

    def __getattr__(self, name):
        return getattr(_core, name)


class Seen:
    """The checked arrays, and the arrays from which handles were made."""

    def __init__(self):
        self.checked, self.made = [], []

    def clear(self):
        self.checked.clear()
        self.made.clear()


@pytest.fixture
def seen(monkeypatch):
    found, check = Seen(), reading.Reading._checked

    def counted(self, array, name, threads):
        found.checked.append((name, array.shape))
        return check(self, array, name, threads)

    monkeypatch.setattr(reading.Reading, "_checked", counted)
    for module in (reading, position_tensors):
        monkeypatch.setattr(module, "_core", Core(found.made))
    return found


def fitted(model, X, y=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few iterations
        return model.fit(X) if y is None else model.fit(X, y)


#: A model and its labels. One fit makes one handle; what is taken out of it is not checked again.
MODELS = {
    "SuquanSVDClassifier": (wkendall.SuquanSVDClassifier(), CLASSES),
    "SuquanSVDClassifier, order 1": (wkendall.SuquanSVDClassifier(order=1), CLASSES),
    "SuquanSVDClassifier, three classes": (wkendall.SuquanSVDClassifier(n_components=2), THREE),
    "SuquanSVDRegressor": (wkendall.SuquanSVDRegressor(), NUMBERS),
    "AlternatingClassifier": (wkendall.AlternatingClassifier(max_iter=1), CLASSES),
    "AlternatingClassifier, many steps": (wkendall.AlternatingClassifier(max_iter=30, tol=1e-9), CLASSES),
    "AlternatingClassifier, three classes": (wkendall.AlternatingClassifier(init="suquan"), THREE),
    "AlternatingRegressor": (wkendall.AlternatingRegressor(max_iter=30, tol=1e-9), NUMBERS),
    "KendallGram": (wkendall.KendallGram(wkendall.Kendall("mult", u="log")), None),
    "KendallGram, Mallows": (wkendall.KendallGram(wkendall.Mallows(0.3)), None),
    "KendallFeatures": (wkendall.KendallFeatures(wkendall.Kendall("add", u="log")), None),
    "KendallKMeans": (wkendall.KendallKMeans(3, n_init=2, max_iter=2, random_state=0), None),
    "KendallKMeans, many runs": (wkendall.KendallKMeans(3, n_init=20, random_state=0), None),
    "KendallNeighbors": (wkendall.KendallNeighbors(3), None),
    "KendallNystroem": (wkendall.KendallNystroem(n_components=8, random_state=0), None),
    "KendallNystroem, apart": (wkendall.KendallNystroem(n_components=8, landmarks="kmeans++", random_state=0), None),
}


@pytest.mark.parametrize("name", MODELS)
def test_one_fit_checks_its_rankings_once(name, seen):
    model, y = MODELS[name]
    fitted(model, X, y)
    assert seen.checked == [("X", X.shape)]
    assert seen.made == [X.shape]
    for method in ("predict", "transform", "decision_function"):
        if hasattr(model, method):
            seen.clear()
            getattr(model, method)(Y)
            assert (seen.checked, seen.made) == ([("X", Y.shape)], [Y.shape])


def test_a_start_is_checked_once_too(seen):
    wkendall.KendallKMeans(3, init=X[:3]).fit(X)
    assert seen.checked == [("X", X.shape), ("init", (3, 5))]


def test_a_matrix_of_all_rankings_of_a_fit(seen):
    wkendall.KendallGram().fit_transform(X)
    assert seen.checked == [("X", X.shape)]
    seen.clear()
    wkendall.Kendall()(X, Y)
    assert seen.checked == [("X", X.shape), ("Y", Y.shape)]


@pytest.mark.parametrize("name", MODELS)
def test_rankings_are_not_read_again(name, seen):
    votes, new = wkendall.Rankings(X), wkendall.Rankings(Y)
    seen.clear()
    model, y = MODELS[name]
    fitted(model, votes, y)
    for method in ("predict", "transform", "decision_function"):
        if hasattr(model, method):
            getattr(model, method)(new)
    assert (seen.checked, seen.made) == ([], [])


def test_functions_check_once(seen):
    wkendall.suquan_svd(X, CLASSES)
    assert (seen.checked, seen.made) == ([("X", X.shape)], [X.shape])
    seen.clear()
    wkendall.gram_matrix(X, Y)
    assert (seen.checked, seen.made) == ([("X", X.shape), ("Y", Y.shape)], [X.shape, Y.shape])


KERNELS = [
    MallowsKernel(0.2),
    WeightedKendallKernel("mult", u="power"),
    WeightedKendallKernel("add", u="exponential", order=3, normalize=False),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_kernels_of_gaussian_processes(kernel, seen):
    """Once in a call, for the matrix and its gradient together; a fit calls a kernel for each value that it tries."""
    kernel(X, eval_gradient=True)
    assert (seen.checked, seen.made) == ([("X", X.shape)], [X.shape])
    seen.clear()
    kernel(X, Y)
    assert (seen.checked, seen.made) == ([("X", X.shape), ("Y", Y.shape)], [X.shape, Y.shape])
    seen.clear()
    kernel.diag(X)
    assert (seen.checked, seen.made) == ([("X", X.shape)], [X.shape])


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_fit_of_a_gaussian_process(kernel, seen, monkeypatch):
    calls, call = [], type(kernel).__call__
    monkeypatch.setattr(type(kernel), "__call__", lambda *given, **how: calls.append(1) or call(*given, **how))
    fitted(GaussianProcessRegressor(kernel, alpha=0.1), X, NUMBERS)
    assert len(calls) > 2
    assert seen.checked == [("X", X.shape)] * len(calls)
    assert len(seen.made) == len(calls)
