"""Checks of the memory that a result needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

#: Advice for a matrix that is too large.
ADVICE = "pass out= with a memory map (np.lib.format.open_memmap), use dtype=np.float32, or compute it in blocks of rows with Y="
#: Advice for a Gram matrix that is too large.
ADVICE_GRAM = f"gram_to_file writes it to a file that may be larger than memory; or {ADVICE}"

#: Up to this many bytes the system is not asked, because asking takes longer than a small Gram matrix.
ALWAYS_FITS = 16 * 1024**2
#: The size of the largest address space, used where the system does not report its memory.
LARGEST = 2**57
#: Larger sizes are not printed.
MAX_SHOWN = 10**6 * 1024**4


def check_fits(
    rows: int, columns: int, dtype: np.dtype[Any], advice: str = ADVICE, *, shape: str | None = None
) -> None:
    """Raise an error, before any work, if a result does not fit into memory; the message has `shape` and `advice`."""
    needed = rows * columns * dtype.itemsize
    if needed <= ALWAYS_FITS:
        return
    available = available_bytes()
    if available is None:
        available = LARGEST
    if needed > available:
        raise ValueError(
            f"the result of {shape or f'{rows} x {columns}'} {dtype} values takes {readable(needed)}, but only "
            f"{readable(available)} of memory are available: {advice}"
        )


def check_room(size: int) -> None:
    """Raise an error, before reading, if the data of a file are larger than the available memory."""
    available = available_bytes() if size > ALWAYS_FITS else None
    if available is not None and size > available:
        raise ValueError(f"it takes {readable(size)}, but only {readable(available)} of memory are available")


def available_bytes() -> int | None:
    """Return the memory that can be allocated without swapping; None if the system does not report it."""
    known = [size for size in (_from_meminfo(), _from_cgroup()) if size is not None]
    return min(known) if known else _from_sysconf()


def _from_meminfo(path: Path = Path("/proc/meminfo")) -> int | None:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _from_cgroup(folder: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return the remaining memory of a container; cached files are not counted as used, because the system can drop them."""
    versions = [
        (folder, "memory.max", "memory.current", "inactive_file"),
        (folder / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ]
    for place, limit, usage, cached in versions:
        try:
            statistics = dict(line.split() for line in (place / "memory.stat").read_text().splitlines())
            return int((place / limit).read_text()) - int((place / usage).read_text()) + int(statistics[cached])
        except (OSError, ValueError, KeyError):  # no such limit: a file is absent or says "max"
            continue
    return None


def _from_sysconf() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf; NumPy's MemoryError has to suffice there
        return None


def readable(size: float) -> str:
    """Format a number of bytes."""
    if size > MAX_SHOWN:
        return "over a million TiB"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
