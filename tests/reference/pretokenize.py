"""Segments, one neighbour pair at a time, written from the table of the design: slow, and on purpose nothing shared with the package.

A class is found from the general category (unicodedata2, Unicode 17.0) and the character's name; each rule of the table is one line of
`is_joined`, in the order in which later rules win.
"""

import unicodedata2

IDEOGRAPH = ("CJK UNIFIED IDEOGRAPH-", "CJK COMPATIBILITY IDEOGRAPH-")


def class_of(c: str) -> str:
    category = unicodedata2.category(c)
    if c == " ":
        return "S"
    if c in "\n\r\u0085\u2028\u2029":
        return "N"
    if category in ("Zs", "Cc"):
        return "T"
    if c in "\u3005\u3007\u303b" or unicodedata2.name(c, "").startswith(IDEOGRAPH):
        return "H"
    if category == "Nd":
        return "D"
    if category == "Cf":
        return "J"
    return category[0] if category[0] in "LM" else "P"


def is_joined(spec, text: str, at: int) -> bool:
    """Whether text[at - 1] and text[at] are in one segment."""
    a, b = class_of(text[at - 1]), class_of(text[at])
    if spec.split == "word":
        joined = a + b in ["LL", "ML", "HH", "DD", "PP", "PL", "SL", "SP", "NN", "TT"]
    elif spec.split == "isolate":
        joined = a + b in ["LL", "ML", "HH", "DD"] or is_apostrophe_between(text, at - 1) or is_apostrophe_between(text, at)
    elif spec.split == "space":
        joined = b != "S" and (a == b == "N" or (a != "N" and b != "N"))
    else:
        joined = True
    # In every split: marks and joiners stay with what they follow, joiners with what follows them.
    if b == "M" and a in "SLHDPJM":
        joined = True
    if b == "J" and a in "SLHDPMJ":
        joined = True
    if a == "J" and b in "LHDPM":
        joined = True
    # "Alone, with the marks and joiners that follow it".
    if spec.digit == "split" and (b == "D" or (a == "D" and b not in "MJ")):
        joined = False
    if spec.cn != "none" and (b == "H" or (a == "H" and b not in "MJ")):
        joined = spec.cn == "dict" and a == b == "H"
    if spec.spaces == "run" and a == b == "S":
        joined = True
    return joined


def is_apostrophe_between(text: str, at: int) -> bool:
    """Whether text[at] is an apostrophe with a letter or mark on both sides."""
    return text[at] in "'\u2019" and 0 < at < len(text) - 1 and class_of(text[at - 1]) in "LM" and class_of(text[at + 1]) in "LM"


def pretokenize(spec, text: str) -> list[str]:
    """The segments; runs of Han under cn=dict are left whole (reference/words.py cuts them)."""
    segments: list[str] = []
    for at, c in enumerate(text):
        if at and is_joined(spec, text, at):
            segments[-1] += c
        else:
            segments.append(c)
    return segments
