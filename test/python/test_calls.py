# SPDX-License-Identifier: MIT
"""Started calls, cancelling, Ctrl-C, callbacks, lifetimes, processes, and what exceptions leave."""
import asyncio
import concurrent.futures
import copy
import gc
import pickle
import signal
import threading
import unittest
import weakref

import numpy as np

import clopt
from common import context, output, program

RNG = np.random.default_rng(9)
# A call of many seconds, which its progress function shows to run.
LONG = """
import clopt, numpy as np, signal, threading, time
b = np.random.default_rng(1).random((60000, 4))
out = clopt.Results(*np.full((3, len(b)), 7.0))
running = threading.Event()
def progress(done):
    if not running.is_set():
        running.set()
        print("running", flush=True)
"""


def numbers(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def bodies(n):
    return np.hstack([RNG.normal(size=(n, 3)), np.ones((n, 1))]), np.zeros((n, 4))


class Started(unittest.TestCase):
    def test_futures(self):
        ctx, a, b = context(), numbers(30, 20), numbers(20, 10)
        want = ctx.matmul(a, b)
        futures = [ctx.start(ctx.matmul, a, b), ctx.start(ctx.gemm, a, b, alpha=2),
                   ctx.start(ctx.transpose, a), ctx.start(ctx.gravity, bodies(10)[0])]
        done, rest = concurrent.futures.wait(futures)
        self.assertFalse(rest)
        self.assertTrue((futures[0].result() == want).all())
        self.assertTrue((futures[2].result() == a.T).all())
        self.assertEqual(futures[3].result().acceleration.shape, (10, 3))
        self.assertTrue(futures[0].report.variant.startswith("matmul/"))
        self.assertTrue(futures[2].report.variant.startswith("transpose/"))
        with self.assertRaises(clopt.InvalidArgument):  # at once
            ctx.start(ctx.matmul, a, a)
        failed = ctx.start(ctx.matmul, a[:, :20], numbers(20, 20), a[:, :20])
        self.assertIsInstance(failed.exception(), clopt.InvalidArgument)
        self.assertIn("overlap", str(failed.exception()))
        with self.assertRaises(clopt.InvalidArgument):
            ctx.start(ctx.close)

    def test_copies_in_turn(self):
        """What is copied is copied when the call runs, behind those that write it."""
        ctx, e, gate = context(), np.eye(4), threading.Event()
        held = ctx.start(ctx.evolve, *bodies(2), 0.1, 1, lambda *_: not gate.wait(60))
        c, d, t = (np.zeros((4, 4))[::-1] for _ in range(3))
        futures = [held, *(ctx.start(ctx.gemm, e, e, c, beta=1) for _ in range(5)),
                   ctx.start(ctx.gemm, c, e, d), ctx.start(ctx.transpose, c, t)]

        def move(run, b, v, f, w):
            return [run(ctx.evolve, b, v, 0.1, 3), run(ctx.evolve, b, v, 0.1, 3),
                    run(ctx.leapfrog, f, w, 0.1, 3), run(ctx.leapfrog, f, w, 0.1, 3),
                    run(ctx.conserved, b, v), run(ctx.gravity, b), run(ctx.nbody, f),
                    run(ctx.potential, b, law="alpb", radius=0.1, normals=v, normal=True)]

        b, v = map(np.asfortranarray, bodies(5))
        columns = b, v, b.astype("f4", order="F"), v.astype("f4", order="F")
        rows = [a.copy(order="C") for a in columns]
        futures += move(ctx.start, *columns)
        gate.set()
        got = [future.result() for future in futures][-4:]
        self.assertEqual([a.diagonal().tolist() for a in (c, d, t)], [[5] * 4] * 3)
        want = move(lambda routine, *rest, **more: routine(*rest, **more), *rows)[-4:]
        for x, y in ((got, want), (columns, rows)):
            for a, b in zip(x, y):
                a, b = (k.kinetic if hasattr(k, "kinetic") else k[0] if isinstance(k, tuple) else k
                        for k in (a, b))
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)

    def test_await(self):
        async def both():
            ctx, a = context(), numbers(20, 20)
            first, second = ctx.start(ctx.matmul, a, a), ctx.start(ctx.transpose, a)
            return (await first, await second, a)

        product, transpose, a = asyncio.run(both())
        np.testing.assert_allclose(product, a.astype(float) @ a, atol=1e-4)
        self.assertTrue((transpose == a.T).all())

    def test_arrays_live(self):
        ctx, a = context(), numbers(200, 200)
        want = ctx.matmul(a, a)
        gate, held = threading.Event(), threading.Event()
        first = ctx.start(ctx.evolve, *bodies(2), 0.1, 1,
                          lambda *_: (held.set(), gate.wait(60))[0], every=1)
        held.wait(60)
        waiting = a.copy()
        alive = weakref.ref(waiting)
        second = ctx.start(ctx.matmul, waiting, waiting)
        del waiting
        gc.collect()
        self.assertIsNotNone(alive())
        gate.set()
        first.result()
        self.assertTrue((second.result() == want).all())
        del second
        gc.collect()
        self.assertIsNone(alive())

    def test_others_run(self):
        """Python goes on during a call."""
        ctx, turns = context(), 0
        future = ctx.start(ctx.gravity, bodies(8000)[0])
        while not future.done():
            turns += 1
        self.assertGreater(turns, 100)

    def test_cancel(self):
        ctx, reached, gate = context(), threading.Event(), threading.Event()
        b, v = bodies(50)

        def each(*_):
            reached.set()
            gate.wait(60)

        running = ctx.start(ctx.evolve, b, v, 1e-9, 10 ** 9, each, every=1)
        waiting = ctx.start(ctx.matmul, numbers(3, 3), numbers(3, 3))
        behind = ctx.start(ctx.transpose, np.eye(3))
        reached.wait(60)
        self.assertTrue(waiting.cancel() and waiting.cancelled())
        self.assertTrue(running.cancel())
        gate.set()
        for future in (running, waiting):
            with self.assertRaises(clopt.Cancelled) as caught:
                future.result()
            self.assertIsInstance(caught.exception, concurrent.futures.CancelledError)
        self.assertTrue((behind.result() == np.eye(3)).all())
        self.assertFalse(behind.cancel())

    def test_threads(self):
        ctx, a = context(), numbers(64, 64)
        want = ctx.matmul(a, a)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for got in pool.map(lambda _: ctx.matmul(a, a), range(20)):
                self.assertTrue((got == want).all())


