"""Many sequences of ids at once, back to texts: chunks of them, on any number of threads.

In: any iterable of sequences of ids, or a Flat or Padded, as encode_batch makes them.  Out: for each chunk, in order, the texts.

The short sequences of a chunk are printed by one call of the kernel, with LF behind each, then read as UTF-8 and split at LF by one call
each: for a dozen ids the calls are what costs.  Sequences that are long, that print LF themselves or that are wrong go one by one, and an
error says which of them it is in.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import IdError, IdTypeError
from piecetokenizer.threads import checked_threads, in_order
from piecetokenizer.tokenizer.batch import Flat, Padded, in_chunks
from piecetokenizer.tokenizer.block import checked_offsets, rows_of
from piecetokenizer.tokenizer.decode import Decoder
from piecetokenizer.tokenizer.ids import Ids, flat_ids, id_array

__all__ = ["text_batches"]

_CHUNK_IDS = 1 << 16
_CHUNK_ROWS = 1 << 13


def text_batches(decoder: Decoder, batch: Iterable[Ids], threads: int) -> Iterator[list[str]]:
    """The texts of the sequences, chunk by chunk."""

    def run(part: tuple[Sequence[Ids] | Flat, int]) -> list[str]:
        rows, first = part
        flat = _flat(rows, decoder.size)
        texts = None if flat is None else decoder.texts(*flat)
        if texts is not None:
            return texts
        return [_text(decoder, ids, first + place) for place, ids in enumerate(rows_of(*rows) if isinstance(rows, Flat) else rows)]

    chunks = _chunks_of_flat(batch) if isinstance(batch, Flat) else _chunks(_rows(batch))
    return in_order(run, chunks, checked_threads(threads))


def _flat(rows: Sequence[Ids] | Flat, size: int) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
    """The ids of a chunk, all in the vocabulary, and where each sequence begins in them; None if that is not done by one call for all."""
    if not isinstance(rows, Flat):
        return flat_ids(rows, size)
    try:
        return id_array(rows.ids, size), rows.offsets
    except (IdError, IdTypeError):  # the way one by one says where
        return None


def _chunks_of_flat(flat: Flat) -> Iterator[tuple[Flat, int]]:
    """The same from some sequences on to some others, each chunk with the number of its first."""
    ids, offsets = flat.ids, checked_offsets(flat.offsets, len(flat.ids))
    for first in range(0, len(offsets) - 1, _CHUNK_ROWS):
        edges = offsets[first : first + _CHUNK_ROWS + 1]
        yield Flat(ids[edges[0] : edges[-1]], edges - edges[0]), first


def _rows(batch: Iterable[Ids]) -> Iterable[Ids]:
    """The sequences of a batch that is not flat, whatever its form."""
    if isinstance(batch, Padded):
        return (row[real] for row, real in zip(batch.ids, batch.mask, strict=True))
    if not hasattr(batch, "__iter__"):
        raise IdTypeError(f"{type(batch).__name__} is not a batch: give a list of sequences of ids")
    return batch


def _chunks(rows: Iterable[Ids]) -> Iterator[tuple[Sequence[Ids], int]]:
    """The sequences in groups of moderate size, each with the number of its first."""
    for chunk, first in in_chunks(rows, measured=(list, tuple), otherwise=64, size=_CHUNK_IDS, count=_CHUNK_ROWS):
        if not first and (isinstance(chunk[0], int) or getattr(chunk[0], "ndim", None) == 0):
            raise IdTypeError("these are ids, not sequences of ids: give a list of sequences, or use decode, or decode_lines(ids, offsets)")
        yield chunk, first


def _text(decoder: Decoder, ids: Ids, number: int) -> str:
    try:
        return decoder.text(ids)
    except (IdError, IdTypeError) as error:
        raise type(error)(f"sequence {number} of the batch: {error}") from None
