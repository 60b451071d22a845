"""What normalization costs where there is nothing to normalize, in a process of its own:   normalized.py MODEL TEXT

One vocabulary twice: as it is, and with normalization nmt_nfkc.  The text is normalized by that rule first, and cut into documents, each
new to both; they take turns at who is first.  Prints the median CPU MB/s of both and of their ratio as JSON.
"""

import dataclasses
import json
import statistics
import sys
import time

from piecetokenizer import Model, Normalizer, PreTokenizerSpec, Tokenizer

DOCUMENTS = 20


def main(path: str, text_path: str) -> None:
    model = Model.load(path)
    spec = dataclasses.replace(model.pretokenizer, normalization="nmt_nfkc")
    tokenizers = [Tokenizer(model), Tokenizer(Model.of_columns(model.counter, spec, model.tokenizer, model.columns))]
    normalize = Normalizer(PreTokenizerSpec(normalization="nmt_nfkc", reconstruct=True)).normalize
    with open(text_path, encoding="utf-8", newline="\n") as file:
        lines = [normalize(line) for line in file.read().split("\n")]
    step = len(lines) // DOCUMENTS
    speeds: list[list[float]] = [[], []]
    for number in range(DOCUMENTS):
        document = " ".join(lines[number * step : (number + 1) * step])
        size = len(document.encode()) / 1e6
        ids = [None, None]
        for which in (0, 1) if number % 2 else (1, 0):
            began = time.process_time()
            ids[which] = tokenizers[which].encode(document, out="numpy")
            speeds[which].append(size / (time.process_time() - began))
        if ids[0].tolist() != ids[1].tolist():
            sys.exit(f"document {number} has other ids with nmt_nfkc: it was not normal before")
    plain, rewritten = (sorted(found)[len(found) // 2] for found in speeds)
    ratio = statistics.median(b / a for a, b in zip(*speeds, strict=True))
    print(json.dumps({"none": plain, "nmt_nfkc": rewritten, "ratio": ratio}))


if __name__ == "__main__":
    main(*sys.argv[1:])
