# SPDX-License-Identifier: MIT
"""numpy_calls.py DROP_IN.SO - under LD_PRELOAD: products by numpy and factorizations by scipy agree
to rounding with sums that need no BLAS; calls were served and, with a threshold, passed on."""
import ctypes as C
import os
import sys

import numpy as np
import scipy
import scipy.linalg

random = np.random.default_rng(16)
checks = 0


def close(what, got, want, terms, dtype):
    global checks
    bad = np.abs(got - want).max() / max(1, np.abs(want).max())
    if not bad <= 8 * np.finfo(dtype).eps * terms:
        sys.exit(f"blas: {what}: wrong by {bad}")
    checks += 1


def sums(a, b):  # einsum without optimize has loops of its own
    wide = np.result_type(a, b, np.float64)
    return np.einsum("ij,jk->ik", a.astype(wide), b.astype(wide))


for dtype in (np.float32, np.float64, np.complex64, np.complex128):
    def matrix(*shape):
        x = random.uniform(-1, 1, shape)
        if np.issubdtype(dtype, np.complexfloating):
            x = x + 1j * random.uniform(-1, 1, shape)
        return x.astype(dtype)

    m, n, k = (int(x) for x in random.integers(20, 60, 3))
    name = np.dtype(dtype).name
    a, b = matrix(m, k), matrix(k, n)
    close(f"{name} a @ b", a @ b, sums(a, b), k, dtype)
    close(f"{name} a @ a.T", a @ a.T, sums(a, a.T), k, dtype)
    close(f"{name} a.T @ a", a.T @ a, sums(a.T, a), m, dtype)
    close(f"{name} einsum", np.einsum("ij,jk,kl->il", a, b, b.T.copy(), optimize=True),
          sums(sums(a, b), b.T), k * n, dtype)
    square = matrix(n, n) + n * np.eye(n, dtype=dtype)
    p, l, u = scipy.linalg.lu(square)
    close(f"{name} lu", sums(p, sums(l, u)), square, n, dtype)
    x = scipy.linalg.solve(square, b.T)
    close(f"{name} solve", sums(square, x), b.T, n * n, dtype)
    hermitian = square + square.conj().T
    values, vectors = scipy.linalg.eigh(hermitian)
    close(f"{name} eigh", sums(hermitian, vectors), vectors * values, n * n, dtype)

served, passed = C.c_size_t(), C.c_size_t()
C.CDLL(sys.argv[1]).clopt_blas_calls(C.byref(served), C.byref(passed))
if served.value == 0:
    sys.exit("blas: numpy made no call that was served")
if passed.value == 0 and os.environ["CLOPT_BLAS_THRESHOLD"] != "0":
    sys.exit("blas: numpy made no call that was passed on")
print(f"blas: numpy {np.__version__}, scipy {scipy.__version__}: {checks} results agree; "
      f"{served.value} calls served, {passed.value} passed on")
