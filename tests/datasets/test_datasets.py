"""Random rankings follow their models, and the files of the survey are read as they are or refused."""

import bz2
import doctest
import gzip
import itertools
import lzma
import struct

import numpy as np
import pytest
import wkendall
from paths import SURVEY
from wkendall import _memory, datasets
from wkendall.datasets import (
    COUNTS,
    ICPSR,
    ITEMS,
    MODEL,
    PREFMOD,
    SIZES,
    Survey,
    group_chances,
    load_eurobarometer,
    make_mallows,
    make_plackett_luce,
    make_survey,
    make_uniform,
)

FOUR = np.array(list(itertools.permutations(range(1, 5))))
SIX = np.array(list(itertools.permutations(range(1, 7))))
ROWS = [
    (1, 2, 3, 4, 5, 6, 1, 1, 2),
    (6, 5, 4, 3, 2, 1, 2, 3, 1),
    (2, 1, 3, 4, 5, 6, 1, 4, 0),
    (3, 1, 2, 6, 5, 4, 2, 2, 3),
]
WANTED = [[1, 2, 3, 4, 5, 6]] * 2 + [[6, 5, 4, 3, 2, 1]] + [[3, 1, 2, 6, 5, 4]] * 3

needs_survey = pytest.mark.skipif(not SURVEY.exists(), reason="the counts of the survey are not there")


def shares(X, rankings):
    """How often each ranking occurs."""
    number = {tuple(ranking): place for place, ranking in enumerate(rankings.tolist())}
    counts = np.bincount([number[tuple(row)] for row in X.tolist()], minlength=len(rankings))
    return counts / len(X)


def chi_square(X, chances):
    return len(X) * ((shares(X, FOUR) - chances) ** 2 / chances).sum()


#: The 99.9th percentile of the chi-square distribution with 23 degrees of freedom.
BOUND = 49.73


def test_docstrings():
    results = doctest.testmod(datasets)
    assert results.failed == 0
    assert results.attempted > 0


# Random rankings.


def test_uniform():
    X = make_uniform(40_000, 4, rng=1)
    assert X.dtype == np.int64
    assert X.shape == (40_000, 4)
    assert chi_square(X, np.full(24, 1 / 24)) < BOUND


@pytest.mark.parametrize("lam", [0, 0.3, 1.2])
@pytest.mark.parametrize("center", [4, [3, 1, 4, 2], [2, 0, 1, 3]])
def test_mallows(center, lam):
    X = make_mallows(40_000, center, lam, rng=2)
    assert X.dtype == np.int64
    assert X.flags.c_contiguous
    middle = np.arange(1, 5) if isinstance(center, int) else np.array(center) + (min(center) == 0)
    distance = [
        sum((s[i] - s[j]) * (middle[i] - middle[j]) < 0 for i, j in itertools.combinations(range(4), 2)) for s in FOUR
    ]
    chances = np.exp(-lam * np.array(distance))
    assert chi_square(X, chances / chances.sum()) < BOUND


def test_mallows_agrees_with_the_mallows_kernel():
    center = np.array([[5, 2, 1, 3, 4]])
    all_rankings = np.array(list(itertools.permutations(range(1, 6))))
    chances = wkendall.mallows(all_rankings, center, lam=0.7)[:, 0]
    found = shares(make_mallows(60_000, center[0], 0.7, rng=3), all_rankings)
    np.testing.assert_allclose(found, chances / chances.sum(), atol=0.005)


def test_mallows_at_the_ends():
    np.testing.assert_array_equal(make_mallows(3, [2, 3, 1], 1e308, rng=0), [[2, 3, 1]] * 3)
    np.testing.assert_array_equal(make_mallows(3, [2, 3, 1], 1000, rng=0), [[2, 3, 1]] * 3)
    assert chi_square(make_mallows(20_000, 4, 1e-300, rng=4), np.full(24, 1 / 24)) < BOUND


