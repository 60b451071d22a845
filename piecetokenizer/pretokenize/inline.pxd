# What the kernels of this stage share, as C for inlining; inline.py holds the twins that run uncompiled, and says what each does.

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__)
    #define pt_fetch(p) __builtin_prefetch(p)
    #else
    #define pt_fetch(p) ((void) 0)
    #endif
    #define PT_REST 19
    #define PT_DISTANCE (1u << PT_REST)
    #define PT_OCCUPIED (1u << 30)
    #define PT_CHILDREN (1u << 31)

    static inline uint32_t pt_code_at(const unsigned char *p, int64_t i) {
        uint32_t b = p[i];
        if (b < 0xC0) return b << 3 | 1;
        if (b < 0xE0) return ((b & 0x1F) << 6 | (p[i + 1] & 0x3F)) << 3 | 2;
        if (b < 0xF0) return ((b & 0x0F) << 12 | (p[i + 1] & 0x3F) << 6 | (p[i + 2] & 0x3F)) << 3 | 3;
        return ((b & 0x07) << 18 | (p[i + 1] & 0x3F) << 12 | (p[i + 2] & 0x3F) << 6 | (p[i + 3] & 0x3F)) << 3 | 4;
    }
    static inline uint64_t pt_trie_hash(uint64_t mask, uint64_t multiplier, int64_t node, int character) {
        return ((uint64_t) node << 18 | (uint64_t) character) * multiplier & mask;
    }
    static inline int64_t pt_trie_slot(const unsigned int *slots, uint64_t hash) {
        const unsigned int *s = slots + (hash >> PT_REST);
        /* Shifted by one, to drop CHILDREN. */
        uint32_t wanted = (PT_OCCUPIED | (uint32_t) (hash & (PT_DISTANCE - 1))) << 1;
        for (;; s += 4, wanted += 8 * PT_DISTANCE) {
            /* A node is in one slot only, so at most one of the four is equal. */
    #if defined(__GNUC__)
            typedef uint32_t four __attribute__((vector_size(16)));
            const four step = {0, 2 * PT_DISTANCE, 4 * PT_DISTANCE, 6 * PT_DISTANCE}, number = {1, 2, 3, 4};
            four x, equal;
            memcpy(&x, s, 16);
            equal = (four) (x << 1 == wanted + step) & number;
            const int64_t found = equal[0] + equal[1] + equal[2] + equal[3];
    #else
            const int64_t found = (s[0] << 1 == wanted) + (s[1] << 1 == wanted + 2 * PT_DISTANCE) * 2
                                + (s[2] << 1 == wanted + 4 * PT_DISTANCE) * 3 + (s[3] << 1 == wanted + 6 * PT_DISTANCE) * 4;
    #endif
            const int64_t missing = (int64_t) (found != 0) - 1;
            /* Occupied slots have bit 30, so their product of bits says that all four are: the search goes on in one case of twenty. */
            if (!(missing & (int64_t) (s[0] & s[1] & s[2] & s[3] & PT_OCCUPIED)))
                return (s - slots + found - 1) | missing;
        }
    }
    static inline void pt_prefetch_slot(const unsigned int *slots, uint64_t hash) { pt_fetch(slots + (hash >> PT_REST)); }
    static inline void pt_prefetch_node(const unsigned int *slots, const int *weights, int64_t node, uint64_t hash) {
        const int64_t any = ~(node >> 63);
        pt_fetch(weights + (node & any));
        pt_fetch(slots + ((hash >> PT_REST) & (uint64_t) any));
    }
    """
    enum:
        REST "PT_REST"
        DISTANCE "PT_DISTANCE"
        OCCUPIED "PT_OCCUPIED"
        CHILDREN "PT_CHILDREN"
    unsigned int code_at "pt_code_at"(const unsigned char *p, long long i) noexcept nogil
    unsigned long long trie_hash "pt_trie_hash"(
        unsigned long long mask, unsigned long long multiplier, long long node, int character
    ) noexcept nogil
    long long trie_slot "pt_trie_slot"(const unsigned int *slots, unsigned long long hash) noexcept nogil
    void prefetch_slot "pt_prefetch_slot"(const unsigned int *slots, unsigned long long hash) noexcept nogil
    void prefetch_node "pt_prefetch_node"(
        const unsigned int *slots, const int *weights, long long node, unsigned long long hash
    ) noexcept nogil
