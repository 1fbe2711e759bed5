"""Ranked lists in scikit-learn: the same columns for every set of lists."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from definitions import random_rankings
from orders_of_items import NAN, same
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from wkendall import (
    AlternatingClassifier,
    Kendall,
    KendallFeatures,
    KendallGram,
    KendallKMeans,
    KendallNystroem,
    ListEncoder,
    SuquanSVDClassifier,
    SuquanSVDRegressor,
)

LISTS = [["apple", "pear", "plum"], ["plum", "fig"], [], ["fig", {"apple", "plum"}, "pear"]]
NEW = [["fig", "plum"], ["pear"], []]


def ranks(lists, items):
    """The rank of each item in each list: one more than the number of items before it; NaN if it is not there."""
    found = np.full((len(lists), len(items)), NAN)
    for row, groups in enumerate(lists):
        sets = [group if isinstance(group, set) else {group} for group in groups]
        for place, group in enumerate(sets):
            for item in group & {*items}:
                found[row, items.index(item)] = 1 + sum(len(before & {*items}) for before in sets[:place])
    return found


def test_new_lists_have_the_columns_of_fit():
    encoder = ListEncoder()
    assert encoder.fit(LISTS) is encoder
    assert encoder.items_ == ["apple", "pear", "plum", "fig"]
    same(encoder.transform(NEW), [[NAN, NAN, 2, 1], [NAN, 1, NAN, NAN], [NAN] * 4])
    same(encoder.transform(NEW), ranks(NEW, encoder.items_))
    same(encoder.fit_transform(LISTS), ranks(LISTS, encoder.items_))
    same(encoder.fit_transform(iter(LISTS)), ranks(LISTS, encoder.items_))


def test_sparse_arrays_have_the_same_ranks():
    encoder = ListEncoder(sparse=True)
    for found, lists in ((encoder.fit_transform(LISTS), LISTS), (encoder.transform(NEW), NEW)):
        assert issparse(found)
        assert found.shape == (len(lists), 4)
        wanted = ranks(lists, encoder.items_)
        same(found.toarray(), np.nan_to_num(wanted))


def test_unknown_items():
    encoder = ListEncoder().fit(LISTS)
    with pytest.raises(ValueError, match=r"^list 1, place 1 holds 'kiwi', which is not one of the 4 items given"):
        encoder.transform([["plum"], ["fig", "kiwi"]])
    ignoring = ListEncoder(unknown="ignore").fit(LISTS)
    same(ignoring.transform([["kiwi", "plum", {"fig", "lime"}, "pear"]]), [[NAN, 3, 1, 2]])
    with pytest.raises(ValueError, match="holds 'kiwi' twice"):
        ignoring.transform([["kiwi", "kiwi"]])


@pytest.mark.parametrize(
    "names", [["b", "a", "c"], iter(["b", "a", "c"]), np.array(["b", "a", "c"]), pd.Series(["b", "a", "c"])]
)
def test_fit_on_names(names):
    encoder = ListEncoder().fit(names)
    assert encoder.items_ == ["b", "a", "c"]
    same(encoder.transform([["a", "c"]]), [[NAN, 1, 2]])


def test_fit_with_items():
    assert ListEncoder(items=("z", "a")).fit([["a"]]).items_ == ["z", "a"]
    encoder = ListEncoder(unknown="ignore", items=["z", "a"]).fit([["a", "q"]])
    same(encoder.transform([["q", "a", "z"]]), [[2, 1]])


#: Two people's first and second choice, with columns named as in pandas and in polars.
CHOICES = [["a", "b"], ["b", "c"]]
FRAMES = [
    pd.DataFrame(CHOICES, columns=["first", "second"]),
    pl.DataFrame(CHOICES, schema=["first", "second"], orient="row"),
]


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars"])
def test_columns_of_a_data_frame_keep_their_order(frame):
    encoder = ListEncoder().fit(frame)
    assert encoder.feature_names_in_.tolist() == ["first", "second"]
    wanted = [[1, 2, NAN], [NAN, 1, 2]]
    same(encoder.transform(frame), wanted)
    same(encoder.transform(CHOICES), wanted)  # lists have no names
    same(encoder.transform(np.array(CHOICES)), wanted)
    same(encoder.transform(pd.DataFrame(CHOICES)), wanted)  # nor has a frame with the columns 0, 1
    renamed = pd.DataFrame(CHOICES, columns=["first", "other"])
    for other in (frame[["second", "first"]], frame[["first"]], frame[["second"]], renamed):
        with pytest.raises(
            ValueError, match=r"^The feature names should match those that were passed during fit\. .*\S$"
        ):
            encoder.transform(other)


def test_columns_with_numbers_keep_their_order():
    frame = pd.DataFrame(CHOICES, columns=[1, 2])
    for encoder in (ListEncoder().fit(frame), ListEncoder().fit(FRAMES[0]).fit(frame)):
        same(encoder.transform(frame), [[1, 2, NAN], [NAN, 1, 2]])
        with pytest.raises(ValueError, match=r"^column 0 is labelled 1 in the data of fit and 2 in X: both must have"):
            encoder.transform(frame[[2, 1]])
    mixed = pd.DataFrame(CHOICES, columns=["first", 2])
    with pytest.raises(ValueError, match=r"^column 0 is labelled 'first' in the data of fit and 2 in X"):
        ListEncoder().fit(mixed).transform(mixed[[2, "first"]])


def test_an_encoder_forgets_the_columns_of_an_earlier_fit():
    encoder = ListEncoder().fit(FRAMES[0]).fit([["a", "b", "c"]])
    assert not hasattr(encoder, "feature_names_in_")
    same(encoder.transform(FRAMES[0][["second", "first"]]), [[2, 1, NAN], [NAN, 2, 1]])
    assert not hasattr(ListEncoder().fit(["a", "b"]), "feature_names_in_")


def test_names_of_columns():
    encoder = ListEncoder().fit([["apple", "pear"]])
    assert encoder.get_feature_names_out().tolist() == ["apple", "pear"]
    assert ListEncoder().fit([[1, ("a", 2)]]).get_feature_names_out().tolist() == ["1", "('a', 2)"]
    assert ListEncoder().fit([[1, "1"]]).get_feature_names_out().tolist() == ["1", "'1'"]
    frame = ListEncoder().set_output(transform="pandas").fit(LISTS).transform(NEW)
    assert frame.columns.tolist() == ["apple", "pear", "plum", "fig"]


def test_clone_and_pickle():
    encoder = ListEncoder(sparse=True, unknown="ignore", items=["a", "b"])
    copy = clone(encoder)
    assert copy.get_params() == {"sparse": True, "unknown": "ignore", "items": ["a", "b"], "gaps": "error"}
    assert not hasattr(copy, "items_")
    back = pickle.loads(pickle.dumps(encoder.fit([["b"]])))
    assert back.items_ == ["a", "b"]
    assert (back.transform([["b"]]) != encoder.transform([["b"]])).nnz == 0


SIGNED = Kendall(signed=True, normalize=True)


def people(rng, count=60):
    """Two groups of people, of whom each lists the best of six fruits; one group prefers the first two."""
    fruits = ["apple", "pear", "plum", "fig", "lime", "kiwi"]
    y = np.arange(count) % 2
    scores = rng.standard_normal((count, 6)) + 2.0 * np.outer(y, [1, 1, 0, 0, 0, 0])
    return [[fruits[item] for item in np.argsort(-row)[: rng.integers(2, 6)]] for row in scores], y


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "steps",
    [
        lambda: (KendallGram(SIGNED, missing="bottom"), SVC(kernel="precomputed")),
        lambda: (KendallFeatures(SIGNED, missing="bottom"), LinearSVC()),
        lambda: (KendallNystroem(SIGNED, n_components=20, missing="bottom", random_state=0), LinearSVC()),
    ],
    ids=["gram", "features", "nystroem"],
)
def test_first_in_a_pipeline(steps, sparse):
    lists, y = people(np.random.default_rng(0))
    model = make_pipeline(ListEncoder(sparse, "ignore"), *steps()).fit(lists[:40], y[:40])
    found = model.predict(lists[40:])
    # The same with arrays, whose columns are those of all lists.
    X = ranks(lists, model[0].items_)
    X = csr_array(np.nan_to_num(X)) if sparse else X
    assert found.tolist() == make_pipeline(*steps()).fit(X[:40], y[:40]).predict(X[40:]).tolist()
    assert np.mean(found == y[40:]) > 0.65
    # Lists of new people, which name items in another order, give each person the same class as before.
    assert model.predict(lists[40:][::-1]).tolist() == found[::-1].tolist()
    assert cross_val_score(model, lists, y, cv=3).mean() > 0.65
    assert cross_val_score(model, pd.Series(lists), y, cv=3).mean() > 0.65


@pytest.mark.parametrize("labels", [list("abcd"), [30, 10, 20, 40]], ids=["names", "codes"])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    "model",
    [
        KendallGram(),
        KendallFeatures(),
        KendallNystroem(n_components=3, random_state=0),
        KendallKMeans(2, random_state=0),
        SuquanSVDClassifier(),
        SuquanSVDRegressor(),
        AlternatingClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_refuse_other_names_and_orders(model, frame, labels):
    if frame is pl.DataFrame and labels[0] == 30:
        pytest.skip("columns of polars have names")
    X = random_rankings(np.random.default_rng(2), 12, 4)

    def named(names):
        return pd.DataFrame(X, columns=names) if frame is pd.DataFrame else pl.DataFrame(X, schema=names)

    model = clone(model).fit(named(labels), np.arange(12) % 2)
    apply = model.predict if hasattr(model, "predict") else model.transform
    apply(named(labels))
    for other in ([labels[1], labels[0], *labels[2:]], [*labels[:3], "x" if labels[0] == "a" else 50]):
        with pytest.raises(ValueError, match=r"feature names should match|is labelled"):
            apply(named(other))
    # Without names, pandas counts the columns: another order of them is refused, and arrays are taken as they are.
    model = clone(model).fit(pd.DataFrame(X), np.arange(12) % 2)
    apply = model.predict if hasattr(model, "predict") else model.transform
    np.testing.assert_array_equal(apply(pd.DataFrame(X)), apply(X))
    with pytest.raises(ValueError, match=r"item 0 is labelled 0 in the data of fit and 1 in X"):
        apply(pd.DataFrame(X)[[1, 0, 2, 3]])


@pytest.mark.parametrize("make", [iter, lambda items: (item for item in items), lambda items: map(str, items)])
def test_items_that_can_be_read_only_once_are_refused(make):
    """A second fit, as in a cross-validation, would find none."""
    encoder = ListEncoder(items=make(["a", "b"]))
    with pytest.raises(TypeError, match=r"^items is a \w+, which can be read only once, but every fit reads it: pass"):
        encoder.fit([["a"]])
    for items in (["a", "b"], ("a", "b"), {"a": 1, "b": 2}.keys(), np.array(["a", "b"])):
        encoder = ListEncoder(items=items)
        for _ in range(2):
            assert list(encoder.fit([["b"]]).items_) == ["a", "b"]


def test_the_columns_are_made_again_where_they_have_to_be():
    encoder = ListEncoder(sparse=True).fit(LISTS)
    encoder.transform(NEW)
    again = pickle.loads(pickle.dumps(encoder))
    assert not hasattr(again, "_columns")
    same(again.set_params(sparse=False).transform(NEW), ranks(NEW, again.items_))
    encoder.items_ = ["plum", "fig", "pear"]
    same(encoder.set_params(sparse=False, unknown="ignore").transform(NEW), [[2, 1, NAN], [NAN, NAN, 1], [NAN] * 3])
