"""Rules compiled into a double-array trie, in the unit format of Darts-clone, with equal subtrees stored once.

In: sources (bytes without NUL) with a number each.  Out: an array of 32-bit units.  A node has a base; its child by byte b is the unit at
base ^ b, whose label is b, and the unit at base itself is its leaf, if it ends a source.  A unit holds its label, a bit that says whether
the node has a leaf, and the offset from its own place to the base of the node.  Two nodes never share a base, so a label proves the
parent.

Equal subtrees get one base that several units lead to: most rules are spellings of Hangul syllables and of letters with marks, whose ends
are alike, so that 225,000 rules need 45,000 units.  They are found from the leaves up: a node is the number of its leaf and the
identities of its children, so two nodes are equal if and only if these are.

Bases are found by first fit over the blocks of 256 units that still have room; the result depends on the rules alone, not on their order.
"""

from collections.abc import Iterable

import numpy as np

from piecetokenizer.errors import ModelError

__all__ = ["MAX_UNITS", "UNUSED", "build_units"]

BLOCK = 256
MAX_FAILURES = 8
"""A block that this many nodes of one size did not fit into is left to smaller ones."""
MAX_UNITS = 1 << 21
"""Up to here an offset fits into its 21 bits; beyond, Darts-clone needs offsets that are multiples of 256."""
UNUSED = 0x80000000
"""A unit that no walk can take: its label is no byte."""

Node = tuple[int, tuple[tuple[int, int], ...]]
"""The number at a source's end or -1, and (byte, identity of the child) in the order of bytes."""


def build_units(rules: Iterable[tuple[bytes, int]]) -> np.ndarray:
    """The trie of these (source, number) pairs.

    >>> len(build_units([(b"a", 0), (b"ab", 5)]))
    256
    """
    nodes, root = _minimal(sorted(rules))
    return _place(nodes, root)


def _minimal(rules: list[tuple[bytes, int]]) -> tuple[list[Node], int]:
    """The distinct nodes, children before parents, and the identity of the root; rules are in the order of their sources.

    The path to the last source is kept open; what the next source leaves behind is complete, so its nodes are looked up, deepest first.
    """
    nodes: list[Node] = []
    known: dict[Node, int] = {}
    values = [-1]
    children: list[list[tuple[int, int]]] = [[]]
    last = b""

    def close(depth: int) -> None:
        while len(values) - 1 > depth:
            node = (values.pop(), tuple(children.pop()))
            identity = known.setdefault(node, len(nodes))
            if identity == len(nodes):
                nodes.append(node)
            children[-1].append((last[len(values) - 1], identity))

    for source, value in rules:
        shared = 0
        limit = min(len(last), len(source))
        while shared < limit and last[shared] == source[shared]:
            shared += 1
        close(shared)
        for _ in range(len(source) - shared):
            values.append(-1)
            children.append([])
        values[-1] = value
        last = source
    close(0)
    nodes.append((values[0], tuple(children[0])))
    return nodes, len(nodes) - 1


def _place(nodes: list[Node], root: int) -> np.ndarray:
    """Give each node a base, the root first, then big nodes before small ones, and write the units.

    The free places of a block are the bits of a number, so that all bases of a block are tried at once: place p is free for label b exactly
    at the bases whose bit, xored by b, is free.
    """
    labels = [([0] if value >= 0 else []) + [byte for byte, _ in children] for value, children in nodes]
    free: list[int] = []
    untaken: list[int] = []
    bases = [0] * len(nodes)
    size = -1
    candidates: list[int] = []
    failures: list[int] = []
    for identity in sorted(range(len(nodes)), key=lambda i: (i != root, -len(labels[i]), i)):
        if len(labels[identity]) != size:  # smaller nodes fit where bigger ones did not
            size = len(labels[identity])
            candidates = [block for block in range(len(free)) if free[block]]
            failures = [0] * len(free)
        for block in candidates:
            place = _fit(free[block], untaken[block], labels[identity])
            if place >= 0:
                break
            failures[block] += 1 if free[block] else MAX_FAILURES
        else:
            block = len(free)
            if (block + 1) * BLOCK > MAX_UNITS:
                raise ModelError(f"the rules need more than {MAX_UNITS:,} units of the trie: use fewer or shorter ones")
            # Unit 0 leads to the root, and a base of 0 would make it that node's child by NUL.
            free.append(_ALL - 1 if block == 0 else _ALL)
            untaken.append(free[-1])
            candidates.append(block)
            failures.append(0)
            place = _fit(free[block], untaken[block], labels[identity])
        if failures[candidates[0]] >= MAX_FAILURES:
            candidates = [block for block in candidates if failures[block] < MAX_FAILURES]
        bases[identity] = block * BLOCK + place
        untaken[block] &= ~(1 << place)
        for label in labels[identity]:
            free[block] &= ~(1 << (place ^ label))
    units = np.full(len(free) * BLOCK, UNUSED, np.uint32)
    units[0] = bases[root] << 10
    for (value, children), base in zip(nodes, bases, strict=True):
        if value >= 0:
            units[base] = UNUSED | value
        for byte, child in children:
            has_leaf = 0x100 if nodes[child][0] >= 0 else 0
            units[base ^ byte] = (base ^ byte ^ bases[child]) << 10 | has_leaf | byte
    return units


_ALL = (1 << BLOCK) - 1
_LOWER = [sum(1 << place for place in range(BLOCK) if not place >> bit & 1) for bit in range(8)]
"""For each bit of a place, the places that do not have it."""


def _fit(free: int, untaken: int, labels: list[int]) -> int:
    """The first base in a block, of those not taken, at which all of these labels find their places free; -1 if there is none."""
    for label in labels:
        untaken &= _xor_places(free, label)
        if not untaken:
            return -1
    return (untaken & -untaken).bit_length() - 1


def _xor_places(places: int, label: int) -> int:
    """The set of places, each xored by the label."""
    for bit in range(8):
        if label >> bit & 1:
            places = (places >> (1 << bit)) & _LOWER[bit] | (places & _LOWER[bit]) << (1 << bit)
    return places
