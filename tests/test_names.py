"""Names of items and labels of rows travel with rankings, and never mix silently."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall
from sklearn.base import clone
from sklearn.svm import SVC
from wkendall import RankingError, Rankings, datasets
from wkendall.gaussian_process import MallowsKernel

ITEMS = ["tea", "coffee", "milk", "water", "juice"]
LABELS = [f"p{number:02}" for number in range(12)]
RANKS = datasets.make_uniform(12, 5, rng=0)
COMPLETE = pd.DataFrame(RANKS, index=LABELS, columns=ITEMS)
BOTTOM = {"ties": "mean", "missing": "bottom"}
Y = np.arange(12) % 2


def holed():
    """The frame with ties and without some numbers."""
    frame = COMPLETE.astype(float)
    frame.iloc[3, 2] = frame.iloc[3, 0]
    frame.iloc[5, 1] = frame.iloc[7, 4] = np.nan
    return frame


# Names of items.


def test_items_of_named_data_choose_by_name():
    other = ITEMS[::-1]
    for frame in (COMPLETE, pl.from_pandas(COMPLETE)):
        found = Rankings(frame, items=other)
        assert found.items == other
        assert found.to_lists() == Rankings(frame).to_lists()
    some = Rankings(COMPLETE, items=["water", "tea"], ties="mean")  # only the order of the numbers matters
    assert some.to_lists() == [
        [name for name in row if name in ("water", "tea")] for row in Rankings(COMPLETE).to_lists()
    ]
    for options in ({}, BOTTOM, {"ties": "mean", "missing": "anywhere"}):
        r = Rankings(holed() if options else COMPLETE, **options)
        found = Rankings(r, items=other)
        assert (found.items, found.labels) == (other, LABELS)
        assert found.to_lists() == r.to_lists()
    lists = wkendall.from_lists([["a", "b"], ["c"], ["b", "a", "c"]], items=list("abcd"))
    assert Rankings(lists, items="dcba").to_lists() == lists.to_lists()


@pytest.mark.parametrize("values", [COMPLETE, pl.from_pandas(COMPLETE), Rankings(COMPLETE)])
def test_items_that_named_data_do_not_have_are_refused(values):
    message = r"^items has 'rum', but X has no item of this name: it has 'tea', 'coffee', 'milk', 'water', 'juice'$"
    with pytest.raises(RankingError, match=message) as caught:
        Rankings(values, items=[*ITEMS[:4], "rum"])
    assert (caught.value.argument, caught.value.column, caught.value.value) == ("items", 4, "rum")


def test_rankings_keep_all_their_items():
    with pytest.raises(ValueError, match=r"^items has 4 names, but the rankings have 5 items: pass a name for each$"):
        Rankings(Rankings(COMPLETE), items=ITEMS[:4])


def test_two_columns_of_one_name_are_refused():
    twice = COMPLETE.set_axis(["a", "b", "c", "a", "d"], axis=1)
    message = r"^X has two items named 'a', in places 0 and 3: names must differ$"
    models = [
        getattr(wkendall, name) for name in wkendall.__all__ if name.startswith(("Kendall", "Suquan", "Alternating"))
    ]
    models = [model() for model in models if hasattr(model, "fit")]
    assert len(models) > 7
    for call in (Rankings, wkendall.gram_matrix, *(lambda X, of=model: clone(of).fit(X, Y) for model in models)):
        with pytest.raises(RankingError, match=message) as caught:
            call(twice)
        assert (caught.value.argument, caught.value.column, caught.value.value) == ("X", 3, "a")
    with pytest.raises(RankingError, match="two items named 'a'"):
        wkendall.kernel(twice.iloc[0], twice.iloc[1])
    assert Rankings(twice, input="orders").items is None  # the columns are places


def test_items_that_differ_are_named():
    more = Rankings(COMPLETE.assign(rum=6))
    with pytest.raises(RankingError, match=r"^X has 5 items, but Y has 6: .* same items; only Y has 'rum'$"):
        wkendall.gram_matrix(Rankings(COMPLETE), more)
    other = COMPLETE.rename(columns={"tea": "Tea"}).assign(rum=6)
    message = r"^X has 5 items, but Y has 6: .*; only X has 'tea' and only Y has 'Tea', 'rum'$"
    with pytest.raises(RankingError, match=message):
        wkendall.gram_matrix(COMPLETE, other)


# Labels of rows.


def test_rows_by_label():
    r = Rankings(COMPLETE)
    assert r["p03"] == r[3]
    assert r["p03"].labels == ["p03"]
    for labels in (["p07", "p02"], np.array(["p07", "p02"]), pd.Index(["p07", "p02"]), pd.Series(["p07", "p02"])):
        assert r[labels].labels == ["p07", "p02"]
        assert r[labels] == r[[7, 2]]
    twice = Rankings(COMPLETE.set_axis([*"abcabcabcabc"]))
    assert twice["b"] == twice[[1, 4, 7, 10]]
    with pytest.raises(IndexError, match=r"^no row is labelled 'p007': did you mean 'p07'\?$"):
        r[["p03", "p007"]]
    first = "'p00', 'p01', 'p02', 'p03', 'p04'"
    with pytest.raises(IndexError, match=rf"^no row is labelled 'Bob': the labels are {first} and 7 more$"):
        r["Bob"]
    with pytest.raises(IndexError, match=r"^no row is labelled 'p03': the rows have no labels$"):
        Rankings(RANKS)["p03"]
    with pytest.raises(IndexError, match="labels that are texts"):
        r[[1.5]]


def test_masks():
    r, mask = Rankings(COMPLETE), pd.Series(Y == 1, index=LABELS)
    for flags in (mask, mask.astype("boolean"), mask.astype(object), mask.tolist(), pl.Series(mask.to_numpy())):
        assert r[flags].labels == LABELS[1::2]
    for flags in (mask[::-1], mask[::-1].astype("boolean")):
        with pytest.raises(RankingError, match=r"^row 0 is labelled 'p00' in the rankings and 'p11' in the mask, but"):
            r[flags]
    with pytest.raises(
        IndexError, match=r"^the mask has 3 values, but there are 12 rankings: it must have one for each$"
    ):
        r[[True, False, True]]


def test_rankings_that_are_compared_row_by_row():
    """Rows that both sets have must be in the same order; other labels are other rows, such as those of two systems."""
    wanted = wkendall.permutation_pvalue(RANKS, RANKS[::-1], rng=0, n_permutations=9)
    other = pd.DataFrame(RANKS[::-1], columns=ITEMS)
    for labels in (LABELS, list("abcdefghijkl"), range(12)):
        found = wkendall.permutation_pvalue(COMPLETE, other.set_axis(labels), rng=0, n_permutations=9)
        np.testing.assert_array_equal(found, wanted)
    for labels in (LABELS[::-1], [*LABELS[1:], "p00"], ["p03", *"abcdefghijk"]):
        with pytest.raises(
            RankingError, match=r"^row 0 is labelled 'p00' in X and 'p.*' in Y, but rows are matched"
        ) as caught:
            wkendall.permutation_pvalue(COMPLETE, other.set_axis(labels), rng=0, n_permutations=9)
        assert (caught.value.argument, caught.value.row, caught.value.kind) == ("Y", 0, "rows differ")


def test_an_index_of_several_levels():
    index = pd.MultiIndex.from_arrays([Y, LABELS])
    r = Rankings(COMPLETE.set_axis(index))
    assert r.labels == list(index)
    assert wkendall.consensus(r, sample_weight=pd.Series(1, index=index)).items
    with pytest.raises(RankingError, match=r"^row 0 is labelled"):
        wkendall.consensus(r, sample_weight=pd.Series(1, index=index[::-1]))
    for other in (
        pd.IntervalIndex.from_breaks(range(13)),
        pd.period_range("2020", periods=12),
        pd.date_range("2020", periods=12),
    ):
        assert Rankings(COMPLETE.set_axis(other)).labels == list(other)


# Arrays beside a Rankings.


def as_read(ranks, name):
    """Return numbers that mean these ranks, and the options for reading them."""
    n = ranks.shape[1]
    options = {
        "high": {"top": "high"},
        "scores": {"input": "scores"},
        "orders": {"input": "orders"},
        "bottom": {"input": "scores", **BOTTOM},
    }[name]
    return (np.argsort(ranks, axis=1) if name == "orders" else n + 1.0 - ranks), options


CALLS = {
    "gram_matrix": lambda x, y: wkendall.gram_matrix(x, y, wkendall.Kendall("top", k=2)),
    "shorthand": lambda x, y: wkendall.gram_matrix(x, y, weight="top", k=2),
    "call": lambda x, y: wkendall.Kendall("top", k=2)(x, y),
    "similarity_matrix": lambda x, y: wkendall.similarity_matrix(x, y, wkendall.WeightedTau()),
    "distance_matrix": lambda x, y: wkendall.distance_matrix(x, y),
    "neighbors": lambda x, y: wkendall.neighbors(x, y, n_neighbors=2).values,
    "permutation_pvalue": lambda x, y: wkendall.permutation_pvalue(x, y, rng=0, n_permutations=9),
    "two_sample_test": lambda x, y: wkendall.two_sample_test(x, y, rng=0, n_permutations=9).statistic,
    "Gaussian process": lambda x, y: MallowsKernel(0.3)(x, y),
}


@pytest.mark.parametrize("name", ["high", "scores", "orders", "bottom"])
@pytest.mark.parametrize("call", CALLS)
def test_arrays_beside_rankings_are_read_as_they_were(call, name):
    other = datasets.make_uniform(12, 5, rng=1)
    (one, options), (two, _) = as_read(RANKS, name), as_read(other, name)
    wanted = CALLS[call](Rankings(RANKS), Rankings(other))
    r = pickle.loads(pickle.dumps(Rankings(one, **options)))
    np.testing.assert_array_equal(CALLS[call](r, two), wanted)
    np.testing.assert_array_equal(CALLS[call](r[:], two), wanted)
    np.testing.assert_array_equal(CALLS[call](one, Rankings(two, **options)), wanted)


def test_single_rankings_beside_rankings_are_read_as_they_were():
    one, two = Rankings([[3, 1, 2, 4]], top="high"), [4, 1, 3, 2]
    wanted = wkendall.kernel([3, 1, 2, 4], two, weight="top", k=2, top="high")
    assert wkendall.kernel(one, two, weight="top", k=2) == wanted
    assert wkendall.kernel(two, one, weight="top", k=2) == wanted
    assert wkendall.kappa(one, weight="top", k=2) == wkendall.kappa([3, 1, 2, 4], weight="top", k=2, top="high")


def test_rankings_read_in_two_ways_beside_an_array_are_refused():
    groups = Rankings(RANKS), Rankings(6 - RANKS, top="high"), RANKS
    with pytest.raises(RankingError, match="read with different options: pass Rankings in place of the array"):
        wkendall.two_sample_test(*groups)
    assert wkendall.two_sample_test(*groups[:2], rng=0, n_permutations=9).pvalue == 1


@pytest.mark.parametrize("name", ["high", "scores", "orders", "bottom"])
def test_fitted_estimators_read_arrays_as_the_rankings_of_fit(name):
    other = datasets.make_uniform(7, 5, rng=1)
    (one, options), (two, _) = as_read(RANKS, name), as_read(other, name)
    kernel = wkendall.Kendall("top", k=3)
    models = [
        (wkendall.KendallGram(kernel), "transform"),
        (wkendall.KendallGram(kernel, cache_size=1), "transform"),
        (wkendall.KendallFeatures(kernel), "transform"),
        (wkendall.KendallNystroem(kernel, random_state=0), "transform"),
        (wkendall.KendallNeighbors(2, kernel), "kneighbors"),
        (wkendall.KendallKMeans(2, kernel, random_state=0), "transform"),
        (wkendall.KendallKMeans(2, kernel, init=two[:2]), "transform"),
        (wkendall.SuquanSVDClassifier(), "decision_function"),
        (SVC(kernel=kernel), "decision_function"),
    ]
    for model, method in models:
        fitted = clone(model).fit(Rankings(one, **options), Y)
        wanted = getattr(fitted, method)(Rankings(two, **options))
        np.testing.assert_array_equal(getattr(fitted, method)(two), wanted)
        if hasattr(fitted, "rankings_"):
            np.testing.assert_array_equal(
                wkendall.gram_matrix(fitted.rankings_, two, kernel),
                wkendall.gram_matrix(fitted.rankings_, Rankings(two, **options), kernel),
            )
    # An array in `fit`, or a parameter, decides again.
    model = wkendall.KendallGram(kernel).fit(Rankings(one, **options)).fit(RANKS)
    np.testing.assert_array_equal(model.transform(other), wkendall.gram_matrix(other, RANKS, kernel))
    model = wkendall.KendallGram(kernel, input="scores").fit(Rankings(one, **options))
    np.testing.assert_array_equal(model.transform(6 - other), wkendall.gram_matrix(other, RANKS, kernel))


def test_searched_rankings_keep_how_they_were_read():
    other = datasets.make_uniform(4, 5, rng=1)
    model = wkendall.KendallNeighbors(1).fit(Rankings(6 - COMPLETE, top="high"))
    model.add(Rankings(pd.DataFrame(6 - other, index=list("abcd"), columns=ITEMS), top="high"))
    wanted = wkendall.distance_matrix(np.r_[RANKS, other], other)
    np.testing.assert_array_equal(wkendall.distance_matrix(model.rankings_, 6 - other), wanted)
    mask = pd.Series([False] * 12 + [True] * 4, index=[*LABELS, *"abcd"])
    with pytest.raises(RankingError, match=r"^row 0 is labelled 'p00' in the rankings and 'd' in the mask, but"):
        model.remove(mask[::-1])
    assert model.remove(mask).rankings_.labels == LABELS
    np.testing.assert_array_equal(wkendall.distance_matrix(model.rankings_, 6 - other), wanted[:12])


def test_arrays_beside_lists_are_ranks():
    ranks = [[1, 2, np.nan, np.nan], [2, 2, 1, np.nan]]
    for lists in ([[3, 1], [0, 2]], np.array([[3, 1], [0, 2]])):
        found = wkendall.from_lists(lists, items=range(4))
        np.testing.assert_array_equal(
            wkendall.gram_matrix(found, ranks), wkendall.gram_matrix(found, Rankings(ranks, **BOTTOM))
        )


# Names in messages.


def test_errors_name_rows_and_columns():
    frame = holed()
    for values, p in ((frame, "'p05'"), (pl.from_pandas(frame), "5"), (frame.reset_index(drop=True), "5")):
        with pytest.raises(RankingError, match=rf"^X: row {p}, column 'coffee' holds NaN") as caught:
            Rankings(values, ties="mean")
        assert (caught.value.row, caught.value.column, caught.value.kind) == (5, 1, "nan")
    with pytest.raises(RankingError, match=r"^X: row 'p03' holds .* twice, in columns 'tea' and 'milk'"):
        Rankings(frame, missing="bottom")
    text = COMPLETE.astype(object)
    text.iloc[2, 1] = "first"
    with pytest.raises(RankingError, match=r"^X: row 'p02', column 'coffee' holds 'first', a text") as caught:
        Rankings(text)
    assert isinstance(caught.value, TypeError)
    with pytest.raises(RankingError, match=r"^X: row 'p02', column 'coffee' holds 'first', a text"):
        wkendall.KendallGram().fit(text)
    for model in (wkendall.KendallGram(), wkendall.KendallGram(cache_size=1), wkendall.SuquanSVDClassifier()):
        with pytest.raises(RankingError, match=r"^X: row 'p03' holds .* twice, in columns 'tea' and 'milk'"):
            model.fit(frame.dropna(), Y[frame.notna().all(axis=1)])
    with pytest.raises(RankingError, match="column 'coffee' holds NaN"):
        wkendall.kernel(frame.iloc[5], frame.iloc[0], ties="mean")


def test_advice_names_rankings_where_there_are_no_options():
    frame = holed()
    for call in (
        wkendall.consensus,
        wkendall.neighbors,
        wkendall.Kendall(),
        lambda X: wkendall.gram_matrix(X, kernel=wkendall.Kendall()),
        lambda X: wkendall.independence_test(X, Y),
    ):
        with pytest.raises(RankingError, match=r'; Rankings\(X, ties="mean"\) treats equal numbers as ties, with'):
            call(frame)
        with pytest.raises(RankingError, match=r'; Rankings\(X, missing="bottom"\) puts items without a number last'):
            call(frame.iloc[4:])
    for call in (Rankings, wkendall.gram_matrix, wkendall.KendallGram().fit):
        with pytest.raises(RankingError, match=r'; missing="bottom" puts items without a number last'):
            call(frame.iloc[4:])


def test_lazy_frames_are_refused():
    lazy = pl.from_pandas(COMPLETE).lazy()
    with pytest.raises(TypeError, match=r"^data is a LazyFrame, .*: pass data\.collect\(\)$"):
        wkendall.corr(lazy)
    for call in (Rankings, wkendall.gram_matrix, wkendall.KendallGram().fit):
        with pytest.raises(TypeError, match=r"^X is a LazyFrame, .*: pass X\.collect\(\)$"):
            call(lazy)


# Values that belong to rows.


def test_wrong_values_are_named_by_their_labels():
    r = Rankings(COMPLETE)
    numbers = pd.Series(np.arange(12.0), index=LABELS)
    labels = pd.Series(np.where(Y, "north", "south").astype(object), index=LABELS)
    counted = Rankings(COMPLETE, counts=np.arange(1, 13))
    for some in (r, counted):
        with pytest.raises(RankingError, match=r"^y\['p07'\] is nan: every ranking needs a label; .*$") as caught:
            wkendall.independence_test(some, labels.where(labels.index != "p07"))
        assert (caught.value.row, caught.value.kind) == (7, "nan")
        with pytest.raises(RankingError, match=r"^y\['p07'\] is nan: numbers must be finite$") as caught:
            wkendall.independence_test(some, numbers.where(numbers != 7))
        assert (caught.value.row, caught.value.column, caught.value.kind) == (7, 0, "infinite")
        both = pd.DataFrame({"a": numbers, "b": numbers.where(numbers != 7)})
        with pytest.raises(RankingError, match=r"^y\['p07', 1\] is nan: numbers must be finite$"):
            wkendall.independence_test(some, both)
        with pytest.raises(RankingError, match=r"^y\[7\] is nan: every ranking needs a label; .*$"):
            wkendall.independence_test(some, labels.where(labels.index != "p07").to_numpy())
    with pytest.raises(ValueError, match=r"^sample_weight\['p00'\] is -3.0, but must be"):
        wkendall.consensus(r, sample_weight=numbers - 3)
    with pytest.raises(ValueError, match=r"^counts\['p01'\] is 0.5, but must be"):
        Rankings(COMPLETE, counts=numbers / 2)
    with pytest.raises(ValueError, match=r"^y\['p07'\] is nan, but must be the class of a ranking$"):
        wkendall.suquan_svd(r, numbers.where(numbers != 7))


def test_frames_of_one_column_are_taken():
    r, y = Rankings(COMPLETE), pd.Series(np.where(Y, "north", "south"), index=LABELS, name="region")
    wanted = wkendall.independence_test(r, y, rng=0, n_permutations=9)
    for frame in (y.to_frame(), pl.DataFrame({"region": y.tolist()}), y.astype("category").to_frame()):
        assert wkendall.independence_test(r, frame, rng=0, n_permutations=9) == wanted
    codes = pd.Series(Y, index=LABELS).astype("category")  # labels, although they are numbers
    assert wkendall.independence_test(r, codes.to_frame(), rng=0, n_permutations=9) == wanted


def test_transformers_to_pandas_keep_the_labels_of_rankings():
    r = Rankings(COMPLETE)
    for model in (
        wkendall.KendallGram(),
        wkendall.KendallGram(cache_size=1),
        wkendall.KendallFeatures(),
        wkendall.KendallNystroem(random_state=0),
        wkendall.KendallKMeans(2, random_state=0),
    ):
        wanted = clone(model).fit(r).transform(r)
        assert type(wanted) is np.ndarray
        model.set_output(transform="pandas")
        for found in (model.fit(r).transform(r), model.fit_transform(r), model.fit(COMPLETE).transform(COMPLETE)):
            assert list(found.index) == LABELS
            assert list(found.columns) == list(model.get_feature_names_out())
            np.testing.assert_array_equal(found, wanted)
        assert list(model.fit(RANKS).transform(Rankings(RANKS)).index) == list(range(12))
        polars = clone(model).set_output(transform="polars").fit(r).transform(r)
        np.testing.assert_array_equal(polars.to_numpy(), wanted)


def test_frames_with_columns_in_another_order_are_told_about_rankings():
    other = COMPLETE[ITEMS[::-1]]
    model = wkendall.KendallGram().fit(COMPLETE)
    with pytest.raises(
        ValueError, match=r"same order as they were in fit. Or pass a Rankings, whose items are matched by name.$"
    ):
        model.transform(other)
    np.testing.assert_array_equal(model.transform(Rankings(other)), model.transform(COMPLETE))
    with pytest.raises(ValueError, match=r"Feature names unseen at fit time: - Tea Feature names .* missing: - tea$"):
        model.transform(COMPLETE.rename(columns={"tea": "Tea"}))
