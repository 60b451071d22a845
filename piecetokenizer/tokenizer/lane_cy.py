"""The fast lane: a short str to its ids in one call.

In: a str.  Out: its ids; or None, when it is not for the fast lane, and then nothing has happened that the ordinary way would notice.

A text of a hundred characters is twenty segments, which take less time than the interpreter takes from one kernel to the next.
Here the three kernels are called as C, one after the other, as Workspace.run_one calls them.  What is left out is what short texts
never need: more room for ids than the lane has, or more scratch than the Merger has (the text is then left to the ordinary way,
which makes room for both), rows.

At this size everything around the kernels counts, and most of it is here to be cheap: the call itself (QuickEncode), the pool of
workspaces (Pool), and the array that is given back (`fill`, since numpy's copy of a slice takes twice as long).
"""

import cython

if cython.compiled:
    from cython.cimports.cpython.unicode import PyUnicode_DATA
    from cython.cimports.piecetokenizer.lowlevel import PyUnicode_IS_ASCII, fill
    from cython.cimports.piecetokenizer.normalize.kernel_cy import NormalizeKernel
    from cython.cimports.piecetokenizer.pretokenize.cutter_cy import BoundaryCutter
    from cython.cimports.piecetokenizer.tokenizer.encoder_cy import Encoder
else:
    from piecetokenizer.lowlevel import fill
    from piecetokenizer.normalize.kernel_cy import NormalizeKernel
    from piecetokenizer.pretokenize.cutter_cy import BoundaryCutter
    from piecetokenizer.tokenizer.encoder_cy import Encoder

import numpy as np

SHORT = cython.declare(cython.longlong, 4096)
"""Characters of the longest text for the lane; the ids of its normalized text have room in what a Workspace keeps."""


@cython.final
@cython.cclass
class Lane:
    """The kernels of one Workspace."""

    normalizer: NormalizeKernel
    cutter: BoundaryCutter
    encoder: Encoder
    flags: cython.int
    first: cython.int
    last: cython.int
    ints: list
    room: cython.longlong
    empty: object
    dtype: object

    def __init__(
        self, normalizer, cutter, encoder, flags: cython.int, first: cython.int, last: cython.int, ints: list, room: cython.longlong
    ) -> None:
        """What the encoder writes to has room for the ids of `room` bytes.  See Workspace."""
        self.normalizer = normalizer
        self.cutter = cutter
        self.encoder = encoder
        self.flags = flags
        self.first = first
        self.last = last
        self.ints = ints
        self.room = room
        self.empty = np.empty  # looked up once, as the type is made once
        self.dtype = np.dtype(np.int32)

    @cython.cfunc
    def normalize(self, text: str) -> cython.longlong:
        """Normalize a text; its size, or -1 if it has a lone surrogate."""
        if cython.compiled:
            if PyUnicode_IS_ASCII(text):  # it is UTF-8 where it lies
                p = cython.cast(cython.p_uchar, PyUnicode_DATA(text))
                return self.normalizer.normalize_one(p, len(text), self.flags, True, False)
        try:
            data: bytes = text.encode()
        except UnicodeEncodeError:
            return -1
        p = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data)) if cython.compiled else data
        return self.normalizer.normalize_one(p, len(data), self.flags, True, False)

    @cython.cfunc
    def run(self, text: str) -> cython.bint:
        """Encode a text; the encoder has its ids then.  False if it is not for the lane."""
        size: cython.longlong
        done: cython.longlong = 0
        if len(text) > SHORT:
            return False
        size = self.normalize(text)
        if size < 0 or size > self.room:
            return False
        buffer: object = self.normalizer.text
        self.encoder.begin_one(buffer, self.cutter.ends, self.first)
        self.cutter.start_one(buffer, size)
        while done < size:
            done = self.encoder.run(self.cutter.cut())
            if done < 0:
                return False
        if self.last >= 0:
            self.encoder.append(self.last)
        return True

    @cython.cfunc
    def ids(self, as_array: cython.bint) -> object:
        """What the encoder has, as an array or a list."""
        if not as_array:
            return self.encoder.take(self.ints)
        result: object = self.empty(self.encoder.written, self.dtype)
        fill(result, cython.address(self.encoder.out_bytes[0]) if cython.compiled else self.encoder.out_bytes, 4 * self.encoder.written)
        return result


@cython.final
@cython.cclass
class Pool:
    """The workspaces that no call has at the moment; any number of threads take them and give them back.

    A list of its own kind, since Python's gives its memory back when it gets empty, which ours does with every call of a single thread.
    """

    works: list
    count: cython.Py_ssize_t

    def __init__(self) -> None:
        self.works = []
        self.count = 0

    @cython.ccall
    def take(self) -> object:
        """One of them; None if there is none."""
        work: object = None
        with cython.critical_section(self):  # for a Python without a GIL; with one it is nothing
            if self.count:
                self.count -= 1
                work = self.works[self.count]
                self.works[self.count] = None
        return work

    @cython.ccall
    def give(self, work) -> cython.void:
        """Put one back, or a new one in."""
        with cython.critical_section(self):
            if self.count == len(self.works):
                self.works.append(None)
            self.works[self.count] = work
            self.count += 1

    @cython.cfunc
    def encode(self, text, bos, eos, special, out, dropout) -> object:
        """The ids of a text as a list or an array; None if the text, or what is asked for, is not for the fast lane."""
        ids: object = None
        is_plain: cython.bint = type(text) is str and special == "text" and not dropout and bos is None and eos is None
        if not is_plain or (out != "list" and out != "numpy"):
            return None
        work: object = self.take()
        if work is None:
            return None
        lane: Lane = work.lane
        if lane is not None and lane.run(text):
            ids = lane.ids(out == "numpy")
        self.give(work)
        return ids


@cython.cclass
class QuickEncode:
    """The method `encode` of Tokenizer, which is made of this class.

    It is here because a function of Python with so many keywords takes as long to be called as the lane takes for a line.
    """

    pool: Pool
    __weakref__: object

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def encode(self, text, *, bos=None, eos=None, special="text", out="list", dropout=0.0, seed=None, errors="strict"):
        """The ids of a text, as a list, a numpy array of int32, or the pieces' texts.

        `bos`, `eos` and `special` are explained at the class. `dropout` leaves out each merge with this probability, by the `seed` of the
        call; `errors` is about lone surrogates and invalid UTF-8: refuse them, or read each as U+FFFD.

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> tokenizer.encode("the cat!", out="pieces")
        ['the', '▁c', 'at', '<0x21>']
        >>> tokenizer.encode("the cat<|end|>", special="parse", out="pieces")
        ['the', '▁c', 'at', '<|end|>']
        >>> tokenizer.encode([("<|end|>", True), ("the<|end|>", False)], out="pieces")[:4]
        ['<|end|>', 'the', '<0x3C>', '<0x7C>']
        >>> tokenizer.encode("the cat", dropout=0.5, seed=1, out="pieces")
        ['t', 'h', 'e', '▁', 'c', 'a', 't']
        """
        ids: object = None
        if not isinstance(self, QuickEncode):  # Tokenizer.encode("some", "texts"): compiled methods take anything as what they belong to
            raise TypeError("encode is a method of a Tokenizer, not of the class: Tokenizer.load(path).encode(text)")
        if self.pool is not None:
            ids = self.pool.encode(text, bos, eos, special, out, dropout)
        return self._encode(text, bos, eos, special, out, dropout, seed, errors) if ids is None else ids
