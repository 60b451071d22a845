"""Decoding: what ids print, and what is refused as an id."""

import array
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.small_models import FIRST, FIRST_BYTE, small_model

from piecetokenizer.errors import IdError, IdTypeError, InputError, SpecError
from piecetokenizer.tokenizer import Tokenizer
from piecetokenizer.tokenizer.batch import Flat, Padded

PIECES = ["ab", " c", "你好", "a piece that is longer than a slot"]
MODEL = small_model(PIECES, control=["<|end|>"], user=["New York"])
TOKENIZER = Tokenizer(MODEL)
SIZE = len(MODEL)
END, NEW_YORK, AB = FIRST, FIRST + 1, FIRST + 2


def printed(id: int) -> bytes:
    """What an id prints, by the definition."""
    if FIRST_BYTE <= id < FIRST:
        return bytes([id - FIRST_BYTE])
    if id == NEW_YORK:
        return b"New York"
    return PIECES[id - AB].encode() if id >= AB else b""


@given(st.lists(st.integers(0, SIZE - 1), max_size=60))
def test_bytes_join_and_then_become_text(ids: list[int]) -> None:
    expected = b"".join(map(printed, ids))
    assert TOKENIZER.decode_bytes(ids) == expected
    assert TOKENIZER.decode(ids) == expected.decode("utf-8", "replace")


PREFIXED = Tokenizer(small_model(PIECES, control=["<|end|>"], user=["New York"], prefix="text"))


@pytest.mark.parametrize("tokenizer", [TOKENIZER, PREFIXED])
@given(rows=st.lists(st.lists(st.integers(0, SIZE - 1), max_size=9), max_size=9), skip=st.booleans())
def test_lines_are_the_texts_one_by_one(tokenizer: Tokenizer, rows: list[list[int]], skip: bool) -> None:
    ids, offsets = np.array([id for row in rows for id in row], np.int32), np.cumsum([0, *map(len, rows)])
    found = tokenizer.decode_lines(ids, offsets, skip_special=skip)
    assert found == "".join(f"{text}\n" for text in tokenizer.decode_batch(rows, skip_special=skip)).encode()


@pytest.mark.parametrize("offsets", [None, "x", [0, 1 << 70], [0.0, 3.0], [False, 3.5]])
def test_offsets_that_are_no_numbers(offsets: Any) -> None:
    with pytest.raises(InputError, match="an array of whole numbers"):
        TOKENIZER.decode_lines([AB, AB, AB], offsets)


ROWS = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=9) | st.lists(st.just(AB), min_size=300, max_size=301), max_size=9)


@pytest.mark.parametrize("tokenizer", [TOKENIZER, PREFIXED])
@given(rows=ROWS, skip=st.booleans(), threads=st.sampled_from([1, 3]))
def test_a_batch_is_the_texts_one_by_one(tokenizer: Tokenizer, rows: list[list[int]], skip: bool, threads: int) -> None:
    expected = [tokenizer.decode(ids, skip_special=skip) for ids in rows]
    ids, offsets = np.array([id for row in rows for id in row], np.int32), np.cumsum([0, *map(len, rows)])
    mask = np.arange(max(map(len, rows), default=0)) < np.array(list(map(len, rows)), np.int64)[:, None]
    matrix = np.full(mask.shape, AB, np.int32)
    matrix[mask] = ids
    batches = [
        rows, iter(rows), tuple(map(tuple, rows)), (iter(row) for row in rows), [np.array(row, np.int64) for row in rows],
        [row if n % 2 else np.array(row, np.uint16) for n, row in enumerate(rows)], Flat(ids, offsets), Padded(matrix, mask),
    ]  # fmt: skip
    for batch in batches:
        assert tokenizer.decode_batch(batch, skip_special=skip, threads=threads) == expected  # type: ignore[arg-type]


def test_a_batch_of_many_chunks() -> None:
    rows = [[AB] * (n % 40) + [FIRST_BYTE + 10] * (n % 9000 == 8999) for n in range(40_000)]  # two chunks have a text with LF
    expected = [TOKENIZER.decode(ids) for ids in rows]
    assert TOKENIZER.decode_batch(rows) == TOKENIZER.decode_batch(rows, threads=3) == expected
    flat = Flat(np.array([id for row in rows for id in row], np.int32), np.cumsum([0, *map(len, rows)]))
    assert TOKENIZER.decode_batch(flat) == TOKENIZER.decode_batch(flat, threads=3) == expected
    flat.ids[flat.offsets[20_001]] = SIZE
    with pytest.raises(IdError, match=f"^sequence 20001 of the batch: id {SIZE} at position 0"):
        TOKENIZER.decode_batch(flat)


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ([[AB], [AB, SIZE]], f"^sequence 1 of the batch: id {SIZE} at position 1 is not in the vocabulary"),
        ([[AB]] * 20_000 + [[True]], "^sequence 20000 of the batch: True at position 0 is a bool"),
        ([np.array([AB]), np.array([1.5])], "^sequence 1 of the batch: an array of float64 is not ids"),
        ([[AB], AB], "^sequence 1 of the batch: int is not ids"),
        (np.zeros((2, 1, 1), np.int32), r"^sequence 0 of the batch: an array of shape \(1, 1\) is not one sequence of ids"),
        ([AB, AB], "^these are ids, not sequences of ids: give a list of sequences, or use decode, or decode_lines"),
        (np.array([AB]), "^these are ids, not sequences of ids"),
        (AB, "^int is not a batch: give a list of sequences of ids"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_in_which_something_is_wrong(batch: object, message: str, threads: int) -> None:
    with pytest.raises((IdError, IdTypeError), match=message):
        TOKENIZER.decode_batch(batch, threads=threads)  # type: ignore[arg-type]


def test_a_batch_with_options_that_are_wrong() -> None:
    with pytest.raises(SpecError, match="threads=0"):
        TOKENIZER.decode_batch([[AB]], threads=0)
    with pytest.raises(InputError, match="offsets of 1 ids"):
        TOKENIZER.decode_batch(Flat(np.array([AB], np.int32), np.array([0, 2])))


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 2, 1, 3], [0, 4], [[0, 3]]])
def test_offsets_that_are_none(offsets: list[int]) -> None:
    with pytest.raises(InputError, match="offsets of 3 ids"):
        TOKENIZER.decode_lines([AB, AB, AB], np.array(offsets, np.int64))
    with pytest.raises(IdError, match=f"id {SIZE} at position 2"):  # the line's end is no id
        TOKENIZER.decode_lines([AB, AB, SIZE], np.array([0, 3]))


