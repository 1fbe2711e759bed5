"""Rankings of labels predicted from features."""

import csv
import pickle
import warnings
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
import wkendall
from definitions import completions, random_rows
from paths import SHARED
from scipy.sparse import csr_array
from scipy.stats import kendalltau
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import Kendall, LabelRanker, RankingError, Rankings

NAN = float("nan")


class ThreeLabels(LabelRanker):
    """The checks of scikit-learn have one column y: here it decides about three labels."""

    def _rankings(self, X, y, *, reset):
        y = np.asarray(y, dtype=float)
        return super()._rankings(X, np.hstack([y, -y, np.zeros_like(y)]), reset=reset)


@parametrize_with_checks([LabelRanker(), LabelRanker(Ridge()), ThreeLabels()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def simulated(rng, rows=40, labels=4, features=3):
    """Features, and rankings that depend on them."""
    X = rng.standard_normal((rows, features))
    scores = X @ rng.standard_normal((features, labels)) + 0.5 * rng.standard_normal((rows, labels))
    return X, (-scores).argsort(axis=1).argsort(axis=1) + 1


def signs_of(row, missing="bottom", weights=None):
    """The mean sign of each pair, over all complete rankings that agree with a row."""
    n, found = len(row), list(completions(row, missing))
    weights = np.ones(n) if weights is None else weights
    return [
        np.sqrt(weights[i] * weights[j]) * np.mean([np.sign(full[j] - full[i]) for full in found])
        for i, j in combinations(range(n), 2)
    ]


def best_of(vector, n, weights=None):
    """The largest inner product of a vector and the signs of a ranking, with all rankings that reach it."""
    value = {ranks: np.dot(vector, signs_of(ranks, weights=weights)) for ranks in permutations(range(1, n + 1))}
    most = max(value.values())
    return most, [list(ranks) for ranks, reached in value.items() if reached > most - 1e-9]


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_the_definition(n, missing, weighted):
    rng = np.random.default_rng(n)
    X, y = rng.standard_normal((25, 2)), random_rows(rng, 25, n)
    weights = rng.random(n) if weighted else None
    kernel = Kendall(item_weight=weights) if weighted else None
    model = LabelRanker(Ridge(alpha=0.5), kernel, missing=missing).fit(X, y)
    targets = np.array([signs_of(row, missing, weights) for row in y]).reshape(25, -1)
    A = X - X.mean(axis=0)
    coefficients = np.linalg.solve(A.T @ A + 0.5 * np.eye(2), A.T @ (targets - targets.mean(axis=0)))
    new = rng.standard_normal((8, 2))
    predicted = (new - X.mean(axis=0)) @ coefficients + targets.mean(axis=0)
    found = model.predict(new)
    assert found.dtype == np.int64
    for vector, ranks in zip(predicted, found, strict=True):
        assert sorted(ranks) == list(range(1, n + 1))
        assert ranks.tolist() in best_of(vector, n, weights)[1]
    pairs = model.predict_pairs(new)
    assert pairs.shape == (8, n, n)
    for column, (i, j) in enumerate(combinations(range(n), 2)):
        factor = np.sqrt(weights[i] * weights[j]) if weighted else 1
        np.testing.assert_allclose(pairs[:, i, j] * factor, predicted[:, column], atol=1e-9)
        np.testing.assert_array_equal(pairs[:, j, i], -pairs[:, i, j])


@pytest.mark.parametrize("n", [2, 12, 30])
def test_rankings_come_back(n):
    X, y = simulated(np.random.default_rng(n), 20, n)
    nearest = LabelRanker(KNeighborsRegressor(1)).fit(X, y)
    np.testing.assert_array_equal(nearest.predict(X), y)
    assert nearest.score(X, y) == 1


def test_many_labels_and_rows_in_parts(monkeypatch):
    X, y = simulated(np.random.default_rng(0), 60, 12)
    model = LabelRanker(n_jobs=1).fit(X, y)
    expected = model.predict(X)
    monkeypatch.setattr("wkendall.estimators.label_ranking.BLOCK", 1000)
    np.testing.assert_array_equal(model.set_params(n_jobs=2).predict(X), expected)


@pytest.mark.parametrize(("signed", "weights"), [(False, None), (True, None), (True, [1, 2, 0.5, 3])])
def test_normalized_embeddings(signed, weights):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 2)), Rankings(random_rows(rng, 30, 4), ties="mean", missing="bottom")
    kernel = Kendall(signed=signed, normalize=True, item_weight=weights)
    model = LabelRanker(KNeighborsRegressor(1), kernel).fit(X, y)
    # The nearest neighbour of a row is itself: its embedding, which is that of the features.
    plain = wkendall.features(y, Kendall(signed=True, item_weight=weights))
    own, full = (wkendall.diagonal(some, Kendall(signed=signed, item_weight=weights)) for some in (y, [[1, 2, 3, 4]]))
    expected = plain * np.sqrt(np.divide(full, own, out=np.zeros_like(own), where=own > 0))[:, np.newaxis]
    np.testing.assert_allclose(model._pairs(X), expected, atol=1e-12)


