"""`wkendall corr`: what it writes is what the function gives."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import wkendall
from command_line import fails, folder, run  # noqa: F401

NAMES = ["height", "weight, kg", "age"]
DATA = np.array([[1.8, 80, 30], [1.7, 75, 25], [1.6, np.nan, 25], [1.9, 70, 41], [1.5, 60, np.nan]])
EXPECTED = wkendall.corr(DATA, pvalues=True)


@pytest.fixture(autouse=True)
def _table(folder):  # noqa: F811
    frame = pd.DataFrame(DATA, columns=NAMES)
    frame.to_csv("table.csv", index=False)
    frame.assign(name=list("abcde")).to_csv("named.csv", index=False)
    np.save("table.npy", DATA)
    np.savez("table.npz", X=DATA, items=NAMES, y=DATA[:, 0])


def read(name):
    with Path(name).open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["", *[row[0] for row in rows]]
    return header[1:], np.array([[float(cell or "nan") for cell in row[1:]] for row in rows])


def test_csv_with_pvalues(capsys):
    run("corr table.csv -o tau.csv --pvalues")
    for name, expected in (("tau.csv", EXPECTED.statistic), ("tau_pvalues.csv", EXPECTED.pvalue)):
        labels, values = read(name)
        assert labels == NAMES
        np.testing.assert_array_equal(values, expected)
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.split(" in ")[0] == "wrote tau.csv and tau_pvalues.csv: 3 x 3 float64"


def test_other_kinds_of_files():
    run("corr table.npz --array X -o tau.npz --pvalues --alternative less")
    found = np.load("tau.npz")
    assert found["columns"].tolist() == NAMES
    np.testing.assert_array_equal(found["statistic"], EXPECTED.statistic)
    np.testing.assert_array_equal(found["pvalue"], wkendall.corr(DATA, pvalues=True, alternative="less").pvalue)
    run("corr table.npy -o tau.npy --pvalues --jobs 1")
    np.testing.assert_array_equal(np.load("tau.npy"), EXPECTED.statistic)
    np.testing.assert_array_equal(np.load("tau_pvalues.npy"), EXPECTED.pvalue)
    run("corr table.npy -o plain.csv")
    np.testing.assert_allclose(np.loadtxt("plain.csv", delimiter=","), EXPECTED.statistic, rtol=0, atol=0)


def test_columns_that_are_left_out():
    run("corr named.csv -o tau.csv --skip name")
    assert read("tau.csv")[0] == NAMES
    run("corr named.csv -o two.csv --id name --skip age")
    labels, values = read("two.csv")
    assert labels == NAMES[:2]
    np.testing.assert_array_equal(values, EXPECTED.statistic[:2, :2])


def test_against_another_table():
    run("corr table.csv --against named.csv --skip name -o tau.npz")
    np.testing.assert_array_equal(np.load("tau.npz")["statistic"], wkendall.corr(DATA, DATA))
    assert np.load("tau.npz")["columns_against"].tolist() == NAMES


def test_few_common_observations(capsys):
    run("corr table.csv -o - --min-periods 4")
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert rows[0] == ["", *NAMES]
    assert rows[2][3] == ""  # three people have both
    assert rows[1][1] == "1.0"


def test_failures(capsys):
    fails(capsys, "corr table.csv -o tau.txt", "must end in one of .csv, .npy, .npz", 2)
    fails(capsys, "corr table.csv -o - --pvalues", "--pvalues makes a second matrix", 2)
    fails(capsys, "corr table.csv -o tau.csv --alternative less", "--alternative goes with --pvalues", 2)
    fails(capsys, "corr table.csv -o table.csv", "the output table.csv is the input", 2)
    fails(capsys, "corr votes.soc -o tau.csv", "is a PrefLib file", 2)
    fails(capsys, "corr table.npy -o tau.csv --skip a", "--skip goes with CSV files", 2)
    fails(capsys, "corr table.csv -o tau.csv --min-periods x", "must be a whole number from 0", 2)
    fails(
        capsys, "corr named.csv -o tau.csv", "holds 'a', which is not a number; use --skip COLUMN to leave a column out"
    )
    fails(capsys, "corr table.csv -o tau.csv --skip none", "there is no column 'none' to skip")
    fails(capsys, "corr table.csv --against x.csv -o tau.csv", "table.csv has 5 rows, but x.csv has 7")
    fails(capsys, "corr nowhere.csv -o tau.csv", "nowhere.csv")
    Path("tau_pvalues.csv").write_text("mine")
    fails(capsys, "corr table.csv -o tau.csv --pvalues", "tau_pvalues.csv already exists: --force overwrites it")
    run("corr table.csv -o tau.csv --pvalues --force")
