"""The pair table: two symbols -> what they become and how good that is, in one look, without a branch.

The pairs of a model never change, so their hash can be made perfect: no two pairs share a slot.  A pair's hash names a bucket, the bucket
has an odd factor, and hash * factor names the slot.  Building tries factors bucket by bucket, the fullest first, until all pairs of the
bucket fall on free slots; with two or three pairs a bucket and five of six slots taken that is a few tries for most.

A look reads one factor and one slot, and compares.  Most looks of an encoder find nothing, by no rule that a processor could
foresee: with an ordinary table each was a branch that went wrong every third time.  Slots are far away, so a filter of 8 to 16 bits a
pair stands before them: a pair that it does not know is looked for in slot 0, which is always near, and not found there.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import fold
else:
    from piecetokenizer.lowlevel import fold

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MOST = cython.declare(cython.int, 65535)


def build_pairs(
    splits: cython.const[cython.int][::1],
    count: cython.longlong,
    mix: cython.ulonglong,
    factors: cython.ushort[::1],
    factor_shift: cython.int,
    slots: cython.ulonglong[::1],
    known: cython.ulonglong[::1],
    hashes: cython.ulonglong[::1],
    items: cython.int[::1],
    starts: cython.int[::1],
    by_size: cython.int[::1],
) -> bool:
    """Place `count` splits (left, right, rank, id); False if some bucket has no factor, and `mix` must be another.

    `slots` has two numbers each, key (left << 32 | right) and value (rank << 40 | id), all ones at first; `factors` one for each of the
    2^(64 - factor_shift) buckets; `known` is all zeros.  The rest is scratch: hashes and items have an entry for each pair, by_size one
    for each bucket, starts one more.
    """
    buckets: cython.longlong = factors.shape[0]
    last: cython.ulonglong = 64 * known.shape[0] - 1
    i: cython.longlong
    j: cython.longlong
    k: cython.longlong
    largest: cython.longlong = 0
    size: cython.longlong
    h: cython.ulonglong
    factor: cython.int
    # The pairs in the order of their buckets.
    for i in range(buckets + 1):
        starts[i] = 0
    for i in range(count):
        h = fold(pair_of(splits, i), mix)
        starts[(h >> factor_shift) + 1] += 1
        h &= last
        known[h >> 6] |= cython.cast(cython.ulonglong, 1) << (h & 63)
    for i in range(buckets):
        largest = max(largest, cython.cast(cython.longlong, starts[i + 1]))
        starts[i + 1] += starts[i]
    for i in range(count):
        h = fold(pair_of(splits, i), mix)
        k = h >> factor_shift
        items[starts[k]] = cython.cast(cython.int, i)
        hashes[starts[k]] = h
        starts[k] += 1
    for i in range(buckets, 0, -1):
        starts[i] = starts[i - 1]
    starts[0] = 0
    # The buckets by size, the largest first.
    i = 0
    for size in range(largest, 0, -1):
        for k in range(buckets):
            if starts[k + 1] - starts[k] == size:
                by_size[i] = cython.cast(cython.int, k)
                i += 1
    for j in range(i):
        k = by_size[j]
        factor = 1
        while not fits(hashes, starts[k], starts[k + 1], cython.cast(cython.ulonglong, factor), slots):
            factor += 2
            if factor > MOST:
                return False
        factors[k] = cython.cast(cython.ushort, factor) if cython.compiled else factor
        for i in range(starts[k], starts[k + 1]):
            size = 2 * slot_of(hashes[i], cython.cast(cython.ulonglong, factor), slots.shape[0])
            slots[size] = pair_of(splits, items[i])
            slots[size + 1] = cython.cast(cython.ulonglong, splits[4 * items[i] + 2]) << 40 | splits[4 * items[i] + 3]
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def pair_of(splits: cython.const[cython.int][::1], i: cython.longlong) -> cython.ulonglong:
    """The key of a split."""
    return cython.cast(cython.ulonglong, splits[4 * i]) << 32 | cython.cast(cython.ulonglong, splits[4 * i + 1])


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def slot_of(h: cython.ulonglong, factor: cython.ulonglong, size: cython.ulonglong) -> cython.longlong:
    """The slot of a hash in a table of size / 2 slots; Merger.look_up has the same."""
    return ((h * factor & MASK) >> 33) * size >> 32


@cython.cfunc
@cython.exceptval(check=False)
def fits(
    hashes: cython.ulonglong[::1], first: cython.longlong, last: cython.longlong, factor: cython.ulonglong, slots: cython.ulonglong[::1]
) -> cython.bint:
    """Whether a factor puts all hashes of a bucket on free slots of their own; slots are as they were afterwards."""
    i: cython.longlong
    j: cython.longlong = last
    slot: cython.longlong
    for i in range(first, last):
        slot = 2 * slot_of(hashes[i], factor, slots.shape[0]) + 1
        if slots[slot] != MASK:
            j = i
            break
        slots[slot] = 0
    for i in range(first, j):
        slots[2 * slot_of(hashes[i], factor, slots.shape[0]) + 1] = MASK
    return j == last
