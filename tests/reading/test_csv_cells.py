"""Cells of CSV files: whole numbers that doubles cannot hold, names in quotes, and columns that count the rows."""

import numpy as np
import pandas as pd
import pytest
import wkendall
from orders_of_items import NAN, numbers, same, written
from wkendall.reading.csv_files import read_csv


def signs(values):
    """Which of each two numbers is the larger."""
    return [[(a > b) - (a < b) for a in values] for b in values]


ROWS = [
    [2**53, 2**53 + 1, 2**53 + 2],
    [2**53 + 1, 2**53, 2**53 - 1],
    [-(2**60), -(2**60) - 1, 5],
    [10**30 + 1, 10**30, 10**30 + 1],
    [2**63, 2**64 - 1, 2**64],
    [3, 1, 2],
]


@pytest.mark.parametrize("layout", ["ranks", "long"])
def test_whole_numbers_keep_their_order(tmp_path, layout):
    if layout == "ranks":
        text = "a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS)
    else:
        cells = [(row, item, values[item]) for item in range(3) for row, values in enumerate(ROWS)]
        text = "who,what,score\n" + "".join(f"{row},{item},{value}\n" for row, item, value in cells)
    X = numbers(written(tmp_path, "table.csv", text), layout=layout).X
    assert X.dtype == np.float64
    for row, values in zip(X.tolist(), ROWS, strict=True):
        assert signs(row) == signs(values)
        np.testing.assert_allclose(
            row, [float(value) for value in values], rtol=1e-15
        )  # large numbers stay large: they do not become ranks
    assert X[-1].tolist() == ROWS[-1]


def test_whole_numbers_beside_others(tmp_path):
    text = f"a,b,c,d\n{2**53 + 1},{float(2**53)!r},,+{2**53 + 1}\n"
    (row,) = numbers(written(tmp_path, "table.csv", text)).X.tolist()
    assert row[0] == row[3] > row[1] == 2**53
    assert np.isnan(row[2])


