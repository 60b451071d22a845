# cython: language_level=3
"""Kernel: count all pairs of adjacent symbols, and gather the positions of those that are frequent enough.

In: the slots (see characters_cy; also in the middle of a run of the merge loop, when the floor was lowered).  Out: for each pair its
weight, exact, its number of positions, and the positions themselves, ascending, as one slice of the pool.

`count` adds up every pair in a hash table of (key, weight, number); the caller gives it more room when it asks.  `collect` lists the pairs
that reach the floor, `place` goes over the slots once more and writes the positions: a counting sort.  Two passes over the slots, expected
constant work a slot.  Overlapping pairs count: `aaa` has two.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold
else:
    from piecetokenizer.lowlevel import fold

MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
EMPTY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)
UNPLACED = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find(table: cython.p_ulonglong, mask: cython.ulonglong, key: cython.ulonglong) -> cython.ulonglong:
    """Where the entry of `key` is, or the empty entry where it belongs."""
    i: cython.ulonglong = fold(key, MIX) & mask
    while table[3 * i] != key and table[3 * i] != EMPTY:
        i = (i + 1) & mask
    return 3 * i


def count(
    slots: cython.const[cython.int][::1],
    lengths: cython.const[cython.int][::1],
    class_ends: cython.const[cython.longlong][::1],
    class_counts: cython.const[cython.longlong][::1],
    table: cython.ulonglong[::1],
    state: cython.longlong[::1],
) -> bool:
    """Count pairs from slot state[0] on; False when the table is half full: grow it and call again.

    `state` is slot, class, entries used, total weight.  The number of entries of the table is a power of two.
    """
    end: cython.longlong = slots.shape[0] - 1
    at: cython.longlong = state[0]
    c: cython.longlong = state[1]
    used: cython.longlong = state[2]
    total: cython.longlong = state[3]
    mask: cython.ulonglong = table.shape[0] // 3 - 1
    limit: cython.longlong = table.shape[0] // 6
    entries: cython.p_ulonglong = cython.address(table[0]) if cython.compiled else table
    left: cython.int
    right: cython.int
    i: cython.ulonglong
    key: cython.ulonglong
    with cython.nogil:
        while at < end and used < limit:
            left = slots[at]
            if left < 0:
                at += 1
                continue
            while at >= class_ends[c]:
                c += 1
            at += lengths[left]
            right = slots[at]
            if right < 0:
                continue
            key = cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right)
            i = _find(entries, mask, key)
            if entries[i] == EMPTY:
                entries[i] = key
                used += 1
            entries[i + 1] += class_counts[c]
            entries[i + 2] += 1
            total += class_counts[c]
    state[0] = at
    state[1] = c
    state[2] = used
    state[3] = total
    return at >= end


def move(table: cython.const[cython.ulonglong][::1], larger: cython.ulonglong[::1]) -> None:
    """Copy all entries into a larger table, whose keys are all EMPTY."""
    i: cython.longlong
    j: cython.ulonglong
    mask: cython.ulonglong = larger.shape[0] // 3 - 1
    size: cython.longlong = table.shape[0]
    entries: cython.p_ulonglong = cython.address(larger[0]) if cython.compiled else larger
    with cython.nogil:
        for i in range(0, size, 3):
            if table[i] != EMPTY:
                j = _find(entries, mask, table[i])
                entries[j] = table[i]
                entries[j + 1] = table[i + 1]
                entries[j + 2] = table[i + 2]


def collect(
    table: cython.ulonglong[::1],
    sizes: cython.const[cython.int][::1],
    floor: cython.ulonglong,
    max_size: cython.longlong,
    pairs: cython.ulonglong[::1],
) -> tuple[int, int]:
    """List the pairs of at least `floor` and at most `max_size` bytes as (key, weight, start, number); how many pairs and positions.

    In the table, the number gives way to the start of the slice, for `place`.
    """
    i: cython.longlong
    found: cython.longlong = 0
    start: cython.ulonglong = 0
    number: cython.ulonglong
    size: cython.longlong = table.shape[0]
    key: cython.ulonglong
    with cython.nogil:
        for i in range(0, size, 3):
            key = table[i]
            if key == EMPTY:
                continue
            number = table[i + 2]
            table[i + 2] = UNPLACED
            if table[i + 1] < floor or sizes[key >> 32] + sizes[key & LOW] > max_size:
                continue
            table[i + 2] = start
            pairs[4 * found] = key
            pairs[4 * found + 1] = table[i + 1]
            pairs[4 * found + 2] = start
            pairs[4 * found + 3] = number
            found += 1
            start += number
    return found, start


def place(
    slots: cython.const[cython.int][::1],
    lengths: cython.const[cython.int][::1],
    table: cython.ulonglong[::1],
    pool: cython.uint[::1],
) -> None:
    """Write the positions of the collected pairs into the pool."""
    end: cython.longlong = slots.shape[0] - 1
    at: cython.longlong = 0
    begin: cython.longlong
    mask: cython.ulonglong = table.shape[0] // 3 - 1
    entries: cython.p_ulonglong = cython.address(table[0]) if cython.compiled else table
    left: cython.int
    right: cython.int
    i: cython.ulonglong
    start: cython.ulonglong
    with cython.nogil:
        while at < end:
            left = slots[at]
            if left < 0:
                at += 1
                continue
            begin = at
            at += lengths[left]
            right = slots[at]
            if right < 0:
                continue
            i = _find(entries, mask, cython.cast(cython.ulonglong, left) << 32 | cython.cast(cython.ulonglong, right))
            start = entries[i + 2]
            if start != UNPLACED:
                pool[start] = begin
                entries[i + 2] = start + 1
