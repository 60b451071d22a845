"""The examples in the docstrings of this stage, and those of its page in docs."""

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import piecetokenizer.normalize
from piecetokenizer.normalize import parse_rules

MODULES = sorted(module.name for module in pkgutil.iter_modules(piecetokenizer.normalize.__path__) if not module.name.endswith("_cy"))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(import_module(f"piecetokenizer.normalize.{name}")).failed == 0


def test_page(root: Path) -> None:
    result = doctest.testfile(str(root / "docs" / "normalization.md"), module_relative=False, encoding="utf-8")
    assert result.attempted > 5
    assert result.failed == 0


def test_rules_on_the_page(root: Path) -> None:
    page = (root / "docs" / "normalization.md").read_text("utf-8")
    block = next(block for block in page.split("```") if block.startswith("\n# my rules"))
    assert parse_rules(block) == {"ﬁ": "fi", "‘": "'", "’": "'", "\u200b": ""}
