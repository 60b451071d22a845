"""Many texts at once: chunks of them through one workspace each, on any number of threads.

In: an iterable of texts.  Out: for each chunk, in order, lists of ids or one flat array with the end of each text; what a text becomes
does not depend on its chunk or its thread.  Memory is bounded by the chunks under way, not by the iterable.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.threads import checked_threads, in_order
from piecetokenizer.tokenizer.engine import Engine, Options, Text

__all__ = ["Flat", "Padded", "flat_batches", "in_chunks", "list_batches", "padded", "truncated"]

Item = TypeVar("Item")

_CHUNK_CHARACTERS = 1 << 18
_CHUNK_TEXTS = 1 << 13


class Flat(NamedTuple):
    """Ids of many texts in one array; those of text i are ids[offsets[i]:offsets[i + 1]]."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]


class Padded(NamedTuple):
    """Ids of many texts as rows of a matrix; mask is False where there is only padding."""

    ids: NDArray[np.int32]
    mask: NDArray[np.bool_]


def list_batches(engine: Engine, texts: Iterable[Text], options: Options, threads: int) -> Iterator[list[list[int]]]:
    """The ids of each text as a list, chunk by chunk."""
    engine = engine.engine_for(options)

    def run(part: tuple[Sequence[Text], int]) -> list[list[int]]:
        chunk, index = part
        work = engine.checkout()
        if options.drop:
            lists = []
            for place, text in enumerate(chunk):
                encoder = engine.run_with_dropout(work, text, options, index + place)
                lists.append(encoder.take(engine.ints))
        else:
            lists = work.encoder.take_each(engine.ints, engine.run_texts(work, chunk, options, index).data)
        engine.checkin(work)
        return lists

    return in_order(run, _chunks(texts), checked_threads(threads))


def flat_batches(engine: Engine, texts: Iterable[Text], options: Options, threads: int) -> Iterator[Flat]:
    """The ids of each chunk's texts, one behind the other."""
    engine = engine.engine_for(options)

    def run(part: tuple[Sequence[Text], int]) -> Flat:
        chunk, index = part
        work = engine.checkout()
        if options.drop:
            rows = []
            for place, text in enumerate(chunk):
                engine.run_with_dropout(work, text, options, index + place)
                rows.append(work.result())
            ids, ends = np.concatenate(rows), np.cumsum([len(row) for row in rows])
        else:
            ends = engine.run_texts(work, chunk, options, index)
            ids = work.result()
        engine.checkin(work)
        return Flat(ids, np.append(np.zeros(1, np.int64), ends))

    return in_order(run, _chunks(texts), checked_threads(threads))


def _chunks(texts: Iterable[Text]) -> Iterator[tuple[Sequence[Text], int]]:
    """The texts in groups of moderate size, each with the number of its first text."""
    if isinstance(texts, (str, bytes, bytearray)):
        raise InputError(f"texts is of type {type(texts).__name__}: give a list of texts, or use encode for one text")
    yield from in_chunks(texts, measured=(str, bytes), otherwise=1024, size=_CHUNK_CHARACTERS, count=_CHUNK_TEXTS)


def in_chunks(
    items: Iterable[Item], *, measured: tuple[type, ...], otherwise: int, size: int, count: int
) -> Iterator[tuple[list[Item], int]]:
    """The items in groups of about this size in all, and of at most so many, each with the number of its first.

    Those of a type in `measured` are as large as they are long; others count as `otherwise`.
    """
    chunk: list[Item] = []
    sum_ = index = 0
    for item in items:
        chunk.append(item)
        sum_ += len(item) if isinstance(item, measured) else otherwise  # type: ignore[arg-type]
        if sum_ >= size or len(chunk) == count:
            yield chunk, index
            index += len(chunk)
            chunk, sum_ = [], 0
    if chunk:
        yield chunk, index


def joined_flat(batches: Iterable[Flat]) -> Flat:
    """Several as one."""
    parts = list(batches)
    if len(parts) == 1:
        return parts[0]
    sizes = np.cumsum([0, *(len(part.ids) for part in parts)])
    offsets = [np.zeros(1, np.int64), *(part.offsets[1:] + size for part, size in zip(parts, sizes, strict=False))]
    return Flat(np.concatenate([np.empty(0, np.int32), *(part.ids for part in parts)]), np.concatenate(offsets))


def truncated(flat: Flat, first: int, last: int, max_length: int | None, side: str) -> Flat:
    """Cut each text's ids to max_length, then put the ids `first` and `last` around them (-1: none), which count and are never cut."""
    _check_side("truncation_side", side)
    around = (first >= 0) + (last >= 0)
    sizes = np.diff(flat.offsets)
    starts = flat.offsets[:-1]
    if max_length is not None:
        if isinstance(max_length, bool) or not isinstance(max_length, int) or max_length < around:
            raise SpecError(f"max_length={max_length!r} is not allowed: it is a whole number from {around}, for BOS and EOS")
        kept = np.minimum(sizes, min(max_length - around, int(sizes.max(initial=0))))  # as a number that surely fits int64
        if side == "left":
            starts = starts + (sizes - kept)
        sizes = kept
    offsets = np.append(np.zeros(1, np.int64), np.cumsum(sizes + around))
    ids = np.empty(offsets[-1], np.int32)
    inner = np.ones(len(ids), np.bool_)
    if first >= 0:
        ids[offsets[:-1]] = first
        inner[offsets[:-1]] = False
    if last >= 0:
        ids[offsets[1:] - 1] = last
        inner[offsets[1:] - 1] = False
    taken = np.repeat(starts - np.append(np.zeros(1, np.int64), np.cumsum(sizes))[:-1], sizes) + np.arange(int(sizes.sum()))
    ids[inner] = flat.ids[taken]
    return Flat(ids, offsets)


def padded(flat: Flat, pad: int, pad_to: int | None, side: str) -> Padded:
    """Rows of equal width: that of the longest, or pad_to."""
    _check_side("padding_side", side)
    sizes = np.diff(flat.offsets)
    longest = int(sizes.max(initial=0))
    width = longest if pad_to is None else pad_to
    if isinstance(width, bool) or not isinstance(width, int) or width < longest:
        raise SpecError(f"pad_to={pad_to!r} is not allowed: the longest text has {longest} ids; use max_length to cut")
    places = np.arange(width)
    mask = places < sizes[:, None] if side == "right" else places >= width - sizes[:, None]
    ids = np.full(mask.shape, pad, np.int32)
    ids[mask] = flat.ids
    return Padded(ids, mask)


def _check_side(name: str, side: str) -> None:
    if side not in ("left", "right"):
        raise SpecError(f"{name}={side!r} is not allowed: it is left or right")
