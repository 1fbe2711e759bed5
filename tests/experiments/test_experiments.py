"""The paper's experiment: each measurement is what its description says, and the table has the usual statistics."""

import csv
import errno
import itertools
import json
import math
import multiprocessing
import os
import re
from statistics import NormalDist

import numpy as np
import pytest
import wkendall
from definitions import expected, reduction, tuples
from scipy import stats
from sklearn.svm import SVC
from survey_files import PEOPLE, SMALL, made_up
from wkendall._disk import write_whole
from wkendall.cli import reproduce as command
from wkendall.experiments import METHODS, Protocol, Store, measure, run, summarize
from wkendall.experiments.protocol import COSTS, SPREADS, Sample, draw
from wkendall.experiments.store import settings_of
from wkendall.experiments.table import as_csv, as_text

LEARNED = ("suquan-svd", "alternating", "smooth", "mixture")


def test_the_methods_are_those_of_the_paper_and_more():
    published = [name for name, method in METHODS.items() if method.published]
    assert len(published) == 12
    assert [*METHODS] == [*published, "order-3", "order-3-mult", "mallows", "smooth", "mixture"] == [*command._KERNELS]
    assert command._kernels("paper") == tuple(published)
    assert command._kernels("top-3, average,top-3") == ("top-3", "average")


def test_people_are_drawn_by_class_and_never_twice():
    seen = set()
    for repetition in range(5):
        train, test, folds = draw(PEOPLE.y, SMALL, repetition)
        assert len({*train, *test}) == 60
        assert PEOPLE.y[train].sum() == 20
        assert PEOPLE.y[test].sum() == 10
        assert sorted(np.concatenate(folds)) == list(range(40))
        assert all(len(fold) == 10 and PEOPLE.y[train[fold]].sum() == 5 for fold in folds)
        np.testing.assert_array_equal(train, draw(PEOPLE.y, SMALL, repetition)[0])
        seen.add(tuple(train))
    assert len(seen) == 5
    assert tuple(draw(PEOPLE.y, SMALL._replace(seed=8), 0)[0]) not in seen


def naive_gram(name, rows, lam=None):
    """The kernel by its definition, 1 for each ranking with itself."""
    weight, _, factor = name.partition("-")

    def kernel(s, t):
        if name == "mallows":
            return np.exp(-lam * (15 - expected(s, t, "standard").concordant))
        if weight == "order":
            return float(tuples(s, t, 3, "mult" if "mult" in factor else "standard", None, reduction("hyperbolic", 6)))
        if weight == "top":
            return expected(s, t, "top", int(factor)).concordant
        return expected(s, t, weight, None, reduction(factor, 6) if factor else None).concordant

    values = {(s, t): kernel(s, t) for s in set(rows) for t in set(rows)}
    return np.array([[values[s, t] for t in rows] for s in rows]) / kernel(rows[0], rows[0])


@pytest.mark.parametrize("name", [name for name in METHODS if name not in LEARNED])
def test_a_measurement_is_a_support_vector_machine_for_each_person(name):
    train, test, folds = draw(PEOPLE.y, SMALL, 3)
    people = np.concatenate([train, test])
    X, y, new = PEOPLE.X[people], PEOPLE.y[people], np.arange(40, 60)
    different, which = np.unique(X, axis=0, return_inverse=True)
    candidates = METHODS[name].candidates(Sample(X, y, different, which.ravel()))
    spreads = SPREADS if name == "mallows" else (None,)
    grams = {lam: naive_gram(name, [tuple(row) for row in X.tolist()], lam) for lam in spreads}
    wanted = [{"C": C} if lam is None else {"C": C, "lam": lam} for C in COSTS for lam in spreads]
    assert [candidate.parameters for candidate in candidates] == wanted
    right, compared = [], []
    for parameters, predict in candidates:
        K = grams[parameters.get("lam")]
        hits = []
        for fold in (*folds, new):
            old = np.delete(np.arange(40), fold) if fold is not new else np.arange(40)
            machine = SVC(kernel="precomputed", C=parameters["C"], tol=1e-4).fit(K[np.ix_(old, old)], y[old])
            scores = machine.decision_function(K[np.ix_(fold, old)])
            # Where the score is zero but for rounding, either class will do.
            sure = abs(scores) > 1e-3 * min(1.0, parameters["C"])
            predicted = predict(old, fold)[0]
            np.testing.assert_array_equal(predicted[sure], scores[sure] > 0)
            compared.append(sure.mean())
            hits.append((predicted == y[fold]).sum())
        right.append((sum(hits[:-1]), hits[-1]))
    assert np.mean(compared) > 0.5
    best = int(np.argmax([inside for inside, _ in right]))
    found = measure(PEOPLE.X, PEOPLE.y, SMALL, name, 3)
    assert found.validated == right[best][0] / 40
    assert found.parameters == wanted[best]
    assert found.accuracy == right[best][1] / 20
    assert found.weights is None


