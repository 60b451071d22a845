"""The segment table's kernel: exact counts of segments in an open-addressing hash table; counter/table.py owns its memory.

In: a text buffer (with PADDING bytes behind it) and the ends of its segments.  Out: a table of slots, and the arena of long keys.

A slot is four 64-bit words, half a cache line:

    segment of up to 23 bytes      bytes 0..7       bytes 8..15       bytes 16..22, its size in the top byte      count
    longer segment                 its hash         its arena place   its size, LONG in the top byte              count

A count of 0 means that the slot is free.  Short keys are compared as three words; long ones by hash, size and then all their bytes,
so two segments are never taken for one.  Collisions go on to the next slot (linear probing); nothing is ever deleted.

Segments come in windows: first the keys and hashes of a whole window are made and their slots prefetched, then they are looked
up, so that the cache misses of a window overlap.  Before a window is touched there is room for all of it, in slots and arena;
when there is none, a call returns how far it got and its owner grows the arrays (`rehash`) and calls again.

Expected constant time for each segment of up to 23 bytes, linear in the bytes of longer ones.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import copy, fold, load64, prefetch64, same, store64
else:
    from piecetokenizer.lowlevel import copy, fold, load64, prefetch64, same, store64

SHORT = cython.declare(cython.longlong, 23)
LONG = cython.declare(cython.ulonglong, 0xFF)
SIZE_BITS = cython.declare(cython.ulonglong, 0x00FFFFFFFFFFFFFF)
MOST = cython.declare(cython.ulonglong, 0x7FFFFFFFFFFFFFFF)
SALT_A = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
SALT_B = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
SALT_C = cython.declare(cython.ulonglong, 0x165667B19E3779F9)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hash_short(a: cython.ulonglong, b: cython.ulonglong, c: cython.ulonglong) -> cython.ulonglong:
    """Of the three key words of a short segment."""
    return fold(fold(a ^ SALT_A, b ^ SALT_B) ^ c, SALT_C)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hash_long(text: cython.pointer[cython.const[cython.uchar]], begin: cython.longlong, size: cython.longlong) -> cython.ulonglong:
    """Of all bytes of a long segment: 16 at a time, then the last 16 of it, which may overlap those."""
    h: cython.ulonglong = cython.cast(cython.ulonglong, size)
    i: cython.longlong = begin
    last: cython.longlong = begin + size - 16
    while i < last:
        h = fold(load64(text, i) ^ SALT_A ^ h, load64(text, i + 8) ^ SALT_B)
        i += 16
    h = fold(load64(text, last) ^ SALT_A ^ h, load64(text, last + 8) ^ SALT_B)
    return fold(h, SALT_C)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hash_key(a: cython.ulonglong, b: cython.ulonglong, c: cython.ulonglong) -> cython.ulonglong:
    """Of a slot's key, short or long."""
    return a if c >> 56 == LONG else hash_short(a, b, c)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def size_of(c: cython.ulonglong) -> cython.longlong:
    """Of a key's last word: how many bytes its segment has."""
    return c & SIZE_BITS if c >> 56 == LONG else c >> 56


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def find(
    slots: cython.p_ulonglong,
    mask: cython.ulonglong,
    arena: cython.p_uchar,
    source: cython.pointer[cython.const[cython.uchar]],
    a: cython.ulonglong,
    b: cython.ulonglong,
    c: cython.ulonglong,
    h: cython.ulonglong,
) -> cython.longlong:
    """The word where the key's slot begins, or the free slot where it belongs.  A long key's bytes are at source[b]."""
    place: cython.longlong = (h & mask) * 4
    if c >> 56 == LONG:
        while slots[place + 3] != 0:
            if slots[place] == a and slots[place + 2] == c and same(arena, slots[place + 1], source, b, c & SIZE_BITS):
                break
            place = (place + 4) & (mask * 4 + 3)
    else:  # a free slot is all 0, and no key is: its size is in c
        while slots[place] != a or slots[place + 1] != b or slots[place + 2] != c:
            if slots[place + 3] == 0:
                break
            place = (place + 4) & (mask * 4 + 3)
    return place


