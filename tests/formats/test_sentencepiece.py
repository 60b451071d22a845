"""SentencePiece .model files against the library itself, both ways."""

import io
from pathlib import Path
from typing import Any

import pytest
from formats.models import sample, texts_for, trained
from formats.oracles import llama_encode
from reference.small_models import small_model
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer, sentencepiece_model_pb2

from piecetokenizer import Model, Tokenizer, formats
from piecetokenizer.errors import FormatError, ModelError

EXACT: dict[str, dict[str, Any]] = {
    "word": {},
    "word, every space kept": {"reconstruct": True},
    "nfkc": {"normalization": "nfkc"},
    "nmt_nfkc_cf": {"normalization": "nmt_nfkc_cf"},
    "space": {"split": "space", "reconstruct": True, "spaces": "run"},
    "none": {"split": "none"},
    "digits and Han alone": {"digit": "split", "cn": "char"},
    "symbols": {"user_defined": ("New York", "<sep>", "://", "ing", "gre"), "control": ("<|x|>",), "reconstruct": True},
    "symbols without spaces": {"user_defined": ("<sep>", "://", "the"), "control": ("<|x|>",)},
}


@pytest.mark.parametrize("options", EXACT.values(), ids=EXACT)
def test_exact_means_the_ids_of_sentencepiece(options: dict[str, Any], tmp_path: Path) -> None:
    model = trained(**options)
    verdict = formats.export(model, tmp_path / "m.model", to="sentencepiece", strict=True)
    assert (verdict.verdict, verdict.differ) == ("exact", 0)
    reader = SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    tokenizer = Tokenizer(model)
    texts = texts_for(model)
    ours = [tokenizer.encode(text) for text in texts]
    assert reader.encode(texts) == ours
    assert reader.decode(ours) == [tokenizer.decode(ids) for ids in ours]


def test_the_ids_of_roles_are_found(tmp_path: Path) -> None:
    model = trained(pad_piece="<pad>", pad_id=3)
    formats.export(model, tmp_path / "m.model", to="sentencepiece")
    reader = SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    assert (reader.unk_id(), reader.bos_id(), reader.eos_id(), reader.pad_id()) == (0, 1, 2, 3)
    formats.export(trained(bos_id=-1, eos_id=-1), tmp_path / "m.model", to="sentencepiece")
    reader = SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    assert (reader.unk_id(), reader.bos_id(), reader.eos_id(), reader.pad_id()) == (0, -1, -1, -1)


def test_sampled_counts_what_sentencepiece_does_otherwise(tmp_path: Path) -> None:
    model = trained(normalization="nfkc", user_defined=("New York", "fi"))
    texts = [*texts_for(model), "ﬁsh in New York", "a New  York b", " New York"]
    verdict = formats.export(model, tmp_path / "m.model", to="sentencepiece", verify=texts)
    assert verdict.verdict == "sampled"
    assert "looks for user-defined symbols in the normalized text" in verdict.reasons[0]
    reader = SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    tokenizer = Tokenizer(model)
    different = [text for text in texts if "▁" not in text and tokenizer.encode(text) != reader.encode(text)]
    assert verdict.differ == len(different)
    assert "ﬁsh in New York" in different


def test_unused_pieces_block_merges_there_and_not_here() -> None:
    model = small_model(["a", "b", "c", "ab", "bc", " "], split="none")
    types = model.types.copy()
    types[model.id_of("ab")] = 5
    verdict = formats.fidelity(model.replace(types=types), to="sentencepiece", verify=["abc", "bc", "aabcc"])
    assert verdict.exceptions == ("texts that spell ab",)
    assert verdict.tried == 1
    assert not verdict.exact


def test_our_space_becomes_theirs() -> None:
    assert formats.fidelity(small_model(["a", "_a", "_"], space="_"), to="sentencepiece").verdict == "exact"


