"""A Model as its file: the sections in their order, each in its one canonical form."""

from typing import TYPE_CHECKING

from piecetokenizer.modelfile.charsmap import format_blob, format_rules
from piecetokenizer.modelfile.foreign import HEADER
from piecetokenizer.modelfile.keys import format_line, format_spec
from piecetokenizer.modelfile.pieces import format_pieces

if TYPE_CHECKING:
    from piecetokenizer.model import Model

__all__ = ["dumps"]


def dumps(model: "Model") -> bytes:
    """The file's content."""
    sections = [
        f"{HEADER}\n",
        f"[CounterSpec]\n{format_spec(model.counter)}",
        f"[PreTokenizerSpec]\n{format_spec(model.pretokenizer)}",
        f"[TokenizerSpec]\n{format_spec(model.tokenizer)}",
    ]
    if model.charsmap is not None:
        sections.append(f"[Charsmap]\n{format_blob(model.charsmap)}")
    if model.charsmap_rules is not None:
        sections.append(f"[Charsmap]\n{format_rules(model.charsmap_rules)}")
    if model.template is not None:
        sections.append(f"[Template]\n{format_line('chat_template', model.template)}")
    sections.append(f"[Pieces]\nsize={len(model)}\n")
    return "".join(sections).encode() + format_pieces(model.columns)
