"""SentencePiece's own trainer on the same words: the same pieces in the same order.

It only ever looks at the best twentieth of all pairs, at least a thousand, and refreshes them now and then, so it is exact on
corpora of this size only; ours are meant to be equal wherever it is.
"""

import io
import random
from collections import Counter

import pytest
import sentencepiece

from piecetokenizer.counter.coverage import cover
from piecetokenizer.counter.merges import learn_merges
from piecetokenizer.counter.segments import Segments


@pytest.mark.parametrize("seed", range(10))
def test_same_pieces(seed: int) -> None:
    rng = random.Random(seed)
    letters = "abcdefghijklmnopé好"[: 3 + seed]  # few letters make many runs, such as aaaa
    words = ["".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(120)]
    sentences = [rng.choice(words) for _ in range(1000)]
    segments = Segments.from_pairs(Counter(f" {word}" for word in sentences).items())  # SentencePiece puts the space before a word
    alphabet = cover(segments, 1.0).required
    size = 3 + len(alphabet) + 100

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_writer=model,
        model_type="bpe",
        vocab_size=size,
        character_coverage=1.0,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    pieces = [processor.id_to_piece(id) for id in range(3, size)]
    assert [left + right for left, right in learn_merges(segments, alphabet, 100).pairs] + list(alphabet) == pieces
