"""Small models of what the readers of our exports do with a text, in plain Python, to compare our encoder with.

In: the vocabulary as it was written into the file.  Out: an object with `encode(text) -> list of ids`.

    LlamaReader        llama.cpp, tokenizer.ggml.model = "llama": any adjacent pair that is any token, highest score first
    LlamaBpeReader     llama.cpp, tokenizer.ggml.model = "gpt2", pre = "sarvam-moe": explicit merges, lines by themselves
    HuggingFaceReader  tokenizers, BPE with byte_fallback: explicit merges, added tokens cut the text first

    sentencepiece_encode  the library itself, which is there whenever a .model can be written
    huggingface_encode    the library itself if it is installed, else HuggingFaceReader

The models are written from the readers' behaviour and share no code with our encoder, so that a fault in ours is not in both; the
tests hold each against the real reader.  A text is cut wherever its two neighbours stand together in no mergeable token, which changes
nothing (no merge can cross such a place) and lets the cut-off parts be remembered.  n log n in the length of a part.
"""

import heapq
import itertools
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["HuggingFaceReader", "LlamaBpeReader", "LlamaReader", "MergeReplay", "huggingface_encode", "sentencepiece_encode"]

UNKNOWN, CONTROL, USER_DEFINED = 2, 3, 4
SPACE = "▁"
MAX_REMEMBERED = 100_000


class MergeReplay:
    """Merging of adjacent symbols, from characters up: the lowest rank first, the leftmost on a tie.

    `rank(left, right)` is the rank of the pair or None; `mergeable` are all texts that a merge can make.
    """

    def __init__(self, mergeable: Iterable[str], rank: Callable[[str, str], float | None], ids: Mapping[str, int]) -> None:
        self.rank = rank
        self.ids = ids
        self.inside = {pair for text in mergeable for pair in itertools.pairwise(text)}
        self.remembered: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment: symbols that are a token, and the bytes of those that are none."""
        ids: list[int] = []
        start = 0
        for end in [i for i, pair in enumerate(itertools.pairwise(text), 1) if pair not in self.inside] + [len(text)]:
            part = text[start:end]
            start = end
            if part not in self.remembered:
                if len(self.remembered) >= MAX_REMEMBERED:
                    self.remembered.clear()
                self.remembered[part] = [id for symbol in self.merge(part) for id in self.lookup(symbol)]
            ids += self.remembered[part]
        return ids

    def lookup(self, symbol: str) -> list[int]:
        """The id of a symbol; without one, the ids of its bytes."""
        if symbol in self.ids:
            return [self.ids[symbol]]
        return [self.ids[f"<0x{byte:02X}>"] for byte in symbol.encode()]

    def merge(self, text: str) -> list[str]:
        """The symbols that are left when nothing can be merged any more."""
        symbols = list(text)
        size = len(symbols)
        before = list(range(-1, size - 1))
        after = [*range(1, size), -1]
        queue: list[tuple[float, int, int]] = []

        def offer(left: int, right: int) -> None:
            if left >= 0 and right >= 0 and (rank := self.rank(symbols[left], symbols[right])) is not None:
                heapq.heappush(queue, (rank, left, len(symbols[left]) + len(symbols[right])))

        for i in range(size - 1):
            offer(i, i + 1)
        while queue:
            _, left, length = heapq.heappop(queue)
            right = after[left]
            # An absorbed symbol is empty; a pair whose symbols have grown since has another length.
            if right < 0 or not symbols[left] or len(symbols[left]) + len(symbols[right]) != length:
                continue
            symbols[left] += symbols[right]
            symbols[right] = ""
            after[left] = after[right]
            if after[left] >= 0:
                before[after[left]] = left
            offer(before[left], left)
            offer(left, after[left])
        return [symbol for symbol in symbols if symbol]


class LlamaReader:
    """llama.cpp on a vocabulary of the SPM kind, with parse_special off and no BOS or EOS added."""

    def __init__(
        self,
        texts: Sequence[str],
        scores: npt.NDArray[np.float32],
        types: Sequence[int],
        *,
        space_prefix: bool = False,
    ) -> None:
        ids = {text: id for id, text in enumerate(texts)}
        ranks = {text: -float(score) for text, score in zip(texts, scores, strict=True)}
        self.replay = MergeReplay(texts, lambda left, right: ranks.get(left + right), ids)
        self.ids = ids
        self.space_prefix = space_prefix
        self.symbols = longest_first(text for text, type in zip(texts, types, strict=True) if type == USER_DEFINED)

    def encode(self, text: str) -> list[int]:
        """Cut at user-defined tokens, put a space before each fragment if asked, merge."""
        ids: list[int] = []
        for fragment, symbol in partition(text, self.symbols):
            if symbol:
                ids.append(self.ids[fragment])
            else:
                ids += self.fragment((" " if self.space_prefix else "") + fragment)
        return ids

    def fragment(self, text: str) -> list[int]:
        """The ids of a text between two tokens that were found whole."""
        return self.replay.encode(text.replace(" ", SPACE))


class LlamaBpeReader(LlamaReader):
    """llama.cpp on the same vocabulary as a BPE with explicit merges; runs of LF and what is between them are merged by themselves."""

    def __init__(self, texts: Sequence[str], types: Sequence[int], merges: Sequence[tuple[str, str]]) -> None:
        super().__init__(texts, np.zeros(len(texts), np.float32), types)
        self.replay = merge_list(merges, self.ids)

    def fragment(self, text: str) -> list[int]:
        """As the regular expression [^\\n]+|[\\n]+ cuts it."""
        parts = ("".join(run) for _, run in itertools.groupby(text.replace(" ", SPACE), lambda character: character == "\n"))
        return [id for part in parts for id in self.replay.encode(part)]


class HuggingFaceReader:
    """tokenizers' BPE with byte_fallback; `normalize`, and then `cut` if it is there, are applied to each fragment between added tokens."""

    def __init__(
        self,
        ids: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        added: Iterable[str],
        normalize: Callable[[str], str],
        cut: Callable[[str], list[str]] | None = None,
    ) -> None:
        self.ids = ids
        self.replay = merge_list(merges, ids)
        self.normalize = normalize
        self.cut = cut
        self.added = sorted(added, key=len, reverse=True)

    def encode(self, text: str) -> list[int]:
        """Cut at added tokens, leftmost-longest, normalize what is between them, merge."""
        ids: list[int] = []
        start = here = 0
        while here < len(text):
            symbol = next((symbol for symbol in self.added if text.startswith(symbol, here)), None)
            if symbol is None:
                here += 1
                continue
            ids += self.fragment(text[start:here])
            ids.append(self.ids[symbol])
            start = here = here + len(symbol)
        return ids + self.fragment(text[start:])

    def fragment(self, text: str) -> list[int]:
        """The ids of a text between two added tokens."""
        text = self.normalize(text)
        if self.cut is None:
            return self.replay.encode(text)
        return [id for part in self.cut(text.replace(SPACE, " ")) for id in self.replay.encode(part.replace(" ", SPACE))]


