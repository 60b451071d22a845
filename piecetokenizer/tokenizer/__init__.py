"""Stage 4: text -> ids -> text.

What comes in is text and a Model; what goes out are ids, and text again.  Encoding replays the merges: in each segment begin with the
characters, and among all neighbours whose concatenation is a NORMAL piece take the one of the highest score, the leftmost of equal
ones, until there is none; what is no piece then goes out as the bytes of its UTF-8.  Nothing that a text holds ever becomes a control,
byte, unknown or unused piece by its spelling.

Read tokenizer.py, the public class, then workspace.py (one call), and the kernels: tables_cy.py (what is looked up), encoder_cy.py
(segments -> ids, through a cache), merge_cy.py (the replay), decoder_cy.py.
"""

from piecetokenizer.tokenizer.stream import StreamDecoder
from piecetokenizer.tokenizer.tokenizer import Tokenizer

__all__ = ["StreamDecoder", "Tokenizer"]
