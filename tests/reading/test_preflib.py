"""PrefLib files: what becomes of them, and what is refused."""

import numpy as np
import pytest
import wkendall
from orders_of_items import NAN, random_orders, ranks, ranks_of, same, written
from wkendall.reading.csv_files import read_csv
from wkendall.reading.preflib import read_preflib


def header(kind, size, voters, unique):
    return f"""\
# FILE NAME: 00099-00000001.{kind}
# TITLE: Where to go: a poll
# DESCRIPTION:
# DATA TYPE: {kind}
# MODIFICATION TYPE: original
# RELATES TO:
# RELATED FILES:
# PUBLICATION DATE: 2020-02-01
# MODIFICATION DATE: 2022-09-16
# NUMBER ALTERNATIVES: {size}
# NUMBER VOTERS: {voters}
# NUMBER UNIQUE ORDERS: {unique}
"""


NAMES = ["Washington, D.C.", "São Paulo", "Rome: the {eternal} city", "None of these"]
CURRENT = "".join(f"# ALTERNATIVE NAME {number}: {name}\n" for number, name in enumerate(NAMES, 1))
OLD = "4\n" + "".join(f"{number},{name}\n" for number, name in enumerate(NAMES, 1))
# The orders of a file of each kind in the current format, and what they are.
ORDERS = {
    "soc": ("12: 3,1,2,4\n7: 1, 2, 3, 4\n1: 4,3,2,1\n", [[2, 3, 1, 4], [1, 2, 3, 4], [4, 3, 2, 1]]),
    "soi": ("12: 3\n7: 1,2\n1: 4,3,2,1\n", [[NAN, NAN, 1, NAN], [1, 2, NAN, NAN], [4, 3, 2, 1]]),
    "toc": ("12: 3,{1,2,4}\n7: 1,{2, 4},3\n1: {1,2,3,4}\n", [[2, 2, 1, 2], [1, 2, 4, 2], [1, 1, 1, 1]]),
    "toi": ("12: {3,1},{4}\n7: 2,{ 3, 4 }\n1: {2},3,1,4\n", [[1, NAN, 1, 3], [NAN, 1, 2, 2], [3, 1, 2, 4]]),
}


def as_old(orders):
    """Put commas for colons."""
    return orders.replace(": ", ",")


def files_of_kind(kind):
    orders = ORDERS[kind][0]
    current, old = header(kind, 4, 20, 3) + CURRENT + orders, OLD + "20,20,3\n" + as_old(orders)
    return {
        "current": current,
        "old": old,
        "old with spaces": old.replace(",", " , ").replace("Washington ,  ", "Washington, "),
        **{f"{name} with CRLF": text.replace("\n", "\r\n") for name, text in (("current", current), ("old", old))},
        **{f"{name} with CR": text.replace("\n", "\r") for name, text in (("current", current), ("old", old))},
        **{f"{name} with BOM": "\ufeff" + text for name, text in (("current", current), ("old", old))},
        "blank lines": "\n" + current.replace("12: ", "\n \n12: ") + "\n\n",
        "no last end of line": current.rstrip(),
        "lower case and no spaces": current.replace("# NUMBER", "#number").replace("# ALTERNATIVE", "#alternative"),
        "names in another order": header(kind, 4, 20, 3)
        + "".join(f"# ALTERNATIVE NAME {number}: {NAMES[number - 1]}\n" for number in (3, 1, 4, 2))
        + orders,
        "no data type": current.replace(f"# DATA TYPE: {kind}\n", ""),
        "data type left empty": current.replace(f"# DATA TYPE: {kind}\n", "# DATA TYPE:\n"),
        "data type in capitals": current.replace(f"# DATA TYPE: {kind}\n", f"# DATA TYPE: {kind.upper()}\n"),
    }


@pytest.mark.parametrize("form", files_of_kind("soc"))
@pytest.mark.parametrize("kind", ORDERS)
def test_preflib(tmp_path, kind, form):
    path = written(tmp_path, f"poll.{kind}", files_of_kind(kind)[form])
    for source in (path, str(path)):
        found = read_preflib(source)
        assert isinstance(found, wkendall.Rankings)
        assert found.kind == {"soc": "complete", "toc": "tied"}.get(kind, "lists")
        assert found.items == NAMES
        assert found.counts.dtype == np.int64
        assert found.counts.tolist() == [12, 7, 1]
        same(ranks(found), ORDERS[kind][1])


