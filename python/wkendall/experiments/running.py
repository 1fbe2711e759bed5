"""Many measurements, in parallel processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.queues import Queue
from threading import Thread, current_thread, main_thread

from wkendall.experiments.protocol import Measurement, Protocol, Ranks, check, measure


def run(
    X: Ranks, y: Ranks, protocol: Protocol, tasks: Sequence[tuple[str, int]], jobs: int = 1
) -> Iterator[Measurement]:
    """Run measurements in parallel processes, and yield each measurement when it is done.

    `X`, `y` and `protocol` are as for `measure`. A task is a pair: the name of a kernel, and the number of a
    repetition. `jobs` is the number of processes. `jobs` can change the sequence in which the measurements are yielded,
    but not their results.

    Examples
    --------
    >>> from wkendall.datasets import make_survey
    >>> from wkendall.experiments import Protocol, run
    >>> people = make_survey(1000, rng=0)
    >>> tasks = [("standard", 0), ("average", 0)]
    >>> [found.kernel for found in run(people.X, people.y, Protocol(train=40, test=20, folds=2), tasks)]
    ['standard', 'average']
    """
    check(y, protocol)
    jobs = min(jobs, len(tasks))
    if jobs <= 1:
        for kernel, repetition in tasks:
            yield measure(X, y, protocol, kernel, repetition)
        return
    # Spawned and not forked processes, because this process has threads.
    context = get_context("spawn")
    told, open_end = context.Pipe(duplex=False)
    # Through a queue, which is written by a thread. Arguments of a new process would block until the process reads
    # them.
    given = context.Queue()
    given.cancel_join_thread()
    for _ in range(jobs):
        given.put((X, y, protocol))
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(told, given))
    others = set(active_children())
    try:
        with _interruption_put_off():
            futures = [pool.submit(_measure, *task) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise ChildProcessError(
            "a process of the run was killed, perhaps because memory ran out: use fewer jobs"
        ) from None
    finally:
        open_end.close()
        # Processes that are still starting do not watch the pipe yet.
        for process in set(active_children()) - others:
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        given.close()
        told.close()


#: The people and the protocol, in a process of `run`.
_given: tuple[Ranks, Ranks, Protocol]


@contextmanager
def _interruption_put_off() -> Iterator[None]:
    """Delay Ctrl-C while processes are started, so that only the parent process receives it."""
    if current_thread() is not main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    # New processes inherit the blocked signal. Another thread may still receive it, hence the handler.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def _begin(told: Connection, given: Queue[tuple[Ranks, Ranks, Protocol]]) -> None:
    global _given
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_pipe, args=(told,), daemon=True).start()
    _given = given.get()


def _end_with_pipe(told: Connection) -> None:
    """Wait until the pipe `told` is closed or the parent process is gone. Then end this process immediately."""
    wait([told])
    os._exit(1)


def _measure(kernel: str, repetition: int) -> Measurement:
    return measure(*_given, kernel, repetition)
