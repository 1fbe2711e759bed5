"""Bad input for kernels, and for arguments of all kinds: what is wrong, how it is called, the exception, what the error is about.

The last is an argument, or an argument, a row, a column and a kind, as the attributes of `RankingError`. Of other errors
it is the first word of the message.
"""

import numpy as np
import pandas as pd
import wkendall
from definitions import random_rankings
from scipy.sparse import csr_array

NAMES = ["a", "b", "c", "d", "e"]
X = random_rankings(np.random.default_rng(0), 6, 5)
EYE = np.eye(25).reshape(5, 5, 5, 5)
HUGE, ENDLESS = 2**64, 10**5000


def bad(values, **options):
    return lambda: wkendall.gram_matrix(values, **options)


def of(values=X, **options):
    return bad(values, **options)


def near(values=X, other=None, **options):
    return lambda: wkendall.neighbors(values, other, **options)


def within(values=X, **options):
    return lambda: wkendall.neighbors_within(values, **options)


def read_only():
    out = np.empty((6, 6))
    out.flags.writeable = False
    return out


def changed(place, value, base):
    values = base.copy()
    values[place] = value
    return values


def masked(values, place):
    found = np.ma.array(values)
    found[place] = np.ma.masked
    return found


KERNELS = [
    ("mean ranks of inverses", lambda: wkendall.inverse([[1, 2.5, 2.5, 4]]), ValueError, ("X", 0, 1, "not whole")),
    ("names in orders", bad([["a", "b"], ["b", "a"]], input="orders"), TypeError, ("X", 0, 0, "text")),
    ("a series of lists", bad(pd.Series([[1, 2], [2, 1]])), ValueError, ("X", None, None, "axes")),
    ("metric of no kernel", lambda: wkendall.distance_matrix(X, kernel="mult"), TypeError, "kernel"),
    ("metric of a distance", lambda: wkendall.distance_matrix(X, kernel=wkendall.KendallDistance()),
     ValueError, ("kernel", None, None, "no kernel")),
    ("Gram matrix of a correlation", bad(X, kernel=wkendall.KendallCorrelation("average")),
     ValueError, ("kernel", None, None, "no kernel")),
    ("metric of a bad parameter", lambda: wkendall.distance_matrix(X, kernel=wkendall.Kendall("mult")), ValueError, "u"),
    ("metric of ties", lambda: wkendall.distance_matrix([[1, 1, 2]], kernel=wkendall.Kendall()),
     ValueError, ("X", 0, 1, "duplicate")),
    ("similarity of no measure", lambda: wkendall.similarity_matrix(X, measure="tau"), TypeError, "measure"),
    ("weights of too few items", of(item_weight=[1, 2]), ValueError, ("item_weight", None, None, "axes")),
    ("an item with a negative weight", of(item_weight=[1, 2, -1, 0, 0]), ValueError, "item_weight"),
    ("an item with the weight NaN", of(item_weight=[1, 2, np.nan, 0, 0]), ValueError, "item_weight"),
    ("weights of items that are names", of(item_weight=NAMES), TypeError, "item_weight"),
    ("weights of items of triples", of(item_weight=np.ones(5), order=3), ValueError, "item_weight"),
    ("kappa with weights of items", lambda: wkendall.kappa(X[0], item_weight=range(5)), ValueError, "item_weight"),
    ("triples of later items", of(weight="later", u="ap", order=3), ValueError, "order"),
    ("a kernel and its parameters", bad(X, kernel=wkendall.Kendall(), weight="top"), ValueError, "weight"),
    ("a kernel and how to read", bad(X, kernel=wkendall.Kendall(), ties="mean"), ValueError, "ties"),
    ("rankings that have been read", bad(wkendall.Rankings(X), top="high"), ValueError, "top"),
    ("a ranking that has been read", lambda: wkendall.kernel(wkendall.Rankings(X[:1]), X[0], top="high"), ValueError, "top"),
    ("several rankings for one", lambda: wkendall.kernel(wkendall.Rankings(X), X[0]), ValueError, ("x", None, None, "axes")),
    ("neither U nor W", bad(X, kernel=wkendall.TensorKernel()), ValueError, "U"),
    ("names too few", lambda: wkendall.Rankings(X, items=["a"]), ValueError, "items"),
    ("names twice", lambda: wkendall.Rankings(X, items="abcda"), ValueError, "items"),
    ("names no list", lambda: wkendall.Rankings(X, items=3), TypeError, "items"),
    ("names that are lists", lambda: wkendall.Rankings(X, items=[[1]] * 5), TypeError, "items"),
    ("counts too few", lambda: wkendall.Rankings(X, counts=[1, 2]), ValueError, "counts"),
    ("counts negative", lambda: wkendall.Rankings(X, counts=[1, 2, -3, 4, 5, 6]), ValueError, "counts"),
    ("counts in words", lambda: wkendall.Rankings(X, counts=["a"] * 6), TypeError, "counts"),
    ("numbers as texts", bad([["1", "2"]]), TypeError, ("X", 0, 0, "text")),
    ("string column", bad(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})), TypeError, ("X", 0, 1, "text")),
    ("booleans", bad([[True, False]]), TypeError, ("X", 0, 0, "not a number")),
    ("boolean object", bad(np.array([[1, True]], dtype=object)), TypeError, ("X", 0, 1, "not a number")),
    ("complex", bad(X + 0j), TypeError, ("X", 0, 0, "not a number")),
    ("nothing", bad(None), TypeError, "X"),
    ("different labels", lambda: wkendall.kernel(pd.Series([1, 2], index=["a", "b"]), pd.Series([1, 2], index=["b", "c"])),
     ValueError, ("y", None, 0, "items differ")),
    ("one ranking in 2-d", lambda: wkendall.kernel(X, X), ValueError, ("x", None, None, "axes")),
    ("kappa in 2-d", lambda: wkendall.kappa(X), ValueError, ("pi", None, None, "axes")),
    ("kappa of no permutation", lambda: wkendall.kappa([1, 1]), ValueError, ("pi", 0, 1, "duplicate")),
    ("different columns", bad(pd.DataFrame(X, columns=NAMES), Y=pd.DataFrame(X, columns=list("abcdf"))),
     ValueError, ("Y", None, 4, "items differ")),
    ("places in another order", bad(pd.DataFrame(X, columns=NAMES), Y=pd.DataFrame(X, columns=NAMES[::-1]), input="orders"),
     ValueError, ("Y", None, 0, "items differ")),
    ("rows in another order", lambda: wkendall.independence_test(pd.DataFrame(X), pd.Series(X[:, 0], index=range(len(X)))[::-1]),
     ValueError, ("y", 0, None, "rows differ")),
    ("k zero", bad(X, weight="top", k=0), ValueError, "k"),
    ("k a float", bad(X, weight="top", k=2.0), TypeError, "k"),
    ("k unused", bad(X, k=2), ValueError, "k"),
    ("u missing", bad(X, weight="mult"), ValueError, "u"),
    ("u unused", bad(X, weight="average", u="log"), ValueError, "u"),
    ("u 2-d", bad(X, weight="mult", u=np.ones((5, 5))), ValueError, ("u", None, None, "axes")),
    ("u of strings", bad(X, weight="mult", u=["a"] * 5), TypeError, "u"),
    ("u ragged", bad(X, weight="mult", u=[1, [2]]), TypeError, "u"),
    ("u masked", bad(X, weight="mult", u=np.ma.masked_equal([1, 2, 3, 4, 5], 3)), ValueError, ("u", None, None, "masked")),
    ("u unknown", bad(X, weight="mult", u="linear"), ValueError, "u"),
    ("weight no word", bad(X, weight=3), TypeError, "weight"),
    ("input unknown", bad(X, input="rank"), ValueError, "input"),
    ("top unknown", bad(X, top="bottom"), ValueError, "top"),
    ("both U and weight", bad(X, U=np.eye(5), weight="mult", u="log"), ValueError, "U"),
    ("U and u", bad(X, U=np.eye(5), u="log"), ValueError, "u"),
    ("U 1-d", bad(X, U=np.ones(5)), ValueError, ("U", None, None, "axes")),
    ("U not finite", bad(X, U=changed((1, 2), np.nan, np.eye(5))), ValueError, "U"),
    ("U signed", bad(X, U=np.eye(5), signed=True), ValueError, "signed"),
    ("signed no flag", bad(X, signed=1), TypeError, "signed"),
    ("normalize no flag", bad(X, normalize="yes"), TypeError, "normalize"),
    ("progress no flag", bad(X, progress="yes"), TypeError, "progress"),
    ("lam negative", lambda: wkendall.Mallows(-1)(X), ValueError, "lam"),
    ("lam huge", lambda: wkendall.Mallows(10**400)(X), ValueError, "lam"),
    ("lam no number", lambda: wkendall.Mallows("a")(X), TypeError, "lam"),
    ("dtype integer", bad(X, dtype=int), ValueError, "dtype"),
    ("n_jobs zero", bad(X, n_jobs=0), ValueError, "n_jobs"),
    ("n_jobs an array", bad(X, n_jobs=np.array([1, 2])), TypeError, "n_jobs"),
    ("beyond single precision", bad(X, weight="mult", u=np.full(5, 1e12), dtype=np.float32), ValueError, "values"),
    ("backend no word", bad(X, backend=3), TypeError, "backend"),
    ("out too small", bad(X, out=np.empty((5, 6))), ValueError, "out"),
    ("out of integers", bad(X, out=np.empty((6, 6), int)), ValueError, "out"),
    ("out misaligned", bad(X, out=np.frombuffer(bytearray(6 * 6 * 8 + 1), np.uint8)[1:].view(float).reshape(6, 6)),
     ValueError, "out"),
    ("out Fortran", bad(X, out=np.empty((6, 6), order="F")), ValueError, "out"),
    ("out read-only", bad(X, out=read_only()), ValueError, "out"),
    ("out a list", bad(X, out=[[0.0] * 6] * 6), TypeError, "out"),
    ("too large for memory", bad(np.ones((4_000_000, 1), dtype=int)), ValueError, "the"),
    ("distances too large for memory", lambda: wkendall.distance_matrix(np.ones((4_000_000, 1), dtype=int)),
     ValueError, "the"),
]  # fmt: skip

