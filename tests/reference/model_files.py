"""Small models for tests, their files with edits, and what is said about a file that breaks a rule."""

from typing import Any

import pytest

from piecetokenizer.errors import ModelError
from piecetokenizer.model import Model
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def model(*normal: str, extra: tuple[tuple[str, int], ...] = (), **changes: Any) -> Model:
    """A small native model: unk, s, /s, the bytes, the NORMAL pieces, then pieces of other types."""
    texts = ["<unk>", "<s>", "</s>", *BYTES, *normal, *(text for text, _ in extra)]
    values: dict[str, Any] = {
        "counter": CounterSpec(vocab_size=len(texts)),
        "pretokenizer": PreTokenizerSpec(reconstruct=True),
        "tokenizer": TokenizerSpec(unk_id=0, bos_id=1, eos_id=2),
        "texts": texts,
        "scores": [0.0] * 259 + [-float(rank) for rank in range(len(normal))] + [0.0] * len(extra),
        "types": [2, 3, 3] + [6] * 256 + [1] * len(normal) + [type for _, type in extra],
    }
    return Model(**values | changes)


EXAMPLE = model("▁t", "th", "t", "h", "▁", parts=[None] * 259 + [("▁", "t"), ("t", "h"), None, None, None, None], extra=(("<|user|>", 3),))


def edited(*changes: tuple[str, str], of: Model = EXAMPLE) -> bytes:
    """The file of a model with some of its text replaced, each once."""
    text = of.dumps().decode()
    for old, new in changes:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    return text.encode("utf-8", "surrogateescape")


def refusal(data: bytes) -> str:
    with pytest.raises(ModelError) as caught:
        Model.loads(data, name="m.model")
    message = str(caught.value)
    assert message.startswith("m.model")
    assert message.isprintable(), message
    assert len(message) < 600
    return message


def line_of(text: str, data: bytes | None = None) -> int:
    """The number of the line that is `text`."""
    return (data or EXAMPLE.dumps()).decode().split("\n").index(text) + 1
