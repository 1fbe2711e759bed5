"""Small files, damaged or made to do harm: each is refused in one line, without much time or memory.

What fuzz/python found, and what it looks for.
"""

import io
import zipfile
from argparse import Namespace

import numpy as np
import pytest
import wkendall
from wkendall.cli import main
from wkendall.cli.labels import read_labels
from wkendall.cli.messages import CommandError
from wkendall.cli.reading import Source
from wkendall.cli.reading import read_rankings as read_files

READING = {"delimiter": None, "header": None, "id": None, "skip": [], "array": None, "expand": False, "items": None}
READING |= {"layout": "ranks", "input": "scores", "top": "low", "ties": "mean", "missing": "bottom"}
LONG = 50_000


def read_rankings(path, arguments):
    """The rankings of a file."""
    (found,) = read_files(arguments, path)
    return found.rankings


def refused(call, message):
    with pytest.raises((ValueError, CommandError), match=message) as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 1000


# Words that a regular expression could match in many ways: all of them were tried.


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "order", ["1," + " " * LONG + "{", "1,{2}" + " " * LONG + "3", " " * LONG + "x" + " " * LONG + "}"]
)
def test_blanks_in_an_order(tmp_path, order):
    path = tmp_path / "x.toi"
    path.write_text(f"3\n1,a\n2,b\n3,c\n1,1,1\n1,{order}\n")
    refused(lambda: wkendall.read_preflib(path), "line 6: (the braces in|an alternative is)")


def test_blanks_between_places_are_read(tmp_path):
    path = tmp_path / "x.toi"
    path.write_text("3\n1,a\n2,b\n3,c\n1,1,1\n1,\t 2 , { 3 ,1 }\t \n")
    assert np.asarray(wkendall.read_preflib(path)).tolist() == [[2, 1, 2]]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("cell", ["1" * LONG + "x", "1." + "1" * LONG + "x", "-" + "1" * LONG + "e" + "1" * LONG + "-"])
def test_digits_in_a_cell(tmp_path, cell):
    path = tmp_path / "x.csv"
    path.write_text(f"a,b\n1,2\n2,{cell}\n")
    refused(lambda: wkendall.read_csv(path), "line 3: column 2, 'b', holds .* is not a number")


def test_messages_about_long_words_are_short(tmp_path):
    path = tmp_path / "x.soi"
    key = "K" * 5000
    path.write_text(f"# {key}: 1\n# {key}: 2\n")
    refused(lambda: wkendall.read_preflib(path), r"line 2: K+\.\.\. is given again")
    names = "".join(f"{alternative},{alternative}\n" for alternative in range(1, 2001))
    tied = ",\v".join(map(str, range(1, 2001)))
    path.write_text(f"2000\n{names}1,1,1\n1,{{{tied}}}\n")
    refused(lambda: wkendall.read_preflib(path), r"1, 2, 3.*\.\.\. are tied")


@pytest.mark.parametrize("count", [10**12, 10**18 - 1])
def test_more_voters_than_memory(tmp_path, count, capsys):
    path = tmp_path / "x.soc"
    path.write_text(f"2\n1,a\n2,b\n{count},{count},1\n{count},1,2\n")
    assert wkendall.read_preflib(path).counts.tolist() == [count]
    assert main(["gram", str(path), "--expand", "-o", str(tmp_path / "o.npy")]) == 1
    said = capsys.readouterr().err
    assert "memory are available: x.soc without --expand takes less" in said
    assert said.count("\n") == 1


def npy(header, data=b"", version=b"\1\0"):
    size = len(header).to_bytes(2 if version == b"\1\0" else 4, "little")
    return b"\x93NUMPY" + version + size + header.encode("latin-1") + data


def described(shape, dtype="'<f8'"):
    return f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}\n"


