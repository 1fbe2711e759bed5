"""In one `fit`, and in one call of a kernel for Gaussian processes, every array of rankings is checked exactly once."""

import warnings

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from sklearn.gaussian_process import GaussianProcessRegressor
from wkendall.arrays import options as reading
from wkendall.gaussian_process import MallowsKernel, WeightedKendallKernel

RNG = np.random.default_rng(0)
X = random_rankings(RNG, 24, 5)
Y = random_rankings(RNG, 6, 5)
CLASSES = np.where(X[:, 0] < X[:, 1], "a", "b")
THREE = np.array(["a", "b", "c"])[X[:, 0] % 3]
NUMBERS = (X[:, 0] - X[:, 1] + RNG.random(24)).round(2)


@pytest.fixture
def seen(monkeypatch):
    """The names and shapes of the arrays that were checked."""
    found, check = [], reading.Reading._checked

    def counted(self, array, name, threads):
        found.append((name, array.shape))
        return check(self, array, name, threads)

    monkeypatch.setattr(reading.Reading, "_checked", counted)
    return found


def fitted(model, X, y=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few iterations
        return model.fit(X) if y is None else model.fit(X, y)


#: A model and its labels.
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


def applied(model, X):
    for method in ("predict", "transform", "decision_function"):
        if hasattr(model, method):
            getattr(model, method)(X)
            yield


@pytest.mark.parametrize("name", MODELS)
def test_one_fit_checks_its_rankings_once(name, seen):
    model, y = MODELS[name]
    fitted(model, X, y)
    assert seen == [("X", X.shape)]
    seen.clear()
    for _ in applied(model, Y):
        assert seen == [("X", Y.shape)]
        seen.clear()
    votes, new = wkendall.Rankings(X), wkendall.Rankings(Y)
    seen.clear()
    list(applied(fitted(model, votes, y), new))
    assert seen == []


def test_functions_and_starts_are_checked_once(seen):
    for work, wanted in [
        (lambda: wkendall.KendallKMeans(3, init=X[:3]).fit(X), [("X", X.shape), ("init", (3, 5))]),
        (lambda: wkendall.KendallGram().fit_transform(X), [("X", X.shape)]),
        (lambda: wkendall.Kendall()(X, Y), [("X", X.shape), ("Y", Y.shape)]),
        (lambda: wkendall.gram_matrix(X, Y), [("X", X.shape), ("Y", Y.shape)]),
        (lambda: wkendall.suquan_svd(X, CLASSES), [("X", X.shape)]),
    ]:
        seen.clear()
        work()
        assert seen == wanted


KERNELS = [
    MallowsKernel(0.2),
    WeightedKendallKernel("mult", u="power"),
    WeightedKendallKernel("add", u="exponential", order=3, normalize=False),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_kernels_of_gaussian_processes(kernel, seen, monkeypatch):
    """Once in a call, for the matrix and its gradient together; a fit calls a kernel for each value that it tries."""
    kernel(X, eval_gradient=True)
    kernel(X, Y)
    kernel.diag(X)
    assert seen == [("X", X.shape), ("X", X.shape), ("Y", Y.shape), ("X", X.shape)]
    seen.clear()
    calls, call = [], type(kernel).__call__
    monkeypatch.setattr(type(kernel), "__call__", lambda *given, **how: calls.append(1) or call(*given, **how))
    fitted(GaussianProcessRegressor(kernel, alpha=0.1), X, NUMBERS)
    assert len(calls) > 2
    assert seen == [("X", X.shape)] * len(calls)
