"""How many threads a call may ask for.

In: the `threads` of a call.  Out: the same number, or an error.  Each thread has tables and blocks of text of its own, so a number far
above that of any machine's processors would only fill memory.
"""

from piecetokenizer.errors import SpecError

__all__ = ["MOST_THREADS", "checked_threads"]

MOST_THREADS = 1024


def checked_threads(threads: object) -> int:
    """The number of threads to use.

    >>> checked_threads(0)
    Traceback (most recent call last):
        ...
    piecetokenizer.errors.SpecError: threads=0 is not allowed: it is a whole number from 1 to 1024
    """
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
        raise SpecError(f"threads={threads!r} is not allowed: it is a whole number from 1 to {MOST_THREADS}")
    return threads
