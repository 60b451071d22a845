"""Where results go: standard output, or a file that appears under its name only when it is complete."""

import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from piecetokenizer import Model
from piecetokenizer.errors import InputError
from piecetokenizer.messages import Message

__all__ = ["binary_stdout", "check_place", "check_sources", "note", "output", "save", "show"]


def binary_stdout() -> BinaryIO:
    """Standard output for bytes; what was printed as text before stays before."""
    sys.stdout.flush()
    return cast(BinaryIO, sys.stdout.buffer)


def note(message: str) -> None:
    """A line for the person at the terminal; standard output is for results.  Options are named as flags."""
    show(f"piecetokenizer: {message.with_flags() if isinstance(message, Message) else message}")


def show(report: str) -> None:
    """A report of some lines for that person; where they cannot go (a full disk), the work goes on without them."""
    with suppress(OSError):
        print(report, file=sys.stderr)


def check_sources(path: str, sources: Sequence[str | None]) -> None:
    """Refuse to write over a file that is read: a slip that would cost a corpus or a model."""
    if path == "-" or not os.path.isfile(path):
        return
    if any(source and source != "-" and os.path.isfile(source) and os.path.samefile(source, path) for source in sources):
        raise InputError(f"{path} is read and would be written over; give the output another name")


def check_place(path: str, sources: Sequence[str | None] = ()) -> None:
    """Refuse a place where nothing can be written, or where a source would be lost; asked before the work, which may take hours."""
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
        return
    check_sources(path, sources)
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise InputError(f"{path} is a folder; give the name of a file to write")
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise InputError(f"{path} cannot be written: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path} cannot be written: no permission to write in {folder}")


def save(model: Model, path: str) -> None:
    """Write a model to a file, or to standard output for `-`."""
    if path == "-":
        stream = binary_stdout()
        stream.write(model.dumps())
        stream.flush()
    else:
        model.save(path)


class EarlyFile(io.FileIO):
    """A file whose bytes set out for the disk while more are written, so that the wait at the end is for the last of them only."""

    AHEAD = 1 << 22
    """Bytes that are worth a call."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "wb")
        self._waiting = 0

    def write(self, data: Any) -> int:
        """Write, and let the system begin with what has come together."""
        count = super().write(data)
        self._waiting += count
        if self._waiting >= self.AHEAD and hasattr(os, "posix_fadvise"):
            # "Not needed in memory": Linux begins to write, and since that takes a while it keeps the bytes in memory all the same.
            with suppress(OSError):  # a file system that takes no advice
                os.posix_fadvise(self.fileno(), self.tell() - self._waiting, self._waiting, os.POSIX_FADV_DONTNEED)
            self._waiting = 0
        return count


@contextmanager
def output(path: str, sources: Sequence[str | None] = ()) -> Iterator[BinaryIO]:
    """A binary stream to write to: standard output for `-`; else a temporary file beside `path`, renamed to it if the block ends well.

    Devices and pipes (`/dev/null`, a FIFO) cannot be renamed over and are written directly; a symbolic link is followed. `sources` are
    files that must not be written over.
    """
    check_place(path, sources)
    if path == "-":
        stream = binary_stdout()
        yield stream
        stream.flush()
        return
    if os.path.exists(path) and not os.path.isfile(path):  # asked before links are followed: /dev/stdout leads to a pipe, which has no path
        with open(path, "wb") as stream:
            yield stream
        return
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    descriptor, part = tempfile.mkstemp(dir=folder, prefix=f".{name}.", suffix=".part")
    os.close(descriptor)
    try:
        with io.BufferedWriter(EarlyFile(part)) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(part, _mode(path))
        os.replace(part, path)
    except BaseException:  # also Ctrl-C: the unfinished file must go
        os.unlink(part)
        raise


def _mode(path: str) -> int:
    """The permissions that writing to `path` in the ordinary way would have left."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
