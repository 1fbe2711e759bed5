"""Ties and missing items: means over all complete rankings that agree, by enumeration."""

import csv
import gzip
import itertools
import re
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import wkendall
from completions import NAN, completions, random_rows
from definitions import kernels, random_rankings, sums
from nouns import features
from paths import SHARED
from scipy.stats import kendalltau
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC
from wkendall import Rankings

DATA = SHARED / "data/expression"
BACKENDS = (
    None,
    "partition",
    *(f"{way}-{level}" for way in ("bits", "pairs", "product") for level in wkendall._core.instruction_sets()),
)


def able(backend, n, missing, signed, weight):
    """Whether a backend can compute a kernel of rankings with ties."""
    if backend is None or n < 2:  # Fewer than two items are always complete, and have other strategies.
        return backend is None
    if "product" in backend:
        return weight != "average"
    if "bits" in backend:
        return missing == "bottom" and (weight == "standard" or (weight == "average" and not signed and n <= 32))
    return True


def expected(s, t, missing, signed=False, **kernel):
    """The mean over both sets of completions of the kernel's definition, and the size of its terms."""
    values = [sums(a, b, **kernel) for a, b in product(completions(s, missing), completions(t, missing))]
    mean = sum(Fraction(value.signed if signed else value.concordant) for value in values) / len(values)
    size = sum(Fraction(value.size) for value in values) / len(values)
    return float(mean), float(size)


