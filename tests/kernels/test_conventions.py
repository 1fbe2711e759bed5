"""The tables of docs/conventions.md for other packages: each line is compared with its definition.

kernrank takes the mean of a kernel without ties over the complete rankings that agree with each vector; `kendall_total` is tau-b.
"""

import itertools
import re

import numpy as np
import pytest
import scipy.stats
import wkendall
from paths import ROOT

N, K = 5, 2
VECTORS = [
    ([1.5, 0.1, np.nan, -4, np.nan], [np.nan, np.nan, 0, 3, np.nan]),  # the example of its documentation
    ([1.5, 0.1, 0, -4, 0], [0, 0, 0, 3, 0]),  # and that without missing values
    ([1, 2, 2, 3, 3], [5, 1, 4, 4, 2]),
    ([2, np.nan, 2, 1, 3], [1, 2, np.nan, 2, np.nan]),
    ([5, 3, 1, 4, 2], [1, 2, 3, 5, 4]),
]
LINE = re.compile(r"^\| (?:kernrank|scipy) `(.*?)`.*? \| `(.*?)` \|$", re.MULTILINE)
PLAIN, _, TIED = (ROOT / "docs/conventions.md").read_text().partition("### kernrank: ties")
PLAIN, TABLE = dict(LINE.findall(PLAIN)), dict(LINE.findall(TIED))


def completions(x, bottom):
    """Ranks from the bottom, 1 to n, of all complete rankings that agree with a vector."""
    for order in itertools.permutations(range(1, N + 1)):
        pairs = itertools.permutations(range(N), 2)
        if all(
            order[i] > order[j] for i, j in pairs if x[i] > x[j] or (bottom and np.isnan(x[j]) and not np.isnan(x[i]))
        ):
            yield np.array(order)


def concordant(r, q):
    return [(i, j) for i in range(N) for j in range(N) if r[i] < r[j] and q[i] < q[j]]


def tau(r, q):
    return 2 * len(concordant(r, q)) / (N * (N - 1) / 2) - 1


U = np.array([0.3, -0.2, 0.5, 1.0, 2.0])
#: What kernrank computes for vectors without ties, whose largest value has rank n.
THEIRS = {
    "kendall_top(x, y)": tau,
    "kendall_partial(x, y)": tau,
    'kendall_weight(x, y, "ken")': tau,
    'kendall_weight(x, y, "ken", normalized=FALSE)': lambda r, q: len(concordant(r, q)),
    'kendall_weight(x, y, "top", k=k, normalized=FALSE)': lambda r, q: sum(
        r[i] >= K and q[i] >= K for i, _ in concordant(r, q)
    ),
    'kendall_weight(x, y, "add", u=u, normalized=FALSE)': lambda r, q: sum(
        (U[r[i] - 1] + U[r[j] - 1]) * (U[q[i] - 1] + U[q[j] - 1]) for i, j in concordant(r, q)
    ),
    'kendall_weight(x, y, "mult", u=u, normalized=FALSE)': lambda r, q: sum(
        U[r[i] - 1] * U[r[j] - 1] * U[q[i] - 1] * U[q[j] - 1] for i, j in concordant(r, q)
    ),
    'kendall_weight(x, y, "aken", normalized=FALSE)': lambda r, q: (
        sum(min(r[i], q[i]) for i, _ in concordant(r, q)) / N
    ),
}


def ours(code, x, y, **reading):
    """What a line of the table gives."""
    names = {name: getattr(wkendall, name) for name in ("kernel", "Rankings", "WeightedTau", "SpearmanRho")}
    names |= {"s": {"input": "scores", **reading}, "n": N, "k": K, "u": U, "pairs": N * (N - 1) / 2}
    return np.squeeze(eval(code, names | {"x": np.array(x), "y": np.array(y)}))


def test_every_line_is_known():
    assert set(TABLE) == {*THEIRS, "kendall_total(x, y)"}
    assert len(PLAIN) == 7


@pytest.mark.parametrize("call", PLAIN)
def test_lines_without_ties(call):
    x, y = VECTORS[-1]
    theirs = THEIRS.get(call) or (lambda x, y: getattr(scipy.stats, call.partition("(")[0])(x, y).statistic)
    assert ours(PLAIN[call], x, y) == pytest.approx(theirs(x, y), rel=1e-12)


@pytest.mark.parametrize("call", [*THEIRS, "kendall_total(x, y)"])
@pytest.mark.parametrize(("x", "y"), VECTORS, ids=range(len(VECTORS)))
def test_lines_of_the_table(call, x, y):
    missing = np.isnan(x).any() or np.isnan(y).any()
    if missing and call not in ("kendall_top(x, y)", "kendall_partial(x, y)"):
        pytest.skip("which takes no missing values")
    found = ours(TABLE[call], x, y, ties="mean")
    if call == "kendall_total(x, y)":
        assert found == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)
        return
    bottom = call == "kendall_top(x, y)"
    both = itertools.product(completions(x, bottom), completions(y, bottom))
    assert found == pytest.approx(np.mean([THEIRS[call](r, q) for r, q in both]), abs=1e-12)
