# The types of cutter_cy.py, so that the tokenizer can cut a short text as C.

cimport cython


@cython.final
cdef class BoundaryCutter:
    cdef readonly object ends
    cdef long long[::1] _ends
    cdef long long _room
    cdef const unsigned char[::1] _bytes
    cdef const unsigned char[::1] _first
    cdef const unsigned char[::1] _blocks
    cdef const unsigned char[::1] _table
    cdef bint _isolate
    cdef object _owner
    cdef const unsigned char[::1] _text
    cdef long long _size
    cdef const long long[::1] _stops
    cdef long long _index
    cdef long long _count
    cdef long long _at
    cdef long long _stop
    cdef int _row

    cpdef start_one(self, text, long long size)
    cpdef long long cut(self) noexcept
    cdef long long _scan(self) noexcept nogil
    cdef _bind(self, text)
    cdef long long _within(self, long long stop, long long at) noexcept nogil
    cdef int _class_of(self, unsigned int code) noexcept nogil
    cdef bint _is_inner(self, const unsigned char *p, int row, long long after, long long stop) noexcept nogil
