"""PrefLib files straight in: ties and missing items are taken as the kind of the file allows them, without an option."""

import json
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import SOC, fails, folder, run  # noqa: F401

ORDERS = {"soc": "3,1,2", "soi": "3,1", "toc": "{3,1},2", "toi": "{3,1}"}
READ = {
    "soc": {},
    "soi": {"missing": "bottom"},
    "toc": {"ties": "mean"},
    "toi": {"ties": "mean", "missing": "bottom"},
}
ROWS = {
    "soc": [[1, 2, 3], [2, 3, 1]],
    "soi": [[1, 2, 3], [2, np.nan, 1]],
    "toc": [[1, 2, 3], [1, 3, 1]],
    "toi": [[1, 2, 3], [1, np.nan, 1]],
}


@pytest.fixture(autouse=True)
def _files(folder):  # noqa: F811
    for kind, order in ORDERS.items():
        text = SOC.replace("soc", kind).replace("3,1,2", order)
        Path(f"a.{kind}").write_text(text)
        Path(f"b.{kind}").write_text(text.replace("4: 1", "1: 1").replace(f"2: {order}", f"5: {order}"))


@pytest.mark.parametrize("kind", ORDERS)
def test_every_command(kind, capsys):
    rows, how = np.array(ROWS[kind]), READ[kind]
    run(f"compare a.{kind} b.{kind} --permutations 99 --json")
    report = json.loads(capsys.readouterr().out)
    groups = (wkendall.Rankings(rows, counts=counts, **how) for counts in ([4, 2], [1, 5]))
    result = wkendall.two_sample_test(*groups, n_permutations=99, rng=0)
    assert (report["statistic"], report["pvalue"]) == pytest.approx(tuple(result), rel=1e-12)
    run(f"gram a.{kind} -o gram.npz --signed --normalize")
    expected = wkendall.gram_matrix(rows, signed=True, normalize=True, **how)
    np.testing.assert_allclose(np.load("gram.npz")["K"], expected, rtol=1e-15)
    run(f"neighbors a.{kind} -n 1 -o near.npz --metric distance")
    found = wkendall.neighbors(wkendall.Rankings(rows, **how), n_neighbors=1)
    np.testing.assert_array_equal(np.load("near.npz")["values"], found.values)
    run(f"consensus a.{kind} --format json -o best.json")
    best = wkendall.consensus(wkendall.Rankings(rows, counts=[4, 2], **how))
    assert json.loads(Path("best.json").read_text())["score"] == pytest.approx(best.score)


def test_kinds_that_differ():
    run("neighbors a.soc b.toi -n 1 -o near.npz")
    x, y = (wkendall.Rankings(np.array(ROWS[kind], dtype=float), **READ["toi"]) for kind in ("soc", "toi"))
    found = wkendall.neighbors(x, y, n_neighbors=1)
    np.testing.assert_array_equal(np.load("near.npz")["values"], found.values)


def test_what_is_said_counts(capsys):
    fails(capsys, "compare a.toi b.toi --missing error", "a.toi: line 9 leaves out item 'b'")
    fails(capsys, "gram a.toc -o gram.npy --ties error", "a.toc: line 9 holds 1 twice")
    run("gram a.soi -o gram.npy --missing anywhere")
    np.testing.assert_array_equal(np.load("gram.npy"), wkendall.gram_matrix(ROWS["soi"], missing="anywhere"))
