"""Factors that are found for `U=`: every value within 1e-12 of the sum of the absolute values of its terms, or dense."""

from fractions import Fraction

import numpy as np
import pytest
import wkendall
from wkendall import tensors
from wkendall.low_rank import low_rank
from wkendall.tensors import tensor_weights

BOUND = 1e-12


def rankings(rng, n):
    """As many rankings as it takes to search for factors; the first two have no concordant pair."""
    X = np.argsort(rng.random((int(np.sqrt(10 * n)) + 2, n)), axis=1) + 1
    X[0] = np.arange(1, n + 1)
    X[1] = X[0][::-1]
    return X


def exact(s, t, U):
    """The kernel and the sum of the absolute values of its terms, without rounding."""
    pairs = zip(U[np.ix_(s - 1, s - 1)].ravel().tolist(), U[np.ix_(t - 1, t - 1)].ravel().tolist(), strict=True)
    value = size = 0
    for first, second in pairs:
        (a, b), (c, d) = first.as_integer_ratio(), second.as_integer_ratio()
        term = (a * c << 2400) // (b * d)  # the denominators are powers of two
        value, size = value + term, size + abs(term)
    return Fraction(value, 1 << 2400), Fraction(size, 1 << 2400)


def assert_within_bound(U, rng, pairs=((0, 1), (2, 3))):
    X = rankings(rng, len(U))
    K = wkendall.gram_matrix(X, U=U)
    for p, q in pairs:
        value, size = exact(X[p], X[q], U)
        assert abs(Fraction(float(K[p, q])) - value) <= Fraction(BOUND) * size, (p, q, float(value), K[p, q])


def kind(U):
    n = len(U)
    return tensor_weights(U, n, 2, 10**9).kind


def two_entries(n=40):
    U = np.zeros((n, n))
    U[0, 1], U[5, 6] = 1e9, 1e-6
    return U


def bottom_heavy(n=40):
    v = 10.0 ** np.linspace(-10, 10, n)
    return np.outer(v, v)


def weights(name, n):
    ranks = np.arange(1, n + 1)
    return {"hyperbolic": 1 / (ranks + 1), "log": 1 / np.log2(ranks + 1), "linear": n + 1.0 - ranks}[name]


def test_small_entries_beside_large_ones_count():
    """The two entries meet in no term of this pair but U[0, 1] U[5, 6]."""
    U, n = two_entries(), 40
    X = rankings(np.random.default_rng(0), n)
    X[1] = X[0]
    X[1, [0, 1, 5, 6]] = X[0, [5, 6, 0, 1]]
    assert wkendall.gram_matrix(X, U=U)[0, 1] == pytest.approx(2000, rel=1e-12)


@pytest.mark.parametrize("make", [two_entries, bottom_heavy], ids=lambda make: make.__name__)
@pytest.mark.parametrize("found", [True, False], ids=["factored", "dense"])
def test_steep_weights(make, found, monkeypatch):
    if not found:
        monkeypatch.setattr(tensors, "low_rank", lambda *_: None)
    U, rng = make(), np.random.default_rng(0)
    assert kind(U) == ("factors" if found else "U")
    assert_within_bound(U, rng, [(p, q) for p in range(4) for q in range(4)])


@pytest.mark.parametrize("value", [1e150, -1e150, 1.0, 1e-140])
def test_any_scale(value):
    U = np.full((40, 40), value)
    assert kind(U) == "factors"
    X = rankings(np.random.default_rng(0), 40)
    np.testing.assert_allclose(wkendall.gram_matrix(X, U=U), 1600 * value**2, rtol=1e-12)
    assert (wkendall.gram_matrix(X, U=U, normalize=True) == 1).all()


@pytest.mark.parametrize("value", [1e-200, 1e-300, 5e-324])
def test_scales_at_which_factors_lose_digits_are_dense(value):
    assert kind(np.outer([value] * 20 + [1e100] * 20, [1.0] * 40)) == "U"


def test_too_large_weights_are_named():
    with pytest.raises(ValueError, match=r"^U\[0, 0\] is 1e160: weights must be finite and small enough"):
        wkendall.gram_matrix(rankings(np.random.default_rng(0), 40), U=np.full((40, 40), 1e160))


@pytest.mark.parametrize("n", [100, 500])
@pytest.mark.parametrize("name", ["hyperbolic", "log", "linear"])
def test_typical_weights_are_factored(name, n):
    v = weights(name, n)
    ranks = np.arange(1, n + 1) / n
    for U in (np.outer(v, v), v[:, np.newaxis] + v, 1 + np.outer(v, v), np.cos(ranks[:, np.newaxis] - ranks)):
        assert kind(U) == "factors"
        assert kind(1e-100 * U[::-1]) == "factors"


def test_others_are_dense():
    rng = np.random.default_rng(0)
    U = np.outer(*rng.random((2, 40)))
    assert kind(U) == "factors"
    for place in ((3, 4), (39, 39)):
        changed = U.copy()
        changed[place] *= 1 + 1e-11  # too much for the promise; the rank is then 2, but 2 of 30 is too many
        assert kind(changed[:30, :30] if place == (3, 4) else changed[10:, 10:]) == "U"
    assert kind(rng.standard_normal((40, 40))) == "U"
    assert kind(np.eye(40)) == "U"
    assert kind(np.zeros((40, 40))) == "factors"
    assert low_rank(np.full((40, 40), np.nan), 2) is None
    # The rounding of sums of these factors is larger than the promise: they cancel.
    geometric = 0.5 ** np.arange(100)
    assert kind(geometric[:, np.newaxis] - geometric) == "U"


def test_too_little_memory_for_factors_is_no_error(monkeypatch):
    def fail(*_):
        raise MemoryError

    U = np.ones((40, 40))
    assert kind(U) == "factors"
    monkeypatch.setattr("wkendall.low_rank._crosses", fail)
    assert kind(U) == "U"


def draw(rng):
    """Draw a matrix that is of low rank, or nearly so."""
    n = int(rng.choice([8, 12, 32, 40]))
    steep = [10.0 ** rng.uniform(-10, 10, n) * rng.choice([-1, 1], n) for _ in range(2)]
    v = weights(str(rng.choice(["hyperbolic", "log", "linear"])), n)
    rank = int(rng.integers(1, 4))
    sparse = np.zeros((n, n))
    sparse[rng.integers(n, size=rank), rng.integers(n, size=rank)] = 10.0 ** rng.uniform(-12, 12, rank)
    touched = np.outer(*steep)
    touched[rng.random((n, n)) < 0.02] *= 1 + 1e-13
    kinds = [
        np.outer(*steep), v[:, np.newaxis] + v, v[:, np.newaxis] - v[::-1], sparse, touched,
        rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n)),
        10.0 ** rng.uniform(-6, 6, (n, rank)) @ 10.0 ** rng.uniform(-6, 6, (rank, n)),
    ]  # fmt: skip
    return kinds[rng.integers(len(kinds))] * 10.0 ** rng.choice([0, 0, -100, 100])


@pytest.mark.parametrize("seed", range(4))
def test_drawn_matrices_of_low_rank(seed):
    rng = np.random.default_rng(seed)
    factored = 0
    for _ in range(40):
        U = draw(rng)
        assert_within_bound(U, rng)
        factored += kind(U) == "factors"
    assert factored > 10
