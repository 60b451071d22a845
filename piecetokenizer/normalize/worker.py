"""The state of one user of a Normalizer: the kernel, and the buffers that it writes into, which grow as needed.

A worker belongs to one call or one thread at a time.  What `run` and `run_one` give lies in `text`, `stops` and, if asked for, `offsets`,
until the next call.
"""

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.lowlevel import PADDING
from piecetokenizer.normalize.kernel_cy import NormalizeKernel
from piecetokenizer.normalize.rewrite_cy import Rewriter
from piecetokenizer.normalize.tables import KernelTables

__all__ = ["PREFIX", "TRIM_LEFT", "TRIM_RIGHT", "WHOLE", "NormalizeWorker"]

TRIM_LEFT = 1
"""The start of these bytes is the start of a text."""
TRIM_RIGHT = 2
"""The end of these bytes is the end of a text."""
WHOLE = TRIM_LEFT | TRIM_RIGHT
PREFIX = 4
"""A space goes before them, unless nothing is left of them."""

LEAST_BYTES = 4096


class NormalizeWorker(NormalizeKernel):
    """One user's normalizer: `run_one(data, flags)` for a text, `run(data, starts, stops, flags)` for many; all units are bytes.

    `text` holds the normalized bytes, and PADDING more; text k of them ends at `stops[k]` and begins where the last one ends.  With
    offsets=True, `offsets[i]` is where in `data` that begins which normalized byte i came from, and offsets[size] where the last text's
    end is. Counted over all calls: `invalid_bytes`, `removed_spaces`, `rewritten` and, by character, `changed`.
    """

    text: NDArray[np.uint8]

    def __init__(self, tables: KernelTables, *, collapse: bool) -> None:
        self._tables = tables
        self._changes = np.zeros(len(tables.entries), np.int64)
        self._rewriter = Rewriter(tables, collapse, self._changes)
        super().__init__(self._rewriter, tables, collapse)
        self._buffer = np.zeros(0, np.uint8)
        self.offsets = np.zeros(1, np.int64)
        self.stops = np.zeros(1, np.int64)
        self.grow(LEAST_BYTES, 0)

    def grow(self, needed: int, used: int) -> None:
        """Make room for `needed` bytes of text in all; the kernel calls this, when `used` bytes are written."""
        buffer = np.empty(PADDING + needed + needed // 2 + PADDING, np.uint8)
        buffer[:PADDING] = 0
        buffer[PADDING : PADDING + used] = self._buffer[PADDING : PADDING + used]
        self._buffer = buffer
        self._use()
        if len(self.offsets) > 1:
            self.grow_offsets(used)

    def grow_offsets(self, used: int) -> None:
        """Make room for the offset of every byte that `text` can take; `used` of them are written."""
        offsets = np.empty(len(self.text), np.int64)
        offsets[:used] = self.offsets[:used]
        self.offsets = offsets
        self._use()

    def grow_stops(self, count: int) -> None:
        """Make room for the stops of `count` texts; none is written."""
        self.stops = np.empty(count + count // 2, np.int64)
        self._use()

    def _use(self) -> None:
        self.use(self._buffer, self._buffer[PADDING:], self.offsets, self.stops)

    @property
    def invalid_bytes(self) -> int:
        """How many bytes became U+FFFD."""
        return int(self._rewriter.invalid_bytes)

    @property
    def removed_spaces(self) -> int:
        """How many spaces were left out, those that rules made among them."""
        return int(self._rewriter.removed_spaces)

    @property
    def rewritten(self) -> int:
        """How many times a rule changed something."""
        return int(self._changes.sum())

    @property
    def changed(self) -> dict[int, int]:
        """How many times a rule changed something, by the code point of the first character of its source."""
        return self._tables.by_character(self._changes)
