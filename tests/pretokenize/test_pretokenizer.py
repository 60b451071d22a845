"""PreTokenizer: the examples of the rule, cases that other tools got wrong, and what exporters ask."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pretokenize.strategies import ALL_SPECS, letters_of_classes, specs, texts
from reference import pretokenize as reference

from piecetokenizer.errors import InputError
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.spec import PreTokenizerSpec


def segments(text: str, **options: str) -> list[str]:
    return PreTokenizer(PreTokenizerSpec(**options)).pretokenize(text)


def test_the_examples_of_the_rule():
    hello = "Hello, world 你好123"
    assert segments(hello) == ["Hello", ",", " world", " ", "你好", "123"]
    assert segments(hello, split="isolate", digit="split", cn="char") == ["Hello", ",", " ", "world", " ", "你", "好", "1", "2", "3"]
    assert segments("don't (a.b)") == ["don", "'t", " (a", ".b", ")"]
    assert segments("don't (a.b)", split="isolate") == ["don't", " ", "(", "a", ".", "b", ")"]


@pytest.mark.parametrize("word", ["हिन्दी", "विकिपीडिया", "தமிழ்", "می\u200cخواهم", "e\u0301te\u0301", "co\u00adoperate", "น้ำ"])
def test_a_word_with_marks_or_joiners_is_one_segment(word):
    for split in ("word", "isolate", "space", "none"):
        for digit in ("keep", "split"):
            assert segments(word, split=split, digit=digit) == [word]


@pytest.mark.parametrize("pair", ["12", "١٢", "۱۲", "１２", "१२"])
def test_decimal_digits_of_every_script(pair):
    for split in ("word", "isolate", "space", "none"):
        assert segments(pair, split=split) == [pair]
        assert segments(pair, split=split, digit="split") == list(pair)


def test_other_numerals_are_not_split():
    assert segments("一二", digit="split") == ["一二"]
    assert segments("²²ⅩⅩ", digit="split") == ["²²ⅩⅩ"]


def test_rare_ideographs_are_cut_like_common_ones():
    for text in ("𠮷野家很好吃", "\u3400\U0002a700\U00030000\uf900"):
        assert segments(text, cn="char") == list(text)
        assert segments(f"a{text}!", cn="char", split="none") == ["a", *text, "!"]


@pytest.mark.parametrize("emoji", ["👨‍👩‍👧", "👍🏽", "🇳🇱", "❤️", "e\u0301", "1\ufe0f\u20e3", "🏴\U000e0067\U000e0062\U000e007f"])
def test_a_sequence_of_one_emoji_stays_whole(emoji):
    for digit in ("keep", "split"):
        assert segments(emoji, digit=digit) == [emoji]


def test_isolate_keeps_sequences_too_where_only_joiners_and_marks_hold_them():
    assert segments("👨‍👩‍👧❤️", split="isolate") == ["👨‍👩‍👧", "❤️"]


def test_digits_alone_with_what_follows_them():
    assert segments("1\u0301\u200d23", digit="split") == ["1\u0301\u200d", "2", "3"]
    # A joiner before a digit does not hold it, and the mark on a digit goes on as every mark does: the table knows two characters only.
    assert segments("a\u200d1", digit="split") == ["a\u200d", "1"]
    assert segments("1\u0301a", digit="split") == ["1\u0301a"]
    assert segments("a1b", split="none", digit="split") == ["a", "1", "b"]


def test_han_alone_with_what_follows_it():
    assert segments("葛\U000e0100飾a", cn="char") == ["葛\U000e0100", "飾", "a"]
    assert segments("a\u200d你", cn="char", split="none") == ["a\u200d", "你"]


def test_apostrophes_of_isolate():
    assert segments("l'e\u0301te\u0301 rock’n’roll", split="isolate") == ["l'e\u0301te\u0301", " ", "rock’n’roll"]
    assert segments("'a' b'' 1's a'1 a'\u200db", split="isolate") == [
        *("'", "a", "'", " ", "b", "'", "'", " ", "1", "'", "s", " ", "a", "'", "1", " ", "a", "'\u200db"),
    ]
    assert segments("don't", split="word") == ["don", "'t"]
    assert segments("''t", split="word") == ["''t"]


def test_space_and_newline_rules():
    assert segments("a  b\n\nc d", split="space") == ["a", " ", " b", "\n\n", "c", " d"]
    assert segments("a  b\n\nc d", split="space", spaces="run") == ["a", "  b", "\n\n", "c", " d"]
    assert segments("    if x:", spaces="run") == ["    if", " x", ":"]
    assert segments("    if x:", split="isolate", spaces="run") == ["    ", "if", " ", "x", ":"]
    assert segments("a\t\tb\r\n", split="word") == ["a", "\t\t", "b", "\r\n"]
    assert segments(" a\n b1", split="none") == [" a\n b1"]


@given(specs, texts)
def test_segments_join_to_the_text_and_equal_the_reference(spec, text):
    found = PreTokenizer(spec).pretokenize(text)
    assert "".join(found) == text
    assert found == reference.pretokenize(spec, text)


@given(specs, st.lists(texts, min_size=2, max_size=2))
def test_a_boundary_pair_is_a_boundary_in_every_text(spec, halves):
    pretokenizer = PreTokenizer(spec)
    before, after = halves
    if not before or not after:
        return
    text = before + after
    ends, total = set(), 0
    for segment in pretokenizer.pretokenize(text):
        total += len(segment)
        ends.add(total)
    at = len(before)
    if pretokenizer.never_inside(text[at - 1], text[at]):
        assert at in ends
    if not pretokenizer.may_be_boundary(text[at - 1], text[at]):
        assert at not in ends


@given(specs, letters_of_classes, letters_of_classes)
def test_only_the_apostrophe_of_isolate_depends_on_more_than_the_pair(spec, a, b):
    pretokenizer = PreTokenizer(spec)
    depends = pretokenizer.may_be_boundary(a, b) and not pretokenizer.never_inside(a, b)
    classes = reference.class_of(a) + reference.class_of(b)
    assert depends == (spec.split == "isolate" and ((classes in ("LP", "MP") and b in "'’") or (classes == "PL" and a in "'’")))


def test_a_lone_surrogate_is_named():
    with pytest.raises(InputError, match="lone surrogate at character 2"):
        PreTokenizer(PreTokenizerSpec()).pretokenize("ab\ud800")


def test_empty_text_has_no_segment():
    for spec in ALL_SPECS:
        assert PreTokenizer(spec).pretokenize("") == []


def test_pickled_and_compared():
    pretokenizer = PreTokenizer(PreTokenizerSpec(split="isolate"))
    assert pickle.loads(pickle.dumps(pretokenizer)).pretokenize("a'b c") == ["a'b", " ", "c"]
