"""The rules of the built-in sets, listed once for all tests."""

from functools import cache

from piecetokenizer.normalize import Charsmap


@cache
def rules_of(name: str) -> dict[str, str]:
    """The rules of one built-in set."""
    return Charsmap.builtin(name).rules()
