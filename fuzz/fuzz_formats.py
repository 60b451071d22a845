"""Fuzzes the readers of other tools' files: whatever the bytes, the answer is a model or one FormatError.

    pip install '.[fuzz]'
    python fuzz/fuzz_formats.py READER [libFuzzer options]        READER: gguf, sentencepiece, huggingface, legacy or model
    python fuzz/fuzz_formats.py gguf -max_total_time=60

Inputs begin from small sound files, made at the start, and from what earlier runs have found in fuzz/corpus/READER (not committed).
A model that was read must also work: it is saved and read back, encodes and decodes.  What a run finds is written to a file
crash-*; give it as the last argument to see it again, and make a test of it in tests/formats/test_hostile.py.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["piecetokenizer"]):
    from piecetokenizer import Model, Tokenizer, formats
    from piecetokenizer.errors import FormatError, ModelError
    from piecetokenizer.formats import gguf, huggingface_import, legacy, loading, sentencepiece  # noqa: F401
    from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

READERS = {"gguf": "m.gguf", "sentencepiece": "m.model", "huggingface": "tokenizer.json", "legacy": "legacy.model", "model": "native.model"}
HERE = Path(__file__).resolve().parent
LEGACY = "[CounterSpec]\nmethod=sentencepiece\n[PreTokenizerSpec]\nname=NFKC\nspace=▁\ncut=1\nreconstruct=0\n[Pieces]\nsize={size}\n{rows}"
TEXT = "a ab  ▁b <s>New York\n\u3042\U0001f600"


def small(rules: dict[str, str] | None = None) -> Model:
    """A model of a few pieces, with rules of its own if there are any."""
    rows = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), *((f"<0x{byte:02X}>", 0.0, 6) for byte in range(256))]
    rows += [("New York", 0.0, 4), ("ab", 0.0, 1), ("▁ab", -1.0, 1), ("a", -2.0, 1), ("b", -3.0, 1), ("▁", -4.0, 1)]
    texts, scores, types = zip(*rows, strict=True)
    return Model(
        counter=CounterSpec(vocab_size=len(rows)),
        pretokenizer=PreTokenizerSpec(reconstruct=True, normalization="custom" if rules else "none"),
        tokenizer=TokenizerSpec(bos_id=1, eos_id=2),
        texts=texts,
        scores=scores,
        types=types,
        template="{{ x }}",
        charsmap_rules=rules,
    )


def seeds(reader: str, folder: Path) -> None:
    """Sound files to begin from."""
    folder.mkdir(parents=True, exist_ok=True)
    if reader == "gguf":
        for route in formats.ROUTES:
            formats.export(small(), folder / f"seed-{route}", to="gguf", route=route, verify=["a"])
    elif reader == "sentencepiece":
        formats.export(small(), folder / "seed", to="sentencepiece", verify=["a"])
        formats.export(small({"①": "1", "é": "e"}), folder / "seed-rules", to="sentencepiece", verify=["a"])
    elif reader == "huggingface":
        with tempfile.TemporaryDirectory() as place:
            formats.export(small(), place, to="huggingface", verify=["a"])
            (folder / "seed").write_bytes(Path(place, "tokenizer.json").read_bytes())
    elif reader == "legacy":
        rows = "".join(f"{piece.id}\t{piece.text}\t{piece.score:g}\t{int(piece.type)}\t\t\n" for piece in small())
        (folder / "seed").write_text(LEGACY.format(size=len(small()), rows=rows), encoding="utf-8")
    else:
        small().save(folder / "seed")


def main() -> None:
    """Run libFuzzer on one reader."""
    if len(sys.argv) < 2 or sys.argv[1] not in READERS:
        sys.exit(f"name a reader: {', '.join(READERS)}")
    reader = sys.argv.pop(1)
    folder = HERE / "corpus" / reader
    seeds(reader, folder)
    place = Path(tempfile.mkdtemp(prefix="fuzz-")) / READERS[reader]

    def one(data: bytes) -> None:
        place.write_bytes(data)
        try:
            model = formats.load(place)
        except FormatError:
            return
        except ModelError:
            if loading.sniff(place) == "model":  # also where it only begins like one, whatever reader the bytes were made for
                return
            raise
        if Model.loads(model.dumps()) != model:
            raise AssertionError("the model is another after saving and reading")
        try:
            tokenizer = Tokenizer(model)
        except ModelError:  # a dictionary that is not there, for instance
            return
        tokenizer.decode(tokenizer.encode(TEXT))

    atheris.Setup([sys.argv[0], "-rss_limit_mb=1024", "-timeout=20", *sys.argv[1:], str(folder)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
