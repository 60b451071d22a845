"""Words of a run of Han, by trying all ways to cut it; and a slow Viterbi with exact numbers for runs too long for that.

`read` reads the lines of a dictionary in the plainest way, without any checks; weights come from 60 decimal digits.
"""

from decimal import Decimal, localcontext

from reference import pretokenize as characters


def read(lines: str) -> tuple[dict[str, int], int]:
    """The weight of each word, and of a character that is none."""
    frequencies: dict[str, int] = {}
    for line in lines.splitlines():
        word, frequency = line.replace("\t", " ").split(" ")[:2]
        if all(characters.class_of(c) == "H" for c in word):
            frequencies.setdefault(word, int(frequency))
    total = sum(frequencies.values())
    return {word: weight(frequency, total) for word, frequency in frequencies.items()}, weight(1, total)


def weight(frequency: int, total: int) -> int:
    with localcontext() as context:
        context.prec = 60
        return round((Decimal(frequency).ln() - Decimal(total).ln()) * 2**24)


def score(words: list[str], weights: dict[str, int], fallback: int) -> int:
    """The sum of the weights of a way to cut a run."""
    return sum(weights.get(word, fallback) for word in words)


def every_way(run: str, weights: dict[str, int]) -> list[list[str]]:
    """All ways to cut a run into words and single characters."""
    if not run:
        return [[]]
    ways = []
    for at in range(len(run)):
        if run[at:] in weights or at == len(run) - 1:
            ways += [[*before, run[at:]] for before in every_way(run[:at], weights)]
    return ways


def cut_by_trying(run: str, weights: dict[str, int], fallback: int) -> list[str]:
    """The definition itself: the highest sum; of equal ones the longest last word, then so on leftwards."""
    return max(every_way(run, weights), key=lambda words: (score(words, weights, fallback), [len(word) for word in reversed(words)]))


def cut(run: str, weights: dict[str, int], fallback: int) -> list[str]:
    """The same by Viterbi: the best way to each position, of the best ways to those before it."""
    longest = max(map(len, weights))
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, len(run) + 1):
        edges = []
        for begin in range(max(0, end - longest), end):
            word = run[begin:end]
            if word in weights or end - begin == 1:
                edges.append((best[begin][0] + weights.get(word, fallback), end - begin))
        best.append(max(edges))
    words = []
    while run:
        length = best[len(run)][1]
        words.append(run[-length:])
        run = run[:-length]
    return words[::-1]


def pretokenize(spec, weights: dict[str, int], fallback: int, text: str) -> list[str]:
    """The segments under cn=dict: runs of Han cut into words, what follows a run in its segment with the last word."""
    result: list[str] = []
    for segment in characters.pretokenize(spec, text):
        size = 0
        while size < len(segment) and characters.class_of(segment[size]) == "H":
            size += 1
        if size:
            words = cut(segment[:size], weights, fallback)
            words[-1] += segment[size:]
            result += words
        else:
            result.append(segment)
    return result
