"""Sums, products, multiples and powers of kernels: those of their matrices, entry by entry, wherever a kernel is taken."""

import copy

import numpy as np
import pytest
import wkendall
import wkendall.dask
from definitions import BOTTOM, random_rankings, random_rows, sparse
from wkendall import Kendall, Mallows, Rankings, TensorKernel

U = np.random.default_rng(0).standard_normal((6, 6))
A, B, C = Kendall("mult", u="log"), Mallows(0.3), Kendall(signed=True, normalize=True)
T = TensorKernel(U, normalize=True)
#: A kernel, and its matrix from the matrices of its parts.
COMBINED = {
    "sum": (A + B, lambda K: K(A) + K(B)),
    "sum with itself": (A + A, lambda K: 2 * K(A)),
    "sum of three": (A + B + C, lambda K: K(A) + K(B) + K(C)),
    "sum on the right": (A + (B + C), lambda K: K(A) + K(B) + K(C)),
    "product": (A * B, lambda K: K(A) * K(B)),
    "product of three": (A * B * C, lambda K: K(A) * K(B) * K(C)),
    "multiple": (2.5 * A, lambda K: 2.5 * K(A)),
    "multiple on the right": (A * 3, lambda K: 3 * K(A)),
    "tiny multiple": (1e-200 * C, lambda K: 1e-200 * K(C)),
    "nothing": (0 * A, lambda K: 0 * K(A)),
    "square": (A**2, lambda K: K(A) ** 2),
    "first power": (C**1, lambda K: K(C)),
    "seventh power": (C**7, lambda K: K(C) ** 7),
    "power of a sum": ((A + B) ** 2, lambda K: (K(A) + K(B)) ** 2),
    "product of sums": ((A + B) * (C + 2 * B), lambda K: (K(A) + K(B)) * (K(C) + 2 * K(B))),
    "polynomial": (C**2 + 0.5 * C + 0.1 * B, lambda K: K(C) ** 2 + 0.5 * K(C) + 0.1 * K(B)),
    "weights of positions": (T + Kendall(), lambda K: K(T) + K(Kendall())),
    "general times named": (T * A, lambda K: K(T) * K(A)),
    "counts": (
        Kendall() + Kendall("top", k=3) * Kendall("average"),
        lambda K: K(Kendall()) + K(Kendall("top", k=3)) * K(Kendall("average")),
    ),
    "order three": (Kendall(order=3) + Kendall(order=2), lambda K: K(Kendall(order=3)) + K(Kendall())),
}
X = random_rankings(np.random.default_rng(1), 30, 6)
Y = random_rankings(np.random.default_rng(2), 11, 6)


@pytest.fixture(params=COMBINED)
def combined(request):
    kernel, matrix = COMBINED[request.param]
    return copy.deepcopy(kernel), matrix


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max(initial=0))


def of(x, y=None):
    """A function that gives the matrix of each part."""
    return lambda kernel: wkendall.gram_matrix(x, y, kernel)


def test_matrices(combined):
    kernel, matrix = combined
    K = wkendall.gram_matrix(X, kernel=kernel)
    close(K, matrix(of(X)))
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(K, wkendall.gram_matrix(X, X.copy(), kernel))
    for n_jobs in (1, 2, 3):
        np.testing.assert_array_equal(K, wkendall.gram_matrix(X, kernel=kernel, n_jobs=n_jobs))
    close(wkendall.gram_matrix(X, Y, kernel), matrix(of(X, Y)))
    assert np.linalg.eigvalsh(K)[0] >= -1e-10 * np.abs(K).max()
    np.testing.assert_array_equal(kernel(X), K)
    np.testing.assert_array_equal(wkendall.similarity_matrix(X, measure=kernel), K)
    out = np.empty((30, 30))
    assert wkendall.gram_matrix(X, kernel=kernel, out=out) is out
    np.testing.assert_array_equal(out, K)


def test_ties_lists_and_unknown_places():
    values = random_rows(np.random.default_rng(4), 25, 6)
    for rankings in (Rankings(values, **BOTTOM), Rankings(sparse(values), **BOTTOM)):
        for name in ("sum", "product", "polynomial", "power of a sum", "weights of positions"):
            kernel, matrix = COMBINED[name]
            K = wkendall.gram_matrix(rankings, kernel=kernel)
            close(K, matrix(of(rankings)))
            np.testing.assert_array_equal(K, K.T)
            np.testing.assert_array_equal(K, wkendall.gram_matrix(rankings, rankings[:], kernel))
            close(wkendall.diagonal(rankings, kernel), np.diag(K))
    unknown = Rankings(values, ties="mean", missing="anywhere")
    close(wkendall.gram_matrix(unknown, kernel=C + 2 * B), of(unknown)(C) + 2 * of(unknown)(B))
    with pytest.raises(ValueError, match="if missing items can be anywhere"):
        wkendall.gram_matrix(unknown, kernel=A + B)
    with pytest.raises(ValueError, match="order is 3"):
        wkendall.gram_matrix(Rankings(values, ties="mean", missing="bottom"), kernel=B + Kendall(order=3))


