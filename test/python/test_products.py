# SPDX-License-Identifier: MIT
"""Products and transposes of arrays in every layout, beside NumPy's in double."""
import itertools
import pickle
import tracemalloc
import unittest

import numpy as np

import clopt
from common import context

RNG = np.random.default_rng(7)
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None


def numbers(shape, dtype=np.float32):
    a = RNG.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * RNG.uniform(-1, 1, shape)
    return a.astype(dtype)


def layouts(a):
    """The same matrix in memory in ways that are taken as they lie."""
    rows, cols = a.shape
    wide = np.zeros((rows + 2, cols + 5), a.dtype)
    wide[1:-1, 2:-3] = a
    tall = np.zeros((cols + 2, rows + 3), a.dtype)
    tall[2:, :-3] = a.T
    return [a, np.asfortranarray(a), wide[1:-1, 2:-3], tall[2:, :-3].T]


def odd_layouts(a):
    """In ways that are copied."""
    steps = np.zeros((a.shape[0], 2 * a.shape[1]), a.dtype)
    steps[:, ::2] = a
    shifted = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    shifted[...] = a
    return [steps[:, ::2], a[::-1].copy()[::-1], a[:, ::-1].copy()[:, ::-1],
            a.astype(a.dtype.newbyteorder()), shifted]


