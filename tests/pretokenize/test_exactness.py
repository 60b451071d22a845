"""What exports rely on: a vocabulary learned inside segments encodes a text the same whether or not anybody looks for boundaries.

With a BPE of ten lines each for learning and encoding: the highest score first, leftmost of equals, as long as anything merges.
"""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from pretokenize.strategies import ALL_SPECS

from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.spec import PreTokenizerSpec

characters = st.sampled_from("aab\u0301  '12你好!.\u200d\n\t")
texts = st.text(characters, max_size=60)
pair_rules = st.sampled_from([spec for spec in ALL_SPECS if spec.split != "isolate"])
isolate = st.sampled_from([spec for spec in ALL_SPECS if spec.split == "isolate"])


def replace(symbols: list[str], left: str, right: str) -> list[str]:
    """All occurrences of a pair joined, left to right."""
    result: list[str] = []
    for symbol in symbols:
        if result and result[-1] == left and symbol == right:
            # What was joined just now takes no part again: `aaa` has one pair to replace.
            result[-1] = left + right
            continue
        result.append(symbol)
    return result


def learn(segments: list[str], size: int) -> dict[str, int]:
    """The pieces of `size` merges of the most frequent pair, with their rank."""
    ranks: dict[str, int] = {}
    words = [list(segment) for segment in segments]
    for rank in range(size):
        pairs = Counter(pair for word in words for pair in pairwise(word) if "".join(pair) not in ranks)
        if not pairs:
            break
        left, right = max(pairs, key=lambda pair: (pairs[pair], pair))
        ranks[left + right] = rank
        words = [replace(word, left, right) for word in words]
    return ranks


def encode(text: str, ranks: dict[str, int]) -> list[str]:
    symbols = list(text)
    while True:
        found = [(ranks[a + b], at) for at, (a, b) in enumerate(pairwise(symbols)) if a + b in ranks]
        if not found:
            return symbols
        at = min(found)[1]
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]


@given(pair_rules, texts, texts, st.integers(0, 30))
def test_boundaries_make_no_difference_where_pairs_decide(spec, corpus, text, size):
    pretokenizer = PreTokenizer(spec)
    ranks = learn(pretokenizer.pretokenize(corpus), size)
    assert all(not pretokenizer.may_be_boundary(a, b) for piece in ranks for a, b in pairwise(piece))
    for sample in (text, corpus, corpus + text):
        inside = [symbol for segment in pretokenizer.pretokenize(sample) for symbol in encode(segment, ranks)]
        assert encode(sample, ranks) == inside


@given(isolate, texts, texts, st.integers(0, 30))
def test_nor_with_isolate_if_no_piece_has_a_pair_that_may_be_a_boundary(spec, corpus, text, size):
    pretokenizer = PreTokenizer(spec)
    ranks = learn(pretokenizer.pretokenize(corpus), size)
    ranks = {piece: rank for piece, rank in ranks.items() if not any(pretokenizer.may_be_boundary(a, b) for a, b in pairwise(piece))}
    inside = [symbol for segment in pretokenizer.pretokenize(text) for symbol in encode(segment, ranks)]
    assert encode(text, ranks) == inside


def test_with_isolate_an_apostrophe_can_make_the_difference():
    """Why the exporter must look: `n't` holds a pair that is a boundary before a digit and none before a letter."""
    pretokenizer = PreTokenizer(PreTokenizerSpec(split="isolate"))
    ranks = {"n'": 0}
    assert encode("n'1", ranks) == ["n'", "1"]
    assert [symbol for segment in pretokenizer.pretokenize("n'1") for symbol in encode(segment, ranks)] == ["n", "'", "1"]
