"""Every example in a docstring of the package is executed and gives what it says."""

import doctest
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

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


def test_there_are_examples() -> None:
    assert sum(len(doctest.DocTestFinder().find(import_module(name))) for name in MODULES) > 100
