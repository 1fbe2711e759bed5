"""`RankingError` has the kind and the position of an error, wherever it was found; no code searches for words in messages."""

import ast
import copy
import math
import multiprocessing
import pickle

import dask.array as da
import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from joblib import Parallel, delayed
from paths import ROOT
from wkendall import dask as wkendall_dask
from wkendall import datasets
from wkendall._errors import RankingTypeError, in_python, sentence_of

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


def test_a_centre_is_no_score():
    error = raised(lambda: datasets.make_mallows(3, [1, 2.5, 3], 1.0))
    assert (
        str(error)
        == "center: row 0, column 1 holds 2.5, which is not a whole number: ranks and item numbers must be whole"
    )


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
    assert sentence_of(other).pieces == sentence_of(error).pieces


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


def test_messages_are_their_pieces():
    for X, how, *_ in BAD.values():
        error = raised(lambda X=X, how=how: wkendall.gram_matrix(X, **how))
        assert "".join(map(in_python, sentence_of(error).pieces)) == str(error)
    assert sentence_of(ValueError("one")).pieces == ("one",)
    assert sentence_of(OSError(2, "none", "x")) == "[Errno 2] none: 'x'"


SOURCES = sorted((ROOT / "python/wkendall").rglob("*.py"))


def is_message(node, names):
    """Whether a node is the text of an error that is handled, or an argument of it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("str", "repr"):
        return any(isinstance(part, ast.Name) and part.id in names for part in node.args)
    if isinstance(node, ast.Attribute) and node.attr in ("args", "msg", "message"):
        return isinstance(node.value, ast.Name) and node.value.id in names
    return False


def readings(source):
    """Return the lines on which the text of an error is searched, cut, compared or kept."""
    found = []
    for handler in ast.walk(ast.parse(source)):
        if not isinstance(handler, ast.ExceptHandler) or handler.name is None:
            continue
        for node in ast.walk(handler):
            if isinstance(node, ast.Compare | ast.Subscript | ast.Assign | ast.NamedExpr):
                looked_at = list(ast.walk(node)) if not isinstance(node, ast.Assign) else [node.value]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                looked_at = [node.func.value, *(node.args if ast.unparse(node.func.value) == "re" else [])]
            else:
                continue
            found += [part.lineno for part in looked_at if is_message(part, {handler.name})]
    return found


def test_searches_are_found():
    for line in (
        'if "x" in str(error): pass',
        'first = str(error).partition(";")[0]',
        're.sub("a", "b", str(error))',
        "message = str(error)",
        'str(error).startswith("x")',
        "error.args[0]",
    ):
        assert readings(f"try:\n    f()\nexcept ValueError as error:\n    {line}\n"), line
    assert not readings("try:\n    f()\nexcept ValueError as error:\n    raise E(f'{error}: {short(str(error))}')\n")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nobody_looks_for_words_in_a_message(path):
    assert not readings(path.read_text())
