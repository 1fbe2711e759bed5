"""What is accepted as rankings, and what everything else is told."""

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall
from definitions import random_rankings

X = random_rankings(np.random.default_rng(0), 6, 5)
MULT = {"weight": "mult", "u": "log"}
K = wkendall.gram_matrix(X, **MULT)
NAMES = ["a", "b", "c", "d", "e"]

ACCEPTED = {
    "list of lists": X.tolist(),
    "list of tuples": [tuple(row) for row in X.tolist()],
    "list of arrays": list(X),
    "from zero": X - 1,
    "fortran order": np.asfortranarray(X),
    "strided view": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed view": X[::-1, ::-1][::-1, ::-1],
    "read-only": np.frombuffer(X.tobytes(), dtype=X.dtype).reshape(X.shape),
    "unaligned": np.frombuffer(b"." + X.tobytes(), dtype=X.dtype, offset=1).reshape(X.shape),
    "other byte order": X.astype(">i4"),
    "python objects": X.astype(object),
    "fractions": [[Fraction(value) for value in row] for row in X.tolist()],
    "decimals": [[Decimal(value) for value in row] for row in X.tolist()],
    "masked, nothing masked": np.ma.array(X),
    "pandas": pd.DataFrame(X, columns=NAMES),
    "pandas nullable": pd.DataFrame(X, columns=NAMES).astype("Int64"),
    "pandas mixed types": pd.DataFrame(X, columns=NAMES).astype({"a": "float32", "b": "uint8"}),
    "polars": pl.DataFrame(X, schema=NAMES),
    **{
        f"{name}": X.astype(name) for name in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    },
    **{f"{name}": X.astype(name) for name in ["float16", "float32", "float64", "longdouble"]},
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_accepted(kind):
    assert (wkendall.gram_matrix(ACCEPTED[kind], **MULT) == K).all()
    assert (wkendall.gram_matrix(ACCEPTED[kind], X, **MULT) == K).all()


@pytest.mark.parametrize("wrap", [list, np.asarray, pd.Series, pl.Series])
def test_one_ranking(wrap):
    assert wkendall.kernel(wrap(X[0].tolist()), wrap(X[1].tolist()), **MULT) == K[0, 1]


def test_orders_and_scores():
    orders = np.argsort(X, axis=1)
    for input, values in [
        ("orders", orders),
        ("orders", orders + 1),
        ("scores", -X),
        ("scores", 1 / X),
        ("scores", -(X**3.0)),
    ]:
        assert (wkendall.gram_matrix(values, input=input, **MULT) == K).all()
        assert (wkendall.gram_matrix(values, values, input=input, **MULT) == K).all()
        assert (wkendall.gram_matrix(values, input=input, top="high", **MULT)
                == wkendall.gram_matrix(X, top="high", **MULT)).all()  # fmt: skip
        assert wkendall.kernel(values[0], values[1], input=input, **MULT) == K[0, 1]


def test_large_whole_scores_stay_apart():
    near = 2**62
    scores = near - X
    assert (wkendall.gram_matrix(scores, input="scores", **MULT) == K).all()
    assert (wkendall.gram_matrix(scores.astype(np.uint64) * 3, input="scores", **MULT) == K).all()
    assert (wkendall.gram_matrix((2**63 - X.astype(object)), input="scores", **MULT) == K).all()


def test_the_input_is_left_alone():
    before = X.copy()
    wkendall.gram_matrix(X, top="high")
    assert (before == X).all()


def test_position_weights_by_name_and_by_value():
    ranks = np.arange(1, 6)
    for name, values in [("hyperbolic", 1 / (ranks + 1)), ("log", 1 / np.log2(ranks + 1))]:
        unaligned = np.frombuffer(b"." + values.tobytes(), offset=1)
        for u in (values, values.tolist(), pd.Series(values), values.astype(object), values[::-1][::-1], unaligned):
            for weight in ("add", "mult"):
                assert (
                    wkendall.gram_matrix(X, weight=weight, u=u) == wkendall.gram_matrix(X, weight=weight, u=name)
                ).all()
    assert wkendall.gram_matrix(X, weight="mult", u=[1, 2, 3, 4, 5]).dtype == np.float64


def test_triangular_weight_matrix_is_the_named_kernel():
    u = 1 / np.log2(np.arange(2, 7))
    np.testing.assert_allclose(wkendall.gram_matrix(X, U=np.triu(np.outer(u, u), 1)), K, rtol=1e-14)


def bad(values, **options):
    return lambda: wkendall.gram_matrix(values, **options)


def with_nan():
    values = X.astype(float)
    values[2, 3] = np.nan
    return values


def read_only():
    out = np.empty((6, 6))
    out.flags.writeable = False
    return out


def changed(row, column, value, base=X):
    values = base.copy()
    values[row, column] = value
    return values


# What is wrong, how it is called, the exception, what its message must say.
REFUSED = [
    ("duplicate", bad([[1, 2, 3], [2, 1, 2]]), ValueError,
     r"X: row 1 holds 2 twice, in columns 0 and 2, but every row of 3 items must be a permutation of 1\.\.3"),
    ("duplicate in Y", bad(X[:, :3].argsort() + 1, Y=[[1, 1, 2]]), ValueError, r"Y: row 0 holds 1 twice, in columns 0 and 1"),
    ("gap", bad([[1, 2, 4]]), ValueError, r"X: row 0, column 2 holds 4, but .* permutation of 1\.\.3"),
    ("below range", bad([[1, -2, 3]]), ValueError, r"X: row 0, column 1 holds -2, but .* 1\.\.3"),
    ("far out of range", bad([[1, 2**63 - 1]]), ValueError, r"column 1 holds 9223372036854775807"),
    ("beyond 64 bits", bad([[1, 2**70]]), ValueError, r"holds 1180591620717411303424, a number of more than 64 bits"),
    ("starts at two", bad([[2, 3, 4]]), ValueError, r"X: row 0, column 2 holds 4, but .* 1\.\.3"),
    ("mixed bases", bad([[1, 2, 3], [0, 2, 1]]), ValueError,
     r"X: row 0, column 2 holds 3 and row 1, column 0 holds 0, but .* all be permutations of 1\.\.3 or all of 0\.\.2"),
    ("NaN", bad(with_nan()), ValueError, r"X: row 2, column 3 holds NaN"),
    ("NaN in scores", bad(with_nan(), input="scores"), ValueError, r"X: row 2, column 3 holds NaN"),
    ("None", bad([[1, None]]), ValueError, r"X: row 0, column 1 holds NaN"),
    ("pandas NA", bad(pd.DataFrame({"a": [1, 1], "b": [2, pd.NA]}).astype("Int64")), ValueError, r"X: row 1, column 1 holds NaN"),
    ("polars null", bad(pl.DataFrame({"a": [1, 1], "b": [2, None]})), ValueError, r"X: row 1, column 1 holds NaN"),
    ("masked", bad(np.ma.masked_equal(X, 3)), ValueError, r"X has masked entries"),
    ("infinite rank", bad([[1.0, np.inf]]), ValueError, r"X: row 0, column 1 holds inf"),
    ("infinite score", bad([[1.0, -np.inf]], input="scores"), ValueError, r"row 0, column 1 holds -inf: scores must be finite"),
    ("not whole", bad([[1.0, 1.5]]), ValueError, r"X: row 0, column 1 holds 1\.5, which is not a whole number"),
    ("tied scores", bad([[0.5, 1, 0.5]], input="scores"), ValueError, r"X: row 0 holds 0\.5 twice, in columns 0 and 2"),
    ("tied whole scores", bad([[5, 5]], input="scores"), ValueError, r"X: row 0 holds 5 twice, in columns 0 and 1"),
    ("bad order", bad([[0, 0, 1]], input="orders"), ValueError, r"X: row 0 holds 0 twice, in columns 0 and 1"),
    ("ragged", bad([[1, 2, 3], [1, 2]]), ValueError, r"X: row 1 has 2 items, but row 0 has 3"),
    ("ragged arrays", bad([np.array([1, 2, 3]), np.array([1, 2])]), ValueError, r"X: row 1 has 2 items, but row 0 has 3"),
    ("strings", bad([["1", "2"]]), TypeError, r"X has dtype <U1 \(row 0, column 0 is .*'1'.*\), but .* real numbers"),
    ("string column", bad(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})), TypeError, r"X: row 0, column 1 holds 'x'"),
    ("booleans", bad([[True, False]]), TypeError, r"X holds booleans"),
    ("boolean object", bad(np.array([[1, True]], dtype=object)), TypeError, r"X: row 0, column 1 holds True"),
    ("complex", bad(X + 0j), TypeError, r"X has dtype complex128"),
    ("dates", bad(X.astype("datetime64[D]")), TypeError, r"X has dtype datetime64\[D\]"),
    ("1-d", bad(X[0]), ValueError, r"X has 1 axes and shape \(5,\), but must be a 2-d array, one ranking a row"),
    ("3-d", bad(X[None]), ValueError, r"X has 3 axes and shape \(1, 6, 5\), but must be a 2-d array"),
    ("a number", bad(3), ValueError, r"X has 0 axes"),
    ("nothing", bad(None), TypeError, r"X is of type NoneType, but must be a 2-d array"),
    ("a generator", bad(iter([[1, 2]])), TypeError, r"X is of type list_iterator, but must be a 2-d array"),
    ("endless", bad(itertools.repeat([1, 2])), TypeError, r"X is of type repeat, but must be a 2-d array"),
    ("a dictionary", bad({"a": [1, 2], "bb": [2, 1]}), TypeError, r"X is of type dict, but must be a 2-d array"),
    ("a row that is none", bad([[1, 2], None]), ValueError, r"X: row 1 is None, not a row of items"),
    ("different labels", lambda: wkendall.kernel(pd.Series([1, 2], index=["a", "b"]), pd.Series([1, 2], index=["b", "a"])),
     ValueError, r"item 0 is labelled 'a' in x and 'b' in y"),
    ("one ranking in 2-d", lambda: wkendall.kernel(X, X), ValueError, r"x has 2 axes .* must be one ranking"),
    ("kappa in 2-d", lambda: wkendall.kappa(X), ValueError, r"pi has 2 axes .* must be one ranking"),
    ("kappa of no permutation", lambda: wkendall.kappa([1, 1]), ValueError, r"pi: row 0 holds 1 twice, in columns 0 and 1"),
    ("different n", bad(X, Y=X[:, :4].argsort()), ValueError, r"X has 5 items, but Y has 4"),
    ("different n of a pair", lambda: wkendall.kernel([1, 2], [1, 2, 3]), ValueError, r"x has 2 items, but y has 3"),
    ("different columns", bad(pd.DataFrame(X, columns=NAMES), Y=pd.DataFrame(X, columns=NAMES[::-1])), ValueError,
     r"item 0 is labelled 'a' in X and 'e' in Y"),
    ("k missing", bad(X, weight="top"), ValueError, r'weight="top" needs k, .* from 1 to 5'),
    ("k zero", bad(X, weight="top", k=0), ValueError, r"k is 0, but must be from 1 to 5"),
    ("k too large", bad(X, weight="top", k=6), ValueError, r"k is 6, but must be from 1 to 5"),
    ("k negative", bad(X, weight="top", k=-1), ValueError, r"k is -1, but must be from 1 to 5"),
    ("k huge", bad(X, weight="top", k=10**30), ValueError, r"k is 10{30}, but must be from 1 to 5"),
    ("k a float", bad(X, weight="top", k=2.0), TypeError, r"k must be an integer, not 2\.0"),
    ("k a boolean", bad(X, weight="top", k=True), TypeError, r"k must be an integer, not True"),
    ("k unused", bad(X, k=2), ValueError, r'k is given, but weight="standard" does not use it'),
    ("u missing", bad(X, weight="mult"), ValueError, r'weight="mult" needs u'),
    ("u unused", bad(X, weight="average", u="log"), ValueError, r'u is given, but weight="average" does not use it'),
    ("u short", bad(X, weight="mult", u=[1, 2]), ValueError, r"u has 2 position weights, but the rankings have 5 items"),
    ("u not finite", bad(X, weight="add", u=[1, 2, np.nan, 4, 5]), ValueError, r"u\[2\] is NaN: position weights must be finite"),
    ("u infinite", bad(X, weight="add", u=[1, np.inf, 3, 4, 5]), ValueError, r"u\[1\] is inf"),
    ("u overflowing", bad(X, weight="mult", u=[1e90, 1, 1, 1, 1]), ValueError, r"u\[0\] is 1e90, too large"),
    ("u 2-d", bad(X, weight="mult", u=np.ones((5, 5))), ValueError, r"u has 2 axes"),
    ("u of strings", bad(X, weight="mult", u=["a"] * 5), TypeError, r"u must be .* of real numbers"),
    ("u ragged", bad(X, weight="mult", u=[1, [2]]), TypeError, r"u must be .* not \[1, \[2\]\]"),
    ("u masked", bad(X, weight="mult", u=np.ma.masked_equal([1, 2, 3, 4, 5], 3)), ValueError, r"u has masked entries"),
    ("u unknown", bad(X, weight="mult", u="linear"), ValueError, r"u is 'linear', but must be one of 'hyperbolic', 'log'"),
    ("weight unknown", bad(X, weight="kendall"), ValueError, r"weight is 'kendall', but must be one of 'standard', 'top'"),
    ("weight no word", bad(X, weight=3), TypeError, r"weight must be one of .* not 3"),
    ("input unknown", bad(X, input="rank"), ValueError, r"input is 'rank', but must be one of 'ranks', 'orders', 'scores'"),
    ("top unknown", bad(X, top="bottom"), ValueError, r"top is 'bottom', but must be one of 'low', 'high'"),
    ("both U and weight", bad(X, U=np.eye(5), weight="mult", u="log"), ValueError, r"both U and weight='mult' are given"),
    ("both U and standard", bad(X, U=np.eye(5), weight="standard"), ValueError, r"both U and weight='standard' are given"),
    ("U and u", bad(X, U=np.eye(5), u="log"), ValueError, r"u is given, but U does not use it"),
    ("U of the wrong size", bad(X, U=np.eye(4)), ValueError, r"U has shape \(4, 4\), but for rankings of 5 items .* \(5, 5\)"),
    ("U 1-d", bad(X, U=np.ones(5)), ValueError, r"U has 1 axes"),
    ("U not finite", bad(X, U=changed(1, 2, np.nan, np.eye(5))), ValueError, r"U\[1, 2\] is NaN"),
    ("U signed", bad(X, U=np.eye(5), signed=True), ValueError, r"signed=True .* not U"),
    ("signed no flag", bad(X, signed=1), TypeError, r"signed must be True or False, not 1"),
    ("normalize no flag", bad(X, normalize="yes"), TypeError, r"normalize must be True or False, not 'yes'"),
    ("progress no flag", bad(X, progress="yes"), TypeError, r"progress must be True or False"),
    ("lam negative", lambda: wkendall.mallows(X, lam=-1), ValueError, r"lam is -1\.0: .* not negative"),
    ("lam huge", lambda: wkendall.mallows(X, lam=10**400), ValueError, r"lam is 10{400}, too large"),
    ("lam NaN", lambda: wkendall.mallows(X, lam=np.nan), ValueError, r"lam is NaN"),
    ("lam no number", lambda: wkendall.mallows(X, lam="a"), TypeError, r"lam must be a real number, not 'a'"),
    ("dtype integer", bad(X, dtype=int), ValueError, r"dtype is <class 'int'>, but must be float64 or float32"),
    ("dtype unknown", bad(X, dtype="real"), ValueError, r"dtype is 'real', but must be float64 or float32"),
    ("n_jobs zero", bad(X, n_jobs=0), ValueError, r"n_jobs is 0, but must be"),
    ("n_jobs negative", bad(X, n_jobs=-2), ValueError, r"n_jobs is -2, but must be"),
    ("n_jobs an array", bad(X, n_jobs=np.array([1, 2])), TypeError, r"n_jobs must be an integer or None"),
    ("beyond single precision", bad(X, weight="mult", u=np.full(5, 1e12), dtype=np.float32), ValueError,
     r"values can be as large as 1e49, too large for single precision"),
    ("n_jobs no integer", bad(X, n_jobs=1.5), TypeError, r"n_jobs must be an integer or None, not 1\.5"),
    ("backend unknown", bad(X, backend="bit"), ValueError, r'backend "bit" does not exist: it is a strategy \(bits, product'),
    ("backend that cannot", bad(X, weight="average", backend="product"), ValueError, r'"product" cannot compute this measure'),
    ("backend no word", bad(X, backend=3), TypeError, r"backend must be a name or None, not 3"),
    ("out too small", bad(X, out=np.empty((5, 6))), ValueError, r"out has shape \(5, 6\), but the result has shape \(6, 6\)"),
    ("out of integers", bad(X, out=np.empty((6, 6), int)), ValueError, r"out has dtype int64, but the result has dtype float64"),
    ("out single", bad(X, out=np.empty((6, 6), "f4")), ValueError, r"out has dtype float32, but the result has dtype float64"),
    ("out big-endian", bad(X, out=np.empty((6, 6), ">f8")), ValueError, r"out has dtype >f8"),
    ("out misaligned", bad(X, out=np.frombuffer(bytearray(6 * 6 * 8 + 1), np.uint8)[1:].view(float).reshape(6, 6)), ValueError,
     r"out is not aligned"),
    ("out Fortran", bad(X, out=np.empty((6, 6), order="F")), ValueError, r"out is not C-contiguous"),
    ("out strided", bad(X, out=np.empty((6, 12))[:, ::2]), ValueError, r"out is not C-contiguous"),
    ("out read-only", bad(X, out=read_only()), ValueError, r"out is read-only"),
    ("out a list", bad(X, out=[[0.0] * 6] * 6), TypeError, r"out must be a NumPy array, not list"),
    ("too large for memory", bad(np.ones((4_000_000, 1), dtype=int)), ValueError,
     r"the result of 4000000 x 4000000 float64 values takes 116\.4 TiB, but only .* of memory are available: pass out= "),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "error", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_every_function_checks():
    """The same verdict through every door."""
    wrong = [[1, 2, 2]]
    for function in (wkendall.gram_matrix, wkendall.distance_matrix, wkendall.mallows, wkendall.diagonal):
        with pytest.raises(ValueError, match="X: row 0 holds 2 twice"):
            function(wrong)
    for function in (wkendall.kernel, wkendall.correlation):
        with pytest.raises(ValueError, match="y: row 0 holds 2 twice"):
            function([1, 2, 3], wrong[0])
