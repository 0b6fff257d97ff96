# SPDX-License-Identifier: MIT
"""passed.py DROP_IN.SO NEXT.SO FOLDER - which calls go to the next BLAS, NEXT.SO, and that their
results are right: each case is a process of its own, since the settings are read once.  FOLDER has
inside.so, which calls dgemm_ while an OpenCL context is opened; copy.so, a copy of DROP_IN.SO; where
they can be had, pocl/, the folder of PoCL's driver alone, and de_DE/, a locale."""
import os
import subprocess
import sys
import threading

drop_in_so, next_so, folder = sys.argv[1:4]
FORTRAN = ("", "_", True)


def multiply(blas, n, form=FORTRAN, k=None):
    """A product, compared with numpy's; with k also an invalid one.  The calls served, passed on."""
    import ctypes

    import numpy as np
    from drop_in import COLUMNS, Matrix

    form = form if len(form) == 4 else (*form, ctypes.c_int32)
    random = np.random.default_rng(n)
    a, b, c = (Matrix(random, np.float64, COLUMNS, n, n) for _ in range(3))
    want = np.einsum("ij,jk", a.view, b.view) + 0.5 * c.view
    blas.gemm(form, "d", COLUMNS, "N", "N", n, n, n if k is None else k, 1, a, b, 0.5, c)
    if k is None and np.abs(c.view - want).max() > 1e-12:
        sys.exit(f"wrong by {np.abs(c.view - want).max()}")
    return blas.calls()