def test_preflib_without_orders(tmp_path):
    found = read_preflib(written(tmp_path, "poll.soc", header("soc", 4, 0, 0) + CURRENT))
    assert found.shape == (0, 4)
    assert found.counts.shape == (0,)
    assert read_preflib(written(tmp_path, "old.soc", OLD + "0,0,0\n")).items == NAMES


def test_preflib_names_with_characters_that_end_lines_elsewhere(tmp_path):
    names = ["a\u2028b", "c\x85d", "e\x0bf", "g\x0ch"]
    text = (
        header("soc", 4, 1, 1)
        + "".join(f"# ALTERNATIVE NAME {n}: {name}\n" for n, name in enumerate(names, 1))
        + "1: 1,2,3,4"
    )
    assert read_preflib(written(tmp_path, "poll.soc", text)).items == names


@pytest.mark.parametrize("kind", ORDERS)
def test_round_trip_of_preflib(tmp_path, kind):
    rng = np.random.default_rng(2)
    ties, complete = "t" in kind, kind.endswith("c")
    for size in (4, 9, 30):
        orders = random_orders(rng, 20, size, ties, complete)
        counts = rng.integers(1, 10**6, len(orders))
        body = "".join(
            f"{count}: " + ",".join(
                str(group[0] + 1) if len(group) == 1 else "{" + ",".join(str(item + 1) for item in group) + "}" for group in order
            ) + "\n"
            for count, order in zip(counts, orders, strict=True)
        )  # fmt: skip
        names = [f"item {number}, of {size}" for number in range(1, size + 1)]
        current = header(kind, size, counts.sum(), len(orders)) + "".join(
            f"# ALTERNATIVE NAME {number}: {name}\n" for number, name in enumerate(names, 1)
        )
        old = f"{size}\n" + "".join(f"{number},{name}\n" for number, name in enumerate(names, 1))
        old += f"{counts.sum()},{counts.sum()},{len(orders)}\n"
        for text in (current + body, old + as_old(body)):
            found = read_preflib(written(tmp_path, f"poll.{kind}", text))
            assert found.items == names
            assert (found.counts == counts).all()
            same(ranks(found), [ranks_of(order, size) for order in orders])


@pytest.mark.parametrize("unique", [2, 3])
def test_counts_of_an_order_that_occurs_twice_are_added_up(tmp_path, unique):
    orders = "12: 1,2,3,4\n7: 4,3,2,1\n1: 1,2,3,4\n"
    for text in (current(unique=unique, orders=orders), old(totals=f"20,20,{unique}", orders=as_old(orders))):
        found = read_preflib(written(tmp_path, "a.soc", text))
        X, counts = ranks(found), found.counts
        same(X, [[1, 2, 3, 4], [4, 3, 2, 1]])
        assert counts.tolist() == [13, 7]
    with pytest.raises(ValueError, match="NUMBER UNIQUE ORDERS is 4, but the number of orders is 3"):
        read_preflib(written(tmp_path, "a.soc", current(unique=4, orders=orders)))
    tied = "2: 1,{2,3}\n3: 1,{3,2}\n"
    found = read_preflib(written(tmp_path, "a.toi", current("toi", voters=5, unique=1, orders=tied)))
    same(ranks(found), [[1, 2, 2, NAN]])
    assert found.counts.tolist() == [5]


def current(kind="soc", size=4, voters=20, unique=3, names=CURRENT, orders=None):
    return header(kind, size, voters, unique) + names + (ORDERS[kind][0] if orders is None else orders)


def old(kind="soc", start=OLD, totals="20,20,3", orders=None):
    return start + totals + "\n" + as_old(ORDERS[kind][0] if orders is None else orders)


def one(kind, order):
    """A file with one order, on line 17."""
    return current(kind, voters=1, unique=1, orders=order)


