# cython: language_level=3
"""Kernel: count all pairs of adjacent symbols, and gather the positions of those that are frequent enough.

In: the slots (see characters_cy; also in the middle of the merges, when the floor was lowered).  Out: for each pair its weight,
exact, its number of positions, and the positions themselves, ascending, as one slice of the pool.  Overlapping pairs count: `aaa`
has two.

`count` adds up weight and number of every pair in a hash table, which the caller makes larger when it asks.  `collect` lists the
pairs that reach the floor; `place` goes over the slots once more and writes the positions, as a counting sort does.  Expected
constant work a slot.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold
else:
    from piecetokenizer.lowlevel import fold

MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
EMPTY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)
NOWHERE = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.final
@cython.cclass
class PairCounter:
    """Counts of pairs.  An entry of the table is four words: key, weight, number of positions (later where the next one goes), unused."""

    slots: cython.const[cython.int][::1]
    lengths: cython.const[cython.int][::1]
    class_ends: cython.const[cython.longlong][::1]
    class_counts: cython.const[cython.longlong][::1]
    table: cython.ulonglong[::1]
    singles: cython.int
    at: cython.longlong
    count_class: cython.longlong
    used: cython.longlong
    total: cython.longlong

    def __init__(self, slots, lengths, class_ends, class_counts, singles: int, table):
        """Symbols below `singles` are one character long, which saves waiting for their length; `table` is all EMPTY, see `give`."""
        self.slots = slots
        self.lengths = lengths
        self.class_ends = class_ends
        self.class_counts = class_counts
        self.singles = singles
        self.table = table
        self.at = 0
        self.count_class = 0
        self.used = 0
        self.total = 0

    def totals(self) -> tuple[int, int]:
        """The weight of all pairs together, and how many distinct ones there are."""
        return self.total, self.used

    def count(self) -> bool:
        """Count from where the last call stopped; False when the table is half full: `give` a larger one and call again."""
        end: cython.longlong = self.slots.shape[0] - 1
        limit: cython.longlong = self.table.shape[0] // 8
        singles: cython.int = self.singles
        at: cython.longlong = self.at
        c: cython.longlong = self.count_class
        total: cython.longlong = 0
        left: cython.int
        right: cython.int
        i: cython.ulonglong
        key: cython.ulonglong
        with cython.nogil:
            left = self.slots[at]
            while at < end and self.used < limit:
                if left < 0:
                    at += 1
                    left = self.slots[at]
                    continue
                at += 1 if left < singles else self.lengths[left]
                right = self.slots[at]
                if right >= 0:
                    while at >= self.class_ends[c]:
                        c += 1
                    key = cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right)
                    i = self._find(key)
                    if self.table[i] == EMPTY:
                        self.table[i] = key
                        self.used += 1
                    self.table[i + 1] += self.class_counts[c]
                    self.table[i + 2] += 1
                    total += self.class_counts[c]
                left = right
            self.at = at
            self.count_class = c
            self.total += total
        return at >= end

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _find(self, key: cython.ulonglong) -> cython.ulonglong:
        """Where the entry of `key` is, or the empty one where it belongs."""
        mask: cython.ulonglong = self.table.shape[0] // 4 - 1
        i: cython.ulonglong = fold(key, MIX) & mask
        while self.table[4 * i] != key and self.table[4 * i] != EMPTY:
            i = (i + 1) & mask
        return 4 * i

    def give(self, table) -> None:
        """Go on with a larger table: a power of two of entries, all EMPTY with zeros behind."""
        old: cython.ulonglong[::1] = self.table
        i: cython.longlong
        k: cython.ulonglong
        self.table = table
        with cython.nogil:
            for i in range(0, old.shape[0], 4):
                if old[i] != EMPTY:
                    k = self._find(old[i])
                    self.table[k] = old[i]
                    self.table[k + 1] = old[i + 1]
                    self.table[k + 2] = old[i + 2]

    def collect(
        self, sizes: cython.const[cython.int][::1], floor: cython.ulonglong, max_size: cython.longlong, pairs: cython.ulonglong[::1]
    ) -> tuple[int, int]:
        """List the pairs of at least `floor` and at most `max_size` bytes as (key, weight, start, number); how many pairs and positions.

        In the table, the number gives way to the start of the slice, for `place`.
        """
        found: cython.longlong = 0
        start: cython.ulonglong = 0
        number: cython.ulonglong
        i: cython.longlong
        key: cython.ulonglong
        with cython.nogil:
            for i in range(0, self.table.shape[0], 4):
                key = self.table[i]
                if key == EMPTY:
                    continue
                number = self.table[i + 2]
                self.table[i + 2] = NOWHERE
                if self.table[i + 1] >= floor and sizes[key >> 32] + sizes[key & LOW] <= max_size:
                    self.table[i + 2] = start
                    pairs[4 * found] = key
                    pairs[4 * found + 1] = self.table[i + 1]
                    pairs[4 * found + 2] = start
                    pairs[4 * found + 3] = number
                    found += 1
                    start += number
        return found, start

    def place(self, pool: cython.uint[::1]) -> None:
        """Write the positions of the collected pairs into the pool."""
        end: cython.longlong = self.slots.shape[0] - 1
        singles: cython.int = self.singles
        at: cython.longlong = 0
        begin: cython.longlong
        left: cython.int
        right: cython.int
        i: cython.ulonglong
        with cython.nogil:
            left = self.slots[at]
            while at < end:
                if left < 0:
                    at += 1
                    left = self.slots[at]
                    continue
                begin = at
                at += 1 if left < singles else self.lengths[left]
                right = self.slots[at]
                if right >= 0:
                    i = self._find(cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right)) + 2
                    if self.table[i] != NOWHERE:
                        pool[self.table[i]] = begin
                        self.table[i] += 1
                left = right
