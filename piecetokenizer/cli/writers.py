"""What ids are written to: lines of numbers or pieces, or numpy's files, without holding them in memory.

`.npy`: all ids one after the other, int32.  `.npz`: `ids`, the same, and `offsets`, int64, one more than there are texts: text i has
ids[offsets[i]:offsets[i + 1]].  The length of an array stands before it in the file, so a `.npy` is written with room for any length
and the length put in last; the parts of a `.npz`, which carry checksums, wait in temporary files without a name.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from piecetokenizer import Tokenizer
from piecetokenizer.cli.pieces import shown
from piecetokenizer.tokenizer.printer import Printer

__all__ = ["Ids", "LineWriter", "NpyWriter", "Offsets", "Writer", "header", "writer_for"]

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]


class Writer(Protocol):
    """What the ids of some texts go to.  `ready` may be called from any thread, `write` in the order of the texts."""

    def ready(self, ids: Ids, offsets: Offsets) -> Any:
        """What to write for some texts; text i has ids[offsets[i]:offsets[i + 1]]."""

    def write(self, made: Any) -> None:
        """Add it."""

    def finish(self) -> None:
        """All texts were written."""


class LineWriter:
    """A line for each text: a word for each id, spaces between.

    The words are printed as the decoder prints pieces, each with a space behind it; then the last space of each line becomes its end.
    """

    def __init__(self, file: BinaryIO, words: Iterable[bytes]) -> None:
        self.file = file
        spaced = [word + b" " for word in words]
        self.ending = len(spaced)  # one word more, which is what a text without ids has
        self.printer = Printer.of([*spaced, b"\n"])

    def ready(self, ids: Ids, offsets: Offsets) -> memoryview:
        """The lines."""
        empty = np.flatnonzero(np.diff(offsets) == 0)
        if len(empty):
            ids = np.insert(ids, offsets[empty], self.ending)
            offsets = offsets + np.searchsorted(empty, np.arange(len(offsets)))
        ends = np.empty(len(ids), np.int64)
        lines = self.printer.printed(ids, ends)
        lines[ends[offsets[1:] - 1] - 1] = ord("\n")
        return lines.data

    def write(self, made: memoryview) -> None:
        """Hand them on at once: someone may wait for them."""
        self.file.write(made)
        self.file.flush()

    def finish(self) -> None:
        """Nothing is left to do."""


def header(dtype: str, length: int) -> bytes:
    """What stands before the numbers of an array of one dimension: always 128 bytes."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({length},), }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + text.ljust(117).encode("ascii") + b"\n"


class NpyWriter:
    """One flat array of ids."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.length = 0
        file.write(header("<i4", 0))

    def ready(self, ids: Ids, offsets: Offsets) -> Ids:
        """The ids of some texts; where one ends is not kept."""
        return ids

    def write(self, made: Ids) -> None:
        """Add them."""
        self.file.write(np.ascontiguousarray(made, "<i4").data)
        self.length += len(made)

    def finish(self) -> None:
        """Put the length into the header."""
        self.file.seek(0)
        self.file.write(header("<i4", self.length))


def beside(file: BinaryIO) -> BinaryIO:
    """A temporary file without a name on the disk that will hold the result, so that there is room for it if there is for the result."""
    return tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(file.name)))


class NpzWriter:
    """Flat ids and the offsets of the texts in them."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.ids, self.offsets = beside(file), beside(file)
        self.length = 0
        self.rows = 1
        self.offsets.write(np.zeros(1, "<i8").data)

    def ready(self, ids: Ids, offsets: Offsets) -> tuple[Ids, Offsets]:
        """The ids of some texts and where they begin."""
        return ids, offsets

    def write(self, made: tuple[Ids, Offsets]) -> None:
        """Add them; offsets begin with 0."""
        ids, offsets = made
        self.ids.write(np.ascontiguousarray(ids, "<i4").data)
        self.offsets.write(np.ascontiguousarray(offsets[1:] + self.length, "<i8").data)
        self.length += len(ids)
        self.rows += len(offsets) - 1

    def finish(self) -> None:
        """Put the two arrays together."""
        from zipfile import ZIP_STORED, ZipFile  # only for this kind of file

        with ZipFile(self.file, "w", ZIP_STORED, allowZip64=True) as archive:
            for name, dtype, length, part in (("ids", "<i4", self.length, self.ids), ("offsets", "<i8", self.rows, self.offsets)):
                part.seek(0)
                with part, archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    member.write(header(dtype, length))
                    shutil.copyfileobj(part, member, 1 << 20)


def writer_for(file: BinaryIO, path: str, tokenizer: Tokenizer, pieces: bool) -> Writer:
    """The writer that the name of the output asks for."""
    if path.endswith(".npy"):
        return NpyWriter(file)
    if path.endswith(".npz"):
        return NpzWriter(file)
    if pieces:
        return LineWriter(file, (shown(tokenizer.id_to_piece(id)).encode("utf-8", "surrogateescape") for id in range(len(tokenizer))))
    return LineWriter(file, (b"%d" % id for id in range(len(tokenizer))))
