"""Every kernel against its definition, and the properties that every Gram matrix has."""

import re
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
import wkendall
from definitions import counted, expected, kernels, random_rankings
from paths import ROOT
from wkendall import KendallCorrelation, Mallows, Rankings

BOUND = 1e-12
CONVENTIONS = ROOT / "docs/conventions.md"


def assert_close(value, wanted, size, params):
    """Counts are exact, weighted sums within the bound of the sum of their absolute terms."""
    if counted(params):
        assert value == wanted
    else:
        assert abs(value - wanted) <= BOUND * size


def check_pair(s, t, params):
    wanted = expected(s, t, **params)
    assert_close(wkendall.kernel(s, t, **params), wanted.concordant, wanted.concordant_size, params)
    assert_close(wkendall.kernel(s, t, signed=True, **params), wanted.signed, wanted.size, params)
    own = expected(s, s, **params).concordant
    ratio = wkendall.kernel(s, t, normalize=True, **params)
    assert ratio == pytest.approx(wanted.concordant / own if own else 0, rel=1e-9, abs=1e-12 * wanted.size / (own or 1))


@pytest.mark.parametrize("n", [*range(12), 17, 33, 64, 130])
def test_every_small_n(n):
    rng = np.random.default_rng(n)
    for params in kernels(n, rng):
        s, t = random_rankings(rng, 2, n)
        check_pair(s, t, params)


def test_average_from_the_other_end_is_the_closed_form_printed_in_the_paper():
    n = 7
    s, t = random_rankings(np.random.default_rng(0), 2, n)
    pairs = [(i, j) for i in range(n) for j in range(n) if s[i] < s[j] and t[i] < t[j]]
    printed = sum(min(s[i], t[i]) for i, j in pairs) / n
    assert wkendall.kernel(s, t, weight="average", top="high") == printed


def test_tau_distance_and_mallows():
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 12, 15)
    tau = [[scipy.stats.kendalltau(s, t).statistic for t in X] for s in X]
    np.testing.assert_allclose(wkendall.gram_matrix(X, signed=True, normalize=True), tau, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose([[KendallCorrelation()(s, t) for t in X] for s in X], tau, rtol=1e-14, atol=1e-15)
    distance = wkendall.distance_matrix(X)
    pairs = 15 * 14 / 2
    assert (distance == pairs - wkendall.gram_matrix(X)).all()
    np.testing.assert_allclose(Mallows(0.3)(X), np.exp(-0.3 * distance), rtol=1e-15)
    assert (Mallows(0.3)(X, X[:4]) == Mallows(0.3)(X)[:, :4]).all()
    assert (Mallows(0)(X) == 1).all()
    assert np.linalg.eigvalsh(Mallows(0.01)(X))[0] > -1e-10


def test_correlation_whose_denominator_cancels():
    rng = np.random.default_rng(0)
    n = 64
    for _ in range(50):
        s, t = random_rankings(rng, 2, n)
        signs = rng.choice([-1, 1], n)
        x = signs[s - 1] * signs[t - 1]
        if x.sum() ** 2 == n:  # then the sum over all pairs is 0
            assert KendallCorrelation("mult", u=0.1 * signs)(s, t) == 0
        assert abs(KendallCorrelation("add", u=0.1 * signs)(s, t)) < 1e6


@pytest.mark.parametrize("scale", [1e-300, 1e-90, 10**-80.5, 1e-20, 1e30])
@pytest.mark.parametrize("weight", ["add", "mult"])
def test_normalized_does_not_depend_on_the_scale(weight, scale):
    rng = np.random.default_rng(0)
    X, u = random_rankings(rng, 20, 8), rng.uniform(0.3, 1, 8)
    wanted = wkendall.gram_matrix(X, weight=weight, u=u, normalize=True)
    K = wkendall.gram_matrix(X, weight=weight, u=scale * u, normalize=True)
    np.testing.assert_allclose(K, wanted, rtol=1e-12)
    assert np.linalg.eigvalsh(K)[0] > -1e-10
    value = KendallCorrelation(weight, u=scale * u)(X[0], X[1])
    assert value == pytest.approx(KendallCorrelation(weight, u=u)(X[0], X[1]), rel=1e-12)


def test_a_million_equal_weights_sum_up():
    n = 1_000_000
    for u in (0.1, 0.3):
        exact = Fraction(u) ** 4 * (n * (n - 1) // 2)
        for weight, scale in (("mult", 1), ("add", 4 / u**2)):
            value = wkendall.kappa(np.arange(n), weight=weight, u=np.full(n, u))
            assert abs(Fraction(value) / exact / Fraction(scale) - 1) < 1e-12


def test_the_numbers_of_others():
    """The table of docs/conventions.md without ties: kernrank ranks from the bottom, so that rank n is the best."""
    n, k = 9, 4
    rng = np.random.default_rng(0)
    x, y, u = rng.standard_normal((3, n))
    r, q = scipy.stats.rankdata(x).astype(int), scipy.stats.rankdata(y).astype(int)
    pairs = [(i, j) for i in range(n) for j in range(n) if r[i] < r[j] and q[i] < q[j]]
    weight = {"ranks": u[r - 1], "other": u[q - 1]}
    theirs = {
        "ken": len(pairs),
        "top": sum(r[i] >= k and q[i] >= k for i, _ in pairs),
        "aken": sum(min(r[i], q[i]) for i, _ in pairs) / n,
        "add": sum((weight["ranks"][[i, j]]).sum() * (weight["other"][[i, j]]).sum() for i, j in pairs),
        "mult": sum((weight["ranks"][[i, j]]).prod() * (weight["other"][[i, j]]).prod() for i, j in pairs),
    }
    names = {"np": np, "n": n, "k": k, "u": u, "x": x, "y": y, "s": {"input": "scores"}}
    names |= {"kernel": wkendall.kernel, "KendallCorrelation": KendallCorrelation, "Rankings": Rankings}
    names |= {"WeightedTau": wkendall.WeightedTau, "SpearmanRho": wkendall.SpearmanRho}
    page = CONVENTIONS.read_text().partition("### kernrank: ties")[0]
    ours = dict(re.findall(r"^\| (.*?) \| .*?`([^`]*\*\*s[^`]*)` \|$", page, flags=re.MULTILINE))
    assert len(ours) == 7
    values = {theirs: np.squeeze(eval(code, names)) for theirs, code in ours.items()}
    assert np.isfinite(list(values.values())).all()
    for method, wanted in theirs.items():
        shown = "add" if method == "mult" else method  # one line for both
        code = next(code for line, code in ours.items() if f'"{shown}"' in line)
        assert eval(code.replace('"add"', f'"{method}"'), names) == pytest.approx(wanted, rel=1e-12)
    scipy_tau = scipy.stats.kendalltau(x, y).statistic
    assert next(value for line, value in values.items() if "kendalltau" in line) == pytest.approx(scipy_tau, rel=1e-14)
    for function in (scipy.stats.weightedtau, scipy.stats.spearmanr):
        wanted = function(x, y).statistic
        assert next(value for line, value in values.items() if function.__name__ in line) == pytest.approx(
            wanted, rel=1e-12
        )
    for method, wanted in theirs.items():
        normalized = {"ken": {}, "top": {"weight": "top", "k": n + 1 - k}, "add": {"weight": "add", "u": u[::-1]},
                      "mult": {"weight": "mult", "u": u[::-1]}, "aken": {"weight": "average"}}[method]  # fmt: skip
        assert wkendall.kernel(r, q, top="high", **normalized) == pytest.approx(wanted, rel=1e-12)
