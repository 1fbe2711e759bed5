"""The coefficients of `corr` against scipy and definitions, chosen pairs, sparse columns, weights, intervals, networks."""

import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
from scipy import stats
from wkendall import _core

METHODS = ("tau-b", "tau-a", "tau-c", "gamma", "somers", "spearman")


def naive(x, y, method, w=None):
    """Return a coefficient by its definition, over the observations that both have."""
    w = np.ones(len(x)) if w is None else np.asarray(w, dtype=float)
    keep = ~(np.isnan(x) | np.isnan(y)) & (w > 0)
    x, y, w = x[keep], y[keep], w[keep]
    s, t = (np.sign(v[:, None] - v[None, :]) for v in (x, y))
    both = w[:, None] * w[None, :]
    pairs = lambda which: (both * which).sum() / 2  # noqa: E731
    if len(x) < 2 or not (s != 0).any() or not (t != 0).any():
        return np.nan
    c, d = pairs(s * t > 0), pairs(s * t < 0)
    if method == "tau-a":
        return (c - d) / ((w.sum() ** 2 - (w**2).sum()) / 2)
    if method == "tau-b":
        return (c - d) / np.sqrt(pairs(s != 0) * pairs(t != 0))
    if method == "tau-c":
        m = min(len(np.unique(x)), len(np.unique(y)))
        return 2 * (c - d) * m / (w.sum() ** 2 * (m - 1))
    if method == "gamma":
        return (c - d) / (c + d) if c + d else np.nan
    if method == "somers":
        return (c - d) / pairs(s != 0)
    r, q = s @ w, t @ w
    return (w * r * q).sum() / np.sqrt((w * r * r).sum() * (w * q * q).sum())


def table(rng, n, kind):
    """Return columns with few levels, many, a constant, and missing values."""
    data = np.column_stack([
        rng.normal(size=n), rng.integers(0, 4, n), rng.integers(0, max(n, 1), n), np.full(n, 2.0),
        rng.integers(-1, 2, n) * rng.random(n).round(1),
    ]).astype(float)  # fmt: skip
    if kind == "missing" and n:
        data[rng.random(data.shape) < 0.25] = np.nan
    return data


def all_pairs(a, b, function):
    return np.array([[function(x, y) for y in b.T] for x in a.T]).reshape(a.shape[1], b.shape[1])


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("n", [3, 6, 12, 40, 90])
def test_values_and_pvalues_of_scipy(n, alternative):
    rng = np.random.default_rng(n)
    data = table(rng, n, "whole")[:, [0, 1, 2, 4]]
    data[:, 1] += data[:, 0] > 0
    for method, peer in (
        ("tau-b", lambda x, y: stats.kendalltau(x, y, alternative=alternative)),
        ("tau-c", lambda x, y: stats.kendalltau(x, y, variant="c", alternative=alternative)),
        ("somers", lambda x, y: stats.somersd(x, y, alternative=alternative)),
        ("spearman", lambda x, y: stats.spearmanr(x, y, alternative=alternative)),
    ):
        found = wkendall.corr(data, method=method, pvalues=True, alternative=alternative)
        assert found.low is None
        assert found.high is None
        assert (found.n == n).all()
        for i in range(4):
            for j in range(4):
                with np.errstate(all="ignore"):
                    expected = peer(data[:, i], data[:, j])
                assert found.statistic[i, j] == pytest.approx(expected.statistic, abs=1e-12, nan_ok=True)
                if not (method == "somers" and abs(expected.statistic) == 1):  # scipy divides by zero or rounds
                    assert found.pvalue[i, j] == pytest.approx(expected.pvalue, abs=1e-12, nan_ok=True)


def test_pvalues_of_gamma_and_tau_a_are_those_of_the_same_test():
    data = table(np.random.default_rng(2), 30, "missing")
    expected = wkendall.corr(data, pvalues=True)
    for method in ("tau-a", "tau-c", "gamma"):
        np.testing.assert_allclose(wkendall.corr(data, method=method, pvalues=True).pvalue, expected.pvalue, atol=1e-14)
    present = ~np.isnan(data)
    np.testing.assert_array_equal(expected.n, present.T.astype(int) @ present.astype(int))


def test_sparse_frames_and_stored_zeros():
    pd = pytest.importorskip("pandas")
    data = np.array([[0, 3, 0], [1, 0, 0], [0, 2, 5], [4, 0, -1]])
    stored = sp.csc_array(data.astype(float))
    stored.data[0] = 0.0
    np.testing.assert_array_equal(wkendall.corr(stored), wkendall.corr(stored.toarray()))
    dense, gaps = stored.toarray(), np.where(data == 5, np.nan, data)
    for other in (dense, gaps):
        np.testing.assert_allclose(wkendall.corr(stored, other), wkendall.corr(dense, other), atol=1e-13)
    frame = pd.DataFrame(data, columns=list("abc")).astype(pd.SparseDtype("int64", 0))
    pd.testing.assert_frame_equal(wkendall.corr(frame), wkendall.corr(pd.DataFrame(data, columns=list("abc"))))
    with pytest.raises(
        wkendall.RankingError, match=r"data: row 2, column 1 is NaN, but a sparse table cannot have missing"
    ):
        wkendall.corr(sp.csc_array(np.array([[1.0, 0], [0, 1], [2, np.nan]])))


