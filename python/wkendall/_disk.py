"""What a file system can promise: names that are given once, space that is there, one writer at a time, data that is on disk."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import sys
from contextlib import suppress
from io import FileIO
from pathlib import Path

from wkendall._memory import readable
from wkendall._text import shown

if sys.platform != "win32":
    import fcntl

#: Bytes of a file that are claimed at a time.
_STEP = 2**30
#: What systems say if a file cannot have a second name on this disk.
_NO_LINKS = {errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}


def claim(unfinished: Path, target: Path) -> None:
    """Give a finished file its final name. If the name is taken, raise FileExistsError and change nothing.

    Examples
    --------
    >>> import tempfile
    >>> from wkendall._disk import claim
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "a.part").touch()
    >>> claim(folder / "a.part", folder / "a")
    >>> [path.name for path in folder.iterdir()]
    ['a']
    """
    if sys.platform == "win32":
        unfinished.rename(target)  # it never replaces a file there
        return
    try:
        os.link(unfinished, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _claim_without_links(unfinished, target)
    else:
        # It has its name now, whether or not it loses the other one.
        with suppress(OSError):
            unfinished.unlink()


def _claim_without_links(unfinished: Path, target: Path) -> None:
    """Do the same where files have one name each (FAT, some network drives).

    An empty file takes the name first, which only one process can make. For a moment others see it empty.
    """
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        unfinished.replace(target)
    except BaseException:
        # An interruption can come when it has its name.
        if unfinished.exists():
            target.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Have the names of a folder on disk: a new name can get lost in a power cut although what it stands for is there."""
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
    """Keep other processes out of an open file until it is closed or the process is gone; False if another one has it."""
    if sys.platform == "win32":
        return True
    # Some network drives know no locks; whoever writes there has to know that nobody else does.
    with suppress(OSError):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def check_space(path: Path, size: int) -> None:
    """Refuse a file of so many bytes that the disk has no room for; what the file has already counts as there."""
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
    """Claim the space of a file that is empty from `start` on, so that it cannot run out later."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        if hasattr(os, "posix_fallocate"):
            try:
                # In steps: where the system can only write zeros, Ctrl-C would have to wait for the last one.
                for done in range(0, size, _STEP):
                    os.posix_fallocate(file.fileno(), done, min(_STEP, size - done))
                return
            except OSError as error:
                # Some file systems cannot; that there is no space is for the caller.
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


def same_file(path: Path, other: object) -> bool:
    """Tell whether two names lead to one file that is there."""
    with suppress(OSError, ValueError):
        return isinstance(other, str | os.PathLike) and path.samefile(other)
    return False


def refuse_own_file(path: Path, values: object, name: str) -> None:
    """Refuse to write to the file that an array is mapped from."""
    while values is not None:
        if same_file(path, getattr(values, "filename", None)):
            raise ValueError(f"{path} is the file that {name} is read from: use another name for the result")
        values = getattr(values, "base", None)


def write_whole(path: Path, content: str | bytes, *, replace: bool = True) -> None:
    """Write a file beside the place where it belongs and move it there, so that nobody ever sees a part of it.

    Unless it may `replace` what is there, FileExistsError is raised if something is.
    """
    data = content.encode() if isinstance(content, str) else content
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            # A name that is on disk before what it stands for is an empty file after a power cut.
            os.fsync(file.fileno())
        if replace:
            unfinished.replace(path)
        else:
            claim(unfinished, path)
    except FileExistsError:
        raise FileExistsError(f"{path} was made by something else meanwhile, and is left alone") from None
    except OSError as error:
        # A full disk names no file, and the unfinished one means nothing to anybody.
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        # What could not be written cannot be removed either, on a disk that is read only.
        with suppress(OSError):
            unfinished.unlink()
