"""Kernels between rankings for Gaussian processes, with hyperparameters that can be learned.

The kernels in this module are for scikit-learn. The kernels for GPyTorch and BoTorch are in
`wkendall.gaussian_process.torch`, which is also called `wkendall.torch`.

>>> from wkendall.gaussian_process import MallowsKernel
>>> MallowsKernel(lam=0.5)([[1, 2, 3], [2, 1, 3]]).round(2)
array([[1.  , 0.61],
       [0.61, 1.  ]])

Modules, the highest first. Each module imports only modules below it:

    scikit_learn  the kernels for scikit-learn
    torch         the kernels for GPyTorch and BoTorch
"""

from wkendall.gaussian_process.scikit_learn import MallowsKernel, WeightedKendallKernel

__all__ = ["MallowsKernel", "WeightedKendallKernel"]
