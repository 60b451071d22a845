"""The kernels compiled and as ordinary Python give the same, and worst cases take the work they should."""

import random
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.encode import encode_segment
from reference.uncompiled import load_uncompiled

from piecetokenizer.errors import InputError
from piecetokenizer.lowlevel import PADDING
from piecetokenizer.tokenizer import decoder_cy, kernels, pairs, tables
from piecetokenizer.tokenizer.kernels import new_encoder, new_merger, widen
from piecetokenizer.tokenizer.tables import Tables, build_tables

BYTE_IDS = np.arange(256, dtype=np.int32)
ALPHABETS = ["ab", "aé你😀", " ab你", "abcdefgh"]


@st.composite
def vocabularies(draw: st.DrawFn) -> tuple[str, dict[str, float]]:
    alphabet = draw(st.sampled_from(ALPHABETS))
    texts = draw(st.lists(st.text(alphabet, min_size=1, max_size=7), max_size=20, unique=True))
    scores = draw(st.lists(st.integers(-6, 0).map(float), min_size=len(texts), max_size=len(texts)))
    return alphabet, dict(zip(texts, scores, strict=True))


def tables_of(pieces: dict[str, float], all_splits: bool = False) -> Tables:
    """256 byte pieces, then these."""
    texts = [f"<0x{byte:02X}>" for byte in range(256)] + [text.replace(" ", "▁") for text in pieces]
    scores = np.array([0.0] * 256 + list(pieces.values()))
    mergeable = np.array([False] * 256 + [True] * len(pieces))
    return build_tables(texts, scores, mergeable, "▁", BYTE_IDS, 0, all_splits)


def encode(merger: Any, encoder: Any, segments: list[str], window: int) -> list[int]:
    """Run the kernels on segments, some of them in each window."""
    data = "".join(segments).encode()
    text = np.zeros(len(data) + PADDING, np.uint8)
    text[: len(data)] = np.frombuffer(data, np.uint8)
    stops = np.cumsum([len(segment.encode()) for segment in segments])
    ends = np.zeros(window, np.int64)
    out = np.zeros(len(data) + 16, np.int32)
    encoder.output(out, out.view(np.uint8))
    encoder.begin_one(text, ends)
    done = 0
    for first in range(0, len(stops), window):
        part = stops[first : first + window]
        ends[: len(part)] = part
        done = encoder.run(len(part))
        while done < 0:
            widen(merger, -done)
            done = encoder.again()
    assert done == len(data)
    return [int(id) for id in out[: encoder.size]]


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The two functions that make kernels, with the kernels' sources in their place."""
    files = {"Merger": "merge", "Seams": "seams", "Encoder": "encoder"}
    sources = {name: load_uncompiled(f"tokenizer/{file}_cy.py") for name, file in files.items()}

    def made(make: Any, *arguments: Any) -> Any:
        with monkeypatch.context() as patch:
            for name, source in sources.items():
                patch.setattr(kernels, name, getattr(source, name))
            return make(*arguments)

    return SimpleNamespace(merger=partial(made, new_merger), encoder=partial(made, new_encoder))


@given(vocabularies(), st.data(), st.sampled_from([1, 3, 160]), st.sampled_from([1, 4]), st.integers(1, 9), st.booleans())
def test_equals_the_naive_replay_whatever_the_sizes(
    vocabulary: tuple[str, dict[str, float]], data: st.DataObject, linear: int, bits: int, window: int, all_splits: bool
) -> None:
    alphabet, pieces = vocabulary
    made = tables_of(pieces, all_splits)
    merger = new_merger(made, linear)
    encoder = new_encoder(made, merger, bits, bits)
    numbered = {text: (256 + place, score) for place, (text, score) in enumerate(pieces.items())}
    for _ in range(3):
        texts = st.text(alphabet, min_size=1, max_size=70) | st.text(alphabet, min_size=100, max_size=200)
        segments = data.draw(st.lists(texts, min_size=1, max_size=5))
        expected = [id for segment in segments for id in encode_segment(segment, numbered, range(256))]
        assert encode(merger, encoder, segments, window) == expected


@pytest.mark.parametrize("bits", [1, 3, 14])
def test_segments_that_are_short_but_of_many_ids(bits: int) -> None:
    """Their entries in the cache only say that there is a record; the record may be another's by then."""
    made = tables_of({"ab": 0.0, "é": -1.0, "bc": -2.0})
    merger = new_merger(made)
    encoder = new_encoder(made, merger, bits, bits)
    rng = random.Random(3)
    distinct = ["".join(rng.choices("abcdé", k=rng.randint(1, 15))) for _ in range(80)]
    numbered = {"ab": (256, 0.0), "é": (257, -1.0), "bc": (258, -2.0)}
    naive = {segment: encode_segment(segment, numbered, range(256)) for segment in distinct}
    assert {len(ids) > 4 for segment, ids in naive.items() if len(segment.encode()) <= 15} == {True, False}
    for _ in range(4):
        segments = rng.choices(distinct, k=600)
        assert encode(merger, encoder, segments, 100) == [id for segment in segments for id in naive[segment]]
    before = merger.work
    encode(merger, encoder, segments, 100)
    assert bits < 14 or merger.work == before, "where there is room nothing is merged twice"


