"""Files of orders from PrefLib."""

import atheris
from harness import Choices, check, fuzz, options

with atheris.instrument_imports(include=["wkendall"]):
    import numpy as np
    from wkendall.cli.messages import CommandError
    from wkendall.cli.reading import read_rankings
    from wkendall.reading.preflib import read_preflib

ENDINGS = [".soc", ".soi", ".toc", ".toi"]


def test(data, folder):
    """Read a file as Python and as the command line."""
    choices = Choices(data)
    ending, expand = choices.of(ENDINGS), choices.of([False, True])
    path = folder / f"x{ending}"
    found = check(read_preflib, path, choices.data, (ValueError, OSError))
    if found is not None:
        check_orders(ending, np.asarray(found, dtype=float), found.items, found.counts)
    how = options(expand=expand, input="ranks")
    source = check(lambda path: read_rankings(how, path), path, choices.data, (CommandError, ValueError))
    if source is not None:
        assert found is not None
        assert len(source[0].rankings) == (found.counts.sum() if expand else len(found))


def check_orders(ending, X, items, counts):
    """Rows are what the ending of the file says."""
    assert X.shape == (len(counts), len(items)) and len(set(items)) == len(items) and (counts > 0).all()
    for row in X:
        ranks = row[~np.isnan(row)]
        assert len(ranks), "an order of nothing"
        assert all(rank == 1 + (ranks < rank).sum() for rank in ranks)
        assert ending in (".toc", ".toi") or len(set(ranks)) == len(ranks)
        assert ending in (".soi", ".toi") or len(ranks) == len(items)


if __name__ == "__main__":
    fuzz(test)
