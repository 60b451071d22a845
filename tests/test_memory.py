"""Arrays with pages of their own are arrays like others."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from piecetokenizer import memory


@pytest.mark.parametrize("make", [memory.zeros, memory.table])
@pytest.mark.parametrize("large", [1, 1 << 20])
def test_they_are_zeros(make: Callable[..., npt.NDArray[Any]], large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LARGE", large)
    for count, dtype in ((0, np.int64), (1000, np.uint8), (300_000, np.int32)):
        array = make(count, dtype)
        assert (array.dtype, array.shape, array.any()) == (dtype, (count,), False)
        array[:] = 7
        assert array.flags.c_contiguous
        assert (array == 7).all()


def test_a_table_begins_where_a_huge_page_does() -> None:
    assert memory.table(1 << 20, np.uint64).ctypes.data % memory.HUGE_PAGE == 0


def test_more_than_there_is() -> None:
    with pytest.raises(MemoryError, match=str(1 << 60)):
        memory.zeros(1 << 57, np.int64)
