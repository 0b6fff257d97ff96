#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libclopt beside cuBLAS, which PyTorch brings, on arrays that are on the device, and
last on those of the host.

    cublas.py LIBCLOPT.SO [RESULTS.CSV [N ...]]

Both take turns in one process, a round after the other; each turn is a queue of
calls and one wait for its end.  A ratio is the median over rounds of cuBLAS's time
by libclopt's: above 1 libclopt is faster.  Errors are of 64 rows of the result
against float64, as a share of their norm.  Without PyTorch or a CUDA device there
is nothing to compare, which is said and is no failure.
"""
import ctypes
import os
import statistics
import sys
import time

try:
    import torch
except ImportError:
    torch = None

ROUNDS = 9
TURN_SECONDS = 0.02
ROW_MAJOR, NO_TRANS, TRANS = 101, 111, 112
SIZES = (1024, 4096, 8192)
TRANSPOSED = 16384
HOST_SIZES = (16, 64, 128, 256, 512, 1024, 2048, 4096)


class Gemm(ctypes.Structure):
    """struct clopt_gemm_desc"""

    _fields_ = (
        [("size", ctypes.c_size_t)]
        + [(name, ctypes.c_int) for name in ("type", "layout", "transa", "transb")]
        + [(name, ctypes.c_int) for name in ("math", "triangle", "hermitian")]
        + [(name, ctypes.c_size_t) for name in ("m", "n", "k")]
        + [(name, ctypes.c_double) for name in ("alpha", "beta")]
        + [(name, ctypes.c_size_t) for name in ("lda", "ldb", "ldc", "batch")]
        + [(name, ctypes.c_size_t) for name in ("stride_a", "stride_b", "stride_c")]
        + [(name, ctypes.c_double) for name in ("alpha_imag", "beta_imag")]
    )


class Problem(ctypes.Structure):
    """struct clopt_problem"""

    _fields_ = (
        [("size", ctypes.c_size_t)]
        + [(name, ctypes.c_int) for name in ("op", "type", "transa", "transb", "law", "outputs")]
        + [(name, ctypes.c_int) for name in ("precision", "normals", "depths", "layout", "math")]
        + [(name, ctypes.c_int) for name in ("triangle", "hermitian", "scaled", "uneven")]
        + [("reserved", ctypes.c_int), ("dim", ctypes.c_size_t * 3)]
        + [(name, ctypes.c_size_t) for name in ("elem_bytes", "batch", "steps")]
    )


class Refused(Exception):
    """libclopt cannot, and says why."""


class Clopt:
    """A context and the few calls that are needed of it."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.clopt_error.restype = ctypes.c_char_p
        self.lib.clopt_chosen_variant.restype = ctypes.c_char_p
        self.ctx = ctypes.c_void_p()
        self.call("clopt_open", ctypes.byref(self.ctx), None)

    def call(self, name, *arguments):
        if getattr(self.lib, name)(*arguments) != 0:
            ctx = self.ctx if self.ctx.value else None
            raise Refused(self.lib.clopt_error(ctx).decode())

    def buffer(self, size_bytes, tensor=None):
        b = ctypes.c_void_p()
        self.call("clopt_buffer_new", self.ctx, ctypes.c_size_t(size_bytes), ctypes.byref(b))
        if tensor is not None:
            host = tensor.cpu().contiguous()
            self.call("clopt_buffer_write", b, ctypes.c_size_t(0), ctypes.c_size_t(size_bytes),
                      ctypes.c_void_p(host.data_ptr()), None)
        return b

    def read(self, b, like):
        host = torch.empty(like.shape, dtype=like.dtype)
        size_bytes = ctypes.c_size_t(host.numel() * host.element_size())
        self.call("clopt_buffer_read", b, ctypes.c_size_t(0), size_bytes,
                  ctypes.c_void_p(host.data_ptr()), None)
        self.finish()
        return host.to(like.device)

    def free(self, *buffers):
        for b in buffers:
            self.lib.clopt_buffer_free(b)

    def finish(self):
        self.call("clopt_finish", self.ctx)

    def choice(self, **fields):
        p = Problem(size=ctypes.sizeof(Problem), **fields)
        name = self.lib.clopt_chosen_variant(self.ctx, ctypes.byref(p))
        return name.decode() if name else "none"


