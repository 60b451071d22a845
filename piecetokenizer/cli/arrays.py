"""Ids in numpy's files, written and read without holding them in memory.

`.npy`: all ids one after the other, int32.  `.npz`: `ids`, the same, and `offsets`, int64, one more than there are texts: text i has
ids[offsets[i]:offsets[i + 1]].  The length of an array stands before it in the file, so a `.npy` is written with room for any length
and the length put in last; the parts of a `.npz`, which carry checksums, wait in temporary files without a name.
"""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from piecetokenizer.errors import InputError

__all__ = ["NpyWriter", "NpzWriter", "read_flat", "read_rows"]

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.integer[Any]]

ROWS = 1 << 16
"""Texts decoded at once when reading."""
EACH = 1 << 20
"""Ids decoded at once when a file has no rows."""


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

    def write(self, ids: Ids, offsets: Offsets) -> None:
        """Add the ids of some texts; where one ends is not kept."""
        self.file.write(np.ascontiguousarray(ids, "<i4").data)
        self.length += len(ids)

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

    def write(self, ids: Ids, offsets: Offsets) -> None:
        """Add the ids of some texts; `offsets` begin with 0."""
        self.ids.write(np.ascontiguousarray(ids, "<i4").data)
        self.offsets.write(np.ascontiguousarray(offsets[1:] + self.length, "<i8").data)
        self.length += len(ids)
        self.rows += len(offsets) - 1

    def finish(self) -> None:
        """Put the two arrays together."""
        with zipfile.ZipFile(self.file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for name, dtype, length, part in (("ids", "<i4", self.length, self.ids), ("offsets", "<i8", self.rows, self.offsets)):
                part.seek(0)
                with part, archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    member.write(header(dtype, length))
                    shutil.copyfileobj(part, member, 1 << 20)


class NpyReader:
    """The ids of a `.npy` file, or of one inside a `.npz`, a few at a time."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.file = file
        self.name = name
        try:
            version = np.lib.format.read_magic(file)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = read(file)
        except (ValueError, EOFError) as error:
            raise InputError(f"{name}: not an array of numpy: {error}") from None
        if len(shape) != 1 or dtype.kind not in "iu":
            raise InputError(f"{name}: an array of whole numbers with one dimension is expected, not {dtype} of shape {shape}")
        self.dtype = dtype
        self.left = int(shape[0])

    def take(self, count: int) -> Numbers:
        """The next numbers, exactly so many."""
        size = count * self.dtype.itemsize
        data = self.file.read(size) if count <= self.left else b""
        if len(data) != size:
            raise InputError(f"{self.name}: ends early; {count} more numbers were expected")
        self.left -= count
        return np.frombuffer(data, self.dtype)


def read_flat(path: str) -> Iterator[Numbers]:
    """The ids of a `.npy` file, some at a time."""
    with open(path, "rb") as file:
        reader = NpyReader(file, path)
        while reader.left:
            yield reader.take(min(reader.left, EACH))


def read_rows(path: str) -> Iterator[list[Numbers]]:
    """The texts of a `.npz` file, each an array of ids, some texts at a time."""
    with open(path, "rb") as file:
        try:
            archive = zipfile.ZipFile(file)
            ids, offsets = (NpyReader(archive.open(f"{name}.npy"), f"{path}, {name}") for name in ("ids", "offsets"))
        except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError) as error:
            raise InputError(f"{path}: not a .npz file with ids and offsets: {error}") from None
        total, last = ids.left, 0
        if not offsets.left or offsets.take(1)[0] != 0:
            raise InputError(f"{path}: offsets begin with 0, the place of the first text")
        try:
            while offsets.left:
                rows = []
                for stop in offsets.take(min(offsets.left, ROWS)).tolist():
                    if not last <= stop <= total:
                        raise InputError(
                            f"{path}: an offset of {stop} after {last} is not allowed: offsets rise, up to the number of ids, {total}"
                        )
                    rows.append(ids.take(stop - last))
                    last = stop
                yield rows
        except zipfile.BadZipFile as error:
            raise InputError(f"{path}: damaged: {error}") from None
        if last != total:
            raise InputError(f"{path}: offsets end at {last}, but there are {total} ids")
