#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A product with a matrix in a file, larger than the device's memory.

    python3 examples/mapped.py --rows 6000

Files are mapped, so that the system reads pages of a on demand and writes pages of c at any time: neither matrix has to
fit into the host's memory.  The library moves a through the device in bands.  Here the device's memory is limited to
4 MiB (mem_limit_bytes, or CLOPT_MEM_LIMIT), since 100 GB would take long.
"""
import argparse
import tempfile

import numpy as np

import clopt

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--folder", help="where the files are, until the end")
parser.add_argument("--rows", type=int, default=6000)
args = parser.parse_args()

K, N, LIMIT = 1024, 64, 4 << 20
with tempfile.TemporaryFile(dir=args.folder) as first, tempfile.TemporaryFile(dir=args.folder) as second:
    a = np.memmap(first, np.float32, "w+", shape=(args.rows, K))
    c = np.memmap(second, np.float32, "w+", shape=(args.rows, N))
    rng = np.random.default_rng(1)
    for row in a:
        row[:] = rng.random(K, np.float32) - 0.5
    b = rng.random((K, N), np.float32) - 0.5
    ctx = clopt.Context(mem_limit_bytes=LIMIT)
    ctx.matmul(a, b, c)
    for i in {*range(0, args.rows, 37), args.rows - 1}:
        np.testing.assert_allclose(c[i], a[i].astype(float) @ b, atol=1e-3)
    report = ctx.last_report()
    print(f"{(a.nbytes + c.nbytes) / 1e6:.1f} MB of file through {LIMIT / 1e6:.1f} MB of device in {report.bands} bands: "
          f"{report.seconds:.3f} s")
