"""R save files of the survey are read as they are or refused."""

import bz2
import gzip
import lzma
import sys

import pytest
from survey_files import (
    NIL,
    ROWS,
    TAG,
    check_rows,
    columns_of,
    doubles,
    factor,
    frame,
    integers,
    number,
    pairlist,
    save_file,
    saved,
    sequence,
    strings,
    symbol,
)
from wkendall.datasets import COUNTS, PREFMOD, load_eurobarometer

pytest.importorskip("rdata")
UNREADABLE = r"the file cannot be read as one that R's save\(\) writes \("


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gzip", "bzip2", "xz"]
)
def test_r_save_file(tmp_path, version, pack):
    content = pack(save_file([("euro55.2.des", frame(columns_of()))], version))
    check_rows(load_eurobarometer(saved(tmp_path, "euro55.2.des.RData", content)))
    check_rows(load_eurobarometer(saved(tmp_path, "euro", content)))


def test_r_save_file_as_prefmod_documents_it(tmp_path):
    rows = [(*(7 - 2 * rank for rank in row[:6]), *row[6:]) for row in ROWS]
    names = (*PREFMOD, "SEX", "AGE4", "y")
    columns = {name: doubles([row[place] for row in rows]) for place, name in enumerate(names)}
    columns["SEX"] = factor([row[6] for row in rows], ["male", "female"])
    columns["AGE4"] = factor([row[7] for row in rows], ["1", "2", "3", "4"])
    columns = {"y": columns.pop("y"), **columns}
    call = number(6) + symbol("patt.design") + number(2 | TAG) + symbol("nitems") + doubles([6]) + NIL
    content = save_file([("euro55.2.des", frame(columns, more=[("call", call), ("objnames", strings(names))]))])
    check_rows(load_eurobarometer(saved(tmp_path, "euro55.2.des.RData", gzip.compress(content))))


def test_a_file_of_several_streams(tmp_path):
    content = save_file([("euro55.2.des", frame(columns_of()))])
    packed = gzip.compress(content[:100]) + gzip.compress(content[100:])
    check_rows(load_eurobarometer(saved(tmp_path, "euro55.2.des.RData", packed)))


def test_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdata", None)
    message = r'^x\.rda is a file of R, which needs the package rdata: pip install "wkendall\[rdata\]"$'
    with pytest.raises(ImportError, match=message):
        load_eurobarometer(saved(tmp_path, "x.rda", save_file([("x", frame(columns_of()))])))


def test_r_columns_of_every_kind(tmp_path):
    columns = columns_of()
    columns["television"] = factor([3, 1, 4, 2], ["6", "3", "1", "2"])
    columns["radio"] = strings(["2", "5", "1", "1"])
    columns["y"] = doubles([2, 1, 0, 3])
    columns["row"] = sequence(4, 1)
    shared = number(255 | 1 << 8)
    more = pairlist([("a", integers([1]))]).replace(symbol("a"), shared)
    content = save_file([("x", frame(columns, sequence(4, 1), [("more", more)])), ("other", strings(["a", None]))], 3)
    check_rows(load_eurobarometer(saved(tmp_path, "x.rda", content)))


def with_column(**column):
    return save_file([("x", frame({**columns_of(), **column}))])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (save_file([("x", frame(columns_of(names=COUNTS[:-1])))]), "the column y is missing: there must be television"),
        (save_file([("x", frame(columns_of())), ("z", frame(columns_of()))]), "there must be one .* there are 2"),
        (save_file([("x", frame(columns_of([])))]), UNREADABLE),
        (with_column(y=integers([1, 2])), UNREADABLE),
        (with_column(y=strings(["1", "b", "1", "1"])), "row 2: column y holds 'b'"),
        (with_column(radio=integers([2, 5, 2, 1])), "row 3: the ranks 2, 2, 3, 4, 5, 6 must be the numbers from 1 to"),
        (with_column(z=number(255 | 99 << 8)), UNREADABLE),
        (with_column(z=number(13) + number(-1)), UNREADABLE),
        (with_column(z=number(13) + number(10**6)), UNREADABLE),
        (save_file([("x", (number(19) + number(1)) * 100_000)]), UNREADABLE),
        (b"RDX2", UNREADABLE),
        (gzip.compress(b"television,radio\n"), UNREADABLE),
        (gzip.compress(save_file([("x", frame(columns_of()))]))[:-20], UNREADABLE),
        (lzma.compress(b"x" * 100)[:50], UNREADABLE),
        (b"BZh9 not at all", UNREADABLE),
        (b"", UNREADABLE),
    ],
)
def test_wrong_r_save_files(tmp_path, content, message):
    with pytest.raises(ValueError, match=f"^x.RData: {message}"):
        load_eurobarometer(saved(tmp_path, "x.RData", content))


def test_every_cut_of_an_r_save_file_is_refused(tmp_path):
    content = save_file([("x", frame(columns_of(), sequence(4, 1)))], 3)
    for end in range(len(content) - 4):
        with pytest.raises(ValueError, match=r"^x\.RData: "):
            load_eurobarometer(saved(tmp_path, "x.RData", content[:end]))
