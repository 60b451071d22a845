"""Files that nobody vouches for: each is one clear error, at once and without memory."""

import random
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from formats.models import trained

from piecetokenizer import Model, formats
from piecetokenizer.errors import FormatError
from piecetokenizer.formats.gguf_file import read_keys

STRING, ARRAY, UINT32, INT32, FLOAT32, BOOL, UINT64 = 8, 9, 4, 5, 6, 7, 10


def string(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(data)) + data


def key(name: str, kind: int, value: bytes) -> bytes:
    return string(name) + struct.pack("<I", kind) + value


def strings(*texts: str | bytes) -> bytes:
    return struct.pack("<IQ", STRING, len(texts)) + b"".join(map(string, texts))


def numbers(kind: int, layout: str, values: list[Any]) -> bytes:
    return struct.pack("<IQ", kind, len(values)) + struct.pack(f"<{len(values)}{layout}", *values)


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
TOKENS = ["<unk>", "<s>", "</s>", *BYTES, "a", "▁a"]
TYPES = [2, 3, 3] + [6] * 256 + [1, 1]


def vocabulary(tokens: list[Any] = TOKENS, types: list[int] = TYPES, **others: bytes) -> list[bytes]:
    """The keys of a small vocabulary; `others` replace or add keys, by the last part of the name, as type and value; b"" leaves one out."""
    keys = {
        "model": text("llama"),
        "tokens": struct.pack("<I", ARRAY) + strings(*tokens),
        "token_type": array(INT32, "i", types),
        "scores": array(FLOAT32, "f", [0.0] * len(tokens)),
    }
    return [string(f"tokenizer.ggml.{name}") + value for name, value in (keys | others).items() if value]


def text(value: str) -> bytes:
    return struct.pack("<I", STRING) + string(value)


def number(value: int) -> bytes:
    return struct.pack("<II", UINT32, value)


def array(kind: int, layout: str, values: list[Any]) -> bytes:
    return struct.pack("<I", ARRAY) + numbers(kind, layout, values)


def promised(name: str, kind: int, count: int) -> bytes:
    """An array that says how many items it has, and then has none."""
    return key(name, ARRAY, struct.pack("<IQ", kind, count))


def scored(last: float) -> bytes:
    return array(FLOAT32, "f", [0.0] * (len(TOKENS) - 1) + [last])


def gguf(keys: list[bytes], *, magic: bytes = b"GGUF", version: int = 3, count: int | None = None) -> bytes:
    return magic + struct.pack("<IQQ", version, 0, len(keys) if count is None else count) + b"".join(keys)


def test_the_file_that_the_others_are_made_from_is_sound(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf(vocabulary()))
    model = formats.load(tmp_path / "m.gguf")
    assert (model.texts, model.types.tolist()) == (tuple(TOKENS), TYPES)
    assert (model.tokenizer.semantics, model.pretokenizer.prefix, model.tokenizer.add_bos) == ("llama", "fragment", True)


HUGE = 1 << 60
PRE = "tokenizer.ggml."
NO_A = [5 if token == "<0x41>" else type for token, type in zip(TOKENS, TYPES, strict=True)]

