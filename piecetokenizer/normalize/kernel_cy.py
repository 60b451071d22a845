# cython: freethreading_compatible=True
"""The kernel of stage 1: texts in, their normalized bytes out, one behind the other.

In: UTF-8 bytes, and for each text its start, stop and flags.  Out: `out` holds the normalized texts, `stops` where each ends.  All units are bytes.

The rule, at each position of a text: the longest rule whose source is a prefix of the rest puts its target there; without one, a valid UTF-8
character goes out unchanged; a byte that begins no valid character becomes U+FFFD, to which no rule applies.  Then, if spaces are collapsed, a
space that follows a space is left out, one at a trimmed end too.

Most text needs none of this, so it is looked at in blocks of 64 bytes.  A block is copied, and one loop without branches (which the C compiler turns
into vector instructions) says whether it holds anything to look at: a byte of a rule, a second space, a byte that is not ASCII.  If not, that was
all.  The end of a text, shorter than a block, is filled up with a harmless byte behind its copy, so that the check never reads another text.
Otherwise the characters of the block are looked at one by one, with a table of classes by code point, so that the trie is walked only where a
rule may begin: at a character that is a source by itself (ALONE), or that stands before one that is the second of some source (SECOND).

Invariant: there is room for the rest of the text, unchanged, in `out`.  Only a target longer than its source and U+FFFD threaten it; before
one of them is written, the kernel looks for room and returns when there is none, to be called again after grow().

Cost: linear; each position walks at most MAX_SOURCE bytes of the trie.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import copy
else:
    from piecetokenizer.lowlevel import copy

BLOCK = cython.declare(cython.longlong, 64)
FRONT = cython.declare(cython.longlong, 64)  # bytes before the first text: the block checks look up to three bytes back
SLACK = cython.declare(cython.longlong, 64)  # bytes behind the last text: filled by the check of an end, and promised to the next stage
ALONE = cython.declare(cython.int, 1)
SECOND = cython.declare(cython.int, 2)
NO_SPACE = cython.declare(cython.int, 0xFF)  # stands for the space in the checks when spaces stay: a byte that valid UTF-8 does not have

LABEL = cython.declare(cython.uint, 0x800000FF)
VALUE = cython.declare(cython.uint, 0x7FFFFFFF)
LONG = cython.declare(cython.longlong, 16384)  # bytes from which it pays to release the GIL for one text

TRIM_LEFT = cython.declare(cython.int, 1)
TRIM_RIGHT = cython.declare(cython.int, 2)
PREFIX = cython.declare(cython.int, 4)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def decode(p: cython.p_uchar, i: cython.longlong, stop: cython.longlong) -> cython.int:
    """The character at i as code point << 3 | length; 0 if no valid UTF-8 character that ends by `stop` begins there."""
    c: cython.int
    d: cython.int
    e: cython.int
    f: cython.int
    c = p[i]
    if c < 0x80:
        return c << 3 | 1
    if c < 0xE0:
        if c < 0xC2 or i + 1 >= stop:
            return 0
        d = p[i + 1] ^ 0x80
        if d > 0x3F:
            return 0
        return ((c & 0x1F) << 6 | d) << 3 | 2
    if c < 0xF0:
        if i + 2 >= stop:
            return 0
        d = p[i + 1] ^ 0x80
        e = p[i + 2] ^ 0x80
        if (d | e) > 0x3F:
            return 0
        c = (c & 0x0F) << 12 | d << 6 | e
        if c < 0x800 or c >> 11 == 0x1B:  # overlong; a surrogate
            return 0
        return c << 3 | 3
    if c > 0xF4 or i + 3 >= stop:
        return 0
    d = p[i + 1] ^ 0x80
    e = p[i + 2] ^ 0x80
    f = p[i + 3] ^ 0x80
    if (d | e | f) > 0x3F:
        return 0
    c = (c & 0x07) << 18 | d << 12 | e << 6 | f
    if c < 0x10000 or c > 0x10FFFF:
        return 0
    return c << 3 | 4


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def has_bad_utf8(out: cython.p_uchar, w: cython.longlong, space: cython.int) -> cython.uchar:
    """Whether the block at w has a byte that cannot stand there in UTF-8, or a second space; the three bytes before it are its context.

    A character that is cut by the end of the block is no fault: the next block, or the filling behind a text, tells.
    """
    j: cython.longlong
    bad: cython.uchar = 0
    c: cython.uchar
    x: cython.uchar
    y: cython.uchar
    z: cython.uchar
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
    return bad


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def has_marked(
    out: cython.p_uchar, w: cython.longlong, ranges: cython.const[cython.uchar][::1], at: cython.longlong, space: cython.uchar
) -> cython.uchar:
    """Whether the block at w has a byte of one of the three ranges, or a second space; the byte before it is its context."""
    j: cython.longlong
    bad: cython.uchar = 0
    c: cython.uchar
    low0: cython.uchar = ranges[at]
    low1: cython.uchar = ranges[at + 1]
    low2: cython.uchar = ranges[at + 2]
    span0: cython.uchar = ranges[at + 3]
    span1: cython.uchar = ranges[at + 4]
    span2: cython.uchar = ranges[at + 5]
    for j in range(w, w + 64):
        c = out[j]
        bad |= (((c - low0) & 0xFF) <= span0) | (((c - low1) & 0xFF) <= span1) | (((c - low2) & 0xFF) <= span2)
        bad |= (out[j - 1] == space) & (c == space)
    return bad


@cython.cclass
class NormalizeKernel:
    """The state of one user: the tables of a charsmap (shared, never written), the output, the counters, and where a text stopped for want of room."""

    units: cython.const[cython.uint][::1]
    targets: cython.const[cython.uchar][::1]
    target_stops: cython.const[cython.int][::1]
    pages: cython.const[cython.ushort][::1]
    classes: cython.const[cython.uchar][::1]
    ranges: cython.const[cython.uchar][::1]
    out: cython.uchar[::1]
    origins: cython.longlong[::1]
    ends: cython.longlong[::1]
    changes: cython.longlong[::1]
    space: cython.int
    filler: cython.int
    has_rules: cython.bint
    ranges_at: cython.longlong
    tracing: cython.bint
    midway: cython.bint
    spaced: cython.bint
    capacity: cython.longlong
    begin: cython.longlong
    at: cython.longlong
    size: cython.longlong
    index: cython.longlong
    needed: cython.longlong
    match: cython.longlong
    invalid: cython.longlong
    removed: cython.longlong
    applied: cython.longlong

    def __init__(self, tables, collapse, changes):
        self.units = memoryview(tables.units)
        self.targets = memoryview(tables.targets)
        self.target_stops = memoryview(tables.target_stops)
        self.pages = memoryview(tables.pages)
        self.classes = memoryview(tables.classes)
        self.ranges = memoryview(tables.ranges)
        self.filler = tables.filler
        self.has_rules = tables.has_rules
        self.space = 32 if collapse else NO_SPACE
        self.changes = memoryview(changes)
        self.tracing = self.midway = self.spaced = False
        self.begin = self.at = self.index = self.needed = self.match = self.ranges_at = 0
        self.size = FRONT
        self.invalid = self.removed = self.applied = 0

    def use(self, out, origins, ends):
        """Write into these arrays from now on; what the old ones held up to the current size has been copied by the caller."""
        self.out = memoryview(out)
        self.origins = memoryview(origins)
        self.ends = memoryview(ends)
        self.capacity = len(out) - SLACK

    def run_one(self, data: bytes, flags: cython.int = 3, valid: cython.bint = False, offsets: cython.bint = False) -> cython.longlong:
        """Normalize one text; returns its size.  flags: 1 trims its start, 2 its end, 4 puts a space before it.  valid: known to be valid UTF-8."""
        stop: cython.longlong = len(data)
        done: cython.bint = False
        p: cython.p_uchar
        if cython.compiled:
            p = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
        else:
            p = data
        if offsets and len(self.origins) < len(self.out) - FRONT:
            self.grow_offsets(0)
        self.start(valid, offsets)
        while not done:
            if stop < LONG:
                done = self.one(p, 0, stop, flags)
            else:
                with cython.nogil:
                    done = self.one(p, 0, stop, flags)
            if not done:
                self.grow(self.needed - FRONT, self.size - FRONT)
        self.ends[0] = self.size - FRONT
        return self.size - FRONT

    def run(
        self,
        data: bytes,
        starts: cython.const[cython.longlong][::1],
        stops: cython.const[cython.longlong][::1],
        flags: cython.const[cython.uchar][::1],
        valid: cython.bint = False,
        offsets: cython.bint = False,
    ) -> cython.longlong:
        """Normalize the texts data[starts[k]:stops[k]], each by its own flags; returns the size of all.  See run_one."""
        count: cython.longlong = len(starts)
        length: cython.longlong = len(data)
        done: cython.bint = False
        p: cython.p_uchar
        if cython.compiled:
            p = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
        else:
            p = data
        if len(stops) != count or len(flags) != count:
            raise ValueError(f"{count} starts, {len(stops)} stops and {len(flags)} flags: give one of each for every text")
        if offsets and len(self.origins) < len(self.out) - FRONT:
            self.grow_offsets(0)
        self.start(valid, offsets)
        if len(self.ends) < count:
            self.grow_stops(count)
        while not done:
            with cython.nogil:
                done = self.many(p, length, starts, stops, flags, count)
            if not done:
                if self.needed < 0:
                    raise ValueError(f"text {self.index} is from {starts[self.index]} to {stops[self.index]}, outside of {length} bytes of data")
                self.grow(self.needed - FRONT, self.size - FRONT)
        return self.size - FRONT

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start(self, valid: cython.bint, offsets: cython.bint) -> cython.void:
        """Begin a call: nothing is written yet."""
        self.ranges_at = 6 if valid else 0
        self.tracing = offsets
        self.midway = False
        self.index = 0
        self.size = FRONT

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def many(
        self,
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
                self.needed = -1
                return False
            if not self.one(p, starts[self.index], stops[self.index], flags[self.index]):
                return False
            self.ends[self.index] = self.size - FRONT
            self.index += 1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def one(self, p: cython.p_uchar, start: cython.longlong, stop: cython.longlong, flags: cython.int) -> cython.bint:
        """Begin or go on with one text; False if there is no room for the rest of it."""
        collapse: cython.bint = self.space == 32
        out: cython.p_uchar = cython.address(self.out[0]) if cython.compiled else self.out
        if not self.midway:
            self.needed = self.size + 1 + stop - start
            if self.needed > self.capacity:
                return False
            self.at = start
            self.begin = self.size
            self.spaced = collapse and (flags & TRIM_LEFT) != 0
            if flags & PREFIX and start < stop:
                out[self.size] = 32
                self.size += 1
        while self.at < stop:
            if not self.tracing:
                self.blocks(p, out, stop)
            self.midway = not self.characters(p, out, min(self.at + BLOCK, stop), stop)
            if self.midway:
                return False
        # A prefix that nothing follows goes too, but not if spaces stay: SentencePiece puts one before all that is not empty before its rules.
        prefix: cython.longlong = 1 if flags & PREFIX and start < stop else 0
        if collapse:
            if flags & TRIM_RIGHT and self.size > self.begin + prefix and out[self.size - 1] == 32:
                self.size -= 1
                self.removed += 1
                stop = self.origins[self.size - FRONT] if self.tracing else stop
            if self.size == self.begin + prefix:
                self.size = self.begin
        if self.tracing:
            self.origins[self.size - FRONT] = stop
            if prefix and self.size > self.begin:
                self.origins[self.begin - FRONT] = self.origins[self.begin + 1 - FRONT]
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def blocks(self, p: cython.p_uchar, out: cython.p_uchar, stop: cython.longlong) -> cython.void:
        """Copy as many blocks as need no change, up to a place where one character has to be looked at, or the end."""
        i: cython.longlong = self.at
        w: cython.longlong = self.size
        m: cython.longlong
        j: cython.longlong
        first: cython.longlong
        is_open: cython.bint = False  # the last block was accepted as UTF-8 and may end within a character
        classes: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(self.classes[0])) if cython.compiled else self.classes
        if self.spaced:
            while i + 1 < stop and p[i] == 32 and p[i + 1] < 0x80 and (classes[p[i + 1]] & SECOND) == 0 and (classes[32] & ALONE) == 0:
                i += 1
            self.removed += i - self.at
            self.at = i
            if p[i] == 32:
                return
        first = i
        while i < stop:
            m = stop - i
            if m >= BLOCK:
                m = BLOCK
                copy(out, w, p, i, 64)
            else:
                copy(out, w, p, i, m)
                for j in range(w + m, w + m + 64):
                    out[j] = self.filler
            if is_open or has_marked(out, w, self.ranges, self.ranges_at, self.space):
                if self.has_rules or has_bad_utf8(out, w, self.space):
                    break
                is_open = out[w + m - 1] >= 0x80
            i += m
            w += m
        if i == first:
            return
        # Go back over a character that is cut, and over one whose successor may be the second of a source.
        m = 1 if out[w - 1] >= 0xC0 else 2 if out[w - 2] >= 0xE0 else 3 if out[w - 3] >= 0xF0 else 0
        j = i - m
        if self.has_rules and first < j < stop and (p[j] >= 0x80 or classes[p[j]] & SECOND):
            j -= 1
            while first < j and (p[j] & 0xC0) == 0x80:
                j -= 1
        self.size = w - (i - j)
        self.at = j
        if j > first:
            self.spaced = self.space == 32 and p[j - 1] == 32

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def kind(self, decoded: cython.int) -> cython.int:
        """The class of a character as decode() gives it; an invalid byte counts as NUL, which no rule can have."""
        return self.classes[(cython.cast(cython.longlong, self.pages[decoded >> 11]) << 8) + ((decoded >> 3) & 0xFF)]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def characters(self, p: cython.p_uchar, out: cython.p_uchar, limit: cython.longlong, stop: cython.longlong) -> cython.bint:
        """Rewrite character by character from `at` to `limit` or a little further; False if there was no room."""
        i: cython.longlong = self.at
        w: cython.longlong = self.size
        j: cython.longlong
        t: cython.longlong
        length: cython.longlong
        target: cython.longlong
        current: cython.int = decode(p, i, stop) if i < limit else 0
        following: cython.int
        kind: cython.int = self.kind(current)
        kind_of_following: cython.int
        spaced: cython.bint = self.spaced
        while i < limit:
            length = current & 7
            j = i + (length if length else 1)
            following = decode(p, j, stop) if j < stop else 0
            kind_of_following = self.kind(following)
            target = -1
            if kind & ALONE or kind_of_following & SECOND:
                target = self.longest(p, i, stop)
            if target < 0 and length:
                if p[i] == self.space and spaced:
                    self.removed += 1
                else:
                    spaced = p[i] == self.space
                    for t in range(length):
                        out[w + t] = p[i + t]
                    if self.tracing:
                        for t in range(w - FRONT, w - FRONT + length):
                            self.origins[t] = i
                    w += length
            else:
                if target >= 0:
                    j = self.match
                    following = decode(p, j, stop) if j < stop else 0
                    kind_of_following = self.kind(following)
                self.needed = w + (3 if target < 0 else self.target_stops[target] - target) + (stop - j)
                if self.needed > self.capacity:
                    self.at = i
                    self.size = w
                    self.spaced = spaced
                    return False
                self.spaced = spaced
                w = self.replace(p, out, w, i, j, target, current >> 3)
                spaced = self.spaced
            i = j
            current = following
            kind = kind_of_following
        self.at = i
        self.size = w
        self.spaced = spaced
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def longest(self, p: cython.p_uchar, i: cython.longlong, stop: cython.longlong) -> cython.longlong:
        """Where the target of the longest rule that applies at i begins, and in `match` where its source ends; -1 if none applies.

        No index is checked here: Charsmap has proved that every walk on any bytes stays in the array.
        """
        units: cython.p_uint = cython.cast(cython.p_uint, cython.address(self.units[0])) if cython.compiled else self.units
        unit: cython.uint = units[0]
        position: cython.uint = (unit >> 10) << ((unit & 0x200) >> 6)
        target: cython.longlong = -1
        while i < stop:
            position ^= p[i]
            unit = units[position]
            if (unit & LABEL) != p[i]:
                break
            i += 1
            position ^= (unit >> 10) << ((unit & 0x200) >> 6)
            if unit & 0x100:
                target = units[position] & VALUE
                self.match = i
        return target

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def replace(
        self,
        p: cython.p_uchar,
        out: cython.p_uchar,
        w: cython.longlong,
        i: cython.longlong,
        j: cython.longlong,
        target: cython.longlong,
        first: cython.int,
    ) -> cython.longlong:
        """Write the target of a rule for the source from i to j, or (target < 0) U+FFFD for an invalid byte; returns the new size."""
        begin: cython.longlong = w
        t: cython.longlong
        c: cython.uchar
        same_so_far: cython.bint
        if target < 0:
            out[w] = 0xEF
            out[w + 1] = 0xBF
            out[w + 2] = 0xBD
            w += 3
            self.spaced = False
            self.invalid += 1
        else:
            t = target
            same_so_far = self.target_stops[target] - target == j - i
            while self.targets[t]:
                c = self.targets[t]
                same_so_far = same_so_far and c == p[i + t - target]
                if c == self.space and self.spaced:
                    self.removed += 1
                else:
                    out[w] = c
                    w += 1
                    self.spaced = c == self.space
                t += 1
            if not same_so_far:
                self.applied += 1
                self.changes[first] += 1
        if self.tracing:
            for t in range(begin - FRONT, w - FRONT):
                self.origins[t] = i
        return w

    @property
    def invalid_bytes(self):
        """How many bytes became U+FFFD."""
        return self.invalid

    @property
    def removed_spaces(self):
        """How many spaces were left out, those that rules made among them."""
        return self.removed

    @property
    def rewritten(self):
        """How many times a rule changed something."""
        return self.applied
