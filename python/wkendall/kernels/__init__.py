"""The kernels between rankings: what one is told, its values, its embedding, and matrices larger than memory.

to_file    Gram matrices larger than memory, in files
journal    what a long run has done so far, on disk
blocks     a matrix cut into blocks
gram       gram_matrix and its family
embedding  the tensors and features behind the kernels
specification  the parameters of a kernel together
tensors    general weights, checked
low_rank   factors of a matrix of weights
"""

from wkendall.kernels.embedding import combine, embed, features, inverse, linear_function
from wkendall.kernels.gram import correlation, diagonal, distance_matrix, gram_matrix, kappa, kernel, mallows
from wkendall.kernels.tensors import position_weights
from wkendall.kernels.to_file import gram_to_file

__all__ = [
    "combine",
    "correlation",
    "diagonal",
    "distance_matrix",
    "embed",
    "features",
    "gram_matrix",
    "gram_to_file",
    "inverse",
    "kappa",
    "kernel",
    "linear_function",
    "mallows",
    "position_weights",
]
