"""StreamDecoder: text from ids as they come, in whole characters.

In: ids, one or many at a time.  Out: the text that is certain by now.  However the ids are fed, the parts joined, with what `flush`
gives, are `decode(all ids)`: a character whose bytes are not all there waits for the rest.  In bytes mode they are `decode_bytes(all ids)`,
and nothing waits.

Stop strings end a stream, also across ids: of those found the one that is complete first, of those complete at the same place the
longest; what is before it goes out, it and all behind it does not.  Only text that could still become a stop string is held back.
Time: linear in the text, times the number of stop strings.
"""

import codecs
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, AnyStr, Generic, Literal, overload

from piecetokenizer.errors import SpecError
from piecetokenizer.tokenizer.ids import Ids

if TYPE_CHECKING:
    from piecetokenizer.tokenizer.tokenizer import Tokenizer

__all__ = ["StreamDecoder"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_UTF8 = codecs.getincrementaldecoder("utf-8")


class StreamDecoder(Generic[AnyStr]):
    """The state of one stream; belongs to one thread at a time.

    `stopped` is the stop string that ended the stream, None until then; after it, nothing more comes out until `flush`, which ends
    a stream however it stands: the next `push` begins another.

    >>> from piecetokenizer import Tokenizer, train
    >>> tokenizer = Tokenizer(train(iter(["the cat sat on the mat"] * 9), vocab_size=276, reconstruct=True))
    >>> stream = StreamDecoder(tokenizer, stop=["mat"])
    >>> [stream.push(id) for id in tokenizer.encode("a 好 cat")], stream.flush()
    (['a', ' ', '', '', '好', ' c', 'at'], '')
    >>> [stream.push(id) for id in tokenizer.encode("the mat is")], stream.stopped
    (['the', ' ', '', '', '', ''], 'mat')
    """

    __slots__ = ("_at_start", "_decoder", "_ended", "_held", "_longest", "_nothing", "_skip_special", "_stops", "_tokenizer", "stopped")

    @overload
    def __init__(
        self: "StreamDecoder[str]", tokenizer: "Tokenizer", *,
        skip_special: bool = ..., stop: str | Sequence[str] = ..., out: Literal["text"] = ...,
    ) -> None: ...  # fmt: skip
    @overload
    def __init__(
        self: "StreamDecoder[bytes]", tokenizer: "Tokenizer", *,
        skip_special: bool = ..., stop: str | Sequence[str] = ..., out: Literal["bytes"],
    ) -> None: ...  # fmt: skip
    def __init__(
        self, tokenizer: "Tokenizer", *, skip_special: bool = True, stop: str | Sequence[str] = (), out: Literal["text", "bytes"] = "text"
    ) -> None:
        """`stop` is one stop string or several; `out` says whether text or bytes come out."""
        stops: tuple[Any, ...] = (stop,) if isinstance(stop, str) or not hasattr(stop, "__iter__") else tuple(stop)
        if not all(isinstance(text, str) and text and not _SURROGATE.search(text) for text in stops):
            raise SpecError(f"stop={stop!r} is not allowed: each stop string is a string that is not empty and has no lone surrogates")
        if out not in ("text", "bytes"):
            raise SpecError(f"out={out!r} is not allowed: it is one of text, bytes")
        self._tokenizer = tokenizer
        self._skip_special = skip_special
        self._decoder = _UTF8("replace") if out == "text" else None
        self._stops: dict[Any, str] = {text if out == "text" else text.encode(): text for text in stops}
        self._longest = max(map(len, self._stops), default=0)
        self._nothing: Any = "" if out == "text" else b""
        self._held = self._nothing
        self._at_start = True
        self._ended = False
        self.stopped: str | None = None

    def push(self, ids: int | Ids) -> AnyStr:
        """Take the next id, or some; returns the text that is certain now."""
        one = getattr(ids, "ndim", None) == 0 or not (hasattr(ids, "__iter__") or hasattr(ids, "__array__"))
        many: Any = [ids] if one else ids
        data, self._at_start = self._tokenizer.decode_part(many, skip_special=self._skip_special, at_start=self._at_start)
        if self._ended:  # these are the first ids of another stream
            self._ended, self.stopped = False, None
        text: AnyStr = self._release(self._decoder.decode(data) if self._decoder else data)
        return text

    def flush(self) -> AnyStr:
        """End the stream: returns what was waiting (bytes that are no character are U+FFFD); then the decoder is as new.

        `stopped` says why this stream ended until the first push of the next.
        """
        text: AnyStr = self._release(self._decoder.decode(b"", True) if self._decoder else b"") + self._held
        if self._decoder:
            self._decoder.reset()
        self._at_start = True
        self._ended = True
        self._held = self._nothing
        return text

    def copy(self) -> "StreamDecoder[AnyStr]":
        """A decoder in the same state, for a branch of a search."""
        twin: StreamDecoder[AnyStr] = StreamDecoder.__new__(StreamDecoder)
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        if self._decoder:
            twin._decoder = _UTF8("replace")
            twin._decoder.setstate(self._decoder.getstate())
        return twin

    def _release(self, text: Any) -> Any:
        """Of the text held back and some new text, what no stop string can reach any more."""
        if not self._stops:
            return text
        if self.stopped is not None:
            return self._nothing
        text = self._held + text
        self._held = self._nothing
        found = [(place + len(stop), -len(stop), stop) for stop in self._stops if (place := text.find(stop)) >= 0]
        if found:
            end, size, stop = min(found)
            self.stopped = self._stops[stop]
            return text[: end + size]
        for size in range(min(self._longest - 1, len(text)), 0, -1):
            tail = text[-size:]
            if any(stop.startswith(tail) for stop in self._stops):
                self._held = tail
                return text[:-size]
        return text
