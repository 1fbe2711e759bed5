"""The command line: what it writes is what the functions give, and whatever goes wrong is one line and an exit code."""

import csv
import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from wkendall import _core, cli
from wkendall.cli import gram, info, learn, main

N, M = 5, 7
X = random_rankings(np.random.default_rng(0), M, N)
Y = random_rankings(np.random.default_rng(1), 3, N)
ITEMS = ["tea", "coffee", "milk", "juice", "water, still"]
#: For processes: they work in another folder, and are to find the same package.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(wkendall.__file__).resolve().parents[1])}
SOC = """\
# DATA TYPE: soc
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 6
# NUMBER UNIQUE ORDERS: 2
# ALTERNATIVE NAME 1: a
# ALTERNATIVE NAME 2: b
# ALTERNATIVE NAME 3: c
4: 1,2,3
2: 3,1,2
"""
TOI = SOC.replace("soc", "toi").replace("3,1,2", "{3,1}")


def write_table(path, rows, names=(), **columns):
    """Write a CSV file with columns in front."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if names:
            writer.writerow([*columns, *names])
        for index, row in enumerate(rows):
            writer.writerow([*(cells[index] for cells in columns.values()), *row])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder to work in, with files of the same rankings."""
    monkeypatch.chdir(tmp_path)
    write_table(Path("x.csv"), X, ITEMS)
    write_table(Path("y.csv"), Y, ITEMS)
    write_table(Path("votes.csv"), X, ITEMS)
    np.save("x.npy", X)
    np.save("y.npy", Y)
    np.savez("x.npz", X=X, other=Y)
    Path("votes.soc").write_text(SOC)
    Path("votes.toi").write_text(TOI)
    return tmp_path


def run(words, code=0):
    assert main(shlex.split(words)) == code


def fails(capsys, words, message, code=1):
    """Check that a command fails with one line and leaves the folder as it was."""
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    assert main(shlex.split(words) if isinstance(words, str) else words) == code
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("wkendall: ")
    assert message in lines[0]
    assert lines[0].endswith(" --help says more)") == (code == 2)


