"""The two workers under test: the compiled one of the installed package, and the same source run as Python."""

import sys
from functools import cache
from typing import Any
from unittest import mock

from reference.uncompiled import load_uncompiled

from piecetokenizer.normalize import Charsmap, NormalizeWorker


@cache
def worker_class(compiled: bool) -> Any:
    """NormalizeWorker over the compiled or the uncompiled kernel."""
    if compiled:
        return NormalizeWorker
    kernels = {f"piecetokenizer.normalize.{name}": load_uncompiled(f"normalize/{name}.py") for name in ("kernel_cy", "rewrite_cy")}
    with mock.patch.dict(sys.modules, kernels):
        return load_uncompiled("normalize/worker.py").NormalizeWorker


def new_worker(compiled: bool, charsmap: Charsmap, collapse: bool = True) -> Any:
    """A worker with nothing counted yet, and without room for anything, so that every text makes it grow."""
    worker = worker_class(compiled)(charsmap.tables, collapse=collapse)
    worker.grow(0, 0)
    return worker


def text_of(worker: Any, size: int) -> bytes:
    """The normalized bytes that the last call left."""
    return bytes(worker.text[:size])
