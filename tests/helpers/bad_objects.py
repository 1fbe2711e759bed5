"""Bad input for objects, files, tables and pictures; rows as in `bad_kernels`."""

import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import wkendall
from bad_kernels import masked
from definitions import random_rankings
from labelled import CLASSIFIERS, REGRESSORS
from scipy import sparse
from sklearn.exceptions import NotFittedError
from wkendall import Kendall, TensorKernel, datasets, plotting
from wkendall import dask as wkendall_dask
from wkendall.gaussian_process import MallowsKernel

mpl.use("Agg")
X = random_rankings(np.random.default_rng(0), 6, 5)
Y = [0, 1, 0, 1, 0, 1]
HUGE, ENDLESS = 2**64, 10**5000
LEARNERS = (CLASSIFIERS[1], REGRESSORS[1], CLASSIFIERS[0], REGRESSORS[0])
KERNEL_OBJECTS = (wkendall.KendallGram, wkendall.KendallNystroem, wkendall.KendallKMeans, wkendall.KendallNeighbors)
ESTIMATORS = (*LEARNERS, *KERNEL_OBJECTS, wkendall.KendallFeatures)
COUNTS = ",".join(datasets.COUNTS)


def fit(kind, values=X, labels=Y, sample_weight=None, **options):
    if kind is wkendall.KendallKMeans:
        options = {"n_clusters": 2} | options
    extra = {} if sample_weight is None else {"sample_weight": sample_weight}
    return lambda: kind(**options).fit(values, labels, **extra)


def with_kernel(name, kernel, error, message):
    """Each object with a kernel, which `KendallNeighbors` calls a measure."""
    names = {wkendall.KendallNeighbors: "measure"}
    return [
        (f"{name}, {kind.__name__}", fit(kind, **{names.get(kind, "kernel"): kernel}), error, message)
        for kind in KERNEL_OBJECTS
    ]


def each(kinds, name, error, message, **what):
    return [(f"{name}, {kind.__name__}", fit(kind, **what), error, message) for kind in kinds]


def of_file(read, text, name="votes.csv"):
    def call():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_text(text)
            return read(path)

    return call


def fitted(kind=wkendall.KendallFeatures, **options):
    return kind(**options).fit(X, Y)


ROWS = [[1, 2, 3, 4, 5], [1, 2, 3]]
NINE = np.ones((9, 9))

