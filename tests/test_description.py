"""`Rankings.describe` against loops over rankings, items and pairs."""

import itertools

import numpy as np
import pytest
import wkendall
from wkendall import Rankings

NAN = float("nan")


def expected_positions(row, missing):
    """Ranks of all items: tied ones share the mean, items that are not listed the last ranks or, anywhere, expected ranks."""
    n, listed = len(row), [value for value in row if value == value]
    found = []
    for value in row:
        if value == value:
            rank = sum(other < value for other in listed) + (sum(other == value for other in listed) + 1) / 2
            found.append(rank * (n + 1) / (len(listed) + 1) if missing == "anywhere" else rank)
        else:
            found.append((n + 1) / 2 if missing == "anywhere" else (len(listed) + 1 + n) / 2)
    return found


def naive(ranks, missing, counts):
    """The definitions, ranking by ranking and pair by pair."""
    people = [row for row, count in zip(ranks, counts, strict=True) for _ in range(count)]
    n = ranks.shape[1]
    own, first, spread = [[] for _ in range(n)], [0.0] * n, np.zeros((n, n))
    for row in people:
        listed = [value for value in row if value == value]
        for item, value in enumerate(row):
            if value == value:
                above, tied = sum(other < value for other in listed), sum(other == value for other in listed)
                own[item].append(above + (tied + 1) / 2)
                first[item] += (above == 0) / tied
                spread[item, above : above + tied] += 1 / tied
    shares = np.full((n, n), NAN)
    for i, j in itertools.product(range(n), repeat=2):
        values = []
        for row in people:
            one, two = row[i], row[j]
            if one == one and two == two:
                values.append(1.0 if one < two else 0.5 if one == two else 0.0)
            elif missing == "bottom" and (one == one or two == two):
                values.append(float(one == one))
        shares[i, j] = 0.5 if i == j else np.mean(values) if values else NAN
    places = np.array([expected_positions(row, missing) for row in people]).reshape(len(people), n) - (n + 1) / 2
    within = (places**2).sum(axis=1).mean() if people else NAN
    between = (places.mean(axis=0) ** 2).sum() if people else NAN
    return {
        "mean": [np.mean(some) if some else NAN for some in own],
        "median": [np.median(some) if some else NAN for some in own],
        "first": first,
        "missing": [len(people) - len(some) for some in own],
        "ranks": spread,
        "shares": shares,
        "kendall_w": NAN if not people else between / within if within else 0.0,
        "n_rankings": len(people),
        "n_distinct": len({tuple(expected_positions(row, "bottom")) + tuple(np.isnan(row)) for row in people}),
    }


def check(found, wanted):
    for name, values in wanted.items():
        got = np.asarray(getattr(found, name))
        if name == "ranks":
            width = got.shape[1]
            assert not values[:, width:].any()
            values = values[:, :width]
        np.testing.assert_allclose(got, values, rtol=1e-12, atol=1e-12, err_msg=name)


def cases():
    rng = np.random.default_rng(5)
    for m, n in itertools.product((0, 1, 2, 7), (1, 2, 3, 5, 8)):
        X = rng.permuted(np.tile(np.arange(1.0, n + 1), (m, 1)), axis=1)
        tied = np.minimum(X, rng.integers(1, n + 1, size=(m, 1)))
        gaps = np.where(rng.random((m, n)) < 0.4, NAN, tied)
        for ranks, missing in ((X, "error"), (tied, "error"), (gaps, "bottom"), (gaps, "anywhere")):
            for counts in (None, rng.integers(0, 4, size=m)):
                yield ranks, missing, counts


@pytest.mark.parametrize(("ranks", "missing", "counts"), list(cases()))
def test_descriptions_equal_the_definitions(ranks, missing, counts):
    made = Rankings(ranks, ties="mean", missing=missing, counts=counts)
    wanted = naive(ranks, missing, [1] * len(ranks) if counts is None else counts)
    found = made.describe()
    check(found, wanted)
    some = np.random.default_rng(0).permutation(ranks.shape[1])[:3]
    np.testing.assert_allclose(found.shares_of(some), wanted["shares"][np.ix_(some, some)], atol=1e-12)
    if missing == "bottom" and len(ranks):
        from scipy.sparse import csr_array

        row, column = np.nonzero(~np.isnan(ranks))
        lists = csr_array((ranks[row, column], (row, column)), shape=ranks.shape)
        check(Rankings(lists, ties="mean", missing="bottom", counts=counts).describe(), wanted)


