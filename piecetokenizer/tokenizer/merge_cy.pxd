# The C shape of merge_cy.py, so that another kernel calls `room` and `merge` without going through Python.

cimport cython


@cython.final
cdef class Merger:
    cdef const unsigned short[::1] page_of
    cdef const int[::1] pages
    cdef const unsigned long long[::1] slots
    cdef const unsigned short[::1] factors
    cdef const unsigned long long[::1] known
    cdef unsigned long long known_last
    cdef const int[::1] byte_ids
    cdef int[::1] symbols
    cdef int[::1] starts
    cdef int[::1] nexts
    cdef int[::1] befores
    cdef int[::1] ranks
    cdef int[::1] merged
    cdef unsigned long long[::1] heap
    cdef unsigned long long coins
    cdef unsigned long long seed
    cdef unsigned long long drop
    cdef readonly long long work
    cdef long long size
    cdef long long heap_size
    cdef int factor_shift
    cdef unsigned long long mix
    cdef int unk_id
    cdef int linear
    cdef int left
    cdef int right
    cdef long long room(self) noexcept nogil
    cdef long long merge(self, const unsigned char *p, long long begin, long long end, int *out, long long n) noexcept nogil
    cdef long long split(self, const unsigned char *p, long long begin, long long end) noexcept nogil
    cdef unsigned long long look_up(self, int left, int right) noexcept nogil
    cdef void merge_by_scan(self, long long count) noexcept nogil
    cdef int pair_up(self, long long i, long long j) noexcept nogil
    cdef void sift(self, long long i) noexcept nogil
    cdef void push(self, int rank, long long i) noexcept nogil
    cdef void merge_by_heap(self, long long count) noexcept nogil
    cdef long long emit(self, const unsigned char *p, long long begin, long long count, int *out, long long n) noexcept nogil
