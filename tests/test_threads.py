"""Calls side by side: results in order, the first error, no thread left behind."""

import threading
from collections.abc import Callable
from functools import partial

import pytest

from piecetokenizer.threads import side_by_side


@pytest.mark.parametrize("threads", [1, 2, 3, 50])
@pytest.mark.parametrize("many", [0, 1, 2, 20])
def test_results_come_in_order(threads: int, many: int) -> None:
    assert side_by_side(threads, [partial(divmod, n, 3) for n in range(many)]) == [divmod(n, 3) for n in range(many)]


def test_as_many_run_at_a_time() -> None:
    barrier = threading.Barrier(3)
    assert sorted(side_by_side(3, [partial(barrier.wait, 10)] * 3)) == [0, 1, 2]


def fail(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_comes_out(threads: int) -> None:
    before = threading.active_count()
    for error in (IndexError("not the end of the calls"), KeyboardInterrupt()):
        calls: list[Callable[[], object]] = [*[partial(abs, -1)] * 5, partial(fail, error), *[partial(abs, -1)] * 5]
        with pytest.raises(type(error)) as caught:
            side_by_side(threads, calls)
        assert caught.value is error
        assert threading.active_count() == before
