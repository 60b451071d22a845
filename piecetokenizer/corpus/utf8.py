"""Which texts of a chunk are not valid UTF-8, and where.

In: a chunk.  Out: for each text the place of its first invalid byte, or that there is none.
The normalizer counts invalid bytes as it goes; only when it met some is this slower look needed, to name them or to leave the
texts out.
"""

from collections.abc import Iterator

from piecetokenizer.corpus.reading import Chunk

__all__ = ["describe_first", "invalid_texts"]


def invalid_texts(chunk: Chunk) -> Iterator[tuple[int, int]]:
    """The texts that are not UTF-8: (number of the text in the chunk, place of its first invalid byte in the chunk's data)."""
    for number, (start, stop) in enumerate(zip(chunk.starts.tolist(), chunk.stops.tolist(), strict=True)):
        try:
            chunk.data[start:stop].decode()
        except UnicodeDecodeError as error:
            yield number, start + error.start


def describe_first(chunk: Chunk) -> str:
    """Where the first invalid byte of a chunk is, for a message; the chunk has one."""
    number, place = next(invalid_texts(chunk))
    return f"{chunk.place(number, place)}: byte 0x{chunk.data[place]:02X} is not valid UTF-8"
