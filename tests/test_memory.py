"""Arrays with pages of their own are arrays like others."""

import numpy as np
import pytest

from piecetokenizer import memory


@pytest.mark.parametrize("large", [1, 1 << 20])
def test_zeros(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LARGE", large)
    for count, dtype in ((0, np.int64), (1000, np.uint8), (300_000, np.int32)):
        array = memory.zeros(count, dtype)
        assert (array.dtype, array.shape, array.any()) == (dtype, (count,), False)
        array[:] = 7
        assert array.flags.c_contiguous
        assert (array == 7).all()


def test_more_than_there_is() -> None:
    with pytest.raises(MemoryError, match=str(1 << 60)):
        memory.zeros(1 << 57, np.int64)
