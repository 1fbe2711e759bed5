"""`spectrum` against the Gram matrix of all n! rankings, and `components` against projections and chance."""

from functools import cache
from itertools import combinations, permutations
from math import factorial

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from paths import ROOT
from wkendall import Kendall, Mallows, Rankings, TensorKernel
from wkendall._run import one_thread

NAMED = {
    "standard": {},
    "top": {"k": 2},
    "add": {"u": "log"},
    "mult": {"u": "hyperbolic"},
    "average": {},
    "later": {"u": "ap"},
}
PARTS = ["(n) constant", "(n-1,1) positions of items", "(n-2,2) symmetric pairs"]
PARTS.append("(n-2,1,1) skew pairs: who is before whom")


@cache
def rankings(n):
    """All rankings, ranks from 0, and the index of the ranking that each two have as their quotient."""
    X = np.array(list(permutations(range(n))))
    code = n ** np.arange(n)
    index = {int(ranking @ code): place for place, ranking in enumerate(X)}
    codes = X[:, np.argsort(X, axis=1)].transpose(1, 0, 2) @ code
    return X, np.vectorize(index.__getitem__)(codes)


def brute(n, value):
    """The eigenvalues of the matrix of all rankings divided by n!, the largest first.

    `value(t)` is the kernel of the identity and t. Kernels are right-invariant, so this gives the whole matrix.
    """
    X, quotient = rankings(n)
    with one_thread():
        return np.linalg.eigvalsh(np.array([float(value(t)) for t in X])[quotient])[::-1] / factorial(n)


def named(t, weight, k=None, u=None, signed=False):
    """The kernel of the identity and t, ranks from 0, by its definition."""
    n, total = len(t), 0.0
    ranks = np.arange(1, n + 1)
    factors = {"log": 1 / np.log2(ranks + 1), "hyperbolic": 1 / (ranks + 1), "ap": 1 / np.maximum(ranks - 1, 1)}
    u = factors[u] * (ranks > 1) if u == "ap" else factors.get(u)
    for a, b in combinations(range(n), 2):
        c, d = min(t[a], t[b]), max(t[a], t[b])
        terms = {
            "standard": lambda: 1,
            "top": lambda b=b, d=d: max(b, d) < k,
            "add": lambda a=a, b=b, c=c, d=d: (u[a] + u[b]) * (u[c] + u[d]),
            "mult": lambda a=a, b=b, c=c, d=d: u[a] * u[b] * u[c] * u[d],
            "average": lambda b=b, d=d: (n - max(b, d)) / n,
            "later": lambda b=b, d=d: u[b] * u[d],
        }
        total += terms[weight]() * (1 if t[a] < t[b] else -1 if signed else 0)
    return total


def check(kernel, n, wanted):
    found = wkendall.spectrum(kernel, n)
    given = np.repeat(found.eigenvalues, found.multiplicities)
    assert len(given) <= factorial(n)
    given = np.sort(np.append(given, np.zeros(factorial(n) - len(given))))[::-1]
    np.testing.assert_allclose(given, wanted, rtol=0, atol=1e-10 * max(wanted[0], 1e-300))
    assert list(dict.fromkeys(found.names)) == [PARTS[place] for place in range(4) if n > (0, 1, 3, 2)[place]]
    total, squares = wanted.sum(), (wanted**2).sum()
    assert found.share.sum() == pytest.approx(1 if total > 1e-9 else 0)
    assert found.effective_dimension == pytest.approx(total**2 / squares if total > 1e-9 else 0)
    assert sum(found.parts.values()) == pytest.approx(found.share.sum())
    return found


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("weight", NAMED)
def test_named_weights(weight, signed, n):
    options = NAMED[weight] | ({"k": min(2, n)} if weight == "top" else {})
    kernel = Kendall(weight, **options, signed=signed)
    wanted = brute(n, lambda t: named(t, weight, **options, signed=signed))
    check(kernel, n, wanted)
    own = wanted.sum()
    check(Kendall(weight, **options, signed=signed, normalize=True), n, wanted / own if own > 1e-9 else wanted)


