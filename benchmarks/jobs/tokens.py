"""Print how many tokens a file is, encoded line by line:   tokens.py TOOL MODEL TEXT"""

import sys

tool, model, path = sys.argv[1:]
with open(path, "rb") as file:
    lines = file.read().decode("utf-8").split("\n")
if tool == "piecetokenizer":
    from piecetokenizer import Tokenizer

    tokenizer = Tokenizer.load(model)
    print(sum(len(tokenizer.encode(line, out="numpy")) for line in lines))
else:
    import sentencepiece as spm

    peer = spm.SentencePieceProcessor(model_file=model)
    print(sum(map(len, peer.encode(lines, num_threads=2))))
