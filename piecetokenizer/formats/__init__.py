"""Formats of other tools, both directions: GGUF for llama.cpp, SentencePiece .model, Hugging Face tokenizer.json.

`export` writes a model for another tool and says how faithful the file is (see verdict), `load` reads what another tool, or this
one, has written (see loading).

Files: gguf (with gguf_file, its bytes, and llama_names), sentencepiece, huggingface (with huggingface_import), and legacy, the text
models of the C++ PieceTokenizer (import only).  The verdict: columns (the vocabulary as readers see it, and what none can take), lint
(what can be proven from it), merges (scores as a list of merges), readers (what the readers do), generate (texts to measure with),
drafts (what applies to which format) and exporting (the story).

The rule: a reader's ids are ours, or the verdict says for which texts they are not.

>>> from piecetokenizer import formats
>>> formats.FORMATS
('gguf', 'sentencepiece', 'huggingface')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from piecetokenizer.formats.exporting import FORMATS, ROUTES, export, fidelity
    from piecetokenizer.formats.loading import load
    from piecetokenizer.formats.verdict import Difference, ExportRefusedError, Fidelity

__all__ = ["FORMATS", "ROUTES", "Difference", "ExportRefusedError", "Fidelity", "export", "fidelity", "load"]

_HOMES = dict.fromkeys(("FORMATS", "ROUTES", "export", "fidelity"), "exporting")
_HOMES |= dict.fromkeys(("Difference", "ExportRefusedError", "Fidelity"), "verdict") | {"load": "loading"}


def __getattr__(name: str) -> Any:
    """Public names are loaded when first used: reading a file needs none of what writing and judging need."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
