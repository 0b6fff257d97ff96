#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Products and transposes beside OpenBLAS, MKL, BLIS, CLBlast, cuBLAS and plain copies, those that are here.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/peers.py [--most 8192] [--only 'sgemm NN']

On a processor calls take arrays of this program, and each BLAS of blases.py is a peer; elsewhere arrays are on the device, and
neither side moves them.  CLBlast runs on libclopt's OpenCL context, cuBLAS is PyTorch's, of CUDA arrays.  A
transpose is compared with copies of as many bytes by the device's own command and, with PyTorch, its kernels.
All take turns, short calls many at a time, each by ctypes, which takes a microsecond; a ratio above 1
says that libclopt is faster.  Errors of products are norms of the error by those of the result, libclopt's
first.  A wrong result of libclopt is exit status 1, of a peer it leaves that out.
"""
import contextlib
import ctypes as C
import os

from blases import blases

# Before any library is loaded.  When PoCL's threads wake together, two may land on one core; OpenBLAS's and MKL's spin
# after a call, by default for longer than the calls of others take.  BLIS takes one thread unless it is told.
for word, value in (("POCL_AFFINITY", 1), ("OPENBLAS_THREAD_TIMEOUT", 20), ("KMP_BLOCKTIME", 20),
                    ("BLIS_NUM_THREADS", os.cpu_count())):
    os.environ.setdefault(word, str(value))
BLASES = blases()  # before NumPy, which may load one of them

from bench import Bench, L, Thing, Wrong, clock, must, np, pyplot, ratios, sample, turns  # noqa: E402

ROW, NO, YES = 101, 111, 112
# Of products: t has operands rounded to tf32, b the upper halves of floats; i and j are d and z by int8.
NAMES = {"t": "sgemm tf32", "b": "bf16 gemm", "i": "dgemm int8", "j": "zgemm int8"}
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128, "h": np.float16, "t": np.float32,
         "b": np.uint16, "i": np.float64, "j": np.complex128}
CODES = {"s": 0x004, "d": 0x008, "c": 0x208, "z": 0x210, "h": 0x002, "t": 0x004, "b": 0x102,
         "i": 0x008, "j": 0x210}
EPS = {"s": 1.2e-7, "d": 2.2e-16, "c": 1.2e-7, "z": 2.2e-16, "h": 1e-3, "t": 1e-3, "b": 8e-3, "i": 2.2e-16,
       "j": 2.2e-16}
MATH = {"h": 2, "t": 1, "i": 3, "j": 3}
CHECKED = 32  # rows


def cases(most, more_types):
    """(type, op(A), op(B), m, n, k, batch) of products; (bytes, rows, columns) of transposes."""
    for n in (16, 32, 64, 128, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192):
        if n <= most + 3:  # 4097 still counts as 4096
            ways = ("NN", "NT", "TN", "TT") if n in (256, 512, 1024, 2048, 4096, 8192) else ("NN",)
            more = (more_types if n in (1024, 4096, 8192) else "") or ("cz" if n in (512, 1024, 2048) else "")
            for kind in "sd" + more:
                for way in ways if kind in "sd" else ("NN",):
                    yield kind, *way, n, n, n, 1
    for kind in "sd":
        for way in ("NN", "NT", "TN", "TT"):
            yield kind, *way, 64, 64, 64, 1000
            if most >= 1537:
                yield kind, *way, 1000, 1537, 731, 1
        for side in (2048, 8192):
            for m, n, k in ((side, 16, side), (16, side, side), (side, side, 16), (64, 64, side), (side, 1, side),
                            (1, side, side)):
                if side <= most:
                    yield kind, "N", "N", m, n, k, 1
    for rows, columns in ((512, 512), (1023, 1023), (1024, 1024), (1000, 1537), (2047, 2047), (2048, 2048),
                          (64, 16384), (16384, 64), (4096, 4096), (4099, 4097), (8192, 8192), (16384, 16384)):
        if min(rows, columns) < 100 or max(rows, columns) <= 2 * most + 3:
            for size in (1, 2, 4, 8, 16) if rows in (2048, 4096, 4099) else (4, 8):
                yield size, rows, columns


class Job:
    """The arrays of a case, what is right, and the candidates' calls: name, call, wait, result."""

    def __init__(self, case):
        random = np.random.default_rng(1)
        self.product, self.errors = len(case) == 7, []
        if self.product:
            self.kind, ta, tb, self.m, self.n, self.k, self.batch = case
            self.trans, dtype = (YES if ta == "T" else NO, YES if tb == "T" else NO), TYPES[self.kind]
            lead = (self.batch,) if self.batch > 1 else ()

            def array(rows, columns):
                x = random.random(lead + (rows, columns)) - 0.5
                if self.kind == "b":
                    return (x.astype(np.float32).view(np.uint32) >> 16).astype(dtype)
                return np.ascontiguousarray(x + 1j * random.random(x.shape) if self.kind in "czj" else x, dtype)
            self.a = array(self.k, self.m) if ta == "T" else array(self.m, self.k)
            self.b = array(self.n, self.k) if tb == "T" else array(self.k, self.n)
            self.out = np.empty(lead + (self.m, self.n), dtype)
            size = str(self.n) if self.m == self.n == self.k else f"{self.m}x{self.n}x{self.k}"
            self.name = f"{NAMES.get(self.kind, self.kind + 'gemm')} {ta}{tb} {size}"
            self.name += f" x{self.batch}" if lead else ""
            each = 8e-9 if self.kind in "czj" else 2e-9
            self.work, self.unit = each * self.m * self.n * self.k * self.batch, "GFLOP/s"
            self.lds = (self.a.shape[-1], self.b.shape[-1], self.n)
        else:
            self.size, self.m, self.n = case
            kind = {1: "u1", 2: "u2", 4: "f4", 8: "f8", 16: "c16"}[self.size]
            self.a = (random.random((self.m, self.n)) * 200).astype(kind)
            self.b, self.out = self.a[:1], np.empty((self.n, self.m), kind)
            self.name = f"transpose {self.size}-byte {self.m}" + (f"x{self.n}" if self.m != self.n else "")
            self.work, self.unit = 2e-9 * self.a.nbytes, "GB/s"

    def check(self, who, out):
        if not self.product:
            if not np.array_equal(out, self.a.T):
                raise Wrong(f"{who}: not the transpose")
            return
        some = sample(self.m, CHECKED)

        def wide(x):
            x = (x.astype(np.uint32) << 16).view(np.float32) if self.kind == "b" else x
            return x.astype(np.complex128 if self.kind in "czj" else np.float64)
        a = wide((self.a.swapaxes(-1, -2) if self.trans[0] == YES else self.a)[..., some, :])
        b = wide(self.b.swapaxes(-1, -2) if self.trans[1] == YES else self.b)
        allowed = EPS[self.kind] * (4 * self.k ** 0.5 + 8) * (np.abs(a) @ np.abs(b))
        want = a @ b
        off = wide(out[..., some, :]) - want
        self.errors.append(f"{np.linalg.norm(off) / np.linalg.norm(want):.1e}")
        if not np.all(np.abs(off) <= allowed):
            raise Wrong(f"{who}: more than rounding off")


