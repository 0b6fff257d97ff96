# SPDX-License-Identifier: MIT
"""Devices, answers, options, buffers, and OpenCL objects of the caller's."""
import ctypes as C
import functools
import os
import platform
import shutil
import tempfile
import types
import unittest
from unittest import mock

import numpy as np

import clopt
from common import BUILD, context, output

RNG = np.random.default_rng(10)
try:
    import pyopencl
    import pyopencl.array
except ImportError:
    pyopencl = None


def numbers(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


class Answers(unittest.TestCase):
    def test_devices(self):
        found = clopt.devices()
        self.assertEqual(context().device, found[0])
        self.assertIn(found[0].type, ("cpu", "gpu", "accelerator"))
        with clopt.Context(device="0") as ctx:
            self.assertEqual(ctx.device.name, found[0].name)
            self.assertEqual(repr(ctx), f"<clopt.Context on {found[0].name}>")
        with self.assertRaisesRegex(clopt.NoDevice, "no-such"):
            clopt.Context("no-such")

    def test_driver_of_pip(self):
        """It is seen without a driver of the system, and behind one; the environment stays as it was."""
        fake = os.path.join(BUILD, "test", "libfake.so")
        if not os.path.exists(fake):
            self.skipTest(f"make {fake} has not been run")
        text = "import clopt, os; before = dict(os.environ)\n" \
            "try: print(len(clopt.devices()), end=' ')\nexcept clopt.NoDevice as e: print(e, end=' ')\n" \
            "print(before == dict(os.environ))"
        with tempfile.TemporaryDirectory() as folder:
            info = os.path.join(folder, "intel_opencl_rt-1.dist-info")
            nothing, other = os.path.join(folder, "nothing"), os.path.join(folder, "other")
            for path in info, nothing, other:
                os.mkdir(path)
            shutil.copy(fake, os.path.join(folder, "libintelocl.so"))
            shutil.copy(fake, os.path.join(folder, "libother.so"))
            os.symlink(os.path.join(folder, "gone"), os.path.join(other, "broken.icd"))
            for name, content in (("METADATA", "Name: intel-opencl-rt\nVersion: 1\n"),
                                  ("RECORD", ""),  # in place of one that is installed
                                  ("../other/other.icd", os.path.join(folder, "libother.so"))):
                with open(os.path.join(info, name), "w") as file:
                    file.write(content)
            path = folder + os.pathsep + os.environ["PYTHONPATH"]
            said = output(text, PYTHONPATH=path, OCL_ICD_VENDORS=nothing)
            if platform.machine() == "x86_64":
                self.assertIn("to run on the CPU: pip install intel-opencl-rt intel-cmplr-lib-rt True", said)
            with open(os.path.join(info, "RECORD"), "w") as file:
                file.write("libintelocl.so,,\n")
            self.assertEqual(output(text, PYTHONPATH=path, OCL_ICD_VENDORS=nothing), "1 True\n")
            seen = "import ctypes as C, clopt._library as L; n = L.size_t(); " \
                "L.lib.clopt_device_list(None, 0, C.byref(n)); print(n.value)"
            drop_in = f"import sys; from clopt import blas; sys.argv[1:] = '-c', {seen!r}; blas.main()"
            self.assertIn("1\n", output(drop_in, PYTHONPATH=path, OCL_ICD_VENDORS="",
                                        OPENCL_VENDOR_PATH=nothing))
            self.assertEqual(output(text, PYTHONPATH=path, OCL_ICD_VENDORS="", OPENCL_VENDOR_PATH=other),
                             "2 True\n")

    def test_first_use(self):
        """Threads that come at once: the driver of pip is shown once.  A child does not wait for them."""
        said = output("""
import os, threading, time, warnings, clopt
warnings.simplefilter("ignore")
from clopt import _library
shown = []
_library.show_driver_of_pip = lambda: (shown.append(1), time.sleep(0.3))
threads = [threading.Thread(target=clopt.devices) for _ in range(3)]
for each in threads: each.start()
child = os.fork()
if not child:
    try: clopt.devices()
    except clopt.ForkError: os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
for each in threads: each.join()
print(len(shown))
""")
        self.assertEqual(said, "3\n1\n")

    def test_options(self):
        with self.assertRaisesRegex(clopt.InvalidArgument, "queues"):
            clopt.Context(queues=99)
        for name, value in (("queues", -1), ("queues", 2 ** 32), ("mem_limit_bytes", 2 ** 64),
                            ("device", "0\0 and more")):
            with self.assertRaisesRegex(clopt.InvalidArgument, name + " is "):
                clopt.Context(**{name: value})
        with self.assertRaisesRegex(clopt.InvalidArgument, "sometimes"):
            clopt.Context(check="sometimes")
        with clopt.Context(variants="matmul/plain", profile=True, check="always") as ctx:
            ctx.matmul(numbers(9, 9), numbers(9, 9))
            self.assertEqual(ctx.last_report().variant, "matmul/plain")
            self.assertGreater(ctx.last_report().kernel_seconds, 0)
        with mock.patch.dict(os.environ, {"CLOPT_VARIANT": "matmul/plain", "CLOPT_SLICE": ""}):
            self.assertEqual({k: v for k, v in clopt.environment().items()
                              if k in ("CLOPT_VARIANT", "CLOPT_SLICE")},
                             {"CLOPT_VARIANT": "matmul/plain"})
            with clopt.Context() as ctx:
                self.assertIn("matmul/plain", ctx.explain("matmul", 9, 9, 9))

    def test_force(self):
        a = np.ones((9, 9), np.float32)
        with clopt.Context(variants="") as ctx:
            ctx.force("matmul/tile-16x16")
            ctx.matmul(a, a)
            self.assertEqual(ctx.last_report().variant, "matmul/tile-16x16")
            ctx.force(None)
            ctx.matmul(a, a)
            self.assertNotEqual(ctx.last_report().variant, "matmul/tile-16x16")
            with self.assertRaises(clopt.InvalidArgument):
                ctx.force("matmul/nosuch")

    def test_selfcheck(self):
        found = context().selfcheck("matmul", "transpose", n=9)
        self.assertEqual([check.text.split()[0] for check in found], ["matmul", "transpose"])
        for check in found:
            self.assertEqual((check.status, check.reason), (0, ""))
            self.assertLessEqual(check.error, check.allowed)
        with self.assertRaisesRegex(clopt.InvalidArgument, "op is 'nosuch'"):
            context().selfcheck("nosuch")
        with clopt.Context(variants="matmul/plain") as ctx, self.assertRaises(clopt.InvalidArgument):
            ctx.close()
            ctx.selfcheck()

    def test_plan(self):
        plan = context().plan("matmul", 300, 200, 100, dry=True, dtype="f4")
        self.assertTrue(plan.fits)
        self.assertEqual(plan.array_bytes, 4 * (300 * 100 + 100 * 200 + 300 * 200))
        self.assertIn(plan.variant, context().explain("matmul", 300, 200, 100))
        for dtype in ("<f4", ">f4"):
            self.assertIn("float32", context().explain("matmul", 3, 2, 1, dtype=dtype))
        far = context().plan("leapfrog", 10 ** 12, dry=True)
        self.assertTrue(not far.fits and far.reason and far.needed_bytes > 10 ** 13)
        for wrong in (("matmul", 1, 2), ("potential", 1, -2), ("transpose", 1, 2 ** 64), ("dance", 1)):
            with self.assertRaises(clopt.InvalidArgument):
                context().plan(*wrong)
        with self.assertRaises(TypeError):
            context().explain("matmul", 1, 1, 1, colour=1)
        for words, call in (("op is 'foo'", lambda: context().explain("foo", 1, 2, 3)),
                            ("triangle is 'left'", lambda: context().syrk(np.eye(2, dtype="f4"), triangle="left")),
                            ("force: variants: ", lambda: context().force("matmul/nope"))):
            with self.assertRaisesRegex(clopt.InvalidArgument, words):
                call()
        with self.assertRaises(clopt.InvalidArgument) as caught:
            context().explain("potential", 1, 2, law="foo")
        self.assertNotIn("gravity", str(caught.exception))


class Buffers(unittest.TestCase):
    def test_products(self):
        ctx, a, b = context(), numbers(20, 30), numbers(30, 10)
        x, y = ctx.upload(a), ctx.upload(b)
        z = ctx.matmul(x, y)
        self.assertEqual((z.shape, z.dtype), ((20, 10), np.float32))
        want = a.astype(float) @ b
        np.testing.assert_allclose(z.download(), want, atol=1e-5)
        ctx.gemm(x, y, z, alpha=2, beta=-1)
        np.testing.assert_allclose(z.download(np.empty((10, 20), np.float32).T), want, atol=1e-5)
        t = ctx.transpose(y)
        np.testing.assert_allclose(ctx.gemm(x, t, trans_b="T").download(), want, atol=1e-5)
        many = ctx.upload(numbers(5, 30, 4))
        self.assertEqual(ctx.matmul(x, many).shape, (5, 20, 4))
        ctx.finish()
        pinned = ctx.pinned((20, 30))
        pinned[...] = a
        self.assertTrue((x.upload(pinned).download(ctx.pinned((20, 30))) == a).all())

    def test_operator(self):
        a = numbers(5, 6)
        x, y = context().upload(a), context().upload(a.T)
        for z in (x @ y, clopt.matmul(x, y)):
            np.testing.assert_allclose(z.download(), a @ a.T, atol=1e-5)
        for words, call in (("must be buffers", lambda: x @ a.T), ("must be buffers", lambda: a @ y),
                            ("download() makes", lambda: np.asarray(x)), ("download() makes", lambda: context().gravity(x)),
                            ("one type", lambda: x @ context().buffer((6, 5), np.float64))):
            with self.assertRaises(clopt.InvalidType) as caught:
                call()
            self.assertIn(words, str(caught.exception))

    def test_byte_orders(self):
        ctx, a = context(), numbers(3, 4)
        for other in (a.astype(">f4"), a.astype("<f4")):
            x = ctx.buffer((3, 4), other.dtype).upload(other)
            self.assertEqual(x.dtype, np.float32)
            out = np.zeros_like(other)
            self.assertIs(x.download(out), out)
            self.assertTrue((out == a).all())
            np.testing.assert_allclose(ctx.matmul(x, ctx.upload(other.T)).download(), a @ a.T,
                                       atol=1e-5)

    def test_refusals(self):
        ctx, x = context(), context().upload(numbers(3, 4))
        objects = np.array([[None, 1]])
        for call in (lambda: ctx.upload(objects), lambda: ctx.buffer((1, 2), object),
                     lambda: x.upload(objects), lambda: x.download(np.empty((3, 4), object))):
            with self.assertRaisesRegex(clopt.InvalidType, "object"):
                call()
        for kind, call in ((TypeError, lambda: ctx.matmul(x, numbers(4, 2))),
                           (ValueError, lambda: ctx.matmul(x, x)),
                           (ValueError, lambda: x.upload(numbers(4, 3))),
                           (ValueError, lambda: x.download(np.empty((4, 3), np.float32))),
                           (ValueError, lambda: ctx.transpose(x, x)),
                           (ValueError, lambda: ctx.buffer((-2, -3))),
                           (ValueError, lambda: ctx.pinned((-2, -3))),
                           (ValueError, lambda: ctx.buffer(2 ** 62 + 1)),
                           (ValueError, lambda: ctx.pinned((np.int64(2 ** 40), 2 ** 40))),
                           (ValueError, lambda: ctx.matmul(ctx.upload(numbers(2, 3, 4)),
                                                           ctx.upload(numbers(3, 4, 2))))):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIsInstance(caught.exception, clopt.Error)
        after = ctx.start(ctx.matmul, x, ctx.upload(numbers(4, 2)))
        other = ctx.upload(numbers(4, 4))
        for make, use in ((lambda: ctx.buffer((4, 4)), lambda y: y.download()),
                          (lambda: ctx.buffer((4, 4)), lambda y: ctx.matmul(other, y)),
                          (lambda: ctx.buffer((4, 4)), lambda y: ctx.transpose(y, other)),
                          (lambda: ctx.tree(numbers(5, 4)), lambda y: y.nbody()),
                          (lambda: ctx.tree(numbers(5, 4)), lambda y: y.move(numbers(5, 4)))):
            freed = make()
            call = functools.partial(use, freed)
            with self.subTest(freed=freed):
                ctx._worker.put = lambda job: (freed.free(), type(ctx._worker).put(ctx._worker, job))
                try:  # by another thread, after the call's arguments were looked at
                    with self.assertRaisesRegex(clopt.InvalidArgument, "freed"):
                        call()
                finally:
                    del ctx._worker.put
                with self.assertRaisesRegex(clopt.InvalidArgument, "freed"):
                    call()
        x.free()
        self.assertEqual(after.result().shape, (3, 2))  # its memory was not freed before its turn
        with self.assertRaisesRegex(clopt.InvalidArgument, "freed"):
            x.download()
        with clopt.Context() as other:
            y = other.buffer((2, 2))
        with self.assertRaises(clopt.InvalidArgument):
            y.download()


class OpenCL(unittest.TestCase):
    """A context of the caller's; pyopencl is stood for by what the package reads of it."""

    def use(self, context, queue):
        with clopt.from_pyopencl(context, queue) as ctx:
            a, b = numbers(8, 9), numbers(9, 7)
            want = a.astype(float) @ b
            np.testing.assert_allclose(ctx.matmul(a, b), want, atol=1e-5)
            np.testing.assert_allclose(ctx.matmul(ctx.upload(a), ctx.upload(b)).download(), want,
                                       atol=1e-5)
            ctx.finish()
        with clopt.from_pyopencl(context) as ctx:
            np.testing.assert_allclose(ctx.matmul(a, b), want, atol=1e-5)

    def test_handles(self):
        cl = C.CDLL("libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateCommandQueue"):
            getattr(cl, name).restype = C.c_void_p
        platform, device, code = C.c_void_p(), C.c_void_p(), C.c_int()
        self.assertEqual(cl.clGetPlatformIDs(1, C.byref(platform), None), 0)
        self.assertEqual(cl.clGetDeviceIDs(platform, C.c_uint64(0xffffffff), 1, C.byref(device),
                                           None), 0)
        context = cl.clCreateContext(None, 1, C.byref(device), None, None, C.byref(code))
        queue = cl.clCreateCommandQueue(C.c_void_p(context), device, C.c_uint64(0), C.byref(code))
        self.assertEqual(code.value, 0)
        have = types.SimpleNamespace(int_ptr=device.value)
        self.use(types.SimpleNamespace(int_ptr=context, devices=[have]),
                 types.SimpleNamespace(int_ptr=queue, device=have))
        cl.clReleaseCommandQueue(C.c_void_p(queue))
        cl.clReleaseContext(C.c_void_p(context))
        with self.assertRaises(clopt.InvalidType):
            clopt.from_pyopencl(5)

    @unittest.skipUnless(pyopencl, "pyopencl is not installed")
    def test_pyopencl(self):
        context = pyopencl.Context(pyopencl.get_platforms()[0].get_devices()[:1])
        queue = pyopencl.CommandQueue(context)
        self.use(context, queue)
        a, b = numbers(8, 9), numbers(9, 7)
        x, y = (pyopencl.array.to_device(queue, v) for v in (a, b))
        with clopt.from_pyopencl(context, queue) as ctx:
            z = pyopencl.array.empty(queue, (8, 7), np.float32)
            ctx.matmul(ctx.buffer_from_pyopencl(x),
                       ctx.buffer_from_pyopencl(y.data, (9, 7), np.float32),
                       ctx.buffer_from_pyopencl(z))
            np.testing.assert_allclose(z.get(), a.astype(float) @ b, atol=1e-5)
