"""Printer: what ids stand for, printed one behind the other.

In: the bytes that each id prints.  Out: for an array of ids, all of them known to the Printer, their bytes.  Decoding prints pieces, the
command line prints numbers and names of pieces; the kernel is decoder_cy.py.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.tokenizer.decoder_cy import decode, fill_slots, measure

__all__ = ["Printer"]

_SLACK = 16
_NOT_NOTED = np.empty(0, np.int64).data


class Printer:
    """Immutable; shared by all threads."""

    __slots__ = ("_arena", "_offsets", "_slots")

    def __init__(self, arena: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        """Id k prints arena[offsets[k]:offsets[k + 1]]; the arena is not empty."""
        self._arena = arena.data
        self._offsets = offsets.data
        self._slots = np.zeros(16 * (len(offsets) - 1), np.uint8).data
        fill_slots(self._arena, self._offsets, self._slots)

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> "Printer":
        """Id k prints the text number k; not all of them are empty."""
        made = list(texts)
        return cls(np.frombuffer(b"".join(made), np.uint8), np.cumsum([0, *map(len, made)], dtype=np.int64))

    def printed(self, ids: NDArray[np.int32], ends: NDArray[np.int64] | None = None) -> NDArray[np.uint8]:
        """What the ids print; `ends` takes where each id's bytes end.

        >>> printer = Printer.of([b"to ", b"sow ", b"reap "])
        >>> printer.printed(np.array([1, 0, 2], np.int32)).tobytes()
        b'sow to reap '
        """
        array = ids.data
        total = measure(array, self._slots, self._offsets)
        out: NDArray[np.uint8] = np.empty(total + _SLACK, np.uint8)
        decode(array, self._slots, self._arena, self._offsets, out.data, _NOT_NOTED if ends is None else ends.data)
        return out[:total]
