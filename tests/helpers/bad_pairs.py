"""Bad input for what looks at pairs of items: what is wrong, how it is called, the exception, what its message must say.

The last is a regular expression.
"""

import numpy as np
import wkendall
from definitions import random_rankings
from sklearn.exceptions import NotFittedError
from wkendall import Kendall, Rankings, TensorKernel, plotting

X = random_rankings(np.random.default_rng(0), 6, 5)
MANY = random_rankings(np.random.default_rng(1), 3, 21)
TIED, OPEN = [[1, 1, 2]], [[1, np.nan, 2]]
WORDS = ["a"] * 6


def best(values=X, **options):
    return lambda: wkendall.consensus(values, **options)


def pairs(values=X, coef=(1.0,) * 6, **options):
    return lambda: wkendall.pair_importance(values, coef, **options)


PAIRS = [
    ("consensus of differing items", best([[1, 2, 3], [1, 2]]), ValueError, r"^X: row 1 has 2 "),
    ("consensus of one ranking", best([1, 2, 3]), ValueError, r"^X is 1-dimensional.*\[X\] is one ranking"),
    ("consensus of no rankings", best(np.empty((0, 3))), ValueError, r"^X has no rankings: a consensus needs at least one"),
    ("consensus of words", best([["a", "b"]]), (TypeError, ValueError), r"^X"),
    ("consensus of ties", best(TIED), ValueError, r'^X: row 0 holds 1 twice, in columns 0 and 1, .* ties="mean" treats equal'),
    ("consensus of missing items", best(OPEN), ValueError, r'^X: row 0, column 1 .*missing="bottom"'),
    ("consensus with too few weights", best(sample_weight=[1, 2]), ValueError,
     r"^sample_weight has 2 numbers, but X has 6 rankings"),
    ("consensus with a negative weight", best(sample_weight=[1, 1, -2, 1, 1, 1]), ValueError,
     r"^sample_weight\[2\] is -2\.0, but must be a finite number from 0$"),
    ("consensus with an endless weight", best(sample_weight=[1, 1, np.inf, 1, 1, 1]), ValueError, r"^sample_weight\[2\] is inf"),
    ("consensus with NaN for a weight", best(sample_weight=[np.nan] + [1] * 5), ValueError, r"^sample_weight\[0\] is nan"),
    ("consensus with zero weights", best(sample_weight=np.zeros(6)), ValueError,
     r"^sample_weight is zero for all rankings: at least one must count"),
    ("consensus with words for weights", best(sample_weight=WORDS), TypeError, r"^sample_weight must be .* real numbers"),
    ("consensus by no method", best(method="kemeny"), ValueError,
     r"^method is 'kemeny', but must be one of 'auto', 'exact', 'local', 'borda'"),
    ("consensus by a number", best(method=3), TypeError, r"^method must be one of 'auto'"),
    ("consensus of many items", best(MANY, method="exact"), ValueError,
     r'^method "exact" is for up to 20 items with this weight, but there are 21: use "auto" or "local"'),
    ("consensus of products of many", best(MANY[:, :0].reshape(3, 0), method="exact", kernel=Kendall("mult")), ValueError,
     r'^weight="mult" needs u'),
    ("consensus of products of eleven", best(np.argsort(MANY[:, :11]), method="exact", kernel=Kendall("mult", u="log")),
     ValueError, r'^method "exact" is for up to 10 items with this weight, but there are 11'),
    ("consensus with a bad seed", best(rng=-1), ValueError, r"^rng must be None, a seed from 0"),
    ("consensus with a word for a seed", best(rng="x"), TypeError, r"^rng must be None, a seed from 0"),
    ("consensus of triples", best(kernel=Kendall(order=3)), ValueError,
     r"^order is 3, but consensus is for pairs of items: order 2"),
    ("consensus with W", best(kernel=TensorKernel(W=np.ones((5,) * 4))), ValueError,
     r"^W does not go with consensus: pass U, a matrix"),
    ("consensus with an unknown weight", best(kernel=Kendall("nothing")), ValueError,
     r"^weight is 'nothing', but must be one of"),
    ("consensus with a wrong U", best(kernel=TensorKernel(np.eye(4))), ValueError,
     r"^U has shape \(4, 4\), but for rankings of 5 items"),
    ("consensus by a Mallows kernel", best(kernel=wkendall.Mallows()), ValueError,
     r"^kernel is Mallows\(\), but consensus needs a kernel of pairs of items: Kendall, or TensorKernel with U$"),
    ("consensus by a distance", best(kernel=wkendall.KendallDistance()), ValueError, r"^consensus needs a kernel, but Kendall"),
    ("consensus by a name", best(kernel="kemeny"), TypeError, r"^kernel must be a measure, .* not 'kemeny'$"),
    ("consensus anywhere with a weight", best(Rankings(OPEN, missing="anywhere"), kernel=Kendall("average")), ValueError,
     r"^if missing items can be anywhere, the weight must be the standard one"),
    ("pairs with too few coefficients", pairs(coef=[1, 2]), ValueError, r"^coef has 2 coefficients, but X has 6 rankings"),
    ("pairs of several functions", pairs(coef=np.ones((3, 6))), ValueError,
     r"^coef has shape \(3, 6\), the coefficients of 3 functions: pass those of one function at a time"),
    ("pairs with NaN", pairs(coef=[1, 1, np.nan, 1, 1, 1]), ValueError, r"^coef\[2\] is nan: coefficients must be finite"),
    ("pairs with words", pairs(coef=WORDS), TypeError, r"^coef must be an array of one coefficient"),
    ("no pairs", pairs(n_pairs=0), ValueError, r"^n_pairs is 0, but must be at least 1"),
    ("pairs by halves", pairs(n_pairs=1.5), TypeError, r"^n_pairs must be an integer, not 1\.5"),
    ("pairs by a Mallows kernel", pairs(kernel=wkendall.Mallows(0.5)), ValueError,
     r"^kernel is Mallows\(0\.5\), but pair_importance needs a kernel of pairs of items"),
    ("pairs of triples", pairs(kernel=Kendall(order=3)), ValueError,
     r"^order is 3, but pair_importance is for pairs of items: order 2"),
    ("pairs with W", pairs(kernel=TensorKernel(W=np.ones((5,) * 4))), ValueError,
     r"^W does not go with pair_importance: pass U"),
    ("pairs of ties", pairs(TIED, [1.0]), ValueError, r"^X: row 0 holds 1 twice"),
    ("pairs anywhere with a weight", pairs(Rankings(OPEN, missing="anywhere"), [1.0], kernel=Kendall("top", k=1)), ValueError,
     r"^if missing items can be anywhere, the weight must be the standard one"),
    ("consensus of clusters before fit", lambda: wkendall.KendallKMeans(2).consensus(), NotFittedError, "not fitted"),
    ("consensus of clusters by no method", lambda: wkendall.KendallKMeans(2).fit(X).consensus(method="x"), ValueError,
     r"^method is 'x'"),
    ("consensus of clusters of triples", lambda: wkendall.KendallKMeans(2, Kendall(order=3)).fit(X).consensus(), ValueError,
     r"^order is 3, but consensus is for pairs of items"),
    ("picture of no pairs", lambda: plotting.plot_pairs([1, 2]), TypeError, r"^importance must be what pair_importance returns"),
    ("picture of halves of pairs", lambda: plotting.plot_pairs(([1], [2, 3], [0.5, 1])), ValueError,
     r"^importance has 1, 2 and 2"),
    ("map of one ranking", lambda: plotting.plot_map(X[:1]), ValueError, r"^X has 1 rankings, but a map needs at least 2"),
    ("map with too few groups", lambda: plotting.plot_map(X, groups=[1, 2]), ValueError,
     r"^groups has shape \(2,\), but there are 6"),
    ("map on nothing", lambda: plotting.plot_map(X, ax=3), TypeError, r"^ax must be Axes"),
    ("weights with too few names", lambda: plotting.plot_weights(np.eye(3), items=["a"]), ValueError,
     r"^items has 1 names, but U is for 3 items"),
]  # fmt: skip
