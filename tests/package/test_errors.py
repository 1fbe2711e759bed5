"""Errors by their attributes: every wrong call is refused with argument, row, column, value and kind, in one clear sentence."""

import copy
import math
import multiprocessing
import pickle
import re

import dask.array as da
import numpy as np
import pytest
import wkendall
from bad_kernels import KERNELS, MORE, WEIGHTS
from bad_objects import OBJECTS
from bad_pairs import PAIRS
from bad_points import POINTS
from bad_samples import SAMPLES
from bad_variables import VARIABLES
from definitions import random_rankings
from joblib import Parallel, delayed
from wkendall import dask as wkendall_dask
from wkendall._errors import ADVICE, RankingTypeError
from wkendall.cli import messages

GROUPS = {"kernels": KERNELS, "weights": WEIGHTS, "more": MORE, "objects": OBJECTS}
GROUPS |= {"pairs": PAIRS, "optimisation": POINTS, "samples": SAMPLES, "variables": VARIABLES}
TABLE = {f"{group}: {row[0]}": row[1:] for group, rows in GROUPS.items() for row in rows}
#: Words of Python, NumPy, PyO3 and of the inside of this package, which tell a user nothing.
INTERNAL = (
    "_core", "wkendall.", "PyO3", "pyo3", "panicked", "NoneType' object", "NoneType object", "argument '", "object at 0x",
    "has no attribute", "object is not", "cannot be interpreted", "unsupported operand", "not supported between",
    "inhomogeneous", "setting an array element", "ambiguous", "Exceeds the limit", "too large to convert", "unhashable",
    "incomplete rankings cannot", "Traceback",
)  # fmt: skip
#: Plain ValueErrors are those of scikit-learn, of damaged files, of results too large for memory, and these of the crate.
NO_ATTRIBUTES = (
    r"Complex data not|Found array with 0|Input y contains|input_features should|Optimizer\.save|is damaged|the result of \d"
    r"|too large for single precision|^if missing items can be anywhere"
)


@pytest.mark.parametrize(("call", "error", "about"), TABLE.values(), ids=TABLE)
def test_refused(call, error, about):
    with pytest.raises(error) as raised:
        call()
    found, message = raised.value, str(raised.value)
    argument, row, column, kind = (about, None, None, None) if isinstance(about, str) else (*about, None, None)[:4]
    if isinstance(found, wkendall.RankingError):
        assert (found.row, found.column, found.kind) == (row, column, kind)
    elif type(found) is ValueError:
        assert re.search(NO_ATTRIBUTES, message), f"it has no attributes: {message}"
    named = getattr(found, "argument", None) or re.findall(r"\w+", message)[0]
    assert named in argument.split("|"), message
    assert "\n" not in message
    assert len(message) < 500
    for word in INTERNAL:
        assert word not in message


GOOD = random_rankings(np.random.default_rng(0), 6, 4)
MASKED = np.ma.array(GOOD)
MASKED[3, 2] = np.ma.masked


def with_row(row, number=3):
    X = GOOD.tolist()
    X[number] = row
    return X


#: What is wrong: the rankings, how they are read, row, column, value, kind.
BAD = {
    "rank twice": (with_row([1, 2, 4, 2]), {}, 3, 3, 2, "duplicate"),
    "score twice": (with_row([1, 2.5, 3, 2.5]), {"input": "scores"}, 3, 3, 2.5, "duplicate"),
    "item twice": (with_row([1, 2, 1, 4]), {"input": "orders"}, 3, 2, 1, "duplicate"),
    "NaN": (with_row([1, math.nan, 2, 3]), {}, 3, 1, math.nan, "nan"),
    "NaN with ties": (with_row([1, None, 2, 2]), {"ties": "mean"}, 3, 1, math.nan, "nan"),
    "tie in a list": (with_row([1, None, 2, 2]), {"missing": "bottom"}, 3, 3, 2, "duplicate"),
    "out of range": (with_row([1, 2, 9, 4]), {}, 3, 2, 9, "out of range"),
    "negative": (with_row([1, 2, -3, 4]), {}, 3, 2, -3, "out of range"),
    "beyond 64 bits": (with_row([1, 2, 2**70, 4]), {}, 3, 2, 2**70, "out of range"),
    "not whole": (with_row([1, 2, 3, 3.5]), {}, 3, 3, 3.5, "not whole"),
    "infinite": (with_row([1, 2, 3, math.inf]), {"input": "scores"}, 3, 3, math.inf, "infinite"),
    "text": (with_row(["a", "b", "c", "d"]), {}, 3, 0, "a", "text"),
    "object": (np.array(with_row([1, 2, {}, 4]), dtype=object), {}, 3, 2, "{}", "not a number"),
    "ragged": (with_row([1, 2]), {}, 3, None, 2, "ragged"),
    "masked": (MASKED, {}, 3, 2, None, "masked"),
    "one axis": ([1, 2, 3, 4], {}, None, None, 1, "axes"),
}
CALLS = {
    "Rankings": lambda X, how: wkendall.Rankings(X, **how),
    "gram_matrix": lambda X, how: wkendall.gram_matrix(X, **how),
    "KendallGram": lambda X, how: wkendall.KendallGram(**how).fit(X),
    "KendallFeatures": lambda X, how: wkendall.KendallFeatures(**how).fit(X),
    "SuquanSVDClassifier": lambda X, how: wkendall.SuquanSVDClassifier(**how).fit(X, [0, 1, 0, 1, 0, 1]),
}
#: They read arrays without options.
PLAIN = {
    "distance_matrix": wkendall.distance_matrix,
    "gram_to_file": lambda X: wkendall.gram_to_file("K.npy", X),
    "neighbors": wkendall.neighbors,
    "consensus": wkendall.consensus,
    "Kendall": wkendall.Kendall(),
    "Mallows": wkendall.Mallows(),
    "diagonal": wkendall.diagonal,
    "features": wkendall.features,
    "embed": lambda X: wkendall.embed(X, np.ones(4)),
    "combine": lambda X: wkendall.combine(X, np.ones(6), np.ones(4)),
    "linear_function": lambda X: wkendall.linear_function(X, np.ones(4), np.ones(4)),
}
CALLS |= {
    name: lambda X, how, call=call: call(X if not how else wkendall.Rankings(X, **how)) for name, call in PLAIN.items()
}