class DoneCallbacks(unittest.TestCase):
    """In processes of their own: where they fail, the context hangs."""

    def test_result(self):
        """The result is there when a callback asks for it."""
        said = output("""
import clopt, numpy as np, threading
ctx, gate = clopt.Context(), threading.Event()
def show(future):
    try:
        print(future.done(), future.result().shape, future.exception())
    except clopt.Cancelled as e:
        print(future.done(), future.cancelled(), e)
held = ctx.start(ctx.evolve, np.ones((1, 4)), np.zeros((1, 4)), 1, 1, lambda *_: gate.wait(60))
run, cancelled = (ctx.start(ctx.transpose, np.eye(n)) for n in (2, 3))
for future in (run, cancelled):
    future.add_done_callback(show)
cancelled.cancel()
gate.set()
run.result()
print(ctx.transpose(np.eye(4)).shape)
""", seconds=20)
        self.assertEqual(said, "True True the call was cancelled before its turn\n"
                               "True (2, 2) None\n(4, 4)\n")

    def test_exits(self):
        """An exit in a callback leaves the context to those who call next."""
        said = output("""
import clopt, numpy as np, sys, threading
threading.excepthook = lambda e: print(e.exc_type.__name__, e.thread.name)
class Stop(BaseException): pass
def stop(future):
    raise Stop
ctx, gate = clopt.Context(), threading.Event()
held = ctx.start(ctx.evolve, np.ones((1, 4)), np.zeros((1, 4)), 1, 1, lambda *_: gate.wait(60))
future = ctx.start(ctx.transpose, np.eye(2))
future.add_done_callback(stop)
gate.set()
print(ctx.transpose(np.eye(4)).shape, future.result().shape)
ctx.close()
print(threading.active_count())
""", seconds=20)
        self.assertEqual(said, "Stop clopt\n(4, 4) (2, 2)\n1\n")

    def test_waits_inside(self):
        """Nobody may wait in a function of a call for the calls behind it."""
        said = output("""
import clopt, numpy as np
ctx, futures = clopt.Context(), []
def each(*_):
    futures.append(ctx.start(ctx.transpose, np.eye(2)))
    for wait in (futures[-1].result, futures[-1].exception):
        try:
            wait()
        except clopt.InvalidArgument as e:
            print(e)
ctx.evolve(np.ones((1, 4)), np.zeros((1, 4)), 1, 1, each)
ctx.start(ctx.evolve, np.ones((1, 4)), np.zeros((1, 4)), 1, 1, each).result()
print([f.result().shape for f in futures])
""", seconds=20)
        self.assertEqual(said, 4 * ("a function that a call on the context calls must not wait for "
                                    "a started call\n") + "[(2, 2), (2, 2)]\n")


