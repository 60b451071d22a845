"""The tables: each function measures one thing and returns Markdown.  Results are compared before any time is believed."""

import json
import statistics
import sys
from pathlib import Path

import equal
import measure
import numpy as np
import setting
from measure import table
from setting import JOBS, Setting

TRAINERS = ("piecetokenizer", "gigabpe_bytelevel", "gigabpe_whitespace", "sentencepiece")
ENCODERS = ("piecetokenizer_arrays", "piecetokenizer_lists", "gigatoken", "kitoken", "sentencepiece")
SLOW = {"kitoken", "sentencepiece"}
"""Measured once, not in every turn: minutes a table otherwise."""
FIGURES = ("document", "again", "loop", "stream", "batch", "decode")
"""CPU MB/s that jobs/encode.py prints; it says what each means."""

TEXTS = {"en": 60_000_000, "code": 30_000_000, "zh": 13_000_000, "multi": 20_000_000}
"""Where the texts to encode begin in each corpus: behind what `mixed` takes, so that the model has not seen them."""


def training(at: Setting) -> str:
    """Training: 8,000 pieces on en, 32,000 on mixed; then what the vocabularies are worth on the text they were trained on."""
    out = []
    for corpus, vocab in (("en", 8000), ("mixed", 32000)):
        path = at.files[corpus]
        commands = {
            f"{tool}, {threads} thread{'s' * (threads > 1)}": [
                at.python(tool),
                str(JOBS / "train.py"),
                tool,
                str(path),
                str(vocab),
                str(at.scratch / f"{tool}-{corpus}"),
                str(threads),
            ]
            for tool in TRAINERS
            for threads in ((1, 2) if tool == "piecetokenizer" else (2,))
        }
        costs = measure.in_turn(commands, at.runs)
        ours = costs["piecetokenizer, 1 thread"].cpu
        rows = [[name, f"{c.cpu:.2f}", f"{c.wall:.2f}", f"{c.peak_mb:.0f}", f"{ours / c.cpu:.2f}"] for name, c in costs.items()]
        out.append(f"### {vocab:,} pieces on {corpus} ({path.stat().st_size / 1e6:.0f} MB)\n")
        out.append(table(["tool", "CPU s", "wall s", "peak MB", "our CPU / its CPU"], rows))
        out.append(f"Compression of {corpus}, the whole of it: {compression(at, corpus)}.\n")
    out.append("### Equal merges\n")
    out.append(equal.same_merges(at))
    return "\n".join(out)


def compression(at: Setting, corpus: str) -> str:
    """Tokens and bytes per token of our vocabulary and of SentencePiece's, each encoding line by line with its own tool.

    The two rules differ (SentencePiece knows no classes: `word` cuts between a letter and a digit, for example), so
    the counts differ within that; they are not expected to be equal.
    """
    size = at.files[corpus].stat().st_size
    counts = []
    for tool in ("piecetokenizer", "sentencepiece"):
        cost = measure.run(
            [at.python(tool), str(JOBS / "tokens.py"), tool, str(at.scratch / f"{tool}-{corpus}.model"), str(at.files[corpus])]
        )
        tokens = int(cost.output)
        counts.append(f"{tool} {tokens:,} tokens, {size / tokens:.3f} bytes a token")
    return "; ".join(counts)


def encoding(at: Setting) -> str:
    """Encoding and decoding with one vocabulary: ours, trained on mixed; the peers read its SentencePiece export."""
    exported = at.scratch / "exported.model"
    measure.run([sys.executable, "-m", "piecetokenizer", "export", str(at.native), "--to", "sentencepiece", "-o", str(exported)])
    out = []
    for name, start in TEXTS.items():
        text = at.scratch / f"text-{name}.txt"
        text.write_bytes(setting.head(at.files[name], 18_000_000, start))
        found: dict[str, list[dict[str, float]]] = {tool: [] for tool in ENCODERS}
        same = {}
        for turn in range(at.runs):
            for tool in ENCODERS:
                if turn and tool in SLOW:
                    continue
                model = at.native if tool.startswith("piecetokenizer") else exported
                ids = at.scratch / f"ids-{tool}.npy"
                job = [at.python(tool), str(JOBS / "encode.py"), tool, str(model), str(text), str(ids)]
                found[tool].append(json.loads(measure.run(job).output))
                same[tool] = agreement(at.scratch / "ids-piecetokenizer_arrays.npy", ids)
        results = {tool: {key: statistics.median(r[key] for r in all_) for key in all_[0]} for tool, all_ in found.items()}
        ours, arrays = results["piecetokenizer_arrays"], results["gigatoken"]
        rows = [[tool, same[tool], *(f"{r[key]:.1f}" for key in FIGURES), f"{r['short_us']:.2f}"] for tool, r in results.items()]
        out.append(f"### {name}: 20 documents of 0.9 MB, new to the vocabulary and to the tools\n")
        out.append(table(["tool", "ids", *FIGURES, "100 characters, us"], rows))
        out.append(
            "Ours to arrays against gigatoken: "
            + ", ".join(f"{key} {ours[key] / arrays[key]:.2f}" for key in FIGURES)
            + f" times as fast; 100 characters in {ours['short_us'] / arrays['short_us']:.2f} of its time.\n"
        )
    out.append("### Normalization that finds nothing to rewrite\n")
    out.append("The same vocabulary with normalization nmt_nfkc, on documents that are already normal by it, and the same ids.\n")
    out.append(normalization(at))
    return "\n".join(out)


