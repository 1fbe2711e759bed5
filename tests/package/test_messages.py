"""Whole messages, as users of Python and of the command line see them. All other tests compare attributes."""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import wkendall
from command_line import folder, without_sizes  # noqa: F401
from scipy.sparse import csr_array
from wkendall import Kendall, Mallows, Rankings, TensorKernel, consensus, corr, datasets, from_lists, neighbors
from wkendall.cli import main

NAN = np.nan
gram = wkendall.gram_matrix

PYTHON = [
    (lambda: gram([[1, 2, 3], [2, 1, 2]]),
     'X: row 1 holds 2 twice, in columns 0 and 2, but every row of 3 items must be a permutation of 1..3; ties="mean" '
     'treats equal numbers as ties, with input="scores" if larger numbers are better'),
    (lambda: gram([[0.5, 1, 0.5]], input="scores"),
     'X: row 0 holds 0.5 twice, in columns 0 and 2: the numbers of a row must all differ; ties="mean" treats equal numbers'
     " as ties"),
    (lambda: gram([[1, 2, 3]], [[1, 4, 2]]),
     "Y: row 0, column 1 holds 4, but every row of 3 items must be a permutation of 1..3; "
     'input="scores" reads real numbers as scores, where larger is better'),
    (lambda: gram([[61, 2, 7], [7, 2, 30]]),
     "X: row 0, column 0 holds 61, but every row of 3 items must be a permutation of 1..3; from_lists takes rows of item "
     "numbers, best first, out of a larger catalogue"),
    (lambda: gram([[1, 2, 3], [0, 2, 1]]),
     "X: row 0, column 2 holds 3 and row 1, column 0 holds 0, but rows of 3 items must all be permutations of 1..3 or all "
     "of 0..2"),
    (lambda: gram([[1, NAN, 2]]),
     'X: row 0, column 1 holds NaN: every item needs a number; missing="bottom" puts items without a number last, '
     'missing="anywhere" leaves their position open'),
    (lambda: gram([[1, 2], [2, NAN]], input="orders"),
     "X: row 1, column 1 holds NaN: every item needs a number; from_lists takes lists that leave out items"),
    (lambda: datasets.make_mallows(3, [1, 2.5, 3], 1.0),
     "center: row 0, column 1 holds 2.5, which is not a whole number: ranks and item numbers must be whole"),
    (lambda: gram([[1, 2.5, 4]]),
     "X: row 0, column 1 holds 2.5, which is not a whole number: ranks and item numbers must be whole; "
     'input="scores" reads real numbers as scores, where larger is better'),
    (lambda: wkendall.distance_matrix([[1, 2.5, 4]]),
     "X: row 0, column 1 holds 2.5, which is not a whole number: ranks and item numbers must be whole; "
     'Rankings(X, input="scores") reads real numbers as scores, where larger is better'),
    (lambda: gram([[1, 2.5, 2.5, 4]]),
     "X: row 0, column 1 holds 2.5, which is not a whole number but the mean rank of tied items: ranks must be whole; "
     'ties="mean" treats equal numbers as ties'),
    (lambda: gram([[1, 2.5, 2.5, 4]], input="orders"),
     "X: row 0, column 1 holds 2.5, which is not a whole number but the mean rank of tied items: an order lists item "
     'numbers; input="ranks" with ties="mean" reads such ranks'),
    (lambda: gram([[1, np.inf]], input="scores"), "X: row 0, column 1 holds inf: numbers must be finite"),
    (lambda: gram([["a", "b"], ["b", "a"]]),
     "X: row 0, column 0 holds 'a', a text, but rankings are made of real numbers; use from_lists for lists of names, best"
     " first, or ListEncoder in a pipeline"),
    (lambda: gram(pd.DataFrame([["2", 1], ["1", 2]] * 3 + [["k.A.", 2]], columns=["a", "b"])),
     "X: row 6, column 'a' holds 'k.A.', a text, but rankings are made of real numbers; turn texts that mean a missing number "
     "into NaN"),
    (lambda: gram([["1", "2"]]),
     "X: row 0, column 0 holds '1', a text, but rankings are made of real numbers; convert texts to numbers first"),
    (lambda: gram([["0,5", "0,25"]], input="scores"),
     "X: row 0, column 0 holds '0,5', a text, but rankings are made of real numbers; convert texts to numbers first"),
    (lambda: wkendall.rank_intervals(pd.DataFrame({"query": ["q1", "q2"], "bm25": [0.5, 0.25], "dense": [0.75, 0.5]})),
     "scores_or_rankings: row 0, column 'query' holds 'q1', a text, but rankings are made of real numbers; leave out columns "
     "of texts, or make them the index of a data frame"),
    (lambda: gram(pd.DataFrame([["a", NAN], ["b", "a"]])),
     "X: row 0, column 0 holds 'a', a text, but rankings are made of real numbers; use from_lists for lists of names, best"
     " first, or ListEncoder in a pipeline"),
    (lambda: gram([[True, False]]), "X: row 0, column 0 holds True, a boolean, but rankings are made of real numbers"),
    (lambda: gram(np.ma.masked_equal([[1, 2, 3]], 2)), "X: row 0, column 1 is masked: every entry needs a number; "
     'missing="bottom" puts items without a number last, missing="anywhere" leaves their position open'),
    (lambda: gram([1, 2, 3]),
     "X is 1-dimensional, of shape (3,), but must be a 2-d array, one ranking per row; [X] is one ranking"),
    (lambda: gram([[1, 2, 3], [1, 2]]), "X: row 1 has 2 items, but row 0 has 3: every row must rank the same items"),
    (lambda: gram(csr_array([[1, 0, 2]])),
     'X is sparse: items that a row does not store are not listed and come last, so pass missing="bottom"'),
    (lambda: gram([[1, 2]], [[1, 2, 3]]), "X has 2 items, but Y has 3: both must rank the same items"),
    (lambda: gram(Rankings([[1, 2]], items="ab"), Rankings([[1, 2]], items="ac")),
     "X has the item 'b', but Y does not: both must rank the same items; only Y has 'c'"),
    (lambda: neighbors(from_lists([["a", "b"], ["c", "a"]]), from_lists([["b", "a"]])),
     "X has 3 items, but Y has 2: both must rank the same items; only X has 'c'; from_lists(lists, items=...) makes lists of "
     "the same items"),
    (lambda: neighbors(from_lists([["a", "b"], ["c", "a"]]), from_lists([["b", "a"], ["d"]])),
     "X has the item 'c', but Y does not: both must rank the same items; only Y has 'd'; from_lists(lists, items=...) makes "
     "lists of the same items"),
    (lambda: gram(from_lists([["a", "b"]]), from_lists([["a", "c"]])),
     "X has the item 'b', but Y does not: both must rank the same items; only Y has 'c'; from_lists(lists, items=...) "
     "makes lists of the same items"),
    (lambda: gram([[1, 2, 3]], weight="top"),
     "k is missing: the weight 'top' needs the number of ranks that count, from 1 to 3"),
    (lambda: gram([[1, 2, 3]], weight="top", k=9), "k is 9, but must be from 1 to 3, the number of items"),
    (lambda: gram([[1, 2, 3]], u="log"),
     "u is given, but the weight 'standard' does not use it: it goes with 'add', 'mult' and 'later'"),
    (lambda: gram([[1, 2, 3]], weight="mult", u=[1, NAN, 3]), "u[1] is NaN: position weights must be finite"),
    (lambda: gram([[1, 2, 3]], signed=True, order=3), "order is 3, but only kernels of order 2 have a signed form"),
    (lambda: gram([[1, 2, 3]], weight="kendall"),
     "weight is 'kendall', but must be one of 'standard', 'top', 'add', 'mult', 'average', 'later'"),
    (lambda: gram([[1, 2, 3]], kernel=Mallows(-1.0)),
     "lam is -1.0: the Mallows kernel needs a finite number that is not negative"),
    (lambda: gram(Rankings([[1, 1, 2]], ties="mean"), kernel=Kendall(order=3)),
     "order is 3, but rankings with ties or missing items take orders 1 and 2 only: means over more than two tied items at"
     " a time are not implemented"),
    (lambda: gram([[1, 2]], kernel=TensorKernel(W=-np.ones((2,) * 4))),
     "W is not positive semi-definite: as a matrix of the pairs of positions a < b its most negative eigenvalue is -1, the"
     " largest -1; pass check=False to use it anyway"),
    (lambda: neighbors([[1, 2], [2, 1]], n_neighbors=2),
     "n_neighbors is 2, but there are 1 other rankings: it must be from 1 to 1"),
    (lambda: consensus(np.empty((0, 3))), "X has no rankings: a consensus needs at least one"),
    (lambda: consensus([[1, 2, 3]], kernel=Kendall() + Kendall("average")),
     "kernel is Kendall() + Kendall('average'), but consensus needs a kernel of pairs of items: Kendall, or TensorKernel with "
     "U; pass one of the kernels that it combines"),
    (lambda: consensus([[1, 2, 3]], kernel=Mallows()),
     "kernel is Mallows(), but consensus needs a kernel of pairs of items: Kendall, or TensorKernel with U; Kendall() gives "
     "the ranking with the smallest mean distance"),
    (lambda: from_lists([["a", "b"], ["b", "b"]]), "list 1 holds 'b' twice, in places 0 and 1: an item has one rank"),
    (lambda: wkendall.pair_differences([[1, 2]] * 6, np.array(["young", "old", "middle"] * 2)),
     "groups has 3 different labels, but there must be exactly 2 groups; groups == 'middle' compares this group with all others"),
    (lambda: wkendall.pair_differences([[1, 2]] * 6, "sex"),
     "groups must be labels, one for each row of X, not 'sex'; pass the column, such as table['sex']"),
    (lambda: wkendall.two_sample_test([[1, 2]] * 6, groups="sex"),
     "groups must be labels, one for each row of X, not 'sex'; pass the column, such as table['sex']"),
    (lambda: wkendall.two_sample_test([[1, 2]] * 6, groups=3), "groups must be labels, one for each row of X, not 3"),
    (lambda: wkendall.plotting.plot_map([[1, 2]] * 6, groups="sex"),
     "groups is 'sex', but must have a label for each of the 6 rankings; pass the column, such as table['sex']"),
    (lambda: Rankings([[1, 2]] * 6).describe(by="sex"),
     "by is 'sex', but must have a label for each of the 6 rankings; pass the column, such as table['sex']"),
    (lambda: corr([[1, 2], [2, 1]], method="kendall"),
     "method is 'kendall', but must be one of 'tau-b', 'tau-a', 'tau-c', 'gamma', 'somers', 'spearman'; the Kendall "
     'correlation of pandas and R is method="tau-b"'),
    (lambda: corr([[1, 2], [2, 1]], method="pearson"),
     "method is 'pearson', but must be one of 'tau-b', 'tau-a', 'tau-c', 'gamma', 'somers', 'spearman'; correlations here "
     "are those of ranks: corr of a pandas data frame computes Pearson's"),
    (lambda: corr(pd.DataFrame({"x": [1, 2], "name": ["Ann", "Bob"]})),
     "data: column 'name' holds 'Ann' in row 0, a text, but correlations need numbers, dates or ordered categories; leave "
     "the column out or turn it into numbers first"),
]  # fmt: skip
#: A file, the rest of the command, and the message.
COMMANDS = [
    ("a,b,c\n1,2,3\n1,3,3\n", "",
     "votes.csv: line 3 holds 3 twice, in columns 'b' and 'c', but every row of 3 items must be a permutation of 1..3; "
     "--ties mean treats equal numbers as ties, with --input scores if larger numbers are better"),
    ("a,b,c\n1,,3\n", "",
     "votes.csv: line 2, column 'b' holds NaN: every item needs a number; --missing bottom puts items without a number "
     "last, --missing anywhere leaves their position open"),
    ("a,b,c\n1,2.5,3\n", "",
     "votes.csv: line 2, column 'b' holds 2.5, which is not a whole number: ranks and item numbers must be whole; --input "
     "scores reads real numbers as scores, where larger is better"),
    ("a,b,c\n61,2,7\n7,2,30\n", "",
     "votes.csv: line 2, column 'a' holds 61, but every row of 3 items must be a permutation of 1..3; --layout choices reads "
     "cells as items, best first"),
    ("user,item,rank\n1,31,1\n1,7,2\n2,9,1\n2,31,2\n", "",
     "votes.csv: line 2, column 'item' holds 31, but every row of 3 items must be a permutation of 1..3; --layout long reads a "
     "line for each item of a ranking"),
    ("1,2,3\n0,1,2\n", "--no-header",
     "votes.csv: line 1, column 3 holds 3 and line 2, column 1 holds 0, but rows of 3 items must all be permutations of "
     "1..3 or all of 0..2"),
    ("who,item,rank\nAnn,a,1\nAnn,b,1\n", "--layout long",
     "votes.csv: ranking 'Ann' holds 1 twice, for items 'a' and 'b': the numbers of a row must all differ; --ties mean "
     "treats equal numbers as ties, with --input scores if larger numbers are better"),
    ("1st,2nd\na,b\nb,\n", "--layout choices --missing error",
     "votes.csv: line 3 leaves out item 'a'; --missing bottom puts items without a number last, --missing anywhere leaves "
     "their position open"),
    ("who,item,rank,age\nAnn,a,1,30\n", "--layout long",
     "votes.csv, line 1: there are 1 columns too many; a long table has one column each for the ranking, the item and the "
     "number: --id, --item and --value name them, --skip leaves out others"),
    ("a,a\n1,2\n", "", "votes.csv, line 1: columns 1 and 2 have the same name, 'a'"),
    ("a,b\n1,2\n", "--weight top", "--k is missing: the weight 'top' needs the number of ranks that count, from 1 to 2"),
    ("a,b\n1,2\n", "--weight mult --u 1,nan", "--u[1] is NaN: position weights must be finite"),
    ("a,b\n1,2\n", "--order 3 --signed", "--order is 3, but only kernels of order 2 have a signed form"),
    ("a,b\n1,1\n", "--ties mean --order 3",
     "--order is 3, but rankings with ties or missing items take orders 1 and 2 only: means over more than two tied items "
     "at a time are not implemented"),
    ("a,b\n1,2\n", "--against y.npy", "votes.csv has 2 items, but y.npy has 5: both must rank the same items"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), PYTHON, ids=[message for _, message in PYTHON])
def test_python(call, message):
    with pytest.raises((ValueError, TypeError)) as raised:
        call()
    assert str(raised.value) == message


@pytest.mark.parametrize(("text", "options", "message"), COMMANDS, ids=[message for *_, message in COMMANDS])
def test_command_line(text, options, message, capsys):
    Path("votes.csv").write_text(text)
    assert main(["gram", "votes.csv", "-o", "out.npy", *shlex.split(options)]) == 1
    assert without_sizes(capsys.readouterr().err) == f"wkendall: {message}\n"
