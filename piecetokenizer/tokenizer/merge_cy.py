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

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold
else:
    from piecetokenizer.lowlevel import fold

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
COIN = cython.declare(cython.ulonglong, 0xA0761D6478BD642F)
HALF = cython.declare(cython.ulonglong, 0xFFFFFFFF)
PLACE = cython.declare(cython.ulonglong, 0x3FFF)
PIECE = cython.declare(cython.ulonglong, 0x3FFFFFF)
NEVER = cython.declare(cython.int, 0x7FFFFFFF)
LIMIT = cython.declare(cython.longlong, 160)


@cython.cclass
class Merger:
    """Private state of one thread: scratch arrays for a segment of `room` bytes, which the caller makes larger with `grow`."""

    def __init__(self, page_of, pages, slots, factors, factor_shift, mix, known, byte_ids, unk_id, size, linear=160) -> None:
        if not 1 <= linear <= LIMIT:
            raise ValueError(f"linear={linear} is not allowed: it is a number of symbols from 1 to {LIMIT}")
        self.page_of = memoryview(page_of)
        self.pages = memoryview(pages)
        self.slots = memoryview(slots)
        self.factors = memoryview(factors)
        self.factor_shift = factor_shift
        self.mix = mix
        self.known = memoryview(known)
        self.known_last = 64 * len(known) - 1
        self.byte_ids = memoryview(byte_ids)
        self.unk_id = unk_id
        self.size = size
        self.linear = linear
        self.seed = 0
        self.drop = 0
        self.coins = 0
        self.work = 0

    def grow(self, symbols, starts, nexts, befores, ranks, merged, heap) -> None:
        """Take larger scratch arrays: room + 2 numbers each, the heap three times as many."""
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

    def keep_used(
        self,
        arena: cython.const[cython.uchar][::1],
        offsets: cython.const[cython.longlong][::1],
        splits: cython.int[::1],
        count: cython.longlong,
    ) -> cython.longlong:
        """Of the splits of each piece keep the one that some replay can use, in place; returns how many are left of `count`.

        A piece that comes out of the replay of any text does so by the merges that the replay of its own text makes: those of its
        bytes happen in the same order, since the best and leftmost of all is the best and leftmost among them.  So its last merge
        there is its last merge everywhere, and a piece whose own replay ends in something else never comes out.  Half of the splits
        of a usual model go, and with them lookups that can only lead to nothing.
        """
        p: cython.p_const_uchar = cython.address(arena[0]) if cython.compiled else arena
        kept: cython.longlong = 0
        i: cython.longlong = 0
        j: cython.longlong
        k: cython.longlong
        size: cython.longlong
        id: cython.int
        alone: cython.bint
        while i < count:
            id = splits[4 * i + 3]
            j = i + 1
            while j < count and splits[4 * j + 3] == id:
                j += 1
            alone = j == i + 1 or offsets[id + 1] - offsets[id] > LIMIT
            if not alone:
                size = self.split(p, offsets[id], offsets[id + 1])
                self.merge_by_scan(size)
                if self.nexts[1] <= size:
                    i = j
            while i < j:
                if alone or (splits[4 * i] == self.left and splits[4 * i + 1] == self.right):
                    for k in range(4):
                        splits[4 * kept + k] = splits[4 * i + k]
                    kept += 1
                i += 1
        return kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def room(self) -> cython.longlong:
        """The longest segment in bytes that the scratch arrays can take."""
        return self.symbols.shape[0] - 2

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
        """The characters of the segment as symbols 1 to count, and where each starts; returns count.

        Before and behind them stands -1, which merges with nothing: so no merge has to ask if it has neighbours.
        """
        symbols: cython.p_int = cython.address(self.symbols[0]) if cython.compiled else self.symbols
        starts: cython.p_int = cython.address(self.starts[0]) if cython.compiled else self.starts
        nexts: cython.p_int = cython.address(self.nexts[0]) if cython.compiled else self.nexts
        befores: cython.p_int = cython.address(self.befores[0]) if cython.compiled else self.befores
        count: cython.longlong = 0
        i: cython.longlong = begin
        lead: cython.int
        code: cython.int
        symbols[0] = -1
        while i < end:
            count += 1
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
        starts[count + 1] = cython.cast(cython.int, end - begin)
        symbols[count + 1] = -1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def look_up(self, left: cython.int, right: cython.int) -> cython.ulonglong:
        """What two neighbours become, as rank << 40 | id; all ones if nothing, as with a symbol of -1.  See pairs_cy."""
        slots: cython.p_const_ulonglong = cython.address(self.slots[0]) if cython.compiled else self.slots
        factors: cython.p_const_ushort = cython.address(self.factors[0]) if cython.compiled else self.factors
        key: cython.ulonglong = (cython.cast(cython.ulonglong, left) & HALF) << 32 | cython.cast(cython.ulonglong, right) & HALF
        h: cython.ulonglong = fold(key, self.mix)
        bit: cython.ulonglong = h & self.known_last
        slot: cython.ulonglong = 2 * (((h * factors[h >> self.factor_shift] & MASK) >> 33) * self.slots.shape[0] >> 32)
        slot &= (0 - (self.known[bit >> 6] >> (bit & 63) & 1)) & MASK
        return slots[slot + 1] | (0 - cython.cast(cython.ulonglong, slots[slot] != key)) & MASK

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def merge_by_scan(self, count: cython.longlong) -> cython.void:
        """Up to 160 symbols.  keys[i] is (rank, place, what the two become): the least one is the leftmost of the best.

        They are 64 bits wide, so that compilers take no vector instructions, which would wait for the numbers just stored.
        """
        symbols: cython.p_int = cython.address(self.symbols[0]) if cython.compiled else self.symbols
        nexts: cython.p_int = cython.address(self.nexts[0]) if cython.compiled else self.nexts
        befores: cython.p_int = cython.address(self.befores[0]) if cython.compiled else self.befores
        keys: cython.p_ulonglong = cython.address(self.heap[0]) if cython.compiled else self.heap
        i: cython.longlong
        j: cython.longlong
        before: cython.longlong
        behind: cython.longlong
        left: cython.ulonglong
        right: cython.ulonglong
        least: cython.ulonglong = MASK
        for i in range(1, count):
            keys[i] = self.look_up(symbols[i], symbols[i + 1]) | cython.cast(cython.ulonglong, i) << 26
            least = keys[i] if keys[i] < least else least
        while least != MASK:
            i = least >> 26 & PLACE
            j = nexts[i]
            before = befores[i]
            behind = nexts[j]
            self.left = symbols[i]
            self.right = symbols[j]
            symbols[i] = cython.cast(cython.int, least & PIECE)
            nexts[i] = cython.cast(cython.int, behind)
            befores[behind] = cython.cast(cython.int, i)
            left = self.look_up(symbols[before], symbols[i]) | cython.cast(cython.ulonglong, before) << 26
            right = self.look_up(symbols[i], symbols[behind]) | cython.cast(cython.ulonglong, i) << 26
            # While these two are on their way from memory, the least of the others.
            keys[before] = MASK
            keys[i] = MASK
            keys[j] = MASK
            least = MASK
            for j in range(1, count):
                least = keys[j] if keys[j] < least else least
            keys[before] = left
            keys[i] = right
            least = left if left < least else least
            least = right if right < least else least
            self.work += count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pair_up(self, i: cython.longlong, j: cython.longlong) -> cython.int:
        """Note the rank of the neighbours at i and j, which dropout may take away, and what they become; returns the rank."""
        found: cython.ulonglong = self.look_up(self.symbols[i], self.symbols[j])
        rank: cython.int = NEVER
        if found != MASK:
            self.merged[i] = cython.cast(cython.int, found & PIECE)
            rank = cython.cast(cython.int, found >> 40)
            if self.drop:
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
        for i in range(1, count):
            rank = self.pair_up(i, i + 1)
            if rank != NEVER:
                heap[self.heap_size] = cython.cast(cython.ulonglong, rank) << 32 | i
                self.heap_size += 1
        ranks[count] = NEVER
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
            befores[nexts[i]] = cython.cast(cython.int, i)
            rank = self.pair_up(i, nexts[i])
            if rank != NEVER:
                self.push(rank, i)
            j = befores[i]
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
        i: cython.longlong = 1
        j: cython.longlong
        stop: cython.longlong
        first: cython.longlong
        symbol: cython.int
        while i <= count:
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
