"""Merging one segment: the replay that defines what encoding means.

In: the bytes of a segment (valid UTF-8, a space is 0x20).  Out: its ids, appended to an array of the caller, at most one for each byte.
The rule: begin with the characters; among all neighbours whose concatenation is a mergeable piece take the one of best rank, of
equal ranks the leftmost; put the piece in their place; repeat until there is none.  A symbol that is left and no piece goes out as
the ids of its bytes, or as the unknown id where a byte has none.

Two ways to the same result.  Up to `linear` symbols: keep the rank of each neighbourhood in an array and scan it for the least,
n * n steps of the cheapest kind.  Above: a binary heap of (rank, position); an entry is out of date when the rank noted for its
position is another by now, and is then passed over.  Each merge adds at most two entries: n log n for any input.

Dropout: each neighbourhood, when it comes up, is left out with probability `drop`, by a counter-based hash of the seed: the same
seed gives the same ids on every platform.
"""
# cython: language_level=3

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold, prefetch64
else:
    from piecetokenizer.lowlevel import fold, prefetch64

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
COIN = cython.declare(cython.ulonglong, 0xA0761D6478BD642F)
HALF = cython.declare(cython.ulonglong, 0xFFFFFFFF)
NEVER = cython.declare(cython.int, 0x7FFFFFFF)
LIMIT = 64


