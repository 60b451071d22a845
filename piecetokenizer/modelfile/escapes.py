r"""Any text on one line: what would break a line, or cannot be seen, is written as its bytes.

Escaped as `\xHH`, each byte of it: backslash, control characters (U+0000 to U+001F, U+007F to U+009F), U+2028, U+2029, and bytes
that are not UTF-8 (surrogateescape in the text).  Everything else stands as it is.  On reading, any byte may be escaped, in upper or
lower case.  `unescape(escape(text)) == text` for every text that comes from bytes.
"""

import re

__all__ = ["CONTROL", "escape", "unescape"]

CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
"""What may not stand in a line as it is; a tab may, between two fields."""

SPECIAL = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\udc80-\udcff]")
BAD_ESCAPE = re.compile(r"\\(?!x[0-9A-Fa-f]{2})")


def escape(text: str) -> str:
    r"""The text in its written form.

    >>> escape("a\tb\\")
    'a\\x09b\\x5C'
    """
    if SPECIAL.search(text) is None:
        return text
    return SPECIAL.sub(lambda found: "".join(f"\\x{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape")), text)


def unescape(written: str) -> str:
    r"""The text that was written; a backslash that begins no escape raises ValueError with what was found.

    >>> unescape("a\\x09b\\x5c")
    'a\tb\\'
    """
    if "\\" not in written:
        return written
    bad = BAD_ESCAPE.search(written)
    if bad is not None:
        found = written[bad.start() : bad.start() + 4]
        raise ValueError(f"{found!r} is no escape: a backslash begins \\xHH, and is itself written \\x5C")
    # Python's own escapes hold \xHH, and no other can be left here; it takes the remaining bytes for Latin-1, which encodes back to them.
    return written.encode().decode("unicode_escape").encode("latin-1").decode("utf-8", "surrogateescape")
