"""The private state of one call: an Encoder with its cache, its Merger and the arrays they work in.

The kernels own nothing and never allocate; this file does it for them.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import InputError
from piecetokenizer.memory import table
from piecetokenizer.tokenizer.encoder_cy import Encoder
from piecetokenizer.tokenizer.merge_cy import Merger
from piecetokenizer.tokenizer.seams_cy import Seams

if TYPE_CHECKING:
    from piecetokenizer.tokenizer.tables import Tables

__all__ = ["CACHE_BITS", "RECORD_BITS", "new_encoder", "new_merger", "widen"]

CACHE_BITS = 17
"""2^17 pairs of entries of 32 bytes: 8 MB for each thread that encodes at the same time."""
RECORD_BITS = 14
"""2^14 records of 128 bytes: 2 MB for each thread."""
_BATCH = 256
_ROOM = 1 << 10
_MOST = (1 << 31) - 2

_MASKS = np.array([(1 << 8 * n) - 1 for size in range(16) for n in (min(size, 8), max(size - 8, 0))], np.uint64)


def new_merger(tables: "Tables", linear: int = 160) -> Any:
    """A Merger with scratch for segments of ordinary length."""
    pairs = tables.pairs
    merger = Merger(
        tables.page_of, tables.pages, pairs.slots, pairs.factors, pairs.factor_shift, pairs.mix, pairs.known,
        tables.byte_ids, tables.unk_id, tables.size, linear,
    )  # fmt: skip
    widen(merger, _ROOM)
    return merger


def widen(merger: Any, room: int) -> None:
    """Give a Merger scratch for a segment of `room` bytes."""
    if room > _MOST:
        raise InputError(f"a segment of {room} bytes is too long: at most {_MOST} bytes can be merged as one; cut the text")
    merger.grow(*(np.empty(room + 2, np.int32) for _ in range(6)), np.empty(3 * room + 6, np.uint64))


def new_encoder(tables: "Tables", merger: Any, cache_bits: int = CACHE_BITS, record_bits: int = RECORD_BITS) -> Any:
    """An Encoder with an empty cache."""
    cache, records = table(8 << cache_bits, np.uint64), table(128 << record_bits, np.uint8)
    cuts: NDArray[np.int64] = np.empty(_BATCH, np.int64)
    keys: NDArray[np.uint64] = np.zeros(3 * _BATCH, np.uint64)
    seams = Seams(tables.ascii, tables.seams, tables.seam_shift)
    return Encoder(merger, seams, cache, 64 - cache_bits, records, 64 - record_bits, cuts, keys, _MASKS)