def raised(call):
    with pytest.raises(wkendall.RankingError) as caught:
        call()
    return caught.value


def known(error):
    value = "NaN" if isinstance(error.value, float) and math.isnan(error.value) else error.value
    return error.argument, error.row, error.column, value, error.kind


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("call", CALLS)
def test_what_is_wrong_and_where(call, bad, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, how, row, column, value, kind = BAD[bad]
    error = raised(lambda: CALLS[call](X, how))
    assert isinstance(error, ValueError)
    assert isinstance(error, TypeError) == (kind in ("text", "not a number"))
    value = "NaN" if isinstance(value, float) and math.isnan(value) else value
    assert known(error) == ("X", row, column, value, kind)
    assert str(error).startswith("X")
    if row is not None:
        assert f"row {row}" in str(error)


def test_both_bases_and_other_items():
    mixed = raised(lambda: wkendall.gram_matrix([[1, 2, 3], [0, 1, 2]]))
    assert known(mixed) == ("X", 0, 2, 3, "mixed base")
    assert known(raised(lambda: wkendall.gram_matrix([[1, 2]], [[1, 2], [2, 2]]))) == ("Y", 1, 1, 2, "duplicate")
    assert known(raised(lambda: wkendall.gram_matrix([[1, 2]], [[1, 2, 3]]))) == ("Y", None, None, 3, "items differ")
    assert known(raised(lambda: wkendall.kernel([1, 2], [2, 2]))) == ("y", 0, 1, 2, "duplicate")


@pytest.mark.parametrize(
    ("argument", "value", "how"),
    [
        ("k", 9, {"weight": "top", "k": 9}),
        ("k", None, {"weight": "top"}),
        ("u", None, {"weight": "mult", "u": [1, 2]}),
        ("u", math.inf, {"weight": "mult", "u": [1, 2, math.inf, 1]}),
        ("U", 1e308, {"U": np.full((4, 4), 1e308)}),
        ("U", None, {"U": np.ones((3, 3))}),
        ("U", 1e308, {"U": (np.full((1, 4), 1e308),) * 2}),
        ("W", None, {"W": np.ones((3, 3, 3, 3))}),
        ("order", 0, {"order": 0}),
        ("weight", "heavy", {"weight": "heavy"}),
        ("backend", None, {"backend": "fast"}),
    ],
)
def test_parameters(argument, value, how):
    assert known(raised(lambda: wkendall.gram_matrix(GOOD, **how))) == (argument, None, None, value, None)


@pytest.mark.parametrize(
    "bad", [name for name in BAD if name not in ("ragged", "masked", "one axis", "beyond 64 bits")]
)
def test_dask_counts_the_rows_of_the_whole(bad):
    """The message and the attributes are those of the whole array, for either argument."""
    X, how, *_ = BAD[bad]
    kind = object if bad in ("text", "object") else float if None in X[3] else None
    array = np.array(X, dtype=kind)
    whole = raised(lambda: wkendall.gram_matrix(array, **how))
    parts = da.from_array(array, chunks=(2, 4))
    for call, name in [
        (lambda: wkendall_dask.gram_matrix(parts, **how), "X"),
        (lambda: wkendall_dask.gram_matrix(GOOD, parts, **how), "Y"),
    ]:
        error = raised(lambda call=call: call().compute(scheduler="synchronous"))
        assert known(error)[1:] == known(whole)[1:]
        assert error.argument == name
        assert str(error) == name + str(whole)[1:]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, *(lambda error, p=p: pickle.loads(pickle.dumps(error, p)) for p in range(6))],
)
def test_copies_keep_everything(bad, copied):
    X, how, *_ = BAD[bad]
    error = raised(lambda: wkendall.gram_matrix(X, **how))
    other = copied(error)
    assert type(other) is type(error)
    assert (str(other), repr(other), known(other)) == (str(error), repr(error), known(error))
    assert repr(other._parts) == repr(error._parts)


def test_errors_of_other_processes():
    X = BAD["rank twice"][0]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        error = raised(lambda: pool.apply(wkendall.gram_matrix, (X,)))
        assert known(error) == ("X", 3, 3, 2, "duplicate")
    error = raised(lambda: Parallel(2)(delayed(wkendall.gram_matrix)(X) for _ in range(2)))
    assert known(error) == ("X", 3, 3, 2, "duplicate")


def test_names_in_tracebacks():
    assert (wkendall.RankingError.__module__, wkendall.RankingError.__qualname__) == ("wkendall", "RankingError")
    assert issubclass(RankingTypeError, wkendall.RankingError)


def test_both_interfaces_have_all_advice():
    assert set(messages._ADVICE) == set(ADVICE)
    assert set(messages._LEARNED) == set(ADVICE)
