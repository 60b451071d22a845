"""The key-value part of a GGUF file, read from bytes that nobody vouches for.

In: a path.  Out: a dict of the keys that were asked for, as Python values; arrays of numbers as numpy arrays, arrays of strings as
lists of bytes.  Tensors are never looked at, so the GGUF of a whole model costs as little as that of a tokenizer alone.

The layout is little-endian: magic "GGUF", u32 version, u64 number of tensors, u64 number of keys, then for each key a string, a
u32 type and a value.  A string is a u64 length and that many bytes; an array is a u32 type, a u64 count and its items.

Every length and count is compared with the bytes that are left in the file before anything is allocated, so a count of 2^60 costs
an error and no memory; what is not asked for is skipped by seeking.  The reader of the official package is not used here because it
trusts counts (it would loop 2^60 times) and makes several objects for each item; it takes 30 times as long for the same file.
Linear in the size of the keys; arrays of arrays, which no tokenizer has, are an error.
"""

import io
import os
import struct
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from piecetokenizer.errors import FormatError

__all__ = ["GgufValue", "read_keys"]

GgufValue = Any
"""int, float, bool, bytes (a string), list[bytes] or a numpy array."""

_STRING, _ARRAY, _BOOL = 8, 9, 7
_NUMBERS = {0: "u1", 1: "i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "u1", 10: "<u8", 11: "<i8", 12: "<f8"}

MAX_KEY = 1 << 16
"""GGUF itself allows keys of up to 65,535 bytes."""

MAX_STRING = 1 << 24
"""The longest string that is kept, a chat template for instance: 16 MiB."""

MAX_ITEMS = 1 << 24
"""The most items that an array may have: as many as a vocabulary can have pieces."""


def read_keys(path: str | os.PathLike[str], wanted: Collection[str]) -> dict[str, GgufValue]:
    """The wanted keys that the file has, by name; anything malformed before the tensors raises FormatError."""
    with Path(path).open("rb") as file:
        return _Reader(file, os.fspath(path), os.fstat(file.fileno()).st_size).keys(wanted)


class _Reader:
    """A cursor that knows how many bytes are left, and never asks for more."""

    def __init__(self, file: io.BufferedReader, name: str, size: int) -> None:
        self.file = file
        self.name = name
        self.left = size
        self.size = size

    def keys(self, wanted: Collection[str]) -> dict[str, GgufValue]:
        if self.take(4, "the magic") != b"GGUF":
            raise FormatError(f"{self.name}: not a GGUF file: it does not begin with the bytes GGUF")
        version = self.number("<I", 4, "the version")
        if version not in (2, 3):
            swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
            what = "big-endian; convert it to little-endian" if swapped in (2, 3) else "not supported: versions 2 and 3 are"
            raise FormatError(f"{self.name}: GGUF version {swapped if swapped in (2, 3) else version} is {what}")
        self.number("<Q", 8, "the number of tensors")
        count = self.number("<Q", 8, "the number of keys")
        # A key takes at least 8 + 4 + 1 bytes, so this refuses absurd counts at once.
        self.expect(count * 13, f"{count} keys")
        found: dict[str, GgufValue] = {}
        seen: set[bytes] = set()
        for _ in range(count):
            raw = self.string("a key", MAX_KEY)
            if raw in seen:
                raise FormatError(f"{self.name}: the key {_show(raw)} is there twice")
            seen.add(raw)
            name = raw.decode("utf-8", "replace")
            kind = self.number("<I", 4, f"the type of {name}")
            value = self.value(kind, name, name in wanted)
            if name in wanted:
                found[name] = value
        return found

    def value(self, kind: int, name: str, keep: bool) -> GgufValue:
        """One value of that type, or None when it is only to be skipped."""
        if kind == _STRING:
            return self.string(name, MAX_STRING) if keep else self.skip(self.number("<Q", 8, name), name)
        if kind == _ARRAY:
            return self.array(name, keep)
        if kind not in _NUMBERS:
            raise FormatError(f"{self.name}: the key {name} has type {kind}, which GGUF does not have")
        dtype = np.dtype(_NUMBERS[kind])
        number = np.frombuffer(self.take(dtype.itemsize, name), dtype)[0].item()
        return bool(number) if kind == _BOOL else number

    def array(self, name: str, keep: bool) -> GgufValue:
        kind = self.number("<I", 4, f"the item type of {name}")
        count = self.number("<Q", 8, f"the count of {name}")
        if kind != _STRING and kind not in _NUMBERS:
            what = "arrays, which are not supported" if kind == _ARRAY else f"type {kind}, which GGUF does not have"
            raise FormatError(f"{self.name}: the array {name} has items of {what}")
        width = 8 if kind == _STRING else np.dtype(_NUMBERS[kind]).itemsize
        self.expect(count * width, f"{count} items of {name}")
        if keep and count > MAX_ITEMS:
            raise FormatError(f"{self.name}: the array {name} has {count} items; at most {MAX_ITEMS} are supported")
        if kind != _STRING:
            return np.frombuffer(self.take(count * width, name), _NUMBERS[kind]) if keep else self.skip(count * width, name)
        if keep:
            return [self.string(name, MAX_STRING) for _ in range(count)]
        for _ in range(count):
            self.skip(self.number("<Q", 8, name), name)
        return None

    def string(self, name: str, most: int) -> bytes:
        length = self.number("<Q", 8, name)
        self.expect(length, name)
        if length > most:
            raise FormatError(f"{self.name}: a string of {name} has {length} bytes; at most {most} are supported")
        return self.take(length, name)

    def number(self, layout: str, size: int, name: str) -> int:
        value: int = struct.unpack(layout, self.take(size, name))[0]
        return value

    def expect(self, size: int, name: str) -> None:
        if size > self.left:
            at = self.size - self.left
            raise FormatError(f"{self.name}: cut off or damaged: {name} would take {size} bytes at offset {at}, but {self.left} are left")

    def take(self, size: int, name: str) -> bytes:
        self.expect(size, name)
        data = self.file.read(size)
        if len(data) != size:
            raise FormatError(f"{self.name}: cut off while it was read, in {name}")
        self.left -= size
        return data

    def skip(self, size: int, name: str) -> None:
        self.expect(size, name)
        self.file.seek(size, os.SEEK_CUR)
        self.left -= size


def _show(raw: bytes) -> str:
    text = raw[:60].decode("utf-8", "backslashreplace")
    return text + ("..." if len(raw) > 60 else "")
