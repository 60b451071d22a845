"""A Model while it is edited: the same columns as lists, and for each piece the id that it had.

In: a Model.  Out: another one, with the invariants that editing.py names: roles follow their pieces, scores keep their order and form,
parts that are gone are forgotten.
"""

import numpy as np
import numpy.typing as npt

from piecetokenizer.columns import Columns, canonical_texts, parts_of, score_column, type_column
from piecetokenizer.errors import ModelError, show
from piecetokenizer.model import Model, PieceType
from piecetokenizer.spec import ROLES, CounterSpec, TokenizerSpec

__all__ = ["Draft"]

NORMAL = int(PieceType.NORMAL)


class Draft:
    """Lists to be changed; `origins` has the old id of each piece, -1 for a new one."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.texts = list(model.texts)
        self.scores: list[float] = model.scores.tolist()
        self.types: list[int] = model.types.tolist()
        self.cuts: list[int] = model.columns.cuts.tolist()
        self.origins = list(range(len(model)))
        self.ranked = _is_ranked(model)

    def append(self, text: str, type: int, score: float = 0.0, cut: int = 0) -> None:
        """Add a piece at the end."""
        self.texts.append(text)
        self.types.append(type)
        self.scores.append(score)
        self.cuts.append(cut)
        self.origins.append(-1)

    def keep(self, ids: list[int]) -> None:
        """Only these pieces stay, in this order."""
        self.texts = [self.texts[id] for id in ids]
        self.scores = [self.scores[id] for id in ids]
        self.types = [self.types[id] for id in ids]
        self.cuts = [self.cuts[id] for id in ids]
        self.origins = [self.origins[id] for id in ids]

    def id_map(self) -> npt.NDArray[np.int64]:
        """Where each old id went, -1 for nowhere."""
        found = np.full(len(self.model), -1, dtype=np.int64)
        for new, old in enumerate(self.origins):
            if old >= 0:
                found[old] = new
        return found

    def finish(self, counter: CounterSpec | None = None) -> Model:
        """The model, checked."""
        if self.ranked:
            rank = 0
            for piece, type in enumerate(self.types):
                if type == NORMAL:
                    self.scores[piece] = -float(rank)
                    rank += 1
        self._forget_parts()
        texts = canonical_texts(tuple(self.texts))
        cuts = np.array(self.cuts, dtype=np.int32)
        model = self.model
        return Model.of_columns(
            model.counter if counter is None else counter,
            model.pretokenizer,
            self._moved_roles(),
            Columns(texts, score_column(self.scores), type_column(self.types), cuts),
            model.charsmap,
            model.charsmap_rules,
            model.template,
        )

    def _forget_parts(self) -> None:
        """A part that is more than a character has to be a NORMAL piece."""
        normal = {text for text, type in zip(self.texts, self.types, strict=True) if type == NORMAL}
        for piece, cut in enumerate(self.cuts):
            if cut and not all(len(part) == 1 or part in normal for part in parts_of(self.texts[piece], cut)):
                self.cuts[piece] = 0

    def _moved_roles(self) -> TokenizerSpec:
        """The spec with the new ids."""
        spec, moved = self.model.tokenizer, self.id_map()
        roles = {}
        for role in ROLES:
            old = getattr(spec, f"{role}_id")
            new = int(moved[old]) if old >= 0 else -1
            if old >= 0 and new < 0:
                name = show(self.model.texts[old])
                raise ModelError(f"piece {old} {name} cannot be removed, it is the {role} piece: give that role to another piece first")
            roles[f"{role}_id"] = new
        suppressed = tuple(int(moved[old]) for old in spec.suppressed if moved[old] >= 0)
        return spec.replace(**roles, suppressed=suppressed)


def _is_ranked(model: Model) -> bool:
    """Whether the scores of NORMAL pieces are 0, -1, -2, ... in the order of ids."""
    scores = model.scores[model.types == NORMAL]
    return bool(np.array_equal(scores, -np.arange(len(scores), dtype=np.float64)))
