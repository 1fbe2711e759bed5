"""Statistics of rankings and of columns.

Layers, each using only those below it:

    correlations  Kendall's tau-b between the columns of a table
"""

from wkendall.statistics.correlations import Correlations, corr

__all__ = ["Correlations", "corr"]