OBJECTS = [
    *each(ESTIMATORS, "X nothing", TypeError, "X", values=None),
    *each(ESTIMATORS, "X 1-d", ValueError, ("X", None, None, "axes"), values=X[0]),
    *each(ESTIMATORS, "X ragged", ValueError, ("X", 1, None, "ragged"), values=ROWS, labels=[0, 1]),
    *each(ESTIMATORS, "X masked", ValueError, ("X", 2, 3, "masked"), values=masked(X, (2, 3))),
    *each(ESTIMATORS, "X masked in a list", ValueError, ("X", 1, 0, "masked"), values=[X[0], masked(X[1], 0), *X[2:]]),
    *each(ESTIMATORS, "X no ranking", ValueError, ("X", 1, 1, "duplicate"), values=[X[0], [1, 1, 2, 3, 4], *X[2:]]),
    *each(ESTIMATORS, "X of words", TypeError, ("X", 0, 0, "text"), values=[["a"] * 5] * 6),
    *each(ESTIMATORS, "X with a word", TypeError, ("X", 5, 4, "text"),
          values=np.array([*X[:5].tolist(), [1, 2, 3, 4, "a"]], dtype=object)),
    *each(ESTIMATORS, "X complex", ValueError, "Complex", values=X + 0j),
    *each(ESTIMATORS, "X empty", ValueError, "Found", values=np.empty((0, 5)), labels=[]),
    *each(ESTIMATORS, "n_jobs zero", ValueError, "n_jobs", n_jobs=0),
    *each(ESTIMATORS, "n_jobs a word", TypeError, "n_jobs", n_jobs="all"),
    *each(ESTIMATORS, "input unknown", ValueError, "input", input="rank"),
    *each(ESTIMATORS, "ties unknown", ValueError, "ties", ties="max"),
    *each(ESTIMATORS, "missing an array", TypeError, "missing", missing=NINE),
    *each(LEARNERS, "y short", ValueError, "y", labels=[0, 1]),
    *each(LEARNERS, "y ragged", ValueError, "y", labels=[0, [1]]),
    *each(LEARNERS, "y masked", ValueError, ("y", None, None, "masked"), labels=masked(Y, 4)),
    *each(LEARNERS, "y NaN", ValueError, "Input", labels=[0, 1, 0, 1, 0, np.nan]),
    *each(LEARNERS, "order zero", ValueError, "order", order=0),
    *each(LEARNERS, "order huge", ValueError, "order", order=HUGE),
    *each(LEARNERS, "order beyond arrays", ValueError, "order", order=100),
    *each(LEARNERS, "C zero", ValueError, "C", C=0),
    *each(LEARNERS, "C endless", ValueError, "C", C=ENDLESS),
    *each(LEARNERS, "C an array", ValueError, "C", C=NINE),
    *each(LEARNERS[:2], "tol NaN", ValueError, "tol", tol=np.nan),
    *each(LEARNERS, "anywhere", ValueError, "missing", missing="anywhere"),
    *each(LEARNERS, "weights of samples short", ValueError, "sample_weight", sample_weight=[1, 2]),
    *each(LEARNERS, "weights of samples negative", ValueError, "sample_weight", sample_weight=[1, -1, 1, 1, 1, 1]),
    *each(LEARNERS, "weights of samples NaN", ValueError, "sample_weight", sample_weight=[np.nan, 1, 1, 1, 1, 1]),
    *each(LEARNERS, "weights of samples ragged", TypeError, "sample_weight", sample_weight=[1, [2]]),
    *each(LEARNERS, "weights of samples endless", TypeError, "sample_weight", sample_weight=ENDLESS),
    *each(LEARNERS[:2], "max_iter zero", ValueError, "max_iter", max_iter=0),
    *each(LEARNERS[:2], "init unknown", ValueError, "init", init="random"),
    *each(LEARNERS[:2], "init of zeros", ValueError, "init", init=np.zeros((5, 5))),
    *each(LEARNERS[:2], "init of the wrong shape", ValueError, "init", init=np.ones((4, 4))),
    *each(LEARNERS[2:], "n_components zero", ValueError, "n_components", n_components=0),
    *each(LEARNERS[2:], "n_components huge", ValueError, "n_components", n_components=HUGE),
    *each(LEARNERS[2:], "pure a number", TypeError, "pure", pure=1),
    *each(CLASSIFIERS, "one class", ValueError, "y", labels=[1] * 6),
    *each(CLASSIFIERS, "class_weight an array", ValueError, "class_weight", class_weight=NINE),
    *each(CLASSIFIERS, "class_weight unknown", ValueError, "class_weight", class_weight="equal"),
    *with_kernel("weight unknown", Kendall("kendall"), ValueError, "weight"),
    *with_kernel("u missing", Kendall("mult"), ValueError, "u"),
    *with_kernel("lam negative", wkendall.Mallows(-1.0), ValueError, "lam"),
    *with_kernel("order huge", Kendall(order=HUGE), ValueError, "order"),
    *with_kernel("U in lists in a tuple", TensorKernel(([[1.0] * 5],) * 2), TypeError, "U"),
    *with_kernel("a word", "mult", TypeError, "kernel|measure"),
    *with_kernel("a class", Kendall, TypeError, "kernel|measure"),
    *each(KERNEL_OBJECTS[:3], "a distance", ValueError, ("kernel", None, None, "no kernel"),
          kernel=wkendall.KendallDistance()),
    *each(KERNEL_OBJECTS[:1], "cache of nothing", ValueError, "cache_size", cache_size=0),
    *each(KERNEL_OBJECTS[:1], "cache a word", TypeError, "cache_size", cache_size="1 GB"),
    *each(KERNEL_OBJECTS[:1], "cache endless", ValueError, "cache_size", cache_size=float("inf")),
    *each(KERNEL_OBJECTS[:1], "cache huge", ValueError, "cache_size", cache_size=ENDLESS),
    *each(KERNEL_OBJECTS[:2], "dtype of integers", ValueError, "dtype", dtype=int),
    *each(KERNEL_OBJECTS[1:3], "random_state a word", ValueError, "random_state", random_state="zero"),
    *each(KERNEL_OBJECTS[2:3], "random_state negative", ValueError, "random_state", random_state=-1),
    ("neighbours none", fit(wkendall.KendallNeighbors, n_neighbors=0), ValueError, "n_neighbors"),
    ("neighbours of an unknown mode", fit(wkendall.KendallNeighbors, mode="graph"), ValueError, "mode"),
    ("neighbours in a bad radius", fit(wkendall.KendallNeighbors, radius="1"), TypeError, "radius"),
    ("neighbours too many", lambda: fitted(wkendall.KendallNeighbors).kneighbors(n_neighbors=6), ValueError, "n_neighbors"),
    ("neighbours too many in a graph", lambda: fitted(wkendall.KendallNeighbors, n_neighbors=6).transform(X),
     ValueError, "n_neighbors"),
    ("neighbours of a single ranking", lambda: wkendall.KendallNeighbors(1).fit_transform(X[:1]), ValueError, "n_neighbors"),
    ("neighbours in no radius", lambda: fitted(wkendall.KendallNeighbors).radius_neighbors(X), ValueError, "radius"),
    ("neighbours in a negative radius", lambda: fitted(wkendall.KendallNeighbors).radius_neighbors(X, -1),
     ValueError, "radius"),
    ("neighbours without a flag", lambda: fitted(wkendall.KendallNeighbors).kneighbors(X, 2, 1), TypeError, "return_distance"),
    ("neighbours before fit", lambda: wkendall.KendallNeighbors().kneighbors(X), NotFittedError, "This"),
    ("clusters huge", fit(wkendall.KendallKMeans, n_clusters=HUGE), ValueError, "n_clusters"),
    ("clusters from ragged ones", fit(wkendall.KendallKMeans, n_clusters=2, init=ROWS),
     ValueError, ("init", 1, None, "ragged")),
    ("clusters from masked ones", fit(wkendall.KendallKMeans, n_clusters=2, init=masked(X[:2], (1, 1))),
     ValueError, ("init", 1, 1, "masked")),
    ("features anywhere", fit(wkendall.KendallFeatures, kernel=wkendall.Kendall() + wkendall.Kendall(), missing="anywhere"),
     ValueError, "missing"),
    ("transform of no ranking", lambda: fitted().transform([[1, 1, 2, 3, 4]]), ValueError, ("X", 0, 1, "duplicate")),
    ("transform of a masked row", lambda: fitted().transform([masked(X[0], 2)]), ValueError, ("X", 0, 2, "masked")),
    ("predict of ragged rows", lambda: fitted(wkendall.SuquanSVDClassifier).predict(ROWS),
     ValueError, ("X", 1, None, "ragged")),
    ("chunks of huge size", lambda: fitted().chunks(X, HUGE), ValueError, "size"),
    ("names no array", lambda: fitted().get_feature_names_out(3), ValueError, "input_features"),
    ("names too few", lambda: fitted().get_feature_names_out(["a"]), ValueError, "input_features"),
    ("calling with ragged rows", lambda: Kendall()(ROWS, X), ValueError, ("X", 1, None, "ragged")),
    ("labels ragged", lambda: wkendall.suquan_svd(X, [0, [1]]), ValueError, "y"),
    ("labels masked", lambda: wkendall.suquan_svd(X, masked(Y, 3)), ValueError, ("y", None, None, "masked")),
    ("weights of huge order", lambda: wkendall.suquan_svd(X, Y, order=HUGE), ValueError, "order"),
    ("weights of order 70", lambda: wkendall.suquan_svd(X, Y, order=70), ValueError, "order"),
    ("GP bounds reversed", lambda: MallowsKernel(1.0, (2, 1))(X), ValueError, "lam_bounds"),
    ("dask X masked", lambda: wkendall_dask.gram_matrix(masked(X, (1, 2))), ValueError, ("X", 1, 2, "masked")),
    ("dask n_jobs zero", lambda: wkendall_dask.features(X, n_jobs=0), ValueError, "n_jobs"),
    ("dask radius negative", lambda: wkendall_dask.neighbors_within(X, radius=-1), ValueError, "radius"),
    ("dask neighbours of other items", lambda: wkendall_dask.neighbors(X, [[1, 2]]),
     ValueError, ("Y", None, None, "items differ")),
    ("rankings huge", lambda: datasets.make_uniform(HUGE, 3), ValueError, "m"),
    ("centre large", lambda: datasets.make_mallows(1, 2**60, 1.0), ValueError, "the"),
    ("strengths masked", lambda: datasets.make_plackett_luce(1, masked([1, 2], 1)),
     ValueError, ("strengths", None, None, "masked")),
    ("people of a float", lambda: datasets.make_survey(10.0), TypeError, "m"),
    ("people many", lambda: datasets.make_survey(2**60), ValueError, "the"),
    ("no path", lambda: datasets.load_eurobarometer(3), TypeError, "path"),
    ("layout unknown", of_file(lambda path: wkendall.read_csv(path, layout="wide"), "a,b\n1,2\n"), ValueError, "layout"),
    ("layout a number", of_file(lambda path: wkendall.read_csv(path, layout=1), "a,b\n1,2\n"), TypeError, "layout"),
    ("item without long", of_file(lambda path: wkendall.read_csv(path, item="a"), "a,b\n1,2\n"), ValueError, "item"),
    ("items twice", of_file(lambda path: wkendall.read_csv(path, layout="choices", items=["a", "a"]), "x,y\na,\n"),
     ValueError, ("items", None, 1, "duplicate")),
    ("lists in a frame", lambda: wkendall.from_lists(pd.DataFrame({"ranked": [["a", "b"], ["b"]]})), TypeError, "list"),
    ("encoder of lists in a frame", lambda: wkendall.ListEncoder().fit(pd.DataFrame({"ranked": [["a", "b"], ["b"]]})),
     TypeError, "list"),
    ("encoder of a word", lambda: wkendall.ListEncoder().fit("ab"), TypeError, "lists"),
    ("encoder of a repeat", lambda: wkendall.ListEncoder().fit([["a"], ["b", "b"]]), ValueError, ("lists", 1, 1, "duplicate")),
    ("encoder of names twice", lambda: wkendall.ListEncoder().fit(["a", "b", "a"]),
     ValueError, ("items", None, 2, "duplicate")),
    ("encoder of other items", lambda: wkendall.ListEncoder(items=["a"]).fit([["b"]]),
     ValueError, ("lists", 0, 0, "out of range")),
    ("encoder of names beside items", lambda: wkendall.ListEncoder(items=["a"]).fit(["a"]), ValueError, "items"),
    ("encoder of names, transformed", lambda: wkendall.ListEncoder().fit_transform(["a"]), TypeError, "X"),
    ("encoder unknown", lambda: wkendall.ListEncoder(unknown="new").fit([["a"]]), ValueError, "unknown"),
    ("encoder sparse a number", lambda: wkendall.ListEncoder(sparse=1).fit([["a"]]), TypeError, "sparse"),
    ("encoder not fitted", lambda: wkendall.ListEncoder().transform([["a"]]), NotFittedError, "This"),
    ("PrefLib empty", of_file(wkendall.read_preflib, "", "x.soc"), ValueError, ("x", 0)),
    ("TREC empty", of_file(wkendall.read_trec, "", "x.run"), ValueError, ("x", 0)),
    ("TREC by", lambda: wkendall.read_trec("x", by="tag"), ValueError, "by"),
    ("TREC depth", lambda: wkendall.read_trec("x", depth=0), ValueError, "depth"),
    ("corr nothing", lambda: wkendall.corr(None), TypeError, "data"),
    ("corr of axes", lambda: wkendall.corr(np.ones((2, 2, 2))), ValueError, ("data", None, None, "axes")),
    ("corr ragged", lambda: wkendall.corr(ROWS), ValueError, ("data", 1, None, "ragged")),
    ("corr sparse", lambda: wkendall.corr(sparse.csr_array([[1.0, np.nan]])), ValueError, ("data", 0, 1, "sparse")),
    ("corr other rows", lambda: wkendall.corr(X, X[:3]), ValueError, ("other", None, None, "rows differ")),
    ("corr min_periods", lambda: wkendall.corr(X, min_periods=-1), ValueError, "min_periods"),
    ("corr min_periods real", lambda: wkendall.corr(X, min_periods=1.5), TypeError, "min_periods"),
    ("corr min_periods huge", lambda: wkendall.corr(X, min_periods=HUGE), ValueError, "min_periods"),
    ("corr pvalues", lambda: wkendall.corr(X, pvalues="yes"), TypeError, "pvalues"),
    ("corr alternative", lambda: wkendall.corr(X, alternative="more"), ValueError, "alternative"),
    ("corr n_jobs", lambda: wkendall.corr(X, n_jobs=0), ValueError, "n_jobs"),
    ("corr progress", lambda: wkendall.corr(X, progress=3), TypeError, "progress"),
    ("picture of a matrix of words", lambda: plotting.plot_matrix([["a"]]), TypeError, "matrix"),
    ("picture of one row", lambda: plotting.plot_matrix([1.0]), ValueError, ("matrix", None, None, "axes")),
    ("picture with few labels", lambda: plotting.plot_matrix(np.eye(3), labels=["a"]), ValueError, "labels"),
    ("picture in what order", lambda: plotting.plot_matrix(np.eye(3), cluster=2), TypeError, "cluster"),
    ("picture of words", lambda: plotting.plot_weights([["a"]]), TypeError, "U"),
    ("picture on nothing", lambda: plotting.plot_weights(np.eye(2), ax=3), TypeError, "ax"),
    ("picture with an array", lambda: plotting.plot_weights(np.eye(2), values=NINE), TypeError, "values"),
    ("picture of scores on nothing", lambda: plotting.plot_position_scores(np.eye(2), ax="x"), TypeError, "ax"),
    ("picture of no fit", lambda: plotting.plot_objective(NINE), ValueError, "estimator"),
    ("picture of no ranks", lambda: plotting.plot_reduction_factors(0), ValueError, "n"),
    ("picture of many ranks", lambda: plotting.plot_reduction_factors(2**60), ValueError, "the"),
    ("picture of no dict", lambda: plotting.plot_accuracies([1, 2]), TypeError, "accuracies"),
    ("picture of nothing", lambda: plotting.plot_accuracies({}), ValueError, "accuracies"),
    ("picture of a number", lambda: plotting.plot_accuracies({"a": 1.0}), ValueError, ("accuracies", None, None, "axes")),
    ("picture of an array", lambda: plotting.plot_accuracies({"a": [1.0]}, NINE), TypeError, "published"),
    ("picture of pairs", lambda: plotting.plot_differences({"a": (1, 2)}), ValueError, "intervals"),
    ("file of a matrix with no name", lambda: wkendall.gram_to_file(3, X), TypeError, "path"),
]  # fmt: skip
