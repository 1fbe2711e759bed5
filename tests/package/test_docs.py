"""What the site must hold, found without building it: every page, every public name, every script."""

import importlib
import inspect
import re

import pytest
import wkendall
from paths import ROOT
from wkendall import _core

DOCS = ROOT / "docs"
REFERENCE = (DOCS / "reference.rst").read_text()

#: Modules that people import by themselves.
MODULES = ["wkendall", *(f"wkendall.{name}" for name in wkendall.__all__ if inspect.ismodule(getattr(wkendall, name)))]
MODULES += ["wkendall.dask", "wkendall.experiments", "wkendall.gaussian_process.torch", "wkendall.optimize.optuna"]


def public(module):
    """Functions and classes of a module, by their full names."""
    if module == "wkendall.dask":
        pytest.importorskip("dask")
    if module == "wkendall.gaussian_process.torch":
        pytest.importorskip("gpytorch", reason="torch and gpytorch are not installed")
    if module == "wkendall.optimize.optuna":
        pytest.importorskip("optuna")
    found = importlib.import_module(module)
    assert found.__all__ == sorted(found.__all__)
    members = {f"{module}.{name}": getattr(found, name) for name in found.__all__}
    return {name: member for name, member in members.items() if callable(member)}


def documented():
    """Names in the tables of the reference."""
    names, module, inside = [], None, False
    for line in REFERENCE.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif line and not line.startswith(" "):
            inside = line == ".. autosummary::"
        elif inside and re.fullmatch(r"   \w+", line):
            names.append(f"{module}.{line.strip()}")
    return names


@pytest.mark.parametrize("module", MODULES)
def test_public_names_are_in_the_reference(module):
    there = [name for name in documented() if name.rpartition(".")[0] == module]
    assert sorted(there) == sorted(public(module))


def test_weights_are_in_the_table():
    """The page of the kernels has the table of the crate: names, and the parameter of each."""
    rows = re.findall(r'^\| `"(\w+)"`(?:, `(\w)`)? \|', (DOCS / "kernels.md").read_text(), re.MULTILINE)
    assert rows == [(name, parameter or "") for name, parameter, *_ in _core.weights()]


@pytest.mark.parametrize("module", MODULES)
def test_public_names_have_an_example(module):
    assert [name for name, member in public(module).items() if ">>> " not in (inspect.getdoc(member) or "")] == []


def test_docstrings_cite_no_files_of_the_documentation():
    """A wheel has no folder docs."""
    sources = (ROOT / "python" / "wkendall").rglob("*.py")
    assert [source.name for source in sources if re.search(r"docs/\w+\.(md|rst)", source.read_text("utf-8"))] == []


def contents(page):
    """Pages in the tables of contents of a page."""
    tables = re.findall(r"```\{toctree\}\n(.*?)```", (DOCS / f"{page}.md").read_text(), flags=re.DOTALL)
    return [line for table in tables for line in table.splitlines() if line and not line.startswith(":")]


def test_pages_are_in_a_table_of_contents():
    reached = ["index"]
    for page in reached:
        if (DOCS / f"{page}.md").exists():
            reached += contents(page)
    assert len(reached) == len(set(reached))
    # The gallery is made from the examples.
    assert set(reached) - {"gallery/index", "reference"} == {page.stem for page in DOCS.glob("*.md")}


def test_scripts_are_listed():
    listed = re.findall(r"\(\.\./examples/(\w+\.py)\)", (DOCS / "scripts.md").read_text())
    assert sorted(listed) == sorted(script.name for script in (ROOT / "examples").glob("*.py"))
