"""CSV files: rankings, labels, and the tables of the survey."""

import atheris
from harness import Choices, check, fuzz, options

with atheris.instrument_imports(include=["wkendall"]):
    import numpy as np
    from wkendall.cli.labels import read_labels
    from wkendall.cli.messages import CommandError
    from wkendall.cli.reading import Source, read_rankings
    from wkendall.datasets import load_eurobarometer
    from wkendall.rankings import Rankings
    from wkendall.reading.csv_files import read_csv


def test(data, folder):
    """Read one file in one of four ways."""
    choices = Choices(data)
    way = choices.of([as_rankings, as_command_line, as_labels, as_survey])
    way(choices, folder / "x.csv")


def as_rankings(choices, path):
    """The function of the package."""
    how = {"delimiter": choices.of([None, ",", ";", "\t", " "]), "header": choices.of([None, True, False])}
    how["layout"] = choices.of(["ranks", "choices", "long"])
    how |= {"input": choices.of(["ranks", "scores"]), "ties": "mean", "missing": choices.of(["error", "bottom"])}
    found = check(lambda path: read_csv(path, **how), path, choices.data, (ValueError, OSError))
    if found is not None:
        assert len(found) and (found.items is None or len(found.items) == found.n_items)
        assert all(len(row) <= found.n_items for row in found.to_lists())


def as_command_line(choices, path):
    """The command line, with columns set apart."""
    names = [None, "1", "2", "a", "id"]
    how = options(delimiter=choices.of([None, ";"]), header=choices.of([None, True, False]), id=choices.of(names))
    how.skip = choices.of([[], ["3"], ["b"]])
    label = choices.of(names)
    read = check(lambda path: read_rankings(how, path, apart=[label]), path, choices.data, (CommandError, OSError))
    if read is not None:
        (source,) = read
        rows = len(source.rankings)
        assert rows == len(source.lines) and (label is None or len(source.apart[label]) == rows)
        how.regression = choices.of([False, True])
        how.label = label
        if label is not None:
            check(lambda _: read_labels(how, source), path, choices.data, (CommandError,))


def as_labels(choices, path):
    """A file of labels."""
    how = options(labels=path, label=choices.of([None, "a", "label"]), regression=choices.of([False, True]))
    rows = choices.data.count(b"\n") or 1
    source = Source(path, Rankings(np.ones((rows, 1))), {}, ())
    labels = check(lambda _: read_labels(how, source), path, choices.data, (CommandError, ValueError, OSError))
    assert labels is None or (labels.shape == (rows,) and labels.dtype.kind in "iuUf")


def as_survey(choices, path):
    """The counts table, or the file of ICPSR."""
    people = check(load_eurobarometer, path, choices.data, (ValueError, OSError))
    assert people is None or (people.X.shape == (len(people.y), 6) and len(people.y) > 0)


if __name__ == "__main__":
    fuzz(test)
