"""Many sequences of ids at once, back to texts: chunks of them, on any number of threads.

In: any iterable of sequences of ids, or a Flat or Padded, as encode_batch makes them.  Out: for each chunk, in order, the texts.

The short sequences of a chunk are printed by one call of the kernel, with LF behind each, then read as UTF-8 and split at LF by one call
each: for a dozen ids the calls are what costs.  Sequences that are long, that print LF themselves or that are wrong go one by one, and an
error says which of them it is in.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from piecetokenizer.errors import IdError, IdTypeError
from piecetokenizer.threads import checked_threads, in_order
from piecetokenizer.tokenizer.batch import Flat, Padded
from piecetokenizer.tokenizer.block import checked_offsets, rows_of
from piecetokenizer.tokenizer.decode import Decoder
from piecetokenizer.tokenizer.ids import Ids

__all__ = ["text_batches"]

_CHUNK_IDS = 1 << 16
_CHUNK_ROWS = 1 << 13


def text_batches(decoder: Decoder, batch: Iterable[Ids], threads: int) -> Iterator[list[str]]:
    """The texts of the sequences, chunk by chunk."""

    def run(part: tuple[Sequence[Ids], int]) -> list[str]:
        rows, first = part
        texts = decoder.texts(rows)
        return [_text(decoder, ids, first + place) for place, ids in enumerate(rows)] if texts is None else texts

    return in_order(run, _chunks(_rows(batch)), checked_threads(threads))


def _rows(batch: Iterable[Ids]) -> Iterable[Ids]:
    """The sequences of a batch, whatever its form."""
    if isinstance(batch, Flat):
        return rows_of(batch.ids, checked_offsets(batch.offsets, len(batch.ids)))
    if isinstance(batch, Padded):
        return (row[real] for row, real in zip(batch.ids, batch.mask, strict=True))
    if not hasattr(batch, "__iter__"):
        raise IdTypeError(f"{type(batch).__name__} is not a batch: give a list of sequences of ids")
    return batch


def _chunks(rows: Iterable[Ids]) -> Iterator[tuple[Sequence[Ids], int]]:
    """The sequences in groups of moderate size, each with the number of its first."""
    chunk: list[Any] = []
    size = index = 0
    for ids in rows:
        if not chunk and not index and (isinstance(ids, int) or getattr(ids, "ndim", None) == 0):
            raise IdTypeError("these are ids, not sequences of ids: give a list of sequences, or use decode, or decode_lines(ids, offsets)")
        chunk.append(ids)
        size += len(ids) if isinstance(ids, (list, tuple)) else 64
        if size >= _CHUNK_IDS or len(chunk) == _CHUNK_ROWS:
            yield chunk, index
            index += len(chunk)
            chunk, size = [], 0
    if chunk:
        yield chunk, index


def _text(decoder: Decoder, ids: Ids, number: int) -> str:
    try:
        return decoder.text(ids)
    except (IdError, IdTypeError) as error:
        raise type(error)(f"sequence {number} of the batch: {error}") from None
