"""The fast lane: a short str to a list of ids in one call.

In: a str.  Out: its ids; or None, when it is not for the fast lane, and then nothing has happened that the ordinary way would notice.

A text of a hundred characters is twenty segments, which take less time than the interpreter takes from one kernel to the next.
Here the three kernels are called as C, one after the other, as Workspace.run_one calls them.  What is left out is what short texts
never need: more room for ids than the lane has, or more scratch than the Merger has (the text is then left to the ordinary way,
which makes room for both), rows.
"""
# cython: language_level=3

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.normalize.kernel_cy import NormalizeKernel
    from cython.cimports.piecetokenizer.pretokenize.cutter_cy import BoundaryCutter
    from cython.cimports.piecetokenizer.tokenizer.encoder_cy import Encoder
else:
    from piecetokenizer.normalize.kernel_cy import NormalizeKernel
    from piecetokenizer.pretokenize.cutter_cy import BoundaryCutter
    from piecetokenizer.tokenizer.encoder_cy import Encoder

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
    out: object
    owner: object
    room: cython.longlong

    def __init__(
        self, owner, cutter, encoder, flags: cython.int, first: cython.int, last: cython.int, ints: list, out, room: cython.longlong
    ) -> None:
        """`owner` is the NormalizeWorker; `out` what the encoder writes to, with room for the ids of `room` bytes.  See Workspace."""
        self.owner = owner
        self.normalizer = owner
        self.cutter = cutter
        self.encoder = encoder
        self.flags = flags
        self.first = first
        self.last = last
        self.ints = ints
        self.out = out
        self.room = room

    @cython.cfunc
    @cython.exceptval(-2, check=True)
    def run(self, text: str) -> cython.int:
        """Encode a text; how many ids the encoder has for it now, or -1."""
        size: cython.longlong
        done: cython.longlong = 0
        if len(text) > SHORT:
            return -1
        try:
            data: bytes = text.encode()
        except UnicodeEncodeError:
            return -1
        size = self.normalizer.normalize_one(data, self.flags, True, False)
        if size > self.room:
            return -1
        buffer: object = self.owner.text
        self.encoder.begin_one(buffer, self.cutter.ends, self.first)
        self.cutter.start_one(buffer, size)
        while done < size:
            done = self.encoder.run(self.cutter.cut())
            if done < 0:
                return -1
        if self.last >= 0:
            self.encoder.append(self.last)
        return cython.cast(cython.int, self.encoder.written)

    def encode(self, text: str) -> object:
        """The ids of a text as a list, with those that the model puts first and last; or None."""
        return self.encoder.take(self.ints) if self.run(text) >= 0 else None

    def encode_array(self, text: str) -> object:
        """The same as an array."""
        count: cython.int = self.run(text)
        return self.out[:count].copy() if count >= 0 else None