def started(words, **how):
    """Start the command as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "wkendall", *shlex.split(words)],
        stdout=how.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        text=True,
        **how,
    )


# What gram writes.

U = np.random.default_rng(2).standard_normal((N, N))
U3 = np.random.default_rng(3).standard_normal((N, N, N))
W = np.einsum("ab,cd->abcd", np.triu(U, 1), np.triu(U, 1))
KERNELS = {
    "": {},
    "--weight standard": {"weight": "standard"},
    "--weight average --signed": {"weight": "average", "signed": True},
    "--weight top --k 3": {"weight": "top", "k": 3},
    "--weight add --u hyperbolic": {"weight": "add", "u": "hyperbolic"},
    "--weight mult --u log --normalize": {"weight": "mult", "u": "log", "normalize": True},
    "--weight mult --u 5,4,3.5,1e-1,0": {"weight": "mult", "u": [5, 4, 3.5, 0.1, 0]},
    "--weight add --u=-1,0,1,2,3": {"weight": "add", "u": [-1, 0, 1, 2, 3]},
    "--weight add --u u.npy": {"weight": "add", "u": U[0]},
    "--U U.npy": {"U": U},
    "--U U3.npy --order 3 --normalize": {"U": U3, "order": 3, "normalize": True},
    "--W W.npy": {"W": W},
    "--W W.npy --no-check": {"W": W, "check": False},
    "--order 3": {"order": 3},
    "--order 3 --weight mult --u log": {"order": 3, "weight": "mult", "u": "log"},
    "--signed --normalize": {"signed": True, "normalize": True},
    "--top high --weight top --k 2": {"top": "high", "weight": "top", "k": 2},
    "--input orders --weight top --k 2": {"input": "orders", "weight": "top", "k": 2},
    "--input scores --weight top --k 2": {"input": "scores", "weight": "top", "k": 2},
    "--dtype float32 --weight mult --u log": {"dtype": np.float32, "weight": "mult", "u": "log"},
    "--jobs 1": {"n_jobs": 1},
    "--jobs -1": {"n_jobs": -1},
}


@pytest.fixture
def weights():
    for name, array in {"u": U[0], "U": U, "U3": U3, "W": W}.items():
        np.save(f"{name}.npy", array)


@pytest.mark.parametrize("words", KERNELS)
@pytest.mark.usefixtures("weights")
def test_every_option_of_a_kernel(words, capsys):
    run(f"gram x.csv -o one.npy {words}")
    run(f"gram x.csv --against y.csv -o two.npy {words}")
    for name, other in (("one", None), ("two", Y)):
        wanted = wkendall.gram_matrix(X, other, **KERNELS[words])
        found = np.load(f"{name}.npy")
        assert found.dtype == wanted.dtype
        assert (found == wanted).all()
    shown = capsys.readouterr()
    assert shown.err == ""
    kind = "float32" if "float32" in words else "float64"
    assert [line.split(" in ")[0] for line in shown.out.splitlines()] == [
        f"wrote one.npy: 7 x 7 {kind}",
        f"wrote two.npy: 7 x 3 {kind}",
    ]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("--kernel distance", lambda a, b: wkendall.distance_matrix(a, b)),
        ("--kernel mallows", lambda a, b: wkendall.mallows(a, b)),
        ("--kernel mallows --lam 0.1", lambda a, b: wkendall.mallows(a, b, lam=0.1)),
        ("--kernel mallows --lam 0.1 --dtype float32", lambda a, b: wkendall.mallows(a, b, lam=0.1, dtype=np.float32)),
        ("--kernel distance --top high --jobs 1", lambda a, b: wkendall.distance_matrix(a, b, top="high")),
    ],
)
def test_other_kernels(words, wanted):
    run(f"gram x.npy -o one.npy {words}")
    run(f"gram x.npy --against y.npy -o two.npy {words}")
    assert (np.load("one.npy") == wanted(X, None)).all()
    assert (np.load("two.npy") == wanted(X, Y)).all()


TIED = np.array([[1, 2, 2, 4], [np.nan, 1, 2, np.nan], [4, 3, 2, 1]])


@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
def test_ties_and_missing_items(missing):
    Path("tied.csv").write_text("a,b,c,d\n1,2,2,4\n,1,2,NA\n4,3,2,1\n")
    run(f"gram tied.csv -o one.npy --ties mean --missing {missing} --normalize")
    wanted = wkendall.gram_matrix(TIED, ties="mean", missing=missing, normalize=True)
    assert (np.load("one.npy") == wanted).all()
    run(f"gram tied.csv -o two.npy --ties mean --missing {missing} --kernel distance")
    assert (np.load("two.npy") == wkendall.distance_matrix(TIED, ties="mean", missing=missing)).all()


@pytest.mark.parametrize("name", ["x.csv", "x.npy", "x.npz", "x.tsv", "x.txt", "plain.csv", "X.CSV", "only.npz"])
def test_every_input(name):
    Path("x.tsv").write_text("\n".join("\t".join(map(str, row)) for row in [ITEMS, *X.tolist()]))
    Path("x.txt").write_text("\n".join(";".join(map(str, row)) for row in X.tolist()))
    write_table(Path("plain.csv"), X)
    write_table(Path("X.CSV"), X, ITEMS)
    np.savez("only.npz", rankings=X)
    run(f"gram {name} -o out.npy")
    assert (np.load("out.npy") == wkendall.gram_matrix(X)).all()
    run(f"gram {name} --against y.npy -o out.npy --force")
    assert (np.load("out.npy") == wkendall.gram_matrix(X, Y)).all()


def test_which_array():
    run("gram x.npz -o out.npy --array other")
    assert (np.load("out.npy") == wkendall.gram_matrix(Y)).all()


def test_how_csv_is_read():
    Path("odd.csv").write_text("1|2\n2|1\n")
    run("gram odd.csv -o out.npy --delimiter |")
    assert (np.load("out.npy") == [[1, 0], [0, 1]]).all()
    Path("years.csv").write_text("1,2\n2,1\n")
    run("gram years.csv -o one.npy --header")
    assert np.load("one.npy").shape == (1, 1)
    run("gram years.csv -o two.npy --no-header")
    assert np.load("two.npy").shape == (2, 2)


@pytest.mark.parametrize("words", ["--skip who --skip 2", "--id who --skip group", "--id 1 --skip group"])
def test_columns_that_are_no_items(words):
    write_table(Path("more.csv"), X, ITEMS, who=list("abcdefg"), group=[3] * M)
    run(f"gram more.csv -o out.npy {words}")
    assert (np.load("out.npy") == wkendall.gram_matrix(X)).all()


def test_one_of_two_files_has_more_columns():
    write_table(Path("more.csv"), X, ITEMS, group=[3] * M)
    run("gram more.csv --against y.csv -o out.npy --skip group")
    assert (np.load("out.npy") == wkendall.gram_matrix(X, Y)).all()
    run("gram y.csv --against more.csv -o out.npy --skip group --force")
    assert (np.load("out.npy") == wkendall.gram_matrix(Y, X)).all()


def test_a_column_without_a_name():
    write_table(Path("index.csv"), X, ITEMS, **{"": range(M)})
    run("gram index.csv -o out.npy --skip 1")
    assert (np.load("out.npy") == wkendall.gram_matrix(X)).all()


def test_preflib():
    orders = np.array([[1, 2, 3], [2, 3, 1]])
    run("gram votes.soc -o out.npz")
    with np.load("out.npz") as found:
        assert sorted(found.files) == ["K", "counts", "items"]
        assert (found["K"] == wkendall.gram_matrix(orders)).all()
        assert found["counts"].tolist() == [4, 2]
        assert found["items"].tolist() == ["a", "b", "c"]
    run("gram votes.soc -o out.npy --expand")
    assert (np.load("out.npy") == wkendall.gram_matrix(orders.repeat([4, 2], axis=0))).all()
    run("gram votes.toi -o tied.npy --ties mean --missing bottom")
    tied = [[1, 2, 3], [1, np.nan, 1]]
    assert (np.load("tied.npy") == wkendall.gram_matrix(tied, ties="mean", missing="bottom")).all()
    run("gram votes.soc --against votes.toi -o both.npz --ties mean --missing bottom")
    with np.load("both.npz") as found:
        assert sorted(found.files) == ["K", "counts", "counts_against", "items"]


def test_counts_that_get_lost_are_told(capsys):
    for name in ("out.npy", "out.csv"):
        run(f"gram votes.soc -o {name}")
        said = capsys.readouterr().err
        assert said.startswith(
            "wkendall: votes.soc has 2 different orders of 6 voters: one row for each order is written"
        )
        assert len(said.splitlines()) == 1
    for words in ("gram votes.soc -o out.npz", "gram votes.soc -o all.npy --expand"):
        run(words)
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_csv_output_gives_every_bit_back(dtype):
    run(f"gram x.csv -o out.csv --weight mult --u log --normalize --dtype {dtype}")
    wanted = wkendall.gram_matrix(X, weight="mult", u="log", normalize=True, dtype=dtype)
    found = [[float(cell) for cell in line.split(",")] for line in Path("out.csv").read_text().splitlines()]
    assert (np.array(found, dtype=dtype) == wanted).all()


def test_names_of_rankings_are_kept():
    write_table(Path("a.csv"), X, ITEMS, who=["Ann", "Bo, Jr.", *"cdefg"])
    write_table(Path("b.csv"), Y, ITEMS, who=["x", "ÿ", "z"])
    run("gram a.csv --id who -o one.csv")
    with Path("one.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["", "Ann", "Bo, Jr.", *"cdefg"]
    assert [row[0] for row in rows[1:]] == rows[0][1:]
    assert (np.array(rows)[1:, 1:].astype(float) == wkendall.gram_matrix(X)).all()
    run("gram a.csv --against b.csv --id who -o two.csv")
    assert Path("two.csv").read_text(encoding="utf-8").splitlines()[0] == ",x,ÿ,z"
    run("gram a.csv --against b.csv --id who -o two.npz")
    with np.load("two.npz") as found:
        assert found["ids"].tolist() == rows[0][1:]
        assert found["ids_against"].tolist() == ["x", "ÿ", "z"]
        assert found["items"].tolist() == ITEMS
        assert (found["K"] == wkendall.gram_matrix(X, Y)).all()


def test_matrix_on_standard_output(capsys):
    run("gram x.csv -o -")
    shown = capsys.readouterr()
    rows = [[float(cell) for cell in line.split(",")] for line in shown.out.splitlines()]
    assert (np.array(rows) == wkendall.gram_matrix(X)).all()
    assert shown.err.startswith("wrote -: 7 x 7 float64 in ")


@pytest.mark.parametrize("shape", [(0, 4), (1, 1), (1, 4), (2, 0)])
def test_small_files(shape):
    rows = np.array([np.arange(1, shape[1] + 1)] * shape[0]).reshape(shape)
    np.save("small.npy", rows)
    for name in ("out.npy", "out.npz", "out.csv"):
        run(f"gram small.npy -o {name}")
    wanted = wkendall.gram_matrix(rows)
    assert np.load("out.npy").shape == wanted.shape
    assert (np.load("out.npy") == wanted).all()
    assert (np.load("out.npz")["K"] == wanted).all()
    assert len(Path("out.csv").read_text().splitlines()) == shape[0]


def test_a_result_larger_than_memory(leave_memory, capsys):
    leave_memory(100)
    for name in ("out.npz", "out.csv", "-"):
        fails(capsys, f"gram x.npy -o {name}", "write it to an .npy file, which may be larger than memory")
    run("gram x.npy -o out.npy")
    assert (np.load("out.npy") == wkendall.gram_matrix(X, out=np.empty((M, M)))).all()


@pytest.mark.parametrize("name", ["out.npy", "out.npz", "out.csv"])
def test_overwriting(name, capsys):
    Path(name).write_text("precious")
    fails(capsys, f"gram x.csv -o {name}", f"{name} is there already: --force overwrites it")
    assert Path(name).read_text() == "precious"
    run(f"gram x.csv -o {name} --force")
    assert b"precious" not in Path(name).read_bytes()
    assert not list(Path().glob(".*"))


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="needs symbolic links")
def test_links_and_modes():
    Path("real").mkdir()
    Path("real/out.npy").write_text("")
    Path("link.npy").symlink_to("real/out.npy")
    run("gram x.csv -o link.npy --force")
    assert Path("link.npy").is_symlink()
    assert np.load("real/out.npy").shape == (M, M)
    Path("usual").write_text("")
    assert Path("real/out.npy").stat().st_mode == Path("usual").stat().st_mode


# What goes wrong.

BROKEN = {
    "spaces.txt": "1 2 3\n3 2 1\n",
    "twice.csv": "a,b,c\n1,2,3\n1,3,3\n",
    "nan.csv": "1,2,3\n1,,3\n",
    "range.csv": "a,b\n1,7\n",
    "text.csv": "name,a,b\nAnn,1,2\n",
    "unnamed.csv": ",a,b\n0,1,2\n",
    "ragged.csv": "a,b\n1\n",
    "empty.csv": "",
    "bytes.csv": "a,b\n1,2\n".encode("utf-16"),
    "fake.npy": "no array",
    "fake.npz": "no arrays",
    "empty.npy": "",
    "wrong.soc": "3\n1,a\n",
    "folder.csv": None,
    "other.csv": 'tea,milk,coffee,juice,"water, still"\n1,2,3,4,5\n',
    "narrow.csv": "a,b\n1,2\n",
}
FAILURES = [
    ("gram none.csv -o o.npy", "none.csv: No such file or directory"),
    ("gram none.npy -o o.npy", "none.npy: No such file or directory"),
    ("gram none.soc -o o.npy", "none.soc: No such file or directory"),
    ("gram x.csv --against none.npz -o o.npy", "none.npz: No such file or directory"),
    ("gram x.csv --U none.npy -o o.npy", "none.npy: No such file or directory"),
    ("gram folder.csv -o o.npy", "folder.csv: Is a directory"),
    (
        "gram x.json -o o.npy",
        "x.json: the name of a file with rankings must end in one of .csv, .tsv, .txt, .npy, .npz",
    ),
    ("gram x.csv -o none/o.npy", "none/o.npy cannot be written: there is no folder none"),
    ("gram x.csv -o x.npy/o.npy", "x.npy/o.npy: Not a directory"),
    ("gram x.csv -o folder.csv", "folder.csv is a folder, but must be the name of a file"),
    ("gram x.csv -o x.npy", "x.npy is there already: --force overwrites it"),
    ("gram x.csv -o o.npy --skip age", "there is no column 'age' to skip in x.csv"),
    ("gram x.csv --against y.csv -o o.npy --skip age", "there is no column 'age' to skip in x.csv and y.csv"),
    (
        "gram x.csv -o o.npy --id age",
        "x.csv, line 1: there is no column 'age': they are 'tea', 'coffee', 'milk', 'juice', ",
    ),
    ("gram x.csv -o o.npy --id 6", "x.csv, line 1: there is no column '6'"),
    ("gram narrow.csv -o o.npy --skip a --skip b", "narrow.csv, line 1: every column is set apart: no items are left"),
    (
        "gram twice.csv -o o.npy",
        "twice.csv: line 3 holds 3 twice, in columns 'b' and 'c', but every row of 3 items must be a ",
    ),
    ("gram twice.csv -o o.npy", "; --ties mean takes equal numbers for ties"),
    (
        "gram nan.csv -o o.npy",
        "nan.csv: line 2, column 2 holds NaN: every item needs a number; --missing bottom puts items",
    ),
    (
        "gram range.csv -o o.npy",
        "range.csv: line 2, column 'b' holds 7, but every row of 2 items must be a permutation of",
    ),
    (
        "gram text.csv -o o.npy",
        "line 2: column 1, 'name', holds 'Ann', which is not a number; --skip COLUMN leaves a column out",
    ),
    (
        "gram unnamed.csv -o o.npy",
        "column 1 has no name, but every column must be an item: row numbers are none; --skip",
    ),
    ("gram ragged.csv -o o.npy", "ragged.csv, line 2: the row has 1 cells, but the first row has 2"),
    ("gram empty.csv -o o.npy", "empty.csv, line 1: the file is empty"),
    ("gram bytes.csv -o o.npy", "bytes.csv, line 1: the byte 0xff is not UTF-8"),
    ("gram fake.npy -o o.npy", "fake.npy is not a file of NumPy arrays, or is damaged"),
    ("gram fake.npz -o o.npy", "fake.npz is not a file of NumPy arrays, or is damaged"),
    ("gram empty.npy -o o.npy", "empty.npy is not a file of NumPy arrays, or is damaged: "),
    ("gram cut.npz -o o.npy", "cut.npz is not a file of NumPy arrays, or is damaged: "),
    ("gram spoilt.npz -o o.npy", "spoilt.npz: the array 'X' cannot be read: "),
    ("gram objects.npy -o o.npy", "objects.npy is not a file of NumPy arrays, or is damaged: "),
    ("gram named.npy -o o.npy", "named.npy has several arrays in it, but must be an .npy file with one"),
    ("gram single.npz -o o.npy", "single.npz has one array without a name, but must be an .npz file"),
    ("gram x.npz -o o.npy --array Z", "x.npz has no array 'Z': it has X, other"),
    ("gram two.npz -o o.npy", "two.npz has the arrays a, b: --array says which has the rankings"),
    ("gram flat.npy -o o.npy", "flat.npy has an array of shape (3,), but must have two axes: one ranking a row"),
    (
        "gram words.npy -o o.npy",
        "words.npy: row 0, column 0 holds 'a', a text, but rankings are made of real numbers",
    ),
    (
        "gram repeated.npy -o o.npy",
        "repeated.npy: row 0 holds 1 twice, in columns 0 and 1, but every row of 3 items must be",
    ),
    ("gram wrong.soc -o o.npy", "wrong.soc, line 2: the file ends before 3 alternatives"),
    (
        "gram votes.toi -o o.npy --ties mean",
        "votes.toi: line 9, column 'b' holds NaN: every item needs a number; --missing bottom ",
    ),
    (
        "gram x.csv --against other.csv -o o.npy",
        "item 2 is 'coffee' in x.csv and 'milk' in other.csv: both must have the same ",
    ),
    (
        "gram x.npy --against narrow.csv -o o.npy",
        "x.npy has 5 items, but narrow.csv has 2: both must rank the same items",
    ),
    ("gram x.csv -o o.npy --weight top --k 9", "--k is 9, but must be from 1 to 5, the number of items"),
    ("gram x.csv -o o.npy --weight mult --u 1,2", "--u has 2 position weights, but the rankings have 5 items"),
    ("gram x.csv -o o.npy --U flat.npy", "--U is 1-dimensional, of shape (3,)"),
    ("gram x.csv -o o.npy --weight mult --u 1,nan,0,0,0", "--u[1] is NaN: position weights must be finite"),
    ("gram spaces.txt -o o.npy", "which is not a number; --delimiter ' ' is for numbers with spaces between them"),
    ("gram x.csv -o o.npy --kernel mallows --lam -1", "-1"),
]


@pytest.fixture
def broken():
    for name, content in BROKEN.items():
        if content is None:
            Path(name).mkdir()
        elif isinstance(content, str):
            Path(name).write_text(content)
        else:
            Path(name).write_bytes(content)
    Path("cut.npz").write_bytes(Path("x.npz").read_bytes()[:200])
    spoilt = bytearray(Path("x.npz").read_bytes())
    spoilt[150:170] = b"?" * 20
    Path("spoilt.npz").write_bytes(spoilt)
    np.save("objects.npy", np.array([None]), allow_pickle=True)
    with Path("named.npy").open("wb") as file:
        np.savez(file, X=X)
    with Path("single.npz").open("wb") as file:
        np.save(file, X)
    np.savez("two.npz", a=X, b=X)
    np.save("flat.npy", np.array([1, 2, 3]))
    np.save("words.npy", np.array([["a", "b"]]))
    np.save("repeated.npy", np.array([[1, 1, 2]]))


@pytest.mark.parametrize(("words", "message"), FAILURES, ids=[words for words, _ in FAILURES])
@pytest.mark.usefixtures("broken")
def test_failures(words, message, capsys):
    fails(capsys, words, message)


WRONG = [
    ("", "the following arguments are required: COMMAND"),
    ("count", "invalid choice: 'count'"),
    ("gram", "the following arguments are required: INPUT, -o/--out/--output"),
    ("gram x.csv", "the following arguments are required: -o/--out/--output"),
    ("gram x.csv -o o.npy --norm", "unrecognized arguments: --norm"),
    ("gram x.csv -o o.mat", "the name of the output must end in one of .npy, .npz, .csv, not be 'o.mat'"),
    ("gram x.csv -o o.npy --weight heavy", "invalid choice: 'heavy'"),
    ("gram x.csv -o o.npy --weight top", "--weight top needs --k, the number of ranks that count"),
    ("gram x.csv -o o.npy --k 3", "--k goes with --weight top"),
    ("gram x.csv -o o.npy --weight top --k three", "argument --k: 'three' must be a whole number from 1"),
    ("gram x.csv -o o.npy --order 0", "argument --order: '0' must be a whole number from 1"),
    (
        "gram x.csv -o o.npy --order 18446744073709551616",
        "argument --order: '18446744073709551616' must be a whole number from 1 of at most 18 digits",
    ),
    ("gram x.csv -o o.npy --weight add", "--weight add needs --u"),
    ("gram x.csv -o o.npy --u log", "--u goes with --weight add and --weight mult"),
    ("gram x.csv -o o.npy --weight add --u 1;2", "'1;2' is neither hyperbolic nor log nor numbers such as 1,0.5,0.25"),
    ("gram x.csv -o o.npy --weight add --u log --U U.npy", "argument --U: not allowed with argument --weight"),
    ("gram x.csv -o o.npy --W W.npy --U U.npy", "argument --U: not allowed with argument --W"),
    ("gram x.csv -o o.npy --signed --U U.npy", "--signed goes with --weight, not with --U and --W"),
    ("gram x.csv -o o.npy --signed --order 3", "--signed goes with --order 2"),
    ("gram x.csv -o o.npy --W W.npy --order 3", "--W goes with --order 2"),
    ("gram x.csv -o o.npy --no-check", "--no-check goes with --W"),
    ("gram x.csv -o o.npy --lam 1", "--lam goes with --kernel mallows"),
    ("gram x.csv -o o.npy --kernel mallows --weight top", "--weight goes with --kernel kendall, not mallows"),
    ("gram x.csv -o o.npy --kernel distance --normalize", "--normalize goes with --kernel kendall, not distance"),
    ("gram x.csv -o o.npy --kernel mallows --ties mean", "--kernel mallows takes complete rankings only"),
    ("gram x.npy -o o.npy --delimiter ;", "--delimiter goes with CSV files"),
    ("gram x.npy -o o.npy --no-header", "--header goes with CSV files"),
    ("gram x.npy -o o.npy --skip a", "--skip goes with CSV files"),
    ("gram x.npy -o o.npy --id a", "--id goes with CSV files"),
    ("gram x.npy -o o.npy --array X", "--array goes with .npz files"),
    ("gram x.csv -o o.npy --expand", "--expand goes with PrefLib files"),
    ("gram votes.soc -o o.npy --input scores", "--input scores does not go with PrefLib files"),
    ("gram x.csv -o o.npy --input marks", "invalid choice: 'marks'"),
    ("gram x.csv -o o.npy --jobs 0", "argument --jobs: '0' must be a whole number from 1, or -1 for one on each core"),
    ("gram x.csv -o o.npy --delimiter ab", "argument --delimiter: 'ab' must be one character"),
    ("info --xml", "unrecognized arguments: --xml"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[words for words, _ in WRONG])
def test_wrong_usage(words, message, capsys):
    fails(capsys, words, message, code=2)


@pytest.mark.parametrize("place", ["--debug gram x.csv -o o.npy --weight top --k 9", "gram --debug none.csv -o o.npy"])
def test_debug_shows_where(place, capsys):
    run(place, code=1)
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback (most recent call last):")
    assert shown.splitlines()[-1].startswith("wkendall: ")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "wkendall: not enough memory"),
        (MemoryError("8 GiB"), "wkendall: not enough memory: 8 GiB"),
        (
            ImportError('progress=True needs tqdm: pip install "wkendall[progress]"'),
            "wkendall: --progress needs tqdm: pip",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "wkendall: out.npy: No space left on device"),
        (RuntimeError("two\nlines"), "wkendall: RuntimeError: two lines; --debug shows where"),
    ],
)
def test_whatever_happens_is_one_line(error, message, capsys, monkeypatch):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(gram, "gram_matrix", fail)
    fails(capsys, "gram x.csv -o out.npy", message)


def test_no_space_is_found_before_the_work(capsys, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    monkeypatch.setattr(gram, "gram_matrix", None)
    fails(capsys, "gram x.csv -o out.npy", "out.npy: No space left on device")


@pytest.mark.parametrize("there", [True, False])
def test_space_is_claimed_without_help_of_the_system(there, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    if there:
        monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    else:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    rows = random_rankings(np.random.default_rng(0), 700, 4)
    np.save("many.npy", rows)
    run("gram many.npy -o out.npy")
    assert (np.load("out.npy") == wkendall.gram_matrix(rows)).all()


def test_without_tqdm(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    fails(capsys, "gram x.csv -o out.npy --progress", '--progress needs tqdm: pip install "wkendall[cli]"')


def test_progress(capsys, monkeypatch):
    run("gram x.csv -o one.npy --progress")
    assert "100%" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run("gram x.csv -o two.npy")
    assert "100%" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run("gram x.csv -o three.npy --no-progress")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    run("gram x.csv -o four.npy")
    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line(capsys, monkeypatch):
    def warn(*_, **__):
        import warnings

        warnings.warn("take\ncare", UserWarning, stacklevel=1)

    monkeypatch.setattr(gram, "gram_matrix", warn)
    run("gram x.csv -o out.npy")
    assert capsys.readouterr().err == "wkendall: warning: take care\n"


# The rest of the command line.


def test_version_and_help(capsys):
    run("--version")
    assert capsys.readouterr().out == f"wkendall {_core.__version__}\n"
    run("--help")
    shown = capsys.readouterr().out
    for wanted in ("gram", "learn", "info", "exit codes:", "  130  interrupted by Ctrl-C"):
        assert wanted in shown
    for command in ("gram", "learn", "info"):
        run(f"{command} --help")
        assert "examples:" in capsys.readouterr().out


@pytest.mark.parametrize("command", [gram, learn, info])
def test_examples_of_the_help(command):
    """Every example in a help text runs."""
    write_table(Path("people.csv"), X[[0] * 15 + [1] * 15], ITEMS, age=["young"] * 15 + ["old"] * 15)
    examples = [line.strip() for line in command._EPILOG.splitlines() if line.startswith("  wkendall ")]
    assert examples
    for example in examples:
        run(example.removeprefix("wkendall "))


def compared(shown, wanted):
    """Check that two texts say the same; times may differ, and scores by a ranking or two."""
    assert re.sub(r"[0-9]+", "0", shown).split() == re.sub(r"[0-9]+", "0", wanted).split()
    for line, other in zip(shown.splitlines(), wanted.splitlines(), strict=True):
        found, expected = (re.findall(r"[0-9]+\.[0-9]+", text.split(" in ")[0]) for text in (line, other))
        np.testing.assert_allclose(np.array(found, float), np.array(expected, float), atol=0.02)


@pytest.mark.parametrize("page", ["docs/command_line.md", "README.md"])
def test_examples_of_pages(page, capsys):
    """Every command of a page runs, and prints what the text block after it says."""
    root = Path(__file__).parents[1]
    blocks = re.findall(r"```(\w+)\n(.*?)```", (root / "docs/command_line.md").read_text(), flags=re.DOTALL)
    making = next(code for language, code in blocks if language == "python")
    if page == "README.md":
        blocks = re.findall(r"```(\w+)\n(.*?)```", (root / page).read_text(), flags=re.DOTALL)
        blocks = [("python", making), *(block for block in blocks if block[0] == "sh")]
    session, ran = {}, 0
    for (language, code), following in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if language == "python":
            exec(compile(code, page, "exec"), session)
        elif language == "sh":
            commands = [line for line in code.splitlines() if line.startswith("wkendall ")]
            ran += len(commands)
            for command in commands:
                assert main(shlex.split(command, comments=True)[1:]) == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        if following[0] == "text" and language in ("python", "sh"):
            compared(shown.out, following[1])
    assert ran >= 3


def test_help_is_not_too_wide(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words in ("--help", "gram --help", "learn --help", "reproduce --help", "info --help"):
        run(words)
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 110, max(lines, key=len)


def test_info(capsys):
    run("info")
    shown = capsys.readouterr().out
    for wanted in (
        _core.__version__,
        np.__version__,
        "scikit-learn",
        "threads by default",
        _core.instruction_sets()[-1],
    ):
        assert wanted in shown
    run("info --json")
    found = json.loads(capsys.readouterr().out)
    assert found["wkendall"] == wkendall.__version__
    assert found["libraries"]["numpy"] == np.__version__
    assert found["threads"] == _core.default_threads()
    assert found["instruction_sets"] == list(_core.instruction_sets())
    measure = _core.Measure.kernel(20, "standard")
    assert found["picked"]["standard"]["20"] == _core.planned(measure, 1000, 1000)


def test_info_without_a_library(capsys, monkeypatch):
    monkeypatch.setattr("wkendall.config._LIBRARIES", ("numpy", "no-such-library"))
    run("info")
    assert "no-such-library" in capsys.readouterr().out.split("not installed")[0].splitlines()[-1]
    run("info --json")
    assert json.loads(capsys.readouterr().out)["libraries"]["no-such-library"] is None


def test_light_start():
    """Whoever asks for help, or for a matrix, does not wait for scikit-learn."""
    script = (
        "import sys; from wkendall.cli import main; main(sys.argv[1:]); print(sorted(sys.modules), file=sys.stderr)"
    )
    for words in (["--help"], ["info"], ["gram", "x.csv", "-o", "out.npy"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True, env=ENVIRONMENT
        )
        loaded = {name.split(".")[0] for name in done.stderr.strip("[]\n").replace("'", "").split(", ")}
        assert "wkendall" in loaded
        assert not {"sklearn", "scipy", "matplotlib", "tqdm"} & loaded


def test_as_a_process():
    process = started("gram x.csv -o out.npy")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("wrote out.npy: 7 x 7 float64 in ")
    assert (np.load("out.npy") == wkendall.gram_matrix(X)).all()
    process = started("gram none.csv -o out2.npy")
    assert process.communicate(timeout=60) == ("", "wkendall: none.csv: No such file or directory\n")
    assert process.returncode == 1
    process = started("gram x.csv")
    missing = "the following arguments are required: -o/--out/--output"
    assert process.communicate(timeout=60)[1] == f"wkendall: {missing} (wkendall gram --help says more)\n"
    assert process.returncode == 2


def large_input():
    np.save("large.npy", np.array([np.random.default_rng(p).permutation(2000) for p in range(5000)], dtype=np.int32))
    return set(Path().rglob("*"))


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "wkendall: interrupted\n"), (signal.SIGTERM, 143, "")]
)
def test_interruption(number, code, said):
    """Ctrl-C stops minutes of work, says so, and leaves no file."""
    before = large_input()
    process = started("gram large.npy -o out.npy --weight mult --u log")
    until = time.monotonic() + 60
    while not any(path.stat().st_size > 10**8 for path in Path().glob(".wkendall-*")):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    assert process.communicate(timeout=60) == ("", said)
    assert process.returncode == code
    assert set(Path().rglob("*")) == before


@pytest.mark.skipif(os.name == "nt", reason="pipes are closed as on Unix")
@pytest.mark.parametrize("words", ["gram many.npy -o -", "info"])
def test_a_closed_pipe(words):
    np.save("many.npy", random_rankings(np.random.default_rng(0), 300, 5))
    reader, writer = os.pipe()
    os.close(reader)
    process = started(words, stdout=writer)
    os.close(writer)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", ["gram many.npy -o -", "info"])
def test_a_full_disk(words):
    np.save("many.npy", random_rankings(np.random.default_rng(0), 300, 5))
    with Path("/dev/full").open("w") as full:
        process = started(words, stdout=full)
        assert process.communicate(timeout=60)[1] == "wkendall: standard output: No space left on device\n"
    assert process.returncode == 1


@pytest.mark.skipif(os.name == "nt", reason="output is closed as on Unix")
def test_no_standard_output():
    script = f"{shlex.quote(sys.executable)} -m wkendall gram x.csv -o - >&-"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (1, "wkendall: standard output is closed\n")
    script = f"{shlex.quote(sys.executable)} -m wkendall gram x.csv -o out.npy >&- 2>&-"
    assert subprocess.run(["sh", "-c", script], timeout=60, env=ENVIRONMENT).returncode == 0
    assert np.load("out.npy").shape == (M, M)


@pytest.mark.parametrize("name", ["out.npy", "out.npz", "out.csv"])
def test_files_that_may_not_grow(name):
    """A limit to the size of files stands for a disk that fills up while a file is written."""
    resource = pytest.importorskip("resource")
    np.save("many.npy", random_rankings(np.random.default_rng(0), 300, 5))
    before = set(Path().rglob("*"))
    limit = (100_000, resource.RLIM_INFINITY)
    process = started(f"gram many.npy -o {name}", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert process.communicate(timeout=60) == ("", f"wkendall: {name}: File too large\n")
    assert process.returncode == 1
    assert set(Path().rglob("*")) == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder that may not be written to")
def test_a_folder_closed_to_us(capsys):
    Path("closed").mkdir(mode=0o500)
    fails(capsys, "gram x.csv -o closed/out.npy", "closed/out.npy: Permission denied")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs a device")
def test_devices_are_not_replaced(capsys):
    Path("null.npy").symlink_to("/dev/null")
    fails(capsys, "gram x.csv -o null.npy --force", "null.npy is not a regular file: it cannot be replaced")


def test_signals_are_as_before():
    before = signal.getsignal(signal.SIGTERM)
    run("info")
    assert signal.getsignal(signal.SIGTERM) is before


def test_in_another_thread():
    from threading import Thread

    codes = []
    thread = Thread(target=lambda: codes.append(main(["gram", "x.csv", "-o", "out.npy"])))
    thread.start()
    thread.join()
    assert codes == [0]


def test_commands():
    """Each command is a module with the same two functions."""
    for command in cli.COMMANDS:
        assert callable(command.add_parser)
        assert callable(command.run)
