"""The dictionary reader: the lines of a dictionary -> a trie of its words, and each word's node and frequency.

In: valid UTF-8 without NUL; lines `word<TAB or space>frequency[ tag]`.  Out: the trie (inline.py says how it is laid out), the
node of each first character, the node where each word ends, and its frequency.

A line's word ends at its first TAB, or in a line without one at its first space.  A frequency is decimal digits, from 1 to
2^63 - 1, and then the line ends or a space or TAB follows.  Empty lines are passed over.  A word that is not wholly Han is
counted and left out, and so is one that was there before.  At a line that cannot be read the reader stops: `line` and
`problem` say where and why.

The multiplier of the hash comes from the file's own checksum, so whoever writes a file cannot choose where its words collide.
Time and memory are linear in the file.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.pretokenize.inline import CHILDREN, DISTANCE, OCCUPIED, REST, code_at, trie_hash, trie_slot
else:
    from piecetokenizer.pretokenize.inline import CHILDREN, DISTANCE, OCCUPIED, REST, code_at, trie_hash, trie_slot

HAN = cython.declare(cython.int, 3)
FIRST = cython.declare(cython.uint, 0x3000)
SPAN = cython.declare(cython.longlong, 0x31000)
FARTHEST = cython.declare(cython.longlong, 2048)
PADDED = cython.declare(cython.longlong, 64)
LARGEST = cython.declare(cython.longlong, 0x7FFFFFFFFFFFFFFF)
LONGEST = cython.declare(cython.longlong, 255)

DONE = cython.declare(cython.int, 0)
FULL = cython.declare(cython.int, 1)
BAD = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class WordReader:
    """One reading of one dictionary into empty tables."""

    line = cython.declare(cython.longlong, visibility="readonly")
    problem = cython.declare(cython.int, visibility="readonly")
    entries = cython.declare(cython.longlong, visibility="readonly")
    words = cython.declare(cython.longlong, visibility="readonly")
    foreign = cython.declare(cython.longlong, visibility="readonly")
    repeated = cython.declare(cython.longlong, visibility="readonly")
    nodes = cython.declare(cython.longlong, visibility="readonly")
    longest = cython.declare(cython.longlong, visibility="readonly")
    _data: cython.const[cython.uchar][::1]
    _size: cython.longlong
    _first: cython.const[cython.uchar][::1]
    _blocks: cython.const[cython.uchar][::1]
    _slots: cython.uint[::1]
    _roots: cython.int[::1]
    _is_word: cython.uchar[::1]
    _nodes: cython.int[::1]
    _frequencies: cython.longlong[::1]
    _multiplier: cython.ulonglong
    _mask: cython.ulonglong
    _room: cython.longlong

    def __init__(self, data, first, blocks, slots, roots, is_word, nodes, frequencies, multiplier: cython.ulonglong):
        """`slots` and `is_word` hold zeros, a power of two and PADDED of them; `roots` has a place for each first character.

        `nodes` and `frequencies` have room for a word on each line.
        """
        homes: cython.longlong = len(slots) - PADDED
        if homes < 1 or homes & (homes - 1) or homes > 1 << 30 or len(is_word) != len(slots):
            raise ValueError("the tables of the trie have the wrong size")
        if len(first) != 8192 or len(nodes) != len(frequencies) or len(roots) != SPAN:
            raise ValueError("a table of the dictionary reader has the wrong size")
        self._data = data
        self._size = len(data)
        self._first = first
        self._blocks = blocks
        self._slots = slots
        self._roots = roots
        self._is_word = is_word
        self._nodes = nodes
        self._frequencies = frequencies
        self._multiplier = multiplier
        self._mask = (homes << REST) - 1
        self._room = homes // 2
        self.line = self.entries = self.words = self.foreign = self.repeated = self.nodes = self.longest = 0
        self.problem = 0

    def read(self) -> cython.int:
        """Read all lines: DONE; FULL if there is no room for the nodes (begin again with twice the room); or BAD."""
        at: cython.longlong = 0
        end: cython.longlong
        result: cython.int = DONE
        with cython.nogil:
            while at < self._size:
                end = at
                while end < self._size and self._data[end] != 10:
                    end += 1
                self.line += 1
                result = self._read_line(at, end - 1 if end > at and self._data[end - 1] == 13 else end)
                if result != DONE:
                    break
                at = end + 1
        return result

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _read_line(self, at: cython.longlong, stop: cython.longlong) -> cython.int:
        if at == stop:
            return DONE
        after: cython.longlong = -1
        i: cython.longlong
        for i in range(at, stop):
            if self._data[i] == 9:
                after = i
                break
            if self._data[i] == 32 and after < 0:
                after = i
        if after < 0:
            return self._bad(1)
        if after == at:
            return self._bad(2)
        frequency: cython.longlong = 0
        digit: cython.longlong
        i = after + 1
        while i < stop and 48 <= self._data[i] <= 57:
            digit = self._data[i] - 48
            if frequency > (LARGEST - digit) // 10:
                return self._bad(5)
            frequency = frequency * 10 + digit
            i += 1
        if i == after + 1 or (i < stop and self._data[i] != 32 and self._data[i] != 9):
            return self._bad(3)
        if frequency == 0:
            return self._bad(4)
        self.entries += 1
        return self._add(at, after, frequency)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _bad(self, problem: cython.int) -> cython.int:
        self.problem = problem
        return BAD

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _add(self, at: cython.longlong, stop: cython.longlong, frequency: cython.longlong) -> cython.int:
        """Give the word a node, unless it has something else than Han."""
        data: cython.pointer[cython.const[cython.uchar]] = cython.address(self._data[0]) if cython.compiled else self._data
        code: cython.uint
        block: cython.uint
        length: cython.longlong = 0
        i: cython.longlong = at
        while i < stop:
            # The text is valid UTF-8 and a word ends before an ASCII byte, so a character never reaches over the end.
            code = code_at(data, i)
            block = self._first[code >> 11]
            if self._blocks[block << 8 | (code >> 3) & 255] != HAN:
                self.foreign += 1
                return DONE
            i += code & 7
            length += 1
        if length > LONGEST:
            return self._bad(6)
        if self.nodes + length > self._room:
            return FULL
        # The root has the number of the last slot, which stays empty.
        node: cython.longlong = len(self._slots) - 1
        i = at
        while i < stop:
            if i > at:
                self._slots[node] |= CHILDREN
            code = (code_at(data, i) >> 3) - FIRST
            node = self._child(trie_hash(self._mask, self._multiplier, node, code))
            if node < 0:
                return FULL
            if i == at:
                self._roots[code] = cython.cast(cython.int, node)
            i += code_at(data, i) & 7
        if self._is_word[node]:
            self.repeated += 1
            return DONE
        self._is_word[node] = 1
        self._nodes[self.words] = cython.cast(cython.int, node)
        self._frequencies[self.words] = frequency
        self.words += 1
        if length > self.longest:
            self.longest = length
        return DONE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _child(self, hash: cython.ulonglong) -> cython.longlong:
        """The node with this scrambled key, made if it is new; -1 if it would lie too far from home, or in the slots that stay empty."""
        slots: cython.pointer[cython.uint] = cython.address(self._slots[0]) if cython.compiled else self._slots
        slot: cython.longlong = trie_slot(slots, hash)
        if slot >= 0:
            return slot
        home: cython.longlong = hash >> REST
        slot = home
        while slots[slot]:
            slot += 1
        if slot >= len(self._slots) - 4 or slot - home >= FARTHEST:
            return -1
        slots[slot] = cython.cast(cython.uint, OCCUPIED | (slot - home) * DISTANCE | hash & (DISTANCE - 1))
        self.nodes += 1
        return slot