def ours(ctx, job, on_device):
    """libclopt: its functions without the package's thread."""
    handle, arrays, lib = ctx._worker.handle, (job.a, job.b, job.out), L.lib
    held = [ctx.upload(x) for x in arrays] if on_device else []
    a, b, c = (x._at() if on_device else x.ctypes.data for x in held or arrays)
    if job.product:
        g = L.GemmDesc(type=CODES[job.kind], layout=ROW, transa=job.trans[0], transb=job.trans[1], m=job.m, n=job.n,
                       k=job.k, alpha=1.0, math=MATH.get(job.kind, 0), lda=job.lds[0], ldb=job.lds[1],
                       ldc=job.lds[2], batch=job.batch, stride_a=job.m * job.k, stride_b=job.k * job.n,
                       stride_c=job.m * job.n)
        function, words = (lib.clopt_gemm_buffers, [None]) if on_device else (lib.clopt_gemm, [])
        words = [C.byref(g), a, b, c, *words]
    elif on_device:
        function, words = lib.clopt_transpose_strided_batched_buffers, [job.m, job.n, job.size, a, job.n, 0, c, job.m, 0, 1, None]
    else:
        function, words = lib.clopt_transpose, [job.m, job.n, job.size, a, job.n, c, job.m]
    # Calls know handles, so somebody has to hold the buffers.
    yield ("libclopt", lambda: must(handle, function(handle, *words)), lambda held=held: must(handle, lib.clopt_finish(handle)),
           lambda: held[2].download() if held else job.out)


def scalar(kind, value):
    if kind in "sdi":
        return (C.c_float if kind == "s" else C.c_double)(value)
    return np.array([value], TYPES[kind]).ctypes.data_as(C.c_void_p)


