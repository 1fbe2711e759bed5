"""What the tests of the transformers share."""

import numpy as np
from paths import SHARED
from wkendall import KendallFeatures, KendallNystroem, WeightedKendall

COLON = SHARED / "data/expression/alon/values.csv.gz"
NAN = float("nan")
KINDS = [WeightedKendall, KendallNystroem, KendallFeatures]


def two_classes(rng, rows=60, items=5):
    """Rankings of people of whom one half tends to put the first two items first."""
    scores = rng.standard_normal((rows, items))
    y = np.arange(rows) % 2
    scores[:, :2] += 1.5 * y[:, np.newaxis]
    return (-scores).argsort(axis=1).argsort(axis=1) + 1, y


def pieces_of(mapping, X, size):
    return np.concatenate([vectors for _, vectors in mapping.chunks(X, size)])
