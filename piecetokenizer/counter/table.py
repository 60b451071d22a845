"""The segment table: segment -> exact count over a corpus, for segments of any length.

In: text buffers and the ends of their segments, as a Cutter gives them.  Out: `Segments`, each distinct segment once, with its count;
their order is the table's and says nothing.

The kernel (table_cy.py) counts; this class owns its arrays and doubles them when the kernel has no room left.  Slots are
32 bytes and at most three of four are used; a segment of more than 23 bytes also takes its bytes in the arena.
A table belongs to one thread.  `join` adds up the counts of several.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.table_cy import TableKernel
from piecetokenizer.errors import InputError
from piecetokenizer.lowlevel import PADDING
from piecetokenizer.memory import zeros
from piecetokenizer.threads import shares, side_by_side

__all__ = ["SegmentTable", "join"]

WINDOW = 256
"""Segments whose cache misses overlap; their keys are 8 KB, a quarter of the nearest cache."""

MAX_SLOTS = 1 << 32

SHARE = 1 << 16
"""Slots that are worth a thread of their own when tables are joined: some hundred microseconds."""

_NO_COUNTS = np.zeros(0, np.int64).data


class SegmentTable:
    """Counts of segments.

    >>> import numpy as np
    >>> table = SegmentTable()
    >>> text = np.frombuffer(b"sow and reap and sow" + bytes(64), np.uint8)
    >>> table.add(text, 0, np.array([3, 7, 12, 16, 20]), 5)
    >>> sorted(table.export().to_pairs())
    [(' and', 2), (' reap', 1), (' sow', 1), ('sow', 1)]
    """

    def __init__(self, *, slots: int = 1 << 14, window: int = WINDOW) -> None:
        """Room at first for three quarters of `slots`, a power of two; `window` is for tests, which want it small."""
        masks = np.zeros(40, np.uint64)
        masks[16:25] = [(1 << 8 * n) - 1 for n in range(9)]
        masks[25:] = masks[24]
        self._window = window
        self._kernel = TableKernel(np.zeros(4 * window, np.uint64).data, masks.data)
        self._arena: npt.NDArray[np.uint8] = np.zeros(1 << 12, np.uint8)
        self._slots: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._bind_slots(slots)
        self._kernel.bind_arena(self._arena.data)

    def __len__(self) -> int:
        """How many distinct segments there are."""
        return int(self._kernel.used)

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        return self._slots.nbytes + self._arena.nbytes

    def add(self, text: npt.NDArray[np.uint8], begin: int, ends: npt.NDArray[np.int64], n: int) -> None:
        """Count n segments: each goes from the end of the one before, the first from `begin`.  PADDING bytes lie behind the text."""
        self._add(text, begin, ends, n, _NO_COUNTS)

    def add_segments(self, segments: Segments) -> None:
        """Add segments with counts that were made before."""
        if len(segments.counts):
            self._add(segments.arena, 0, segments.offsets[1:], len(segments.counts), segments.counts.data)

    def export(self, min_count: int = 1) -> Segments:
        """The segments that were counted at least `min_count` times."""
        return join([self], min_count)

    def _add(self, text: npt.NDArray[np.uint8], begin: int, ends: npt.NDArray[np.int64], n: int, counts: memoryview) -> None:
        text_view, ends_view = text.data, ends.data
        done = 0
        while (done := self._kernel.add(text_view, begin, ends_view, done, n, counts)) < n:
            begin = int(ends[done - 1]) if done else begin
            self._make_room(int(ends[done]) - begin)

    def _make_room(self, size: int) -> None:
        """After the kernel stopped at a segment of `size` bytes: say why, or give it room."""
        kernel = self._kernel
        if kernel.overflow:
            raise _too_many()
        if kernel.limit - kernel.used < self._window:
            self._bind_slots(len(self._slots) // 2)
        else:
            arena = zeros(max(2 * len(self._arena), kernel.arena_used + size), np.uint8)
            arena[: kernel.arena_used] = self._arena[: kernel.arena_used]
            self._arena = arena
            kernel.bind_arena(arena.data)

    def _bind_slots(self, slots: int) -> None:
        """Move to an array of so many slots."""
        if slots > MAX_SLOTS:
            raise InputError(
                f"the corpus has more than {len(self)} distinct segments, too many for 2^32 slots; "
                "read less of it (limit), or split it into smaller segments (split, digit)"
            )
        former, self._slots = self._slots, zeros(4 * slots, np.uint64)
        self._kernel.bind_slots(self._slots.data, slots * 3 // 4)
        self._kernel.rehash(former.data)

    def shares(self, threads: int) -> list[range]:
        """The slots, divided between so many threads; fewer if there is little to do."""
        return shares(len(self._slots) // 4, threads, SHARE)

    def hand_over(self, others: "Sequence[SegmentTable]", share: range) -> None:
        """Of the segments in these slots, give the counts to the first of the others that has the segment; see TableKernel.hand_over."""
        for other in others:
            if not self._kernel.hand_over(other._kernel, share.start, share.stop):
                raise _too_many()

    def measure(self, share: range, min_count: int) -> tuple[int, int]:
        """Of the segments in these slots that are counted often enough, how many there are and how many bytes they have."""
        found: tuple[int, int] = self._kernel.measure(share.start, share.stop, min_count)
        return found

    def write(self, share: range, min_count: int, into: Segments, first: int, last: int, begin: int, end: int) -> None:
        """Write those segments as numbers first..last-1 of `into`, and their bytes into its arena from `begin` to `end`."""
        ends, counts = into.offsets[first + 1 : last + 1], into.counts[first:last]
        self._kernel.export(share.start, share.stop, min_count, into.arena.data, begin, ends.data, counts.data, end)


def join(tables: Sequence[SegmentTable], min_count: int = 1) -> Segments:
    """The segments that were counted at least `min_count` times in all tables together, on a thread for each; the tables are used up.

    No table is made for all: each hands the counts of what an earlier one has too over to that, the last table first, because what
    has handed over cannot be searched any more.  Then no segment is in two tables, and what is left in each is written one behind
    the other.  More than one table makes no sense without counts of at least 1, so what was handed over is never written.

    >>> import numpy as np
    >>> tables = [SegmentTable(), SegmentTable()]
    >>> for table, text in zip(tables, (b"sow and reap", b"sow and rest"), strict=True):
    ...     table.add(np.frombuffer(text + bytes(64), np.uint8), 0, np.array([3, 7, 12]), 3)
    >>> sorted(join(tables).to_pairs())
    [(' and', 2), (' reap', 1), (' rest', 1), ('sow', 2)]
    """
    threads = len(tables)
    for last in range(threads - 1, 0, -1):
        table = tables[last]
        side_by_side(threads, [partial(table.hand_over, tables[:last], share) for share in table.shares(threads)])
    parts = [(table, share) for table in tables for share in table.shares(threads)]
    found = side_by_side(threads, [partial(table.measure, share, min_count) for table, share in parts])
    many, sizes = (np.cumsum([0, *column]).tolist() for column in zip(*found, strict=True))
    into = Segments(arena=zeros(sizes[-1] + PADDING, np.uint8), offsets=zeros(many[-1] + 1, np.int64), counts=zeros(many[-1], np.int64))
    places = zip(parts, pairwise(many), pairwise(sizes), strict=True)
    side_by_side(threads, [partial(table.write, share, min_count, into, *numbers, *place) for (table, share), numbers, place in places])
    return into


def _too_many() -> InputError:
    return InputError("a segment is counted more than 2^63 - 1 times; no more can be added to these counts")
