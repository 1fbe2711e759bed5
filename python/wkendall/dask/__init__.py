"""Gram matrices, features and neighbours of dask arrays, block by block (`pip install "wkendall[dask]"`).

Results are computed lazily, that is, only when you call `compute()`. To compute a block, the function of the same name
in `wkendall` is called with one or two chunks of rankings. By default the call uses one thread, because dask computes
as many blocks at once as it has threads.

Modules, the highest first. Each module imports only modules below it:

    matrices, nearest  the functions
    blocks             how arrays are split into blocks, and the computation of a block
"""

from wkendall.dask.blocks import BLOCK_BYTES as BLOCK_BYTES
from wkendall.dask.matrices import features, gram_matrix
from wkendall.dask.nearest import neighbors, neighbors_within

__all__ = ["features", "gram_matrix", "neighbors", "neighbors_within"]
