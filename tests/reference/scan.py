"""Segment counts of texts, one text at a time: symbols cut first, then spaces are merged and trimmed, then the text is cut."""

import re
from collections import Counter
from collections.abc import Callable, Sequence


def spans(symbols: Sequence[str], text: bytes) -> list[tuple[int, int, int]]:
    """At each place from the left the longest symbol that begins there, then on behind it: (start, end, index of the symbol)."""
    found, at = [], 0
    while at < len(text):
        fitting = [(len(s.encode()), i) for i, s in enumerate(symbols) if text.startswith(s.encode(), at)]
        if fitting:
            size, index = max(fitting)
            found.append((at, at + size, index))
            at += size
        else:
            at += 1
    return found


def segments(texts: Sequence[bytes], symbols: Sequence[str], reconstruct: bool, pretokenize: Callable[[str], list[str]]) -> Counter[str]:
    """How often each segment occurs, under normalization=none."""
    counts: Counter[str] = Counter()
    for data in texts:
        ends = [0, *(place for start, end, _ in spans(symbols, data) for place in (start, end)), len(data)]
        fragments = [data[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)]
        for number, fragment in enumerate(fragments):
            text = replaced(fragment)
            if not reconstruct:
                text = re.sub(" +", " ", text)
                text = text.removeprefix(" ") if number == 0 else text
                text = text.removesuffix(" ") if number == len(fragments) - 1 else text
            counts.update(pretokenize(text))
    return counts


def replaced(data: bytes) -> str:
    """Decoded, with one U+FFFD for each byte that is not valid UTF-8."""
    return re.sub("[\udc80-\udcff]", "\ufffd", data.decode("utf-8", "surrogateescape"))
