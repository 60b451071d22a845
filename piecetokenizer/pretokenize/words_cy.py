"""The word kernel: the dictionary cuts each run of Han into its most probable words.

In: the segment ends of the boundary kernel, where all Han of a segment comes first; the tables of trie.py.  Out: the same ends and
those of the words between them, ascending, a window at a time.

The best path through a run has the highest sum of weights; every character is an edge, and every word.  Of equal paths the one
with the longer last word is taken, then so on leftwards: edges are tried from left to right by where they begin, so of
equal sums the first to arrive at a position has the longest last word, and is kept.  Marks and joiners behind the last Han,
and whatever follows them in their segment, go with the last word.

Many segments are solved at once, in a row of elements: a Han character is one, a segment without Han is one, and an empty one keeps
apart two runs that touch.  Three loops over the row, so that the processor need not wait for one look-up before it
begins the next: memory is asked for in the first, found out of order in the second, and near in the third.

A place that no word crosses lies on every path, so what comes later cannot change what is decided before it.  If a run is longer
than the row, it is cut at the last such place; if there is none, `needs_room` asks for a longer row: memory is that of the
longest stretch of overlapping words.  No recursion; linear time: a position has no more words than the longest one has
characters, 255 at most.
"""

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.pretokenize.inline import (
        CHILDREN,
        REST,
        code_at,
        prefetch_node,
        prefetch_slot,
        trie_hash,
        trie_slot,
    )
else:
    from piecetokenizer.pretokenize.inline import CHILDREN, REST, code_at, prefetch_node, prefetch_slot, trie_hash, trie_slot

HAN_LEAD = cython.declare(cython.int, 0xE3)
FIRST = cython.declare(cython.uint, 0x3000)
SPAN = cython.declare(cython.uint, 0x31000)
NO_WORD = cython.declare(cython.int, 0x7FFFFFFF)
NOT_HAN = cython.declare(cython.int, -2)
NEVER = cython.declare(cython.longlong, -0x2000000000000000)
UNREACHED = cython.declare(cython.longlong, -0x7FFFFFFFFFFFFFFF)
OTHER = cython.declare(cython.int, 0x31000)
PADDING = cython.declare(cython.longlong, 64)
PADDED = cython.declare(cython.longlong, 64)


