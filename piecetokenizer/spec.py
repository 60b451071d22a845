"""The three specs: everything that decides what a text becomes, as frozen dataclasses.

In: options by name.  Out: a validated, hashable value; an option that is not allowed raises SpecError naming the option, the
value and what is allowed.  Training and encoding build their Normalizer and PreTokenizer from the same PreTokenizerSpec, which is
saved in the model file, each key under the name it has here.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any

from piecetokenizer.errors import SpecError, show
from piecetokenizer.messages import Option

__all__ = ["ROLES", "CounterSpec", "PreTokenizerSpec", "TokenizerSpec"]

NORMALIZATIONS = ("none", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf", "custom")
SPLITS = ("word", "isolate", "space", "none")
METHODS = ("sentencepiece", "imported")
ROLES = ("unk", "bos", "eos", "pad", "eot", "eom", "fim_pre", "fim_suf", "fim_mid", "fim_pad", "fim_rep", "fim_sep")
"""The roles that a piece can have for a runtime; TokenizerSpec has `<role>_id` for each, -1 for none."""

MAX_VOCAB_SIZE = 1 << 24
"""Scores 0, -1, -2, ... stay distinct as float32, which every reader of our exports uses, below 2^24."""


@dataclass(frozen=True, kw_only=True)
class PreTokenizerSpec:
    """How text becomes segments: stages 1 and 2.

    >>> PreTokenizerSpec(split="isolate", digit="split").cn
    'none'
    >>> PreTokenizerSpec(split="words")
    Traceback (most recent call last):
        ...
    piecetokenizer.errors.SpecError: split='words' is not allowed: it is one of word, isolate, space, none
    """

    normalization: str = "none"
    unicode: str = "17.0"
    space: str = "▁"
    reconstruct: bool = False
    prefix: str = "none"
    split: str = "word"
    digit: str = "keep"
    cn: str = "none"
    spaces: str = "each"
    cn_dict: str = ""

    def __post_init__(self) -> None:
        """Check every option."""
        _one_of(self, "normalization", NORMALIZATIONS)
        _one_of(self, "unicode", ("17.0",))
        if not isinstance(self.space, str) or len(self.space) != 1 or not self.space.isprintable() or self.space.isspace():
            raise SpecError(Option("space", self.space), " is not allowed: it is one visible character, usually '▁'")
        _is_bool(self, "reconstruct")
        _one_of(self, "prefix", ("none", "text", "fragment"))
        _one_of(self, "split", SPLITS)
        _one_of(self, "digit", ("keep", "split"))
        _one_of(self, "cn", ("none", "char", "dict"))
        _one_of(self, "spaces", ("each", "run"))
        _is_text(self, "cn_dict")
        if (self.cn == "dict") != bool(self.cn_dict):
            raise SpecError(
                Option("cn", self.cn),
                f" with cn_dict={show(self.cn_dict)} is not allowed: "
                "a dictionary's name, entries and SHA-256 go with cn=dict, and only with it",
            )

    def replace(self, **changes: Any) -> "PreTokenizerSpec":
        """A copy with some options changed, validated again."""
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True, kw_only=True)
class CounterSpec:
    """What the vocabulary is made of: stage 3.

    `character_coverage` is kept as it was written (a decimal), since it is compared as an exact fraction.
    `required_chars`, `control` and `user_defined` hold texts as people write them, with real spaces.

    >>> CounterSpec(vocab_size=8000).max_piece_size
    48
    >>> CounterSpec(min_count=0)
    Traceback (most recent call last):
        ...
    piecetokenizer.errors.SpecError: min_count=0 is not allowed: it is a whole number from 1 to 9223372036854775807
    """

    method: str = "sentencepiece"
    vocab_size: int = 32000
    soft_vocab_limit: bool = False
    character_coverage: float = 0.9995
    min_count: int = 1
    max_piece_size: int = 48
    required_chars: str = ""
    unk_piece: str = "<unk>"
    bos_piece: str = "<s>"
    eos_piece: str = "</s>"
    pad_piece: str = ""
    unk_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    pad_id: int = -1
    user_defined: tuple[str, ...] = ()
    control: tuple[str, ...] = ()
    reserve: int = 0
    pad_to_multiple: int = 1

    def __post_init__(self) -> None:
        """Check every option that can be checked by itself; the layout of ids is checked where it is made (counter.vocabulary)."""
        _one_of(self, "method", METHODS)
        _in_range(self, "vocab_size", 1, MAX_VOCAB_SIZE)
        _is_bool(self, "soft_vocab_limit")
        coverage = self.character_coverage
        if isinstance(coverage, bool) or not isinstance(coverage, (int, float)) or not 0 < coverage <= 1:
            raise SpecError(Option("character_coverage", coverage), " is not allowed: it is a share above 0 and up to 1, usually 0.9995")
        _in_range(self, "min_count", 1, (1 << 63) - 1)
        _in_range(self, "max_piece_size", 1, 65535)
        for name in ("required_chars", "unk_piece", "bos_piece", "eos_piece", "pad_piece"):
            _is_text(self, name)
        if not self.unk_piece:
            raise SpecError(Option("unk_piece", ""), " is not allowed: every vocabulary has an unknown piece")
        for name in ("unk_id", "bos_id", "eos_id", "pad_id"):
            _in_range(self, name, -1, MAX_VOCAB_SIZE - 1)
        for name in ("user_defined", "control"):
            _are_texts(self, name)
        _in_range(self, "reserve", 0, MAX_VOCAB_SIZE)
        _in_range(self, "pad_to_multiple", 1, 1 << 16)

    def replace(self, **changes: Any) -> "CounterSpec":
        """A copy with some options changed, validated again."""
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True, kw_only=True)
class TokenizerSpec:
    """How ids are used: stage 4.  An id of -1 says that no piece has the role.

    >>> TokenizerSpec(add_bos=True).bos_id
    -1
    """

    semantics: str = "native"
    add_bos: bool = False
    add_eos: bool = False
    unk_id: int = 0
    bos_id: int = -1
    eos_id: int = -1
    pad_id: int = -1
    eot_id: int = -1
    eom_id: int = -1
    fim_pre_id: int = -1
    fim_suf_id: int = -1
    fim_mid_id: int = -1
    fim_pad_id: int = -1
    fim_rep_id: int = -1
    fim_sep_id: int = -1
    suppressed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check every option; that the ids lie in the vocabulary is the Model's to check."""
        _one_of(self, "semantics", ("native", "sentencepiece", "llama"))
        _is_bool(self, "add_bos")
        _is_bool(self, "add_eos")
        for role in ROLES:
            _in_range(self, f"{role}_id", -1, MAX_VOCAB_SIZE - 1)
        suppressed = self.suppressed
        if not isinstance(suppressed, tuple) or any(type(i) is not int or not 0 <= i < MAX_VOCAB_SIZE for i in suppressed):
            raise SpecError(f"suppressed={show(suppressed)} is not allowed: it is a tuple of ids")

    def replace(self, **changes: Any) -> "TokenizerSpec":
        """A copy with some options changed, validated again."""
        return dataclasses.replace(self, **changes)


