"""The built-in rule sets, on every code point and every source of several, against the packages sentencepiece and unicodedata2."""

import random

import pytest
import unicodedata2
from normalize.builtin import rules_of
from normalize.oracle import blob_of, by_name

from piecetokenizer.normalize import Charsmap, Normalizer
from piecetokenizer.spec import PreTokenizerSpec

NAMES = ["nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"]
EVERY = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
APART = "\ue000"
"""A private character, which begins no rule and stands in none."""


def normalizer(name: str) -> Normalizer:
    return Normalizer(PreTokenizerSpec(normalization=name, reconstruct=True))


def assert_same(name: str, texts: list[str]) -> None:
    """Each text becomes what SentencePiece makes of it; all go in one call, apart from each other."""
    joined = APART.join(texts)
    got = normalizer(name).normalize(joined)
    want = by_name(name).normalize(joined)
    if got != want:
        differ = [(text, a, b) for text, a, b in zip(texts, str(got).split(APART), want.split(APART), strict=False) if a != b]
        pytest.fail(f"{len(differ)} texts differ, first (text, here, sentencepiece): {differ[:3]!a}")


@pytest.mark.parametrize("name", NAMES)
def test_every_code_point(name: str) -> None:
    assert_same(name, EVERY)


@pytest.mark.parametrize("name", NAMES)
def test_every_code_point_before_a_mark(name: str) -> None:
    assert_same(name, [character + mark for character in EVERY[:0x3000] for mark in "\u0301\u0323\u0345\u3099"])


@pytest.mark.parametrize("name", NAMES)
def test_every_source_of_several_characters(name: str) -> None:
    sources = [source for source in rules_of(name) if len(source) > 1]
    assert len(sources) > 200_000
    assert_same(name, sources)


@pytest.mark.parametrize("name", NAMES)
def test_random_strings_of_sources_and_of_their_characters(name: str) -> None:
    rng = random.Random(2)
    sources = list(rules_of(name))
    characters = sorted({character for source in sources for character in source})
    assert_same(name, ["".join(rng.choices(characters, k=rng.randint(1, 12))) for _ in range(10_000)])
    assert_same(name, ["".join(rng.choices(sources, k=rng.randint(1, 4))) for _ in range(10_000)])


@pytest.mark.parametrize("name", NAMES)
def test_the_rules_are_those_of_sentencepiece(name: str) -> None:
    assert Charsmap.from_blob(blob_of(by_name(name))) == Charsmap.builtin(name)


def test_nfkc_of_each_character_is_that_of_unicode_17() -> None:
    assert unicodedata2.unidata_version == "17.0.0"
    others = [character for character in EVERY if character != APART]
    got = str(normalizer("nfkc").normalize(APART.join(others))).split(APART)
    assert got == [unicodedata2.normalize("NFKC", character) for character in others]
