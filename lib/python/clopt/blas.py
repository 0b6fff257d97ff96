# SPDX-License-Identifier: MIT
"""python3 -m clopt.blas PROGRAM [ARGUMENT...] - run Python with libclopt-blas.so in front of the
BLAS that NumPy and SciPy call, so that large products run on an OpenCL device.  PROGRAM is a file,
or what python3 takes: -m MODULE, -c TEXT.  CLOPT_VERBOSE=1 prints a line for each such call.
"""
import os
import sys

from ._library import driver_of_pip


def main() -> None:
    if sys.argv[1:] in (["-h"], ["--help"]):
        return print(__doc__.strip())
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    library = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libclopt-blas.so")
    if not os.path.exists(library):  # of the system
        library = os.path.basename(library)
    others = os.environ.get("LD_PRELOAD")
    os.environ["LD_PRELOAD"] = f"{library}:{others}" if others else library
    found = driver_of_pip()
    if found and not found[1]:  # the only driver; the drop-in takes one of the system's else
        os.environ["OCL_ICD_VENDORS"] = found[0]
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])


if __name__ == "__main__":
    main()
