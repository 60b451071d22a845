"""StreamDecoder: text from ids as they come, in whole characters.

In: ids, one or many at a time.  Out: the text that is certain by now.  Whatever the way of feeding, the parts joined and what `flush` gives
are `decode(all ids)`: a character whose bytes are not all there waits for the rest.
"""

import codecs
from typing import TYPE_CHECKING, Any

from piecetokenizer.tokenizer.ids import Ids

if TYPE_CHECKING:
    from piecetokenizer.tokenizer.tokenizer import Tokenizer

__all__ = ["StreamDecoder"]

_UTF8 = codecs.getincrementaldecoder("utf-8")


class StreamDecoder:
    """The state of one stream; belongs to one thread."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self._tokenizer = tokenizer
        self._decoder = _UTF8("replace")

    def push(self, ids: int | Ids) -> str:
        """The next id or ids; returns the text that they complete."""
        return self._decoder.decode(self._tokenizer.decode_bytes([ids] if isinstance(ids, int) else ids))

    def flush(self) -> str:
        """The end of the stream: what was waiting; the decoder is as new."""
        rest = self._decoder.decode(b"", True)
        self._decoder.reset()
        return rest

    def copy(self) -> "StreamDecoder":
        """A decoder in the same state, for a branch of a search."""
        twin = StreamDecoder(self._tokenizer)
        state: Any = self._decoder.getstate()
        twin._decoder.setstate(state)
        return twin
