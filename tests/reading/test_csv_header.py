"""The first row of a CSV file has the names of the columns, as in pandas, unless another rule is given; no row is lost unseen."""

import pandas as pd
import pytest
import wkendall
from orders_of_items import numbers, same, written
from wkendall.reading.csv_columns import read_columns
from wkendall.reading.csv_files import read_csv

CONFIRMED = "header=True confirms the names"

#: Files whose first row has names, and how many rankings they have.
NAMED = [
    ("ranks", "a,b\n1,2\n2,1\n", {}, 2),
    ("ranks", "a,2020\n1,2\n2,1\n", {}, 2),
    ("ranks", "1,x,3\n2,1,3\n", {}, 1),
    ("ranks", "ann,b,c\n7,2,1\n", {"id": "1"}, 1),
    ("choices", "best,next\npear,apple\nplum,fig\n", {}, 2),
    ("choices", "first,second\npear,apple\nplum,fig\n", {}, 2),
    ("choices", "pear,apple\nfig,kiwi\n", {}, 1),
    ("choices", "1,2\npear,apple\n", {}, 1),
    ("choices", "7,9\npear,apple\n", {"items": ["apple", "pear"]}, 1),
    ("choices", "ann,best,next\nbob,fig,plum\nann,plum,fig\n", {"id": "1"}, 2),
    ("long", "who,what,rank\nann,plum,2\nbob,pear,1\n", {}, 2),
    ("long", "3,who,what,rank\n3,ann,plum,2\n3,bob,pear,1\n", {"skip": "1"}, 2),
]


@pytest.mark.parametrize(("layout", "text", "options", "rows"), NAMED)
def test_the_first_row_has_the_names(tmp_path, layout, text, options, rows):
    path = written(tmp_path, "table.csv", text)
    for how in ({}, {"header": True}):
        assert len(numbers(path, layout=layout, **options, **how).X) == rows


#: Files whose first row could be a ranking, and how many rankings they have besides.
UNCLEAR = [
    ("ranks", "2001,2002\n5,1\n3,2\n4,9\n", {}, 3),
    ("ranks", "0,1,2\n2,0,1\n1,2,0\n", {}, 2),
    ("ranks", "who,2020,2021\nann,1,2\nbob,2,1\n", {"id": "who"}, 2),
    ("ranks", "ann,4,2,3\nbob,2,1,3\n", {"id": "1"}, 1),
    ("ranks", "x,7,2\ny,2,1\n", {"skip": "1"}, 1),
    ("choices", "pear,apple\nfig,pear\nplum,\n", {}, 2),
    ("choices", "pear,apple\nfig,kiwi\nplum,\n", {"items": ["kiwi", "fig", "plum", "apple", "pear"]}, 2),
    ("choices", ",\npear,apple\nfig,\n", {}, 2),
    ("choices", "ann,pear,apple\nbob,fig,pear\n", {"id": "1"}, 1),
    ("long", "bob,pear,1\nann,plum,2\nann,pear,1\n", {}, 1),
    ("long", "7,pear,NA\nann,plum,2\n", {}, 1),
    ("long", "bob,pear,NaN\nann,plum,2\n", {}, 1),
    # A number with a mistake.
    ("long", "ann,pear,x\nann,plum,2\nbob,pear,1\n", {}, 2),
]


@pytest.mark.parametrize(("layout", "text", "options", "rows"), UNCLEAR)
def test_no_row_is_lost_unseen(tmp_path, layout, text, options, rows):
    path = written(tmp_path, "table.csv", text)
    with pytest.warns(UserWarning, match="first row") as said:
        found = read_csv(path, layout=layout, ties="mean", missing="bottom", **options)
    assert len(found) == rows
    row = text.partition("\n")[0].replace(",", ", ")
    row = f", {row}," if row.strip(", ") else ""
    what = "an item of a ranking" if layout == "long" else "a ranking"
    assert [str(one.message) for one in said] == [
        f"table.csv, line 1: the first row{row} is read as the names of the columns, but may be {what}: header=False reads the "
        f"row as {what}, {CONFIRMED}"
    ]
    assert said[0].filename == __file__
    assert read_csv(path, layout=layout, header=True, ties="mean", missing="bottom", **options) == found


def test_without_a_header_every_row_is_a_ranking(tmp_path):
    found = numbers(written(tmp_path, "table.csv", "5,1\n3,2\n4,9\n"), header=False)
    same(found.X, [[5, 1], [3, 2], [4, 9]])
    assert found.items is None
    found = numbers(written(tmp_path, "table.csv", "pear,apple\nfig,kiwi\nplum,\n"), layout="choices", header=False)
    assert found.items == ["pear", "apple", "fig", "kiwi", "plum"]
    found = numbers(written(tmp_path, "table.csv", "ann,pear,1\nbob,pear,\n"), layout="long", header=False)
    assert found.ids == ["ann", "bob"]
    with pytest.raises(wkendall.RankingError, match="line 1: column 3 holds 'x', which is not a number"):
        numbers(written(tmp_path, "table.csv", "ann,pear,x\nann,plum,2\n"), layout="long", header=False)


#: First rows that cannot be names: it is said how the row is read as a ranking.
NO_NAMES = [
    ("ranks", "1,1,2\n2,0,1\n", "columns 1 and 2 have the same name, '1'; header=False reads the row as a ranking"),
    ("ranks", "1,,2\n2,0,1\n", "leave out row numbers; header=False reads the row as a ranking"),
    ("ranks", "1,2\n", "there must be rankings after them; header=False reads the row as a ranking"),
    ("choices", "a,a\na,b\n", "columns 1 and 2 have the same name, 'a'; header=False reads the row as a ranking"),
    ("choices", "a,a\nb,c\n", "columns 1 and 2 have the same name, 'a'"),
]


@pytest.mark.parametrize(("layout", "text", "message"), NO_NAMES)
def test_a_row_that_cannot_be_names(tmp_path, layout, text, message):
    path = written(tmp_path, "table.csv", text)
    with pytest.raises(wkendall.RankingError) as raised:
        numbers(path, layout=layout)
    assert str(raised.value).endswith(message)
    with pytest.raises(wkendall.RankingError) as raised:
        numbers(path, layout=layout, header=True)
    assert "header=" not in str(raised.value)


def test_tables_of_observations(tmp_path):
    path = written(tmp_path, "table.csv", "2001,2002\n5,1\n3,2\n4,9\n")
    with pytest.warns(UserWarning, match="the first row, 2001, 2002, is read as the names .* reads the row as an"):
        found = read_columns(path)
    assert (found.items, found.X.tolist()) == (["2001", "2002"], [[5, 1], [3, 2], [4, 9]])
    assert wkendall.corr(found.X)[0, 1] == pytest.approx(pd.read_csv(path).corr("kendall").iloc[0, 1])
    assert len(read_columns(path, header=False).X) == 4
    with pytest.warns(UserWarning, match="may be an observation"):
        read_columns(written(tmp_path, "table.csv", "true,NULL\nfalse,1\n"))
    assert read_columns(written(tmp_path, "table.csv", "1,?,3\n2,1,3\n")).items == ["1", "?", "3"]
    assert read_columns(written(tmp_path, "table.csv", "a,NA,null\n2,1,3\n")).items == ["a", "NA", "null"]
