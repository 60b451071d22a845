"""Makes the table of docs/formats.md: our ids beside those of the readers themselves, on text and on generated strings.

    python scripts/measure_formats.py CORPUS... [--sizes 2000,32000] [--texts 20000] [--write docs/formats.md]

For each setting it trains a model on the beginning of each corpus, exports it in every format with `verify`, lets the real reader
(llama.cpp in a process of its own, sentencepiece, tokenizers) encode the same texts, and counts texts whose ids differ.  A text is a
line from the end of a corpus, or a string made from the vocabulary; `--texts` is how many of each.  The run fails if a verdict of
exact has one difference, if a sampled one counted otherwise than the reader, or if decoding differs.

Needs the test extra.  28 models of both sizes take about half an hour.
"""

import argparse
import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from formats.oracles import llama_decode, llama_encode  # noqa: E402

from piecetokenizer import Model, Normalizer, Tokenizer, formats, train  # noqa: E402
from piecetokenizer.formats.generate import generated_texts  # noqa: E402

SETTINGS: dict[str, dict[str, str]] = {
    "word": {},
    "isolate": {"split": "isolate"},
    "space": {"split": "space"},
    "digit split": {"digit": "split"},
    "cn char": {"cn": "char"},
    "cn dict": {"dict": "zh"},
    "spaces run": {"spaces": "run"},
}
SYMBOLS = {"user_defined": ("New York", "<sep>", "://"), "control": ("<|im_start|>", "<|im_end|>")}
TRAINED_BYTES = 8_000_000
LONGEST = 2000
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

Ids = list[list[int]]


@dataclass(frozen=True)
class Row:
    """One export: what was said of it, and what the reader did."""

    setting: str
    spaces: str
    size: int
    format: str
    verdict: str
    texts: int
    differ: int
    decoded: int

    def line(self) -> str:
        """Everything, for following a run."""
        return f"{self.setting}, {self.spaces}, {self.size}, {self.format}: {self.cell()} of {self.texts}, {self.decoded} decoded otherwise"

    def cell(self) -> str:
        """What the table has of it."""
        return f"{self.verdict}: {self.differ}" + (f" ({100 * self.differ / self.texts:.2f} %)" if self.differ else "")


