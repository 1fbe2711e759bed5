"""Explicit features as a transformer for scikit-learn, and chunks of vectors."""

import subprocess
import sys

import numpy as np
import pytest
import wkendall
from definitions import kernels, random_rankings
from paths import ROOT
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from transformed import pieces_of, two_classes
from wkendall import Kendall, KendallFeatures, KendallNystroem, datasets
from wkendall.estimators import vectors


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("normalize", [False, True])
def test_features_are_exact(signed, normalize):
    rng = np.random.default_rng(12)
    for items in (1, 2, 3, 6):
        X = random_rankings(rng, 20, items)
        for parameters in kernels(items, rng):
            model = KendallFeatures(Kendall(**parameters, signed=signed, normalize=normalize))
            Z = model.fit_transform(X)
            assert len(model.get_feature_names_out()) == Z.shape[1]
            K = wkendall.gram_matrix(X, **parameters, signed=signed, normalize=normalize)
            np.testing.assert_allclose(Z @ Z.T, K, atol=1e-12 * max(1, K.max()))


@pytest.mark.parametrize(
    "mapping", [KendallNystroem(Kendall("mult", u="log"), n_components=20, random_state=0), KendallFeatures()]
)
def test_chunks_are_pieces_of_the_whole(mapping, monkeypatch):
    X = datasets.make_uniform(137, 6, rng=0)
    mapping = clone(mapping).fit(X)
    whole = mapping.transform(X)
    for size in (None, 1, 10, 137, 1000):
        slices = [rows for rows, _ in mapping.chunks(X, size)]
        assert [rows.start for rows in slices] == [0, *(rows.stop for rows in slices[:-1])]
        assert slices[-1].stop == 137
        np.testing.assert_allclose(pieces_of(mapping, X, size), whole, atol=1e-12)
    monkeypatch.setattr(vectors, "BLOCK", 50)
    np.testing.assert_allclose(mapping.transform(X), whole, atol=1e-12)
    single = clone(mapping).set_params(dtype=np.float32).fit(X).transform(X)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, whole, atol=1e-5)
    # All rankings are checked, and named by their row in all of them, before the first chunk.
    X[100] = 1
    with pytest.raises(ValueError, match="X: row 100"):
        mapping.chunks(X, 10)
    with pytest.raises(ValueError, match="size is 0"):
        mapping.chunks(X, 0)


def test_a_linear_model_learns_from_chunks():
    X, y = two_classes(np.random.default_rng(13), 4000, 6)
    third = Kendall(order=3, normalize=True)
    for mapping in (KendallFeatures(Kendall(signed=True)), KendallNystroem(third, n_components=30, random_state=0)):
        model = SGDClassifier(random_state=0)
        for rows, Z in mapping.fit(X[:1000]).chunks(X[:3000], 100):
            model.partial_fit(Z, y[:3000][rows], classes=[0, 1])
        assert model.score(mapping.transform(X[3000:]), y[3000:]) > 0.7


def test_features_and_landmarks_in_a_grid_search():
    X, y = two_classes(np.random.default_rng(14), 200)
    kernel = Kendall("mult", u="log")
    for mapping in (KendallFeatures(kernel), KendallNystroem(kernel, n_components=20, random_state=0)):
        name = f"{type(mapping).__name__.lower()}__kernel"
        grid = {f"{name}__weight": ["add", "mult"], f"{name}__u": ["log", "hyperbolic"]}
        search = GridSearchCV(make_pipeline(mapping, LogisticRegression()), grid, cv=3).fit(X, y)
        assert search.best_score_ > 0.7


def test_the_example_of_a_million_rankings_runs():
    path = ROOT / "examples/million_rankings.py"
    done = subprocess.run([sys.executable, path, "--people=2000"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    assert len(rows) == 4
    assert all(0.5 < float(row[-5]) < 1 for row in rows)