class Callbacks(unittest.TestCase):
    def test_exception_ends_the_run(self):
        b, v = bodies(4)
        steps = []

        def each(step, *_):
            self.assertIs(threading.current_thread(), threading.main_thread())
            steps.append(step)
            if step == 3:
                raise KeyError("three")

        with self.assertRaisesRegex(KeyError, "three"):
            context().evolve(b, v, 0.01, 10, each, every=1)
        self.assertEqual(steps, [0, 1, 2, 3])
        with self.assertRaisesRegex(KeyError, "three"):
            context().start(context().evolve, b, v, 0.01, 10,
                            lambda step, *_: {}["three"]).result()

    def test_no_calls_inside(self):
        errors = []

        def each(*_):
            for call in (lambda: context().matmul(np.eye(2, dtype="f4"), np.eye(2, dtype="f4")),
                         context().last_report):
                with self.assertRaises(clopt.InvalidArgument) as caught:
                    call()
                errors.append(str(caught.exception))

        context().evolve(*bodies(2), 0.1, 1, each)
        context().start(context().evolve, *bodies(2), 0.1, 1, each).result()
        self.assertEqual(len(errors), 4)
        self.assertTrue(all("only cancel() and start()" in e for e in errors))

    def test_close_inside(self):
        """The context ends behind the call."""
        for how in ("evolve", "start"):
            ctx = clopt.Context()
            call = [ctx.evolve] if how == "evolve" else [ctx.start, ctx.evolve]
            future = call[0](*call[1:], *bodies(2), 0.1, 1, lambda *_: ctx.close())
            self.assertEqual(future.result() if future else None, None)
            ctx._worker.thread.join(60)
            self.assertFalse(ctx._worker.thread.is_alive())

    def test_bar(self):
        """progress=True: a line, or tqdm's bar in the thread that waits, and none of a short call."""
        said = output("import sys; sys.modules['tqdm'] = None\n" + LONG + """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
class Drawn:  # interrupts soon after the bar is drawn
    later = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    def __getattr__(self, name):
        return getattr(sys.__stderr__, name)
    def write(self, text):
        if "%" in text and not self.later.ident:
            self.later.start()
        return sys.__stderr__.write(text)
sys.stderr = Drawn()
clopt.Context().transpose(np.eye(5))  # compiles, which may take long
ctx = clopt.Context(progress=True)
ctx.transpose(np.eye(5))
print("short", file=sys.stderr)
try:
    ctx.gravity(b, out=out)
except KeyboardInterrupt:
    print("interrupted")
""")
        self.assertRegex(said, r"^short\n(\n +\d+%)+\n    \ninterrupted\n$")  # \r, read as text
        said = output("""
import sys, types, threading
class tqdm:
    n = 0.0
    def __init__(self, **_):
        print("begin", threading.current_thread() is threading.main_thread())
    def update(self, more):
        self.n += more
        raise KeyError(0 < self.n <= 1)
    def close(self):
        print("end", threading.current_thread() is threading.main_thread())
sys.modules["tqdm"] = types.SimpleNamespace(tqdm=tqdm)
""" + LONG + """
try:
    clopt.Context(progress=True).gravity(b, out=out)
except KeyError as e:
    print("raised", e)
""")
        self.assertEqual(said, "begin True\nend True\nraised True\n")

    def test_bar_of_a_notebook(self):
        """By a stand-in for IPython: one output of the cell, which is empty at the end."""
        said = output("""
import sys, types
shown = []
class Handle:
    def update(self, data, raw):
        shown[-1].append(data)
class Display:
    def display(data, raw, display_id):
        shown.append([data])
        return Handle()
shell = types.SimpleNamespace(kernel=1)
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell, display=Display)
""" + LONG + """
try:
    with clopt.Context(progress=True) as ctx:
        threading.Timer(1.5, ctx.cancel).start()
        ctx.gravity(b, out=out)
except clopt.Cancelled:
    print(len(shown), "</progress>" in shown[0][0]["text/html"], shown[0][-1])
""")
        self.assertEqual(said, "1 True {'text/plain': ''}\n")

    def test_log_and_progress(self):
        lines = []
        with clopt.Context(verbose=True, log=lines.append) as ctx:
            ctx.transpose(np.eye(5))
        self.assertTrue(any("transpose" in line for line in lines), lines)

        def bad(line):
            raise KeyError(line)

        with clopt.Context(verbose=True, log=bad) as ctx:
            with self.assertRaisesRegex(KeyError, "transpose"):
                ctx.transpose(np.eye(5))
        said = output(LONG + """
class Enough(Exception): pass
def progress(done):
    assert 0 <= done <= 1
    raise Enough
try:
    clopt.Context(progress=progress).gravity(b, out=out)
except Enough:
    print("raised", (out.x == 7).all())
try:
    clopt.Context(progress="yes").gravity(b, out=out)
except TypeError as e:
    print(e)
ctx = clopt.Context(progress=lambda done: True)
try:
    ctx.gravity(b, out=out)
except clopt.Cancelled as e:
    print("cancelled", e.status, (out.x == 7).all(), ctx.transpose(np.eye(2)).shape)
""")
        self.assertEqual(said, "raised True\n'str' object is not callable\ncancelled -20010 True (2, 2)\n")