def test_mallows_of_many_items():
    X = make_mallows(2000, 50, 0.2, rng=5)
    np.testing.assert_array_equal(np.sort(X, axis=1), np.tile(np.arange(1, 51), (2000, 1)))
    q = np.exp(-0.2)
    sizes = np.arange(1, 51)
    expected = (q / (1 - q) - sizes * q**sizes / (1 - q**sizes)).sum()
    distance = wkendall.distance_matrix(X, np.arange(1, 51)[np.newaxis]).mean()
    assert distance == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("strengths", [[1, 1, 1, 1], [4.0, 1.0, 0.5, 2.0], [8e200, 4e200, 2e200, 1e200]])
def test_plackett_luce(strengths):
    X = make_plackett_luce(40_000, strengths, rng=6)
    assert X.dtype == np.int64
    chances = []
    for ranking in FOUR:
        left = [strengths[item] for item in ranking.argsort()]
        chances.append(np.prod([left[place] / sum(left[place:]) for place in range(4)]))
    assert chi_square(X, np.array(chances)) < BOUND


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: make_uniform(20, 6, rng=rng),
        lambda rng: make_mallows(20, 6, 0.5, rng=rng),
        lambda rng: make_plackett_luce(20, np.arange(1, 7), rng=rng),
        lambda rng: make_survey(20, rng=rng).X,
    ],
    ids=["uniform", "mallows", "plackett_luce", "survey"],
)
def test_seeds(make):
    first = make(7)
    np.testing.assert_array_equal(first, make(np.int64(7)))
    np.testing.assert_array_equal(first, make(np.random.default_rng(7)))
    assert (first != make(8)).any()
    assert (make(None) != make(None)).any()
    random = np.random.default_rng(7)
    assert (make(random) != make(random)).any()
    np.testing.assert_array_equal(np.sort(first, axis=1), np.tile(np.arange(1, 7), (20, 1)))


