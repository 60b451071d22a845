"""Cut Chinese text by dictionary with one tool, in a process of its own:   cut.py TOOL TEXT

Prints one JSON object: CPU MB/s over the lines of the text, the number of words, and the seconds to load the dictionary.
The hidden Markov model of jieba is off: ours has none, and unknown words would not be comparable.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecetokenizer import PreTokenizer


def pretokenizer() -> "PreTokenizer":
    from piecetokenizer import PreTokenizer, PreTokenizerSpec
    from piecetokenizer.pretokenize import Dictionary

    dictionary = Dictionary.load("zh")
    return PreTokenizer(PreTokenizerSpec(cn="dict", cn_dict=dictionary.identity), dictionary=dictionary)


def piecetokenizer() -> Callable[[list[str]], int]:
    """As training and encoding use it: many lines in one buffer to the ends of their segments."""
    import numpy as np

    from piecetokenizer.lowlevel import PADDING

    cutter = pretokenizer().cutter()

    def cut(lines: list[str]) -> int:
        data = [line.encode() for line in lines]
        stops = np.cumsum([len(line) for line in data])
        cutter.start(np.frombuffer(b"".join(data) + bytes(PADDING), np.uint8), stops, len(stops))
        words = 0
        while found := cutter.cut():
            words += found
        return words

    return cut


def piecetokenizer_strings() -> Callable[[list[str]], int]:
    """As people look at it: each line to a list of str."""
    cutter = pretokenizer()
    return lambda lines: sum(len(cutter.pretokenize(line)) for line in lines)


def rjieba() -> Callable[[list[str]], int]:
    import rjieba as peer

    return lambda lines: sum(len(peer.cut(line, False)) for line in lines)


def jieba() -> Callable[[list[str]], int]:
    import jieba as peer

    peer.initialize()
    return lambda lines: sum(len(list(peer.cut(line, HMM=False))) for line in lines)


TOOLS = {job.__name__: job for job in (piecetokenizer, piecetokenizer_strings, rjieba, jieba)}

if __name__ == "__main__":
    tool, path = sys.argv[1:]
    with open(path, "rb") as file:
        data = file.read()
    lines = data.decode("utf-8").split("\n")
    began = time.process_time()
    cut = TOOLS[tool]()
    cut(["你好世界"])
    loaded = time.process_time() - began
    times = []
    for _ in range(3):
        began = time.process_time()
        words = cut(lines)
        times.append(time.process_time() - began)
    print(json.dumps({"speed": len(data) / 1e6 / sorted(times)[1], "words": words, "load": loaded}))
