# The C shape of seams_cy.py, so that the Encoder calls `cut` without going through Python.

cimport cython


@cython.final
cdef class Seams:
    cdef const unsigned char[::1] ascii
    cdef const unsigned long long[::1] bits
    cdef int shift

    cdef long long cut(
        self, const unsigned char *p, long long begin, long long end, long long *cuts, long long n, long long room
    ) noexcept nogil
