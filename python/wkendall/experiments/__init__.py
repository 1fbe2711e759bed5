"""The numerical experiments of the paper, and some more. They measure how well each kernel predicts age groups from rankings.

Layers, each using only those below it:

    report     plots, and one page with everything
    table      means, tests and intervals, beside the results of the paper
    store      finished measurements on disk
    running    many measurements in parallel
    protocol   one measurement
"""

from wkendall.experiments.protocol import METHODS, Measurement, Protocol, measure
from wkendall.experiments.report import write_results
from wkendall.experiments.running import run
from wkendall.experiments.store import Store
from wkendall.experiments.table import Row, summarize

__all__ = ["METHODS", "Measurement", "Protocol", "Row", "Store", "measure", "run", "summarize", "write_results"]
