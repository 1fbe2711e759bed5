"""The command line: whatever goes wrong is one line and an exit code."""

import errno
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import X, fails, folder, run, without_sizes  # noqa: F401
from definitions import random_rankings
from wkendall.cli import gram
from wkendall.cli.messages import CommandError, command_errors

BROKEN = {
    "spaces.txt": "1 2 3\n3 2 1\n",
    "twice.csv": "a,b,c\n1,2,3\n1,3,3\n",
    "nan.csv": "a,b,c\n1,2,3\n1,,3\n",
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
    "other.csv": 'tea,milk,cola,juice,"water, still"\n1,2,3,4,5\n',
    "narrow.csv": "a,b\n1,2\n",
}
FAILURES = [
    ("gram none.csv -o o.npy", "none.csv: No such file or directory"),
    ("gram none.npy -o o.npy", "none.npy: No such file or directory"),
    ("gram none.soc -o o.npy", "none.soc: No such file or directory"),
    ("gram x.csv --against none.npz -o o.npy", "none.npz: No such file or directory"),
    ("gram x.csv --U none.npy -o o.npy", "none.npy: No such file or directory"),
    ("gram folder.csv -o o.npy", "folder.csv: Is a directory"),
    ("gram x.json -o o.npy", "x.json: the name of a file with rankings must end in one of .csv, .tsv, .txt, .npy"),
    ("gram x.csv -o none/o.npy", "none/o.npy cannot be written: there is no folder none"),
    ("gram x.csv -o x.npy/o.npy", "x.npy/o.npy: Not a directory"),
    ("gram x.csv -o folder.csv", "folder.csv is a folder, but must be the name of a file"),
    ("gram x.csv -o x.npy", "x.npy already exists: --force overwrites it"),
    ("gram x.csv -o o.npy --skip age", "there is no column 'age' to skip in x.csv"),
    ("gram x.csv --against y.csv -o o.npy --skip age", "there is no column 'age' to skip in x.csv and y.csv"),
    ("gram x.csv -o o.npy --id age", "x.csv, line 1: there is no column 'age': they are 'tea', 'coffee', 'milk'"),
    ("gram x.csv -o o.npy --id 6", "x.csv, line 1: there is no column '6'"),
    ("gram narrow.csv -o o.npy --skip a --skip b", "narrow.csv, line 1: every column is skipped or not an item: no"),
    ("gram twice.csv -o o.npy", "twice.csv: line 3 holds 3 twice, in columns 'b' and 'c', but every row of 3 items"),
    ("gram twice.csv -o o.npy", "; --ties mean treats equal numbers as ties"),
    ("gram nan.csv -o o.npy", "nan.csv: line 3, column 'b' holds NaN: every item needs a number; --missing bottom"),
    ("gram range.csv -o o.npy", "range.csv: line 2, column 'b' holds 7, but every row of 2 items must be a"),
    ("gram text.csv -o o.npy", "line 2: column 1, 'name', holds 'Ann', which is not a number; --id name reads"),
    ("gram unnamed.csv -o o.npy", "column 1 has no name, but every column must be an item: leave out row numbers"),
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
    ("gram flat.npy -o o.npy", "flat.npy has an array of shape (3,), but must have two axes: one ranking per row"),
    (
        "gram words.npy -o o.npy",
        "words.npy: row 0, column 0 holds 'a', a text, but rankings are made of real numbers",
    ),
    ("gram repeated.npy -o o.npy", "repeated.npy: row 0 holds 1 twice, in columns 0 and 1, but every row of 3 items"),
    ("gram wrong.soc -o o.npy", "wrong.soc, line 2: the file ends before 3 alternatives"),
    ("gram votes.toi -o o.npy --missing error", "votes.toi: line 9 leaves out item 'b'; --missing bottom puts items"),
    ("gram x.csv --against other.csv -o o.npy", "x.csv has the item 'coffee' that other.csv lacks, and other.csv has"),
    ("gram x.npy --against narrow.csv -o o.npy", "x.npy has 5 items, but narrow.csv has 2: both must rank the same"),
    ("gram x.csv -o o.npy --weight top --k 9", "--k is 9, but must be from 1 to 5, the number of items"),
    ("gram x.csv -o o.npy --weight mult --u 1,2", "--u has 2 position weights, but the rankings have 5 items"),
    ("gram x.csv -o o.npy --U flat.npy", "--U is 1-dimensional, of shape (3,)"),
    ("gram x.csv -o o.npy --weight top", "--k is missing: the weight 'top' needs"),
    ("gram x.csv -o o.npy --k 3", "--k is given, but the weight 'standard' does not use it: it goes with 'top'"),
    ("gram x.csv -o o.npy --weight add", "--u is missing: the weight 'add' needs"),
    ("gram x.csv -o o.npy --u log", "--u is given, but the weight 'standard' does not use it: it goes with 'add'"),
    ("gram x.csv -o o.npy --signed --order 3", "--order is 3, but only kernels of order 2 have a signed form"),
    ("gram x.csv -o o.npy --W W.npy --order 3", "--W is for pairs, of order 2, but order is 3"),
    ("gram x.csv -o o.npy --items tea,age", "there is no column 'age' to read in x.csv: it has 'tea'"),
    ("gram x.csv --against other.csv -o o.npy --items tea,cola", "x.csv, line 1: there is no column 'cola'"),
    ("gram x.csv -o o.npy --items 9", "there is no column '9'"),
    ("gram x.csv -o o.npy --weight mult --u 1,nan,0,0,0", "--u[1] is NaN: position weights must be finite"),
    ("gram spaces.txt -o o.npy", "which is not a number; use --delimiter ' ' for numbers with spaces between them"),
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
    np.save("W.npy", np.zeros((5,) * 4))
    np.save("words.npy", np.array([["a", "b"]]))
    np.save("repeated.npy", np.array([[1, 1, 2]]))


@pytest.mark.parametrize(("words", "message"), FAILURES, ids=[words for words, _ in FAILURES])
@pytest.mark.usefixtures("broken")
def test_failures(words, message, capsys):
    fails(capsys, words, message)


def test_where_it_is_in_the_file(capsys):
    """Lines and names of columns of CSV files, also of the second file; the error behind it keeps row and column."""
    Path("late.csv").write_text('"a","b, c",d\n1,2,3\n3,2,1\n1,3,1\n')
    Path("good.csv").write_text('"a","b, c",d\n1,2,3\n')
    said = "late.csv: line 4 holds 1 twice, in columns 'a' and 'd', but every row"
    fails(capsys, "gram late.csv -o o.npy", said)
    fails(capsys, "gram good.csv --against late.csv -o o.npy", said)
    fails(capsys, "gram late.csv -o o.npy --resume", said)
    Path("mixed.csv").write_text("1,2,3\n0,1,2\n")
    fails(capsys, "gram mixed.csv -o o.npy --no-header", "mixed.csv: line 1, column 3 holds 3 and line 2, column 1")
    with pytest.raises(CommandError) as raised, command_errors(X=Path("x.csv")):
        wkendall.gram_matrix([[1, 2], [2, 2]])
    assert str(raised.value).startswith("x.csv: row 1 holds 2 twice, in columns 0 and 1, but")
    cause = raised.value.__cause__
    assert (cause.argument, cause.row, cause.column, cause.value) == ("X", 1, 1, 2)


def test_options_are_said_as_options():
    for call, words in [
        (lambda: wkendall.gram_matrix(X, W=-np.ones((5,) * 4)), "; pass --no-check to use it anyway"),
        (lambda: wkendall.gram_matrix(X, U=np.full((5, 5), np.inf)), "--U[0, 0] is inf: weights must be finite"),
        (lambda: wkendall.gram_matrix(X[0].astype(str)), "X is 1-dimensional, of shape (5,), but must be a 2-d array"),
    ]:
        with pytest.raises(CommandError) as raised, command_errors():
            call()
        assert words in str(raised.value)
        assert "from_lists" not in str(raised.value)


WRONG = [
    ("", "the following arguments are required: COMMAND"),
    ("count", "invalid choice: 'count'"),
    ("gram", "the following arguments are required: INPUT, -o/--out/--output"),
    ("gram x.csv", "the following arguments are required: -o/--out/--output"),
    ("gram x.csv -o o.npy --norm", "unrecognized arguments: --norm"),
    ("gram x.csv -o o.mat", "the name of the output must end in one of .npy, .npz, .csv, not be 'o.mat'"),
    ("gram x.csv -o o.npy --weight heavy", "invalid choice: 'heavy'"),
    ("gram x.csv -o o.npy --weight top --k three", "argument --k: 'three' must be a whole number from 1"),
    ("gram x.csv -o o.npy --order 0", "argument --order: '0' must be a whole number from 1"),
    ("gram x.csv -o o.npy --order 18446744073709551616", "argument --order: '18446744073709551616' must be a whole"),
    (
        "gram x.csv -o o.npy --weight add --u 1;2",
        "'1;2' is neither ap nor hyperbolic nor log nor numbers such as 1,0.5,0.25",
    ),
    ("gram x.csv -o o.npy --weight add --u log --U U.npy", "argument --U: not allowed with argument --weight"),
    ("gram x.csv -o o.npy --W W.npy --U U.npy", "argument --U: not allowed with argument --W"),
    ("gram x.csv -o o.npy --signed --U U.npy", "--signed does not go with --U"),
    ("gram x.csv -o o.npy --k 3 --W W.npy", "--k does not go with --W"),
    ("gram x.csv -o o.npy --no-check", "--no-check goes with --W"),
    ("gram x.csv -o o.npy --kernel kendall --lam 1", "--lam does not go with --kernel kendall"),
    ("gram x.csv -o o.npy --lam fast", "'fast' is neither a number nor auto"),
    ("gram x.csv -o o.npy --lam 1 --order 3", "--order does not go with --lam"),
    ("gram x.csv -o o.npy --kernel mallows --weight top", "--weight does not go with --kernel mallows"),
    ("gram x.csv -o o.npy --kernel mallows --signed", "--signed does not go with --kernel mallows"),
    ("gram x.csv -o o.npy --kernel distance --normalize", "--normalize does not go with --kernel distance"),
    ("gram x.csv -o o.npy --items a,", "argument --items: 'a,' has an empty name: names are separated by commas"),
    ("gram x.npy -o o.npy --items a", "--items goes with CSV files"),
    ("gram x.npy -o o.npy --delimiter ;", "--delimiter goes with CSV files"),
    ("gram x.npy -o o.npy --no-header", "--header goes with CSV files"),
    ("gram x.npy -o o.npy --skip a", "--skip goes with CSV files"),
    ("gram x.npy -o o.npy --id a", "--id goes with CSV files"),
    ("gram x.npy -o o.npy --encoding cp1252", "--encoding goes with CSV and PrefLib files"),
    ("corr x.npz -o o.npy --encoding cp1252", "--encoding goes with CSV and PrefLib files"),
    ("gram x.npy -o o.npy --array X", "--array goes with .npz files"),
    ("gram x.csv -o o.npy --expand", "--expand goes with PrefLib files"),
    ("gram votes.soc -o o.npy --input scores", "--input scores does not go with PrefLib files"),
    ("gram x.csv -o o.npy --input marks", "invalid choice: 'marks'"),
    ("gram x.csv -o o.npy --jobs 0", "argument --jobs: '0' must be a whole number from 1, or -1 for one per core"),
    ("gram x.csv -o o.npy --delimiter ab", "argument --delimiter: 'ab' must be one character"),
    ("info --xml", "unrecognized arguments: --xml"),
    (
        "gram x.csv -o o.npy --skip tea milk",
        "arguments: milk; several names of --skip are separated by commas, without spaces",
    ),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[words for words, _ in WRONG])
def test_wrong_usage(words, message, capsys):
    fails(capsys, words, message, code=2)


@pytest.mark.parametrize("place", ["--debug gram x.csv -o o.npy --weight top --k 9", "gram --debug none.csv -o o.npy"])
def test_debug_shows_where(place, capsys):
    run(place, code=1)
    shown = without_sizes(capsys.readouterr().err)
    assert shown.startswith("Traceback (most recent call last):")
    assert shown.splitlines()[-1].startswith("wkendall: ")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "wkendall: not enough memory"),
        (MemoryError("8 GiB"), "wkendall: not enough memory: 8 GiB"),
        (OSError(errno.ENOSPC, "No space left on device"), "wkendall: out.npy: No space left on device"),
        (RuntimeError("two\nlines"), "wkendall: RuntimeError: two lines; --debug shows the traceback"),
    ],
)
def test_whatever_happens_is_one_line(error, message, capsys, monkeypatch):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(gram, "similarity_matrix", fail)
    fails(capsys, "gram x.csv -o out.npy", message)


def test_no_space_is_found_before_the_work(capsys, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    monkeypatch.setattr(gram, "similarity_matrix", None)
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
    fails(capsys, "gram x.csv -o out.npy --progress", 'a progress bar needs tqdm: pip install "wkendall[progress]"')


def test_progress(capsys, monkeypatch):
    run("gram x.csv -o one.npy --progress")
    assert "100%" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run("gram x.csv -o two.npy")
    assert "100%" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run("gram x.csv -o three.npy --no-progress")
    assert without_sizes(capsys.readouterr().err) == ""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    run("gram x.csv -o four.npy")
    assert without_sizes(capsys.readouterr().err) == ""


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line(capsys, monkeypatch):
    def warn(*_, **__):
        import warnings

        warnings.warn("take\ncare", UserWarning, stacklevel=1)

    monkeypatch.setattr(gram, "similarity_matrix", warn)
    run("gram x.csv -o out.npy")
    assert without_sizes(capsys.readouterr().err) == "wkendall: warning: take care\n"