def test_no_rankings_and_one_item():
    assert make_uniform(0, 3, rng=0).shape == (0, 3)
    assert make_mallows(0, 3, 1, rng=0).shape == (0, 3)
    assert make_plackett_luce(0, [1, 2], rng=0).shape == (0, 2)
    assert make_survey(0, rng=0).X.shape == (0, 6)
    np.testing.assert_array_equal(make_mallows(2, 1, 1.0, rng=0), [[1], [1]])


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: make_uniform(-1, 3), ValueError, "m is -1, but must be at least 0"),
        (lambda: make_uniform(2.0, 3), TypeError, "m must be an integer, not 2.0"),
        (lambda: make_uniform(2, 0), ValueError, "n is 0, but must be at least 1"),
        (lambda: make_uniform(2, 3, rng=-1), ValueError, "rng must be None, a seed from 0 or a .*, not -1"),
        (lambda: make_uniform(2, 3, rng="a"), TypeError, "rng must be None, a seed from 0 or a .*, not 'a'"),
        (lambda: make_uniform(2, 3, rng=True), TypeError, "rng must be None, a seed from 0 or a .*, not True"),
        (lambda: make_uniform(10**9, 10**9), ValueError, "int64 values takes .* memory are available"),
        (lambda: make_mallows(2, [1, 1], 1), ValueError, r"^center: row 0 holds 1 twice, .* permutation of 1\.\.2$"),
        (lambda: make_mallows(2, [], 1), ValueError, "center is empty, but must rank at least one item"),
        (lambda: make_mallows(2, 0, 1), ValueError, "center is 0, but must be at least 1"),
        (lambda: make_mallows(2, 2.5, 1), ValueError, "center is a single value"),
        (lambda: make_mallows(2, 3, -0.5), ValueError, r"lam is -0\.5, but must be a finite number from 0"),
        (lambda: make_mallows(2, 3, np.nan), ValueError, "lam is nan, but must be a finite number from 0"),
        (lambda: make_mallows(2, 3, np.inf), ValueError, "lam is inf, but must be a finite number from 0"),
        (lambda: make_mallows(2, 3, "x"), TypeError, "lam must be one number from 0"),
        (lambda: make_mallows(2, 3, [1, 2]), ValueError, "lam is 1-dimensional"),
        (
            lambda: make_plackett_luce(2, [1, 0]),
            ValueError,
            r"strengths: item 1 has 0\.0, but must have a positive finite",
        ),
        (lambda: make_plackett_luce(2, [np.nan]), ValueError, "strengths: item 0 has nan"),
        (lambda: make_plackett_luce(2, [1, np.inf]), ValueError, "strengths: item 1 has inf"),
        (lambda: make_plackett_luce(2, []), ValueError, "strengths is empty"),
        (lambda: make_plackett_luce(2, [[1]]), ValueError, "strengths is 2-dimensional"),
        (lambda: make_plackett_luce(2, "abc"), TypeError, "strengths must be an array of n positive numbers"),
        (lambda: make_survey(-3), ValueError, "m is -3, but must be at least 0"),
        (lambda: load_eurobarometer(3), TypeError, "path must be the name of a file, not 3"),
    ],
)
def test_wrong_arguments(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


# Simulated people.


def test_survey_has_the_sizes_of_the_survey():
    people = make_survey(rng=0)
    assert isinstance(people, Survey)
    assert people.X.shape == (12216, 6)
    assert people.X.dtype == people.y.dtype == np.int64
    np.testing.assert_array_equal(np.bincount(people.y), SIZES)
    assert people.items == list(ITEMS)
    assert people.sex is people.age_group is None
    assert people.left_out == 0
    np.testing.assert_array_equal(np.bincount(make_survey(1000, rng=0).y), [468, 532])
    assert 0 < people.y[:50].mean() < 1


def test_survey_follows_its_model():
    people = make_survey(200_000, rng=1)
    for group, classes in enumerate(MODEL):
        chances = group_chances(SIX, classes)
        assert chances.sum() == pytest.approx(1)
        np.testing.assert_allclose(shares(people.X[people.y == group], SIX), chances, atol=0.002)


@needs_survey
def test_survey_is_close_to_the_counts():
    real, drawn = load_eurobarometer(SURVEY), make_survey(rng=0)
    before = np.array([SIX[:, i] < SIX[:, j] for i, j in itertools.combinations(range(6), 2)], dtype=float)
    for group, classes in enumerate(MODEL):
        wanted, found = (shares(people.X[people.y == group], SIX) for people in (real, drawn))
        model = group_chances(SIX, classes)
        np.testing.assert_allclose(SIX.T @ model, SIX.T @ wanted, rtol=0, atol=0.001)
        np.testing.assert_allclose(before @ model, before @ wanted, rtol=0, atol=0.0005)
        for rank in range(1, 7):
            np.testing.assert_allclose((rank == SIX).T @ model, (rank == SIX).T @ wanted, rtol=0, atol=0.035)
        assert abs(model - wanted).sum() / 2 < 0.19
        np.testing.assert_allclose(SIX.T @ found, SIX.T @ wanted, rtol=0, atol=0.05)
        np.testing.assert_allclose(before @ found, before @ wanted, rtol=0, atol=0.02)


# The files of the survey.


def table(rows, names=COUNTS, separator=","):
    return "".join(separator.join(map(str, row)) + "\n" for row in (names, *rows))


def saved(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def check_rows(people):
    np.testing.assert_array_equal(people.X, WANTED)
    np.testing.assert_array_equal(people.y, [0, 0, 1, 0, 0, 0])
    np.testing.assert_array_equal(people.sex, [1, 1, 2, 2, 2, 2])
    np.testing.assert_array_equal(people.age_group, [1, 1, 3, 2, 2, 2])
    assert people.items == list(ITEMS)
    assert people.left_out == 0
    for array in (people.X, people.y, people.sex, people.age_group):
        assert array.dtype == np.int64


@needs_survey
def test_the_counts():
    people = load_eurobarometer(str(SURVEY))
    assert people.X.shape == (12216, 6)
    np.testing.assert_array_equal(np.bincount(people.y), SIZES)
    np.testing.assert_array_equal(np.bincount(people.age_group)[1:], [2184, 3532, 2937, 3563])
    np.testing.assert_array_equal(np.bincount(people.sex)[1:], [5915, 6301])
    np.testing.assert_allclose(people.X[people.y == 1].mean(axis=0)[:2], [1.99923, 3.18308], atol=1e-5)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_counts_table(tmp_path, end):
    for separator in ";\t":
        check_rows(load_eurobarometer(saved(tmp_path, "counts.csv", table(ROWS, separator=separator))))
    check_rows(load_eurobarometer(saved(tmp_path, "counts.csv", table(ROWS).replace("\n", end))))
    check_rows(load_eurobarometer(saved(tmp_path, "counts.txt", "\ufeff" + table(ROWS) + "\n\n")))


def test_counts_table_with_other_columns_in_another_order(tmp_path):
    names = ["", *COUNTS[::-1], "note"]
    rows = [[f'"{number}"', *row[::-1], "x"] for number, row in enumerate(ROWS)]
    check_rows(load_eurobarometer(saved(tmp_path, "counts.csv", table(rows, names))))


def line_of(text, number, new):
    lines = text.splitlines()
    lines[number - 1] = new
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the line is blank, but must have the names of the columns"),
        ("\n" + table(ROWS), "line 1: the line is blank"),
        ("a,b\n1,2\n", "line 1: the columns, 'a, b', are neither those of the counts table .* nor those of .* ICPSR"),
        (
            table(ROWS).replace("radio", "wireless"),
            "line 1: the column radio is missing: there must be television, radio",
        ),
        (table([], COUNTS[2:]), "line 1: the columns television, radio are missing"),
        (table(ROWS, ["radio", *COUNTS[1:]]), "line 1: the column television is missing"),
        (table([(*row, 1) for row in ROWS], [*COUNTS, "y"]), "line 1: there are 2 columns y, but there must be one"),
        (table([]), "line 1: the names of the columns are the only row"),
        (line_of(table(ROWS), 3, "1,2,3"), "line 3: the row has 3 cells, but the names of the columns are 9"),
        (line_of(table(ROWS), 3, ""), "line 3: the line is blank, but only the last lines may be"),
        (
            line_of(table(ROWS), 3, "1,2,3,4,5,x,1,1,1"),
            "line 3: column school_university holds 'x', but must hold a whole",
        ),
        (
            line_of(table(ROWS), 3, "1,2,3,4,5,,1,1,1"),
            "line 3: column school_university holds '', but must hold a whole",
        ),
        (line_of(table(ROWS), 3, "1,2,3,4,5,6.0,1,1,1"), "line 3: column school_university holds '6.0'"),
        (
            line_of(table(ROWS), 4, "1,2,3,4,5,5,1,1,1"),
            "line 4: the ranks 1, 2, 3, 4, 5, 5 must be the numbers from 1 to 6",
        ),
        (line_of(table(ROWS), 4, "0,1,2,3,4,5,1,1,1"), "line 4: the ranks 0, 1, 2, 3, 4, 5 must be"),
        (line_of(table(ROWS), 4, "5,3,1,-1,-3,-5,1,1,1"), "line 4: the ranks 5, 3, 1, -1, -3, -5 must be"),
        (
            line_of(table(ROWS), 5, "1,2,3,4,5,6,3,1,1"),
            "line 5: column SEX holds 3, but must hold a number from 1 to 2",
        ),
        (
            line_of(table(ROWS), 5, "1,2,3,4,5,6,1,0,1"),
            "line 5: column AGE4 holds 0, but must hold a number from 1 to 4",
        ),
        (line_of(table(ROWS), 5, "1,2,3,4,5,6,1,1,-1"), "line 5: column y holds -1, but must hold a number from 0"),
        (table([(*row[:-1], 0) for row in ROWS]), "line 2: column y holds 0, here and in all rows after it"),
        (line_of(table(ROWS), 3, '1,2,3,"4,5,6,1,1,1'), "line 3: the row cannot be split into cells"),
        (b"television,radio\n1,\xff\n", "line 2: the byte 0xff is not UTF-8"),
    ],
)
def test_wrong_counts_tables(tmp_path, text, message):
    with pytest.raises(ValueError, match=f"^counts.csv, {message}"):
        load_eurobarometer(saved(tmp_path, "counts.csv", text))


