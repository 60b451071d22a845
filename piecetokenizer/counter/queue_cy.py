"""Kernel: the queue of pairs, which is the best of them, and how symbols are spelled.

In: pairs with their frequencies when they were born.  Out: one after the other, the pairs to merge, each with a name that no piece
has yet.

Best pair: highest frequency; then fewer characters; then the smaller display string in code-point order; then, for two splits of
one string, the shorter left part.  A pair that spells a piece which is there already is dropped when its turn comes.

A binary heap of (frequency, order, key).  The frequency is an upper bound, since frequencies fall without the queue knowing: the
top is compared with the table of the merge kernel, and sinks if it fell.  The order word decides most ties without looking at the
strings.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold
else:
    from piecetokenizer.lowlevel import fold

MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
EMPTY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
NO_ROOM = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFE)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)


@cython.final
@cython.cclass
class PairQueue:
    """Symbol s is spelled `text[begins[s] : begins[s] + lengths[s]]`, in code points of the display form.

    `names` is a hash table of symbols.  All arrays belong to the caller.
    """

    heap: cython.ulonglong[::1]
    table: cython.const[cython.ulonglong][::1]
    lengths: cython.int[::1]
    begins: cython.longlong[::1]
    text: cython.int[::1]
    names: cython.int[::1]
    made: cython.ulonglong[::1]
    born: cython.const[cython.ulonglong][::1]
    max_size: cython.longlong
    done: cython.longlong
    floor: cython.ulonglong
    used: cython.longlong
    symbols: cython.longlong
    text_used: cython.longlong
    popped: cython.longlong

    def __init__(self, lengths, begins, text, names, made, max_size: int, first: int, symbols: int):
        """Symbols below `first` are characters, those from there to `symbols` are pieces that no merge may spell.

        The arrays have room for all symbols to come, but for `text`, which may grow.
        """
        i: cython.longlong
        self.lengths = lengths
        self.begins = begins
        self.text = text
        self.names = names
        self.made = made
        self.done = 0
        self.max_size = max_size
        self.symbols = symbols
        self.text_used = begins[symbols]
        self.used = 0
        self.popped = 0
        for i in range(first, symbols):
            self.names[self._name_at(self.begins[i], self.lengths[i])] = i

    def counters(self) -> tuple[int, int]:
        """Entries of the heap, and how often the top was looked at."""
        return self.used, self.popped

    def start(self, heap, table, floor: int, pairs: cython.const[cython.ulonglong][::1], count: cython.longlong) -> None:
        """Begin, or begin again with a lower floor, with pairs given as (key, frequency, start, number); the heap has room for them."""
        i: cython.longlong
        self.heap = heap
        self.table = table
        self.floor = floor
        self.used = 0
        with cython.nogil:
            for i in range(count):
                self._push(pairs[4 * i + 1], self._order(pairs[4 * i]), pairs[4 * i])

    def give(self, heap, text, table, born) -> None:
        """Go on with larger arrays: heap and text are copies of the present ones, the others belong to the merge kernel too."""
        self.heap = heap
        self.text = text
        self.table = table
        self.born = born

    def push(self, count: cython.longlong) -> bool:
        """Add that many pairs that were `born` as (key, frequency); False, and nothing is added, if the heap is too small."""
        i: cython.longlong
        if 3 * (self.used + count) > self.heap.shape[0]:
            return False
        with cython.nogil:
            for i in range(count):
                self._push(self.born[2 * i + 1], self._order(self.born[2 * i]), self.born[2 * i])
        return True

    def next(self) -> cython.ulonglong:
        """Remove the best pair, name it as the next symbol, and write (key, frequency) into `made`.

        EMPTY if no pair reaches the floor; NO_ROOM if the text is too small for one more name.
        """
        key: cython.ulonglong = NO_ROOM
        if self.text_used + self.max_size <= self.text.shape[0]:
            with cython.nogil:
                key = self._next()
        return key

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _next(self) -> cython.ulonglong:
        freq: cython.ulonglong
        exact: cython.ulonglong
        key: cython.ulonglong
        while self.used > 0:
            freq = self.heap[0]
            key = self.heap[2]
            exact = self.table[self._find(key) + 1]
            self.popped += 1
            if exact < self.floor:
                self._pop()
            elif exact < freq:
                self._sift_down(exact, self.heap[1], key)
            else:
                self._pop()
                if self._name(key >> 32, key & LOW):
                    self.made[2 * self.done] = key
                    self.made[2 * self.done + 1] = freq
                    self.done += 1
                    self.symbols += 1
                    return key
        return EMPTY

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
    @cython.nogil
    @cython.exceptval(check=False)
    def _push(self, freq: cython.ulonglong, order: cython.ulonglong, key: cython.ulonglong) -> cython.void:
        at: cython.longlong = self.used
        parent: cython.longlong
        self.used += 1
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
        self.used -= 1
        last = 3 * self.used
        if last > 0:
            self._sift_down(self.heap[last], self.heap[last + 1], self.heap[last + 2])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sift_down(self, freq: cython.ulonglong, order: cython.ulonglong, key: cython.ulonglong) -> cython.void:
        """Put an entry at the top, then let it sink."""
        at: cython.longlong = 0
        child: cython.longlong = 1
        while child < self.used:
            if child + 1 < self.used and self._before(
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
