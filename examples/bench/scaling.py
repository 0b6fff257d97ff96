#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole calls over 1, 2, 3, 4, 8 ... devices beside the first alone, from ordinary and from pinned memory.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/scaling.py [--devices 0+1+2]

Without --devices: all devices like the best one.  On one processor alone: parts of it that are joined, of so many
--cores each, beside the whole; and a fast and a slow part joined (the slow one has to use the plainest kernel)
beside the ideal of both, 1 / (1/f + 1/s), where f and s are seconds of a whole call by each while the other works.

All take turns.  Like devices have to give the bits of one; exit status 1 if they do not.
"""
import ctypes as C
import threading
import time

from bench import COMPARED, Bench, L, Thing, Wrong, clock, clopt, close, must, np, pyplot, turns

STEPS = 4  # of bodies that move
# Largest sizes of the default: what one device does in about 0.3 s.
CALLS = {"sgemm": (64, 1024, 16384), "dgemm": (64, 768, 13312), "transpose": (64, 4096, 22528),
         "potential": (256, 16384, 1 << 20), "nbody": (256, 16384, 1 << 20), "leapfrog": (256, 8192, 1 << 18)}


def make(name, n, empty):
    """Arrays of empty(shape, dtype), and what a context does with them: a call, and its output."""
    random = np.random.default_rng(1)
    if name in ("sgemm", "dgemm", "transpose"):
        dtype = np.float64 if name == "dgemm" else np.float32
        a, out = empty((n, n), dtype), empty((n, n), dtype)
        random.random(out=a, dtype=dtype)
        return (lambda ctx: ctx.transpose(a, out=out)) if name == "transpose" else (
            lambda ctx: ctx.matmul(a, a, out)), out
    x, out = empty((n, 4), np.float32), empty((n,) if name == "potential" else (n, 4), np.float32)
    random.random(out=x, dtype=np.float32)
    if name == "potential":
        return lambda ctx: ctx.potential(x, out=clopt.Results(phi=out)), out
    if name == "nbody":
        return lambda ctx: ctx.nbody(x, softening=0.01, out=out), out
    start = x.copy()

    def leapfrog(ctx):
        x[:], out[:] = start, 0
        ctx.leapfrog(x, out, 1e-3, STEPS, softening=0.01)
    return leapfrog, out


def indices(wanted):
    """Indices in the list of devices: those asked for, or all like the best."""
    found = clopt.devices()
    if wanted:
        return wanted

    def kind(d):
        return d.name, d.platform, d.driver, d.traits, d.compute_units, d.max_alloc_bytes
    return [i for i, d in enumerate(found) if kind(d) == kind(found[0])]


def steps(n):
    """1, 2, 3, 4, 8 ... n."""
    return sorted({*range(1, min(n, 4) + 1), *(1 << i for i in range(2, 12) if 1 << i < n), n})


def devices(bench, members):
    counts = steps(len(members))
    contexts = {k: clopt.Context("+".join(map(str, members[:k]))) for k in counts}
    names = [clopt.devices()[i].name for i in members]
    alike, rows = len(set(names)) == 1, []
    bench.title = f"{len(members)} devices: {names[0]}{'' if alike else ' and others'}, {bench.device.driver}"
    for name, sizes in CALLS.items():
        n, things, first = bench.size(*sizes), [], []
        for memory in ("ordinary", "pinned"):
            for k in counts:
                empty = np.empty if memory == "ordinary" else contexts[k].pinned
                if memory == "pinned" or k == counts[0]:
                    call, out = make(name, n, empty)

                def check(out=out):
                    if not first:
                        first.append(out.copy())
                    elif alike and not np.array_equal(out, first[0]):
                        raise Wrong("not the bits of one device from ordinary memory")
                    elif not alike:
                        close("the result", out, first[0], 1e-4)
                things.append(Thing(name, lambda c=call, x=contexts[k]: clock(lambda: c(x)), check,
                                    lambda out=out: out.fill(np.nan), call=name, size=n, memory=memory, devices=k))
        turns(things, bench.args.seconds)
        rows += [t.fill(things[i - i % len(counts)]) for i, t in enumerate(things)]
        bench.table(f"{name} {n}", things, [
            ("memory", "memory", "s"), ("devices", "devices", "d"), ("seconds", "seconds", ".4g"),
            ("speed", "speed over one", ".2f"), ("why", "", "s")])
        del things, call, out
        for ctx in contexts.values():
            ctx.trim()
    plt = pyplot()
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
    for at, memory in zip(axes, ("ordinary", "pinned")):
        for name in CALLS:
            some = [r for r in rows if r["call"] == name and r["memory"] == memory and r["speed"]]
            at.plot([r["devices"] for r in some], [r["speed"] for r in some], "o-",
                    label=f"{name} {some[0]['size']}" if some else name)
        at.plot(counts, counts, "k--", linewidth=1, label="ideal")
        at.set(xlabel="devices", title=f"from {memory} memory", xticks=counts)
    axes[0].set_ylabel("speed over one device")
    axes[0].legend()
    figure.suptitle(bench.title)
    return figure


# ---- Parts of one processor

def part(context, device, **options):
    """The handle of a context on a sub-device."""
    handle, o = C.c_void_p(), L.Options(verbose=-1, **options)
    must(None, L.lib.clopt_open_cl(C.byref(handle), context, device, C.byref(o)))
    return handle


def joined(*parts):
    handle = C.c_void_p()
    must(None, L.lib.clopt_join(C.byref(handle), (C.c_void_p * len(parts))(*(p.value for p in parts)), len(parts)))
    return handle


def sub_devices(ctx, cores):
    """An OpenCL context on each part of the processor, with its device."""
    cl, handle = C.CDLL("libOpenCL.so.1"), ctx._worker.handle
    cl.clCreateContext.restype = C.c_void_p
    cl.clCreateContext.argtypes = [C.c_void_p, C.c_uint, C.c_void_p, C.c_void_p, C.c_void_p, C.c_void_p]
    found, count, code = (C.c_void_p * 64)(), C.c_uint(), C.c_int()
    equally = (C.c_ssize_t * 3)(0x1086, cores, 0)
    if cl.clCreateSubDevices(C.c_void_p(L.lib.clopt_cl_device(handle)), equally, 64, found, C.byref(count)):
        return []
    return [(cl.clCreateContext(None, 1, C.byref(C.c_void_p(d)), None, None, C.byref(code)), d)
            for d in found[:count.value]]


def parts(bench, ctx):
    """Sums and products by parts; None where there are no two parts."""
    halves = sub_devices(ctx, bench.args.cores)
    if len(halves) < 2:
        print(f"one device, without parts of {bench.args.cores} cores: nothing to compare")
        return None
    random, n, m = np.random.default_rng(1), bench.size(256, 16384, 16384), bench.size(64, 1024, 1024)
    x, a = random.random((n, 4), np.float32), random.random((m, m), np.float32)

    def forces(at, out):
        must(at, L.lib.clopt_nbody(at, n, x.ctypes.data, n, x.ctypes.data, out.ctypes.data, None))

    def product(at, out):
        must(at, L.lib.clopt_matmul(at, m, m, m, a.ctypes.data, a.ctypes.data, out.ctypes.data))
    rows = []
    for title, call, shape, plain, limit in ((f"nbody {n}", forces, (n, 4), b"nbody/plain", 1e-4),
                                             (f"matmul {m}", product, (m, m), b"matmul/plain", 1e-5)):
        out, want, other = (np.empty(shape, np.float32) for _ in range(3))
        whole, expected = ctx._worker.handle, [0.0]
        call(whole, want)
        # Another memory limit makes it unlike the others, which would force their kernel on it.
        plainly = dict(variants=plain, mem_limit_bytes=1 << 30)
        alone, slow, together = part(*halves[0]), part(*halves[1], **plainly), joined(*(part(*h) for h in halves))
        unlike = joined(part(*halves[0]), part(*halves[1], **plainly))

        def ideal():
            """The fast part works again and again while the slow one does its call."""
            end, count = [], 0
            thread = threading.Thread(target=lambda: end.append(clock(lambda: call(slow, other))))
            start = time.perf_counter()
            thread.start()
            while not count or time.perf_counter() - start < 0.9 * expected[0]:
                call(alone, out)
                count += 1
            fast = (time.perf_counter() - start) / count
            thread.join()
            expected[0] = end[0]
            return 1 / (1 / fast + 1 / end[0])

        def thing(name, at):
            return Thing(name, lambda: clock(lambda: call(at, out)), lambda: close(title, out, want, limit),
                         lambda: out.fill(np.nan))
        things = [thing("one context on all cores", whole), thing(f"{len(halves)} parts, joined", together),
                  Thing("the ideal of a fast and a slow part", ideal), thing("a fast and a slow part, joined", unlike)]
        for t in 2 * things:  # choose kernels, and show speeds
            t.run()
        turns(things, bench.args.seconds, least=5)
        rows += [t.fill(things[base], what=t.name, call=title) for t, base in zip(things, (0, 0, 2, 2))]
        bench.table(f"{title}: over the whole, over the ideal", things, [("what", "", "s"), *COMPARED])
        for at in (together, unlike, alone, slow):
            L.lib.clopt_close(at)
    figure, axes = pyplot().subplots(figsize=(8, 3))
    labels = [f"{r['call']}: {r['what']}" for r in rows]
    axes.barh(labels, [r["ms"] or 0 for r in rows], color=[f"C{'nbody' in r['call']:d}" for r in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set(xlabel="ms", title=bench.title)
    return figure


def numbers(word):
    return [int(n) for n in word.split("+")]


def main():
    def add(parser):
        parser.add_argument("--devices", type=numbers, help="indices of the list of devices, as 0+1+2")
        parser.add_argument("--cores", type=int, default=1, help="of a part of a processor; 1")
    bench = Bench(__doc__, add)
    if bench.args.devices:
        bench.args.device = str(bench.args.devices[0])
    ctx = bench.open()
    members = indices(bench.args.devices) if bench.args.devices or not bench.args.device else [0]
    print(bench.title)
    if len(members) == 1 and not bench.cpu:
        print("one device: nothing to compare")
    return bench.end(devices(bench, members) if len(members) > 1 else parts(bench, ctx) if bench.cpu else None)


if __name__ == "__main__":
    raise SystemExit(main())
