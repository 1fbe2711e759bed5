"""NumPy's files: headers of arrays, and archives of arrays."""

import io
import zipfile

import atheris
import numpy as np
from harness import Choices, check, fuzz, options

with atheris.instrument_imports(include=["wkendall"]):
    from wkendall.cli.labels import read_labels
    from wkendall.cli.messages import CommandError
    from wkendall.cli.reading import Source, read_rankings
    from wkendall.rankings import Rankings

# Of NumPy, which takes minutes to instrument, and of zipfile only what reads.
of_numpy = np.lib.format.read_array.__globals__
for name in ("read_array", "_read_array_header", "_filter_header", "_read_bytes", "descr_to_dtype"):
    if name in of_numpy:
        atheris.instrument_func(of_numpy[name])
for function in (
    zipfile.ZipFile._RealGetContents,
    zipfile.ZipFile.open,
    zipfile._EndRecData,
    zipfile.ZipInfo._decodeExtra,
):
    atheris.instrument_func(function)

METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def test(data, folder):
    """Read an array, an archive, or an archive made of arrays."""
    choices = Choices(data)
    way = choices.of(["npy", "npz", "made"])
    if way == "npy":
        content, path = choices.data, folder / "x.npy"
        read = check(lambda path: read_rankings(options(), path), path, content, (CommandError, OSError))
        assert read is None or len(read) == 1
        as_labels(choices, path)
        return
    label, name = choices.of([None, "y"]), choices.of([None, "X", "a"])
    content, path = (choices.data if way == "npz" else archive(choices)), folder / "x.npz"
    how = options(array=name, label=label)
    read = check(lambda path: read_rankings(how, path, apart=[label]), path, content, (CommandError, OSError))
    if read is not None:
        (source,) = read
        assert source.rankings.items is None or len(source.rankings.items) == source.rankings.n_items
        if label is not None:
            check(lambda _: read_labels(how, source), path, content, (CommandError,))


def as_labels(choices, path):
    """An array of labels."""
    how = options(labels=path, regression=choices.of([False, True]))
    source = Source(path, Rankings(np.ones((3, 1))), {}, ())
    labels = check(lambda _: read_labels(how, source), path, choices.data, (CommandError, OSError))
    assert labels is None or labels.shape == (3,)


def archive(choices):
    """Make an archive of parts of the input, so that checksums hold."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", choices.of(METHODS)) as members:
        for name, content in zip(["X.npy", "y.npy", "items.npy"], choices.data.split(b"|||"), strict=False):
            members.writestr(name, content)
    return file.getvalue()


if __name__ == "__main__":
    fuzz(test)