def weights(n, rng):
    u = rng.uniform(0.1, 1, n)
    return [
        {"weight": "standard"},
        {"weight": "top", "k": max(1, n // 2)},
        {"weight": "top", "k": max(n, 1)},
        {"weight": "add", "u": u},
        {"weight": "mult", "u": u},
        {"weight": "mult", "u": rng.standard_normal(n)},
        {"weight": "average"},
    ]


@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("signed", [False, True])
def test_means_over_completions(n, signed):
    rng = np.random.default_rng(n)
    X = random_rows(rng, 4, n) if n < 6 else random_rows(rng, 3, n)
    if n == 6:
        X[2] = [1, 2, 2, NAN, 3, 3]
        X[0] = [1, 1, 1, 2, 2, 3]
    for kernel in weights(n, rng):
        for missing in ["bottom", "anywhere"] if kernel["weight"] == "standard" else ["bottom"]:
            wanted = np.array([[expected(s, t, missing, signed, **kernel) for t in X] for s in X]).reshape(
                len(X), len(X), 2
            )
            for backend in BACKENDS:
                if not able(backend, n, missing, signed, kernel["weight"]):
                    continue
                K = wkendall.gram_matrix(X, ties="mean", missing=missing, signed=signed, backend=backend, **kernel)
                assert (np.abs(K - wanted[..., 0]) <= 1e-12 * wanted[..., 1]).all(), (kernel, missing, backend)
            own = wkendall.diagonal(X, ties="mean", missing=missing, signed=signed, **kernel)
            room = 0 if kernel["weight"] == "standard" and missing == "bottom" else 1e-12
            wanted = np.diagonal(wanted)
            assert (np.abs(own - wanted[0]) <= room * wanted[1]).all(), (kernel, missing)


def block_sums(s, t, kernel):
    """The definition with block means, pair by pair: for more items than can be enumerated."""
    n = len(s)
    U = wkendall.position_weights(n, **kernel)
    stack = U if U.ndim == 3 else U[np.newaxis]

    def embedded(row):
        values = np.where(np.isnan(row), np.inf, row)
        block = [np.flatnonzero(np.sort(values) == value) for value in values]
        phi = np.zeros((len(stack), n, n))
        for i, j in combinations(range(n), 2):
            if values[i] == values[j]:
                inside = block[i]
                table = stack[:, inside[:, None], inside]
                mean = table.sum(axis=(1, 2)) - np.trace(table, axis1=1, axis2=2)
                phi[:, i, j] = phi[:, j, i] = mean / (len(inside) * (len(inside) - 1))
            else:
                phi[:, i, j] = stack[:, block[i][:, None], block[j]].mean(axis=(1, 2))
                phi[:, j, i] = stack[:, block[j][:, None], block[i]].mean(axis=(1, 2))
        return phi

    return (embedded(s) * embedded(t)).sum()


@pytest.mark.parametrize("n", [7, 20, 33, 70])
def test_block_means_for_more_items(n):
    rng = np.random.default_rng(n)
    X = random_rows(rng, 4, n)
    X[3] = rng.integers(0, 3, n)
    for kernel in weights(n, rng):
        if "u" in kernel and kernel["u"].min() < 0:
            continue
        wanted = np.zeros((len(X), len(X)))
        for row, column in itertools.combinations_with_replacement(range(len(X)), 2):
            wanted[row, column] = wanted[column, row] = block_sums(X[row], X[column], kernel)
        for backend in ("bits", "pairs", "partition", "product"):
            if not able(backend, n, "bottom", False, kernel["weight"]):
                continue
            K = wkendall.gram_matrix(X, ties="mean", missing="bottom", backend=backend, **kernel)
            np.testing.assert_allclose(K, wanted, rtol=1e-12, err_msg=f"{kernel} {backend}")


@pytest.mark.parametrize("n", [300, 1500, 9000])
def test_strategies_agree_for_many_items(n):
    rng = np.random.default_rng(n)
    X = rng.integers(0, n // 3, (4, n)).astype(float)
    X[0, rng.random(n) < 0.5] = NAN
    X[1:3] = rng.integers(0, 20, (2, n))  # few blocks, which make a small table
    for kernel in weights(n, rng):
        for signed in (False, True):
            parameters = kernel | {"ties": "mean", "missing": "bottom", "signed": signed}
            backends = ("pairs", "partition", "bits") if kernel["weight"] == "standard" else ("pairs", "partition")
            first, *others = (wkendall.gram_matrix(X, backend=backend, **parameters) for backend in backends)
            size = np.abs(first).max()
            for other in others:
                np.testing.assert_allclose(first, other, rtol=1e-10 if signed else 1e-12, atol=1e-10 * size * signed)
    found = [
        wkendall.gram_matrix(X, missing="anywhere", ties="mean", backend=backend) for backend in ("pairs", "partition")
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("n", [5, 1000, 300_000])
def test_signed_values_of_unknown_places_keep_their_digits(n):
    X = np.full((2, n), NAN)
    X[:, 0] = 1
    X[0, 1] = X[1, 2] = 2
    value = wkendall.gram_matrix(X, missing="anywhere", signed=True)[0, 1]
    np.testing.assert_allclose(value, (n - 3) / 9 + 2 / 3 - 1 / 9, rtol=1e-13)


@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
def test_expected_distance(missing):
    rng = np.random.default_rng(1)
    X = random_rows(rng, 4, 5)
    D = wkendall.distance_matrix(Rankings(X, ties="mean", missing=missing))
    for p, q in product(range(4), range(4)):
        pairs = product(completions(X[p], missing), completions(X[q], missing))
        wanted = np.mean([10 - sums(s, t, "standard").concordant for s, t in pairs])
        assert D[p, q] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("m", [5, 200])
def test_kernels_are_positive_semidefinite_and_symmetric(m):
    rng = np.random.default_rng(m)
    n = 8
    X = random_rows(rng, m, n)
    for kernel in weights(n, rng):
        for signed, normalize in product((False, True), (False, True)):
            for missing in ["bottom", "anywhere"] if kernel["weight"] == "standard" else ["bottom"]:
                parameters = kernel | {"ties": "mean", "missing": missing, "signed": signed, "normalize": normalize}
                K = wkendall.gram_matrix(X, **parameters)
                np.testing.assert_array_equal(K, K.T)
                np.testing.assert_array_equal(K, wkendall.gram_matrix(X, X.copy(), **parameters))
                eigenvalues = np.linalg.eigvalsh(K)
                assert eigenvalues[0] >= -1e-10 * max(eigenvalues[-1], 1e-300)
                if normalize:
                    assert set(np.unique(np.diag(K).round(12))) <= {0.0, 1.0}


def test_everything_tied():
    # All items tied: every ordered pair has chance 1/2.
    assert wkendall.kernel([1, 1, 1, 1], [1, 2, 3, 4], ties="mean") == 3.0
    assert wkendall.kernel([5, 5, 5, 5], [2, 2, 2, 2], ties="mean") == 3.0
    assert wkendall.kernel([NAN] * 4, [1, 2, NAN, NAN], missing="bottom") == 3.0
    assert wkendall.kernel([1, 1, 1], [3, 2, 1], ties="mean", signed=True) == 0.0
    assert wkendall.kernel([1, 1, 1], [3, 2, 1], ties="mean", signed=True, normalize=True) == 0.0


def test_complete_rows_are_what_they_were():
    rng = np.random.default_rng(2)
    X = random_rankings(rng, 80, 12)
    for kernel in weights(12, rng):
        plain = wkendall.gram_matrix(X, **kernel)
        np.testing.assert_array_equal(plain, wkendall.gram_matrix(X, ties="mean", missing="bottom", **kernel))
        np.testing.assert_array_equal(plain, wkendall.gram_matrix(X * 10.0 - 3, ties="mean", **kernel))
        # Beside one that is not complete they are computed in another way.
        tied = np.vstack([X, np.ones(12)])
        np.testing.assert_allclose(
            wkendall.gram_matrix(tied, ties="mean", **kernel)[:-1, :-1], plain, rtol=1e-11, atol=1e-13
        )


def test_inputs_and_ends():
    rng = np.random.default_rng(3)
    X = random_rows(rng, 5, 6)
    parameters = {"weight": "mult", "u": "log", "ties": "mean", "missing": "bottom"}
    K = wkendall.gram_matrix(X, **parameters)
    np.testing.assert_array_equal(K, wkendall.gram_matrix(-X, input="scores", **parameters))
    np.testing.assert_array_equal(K, wkendall.gram_matrix(7 - X, top="high", **parameters))
    np.testing.assert_array_equal(K, wkendall.gram_matrix(X, input="scores", top="high", **parameters))
    np.testing.assert_array_equal(K, wkendall.gram_matrix(X.tolist(), **parameters))
    np.testing.assert_array_equal(K.astype(np.float32), wkendall.gram_matrix(X, dtype=np.float32, **parameters))
    for p, q in product(range(5), range(5)):
        assert wkendall.kernel(X[p], X[q], **parameters) == pytest.approx(K[p, q], rel=1e-13)
    # Complete rankings with incomplete ones.
    Y = random_rankings(rng, 4, 6)
    mixed = wkendall.gram_matrix(Y, X, **parameters)
    np.testing.assert_array_equal(mixed, wkendall.gram_matrix(X, Y, **parameters).T)
    for jobs in (1, 2, 3):
        np.testing.assert_array_equal(K, wkendall.gram_matrix(X, n_jobs=jobs, **parameters))


def test_repeated_rows_are_spread():
    rng = np.random.default_rng(4)
    few = random_rows(rng, 6, 5)
    rows = rng.integers(0, 6, 300)
    parameters = {"ties": "mean", "missing": "bottom", "weight": "top", "k": 2, "normalize": True}
    K = wkendall.gram_matrix(few, **parameters)
    np.testing.assert_allclose(wkendall.gram_matrix(few[rows], **parameters), K[np.ix_(rows, rows)], rtol=1e-13)
    np.testing.assert_allclose(wkendall.gram_matrix(few[rows], few, **parameters), K[rows], rtol=1e-13)


def test_threads_and_tiles_do_not_matter():
    rng = np.random.default_rng(5)
    X = random_rows(rng, 90, 40)
    for kernel in ({"weight": "average"}, {"weight": "mult", "u": "log"}, {}):
        for backend in (None, "pairs"):
            one = wkendall.gram_matrix(X, ties="mean", missing="bottom", n_jobs=1, backend=backend, **kernel)
            two = wkendall.gram_matrix(X, ties="mean", missing="bottom", n_jobs=2, backend=backend, **kernel)
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        ([[1, 2, 2]], {}, 'X: row 0 holds 2 twice, in columns 1 and 2, .*; ties="mean" treats equal numbers as ties'),
        ([[0.5, 0.5]], {"input": "scores"}, 'X: row 0 holds 0.5 twice, .*; ties="mean" treats equal numbers as ties'),
        (
            [[1, NAN]],
            {},
            'X: row 0, column 1 holds NaN: every item needs a number; missing="bottom" puts items without a number last',
        ),
        ([[1, NAN]], {"ties": "mean"}, "X: row 0, column 1 holds NaN"),
        ([[1, 2, 2, NAN]], {"missing": "bottom"}, "X: row 0 holds 2 twice, in columns 1 and 2"),
        ([[1, np.inf]], {"ties": "mean"}, "X: row 0, column 1 holds inf"),
        ([[1, 1]], {"ties": "average"}, "ties is 'average', but must be one of 'error', 'mean'"),
        ([[1, 1]], {"missing": "drop"}, "missing is 'drop', but must be one of 'error', 'bottom', 'anywhere'"),
        ([[1, 1]], {"ties": "mean", "input": "orders"}, "input is 'orders', which list every item once"),
        (
            [[1, 1]],
            {"ties": "mean", "order": 3},
            "order is 3, but rankings with ties or missing items take orders 1 and 2",
        ),
        ([[1, NAN]], {"missing": "anywhere", "U": np.eye(2)}, "the weight must be the standard one"),
        ([[1, NAN]], {"missing": "anywhere", "weight": "average"}, "the weight must be the standard one"),
        (
            [[1, 1]],
            {"ties": "mean", "weight": "top", "k": 1, "backend": "bits"},
            'backend "bits" cannot compute this measure',
        ),
    ],
)
def test_what_is_not_allowed(X, parameters, message):
    with pytest.raises(ValueError, match=message if "\\" in message or ".*" in message else re.escape(message)):
        wkendall.gram_matrix(X, **parameters)


def test_no_rows_and_no_items():
    assert wkendall.gram_matrix(np.empty((0, 3)), ties="mean").shape == (0, 0)
    np.testing.assert_array_equal(wkendall.gram_matrix(np.empty((2, 0)), ties="mean"), np.zeros((2, 2)))
    np.testing.assert_array_equal(wkendall.gram_matrix([[NAN], [1.0]], missing="bottom"), np.zeros((2, 2)))


def test_tau_b():
    rng = np.random.default_rng(6)
    for n in (2, 5, 12, 40):
        x, y = rng.integers(0, max(2, n // 3), (2, n))
        x[:2], y[:2] = (0, 1), (1, 0)
        assert wkendall.kernel(x, y, ties="mean", signed=True, normalize=True) == pytest.approx(
            kendalltau(x, y).statistic
        )


def test_distance_of_top_lists():
    """Fagin, Kumar and Sivakumar's K with penalty 1/2, by its four cases."""
    rng = np.random.default_rng(7)
    for _ in range(30):
        A, B = (list(rng.permutation(9)[: rng.integers(1, 7)]) for _ in range(2))
        wanted = 0.0
        for i, j in combinations(sorted({*A, *B}), 2):
            one, other = ([item for item in (i, j) if item in ranked] for ranked in (A, B))
            if len(one) == len(other) == 2:
                wanted += (A.index(i) < A.index(j)) != (B.index(i) < B.index(j))
            elif {len(one), len(other)} == {1, 2}:
                whole, part = (A, other[0]) if len(one) == 2 else (B, one[0])
                wanted += whole.index(part) > whole.index(j if part == i else i)
            elif len(one) == len(other) == 1:
                wanted += one != other
            else:
                wanted += 0.5
        assert wkendall.distance_matrix(wkendall.from_lists([A, B]))[0, 1] == wanted


@pytest.mark.parametrize("missing", ["error", "bottom"])
@pytest.mark.parametrize("signed", [False, True])
def test_features_are_means_over_completions(signed, missing):
    rng = np.random.default_rng(20)
    for n in range(1, 5):
        X = random_rows(rng, 8, n, missing=missing == "bottom")
        for parameters in kernels(n, rng):
            found = features(X, {"ties": "mean", "missing": missing, "signed": signed, **parameters})
            for row, vector in zip(X, found, strict=True):
                mean = features(completions(row, missing), {"signed": signed, **parameters}).mean(axis=0)
                np.testing.assert_allclose(vector, mean, atol=1e-13)
            kernel = {"ties": "mean", "missing": missing, "signed": signed, "normalize": True, **parameters}
            unit = features(X, kernel)
            np.testing.assert_allclose(unit @ unit.T, wkendall.gram_matrix(X, **kernel), atol=1e-12)


@pytest.mark.skipif(not DATA.exists(), reason="the expression data are not there")
@pytest.mark.parametrize("name", ["golub", "alon"])
def test_gene_expression(name):
    with gzip.open(DATA / name / "values.csv.gz", "rt") as file:
        X = np.array(list(csv.reader(file))[1:], dtype=float)
    with (DATA / name / "labels.csv").open() as file:
        y = np.array([row[0] for row in csv.reader(file)][1:])
    K = wkendall.gram_matrix(X, input="scores", ties="mean", weight="mult", u="log", normalize=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    score = cross_val_score(SVC(kernel="precomputed", C=10.0), K, y, cv=folds).mean()
    majority = max(np.mean(y == label) for label in set(y))
    assert score >= majority + 0.15


def test_repeated_rows_of_unknown_places_are_told_apart():
    X = np.array([[1, 2, NAN], [1, 2, 3]] * 40)
    few = wkendall.gram_matrix(X[:2], missing="anywhere")
    assert few[0, 1] != few[0, 0]
    np.testing.assert_allclose(wkendall.gram_matrix(X, missing="anywhere"), np.tile(few, (40, 40)), rtol=1e-14)


@pytest.mark.parametrize("signed", [False, True])
def test_average_of_long_blocks(signed):
    rng = np.random.default_rng(8)
    X = rng.integers(0, 3, (2, 40)).astype(float)
    # The stack of top-k kernels, one by one.
    tops = [wkendall.gram_matrix(X, weight="top", k=k, ties="mean", signed=signed) for k in range(1, 41)]
    K = wkendall.gram_matrix(X, weight="average", ties="mean", signed=signed)
    np.testing.assert_allclose(K, np.mean(tops, axis=0), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("top", ["low", "high"])
@pytest.mark.parametrize("missing", ["error", "bottom", "anywhere"])
def test_kappa_is_the_kernel_with_the_identity(top, missing):
    rng = np.random.default_rng(9)
    for n in range(8):
        for params in ({}, {"signed": True}, {"weight": "mult", "u": "log"}, {"weight": "average", "normalize": True}):
            if missing == "anywhere" and "weight" in params:
                continue
            pi = rng.integers(0, 4, n).astype(float)
            if missing != "error":
                pi[rng.random(n) < 0.3] = NAN
            how = params | {"top": top, "ties": "mean", "missing": missing}
            assert wkendall.kappa(pi, **how) == wkendall.kernel(np.arange(n), pi, **how)


def test_advice_is_given_only_where_it_can_be_followed():
    for call, can in (
        (wkendall.Rankings, True),
        (wkendall.gram_matrix, True),
        (wkendall.Mallows(1.0), True),
        (lambda X: wkendall.KendallCorrelation()(X[0], X[0]), True),
        (wkendall.inverse, False),
    ):
        with pytest.raises(ValueError, match="holds 2 twice") as raised:
            call([[1, 2, 2]])
        assert ("ties=" in str(raised.value)) == can
