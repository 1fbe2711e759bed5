"""Weighted Kendall kernels for rankings: exact, positive definite, fast.

```python
import wkendall

X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]  # three rankings of four items, 1 is the most preferred
K = wkendall.gram_matrix(X, weight="mult", u="log", normalize=True)
```

Layers, each using only those below it:

    config     show_config
    kernels    gram_matrix and its family
    embedding  the tensors and features behind the kernels
    measures   the parameters of a kernel together
    tensors    general weights, checked
    parameters what a kernel and a run can be told, checked one by one
    rankings   arrays, data frames and lists to checked rankings
    _core      the Rust crate
"""

from wkendall._core import __version__
from wkendall.config import show_config
from wkendall.embedding import combine, embed, features, inverse, linear_function
from wkendall.kernels import correlation, diagonal, distance_matrix, gram_matrix, kappa, kernel, mallows
from wkendall.tensors import position_weights

__all__ = [
    "__version__",
    "combine",
    "correlation",
    "diagonal",
    "distance_matrix",
    "embed",
    "features",
    "gram_matrix",
    "inverse",
    "kappa",
    "kernel",
    "linear_function",
    "mallows",
    "position_weights",
    "show_config",
]