def cblas(blas, job):
    """Of the arrays of this program; no batches, which would be a loop of Python's."""
    if job.product and job.batch > 1:
        return
    at = [C.c_void_p(x.ctypes.data) for x in (job.a, job.b, job.out)]
    m, n, integer = blas.integer(job.m), blas.integer(job.n), blas.integer
    if not job.product:
        kind = {4: "s", 8: "d"}.get(job.size)
        copy = kind and blas.get(f"cblas_{kind}omatcopy")
        if copy:
            yield (blas.name, lambda: copy(ROW, YES, m, n, scalar(kind, 1), at[0], n, at[2], m), lambda: None,
                   lambda: job.out)
        return
    one, zero, step = scalar(job.kind, 1), scalar(job.kind, 0), integer(1)
    if job.kind in "sd" and min(job.m, job.n) == 1:
        column = job.n == 1
        rows, columns = (integer(x) for x in (job.a.shape if column else job.b.shape))
        trans = job.trans[0] if column else {NO: YES, YES: NO}[job.trans[1]]
        matrix, vector = (at[0], at[1]) if column else (at[1], at[0])
        function = blas.get(f"cblas_{job.kind}gemv")
        words = (ROW, trans, rows, columns, one, matrix, columns, vector, step, zero, at[2], step)
    else:
        function, lds = blas.get(f"cblas_{dict(i='d', j='z').get(job.kind, job.kind)}gemm"), [integer(x) for x in job.lds]
        words = (ROW, *job.trans, m, n, integer(job.k), one, at[0], lds[0], at[1], lds[1], zero, at[2], lds[2])
    yield blas.name, lambda: function(*words), lambda: None, lambda: job.out


class OpenCL:
    """A queue on libclopt's context, for CLBlast and for copies by the device's own command."""

    def __init__(self, ctx, clblast):
        self.cl, self.clblast, handle = C.CDLL("libOpenCL.so.1"), clblast, ctx._worker.handle
        self.cl.clCreateBuffer.restype = self.cl.clCreateCommandQueue.restype = C.c_void_p
        self.context, code = C.c_void_p(L.lib.clopt_cl_context(handle)), C.c_int()
        self.queue = C.c_void_p(self.cl.clCreateCommandQueue(self.context, C.c_void_p(L.lib.clopt_cl_device(handle)),
                                                             C.c_uint64(0), C.byref(code)))

    def candidates(self, job, cpu, later):
        kept = [x if cpu else x.copy() for x in (job.a, job.b, job.out)]
        code, flags = C.c_int(), 1 | (8 if cpu else 32)  # read and write; in place, or a copy
        mem = [C.c_void_p(self.cl.clCreateBuffer(self.context, C.c_uint64(flags), C.c_size_t(x.nbytes),
                                                 C.c_void_p(x.ctypes.data), C.byref(code))) for x in kept]
        for m in mem:
            later.callback(self.cl.clReleaseMemObject, m)

        def finish():
            self.cl.clFinish(self.queue)

        def result():
            out = np.empty_like(job.out)
            self.cl.clEnqueueReadBuffer(self.queue, mem[2], C.c_uint(1), C.c_size_t(0), C.c_size_t(out.nbytes),
                                        C.c_void_p(out.ctypes.data), 0, None, None)
            return out
        z, n = C.c_size_t, C.c_size_t(0)
        if not job.product:
            yield ("clEnqueueCopyBuffer", lambda: self.cl.clEnqueueCopyBuffer(
                self.queue, mem[0], mem[2], n, n, z(job.a.nbytes), 0, None, None), finish, None)
        kind = job.kind if job.product else {4: "s", 8: "d"}.get(job.size)
        if self.clblast and kind in ("s", "d"):
            one, zero, queue = scalar(kind, 1), scalar(kind, 0), C.byref(self.queue)
            if not job.product:
                name, words = "omatcopy", (ROW, YES, z(job.m), z(job.n), one, mem[0], n, z(job.n), mem[2], n, z(job.m))
            else:
                many = job.batch > 1
                a, b, c = ((m, n, z(ld), *[z(stride)] * many) for m, ld, stride in zip(
                    mem, job.lds, (job.m * job.k, job.k * job.n, job.m * job.n)))
                name = "gemm" + "StridedBatched" * many
                words = (ROW, *job.trans, z(job.m), z(job.n), z(job.k), one, *a, *b, zero, *c, *[z(job.batch)] * many)
            function = getattr(self.clblast, f"CLBlast{kind.upper()}{name}")

            def call():
                status = function(*words, queue, None)
                if status:
                    raise OSError(f"CLBlast: status {status}")
            yield "CLBlast", call, finish, result


def cublas(torch, job):
    kind = job.product and job.kind

    def there(x):
        x = torch.from_numpy(x.view(np.int16) if x.dtype == np.uint16 else x).cuda()
        return x.view(torch.bfloat16) if kind == "b" else x

    def back(x):
        return (x.view(torch.int16) if kind == "b" else x).cpu().numpy().view(job.out.dtype)
    a, b, out, wait = there(job.a), there(job.b), there(job.out), torch.cuda.synchronize
    if job.product:
        torch.backends.cuda.matmul.allow_tf32 = kind == "t"
        x, y = (t.transpose(-1, -2) if trans == YES else t for t, trans in ((a, job.trans[0]), (b, job.trans[1])))
        yield "cuBLAS", lambda: torch.matmul(x, y, out=out), wait, lambda: back(out)
    else:
        yield "PyTorch transpose", lambda: out.copy_(a.t()), wait, lambda: back(out)
        same = torch.empty_like(a)
        yield "PyTorch copy", lambda: same.copy_(a), wait, None


