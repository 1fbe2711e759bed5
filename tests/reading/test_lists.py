"""Ranked lists, PrefLib files and CSV files: what becomes of them, and what is refused."""

import doctest
import itertools
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import wkendall
from wkendall.reading import lists
from wkendall.reading.csv_files import read_csv, read_table
from wkendall.reading.lists import RankedLists, from_lists
from wkendall.reading.preflib import Preferences, read_preflib

NAN = np.nan


def same(found, wanted):
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, np.array(wanted, dtype=float))


def written(folder, name, text, encoding="utf-8"):
    """Write a file with the ends of lines and the first bytes that it is given."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


def random_orders(rng, orders, size, ties, complete):
    """Draw different orders, as lists of lists of items from 0."""
    found = {}
    while len(found) < orders:
        chosen = rng.permutation(size)[: size if complete else rng.integers(1, size + 1)].tolist()
        ends = [1 if not ties else int(rng.integers(1, 4)) for _ in chosen]
        groups = [chosen[end - step : end] for end, step in zip(itertools.accumulate(ends), ends, strict=True)]
        groups = [sorted(group) for group in groups if group]
        found[tuple(map(tuple, groups))] = groups
    return list(found.values())


def ranks_of(groups, size):
    """Rank each item by counting: one more than the number of items in better groups."""
    row = [NAN] * size
    for place, group in enumerate(groups):
        for item in group:
            row[item] = 1 + sum(len(better) for better in groups[:place])
    return row


def test_docstrings():
    results = doctest.testmod(lists)
    assert results.failed == 0
    assert results.attempted > 0


def test_lists_of_different_items_and_lengths():
    found = from_lists([["apple", "pear", "plum"], ["plum", "fig"], [], ["fig", "apple", "plum", "pear"]])
    assert isinstance(found, RankedLists)
    assert found.items == ["apple", "pear", "plum", "fig"]
    same(found.X, [[1, 2, 3, NAN], [NAN, NAN, 1, 2], [NAN] * 4, [2, 4, 3, 1]])


def test_items_given():
    X, items = from_lists([["b", "a"], ["c"]], items=("c", "b", "never", "a"))
    assert items == ["c", "b", "never", "a"]
    same(X, [[NAN, 1, NAN, 2], [1, NAN, NAN, NAN]])


@pytest.mark.parametrize("group", [{"b", "c"}, frozenset({"c", "b"}), ["b", "c"]])
def test_ties_share_the_best_rank(group):
    X, items = from_lists([["a", group, "d"], [group], ["d", "a"]])
    assert items == ["a", "b", "c", "d"]
    same(X, [[1, 2, 2, 4], [NAN, 1, 1, NAN], [2, NAN, NAN, 1]])


def test_a_group_of_one_is_no_tie():
    same(from_lists([[["a"], {"b"}, frozenset("c")]]).X, [[1, 2, 3]])


def test_items_of_a_set_come_in_an_order_that_does_not_depend_on_the_run():
    names = [f"item {number:03}" for number in range(200)]
    assert from_lists([[set(names)]]).items == names
    assert from_lists([[{10, 9, 2}]]).items == [2, 9, 10]
    assert from_lists([[{"b", 1, ("x",)}]]).items == sorted(["b", 1, ("x",)], key=repr)
    assert from_lists([[["z", "a", "m"]]]).items == ["z", "a", "m"]


def test_any_hashable_item():
    things = ["a", 1, 2.5, ("a", "b"), Fraction(1, 3), date(2020, 1, 1), b"bytes", np.int64(7), "", ("a",)]
    X, items = from_lists([things, things[::-1]])
    assert items == things
    same(X, [np.arange(1, 11), np.arange(10, 0, -1)])


@pytest.mark.parametrize(
    "ranked",
    [
        (("a", "b", "c"), ("c", "a", "b")),
        iter([iter("abc"), iter("cab")]),
        [dict.fromkeys("abc").keys(), dict.fromkeys("cab").keys()],
        np.array([["a", "b", "c"], ["c", "a", "b"]]),
        pd.Series([["a", "b", "c"], ["c", "a", "b"]], index=["x", "y"]),
    ],
    ids=["tuples", "iterators", "keys", "array", "series"],
)
def test_what_lists_may_be(ranked):
    X, items = from_lists(ranked)
    assert items == ["a", "b", "c"]
    same(X, [[1, 2, 3], [2, 3, 1]])


def test_rows_of_an_array():
    X, items = from_lists(np.array([[30, 10, 20], [10, 20, 30]]))
    assert items == [30, 10, 20]
    same(X, [[1, 2, 3], [3, 1, 2]])


def test_the_arguments_are_left_alone():
    ranked, items = [["b", ["c", "a"]], ["a"]], ["a", "b", "c"]
    from_lists(ranked, items)
    assert ranked == [["b", ["c", "a"]], ["a"]]
    X, names = from_lists([], items)
    names.append("d")
    assert items == ["a", "b", "c"]
    same(X, np.empty((0, 3)))


def test_nothing():
    assert from_lists([]).X.shape == (0, 0)
    assert from_lists([[], []]).X.shape == (2, 0)
    assert from_lists([[]], items=[]).items == []
    same(from_lists([[]], items=["a"]).X, [[NAN]])


def test_complete_lists_are_rankings():
    rng = np.random.default_rng(0)
    orders = [rng.permutation(6) for _ in range(8)]
    X, _ = from_lists([[f"item {item}" for item in order] for order in orders], [f"item {item}" for item in range(6)])
    K = wkendall.gram_matrix(X, weight="mult", u="log")
    np.testing.assert_array_equal(K, wkendall.gram_matrix(orders, input="orders", weight="mult", u="log"))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("complete", [False, True])
def test_round_trip_of_lists(ties, complete):
    rng = np.random.default_rng(1)
    for size in (1, 2, 7, 20):
        orders = random_orders(rng, min(30, size), size, ties, complete)
        named = [
            [{f"i{item}" for item in group} if len(group) > 1 else f"i{group[0]}" for group in order]
            for order in orders
        ]
        X, _ = from_lists(named, [f"i{item}" for item in range(size)])
        same(X, [ranks_of(order, size) for order in orders])
        back = [
            [np.flatnonzero(row == rank).tolist() for rank in np.unique(row[~np.isnan(row)])] for row in X
        ]  # fmt: skip
        assert back == orders


class Plain:
    __hash__ = None

    def __repr__(self):
        return "Plain(\n)" + "x" * 100


# What is wrong, the call, the exception, its message.
REFUSED = [
    ("a string as a list", lambda: from_lists(["abc"]), TypeError,
     "list 0 must be a list of items, best first, not 'abc' of type str"),
    ("bytes as a list", lambda: from_lists([["a"], b"ab"]), TypeError,
     "list 1 must be a list of items, best first, not b'ab' of type bytes"),
    ("a set as a list", lambda: from_lists([{"a"}]), TypeError,
     "list 0 must be a list of items, best first, not {'a'} of type set"),
    ("a frozenset as a list", lambda: from_lists([frozenset("a")]), TypeError,
     "list 0 must be a list of items, best first, not frozenset({'a'}) of type frozenset"),
    ("a dictionary as a list", lambda: from_lists([{"a": 1}]), TypeError,
     "list 0 must be a list of items, best first, not {'a': 1} of type dict"),
    ("a number as a list", lambda: from_lists([3]), TypeError,
     "list 0 must be a list of items, best first, not 3 of type int"),
    ("None as a list", lambda: from_lists([["a"], None]), TypeError,
     "list 1 must be a list of items, best first, not None of type NoneType"),
    ("lists a string", lambda: from_lists("abc"), TypeError,
     "lists must be a list of ranked lists, such as [['a', 'b'], ['b']], not 'abc' of type str"),
    ("lists a dictionary", lambda: from_lists({"x": ["a"]}), TypeError,
     "lists must be a list of ranked lists, such as [['a', 'b'], ['b']], not {'x': ['a']} of type dict"),
    ("lists a set", lambda: from_lists({("a", "b")}), TypeError,
     "lists must be a list of ranked lists, such as [['a', 'b'], ['b']], not {('a', 'b')} of type set"),
    ("lists None", lambda: from_lists(None), TypeError,
     "lists must be a list of ranked lists, such as [['a', 'b'], ['b']], not None of type NoneType"),
    ("lists an array without axes", lambda: from_lists(np.array(1)), TypeError,
     "lists must be a list of ranked lists, such as [['a', 'b'], ['b']], not array(1) of type ndarray"),
    ("repeat", lambda: from_lists([["a"], ["b", "a", "c", "a"]]), ValueError,
     "list 1 holds 'a' twice, in places 1 and 3: an item has one rank"),
    ("repeat in a group", lambda: from_lists([["b", ["a", "c", "a"]]]), ValueError,
     "list 0 holds 'a' twice, both in place 1: an item has one rank"),
    ("repeat inside and outside a group", lambda: from_lists([[{"a", "b"}, "b"]]), ValueError,
     "list 0 holds 'b' twice, in places 0 and 1: an item has one rank"),
    ("equal items", lambda: from_lists([[1, 1.0]]), ValueError,
     "list 0 holds 1.0 twice, in places 0 and 1: an item has one rank"),
    ("None", lambda: from_lists([["a"], ["b", None]]), ValueError,
     "list 1, place 1 holds None, which is no item: leave out what is not ranked"),
    ("NaN", lambda: from_lists([[NAN]]), ValueError,
     "list 0, place 0 holds nan, which is no item: leave out what is not ranked"),
    ("NumPy's NaN", lambda: from_lists([[np.float32("nan")]]), ValueError,
     f"list 0, place 0 holds {np.float32('nan')!r}, which is no item: leave out what is not ranked"),
    ("decimal NaN", lambda: from_lists([["a", Decimal("nan")]]), ValueError,
     "list 0, place 1 holds Decimal('NaN'), which is no item: leave out what is not ranked"),
    ("pandas NA", lambda: from_lists([[pd.NA]]), ValueError,
     "list 0, place 0 holds <NA>, which is no item: leave out what is not ranked"),
    ("pandas NaT", lambda: from_lists([[pd.NaT]]), ValueError,
     "list 0, place 0 holds NaT, which is no item: leave out what is not ranked"),
    ("None in a group", lambda: from_lists([[["a", None]]]), ValueError,
     "list 0, place 0 holds None, which is no item: leave out what is not ranked"),
    ("unhashable", lambda: from_lists([["a", {"b": 1}]]), TypeError,
     "list 0, place 1 holds {'b': 1} of type dict, but items must be hashable: strings, numbers or tuples"),
    ("unhashable in a group", lambda: from_lists([["a", ["b", {"c": 1}]]]), TypeError,
     "list 0, place 1 holds {'c': 1} of type dict, but items must be hashable: strings, numbers or tuples"),
    ("a tuple with a list in it", lambda: from_lists([[("a", ["b"])]]), TypeError,
     "list 0, place 0 holds ('a', ['b']) of type tuple, but items must be hashable: strings, numbers or tuples"),
    ("an array", lambda: from_lists([[np.array([[1, 2], [3, 4]])]]), TypeError,
     "list 0, place 0 holds array([[1, 2], [3, 4]]) of type ndarray, but items must be hashable: strings, numbers or tuples"),
    ("a long repr", lambda: from_lists([[Plain()]]), TypeError,
     f"list 0, place 0 holds Plain( ){'x' * 49}... of type Plain, but items must be hashable: strings, numbers or tuples"),
    ("a group in a group", lambda: from_lists([[["a", ["b"]]]]), TypeError,
     "list 0, place 0 holds ['b'] where an item must be: lists and sets are groups of tied items"),
    ("a frozenset in a group", lambda: from_lists([[{"a", frozenset("b")}]]), TypeError,
     "list 0, place 0 holds frozenset({'b'}) where an item must be: lists and sets are groups of tied items"),
    ("an empty group", lambda: from_lists([["a"], ["b", set()]]), ValueError,
     "list 1, place 1 holds set(), but a group of tied items must have items"),
    ("unknown item", lambda: from_lists([["a"], ["b", "c"]], ["a", "b"]), ValueError,
     "list 1, place 1 holds 'c', which is not one of the 2 items given"),
    ("unknown item in a group", lambda: from_lists([["a", ["b", "c"]]], ["a", "b"]), ValueError,
     "list 0, place 1 holds 'c', which is not one of the 2 items given"),
    ("no items", lambda: from_lists([["a"]], []), ValueError,
     "list 0, place 0 holds 'a', which is not one of the 0 items given"),
    ("items twice", lambda: from_lists([], ["a", "b", "a"]), ValueError, "items holds 'a' twice, in places 0 and 2"),
    ("items a string", lambda: from_lists([["a"]], "abc"), TypeError, "items must be a list of items, not 'abc' of type str"),
    ("items a set", lambda: from_lists([["a"]], {"a"}), TypeError, "items must be a list of items, not {'a'} of type set"),
    ("items a number", lambda: from_lists([["a"]], 3), TypeError, "items must be a list of items, not 3 of type int"),
    ("None in items", lambda: from_lists([], ["a", None]), ValueError,
     "items, place 1 holds None, which is no item: leave out what is not ranked"),
    ("a group in items", lambda: from_lists([], ["a", frozenset("b")]), TypeError,
     "items, place 1 holds frozenset({'b'}) where an item must be: lists and sets are groups of tied items"),
    ("a dictionary in items", lambda: from_lists([], [{}]), TypeError,
     "items, place 0 holds {} of type dict, but items must be hashable: strings, numbers or tuples"),
    ("path a number", lambda: read_csv(3), TypeError, "path must be the name of a file, not 3"),
    ("path bytes", lambda: read_preflib(b"a.soc"), TypeError, "path must be the name of a file, not b'a.soc'"),
    ("delimiter of two", lambda: read_csv("a.csv", delimiter="::"), ValueError,
     "delimiter must be one character, such as ',' or ';', or None, not '::'"),
    ("delimiter of none", lambda: read_csv("a.csv", delimiter=""), ValueError,
     "delimiter must be one character, such as ',' or ';', or None, not ''"),
    ("delimiter the end of lines", lambda: read_csv("a.csv", delimiter="\n"), ValueError,
     r"delimiter must be one character, such as ',' or ';', or None, not '\n'"),
    ("delimiter a number", lambda: read_csv("a.csv", delimiter=3), ValueError,
     "delimiter must be one character, such as ',' or ';', or None, not 3"),
    ("header a number", lambda: read_csv("a.csv", header=0), TypeError, "header must be True, False or None, not 0"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "error", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_refused(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message


def test_too_large_for_memory(leave_memory):
    leave_memory(100)
    message = (
        "the result of 4 x 4 float64 values takes 128.0 B, but only 100.0 B of memory are available: "
        "leave out items that few lists have, or take fewer lists at a time"
    )
    with pytest.raises(ValueError) as raised:
        from_lists([["a"], ["b"], ["c"], ["d"]])
    assert str(raised.value) == message


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
        assert isinstance(found, Preferences)
        assert found.items == NAMES
        assert found.counts.dtype == np.int64
        assert found.counts.tolist() == [12, 7, 1]
        same(found.X, ORDERS[kind][1])


def test_preflib_ending_in_capitals(tmp_path):
    text = files_of_kind("toi")["current"]
    same(read_preflib(written(tmp_path, "poll.TOI", text)).X, ORDERS["toi"][1])


def test_preflib_without_orders(tmp_path):
    found = read_preflib(written(tmp_path, "poll.soc", header("soc", 4, 0, 0) + CURRENT))
    assert found.X.shape == (0, 4)
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
            same(found.X, [ranks_of(order, size) for order in orders])


def test_preflib_for_a_kernel(tmp_path):
    X, _, counts = read_preflib(written(tmp_path, "poll.soc", files_of_kind("soc")["current"]))
    assert wkendall.gram_matrix(X.repeat(counts, axis=0)).shape == (20, 20)


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
    ("blank", "a.soc", "\n \r\n", "line 1: the file is empty"),
    ("another ending", "a.csv", current(), "line 1: the name of the file must end in one of .soc, .soi, .toc, .toi"),
    ("no ending", "soc", current(), "line 1: the name of the file must end in one of .soc, .soi, .toc, .toi"),
    ("categories", "a.cat", current(), "line 1: the name of the file must end in one of .soc, .soi, .toc, .toi"),
    ("Latin-1", "a.soc", current().encode("latin-1"),
     "line 14: the byte 0xe3 is not UTF-8: the file must be text in UTF-8"),
    ("Latin-1 after a BOM and CR", "a.soc", b"\xef\xbb\xbf4\r1,a\r2,b\xff",
     "line 3: the byte 0xff is not UTF-8: the file must be text in UTF-8"),
    ("UTF-16", "a.soc", current().encode("utf-16"), "line 1: the byte 0xff is not UTF-8: the file must be text in UTF-8"),
    ("zero byte", "a.soc", "4\n1,a\n2,\0\n", "line 3: there is a zero byte: the file must be text in UTF-8"),
    ("something else", "a.soc", "hello\n",
     "line 1: 'hello' is neither a line like '# KEY: value' nor the number of alternatives"),
    ("something long", "a.soc", "x" * 100,
     f"line 1: '{'x' * 56}... is neither a line like '# KEY: value' nor the number of alternatives"),
    ("another data type", "a.toc", current("soc"), "line 4: DATA TYPE is 'soc', but the name of the file ends in .toc"),
    ("header without colon", "a.soc", current().replace("VOTERS:", "VOTERS"),
     "line 11: '# NUMBER VOTERS 20' is neither a line like '# KEY: value' nor one like '5: 1,2,{3,4}'"),
    ("order without colon", "a.soc", one("soc", "1,2,3,4"),
     "line 17: '1,2,3,4' is neither a line like '# KEY: value' nor one like '5: 1,2,{3,4}'"),
    ("header after orders", "a.soc", current() + "# NUMBER VOTERS: 20",
     "line 20: the header goes on with '# NUMBER VOTERS: 20', but must be complete before the first order"),
    ("header given twice", "a.soc", "# NUMBER VOTERS: 3\n" + current(),
     "line 12: NUMBER VOTERS is given again, after line 1"),
    ("name given twice", "a.soc", current(names=CURRENT + "# ALTERNATIVE NAME 2: x\n"),
     "line 17: ALTERNATIVE NAME 2 is given again, after line 14"),
    ("no number of alternatives", "a.soc", current().replace("# NUMBER ALTERNATIVES: 4\n", ""),
     "line 16: the header ends without a line '# NUMBER ALTERNATIVES: ...'"),
    ("no number of voters", "a.soc", current().replace("# NUMBER VOTERS: 20\n", ""),
     "line 16: the header ends without a line '# NUMBER VOTERS: ...'"),
    ("no number of orders", "a.soc", current().replace("# NUMBER UNIQUE ORDERS: 3\n", ""),
     "line 16: the header ends without a line '# NUMBER UNIQUE ORDERS: ...'"),
    ("header only", "a.soc", "# TITLE: x\n# DATA TYPE: soc\n",
     "line 2: the header ends without a line '# NUMBER ALTERNATIVES: ...'"),
    ("number left empty", "a.soc", current(voters=""), "line 11: NUMBER VOTERS is '', but must be a whole number from 0"),
    ("number no number", "a.soc", current(unique="3.0"),
     "line 12: NUMBER UNIQUE ORDERS is '3.0', but must be a whole number from 0"),
    ("no alternatives", "a.soc", current(size=0), "line 10: NUMBER ALTERNATIVES is '0', but must be a whole number from 1"),
    ("fewer names", "a.soc", current(size=5), "line 10: 5 alternatives are announced, but alternative 5 has no name"),
    ("far fewer names", "a.soc", current(size=10**17),
     f"line 10: {10**17} alternatives are announced, but alternative 5 has no name"),
    ("more names", "a.soc", current(size=3),
     "line 16: alternative 4 is not one of the 3 alternatives that line 10 announces"),
    ("no name", "a.soc", current(names=CURRENT.replace("São Paulo", "")), "line 14: alternative 2 has an empty name"),
    ("the same name", "a.soc", current(names=CURRENT.replace("None of these", "São Paulo")),
     "line 16: alternative 4 has the name of alternative 2, 'São Paulo'"),
    ("number in another form", "a.soc", current(names=CURRENT.replace("NAME 2", "NAME 01")),
     "line 14: alternative 1 has a name already, 'Washington, D.C.'"),
    ("name of no number", "a.soc", current(names=CURRENT.replace("NAME 2", "NAME two")),
     "line 14: the number of an alternative is 'TWO', but must be a whole number from 1"),
    ("name number zero", "a.soc", current(names=CURRENT.replace("NAME 2", "NAME 0")),
     "line 14: the number of an alternative is '0', but must be a whole number from 1"),
    ("more voters", "a.soc", current(voters=21), "line 11: NUMBER VOTERS is 21, but the counts add up to 20"),
    ("fewer orders", "a.soc", current(unique=4), "line 12: NUMBER UNIQUE ORDERS is 4, but the number of orders is 3"),
    ("zero count", "a.soc", one("soc", "0: 1,2,3,4"), "line 17: the count is '0', but must be a whole number from 1"),
    ("negative count", "a.soc", one("soc", "-1: 1,2,3,4"), "line 17: the count is '-1', but must be a whole number from 1"),
    ("count no number", "a.soc", one("soc", "one: 1,2,3,4"),
     "line 17: the count is 'one', but must be a whole number from 1"),
    ("count with an underscore", "a.soc", one("soc", "1_0: 1,2,3,4"),
     "line 17: the count is '1_0', but must be a whole number from 1"),
    ("count in other digits", "a.soc", one("soc", "\u0661: 1,2,3,4"),
     "line 17: the count is '\u0661', but must be a whole number from 1"),
    ("count too large", "a.soc", one("soc", f"{10**18}: 1,2,3,4"),
     "line 17: the count is '1000000000000000000', but must be a whole number from 1 of at most 18 digits"),
    ("no order", "a.soi", one("soi", "1:"), "line 17: there is a count, but no order after it"),
    ("no alternative", "a.soc", one("soc", "1: 1,2,,4"), "line 17: an alternative is '', but must be a whole number from 1"),
    ("a last comma", "a.soi", one("soi", "1: 1,2,"), "line 17: an alternative is '', but must be a whole number from 1"),
    ("alternative by name", "a.soc", one("soc", "1: 1,2,Rome,4"),
     "line 17: an alternative is 'Rome', but must be a whole number from 1"),
    ("alternative zero", "a.soc", one("soc", "1: 0,1,2,3"),
     "line 17: an alternative is '0', but must be a whole number from 1"),
    ("alternative too large", "a.soc", one("soc", "1: 1,2,3,5"),
     "line 17: there is no alternative 5: they are numbered from 1 to 4"),
    ("alternative twice", "a.soc", one("soc", "1: 1,2,1,4"), "line 17: alternative 1 is in the order twice"),
    ("alternative twice in a tie", "a.toi", one("toi", "1: 1,{2,2}"), "line 17: alternative 2 is in the order twice"),
    ("brace not closed", "a.toc", one("toc", "1: 1,{2,3,4"),
     "line 17: the braces in '1,{2,3,4' are not in pairs around ties, as in 1,{2,3},4"),
    ("brace not opened", "a.toc", one("toc", "1: 1,2},3,4"),
     "line 17: the braces in '1,2},3,4' are not in pairs around ties, as in 1,{2,3},4"),
    ("braces in braces", "a.toc", one("toc", "1: 1,{2,{3,4}}"),
     "line 17: the braces in '1,{2,{3,4}}' are not in pairs around ties, as in 1,{2,3},4"),
    ("no comma after braces", "a.toc", one("toc", "1: {1,2}{3,4}"),
     "line 17: the braces in '{1,2}{3,4}' are not in pairs around ties, as in 1,{2,3},4"),
    ("no comma before braces", "a.toc", one("toc", "1: 1{2,3},4"),
     "line 17: the braces in '1{2,3},4' are not in pairs around ties, as in 1,{2,3},4"),
    ("empty braces", "a.toi", one("toi", "1: 1,{},2"), "line 17: an alternative is '', but must be a whole number from 1"),
    ("tie in soc", "a.soc", one("soc", "1: 1,{2,3},4"),
     "line 17: 2,3 are tied, but the orders of a .soc file must be strict"),
    ("tie in soi", "a.soi", one("soi", "1: 1,{2, 3}"),
     "line 17: 2, 3 are tied, but the orders of a .soi file must be strict"),
    ("incomplete soc", "a.soc", one("soc", "1: 1,4,3"),
     "line 17: alternative 2 is not ranked, but the orders of a .soc file must be complete"),
    ("incomplete toc", "a.toc", one("toc", "1: {1,4},2"),
     "line 17: alternative 3 is not ranked, but the orders of a .toc file must be complete"),
    ("order twice", "a.soc", current(orders="12: 1,2,3,4\n\n7: 4,3,2,1\n1: 1,2,3,4\n"),
     "line 20: the order is that of line 17: each must be there once, with all its voters"),
    ("tie in another order", "a.toc", current("toc", orders="12: 1,{2,3,4}\n8: 1,{4,3,2}\n"),
     "line 18: the order is that of line 17: each must be there once, with all its voters"),
    ("old: zero alternatives", "a.soc", "0\n0,0,0\n",
     "line 1: the number of alternatives is '0', but must be a whole number from 1"),
    ("old: too early an end", "a.soc", "4\n1,a\n2,b\n\n3,c\n",
     "line 5: the file ends before 4 alternatives and a line of three numbers have come"),
    ("old: no numbers", "a.soc", OLD, "line 5: the file ends before 4 alternatives and a line of three numbers have come"),
    ("old: a number only", "a.soc", "4", "line 1: the file ends before 4 alternatives and a line of three numbers have come"),
    ("old: fewer names", "a.soc", old(start=OLD.replace("4\n", "5\n", 1)),
     "line 6: alternative 20 is not one of the 5 alternatives that line 1 announces"),
    ("old: more names", "a.soc", old(start=OLD.replace("4\n", "3\n", 1)),
     "line 5: '4,None of these' must be the numbers of voters, of all counts and of orders, as in 475,475,31"),
    ("old: name without number", "a.soc", old(start=OLD.replace("2,", "")),
     "line 3: the number of an alternative is 'São Paulo', but must be a whole number from 1"),
    ("old: number without name", "a.soc", old(start=OLD.replace("2,São Paulo", "2")),
     "line 3: alternative 2 has an empty name"),
    ("old: number twice", "a.soc", old(start=OLD.replace("2,", "1,")),
     "line 3: alternative 1 has a name already, 'Washington, D.C.'"),
    ("old: the same name", "a.soc", old(start=OLD.replace("None of these", "São Paulo")),
     "line 5: alternative 4 has the name of alternative 2, 'São Paulo'"),
    ("old: two numbers", "a.soc", old(totals="20,3"),
     "line 6: '20,3' must be the numbers of voters, of all counts and of orders, as in 475,475,31"),
    ("old: no number", "a.soc", old(totals="20,x,3"),
     "line 6: a number of this line is 'x', but must be a whole number from 0"),
    ("old: more voters", "a.soc", old(totals="21,20,3"), "line 6: the number of voters is 21, but the counts add up to 20"),
    ("old: another sum", "a.soc", old(totals="20,21,3"), "line 6: the sum of all counts is 21, but the counts add up to 20"),
    ("old: more orders", "a.soc", old(totals="20,20,2"),
     "line 6: the number of different orders is 2, but the number of orders is 3"),
    ("old: a count only", "a.soi", old(totals="1,1,1", orders="1"), "line 7: there is a count, but no order after it"),
    ("old: a colon", "a.soi", OLD + "1,1,1\n1: 2,3\n", "line 7: the count is '1: 2', but must be a whole number from 1"),
    ("old: incomplete", "a.soc", old(totals="1,1,1", orders="1,2"),
     "line 7: alternative 1 is not ranked, but the orders of a .soc file must be complete"),
    ("old: tie", "a.soi", old(totals="1,1,1", orders="1,{2,3}"),
     "line 7: 2,3 are tied, but the orders of a .soi file must be strict"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "message"), [case[1:] for case in SPOILED], ids=[case[0] for case in SPOILED])
def test_preflib_refused(tmp_path, name, text, message):
    with pytest.raises(ValueError) as raised:
        read_preflib(written(tmp_path, name, text))
    assert str(raised.value) == f"{name}, {message}"


def test_no_such_file(tmp_path):
    for read, name in ((read_preflib, "none.soc"), (read_csv, "none.csv")):
        with pytest.raises(FileNotFoundError, match=name):
            read(tmp_path / name)


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
    for found in (read_csv(path), read_csv(str(path), header=True), read_csv(path, header=np.True_)):
        assert isinstance(found, RankedLists)
        assert found.items == CITIES
        same(found.X, NUMBERS)


@pytest.mark.parametrize("options", [{}, {"header": False}])
def test_csv_without_names(tmp_path, options):
    X, items = read_csv(written(tmp_path, "table.csv", "1,2,\nNA,1,2\n"), **options)
    assert items == ["1", "2", "3"]
    same(X, [[1, 2, NAN], [NAN, 1, 2]])


def test_csv_names_that_are_numbers(tmp_path):
    X, items = read_csv(written(tmp_path, "table.csv", "2020,2021\n1,2\n"), header=True)
    assert items == ["2020", "2021"]
    same(X, [[1, 2]])


def test_csv_delimiter_given(tmp_path):
    path = written(tmp_path, "table.csv", "a|b, c\n1|2\n")
    assert read_csv(path, delimiter="|").items == ["a", "b, c"]
    same(read_csv(written(tmp_path, "table.txt", "1 2\n2 1\n"), delimiter=" ").X, [[1, 2], [2, 1]])


def test_columns_set_apart(tmp_path):
    path = written(tmp_path, "table.csv", 'who,a,7,b\n"Ann\nLee",1,old,2\nBo,2,,1\n')
    table = read_table(path, apart=["who", "7"], skip=["age"])
    same(table.X, [[1, 2], [2, 1]])
    assert table.items == ["a", "b"]
    assert table.named
    assert table.apart == {"who": ["Ann\nLee", "Bo"], "7": ["old", ""]}
    assert table.lines == [2, 4]
    table = read_table(written(tmp_path, "table.csv", "5,1,2\n6,2,1\n"), apart=["1"])
    same(table.X, [[1, 2], [2, 1]])
    assert (table.items, table.named, table.apart) == (["2", "3"], False, {"1": ["5", "6"]})
    for name, known in (("c", "they have no names"), ("0", "they have no names"), ("4", "they have no names")):
        with pytest.raises(ValueError, match=rf"^table\.csv, line 1: there is no column '{name}': {known}$"):
            read_table(path, apart=[name])


def test_csv_of_one_item(tmp_path):
    X, items = read_csv(written(tmp_path, "table.csv", 'a\n1\n""\n2\n\n'))
    assert items == ["a"]
    same(X, [[1], [NAN], [2]])
    same(read_csv(written(tmp_path, "table.csv", "7")).X, [[7]])


def test_csv_names_over_several_lines(tmp_path):
    path = written(tmp_path, "table.csv", '"a\nb",c\n1,2\n2,x\n')
    with pytest.raises(ValueError, match=r"^table\.csv, line 4: column 2, 'c', holds 'x'"):
        read_csv(path)
    assert read_csv(written(tmp_path, "table.csv", '"a\nb",c\n1,2\n')).items == ["a\nb", "c"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("named", [True, False])
def test_round_trip_of_csv(tmp_path, delimiter, named):
    rng = np.random.default_rng(3)
    for rows, size in ((1, 2), (3, 5), (150, 4)):
        frame = pd.DataFrame(rng.normal(size=(rows, size)), columns=[f'a "{i}", b; c\td' for i in range(size)])
        frame = frame.mask(rng.random((rows, size)) < 0.3)
        path = tmp_path / "table.csv"
        frame.to_csv(path, sep=delimiter, index=False, header=named)
        X, items = read_csv(path)
        assert items == (list(frame.columns) if named else [str(i + 1) for i in range(size)])
        same(X, frame.to_numpy())


BAD_TABLES = [
    ("empty", "", {}, "line 1: the file is empty"),
    ("blank", "\n\n", {}, "line 1: the file is empty"),
    ("BOM only", "\ufeff", {}, "line 1: the file is empty"),
    ("blank first", "\na,b\n1,2\n", {},
     "line 1: the line is blank, but must be the first row of numbers, or the names of the items"),
    ("names only", "a,b\n\n", {}, "line 1: the names of the items are the only row: there must be rankings after them"),
    ("numbers as names only", "1,2\n", {"header": True},
     "line 1: the names of the items are the only row: there must be rankings after them"),
    ("short row", "a,b,c\n1,2,3\n1,2\n", {}, "line 3: the row has 2 cells, but the first row has 3"),
    ("long row", "1,2\n1,2,3\n", {}, "line 2: the row has 3 cells, but the first row has 2"),
    ("blank line", "a,b\n1,2\n\n2,1\n", {}, "line 3: the row has 0 cells, but the first row has 2"),
    ("a word", "a,b\n1,2\n2,x\n", {}, "line 3: column 2, 'b', holds 'x', which is not a number"),
    ("a word without names", "1,2\n2,x\n", {}, "line 2: column 2 holds 'x', which is not a number"),
    ("names that are said not to be", "a,b\n1,2\n", {"header": False}, "line 1: column 1 holds 'a', which is not a number"),
    ("decimal comma", "a;b\n1;2,5\n", {}, "line 2: column 2, 'b', holds '2,5', which is not a number"),
    ("underscore", "a,b\n1,1_0\n", {}, "line 2: column 2, 'b', holds '1_0', which is not a number"),
    ("other digits", "a,b\n1,\u0661\n", {}, "line 2: column 2, 'b', holds '\u0661', which is not a number"),
    ("hexadecimal", "a,b\n1,0x1\n", {}, "line 2: column 2, 'b', holds '0x1', which is not a number"),
    ("infinite", "a,b\n1,-inf\n", {}, "line 2: column 2, 'b', holds '-inf', which is not finite"),
    ("infinite first", "Infinity,1\n", {}, "line 1: column 1 holds 'Infinity', which is not finite"),
    ("beyond double precision", "1,1e999\n", {}, "line 1: column 2 holds '1e999', which is not finite"),
    ("same name", "a,b,a\n1,2,3\n", {}, "line 1: columns 1 and 3 have the same name, 'a'"),
    ("same name but for spaces", "a,b, a \n1,2,3\n", {}, "line 1: columns 1 and 3 have the same name, 'a'"),
    ("row numbers", ",a,b\n0,1,2\n", {},
     "line 1: column 1 has no name, but every column must be an item: row numbers are none"),
    ("quotes not closed", 'a,b\n1,"2\n', {}, "line 2: the row cannot be split into cells: unexpected end of data"),
    ("text after quotes", 'a,b\n1,2\n"1"2,3\n', {}, "line 3: the row cannot be split into cells: ',' expected after '\"'"),
    ("a huge cell", "a,b\n1," + "2" * 200_000, {},
     "line 2: the row cannot be split into cells: field larger than field limit (131072)"),
    ("Latin-1", "a,é\n1,2\n".encode("latin-1"), {}, "line 1: the byte 0xe9 is not UTF-8: the file must be text in UTF-8"),
    ("compressed", b"PK\x03\x04\n\x00\x08", {}, "line 2: there is a zero byte: the file must be text in UTF-8"),
    ("another delimiter", "a|b\n1|2\n", {}, "line 2: column 1, 'a|b', holds '1|2', which is not a number"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "options", "message"), [case[1:] for case in BAD_TABLES], ids=[case[0] for case in BAD_TABLES]
)
def test_csv_refused(tmp_path, text, options, message):
    with pytest.raises(ValueError) as raised:
        read_csv(written(tmp_path, "table.csv", text), **options)
    assert str(raised.value) == f"table.csv, {message}"


def test_csv_for_a_kernel(tmp_path):
    X, _ = read_csv(written(tmp_path, "table.csv", "a,b,c\n1,2,3\n3,2,1\n"))
    assert wkendall.gram_matrix(X).tolist() == [[3, 0], [0, 3]]
