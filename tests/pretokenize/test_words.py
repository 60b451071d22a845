"""The word kernel, compiled and uncompiled, against the reference, on random small dictionaries full of ties."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pretokenize.strategies import letters_of_classes
from pretokenize.test_cutter import drain, padded
from reference import words as reference
from reference.uncompiled import load_uncompiled

from piecetokenizer.pretokenize import Dictionary, PreTokenizer
from piecetokenizer.pretokenize.cutters import DictionaryCutter
from piecetokenizer.spec import PreTokenizerSpec

HAN = "甲乙丙𠮷々"
words = st.text(st.sampled_from(HAN), min_size=1, max_size=5)
frequencies = st.sampled_from([1, 1, 2, 3, 4, 8, 1000, 2**40, 2**63 - 1])
dictionaries = st.dictionaries(words, frequencies, min_size=1, max_size=25).map(
    lambda entries: "".join(f"{word} {frequency} n\n" for word, frequency in entries.items())
)
runs = st.text(st.sampled_from(HAN + "丁"), max_size=40)
texts = st.text(st.sampled_from(HAN * 3) | letters_of_classes, max_size=40)
splits = st.sampled_from(["word", "isolate", "space", "none"])


def load(lines: str) -> Dictionary:
    return Dictionary("test", lines.encode(), "test")


def spec_of(dictionary: Dictionary, **options: str) -> PreTokenizerSpec:
    return PreTokenizerSpec(cn="dict", cn_dict=dictionary.identity, **options)


class Uncompiled:
    """The kernel as ordinary Python: it takes memoryviews where the compiled one takes arrays."""

    def __init__(self, dictionary: Dictionary, segments: np.ndarray, window: int) -> None:
        kernel = load_uncompiled("pretokenize/words_cy.py")
        trie = dictionary.trie
        tables = map(memoryview, (trie.roots, trie.slots, trie.weights))
        ends = memoryview(np.empty(window, np.int64))
        self.kernel = kernel.WordCutter(*tables, trie.multiplier, trie.longest, memoryview(segments), ends)
        self.cut, self.feed, self.ends = self.kernel.cut, self.kernel.feed, ends

    @property
    def needs_room(self) -> bool:
        return self.kernel.needs_room

    def start(self, text: np.ndarray) -> None:
        self.kernel.start(memoryview(text))

    def give_room(self, *arrays: np.ndarray) -> None:
        self.kernel.give_room(*map(memoryview, arrays))


@given(dictionaries, st.text(st.sampled_from(HAN), max_size=8))
def test_words_are_those_of_the_best_of_all_ways(lines, run):
    weights, fallback = reference.read(lines)
    expected = reference.cut_by_trying(run, weights, fallback)
    assert reference.cut(run, weights, fallback) == expected
    assert load(lines).cut(run) == expected


@given(dictionaries, texts, splits)
def test_any_text_equals_the_reference(lines, text, split):
    dictionary = load(lines)
    spec = spec_of(dictionary, split=split)
    weights, fallback = reference.read(lines)
    assert PreTokenizer(spec, dictionary).pretokenize(text) == reference.pretokenize(spec, weights, fallback, text)


@given(dictionaries, st.lists(texts | runs, max_size=4), st.sampled_from([1, 2, 7, 2048]), st.booleans())
def test_many_texts_through_any_window_compiled_or_not(lines, parts, window, compiled):
    dictionary = load(lines)
    spec = spec_of(dictionary)
    buffer, stops = padded([part.encode() for part in parts])
    cutter = PreTokenizer(spec, dictionary).cutter(window)
    if not compiled:
        boundaries = cutter._boundaries
        cutter = DictionaryCutter(boundaries, Uncompiled(dictionary, boundaries.ends, window))
    cutter.start(buffer, stops, len(stops))
    weights, fallback = reference.read(lines)
    segments = [segment for part in parts for segment in reference.pretokenize(spec, weights, fallback, part)]
    assert drain(cutter) == np.cumsum([len(segment.encode()) for segment in segments], dtype=np.int64).tolist()


pieces_of_characters = st.lists(st.sampled_from([b"\xe7\x94\xb2", b"\xf0\xa0\xae", b"\xe7", b"a", b"\xf0\x80\x80\x80"]))


@given(st.binary(max_size=30) | pieces_of_characters.map(b"".join))
def test_malformed_bytes_do_no_harm(data):
    dictionary = load("甲 3\n甲甲 2\n")
    buffer, _ = padded([data])
    found = []
    for compiled in (True, False):
        cutter = PreTokenizer(spec_of(dictionary), dictionary).cutter(3)
        if not compiled:
            boundaries = cutter._boundaries
            cutter = DictionaryCutter(boundaries, Uncompiled(dictionary, boundaries.ends, 3))
        cutter.start_one(buffer, len(data))
        found.append(drain(cutter))
    assert found[0] == found[1] == sorted(set(found[0]))
    assert found[0][-1:] == ([len(data)] if data else [])


def test_of_equal_paths_the_longer_last_word():
    # Two words and a character either way, all of equal weight.
    assert load("甲乙 5\n乙丙 5\n甲 5\n丙 5\n").cut("甲乙丙") == ["甲", "乙丙"]
    # The last words are equal, so the ones before them decide.
    assert load("甲乙 5\n乙丙 5\n甲 5\n丙 5\n丁 5\n").cut("甲乙丙丁") == ["甲", "乙丙", "丁"]
    # One character known by its own is no better than unknown ones of frequency 1.
    assert load("甲 1\n乙 1\n").cut("甲丙乙") == ["甲", "丙", "乙"]


def test_marks_and_what_follows_go_with_the_last_word():
    dictionary = load("甲乙 9\n乙甲 5\n")
    pretokenizer = PreTokenizer(spec_of(dictionary), dictionary)
    assert pretokenizer.pretokenize("甲乙\u0301乙甲") == ["甲乙\u0301", "乙甲"]
    assert pretokenizer.pretokenize("甲\U000e0100乙") == ["甲\U000e0100", "乙"]
    assert pretokenizer.pretokenize("a甲乙\u200db") == ["a", "甲乙\u200db"]


def test_texts_that_touch_are_cut_apart():
    dictionary = load("甲乙 9\n")
    cutter = PreTokenizer(spec_of(dictionary), dictionary).cutter()
    buffer, stops = padded(["甲".encode(), "乙".encode(), "甲乙".encode()])
    cutter.start(buffer, stops, 3)
    assert drain(cutter) == [3, 6, 12]


def random_run(size: int, seed: int) -> str:
    return "".join(np.random.default_rng(seed).choice(list(HAN), size))


@pytest.mark.parametrize(
    "lines",
    [
        "甲乙 3\n乙丙 2\n丙𠮷甲 4\n",
        "甲甲 3\n甲甲甲 2\n乙甲 7\n甲乙 7\n丙甲乙丙 9\n",
        "".join(f"{c}{d} 5\n" for c in HAN for d in HAN),
    ],
)
def test_runs_longer_than_a_row(lines):
    weights, fallback = reference.read(lines)
    run = random_run(5000, 3)
    assert load(lines).cut(run) == reference.cut(run, weights, fallback)


def test_a_run_in_which_words_overlap_everywhere():
    lines = "甲甲 3\n甲甲甲 5\n"
    weights, fallback = reference.read(lines)
    dictionary = load(lines)
    for size in (1023, 1024, 1025, 4000):
        assert dictionary.cut("甲" * size) == reference.cut("甲" * size, weights, fallback)


def test_time_is_linear_in_a_run_of_any_length():
    """Ten times the run takes no more than fifteen times the time, up to 10 MB in one run."""
    dictionary = Dictionary.load("zh")
    taken = []
    for size in (330_000, 3_300_000):
        text = "".join(["中国人民银行行长说今天天气很好"] * (size // 15))
        buffer, _ = padded([text.encode()])
        cutter = PreTokenizer(spec_of(dictionary), dictionary).cutter()
        began = time.process_time()
        cutter.start_one(buffer, len(buffer) - 64)
        ends = drain(cutter)
        taken.append(time.process_time() - began)
        assert ends[-1] == len(text.encode())
        # No word crosses the joints of the repeated text, so all copies are cut alike.
        sizes = [len(word.encode()) for word in dictionary.cut("中国人民银行行长说今天天气很好")]
        assert np.array_equal(np.diff(ends, prepend=0), np.tile(sizes, size // 15))
    assert taken[1] < 15 * taken[0]


def test_a_run_of_one_character_that_is_a_word_of_every_length():
    dictionary = load("".join(f"{'甲' * size} 1\n" for size in range(1, 256)))
    run = "甲" * 20_000
    cut = dictionary.cut(run)
    assert "".join(cut) == run
    # All weigh the same, so the fewest words win: 78 of 255 and what is left, which comes first.
    assert [len(word) for word in cut] == [20_000 % 255] + [255] * (20_000 // 255)