def test_suquan_learns_from_the_training_people_only():
    train, test, folds = draw(PEOPLE.y, SMALL, 1)

    def right(old, new, C):
        U = wkendall.suquan_svd(PEOPLE.X[old], PEOPLE.y[old]).U
        machine = SVC(kernel="precomputed", C=C).fit(wkendall.gram_matrix(PEOPLE.X[old], U=U), PEOPLE.y[old])
        return (machine.predict(wkendall.gram_matrix(PEOPLE.X[new], PEOPLE.X[old], U=U)) == PEOPLE.y[new]).sum()

    scores = [sum(right(np.delete(train, fold), train[fold], C) for fold in folds) for C in COSTS]
    found = measure(PEOPLE.X, PEOPLE.y, SMALL, "suquan-svd", 1)
    assert found.validated == max(scores) / 40
    assert found.accuracy == right(train, test, found.parameters["C"]) / 20
    np.testing.assert_allclose(found.weights, wkendall.suquan_svd(PEOPLE.X[train], PEOPLE.y[train]).U, atol=1e-8)


def test_a_mixture_is_learned_from_the_training_people_only():
    train, test, folds = draw(PEOPLE.y, SMALL, 1)

    def right(old, new, C):
        model = wkendall.KernelMixtureClassifier(C=C).fit(PEOPLE.X[old], PEOPLE.y[old])
        return (model.predict(PEOPLE.X[new]) == PEOPLE.y[new]).sum()

    scores = [sum(right(np.delete(train, fold), train[fold], C) for fold in folds) for C in COSTS]
    found = measure(PEOPLE.X, PEOPLE.y, SMALL, "mixture", 1)
    assert found.validated == max(scores) / 40
    assert found.accuracy == right(train, test, COSTS[int(np.argmax(scores))]) / 20


def test_smooth_weights_are_learned_from_the_training_people_only():
    train, test, _ = draw(PEOPLE.y, SMALL, 0)
    found = measure(PEOPLE.X, PEOPLE.y, SMALL, "smooth", 0)
    options = {"C": "auto", "alpha": "auto", "penalty": "smooth", "toward": "auto"}
    model = wkendall.AlternatingClassifier(**options).fit(PEOPLE.X[train], PEOPLE.y[train])
    assert found.accuracy == model.score(PEOPLE.X[test], PEOPLE.y[test])
    assert found.validated == model.validated_
    assert found.parameters == {"C": model.C_, "alpha": model.alpha_}
    np.testing.assert_allclose(found.weights, model.U_)


def test_alternating_steps_learn_from_the_training_people_only():
    found = measure(PEOPLE.X, PEOPLE.y, SMALL, "alternating", 0)
    model = wkendall.AlternatingClassifier(C=found.parameters["C"])
    train, test, _ = draw(PEOPLE.y, SMALL, 0)
    model.fit(PEOPLE.X[train], PEOPLE.y[train])
    assert found.accuracy == model.score(PEOPLE.X[test], PEOPLE.y[test])
    np.testing.assert_allclose(found.weights, model.U_, rtol=1e-6, atol=1e-12)


