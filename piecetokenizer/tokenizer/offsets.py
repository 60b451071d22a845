"""Where in the text each id comes from, in code points.

In: a text.  Out: its ids, and for each a span (start, end) of the original text, end exclusive.  Starts and ends never go backwards.

The ids of a fragment cover its normalized bytes without a gap, so that the size of each id's piece says which bytes are its own; the
normalizer tells where in the original each of these came from.  A span ends where the next normalized byte of another origin begins: so
a space that stands for a run of spaces has the run, what a rule removed belongs to what stands before it, and all that a rule made of
one character has that character.  A byte piece has the whole character that its byte is part of.  BOS and EOS have an empty span at
their end of the text.
"""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.normalize import PREFIX
from piecetokenizer.tokenizer.engine import Engine, Options, Text
from piecetokenizer.tokenizer.rows import Rows

__all__ = ["encode_with_spans"]


def encode_with_spans(engine: Engine, text: Text, options: Options) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The ids of a text, and their spans as a matrix of two columns."""
    data, specials = engine.cut(text, options)
    rows = Rows()
    engine.add_rows(rows, data, specials, dataclasses.replace(options, first=-1, last=-1))
    work = engine.checkout()
    normal = engine.normalized(work, rows.arrays(), [(0, 0), *((start, end) for start, end, _ in specials.tolist())])[0]
    row_ends = work.run_normalized(normal)
    ids = work.result()
    engine.checkin(work)

    spans = np.empty((len(ids), 2), np.int64)
    first_id = first_byte = 0
    for row, (last_id, last_byte) in enumerate(zip(row_ends.tolist(), normal.stops.tolist(), strict=True)):
        if normal.leads[row] >= 0:
            spans[first_id] = normal.lead_spans[row]
            first_id += 1
        if first_id < last_id:
            own = normal.text[first_byte:last_byte]
            origins = np.append(normal.origins[first_byte:last_byte], normal.ends[row])
            sizes = _sizes(engine, ids[first_id:last_id], own)
            spans[first_id:last_id] = _spans(own, origins, sizes)
            if normal.flags[row] & PREFIX and sizes[0] == 1:  # the space that was put there stands for nothing
                spans[first_id, 1] = spans[first_id, 0]
        first_id, first_byte = last_id, last_byte
    before, behind = ([id] if id >= 0 else [] for id in (options.first, options.last))
    around = [np.zeros((len(before), 2), np.int64), spans, np.full((len(behind), 2), len(data))]
    return np.array([*before, *ids.tolist(), *behind], np.int32), _characters(data, np.concatenate(around))


def _sizes(engine: Engine, ids: NDArray[np.int32], normal: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The normalized bytes that each id covers: its piece's, but an unknown id covers one character."""
    sizes = engine.piece_sizes[ids]
    if int(sizes.sum()) == len(normal):
        return sizes
    # An unknown id, or one that llama.cpp takes for a text that spells a byte piece: `<0x41>`.
    at = 0
    data = normal.tobytes()
    for place, id in enumerate(ids.tolist()):
        spelt = engine.model.texts[id].encode("utf-8", "surrogateescape")
        if id == engine.tables.unk_id:
            sizes[place] = 1 if data[at] < 0x80 else 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
        elif engine.is_byte[id] and len(spelt) > 1 and data.startswith(spelt, at):
            sizes[place] = len(spelt)
        at += int(sizes[place])
    return sizes


def _spans(normal: NDArray[np.uint8], origins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Bytes of the original for each id of one row; `origins` has one entry more than `normal`, the end of the row's original."""
    ends = np.cumsum(sizes)
    begins = ends - sizes
    inside = np.append((normal & 0xC0) == 0x80, False)  # not at the edge of a character
    for _ in range(3):
        begins = begins - inside[begins]
        ends = ends + inside[ends]
    firsts = origins[begins]
    last = origins[ends - 1]
    return np.stack([firsts, origins[np.minimum(np.searchsorted(origins, last, side="right"), len(normal))]], axis=1)


def _characters(data: bytes, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places in bytes as places in code points."""
    if data.isascii():
        return places
    starts = np.zeros(len(data) + 1, np.int64)
    np.cumsum((np.frombuffer(data, np.uint8) & 0xC0) != 0x80, out=starts[1:])
    # A place within a character, which only a rule about bytes could give, counts as the character's start.
    return starts[places]