@cython.final
@cython.cclass
class TableKernel:
    """One table.  Its owner reads `used`, `limit`, `arena_used` and `overflow`, and binds larger arrays when there is no room."""

    slots: cython.ulonglong[::1]
    arena: cython.uchar[::1]
    window: cython.ulonglong[::1]
    masks: cython.ulonglong[::1]
    mask: cython.ulonglong
    window_size: cython.longlong
    arena_size: cython.longlong
    limit = cython.declare(cython.longlong, visibility="readonly")
    used = cython.declare(cython.longlong, visibility="readonly")
    arena_used = cython.declare(cython.longlong, visibility="readonly")
    overflow = cython.declare(cython.bint, visibility="readonly")

    def __init__(self, window, masks) -> None:
        """`window`: scratch space, four words for each segment of a window.  `masks`: 40 words, see `make_masks`."""
        self.window = window
        self.masks = masks
        self.window_size = len(window) // 4
        self.mask = 0
        self.limit = self.used = self.arena_size = self.arena_used = 0
        self.overflow = False

    def bind_slots(self, slots, limit: cython.longlong):
        """Use these slots, all free, a power of two of them, of which at most `limit` will be used: fewer than there are."""
        self.slots = slots
        self.mask = len(slots) // 4 - 1
        self.limit = limit
        self.used = 0

    def bind_arena(self, arena) -> None:
        """Use this arena, which begins with the bytes that the old one held."""
        self.arena = arena
        self.arena_size = len(arena)

    def add(
        self,
        text: cython.const[cython.uchar][::1],
        begin: cython.longlong,
        ends: cython.const[cython.longlong][::1],
        first: cython.longlong,
        n: cython.longlong,
        counts: cython.const[cython.longlong][::1],
    ) -> cython.longlong:
        """Count segments first..n-1, of which the first begins at `begin`, each once, or as often as `counts` says if it is not empty.

        The number of segments that are counted so far, first included: less than n when there is no room for the next window, or
        when a count would pass 2^63 - 1 (`overflow`).
        """
        weighted: cython.bint = len(counts) > 0
        stop: cython.longlong
        source: cython.pointer[cython.const[cython.uchar]] = cython.address(text[0]) if cython.compiled else text
        with cython.nogil:
            while first < n and self.limit - self.used >= self.window_size:
                stop = self.make_keys(source, begin, ends, first, min(n, first + self.window_size))
                if stop == first or not self.count_window(source, stop - first, counts, first, weighted):
                    break
                begin = ends[stop - 1]
                first = stop
        return first

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make_keys(
        self,
        source: cython.pointer[cython.const[cython.uchar]],
        begin: cython.longlong,
        ends: cython.const[cython.longlong][::1],
        first: cython.longlong,
        stop: cython.longlong,
    ) -> cython.longlong:
        """First pass: keys and hashes of segments first..stop-1 into the window.  Stops early where the arena's room ends."""
        window: cython.p_ulonglong = cython.address(self.window[0]) if cython.compiled else self.window
        masks: cython.p_ulonglong = cython.address(self.masks[0]) if cython.compiled else self.masks
        slots: cython.p_ulonglong = cython.address(self.slots[0]) if cython.compiled else self.slots
        room: cython.longlong = self.arena_size - self.arena_used
        mask: cython.ulonglong = self.mask
        i: cython.longlong
        at: cython.longlong = 0
        end: cython.longlong
        size: cython.longlong
        a: cython.ulonglong
        b: cython.ulonglong
        c: cython.ulonglong
        h: cython.ulonglong
        for i in range(first, stop):
            end = ends[i]
            size = end - begin
            if size <= SHORT:
                a = load64(source, begin) & masks[size + 16]
                b = load64(source, begin + 8) & masks[size + 8]
                c = load64(source, begin + 16) & masks[size] | cython.cast(cython.ulonglong, size) << 56
                h = hash_short(a, b, c)
            else:
                room -= size
                if room < 0:
                    return i
                h = a = hash_long(source, begin, size)
                b = begin
                c = cython.cast(cython.ulonglong, size) | LONG << 56
            prefetch64(slots, (h & mask) * 4)
            window[at] = a
            window[at + 1] = b
            window[at + 2] = c
            window[at + 3] = h
            at += 4
            begin = end
        return stop

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_window(
        self,
        source: cython.pointer[cython.const[cython.uchar]],
        n: cython.longlong,
        counts: cython.const[cython.longlong][::1],
        first: cython.longlong,
        weighted: cython.bint,
    ) -> cython.bint:
        """Second pass: look up the n keys of the window and count them.  False if a count would be too large."""
        window: cython.p_ulonglong = cython.address(self.window[0]) if cython.compiled else self.window
        slots: cython.p_ulonglong = cython.address(self.slots[0]) if cython.compiled else self.slots
        arena: cython.p_uchar = cython.address(self.arena[0]) if cython.compiled else self.arena
        mask: cython.ulonglong = self.mask
        i: cython.longlong
        at: cython.longlong
        place: cython.longlong
        amount: cython.ulonglong = 1
        for i in range(n):
            at = i * 4
            place = find(slots, mask, arena, source, window[at], window[at + 1], window[at + 2], window[at + 3])
            if weighted:
                amount = counts[first + i]
            if slots[place + 3] == 0:
                self.fill(slots, place, arena, source, window[at], window[at + 1], window[at + 2])
            if slots[place + 3] + amount > MOST:
                self.overflow = True
                return False
            slots[place + 3] += amount
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(
        self,
        slots: cython.p_ulonglong,
        place: cython.longlong,
        arena: cython.p_uchar,
        source: cython.pointer[cython.const[cython.uchar]],
        a: cython.ulonglong,
        b: cython.ulonglong,
        c: cython.ulonglong,
    ) -> cython.void:
        """Put a key into a free slot; a long one's bytes, which are at source[b], into the arena."""
        size: cython.longlong = c & SIZE_BITS
        if c >> 56 == LONG:
            copy(arena, self.arena_used, source, b, size)
            b = self.arena_used
            self.arena_used += size
        slots[place] = a
        slots[place + 1] = b
        slots[place + 2] = c
        self.used += 1

    def rehash(self, old: cython.const[cython.ulonglong][::1]):
        """Take over all slots of this table's former array: keys, arena places and counts as they are."""
        slots: cython.p_ulonglong = cython.address(self.slots[0]) if cython.compiled else self.slots
        mask: cython.ulonglong = self.mask
        i: cython.longlong
        place: cython.longlong
        n: cython.longlong = len(old)
        with cython.nogil:
            for i in range(0, n, 4):
                if old[i + 3] == 0:
                    continue
                place = (hash_key(old[i], old[i + 1], old[i + 2]) & mask) * 4
                while slots[place + 3] != 0:
                    place = (place + 4) & (mask * 4 + 3)
                slots[place] = old[i]
                slots[place + 1] = old[i + 1]
                slots[place + 2] = old[i + 2]
                slots[place + 3] = old[i + 3]
                self.used += 1

    def hand_over(self, other: "TableKernel", first: cython.longlong, stop: cython.longlong) -> bool:
        """Give another table the counts of those segments in slots first..stop-1 that it has too; here they are 0 from then on.

        So nothing can be found in this table afterwards, it can only hand over more and be exported.  Several threads may hand over
        different slots of one table at a time: each segment is in one of them.  False if a count would be too large.

        The order of slots is that of hashes, so both tables are gone through from front to back.
        """
        slots: cython.p_ulonglong = cython.address(self.slots[0]) if cython.compiled else self.slots
        source: cython.p_uchar = cython.address(self.arena[0]) if cython.compiled else self.arena
        theirs: cython.p_ulonglong = cython.address(other.slots[0]) if cython.compiled else other.slots
        arena: cython.p_uchar = cython.address(other.arena[0]) if cython.compiled else other.arena
        mask: cython.ulonglong = other.mask
        fits: cython.bint = True
        i: cython.longlong
        place: cython.longlong
        a: cython.ulonglong
        b: cython.ulonglong
        c: cython.ulonglong
        with cython.nogil:
            for i in range(4 * first, 4 * stop, 4):
                if slots[i + 3] == 0:
                    continue
                a = slots[i]
                b = slots[i + 1]
                c = slots[i + 2]
                place = find(theirs, mask, arena, source, a, b, c, hash_key(a, b, c))
                if theirs[place + 3] == 0:
                    continue
                fits = theirs[place + 3] + slots[i + 3] <= MOST
                if not fits:
                    break
                theirs[place + 3] += slots[i + 3]
                slots[i + 3] = 0
        return fits

    def measure(self, first: cython.longlong, stop: cython.longlong, least: cython.ulonglong) -> tuple[int, int]:
        """How many segments in slots first..stop-1 are counted at least `least` times, and their bytes in all."""
        slots: cython.p_ulonglong = cython.address(self.slots[0]) if cython.compiled else self.slots
        i: cython.longlong
        many: cython.longlong = 0
        size: cython.longlong = 0
        with cython.nogil:
            for i in range(4 * first, 4 * stop, 4):
                if slots[i + 3] >= least:
                    many += 1
                    size += size_of(slots[i + 2])
        return many, size

    def export(
        self,
        first: cython.longlong,
        stop: cython.longlong,
        least: cython.ulonglong,
        arena: cython.uchar[::1],
        at: cython.longlong,
        ends: cython.longlong[::1],
        counts: cython.longlong[::1],
        end: cython.longlong,
    ) -> None:
        """Write those segments: bytes one after the other to arena[at:end], where each ends, its count; all as long as `measure` said."""
        slots: cython.p_ulonglong = cython.address(self.slots[0]) if cython.compiled else self.slots
        to: cython.p_uchar = cython.address(arena[0]) if cython.compiled else arena
        source: cython.p_uchar = cython.address(self.arena[0]) if cython.compiled else self.arena
        i: cython.longlong
        j: cython.longlong
        size: cython.longlong
        m: cython.longlong = 0
        with cython.nogil:
            for i in range(4 * first, 4 * stop, 4):
                if slots[i + 3] < least:
                    continue
                size = size_of(slots[i + 2])
                if slots[i + 2] >> 56 == LONG:
                    copy(to, at, source, slots[i + 1], size)
                elif at + 24 <= end:  # three whole words; what is behind the segment is overwritten by the next one
                    store64(to, at, slots[i])
                    store64(to, at + 8, slots[i + 1])
                    store64(to, at + 16, slots[i + 2])
                else:  # what is behind the end may be written by another thread
                    for j in range(size):
                        to[at + j] = slots[i + (j >> 3)] >> 8 * (j & 7) & 0xFF
                at += size
                ends[m] = at
                counts[m] = slots[i + 3]
                m += 1
