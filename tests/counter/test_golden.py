"""Four vocabularies learned by another program, from its segment counts: the same pieces, to the last one, in order."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.vocabulary import learn_vocabulary
from piecetokenizer.model import PieceType
from piecetokenizer.spec import CounterSpec

NAMES = ("code_word_4000", "en_isolate_4000", "en_word_8000", "zh_word_6000")


def load(golden: Path, name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(gzip.decompress((golden / "counter" / f"{name}.json.gz").read_bytes()))
    return data


@pytest.mark.parametrize("name", NAMES)
def test_golden(golden: Path, name: str) -> None:
    data = load(golden, name)
    counts = [(text.replace("▁", " "), count) for text, count in data["counts"]]
    spec = CounterSpec(
        vocab_size=3 + 256 + data["normal_pieces"],
        character_coverage=data["character_coverage"],
        min_count=data["min_count"],
        max_piece_size=data["max_piece_size_bytes"],
    )
    vocabulary = learn_vocabulary(Segments.from_pairs(counts), spec)
    normal = [text for text, kind in zip(vocabulary.texts, vocabulary.columns.types, strict=True) if kind == PieceType.NORMAL]
    assert normal == data["pieces"]
    assert vocabulary.columns.scores[vocabulary.columns.types == PieceType.NORMAL].tolist() == [
        -float(i) for i in range(data["normal_pieces"])
    ]
    assert vocabulary.merges.work["rebuilds"] == 0

    random.Random(name).shuffle(counts)
    shuffled = learn_vocabulary(Segments.from_pairs(counts), spec)
    assert shuffled.texts == vocabulary.texts
    assert shuffled.parts == vocabulary.parts