def zipped(content, method=zipfile.ZIP_STORED, name="X.npy"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return bytearray(file.getvalue())


SMALL = npy(described((1, 2)), np.array([1.0, 2.0]).tobytes())
HEADERS = {
    "too many rows": (npy(described((10**9, 10**6))), "says .1000000000, 1000000. float64, but 0 bytes follow"),
    "a product that wraps": (npy(described((2**32, 2**32))), "but 0 bytes follow"),
    "too many digits": (npy(described((10**30, 2))), "but 0 bytes follow"),
    "less than nothing": (npy(described((-1, 2)), bytes(16)), "says .-1, 2. float64"),
    "long texts": (npy(described((1, 2), "'<U500000000'")), "but 0 bytes follow"),
    "wide records": (npy(described((1, 2), "[('a', '<f8', (100000000,))]")), "but 0 bytes follow"),
    "the third version": (npy(described((10**9, 10**6)), version=b"\3\0"), "but 0 bytes follow"),
    "deep": (npy("-" * 9000 + "1\n"), "damaged"),
    "deep lists": (npy("[" * 150 + "\n"), "damaged"),
    "keys of two types": (npy("{1: 2, 'a': 3}\n"), "damaged"),
    "keys that are lists": (npy("{[]: 1}\n"), "damaged"),
    "an open string": (npy("{'a\n"), "damaged"),
    "no end": (npy("(\n"), "damaged"),
    "long": (npy(" " * 60_000), "damaged"),
}


@pytest.mark.parametrize(("content", "message"), HEADERS.values(), ids=HEADERS)
def test_headers_of_arrays(tmp_path, content, message):
    for name, whole in (("x.npy", content), ("x.npz", zipped(content))):
        path = tmp_path / name
        path.write_bytes(whole)
        pattern = message if name == "x.npy" or message != "damaged" else "cannot be read"
        refused(lambda path=path: read_rankings(path, Namespace(**READING)), pattern)


def spoilt(content, at, new, where=b"PK\1\2"):
    """Write into the entry of a member in the directory of an archive, and at its own head."""
    place = content.index(where) + at
    content[place : place + len(new)] = new
    return content


ARCHIVES = {
    "bzip2": (zipped(SMALL, zipfile.ZIP_BZIP2), "compressed in a way that NumPy does not use"),
    "lzma": (zipped(SMALL, zipfile.ZIP_LZMA), "compressed in a way that NumPy does not use"),
    "no such way": (spoilt(zipped(SMALL), 10, b"\x63\0"), "compressed in a way that NumPy does not use"),
    "with a password": (spoilt(zipped(SMALL), 8, b"\1\0"), "cannot be read: .*encrypted"),
    "of a later version": (spoilt(zipped(SMALL), 6, b"\xff\0"), "damaged"),
    "a directory before the file": (
        spoilt(zipped(SMALL), 16, b"\xff\xff", b"PK\5\6"),
        "cannot be read: .*Invalid argument",
    ),
    "a huge array": (
        spoilt(zipped(npy(described((2**29, 1)))), 24, b"\xf0\xff\xff\xff"),
        "bytes cannot be in a file of",
    ),
}


@pytest.mark.parametrize(("content", "message"), ARCHIVES.values(), ids=ARCHIVES)
def test_archives_of_arrays(tmp_path, content, message):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    refused(lambda: read_rankings(path, Namespace(**READING)), message)


def test_an_array_with_two_names(tmp_path):
    """NumPy reads X, not X.npy: the one that is checked must be the one that is read."""
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", SMALL)
        archive.writestr("X", HEADERS["too many rows"][0])
    refused(lambda: read_rankings(path, Namespace(**{**READING, "array": "X"})), "but 0 bytes follow")


@pytest.mark.parametrize("items", [3, "abc", ["a"], [["a", "b"]], b""])
def test_items_that_are_no_names(tmp_path, items):
    path = tmp_path / "x.npz"
    np.savez(path, X=[[1, 2]], items=items)
    refused(lambda: read_rankings(path, Namespace(**READING)), "the array 'items' has shape .*a name for each item")


@pytest.mark.parametrize("order", "<>")
def test_texts_with_what_is_no_letter(tmp_path, order):
    texts = np.array([0x61, 0x110000], order + "u4").view(f"{order}U2")
    np.save(tmp_path / "x.npy", texts.reshape(1, 1))
    np.savez(tmp_path / "x.npz", X=[[1]], items=texts)
    message = "a text holds the number 0x110000, which is not a character"
    refused(lambda: read_rankings(tmp_path / "x.npy", Namespace(**READING)), f"x.npy: {message}")
    refused(lambda: read_rankings(tmp_path / "x.npz", Namespace(**READING)), f"x.npz: the array 'items' .*: {message}")
    np.savez(tmp_path / "x.npz", X=[[1]], items=np.array(["\U0010ffff"], f"{order}U2"))
    assert read_rankings(tmp_path / "x.npz", Namespace(**READING)).items == ["\U0010ffff"]


@pytest.mark.parametrize("label", [np.inf, -np.inf, np.nan, 1e300, 0.5, 2.0**63])
def test_labels_that_are_no_whole_numbers(tmp_path, label):
    path = tmp_path / "y.npy"
    np.save(path, np.array([1.0, label]))
    how = Namespace(labels=path, label=None, regression=False)
    refused(
        lambda: read_labels(how, Source(path, wkendall.Rankings([[1], [1]]), {}, ())),
        "the labels are not whole numbers",
    )
    np.save(path, np.array([1, -2], np.float16))
    assert read_labels(how, Source(path, wkendall.Rankings([[1], [1]]), {}, ())).tolist() == [1, -2]


def test_arrays_of_every_version_and_shape_are_read(tmp_path):
    for version in (b"\1\0", b"\2\0", b"\3\0"):
        for shape, data in (((1, 2), np.array([1.0, 2.0]).tobytes()), ((0, 2), b""), ((2, 0), b"")):
            for name, make in (("x.npy", bytes), ("x.npz", zipped)):
                path = tmp_path / name
                path.write_bytes(make(npy(described(shape), data, version)))
                assert read_rankings(path, Namespace(**READING)).shape == shape


@pytest.mark.parametrize("name", ["zeros.npz", "zeros.npy", "bytes.npz"])
def test_an_array_that_does_not_fit_in_memory(tmp_path, capsys, leave_memory, monkeypatch, name):
    """A small file may hold a thousand times its size: the size that it declares is compared before anything is expanded."""
    path = tmp_path / name
    if name == "zeros.npy":
        np.save(path, np.zeros((1000, 500)))
    elif name == "zeros.npz":
        np.savez_compressed(path, X=np.zeros((1000, 500)))
        assert path.stat().st_size < 10_000
    else:  # without the header of an array: NumPy would return the bytes
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("X", bytes(4_000_000))
    leave_memory(3_000_000)
    monkeypatch.setattr(np.lib.format, "read_array", None)
    assert main(["gram", str(path), "-o", str(tmp_path / "o.npy")]) == 1
    said = capsys.readouterr().err
    assert said.endswith("cannot be read: it takes 3.8 MiB, but only 2.9 MiB of memory are available\n")
    assert said.count("\n") == 1
    assert "damaged" not in said
    assert not (tmp_path / "o.npy").exists()
