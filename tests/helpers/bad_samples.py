"""Bad input for tests of groups and of dependence: what is wrong, how it is called, the exception, what its message must say.

The last is a regular expression.
"""

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
    ("one group", compared(X), TypeError, r"^two_sample_test needs at least two groups of rankings, one array for each$"),
    ("an empty group", compared(X, X[:0]), ValueError, r"^groups\[1\] has 0 rankings, but a group must have at least 2$"),
    ("a first group of one", compared(X[:1], X), ValueError, r"^groups\[0\] has 1 ranking, but a group must have at least 2$"),
    ("a third group of one", compared(X, X, X[:1]), ValueError, r"^groups\[2\] has 1 ranking, but a group must have at least 2$"),
    ("groups of other items", compared(X, X[:, :4].argsort()), ValueError,
     r"^groups\[0\] has 5 items, but groups\[1\] has 4: both must rank"),
    ("a third group of other items", compared(X, X, X[:, :4].argsort()), ValueError,
     r"^groups\[0\] has 5 items, but groups\[2\] has 4"),
    ("groups with other names", compared(*(pd.DataFrame(X, columns=list(names)) for names in ("abcde", "abdfe"))), ValueError,
     r"^groups\[0\] has the item 'c', but groups\[1\] does not: both must rank the same items$"),
    ("a group with a rank twice", compared(X, X, [[1, 2, 3, 4, 4]]), ValueError, r"^groups\[2\]: row 0 holds 4 twice, .*ties="),
    ("a group of names", compared(X, ["a", "b"]), ValueError, r"^groups\[1\] is 1-dimensional, .*; use from_lists"),
    ("no permutations", compared(X, X, n_permutations=0), ValueError, r"^n_permutations is 0, but must be at least 1$"),
    ("half a permutation", compared(X, X, n_permutations=1.5), TypeError, r"^n_permutations must be an integer, not 1\.5$"),
    ("too many permutations", compared(X, X, n_permutations=2**60), ValueError, r": ask for fewer permutations$"),
    ("rng a text", compared(X, X, rng="a"), TypeError, r"^rng must be None, a seed from 0 or a numpy.random.Generator, not 'a'"),
    ("rng negative", compared(X, X, rng=-1), ValueError, r"^rng must be None, a seed from 0 or .*, not -1$"),
    ("rng of before", compared(X, X, rng=np.random.RandomState(0)), TypeError, r"^rng must be None, a seed from 0"),
    ("kernel of a test a name", compared(X, X, kernel="mallows"), TypeError, r"^kernel must be a measure, .* not 'mallows'$"),
    ("kernel of a test a distance", compared(X, X, kernel=wkendall.KendallDistance()), ValueError,
     r"^two_sample_test needs a kernel, but KendallDistance\(\) is a distance"),
    ("kernel of a test with an unused k", compared(X, X, kernel=wkendall.Kendall(k=2)), ValueError, r"^k is given, but"),
    ("lam of a test negative", compared(X, X, kernel=wkendall.Mallows(-1)), ValueError, r"^lam is -1\.0: .* not negative"),
    ("lam of a test a text", compared(X, X, kernel=wkendall.Mallows("a")), TypeError, r"^lam must be a real number, not 'a'$"),
    ("normalize of a test", compared(X, X, kernel=wkendall.Mallows(normalize=1)), TypeError,
     r"^normalize must be True or False, not 1$"),
    ("k of a test", compared(X, X, kernel=wkendall.Kendall("top", k=9)), ValueError, r"^k is 9, but must be from 1 to 5"),
    ("n_jobs of a test", compared(X, X, n_jobs=0), ValueError, r"^n_jobs is 0"),
    ("progress of a test", compared(X, X, progress=1), TypeError, r"^progress must be True or False"),
    ("y too short", beside([1, 2]), ValueError, r"^y has 2 values, but X has 6 rankings: it must have one for each$"),
    ("labels too short", beside(["a"]), ValueError, r"^y has 1 values, but X has 6 rankings"),
    ("rankings of y too few", beside(wkendall.Rankings(X[:4])), ValueError, r"^y has 4 values, but X has 6 rankings"),
    ("y not there", beside(None), TypeError, r"^y must be labels, numbers, .* one for each row of X, not None$"),
    ("y one number", beside(3), TypeError, r"^y must be labels, numbers, vectors or rankings, .* not 3$"),
    ("y ragged", beside([[1], [1, 2]]), ValueError, r"^y cannot be converted to an array, because its rows differ in length"),
    ("y NaN", beside([1, 2, 3, np.nan, 5, 6]), ValueError, r"^y\[3\] is nan: numbers must be finite$"),
    ("vectors infinite", beside(np.full((6, 2), np.inf)), ValueError, r"^y\[0, 0\] is inf: numbers must be finite$"),
    ("y complex", beside(np.ones(6) * 1j), TypeError, r"^y has dtype complex128, but must be labels, real numbers"),
    ("y masked", beside(masked(np.arange(6.0), 2)), ValueError, r"^y has masked entries, one at place 2"),
    ("y of three axes", beside(np.ones((6, 1, 1))), ValueError, r"^y is 3-dimensional"),
    ("a label that is not there", beside(["a", "b", None, "a", "b", "a"]), ValueError, r"^y\[2\] is None: every ranking needs"),
    ("labels in two axes", beside([["a"]] * 6), ValueError, r"^y has shape \(6, 1\), but there must be one label for each"),
    ("labels that are lists", beside(np.array([[1], [2, 3]] * 3, dtype=object)), TypeError, r"^y\[0\] is \[1\], but a label is"),
    ("rankings of y", beside(np.ones((6, 3)), y_kernel=wkendall.Kendall()), ValueError, r"^y: row 0 holds 1 twice"),
    ("y_kernel unknown", beside(Y, y_kernel="linear"), ValueError,
     r"^y_kernel is 'linear', but must be one of 'delta', 'gaussian'"),
    ("bandwidth of labels", beside(Y, y_kernel="delta", bandwidth=1), ValueError,
     r'^bandwidth is given, but y has labels: it goes with y_kernel="gaussian"$'),
    ("bandwidth of rankings", beside(X, y_kernel=wkendall.Kendall(), bandwidth=1), ValueError,
     r'^bandwidth is given, but y has rankings: it goes with y_kernel="gaussian"$'),
    ("names of kernels beside rankings", beside(wkendall.Rankings(X), y_kernel="delta"), ValueError,
     r"^y_kernel is 'delta', but y is a Rankings: pass a kernel between rankings$"),
    ("y_kernel a distance", beside(X, y_kernel=wkendall.KendallDistance()), ValueError,
     r"^independence_test needs a kernel, but KendallDistance\(\) is a distance"),
    ("bandwidth zero", beside(Y, bandwidth=0), ValueError, r"^bandwidth is 0\.0, but must be a finite number"),
    ("bandwidth a text", beside(Y, bandwidth="a"), TypeError, r"^bandwidth must be one number above 0, of real"),
    ("one ranking beside a label", lambda: wkendall.independence_test(X[:1], ["a"]), ValueError, r"^X has 1 ranking, but a"),
    ("independence without permutations", beside(Y, n_permutations=-1), ValueError, r"^n_permutations is -1"),
    ("independence with a bad rng", beside(Y, rng=1.5), TypeError, r"^rng must be None, a seed"),
]  # fmt: skip
