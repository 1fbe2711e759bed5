"""Plots of weights, rankings and results, with matplotlib (`pip install wkendall[plot]`).

Every function draws on the axes `ax` and returns them. If `ax` is absent, the function makes a new figure.

>>> import wkendall
>>> ax = wkendall.plotting.plot_weights(wkendall.position_weights(4, "top", k=2))

Modules, the highest first. Each module imports only modules below it:

    looks      distributions of ranks, how often one item is before another, ranks with intervals
    maps, matrices  rankings as points with the items as directions; heat maps
    figures    weights, pairs of items and results
    axes       the axes to draw on, their size, names and titles
    fonts      fonts that have the letters of all names
"""

from wkendall.plotting.figures import (
    plot_accuracies,
    plot_differences,
    plot_objective,
    plot_pairs,
    plot_position_scores,
    plot_reduction_factors,
    plot_spectrum,
    plot_weights,
)
from wkendall.plotting.looks import plot_rank_intervals, plot_ranks, plot_shares
from wkendall.plotting.maps import plot_map
from wkendall.plotting.matrices import plot_matrix

__all__ = [
    "plot_accuracies",
    "plot_differences",
    "plot_map",
    "plot_matrix",
    "plot_objective",
    "plot_pairs",
    "plot_position_scores",
    "plot_rank_intervals",
    "plot_ranks",
    "plot_reduction_factors",
    "plot_shares",
    "plot_spectrum",
    "plot_weights",
]
