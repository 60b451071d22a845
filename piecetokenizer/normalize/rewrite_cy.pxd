# The types of rewrite_cy.py, so that kernel_cy.py can call it as C.

cdef class Rewriter:
    cdef const unsigned int[::1] units
    cdef const unsigned char[::1] targets
    cdef const int[::1] target_stops
    cdef const unsigned short[::1] rows
    cdef const unsigned short[::1] triples
    cdef const unsigned int[::1] entries
    cdef const unsigned char[::1] leads
    cdef long long[::1] changes
    cdef long long[::1] origins
    cdef bint has_rules
    cdef bint collapse
    cdef bint tracing
    cdef bint spaced
    cdef long long at
    cdef long long size
    cdef long long capacity
    cdef long long needed
    cdef long long invalid
    cdef long long removed

    cdef void common(self, unsigned char *p, unsigned char *out, long long limit, long long stop) noexcept nogil
    cdef bint step(self, unsigned char *p, unsigned char *out, long long stop) noexcept nogil