def sentencepiece_encode(data: bytes) -> Callable[[str], list[int]]:
    """SentencePiece's own encoder for the content of a .model file."""
    from sentencepiece import SentencePieceProcessor

    encode: Callable[[str], list[int]] = SentencePieceProcessor(model_proto=data).encode
    return encode


def huggingface_encode(
    content: Mapping[str, Any], merges: Sequence[tuple[str, str]], cut: Callable[[str], list[str]] | None
) -> Callable[[str], list[int]]:
    """The encoder for the content of a tokenizer.json: the library's own if it is installed, else a model of it that takes our `cut`."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        added = [token["content"] for token in content["added_tokens"]]
        return HuggingFaceReader(content["model"]["vocab"], merges, added, lambda text: _normalized(text, content), cut).encode
    tokenizer = Tokenizer.from_str(json.dumps(content))
    return lambda text: list(tokenizer.encode(text, add_special_tokens=False).ids)


def _normalized(text: str, content: Mapping[str, Any]) -> str:
    """The normalizers that our exports hold, but for Precompiled, which is left out."""
    for step in content["normalizer"]["normalizers"]:
        if step["type"] == "NFKC":
            text = unicodedata.normalize("NFKC", text)
        elif step["type"] == "Prepend":
            text = step["prepend"] + text if text else text
        elif step["type"] == "Replace" and "String" in step["pattern"]:
            text = text.replace(step["pattern"]["String"], step["content"])
        elif step["type"] == "Replace":
            text = re.sub(step["pattern"]["Regex"].replace(r"\z", r"\Z"), step["content"], text)
    return text


def merge_list(merges: Sequence[tuple[str, str]], ids: Mapping[str, int]) -> MergeReplay:
    """A replay by position in a list of merges."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    return MergeReplay((left + right for left, right in merges), lambda left, right: ranks.get((left, right)), ids)


def longest_first(texts: Iterable[str]) -> list[str]:
    """By size in bytes, largest first; equal ones stay in order of ids."""
    return sorted(texts, key=lambda text: -len(text.encode()))


def partition(text: str, symbols: Iterable[str]) -> list[tuple[str, bool]]:
    """llama.cpp's special partition: symbol by symbol, every occurrence in what no earlier symbol took; True marks a symbol.

    >>> partition("abcd", ["bcd", "ab"])
    [('a', False), ('bcd', True)]
    """
    parts = [(text, False)] if text else []
    for symbol in symbols:
        if symbol not in text:
            continue
        cut: list[tuple[str, bool]] = []
        for part, taken in parts:
            if taken:
                cut.append((part, True))
                continue
            between = part.split(symbol)
            for i, piece in enumerate(between):
                if i:
                    cut.append((symbol, True))
                if piece:
                    cut.append((piece, False))
        parts = cut
    return parts
