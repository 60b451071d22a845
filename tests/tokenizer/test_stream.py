"""The parts of a stream joined are the whole, however it was fed."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.small_models import FIRST, FIRST_BYTE, small_model

from piecetokenizer.errors import IdError, SpecError
from piecetokenizer.tokenizer import StreamDecoder, Tokenizer

TOKENIZER = Tokenizer(small_model([" I", "Sir", "Dear", " hope", "é", "hello", " wor", "ld"]))
IDS = st.integers(FIRST_BYTE, len(TOKENIZER) - 1) | st.sampled_from([1, 2, *(FIRST_BYTE + byte for byte in "🚀é".encode())])


def pieces_of(ids: list[int], cuts: list[int]) -> list[list[int]]:
    """The ids cut at some places."""
    edges = [0, *sorted(min(cut, len(ids)) for cut in cuts), len(ids)]
    return [ids[first:last] for first, last in pairwise(edges)]


@given(st.lists(IDS, max_size=30), st.lists(st.integers(0, 30), max_size=6))
def test_parts_joined_are_the_whole(ids: list[int], cuts: list[int]) -> None:
    for groups in ([[id] for id in ids], pieces_of(ids, cuts)):
        stream, raw = StreamDecoder(TOKENIZER), StreamDecoder(TOKENIZER, out="bytes")
        assert "".join([stream.push(group) for group in groups]) + stream.flush() == TOKENIZER.decode(ids)
        assert b"".join([raw.push(group) for group in groups]) + raw.flush() == TOKENIZER.decode_bytes(ids)


@given(st.lists(IDS, max_size=30), st.integers(0, 30), st.lists(IDS, max_size=10))
def test_a_copy_goes_its_own_way(ids: list[int], cut: int, other: list[int]) -> None:
    stream = StreamDecoder(TOKENIZER)
    begun = stream.push(ids[:cut])
    branch = stream.copy()
    assert begun + branch.push(other) + branch.flush() == TOKENIZER.decode(ids[:cut] + other)
    assert begun + stream.push(ids[cut:]) + stream.flush() == TOKENIZER.decode(ids)


def test_a_character_comes_whole() -> None:
    stream = StreamDecoder(TOKENIZER)
    assert [stream.push(FIRST_BYTE + byte) for byte in "🚀".encode()] == ["", "", "", "🚀"]
    assert stream.push(FIRST_BYTE + 0xF0) == ""
    assert stream.flush() == "\ufffd"
    assert stream.flush() == ""


def test_spaces_at_the_start_of_pieces_survive() -> None:
    text = "Dear Sir, I hope"
    stream = StreamDecoder(TOKENIZER)
    assert "".join(stream.push(id) for id in TOKENIZER.encode(text)) == text


STOPS = st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4)


@given(st.text("abc", max_size=20), STOPS, st.lists(st.integers(0, 20), max_size=5))
def test_stop_strings_do_not_depend_on_the_feeding(text: str, stops: list[str], cuts: list[int]) -> None:
    ids = TOKENIZER.encode(text)
    ends = [(text.find(stop) + len(stop), -len(stop), stop) for stop in stops if stop in text]
    expected = text[: min(ends)[0] + min(ends)[1]] if ends else text
    for groups in ([ids], [[id] for id in ids], pieces_of(ids, cuts)):
        for out in ("text", "bytes"):
            stream = StreamDecoder(TOKENIZER, stop=stops, out=out)  # type: ignore[call-overload]
            parts = [stream.push(group) for group in groups] + [stream.flush()]
            whole = "".join(parts) if out == "text" else b"".join(parts).decode()
            assert whole == expected
            assert stream.stopped == (min(ends)[2] if ends else None)


def test_only_what_could_become_a_stop_is_held_back() -> None:
    stream = StreamDecoder(TOKENIZER, stop=["<end>"])
    assert stream.push(TOKENIZER.encode("a < b <e")) == "a < b "
    assert stream.push(TOKENIZER.encode("d")) == "<ed"
    assert stream.push(TOKENIZER.encode("<en")) == ""
    assert stream.push(TOKENIZER.encode("d> and more")) == ""
    assert stream.stopped == "<end>"
    assert stream.push(TOKENIZER.encode("more")) == ""
    assert stream.flush() == ""


@pytest.mark.parametrize("out", ["text", "bytes"])
def test_after_flush_a_decoder_is_as_new(out: str) -> None:
    stream = StreamDecoder(TOKENIZER, stop=["<end>", "Sir"], out=out)  # type: ignore[call-overload]
    for text, shown, stopped in [
        ("ab<end>c", "ab", "<end>"),
        ("a b <e", "a b <e", None),
        ("Sir", "", "Sir"),
        ("", "", None),
        ("c", "c", None),
    ]:
        parts = stream.push(TOKENIZER.encode(text)) + stream.flush()
        assert parts == (shown if out == "text" else shown.encode())
        assert stream.stopped == stopped, "which can be read after the flush too"


def test_one_id_of_many_kinds() -> None:
    stream = StreamDecoder(TOKENIZER)
    assert stream.push(np.int32(FIRST + 1)) == "Sir"  # type: ignore[call-overload]
    assert stream.push(np.array(FIRST + 1)) == "Sir"
    assert stream.push(np.array([FIRST + 1])) == "Sir"

    class Array:  # of a library that only says how numpy gets at its numbers
        def __array__(self, dtype: object = None, copy: object = None) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
            return np.array([FIRST + 1, FIRST + 1])

    assert stream.push(Array()) == TOKENIZER.decode(Array()) == "SirSir"  # type: ignore[call-overload,arg-type]


def test_bad_ids_and_options() -> None:
    stream = StreamDecoder(TOKENIZER)
    assert stream.push(FIRST_BYTE + 0xC3) == ""
    with pytest.raises(IdError, match="id 1000000 at position 0"):
        stream.push(10**6)
    with pytest.raises(TypeError):
        stream.push(True)
    assert stream.push(FIRST_BYTE + 0xA9) == "é", "a refused id leaves the stream as it was"
    for bad in (["a", ""], "", ["\ud800"], [b"a"], None, 5):
        for out in ("text", "bytes"):
            with pytest.raises(SpecError, match="stop="):
                StreamDecoder(TOKENIZER, stop=bad, out=out)  # type: ignore[call-overload]
    with pytest.raises(SpecError, match="out="):
        StreamDecoder(TOKENIZER, out="str")  # type: ignore[call-overload]


def test_special_pieces() -> None:
    ids = [1, FIRST + 1, 2]
    assert StreamDecoder(TOKENIZER).push(ids) == "Sir"
    assert StreamDecoder(TOKENIZER, skip_special=False).push(ids) == "<s>Sir</s>"