def without_each(x, y, method, w=None):
    w = np.ones(len(x)) if w is None else w
    rest = [np.arange(len(x)) != k for k in range(len(x))]
    return np.array([naive(x[keep], y[keep], method, w[keep]) for keep in rest])


def jackknife(values):
    return np.sqrt((len(values) - 1) * values.var())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method", ["tau-b", "tau-a", "gamma", "somers", "spearman"])
def test_intervals_are_those_of_the_jackknife(method, weighted):
    rng = np.random.default_rng(9)
    for n in (5, 12, 30):
        x, y = rng.normal(size=n), rng.integers(0, 5, n).astype(float)
        y += x.round(1)
        w = rng.random(n) if weighted else None
        found = wkendall.corr(np.column_stack([x, y]), method=method, weights=w, confidence=0.9, pvalues=True)
        value, values = naive(x, y, method, w), without_each(x, y, method, w)
        error, precision = jackknife(values), 1e-9
        half = stats.norm.ppf(0.95) * error / (1 - value**2)
        if method == "spearman" and abs(values).max() < 1:  # the quantile is an expansion
            excess = stats.kurtosis(np.arctanh(values))
            freedom = max(2 * n / excess, 3) if excess > 0 else np.inf
            half, precision = stats.t.ppf(0.95, freedom) * jackknife(np.arctanh(values)), 1e-3
        assert found.statistic[0, 1] == pytest.approx(value, abs=1e-12)
        for end, wanted in ((found.low, np.arctanh(value) - half), (found.high, np.arctanh(value) + half)):
            assert end[0, 1] == pytest.approx(np.tanh(wanted), abs=precision)
        if weighted:
            assert found.pvalue[0, 1] == pytest.approx(2 * stats.norm.sf(abs(value / error)), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["whole", "missing"])
def test_pvalues_do_not_depend_on_intervals(method, kind):
    for n in (2, 3, 8, 40):
        data = table(np.random.default_rng(n), n, kind)
        for given in (data, sp.csc_array(np.nan_to_num(data))):
            expected = wkendall.corr(given, method=method, pvalues=True)
            found = wkendall.corr(given, method=method, pvalues=True, confidence=0.9)
            np.testing.assert_allclose(found.statistic, expected.statistic, atol=1e-13)
            np.testing.assert_allclose(found.pvalue, expected.pvalue, atol=1e-13)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(1)
    tau, hits, runs = 0.5, 0, 400
    for _ in range(runs):
        z = rng.multivariate_normal([0, 0], [[1, np.sin(np.pi * tau / 2)], [np.sin(np.pi * tau / 2), 1]], 60)
        found = wkendall.corr(z, confidence=0.95)
        hits += found.low[0, 1] <= tau <= found.high[0, 1]
    assert 0.91 <= hits / runs <= 0.985


def test_differences_of_dependent_correlations():
    rng = np.random.default_rng(4)
    x, y, z = rng.normal(size=(3, 40))
    y, z = y + x, z + 0.2 * x
    found = wkendall.corr_difference(x, y, z, confidence=0.9)
    first, second = naive(x, y, "tau-b"), naive(x, z, "tau-b")
    changes = np.array([
        naive(x[keep], y[keep], "tau-b") - naive(x[keep], z[keep], "tau-b")
        for keep in (np.arange(40) != k for k in range(40))
    ])  # fmt: skip
    error = np.sqrt(39 / 40 * ((changes - changes.mean()) ** 2).sum())
    assert found.difference == pytest.approx(first - second, abs=1e-12)
    assert (found.first, found.second) == pytest.approx((first, second), abs=1e-12)
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(abs(first - second) / error), abs=1e-9)
    assert found.high - found.low == pytest.approx(2 * stats.norm.ppf(0.95) * error, abs=1e-9)
    assert found.n == 40
    y[3] = np.nan
    keep = np.arange(40) != 3
    assert wkendall.corr_difference(x, y, z) == wkendall.corr_difference(x[keep], y[keep], z[keep])
    assert wkendall.corr_difference(x, z, z).pvalue == 1.0


