"""tokenizer.json against the libraries tokenizers and transformers, and its import."""

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from formats.models import texts_for, trained
from reference.small_models import small_model
from transformers import AutoTokenizer

from piecetokenizer import Tokenizer, formats
from piecetokenizer.errors import FormatError

EXACT: dict[str, dict[str, Any]] = {
    "word": {},
    "space, runs of spaces": {"split": "space", "spaces": "run"},
    "none": {"split": "none"},
    "digits and Han alone": {"digit": "split", "cn": "char"},
    "symbols": {"user_defined": ("New York", "<sep>", "://", "ing", "grets"), "control": ("<|x|>", "<|x|>y")},
}


@pytest.mark.parametrize("options", EXACT.values(), ids=EXACT)
def test_exact_means_the_ids_of_tokenizers_and_transformers(options: dict[str, Any], tmp_path: Path) -> None:
    model = trained(reconstruct=True, **options)
    verdict = formats.export(model, tmp_path, to="huggingface", strict=True)
    assert (verdict.verdict, verdict.differ) == ("exact", 0)
    texts = [*texts_for(model), "a<|x|>y <s>the</s>", "<|x|>"]
    tokenizer = Tokenizer(model)
    ours = [tokenizer.encode(text, special="parse") for text in texts]
    reader = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert [found.ids for found in reader.encode_batch(texts, add_special_tokens=False)] == ours
    assert [reader.decode(ids, skip_special_tokens=True) for ids in ours] == [tokenizer.decode(ids) for ids in ours]
    fast = AutoTokenizer.from_pretrained(tmp_path)
    assert fast(texts, add_special_tokens=False)["input_ids"] == ours
    assert (fast.bos_token, fast.eos_token, fast.unk_token, fast.pad_token) == ("<s>", "</s>", "<unk>", None)


@pytest.mark.parametrize("options", [{}, {"digit": "split", "cn": "char"}, {"spaces": "run", "user_defined": ("://",)}], ids=str)
def test_isolate_is_exact_by_a_regular_expression(options: dict[str, Any], tmp_path: Path) -> None:
    """Apostrophes join letters there, so pieces hold what can be a boundary, and the texts must be cut as here."""
    model = trained(reconstruct=True, split="isolate", **options)
    verdict = formats.export(model, tmp_path, to="huggingface", strict=True)
    assert any("texts are cut before they are merged" in note for note in verdict.notes)
    texts = [*texts_for(model), "'s 't it's 'it's' a'' ''a d’\u0301e l’été'", "x'\u200dy"]
    tokenizer = Tokenizer(model)
    reader = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert [found.ids for found in reader.encode_batch(texts, add_special_tokens=False)] == [tokenizer.encode(text) for text in texts]
    assert formats.load(tmp_path).pretokenizer == model.pretokenizer


def test_the_folder_goes_through_the_classes_of_llama_cpps_converter(tmp_path: Path) -> None:
    from gguf.vocab import LlamaHfVocab, SentencePieceVocab, SpecialVocab

    model = trained(reconstruct=True, control=("<|im_end|>",))
    formats.export(model, tmp_path, to="huggingface", chat_template="{{ x }}")
    formats.export(model, tmp_path / "tokenizer.model", to="sentencepiece")
    for vocabulary in (SentencePieceVocab(tmp_path), LlamaHfVocab(tmp_path)):
        assert [text.decode() for text, _, _ in vocabulary.all_tokens()] == list(model.texts)
    rows = list(SentencePieceVocab(tmp_path).all_tokens())
    assert [score for _, score, _ in rows] == model.scores.tolist()
    assert [int(type) for _, _, type in rows] == model.types.tolist()
    special = SpecialVocab(tmp_path, n_vocab=len(model))
    assert special.special_token_ids == {"bos": 1, "eos": 2, "unk": 0}
    assert special.add_special_token == {"bos": False, "eos": False}
    assert special.chat_template == "{{ x }}"


def test_trimming_is_exact_but_beside_added_tokens(tmp_path: Path) -> None:
    model = trained(user_defined=("<sep>",))
    verdict = formats.export(model, tmp_path, to="huggingface")
    assert (verdict.verdict, verdict.differ) == ("exact", 0)
    assert verdict.exceptions == ("texts with an added token beside a space, which the reader trims there",)
    tokenizer = Tokenizer(model)
    reader = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    texts = texts_for(model)
    different = [text for text in texts if reader.encode(text, add_special_tokens=False).ids != tokenizer.encode(text, special="parse")]
    assert different
    assert all("<sep> " in text or " <sep>" in text for text in different)


