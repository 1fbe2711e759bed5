"""Whether the first row of a CSV file has names: no row is lost, and no name becomes a ranking."""

import pytest
import wkendall
from orders_of_items import NAN, same, written
from wkendall.reading.csv_columns import read_columns
from wkendall.reading.csv_files import read_csv

NAMES_OF_CHOICES = [
    "first,second,third",
    "First choice,Second choice,Third choice",
    "FirstChoice,SecondChoice,ThirdChoice",
    "1st,2nd,3rd",
    "first,2nd,third",
    "choice1,choice2,choice3",
    "Q5_1,Q5_2,Q5_3",
    "1. Wahl,2. Wahl,3. Wahl",
    "rank 01,rank 02,rank 03",
    "place 0,place 1,place 2",
    "1,2,3",
]


@pytest.mark.parametrize("names", NAMES_OF_CHOICES)
def test_numbered_names_are_columns_of_choices(tmp_path, names):
    path = written(tmp_path, "table.csv", f"{names}\npear,apple,\nplum,,\nfig,quince,kiwi\n")
    found = read_csv(path, layout="choices")
    assert found.items == ["pear", "apple", "plum", "fig", "quince", "kiwi"]
    assert found.X.shape == (3, 6)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        # A name that is asked for.
        ("who,best,next\nann,pear,apple\nbob,plum,fig\n", {"id": "who"}),
        ("best,next,note\npear,apple,x\nplum,fig,y\n", {"skip": "note"}),
        # Numbers below names.
        ("best,next\n11,12\n13,14\n", {}),
        # It is said.
        ("best,next\npear,apple\nplum,fig\n", {"header": True}),
    ],
)
def test_names_of_choices(tmp_path, text, options):
    found = read_csv(written(tmp_path, "table.csv", text), layout="choices", **options)
    assert found.X.shape == (2, 4)
    same(found.X, [[1, 2, NAN, NAN], [NAN, NAN, 1, 2]])


@pytest.mark.parametrize(
    ("text", "options", "items"),
    [
        # An item that is chosen again.
        ("pear,apple\nfig,pear\nplum,\n", {}, ["pear", "apple", "fig", "plum"]),
        # Items that are known.
        ("pear,apple\nfig,kiwi\nplum,\n", {"items": ["kiwi", "fig", "plum", "apple", "pear"]}, None),
        # An empty list.
        (",\npear,apple\nfig,\n", {}, ["pear", "apple", "fig"]),
        # It is said.
        ("pear,apple\nfig,kiwi\nplum,\n", {"header": False}, ["pear", "apple", "fig", "kiwi", "plum"]),
    ],
)
def test_the_first_row_of_choices_is_a_ranking(tmp_path, text, options, items):
    found = read_csv(written(tmp_path, "table.csv", text), layout="choices", **options)
    assert len(found.X) == 3
    assert items is None or found.items == items


