#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of calls from small to middle sizes, from and to ordinary and pinned memory.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/latency.py

A product of n is n x n x n, a transpose n x n, a sum one of gravity over n bodies; of each size the median of calls
of the C functions by ctypes, whose own time is told too and is in all of them.  "host" are calls for which the library
may take the rows on the host, with a star where it does.  "buffers" are products on buffers with the end of the
kernel, "queued" what queueing them takes the caller.
"""
import ctypes as C
import time

from bench import Bench, L, clock, close, must, np, pyplot

SIZES = (16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1448, 2048)


def median(call, seconds, wait=lambda: None):
    """After three calls: 5 to 1000 of them, and a wait behind each that does not count."""
    for _ in range(3):
        call()
    wait()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 1000 and (len(times) < 5 or time.perf_counter() < end):
        times.append(clock(call))
        wait()
    return float(np.median(times))


def main():
    bench = Bench(__doc__)
    sizes = [bench.args.size] if bench.args.size else SIZES[:3] if bench.args.small else SIZES
    most = max(*sizes, 4)  # bodies have four numbers each
    ctx = bench.open()
    handle = C.c_void_p()
    device = (bench.args.device or "").encode() or None
    must(None, L.lib.clopt_open(C.byref(handle), C.byref(L.Options(device=device, small=2))))
    contexts = {"host": ctx._worker.handle, "": handle, "pinned": handle}
    memory = {"": [np.empty(most * most, np.float32) for _ in range(3)],
              "pinned": [ctx.pinned(most * most) for _ in range(3)]}
    memory["host"] = memory[""]
    for a in memory[""] + memory["pinned"]:
        a[:] = np.arange(len(a)) % 1021 / 1021 - 0.5
    lib, rows = L.lib, []

    buffers = []
    for a in memory[""]:
        buffers.append(C.c_void_p())
        must(handle, lib.clopt_buffer_new(handle, a.nbytes, C.byref(buffers[-1])))
        must(handle, lib.clopt_buffer_write(buffers[-1], 0, a.nbytes, a.ctypes.data, None))
    own = median(lib.clopt_version, bench.args.seconds)
    print(f"{bench.title}; microseconds; ctypes takes {1e6 * own:.2f}")
    report = L.Report()
    for n in sizes:
        row = {"n": n}
        for kind, at in contexts.items():
            a, b, c = (x.ctypes.data for x in memory[kind])
            for name, call in (("product", lambda: must(at, lib.clopt_matmul(at, n, n, n, a, b, c))),
                               ("transpose", lambda: must(at, lib.clopt_transpose(at, n, n, 4, a, n, c, n))),
                               ("sum", lambda: must(at, lib.clopt_nbody(at, n, a, n, a, c, None)))):
                key = f"{name} {kind}".strip()
                row[key] = 1e6 * median(call, bench.args.seconds)
                x, y, z = (whole[:n * n].reshape(n, n) for whole in memory[kind])
                if name != "sum":
                    close(f"{key} of {n}", z, x @ y if name == "product" else x.T, 1e-4)
                lib.clopt_last_report(at, C.byref(report))
                row[key + " on"] = "*" if b"/host" in (report.variant or b"") else None
        g = L.GemmDesc(type=4, layout=101, transa=111, transb=111, m=n, n=n, k=n, alpha=1.0, lda=n, ldb=n, ldc=n,
                       batch=1)

        def product(finish=lambda: None):
            must(handle, lib.clopt_gemm_buffers(handle, C.byref(g), *buffers, None))
            finish()

        def finish():
            must(handle, lib.clopt_finish(handle))
        row["buffers"] = 1e6 * median(lambda: product(finish), bench.args.seconds)
        row["queued"] = 1e6 * median(product, bench.args.seconds, finish)
        rows.append(row)
    keys = [k for k in rows[0] if k != "n" and not k.endswith(" on")]
    bench.table("calls by size", rows,
                [("n", "n", "d")] + [c for k in keys for c in ((k, k, ".1f"), (k + " on", "", "s"))])
    for b in buffers:
        lib.clopt_buffer_free(b)
    lib.clopt_close(handle)
    figure, axes = pyplot().subplots(1, 3, figsize=(12, 4), sharey=True)
    for at, name in zip(axes, ("product", "transpose", "sum")):
        for key in [k for k in keys if k.startswith(name)] + (["buffers", "queued"] if name == "product" else []):
            word = key.removeprefix(name).strip()
            at.loglog([r["n"] for r in rows], [r[key] for r in rows], "o-", markersize=4, label={
                "": "ordinary memory", "host": "by the library's choice", "pinned": "pinned memory"}.get(word, word))
        at.set(xlabel="size", title=name)
        at.legend()
    axes[0].set_ylabel("microseconds of a call")
    figure.suptitle(bench.title)
    return bench.end(figure, ctypes_seconds=own)


if __name__ == "__main__":
    raise SystemExit(main())