def test_lists_with_a_last_block_that_is_not_stored():
    lists = wkendall.from_lists([["a", {"b", "c", "d"}], ["c"], ["d", "a"]], items=list("abcd"))
    assert lists.kind == "lists"
    ranks = np.array([[1, 2, 2, 2], [NAN, NAN, 1, NAN], [2, NAN, NAN, 1]])
    check(lists.describe(), naive(ranks, "bottom", [1, 1, 1]))


def test_kendalls_w_is_the_published_formula():
    """Siegel and Castellan's form, with the correction for ties."""
    rng = np.random.default_rng(1)
    ranks = wkendall.Rankings(rng.integers(1, 4, size=(9, 6)), ties="mean")
    places = np.array([expected_positions(row, "error") for row in np.asarray(ranks)])
    m, n = places.shape
    ties = sum((block**3 - block).sum() for row in places for block in [np.unique(row, return_counts=True)[1]])
    deviations = ((places.sum(axis=0) - m * (n + 1) / 2) ** 2).sum()
    assert ranks.describe().kendall_w == pytest.approx(12 * deviations / (m**2 * (n**3 - n) - m * ties))
    assert Rankings([[1, 2, 3]] * 3).describe().kendall_w == 1
    assert Rankings([[1, 1, 1]], ties="mean").describe().kendall_w == 0


@pytest.mark.parametrize(("m", "n", "ranks"), [(12, 6, 3), (20, 4, 4), (9, 8, 50), (40, 2, 2)])
def test_pvalue_of_kendalls_w(m, n, ranks):
    """Friedman's test, and the share of random rankings with as large a W."""
    from scipy.stats import friedmanchisquare

    rng = np.random.default_rng(2)
    for lean in (0.0, 0.05 * ranks):
        X = np.round(rng.integers(1, ranks + 1, size=(m, n)) + lean * np.arange(n))
        found = Rankings(X, ties="mean").describe()
        assert found.kendall_w_pvalue == pytest.approx(
            friedmanchisquare(*X.T).pvalue if n > 2 else _of_two(X), rel=1e-9
        )
        places = np.array([expected_positions(row, "error") for row in X])
        sums = sum(rng.permuted(np.tile(row, (20_000, 1)), axis=1) for row in places)
        larger = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        own = ((places.sum(axis=0) - places.sum() / n) ** 2).sum()
        beyond = (np.mean(larger > own + 1e-9) + np.mean(larger > own - 1e-9)) / 2  # W has few values
        assert found.kendall_w_pvalue == pytest.approx(beyond, abs=0.05)


def _of_two(X):
    """The test of signs by a normal distribution: Friedman's test of two items."""
    from scipy.stats import norm

    more, less = (X[:, 0] < X[:, 1]).sum(), (X[:, 0] > X[:, 1]).sum()
    return 2 * norm.sf(abs(more - less) / np.sqrt(more + less))


def test_pvalue_of_kendalls_w_with_counts_and_gaps():
    X, counts = np.array([[1, 2, 3, NAN], [2, 1, NAN, NAN], [4, 3, 2, 1], [1, 2, 2, 3]]), np.array([3, 1, 2, 0])
    found = Rankings(X, ties="mean", missing="bottom", counts=counts).describe()
    rows = np.repeat(X, counts, axis=0)
    assert found.kendall_w_pvalue == Rankings(rows, ties="mean", missing="bottom").describe().kendall_w_pvalue
    places = [expected_positions(row, "bottom") for row in rows]
    assert found.kendall_w_pvalue == Rankings(places, ties="mean").describe().kendall_w_pvalue
    unknown = Rankings(X, ties="mean", missing="anywhere").describe()
    weighted = Rankings(places, ties="mean").describe(sample_weight=np.arange(1, 7))
    for none in (unknown, weighted, Rankings([[1]] * 3).describe(), Rankings(np.zeros((0, 3))).describe()):
        assert np.isnan(none.kendall_w_pvalue)
    assert not np.isnan(Rankings([[1, 2, 3]] * 2, missing="anywhere").describe().kendall_w_pvalue)


