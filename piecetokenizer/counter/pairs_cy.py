# cython: language_level=3
"""Kernel: count all pairs of adjacent symbols, and gather the positions of those that are frequent enough.

In: the slots (see characters_cy; also in the middle of the merges, when the floor was lowered).  Out: for each pair its weight,
exact, its number of positions, and the positions themselves, ascending, as one slice of the pool.  Overlapping pairs count: `aaa`
has two.

`count` adds up weight and number of every pair: in a square where both symbols are among the first, which are the most frequent
characters, so that most of the work stays in the cache; in a hash table otherwise, which the caller makes larger when it asks.
`collect` lists the pairs that reach the floor; `place` goes over the slots once more and writes the positions, as a counting sort
does.  Expected constant work a slot.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold
else:
    from piecetokenizer.lowlevel import fold

MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
EMPTY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)
NOWHERE = cython.declare(cython.longlong, -1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find(keys: cython.ulonglong[::1], key: cython.ulonglong) -> cython.longlong:
    """Where `key` is, or the empty place where it belongs."""
    mask: cython.ulonglong = keys.shape[0] - 1
    i: cython.ulonglong = fold(key, MIX) & mask
    while keys[i] != key and keys[i] != EMPTY:
        i = (i + 1) & mask
    return i


@cython.final
@cython.cclass
class PairCounter:
    """Counts of pairs.  Pair i of the square or of the table has its weight at `[2 * i]` and its number of positions behind it."""

    slots: cython.const[cython.int][::1]
    lengths: cython.const[cython.int][::1]
    class_ends: cython.const[cython.longlong][::1]
    class_counts: cython.const[cython.longlong][::1]
    square: cython.longlong[::1]
    keys: cython.ulonglong[::1]
    sums: cython.longlong[::1]
    side: cython.int
    at: cython.longlong
    count_class: cython.longlong
    used: cython.longlong
    total: cython.longlong
    distinct: cython.longlong

    def __init__(self, slots, lengths, class_ends, class_counts, square, side: int, keys, sums):
        """`square` has 2 * side * side zeros; `keys` a power of two of EMPTY, `sums` twice as many zeros."""
        self.slots = slots
        self.lengths = lengths
        self.class_ends = class_ends
        self.class_counts = class_counts
        self.square = square
        self.side = side
        self.keys = keys
        self.sums = sums
        self.at = 0
        self.count_class = 0
        self.used = 0
        self.total = 0
        self.distinct = 0

    def totals(self) -> tuple[int, int]:
        """The weight of all pairs together, and how many distinct ones there are."""
        return self.total, self.distinct

    def count(self) -> bool:
        """Count from where the last call stopped; False when the table is half full: `give` a larger one and call again."""
        end: cython.longlong = self.slots.shape[0] - 1
        at: cython.longlong = self.at
        c: cython.longlong = self.count_class
        limit: cython.longlong = self.keys.shape[0] // 2
        side: cython.int = self.side
        left: cython.int
        right: cython.int
        i: cython.longlong
        with cython.nogil:
            left = self.slots[at]
            while at < end and self.used < limit:
                if left < 0:
                    at += 1
                    left = self.slots[at]
                    continue
                at += self.lengths[left]
                right = self.slots[at]
                if right >= 0:
                    while at >= self.class_ends[c]:
                        c += 1
                    if left < side and right < side:
                        i = 2 * (left * side + right)
                        if self.square[i] == 0:
                            self.distinct += 1
                        self.square[i] += self.class_counts[c]
                        self.square[i + 1] += 1
                    else:
                        i = self._add(cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right))
                        self.sums[i] += self.class_counts[c]
                        self.sums[i + 1] += 1
                    self.total += self.class_counts[c]
                left = right
            self.at = at
            self.count_class = c
        return at >= end

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _add(self, key: cython.ulonglong) -> cython.longlong:
        """Where the sums of a pair of the table are."""
        i: cython.longlong = _find(self.keys, key)
        if self.keys[i] == EMPTY:
            self.keys[i] = key
            self.used += 1
            self.distinct += 1
        return 2 * i

    def give(self, keys, sums) -> None:
        """Go on with a larger table, all EMPTY."""
        old: cython.ulonglong[::1] = self.keys
        old_sums: cython.longlong[::1] = self.sums
        i: cython.longlong
        k: cython.longlong
        self.keys = keys
        self.sums = sums
        with cython.nogil:
            for i in range(old.shape[0]):
                if old[i] != EMPTY:
                    k = _find(self.keys, old[i])
                    self.keys[k] = old[i]
                    self.sums[2 * k] = old_sums[2 * i]
                    self.sums[2 * k + 1] = old_sums[2 * i + 1]

    def collect(
        self, sizes: cython.const[cython.int][::1], floor: cython.longlong, max_size: cython.longlong, pairs: cython.ulonglong[::1]
    ) -> tuple[int, int]:
        """List the pairs of at least `floor` and at most `max_size` bytes as (key, weight, start, number); how many pairs and positions.

        In the sums, the number gives way to the start of the slice, for `place`.
        """
        found: cython.longlong = 0
        start: cython.longlong = 0
        number: cython.longlong
        i: cython.longlong
        side: cython.longlong = self.side
        key: cython.ulonglong
        with cython.nogil:
            for i in range(side * side):
                number = self.square[2 * i + 1]
                key = cython.cast(cython.ulonglong, i // side) << 32 | cython.cast(cython.ulonglong, i % side)
                if number > 0 and self.square[2 * i] >= floor and sizes[i // side] + sizes[i % side] <= max_size:
                    _list(pairs, found, key, self.square[2 * i], start, number)
                    self.square[2 * i + 1] = start
                    start += number
                    found += 1
                else:
                    self.square[2 * i + 1] = NOWHERE
            for i in range(self.keys.shape[0]):
                key = self.keys[i]
                if key == EMPTY:
                    continue
                number = self.sums[2 * i + 1]
                if self.sums[2 * i] >= floor and sizes[key >> 32] + sizes[key & LOW] <= max_size:
                    _list(pairs, found, key, self.sums[2 * i], start, number)
                    self.sums[2 * i + 1] = start
                    start += number
                    found += 1
                else:
                    self.sums[2 * i + 1] = NOWHERE
        return found, start

    def place(self, pool: cython.uint[::1]) -> None:
        """Write the positions of the collected pairs into the pool."""
        end: cython.longlong = self.slots.shape[0] - 1
        at: cython.longlong = 0
        begin: cython.longlong
        side: cython.int = self.side
        left: cython.int
        right: cython.int
        i: cython.longlong
        with cython.nogil:
            left = self.slots[at]
            while at < end:
                if left < 0:
                    at += 1
                    left = self.slots[at]
                    continue
                begin = at
                at += self.lengths[left]
                right = self.slots[at]
                if right >= 0:
                    if left < side and right < side:
                        i = 2 * (left * side + right) + 1
                        if self.square[i] >= 0:
                            pool[self.square[i]] = begin
                            self.square[i] += 1
                    else:
                        i = 2 * _find(self.keys, cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right)) + 1
                        if self.sums[i] >= 0:
                            pool[self.sums[i]] = begin
                            self.sums[i] += 1
                left = right


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _list(
    pairs: cython.ulonglong[::1],
    i: cython.longlong,
    key: cython.ulonglong,
    weight: cython.longlong,
    start: cython.longlong,
    number: cython.longlong,
) -> cython.void:
    pairs[4 * i] = key
    pairs[4 * i + 1] = weight
    pairs[4 * i + 2] = start
    pairs[4 * i + 3] = number
