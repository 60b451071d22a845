"""Encoding one segment by the definition: replay the merges, looking at everything again after each.

In: a segment with real spaces, the NORMAL pieces as text (real spaces too) with id and score, the ids of the bytes.  Out: ids.
Cubic, and obvious.
"""

from collections.abc import Mapping, Sequence


def encode_segment(segment: str, pieces: Mapping[str, tuple[int, float]], byte_ids: Sequence[int], unk_id: int = 0) -> list[int]:
    """The best score anywhere first, the leftmost of equal ones; what is no piece goes out as bytes."""
    symbols = list(segment)
    while True:
        best: tuple[float, int] | None = None
        for place in range(len(symbols) - 1):
            piece = pieces.get(symbols[place] + symbols[place + 1])
            if piece is not None and (best is None or piece[1] > best[0]):
                best = (piece[1], place)
        if best is None:
            break
        place = best[1]
        symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]
    ids: list[int] = []
    for symbol in symbols:
        if symbol in pieces:
            ids.append(pieces[symbol][0])
        else:
            of_bytes = [byte_ids[byte] for byte in symbol.encode()]
            ids.extend([unk_id] if -1 in of_bytes else of_bytes)
    return ids