@pytest.mark.parametrize("to", formats.FORMATS)
@pytest.mark.parametrize(
    ("pieces", "options", "reason"),
    [
        ({"a\0b": 0.0}, {}, "piece 259 'a\\x00b' holds U+0000"),
        ({"▁x": 0.0}, {"space": "_"}, "piece 259 '▁x' holds ▁, which is the space of every reader"),
        ({"a": -(2.0**24), "b": -(2.0**24) - 1}, {}, "the scores of pieces 260 and 259, -16777217.0 and -16777216.0, are the same"),
        ({"a": 1e300}, {}, "the score 1e+300 of piece 259 is too large for a float32"),
        ({"a\udcff": 0.0}, {}, "is not valid UTF-8"),
    ],
    ids=["NUL", "space", "scores", "large score", "bytes"],
)
def test_what_readers_cannot_take_is_refused(
    pieces: dict[str, float], options: dict[str, Any], reason: str, to: str, tmp_path: Path
) -> None:
    model = small_model(pieces, **options)
    verdict = formats.fidelity(model, to=to)
    assert verdict.verdict == "refused"
    assert reason in verdict.reasons[0]
    with pytest.raises(formats.ExportRefusedError) as caught:
        formats.export(model, tmp_path / "m", to=to)
    assert caught.value.fidelity == verdict
    assert not (tmp_path / "m").exists()


# ---- import


def learned(**options: Any) -> bytes:
    """A model that SentencePiece itself has trained on the sample."""
    out = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(line for line in sample() if line.strip()),
        model_writer=out,
        **{"model_type": "bpe", "vocab_size": 900, "byte_fallback": True, "character_coverage": 0.99, "minloglevel": 2} | options,
    )
    return out.getvalue()


LEARNED: dict[str, dict[str, Any]] = {
    "default": {},
    "identity": {"normalization_rule_name": "identity", "remove_extra_whitespaces": False, "add_dummy_prefix": False},
    "prefix and every space": {"normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    "nfkc_cf without prefix": {"normalization_rule_name": "nfkc_cf", "add_dummy_prefix": False},
    "symbols": {"user_defined_symbols": ["<sep>", "the", "New▁York", "fi"], "control_symbols": ["<x>"], "pad_id": 3},
}


@pytest.mark.parametrize("options", LEARNED.values(), ids=LEARNED)
def test_a_model_of_sentencepiece_encodes_and_decodes_as_there(options: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "m.model").write_bytes(learned(**options))
    tokenizer = Tokenizer.load(tmp_path / "m.model")
    reader = SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    texts = [*texts_for(tokenizer.model), "", " ", "   ", "▁", "a▁b", "▁▁ a ▁ b▁ ▁", "  New  York ", "ﬁ New York", "x New▁York"]
    theirs = reader.encode(texts)
    assert [tokenizer.encode(text) for text in texts] == theirs
    assert [tokenizer.decode(ids) for ids in theirs] == reader.decode(theirs)
    proto = sentencepiece_model_pb2.ModelProto.FromString((tmp_path / "m.model").read_bytes())
    assert tokenizer.model.texts == tuple(p.piece.replace("▁", " ") if p.type == 4 else p.piece for p in proto.pieces)
    assert tokenizer.model.scores.tolist() == [p.score for p in proto.pieces]
    assert tokenizer.model.types.tolist() == [p.type for p in proto.pieces]
    assert tokenizer.model.tokenizer.pad_id == reader.pad_id()


@pytest.mark.parametrize("options", LEARNED.values(), ids=LEARNED)
def test_it_can_be_exported_again(options: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "m.model").write_bytes(learned(**options))
    model = formats.load(tmp_path / "m.model")
    assert formats.export(model, tmp_path / "again.model", to="sentencepiece").verdict == "exact"
    texts = texts_for(model)
    first, again = (SentencePieceProcessor(model_file=str(tmp_path / name)) for name in ("m.model", "again.model"))
    assert first.encode(texts) == again.encode(texts)
    back = formats.load(tmp_path / "again.model")
    assert (back.texts, back.scores.tolist(), back.types.tolist()) == (model.texts, model.scores.tolist(), model.types.tolist())
    assert back == model
    verdict = formats.export(model, tmp_path / "m.gguf", to="gguf")
    assert verdict.verdict in ("exact", "exact on normalized text", "sampled")
    tokenizer = Tokenizer(model)
    texts = [text for text in texts if not verdict.reasons or tokenizer.decode(tokenizer.encode(text)) == text]
    different = [text for text, ids in zip(texts, llama_encode(tmp_path / "m.gguf", texts), strict=True) if ids != tokenizer.encode(text)]
    assert bool(different) <= (verdict.verdict == "sampled")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda proto: setattr(proto.trainer_spec, "model_type", 1), "a unigram model cannot be imported"),
        (lambda proto: proto.trainer_spec.ClearField("model_type"), "a unigram model cannot be imported"),
        (lambda proto: setattr(proto.trainer_spec, "model_type", 3), "a word model cannot be imported"),
        (lambda proto: setattr(proto.trainer_spec, "model_type", 4), "a char model cannot be imported"),
        (lambda proto: setattr(proto.trainer_spec, "byte_fallback", False), "without byte_fallback cannot be imported"),
        (lambda proto: setattr(proto.trainer_spec, "treat_whitespace_as_suffix", True), "treat_whitespace_as_suffix cannot be imported"),
        (lambda proto: setattr(proto.normalizer_spec, "escape_whitespaces", False), "without escape_whitespaces cannot be imported"),
        (lambda proto: setattr(proto.denormalizer_spec, "precompiled_charsmap", b"x"), "a denormalizer cannot be imported"),
        (lambda proto: proto.pieces.add(piece="a", score=0, type=1), "has the same text as piece"),
        (lambda proto: proto.pieces.add(piece="zz", score=float("nan"), type=1), "has score nan"),
        (lambda proto: proto.pieces.add(piece="<unk2>", score=0, type=2), "2 pieces are of type unknown"),
        (lambda proto: setattr(proto.pieces[300], "type", 6), "is no byte"),
        (lambda proto: setattr(proto.pieces[100], "type", 1), "1 of the 256 byte pieces are missing"),
        (lambda proto: setattr(proto.normalizer_spec, "precompiled_charsmap", b"\0\1"), "charsmap"),
        (lambda proto: setattr(proto.normalizer_spec, "precompiled_charsmap", b"\4\0\0\0\xff\xff\xff\x7fa\0"), "charsmap"),
    ],
)
def test_what_cannot_be_imported_is_refused_by_name(change: Any, message: str, tmp_path: Path) -> None:
    proto = sentencepiece_model_pb2.ModelProto.FromString(learned())
    change(proto)
    (tmp_path / "m.model").write_bytes(proto.SerializeToString())
    with pytest.raises(FormatError, match=r"m\.model: .*" + message):
        formats.load(tmp_path / "m.model")


