"""The compiled modules: every file named *_cy.py.  All other settings are in pyproject.toml.

PIECETOKENIZER_PURE=1      build without a compiler: the same files run as ordinary Python, about a hundred times slower
PIECETOKENIZER_CHECKED=1   build for tests: bounds checks in the kernels, and AddressSanitizer around them
"""
import os
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup

PURE = os.environ.get("PIECETOKENIZER_PURE") == "1"
CYTHON = "Cython>=3.1"
CHECKED = os.environ.get("PIECETOKENIZER_CHECKED") == "1"


def kernels() -> list[Extension]:
    """One extension for each kernel file, named as its module."""
    from Cython.Build import cythonize

    flags = ["-O1", "-g", "-fsanitize=address", "-fno-omit-frame-pointer"] if CHECKED else ["-O3", "-g0"]
    extensions = [
        Extension(
            ".".join(path.with_suffix("").parts),
            [path.as_posix()],
            extra_compile_args=[*flags, "-Wno-unreachable-code", "-Wno-sign-compare"],
            extra_link_args=["-fsanitize=address"] if CHECKED else [],
        )
        for path in sorted(Path("piecetokenizer").rglob("*_cy.py"))
    ]
    return cythonize(
        extensions,
        build_dir="build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": CHECKED,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": CHECKED,
            "freethreading_compatible": True,
        },
    )


class PureDistribution(Distribution):
    """With Cython as a dependency: uncompiled, the kernels import it when they run."""

    def _finalize_requires(self) -> None:
        if self.install_requires and CYTHON not in self.install_requires:
            self.install_requires = [*self.install_requires, CYTHON]
        super()._finalize_requires()


if PURE:
    print("piecetokenizer: PIECETOKENIZER_PURE=1, kernels are not compiled and will be slow", file=sys.stderr)
    setup(distclass=PureDistribution)
else:
    setup(ext_modules=kernels(), options={"build_ext": {"parallel": os.cpu_count() or 1}})
