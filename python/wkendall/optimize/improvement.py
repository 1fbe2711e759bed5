"""The logarithm of the expected improvement, which distinguishes values that would underflow."""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, ndtr

from wkendall._arguments import Array

_HALF_LOG = 0.5 * np.log(2 * np.pi)
#: Below this, 1 + z r(z) is computed from its series 1 / z^2, because the direct formula loses all digits.
_FAR = -1e3


def log_improvement(best: float, mean: Array, deviation: Array) -> Array:
    """Return the logarithm of E max(best - Y, 0) for normal Y.

    With z = (best - mean) / deviation it is deviation (z cdf(z) + pdf(z)). For negative z, cdf / pdf is Mills' ratio
    r(z) = sqrt(pi / 2) erfcx(-z / sqrt 2), and the sum is pdf(z) (1 + z r(z)).
    """
    z = (best - mean) / deviation
    near = np.maximum(z, -1.0)
    above = np.log(near * ndtr(near) + np.exp(-near * near / 2 - _HALF_LOG))
    far = np.minimum(z, -1.0)
    rest = 1 + far * np.sqrt(np.pi / 2) * erfcx(-far / np.sqrt(2))
    rest = np.where(far < _FAR, 1 / (far * far), np.maximum(rest, np.finfo(float).tiny))
    below = np.log(rest) - far * far / 2 - _HALF_LOG
    found: Array = np.where(z > -1, above, below) + np.log(deviation)
    return found
