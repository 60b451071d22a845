"""What can be said of an export by looking at the vocabulary: the proven rules and where they end.

In: a Model and its Columns (the vocabulary as the reader sees it).  Out: Findings.

    boundaries    no piece holds two neighbours between which we always cut  =>  cutting first changes no id
    spelled       a token that is not NORMAL can be merged from what an ordinary text holds
    overlapping   two user-defined symbols can claim the same characters, and readers settle that in other ways than we do

Names that llama.cpp knows are in llama_names.

The proof behind `boundaries`: our encoder merges within segments only.  Each merge makes a piece; a merge across a boundary would
make a piece that holds the boundary's two characters; if no piece does, the reader has no such merge, so both do the same merges.
"""

import itertools
from collections.abc import Iterable

from piecetokenizer.formats.columns import NORMAL, SPACE, USER_DEFINED, Columns, show
from piecetokenizer.formats.verdict import Finding, Kind
from piecetokenizer.model import Model
from piecetokenizer.pretokenize import PreTokenizer

__all__ = ["boundaries", "literal_space", "normalized", "overlapping", "spelled"]

def boundaries(model: Model, pretokenizer: PreTokenizer) -> list[Finding]:
    """A piece that holds a place where we cut, or may cut, is one that the reader makes and we do not, or not always."""
    space = model.pretokenizer.space
    always: list[str] = []
    sometimes: list[str] = []
    known: dict[tuple[str, str], int] = {}
    for text, type in zip(model.texts, model.types.tolist(), strict=True):
        if type != NORMAL or len(text) < 2:
            continue
        worst = 0
        for pair in itertools.pairwise(text.replace(space, " ")):
            if pair not in known:
                known[pair] = 2 if pretokenizer.never_inside(*pair) else 1 if pretokenizer.may_be_boundary(*pair) else 0
            worst = max(worst, known[pair])
        if worst:
            (always if worst == 2 else sometimes).append(text)
    findings = []
    if always:
        findings.append(Finding(Kind.DIFFERS, f"{_count(always)} across a boundary of the pre-tokenizer: the reader cuts nowhere"))
    if sometimes:
        where = f"a boundary in some texts ({_why(model)})"
        findings.append(Finding(Kind.DIFFERS, f"{_count(sometimes)} across what is {where}: the reader cuts nowhere"))
    return findings


def spelled(columns: Columns, *, merged: Iterable[int], single: Iterable[int] = ()) -> list[Finding]:
    """Tokens that ordinary text can become: of the types `merged` by a merge, of the types `single` if they are one character.

    A merge joins two symbols, each a token or one character, so trying every split of a token's text misses nothing.
    """
    known = set(columns.texts)
    merged, single = set(merged), set(single)
    hits = []
    for text, type in zip(columns.texts, columns.types, strict=True):
        if type == NORMAL:
            continue
        # A user-defined token is cut out before anything is merged; only one whose ▁ came from a space is left to be merged.
        if type == USER_DEFINED and SPACE not in text:
            continue
        if type in single if len(text) == 1 else type in merged and " " not in text and _can_be_merged(text, known):
            hits.append(text)
    if not hits:
        return []
    shown = ", ".join(hits[:5]) + (f" and {len(hits) - 5} more" if len(hits) > 5 else "")
    return [Finding(Kind.EXCEPTION, f"texts that spell {shown}", tuple({form for hit in hits for form in (hit, hit.replace(SPACE, " "))}))]


def overlapping(symbols: Iterable[str]) -> list[Finding]:
    """Two symbols of which one ends as the other begins: a reader that looks for the longer one first cuts there otherwise than we do.

    A symbol inside another, or one that overlaps itself, is found alike: leftmost-longest and longest-first agree on both.
    """
    begins: dict[str, list[str]] = {}
    texts = sorted(set(symbols))
    for symbol in texts:
        for i in range(1, len(symbol)):
            others = begins.setdefault(symbol[:i], [])
            if len(others) < 2:
                others.append(symbol)
    for symbol in texts:
        for i in range(1, len(symbol)):
            for other in begins.get(symbol[i:], ()):
                if other != symbol:
                    pair = f"{show(symbol)} and {show(other)}"
                    return [Finding(Kind.DIFFERS, f"the user-defined symbols {pair} can overlap: the reader takes the longer one first")]
    return []


def normalized(model: Model) -> list[Finding]:
    """What our normalization does that the reader does not."""
    spec = model.pretokenizer
    done = [] if spec.normalization == "none" else [f"normalization {spec.normalization}"]
    if not spec.reconstruct:
        done.append("spaces (runs become one, the ends are trimmed)")
    if not done:
        return []
    return [Finding(Kind.NORMALIZED, f"the reader does not do {' nor '.join(done)}: give it text that is normalized already")]


def literal_space(model: Model, reader: str) -> list[Finding]:
    """▁ and the space: readers make one of the two before they merge, so a space that is left over is three bytes there and one here."""
    if model.tokenizer.semantics == "sentencepiece" and reader != "sentencepiece" and not model.pretokenizer.reconstruct:
        return [Finding(Kind.NOTE, "a literal ▁ (U+2581) at the end of a text is trimmed here, not by the reader", (SPACE,))]
    if model.tokenizer.semantics != "native":
        return []
    id = model.id_of(model.pretokenizer.space)
    if id is None or model.types[id] != NORMAL:
        return [Finding(Kind.DIFFERS, "the space is no piece: it goes out as byte 20 here, as the bytes E2 96 81 of ▁ there")]
    return [Finding(Kind.NOTE, "a literal ▁ (U+2581) in a text is a space for the reader; here it goes out as its bytes", (SPACE,))]


def _can_be_merged(text: str, known: set[str]) -> bool:
    last = len(text) - 1
    return any((i == 1 or text[:i] in known) and (i == last or text[i:] in known) for i in range(1, len(text)))


def _count(pieces: list[str]) -> str:
    shown = ", ".join(show(piece) for piece in pieces[:3])
    return f"{len(pieces)} piece{'s' * (len(pieces) > 1)} ({shown}{', ...' * (len(pieces) > 3)}) go{'es' * (len(pieces) == 1)}"


def _why(model: Model) -> str:
    spec = model.pretokenizer
    isolate, words = ["apostrophes in split=isolate"], ["the words of the dictionary"]
    return " and ".join(isolate * (spec.split == "isolate") + words * (spec.cn == "dict"))