def original(rows, names=ICPSR):
    return table([(7, *row, "DE") for row in rows], ["V1", *names, "country"], "\t")


def test_the_file_of_icpsr(tmp_path):
    rows = [
        (1, 2, 3, 4, 5, 6, 39),
        (6, 5, 4, 3, 2, 1, 40),
        (1, 2, 3, 4, 5, "", 30),
        (1, 2, 3, 4, 5, 5, 30),
        (9, 9, 9, 9, 9, 9, ""),
        (0, 1, 2, 3, 4, 5, 41),
        (1, 2, 3, 4, "NA", ".", 41),
        (2, 1, 3, 4, 5, 6, 15),
        (2, 1, 3, 4, 6, 5, 25),
        (3, 1, 2, 4, 6, 5, 99),
        (1, 2, 3, 4, 5, 6, ""),
    ]
    for names in (ICPSR, [name.upper() for name in ICPSR]):
        people = load_eurobarometer(saved(tmp_path, "03341-0001-Data.tsv", original(rows, names)))
        np.testing.assert_array_equal(people.X, [rows[number][:6] for number in (0, 1, 7, 8, 9)])
        np.testing.assert_array_equal(people.y, [0, 1, 0, 0, 1])
        np.testing.assert_array_equal(people.age_group, [2, 3, 1, 2, 4])
        assert people.sex is None
        assert people.left_out == 6
        assert people.X.dtype == people.y.dtype == people.age_group.dtype == np.int64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            original([(1, 2, 3, 4, 5, 6, 39)]).replace("v58", "v5"),
            "line 1: the column v58 is missing: there must be v57, v58",
        ),
        (
            original([(1, 2, 3, 4, 5, 6, 39)]).replace("V1", "V57"),
            "line 1: there are 2 columns v57, but there must be one",
        ),
        (original([(1, 2, 3, 4, 5, 6, "old")]), "line 2: column v522 holds 'old', but must hold a whole"),
        (original([(1, 2, 3, 4, 5, 6, "")]), "line 2: neither this row nor any after it ranks all six sources and has"),
        (original([(1, 2, 3, 4, 5, 6, 999)]), "line 2: column v522 holds 999, but must be an age from 15 to 120"),
        (original([(1, 2, 3, 4, 5, "six", 39)]), "line 2: column v62 holds 'six', but must hold a whole number"),
        (original([(1, 2, 3, 4, 5, "", 39)] * 2), "line 2: neither this row nor any after it ranks all six sources"),
        (original([]), "line 1: the names of the columns are the only row"),
        (original([(1, 2, 3, 4, 5, 6)]), "line 2: the row has 8 cells, but the names of the columns are 9"),
    ],
)
def test_wrong_files_of_icpsr(tmp_path, text, message):
    with pytest.raises(ValueError, match=f"^data.tsv, {message}"):
        load_eurobarometer(saved(tmp_path, "data.tsv", text))


