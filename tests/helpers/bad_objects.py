"""Bad input for objects, files, tables and pictures: what is wrong, how it is called, the exception, what its message must say.

The last is a regular expression.
"""

import tempfile
from pathlib import Path

import dask.array as da
import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
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
    *each(ESTIMATORS, "X nothing", TypeError, r"^X is of type NoneType, but must be a 2-d array", values=None),
    *each(ESTIMATORS, "X 1-d", ValueError, r"^X is 1-dimensional, of shape \(5,\), but must be a 2-d array", values=X[0]),
    *each(ESTIMATORS, "X ragged", ValueError, r"^X: row 1 has 3 items, but row 0 has 5", values=ROWS, labels=[0, 1]),
    *each(ESTIMATORS, "X masked", ValueError, r"^X has masked entries, one at row 2, column 3", values=masked(X, (2, 3))),
    *each(ESTIMATORS, "X masked in a list", ValueError, r"^X .* row 1, column 0", values=[X[0], masked(X[1], 0), *X[2:]]),
    *each(ESTIMATORS, "X no ranking", ValueError, r"^X: row 1 holds 1 twice, in columns 0 and 1",
          values=[X[0], [1, 1, 2, 3, 4], *X[2:]]),
    *each(ESTIMATORS, "X of words", TypeError, r"^X: row 0, column 0 holds 'a', a text, .*; use from_lists",
          values=[["a"] * 5] * 6),
    *each(ESTIMATORS, "X with a word", TypeError, r"^X: row 5, column 4 holds 'a', a text",
          values=np.array([*X[:5].tolist(), [1, 2, 3, 4, "a"]], dtype=object)),
    *each(ESTIMATORS, "X complex", ValueError, r"^Complex data not supported", values=X + 0j),
    *each(ESTIMATORS, "X empty", ValueError, r"^Found array with 0 sample", values=np.empty((0, 5)), labels=[]),
    *each(ESTIMATORS, "n_jobs zero", ValueError, r"^n_jobs is 0, but must be a number of threads from 1", n_jobs=0),
    *each(ESTIMATORS, "n_jobs a word", TypeError, r"^n_jobs must be an integer or None, not 'all'", n_jobs="all"),
    *each(ESTIMATORS, "input unknown", ValueError, r"^input is 'rank', but must be one of", input="rank"),
    *each(ESTIMATORS, "ties unknown", ValueError, r"^ties is 'max', but must be one of", ties="max"),
    *each(ESTIMATORS, "missing an array", TypeError, r"^missing must be one of .* not array\(", missing=NINE),
    *each(LEARNERS, "y short", ValueError, r"^y is of shape \(2,\), but X has 6 rankings: it must have shape \(6,\)",
          labels=[0, 1]),
    *each(LEARNERS, "y ragged", ValueError, r"^y is \[0, \[1\]\], but X has 6 rankings", labels=[0, [1]]),
    *each(LEARNERS, "y masked", ValueError, r"^y has masked entries, one at place 4", labels=masked(Y, 4)),
    *each(LEARNERS, "y NaN", ValueError, r"y contains NaN|Input y contains NaN", labels=[0, 1, 0, 1, 0, np.nan]),
    *each(LEARNERS, "order zero", ValueError, r"^order is 0, but must be at least 1", order=0),
    *each(LEARNERS, "order huge", ValueError, r"^order is 18446744073709551616, but must be at most", order=HUGE),
    *each(LEARNERS, "order beyond arrays", ValueError, r"^order is 100, but must be at most (64|32)", order=100),
    *each(LEARNERS, "C zero", ValueError, r"^C is 0, but must be a finite number above zero", C=0),
    *each(LEARNERS, "C endless", ValueError, r"^C is an integer of 5001 digits, but must be a finite number", C=ENDLESS),
    *each(LEARNERS, "C an array", ValueError, r"^C is array\(.*, but must be a finite number above zero", C=NINE),
    *each(LEARNERS[:2], "tol NaN", ValueError, r"^tol is nan, but must be a finite number above zero", tol=np.nan),
    *each(LEARNERS, "anywhere", ValueError, r'^missing="anywhere" is for the standard weight', missing="anywhere"),
    *each(LEARNERS, "weights of samples short", ValueError, r"^sample_weight has 2 numbers, but X has 6 rankings",
          sample_weight=[1, 2]),
    *each(LEARNERS, "weights of samples negative", ValueError,
          r"^sample_weight\[1\] is -1\.0, but must be a finite number from 0", sample_weight=[1, -1, 1, 1, 1, 1]),
    *each(LEARNERS, "weights of samples NaN", ValueError, r"^sample_weight\[0\] is nan, but must be",
          sample_weight=[np.nan, 1, 1, 1, 1, 1]),
    *each(LEARNERS, "weights of samples ragged", TypeError, r"^sample_weight must be one number, or an array of 6 numbers",
          sample_weight=[1, [2]]),
    *each(LEARNERS, "weights of samples endless", TypeError, r"^sample_weight must be one number, or an array",
          sample_weight=ENDLESS),
    *each(LEARNERS[:2], "max_iter zero", ValueError, r"^max_iter is 0, but must be at least 1", max_iter=0),
    *each(LEARNERS[:2], "init unknown", ValueError, r"^init is 'random', but must be one of", init="random"),
    *each(LEARNERS[:2], "init of zeros", ValueError, r"^init has only zeros", init=np.zeros((5, 5))),
    *each(LEARNERS[:2], "init of the wrong shape", ValueError, r"^init has shape \(4, 4\)", init=np.ones((4, 4))),
    *each(LEARNERS[2:], "n_components zero", ValueError, r"^n_components is 0, but must be at least 1", n_components=0),
    *each(LEARNERS[2:], "n_components huge", ValueError, r"^n_components is 18446744073709551616, but must be at most",
          n_components=HUGE),
    *each(LEARNERS[2:], "pure a number", TypeError, r"^pure must be True or False, not 1", pure=1),
    *each(CLASSIFIERS, "one class", ValueError, r"^y has one class only, 1: a classifier needs at least two", labels=[1] * 6),
    *each(CLASSIFIERS, "class_weight an array", ValueError,
          r'^class_weight is array\(.*, but must be None, "balanced" or a dict', class_weight=NINE),
    *each(CLASSIFIERS, "class_weight unknown", ValueError, r"^class_weight is 'equal', but must be", class_weight="equal"),
    *with_kernel("weight unknown", Kendall("kendall"), ValueError, r"^weight is 'kendall', but must be one of"),
    *with_kernel("u missing", Kendall("mult"), ValueError, r'^weight="mult" needs u'),
    *with_kernel("lam negative", wkendall.Mallows(-1.0), ValueError, r"^lam is -1"),
    *with_kernel("order huge", Kendall(order=HUGE), ValueError, r"^order is 18446744073709551616, but must be at most"),
    *with_kernel("U in lists in a tuple", TensorKernel(([[1.0] * 5],) * 2), TypeError, r"^U\[0\] is a list"),
    *with_kernel("a word", "mult", TypeError, r"^(kernel|measure) must be a measure, such as .*, or None, not 'mult'$"),
    *with_kernel("a class", Kendall, TypeError, r"^(kernel|measure) is the class Kendall: pass an object, such as Kendall\(\)$"),
    *each(KERNEL_OBJECTS[:3], "a distance", ValueError, r"^\w+ needs a kernel, but KendallDistance\(\) is a distance",
          kernel=wkendall.KendallDistance()),
    *each(KERNEL_OBJECTS[:1], "cache of nothing", ValueError, r"^cache_size is 0, but must be a number", cache_size=0),
    *each(KERNEL_OBJECTS[:1], "cache a word", TypeError, r"^cache_size must be a number of mebibytes", cache_size="1 GB"),
    *each(KERNEL_OBJECTS[:1], "cache endless", ValueError, r"^cache_size is inf, but must be", cache_size=float("inf")),
    *each(KERNEL_OBJECTS[:1], "cache huge", ValueError, r"^cache_size is ", cache_size=ENDLESS),
    *each(KERNEL_OBJECTS[:2], "dtype of integers", ValueError, r"^dtype is <class 'int'>, but must be float64 or float32",
          dtype=int),
    *each(KERNEL_OBJECTS[1:3], "random_state a word", ValueError, r"^random_state is 'zero', but must be None, a seed",
          random_state="zero"),
    *each(KERNEL_OBJECTS[2:3], "random_state negative", ValueError, r"^random_state is -1, but must be None, a seed",
          random_state=-1),
    ("neighbours none", fit(wkendall.KendallNeighbors, n_neighbors=0), ValueError, r"^n_neighbors is 0, but must be at least 1"),
    ("neighbours of an unknown mode", fit(wkendall.KendallNeighbors, mode="graph"), ValueError, r"^mode is 'graph', but"),
    ("neighbours in a bad radius", fit(wkendall.KendallNeighbors, radius="1"), TypeError, r"^radius must be a real number"),
    ("neighbours too many", lambda: fitted(wkendall.KendallNeighbors).kneighbors(n_neighbors=6), ValueError,
     r"^n_neighbors is 6, but there are 5 other rankings"),
    ("neighbours too many in a graph", lambda: fitted(wkendall.KendallNeighbors, n_neighbors=6).transform(X), ValueError,
     r"^n_neighbors is 6, but fit had 6 rankings, of which a ranking finds itself: it must be from 1 to 5$"),
    ("neighbours far too many in a graph", lambda: fitted(wkendall.KendallNeighbors, n_neighbors=9).transform(X), ValueError,
     r"^n_neighbors is 9, but fit had 6 rankings"),
    ("neighbours of a single ranking", lambda: wkendall.KendallNeighbors(1).fit_transform(X[:1]), ValueError,
     r"^n_neighbors is 1, but fit had 1 ranking, of which a ranking finds itself: none can be found$"),
    ("neighbours in no radius", lambda: fitted(wkendall.KendallNeighbors).radius_neighbors(X), ValueError,
     r"^radius is not given: pass one here or to KendallNeighbors$"),
    ("neighbours in a negative radius", lambda: fitted(wkendall.KendallNeighbors).radius_neighbors(X, -1), ValueError,
     r"^radius is -1\.0: it must be a distance from 0$"),
    ("neighbours without a flag", lambda: fitted(wkendall.KendallNeighbors).kneighbors(X, 2, 1), TypeError,
     r"^return_distance must be True or False"),
    ("neighbours before fit", lambda: wkendall.KendallNeighbors().kneighbors(X), NotFittedError, r"not fitted"),
    ("landmarks unknown", fit(wkendall.KendallNystroem, landmarks="all"), ValueError, r"^landmarks is 'all', but must be one of"),
    ("landmarks none", fit(wkendall.KendallNystroem, n_components=0), ValueError, r"^n_components is 0, but must be at least 1"),
    ("clusters none", fit(wkendall.KendallKMeans, n_clusters=0), ValueError, r"^n_clusters is 0, but must be at least 1"),
    ("clusters too many", fit(wkendall.KendallKMeans, n_clusters=7), ValueError, r"^n_clusters is 7, but n_samples=6"),
    ("clusters huge", fit(wkendall.KendallKMeans, n_clusters=HUGE), ValueError, r"^n_clusters is 18446744073709551616, but must"),
    ("clusters from ragged ones", fit(wkendall.KendallKMeans, n_clusters=2, init=ROWS), ValueError, r"^init: row 1 has 3 items"),
    ("clusters from masked ones", fit(wkendall.KendallKMeans, n_clusters=2, init=masked(X[:2], (1, 1))), ValueError,
     r"^init has masked entries, one at row 1, column 1"),
    ("clusters never tried", fit(wkendall.KendallKMeans, n_clusters=2, n_init=0), ValueError,
     r"^n_init is 0, but must be at least 1"),
    ("clusters of no weight", fit(wkendall.KendallKMeans, n_clusters=2, sample_weight=np.zeros(6)), ValueError,
     r"^sample_weight is zero for all rankings"),
    ("features anywhere", fit(wkendall.KendallFeatures, missing="anywhere"), ValueError, r'^missing="anywhere" has no features'),
    ("not fitted", lambda: wkendall.KendallGram().transform(X), NotFittedError, r"^This KendallGram instance is not fitted"),
    ("transform of other items", lambda: fitted().transform(X[:, :4].argsort()), ValueError,
     r"^X has 4 features, but KendallFeatures"),
    ("transform of no ranking", lambda: fitted().transform([[1, 1, 2, 3, 4]]), ValueError, r"^X: row 0 holds 1 twice"),
    ("transform of a masked row", lambda: fitted().transform([masked(X[0], 2)]), ValueError, r"^X .* row 0, column 2"),
    ("predict of ragged rows", lambda: fitted(wkendall.SuquanSVDClassifier).predict(ROWS), ValueError, r"^X: row 1 has 3 items"),
    ("chunks of no rows", lambda: fitted().chunks(X, 0), ValueError, r"^size is 0, but must be at least 1"),
    ("chunks of huge size", lambda: fitted().chunks(X, HUGE), ValueError, r"^size is 18446744073709551616, but must be at most"),
    ("names no array", lambda: fitted().get_feature_names_out(3), ValueError,
     r"^input_features is 3, but must be an array of n names"),
    ("names too few", lambda: fitted().get_feature_names_out(["a"]), ValueError, r"^input_features should have length equal"),
    ("calling with ragged rows", lambda: Kendall()(ROWS, X), ValueError, r"^X: row 1 has 3 items"),
    ("labels one kind", lambda: wkendall.suquan_svd(X, [1] * 6), ValueError, r"^y has 1 different labels, but must have two"),
    ("labels short", lambda: wkendall.suquan_svd(X, [0, 1]), ValueError, r"^y has shape \(2,\), but X has 6 rankings"),
    ("labels ragged", lambda: wkendall.suquan_svd(X, [0, [1]]), ValueError, r"^y is \[0, \[1\]\], but must have shape \(6,\)"),
    ("labels masked", lambda: wkendall.suquan_svd(X, masked(Y, 3)), ValueError, r"^y has masked entries, one at place 3"),
    ("labels NaN", lambda: wkendall.suquan_svd(X, [0, 1, 0, 1, 0, np.nan]), ValueError, r"^y\[5\] is nan, but must be the class"),
    ("labels mixed", lambda: wkendall.suquan_svd(X, [0, 1, 0, 1, None, 1]), ValueError, r"^y holds NoneType and int"),
    ("weights of huge order", lambda: wkendall.suquan_svd(X, Y, order=HUGE), ValueError,
     r"^order is 18446744073709551616, but must"),
    ("weights of order 70", lambda: wkendall.suquan_svd(X, Y, order=70), ValueError,
     r"^order is 70, but must be at most (64|32)"),
    ("weights of order 30", lambda: wkendall.suquan_svd(X, Y, order=30), ValueError,
     r"^the result of 5\^30 float64 values takes over a million TiB, but only .*: use a lower order"),
    ("weights pure of few items", lambda: wkendall.suquan_svd([[1, 2], [2, 1]], [0, 1], pure=True), ValueError,
     r"^2 items have no"),
    ("weights of no components", lambda: wkendall.suquan_svd(X, Y, n_components=0), ValueError,
     r"^n_components is 0, but must be"),
    ("GP lam endless", lambda: MallowsKernel(ENDLESS)(X), ValueError, r"^lam is an integer of 5001 digits, but must be a finite"),
    ("GP lam an array", lambda: MallowsKernel(NINE)(X), TypeError, r"^lam must be a real number, not array\("),
    ("GP lam negative", lambda: MallowsKernel(-1.0)(X), ValueError, r"^lam is -1\.0, but must be a finite number above zero"),
    ("GP bounds reversed", lambda: MallowsKernel(1.0, (2, 1))(X), ValueError,
     r"^lam_bounds is \(2, 1\), but must be a pair of numbers"),
    ("GP bounds an array", lambda: MallowsKernel(1.0, NINE)(X), ValueError, r"^lam_bounds is array\(.*, but must be a pair"),
    ("GP exponent endless", lambda: WeightedKendallKernel("mult", u="power", a=ENDLESS)(X), ValueError,
     r"^(a is an integer of|u is 'power')"),
    ("dask X of one axis", lambda: wkendall_dask.gram_matrix(da.ones(5)), ValueError, r"^X is 1-dimensional, of shape \(5,\)"),
    ("dask X masked", lambda: wkendall_dask.gram_matrix(masked(X, (1, 2))), ValueError, r"^X has masked entries"),
    ("dask X of words", lambda: wkendall_dask.gram_matrix(da.from_array(np.array([["a"]]))), TypeError,
     r"^X has dtype <U1, but .*; use from_lists for lists of names"),
    ("dask other items", lambda: wkendall_dask.gram_matrix(X, [[1, 2]]), ValueError, r"^X has 5 items, but Y has 2"),
    ("dask chunks wrong", lambda: wkendall_dask.gram_matrix(X, chunks="many"), ValueError,
     r"^chunks is 'many', but must be the number of rows"),
    ("dask W uneven", lambda: wkendall_dask.gram_matrix([[1, 2, 3]], kernel=TensorKernel(W=np.arange(81.0).reshape((3,) * 4))),
     ValueError, r"^W is not symmetric"),
    ("dask by a distance", lambda: wkendall_dask.gram_matrix(X, kernel=wkendall.KendallDistance()), ValueError,
     r"^gram_matrix needs a kernel, but KendallDistance\(\) is a distance"),
    ("dask n_jobs zero", lambda: wkendall_dask.features(X, n_jobs=0), ValueError, r"^n_jobs is 0, but must be"),
    ("dask too many neighbours", lambda: wkendall_dask.neighbors(X, n_neighbors=6), ValueError,
     r"^n_neighbors is 6, but there are 5 other rankings"),
    ("dask too many neighbours in Y", lambda: wkendall_dask.neighbors(X, X[:2], n_neighbors=3), ValueError,
     r"^n_neighbors is 3, but there are 2 rankings"),
    ("dask no neighbours", lambda: wkendall_dask.neighbors(X, n_neighbors=0), ValueError, r"^n_neighbors is 0, but must be"),
    ("dask radius negative", lambda: wkendall_dask.neighbors_within(X, radius=-1), ValueError, r"^radius is -1\.0"),
    ("dask measure unknown", lambda: wkendall_dask.neighbors(X, measure="cosine"), TypeError,
     r"^measure must be a measure, .* not 'cosine'$"),
    ("dask neighbours of other items", lambda: wkendall_dask.neighbors(X, [[1, 2]]), ValueError, r"^X has 5 items, but Y has 2"),
    ("rankings none", lambda: datasets.make_uniform(-1, 3), ValueError, r"^m is -1, but must be at least 0"),
    ("rankings of no items", lambda: datasets.make_uniform(3, 0), ValueError, r"^n is 0, but must be at least 1"),
    ("rankings of 1.5 items", lambda: datasets.make_uniform(3, 1.5), TypeError, r"^n must be an integer, not 1\.5"),
    ("rankings huge", lambda: datasets.make_uniform(HUGE, 3), ValueError, r"^m is 18446744073709551616, but must be at most"),
    ("rankings large", lambda: datasets.make_uniform(2**60, 3), ValueError,
     r"^the result of 1152921504606846976 x 3 int64 values takes .* TiB, but only .*: draw or read fewer rankings at a time"),
    ("no rankings of many items", lambda: datasets.make_uniform(0, 2**60), ValueError,
     r"^the result of 1 x 1152921504606846976 int64"),
    ("seed a word", lambda: datasets.make_uniform(3, 3, rng="x"), TypeError, r"^rng must be None, a seed from 0"),
    ("seed negative", lambda: datasets.make_uniform(3, 3, rng=-1), ValueError, r"^rng must be None, a seed from 0"),
    ("centre large", lambda: datasets.make_mallows(1, 2**60, 1.0), ValueError, r"^the result of 1 x 1152921504606846976 int64"),
    ("centre ragged", lambda: datasets.make_mallows(1, [1, [2]], 1.0), ValueError,
     r"^center cannot be converted to an array|^center: row"),
    ("centre no ranking", lambda: datasets.make_mallows(1, [1, 1], 1.0), ValueError, r"^center: row 0 holds 1 twice"),
    ("centre empty", lambda: datasets.make_mallows(1, [], 1.0), ValueError, r"^center is empty, but must rank at least one item"),
    ("spread negative", lambda: datasets.make_mallows(1, 3, -1.0), ValueError,
     r"^lam is -1\.0, but must be a finite number from 0"),
    ("strengths zero", lambda: datasets.make_plackett_luce(1, [1, 0]), ValueError, r"^strengths: item 1 has 0\.0, but must have"),
    ("strengths masked", lambda: datasets.make_plackett_luce(1, masked([1, 2], 1)), ValueError, r"^strengths has masked entries"),
    ("people of a float", lambda: datasets.make_survey(10.0), TypeError, r"^m must be an integer, not 10\.0"),
    ("people many", lambda: datasets.make_survey(2**60), ValueError, r"^the result of 1152921504606846976 x 6 int64"),
    ("people expanded", of_file(datasets.load_eurobarometer, f"{COUNTS}\n" + "1,2,3,4,5,6,1,2,999999999\n" * 1000), ValueError,
     r"^the result of 999999999000 x 10 int64 values takes 72\.8 TiB, but only .*: draw or read fewer rankings at a time"),
    ("people negative", of_file(datasets.load_eurobarometer, f"{COUNTS}\n1,2,3,4,5,6,1,2,-1\n"), ValueError, r"line 2: column y"),
    ("no path", lambda: datasets.load_eurobarometer(3), TypeError, r"^path must be the name of a file, not 3"),
    ("lists a word", lambda: wkendall.from_lists("ab"), TypeError, r"^lists must be a list of ranked lists"),
    ("lists a number", lambda: wkendall.from_lists([1]), TypeError, r"^list 0 must be a list of items, best first, not 1"),
    ("lists with a repeat", lambda: wkendall.from_lists([["a", "b", "a"]]), ValueError,
     r"^list 0 holds 'a' twice, in places 0 and 2"),
    ("lists with a gap", lambda: wkendall.from_lists([["a", None, "b"]]), ValueError,
     r"^list 0, place 1 holds None, but an item follows"),
    ("layout unknown", of_file(lambda path: wkendall.read_csv(path, layout="wide"), "a,b\n1,2\n"), ValueError,
     r"^layout is 'wide', but must be one of 'ranks', 'choices', 'long'"),
    ("layout a number", of_file(lambda path: wkendall.read_csv(path, layout=1), "a,b\n1,2\n"), TypeError,
     r"^layout must be one of"),
    ("id a number", of_file(lambda path: wkendall.read_csv(path, id=0), "a,b\n1,2\n"), TypeError,
     r"^id must be the name of a column, or its number from 1 as text, not 0"),
    ("skip numbers", of_file(lambda path: wkendall.read_csv(path, skip=[0]), "a,b\n1,2\n"), TypeError, r"^skip must be the name"),
    ("item without long", of_file(lambda path: wkendall.read_csv(path, item="a"), "a,b\n1,2\n"), ValueError,
     r'^item goes with layout="long", not \'ranks\''),
    ("items without a column", of_file(lambda path: wkendall.read_csv(path, items=["c"]), "a,b\n1,2\n"), ValueError,
     r"^votes\.csv, line 1: there is no column 'c': they are 'a', 'b'$"),
    ("items twice", of_file(lambda path: wkendall.read_csv(path, layout="choices", items=["a", "a"]), "x,y\na,\n"), ValueError,
     r"^items holds 'a' twice"),
    ("names twice, or a ranking", of_file(wkendall.read_csv, "1,1\n1,2\n"), ValueError,
     r"^votes\.csv, line 1: columns 1 and 2 have the same name, '1'; header=False reads the row as a ranking$"),
    ("skip a number", of_file(lambda path: wkendall.read_csv(path, skip=1), "x,y\n1,2\n"), TypeError,
     r"^skip must be the name of a column, or its number from 1 as text, or a list of them, not 1$"),
    ("choices with a gap", of_file(lambda path: wkendall.read_csv(path, layout="choices"), "1st,2nd\n,a\n"), ValueError,
     r"^votes\.csv, line 2: column 1, '1st', is blank, but column 2, '2nd', holds 'a'"),
    ("lists in a frame", lambda: wkendall.from_lists(pd.DataFrame({"ranked": [["a", "b"], ["b"]]})), TypeError,
     r"^list 0, place 0 holds \['a', 'b'\], but cells of a data frame must be items: pass the column"),
    ("encoder of lists in a frame", lambda: wkendall.ListEncoder().fit(pd.DataFrame({"ranked": [["a", "b"], ["b"]]})), TypeError,
     r"^list 0, place 0 holds .*: pass the column with the lists by itself"),
    ("encoder of a word", lambda: wkendall.ListEncoder().fit("ab"), TypeError, r"^lists must be a list of ranked lists"),
    ("encoder of nothing", lambda: wkendall.ListEncoder().fit(None), TypeError, r"^lists must be a list of ranked lists"),
    ("encoder of a repeat", lambda: wkendall.ListEncoder().fit([["a"], ["b", "b"]]), ValueError, r"^list 1 holds 'b' twice"),
    ("encoder of names twice", lambda: wkendall.ListEncoder().fit(["a", "b", "a"]), ValueError, r"^items holds 'a' twice"),
    ("encoder of a stranger", lambda: wkendall.ListEncoder().fit([["a"]]).transform([["a", "b"]]), ValueError,
     r'^list 0, place 1 holds \'b\', which is not one of the 1 items given; unknown="ignore" leaves out'),
    ("encoder of other items", lambda: wkendall.ListEncoder(items=["a"]).fit([["b"]]), ValueError,
     r"^list 0, place 0 holds 'b', which is not one of the 1 items given; unknown="),
    ("encoder of names beside items", lambda: wkendall.ListEncoder(items=["a"]).fit(["a"]), ValueError,
     r"^items is given, so X must be ranked lists"),
    ("encoder of names, transformed", lambda: wkendall.ListEncoder().fit_transform(["a"]), TypeError, r"^X holds names"),
    ("encoder unknown", lambda: wkendall.ListEncoder(unknown="new").fit([["a"]]), ValueError,
     r"^unknown is 'new', but must be one of 'error', 'ignore'"),
    ("encoder sparse a number", lambda: wkendall.ListEncoder(sparse=1).fit([["a"]]), TypeError, r"^sparse must be True or False"),
    ("encoder not fitted", lambda: wkendall.ListEncoder().transform([["a"]]), NotFittedError, r"^This ListEncoder instance"),
    ("encoder of places in another order", lambda: wkendall.ListEncoder().fit(pd.DataFrame([["a", "b"]], columns=["1st", "2nd"]))
     .transform(pd.DataFrame([["b", "a"]], columns=["2nd", "1st"])), ValueError, r"^The feature names .* in the same order"),
    ("columns in another order", lambda: wkendall.SuquanSVDClassifier().fit(pd.DataFrame(X, columns=list("abcde")), Y)
     .predict(pd.DataFrame(X, columns=list("bacde"))), ValueError, r"^The feature names should match"),
    ("codes in another order", lambda: wkendall.KendallGram().fit(pd.DataFrame(X, columns=[7, 8, 9, 10, 11]))
     .transform(pd.DataFrame(X, columns=[7, 9, 8, 10, 11])), ValueError,
     r"^item 1 is labelled 8 in the data of fit and 9 in X"),
    ("lists of strangers", lambda: wkendall.from_lists([["a"]], items=["b"]), ValueError,
     r"^list 0, place 0 holds 'a', which is not"),
    ("CSV without a path", lambda: wkendall.read_csv(None), TypeError, r"^path must be the name of a file, not None"),
    ("CSV of a wrong delimiter", lambda: wkendall.read_csv("x.csv", delimiter="ab"), ValueError,
     r"^delimiter must be one character"),
    ("CSV of a wrong header", lambda: wkendall.read_csv("x.csv", header=1), TypeError,
     r"^header must be True, False or None, not 1"),
    ("CSV empty", of_file(wkendall.read_csv, ""), ValueError, r"^votes\.csv, line 1: the file is empty"),
    ("CSV with a word", of_file(wkendall.read_csv, "a,b\n1,x\n"), ValueError, r"^votes\.csv, line 2: .*'x'"),
    ("PrefLib of another kind", lambda: wkendall.read_preflib("x.csv"), ValueError,
     r"^x\.csv, line 1: the name of the file must end"),
    ("PrefLib empty", of_file(wkendall.read_preflib, "", "x.soc"), ValueError, r"^x\.soc, line 1: the file is empty"),
    ("corr nothing", lambda: wkendall.corr(None), TypeError, r"^data is of type NoneType, but must be a table with a row"),
    ("corr of axes", lambda: wkendall.corr(np.ones((2, 2, 2))), ValueError, r"^data is 3-dimensional, of shape \(2, 2, 2\)"),
    ("corr of a number", lambda: wkendall.corr(3.0), ValueError, r"^data is a single value, but must be a table"),
    ("corr ragged", lambda: wkendall.corr(ROWS), ValueError, r"^data: row 1 has 3 values, but row 0 has 5"),
    ("corr of texts", lambda: wkendall.corr([["a", "b"]]), TypeError, r"^data: column 0 holds 'a' in row 0, a text, but .* need"),
    ("corr of names", lambda: wkendall.corr(pd.DataFrame({"x": [1, 2], "name": ["Ann", "Bob"]})), TypeError,
     r"^data: column 'name' holds 'Ann' in row 0, a text, but correlations need numbers; leave the column out"),
    ("corr of dates", lambda: wkendall.corr(pd.DataFrame({"x": [1], "day": pd.to_datetime(["2020-01-01"])})), TypeError,
     r"^data: column 'day' holds 2020-01-01T.* in row 0, a date, but .*; the .rank\(\) of the column"),
    ("corr of complex numbers", lambda: wkendall.corr(np.ones((3, 2)) * 1j), TypeError, r"^data: column 0 holds \(?1j"),
    ("corr of lists", lambda: wkendall.corr(pd.DataFrame({"x": [[1], [2]]})), TypeError,
     r"^data: column 'x' holds \[1\] in row 0"),
    ("corr of polars texts", lambda: wkendall.corr(pl.DataFrame({"x": ["a"]})), TypeError,
     r"^data: column 'x' holds 'a' in row 0, a text, but"),
    ("corr sparse", lambda: wkendall.corr(sparse.eye_array(3).tocsr()), ValueError, r"^data is sparse"),
    ("corr other rows", lambda: wkendall.corr(X, X[:3]), ValueError, r"^data has 6 rows, but other has 3: both must"),
    ("corr other index", lambda: wkendall.corr(pd.DataFrame(X), pd.DataFrame(X, index=range(2, 8))), ValueError,
     r"^row 0 is labelled 0 in data and 2 in other, but rows are matched by position: give"),
    ("corr other of names", lambda: wkendall.corr(X, [["a"]] * 6), TypeError, r"^other: column 0 holds 'a' in row 0"),
    ("corr min_periods", lambda: wkendall.corr(X, min_periods=-1), ValueError, r"^min_periods is -1, but must be at least 0"),
    ("corr min_periods real", lambda: wkendall.corr(X, min_periods=1.5), TypeError, r"^min_periods must be an integer, not 1.5"),
    ("corr min_periods huge", lambda: wkendall.corr(X, min_periods=HUGE), ValueError, r"^min_periods is 18446744073709551616"),
    ("corr pvalues", lambda: wkendall.corr(X, pvalues="yes"), TypeError, r"^pvalues must be True or False, not 'yes'"),
    ("corr alternative", lambda: wkendall.corr(X, alternative="more"), ValueError, r"^alternative is 'more', but must be one of"),
    ("corr n_jobs", lambda: wkendall.corr(X, n_jobs=0), ValueError, r"^n_jobs is 0, but must be"),
    ("corr progress", lambda: wkendall.corr(X, progress=3), TypeError, r"^progress must be True or False, not 3"),
    ("picture of a matrix of words", lambda: plotting.plot_matrix([["a"]]), TypeError, r"^matrix must be .* of real numbers"),
    ("picture of one row", lambda: plotting.plot_matrix([1.0]), ValueError, r"^matrix is 1-dimensional"),
    ("picture with few labels", lambda: plotting.plot_matrix(np.eye(3), labels=["a"]), ValueError,
     r"^labels has 1 names, but matrix has 3 rows"),
    ("picture in what order", lambda: plotting.plot_matrix(np.eye(3), cluster=2), TypeError, r"^cluster must be True or False"),
    ("picture not square", lambda: plotting.plot_weights(np.ones((2, 3))), ValueError,
     r"^U has shape \(2, 3\), but must be square"),
    ("picture of words", lambda: plotting.plot_weights([["a"]]), TypeError, r"^U must be .* of real numbers"),
    ("picture on nothing", lambda: plotting.plot_weights(np.eye(2), ax=3), TypeError,
     r"^ax must be Axes of matplotlib or None, not 3"),
    ("picture with an array", lambda: plotting.plot_weights(np.eye(2), values=NINE), TypeError, r"^values must be True or False"),
    ("picture of scores on nothing", lambda: plotting.plot_position_scores(np.eye(2), ax="x"), TypeError, r"^ax must be Axes"),
    ("picture of no fit", lambda: plotting.plot_objective(NINE), ValueError,
     r"^estimator is array\(.*, which has no objective_path_"),
    ("picture of no ranks", lambda: plotting.plot_reduction_factors(0), ValueError, r"^n is 0, but must be at least 1"),
    ("picture of many ranks", lambda: plotting.plot_reduction_factors(2**60), ValueError,
     r"^the result of 1152921504606846976 x 3"),
    ("picture of no dict", lambda: plotting.plot_accuracies([1, 2]), TypeError,
     r"^accuracies must be a dict of sequences of accuracies"),
    ("picture of nothing", lambda: plotting.plot_accuracies({}), ValueError, r"^accuracies is empty"),
    ("picture of a number", lambda: plotting.plot_accuracies({"a": 1.0}), ValueError, r"^accuracies\['a'\] is a single value"),
    ("picture of an array", lambda: plotting.plot_accuracies({"a": [1.0]}, NINE), TypeError,
     r"^published must be a dict of numbers"),
    ("picture of pairs", lambda: plotting.plot_differences({"a": (1, 2)}), ValueError,
     r"^intervals\['a'\] has 2 numbers, but must be"),
    ("frames with other columns", lambda: Kendall()(pd.DataFrame([[1, 2]], columns=["a", "b"]),
                                                   pd.DataFrame([[1, 2]], columns=["b", "c"])), ValueError,
     r"^X has the item 'a', but Y does not: both must rank the same items$"),
    ("file of a matrix without a folder", lambda: wkendall.gram_to_file("no/such/folder/K.npy", X), FileNotFoundError,
     r"^no/such/folder/K\.npy cannot be written: there is no folder no/such/folder$"),
    ("file of a matrix with no name", lambda: wkendall.gram_to_file(3, X), TypeError, r"^path must be the name of a file"),
]  # fmt: skip
