"""`Rankings`: what is read, what it says of itself, its rows, its names, and that it does not change."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall
from definitions import BOTTOM, NAN, random_rankings, random_rows, sparse
from orders_of_items import random_orders, ranks_of
from scipy.sparse import csc_array, csr_array, issparse
from wkendall import Kendall, Rankings

X = [[1, 2, 3], [2, 1, 3], [3, 1, 2]]
ANYWHERE = {"ties": "mean", "missing": "anywhere"}


def kinds(rng, rows=9, items=5):
    """Rankings of every kind, by name."""
    tied = random_rows(rng, rows, items, missing=False)
    listed = random_rows(rng, rows, items)
    return {
        "complete": Rankings(random_rankings(rng, rows, items)),
        "tied": Rankings(tied, ties="mean"),
        "bottom": Rankings(listed, **BOTTOM),
        "anywhere": Rankings(listed, **ANYWHERE),
        "lists": Rankings(sparse(listed), **BOTTOM),
        "named": Rankings(tied, ties="mean", items="abcde", counts=np.arange(rows)),
        "labelled": Rankings(pd.DataFrame(random_rankings(rng, rows, items), index=[f"r{row}" for row in range(rows)])),
    }


KINDS = list(kinds(np.random.default_rng(0)))


@pytest.fixture(params=KINDS)
def rankings(request):
    return kinds(np.random.default_rng(1))[request.param]


# Reading.


def test_what_is_read():
    ranks = np.array(X)
    wanted = Rankings(X)
    frame = pd.DataFrame(X)
    for same in (ranks, ranks - 1, ranks.astype(float), ranks.astype(np.uint8), tuple(map(tuple, X)), frame, wanted):
        assert Rankings(same) == wanted
    assert Rankings(ranks.argsort(axis=1) + 1, input="orders") == wanted
    assert Rankings(ranks.argsort(axis=1), input="orders") == wanted
    assert Rankings(-(ranks**3.0), input="scores") == wanted
    assert Rankings(4 - ranks, top="high") == wanted
    assert Rankings(ranks**3, input="scores", top="high") == wanted
    np.testing.assert_array_equal(np.asarray(wanted), ranks)


@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_sparse_arrays_are_lists(form):
    found = Rankings(form(sparse(np.array([[1, NAN, 2, NAN], [NAN] * 4, [2, 2, 1, NAN]]))), **BOTTOM)
    assert (found.kind, found.shape) == ("lists", (3, 4))
    assert found.to_lists() == [[0, 2], [], [2, {0, 1}]]
    np.testing.assert_array_equal(np.asarray(found), [[1, NAN, 2, NAN], [NAN] * 4, [2, 2, 1, NAN]])


def test_only_the_order_of_numbers_with_ties_matters():
    found = Rankings([[10, -3, 10, NAN, 7.5]], **BOTTOM)
    np.testing.assert_array_equal(np.asarray(found), [[3, 1, 3, NAN, 2]])
    assert found == Rankings([[3, 1, 3, NAN, 2]], **BOTTOM)
    assert Rankings([[0.5, 2, 0.5]], input="scores", ties="mean").to_lists() == [[1, {0, 2}]]


@pytest.mark.parametrize("options", [{"ties": "mean"}, {"missing": "bottom"}, {"missing": "anywhere"}])
@pytest.mark.parametrize("top", ["low", "high"])
def test_ranks_of_some_items_of_a_larger_table(options, top):
    """Ranks with gaps, and above the number of items, mean the order of their numbers."""
    X = np.array([[50.0, 3, 7], [12, 11, 2], [1, 2, 3]])
    same = np.array([[3.0, 1, 2], [3, 2, 1], [1, 2, 3]])
    assert Rankings(X, top=top, **options) == Rankings(same, top=top)
    if "missing" in options:
        X[0, 1] = same[0, 1] = np.nan
        assert Rankings(X, top=top, **options) == Rankings(same, top=top, **options)
    with pytest.raises(wkendall.RankingError, match="holds 50"):
        Rankings([[50, 3, 7], [1, 2, 3]])


def test_rankings_of_rankings(rankings):
    assert Rankings(rankings) == rankings
    assert Rankings(rankings).counts is not rankings.counts or rankings.counts is None
    assert Rankings(rankings).labels == rankings.labels
    names = list("vwxyz") if rankings.items is None else rankings.items
    other = Rankings(rankings, items=names, counts=np.full(9, 2))
    assert other.items == names
    np.testing.assert_array_equal(other.counts, np.full(9, 2))
    np.testing.assert_array_equal(np.asarray(other), np.asarray(rankings))
    for option, value in {"input": "scores", "top": "high", **BOTTOM}.items():
        with pytest.raises(
            wkendall.RankingError, match=f"^X is a Rankings, .* pass {option} when you make it"
        ) as caught:
            Rankings(rankings, **{option: value})
        assert (caught.value.argument, caught.value.value) == (option, value)


# What it says of itself.


def test_the_kind_of_storage():
    found = kinds(np.random.default_rng(2))
    wanted = {"bottom": "tied", "anywhere": "tied", "named": "tied", "labelled": "complete"}
    assert {name: some.kind for name, some in found.items()} == {name: wanted.get(name, name) for name in found}
    assert Rankings(X, **BOTTOM).kind == "complete"
    assert Rankings(np.empty((0, 3))).shape == (0, 3)
    assert Rankings(np.empty((2, 0))).shape == (2, 0)


def test_names():
    assert Rankings(X).items is None
    assert Rankings(X, items="abc").items == ["a", "b", "c"]
    assert Rankings(X, items=iter([("a", 1), None, 2.5])).items == [("a", 1), None, 2.5]
    assert Rankings(X, items=pd.Index(["a", "b", "c"])).items == ["a", "b", "c"]
    assert Rankings(X, items=range(3)).items == [0, 1, 2]


def test_names_of_frames():
    columns = ["pear", "fig", "plum"]
    for frame in (pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns, orient="row")):
        found = Rankings(frame)
        assert found.items == columns
        assert found.to_lists()[1] == ["fig", "pear", "plum"]
    assert Rankings(pd.DataFrame(X)).items is None  # only numbered
    assert Rankings(pd.DataFrame(X, columns=[1, 2, 3])).items == [1, 2, 3]
    # The columns of orders are places.
    assert Rankings(pd.DataFrame(X, columns=["1st", "2nd", "3rd"]), input="orders").items is None


def test_labels_of_rows():
    frame = pd.DataFrame(X, index=["ann", "bob", "cem"])
    found = Rankings(frame)
    assert found.labels == ["ann", "bob", "cem"]
    assert found[[2, 0]].labels == ["cem", "ann"]
    assert found[-1].labels == ["cem"]
    assert Rankings(X).labels is None
    assert Rankings(pl.DataFrame(X, orient="row")).labels is None


def test_counts():
    assert Rankings(X).counts is None
    found = Rankings(X, counts=[3, 0, 2.0])
    assert found.counts.dtype == np.int64
    assert found.counts.tolist() == [3, 0, 2]
    assert found[1:].counts.tolist() == [0, 2]
    assert found[[2, 0, 2]].counts.tolist() == [2, 3, 2]


# It cannot be changed.


def test_immutable(rankings):
    for name in ("items", "counts", "labels", "kind", "shape", "_counts", "_handle", "other"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(rankings, name, None)
    with pytest.raises(AttributeError, match="cannot be changed"):
        del rankings._counts
    with pytest.raises(TypeError):
        rankings[0] = [1, 2, 3, 4, 5]
    with pytest.raises(TypeError, match="unhashable"):
        hash(rankings)


def test_what_is_given_away_is_a_copy():
    values, counts, items = np.array(X), np.array([1, 2, 3]), ["a", "b", "c"]
    found = Rankings(values, counts=counts, items=items)
    wanted = copy.deepcopy((np.asarray(found), found.counts, found.items))
    values[:], counts[:], items[0] = 0, 0, "z"
    np.asarray(found)[:] = 0
    found.counts[:] = 0
    found.items[0] = "z"
    np.testing.assert_array_equal(np.asarray(found), wanted[0])
    np.testing.assert_array_equal(found.counts, wanted[1])
    assert found.items == wanted[2]


def test_it_is_freed_with_its_last_reference():
    found = Rankings(X)
    gone = weakref.ref(found)
    del found
    gc.collect()
    assert gone() is None


# Rows.


def test_rows(rankings):
    ranks, lists = np.asarray(rankings), rankings.to_lists()
    mask = np.arange(9) % 2 == 0
    for rows in (
        slice(None), slice(2, 7), slice(None, None, -2), slice(5, 2), mask, mask.tolist(), [3, 1, 1], np.array([8, 0]),
        np.array([7], dtype=np.uint8), [-1, 0], np.array([-9]), range(4), [], np.zeros(0, dtype=int), mask & False,
        pd.Series([4, 2]),
    ):  # fmt: skip
        for index in (rows, (rows,), (rows, ...), (rows, slice(None))):
            found = rankings[index]
            numbers = np.arange(9)[rows if len(np.shape(rows)) == 0 or np.size(rows) else []]
            assert isinstance(found, Rankings)
            np.testing.assert_array_equal(np.asarray(found), ranks[numbers])
            assert found.to_lists() == [lists[number] for number in numbers]
            assert found.items == rankings.items
            if rankings.counts is not None:
                np.testing.assert_array_equal(found.counts, rankings.counts[numbers])


def test_one_row(rankings):
    ranks = np.asarray(rankings)
    for row in (0, 8, -1, -9, np.int64(4), np.uint8(3)):
        assert rankings[row].shape == (1, 5)
        np.testing.assert_array_equal(np.asarray(rankings[row]), ranks[[row]])
    assert [one.to_lists()[0] for one in rankings] == rankings.to_lists()


@pytest.mark.parametrize(
    "rows",
    [9, -10, [0, 9], True, 1.5, [0.5], "a", None, [[0, 1]], np.ones(8, dtype=bool), np.ones((9, 5), dtype=bool),
     (0, 1), (slice(None), [0, 1]), (0, ..., 2)],
    ids=str,
)  # fmt: skip
def test_rows_that_are_not_there(rankings, rows):
    with pytest.raises(IndexError):
        rankings[rows]


# Arrays and lists.


def test_arrays():
    found = np.asarray(Rankings([[5, 5, 1, NAN]], **BOTTOM))
    np.testing.assert_array_equal(found, [[2, 2, 1, NAN]])
    assert np.asarray(Rankings(X)).dtype.kind == "i"
    assert np.asarray(Rankings(X), dtype=np.float32).dtype == np.float32
    assert np.asarray(Rankings([[1, 1]], ties="mean")).dtype.kind == "i"
    np.testing.assert_array_equal(np.asarray(Rankings([[NAN, 1, NAN]], missing="anywhere")), [[NAN, 1, NAN]])
    # What ranks last without being missing stays.
    np.testing.assert_array_equal(np.asarray(Rankings([[1, 2, 3, 3], [1, 2, NAN, NAN]], **BOTTOM))[0], [1, 2, 3, 3])


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_lists(ties, complete):
    rng = np.random.default_rng(3)
    orders = random_orders(rng, 30, 6, ties, complete)
    ranks = np.array([ranks_of(groups, 6) for groups in orders])
    names = ["a", "b", "c", "d", "e", "f"]
    wanted = [
        [names[group[0]] if len(group) == 1 else {names[item] for item in group} for group in groups]
        for groups in orders
    ]
    for values in (ranks, sparse(ranks)):
        assert Rankings(values, **BOTTOM, items=names).to_lists() == wanted
    assert Rankings(ranks, **ANYWHERE, items=names).to_lists() == wanted
    numbered = [[min(group) if len(group) == 1 else set(group) for group in groups] for groups in orders]
    assert Rankings(ranks, **BOTTOM).to_lists() == numbered


# Equal rankings.


def by_hand(rankings):
    """The different rankings with their counts, one after the other."""
    counts = np.ones(len(rankings), dtype=int) if rankings.counts is None else rankings.counts
    found = {}
    for row, count in zip(rankings.to_lists(), counts, strict=True):
        key = repr([sorted(group) if isinstance(group, set) else group for group in row])
        first, before = found.get(key, (row, 0))
        found[key] = first, before + int(count)
    return [row for row, _ in found.values()], [count for _, count in found.values()]


def test_distinct(rankings):
    rng = np.random.default_rng(4)
    many = rankings[rng.integers(0, 9, 60)]
    found = many.distinct()
    lists, counts = by_hand(many)
    assert found.to_lists() == lists
    assert found.counts.tolist() == counts
    assert found.items == rankings.items
    assert found.kind == rankings.kind
    assert found.distinct() == found
    assert len(rankings[:0].distinct()) == 0


def test_a_list_is_not_the_ranking_that_ties_the_rest():
    """Their kernels are equal, but not what they list."""
    values = np.array([[1, 2, NAN, NAN], [1, 2, 3, 3], [1, 2, NAN, NAN]])
    for given in (values, sparse(values)):
        rankings = Rankings(given, **BOTTOM)
        found = rankings.distinct()
        assert found.to_lists() == [[0, 1], [0, 1, {2, 3}]]
        assert found.counts.tolist() == [2, 1]
        assert rankings[0] != rankings[1]
        assert rankings[0] == rankings[2]
        K = wkendall.gram_matrix(rankings)
        assert K[0, 0] == K[0, 1]


def test_equality(rankings):
    same = kinds(np.random.default_rng(1))
    name = next(name for name, some in same.items() if some.to_lists() == rankings.to_lists() and some == rankings)
    assert same[name] == rankings
    assert rankings[:] == rankings
    assert rankings[::-1] != rankings
    assert rankings[:8] != rankings
    assert rankings != np.asarray(rankings).tolist()
    assert rankings != "rankings"
    assert Rankings(rankings, items="edcba") != rankings
    assert Rankings(rankings, counts=np.full(9, 5)) != rankings


def test_equality_does_not_depend_on_how_they_were_read():
    plain = Rankings(X)
    for options in ({"ties": "mean"}, BOTTOM, ANYWHERE):
        assert Rankings(X, **options) == plain
        more = Rankings([[1, 1, 1], *X], **options)
        assert more[1:] == plain
        assert plain == more[1:]
    listed = np.array([[1, 2, NAN], [3, 1, 2]])
    assert Rankings(listed, missing="bottom") == Rankings(sparse(listed), missing="bottom")
    assert Rankings(listed, missing="bottom") != Rankings(listed, missing="anywhere")
    assert Rankings(listed, missing="bottom")[1:] == Rankings(listed, missing="anywhere")[1:]


# Copies.


def test_pickles_and_copies(rankings):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        for some in (rankings, rankings[1:2], rankings[[5, 2]]):
            found = pickle.loads(pickle.dumps(some, protocol))
            assert found == some
            assert found.labels == some.labels
            np.testing.assert_array_equal(np.asarray(found), np.asarray(some))
            np.testing.assert_array_equal(wkendall.gram_matrix(found), wkendall.gram_matrix(some))
    assert copy.copy(rankings) is rankings
    assert copy.deepcopy(rankings) is rankings


def test_pickles_of_a_huge_catalogue():
    lists = csr_array((np.array([1, 2, 3.0]), np.array([5, 10**8, 7]), np.array([0, 2, 3])), shape=(2, 2**31 - 1))
    found = Rankings(lists, missing="bottom")
    data = pickle.dumps(found)
    assert len(data) < 5000
    assert pickle.loads(data) == found
    assert issparse(found._places)


# What people see.


def test_repr():
    assert repr(Rankings(X, items=["apple", "pear", "plum"])) == (
        "Rankings: 3 complete rankings of 3 items\n  apple > pear > plum\n  pear > apple > plum\n  pear > plum > apple"
    )
    tied = Rankings([[1, 1, 2, NAN], [1, 2, 3, 4]], **BOTTOM, items="abcd", counts=[1000, 2])
    assert repr(tied) == (
        "Rankings: 2 rankings of 4 items, 1 with ties, 1 with missing items, observed 1,002 times\n"
        "  1,000 x a = b > c\n"
        "  2 x a > b > c > d"
    )
    listed = Rankings(sparse(np.array([[1, NAN, 2], [NAN] * 3])), **BOTTOM)
    assert repr(listed) == "Rankings: 2 lists of 3 items, 2 with missing items\n  0 > 2\n  (no items)"
    assert repr(Rankings([[1]])) == "Rankings: 1 complete ranking of 1 item\n  0"
    labelled = Rankings(pd.DataFrame([[2, 1]], index=["ann"], columns=["x", "y"]))
    assert repr(labelled) == "Rankings: 1 complete ranking of 2 items\n  ann: y > x"


def test_the_view_of_a_notebook(rankings):
    html = rankings._repr_html_()
    assert html.count("<li>") == 6
    assert "… and 4 more" in html
    escaped = Rankings([[1, 2]], items=["<script>", "a&b"])._repr_html_()
    assert "<script>" not in escaped
    assert "&lt;script&gt; &gt; a&amp;b" in escaped


def test_one_missing_item_is_missing():
    """Such a ranking is computed with as a complete one."""
    for values in ([[1, 2, NAN]], [[1, 2, NAN], [1, NAN, NAN]]):
        for given in (np.array(values), sparse(np.array(values))):
            found = Rankings(given, missing="bottom", items="abc")[:1]
            np.testing.assert_array_equal(np.asarray(found), [[1, 2, NAN]])
            assert found.to_lists() == [["a", "b"]]
            assert "with missing items" in repr(found)
            assert "complete" not in repr(found)
            assert found != Rankings([[1, 2, 3]], items="abc")
            assert pickle.loads(pickle.dumps(found)) == found
            assert wkendall.kernel(found, [1, 2, 3]) == 3
    both = Rankings([[1, 2, NAN], [1, 2, 3]], missing="bottom")
    assert both.kind == "complete"
    assert len(both.distinct()) == 2
    assert wkendall.gram_matrix(both, order=3).tolist() == [[1, 1], [1, 1]]


# Names that do not agree.


def test_items_are_matched_by_name():
    rng = np.random.default_rng(6)
    names = np.array(list("abcde"))
    for name, rankings in kinds(rng).items():
        x, y = Rankings(rankings, items=names), Rankings(rankings[::-1], items=names)
        order = rng.permutation(5)
        if name == "lists":
            moved = Rankings(sparse(np.asarray(y)[:, order]), **BOTTOM, items=names[order])
        else:
            options = ANYWHERE if name == "anywhere" else BOTTOM
            moved = Rankings(np.asarray(y)[:, order], **options, items=names[order])
        kernel = Kendall(signed=True)
        wanted = wkendall.gram_matrix(x, y, kernel)
        np.testing.assert_allclose(wkendall.gram_matrix(x, moved, kernel), wanted, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(kernel(x, moved), wanted, rtol=1e-13, atol=1e-13)
        found = wkendall.neighbors(x, moved, n_neighbors=3)
        np.testing.assert_array_equal(found.indices, wkendall.neighbors(x, y, n_neighbors=3).indices)
    value = wkendall.kernel(pd.Series([1, 2, 3], index=list("abc")), pd.Series([3, 1, 2], index=list("cab")))
    assert value == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: wkendall.gram_matrix(x, y),
        lambda x, y: wkendall.similarity_matrix(x, y),
        lambda x, y: wkendall.distance_matrix(x, y),
        lambda x, y: wkendall.neighbors(x, y, n_neighbors=1),
        lambda x, y: wkendall.neighbors_within(x, y, radius=1),
        lambda x, y: wkendall.neighbors_graph(x, y, n_neighbors=1),
        lambda x, y: wkendall.Mallows()(x, y),
        lambda x, y: wkendall.gram_to_file("never.npy", x, y),
    ],
)
def test_other_items_are_refused(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x, y = Rankings(X, items="abc"), Rankings(X, items="abd")
    with pytest.raises(wkendall.RankingError, match=r"^X has the item 'c', but Y does not") as caught:
        call(x, y)
    assert (caught.value.argument, caught.value.value, caught.value.kind) == ("Y", "c", "items differ")
    with pytest.raises(wkendall.RankingError, match=r"^X has 3 items, but Y has 2") as caught:
        call(x, [[1, 2]])
    assert (caught.value.argument, caught.value.kind) == ("Y", "items differ")
    assert not list(tmp_path.iterdir())


# Other functions.


@pytest.mark.parametrize("option", ["input", "top", "ties", "missing"])
def test_options_of_reading_are_refused_for_what_has_been_read(option):
    value = {"input": "orders", "top": "high", **BOTTOM}[option]
    rankings = Rankings(X)
    for call, argument in (
        (lambda: wkendall.gram_matrix(rankings, **{option: value}), "X"),
        (lambda: wkendall.gram_matrix(np.array(X), rankings, **{option: value}), "Y"),
        (lambda: wkendall.diagonal(rankings, **{option: value}), "X"),
        (lambda: wkendall.kernel(rankings[0], rankings[1], **{option: value}), "x"),
        (lambda: wkendall.kappa(rankings[0], **{option: value}), "pi"),
    ):
        with pytest.raises(wkendall.RankingError, match=rf"^{argument} is a Rankings, which has been read") as caught:
            call()
        assert (caught.value.argument, caught.value.value) == (option, value)


def test_long_reprs_are_short():
    many = Rankings(np.tile(np.arange(40), (2000, 1)), items=[f"item {number} {'x' * 500}" for number in range(40)])
    lines = repr(many).splitlines()
    assert lines[0] == "Rankings: 2,000 complete rankings of 40 items"
    assert lines[-1] == "  ... and 1,995 more"
    assert len(lines) == 7
    assert all(line.endswith("> ...") and len(line) < 300 for line in lines[1:-1])
    huge = Rankings(
        csr_array((np.ones(1), np.zeros(1, dtype=np.int64), [0, 1]), shape=(1, 2**31 - 1)), missing="bottom"
    )
    assert repr(huge) == "Rankings: 1 list of 2,147,483,647 items, 1 with missing items\n  0"