def test_the_default_is_kernel_ridge_regression_of_scaled_features():
    rng = np.random.default_rng(2)
    X, y = simulated(rng)
    X *= [1000, 1, 0.001]
    signs = wkendall.features(y, Kendall(signed=True))
    ridge = make_pipeline(StandardScaler(), KernelRidge(alpha=0.1, kernel="rbf", gamma=1 / 3))
    expected = ridge.fit(X, signs - signs.mean(axis=0)).predict(X) + signs.mean(axis=0)
    model = LabelRanker().fit(X, y)
    np.testing.assert_allclose(model.predict_pairs(X)[:, *np.triu_indices(4, 1)], expected, atol=1e-9)
    # Far from all rows it predicts their consensus.
    assert model.predict([[1e9, 1e9, 1e9]])[0].tolist() in best_of(signs.mean(axis=0), 4)[1]


@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
def test_the_score_is_the_mean_tau_b_of_scipy(missing):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((60, 2)), random_rows(rng, 60, 4)
    y[0], y[1] = [2, 2, 2, 2], [NAN, 1, NAN, NAN]  # no order of two labels; only with "bottom" there is one
    model = LabelRanker(missing=missing).fit(X, y)
    predicted, weights = model.predict(X), rng.random(60)
    taus = []
    for row, ranks in zip(y, predicted, strict=True):
        kept = np.isfinite(row) if missing == "anywhere" else np.full(4, True)
        full = np.where(np.isnan(row), 99, row)
        taus.append(kendalltau(full[kept], ranks[kept]).statistic if kept.sum() > 1 else NAN)
    taus = np.array(taus)
    there = ~np.isnan(taus)
    assert 0 < (~there).sum() < 30
    assert model.score(X, y) == pytest.approx(np.nanmean(taus), abs=1e-12)
    expected = np.average(taus[there], weights=weights[there])
    assert model.score(X, y, weights) == pytest.approx(expected, abs=1e-12)
    assert model.score(X[:1], y[:1]) == 0


def test_one_label_and_two():
    X = [[0.0], [1.0], [2.0]]
    one = LabelRanker().fit(X, [[1], [1], [1]])
    assert one.predict([[5.0]]).tolist() == [[1]]
    assert one.score(X, [[1]] * 3) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # about a column where a vector is expected
        two = LabelRanker(ExtraTreesRegressor(5, random_state=0)).fit(X, [[1, 2], [2, 1], [2, 1]])
    assert two.predict(X).tolist() == [[1, 2], [2, 1], [2, 1]]
    assert two.score(X, [[1, 2], [2, 1], [1, 2]]) == pytest.approx(1 / 3)
    # Rows that say nothing: any ranking is best, and the labels keep their order.
    assert LabelRanker().fit(X, [[1, 1, 1]] * 3).predict(X).tolist() == [[1, 2, 3]] * 3


@pytest.mark.parametrize(
    "regressor", [None, Ridge(), ExtraTreesRegressor(3, bootstrap=False, max_features=1.0, random_state=0)]
)
def test_weights_are_repetitions_and_counts_are_weights(regressor):
    rng = np.random.default_rng(4)
    X, y = simulated(rng, 30)
    counts = rng.integers(0, 4, 30)
    weighted = LabelRanker(regressor).fit(X, y, sample_weight=counts)
    counted = LabelRanker(regressor).fit(X, Rankings(y, counts=counts))
    np.testing.assert_array_equal(counted.predict_pairs(X), weighted.predict_pairs(X))
    assert counted.score(X, Rankings(y, counts=counts)) == weighted.score(X, y, counts)
    if not isinstance(regressor, ExtraTreesRegressor):
        repeated = LabelRanker(regressor).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts, axis=0))
        np.testing.assert_allclose(weighted.predict_pairs(X), repeated.predict_pairs(X), atol=1e-8)


