"""The paper's experiment: each measurement is what its description says, and a run gives the same however it came about."""

import csv
import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import wkendall
from definitions import expected, reduction
from scipy import stats
from sklearn.svm import SVC
from wkendall.cli import main
from wkendall.datasets import make_survey
from wkendall.experiments import METHODS, Measurement, Protocol, Store, measure, run, summarize
from wkendall.experiments import store as stores
from wkendall.experiments.protocol import COSTS, SPREADS, draw
from wkendall.experiments.store import settings_of
from wkendall.experiments.table import as_csv, as_text

PEOPLE = make_survey(2000, rng=1)
SMALL = Protocol(train=40, test=20, folds=4, seed=7)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(wkendall.__file__).resolve().parents[1])}


def test_the_methods_are_those_of_the_paper_and_more():
    published = {name: method.published.mean for name, method in METHODS.items() if method.published}
    assert len(published) == 12
    assert max(published, key=published.get) == "average"
    assert min(published, key=published.get) == "top-2"
    assert {"order-3", "order-3-mult", "mallows"} == METHODS.keys() - published.keys()


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


def naive_kernel(name, s, t):
    """The kernel by its definition, but for a factor."""
    weight, _, factor = name.partition("-")
    if weight == "top":
        return expected(s, t, "top", int(factor)).concordant
    return expected(s, t, weight, None, reduction(factor, 6) if factor else None).concordant


@pytest.mark.parametrize("name", ["top-3", "standard", "average", "add-log", "mult-hyperbolic"])
def test_a_measurement_is_a_support_vector_machine_for_each_person(name):
    train, test, folds = draw(PEOPLE.y, SMALL, 3)

    def right(old, new, C):
        rows = PEOPLE.X[old].tolist()
        size = naive_kernel(name, rows[0], rows[0])
        gram = [[naive_kernel(name, s, t) / size for t in rows] for s in rows]
        between = [[naive_kernel(name, s, t) / size for t in rows] for s in PEOPLE.X[new].tolist()]
        machine = SVC(kernel="precomputed", C=C).fit(gram, PEOPLE.y[old])
        return (machine.predict(between) == PEOPLE.y[new]).sum()

    scores = [sum(right(np.delete(train, fold), train[fold], C) for fold in folds) for C in COSTS]
    C = COSTS[int(np.argmax(scores))]
    found = measure(PEOPLE.X, PEOPLE.y, SMALL, name, 3)
    assert found.validated == max(scores) / 40
    assert found.parameters == {"C": C}
    assert found.accuracy == right(train, test, C) / 20
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


def test_the_other_methods_are_measured_too():
    found = {name: measure(PEOPLE.X, PEOPLE.y, SMALL, name, 0) for name in ("alternating", "mallows", "order-3-mult")}
    model = wkendall.AlternatingClassifier(C=found["alternating"].parameters["C"])
    train, test, _ = draw(PEOPLE.y, SMALL, 0)
    model.fit(PEOPLE.X[train], PEOPLE.y[train])
    assert found["alternating"].accuracy == model.score(PEOPLE.X[test], PEOPLE.y[test])
    assert found["mallows"].parameters["lam"] in SPREADS
    assert all(0.2 < one.accuracy < 1 for one in found.values())


