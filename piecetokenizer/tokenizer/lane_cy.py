"""The fast lane: a short str to a list of ids in one call.

In: a str.  Out: its ids; or None, when it is not for the fast lane, and then nothing has happened that the ordinary way would notice.

A text of a hundred characters is twenty segments, which take less time than the interpreter takes from one kernel to the next.
Here the three kernels are called as C, one after the other, as Workspace.run_one calls them.  What is left out is what short texts
never need: buffers that grow (the lane sees that the normalizer got a new one, or that the Merger wants scratch, and leaves the
text to the ordinary way, which makes room for both), arrays as a result, rows.
"""
# cython: language_level=3

import cython

if cython.compiled:
    from cython.cimports.piecetokenizer.normalize.kernel_cy import NormalizeKernel
    from cython.cimports.piecetokenizer.pretokenize.cutter_cy import BoundaryCutter
    from cython.cimports.piecetokenizer.tokenizer.encoder_cy import Encoder

SHORT = 4096
"""Characters of the longest text for the lane; the ids of its normalized text have room in what a Workspace keeps."""


@cython.final
@cython.cclass
class Lane:
    """The kernels of one Workspace, which binds the lane anew when they read from another buffer."""

    normalizer: NormalizeKernel
    cutter: BoundaryCutter
    encoder: Encoder
    flags: cython.int
    ints: list
    owner: object
    text: object
    room: cython.longlong

    def __init__(self, owner, cutter, encoder, flags: cython.int, ints: list, room: cython.longlong) -> None:
        """`owner` is the NormalizeWorker; `room` how many bytes of normalized text have room for their ids."""
        self.owner = owner
        self.normalizer = owner
        self.cutter = cutter
        self.encoder = encoder
        self.flags = flags
        self.ints = ints
        self.room = room
        self.text = None

    def bind(self, text) -> None:
        """This is the buffer that cutter and encoder read from."""
        self.text = text

    def encode(self, text: str, first: cython.int, last: cython.int) -> object:
        """The ids, between `first` and `last` if those are not negative."""
        size: cython.longlong
        done: cython.longlong = 0
        try:
            data: bytes = text.encode()
        except UnicodeEncodeError:
            return None
        size = self.normalizer.normalize_one(data, self.flags, True, False)
        if self.owner.text is not self.text or size > self.room:
            return None
        self.encoder.begin_one(first)
        self.cutter.start_one(self.text, size)
        while done < size:
            done = self.encoder.run(self.cutter.cut())
            if done < 0:
                return None
        if last >= 0:
            self.encoder.append(last)
        return self.encoder.take(self.ints)
