"""Messages name options as Python or as the command line does, and never touch what a user wrote."""

import copy
import pickle

import pytest

from piecetokenizer.errors import InputError, ModelError, SpecError
from piecetokenizer.messages import Message, Option


@pytest.mark.parametrize(
    ("option", "argument", "flag"),
    [
        (Option("min_count"), "min_count", "--min-count"),
        (Option("min_count", 0), "min_count=0", "--min-count 0"),
        (Option("bos", True), "bos=True", "--bos"),
        (Option("as_", "x"), "as_='x'", "--as x"),
        (Option("space", "a b"), "space='a b'", "--space 'a b'"),
        (Option("space", ""), "space=''", "--space ''"),
        (Option("space", "\n"), "space='\\n'", "--space '\\n'"),
        (Option("size", 5, flag="--truncate"), "size=5", "--truncate 5"),
    ],
)
def test_an_option_has_two_spellings(option: Option, argument: str, flag: str) -> None:
    assert (str(option), option.as_flag()) == (argument, flag)


def test_messages_are_put_together_from_messages() -> None:
    user = "min_count=0"
    message = Message(f"{user!r}: ", Message(Option("min_count", 0), " is wrong"))
    assert message == "'min_count=0': min_count=0 is wrong"
    assert message.with_flags() == "'min_count=0': --min-count 0 is wrong"
    assert Message().with_flags() == Message() == ""


@pytest.mark.parametrize("kind", [SpecError, InputError, ModelError])
def test_errors_keep_their_parts(kind: type[SpecError]) -> None:
    error = kind("here: ", Option("dict", "zh"))
    for other in (error, pickle.loads(pickle.dumps(error)), copy.deepcopy(error), kind(error.message)):
        assert str(other) == "here: dict='zh'"
        assert other.message.with_flags() == "here: --dict zh"
    assert kind("plain").args == ("plain",)
