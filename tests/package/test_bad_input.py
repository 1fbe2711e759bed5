"""The table of bad input: every wrong call is refused with one clear sentence."""

import re

import pytest
import wkendall
from bad_arguments import MORE
from bad_kernels import ENTRIES, KERNELS, WEIGHTS
from bad_objects import OBJECTS
from bad_pairs import PAIRS
from bad_points import POINTS
from bad_samples import SAMPLES
from paths import ROOT

ENTRIES_NAMED = [
    (name, call, (TypeError, ValueError), [f"row {row}", f"column {column}", f"holds {value}"])
    for name, call, row, column, value in ENTRIES
]
GROUPS = {
    "kernels": KERNELS,
    "weights": WEIGHTS,
    "entries": ENTRIES_NAMED,
    "more": MORE,
    "objects": OBJECTS,
    "pairs": PAIRS,
    "optimisation": POINTS,
    "samples": SAMPLES,
}
TABLE = [(f"{group}: {row[0]}", *row[1:]) for group, rows in GROUPS.items() for row in rows]
#: Words of Python, NumPy, PyO3 and of the inside of this package, which tell a user nothing.
INTERNAL = (
    "_core", "wkendall.", "PyO3", "pyo3", "panicked", "NoneType' object", "NoneType object", "argument '", "object at 0x",
    "has no attribute", "object is not", "cannot be interpreted", "unsupported operand", "not supported between",
    "inhomogeneous", "setting an array element", "ambiguous", "Exceeds the limit", "too large to convert", "unhashable",
    "incomplete rankings cannot", "Traceback",
)  # fmt: skip


def test_names_are_used_once():
    names = [row[0] for row in TABLE]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)


def test_every_public_name_is_in_the_table():
    """Each function and class is called at least once in the sources of the table."""
    sources = "".join(
        (ROOT / "tests/helpers" / name).read_text()
        for name in (
            "bad_kernels.py",
            "bad_arguments.py",
            "bad_objects.py",
            "bad_pairs.py",
            "bad_points.py",
            "bad_samples.py",
        )
    )
    modules = {"datasets", "plotting", "gaussian_process", "optimize"}
    results = {"Consensus", "Correlations", "Neighbors", "PairImportance", "TestResult"}
    for name in set(wkendall.__all__) - modules - results - {"__version__", "show_config", "RankingError"}:
        assert re.search(rf"wkendall\.{name}\b", sources), name
    for module in modules:
        for name in getattr(wkendall, module).__all__:
            assert re.search(rf"\b{name}\(|\.{name}\b", sources), name


@pytest.mark.parametrize(("call", "error", "words"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_refused(call, error, words):
    with pytest.raises(error) as raised:
        call()
    message = str(raised.value)
    if isinstance(words, str):
        assert re.search(words, message), message
    else:
        for word in words:
            assert word in message, message
    assert "\n" not in message
    assert len(message) < 500
    for word in INTERNAL:
        assert word not in message