WEIGHTS = [
    ("order zero with U", of(U=np.ones(5), order=0), ValueError, "order"),
    ("order a float", of(order=2.0), TypeError, "order"),
    ("order through kernel", lambda: wkendall.kernel(X[0], X[1], order=0), ValueError, "order"),
    ("order through kappa", lambda: wkendall.kappa(X[0], order=0), ValueError, "order"),
    ("order through diagonal", lambda: wkendall.diagonal(X, order=0), ValueError, "order"),
    ("signed third order", of(order=3, signed=True), ValueError, "order"),
    ("u overflowing", of(weight="mult", u=[1e60, 1, 1, 1, 1], order=3), ValueError, "u"),
    ("tensor of strings", of(U=[["a"] * 5] * 5), TypeError, "U"),
    ("factors too short", of(U=(np.ones((2, 4)),) * 3, order=3), ValueError, "U"),
    ("a vector of a term too short", of(U=((np.ones(5), np.ones(4)),), order=2), ValueError, "U"),
    ("factors too few", of(U=(np.ones((2, 5)),) * 2, order=3), ValueError, "U"),
    ("vectors of a term too few", of(U=((np.ones(5),) * 2,) * 2, order=3), ValueError, "U"),
    ("numbers of terms differ", of(U=(np.ones((2, 5)), np.ones((3, 5))), order=2), ValueError, "U"),
    ("no factors", of(U=()), ValueError, "U"),
    ("W a matrix", of(W=np.eye(25)), ValueError, ("W", None, None, "axes")),
    ("W of strings", of(W=np.full((5, 5, 5, 5), "a")), TypeError, "W"),
    ("W not finite", of(W=changed((0, 1, 2, 3), np.nan, EYE)), ValueError, "W"),
    ("W not symmetric", of(W=changed((0, 1, 2, 3), 0.5, EYE)), ValueError, "W"),
    ("W negative", of(W=-EYE), ValueError, "W"),
    ("W and weight", of(W=EYE, weight="standard"), ValueError, "W"),
    ("W and U", of(W=EYE, U=np.eye(5)), ValueError, "U"),
    ("W and order", of(W=EYE, order=3), ValueError, "W"),
    ("W and k", of(W=EYE, k=2), ValueError, "k"),
    ("check no flag", of(W=EYE, check=1), TypeError, "check"),
    ("number of items negative", lambda: wkendall.position_weights(-1), ValueError, "n"),
    ("number of items a float", lambda: wkendall.position_weights(3.0), TypeError, "n"),
    ("positions of order zero", lambda: wkendall.position_weights(3, order=0), ValueError, "order"),
    ("positions of order 1.5", lambda: wkendall.position_weights(3, order=1.5), TypeError, "order"),
    ("positions of unknown weight", lambda: wkendall.position_weights(3, "kendall"), ValueError, "weight"),
    ("positions without k", lambda: wkendall.position_weights(3, "top"), ValueError, "k"),
    ("positions with large k", lambda: wkendall.position_weights(3, "top", k=4), ValueError, "k"),
    ("positions without u", lambda: wkendall.position_weights(3, "add"), ValueError, "u"),
    ("positions with short u", lambda: wkendall.position_weights(3, "add", u=[1, 2]), ValueError, "u"),
    ("positions with unused u", lambda: wkendall.position_weights(3, u="log"), ValueError, "u"),
    ("no neighbours", near(n_neighbors=0), ValueError, "n_neighbors"),
    ("neighbours a float", near(n_neighbors=2.0), TypeError, "n_neighbors"),
    ("more neighbours than others", near(n_neighbors=6), ValueError, "n_neighbors"),
    ("measure unknown", near(measure="cosine"), TypeError, "measure"),
    ("measure a class", near(measure=wkendall.Kendall), TypeError, "measure"),
    ("neighbours of other items", near(X, X[:, :3].argsort() + 1), ValueError, ("Y", None, None, "items differ")),
    ("radius negative", within(radius=-1.0), ValueError, "radius"),
    ("radius a word", within(radius="near"), TypeError, "radius"),
    ("radius endless", within(radius=ENDLESS), ValueError, "radius"),
    ("neighbours of bad rankings", near([[1, 2, 2]]), ValueError, ("X", 0, 2, "duplicate")),
    ("neighbours with bad weights", near(n_neighbors=2, measure=wkendall.Kendall("top", k=9)), ValueError, "k"),
    ("neighbours with unused weights", near(n_neighbors=2, measure=wkendall.Kendall(u="log")), ValueError, "u"),
    ("graph of a correlation", lambda: wkendall.neighbors_graph(X, n_neighbors=2, measure=wkendall.KendallCorrelation("average")),
     ValueError, ("measure", None, None, "no kernel")),
    ("graph of an unknown mode", lambda: wkendall.neighbors_graph(X, mode="both"), ValueError, "mode"),
    ("graph of too many", lambda: wkendall.neighbors_graph(X), ValueError, "n_neighbors"),
    ("signs of ties", lambda: wkendall.packed_signs([[1, 2, 2]]), ValueError, ("X", 0, 2, "duplicate")),
    ("signs of equal scores", lambda: wkendall.packed_signs(wkendall.Rankings([[0.5, 0.5]], input="scores", ties="mean")),
     ValueError, ("X", None, None, "not complete")),
    ("inverse of ties", lambda: wkendall.inverse(wkendall.Rankings([[1, 1, 2]], ties="mean")),
     ValueError, ("X", None, None, "not complete")),
    ("features of a kernel without", lambda: wkendall.features(X, wkendall.Mallows()),
     ValueError, ("kernel", None, None, "no features")),
    ("features of a product of kernels", lambda: wkendall.KendallFeatures(wkendall.Kendall() * wkendall.Kendall()).fit(X),
     ValueError, ("kernel", None, None, "no features")),
    ("signs of a missing item", lambda: wkendall.packed_signs([[1, np.nan]]), ValueError, ("X", 0, 1, "nan")),
    ("signs of lists", lambda: wkendall.packed_signs(csr_array([[1, 0, 2]])), ValueError, ("X", None, None, "sparse")),
    ("sparse scores that are negative", lambda: wkendall.gram_matrix(
        csr_array([[1, -2, 0]]), input="scores", missing="bottom"), ValueError, ("X", 0, 1, "not positive")),
    ("sparse zeros of blocks", lambda: wkendall.gram_matrix(
        csr_array([[1, 0, 2, 3]]).tobsr(blocksize=(1, 2)), missing="bottom"), ValueError, ("X", None, None, "sparse")),
    ("positions too many", lambda: wkendall.position_weights(1000, order=6), ValueError, "the"),
]  # fmt: skip

