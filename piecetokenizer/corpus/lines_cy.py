"""The line kernel: where the texts of a block begin and stop.

In: a block of bytes.  Out: starts and stops of its lines that hold text, without LF and without one CR before it; how many lines there
were, and how many CRs.  Empty lines are left out, or kept if asked for.  Eight bytes are looked at together.  Linear time.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import load64, trailing_zeros
else:
    from piecetokenizer.lowlevel import load64, trailing_zeros

LF = cython.declare(cython.uchar, 10)
CR = cython.declare(cython.uchar, 13)
LFS = cython.declare(cython.ulonglong, 0x0A0A0A0A0A0A0A0A)
ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
HIGHS = cython.declare(cython.ulonglong, 0x8080808080808080)
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def line_end(p: cython.pointer[cython.const[cython.uchar]], at: cython.longlong, size: cython.longlong) -> cython.longlong:
    """The place of the first LF from `at` on, or `size`."""
    x: cython.ulonglong
    while at + 8 <= size:
        x = load64(p, at) ^ LFS
        # The lowest high bit that is set here is that of the first zero byte of x, which is an LF.
        x = (x - ONES) & (x ^ ALL) & HIGHS
        if x != 0:
            return at + (trailing_zeros(x) >> 3)
        at += 8
    while at < size and p[at] != LF:
        at += 1
    return at


@cython.final
@cython.cclass
class LineFinder:
    """The walk over one block; `texts`, `lines` and `returns` count what was found, `at` is where the walk is."""

    empty = cython.declare(cython.bint)
    at = cython.declare(cython.longlong, visibility="readonly")
    lines = cython.declare(cython.longlong, visibility="readonly")
    texts = cython.declare(cython.longlong, visibility="readonly")
    returns = cython.declare(cython.longlong, visibility="readonly")

    def __init__(self, at: cython.longlong, empty: cython.bint = False):
        """`at`: where the first line begins; `empty`: an empty line is a text too."""
        self.at = at
        self.empty = empty
        self.lines = self.texts = self.returns = 0

    def find(
        self,
        data: cython.const[cython.uchar][::1],
        most: cython.longlong,
        reach: cython.longlong,
        starts: cython.longlong[::1],
        stops: cython.longlong[::1],
    ) -> cython.bint:
        """Go on until the block ends, `most` lines were found, or the next would go over `reach`: True.  False if the arrays are full."""
        size: cython.longlong = len(data)
        room: cython.longlong = len(starts)
        p: cython.pointer[cython.const[cython.uchar]] = cython.address(data[0]) if cython.compiled else data
        start: cython.longlong
        end: cython.longlong
        stop: cython.longlong
        with cython.nogil:
            while self.at < size and self.lines < most and self.texts < room:
                start = self.at
                end = stop = line_end(p, start, size)
                if min(end + 1, size) > reach:
                    most = self.lines
                    break
                if stop > start and p[stop - 1] == CR:
                    self.returns += 1
                    stop -= 1
                self.lines += 1
                if stop > start or self.empty:
                    starts[self.texts] = start
                    stops[self.texts] = stop
                    self.texts += 1
                self.at = min(end + 1, size)
        return self.at >= size or self.lines >= most
