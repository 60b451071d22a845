"""Editing a trained model: each function takes a Model and gives an `Edit`, the new model and where each id went.

    add_tokens    control tokens and user-defined symbols at the end; no id changes
    retype        other types for some pieces
    rename        other texts for some pieces
    remove        pieces go, and the ids behind them move up
    truncate      the vocabulary that training with a smaller vocab_size had made
    merge         the pieces of a second model behind those of the first
    set_roles     which piece is bos, eos, eot and so on

A piece is named by its id (int) or by its text (str, as in the model file).  What all of them keep:

- The new model obeys modelrules, or the edit is refused with a ModelError that says why.
- Ids of roles and suppressed ids go where their pieces go; a piece with a role cannot be removed.
- The order of scores stays.  Where NORMAL pieces had the scores 0, -1, -2, ... in the order of ids, as training gives them, they have
  them again; other scores, those of imported models, stay as they are.
- Parts that an edit takes away are forgotten: a merge keeps its parts only as long as they are pieces or single characters.
- `Edit.lost` names the pieces that the edit made unreachable (see reach.py).  They keep their ids.

[CounterSpec] tells how the model was trained and stays as it is; only truncate changes its vocab_size, as training would.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from piecetokenizer.counter.layout import plan
from piecetokenizer.draft import Draft
from piecetokenizer.errors import ModelError, SpecError, show
from piecetokenizer.messages import Option
from piecetokenizer.model import Model, Piece, PieceType
from piecetokenizer.reach import Unreachable, unreachable_pieces
from piecetokenizer.spec import ROLES

__all__ = ["Edit", "add_tokens", "merge", "remove", "rename", "retype", "set_roles", "truncate"]

Key = int | str
IdMap = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Edit:
    """What became of a model: `id_map[old id]` is the new id, -1 if the piece is gone.

    `other_maps` says the same of the ids of each second model that was merged in.
    """

    before: Model
    model: Model
    id_map: IdMap
    other_maps: tuple[IdMap, ...] = ()

    @cached_property
    def lost(self) -> tuple[Unreachable, ...]:
        """The pieces that no text becomes any more, or that are new and that none becomes."""
        before = {piece.id for piece in unreachable_pieces(self.before)}
        known = {new for old, new in enumerate(self.id_map.tolist()) if old in before}
        return tuple(piece for piece in unreachable_pieces(self.model) if piece.id not in known)

    def then(self, later: "Edit") -> "Edit":
        """This edit and another one of its result as one."""
        others = tuple(_chain(old, later.id_map) for old in self.other_maps)
        return Edit(self.before, later.model, _chain(self.id_map, later.id_map), others + later.other_maps)

    def id_map_tsv(self) -> str:
        """The id map as lines `old<TAB>new`, for those who move embeddings; new is -1 for a piece that is gone."""
        return "".join(f"{old}\t{new}\n" for old, new in enumerate(self.id_map.tolist()))


def add_tokens(model: Model, *, control: Sequence[str] = (), user_defined: Sequence[str] = ()) -> Edit:
    """Control tokens, then user-defined symbols, at the end.  Their texts are as people write them, with real spaces.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> add_tokens(model, control=["<|user|>"]).model.texts[272:]
    ('<|user|>',)
    """
    draft = Draft(model)
    new: set[str] = set()
    for texts, type in ((control, PieceType.CONTROL), (user_defined, PieceType.USER_DEFINED)):
        if isinstance(texts, str):  # a sequence too, but of its letters
            raise ModelError(f"{show(texts)} is one text where a list of them is expected: write [{show(texts)}]")
        for text in texts:
            _check_text(text)
            id = model.id_of(text)
            if id is not None:
                what = "there is nothing to add" if model.types[id] == type else "retype that one instead"
                raise ModelError(f"{show(text)} is piece {id} already, of type {PieceType(model.types[id]).label}: {what}")
            if text in new:
                raise ModelError(f"{show(text)} is to be added twice: name each token once")
            new.add(text)
            draft.append(text, type)
    return Edit(model, draft.finish(), draft.id_map())


def retype(model: Model, types: Mapping[Key, PieceType | int]) -> Edit:
    """Give some pieces other types.

    A NORMAL piece that becomes something else has real spaces for its ▁ from then on, and the other way round, so that it stands for
    the same text.  What becomes NORMAL has the lowest score of all.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> retype(model, {"▁cat": PieceType.USER_DEFINED}).model[264].text
    ' cat'
    """
    draft = Draft(model)
    space = model.pretokenizer.space
    for key, type in types.items():
        id = _find(model, key)
        try:
            new = PieceType(type)
        except ValueError:
            raise ModelError(f"piece {id} cannot have type {show(type)}: types go from 1 (normal) to 6 (byte)") from None
        old, text = PieceType(draft.types[id]), draft.texts[id]
        if old == new:
            continue
        if new == PieceType.NORMAL:
            if space in text:
                raise ModelError(f"piece {id} {show(text)} cannot become normal: it has a literal {space}, which would be a space")
            draft.texts[id] = text.replace(" ", space)
            draft.scores[id] = min(draft.scores) - 1
            draft.ranked = draft.ranked and not any(other == PieceType.NORMAL for other in draft.types[id + 1 :])
        elif old == PieceType.NORMAL:
            draft.texts[id] = text.replace(space, " ")
            draft.scores[id], draft.cuts[id] = 0.0, 0
        draft.types[id] = new
    return Edit(model, draft.finish(), draft.id_map())


def rename(model: Model, texts: Mapping[Key, str]) -> Edit:
    """Give some pieces other texts, as in the model file (▁ in NORMAL ones).  All at once, so that two can exchange their names.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> rename(model, {"<s>": "</s>", "</s>": "<s>"}).model.texts[:3]
    ('<unk>', '</s>', '<s>')
    """
    draft = Draft(model)
    for key, text in texts.items():
        id = _find(model, key)
        _check_text(text)
        if text != draft.texts[id]:
            draft.texts[id], draft.cuts[id] = text, 0
    return Edit(model, draft.finish(), draft.id_map())


def remove(model: Model, pieces: Sequence[Key]) -> Edit:
    """Take pieces out; the ids behind them move up.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> remove(model, ["▁cat"]).id_map[263:267].tolist()
    [263, -1, 264, 265]
    """
    if isinstance(pieces, str):
        raise ModelError(f"{show(pieces)} is one piece where a list of them is expected: write [{show(pieces)}]")
    gone = {_find(model, key) for key in pieces}
    draft = Draft(model)
    draft.keep([id for id in range(len(model)) if id not in gone])
    return Edit(model, draft.finish(), draft.id_map())


def truncate(model: Model, size: int) -> Edit:
    """A vocabulary of `size` pieces: the merges with the lowest scores go.

    Single characters and everything that is not NORMAL stay.  Of a model as it was trained this is the very model that training with
    vocab_size=size gives: the best pairs come first whatever the size, and coverage does not depend on it.  What was put up to a multiple
    (pad_to_multiple) is put up again.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> truncate(model, 267).model == train(iter(["a cat sat, a hat"] * 3), vocab_size=267, reconstruct=True)
    True
    """
    draft = Draft(model)
    padding = _padding(model)
    merges = [id for id in np.flatnonzero(model.types == PieceType.NORMAL).tolist() if len(model.texts[id]) > 1]
    least, most = len(model) - len(padding) - len(merges), len(model) - len(padding)
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not least <= size <= most:
        wrong = Option("size", size, flag="--truncate")
        raise ModelError(wrong, f" is not possible: {least} pieces are not merges and always stay; choose {least} to {most}")
    merges.sort(key=lambda id: (-draft.scores[id], id))
    gone = {*merges[size - least :], *padding}
    draft.keep([id for id in range(len(model)) if id not in gone])
    counter = model.counter.replace(vocab_size=int(size))
    if counter.pad_to_multiple > 1 and len(model) % counter.pad_to_multiple == 0:
        for text in plan(counter).padding[: -size % counter.pad_to_multiple]:
            draft.append(text, PieceType.CONTROL)
    return Edit(model, draft.finish(counter), draft.id_map())


def merge(model: Model, other: Model) -> Edit:
    """The pieces of `other` that `model` does not have, behind its own, in the order they have there.

    NORMAL ones get scores below all of the first model, in the order of their own scores.  Where both models have a text, the first
    one's piece stands for both.  Specs, roles and template are the first model's, so pieces of the second that are cut or merged in
    another way here are named in `lost`.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> other = train(iter(["hot, hot hat"] * 3), vocab_size=270, reconstruct=True)
    >>> merge(model, other).model.texts[272:]
    ('ho', 'hot', '▁hat', 'o')
    """
    draft = Draft(model)
    spaces = other.pretokenizer.space, model.pretokenizer.space
    unknown = model.tokenizer.unk_id
    other_map = np.full(len(other), -1, dtype=np.int64)
    new: list[Piece] = []
    for piece in other:
        text = piece.text.replace(*spaces) if piece.type == PieceType.NORMAL else piece.text
        id = model.id_of(text)
        if id is None and piece.type == PieceType.UNKNOWN:
            id = unknown
        if id is None:
            id = len(model) + len(new)
            new.append(dataclasses.replace(piece, text=text))
        other_map[piece.id] = id
    lowest = float(model.scores[model.types == PieceType.NORMAL].min(initial=1.0))
    by_score = sorted((piece for piece in new if piece.type == PieceType.NORMAL), key=lambda piece: (-piece.score, piece.id))
    scores = {piece.id: lowest - 1 - rank for rank, piece in enumerate(by_score)}
    draft.ranked = draft.ranked and [piece.id for piece in by_score] == [piece.id for piece in new if piece.type == PieceType.NORMAL]
    for piece in new:
        cut = int(other.columns.cuts[piece.id]) if spaces[0] == spaces[1] else 0
        draft.append(piece.text, piece.type, scores.get(piece.id, 0.0), cut)
    return Edit(model, draft.finish(), draft.id_map(), (other_map,))


def set_roles(model: Model, **roles: Key | None) -> Edit:
    """Say which piece is unk, bos, eos, pad, eot, eom or one of fim_*; None takes a role away, and with it add_bos or add_eos.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> set_roles(model, eot="</s>", bos=None).model.tokenizer.bos_id
    -1
    """
    ids: dict[str, int] = {}
    for role, key in roles.items():
        if role not in ROLES:
            raise SpecError(f"role {show(role)} is not allowed: it is one of {', '.join(ROLES)}")
        ids[f"{role}_id"] = -1 if key is None else _find(model, key)
    changes: dict[str, Any] = dict(ids)
    for role in ("bos", "eos"):
        if ids.get(f"{role}_id") == -1:
            changes[f"add_{role}"] = False
    edited = model.replace(tokenizer=model.tokenizer.replace(**changes))
    return Edit(model, edited, np.arange(len(model), dtype=np.int64))


def _find(model: Model, key: Key) -> int:
    """The id of a piece that was named by id or text."""
    if isinstance(key, str):
        id = model.id_of(key)
        if id is None:
            space = model.pretokenizer.space
            raise ModelError(f"there is no piece {show(key)}: texts are as in the model file, {space} for a space in normal pieces")
        return id
    return model[key].id


def _check_text(text: str) -> None:
    if not isinstance(text, str) or not text:
        raise ModelError(f"{show(text)} cannot be a piece: its text is a string that is not empty")


def _chain(first: IdMap, second: IdMap) -> IdMap:
    """Where ids go that go through two maps; an id that is gone after the first (-1) is gone."""
    found: IdMap = np.where(first >= 0, second[first], -1)
    return found


def _padding(model: Model) -> list[int]:
    """The pieces at the end that only put the size up to a multiple, as training names them."""
    if model.counter.pad_to_multiple == 1:
        return []
    names = plan(model.counter).padding
    for count in range(min(len(names), len(model)), 0, -1):
        if model.texts[-count:] == names[:count] and (model.types[-count:] == PieceType.CONTROL).all():
            return list(range(len(model) - count, len(model)))
    return []
