# SPDX-License-Identifier: MIT
"""The wheel, and what pip makes of the sources: installed in environments of their own."""
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

from common import BUILD, ROOT

USE = """
import clopt, numpy as np
maps = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
print(*[sum(name in m and m.startswith(FOLDER) for m in maps)
        for name in ("libclopt.so", "libOpenCL.so")])
try:
    with clopt.Context() as ctx:
        a = np.arange(6, dtype="f4").reshape(2, 3)
        print(ctx.matmul(a, a.T).tolist())
except clopt.NoDevice as e:
    print("NoDevice:", e)
"""


class Wheel(unittest.TestCase):
    def environment(self, folder):
        """Functions that install there, and that run USE or other arguments.  NumPy is the system's, so nothing is fetched."""
        made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            self.skipTest("no venv: " + made.stdout)
        python = os.path.join(folder, "bin", "python3")
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("PYTHONPATH", "LD_LIBRARY_PATH", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")}

        def install(*what):
            subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--no-deps",
                            "--force-reinstall", *what], check=True, env=environment, cwd=folder)

        def use(*arguments, **more):
            text = f"FOLDER = {os.path.realpath(folder)!r}\n" + USE
            return subprocess.run([python, *(arguments or ("-c", text))], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=True, cwd=folder,
                                  env={**environment, **more}).stdout

        return install, use

    def test_sources(self):
        """A source archive holds what it builds, here beside objects that make need not renew."""
        with tempfile.TemporaryDirectory() as folder:
            install, use = self.environment(folder)
            name = subprocess.run([sys.executable, "-c", "import sys, wheel; print(wheel.build_sdist(sys.argv[1]))",
                                   folder], cwd=os.path.join(ROOT, "lib", "python"), check=True, text=True,
                                  stdout=subprocess.PIPE).stdout.strip()
            shutil.unpack_archive(os.path.join(folder, name), folder)
            sources = os.path.join(folder, name[:-len(".tar.gz")])
            with open(os.path.join(sources, "PKG-INFO")) as file:
                self.assertIn("\nProvides-Extra: cpu\n", file.read())
            own = os.path.join(sources, "lib", "python")
            os.mkdir(os.path.join(own, "dist"))  # where build puts it, which the next one leaves out
            for _ in range(2):
                subprocess.run([sys.executable, "-c", "import wheel; wheel.build_sdist('dist')"], cwd=own, check=True)
            with tarfile.open(os.path.join(own, "dist", name)) as tar:
                self.assertFalse([n for n in tar.getnames() if "dist" in n.split("/")])
            os.mkdir(os.path.join(sources, "build"))
            for made in "obj", "sources.c":
                os.symlink(os.path.join(BUILD, made), os.path.join(sources, "build", made))
            for what, loader in ([sources], 1), (["-e", sources], 0):  # a link to the system's
                install(*what)
                self.assertEqual(use(), f"1 {loader}\n[[5.0, 14.0], [14.0, 50.0]]\n", what)

    def test_wheel(self):
        found = glob.glob(os.path.join(BUILD, "clopt-*.whl"))
        self.assertEqual(len(found), 1, f"make wheel has not been run, or twice: {found}")
        names = zipfile.ZipFile(found[0]).namelist()
        for name in ("clopt/__init__.py", "clopt/py.typed", "clopt/libclopt.so.0.3",
                     "clopt/libOpenCL.so.1"):
            self.assertIn(name, names)
        self.assertFalse([n for n in names if "__pycache__" in n])
        self.assertRegex(found[0], r"-py3-none-manylinux_2_\d+_\w+\.whl$")
        with tempfile.TemporaryDirectory() as folder:
            install, use = self.environment(folder)
            install(found[0])
            self.assertEqual(use(), "1 1\n[[5.0, 14.0], [14.0, 50.0]]\n")
            self.assertTrue(use("-m", "clopt.blas", "--help").startswith("python3 -m clopt.blas PROGRAM"))
            said = use("-m", "clopt.blas", "-c", "import numpy as np; print((np.eye(50) @ np.eye(50)).trace())",
                       CLOPT_DEVICE="0", CLOPT_BLAS_THRESHOLD="0", CLOPT_VERBOSE="1")
            self.assertIn("50.0\n", said)
            self.assertRegex(said, r"clopt-blas: [1-9]\d* calls? served")
            nothing = os.path.join(folder, "nothing")
            os.mkdir(nothing)
            said = use(OCL_ICD_VENDORS=nothing, OCL_ICD_FILENAMES="", OPENCL_VENDOR_PATH=nothing)
            self.assertTrue(said.startswith("1 1\nNoDevice: "), said)
            self.assertIn("OpenCL", said)
