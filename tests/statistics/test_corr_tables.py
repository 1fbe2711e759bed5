"""Tables of all kinds: labels are kept, types keep their order, what is no number is refused by the name of its column."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall

ROWS = 40
RNG = np.random.default_rng(0)
DATA = RNG.normal(size=(ROWS, 4)).round(1)
HOLES = np.where(RNG.random(DATA.shape) < 0.2, np.nan, DATA)
EXPECTED = wkendall.corr(HOLES)


def test_pandas_keeps_labels():
    frame = pd.DataFrame(HOLES, columns=["b", "a", ("c", 1), 7])
    found = wkendall.corr(frame, pvalues=True)
    for part in (found.statistic, found.pvalue, found.n):
        assert part.index.equals(frame.columns)
        assert part.columns.equals(frame.columns)
    np.testing.assert_array_equal(found.statistic, EXPECTED)
    theirs = frame.set_axis(list("abcd"), axis=1).corr("kendall")
    np.testing.assert_allclose(found.statistic, theirs, rtol=0, atol=1e-12)


def test_pandas_where_pandas_has_a_value():
    frame = pd.DataFrame({"x": [1.0, 2, 3, np.nan], "same": 5.0, "one": [np.nan, np.nan, 4, np.nan], "none": np.nan})
    found, theirs = wkendall.corr(frame), frame.corr("kendall")
    # pandas says 1 for a column and itself, even if it is constant or has one observation.
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_array_equal(found.to_numpy()[off], theirs.to_numpy()[off])
    assert found.loc["x", "x"] == 1.0
    assert np.isnan(np.diag(found)[1:]).all()


def test_a_row_for_data_and_a_column_for_other():
    frame = pd.DataFrame(HOLES, columns=list("abcd"), index=range(5, 5 + ROWS))
    found = wkendall.corr(frame, frame["c"])
    assert (list(found.index), list(found.columns)) == (list("abcd"), ["c"])
    np.testing.assert_array_equal(found["c"], EXPECTED[:, 2])
    found = wkendall.corr(frame[["a"]], HOLES)
    assert (list(found.index), list(found.columns)) == (["a"], [0, 1, 2, 3])
    assert wkendall.corr(HOLES[:, 0], HOLES[:, 1]).tolist() == [[EXPECTED[0, 1]]]
    assert wkendall.corr(frame["a"].rename(None)).index.tolist() == [0]
    with pytest.raises(wkendall.RankingError, match=r"^row 0 is labelled 5 in data and 0 in other"):
        wkendall.corr(frame, frame.reset_index(drop=True))


def test_labels_that_repeat():
    frame = pd.DataFrame(HOLES, columns=["a", "a", "b", "b"])
    np.testing.assert_array_equal(wkendall.corr(frame), EXPECTED)
    frame["b"] = frame["b"].astype(object)
    np.testing.assert_array_equal(wkendall.corr(frame), EXPECTED)


def test_polars():
    frame = pl.DataFrame(HOLES, schema=list("abcd")).fill_nan(None)
    assert frame.null_count().sum_horizontal()[0] == np.isnan(HOLES).sum()
    found = wkendall.corr(frame, pvalues=True)
    assert found.statistic.columns == list("abcd")
    np.testing.assert_array_equal(found.statistic.to_numpy(), EXPECTED)
    one = wkendall.corr(frame, frame["b"])
    assert one.columns == ["b"]
    np.testing.assert_array_equal(one.to_numpy(), EXPECTED[:, 1:2])
    np.testing.assert_array_equal(wkendall.corr(frame, HOLES).to_numpy(), EXPECTED)
    mixed = wkendall.corr(frame, pd.DataFrame(HOLES, columns=[3, 1, 4, 2]))
    assert mixed.columns == ["3", "1", "4", "2"]
    assert isinstance(wkendall.corr(HOLES, frame), np.ndarray)
    same = wkendall.corr(pd.DataFrame(HOLES[:, :2], columns=["a", "b"]), frame)
    assert list(same.columns) == list("abcd")
    with pytest.raises(wkendall.RankingError, match="columns of the same name"):
        wkendall.corr(frame, pd.DataFrame(HOLES, columns=["a"] * 4))
    np.testing.assert_array_equal(wkendall.corr(pd.Index(HOLES[:, 0]), HOLES), EXPECTED[:1])


def whole(kind, holes=False):
    """The same table as whole numbers of some type, of pandas."""
    levels = np.argsort(np.argsort(DATA, axis=0), axis=0) // 2
    frame = pd.DataFrame(levels, columns=list("abcd")).astype(kind)
    if holes:
        frame = frame.mask(pd.DataFrame(np.isnan(HOLES), columns=frame.columns))
    return frame


@pytest.mark.parametrize(
    "kind", ["int8", "int64", "uint16", "float32", "float16", "Int64", "UInt8", "Float64", "object"]
)
def test_types_of_pandas(kind):
    np.testing.assert_array_equal(wkendall.corr(whole(kind)), wkendall.corr(whole("float64")))


@pytest.mark.parametrize("kind", ["Int8", "Int64", "UInt64", "Float32", "float64", "object"])
def test_missing_values_of_pandas(kind):
    np.testing.assert_array_equal(wkendall.corr(whole(kind, True)), wkendall.corr(whole("float64", True)))


def test_booleans():
    flags = DATA > 0
    expected = wkendall.corr(flags.astype(float))
    np.testing.assert_array_equal(wkendall.corr(flags), expected)
    np.testing.assert_array_equal(wkendall.corr(pd.DataFrame(flags)), expected)
    np.testing.assert_array_equal(wkendall.corr(pd.DataFrame(flags).astype("boolean")), expected)
    np.testing.assert_array_equal(wkendall.corr(pl.DataFrame(flags)), expected)


@pytest.mark.parametrize("least", [2**53, -(2**60), 2**63])
def test_large_whole_numbers_keep_their_order(least):
    kind = np.uint64 if least >= 2**63 else np.int64
    places = RNG.permutation(ROWS)
    numbers = np.array([least + int(place) for place in places], dtype=kind)
    assert len(set(numbers.astype(float))) < ROWS
    expected = wkendall.corr(np.c_[places, DATA[:, 0]])
    values = {"n": numbers, "x": DATA[:, 0]}
    holes = pd.array([None, *numbers[1:].tolist()], dtype="UInt64" if kind is np.uint64 else "Int64")
    few = wkendall.corr(np.c_[np.r_[np.nan, places[1:]], DATA[:, 0]])
    nulls = pl.Series([None, *numbers[1:].tolist()], dtype=pl.UInt64 if kind is np.uint64 else pl.Int64)
    frame, other = pd.DataFrame(values), pl.DataFrame(values)
    for given, wanted in [
        *((same, expected) for same in (frame, other, frame.assign(n=numbers.tolist()), frame.astype({"n": object}))),
        (frame.assign(n=holes), few),
        (other.with_columns(n=nulls), few),
    ]:
        np.testing.assert_array_equal(wkendall.corr(given), wanted)
    assert wkendall.corr(np.c_[numbers, numbers[::-1]])[0, 1] == wkendall.corr(places, places[::-1])[0, 0]


def test_long_doubles_keep_their_order():
    places = RNG.permutation(ROWS).astype(float)
    numbers = 1 + np.longdouble(2) ** -60 * places
    expected = wkendall.corr(np.c_[places, DATA[:, 0]])
    np.testing.assert_array_equal(wkendall.corr(np.c_[numbers, DATA[:, 0]]), expected)


def test_masked_entries_are_missing():
    masked = np.ma.masked_invalid(HOLES)
    np.testing.assert_array_equal(wkendall.corr(masked), EXPECTED)
    levels = np.ma.masked_array(whole("int64"), mask=np.isnan(HOLES))
    np.testing.assert_array_equal(wkendall.corr(levels), wkendall.corr(whole("float64", True)))


@pytest.mark.parametrize("layout", [np.asfortranarray, np.ascontiguousarray, lambda a: np.repeat(a, 2, 1)[:, ::2]])
def test_any_layout(layout):
    data = layout(HOLES)
    data.flags.writeable = False
    np.testing.assert_array_equal(wkendall.corr(data), EXPECTED)
    np.testing.assert_array_equal(wkendall.corr(data.astype(">f8")), EXPECTED)
    np.testing.assert_array_equal(wkendall.corr(HOLES.tolist()), EXPECTED)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 2)])
def test_empty_tables(shape):
    found = wkendall.corr(np.zeros(shape), pvalues=True)
    for part in (found.statistic, found.pvalue):
        assert part.shape == (shape[1], shape[1])
        assert np.isnan(part).all()
    assert (found.n == shape[0]).all()
    frame = wkendall.corr(pd.DataFrame(np.zeros(shape)))
    assert frame.shape == (shape[1], shape[1])


def test_one_column_without_observations():
    for empty in ([], np.empty(0)):
        np.testing.assert_array_equal(wkendall.corr(empty), [[np.nan]])
    assert wkendall.corr(np.empty((0, 2)), np.empty(0)).shape == (2, 1)


def test_a_pair_does_not_name_one_of_several_columns():
    data = pd.DataFrame([[1, 4, 2], [2, 1, 3], [3, 2, 1.0]], columns=["a", "a", "b"])
    with pytest.raises(wkendall.RankingError, match="names column 'a' at place 0, but several columns have this name"):
        wkendall.corr(data, pairs=(["a"], ["b"]))
    assert wkendall.corr(data, pairs=([0, 1], [2, 2])) == pytest.approx(wkendall.corr(data.to_numpy())[:2, 2])
