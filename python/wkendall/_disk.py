"""File operations that are safe against other processes and power cuts: names, disk space, locks, synced data."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
from contextlib import suppress
from io import FileIO
from pathlib import Path

from wkendall._errors import shown
from wkendall._memory import readable

if sys.platform != "win32":
    import fcntl

#: The number of bytes of a file that are reserved at a time.
_STEP = 2**30
#: The errors of systems where a file cannot have a second name.
_NO_LINKS = {errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}


def claim(unfinished: Path, target: Path) -> None:
    """Give a finished file its final name. If the name is taken, raise FileExistsError and change nothing."""
    if sys.platform == "win32":
        unfinished.rename(target)  # on Windows this never replaces a file
        return
    try:
        os.link(unfinished, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _claim_without_links(unfinished, target)
    else:
        # The file has its final name now, even if the old name cannot be removed.
        with suppress(OSError):
            unfinished.unlink()


def _claim_without_links(unfinished: Path, target: Path) -> None:
    """Do the same as `claim`, on a disk where a file cannot have two names (FAT, some network drives).

    First, an empty file with the final name is created; only one process can do this. For a moment, other processes see
    this empty file.
    """
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        unfinished.replace(target)
    except BaseException:
        # An interruption can come after the renaming.
        if unfinished.exists():
            target.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Sync a folder to disk: otherwise a power cut can lose the name of a new file whose data are on disk."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network drives cannot sync folders.
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.EOPNOTSUPP):
            raise
    finally:
        os.close(handle)


def lock(file: FileIO) -> bool:
    """Lock an open file until it is closed or the process ends; return False if another process holds the lock."""
    if sys.platform == "win32":
        return True
    # Some network drives have no locks. Users have to make sure there that only one process writes.
    with suppress(OSError):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def check_space(path: Path, size: int) -> None:
    """Raise an error if the disk has no room for a file of `size` bytes; the present size of the file counts as room."""
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        return
    with suppress(OSError):
        found = path.stat()
        free += getattr(found, "st_blocks", 0) * 512
    if size > free:
        reason = f"{os.strerror(errno.ENOSPC)}: {readable(size)} are needed and {readable(free)} are free"
        raise OSError(errno.ENOSPC, reason, os.fspath(path))


def reserve(path: Path, start: int) -> None:
    """Reserve the space of a file that is empty from `start` on, so that the disk cannot be full later."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        if hasattr(os, "posix_fallocate"):
            try:
                # In steps: if the system can only write zeros, Ctrl-C would have to wait until all are written.
                for done in range(0, size, _STEP):
                    os.posix_fallocate(file.fileno(), done, min(_STEP, size - done))
                return
            except OSError as error:
                # Some file systems cannot reserve space. The caller handles a full disk.
                if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                    raise
        file.seek(start)
        zeros = bytes(1 << 20)
        for done in range(start, size, len(zeros)):
            file.write(zeros[: size - done])


def as_path(path: object, name: str = "path") -> Path:
    """Return the path of a file."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} must be the name of a file, not {shown(path)}")
    return Path(path)


def resolved(path: Path) -> Path:
    """Return the path of a file; if the path is a link, return the path of its target."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:  # links that lead to each other: Path.resolve may or may not find it
            raise
    return path.resolve()


def same_file(path: Path, other: object) -> bool:
    """Tell whether two names refer to the same existing file."""
    with suppress(OSError, ValueError):
        return isinstance(other, str | os.PathLike) and path.samefile(other)
    return False


def refuse_own_file(path: Path, values: object, name: str) -> None:
    """Raise an error if the file to write is the file of the memory-mapped array `values`."""
    while values is not None:
        if same_file(path, getattr(values, "filename", None)):
            raise ValueError(f"{path} is the file that {name} is read from: use another name for the result")
        values = getattr(values, "base", None)


def write_whole(path: Path, content: str | bytes | list[bytes | memoryview], *, replace: bool = True) -> None:
    """Write a file under a temporary name and then rename it, so that a partial file is never visible.

    A file that is replaced keeps its permissions. If the path is a symbolic link, the target of the link is replaced.
    Pipes and devices are written directly. Without `replace`, an existing file raises FileExistsError.
    """
    data = content.encode() if isinstance(content, str) else content
    pieces = data if isinstance(data, list) else [data]
    target, mode = path, None
    if replace:
        target = Path(os.path.realpath(path))
        with suppress(OSError):
            mode = target.stat().st_mode
    if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        target.write_bytes(b"".join(pieces))
        return
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with unfinished.open("xb") as file:
            file.writelines(pieces)
            file.flush()
            # If the name is on disk before the data, a power cut leaves an empty file.
            os.fsync(file.fileno())
        if mode is not None:
            unfinished.chmod(stat.S_IMODE(mode))
        if replace:
            unfinished.replace(target)
        else:
            claim(unfinished, target)
    except FileExistsError:
        raise FileExistsError(f"{path} was created by another program in the meantime and is not changed") from None
    except OSError as error:
        # The error of a full disk names no file, and users do not know the temporary name.
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        # On a read-only disk the temporary file cannot be removed.
        with suppress(OSError):
            unfinished.unlink()
