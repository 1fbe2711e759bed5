"""The Gram matrix as a transformer for scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest
import wkendall
from definitions import random_rankings
from labelled import NAN, made, two_classes
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from wkendall import Kendall, KendallFeatures, KendallGram, Rankings

PARAMETERS = [
    {"weight": "top", "k": 3, "normalize": True},
    {"order": 3},
    {"U": np.arange(16.0).reshape(4, 4)},
    {"U": np.arange(4.0), "order": 1, "normalize": True},
    {"W": np.ones((4, 4, 4, 4)), "check": False},
    {"weight": "average", "signed": True, "top": "high"},
    {"weight": "mult", "u": [3.0, 2.0, 1.0, 0.5], "dtype": np.float32, "n_jobs": 1},
    {"input": "orders"},
    {"weight": "add", "u": "log", "input": "scores"},
]


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_every_parameter_of_a_gram_matrix(parameters):
    rng = np.random.default_rng(1)
    X, Y = random_rankings(rng, 8, 4), random_rankings(rng, 5, 4)
    model = made(KendallGram, parameters)
    both, one = wkendall.gram_matrix(Y, X, **parameters), wkendall.gram_matrix(X, **parameters)
    np.testing.assert_array_equal(model.fit_transform(X), one)
    np.testing.assert_array_equal(model.transform(Y), both)
    assert model.transform(Y).dtype == both.dtype
    np.testing.assert_array_equal(model.transform(X), one)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(Y), both)
    np.testing.assert_array_equal(clone(model).fit(X).transform(Y), both)


def test_what_a_weight_does_not_use_is_ignored():
    X, y = two_classes(np.random.default_rng(16))
    unused = {"k": 2, "u": "log"}
    uses = {"standard": (), "average": (), "top": ("k",), "add": ("u",), "mult": ("u",)}
    for weight, names in uses.items():
        expected = wkendall.gram_matrix(X, weight=weight, **{name: unused[name] for name in names})
        np.testing.assert_array_equal(KendallGram(Kendall(weight, **unused)).fit_transform(X), expected)
        features = KendallFeatures(Kendall(weight, k=2, u="log")).fit_transform(X)
        np.testing.assert_allclose(features @ features.T, expected, atol=1e-12)
    model = make_pipeline(KendallGram(Kendall(**unused)), SVC(kernel="precomputed"))
    names = {"weight": [*uses], "k": [2, 4], "order": [1, 2, 3]}
    grid = {f"kendallgram__kernel__{name}": values for name, values in names.items()}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 30


def test_a_grid_search_over_the_parameters_of_no_kernel_varies_the_kendall_kernel():
    X, y = two_classes(np.random.default_rng(17))
    model = make_pipeline(KendallGram(), SVC(kernel="precomputed"))
    grid = {"kendallgram__kernel__weight": ["standard", "mult"], "kendallgram__kernel__u": ["log"]}
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, y)
    kernels = {"standard": Kendall(), "mult": Kendall("mult", u="log")}
    for parameters, found in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        kernel = kernels[parameters["kendallgram__kernel__weight"]]
        expected = cross_val_score(SVC(kernel="precomputed"), kernel(X), y, cv=3).mean()
        assert found == pytest.approx(expected)
    assert model[0].kernel is None
    with pytest.raises(ValueError, match="Kendall has no parameter 'lam'"):
        KendallGram().set_params(kernel__lam=1.0)


@pytest.mark.parametrize("cache_size", [None, 1])
def test_fitted_rankings_keep_names_labels_and_counts(cache_size):
    votes = Rankings([[1, 2, NAN], [1, 2, 3], [NAN, NAN, 1]], missing="bottom", items="abc", counts=[2, 1, 5])
    model = KendallGram(missing="bottom", cache_size=cache_size).fit(votes)
    for fitted in (model, pickle.loads(pickle.dumps(model))):
        assert fitted.rankings_ == votes
        assert fitted.rankings_.to_lists() == votes.to_lists()
    frame = pd.DataFrame([[1, 2, NAN], [NAN, NAN, 1]], columns=list("abc"), index=["x", "y"])
    model.fit(frame)
    assert model.rankings_ == Rankings(frame, missing="bottom")
    assert model.rankings_.labels == ["x", "y"]
