"""The vocabulary as other tools see it: one form of the texts, float32 scores, types; and what no tool can take.

In: a Model.  Out: Columns, in which ▁ is the space of NORMAL pieces whatever the model's own space is, or FormatError with the
reason for which every exporter refuses the model: what would abort a reader, or silently give it other ids.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piecetokenizer.errors import FormatError
from piecetokenizer.model import Model, PieceType

__all__ = ["BYTES", "SPACE", "Columns", "columns_of", "show"]

SPACE = "▁"
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = (int(type) for type in PieceType)


@dataclass(frozen=True)
class Columns:
    """One entry for each id."""

    texts: tuple[str, ...]
    scores: npt.NDArray[np.float32]
    types: tuple[int, ...]

    def of_type(self, *types: int) -> list[str]:
        """The texts of the pieces of these types, by id."""
        return [text for text, type in zip(self.texts, self.types, strict=True) if type in types]


def columns_of(model: Model, *, user_space: str) -> Columns:
    """The model's pieces for a reader; `user_space` is how the reader spells the space of a USER_DEFINED piece."""
    texts = tuple(
        _normal(id, text, model) if type == NORMAL else text.replace(" ", user_space) if type == USER_DEFINED else text
        for id, (text, type) in enumerate(zip(model.texts, model.types.tolist(), strict=True))
    )
    columns = Columns(texts, _float32(model), tuple(model.types.tolist()))
    _check_texts(columns)
    _check_bytes(columns)
    return columns


def show(text: str) -> str:
    """A piece's text in a message: on one line, and short.

    >>> show("a\\nb")
    "'a\\\\nb'"
    """
    return repr(text if len(text) <= 40 else text[:40] + "...")


def _normal(id: int, text: str, model: Model) -> str:
    space = model.pretokenizer.space
    if space == SPACE:
        return text
    if SPACE in text:
        raise FormatError(f"piece {id} {show(text)} holds ▁, which is the space of every reader: this model has {space!r} for it")
    return text.replace(space, SPACE)


def _float32(model: Model) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore"):
        scores = model.scores.astype(np.float32)
    normal = np.flatnonzero(model.types == NORMAL)
    if not np.isfinite(scores).all():
        id = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise FormatError(f"the score {model.scores[id]} of piece {id} is too large for a float32, which is what readers use")
    order = normal[np.argsort(model.scores[normal], kind="stable")]
    wide, narrow = model.scores[order], scores[order]
    equal = np.flatnonzero((wide[1:] != wide[:-1]) & (narrow[1:] == narrow[:-1]))
    if len(equal):
        first, second = int(order[equal[0]]), int(order[equal[0] + 1])
        raise FormatError(
            f"the scores of pieces {first} and {second}, {model.scores[first]} and {model.scores[second]}, are the same number as "
            "float32, which is what readers use: they would merge in another order; give them scores that are further apart"
        )
    return scores


def _check_texts(columns: Columns) -> None:
    seen: dict[str, int] = {}
    for id, text in enumerate(columns.texts):
        if not text:
            raise FormatError(f"piece {id} is empty: readers abort on it or rename it")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise FormatError(f"piece {id} {show(text)} is not valid UTF-8: no reader can match it; take it out of the model") from None
        if "\0" in text:
            raise FormatError(f"piece {id} {show(text)} holds U+0000, at which readers cut it off; take it out of the model")
        if seen.setdefault(text, id) != id:
            raise FormatError(f"pieces {seen[text]} and {id} are both {show(text)} for the reader, which takes them for one or aborts")


def _check_bytes(columns: Columns) -> None:
    there = set(columns.of_type(BYTE))
    missing = [text for text in BYTES if text not in there]
    if missing:
        raise FormatError(
            f"{len(missing)} of the 256 byte pieces are missing, the first is {missing[0]}: readers abort on a text that needs it"
        )
