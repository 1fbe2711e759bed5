"""Run files of TREC: the search results of systems for topics."""

from __future__ import annotations

import gzip
import io
import math
import os
import zlib
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import as_order, check_choice
from wkendall._disk import as_path
from wkendall._errors import bad_argument, shown
from wkendall.arrays.options import Reading
from wkendall.arrays.sparse import SparseRows
from wkendall.rankings import Rankings
from wkendall.reading.contents import Contents
from wkendall.reading.text_files import File

By = Literal["score", "rank"]
PathLike = str | os.PathLike[str]
#: The columns of a run file.
COLUMNS = "topic, Q0, document, rank, score, run tag"


def read_trec(
    path: PathLike | Iterable[PathLike] | Mapping[str, PathLike], *, by: By = "score", depth: int | None = None
) -> dict[str, Rankings]:
    r"""Read run files of TREC (Text Retrieval Conference): for each topic, the ranked documents of each search system.

    A topic is a search question. A line of a run file has six columns, separated by white space: topic, Q0, document,
    rank, score and run tag. The run tag is the name of the system. A file may contain the results of several systems.

    Parameters
    ----------
    path : path, iterable of paths, or mapping of names to paths
        A file, a folder (all files in it), or a pattern such as "runs/\*.gz". Files may be compressed by gzip. In a
        mapping, each file has one system. The key of the file is then the name of the system, and the run tag is
        ignored.
    by : {"score", "rank"}
        The column that orders the documents. "score": a larger score is better. (The program trec_eval also uses the
        scores and ignores the ranks.) "rank": a smaller rank is better. Documents with equal scores (or equal ranks)
        are tied.
    depth : int, optional
        Keep only the first `depth` documents of each list, and the documents that are tied with the last of them. The
        default is to keep all documents.

    Returns
    -------
    dict of str to Rankings
        A `Rankings` for each topic. The keys are the topics, in the order in which they first appear. The rows of a
        `Rankings` are the systems, and its `labels` are the names of the systems. Each topic has the same systems, in
        the order in which they first appear. If a system has no results for a topic, its list is empty. The items are
        all documents that at least one system returns for the topic.

    Notes
    -----
    The order of documents can differ from the order in trec_eval. trec_eval rounds scores to single precision, and it
    orders documents with equal scores by their names, from Z to A.

    Examples
    --------
    >>> import pathlib, tempfile, wkendall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "runs.txt")
    ...     _ = path.write_text(
    ...         "1 Q0 doc7 1 9.5 bm25\n1 Q0 doc3 2 8.1 bm25\n1 Q0 doc3 1 0.7 dense\n1 Q0 doc5 2 0.7 dense\n"
    ...     )
    ...     topics = wkendall.read_trec(path)
    >>> topics["1"]
    Rankings: 2 lists of 3 items, 1 with ties, 2 with missing items
      bm25: doc7 > doc3
      dense: doc3 = doc5
    >>> topics["1"].labels
    ['bm25', 'dense']
    """
    check_choice(by, "by", get_args(By))
    most = None if depth is None else as_order(depth, "depth")
    runs = _Runs({}, {})
    for name, source in _files(path):
        _read_run(source, name, by, runs)
    systems = [tag.decode() for tag in runs.systems]
    return {topic.name: topic.rankings(systems, by, most) for topic in runs.topics.values()}


