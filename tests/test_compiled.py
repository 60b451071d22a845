"""The installed package is complete and compiled: a kernel that silently ran as Python would be right, and a hundred times slower."""

from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import files, requires
from pathlib import Path

import pytest
from reference.uncompiled import load_uncompiled

ROOT = Path(__file__).resolve().parent.parent
KERNELS = sorted(path.relative_to(ROOT / "piecetokenizer").as_posix() for path in (ROOT / "piecetokenizer").rglob("*_cy.py"))


def installed() -> set[str]:
    """The paths that the wheel put into site-packages."""
    listed = files("piecetokenizer")
    assert listed is not None
    return {path.as_posix() for path in listed}


def test_there_are_kernels() -> None:
    assert KERNELS


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_is_an_extension_module(kernel: str) -> None:
    module = import_module("piecetokenizer." + kernel.removesuffix(".py").replace("/", "."))
    assert str(module.__file__).endswith(tuple(EXTENSION_SUFFIXES)), f"{kernel} runs uncompiled"


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_loads_uncompiled(kernel: str) -> None:
    module = load_uncompiled(kernel)
    assert str(module.__file__).endswith("_cy.py")


def test_every_source_file_is_installed() -> None:
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "piecetokenizer").rglob("*") if path.is_file() and wanted(path)}
    sources |= {f"piecetokenizer/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "dicts").rglob("*") if wanted(path)}
    assert sources - installed() == set()


def wanted(path: Path) -> bool:
    """Whether a file of the source tree belongs into the wheel: not what an editable build or an interpreter left there."""
    return "__pycache__" not in path.parts and path.suffix not in {".c", ".so", ".pyc", ".html"}


def test_typing_marker_and_data_are_installed() -> None:
    assert "piecetokenizer/py.typed" in installed()
    assert any(path.startswith("piecetokenizer/normalize/data/") for path in installed())
    assert "piecetokenizer/dicts/zh.txt" in installed()


def test_no_generated_c_and_no_tests_in_the_wheel() -> None:
    assert [path for path in installed() if path.endswith((".c", ".cpp", ".o")) or path.startswith("tests/")] == []


def test_cython_is_no_dependency_of_a_compiled_install() -> None:
    assert [text for text in requires("piecetokenizer") or [] if text.lower().startswith("cython") and "extra ==" not in text] == []
