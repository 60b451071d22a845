"""Messages that name options: as arguments where Python reads them, as flags at the command line.

In: the parts of a message, each a text or an `Option`.  Out: a `Message`, a str in Python's spelling (`min_count=0`), whose `with_flags`
is that of the command line (`--min-count 0`).  The parts stay apart, so that nothing a user wrote is ever taken for an option.
"""

import re

__all__ = ["Message", "Option", "show"]

WORD = r"[\w.,+/-]+"
"""What needs no quotes at the command line; compiled when a message is shown, not by every command as it starts."""
_NO_VALUE = object()


def show(value: object) -> str:
    """A value as a message quotes it: on one line and never long.

    >>> show("a\\tb")
    "'a\\\\tb'"
    >>> show("ab" * 100)
    "'abababababababababababababababababababababababababab'... (200 characters)"
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= 60 else f"{value[:52]!r}... ({len(value)} characters)"
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


class Option:
    """The name of an option, or what it was set to; `flag` is its name at the command line where that is another one.

    >>> option = Option("special", "text")
    >>> str(option), option.as_flag()
    ("special='text'", '--special text')
    """

    __slots__ = ("flag", "name", "value")

    def __init__(self, name: str, value: object = _NO_VALUE, *, flag: str = "") -> None:
        self.name = name
        self.value = value
        self.flag = flag or f"--{name.strip('_').replace('_', '-')}"

    def __str__(self) -> str:
        return self.name if self.value is _NO_VALUE else f"{self.name}={show(self.value)}"

    def as_flag(self) -> str:
        """The same at the command line."""
        if self.value is _NO_VALUE or self.value is True:
            return self.flag
        plain = isinstance(self.value, str) and re.fullmatch(WORD, self.value, re.ASCII) and len(self.value) <= 60
        return f"{self.flag} {self.value if plain else show(self.value)}"


class Message(str):
    """A text that knows which of its parts are options.

    >>> message = Message("lower it, or set ", Option("soft_vocab_limit", True))
    >>> print(message, message.with_flags(), sep="\\n")
    lower it, or set soft_vocab_limit=True
    lower it, or set --soft-vocab-limit
    """

    parts: "tuple[str | Option, ...]"

    def __new__(cls, *parts: "str | Option") -> "Message":
        """Messages among the parts bring their own parts."""
        flat: list[str | Option] = []
        for part in parts:
            flat.extend(part.parts if isinstance(part, Message) else [part])
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = tuple(flat)
        return message

    def with_flags(self) -> str:
        """The text as the command line says it."""
        return "".join(part.as_flag() if isinstance(part, Option) else part for part in self.parts)
