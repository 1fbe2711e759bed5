"""What all transformers share: scikit-learn's checks, data frames, and what is refused."""

from functools import partial

import numpy as np
import pytest
from definitions import random_rankings
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from transformed import KINDS, NAN
from wkendall import KendallFeatures, KendallNystroem, WeightedKendall


@parametrize_with_checks([kind(input="scores", ties="mean") for kind in KINDS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# Frames and names.


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


def test_the_function_compares_labels():
    import pandas as pd

    X = pd.DataFrame([[1, 2, 3], [3, 2, 1]], columns=list("abc"))
    np.testing.assert_array_equal(WeightedKendall()(X, X.copy()), [[3, 0], [0, 3]])
    with pytest.raises(ValueError, match="item 0 is labelled 'a' in X and 'b' in Y"):
        WeightedKendall()(X, X[list("bac")])


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
    model = KendallFeatures(**parameters).fit([[1, 2, 3]])
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


# Errors.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("X", "parameters", "error", "message"),
    [
        ([[1, 2, 2]], {}, ValueError, 'X: row 0 .*ties="mean" treats equal numbers as ties'),
        ([[1, 2, NAN]], {}, ValueError, 'X: row 0, column 2 holds NaN.*missing="bottom"'),
        ([[1, 2, 4]], {}, ValueError, "X: row 0"),
        ([[1, 2, 3]], {"weight": "topp"}, ValueError, "weight is 'topp', but must be one of"),
        ([[1, 2, 3]], {"weight": "top"}, ValueError, 'weight="top" needs k'),
        ([[1, 2, 3]], {"weight": "mult", "u": [1, 2]}, ValueError, "u has 2|2 position weights|u"),
        ([[1, 2, 3]], {"input": "rank"}, ValueError, "input is 'rank'"),
        ([[1, 2, 3]], {"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ([[1, 2, 3]], {"signed": 1}, TypeError, "signed must be True or False"),
        ([[1, 2, 3]], {"dtype": int}, ValueError, "dtype is .*, but must be float64 or float32"),
    ],
)
def test_bad_input_is_refused(kind, X, parameters, error, message):
    with pytest.raises(error, match=message):
        kind(**parameters).fit_transform(X)


@pytest.mark.parametrize("kind", [WeightedKendall, KendallNystroem])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weight": "mallows"}, 'weight="mallows" needs lam'),
        (
            {"weight": "mallows", "lam": 1.0, "order": 3},
            'weight="mallows" does not use U, W, .* or an order other than 2',
        ),
        ({"weight": "mallows", "lam": 1.0, "U": np.eye(3)}, 'weight="mallows" does not use U'),
        ({"weight": "mallows", "lam": 1.0, "signed": True}, 'weight="mallows" does not use .* signed=True'),
        ({"weight": "mallows", "lam": -1.0}, "lam"),
        ({"weight": "mult", "U": np.eye(3)}, "both U and weight='mult' are given"),
        ({"U": np.eye(3), "W": np.ones((3, 3, 3, 3))}, "both U and W are given"),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        kind(**parameters).fit([[1, 2, 3], [2, 1, 3]])


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_components": 0}, ValueError, "n_components is 0, but must be at least 1"),
        ({"n_components": 2.5}, TypeError, "n_components must be an integer"),
        ({"landmarks": "random"}, ValueError, "landmarks is 'random', but must be one of 'uniform', 'kmeans"),
    ],
)
def test_bad_landmarks_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        KendallNystroem(**parameters).fit([[1, 2, 3]])


def test_items_of_unknown_place_have_no_features():
    with pytest.raises(ValueError, match='missing="anywhere" has no features'):
        KendallFeatures(missing="anywhere").fit([[1, 2, NAN]])


@pytest.mark.parametrize("kind", KINDS)
def test_other_rankings_than_fitted_are_refused(kind):
    with pytest.raises(NotFittedError):
        kind().transform([[1, 2, 3]])
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 3 features"):
        kind().fit([[1, 2, 3]]).transform([[1, 2, 3, 4]])
