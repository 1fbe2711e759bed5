"""The package as a whole: names, light import, examples in docstrings and in the README."""

import contextlib
import doctest
import importlib
import inspect
import io
import json
import pkgutil
import pydoc
import re
import subprocess
import sys

import pytest
import wkendall
from paths import ROOT


def test_help_has_a_line_for_every_public_name_and_none_for_the_modules_inside():
    lines = dict(re.findall(r"^    (\w+) +(\S.*)$", wkendall.__doc__, flags=re.MULTILINE))
    assert set(lines) == set(wkendall.__all__) - {"__version__"} | {"dask"}
    shown = pydoc.render_doc(wkendall, renderer=pydoc.plaintext)
    assert "kernel between all pairs of rankings" in shown[: shown.index("PACKAGE CONTENTS")]
    assert "Layers" not in shown[: shown.index("PACKAGE CONTENTS")]
    sections = dict(re.findall(r"^([A-Z ]+)\n(.*?)(?=^[A-Z]|\Z)", shown, flags=re.MULTILINE | re.DOTALL))
    functions = set(re.findall(r"^    (\w+)\(", sections["FUNCTIONS"], flags=re.MULTILINE))
    assert functions == {name for name in wkendall.__all__ if inspect.isroutine(getattr(wkendall, name))}
    assert "DATA" not in sections


def test_dir_lists_public_names_only():
    found = dir(wkendall)
    assert set(wkendall.__all__) <= set(found)
    modules = {module.name for module in pkgutil.iter_modules(wkendall.__path__)} | {"torch"}
    extra = {name for name in found if not name.startswith("__")} - set(wkendall.__all__)
    assert extra <= modules, "more names than the public ones and the modules that have been loaded"


def test_the_first_example_needs_nothing_but_numpy():
    """Importing loads no other library: scikit-learn and its kind come when used."""
    script = "import sys, json, wkendall; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    loaded = json.loads(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    )
    assert not {"sklearn", "scipy", "matplotlib", "pandas", "polars", "tqdm", "dask"} & set(loaded)


def test_modules_are_attributes_without_being_imported():
    for name in ("_core", "arrays", "reading", "learning", "estimators", "datasets"):
        script = f"import wkendall; print(wkendall.{name}.__name__)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout == f"wkendall.{name}\n"


#: All modules but the program itself, whose import runs it.
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(wkendall.__path__, "wkendall.")
    if not module.name.endswith("__main__")
)
#: Those that people use have examples.
PUBLIC = {
    getattr(wkendall, name).__module__ for name in wkendall.__all__ if hasattr(getattr(wkendall, name), "__module__")
} | {f"wkendall.{name}" for name in wkendall.__all__ if inspect.ismodule(getattr(wkendall, name))}


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module):
    if module.endswith(".torch"):
        pytest.importorskip("gpytorch", reason="torch and gpytorch are not installed")
    if module.endswith(".optuna"):
        pytest.importorskip("optuna")
    results = doctest.testmod(importlib.import_module(module))
    assert results.failed == 0
    assert results.attempted > 0 or module not in PUBLIC


#: Those with code; the page of the command line is run with its commands in test_command_process.py.
PAGES = [
    page.relative_to(ROOT)
    for page in (ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if "```python" in page.read_text() and page.name != "command_line.md"
]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_pages(page):
    """Every Python block runs, in one session, and prints what the text block after it says."""
    if page.name == "optimisation.md":
        pytest.importorskip("optuna")
    blocks = re.findall(r"```(\w+)\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    session = {}
    for (language, code), following in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if language != "python":
            continue
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            exec(compile(code, str(page), "exec"), session)
        wanted = following[1] if following[0] == "text" else ""
        assert shown.getvalue().strip() == wanted.strip()