# What is wrong, the name of the file, its text, the message after the name of the file.
SPOILED = [
    ("empty", "a.soc", "", "line 1: the file is empty"),
    ("another ending", "a.csv", current(), "line 1: the name of the file must end in one of .soc, .soi, .toc, .toi"),
    ("Latin-1", "a.soc", current().encode("latin-1"),
     "line 14: the byte 0xe3 is not UTF-8: the file must be text in UTF-8; encoding='cp1252' reads files from older programs on "
     "Windows"),
    ("zero byte", "a.soc", "4\n1,a\n2,\0\n", "line 3: there is a zero byte: the file must be text in UTF-8"),
    ("something else", "a.soc", "hello\n",
     "line 1: 'hello' is neither a line like '# KEY: value' nor the number of alternatives"),
    ("another data type", "a.toc", current("soc"), "line 4: DATA TYPE is 'soc', but the name of the file ends in .toc"),
    ("header without colon", "a.soc", current().replace("VOTERS:", "VOTERS"),
     "line 11: '# NUMBER VOTERS 20' is neither a line like '# KEY: value' nor one like '5: 1,2,{3,4}'"),
    ("header after orders", "a.soc", current() + "# NUMBER VOTERS: 20",
     "line 20: the header goes on with '# NUMBER VOTERS: 20', but must be complete before the first order"),
    ("header given twice", "a.soc", "# NUMBER VOTERS: 3\n" + current(),
     "line 12: NUMBER VOTERS is given again, after line 1"),
    ("no number of alternatives", "a.soc", current().replace("# NUMBER ALTERNATIVES: 4\n", ""),
     "line 16: the header ends without a line '# NUMBER ALTERNATIVES: ...'"),
    ("number no number", "a.soc", current(unique="3.0"),
     "line 12: NUMBER UNIQUE ORDERS is '3.0', but must be a whole number from 0"),
    ("no alternatives", "a.soc", current(size=0), "line 10: NUMBER ALTERNATIVES is '0', but must be a whole number from 1"),
    ("fewer names", "a.soc", current(size=5), "line 10: 5 alternatives are announced, but alternative 5 has no name"),
    ("more names", "a.soc", current(size=3),
     "line 16: alternative 4 is not one of the 3 alternatives that line 10 announces"),
    ("no name", "a.soc", current(names=CURRENT.replace("São Paulo", "")), "line 14: alternative 2 has an empty name"),
    ("the same name", "a.soc", current(names=CURRENT.replace("None of these", "São Paulo")),
     "line 16: alternative 4 has the name of alternative 2, 'São Paulo'"),
    ("name of no number", "a.soc", current(names=CURRENT.replace("NAME 2", "NAME two")),
     "line 14: the number of an alternative is 'TWO', but must be a whole number from 1"),
    ("more voters", "a.soc", current(voters=21), "line 11: NUMBER VOTERS is 21, but the counts add up to 20"),
    ("fewer orders", "a.soc", current(unique=4), "line 12: NUMBER UNIQUE ORDERS is 4, but the number of orders is 3"),
    ("zero count", "a.soc", one("soc", "0: 1,2,3,4"), "line 17: the count is '0', but must be a whole number from 1"),
    ("count in other digits", "a.soc", one("soc", "\u0661: 1,2,3,4"),
     "line 17: the count is '\u0661', but must be a whole number from 1"),
    ("count too large", "a.soc", one("soc", f"{10**18}: 1,2,3,4"),
     "line 17: the count is '1000000000000000000', but must be a whole number from 1 of at most 18 digits"),
    ("no order", "a.soi", one("soi", "1:"), "line 17: there is a count, but no order after it"),
    ("no alternative", "a.soc", one("soc", "1: 1,2,,4"), "line 17: an alternative is '', but must be a whole number from 1"),
    ("alternative by name", "a.soc", one("soc", "1: 1,2,Rome,4"),
     "line 17: an alternative is 'Rome', but must be a whole number from 1"),
    ("alternative too large", "a.soc", one("soc", "1: 1,2,3,5"),
     "line 17: there is no alternative 5: they are numbered from 1 to 4"),
    ("alternative twice", "a.soc", one("soc", "1: 1,2,1,4"), "line 17: alternative 1 is in the order twice"),
    ("brace not closed", "a.toc", one("toc", "1: 1,{2,3,4"),
     "line 17: the braces in '1,{2,3,4' are not in pairs around ties, as in 1,{2,3},4"),
    ("no comma after braces", "a.toc", one("toc", "1: {1,2}{3,4}"),
     "line 17: the braces in '{1,2}{3,4}' are not in pairs around ties, as in 1,{2,3},4"),
    ("tie in soc", "a.soc", one("soc", "1: 1,{2,3},4"),
     "line 17: 2,3 are tied, but the orders of a .soc file must be strict"),
    ("incomplete soc", "a.soc", one("soc", "1: 1,4,3"),
     "line 17: alternative 2 is not ranked, but the orders of a .soc file must be complete"),
    ("old: too early an end", "a.soc", "4\n1,a\n2,b\n\n3,c\n",
     "line 5: the file ends before 4 alternatives and a line of three numbers have come"),
    ("old: fewer names", "a.soc", old(start=OLD.replace("4\n", "5\n", 1)),
     "line 6: alternative 20 is not one of the 5 alternatives that line 1 announces"),
    ("old: number twice", "a.soc", old(start=OLD.replace("2,", "1,")),
     "line 3: alternative 1 has a name already, 'Washington, D.C.'"),
    ("old: more names", "a.soc", old(start=OLD.replace("4\n", "3\n", 1)),
     "line 5: '4,None of these' must be the numbers of voters, of all counts and of orders, as in 475,475,31"),
    ("old: name without number", "a.soc", old(start=OLD.replace("2,", "")),
     "line 3: the number of an alternative is 'São Paulo', but must be a whole number from 1"),
    ("old: two numbers", "a.soc", old(totals="20,3"),
     "line 6: '20,3' must be the numbers of voters, of all counts and of orders, as in 475,475,31"),
    ("old: more voters", "a.soc", old(totals="21,20,3"), "line 6: the number of voters is 21, but the counts add up to 20"),
    ("old: a count only", "a.soi", old(totals="1,1,1", orders="1"), "line 7: there is a count, but no order after it"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "message"), [case[1:] for case in SPOILED], ids=[case[0] for case in SPOILED])