class Products(unittest.TestCase):
    def close(self, got, want):
        eps = np.finfo(got.dtype).eps
        np.testing.assert_allclose(got.astype(want.dtype), want, rtol=0,
                                   atol=64 * eps * max(1, abs(want).max()))

    def test_layouts(self):
        a, b = numbers((13, 17)), numbers((17, 11))
        want = a.astype(float) @ b.astype(float)
        outs = np.zeros((13, 11), np.float32)
        for forms in (layouts, odd_layouts):
            for x, y, out in zip(forms(a), forms(b)[::-1], forms(outs)):
                with self.subTest(a=x.strides, b=y.strides, out=out.strides):
                    self.close(context().matmul(x, y), want)
                    self.assertIs(context().matmul(x, y, out), out)
                    self.close(out, want)

    def test_copies(self):
        """None, or one of the operand that needs it."""
        a, b = numbers((400, 300)), numbers((300, 200))
        c = np.zeros((400, 200), np.float32)
        small = 0.01 * (a.nbytes + b.nbytes + c.nbytes)
        forms = [*zip(layouts(a), layouts(b)[::-1], layouts(c)),
                 *((x, b, c) for x in odd_layouts(a))]
        for i, (x, y, out) in enumerate(forms):
            with self.subTest(a=x.strides, b=y.strides, out=out.strides):
                context().matmul(x, y, out)
                tracemalloc.start()
                context().matmul(x, y, out)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                copies = 0 if i < 4 else a.nbytes
                self.assertTrue(copies <= peak < copies + small, peak)

    def test_gaps_are_kept(self):
        whole = np.full((8, 20), 5, np.float32)
        context().matmul(numbers((8, 3)), numbers((3, 6)), whole[:, 4:10])
        self.assertTrue((whole[:, :4] == 5).all() and (whole[:, 10:] == 5).all())

    def test_types(self):
        for dtype in ("float64", "complex64", "complex128", "float16"):
            with self.subTest(dtype=dtype):
                a, b = numbers((9, 14), dtype), numbers((14, 12), dtype)
                got = context().matmul(a, b)
                self.assertEqual(got.dtype, dtype)
                self.close(got, a.astype("complex128" if got.dtype.kind == "c" else "float64") @ b)

    def test_promotion(self):
        """Of two types, to the type of NumPy's product; also of vectors, and in layouts of all kinds."""
        names = "float16", "float32", "float64", "complex64", "complex128"
        for first, second in itertools.permutations(names, 2):
            a, b = numbers((9, 14), first), numbers((14, 12), second)
            for x, y in ((a, b), (np.asfortranarray(a), b[::-1].copy()[::-1]), (a[0], b), (a, b[:, 0])):
                with self.subTest(a=(first, x.strides), b=(second, y.strides)):
                    got, want = context().matmul(x, y), x @ y
                    self.assertEqual(got.dtype, want.dtype)
                    self.close(got, want.astype("c16" if got.dtype.kind == "c" else "f8"))
        a, b, c = numbers((9, 14)), numbers((14, 12), "c16"), np.ones((9, 12), "c16")
        want = a @ b + c
        self.close(context().gemm(a, b.conj().T, c, beta=1, trans_b="C"), want)

    def test_dlpack(self):
        """Of objects that share memory by it alone; results are NumPy's, which share theirs."""
        class Tensor:
            def __init__(self, array, kind=1):
                self.array, self.kind = array, kind

            def __dlpack__(self, **options):
                if self.kind != 1:
                    raise BufferError("its device is 2")
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.kind, 0

        a = numbers((5, 6))
        got = context().matmul(Tensor(a), Tensor(a.T))
        self.close(got, a.astype(float) @ a.T)
        self.assertTrue(np.shares_memory(np.from_dlpack(got), got))
        bodies = np.ones((3, 4))
        self.assertEqual(context().gravity(Tensor(bodies)).acceleration.shape, (3, 3))
        self.refused(TypeError, ["matmul: b is Tensor, not in the host's memory"],
                     context().matmul, a, Tensor(a.T, 2))

    def test_module(self):
        """The routines of a context that the module opens."""
        a = numbers((5, 6))
        self.close(clopt.matmul(a, a.T), a.astype(float) @ a.T)
        bodies = np.array([[0, 0, 0, 4.0], [2, 0, 0, 1]])
        self.assertAlmostEqual(clopt.gravity(bodies).acceleration[1, 0], -1)
        self.assertAlmostEqual(clopt.potential(bodies).phi[1], 2)
        self.assertIs(clopt._default._ctx, clopt._default._ctx)
        self.assertEqual(pickle.loads(pickle.dumps(clopt.matmul)), clopt.matmul)  # for pools

    def test_int8(self):
        a, b = (RNG.integers(-128, 128, shape).astype(np.int8) for shape in ((9, 300), (300, 12)))
        want, c = a.astype(np.int32) @ b.astype(np.int32), context()
        got = c.matmul(a, b)
        self.assertEqual(got.dtype, np.int32)
        np.testing.assert_array_equal(got, want)
        got = c.gemm(b, a, want.T.copy(), alpha=-3, beta=2**31 - 1, trans_a="T", trans_b="T")
        np.testing.assert_array_equal(got, -4 * want.T + (want.T % 2 << 31))
        np.testing.assert_array_equal(c.matmul(c.upload(a), c.upload(b)).download(), want)
        self.refused(ValueError, ["alpha is 0.5"], c.gemm, a, b, alpha=0.5)
        self.refused(TypeError, ["int32"], c.matmul, a, b, np.empty((9, 12), np.int8))

    def test_epilogue(self):
        a, b = (RNG.integers(-128, 128, shape).astype(np.int8) for shape in ((3, 9, 70), (70, 12)))
        sums, c = a.astype(np.int32) @ b.astype(np.int32), context()
        rows, columns = (RNG.uniform(0, 2**-8, n).astype(np.float32) for n in (9, 12))
        bias = RNG.uniform(-40, 40, 12).astype(np.float32)
        arguments = {"scale_rows": rows, "scale_columns": columns * np.float32(300), "bias": bias}
        want = sums.astype(np.float32) * rows[:, None] * arguments["scale_columns"] + bias
        got = c.gemm(a, b, result="float32", **arguments)
        self.assertEqual(got.dtype, np.float32)
        np.testing.assert_array_equal(got, want)
        whole = np.clip(np.rint(np.clip(want, -20, 100)), -128, 127).astype(np.int8)
        out = np.zeros((3, 12, 9), np.int8).swapaxes(1, 2)
        self.assertIs(c.gemm(a, b, out, result="int8", clamp=(-20, 100), **arguments), out)
        np.testing.assert_array_equal(out, whole)
        np.testing.assert_array_equal(c.gemm(a, b, result="int8", scale_rows=2**-10), np.clip(
            np.rint(sums * 2**-10), -128, 127).astype(np.int8))
        on_device = {key: c.upload(line) for key, line in arguments.items()}
        got = c.gemm(c.upload(a), c.upload(b), result="int8", clamp=(-20, 100), **on_device)
        np.testing.assert_array_equal(got.download(), whole)
        self.refused(ValueError, ["result is 'int8'", "float32"], c.gemm, rows[None], columns[:, None], result="int8")
        self.refused(ValueError, ["bias", "(9,)", "(12,)"], c.gemm, a, b, result="int8", bias=rows)
        self.refused(ValueError, ["result is 0"], c.gemm, a, b, bias=bias)
        self.refused(TypeError, ["bias", "Buffer"], c.gemm, a, b, result="int8", bias=on_device["bias"])

    def test_bfloat16(self):
        a, b = numbers((9, 14)), numbers((14, 12))
        x, y = ((v.view(np.uint32) >> 16).astype(np.uint16) for v in (a, b))
        a, b = ((v.astype(np.uint32) << 16).view(np.float32).astype(float) for v in (x, y))
        got = context().matmul(x, y, type="bfloat16")
        np.testing.assert_allclose((got.astype(np.uint32) << 16).view(np.float32), a @ b, atol=0.05)
        if ml_dtypes:
            x, y = (v.view(ml_dtypes.bfloat16) for v in (x, y))
            self.assertTrue((context().matmul(x, y).view(np.uint16) == got).all())

    def test_gemm(self):
        for dtype, alpha, beta in (("float32", 0.5, 2), ("complex64", 0.5 - 1j, 2 + 3j)):
            a, b, c = (numbers(s, dtype) for s in ((12, 9), (9, 7), (12, 7)))
            wide = np.complex128 if dtype == "complex64" else np.float64
            want = alpha * (a.astype(wide) @ b) + beta * c.astype(wide)
            forms = [(a, "N", b, "N", c.copy()),
                     (a.T.copy(), "T", b.conj().T, "C", c.copy()),
                     (a.T, "T", b.conj().T.copy(), "C", c.copy()),
                     (a.conj().T.copy(), "C", b, "N", np.asfortranarray(c)),
                     (a.conj().T, "C", np.asfortranarray(b), "N", np.asfortranarray(c))]
            for x, ta, y, tb, out in forms:
                with self.subTest(a=(x.strides, ta), b=(y.strides, tb), c=out.strides):
                    got = context().gemm(x, y, out, alpha=alpha, beta=beta, trans_a=ta, trans_b=tb)
                    self.assertIs(got, out)
                    self.close(out, want)
        c = numbers((3, 4))
        want = 2 * c
        context().gemm(numbers((3, 5)), numbers((5, 4)), c, alpha=0, beta=2)
        self.assertTrue((c == want).all())
        context().gemm(numbers((3, 0)), numbers((0, 4)), c)
        self.assertTrue((c == 0).all())

    def test_batches(self):
        for sa, sb in (((4, 5, 6), (4, 6, 7)), ((5, 6), (4, 6, 7)), ((4, 5, 6), (6, 7)),
                       ((2, 3, 5, 6), (2, 3, 6, 7)), ((2, 1, 5, 6), (3, 6, 7)), ((6,), (6, 7)),
                       ((5, 6), (6,)), ((6,), (6,)), ((4, 5, 6), (6,)), ((0, 5, 6), (6, 7)),
                       ((2, 3, 0, 6), (2, 3, 6, 7)), ((5, 0), (0, 7))):
            with self.subTest(a=sa, b=sb):
                a, b = numbers(sa), numbers(sb)
                got, want = context().matmul(a, b), a.astype(float) @ b
                self.assertEqual(got.shape, want.shape)
                np.testing.assert_allclose(got, want, atol=1e-5)
                out = np.empty(want.shape, np.float32)
                self.assertIs(context().matmul(a, b, out), out)
                self.assertTrue((out == got).all())
        a = numbers((4, 6, 5)).swapaxes(1, 2)
        b = numbers((9, 6, 7))[1::2]
        np.testing.assert_allclose(context().matmul(a, b), a.astype(float) @ b, atol=1e-5)

    def test_batches_of_one_operand(self):
        a = numbers((2, 3, 4, 10))
        for x in (a[..., ::2], a[:, :, ::-1, :5], np.asfortranarray(a[..., :5]),
                  (a + 1j * a[..., ::-1]).astype("c8")[..., ::2], a[:1, :1, ::-1]):
            with self.subTest(strides=x.strides):
                wide = x.astype(complex)
                np.testing.assert_allclose(context().syrk(x),
                                           np.tril(wide @ wide.swapaxes(2, 3)), atol=1e-5)
                np.testing.assert_allclose(context().herk(x),
                                           np.tril(wide @ wide.conj().swapaxes(2, 3)), atol=1e-5)

    def test_triangles(self):
        a = numbers((10, 6), "complex64")
        want = a.astype("complex128") @ a.conj().T
        for x in (a, np.asfortranarray(a)):
            got = context().herk(x)
            self.close(got, np.tril(want))
            self.assertTrue((got.diagonal().imag == 0).all())
        self.close(context().herk(a.conj().T, trans="C", triangle="upper"), np.triu(want))
        r = a.real.copy()
        c = np.full((10, 10), 3, np.float32)
        context().syrk(r, c, alpha=2, beta=1)
        want = np.triu(np.full((10, 10), 3), 1) + np.tril(2 * r.astype(float) @ r.T + 3)
        self.close(c, want)
        self.close(context().syrk(r, trans="T"), np.tril(r.T.astype(float) @ r))
        self.close(context().herk(r), np.tril(r.astype(float) @ r.T))
        rows = r.astype(float).tolist()
        self.close(context().syrk(rows), np.tril(r.astype(float) @ r.T))
        self.close(context().gemm(rows, rows, trans_b="T"), r.astype(float) @ r.T)

    def test_transposes(self):
        for dtype in ("u1", "f4", "M8[s]"):
            a = np.arange(7 * 13).astype(dtype).reshape(7, 13)
            for x in layouts(a):
                got = context().transpose(x)
                self.assertTrue((got == a.T).all() and got.flags.c_contiguous, dtype)
        a = numbers((3, 8, 5))
        self.assertTrue((context().transpose(a) == a.swapaxes(1, 2)).all())
        out = np.zeros((8, 7), np.float32).T
        a = numbers((8, 7))
        context().transpose(a, out, alpha=2)
        self.assertTrue((out == 2 * a.T).all())
        wide = np.zeros((5, 9), np.float32)
        wide[:, :5] = square = numbers((5, 5))
        context().transpose_inplace(wide[:, :5])
        self.assertTrue((wide[:, :5] == square.T).all() and (wide[:, 5:] == 0).all())
        for shape in ((0, 4), (4, 0), (0, 0)):
            self.assertEqual(context().transpose_inplace(np.zeros(shape)).shape, shape[::-1])
        a = numbers((6, 4))
        want = a.T.copy()
        self.assertTrue((context().transpose_inplace(a) == want).all())
        for a in (numbers((3, 5)).astype(">f4"), numbers((4, 4)).astype("<f4")):  # bytes, in any order
            want = a.T.copy()
            turned = context().transpose_inplace(a)
            self.assertTrue((turned == want).all() and turned.dtype == a.dtype)
            self.assertTrue((context().transpose(a, alpha=2) == 2 * a.T).all())

    def refused(self, kind, words, routine, *arguments, **options):
        with self.assertRaises(kind) as caught:
            routine(*arguments, **options)
        self.assertIsInstance(caught.exception, clopt.Error)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_refusals(self):
        c = context()
        a, b = numbers((3, 4)), numbers((5, 6))
        out = np.full((3, 6), 9, np.float32)
        self.refused(ValueError, ["(3, 4)", "(5, 6)", "4", "5"], c.matmul, a, b, out)
        self.refused(TypeError, ["the result is float32: it must be float64"], c.matmul, a,
                     numbers((4, 6), float), out)
        self.refused(TypeError, ["float32 (3, 4)", "uint16 (4, 6)"], c.matmul, a,
                     np.zeros((4, 6), np.uint16), type="bfloat16")
        self.refused(TypeError, ["int64"], c.matmul, [[1, 2]], [[1], [2]])
        for wrong in (None, "x", [None], {}):
            self.refused(TypeError, [f"matmul: b is {wrong!r}: it must be an array"], c.matmul, a, wrong)
            self.refused(TypeError, [f"transpose: a is {wrong!r}: it must be"], c.transpose, wrong)
        self.refused(ValueError, ["matmul: b"], c.matmul, a, [[1.0, 2.0], [3.0]])
        self.refused(ValueError, ["(3, 6)", "(3, 5)"], c.matmul, a, numbers((4, 5)), out)
        self.refused(TypeError, ["float64", "float32"], c.matmul, a, numbers((4, 6)),
                     np.zeros((3, 6)))
        self.assertTrue((out == 9).all())
        masked = np.ma.array(numbers((4, 4)), mask=np.eye(4))
        plain = masked.data
        for call in (lambda: c.matmul(masked, plain), lambda: c.matmul(plain, masked[0]),
                     lambda: c.matmul(plain, plain, masked), lambda: c.gemm(plain, plain, masked),
                     lambda: c.syrk(masked), lambda: c.transpose(masked),
                     lambda: c.transpose_inplace(masked), lambda: c.upload(masked),
                     lambda: c.upload(plain).upload(masked), lambda: c.gravity(masked),
                     lambda: c.gravity(plain[:, :3], weights=masked[3]),
                     lambda: c.gravity(plain, velocities=masked),
                     lambda: c.gravity(clopt.Points(*masked)),
                     lambda: c.potential(plain, normals=masked),
                     lambda: c.potential(plain, depths=masked[0]), lambda: c.nbody(masked),
                     lambda: c.leapfrog(masked, plain, 1, 1), lambda: c.conserved(masked, plain),
                     lambda: clopt.electrostatic_radius(masked, plain[0]),
                     lambda: clopt.electrostatic_radius(plain, masked[0])):
            self.refused(TypeError, ["masked"], call)
        out.flags.writeable = False
        self.refused(ValueError, ["read-only"], c.matmul, a, numbers((4, 6)), out)
        self.refused(ValueError, ["'X'"], c.gemm, a, b, trans_a="X")
        self.refused(ValueError, ["beta"], c.gemm, a, numbers((4, 6)), beta=1)
        for wrong in (None, "1"):
            self.refused(TypeError, [f"gemm: alpha is {wrong!r}: it must be a number"], c.gemm, a, a.T, alpha=wrong)
            self.refused(TypeError, [f"eps is {wrong!r}"], clopt.kappa, 0.1, wrong, 298)
            self.refused(TypeError, [f"charge is {wrong or []!r}"], c.potential, a, charge=wrong or [])
        z = a.astype("c8")
        self.refused(ValueError, ["alpha is 1j", "real"], c.gemm, a, a.T, alpha=1j)
        self.refused(ValueError, ["alpha is 1j", "real"], c.herk, z, alpha=1j)
        self.refused(ValueError, ["trans is 'C'", "'N' or 'T'"], c.syrk, z, trans="C")
        self.refused(ValueError, ["trans is 'T'", "'N' or 'C'"], c.herk, z, trans="T")
        self.refused(ValueError, ["type is 'float32'"], c.matmul, a, a.T, type="float32")
        self.refused(ValueError, ["law is ['coulomb']"], c.potential, a, law=["coulomb"])
        self.refused(ValueError, ["fast"], c.gemm, a, numbers((4, 6)), math="fast")
        self.refused(ValueError, ["(2, 3, 4)", "(3, 4, 5)"], c.matmul, numbers((2, 3, 4)),
                     numbers((3, 4, 5)))
        self.refused(ValueError, ["overlap"], c.matmul, a[:, :3], numbers((3, 3)), a[:, :3])
        self.refused(ValueError, ["3"], c.transpose, np.zeros((2, 2), "S3"))
        self.refused(ValueError, ["(3, 4)"], c.transpose_inplace, a[:, ::-1])
        odd = np.frombuffer(bytearray(37), np.float32, 9, 1).reshape(3, 3)
        self.refused(ValueError, ["aligned"], c.transpose_inplace, odd)
        for x in (np.array([[None, 1]]), np.zeros((2, 2), [("a", object)])):  # never touched
            self.refused(TypeError, ["object", str(x.shape)], c.transpose, x)
            self.refused(TypeError, ["object", str(x.shape)], c.transpose_inplace, x)
        self.refused(ValueError, ["5 x 3"], c.gemm, numbers((5, 2)), numbers((2, 3)),
                     triangle="lower")
