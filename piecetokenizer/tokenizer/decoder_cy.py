"""Ids -> bytes, and lists and lines of ids -> arrays.

A piece has a slot of 16 bytes, its text and in the last byte its size; longer ones (size 255) have their place in an arena.
A slot is copied whole, whatever its size, and the next one is written over what was too much: no branch but the rare long piece.
The caller asks for the total first, and gives an array with 16 bytes more.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import copy, load64, store64
else:
    from piecetokenizer.lowlevel import copy, load64, store64

LONG = cython.declare(cython.int, 255)
LARGEST = cython.declare(cython.longlong, 0x7FFFFFFF)
SPACE = cython.declare(cython.uchar, 32)
TAB = cython.declare(cython.uchar, 9)
LF = cython.declare(cython.uchar, 10)


def fill_slots(arena: cython.const[cython.uchar][::1], offsets: cython.const[cython.longlong][::1], slots: cython.uchar[::1]) -> None:
    """Enter the pieces arena[offsets[k]:offsets[k + 1]] into their slots."""
    i: cython.longlong
    k: cython.longlong
    size: cython.longlong
    for k in range(offsets.shape[0] - 1):
        size = offsets[k + 1] - offsets[k]
        if size > 15:
            slots[16 * k + 15] = 255
            continue
        slots[16 * k + 15] = cython.cast(cython.uchar, size)
        for i in range(size):
            slots[16 * k + i] = arena[offsets[k] + i]


def measure(
    ids: cython.const[cython.int][::1], slots: cython.const[cython.uchar][::1], offsets: cython.const[cython.longlong][::1]
) -> cython.longlong:
    """The bytes that ids, all of them in the vocabulary, decode to."""
    total: cython.longlong = 0
    i: cython.longlong
    id: cython.longlong
    size: cython.int
    with cython.nogil:
        for i in range(ids.shape[0]):
            id = ids[i]
            size = slots[16 * id + 15]
            total += size if size != LONG else offsets[id + 1] - offsets[id]
    return total


def decode(
    ids: cython.const[cython.int][::1],
    slots: cython.const[cython.uchar][::1],
    arena: cython.const[cython.uchar][::1],
    offsets: cython.const[cython.longlong][::1],
    out: cython.uchar[::1],
    ends: cython.longlong[::1],
) -> cython.longlong:
    """Write the bytes of ids to `out`, which has room for 16 more than `measure` says; returns their number.

    `ends` takes where each id's bytes end, if it is not empty.
    """
    n: cython.longlong = 0
    i: cython.longlong
    id: cython.longlong
    size: cython.int
    noted: cython.longlong = ends.shape[0]
    count: cython.longlong = ids.shape[0]
    p: cython.p_const_uchar
    q: cython.p_const_uchar
    to: cython.p_uchar
    if count == 0:
        return 0
    p = cython.address(slots[0]) if cython.compiled else slots
    q = cython.address(arena[0]) if cython.compiled else arena
    to = cython.address(out[0]) if cython.compiled else out
    with cython.nogil:
        for i in range(count):
            id = ids[i]
            size = p[16 * id + 15]
            if size != LONG:
                store64(to, n, load64(p, 16 * id))
                store64(to, n + 8, load64(p, 16 * id + 8))
                n += size
            else:
                copy(to, n, q, offsets[id], offsets[id + 1] - offsets[id])
                n += offsets[id + 1] - offsets[id]
            if noted:
                ends[i] = n
    return n


def ids_of_list(items: list, start: cython.longlong, out: cython.int[::1], size: cython.longlong) -> cython.longlong:
    """Copy Python ints to out[start:], as long as they are ids of a vocabulary of this size; returns where it stopped."""
    i: cython.longlong = start
    value: cython.longlong
    stop: cython.longlong = min(cython.cast(cython.longlong, len(items)), out.shape[0])
    try:  # outside of the loop: to enter it takes as long as an id
        for i in range(start, stop):
            item = items[i]
            if type(item) is not int:
                return i
            value = item
            if value < 0 or value >= size:
                return i
            out[i] = cython.cast(cython.int, value)
    except OverflowError:
        return i
    return stop


def ids_of_lines(
    data: cython.const[cython.uchar][::1], begin: cython.longlong, end: cython.longlong, ids: cython.int[::1], ends: cython.longlong[::1]
) -> cython.longlong:
    """The decimal numbers in data[begin:end], with spaces or tabs between, and where those of each line end; returns how many.

    `ids` has room for half as many as there are bytes, and one; `ends` for the lines.  -1 if anything else is there, or a number of more
    than 31 bits.
    """
    count: cython.longlong = 0
    lines: cython.longlong = 0
    value: cython.longlong = -1  # of the number that is being read; -1: none
    i: cython.longlong
    byte: cython.uchar
    digit: cython.uchar
    wrong: cython.bint = False
    with cython.nogil:
        for i in range(begin, end):
            byte = data[i]
            digit = (byte - 48) & 0xFF
            if digit < 10:
                value = (value * 10 if value > 0 else 0) + digit
                if value > LARGEST:
                    wrong = True
                    break
                continue
            if value >= 0:
                ids[count] = cython.cast(cython.int, value)
                count += 1
                value = -1
            if byte == LF:
                ends[lines] = count
                lines += 1
            elif byte != SPACE and byte != TAB:
                wrong = True
                break
        if value >= 0 and not wrong:
            ids[count] = cython.cast(cython.int, value)
            count += 1
        if end > begin and data[end - 1] != LF and not wrong:
            ends[lines] = count
    return -1 if wrong else count
