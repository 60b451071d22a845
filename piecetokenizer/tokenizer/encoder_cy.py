"""Segments -> ids, through a bounded cache: the hot loop of encoding.

In: a normalized text and the windows of segment ends that a Cutter gives.  Out: ids, and for each row (a text, or a fragment
between special tokens) how far its ids go.  A row may begin with an id of its own: a special token, or BOS.

A batch of segments goes through three steps, so that the memory that one step will need has arrived when the next one asks:

1. refine  a long segment is cut at seams, places where no merge can form (see seams_cy): exact, and the parts repeat where the
           whole did not, as in a run of Chinese or a text that is not cut at all
2. key     up to 15 bytes and their number are one 16-byte key; its hash names a cache entry, which is fetched ahead
3. probe   an entry is 32 bytes, key and up to 4 ids, written without asking how many; else the longer records (up to 62 bytes, 15
           ids, compared byte by byte), but only for what has no key, or an entry that says that its ids are too MANY for it: most
           segments are new, and a record is a wait for memory; else the Merger.  What it finds takes the entry's place

Equal keys mean equal bytes, so the cache never decides a result.  Its size is fixed; nothing here allocates.
"""

import cython

if cython.compiled:
    from cython.cimports.cpython.list import PyList_New, PyList_SET_ITEM
    from cython.cimports.cpython.ref import Py_INCREF
    from cython.cimports.piecetokenizer.lowlevel import copy, fold, load64, prefetch64, same, store64
else:
    from piecetokenizer.lowlevel import copy, fold, load64, prefetch64, same, store64

LOW = cython.declare(cython.ulonglong, 0x8BB84B93962EACC9)
HIGH = cython.declare(cython.ulonglong, 0x2D358DCCAA6C78A5)
KEY = cython.declare(cython.ulonglong, 0x0FFFFFFFFFFFFFFF)
SHORT = cython.declare(cython.longlong, 15)
LONG = cython.declare(cython.longlong, 62)
FEW = cython.declare(cython.longlong, 4)
MANY = cython.declare(cython.longlong, 15)


