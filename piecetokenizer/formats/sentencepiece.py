"""SentencePiece .model files (ModelProto), both directions, through that package's own message classes.

Export writes a BPE model with byte_fallback: pieces, scores, types, the charsmap, and the three space options that default to true.
User-defined symbols are spelled with ▁ for a space there, since SentencePiece looks for them in the normalized text.

Import takes BPE models with byte_fallback and gives semantics=sentencepiece: the model encodes and decodes as that library does.
A user-defined symbol with a real space, which can never be found there, becomes UNUSED.  What we cannot do is refused by name:
unigram, word and char models, suffix spaces, a denormalizer.
"""

import os
from typing import Any

import numpy as np

from piecetokenizer.errors import FormatError, MissingExtraError, ModelError
from piecetokenizer.files import read_file, write_atomically
from piecetokenizer.formats.columns import BYTES, CONTROL, SPACE, UNKNOWN, UNUSED, USER_DEFINED, Columns
from piecetokenizer.model import Model
from piecetokenizer.normalize import BUILTIN, Charsmap
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

__all__ = ["charsmap_of", "model_proto", "read_sentencepiece", "write_sentencepiece"]

KINDS = {1: "unigram", 2: "BPE", 3: "word", 4: "char"}
NAMED = ("bos", "eos", "pad")
MAX_FILE = 1 << 28


def _messages() -> Any:
    try:
        from sentencepiece import sentencepiece_model_pb2
    except ImportError as error:
        raise MissingExtraError(
            f"SentencePiece models need the packages sentencepiece and protobuf ({error}): pip install 'piecetokenizer[sentencepiece]'"
        ) from None
    return sentencepiece_model_pb2


def charsmap_of(model: Model) -> bytes:
    """The charsmap that the model normalizes with, as a blob; empty if it has none."""
    name = model.pretokenizer.normalization
    if name == "none":
        return b""
    if name != "custom":
        return Charsmap.builtin(name).blob
    return model.charsmap if model.charsmap is not None else Charsmap.from_rules(model.charsmap_rules or {}).blob


def model_proto(model: Model, columns: Columns) -> bytes:
    """The content of the .model file."""
    proto = _messages().ModelProto()
    for text, score, type in zip(columns.texts, columns.scores.tolist(), columns.types, strict=True):
        proto.pieces.add(piece=text, score=score, type=type)
    trainer = proto.trainer_spec
    trainer.model_type = 2
    trainer.vocab_size = len(columns.texts)
    trainer.byte_fallback = True
    trainer.unk_surface = ""  # what <unk> decodes to; here it decodes to nothing
    unknown = columns.types.index(UNKNOWN)
    trainer.unk_id, trainer.unk_piece = unknown, columns.texts[unknown]
    for role in NAMED:
        id = getattr(model.tokenizer, f"{role}_id")
        setattr(trainer, f"{role}_id", id)
        # Ids are found by name; a name that no piece has says that there is none.
        setattr(trainer, f"{role}_piece", columns.texts[id] if id >= 0 else f"<no {role}>")
    spec = model.pretokenizer
    normalizer = proto.normalizer_spec
    normalizer.name = "identity" if spec.normalization == "none" else spec.normalization
    normalizer.precompiled_charsmap = charsmap_of(model)
    normalizer.add_dummy_prefix = spec.prefix != "none"
    normalizer.remove_extra_whitespaces = not spec.reconstruct
    normalizer.escape_whitespaces = True
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def write_sentencepiece(data: bytes, path: str | os.PathLike[str]) -> None:
    """Write the file as a whole."""
    write_atomically(path, data)


