"""One tokenizer for many threads and processes, and as a value."""

import multiprocessing
import pickle
import random
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from reference.small_models import small_model

from piecetokenizer.errors import ModelError, SpecError
from piecetokenizer.pretokenize import Dictionary
from piecetokenizer.tokenizer import Tokenizer
from piecetokenizer.train import train

MODEL = small_model(["ab", " ab", "你好", "abab", " c"], user=["New York"], control=["<|end|>"])
THREADS = 16


def texts(seed: int) -> list[str]:
    """Short and long ones, so that workspaces grow while others use theirs."""
    rng = random.Random(seed)
    return ["".join(rng.choices(["ab", " ", "你好", "c", "New York", "<|end|>", "😀"], k=rng.choice([0, 3, 30, 3000]))) for _ in range(40)]


def test_many_threads_share_one() -> None:
    tokenizer = Tokenizer(MODEL)
    work = [texts(seed) for seed in range(THREADS)]
    expected = [[Tokenizer(MODEL).encode(text) for text in some] for some in work]
    barrier = threading.Barrier(THREADS)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def run(some: list[str]) -> list[list[int]]:
        barrier.wait()
        found = [tokenizer.encode(text) for text in some]
        assert [tokenizer.decode(ids) for ids in found] == some
        assert tokenizer.encode_batch(some, threads=2) == found
        dropped = tokenizer.encode_batch(some, dropout=0.3, seed=7)
        assert tokenizer.decode_batch(dropped) == some
        return found

    try:
        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(run, work)) == expected
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_processes(method: str) -> None:
    tokenizer = Tokenizer(MODEL)
    text = "ab 你好 New York"
    ids = tokenizer.encode(text)  # a workspace is in the pool when the process is forked
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.apply(Tokenizer.encode, (tokenizer, text)) == ids
        assert pool.apply(Tokenizer.decode, (tokenizer, ids)) == text
        assert pool.map(tokenizer.encode, [text] * 10) == [ids] * 10
    assert tokenizer.encode(text) == ids


def test_as_a_value() -> None:
    one, same, other = Tokenizer(MODEL), Tokenizer(MODEL.replace()), Tokenizer(small_model(["ab"]))
    assert one == same
    assert hash(one) == hash(same)
    assert one.fingerprint == same.fingerprint
    assert one != other
    assert one != MODEL
    assert one.fingerprint != other.fingerprint
    assert {one: 1}[same] == 1
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert again.encode("ab 你好") == one.encode("ab 你好")
    with pytest.raises(AttributeError):
        one.extra = 1  # type: ignore[attr-defined]


def test_every_trained_piece_comes_out_again() -> None:
    rng = random.Random(3)
    words = ["".join(rng.choices("abcdeé你好", k=rng.randint(1, 6))) for _ in range(60)]
    corpus = [" ".join(rng.choices(words, k=12)) for _ in range(200)]
    for options in ({}, {"split": "isolate", "digit": "split", "cn": "char"}, {"split": "none"}):
        model = train(iter(corpus), vocab_size=500, reconstruct=True, soft_vocab_limit=True, **options)
        tokenizer = Tokenizer(model)
        normal = [piece for piece in model if piece.type == 1]
        assert len(normal) > 50
        for piece in normal:
            text = piece.text.replace("▁", " ")
            assert tokenizer.encode(text) == [piece.id]
            assert tokenizer.decode([piece.id]) == text
        for text in corpus[:50]:
            assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_model_with_a_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "small.txt"
    path.write_text("世界 10\n你好 10\n我们 5\n", "utf-8")
    model = train(iter(["你好世界我们"] * 20), vocab_size=280, reconstruct=True, dict=path, soft_vocab_limit=True)
    model.save(tmp_path / "dict.model")
    tokenizers = [
        Tokenizer(model, dictionary=Dictionary.load(path)),
        Tokenizer(model, dictionary=str(path)),
        Tokenizer.load(tmp_path / "dict.model", dict=path),
        pickle.loads(pickle.dumps(Tokenizer(model, dictionary=path))),
    ]
    for tokenizer in tokenizers:
        assert tokenizer.encode("我们你好世界", out="pieces") == ["我们", "你好", "世界"]
    path.write_text("世界 10\n你好 11\n我们 5\n", "utf-8")
    with pytest.raises(ModelError, match="small"):
        Tokenizer(model, dictionary=path)
    with pytest.raises(SpecError, match="this model uses no dictionary"):
        Tokenizer(MODEL, dictionary="zh")


def test_it_can_be_referred_to_weakly_and_says_so_when_it_is_not_made() -> None:
    tokenizer = Tokenizer(MODEL)
    assert weakref.ref(tokenizer)() is tokenizer
    with pytest.raises(AttributeError):
        Tokenizer.__new__(Tokenizer).encode("ab")


def test_encode_of_the_class_is_an_error() -> None:
    for other in (5, "ab", None):
        with pytest.raises(TypeError, match="encode"):
            Tokenizer.encode(other, "ab")  # type: ignore[call-overload]