def test_names_travel():
    rng = np.random.default_rng(5)
    X, y = simulated(rng, 30)
    expected = LabelRanker().fit(X, y)
    assert expected.items_ == [0, 1, 2, 3]
    assert expected.predict_rankings(X).items is None
    rows = [f"row {row}" for row in range(30)]
    table, names = pd.DataFrame(X, columns=list("pqr"), index=rows), ["tea", "milk", "beer", "wine"]
    frame, votes = pd.DataFrame(y, columns=names, index=rows), Rankings(y, items=names)
    for labels in (frame, votes):
        model = LabelRanker().fit(table, labels)
        assert model.items_ == names
        assert model.feature_names_in_.tolist() == list("pqr")
        found = model.predict_rankings(table)
        assert (found.items, found.labels) == (names, rows)
        np.testing.assert_array_equal(np.asarray(found), expected.predict(X))
        # Labels are matched by name.
        assert model.score(table, frame[names[::-1]]) == expected.score(X, y)
        assert model.score(table, Rankings(votes, items=names[::-1])) == expected.score(X, y)
    with pytest.raises(RankingError, match="the data of fit has the item 'wine', but y does not"):
        model.score(table, frame.rename(columns={"wine": "rum"}))
    with pytest.raises(RankingError, match="row 0 is labelled 'row 0' in X and 'row 29' in y"):
        LabelRanker().fit(table, frame[::-1])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[["q", "p", "r"]])


def test_arrays_are_read_as_the_rankings_of_fit():
    rng = np.random.default_rng(6)
    X, y = simulated(rng, 30)
    scores = np.where(y == 4, NAN, -y.astype(float))
    votes = Rankings(scores, input="scores", missing="bottom")
    model = LabelRanker().fit(X, votes)
    assert model.score(X, scores) == model.score(X, votes)
    own = LabelRanker(input="scores", missing="bottom").fit(X, scores)
    np.testing.assert_array_equal(own.predict_pairs(X), model.predict_pairs(X))
    lists = wkendall.from_lists([[row.index(rank) for rank in (1, 2, 3)] for row in y.tolist()], items=range(4))
    np.testing.assert_array_equal(LabelRanker().fit(X, lists).predict_pairs(X), model.predict_pairs(X))


def test_searches_pipelines_and_copies():
    X, y = simulated(np.random.default_rng(7), 60)
    grid = GridSearchCV(
        LabelRanker(), {"regressor__alpha": [1e-3, 0.1, 1e3], "regressor__gamma": [0.01, 0.3]}, cv=3
    ).fit(X, y)
    assert len(set(grid.cv_results_["mean_test_score"].round(6))) > 2
    chosen = GridSearchCV(LabelRanker(), {"regressor": [Ridge(), KNeighborsRegressor()]}, cv=3).fit(X, Rankings(y))
    assert chosen.best_score_ > 0.5
    weights = GridSearchCV(LabelRanker(), {"kernel__item_weight": [None, [1, 1, 1, 9]]}, cv=3).fit(X, y)
    assert len(set(weights.cv_results_["mean_test_score"])) == 2
    pipeline = make_pipeline(StandardScaler(), LabelRanker(KernelRidge(kernel="rbf")))
    pipeline.set_params(labelranker__regressor__alpha=0.5).fit(X, y)
    scaled = KernelRidge(kernel="rbf", alpha=0.5)
    expected = LabelRanker(scaled).fit(StandardScaler().fit_transform(X), y).predict(StandardScaler().fit_transform(X))
    np.testing.assert_array_equal(pipeline.predict(X), expected)
    model = LabelRanker(Ridge(alpha=2.0)).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_pairs(X), model.predict_pairs(X))
    assert cross_val_score(LabelRanker(MultiOutputRegressor(SVR())), X, y, cv=3).mean() > 0.5
    texts = LabelRanker(make_pipeline(CountVectorizer(), Ridge())).fit(
        ["tea", "beer", "hot tea"], [[1, 2], [2, 1], [1, 2]]
    )
    assert texts.predict(["beer", "tea"]).tolist() == [[2, 1], [1, 2]]


