# SPDX-License-Identifier: MIT
"""The context: a device, the memory on it, and what can be asked of it."""
from __future__ import annotations

import ctypes as C
import weakref
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, Callable, TypeVar

import numpy as np

from . import _library as L
from ._answers import Check, Device, MemberShare, Plan, Report, answer
from ._arrays import TYPES, address, as_array, contiguous, no_objects
from ._buffers import Buffer
from ._errors import Error, InvalidArgument, InvalidType
from ._pairs import Pairs, rows
from ._products import TRANS, Products
from ._trees import Tree
from ._worker import Future, Worker

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
    from typing_extensions import ParamSpec

    from . import _types as t

    P = ParamSpec("P")
T = TypeVar("T")


class Context(Products, Pairs):
    """A device, its kernels and the routines on it: ``with clopt.Context() as ctx: ...``

    ctx.device is its clopt.Device.  Options are those of struct clopt_options in clopt.h, with
    their names; what is not given is taken from the environment (environment.md, beside this
    file), or is the library's default.

    device: "gpu", "nvidia", "vendor:type:name", or an index of clopt.devices(); "gpu*" or "0+1":
    several, which share each call (share: "auto", "fixed", "every"); mem_limit_bytes:
    device memory of one call; check: "off", "first", "always"; transfer: "auto", "driver", "staged";
    verbose=True: a line for each call, to log(line) or standard error; progress(done): about five
    times a second in a long call, with the part done; something true cancels the call; True: a
    bar, by tqdm, on a line of standard error, or in a notebook's cell.  log and progress run in the
    thread of the context.  A context to which they refer ends by ``with`` or close() alone, not with
    its last reference elsewhere.

    Threads may share a context; their calls run one after the other.  A Ctrl-C in the main thread
    cancels its call.  In a child process (fork) calls raise ForkError.
    """

    def __init__(self, device: str | int | None = None, *, variants: str | None = None,
                 mem_limit_bytes: int = 0, queues: int = 0, profile: bool = False,
                 verbose: bool | None = None, check: t.Check | None = None,
                 transfer: t.Transfer | None = None, copy_threads: int = 0, chunk_bytes: int = 0,
                 slice_seconds: float = 0.0, tuning: str | None = None,
                 cache_dir: str | None = None, cache_bytes: int = 0, quirks: str | None = None,
                 log: Callable[[str], None] | None = None,
                 progress: Callable[[float], Any] | bool | None = None, keep_output: bool = False,
                 share: t.Share | None = None, small: t.Small | None = None,
                 _adopted: tuple[int, int] | None = None) -> None:
        worker = Worker(log, progress)
        words = {"device": device, "variants": variants, "tuning": tuning, "cache_dir": cache_dir,
                 "quirks": quirks}
        options = L.Options(
            **{k: str(v).encode() for k, v in words.items() if v is not None},
            mem_limit_bytes=mem_limit_bytes, queues=queues, profile=int(profile),
            verbose=0 if verbose is None else 1 if verbose else -1,
            check=L.number("check", check), transfer=L.number("transfer", transfer),
            copy_threads=copy_threads, chunk_bytes=chunk_bytes, slice_seconds=slice_seconds,
            cache_bytes=cache_bytes, log=worker.log, progress=worker.progress,
            keep_output=int(keep_output),
            share=L.number("share", share), small=L.number("small", small))
        L.begin()
        handle = C.c_void_p()
        if _adopted:
            status = L.lib.clopt_open_cl(C.byref(handle), *_adopted, C.byref(options))
        else:
            status = L.lib.clopt_open(C.byref(handle), C.byref(options))
        if status:
            worker.log = worker.progress = None  # they and the worker have each other
            raise L.failure(status, None)
        others = L.lib.clopt_members(handle) - 1
        self._others = f" and {others} more" if others else ""
        worker.start(handle.value)
        self._worker, self._queue = worker, None
        info = L.DeviceInfo()
        self._do(lambda: self._c("clopt_device_get", C.byref(info)))
        self.device: Device = answer(Device, info)
        self._kept: Any = None  # pyopencl's objects
        self._on_device: weakref.WeakSet[Buffer | Tree] = weakref.WeakSet()
        self._finalizer = weakref.finalize(self, worker.close)
        self._free_queue: Callable[[], Any] = lambda: None  # of an adopted queue

    @classmethod
    def from_pyopencl(cls, context: Any, queue: Any = None, **options: Any) -> Context:
        """A context on a pyopencl.Context and its first device, or that of a
        pyopencl.CommandQueue (in order), behind whose commands those on buffers then run.

        options: as of Context, except device.
        """
        if not hasattr(context, "int_ptr") or (queue is not None and not hasattr(queue, "int_ptr")):
            raise InvalidType(f"from_pyopencl: {type(context).__name__} and {type(queue).__name__}: "
                              "they must be a pyopencl.Context, and a pyopencl.CommandQueue or None")
        device = queue.device if queue is not None else context.devices[0]
        ctx = cls(_adopted=(context.int_ptr, device.int_ptr), **options)
        ctx._kept = (context, queue)
        if queue is not None:
            handle = C.c_void_p()
            try:
                ctx._do(lambda: ctx._c("clopt_queue_from_cl", queue.int_ptr, C.byref(handle)))
            except BaseException:
                ctx.close()
                raise
            ctx._queue = handle.value
            ctx._free_queue = weakref.finalize(ctx, ctx._worker.post,
                                               lambda: L.lib.clopt_queue_free(handle))
        return ctx

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is not None:
            self._worker.abandon()
        self.close()

    def close(self) -> None:
        """Wait for started calls, then release the device, all buffers and trees.  Pinned arrays keep
        their memory, and what it needs, until they are gone.

        >>> once = clopt.Context()
        >>> once.close()
        """
        for each in list(self._on_device):
            each.free()
        self._free_queue()
        self._finalizer()

    def cancel(self) -> None:
        """Cancel the call that runs, if any, from any thread or callback: it raises Cancelled, or
        returns if it was at its end.

        >>> ctx.cancel()
        """
        self._worker.cancel()

    def start(self, routine: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Start a routine of this context: ``f = ctx.start(ctx.matmul, a, b)``; then
        ``f.result()``, or ``await f``.

        Started calls run in the order of their start, while the caller goes on.  Until the call is
        done its arrays must not be changed.  Arguments are checked at once.

        >>> ctx.start(ctx.matmul, np.eye(2), np.eye(2)).result().tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        name = getattr(routine, "__name__", "")
        if getattr(routine, "__self__", None) is not self or not hasattr(_Starter, name):
            raise InvalidArgument(f"start: {name or type(routine).__name__}: it must be a method of "
                                  "this context, such as ctx.matmul")
        return getattr(_Starter(self), name)(*args, **kwargs)

    def _do(self, call: Callable[[], T]) -> T:
        return self._worker.do(call)

    @property
    def _ctx(self) -> Context:
        return self

    # ---- Memory

    def pinned(self, shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> np.ndarray:
        """A new array in memory with the fastest transfers, not initialised; where host and device
        share memory, arrays in it are used in place.  The memory lives as long as the array and its
        views, also beyond close().

        >>> ctx.pinned((2, 3)).nbytes
        24
        """
        dtype = np.dtype(dtype)
        shape = _shape(shape, dtype)
        count = prod(shape)
        if not count or dtype.hasobject:
            return np.empty(shape, dtype)
        worker = self._worker

        def allocate() -> np.ndarray:
            memory = C.c_void_p()
            self._c("clopt_host_alloc", count * dtype.itemsize, C.byref(memory), None)
            worker.users += 1
            at = memory.value

            def free() -> None:
                L.lib.clopt_host_free(worker.handle, at)
                worker.release()

            owner = (C.c_char * (count * dtype.itemsize)).from_address(at)
            weakref.finalize(owner, worker.post, free).atexit = False
            return np.frombuffer(owner, dtype).reshape(shape)

        # No signal's exception comes between the memory and its owner in the context's thread.
        return self._do(allocate)

    def trim(self) -> None:
        """Release the memory that was kept for the next call or pinned array.

        >>> ctx.trim()
        """
        self._do(lambda: self._c("clopt_host_trim"))

    def buffer(self, shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> Buffer:
        """An array on the device, not initialised, in the machine's byte order.

        >>> ctx.buffer((2, 3))
        clopt.Buffer((2, 3), float32)
        """
        dtype = np.dtype(dtype).newbyteorder("=")
        shape = _shape(shape, dtype)
        no_objects("buffer", dtype, shape)
        return self._new_buffer("clopt_buffer_new", prod(shape) * dtype.itemsize, shape, dtype)

    def upload(self, array: t.Array) -> Buffer:
        """A copy of an array on the device.

        >>> ctx.upload(np.ones(3)).download().tolist()
        [1.0, 1.0, 1.0]
        """
        array = contiguous(as_array(array, "upload: array"))
        no_objects("upload", array.dtype, array.shape)
        return self.buffer(array.shape, array.dtype).upload(array)

    def buffer_from_pyopencl(self, memory: Any, shape: tuple[int, ...] | None = None,
                             dtype: Any = None) -> Buffer:
        """A pyopencl.Buffer (with shape and dtype), or a pyopencl.array.Array in C order, as a
        Buffer on the same memory; of a context by from_pyopencl."""
        shape = tuple(getattr(memory, "shape", ()) if shape is None else shape)
        dtype = np.dtype(memory.dtype if dtype is None else dtype)
        no_objects("buffer_from_pyopencl", dtype, shape)
        whole = getattr(memory, "base_data", memory)
        if getattr(memory, "offset", 0) and whole is not memory:
            raise InvalidArgument(f"the array begins {memory.offset} bytes into its memory: it must "
                                  "begin at 0")
        if whole is not memory and not memory.flags.c_contiguous:
            raise InvalidArgument(f"the array {shape} has steps of {memory.strides} bytes: it must be in "
                                  "C order")
        return self._new_buffer("clopt_buffer_from_cl", whole.int_ptr, shape, dtype)

    def _new_buffer(self, name: str, source: int, shape: tuple[int, ...],
                    dtype: np.dtype) -> Buffer:
        def make() -> Buffer:
            handle = C.c_void_p()
            self._c(name, source, C.byref(handle))
            return Buffer(self, handle.value, shape, dtype)

        buffer = self._do(make)
        self._on_device.add(buffer)
        return buffer

    def tree(self, sources: t.Array) -> Tree:
        """A tree over a copy of sources on the device: (n, 4) of x, y, z and charge or mass, in
        float32.

        >>> ctx.tree(np.ones((5, 4), np.float32))
        clopt.Tree(5)
        """
        a = rows("tree: sources", sources)

        def make() -> Tree:
            handle, work = C.c_void_p(), contiguous(a)
            self._c("clopt_tree_new", len(work), address(work), C.byref(handle))
            return Tree(self, handle.value, len(work))

        tree = self._do(make)
        self._on_device.add(tree)
        return tree

    def finish(self) -> None:
        """Wait for all commands on buffers.

        >>> ctx.finish()
        """
        self._do(lambda: self._c("clopt_queue_finish", self._queue))

    # ---- Answers

    def last_report(self) -> Report:
        """How the last routine on this context went; also Future.report, of a started call.

        >>> c = ctx.matmul(np.ones((64, 64)), np.ones((64, 64)))
        >>> ctx.last_report().variant.split("/")[0]
        'matmul'
        """
        return self._do(self._report)

    def _report(self) -> Report:
        report = L.Report()
        self._c("clopt_last_report", C.byref(report))
        return answer(Report, report)

    def last_shares(self) -> list[MemberShare]:
        """What each device did in the last call that several shared; empty if none was shared.

        >>> ctx.last_shares()
        []
        """
        return self._do(self._shares)

    def _shares(self) -> list[MemberShare]:
        count = C.c_size_t()
        shares = (L.MemberShare * L.lib.clopt_members(self._worker.handle))()
        for share in shares:
            share.size = C.sizeof(L.MemberShare)
        self._c("clopt_last_shares", shares, len(shares), C.byref(count))
        return [answer(MemberShare, share) for share in shares[:count.value]]

    def explain(self, op: str, *dim: int, **problem: Any) -> str:
        """Which kernel variant serves a problem, and why those before it do not.

        op: "matmul" (dim: m, n, k), "transpose" (rows, columns), "potential" or "nbody" (nsources,
        ntargets), "leapfrog", "evolve-step" (bodies).  problem: fields of struct clopt_problem:
        dtype, trans_a, trans_b, law, outputs, precision, normals, depths, layout, math, triangle,
        hermitian, scaled, uneven, batch, steps.

        >>> ctx.explain("matmul", 100, 100, 100, dtype=np.float64).split()[0]
        'matmul'
        """
        p, words = _problem(op, dim, **problem), C.create_string_buffer(65536)
        self._do(lambda: self._c("clopt_explain", C.byref(p), words, len(words)))
        return words.value.decode(errors="replace")

    def force(self, variants: str | None) -> None:
        """Use these kernel variants from now on: clopt_force_variants.  None: the library's choice.

        >>> ctx.force("matmul/plain")
        >>> ctx.force(None)
        """
        self._do(lambda: self._c("clopt_force_variants", variants.encode() if variants else None))

    def plan(self, op: str, *dim: int, dry: bool = False, **problem: Any) -> Plan:
        """What a call would take, before there are arrays: memory, transfers, seconds.  Arguments as
        of explain; dry=True: nothing is run or moved.

        >>> ctx.plan("matmul", 1000, 1000, 1000, dtype=np.float32, dry=True).array_bytes
        12000000
        """
        p, plan = _problem(op, dim, **problem), L.PlanInfo(dry=int(dry))
        self._do(lambda: self._c("clopt_plan", C.byref(p), C.byref(plan)))
        return answer(Plan, plan)

    def selfcheck(self, *ops: str, all: bool = False, n: int = 0, seed: int = 0) -> list[Check]:
        """Whether results are right here: clopt_selfcheck.  ops: operations, as of explain; none: each
        of them.  all=True: every type, law and precision.  n: the sizes.  Wrong results raise nothing;
        they have a reason.

        >>> [check.text for check in ctx.selfcheck("transpose", n=8) if check.reason]
        []
        """
        found = []

        @L.LINE
        def line(_: Any, told: Any) -> int:
            found.append(answer(Check, L.SelfcheckLine.from_address(told)))
            return 0

        o = L.SelfcheckOptions(ops=sum(1 << L.number("op", op) for op in set(ops)), all=int(all),
                               n=n, seed=seed, line=line)
        try:
            self._do(lambda: self._c("clopt_selfcheck", C.byref(o)))
        except Error:
            if not any(check.reason for check in found):
                raise
        return found

    def __repr__(self) -> str:
        return (f"<clopt.Context on {self.device.name}{self._others}"
                f"{', closed' * self._worker.is_closed}>")

    def __reduce__(self) -> Any:
        raise TypeError("a clopt.Context cannot be pickled: it belongs to this process; open one in "
                        "each process")


class _Default(Products, Pairs):
    """The routines of a context that is opened at first use, for functions of the module."""

    _queue = None
    _opened: Context | None = None

    @property
    def _ctx(self) -> Context:
        with L.lock:
            self._opened = self._opened or Context()
            return self._opened

    @property
    def _worker(self) -> Any:
        return self._ctx._worker

    def _do(self, call: Callable[[], T]) -> T:
        return self._ctx._do(call)

    def _product(self, name: str, a: Any, *more: Any, **options: Any) -> Any:
        """Of buffers, on their context."""
        routines: Products = a._ctx if isinstance(a, Buffer) else super()
        return routines._product(name, a, *more, **options)

    def __reduce__(self) -> str:
        return "default"  # the one below, in each process


default = _Default()


class _Starter(Products, Pairs):
    """The routines of a context, started."""

    def __init__(self, ctx: Context) -> None:
        self._context, self._worker, self._queue = ctx, ctx._worker, ctx._queue

    def _do(self, call: Callable[[], T]) -> Any:
        return self._worker.begin(call, self._context._report)

    @property
    def _ctx(self) -> Context:
        return self._context


def _shape(given: int | tuple[int, ...], dtype: np.dtype) -> tuple[int, ...]:
    shape = tuple(map(index, (given,) if isinstance(given, (int, np.integer)) else given))
    if any(n < 0 for n in shape) or not L.is_size(prod(shape) * dtype.itemsize):
        raise InvalidArgument(f"shape is {shape}: sizes must not be negative, and must fit size_t")
    return shape


def _problem(op: str, dim: tuple[int, ...], dtype: Any = None, trans_a: str = "N",
             trans_b: str = "N", law: str | None = None, outputs: str | None = None,
             precision: str | None = None, layout: str | None = None, math: str | None = None,
             triangle: str | None = None, **numbers: int) -> L.Problem:
    number = L.number("op", op)
    wanted = {"matmul": 3, "transpose": 2, "potential": 2, "nbody": 2}.get(op, 1)
    if len(dim) != wanted or not all(L.is_size(d) for d in dim):
        raise InvalidArgument(f"sizes are {dim}: {op} takes {wanted}, each from 0 to 2**64 - 1")
    for trans in (trans_a, trans_b):
        if trans not in TRANS:
            raise InvalidArgument(f"trans is {trans!r}: it must be 'N', 'T' or 'C'")
    laws = tuple(word for word in L.ENUMS["law"] if word == "default" or wanted != 2 or
                 word.startswith("gravity") == (op == "nbody"))
    extra = set(numbers) - {"normals", "depths", "hermitian", "scaled", "uneven", "batch", "steps"}
    if extra:
        raise TypeError(f"unexpected arguments: {', '.join(sorted(extra))}")
    p = L.Problem(op=number, dim=(C.c_size_t * 3)(*dim),
                  transa=L.ENUMS["trans"][TRANS[trans_a]], transb=L.ENUMS["trans"][TRANS[trans_b]],
                  law=L.number("law", law, known=laws), outputs=L.number("outputs", outputs),
                  precision=L.number("precision", precision), layout=L.number("layout", layout),
                  math=L.number("math", math), triangle=L.number("uplo", triangle, "triangle"),
                  **{k: int(v) for k, v in numbers.items()})
    if dtype is not None:
        dtype = np.dtype(dtype).newbyteorder("=")
        p.elem_bytes = dtype.itemsize
        if op == "matmul":
            p.type = TYPES.get(dtype, L.ENUMS["type"]["bfloat16"] if dtype.name == "bfloat16" else 0)
            if not p.type:
                raise InvalidType(f"{op}: dtype is {dtype}: it must be {', '.join(map(str, TYPES))} or "
                                  "bfloat16")
    return p
