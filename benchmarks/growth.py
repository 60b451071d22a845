"""How time grows: with the size of ordinary text, and on the inputs that are worst for a tokenizer.

Growth is drawn as growth.svg: CPU nanoseconds a byte against megabytes, which is a flat line when all is well.
"""

import json
import subprocess
import sys
from pathlib import Path

import measure
from measure import table
from setting import JOBS, Setting

HERE = Path(__file__).resolve().parent
SIZES = (10, 30, 100, 300)


def growth(at: Setting) -> str:
    """CPU nanoseconds a byte for 10, 30, 100 and 300 MB of the same kind (mixed, read in a circle): training and encoding."""
    source = b"".join(at.files[name].read_bytes() for name in ("en", "code", "multi"))
    lines = source.split(b"\n")
    shuffled = b"\n".join(lines[i] for i in _order(len(lines)))
    rows, points = [], {"training, 16,000 pieces": [], "encoding to a file": []}
    for size in SIZES:
        path = at.scratch / f"growth-{size}.txt"
        data = shuffled[: size * 1_000_000]
        path.write_bytes(data[: data.rfind(b"\n") + 1])
        trained = measure.run(
            [sys.executable, str(JOBS / "train.py"), "piecetokenizer", str(path), "16000", str(at.scratch / "growth"), "1"]
        )
        encoded = measure.run([*at.encode_file(path), "1"])
        per_byte = [cost.cpu / path.stat().st_size * 1e9 for cost in (trained, encoded)]
        for name, value in zip(points, per_byte, strict=True):
            points[name].append((size, value))
        rows.append([f"{size}", *(f"{v:.1f}" for v in per_byte), f"{trained.peak_mb:.0f}", f"{encoded.peak_mb:.0f}"])
        path.unlink()
    _draw(at, points)
    return (
        table(["MB", "training ns/byte", "encoding ns/byte", "training peak MB", "encoding peak MB"], rows)
        + "\n![growth](growth.svg)\n"
    )


def _order(n: int) -> list[int]:
    """A fixed shuffle, so that every prefix is a fair sample."""
    import random

    order = list(range(n))
    random.Random(1).shuffle(order)
    return order


def _draw(at: Setting, points: dict[str, list[tuple[int, float]]]) -> None:
    """Draw with the peers' matplotlib: ours need not depend on it."""
    subprocess.run([at.peers, str(JOBS / "draw.py"), json.dumps(points), str(HERE / "growth.svg")], check=True)


def worst(at: Setting) -> str:
    """CPU seconds of encoding inputs without a place to cut, a tenth and the whole of each."""
    cost = measure.run([sys.executable, str(JOBS / "worst.py"), str(at.native)])
    rows = [
        [r["name"], f"{r['small']:.3f}", f"{r['large']:.3f}", f"{r['large'] / r['small']:.1f}", f"{r['tokens']:,}"]
        for r in json.loads(cost.output)
    ]
    return (
        table(["input", "a tenth, s", "whole, s", "ratio", "tokens"], rows)
        + f"\nPeak memory of the whole process: {cost.peak_mb:.0f} MB. Every result decodes to its input.\n"
    )
