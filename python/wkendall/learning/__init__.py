"""Position weights, and factors of kernels in a mixture, learned from labelled rankings.

Modules, the highest first. Each module imports only modules below it:

    suquan     SUQUAN-SVD: weights from singular vectors
    alternating  optimisation of weights and coefficients in turn
    single_positions  smooth weights of pairs of positions, for thousands of positions
    penalties  penalties that make weights smooth, monotone, or of low rank
    bases      given weights U0 that learned weights stay near
    alignment  weights of kernels, from the alignment of the kernels with the targets
    coefficients   the optimal coefficients for given weights
    interior_point the dual problem of a support vector machine
    singular_values  singular values of weighted sums of permutations
    lanczos          leading eigenvectors by iterations
    position_tensors the tensors of rankings to learn from, complete or not
    decomposition  the decomposition of tensors under permutations
"""

from wkendall.learning.suquan import SuquanSVD, suquan_svd

__all__ = ["SuquanSVD", "suquan_svd"]