# R save files, written here.

OBJECT, ATTRIBUTES, TAG = 0x100, 0x200, 0x400
NIL = struct.pack(">i", 0xFE)


def number(value):
    return struct.pack(">i", value)


def chars(text):
    if text is None:
        return number(9) + number(-1)
    return number(9 | 64 << 12) + number(len(text.encode())) + text.encode()


def symbol(text):
    return number(1) + chars(text)


def pairlist(pairs, flags=0):
    return b"".join(number(2 | TAG | flags) + symbol(tag) + value for tag, value in pairs) + NIL


def vector(kind, body, attributes=()):
    return (
        number(kind | (OBJECT | ATTRIBUTES if attributes else 0)) + body + (pairlist(attributes) if attributes else b"")
    )


def integers(values, attributes=()):
    return vector(13, number(len(values)) + b"".join(map(number, values)), attributes)


def doubles(values, attributes=()):
    return vector(14, number(len(values)) + struct.pack(f">{len(values)}d", *values), attributes)


def strings(values):
    return vector(16, number(len(values)) + b"".join(map(chars, values)))


def factor(codes, levels):
    return integers(codes, [("levels", strings(levels)), ("class", strings(["factor"]))])


def sequence(length, first, kind="compact_intseq"):
    info = number(2) + symbol(kind) + number(2) + symbol("base") + number(2) + integers([13]) + NIL
    return number(238) + info + doubles([length, first, 1]) + NIL


