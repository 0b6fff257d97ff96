# SPDX-License-Identifier: MIT
"""How a call runs: in a thread of its context, while the caller waits in Python.

A C function that runs in the main thread keeps Python from handling signals until it returns.  So
each context has one thread for all its calls, and a caller waits where Python can raise
KeyboardInterrupt, or whatever else a signal's handler raises: then the call is cancelled, and the
exception goes on when the call has ended and its arrays are the caller's again.  The same thread
makes started calls, so they are futures; they run in the order of their start.
"""
from __future__ import annotations

import asyncio
import concurrent.futures
import os
import queue
import sys
import threading
import time
from typing import Any, Callable, Generator, Generic, TypeVar

from ._errors import Cancelled, ForkError, InvalidArgument
from ._library import LOG, PROGRESS, lib
from ._progress import Bar

T = TypeVar("T")
POLL = 0.05  # seconds between two looks at a call that was cancelled


class Job:
    """A call on its way through the thread of a context."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call: Any = call
        self.value: Any = None
        self.error: BaseException | None = None  # raised by the call
        self.raised: BaseException | None = None  # raised by a function that the call called
        self.is_cancelled = False
        self.is_done = False
        self.inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._taken = threading.Lock()

    def take(self) -> bool:
        """True for the first who asks: the thread that runs it, or who cancels it before."""
        return self._taken.acquire(blocking=False)

    def run(self) -> None:
        try:
            self.value = self.call()
        except BaseException as e:  # also of the caller's functions; the waiting thread raises it
            self.error = e
        self.end()

    def end(self) -> None:
        self.settle()
        self.tell()

    def settle(self) -> None:
        if self.raised is not None:
            self.error, self.raised = self.raised, None
        self.call = None  # and the arrays with it

    def tell(self, _: object = None) -> None:
        self.is_done = True
        self.inbox.put(None)

    def outside(self, function: Callable[[], Any], worker: Worker) -> Any:
        """Call a function of the caller's in the thread that waits, and return its result."""
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def task() -> None:
            worker.outside = threading.get_ident()
            try:
                answer.put(function())
            except BaseException as e:
                self.raised = self.raised or e
                answer.put(None)
            finally:
                worker.outside = None

        self.inbox.put(task)
        while True:
            try:
                return answer.get(timeout=POLL)
            except queue.Empty:
                if self.is_cancelled:  # a signal may have struck before the task had begun
                    return True

    def wait(self, timeout: float | None) -> bool:
        """Wait for the end, without locks that a signal's exception could leave locked."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.is_done:
            left = POLL if end is None else min(POLL, end - time.monotonic())
            if left < 0:
                return False
            try:
                self.inbox.get(timeout=left)
            except queue.Empty:
                pass
        return True

    def collect(self) -> Any:
        error, self.error = self.error, None
        if error is None:
            return self.value
        try:
            raise error
        finally:
            del error  # else it would keep itself alive by the frames of its traceback


class Future(concurrent.futures.Future, Generic[T]):
    """A started call: a ``concurrent.futures.Future`` that may also be awaited.

    ``cancel()`` ends the call also if it runs; ``result()`` then raises ``clopt.Cancelled``.  The
    arrays of the call are kept alive until it is done.  A Ctrl-C (KeyboardInterrupt) in ``result()``
    cancels it; no other exception does.  A function that a call on the context calls must not wait
    for a started call: ``result()`` and ``exception()`` raise InvalidArgument there.
    """

    report: Any = None  # clopt.Report: how the call went; None before its end, and if it failed
    _job: StartedJob
    _worker: Worker

    def cancel(self) -> bool:
        self._worker.check_process()
        job = self._job
        if job.is_done:
            return False
        if job.take():
            job.call = job.future = None
            try:
                super().cancel()
            finally:  # also if a callback raises
                self.set_running_or_notify_cancel()
        else:
            self._worker.stop(job)
        return True

    def _wait(self, timeout: float | None) -> None:
        self._worker.check_process()
        if not self._job.is_done and self._worker.is_inside():
            raise InvalidArgument("a function that a call on the context calls must not wait for a "
                                  "started call")
        if not self._job.wait(timeout):
            raise concurrent.futures.TimeoutError(f"the call goes on after {timeout} s")

    def done(self) -> bool:
        return self._job.is_done

    def result(self, timeout: float | None = None) -> T:
        try:
            self._wait(timeout)
            return super().result(0)
        except KeyboardInterrupt:
            self.cancel()
            self._job.wait(None)
            raise
        except concurrent.futures.CancelledError as e:
            if isinstance(e, Cancelled):
                raise
            raise Cancelled("the call was cancelled before its turn") from None
        finally:
            del self  # else the exception would keep itself alive by the frames of its traceback

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self._wait(timeout)
        return super().exception(0)

    def __await__(self) -> Generator[Any, None, T]:
        return asyncio.wrap_future(self).__await__()

    def __reduce__(self) -> Any:
        raise TypeError("a started call cannot be pickled: its arrays belong to this process")


class StartedJob(Job):
    """A job whose result goes to a future."""

    def __init__(self, call: Callable[[], Any], future: Future, report: Callable[[], Any]) -> None:
        def reported() -> Any:
            value = call()
            self.future.report = report()
            return value

        super().__init__(reported)
        self.future: Any = future
        future.add_done_callback(self.tell)  # the first, so that the others find it done

    def run(self) -> None:
        self.future.set_running_or_notify_cancel()
        super().run()

    def end(self) -> None:
        self.settle()
        future, value, error = self.future, self.value, self.error
        self.future = self.value = self.error = None
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)

    def outside(self, function: Callable[[], Any], worker: Worker) -> Any:
        """Nobody waits for certain, so here."""
        try:
            return function()
        except BaseException as e:
            self.raised = self.raised or e


class Worker:
    """The thread of a context, and what the context's end has to wait for."""

    def __init__(self, log: Callable[[str], None] | None,
                 progress: Callable[[float], Any] | bool | None) -> None:
        self.pid = os.getpid()
        self.handle: int | None = None  # struct clopt *
        self.jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self.now: Any = None  # the job that runs, or None
        # Reentrant, since a signal's handler may cancel or start a call too.
        self.turn = threading.RLock()  # over now: a call is cancelled only while it is the one
        self.gate = threading.RLock()  # no job comes behind the last one
        self.outside: int | None = None  # the thread in which a function of the caller's runs
        self.users = 1  # the context and its pinned arrays; counted in this thread alone
        self.user_log: Any = log
        self.bar = Bar() if progress is True else None
        self.user_progress: Any = None if isinstance(progress, bool) else progress
        self.log: Any = LOG(self._log) if log else LOG()
        self.progress: Any = PROGRESS(self._progress)
        self.thread: Any = None
        self.is_closed = False

    def start(self, handle: int | None) -> None:
        self.handle = handle
        self.thread = threading.Thread(target=self._serve, name="clopt", daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while self.users:
            job = self.jobs.get()
            if job.take():
                with self.turn:
                    self.now = job
                try:
                    job.run()
                except BaseException:  # of a future's callback: the next calls need the thread
                    threading.excepthook(threading.ExceptHookArgs(
                        (*sys.exc_info(), threading.current_thread())))
                finally:
                    with self.turn:
                        self.now = None
            del job
        lib.clopt_close(self.handle)

    def _log(self, _: object, line: bytes) -> None:
        job = self.now
        try:
            self.user_log(line.decode(errors="replace"))
        except BaseException as e:
            if job is None:
                raise
            job.raised = job.raised or e

    def _progress(self, _: object, done: float) -> int:
        job = self.now
        if job is None or job.is_cancelled:
            return job is not None
        if self.bar:
            job.outside(lambda: self.bar.show(done), self)
            return job.is_cancelled or job.raised is not None
        try:
            return bool(self.user_progress and self.user_progress(done))
        except BaseException as e:
            job.raised = job.raised or e
            return 1

    def stop(self, job: Job) -> None:
        """Cancel a job if it runs."""
        job.is_cancelled = True  # what progress looks at, if the call has only begun
        with self.turn:
            if self.now is job:
                lib.clopt_cancel(self.handle)

    def cancel(self) -> None:
        self.check_process()
        job = self.now
        if job is not None:
            self.stop(job)

    def check_process(self) -> None:
        if os.getpid() != self.pid:
            raise ForkError("the context belongs to the parent process: open one in each child, "
                            "before the parent opens any, or use multiprocessing's spawn")

    def is_inside(self) -> bool:
        """Whether this is a thread for whose end a call waits."""
        return threading.get_ident() in (self.thread.ident, self.outside)

    def put(self, job: Job) -> None:
        self.check_process()
        with self.gate:
            if self.is_closed:
                raise InvalidArgument("the context is closed")
            self.jobs.put(job)

    def do(self, call: Callable[[], T]) -> T:
        """Run a call in the thread and return its result.  See the top of this file."""
        if self.is_inside():
            raise InvalidArgument("a callback of the context called a method of it: only cancel() and "
                                  "start() are allowed")
        job = Job(self.with_bar(call))
        interrupt: BaseException | None = None
        sent = False
        try:
            while True:
                try:
                    if not sent:
                        sent = True
                        self.put(job)
                    for task in iter(lambda: job.inbox.get(timeout=POLL if interrupt else None),
                                     None):
                        task()
                    break
                except queue.Empty:
                    if job.is_done:  # a signal struck when its last message was taken
                        break
                    self.stop(job)
                except BaseException as e:
                    interrupt = interrupt or e
                    if job.take():
                        break
                    self.stop(job)
        finally:
            job.is_cancelled = True  # if yet another signal has struck, nobody waits any more
        if self.outside == threading.get_ident():  # a signal struck at the end of a task
            self.outside = None
        if interrupt is None:
            return job.collect()
        try:
            raise interrupt
        finally:
            del interrupt

    def with_bar(self, call: Callable[[], T]) -> Callable[[], T]:
        """The call, whose bar is shown, and ends, in the thread that waits: a notebook's own."""
        def run() -> T:
            try:
                return call()
            finally:
                if self.bar.bar:
                    self.now.outside(self.bar.end, self)

        return run if self.bar else call

    def begin(self, call: Callable[[], T], report: Callable[[], Any]) -> Future[T]:
        """Run a call in the thread, later."""
        future: Future[T] = Future()
        future._worker, future._job = self, StartedJob(self.with_bar(call), future, report)
        self.put(future._job)
        return future

    def post(self, call: Callable[[], Any]) -> None:
        """Run a call in the thread, later, from a finalizer; nothing in a child process."""
        if os.getpid() == self.pid:
            self.jobs.put(Job(call))

    def release(self) -> None:
        """A user less; the context is closed behind the last one."""
        self.users -= 1

    def abandon(self) -> None:
        """Cancel the call that runs and those before their turn."""
        if os.getpid() != self.pid:
            return
        waiting = []
        try:
            while True:
                waiting.append(self.jobs.get_nowait())
        except queue.Empty:
            pass
        for job in waiting:
            if isinstance(job, StartedJob) and job.future is not None:
                job.future.cancel()
            else:
                self.jobs.put(job)
        self.cancel()

    def close(self) -> None:
        """Take no more calls, wait for those there are, and end, or if there are pinned arrays
        leave the end to the last of them."""
        if os.getpid() != self.pid:
            return
        with self.gate:
            if self.is_closed:
                return
            self.is_closed = True
            job = Job(self.release)
            self.jobs.put(job)
        if not self.is_inside():  # nor in a finalizer that runs there
            try:
                job.inbox.get()
            except BaseException:
                self.abandon()
                while not job.is_done:
                    time.sleep(POLL)
                raise
            if not self.users:
                self.thread.join()
