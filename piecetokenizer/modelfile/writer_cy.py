"""Kernel: all lines of [Pieces] in one pass over the texts.

In: the texts as valid UTF-8, one after the other, where each ends, the cuts, whole scores, types.  Out: the lines, escaped as `escape`
does it.  The caller leaves vocabularies that are otherwise (bytes that are not UTF-8, fractions) to Python, as does the kernel when a
cut goes through a character: such a part is not UTF-8.

Bounds: the caller's room is `most_bytes`, at most 4 bytes for each byte of text, which is written once in its field and once in the
parts; a number has at most 20 digits.  A cut is within its text, and a type has a name.  UTF-8 being valid, the bytes that are looked
at behind a first byte are there.
"""

import cython

TAB = cython.declare(cython.uchar, 0x09)
LF = cython.declare(cython.uchar, 0x0A)
ZERO = cython.declare(cython.uchar, 0x30)
MINUS = cython.declare(cython.uchar, 0x2D)
BACKSLASH = cython.declare(cython.uchar, 0x5C)


def most_bytes(texts: int, size: int) -> int:
    """Room that is enough for the lines of so many texts of so many bytes together."""
    return 8 * size + 64 * texts


@cython.cclass
class Writer:
    """Where the writing is, and the arrays that it reads."""

    texts: cython.const[cython.uchar][::1]
    ends: cython.const[cython.longlong][::1]
    cuts: cython.const[cython.int][::1]
    scores: cython.const[cython.longlong][::1]
    types: cython.const[cython.uchar][::1]
    names: cython.const[cython.uchar][::1]
    out: cython.uchar[::1]
    at: cython.longlong

    def __init__(
        self,
        texts: cython.const[cython.uchar][::1],
        ends: cython.const[cython.longlong][::1],
        cuts: cython.const[cython.int][::1],
        scores: cython.const[cython.longlong][::1],
        types: cython.const[cython.uchar][::1],
        names: cython.const[cython.uchar][::1],
        out: cython.uchar[::1],
    ):
        """`names` has the name of type t in its 16 bytes from 16 * t on, with zeros behind."""
        self.texts = texts
        self.ends = ends
        self.cuts = cuts
        self.scores = scores
        self.types = types
        self.names = names
        self.out = out
        self.at = 0

    def run(self) -> int:
        """How many bytes were written, or -1 if a cut goes through a character."""
        done: cython.bint
        with cython.nogil:
            done = self.write()
        return self.at if done else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write(self) -> cython.bint:
        line: cython.longlong
        begin: cython.longlong = 0
        end: cython.longlong
        cut: cython.longlong
        i: cython.longlong
        for line in range(self.ends.shape[0]):
            end = self.ends[line]
            self.put_number(line)
            self.put(TAB)
            self.put_text(begin, end)
            self.put(TAB)
            self.put_number(self.scores[line])
            self.put(TAB)
            i = 16 * cython.cast(cython.longlong, self.types[line])
            while self.names[i] != 0:
                self.put(self.names[i])
                i += 1
            if self.cuts[line] > 0:
                cut = begin + self.cuts[line]
                if self.texts[cut] & 0xC0 == 0x80:
                    return False
                self.put(TAB)
                self.put_text(begin, cut)
                self.put(TAB)
                self.put_text(cut, end)
            self.put(LF)
            begin = end
        return True

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def put(self, byte: cython.uchar) -> cython.void:
        self.out[self.at] = byte
        self.at += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put_number(self, number: cython.longlong) -> cython.void:
        """In decimal."""
        divisor: cython.longlong = 1
        if number < 0:
            self.put(MINUS)
            number = -number
        while number // divisor >= 10:
            divisor *= 10
        while divisor > 0:
            self.put(ZERO + cython.cast(cython.uchar, number // divisor % 10))
            divisor //= 10

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put_text(self, i: cython.longlong, end: cython.longlong) -> cython.void:
        """What may stand as it is, and escapes."""
        byte: cython.uchar
        odd: cython.longlong
        while i < end:
            byte = self.texts[i]
            odd = 0
            if byte < 0x20 or byte == BACKSLASH or byte == 0x7F:
                odd = 1
            elif byte == 0xC2 and self.texts[i + 1] < 0xA0:
                odd = 2
            elif byte == 0xE2 and self.texts[i + 1] == 0x80 and (self.texts[i + 2] == 0xA8 or self.texts[i + 2] == 0xA9):
                odd = 3
            if odd == 0:
                self.put(byte)
                i += 1
            while odd > 0:
                self.put(BACKSLASH)
                self.put(0x78)
                self.put_digit(self.texts[i] >> 4)
                self.put_digit(self.texts[i] & 15)
                i += 1
                odd -= 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def put_digit(self, digit: cython.uchar) -> cython.void:
        self.put(digit + (0x30 if digit < 10 else 0x37))