def main() -> int:
    """Measure everything; the exit code is 1 if something was not as it was said."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--sizes", default="2000,32000")
    parser.add_argument("--texts", type=int, default=20000)
    parser.add_argument("--only", choices=SETTINGS, action="append")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT")
    given = parser.parse_args()
    lines = held_out(given.corpora, given.texts)
    rows, wrong = [], []
    for name, size, reconstruct in itertools.product(given.only or SETTINGS, map(int, given.sizes.split(",")), (True, False)):
        with tempfile.TemporaryDirectory() as folder:
            model = trained(given.corpora, SETTINGS[name], size, reconstruct, Path(folder))
            texts = [*lines, *itertools.islice(generated_texts(model, seed=size), given.texts)]
            for to, route in (("gguf", "llama"), ("gguf", "bpe"), ("sentencepiece", "llama"), ("huggingface", "llama")):
                row, mistakes = measure(model, name, reconstruct, to, route, texts, Path(folder, f"{to}-{route}"))
                rows.append(row)
                wrong += mistakes
                print(row.line(), *mistakes, sep="\n  ", flush=True)
    if given.write:
        write(given.write, rows, given.texts)
    print(f"{len(rows)} exports, {len(wrong)} not as they were said")
    return bool(wrong)


def held_out(corpora: Sequence[Path], count: int) -> list[str]:
    """Lines from the ends of the corpora, as many of each, none longer than LONGEST."""
    found: list[str] = []
    for path in corpora:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 40_000_000))
            tail = file.read().decode("utf-8", "replace").split("\n")[1:]
        usable = [line for line in tail if 0 < len(line) <= LONGEST]
        step = max(1, len(usable) // (count // len(corpora) + 1))
        found += usable[::step][: count // len(corpora)]
    return found


def trained(corpora: Sequence[Path], options: dict[str, str], size: int, reconstruct: bool, folder: Path) -> Model:
    """A model of that setting, with symbols and control tokens."""
    heads = folder / "corpus.txt"
    with heads.open("wb") as file:
        for path in corpora:
            with path.open("rb") as corpus:
                file.write(corpus.read(TRAINED_BYTES).rpartition(b"\n")[0] + b"\n")
    options_: dict[str, Any] = {**SYMBOLS, **options, "vocab_size": size, "reconstruct": reconstruct}
    if size < 10_000:
        # The alphabet of four corpora is larger than a small vocabulary: most Han go out as bytes then, which is worth testing too.
        options_["character_coverage"] = 0.9
    return train(heads, notice=lambda line: None, **options_)


def measure(
    model: Model, name: str, reconstruct: bool, to: str, route: str, texts: list[str], path: Path
) -> tuple[Row, list[str]]:
    """Export and read with the real reader; what is not as the report said is in the list."""
    verdict = formats.export(model, path, to=to, route=route, verify=texts)
    if any("give it text that is normalized" in reason for reason in verdict.reasons):
        texts = list(normal(model, texts))
    texts = [text for text in texts if not any(spelled in text for spelled in verdict.spelled)]
    tokenizer = Tokenizer(model)
    special = "parse" if to == "huggingface" else "text"
    ours = tokenizer.encode_batch(texts, special=special, bos=False, eos=False)
    encode, decode = readers(to, path)
    theirs = encode(texts)
    differ = sum(a != b for a, b in zip(ours, theirs, strict=True))
    decoded = sum(a != b for a, b in zip(tokenizer.decode_batch(ours), decode(ours), strict=True))
    mistakes = []
    if (verdict.tried, verdict.differ) != (len(texts), differ):
        mistakes.append(f"said {verdict.differ} of {verdict.tried}, the reader {differ} of {len(texts)}")
    if verdict.verdict != "sampled" and differ:
        mistakes.append(f"said {verdict.verdict}, but {differ} differ")
    if decoded:
        mistakes.append(f"{decoded} texts are decoded otherwise")
    spaces = "all kept" if reconstruct else "trimmed"
    format = f"gguf {route}" if to == "gguf" else to
    said = verdict.verdict + (" *" if verdict.exceptions else "")
    return Row(name, spaces, len(model), format, said, len(texts), differ, decoded), mistakes


def normal(model: Model, texts: list[str]) -> Iterator[str]:
    """The texts normalized, but for those that would change again."""
    normalizer = Normalizer(model.pretokenizer)
    for text in texts:
        once = str(normalizer.normalize(text))
        if normalizer.normalize(once) == once:
            yield once


def readers(to: str, path: Path) -> tuple[Callable[[list[str]], Ids], Callable[[Ids], list[str]]]:
    """How the reader itself encodes and decodes many texts."""
    if to == "gguf":
        return lambda texts: llama_encode(path, texts), lambda ids: [data.decode("utf-8", "replace") for data in llama_decode(path, ids)]
    if to == "sentencepiece":
        from sentencepiece import SentencePieceProcessor

        processor = SentencePieceProcessor(model_file=str(path))
        return processor.encode, processor.decode
    import tokenizers

    reader = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))

    def encode(texts: list[str]) -> Ids:
        return [found.ids for found in reader.encode_batch(texts, add_special_tokens=False)]

    return encode, reader.decode_batch


def write(document: Path, rows: list[Row], texts: int) -> None:
    """Put the table between its marks in the document."""
    import sentencepiece
    import tokenizers

    least = min(row.texts for row in rows)
    lines = [
        BEGIN,
        "",
        f"Each cell: the verdict, and how many of {2 * texts:,} texts (at least {least:,} where some are excepted) get other ids from",
        "the reader itself: llama.cpp (xllamacpp 2026.10.11549), "
        f"sentencepiece {sentencepiece.__version__}, tokenizers {tokenizers.__version__}.",
        f"Texts that are decoded otherwise: {sum(row.decoded for row in rows)}.",
        "",
        "| setting | spaces | size | " + " | ".join(dict.fromkeys(row.format for row in rows)) + " |",
        "|---|---|---|" + "---|" * len({row.format for row in rows}),
    ]
    for place, group in itertools.groupby(rows, key=lambda row: (row.setting, row.spaces, row.size)):
        lines.append("| " + " | ".join([*map(str, place), *(row.cell() for row in group)]) + " |")
    lines += ["", "\\* but for texts with an added token beside a space.", "", END]
    before, _, rest = document.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    document.write_text(before + "\n".join(lines) + after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
