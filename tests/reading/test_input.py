"""Accepted and refused rankings."""

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


@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint8])
def test_masked_entries_are_missing(missing, dtype):
    X = np.ma.masked_array(np.array([[1, 2, 3], [2, 1, 2]], dtype=dtype), mask=[[0, 0, 0], [0, 0, 1]])
    wanted = wkendall.Rankings([[1, 2, 3], [2, 1, np.nan]], missing=missing)
    assert wkendall.Rankings(X, missing=missing) == wanted
    assert wkendall.Rankings([X[0], X[1]], missing=missing) == wanted
    np.testing.assert_array_equal(wkendall.gram_matrix(X, missing=missing), wkendall.gram_matrix(wanted))
    huge = np.ma.masked_array([[2**62, 2**62 + 1, 5]], mask=[[0, 0, 1]])
    assert wkendall.Rankings(huge, input="scores", missing=missing).to_lists() == [[1, 0]]
    assert X[1, 2] is np.ma.masked
    with pytest.raises(wkendall.RankingError, match=r'row 1, column 2 is masked: .*missing="bottom"') as caught:
        wkendall.Rankings(X)
    assert (caught.value.kind, caught.value.row, caught.value.column) == ("masked", 1, 2)


#: Lists of item numbers, best first, as recommenders have them.
BEST = np.array([[61, 2, 7, 30], [7, 2, 61, 4], [1, 2, 3, 4], [0, 44, 43, 3]])
PADDED = np.where(np.arange(4) < [[4], [2], [3], [2]], BEST, np.nan)
HINT = "from_lists takes rows of item numbers"


@pytest.mark.parametrize("numbers", [BEST, BEST.astype(np.uint16), BEST.astype(float), PADDED, BEST[::-1]])
@pytest.mark.parametrize(
    "call",
    [
        wkendall.gram_matrix,
        wkendall.Rankings,
        lambda X: wkendall.gram_matrix(X, input="orders"),
        lambda X: wkendall.neighbors(X, n_neighbors=1),
        wkendall.KendallNeighbors().fit,
        wkendall.KendallKMeans(2).fit,
    ],
)
def test_lists_of_item_numbers_are_recognised(call, numbers):
    with pytest.raises(wkendall.RankingError, match=HINT):
        call(numbers)
    assert wkendall.from_lists(numbers).n_items > 4


def test_lists_of_item_numbers_are_not_taken_for_ranks():
    many = BEST * 100 + 1
    for read in (wkendall.Rankings, lambda X, **how: wkendall.gram_matrix(X.astype(float), **how)):
        with pytest.warns(UserWarning, match=f"^X: most rows have numbers above 40, which are read as ranks; {HINT}"):
            read(many, missing="bottom")
    wkendall.Rankings(many, ties="mean")
    wkendall.Rankings(many, input="scores", missing="bottom")


CODED = [[1, 2, 3], [2, 1, 0], [np.nan, 1, 2]]
CODES = "which is read as the best rank, but in most rows the best rank is 1; "
CODES += "turn codes of missing answers into NaN or empty cells"


@pytest.mark.parametrize("code", [0, -9])
@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
def test_codes_of_missing_answers(code, missing):
    coded = np.where(np.equal(CODED, 0), code, CODED)
    frame = pd.DataFrame(coded, columns=list("abc"), index=list("xyz"))
    for X, place in (coded, "row 1, column 2"), (coded.tolist(), "row 1, column 2"), (frame, "row 'y', column 'c'"):
        with pytest.warns(UserWarning, match="code") as said:
            assert wkendall.Rankings(X, missing=missing).to_lists()[1][0] in (2, "c")
        assert [str(warning.message) for warning in said] == [f"X: {place} holds {code}, {CODES}"]
        assert said[0].filename == __file__
    with pytest.warns(UserWarning, match=f"^X: row 3, column 2 holds {code}, "):
        wkendall.gram_matrix(coded[[0, 0, 0, 1]].astype("int8"), ties="mean")


@pytest.mark.parametrize(
    ("ranks", "options"),
    [
        ([[0, 1, 2], [2, 1, 0], [np.nan, 0, 1]], {"missing": "bottom"}),  # from 0 in each row
        ([[0, 1, 2], [2, 1, 0], [1, 2, np.nan], [1, 2, np.nan]], {"missing": "bottom"}),
        ([[1, 2.5, 2.5], [0, 1, 2], [1, 2, 3]], {"ties": "mean"}),  # mean ranks
        ([[1, 2, 3], [2, 3, 4], [0.5, 2, 3]], {"ties": "mean"}),
        (CODED, {"missing": "bottom", "input": "scores"}),
        (CODED, {"missing": "bottom", "top": "high"}),
        ([[np.nan, np.nan]] * 2, {"missing": "bottom"}),
        (np.zeros((2, 0)), {"missing": "bottom"}),
        ([[1], [1], [0]], {"missing": "bottom"}),
    ],
)
def test_ranks_without_codes(ranks, options):
    assert len(wkendall.Rankings(ranks, **options)) == len(ranks)


def test_a_measure_in_the_place_of_rankings():
    measure = wkendall.RankBiasedOverlap(0.9)
    with pytest.raises(
        TypeError, match=r"^Y is the measure RankBiasedOverlap\(\), .*: pass it by name, as kernel= or measure=$"
    ):
        wkendall.similarity_matrix(X, measure)


@pytest.mark.parametrize(
    "ranks",
    [
        [[1, 2, 4], [1, 2, 3], [2, 1, 3]],  # a slip
        [[9, 9, 1], [8, 8, 2], [7, 1, 1]],  # marks
        [[1, -2, 9], [5, 3, 1]],
        [[1, 2.5, 9], [5, 3, 1]],
        [[1, 2, 40]],  # one row can be anything
        [[9, np.nan, 1], [8, 1, 2]],  # a gap
    ],
)
def test_other_numbers_are_not_taken_for_lists(ranks):
    with pytest.raises(wkendall.RankingError) as caught:
        wkendall.gram_matrix(ranks)
    assert "from_lists" not in str(caught.value)


def test_an_array_of_lists_for_a_model_of_lists():
    lists = wkendall.from_lists(BEST, items=range(70))
    model = wkendall.KendallNeighbors(1).fit(lists)
    with pytest.raises(ValueError, match=r"pass from_lists\(X, items=...\) with the items of fit.$"):
        model.kneighbors(BEST)
    assert model.kneighbors(wkendall.from_lists(BEST[:1], items=lists.items))[1].tolist() == [[0]]
    with pytest.raises(ValueError, match=r"expecting 4 features as input.$"):
        wkendall.KendallNeighbors(1).fit(X[:, :4].argsort(axis=1) + 1).kneighbors(X)
