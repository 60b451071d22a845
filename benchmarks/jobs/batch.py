"""Encode all lines of a text in one call, in a process of its own:   batch.py MODEL TEXT OUT THREADS

OUT is numpy (one flat array) or list.  Prints the wall seconds of the best of three calls.
"""

import sys
import time

from piecetokenizer import Tokenizer


def main(model: str, path: str, out: str, threads: str) -> None:
    tokenizer = Tokenizer.load(model)
    with open(path, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        kept = tokenizer.encode_batch(lines, out="flat" if out == "numpy" else "list", threads=int(threads))
        best = min(best, time.perf_counter() - began)
        del kept
    print(best)


if __name__ == "__main__":
    main(*sys.argv[1:])
