"""The tables of docs/dictionary.md: every call runs, and those with a value have the one of the other package's definition."""

import itertools
import re

import matplotlib as mpl
import numpy as np
import pytest
import scipy.stats
import wkendall
from paths import ROOT
from sklearn.neighbors import KNeighborsRegressor

PAGE = (ROOT / "docs/dictionary.md").read_text()
BLOCK = re.search(r"```python\n(.*?)```", PAGE, flags=re.DOTALL).group(1)
LINES = [
    (theirs, code)
    for theirs, ours in re.findall(r"^\| (.+?) \| (.+) \|$", PAGE, flags=re.MULTILINE)
    for code in re.findall(r"`([^`]*)`", ours)
    if "(" in code
]


@pytest.fixture(scope="module")
def names():
    mpl.use("agg")
    session = {"KNeighborsRegressor": KNeighborsRegressor}
    exec(compile(BLOCK, "dictionary.md", "exec"), session)
    yield session
    session["folder"].cleanup()


@pytest.mark.parametrize(("theirs", "code"), LINES, ids=[f"{theirs}: {code}" for theirs, code in LINES])
def test_calls_run(names, theirs, code):
    found = eval(code, dict(names))
    assert found is not None


def test_every_line_says_what_to_do():
    for theirs, ours in re.findall(r"^\| (.+?) \| (.+) \|$", PAGE, flags=re.MULTILINE):
        assert "`" in ours or "Not here" in ours or "conventions" in ours or ours in ("here", "---"), theirs


def score_matrix(ranks, tied):
    """Signs of all ordered pairs of items: 1 if the first is before, `tied` for ties, else -1."""
    return np.array(
        [
            [0 if i == j else tied if a == b else np.sign(b - a) for j, b in enumerate(ranks)]
            for i, a in enumerate(ranks)
        ]
    )


def discordant(s, t):
    return sum((s[i] - s[j]) * (t[i] - t[j]) < 0 for i, j in itertools.combinations(range(len(s)), 2))


def every_pair(f):
    """A matrix of a function of two rankings, as a function of the variables of the page."""
    return lambda v: [[f(s, t) for t in np.asarray(v["others"])] for s in v["X"]]


def tau_x(s, t):
    n = len(s)
    return (score_matrix(s, 1) * score_matrix(t, 1)).sum() / (n * (n - 1))


def wins(v):
    return sum(np.array([[i < j for j in row] for i in row]) for row in v["X"])


def best_orders(v):
    """The largest number of agreeing pairs of any order, for each ranking on average."""
    won = wins(v)
    every = itertools.permutations(range(5))
    return max(sum(won[i, j] for i, j in itertools.combinations(order, 2)) for order in every) / len(v["X"])


#: What the other packages compute, by their documentation.
THEIRS = {
    "AllKendall(r, seqs)": every_pair(discordant),
    "kemenyd(X, Y)": every_pair(lambda s, t: np.abs(score_matrix(s, 0) - score_matrix(t, 0)).sum() / 2),
    "tau_x(X, Y)": every_pair(tau_x),
    "combinpmatr(X)": lambda v: sum(score_matrix(row, 1) for row in v["X"]),
    'distKendall(x, y, type = "ranking")': every_pair(discordant),
    "convertRank(x)": lambda v: v["orders"],
    "destat(dset)$mean.rank": lambda v: v["X"].mean(axis=0),
    "destat(dset)$mar": lambda v: [[(column == rank).sum() for rank in range(1, 6)] for column in v["X"].T],
    'cor(x, method = "kendall")': lambda v: v["frame"].corr("kendall"),
    'frame.corr("kendall")': lambda v: v["frame"].corr("kendall"),
    'frame.corrwith(frame["x"], method="kendall")': lambda v: v["frame"].corr("kendall")[["x"]],
    "somersd(x, y)": lambda v: [[scipy.stats.somersd(v["frame"]["x"], v["frame"]["y"]).statistic]],
    "friedmanchisquare(*columns)": lambda v: scipy.stats.friedmanchisquare(*v["X"].T).statistic,
    "kendalltau_dist(p, q)": lambda v: discordant(v["p"], v["q"]),
    "footrule_dist(p, q)": lambda v: np.abs(scipy.stats.rankdata(v["p"]) - scipy.stats.rankdata(v["q"])).sum(),
    "CopelandMethod()": lambda v: (wins(v) > len(v["X"]) / 2).sum(axis=1),
    "get_kemeny_score(ranking, dataset)": lambda v: sum(discordant(v["X"][0], t) for t in np.asarray(v["others"])),
    "first_place_votes(profile)": lambda v: (v["X"] == 1).sum(axis=0),
    "mentions(profile)": lambda v: [3, 2, 0, 2, 1],
}


@pytest.mark.parametrize("call", THEIRS)
def test_values(names, call):
    (code,) = [code for theirs, code in LINES if theirs.startswith(f"`{call}`") and "pvalue" not in code]
    assert np.array(eval(code, dict(names)), float) == pytest.approx(np.array(THEIRS[call](names), float), abs=1e-12)


@pytest.mark.parametrize("call", ["destat(dset)$pair", "adjacency(R)"])
def test_numbers_of_wins(names, call):
    (code,) = [code for theirs, code in LINES if theirs.startswith(f"`{call}`")]
    found, expected = eval(code, dict(names)), wins(names)
    assert found[~np.eye(5, dtype=bool)] == pytest.approx(expected[~np.eye(5, dtype=bool)])


def test_consensus_rankings(names):
    exact = [code for theirs, code in LINES if 'method="exact"' in code] + ["wkendall.consensus(votes)"]
    assert len(exact) == 3
    for code in exact:
        assert eval(code, dict(names)).score == pytest.approx(best_orders(names))
    borda = eval('wkendall.consensus(votes, method="borda")', dict(names))
    assert borda.items == [names["items"][item] for item in np.argsort(names["X"].mean(axis=0), kind="stable")]


def test_orders_and_frequencies(names):
    votes = names["votes"]
    assert wkendall.Rankings(names["orders"], input="orders", items=names["items"]) == votes
    rows, counts = np.unique(names["X"], axis=0, return_counts=True)
    distinct = votes.distinct()
    assert dict(zip(map(tuple, np.asarray(distinct, int)), distinct.counts, strict=True)) == dict(
        zip(map(tuple, rows), counts, strict=True)
    )
