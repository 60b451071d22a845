"""Ids -> str in one step, where the str is of two bytes a character.

In: ids, all of them in the vocabulary.  Out: stretches of them that are whole characters, as str; what lies between (`survey` says where)
goes the way of bytes, by decoder_cy.py.

Python reads UTF-8 character by character, and at that takes longer for a Chinese text than all the rest of decoding.  But a piece is
always the same characters.  So each has a slot of 16 numbers of two bytes, its characters and in the last its kind; a slot is copied whole,
and the next one is written over what was too much.

kind    0 to 15: that many characters        LONG: their place in `arena` (two numbers) and how many they are
        BYTE: one byte of a character, which is put together here       UNFIT: a character beyond U+FFFF, or part of one

A first loop over `briefs` (a byte a piece, near in memory) finds how long a stretch is and what is in it.  It ends before bytes that
make no character (they are U+FFFD, by rules that are Python's) or one beyond U+FFFF: since all else is whole characters, what is read one
by one is the same as all at once.  It is not worth it for a text that is nearly ASCII, which Python reads faster than it is copied here.
"""

import cython

if cython.compiled:
    from cython.cimports.cpython.unicode import PyUnicode_DATA, PyUnicode_New
    from cython.cimports.piecetokenizer.lowlevel import copy_slot
else:
    from piecetokenizer.lowlevel import copy_slot

LONG = cython.declare(cython.ushort, 0xFFFF)
BYTE = cython.declare(cython.ushort, 0xFFFE)
UNFIT = cython.declare(cython.ushort, 0xFFFD)
WIDE = cython.declare(cython.uchar, 16)
SPECIAL = cython.declare(cython.uchar, 32)
SLOT = cython.declare(cython.longlong, 16)
SAMPLE = cython.declare(cython.longlong, 512)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def size_at(lead: cython.uchar) -> cython.longlong:
    """How many bytes a character has that begins with this one; 0 if none up to U+FFFF does."""
    return 1 if lead < 0x80 else 0 if lead < 0xC2 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def joined(code: cython.int, byte: cython.uchar, missing: cython.longlong) -> cython.int:
    """A character that has got one more byte, after which some are missing; -1 if that makes none."""
    if byte & 0xC0 != 0x80:
        return -1
    code = code << 6 | (byte & 63)
    # The last but one byte tells whether it is written too long, or a surrogate.
    return -1 if missing == 1 and (code < 0x20 or code >> 5 == 0x1B) else code


def fill_slots(
    pieces: cython.const[cython.uchar][::1],
    offsets: cython.const[cython.longlong][::1],
    slots: cython.ushort[::1],
    briefs: cython.uchar[::1],
    arena: cython.ushort[::1],
) -> None:
    """Enter the pieces pieces[offsets[k]:offsets[k + 1]]; `arena` has room for the characters of all."""
    at: cython.longlong = 0
    begin: cython.longlong
    i: cython.longlong
    k: cython.longlong
    n: cython.longlong
    missing: cython.longlong
    code: cython.int
    wide: cython.uchar
    for k in range(offsets.shape[0] - 1):
        begin = at
        wide = 0
        missing = 0
        code = 0
        for i in range(offsets[k], offsets[k + 1]):
            if missing:
                missing -= 1
                code = joined(code, pieces[i], missing)
            else:
                missing = size_at(pieces[i]) - 1
                code = pieces[i] & (0x7F if missing == 0 else 0x1F if missing == 1 else 0x0F) if missing >= 0 else -1
            if code < 0:
                break
            if missing == 0:
                arena[at] = cython.cast(cython.ushort, code)
                wide |= WIDE if code > 0xFF else 0
                at += 1
        n = at - begin
        if code < 0 or missing:
            at = begin
            slots[SLOT * k] = pieces[offsets[k]]
            slots[SLOT * k + 15] = BYTE if offsets[k + 1] - offsets[k] == 1 else UNFIT
            briefs[k] = SPECIAL
        elif n <= 15:
            at = begin
            for i in range(n):
                slots[SLOT * k + i] = arena[begin + i]
            slots[SLOT * k + 15] = cython.cast(cython.ushort, n)
            briefs[k] = wide | cython.cast(cython.uchar, n)
        else:
            slots[SLOT * k] = cython.cast(cython.ushort, begin & 0xFFFF)
            slots[SLOT * k + 1] = cython.cast(cython.ushort, begin >> 16)
            slots[SLOT * k + 2] = cython.cast(cython.ushort, n & 0xFFFF)
            slots[SLOT * k + 3] = cython.cast(cython.ushort, n >> 16)
            slots[SLOT * k + 15] = LONG
            briefs[k] = SPECIAL | wide


