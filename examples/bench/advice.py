#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What advice of NVIDIA's OpenCL Best Practices Guide (2011) on kernels is worth on this device.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/advice.py

For each piece of advice there are kernels that do the same, the first of them without it.  They take turns, and times
are by events.  What the guide says of transfers, coalescing and local memory is in transfers.py and ladders.py.
Exit status 1 if results differ.
"""
import ctypes as C

from bench import COMPARED, Bench, Thing, close, np, pyplot, ratios, run_map

FMA, SIN, COS = "v = fma(v, 0.999f, 0.001f);", "v = sin(v + 1.0f);", "v = cos(v - 0.57079633f);"
EIGHT = "for (uint j = 0; j < 8; j++) v = v * 0.9f + x[j];"
ADD, DOUBLES = "v = v * 0.999f + 0.001f;", "v = v * 0.999 + 0.001;"
NUMBERS, LOCAL = "struct numbers { float f[64]; };\n", ", __local float *l"
SIXTEEN, ZEROS = C.c_uint32(16), (C.c_float * 64)()

# Advice: name, body, and more: head, argument, its kind, memory and bytes, options, group.
ADVICE = {
    "5 multiply-adds": [("not contracted", ADD, {"head": "#pragma OPENCL FP_CONTRACT OFF\n"}),
                        ("the compiler's default", ADD, {}), ("-cl-mad-enable", ADD, {"options": "-cl-mad-enable"}),
                        ("fma()", FMA, {})],
    "5.1.4 native roots": [("1 / sqrt", "v = 1.0f / sqrt(v + 1.0f);", {}), ("rsqrt", "v = rsqrt(v + 1.0f);", {}),
                           ("native_rsqrt", "v = native_rsqrt(v + 1.0f);", {}),
                           ("1 / sqrt, unsafe math", "v = 1.0f / sqrt(v + 1.0f);",
                            {"options": "-cl-unsafe-math-optimizations"})],
    "5.1.4 native exponentials": [("exp", "v = exp(-v);", {}), ("native_exp", "v = native_exp(-v);", {})],
    "5.1.4 native sines": [("sin", SIN, {}), ("native_sin", "v = native_sin(v + 1.0f);", {})],
    "5.1.1 shifts for divisions": [("by an argument", "u = u / d + u % d * 77u + t; v = u & 1023u;",
                                    {"argument": ", uint d", "value": ("value", SIXTEEN, 4)}),
                                   ("by a constant", "u = u / 16u + u % 16u * 77u + t; v = u & 1023u;", {}),
                                   ("shift and mask", "u = (u >> 4) + (u & 15u) * 77u + t; v = u & 1023u;", {})],
    "5.1.3 no doubles by accident": [("constants in double", DOUBLES, {}),
                                     ("single-precision-constant",
                                      DOUBLES, {"options": "-cl-single-precision-constant"}),
                                     ("constants in float", ADD, {})],
    "6.1 one path in a warp": [
        ("two paths, neighbours apart", "if (i % 2) { " + SIN + " } else { " + COS + " }", {}),
        ("two paths, 64 together", "if (i / 64 % 2) { " + SIN + " } else { " + COS + " }", {}),
        ("one path", COS, {})
    ],
    "6.2 predication: branches": [("if and else", "if (v > 1.5f) v = v * 0.5f; else v = v * 1.01f;", {}),
                                  ("a choice of factors", "v *= v > 1.5f ? 0.5f : 1.01f;", {})],
    "6.2 predication: loops of eight": [("not unrolled", "\n#pragma unroll 1\n" + EIGHT, {}),
                                        ("the compiler's default", EIGHT, {}),
                                        ("unrolled", "\n#pragma unroll 8\n" + EIGHT, {})],
    "4.4 work-items in a group": [(str(n), FMA, {"group": n}) for n in (33, 8, 32, 64, 128, 256)],
    "4.3 occupancy: local memory of 64 work-items": [
        *((f"{k} KiB", FMA, {"group": 64, "argument": LOCAL, "value": ("local", None, k << 10)})
          for k in (44, 20, 10)), ("none", FMA, {"group": 64})
    ],
    "3.2.2.4 an argument of 64 floats": [
        ("by value", "v = v * 0.5f + a.f[t % 64];",
         {"head": NUMBERS, "argument": ", struct numbers a", "value": ("value", ZEROS, 256)}),
        *((f"in {where} memory", "v = v * 0.5f + a->f[t % 64];",
           {"head": NUMBERS, "argument": f", {word} struct numbers *a", "value": ("shared", ZEROS, 256)})
          for where, word in (("constant", "__constant"), ("global", "__global const")))
    ],
}


def main():
    bench = Bench(__doc__)
    ctx = bench.open(profile=True, queues=1)
    n = bench.size(1 << 10, 1 << 20, 1 << 20)
    x, y = ctx.pinned(n), ctx.pinned(n)
    x[:] = 1 + np.arange(n) * 7919 % n / n
    print(bench.title)

    def run(times, body, head="", argument="", value=None, options="", group=256):
        source = (
            f"{head}__kernel void run(ulong n, uint times, __global const float *x, __global float *y{argument})\n"
            "{\n\tsize_t i = get_global_id(0);\n\tfloat v;\n\tuint u;\n\tif (i >= n)\n\t\treturn;\n"
            "\tv = x[i];\n\tu = (uint)(1e6f * v);\n\tfor (uint t = 0; t < times; t++) {\n\t\t" + body +
            "\n\t}\n\ty[i] = v;\n}\n")
        return run_map(ctx, source, "run", n, [("count", None, 0), ("value", C.c_uint32(times), 4), ("in", x, 4),
                                               ("out", y, 4)] + ([value] if value else []),
                       min(group, bench.device.max_group), options)
    best = []
    for advice, rows in ADVICE.items():
        times, first = [4], []

        def check(name):
            if not first:
                first.append(y.copy())
            close(f"{advice}, {name}", y, first[0], 1e-3)
        things = [Thing(name, lambda b=body, m=more: run(times[0], b, **m), lambda name=name: check(name),
                        lambda: y.fill(np.nan))
                  for name, body, more in rows]
        for thing in things:
            thing.first()
            thing.check = lambda: None
        while not bench.args.small and not things[0].why and things[0].run() < 0.003 and times[0] < 1 << 20:
            times[0] *= 2
        bench.compare(advice, things, [("name", "", "s"), *COMPARED], 0.25, least=5)
        best += [(f"{advice}: {t.name}", t.row["speed"]) for t in things[1:] if t.row["speed"]]
    figure, axes = pyplot().subplots(figsize=(9, 1 + 0.2 * len(best)))
    axes.barh([k for k, _ in best], [v - 1 for _, v in best], left=1)
    ratios(axes, "times as fast as the first kernel, which is without the advice")
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=7)
    axes.set_title(bench.title)
    return bench.end(figure)


if __name__ == "__main__":
    raise SystemExit(main())