@cython.final
@cython.cclass
class WordCutter:
    """The private state of one walk over segments; ends[:n] is what the last cut() found."""

    ends = cython.declare(object, visibility="readonly")
    needs_room = cython.declare(cython.bint, visibility="readonly")
    _ends: cython.longlong[::1]
    _roots: cython.const[cython.int][::1]
    _slots: cython.const[cython.uint][::1]
    _weights: cython.const[cython.int][::1]
    _multiplier: cython.ulonglong
    _mask: cython.ulonglong
    _longest: cython.longlong
    _room: cython.longlong
    _limit: cython.longlong
    _chars: cython.int[::1]
    _hashes: cython.ulonglong[::1]
    _nodes: cython.int[::1]
    _offsets: cython.longlong[::1]
    _best: cython.longlong[::1]
    _back: cython.int[::1]
    _owner: object
    _text: cython.const[cython.uchar][::1]
    _size: cython.longlong
    _segments: cython.const[cython.longlong][::1]
    _next: cython.longlong
    _count: cython.longlong
    _at: cython.longlong
    _stop: cython.longlong
    _pending: cython.longlong

    def __init__(self, roots, slots, weights, multiplier: cython.ulonglong, longest: cython.longlong, segments, ends):
        homes: cython.longlong = len(slots) - PADDED
        if homes < 1 or homes & (homes - 1) or homes > 1 << 30 or len(weights) != len(slots):
            raise ValueError("the tables of the trie have the wrong size")
        if len(roots) != 2 * (SPAN + 1) or len(ends) < 1:
            raise ValueError("a table of the word kernel has the wrong size")
        self._roots = roots
        self._slots = slots
        self._weights = weights
        self._multiplier = multiplier
        self._mask = (homes << REST) - 1
        self._longest = longest
        self._segments = segments
        self.ends = ends
        self._ends = ends if cython.compiled else memoryview(ends)
        self._owner = None
        self._size = 0
        self._room = 0
        self.needs_room = True
        self._next = self._count = self._at = self._stop = self._pending = 0

    def start(self, text):
        """Begin at the start of a buffer of texts, PADDING bytes longer than they are."""
        if text is not self._owner:
            if len(text) < PADDING:
                raise ValueError("a text buffer has 64 bytes of padding at its end")
            self._text = text if cython.compiled else memoryview(text)
            self._size = len(text) - PADDING
            self._owner = text
        self._next = self._count = self._at = self._stop = self._pending = 0

    def give_room(self, chars, hashes, nodes, offsets, best, back):
        """The arrays of a row, all two longer than it; what was in the old ones is not needed."""
        room: cython.longlong = len(chars) - 2
        if len(hashes) - 2 != room or len(nodes) - 2 != room or len(offsets) - 2 != room or len(best) - 2 != room or len(back) - 2 != room:
            raise ValueError("the arrays of the word kernel have the wrong size")
        if room < 512 or room > 1 << 30:
            raise ValueError("a run of Han is too long for the dictionary")
        self._chars = chars
        self._hashes = hashes
        self._nodes = nodes
        self._offsets = offsets
        self._best = best
        self._back = back
        self._room = room
        self.needs_room = False

    def feed(self, count: cython.longlong):
        """Go on with the ends in segments[:count]."""
        if count > len(self._segments):
            raise ValueError("fewer segments than said")
        self._next = 0
        self._count = count

    def cut(self) -> cython.longlong:
        """Find the next ends, at most a window of them: how many there are now in `ends`.

        0 asks for more: for room if `needs_room`, else for segments.
        """
        if self._size == 0 or self._room == 0 or (self._pending == 0 and self._next == self._count and self._at == self._stop):
            return 0
        n: cython.longlong = 0
        with cython.nogil:
            while n < len(self._ends):
                if self._pending:
                    # The words of a solved row, kept last to first.
                    self._pending -= 1
                    self._ends[n] = self._best[self._pending]
                    n += 1
                elif not self._solve():
                    break
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _within(self, stop: cython.longlong, at: cython.longlong) -> cython.longlong:
        """The stop of the segment that begins at `at`, moved into the buffer if the caller was wrong."""
        if stop > self._size:
            stop = self._size
        return stop if stop > at else at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _solve(self) -> cython.bint:
        """Find the words of the next row and put their ends into `best`, last first.  False if there is no row, or no room for it."""
        chars: cython.pointer[cython.int] = cython.address(self._chars[0]) if cython.compiled else self._chars
        hashes: cython.pointer[cython.ulonglong] = cython.address(self._hashes[0]) if cython.compiled else self._hashes
        nodes: cython.pointer[cython.int] = cython.address(self._nodes[0]) if cython.compiled else self._nodes
        offsets: cython.pointer[cython.longlong] = cython.address(self._offsets[0]) if cython.compiled else self._offsets
        best: cython.pointer[cython.longlong] = cython.address(self._best[0]) if cython.compiled else self._best
        back: cython.pointer[cython.int] = cython.address(self._back[0]) if cython.compiled else self._back
        roots: cython.pointer[cython.const[cython.int]] = cython.address(self._roots[0]) if cython.compiled else self._roots
        slots: cython.pointer[cython.const[cython.uint]] = cython.address(self._slots[0]) if cython.compiled else self._slots
        weights: cython.pointer[cython.const[cython.int]] = cython.address(self._weights[0]) if cython.compiled else self._weights
        mask: cython.ulonglong = self._mask
        multiplier: cython.ulonglong = self._multiplier
        count: cython.longlong = self._fill()
        if count == 0:
            return False
        limit: cython.longlong = self._limit
        i: cython.longlong
        j: cython.longlong
        node: cython.longlong
        for i in range(limit):
            # The node of this character and the next, or -1; the last character of the row has OTHER behind it.
            node = trie_slot(slots, hashes[i + 1])
            nodes[i] = cython.cast(cython.int, node)
            prefetch_node(slots, weights, node, trie_hash(mask, multiplier, node, chars[i + 2]))
        decided: cython.longlong = 0
        reach: cython.longlong = 0
        base: cython.longlong
        weight: cython.longlong
        better: cython.bint
        for i in range(limit):
            base = best[i]
            weight = base + roots[2 * chars[i] + 1]
            better = weight > best[i + 1]
            best[i + 1] = weight if better else best[i + 1]
            back[i + 1] = 1 if better else back[i + 1]
            node = nodes[i]
            j = i + 1
            while node >= 0:
                j += 1
                weight = weights[node]
                weight = base + (weight if weight != NO_WORD else NEVER)
                better = weight > best[j]
                best[j] = weight if better else best[j]
                back[j] = cython.cast(cython.int, j - i) if better else back[j]
                if slots[node] < CHILDREN:
                    break
                node = trie_slot(slots, trie_hash(mask, multiplier, node, chars[j]))
            if j > reach:
                reach = j
            if reach == i + 1:
                decided = reach
        self._at = offsets[decided]
        if decided == 0:
            self.needs_room = True
            return False
        # A word's end overwrites a sum that no one reads any more: words are no more than positions.  An empty element ends no segment.
        self._pending = 0
        j = decided
        while j > 0:
            i = offsets[j]
            best[self._pending] = i
            j -= back[j]
            if offsets[j] < i:
                self._pending += 1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fill(self) -> cython.longlong:
        """Make the next row: how many elements.  `_limit` is its end, or if that is inside a run, where words begin that may cross it."""
        p: cython.pointer[cython.const[cython.uchar]] = cython.address(self._text[0]) if cython.compiled else self._text
        roots: cython.pointer[cython.const[cython.int]] = cython.address(self._roots[0]) if cython.compiled else self._roots
        slots: cython.pointer[cython.const[cython.uint]] = cython.address(self._slots[0]) if cython.compiled else self._slots
        chars: cython.pointer[cython.int] = cython.address(self._chars[0]) if cython.compiled else self._chars
        hashes: cython.pointer[cython.ulonglong] = cython.address(self._hashes[0]) if cython.compiled else self._hashes
        offsets: cython.pointer[cython.longlong] = cython.address(self._offsets[0]) if cython.compiled else self._offsets
        best: cython.pointer[cython.longlong] = cython.address(self._best[0]) if cython.compiled else self._best
        mask: cython.ulonglong = self._mask
        multiplier: cython.ulonglong = self._multiplier
        room: cython.longlong = self._room
        count: cython.longlong = 0
        at: cython.longlong = self._at
        stop: cython.longlong = self._stop
        run: cython.longlong = 0
        fresh: cython.bint = False
        code: cython.uint
        size: cython.uint
        char: cython.int
        end: cython.longlong
        node: cython.longlong = roots[2 * OTHER]
        offsets[0] = at
        best[0] = 0
        while count < room:
            if at == stop:
                if self._next == self._count:
                    break
                stop = self._within(self._segments[self._next], at)
                self._next += 1
                fresh = True
                if at == stop:
                    continue
            char = OTHER
            end = stop
            if p[at] >= HAN_LEAD:
                code = code_at(p, at)
                size = code & 7
                code = code >> 3
                if FIRST <= code < FIRST + SPAN and at + size <= stop and roots[2 * (code - FIRST)] != NOT_HAN:
                    if fresh and count and chars[count - 1] != OTHER:
                        end = at
                    else:
                        char = cython.cast(cython.int, code - FIRST)
                        end = at + size
            if char == OTHER and not fresh:
                # What follows a run in its segment goes with the last character.
                offsets[count] = stop
                at = stop
                continue
            if fresh:
                run = count if end > at else count + 1
                fresh = False
            chars[count] = char
            hashes[count] = trie_hash(mask, multiplier, node, char)
            prefetch_slot(slots, hashes[count])
            node = roots[2 * char]
            count += 1
            offsets[count] = end
            best[count] = UNREACHED
            at = end
        # The last character has no next one; if there was no room for the whole run, a word that begins near its end may go on behind it.
        chars[count] = OTHER
        hashes[count] = trie_hash(mask, multiplier, node, OTHER)
        self._limit = count
        if at < stop:
            self._limit = count - self._longest if count - self._longest > run else run
        self._stop = stop
        return count
