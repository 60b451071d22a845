"""Ids read from numpy's files (writers.py says what they hold), some at a time; anybody's files, so nothing in them is believed."""

import zipfile
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from piecetokenizer.errors import InputError

__all__ = ["read_flat", "read_rows"]

Numbers = npt.NDArray[np.integer[Any]]

ROWS = 1 << 13
"""Texts decoded at once when reading."""
EACH = 1 << 20
"""Ids decoded at once when a file has no rows."""


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


def read_rows(path: str) -> Iterator[tuple[Numbers, npt.NDArray[np.int64]]]:
    """The texts of a `.npz` file, some at a time: their ids, and where each begins in these."""
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
                found = offsets.take(min(offsets.left, ROWS))
                places = np.concatenate(([last], found.astype(np.int64)))
                wrong = np.flatnonzero((places[1:] < places[:-1]) | (places[1:] > total))
                if len(wrong):
                    stop, before = found[wrong[0]], places[wrong[0]]
                    raise InputError(
                        f"{path}: an offset of {stop} after {before} is not allowed: offsets rise, up to the number of ids, {total}"
                    )
                yield ids.take(int(places[-1]) - last), places - last
                last = int(places[-1])
        except zipfile.BadZipFile as error:
            raise InputError(f"{path}: damaged: {error}") from None
        if last != total:
            raise InputError(f"{path}: offsets end at {last}, but there are {total} ids")
