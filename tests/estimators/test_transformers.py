"""What all transformers share: scikit-learn's checks, data frames, and what is refused."""

from functools import partial

import numpy as np
import pytest
from definitions import random_rankings
from labelled import KINDS, NAN, made, two_classes
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import (
    Kendall,
    KendallFeatures,
    KendallGram,
    KendallKMeans,
    KendallNeighbors,
    KendallNystroem,
    Rankings,
)


@parametrize_with_checks([kind(input="scores", ties="mean") for kind in KINDS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", KINDS)
def test_frames(kind):
    import pandas as pd

    X = pd.DataFrame(random_rankings(np.random.default_rng(9), 12, 4), columns=list("abcd"))
    kind = partial(kind, random_state=0) if kind is KendallNystroem else kind
    model = kind().set_output(transform="pandas")
    out = model.fit_transform(X)
    assert out.columns.tolist() == model.get_feature_names_out().tolist()
    np.testing.assert_array_equal(out.to_numpy(), kind().fit_transform(X.to_numpy()))
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(X[list("bacd")])
    first = {"KendallFeatures": "a before b"}
    name = type(model).__name__
    assert out.columns[0] == first.get(name, f"{name.lower()}0")


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ({"signed": True}, ["a before b", "a before c", "b before c"]),
        ({}, ["a before b", "a before c", "b before c", "constant"]),
        ({"weight": "top", "k": 2, "signed": True}, ["a before b", "a before c", "b before c"]),
        (
            {"weight": "mult", "u": "log"},
            ["a before b", "a before c", "b before c", "b before a", "c before a", "c before b"],
        ),
        (
            {"weight": "average", "signed": True},
            [f"{pair}, top {k}" for k in (2, 3) for pair in ("a before b", "a before c", "b before c")],
        ),
    ],
)
def test_names_of_features(parameters, names):
    model = made(KendallFeatures, parameters).fit([[1, 2, 3]])
    assert model.get_feature_names_out(list("abc")).tolist() == names
    # Each ranking has what its names say.
    items = {"a": 0, "b": 1, "c": 2}
    for ranks in ([1, 2, 3], [3, 1, 2], [2, 3, 1]):
        for name, value in zip(names, model.transform([ranks])[0], strict=True):
            if name == "constant":
                continue
            pair, _, top = name.partition(", top ")
            first, second = (ranks[items[item]] for item in pair.split(" before "))
            deepest = int(top) if top else parameters.get("k", 3)
            sign = 1 if first < second else -1 if parameters.get("signed") or not parameters.get("weight") else 0
            assert np.sign(value) == (sign if max(first, second) <= deepest else 0)


ITEMS = ["tea", "milk", "beer", "wine"]


def frozen(kind):
    return partial(kind, random_state=0) if kind is KendallNystroem else kind


@pytest.mark.parametrize("kind", KINDS)
def test_rankings_give_what_their_array_gives(kind):
    rng = np.random.default_rng(10)
    X = random_rankings(rng, 20, 4)
    ties = rng.integers(1, 4, (20, 4)).astype(float)
    ties[rng.random(ties.shape) < 0.2] = NAN
    for array, how in (
        (X, {}),
        (X, {"input": "orders"}),
        (X, {"top": "high"}),
        (ties, {"ties": "mean", "missing": "bottom"}),
    ):
        expected = frozen(kind)(**how).fit(array)
        # The estimator's own options are for arrays.
        model = frozen(kind)(input="scores").fit(Rankings(array, **how))
        np.testing.assert_array_equal(model.transform(Rankings(array[::-1], **how)), expected.transform(array[::-1]))
        assert model.n_features_in_ == 4
        assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("items", [ITEMS, [30, 10, 20, 40]], ids=["names", "codes"])
