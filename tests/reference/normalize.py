"""Stage 1 the slow way: rewrite unit by unit, then look at the spaces.

>>> normalize("ﬁ  x ".encode(), Rules({"ﬁ": "fi"}))
Result(text=b'fi x', offsets=[0, 0, 3, 5, 6], invalid=0, removed=2, changed={64257: 1})
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """A normalized text, where each of its bytes (and its end) comes from, and what was counted."""

    text: bytes
    offsets: list[int]
    invalid: int
    removed: int
    changed: dict[int, int]


class Rules:
    """Rules in UTF-8, and the size of the longest source."""

    def __init__(self, rules: dict[str, str]) -> None:
        self.targets = {source.encode(): target.encode() for source, target in rules.items()}
        self.longest = max(map(len, self.targets), default=0)


def normalize(
    data: bytes, rules: Rules, *, collapse: bool = True, trim_left: bool = True, trim_right: bool = True, prefix: bool = False
) -> Result:
    """One text by these rules."""
    written: list[tuple[int, int]] = []  # byte, offset
    invalid = 0
    changed: dict[int, int] = {}
    i = 0
    while i < len(data):
        for size in range(min(rules.longest, len(data) - i), 0, -1):
            source = data[i : i + size]
            if source in rules.targets:
                target = rules.targets[source]
                if target != source:
                    first = ord(source.decode()[0])
                    changed[first] = changed.get(first, 0) + 1
                break
        else:
            size = character_size(data[i : i + 4])
            target = data[i : i + size]
            if size == 0:
                invalid += 1
                size = 1
                target = "\ufffd".encode()
        written += [(byte, i) for byte in target]
        i += size

    end = len(data)
    kept = written
    if collapse:
        kept = []
        for byte, offset in written:
            after_space = kept[-1][0] == 0x20 if kept else trim_left
            if byte != 0x20 or not after_space:
                kept.append((byte, offset))
        if trim_right and kept and kept[-1][0] == 0x20:
            end = kept.pop()[1]
    removed = len(written) - len(kept)
    if prefix and (kept if collapse else data):
        kept = [(0x20, kept[0][1] if kept else end), *kept]
    return Result(bytes(byte for byte, _ in kept), [offset for _, offset in kept] + [end], invalid, removed, changed)


def character_size(data: bytes) -> int:
    """The size of the UTF-8 character at the start of these bytes; 0 if there is none."""
    for size in range(1, 5):
        try:
            if len(data[:size].decode()) == 1:
                return size
        except UnicodeDecodeError:
            continue
    return 0
