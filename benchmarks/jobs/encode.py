"""Encode and decode with one tool and one vocabulary, in a process of its own:   encode.py TOOL MODEL TEXT OUT_IDS

Prints one JSON object: CPU MB/s of UTF-8 text for one document, a loop over lines, a batch of lines and decoding, the microseconds
for a text of 100 characters, and seconds to load.  The ids of the document go to OUT_IDS, so that the caller can compare them
before it believes any time.  Runs are warm: the same document is encoded several times and the median counts; `cold` is the first.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

RUNS = 5


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

    peer = peer_module.Kitoken.from_sentencepiece_file(model)
    return peer.encode, peer.encode_all, peer.decode, list


TOOLS = {job.__name__: job for job in (piecetokenizer_arrays, piecetokenizer_lists, sentencepiece, gigatoken, kitoken)}


def median_seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """The median CPU seconds of several runs."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return sorted(times)[len(times) // 2]


def main(tool: str, model: str, path: str, out: str) -> None:
    with open(path, "rb") as file:
        data = file.read()
    text = data.decode("utf-8")
    lines = [line for line in text.split("\n") if line]
    megabytes = len(data) / 1e6
    began = time.process_time()
    encode, batch, decode, as_ids = TOOLS[tool](model)
    loaded = time.process_time() - began
    began = time.process_time()
    ids = encode(text)
    cold = time.process_time() - began
    np.save(out, np.asarray(ids, dtype=np.int32))
    slow = tool == "sentencepiece"
    ids = as_ids([int(i) for i in ids])
    short = text[1000:1100]
    print(
        json.dumps(
            {
                "document": megabytes / median_seconds(lambda: encode(text), 1 if slow else RUNS),
                "cold": megabytes / cold,
                "loop": megabytes / median_seconds(lambda: [encode(line) for line in lines]),
                "batch": megabytes / median_seconds(lambda: batch(lines)),
                "decode": megabytes / median_seconds(lambda: decode(ids)),
                "short_us": median_seconds(lambda: [encode(short) for _ in range(5000)]) / 5000 * 1e6,
                "load": loaded,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
