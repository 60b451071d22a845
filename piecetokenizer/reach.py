"""Which pieces a text can ever become: the naive encoder that checking and editing ask.

In: a Model.  Out: for each NORMAL piece that encoding its own text does not give, why not.

    not UTF-8        its bytes are no text; what is not UTF-8 becomes U+FFFD before anything is merged
    spaces           it has two spaces in a row, and the model makes one of them
    normalization    the rules rewrite its text into something else
    user-defined     it holds a user-defined symbol, at which every text is cut
    boundary         it holds two characters between which every text is cut
    merges           its parts are merged in another way before it can be made

The rule of merging is DESIGN's: start from characters; of all neighbours that join to a piece, the highest score first, the leftmost on
a tie; until none is left.  `Replay` does this with a heap, n log n for n characters, in plain Python: a second opinion on the kernels,
not a replacement.  Where a boundary depends on more than two characters (isolate's apostrophe, a dictionary) it is not counted: some text
has none there.
"""

import heapq
import re
from dataclasses import dataclass
from itertools import pairwise

from piecetokenizer.model import Model, PieceType
from piecetokenizer.normalize import Charsmap, Normalizer
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.pretokenize.classes import class_of
from piecetokenizer.symbols import SymbolMatcher

__all__ = ["Replay", "Unreachable", "unreachable_pieces"]

SURROGATE = re.compile("[\ud800-\udfff]")

MERGED = {
    "native": frozenset({PieceType.NORMAL}),
    "sentencepiece": frozenset({PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED}),
    "llama": frozenset(PieceType),
}
"""The types of piece that a merge can make, for each semantics."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A NORMAL piece that no text becomes, and why; `symbols` is what its text becomes instead, if merging is the reason."""

    id: int
    text: str
    reason: str
    symbols: tuple[str, ...] = ()

    def __str__(self) -> str:
        instead = f", it becomes {' '.join(self.symbols)}" if self.symbols else ""
        return f"{self.id} {self.text!r}: {self.reason}{instead}"


class Replay:
    """The merges of a vocabulary, by text."""

    def __init__(self, model: Model, types: frozenset[PieceType] | None = None) -> None:
        """`types` are those that a merge can make, by default what the model's semantics says."""
        types = MERGED[model.tokenizer.semantics] if types is None else types
        columns = zip(model.texts, model.scores.tolist(), model.types.tolist(), strict=True)
        self.scores = {text: score for text, score, type in columns if type in types}

    def symbols(self, text: str) -> list[str]:
        """What the characters of one segment are merged into; the text is in the form of the vocabulary (▁ for the space).

        >>> from piecetokenizer import train
        >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
        >>> Replay(model).symbols("▁chat")
        ['▁c', 'h', 'at']
        """
        symbols: list[str | None] = list(text)
        after = list(range(1, len(text) + 1))
        before = list(range(-1, len(text) - 1))
        heap: list[tuple[float, int, int, str]] = []

        def consider(left: int, right: int) -> None:
            joined = f"{symbols[left]}{symbols[right]}"
            score = self.scores.get(joined)
            if score is not None:
                heapq.heappush(heap, (-score, left, right, joined))

        for left in range(len(text) - 1):
            consider(left, left + 1)
        while heap:
            _, left, right, joined = heapq.heappop(heap)
            # Stale if either side has been merged since: then it is gone, or longer.
            if symbols[left] is None or symbols[right] is None or after[left] != right or f"{symbols[left]}{symbols[right]}" != joined:
                continue
            symbols[left], symbols[right] = joined, None
            after[left] = after[right]
            if after[left] < len(text):
                before[after[left]] = left
                consider(left, after[left])
            if before[left] >= 0:
                consider(before[left], left)
        return [symbol for symbol in symbols if symbol is not None]


def unreachable_pieces(model: Model) -> list[Unreachable]:
    """All NORMAL pieces that encoding their own text does not give, in the order of ids."""
    judge = _Judge(model)
    normal = (model.types == PieceType.NORMAL).nonzero()[0].tolist()
    found = []
    for id in normal:
        text = model.texts[id]
        reason, symbols = judge.verdict(text)
        if reason:
            found.append(Unreachable(id, text, reason, symbols))
    return found


class _Judge:
    """What is asked of each piece, prepared once."""

    def __init__(self, model: Model) -> None:
        spec = model.pretokenizer
        self.space = spec.space
        self.merges_spaces = not spec.reconstruct
        self.replay = Replay(model)
        self.boundaries: dict[tuple[str, str], bool] = {}
        # A dictionary cuts like cn=char but for pairs of Han, and those it cuts in some texts and not in others.
        self.dictionary = spec.cn == "dict"
        self.pretokenizer = PreTokenizer(spec.replace(cn="char", cn_dict="") if self.dictionary else spec)
        self.normalizer = None
        if spec.normalization != "none":
            charsmap = None
            if model.charsmap is not None:
                charsmap = Charsmap.from_blob(model.charsmap)
            elif model.charsmap_rules is not None:
                charsmap = Charsmap.from_rules(model.charsmap_rules)
            self.normalizer = Normalizer(spec.replace(reconstruct=True, prefix="none"), charsmap)
        self.symbols = None
        if model.tokenizer.semantics != "sentencepiece":  # which finds them after normalization, with ▁ as the space
            user = [text for text, type in zip(model.texts, model.types.tolist(), strict=True) if type == PieceType.USER_DEFINED]
            user = [text for text in user if not SURROGATE.search(text)]
            self.symbols = SymbolMatcher(user) if user else None

    def verdict(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Why a piece cannot be reached, empty if it can; and what it becomes by merging."""
        if not text.isascii() and SURROGATE.search(text):
            return "not UTF-8", ()
        plain = text.replace(self.space, " ")
        if self.merges_spaces and "  " in plain:
            return "spaces", ()
        if self.normalizer is not None and self.normalizer.normalize(plain) != plain:
            return "normalization", ()
        if self.symbols is not None and next(self.symbols.matches(plain.encode()), None) is not None:
            return "user-defined", ()
        if any(self._boundary(pair) for pair in pairwise(plain)):
            return "boundary", ()
        symbols = self.replay.symbols(text)
        return ("merges", tuple(symbols)) if len(symbols) > 1 else ("", ())

    def _boundary(self, pair: tuple[str, str]) -> bool:
        known = self.boundaries.get(pair)
        if known is None:
            known = self.pretokenizer.never_inside(*pair) and not (self.dictionary and class_of(pair[0]) == class_of(pair[1]) == "H")
            self.boundaries[pair] = known
        return known
