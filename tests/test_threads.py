"""Calls side by side, and items in order: results in order, the first error, no thread left behind, the caller's thread one of them."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecetokenizer.threads import in_order, side_by_side


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


def test_in_order_keeps_few_under_way() -> None:
    seen = []

    def numbers() -> Iterator[int]:
        for number in range(100):
            seen.append(number)
            yield number

    results = in_order(lambda number: number * number, numbers(), 3)
    assert [next(results) for _ in range(10)] == [number * number for number in range(10)]
    assert len(seen) <= 17
    assert list(results) == [number * number for number in range(10, 100)]


@given(st.lists(st.sampled_from([0.0, 0.0, 0.001]), max_size=12), st.integers(2, 4), st.integers(0, 12))
def test_the_first_error_comes_behind_the_results_before_it(delays: list[float], threads: int, bad: int) -> None:
    def work(item: tuple[int, float]) -> int:
        number, delay = item
        time.sleep(delay)
        if number >= bad:
            raise ValueError(str(number))
        return number

    results = in_order(work, enumerate(delays), threads)
    good = min(bad, len(delays))
    assert [next(results) for _ in range(good)] == list(range(good))
    if bad < len(delays):
        with pytest.raises(ValueError, match=f"^{bad}$"):
            next(results)
    assert list(results) == []


def test_the_caller_is_one_of_the_threads() -> None:
    names = set()
    meet = threading.Barrier(2, timeout=20)  # nobody passes alone

    def work(number: int) -> int:
        names.add(threading.current_thread().name)
        meet.wait()
        return number

    assert list(in_order(work, range(20), 2)) == list(range(20))
    assert len(names) == 2
    assert threading.current_thread().name in names


def test_a_slow_item_does_not_keep_the_others_waiting_for_ever() -> None:
    others = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            assert others.wait(20)
        elif number == 3:
            others.set()
        return number

    assert list(in_order(work, range(8), 2)) == list(range(8))


def test_interrupted() -> None:
    def work(number: int) -> int:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        time.sleep(0.001)
        return number

    with pytest.raises(KeyboardInterrupt):
        list(in_order(work, range(1000), 2))


@pytest.mark.parametrize("most", [0, 2])
def test_where_the_system_gives_no_more_threads_there_are_fewer(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start
    started = []

    def start_some(thread: threading.Thread) -> None:
        if len(started) == most:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    before = threading.active_count()
    monkeypatch.setattr(threading.Thread, "start", start_some)
    assert side_by_side(8, [partial(abs, -n) for n in range(50)]) == list(range(50))
    started.clear()
    assert list(in_order(abs, range(-50, 0), 8)) == list(range(50, 0, -1))
    assert threading.active_count() == before


FORKED_WHILE_IMPORTING = """
import os, sys, threading, time
from piecetokenizer.threads import in_order

class Slow:
    def find_spec(self, name, path, target=None):
        if name == "concurrent.futures.thread":
            importing.set()
            time.sleep(0.3)

importing = threading.Event()
sys.meta_path.insert(0, Slow())
other = threading.Thread(target=lambda: list(in_order(str.upper, ["other"], 2)))
other.start()
importing.wait(10)
child = os.fork()
os.write(1, f"{list(in_order(str.upper, ['sow', 'reap'], 2))}\\n".encode())  # in one piece: two processes write to one pipe
if child:
    os.waitpid(child, 0)
    other.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_while_another_thread_imports_what_in_order_needs() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED_WHILE_IMPORTING], capture_output=True, text=True, timeout=60, check=True, cwd="/")
    assert done.stdout == "['SOW', 'REAP']\n" * 2