def test_compiled_and_uncompiled_agree(uncompiled: SimpleNamespace) -> None:
    @given(vocabularies(), st.data(), st.sampled_from([1, 160]))
    def check(vocabulary: tuple[str, dict[str, float]], data: st.DataObject, linear: int) -> None:
        alphabet, pieces = vocabulary
        made = tables_of(pieces)
        segments = data.draw(st.lists(st.text(alphabet, min_size=1, max_size=40), min_size=1, max_size=8))
        results = []
        for new_one, new_other in ((new_merger, new_encoder), (uncompiled.merger, uncompiled.encoder)):
            merger = new_one(made, linear)
            encoder = new_other(made, merger, 2, 1)
            first = encode(merger, encoder, segments, 3)
            merger.dropout(12345, 1 << 51)
            encoder.cached(False)
            dropped = encode(merger, encoder, segments, 3)
            results.append((first, dropped, merger.work))
        assert results[0] == results[1]

    check()


def test_tables_compiled_and_uncompiled_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    source, pairs_source = load_uncompiled("tokenizer/tables_cy.py"), load_uncompiled("tokenizer/pairs_cy.py")

    @given(vocabularies())
    def check(vocabulary: tuple[str, dict[str, float]]) -> None:
        compiled = tables_of(vocabulary[1])
        with monkeypatch.context() as patch:
            patch.setattr(pairs, "build_pairs", pairs_source.build_pairs)
            for name in ("TableBuilder", "translate"):
                patch.setattr(tables, name, getattr(source, name))
            plain = tables_of(vocabulary[1])
        for one, other in ((compiled, plain), (compiled.pairs, plain.pairs)):
            for name in set(one.__slots__) - {"pairs"}:
                assert np.array_equal(getattr(one, name), getattr(other, name)), name

    check()


def test_decoder_compiled_and_uncompiled_agree() -> None:
    compiled, source = (
        __import__("piecetokenizer.tokenizer.decoder_cy", fromlist=["decode"]),
        load_uncompiled("tokenizer/decoder_cy.py"),
    )

    @given(st.lists(st.binary(max_size=40), min_size=1, max_size=10), st.data())
    def check(pieces: list[bytes], data: st.DataObject) -> None:
        ids = data.draw(st.lists(st.integers(0, len(pieces) - 1), max_size=20))
        arena, offsets = np.frombuffer(b"".join(pieces) or b"\0", np.uint8), np.cumsum([0, *map(len, pieces)])
        expected = b"".join(pieces[id] for id in ids)
        for module in (compiled, source):
            array = np.zeros(len(ids), np.int32)
            assert module.ids_of_list(ids, 0, array.data, len(pieces)) == len(ids)
            slots = np.zeros(16 * len(pieces), np.uint8)
            module.fill_slots(arena.data, offsets.data, slots.data)
            total = module.measure(array.data, slots.data, offsets.data)
            out, ends = np.zeros(total + 16, np.uint8), np.zeros(len(ids), np.int64)
            assert module.decode(array.data, slots.data, arena.data, offsets.data, out.data, ends.data) == total == len(expected)
            assert out[:total].tobytes() == expected
            assert ends.tolist() == np.cumsum([len(pieces[id]) for id in ids]).tolist()

    check()


@given(st.text("019 \t\n\r-", max_size=30), st.integers(0, 3))
def test_lines_of_ids_compiled_and_uncompiled(text: str, begin: int) -> None:
    data = b"7 x"[:begin] + text.encode()
    found = []
    for module in (decoder_cy, load_uncompiled("tokenizer/decoder_cy.py")):
        ids, ends = np.zeros(len(data) // 2 + 1, np.int32), np.zeros(text.count("\n") + 1, np.int64)
        found.append((module.ids_of_lines(memoryview(data), begin, len(data), ids.data, ends.data), ids.tolist(), ends.tolist()))
    assert found[0] == found[1]
    count, ids, ends = found[0]
    if set(text) & set("\r-") or max(map(int, text.split()), default=0) >= 2**31:
        assert count == -1
    else:
        assert ids[:count] == [int(word) for word in text.split()]
        assert ends[: text.count("\n")] == [len(text[: place + 1].split()) for place, char in enumerate(text) if char == "\n"]


@pytest.mark.parametrize(("count", "linear"), [(10_000, 160), (100_000, 160)])
def test_work_on_a_run_grows_as_n_log_n(count: int, linear: int) -> None:
    made = tables_of({"a" * (1 << power): -float(power) for power in range(12)})
    merger = new_merger(made, linear)
    ids = encode(merger, new_encoder(made, merger), ["a" * count], 1)
    assert ids == [256 + 11] * (count // 2048) + [256 + power for power in range(10, -1, -1) if count >> power & 1]
    assert merger.work < 6 * count * count.bit_length()


def test_a_segment_beyond_32_bits_is_refused() -> None:
    merger = new_merger(tables_of({}))
    with pytest.raises(InputError, match="a segment of 2147483647 bytes is too long"):
        widen(merger, (1 << 31) - 1)


def test_text_that_is_no_utf8_does_no_harm() -> None:
    """The normalizer lets none through; the kernels must stay inside their arrays all the same."""
    rng = np.random.default_rng(7)
    made = tables_of({"é": 0.0, "ab": -1.0, "abé": -2.0})
    merger = new_merger(made)
    encoder = new_encoder(made, merger, 4, 2)
    for size in (1, 7, 15, 16, 40, 300):
        text = np.zeros(size + PADDING, np.uint8)
        text[:size] = rng.integers(0, 256, size)
        ends, out = np.array([size]), np.zeros(size + 16, np.int32)
        encoder.output(out, out.view(np.uint8))
        encoder.begin_one(text, ends)
        assert encoder.run(1) == size
        assert 0 < encoder.size <= size
