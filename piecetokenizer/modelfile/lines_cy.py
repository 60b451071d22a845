"""Kernel: all lines of [Pieces] in one pass over their bytes, if each is written as the writer writes it.

In: the file's bytes from the first piece on, which end in LF.  Out, for each line: the text, packed one after the other with LF behind
each; the score; the type; and for a merge how many bytes of the written text its left part has (0: no merge).  That the two parts join
to the text is checked here by comparing bytes, so that the cut is all there is to keep of them.

A score that is not a plain integer is left to the caller: its place is noted instead.  At the first line that is in any way odd the scan
ends and says so; the reader then goes through the lines one by one, and finds out what is wrong with it, if anything.

Bounds: every loop over a field ends at a byte below 0x20, at the latest at the last byte of all, which is LF; no field goes on from a LF
but the last of a line.  A line is begun only if there is room for one more.  The texts are shorter than the lines they come from, so
`packed` needs as many bytes as there are.
"""

import cython

COMPILED = cython.compiled

TAB = cython.declare(cython.uchar, 0x09)
LF = cython.declare(cython.uchar, 0x0A)
MINUS = cython.declare(cython.uchar, 0x2D)


@cython.cclass
class Scanner:
    """Where the scan is, and the arrays that it fills."""

    data: cython.const[cython.uchar][::1]
    names: cython.const[cython.uchar][::1]
    packed: cython.uchar[::1]
    scores: cython.double[::1]
    places: cython.longlong[::1]
    types: cython.uchar[::1]
    cuts: cython.int[::1]
    place: cython.longlong
    lines: cython.longlong
    used: cython.longlong
    left_over: cython.longlong
    begin: cython.longlong
    end: cython.longlong

    def __init__(
        self,
        data: cython.const[cython.uchar][::1],
        names: cython.const[cython.uchar][::1],
        packed: cython.uchar[::1],
        scores: cython.double[::1],
        places: cython.longlong[::1],
        types: cython.uchar[::1],
        cuts: cython.int[::1],
    ):
        """`names` has the name of type t in its 16 bytes from 16 * t on; `places` gets that of each score that is left over, else -1."""
        self.data = data
        self.names = names
        self.packed = packed
        self.scores = scores
        self.places = places
        self.types = types
        self.cuts = cuts
        self.place = self.lines = self.used = self.left_over = self.begin = self.end = 0

    def run(self) -> bool:
        """Whether all lines could be read."""
        done: cython.bint
        with cython.nogil:
            done = self.scan()
        return done

    def totals(self) -> tuple:
        """How many lines were read, how many bytes were packed, and how many scores are left over."""
        return self.lines, self.used, self.left_over

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def scan(self) -> cython.bint:
        size: cython.longlong = self.data.shape[0]
        while self.place < size:
            if self.lines == self.scores.shape[0]:
                return False
            if not (self.read_id() and self.read_text() and self.read_score() and self.read_type()):
                return False
            if self.data[self.place] == TAB and not self.read_parts():
                return False
            if self.data[self.place] != LF:
                return False
            self.place += 1
            self.lines += 1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_id(self) -> cython.bint:
        """The number of the line, as it is written in decimal."""
        first: cython.longlong = self.place
        place: cython.longlong = first
        number: cython.longlong = 0
        while 0x30 <= self.data[place] <= 0x39 and place - first < 9:
            number = number * 10 + self.data[place] - 0x30
            place += 1
        if place == first or number != self.lines or self.data[place] != TAB or (self.data[first] == 0x30 and place - first > 1):
            return False
        self.place = place + 1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_text(self) -> cython.bint:
        """Bytes of which none is part of a control character or of U+2028, U+2029."""
        place: cython.longlong = self.place
        used: cython.longlong = self.used
        byte: cython.uchar = self.data[place]
        self.begin = place
        while byte >= 0x20:
            if byte >= 0x7F:
                if byte == 0x7F or (byte == 0xC2 and 0x80 <= self.data[place + 1] < 0xA0):
                    return False
                if byte == 0xE2 and self.data[place + 1] == 0x80 and (self.data[place + 2] == 0xA8 or self.data[place + 2] == 0xA9):
                    return False
            self.packed[used] = byte
            used += 1
            place += 1
            byte = self.data[place]
        self.end = place
        self.packed[used] = LF
        self.used = used + 1
        self.place = place + 1
        return byte == TAB

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_score(self) -> cython.bint:
        """An integer of up to 15 digits, which a double holds exactly; anything else is left over."""
        first: cython.longlong = self.place
        place: cython.longlong = first
        number: cython.longlong = 0
        negative: cython.bint = self.data[place] == MINUS
        if negative:
            place += 1
        digits: cython.longlong = place
        while 0x30 <= self.data[place] <= 0x39 and place - digits < 15:
            number = number * 10 + self.data[place] - 0x30
            place += 1
        if self.data[place] == TAB and place > digits:
            self.scores[self.lines] = -number if negative else number
            self.places[self.lines] = -1
        else:
            while self.data[place] >= 0x20:
                place += 1
            self.scores[self.lines] = 0
            self.places[self.lines] = first
            self.left_over += 1
        self.place = place + 1
        return self.data[place] == TAB

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_type(self) -> cython.bint:
        """One of the six names; its length and first letter say which it can be."""
        first: cython.longlong = self.place
        place: cython.longlong = first
        while self.data[place] >= 0x20:
            place += 1
        size: cython.longlong = place - first
        type: cython.int = 0
        if size == 6:
            type = 1 if self.data[first] == 0x6E else 5  # normal, unused
        elif size == 7:
            type = 2 if self.data[first] == 0x75 else 3  # unknown, control
        elif size == 12:
            type = 4  # user_defined
        elif size == 4:
            type = 6  # byte
        i: cython.longlong
        for i in range(size if type else 0):
            if self.data[first + i] != self.names[16 * type + i]:
                return False
        self.types[self.lines] = type
        self.cuts[self.lines] = 0
        self.place = place
        return type != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_parts(self) -> cython.bint:
        """Two fields that are not empty and, joined, the text."""
        place: cython.longlong = self.place + 1
        at: cython.longlong = self.begin
        while at < self.end and self.data[place] == self.data[at]:
            place += 1
            at += 1
        if self.data[place] != TAB or at == self.begin or at == self.end or at - self.begin > 0x7FFFFFFF:
            return False
        self.cuts[self.lines] = cython.cast(cython.int, at - self.begin)
        place += 1
        while at < self.end and self.data[place] == self.data[at]:
            place += 1
            at += 1
        self.place = place
        return at == self.end
