"""Batches equal loops, whatever the threads and the form of the result."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.small_models import FIRST, small_model

from piecetokenizer.errors import IdError, InputError, SpecError
from piecetokenizer.tokenizer import Tokenizer

MODEL = small_model(["ab", " ab", "你好", "c"], control=["<|end|>"], user=["New York"])
TOKENIZER = Tokenizer(MODEL)
PLAIN = Tokenizer(small_model(["ab", " ab", "你好", "c"]))
TEXTS = st.lists(st.text("abc 你好", max_size=12) | st.sampled_from(["New York", "<|end|>ab", "<s>"]), max_size=12)


@pytest.mark.filterwarnings("ignore:the text begins with")
@given(TEXTS, st.booleans(), st.booleans(), st.sampled_from(["text", "parse"]), st.sampled_from([1, 3]))
def test_equals_a_loop(texts: list[str], bos: bool, eos: bool, special: str, threads: int) -> None:
    for tokenizer in (TOKENIZER, PLAIN):
        options: dict[str, object] = {"bos": bos, "eos": eos, "special": special}
        expected = [tokenizer.encode(text, **options) for text in texts]  # type: ignore[call-overload]
        assert tokenizer.encode_batch(texts, threads=threads, **options) == expected  # type: ignore[arg-type]
        assert list(tokenizer.encode_iter(iter(texts), threads=threads, **options)) == expected  # type: ignore[arg-type]
        flat = tokenizer.encode_batch(texts, out="flat", threads=threads, **options)  # type: ignore[arg-type]
        assert [flat.ids[a:b].tolist() for a, b in zip(flat.offsets, flat.offsets[1:], strict=False)] == expected
        assert flat.ids.dtype == np.int32
        assert [tokenizer.count_tokens(text, **options) for text in texts] == list(map(len, expected))  # type: ignore[arg-type]
        assert tokenizer.decode_batch(expected) == [tokenizer.decode(ids) for ids in expected]


def test_many_chunks_and_threads() -> None:
    texts = ["ab 你好 c" * (i % 50) for i in range(20_000)]
    expected = PLAIN.encode_batch(texts)
    assert expected == [PLAIN.encode(text) for text in texts]
    assert PLAIN.encode_batch(texts, threads=4) == expected
    assert PLAIN.encode_batch(texts, threads=4, out="flat").ids.tolist() == [id for ids in expected for id in ids]


def test_a_stream_is_read_as_it_is_used() -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield "ab c"

    for threads in (1, 2):
        taken = 0
        stream = TOKENIZER.encode_iter(endless(), threads=threads)
        assert next(stream) == TOKENIZER.encode("ab c")
        stream.close()  # type: ignore[attr-defined]
        assert taken < 200_000


@given(TEXTS, st.booleans(), st.booleans(), st.integers(2, 8), st.sampled_from(["left", "right"]), st.sampled_from(["left", "right"]))
def test_padding_and_truncation(texts: list[str], bos: bool, eos: bool, most: int, cut: str, pad: str) -> None:
    rows = []
    for text in texts:
        ids = TOKENIZER.encode(text)
        room = most - bos - eos
        ids = ids[:room] if cut == "right" else ids[len(ids) - min(room, len(ids)) :]
        rows.append([1] * bos + ids + [2] * eos)
    options = {"bos": bos, "eos": eos, "max_length": most, "truncation_side": cut}
    assert TOKENIZER.encode_batch(texts, **options) == rows
    matrix = TOKENIZER.encode_batch(texts, out="padded", pad_id=0, padding_side=pad, **options)
    width = max(map(len, rows), default=0)
    assert matrix.ids.shape == matrix.mask.shape == (len(texts), width)
    for row, ids, mask in zip(rows, matrix.ids.tolist(), matrix.mask.tolist(), strict=True):
        filler = [0] * (width - len(row))
        assert ids == (row + filler if pad == "right" else filler + row)
        assert [id for id, real in zip(ids, mask, strict=True) if real] == row


@pytest.mark.parametrize("large", [2**31, 2**63, 10**30])
def test_a_limit_beyond_all_integers_of_the_machine_cuts_nothing(large: int) -> None:
    whole = TOKENIZER.encode_batch(["ab c", ""], bos=True)
    assert TOKENIZER.encode_batch(["ab c", ""], bos=True, max_length=large) == whole


def test_width_of_the_matrix() -> None:
    assert TOKENIZER.encode_batch(["ab", "c c"], out="padded", pad_to=8, pad_id=2).ids.shape == (2, 8)
    with pytest.raises(SpecError, match="the longest text has 3 ids"):
        TOKENIZER.encode_batch(["ab", "c c"], out="padded", pad_to=2, pad_id=2)
    padding = Tokenizer(MODEL.replace(tokenizer=MODEL.tokenizer.replace(pad_id=2)))
    assert padding.encode_batch(["ab", ""], out="padded").ids.tolist() == [[FIRST + 2], [2]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"out": "padded"}, "this model has no pad piece"),
        ({"out": "numpy"}, "out='numpy'"),
        ({"threads": 0}, "threads=0"),
        ({"threads": 10**9}, "threads=1000000000 .* to 1024"),
        ({"max_length": 1, "bos": True, "eos": True}, "max_length=1"),
        ({"max_length": 5, "truncation_side": "up"}, "truncation_side='up'"),
        ({"out": "padded", "pad_id": 0, "padding_side": "up"}, "padding_side='up'"),
    ],
)
def test_options_that_are_not_allowed(options: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        TOKENIZER.encode_batch(["ab"], **options)  # type: ignore[arg-type]


def test_bad_texts() -> None:
    with pytest.raises(InputError, match=r"text 1 of the batch: .*character 1"):
        PLAIN.encode_batch(["a", "a\ud800"])
    with pytest.raises(InputError, match="text 20000 of the batch"):
        PLAIN.encode_batch(["a"] * 20_000 + ["\ud800"], threads=3)
    assert PLAIN.encode_batch(["a\ud800"], errors="replace") == [PLAIN.encode("a\ufffd")]
    with pytest.raises(InputError, match="give a list of texts"):
        PLAIN.encode_batch("ab")
    with pytest.raises(IdError):
        TOKENIZER.encode_batch(["ab"], out="padded", pad_id=10**6)
    assert PLAIN.encode_batch(["ab"]) == [[FIRST]], "after all that"


@given(st.lists(st.text("ab c", max_size=30), max_size=6), st.integers(0, 2**64), st.sampled_from([0.1, 0.5, 1.0]))
def test_dropout_depends_on_seed_and_place_only(texts: list[str], seed: int, dropout: float) -> None:
    batch = TOKENIZER.encode_batch(texts, dropout=dropout, seed=seed)
    assert TOKENIZER.encode_batch(texts, dropout=dropout, seed=seed, threads=3) == batch
    assert TOKENIZER.encode_batch(texts, dropout=dropout, seed=seed, out="flat").ids.tolist() == [id for ids in batch for id in ids]
    assert batch[:1] == [TOKENIZER.encode(text, dropout=dropout, seed=seed) for text in texts[:1]]
    assert TOKENIZER.decode_batch(batch) == texts


def test_dropout_leaves_out_merges() -> None:
    text = "ab" * 2000
    assert TOKENIZER.encode(text, dropout=1.0, out="pieces") == ["<0x61>", "<0x62>"] * 2000
    counts = [TOKENIZER.encode(text, dropout=0.25, seed=seed).count(FIRST + 2) for seed in range(5)]
    assert len(set(counts)) > 1
    assert all(abs(count - 1500) < 150 for count in counts), "8 standard deviations"
    assert TOKENIZER.encode(text, dropout=0.25) != TOKENIZER.encode(text, dropout=0.25), "without a seed"
    assert TOKENIZER.encode(text) == [FIRST + 2] * 2000, "and the cache has seen nothing of it"
    for bad in (-0.1, 1.1, float("nan"), "1"):
        with pytest.raises(SpecError, match="dropout="):
            TOKENIZER.encode(text, dropout=bad)  # type: ignore[call-overload]
    with pytest.raises(SpecError, match="seed="):
        TOKENIZER.encode(text, dropout=0.1, seed="x")  # type: ignore[call-overload]