@pytest.mark.parametrize("word", ["NA", "NaN", "nan"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_name_in_quotes_is_a_name(tmp_path, word, end):
    rows = [
        "first,second,third",
        f'Peru,"{word}",',
        f'"{word}",Peru,{word}',
        f'Peru, " {word} ",{word}',
        f'Peru,"a,""{word}"",",',
    ]
    found = numbers(written(tmp_path, "table.csv", end.join(rows)), layout="choices")
    assert found.items == ["Peru", word, f'a,"{word}",']
    same(found.X, [[1, 2, NAN], [2, 1, NAN], [1, 2, NAN], [1, NAN, 2]])
    found = numbers(written(tmp_path, "t.csv", f'"{word}",a{end}"a","{word}"'), layout="choices", header=False)
    same(found.X, [[1, 2], [2, 1]])


@pytest.mark.parametrize("delimiter", [",", "\t", ";", " "])
def test_quotes_that_are_part_of_a_name(tmp_path, delimiter):
    """A delimiter at the end of a quoted name, and a quote at the end of one without quotes."""
    rows = [["a", "b", "c"], [f'"x{delimiter}"', 'NA"', "y"], ["NA", "", ""], ['"NA"', "y", ""]]
    path = written(tmp_path, "table.csv", "\n".join(map(delimiter.join, rows)) + "\n")
    found = numbers(path, layout="choices", delimiter=delimiter)
    assert found.items == [f"x{delimiter}".strip(), 'NA"', "y", "NA"]
    same(found.X, [[1, 2, 3, NAN], [NAN] * 4, [NAN, NAN, 2, 1]])


def test_a_name_in_quotes_in_a_long_table(tmp_path):
    text = 'who;what;rank\n"NA";Peru;1\n"NA";"NA";2\nann;"NaN";"NA"\n'
    found = numbers(written(tmp_path, "table.csv", text), layout="long")
    assert (found.items, found.ids) == (["Peru", "NA", "NaN"], ["NA", "ann"])
    same(found.X, [[1, 2, NAN], [NAN, NAN, NAN]])  # a number in quotes may be missing
    with pytest.raises(ValueError, match="line 2: column 2, 'what', is blank"):
        numbers(written(tmp_path, "table.csv", "who,what,rank\nann,NA,1\n"), layout="long")


def test_numbers_in_quotes_may_be_missing(tmp_path):
    same(numbers(written(tmp_path, "table.csv", 'a,b\n"1","NA"\n')).X, [[1, NAN]])


COUNTED = 'counts the rows (%s), but is read as an item: id="%s" reads it as the names of the rankings, skip="%s" leaves it out'


@pytest.mark.parametrize("first", [0, 1, 1001])
def test_a_column_that_counts_the_rows(tmp_path, first):
    rows = [[2, 1, 3], [1, 2, 3], [3, 2, 1], [1, 3, 2]]
    text = "".join(f"{first + row},{','.join(map(str, ranks))}\n" for row, ranks in enumerate(rows))
    path = written(tmp_path, "table.csv", "no,a,b,c\n" + text)
    with pytest.warns(UserWarning, match="counts the rows") as said:
        assert read_csv(path, ties="mean").shape == (4, 4)
    counts = f"{first}, {first + 1}, ..."
    assert str(said[0].message) == f"table.csv: column 1, 'no', {COUNTED % (counts, 'no', 'no')}"
    assert said[0].filename == __file__
    same(numbers(path, id="no").X, rows)
    same(numbers(path, skip="no").X, rows)
    with pytest.warns(UserWarning, match="counts the rows") as said:
        read_csv(written(tmp_path, "table.csv", text), header=False, ties="mean")
    assert str(said[0].message) == f"table.csv: column 1 {COUNTED % (counts, '1', '1')}"


def survey(m=6):
    """Ranks of three items, an age and a number for each row."""
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile([1.0, 2, 3], (m, 1)), axis=1)
    ranks[0, 1] = NAN
    frame = pd.DataFrame(ranks, columns=["a", "b", "c"])
    return frame.assign(age=[30, 18, 79, 20, 41, 30][:m])


LARGE = "column 'age' has 18 to 79, above 4, the number of items, but is read as an item; "


def test_a_column_of_ages_beside_ranks(tmp_path):
    path = tmp_path / "survey.csv"
    survey().to_csv(path, index=False)
    with pytest.warns(UserWarning, match="but is read as an item") as said:
        assert read_csv(path, missing="bottom").shape == (6, 4)
    assert [str(warning.message) for warning in said] == [f'survey.csv: {LARGE}skip="age" leaves it out']
    assert said[0].filename == __file__
    assert read_csv(path, missing="bottom", skip="age").items == ["a", "b", "c"]
    with pytest.warns(UserWarning, match="but is read as an item") as said:
        wkendall.Rankings(survey().astype("Float64"), missing="bottom")
    assert [str(warning.message) for warning in said] == [f"X: {LARGE}items= chooses the columns to read"]
    assert said[0].filename == __file__
    survey().assign(age=range(100, 106)).to_csv(path, index=False)
    with pytest.warns(UserWarning, match="counts the rows") as said:
        read_csv(path, missing="bottom")
    assert len(said) == 1


def test_codes_of_missing_answers(tmp_path):
    path = written(tmp_path, "survey.csv", "a,b,c\n1,2,3\n2,1,0\n,1,2\n")
    with pytest.warns(UserWarning, match="code") as said:
        read_csv(path, missing="bottom")
    assert [str(warning.message)[:45] for warning in said] == ["survey.csv: line 3, column 'c' holds 0, which"]
    assert said[0].filename == __file__


@pytest.mark.parametrize(
    ("frame", "options"),
    [
        (survey(), {"input": "scores"}),
        (survey(4), {}),  # too few rows to tell
        (survey()[["a", "b", "c"]], {}),
        (survey() * 10, {}),  # ranks of some items of a larger table
    ],
)
def test_columns_without_a_warning(tmp_path, frame, options):
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    assert read_csv(path, missing="bottom", **options) == wkendall.Rankings(frame, missing="bottom", **options)


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2, 3, 4], [2, 3, 4, 1], [3, 4, 1, 2], [4, 1, 2, 3]],  # ranks, each of them a turn of the first
        [[1, 5], [2, 1], [3, 7]],  # too few rows to tell
        [[1, 5], [2, 1], [3, 7], [5, 7]],
        [[1, 5], [2, 1], [3, 7], [NAN, 7]],
        [[1], [2], [3], [4]],
    ],
)
def test_columns_that_are_items(tmp_path, rows):
    text = "\n".join(",".join(map(str, row)) for row in rows)
    same(numbers(written(tmp_path, "table.csv", text), header=False).X, rows)
