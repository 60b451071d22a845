"""A charsmap: the rules `source -> target` of a normalization, and the compiled form that the kernel walks.

In: rules, a TSV file of them, a blob from a SentencePiece model, or the name of a built-in set.  Out: an immutable Charsmap with its blob.
Where several rules apply, the one with the longest source wins; an identity rule shields its source from shorter ones.
"""

import os
from collections.abc import Mapping
from functools import cache, cached_property
from os import PathLike

from piecetokenizer.errors import ModelError, SpecError
from piecetokenizer.normalize.blob import MAX_BLOB, MAX_RULES, MAX_SOURCE, Trie, decompile, have_equal_rules, pack_blob, read_blob
from piecetokenizer.normalize.double_array import build_units
from piecetokenizer.normalize.rules import parse_rules, read_rules
from piecetokenizer.normalize.tables import KernelTables

__all__ = ["BUILTIN", "Charsmap"]

BUILTIN = ("none", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf")


class Charsmap:
    """Rules from source to target, compiled.

    >>> charsmap = Charsmap.from_rules({"...": "…", "ﬁ": "fi"})
    >>> charsmap.rules()
    {'...': '…', 'ﬁ': 'fi'}
    >>> Charsmap.from_blob(charsmap.blob) == charsmap
    True
    """

    def __init__(self, blob: bytes, trie: Trie | None, name: str = "") -> None:
        """For the class methods below; a Charsmap trusts its trie."""
        self._blob = blob
        self._trie = trie
        self._name = name

    @classmethod
    def from_rules(cls, rules: Mapping[str, str]) -> "Charsmap":
        """Compile rules; a source is 1 to 255 bytes, neither side has U+0000 (the blob's end mark) or a lone surrogate."""
        if len(rules) > MAX_RULES:
            raise ModelError(f"charsmap: {len(rules):,} rules are more than the {MAX_RULES:,} that a charsmap may have")
        encoded = [(_encode(source, source, target), _encode(target, source, target)) for source, target in rules.items()]
        for (source, _), text in zip(encoded, rules, strict=True):
            if not 0 < len(source) <= MAX_SOURCE:
                raise ModelError(f"charsmap: the source {text[:20]!r} has {len(source)} bytes; from 1 to {MAX_SOURCE} are allowed")
        places: dict[bytes, int] = {}
        size = 0
        for target in sorted({target for _, target in encoded}):
            places[target] = size
            size += len(target) + 1
        if not encoded:
            return cls(b"", None)
        targets = b"".join(target + b"\0" for target in places)
        units = build_units((source, places[target]) for source, target in encoded)
        blob = pack_blob(units, targets)
        if len(blob) > MAX_BLOB:
            raise ModelError(f"charsmap: the rules need {len(blob):,} bytes, more than the {MAX_BLOB:,} that are allowed: use fewer")
        return cls(blob, Trie(units, targets))

    @classmethod
    def from_tsv(cls, source: str | PathLike[str]) -> "Charsmap":
        r"""Rules in hex, one a line, as in rules.py: a file, or (a str that has a tab or a line end) the text itself.

        >>> Charsmap.from_tsv("FB01\t66 69\n").rules()
        {'ﬁ': 'fi'}
        """
        if isinstance(source, str) and ("\t" in source or "\n" in source):
            return cls.from_rules(parse_rules(source))
        return cls.from_rules(read_rules(source))

    @classmethod
    def from_blob(cls, blob: bytes) -> "Charsmap":
        """The charsmap of a blob as it is in a SentencePiece model; a ModelError if it is not wholly sound.  An empty blob has no rules."""
        return cls(bytes(blob), read_blob(blob) if blob else None)

    @classmethod
    def builtin(cls, name: str) -> "Charsmap":
        """One of the sets that come with the package: none, nfkc, nmt_nfkc, nfkc_cf or nmt_nfkc_cf, of Unicode 17.0."""
        if name not in BUILTIN:
            raise SpecError(f"normalization={name!r} has no built-in rules: {', '.join(BUILTIN)} have")
        return _builtin(name)

    @property
    def blob(self) -> bytes:
        """The compiled rules in SentencePiece's layout; empty if there are none."""
        return self._blob

    def rules(self) -> dict[str, str]:
        """All rules, in the order of their sources' code points."""
        if self._trie is None:
            return {}
        return {source.decode(): target.decode() for source, target in decompile(self._trie)}

    @cached_property
    def tables(self) -> KernelTables:
        """What the kernel reads."""
        return KernelTables.of(self._trie)

    def __eq__(self, other: object) -> bool:
        """Whether the rules are the same; one set of rules can be laid out in many ways."""
        if not isinstance(other, Charsmap):
            return NotImplemented
        if self._blob == other._blob or self._trie is None or other._trie is None:
            return self._blob == other._blob
        return have_equal_rules(self._trie, other._trie)

    def __hash__(self) -> int:
        """By the characters with rules of their own, which do not depend on the layout."""
        return hash(self.tables.leads.tobytes() + self.tables.row_places.tobytes())

    def __reduce__(self) -> tuple[object, tuple[object]]:
        return (Charsmap.builtin, (self._name,)) if self._name else (Charsmap.from_blob, (self._blob,))

    def __repr__(self) -> str:
        return f"<Charsmap {self._name or 'custom'}, {len(self._blob):,} bytes>"


@cache
def _builtin(name: str) -> Charsmap:
    if name == "none":
        return Charsmap(b"", None, name)
    import gzip  # as Python's ways to a package's files, it takes longer than `none` needs

    with open(os.path.join(os.path.dirname(__file__), "data", f"{name}.charsmap.gz"), "rb") as file:
        blob = gzip.decompress(file.read())
    return Charsmap(blob, Trie.split(blob), name)


def _encode(text: str, source: str, target: str) -> bytes:
    """The bytes of one side of a rule."""
    if "\0" in text:
        raise ModelError(f"charsmap: the rule {source!r} -> {target!r} holds U+0000, which the format cannot; leave it out")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ModelError(f"charsmap: the rule {source!r} -> {target!r} holds a lone surrogate, which UTF-8 cannot") from None
