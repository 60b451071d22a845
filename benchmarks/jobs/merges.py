"""Learn pieces from words of letters, one a line, with one tool, in a process of its own:   merges.py TOOL CORPUS VOCAB OUT_PREFIX

Prints what each merge made, one a line, in the order of the merges.  On such a text the rules of these trainers coincide: a word is one
segment, a letter one symbol, no piece is longer than a word.
"""

import json
import sys


def piecetokenizer(corpus: str, vocab: int, out: str) -> list[str]:
    from piecetokenizer import PieceType, train

    model = train([corpus], vocab_size=vocab, character_coverage=1.0)
    return [piece.text for piece in model if piece.type == PieceType.NORMAL]


def sentencepiece(corpus: str, vocab: int, out: str) -> list[str]:
    import sentencepiece as spm

    spm.SentencePieceTrainer.train(
        input=corpus,
        model_prefix=out,
        vocab_size=vocab,
        model_type="bpe",
        byte_fallback=True,
        character_coverage=1.0,
        add_dummy_prefix=False,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    peer = spm.SentencePieceProcessor(model_file=out + ".model")
    return [peer.id_to_piece(id) for id in range(3 + 256, peer.get_piece_size())]


def gigabpe(corpus: str, vocab: int, out: str) -> list[str]:
    import gigabpe as peer

    peer.train_tokenizer([corpus], vocab, out + ".json", pretokenizer="whitespace", threads=2, special_tokens=[])
    with open(out + ".json", encoding="utf-8") as file:
        merges = json.load(file)["model"]["merges"]
    return ["".join(merge) for merge in merges]


TOOLS = {job.__name__: job for job in (piecetokenizer, sentencepiece, gigabpe)}

if __name__ == "__main__":
    tool, corpus, vocab, out = sys.argv[1:]
    print("\n".join(piece for piece in TOOLS[tool](corpus, int(vocab), out) if len(piece) > 1))