Make = Callable[[], bytes]
BROKEN_FILES: dict[str, tuple[Make, str]] = {
    "another magic": (lambda: gguf([], magic=b"GGUX"), "expected a piecetokenizer model, a GGUF"),
    "version 1": (lambda: gguf([], version=1), "GGUF version 1 is not supported"),
    "big-endian": (lambda: gguf([], version=3 << 24), "GGUF version 3 is big-endian"),
    "nothing": (lambda: b"", "an empty file"),
    "only the magic": (lambda: b"GGUF", "cut off or damaged: the version"),
    "2^60 keys": (lambda: gguf(vocabulary(), count=HUGE), f"{HUGE} keys would take"),
    "one key too many": (lambda: gguf(vocabulary(), count=5), "cut off or damaged"),
    "2^60 tokens": (lambda: gguf([promised(f"{PRE}tokens", STRING, HUGE)]), f"{HUGE} items of {PRE}tokens"),
    "2^60 scores": (lambda: gguf([promised(f"{PRE}scores", FLOAT32, HUGE)]), f"{HUGE} items of {PRE}scores"),
    "2^64-1 of what nobody wants": (lambda: gguf([promised("x", 0, (1 << 64) - 1)]), "items of x would take"),
    "a string of 2^63": (lambda: gguf([key("general.name", STRING, struct.pack("<Q", 1 << 63))]), "general.name would take"),
    "a key of 2^62": (lambda: gguf([struct.pack("<Q", 1 << 62)]), "cut off or damaged: 1 keys"),
    "a long key": (lambda: gguf([key("k" * 70000, UINT32, bytes(4))]), "a string of a key has 70000 bytes"),
    "an unknown type": (lambda: gguf([key("x", 13, bytes(8))]), "the key x has type 13, which GGUF does not have"),
    "an array of arrays": (lambda: gguf([key("x", ARRAY, struct.pack("<IQ", ARRAY, 1) * 9)]), "the array x has items of arrays"),
    "an array of an unknown type": (lambda: gguf([key("x", ARRAY, struct.pack("<IQ", 99, 1) + bytes(8))]), "items of type 99"),
    "a key twice": (lambda: gguf([*vocabulary(), *vocabulary()]), f"the key {PRE}model is there twice"),
}
BROKEN_VOCABULARIES: dict[str, tuple[Callable[[], list[bytes]], str]] = {
    "no tokens": (lambda: vocabulary([]), "the file has no vocabulary"),
    "tokens as text": (lambda: [string(f"{PRE}model") + text("llama"), string(f"{PRE}tokens") + text("a")], "not a list of strings"),
    "no token types": (lambda: vocabulary(token_type=b""), f"{PRE}token_type is missing"),
    "no scores": (lambda: vocabulary(scores=b""), f"{PRE}scores is missing"),
    "a type for too few": (lambda: vocabulary(types=TYPES[:-1]), "token_type has 260 entries for 261 tokens"),
    "a type too high": (lambda: vocabulary(types=[*TYPES[:-1], 7]), "piece 260 has type 7"),
    "a type too low": (lambda: vocabulary(types=[*TYPES[:-1], -1]), "piece 260 has type -1"),
    "types of another width": (lambda: vocabulary(token_type=array(11, "q", TYPES)), "token_type is not an array of INT32"),
    "a token twice": (lambda: vocabulary([*TOKENS[:-1], "a"]), "piece 260 'a' has the same text as piece 259"),
    "an empty token": (lambda: vocabulary([*TOKENS[:-1], ""]), "piece 260 is empty"),
    "not UTF-8": (lambda: vocabulary([*TOKENS[:-1], b"a\xff"]), "token 260 is not valid UTF-8: byte 0xFF at 1"),
    "100,000 bytes": (lambda: vocabulary([*TOKENS[:-1], "a" * 100_000]), "has 100000 bytes"),
    "a score that is no number": (lambda: vocabulary(scores=scored(float("nan"))), "has score nan"),
    "a byte missing": (lambda: vocabulary(types=NO_A), "1 of the 256 byte pieces are missing, the first is <0x41>"),
    "another kind": (lambda: vocabulary(model=text("bert")), f"{PRE}model=bert cannot be imported"),
    "no kind": (lambda: vocabulary(model=b""), f"{PRE}model=missing cannot be imported"),
    "byte-level": (lambda: vocabulary(model=text("gpt2"), pre=text("llama-bpe")), f"a byte-level BPE ({PRE}model=gpt2, pre=llama-bpe)"),
    "a kind that is a number": (lambda: vocabulary(model=number(1)), f"{PRE}model is not a STRING"),
    "an id that is text": (lambda: vocabulary(eos_token_id=text("2")), f"{PRE}eos_token_id is not a number"),
    "a flag that is a number": (lambda: vocabulary(add_bos_token=number(1)), f"{PRE}add_bos_token is not a BOOL"),
    "a prefix that is a number": (lambda: vocabulary(add_space_prefix=number(1)), f"{PRE}add_space_prefix is not a BOOL"),
    "suppressed as text": (lambda: vocabulary(suppress_tokens=text("5")), f"{PRE}suppress_tokens is not an array of INT32"),
}
BROKEN = BROKEN_FILES | {name: (lambda keys=keys: gguf(keys()), message) for name, (keys, message) in BROKEN_VOCABULARIES.items()}


