"""The merge loop against the reference that recounts after every merge, compiled and uncompiled."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import counting
from reference.uncompiled import load_uncompiled

from piecetokenizer.counter import merges, pairs, symbols
from piecetokenizer.counter.merges import learn_merges
from piecetokenizer.counter.segments import Segments
from piecetokenizer.errors import InputError

KERNELS = {symbols: ["characters_cy"], pairs: ["pairs_cy"], merges: ["merges_cy", "queue_cy"]}

# Two letters make runs and ties; the others are a space, longer in bytes, a literal mark, a broken byte, and one that is not required.
LETTERS = st.text("ab", min_size=1, max_size=12)
TEXTS = st.text("aab 好é𝄞▁\ufffdx", min_size=1, max_size=8)
COUNTS = st.lists(st.tuples(st.one_of(LETTERS, TEXTS), st.one_of(st.integers(1, 4), st.integers(1, 1 << 54))), min_size=1, max_size=12)
ALPHABETS = st.permutations(["a", "b", "▁", "好", "é", "𝄞"]).flatmap(lambda order: st.integers(0, 6).map(lambda n: order[:n]))
TAKEN = st.lists(st.text("ab▁好", min_size=2, max_size=4), max_size=4)
FLOORS = st.sampled_from([None, 1, 2, 7, 1 << 40])
SIZES = st.sampled_from([2, 3, 4, 6, 48])


@contextmanager
def uncompiled() -> Iterator[None]:
    """The driver with kernels that run as ordinary Python."""
    with ExitStack() as stack:
        for module, names in KERNELS.items():
            stack.enter_context(patch.multiple(module, **{name: load_uncompiled(f"counter/{name}.py") for name in names}))
        yield


@contextmanager
def divided() -> Iterator[None]:
    """Few symbols make a table full, or are worth a thread."""
    with patch.multiple(pairs, FIRST_TABLE=4, STRETCH=3), patch.object(symbols, "SHARE", 1):
        yield


def displayed(counts: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Segments as the reference reads them: a space is the mark, a literal mark a character that is never required."""
    return [(text.replace("▁", "\ufffd").replace(" ", "▁"), count) for text, count in counts]


def learned(counts: list[tuple[str, int]], *args: object, **options: object) -> list[tuple[str, str, int]]:
    result = learn_merges(Segments.from_pairs(counts), *args, **options)  # type: ignore[arg-type]
    return [(left, right, count) for (left, right), count in zip(result.pairs, result.frequencies, strict=True)]


@given(COUNTS, ALPHABETS, st.integers(0, 30), SIZES, TAKEN, FLOORS, st.integers(1, 4))
@settings(max_examples=150)
def test_equals_reference(
    counts: list[tuple[str, int]], alphabet: list[str], wanted: int, size: int, taken: list[str], floor: int | None, threads: int
) -> None:
    expected = counting.merges(displayed(counts), alphabet, wanted, size, taken)
    options = {"max_piece_size": size, "taken": taken, "floor": floor}
    assert learned(counts, alphabet, wanted, **options) == expected
    with divided():
        assert learned(counts, alphabet, wanted, **options, threads=threads) == expected
        with uncompiled():
            assert learned(counts, alphabet, wanted, **options, threads=threads) == expected


@pytest.mark.parametrize("seed", range(6))
def test_larger_input_equals_reference(seed: int) -> None:
    """Enough text that positions go stale by the thousand and all arrays have to grow."""
    rng = random.Random(seed)
    letters = ["ab", "abc", "abcd", "ab▁好", "abcdefghijklmnop", "aab"][seed]
    weights = [1 << rng.randrange(4) for _ in letters]
    counts = [("".join(rng.choices(letters, weights, k=1 + rng.randrange(20))), 1 + rng.randrange(5)) for _ in range(300)]
    counts = [(text.replace("▁", " "), count) for text, count in counts]
    expected = counting.merges(displayed(counts), letters, 150, 24)
    for floor in (None, 1, 20):
        assert learned(counts, letters, 150, max_piece_size=24, floor=floor) == expected


@pytest.mark.parametrize(
    ("counts", "merges"),
    [
        ("zzzzz:1 _ab:3", "z+z a+b _+ab zz+z zz+zzz"),  # zz four times, overlaps counted: more than ab
        ("zzzz:1 _ab:2", "z+z a+b _+ab zz+zz"),
        ("bc:1 _a:1 _aaa:1", "a+a b+c _+a aa+a _+aaa"),  # aa and _a twice: a comes before the mark; then all are single, the shorter first
        ("aaaaa:1", "a+a aa+a aa+aaa"),  # left to right: aa aa a
        ("abab:1", "a+b ab+ab"),
        ("ababab:1", "a+b ab+ab abab+ab"),  # (ab, ab) twice, overlapping
        ("abcab:1", "a+b ab+c abc+ab"),  # bc, ca and ab c tie: fewer characters, then smaller string
        ("xy:2 ab:2 a:9", "a+b x+y"),  # a tie: the smaller string
        ("abc:2 de:1", "a+b ab+c d+e"),  # ab and bc tie; then abc twice is more than de
        ("_好:1 好_:1", "_+好 好+_"),  # the mark U+2581 comes before 好
    ],
)
def test_one_line(counts: str, merges: str) -> None:
    pairs = [(text.replace("_", " "), int(count)) for text, _, count in (item.partition(":") for item in counts.split())]
    result = learn_merges(Segments.from_pairs(pairs), sorted({c.replace(" ", "▁") for text, _ in pairs for c in text}), 99)
    assert " ".join(f"{left}+{right}" for left, right in result.pairs).replace("▁", "_") == merges


