"""What the kernels of this stage share, for when they run uncompiled; inline.pxd holds the C that the compiled ones inline.

`p` and `slots` are pointers when compiled and memoryviews when not; the caller proves the bounds.

A trie is a hash table of its nodes, with open addressing.  A node is its slot; its key is `parent's slot << 18 | character`, where
a character counts from U+3000.  A key is scrambled by an odd multiplier, modulo a power of two, which loses nothing: the high
bits say where the search begins (its home), and the low REST bits go into the slot, together with how far it lies behind its
home.  So a slot of 4 bytes says exactly which node is there, and a step down is a comparison with each slot from the home on:

    bit 31 CHILDREN: some word goes on from here     bit 30 OCCUPIED     bits 19 to 29: slots from home     bits 0 to 18: rest of the key

Compiled, four slots are compared at once: whether a node is there is as good as random, so a processor that has to guess
it for each slot guesses wrong half the time.  Half of the slots are empty, some behind the last home always, so a search ends.
"""

__all__ = ["CHILDREN", "DISTANCE", "OCCUPIED", "REST", "code_at", "prefetch_node", "prefetch_slot", "trie_hash", "trie_slot"]

REST = 19
DISTANCE = 1 << REST
OCCUPIED = 1 << 30
CHILDREN = 1 << 31


def code_at(p: memoryview, i: int) -> int:
    """The character at i as `code point << 3 | its number of bytes`; reads up to 3 bytes further, whatever they are."""
    b = p[i]
    if b < 0xC0:
        return b << 3 | 1
    if b < 0xE0:
        return ((b & 0x1F) << 6 | (p[i + 1] & 0x3F)) << 3 | 2
    if b < 0xF0:
        return ((b & 0x0F) << 12 | (p[i + 1] & 0x3F) << 6 | (p[i + 2] & 0x3F)) << 3 | 3
    return ((b & 0x07) << 18 | (p[i + 1] & 0x3F) << 12 | (p[i + 2] & 0x3F) << 6 | (p[i + 3] & 0x3F)) << 3 | 4


def trie_hash(mask: int, multiplier: int, node: int, character: int) -> int:
    """The scrambled key of a node's child."""
    return (node << 18 | character) * multiplier & mask


def trie_slot(slots: memoryview, hash: int) -> int:
    """The slot of a scrambled key, or -1.  There are empty slots behind the last home, so every search ends inside the table."""
    slot = hash >> REST
    wanted = OCCUPIED | hash & (DISTANCE - 1)
    while slots[slot]:
        if slots[slot] & ~CHILDREN == wanted:
            return slot
        slot += 1
        wanted += DISTANCE
    return -1


def prefetch_slot(slots: memoryview, hash: int) -> None:
    """Ask the processor for where a search begins; no effect on any result."""


def prefetch_node(slots: memoryview, weights: memoryview, node: int, hash: int) -> None:
    """Ask the processor for the weight of a node and for where the search for its child begins; for nothing if the node is -1."""
