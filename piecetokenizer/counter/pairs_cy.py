"""Kernel: count all pairs of adjacent symbols, and gather the positions of those that are frequent enough; its memory is pairs.py's.

In: the slots (see characters_cy; also in the middle of the merges, when the floor was lowered), in stretches that begin and end with a
DEAD one.  Out: for each pair its weight, exact, its number of positions, and the positions themselves, ascending, as one slice of the
pool.  Overlapping pairs count: `aaa` has two.

A counter goes through one stretch.  `count` adds up weight and number of every pair in a hash table, which the caller makes larger when
it asks.  Then, one counter after the other, `hand_over` gives what it counted of a pair to the first counter that has the pair, its
owner, and keeps how many positions are before its own.  `collect` lists the pairs owned that reach the floor, and says where the
positions of each go; `place` goes over the slots once more and writes them, as a counting sort does.  Expected constant work a slot.

Pairs come in windows, like segments in table_cy: their places in the table are asked for, then all are looked up, so that the cache
misses of a window overlap.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold, prefetch64
else:
    from piecetokenizer.lowlevel import fold, prefetch64

MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)
NOWHERE = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.final
@cython.cclass
class PairCounter:
    """Counts of pairs.  An entry of the table is four words: key, weight, number of positions, where the next one goes.

    A number of 0 means that the entry is free, a weight of 0 that the pair has another owner.
    """

    slots: cython.const[cython.int][::1]
    lengths: cython.const[cython.int][::1]
    class_ends: cython.const[cython.longlong][::1]
    class_counts: cython.const[cython.longlong][::1]
    window: cython.ulonglong[::1]
    table: cython.ulonglong[::1]
    singles: cython.int
    first: cython.longlong
    at: cython.longlong
    count_class: cython.longlong
    mask: cython.ulonglong
    used: cython.longlong
    total: cython.longlong

    def __init__(self, slots, lengths, class_ends, class_counts, singles: int, first: int, window, table):
        """`first` is the number of the first slot.  Symbols below `singles` are one character long, which saves waiting for their length.

        `window` is scratch space, two words for each pair of a window; `table` is all zero, see `give`.
        """
        self.slots = slots
        self.lengths = lengths
        self.class_ends = class_ends
        self.class_counts = class_counts
        self.singles = singles
        self.first = first
        self.window = window
        self.table = table
        self.mask = len(table) // 4 - 1
        self.at = 0
        self.count_class = 0
        self.used = 0
        self.total = 0

    def totals(self) -> tuple[int, int]:
        """The weight of all pairs together, and how many distinct ones there are."""
        return self.total, self.used

    def count(self) -> bool:
        """Count from where the last call stopped; False when the table has no room for a window: `give` a larger one and call again."""
        limit: cython.longlong = self.table.shape[0] // 16 * 3
        room: cython.longlong = self.window.shape[0] // 2
        c: cython.longlong = self.count_class
        n: cython.longlong = 1
        k: cython.longlong
        i: cython.ulonglong
        with cython.nogil:
            while n > 0 and self.used + room <= limit:
                n = self._fill_window()
                for k in range(n):
                    i = self._find(self.window[2 * k])
                    while cython.cast(cython.longlong, self.window[2 * k + 1]) >= self.class_ends[c]:
                        c += 1
                    if self.table[i + 2] == 0:
                        self.table[i] = self.window[2 * k]
                        self.used += 1
                    self.table[i + 1] += self.class_counts[c]
                    self.table[i + 2] += 1
                    self.total += self.class_counts[c]
            self.count_class = c
        return n == 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fill_window(self) -> cython.longlong:
        """The next pairs as (key, position), and their entries asked for; how many there are."""
        slots: cython.pointer[cython.const[cython.int]] = cython.address(self.slots[0]) if cython.compiled else self.slots
        window: cython.p_ulonglong = cython.address(self.window[0]) if cython.compiled else self.window
        table: cython.p_ulonglong = cython.address(self.table[0]) if cython.compiled else self.table
        room: cython.longlong = self.window.shape[0]
        end: cython.longlong = self.slots.shape[0] - 1
        singles: cython.int = self.singles
        mask: cython.ulonglong = self.mask
        at: cython.longlong = self.at
        n: cython.longlong = 0
        begin: cython.longlong
        key: cython.ulonglong
        left: cython.int = slots[at]
        right: cython.int
        while at < end and n < room:
            if left < 0:
                at += 1
                left = slots[at]
                continue
            begin = at
            at += 1 if left < singles else self.lengths[left]
            right = slots[at]
            if right >= 0:
                key = cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right)
                prefetch64(table, 4 * (fold(key, MIX) & mask))
                window[n] = key
                window[n + 1] = self.first + begin
                n += 2
            left = right
        self.at = at
        return n // 2

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _find(self, key: cython.ulonglong) -> cython.ulonglong:
        """Where the entry of `key` is, or the free one where it belongs."""
        table: cython.p_ulonglong = cython.address(self.table[0]) if cython.compiled else self.table
        i: cython.ulonglong = fold(key, MIX) & self.mask
        while table[4 * i] != key and table[4 * i + 2] != 0:
            i = (i + 1) & self.mask
        return 4 * i

    def give(self, table) -> None:
        """Go on with a larger table: a power of two of entries, all zero."""
        old: cython.ulonglong[::1] = self.table
        i: cython.longlong
        k: cython.ulonglong
        self.table = table
        self.mask = len(table) // 4 - 1
        with cython.nogil:
            for i in range(0, old.shape[0], 4):
                if old[i + 2] != 0:
                    k = self._find(old[i])
                    self.table[k] = old[i]
                    self.table[k + 1] = old[i + 1]
                    self.table[k + 2] = old[i + 2]

    def hand_over(self, other: "PairCounter") -> int:
        """Give what was counted of the pairs that another counter has too to that one, which owns them; how many there were."""
        i: cython.longlong
        k: cython.ulonglong
        shared: cython.longlong = 0
        with cython.nogil:
            for i in range(0, self.table.shape[0], 4):
                if self.table[i + 1] == 0:
                    continue
                k = other._find(self.table[i])
                if other.table[k + 1] != 0:
                    self.table[i + 3] = other.table[k + 2]
                    other.table[k + 1] += self.table[i + 1]
                    other.table[k + 2] += self.table[i + 2]
                    self.table[i + 1] = 0
                    shared += 1
        return shared

    def collect(
        self,
        sizes: cython.const[cython.int][::1],
        floor: cython.ulonglong,
        max_size: cython.longlong,
        pairs: cython.ulonglong[::1],
        found: cython.longlong,
        start: cython.ulonglong,
    ) -> tuple[int, int]:
        """List the pairs owned of at least `floor` and at most `max_size` bytes as (key, weight, start, number).

        `found` pairs with `start` positions were listed before, which go up to what is returned.
        """
        number: cython.ulonglong
        i: cython.longlong
        key: cython.ulonglong
        with cython.nogil:
            for i in range(0, self.table.shape[0], 4):
                if self.table[i + 1] == 0:
                    continue
                key = self.table[i]
                number = self.table[i + 2]
                self.table[i + 3] = NOWHERE
                if self.table[i + 1] >= floor and sizes[key >> 32] + sizes[key & LOW] <= max_size:
                    self.table[i + 3] = start
                    pairs[4 * found] = key
                    pairs[4 * found + 1] = self.table[i + 1]
                    pairs[4 * found + 2] = start
                    pairs[4 * found + 3] = number
                    found += 1
                    start += number
        return found, start

    def follow(self, other: "PairCounter") -> None:
        """After `other` collected: where the positions of the pairs that it owns go that are counted here."""
        i: cython.longlong
        k: cython.ulonglong
        with cython.nogil:
            for i in range(0, self.table.shape[0], 4):
                if self.table[i + 1] != 0 or self.table[i + 2] == 0:
                    continue
                k = other._find(self.table[i])
                if other.table[k + 1] != 0:
                    self.table[i + 3] = NOWHERE if other.table[k + 3] == NOWHERE else self.table[i + 3] + other.table[k + 3]

    def place(self, pool: cython.uint[::1]) -> None:
        """Write the positions of the collected pairs into the pool."""
        n: cython.longlong = 1
        k: cython.longlong
        i: cython.ulonglong
        self.at = 0
        with cython.nogil:
            while n > 0:
                n = self._fill_window()
                for k in range(n):
                    i = self._find(self.window[2 * k]) + 3
                    if self.table[i] != NOWHERE:
                        pool[self.table[i]] = self.window[2 * k + 1]
                        self.table[i] += 1
