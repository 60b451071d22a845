"""A kernel's source run as ordinary Python.

In: the path of a `*_cy.py` below piecetokenizer/ in the repository.  Out: the module, uncompiled, beside the compiled one of the
installed package.
Give it `memoryview(array)` where the compiled one takes an array: items of a memoryview are Python ints, which do not wrap.

>>> load_uncompiled("counter/table_cy.py")      # doctest: +SKIP
<module 'uncompiled.counter.table_cy' from '.../piecetokenizer/counter/table_cy.py'>
"""

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

SOURCES = Path(__file__).resolve().parent.parent.parent / "piecetokenizer"


@cache
def load_uncompiled(path: str) -> ModuleType:
    """The kernel at `path` (relative to piecetokenizer/), loaded once for each path."""
    file = SOURCES / path
    name = ".".join(("uncompiled", *Path(path).with_suffix("").parts))
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise FileNotFoundError(f"no kernel at {file}")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