def test_processes_measure_the_same():
    tasks = [(name, repetition) for repetition in range(2) for name in ("standard", "suquan-svd")]

    def without_time(found):
        return sorted((one._replace(seconds=0.0) for one in found), key=lambda one: (one.kernel, one.repetition))

    here = without_time(run(PEOPLE.X, PEOPLE.y, SMALL, tasks, jobs=1))
    assert here == without_time(run(PEOPLE.X, PEOPLE.y, SMALL, tasks, jobs=2))
    assert [(one.kernel, one.repetition) for one in here] == sorted(tasks)


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (Protocol(train=41), "train is 41, but must be an even number of people, half of them of each class"),
        (Protocol(test=0), "test is 0, but must be an even number of people"),
        (Protocol(train=4, folds=5), "folds is 5, but must be from 2 to half of train, 2"),
        (
            Protocol(train=2000, test=2000),
            "class 0 has 936 people, but 2000 are needed: half of train=2000 and of test=2000",
        ),
    ],
)
def test_a_protocol_that_cannot_be_is_refused(protocol, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        list(run(PEOPLE.X, PEOPLE.y, protocol, [("standard", 0)]))


def made_up(kernel, accuracies):
    return [Measurement(kernel, i, accuracy, 0.6, {"C": 1.0}, 0.1, None) for i, accuracy in enumerate(accuracies)]


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
        assert row.p == pytest.approx(stats.wilcoxon(hundredths, alternative="greater", method="approx").pvalue)
    lines = list(csv.DictReader(as_csv(rows).splitlines()))
    assert [line["kernel"] for line in lines] == [row.kernel for row in rows]
    assert [float(line["mean"]) for line in lines] == pytest.approx([row.mean for row in rows], rel=1e-5)
    assert len(as_text(rows).splitlines()) == 5


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
    with pytest.raises(FileExistsError, match="has results already: go on with --resume, or use another folder"):
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
    (tmp_path / "measurements.jsonl").write_text('{"kernel": "standard"}\n')
    with pytest.raises(ValueError, match=r"line 1 of .* is damaged: remove the line, and resume"):
        Store(tmp_path, settings, resume=True)
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(ValueError, match="is damaged: use another folder"):
        Store(tmp_path, settings, resume=True)


FEW = ["reproduce", "--train", "40", "--test", "20", "--kernels", "standard,average,suquan-svd"]


def reproduce(folder, *more, kernels=FEW):
    return main([*kernels, "--out", str(folder), *more])


def results(folder):
    return (folder / "table.csv").read_text()


def test_the_same_table_for_any_number_of_processes(tmp_path, capsys):
    assert reproduce(tmp_path / "one", "--repeats", "4", "--jobs", "1") == 0
    said = capsys.readouterr()
    assert "average" in said.out
    assert "paper: mean ± SD" in said.out
    assert said.out.endswith(f"report: {tmp_path / 'one' / 'report.html'}\n")
    assert "12 of 12 measurements" in said.err
    assert reproduce(tmp_path / "two", "--repeats", "4", "--jobs", "2") == 0
    assert results(tmp_path / "one") == results(tmp_path / "two")
    assert reproduce(tmp_path / "other", "--repeats", "4", "--seed", "1", "--no-progress") == 0
    assert results(tmp_path / "one") != results(tmp_path / "other")


def test_a_run_can_be_extended(tmp_path, monkeypatch):
    assert reproduce(tmp_path / "whole", "--repeats", "3", "--jobs", "1") == 0
    assert reproduce(tmp_path / "parts", "--repeats", "1", "--jobs", "1") == 0
    added = []
    add = Store.add
    monkeypatch.setattr(Store, "add", lambda self, one: (added.append(one[:2]), add(self, one)))
    assert reproduce(tmp_path / "parts", "--repeats", "3", "--jobs", "1", "--resume") == 0
    assert (
        sorted(set(added))
        == sorted(added)
        == [(kernel, repetition) for kernel in ("average", "standard", "suquan-svd") for repetition in (1, 2)]
    )
    assert results(tmp_path / "whole") == results(tmp_path / "parts")
    assert reproduce(tmp_path / "parts", "--repeats", "3", "--resume") == 0
    assert len(added) == 6
    assert results(tmp_path / "whole") == results(tmp_path / "parts")


def processes_of(marker):
    """Processes with this in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on(how, tmp_path):
    marker = f"WKENDALL_TEST={tmp_path}"
    environment = {**ENVIRONMENT, "WKENDALL_TEST": str(tmp_path)}
    command = [sys.executable, "-m", "wkendall", *FEW, "--repeats", "8", "--jobs", "2", "--out", str(tmp_path / "a")]
    # A group of its own, as a terminal gives it: Ctrl-C reaches the processes of the pool, too.
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True)
    lines = tmp_path / "a/measurements.jsonl"
    end = time.monotonic() + 60
    while not (lines.exists() and lines.read_bytes().count(b"\n") >= 3) and time.monotonic() < end:
        time.sleep(0.01)
    if how == signal.SIGKILL:
        process.kill()
    else:
        os.killpg(process.pid, how)
    said = process.communicate(timeout=30)[1]
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert re.search(
            r"(\d+) measurements are kept in .*: --resume goes on from there\nwkendall: interrupted\n$", said
        )
        assert "Traceback" not in said
    while processes_of(marker) and time.monotonic() < end:
        time.sleep(0.05)
    assert not processes_of(marker)
    assert not (tmp_path / "a/table.csv").exists()
    assert 3 <= lines.read_bytes().count(b"\n") < 24
    assert main([*command[3:], "--resume"]) == 0
    assert reproduce(tmp_path / "b", "--repeats", "8", "--jobs", "1") == 0
    assert results(tmp_path / "a") == results(tmp_path / "b")


class Page(HTMLParser):
    """Counts what a page has and notes what it would fetch."""

    def __init__(self):
        super().__init__()
        self.tags, self.fetched, self.open = {}, [], []

    def handle_starttag(self, tag, attributes):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag not in ("meta", "path", "use", "rect", "line", "image"):
            self.open.append(tag)
        self.fetched += [
            value
            for name, value in attributes
            if name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:"))
        ]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()


def test_the_report_has_everything_on_one_page(tmp_path):
    kernels = ["reproduce", "--train", "40", "--test", "20", "--kernels", "standard,suquan-svd,alternating"]
    assert reproduce(tmp_path, "--repeats", "2", kernels=kernels) == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert not page.open
    assert not page.fetched
    assert page.tags["svg"] == 4
    assert page.tags["table"] == 4
    assert "@import" not in text
    assert "age 40 and over, not over 40" in text
    for label in ("standard (top-6)", "learned, SUQUAN-SVD", "learned, alternating"):
        assert f"<td>{label}</td>" in text
    for name in ("accuracies", "reduction_factors", "weights_suquan-svd", "weights_alternating"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    described = json.loads((tmp_path / "table.json").read_text())
    assert described["settings"]["train"] == 40
    assert described["versions"]["wkendall"] == wkendall.__version__
    assert {row["kernel"] for row in described["rows"]} == {"standard", "suquan-svd", "alternating"}
    assert set(described["seconds_by_kernel"]) == {"standard", "suquan-svd", "alternating"}


def test_failures_are_one_line(tmp_path, capsys):
    def said(*words, code=1):
        assert main(["reproduce", *words]) == code
        lines = capsys.readouterr().err.splitlines()
        assert "Traceback" not in "\n".join(lines)
        return lines[-1]

    out = ("--out", str(tmp_path / "out"))
    (tmp_path / "table.csv").write_text("TV,radio\n1,2\n")
    assert "SEX" in said("--data", str(tmp_path / "table.csv"), *out)
    assert "none.csv" in said("--data", str(tmp_path / "none.csv"), *out)
    assert not (tmp_path / "out").exists()
    assert said("--train", "41", *out).startswith("wkendall: train is 41, but must be an even number")
    assert said("--train", "40000", *out).startswith("wkendall: class 0 has 5716 people, but 20050 are needed")
    (tmp_path / "file").write_text("")
    assert str(tmp_path / "file/sub") in said("--out", str(tmp_path / "file/sub"))
    assert "'first' is none of all, paper, top-2" in said("--kernels", "first", code=2)
    assert "--jobs: 0 must be at least 1" in said("--jobs", "0", code=2)
    assert "must be a whole number from 1" in said("--repeats", "0", code=2)


def test_without_matplotlib_nothing_is_started(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert reproduce(tmp_path / "out") == 1
    assert capsys.readouterr().err == "wkendall: pictures need matplotlib: pip install 'wkendall[plot]'\n"
    assert not (tmp_path / "out").exists()


def test_a_full_disk_keeps_what_was_finished(tmp_path, monkeypatch, capsys):
    written = []

    def full(handle):
        written.append(handle)
        if len(written) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(stores.os, "fsync", full)
        assert reproduce(tmp_path, "--repeats", "2", "--jobs", "1") == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-2].startswith("2 measurements are kept")
    assert said[-1].endswith("No space left on device")
    assert reproduce(tmp_path, "--repeats", "2", "--jobs", "1", "--resume") == 0
    assert len(results(tmp_path).splitlines()) == 4