class Interrupts(unittest.TestCase):
    """A Ctrl-C while a call of many seconds runs."""

    def interrupted(self, text):
        child = program(LONG + text)
        try:
            self.assertEqual(child.stdout.readline(), "running\n")
            child.send_signal(signal.SIGINT)
            return child.communicate(timeout=120)[0]
        finally:
            child.kill()
            child.stdout.close()
            child.wait()

    def test_call(self):
        said = self.interrupted("""
ctx = clopt.Context(progress=progress)
try:
    ctx.gravity(b, out=out)
except KeyboardInterrupt:
    print("interrupted", (out.x == 7).all(), ctx.transpose(np.eye(2)).shape)
""")
        self.assertEqual(said, "interrupted True (2, 2)\n")

    def test_started(self):
        said = self.interrupted("""
with clopt.Context(progress=progress) as ctx:
    future = ctx.start(ctx.gravity, b, out=out)
    behind = ctx.start(ctx.transpose, np.eye(2))
    try:
        future.result()
    except KeyboardInterrupt:
        print("interrupted", future.done(), (out.x == 7).all(), behind.result().shape)
""")
        self.assertEqual(said, "interrupted True True (2, 2)\n")

    def test_leaves_with(self):
        """Out of the context: calls before their turn are cancelled too."""
        said = self.interrupted("""
try:
    with clopt.Context(progress=progress) as ctx:
        futures = [ctx.start(ctx.gravity, b, out=out) for i in range(3)]
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted", [type(f.exception()) if not f.cancelled() else "before" for f in futures])
""")
        self.assertEqual(said, "interrupted [<class 'clopt._errors.Cancelled'>, 'before', 'before']\n")

    def test_other_handlers(self):
        """A handler that only takes note leaves the call alone; one that raises ends it."""
        said = self.interrupted("""
class Stop(Exception): pass
def handler(number, frame):
    print("handled", flush=True)
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
def stop(number, frame):
    raise Stop
signal.signal(signal.SIGINT, handler)
ctx = clopt.Context(progress=progress)
try:
    ctx.gravity(b, out=out)
except Stop:
    print("stopped", (out.x == 7).all())
""")
        self.assertEqual(said, "handled\nstopped True\n")


    def test_at_any_time(self):
        """Exceptions of signals that strike anywhere in a call leave the context as it was."""
        said = output("""
import clopt, numpy as np, random, signal, threading, time
class Hit(Exception): pass
def hit(number, frame): raise Hit
signal.signal(signal.SIGALRM, hit)
ctx = clopt.Context()
a = np.random.default_rng(1).random((40, 40), dtype="f4")
b, v = np.random.default_rng(2).random((9, 4)), np.zeros((9, 4))
want, hits = ctx.matmul(a, a), 0
for i in range(60):
    call = (lambda: ctx.matmul(a, a), lambda: ctx.evolve(b, v, 0, 5, lambda *_: None, every=1),
            lambda: ctx.start(ctx.matmul, a, a).result())[i % 3]
    try:
        signal.setitimer(signal.ITIMER_REAL, random.choice([1e-5, 5e-5, 1e-4, 2e-4, 5e-4]))
        call()
        time.sleep(1)
    except Hit:
        hits += 1
    assert (ctx.matmul(a, a) == want).all()
ctx.close()
print(hits, threading.active_count())
""")
        self.assertEqual(said, "60 1\n")


    def test_new_memory(self):
        """A signal that strikes when memory is there, but not yet the caller's, leaves none."""
        said = output("""
import clopt, numpy as np, signal, threading, time
from clopt._library import lib
class Hit(Exception): pass
def hit(number, frame): raise Hit
signal.signal(signal.SIGALRM, hit)
ctx, counts = clopt.Context(), {}
def count(name, strikes):
    real = getattr(lib, name)
    def counted(*arguments):
        counts[name] = counts.get(name, 0) + 1
        status = real(*arguments)
        if strikes:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)
            time.sleep(0.2)
        return status
    setattr(lib, name, counted)
count("clopt_host_alloc", True), count("clopt_host_free", False)
count("clopt_buffer_new", True), count("clopt_buffer_free", False)
for call in (lambda: ctx.pinned(100), lambda: ctx.buffer(100), lambda: ctx.upload(np.ones(9))):
    try:
        call()
        time.sleep(1)
    except Hit:
        print("hit")
for i in range(2):  # the thread drops what it made, and then frees it
    ctx.trim()
print(*(counts.get("clopt_" + name) for name in "host_alloc host_free buffer_new buffer_free".split()))
ctx.close()
print(ctx._worker.thread.is_alive())
""", seconds=60)
        self.assertEqual(said, "hit\n" * 3 + "1 1 2 2\nFalse\n")


