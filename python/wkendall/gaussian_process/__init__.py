"""Kernels between rankings for Gaussian processes, with hyperparameters that can be learned.

The names here are for scikit-learn. `wkendall.gaussian_process.torch`, or `wkendall.torch`, has kernels for GPyTorch and BoTorch.

>>> from wkendall.gaussian_process import MallowsKernel
>>> MallowsKernel(lam=0.5)([[1, 2, 3], [2, 1, 3]]).round(2)
array([[1.  , 0.61],
       [0.61, 1.  ]])

Layers, each using only those below it:

    scikit_learn, torch  one door each to a library of Gaussian processes
"""

from wkendall.gaussian_process.scikit_learn import MallowsKernel, WeightedKendallKernel

__all__ = ["MallowsKernel", "WeightedKendallKernel"]
