"""The tables of one model for its kernels, as numpy arrays that nothing changes afterwards.

In: the pieces of a model, which of them may be merged, and the space character.  Out: `Tables`.  See tables_cy for what they mean.
About 6 ms for 32,000 pieces.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.tokenizer.kernels import new_merger
from piecetokenizer.tokenizer.pairs import PairTable, build_pair_table, power_of_two
from piecetokenizer.tokenizer.tables_cy import TableBuilder, translate

__all__ = ["Tables", "arena_of", "build_tables"]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What the encoder reads; `size` is that of the vocabulary."""

    size: int
    page_of: NDArray[np.uint16]
    pages: NDArray[np.int32]
    pairs: PairTable
    ascii: NDArray[np.uint8]
    seams: NDArray[np.uint64]
    seam_shift: int
    byte_ids: NDArray[np.int32]
    unk_id: int
    sizes: NDArray[np.int32]
    """Bytes of each piece as it stands in a normalized text."""


def arena_of(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_]]:
    """All texts as UTF-8 in one array, where each ends, and which of them are valid UTF-8 (the others hold surrogate escapes)."""
    joined = "".join(texts)
    try:
        data = np.frombuffer(joined.encode(), np.uint8)
    except UnicodeEncodeError:
        encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
        valid = np.array([not any("\ud800" <= char <= "\udfff" for char in text) for text in texts], np.bool_)
        stops = np.cumsum([len(item) for item in encoded], dtype=np.int64)
        return np.frombuffer(b"".join(encoded), np.uint8), stops, valid
    stops = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    if len(data) != len(joined):
        starts = np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))
        stops = starts[stops]
    return data, stops, np.ones(len(texts), np.bool_)


def build_tables(
    texts: Sequence[str],
    scores: NDArray[np.float64],
    mergeable: NDArray[np.bool_],
    space: str,
    byte_ids: NDArray[np.int32],
    unk_id: int,
    all_splits: bool = False,
) -> Tables:
    """Build the tables; `mergeable` says which pieces a merge may make, `byte_ids` the piece of each byte or -1.

    Only the splits that some replay uses are kept (see Merger.keep_used), unless all are asked for, as dropout needs them.
    """
    size = len(texts)
    data, stops, valid = arena_of(texts)
    merge = np.ascontiguousarray(mergeable & valid).view(np.uint8)
    arena = np.empty(max(len(data), 1), np.uint8)
    offsets = np.empty(size + 1, np.int64)
    translate(data.data, stops.data, merge.data, space.encode(), arena.data, offsets.data)
    sizes = np.diff(offsets).astype(np.int32)

    page_of = np.zeros(0x2000, np.uint16)  # any 21 bits, also those of bytes that are not UTF-8
    pages = np.empty(0x1101 * 256, np.int32)
    builder = TableBuilder(arena, offsets, merge, _ranks(scores, merge), page_of, pages)
    longest = builder.characters()
    slots = power_of_two(2 * size)
    front, back = np.full(slots, -1, np.int32).data, np.full(slots, -1, np.int32).data
    hashes, hashes_back = np.empty(size, np.uint64).data, np.empty(size, np.uint64).data
    builder.index(front, hashes, back, hashes_back)
    ascii = np.zeros(128 * 128, np.uint8)
    # One bit in 200 is set, so that of 200 seams one is not seen; 16 bits a byte would be one in 800, but lie farther from the processor.
    bits = min(max(power_of_two(4 * len(data)), 1 << 14), 1 << 23)
    seams = np.zeros(bits // 64, np.uint64)
    seam_shift = 65 - bits.bit_length()
    splits = np.empty(4 * max(len(data), 1), np.int32)
    lefts = np.empty(max(longest, 1), np.int32)
    count = builder.cut(front, hashes, back, hashes_back, lefts.data, splits.data, ascii.data, seams.data, seam_shift)

    used = pages[: builder.page_count * 256].copy()
    pairs = build_pair_table(splits, count, 1.2 if all_splits else 2)
    tables = Tables(size, page_of, used, pairs, ascii, seams, seam_shift, byte_ids, unk_id, sizes)
    if all_splits:
        return tables
    kept = new_merger(tables).keep_used(arena.data, offsets.data, splits.data, count)
    return dataclasses.replace(tables, pairs=build_pair_table(splits, kept)) if kept < count else tables


def _ranks(scores: NDArray[np.float64], merge: NDArray[np.uint8]) -> NDArray[np.int32]:
    """0 for the best score of the mergeable pieces, one more for each lower score; equal scores share a rank."""
    ranks = np.full(len(scores), -1, np.int32)
    chosen = np.flatnonzero(merge)
    if len(chosen):
        order = chosen[np.argsort(-scores[chosen], kind="stable")]
        ordered = scores[order]
        steps = np.zeros(len(order), np.int32)
        steps[1:] = ordered[1:] != ordered[:-1]
        ranks[order] = np.cumsum(steps)
    return ranks
