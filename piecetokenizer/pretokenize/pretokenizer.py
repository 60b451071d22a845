"""PreTokenizer: a spec and its tables, ready to cut normalized text into segments.

In: a PreTokenizerSpec, with cn=dict also the Dictionary.  Out: an immutable object for any number of threads; each
call or thread takes a cutter of its own, which holds the state of a walk; those for strings are kept for the next call.
"""

from piecetokenizer.errors import ModelError, SpecError
from piecetokenizer.messages import Option
from piecetokenizer.pretokenize.boundaries import ROWS, boundary_table
from piecetokenizer.pretokenize.classes import CLASSES, class_of
from piecetokenizer.pretokenize.cutters import WINDOW, Cutter, TextCutter, boundary_cutter, classes_of_bytes
from piecetokenizer.pretokenize.dictionary import SHIPPED, Dictionary, describe
from piecetokenizer.spec import PreTokenizerSpec

__all__ = ["PreTokenizer"]


class PreTokenizer:
    """Cuts normalized text into segments, which no merge crosses.

    >>> PreTokenizer(PreTokenizerSpec()).pretokenize("Hello, world 你好123")
    ['Hello', ',', ' world', ' ', '你好', '123']
    """

    def __init__(self, spec: PreTokenizerSpec, dictionary: Dictionary | None = None) -> None:
        """The dictionary is the one that spec.cn_dict names; one that comes with the package need not be given."""
        self.spec = spec
        self.dictionary = _dictionary_of(spec, dictionary)
        self._table = boundary_table(spec)
        self._isolate = spec.split == "isolate"
        self._bytewise = classes_of_bytes(self._isolate)
        self._spare: list[TextCutter] = []

    def __reduce__(self) -> tuple[type["PreTokenizer"], tuple[PreTokenizerSpec, Dictionary | None]]:
        return PreTokenizer, (self.spec, self.dictionary)

    def cutter(self, window: int = WINDOW) -> Cutter:
        """A new walk, for one thread, that finds up to `window` ends at a time; see Cutter."""
        boundaries = boundary_cutter(self._table, self._bytewise, self._isolate, window)
        return self.dictionary.cutter(boundaries, window) if self.dictionary else boundaries

    def pretokenize(self, text: str) -> list[str]:
        """The segments of a normalized text; joined they are the text.

        >>> PreTokenizer(PreTokenizerSpec(split="isolate", digit="split", cn="char")).pretokenize("don't 你好 12")
        ["don't", ' ', '你', '好', ' ', '1', '2']
        """
        try:
            cutter = self._spare.pop()
        except IndexError:
            cutter = TextCutter(self.cutter())
        segments = cutter.cut(text)
        if cutter.is_small:
            self._spare.append(cutter)
        return segments

    def may_be_boundary(self, a: str, b: str) -> bool:
        """Whether some text has a boundary between its neighbours a and b.

        >>> PreTokenizer(PreTokenizerSpec()).may_be_boundary("a", " "), PreTokenizer(PreTokenizerSpec()).may_be_boundary(" ", "a")
        (True, False)
        """
        return self._cuts(a, b) or self._needs_context(a, b)

    def never_inside(self, a: str, b: str) -> bool:
        """Whether every text has a boundary between its neighbours a and b, so that no segment holds `ab`.

        >>> isolate = PreTokenizer(PreTokenizerSpec(split="isolate"))
        >>> isolate.never_inside("n", "."), isolate.never_inside("n", "'"), isolate.may_be_boundary("n", "'")
        (True, False, True)
        """
        return self._cuts(a, b) and not self._needs_context(a, b)

    def _cuts(self, a: str, b: str) -> bool:
        left, right = (class_of(x).replace("A", "P") for x in (a, b))
        return bool(self._table[ROWS * CLASSES.index(left) + CLASSES.index(right)])

    def _needs_context(self, a: str, b: str) -> bool:
        """Whether more than the two characters decides: `isolate` looks at both sides of an apostrophe, a dictionary at the run of Han."""
        pair = class_of(a) + class_of(b)
        return (self._isolate and pair in ("LA", "MA", "AL")) or (self.spec.cn == "dict" and pair == "HH")


def _dictionary_of(spec: PreTokenizerSpec, given: Dictionary | None) -> Dictionary | None:
    """The dictionary that the spec asks for, checked to be the same one."""
    if spec.cn != "dict":
        if given is not None:
            raise SpecError("this model uses no dictionary: leave out ", Option("dict"))
        return None
    if given is None:
        name = spec.cn_dict.split(",")[0]
        if name not in SHIPPED:
            needed = f"the model needs the dictionary {describe(spec.cn_dict)}"
            raise ModelError(needed, ": give the file that it was made with as ", Option("dict"))
        given = Dictionary.load(name)
    given.check(spec.cn_dict)
    return given