def normalization(at: Setting) -> str:
    """CPU MB/s of the texts that `encoding` has left, with and without nmt_nfkc, and what is left of the speed."""
    rows = []
    for name in TEXTS:
        job = [sys.executable, str(JOBS / "normalized.py"), str(at.native), str(at.scratch / f"text-{name}.txt")]
        r = json.loads(measure.run(job).output)
        rows.append([name, f"{r['none']:.1f}", f"{r['nmt_nfkc']:.1f}", f"{r['ratio']:.2f}"])
    return table(["text", "none", "nmt_nfkc", "ratio"], rows)


def agreement(ours: Path, theirs: Path) -> str:
    """Whether two id arrays are equal, else where they first part."""
    a, b = np.load(ours), np.load(theirs)
    if len(a) == len(b) and (a == b).all():
        return "the same"
    n = min(len(a), len(b))
    parts = np.flatnonzero(a[:n] != b[:n])
    return f"{len(b):,} to our {len(a):,}, differ from {parts[0] if len(parts) else n:,} on"


def chinese(at: Setting) -> str:
    """The dictionary cut, 10 MB of zh in lines: ours to segment ends, as training and encoding use them, and to strings as the others."""
    text = at.scratch / "text-cut.txt"
    text.write_bytes(setting.head(at.files["zh"], 10_000_000, 0))
    rows = []
    speeds = {}
    for tool in ("piecetokenizer", "piecetokenizer_strings", "rjieba", "jieba"):
        r = json.loads(measure.run([at.python(tool), str(JOBS / "cut.py"), tool, str(text)]).output)
        speeds[tool] = r["speed"]
        rows.append([tool, f"{r['speed']:.1f}", f"{r['words']:,}", f"{r['load']:.2f}"])
    note = (
        "The words differ where the rules do: ours cuts only runs of Han, jieba also Latin words and digits together with them, "
        "and an integer of 2^-24 decides our ties, a float theirs.\n"
    )
    return table(["tool", "MB/s", "words", "load s"], rows) + f"\nOurs / rjieba: {speeds['piecetokenizer'] / speeds['rjieba']:.2f}. {note}"


def files(at: Setting) -> str:
    """`piecetokenizer encode corpus.txt -o ids.npy`: threads and memory."""
    commands = {}
    small, large = at.scratch / "small.txt", at.scratch / "large.txt"
    small.write_bytes(setting.head(at.files["en"], 20_000_000))
    with large.open("wb") as file:
        for _ in range(3):
            file.write(at.files["en"].read_bytes())
    for label, path in (("20 MB", small), ("113 MB", at.files["en"]), ("339 MB, that three times", large)):
        for threads in (1, 2):
            commands[f"{label}, {threads} thread{'s' * (threads > 1)}"] = [*at.encode_file(path), str(threads)]
    costs = measure.in_turn(commands, at.runs)
    return table(
        ["text", "CPU s", "wall s", "peak MB"], [[n, f"{c.cpu:.2f}", f"{c.wall:.2f}", f"{c.peak_mb:.0f}"] for n, c in costs.items()]
    )


def startup(at: Setting) -> str:
    """Import and load times, CPU milliseconds, each in fresh processes."""
    code = {
        "python": "pass",
        "import numpy": "import numpy",
        "import piecetokenizer": "import piecetokenizer",
        "import piecetokenizer, load 32,000 pieces": f"import piecetokenizer; piecetokenizer.Tokenizer.load({str(at.native)!r})",
    }
    costs = measure.in_turn({name: [sys.executable, "-c", line] for name, line in code.items()}, 2 * at.runs + 3)
    rows = [[name, f"{c.cpu * 1000:.0f}", f"{c.peak_mb:.0f}"] for name, c in costs.items()]
    load = f"p.Tokenizer.load({str(at.native)!r})"
    timed = f"import time, piecetokenizer as p; {load}; b = time.process_time(); {load}; print(time.process_time() - b)"
    again = float(measure.run([sys.executable, "-c", timed]).output) * 1000
    return table(["process", "CPU ms", "peak MB"], rows) + f"\nLoading alone, in a running process: {again:.0f} ms.\n"


SECTIONS = {
    "Training": training,
    "Encoding and decoding": encoding,
    "Chinese by dictionary": chinese,
    "File to file": files,
    "Start": startup,
}
