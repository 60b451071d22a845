"""Large arrays with pages of their own.

In: how many numbers, of which type.  Out: an array of zeros, as np.zeros gives it.  When a large one is let go of, its memory is the
system's again at once.  What malloc gave would often stay with the process: it keeps blocks of up to 32 MB once one of that size was
freed, and for each thread apart, so that arrays which are needed for a moment would add up to the peak of the whole training.
"""

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["zeros"]

LARGE = 1 << 20
"""Bytes from which on an array has pages of its own."""


def zeros(count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """So many zeros; pages that are never touched cost nothing.

    >>> zeros(3, np.int32)
    array([0, 0, 0], dtype=int32)
    """
    size = count * np.dtype(dtype).itemsize
    if size < LARGE or not hasattr(mmap, "MAP_PRIVATE"):
        return np.zeros(count, dtype)
    try:
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"there is no memory for {size} bytes") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system that knows no huge pages
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, dtype)