def test_a_file_of_another_combination(tmp_path, monkeypatch):
    from wkendall.gram_file import matrix_file

    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(matrix_file, "claim", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            wkendall.gram_to_file("K.npy", X, kernel=A + B)
    for other in (A + Mallows(0.4), A * B, B + A, A):
        with pytest.raises(ValueError, match="was started with"):
            wkendall.gram_to_file("K.npy", X, kernel=other, resume=True)
    found = wkendall.gram_to_file("K.npy", X, kernel=copy.deepcopy(A) + B, resume=True)
    close(found, wkendall.gram_matrix(X, kernel=A + B))


def test_consensus_needs_a_kernel_of_pairs(combined):
    kernel, _ = combined
    with pytest.raises(wkendall.RankingError, match="needs a kernel of pairs") as caught:
        wkendall.consensus(X, kernel=kernel)
    assert caught.value.argument == "kernel"


def test_parameters():
    kernel = Kendall("mult", u="log") + Mallows(0.5)
    parameters = kernel.get_params()
    assert parameters["left"] is kernel.left
    assert parameters["left__weight"] == "mult"
    assert parameters["right__lam"] == 0.5
    assert set(kernel.get_params(deep=False)) == {"left", "right"}
    assert kernel.set_params(left__weight="add", right__lam=2.0) is kernel
    assert kernel == Kendall("add", u="log") + Mallows(2.0)
    assert kernel.set_params(right=Kendall(), right__normalize=True) == Kendall("add", u="log") + Kendall(
        normalize=True
    )
    multiple = 2 * (Kendall() ** 3)
    assert multiple.get_params()["factor"] == 2
    assert multiple.get_params()["kernel__exponent"] == 3
    multiple.set_params(factor=0.5, kernel__exponent=2, kernel__kernel__weight="average")
    assert multiple == 0.5 * Kendall("average") ** 2
    with pytest.raises(ValueError, match="has no parameter 'left__wieght'"):
        kernel.set_params(left__wieght="mult")


def test_unused_parameters_are_ignored_in_calls_and_refused_by_functions():
    kernel = Kendall(u="log") + 2 * Kendall("top", k=3, u="log") ** 2
    close(kernel(X), (Kendall() + 2 * Kendall("top", k=3) ** 2)(X))
    with pytest.raises(wkendall.RankingError, match=r"^u is given, but"):
        wkendall.gram_matrix(X, kernel=kernel)


@pytest.mark.parametrize(
    "text",
    [
        "Kendall() + Mallows(0.5)",
        "Kendall() + Mallows(0.5) + Kendall('top', k=3)",
        "2 * Kendall()",
        "2.5 * Kendall('mult', u='log') + Mallows()",
        "Kendall() * Mallows(0.5)",
        "Kendall() * (Kendall() + Mallows())",
        "(Kendall() + Mallows()) ** 2",
        "3 * (Kendall() ** 2)",
        "2 * (Kendall() + Mallows())",
    ],
)
def test_repr(text):
    assert repr(eval(text)) == text


def test_what_they_are(combined):
    kernel, _ = combined
    assert kernel.is_kernel
    assert not kernel.is_distance
    assert (A + B).takes == {"ties", "lists"}
    assert (C * B).takes == {"ties", "lists", "unknown"}
    assert (2 * Kendall(order=3) + B).takes == frozenset()


@pytest.mark.parametrize("factor", [-1, -0.5, np.nan, np.inf, -np.inf, 10**400])
def test_factors_that_are_refused(factor):
    with pytest.raises(ValueError, match="factor"):
        wkendall.gram_matrix(X, kernel=factor * A)


@pytest.mark.parametrize("exponent", [0, -1])
def test_exponents_that_are_refused(exponent):
    with pytest.raises(ValueError, match=r"^exponent is"):
        wkendall.gram_matrix(X, kernel=A**exponent)


#: A number, a distance or a correlation is no part of a sum; kernels have no differences, quotients or other powers.
WRONG = """
A + 1, 1 + A, A + D, D + A, D + D, A + Kendall, A + None, A * T, D * 2, 2 * T, A - B, -A, A / 2, A**1.5, A**B, 2**A, A * "2",
True * A, A * np.True_, A**True, A * (1 + 2j), A + wkendall.gram_matrix
""".replace("\n", " ").strip()


@pytest.mark.parametrize("code", WRONG.split(", "))
def test_what_cannot_be_combined(code):
    others = {"D": wkendall.KendallDistance(), "T": wkendall.KendallCorrelation("average")}
    with pytest.raises(TypeError):
        eval(code, globals() | others)


def test_wrong_parts_are_named():
    with pytest.raises(ValueError, match=r"^k is 9, but must be from 1 to 6"):
        wkendall.gram_matrix(X, kernel=A + Kendall("top", k=9))
    with pytest.raises(ValueError, match=r"^lam is -1"):
        wkendall.gram_matrix(X, kernel=2 * (A * Mallows(-1)))
    with pytest.raises(TypeError, match=r"^normalize must be True or False"):
        wkendall.gram_matrix(X, kernel=Kendall(normalize=1) ** 2)


def test_values_that_are_too_large_are_refused():
    with pytest.raises(ValueError, match="too large"):
        wkendall.gram_matrix(X, kernel=(1e200 * Kendall()) ** 2)
    with pytest.raises(ValueError, match="single precision"):
        wkendall.gram_matrix(X, kernel=1e60 * Kendall(), dtype=np.float32)
