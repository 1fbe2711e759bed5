"""Smooth weights of pairs of many positions: U0 + f[a] + g[b], by inner products of rankings only."""

import numpy as np
import pytest
import wkendall
from sklearn.svm import SVC
from wkendall import AlternatingClassifier, AlternatingRegressor, Rankings

N = 210
rng = np.random.default_rng(0)
SCORES = rng.integers(0, 150, (40, N)).astype(float)
SCORES[1::2, :9] += 40  # what differs between the classes
Y = np.arange(40) % 2
TIED = Rankings(SCORES, input="scores", ties="mean")
NEW = Rankings(rng.integers(0, 150, (15, N)).astype(float), input="scores", ties="mean")
COMPLETE = Rankings(np.array([rng.permutation(N) + 1 for _ in range(40)]))


def base_of(toward):
    if toward is None:
        return np.zeros((N, N))
    if toward == "ramp":
        return np.array([[b - a for b in range(N)] for a in range(N)], dtype=float)
    return wkendall.position_weights(N) if toward == "standard" else wkendall.position_weights(N, "mult", u=toward)


def objective(model, X, y, U, B, intercept):
    V = U - base_of(model.toward)
    scores = wkendall.linear_function(X, U, B) + intercept
    squares = isinstance(model, AlternatingRegressor)
    losses = (y - scores) ** 2 if squares else np.maximum(0, 1 - (2 * y - 1) * scores)
    changes = (np.diff(V, axis=0) ** 2).sum() + (np.diff(V, axis=1) ** 2).sum()
    return model.C * losses.sum() + (B**2).sum() / 2 + model.alpha * ((V**2).sum() + N**2 * changes) / 2


#: U0, the start, C, and an alpha at which the weights leave U0.
CASES = [("standard", 1e-3, 1e-9), ("log", 1e-3, 1e-8), ("ramp", 1e-6, 1e-18), (None, 1.0, 1e-2)]


@pytest.mark.parametrize("kind", [AlternatingClassifier, AlternatingRegressor])
@pytest.mark.parametrize(("toward", "C", "alpha"), CASES)
def test_the_model_is_that_of_the_formula(kind, toward, C, alpha):
    init = "suquan" if toward is None else "standard"
    model = kind(penalty="smooth", toward=toward, init=init, alpha=alpha, C=C, max_iter=500, tol=1e-5).fit(TIED, Y)
    U, B, b = model.U_, model.B_, model.intercept_
    path = model.objective_path_
    assert np.diff(path).max() <= 1e-6 * path[0]
    np.testing.assert_allclose(path[-1], objective(model, TIED, Y, U, B, b), rtol=1e-7)
    output = model.decision_function if kind is AlternatingClassifier else model.predict
    scores = wkendall.linear_function(NEW, U, B) + b
    np.testing.assert_allclose(output(NEW), scores, atol=1e-8 * np.abs(scores).max())
    V = U - base_of(toward)
    assert np.abs(V).max() > 1e-3 * np.abs(U).max()
    # V is a sum of two functions, each with 20 cosines.
    np.testing.assert_allclose(V[1:, 1:] - V[:-1, 1:] - V[1:, :-1] + V[:-1, :-1], 0, atol=1e-9 * np.abs(V).max())
    waves = np.cos(np.pi * np.outer(np.arange(N) + 0.5, np.arange(N)) / N)
    np.testing.assert_allclose(waves[:, 20:].T @ V, 0, atol=1e-8 * N * np.abs(V).max())
    # No other weights of this form, and no other coefficients, are better.
    for size in (1e-2, 1e-3):
        f, g = (waves[:, :20] @ rng.standard_normal((20, 2)) / 20).T
        other = U + size * np.abs(V).max() * (f[:, np.newaxis] + g)
        assert objective(model, TIED, Y, other, B, b) >= path[-1] * (1 - 3e-5)
        other = B + size * np.abs(B).max() * rng.standard_normal(B.shape)
        assert objective(model, TIED, Y, U, other, b) >= path[-1] * (1 - 3e-5)


@pytest.mark.parametrize("toward", ["standard", "ramp", "hyperbolic", "log"])
@pytest.mark.parametrize("X", [TIED, COMPLETE], ids=["tied", "complete"])
def test_a_large_alpha_gives_the_fixed_kernel(X, toward):
    kernel = wkendall.TensorKernel(base_of(toward))
    gram = kernel(X)
    C = 3 / gram.diagonal().mean()
    machine = SVC(kernel="precomputed", C=C, tol=1e-10).fit(gram, Y)
    model = AlternatingClassifier(C=C, alpha=1e15, penalty="smooth", toward=toward).fit(X, Y)
    expected = machine.decision_function(kernel(NEW, X))
    np.testing.assert_allclose(model.decision_function(NEW), expected, atol=1e-6)
    np.testing.assert_allclose(model.U_, base_of(toward), atol=1e-6)


def test_weights_are_chosen_for_more_positions_than_a_matrix_of_pairs_allows():
    n = 30_000
    X = Rankings(np.array([np.random.default_rng(seed).permutation(n) + 1 for seed in range(12)]))
    y = np.arange(12) % 2
    model = AlternatingClassifier(penalty="smooth", toward="log", alpha=1.0, C=1e-3).fit(X, y)
    assert model.score(X, y) == 1.0
    machine = SVC(kernel=wkendall.Kendall("mult", u="log"), C=1e-3).fit(X, y)
    assert model.decision_function(X) @ machine.decision_function(X) > 0


def test_three_classes_and_a_start():
    y = np.arange(40) % 3
    model = AlternatingClassifier(penalty="smooth", toward="standard", alpha=1e-8, C=1e-3).fit(TIED, y)
    assert len(model.U_) == len(model.B_) == 3
    scores = [wkendall.linear_function(NEW, U, B) for U, B in zip(model.U_, model.B_, strict=True)]
    np.testing.assert_allclose(model.decision_function(NEW), np.transpose(scores) + model.intercept_, atol=1e-9)
    start = base_of("log")
    again = AlternatingClassifier(penalty="smooth", init=start, alpha=1e-2).fit(TIED, Y)
    assert again.objective_path_[-1] < again.objective_path_[0]
    # A later fit of few positions has matrices again.
    few = again.set_params(init="standard").fit(Rankings(SCORES[:, :8], input="scores", ties="mean"), Y)
    assert few.U_.shape == (8, 8)
    with pytest.raises(AttributeError, match="has no U_ before fit"):
        AlternatingClassifier().U_  # noqa: B018


@pytest.mark.parametrize(("toward", "C", "alpha"), CASES[1:])
def test_matrices_give_the_same_as_inner_products(toward, C, alpha, monkeypatch):
    options = {"toward": toward, "C": C, "alpha": alpha, "penalty": "smooth", "tol": 1e-6, "max_iter": 500}
    options["init"] = wkendall.position_weights(N) if toward is None else "standard"
    model = AlternatingRegressor(**options).fit(TIED, Y)
    assert hasattr(model, "expansions_")
    monkeypatch.setattr("wkendall.estimators.learners.MORE_POSITIONS", 100)
    dense = AlternatingRegressor(**options).fit(TIED, Y)
    assert not hasattr(dense, "expansions_")
    np.testing.assert_allclose(dense.objective_path_, model.objective_path_, rtol=1e-6)
    np.testing.assert_allclose(dense.U_, model.U_, atol=1e-5 * np.abs(model.U_).max())
    np.testing.assert_allclose(dense.predict(NEW), model.predict(NEW), atol=1e-5)
