"""GGUF against llama.cpp itself: what it reads from our files, and what we read back from them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from formats.models import texts_for, trained
from formats.oracles import LlamaError, llama, llama_decode, llama_encode
from reference.small_models import small_model

from piecetokenizer import Model, Normalizer, Tokenizer, formats
from piecetokenizer.formats.gguf_file import read_keys
from piecetokenizer.pretokenize import Dictionary

EXACT: dict[str, dict[str, Any]] = {
    "word": {},
    "space": {"split": "space"},
    "none": {"split": "none"},
    "digits and Han alone": {"digit": "split", "cn": "char"},
    "runs of spaces": {"spaces": "run"},
    "isolate without apostrophe pieces": {"split": "isolate", "digit": "split", "cn": "char", "without": "'’"},
    "symbols": {"user_defined": ("New York", "<sep>", "://", "the"), "control": ("<|im_start|>", "<|im_end|>"), "eot_id": "<|im_end|>"},
}


def normal_form(model: Model, texts: list[str]) -> list[str]:
    """The texts after normalization, but for those that it would change again."""
    normalizer = Normalizer(model.pretokenizer)
    once = [str(normalizer.normalize(text)) for text in texts]
    return [text for text in once if normalizer.normalize(text) == text]


@pytest.mark.parametrize("route", ["llama", "bpe"])
@pytest.mark.parametrize("options", EXACT.values(), ids=EXACT)
def test_exact_means_the_ids_of_llama_cpp(options: dict[str, Any], route: str, tmp_path: Path) -> None:
    model = trained(reconstruct=True, **options)
    verdict = formats.export(model, tmp_path / "m.gguf", to="gguf", route=route, strict=True)
    assert (verdict.verdict, verdict.differ, verdict.exceptions) == ("exact", 0, ())
    assert verdict.tried >= 1000
    texts = texts_for(model)
    tokenizer = Tokenizer(model)
    ours = [tokenizer.encode(text) for text in texts]
    assert llama_encode(tmp_path / "m.gguf", texts) == ours
    assert llama_decode(tmp_path / "m.gguf", ours) == [text.encode() for text in texts]


@pytest.mark.parametrize("options", [{}, {"normalization": "nfkc"}, {"normalization": "nmt_nfkc_cf", "digit": "split"}], ids=str)
def test_exact_on_normalized_text_means_that(options: dict[str, Any], tmp_path: Path) -> None:
    model = trained(**options)
    verdict = formats.export(model, tmp_path / "m.gguf", to="gguf")
    assert (verdict.verdict, verdict.differ) == ("exact on normalized text", 0)
    texts = normal_form(model, texts_for(model))
    tokenizer = Tokenizer(model)
    assert len(texts) > 500
    assert llama_encode(tmp_path / "m.gguf", texts) == [tokenizer.encode(text) for text in texts]
    with pytest.raises(formats.ExportRefusedError, match=r"exact on normalized text .*, and strict asks for exact"):
        formats.export(model, tmp_path / "other.gguf", to="gguf", strict=True)
    assert not (tmp_path / "other.gguf").exists()


@pytest.mark.parametrize("route", ["llama", "bpe"])
@pytest.mark.parametrize(
    "options",
    [{"split": "isolate"}, {"split": "isolate", "digit": "split", "cn": "char"}, {"user_defined": ("ing", "grets", "the b")}],
    ids=["apostrophes", "apostrophes and Han", "overlapping symbols"],
)
def test_sampled_counts_what_llama_cpp_does_otherwise(options: dict[str, Any], route: str, tmp_path: Path) -> None:
    model = trained(reconstruct=True, **options)
    texts = [*texts_for(model), "spr'ingrets", "the bingrets", "it's 'tis '''", "d'd'd"]
    verdict = formats.export(model, tmp_path / "m.gguf", to="gguf", route=route, verify=texts)
    assert verdict.verdict == "sampled"
    tokenizer = Tokenizer(model)
    ours = [tokenizer.encode(text) for text in texts]
    theirs = llama_encode(tmp_path / "m.gguf", texts)
    different = [(text, tuple(a), tuple(b)) for text, a, b in zip(texts, ours, theirs, strict=True) if a != b]
    assert (verdict.tried, verdict.differ) == (len(texts), len(different))
    assert different
    assert [(example.text, example.ours, example.theirs) for example in verdict.examples] == different[:5]


def test_control_text_can_become_a_token_in_route_llama_and_never_in_route_bpe(tmp_path: Path) -> None:
    model = small_model(["s>", "<", "s", ">", "a", "/s", "</s", " "], split="none", control=("§", "<|x|>"))
    verdict = formats.export(model, tmp_path / "llama.gguf", to="gguf")
    assert verdict.exceptions == ("texts that spell <s>, </s>, §",)
    assert not verdict.exact
    tokenizer = Tokenizer(model)
    texts = ["a<s>a", "</s>", "a§", "<|x|>", "s>a", "<a>"]

    def different(file: str) -> list[str]:
        theirs = llama_encode(tmp_path / file, texts)
        return [text for text, ids in zip(texts, theirs, strict=True) if ids != tokenizer.encode(text)]

    # `</s>` could be merged, but is not: `s>` comes first.  The rule looks at what can be, not at what the scores make of it.
    assert different("llama.gguf") == ["a<s>a", "a§"]
    # In route bpe nothing is merged into a token of another type; a character that is one is all that is left.
    verdict = formats.export(model, tmp_path / "bpe.gguf", to="gguf", route="bpe")
    assert verdict.exceptions == ("texts that spell §",)
    assert different("bpe.gguf") == ["a§"]


def test_bos_and_eos_are_added_and_control_tokens_parsed_as_we_do(tmp_path: Path) -> None:
    model = trained(reconstruct=True, control=("<|user|>",), add_bos=True, add_eos=True)
    formats.export(model, tmp_path / "m.gguf", to="gguf")
    tokenizer = Tokenizer(model)
    texts = ["", "the <|user|> oven", "<|user|><|user|>", "no token"]
    assert llama_encode(tmp_path / "m.gguf", texts, add_special=True) == [tokenizer.encode(text) for text in texts]
    parsed = [tokenizer.encode(text, special="parse", bos=False, eos=False) for text in texts]
    assert llama_encode(tmp_path / "m.gguf", texts, parse_special=True) == parsed
    assert model.id_of("<|user|>") in parsed[1]


def test_every_key_is_written(tmp_path: Path) -> None:
    control = ("<|im_end|>", "<eom>", "<PRE>", "<SUF>", "<MID>", "<PAD>", "<REPO>", "<SEP>")
    roles = dict(zip(("eot", "eom", "fim_pre", "fim_suf", "fim_mid", "fim_pad", "fim_rep", "fim_sep"), control, strict=True))
    named = {f"{role}_id": text for role, text in roles.items()}
    model = trained(reconstruct=True, control=control, pad_piece="<pad>", pad_id=3, suppressed=(5, 6), **named)
    formats.export(model, tmp_path / "m.gguf", to="gguf", chat_template="{{ messages }}", name="a name")
    ids = {"bos": 1, "eos": 2, "unknown": 0, "padding": 3} | {role: model.id_of(text) for role, text in roles.items()}
    expected: dict[str, Any] = {f"tokenizer.ggml.{name}_token_id": id for name, id in ids.items()}
    expected |= {
        "general.architecture": b"llama",
        "general.name": b"a name",
        "tokenizer.ggml.model": b"llama",
        "tokenizer.ggml.pre": b"default",
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.add_eos_token": False,
        "tokenizer.ggml.add_space_prefix": False,
        "tokenizer.ggml.remove_extra_whitespaces": False,
        "tokenizer.chat_template": b"{{ messages }}",
    }
    assert read_keys(tmp_path / "m.gguf", expected) == expected
    arrays = read_keys(tmp_path / "m.gguf", [f"tokenizer.ggml.{name}" for name in ("tokens", "scores", "token_type", "suppress_tokens")])
    assert arrays["tokenizer.ggml.tokens"] == [text.encode() for text in model.texts]
    columns = (("scores", np.float32, model.scores), ("token_type", np.int32, model.types), ("suppress_tokens", np.int32, [5, 6]))
    for name, dtype, values in columns:
        array = arrays[f"tokenizer.ggml.{name}"]
        assert array.dtype == dtype
        assert array.tolist() == list(values)


@pytest.mark.parametrize("route", ["llama", "bpe"])
def test_round_trip_keeps_the_vocabulary_and_the_roles(route: str, tmp_path: Path) -> None:
    roles = {"eot_id": "<|im_end|>", "fim_mid_id": "<MID>", "suppressed": (9,)}
    model = trained(reconstruct=True, user_defined=("New York",), control=("<|im_end|>", "<MID>"), **roles)
    formats.export(model.replace(template="{{ x }}"), tmp_path / "m.gguf", to="gguf", route=route)
    back = formats.load(tmp_path / "m.gguf")
    assert (back.texts, back.scores.tolist(), back.types.tolist()) == (model.texts, model.scores.tolist(), model.types.tolist())
    assert back.tokenizer == model.tokenizer.replace(semantics="llama" if route == "llama" else "native")
    assert back.template == "{{ x }}"
    formats.export(back, tmp_path / "again.gguf", to="gguf", route=route, name="m")
    assert (tmp_path / "again.gguf").read_bytes() == (tmp_path / "m.gguf").read_bytes()


def test_a_model_without_bos_and_eos_names_the_unknown_token_there(tmp_path: Path) -> None:
    model = trained(reconstruct=True, bos_id=-1, eos_id=-1)
    verdict = formats.export(model, tmp_path / "m.gguf", to="gguf")
    assert any("no EOS" in note for note in verdict.notes)
    assert llama(tmp_path / "m.gguf", [["ends"]]) == [[0]]
    assert formats.load(tmp_path / "m.gguf").tokenizer.eos_id == -1


def test_llama_cpp_aborts_on_what_is_refused(tmp_path: Path) -> None:
    """The reasons for refusing are real: a byte that is missing ends the process."""
    from gguf import GGUFWriter

    writer = GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256) if byte != 0x8F)])
    writer.add_token_scores([0.0] * 258)
    writer.add_token_types([2, 3, 3] + [6] * 255)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    # add_space_prefix is not there, so there is a space before it, as the bytes of ▁.
    assert llama_encode(tmp_path / "m.gguf", ["a"]) == [[3 + 0xE2 - 1, 3 + 0x96 - 1, 3 + 0x81, 3 + ord("a")]]
    with pytest.raises(LlamaError, match="exit -"):
        llama_encode(tmp_path / "m.gguf", ["ÿ", "aé", "\U0010ffff"])


def test_writing_over_a_file_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    formats.export(trained(reconstruct=True), path, to="gguf")
    before = path.read_bytes()
    with pytest.raises(formats.ExportRefusedError, match="phi-3"):
        formats.export(trained(reconstruct=True), path, to="gguf", name="my-Phi-3-mini")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m.gguf"]


def test_a_dictionary_is_sampled_with_its_own_words(tmp_path: Path) -> None:
    """cn=dict cuts where the reader does not: how many texts differ is what llama.cpp says."""
    model = trained(reconstruct=True, cn="dict", cn_dict=Dictionary.load("zh").identity, dictionary=Dictionary.load("zh"))
    texts = texts_for(model)
    verdict = formats.export(model, tmp_path / "m.gguf", to="gguf", verify=texts, dictionary="zh")
    assert verdict.verdict == "sampled"
    assert "(the words of the dictionary)" in verdict.reasons[0]
    tokenizer = Tokenizer(model)
    theirs = llama_encode(tmp_path / "m.gguf", texts)
    assert verdict.differ == sum(tokenizer.encode(text) != ids for text, ids in zip(texts, theirs, strict=True)) > 0
    assert formats.fidelity(model, to="huggingface", verify=texts).verdict == "sampled"


def test_the_documents_way_to_put_a_tokenizer_into_a_models_gguf(tmp_path: Path, root: Path) -> None:
    from gguf import GGUFReader, GGUFWriter

    weights = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    writer = GGUFWriter(tmp_path / "weights.gguf", "llama")
    writer.add_context_length(77)
    writer.add_rope_scaling_attn_factors(1.5)
    writer.add_array("some.list", [1, 2, 3])
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["old"])
    writer.add_tensor("token_embd.weight", weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    model = trained(reconstruct=True)
    formats.export(model, tmp_path / "tokenizer.gguf", to="gguf")
    blocks = (root / "docs" / "formats.md").read_text(encoding="utf-8").split("```python\n")
    code = next(block.partition("```")[0] for block in blocks if "def with_tokenizer" in block)
    space: dict[str, Any] = {}
    exec(code, space)
    space["with_tokenizer"](*(str(tmp_path / f"{name}.gguf") for name in ("weights", "tokenizer", "both")))
    assert read_keys(tmp_path / "both.gguf", ["llama.context_length", "llama.rope.scaling.attn_factor"]) == {
        "llama.context_length": 77,
        "llama.rope.scaling.attn_factor": 1.5,
    }
    (tensor,) = GGUFReader(tmp_path / "both.gguf").tensors
    assert (tensor.data == weights).all()
    assert formats.load(tmp_path / "both.gguf") == formats.load(tmp_path / "tokenizer.gguf")
    texts = texts_for(model, 50)
    assert llama_encode(tmp_path / "both.gguf", texts) == [Tokenizer(model).encode(text) for text in texts]