def case(name):
    import ctypes

    from drop_in import DropIn

    if name not in ("alone", "itself", "nowhere", "zeros"):
        ctypes.CDLL(next_so)  # local symbols, as Python loads extensions
    if name == "comma":
        import locale

        locale.setlocale(locale.LC_NUMERIC, "de_DE")
    blas = DropIn(drop_in_so)
    if name == "files":
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        name = "all"
    if name == "invalid":
        multiply(blas, 8, k=-1)
    elif name == "fork":
        multiply(blas, 8)
        child = os.fork()
        if child == 0:
            os._exit(0 if multiply(blas, 8) == (1, 1) else 1)
        print(os.waitpid(child, 0)[1] == 0, multiply(blas, 8))
    elif name == "threads":
        threads = [threading.Thread(target=lambda: [multiply(blas, n) for n in (8, 40)])
                   for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        print(blas.calls())
    elif name == "closed":
        import _ctypes

        multiply(blas, 8)
        _ctypes.dlclose(blas.library._handle)
        print(DropIn(drop_in_so).calls())
    elif name == "zeros":  # without a next BLAS, on the device and on the host
        for trans in (112, 111):
            a, b = (ctypes.c_double * 4)(*[float("nan")] * 4), (ctypes.c_double * 4)(*range(4))
            i, number = ctypes.c_int64, ctypes.c_double
            blas.library.cblas_domatcopy64_(101, trans, i(2), i(2), number(0), a, i(2), b, i(2))
            print(list(b), end=" ")
    elif name in ("nowhere", "itself"):
        multiply(blas, 8, ("", "_64_", True, ctypes.c_int64))
        print(blas.calls())
    else:
        print(multiply(blas, 40))


if len(sys.argv) > 4:
    case(sys.argv[4])
    sys.exit()

INT8 = {"CLOPT_VARIANT": "matmul/int8-f64-plain"}
CASES = [  # case, variables, what it prints, what it says beside
    ("small", {}, "(0, 1)", ""),
    ("processor", {"CLOPT_BLAS_THRESHOLD": "1:0", "OCL_ICD_VENDORS": f"{folder}/pocl"}, "(0, 1)",
     "is a processor: calls are passed on if there is another BLAS"),
    ("forced", {"CLOPT_BLAS_THRESHOLD": "1:0", "CLOPT_DEVICE": "0"}, "(1, 0)", "1 calls served"),
    ("flat", {"CLOPT_BLAS_THRESHOLD": "1:1000", "CLOPT_DEVICE": "0"}, "(0, 1)", "too little work"),
    ("all", {"CLOPT_BLAS_THRESHOLD": "0"}, "(1, 0)", ""),
    ("text", {"CLOPT_BLAS_THRESHOLD": "many"}, "(0, 1)", "CLOPT_BLAS_THRESHOLD=many"),
    ("files", {"CLOPT_BLAS_THRESHOLD": "0", "CLOPT_SMALL": "device", "CLOPT_CACHE_DIR": "0",
               "POCL_CACHE_DIR": f"{folder}/files", "OCL_ICD_VENDORS": f"{folder}/pocl"}, "(0, 1)", "ulimit -f"),
    ("comma", {"CLOPT_BLAS_THRESHOLD": "1.5:0.5", "CLOPT_DEVICE": "0", "LOCPATH": folder}, "(1, 0)", ""),
    ("all", {"CLOPT_BLAS_THRESHOLD": "0", "CLOPT_BLAS_FLOAT64": "int8"}, "(1, 0)", "(0 by 8-bit integers)"),
    ("all", {"CLOPT_BLAS_THRESHOLD": "0", "CLOPT_BLAS_FLOAT64": "int8", **INT8}, "(1, 0)", "(1 by 8-bit integers)"),
    ("all", {"CLOPT_BLAS_THRESHOLD": "0", "CLOPT_BLAS_FLOAT64": "int8-fine",
             "CLOPT_VARIANT": "matmul/int8-f64-plain-16"}, "(1, 0)", "(1 by 8-bit integers)"),
    ("all", {"CLOPT_BLAS_THRESHOLD": "0", **INT8}, "(0, 1)", "only where the problem's math is CLOPT_MATH_INT8"),
    ("all", {"CLOPT_BLAS_THRESHOLD": "0", "CLOPT_BLAS_FLOAT64": "half"}, "(1, 0)", "CLOPT_BLAS_FLOAT64=half"),
    ("threads", {"CLOPT_BLAS_THRESHOLD": "1e4:0", "CLOPT_DEVICE": "0", "CLOPT_BLAS_FLOAT64": "int8", **INT8}, "(4, 4)",
     "(4 by 8-bit integers)"),
    ("device", {"CLOPT_BLAS_THRESHOLD": "0", "CLOPT_DEVICE": "none such"}, "(0, 1)", "none such"),
    ("failure", {"CLOPT_BLAS_THRESHOLD": "0", "CLOPT_MEM_LIMIT": "1"}, "(0, 1)", "dgemm_ is passed on"),
    ("fork", {"CLOPT_BLAS_THRESHOLD": "0"}, "True (2, 0)", ""),
    ("threads", {"CLOPT_BLAS_THRESHOLD": "1e4:0", "CLOPT_DEVICE": "0"}, "(4, 4)", ""),
    ("inside", {"CLOPT_BLAS_THRESHOLD": "0", "LD_PRELOAD": f"{drop_in_so}:{folder}/inside.so"}, "(1, 1)",
     "from inside libclopt"),
    ("alone", {"CLOPT_BLAS_NEXT": next_so}, "(0, 1)", ""),
    ("itself", {"CLOPT_BLAS_NEXT": drop_in_so}, "(1, 0)", ""),
    ("itself", {"CLOPT_BLAS_NEXT": f"{folder}/copy.so"}, "(1, 0)", ""),
    ("itself", {"LD_PRELOAD": f"{drop_in_so}:{folder}/copy.so"}, "(1, 0)", ""),
    ("small", {"LD_PRELOAD": f"{drop_in_so}:{folder}/copy.so"}, "(0, 1)", ""),
    ("closed", {}, "(0, 1)", ""),
    ("nowhere", {"CLOPT_BLAS_NEXT": "no/such.so"}, "(1, 0)", "CLOPT_BLAS_NEXT=no/such.so"),
    ("nowhere", {"CLOPT_DEVICE": "none such"}, "", "no other BLAS was found"),
    ("zeros", {}, "[0.0, 0.0, 0.0, 0.0] [0.0, 0.0, 0.0, 0.0]", ""),
    ("invalid", {"CLOPT_BLAS_THRESHOLD": "0"}, None, "DGEMM"),
]
LACKS = {"processor": "pocl", "files": "pocl", "comma": "de_DE"}
for name in [name for name in LACKS if not os.path.exists(f"{folder}/{LACKS[name]}")]:
    print(f"blas: {name}: skipped, since there is no {LACKS[name]}")
    CASES = [c for c in CASES if c[0] != name]
for name, variables, prints, says in CASES:
    p = subprocess.run([sys.executable, *sys.argv, name], capture_output=True, text=True,
                       env={**os.environ, "CLOPT_VERBOSE": "1", **variables}, timeout=120)
    if (prints is not None and p.stdout.strip() != prints) or says not in p.stdout + p.stderr:
        sys.exit(f"blas: {name} {variables}: printed {p.stdout!r}, not {prints!r}, and said "
                 f"{p.stderr!r}, not {says!r} ({p.returncode})")
print(f"blas: {len(CASES)} cases of calls that are passed on, or not")
