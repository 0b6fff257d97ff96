# SPDX-License-Identifier: MIT
"""names.py DROP_IN.SO - each routine under each of its names, served, compared with numpy; gaps
between lines are kept."""
import itertools
import sys
from ctypes import c_int64

import numpy as np
from drop_in import COLUMNS, FORMS, ROWS, TYPES, DropIn, Matrix, op

blas = DropIn(sys.argv[1])
random = np.random.default_rng(16)
count = 0


def close(letter, got, want, terms):
    eps = np.finfo(TYPES[letter]).eps
    bad = np.abs(got - want).max(initial=0)
    return bad <= 8 * eps * (terms + 2), bad


def check(name, matrix, want, letter, terms, before, may_pass=False):
    global count
    right, bad = close(letter, matrix.view, want, terms)
    served, passed = blas.calls()
    is_counted = (served, passed) == (before[0] + 1, before[1]) or (
        may_pass and (served, passed) == (before[0], before[1] + 1))
    if not right or not matrix.gaps_are_kept() or not is_counted:
        sys.exit(f"{name}: error {bad}, gaps kept {matrix.gaps_are_kept()}, "
                 f"calls {before} -> {(served, passed)}")
    count += 1


def scalars(letter):
    return (1.25 - 0.5j, -0.75 + 2j) if letter in "cz" else (1.25, -0.75)


def product(form, letter, layout, transa, transb, one_line_ld=0):
    m, n, k = (int(x) for x in random.integers(1, 20, 3))
    if one_line_ld:  # of A, and C by rows: where the next would begin does not matter
        m, k = (1, k) if layout == ROWS else (m, 1)
    dtype, (alpha, beta) = TYPES[letter], scalars(letter)
    a = Matrix(random, dtype, layout, *((m, k) if transa == "N" else (k, m)))
    b = Matrix(random, dtype, layout, *((k, n) if transb == "N" else (n, k)))
    c = Matrix(random, dtype, layout, m, n)
    if one_line_ld:
        a.ld = one_line_ld
        c.ld = one_line_ld if layout == ROWS else c.ld
    want = alpha * op(a.view, transa) @ op(b.view, transb) + beta * c.view
    before = blas.calls()
    blas.gemm(form, letter, layout, transa, transb, m, n, k, alpha, a, b, beta, c)
    check(f"{form[:2]} {letter}gemm {layout} {transa}{transb} {m} {n} {k}", c, want, letter, k, before)


def rank_k(form, letter, hermitian, layout, uplo, trans):
    n, k = (int(x) for x in random.integers(1, 20, 2))
    dtype, (alpha, beta) = TYPES[letter], scalars(letter)
    if hermitian:
        alpha, beta = alpha.real, beta.real
    a = Matrix(random, dtype, layout, *((n, k) if trans == "N" else (k, n)))
    c = Matrix(random, dtype, layout, n, n)
    whole = op(a.view, trans)
    whole = whole @ (whole.conj() if hermitian else whole).T
    start = c.view.copy()
    if hermitian:
        np.fill_diagonal(start, start.diagonal().real)
    triangle = np.triu(np.ones((n, n), bool)) if uplo == "U" else np.tril(np.ones((n, n), bool))
    want = np.where(triangle, alpha * whole + beta * start, c.view)
    number = "r" if hermitian else "x"
    before = blas.calls()
    name = letter + ("herk" if hermitian else "syrk")
    blas.call(form, name, dtype, uplo + trans,
              [("i", n), ("i", k), (number, alpha), a.memory, ("i", a.ld), (number, beta), c.memory,
               ("i", c.ld)], layout)
    check(f"{form[:2]} {name} {layout} {uplo}{trans} {n} {k}", c, want, letter, k, before)


def copies(form, letter, layout, trans, alpha, in_place):
    """What libclopt has no call for, the next BLAS may do."""
    rows, cols = (int(x) for x in random.integers(1, 20, 2))
    dtype = TYPES[letter]
    gap = (0 if alpha == 1 else 20) if in_place else 3
    a = Matrix(random, dtype, layout, rows, cols, gap)
    want = dtype(alpha) * op(a.view, trans)
    before = blas.calls()
    name = letter + ("imatcopy" if in_place else "omatcopy")
    letters = ("R" if layout == ROWS else "C") + trans if form[2] else trans
    if in_place:
        line, lines = want.T.shape if layout == ROWS else want.shape
        a.memory = np.concatenate([a.memory.ravel(), np.zeros(400 * a.ld, dtype)])
        is_tight = (trans, alpha) == ("T", 1)  # libclopt has a call
        ldb = line if is_tight else line + 20
        blas.call(form, name, dtype, letters, [("i", rows), ("i", cols), ("x", alpha), a.memory,
                                               ("i", a.ld), ("i", ldb)], layout)
        got = a.memory[:lines * ldb].reshape(lines, ldb)[:, :line]
        served = blas.calls()[0] - before[0]
        right = close(letter, got if layout == ROWS else got.T, want, 1)[0]
        if not right or sum(blas.calls()) != sum(before) + 1 or (is_tight and not served):
            sys.exit(f"{form[:2]} {name} {layout} {trans} {rows} {cols} {alpha}: {got} {want}")
        global count
        count += 1
        return
    b = Matrix(random, dtype, layout, *want.shape)
    blas.call(form, name, dtype, letters, [("i", rows), ("i", cols), ("x", alpha), a.memory,
                                           ("i", a.ld), b.memory, ("i", b.ld)], layout)
    may_pass = trans == "N" or (letter in "cz" and (alpha != 1 or trans != "T"))
    check(f"{form[:2]} {name} {layout} {trans} {rows} {cols} {alpha}", b, want, letter, 1, before,
          may_pass or trans == "R")


for i, (form, letter) in enumerate(itertools.product(FORMS, TYPES)):
    layouts = (COLUMNS,) if form[2] else (ROWS, COLUMNS)
    # Each pair of transposes is a kernel of its own: a few for each type.
    pairs = [("N", "N"), ("T", "N"), ("N", "C")]
    for layout in layouts:
        product(form, letter, layout, *pairs[(i + layout) % 3])
        if form[3] == c_int64:
            product(form, letter, layout, "N", "N", 1 << 32)
            product(form, letter, layout, "N", "N", (1 << 63) - 1)
        rank_k(form, letter, 0, layout, "UL"[i // 4 % 2], "NT"[layout % 2])
        if letter in "cz":
            rank_k(form, letter, 1, layout, "LU"[i // 4 % 2], "NC"[layout % 2])
    for layout in (ROWS, COLUMNS):
        for trans, alpha in (("T", 1), ("T", 0.5), ("N", 2), ("C", 1), ("R", -1)):
            copies(form, letter, layout, trans, alpha, False)
            copies(form, letter, layout, trans, alpha, True)
print(f"blas: {count} calls under {len(FORMS)} forms of names are right; {blas.calls()[0]} served")
