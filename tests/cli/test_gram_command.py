"""`wkendall gram`: what it writes is what the functions give."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, M, N, X, Y, fails, folder, run, without_sizes, write_table  # noqa: F401
from wkendall import Mallows

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
    assert without_sizes(shown.err) == ""
    kind = "float32" if "float32" in words else "float64"
    assert [line.split(" in ")[0] for line in shown.out.splitlines()] == [
        f"wrote one.npy: 7 x 7 {kind}",
        f"wrote two.npy: 7 x 3 {kind}",
    ]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("--kernel distance", lambda a, b: wkendall.distance_matrix(a, b)),
        ("--kernel mallows", lambda a, b: wkendall.gram_matrix(a, b, kernel=Mallows())),
        (
            "--kernel mallows --lam 0.1 --normalize",
            lambda a, b: wkendall.gram_matrix(a, b, Mallows(0.1, normalize=True)),
        ),
        ("--lam auto", lambda a, b: wkendall.gram_matrix(a, b, kernel=Mallows("auto"))),
        ("--lam 0.1", lambda a, b: wkendall.gram_matrix(a, b, kernel=Mallows(0.1))),
        ("--lam 0.1 --dtype float32", lambda a, b: wkendall.gram_matrix(a, b, kernel=Mallows(0.1), dtype=np.float32)),
        ("--kernel distance --top high --jobs 1", lambda a, b: wkendall.distance_matrix(a, b)),
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
    tied = wkendall.Rankings(TIED, ties="mean", missing=missing)
    assert (np.load("two.npy") == wkendall.distance_matrix(tied)).all()


@pytest.mark.parametrize("name", ["x.csv", "x.npy", "x.npz", "x.tsv", "x.txt", "plain.csv", "X.CSV", "only.npz"])
def test_every_input(name):
    Path("x.tsv").write_text("\n".join("\t".join(map(str, row)) for row in [ITEMS, *X.tolist()]))
    Path("x.txt").write_text("\n".join(";".join(map(str, row)) for row in X.tolist()))
    write_table(Path("plain.csv"), X)
    write_table(Path("X.CSV"), X, ITEMS)
    np.savez("only.npz", rankings=X)
    words = "--no-header" if name in ("x.txt", "plain.csv") else ""
    run(f"gram {name} -o out.npy {words}")
    assert (np.load("out.npy") == wkendall.gram_matrix(X)).all()
    run(f"gram {name} --against y.npy -o out.npy --force {words}")
    assert (np.load("out.npy") == wkendall.gram_matrix(X, Y)).all()


def test_which_array():
    run("gram x.npz -o out.npy --array other")
    assert (np.load("out.npy") == wkendall.gram_matrix(Y)).all()


@pytest.mark.filterwarnings("default")
def test_how_csv_is_read(capsys):
    Path("odd.csv").write_text("1|2\n2|1\n")
    run("gram odd.csv -o out.npy --delimiter | --no-header")
    assert (np.load("out.npy") == [[1, 0], [0, 1]]).all()
    Path("years.csv").write_text("1,2\n2,1\n")
    capsys.readouterr()
    run("gram years.csv -o one.npy --header")
    assert np.load("one.npy").shape == (1, 1)
    assert "warning" not in capsys.readouterr().err
    run("gram years.csv -o one.npy --force")
    assert np.load("one.npy").shape == (1, 1)
    assert capsys.readouterr().err.splitlines()[0] == (
        "wkendall: warning: years.csv, line 1: the first row, 1, 2, is read as the names of the columns, but may be a ranking: "
        "--no-header reads the row as a ranking, --header confirms the names"
    )
    run("gram years.csv -o two.npy --no-header")
    assert np.load("two.npy").shape == (2, 2)


@pytest.mark.parametrize("words", ["--skip who --skip 2", "--id who --skip group", "--id 1 --skip group"])
def test_columns_that_are_no_items(words):
    write_table(Path("more.csv"), X, ITEMS, who=list("abcdefg"), group=[3] * M)
    run(f"gram more.csv -o out.npy {words}")
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
    run("gram votes.soc --against votes.toi -o both.npz --ties mean --missing bottom")
    with np.load("both.npz") as found:
        assert sorted(found.files) == ["K", "counts", "counts_against", "items"]


def test_counts_that_get_lost_are_told(capsys):
    for name in ("out.npy", "out.csv"):
        run(f"gram votes.soc -o {name}")
        said = without_sizes(capsys.readouterr().err)
        assert said.startswith(
            "wkendall: votes.soc has 2 different orders of 6 voters: one row for each order is written"
        )
        assert len(said.splitlines()) == 1
    for words in ("gram votes.soc -o out.npz", "gram votes.soc -o all.npy --expand"):
        run(words)
        assert without_sizes(capsys.readouterr().err) == ""


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
    assert without_sizes(shown.err).startswith("wrote -: 7 x 7 float64 in ")


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
        fails(capsys, f"gram x.csv -o {name}", "write it to an .npy file, which may be larger than memory")
    run("gram x.csv -o out.npy")
    assert (np.load("out.npy") == wkendall.gram_matrix(X, out=np.empty((M, M)))).all()


@pytest.mark.parametrize("name", ["out.npy", "out.npz", "out.csv"])
def test_overwriting(name, capsys):
    Path(name).write_text("precious")
    fails(capsys, f"gram x.csv -o {name}", f"{name} already exists: --force overwrites it")
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