AMBIGUOUS = [
    ("choices", "best,next\npear,apple\nplum,fig\n", {}, "no cell of the row occurs in another row, so 'best' may be the name of "
     "a column, or the first choice of a ranking"),
    ("choices", "pear,apple\nfig,kiwi\n", {}, "no cell of the row occurs in another row, so 'pear' may"),
    ("choices", "pear,apple,\nfig,kiwi,lime\n", {}, "no cell of the row occurs in another row, so 'pear' may"),
    ("choices", "pear\n", {}, "no cell of the row occurs in another row, so 'pear' may"),
    ("choices", "2.5\npear\n", {}, "no cell of the row occurs in another row, so '2.5' may"),
    ("choices", "7,9\npear,apple\n", {}, "no cell of the row occurs in another row, so '7' may"),
    ("choices", "a{1} 1,a1 {1}\npear,apple\n", {}, "no cell of the row occurs in another row, so 'a{1} 1' may"),
    ("choices", "a{1},a1\npear,apple\n", {}, "no cell of the row occurs in another row, so 'a{1}' may"),
    ("choices", "best,\n7,9\n", {}, "no cell of the row occurs in another row, so 'best' may"),
    ("choices", "1,\npear,apple\n", {}, "no cell of the row occurs in another row, so '1' may"),
    # Other items are numbered too.
    ("choices", "p1,p2\np3,p4\n", {}, "no cell of the row occurs in another row, so 'p1' may"),
    ("choices", "1,2\n3,4\n", {}, "no cell of the row occurs in another row, so '1' may"),
    # Numbers that do not begin with the first column.
    ("choices", "Terminator 2,Terminator 3\nAlien,Aliens\n", {}, "so 'Terminator 2' may be the name of a column"),
    ("choices", "Windows 10,Windows 11\nLinux,Mac\n", {}, "so 'Windows 10' may be the name of a column"),
    # Columns that are set aside do not count: ann is a name of a person and of an item.
    ("choices", "ann,pear,apple\nbob,fig,ann\n", {"id": "1"}, "no cell of the row occurs in another row, so 'pear' may"),
    ("choices", "wine,beer\npear,apple\n", {"items": ["apple", "pear"]}, "so 'wine' may be the name of a column"),
    ("ranks", "1,x,3\n2,1,3\n", {}, "the row has 'x' and '1', so it may be the names of the columns, or a ranking with a wrong "
     "cell"),
    ("ranks", "?,1,2\n2,1,3\n", {}, "the row has '?' and '1', so it may be"),
    ("ranks", "ann,1,2\nbob,2,1\n", {}, "the row has 'ann' and '1', so it may be"),
]  # fmt: skip


@pytest.mark.parametrize(("layout", "text", "options", "message"), AMBIGUOUS)
def test_no_row_is_lost(tmp_path, layout, text, options, message):
    path = written(tmp_path, "table.csv", text)
    with pytest.raises(wkendall.RankingError) as raised:
        read_csv(path, layout=layout, **options)
    assert str(raised.value).startswith("table.csv, line 1: ")
    assert message in str(raised.value)
    assert str(raised.value).endswith(": header=True or header=False says which")
    assert (raised.value.kind, raised.value.row) == ("header", 0)


def test_names_and_numbers_in_the_first_row_of_observations(tmp_path):
    path = written(tmp_path, "table.csv", "1,?,3\n2,1,3\n")
    with pytest.raises(wkendall.RankingError, match=r"the row has '\?' and '1', so it may be .* or an observation"):
        read_columns(path)
    assert read_columns(path, header=True).names == ["1", "?", "3"]
    assert read_columns(written(tmp_path, "table.csv", "a,2020\n2,1\n"), skip=["a"]).names == ["2020"]
    assert read_columns(written(tmp_path, "table.csv", "a,NA,null\n2,1,3\n")).names == ["a", "NA", "null"]


@pytest.mark.parametrize(
    ("first", "named"),
    [
        ("who,what,rank", True),
        ("ann,pear,1", False),
        ("7,pear,NA", False),
        ("ann,pear,", False),  # the rank is missing
        ("ann,pear,NA", False),
    ],
)
def test_the_first_row_of_a_long_table(tmp_path, first, named):
    text = f"{first}\nann,plum,2\nbob,pear,1\nbob,plum,2\n"
    found = read_csv(written(tmp_path, "table.csv", text), layout="long")
    assert found.ids == [*([] if named or first.split(",")[0] == "ann" else ["7"]), "ann", "bob"]
    assert (found.items[0] == "pear") is not named
    # The same first row with a column that is skipped.
    text = "\n".join(f"3,{line}" for line in text.splitlines())
    if not named:
        same(read_csv(written(tmp_path, "more.csv", text), layout="long", skip="1").X, found.X)


def test_a_wrong_first_entry_of_a_long_table_is_not_lost(tmp_path):
    path = written(tmp_path, "table.csv", "ann,pear,x\nann,plum,2\nbob,pear,1\n")
    with pytest.raises(wkendall.RankingError, match="line 1: column 3 holds 'x', which is not a number"):
        read_csv(path, layout="long")