def pairs(U, t):
    """The kernel of the identity and t with one matrix of weights."""
    return (U * U[np.ix_(t, t)]).sum()


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("seed", range(5))
def test_general_weights(seed, n):
    rng = np.random.default_rng(seed)
    first, second, third = rng.standard_normal((3, n, n))
    check(TensorKernel(first), n, brute(n, lambda t: pairs(first, t)))
    if n == 6 and seed:
        return
    wanted = brute(n, lambda t: pairs(first, t) + pairs(second, t))
    check(TensorKernel(np.stack([first, second])), n, wanted)
    check(TensorKernel(first) + TensorKernel(second), n, wanted)
    check(TensorKernel((first, second)), n, brute(n, lambda t: pairs(first.T @ second, t)))
    u = rng.standard_normal(n)
    check(TensorKernel(u, order=1), n, brute(n, lambda t: u @ u[t]))
    # A sum with the average kernel, whose weights are never made, and W as a stack.
    tops = [np.triu(np.ones((n, n)) * (np.arange(n) < k), 1) / np.sqrt(n) for k in range(1, n + 1)]
    mixed = [*tops, *(np.sqrt(1.5) * (U - U.T) for U in tops), third]
    wanted = brute(n, lambda t: sum(pairs(U, t) for U in mixed))
    check(Kendall("average") + 3 * Kendall("average", signed=True) + TensorKernel(third), n, wanted)
    upper = np.triu(np.stack([first, second]), 1)
    W = np.einsum("rab,rcd->abcd", upper, upper)
    check(TensorKernel(W=W), n, brute(n, lambda t: sum(pairs(U, t) for U in upper)))


