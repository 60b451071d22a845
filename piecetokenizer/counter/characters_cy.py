"""Kernel: the characters of the segments, counted (for coverage) and laid out as symbols (for merging).

In: the arrays of `Segments`.  Out, of `count_characters`: how often each code point occurs, repetitions counted.  Out, of
`lay_out`: the slots that the merge loop works on.  Both read every byte once; a byte that is not part of valid UTF-8 counts as no
character and separates like a character that is not required.

Slots: runs of required characters, one symbol each, with one DEAD slot before, between and behind the runs.  A run of one character
has no pair and is left out.  Segments come in order of falling count, so that a *count class*, the stretch of slots whose segments
have one count, is enough to find the weight of a slot, and the frequent segments lie together in the cache.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import prefetch64
else:
    from piecetokenizer.lowlevel import prefetch64

AHEAD = cython.declare(cython.longlong, 16)
"""How many segments before its use memory is asked for: their order is not that in which they lie."""
DEAD = cython.declare(cython.int, -2)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _decode(text: cython.p_const_uchar, at: cython.longlong, end: cython.longlong) -> cython.uint:
    """The character at `at` as code point * 8 + number of its bytes; 0 for a byte that is not valid UTF-8."""
    first: cython.uint = text[at]
    point: cython.uint
    if first < 0x80:
        return first << 3 | 1
    if first < 0xC2 or first > 0xF4:
        return 0
    if first < 0xE0:
        if at + 1 >= end or (text[at + 1] & 0xC0) != 0x80:
            return 0
        return (first & 0x1F) << 9 | (text[at + 1] & 0x3F) << 3 | 2
    if first < 0xF0:
        if at + 2 >= end or (text[at + 1] & 0xC0) != 0x80 or (text[at + 2] & 0xC0) != 0x80:
            return 0
        point = (first & 0x0F) << 12 | (text[at + 1] & 0x3F) << 6 | (text[at + 2] & 0x3F)
        return 0 if point < 0x800 or 0xD800 <= point < 0xE000 else point << 3 | 3
    if at + 3 >= end or (text[at + 1] & 0xC0) != 0x80 or (text[at + 2] & 0xC0) != 0x80 or (text[at + 3] & 0xC0) != 0x80:
        return 0
    point = (first & 0x07) << 18 | (text[at + 1] & 0x3F) << 12 | (text[at + 2] & 0x3F) << 6 | (text[at + 3] & 0x3F)
    return 0 if point < 0x10000 or point > 0x10FFFF else point << 3 | 4


def count_characters(
    arena: cython.const[cython.uchar][::1],
    offsets: cython.const[cython.longlong][::1],
    counts: cython.const[cython.longlong][::1],
    totals: cython.longlong[::1],
) -> int:
    """Add the count of each segment to `totals[code point]` for each of its characters; the number of characters, each segment once."""
    characters: cython.longlong = 0
    segments: cython.longlong = counts.shape[0]
    i: cython.longlong
    at: cython.longlong
    end: cython.longlong
    count: cython.longlong
    decoded: cython.uint
    text: cython.p_const_uchar = cython.address(arena[0]) if cython.compiled else arena
    with cython.nogil:
        for i in range(segments):
            at = offsets[i]
            end = offsets[i + 1]
            count = counts[i]
            while at < end:
                decoded = _decode(text, at, end)
                if decoded == 0:
                    at += 1
                    continue
                at += decoded & 7
                totals[decoded >> 3] += count
                characters += 1
    return characters


def lay_out(
    arena: cython.const[cython.uchar][::1],
    offsets: cython.const[cython.longlong][::1],
    counts: cython.const[cython.longlong][::1],
    order: cython.const[cython.longlong][::1],
    symbols: cython.const[cython.int][::1],
    slots: cython.int[::1],
    class_ends: cython.longlong[::1],
    class_counts: cython.longlong[::1],
) -> tuple[int, int]:
    """Fill the slots, from the second on, and the count classes; how many of each were filled, the first slot, a DEAD one, included.

    `order` has the segments by falling count; `symbols[code point]` is the symbol of a required character, DEAD of any other.
    `class_ends[c]` is one behind the last slot of class c.  Room: a slot for each character and each segment and one more, a class for
    each segment.
    """
    segments: cython.longlong = order.shape[0]
    filled: cython.longlong = 1
    classes: cython.longlong = 0
    run: cython.longlong
    i: cython.longlong
    k: cython.longlong
    at: cython.longlong
    end: cython.longlong
    symbol: cython.int
    decoded: cython.uint
    text: cython.p_const_uchar = cython.address(arena[0]) if cython.compiled else arena
    words: cython.p_ulonglong = cython.cast(cython.p_ulonglong, text) if cython.compiled else arena
    places: cython.p_ulonglong = cython.cast(cython.p_ulonglong, cython.address(offsets[0])) if cython.compiled else offsets
    slots[0] = DEAD
    if segments == 0:
        return filled, classes
    amounts: cython.p_ulonglong = cython.cast(cython.p_ulonglong, cython.address(counts[0])) if cython.compiled else counts
    with cython.nogil:
        for i in range(segments):
            if i + 2 * AHEAD < segments:
                prefetch64(places, order[i + 2 * AHEAD])
                prefetch64(amounts, order[i + 2 * AHEAD])
                prefetch64(words, offsets[order[i + AHEAD]] >> 3)
            k = order[i]
            if classes == 0 or counts[k] != class_counts[classes - 1]:
                class_counts[classes] = counts[k]
                classes += 1
            at = offsets[k]
            end = offsets[k + 1]
            run = filled
            while at < end:
                decoded = _decode(text, at, end)
                at += decoded & 7 if decoded else 1
                symbol = symbols[decoded >> 3] if decoded else DEAD
                if symbol >= 0:
                    slots[filled] = symbol
                    filled += 1
                if symbol < 0 or at >= end:
                    if filled - run > 1:
                        slots[filled] = DEAD
                        filled += 1
                    else:
                        filled = run
                    run = filled
            class_ends[classes - 1] = filled
    return filled, classes
