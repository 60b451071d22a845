"""Where results go: standard output, or a file that appears under its name only when it is complete."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from piecetokenizer.errors import InputError

__all__ = ["binary_stdout", "note", "output", "show"]


def binary_stdout() -> BinaryIO:
    """Standard output for bytes; what was printed as text before stays before."""
    sys.stdout.flush()
    return cast(BinaryIO, sys.stdout.buffer)


def note(message: str) -> None:
    """A line for the person at the terminal; standard output is for results."""
    print("piecetokenizer:", message, file=sys.stderr)


def show(report: str) -> None:
    """A report of some lines for that person."""
    print(report, file=sys.stderr)


@contextmanager
def output(path: str) -> Iterator[BinaryIO]:
    """A binary stream to write to: standard output for `-`; else a temporary file beside `path`, renamed to it if the block ends well.

    Devices and pipes (`/dev/null`, a FIFO) cannot be renamed over and are written directly; a symbolic link is followed.
    """
    if path == "-":
        stream = binary_stdout()
        yield stream
        stream.flush()
        return
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        if os.path.isdir(path):
            raise InputError(f"{path} is a folder; give the name of a file to write")
        with open(path, "wb") as stream:
            yield stream
        return
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise InputError(f"{path} cannot be written: there is no folder {folder}; make it first")
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}.", suffix=".part", delete=False) as temporary:
        try:
            yield cast(BinaryIO, temporary)
            temporary.flush()
            os.fsync(temporary.fileno())
            os.chmod(temporary.name, _mode(path))
            os.replace(temporary.name, path)
        except BaseException:  # also Ctrl-C: the unfinished file must go
            os.unlink(temporary.name)
            raise


def _mode(path: str) -> int:
    """The permissions that writing to `path` in the ordinary way would have left."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