def test_a_piece_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    """Found by fuzzing: protobuf gives such a string as bytes."""
    data = learned(normalization_rule_name="identity").replace("café".encode(), b"caf\xc3\x28").replace("é".encode(), b"\xc3\x28")
    (tmp_path / "m.model").write_bytes(data)
    with pytest.raises(FormatError, match=r"m\.model: piece \d+ is not valid UTF-8: b'.*\\xc3\("):
        formats.load(tmp_path / "m.model")


def with_types(types: dict[str, int]) -> Model:
    """A model of SentencePiece's kind, some of whose pieces have another type."""
    model = small_model([*types, "x", " "], split="none", tokenizer={"semantics": "sentencepiece"})
    return model.replace(types=[types.get(piece.text, int(piece.type)) for piece in model])


def test_pieces_that_are_not_normal_are_as_there(tmp_path: Path) -> None:
    """One character that is a control or an unused piece goes out as bytes; an unused piece that nothing can make is no matter."""
    model = with_types({"§": 3, "¤": 5, "<unused7>": 5, "x§": 1})
    formats.export(model, tmp_path / "m.model", to="sentencepiece", strict=True)
    reader = SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    tokenizer = Tokenizer.load(tmp_path / "m.model")
    for text in ("§", "x§", "¤x", "<unused7>", "§§ ¤"):
        assert (text, tokenizer.encode(text)) == (text, reader.encode(text))


def test_an_unused_piece_that_can_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="piece 259 'xx' is unused: SentencePiece would take it apart again"):
        Tokenizer(with_types({"xx": 5}))
