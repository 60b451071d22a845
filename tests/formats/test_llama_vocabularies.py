"""llama.cpp's own test vocabulary, loaded by us: all cases of its .inp give the ids of its .out, and it survives being written again."""

from pathlib import Path

import pytest
from formats.models import sample, texts_for
from formats.oracles import llama_decode, llama_encode, llama_vocabularies
from sentencepiece import SentencePieceProcessor

from piecetokenizer import Model, Tokenizer, formats

pytestmark = pytest.mark.llama_vocabularies


@pytest.fixture(scope="module")
def file() -> Path:
    return llama_vocabularies() / "ggml-vocab-llama-spm.gguf"


@pytest.fixture(scope="module")
def model(file: Path) -> Model:
    return formats.load(file)


@pytest.fixture(scope="module")
def cases(file: Path) -> list[tuple[str, list[int]]]:
    texts = Path(f"{file}.inp").read_text(encoding="utf-8").split("\n__ggml_vocab_test__\n")
    ids = [[int(id) for id in line.split()] for line in Path(f"{file}.out").read_text().split("\n")]
    assert len(texts) == 47
    return list(zip(texts, ids[:47], strict=True))


def test_all_cases(model: Model, cases: list[tuple[str, list[int]]]) -> None:
    tokenizer = Tokenizer(model)
    for text, ids in cases:
        assert tokenizer.encode(text, bos=False) == ids


def test_encode_and_decode_as_llama_cpp(model: Model, file: Path, cases: list[tuple[str, list[int]]]) -> None:
    tokenizer = Tokenizer(model)
    texts = [*(text for text, _ in cases), *texts_for(model, 300), "<s>hi</s>", "a<unk>b", "▁a", " ▁", "<0x41>", "</s> <s> x", "a\0b"]
    plain = llama_encode(file, texts)
    assert [tokenizer.encode(text, bos=False) for text in texts] == plain
    assert [tokenizer.encode(text) for text in texts] == llama_encode(file, texts, add_special=True)
    parsed = llama_encode(file, texts, parse_special=True)
    assert [tokenizer.encode(text, bos=False, special="parse") for text in texts] == parsed
    lists = [*plain, *parsed, [1, *plain[3]], [29871], [29871, 29871, 263], [0, 2, 263], [3 + 0x20, 263]]
    assert [tokenizer.decode_bytes(ids) for ids in lists] == llama_decode(file, lists)
    assert [tokenizer.decode_bytes(ids, skip_special=False) for ids in lists] == llama_decode(file, lists, unparse=True)


def test_written_again_it_is_the_same_for_llama_cpp(model: Model, file: Path, cases: list[tuple[str, list[int]]], tmp_path: Path) -> None:
    assert formats.export(model, tmp_path / "m.gguf", to="gguf").verdict == "exact"
    texts = [*(text for text, _ in cases), *sample()[:200]]
    assert llama_encode(tmp_path / "m.gguf", texts) == llama_encode(file, texts)
    again = formats.load(tmp_path / "m.gguf")
    assert (again.texts, again.scores.tolist(), again.types.tolist()) == (model.texts, model.scores.tolist(), model.types.tolist())
    assert again.tokenizer == model.tokenizer
    assert again.pretokenizer == model.pretokenizer


def test_a_model_file_of_sentencepiece_made_from_it(model: Model, cases: list[tuple[str, list[int]]], tmp_path: Path) -> None:
    verdict = formats.export(model, tmp_path / "m.model", to="sentencepiece")
    assert verdict.verdict == "exact"
    reader = SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    tokenizer = Tokenizer.load(tmp_path / "m.model")
    for text, ids in cases:
        assert (text, reader.encode(text)) == (text, ids)
        assert tokenizer.encode(text) == ids
