# SPDX-License-Identifier: MIT
"""drop_in.py - routines of BLAS under any of their names, by ctypes, on numpy's arrays."""
import ctypes as C

import numpy as np

ROWS, COLUMNS = 101, 102
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
# Beginning and end of a name; whether it is Fortran's; its integer.
FORMS = [
    (begin, end, fortran, integer)
    for fortran, begins, ends in (
        (True, ("", "scipy_"), ("_", "_64_")),
        (False, ("cblas_", "scipy_cblas_"), ("", "64_")),
    )
    for begin in begins
    for end, integer in zip(ends, (C.c_int32, C.c_int64))
]


def op(a, trans):
    return {"N": a, "T": a.T, "C": a.conj().T, "R": a.conj()}[trans]


def pointer(array):
    return C.c_void_p(array.ctypes.data)


class Matrix:
    """rows x cols random numbers, `gap` apart, with NaN in the gaps."""

    def __init__(self, random, dtype, layout, rows, cols, gap=3):
        self.size = line, lines = (cols, rows) if layout == ROWS else (rows, cols)
        self.ld = max(1, line) + gap
        self.memory = np.full((max(1, lines), self.ld), np.nan, dtype)
        kept = self.memory[:lines, :line]
        kept[...] = random.uniform(-1, 1, kept.shape)
        if np.iscomplexobj(kept):
            kept += 1j * random.uniform(-1, 1, kept.shape).astype(kept.real.dtype)
        self.view = kept if layout == ROWS else kept.T

    def gaps_are_kept(self):
        line, lines = self.size
        return np.isnan(self.memory[:, line:]).all() and np.isnan(self.memory[lines:]).all()


class DropIn:
    def __init__(self, path):
        self.library = C.CDLL(path)

    def calls(self):
        served, passed = C.c_size_t(), C.c_size_t()
        self.library.clopt_blas_calls(C.byref(served), C.byref(passed))
        return served.value, passed.value

    def call(self, form, routine, dtype, letters, integers_and_numbers, layout=COLUMNS):
        """Letters, then ("i", integer), ("x", number), ("r", real number) or arrays."""
        begin, end, fortran, integer = form
        real = dtype().real.dtype.type
        function = getattr(self.library, begin + routine + end)
        function.restype = None
        keep, arguments = [], []
        if fortran:
            arguments += [C.c_char_p(letter.encode()) for letter in letters]
        else:
            number = {"N": 111, "T": 112, "C": 113, "R": 114, "U": 121, "L": 122}
            arguments += [C.c_int(layout)] + [C.c_int(number[letter]) for letter in letters]
        for what in integers_and_numbers:
            if isinstance(what, np.ndarray):
                arguments.append(pointer(what))
                continue
            kind, value = what
            if kind == "i":
                keep.append(integer(value))
                arguments.append(C.byref(keep[-1]) if fortran else keep[-1])
                continue
            of = real if kind == "r" else dtype
            keep.append(np.array([value], of))
            by_value = {np.float32: C.c_float, np.float64: C.c_double}.get(of)
            arguments.append(pointer(keep[-1]) if fortran or not by_value else by_value(value))
        if fortran:  # the lengths of the letters
            arguments += [C.c_size_t(1)] * len(letters)
        function(*arguments)

    def gemm(self, form, letter, layout, transa, transb, m, n, k, alpha, a, b, beta, c):
        self.call(form, letter + "gemm", TYPES[letter], transa + transb,
                  [("i", m), ("i", n), ("i", k), ("x", alpha), a.memory, ("i", a.ld), b.memory,
                   ("i", b.ld), ("x", beta), c.memory, ("i", c.ld)], layout)
