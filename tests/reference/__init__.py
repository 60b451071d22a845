"""Slow and obvious versions of each stage, to compare the real ones with; `tests/` is on the path, so `from reference.x import y` works.

A reference says what the result is in the fewest lines, shares no code with the package, and may be quadratic.
`uncompiled` loads a kernel as ordinary Python: the second, free oracle.
"""
