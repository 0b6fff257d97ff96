#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Products of square matrices by clopt and by NumPy: times, and a picture of the rates.

    python3 examples/products.py --out products.png
"""
import argparse
import time

import matplotlib.pyplot as plt
import numpy as np

import clopt


def seconds(call, least=0.2):
    """The shortest time of a call, of one or of so many seconds of calls."""
    call()  # compiles kernels, and allocates
    best, end = np.inf, time.perf_counter() + least
    while best == np.inf or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--out", default="products.png")
parser.add_argument("--largest", type=int, default=1024, help="rows of the largest matrix")
args = parser.parse_args()

ctx = clopt.Context()
rng = np.random.default_rng(1)
sizes = [n for n in (2**i for i in range(5, 20)) if n <= args.largest]
figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
print(f"{'type':8} {'n':>6} {'NumPy ms':>10} {'clopt ms':>10}   kernel")
for dtype, colour in (np.float32, "tab:blue"), (np.float64, "tab:red"):
    rates = []
    for n in sizes:
        a, b = (rng.random((n, n)).astype(dtype) for _ in range(2))
        c, d = np.empty_like(a), np.empty_like(a)
        times = seconds(lambda: np.matmul(a, b, c)), seconds(lambda: ctx.matmul(a, b, d))
        np.testing.assert_allclose(d, c, rtol=n * np.finfo(dtype).eps)
        print(f"{np.dtype(dtype).name:8} {n:6} {1e3 * times[0]:10.3f} {1e3 * times[1]:10.3f}   "
              f"{ctx.last_report().variant}")
        rates.append([2e-9 * n**3 / t for t in times])
    for (name, style), rate in zip((("NumPy", "--o"), ("clopt", "-o")), zip(*rates)):
        axes.loglog(sizes, rate, style, color=colour, label=f"{name}, {np.dtype(dtype).name}")
axes.set(xlabel="rows and columns", ylabel="Gflop/s", title=f"Products of square matrices: {ctx.device.name}")
axes.set_xticks(sizes, sizes)
axes.minorticks_off()
axes.grid(alpha=0.3)
axes.legend()
figure.savefig(args.out, dpi=150)
