"""Train one vocabulary with one tool, in a process of its own:   train.py TOOL CORPUS VOCAB OUT_PREFIX THREADS

The settings are each tool's closest equivalent of ours.  Time and memory are measured from outside (measure.run).
"""

import sys

GPT4 = r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"""
BYTES = [f"<0x{i:02X}>" for i in range(256)]


def piecetokenizer(corpus: str, vocab: int, out: str, threads: int) -> None:
    from piecetokenizer import train

    train([corpus], vocab_size=vocab, threads=threads).save(out + ".model")


def sentencepiece(corpus: str, vocab: int, out: str, threads: int) -> None:
    import sentencepiece as spm

    spm.SentencePieceTrainer.train(
        input=corpus,
        model_prefix=out,
        vocab_size=vocab,
        model_type="bpe",
        byte_fallback=True,
        character_coverage=0.9995,
        num_threads=threads,
        max_sentence_length=1 << 20,
        minloglevel=2,
    )


def gigabpe_bytelevel(corpus: str, vocab: int, out: str, threads: int) -> None:
    """The fastest setting of gigabpe: GPT-2's split, byte-level symbols."""
    import gigabpe

    gigabpe.train_tokenizer([corpus], vocab, out + ".json", pretokenizer="bytelevel", threads=threads, special_tokens=[])


def gigabpe_whitespace(corpus: str, vocab: int, out: str, threads: int) -> None:
    import gigabpe

    gigabpe.train_tokenizer([corpus], vocab, out + ".json", pretokenizer="whitespace", threads=threads, special_tokens=[])


def tokenizers(corpus: str, vocab: int, out: str, threads: int) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<unk>", "<s>", "</s>", *BYTES]
    tokenizer.train([corpus], trainers.BpeTrainer(vocab_size=vocab, special_tokens=special, limit_alphabet=4000, show_progress=False))
    tokenizer.save(out + ".json")


def rustbpe(corpus: str, vocab: int, out: str, threads: int) -> None:
    import rustbpe as peer

    with open(corpus, encoding="utf-8") as lines:
        peer.Tokenizer().train_from_iterator(lines, vocab, pattern=GPT4)


TOOLS = {job.__name__: job for job in (piecetokenizer, sentencepiece, gigabpe_bytelevel, gigabpe_whitespace, tokenizers, rustbpe)}

if __name__ == "__main__":
    tool, corpus, vocab, out, threads = sys.argv[1:]
    TOOLS[tool](corpus, int(vocab), out, int(threads))
