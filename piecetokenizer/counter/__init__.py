"""Stage 3: the segments of a corpus become the pieces of a vocabulary.

In: segments, as the PreTokenizer cuts them, and a `CounterSpec`.  Out: a `Vocabulary`, the columns of a Model.

The rule: characters are required by frequency until they cover the text; then the most frequent pair of neighbours is merged,
everywhere, again and again until the vocabulary is full.  The outcome is a function of the counts alone: no order of lines, files,
threads or hashes changes a byte of it.

    table.py         segment -> count, over a corpus (table_cy.py)
    segments.py      what was counted, as three arrays
    coverage.py      the required characters (characters_cy.py)
    symbols.py       the segments as slots that hold symbols (characters_cy.py)
    pairs.py         all pairs of neighbours, counted, with their places (pairs_cy.py)
    merges.py        the merges in order; picks the best pair (queue_cy.py), replaces it (merges_cy.py)
    layout.py        ids of the pieces that are not learned
    vocabulary.py    all of it together

docs/counter.md explains how the merges are exact and fast at once.
"""

from piecetokenizer.counter.coverage import Coverage, cover
from piecetokenizer.counter.merges import Merges, learn_merges
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.table import SegmentTable
from piecetokenizer.counter.vocabulary import Vocabulary, learn_vocabulary

__all__ = ["Coverage", "Merges", "SegmentTable", "Segments", "Vocabulary", "cover", "learn_merges", "learn_vocabulary"]
