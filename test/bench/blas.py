#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The drop-in for BLAS under NumPy, beside NumPy without it.

    blas.py LIBCLOPT-BLAS.SO [ROUNDS [large] [small] [checked] [squares]]

Runs itself with and without LD_PRELOAD in turns, a round after the other, and prints medians over
the rounds (default 5):

- the float64 product of 8192: how many times as fast (numpy.dot would clear the array first);
- products of 64 and 4, which are passed on: what that costs;
- products of 2048 with CLOPT_BLAS_CHECK=1: what the check costs of the processors' time;
- squares, thin products and transposes with everything served: from where on that pays, which are
  the values that CLOPT_BLAS_THRESHOLD and its defaults stand for.
"""
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time

CHECKED = 2048
LARGE, SQUARES, THIN = 8192, (256, 384, 512, 768, 1024, 1536, 2048, 4096), (16, 32, 64, 128, 256, 512)
SMALL, TRANSPOSED = (4, 64), (1024, 2048, 4096, 8192)


def seconds(call, least=0.1, clock=time.perf_counter):
    """Of one call, after one that may compile: the median of five, or more until `least`."""
    call()
    times = []
    while len(times) < 5 or sum(times) < least:
        start = clock()
        call()
        times.append(clock() - start)
    return statistics.median(times)


def each(call, count=2000):
    """Of one of many short calls: the best of 20 loops."""
    best = 1e9
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def omatcopy():
    """cblas_somatcopy of NumPy's BLAS, or of the drop-in; its integer."""
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
        files = sorted({line.split()[-1] for line in maps if "blas" in line}, key=lambda f: "clopt" not in f)
    for file in files:
        for name, integer in (("scipy_cblas_somatcopy64_", ctypes.c_int64), ("cblas_somatcopy", ctypes.c_int32)):
            try:
                return getattr(ctypes.CDLL(file), name), integer
            except (AttributeError, OSError):
                pass
    return None, None


def measure(what):
    import numpy as np

    random = np.random.default_rng(1)

    def product(m, n, k, dtype, timer=seconds):
        a, b = random.random((m, k), np.float64).astype(dtype), random.random((k, n), np.float64).astype(dtype)
        c = np.empty((m, n), dtype)
        return timer(lambda: np.matmul(a, b, out=c))

    if what == "large":
        a, b = random.random((LARGE, LARGE)), random.random((LARGE, LARGE))
        return {f"float64 {LARGE}, into an array": product(LARGE, LARGE, LARGE, np.float64),
                f"float64 {LARGE}, a new array": seconds(lambda: a @ b)}
    if what == "checked":
        return {f"{name} {CHECKED}, checked": product(
            CHECKED, CHECKED, CHECKED, name, lambda call: seconds(call, 2, time.process_time))
                for name in ("float32", "float64")}
    if what == "small":
        return {f"float64 {n}": product(n, n, n, np.float64, each) for n in SMALL}
    result = {}
    for dtype in (np.float32, np.float64):
        name = np.dtype(dtype).name
        for n in SQUARES:
            result[f"{name} {n}"] = product(n, n, n, dtype)
        for k in THIN:
            result[f"{name} 4096 x 4096, k {k}"] = product(4096, 4096, k, dtype)
    copy, integer = omatcopy()
    for n in TRANSPOSED if copy else ():
        a, b = random.random((n, n), np.float32), np.empty((n, n), np.float32)
        size = integer(n)
        result[f"transpose float32 {n}"] = seconds(lambda: copy(
            101, 112, size, size, ctypes.c_float(1), ctypes.c_void_p(a.ctypes.data), size,
            ctypes.c_void_p(b.ctypes.data), size))
    return result


def run(what, library, variables):
    env = dict(os.environ)
    if library:
        env["LD_PRELOAD"] = os.path.abspath(library)
        env.update(variables)
    out = subprocess.run([sys.executable, __file__, "--measure", what], env=env, stdout=subprocess.PIPE, check=True)
    return json.loads(out.stdout)


def compare(what, library, variables, rounds):
    with_it, without = [], []
    for _ in range(rounds):
        without.append(run(what, None, {}))
        with_it.append(run(what, library, variables))
    for case in without[0]:
        a = statistics.median(r[case] for r in without)
        b = statistics.median(r[case] for r in with_it)
        print(f"{case:32} {a * 1e3:12.5f} {b * 1e3:12.5f} {a / b:8.3f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        print(json.dumps(measure(sys.argv[2])))
    else:
        rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
        print(f"{'':32} {'without, ms':>12} {'with, ms':>12} {'times':>8}")
        for what, variables in (("large", {}), ("small", {}), ("checked", {"CLOPT_BLAS_CHECK": "1"}),
                                ("squares", {"CLOPT_BLAS_THRESHOLD": "0"})):
            if what in (sys.argv[3:] or what):
                compare(what, sys.argv[1], variables, rounds)