@pytest.mark.parametrize("name", ["nfkc", "nmt_nfkc", "nfkc_cf"])
def test_normalization_is_sampled_with_the_library(name: str, tmp_path: Path) -> None:
    model = trained(normalization=name, reconstruct=True)
    texts = [*texts_for(model), "q\u0307\u0323 ﬁ ①", "e\u0301\u0327"]
    verdict = formats.export(model, tmp_path, to="huggingface", verify=texts)
    assert verdict.verdict == "sampled"
    tokenizer = Tokenizer(model)
    reader = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    different = [text for text in texts if reader.encode(text, add_special_tokens=False).ids != tokenizer.encode(text, special="parse")]
    assert verdict.differ == len(different) > 0


def test_template_and_added_bos_are_in_the_folder(tmp_path: Path) -> None:
    model = trained(reconstruct=True, add_bos=True, control=("<|user|>",), pad_piece="<pad>", pad_id=3)
    template = "{% for m in messages %}<|user|>{{ m['content'] }}{% endfor %}"
    formats.export(model, tmp_path, to="huggingface", chat_template=template)
    fast = AutoTokenizer.from_pretrained(tmp_path)
    tokenizer = Tokenizer(model)
    assert fast("the oven")["input_ids"] == tokenizer.encode("the oven")
    assert fast.pad_token_id == 3
    assert fast.chat_template == template
    assert json.loads((tmp_path / "special_tokens_map.json").read_text())["additional_special_tokens"] == ["<|user|>"]
    back = formats.load(tmp_path)
    assert back.template == template
    assert back.tokenizer == model.tokenizer


@pytest.mark.parametrize("options", [{}, {"reconstruct": True}, {"user_defined": ("New York",), "add_bos": True, "add_eos": True}], ids=str)
def test_round_trip_keeps_the_vocabulary(options: dict[str, Any], tmp_path: Path) -> None:
    model = trained(**options)
    formats.export(model, tmp_path, to="huggingface")
    for path in (tmp_path, tmp_path / "tokenizer.json"):
        back = formats.load(path)
        assert (back.texts, back.scores.tolist(), back.types.tolist()) == (model.texts, model.scores.tolist(), model.types.tolist())
        assert (back.pretokenizer.reconstruct, back.pretokenizer.split) == (model.pretokenizer.reconstruct, "none")
        assert back.tokenizer == model.tokenizer
    tokenizer, again = Tokenizer(model), Tokenizer(back)
    assert [again.encode(text) for text in texts_for(model)] == [tokenizer.encode(text) for text in texts_for(model)]


def test_halves_that_are_no_piece_are_found() -> None:
    verdict = formats.fidelity(small_model({"ab": 0.0, "a": -1.0, " ": -2.0}, split="none"), to="huggingface", verify=["ab", "a"])
    assert (verdict.verdict, verdict.tried, verdict.differ) == ("sampled", 2, 1)
    assert verdict.examples == (formats.Difference("ab", (259,), (260, 3 + ord("b"))),)
    assert "1 pieces hold a character that is no piece ('ab')" in verdict.reasons[0]


# ---- import


