"""Bad input for objects, files, tables and pictures; rows as in `bad_kernels`."""

import tempfile
from pathlib import Path

import dask.array as da
import matplotlib as mpl
import numpy as np
import pandas as pd
import wkendall
from definitions import random_rankings
from scipy import sparse
from sklearn.exceptions import NotFittedError
from wkendall import Kendall, TensorKernel, datasets, plotting
from wkendall import dask as wkendall_dask
from wkendall.gaussian_process import MallowsKernel, WeightedKendallKernel

mpl.use("Agg")
X = random_rankings(np.random.default_rng(0), 6, 5)
Y = [0, 1, 0, 1, 0, 1]
HUGE, ENDLESS = 2**64, 10**5000
ESTIMATORS = (
    wkendall.AlternatingClassifier,
    wkendall.AlternatingRegressor,
    wkendall.SuquanSVDClassifier,
    wkendall.SuquanSVDRegressor,
    wkendall.KendallGram,
    wkendall.KendallFeatures,
    wkendall.KendallNystroem,
    wkendall.KendallKMeans,
    wkendall.KendallNeighbors,
)
LEARNERS, CLASSIFIERS = ESTIMATORS[:4], (wkendall.AlternatingClassifier, wkendall.SuquanSVDClassifier)
KERNEL_OBJECTS = (wkendall.KendallGram, wkendall.KendallNystroem, wkendall.KendallKMeans, wkendall.KendallNeighbors)
COUNTS = ",".join(datasets.COUNTS)


