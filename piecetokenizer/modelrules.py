"""What every Model obeys, whether trained, read from a file, imported or edited.

In: the vocabulary's columns and the specs.  Out: nothing, or a ModelError about the first piece or option that breaks a rule.

1. From 1 to 2^24 pieces, each with a text of its own, of 1 to 65,535 bytes, without lone surrogates that stand for no byte.
2. Scores are finite; -0 is 0.  Types are the six known ones.
3. A NORMAL piece has no real space: the spec's `space` (▁) stands for it.  Only NORMAL pieces have parts, which join to its text.
4. A BYTE piece is one of `<0x00>` to `<0xFF>`.  A native vocabulary has all 256, and exactly one UNKNOWN piece.
5. Ids of roles and suppressed ids lie in the vocabulary.  In a native one unk_id is the UNKNOWN piece and no role is a NORMAL or a
   BYTE piece, since ordinary text could then produce it.
6. A charsmap, as rules or as a blob, goes with normalization=custom, and only with it; a blob is proved to be harmless (normalize/blob.py).

All of it in bulk, about 5 ms for 32,000 pieces: each rule has a quick test over the whole column, and is looked into piece by piece
only if that fails.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from piecetokenizer.columns import BYTE, NORMAL, SURROGATE, Columns, fault
from piecetokenizer.errors import ModelError, show
from piecetokenizer.spec import MAX_VOCAB_SIZE, ROLES, PreTokenizerSpec, TokenizerSpec

__all__ = ["BYTE_TEXTS", "MAX_PIECE_BYTES", "check_charsmap", "check_pieces", "check_roles", "check_template"]

MAX_PIECE_BYTES = 65535
BYTE_TEXTS = tuple(f"<0x{byte:02X}>" for byte in range(256))
UNKNOWN = 2


def check_pieces(columns: Columns, *, space: str, native: bool) -> dict[str, int]:
    """Check rules 1, 3 and 4; the result is the id of each text."""
    texts, types = columns.texts, columns.types
    if not 1 <= len(texts) <= MAX_VOCAB_SIZE:
        raise ModelError(f"a vocabulary of {len(texts)} pieces is not possible: it has from 1 to {MAX_VOCAB_SIZE}")
    _check_lengths(texts)
    index = dict(zip(texts, range(len(texts)), strict=True))
    if len(index) != len(texts):
        seen: dict[str, int] = {}
        for piece, text in enumerate(texts):
            if seen.setdefault(text, piece) != piece:
                raise fault(piece, f"{show(text)} has the same text as piece {seen[text]}: texts are unique")
    _check_spaces(texts, types, space)
    wrong = np.flatnonzero((columns.cuts != 0) & (types != NORMAL))
    if wrong.size:
        raise fault(int(wrong[0]), f"{show(texts[wrong[0]])} has parts and is not normal: only merges have parts")
    _check_bytes(texts, types, native)
    if native:
        unknowns = np.flatnonzero(types == UNKNOWN).tolist()
        if len(unknowns) != 1:
            where = f", here pieces {', '.join(map(str, unknowns[:5]))}" if unknowns else ", here there is none"
            raise ModelError(f"a native vocabulary has exactly one piece of type unknown{where}", piece=unknowns[1] if unknowns else None)
    return index


def _check_lengths(texts: Sequence[str]) -> None:
    longest = max(map(len, texts))
    if not all(texts) or longest * 4 > MAX_PIECE_BYTES:
        for piece, text in enumerate(texts):
            if not text:
                raise fault(piece, "is empty: a piece has at least one byte")
            if len(text) * 4 > MAX_PIECE_BYTES and (size := len(text.encode("utf-8", "surrogateescape"))) > MAX_PIECE_BYTES:
                raise fault(piece, f"{show(text)} has {size} bytes: a piece has at most {MAX_PIECE_BYTES}")


def _check_spaces(texts: Sequence[str], types: npt.NDArray[np.uint8], space: str) -> None:
    if " " not in "".join(texts):
        return
    for piece in np.flatnonzero(types == NORMAL).tolist():
        if " " in texts[piece]:
            raise fault(piece, f"{show(texts[piece])} is normal and has a real space: write {space} for it")


def _check_bytes(texts: Sequence[str], types: npt.NDArray[np.uint8], native: bool) -> None:
    found = {texts[piece]: piece for piece in np.flatnonzero(types == BYTE).tolist()}
    if len(found) == 256 and found.keys() == set(BYTE_TEXTS):
        return
    for text, piece in found.items():
        if text not in BYTE_TEXTS:
            raise fault(piece, f"{show(text)} is no byte: the texts of type byte are <0x00> to <0xFF>")
    missing = [text for text in BYTE_TEXTS if text not in found]
    if native and missing:
        raise ModelError(
            f"{len(missing)} of the 256 byte pieces are missing, the first is {missing[0]}: a native vocabulary has all of them"
        )


def check_roles(columns: Columns, spec: TokenizerSpec) -> None:
    """Check rule 5."""
    size, native = len(columns.texts), spec.semantics == "native"
    for role in ROLES:
        id = getattr(spec, f"{role}_id")
        if id >= size:
            raise ModelError(f"{role}_id={id} is not in the vocabulary: ids go from 0 to {size - 1}, -1 is no id")
        if native and id >= 0 and columns.types[id] in (NORMAL, BYTE):
            raise ModelError(
                f"{role}_id={id} is the piece {show(columns.texts[id])}, which ordinary text could produce: give the role another type"
            )
    if native and (spec.unk_id < 0 or columns.types[spec.unk_id] != UNKNOWN):
        unknown = int(np.argmax(columns.types == UNKNOWN))
        raise ModelError(f"unk_id={spec.unk_id} is not the piece of type unknown: that is {unknown}")
    for id in spec.suppressed:
        if id >= size:
            raise ModelError(f"suppressed holds {id}, which is not in the vocabulary: ids go from 0 to {size - 1}")


def check_charsmap(spec: PreTokenizerSpec, blob: bytes | None, rules: Mapping[str, str] | None) -> None:
    """Check rule 6."""
    given = (blob is not None) + (rules is not None)
    if given != (spec.normalization == "custom"):
        raise ModelError(
            f"normalization={spec.normalization} with {given or 'no'} charsmap{'s' * (given > 1)}: "
            "custom has one, as rules or as a blob, and no other has any"
        )
    if not given:
        return
    from piecetokenizer.normalize import Charsmap  # only the few models that have one pay for its import
    from piecetokenizer.normalize.blob import MAX_SOURCE

    if blob is not None:
        if not isinstance(blob, bytes) or not blob:
            raise ModelError(f"charsmap is {show(blob)}: it is the bytes of a compiled charsmap; charsmap_rules={{}} is one without rules")
        Charsmap.from_blob(blob)
    for source, target in (rules or {}).items():
        if not isinstance(source, str) or not isinstance(target, str) or not source:
            raise ModelError(f"charsmap: found the rule {show(source)} to {show(target)}: both are strings, and the first is not empty")
        if SURROGATE.search(source + target) or "\0" in source + target:
            raise ModelError(f"charsmap: found the rule {show(source)} to {show(target)}: a rule holds no surrogate and no U+0000")
        if (size := len(source.encode())) > MAX_SOURCE:
            raise ModelError(f"charsmap: the source {show(source)} has {size} bytes: a source has at most {MAX_SOURCE}")


def check_template(template: str | None) -> None:
    """A template is text."""
    if template is None:
        return
    if not isinstance(template, str):
        raise ModelError(f"template is {template!r}: it is a string or None")
    if found := SURROGATE.search(template):
        raise ModelError(f"template has a lone surrogate at character {found.start()}")
