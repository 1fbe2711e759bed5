"""Kernels between rankings: their parameters, their values, their embedding, and matrices larger than memory.

Layers, each using only those below it:

    to_file    Gram matrices larger than memory
    matrix_file  the file of a matrix, written block by block
    journal    the record on disk of the finished parts of a long run
    blocks     a matrix cut into blocks
    nearest    neighbours of rankings, and bits for binary indexes of other libraries
    pair       one pair of rankings, one permutation, the correlation
    gram       matrices of all pairs, and the diagonal
    embedding  the tensors and features whose inner products are the kernels
    run        how results are computed: type, threads, progress, strategy
    specification  what is computed: a kernel with its parameters, or the distance
    tensors    general weights, checked
    low_rank   factors of a matrix of weights
    named_weights  the weights that have names
"""

from wkendall.kernels.embedding import combine, embed, features, inverse, linear_function
from wkendall.kernels.gram import diagonal, distance_matrix, gram_matrix, mallows
from wkendall.kernels.nearest import Neighbors, neighbors, neighbors_graph, packed_signs
from wkendall.kernels.pair import correlation, kappa, kernel
from wkendall.kernels.tensors import position_weights
from wkendall.kernels.to_file import gram_to_file

__all__ = [
    "Neighbors",
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
    "neighbors",
    "neighbors_graph",
    "packed_signs",
    "position_weights",
]