def test_rankings_are_matched_by_the_names_of_items(kind, items):
    X = random_rankings(np.random.default_rng(11), 15, 4)
    columns = [2, 0, 3, 1]
    model = frozen(kind)().fit(Rankings(X, items=items))
    expected = model.transform(Rankings(X, items=items))
    found = model.transform(Rankings(X[:, columns], items=[items[column] for column in columns]))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(model.transform(Rankings(X)), expected)  # without names: by position
    with pytest.raises(ValueError, match=f"the data of fit has the item {items[1]!r}, but X does not"):
        model.transform(Rankings(X, items=[items[0], "other", *items[2:]]))
    with pytest.raises(ValueError, match="the data of fit has 4 items, but X has 3"):
        model.transform(Rankings([[1, 2, 3]]))
    again = clone(model).fit(Rankings(X))
    np.testing.assert_array_equal(again.transform(Rankings(X, items=items)), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_frames_and_rankings_of_them_go_together(kind):
    import pandas as pd

    X = pd.DataFrame(random_rankings(np.random.default_rng(12), 15, 4), columns=ITEMS)
    other = X[ITEMS[::-1]]
    for fitted in (X, Rankings(X)):
        model = frozen(kind)().fit(fitted)
        assert model.feature_names_in_.tolist() == ITEMS
        expected = model.transform(X)
        np.testing.assert_array_equal(model.transform(Rankings(X)), expected)
        np.testing.assert_array_equal(model.transform(Rankings(other)), expected)
        with pytest.raises(ValueError, match="feature names should match"):
            model.transform(other)
    model.fit(Rankings(X.to_numpy()))
    assert not hasattr(model, "feature_names_in_")


def test_features_have_the_names_of_items():
    X = [[1, 2, 3], [3, 2, 1]]
    names = ["tea before milk", "tea before beer", "milk before beer"]
    model = KendallFeatures(Kendall(signed=True)).fit(Rankings(X, items=ITEMS[:3]))
    assert model.get_feature_names_out().tolist() == names
    model.fit(Rankings(X, items=[3, 1, 2]))
    assert model.get_feature_names_out().tolist() == ["3 before 1", "3 before 2", "1 before 2"]
    # The columns of orders are places, not items.
    import pandas as pd

    model.set_params(input="orders").fit(pd.DataFrame(X, columns=["first", "second", "third"]))
    assert model.get_feature_names_out().tolist() == ["x0 before x1", "x0 before x2", "x1 before x2"]


@pytest.mark.parametrize("kind", KINDS)
def test_too_few_rankings_or_items_are_refused(kind):
    with pytest.raises(ValueError, match=rf"X has 0 rankings, but {kind.__name__} needs at least 1"):
        kind().fit(Rankings(np.zeros((0, 3))))
    with pytest.raises(ValueError, match=r"X has 0 items, but .* needs at least 1"):
        kind().fit(Rankings(np.zeros((3, 0))))
    with pytest.raises(ValueError, match=r"X has 0 rankings"):
        kind().fit(Rankings([[1, 2, 3]])).transform(Rankings([[1, 2, 3]])[:0])


MODELS = {
    "gram": make_pipeline(KendallGram(Kendall()), SVC(kernel="precomputed")),
    "cached": make_pipeline(KendallGram(Kendall(), cache_size=10), SVC(kernel="precomputed")),
    "features": make_pipeline(KendallFeatures(Kendall()), LinearSVC()),
    "nystroem": make_pipeline(KendallNystroem(Kendall(), n_components=9, random_state=0), LinearSVC()),
    "neighbors": make_pipeline(KendallNeighbors(5, Kendall()), KNeighborsClassifier(5, metric="precomputed")),
    "clusters": make_pipeline(KendallKMeans(3, Kendall(), random_state=0)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("how", [{}, {"ties": "mean", "missing": "bottom"}], ids=["complete", "incomplete"])
def test_searches_with_rankings_give_the_scores_of_arrays(name, how):
    X, y = two_classes(np.random.default_rng(13))
    if how:
        X = np.where(X > 3, NAN, np.ceil(X / 2))
    votes = Rankings(X, items="abcde", **how)
    first = MODELS[name].steps[0][0]
    plain = clone(MODELS[name]).set_params(**{f"{first}__{option}": value for option, value in how.items()})
    part = "measure" if name == "neighbors" else "kernel"
    grid = {f"{first}__{part}__weight": ["standard", "top", "mult"]}
    grid |= {f"{first}__{part}__k": [3], f"{first}__{part}__u": ["log"], f"{first}__{part}__normalize": [True, False]}
    np.testing.assert_array_equal(cross_val_score(MODELS[name], votes, y), cross_val_score(plain, X, y))
    searches = [(plain, X), (MODELS[name], votes)]
    by_array, by_votes = (GridSearchCV(model, grid, cv=3, error_score="raise").fit(data, y) for model, data in searches)
    np.testing.assert_array_equal(by_votes.cv_results_["mean_test_score"], by_array.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(by_votes.predict(votes), by_array.predict(X))
