"""How many threads a call may ask for, what each gets to do, and calls side by side, or in order, on them.

In: the `threads` of a call.  Out: the same number, or an error.  Each thread has tables and blocks of text of its own, so a number far
above that of any machine's processors would only fill memory.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TypeVar

from piecetokenizer.errors import SpecError
from piecetokenizer.messages import Option

__all__ = ["MOST_THREADS", "checked_threads", "chosen_threads", "helpers", "in_order", "shares", "side_by_side"]

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_THREADS = 1024


def checked_threads(threads: object) -> int:
    """The number of threads to use.

    >>> checked_threads(0)
    Traceback (most recent call last):
        ...
    piecetokenizer.errors.SpecError: threads=0 is not allowed: it is a whole number from 1 to 1024
    """
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
        raise SpecError(Option("threads", threads), f" is not allowed: it is a whole number from 1 to {MOST_THREADS}")
    return threads


def chosen_threads(threads: object) -> int:
    """The threads of a call whose default, None, is as many as this process may use processors."""
    if threads is not None:
        return checked_threads(threads)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, MOST_THREADS)


def shares(count: int, threads: int, least: int, most: int = MOST_THREADS) -> list[range]:
    """So many things, divided between threads: each has at least the `least` that is worth a thread, and there are at most `most` shares.

    >>> shares(10, 4, 3)
    [range(0, 3), range(3, 6), range(6, 10)]
    """
    parts = max(1, min(threads, most, count // least))
    return [range(count * n // parts, count * (n + 1) // parts) for n in range(parts)]


@contextmanager
def helpers(works: Iterable[Callable[[], None]], stop: Callable[[], None]) -> Iterator[None]:
    """A thread for each of the works while the block runs, which has a share of the work itself; then `stop` is called, and they end.

    Where the system gives no more threads, there are fewer of them: that is slower, but no work is left undone.
    """
    started: list[Thread] = []
    try:
        for work in works:
            thread = Thread(target=work)
            try:
                thread.start()
            except RuntimeError:
                break
            started.append(thread)
        yield
    finally:
        stop()
        for thread in started:
            thread.join()


def side_by_side(threads: int, calls: Iterable[Callable[[], Result]]) -> list[Result]:
    """The results of the calls, in their order, of which so many run at a time: worth it where each lets go of the GIL for a while.

    >>> side_by_side(2, [lambda: "sow", lambda: "reap"])
    ['sow', 'reap']
    """
    todo = deque(enumerate(calls))
    done: dict[int, Result] = {}
    failed: dict[int, BaseException] = {}

    def work() -> None:
        with suppress(IndexError):  # of the deque that is empty: calls are caught apart
            while not failed:
                number, call = todo.popleft()
                try:
                    done[number] = call()
                except BaseException as error:
                    failed[number] = error

    # Not concurrent.futures, whose import takes longer than most calls; and this thread works too.
    with helpers([work] * (min(threads, len(todo)) - 1), todo.clear):
        work()
    if failed:
        raise failed[min(failed)]
    return [done[number] for number in sorted(done)]


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """`map(work, items)` on threads: results in the order of items, and never more than two items a thread under way.

    The caller's thread is one of them: where it would wait for a result, it does an item that no other has begun.  One thread more, which
    only reads items and writes results, would take a processor from those that work at its every turn.

    >>> list(in_order(str.upper, iter(["sow", "reap"]), 2))
    ['SOW', 'REAP']
    """
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    under_way: deque[tuple[Item, Future[Result]]] = deque()

    def submitted(item: Item) -> Future[Result]:
        try:
            return pool.submit(work, item)
        except RuntimeError:  # the system gives no more threads: it is left to those that there are, or to this one
            return Future()

    def help_out() -> None:
        for place, (item, future) in enumerate(under_way):
            if future.cancel():  # no thread has begun it
                done: Future[Result] = Future()
                under_way[place] = item, done
                try:
                    done.set_result(work(item))
                except Exception as error:  # for whoever asks for the result, when it is its turn
                    done.set_exception(error)
                return
        under_way[0][1].exception()  # all have been begun: wait for the first

    def results(most: int) -> Iterator[Result]:
        """Those that are there, and more until at most so many are under way."""
        while under_way and (len(under_way) > most or under_way[0][1].done()):
            if under_way[0][1].done():
                yield under_way.popleft()[1].result()
            else:
                help_out()

    with ThreadPoolExecutor(threads - 1) as pool:
        try:
            for item in items:
                under_way.append((item, submitted(item)))
                yield from results(2 * threads - 1)
            yield from results(0)
        finally:
            for _, future in under_way:
                future.cancel()


def _load_futures() -> None:
    """Import what `in_order` imports when it is first called, or wait for the thread that is at it."""
    import concurrent.futures.thread  # noqa: F401


if hasattr(os, "register_at_fork"):  # the child of a fork would wait for ever for an import that another thread had begun
    os.register_at_fork(before=_load_futures)
