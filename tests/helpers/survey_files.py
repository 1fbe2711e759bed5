"""People in the rows of the files of the survey, and R save files made by hand; a protocol for small experiments."""

import struct

import numpy as np
import pytest
from paths import SURVEY
from wkendall.datasets import COUNTS, ITEMS, make_survey
from wkendall.experiments import Measurement, Protocol

ROWS = [
    (1, 2, 3, 4, 5, 6, 1, 1, 2),
    (6, 5, 4, 3, 2, 1, 2, 3, 1),
    (2, 1, 3, 4, 5, 6, 1, 4, 0),
    (3, 1, 2, 6, 5, 4, 2, 2, 3),
]
WANTED = [[1, 2, 3, 4, 5, 6]] * 2 + [[6, 5, 4, 3, 2, 1]] + [[3, 1, 2, 6, 5, 4]] * 3

needs_survey = pytest.mark.skipif(not SURVEY.exists(), reason="the counts of the survey are not there")

OBJECT, ATTRIBUTES, TAG = 0x100, 0x200, 0x400
NIL = struct.pack(">i", 0xFE)


def number(value):
    return struct.pack(">i", value)


def chars(text):
    if text is None:
        return number(9) + number(-1)
    return number(9 | 64 << 12) + number(len(text.encode())) + text.encode()


def symbol(text):
    return number(1) + chars(text)


def pairlist(pairs, flags=0):
    return b"".join(number(2 | TAG | flags) + symbol(tag) + value for tag, value in pairs) + NIL


def vector(kind, body, attributes=()):
    return (
        number(kind | (OBJECT | ATTRIBUTES if attributes else 0)) + body + (pairlist(attributes) if attributes else b"")
    )


def integers(values, attributes=()):
    return vector(13, number(len(values)) + b"".join(map(number, values)), attributes)


def doubles(values, attributes=()):
    return vector(14, number(len(values)) + struct.pack(f">{len(values)}d", *values), attributes)


def strings(values):
    return vector(16, number(len(values)) + b"".join(map(chars, values)))


def factor(codes, levels):
    return integers(codes, [("levels", strings(levels)), ("class", strings(["factor"]))])


def sequence(length, first, kind="compact_intseq"):
    info = number(2) + symbol(kind) + number(2) + symbol("base") + number(2) + integers([13]) + NIL
    return number(238) + info + doubles([length, first, 1]) + NIL


def frame(columns, row_names=None, more=(), kind="data.frame"):
    body = number(len(columns)) + b"".join(columns.values())
    names = ("names", strings(list(columns)))
    rows = ("row.names", row_names or integers([-(2**31), -len(ROWS)]))
    return vector(19, body, [names, rows, ("class", strings(["pattdes", kind])), *more])


def save_file(objects, version=2):
    head = b"RDX%d\nX\n" % version + number(version) + number(0x30600) + number(0x20300)
    head += number(5) + b"UTF-8" if version == 3 else b""
    return head + pairlist(objects)


def columns_of(rows=ROWS, names=COUNTS):
    return {name: integers([row[place] for row in rows]) for place, name in enumerate(names)}


def table(rows, names=COUNTS, separator=","):
    return "".join(separator.join(map(str, row)) + "\n" for row in (names, *rows))


def saved(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def check_rows(people):
    np.testing.assert_array_equal(people.X, WANTED)
    np.testing.assert_array_equal(people.y, [0, 0, 1, 0, 0, 0])
    np.testing.assert_array_equal(people.sex, [1, 1, 2, 2, 2, 2])
    np.testing.assert_array_equal(people.age_group, [1, 1, 3, 2, 2, 2])
    assert people.items == list(ITEMS)
    assert people.left_out == 0
    for array in (people.X, people.y, people.sex, people.age_group):
        assert array.dtype == np.int64


PEOPLE = make_survey(2000, rng=1)
SMALL = Protocol(train=40, test=20, folds=4, seed=7)


def made_up(kernel, accuracies):
    return [Measurement(kernel, i, accuracy, 0.6, {"C": 1.0}, 0.1, None) for i, accuracy in enumerate(accuracies)]
