"""The tables that encoding reads, built once for a model: characters -> symbols, pairs of symbols -> merge, seams.

In: the pieces as one arena of bytes (a space is 0x20), which of them may be merged, and their ranks (0 = best score; equal scores
share a rank).  Out, in arrays of the caller:

  page_of, pages   code point c -> symbol pages[page_of[c >> 8] << 8 | c & 255].  The symbol is the id of the piece that is this
                   character; or a virtual symbol, vocabulary size and up, of a character that is no piece but half of one;
                   or -1: the character takes part in no merge
  splits           (left symbol, right symbol, rank, id) of every way to cut a piece into two halves that can exist: pieces or
                   single characters
  ascii, seams     which pairs of neighbouring characters occur inside a piece that a merge can make.  Between any others no
                   merge can form, so that a text may be cut there before it is merged, and nothing changes.  The second is a
                   filter of hashed bits: a false "occurs" costs a cut, never a wrong id

A half is found by its hash, from the front for left halves and from the back for right ones, so that all halves of a piece cost one
pass each over its bytes; found means compared byte by byte.  Time: the bytes of all pieces, plus the comparisons that succeed.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold, same
else:
    from piecetokenizer.lowlevel import fold, same

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
START = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
SPACE = cython.declare(cython.int, 32)


def translate(
    text: cython.const[cython.uchar][::1],
    stops: cython.const[cython.longlong][::1],
    marked: cython.uchar[::1],
    space: cython.const[cython.uchar][::1],
    arena: cython.uchar[::1],
    offsets: cython.longlong[::1],
) -> cython.longlong:
    """Copy the pieces, the space character (empty: none) of the marked ones becoming 0x20; returns the size of the arena.

    A marked piece that holds a real space loses its mark: it can never be met in a text, where every space is the space character.
    """
    count: cython.longlong = stops.shape[0]
    width: cython.longlong = len(space)
    i: cython.longlong = 0
    j: cython.longlong
    k: cython.longlong
    n: cython.longlong = 0
    mark: cython.bint
    for k in range(count):
        offsets[k] = n
        mark = marked[k] and width
        while i < stops[k]:
            j = 0
            if mark:
                if text[i] == SPACE:
                    marked[k] = 0
                while j < width and i + j < stops[k] and text[i + j] == space[j]:
                    j += 1
            if mark and j == width:
                arena[n] = SPACE
                i += width
            else:
                arena[n] = text[i]
                i += 1
            n += 1
    offsets[count] = n
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def width_of(lead: cython.uchar) -> cython.longlong:
    """Bytes of the character that begins with this byte; the arena is valid UTF-8."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def code_point(p: cython.p_const_uchar, i: cython.longlong) -> cython.int:
    """The character at p[i], which is valid UTF-8."""
    lead: cython.int = p[i]
    if lead < 0x80:
        return lead
    if lead < 0xE0:
        return (lead & 31) << 6 | (p[i + 1] & 63)
    if lead < 0xF0:
        return (lead & 15) << 12 | (p[i + 1] & 63) << 6 | (p[i + 2] & 63)
    return (lead & 7) << 18 | (p[i + 1] & 63) << 12 | (p[i + 2] & 63) << 6 | (p[i + 3] & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find(
    table: cython.p_const_int,
    last: cython.ulonglong,
    hashes: cython.p_const_ulonglong,
    hashed: cython.ulonglong,
    arena: cython.p_const_uchar,
    offsets: cython.p_const_longlong,
    begin: cython.longlong,
    size: cython.longlong,
) -> cython.int:
    """The id of the piece that equals arena[begin:begin + size], or -1."""
    slot: cython.ulonglong = hashed & last
    k: cython.int = table[slot]
    while k >= 0:
        if hashes[k] == hashed and offsets[k + 1] - offsets[k] == size and same(arena, offsets[k], arena, begin, size):
            return k
        slot = (slot + 1) & last
        k = table[slot]
    return -1


@cython.final
@cython.cclass
class TableBuilder:
    """Builds the tables of one model: `characters`, then `index`, then `cut`."""

    arena: cython.const[cython.uchar][::1]
    offsets: cython.const[cython.longlong][::1]
    mergeable: cython.const[cython.uchar][::1]
    rank: cython.const[cython.int][::1]
    page_of: cython.ushort[::1]
    pages: cython.int[::1]
    next_page: cython.int
    size: cython.longlong
    symbols: cython.longlong

    def __init__(self, arena, offsets, mergeable, rank, page_of, pages) -> None:
        self.arena = memoryview(arena)
        self.offsets = memoryview(offsets)
        self.mergeable = memoryview(mergeable)
        self.rank = memoryview(rank)
        self.page_of = memoryview(page_of)
        self.pages = memoryview(pages)
        self.size = self.mergeable.shape[0]
        self.symbols = self.size
        self.next_page = 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def set_symbol(self, code: cython.int, symbol: cython.int) -> cython.void:
        """Give a character its symbol; pages are made when they are first needed, page 0 is the empty one."""
        j: cython.int
        if self.page_of[code >> 8] == 0:
            self.page_of[code >> 8] = cython.cast(cython.ushort, self.next_page) if cython.compiled else self.next_page
            for j in range(256):
                self.pages[(self.next_page << 8) + j] = -1
            self.next_page += 1
        self.pages[(self.page_of[code >> 8] << 8) + (code & 255)] = symbol

    @cython.cfunc
    @cython.exceptval(check=False)
    def symbol_of(self, code: cython.int, make: cython.bint) -> cython.int:
        """The symbol of a character; `make` gives a virtual one to a character that has none."""
        symbol: cython.int = self.pages[(self.page_of[code >> 8] << 8) + (code & 255)]
        if symbol < 0 and make:
            symbol = cython.cast(cython.int, self.symbols)
            self.set_symbol(code, symbol)
            self.symbols += 1
        return symbol

    def characters(self) -> cython.int:
        """Enter the pieces that are one character; returns the bytes of the longest piece."""
        j: cython.int
        k: cython.longlong
        n: cython.longlong
        longest: cython.longlong = 0
        for j in range(256):
            self.pages[j] = -1
        for k in range(self.size):
            n = self.offsets[k + 1] - self.offsets[k]
            longest = max(longest, n)
            if n and n <= 4 and self.mergeable[k] and width_of(self.arena[self.offsets[k]]) == n:
                self.set_symbol(code_point(cython.address(self.arena[0]) if cython.compiled else self.arena, self.offsets[k]), k)
        if self.page_of[0] == 0:
            self.set_symbol(0, self.symbol_of(0, False))
        return longest

    def index(
        self,
        table: cython.int[::1],
        hashes: cython.ulonglong[::1],
        table_back: cython.int[::1],
        hashes_back: cython.ulonglong[::1],
    ) -> None:
        """Enter every mergeable piece into two tables of 2^n slots (filled with -1): by its hash from the front and from the back."""
        last: cython.ulonglong = table.shape[0] - 1
        i: cython.longlong
        k: cython.longlong
        h: cython.ulonglong
        slot: cython.ulonglong
        for k in range(self.size):
            if not self.mergeable[k]:
                continue
            h = START
            for i in range(self.offsets[k], self.offsets[k + 1]):
                h = fold(h ^ self.arena[i], MIX)
            hashes[k] = h
            slot = h & last
            while table[slot] >= 0:
                slot = (slot + 1) & last
            table[slot] = k
            h = START
            for i in range(self.offsets[k + 1] - 1, self.offsets[k] - 1, -1):
                h = fold(h ^ self.arena[i], MIX)
            hashes_back[k] = h
            slot = h & last
            while table_back[slot] >= 0:
                slot = (slot + 1) & last
            table_back[slot] = k

    def cut(
        self,
        table: cython.const[cython.int][::1],
        hashes: cython.const[cython.ulonglong][::1],
        table_back: cython.const[cython.int][::1],
        hashes_back: cython.const[cython.ulonglong][::1],
        lefts: cython.int[::1],
        splits: cython.int[::1],
        ascii: cython.uchar[::1],
        seams: cython.ulonglong[::1],
        seam_shift: cython.int,
    ) -> cython.longlong:
        """Write every split of every piece, four numbers each, and mark the pairs of characters inside; returns how many splits.

        `lefts` has an entry for each byte of the longest piece, `splits` four for each character but the first of all pieces.
        """
        p: cython.p_const_uchar = cython.address(self.arena[0]) if cython.compiled else self.arena
        offsets: cython.p_const_longlong = cython.address(self.offsets[0]) if cython.compiled else self.offsets
        front: cython.p_const_int = cython.address(table[0]) if cython.compiled else table
        back: cython.p_const_int = cython.address(table_back[0]) if cython.compiled else table_back
        keys: cython.p_const_ulonglong = cython.address(hashes[0]) if cython.compiled else hashes
        keys_back: cython.p_const_ulonglong = cython.address(hashes_back[0]) if cython.compiled else hashes_back
        last: cython.ulonglong = table.shape[0] - 1
        n: cython.longlong = 0
        k: cython.longlong
        begin: cython.longlong
        end: cython.longlong
        i: cython.longlong
        first: cython.longlong
        before: cython.longlong
        h: cython.ulonglong
        left: cython.int
        right: cython.int
        NONE: cython.int = -1
        VIRTUAL: cython.int = -2
        for k in range(self.size):
            begin = self.offsets[k]
            end = self.offsets[k + 1]
            if not self.mergeable[k] or end == begin or width_of(p[begin]) == end - begin:
                continue
            before = n
            # The left half of each cut, by its last byte; a single character may still have no symbol.
            first = begin + width_of(p[begin])
            h = START
            for i in range(begin, first):
                h = fold(h ^ p[i], MIX)
            left = self.symbol_of(code_point(p, begin), False)
            lefts[first - begin - 1] = VIRTUAL if left < 0 else left
            for i in range(first, end - 1):
                h = fold(h ^ p[i], MIX)
                lefts[i - begin] = NONE
                if p[i + 1] & 0xC0 != 0x80:
                    lefts[i - begin] = find(front, last, keys, h, p, offsets, begin, i + 1 - begin)
            # The right half of each cut, from the back.
            i = end
            h = START
            while True:
                i -= 1
                h = fold(h ^ p[i], MIX)
                if i < first:
                    break
                if p[i] & 0xC0 == 0x80 or lefts[i - 1 - begin] == NONE:
                    continue
                if width_of(p[i]) == end - i:
                    right = self.symbol_of(code_point(p, i), True)
                else:
                    right = find(back, last, keys_back, h, p, offsets, i, end - i)
                    if right < 0:
                        continue
                left = lefts[i - 1 - begin]
                if left == VIRTUAL:
                    left = self.symbol_of(code_point(p, begin), True)
                splits[4 * n] = left
                splits[4 * n + 1] = right
                splits[4 * n + 2] = self.rank[k]
                splits[4 * n + 3] = cython.cast(cython.int, k)
                n += 1
            if n > before:
                self.mark(p, begin, end, ascii, seams, seam_shift)
        return n

    @cython.cfunc
    @cython.exceptval(check=False)
    def mark(
        self,
        p: cython.p_const_uchar,
        begin: cython.longlong,
        end: cython.longlong,
        ascii: cython.uchar[::1],
        seams: cython.ulonglong[::1],
        seam_shift: cython.int,
    ) -> cython.void:
        """Enter all pairs of neighbouring characters of a piece."""
        i: cython.longlong = begin + width_of(p[begin])
        a: cython.ulonglong = code_point(p, begin)
        b: cython.ulonglong
        bit: cython.ulonglong
        while i < end:
            b = code_point(p, i)
            if a < 128 and b < 128:
                ascii[a << 7 | b] = 1
            else:
                bit = ((a << 32 | b) * MIX & MASK) >> seam_shift
                seams[bit >> 6] |= cython.cast(cython.ulonglong, 1) << (bit & 63)
            a = b
            i += width_of(p[i])

    @property
    def symbol_count(self):
        """How many symbols there are: the vocabulary and the virtual ones."""
        return self.symbols

    @property
    def page_count(self):
        """How many pages are in use."""
        return self.next_page
