"""Bad input for what looks at pairs of items; rows as in `bad_kernels`."""

import numpy as np
import wkendall
from definitions import random_rankings
from sklearn.exceptions import NotFittedError
from wkendall import Kendall, Rankings, TensorKernel, plotting

X = random_rankings(np.random.default_rng(0), 6, 5)
MANY = random_rankings(np.random.default_rng(1), 3, 21)
TIED, OPEN = [[1, 1, 2]], [[1, np.nan, 2]]
WORDS, DISTANCE = ["a"] * 6, wkendall.KendallDistance()


def best(values=X, **options):
    return lambda: wkendall.consensus(values, **options)


def pairs(values=X, coef=(1.0,) * 6, **options):
    return lambda: wkendall.pair_importance(values, coef, **options)


PAIRS = [
    ("consensus of differing items", best([[1, 2, 3], [1, 2]]), ValueError, ("X", 1, None, "ragged")),
    ("consensus with weights of items", best([[1, 2, 3]], kernel=wkendall.Kendall(item_weight=[1, 2, 3])),
     ValueError, "item_weight"),
    ("importance with weights of items", pairs([[1, 2, 3]], [1.0], kernel=wkendall.Kendall(item_weight=[1, 2, 3])),
     ValueError, "item_weight"),
    ("consensus of one ranking", best([1, 2, 3]), ValueError, ("X", None, None, "axes")),
    ("consensus of no rankings", best(np.empty((0, 3))), ValueError, ("X", None, None, "no rankings")),
    ("consensus of words", best([["a", "b"]]), (TypeError, ValueError), ("X", 0, 0, "text")),
    ("consensus of ties", best(TIED), ValueError, ("X", 0, 1, "duplicate")),
    ("consensus of missing items", best(OPEN), ValueError, ("X", 0, 1, "nan")),
    ("consensus with too few weights", best(sample_weight=[1, 2]), ValueError, "sample_weight"),
    ("consensus with a negative weight", best(sample_weight=[1, 1, -2, 1, 1, 1]), ValueError, "sample_weight"),
    ("consensus with zero weights", best(sample_weight=np.zeros(6)), ValueError, "sample_weight"),
    ("consensus with words for weights", best(sample_weight=WORDS), TypeError, "sample_weight"),
    ("consensus by no method", best(method="kemeny"), ValueError, "method"),
    ("consensus by a number", best(method=3), TypeError, "method"),
    ("consensus of many items", best(MANY, method="exact", kernel=Kendall("average")), ValueError, "method"),
    ("consensus of products of many", best(MANY[:, :0].reshape(3, 0), method="exact", kernel=Kendall("mult")),
     ValueError, "u"),
    ("consensus with a bad seed", best(rng=-1), ValueError, "rng"),
    ("consensus with a word for a seed", best(rng="x"), TypeError, "rng"),
    ("consensus of triples", best(kernel=Kendall(order=3)), ValueError, "order"),
    ("consensus with W", best(kernel=TensorKernel(W=np.ones((5,) * 4))), ValueError, "W"),
    ("consensus with an unknown weight", best(kernel=Kendall("nothing")), ValueError, "weight"),
    ("consensus with a wrong U", best(kernel=TensorKernel(np.eye(4))), ValueError, "U"),
    ("consensus by a distance", best(kernel=DISTANCE), ValueError, ("kernel", None, None, "no kernel")),
    ("consensus anywhere with a weight", best(Rankings(OPEN, missing="anywhere"), kernel=Kendall("average")),
     ValueError, "if"),
    ("pairs with too few coefficients", pairs(coef=[1, 2]), ValueError, ("coef", None, None, "rows differ")),
    ("pairs of several functions", pairs(coef=np.ones((3, 6))), ValueError, "coef"),
    ("pairs with words", pairs(coef=WORDS), TypeError, "coef"),
    ("no pairs", pairs(n_pairs=0), ValueError, "n_pairs"),
    ("pairs by halves", pairs(n_pairs=1.5), TypeError, "n_pairs"),
    ("pairs of ties", pairs(TIED, [1.0]), ValueError, ("X", 0, 1, "duplicate")),
    ("pairs anywhere with a weight", pairs(Rankings(OPEN, missing="anywhere"), [1.0], kernel=Kendall("top", k=1)),
     ValueError, "if"),
    ("consensus of clusters before fit", lambda: wkendall.KendallKMeans(2).consensus(), NotFittedError, "This"),
    ("consensus of clusters by no method", lambda: wkendall.KendallKMeans(2).fit(X).consensus(method="x"),
     ValueError, "method"),
    ("consensus of clusters of triples", lambda: wkendall.KendallKMeans(2, Kendall(order=3)).fit(X).consensus(),
     ValueError, "order"),
    ("picture of no pairs", lambda: plotting.plot_pairs([1, 2]), TypeError, "importance"),
    ("picture of halves of pairs", lambda: plotting.plot_pairs(([1], [2, 3], [0.5, 1])), ValueError, "importance"),
    ("map of one ranking", lambda: plotting.plot_map(X[:1]), ValueError, "X"),
    ("map by a distance", lambda: plotting.plot_map(X, kernel=DISTANCE), ValueError, ("kernel", None, None, "no kernel")),
    ("map with too few groups", lambda: plotting.plot_map(X, groups=[1, 2]), ValueError, "groups"),
    ("map on nothing", lambda: plotting.plot_map(X, ax=3), TypeError, "ax"),
    ("weights with too few names", lambda: plotting.plot_weights(np.eye(3), items=["a"]), ValueError, "items"),
]  # fmt: skip
