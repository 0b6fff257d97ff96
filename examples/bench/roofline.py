#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The device's peaks, and the share of them that the library's choices reach: a roofline.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/roofline.py

Peaks are measured, since a datasheet knows neither the clock of today nor the machine round the device:
kernels of nothing but multiply-adds, reciprocal roots, or reading, writing and copying memory.  The roof of a
product is the multiply-adds of its type, of a transpose the copy, of a sum over pairs the lower of
multiply-adds by the instructions of a pair (Coulomb 7, gravity 12) and of reciprocal roots (1 each).  Each
problem takes turns with the peak that is its roof.  Matrix units, other ways to a root, and caches that hold
all arrays may go above a roof.  After clpeak, and Williams, Waterman, Patterson, Communications of the ACM
52, 65 (2009).  A wrong result is not timed, and exit status 1.
"""
import ctypes as C

from bench import Bench, Thing, Wrong, clock, clopt, close, kernel_seconds, np, pull, pyplot, run_map, sample, turns

# Chains of operations in registers, each waiting for its own last result: x = a x + b by 1 and 1 counts its own
# steps, and x + 1 / sqrt(x) grows with each, so that nothing can be left out.
CHAINS = """
#ifdef HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#if WIDTH == 1
typedef REAL reals; typedef float floats;
#define LOAD(p) ((p)[get_global_id(0) % 16])
#define STORE(v, p) ((p)[get_global_id(0)] = (v))
#define TO_REALS JOIN(convert_, REAL)
#define TO_FLOATS convert_float
#else
typedef JOIN(REAL, WIDTH) reals; typedef JOIN(float, WIDTH) floats;
#define LOAD(p) JOIN(vload, WIDTH)(0, p)
#define STORE(v, p) JOIN(vstore, WIDTH)(v, get_global_id(0), p)
#define TO_REALS JOIN(JOIN(convert_, REAL), WIDTH)
#define TO_FLOATS JOIN(convert_float, WIDTH)
#endif
__kernel void chains(__global float *out, __global const float *start, float a, float b)
{
	const reals ra = (REAL)a, rb = (REAL)b;
	reals x[CHAINS];
	floats sum = 0;
	#pragma unroll
	for (int k = 0; k < CHAINS; k++)
		x[k] = TO_REALS(LOAD(start) + k);
	for (int i = 0; i < ROUNDS; i++) {
		#pragma unroll
		for (int k = 0; k < CHAINS; k++)
			x[k] = STEP(x[k]);
	}
	#pragma unroll
	for (int k = 0; k < CHAINS; k++)
		sum += TO_FLOATS(x[k]);
	STORE(sum, out);
}
"""
# A processor reads a line before it writes to it, unless it is told that all of it is new.
MEMORY = """
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
typedef JOIN(float, WIDTH) floats;
#if defined __clang__ && GROUP == 1
#define PUT(v, p) __builtin_nontemporal_store(v, p)
#else
#define PUT(v, p) (*(p) = (v))
#endif
#define PLACE (get_group_id(0) * (GROUP * VECTORS) + get_local_id(0))
__kernel void read(__global floats *out, __global const floats *in)
{
	__global const floats *p = in + PLACE;
	floats sum[4] = { 0, 0, 0, 0 };
	#pragma unroll 2
	for (int i = 0; i < VECTORS; i += 4)
		#pragma unroll
		for (int k = 0; k < 4; k++)
			sum[k] += p[(i + k) * GROUP];
	out[get_global_id(0)] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
__kernel void write(__global floats *out, float value)
{
	__global floats *p = out + PLACE;
	#pragma unroll 8
	for (int i = 0; i < VECTORS; i++)
		PUT((floats)value, p + i * GROUP);
}
__kernel void copy(__global floats *out, __global const floats *in)
{
	__global const floats *from = in + PLACE;
	__global floats *to = out + PLACE;
	#pragma unroll 8
	for (int i = 0; i < VECTORS; i++)
		PUT(from[i * GROUP], to + i * GROUP);
}
"""
LAUNCH = 2e-3  # seconds of a launch: long against its beginning and end


class Peaks:
    """Measured once; launch() is one more of them."""

    def __init__(self, bench, ctx):
        d = bench.device
        self.ctx, self.small, self.amount, self.items = ctx, bench.args.small, {}, {}
        self.group = 1 if bench.cpu else min(256, d.max_group)
        self.width = max(w for w in (1, 2, 4, 8, 16) if w <= max(d.vector_width, 1))
        self.full = self.group if self.small else d.compute_units * (16 if bench.cpu else 2048 // self.group *
                                                                     self.group)
        self.vectors, self.vector = (1024 if bench.cpu else 32), max(self.width, 4)
        whole = self.group * self.vectors * self.vector
        floats = (1 << 16) if self.small else min(1 << 27, d.max_alloc_bytes // 4, d.global_bytes // 32)
        self.array = [ctx.pinned(max(floats // whole, 1) * whole) for _ in range(2)]
        self.array[0][:] = np.arange(len(self.array[0])) % 251
        self.start = np.arange(1, 17, dtype=np.float32)
        kinds = [("float32", "float32 multiply-adds", "GFLOP/s"), ("float64", "float64 multiply-adds", "GFLOP/s"),
                 ("float16", "float16 multiply-adds", "GFLOP/s"), ("root", "float32 reciprocal roots", "Groots/s"),
                 ("read", "memory, read", "GB/s"), ("write", "memory, written", "GB/s"),
                 ("copy", "memory, copied: both", "GB/s")]
        self.things = {key: Thing(name, lambda k=key: self.launch(k), lambda k=key: self.check(k), peak=name, unit=unit)
                       for key, name, unit in kinds if (d.fp64 or key != "float64") and (d.fp16 or key != "float16")}
        turns(list(self.things.values()), bench.args.seconds, least=5)
        for key, t in self.things.items():
            t.row.update(wrong=t.wrong, why=t.why, median=t.seconds and self.amount[key] / t.seconds / 1e9,
                         best=t.seconds and self.amount[key] / min(t.times) / 1e9)

    def best(self, key):
        return key in self.things and self.things[key].row["best"] or 0.0

    def launch(self, key):
        return self.memory(key) if key in ("read", "write", "copy") else self.chains(key)

    def chains(self, key):
        rounds, count = 16 if self.small else 1024, 8 if key == "root" else 12  # halves count to 2048
        width = max(self.width // 2, 1) if key == "float64" else self.width
        real = {"float64": "double", "float16": "half -DHALF"}.get(key, "float")
        root = "((x)+1.0f/sqrt(x))" if self.group == 1 else "((x)+native_rsqrt(x))"
        step = root if key == "root" else "fma(x,ra,rb)"
        items = self.items.setdefault(key, self.full)
        out, one = np.empty((items, width), np.float32), C.c_float(1)
        seconds = run_map(self.ctx, CHAINS, "chains", items, [("out", out, 4 * width), ("shared", self.start, 64),
                          ("value", one, 4), ("value", one, 4)], self.group,
                          f"-DREAL={real} -DWIDTH={width} -DCHAINS={count} -DROUNDS={rounds} -DSTEP(x)={step}" +
                          (" -cl-fast-relaxed-math" if key == "root" else ""))
        if key not in self.amount:  # the first: keep what is to be checked, then go for longer launches
            self.result, self.steps = out, (rounds, count)
            if not self.small:
                self.items[key] = items * int(1 + LAUNCH / max(seconds, LAUNCH / 4096))
        self.amount[key] = (1 if key == "root" else 2) * count * rounds * self.items[key] * width
        if items != self.items[key]:
            return self.chains(key)
        return seconds

    def memory(self, key):
        vector = 4 * self.vector
        item, to = self.vectors * vector, self.array[1]
        args = {"read": [("out", to, vector), ("in", self.array[0], item)],
                "write": [("out", to, item), ("value", C.c_float(3), 4)],
                "copy": [("out", to, item), ("in", self.array[0], item)]}[key]
        self.amount[key] = (2 if key == "copy" else 1) * to.nbytes
        return run_map(self.ctx, MEMORY, key, to.nbytes // item, args, self.group,
                       f"-DWIDTH={self.vector} -DGROUP={self.group} -DVECTORS={self.vectors}", self.group)

    def check(self, key):
        if key in ("write", "copy"):
            want = np.float32(3) if key == "write" else self.array[0]
            if not np.array_equal(self.array[1], np.broadcast_to(want, self.array[1].shape)):
                raise Wrong(f"{key}: not what was written")
        elif key == "read":
            want = self.array[0].reshape(-1, self.vectors, self.group, self.vector).sum(1)
            if not np.array_equal(self.array[1][:want.size], want.ravel()):
                raise Wrong("read: not the sums of what is there")
        else:
            rounds, count = self.steps
            lanes = self.result.shape[1]
            x = self.start[:16 if lanes == 1 else lanes, None].astype(float) + np.arange(count)
            for _ in range(rounds):
                x += 1 / np.sqrt(x) if key == "root" else 1
            want = x.sum(1)
            close(key, self.result.ravel(), np.resize(want, self.result.size), 1e-3 if key == "root" else 0)


def problems(bench, ctx, peaks):
    """Name, call, its result and what it should be, work, flops and bytes, its roof and that roof's rate."""
    random = np.random.default_rng(1)
    n, m = bench.size(64, 512, 4096), bench.size(64, 2048, 16384)
    a, b, c = (random.random((n, n), np.float32) for _ in range(3))
    some = sample(n)
    ridge = 2 * n ** 3 / (12 * n * n) * peaks.best("copy")
    by = "copy" if ridge < peaks.best("float32") else "float32"
    yield ("matmul", n, lambda: ctx.matmul(a, b, c), c,
           lambda: close("the product", c[some], a[some].astype(float) @ b, 1e-5), 2 * n**3, 12 * n * n, by,
           min(ridge, peaks.best("float32")))
    t, u = random.random((m, m), np.float32), np.empty((m, m), np.float32)
    yield ("transpose", m, lambda: ctx.transpose(t, out=u), u, lambda: close("the transpose", u, t.T, 0), m * m,
           8 * m * m, "copy", peaks.best("copy") / 8)
    n = bench.size(256, 8192, 65536)
    x, out, phi, some = random.random((n, 4), np.float32), np.empty((n, 4), np.float32), np.empty(n, np.float32), sample(n)
    far = np.linalg.norm(x[None, :, :3].astype(float) - x[some, None, :3], axis=2)
    far[np.arange(len(some)), some] = np.inf
    for law, call, result, got, right, flops, instructions, size in (
            ("potential", lambda: ctx.potential(x, out=clopt.Results(phi=phi)), phi, phi, (1 / far) @ x[:, 3], 11, 7, 36),
            ("nbody", lambda: ctx.nbody(x, out=out), out, out[:, :3], pull(x, some), 20, 12, 48)):
        bounds = {"float32": peaks.best("float32") / 2 / instructions, "root": peaks.best("root")}
        by = min(bounds, key=bounds.get)
        yield (law, n, call, result, lambda law=law, got=got, right=right: close(law, got[some], right, 2e-5),
               flops * n * n, size * n, by, bounds[by] * flops)


def draw(bench, peaks, rows):
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 5))
    bandwidth, peak = peaks.best("copy"), peaks.best("float32")
    known = [r for r in rows if r["rate"]]
    ends = [r["intensity"] for r in known] + [peak / bandwidth]
    x = np.geomspace(min(ends) / 4, max(ends) * 4, 200)
    axes.loglog(x, np.minimum(peak, bandwidth * x), color="black", linewidth=1)
    ridge = peak / bandwidth
    axes.text(ridge / 5, peak / 4, f"memory, copied: {bandwidth:.4g} GB/s", ha="right", fontsize=8)
    axes.text(x[-1], peak * 1.05, f"float32 multiply-adds: {peak:.4g} GFLOP/s", ha="right", va="bottom", fontsize=8)
    for i, r in enumerate(known):
        colour = f"C{i}"
        axes.plot(r["intensity"], r["rate"], "o", color=colour,
                  label=f"{r['problem']}: {r['of_roof']:.0%} of its roof")
        axes.plot(r["intensity"], r["by_call"], "o", color=colour, fillstyle="none")
        axes.plot(r["intensity"], r["roof"], "_", color=colour, markersize=16, markeredgewidth=2)
    for style, word in (("o", "kernel alone"), ("_", "its roof, in turns with it")):
        axes.plot([], [], style, color="grey", label=word)
    axes.plot([], [], "o", color="grey", fillstyle="none", label="whole call, transfers included")
    axes.set(xlabel="flops per byte of the arrays (of a transpose, elements)", ylabel="GFLOP/s", title=bench.title)
    axes.legend(loc="lower right")
    return figure


