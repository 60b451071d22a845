"""The Normalizer as users meet it: the cases that other tools got wrong, offsets, errors, pickling."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import unicodedata2
from hypothesis import given
from hypothesis import strategies as st

from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.normalize import Charsmap, Normalizer, to_utf8
from piecetokenizer.spec import PreTokenizerSpec

LOSSLESS = Normalizer(PreTokenizerSpec(reconstruct=True))
NFKC = Normalizer(PreTokenizerSpec(normalization="nfkc", reconstruct=True))
NMT = Normalizer(PreTokenizerSpec(normalization="nmt_nfkc", reconstruct=True))
TRIM = Normalizer(PreTokenizerSpec())


@given(st.text(st.characters(codec="utf-8")))
def test_without_rules_and_with_all_spaces_nothing_changes(text: str) -> None:
    assert LOSSLESS.normalize(text) == text


@pytest.mark.parametrize("text", ["a  b   c", "    if x:", "  hi  ", " ", "   ", "a\tb", "a\nb", "a\r\nb", "a\n\nb", "a\0b", "abc▁d d"])
def test_what_must_survive(text: str) -> None:
    assert LOSSLESS.normalize(text) == text
    assert NFKC.normalize(text) == text


@pytest.mark.parametrize(
    ("text", "trimmed"),
    [("  hi  ", "hi"), ("a  b   c", "a b c"), (" ", ""), ("", ""), ("a \t b", "a \t b"), ("\n  a", "\n a"), ("▁ ▁", "▁ ▁")],
)
def test_spaces_are_u0020_alone(text: str, trimmed: str) -> None:
    assert TRIM.normalize(text) == trimmed


def test_spaces_that_rules_make_are_trimmed_too() -> None:
    assert Normalizer(PreTokenizerSpec(normalization="nfkc")).normalize("\u3000 a\u00a0\u00a0 b\u3000") == "a b"
    assert Normalizer(PreTokenizerSpec(normalization="nmt_nfkc")).normalize("\ufeffa\t\n\u200bb\x01 \x01") == "a b"


@pytest.mark.parametrize("character", "\u200b\u200c\u200d\u200e\u200f\u061c\ufeff\u2060\u00ad\u2028\u0085\u000b\u0007")
def test_nfkc_leaves_format_characters_alone(character: str) -> None:
    assert NFKC.normalize(f"a{character}b") == f"a{character}b"


@pytest.mark.parametrize("text", ["\u00a0", "\u3000", "︰", "，", "①", "ﬁ", "ŉ", "㌀", "ﷺ", "น้ำ", "👨‍👩‍👧", "👍🏽", "🇳🇱", "❤️", "e\u0301"])
def test_nfkc_is_that_of_unicode(text: str) -> None:
    assert NFKC.normalize(text) == unicodedata2.normalize("NFKC", text)


@pytest.mark.parametrize(
    ("text", "result"),
    [("a\u0307\u0323", "\u0227\u0323"), ("e\u0301\u0327", "é\u0327"), ("q\u0307\u0323", "q\u0307\u0323"), ("\u1e9b\u0323", "\u1e61\u0323")],
)
def test_marks_are_not_reordered(text: str, result: str) -> None:
    """The limit of rewriting by rules, where true NFKC differs."""
    assert NFKC.normalize(text) == result
    assert unicodedata2.normalize("NFKC", text) != result or text == result


def test_nmt_on_the_same_characters() -> None:
    assert NMT.normalize("a\u200bb\u2028c\u000bd\u0007e\u0085f\u200dg～▁") == "a b cde\u0085f\u200dg～ "


@pytest.mark.parametrize("data", [b"ab\xffcd", b"ab\xff\xfecd", b"\xe4\xb8", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"])
def test_each_invalid_byte_becomes_one_replacement_character(data: bytes) -> None:
    want = "".join(chr(byte) if byte < 0x80 else "\ufffd" for byte in data)
    assert LOSSLESS.normalize(data) == want
    assert NMT.normalize(data) == want  # its rule for U+FFFD is not for these


def test_lone_surrogates() -> None:
    with pytest.raises(InputError, match=r"lone surrogate U\+D800 at character 1; pass errors='replace'"):
        LOSSLESS.normalize("é\ud800b")
    assert LOSSLESS.normalize("a\ud800b", errors="replace") == "a\ufffdb"
    assert LOSSLESS.normalize("\ud83d\udc4d", errors="replace") == "\ufffd\ufffd"
    with pytest.raises(SpecError, match="errors='ignore' is not allowed"):
        to_utf8("\ud800", "ignore")


def test_offsets_are_in_bytes_of_the_original() -> None:
    normalizer = Normalizer(PreTokenizerSpec(normalization="nfkc"))
    text, offsets = normalizer.normalize("  ﬁ  é ", offsets=True)
    assert text == "fi é"
    assert list(offsets) == [2, 2, 5, 7, 7, 9]
    text, offsets = normalizer.normalize("   ", offsets=True)
    assert (text, list(offsets)) == ("", [3])


def test_prefix() -> None:
    for prefix in ("text", "fragment"):
        normalizer = Normalizer(PreTokenizerSpec(prefix=prefix))
        text, offsets = normalizer.normalize("  a b", offsets=True)
        assert (text, list(offsets)) == (" a b", [2, 2, 3, 4, 5])
        assert normalizer.normalize("  ") == ""
        assert Normalizer(PreTokenizerSpec(prefix=prefix, reconstruct=True)).normalize(" a") == "  a"


def test_charsmap_and_option_go_together() -> None:
    charsmap = Charsmap.from_rules({"a": "b"})
    assert Normalizer(PreTokenizerSpec(normalization="custom"), charsmap).normalize("banana") == "bbnbnb"
    with pytest.raises(SpecError, match="normalization=custom needs a charsmap"):
        Normalizer(PreTokenizerSpec(normalization="custom"))
    with pytest.raises(SpecError, match="a charsmap was given with normalization=nfkc"):
        Normalizer(PreTokenizerSpec(normalization="nfkc"), charsmap)


def test_pickling() -> None:
    for normalizer in (NMT, Normalizer(PreTokenizerSpec(normalization="custom"), Charsmap.from_rules({"a": "b"}))):
        again = pickle.loads(pickle.dumps(normalizer))
        assert again.spec == normalizer.spec
        assert again.charsmap == normalizer.charsmap
        assert again.normalize("ﬁ a\tb") == normalizer.normalize("ﬁ a\tb")


def test_one_normalizer_for_many_threads() -> None:
    texts = [f"ﬁ{'x' * (i % 700)}①\t{i}" for i in range(2000)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(NMT.normalize, texts)) == [text.replace("ﬁ", "fi").replace("①", "1").replace("\t", " ") for text in texts]