@given(COUNTS, ALPHABETS, st.randoms(use_true_random=False))
def test_order_of_segments_is_nothing(counts: list[tuple[str, int]], alphabet: list[str], rng: random.Random) -> None:
    shuffled = list(counts)
    rng.shuffle(shuffled)
    assert learned(counts, alphabet, 20) == learned(shuffled, alphabet, 20)


def test_counts_beyond_doubles_decide() -> None:
    big = 1 << 53
    assert learned([("ab", big), ("cd", big + 1), ("ef", (1 << 32) + 1)], "abcdef", 3) == [
        ("c", "d", big + 1),
        ("a", "b", big),
        ("e", "f", (1 << 32) + 1),
    ]
    assert learned([("ab", (1 << 62) - 1)], "ab", 1) == [("a", "b", (1 << 62) - 1)]


def test_too_much_is_an_error() -> None:
    with pytest.raises(InputError, match="more than can be counted exactly"):
        learned([("ab", 1 << 62)], "ab", 1)


def test_too_many_slots_is_an_error() -> None:
    segments = Segments.from_pairs([("abc", 1), ("好好", 1)])
    with patch.object(symbols, "MAX_SLOTS", 9):  # 5 characters, 2 segments, 2 more: just enough
        assert len(learn_merges(segments, "abc好", 9)) == 3
    with patch.object(symbols, "MAX_SLOTS", 8), pytest.raises(InputError, match="5 characters, more than can be merged"):
        learn_merges(segments, "abc好", 9)


def test_taken_names_are_dropped() -> None:
    assert learned([("abab", 3)], "ab", 9, taken=["ab"]) == [("b", "a", 3), ("a", "ba", 3), ("aba", "b", 3)]


@pytest.mark.parametrize(
    "arena", [b"\xff\xfeab", b"a\xe4\xbdb", b"\xf0\x9f\x98", b"\xed\xa0\x80ab", b"\xc0\x80ab", b"\xf4\x90\x80\x80ab", b"ab\xe4"]
)
def test_bytes_that_are_not_utf8_are_dead(arena: bytes) -> None:
    """Stage 1 lets none through; a table from elsewhere must not crash the kernels."""
    counts = [(arena.decode("utf-8", "surrogateescape"), 1)]
    expected = [("a", "b", 1)] if b"ab" in arena else []
    assert learned(counts, "ab", 5) == expected
    with uncompiled():
        assert learned(counts, "ab", 5) == expected


def test_nothing_to_merge() -> None:
    assert learned([("a", 5), ("b", 1)], "ab", 5) == []
    assert learned([("ab", 5)], "", 5) == []
    assert learned([("ab", 5)], "ab", 0) == []
    assert learned([], "ab", 5) == []


def test_progress_is_told() -> None:
    told: list[tuple[int, int, str]] = []
    with patch.object(merges, "REPORT_EVERY", 2):
        learn_merges(Segments.from_pairs([("abcdef", 2)]), "abcdef", 9, progress=lambda *facts: told.append(facts))
    assert told == [(2, 9, "cd"), (4, 9, "abcd"), (5, 9, "abcdef")]


def test_work_is_bounded() -> None:
    """Each position is visited once, and there are at most 3 a slot; the first floor is low enough to count pairs once."""
    rng = random.Random(1)
    counts = [
        ("".join(rng.choices("abcdefgh", [9, 8, 7, 5, 4, 3, 2, 1], k=3 + rng.randrange(9))), 1 + rng.randrange(30)) for _ in range(20_000)
    ]
    work = learn_merges(Segments.from_pairs(counts), "abcdefgh", 500).work
    assert work["rebuilds"] == 0
    assert work["valid"] <= work["visited"] <= 3 * work["slots"]
    assert work["looked_up"] <= 2 * work["valid"]


@pytest.mark.parametrize("unit", ["a", "ab", "abc"])
def test_long_runs_are_not_quadratic(unit: str) -> None:
    work = learn_merges(Segments.from_pairs([(unit * 100_000, 1)]), "abc", 50).work
    assert work["visited"] <= 3 * work["slots"]
    assert work["popped"] <= 1000
