"""SentencePiece's own normalizer, the oracle of this stage: built from a rule set's name, from rules, or from a blob."""

from functools import cache
from typing import Any

from sentencepiece import SentencePieceNormalizer, set_min_log_level

set_min_log_level(2)  # it tells of each charsmap that it builds

KEEP_SPACES = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}


@cache
def by_name(name: str) -> Any:
    """A built-in rule set, rewriting only."""
    return SentencePieceNormalizer(rule_name=name, **KEEP_SPACES)


def by_rules(rules: dict[str, str], **options: bool) -> Any:
    """Any rules but of a source to itself, which it refuses; spaces are kept unless the options say otherwise."""
    return SentencePieceNormalizer(norm_map=list(rules.items()), **(KEEP_SPACES | options))


def blob_of(normalizer: Any) -> bytes:
    """The blob that SentencePiece compiled: field 2 of its spec, a message of protocol buffers."""
    spec = normalizer.serialized_normalizer_spec()
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = spec[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(spec):
        tag = number()
        size = number()
        if tag == 2 << 3 | 2:
            return bytes(spec[at : at + size])
        at += size if tag & 7 == 2 else 0
    raise ValueError("the spec has no blob")


def by_blob(blob: bytes) -> Any:
    """The rules of a blob, rewriting only.  The spec is a message of protocol buffers with the blob as field 2."""
    size = b""
    rest = len(blob)
    while rest > 0x7F:
        size += bytes([rest & 0x7F | 0x80])
        rest >>= 7
    return SentencePieceNormalizer(normalizer_spec=b"\x12" + size + bytes([rest]) + blob, **KEEP_SPACES)
