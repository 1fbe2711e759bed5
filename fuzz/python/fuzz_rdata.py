"""Data frames that R saved, compressed or not."""

import atheris
from harness import check, fuzz

with atheris.instrument_imports(include=["wkendall"]):
    import numpy as np
    from wkendall.datasets import load_eurobarometer


def test(data, folder):
    """Read a save file of a survey."""
    people = check(load_eurobarometer, folder / "x.RData", data, (ValueError, OSError))
    if people is not None:
        assert people.X.shape == (len(people.y), 6)
        assert (np.sort(people.X, axis=1) == np.arange(1, 7)).all()


if __name__ == "__main__":
    fuzz(test)
