"""Finding symbols by leaps: most places of a text are never looked at.

In: symbols, and a text.  Out: spans (start, end, symbol), leftmost-longest, not overlapping.

No match is shorter than the shortest symbol, L bytes.  The last few bytes of the window of L bytes at the current place, a block, say how
far the window may move: a block that stands in the first L bytes of no symbol lets it leap behind the block, one that does stands
at a known distance.  Only where the distance is nought are the symbols with these first bytes compared, the longest first.  Blocks
are looked up by their hash; a collision makes a leap shorter, never too long.

Where texts or symbols are made to be compared often and in vain, the scan gives up, and the caller takes the automaton, which is linear.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import load64, same
else:
    from piecetokenizer.lowlevel import load64, same

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
LEAPS = cython.declare(cython.longlong, 50)  # a hash is its upper 14 bits: 16 KB of leaps
HEADS = cython.declare(cython.longlong, 52)
SLACK = cython.declare(cython.longlong, 8)
PATIENCE = cython.declare(cython.longlong, 65536)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def block_at(p: cython.p_const_uchar, i: cython.longlong, size: cython.longlong, mask: cython.ulonglong) -> cython.ulonglong:
    """The hash of the block at i; whole words are loaded where the text goes on for long enough."""
    block: cython.ulonglong = 0
    j: cython.longlong
    if i + SLACK <= size:
        block = load64(p, i)
    else:
        for j in range(size - 1, i - 1, -1):
            block = block << 8 | p[j]
    return (block & mask) * MIX & MASK


@cython.cclass
class SymbolScanner:
    """Immutable once it is made; a scan keeps nothing."""

    arena: cython.const[cython.uchar][::1]
    offsets: cython.const[cython.longlong][::1]
    leaps: cython.uchar[::1]
    heads: cython.int[::1]
    nexts: cython.int[::1]
    least: cython.longlong
    width: cython.longlong
    mask: cython.ulonglong
    first_mask: cython.ulonglong

    def __init__(self, arena, offsets, by_size: cython.const[cython.longlong][::1], leaps, heads, nexts) -> None:
        """Symbol k is arena[offsets[k]:offsets[k + 1]]; `by_size` names the symbols, shorter ones first; heads are all -1."""
        i: cython.longlong
        j: cython.longlong
        k: cython.longlong
        h: cython.ulonglong
        p: cython.p_const_uchar
        self.arena = memoryview(arena)
        self.offsets = memoryview(offsets)
        self.leaps = memoryview(leaps)
        self.heads = memoryview(heads)
        self.nexts = memoryview(nexts)
        self.least = self.offsets[by_size[0] + 1] - self.offsets[by_size[0]]
        self.width = min(self.least, 4)
        self.mask = (cython.cast(cython.ulonglong, 1) << 8 * self.width) - 1
        self.first_mask = MASK if self.least >= 8 else (cython.cast(cython.ulonglong, 1) << 8 * self.least) - 1
        p = cython.address(self.arena[0]) if cython.compiled else self.arena
        for i in range(self.leaps.shape[0]):
            self.leaps[i] = min(self.least - self.width + 1, 255)
        for i in range(by_size.shape[0]):
            k = by_size[i]
            for j in range(self.least - self.width + 1):
                h = block_at(p, self.offsets[k] + j, self.offsets[k + 1], self.mask) >> LEAPS
                self.leaps[h] = min(self.leaps[h], self.least - self.width - j)
            h = block_at(p, self.offsets[k], self.offsets[k + 1], self.first_mask) >> HEADS
            self.nexts[k] = self.heads[h]
            self.heads[h] = k

    def scan(self, text: cython.const[cython.uchar][::1], start: cython.longlong, spans: cython.longlong[::1]) -> cython.longlong:
        """Write the spans from `start` on, three numbers each, as many as there is room for; returns how many, -1 to give up.

        If there was no room for more, the caller goes on at the end of the last one.
        """
        p: cython.p_const_uchar
        q: cython.p_const_uchar = cython.address(self.arena[0]) if cython.compiled else self.arena
        size: cython.longlong = text.shape[0]
        count: cython.longlong = 0
        room: cython.longlong = spans.shape[0] // 3
        i: cython.longlong = start
        leap: cython.longlong
        length: cython.longlong
        work: cython.longlong = 0
        k: cython.int
        if size - start < self.least:
            return 0
        p = cython.address(text[0]) if cython.compiled else text
        with cython.nogil:
            while i + self.least <= size and count < room:
                leap = self.leaps[block_at(p, i + self.least - self.width, size, self.mask) >> LEAPS]
                if leap:
                    i += leap
                    continue
                k = self.heads[block_at(p, i, size, self.first_mask) >> HEADS]
                length = 1
                while k >= 0:
                    length = self.offsets[k + 1] - self.offsets[k]
                    work += length
                    if i + length <= size and same(q, self.offsets[k], p, i, length):
                        break
                    k = self.nexts[k]
                if k >= 0:
                    spans[3 * count] = i
                    spans[3 * count + 1] = i + length
                    spans[3 * count + 2] = k
                    count += 1
                    i += length
                else:
                    i += 1
                if work > 64 * (i - start) + PATIENCE:
                    count = -1
                    break
        return count