def test_a_process_that_is_killed_is_told():
    # As many tasks as cannot be done before the end is noticed.
    found = run(PEOPLE.X, PEOPLE.y, SMALL, [("standard", repetition) for repetition in range(1000)], jobs=2)
    next(found)
    multiprocessing.active_children()[0].kill()
    with pytest.raises(ChildProcessError, match="a process of the run was killed, perhaps because memory ran out"):
        list(found)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (Protocol(train=41), "train is 41, but must be an even number of people, half of them of each class"),
        (Protocol(test=0), "test is 0, but must be an even number of people"),
        (Protocol(train=8), "train is 8, but must be at least 10: a person of each class in each of 5 folds"),
        (Protocol(folds=1), "folds is 1, but must be at least 2"),
        (Protocol(train=2000, test=2000), "class 0 has 936 people, but 2000 are needed: half of the 2000 to train"),
    ],
)
def test_a_protocol_that_cannot_be_is_refused(protocol, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        list(run(PEOPLE.X, PEOPLE.y, protocol, [("standard", 0)]))


def naive_wilcoxon(differences):
    """The chance of as large a sum of the ranks of positive differences, by the normal distribution; zeros are left out."""
    sizes = [abs(d) for d in differences if d]
    ranks = {size: sum(other < size for other in sizes) + (sizes.count(size) + 1) / 2 for size in sizes}
    above = sum(ranks[d] for d in differences if d > 0)
    # Each rank counts or not, with equal chances.
    variance = sum(ranks[size] ** 2 for size in sizes) / 4
    return 1 - NormalDist(sum(ranks[size] for size in sizes) / 2, variance**0.5).cdf(above)


def test_the_table_has_the_usual_statistics():
    rng = np.random.default_rng(0)
    accuracies = {name: rng.integers(50, 75, 30) / 100 for name in ("standard", "average", "top-2")}
    rows = summarize([one for name, values in accuracies.items() for one in made_up(name, values)])
    assert [row.mean for row in rows] == sorted((values.mean() for values in accuracies.values()), reverse=True)
    for row in rows:
        values = accuracies[row.kernel]
        assert row.sd == pytest.approx(np.sqrt(((values - values.mean()) ** 2).sum() / 29))
        assert row.paper_mean == METHODS[row.kernel].published.mean
        if row.kernel == "standard":
            assert (row.difference, row.low, row.high, row.p) == (None,) * 4
            continue
        other = stats.ttest_rel(values, accuracies["standard"]).confidence_interval(0.95)
        assert row.difference == pytest.approx((values - accuracies["standard"]).mean())
        assert (row.low, row.high) == pytest.approx((other.low, other.high))
        hundredths = (100 * values).round() - (100 * accuracies["standard"]).round()
        assert row.p == pytest.approx(naive_wilcoxon(hundredths.tolist()))
    lines = list(csv.DictReader(as_csv(rows).splitlines()))
    assert [line["kernel"] for line in lines] == [row.kernel for row in rows]
    assert [float(line["mean"]) for line in lines] == pytest.approx([row.mean for row in rows], rel=1e-5)
    assert len(as_text(rows).splitlines()) == 5


@pytest.mark.parametrize("repeats", [2, 3, 5, 8, 10])
def test_few_repetitions_have_the_exact_p(repeats):
    rng = np.random.default_rng(repeats)
    standard = rng.integers(50, 60, repeats)
    for differences in (np.arange(1, repeats + 1), rng.integers(-4, 6, repeats)):
        rows = summarize(made_up("standard", standard / 100) + made_up("average", (standard + differences) / 100))
        found = next(row.p for row in rows if row.kernel == "average")
        given = [int(d) for d in differences if d]
        ranks = stats.rankdata(np.abs(given))
        sums = [ranks @ signs for signs in itertools.product([0, 1], repeat=len(given))]
        assert found == pytest.approx(np.mean(np.array(sums) >= ranks @ (np.array(given) > 0)))


def test_as_many_right_is_as_good_in_any_order():
    # In floating point (0.1 + 0.2) + 0.3 is more than (0.3 + 0.2) + 0.1.
    rows = summarize(made_up("standard", [0.1, 0.2, 0.3]) + made_up("top-2", [0.3, 0.2, 0.1]))
    assert [row.kernel for row in rows] == ["top-2", "standard"]


def test_a_table_of_what_tells_little():
    rows = summarize(made_up("average", [0.6]))
    assert rows[0][3:9] == (0.6, None, None, None, None, None)
    rows = summarize(made_up("standard", [0.6, 0.7]) + made_up("top-2", [0.6, 0.7]))
    assert rows[0][5:9] == (0.0, None, None, None)  # top-2, which comes first in the list of methods
    assert "nan" not in as_text(rows) + as_csv(rows)


def test_a_store_keeps_what_was_measured(tmp_path):
    settings = settings_of(PEOPLE.X, PEOPLE.y, SMALL, "simulated")
    store = Store(tmp_path / "a/b", settings)
    first, second = made_up("standard", [0.5, 0.6])
    store.add(first)
    store.add(second)
    store.close()
    with pytest.raises(FileExistsError, match="already has results: continue with --resume, or use another folder"):
        Store(tmp_path / "a/b", settings)
    lines = tmp_path / "a/b/measurements.jsonl"
    lines.write_bytes(lines.read_bytes()[:-5])  # as if killed while writing
    store = Store(tmp_path / "a/b", settings, resume=True)
    assert store.chosen(["standard"], 2) == [first]
    assert store.missing(["standard", "top-2"], 2) == [("top-2", 0), ("standard", 1), ("top-2", 1)]
    store.add(second)
    store.close()
    store = Store(tmp_path / "a/b", settings, resume=True)
    assert store.chosen(["standard"], 2) == [first, second]
    assert store.chosen(["standard"], 1) == [first]
    store.close()


def test_a_store_is_not_mixed_up(tmp_path):
    settings = settings_of(PEOPLE.X, PEOPLE.y, SMALL, "simulated")
    Store(tmp_path, settings).close()
    other = settings_of(PEOPLE.X, PEOPLE.y, SMALL._replace(seed=8), "simulated")
    with pytest.raises(ValueError, match="was made with seed = 7, not 8: use the same, or another folder"):
        Store(tmp_path, other, resume=True)
    people = PEOPLE.X.copy()
    people[0] = people[0, ::-1]
    with pytest.raises(ValueError, match="was made with hash = "):
        Store(tmp_path, settings_of(people, PEOPLE.y, SMALL, "simulated"), resume=True)
    Store(tmp_path, settings_of(PEOPLE.X, PEOPLE.y, SMALL, "a file with another name"), resume=True).close()
    whole = made_up("standard", [0.5])[0]
    for damaged in ({"accuracy": None}, {"accuracy": math.nan}, {"validated": "0.5"}, {"seconds": [1]}):
        line = json.dumps(whole._asdict() | damaged)
        (tmp_path / "measurements.jsonl").write_text(line + "\n")
        with pytest.raises(ValueError, match=r"line 1 of .* is damaged: remove the line, and resume"):
            Store(tmp_path, settings, resume=True)
    (tmp_path / "measurements.jsonl").write_text('{"kernel": "standard"}\n')
    with pytest.raises(ValueError, match=r"line 1 of .* is damaged: remove the line, and resume"):
        Store(tmp_path, settings, resume=True)
    for damaged in ("{", "3"):
        (tmp_path / "settings.json").write_text(damaged)
        with pytest.raises(ValueError, match="is damaged: use another folder"):
            Store(tmp_path, settings, resume=True)
    (tmp_path / "settings.json").unlink()
    with pytest.raises(FileExistsError, match=r"has no settings.json beside it: use another folder"):
        Store(tmp_path, settings, resume=True)


def test_files_of_others_are_not_overwritten(tmp_path):
    (tmp_path / "table.csv").write_text("mine")
    with pytest.raises(FileExistsError, match=r"table.csv already exists, but is not from a run: use another folder"):
        Store(tmp_path, settings_of(PEOPLE.X, PEOPLE.y, SMALL, "simulated"))
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
    assert (tmp_path / "table.csv").read_text() == "mine"
    with pytest.raises(FileExistsError, match=r"table.csv is a file, but the results need a folder"):
        Store(tmp_path / "table.csv", settings_of(PEOPLE.X, PEOPLE.y, SMALL, "simulated"))


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write_whole(tmp_path / "a", "one")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(tmp_path / "a", "two")
    assert caught.value.filename == str(tmp_path / "a")
    assert str(caught.value).endswith(f"{str(tmp_path / 'a')!r}")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "one"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "none/b", "one")
    assert caught.value.filename == str(tmp_path / "none/b")