def _one_of(spec: object, name: str, allowed: tuple[str, ...]) -> None:
    value = getattr(spec, name)
    if value not in allowed:
        raise SpecError(Option(name, value), f" is not allowed: it is one of {', '.join(allowed)}")


def _is_bool(spec: object, name: str) -> None:
    value = getattr(spec, name)
    if not isinstance(value, bool):
        raise SpecError(Option(name, value), " is not allowed: it is True or False (0 or 1 in a model file)")


def _in_range(spec: object, name: str, least: int, most: int) -> None:
    value = getattr(spec, name)
    if type(value) is not int or not least <= value <= most:
        raise SpecError(Option(name, value), f" is not allowed: it is a whole number from {least} to {most}")


def _is_text(spec: object, name: str) -> None:
    value = getattr(spec, name)
    if not isinstance(value, str):
        raise SpecError(Option(name, value), " is not allowed: it is a string")
    _has_bytes(name, value)


def _has_bytes(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        wrong = f" holds {show(value)}, which is not allowed: there is a lone surrogate at character {error.start}"
        raise SpecError(Option(name), wrong) from None


def _are_texts(spec: object, name: str) -> None:
    values = getattr(spec, name)
    if not isinstance(values, tuple):
        raise SpecError(Option(name, values), " is not allowed: it is a tuple of strings")
    seen = set()
    for value in values:
        if not isinstance(value, str) or not value:
            raise SpecError(Option(name), f" holds {show(value)}, which is not allowed: each symbol is a non-empty string")
        if value in seen:
            raise SpecError(Option(name), f" holds {show(value)} twice; name each symbol once")
        _has_bytes(name, value)
        seen.add(value)
