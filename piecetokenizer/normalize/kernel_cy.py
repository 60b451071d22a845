"""The kernel of stage 1: texts in, their normalized bytes out, one behind the other.

In: UTF-8 bytes, and for each text its start, stop and flags.  Out: `out` holds the normalized texts, `ends` where each ends.  Units are
bytes.

The rule, at each position of a text: the longest rule whose source is a prefix of the rest puts its target there; without one, a valid
character goes out unchanged; a byte that begins none becomes U+FFFD.  Then, if spaces are collapsed, a space behind a space is left out,
and so is one at a trimmed end.

Most text needs none of this, so it is looked at in blocks of 64 bytes.  A block is copied, and a loop without branches, which C compilers
turn into vector instructions, says whether it holds anything to look at: a byte of a rule, a second space, a byte that is not ASCII.  The
end of a text is filled up to a block with harmless bytes behind it in `out`.  A block with something to look at is left to the Rewriter,
which goes by characters.

Invariant: `out` has room for the rest of the text, unchanged.  A step of the Rewriter that writes more looks for room first; without it
the kernel returns, to be called again after grow().  Cost: linear; at one place a step may walk MAX_SOURCE bytes.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import copy
    from cython.cimports.piecetokenizer.normalize.rewrite_cy import Rewriter
else:
    from piecetokenizer.lowlevel import copy

    Rewriter = object

FRONT = cython.declare(cython.longlong, 64)  # bytes before the first text: a check looks up to three bytes back
SLACK = cython.declare(cython.longlong, 64)  # bytes behind the last text: filled by the check of an end, and promised to the next stage
LONG = cython.declare(cython.longlong, 16384)  # from so many bytes on, one text is worth releasing the GIL
EAGER = cython.declare(cython.longlong, 32)  # after a block of which nothing was taken, so far by characters; then twice as far
PATIENT = cython.declare(cython.longlong, 512)  # and at most so far
PLAIN_SPACE = cython.declare(cython.uint, 1 << 27 | 1 << 24 | 0x20)  # the entry of a space without rules


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_high(out: cython.p_uchar, w: cython.longlong, high: cython.uchar, space: cython.uchar) -> cython.bint:
    """Whether the block at w has a byte with the bit `high`, or a second space; the byte before it is its context."""
    j: cython.longlong
    bad: cython.uchar = 0
    for j in range(w, w + 64):
        bad |= (out[j] & high) | ((out[j - 1] == space) & (out[j] == space))
    return bad != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_marked(out: cython.p_uchar, w: cython.longlong, ranges: cython.p_uchar, space: cython.uchar) -> cython.bint:
    """Whether the block at w has a byte that is not ASCII or in one of three ranges, or a second space; the byte before it is context."""
    j: cython.longlong
    c: cython.uchar
    bad: cython.uchar = 0
    low0: cython.uchar = ranges[0]
    low1: cython.uchar = ranges[1]
    low2: cython.uchar = ranges[2]
    span0: cython.uchar = ranges[3]
    span1: cython.uchar = ranges[4]
    span2: cython.uchar = ranges[5]
    for j in range(w, w + 64):
        c = out[j]
        bad |= (((c - low0) & 0xFF) <= span0) | (((c - low1) & 0xFF) <= span1) | (((c - low2) & 0xFF) <= span2)
        bad |= (c & 0x80) | ((out[j - 1] == space) & (c == space))
    return bad != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_invalid(out: cython.p_uchar, w: cython.longlong, space: cython.uchar) -> cython.bint:
    """Whether the block at w has a byte that cannot stand there in UTF-8, or a second space; the three bytes before it are its context.

    A character cut by the end of the block is no fault yet: the next block, or the filling behind a text, tells.
    """
    j: cython.longlong
    c: cython.uchar
    x: cython.uchar
    y: cython.uchar
    z: cython.uchar
    bad: cython.uchar = 0
    for j in range(w, w + 64):
        c = out[j]
        x = out[j - 1]
        y = out[j - 2]
        z = out[j - 3]
        bad |= ((c & 0xC0) == 0x80) ^ ((x >= 0xC0) | (y >= 0xE0) | (z >= 0xF0))  # a continuation byte exactly where one is due
        bad |= ((c & 0xFE) == 0xC0) | (c >= 0xF5)  # never in UTF-8
        bad |= ((x == 0xE0) & (c < 0xA0)) | ((x == 0xED) & (c >= 0xA0))  # overlong; a surrogate
        bad |= ((x == 0xF0) & (c < 0x90)) | ((x == 0xF4) & (c >= 0x90))  # overlong; above U+10FFFF
        bad |= (x == space) & (c == space)
    return bad != 0


@cython.cclass
class NormalizeKernel:
    """One user's state: the Rewriter, the output, and where a text stopped for want of room.  The types are in kernel_cy.pxd."""

    def __init__(self, rewriter: Rewriter, tables: object, collapse: object) -> None:
        self.rewriter = rewriter
        self.ranges = memoryview(tables.ranges)
        self.filler = tables.filler
        self.has_marks = tables.has_marks
        self.space = 0x20 if collapse else 0xFF  # for the checks of blocks: 0xFF is in no valid text
        self.high = 0x80
        self.midway = False
        self.index = self.begin = self.readable = 0
        self.reach = EAGER

    def use(self, out: object, text: object, origins: object, ends: object) -> None:
        """Write into these arrays from now on; what the old ones held up to the current size has been copied by the caller.

        `text` is `out` from FRONT on, where others read.
        """
        self.text = text
        self.out = memoryview(out)
        self.ends = memoryview(ends)
        self.rewriter.origins = memoryview(origins)
        self.rewriter.capacity = len(out) - SLACK

    def run_one(self, data: bytes, flags: cython.int = 3, valid: cython.bint = False, offsets: cython.bint = False) -> cython.longlong:
        """Normalize one text; returns its size.  Flags: 1 trims its start, 2 its end, 4 puts a space before it; `valid`: surely UTF-8."""
        p: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data)) if cython.compiled else data
        return self.normalize_one(p, len(data), flags, valid, offsets)

    def normalize_one(self, p, size, flags, valid, offsets):
        """The same for the `size` bytes at p, which is not written to: for other kernels, as C."""
        done: cython.bint = False
        r: Rewriter = self.rewriter
        self.start(size, valid, offsets)
        while not done:
            if size < LONG:
                done = self.one(r, p, 0, size, flags)
            else:
                with cython.nogil:
                    done = self.one(r, p, 0, size, flags)
            if not done:
                self.grow(r.needed - FRONT, r.size - FRONT)
        self.ends[0] = r.size - FRONT
        return r.size - FRONT

    def run(
        self,
        data: bytes,
        starts: cython.const[cython.longlong][::1],
        stops: cython.const[cython.longlong][::1],
        flags: cython.const[cython.uchar][::1],
        valid: cython.bint = False,
        offsets: cython.bint = False,
    ) -> cython.longlong:
        """Normalize the texts data[starts[k]:stops[k]], each by its own flags (see run_one); returns the size of all."""
        count: cython.longlong = len(starts)
        length: cython.longlong = len(data)
        done: cython.bint = False
        r: Rewriter = self.rewriter
        p: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data)) if cython.compiled else data
        if len(stops) != count or len(flags) != count:
            raise ValueError(f"{count} starts, {len(stops)} stops, {len(flags)} flags: give one of each for every text")
        if len(self.ends) < count:
            self.grow_stops(count)
        self.start(length, valid, offsets)
        while not done:
            with cython.nogil:
                done = self.many(r, p, length, starts, stops, flags, count)
            if not done:
                if r.needed < 0:
                    raise ValueError(f"text {self.index}: {starts[self.index]} to {stops[self.index]} is not within {length} bytes of data")
                self.grow(r.needed - FRONT, r.size - FRONT)
        return r.size - FRONT

    @cython.cfunc
    def start(self, length: cython.longlong, valid: cython.bint, offsets: cython.bint) -> cython.void:
        """Begin a call: nothing is written yet."""
        if offsets and len(self.rewriter.origins) < len(self.out) - FRONT:
            self.grow_offsets(0)
        self.rewriter.tracing = offsets
        self.rewriter.size = FRONT
        self.high = 0 if valid and not self.rewriter.has_rules else 0x80
        self.readable = length
        self.midway = False
        self.index = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def many(
        self,
        r: Rewriter,
        p: cython.p_uchar,
        length: cython.longlong,
        starts: cython.const[cython.longlong][::1],
        stops: cython.const[cython.longlong][::1],
        flags: cython.const[cython.uchar][::1],
        count: cython.longlong,
    ) -> cython.bint:
        """Go on with the texts; False if there is no room, or (needed < 0) a text lies outside of the data."""
        while self.index < count:
            if starts[self.index] < 0 or stops[self.index] < starts[self.index] or length < stops[self.index]:
                r.needed = -1
                return False
            if not self.one(r, p, starts[self.index], stops[self.index], flags[self.index]):
                return False
            self.ends[self.index] = r.size - FRONT
            self.index += 1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def one(self, r: Rewriter, p: cython.p_uchar, start: cython.longlong, stop: cython.longlong, flags: cython.int) -> cython.bint:
        """Begin or go on with one text; False if there is no room for the rest of it."""
        out: cython.p_uchar = cython.address(self.out[0]) if cython.compiled else self.out
        prefix: cython.longlong = 1 if flags & 4 and start < stop else 0
        if not self.midway:
            r.needed = r.size + prefix + stop - start
            if r.needed > r.capacity:
                return False
            r.at = start
            r.spaced = r.collapse and flags & 1
            self.begin = r.size
            out[r.size] = 0x20
            r.size += prefix
        while r.at < stop:
            if not r.tracing:
                self.blocks(r, p, out, stop)
                r.common(p, out, min(r.at + self.reach, stop), stop)
            self.midway = r.at < stop and not r.step(p, out, stop)
            if self.midway:
                return False
        if r.collapse:
            if flags & 2 and r.size > self.begin + prefix and out[r.size - 1] == 0x20:
                r.size -= 1
                r.removed += 1
                if r.tracing:
                    stop = r.origins[r.size - FRONT]
            if r.size == self.begin + prefix:
                r.size = self.begin  # a prefix of nothing; if spaces stay it stays too, as in SentencePiece
        if r.tracing:
            r.origins[r.size - FRONT] = stop
            if prefix and r.size > self.begin:
                r.origins[self.begin - FRONT] = r.origins[self.begin + 1 - FRONT]
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def blocks(self, r: Rewriter, p: cython.p_uchar, out: cython.p_uchar, stop: cython.longlong) -> cython.void:
        """Copy as many blocks as need no change, up to a character that has to be looked at, or the end."""
        i: cython.longlong = r.at
        w: cython.longlong = r.size
        first: cython.longlong = i
        m: cython.longlong
        j: cython.longlong
        at: cython.longlong
        is_open: cython.bint = False  # the last block was accepted as UTF-8 and may end within a character
        ranges: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(self.ranges[0])) if cython.compiled else self.ranges
        if r.spaced and p[i] == 0x20:  # an indentation
            while i + 1 < stop and p[i] == 0x20 and r.entries[0x20] == PLAIN_SPACE and not r.leads[p[i + 1]]:
                i += 1
            r.removed += i - first
            r.at = first = i
            if p[i] == 0x20:
                return
        while i < stop:
            m = stop - i
            at = w  # the block that is looked at
            if m >= 64:
                m = 64
                copy(out, w, p, i, 64)
            elif i - first >= 64 - m:  # the last 64 bytes, of which some are known to be sound
                at = w + m - 64
                copy(out, at, p, stop - 64, 64)
            else:
                if i + 64 <= self.readable:
                    copy(out, w, p, i, 64)  # cheaper than a length not known in advance; what belongs to other texts is written over
                else:
                    copy(out, w, p, i, m)
                for j in range(w + m, w + m + 64):
                    out[j] = self.filler
            if is_open or (has_marked(out, at, ranges, self.space) if self.has_marks else has_high(out, at, self.high, self.space)):
                if r.has_rules or has_invalid(out, at, self.space):
                    break
                is_open = out[w + m - 1] >= 0x80
            i += m
            w += m
        if i == first:
            self.reach = min(2 * self.reach, PATIENT)
            return
        self.reach = EAGER
        # Go back over a character that is cut, and over one whose successor may stand second in a source.
        m = 1 if out[w - 1] >= 0xC0 else 2 if out[w - 2] >= 0xE0 else 3 if out[w - 3] >= 0xF0 else 0
        j = i - m if m <= i - first else i
        if r.has_rules and j < stop and r.leads[p[j]]:
            j -= 1
            while first < j and (p[j] & 0xC0) == 0x80:
                j -= 1
        r.size = w - (i - j)
        r.at = j
        if j > first:
            r.spaced = r.collapse and p[j - 1] == 0x20
