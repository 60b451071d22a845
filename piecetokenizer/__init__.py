"""piecetokenizer: train, use and ship BPE vocabularies, SentencePiece-style and exact.

The four stages are folders: `normalize`, `pretokenize`, `counter` (training) and `tokenizer` (encoding); a `Model` is what training
makes and encoding reads.  Public names and modules are loaded when first used, so that `import piecetokenizer` costs a millisecond and
numpy is imported only by what computes.

>>> import piecetokenizer
>>> piecetokenizer.PreTokenizerSpec(split="isolate").digit
'keep'
"""

import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False  # as type checkers understand it, without the import of typing
if TYPE_CHECKING:
    from piecetokenizer import checking as checking
    from piecetokenizer import counter as counter
    from piecetokenizer import editing as editing
    from piecetokenizer import errors as errors
    from piecetokenizer import formats as formats
    from piecetokenizer import model as model
    from piecetokenizer import normalize as normalize
    from piecetokenizer import pretokenize as pretokenize
    from piecetokenizer import report as report
    from piecetokenizer import spec as spec
    from piecetokenizer import tokenizer as tokenizer
    from piecetokenizer.model import Model, Piece, PieceType
    from piecetokenizer.normalize import Normalizer
    from piecetokenizer.pretokenize import PreTokenizer
    from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec
    from piecetokenizer.tokenizer import StreamDecoder, Tokenizer
    from piecetokenizer.train import train

    __version__: str

__all__ = [
    "CounterSpec",
    "Model",
    "Normalizer",
    "Piece",
    "PieceType",
    "PreTokenizer",
    "PreTokenizerSpec",
    "StreamDecoder",
    "Tokenizer",
    "TokenizerSpec",
    "__version__",
    "errors",
    "train",
]

_HOMES = {
    "CounterSpec": "spec",
    "Model": "model",
    "Normalizer": "normalize",
    "Piece": "model",
    "PieceType": "model",
    "PreTokenizer": "pretokenize",
    "PreTokenizerSpec": "spec",
    "StreamDecoder": "tokenizer",
    "Tokenizer": "tokenizer",
    "TokenizerSpec": "spec",
    "train": "train",
}
"""The module that defines each name."""

_MODULES = frozenset(
    ("checking", "counter", "editing", "errors", "formats", "model", "normalize", "pretokenize", "report", "spec", "tokenizer")
)
"""The modules that can be used as attributes without an import of their own."""


if not TYPE_CHECKING:  # so that they report names that do not exist

    def __getattr__(name: str) -> object:
        if name == "__version__":
            value = import_module("importlib.metadata").version(__name__)
        elif name in _HOMES:
            value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        elif name in _MODULES:
            return import_module(f"{__name__}.{name}")  # which makes it an attribute
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})


class _Package(ModuleType):
    """Keeps `piecetokenizer.train` the function: importing the submodule of that name would otherwise put the module in its place."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOMES and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
