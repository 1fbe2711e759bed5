"""The package as a whole: names, light import, examples in docstrings and in the README."""

import contextlib
import doctest
import importlib
import inspect
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import wkendall

ROOT = Path(__file__).parents[1]


def test_names():
    assert wkendall.__all__ == sorted(wkendall.__all__)
    for name in wkendall.__all__:
        assert hasattr(wkendall, name)
        if callable(getattr(wkendall, name)):
            assert inspect.getdoc(getattr(wkendall, name))


def test_the_first_example_needs_nothing_but_numpy():
    """Importing loads no other library: scikit-learn and its kind come when used."""
    script = "import sys, json, wkendall; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    loaded = json.loads(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    )
    assert not {"sklearn", "scipy", "matplotlib", "pandas", "polars", "tqdm", "dask"} & set(loaded)


@pytest.mark.parametrize(
    "module",
    [
        "cli",
        "cli.output",
        "config",
        "datasets",
        "embedding",
        "estimators",
        "kernels",
        "learning",
        "lists",
        "plotting",
        "tensors",
    ],
)
def test_docstrings(module):
    results = doctest.testmod(importlib.import_module(f"wkendall.{module}"))
    assert results.failed == 0
    assert results.attempted > 0


@pytest.mark.parametrize("page", ["README.md", "docs/high_order.md", "docs/learning.md", "docs/incomplete.md"])
def test_pages(page):
    """Every Python block runs, in one session, and prints what the text block after it says."""
    blocks = re.findall(r"```(\w+)\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    assert [language for language, _ in blocks].count("python") >= 2
    session = {}
    for (language, code), following in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if language != "python":
            continue
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            exec(compile(code, page, "exec"), session)
        wanted = following[1] if following[0] == "text" else ""
        assert shown.getvalue().strip() == wanted.strip()
