"""Stage 1 as other stages see it: text in, normalized text out."""

import re
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.messages import Option
from piecetokenizer.normalize.charsmap import Charsmap
from piecetokenizer.normalize.worker import PREFIX, WHOLE, NormalizeWorker
from piecetokenizer.spec import PreTokenizerSpec

__all__ = ["Normalizer", "to_utf8"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_utf8(text: str, errors: str = "strict") -> bytes:
    r"""The UTF-8 of a text; a lone surrogate is an error that gives its place in characters, or (errors="replace") becomes U+FFFD.

    Two surrogates that would be a pair in UTF-16 are two lone ones here: a Python string that holds them is damaged.

    >>> to_utf8("a\ud800", "replace")
    b'a\xef\xbf\xbd'
    """
    try:
        return text.encode()
    except AttributeError:
        raise TypeError(f"text: {type(text).__name__} is neither str nor bytes") from None
    except UnicodeEncodeError as error:
        if errors == "replace":
            return _SURROGATE.sub("\ufffd", text).encode()
        if errors != "strict":
            raise SpecError(Option("errors", errors), " is not allowed: it is strict or replace") from None
        raise InputError(
            f"text: lone surrogate U+{ord(text[error.start]):04X} at character {error.start}; pass ",
            Option("errors", "replace"),
            " to read it as U+FFFD",
        ) from None


class Normalizer:
    """The normalization that a PreTokenizerSpec describes; immutable, safe to share between threads.

    >>> Normalizer(PreTokenizerSpec(normalization="nfkc")).normalize("  ﬁt　 and  trim ")
    'fit and trim'
    """

    def __init__(self, spec: PreTokenizerSpec, charsmap: Charsmap | None = None) -> None:
        """`charsmap` goes with normalization=custom, and only with it."""
        if (spec.normalization == "custom") != (charsmap is not None):
            raise SpecError(
                "normalization=custom needs a charsmap: give one, or the name of a built-in set"
                if charsmap is None
                else f"a charsmap was given with normalization={spec.normalization}: it goes with normalization=custom"
            )
        self.spec = spec
        self.charsmap = Charsmap.builtin(spec.normalization) if charsmap is None else charsmap
        self._spare: list[NormalizeWorker] = []

    def worker(self) -> NormalizeWorker:
        """New private state for one thread or call."""
        return NormalizeWorker(self.charsmap.tables, collapse=not self.spec.reconstruct)

    @overload
    def normalize(self, text: str | bytes, *, offsets: Literal[False] = False, errors: str = "strict") -> str: ...

    @overload
    def normalize(self, text: str | bytes, *, offsets: Literal[True], errors: str = "strict") -> tuple[str, NDArray[np.int64]]: ...

    def normalize(
        self, text: str | bytes, *, offsets: bool = False, errors: str = "strict"
    ) -> str | tuple[str, NDArray[np.int64]]:
        r"""The normalized text; with offsets=True also, for each of its bytes in UTF-8, the byte of `text` in UTF-8 where that began
        which it came from.

        Bytes that are not part of valid UTF-8 become one U+FFFD each.  `errors` is about lone surrogates in a str: see to_utf8.

        >>> Normalizer(PreTokenizerSpec()).normalize(b"a  b\xff", offsets=True)
        ('a b�', array([0, 1, 3, 4, 4, 4, 5]))
        """
        data = text if isinstance(text, bytes) else to_utf8(text, errors)
        flags = WHOLE if self.spec.prefix == "none" else WHOLE | PREFIX
        try:
            worker = self._spare.pop()
        except IndexError:
            worker = self.worker()
        size = worker.run_one(data, flags, data is not text, offsets)
        result = worker.text[:size].tobytes().decode()
        origins = worker.offsets[: size + 1].copy() if offsets else None
        if len(worker.text) < SPARE_BYTES:
            self._spare.append(worker)
        return result if origins is None else (result, origins)

    def __reduce__(self) -> tuple[object, tuple[object, object]]:
        return Normalizer, (self.spec, self.charsmap if self.spec.normalization == "custom" else None)


SPARE_BYTES = 1 << 24
"""A worker that a huge text has made big is not kept."""