def frame(columns, row_names=None, more=(), kind="data.frame"):
    body = number(len(columns)) + b"".join(columns.values())
    names = ("names", strings(list(columns)))
    rows = ("row.names", row_names or integers([-(2**31), -len(ROWS)]))
    return vector(19, body, [names, rows, ("class", strings(["pattdes", kind])), *more])


def save_file(objects, version=2):
    head = b"RDX%d\nX\n" % version + number(version) + number(0x30600) + number(0x20300)
    head += number(5) + b"UTF-8" if version == 3 else b""
    return head + pairlist(objects)


def columns_of(rows=ROWS, names=COUNTS):
    return {name: integers([row[place] for row in rows]) for place, name in enumerate(names)}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gzip", "bzip2", "xz"]
)
def test_r_save_file(tmp_path, version, pack):
    content = pack(save_file([("euro55.2.des", frame(columns_of()))], version))
    check_rows(load_eurobarometer(saved(tmp_path, "euro55.2.des.RData", content)))
    check_rows(load_eurobarometer(saved(tmp_path, "euro", content)))


def test_r_save_file_as_prefmod_documents_it(tmp_path):
    rows = [(*(7 - 2 * rank for rank in row[:6]), *row[6:]) for row in ROWS]
    names = (*PREFMOD, "SEX", "AGE4", "y")
    columns = {name: doubles([row[place] for row in rows]) for place, name in enumerate(names)}
    columns["SEX"] = factor([row[6] for row in rows], ["male", "female"])
    columns["AGE4"] = factor([row[7] for row in rows], ["1", "2", "3", "4"])
    columns = {"y": columns.pop("y"), **columns}
    call = number(6) + symbol("patt.design") + number(2 | TAG) + symbol("nitems") + doubles([6]) + NIL
    content = save_file([("euro55.2.des", frame(columns, more=[("call", call), ("objnames", strings(names))]))])
    check_rows(load_eurobarometer(saved(tmp_path, "euro55.2.des.RData", gzip.compress(content))))


def test_r_columns_of_every_kind(tmp_path):
    columns = columns_of()
    columns["television"] = factor([3, 1, 4, 2], ["6", "3", "1", "2"])
    columns["radio"] = strings(["2", "5", "1", "1"])
    columns["y"] = doubles([2, 1, 0, 3])
    columns["row"] = sequence(4, 1)
    shared = number(255 | 1 << 8)
    more = pairlist([("a", integers([1]))]).replace(symbol("a"), shared)
    content = save_file([("x", frame(columns, sequence(4, 1), [("more", more)])), ("other", strings(["a", None]))], 3)
    check_rows(load_eurobarometer(saved(tmp_path, "x.rda", content)))