@pytest.mark.parametrize(("data", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_gguf_is_one_clear_error(data: Callable[[], bytes], message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(data())
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as caught:
            formats.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert peak < 4_000_000


def test_ids_outside_are_taken_as_llama_cpp_takes_them(tmp_path: Path) -> None:
    """It does not use them, and says so in its log only."""
    suppressed = array(INT32, "i", [-1, 4, 5000])
    keys = vocabulary(eot_token_id=number(5000), padding_token_id=number(5000), suppress_tokens=suppressed)
    (tmp_path / "m.gguf").write_bytes(gguf(keys))
    spec = formats.load(tmp_path / "m.gguf").tokenizer
    assert (spec.eot_id, spec.pad_id, spec.suppressed) == (-1, -1, (4,))


def test_what_is_not_wanted_is_skipped(tmp_path: Path) -> None:
    """Every type of value before the one that is asked for, and tensor data behind."""
    sizes = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
    keys = [key(f"skipped.{kind}", kind, bytes(size)) for kind, size in sizes.items()]
    keys.append(key("skipped.text", STRING, string("x" * 5000)))
    keys.append(key("skipped.texts", ARRAY, strings("a", "bc", "")))
    keys.append(key("skipped.numbers", ARRAY, numbers(UINT64, "Q", [1, 2])))
    (tmp_path / "m.gguf").write_bytes(gguf([*keys, key("wanted", FLOAT32, struct.pack("<f", 1.5))]) + b"tensors" * 100)
    assert read_keys(tmp_path / "m.gguf", ["wanted", "absent"]) == {"wanted": 1.5}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """One file of each format, from the same small model."""
    folder = tmp_path_factory.mktemp("written")
    model = trained(560, user_defined=("New York",), normalization="nfkc")
    found = {"m.piece": model.dumps()}
    formats.export(model, folder / "m.gguf", to="gguf", verify=["a"])
    formats.export(model, folder / "b.gguf", to="gguf", route="bpe", verify=["a"])
    formats.export(model, folder / "m.model", to="sentencepiece", verify=["a"])
    formats.export(trained(560, reconstruct=True), folder, to="huggingface", verify=["a"])
    for name in ("m.gguf", "b.gguf", "m.model", "tokenizer.json"):
        found[name] = (folder / name).read_bytes()
    rows = "".join(f"{p.id}\t{p.text}\t{p.score:g}\t{int(p.type)}\t\t\n" for p in trained(560))
    head = "[CounterSpec]\nmethod=sentencepiece\n\n[PreTokenizerSpec]\nname=NFKC\nspace=▁\ncut=1\n\n[Pieces]\nsize=560\n"
    found["legacy.model"] = (head + rows).encode()
    return found


NAMES = ["m.gguf", "b.gguf", "m.model", "tokenizer.json", "legacy.model"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_off_anywhere_is_an_error(name: str, written: dict[str, bytes], tmp_path: Path) -> None:
    data = written[name]
    chance = random.Random(5)
    path = tmp_path / name
    for size in sorted({0, 1, 5, len(data) // 2, len(data) - 5, *(chance.randrange(len(data) - 5) for _ in range(25))}):
        path.write_bytes(data[:size])
        with pytest.raises(FormatError):
            formats.load(path)


@pytest.mark.parametrize("name", NAMES)
def test_damage_is_a_clear_error_or_another_model_but_never_a_crash(name: str, written: dict[str, bytes], tmp_path: Path) -> None:
    """Bytes changed, cut out, doubled, or exchanged, as a fuzzer does it, from a fixed seed."""
    chance = random.Random(name)
    path = tmp_path / name
    outcomes = {"error": 0, "model": 0}
    for _ in range(60):
        data = bytearray(written[name])
        for _ in range(chance.choice((1, 1, 2, 8))):
            place, size = chance.randrange(len(data)), chance.choice((1, 4, 8, 100))
            kind = chance.randrange(4)
            if kind == 0:
                data[place] = chance.randrange(256)
            elif kind == 1:
                del data[place : place + size]
            elif kind == 2:
                data[place : place + 8] = struct.pack("<Q", chance.choice((0, 1, 255, 1 << 31, 1 << 32, HUGE, (1 << 64) - 1)))
            else:
                data[place:place] = data[place : place + size]
        path.write_bytes(data)
        outcome = outcome_of(path)
        outcomes["error" if isinstance(outcome, FormatError) else "model"] += 1
        assert "\n" not in str(outcome)
    assert outcomes["error"] > 0


def outcome_of(path: Path) -> FormatError | Model:
    """What loading gives, the error or the model; any other exception is a failure."""
    try:
        return formats.load(path)
    except FormatError as error:
        return error


def test_errors_about_places_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no/such: cannot be read: No such file"):
        formats.load(tmp_path / "no" / "such")
    with pytest.raises(FormatError, match=r"the folder has no tokenizer\.json"):
        formats.load(tmp_path)
    for data, what in (
        (b"\x1f\x8b\x08", "compressed with gzip"),
        (b"hello", "no format that is known"),
        (b"\n\n\n\n", "not a SentencePiece model, or damaged"),
    ):
        (tmp_path / "x").write_bytes(data)
        with pytest.raises(FormatError, match=what):
            formats.load(tmp_path / "x")