@pytest.mark.parametrize("made", [np.asarray, sp.csc_array, sp.csr_matrix, sp.coo_array])
@pytest.mark.parametrize("method", ["tau-b", "somers", "spearman"])
def test_networks_have_the_large_correlations_of_the_matrix(method, made):
    rng = np.random.default_rng(11)
    data = rng.normal(size=(12, 30)).round(1)
    whole = wkendall.corr(data, method=method)
    found = wkendall.corr(made(data), method=method, at_least=0.4, pvalues=True)
    i, j = np.nonzero(np.triu(np.abs(whole) >= 0.4, 1))
    np.testing.assert_array_equal((found.i, found.j), (i, j))
    np.testing.assert_allclose(found.statistic, whole[i, j], atol=1e-13)
    np.testing.assert_allclose(found.pvalue, wkendall.corr(data, method=method, pvalues=True).pvalue[i, j], atol=1e-13)
    two = wkendall.corr(made(data), made(data[:, :4]), method=method, at_least=0.4)
    np.testing.assert_array_equal((two.i, two.j), np.nonzero(np.abs(whole[:, :4]) >= 0.4))
    assert two.pvalue is None
    assert two.n is None


def test_labels_of_pairs_and_networks():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9, 4)), columns=["w", "x", "y", "z"])
    whole = wkendall.corr(frame)
    by_label = wkendall.corr(frame, pairs=(["w", "y"], ["z", "x"]))
    np.testing.assert_allclose(by_label, [whole.loc["w", "z"], whole.loc["y", "x"]], atol=1e-13)
    np.testing.assert_array_equal(by_label, wkendall.corr(frame, pairs=([0, 2], [3, 1])))
    network = wkendall.corr(frame, at_least=0.1)
    assert list(network.columns) == ["i", "j", "statistic"]
    assert len(network)
    for row in network.itertuples():
        assert row.statistic == pytest.approx(whole.loc[row.i, row.j], abs=1e-13)
    message = "pairs names column 'v' at place 1, but there is no such column: the columns are 'w', 'x', 'y', 'z'$"
    with pytest.raises(wkendall.RankingError, match=message):
        wkendall.corr(frame, pairs=(["w", "v"], ["z", "x"]))
    with pytest.raises(wkendall.RankingError, match=r"there is no such column: did you mean 'price'\?$"):
        wkendall.corr(frame.set_axis(["price", *"abc"], axis=1), pairs=(["prize"], ["a"]))


def test_dates_booleans_and_durations_have_their_order():
    pd = pytest.importorskip("pandas")
    days = pd.to_datetime(["2024-03-01", "2024-01-01", None, "2024-02-01"])
    frame = pd.DataFrame({"day": days, "zone": days.tz_localize("UTC"), "long": days - days[0], "number": [3, 1, 0, 2]})
    assert (wkendall.corr(frame) == 1).all(axis=None)
    assert wkendall.corr(frame.to_numpy()[:, [0, 3]])[0, 1] == 1
    assert wkendall.corr(pd.DataFrame({"a": [False, True, True], "b": [1, 2, 2]})).iloc[0, 1] == 1
    pl = pytest.importorskip("polars")
    assert wkendall.corr(pl.DataFrame({"day": list(days.date[:2]), "b": [5, 1]}))["b"][0] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "pearson"}, "method is 'pearson'"),
        ({"confidence": 95.0}, "confidence is 95.0, but must be between 0 and 1, for instance 0.95"),
        ({"weights": [1, 2]}, "pass one number for each of 3 observations"),
        ({"weights": [1, 2, -3]}, "weights: row 2 is -3.0, but must be a number from 0 to 1e100"),
        ({"at_least": -1}, "at_least is -1, but must be a number that is not negative"),
        ({"at_least": "much"}, "at_least is 'much', but must be a number that is not negative"),
        ({"pairs": ([0], [7])}, "pairs names column 7 at place 0, but there is no such column: the columns are 0, 1$"),
        ({"pairs": ([0, 1], [0])}, "pairs has 2 first columns, but 1 second ones"),
        ({"pairs": [1, 2, 3]}, "pairs must be two sequences of the same length"),
        ({"pairs": ([0], [1]), "at_least": 0.5}, "both pairs and at_least are given: pass one of them"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        wkendall.corr([[1, 2], [2, 1], [3, 3]], **options)


@pytest.mark.parametrize("columns", [1, 23, 24, 49])
@pytest.mark.parametrize("n", [1, 2, 112, 113, 300])
def test_spearman_of_complete_columns(columns, n):
    """Columns are multiplied in groups of 24, 112 observations at a time."""
    rng = np.random.default_rng(n)
    x, y = np.floor(3 * rng.normal(size=(columns, n))), rng.normal(size=(30, n))
    x[0] = 1
    settings = {"method": "spearman", "least": 1, "alternative": None, "confidence": None, "weights": None}
    for other in (None, y):
        first, second = (stats.rankdata(side, axis=1) - (n + 1) / 2 for side in (x, x if other is None else other))
        with np.errstate(invalid="ignore"):
            expected = first @ second.T / np.sqrt(np.outer((first**2).sum(axis=1), (second**2).sum(axis=1)))
        given = _core.Columns(x), None if other is None else _core.Columns(other)
        found = _core.correlations(*given, settings)[0]
        np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-13)
        for options in ({"tile": 7}, {"tile": 48, "threads": 2}, {"backend": "portable"}):
            np.testing.assert_array_equal(_core.correlations(*given, settings, **options)[0], found)