def load(*names):
    for name in names:
        try:
            return C.CDLL(name)
        except OSError:
            pass
    return None


def compare(bench, job, candidates):
    """Rows: libclopt's rate, and the peers' ratios."""
    things = []

    def add(name, call, wait, result):
        thing = Thing(name, lambda: clock(call, thing.repeats, wait),
                      (lambda: job.check(name, result())) if result else lambda: None, lambda: job.out.fill(0))
        thing.repeats = 1
        things.append(thing)
        thing.first()
        if not thing.why:
            # A GPU that goes from OpenCL to CUDA and back takes a part of a short turn.
            thing.repeats = max(1, min(1000, int((0.002 if bench.cpu else 0.02) / thing.run())))
            thing.check = thing.spoil = lambda: None
        elif name != "libclopt":
            print(f"{job.name}: left out: {thing.why}")
    for candidate in candidates:
        add(*candidate)
    turns(things, bench.args.seconds, least=5, rest=0.04 if bench.cpu else 0)
    own, row = things[0], {"case": job.name}
    row.update(rate=own.seconds and job.work / own.seconds, unit=job.unit, errors=", ".join(job.errors),
               why=own.why, wrong=own.why is not None)
    for thing in things[1:]:
        row[thing.name] = own.over(thing)[0]
    return row


def main():
    def add(parser):
        parser.add_argument("--most", type=int, help="the largest size; 2048 on a processor, else 8192")
        parser.add_argument("--only", help="cases with this in their names")
        parser.add_argument("--buffers", action="store_true", help="a processor's arrays, too, are on the device")
    bench = Bench(__doc__, add)
    ctx = bench.open()
    most = bench.args.most or bench.size(128, 2048, 8192)
    bench.cpu &= not bench.args.buffers
    there = BLASES if bench.cpu else []
    clblast = load("libclblast.so.1", "libclblast.so")
    try:
        import torch
        torch = torch if torch.cuda.is_available() and not bench.cpu else None
    except ImportError:
        torch = None
    print(f"{bench.title}: beside " + ", ".join([b.name for b in there] + [word for is_there, word in (
        (clblast, "CLBlast"), (torch, "cuBLAS"), (True, "copies")) if is_there]))
    cl, rows = OpenCL(ctx, clblast), []
    for case in cases(most, "htbczij" if torch else ""):
        job = Job(case)
        if bench.args.only and bench.args.only not in job.name:
            continue
        with contextlib.ExitStack() as later:
            parts = (ours(ctx, job, not bench.cpu), *(cblas(b, job) for b in there),
                     cl.candidates(job, bench.cpu, later), cublas(torch, job) if torch else ())
            rows.append(compare(bench, job, (c for part in parts for c in part)))
        print(f"{job.name:28}", *(f"{k} {v:.3g}" for k, v in rows[-1].items() if isinstance(v, float)), flush=True)
    if not rows:
        raise SystemExit(f"peers: no case has {bench.args.only!r} in its name")
    names = dict.fromkeys(k for r in rows for k in r if k not in ("case", "rate", "unit", "errors", "why", "wrong"))
    bench.table("libclopt's rate, and times as fast as", rows, [
        ("case", "case", "s"), ("rate", "rate", ".1f"), ("unit", "", "s"), *((n, n, ".3f") for n in names),
        ("errors", "errors", "s"), ("why", "", "s")])
    panels = [part for part in ([r for r in rows if r["case"].startswith("transpose") == transposed]
                                for transposed in (False, True)) if part]
    figure, axes = pyplot().subplots(1, len(panels), squeeze=False,
                                     figsize=(6 * len(panels), 2 + 0.17 * max(len(rows), 20)))
    for at, some in zip(axes.flat, panels):
        for i, name in enumerate(names):
            there = [(r[name], y) for y, r in enumerate(some) if r.get(name)]
            if there:
                at.plot(*zip(*there), "os^Dv"[i % 5], label=name, markersize=5)
        at.set_yticks(range(len(some)), [r["case"] for r in some], fontsize=7)
        at.set_ylim(len(some), -1)
        ratios(at, "times as fast: above 1 libclopt is faster")
        at.legend()
    figure.suptitle(bench.title)
    return bench.end(figure)


if __name__ == "__main__":
    raise SystemExit(main())
