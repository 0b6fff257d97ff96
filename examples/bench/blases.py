# SPDX-License-Identifier: MIT
"""The BLAS libraries of a processor for peers.py: those that load by name, and those that wheels bring.

An OpenBLAS tells the core whose kernels it runs, in a process of its own.  If the processor outgrows that core, as where
a shell's OPENBLAS_CORETYPE is of another machine or the library is older, it is loaded with a better one.
"""
import ctypes as C
import glob
import os
import subprocess
import sys

WIDE, MIDDLE = ("SkylakeX", "Cooperlake", "SapphireRapids"), ("Haswell", "Zen")  # cores with AVX-512, with AVX2


def paths():
    yield from ("libopenblas.so.0", "libmkl_rt.so.3", "libmkl_rt.so.2", "libblis.so.4")
    for folder in sys.path + [os.path.join(sys.prefix, "lib")]:
        for name in ("numpy.libs/lib*openblas*.so", "scipy_openblas*/lib/lib*openblas*.so", "libmkl_rt.so.*"):
            yield from glob.glob(os.path.join(folder, name))


class Blas:
    """A library with the interface of CBLAS.  64_ ends the names of those whose integers have 64 bits."""

    def __init__(self, path):
        self.lib, self.core, text = C.CDLL(path), None, C.create_string_buffer(256)
        self.prefix, self.suffix = next((p, s) for p in ("", "scipy_") for s in ("", "64_")
                                        if hasattr(self.lib, f"{p}cblas_sgemm{s}"))
        self.integer = C.c_int64 if self.suffix else C.c_int
        if self.get("openblas_get_config"):
            self.core = self.words("openblas_get_corename")
            self.name = f"OpenBLAS {self.words('openblas_get_config').split()[1]} {self.core}"
        elif self.get("mkl_get_version_string"):
            self.lib.mkl_get_version_string(text, len(text))
            self.name = "MKL " + text.value.decode().split("Version ")[1].split("-")[0]
        else:
            self.name = "BLIS " + self.words("bli_info_get_version_str")

    def get(self, name):
        return getattr(self.lib, self.prefix + name + self.suffix, None)

    def words(self, name):
        function = self.get(name)
        function.restype = C.c_char_p
        return function().decode()


def better(core):
    """The core that suits this processor, if its vectors are longer than this core's."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = file.read().split()
    except OSError:
        return None
    if "avx512f" in flags:
        return None if core in WIDE else WIDE[0]
    return MIDDLE[0] if "avx2" in flags and core not in MIDDLE + WIDE else None


def blases():
    """Each once, by its name."""
    found = {}
    for word in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(word, None)
    for path in paths():
        try:
            core = subprocess.run([sys.executable, __file__, path], capture_output=True, text=True,
                                  check=True).stdout.strip()
            if core and better(core):
                print(f"{path}: {better(core)} in place of {core}, which this processor outgrows")
                os.environ["OPENBLAS_CORETYPE"] = better(core)
            blas = Blas(path)
            if blas.core and better(blas.core):  # loaded before
                print(f"{path}: left out: it runs the kernels of {blas.core}")
            else:
                found.setdefault(blas.name, blas)
        except (OSError, subprocess.CalledProcessError):
            pass  # it is not here
        os.environ.pop("OPENBLAS_CORETYPE", None)
    return list(found.values())


if __name__ == "__main__":
    print(Blas(sys.argv[1]).core or "")
