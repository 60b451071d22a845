"""The boundary kernel: the ends of all segments of many texts, by character classes.

In: a buffer of normalized UTF-8 with the texts one after another, each text's end, the class tables and the boundary table.
Out: the ends of the segments, ascending, a window at a time; each segment begins where the last one ended.  A text's end is
always an end; an empty text has no segment.

The result is written without a branch: every character stores its position at `ends[n]`, and `n` grows by what the boundary
table says of the classes before and after it, so a position that is no end is overwritten by the next.  A character is at
least one byte and adds at most one end, therefore no more bytes than the window has room for are looked at between two checks.

ASCII takes a table of 256 entries; a byte that it marks SPECIAL (not ASCII, or an apostrophe that needs its neighbours) takes
the other way: decode, two-stage class table.  Linear time; memory: the window.

Malformed UTF-8 does not come here, but must do no harm: decoding reads at most 3 bytes over the end of a text, whose buffer
has PADDING behind it, the class table covers everything that 4 bytes can spell, and an end never lies past the end of its text.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.pretokenize.inline import code_at
else:
    from piecetokenizer.pretokenize.inline import code_at

SPECIAL = cython.declare(cython.int, 16)
START = cython.declare(cython.int, 10 << 4)
LETTER = cython.declare(cython.int, 4)
MARK = cython.declare(cython.int, 5)
PUNCTUATION = cython.declare(cython.int, 8)
APOSTROPHE = cython.declare(cython.int, 9)
PADDING = cython.declare(cython.longlong, 64)
LONG = cython.declare(cython.longlong, 4096)  # bytes of text from which on the GIL is let go


@cython.final
@cython.cclass
class BoundaryCutter:
    """The private state of one walk over texts; ends[:n] is what the last cut() found.  The types are in cutter_cy.pxd."""

    def __init__(self, ascii_classes, first, blocks, table, isolate: cython.bint, ends):
        # What the tables hold is checked where they are made (classes.py); here only that they are as long as the kernel indexes them.
        if len(ascii_classes) != 256 or len(first) != 8192 or len(table) != 256 or len(ends) < 1:
            raise ValueError("a table of the boundary kernel has the wrong size")
        self._bytes = ascii_classes
        self._first = first
        self._blocks = blocks
        self._table = table
        self._isolate = isolate
        self.ends = ends
        self._ends = ends if cython.compiled else memoryview(ends)
        self._room = len(ends)
        self._owner = None
        self._size = 0
        self._count = 0
        self._index = 0
        self._at = 0
        self._stop = 0
        self._row = START

    def start(self, text, stops, count: cython.longlong):
        """Begin with `count` texts in one buffer: text i ends at stops[i] and begins where the one before it ended."""
        self._bind(text)
        self._stops = stops if cython.compiled else memoryview(stops)
        if count > len(stops):
            raise ValueError("fewer stops than texts")
        self._index = 0
        self._count = count
        self._at = 0
        self._row = START
        if count:
            self._stop = self._within(self._stops[0], 0)

    def start_one(self, text, size: cython.longlong):
        """Begin with one text: the first `size` bytes of the buffer."""
        self._bind(text)
        if size < 0 or size > self._size:
            raise ValueError("the text is longer than its buffer, less the padding")
        self._index = 0
        self._count = 1
        self._at = 0
        self._row = START
        self._stop = size

    @cython.cfunc
    def _bind(self, text):
        # Taking a view of an array costs more than cutting a short text, and a caller's buffer is nearly always the one of the last call.
        if text is not self._owner:
            if len(text) < PADDING:
                raise ValueError("a text buffer has 64 bytes of padding at its end")
            self._text = text if cython.compiled else memoryview(text)
            self._size = len(text) - PADDING
            self._owner = text

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _within(self, stop: cython.longlong, at: cython.longlong) -> cython.longlong:
        """The stop of the text that begins at `at`, moved into the buffer if the caller was wrong."""
        if stop > self._size:
            stop = self._size
        return stop if stop > at else at

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _class_of(self, code: cython.uint) -> cython.int:
        """The class of a character that code_at() gave."""
        first: cython.uint = self._first[code >> 11]
        return self._blocks[first << 8 | (code >> 3) & 255]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_inner(
        self, p: cython.pointer[cython.const[cython.uchar]], row: cython.int, after: cython.longlong, stop: cython.longlong
    ) -> cython.bint:
        """The context rule of `isolate`: whether an apostrophe that ends at `after` has a letter or mark on both sides."""
        if not self._isolate or after >= stop or (row != LETTER << 4 and row != MARK << 4):
            return False
        following: cython.int = self._class_of(code_at(p, after))
        return following == LETTER or following == MARK

    def cut(self) -> cython.longlong:
        """Find the next ends, at most a window of them: how many there are now in `ends`.  0 says that all texts are done."""
        n: cython.longlong
        if self._index >= self._count:
            return 0
        if self._count == 1 and self._stop - self._at < LONG:
            return self._scan()  # to let go of the GIL and take it again would cost as much as the work
        with cython.nogil:
            n = self._scan()
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _scan(self) -> cython.longlong:
        """What cut() does."""
        p: cython.pointer[cython.const[cython.uchar]] = cython.address(self._text[0]) if cython.compiled else self._text
        classes: cython.pointer[cython.const[cython.uchar]] = cython.address(self._bytes[0]) if cython.compiled else self._bytes
        table: cython.pointer[cython.const[cython.uchar]] = cython.address(self._table[0]) if cython.compiled else self._table
        ends: cython.pointer[cython.longlong] = cython.address(self._ends[0]) if cython.compiled else self._ends
        n: cython.longlong = 0
        room: cython.longlong = self._room
        at: cython.longlong = self._at
        stop: cython.longlong = self._stop
        row: cython.int = self._row
        until: cython.longlong
        cls: cython.int
        code: cython.uint
        while n < room:
            if at == stop:
                # ends[n] has room, and row says whether the text had a character at all.
                ends[n] = stop
                n += row != START
                row = START
                self._index += 1
                if self._index >= self._count:
                    break
                stop = self._within(self._stops[self._index], at)
                continue
            until = at + (room - n)
            if until > stop:
                until = stop
            while at < until:
                cls = classes[p[at]]
                if cls >= SPECIAL:
                    break
                ends[n] = at
                n += table[row | cls]
                row = cls << 4
                at += 1
            while at < until and classes[p[at]] >= SPECIAL:
                code = code_at(p, at)
                cls = self._class_of(code)
                if cls == APOSTROPHE and not self._is_inner(p, row, at + (code & 7), stop):
                    cls = PUNCTUATION
                ends[n] = at
                n += table[row | cls]
                row = cls << 4
                at += code & 7
            if at > stop:
                at = stop
        self._at = at
        self._stop = stop
        self._row = row
        return n