@cython.cclass
class Merger:
    """Private state of one thread: scratch arrays for a segment of `room` bytes, which the caller makes larger with `grow`."""

    def __init__(self, page_of, pages, pairs, pair_shift, known, known_shift, byte_ids, unk_id, size, linear=32) -> None:
        if not 1 <= linear <= LIMIT:
            raise ValueError(f"linear={linear} is not allowed: it is a number of symbols from 1 to {LIMIT}")
        self.page_of = memoryview(page_of)
        self.pages = memoryview(pages)
        self.pairs = memoryview(pairs)
        self.pair_shift = pair_shift
        self.known = memoryview(known)
        self.known_shift = known_shift
        self.byte_ids = memoryview(byte_ids)
        self.unk_id = unk_id
        self.size = size
        self.linear = linear
        self.seed = 0
        self.drop = 0
        self.coins = 0
        self.work = 0

    def grow(self, symbols, starts, nexts, befores, ranks, merged, heap) -> None:
        """Take larger scratch arrays: room + 1 numbers each, the heap three times as many."""
        self.symbols = memoryview(symbols)
        self.starts = memoryview(starts)
        self.nexts = memoryview(nexts)
        self.befores = memoryview(befores)
        self.ranks = memoryview(ranks)
        self.merged = memoryview(merged)
        self.heap = memoryview(heap)

    def dropout(self, seed: cython.ulonglong, drop: cython.ulonglong) -> None:
        """From now on leave merges out, with probability drop / 2^53; 0 ends it."""
        self.seed = seed
        self.drop = drop
        self.coins = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def room(self) -> cython.longlong:
        """The longest segment in bytes that the scratch arrays can take."""
        return self.symbols.shape[0] - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def merge(
        self, p: cython.p_const_uchar, begin: cython.longlong, end: cython.longlong, out: cython.p_int, n: cython.longlong
    ) -> cython.longlong:
        """Write the ids of p[begin:end] to out[n:] and return where they end; the caller has seen to `room`."""
        count: cython.longlong = self.split(p, begin, end)
        if self.drop:
            self.merge_by_heap(count)
        elif count <= self.linear:
            self.merge_by_scan(count)
        else:
            self.merge_by_heap(count)
        return self.emit(p, begin, count, out, n)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def split(self, p: cython.p_const_uchar, begin: cython.longlong, end: cython.longlong) -> cython.longlong:
        """The characters of the segment as symbols, and where each starts; returns how many."""
        symbols: cython.p_int = cython.address(self.symbols[0]) if cython.compiled else self.symbols
        starts: cython.p_int = cython.address(self.starts[0]) if cython.compiled else self.starts
        nexts: cython.p_int = cython.address(self.nexts[0]) if cython.compiled else self.nexts
        befores: cython.p_int = cython.address(self.befores[0]) if cython.compiled else self.befores
        count: cython.longlong = 0
        i: cython.longlong = begin
        lead: cython.int
        code: cython.int
        while i < end:
            starts[count] = cython.cast(cython.int, i - begin)
            lead = p[i]
            if lead < 0x80:
                code = lead
                i += 1
            elif lead < 0xE0:
                code = (lead & 31) << 6 | (p[i + 1] & 63)
                i += 2
            elif lead < 0xF0:
                code = (lead & 15) << 12 | (p[i + 1] & 63) << 6 | (p[i + 2] & 63)
                i += 3
            else:
                code = (lead & 7) << 18 | (p[i + 1] & 63) << 12 | (p[i + 2] & 63) << 6 | (p[i + 3] & 63)
                i += 4
            symbols[count] = self.pages[(cython.cast(cython.int, self.page_of[code >> 8]) << 8) + (code & 255)]
            befores[count] = cython.cast(cython.int, count - 1)
            nexts[count] = cython.cast(cython.int, count + 1)
            count += 1
        starts[count] = cython.cast(cython.int, end - begin)
        return count

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def look_up(self, left: cython.int, right: cython.int, i: cython.longlong) -> cython.int:
        """The rank of two neighbours, or NEVER; notes in merged[i] what they become."""
        key: cython.ulonglong
        slot: cython.ulonglong
        last: cython.ulonglong
        pairs: cython.p_const_ulonglong = cython.address(self.pairs[0]) if cython.compiled else self.pairs
        if (left | right) < 0:
            return NEVER
        last = self.pairs.shape[0] // 2 - 1
        key = cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right)
        slot = key * MIX & MASK
        if not self.known[slot >> self.known_shift >> 6] >> (slot >> self.known_shift & 63) & 1:
            return NEVER
        slot >>= self.pair_shift
        while pairs[2 * slot] != key:
            if pairs[2 * slot] == MASK:
                return NEVER
            slot = (slot + 1) & last
        self.merged[i] = cython.cast(cython.int, pairs[2 * slot + 1] & HALF)
        return cython.cast(cython.int, pairs[2 * slot + 1] >> 32)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def expect(self, left: cython.int, right: cython.int) -> cython.void:
        """Fetch ahead what look_up will read.  Its branches cannot be foreseen, so without this each one would wait for memory in turn."""
        key: cython.ulonglong
        pairs: cython.p_const_ulonglong = cython.address(self.pairs[0]) if cython.compiled else self.pairs
        if (left | right) >= 0:
            key = cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right)
            prefetch64(pairs, 2 * ((key * MIX & MASK) >> self.pair_shift))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def merge_by_scan(self, count: cython.longlong) -> cython.void:
        """Up to 64 symbols.  ranks[i] is rank << 6 | i, so that the least one is the leftmost of the best and tells its place."""
        symbols: cython.p_int = cython.address(self.symbols[0]) if cython.compiled else self.symbols
        nexts: cython.p_int = cython.address(self.nexts[0]) if cython.compiled else self.nexts
        befores: cython.p_int = cython.address(self.befores[0]) if cython.compiled else self.befores
        ranks: cython.p_int = cython.address(self.ranks[0]) if cython.compiled else self.ranks
        i: cython.int
        j: cython.int
        rank: cython.int
        least: cython.int
        pairs: cython.int = cython.cast(cython.int, count - 1)
        for i in range(pairs):
            self.expect(symbols[i], symbols[i + 1])
        for i in range(pairs):
            rank = self.look_up(symbols[i], symbols[i + 1], i)
            ranks[i] = rank << 6 | i if rank != NEVER else NEVER
        while True:
            least = NEVER
            for i in range(pairs):
                least = ranks[i] if ranks[i] < least else least
            self.work += count
            if least == NEVER:
                return
            i = least & 63
            j = nexts[i]
            symbols[i] = self.merged[i]
            nexts[i] = nexts[j]
            if befores[i] >= 0:
                self.expect(symbols[befores[i]], symbols[i])
            if nexts[j] < count:
                befores[nexts[j]] = i
                ranks[j] = NEVER
                rank = self.look_up(symbols[i], symbols[nexts[i]], i)
                ranks[i] = rank << 6 | i if rank != NEVER else NEVER
            else:
                ranks[i] = NEVER
            j = befores[i]
            if j >= 0:
                rank = self.look_up(symbols[j], symbols[i], j)
                ranks[j] = rank << 6 | j if rank != NEVER else NEVER

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pair_up(self, i: cython.longlong, j: cython.longlong) -> cython.int:
        """Note the rank of the neighbours at i and j, which dropout may take away; returns it."""
        rank: cython.int = self.look_up(self.symbols[i], self.symbols[j], i)
        if self.drop and rank != NEVER:
            self.coins += 1
            if fold((self.seed + self.coins * MIX) & MASK, COIN) >> 11 < self.drop:
                rank = NEVER
        self.ranks[i] = rank
        return rank

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sift(self, i: cython.longlong) -> cython.void:
        """Move the entry at i of the heap down to its place."""
        heap: cython.p_ulonglong = cython.address(self.heap[0]) if cython.compiled else self.heap
        entry: cython.ulonglong = heap[i]
        child: cython.longlong = 2 * i + 1
        while child < self.heap_size:
            if child + 1 < self.heap_size and heap[child + 1] < heap[child]:
                child += 1
            if heap[child] >= entry:
                break
            heap[i] = heap[child]
            i = child
            child = 2 * i + 1
            self.work += 1
        heap[i] = entry

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push(self, rank: cython.int, i: cython.longlong) -> cython.void:
        """Enter the neighbours at i."""
        heap: cython.p_ulonglong = cython.address(self.heap[0]) if cython.compiled else self.heap
        entry: cython.ulonglong = cython.cast(cython.ulonglong, rank) << 32 | i
        child: cython.longlong = self.heap_size
        self.heap_size += 1
        while child and heap[(child - 1) >> 1] > entry:
            heap[child] = heap[(child - 1) >> 1]
            child = (child - 1) >> 1
            self.work += 1
        heap[child] = entry

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def merge_by_heap(self, count: cython.longlong) -> cython.void:
        """Any number of symbols.  An entry is rank << 32 | position: the least is the leftmost of the best."""
        symbols: cython.p_int = cython.address(self.symbols[0]) if cython.compiled else self.symbols
        nexts: cython.p_int = cython.address(self.nexts[0]) if cython.compiled else self.nexts
        befores: cython.p_int = cython.address(self.befores[0]) if cython.compiled else self.befores
        ranks: cython.p_int = cython.address(self.ranks[0]) if cython.compiled else self.ranks
        heap: cython.p_ulonglong = cython.address(self.heap[0]) if cython.compiled else self.heap
        i: cython.longlong
        j: cython.longlong
        rank: cython.int
        self.heap_size = 0
        for i in range(count - 1):
            rank = self.pair_up(i, i + 1)
            if rank != NEVER:
                heap[self.heap_size] = cython.cast(cython.ulonglong, rank) << 32 | i
                self.heap_size += 1
        ranks[count - 1] = NEVER
        for i in range(self.heap_size // 2 - 1, -1, -1):
            self.sift(i)
        while self.heap_size:
            i = heap[0] & HALF
            rank = cython.cast(cython.int, heap[0] >> 32)
            self.heap_size -= 1
            if self.heap_size:
                heap[0] = heap[self.heap_size]
                self.sift(0)
            self.work += 1
            if ranks[i] != rank:
                continue
            j = nexts[i]
            symbols[i] = self.merged[i]
            nexts[i] = nexts[j]
            ranks[i] = NEVER
            ranks[j] = NEVER
            if nexts[i] < count:
                befores[nexts[i]] = cython.cast(cython.int, i)
                rank = self.pair_up(i, nexts[i])
                if rank != NEVER:
                    self.push(rank, i)
            j = befores[i]
            if j >= 0:
                rank = self.pair_up(j, i)
                if rank != NEVER:
                    self.push(rank, j)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def emit(
        self, p: cython.p_const_uchar, begin: cython.longlong, count: cython.longlong, out: cython.p_int, n: cython.longlong
    ) -> cython.longlong:
        """Write what is left; a symbol that is no piece is one character."""
        i: cython.longlong = 0
        j: cython.longlong
        stop: cython.longlong
        first: cython.longlong
        symbol: cython.int
        while i < count:
            symbol = self.symbols[i]
            if 0 <= symbol and symbol < self.size:
                out[n] = symbol
                n += 1
            else:
                first = n
                stop = begin + self.starts[i + 1]
                for j in range(begin + self.starts[i], stop):
                    out[n] = self.byte_ids[p[j]]
                    n += 1
                    if out[n - 1] < 0:
                        n = first
                        out[n] = self.unk_id
                        n += 1
                        break
            i = self.nexts[i]
        return n
