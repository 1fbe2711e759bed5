"""`wkendall cluster`: what it prints is what `cluster_number` and `KendallKMeans` give."""

import json
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import fails, folder, run, without_sizes, write_table  # noqa: F401
from wkendall.datasets import make_mallows

ITEMS = ["ant", "bee", "cat", "dog", "eel"]
X = np.concatenate([make_mallows(40, [1, 2, 3, 4, 5], 3.0, rng=0), make_mallows(20, [5, 4, 3, 2, 1], 3.0, rng=1)])
WEIGHTS = np.arange(1, 61) / 8


@pytest.fixture(autouse=True)
def table(folder):  # noqa: F811
    write_table(Path("votes.csv"), X, ITEMS, w=WEIGHTS)


def reported(capsys, words):
    run(f"cluster {words} --json")
    shown = capsys.readouterr()
    assert without_sizes(shown.err) == ""
    return json.loads(shown.out)


@pytest.mark.parametrize(
    ("words", "kernel", "weights"),
    [
        ("--skip w", None, None),
        ("--weights w", None, WEIGHTS),
        ("--skip w --clusters 3 --weight add --u log", wkendall.Kendall("add", u="log"), None),
        ("--skip w --lam 0.3", wkendall.Mallows(0.3), None),
    ],
)
def test_clusters(words, kernel, weights, capsys):
    report = reported(capsys, f"votes.csv {words} --seed 3")
    number = wkendall.cluster_number(X, kernel, sample_weight=weights, rng=3)
    clusters = 3 if "--clusters" in words else number.n_clusters
    model = wkendall.KendallKMeans(clusters, kernel, random_state=3).fit(X, sample_weight=weights)
    labels = np.array(report["labels"])
    each = np.ones(60) if weights is None else weights
    sizes = [each[labels == one].sum() for one in range(1, clusters + 1)]
    assert [one["size"] for one in report["clusters"]] == pytest.approx(sizes)
    assert sizes == sorted(sizes, reverse=True)
    assert len({*zip(labels, model.labels_, strict=True)}) == clusters
    orders = wkendall.Rankings(model.consensus(rng=3), items=ITEMS).to_lists()
    assert sorted(one["order"] for one in report["clusters"]) == sorted(orders)
    assert ("gap" in report) == ("--clusters" not in words)
    if "gap" in report:
        assert (report["gap"], report["error"]) == (number.gap.tolist(), number.error.tolist())


def test_what_is_printed(capsys):
    run("cluster votes.csv --skip w -o found.csv")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "wrote found.csv: 60 rankings in 2 clusters",
        "there seem to be 2 clusters: one more would bring little",
    ]
    assert lines[-2:] == [
        "cluster 1, 40 people, 67%: ant > bee > cat > dog > eel",
        "cluster 2, 20 people, 33%: eel > dog > cat > bee > ant",
    ]
    written = Path("found.csv").read_text().splitlines()
    assert written[0] == "row,cluster"
    assert [line.split(",")[1] for line in written[1:]] == ["1"] * 40 + ["2"] * 20
    run("cluster votes.csv --skip w --clusters 1 -o -")
    assert capsys.readouterr().out.splitlines()[:2] == ["row,cluster", "0,1"]


def test_numbers_of_voters(capsys):
    report = reported(capsys, "votes.toi --clusters 1")
    assert report["clusters"][0]["size"] == wkendall.read_preflib("votes.toi").counts.sum()


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        ("votes.csv --skip w --order 3", "--order is 3, but consensus is for pairs of items", 1),
        ("votes.csv --skip w --clusters 61", "n_clusters is 61, but n_samples=60", 1),
        ("votes.toi --weights w", "--weights goes with CSV and .npz files", 2),
        ("votes.csv --skip w -o found.txt", "the name of the output must end in .csv", 2),
    ],
)
def test_failures(words, said, code, capsys):
    fails(capsys, f"cluster {words}", said, code)
