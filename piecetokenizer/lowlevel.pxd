# What only C can do, for the kernels; lowlevel.py holds the twins that run uncompiled.
# Every function takes a base pointer and an index, so that a memoryview can stand for the pointer.

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #error "piecetokenizer's kernels load words in little-endian order"
    #endif

    static inline uint64_t pt_load64(const unsigned char *p, int64_t i) {
        uint64_t x; memcpy(&x, p + i, 8); return x;
    }
    static inline void pt_store64(unsigned char *p, int64_t i, uint64_t x) { memcpy(p + i, &x, 8); }
    static inline void pt_copy(unsigned char *to, int64_t i, const unsigned char *from, int64_t j, int64_t n) {
        memcpy(to + i, from + j, (size_t) n);
    }
    static inline void pt_copy_slot(unsigned short *to, int64_t i, const unsigned short *from, int64_t j) { memcpy(to + i, from + j, 32); }
    static inline int pt_same(const unsigned char *a, int64_t i, const unsigned char *b, int64_t j, int64_t n) {
        return memcmp(a + i, b + j, (size_t) n) == 0;
    }
    static inline uint64_t pt_fold(uint64_t a, uint64_t b) {
    #if defined(__SIZEOF_INT128__)
        unsigned __int128 x = (unsigned __int128) a * b;
        return (uint64_t) x ^ (uint64_t) (x >> 64);
    #else
        uint64_t al = (uint32_t) a, ah = a >> 32, bl = (uint32_t) b, bh = b >> 32;
        uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
        uint64_t mid = (ll >> 32) + (uint32_t) lh + (uint32_t) hl;
        return (a * b) ^ (hh + (lh >> 32) + (hl >> 32) + (mid >> 32));
    #endif
    }
    static inline int pt_trailing_zeros(uint64_t x) {
    #if defined(__GNUC__)
        return __builtin_ctzll(x);
    #else
        int n = 0; while (!(x & 1)) { x >>= 1; n++; } return n;
    #endif
    }
    static inline int pt_fill(PyObject *array, const unsigned char *from, int64_t n) {
        Py_buffer view;
        if (PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) < 0) return -1;
        memcpy(view.buf, from, (size_t) n);
        PyBuffer_Release(&view);
        return 0;
    }
    #if defined(__GNUC__)
    #define pt_prefetch(p, i) __builtin_prefetch((p) + (i))
    #else
    #define pt_prefetch(p, i) ((void) 0)
    #endif
    """
    unsigned long long load64 "pt_load64"(const unsigned char *p, long long i) noexcept nogil
    void store64 "pt_store64"(unsigned char *p, long long i, unsigned long long x) noexcept nogil
    void copy "pt_copy"(unsigned char *to, long long i, const unsigned char *source, long long j, long long n) noexcept nogil
    void copy_slot "pt_copy_slot"(unsigned short *to, long long i, const unsigned short *source, long long j) noexcept nogil
    bint same "pt_same"(const unsigned char *a, long long i, const unsigned char *b, long long j, long long n) noexcept nogil
    unsigned long long fold "pt_fold"(unsigned long long a, unsigned long long b) noexcept nogil
    int fill "pt_fill"(object array, const unsigned char *source, long long n) except -1
    int trailing_zeros "pt_trailing_zeros"(unsigned long long x) noexcept nogil
    void prefetch64 "pt_prefetch"(const unsigned long long *p, long long i) noexcept nogil
    void prefetch32 "pt_prefetch"(const int *p, long long i) noexcept nogil

# Missing in Cython's own cpython.unicode.
cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
