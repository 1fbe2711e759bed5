"""CSV files: what becomes of them, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
import wkendall
from orders_of_items import NAN, dense, numbers, ranks, same, written
from wkendall.reading.csv_files import read_csv, read_table

CITIES = ["Paris", "Rome, Italy", "São Paulo"]
NUMBERS = [[1, 2, 3], [2.5, NAN, -1e-3], [NAN, NAN, NAN], [3, 1, NAN]]
TABLES = {
    "commas": 'Paris,"Rome, Italy",São Paulo\n1,2,3\n2.5,,-1e-3\n,,\n3,1,NaN\n',
    "semicolons, names with commas": "Paris;Rome, Italy;São Paulo\n1;2;3\n2.5;;-1e-3\n;;\n3;1;NaN\n",
    "tabs": "Paris\tRome, Italy\tSão Paulo\n1\t2\t3\n2.5\t\t-1e-3\n\t\t\n3\t1\tNaN\n",
    "spaces": ' Paris , "Rome, Italy", São Paulo\n1, 2 ,3\n +2.5, NA ,-.001\nNaN , nan,NA\n 3.,01,\n',
    "CRLF": 'Paris,"Rome, Italy",São Paulo\r\n1,2,3\r\n2.5,,-1e-3\r\n,,\r\n3,1,NaN\r\n',
    "CR": 'Paris,"Rome, Italy",São Paulo\r1,2,3\r2.5,,-1e-3\r,,\r3,1,NaN\r',
    "BOM": '\ufeffParis,"Rome, Italy",São Paulo\n1,2,3\n2.5,,-1e-3\n,,\n3,1,NaN\n',
    "all quoted": '"Paris","Rome, Italy","São Paulo"\n"1","2","3"\n"2.5","","-1e-3"\n"","",""\n"3","1","NaN"\n',
    "no last end of line": 'Paris,"Rome, Italy",São Paulo\n1,2,3\n2.5,,-1e-3\n,,\n3,1,NaN',
    "blank lines at the end": 'Paris,"Rome, Italy",São Paulo\n1,2,3\n2.5,,-1e-3\n,,\n3,1,NaN\n\n  \n\r\n',
}


@pytest.mark.parametrize("form", TABLES)
def test_csv(tmp_path, form):
    path = written(tmp_path, "table.csv", TABLES[form])
    for found in (numbers(path), numbers(str(path), header=True), numbers(path, header=np.True_)):
        assert found.items == CITIES
        same(found.X, NUMBERS)


def test_csv_delimiter_given(tmp_path):
    path = written(tmp_path, "table.csv", "a|b, c\n1|2\n")
    assert numbers(path, delimiter="|").items == ["a", "b, c"]
    same(numbers(written(tmp_path, "table.txt", "1 2\n2 1\n"), delimiter=" ", header=False).X, [[1, 2], [2, 1]])


def test_columns_set_apart(tmp_path):
    path = written(tmp_path, "table.csv", 'who,a,7,b\n"Ann\nLee",1,old,2\nBo,2,,1\n')
    table = read_table(path, apart=["who", "7"], skip=["age"], may_lack=True)
    same(table.X, [[1, 2], [2, 1]])
    assert table.items == ["a", "b"]
    assert table.apart == {"who": ["Ann\nLee", "Bo"], "7": ["old", ""]}
    assert table.lines == [2, 4]
    table = read_table(written(tmp_path, "table.csv", "5,1,2\n6,2,1\n"), apart=["1"], header=False)
    same(table.X, [[1, 2], [2, 1]])
    assert (table.items, table.apart) == (None, {"1": ["5", "6"]})
    for name, known in (("c", "they have no names"), ("0", "they have no names"), ("4", "they have no names")):
        with pytest.raises(ValueError, match=rf"^table\.csv, line 1: there is no column '{name}': {known}$"):
            read_table(path, apart=[name], header=False)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("named", [True, False])
def test_round_trip_of_csv(tmp_path, delimiter, named):
    rng = np.random.default_rng(3)
    for rows, size in ((1, 2), (3, 5), (150, 4)):
        frame = pd.DataFrame(rng.normal(size=(rows, size)), columns=[f'a "{i}", b; c\td' for i in range(size)])
        frame = frame.mask(rng.random((rows, size)) < 0.3)
        path = tmp_path / "table.csv"
        frame.to_csv(path, sep=delimiter, index=False, header=named)
        X, items, _ = numbers(path, header=named)
        assert items == (list(frame.columns) if named else None)
        same(X, frame.to_numpy())


COLUMN = (
    'which is not a number; id="{0}" reads the column as the names of the rankings, skip="{0}" leaves it out, layout= is for '
    "names of items in the cells"
)
BAD_TABLES = [
    ("empty", "", {}, "line 1: the file is empty"),
    ("blank first", "\na,b\n1,2\n", {},
     "line 1: the line is blank, but must be the first row of numbers, or the names of the items"),
    ("names only", "a,b\n\n", {}, "line 1: the names of the items are the only row: there must be rankings after them"),
    ("short row", "a,b,c\n1,2,3\n1,2\n", {}, "line 3: the row has 2 cells, but the first row has 3"),
    ("a word", "a,b\n1,2\n2,x\n", {}, "line 3: column 2, 'b', holds 'x', which is not a number"),
    ("a word among numbers", "a,b\n1,2\n2,1\n2,k.A.\n", {},
     "line 4: column 2, 'b', holds 'k.A.', which is not a number; a number that is missing is an empty cell"),
    ("a column of words", "who,a,b\nann,1,2\n", {}, f"line 2: column 1, 'who', holds 'ann', {COLUMN.format('who')}"),
    ("spaces", "a b\n1 2\n", {},
     "line 2: column 1, 'a b', holds '1 2', which is not a number; delimiter=\" \" is for numbers with spaces between them"),
    ("trailing delimiters", "a,b,\n1,2,\n", {},
     "line 1: column 3 has no name, but every column must be an item: leave out row numbers; skip=\"3\" leaves it out"),
    ("names that are said not to be", "a,b\n1,2\n", {"header": False}, f"line 1: column 1 holds 'a', {COLUMN.format(1)}"),
    ("decimal comma", "a;b\n1;2,5\n", {},
     "line 2: column 2, 'b', holds '2,5', which is not a number; write decimals with a point"),
    ("underscore", "a,b\n1,1_0\n", {}, f"line 2: column 2, 'b', holds '1_0', {COLUMN.format('b')}"),
    ("other digits", "a,b\n1,\u0661\n", {}, f"line 2: column 2, 'b', holds '\u0661', {COLUMN.format('b')}"),
    ("infinite", "a,b\n1,-inf\n", {}, "line 2: column 2, 'b', holds '-inf', which is not finite"),
    ("beyond double precision", "1,1e999\n", {"header": False}, "line 1: column 2 holds '1e999', which is not finite"),
    ("same name", "a,b,a\n1,2,3\n", {}, "line 1: columns 1 and 3 have the same name, 'a'"),
    ("row numbers", ",a,b\n0,1,2\n", {},
     "line 1: column 1 has no name, but every column must be an item: leave out row numbers; skip=\"1\" leaves it out"),
    ("quotes not closed", 'a,b\n1,"2\n', {}, "line 2: the row cannot be split into cells: unexpected end of data"),
    ("a huge cell", "a,b\n1," + "2" * 200_000, {},
     "line 2: the row cannot be split into cells: field larger than field limit (131072)"),
    ("Latin-1", "a,é\n1,2\n".encode("latin-1"), {}, "line 1: the byte 0xe9 is not UTF-8: the file must be text in UTF-8; "
     "encoding='cp1252' reads files from older programs on Windows"),
    ("compressed", b"PK\x03\x04\n\x00\x08", {}, "line 2: there is a zero byte: the file must be text in UTF-8"),
]  # fmt: skip


def test_ids_and_skipped_columns(tmp_path):
    path = written(tmp_path, "table.csv", "who,a,age,b,note\nann,1,30,2,x\nbob,2,40,1,\n")
    found = numbers(path, id="who", skip=["age", "note"])
    same(found.X, [[1, 2], [2, 1]])
    assert (found.items, found.ids) == (["a", "b"], ["ann", "bob"])
    votes = read_csv(path, id="who", skip=["age", "note"])
    assert (votes.items, votes.labels) == (["a", "b"], ["ann", "bob"])
    assert pickle.loads(pickle.dumps(votes)).labels == ["ann", "bob"]
    X, items, _ = numbers(path, id="1", skip=["3", "5"])
    same(X, found.X)
    assert items == found.items
    assert numbers(written(tmp_path, "one.csv", "x,a,b\n7,1,2\n"), skip="x").ids is None


def test_skipped_columns_may_hold_anything(tmp_path):
    """They may vary between the rows of a ranking, be blank, and hold numbers, texts or quotes."""
    rows = ["ann,pear,1,2026-01-02,", 'bob,plum,1,,"a ""b"", c"', "ann,apple,2,2026-01-03,7", "bob,pear,2.5,3,x"]
    named = written(tmp_path, "named.csv", "\n".join(["who,what,rank,day,note", *rows]))
    unnamed = written(tmp_path, "unnamed.csv", "\n".join(rows))
    for path, options in (
        (named, {"skip": ["day", "note"]}),
        (named, {"skip": {"4", "note"}, "id": "who"}),
        (named, {"skip": ("day", "day", "5"), "id": "who", "item": "what", "value": "rank"}),
        (unnamed, {"skip": ["4", "5"], "header": False}),
        (unnamed, {"skip": iter(["5", "4"]), "id": "1", "item": "2", "value": "3", "header": False}),
    ):
        found = numbers(path, layout="long", **options)
        assert (found.items, found.ids) == (["pear", "plum", "apple"], ["ann", "bob"])
        same(found.X, [[1, NAN, 2], [2.5, 1, NAN]])
    same(numbers(written(tmp_path, "wide.csv", 'a,day,b\n1,x,2\n2,"y, z",1\n'), skip="day").X, [[1, 2], [2, 1]])
    choices = written(tmp_path, "choices.csv", 'first,day,second\npear,x,plum\nplum,"pear",\n')
    same(numbers(choices, layout="choices", skip="day").X, [[1, 2], [NAN, 1]])


CHOICES = {
    "padded": "first,second,third\npear,apple,\nplum,,\n,,\napple,plum,pear\n",
    "short rows": 'first,second,third\npear,apple\nplum\n""\napple,plum,pear\n',
    "no names": "pear,apple,\nplum,,\n,,\napple,plum,pear\n",
    "NaN": "first;second;third\npear;apple;NaN\nplum;NA;nan\nNA;NA;NA\napple;plum;pear\n",
}


@pytest.mark.parametrize("form", CHOICES)
def test_choices(tmp_path, form):
    path = written(tmp_path, "table.csv", CHOICES[form])
    header = form != "no names"
    found = numbers(path, layout="choices", header=header)
    assert found.items == ["pear", "apple", "plum"]
    same(found.X, [[1, 2, NAN], [NAN, NAN, 1], [NAN] * 3, [3, 1, 2]])
    given = numbers(path, layout="choices", items=["plum", "fig", "apple", "pear"], header=header)
    same(given.X, [[NAN, NAN, 2, 1], [1, NAN, NAN, NAN], [NAN] * 4, [2, NAN, 1, 3]])


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("who,what,rank\nann,pear,1\nbob,plum,1\nann,apple,2\nbob,pear,2.5\n", {}),
        ("ann,pear,1\nbob,plum,1\nann,apple,2\nbob,pear,2.5\n", {"header": False}),
        (
            "rank,x,what,who\n1,,pear,ann\n1,,plum,bob\n2,,apple,ann\n2.5,,pear,bob\n",
            {"id": "who", "item": "what", "value": "rank", "skip": "x"},
        ),
        ("rank;who;what\n1;ann;pear\n1;bob;plum\n2;ann;apple\n2.5;bob;pear\n", {"value": "rank"}),
        ("7;1;ann;pear\n7;1;bob;plum\n7;2;ann;apple\n7;2.5;bob;pear\n", {"value": "2", "skip": ["1"], "header": False}),
    ],
)
def test_long(tmp_path, text, options):
    found = numbers(written(tmp_path, "table.csv", text), layout="long", **options)
    assert (found.items, found.ids) == (["pear", "plum", "apple"], ["ann", "bob"])
    same(found.X, [[1, NAN, 2], [2.5, 1, NAN]])
    given = numbers(
        written(tmp_path, "table.csv", text), layout="long", items=["apple", "fig", "pear", "plum"], **options
    )
    same(given.X, [[2, NAN, 1, NAN], [NAN, NAN, 2.5, 1]])


def test_long_missing_numbers_and_labels(tmp_path):
    path = written(tmp_path, "table.csv", "who,what,score,age\nann,pear,1,30\nann,plum,,30\nbob,plum,2,40\n")
    table = read_table(path, layout="long", apart=["age"])
    same(dense(table.X), [[1, NAN], [NAN, 2]])
    assert (table.apart["age"], table.lines) == (["30", "40"], [2, 4])


THREE = (
    "a long table has one column each for the ranking, the item and the number: id, item and value name them, skip leaves out "
    "others"
)
# fmt: off
LAYOUTS_REFUSED = [
    ("gap", "1st,2nd,3rd\npear,,plum\n", {"layout": "choices"},
     "line 2: column 2, '2nd', is blank, but column 3, '3rd', holds 'plum': blanks must be last; "
     "layout=\"lists\" leaves out blanks, so that later items move up"),
    ("chosen twice", "1st,2nd,3rd\npear,plum,pear\n", {"layout": "choices"},
     "line 2: 'pear' is chosen twice, in columns 1 and 3"),
    ("stranger", "1st,2nd\npear,fig\n", {"layout": "choices", "items": ["pear"]},
     "line 2: column 2, '2nd', holds 'fig', which is not one of the 1 items given"),
    ("too many choices", "1st,2nd\npear,plum\nplum,pear,fig\n", {"layout": "choices"},
     "line 3: the row has 3 cells, but the first row has 2"),
    ("no such id", "a,b\npear,plum\n", {"layout": "choices", "id": "who"}, "line 1: there is no column 'who': they are 'a', 'b'"),
    ("long number", "w,i,v\nann,pear,x\n", {"layout": "long"}, "line 2: column 3, 'v', holds 'x', which is not a number"),
    ("long twice", "w,i,v\nann,pear,1\nbob,pear,1\nann,pear,2\n", {"layout": "long"},
     "line 4: 'ann' has a number for 'pear' already, in line 2"),
    ("long blank", "w,i,v\nann,,1\n", {"layout": "long"}, "line 2: column 2, 'i', is blank"),
    ("long with more", "w,i,v,age\nann,pear,1,30\n", {"layout": "long"}, f"line 1: there are 1 columns too many; {THREE}"),
    ("long with less", "w,i\nann,1\n", {"layout": "long", "header": True}, f"line 1: there are 1 columns too few; {THREE}"),
]
# fmt: on


REFUSED = BAD_TABLES + LAYOUTS_REFUSED


@pytest.mark.parametrize(("text", "options", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_csv_refused(tmp_path, text, options, message):
    with pytest.raises(wkendall.RankingError) as raised:
        read_csv(written(tmp_path, "table.csv", text), **options)
    assert str(raised.value) == f"table.csv, {message}"


def test_a_label_must_be_the_same_in_all_rows_of_a_ranking(tmp_path):
    path = written(tmp_path, "table.csv", "who,what,score,age\nann,pear,1,30\nann,plum,2,31\n")
    message = "^table.csv, line 3: 'ann' has '31' in column 'age', but '30' in line 2$"
    with pytest.raises(ValueError, match=message):
        read_table(path, layout="long", apart=["age"])


def test_numbers_mean_what_the_options_say(tmp_path):
    path = written(tmp_path, "table.csv", "who,a,b,c\nann,1.5,-2,7\nbob,0,0,N/A\n")
    votes = read_csv(path, id="who", input="scores", ties="mean", missing="bottom")
    assert votes.to_lists() == [["c", "a", "b"], [{"a", "b"}]]
    assert votes.labels == ["ann", "bob"]
    turned = read_csv(path, id="who", input="scores", top="high", ties="mean", missing="bottom")
    assert turned.to_lists()[0] == ["b", "a", "c"]
    long = written(tmp_path, "long.csv", "who,what,score\nann,a,-1.5\nann,b,-2\nbob,b,0\nbob,c,null\n")
    votes = read_csv(long, layout="long", input="scores")
    assert (votes.kind, votes.to_lists(), votes.labels) == ("lists", [["a", "b"], ["b"]], ["ann", "bob"])
    assert votes.items == ["a", "b", "c"]


def test_how_rankings_are_stored(tmp_path):
    short = written(tmp_path, "short.csv", "first,second\na,b\nb,\n")
    full = written(tmp_path, "full.csv", "first,second\na,b\nb,a\n")
    assert read_csv(short, layout="choices").kind == "lists"
    assert read_csv(full, layout="choices").kind == "complete"
    assert read_csv(full, layout="choices", items=["a", "b", "c"]).kind == "lists"
    assert read_csv(short, layout="choices", missing="anywhere").kind == "tied"
    ranked = written(tmp_path, "ranked.csv", "a,b\n1,2\n1,\n")
    assert read_csv(ranked, missing="bottom").kind == "complete"  # one item left out of two has one place
    same(ranks(read_csv(short, layout="choices")), [[1, 2], [NAN, 1]])


def test_lists_are_read_without_an_array(tmp_path, leave_memory):
    path = written(tmp_path, "table.csv", "first,second\n" + "".join(f"a{row},b{row}\n" for row in range(20)))
    leave_memory(1000)
    assert read_csv(path, layout="choices").shape == (20, 40)
    with pytest.raises(ValueError, match=r"available: take fewer rankings at a time, or leave out items that few"):
        read_csv(path, layout="choices", missing="anywhere")


def test_columns_that_are_items(tmp_path):
    path = written(tmp_path, "table.csv", "who,a,age,b,\nann,1,30,2,x\nbob,2,x,1,\n")
    votes = read_csv(path, items=["b", "a"])
    assert (votes.items, votes.to_lists()) == (["b", "a"], [["a", "b"], ["b", "a"]])
    assert read_csv(path, items=["2", "4"], id="who").labels == ["ann", "bob"]
    with pytest.raises(wkendall.RankingError, match=r"^table.csv, line 1: there is no column 'c': they are 'who', 'a'"):
        read_csv(path, items=["a", "c"])


@pytest.mark.parametrize(
    ("text", "options", "message", "row"),
    [
        ("a,b,c\n1,2,3\n1,3,3\n", {}, "table.csv: line 3 holds 3 twice, in columns 'b' and 'c', but every row of 3 ", 2),
        ("a,b\n1,\n2,1\n", {}, "table.csv: line 2, column 'b' holds NaN: every item needs a number; missing=\"bottom\"", 1),
        ("1,7\n", {"header": False}, "table.csv: line 1, column 2 holds 7, but every row of 2 items", 0),
        ("1st,2nd\na,b\nb,\n", {"layout": "choices", "missing": "error"}, "table.csv: line 3 leaves out item 'a'", 2),
        ("w,i,v\nann,a,1\nann,b,1\nbob,a,1\n", {"layout": "long"}, "ranking 'ann' holds 1 twice, for items 'a' and 'b'", 1),
    ],
)  # fmt: skip
def test_errors_say_where_in_the_file(tmp_path, text, options, message, row):
    with pytest.raises(wkendall.RankingError) as raised:
        read_csv(written(tmp_path, "table.csv", text), **options)
    assert message in str(raised.value)
    assert raised.value.row == row


def test_missing_values_are_those_of_pandas(tmp_path):
    words = ["", "NA", "N/A", "NaN", "nan", "null", "None", "<NA>", "n/a", "NULL", "#N/A"]
    path = written(tmp_path, "table.csv", "a,b,c\n" + "".join(f"1,{word},2\n" for word in words))
    assert pd.read_csv(path)["b"].isna().all()
    assert np.isnan(numbers(path).X[:, 1]).all()
    choices = written(tmp_path, "choices.csv", "first,second\n" + "".join(f"a,{word}\n" for word in words))
    assert read_csv(choices, layout="choices", items=["a", "b"]).to_lists() == [["a"]] * len(words)
    quoted = written(tmp_path, "quoted.csv", "first,second\n" + "".join(f'a,"{word}"\n' for word in words[1:]))
    assert read_csv(quoted, layout="choices").to_lists() == [["a", word] for word in words[1:]]


def test_blanks_between_choices(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("1st,2nd,3rd\npear,,plum\n,fig,\n,,\n")
    assert read_csv(path, layout="lists").to_lists() == [["pear", "plum"], ["fig"], []]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8", "UTF8", "utf-8-sig"])
def test_encodings(tmp_path, encoding):
    path = tmp_path / "names.csv"
    path.write_bytes("café;thé\n1;2\n".encode(encoding))
    assert read_csv(path, encoding=encoding).items == ["café", "thé"]


def test_encodings_that_do_not_fit(tmp_path):
    path = tmp_path / "names.csv"
    path.write_bytes("a,b\n1,2\n".encode("utf-16"))
    with pytest.raises(
        wkendall.RankingError, match=r"encoding='utf-16' reads this file, which begins with the mark of UTF-16$"
    ):
        read_csv(path)
    path.write_bytes(b"a,\x81\n1,2\n")
    with pytest.raises(wkendall.RankingError, match=r"the byte 0x81 is not cp1252: the file must be text in cp1252$"):
        read_csv(path, encoding="cp1252")
    for encoding in ("utf-99", "", "base64", "\0"):
        with pytest.raises(
            wkendall.RankingError, match=r"^encoding is .*, but must be the name of an encoding"
        ) as caught:
            read_csv(path, encoding=encoding)
        assert caught.value.argument == "encoding"
    with pytest.raises(TypeError, match="encoding must be"):
        read_csv(path, encoding=3)
    path.write_bytes(b"a,b\n1,2")
    with pytest.raises(wkendall.RankingError, match=r"names\.csv, line 1"):
        read_csv(path, encoding="utf-16-le")
