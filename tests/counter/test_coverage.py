"""Required characters against the reference, and the edges of the rule."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import counting
from reference.uncompiled import load_uncompiled

from piecetokenizer.counter import coverage as module
from piecetokenizer.counter.coverage import cover
from piecetokenizer.counter.segments import Segments
from piecetokenizer.errors import InputError, SpecError

COUNTS = st.lists(st.tuples(st.text("abcdé好𝄞 ▁\ufffd\0\n", min_size=1, max_size=8), st.integers(1, 50)), min_size=1, max_size=12)
SHARES = st.sampled_from(["1.0", "0.9995", "0.9", "0.75", "0.5", "0.1", "1e-05"])


@given(COUNTS, SHARES)
def test_equals_reference(counts: list[tuple[str, int]], share: str) -> None:
    displayed = [(text.replace("▁", "\ufffd").replace(" ", "▁"), count) for text, count in counts]
    expected = counting.required_characters(displayed, share)
    segments = Segments.from_pairs(counts)
    found = cover(segments, float(share))
    assert list(found.required) == expected
    frequency: Counter[str] = Counter()
    for text, count in displayed:
        frequency += Counter({character: count * n for character, n in Counter(text).items()})
    assert found.broken + found.marks == frequency.pop("\ufffd", 0)
    assert found.total == sum(frequency.values())
    assert dict(zip(found.required, found.counts, strict=True)) | dict(found.rare) == frequency
    assert not set(found.required) & {c for c, _ in found.rare}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "characters_cy", load_uncompiled("counter/characters_cy.py"))
        assert cover(segments, float(share)) == found


@pytest.mark.parametrize(
    ("share", "required"),
    [
        (0.5, "a"),  # 5 of 10 are reached by a alone
        (0.51, "ab"),
        (0.8, "ab"),  # exactly reached: c is not required
        (0.81, "abc"),
        (0.9, "abc"),
        (0.91, "abcd"),
        (1, "abcd"),
        (1.0, "abcd"),
        (1e-9, "a"),  # the share before the first one is 0, which reaches nothing
    ],
)
def test_share_before_adding(share: float, required: str) -> None:
    segments = Segments.from_pairs([("a", 5), ("b", 3), ("d", 1), ("c", 1)])
    assert "".join(cover(segments, share).required) == required


def test_share_is_the_decimal_as_written() -> None:
    """0.9 as a double is a little more than 9 / 10, and would require one character too many; 0.9995 likewise."""
    assert cover(Segments.from_pairs([("a", 9), ("b", 1)]), 0.9).required == ("a",)
    assert cover(Segments.from_pairs([("a", 9995), ("b", 5)]), 0.9995).required == ("a",)


def test_exact_beyond_doubles() -> None:
    half = 1 << 60
    assert cover(Segments.from_pairs([("a", half), ("b", half)]), 0.5).required == ("a",)
    assert cover(Segments.from_pairs([("a", half), ("b", half + 1)]), 0.5).required == ("b",)
    assert cover(Segments.from_pairs([("a", half + 1), ("b", half), ("c", 2)]), 0.5).required == ("a", "b")


def test_ties_are_by_code_point_of_the_display_form() -> None:
    segments = Segments.from_pairs([(" ", 1), ("好", 1), ("z", 1), ("é", 1)])
    assert cover(segments, 1.0).required == ("z", "é", "▁", "好")


def test_required_chars() -> None:
    segments = Segments.from_pairs([("a", 90), ("b", 6), (" ", 4)])
    assert cover(segments, 0.9).required == ("a",)
    found = cover(segments, 0.9, required_chars="z y")
    assert found.required == ("a", "▁", "y", "z")
    assert found.counts == (90, 4, 0, 0)
    assert found.rare == (("b", 6),)


def test_characters_that_are_pieces_are_not_required_again() -> None:
    segments = Segments.from_pairs([("a", 6), ("b", 3), ("c", 1)])
    found = cover(segments, 0.9, taken=["a", "bc"])
    assert found.required == ("b",)
    assert found.rare == (("c", 1),)


@pytest.mark.parametrize("character", ["▁", "\ufffd"])
def test_never_required(character: str) -> None:
    with pytest.raises(SpecError, match=f"required_chars holds {character!r}, which is never a piece"):
        cover(Segments.from_pairs([("a", 1)]), required_chars="x" + character)


def test_another_mark() -> None:
    found = cover(Segments.from_pairs([("a_b▁ ", 2)]), 1.0, space="_")
    assert found.required == ("_", "a", "b", "▁")
    assert found.marks == 2


def test_only_broken_text() -> None:
    found = cover(Segments.from_pairs([("\ufffd▁", 3)]))
    assert (found.required, found.total, found.broken, found.marks, found.share) == ((), 0, 3, 3, 1.0)


def test_too_much_is_an_error() -> None:
    with pytest.raises(InputError, match="more than can be counted exactly"):
        cover(Segments.from_pairs([("好", (1 << 62) - 1)]))
