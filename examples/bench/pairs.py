#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums over pairs on this processor, beside plain C, and a kernel written for GPUs.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/pairs.py

pairs.c, beside this script, has the loops; the compiler CC (cc) gets its best options.  All take turns, on all
cores.  A wrong result is not timed, and exit status 1.
"""
import ctypes as C
import os
import subprocess
import threading

from bench import COMPARED, Bench, Thing, clock, clopt, close, kernel_seconds, np, pull, pyplot, sample

FIELDS = "sx sy sz sw tx ty tz nx ny nz out".split()
KINDS = ["Coulomb", "ALPB with salt", "gravity"]
REACH, LAMBDA, SOFTENING = 2.0, 10.0, 0.01  # as in pairs.c


class Pairs(C.Structure):
    _fields_ = [("n", C.c_size_t)] + [(name, C.c_void_p) for name in FIELDS]


def compiled(folder):
    """pairs.c, and what made it."""
    cc, path = os.environ.get("CC", "cc"), os.path.join(folder, "pairs.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs.c")
    # Start files would make all of this process flush subnormal numbers.
    best = ["-std=gnu99", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-nostartfiles"]
    # Some compilers prefer vectors of half the width unless told.
    for more in (["-mprefer-vector-width=512"], []):
        if subprocess.run([cc, *best, *more, "-o", path, source, "-lm"], stderr=subprocess.DEVNULL).returncode == 0:
            version = subprocess.run([cc, "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]
            return C.CDLL(os.path.abspath(path)), version
    raise SystemExit(f"pairs: {cc} does not compile {source}")


def problem(ctx, kind, n):
    """The library's call, the struct of pairs.c, its output, and some right results."""
    random = np.random.default_rng(1)
    sources = random.random((n, 4), np.float32) * np.float32([50, 50, 50, 1])
    targets = sources if kind == 2 else 50 * random.random((n, 4), np.float32)
    normals = random.normal(size=(n, 4)).astype(np.float32)
    normals[:, 3] = 0
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    out = np.empty((n, 4) if kind == 2 else n, np.float32)
    kept = dict(zip(FIELDS, [np.ascontiguousarray(a[:, i]) for a, k in ((sources, 4), (targets, 3), (normals, 3))
                                         for i in range(k)] + [out]))
    some = sample(n)
    if kind == 2:
        return lambda: ctx.nbody(sources, softening=SOFTENING, out=out), kept, out, lambda: out[some, :3], pull(
            sources, some, SOFTENING)
    away = sources[None, :, :3].astype(float) - targets[some, None, :3]
    d2, weights = np.sum(away ** 2, 2), sources[:, 3].astype(float)
    right, options = 1 / np.sqrt(d2), {}
    if kind == 1:
        right -= 1 / (LAMBDA + np.linalg.norm(away - REACH * normals[some, None, :3], axis=2))
        options = dict(law="alpb", eps_out=1.0, alpha=1e-300, radius=25.0, kappa=1 / LAMBDA, ion_radius=REACH,
                       normals=normals)
    return (lambda: ctx.potential(sources, targets, out=clopt.Results(phi=out), **options), kept, out, lambda: out[some],
            right @ weights)


def loop(library, kept, n, kind):
    """Seconds of a loop of pairs.c on all cores."""
    p = Pairs(n, *(kept[name].ctypes.data for name in FIELDS))
    at = C.c_size_t(0)
    threads = [threading.Thread(target=library.pairs_run, args=(C.byref(p), kind, C.byref(at)))
               for _ in range(len(os.sched_getaffinity(0)))]

    def call():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return clock(call)


def main():
    bench = Bench(__doc__)
    if not bench.args.device and all(d.type != "cpu" for d in clopt.devices()):
        print("pairs: no OpenCL device is a processor: nothing to compare")
        return 0
    bench.args.device = bench.args.device or "cpu"
    ctx = bench.open(profile=True, queues=1)
    library, compiler = compiled(bench.args.folder)
    print(f"{bench.title}, {len(os.sched_getaffinity(0))} cores; {compiler}")
    table = []
    for kind, law in enumerate(KINDS):
        n = bench.size(256, 16384 if kind == 2 else 20480, 16384)
        call, kept, out, got, right = problem(ctx, kind, n)

        def ours(variant=None):
            ctx.force(variant)
            call()
            return kernel_seconds(ctx)

        def check():
            close("the sum", got(), right, 1e-5 if kind < 2 else 1e-4)

        things = [Thing(name, run, check, lambda: out.fill(np.nan)) for name, run in (
            ("libclopt", ours), ("plain C", lambda: loop(library, kept, n, kind)),
            ("kernel for GPUs", lambda: ours(("nbody" if kind == 2 else "potential") + "/tile-256")))]
        bench.compare(f"{law}, {n} x {n}", things, [("name", "", "s"), ("rate", "Gpairs/s", ".3f"), *COMPARED],
                      work=n * n, least=7)
        ctx.force(None)
        table.append(things)
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 4))
    names = [t.name for t in table[0]]
    for i, name in enumerate(names):
        axes.bar(np.arange(len(KINDS)) + (i - (len(names) - 1) / 2) * 0.8 / len(names),
                 [things[i].row["rate"] or 0 for things in table], 0.8 / len(names), label=name)
    axes.set_xticks(range(len(KINDS)), KINDS)
    axes.set(ylabel="Gpairs/s", title=bench.title)
    axes.legend()
    return bench.end(figure, compiler=compiler)


if __name__ == "__main__":
    raise SystemExit(main())
