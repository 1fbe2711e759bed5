"""Numbers at the edge: sums that cancel, underflow or leave the range of single precision."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import wkendall
from definitions import random_rankings, tuples
from nouns import features
from wkendall import KendallCorrelation, TensorKernel
from wkendall.gram_file import blocks

BACKENDS = ["product", "pairs", "partition", "pairs-portable", "product-portable"]


def halves(n):
    """A ranking with two blocks of tied items, and a complete one."""
    return np.array([np.repeat([1, 2], n // 2), np.arange(1, n + 1)])


class TestSelfSimilarityOfZero:
    """A self-similarity of at most 1e-12 of the sum of the absolute values of its terms is 0."""

    @pytest.mark.parametrize("backend", BACKENDS)
    @pytest.mark.parametrize("normalize", [False, True])
    @pytest.mark.parametrize("n", [4, 44, 100, 300])
    def test_every_backend_follows_the_rule(self, backend, normalize, n):
        how = {"weight": "add", "u": np.linspace(1, -1, n), "signed": True, "ties": "mean"}
        K = wkendall.gram_matrix(halves(n), normalize=normalize, backend=backend, **how)
        assert K[0, 0] == 0
        assert np.abs(K[0, 1]) <= (0 if normalize else 1e-12 * n**2)
        assert K[1, 0] == K[0, 1]
        assert K[1, 1] == pytest.approx(1) if normalize else K[1, 1] > 0

    def test_diagonal_and_features_know_it_too(self):
        parameters = {"weight": "add", "u": np.linspace(1, -1, 44), "signed": True, "ties": "mean"}
        for normalize in (False, True):
            assert wkendall.diagonal(halves(44), normalize=normalize, **parameters)[0] == 0
            assert (np.abs(features(halves(44), parameters | {"normalize": normalize})[0]) < 1e-15).all()

    @pytest.mark.parametrize("order", [1, 2, 3])
    def test_weights_that_add_up_to_nothing(self, order):
        u = [0.1, 0.2, -0.3]
        X = [[1, 2, 3], [2, 1, 3], [1, 2, 3]]
        K = wkendall.gram_matrix(X, weight="add", u=u, order=order)
        if order == 3:
            assert (K == 0).all()
        else:
            assert (np.diag(K) > 0).all()
        assert (wkendall.gram_matrix(X, weight="add", u=u, order=order, normalize=True) <= 1).all()
        assert wkendall.kernel([1, 2, 3], [1, 2, 3], weight="add", u=u, order=order) == K[0, 0]
        assert wkendall.kappa([1, 2, 3], weight="add", u=u, order=order) == K[0, 0]

    def test_values_with_another_ranking_keep_their_digits(self):
        # The self-similarity of the first is 1.3e-12 of its terms, so the value can be 1e-6 of its own.
        x, y, u = [1, 1, 2, 2], [1, 3, 2, 4], [1, -0.5, -0.25, -0.25 + 8e-7]
        value = wkendall.kernel(x, y, weight="add", u=u, signed=True, ties="mean")
        # Pairs in different blocks of x have the mean of both blocks in x, and their own weights in y.
        mean = (u[0] + u[1]) / 2 + (u[2] + u[3]) / 2
        wanted = sum(mean * (u[y[i] - 1] + u[y[j] - 1]) * (1 if y[i] < y[j] else -1) for i in (0, 1) for j in (2, 3))
        assert value == pytest.approx(wanted, rel=1e-9)
        assert wkendall.kernel(x, y, weight="add", u=u, signed=True, ties="mean", normalize=True) == 0
        assert wkendall.kernel(x, x, weight="add", u=u, signed=True, ties="mean") == 0


class TestUnderflow:
    """Normalized kernels do not depend on the scale of their weights."""

    def normalized(self, s, t, order, u):
        values = [tuples(a, b, order, "mult", u=u) for a, b in ((s, t), (s, s))]
        return float(values[0] / values[1])

    @pytest.mark.parametrize(
        ("u", "order"),
        [
            ([1, 1e-90, 1e-90, 1e-90], 3),
            ([1, 1e-90, 1e-90, 1e-90], 4),
            ([1e70, 1e-60, 1e-60, 1e-60], 2),
            ([1, 1e-170, 1e-170, 1e-170], 2),
            ([1, 1e-160, 1e-20, 1e-20], 3),
            ([1e-100, 1e-100, 1e-100, 1e-100], 4),
        ],
    )
    def test_steep_weights(self, u, order):
        X = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4], [4, 3, 2, 1]])
        K = wkendall.gram_matrix(X, weight="mult", u=u, order=order, normalize=True)
        wanted = [[self.normalized(s, t, order, u) for t in X] for s in X]
        assert (np.diag(K) == 1).all()
        np.testing.assert_allclose(K, wanted, rtol=1e-12, atol=1e-300)

    @pytest.mark.parametrize("scale", [1e100, 1e160, 1e300])
    def test_weights_of_any_size(self, scale):
        rng = np.random.default_rng(0)
        X = random_rankings(rng, 4, 5)
        u, U = rng.random(5), rng.standard_normal((5, 5))
        A = rng.standard_normal((125, 125))
        W = np.zeros((5,) * 4)
        W[0, 1, 0, 1] = W[2, 3, 2, 3] = 1
        for name, value in [("u", u), ("U", U), ("W", W), ("U", A.reshape(125, 5, 5, 5)[0])]:
            weights = [{"weight": weight} for weight in ("add", "mult")] if name == "u" else [{}]
            for more in weights:
                more = more | {"normalize": True, "order": 3 if value.ndim == 3 else 2}
                K = wkendall.gram_matrix(X, **{name: value}, **more)
                scaled = wkendall.gram_matrix(X, **{name: value * scale}, **more)
                np.testing.assert_allclose(scaled, K, rtol=1e-12, atol=1e-14)
        factors = rng.standard_normal((2, 1, 5))
        K = wkendall.gram_matrix(X, U=tuple(factors), normalize=True)
        scaled = wkendall.gram_matrix(X, U=(factors[0] * scale, factors[1] / scale), normalize=True)
        np.testing.assert_allclose(scaled, K, rtol=1e-12, atol=1e-14)
        with pytest.raises(ValueError, match="u"):
            wkendall.gram_matrix(X, weight="mult", u=[np.inf, 1, 1, 1, 1], normalize=True)


class TestSinglePrecision:
    """Results in single precision are within about 1e-6 of the self-similarity, or refused."""

    def test_too_small_to_be_told_apart(self):
        with pytest.raises(ValueError, match=r"no value is larger than 4e-40, too small for single precision"):
            wkendall.gram_matrix([[1, 2], [2, 1]], weight="add", u=[1e-20, 1e-20], dtype=np.float32)
        assert (wkendall.gram_matrix([[1, 2], [2, 1]], weight="add", u=[0, 0], dtype=np.float32) == 0).all()


class TestFeaturesWithTies:
    """Means over blocks of ties keep their digits."""

    @pytest.mark.parametrize("weight", ["mult", "add"])
    @pytest.mark.parametrize("signed", [False, True])
    def test_steep_weights(self, weight, signed):
        n = 12
        u = 10.0 ** -np.arange(0, 2 * n, 2)
        starts = [0, 0, 2, 2, 2, 5, 5, 7, 8, 8, 8, 8]
        sizes = {0: 2, 2: 3, 5: 2, 7: 1, 8: 4}
        found = features([starts], {"weight": weight, "u": u, "signed": signed, "ties": "mean"})[0]
        exact = [Fraction(value) for value in u]

        def mean(i, j):
            """Return the mean weight of two items that come in this order."""
            blocks = [range(starts[item], starts[item] + sizes[starts[item]]) for item in (i, j)]
            ways = [(a, b) for a in blocks[0] for b in blocks[1] if a != b]
            terms = [exact[a] * exact[b] if weight == "mult" else exact[a] + exact[b] for a, b in ways if a < b]
            return sum(terms, Fraction(0)) / len(ways)

        pairs = list(combinations(range(n), 2))
        if signed:
            wanted = [float(mean(i, j) - mean(j, i)) for i, j in pairs]
        else:
            wanted = [float(mean(i, j)) for i, j in pairs] + [float(mean(j, i)) for i, j in pairs]
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=0)


class TestWhatAReviewFound:
    """Cases that were wrong once."""

    def test_correlation_of_steep_weights(self):
        assert KendallCorrelation("mult", u=[1, 1e-7, 1e-7])([1, 2, 3], [1, 3, 2]) == pytest.approx(1)
        n = 60
        y = np.concatenate([[1], np.arange(n, 1, -1)])
        value = KendallCorrelation("mult", u=0.5 ** np.arange(n))(np.arange(1, n + 1), y)
        assert value == pytest.approx(float(self.exact_correlation(y, n)), rel=1e-9)

    @staticmethod
    def exact_correlation(y, n):
        u = [Fraction(1, 2**rank) for rank in range(n)]
        signed = both = Fraction(0)
        for i, j in combinations(range(n), 2):
            term = u[i] * u[j] * u[int(y[i]) - 1] * u[int(y[j]) - 1]
            both += term
            signed += term if y[i] < y[j] else -term
        return signed / both

    @pytest.mark.parametrize(("u", "order"), [(0.8 ** np.arange(600), 200), ([1, 1e-300, 1e-300, 1e-300], 3)])
    def test_weights_too_steep_for_any_scale(self, u, order):
        with pytest.raises(ValueError, match=f"u falls too steeply for a normalized kernel of order {order}"):
            wkendall.gram_matrix([np.arange(1, len(u) + 1)] * 2, weight="mult", u=u, order=order, normalize=True)

    def test_factors_that_cancel_with_many_items(self):
        n = 100_000
        v, w = np.full(n, 0.3), np.full(n, 0.33)
        U = (np.stack([v, -3 * v]), np.stack([w, w / 3]))
        X = np.stack([np.random.default_rng(seed).permutation(n) + 1 for seed in range(10)])
        assert wkendall.diagonal(X[:1], U=U)[0] == 0
        assert (wkendall.gram_matrix(X, U=U) == 0).all()
        assert (wkendall.gram_matrix(X[:2], U=U, normalize=True) == 0).all()
        assert wkendall.kappa(X[0], U=U) == 0

    def test_small_entries_of_factors_count(self):
        X = [[1, 2], [2, 1]] * 6
        U = (np.array([[1e70, 1e-300]]), np.array([[1.0, 1.0]]))
        assert wkendall.gram_matrix(X, U=U)[0, 1] == wkendall.kernel(X[0], X[1], U=U) > 0

    def test_average_of_millions_of_tied_items(self):
        ratios = []
        for n in (100_000, 6_000_000):
            x = np.repeat([1, 2], n // 2)
            ratios.append(wkendall.kernel(x, x, weight="average", ties="mean") / n**2)
        assert ratios[0] == pytest.approx(ratios[1], rel=1e-4)

    def test_single_precision_everywhere(self):
        with pytest.raises(ValueError, match="too large for single precision"):
            features([[1, 2, 3]], {"weight": "add", "u": [1e60] * 3}, dtype=np.float32)
        W = np.zeros((3,) * 4)
        W[0, 1, 0, 2] = 1e300
        with pytest.raises(ValueError, match="too large for single precision"):
            wkendall.gram_matrix([[1, 2, 3], [1, 3, 2]], W=W, check=False, dtype=np.float32)

    def test_files_and_dask_without_symmetry(self, tmp_path, monkeypatch):
        import dask.array as da

        monkeypatch.setattr(blocks, "BLOCK_BYTES", 7 * 7 * 8)
        rng = np.random.default_rng(0)
        W = rng.standard_normal((4,) * 4)
        X = random_rankings(rng, 30, 4)
        kernel = TensorKernel(W=W, check=False)
        wanted = wkendall.gram_matrix(X, kernel=kernel)
        np.testing.assert_array_equal(wkendall.gram_to_file(tmp_path / "K.npy", X, kernel=kernel), wanted)
        lazy = wkendall.dask.gram_matrix(da.from_array(X, chunks=(10, 4)), kernel=kernel)
        np.testing.assert_array_equal(lazy.compute(scheduler="sync"), wanted)
