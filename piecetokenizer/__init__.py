"""Train, use and ship BPE vocabularies: SentencePiece-style, exact, with the same ids everywhere."""
