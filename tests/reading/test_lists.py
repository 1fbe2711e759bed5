"""Ranked lists: what becomes of them, and what is refused."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall
from orders_of_items import NAN, random_orders, ranks, ranks_of, same
from wkendall.reading.csv_files import read_csv
from wkendall.reading.lists import from_lists
from wkendall.reading.preflib import read_preflib


def test_lists_of_different_items_and_lengths():
    found = from_lists([["apple", "pear", "plum"], ["plum", "fig"], [], ["fig", "apple", "plum", "pear"]])
    assert isinstance(found, wkendall.Rankings)
    assert (found.kind, found.labels) == ("lists", None)
    assert found.items == ["apple", "pear", "plum", "fig"]
    same(ranks(found), [[1, 2, 3, NAN], [NAN, NAN, 1, 2], [NAN] * 4, [2, 4, 3, 1]])


def test_the_keys_of_a_dict_are_labels():
    found = from_lists({"google": ["a", "b"], np.str_("bing"): ["b", None]}, items=["b", "a"])
    assert (found.labels, found.items) == (["google", "bing"], ["b", "a"])
    same(ranks(found), [[2, 1], [1, NAN]])
    assert repr(found.labels[1]) == "'bing'"
    assert len(from_lists({})) == 0
    with pytest.raises(TypeError, match="list 0 must be a list of items, best first, not 'ab' of type str"):
        from_lists({"google": "ab"})


def test_names_of_numpy_are_names_of_python():
    names = np.array(["a", "b", "c"])
    both = names[[[0, 1], [2, 1]]]
    ties = [[names[2], {names[0], names[1]}], [[names[0], names[1]]]]
    made = [
        from_lists(both),
        from_lists(both, items=names),
        from_lists(ties),
        from_lists([[np.int64(3), np.bool_(True)]]),
    ]
    made += [wkendall.Rankings([[1, 2, 3]], items=names), wkendall.Rankings([[1, 2]], items=np.array([10, 20]))]
    assert [{type(item) for item in each.items} for each in made] == [{str}, {str}, {str}, {int, bool}, {str}, {int}]
    with pytest.raises(wkendall.RankingError, match=r"X has the item 'a', but Y does not.*only Y has 'b'"):
        wkendall.gram_matrix(from_lists(names[[[0, 2]]]), from_lists(names[[[1, 2]]]))


def test_items_given():
    found = from_lists([["b", "a"], ["c"]], items=("c", "b", "never", "a"))
    assert found.items == ["c", "b", "never", "a"]
    same(ranks(found), [[NAN, 1, NAN, 2], [1, NAN, NAN, NAN]])


@pytest.mark.parametrize("group", [{"b", "c"}, frozenset({"c", "b"}), ["b", "c"]])
def test_ties_share_the_best_rank(group):
    found = from_lists([["a", group, "d"], [group], ["d", "a"]])
    assert found.items == ["a", "b", "c", "d"]
    same(ranks(found), [[1, 2, 2, 4], [NAN, 1, 1, NAN], [2, NAN, NAN, 1]])


def test_items_of_a_set_come_in_an_order_that_does_not_depend_on_the_run():
    names = [f"item {number:03}" for number in range(200)]
    assert from_lists([[set(names)]]).items == names
    assert from_lists([[{10, 9, 2}]]).items == [2, 9, 10]
    assert from_lists([[{"b", 1, ("x",)}]]).items == sorted(["b", 1, ("x",)], key=repr)
    assert from_lists([[["z", "a", "m"]]]).items == ["z", "a", "m"]


@pytest.mark.parametrize(
    "padding",
    [None, NAN, np.float32("nan"), Decimal("nan"), pd.NA, pd.NaT, "", "  ", "\t\u2003", np.str_(), b"", b" "],
    ids=repr,
)
def test_padding_at_the_end_is_left_out(padding):
    found = from_lists([["a", "b", padding, padding], ["c", "b", "a", padding], [padding] * 4])
    assert found.items == ["a", "b", "c"]
    same(ranks(found), [[1, 2, NAN], [3, 2, 1], [NAN] * 3])


def test_rows_of_frames_are_lists():
    names = {"first": ["a", "c", "b"], "second": ["b", None, "a"], "third": [None, None, "c"]}
    for frame in (pd.DataFrame(names), pl.DataFrame(names), pd.DataFrame(names).to_numpy()):
        found = from_lists(frame)
        assert found.items == ["a", "b", "c"]
        same(ranks(found), [[1, 2, NAN], [NAN, NAN, 1], [2, 1, 3]])
    found = from_lists(pd.DataFrame({"first": [3, 5], "second": [5, np.nan]}), items=[5, 3])
    same(ranks(found), [[2, 1], [1, NAN]])


def test_any_hashable_item():
    things = ["a", 1, 2.5, ("a", "b"), Fraction(1, 3), date(2020, 1, 1), b"bytes", np.int64(7), "-", ("a",)]
    found = from_lists([things, things[::-1]])
    assert found.items == things
    same(ranks(found), [np.arange(1, 11), np.arange(10, 0, -1)])


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
    found = from_lists(ranked)
    assert found.items == ["a", "b", "c"]
    same(ranks(found), [[1, 2, 3], [2, 3, 1]])


def test_the_arguments_are_left_alone():
    ranked, items = [["b", ["c", "a"]], ["a"]], ["a", "b", "c"]
    from_lists(ranked, items)
    assert ranked == [["b", ["c", "a"]], ["a"]]
    found = from_lists([], items)
    found.items.append("d")
    assert items == found.items == ["a", "b", "c"]
    same(ranks(found), np.empty((0, 3)))


def test_nothing():
    assert from_lists([]).shape == (0, 0)
    assert from_lists([[], []]).shape == (2, 0)
    assert from_lists([[]], items=[]).items == []
    same(ranks(from_lists([[]], items=["a"])), [[NAN]])


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
        found = from_lists(named, [f"i{item}" for item in range(size)])
        same(ranks(found), [ranks_of(order, size) for order in orders])
        back = [
            [np.flatnonzero(row == rank).tolist() for rank in np.unique(row[~np.isnan(row)])] for row in ranks(found)
        ]  # fmt: skip
        assert back == orders


class Plain:
    __hash__ = None

    def __repr__(self):
        return "Plain(\n)" + "x" * 100


# What is wrong, the call, the exception, its message.
GAPS = '; gaps="close" leaves out blanks, so that later items move up'
REFUSED = [
    ("a string as a list", lambda: from_lists(["abc"]), TypeError,
     "list 0 must be a list of items, best first, not 'abc' of type str"),
    ("a set as a list", lambda: from_lists([{"a"}]), TypeError,
     "list 0 must be a list of items, best first, not {'a'} of type set"),
    ("lists a string", lambda: from_lists("abc"), TypeError,
     "lists must be a list of ranked lists, such as [['a', 'b'], ['b']], not 'abc' of type str"),
    ("repeat", lambda: from_lists([["a"], ["b", "a", "c", "a"]]), ValueError,
     "list 1 holds 'a' twice, in places 1 and 3: an item has one rank"),
    ("repeat in a group", lambda: from_lists([["b", ["a", "c", "a"]]]), ValueError,
     "list 0 holds 'a' twice, both in place 1: an item has one rank"),
    ("equal items", lambda: from_lists([[1, 1.0]]), ValueError,
     "list 0 holds 1.0 twice, in places 0 and 1: an item has one rank"),
    ("None before an item", lambda: from_lists([["a"], ["b", None, "c"]]), ValueError,
     "list 1, place 1 holds None, but an item follows: padding must be at the end of a list" + GAPS),
    ("a blank text before an item", lambda: from_lists([["a", " ", "b"]]), ValueError,
     "list 0, place 1 holds ' ', but an item follows: padding must be at the end of a list" + GAPS),
    ("a blank text in a group", lambda: from_lists([[{"a", ""}]]), ValueError,
     "list 0, place 0 holds '', which is not an item: leave out items that are not ranked"),
    ("a blank text in items", lambda: from_lists([], ["a", ""]), ValueError,
     "items, place 1 holds '', which is not an item: leave out items that are not ranked"),
    ("unhashable", lambda: from_lists([["a", {"b": 1}]]), TypeError,
     "list 0, place 1 holds {'b': 1} of type dict, but items must be hashable: strings, numbers or tuples"),
    ("a long repr", lambda: from_lists([[Plain()]]), TypeError,
     f"list 0, place 0 holds Plain( ){'x' * 49}... of type Plain, but items must be hashable: strings, numbers or tuples"),
    ("a group in a group", lambda: from_lists([[["a", ["b"]]]]), TypeError,
     "list 0, place 0 holds ['b'] where an item must be: lists and sets are groups of tied items"),
    ("an empty group", lambda: from_lists([["a"], ["b", set()]]), ValueError,
     "list 1, place 1 holds set(), but a group of tied items must have items"),
    ("unknown item", lambda: from_lists([["a"], ["b", "c"]], ["a", "b"]), ValueError,
     "list 1, place 1 holds 'c', which is not one of the 2 items given"),
    ("items twice", lambda: from_lists([], ["a", "b", "a"]), ValueError, "items holds 'a' twice, in places 0 and 2"),
    ("items a string", lambda: from_lists([["a"]], "abc"), TypeError, "items must be a list of items, not 'abc' of type str"),
    ("a group in items", lambda: from_lists([], ["a", frozenset("b")]), TypeError,
     "items, place 1 holds frozenset({'b'}) where an item must be: lists and sets are groups of tied items"),
    ("path a number", lambda: read_csv(3), TypeError, "path must be the name of a file, not 3"),
    ("path bytes", lambda: read_preflib(b"a.soc"), TypeError, "path must be the name of a file, not b'a.soc'"),
    *(
        (f"{name} {given!r}", lambda name=name, given=given: read_csv("a.csv", **{name: given}), TypeError,
         f"{name} must be the name of a column, or its number from 1 as text{more}, not {given!r}")
        for name, given, more in [
            ("id", 1, ""), ("id", ["who"], ""), ("item", 2, ""), ("value", 3.0, ""),
            ("skip", 1, ", or a list of them"), ("skip", None, ", or a list of them"), ("skip", b"a", ", or a list of them"),
        ]
    ),
    ("delimiter of two", lambda: read_csv("a.csv", delimiter="::"), ValueError,
     "delimiter must be one character, such as ',' or ';', or None, not '::'"),
    ("header a number", lambda: read_csv("a.csv", header=0), TypeError, "header must be True, False or None, not 0"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "error", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_refused(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message


def test_lists_cost_their_lengths(leave_memory):
    leave_memory(100)
    found = from_lists([["a"], ["b"], ["c"], ["d"]])
    assert (found.kind, found.shape) == ("lists", (4, 4))
    assert found._handle.stored <= 4


def test_how_lists_are_stored():
    """Lists with all items are rankings like others, so that every kernel takes them."""
    assert from_lists([["a", "b"], ["b", "a"]]).kind == "complete"
    assert from_lists([["a", "b"], [{"b", "a"}]]).kind == "tied"
    assert from_lists([["a", "b"], ["b"]]).kind == "lists"
    assert from_lists([["a", "b"]], items=["a", "b", "c"]).kind == "lists"


def test_labels_of_a_frame():
    names = pd.DataFrame({"first": ["a", "b"], "second": ["b", None]}, index=["ann", "bob"])
    assert from_lists(names).labels == ["ann", "bob"]
    assert from_lists(pd.Series([["a"], ["b", "a"]], index=[7, 8])).labels == [7, 8]


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint16, np.uint64])
@pytest.mark.parametrize("least", [-7, 0, 90])
def test_arrays_of_item_numbers(kind, least):
    """The same as for lists of the same numbers."""
    if least < 0 and np.dtype(kind).kind == "u":
        return
    rng = np.random.default_rng(0)
    for rows, items, length in [(1, 1, 1), (3, 5, 5), (40, 20, 3), (5, 20, 20), (2, 1, 1), (30, 30, 1), (200, 12, 4)]:
        X = (np.argsort(rng.random((rows, items)), axis=1)[:, :length] + least).astype(kind)
        for array in (X, np.asfortranarray(X), X[::-1]):
            for names in (None, range(least, least + items), np.arange(least + items, least - 1, -1)):
                found, wanted = from_lists(array, items=names), from_lists(array.tolist(), items=names)
                assert found == wanted
                assert found.items == wanted.items
                assert found.kind == wanted.kind
                np.testing.assert_array_equal(found._listed, wanted._listed)
    assert from_lists(np.zeros((3, 0), dtype=int), items=[1]).to_lists() == [[], [], []]
    far = np.array([[5, 10**15], [10**15, 2]])
    assert from_lists(far).to_lists() == far.tolist()


def test_arrays_with_wrong_item_numbers():
    X = np.arange(40).reshape(10, 4) % 17
    wrong = []
    for row, column, value in [(0, 3, 1), (9, 2, 3), (4, 1, X[4, 0])]:
        wrong.append((X.copy(), None))
        wrong[-1][0][row, column] = value if row != 0 else X[0, 1]
    wrong += [(X, range(16)), (X, range(1, 17)), (X, list("abc")), (X, [*range(16), "a"]), (X, [])]
    both = X.copy()
    both[5, 3] = both[5, 0]
    wrong += [(both, range(17)), (both, range(16)), (both, range(3))]
    both[2, 1] = both[2, 2]
    wrong += [(both, range(17)), (both, range(16)), (both, range(13))]
    for array, items in wrong:
        errors = []
        for given in (array, array.tolist()):
            try:
                from_lists(given, items=items)
            except wkendall.RankingError as error:
                errors.append((str(error), error.row, error.column, error.value, error.kind, error.argument))
        assert len(errors) in (0, 2)
        assert errors[:1] == errors[1:]


def test_gaps_are_closed():
    lists = [["a", None, "b", ""], [None, {"b", "c"}, float("nan"), "a"], ["", " "]]
    wanted = from_lists([["a", "b"], [{"b", "c"}, "a"], []])
    assert from_lists(lists, gaps="close") == wanted
    assert from_lists(pd.DataFrame([["a", None, "b"], [None, "b", "c"]]), gaps="close").to_lists() == [
        ["a", "b"],
        ["b", "c"],
    ]
    encoder = wkendall.ListEncoder(gaps="close")
    np.testing.assert_array_equal(encoder.fit_transform([["a", None, "b"], [None, "b"]]), [[1, 2], [np.nan, 1]])
    with pytest.raises(wkendall.RankingError, match=r"^gaps is 'drop', but must be one of"):
        from_lists([["a"]], gaps="drop")
    with pytest.raises(wkendall.RankingError, match="gaps") as caught:
        wkendall.ListEncoder().fit([["a", None, "b"]])
    assert (caught.value.argument, caught.value.row, caught.value.column, caught.value.kind) == ("lists", 0, 1, "nan")
