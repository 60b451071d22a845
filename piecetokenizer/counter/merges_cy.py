# cython: language_level=3
"""Kernel: the merge loop.  It takes the best pair, replaces it everywhere, and repeats.

In: the slots (characters_cy) and the pairs with their positions (pairs_cy).  Out: the merges in order.  counter/merges.py owns the arrays.

Best pair: highest frequency; then fewer characters; then the smaller display string in code-point order; then, for two splits of one
string, the shorter left part.  A pair whose string is a piece already is dropped.  One longer than `max_size` bytes is never recorded.

The symbols.  A symbol over slots s..e has its id in s and in e, and -1 between: the slot before a start is the end of the left neighbour,
the slot after an end the start of the right one, so neighbours need no links.  A slot that once started a symbol A holds the id A only
while that very symbol is there: ids name strings, so what swallowed it is longer and has another id.  Hence a recorded position p of the pair
(A, B) is valid exactly when slots[p] is A and the slot behind A is B; positions are left to go stale and are found out when visited.

The positions.  All positions of a pair are made in the merge that creates its newer symbol; later they only fall away.  So they sit in
one slice of the pool, ascending, and the pool never needs more than 3 entries a slot: 1 at the start, 2 for each slot that a merge frees.

The floor.  For the same reason a pair is never more frequent than when it was born.  One born below the floor is therefore not recorded at all, and
every pair not recorded stays below the floor: as long as the best recorded pair reaches it, that is the best of all.  When none does, `run`
returns NONE_LEFT, and the caller lowers the floor and counts again.

The work.  For each occurrence only array accesses: weights are summed by neighbour in `sums`.  Hash table and heap are touched once for each
distinct neighbour of a merge.  Heap entries are upper bounds, since frequencies fall without the heap knowing: what is popped is compared
with the table.  n log n for n slots in the worst case, in practice about n.
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

# Why `run` returned: all merges are made; the budget of work is spent; no recorded pair reaches the floor; an array must grow first.
ENOUGH = cython.declare(cython.int, 0)
PAUSED = cython.declare(cython.int, 1)
NONE_LEFT = cython.declare(cython.int, 2)
NO_ROOM = cython.declare(cython.int, 3)


@cython.final
@cython.cclass
class Merger:
    """The state of the loop.  The caller makes the arrays, and `give`s larger ones when `run` asks for room."""

    slots: cython.int[::1]
    pool: cython.uint[::1]
    class_ends: cython.const[cython.longlong][::1]
    class_counts: cython.const[cython.longlong][::1]
    lengths: cython.int[::1]
    sizes: cython.int[::1]
    begins: cython.longlong[::1]
    text: cython.int[::1]
    names: cython.int[::1]
    made: cython.ulonglong[::1]
    sums: cython.longlong[::1]
    touched: cython.int[::1]
    table: cython.ulonglong[::1]
    where: cython.uint[::1]
    heap: cython.ulonglong[::1]

    max_size: cython.longlong
    floor: cython.ulonglong
    symbols: cython.longlong
    merged: cython.longlong
    pool_used: cython.longlong
    table_used: cython.longlong
    heap_used: cython.longlong
    visited: cython.longlong
    valid: cython.longlong
    looked_up: cython.longlong
    popped: cython.longlong
    need: cython.longlong
    text_used: cython.longlong

    def __init__(self, slots, class_ends, class_counts, lengths, sizes, begins, text, text_used: int, names, made, sums, touched, symbols: int, max_size: int):
        """`lengths`, `sizes`, `begins` (and `text`) hold the first `symbols` symbols and have room for all others."""
        self.slots = slots
        self.class_ends = class_ends
        self.class_counts = class_counts
        self.lengths = lengths
        self.sizes = sizes
        self.begins = begins
        self.text = text
        self.text_used = text_used
        self.need = 0
        self.names = names
        self.made = made
        self.sums = sums
        self.touched = touched
        self.symbols = symbols
        self.max_size = max_size
        self.merged = 0
        self.visited = 0
        self.valid = 0
        self.looked_up = 0
        self.popped = 0

    def start(self, pool, pool_used: int, table, where, heap, floor: int):
        """Begin, or begin again with a lower floor: empty table and heap, the pool as pairs_cy.place filled it."""
        self.pool = pool
        self.pool_used = pool_used
        self.table = table
        self.where = where
        self.table_used = 0
        self.heap = heap
        self.heap_used = 0
        self.floor = floor

    def block(self, first: int):
        """Make symbols `first` and above pieces that no merge may spell; once, at the beginning."""
        i: cython.longlong
        for i in range(first, self.symbols):
            self.names[self._name_at(self.begins[i], self.lengths[i])] = i

    def load(self, pairs: cython.const[cython.ulonglong][::1], count: cython.longlong):
        """Record pairs given as (key, weight, start, number)."""
        i: cython.longlong
        for i in range(count):
            self._record(pairs[4 * i], pairs[4 * i + 1], pairs[4 * i + 2], pairs[4 * i + 3])

    def give_table(self, table, where):
        """Go on with a larger table, all EMPTY; pairs that fell below the floor stay behind."""
        i: cython.longlong
        h: cython.ulonglong
        old: cython.ulonglong[::1] = self.table
        old_where: cython.uint[::1] = self.where
        self.table = table
        self.where = where
        self.table_used = 0
        for i in range(0, old.shape[0], 2):
            if old[i] != EMPTY and old[i + 1] >= self.floor:
                h = self._find(old[i])
                self.table[h] = old[i]
                self.table[h + 1] = old[i + 1]
                self.where[h] = old_where[i]
                self.where[h + 1] = old_where[i + 1]
                self.table_used += 1

    def give_heap(self, heap):
        """Go on with a larger heap, which holds a copy of the present one."""
        self.heap = heap

    def give_text(self, text):
        """Go on with a larger text, which holds a copy of the present one."""
        self.text = text

    def counters(self):
        """Sizes and work so far, by name."""
        return {
            "symbols": self.symbols,
            "merged": self.merged,
            "need": self.need,
            "table_used": self.table_used,
            "heap_used": self.heap_used,
            "text_used": self.text_used,
            "pool_used": self.pool_used,
            "visited": self.visited,
            "valid": self.valid,
            "looked_up": self.looked_up,
            "popped": self.popped,
        }

    def run(self, wanted: cython.longlong, budget: cython.longlong) -> int:
        """Merge until `wanted` merges are made in all, the budget of work is spent, or the caller has to do something first."""
        with cython.nogil:
            status = self._run(wanted, self._work() + budget)
        return status

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _work(self) -> cython.longlong:
        return self.visited + self.looked_up + self.popped

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _run(self, wanted: cython.longlong, limit: cython.longlong) -> cython.int:
        key: cython.ulonglong
        freq: cython.ulonglong
        h: cython.ulonglong
        while self.merged < wanted:
            if self._work() > limit:
                return PAUSED
            if self.heap_used == 0:
                return NONE_LEFT
            freq = self.heap[0]
            key = self.heap[2]
            h = self._find(key)
            self.popped += 1
            if self.table[h + 1] != freq:
                freq = self.table[h + 1]
                if freq < self.floor:
                    self._pop()
                else:
                    self.heap[0] = freq
                    self._sift_down(freq, self.heap[1], key)
                continue
            if not self._has_room(h):
                return NO_ROOM
            self._pop()
            if self._name(key >> 32, key & LOW):
                self._merge(key >> 32, key & LOW, h)
            self.table[h + 1] = 0
        return ENOUGH

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _has_room(self, h: cython.ulonglong) -> cython.bint:
        """Whether every array has room for what the merge of this pair can add."""
        need: cython.ulonglong = 2 * cython.cast(cython.ulonglong, self.where[h + 1]) + 1
        # New pairs have a weight of at least the floor, out of twice the frequency; and each has another neighbour.
        need = min(need, 2 * cython.cast(cython.ulonglong, self.symbols) + 3, 2 * (self.table[h + 1] // self.floor) + 1)
        self.need = need
        return (
            4 * (self.table_used + self.need) <= self.table.shape[0]
            and 3 * (self.heap_used + self.need) <= self.heap.shape[0]
            and self.text_used + self.max_size <= self.text.shape[0]
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _merge(self, a: cython.int, b: cython.int, h: cython.ulonglong) -> cython.void:
        """Replace the pair (a, b) by the newest symbol wherever it is, and record the pairs that come of it."""
        c: cython.int = self.symbols
        length_a: cython.longlong = self.lengths[a]
        length_c: cython.longlong = length_a + self.lengths[b]
        start: cython.longlong = self.where[h]
        number: cython.longlong = self.where[h + 1]
        freq: cython.longlong = self.table[h + 1]
        half: cython.longlong = self.touched.shape[0] // 2
        lefts: cython.longlong = 0
        rights: cython.longlong = 0
        twins_weight: cython.longlong = 0
        twins: cython.longlong = 0
        twins_start: cython.longlong = -1
        seen: cython.longlong = 0
        kept: cython.longlong = 0
        k: cython.longlong = 0
        recorded: cython.bint = False
        i: cython.longlong
        p: cython.longlong
        w: cython.longlong
        n: cython.longlong
        x: cython.int
        y: cython.int

        self.symbols += 1
        self.made[2 * self.merged] = cython.cast(cython.ulonglong, a) << 32 | cython.cast(cython.ulonglong, b)
        self.made[2 * self.merged + 1] = freq
        self.merged += 1

        # First pass: replace, left to right, and sum up by neighbour.  The valid positions move to the front of the slice.
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
            self.slots[p + length_a - 1] = INSIDE
            self.slots[p + length_a] = INSIDE
            self.slots[p] = c
            self.slots[p + length_c - 1] = c
            self.pool[start + kept] = p
            kept += 1
            if x == c:
                # Two in a row, abab: what looked like (c, a) a moment ago is (c, c).
                twins_weight += w
                twins += 1
            elif x >= 0:
                if self.sums[4 * x] == 0:
                    self.touched[lefts] = x
                    lefts += 1
                self.sums[4 * x] += w
                self.sums[4 * x + 1] += 1
            if y >= 0:
                if self.sums[4 * y + 2] == 0:
                    self.touched[half + rights] = y
                    rights += 1
                self.sums[4 * y + 2] += w
                self.sums[4 * y + 3] += 1
            seen += w
            if seen == freq and a != b:
                i += 1
                break
        self.visited += number
        self.valid += kept
        self.looked_up += lefts + rights

        # Then once for each neighbour: the old pair falls, the new one is born.  The number of positions gives way to where they go.
        for i in range(lefts):
            if i + AHEAD < lefts:
                self._prefetch(self.touched[i + AHEAD], a)
            x = self.touched[i]
            w = self.sums[4 * x]
            self._fall(x, a, w)
            n = self.sums[4 * x + 1]
            self.sums[4 * x + 1] = self._born(x, c, w, n)
            recorded = recorded or self.sums[4 * x + 1] >= 0
        for i in range(rights):
            if i + AHEAD < rights:
                self._prefetch(b, self.touched[half + i + AHEAD])
            y = self.touched[half + i]
            w = self.sums[4 * y + 2]
            n = self.sums[4 * y + 3]
            if y != b or a != b:
                self._fall(b, y, w)
            if y == a:
                w -= twins_weight
                n -= twins
            self.sums[4 * y + 3] = self._born(c, y, w, n)
            recorded = recorded or self.sums[4 * y + 3] >= 0
        twins_start = self._born(c, c, twins_weight, twins)
        recorded = recorded or twins_start >= 0

        # Second pass, only if something was recorded: write the positions of the new pairs.
        if recorded:
            for i in range(kept):
                if i + AHEAD < kept:
                    prefetch32(cython.address(self.slots[0]) if cython.compiled else self.slots, self.pool[start + i + AHEAD])
                p = self.pool[start + i]
                x = self.slots[p - 1]
                y = self.slots[p + length_c]
                if x == c:
                    if twins_start >= 0:
                        self.pool[twins_start] = p - length_c
                        twins_start += 1
                elif x >= 0 and self.sums[4 * x + 1] >= 0:
                    self.pool[self.sums[4 * x + 1]] = p - self.lengths[x]
                    self.sums[4 * x + 1] += 1
                if y >= 0 and y != c and self.sums[4 * y + 3] >= 0:
                    self.pool[self.sums[4 * y + 3]] = p
                    self.sums[4 * y + 3] += 1
        for i in range(lefts):
            x = self.touched[i]
            self.sums[4 * x] = 0
            self.sums[4 * x + 1] = 0
        for i in range(rights):
            y = self.touched[half + i]
            self.sums[4 * y + 2] = 0
            self.sums[4 * y + 3] = 0

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
    def _born(self, left: cython.ulonglong, right: cython.ulonglong, weight: cython.ulonglong, number: cython.longlong) -> cython.longlong:
        """Record a new pair and reserve its slice of the pool; the start of that, or -1 if the pair is too rare or too long."""
        start: cython.longlong = self.pool_used
        if weight < self.floor or self.sizes[left] + self.sizes[right] > self.max_size:
            return -1
        self.pool_used += number
        self._record(left << 32 | right, weight, start, number)
        return start

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _record(self, key: cython.ulonglong, weight: cython.ulonglong, start: cython.longlong, number: cython.longlong) -> cython.void:
        """Put a pair that is not there yet into the table and the heap."""
        h: cython.ulonglong = self._find(key)
        self.table[h] = key
        self.table[h + 1] = weight
        self.where[h] = start
        self.where[h + 1] = number
        self.table_used += 1
        self._push(weight, self._order(key), key)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _char(self, key: cython.ulonglong, i: cython.longlong) -> cython.ulonglong:
        """Character i of the display string of a pair."""
        left: cython.longlong = self.lengths[key >> 32]
        return self.text[self.begins[key >> 32] + i] if i < left else self.text[self.begins[key & LOW] + i - left]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _order(self, key: cython.ulonglong) -> cython.ulonglong:
        """What decides between equal frequencies, as far as it fits into a word: the number of characters and the first two of them."""
        length: cython.ulonglong = self.lengths[key >> 32] + self.lengths[key & LOW]
        return length << 42 | self._char(key, 0) << 21 | self._char(key, 1)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _before(self, at: cython.longlong, freq: cython.ulonglong, order: cython.ulonglong, key: cython.ulonglong) -> cython.bint:
        """Whether heap entry `at` is a better pair than the given one."""
        # The tie-break: highest frequency, then fewest characters, then smallest display string, then shortest left part.
        if self.heap[at] != freq:
            return self.heap[at] > freq
        if self.heap[at + 1] != order:
            return self.heap[at + 1] < order
        return self._smaller(self.heap[at + 2], key)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _smaller(self, one: cython.ulonglong, two: cython.ulonglong) -> cython.bint:
        """Compare two pairs of equal length by their strings."""
        i: cython.longlong
        length: cython.longlong = self.lengths[one >> 32] + self.lengths[one & LOW]
        for i in range(2, length):
            if self._char(one, i) != self._char(two, i):
                return self._char(one, i) < self._char(two, i)
        return self.lengths[one >> 32] < self.lengths[two >> 32]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _push(self, freq: cython.ulonglong, order: cython.ulonglong, key: cython.ulonglong) -> cython.void:
        at: cython.longlong = self.heap_used
        parent: cython.longlong
        self.heap_used += 1
        while at > 0:
            parent = (at - 1) // 2
            if self._before(3 * parent, freq, order, key):
                break
            self.heap[3 * at] = self.heap[3 * parent]
            self.heap[3 * at + 1] = self.heap[3 * parent + 1]
            self.heap[3 * at + 2] = self.heap[3 * parent + 2]
            at = parent
        self.heap[3 * at] = freq
        self.heap[3 * at + 1] = order
        self.heap[3 * at + 2] = key

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _pop(self) -> cython.void:
        """Remove the top: the last entry takes its place."""
        last: cython.longlong
        self.heap_used -= 1
        last = 3 * self.heap_used
        if last > 0:
            self._sift_down(self.heap[last], self.heap[last + 1], self.heap[last + 2])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sift_down(self, freq: cython.ulonglong, order: cython.ulonglong, key: cython.ulonglong) -> cython.void:
        """Put an entry at the top, then let it sink."""
        at: cython.longlong = 0
        child: cython.longlong = 1
        while child < self.heap_used:
            if child + 1 < self.heap_used and self._before(
                3 * child + 3, self.heap[3 * child], self.heap[3 * child + 1], self.heap[3 * child + 2]
            ):
                child += 1
            if not self._before(3 * child, freq, order, key):
                break
            self.heap[3 * at] = self.heap[3 * child]
            self.heap[3 * at + 1] = self.heap[3 * child + 1]
            self.heap[3 * at + 2] = self.heap[3 * child + 2]
            at = child
            child = 2 * at + 1
        self.heap[3 * at] = freq
        self.heap[3 * at + 1] = order
        self.heap[3 * at + 2] = key

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _name(self, a: cython.longlong, b: cython.longlong) -> cython.bint:
        """Spell the next symbol as a and b; False if there is a piece of that name already."""
        c: cython.longlong = self.symbols
        i: cython.longlong
        at: cython.longlong
        length: cython.longlong = self.lengths[a] + self.lengths[b]
        begin: cython.longlong = self.text_used
        for i in range(self.lengths[a]):
            self.text[begin + i] = self.text[self.begins[a] + i]
        for i in range(self.lengths[b]):
            self.text[begin + self.lengths[a] + i] = self.text[self.begins[b] + i]
        at = self._name_at(begin, length)
        if self.names[at] >= 0:
            return False
        self.names[at] = c
        self.begins[c] = begin
        self.lengths[c] = length
        self.sizes[c] = self.sizes[a] + self.sizes[b]
        self.text_used += length
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _name_at(self, begin: cython.longlong, length: cython.longlong) -> cython.longlong:
        """Where the symbol spelled text[begin : begin + length] is in the table of names, or the free place where it belongs."""
        mask: cython.ulonglong = self.names.shape[0] - 1
        hashed: cython.ulonglong = length
        i: cython.longlong
        other: cython.int
        for i in range(length):
            hashed = fold(hashed ^ cython.cast(cython.ulonglong, self.text[begin + i]), MIX)
        hashed &= mask
        while self.names[hashed] >= 0:
            other = self.names[hashed]
            if self.lengths[other] == length:
                i = 0
                while i < length and self.text[self.begins[other] + i] == self.text[begin + i]:
                    i += 1
                if i == length:
                    break
            hashed = (hashed + 1) & mask
        return hashed
