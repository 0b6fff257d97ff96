# SPDX-License-Identifier: MIT
"""Multiply, transpose and sum over pairs on any OpenCL device, on NumPy arrays.

    import clopt, numpy as np

    a = np.random.rand(1000, 800).astype(np.float32)
    c = clopt.matmul(a, a.T)             # on a context opened at first use
    with clopt.Context("gpu") as ctx:    # or on one of yours
        c = ctx.matmul(a, a.T)

In the package's folder clopt_pairs.h has formulas, units and sources, and environment.md the
environment variables.  Examples in docstrings have a context, ctx.
"""
from ._answers import (Check, Conserved, Device, Gravity, MemberShare, Plan, Potential, Report, devices,
                       electrostatic_radius, environment, kappa)
from ._buffers import Buffer
from ._context import Context, default as _default
from ._errors import (BuildError, Cancelled, DeviceError, DeviceLost, Error, FileError, ForkError,
                      InvalidArgument, InvalidType, NoDevice, NoVariant, OutOfMemory, Unsupported,
                      WrongResult)
from ._library import lib as _lib
from ._points import Points, Results
from ._trees import Tree
from ._worker import Future

gravity, matmul, potential = _default.gravity, _default.matmul, _default.potential
from_pyopencl = Context.from_pyopencl
__version__ = _lib.clopt_version().decode()
__all__ = ["Buffer", "BuildError", "Cancelled", "Check", "Conserved", "Context", "Device", "DeviceError",
           "DeviceLost", "Error", "FileError", "ForkError", "Future", "Gravity", "InvalidArgument",
           "InvalidType", "MemberShare", "NoDevice", "NoVariant", "OutOfMemory", "Plan", "Points", "Potential",
           "Report", "Results", "Tree", "Unsupported", "WrongResult", "devices", "electrostatic_radius",
           "environment", "from_pyopencl", "gravity", "kappa", "matmul", "potential"]
