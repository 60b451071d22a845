"""Encode and decode with one tool and one vocabulary, in a process of its own:   encode.py TOOL MODEL TEXT OUT_IDS

The text is cut at line ends into documents.  The first warms the tool up and goes to OUT_IDS, so that the caller can compare ids
before it believes any time.  After that every measurement takes documents that the tool has not seen, since a corpus is not read
twice: caches of words earn what they earn on new text.  Prints one JSON object, CPU MB/s of UTF-8 text unless said otherwise:

    document   a whole document in one call
    again      a document that was just encoded once more: what a cache of everything would make of it
    loop       a call for each line, results kept          stream   the same, results let go
    batch      all lines of a document in one call         decode   ids of a document
    short_us   microseconds for a text of 100 characters   load     seconds to load the vocabulary
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np

RUNS = 3
DOCUMENTS = 20  # one to begin with, three for each of six measurements, one for short texts
SLOW = {"sentencepiece", "kitoken"}
"""Measured on one new document each: minutes a table otherwise."""


def piecetokenizer_arrays(model: str) -> tuple[Any, ...]:
    from piecetokenizer import Tokenizer

    tokenizer = Tokenizer.load(model)
    return (
        lambda text: tokenizer.encode(text, out="numpy"),
        lambda lines: tokenizer.encode_batch(lines, out="flat", threads=1),
        tokenizer.decode,
        lambda ids: np.asarray(ids, dtype=np.int32),
    )


def piecetokenizer_lists(model: str) -> tuple[Any, ...]:
    from piecetokenizer import Tokenizer

    tokenizer = Tokenizer.load(model)
    return tokenizer.encode, lambda lines: tokenizer.encode_batch(lines, threads=1), tokenizer.decode, list


def sentencepiece(model: str) -> tuple[Any, ...]:
    import sentencepiece as spm

    peer = spm.SentencePieceProcessor(model_file=model)
    return peer.encode, lambda lines: peer.encode(lines, num_threads=1), peer.decode, list


def gigatoken(model: str) -> tuple[Any, ...]:
    import gigatoken as peer_module

    peer = peer_module.Tokenizer.from_sentencepiece(model)
    return peer.encode, lambda lines: peer.encode_batch(lines, parallel=False), peer.decode, list


def kitoken(model: str) -> tuple[Any, ...]:
    import kitoken as peer_module

    with open(model, "rb") as file:
        peer = peer_module.Kitoken.from_sentencepiece(without_unk_surface(file.read()))
    return peer.encode, peer.encode_all, peer.decode, list


def without_unk_surface(data: bytes) -> bytes:
    """A .model without its empty unk_surface, which kitoken 0.11 would find between any two characters of a text.

    The trainer_spec (field 2 of the file) is short, so its size is one byte.
    """
    empty = b"\xe2\x02\x00"  # field 44, a string of no bytes
    place = data.rindex(empty)
    start = data.rindex(b"\x12", 0, place - 1)
    while start + 2 + data[start + 1] < place:
        start = data.rindex(b"\x12", 0, start)
    return data[: start + 1] + bytes([data[start + 1] - len(empty)]) + data[start + 2 : place] + data[place + len(empty) :]


TOOLS = {job.__name__: job for job in (piecetokenizer_arrays, piecetokenizer_lists, sentencepiece, gigatoken, kitoken)}


def documents(text: str) -> Iterator[str]:
    """The text in pieces of whole lines, without newlines and spaces at their ends, which some tools drop and others keep."""
    step = len(text) // DOCUMENTS
    cuts = [0, *(text.index("\n", i * step) for i in range(1, DOCUMENTS)), len(text)]
    return (text[begin:end].strip() for begin, end in pairwise(cuts))


def lines_of(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main(tool: str, model: str, path: str, out: str) -> None:
    with open(path, "rb") as file:
        texts = documents(file.read().decode("utf-8"))
    began = time.process_time()
    encode, batch, decode, as_ids = TOOLS[tool](model)
    loaded = time.process_time() - began
    np.save(out, np.asarray(encode(next(texts)), dtype=np.int32))
    runs = 1 if tool in SLOW else RUNS

    def speed(prepare: Callable[[str], Any], work: Callable[[Any], object]) -> float:
        """The median over a few new documents; what `prepare` makes of one is not timed."""
        found = []
        for text in islice(texts, runs):
            given = prepare(text)
            found.append(len(text.encode()) / 1e6 / seconds(lambda given=given: work(given)))
        return statistics.median(found)

    def stream(lines: list[str]) -> None:
        for line in lines:
            encode(line)

    def encoded(text: str) -> str:
        encode(text)
        return text

    figures = {
        "document": speed(str, encode),
        "again": speed(encoded, encode),
        "loop": speed(lines_of, lambda lines: [encode(line) for line in lines]),
        "stream": speed(lines_of, stream),
        "batch": speed(lines_of, batch),
        "decode": speed(lambda text: as_ids([int(i) for i in encode(text)]), decode),
    }
    text = next(texts)
    snippets = [text[i : i + 100] for i in range(0, min(len(text), 300_000) - 100, 100)]
    figures["short_us"] = seconds(lambda: stream(snippets)) / len(snippets) * 1e6
    figures["load"] = loaded
    print(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