def test_a_regressor_that_predicts_no_numbers():
    model = LabelRanker(Ridge()).fit(**GOOD)
    model.regressor_.intercept_ = np.array([0.0, NAN, 0.0])
    with pytest.raises(RankingError, match="not finite for row 0 of X") as caught:
        model.predict([[1.0], [2.0]])
    assert caught.value.row == 0


GOOD = {"X": [[0.0], [1.0], [2.0]], "y": [[1, 2, 3], [2, 1, 3], [3, 1, 2]]}
BAD = [
    ({"y": [[1, 2, 3]]}, "y", 1, "y has 1 rankings of 3 labels, but X has 3 rows"),
    ({"y": [[]] * 3}, "y", None, "pass a ranking of at least one label"),
    ({"y": [1, 2, 3]}, "y", 1, "one ranking per row"),
    ({"y": [[1, 2, 2], *GOOD["y"][1:]], "ties": "error"}, "y", 2, "row 0 holds 2 twice, in columns 1 and 2"),
    ({"y": [[1, 2, NAN], *GOOD["y"][1:]], "missing": "error"}, "y", None, "row 0, column 2 holds NaN"),
    ({"X": csr_array(np.eye(3))}, "X", None, "has sparse features, but the default regressor scales them"),
    ({"kernel": Kendall("top", k=2)}, "kernel", None, "linear ordering"),
    ({"kernel": Kendall(order=3)}, "kernel", None, "linear ordering"),
    ({"kernel": wkendall.Mallows()}, "kernel", None, "linear ordering"),
    ({"kernel": wkendall.KendallDistance()}, "kernel", None, "is a distance"),
    ({"kernel": Kendall(item_weight=[1, 2])}, "item_weight", None, "3 real numbers"),
    ({"regressor": SVR()}, "regressor", None, "wrap it in sklearn.multioutput.MultiOutputRegressor"),
    ({"regressor": Ridge}, "regressor", None, "must be a regressor of scikit-learn"),
    ({"regressor": StandardScaler()}, "regressor", None, "must be a regressor of scikit-learn"),
    (
        {"regressor": KNeighborsRegressor(1), "sample_weight": [1, 2, 3]},
        "regressor",
        None,
        "its fit has no sample_weight",
    ),
]


@pytest.mark.parametrize(("what", "argument", "value", "message"), BAD)
def test_bad_input(what, argument, value, message):
    what = GOOD | what
    call = {name: what.pop(name) for name in ("X", "y", "sample_weight") if name in what}
    with pytest.raises((RankingError, TypeError), match=message) as caught:
        LabelRanker(**what).fit(**call)
    assert argument in (getattr(caught.value, "argument", None), str(caught.value).split()[0])
    assert value is None or caught.value.value == value
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "least"), [("iris", 0.93), ("glass", 0.86), ("vowel", 0.88)])
def test_real_data(name, least):
    path = SHARED / f"data/label_ranking/{name}.csv"
    if not path.exists():
        pytest.skip("the label ranking data are not here")
    with path.open() as file:
        rows = list(csv.reader(file))[1:]
    X = np.array([row[:-1] for row in rows], dtype=float)
    y = wkendall.from_lists([row[-1].split(">") for row in rows])
    order = np.random.default_rng(0).permutation(len(rows))
    assert cross_val_score(LabelRanker(), X[order], y[order], cv=5).mean() > least


def test_orders_need_no_other_options():
    rng = np.random.default_rng(0)
    X, orders = rng.normal(size=(20, 2)), np.array([rng.permutation(4) for _ in range(20)])
    model = wkendall.LabelRanker(input="orders").fit(X, orders)
    np.testing.assert_array_equal(model.predict(X), wkendall.LabelRanker().fit(X, np.argsort(orders) + 1).predict(X))
    assert model.score(X, orders) == pytest.approx(
        wkendall.LabelRanker().fit(X, np.argsort(orders)).score(X, np.argsort(orders))
    )
    with pytest.raises(wkendall.RankingError, match="input is 'orders'"):
        wkendall.LabelRanker(input="orders", missing="bottom").fit(X, orders)
