"""Landmarks and explicit features as transformers for scikit-learn, and chunks of vectors."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from labelled import made, pieces_of
from paths import ROOT
from sklearn.base import clone
from wkendall import Kendall, KendallFeatures, KendallNystroem, Rankings, datasets
from wkendall.estimators import base, nystroem


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans++"])
@pytest.mark.parametrize(
    "parameters", [{}, {"weight": "mult", "u": "log", "normalize": True}, {"order": 3}, {"weight": "top", "k": 2}]
)
def test_all_rankings_as_landmarks_are_exact(parameters, landmarks):
    X = random_rankings(np.random.default_rng(10), 60, 5)
    Z = made(KendallNystroem, parameters, n_components=60, landmarks=landmarks, random_state=0).fit(X)
    K = wkendall.gram_matrix(X, **parameters)
    found = Z.transform(X) @ Z.transform(X).T
    np.testing.assert_allclose(found, K, rtol=1e-8, atol=1e-8 * K.max())
    assert Z.error_ < 1e-10
    # Equal rankings once.
    assert len(Z.landmarks_) == len(Z.landmarks_.distinct()) <= len(np.unique(X, axis=0))


def naive_error(X, landmarks, kernel):
    """The relative error of the trace, and the approximation, with a pseudo-inverse."""
    K, columns = kernel(X), kernel(X, landmarks)
    near = columns @ np.linalg.pinv(kernel(landmarks), rcond=1e-12) @ columns.T
    return (np.trace(K) - np.trace(near)) / np.trace(K), near


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans++"])
def test_the_approximation_by_its_definition(landmarks):
    X = datasets.make_mallows(200, 7, 0.3, rng=0)
    new = random_rankings(np.random.default_rng(11), 20, 7)
    for count in (1, 2, 5, 20, 60):
        kernel = Kendall("add", u="hyperbolic", normalize=True)
        model = KendallNystroem(kernel, n_components=count, landmarks=landmarks, random_state=3).fit(X)
        error, near = naive_error(X, model.landmarks_, kernel)
        Z = model.transform(X)
        np.testing.assert_allclose(Z @ Z.T, near, atol=1e-9)
        assert model.error_ == pytest.approx(error, abs=1e-10)
        own = kernel(model.landmarks_)
        marks = model.transform(model.landmarks_)
        np.testing.assert_allclose(marks @ marks.T, own, atol=1e-9)
        np.testing.assert_allclose(model.transform(new) @ marks.T, kernel(new, model.landmarks_), atol=1e-9)
        rows = {tuple(row) for row in X.tolist()}
        assert all(tuple(row) in rows for row in np.asarray(model.landmarks_).tolist())


def test_landmarks_follow_the_number_of_people():
    X = np.repeat([[1, 2, 3], [3, 2, 1]], [990, 10], axis=0)
    first = [KendallNystroem(n_components=1, random_state=seed).fit(X).landmarks_ for seed in range(200)]
    assert 190 <= first.count(Rankings([[1, 2, 3]])) < 200


def test_the_error_of_many_rankings_is_that_of_some(monkeypatch):
    X = datasets.make_uniform(2000, 8, rng=0)
    full = KendallNystroem(Kendall(normalize=True), n_components=15, random_state=0).fit(X)
    monkeypatch.setattr(nystroem, "MOST", 300)
    some = KendallNystroem(Kendall(normalize=True), n_components=15, random_state=0).fit(X)
    assert some.error_ == pytest.approx(full.error_, rel=0.1)
    assert some.error_ != full.error_
    kernel = Kendall(normalize=True)
    apart = KendallNystroem(kernel, n_components=15, landmarks="kmeans++", random_state=0).fit(X)
    assert len(apart.landmarks_) == 15


@pytest.mark.parametrize("kernel", [{"order": 3}, {"weight": "top", "k": 1}, {"U": np.zeros((2, 2))}])
def test_a_kernel_of_zeros_has_a_column_of_zeros(kernel):
    model = made(KendallNystroem, kernel, n_components=2, random_state=0).fit([[1, 2], [2, 1]])
    np.testing.assert_array_equal(model.transform([[1, 2], [2, 1], [1, 2]]), np.zeros((3, 1)))
    assert model.error_ == 0


def test_the_same_seed_draws_the_same():
    X = datasets.make_uniform(100, 6, rng=0)
    for landmarks in ("uniform", "kmeans++"):
        one, other = (KendallNystroem(n_components=9, landmarks=landmarks, random_state=seed).fit(X) for seed in (0, 1))
        again = clone(one).fit(X[::-1])
        assert one.landmarks_ == again.landmarks_ != other.landmarks_
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(one)).transform(X), one.transform(X))


def test_rankings_count_as_often_as_they_were_observed():
    votes = Rankings(datasets.make_mallows(300, 5, 0.5, rng=0), items="abcde")
    counted = votes.distinct()
    assert len(counted) < len(votes)
    for landmarks in ("uniform", "kmeans++"):
        model = KendallNystroem(n_components=4, landmarks=landmarks, random_state=0)
        one, other = clone(model).fit(votes), clone(model).fit(counted)
        assert one.landmarks_ == other.landmarks_
        assert one.error_ == other.error_
        assert one.landmarks_.items == list("abcde")
        assert one.landmarks_.counts is None
        # What nobody chose is not drawn.
        chosen = Rankings(counted, counts=[1, 1, 1] + [0] * (len(counted) - 3))
        found = clone(model).set_params(n_components=50).fit(chosen)
        assert len(found.landmarks_) <= 3


def test_draws_apart_have_the_chances_of_kmeans_plus_plus():
    places = np.array([0.0, 1.0, 3.0])  # on a line
    gram, weights = np.multiply.outer(places, places), np.array([1.0, 2.0, 1.0])
    random = np.random.RandomState(0)
    draws = [tuple(nystroem.draw_apart(places**2, weights, 2, random, lambda one: gram[:, one])) for _ in range(20_000)]
    for first in range(3):
        chances = weights * (places - places[first]) ** 2
        for second in range(3):
            expected = weights[first] / 4 * chances[second] / chances.sum()
            assert draws.count((first, second)) / 20_000 == pytest.approx(expected, abs=0.02)


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
    monkeypatch.setattr(base, "BLOCK", 50)
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


def test_the_example_of_a_million_rankings_runs():
    path = ROOT / "examples/million_rankings.py"
    done = subprocess.run([sys.executable, path, "--people=2000"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    assert len(rows) == 4
    assert all(0.5 < float(row[-5]) < 1 for row in rows)