class _Found(NamedTuple):
    """What a system returns for a topic: the column, the score or rank, and the line in the file of each document."""

    file: File
    columns: array[int]
    values: array[float]
    lines: array[int]

    def sorted(self, topic: _Topic, tag: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return columns in increasing order, and their numbers. A document that occurs twice is an error."""
        columns = np.array(self.columns, dtype=np.int64)
        order = np.argsort(columns, kind="stable")
        columns = columns[order]
        again = np.flatnonzero(columns[1:] == columns[:-1])
        if len(again):
            second, first = min((int(order[k + 1]), int(order[k])) for k in again.tolist())
            document = list(topic.documents)[self.columns[second]].decode()
            what = f"topic {shown(topic.name)} of run {shown(tag)} has document {shown(document)} twice"
            reason = f"{what}, first in line {self.lines[first]}"
            self.file.fail(self.lines[second], reason, "duplicate", column=2, value=document)
        return columns, np.array(self.values)[order]


class _Topic(NamedTuple):
    name: str
    #: The column of each document.
    documents: dict[bytes, int]
    #: What each system returns, by the number of the system.
    found: dict[int, _Found]

    def rankings(self, systems: list[str], by: By, depth: int | None) -> Rankings:
        """Return a list for each system."""
        rows, numbers = [np.empty(0, dtype=np.int64)] * len(systems), [np.empty(0)] * len(systems)
        for system, found in self.found.items():
            columns, values = found.sorted(self, systems[system])
            if depth is not None and depth < len(values):
                order = -values if by == "score" else values
                kept = order <= np.partition(order, depth - 1)[depth - 1]
                columns, values = columns[kept], values[kept]
            rows[system], numbers[system] = columns, values
        listed, documents = np.concatenate(rows), [document.decode() for document in self.documents]
        if depth is not None:
            known, listed = np.unique(listed, return_inverse=True)
            documents = [documents[column] for column in known.tolist()]
        bounds = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        lists = SparseRows(bounds, listed, np.concatenate(numbers), (len(systems), len(documents)))
        reading = Reading("scores" if by == "score" else "ranks", ties="mean", missing="bottom")
        return Contents(self.name, lists, documents, systems).rankings(reading)


class _Runs(NamedTuple):
    """What has been read so far."""

    topics: dict[bytes, _Topic]
    #: The number of each system.
    systems: dict[bytes, int]

    def found(self, topic: bytes, tag: bytes, file: File, line: int) -> tuple[_Found, dict[bytes, int]]:
        """Return the object that collects the results of a system for a topic, and the documents of the topic."""
        if topic not in self.topics:
            self.topics[topic] = _Topic(_text(topic, file, line), {}, {})
        known, name = self.topics[topic], _text(tag, file, line)
        system = self.systems.setdefault(tag, len(self.systems))
        found = known.found.setdefault(system, _Found(file, array("q"), array("d"), array("q")))
        if found.file is not file:
            reason = f"run {shown(name)} has results for topic {shown(known.name)} in {found.file.name} as well"
            file.fail(line, f"{reason}; {{name: path, ...}} gives systems other names", "duplicate", 5, name)
        return found, known.documents


def _files(path: object) -> list[tuple[bytes | None, Path]]:
    """Return the files, each with the name of its system if the caller gave a name."""
    if isinstance(path, Mapping):
        named: list[tuple[bytes | None, Path]] = [(str(name).encode(), as_path(file)) for name, file in path.items()]
        if not named:
            raise bad_argument("path", " has no files: pass one at least")
        return named
    several = isinstance(path, Iterable) and not isinstance(path, str | bytes | os.PathLike)
    found: list[Path] = []
    for given in list(cast("Iterable[object]", path)) if several else [path]:
        source = as_path(given)
        if source.is_dir():
            found += sorted(file for file in source.iterdir() if file.is_file() and not file.name.startswith("."))
        elif source.exists() or not any(letter in str(source) for letter in "*?["):
            found.append(source)
        else:
            matching = Path(source.anchor).glob(str(source.relative_to(source.anchor)))
            found += sorted(file for file in matching if file.is_file())
    if not found:
        raise bad_argument("path", f" is {shown(path)}, which has no files: pass one at least")
    return [(None, file) for file in found]


def _read_run(source: Path, name: bytes | None, by: By, runs: _Runs) -> None:
    """Read the lines of a file."""
    file, line = File(source.name, ""), 0
    column, number = (4, _score) if by == "score" else (3, _rank)
    topic = tag = b""
    with source.open("rb") as raw:
        try:
            for line, text in enumerate(_unpacked(raw), 1):
                cells = text.split()
                if len(cells) != 6:
                    if not cells:
                        continue
                    reason = f"there are {len(cells)} columns, but must be 6: {COLUMNS}"
                    file.fail(line, reason, "ragged", value=len(cells))
                if cells[0] != topic or cells[5] != tag:
                    if name is not None and tag not in (b"", cells[5]):
                        tags = f"{shown(_text(cells[5], file, line))} and {shown(tag.decode())}"
                        file.fail(line, f"there are the run tags {tags}, but a file with a name must have one system")
                    topic, tag = cells[0], cells[5]
                    found, documents = runs.found(topic, tag if name is None else name, file, line)
                    add_column, add_value, add_line = found.columns.append, found.values.append, found.lines.append
                document = cells[2]
                if document not in documents:
                    _text(document, file, line)
                    documents[document] = len(documents)
                try:
                    add_value(number(cells[column]))
                except (ValueError, OverflowError):
                    wrong = cells[column].decode(errors="replace")
                    rule = "a finite number" if by == "score" else "a whole number"
                    file.fail(line, f"the {by} is {shown(wrong)}, but must be {rule}", "not a number", column, wrong)
                add_column(documents[document])
                add_line(line)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            file.fail(line + 1, f"the compressed file is damaged: {error}")
    if not topic:
        file.fail(1, "the file is empty")


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    """Return the bytes of a file, without the compression of gzip and without the mark of UTF-8."""
    lines = cast("io.BufferedReader", raw)
    if lines.peek(2)[:2] == b"\x1f\x8b":
        lines = io.BufferedReader(cast("io.RawIOBase", gzip.GzipFile(fileobj=raw)), 1 << 18)
    if lines.peek(3)[:3] == b"\xef\xbb\xbf":
        lines.read(3)
    return lines


def _score(text: bytes) -> float:
    value = float(text)
    if not math.isfinite(value) or b"_" in text:
        raise ValueError
    return value


def _rank(text: bytes) -> float:
    if b"_" in text:
        raise ValueError
    return float(int(text))


def _text(name: bytes, file: File, line: int) -> str:
    """Return a name as text. Bytes that are not UTF-8 are an error."""
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        file.fail(line, f"the byte 0x{name[error.start]:02x} is not UTF-8: the file must be text in UTF-8")