def content(**changes: Any) -> dict[str, Any]:
    """A tokenizer.json as others write it, with some parts changed: `model_x` is x of the model."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "ab", "▁ab", "a", "b", "▁"]
    found: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [
            {"id": id, "content": pieces[id], "special": True, "normalized": False, "lstrip": False, "rstrip": False, "single_word": False}
            for id in range(3)
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}],
        },
        "pre_tokenizer": None,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": {text: id for id, text in enumerate(pieces)},
            "merges": ["a b", "▁ ab"],
        },
    }
    for key, value in changes.items():
        part, _, inner = key.partition("_") if key.startswith("model_") else ("", "", "")
        if part:
            found["model"][inner] = value
        else:
            found[key] = value
    return found


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(content(**changes)), encoding="utf-8")
    return path


def test_a_file_as_llama_2_has_it(tmp_path: Path) -> None:
    model = formats.load(write(tmp_path))
    assert model.pretokenizer.prefix == "fragment"
    assert model.tokenizer.add_bos
    assert (model.tokenizer.bos_id, model.tokenizer.unk_id) == (1, 0)
    assert [model.scores[model.id_of(text)] for text in ("ab", "▁ab", "a", "b", "▁")] == [0, -1, -2, -3, -4]
    tokenizer = Tokenizer(model)
    reader = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in ("ab ab", " ab", "", "b a", "ab<s>ab", "<s> ab", "   "):
        ids = reader.encode(text, add_special_tokens=False).ids
        assert tokenizer.encode(text, special="parse", bos=False) == ids
        assert tokenizer.decode(ids) == reader.decode(ids, skip_special_tokens=True)
    assert tokenizer.encode("ab") == reader.encode("ab").ids


TOKEN = {"id": 264, "content": "x y", "special": False, "normalized": False, "lstrip": False, "rstrip": False, "single_word": False}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": None}, "it has no model"),
        ({"model_type": "Unigram"}, "a Unigram model cannot be imported: only BPE can"),
        ({"model_type": "WordPiece"}, "a WordPiece model cannot be imported"),
        ({"model_merges": None}, "a BPE model cannot be imported"),
        ({"model_byte_fallback": False}, "a BPE without byte_fallback"),
        ({"model_ignore_merges": True}, "ignore_merges=True cannot be imported"),
        ({"model_dropout": 0.1}, "dropout=0.1 cannot be imported"),
        ({"model_end_of_word_suffix": "</w>"}, "end_of_word_suffix='</w>' cannot be imported"),
        ({"model_vocab": {}}, "the vocabulary or the list of added tokens is missing"),
        ({"model_merges": ["a b", "▁ ab", "b a"]}, "makes nothing that is in the vocabulary"),
        ({"model_merges": ["a b"]}, "'▁ab' has no merges, but is made of two pieces"),
        ({"model_merges": ["a b", "▁ ab", "a b"]}, "do not stand together"),
        ({"model_merges": ["a b c"]}, "merge 0 is 'a b c': it is two pieces"),
        ({"model_merges": [7]}, "merge 0 is '7'"),
        ({"normalizer": {"type": "NFKC"}}, "the normalizer NFKC cannot be imported"),
        ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": ""}}, "the normalizer Precompiled cannot be imported"),
        ({"normalizer": None}, "the normalizer none cannot be imported"),
        ({"pre_tokenizer": {"type": "ByteLevel"}}, "the pre-tokenizer ByteLevel cannot be imported"),
        ({"decoder": {"type": "ByteLevel"}}, "the decoder ByteLevel cannot be imported"),
        ({"decoder": None}, "the decoder none cannot be imported"),
        ({"post_processor": {"type": "BertProcessing"}}, "the post-processor BertProcessing cannot be imported"),
        ({"added_tokens": [TOKEN | {"lstrip": True}]}, "the added token 'x y' has lstrip"),
        ({"added_tokens": [TOKEN | {"normalized": True}]}, "the added token 'x y' has normalized"),
        ({"added_tokens": [TOKEN | {"id": 300}]}, "the id of 'x y' is 300: ids go from 0 to 264"),
        ({"added_tokens": [TOKEN | {"id": 3}]}, "the id of 'x y' is 3: ids go from 0 to 264, each once"),
        ({"added_tokens": [TOKEN, TOKEN | {"id": 265}]}, "has two ids"),
        ({"added_tokens": ["x"]}, "an added token has no content"),
    ],
)
def test_what_cannot_be_imported_is_refused_by_name(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    write(tmp_path, **changes)
    with pytest.raises(FormatError) as caught:
        formats.load(tmp_path)
    assert message in str(caught.value)
    assert str(tmp_path / "tokenizer.json") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_merges_that_leave_a_split_out_are_refused(tmp_path: Path) -> None:
    pieces = content()["model"]["vocab"] | {"▁a": 264}
    with pytest.raises(FormatError, match="'▁ab' has 1 merges, but can be cut into two pieces in 2 ways"):
        formats.load(write(tmp_path, model_vocab=pieces, model_merges=["a b", "▁ ab", "▁ a"]))
    assert formats.load(write(tmp_path, model_vocab=pieces, model_merges=["a b", "▁ ab", "▁a b", "▁ a"])).id_of("▁a") == 264


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "not valid JSON"),
        (b'{"a": 1, "a": 2}', "the key 'a' is there twice"),
        (b'{"model": "\xff"}', "not valid UTF-8 at byte 11"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not valid JSON"),
        (b'{"model": {"type": "BPE", "merges": [], "byte_fallback": true, "vocab": {"a": 1e400}}}', "the id of 'a' is inf"),
    ],
    ids=["cut off", "twice", "not UTF-8", "recursion", "number", "infinite id"],
)
def test_damaged_files_are_one_clear_error(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(data)
    with pytest.raises(FormatError) as caught:
        formats.load(tmp_path)
    assert message in str(caught.value)
