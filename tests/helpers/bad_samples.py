"""Bad input for tests of groups and of dependence: what is wrong, how it is called, the exception, what its message must say.

The last is a regular expression.
"""

import numpy as np
import pandas as pd
import wkendall
from bad_objects import X, Y, masked


def compared(*groups, **options):
    return lambda: wkendall.two_sample_test(*groups, **options)


def beside(y, **options):
    return lambda: wkendall.independence_test(X, y, **options)


SAMPLES = [
    ("one group", compared(X), TypeError, r"^Y is missing: a test needs at least two groups of rankings, one array for each$"),
    ("an empty group", compared(X, X[:0]), ValueError, r"^Y has 0 rankings, but a group must have at least 2$"),
    ("a first group of one", compared(X[:1], X), ValueError, r"^X has 1 ranking, but a group must have at least 2$"),
    ("a third group of one", compared(X, X, X[:1]), ValueError, r"^more\[0\] has 1 ranking, but a group must have at least 2$"),
    ("groups of other items", compared(X, X[:, :4].argsort()), ValueError, r"^X has 5 items, but Y has 4: both must rank"),
    ("a third group of other items", compared(X, X, X[:, :4].argsort()), ValueError, r"^X has 5 items, but more\[0\] has 4"),
    ("groups with other names", compared(*(pd.DataFrame(X, columns=list(names)) for names in ("abcde", "abdce"))), ValueError,
     r"^item 2 is labelled 'c' in X and 'd' in Y"),
    ("a group with a rank twice", compared(X, X, [[1, 2, 3, 4, 4]]), ValueError, r"^more\[0\]: row 0 holds 4 twice, .*ties="),
    ("a group of names", compared(X, ["a", "b"]), ValueError, r"^Y is 1-dimensional, .*; use from_lists"),
    ("no permutations", compared(X, X, n_permutations=0), ValueError, r"^n_permutations is 0, but must be at least 1$"),
    ("half a permutation", compared(X, X, n_permutations=1.5), TypeError, r"^n_permutations must be an integer, not 1\.5$"),
    ("too many permutations", compared(X, X, n_permutations=2**60), ValueError, r": ask for fewer permutations$"),
    ("rng a text", compared(X, X, rng="a"), TypeError, r"^rng must be None, a seed from 0 or a numpy.random.Generator, not 'a'"),
    ("rng negative", compared(X, X, rng=-1), ValueError, r"^rng must be None, a seed from 0 or .*, not -1$"),
    ("rng of before", compared(X, X, rng=np.random.RandomState(0)), TypeError, r"^rng must be None, a seed from 0"),
    ("kernel of a test unknown", compared(X, X, kernel="gauss"), ValueError, r"^kernel is 'gauss', but must be one of"),
    ("kernel of a test no word", compared(X, X, kernel=3), TypeError, r"^kernel must be one of 'mallows', 'kendall', not 3"),
    ("Mallows with a weight", compared(X, X, kernel="mallows", weight="top", k=2), ValueError,
     r'^weight goes with kernel="kendall", not with kernel="mallows"$'),
    ("Mallows with signed", compared(X, X, signed=True), ValueError, r'^signed=True goes with kernel="kendall"$'),
    ("lam with a weight", compared(X, X, weight="average", lam=1), ValueError, r'^lam goes with kernel="mallows", not with'),
    ("lam of a test negative", compared(X, X, lam=-1), ValueError, r"^lam is -1\.0: .* not negative"),
    ("lam of a test a text", compared(X, X, lam="a"), TypeError, r"^lam must be a real number, not 'a'$"),
    ("normalize of a test", compared(X, X, normalize=1), TypeError, r"^normalize must be True or False, not 1$"),
    ("k of a test", compared(X, X, weight="top", k=9), ValueError, r"^k is 9, but must be from 1 to 5"),
    ("n_jobs of a test", compared(X, X, n_jobs=0), ValueError, r"^n_jobs is 0"),
    ("progress of a test", compared(X, X, progress=1), TypeError, r"^progress must be True or False"),
    ("missing of a test", compared(X, X, missing="top"), ValueError, r"^missing is 'top', but must be one of"),
    ("y too short", beside([1, 2]), ValueError, r"^y has 2 values, but X has 6 rankings: it must have one for each$"),
    ("labels too short", beside(["a"]), ValueError, r"^y has 1 values, but X has 6 rankings"),
    ("rankings of y too few", beside(X[:4], y_kernel="mallows"), ValueError, r"^y has 4 values, but X has 6 rankings"),
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
    ("rankings of y", beside(np.ones((6, 3)), y_kernel="kendall"), ValueError, r"^y: row 0 holds 1 twice"),
    ("y_kernel unknown", beside(Y, y_kernel="linear"), ValueError, r"^y_kernel is 'linear', but must be one of 'auto', 'delta'"),
    ("y_options no dictionary", beside(Y, y_options=3), TypeError, r"^y_options must be a dictionary of options, not 3$"),
    ("y_options unknown", beside(Y, y_options={"width": 1}), ValueError,
     r"^y_options has 'width', but the kernel 'gaussian' of y takes bandwidth$"),
    ("y_options of labels", beside(Y, y_kernel="delta", y_options={"lam": 1}), ValueError, r"'delta' of y takes no options$"),
    ("bandwidth zero", beside(Y, y_options={"bandwidth": 0}), ValueError, r"^bandwidth is 0\.0, but must be a finite number"),
    ("bandwidth a text", beside(Y, y_options={"bandwidth": "a"}), TypeError, r"^bandwidth must be one number above 0, of real"),
    ("one ranking beside a label", lambda: wkendall.independence_test(X[:1], ["a"]), ValueError, r"^X has 1 ranking, but a"),
    ("independence without permutations", beside(Y, n_permutations=-1), ValueError, r"^n_permutations is -1"),
    ("independence with a bad rng", beside(Y, rng=1.5), TypeError, r"^rng must be None, a seed"),
]  # fmt: skip