def masked(values, place):
    found = np.ma.array(values)
    found[place] = np.ma.masked
    return found


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
    ("landmarks unknown", fit(wkendall.KendallNystroem, landmarks="all"), ValueError, "landmarks"),
    ("landmarks none", fit(wkendall.KendallNystroem, n_components=0), ValueError, "n_components"),
    ("clusters none", fit(wkendall.KendallKMeans, n_clusters=0), ValueError, "n_clusters"),
    ("clusters too many", fit(wkendall.KendallKMeans, n_clusters=7), ValueError, "n_clusters"),
    ("clusters huge", fit(wkendall.KendallKMeans, n_clusters=HUGE), ValueError, "n_clusters"),
    ("clusters from ragged ones", fit(wkendall.KendallKMeans, n_clusters=2, init=ROWS),
     ValueError, ("init", 1, None, "ragged")),
    ("clusters from masked ones", fit(wkendall.KendallKMeans, n_clusters=2, init=masked(X[:2], (1, 1))),
     ValueError, ("init", 1, 1, "masked")),
    ("clusters never tried", fit(wkendall.KendallKMeans, n_clusters=2, n_init=0), ValueError, "n_init"),
    ("clusters of no weight", fit(wkendall.KendallKMeans, n_clusters=2, sample_weight=np.zeros(6)),
     ValueError, "sample_weight"),
    ("features anywhere", fit(wkendall.KendallFeatures, missing="anywhere"), ValueError, "missing"),
    ("not fitted", lambda: wkendall.KendallGram().transform(X), NotFittedError, "This"),
    ("transform of other items", lambda: fitted().transform(X[:, :4].argsort()), ValueError, "X"),
    ("transform of no ranking", lambda: fitted().transform([[1, 1, 2, 3, 4]]), ValueError, ("X", 0, 1, "duplicate")),
    ("transform of a masked row", lambda: fitted().transform([masked(X[0], 2)]), ValueError, ("X", 0, 2, "masked")),
    ("predict of ragged rows", lambda: fitted(wkendall.SuquanSVDClassifier).predict(ROWS),
     ValueError, ("X", 1, None, "ragged")),
    ("chunks of no rows", lambda: fitted().chunks(X, 0), ValueError, "size"),
    ("chunks of huge size", lambda: fitted().chunks(X, HUGE), ValueError, "size"),
    ("names no array", lambda: fitted().get_feature_names_out(3), ValueError, "input_features"),
    ("names too few", lambda: fitted().get_feature_names_out(["a"]), ValueError, "input_features"),
    ("calling with ragged rows", lambda: Kendall()(ROWS, X), ValueError, ("X", 1, None, "ragged")),
    ("labels one kind", lambda: wkendall.suquan_svd(X, [1] * 6), ValueError, "y"),
    ("labels short", lambda: wkendall.suquan_svd(X, [0, 1]), ValueError, "y"),
    ("labels ragged", lambda: wkendall.suquan_svd(X, [0, [1]]), ValueError, "y"),
    ("labels masked", lambda: wkendall.suquan_svd(X, masked(Y, 3)), ValueError, ("y", None, None, "masked")),
    ("labels NaN", lambda: wkendall.suquan_svd(X, [0, 1, 0, 1, 0, np.nan]), ValueError, "y"),
    ("labels mixed", lambda: wkendall.suquan_svd(X, [0, 1, 0, 1, None, 1]), ValueError, "y"),
    ("weights of huge order", lambda: wkendall.suquan_svd(X, Y, order=HUGE), ValueError, "order"),
    ("weights of order 70", lambda: wkendall.suquan_svd(X, Y, order=70), ValueError, "order"),
    ("weights of order 30", lambda: wkendall.suquan_svd(X, Y, order=30), ValueError, "the"),
    ("weights pure of few items", lambda: wkendall.suquan_svd([[1, 2], [2, 1]], [0, 1], pure=True), ValueError, "pure"),
    ("weights of no components", lambda: wkendall.suquan_svd(X, Y, n_components=0), ValueError, "n_components"),
    ("GP lam endless", lambda: MallowsKernel(ENDLESS)(X), ValueError, "lam"),
    ("GP lam an array", lambda: MallowsKernel(NINE)(X), TypeError, "lam"),
    ("GP bounds reversed", lambda: MallowsKernel(1.0, (2, 1))(X), ValueError, "lam_bounds"),
    ("GP exponent endless", lambda: WeightedKendallKernel("mult", u="power", a=ENDLESS)(X), ValueError, "a"),
    ("dask X of one axis", lambda: wkendall_dask.gram_matrix(da.ones(5)), ValueError, ("X", None, None, "axes")),
    ("dask X masked", lambda: wkendall_dask.gram_matrix(masked(X, (1, 2))), ValueError, ("X", 1, 2, "masked")),
    ("dask X of words", lambda: wkendall_dask.gram_matrix(da.from_array(np.array([["a"]]))), TypeError, "X"),
    ("dask other items", lambda: wkendall_dask.gram_matrix(X, [[1, 2]]), ValueError, ("Y", None, None, "items differ")),
    ("dask chunks wrong", lambda: wkendall_dask.gram_matrix(X, chunks="many"), ValueError, "chunks"),
    ("dask W uneven", lambda: wkendall_dask.gram_matrix([[1, 2, 3]], kernel=TensorKernel(W=np.arange(81.0).reshape((3,) * 4))),
     ValueError, "W"),
    ("dask by a distance", lambda: wkendall_dask.gram_matrix(X, kernel=wkendall.KendallDistance()),
     ValueError, ("kernel", None, None, "no kernel")),
    ("dask n_jobs zero", lambda: wkendall_dask.features(X, n_jobs=0), ValueError, "n_jobs"),
    ("dask too many neighbours", lambda: wkendall_dask.neighbors(X, n_neighbors=6), ValueError, "n_neighbors"),
    ("dask no neighbours", lambda: wkendall_dask.neighbors(X, n_neighbors=0), ValueError, "n_neighbors"),
    ("dask radius negative", lambda: wkendall_dask.neighbors_within(X, radius=-1), ValueError, "radius"),
    ("dask measure unknown", lambda: wkendall_dask.neighbors(X, measure="cosine"), TypeError, "measure"),
    ("dask neighbours of other items", lambda: wkendall_dask.neighbors(X, [[1, 2]]),
     ValueError, ("Y", None, None, "items differ")),
    ("rankings none", lambda: datasets.make_uniform(-1, 3), ValueError, "m"),
    ("rankings of no items", lambda: datasets.make_uniform(3, 0), ValueError, "n"),
    ("rankings of 1.5 items", lambda: datasets.make_uniform(3, 1.5), TypeError, "n"),
    ("rankings huge", lambda: datasets.make_uniform(HUGE, 3), ValueError, "m"),
    ("rankings large", lambda: datasets.make_uniform(2**60, 3), ValueError, "the"),
    ("seed a word", lambda: datasets.make_uniform(3, 3, rng="x"), TypeError, "rng"),
    ("seed negative", lambda: datasets.make_uniform(3, 3, rng=-1), ValueError, "rng"),
    ("centre large", lambda: datasets.make_mallows(1, 2**60, 1.0), ValueError, "the"),
    ("centre ragged", lambda: datasets.make_mallows(1, [1, [2]], 1.0), ValueError, ("center", 0, None, "ragged")),
    ("centre no ranking", lambda: datasets.make_mallows(1, [1, 1], 1.0), ValueError, ("center", 0, 1, "duplicate")),
    ("centre empty", lambda: datasets.make_mallows(1, [], 1.0), ValueError, "center"),
    ("spread negative", lambda: datasets.make_mallows(1, 3, -1.0), ValueError, "lam"),
    ("strengths zero", lambda: datasets.make_plackett_luce(1, [1, 0]), ValueError, "strengths"),
    ("strengths masked", lambda: datasets.make_plackett_luce(1, masked([1, 2], 1)),
     ValueError, ("strengths", None, None, "masked")),
    ("people of a float", lambda: datasets.make_survey(10.0), TypeError, "m"),
    ("people many", lambda: datasets.make_survey(2**60), ValueError, "the"),
    ("people expanded", of_file(datasets.load_eurobarometer, f"{COUNTS}\n" + "1,2,3,4,5,6,1,2,999999999\n" * 1000),
     ValueError, "the"),
    ("people negative", of_file(datasets.load_eurobarometer, f"{COUNTS}\n1,2,3,4,5,6,1,2,-1\n"), ValueError, ("votes", 1)),
    ("no path", lambda: datasets.load_eurobarometer(3), TypeError, "path"),
    ("lists a word", lambda: wkendall.from_lists("ab"), TypeError, "lists"),
    ("lists a number", lambda: wkendall.from_lists([1]), TypeError, "list"),
    ("lists with a repeat", lambda: wkendall.from_lists([["a", "b", "a"]]), ValueError, ("lists", 0, 2, "duplicate")),
    ("lists with a gap", lambda: wkendall.from_lists([["a", None, "b"]]), ValueError, ("lists", 0, 1, "nan")),
    ("layout unknown", of_file(lambda path: wkendall.read_csv(path, layout="wide"), "a,b\n1,2\n"), ValueError, "layout"),
    ("layout a number", of_file(lambda path: wkendall.read_csv(path, layout=1), "a,b\n1,2\n"), TypeError, "layout"),
    ("id a number", of_file(lambda path: wkendall.read_csv(path, id=0), "a,b\n1,2\n"), TypeError, "id"),
    ("skip numbers", of_file(lambda path: wkendall.read_csv(path, skip=[0]), "a,b\n1,2\n"), TypeError, "skip"),
    ("item without long", of_file(lambda path: wkendall.read_csv(path, item="a"), "a,b\n1,2\n"), ValueError, "item"),
    ("items without a column", of_file(lambda path: wkendall.read_csv(path, items=["c"]), "a,b\n1,2\n"),
     ValueError, ("votes", 0)),
    ("items twice", of_file(lambda path: wkendall.read_csv(path, layout="choices", items=["a", "a"]), "x,y\na,\n"),
     ValueError, ("items", None, 1, "duplicate")),
    ("names twice, or a ranking", of_file(wkendall.read_csv, "1,1\n1,2\n"), ValueError, ("votes", 0)),
    ("skip a number", of_file(lambda path: wkendall.read_csv(path, skip=1), "x,y\n1,2\n"), TypeError, "skip"),
    ("choices with a gap", of_file(lambda path: wkendall.read_csv(path, layout="choices"), "1st,2nd\n,a\n"),
     ValueError, ("votes", 1, 0, "nan")),
    ("lists in a frame", lambda: wkendall.from_lists(pd.DataFrame({"ranked": [["a", "b"], ["b"]]})), TypeError, "list"),
    ("encoder of lists in a frame", lambda: wkendall.ListEncoder().fit(pd.DataFrame({"ranked": [["a", "b"], ["b"]]})),
     TypeError, "list"),
    ("encoder of a word", lambda: wkendall.ListEncoder().fit("ab"), TypeError, "lists"),
    ("encoder of a repeat", lambda: wkendall.ListEncoder().fit([["a"], ["b", "b"]]), ValueError, ("lists", 1, 1, "duplicate")),
    ("encoder of names twice", lambda: wkendall.ListEncoder().fit(["a", "b", "a"]),
     ValueError, ("items", None, 2, "duplicate")),
    ("encoder of a stranger", lambda: wkendall.ListEncoder().fit([["a"]]).transform([["a", "b"]]),
     ValueError, ("lists", 0, 1, "out of range")),
    ("encoder of other items", lambda: wkendall.ListEncoder(items=["a"]).fit([["b"]]),
     ValueError, ("lists", 0, 0, "out of range")),
    ("encoder of names beside items", lambda: wkendall.ListEncoder(items=["a"]).fit(["a"]), ValueError, "items"),
    ("encoder of names, transformed", lambda: wkendall.ListEncoder().fit_transform(["a"]), TypeError, "X"),
    ("encoder unknown", lambda: wkendall.ListEncoder(unknown="new").fit([["a"]]), ValueError, "unknown"),
    ("encoder sparse a number", lambda: wkendall.ListEncoder(sparse=1).fit([["a"]]), TypeError, "sparse"),
    ("encoder not fitted", lambda: wkendall.ListEncoder().transform([["a"]]), NotFittedError, "This"),
    ("encoder of places in another order", lambda: wkendall.ListEncoder().fit(pd.DataFrame([["a", "b"]], columns=["1st", "2nd"]))
     .transform(pd.DataFrame([["b", "a"]], columns=["2nd", "1st"])),
     ValueError, "The"),
    ("columns in another order", lambda: wkendall.SuquanSVDClassifier().fit(pd.DataFrame(X, columns=list("abcde")), Y)
     .predict(pd.DataFrame(X, columns=list("bacde"))), ValueError, "The"),
    ("codes in another order", lambda: wkendall.KendallGram().fit(pd.DataFrame(X, columns=[7, 8, 9, 10, 11]))
     .transform(pd.DataFrame(X, columns=[7, 9, 8, 10, 11])), ValueError, ("X", None, 1, "items differ")),
    ("lists of strangers", lambda: wkendall.from_lists([["a"]], items=["b"]), ValueError, ("lists", 0, 0, "out of range")),
    ("CSV without a path", lambda: wkendall.read_csv(None), TypeError, "path"),
    ("CSV of a wrong delimiter", lambda: wkendall.read_csv("x.csv", delimiter="ab"), ValueError, "delimiter"),
    ("CSV of a wrong header", lambda: wkendall.read_csv("x.csv", header=1), TypeError, "header"),
    ("CSV empty", of_file(wkendall.read_csv, ""), ValueError, ("votes", 0)),
    ("CSV with a word", of_file(wkendall.read_csv, "a,b\n1,x\n"), ValueError, ("votes", 1, 1, "text")),
    ("PrefLib of another kind", lambda: wkendall.read_preflib("x.csv"), ValueError, ("x", 0)),
    ("PrefLib empty", of_file(wkendall.read_preflib, "", "x.soc"), ValueError, ("x", 0)),
    ("corr nothing", lambda: wkendall.corr(None), TypeError, "data"),
    ("corr of axes", lambda: wkendall.corr(np.ones((2, 2, 2))), ValueError, ("data", None, None, "axes")),
    ("corr ragged", lambda: wkendall.corr(ROWS), ValueError, ("data", 1, None, "ragged")),
    ("corr of texts", lambda: wkendall.corr([["a", "b"]]), TypeError, ("data", 0, 0, "not a number")),
    ("corr of dates", lambda: wkendall.corr(pd.DataFrame({"x": [1], "day": pd.to_datetime(["2020-01-01"])})),
     TypeError, ("data", 0, 1, "not a number")),
    ("corr sparse", lambda: wkendall.corr(sparse.eye_array(3).tocsr()), ValueError, ("data", None, None, "sparse")),
    ("corr other rows", lambda: wkendall.corr(X, X[:3]), ValueError, ("other", None, None, "rows differ")),
    ("corr other index", lambda: wkendall.corr(pd.DataFrame(X), pd.DataFrame(X, index=range(2, 8))),
     ValueError, ("other", 0, None, "rows differ")),
    ("corr other of names", lambda: wkendall.corr(X, [["a"]] * 6), TypeError, ("other", 0, 0, "not a number")),
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
    ("picture not square", lambda: plotting.plot_weights(np.ones((2, 3))), ValueError, "U"),
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
    ("frames with other columns", lambda: Kendall()(pd.DataFrame([[1, 2]], columns=["a", "b"]),
                                                   pd.DataFrame([[1, 2]], columns=["b", "c"])),
     ValueError, ("Y", None, 0, "items differ")),
    ("file of a matrix without a folder", lambda: wkendall.gram_to_file("no/such/folder/K.npy", X), FileNotFoundError, "no"),
    ("file of a matrix with no name", lambda: wkendall.gram_to_file(3, X), TypeError, "path"),
]  # fmt: skip
