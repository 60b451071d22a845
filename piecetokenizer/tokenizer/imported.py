"""Models of other tools keep the rules of their readers: llama is llama.cpp's SPM kind, sentencepiece SentencePiece's BPE.

                        native              llama                               sentencepiece
    a merge may make    NORMAL              any piece                           NORMAL, USER_DEFINED; UNUSED, and takes it apart again
    one character is    NORMAL              any piece                           NORMAL, USER_DEFINED
    user-defined match  in raw text,        in raw text, the longest symbol     in normalized text, where ▁ is the space,
                        leftmost-longest    of all first                        leftmost-longest; raw text that spells one is not rewritten
    special="parse"     CONTROL             CONTROL, UNKNOWN                    CONTROL (an addition of ours)
    a literal ▁         is no space         is a space                          is a space
    UNUSED prints       nothing             nothing                             its text
    USER_DEFINED        as it is            as it is                            with ▁ as a space
    decoding strips     what the prefix     a space at the start of             the space of the first piece that prints; of each one up to
                        put there           the first id                        the first visible character, if spaces are trimmed

In: a Model.  Out: what the other files of this folder ask about it; they do not know semantics themselves.  Only a UNUSED piece that
SentencePiece can make and then takes apart again is refused here: such a model cannot be used.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import ModelError
from piecetokenizer.model import Model, PieceType
from piecetokenizer.normalize import PREFIX, TRIM_LEFT, TRIM_RIGHT, Charsmap
from piecetokenizer.symbols import SymbolMatcher
from piecetokenizer.tokenizer.rows import NormalRows, RowArrays, Rows, padded_text
from piecetokenizer.tokenizer.tables import arena_of
from piecetokenizer.tokenizer.tables_cy import translate
from piecetokenizer.tokenizer.workspace import Workspace

__all__ = ["Imported", "LeadingSpace", "mergeable", "printed"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def mergeable(model: Model) -> NDArray[np.bool_]:
    """Which pieces a merge may make, or a character be."""
    semantics = model.tokenizer.semantics
    if semantics == "llama":
        return np.ones(len(model), np.bool_)
    if semantics == "native":
        native: NDArray[np.bool_] = model.types == PieceType.NORMAL
        return native
    made: NDArray[np.bool_] = np.isin(model.types, (PieceType.NORMAL, PieceType.USER_DEFINED))
    unused = np.flatnonzero(model.types == PieceType.UNUSED).tolist()
    known = {model.texts[id].replace(" ", model.pretokenizer.space) for id in np.flatnonzero(made).tolist()} if unused else set()
    for id in unused:
        text = model.texts[id]
        last = len(text) - 1
        # A merge joins two symbols, each a piece or one character; no normalized text has a real space.
        if " " not in text and any((i == 1 or text[:i] in known) and (i == last or text[i:] in known) for i in range(1, len(text))):
            raise ModelError(
                f"piece {id} {text!r} is unused: SentencePiece would take it apart again, by a rule that "
                "depends on the whole text; give such pieces another type, or remove them"
            )
    return made


def printed(model: Model, skip_special: bool = True) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """What each piece prints, as an arena and the places in it; control, unknown and unused pieces nothing, unless asked."""
    silent, spaced = [PieceType.UNKNOWN, PieceType.CONTROL, PieceType.UNUSED], [PieceType.NORMAL]
    if model.tokenizer.semantics == "sentencepiece":
        silent.remove(PieceType.UNUSED)
        spaced += [PieceType.USER_DEFINED, PieceType.UNUSED]
    data, stops, _ = arena_of(model.texts)
    arena, offsets = np.empty(len(data), np.uint8), np.empty(len(model) + 1, np.int64)
    marked = np.isin(model.types, spaced).view(np.uint8)
    size = translate(data.data, stops.data, marked.data, model.pretokenizer.space.encode(), arena.data, offsets.data)
    sizes = np.diff(offsets)
    bytewise = np.flatnonzero(model.types == PieceType.BYTE)
    arena[offsets[bytewise]] = [int(model.texts[id][3:5], 16) for id in bytewise.tolist()]
    kept = sizes.copy()
    kept[bytewise] = 1
    if skip_special:
        kept[np.isin(model.types, silent)] = 0
    within = np.arange(size) - np.repeat(offsets[:-1], sizes)
    places = np.zeros(len(model) + 1, np.int64)
    np.cumsum(kept, out=places[1:])
    return arena[:size][within < np.repeat(kept, sizes)], places


class LeadingSpace:
    """How many bytes at the start of what ids print are the space that encoding put there.  Immutable."""

    def __init__(self, model: Model) -> None:
        spec, semantics = model.pretokenizer, model.tokenizer.semantics
        self._only_first = semantics == "llama"
        self._pieces_only = semantics == "sentencepiece"
        self._repeated = semantics == "sentencepiece" and not spec.reconstruct
        self._is_byte = model.types == PieceType.BYTE
        self.strips = spec.prefix != "none" or self._repeated

    def count(self, ids: NDArray[np.int32], printed: Callable[[int], bytes]) -> tuple[int, bool]:
        """For the ids at the start of a stream: the bytes to leave out, and whether the next ids are still at its start."""
        count = 0
        for place in range(len(ids)):
            id = int(ids[place])
            text = printed(id)
            if not text and not self._only_first:
                continue
            if text[:1] == b" " and not (self._pieces_only and self._is_byte[id]):
                count += 1
                if self._repeated and len(text) == 1:
                    continue
            return count, False
        return count, True


class Imported:
    """What happens between normalization and merging in models of other tools.  Immutable."""

    def __init__(self, model: Model, charsmap: Charsmap | None) -> None:
        space = model.pretokenizer.space
        self._space = space.encode()
        self._trims = model.tokenizer.semantics == "sentencepiece" and not model.pretokenizer.reconstruct
        self._has_space = model.id_of(space) is not None
        self.kernel_space = space if self._has_space else ""
        """What stands for the space in the pieces, as the tables are told: nothing, if it is no piece and so goes out as its own bytes."""
        user = np.flatnonzero(model.types == PieceType.USER_DEFINED).tolist() if model.tokenizer.semantics == "sentencepiece" else []
        self._ids = [id for id in user if not _SURROGATE.search(model.texts[id])]
        texts = [model.texts[id].replace(" ", space) for id in self._ids]  # as SentencePiece has them
        self._symbols = SymbolMatcher([text.replace(space, " ") if self._has_space else text for text in texts])
        rewrites = charsmap is not None or model.pretokenizer.normalization != "none"
        self._raw_symbols = SymbolMatcher(texts) if texts and rewrites else None
        self.is_plain = self._has_space and not texts and (charsmap is None or self._space not in charsmap.blob)
        """Whether texts without a literal ▁ need nothing of all this."""

    def normalized(
        self, work: Workspace, arrays: RowArrays, lead_spans: Sequence[tuple[int, int]]
    ) -> tuple[NormalRows, NDArray[np.int64]]:
        """The rows as they are merged, and for each row given, which is its last now."""
        if self._raw_symbols is None:
            rows = work.normalized(arrays, lead_spans)
        else:
            rows = self._protected(work, arrays, lead_spans, self._raw_symbols)
        rows = self._one_space(rows)
        return self._cut(rows) if self._ids else (rows, np.arange(len(rows.stops)))

    def _protected(
        self, work: Workspace, arrays: RowArrays, lead_spans: Sequence[tuple[int, int]], symbols: SymbolMatcher
    ) -> NormalRows:
        """Normalize what lies between spellings of user-defined pieces, and put them back as they are."""
        data, starts, stops, flags, leads = arrays
        parts = Rows([data])
        owners: list[int] = []
        raw: list[tuple[int, int]] = []
        for row, (start, stop, flag) in enumerate(zip(starts.tolist(), stops.tolist(), flags.tolist(), strict=True)):
            at = start
            for first, last, _ in [*symbols.spans(data[start:stop]), (stop - start, stop - start, -1)]:
                inner = flag if at == start else flag & ~(TRIM_LEFT | PREFIX)
                parts.add(at, start + first, inner if start + last == stop and first == last else inner & ~TRIM_RIGHT, -1)
                owners.append(row)
                raw.append((start + first, start + last))
                at = start + last
        done = work.normalized(parts.arrays(), [(0, 0)] * len(owners))
        text: list[bytes] = []
        origins: list[NDArray[np.int64]] = []
        sizes = np.zeros(len(starts), np.int64)
        ends = stops.copy()
        first = 0
        for part, stop in enumerate(done.stops.tolist()):
            symbol = data[slice(*raw[part])]
            own = done.text[first:stop].tobytes()
            places = done.origins[first:stop]
            if symbol and not own and parts.flags[part] & PREFIX:  # the prefix of a text that begins with a symbol
                own, places = b" ", np.array([raw[part][0]])
            text += [own, symbol]
            origins += [places, np.arange(*raw[part])]
            sizes[owners[part]] += len(own) + len(symbol)
            ends[owners[part]] = done.ends[part] if not symbol else raw[part][1]
            first = stop
        origins.append(ends[-1:])
        return NormalRows(padded_text(b"".join(text)), np.cumsum(sizes), leads, flags, np.concatenate(origins), ends, lead_spans)

    def _one_space(self, rows: NormalRows) -> NormalRows:
        """Let ▁ and the space be one: the space if it is a piece, else ▁, whose bytes go out."""
        size = len(rows.origins) - 1
        data = rows.text[:size].tobytes()
        if self._has_space and self._space not in data:
            return rows
        text = rows.text[:size].copy()
        ends = rows.ends
        if self._has_space:
            copies = np.ones(size, np.int64)
            for place in _places(data, self._space):
                text[place] = 0x20
                copies[place + 1 : place + len(self._space)] = 0
            if self._trims:  # SentencePiece takes a literal ▁ at the end of a text for a space there, but not at its start
                ends = ends.copy()
                for row in np.flatnonzero(rows.flags & TRIM_RIGHT).tolist():
                    first = int(rows.stops[row - 1]) if row else 0
                    last = stop = int(rows.stops[row])
                    while last > first and (copies[last - 1] == 0 or text[last - 1] == 0x20):
                        last -= 1
                    if last < stop:
                        copies[last:stop] = 0
                        ends[row] = rows.origins[last]
            replaced = text[copies > 0].tobytes()
        else:
            replaced = data.replace(b" ", self._space)
            copies = np.where(text == 0x20, len(self._space), 1)
        edges = np.append(np.zeros(1, np.int64), np.cumsum(copies))
        origins = np.append(np.repeat(rows.origins[:-1], copies), ends[-1])
        return dataclasses.replace(rows, text=padded_text(replaced), stops=edges[rows.stops], origins=origins, ends=ends)

    def _cut(self, rows: NormalRows) -> tuple[NormalRows, NDArray[np.int64]]:
        """Cut rows at user-defined pieces, each of which becomes the lead of what is behind it."""
        data = rows.text[: len(rows.origins) - 1].tobytes()
        edges = [0, *rows.stops.tolist()]
        kept: list[tuple[int, int]] = []
        leads: list[int] = []
        ends: list[int] = []
        flags: list[int] = []
        spans: list[tuple[int, int]] = []
        last: list[int] = []
        for row, (start, stop) in enumerate(pairwise(edges)):
            end = int(rows.ends[row])
            at, lead, flag, span = start, int(rows.leads[row]), int(rows.flags[row]), rows.lead_spans[row]
            for first, behind, index in self._symbols.spans(data[start:stop]):
                place = (int(rows.origins[start + first]), int(rows.origins[start + behind]) if start + behind < stop else end)
                kept.append((at, start + first))
                leads.append(lead)
                flags.append(flag)
                ends.append(place[0])
                spans.append(span)
                at, lead, flag, span = start + behind, self._ids[index], 0, place
            kept.append((at, stop))
            leads.append(lead)
            flags.append(flag)
            ends.append(end)
            spans.append(span)
            last.append(len(kept) - 1)
        cut = NormalRows(
            text=padded_text(b"".join(data[first:stop] for first, stop in kept)),
            stops=np.cumsum([stop - first for first, stop in kept]),
            leads=np.array(leads, np.int32),
            flags=np.array(flags, np.uint8),
            origins=np.concatenate([*(rows.origins[first:stop] for first, stop in kept), rows.origins[-1:]]),
            ends=np.array(ends, np.int64),
            lead_spans=spans,
        )
        return cut, np.array(last, np.int64)


def _places(data: bytes, part: bytes) -> Iterator[int]:
    """All places of a part that cannot overlap itself."""
    place = data.find(part)
    while place >= 0:
        yield place
        place = data.find(part, place + len(part))
