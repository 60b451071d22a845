"""The model file: a Model as text that people can read, compare and edit.

In and out: UTF-8 bytes, and a Model; docs/model-file.md has the grammar.  What is written is canonical (equal models, equal bytes),
and reading gives the same model back for any piece.  What is read may have been edited by hand, cut short or made up: every rule
that is broken is one ModelError naming the line, what was found and what was expected.  Time and memory grow with the file's size
and with nothing that it says.

`escapes` spells any text on one line, `keys` turns specs into key=value lines and back, `charsmap` and `pieces` are the two sections
that are tables, `read` and `write` put the sections together, `foreign` knows the files of other tools by their first bytes.
"""

from piecetokenizer.modelfile.foreign import refuse_folder, refuse_other_files
from piecetokenizer.modelfile.read import loads
from piecetokenizer.modelfile.write import dumps

__all__ = ["dumps", "loads", "refuse_folder", "refuse_other_files"]
