"""Rewriting by characters: what the blocks of kernel_cy.py leave over.

In: the bytes of a text, and the place `at` to go on from.  Out: normalized bytes in `out` up to `size`, and `at` further on.  Units are
bytes.

`common` goes by characters of one to three bytes, with one entry of a table for each, which says what goes out for it.  It stops where
that is not enough, and where a rule of several characters may begin, which is before a character that stands second in some source.
`step` rewrites one place by walking the trie: the longest rule whose source is a prefix of the rest, else one character unchanged, else
one byte as U+FFFD, to which no rule applies.  It knows nothing that is too hard for it, so that the two together always get on.

The text fits into `out` from `size` on if nothing is changed; the kernel has seen to that.  `common` never writes more than it reads, and
a step that does looks for room first.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import store64
else:
    from piecetokenizer.lowlevel import store64

FRONT = cython.declare(cython.longlong, 64)  # bytes of `out` before the first text, which `origins` does not have
LABEL = cython.declare(cython.uint, 0x800000FF)
VALUE = cython.declare(cython.uint, 0x7FFFFFFF)

# An entry for a character: bits 0 to 23 the bytes of what goes out, 24 and 25 their number, and these (see tables.py).
RULE = cython.declare(cython.uint, 1 << 26)  # by a rule
SPACE = cython.declare(cython.uint, 1 << 27)  # what goes out is a space
SECOND = cython.declare(cython.uint, 1 << 28)  # the character stands second in some source
WALK = cython.declare(cython.uint, 1 << 29)  # a step must tell


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def decode(p: cython.p_uchar, i: cython.longlong, stop: cython.longlong) -> cython.int:
    """The character at i as code point << 3 | length; 0 if no valid UTF-8 character that ends by `stop` begins there."""
    c: cython.int = p[i]
    d: cython.int
    length: cython.int = 1 if c < 0x80 else 2 if c < 0xE0 else 3 if c < 0xF0 else 4
    k: cython.int
    if length == 1:
        return c << 3 | 1
    if c < 0xC2 or c > 0xF4 or i + length > stop:
        return 0
    c &= 0x7F >> length
    for k in range(1, length):
        d = p[i + k] ^ 0x80
        if d > 0x3F:
            return 0
        c = c << 6 | d
    if length == 3 and (c < 0x800 or c >> 11 == 0x1B):  # overlong; a surrogate
        return 0
    if length == 4 and (c < 0x10000 or c > 0x10FFFF):
        return 0
    return c << 3 | length


class Rewriter:
    """The tables of a charsmap (shared, never written), where a text has got to, and what was counted.  The types are in rewrite_cy.pxd."""

    def __init__(self, tables: object, collapse: object, changes: object) -> None:
        self.units = memoryview(tables.units)
        self.targets = memoryview(tables.targets)
        self.target_stops = memoryview(tables.target_stops)
        self.rows = memoryview(tables.rows)
        self.triples = memoryview(tables.triples)
        self.entries = memoryview(tables.entries)
        self.leads = memoryview(tables.leads)
        self.changes = memoryview(changes)
        self.has_rules = tables.has_rules
        self.collapse = collapse
        self.tracing = self.spaced = False
        self.at = self.size = self.capacity = self.needed = self.invalid = self.removed = 0

    def common(self, p, out, limit, stop):
        """Go on by characters to `limit` or a little further, up to one that needs a step.

        What goes out is selected, not branched upon: in real text no processor foresees which character has a rule.  A character that
        stands second in a source is seen only when the one before it is already written, which is then taken back.
        """
        i: cython.longlong = self.at
        w: cython.longlong = self.size
        before: cython.longlong = -1
        removed: cython.longlong = 0
        c: cython.uint
        d: cython.uint
        slot: cython.uint
        entry: cython.uint
        kept: cython.uint
        is_other: cython.uint = SECOND | WALK
        spaced: cython.uint = self.spaced
        collapse: cython.uint = self.collapse
        rows: cython.p_ushort = cython.cast(cython.p_ushort, cython.address(self.rows[0])) if cython.compiled else self.rows
        triples: cython.p_ushort = cython.cast(cython.p_ushort, cython.address(self.triples[0])) if cython.compiled else self.triples
        entries: cython.p_uint = cython.cast(cython.p_uint, cython.address(self.entries[0])) if cython.compiled else self.entries
        changes: cython.p_longlong = cython.address(self.changes[0]) if cython.compiled else self.changes
        while i < limit:
            c = p[i]
            if c < 0x80:
                entry = entries[c]
                if entry & is_other:
                    break
                before = w
                changes[c] += entry >> 26 & 1
                store64(out, w, entry)
                if entry >> 27 & spaced:
                    removed += 1
                else:
                    w += entry >> 24 & 3
                spaced = entry >> 27 & collapse
                i += 1
            elif c >= 0xE0:
                if i + 2 >= stop:
                    break
                c |= cython.cast(cython.uint, p[i + 1]) << 8
                d = p[i + 2] ^ 0x80
                if d > 0x3F:
                    break
                slot = triples[c] << 6 | d
                entry = entries[slot]
                if entry & is_other:
                    break
                before = w
                spaced = 0
                changes[slot] += entry >> 26 & 1
                kept = (entry >> 26 & 1) - 1  # all ones without a rule, when the entry is empty; nothing with one
                store64(out, w, entry | (c | (d | 0x80) << 16) & kept)
                w += entry >> 24 & 3 | 3 & kept
                i += 3
            else:
                if i + 1 >= stop or c < 0xC2:
                    break
                d = p[i + 1] ^ 0x80
                if d > 0x3F:
                    break
                slot = rows[c & 0x1F] << 6 | d
                entry = entries[slot]
                if entry & is_other:
                    break
                before = w
                changes[slot] += entry >> 26 & 1
                store64(out, w, entry)
                if entry >> 27 & spaced:
                    removed += 1
                else:
                    w += entry >> 24 & 3
                spaced = entry >> 27 & collapse
                i += 2
        if before >= 0 and i < stop and self.leads[p[i]]:
            i -= 1
            while (p[i] & 0xC0) == 0x80:
                i -= 1
            c = decode(p, i, stop) >> 3
            slot = rows[c >> 6] << 6 | c & 0x3F
            changes[slot] -= entries[slot] >> 26 & 1
            removed -= w == before  # a space left out
            w = before
            spaced = self.spaced if w == self.size else collapse and out[w - 1] == 0x20
        self.at = i
        self.size = w
        self.spaced = spaced
        self.removed += removed

    def step(self, p, out, stop):
        """Rewrite what is at `at` by the longest rule, or one character or invalid byte without; False if there is no room.

        No index of the walk is checked here: Charsmap has proved that every walk on any bytes stays in the array.
        """
        i: cython.longlong = self.at
        w: cython.longlong = self.size
        j: cython.longlong
        t: cython.longlong
        n: cython.longlong
        target: cython.longlong = -1
        c: cython.int
        current: cython.int = decode(p, i, stop)
        unit: cython.uint = self.units[0]
        position: cython.uint = (unit >> 10) << ((unit & 0x200) >> 6)
        is_same: cython.bint
        n = current & 7 if current else 3
        j = i + n if current else i + 1
        t = i
        while t < stop and self.has_rules:
            position ^= p[t]
            unit = self.units[position]
            if (unit & LABEL) != p[t]:
                break
            t += 1
            position ^= (unit >> 10) << ((unit & 0x200) >> 6)
            if unit & 0x100:
                target = self.units[position] & VALUE
                n = self.target_stops[target] - target
                j = t
        self.needed = w + n + stop - j
        if self.needed > self.capacity:
            return False
        is_same = n == j - i
        for t in range(n):
            if target >= 0:
                c = self.targets[target + t]
                is_same = is_same and c == p[i + t]
            else:
                c = p[i + t] if current else 0xBDBFEF >> 8 * t & 0xFF
            if c == 0x20 and self.spaced:
                self.removed += 1
            else:
                out[w] = c
                if self.tracing:
                    self.origins[w - FRONT] = i
                w += 1
                self.spaced = self.collapse and c == 0x20
        if target >= 0 and not is_same:
            self.changes[self.rows[current >> 9] << 6 | current >> 3 & 0x3F] += 1
        if not current:
            self.invalid += 1
        self.at = j
        self.size = w
        return True

    @property
    def invalid_bytes(self) -> int:
        """How many bytes became U+FFFD."""
        return self.invalid

    @property
    def removed_spaces(self) -> int:
        """How many spaces were left out, those that rules made among them."""
        return self.removed
