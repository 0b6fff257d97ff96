# SPDX-License-Identifier: MIT
"""Points as programs keep them: arrays apart, columns of one array, fields of structs.

All arrays of one set of points have one length, one type (float32 or float64), and one distance
from a number to the next; where types or distances differ the numbers are copied side by side.
"""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from . import _library as L
from ._arrays import address, are_apart, as_array, is_written, plain
from ._errors import InvalidArgument, InvalidType

WEIGHTS = ("w", "m", "mass", "q", "charge")
NUMBERS = {np.dtype(np.float32): L.ENUMS["type"]["float"],
           np.dtype(np.float64): L.ENUMS["type"]["double"]}


class Columns(NamedTuple):
    """Arrays of one length and type, by name."""

    arrays: dict[str, np.ndarray]
    n: int
    dtype: np.dtype


def _given(columns: Any) -> dict[str, np.ndarray]:
    return {f.name: getattr(columns, f.name) for f in fields(columns)
            if getattr(columns, f.name) is not None}


def _check(name: str, arrays: dict[str, np.ndarray]) -> Columns:
    said = ", ".join(f"{k} {getattr(a, 'dtype', type(a).__name__)} {np.shape(a)}"
                     for k, a in arrays.items())
    if not arrays or any(not isinstance(a, np.ndarray) or a.ndim != 1 for a in arrays.values()):
        raise InvalidArgument(f"{name}: {said or 'no arrays'}: all must be NumPy arrays of one dimension")
    for a in arrays.values():
        as_array(a)
    if len({a.shape for a in arrays.values()}) != 1:
        raise InvalidArgument(f"{name}: {said}: all must have one length")
    dtypes = {a.dtype.newbyteorder("=") for a in arrays.values()}
    if not dtypes <= set(NUMBERS):
        raise InvalidType(f"{name}: {said}: all must be float32 or float64")
    return Columns(arrays, len(next(iter(arrays.values()))), np.result_type(*dtypes))


def _stride(columns: Columns) -> int:
    """The bytes from one number to the next in all of them; 0 if there is no such distance."""
    arrays, n, dtype = columns
    if not all(plain(a) and a.dtype == dtype for a in arrays.values()):
        return 0
    if n <= 1:
        return dtype.itemsize
    strides = {a.strides[0] for a in arrays.values()}
    stride = strides.pop()
    return 0 if strides or stride < dtype.itemsize else stride


@dataclass
class Points:
    """Coordinates, weights and velocities: arrays of shape (n,), such as fields of a structured
    array (``p["x"]``) or columns of a matrix.

    w: charges or masses; of targets softening lengths (``target_softening``).  vx, vy, vz: read for
    the jerk only.

    >>> stars = clopt.Points(*np.random.rand(4, 50))
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    w: np.ndarray | None = None
    vx: np.ndarray | None = None
    vy: np.ndarray | None = None
    vz: np.ndarray | None = None


@dataclass
class Results:
    """Where results go: arrays of shape (ntargets,), such as fields of the targets' own structs;
    None: not wanted.

    x, y, z: the acceleration or the field.  phi: the potential.  normal: the field along the
    target's normal.  jx, jy, jz: the jerk.

    >>> ctx.gravity(np.random.rand(50, 4), out=clopt.Results(phi=np.empty(50))).phi.shape
    (50,)
    """

    x: np.ndarray | None = None
    y: np.ndarray | None = None
    z: np.ndarray | None = None
    phi: np.ndarray | None = None
    normal: np.ndarray | None = None
    jx: np.ndarray | None = None
    jy: np.ndarray | None = None
    jz: np.ndarray | None = None


def points(name: str, given: Any, weights: Any = None, velocities: Any = None) -> Points:
    """Points of a Points, a structured array with fields x, y, z, or an array (n, 3) or (n, 4)."""
    fields_of = getattr(getattr(given, "dtype", None), "names", None) or ()
    if isinstance(weights, str) and weights not in fields_of:
        raise InvalidArgument(f"weights is {weights!r}: it must be an array, or a field of {name}")
    if isinstance(given, Points):
        found = Points(**_given(given))
    else:
        array = as_array(given, name)
        names = array.dtype.names
        if names and {"x", "y", "z"} <= set(names):
            weight = weights if isinstance(weights, str) else next(
                (w for w in WEIGHTS if w in names), None)
            has_v = {"vx", "vy", "vz"} <= set(names)
            found = Points(array["x"], array["y"], array["z"], array[weight] if weight else None,
                           *((array["vx"], array["vy"], array["vz"]) if has_v else ()))
        elif not names and array.ndim == 2 and array.shape[1] in (3, 4):
            found = Points(*array.T)
        else:
            raise InvalidArgument(f"{name} is {array.dtype} {array.shape}: it must be an array (n, 3) or "
                                  "(n, 4), a structured array with fields x, y and z, or Points")
    if weights is not None and not isinstance(weights, str):
        found.w = as_array(weights, "weights")
    if velocities is not None:
        v = as_array(velocities, "velocities")
        if v.ndim != 2 or v.shape[1] not in (3, 4):
            raise InvalidArgument(f"velocities of {name} have shape {v.shape}: it must be "
                                  f"({len(found.x)}, 3)")
        found.vx, found.vy, found.vz = v.T[:3]
    return found


def check_points(name: str, p: Points) -> Columns:
    return _check(name, _given(p))


def pass_points(columns: Columns) -> tuple[L.Points, Any]:
    """The struct, and the arrays that it points to."""
    arrays, n, dtype = columns
    stride = _stride(columns)
    if not stride:
        packed = np.empty((len(arrays), n), dtype)
        for row, array in zip(packed, arrays.values()):
            row[...] = array
        arrays, stride = dict(zip(arrays, packed)), dtype.itemsize
    return L.Points(n=n, type=NUMBERS[dtype], stride_bytes=stride,
                    **{k: address(a) for k, a in arrays.items()}), arrays


def check_results(r: Results, n: int) -> Columns:
    wanted = _check("out", _given(r))
    for k, a in wanted.arrays.items():
        is_written("out." + k, a, (n,), wanted.dtype)
    are_apart("out", wanted.arrays)
    return wanted


def pass_results(wanted: Columns) -> tuple[L.Results, dict[str, np.ndarray]]:
    """The struct, and the arrays that it points to: those that are wanted, or others."""
    arrays, n, dtype = wanted
    stride = _stride(wanted)
    if not stride:
        arrays, stride = dict(zip(arrays, np.empty((len(arrays), n), dtype))), dtype.itemsize
    return L.Results(type=NUMBERS[dtype], stride_bytes=stride,
                     **{k: address(a) for k, a in arrays.items()}), arrays


def new_results(n: int, dtype: np.dtype, names: str) -> tuple[Results, np.ndarray]:
    """Results side by side in a new array (n, number of names)."""
    array = np.empty((n, len(names.split())), dtype)
    return Results(**dict(zip(names.split(), array.T))), array