def with_column(**column):
    return save_file([("x", frame({**columns_of(), **column}))])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (save_file([("x", frame(columns_of(names=COUNTS[:-1])))]), "the column y is missing: there must be television"),
        (
            save_file([("x", frame(columns_of())), ("z", frame(columns_of()))]),
            "there must be one data frame .* there are 2",
        ),
        (save_file([("x", integers([1, 2]))]), "there must be one data frame in the file, but there are 0"),
        (
            save_file([("x", frame(columns_of(), kind="list"))]),
            "there must be one data frame in the file, but there are 0",
        ),
        (save_file([("x", frame(columns_of([])))]), "column television has 0 rows"),
        (with_column(y=integers([1, 2])), "column y has 2 rows, but every column must have equally many"),
        (with_column(y=integers([1, -(2**31), 1, 1])), "row 2: column y holds NA, but must hold a whole number"),
        (with_column(y=doubles([1, 1, np.nan, 1])), "row 3: column y holds NA, but must hold a whole number"),
        (with_column(y=doubles([1, 1, 1, 1.5])), "row 4: column y holds 1.5, but must hold a whole number"),
        (with_column(y=strings(["1", None, "1", "1"])), "row 2: column y holds NA"),
        (with_column(y=strings(["1", "b", "1", "1"])), "row 2: column y holds 'b'"),
        (with_column(SEX=factor([1, 2, -(2**31), 1], ["m", "f"])), "row 3: column SEX holds NA"),
        (
            with_column(SEX=factor([1, 2, 3, 1], ["m", "f", "?"])),
            "row 3: column SEX holds 3, but must hold a number from 1",
        ),
        (with_column(y=frame(columns_of())), "column y has 9 rows"),
        (
            with_column(radio=integers([2, 5, 2, 1])),
            "row 3: the ranks 2, 2, 3, 4, 5, 6 must be the numbers from 1 to 6",
        ),
        (with_column(z=number(24)), "there is an R object of type 24: only data frames of numbers"),
        (with_column(z=sequence(4, 1, "wrap_real")), "there is an R vector of the kind 'wrap_real'"),
        (with_column(z=number(255 | 99 << 8)), "there is a reference to symbol 99 of"),
        (with_column(z=number(13) + number(-1)), "there is a vector of length -1"),
        (with_column(z=number(13) + number(10**9)), "the file ends in the middle of its data"),
        (save_file([("x", (number(19) + number(1)) * 100_000)]), "its lists are nested too deeply"),
        (b"RDA2\nA\n2\n", "the file must be one that R's save.. writes, in XDR format, .* begins with b'RDA2"),
        (b"RDX2", "the file ends in the middle of its data"),
        (gzip.compress(b"television,radio\n"), "the file must be one that R's save.. writes"),
        (gzip.compress(save_file([("x", frame(columns_of()))]))[:-20], "the file cannot be decompressed"),
        (lzma.compress(b"x" * 100)[:50], "the file cannot be decompressed"),
        (b"BZh9 not at all", "the file cannot be decompressed"),
        (b"", "the file ends in the middle of its data"),
    ],
)
def test_wrong_r_save_files(tmp_path, content, message):
    with pytest.raises(ValueError, match=f"^x.RData: {message}"):
        load_eurobarometer(saved(tmp_path, "x.RData", content))


def test_every_cut_of_an_r_save_file_is_refused(tmp_path):
    content = save_file([("x", frame(columns_of(), sequence(4, 1)))], 3)
    for end in range(len(content) - 4):
        with pytest.raises(ValueError, match=r"^x\.RData: "):
            load_eurobarometer(saved(tmp_path, "x.RData", content[:end]))


def test_changed_bytes_of_an_r_save_file_give_people_or_a_reason(tmp_path, leave_memory):
    leave_memory(10**6)
    content = save_file([("x", frame(columns_of(), sequence(4, 1)))], 3)
    rng = np.random.default_rng(0)
    reasons = []
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] = rng.integers(256)
        try:
            load_eurobarometer(saved(tmp_path, "x.RData", bytes(changed)))
        except ValueError as error:
            reasons.append(str(error))
    assert len(reasons) > len(content) // 2
    assert all(reason.startswith("x.RData: ") or "memory are available" in reason for reason in reasons)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_eurobarometer(tmp_path / "none.csv")


@pytest.mark.parametrize("room", [6, 9])
def test_people_are_not_expanded_beyond_memory(tmp_path, monkeypatch, room):
    """Neither where the rankings alone would fit, nor where what they are made with would not."""
    path = tmp_path / "counts.csv"
    path.write_text(f"{','.join(COUNTS)}\n1,2,3,4,5,6,1,2,9000000\n2,1,3,4,5,6,1,2,1000000\n")
    monkeypatch.setattr(_memory, "available_bytes", lambda: room * 10**7 * 8)
    with pytest.raises(
        ValueError, match=r"the result of 10000000 x 10 int64 values takes 762\.9 MiB, but only .* are available"
    ):
        load_eurobarometer(path)