def test_preflib_refused(tmp_path, name, text, message):
    with pytest.raises(wkendall.RankingError) as raised:
        read_preflib(written(tmp_path, name, text))
    assert str(raised.value) == f"{name}, {message}"
    assert f"line {raised.value.row + 1}" == message.partition(":")[0]


def test_no_such_file(tmp_path):
    for read, name in ((read_preflib, "none.soc"), (read_csv, "none.csv")):
        with pytest.raises(FileNotFoundError, match=name):
            read(tmp_path / name)


@pytest.mark.parametrize("text", [
    "3\n0,apple\n1,pear\n2,plum\n3,3,2\n2,1,{0,2}\n1,2\n",
    "3\n2,plum\n1,pear\n0,apple\n3,3,2\n2,1,{2,0}\n1,2\n",
])  # fmt: skip
def test_alternatives_from_0(tmp_path, text):
    path = tmp_path / "old.toi"
    path.write_text(text)
    votes = wkendall.read_preflib(path)
    assert votes.items == ["apple", "pear", "plum"]
    assert votes.to_lists() == [["pear", {"apple", "plum"}], ["plum"]]
    assert votes.counts.tolist() == [2, 1]


@pytest.mark.parametrize(("text", "message"), [
    ("2\n0,a\n2,b\n1,1,1\n1,0,2\n", "line 3: alternative 2 is not one of the 2 alternatives that line 1 announces, "
     "numbered from 0"),
    ("2\n0,a\n1,b\n1,1,1\n1,1,2\n", "line 5: there is no alternative 2: they are numbered from 0 to 1"),
    ("2\n1,a\n2,b\n1,1,1\n1,0,2\n", "line 5: an alternative is '0', but must be a whole number from 1"),
    ("2\n0,a\n1,b\n1,1,1\n1,1\n", "line 5: alternative 0 is not ranked, but the orders of a .soc file must be complete"),
])  # fmt: skip
def test_errors_of_alternatives_from_0(tmp_path, text, message):
    path = tmp_path / "old.soc"
    path.write_text(text)
    with pytest.raises(wkendall.RankingError) as caught:
        wkendall.read_preflib(path)
    assert str(caught.value) == f"old.soc, {message}"


def test_names_in_other_encodings(tmp_path):
    path = tmp_path / "old.soc"
    path.write_bytes("2\n1,Zoë\n2,b\n1,1,1\n1,1,2\n".encode("latin-1"))
    assert wkendall.read_preflib(path, encoding="latin-1").items == ["Zoë", "b"]