@pytest.mark.parametrize("n", [7, 50, 400])
def test_what_the_kendall_kernel_sees(n):
    """The closed forms of docs/measurements.md."""
    found = wkendall.spectrum(None, n)
    pairs_of_items = n * (n - 1) / 2
    assert found.names == tuple(PARTS)
    np.testing.assert_allclose(found.eigenvalues, [pairs_of_items / 2, (n + 1) / 6, 0, 1 / 6], rtol=1e-10)
    assert found.multiplicities.tolist() == [1, n - 1, n * (n - 3) // 2, (n - 1) * (n - 2) // 2]
    signed = wkendall.spectrum(Kendall(signed=True), n)
    np.testing.assert_allclose(signed.eigenvalues, [0, (n + 1) / 3, 0, 1 / 3], rtol=1e-10)


def test_the_table_of_the_docs():
    table = (ROOT / "docs/spectrum.md").read_text().split("## The named weights")[1].split("\n- ")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    assert len(lines) == 2 + 14
    for label, *numbers in lines[2:]:
        name, *more = label.split(", ")
        signed, others = "signed" in more, [word for word in more if word != "signed"]
        k = 3 if name == "top-3" else None
        u = None if name in ("standard", "top-3", "average") else others[0] if others else "log"
        found = wkendall.spectrum(Kendall(name.split("-")[0], k=k, u=u, signed=signed), 10)
        np.testing.assert_allclose([*map(float, numbers[:4])], [*found.parts.values()], atol=6e-4)
        assert float(numbers[4]) == pytest.approx(found.effective_dimension, abs=0.06)
        blind = found.parts[PARTS[2]] == 0
        assert blind == (signed or name in ("standard", "add")), label
        assert (found.parts[PARTS[0]] == 0) == signed


@pytest.mark.parametrize("kernel", [Kendall("average"), Kendall("average", signed=True), Kendall("average", order=1)])
def test_the_average_kernel_as_a_stack(kernel):
    stack = wkendall.position_weights(12, "average", order=kernel.order)
    if kernel.signed:
        stack = (stack - np.swapaxes(stack, 1, 2)) / np.sqrt(2)
    found, wanted = wkendall.spectrum(kernel, 12), wkendall.spectrum(TensorKernel(stack, order=kernel.order), 12)
    assert found.names == wanted.names
    np.testing.assert_allclose(found.eigenvalues, wanted.eigenvalues, atol=1e-12)


BAD = [
    (lambda: wkendall.spectrum(Mallows(), 4), ValueError, ("kernel", "no pairs")),
    (lambda: wkendall.spectrum(Kendall() * Kendall(), 4), ValueError, ("kernel", "no pairs")),
    (lambda: wkendall.spectrum(Kendall(order=3), 4), ValueError, ("order", None)),
    (lambda: wkendall.spectrum(Kendall(item_weight=[1, 2, 3]), 3), ValueError, ("item_weight", None)),
    (lambda: wkendall.spectrum(Kendall("top", k=5), 4), ValueError, ("k", None)),
    (lambda: wkendall.spectrum(-1 * Kendall(), 4), ValueError, None),
    (lambda: wkendall.spectrum(TensorKernel(np.eye(3)), 4), ValueError, ("U", None)),
    (lambda: wkendall.spectrum(wkendall.KendallDistance(), 4), ValueError, ("kernel", "no kernel")),
    (lambda: wkendall.spectrum(None, 0), ValueError, ("n", None)),
    (lambda: wkendall.spectrum(None, 2.5), TypeError, None),
    (lambda: wkendall.spectrum(None, 10**7), ValueError, None),
    (lambda: wkendall.components([[1, 2, 3]]), ValueError, ("X", "too few")),
    (lambda: wkendall.components([[1, 1, 2]] * 2), ValueError, ("X", None)),
    (lambda: wkendall.components([[1, 2]] * 2, Mallows()), ValueError, ("kernel", "no pairs")),
    (lambda: wkendall.components([[1, 2]] * 2, n_permutations=0), ValueError, ("n_permutations", None)),
]


@pytest.mark.parametrize(("call", "error", "wanted"), BAD)
def test_bad_arguments(call, error, wanted):
    with pytest.raises(error) as caught:
        call()
    if wanted is not None:
        assert caught.value.argument == wanted[0]
        assert wanted[1] in (None, caught.value.kind)


def projections(n):
    """Orthogonal projections of n x n matrices, as vectors: positions of items, symmetric pairs, skew pairs."""
    unit = np.eye(n) - 1 / n
    rows = [np.diag(x) for x in unit] + [np.outer(x, np.ones(n)) * (1 - np.eye(n)) for x in unit]
    rows += [matrix.T for matrix in rows[n:]]
    even, odd = [np.ones((n, n)) - np.eye(n), np.eye(n)], []
    for a, b in combinations(range(n), 2):
        one = np.zeros((n, n))
        one[a, b] = 1
        even.append(one + one.T)
        odd.append(one - one.T)
    spaces = [rows, even, odd]
    found = [np.eye(n * n) @ np.zeros((n * n, n * n))] * 3
    used = np.stack([matrix.ravel() for matrix in [np.eye(n), np.ones((n, n))]], axis=1)
    for place, space in enumerate(spaces):
        used, before = np.column_stack([used, *(matrix.ravel() for matrix in space)]), used
        found[place] = projection(used) - projection(before)
    return found


def projection(vectors):
    left, sizes, _ = np.linalg.svd(vectors, full_matrices=False)
    left = left[:, sizes > 1e-9]
    return left @ left.T


@pytest.mark.parametrize("n", [2, 3, 4, 6])
@pytest.mark.parametrize("ties", [False, True])
def test_agreement_by_projections(n, ties):
    rng = np.random.default_rng(n)
    X, U = random_rankings(rng, 9, n), rng.standard_normal((2, n, n))
    given = Rankings(np.minimum(X, max(2, n - 1)), ties="mean", counts=rng.integers(1, 3, 9)) if ties else X
    found = wkendall.components(given, TensorKernel(U), rng=0, n_permutations=9)
    weights = given.counts / given.counts.sum() if ties else np.full(9, 1 / 9)
    norms = []
    for P in projections(n):
        parts = [wkendall.embed(given, one).reshape(9, -1) @ P for one in U]
        means = sum(float((weights @ part) @ (weights @ part)) for part in parts)
        norms.append((means, sum(float(weights @ (part**2).sum(axis=1)) for part in parts)))
    seen = [place for place in range(3) if n > (1, 3, 2)[place]]
    assert found.names == tuple(PARTS[1 + place] for place in seen)
    wanted = np.array([norms[place] for place in seen])
    agreement = np.divide(wanted[:, 0], wanted[:, 1], out=np.zeros(len(seen)), where=wanted[:, 1] > 1e-12)
    np.testing.assert_allclose(found.agreement, agreement, atol=1e-10)
    np.testing.assert_allclose(found.share, wanted[:, 0] / wanted[:, 0].sum(), atol=1e-10)


def test_agreement_is_kendalls_w_and_sees_cycles():
    X = random_rankings(np.random.default_rng(1), 20, 6)
    sums = X.sum(axis=0)
    W = 12 * ((sums - sums.mean()) ** 2).sum() / 20**2 / (6**3 - 6)
    found = wkendall.components(X, TensorKernel(np.arange(6.0), order=1), rng=0, n_permutations=9)
    np.testing.assert_allclose(found.agreement, [W])
    # Every item is first, second and third once, and every item beats the next one twice.
    cycle = wkendall.components([[1, 2, 3], [3, 1, 2], [2, 3, 1]] * 5, rng=0, n_permutations=99)
    np.testing.assert_allclose(cycle.agreement, [0, 1], atol=1e-12)
    np.testing.assert_allclose(cycle.pvalue, [1, 0.01])
    lists = wkendall.from_lists([["a", "b"], ["a", "c"], ["b", "a"], ["d", "a"]])
    dense = Rankings(np.asarray(lists), ties="mean", missing="bottom")
    one, other = (wkendall.components(some, Kendall("average"), rng=0, n_permutations=9) for some in (lists, dense))
    np.testing.assert_array_equal(one.pvalue, other.pvalue)


def test_the_level_for_rankings_by_chance():
    """2,000 samples; three standard deviations of a rejection rate of 0.05 are 0.015."""
    rng, kernel = np.random.default_rng(12), Kendall("mult", u="log")
    samples = np.array([random_rankings(rng, 12, 5) for _ in range(2000)])
    options = {"rng": rng, "n_permutations": 99, "n_jobs": 1}
    pvalues = np.array([wkendall.components(X, kernel, **options).pvalue for X in samples])
    rates = (pvalues <= 0.05).mean(axis=0)
    assert ((rates >= 0.035) & (rates <= 0.065)).all(), rates
