"""`wkendall corr`: what it writes is what the function gives."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import wkendall
from command_line import fails, folder, run, without_sizes  # noqa: F401

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
    assert without_sizes(shown.err) == ""
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


def test_columns_that_are_chosen():
    run("corr named.csv -o tau.csv --items 'age,height'")
    labels, values = read("tau.csv")
    assert labels == ["age", "height"]
    np.testing.assert_array_equal(values, EXPECTED.statistic[np.ix_([2, 0], [2, 0])])
    run("corr named.csv -o two.csv --skip 'name,\"weight, kg\"'")
    assert read("two.csv")[0] == ["height", "age"]
    pd.DataFrame(DATA, columns=["a", "b", "c"]).to_csv("other.csv", index=False)
    run("corr table.csv --against other.csv --items height,age,b -o both.npz")
    np.testing.assert_array_equal(np.load("both.npz")["statistic"], EXPECTED.statistic[[0, 2], 1:2])


def test_a_table_to_read(capsys):
    run("corr table.csv --pvalues")
    assert capsys.readouterr().out.splitlines() == [
        "Kendall's tau-b  height  weight, kg     age",
        f"height            1.000       {EXPECTED.statistic[0, 1]:.3f}  {EXPECTED.statistic[0, 2]:6.3f}",
        f"weight, kg        {EXPECTED.statistic[0, 1]:.3f}       1.000  {EXPECTED.statistic[1, 2]:6.3f}",
        f"age               {EXPECTED.statistic[0, 2]:.3f}      {EXPECTED.statistic[1, 2]:6.3f}   1.000",
        "",
        "p-values    height  weight, kg    age",
        *(
            f"{name:10}  {row[0]:6.3f}  {row[1]:10.3f}  {row[2]:.3f}"
            for name, row in zip(NAMES, EXPECTED.pvalue.tolist(), strict=True)
        ),
    ]
    run("corr table.npy --against one.npy") if Path("one.npy").exists() else np.save("one.npy", DATA[:, 0])
    run("corr table.npy --against one.npy --min-periods 5")
    out = capsys.readouterr().out.splitlines()
    assert out == ["Kendall's tau-b      1", "1                1.000", "2", "3"]
    assert not list(Path().glob("*tau*"))


def test_methods_intervals_and_weights(capsys):
    run("corr table.csv --method spearman --confidence 0.9 -o rho.csv")
    expected = wkendall.corr(DATA, method="spearman", confidence=0.9)
    for name, part in (("rho.csv", expected.statistic), ("rho_low.csv", expected.low), ("rho_high.csv", expected.high)):
        np.testing.assert_array_equal(read(name)[1], part)
    capsys.readouterr()
    fails(
        capsys,
        "corr table.csv -o rho.csv",
        "rho_low.csv has the ends of intervals that would not belong to the new rho.csv",
    )
    run("corr table.csv -o rho.csv --force")
    assert not Path("rho_low.csv").exists()
    capsys.readouterr()
    run("corr table.csv --method somers --weights height --confidence 0.9")
    shown = capsys.readouterr().out.splitlines()
    firsts = [line.split()[0] for line in shown if line]
    assert firsts == ["Somers'", "weight,", "age", "from", "weight,", "age", "to", "weight,", "age"]
    fails(capsys, "corr table.csv --weights no", "there is no column 'no' of weights in table.csv: it has 'height'")


def test_pairs_and_networks(capsys):
    run("corr table.csv --at-least 0.5 --pvalues -o network.csv")
    rows = list(csv.DictReader(Path("network.csv").read_text().splitlines()))
    assert [(row["i"], row["j"]) for row in rows] == [("height", "age")]
    assert float(rows[0]["statistic"]) == EXPECTED.statistic[0, 2]
    assert float(rows[0]["pvalue"]) == EXPECTED.pvalue[0, 2]
    assert rows[0]["n"] == "4"
    Path("pairs.csv").write_text('age,height\n"weight, kg",age\n')
    capsys.readouterr()
    run("corr table.csv --pairs pairs.csv")
    lines = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert [line[:2] for line in lines] == [["i", "j"], ["age", "height"], ["weight, kg", "age"]]
    np.testing.assert_allclose([float(line[2]) for line in lines[1:]], EXPECTED.statistic[[2, 1], [0, 2]], atol=1e-15)
    Path("pairs.csv").write_text("age,no\n")
    fails(capsys, "corr table.csv --pairs pairs.csv", "pairs.csv, line 1 names 'no', but table.csv has no such column")
    Path("latin.csv").write_text("caf\xe9,th\xe9\n1,2\n2,1\n3,3\n", encoding="latin-1")
    Path("pairs.csv").write_text("th\xe9, caf\xe9\n", encoding="latin-1")
    capsys.readouterr()
    run("corr latin.csv --pairs pairs.csv --encoding latin-1")
    assert capsys.readouterr().out.splitlines()[1].startswith("th\xe9,caf\xe9,")
    np.savez("latin.npz", X=DATA[:, :2], items=["caf\xe9", "th\xe9"])
    run("corr latin.npz --pairs pairs.csv --encoding latin-1")
    assert capsys.readouterr().out.splitlines()[1].startswith("th\xe9,caf\xe9,")
    fails(capsys, "corr latin.npz --pairs pairs.csv", "--encoding cp1252 reads files from older programs on Windows")
    fails(capsys, "corr table.csv --pairs pairs.csv --at-least 1", "--at-least and --pairs do not go together", 2)


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
    fails(capsys, "corr table.csv -o tau.csv --items height,none", "no column 'none' to read in table.csv: it has")
    fails(capsys, "corr table.csv -o tau.txt", "must end in one of .csv, .npy, .npz", 2)
    fails(capsys, "corr table.csv -o - --pvalues", "--pvalues makes a second matrix", 2)
    fails(capsys, "corr table.csv -o tau.csv --alternative less", "--alternative goes with --pvalues", 2)
    fails(capsys, "corr table.csv -o table.csv", "the output table.csv is the input", 2)
    fails(capsys, "corr votes.soc -o tau.csv", "is a PrefLib file", 2)
    fails(capsys, "corr table.npy -o tau.csv --skip a", "--skip goes with CSV files", 2)
    fails(capsys, "corr table.csv -o tau.csv --min-periods x", "must be a whole number from 0", 2)
    fails(capsys, "corr named.csv -o tau.csv", "holds 'a', which is not a number; use --skip COLUMN to leave a column")
    fails(capsys, "corr table.csv -o tau.csv --skip none", "there is no column 'none' to skip in table.csv: it has")
    fails(capsys, "corr named.csv -o tau.csv --skip nmae", "there is no column 'nmae' to skip in named.csv: it has")
    fails(capsys, "corr table.csv --against named.csv -o tau.csv --skip no", "'no' to skip in table.csv and named.csv")
    fails(capsys, "corr table.csv -o tau.csv --skip 9", "there is no column '9' to skip in table.csv")
    fails(capsys, "corr table.csv --against x.csv -o tau.csv", "table.csv has 5 rows, but x.csv has 7")
    fails(capsys, "corr nowhere.csv -o tau.csv", "nowhere.csv")
    Path("tau_pvalues.csv").write_text("mine")
    fails(capsys, "corr table.csv -o tau.csv --pvalues", "tau_pvalues.csv already exists: --force overwrites it")
    run("corr table.csv -o tau.csv --pvalues --force")


def test_numbers_are_read_as_a_data_frame_has_them():
    rng = np.random.default_rng(0)
    places = rng.permutation(12)
    columns = {
        "large": [2**53 + int(place) for place in places],
        "huge": [10**30 + int(place) for place in places],
        "mixed": [2**53 + int(place) if place % 2 else float(place) for place in places],
        "flag": [bool(place % 3) for place in places],
        "endless": [np.inf if place == 3 else -np.inf if place == 7 else place / 7 for place in places],
        "gaps": [2**60 + int(place) if place % 4 else None for place in places],
        "null": [None if place % 5 else bool(place % 2) for place in places],
        "float": rng.normal(size=12),
    }
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    frame.to_csv("numbers.csv", index=False)
    run("corr numbers.csv -o tau.csv --pvalues")
    found = wkendall.corr(frame, pvalues=True)
    for name, expected in (("tau.csv", found.statistic), ("tau_pvalues.csv", found.pvalue)):
        labels, values = read(name)
        assert labels == list(columns)
        np.testing.assert_array_equal(values, expected)
    assert abs(found.statistic.loc["large", "huge"]) == 1.0
    Path("plain.csv").write_text(
        "True,NA,3\nfalse,inf,null\nTRUE,-Infinity,<NA>\n1e3,None,n/a\n".replace("1e3", "False")
    )
    run("corr plain.csv -o plain.npy --no-header")
    expected = wkendall.corr([[1, np.nan, 3], [0, np.inf, np.nan], [1, -np.inf, np.nan], [0, np.nan, np.nan]])
    np.testing.assert_array_equal(np.load("plain.npy"), expected)


def test_long_numbers():
    Path("long.csv").write_text("x,y\n" + f"1{'0' * 5000},1\n1{'0' * 4999}1,2\n-{'9' * 40},0\n0.5,0.5\n")
    run("corr long.csv -o tau.npy")
    np.testing.assert_array_equal(np.load("tau.npy"), [[1, 1], [1, 1]])


def test_one_column():
    np.save("one.npy", DATA[:, 0])
    np.savez("one.npz", X=DATA[:, 0], items=["height"])
    run("corr one.npy --against table.npy -o tau.npy")
    np.testing.assert_array_equal(np.load("tau.npy"), EXPECTED.statistic[:1])
    run("corr table.csv --against one.npz -o tau.npz")
    np.testing.assert_array_equal(np.load("tau.npz")["statistic"], EXPECTED.statistic[:, :1])
    assert np.load("tau.npz")["columns_against"].tolist() == ["height"]


def test_old_pvalues_do_not_stay(capsys):
    run("corr table.csv -o tau.csv --pvalues")
    capsys.readouterr()
    fails(capsys, "corr table.npy -o tau.csv", "tau_pvalues.csv has p-values that would not belong to the new tau.csv")
    Path("tau.csv").unlink()
    fails(capsys, "corr table.npy -o tau.csv", "--force removes it")
    run("corr table.csv -o tau.csv --force")
    assert not Path("tau_pvalues.csv").exists()
    capsys.readouterr()
    np.save("x_pvalues.npy", DATA)
    fails(capsys, "corr x_pvalues.npy -o x.npy --force", "the output x_pvalues.npy is the input x_pvalues.npy", 2)
    run("corr table.csv -o tau.npz --pvalues")
    run("corr table.csv -o tau.npz --force")


def test_messages_speak_of_tables(capsys):
    Path("mixed.csv").write_text("x,y\n1,True\n2,3\n")
    Path("turned.csv").write_text("x,y\n1,3\n2,True\n")
    Path("large.csv").write_text("x,y\n1,3\n2,1e400\n")
    Path("names.csv").write_text("x,y\n")
    Path("index.csv").write_text(",x\n0,1\n1,2\n")
    Path("empty.csv").write_text("")
    np.save("deep.npy", np.zeros((2, 2, 2)))
    np.save("texts.npy", np.array([["a", "b"]]))
    np.savez("several.npz", a=DATA, b=DATA)
    np.savez("named.npz", X=DATA, items=["a"])
    table = pd.DataFrame(DATA, columns=NAMES)
    table.assign(name=list("abdce")).to_csv("other.csv", index=False)
    for words, message in [
        ("mixed.csv", "mixed.csv, line 3: column 2, 'y', holds '3', but True in line 2: a column has numbers, or"),
        ("turned.csv", "turned.csv, line 3: column 2, 'y', holds 'True', which is not a number"),
        ("large.csv", "large.csv, line 3: column 2, 'y', holds '1e400', which is too large for a double"),
        ("names.csv", "the names of the columns are the only row: there must be observations after them"),
        (
            "index.csv",
            "column 1 has no name, but every column must be a variable: leave out row numbers; --skip 1 leaves it out",
        ),
        ("empty.csv", "empty.csv, line 1: the file is empty"),
        ("table.csv --skip 1 --skip 2 --skip 3", "every column is skipped or not a variable: no columns are left"),
        ("deep.npy", "deep.npy has an array of shape (2, 2, 2), but must have two axes, one observation a row, or"),
        ("texts.npy", "texts.npy: column 0 holds 'a' in row 0, a text, but correlations need numbers"),
        ("several.npz", "--array says which has the table"),
        ("named.npz", "the array 'items' has shape (1,) and dtype <U1, but must have a name for each column"),
        ("table.json", "table.json: the name of a file with a table must end in one of .csv, .tsv, .txt, .npy, .npz"),
        ("named.csv --id name --against other.csv", "other.csv, line 4: the observation is 'd', but 'c' in"),
    ]:
        assert message in failure(f"corr {words} -o tau.csv", capsys)


def failure(words, capsys):
    """Return what a command says that fails; it says nothing of rankings."""
    run(words, 1)
    said = capsys.readouterr().err
    assert not any(word in said.replace("'items'", "") for word in ("ranking", "--layout", "item")), said
    return said
