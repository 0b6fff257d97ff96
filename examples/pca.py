#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Principal components of a table: which mixtures of its columns best separate its rows?

    python3 examples/pca.py examples/data/elements.csv

The columns are scaled to mean 0 and variance 1.  syrk computes one triangle of their correlations, NumPy the
eigenvectors, matmul the rows' coordinates along them.  A row is a name and numbers, separated by commas; the first line
names the columns.
"""
import argparse

import numpy as np

import clopt

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("table")
table = np.genfromtxt(parser.parse_args().table, delimiter=",", dtype=str)
rows, columns, x = table[1:, 0], table[0, 1:], table[1:, 1:].astype(float)
if len(x) < 2 or not x.std(axis=0).all():
    parser.error("the table needs two rows, and columns of more than one value")
x = ((x - x.mean(axis=0)) / x.std(axis=0, ddof=1)).astype(np.float32)

ctx = clopt.Context()
lower = ctx.syrk(x, trans="T", alpha=1 / (len(x) - 1))
np.testing.assert_allclose(lower, np.tril(np.corrcoef(x.T)), atol=1e-4)
values, vectors = np.linalg.eigh(lower)  # reads the lower triangle
values, vectors = values[::-1], np.ascontiguousarray(vectors[:, ::-1])
places = ctx.matmul(x, vectors)
np.testing.assert_allclose(np.cov(places.T), np.diag(values), atol=1e-4)

print(f"{len(rows)} rows of {len(columns)} columns")
for c in range(2):
    low, high = places[:, c].argmin(), places[:, c].argmax()
    print(f"component {c + 1}: {100 * values[c] / len(columns):.1f} % of the variance, "
          f"from {rows[low]} ({places[low, c]:.2f}) to {rows[high]} ({places[high, c]:.2f})")
    for name, share in zip(columns, vectors[:, c]):
        print(f"    {name:18} {share:+.3f}")