def gemm(type_, math, n):
    return Gemm(size=ctypes.sizeof(Gemm), type=type_, layout=ROW_MAJOR, transa=NO_TRANS,
                transb=NO_TRANS, math=math, m=n, n=n, k=n, alpha=1.0, lda=n, ldb=n, ldc=n, batch=1)


def turn(call, wait, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    wait()
    return (time.perf_counter() - start) / repeats


def measure(candidates):
    """[(call, wait), ...] to lists of seconds, one for each round."""
    repeats = []
    for call, wait in candidates:
        turn(call, wait, 1)
        once = turn(call, wait, 2)
        repeats.append(max(1, min(1000, int(TURN_SECONDS / once))))
    seconds = [[] for _ in candidates]
    for _ in range(ROUNDS):
        for (call, wait), count, times in zip(candidates, repeats, seconds):
            times.append(turn(call, wait, count))
    return seconds


def error(got, right):
    return ((got.to(right.dtype) - right).norm() / right.norm()).item()


class Report:
    """Lines on stdout and in the CSV file."""

    def __init__(self, path):
        self.wrong = 0
        self.csv = open(path, "w", encoding="ascii") if path else None
        if self.csv:
            self.csv.write("case,peer,ratio\n")

    def line(self, case, own, peer, name, work, unit, note):
        ratios = [theirs / ours for ours, theirs in zip(own, peer)]
        ratio = statistics.median(ratios)
        print(f"{case:24} {work / statistics.median(own):10.2f} {unit:8} {name} "
              f"{work / statistics.median(peer):.2f}, ratio {ratio:.3f} "
              f"({min(ratios):.3f}-{max(ratios):.3f})  {note}", flush=True)
        if self.csv:
            self.csv.write(f"{case},{name},{ratio:.4g}\n")
            self.csv.flush()


def products(clopt, report, n):
    kinds = (
        ("sgemm", torch.float32, 4, 0, "cuBLAS float32", 1e-5),
        ("sgemm tf32", torch.float32, 4, 1, "cuBLAS tf32", 1e-3),
        ("dgemm", torch.float64, 8, 0, "cuBLAS float64", 1e-13),
        ("hgemm", torch.float16, 2, 2, "cuBLAS half", 1e-2),
        ("bf16 gemm", torch.bfloat16, 0x102, 0, "cuBLAS bfloat16", 5e-2),
        ("cgemm", torch.complex64, 0x208, 0, "cuBLAS complex64", 1e-5),
        ("zgemm", torch.complex128, 0x210, 0, "cuBLAS complex128", 1e-13),
    )
    for name, dtype, type_, math, peer, limit in kinds:
        case = f"{name} NN {n}"
        torch.manual_seed(n)
        wide = torch.complex128 if dtype.is_complex else torch.float64
        half = 0.5 + 0.5j if dtype.is_complex else 0.5
        a, b = ((torch.rand(n, n, device="cuda", dtype=wide) - half).to(dtype) for _ in range(2))
        out = torch.empty_like(a)
        right = a[:64].to(wide) @ b.to(wide)
        torch.backends.cuda.matmul.allow_tf32 = math == 1
        buffers = [clopt.buffer(n * n * (type_ & 0xff), t) for t in (a, b, None)]
        g = gemm(type_, math, n)

        def ours():
            clopt.call("clopt_gemm_buffers", clopt.ctx, ctypes.byref(g), *buffers, None)

        try:
            own, theirs = measure([(ours, clopt.finish), (lambda: torch.matmul(a, b, out=out),
                                                          torch.cuda.synchronize)])
            off = error(clopt.read(buffers[2], a)[:64], right)
            report.wrong += not off < limit
            note = (f"errors {off:.1e}, {error(out[:64], right):.1e}; "
                    + clopt.choice(op=0, dim=(n, n, n), type=type_, math=math))
            flops = 8e-12 if dtype.is_complex else 2e-12
            report.line(case, own, theirs, peer, flops * n**3, "TFLOP/s", note)
        except Refused as why:
            print(f"{case:24} {why}")
        clopt.free(*buffers)


def transposes(clopt, report, n):
    for dtype in (torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128):
        size = torch.empty(0, dtype=dtype).element_size()
        case = f"transpose {size}-byte {n}"
        a = (100 * torch.rand(n, n, device="cuda")).to(dtype)
        out = torch.empty_like(a)
        buffers = [clopt.buffer(n * n * size, a), clopt.buffer(n * n * size)]
        sizes = [ctypes.c_size_t(x) for x in (n, n, size)]

        def ours():
            clopt.call("clopt_transpose_buffers", clopt.ctx, *sizes, buffers[0],
                       ctypes.c_size_t(n), buffers[1], ctypes.c_size_t(n), None)

        def driver():
            clopt.call("clopt_buffer_copy", buffers[0], ctypes.c_size_t(0), buffers[1],
                       ctypes.c_size_t(0), ctypes.c_size_t(n * n * size), None)

        try:
            ours()
            right = torch.equal(clopt.read(buffers[1], a), a.t())
            wait = torch.cuda.synchronize
            times = measure([(ours, clopt.finish), (lambda: out.copy_(a.t()), wait),
                             (lambda: out.copy_(a), wait), (driver, clopt.finish)])
            report.wrong += not right
            note = "right" if right else "WRONG"
            for theirs, peer in zip(times[1:], ("PyTorch transpose", "PyTorch copy",
                                                "clEnqueueCopyBuffer")):
                report.line(case, times[0], theirs, peer, 2e-9 * n * n * size, "GB/s", note)
        except Refused as why:
            print(f"{case:24} {why}")
        clopt.free(*buffers)


def host_products(clopt, report, n):
    """float32 products of ordinary memory, beside PyTorch's way to the device and back."""
    a, b = (torch.rand(n, n) - 0.5 for _ in range(2))
    out = torch.empty_like(a)
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (a, b, out)]
    sizes = [ctypes.c_size_t(n)] * 3
    there_and_back = []

    def ours():
        clopt.call("clopt_matmul", clopt.ctx, *sizes, *pointers)

    def theirs():
        there_and_back[:] = [torch.matmul(a.cuda(), b.cuda()).cpu()]

    torch.backends.cuda.matmul.allow_tf32 = False
    times = measure([(ours, lambda: None), (theirs, lambda: None)])
    right = a[:64].double() @ b.double()
    off = error(out[:64], right)
    report.wrong += not off < 1e-5
    note = (f"{1e3 * statistics.median(times[0]):.3f} ms, errors {off:.1e}, "
            f"{error(there_and_back[0][:64], right):.1e}")
    report.line(f"clopt_matmul {n}", *times, "PyTorch .cuda(), product, .cpu()", 2e-12 * n**3,
                "TFLOP/s", note)


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    if torch is None or not torch.cuda.is_available():
        print("cuBLAS is left out: it takes PyTorch and a CUDA device")
        return 0
    os.environ.setdefault("CLOPT_DEVICE", "nvidia")
    clopt = Clopt(os.path.abspath(arguments[0]))
    report = Report(arguments[1] if len(arguments) > 1 else None)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    sizes = [int(x) for x in arguments[2:]] or SIZES
    for n in sizes:
        products(clopt, report, n)
    transposes(clopt, report, min(TRANSPOSED, 2 * max(sizes)))
    for n in HOST_SIZES:
        host_products(clopt, report, n)
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
