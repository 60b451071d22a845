"""Every example in a docstring of the package is executed and gives what it says."""

import doctest
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from piecetokenizer import Tokenizer

PACKAGE = Path(str(find_spec("piecetokenizer").origin)).parent  # type: ignore[union-attr]
MODULES = sorted(
    ".".join(("piecetokenizer", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if not path.stem.endswith(("_cy", "__main__"))
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, _ = doctest.testmod(import_module(name))
    assert failed == 0


def test_examples_of_the_method_that_is_a_kernels() -> None:
    text, place = str(Tokenizer.encode.__doc__), {"Tokenizer": Tokenizer}
    failed, tried = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, place, "encode", None, 0))
    assert (failed, tried > 5) == (0, True)


def test_there_are_examples() -> None:
    assert sum(len(doctest.DocTestFinder().find(import_module(name))) for name in MODULES) > 100
