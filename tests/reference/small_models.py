"""Small models for tests: 256 byte pieces, a few special ones, and whatever pieces a test wants.

Ids: unk 0, bos 1, eos 2, bytes 3 to 258, then control, user-defined and NORMAL pieces in the order given.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from piecetokenizer.model import Model
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

FIRST_BYTE = 3
FIRST = 259
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6


def small_model(
    pieces: Iterable[str] | Mapping[str, float] = (),
    *,
    control: Sequence[str] = (),
    user: Sequence[str] = (),
    tokenizer: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Model:
    """A model of these pieces (with real spaces); scores 0, -1, -2, ... unless given.  Nothing is normalized unless the spec says so."""
    scored = pieces if isinstance(pieces, Mapping) else {piece: -float(rank) for rank, piece in enumerate(pieces)}
    columns = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    columns += [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    columns += [(text, 0.0, CONTROL) for text in control]
    columns += [(text, 0.0, USER_DEFINED) for text in user]
    columns += [(text.replace(" ", "▁"), score, NORMAL) for text, score in scored.items()]
    texts, scores, types = zip(*columns, strict=True)
    return Model(
        counter=CounterSpec(vocab_size=len(columns)),
        pretokenizer=PreTokenizerSpec(**{"reconstruct": True} | spec),
        tokenizer=TokenizerSpec(**{"unk_id": 0, "bos_id": 1, "eos_id": 2} | dict(tokenizer or {})),
        texts=texts,
        scores=scores,
        types=types,
    )


def normal_pieces(model: Model) -> dict[str, tuple[int, float]]:
    """Text with real spaces -> id and score, of the NORMAL pieces: what the reference of encoding takes."""
    return {piece.text.replace("▁", " "): (piece.id, piece.score) for piece in model if piece.type == NORMAL}
