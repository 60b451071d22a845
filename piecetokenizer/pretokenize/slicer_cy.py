"""The slicer: what lies between a text and the strings that it is cut into.

In: a text as UTF-8, which goes into the buffer that a cutter reads; then the ends that the cutter finds, in bytes.  Out: the segments as
strings, appended to a list.

Ends go by bytes and strings by characters: the slicer counts the bytes that begin a character from one end to the next.  Linear; the
buffer is the caller's, and has room for the text and PADDING behind it.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.lowlevel import copy
else:
    from piecetokenizer.lowlevel import copy

PADDING = cython.declare(cython.longlong, 64)


@cython.final
@cython.cclass
class Slicer:
    """The private state of one text that is being cut; the ends come from `ends[:count]`."""

    _ends: cython.longlong[::1]
    _bytes: cython.uchar[::1]
    _size: cython.longlong
    _at: cython.longlong
    _from: cython.longlong

    def __init__(self, ends, buffer) -> None:
        self._ends = ends if cython.compiled else memoryview(ends)
        self._bytes = buffer if cython.compiled else memoryview(buffer)
        self._size = self._at = self._from = 0

    def put(self, data: bytes) -> None:
        """Begin with a text: copy its bytes to the start of the buffer."""
        size: cython.longlong = len(data)
        if size > len(self._bytes) - PADDING:
            raise ValueError("the text is longer than the buffer, less the padding")
        if size:
            p: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data)) if cython.compiled else data
            to: cython.p_uchar = cython.address(self._bytes[0]) if cython.compiled else self._bytes
            copy(to, 0, p, 0, size)
        self._size = size
        self._at = self._from = 0

    def add(self, segments: list, text: str, count: cython.longlong) -> cython.longlong:
        """Append the strings that end at the next `count` ends of the text; returns the last of these."""
        i: cython.longlong
        end: cython.longlong = 0
        at: cython.longlong = self._at
        first: cython.longlong = self._from
        last: cython.longlong
        wide: cython.bint = len(text) != self._size
        if count > len(self._ends):
            raise ValueError("fewer ends than said")
        for i in range(count):
            end = self._ends[i]
            if end > self._size:
                raise ValueError("an end behind the text")
            if wide:
                last = first
                while at < end:
                    last += (self._bytes[at] & 0xC0) != 0x80
                    at += 1
            else:
                last = end
            segments.append(text[first:last])
            first = last
        self._at = at
        self._from = first
        return end