class Lifetimes(unittest.TestCase):
    def test_pinned(self):
        ctx = clopt.Context()
        a = ctx.pinned((50, 60))
        a[...] = 1
        view = a[5:, 3:]
        del a
        self.assertTrue((ctx.matmul(view, np.ones((57, 2), np.float32)) == 57).all())
        ctx.close()
        self.assertTrue((view == 1).all())
        with self.assertRaisesRegex(clopt.InvalidArgument, "closed"):
            ctx.matmul(view, view.T)
        thread = ctx._worker.thread
        self.assertTrue(thread.is_alive())  # the memory is the context's
        del view
        thread.join(60)
        self.assertFalse(thread.is_alive())

    def test_close(self):
        with clopt.Context() as ctx:
            future = ctx.start(ctx.transpose, np.eye(3))
        self.assertTrue(future.done() and not ctx._worker.thread.is_alive())
        ctx.close()
        thread = clopt.Context()._worker.thread
        gc.collect()
        thread.join(60)
        self.assertFalse(thread.is_alive())

    def test_exceptions_leave_nothing(self):
        ctx, a = context(), numbers(20, 20)

        def fail():
            for call, kind in ((lambda: ctx.matmul(a, a[:3]), clopt.InvalidArgument),
                               (lambda: ctx.matmul(a, a, a), clopt.InvalidArgument),
                               (lambda: ctx.evolve(*bodies(2), 1, 1, lambda *_: {}[0]), KeyError)):
                try:
                    call()
                except kind:
                    continue
                self.fail("no exception")

        for _ in range(20):
            fail()
        gc.collect()
        gc.disable()
        try:
            before, threads = len(gc.get_objects()), threading.active_count()
            for _ in range(334):
                fail()
            self.assertLess(len(gc.get_objects()) - before, 100)
            self.assertEqual(threading.active_count(), threads)
        finally:
            gc.enable()

    def test_memory(self):
        """A product takes no memory of its own where arrays are used in place."""
        if not context().device.unified:
            self.skipTest("the device has memory of its own, so transfers are staged")
        said = output("""
import clopt, numpy as np
def peak():
    return int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) * 1024
def product(m):
    a, b, c = np.ones((8, m), "f4").T, np.ones((8, 8), "f4"), np.ones((m, 8), "f4")
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")
    before = peak()
    ctx.matmul(a, b, c)
    return (peak() - before) / (a.nbytes + c.nbytes), (c == 8).all()
ctx = clopt.Context()
product(1 << 20)
print(*product(3 << 20))
""")
        share, right = said.split()
        self.assertEqual(right, "True")
        self.assertLess(float(share), 0.01)


