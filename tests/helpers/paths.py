"""Where things lie that tests read."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Data that are not part of the project: tests that need them are skipped where they are not.
SHARED = ROOT.parent / "shared"
SURVEY = SHARED / "data/eurobarometer55_2/counts.csv"


def loaded(path):
    """A script as a module."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