MORE = [
    ("masked Y", lambda: wkendall.gram_matrix(X, [masked(X[0], 4)]), ValueError, ("Y", 0, 4, "masked")),
    ("masked ranking", lambda: wkendall.kernel(masked(X[0], 3), X[1]), ValueError, ("x", None, None, "masked")),
    ("masked entry of a list", lambda: wkendall.kappa([1, np.ma.masked, 3]), ValueError, ("pi", None, None, "masked")),
    ("masked U", of(U=masked(np.eye(5), (1, 2))), ValueError, ("U", 1, 2, "masked")),
    ("masked W", of(W=masked(EYE, (0, 1, 2, 3))), ValueError, ("W", None, None, "masked")),
    ("masked factor", of(U=(masked(np.ones((1, 5)), (0, 2)), np.ones((1, 5)))), ValueError, ("U", 0, 2, "masked")),
    ("out masked", of(out=np.ma.zeros((6, 6))), TypeError, "out"),
    ("out masked, distances", lambda: wkendall.distance_matrix(X, out=np.ma.zeros((6, 6))), TypeError, "out"),
    ("out masked, features", lambda: wkendall.features(X, out=np.ma.zeros((6, 11))), TypeError, "out"),
    ("order huge", of(order=HUGE), ValueError, "order"),
    ("input nothing", of(input=None), TypeError, "input"),
    ("top nothing", of(top=None), TypeError, "top"),
    ("ties nothing", of(ties=None), TypeError, "ties"),
    ("missing nothing", of(missing=None), TypeError, "missing"),
    ("ties nothing for a pair", lambda: wkendall.kernel([1, 2], [1, 2], ties=None), TypeError, "ties"),
    ("ties nothing for distances", lambda: wkendall.distance_matrix(wkendall.Rankings(X, ties=None)), TypeError, "ties"),
    ("ties unknown", of(ties="min"), ValueError, "ties"),
    ("missing unknown", of(missing="last"), ValueError, "missing"),
    ("missing an array of features", lambda: wkendall.features(wkendall.Rankings(X, missing=np.ones(3))),
     TypeError, "missing"),
    ("features anywhere", lambda: wkendall.features(
        wkendall.Rankings([[1, np.nan]], missing="anywhere"), 2 * wkendall.Kendall()), ValueError, "missing"),
    ("ties of orders", of(input="orders", ties="mean"), ValueError, "input"),
    ("ties of third order", bad([[1, 1, 2]], ties="mean", order=3), ValueError, "order"),
    ("ties with W", bad([[1, 1]], ties="mean", W=np.zeros((2,) * 4)), ValueError, "W"),
    ("anywhere with mult", bad([[1, np.nan]], missing="anywhere", weight="mult", u="log"), ValueError, "if"),
    ("U of two lists", of(U=([[1.0] * 5], [[1.0] * 5])), TypeError, "U"),
    ("U a tuple of rows", of(U=tuple(map(tuple, np.eye(5).tolist()))), TypeError, "U"),
    ("U a tuple of numbers", of(U=(1.0, 2.0)), TypeError, "U"),
    ("U mixed", of(U=(np.ones((1, 5)), (np.ones(5),))), TypeError, "U"),
    ("U mixed the other way", of(U=((np.ones(5),) * 2, np.ones((1, 5)))), TypeError, "U"),
    ("W too large", of(W=1e308 * EYE), ValueError, "W"),
    ("Y 1-d", bad(X, Y=X[0]), ValueError, ("Y", None, None, "axes")),
    ("Y of mixed bases", bad(X, Y=[[1, 2, 3, 4, 5], [0, 1, 2, 3, 4]]), ValueError, ("Y", 0, 4, "mixed base")),
    ("correlation of a weight unknown", lambda: wkendall.KendallCorrelation("x")([1, 2], [1, 2]), ValueError, "weight"),
    ("correlation without u", lambda: wkendall.KendallCorrelation("add")([1, 2], [1, 2]), ValueError, "u"),
    ("correlation of lengths", lambda: wkendall.KendallCorrelation()([1, 2], [1, 2, 3]),
     ValueError, ("Y", None, None, "items differ")),
    ("embedding without axes", lambda: wkendall.embed(X, 3.0), ValueError, ("U", None, None, "axes")),
    ("embedding of the wrong size", lambda: wkendall.embed(X, np.ones(4)), ValueError, "U"),
    ("embedding not finite", lambda: wkendall.embed(X, [1, 2, 3, 4, np.nan]), ValueError, "U"),
    ("sum with too few coefficients", lambda: wkendall.combine(X, [1, 2], np.ones(5)), ValueError, "coef"),
    ("sum with words", lambda: wkendall.combine(X, ["a"] * 6, np.ones(5)), TypeError, "coef"),
    ("linear function of other axes", lambda: wkendall.linear_function(X, np.ones(5), np.eye(5)),
     ValueError, ("B", None, None, "axes")),
    ("linear function of the wrong size", lambda: wkendall.linear_function(X, np.ones(5), np.ones(4)), ValueError, "B"),
    ("inverse of scores that are tied", lambda: wkendall.inverse(wkendall.Rankings([[1, 1]], input="scores")),
     ValueError, ("X", 0, 1, "duplicate")),
    ("positions of order 400", lambda: wkendall.position_weights(10, order=400), ValueError, "order"),
    ("positions of huge order", lambda: wkendall.position_weights(10, order=HUGE), ValueError, "order"),
    ("positions of huge n", lambda: wkendall.position_weights(HUGE), ValueError, "n"),
]  # fmt: skip