@cython.final
@cython.cclass
class Encoder:
    """Private state of one thread.  The types are in encoder_cy.pxd.

    The caller gives the arrays: `output` (room for the bytes of the text, its rows, and 16 more), and to begin with, `text` (with slack)
    and `ends`.  It makes the Merger's scratch larger when `run` or `again` answers with a negative number, that many bytes; then calls
    `again`.
    """

    def __init__(self, merger, seams, cache, cache_shift, records, record_shift, cuts, keys, masks) -> None:
        self.merger = merger
        self.seams = seams
        self.cache = memoryview(cache)
        self.cache_shift = cache_shift
        self.records = memoryview(records)
        self.record_shift = record_shift
        self.cuts = memoryview(cuts)
        self.keys = memoryview(keys)
        self.masks = memoryview(masks)
        self.uncached = False
        self.source = self.windows = None

    def output(self, out, out_bytes) -> None:
        """Write to this array from now on; the second is the same memory as bytes."""
        self.out = memoryview(out)
        self.out_bytes = memoryview(out_bytes)

    def cached(self, on: cython.bint) -> None:
        """Use the caches, or (with dropout) neither read nor write them."""
        self.uncached = not on

    def begin(self, text, ends, stops, leads, row_ends, rows: cython.longlong) -> None:
        """Begin a text of some rows: where each ends, the id before it (or -1), and where to note the end of its ids."""
        self.read(text, ends)
        self.stops = memoryview(stops)
        self.leads = memoryview(leads)
        self.row_ends = memoryview(row_ends)
        self.rows = rows
        self.restart()
        if rows and self.leads[0] >= 0:
            self.append(self.leads[0])
        self.end_rows()

    def begin_one(self, text, ends, first: cython.int = -1) -> None:
        """Begin a text that is one row, whose end is not noted, after the id `first` if it is not negative."""
        self.read(text, ends)
        self.rows = 0
        self.restart()
        if first >= 0:
            self.append(first)

    @cython.cfunc
    def read(self, text, ends) -> cython.void:
        """Read a text and the windows of its segments' ends from these arrays: nearly always those of the last call."""
        if text is not self.source:  # taking a view of an array costs more than encoding a short text
            self.text = memoryview(text)
            self.source = text
        if ends is not self.windows:
            self.ends = memoryview(ends)
            self.windows = ends

    @cython.cfunc
    @cython.exceptval(check=False)
    def restart(self) -> cython.void:
        """Nothing is read, nothing is written."""
        self.window = self.next_end = self.batch = self.next_cut = 0
        self.refined = self.position = self.written = self.row = 0

    def append(self, id: cython.int) -> cython.void:
        """Write an id that stands for no text."""
        self.out[self.written] = id
        self.written += 1

    def take(self, ints: list, start: cython.longlong = 0, stop: cython.longlong = -1) -> list:
        """The ids written from start to stop (-1: all) as a list of `ints`: one Python int an id, made once by the caller."""
        i: cython.longlong
        if stop < 0:
            stop = self.written
        result: list
        if cython.compiled:
            result = PyList_New(stop - start)
            for i in range(stop - start):
                item = ints[self.out[start + i]]
                Py_INCREF(item)
                PyList_SET_ITEM(result, i, item)
        else:
            result = [ints[self.out[i]] for i in range(start, stop)]
        return result

    def take_each(self, ints: list, ends: cython.const[cython.longlong][::1]) -> list:
        """The same for each text, whose ids go from the end of the one before (0 for the first) to its own."""
        lists: list = []
        begin: cython.longlong = 0
        i: cython.longlong
        for i in range(ends.shape[0]):
            lists.append(self.take(ints, begin, ends[i]))
            begin = ends[i]
        return lists

    def run(self, count: cython.longlong) -> cython.longlong:
        """Encode the segments of the next window; how far in the text all is encoded, or -(bytes of scratch) that are needed first."""
        done: cython.longlong
        self.window = count
        self.next_end = 0
        if count < 64:
            return self.proceed()
        with cython.nogil:
            done = self.proceed()
        return done

    def again(self) -> cython.longlong:
        """Go on where `run` asked for scratch."""
        done: cython.longlong
        with cython.nogil:
            done = self.proceed()
        return done

    @property
    def size(self):
        """How many ids are written."""
        return self.written

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def proceed(self) -> cython.longlong:
        """Batch after batch, until the window is used up."""
        needed: cython.longlong
        while True:
            if self.next_cut == self.batch:
                self.refine()
                if self.batch == 0:
                    return self.position
                self.key()
            needed = self.probe()
            if needed:
                return -needed

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_rows(self) -> cython.void:
        """Note the end of every row that ends here, and begin the next."""
        while self.row < self.rows and self.stops[self.row] == self.position:
            self.row_ends[self.row] = self.written
            self.row += 1
            if self.row < self.rows and self.leads[self.row] >= 0:
                self.out[self.written] = self.leads[self.row]
                self.written += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def refine(self) -> cython.void:
        """Fill `cuts` from the window; long segments are cut at their seams."""
        p: cython.p_const_uchar = cython.address(self.text[0]) if cython.compiled else self.text
        ends: cython.p_const_longlong = cython.address(self.ends[0]) if cython.compiled else self.ends
        cuts: cython.p_longlong = cython.address(self.cuts[0]) if cython.compiled else self.cuts
        room: cython.longlong = self.cuts.shape[0]
        n: cython.longlong = 0
        begin: cython.longlong = self.refined
        end: cython.longlong
        i: cython.longlong = self.next_end
        while i < self.window and n < room:
            end = ends[i]
            if end - begin > SHORT:
                n = self.seams.cut(p, begin, end, cuts, n, room)
                begin = cuts[n - 1]
                if begin < end:
                    break
            else:
                cuts[n] = end
                n += 1
                begin = end
            i += 1
        self.next_end = i
        self.refined = begin
        self.batch = n
        self.next_cut = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.void:
        """The key of each short segment of the batch, and its cache entry, which is fetched; longer ones have no entry."""
        p: cython.p_const_uchar = cython.address(self.text[0]) if cython.compiled else self.text
        cuts: cython.p_longlong = cython.address(self.cuts[0]) if cython.compiled else self.cuts
        keys: cython.p_ulonglong = cython.address(self.keys[0]) if cython.compiled else self.keys
        masks: cython.p_const_ulonglong = cython.address(self.masks[0]) if cython.compiled else self.masks
        cache: cython.p_ulonglong = cython.address(self.cache[0]) if cython.compiled else self.cache
        begin: cython.longlong = self.position
        size: cython.longlong
        low: cython.ulonglong
        high: cython.ulonglong
        slot: cython.ulonglong
        k: cython.longlong
        for k in range(self.batch):
            size = cuts[k] - begin
            if size <= SHORT and not self.uncached:
                low = load64(p, begin) & masks[2 * size]
                high = load64(p, begin + 8) & masks[2 * size + 1] | cython.cast(cython.ulonglong, size) << 56
                slot = fold(low ^ LOW, high ^ HIGH) >> self.cache_shift
                keys[3 * k] = low
                keys[3 * k + 1] = high
                keys[3 * k + 2] = slot << 3
                prefetch64(cache, slot << 3)
            else:
                keys[3 * k + 1] = 0
            begin = cuts[k]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def probe(self) -> cython.longlong:
        """Write the ids of the batch; returns 0, or the scratch that the next segment needs."""
        p: cython.p_const_uchar = cython.address(self.text[0]) if cython.compiled else self.text
        cuts: cython.p_longlong = cython.address(self.cuts[0]) if cython.compiled else self.cuts
        keys: cython.p_ulonglong = cython.address(self.keys[0]) if cython.compiled else self.keys
        cache: cython.p_ulonglong = cython.address(self.cache[0]) if cython.compiled else self.cache
        out: cython.p_int = cython.address(self.out[0]) if cython.compiled else self.out
        to: cython.p_uchar = cython.address(self.out_bytes[0]) if cython.compiled else self.out_bytes
        n: cython.longlong = self.written
        m: cython.longlong
        low: cython.ulonglong
        high: cython.ulonglong
        slot: cython.ulonglong
        way: cython.ulonglong
        known: cython.bint
        i: cython.ulonglong
        k: cython.longlong
        stop: cython.longlong = self.stops[self.row] if self.row < self.rows else -1
        for k in range(self.next_cut, self.batch):
            low = keys[3 * k]
            high = keys[3 * k + 1]
            slot = keys[3 * k + 2]
            # Both entries are compared without a branch: which of the two holds the segment cannot be foreseen, that one does can.
            way = (cache[slot + 4] == low) & (cache[slot + 5] & KEY == high)
            known = high != 0 and way | (cache[slot] == low) & (cache[slot + 1] & KEY == high)
            m = n + MANY
            if known:
                i = slot + (way << 2)
                store64(to, 4 * n, cache[i + 2])
                store64(to, 4 * n + 8, cache[i + 3])
                m = n + (cache[i + 1] >> 60)
                if way:  # it was met again: it takes the first place, which new ones do not get
                    for i in range(slot, slot + 4):
                        low = cache[i]
                        cache[i] = cache[i + 4]
                        cache[i + 4] = low
            if m == n + MANY:
                m = self.miss(p, self.position, cuts[k], out, to, n, known or high == 0)
                if m < 0:
                    self.written = n
                    self.next_cut = k
                    return -m
                if high and not known and m - n <= MANY:
                    slot += 4
                    cache[slot] = low
                    cache[slot + 1] = high | cython.cast(cython.ulonglong, m - n if m - n <= FEW else MANY) << 60
                    cache[slot + 2] = load64(to, 4 * n)
                    cache[slot + 3] = load64(to, 4 * n + 8)
            n = m
            self.position = cuts[k]
            if cuts[k] == stop:
                self.written = n
                self.end_rows()
                n = self.written
                stop = self.stops[self.row] if self.row < self.rows else -1
        self.written = n
        self.next_cut = self.batch
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def miss(
        self,
        p: cython.p_const_uchar,
        begin: cython.longlong,
        end: cython.longlong,
        out: cython.p_int,
        to: cython.p_uchar,
        n: cython.longlong,
        recorded: cython.bint,
    ) -> cython.longlong:
        """The ids of a segment that no entry holds, from its record, if it may be `recorded`, or merged.

        Returns where they end, or -(scratch needed).
        """
        records: cython.p_uchar = cython.address(self.records[0]) if cython.compiled else self.records
        size: cython.longlong = end - begin
        hashed: cython.ulonglong = size
        i: cython.longlong
        m: cython.longlong
        if size > LONG or self.uncached:
            if size > self.merger.room():
                return -size
            return self.merger.merge(p, begin, end, out, n)
        m = n
        if not recorded:
            m = self.merger.merge(p, begin, end, out, n)
            if m - n <= FEW or m - n > MANY:
                return m
        for i in range(0, size - 7, 8):
            hashed = fold(hashed ^ load64(p, begin + i), LOW)
        i = size & ~7
        hashed = fold(hashed ^ load64(p, begin + i) & self.masks[2 * (size & 7)], HIGH)
        i = cython.cast(cython.longlong, hashed >> self.record_shift) << 7
        if recorded:
            if records[i + 63] == size and same(records, i, p, begin, size):
                m = n + records[i + 62]
                copy(to, 4 * n, records, i + 64, 60)
                return m
            m = self.merger.merge(p, begin, end, out, n)
        if m - n <= MANY:
            copy(records, i, p, begin, size)
            records[i + 62] = cython.cast(cython.uchar, m - n)
            records[i + 63] = cython.cast(cython.uchar, size)
            copy(records, i + 64, to, 4 * n, 60)
        return m
