"""Finished measurements on disk, one line for each. A run can therefore be killed at any time and resumed later."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall._disk import lock, write_whole
from wkendall.experiments.protocol import Measurement, Protocol

#: Increased when measurements with the same settings give other results.
VERSION = 2
#: The result files of a run. Files of these names may belong to somebody else.
RESULTS = (
    *("table.csv", "table.json", "report.html", "accuracies.png", "differences.png", "reduction_factors.png"),
    *("weights_suquan-svd.png", "weights_alternating.png"),
)


class Store:
    """A folder with the settings and the measurements of a run. The folder is locked until `close` is called.

    The folder is created if it does not exist. `settings` are the settings of all measurements; see `settings_of`. With
    `resume=True`, the measurements in the folder are kept, so that an earlier run can be continued. `settings` must
    then be the same as the settings in the folder.

    Examples
    --------
    >>> import tempfile
    >>> from wkendall.experiments import Measurement, Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder, {"seed": 0})
    ...     store.add(Measurement("standard", 0, 0.62, 0.64, {"C": 1.0}, 0.2, None))
    ...     store.close()
    ...     again = Store(folder, {"seed": 0}, resume=True)
    ...     again.close()
    >>> again.missing(["standard", "average"], repeats=2)
    [('average', 0), ('standard', 1), ('average', 1)]
    """

    def __init__(self, folder: str | os.PathLike[str], settings: dict[str, Any], *, resume: bool = False) -> None:
        self.folder = Path(folder)
        self.settings = settings
        if self.folder.is_file():
            raise FileExistsError(f"{self.folder} is a file, but the results need a folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lines = self.folder / "measurements.jsonl"
        self.measurements: dict[tuple[str, int], Measurement] = {}
        self._file = self._lines.open("ab", buffering=0)
        try:
            # Without locks, as on some network drives, two runs would do the same work twice, with the same results.
            if not lock(self._file):
                raise FileExistsError(
                    f"another run is writing to {self.folder}: wait until it ends, or use another folder"
                )
            self._begin(resume)
            #: Result files of this run from before it was resumed. Only these may be overwritten.
            self.results = {name for name in RESULTS if (self.folder / name).exists()}
        except BaseException:
            self._file.close()
            raise

    def _begin(self, resume: bool) -> None:
        described = self.folder / "settings.json"
        if described.exists():
            if not resume:
                raise FileExistsError(
                    f"{self.folder} already has results: continue with --resume, or use another folder"
                )
            self._compare(described, self.settings)
            self._read()
            return
        if self._lines.stat().st_size:
            raise FileExistsError(f"{self._lines} has no {described.name} beside it: use another folder")
        for name in RESULTS:
            if (self.folder / name).exists():
                self._lines.unlink()
                raise FileExistsError(f"{self.folder / name} already exists, but is not from a run: use another folder")
        write_whole(described, json.dumps(self.settings, indent=2) + "\n", replace=False)

    def _compare(self, described: Path, settings: dict[str, Any]) -> None:
        try:
            found = dict(json.loads(described.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise ValueError(f"{described} is damaged: use another folder") from None
        # The same people may come from a file with another name.
        same = {"data"} if found.get("hash") == settings.get("hash") else set()
        for name, value in settings.items():
            if found.get(name) != value and name not in same:
                raise ValueError(
                    f"{self.folder} was made with {name} = {found.get(name)!r}, not {value!r}: use the same, or another folder"
                )

    def _read(self) -> None:
        """Read the measurements. A last line without a line end was not finished, and is removed."""
        data = self._lines.read_bytes()
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines(), start=1):
            try:
                measurement = Measurement(**json.loads(line))
                numbers = measurement.accuracy, measurement.validated, measurement.seconds
                if not all(0 <= number < math.inf for number in numbers):
                    raise ValueError
                self.measurements[measurement.kernel, measurement.repetition] = measurement
            except (ValueError, TypeError):
                raise ValueError(f"line {number} of {self._lines} is damaged: remove the line, and resume") from None
        self._file.truncate(whole)

    def missing(self, kernels: Iterable[str], repeats: int) -> list[tuple[str, int]]:
        """Return the tasks (kernel and repetition) that have no measurement yet, one repetition after another."""
        kernels = list(kernels)
        tasks = [(kernel, repetition) for repetition in range(repeats) for kernel in kernels]
        return [task for task in tasks if task not in self.measurements]

    def chosen(self, kernels: Iterable[str], repeats: int) -> list[Measurement]:
        """Return the finished measurements of these kernels and repetitions, one kernel after another."""
        found = self.measurements
        return [found[kernel, i] for kernel in kernels for i in range(repeats) if (kernel, i) in found]

    def add(self, measurement: Measurement) -> None:
        """Store a measurement. When this method returns, the measurement is on disk."""
        line = json.dumps(measurement._asdict()).encode() + b"\n"
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            error.filename = os.fspath(self._lines)
            raise
        self.measurements[measurement.kernel, measurement.repetition] = measurement

    def close(self) -> None:
        """Close the file and release the lock."""
        self._file.close()


def settings_of(X: NDArray[np.int64], y: NDArray[np.int64], protocol: Protocol, data: str) -> dict[str, int | str]:
    """Return the settings of a run: the protocol, the source and the number of the people, and a hash of the data."""
    people = np.ascontiguousarray(np.column_stack([X, y]).astype("<i8"))
    return {
        "version": VERSION,
        **protocol._asdict(),
        "data": data,
        "people": len(X),
        "hash": hashlib.sha256(people.tobytes()).hexdigest()[:16],
    }