def test_groups_and_their_frames():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame([[1, 2, 3], [2, 1, 3], [3, 1, 2], [1, 3, 2]], columns=list("abc"), index=list("wxyz"))
    votes = Rankings(X, counts=[4, 1, 2, 1])
    by = pd.Series(["low", "high", "low", "high"], index=list("wxyz")).astype(
        pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    )
    found = votes.describe(by=by)
    assert list(found.groups) == ["low", "high"]
    check(found.groups["low"], naive(X.iloc[[0, 2]].to_numpy(float), "error", [4, 2]))
    assert found.to_frame().columns.tolist()[:2] == [("low", "mean"), ("low", "median")]
    assert found.to_frame("shares").loc["a", ("low", "b")] == found.groups["low"].shares[0, 1]
    assert found.groups["high"].to_frame("ranks").loc["b"].tolist() == [1, 0, 1]
    assert "middle" not in repr(found)
    assert list(votes.describe(by=np.array(["b", 1, "a", 1], dtype=object)).groups) == ["b", 1, "a"]
    assert list(votes.describe(by=[2, 10, 1, 2]).groups) == [1, 2, 10]
    with pytest.raises(wkendall.RankingError) as caught:
        votes.describe(by=by[::-1])
    assert caught.value.kind == "rows differ"
    for bad in (["a"], ["a", "b", None, "a"]):
        with pytest.raises(wkendall.RankingError):
            votes.describe(by=bad)


def test_a_large_catalogue_makes_no_square():
    n = 10**6
    lists = Rankings(_catalogue(n), missing="bottom")
    found = lists.describe()
    assert found.first.sum() == 3
    assert found.missing[5] == 1
    assert found.mean[5] == 2
    assert found.ranks.shape == (n, 3)
    assert "999,980 more" in repr(found)
    assert found.shares_of([5, 7, 100]).tolist() == [[0.5, 1, 2 / 3], [0, 0.5, 0.5], [1 / 3, 0.5, 0.5]]
    with pytest.raises(ValueError, match="shares_of"):
        _ = found.shares
    for items, words in ([5, "tea"], "'tea', but no item has this name"), ([5, 5], "5 twice"):
        with pytest.raises(wkendall.RankingError, match=words):
            found.shares_of(items)


def _catalogue(n):
    from scipy.sparse import csr_array

    rows, columns, ranks = [0, 0, 0, 1, 1, 2], [3, 5, 7, 9, 5, 100], [1, 2, 3, 1, 2, 1]
    return csr_array((ranks, (rows, columns)), shape=(3, n))


def test_views():
    votes = Rankings([[1, 2], [1, 2]], items=["<tea>", "milk"])
    assert "&lt;tea&gt;" in votes.describe()._repr_html_()
    assert repr(votes.describe()).splitlines()[0] == "2 rankings of 2 items, 1 distinct, Kendall's W 1.00"
    assert repr(votes[:0].describe()).splitlines()[0] == "0 rankings of 2 items, 0 distinct"
    assert len(repr(Rankings(np.arange(1, 101)[np.newaxis]).describe()).splitlines()) == 23
    with pytest.raises(wkendall.RankingError, match="one of"):
        votes.describe().to_frame("pairs")


@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
def test_weights_are_frequencies_up_to_a_factor(missing):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((30, 5)) < 0.2, np.nan, rng.integers(1, 4, (30, 5)))
    counts, groups = rng.integers(0, 4, 30), np.repeat(["a", "b", "c"], 10)
    how = {"ties": "mean", "missing": missing}
    wanted = wkendall.Rankings(X, counts=counts, **how).describe(by=groups)
    found = wkendall.Rankings(X, **how).describe(by=groups, sample_weight=counts / 7)
    for one, other, size in [(found, wanted, 30), *((found.groups[g], wanted.groups[g], 10) for g in "abc")]:
        assert one.n_rankings == size
        for name in ("mean", "median", "kendall_w", "shares", "order"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-12, err_msg=name)
        for name in ("first", "missing", "ranks"):
            np.testing.assert_allclose(
                getattr(one, name) / size, getattr(other, name) / other.n_rankings, atol=1e-12, err_msg=name
            )
    equal = wkendall.Rankings(X, **how)
    assert repr(equal.describe(sample_weight=np.full(30, 0.1))) == repr(equal.describe())
    with pytest.raises(ValueError, match="sample_weight"):
        equal.describe(sample_weight=np.zeros(30))
    with pytest.raises(wkendall.RankingError, match=r"sample_weight\[0\] is -1"):
        equal.describe(sample_weight=np.full(30, -1.0))
    huge = equal.describe(sample_weight=np.where(np.arange(30) < 2, 1e308, 0))
    np.testing.assert_allclose(huge.mean, equal[:2].describe().mean)
