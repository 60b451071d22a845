"""Equal results of trainers, where their rules coincide: words of letters, one a line.

Two trainers may still order pairs of equal counts differently, and then all that follows.  So each list of merges is also replayed by a
plain count of pairs that knows none of the tools, which says whether every merge was of a most frequent pair when it was made.
"""

import heapq
import re
from collections import Counter, defaultdict
from itertools import pairwise

import measure
from setting import JOBS, Setting

LONGEST = 16
"""Letters of a word: the longest piece that SentencePiece makes unless told otherwise."""
VOCAB = 8000


def same_merges(at: Setting) -> str:
    """The merges of three trainers on one text of words, in one sentence each."""
    with at.files["en"].open("rb") as file:
        words = [word for word in re.findall(rb"[a-z]+", file.read(15_000_000).lower()) if len(word) <= LONGEST]
    path = at.scratch / "words.txt"
    path.write_bytes(b"\n".join(words) + b"\n")
    counts = Counter(word.decode() for word in words)
    lists: dict[str, list[str]] = {}
    replayed: dict[tuple[str, ...], int] = {}
    for tool in ("piecetokenizer", "sentencepiece", "gigabpe"):
        command = [at.python(tool), str(JOBS / "merges.py"), tool, str(path), str(VOCAB), str(at.scratch / "words")]
        lists[tool] = measure.run(command).output.split()
    ours = lists["piecetokenizer"]
    lines = [f"Merges on {len(words):,} words of letters, one a line, where the rules of the trainers coincide:\n"]
    for tool, pieces in lists.items():
        made = pieces[: len(ours)]
        right = replayed[tuple(made)] = replayed.get(tuple(made)) or most_frequent(counts, made)
        parts = next((i for i, (a, b) in enumerate(zip(ours, made, strict=False)) if a != b), None)
        shared = f"{len(set(made) & set(ours)):,} of them ours too, in another order"
        same = shared if parts is not None else "the same as ours, in the same order"
        told = f"{len(made):,} merges" + ("" if tool == "piecetokenizer" else f", {same}")
        lines.append(f"- {tool}: {told}; each the most frequent pair at its time: {'yes' if right == len(made) else f'not merge {right}'}")
    return "\n".join(lines) + "\n"


def most_frequent(counts: Counter[str], pieces: list[str]) -> int:
    """How many of the merges, from the first on, were of a pair that no other pair exceeded in count."""
    words = [list(word) for word in counts]
    weights = list(counts.values())
    pairs: Counter[tuple[str, str]] = Counter()
    places: defaultdict[tuple[str, str], set[int]] = defaultdict(set)

    def add(index: int, sign: int) -> None:
        word = words[index]
        for pair in pairwise(word):
            pairs[pair] += sign * weights[index]
            places[pair].add(index)

    for index in range(len(words)):
        add(index, 1)
    heap = [(-count, pair) for pair, count in pairs.items()]
    heapq.heapify(heap)
    for done, piece in enumerate(pieces):
        best: list[tuple[int, tuple[str, str]]] = []
        while heap and (not best or heap[0][0] == best[0][0]):
            entry = heapq.heappop(heap)
            if -entry[0] == pairs[entry[1]] and entry not in best:  # else the count has changed since
                best.append(entry)
        chosen = next((entry for entry in best if "".join(entry[1]) == piece), None)
        if chosen is None:
            return done
        for entry in best:
            if entry != chosen:
                heapq.heappush(heap, entry)
        changed = set()
        for index in places.pop(chosen[1]):
            before = words[index]
            add(index, -1)
            changed |= set(pairwise(before))
            words[index] = merged(before, *chosen[1])
            add(index, 1)
            changed |= set(pairwise(words[index]))
        for pair in changed:
            if pairs[pair]:
                heapq.heappush(heap, (-pairs[pair], pair))
    return len(pieces)


def merged(word: list[str], left: str, right: str) -> list[str]:
    """The word with every occurrence of left and right as one, from the left."""
    result: list[str] = []
    i = 0
    while i < len(word):
        if word[i : i + 2] == [left, right]:
            result.append(left + right)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return result
