"""Position weights and weights of kernels, learned from labelled rankings.

Layers, each using only those below it:

    suquan     SUQUAN-SVD: weights from singular vectors
    alternating  weights and coefficients in turn
    single_positions  smooth weights of pairs of positions, for thousands of positions
    penalties  penalties that give weights a structure: smooth, monotone, of low rank
    bases      named weights that learned weights stay near to
    alignment  weights of kernels, from their alignment with the targets
    coefficients   the optimal coefficients for given weights
    interior_point the dual problem of a support vector machine
    singular_values  singular values of weighted sums of permutations
    lanczos          leading eigenvectors by iterations
    position_tensors the tensors of rankings to learn from, complete or not
    decomposition  the decomposition of tensors under permutations
"""

from wkendall.learning.suquan import SuquanSVD, suquan_svd

__all__ = ["SuquanSVD", "suquan_svd"]
