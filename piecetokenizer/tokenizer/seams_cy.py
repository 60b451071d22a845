"""Seams: where a segment can be cut without changing its ids, because no merge can form there.

In: a segment, and the tables that say which two characters stand side by side in a piece that a merge can make (see tables_cy).  Out:
all places where two stand that do so in none.  A pair beyond ASCII is asked for in a table of bits by its hash, so a seam may be
overlooked, which costs time only; a place that is none is never called one.  Linear time.
"""

import cython

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.final
@cython.cclass
class Seams:
    """The tables of one model, which any number of threads read.  The types are in seams_cy.pxd."""

    def __init__(self, ascii, bits, shift) -> None:
        self.ascii = memoryview(ascii)
        self.bits = memoryview(bits)
        self.shift = shift

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut(
        self,
        p: cython.p_const_uchar,
        begin: cython.longlong,
        end: cython.longlong,
        cuts: cython.p_longlong,
        n: cython.longlong,
        room: cython.longlong,
    ) -> cython.longlong:
        """Append the seams of the segment p[begin:end] and its end to the n cuts, as many as there is room for, which is one at least.

        The segment is valid UTF-8, so the bytes that are looked at behind a first byte are there.
        """
        ascii: cython.p_const_uchar = cython.address(self.ascii[0]) if cython.compiled else self.ascii
        bits: cython.p_const_ulonglong = cython.address(self.bits[0]) if cython.compiled else self.bits
        i: cython.longlong = begin
        start: cython.longlong
        before: cython.ulonglong = 0x1FFFFF
        code: cython.ulonglong
        bit: cython.ulonglong
        while i < end:
            start = i
            code = p[i]
            if code < 0x80:
                i += 1
            elif code < 0xE0:
                code = (code & 31) << 6 | (p[i + 1] & 63)
                i += 2
            elif code < 0xF0:
                code = (code & 15) << 12 | (p[i + 1] & 63) << 6 | (p[i + 2] & 63)
                i += 3
            else:
                code = (code & 7) << 18 | (p[i + 1] & 63) << 12 | (p[i + 2] & 63) << 6 | (p[i + 3] & 63)
                i += 4
            if before < 128 and code < 128:
                bit = ascii[before << 7 | code]
            else:
                bit = ((before << 32 | code) * MIX & MASK) >> self.shift
                bit = bits[bit >> 6] >> (bit & 63) & 1
            # No branch waits for the bit, which comes from far: it cannot be foreseen, and the next ones are asked for meanwhile.
            cuts[n] = start
            n += (bit == 0) & (start > begin)
            if n == room:
                return n
            before = code
        cuts[n] = end
        return n + 1
