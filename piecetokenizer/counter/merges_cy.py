"""Kernel: replace a pair by its symbol, everywhere, and keep all frequencies exact.

In: the slots (characters_cy), the pairs with their positions (pairs_cy), then one pair after the other (queue_cy).  Out, for each:
the new pairs that came of it.

The symbols.  A symbol over slots s..e has its id in s and in e, and INSIDE between: the slot before a start is the end of the left
neighbour, the slot behind an end the start of the right one, so neighbours need no links.  A slot that once started a symbol A
holds the id A only while that very symbol is there: ids name strings, so what swallowed it is longer and has another id.  Hence a
position p recorded for the pair (A, B) is valid exactly when slots[p] is A and the slot behind A is B: positions are left to go
stale, and are found out when visited.

The positions.  All positions of a pair are made in the merge that creates its newer symbol; later they only fall away.  So they sit
in one slice of the pool, ascending, and the pool never needs more than 3 entries a slot: 1 at the start, 2 for each of the symbols
that merges remove.

The floor.  For the same reason a pair is never more frequent than when it was born.  One born below the floor is therefore not
recorded at all, and no unrecorded pair ever reaches the floor: while the best recorded pair does, it is the best of all.  When none
does, the caller lowers the floor and counts again (pairs_cy).

The work.  For each occurrence only array accesses: weights are summed up by neighbour in `sums`.  The hash table is touched once
for each distinct neighbour of a merge.  Every merged occurrence removes a symbol, and every visit uses up a position, so all visits
together are at most 3 a slot.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold, prefetch32, prefetch64
else:
    from piecetokenizer.lowlevel import fold, prefetch32, prefetch64

MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
EMPTY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)
INSIDE = cython.declare(cython.int, -1)
AHEAD = cython.declare(cython.longlong, 8)
"""How many steps before its use memory is asked for."""


@cython.final
@cython.cclass
class Merger:
    """Table entry h is (key, frequency); where[h] is the start of its slice of the pool, where[h + 1] the number.

    All arrays belong to the caller.
    """

    slots: cython.int[::1]
    class_ends: cython.const[cython.longlong][::1]
    class_counts: cython.const[cython.longlong][::1]
    lengths: cython.int[::1]
    sizes: cython.int[::1]
    sums: cython.longlong[::1]
    touched: cython.int[::1]
    pool: cython.uint[::1]
    table: cython.ulonglong[::1]
    where: cython.longlong[::1]
    born: cython.ulonglong[::1]
    symbols: cython.longlong
    max_size: cython.longlong
    floor: cython.longlong
    pool_used: cython.longlong
    table_used: cython.longlong
    born_used: cython.longlong
    lefts: cython.longlong
    rights: cython.longlong
    twins: cython.longlong
    twins_weight: cython.longlong
    twins_start: cython.longlong
    visited: cython.longlong
    valid: cython.longlong
    looked_up: cython.longlong

    def __init__(self, slots, class_ends, class_counts, lengths, sizes, sums, touched, symbols: int, max_size: int):
        """The symbols so far are `symbols`; `sums` has 4 zeros and `touched` 2 entries for each symbol there will be.

        Lengths are in characters, sizes in bytes of the display form.
        """
        self.slots = slots
        self.class_ends = class_ends
        self.class_counts = class_counts
        self.lengths = lengths
        self.sizes = sizes
        self.sums = sums
        self.touched = touched
        self.symbols = symbols
        self.max_size = max_size
        self.visited = 0
        self.valid = 0
        self.looked_up = 0

    def counters(self) -> tuple[int, int, int, int, int]:
        """Entries of table and pool in use; positions visited, those that were valid, and neighbours looked up so far."""
        return self.table_used, self.pool_used, self.visited, self.valid, self.looked_up

    def start(self, pool, pool_used: int, table, where, born, floor: int) -> None:
        """Begin, or begin again with a lower floor: an empty table, and the pool as pairs_cy filled it."""
        self.pool = pool
        self.pool_used = pool_used
        self.table = table
        self.where = where
        self.born = born
        self.table_used = 0
        self.floor = floor

    def load(self, pairs: cython.const[cython.ulonglong][::1], count: cython.longlong) -> None:
        """Record pairs given as (key, weight, start, number); the table has room for twice as many."""
        i: cython.longlong
        with cython.nogil:
            for i in range(count):
                self._record(pairs[4 * i], pairs[4 * i + 1], pairs[4 * i + 2], pairs[4 * i + 3])

    def give(self, table, where, born) -> None:
        """Go on with larger arrays, the table all EMPTY; pairs that fell below the floor stay behind."""
        i: cython.longlong
        old: cython.ulonglong[::1] = self.table
        old_where: cython.longlong[::1] = self.where
        self.table = table
        self.where = where
        self.born = born
        self.table_used = 0
        with cython.nogil:
            for i in range(0, old.shape[0], 2):
                if old[i] != EMPTY and cython.cast(cython.longlong, old[i + 1]) >= self.floor:
                    self._record(old[i], old[i + 1], old_where[i], old_where[i + 1])

    @cython.ccall
    def most(self, key: cython.ulonglong) -> cython.longlong:
        """The most pairs that merging this one can bring."""
        h: cython.ulonglong = self._find(key)
        # Two for each position; two for each symbol; and the weights of all are at least the floor, out of twice the frequency.
        positions: cython.longlong = 2 * cython.cast(cython.longlong, self.where[h + 1]) + 1
        weight: cython.longlong = self.table[h + 1]
        return min(positions, 2 * self.symbols + 3, 2 * (weight // self.floor) + 1)

    def merge(self, key: cython.ulonglong) -> int:
        """Replace the pair by the next symbol; how many pairs came of it, listed in `born` as (key, frequency).

        -1, and nothing is done, if there is no room for `most` of them in `born` and the table.
        """
        a: cython.int = key >> 32
        b: cython.int = key & LOW
        c: cython.int = self.symbols
        h: cython.ulonglong
        kept: cython.longlong
        most: cython.longlong = self.most(key)
        if 2 * most > self.born.shape[0] or 4 * (self.table_used + most) > self.table.shape[0]:
            return -1
        with cython.nogil:
            self.born_used = 0
            self.sizes[c] = self.sizes[a] + self.sizes[b]
            h = self._find(key)
            kept = self._replace(a, b, c, self.where[h], self.where[h + 1], self.table[h + 1])
            self.visited += self.where[h + 1]
            self.valid += kept
            self.looked_up += self.lefts + self.rights
            self._settle(a, b, c)
            self.table[h + 1] = 0
            if self.born_used > 0:
                self._place(c, self.where[h], kept)
            self._clear()
            self.symbols += 1
        return self.born_used

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _replace(
        self, a: cython.int, b: cython.int, c: cython.int, start: cython.longlong, number: cython.longlong, freq: cython.longlong
    ) -> cython.longlong:
        """Replace, left to right, and sum up by neighbour.  The valid positions move to the front of the slice; how many there are."""
        length_a: cython.longlong = self.lengths[a]
        length_c: cython.longlong = length_a + self.lengths[b]
        right: cython.longlong = self.touched.shape[0] // 2
        kept: cython.longlong = 0
        seen: cython.longlong = 0
        k: cython.longlong = 0
        i: cython.longlong
        p: cython.longlong
        w: cython.longlong
        x: cython.int
        y: cython.int
        self.lefts = 0
        self.rights = 0
        self.twins = 0
        self.twins_weight = 0
        for i in range(number):
            if i + AHEAD < number:
                prefetch32(cython.address(self.slots[0]) if cython.compiled else self.slots, self.pool[start + i + AHEAD])
            p = self.pool[start + i]
            if self.slots[p] != a or self.slots[p + length_a] != b:
                continue
            if p >= self.class_ends[k]:
                k = self._class(p, k)
            w = self.class_counts[k]
            x = self.slots[p - 1]
            y = self.slots[p + length_c]
            # The order matters: a or b of one character has its start in its end slot, which becomes that of c.
            self.slots[p + length_a - 1] = INSIDE
            self.slots[p + length_a] = INSIDE
            self.slots[p] = c
            self.slots[p + length_c - 1] = c
            self.pool[start + kept] = p
            kept += 1
            if x == c:
                # Two in a row, as in abab: the pair on the left, (c, a) a moment ago, is now (c, c).
                self.twins += 1
                self.twins_weight += w
            elif x >= 0:
                if self.sums[4 * x] == 0:
                    self.touched[self.lefts] = x
                    self.lefts += 1
                self.sums[4 * x] += w
                self.sums[4 * x + 1] += 1
            if y >= 0:
                if self.sums[4 * y + 2] == 0:
                    self.touched[right + self.rights] = y
                    self.rights += 1
                self.sums[4 * y + 2] += w
                self.sums[4 * y + 3] += 1
            seen += w
            if seen == freq and a != b:
                # All that the pair still had is found: the rest of the slice is stale.  (In a run of one symbol not all are replaced.)
                break
        return kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _settle(self, a: cython.int, b: cython.int, c: cython.int) -> cython.void:
        """Once for each neighbour: its old pair falls, its new one is born.  The numbers in `sums` give way to where the positions go."""
        right: cython.longlong = self.touched.shape[0] // 2
        i: cython.longlong
        x: cython.int
        for i in range(self.lefts):
            if i + AHEAD < self.lefts:
                self._prefetch(self.touched[i + AHEAD], a)
            x = self.touched[i]
            self._fall(x, a, self.sums[4 * x])
            self.sums[4 * x + 1] = self._born(x, c, self.sums[4 * x], self.sums[4 * x + 1])
        for i in range(self.rights):
            if i + AHEAD < self.rights:
                self._prefetch(b, self.touched[right + i + AHEAD])
            x = self.touched[right + i]
            if x != b or a != b:
                self._fall(b, x, self.sums[4 * x + 2])
            if x == a:
                self.sums[4 * x + 3] = self._born(c, x, self.sums[4 * x + 2] - self.twins_weight, self.sums[4 * x + 3] - self.twins)
            else:
                self.sums[4 * x + 3] = self._born(c, x, self.sums[4 * x + 2], self.sums[4 * x + 3])
        self.twins_start = self._born(c, c, self.twins_weight, self.twins)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _place(self, c: cython.int, start: cython.longlong, kept: cython.longlong) -> cython.void:
        """Write the positions of the new pairs, ascending; those of (c, c) come from the left side alone."""
        length_c: cython.longlong = self.lengths[c]
        i: cython.longlong
        p: cython.longlong
        x: cython.int
        for i in range(kept):
            if i + AHEAD < kept:
                prefetch32(cython.address(self.slots[0]) if cython.compiled else self.slots, self.pool[start + i + AHEAD])
            p = self.pool[start + i]
            x = self.slots[p - 1]
            if x == c:
                if self.twins_start >= 0:
                    self.pool[self.twins_start] = p - length_c
                    self.twins_start += 1
            elif x >= 0 and self.sums[4 * x + 1] >= 0:
                self.pool[self.sums[4 * x + 1]] = p - self.lengths[x]
                self.sums[4 * x + 1] += 1
            x = self.slots[p + length_c]
            if x >= 0 and x != c and self.sums[4 * x + 3] >= 0:
                self.pool[self.sums[4 * x + 3]] = p
                self.sums[4 * x + 3] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _clear(self) -> cython.void:
        """Leave `sums` all zero for the next merge."""
        right: cython.longlong = self.touched.shape[0] // 2
        i: cython.longlong
        x: cython.int
        for i in range(self.lefts):
            x = self.touched[i]
            self.sums[4 * x] = 0
            self.sums[4 * x + 1] = 0
        for i in range(self.rights):
            x = self.touched[right + i]
            self.sums[4 * x + 2] = 0
            self.sums[4 * x + 3] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _class(self, p: cython.longlong, k: cython.longlong) -> cython.longlong:
        """The count class of slot p, which lies behind class k: search in doubling steps, then by halves."""
        last: cython.longlong = self.class_ends.shape[0] - 1
        step: cython.longlong = 1
        high: cython.longlong = k + 1
        middle: cython.longlong
        while high < last and p >= self.class_ends[high]:
            k = high
            step *= 2
            high = min(high + step, last)
        while high - k > 1:
            middle = (k + high) // 2
            if p >= self.class_ends[middle]:
                k = middle
            else:
                high = middle
        return high

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _find(self, key: cython.ulonglong) -> cython.ulonglong:
        """Where the entry of `key` is in the table, or the empty entry where it belongs."""
        mask: cython.ulonglong = self.table.shape[0] // 2 - 1
        i: cython.ulonglong = fold(key, MIX) & mask
        while self.table[2 * i] != key and self.table[2 * i] != EMPTY:
            i = (i + 1) & mask
        return 2 * i

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _prefetch(self, left: cython.ulonglong, right: cython.ulonglong) -> cython.void:
        mask: cython.ulonglong = self.table.shape[0] // 2 - 1
        prefetch64(cython.address(self.table[0]) if cython.compiled else self.table, 2 * (fold(left << 32 | right, MIX) & mask))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _fall(self, left: cython.ulonglong, right: cython.ulonglong, weight: cython.longlong) -> cython.void:
        """The pair lost some of its frequency; nothing to do if it is not recorded."""
        h: cython.ulonglong = self._find(left << 32 | right)
        if self.table[h] != EMPTY:
            self.table[h + 1] -= weight

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _born(self, left: cython.ulonglong, right: cython.ulonglong, weight: cython.longlong, number: cython.longlong) -> cython.longlong:
        """Record a new pair and reserve its slice of the pool; the start of that, or -1 if the pair is too rare or too long."""
        start: cython.longlong = self.pool_used
        if weight < self.floor or self.sizes[left] + self.sizes[right] > self.max_size:
            return -1
        self.pool_used += number
        self._record(left << 32 | right, weight, start, number)
        self.born[2 * self.born_used] = left << 32 | right
        self.born[2 * self.born_used + 1] = weight
        self.born_used += 1
        return start

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _record(self, key: cython.ulonglong, weight: cython.ulonglong, start: cython.longlong, number: cython.longlong) -> cython.void:
        """Put a pair that is not there yet into the table."""
        h: cython.ulonglong = self._find(key)
        self.table[h] = key
        self.table[h + 1] = weight
        self.where[h] = start
        self.where[h + 1] = number
        self.table_used += 1