def main():
    bench = Bench(__doc__)
    ctx = bench.open(profile=True, queues=1)
    print(bench.title)
    peaks, rows = Peaks(bench, ctx), []
    bench.table("peaks", peaks.things.values(), [("peak", "at most", "s"), ("best", "best", ".4g"),
                                                 ("median", "median", ".4g"), ("unit", "", "s"), ("why", "", "s")])
    bench.bad += sum(t.why is not None and not t.wrong for t in peaks.things.values())
    for name, n, call, result, check, flops, size, by, roof in problems(bench, ctx, peaks):
        whole, variants = [], set()

        def run():
            whole.append(clock(call))
            variants.add(ctx.last_report().variant)
            return kernel_seconds(ctx)

        thing = Thing(name, run, check, lambda: result.fill(np.nan))
        beside = Thing(by, lambda: peaks.launch(by))
        turns([thing, beside], bench.args.seconds)
        row = thing.fill(work=flops, problem=f"{name} {n}")
        if not thing.why:
            # A cause that slows one slows the other too.
            roof *= peaks.amount[by] / beside.seconds / 1e9 / peaks.best(by)
            row.update(by_call=flops / float(np.median(whole[1:])) / 1e9, roof=roof, roof_by=by,
                       of_roof=row["rate"] / roof, intensity=flops / size, variant=" ".join(variants))
        rows.append(row)
    bench.table("by the library's choice", rows, [
        ("problem", "problem", "s"), ("variant", "variant", "s"), ("rate", "GFLOP/s", ".4g"), ("by_call", "by call", ".4g"),
        ("roof", "roof", ".4g"), ("roof_by", "by", "s"), ("of_roof", "of roof", ".0%"), ("intensity", "flops/byte", ".3g"),
        ("why", "", "s")])
    return bench.end(draw(bench, peaks, rows))


if __name__ == "__main__":
    raise SystemExit(main())
