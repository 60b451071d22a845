"""Stage 4: text -> ids -> text.

What comes in is text and a Model; what goes out are ids, and text again.  Encoding replays the merges: in each segment begin with the
characters, and among all neighbours whose concatenation is a NORMAL piece take the one of the highest score, the leftmost of equal
ones, until there is none; what is no piece then goes out as the bytes of its UTF-8.  Nothing that a text holds ever becomes a control,
byte, unknown or unused piece by its spelling.

Read tokenizer.py, the public class; engine.py, what it is made of; workspace.py, one call.  Then the kernels: merge_cy.py (the replay),
encoder_cy.py (segments -> ids, through a cache), seams_cy.py (where it may cut long ones), pairs_cy.py and tables_cy.py (what they look
up), lane_cy.py (a short text through all stages in one call); decoder_cy.py (ids -> bytes), wide_cy.py (ids -> str), text_cy.py (str ->
UTF-8).  Around them: special.py, batch.py, unbatch.py, offsets.py, printer.py, stream.py; imported.py has the rules of other tools.
Why it is so, and what was tried: docs/decisions/070-encoding.md.
"""

from piecetokenizer.tokenizer.stream import StreamDecoder
from piecetokenizer.tokenizer.tokenizer import Tokenizer

__all__ = ["StreamDecoder", "Tokenizer"]
