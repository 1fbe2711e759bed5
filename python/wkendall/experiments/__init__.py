"""The numerical experiments of the paper, and some more experiments.

The paper is Jiao and Vert, "The Weighted Kendall and High-order Kernels for Permutations". The experiments measure how
well each kernel predicts the age group of people from their rankings.

Modules, the highest first. Each module imports only modules below it:

    report     plots, and one page with all results
    table      means, tests and intervals, and the results of the paper for comparison
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
