# The types of encoder_cy.py, so that lane_cy.py can call it as C.

cimport cython

from piecetokenizer.tokenizer.merge_cy cimport Merger
from piecetokenizer.tokenizer.seams_cy cimport Seams


@cython.final
cdef class Encoder:
    cdef Merger merger
    cdef Seams seams
    # the arrays that `text` and `ends` are views of
    cdef readonly object source
    cdef object windows
    cdef const unsigned char[::1] text
    cdef const long long[::1] ends
    cdef int[::1] out
    cdef unsigned char[::1] out_bytes
    cdef const long long[::1] stops
    cdef const int[::1] leads
    cdef long long[::1] row_ends
    cdef unsigned long long[::1] cache
    cdef unsigned char[::1] records
    cdef long long[::1] cuts
    cdef unsigned long long[::1] keys
    cdef const unsigned long long[::1] masks
    cdef bint uncached
    cdef int cache_shift
    cdef int record_shift
    # ends in the window, and the next of them
    cdef long long window
    cdef long long next_end
    # segments in the batch, and the next of them
    cdef long long batch
    cdef long long next_cut
    # text up to here is in the batch
    cdef long long refined
    # text up to here has its ids
    cdef long long position
    cdef long long written
    cdef long long row
    cdef long long rows

    cpdef begin_one(self, text, ends, int first=*)
    cpdef void append(self, int id) noexcept
    cpdef list take(self, list ints, long long start=*, long long stop=*)
    cpdef long long run(self, long long count) noexcept
    cdef void read(self, text, ends) except *
    cdef void restart(self) noexcept
    cdef long long proceed(self) noexcept nogil
    cdef void end_rows(self) noexcept nogil
    cdef void refine(self) noexcept nogil
    cdef void key(self) noexcept nogil
    cdef long long probe(self) noexcept nogil
    cdef long long miss(
        self, const unsigned char *p, long long begin, long long end, int *out, unsigned char *to, long long n, bint recorded
    ) noexcept nogil
