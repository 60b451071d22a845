"""Reading a corpus.

In: files, standard input, or an iterable of `str`.  Out: chunks, each a block of bytes with the places where its texts begin and
stop, and counts of everything that was seen and left out on the way.

The rule: a text is one line, and only LF ends a line (not U+2028, not a form feed).  One CR at a line's end is not text, neither is
a byte order mark at a file's start.  Empty lines hold no text.  The last line needs no LF.  With `text_unit="file"` a whole file
is one text, in which newlines are characters like others; from an iterable each `str` is one text, whatever it holds.
Bytes are taken as they are: whether they are UTF-8 is for the normalizer to find, and `corpus.utf8` to say where they are not.

    reading.py   Corpus: files and iterables into chunks
    lines_cy.py  the kernel that finds the lines of a block
    limit.py     Limit: how much of it to read
    utf8.py      which lines of a chunk are not UTF-8, and where
"""

from piecetokenizer.corpus.limit import Limit
from piecetokenizer.corpus.reading import Chunk, Corpus, CorpusCounts, lines_of

__all__ = ["Chunk", "Corpus", "CorpusCounts", "Limit", "lines_of"]
