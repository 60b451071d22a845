"""What a call gives does not depend on the calls before it: they share workspaces, whose kernels are bound anew for each."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from reference.small_models import small_model

from piecetokenizer.errors import InputError
from piecetokenizer.model import Model
from piecetokenizer.tokenizer import Tokenizer

PIECES = ["ab", " ab", "a", "  ", "你好", "é", "fi", " t", "th"]
MODELS = {
    "plain": small_model(PIECES),
    "one segment": small_model(PIECES, split="none"),
    "rewritten": small_model(PIECES, reconstruct=False, normalization="nfkc"),
    "with tokens": small_model(PIECES, control=["<end>"], user=["New York"], tokenizer={"add_bos": True, "add_eos": True}),
    "llama": small_model(PIECES, tokenizer={"semantics": "llama"}, prefix="fragment", split="none"),
}
TEXTS = ["", "ab", "你\x00", "  ab ab", "ﷺé", "New York<end>th", "ab\ud800", "a" * 70, "ab th " * 900, "你好" * 2500, "ab " * 30_000]


def refused(call: Callable[[Tokenizer, str], Any]) -> Callable[[Tokenizer, str], Any]:
    """The result of a call, or that it was refused."""

    def result(tokenizer: Tokenizer, text: str) -> Any:
        try:
            return call(tokenizer, text)
        except InputError:
            return "refused"

    return result


CALLS = [
    refused(call)
    for call in [
        lambda tokenizer, text: tokenizer.encode(text),
        lambda tokenizer, text: tokenizer.encode(text, out="numpy").tolist(),
        lambda tokenizer, text: tokenizer.encode(text, out="pieces"),
        lambda tokenizer, text: tokenizer.encode(text, special="parse", errors="replace"),
        lambda tokenizer, text: tokenizer.encode(text, special="error"),
        lambda tokenizer, text: tokenizer.encode(text, dropout=0.5, seed=3, errors="replace"),
        lambda tokenizer, text: tokenizer.encode([(text, True), ("ab", False)]),
        lambda tokenizer, text: tokenizer.encode(text, bos=True, eos=True),
        lambda tokenizer, text: tokenizer.encode_with_offsets(text),
        lambda tokenizer, text: tokenizer.encode_with_offsets(text, errors="replace", special="parse"),
        lambda tokenizer, text: tokenizer.count_tokens(text),
        lambda tokenizer, text: tokenizer.encode_batch([text, "ab", text]),
        lambda tokenizer, text: tokenizer.encode_batch([text, "ab"], out="flat", threads=2).ids.tolist(),
        lambda tokenizer, text: tokenizer.encode_batch([text, "ab"], out="padded", pad_id=0, max_length=9).ids.tolist(),
        lambda tokenizer, text: list(tokenizer.encode_iter([text, "", "th"])),
    ]
]


@pytest.mark.filterwarnings("ignore:the text begins with")
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_calls_in_any_order_are_as_if_each_were_the_first(model: Model) -> None:
    expected = {(call, text): call(Tokenizer(model), text) for call in CALLS for text in TEXTS}
    rng = random.Random(5)
    tokenizer = Tokenizer(model)
    done: list[tuple[int, str]] = []
    for _ in range(1500):
        call, text = rng.choice(CALLS), rng.choice(TEXTS[:8] if rng.random() < 0.9 else TEXTS)
        done.append((CALLS.index(call), text[:10]))
        assert call(tokenizer, text) == expected[call, text], done[-3:]