def test_special_pieces_print_when_asked() -> None:
    ids = [1, AB, NEW_YORK, END, 0, 2]
    assert TOKENIZER.decode(ids) == "abNew York"
    assert TOKENIZER.decode(ids, skip_special=False) == "<s>abNew York<|end|><unk></s>"


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"\xf0", "\ufffd"), (b"\xf0\x9f\x9a", "\ufffd"), (b"\xf0\x9f\x9a\x80", "🚀"), (b"\xff\xfe", "\ufffd\ufffd"),
     (b"a\xe4\xbdb", "a\ufffdb")],
)  # fmt: skip
def test_one_replacement_for_each_maximal_ill_formed_part(data: bytes, expected: str) -> None:
    ids = [FIRST_BYTE + byte for byte in data]
    assert TOKENIZER.decode(ids) == expected
    assert TOKENIZER.decode_bytes(ids) == data


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
def test_arrays_of_any_integer_type(dtype: type) -> None:
    assert TOKENIZER.decode(np.array([100, 101], dtype)) == "ab"


class Tensor:
    """Something like a tensor of another library."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array([AB, AB + 1])


@pytest.mark.parametrize(
    "ids",
    [[AB, AB + 1], (AB, AB + 1), np.array([AB, AB + 1]), np.array([AB, 0, AB + 1])[::2], [np.int64(AB), np.uint16(AB + 1)],
     array.array("l", [AB, AB + 1]), range(AB, AB + 2), (i for i in (AB, AB + 1)), Tensor(), np.array([AB, AB + 1], object)],
    ids=["list", "tuple", "numpy", "strided", "numpy scalars", "array", "range", "generator", "tensor", "objects"],
)  # fmt: skip
def test_many_kinds_of_sequences(ids: object) -> None:
    assert TOKENIZER.decode(ids) == "ab c"  # type: ignore[arg-type]


@pytest.mark.parametrize("empty", [[], (), np.array([]), np.array([], np.int64)])
def test_no_ids(empty: object) -> None:
    assert TOKENIZER.decode(empty) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [10**6, -1, 10**30, -(10**30), SIZE, np.int64(SIZE), np.int8(-1)])
def test_ids_outside_the_vocabulary(bad: int) -> None:
    message = f"id {bad} at position 2 is not in the vocabulary of {SIZE} pieces"
    with pytest.raises(IdError, match=message):
        TOKENIZER.decode([AB, AB, bad])
    with pytest.raises(IndexError, match=message):
        TOKENIZER.decode_batch([[AB], [AB, AB, bad]])
    if abs(bad) < 2**63:
        with pytest.raises(IdError, match=message):
            TOKENIZER.decode(np.array([AB, AB, bad], np.int64))


@pytest.mark.parametrize("bad", [True, np.True_, 1.0, np.float32(1), "1", None, b"1", [1], np.array([1, 2])])
def test_what_is_no_id(bad: object) -> None:
    with pytest.raises(IdTypeError, match="at position 1"):
        TOKENIZER.decode([AB, bad])  # type: ignore[list-item]


@pytest.mark.parametrize("bad", ["12", b"12", 12, None, np.array([True]), np.array([1.0]), np.array([[1]]), np.array(1)])
def test_what_is_no_sequence_of_ids(bad: object) -> None:
    with pytest.raises(TypeError):
        TOKENIZER.decode(bad)  # type: ignore[arg-type]


def test_the_callers_array_stays_as_it_is() -> None:
    ids = np.array([AB, AB + 1], np.int32)
    ids.flags.writeable = False
    assert TOKENIZER.decode(ids) == "ab c"


def test_pieces_by_id_and_by_text() -> None:
    assert TOKENIZER.id_to_piece(AB + 1) == "▁c"
    assert TOKENIZER.id_to_piece([1, AB]) == ["<s>", "ab"]
    assert TOKENIZER.piece_to_id("▁c") == AB + 1
    assert TOKENIZER.piece_to_id("no piece") is None
    assert len(TOKENIZER) == TOKENIZER.vocab_size == SIZE
    with pytest.raises(IdError):
        TOKENIZER.id_to_piece(SIZE)
