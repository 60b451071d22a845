"""Where in the text each id comes from, in code points.

In: a text.  Out: its ids, and for each a span (start, end) of the original text, end exclusive.  Starts and ends never go backwards.

The ids of a fragment cover its normalized bytes without a gap, so that the size of each id's piece says which bytes are its own; the
normalizer tells where in the original each of these came from.  A span ends where the next normalized byte of another origin begins: so
a space that stands for a run of spaces has the run, what a rule removed belongs to what stands before it, and all that a rule made of
one character has that character.  A byte piece has the whole character that its byte is part of.  BOS and EOS have an empty span at
their end of the text.
"""

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.tokenizer.engine import Engine, Options, Rows, Text

__all__ = ["encode_with_spans"]


def encode_with_spans(engine: Engine, text: Text, options: Options) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The ids of a text, and their spans as a matrix of two columns."""
    data, spans = engine.cut(text, options)
    rows = Rows()
    engine.add_rows(rows, data, spans, options)
    work = engine.checkout()
    row_ends = work.run_rows(*rows.arrays(), offsets=True)
    normal, origins, stops = work.normalized()
    ids = work.result()
    engine.checkin(work)

    begins, ends = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
    specials = [(0, 0), *((start, end) for start, end, _ in spans), (len(data), len(data))]
    first_id = first_byte = 0
    for row, (last_id, last_byte) in enumerate(zip(row_ends.tolist(), stops.tolist(), strict=True)):
        if rows.leads[row] >= 0:
            begins[first_id], ends[first_id] = specials[row]
            first_id += 1
        own = slice(first_id, last_id)
        begins[own], ends[own] = _spans(
            normal[first_byte:last_byte], np.append(origins[first_byte:last_byte], rows.stops[row]), _sizes(engine, ids[own], normal,
            first_byte)
        )
        if row == len(spans):  # the last one with text: what is trimmed at its end belongs to nobody
            ends[own] = np.minimum(ends[own], origins[last_byte])
        first_id, first_byte = last_id, last_byte
    return ids, np.stack([_characters(data, begins), _characters(data, ends)], axis=1)


def _sizes(engine: Engine, ids: NDArray[np.int32], normal: NDArray[np.uint8], start: int) -> NDArray[np.int64]:
    """The normalized bytes that each id covers: its piece's, but an unknown id covers one character."""
    sizes = engine.piece_sizes[ids]
    for place in np.flatnonzero(ids == engine.tables.unk_id).tolist():
        lead = int(normal[start + int(sizes[:place].sum())])
        sizes[place] = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return sizes


def _spans(
    normal: NDArray[np.uint8], origins: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bytes of the original for each id of one fragment; `origins` has one entry more than `normal`, the fragment's end."""
    ends = np.cumsum(sizes)
    begins = ends - sizes
    inside = np.append((normal & 0xC0) == 0x80, False)  # not at the edge of a character
    for _ in range(3):
        begins = begins - inside[begins]
        ends = ends + inside[ends]
    firsts = origins[begins]
    last = origins[ends - 1]
    return firsts, origins[np.minimum(np.searchsorted(origins, last, side="right"), len(normal))]


def _characters(data: bytes, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places in bytes as places in code points."""
    if data.isascii():
        return places
    starts = np.zeros(len(data) + 1, np.int64)
    np.cumsum((np.frombuffer(data, np.uint8) & 0xC0) != 0x80, out=starts[1:])
    # A place within a character, which only a rule about bytes could give, counts as the character's start.
    return starts[places]