def mostly_wide(ids: cython.const[cython.int][::1], briefs: cython.const[cython.uchar][::1]) -> bool:
    """Whether of some ids, taken from everywhere, a quarter have characters beyond U+00FF, or may have."""
    i: cython.longlong
    step: cython.longlong = ids.shape[0] // SAMPLE + 1
    count: cython.longlong = (ids.shape[0] + step - 1) // step
    wide: cython.longlong = 0
    for i in range(count):
        wide += briefs[ids[step * i]] >= WIDE
    return 4 * wide >= count


def survey(
    ids: cython.const[cython.int][::1],
    start: cython.longlong,
    slots: cython.const[cython.ushort][::1],
    briefs: cython.const[cython.uchar][::1],
) -> tuple[int, int, int]:
    """The stretch ids[start:stop] of whole characters, and ids[stop:behind], of which that is not known.

    Returns how many characters the stretch has (-1: none beyond U+00FF, then it is not for this way), stop and behind.
    """
    total: cython.longlong = 0
    i: cython.longlong = start
    s: cython.longlong
    missing: cython.longlong = 0
    first: cython.longlong = 0
    code: cython.int = 0
    brief: cython.uchar
    seen: cython.uchar = 0
    with cython.nogil:
        while i < ids.shape[0]:
            brief = briefs[ids[i]]
            s = SLOT * ids[i]
            if not brief & SPECIAL:
                if missing and brief:
                    break
                total += brief & 15
                seen |= brief
            elif slots[s + 15] == LONG:
                if missing:
                    break
                total += slots[s + 2] | cython.cast(cython.longlong, slots[s + 3]) << 16
                seen |= brief
            elif slots[s + 15] == UNFIT:
                break
            elif missing:
                missing -= 1
                code = joined(code, cython.cast(cython.uchar, slots[s]), missing)
                if code < 0:
                    missing = 1
                    break
                if missing == 0:
                    total += 1
                    seen |= WIDE if code > 0xFF else 0
            else:
                first = i
                missing = size_at(cython.cast(cython.uchar, slots[s])) - 1
                if missing < 1:
                    break
                code = slots[s] & (0x1F if missing == 1 else 0x0F)
            i += 1
        if missing > 0:
            i = first  # a character that was begun belongs to what is behind
        first = i
        while i < ids.shape[0] and (briefs[ids[i]] == 0 or (briefs[ids[i]] & SPECIAL and slots[SLOT * ids[i] + 15] != LONG)):
            i += 1
    return total if seen & WIDE else -1, first, i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill(
    ids: cython.const[cython.int][::1],
    slots: cython.const[cython.ushort][::1],
    arena: cython.const[cython.ushort][::1],
    to: cython.p_ushort,
    total: cython.longlong,
) -> cython.void:
    """Write the characters of a stretch."""
    p: cython.p_const_ushort = cython.address(slots[0]) if cython.compiled else slots
    i: cython.longlong
    j: cython.longlong
    s: cython.longlong
    size: cython.longlong
    n: cython.longlong = 0
    missing: cython.longlong = 0
    code: cython.int = 0
    for i in range(ids.shape[0]):
        s = SLOT * ids[i]
        size = p[s + 15]
        if size <= 15:
            if n + SLOT <= total:
                copy_slot(to, n, p, s)
            else:
                for j in range(size):
                    to[n + j] = p[s + j]
            n += size
        elif size == LONG:
            size = p[s + 2] | cython.cast(cython.longlong, p[s + 3]) << 16
            s = p[s] | cython.cast(cython.longlong, p[s + 1]) << 16
            for j in range(size):
                to[n + j] = arena[s + j]
            n += size
        elif missing:
            missing -= 1
            code = code << 6 | (p[s] & 63)
            if missing == 0:
                to[n] = cython.cast(cython.ushort, code)
                n += 1
        else:
            missing = size_at(cython.cast(cython.uchar, p[s])) - 1
            code = p[s] & (0x1F if missing == 1 else 0x0F)


def wide_text(
    ids: cython.const[cython.int][::1],
    slots: cython.const[cython.ushort][::1],
    arena: cython.const[cython.ushort][::1],
    total: cython.longlong,
) -> str:
    """The text of a stretch that has so many characters, by `survey`."""
    if not cython.compiled:
        units = memoryview(bytearray(2 * total)).cast("H")
        fill(ids, slots, arena, units, total)
        return "".join(map(chr, units))
    result = PyUnicode_New(total, 0xFFFF)
    to = cython.cast(cython.p_ushort, PyUnicode_DATA(result))
    with cython.nogil:
        fill(ids, slots, arena, to, total)
    return result
