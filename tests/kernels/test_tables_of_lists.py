"""The tables about lists in docs/incomplete.md, docs/guide.md and `from_lists`: each number is computed again."""

import re

import pytest
import wkendall
from paths import ROOT

PAGE = (ROOT / "docs/incomplete.md").read_text()
KERNELS = {
    "standard": {},
    "average": {"weight": "average"},
    "mult, log": {"weight": "mult", "u": "log"},
    "mult, hyperbolic": {"weight": "mult", "u": "hyperbolic"},
    "signed": {"signed": True},
    "top": {"weight": "top", "k": 10},
}


def similarity(kernel, items=1000, common=0):
    lists = [range(10), range(10 - common, 20 - common)]
    rankings = wkendall.from_lists(lists, items=range(items))
    return wkendall.gram_matrix(rankings, normalize=True, **KERNELS[kernel])[0, 1]


def kernel_named(text):
    """The kernel that a cell of a table means."""
    for key in ("average", "hyperbolic", "log", "signed", "top"):
        if key in text:
            return {"hyperbolic": "mult, hyperbolic", "log": "mult, log"}.get(key, key)
    return "standard"


def agrees(shown, value):
    """Check a number with as many digits as it is shown with."""
    number = shown.replace("\N{MINUS SIGN}", "-")
    digits = len(number.partition(".")[2])
    assert float(number) == pytest.approx(round(value, digits), abs=1e-12), (shown, value)


def rows_of(text, header):
    """The cells of a table in Markdown."""
    table = text[text.index(header) :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in [table[0], *table[2:]]]


def test_kernels_for_lists():
    rows = rows_of(PAGE, '| kernel, with `missing="bottom", normalize=True` |')[1:]
    assert {kernel_named(name) for name, *_ in rows} == set(KERNELS)
    for name, none, half in rows:
        agrees(none, similarity(kernel_named(name)))
        agrees(half, similarity(kernel_named(name), common=5))


def test_numbers_of_items():
    head, *rows = rows_of(PAGE, "| total number of items |")
    sizes = [int(size.replace(",", "")) for size in head[1:]]
    assert len(rows) == 4
    for name, *cells in rows:
        for size, cell in zip(sizes, cells, strict=True):
            agrees(cell, similarity(kernel_named(name), items=size))


def test_the_guide():
    head, cells = rows_of((ROOT / "docs/guide.md").read_text(), "| standard | average |")
    assert [kernel_named(name) for name in head] == [*KERNELS]
    for name, cell in zip(head, cells, strict=True):
        agrees(cell, similarity(kernel_named(name)))


def test_the_docstring():
    table = re.findall(r"^ +(\w.*?) {3,}(-?[0-9.]+)$", wkendall.from_lists.__doc__, flags=re.MULTILINE)
    assert [kernel_named(name) for name, _ in table] == [*KERNELS]
    for name, cell in table:
        agrees(cell, similarity(kernel_named(name)))
