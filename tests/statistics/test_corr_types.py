"""Numbers of all types keep their order exactly; what is missing is left out; the rest is refused in one sentence."""

import datetime
import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall

BIG = 2**53
RNG = np.random.default_rng(3)


def tau(x, y):
    """Tau-b by its definition, of Python numbers that are compared exactly; None is missing."""
    both = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    signs = [((a > c) - (a < c), (b > d) - (b < d)) for k, (a, b) in enumerate(both) for c, d in both[:k]]
    sizes = [sum(abs(sign[side]) for sign in signs) for side in (0, 1)]
    return sum(a * b for a, b in signs) / np.sqrt(float(sizes[0] * sizes[1]))


def column(makers, size=30, missing=()):
    """Numbers near each other, each made by the next of some functions, with what is missing in between."""
    places = RNG.integers(0, size // 2, size)
    made = [makers[row % len(makers)](int(place)) for row, place in enumerate(places)]
    exact = [Fraction(value) if isinstance(value, int | float | Decimal | Fraction) else value for value in made]
    for row, hole in enumerate(missing):
        made[3 * row + 1], exact[3 * row + 1] = hole, None
    return made, exact


MAKERS = {
    "whole and floats": [lambda k: BIG + k, lambda k: float(BIG + 2 * k)],
    "whole of 200 digits": [lambda k: 10**200 + k],
    "whole and a float": [lambda k: -(10**30) - k, lambda k: -1e30 + k, lambda k: k],
    "both signs": [lambda k: 2**63 + k, lambda k: -k],
    "decimals": [lambda k: Decimal("0.1") + Decimal(k) / 10**25],
    "decimals, fractions, floats": [
        lambda k: Decimal("0.3") + Decimal(k) / 10**20, lambda k: Fraction(3, 10) + Fraction(k, 10**20), lambda k: 0.3, int,
    ],
}  # fmt: skip
MISSING = (
    None,
    float("nan"),
    np.float32("nan"),
    Decimal("nan"),
    Decimal("sNaN"),
    np.ma.masked,
    np.ma.array(BIG, mask=True),
    pd.NA,
)


@pytest.mark.parametrize("missing", [(), MISSING], ids=["complete", "missing"])
@pytest.mark.parametrize("makers", MAKERS.values(), ids=MAKERS)
def test_numbers_of_python_keep_their_order(makers, missing):
    made, exact = column(makers, missing=missing)
    beside = RNG.integers(0, 12, len(made)).tolist()
    expected = tau(exact, beside)
    rows = [list(row) for row in zip(made, beside, strict=True)]
    for data in (rows, tuple(map(tuple, rows)), pd.DataFrame({"x": pd.Series(made, dtype=object), "y": beside})):
        found = np.asarray(wkendall.corr(data))
        np.testing.assert_allclose(found[0, 1], expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(wkendall.corr(made, beside), expected, rtol=0, atol=1e-14)


def test_floats_are_not_refused_by_a_context_of_decimals():
    with decimal.localcontext() as context:
        context.traps[decimal.FloatOperation] = True
        assert wkendall.corr([Decimal(1), 2.5, Decimal(3)], [1, 2, 3]).tolist() == [[1.0]]


@pytest.mark.parametrize("bits", [1 << 51, 1, (1 << 52) - 1, 0x123456789ABC])
@pytest.mark.parametrize("sign", [0, 1])
def test_every_nan_is_missing(bits, sign):
    values = RNG.normal(size=(12, 3))
    holes = values.copy()
    holes[[2, 5], [0, 1]] = np.nan
    values.view(np.uint64)[[2, 5], [0, 1]] = sign << 63 | 0x7FF << 52 | bits
    expected = wkendall.corr(holes)
    with np.errstate(invalid="ignore"):
        long = values.astype(np.longdouble)
    frames = (pd.DataFrame(values), pl.DataFrame(values), pd.DataFrame(values).astype(object))
    for data in (values, long, values.tolist(), np.asfortranarray(values), *frames):
        np.testing.assert_array_equal(np.asarray(wkendall.corr(data)), expected)


@pytest.mark.parametrize("kind", ["Int128", "UInt128", "Decimal", "Float32", "Boolean", "UInt64", "Null"])
@pytest.mark.parametrize("null", [False, True])
def test_types_of_polars(kind, null):
    if not hasattr(pl, kind):
        pytest.skip(f"this polars has no {kind}")
    numbers = [5, 1, 0, 7, 1, 3, 2]
    values = (
        [bool(n % 2) for n in numbers] if kind == "Boolean" else [2**63 + n if "128" in kind else n for n in numbers]
    )
    if kind == "Null":
        values = [None] * 7
    values[3] = None if null else values[3]
    of_type = pl.Decimal(30, 4) if kind == "Decimal" else getattr(pl, kind)
    found = wkendall.corr(pl.DataFrame({"x": pl.Series(values, dtype=of_type), "y": range(7)}))
    expected = np.nan if kind == "Null" else tau(values, range(7))
    np.testing.assert_allclose(found["x"][1], expected, rtol=0, atol=1e-14)


def test_tables_of_pyarrow():
    pa = pytest.importorskip("pyarrow")
    days = [None if row == 1 else datetime.datetime(2020, 1, row + 1) for row in (4, 1, 0, 6, 2)]
    columns = {
        "whole": [1, None, BIG + 1, BIG, 5], "flag": [True, False, None, True, False], "real": [0.5, None, np.inf, -1, 2],
        "day": [day and day.date() for day in days], "stamp": days, "time": [datetime.time(h) for h in (5, 2, 1, 6, 3)],
        "span": [day and day - days[2] for day in days], "decimal": [Decimal("1.5"), None, Decimal(-1), Decimal(3), Decimal(3)],
    }  # fmt: skip
    levels = ["low", "middle", "high"]
    category = pa.DictionaryArray.from_arrays([0, 2, 1, None, 2], levels, ordered=True)
    table = pa.table(columns).append_column("level", category)
    table = pa.concat_tables([table.slice(0, 2), table.slice(2)])
    places = dict(columns, level=[0, 2, 1, None, 2])
    found = wkendall.corr(table, pvalues=True)
    assert isinstance(found.pvalue, pa.Table)
    assert found.statistic.column_names == table.column_names
    expected = [[tau(x, y) for y in places.values()] for x in places.values()]
    np.testing.assert_allclose(np.asarray(found.statistic), expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(wkendall.corr(table["whole"], table["level"].combine_chunks()), [[expected[0][8]]])
    assert wkendall.corr(table, at_least=0.99).column_names == ["i", "j", "statistic"]
    batch = table.combine_chunks().to_batches()[0]
    np.testing.assert_array_equal(np.asarray(wkendall.corr(batch)), np.asarray(found.statistic))
    with pytest.raises(wkendall.RankingError, match="column 'x' holds 'a' in row 0, a text"):
        wkendall.corr(pa.table({"x": ["a", "b"]}))


class Foreign:
    """A data frame of a library that the package does not know."""

    columns = ("tea", "milk", "beer")

    def __init__(self, frame, way):
        setattr(self, way, getattr(frame, way) if way == "__arrow_c_stream__" else lambda: frame)


def test_frames_of_other_libraries():
    frame = pd.DataFrame({"tea": [2, 1, 3], "milk": [1, 2, 1], "beer": [3, 3, 2]}, index=list("pqr"))
    ways = [("to_pandas", pd.DataFrame)]
    try:
        import pyarrow as pa

        ways.append(("__arrow_c_stream__", pa.Table))
    except ImportError:
        pass
    for way, kind in ways:
        found = wkendall.corr(Foreign(frame.reset_index(drop=True), way))
        assert isinstance(found, kind)
        np.testing.assert_array_equal(np.asarray(found), wkendall.corr(frame))
        rankings = wkendall.Rankings(Foreign(frame, way), items=["beer", "milk", "tea"])
        assert rankings.to_lists()[0] == ["milk", "tea", "beer"]
    annotated = type("AnnData", (), {"X": frame.to_numpy()})()
    with pytest.raises(TypeError, match=r"data is an AnnData: pass data\.X, or data\.to_df\(\)"):
        wkendall.corr(annotated)


@pytest.mark.parametrize("kind", ["bool", "int64", "uint8", "uint64", "double", "float", "decimal128(25, 4)"])
def test_arrow_types_of_pandas(kind):
    pytest.importorskip("pyarrow")
    numbers = [5, 1, None, 7, 1, 3, 2]
    if kind == "int64":
        numbers = [None if n is None else BIG + n for n in numbers]
    values = [None if n is None else bool(n % 2) for n in numbers] if kind == "bool" else numbers
    given = [None if n is None else Decimal(n) for n in values] if kind.startswith("dec") else values
    of_type = pd.ArrowDtype(__import__("pyarrow").decimal128(25, 4)) if kind.startswith("dec") else f"{kind}[pyarrow]"
    found = wkendall.corr(pd.DataFrame({"x": pd.array(given, dtype=of_type), "y": range(7)}))
    np.testing.assert_allclose(found.loc["x", "y"], tau(values, range(7)), rtol=0, atol=1e-14)


DAYS = ["2020-01-03", "2020-01-01", None, "2020-01-02"]


@pytest.mark.parametrize("made", [
    lambda: pd.Series(pd.to_datetime(DAYS)), lambda: pd.Series(pd.to_datetime(DAYS, utc=True)),
    lambda: pd.Series(pd.to_timedelta([3, 1, None, 2])), lambda: pd.Series(pd.PeriodIndex(DAYS, freq="D")),
    lambda: pd.Series([None if day is None else datetime.date.fromisoformat(day) for day in DAYS]),
    lambda: pl.Series(DAYS).str.to_date(), lambda: pl.Series([3, 1, None, 2]).cast(pl.Duration),
])  # fmt: skip
def test_dates_have_their_order(made):
    days, beside = made(), [1, 2, 3, 4]
    np.testing.assert_array_equal(wkendall.corr(days, beside), wkendall.corr([3, 1, np.nan, 2], beside))


def test_dates_of_numpy_have_their_order():
    days = np.array(["2020-01-03", "2020-01-01", "NaT", "2020-01-02"], dtype="datetime64[ns]")
    for column in (days, days - days[1]):
        np.testing.assert_array_equal(wkendall.corr(column, range(4)), wkendall.corr([3, 1, np.nan, 2], range(4)))


@pytest.mark.parametrize(("data", "words", "place"), [
    ([[1, "a"], [2, "b"]], "column 1 holds 'a' in row 0, a text, but", (1, 0, "a")),
    ([[1, 2.5], ["x", 3]], "column 0 holds 'x' in row 1, a text, but", (0, 1, "x")),
    ([1, 2, b"x"], "column 0 holds b'x' in row 2, but", (0, 2, b"x")),
    (pl.DataFrame({"x": [1], "s": [{"f": 1}]}), "column 's' holds values of type Struct", (1, None, None)),
    (pl.DataFrame({"l": [[1, 2]]}), "column 'l' holds values of type List", (0, None, None)),
    (pl.DataFrame({"c": pl.Series(["a"], dtype=pl.Categorical)}), "column 'c' holds 'a' in row 0, a text", (0, 0, "a")),
    (pd.DataFrame({"c": pd.Categorical(["a"])}), "column 'c' holds 'a' in row 0, a text", (0, 0, "a")),
    ([[1, {}], [2, 3]], "column 1 holds {} in row 0, but", (1, 0, "{}")),
])  # fmt: skip
def test_refused(data, words, place):
    with pytest.raises(TypeError) as raised:
        wkendall.corr(data)
    error = raised.value
    assert str(error).startswith(f"data: {words}")
    assert (error.column, error.row) == place[:2]
    assert place[2] is None or error.value == place[2]


ORDER = [3, 1, 2]


@pytest.mark.parametrize(
    ("categories", "kind"),
    [
        (ORDER, "numbers"),
        ([3.5, -1.0, 2.0], "floats"),
        (["low", "middle", "high"], "texts"),
        (list(pd.date_range("2020", periods=3))[::-1], "dates"),
    ],
)
def test_ordered_categories_have_their_order(categories, kind):
    """Not the order of the values of the categories."""
    codes = [0, 1, 2, 2, 1, None, 0, 1]
    values = [None if code is None else categories[code] for code in codes]
    other = [1, 5, 2, 4, 3, 0, 2, 1]
    made = pd.Categorical(values, categories=categories, ordered=True)
    expected = tau(codes, other)
    assert wkendall.corr(pd.DataFrame({"a": made, "b": other})).loc["a", "b"] == pytest.approx(expected)
    assert wkendall.corr(pd.Series(made), pd.Series(other)).iloc[0, 0] == pytest.approx(expected)
    assert wkendall.corr(made, other).item() == pytest.approx(expected)
    assert wkendall.corr(pd.CategoricalIndex(made), other).item() == pytest.approx(expected)
    if kind == "texts":
        levels = pl.DataFrame({"a": pl.Series(values, dtype=pl.Enum(categories)), "b": other})
        assert wkendall.corr(levels)["b"][0] == pytest.approx(expected)
        assert wkendall.corr(levels["a"], levels["b"]).item() == pytest.approx(expected)


def test_categories_without_an_order():
    """Numbers are numbers, whatever the order of the categories."""
    frame = pd.DataFrame({"a": pd.Categorical([1, 2, 3, None], categories=[2, 1, 3]), "b": [1, 2, 3, 4]})
    assert wkendall.corr(frame).loc["a", "b"] == 1
    ordered = frame.assign(a=frame["a"].cat.as_ordered())
    assert wkendall.corr(ordered).loc["a", "b"] == pytest.approx(1 / 3)
