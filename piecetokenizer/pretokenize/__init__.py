"""Stage 2: normalized text -> segments, the stretches that no merge ever crosses, in training or in encoding.

What comes in is normalized text: UTF-8 in which a space is byte 0x20.  What goes out are the ends of its segments; the
segments, joined, are the text.  The rule is a small table: each character has one of ten classes (classes.py, frozen for
Unicode 17.0), and between two neighbours lies a boundary unless their pair of classes is joined (boundaries.py).  Two things
look further than the pair: an apostrophe under split=isolate, which stays inside a word, and the Chinese dictionary under
cn=dict, which cuts runs of Han into words.

Read classes.py, boundaries.py, then cutter_cy.py, the kernel; for the dictionary dictionary.py and words_cy.py; strings are
made by slicer_cy.py.
"""

from piecetokenizer.pretokenize.cutters import Cutter
from piecetokenizer.pretokenize.dictionary import Dictionary
from piecetokenizer.pretokenize.pretokenizer import PreTokenizer

__all__ = ["Cutter", "Dictionary", "PreTokenizer"]
