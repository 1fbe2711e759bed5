"""Bad input for tests of groups and of dependence; rows as in `bad_kernels`."""

import numpy as np
import pandas as pd
import wkendall
from bad_kernels import X, masked

Y = [0, 1, 0, 1, 0, 1]


def compared(*groups, **options):
    return lambda: wkendall.two_sample_test(*groups, **options)


def beside(y, **options):
    return lambda: wkendall.independence_test(X, y, **options)


SAMPLES = [
    ("one group", compared(X), TypeError, "two_sample_test"),
    ("an empty group", compared(X, X[:0]), ValueError, ("groups", None, None, "too few")),
    ("groups of other items", compared(X, X[:, :4].argsort()), ValueError, ("groups[1]", None, None, "items differ")),
    ("a third group of other items", compared(X, X, X[:, :4].argsort()),
     ValueError, ("groups[2]", None, None, "items differ")),
    ("groups with other names", compared(*(pd.DataFrame(X, columns=list(names)) for names in ("abcde", "abdfe"))),
     ValueError, ("groups[1]", None, 2, "items differ")),
    ("a group with a rank twice", compared(X, X, [[1, 2, 3, 4, 4]]), ValueError, ("groups[2]", 0, 4, "duplicate")),
    ("a group of names", compared(X, ["a", "b"]), ValueError, ("groups", None, None, "axes")),
    ("no permutations", compared(X, X, n_permutations=0), ValueError, "n_permutations"),
    ("half a permutation", compared(X, X, n_permutations=1.5), TypeError, "n_permutations"),
    ("too many permutations", compared(X, X, n_permutations=2**60), ValueError, "the"),
    ("rng a text", compared(X, X, rng="a"), TypeError, "rng"),
    ("rng negative", compared(X, X, rng=-1), ValueError, "rng"),
    ("lam of a test negative", compared(X, X, kernel=wkendall.Mallows(-1)), ValueError, "lam"),
    ("lam of a test a text", compared(X, X, kernel=wkendall.Mallows("a")), TypeError, "lam"),
    ("normalize of a test", compared(X, X, kernel=wkendall.Mallows(normalize=1)), TypeError, "normalize"),
    ("k of a test", compared(X, X, kernel=wkendall.Kendall("top", k=9)), ValueError, "k"),
    ("n_jobs of a test", compared(X, X, n_jobs=0), ValueError, "n_jobs"),
    ("progress of a test", compared(X, X, progress=1), TypeError, "progress"),
    ("y too short", beside([1, 2]), ValueError, ("y", None, None, "rows differ")),
    ("rankings of y too few", beside(wkendall.Rankings(X[:4])), ValueError, ("y", None, None, "rows differ")),
    ("y not there", beside(None), TypeError, "y"),
    ("y ragged", beside([[1], [1, 2]]), ValueError, "y"),
    ("y NaN", beside([1, 2, 3, np.nan, 5, 6]), ValueError, ("y", 3, 0, "infinite")),
    ("y complex", beside(np.ones(6) * 1j), TypeError, "y"),
    ("y masked", beside(masked(np.arange(6.0), 2)), ValueError, ("y", None, None, "masked")),
    ("y of three axes", beside(np.ones((6, 1, 1))), ValueError, ("y", None, None, "axes")),
    ("a label that is not there", beside(["a", "b", None, "a", "b", "a"]), ValueError, ("y", 2, None, "nan")),
    ("labels in two axes", beside([["a"]] * 6), ValueError, ("y", None, None, "axes")),
    ("labels that are lists", beside(np.array([[1], [2, 3]] * 3, dtype=object)), TypeError, "y"),
    ("rankings of y", beside(np.ones((6, 3)), y_kernel=wkendall.Kendall()), ValueError, ("y", 0, 1, "duplicate")),
    ("y_kernel unknown", beside(Y, y_kernel="linear"), ValueError, "y_kernel"),
    ("bandwidth of labels", beside(Y, y_kernel="delta", bandwidth=1), ValueError, "bandwidth"),
    ("bandwidth of rankings", beside(X, y_kernel=wkendall.Kendall(), bandwidth=1), ValueError, "bandwidth"),
    ("names of kernels beside rankings", beside(wkendall.Rankings(X), y_kernel="delta"), ValueError, "y_kernel"),
    ("y_kernel a distance", beside(X, y_kernel=wkendall.KendallDistance()), ValueError, ("y_kernel", None, None, "no kernel")),
    ("bandwidth zero", beside(Y, bandwidth=0), ValueError, "bandwidth"),
    ("bandwidth a text", beside(Y, bandwidth="a"), TypeError, "bandwidth"),
    ("one ranking beside a label", lambda: wkendall.independence_test(X[:1], ["a"]), ValueError, ("X", None, None, "too few")),
    ("independence without permutations", beside(Y, n_permutations=-1), ValueError, "n_permutations"),
    ("independence with a bad rng", beside(Y, rng=1.5), TypeError, "rng"),
]  # fmt: skip
