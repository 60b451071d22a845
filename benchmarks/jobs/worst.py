"""Encode inputs without a place to cut, a tenth and the whole of each, and check that they decode to themselves:   worst.py MODEL"""

import json
import random
import sys
import time

from piecetokenizer import Tokenizer

SEED = 7


def inputs() -> dict[str, str]:
    """The worst cases: one segment each, or nearly."""
    chance = random.Random(SEED)
    letters = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=10_000_000))
    han = "".join(chr(0x4E00 + int(chance.random() ** 3 * 6000)) for _ in range(3_400_000))
    return {
        "10 MB line of random letters, no space": letters,
        "a million equal characters (a)": "a" * 1_000_000,
        "a million equal characters (^)": "^" * 1_000_000,
        "10 MB of Han in one run": han,
        "10 MB of JSON without spaces": '{"id":12345,"tags":["alpha","beta"],"ok":true},' * 212_000,
    }


def seconds(tokenizer: Tokenizer, text: str) -> tuple[float, int]:
    """CPU seconds and tokens; the median of three."""
    times = []
    for _ in range(3):
        began = time.process_time()
        ids = tokenizer.encode(text, out="numpy")
        times.append(time.process_time() - began)
    if tokenizer.decode(ids) != text:
        sys.exit("does not decode to its input")
    return sorted(times)[1], len(ids)


tokenizer = Tokenizer.load(sys.argv[1])
rows = []
for name, text in inputs().items():
    small, _ = seconds(tokenizer, text[: len(text) // 10])
    large, tokens = seconds(tokenizer, text)
    rows.append({"name": name, "small": small, "large": large, "tokens": tokens})
print(json.dumps(rows))
