"""Where things lie that tests read."""

import importlib.util
import os
from pathlib import Path

import wkendall

ROOT = Path(__file__).parents[2]
#: Data that are not part of the project: tests that need them are skipped where they are not.
SHARED = ROOT.parent / "shared"
SURVEY = SHARED / "data/eurobarometer55_2/counts.csv"

#: For processes: they work in another folder, and are to find the same package.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(wkendall.__file__).resolve().parents[1])}


def loaded(path):
    """A script as a module."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
