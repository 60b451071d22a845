"""Whole files: reading one with errors that say what to do, and writing one so that nobody ever sees half of it."""

import contextlib
import os
import stat
from collections.abc import Callable

from piecetokenizer.errors import ModelError

__all__ = ["read_file", "write_atomically"]

HEAD = 4096
"""Bytes that are looked at before the rest is read, so that a wrong file of any size is refused at once."""


def read_file(path: str | os.PathLike[str], *, check_head: Callable[[bytes, str], None] | None = None) -> bytes:
    """The bytes of a file.  `check_head(head, name)` may refuse the file after its first bytes."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
            if check_head is not None:
                check_head(head, name)
            return head + file.read()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path; ModelError is one too and goes on as it is
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{name}: cannot be read: {_reason(error)}") from None


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file as a whole: a temporary file beside it, synced to disk, then renamed over it.

    Whatever fails (disk full, Ctrl-C, no permission), the old file stays as it was and the temporary one is removed.  A file
    that existed keeps its permissions, a new one gets the usual ones (umask).  A symbolic link stays one; what it points to is
    replaced.  A pipe or device is written to directly.
    """
    name = os.fspath(path)
    try:
        target = os.path.realpath(name)
        try:
            status = os.stat(name)  # not of the target: /dev/stdout leads to a pipe, which has no path
        except FileNotFoundError:
            mode = None
        else:
            mode = stat.S_IMODE(status.st_mode)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(0, "it is a directory")
            if not stat.S_ISREG(status.st_mode):
                with open(name, "wb") as device:
                    device.write(data)
                return
        _write_and_rename(target, data, mode)
    except (OSError, ValueError) as error:
        raise ModelError(f"{name}: cannot be written: {_reason(error)}") from None


def _write_and_rename(target: str, data: bytes, mode: int | None) -> None:
    folder, base = os.path.split(target)
    temporary = os.path.join(folder, f".{base[:200]}.{os.urandom(6).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as file:
            if mode is not None:
                os.chmod(temporary, mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Make the rename itself durable, where the system lets a folder be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
