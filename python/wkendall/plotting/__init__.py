"""Plots of weights, rankings and results, with matplotlib (`pip install wkendall[plot]`).

>>> import wkendall
>>> ax = wkendall.plotting.plot_weights(wkendall.position_weights(4, "top", k=2))

Layers, each using only those below it:

    pairs, maps, matrices  pairs of items; rankings as points with the items as directions; heat maps
    figures    weights and results; the axes to draw on
"""

from wkendall.plotting.figures import (
    plot_accuracies,
    plot_differences,
    plot_objective,
    plot_position_scores,
    plot_reduction_factors,
    plot_weights,
)
from wkendall.plotting.maps import plot_map
from wkendall.plotting.matrices import plot_matrix
from wkendall.plotting.pairs import plot_pairs

__all__ = [
    "plot_accuracies",
    "plot_differences",
    "plot_map",
    "plot_matrix",
    "plot_objective",
    "plot_pairs",
    "plot_position_scores",
    "plot_reduction_factors",
    "plot_weights",
]
