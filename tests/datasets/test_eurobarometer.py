"""The files of the survey are read as they are or refused."""

import numpy as np
import pytest
from paths import SURVEY
from survey_files import ROWS, check_rows, needs_survey, saved, table
from wkendall import _memory
from wkendall.datasets import COUNTS, ICPSR, SIZES, load_eurobarometer


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
        (table([(*row, 1) for row in ROWS], [*COUNTS, "y"]), "line 1: there are 2 columns y, but there must be one"),
        (table([]), "line 1: the names of the columns are the only row"),
        (line_of(table(ROWS), 3, "1,2,3"), "line 3: the row has 3 cells, but the names of the columns are 9"),
        (line_of(table(ROWS), 3, ""), "line 3: the line is blank, but only the last lines may be"),
        (
            line_of(table(ROWS), 3, "1,2,3,4,5,x,1,1,1"),
            "line 3: column school_university holds 'x', but must hold a whole",
        ),
        (
            line_of(table(ROWS), 4, "1,2,3,4,5,5,1,1,1"),
            "line 4: the ranks 1, 2, 3, 4, 5, 5 must be the numbers from 1 to 6",
        ),
        (
            line_of(table(ROWS), 5, "1,2,3,4,5,6,3,1,1"),
            "line 5: column SEX holds 3, but must hold a number from 1 to 2",
        ),
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
        (original([(1, 2, 3, 4, 5, "", 39)] * 2), "line 2: neither this row nor any after it ranks all six sources"),
        (original([]), "line 1: the names of the columns are the only row"),
    ],
)
def test_wrong_files_of_icpsr(tmp_path, text, message):
    with pytest.raises(ValueError, match=f"^data.tsv, {message}"):
        load_eurobarometer(saved(tmp_path, "data.tsv", text))


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
