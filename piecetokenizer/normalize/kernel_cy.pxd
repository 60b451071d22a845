# The types of kernel_cy.py, so that the tokenizer can normalize a short text as C.

from piecetokenizer.normalize.rewrite_cy cimport Rewriter


cdef class NormalizeKernel:
    cdef Rewriter rewriter
    cdef const unsigned char[::1] ranges
    # the part of `out` where the texts begin
    cdef readonly object text
    cdef unsigned char[::1] out
    cdef long long[::1] ends
    cdef unsigned char filler
    cdef unsigned char space
    cdef unsigned char high
    cdef bint has_marks
    cdef bint midway
    cdef long long readable
    cdef long long index
    cdef long long begin
    cdef long long reach

    cdef long long normalize_one(self, unsigned char *p, long long size, int flags, bint valid, bint offsets) except *
    cdef void start(self, long long length, bint valid, bint offsets) except *
    cdef bint many(
        self, Rewriter r, unsigned char *p, long long length, const long long[::1] starts, const long long[::1] stops,
        const unsigned char[::1] flags, long long count
    ) noexcept nogil
    cdef bint one(self, Rewriter r, unsigned char *p, long long start, long long stop, int flags) noexcept nogil
    cdef void blocks(self, Rewriter r, unsigned char *p, unsigned char *out, long long stop) noexcept nogil
