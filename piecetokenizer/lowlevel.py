"""What only C can do, for the kernels: these are the twins that run uncompiled; lowlevel.pxd holds the C.

A kernel imports them so:

    if cython.compiled:
        from cython.cimports.piecetokenizer.lowlevel import load64
    else:
        from piecetokenizer.lowlevel import load64

Every function takes a base (compiled: a pointer; uncompiled: a memoryview) and an index.  The caller proves the bounds;
load64 and store64 touch 8 bytes whatever their meaning, so buffers of text end in slack (see PADDING).
"""

from typing import Any

PADDING = 64
"""Bytes that every text buffer has behind its last byte of text, so that a kernel may load whole words."""

_MASK = 0xFFFFFFFFFFFFFFFF


def load64(p: memoryview, i: int) -> int:
    """The 8 bytes at i as a little-endian number; unaligned."""
    return int.from_bytes(p[i : i + 8], "little")


def store64(p: memoryview, i: int, x: int) -> None:
    """Write x as 8 little-endian bytes at i; unaligned."""
    p[i : i + 8] = x.to_bytes(8, "little")


def copy(to: memoryview, i: int, source: memoryview, j: int, n: int) -> None:
    """Copy n bytes from source[j:] to to[i:]; the two do not overlap."""
    to[i : i + n] = source[j : j + n]


def copy_slot(to: memoryview, i: int, source: memoryview, j: int) -> None:
    """Copy 16 numbers of 16 bits from source[j:] to to[i:]."""
    to[i : i + 16] = source[j : j + 16]


def same(a: memoryview, i: int, b: memoryview, j: int, n: int) -> bool:
    """Whether n bytes at a[i:] and b[j:] are equal."""
    return a[i : i + n] == b[j : j + n]


def fold(a: int, b: int) -> int:
    """The two halves of the 128-bit product a * b, xored: the mixing step of our hashes."""
    product = a * b
    return (product & _MASK) ^ (product >> 64)


def fill(array: Any, source: memoryview, n: int) -> None:
    """Copy n bytes to the start of an array of any type, which has room for them."""
    memoryview(array).cast("B")[:n] = source[:n]


def trailing_zeros(x: int) -> int:
    """The index of the lowest set bit; x is not 0."""
    return (x & -x).bit_length() - 1


def prefetch64(p: memoryview, i: int) -> None:
    """Ask the processor for the cache line of p[i], an array of 64-bit numbers; no effect on any result."""


def prefetch32(p: memoryview, i: int) -> None:
    """Ask the processor for the cache line of p[i], an array of 32-bit numbers; no effect on any result."""
