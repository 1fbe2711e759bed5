"""Rankings that are added to a search, removed from it, saved and loaded: the neighbours of a search made anew."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from wkendall import (
    AverageOverlap,
    Kendall,
    KendallDistance,
    KendallNeighbors,
    RankBiasedOverlap,
    Rankings,
    from_lists,
    nearest,
)

MEASURES = [
    KendallDistance(),
    Kendall("mult", u="log", signed=True, normalize=True),
    RankBiasedOverlap(),
    AverageOverlap(4),
]


@pytest.fixture
def indexed(monkeypatch):
    """Make an index for few lists, too."""
    monkeypatch.setattr(nearest, "WORTH_AN_INDEX", 1)


def random_lists(rng, rows, items, longest, tied=False, all_items=False):
    """Lists of any lengths, empty ones among them; popular items are small numbers."""
    found = []
    for _ in range(rows):
        size = items if all_items and rng.random() < 0.2 else rng.integers(0, longest + 1)
        popular = np.argsort(rng.exponential(size=items) * np.arange(1, items + 1))[:size].tolist()
        rng.shuffle(popular)
        groups = [[]]
        for item in popular:
            if not (tied and rng.random() < 0.4):
                groups.append([])
            groups[-1].append(item)
        found.append([group for group in groups if group])
    return from_lists(found, items=range(items))


def rankings_of(kind, rng, rows):
    if kind == "complete":
        return Rankings(random_rankings(rng, rows, 6))
    if kind == "tied":
        return Rankings(rng.integers(0, 4, (rows, 6)), ties="mean")
    if kind == "some missing":
        values = rng.integers(0, 4, (rows, 6)).astype(float)
        values[rng.random((rows, 6)) < 0.3] = np.nan
        return Rankings(values, ties="mean", missing="bottom")
    if kind == "all items":
        return random_lists(rng, rows, 5, 5, tied=True, all_items=True)
    return random_lists(rng, rows, 60, 7, tied=kind == "tied lists")


def same(found, wanted, queries, count):
    for x in (queries, None):
        number = min(count, len(wanted.rankings_) - (x is None))
        if number > 0:
            for one, other in zip(found.neighbors(x, number), wanted.neighbors(x, number), strict=True):
                np.testing.assert_array_equal(one, other)
            for one, other in zip(found.kneighbors(x, number), wanted.kneighbors(x, number), strict=True):
                np.testing.assert_array_equal(one, other)
    one, other = found.radius_neighbors_graph(queries, 0.3), wanted.radius_neighbors_graph(queries, 0.3)
    assert one.shape == other.shape
    assert (one != other).nnz == 0


KINDS = ["complete", "tied", "some missing", "lists", "tied lists", "all items"]


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_sequences_of_changes(measure, kind, tmp_path):
    rng = np.random.default_rng(0)
    everything, queries = rankings_of(kind, rng, 120), rankings_of(kind, rng, 5)
    rows = np.arange(20)
    model = KendallNeighbors(3, measure).fit(everything[rows])
    for step in range(30):
        if len(rows) == 0 or rng.random() < 0.6:
            new = rng.integers(0, 120, rng.integers(1, 25))
            assert model.add(everything[new]) is model
            rows = np.concatenate([rows, new])
        else:
            gone = rng.choice(len(rows), rng.integers(0, len(rows) + (step % 5 > 0)), replace=False)
            model.remove(gone)
            rows = np.delete(rows, gone)
        if step % 7 == 0:
            model = pickle.loads(pickle.dumps(model))
        if step % 7 == 3:
            model.save(tmp_path / "model")
            model = KendallNeighbors.load(tmp_path / "model", mmap=step % 2 == 0)
        assert model.n_samples_fit_ == len(rows)
        if len(rows):
            assert model.rankings_ == everything[rows]
            same(model, KendallNeighbors(3, measure).fit(everything[rows]), queries, 4)


@pytest.mark.usefixtures("indexed")
def test_another_measure_after_a_change(tmp_path):
    rng = np.random.default_rng(1)
    lists, queries = random_lists(rng, 50, 40, 6), random_lists(rng, 4, 40, 6)
    for first in MEASURES:
        model = KendallNeighbors(3, first).fit(lists[:20]).add(lists[20:])
        model.save(tmp_path / "model")
        for found in (model, KendallNeighbors.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
            for measure in MEASURES:
                same(found.set_params(measure=measure), KendallNeighbors(3, measure).fit(lists), queries, 4)


def test_fewer_lists_than_are_worth_an_index_become_more():
    rng = np.random.default_rng(2)
    lists, queries = random_lists(rng, 1500, 60, 6), random_lists(rng, 4, 60, 6)
    model = KendallNeighbors(3, RankBiasedOverlap()).fit(lists[:700])
    assert model._searched.index(RankBiasedOverlap(), wkendall._run.Run()) is None
    same(model.add(lists[700:]), KendallNeighbors(3, RankBiasedOverlap()).fit(lists), queries, 5)


@pytest.mark.usefixtures("indexed")
def test_names_counts_and_labels():
    first = from_lists([["a", "b"], ["c"], ["b", "c", "a"]], items=list("abcd"))
    more = from_lists([["d", "a"], ["b"]], items=list("dcba"))
    model = KendallNeighbors(2, RankBiasedOverlap()).fit(first).add(more)
    assert model.rankings_.to_lists() == [*first.to_lists(), *more.to_lists()]
    assert model.rankings_.items == list("abcd")
    found = model.neighbors(from_lists([["d"]], items=list("bacd")), 1)
    assert found.indices.tolist() == [[3]]
    counted = Rankings([[1, 2, 3], [2, 1, 3]], counts=[3, 4])
    model = KendallNeighbors(1).fit(counted).add([[3, 2, 1]])
    assert model.rankings_.counts.tolist() == [3, 4, 1]
    assert model.remove(1).rankings_.counts.tolist() == [3, 1]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 2, 3], [2, 1, 3], [3, 2, 1]], index=["x", "y", "z"], columns=list("abc"))
    model = KendallNeighbors(1).fit(frame[:2]).add(frame[2:])
    assert model.remove([0]).rankings_.labels == ["y", "z"]
    assert model.rankings_.to_lists() == [["b", "a", "c"], ["c", "b", "a"]]


@pytest.mark.usefixtures("indexed")
def test_what_cannot_be_added_or_removed(tmp_path):
    lists = from_lists([[1, 2], [3], [2, 1]], items=range(5))
    model = KendallNeighbors(1, RankBiasedOverlap()).fit(lists)
    for other in (
        from_lists([[5, 1]], items=range(6)),
        from_lists([["a"]], items=list("abcde")),
        lists[:0],
        [[1, 2, 3]],
    ):
        with pytest.raises((ValueError, TypeError)) as caught:
            model.add(other)
        assert "\n" not in str(caught.value)
    for rows in (3, [0, 3], -4, [[1]], [0.5], "a", [True, False]):
        with pytest.raises(wkendall.RankingError, match=r"^rows ") as caught:
            model.remove(rows)
        assert "\n" not in str(caught.value)
    assert model.rankings_ == lists
    assert model.remove([]).rankings_ == lists
    assert len(model.remove([-1, -1]).rankings_) == 2
    assert len(model.remove(slice(None)).rankings_) == 0
    with pytest.raises(wkendall.RankingError, match="none can be found"):
        model.kneighbors(lists)
    model.save(tmp_path / "empty")
    assert KendallNeighbors.load(tmp_path / "empty").add(lists).neighbors(lists[:1]).indices.tolist() == [[0]]
    with pytest.raises(wkendall.RankingError, match="read in the same way"):
        KendallNeighbors().fit(Rankings([[1, np.nan, 2]], missing="anywhere")).add(
            Rankings([[1, np.nan, np.nan]], missing="bottom")
        )
    for method in ("add", "remove"):
        with pytest.raises(Exception, match="not fitted"):
            getattr(KendallNeighbors(), method)([[1, 2]])


@pytest.mark.usefixtures("indexed")
def test_joblib_keeps_the_index(tmp_path):
    lists = random_lists(np.random.default_rng(4), 50, 40, 6)
    model = KendallNeighbors(3, RankBiasedOverlap()).fit(lists).add(lists[:9])
    joblib.dump(model, tmp_path / "model")
    same(joblib.load(tmp_path / "model"), model, lists[:5], 3)


def loaded(path, mmap):
    try:
        return KendallNeighbors.load(path, mmap=mmap), None
    except ValueError as error:
        return None, str(error)


@pytest.mark.usefixtures("indexed")
def test_damaged_and_foreign_files(tmp_path):
    path = tmp_path / "model"
    lists = random_lists(np.random.default_rng(5), 30, 40, 6)
    KendallNeighbors(3, RankBiasedOverlap()).fit(lists).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(6)
    damaged = [whole[:length] for length in (0, 5, 16, 20, 30, 100, 1000, len(whole) - 1)]
    damaged += [b"PK" + whole[2:], whole + b"x", whole[:16] + bytes(100), b"1,2,3\n2,1,3\n"]
    for place in [*range(16, 120), *rng.integers(16, len(whole), 200).tolist()]:
        damaged.append(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
    refused = 0
    for content in damaged:
        path.write_bytes(content)
        for mmap in (False, True):
            found, error = loaded(path, mmap)
            refused += error is not None
            if error is not None:
                assert str(path) in error
                assert "\n" not in error
            elif mmap:
                found.neighbors(lists[:3])
            else:  # the change is in the padding
                same(found, KendallNeighbors(3, RankBiasedOverlap()).fit(lists), lists[:3], 3)
    assert refused > len(damaged)
    wkendall._saved.save_object(path, [1, 2])
    with pytest.raises(ValueError, match="has an object of type list, not KendallNeighbors"):
        KendallNeighbors.load(path)
    with pytest.raises(FileNotFoundError):
        KendallNeighbors.load(tmp_path / "none")
    with pytest.raises(TypeError, match="must be the name of a file"):
        KendallNeighbors.load(3)
    with pytest.raises(TypeError, match="mmap"):
        KendallNeighbors.load(path, mmap="yes")


def test_searches_during_changes():
    """A search sees the rankings before or after a change: rows are marked by their only item, a batch at a time."""
    batches, size = 12, 300
    lists = from_lists([[batch, 1000 + row] for batch in range(batches) for row in range(size)], items=range(1400))
    queries = from_lists([[batch] for batch in range(batches)], items=range(1400))
    for measure in (RankBiasedOverlap(), KendallDistance()):
        model = KendallNeighbors(1, measure, n_jobs=1).fit(lists[: 4 * size])
        done = threading.Event()

        def search(_, model=model, done=done):
            seen = 0
            while not done.is_set() or seen < 3:
                graph = model.radius_neighbors_graph(queries, 0.3 if not model.measure.is_distance else 1e5)
                assert graph.shape[1] % size == 0
                if not model.measure.is_distance:
                    found = np.diff(graph.indptr)
                    assert set(found.tolist()) <= {0, size}
                    assert found.sum() == graph.shape[1]
                seen += 1
            return seen

        with ThreadPoolExecutor(8) as pool:
            searches = [pool.submit(search, number) for number in range(8)]
            for batch in range(4, batches):
                model.add(lists[batch * size : (batch + 1) * size])
                model.remove(slice(0, size))
            done.set()
            assert min(each.result() for each in searches) >= 3
        same(model, KendallNeighbors(1, measure).fit(lists[-4 * size :]), queries, 3)


def test_threads_that_add_at_once():
    lists = random_lists(np.random.default_rng(7), 8, 30, 5)
    model = KendallNeighbors(1, RankBiasedOverlap()).fit(lists)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda row: [model.add(lists[row]) for _ in range(20)], range(8)))
    assert model.n_samples_fit_ == len(model.rankings_) == 168
    assert sorted(map(str, model.rankings_.to_lists())) == sorted(21 * [str(each) for each in lists.to_lists()])