def read_sentencepiece(path: str | os.PathLike[str]) -> Model:
    """A model that encodes and decodes as SentencePiece does with the file."""
    where = os.fspath(path)
    size = os.path.getsize(path)
    if size > MAX_FILE:
        raise FormatError(f"{where}: {size} bytes are too many for a SentencePiece model: at most {MAX_FILE} are supported")
    proto = _messages().ModelProto()
    try:
        proto.ParseFromString(read_file(path))
    except Exception as error:  # protobuf's own DecodeError, which has no common place in its versions
        raise FormatError(f"{where}: not a SentencePiece model, or damaged: {(str(error) or 'no reason given').splitlines()[0]}") from None
    _refuse_others(proto, where)
    try:
        return _model(proto, where)
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


def _refuse_others(proto: Any, where: str) -> None:
    trainer, normalizer = proto.trainer_spec, proto.normalizer_spec
    if not proto.pieces:
        raise FormatError(f"{where}: not a SentencePiece model: it has no pieces")
    if trainer.model_type != 2:
        kind = KINDS.get(trainer.model_type, str(trainer.model_type))
        raise FormatError(f"{where}: a {kind} model cannot be imported: only BPE models can")
    if not trainer.byte_fallback:
        raise FormatError(f"{where}: a model without byte_fallback cannot be imported: characters that are no piece would be lost")
    if trainer.treat_whitespace_as_suffix:
        raise FormatError(f"{where}: a model with treat_whitespace_as_suffix cannot be imported: here a space belongs to what follows it")
    if not normalizer.escape_whitespaces:
        raise FormatError(f"{where}: a model without escape_whitespaces cannot be imported: its pieces have no ▁ for the space")
    if proto.denormalizer_spec.precompiled_charsmap:
        raise FormatError(f"{where}: a model with a denormalizer cannot be imported: decoding here rewrites nothing")


def _model(proto: Any, where: str) -> Model:
    texts = [piece.piece for piece in proto.pieces]
    for id, text in enumerate(texts):
        if isinstance(text, bytes):  # what protobuf makes of a string that is not UTF-8
            raise FormatError(f"{where}: piece {id} is not valid UTF-8: {text[:40]!r}")
    types = np.array([piece.type for piece in proto.pieces], np.uint8)
    for id in np.flatnonzero(types == USER_DEFINED).tolist():
        if " " in texts[id]:
            types[id] = UNUSED
        texts[id] = texts[id].replace(SPACE, " ")
    missing = len(set(BYTES) - {text for text, type in zip(texts, types.tolist(), strict=True) if type == 6})
    if missing:
        raise FormatError(f"{where}: {missing} of the 256 byte pieces are missing, which byte_fallback needs")
    unknown = np.flatnonzero(types == UNKNOWN)
    if len(unknown) != 1:
        raise FormatError(f"{where}: {len(unknown)} pieces are of type unknown: a SentencePiece model has one")
    trainer, normalizer = proto.trainer_spec, proto.normalizer_spec
    index = {text: id for id, text in enumerate(texts)}
    roles: dict[str, Any] = {"unk_id": int(unknown[0])}
    for role in NAMED:
        id = index.get(getattr(trainer, f"{role}_piece"), -1)
        roles[f"{role}_id"] = id if id >= 0 and types[id] == CONTROL else -1
    name, blob = _normalization(normalizer.precompiled_charsmap)
    return Model(
        counter=CounterSpec(method="imported", vocab_size=len(texts)),
        pretokenizer=PreTokenizerSpec(
            normalization=name,
            reconstruct=not normalizer.remove_extra_whitespaces,
            prefix="text" if normalizer.add_dummy_prefix else "none",
            split="none",
        ),
        tokenizer=TokenizerSpec(semantics="sentencepiece", **roles),
        texts=texts,
        scores=np.array([piece.score for piece in proto.pieces], np.float64),
        types=types,
        charsmap=blob,
    )


def _normalization(blob: bytes) -> tuple[str, bytes | None]:
    """The option and the blob to keep.  Only rules that are ours are known by name: others may follow another Unicode version."""
    charsmap = Charsmap.from_blob(blob)  # proves it harmless, or says what is wrong
    for name in BUILTIN:
        if Charsmap.builtin(name) == charsmap:
            return name, None
    return "custom", blob
