"""The maps of layers in the docstrings of packages: every module is in one, and imports only those below it."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest
import wkendall

TITLE = "Modules, the highest first. Each module imports only modules below it:\n\n"
PACKAGES = ["wkendall"] + [
    module.name for module in pkgutil.walk_packages(wkendall.__path__, "wkendall.") if module.ispkg
]


def layers(package):
    """The names of each layer, from the top down."""
    # The docstring of the package itself is for users.
    doc = wkendall._LAYERS if package == "wkendall" else importlib.import_module(package).__doc__
    assert TITLE in doc, f"{package} has no map"
    found = []
    for line in doc.partition(TITLE)[2].splitlines():
        if not line.startswith("    "):
            break
        words = line.split()
        count = next(index for index, word in enumerate(words) if not word.endswith(",")) + 1
        found.append([word.rstrip(",") for word in words[:count]])
    return found


def height(package):
    """The height of each module in the map."""
    levels = layers(package)[::-1]
    return {name: level for level, names in enumerate(levels) for name in names}


def modules(package):
    folder = Path(importlib.import_module(package).__file__).parent
    return {path.stem: path for path in folder.iterdir() if path.suffix == ".py"} | {
        path.name: path for path in folder.iterdir() if (path / "__init__.py").exists()
    }


def imports(path):
    """The modules of this package that a file imports anywhere, by their full names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("wkendall."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "wkendall":
            for alias in node.names:
                # A public name of the package stands for the module that has it.
                home = wkendall._LATER.get(alias.name, alias.name) if node.module == "wkendall" else alias.name
                yield f"{node.module}.{home}"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_is_in_the_map(package):
    known = [name for names in layers(package) for name in names]
    assert len(known) == len(set(known))
    assert set(known) - {"_core"} == set(modules(package)) - {"__init__", "__main__"}


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_down(package):
    levels, depth = height(package), package.count(".") + 1
    for name, path in modules(package).items():
        if name in ("__init__", "__main__"):
            continue
        for file in [path] if path.suffix == ".py" else path.rglob("*.py"):
            for found in imports(file):
                parts = found.split(".")
                if ".".join(parts[:depth]) != package or parts[depth] == name:
                    continue
                assert parts[depth] in levels, f"{file} imports {found}, which is not in the map of {package}"
                assert levels[parts[depth]] < levels[name], f"{file} imports {found}, which is not below {name}"
