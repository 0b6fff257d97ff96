# SPDX-License-Identifier: MIT
"""What the library answers, as tuples with names; fields and units are those of the headers."""
from __future__ import annotations

import ctypes as C
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _library as L
from ._arrays import as_array, scalar

if TYPE_CHECKING:
    from . import _types as t

VARIABLES = ("CLOPT_DEVICE", "CLOPT_VARIANT", "CLOPT_QUEUES", "CLOPT_TRANSFER", "CLOPT_MEM_LIMIT",
             "CLOPT_SLICE", "CLOPT_TUNING", "CLOPT_CACHE_DIR", "CLOPT_QUIRKS", "CLOPT_CHECK",
             "CLOPT_SHARE", "CLOPT_SMALL", "CLOPT_VERBOSE")


class Device(NamedTuple):
    """A device: struct clopt_device_info of clopt_device.h."""

    name: str
    vendor: str
    platform: str
    driver: str
    version: str
    type: str
    family: str
    lanes: str
    traits: str
    wave: int
    compute_units: int
    clock_mhz: int
    vector_width: int
    capability: int
    copy_engines: int
    local_is_real: int
    unified: int
    fp64: int
    fp16: int
    inline_ptx: int
    max_group: int
    image2d_width: int
    image2d_height: int
    image_buffer: int
    global_bytes: int
    max_alloc_bytes: int
    local_bytes: int
    score: float
    buffer_align: int
    quirks: str
    pci: str
    uuid: str


class Report(NamedTuple):
    """How a call went: struct clopt_report of clopt.h.  Times in seconds, sizes in bytes."""

    variant: str | None
    bands: int
    queues: int
    up_bytes: int
    down_bytes: int
    seconds: float
    kernel_seconds: float
    up_seconds: float
    down_seconds: float
    device_seconds: float
    serial_seconds: float
    bound_seconds: float
    hidden: float
    sum_parts: int
    in_place_bytes: int
    staged_bytes: int
    kernels_loaded: int
    kernels_compiled: int
    kernels_saved: int
    overlapped: int
    tree_order: int
    tree_theta: float
    tree_seconds: float
    near_pairs: float
    far_pairs: float
    error_targets: int
    error_median: float
    error_99: float
    math: int


class MemberShare(NamedTuple):
    """What a device did in the last shared call: struct clopt_member_share of clopt_device.h."""

    device: str
    share: float
    seconds: float
    bands: int
    up_bytes: int
    down_bytes: int
    status: int
    text: str


class Plan(NamedTuple):
    """What a call would take: struct clopt_plan_info of clopt_tune.h.  Seconds and bytes."""

    fits: int
    variant: str | None
    needed_bytes: int
    reason: str
    bands: int
    queues: int
    sum_parts: int
    up_bytes: int
    down_bytes: int
    in_place_bytes: int
    staged_bytes: int
    device_bytes: int
    pinned_bytes: int
    up_seconds: float
    kernel_seconds: float
    down_seconds: float
    seconds: float
    throughput_source: int
    members: int
    array_bytes: int
    host_bytes: int


class Check(NamedTuple):
    """What became of one problem: struct clopt_selfcheck_line of clopt_device.h."""

    text: str  # the problem: "matmul float32 NN 64x64x64"
    variant: str | None
    status: int
    error: float
    allowed: float
    reason: str  # why it is not right, or ""


class Conserved(NamedTuple):
    """Sums over all bodies, in the caller's units.  The energy is kinetic + potential."""

    mass: float
    kinetic: float
    potential: float
    momentum: tuple[float, float, float]
    angular_momentum: tuple[float, float, float]  # about the origin
    centre: tuple[float, float, float]  # of mass


class Potential(NamedTuple):
    """Results of Context.potential; what was not asked for is None."""

    phi: np.ndarray  # (n,)
    field: Any  # (n, 3): minus the gradient of phi
    normal: Any  # (n,): the field along the target's normal


class Gravity(NamedTuple):
    """Results of Context.gravity; what was not asked for is None."""

    acceleration: np.ndarray  # (n, 3)
    potential: Any  # (n,)
    jerk: Any  # (n, 3): the acceleration's derivative in time


def answer(kind: Any, struct: C.Structure) -> Any:
    """The struct's fields of the kind's names."""
    values = (getattr(struct, name) for name in kind._fields)
    return kind(*(tuple(v) if isinstance(v, C.Array) else L.words_of(v) for v in values))


def devices() -> list[Device]:
    """All devices of all OpenCL platforms, best first; ``Context(device="1")`` takes the index.

    Raises NoDevice if there is none.

    >>> clopt.devices()[0].type in ("gpu", "cpu", "accelerator", "custom")
    True
    """
    L.begin()
    count = C.c_size_t()
    status = L.lib.clopt_device_list(None, 0, C.byref(count))
    found = (L.DeviceInfo * count.value)()
    for info in found:
        info.size = C.sizeof(L.DeviceInfo)
    status = status or L.lib.clopt_device_list(found, len(found), C.byref(count))
    if status:
        raise L.failure(status, None)
    return [answer(Device, info) for info in found]


def environment() -> dict[str, str]:
    """The variables of the library that are set; environment.md, beside this file, has all.

    >>> all(name.startswith("CLOPT_") for name in clopt.environment())
    True
    """
    return {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}


def electrostatic_radius(atoms: t.Array, radii: t.Array) -> float:
    """The electrostatic radius of a molecule, for ``law="alpb"``.

    atoms: (n, 3) or (n, 4), coordinates.  radii: (n,), in the same unit, as the result.  Both are
    converted to float32.
    Source: Sigalov, Fenley, Onufriev, J. Chem. Phys. 124, 124902 (2006).

    >>> round(clopt.electrostatic_radius([[0, 0, 0]], [2]), 3)
    2.0
    """
    r = np.ascontiguousarray(as_array(radii, "radii"), np.float32)
    xyzw = rows_of_four("atoms", atoms)
    if r.shape != (len(xyzw),):
        raise L.error(-20001, f"radii have shape {r.shape}: for atoms of {xyzw.shape} it must be "
                              f"({len(xyzw)},)")
    return L.lib.clopt_electrostatic_radius(len(r), xyzw.ctypes.data, r.ctypes.data)


def kappa(ionic_strength: float, eps: float, kelvin: float) -> float:
    """The inverse Debye length in 1/Angstrom of a salt of ionic_strength (mol/l), in a solvent of
    dielectric constant eps, at a temperature in kelvin.

    >>> round(clopt.kappa(0.15, 78.5, 298.15), 3)
    0.127
    """
    return L.lib.clopt_kappa(scalar("ionic_strength", ionic_strength, float), scalar("eps", eps, float),
                             scalar("kelvin", kelvin, float))


def is_rows(name: str, array: Any) -> np.ndarray:
    """An array (n, 3) or (n, 4)."""
    a = as_array(array, name)
    if a.ndim != 2 or a.shape[1] not in (3, 4):
        raise L.error(-20001, f"{name} has shape {a.shape}: it must be (n, 3) or (n, 4)")
    return a


def rows_of_four(name: str, array: Any) -> np.ndarray:
    """An array (n, 4) of float32, from (n, 3) with zeros."""
    a = is_rows(name, array)
    if a.shape[1] == 4:
        return np.require(a, np.float32, ["C", "A"])
    rows = np.zeros((len(a), 4), np.float32)
    rows[:, :3] = a
    return rows
