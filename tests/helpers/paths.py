"""Where things lie that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Data that are not part of the project: tests that need them are skipped where they are not.
SHARED = ROOT.parent / "shared"
SURVEY = SHARED / "data/eurobarometer55_2/counts.csv"
