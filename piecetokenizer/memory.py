"""Large arrays: memory that goes back at once, and tables on huge pages.

In: how many numbers, of which type.  Out: an array of zeros, as np.zeros gives it; a small one is made by np.zeros.

`zeros` gives pages of their own to what is needed for a moment.  When such an array is let go of, its memory is the system's again at
once.  What malloc gave would often stay with the process: it keeps blocks of up to 32 MB once one of that size was freed, and for each
thread apart, so that these arrays would add up to the peak of the whole training.

`table` is for what stays, and is read at random places.  A table of 4 MB on pages of 4 KB needs a thousand entries of the processor's
address cache, on pages of 2 MB two; lookups that miss the caches are then up to 1.3 times as fast.  numpy asks for huge pages for arrays
of 4 MB and more, but the system gives only pages whose address is a multiple of 2 MB: so a larger array is made, and a view of its
aligned part is used.
"""

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["table", "zeros"]

LARGE = 1 << 20
"""Bytes from which on an array is large."""

HUGE_PAGE = 1 << 21


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


def table(count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """So many zeros, on huge pages where the system has them.

    >>> table(3, np.int32)
    array([0, 0, 0], dtype=int32)
    """
    size = count * np.dtype(dtype).itemsize
    if size < LARGE:
        return np.zeros(count, dtype)
    raw = np.zeros(-(-size // HUGE_PAGE) * HUGE_PAGE + HUGE_PAGE, np.uint8)
    skip = -raw.ctypes.data % HUGE_PAGE
    return raw[skip : skip + size].view(dtype)
