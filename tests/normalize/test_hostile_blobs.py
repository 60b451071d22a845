"""Blobs that were damaged, or made to harm: an error that says what is wrong, or sound rules; never a crash, a wild read or a long wait."""

import struct
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from normalize.workers import new_worker, text_of
from reference.normalize import Rules, normalize

from piecetokenizer.errors import ModelError
from piecetokenizer.normalize import Charsmap
from piecetokenizer.normalize.blob import pack_blob
from piecetokenizer.normalize.double_array import build_units

SMALL = Charsmap.from_rules({"a": "b", "ab": "xyz", "é": "e", "e\u0301": "é", "中": "", "😀": ":)"}).blob
TEXTS = [b"", b"\0", b"ab", bytes(range(256)) * 3, "ab é e\u0301 中😀 x".encode() * 20, b"\xff" * 100]


def try_blob(blob: bytes) -> bool:
    """Load a blob; if it is taken, its rules are finite, sound, and what the kernel does with it is what they say."""
    try:
        charsmap = Charsmap.from_blob(blob)
    except ModelError as error:
        if not str(error).startswith("charsmap: ") or "\n" in str(error):
            raise AssertionError("a bad message") from error
        return False
    rules = charsmap.rules()
    reference = Rules(rules)
    assert Charsmap.from_rules(rules) == charsmap
    for text in TEXTS:
        worker = new_worker(True, charsmap)
        assert text_of(worker, worker.run_one(text)) == normalize(text, reference).text
    return True


@given(st.binary(max_size=3000))
def test_random_bytes(blob: bytes) -> None:
    try_blob(blob)


@given(st.lists(st.integers(0, 0xFFFFFFFF), min_size=1, max_size=600), st.binary(max_size=20))
def test_random_units(units: list[int], targets: bytes) -> None:
    try_blob(pack_blob(np.array(units, np.uint32), targets + b"\0"))


@given(st.lists(st.tuples(st.integers(0, len(SMALL) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_changed_bytes(changes: list[tuple[int, int]]) -> None:
    blob = bytearray(SMALL)
    for place, byte in changes:
        blob[place] = byte
    try_blob(bytes(blob))


@settings(max_examples=200)
@given(st.data())
def test_changed_units(data: st.DataObject) -> None:
    """Only the units that walks come by are changed, so that nearly every change matters."""
    blob = bytearray(SMALL)
    used = [place for place in range(4, 4 + 4 * 256, 4) if blob[place : place + 4] != b"\0\0\0\x80"]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(used))
        (unit,) = struct.unpack_from("<I", blob, place)
        change = data.draw(st.sampled_from([1 << bit for bit in range(32)]) | st.integers(0, 0xFFFFFFFF))
        struct.pack_into("<I", blob, place, unit ^ change)
    try_blob(bytes(blob))


@given(st.integers(0, len(SMALL) - 1))
@example(0)
@example(3)
@example(4)
def test_cut_off(size: int) -> None:
    assert size == 0 or not try_blob(SMALL[:size])


def units_of(rules: dict[bytes, int]) -> np.ndarray:
    return build_units(list(rules.items()))


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (b"abc", "it has 3 bytes"),
        (b"\0\0\0\0x\0", "its trie should have 0 bytes"),
        (b"\x08\0\0\0abcd", "its trie should have 8 bytes, but 4 follow"),
        (b"\x03\0\0\0abc\0", "its trie should have 3 bytes"),
        (b"\xff\xff\xff\xff" + b"\0" * 100, "its trie should have 4,294,967,295 bytes"),
        (pack_blob(units_of({b"a": 0}), b"b"), "its last target has no end"),
        (pack_blob(units_of({b"a": 0}), b""), "its last target has no end"),
        (pack_blob(units_of({b"a": 0}), b"\xff\0"), "its targets are not UTF-8 at byte 0"),
        (pack_blob(units_of({b"a": 1}), "é\0".encode()), "a leaf of the trie does not lead to a target"),
        (pack_blob(units_of({b"a": 9}), b"b\0"), "a leaf of the trie does not lead to a target"),
        (pack_blob(units_of({b"\xe4\xb8": 0}), b"b\0"), "a source is not UTF-8 at byte 1"),
        (pack_blob(units_of({b"\xff": 0}), b"b\0"), "a source is not UTF-8 at byte 0"),
        (pack_blob(units_of({b"\xed\xa0\x80": 0}), b"b\0"), "a source is not UTF-8 at byte 1"),
        (pack_blob(units_of({b"a" * 256: 0}), b"b\0"), "a circle, or a source of more than 255 bytes"),
        (pack_blob(np.array([0x100 | 5 << 10], np.uint32), b"b\0"), "a rule has an empty source"),
        (pack_blob(np.array([0xFFFFFC00], np.uint32), b"b\0"), "an offset in the trie leads out of it"),
        (pack_blob(np.array([1 << 10], np.uint32), b"b\0"), "a path of 0 bytes through the trie leads to no rule"),
    ],
)
def test_what_is_wrong_is_said(blob: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Charsmap.from_blob(blob)


def test_a_nul_in_a_source() -> None:
    units = units_of({b"a": 0})
    base = int(units[0]) >> 10
    units[base] = 0  # the child of the root by NUL
    with pytest.raises(ModelError, match="is not UTF-8 at byte 0, or has a NUL there"):
        Charsmap.from_blob(pack_blob(units, b"b\0"))


def test_a_circle() -> None:
    units = units_of({b"ab": 0})
    base = int(units[0]) >> 10
    child = base ^ ord("a")
    units[child] = (child ^ base) << 10 | ord("a")
    with pytest.raises(ModelError, match="a circle"):
        Charsmap.from_blob(pack_blob(units, b"b\0"))


def ladder(steps: int) -> bytes:
    """A blob of very many rules in few units: at each step, two bytes lead to the same node."""
    units = np.full(256 * (steps + 1), 0x80000000, np.uint32)
    units[0] = 256 << 10
    for step in range(steps):
        base = 256 * (step + 1)
        after = 256 * (step + 2) if step + 1 < steps else 1
        for byte in (ord("a"), ord("b")):
            has_leaf = 0 if step + 1 < steps else 0x100
            units[base ^ byte] = (base ^ byte ^ after) << 10 | has_leaf | byte
    return pack_blob(units, b"x\0")


def test_more_rules_than_can_be_listed() -> None:
    assert len(Charsmap.from_blob(ladder(10)).rules()) == 1024
    begin = time.perf_counter()
    for steps in (23, 60, 254):
        with pytest.raises(ModelError, match="more than 4,194,304 rules"):
            Charsmap.from_blob(ladder(steps))
    assert time.perf_counter() - begin < 5


def test_a_trie_without_whole_blocks() -> None:
    units = units_of({b"a": 0})
    last = int(np.flatnonzero(units != 0x80000000)[-1])
    charsmap = Charsmap.from_blob(pack_blob(units[: last + 1], b"b\0"))
    assert charsmap.rules() == {"a": "b"}
    worker = new_worker(True, charsmap)
    assert text_of(worker, worker.run_one(bytes(range(256)) + b"a\xff")).endswith("b\ufffd".encode())