class Processes(unittest.TestCase):
    def test_pickle(self):
        ctx = context()
        for thing in (ctx, ctx.upload(np.eye(2)), ctx.start(ctx.transpose, np.eye(2))):
            for way in (pickle.dumps, copy.copy):
                with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                    way(thing)
        error = pickle.loads(pickle.dumps(clopt.OutOfMemory("no room")))
        self.assertEqual((str(error), error.status), ("no room", -20002))

    def test_fork(self):
        said = output("""
import clopt, numpy as np, os, multiprocessing, threading
ctx = clopt.Context()
gate = threading.Event()
a = np.eye(3, dtype="f4")
buffer, pinned, done = ctx.upload(a), ctx.pinned(5), ctx.start(ctx.transpose, a)
done.result()
held = ctx.start(ctx.evolve, np.zeros((1, 4)), np.zeros((1, 4)), 1, 1, lambda *_: gate.wait(60))
def child(*_):
    found = []
    for call in (lambda: ctx.matmul(a, a), lambda: ctx.start(ctx.matmul, a, a), buffer.download,
                 held.result, held.cancel, ctx.cancel, clopt.Context, clopt.devices):
        try:
            call()
            found.append("no error")
        except clopt.Error as e:
            found.append(type(e).__name__)
    return " ".join(found)
pid = os.fork()
if not pid:
    print(child(), flush=True)
    ctx.close()
    del pinned, buffer, ctx
    os._exit(0)
print(os.waitpid(pid, 0)[1], flush=True)
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(child, [0])[0], flush=True)
gate.set()
held.result()
print(ctx.matmul(a, a).shape)
""")
        self.assertEqual(said, ("ForkError " * 8)[:-1] + "\n0\n" + ("ForkError " * 8)[:-1] +
                         "\n(3, 3)\n")
        # Forked first, each process may open its own.
        said = output("""
import clopt, numpy as np, multiprocessing
def child(n):
    with clopt.Context() as ctx:
        return ctx.transpose(np.eye(n)).shape
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(child, [2, 3]))
print(child(4))
""")
        self.assertEqual(said, "[(2, 2), (3, 3)]\n(4, 4)\n")
