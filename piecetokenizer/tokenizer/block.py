"""Texts that lie in one block of bytes, such as the lines of a file, encoded without an object for each.

In: UTF-8 bytes and where each text in them begins and stops.  Out: rows for the workspace, one for each text, and one more for each EOS.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import InputError
from piecetokenizer.tokenizer.rows import RowArrays

__all__ = ["block_rows", "block_spans", "checked_offsets", "refuse_invalid", "rows_of"]


def block_spans(data: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of the texts, all of them in the block."""
    starts, stops = _numbers(starts), _numbers(stops)
    if starts.ndim != 1 or starts.shape != stops.shape:
        raise InputError(f"starts of shape {starts.shape} and stops of shape {stops.shape} are no places of texts: a text has one of each")
    if len(starts) and (starts.min() < 0 or stops.max() > len(data) or (stops < starts).any()):
        wrong = int(np.flatnonzero((starts < 0) | (stops > len(data)) | (stops < starts))[0])
        raise InputError(f"text {wrong} goes from {starts[wrong]} to {stops[wrong]}, which is not inside the block's {len(data)} bytes")
    return starts, stops


def checked_offsets(offsets: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Where each of some texts begins among `count` ids, and where the last ends."""
    offsets = _numbers(offsets)
    if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != count or (offsets[1:] < offsets[:-1]).any():
        raise InputError(f"these are no offsets of {count} ids: they begin with 0, rise, and end with {count}")
    return offsets


def rows_of(ids: NDArray[Any], offsets: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The ids of each text.

    >>> [row.tolist() for row in rows_of(np.array([5, 6, 7]), np.array([0, 2, 2, 3]))]
    [[5, 6], [], [7]]
    """
    return [ids[start:stop] for start, stop in pairwise(offsets.tolist())]


def _numbers(places: Any) -> NDArray[np.int64]:
    """Places in an array, which may come as anything that numpy takes for numbers."""
    try:
        numbers = np.asarray(places)
        if numbers.size and numbers.dtype.kind not in "iu":
            raise TypeError(f"not of {numbers.dtype}")
        return np.ascontiguousarray(numbers, np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"an array of whole numbers is expected, where texts begin or end: {error}") from None


def refuse_invalid(data: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
    """Raise for the first text that is not UTF-8, naming it and the byte."""
    for index, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
        try:
            data[start:stop].decode()
        except UnicodeDecodeError as error:
            place = start + error.start
            raise InputError(f"text {index} of the block is not UTF-8: byte 0x{data[place]:02X} at byte {place}") from None


def block_rows(data: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64], flags: int, first: int, last: int) -> RowArrays:
    """The rows of texts data[starts[i]:stops[i]], each between the ids `first` and `last` (-1: none)."""
    count = len(starts)
    text_flags, leads = np.full(count, flags, np.uint8), np.full(count, first, np.int32)
    if last < 0:
        return data, starts, stops, text_flags, leads
    return (
        data,
        np.column_stack((starts, stops)).ravel(),
        np.repeat(stops, 2),
        np.column_stack((text_flags, np.zeros(count, np.uint8))).ravel(),
        np.column_stack((leads, np.full(count, last, np.int32))).ravel(),
    )
