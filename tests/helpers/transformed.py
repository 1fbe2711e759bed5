"""What the tests of the transformers share."""

import numpy as np
from nouns import kernel_of
from paths import SHARED
from wkendall import KendallFeatures, KendallGram, KendallNystroem

COLON = SHARED / "data/expression/alon/values.csv.gz"
NAN = float("nan")
KINDS = [KendallGram, KendallNystroem, KendallFeatures]
KERNEL = {"weight", "k", "u", "U", "W", "order", "check", "signed", "normalize", "lam"}


def made(kind, options, **more):
    """An estimator with the kernel and the other parameters that options describe."""
    kernel = {name: value for name, value in options.items() if name in KERNEL}
    others = {name: value for name, value in options.items() if name not in KERNEL}
    return kind(kernel=kernel_of(kernel) if kernel else None, **others, **more)


def two_classes(rng, rows=60, items=5):
    """Rankings of people of whom one half tends to put the first two items first."""
    scores = rng.standard_normal((rows, items))
    y = np.arange(rows) % 2
    scores[:, :2] += 1.5 * y[:, np.newaxis]
    return (-scores).argsort(axis=1).argsort(axis=1) + 1, y


def pieces_of(mapping, X, size):
    return np.concatenate([vectors for _, vectors in mapping.chunks(X, size)])
