# SPDX-License-Identifier: MIT
"""Types of arguments, for type checkers alone."""
from __future__ import annotations

from typing import Any, Literal, Protocol, Sequence, TypedDict, TypeVar, Union

import numpy as np
import numpy.typing as npt

from ._buffers import Buffer
from ._points import Points


class HasArray(Protocol):
    """Arrays, their numbers, and what NumPy makes an array of; but not text."""

    def __array__(self) -> npt.NDArray[Any]: ...


class HasDLPack(Protocol):
    def __dlpack__(self) -> Any: ...


Row = Union[HasArray, HasDLPack, Sequence[complex], Sequence[HasArray]]
Array = Union[Row, Sequence[Row], Sequence[Sequence[Row]]]
Cloud = Union[Array, Points]
Number = TypeVar("Number", bound=np.generic)
Matrix = TypeVar("Matrix", Buffer, npt.NDArray[Any])

Trans = Literal["N", "T", "C"]
Triangle = Literal["lower", "upper"]
Math = Literal["exact", "tf32", "half", "int8", "int8-fine"]
Type = Literal["bfloat16"]
Result = Literal["int8", "float32"]
Line = Union[Array, float, Buffer]
Law = Literal["default", "coulomb", "distance4", "debye", "alpb"]
Part = Literal["total", "reaction", "coulomb"]
Precision = Literal["default", "float", "compensated", "double-single", "double", "best"]
Integrator = Literal["kick-drift-kick", "hermite"]
Check = Literal["default", "off", "first", "always"]
Transfer = Literal["default", "auto", "driver", "staged"]
Share = Literal["default", "auto", "fixed", "every"]
Small = Literal["default", "host", "device"]


class SumOptions(TypedDict, total=False):
    weights: Array | str | None
    precision: Precision | None
    tolerance: float


class PotentialOptions(SumOptions, total=False):
    law: Law
    field: bool
    normal: bool
    part: Part
    scale: float
    eps_in: float
    eps_out: float
    kappa: float
    projection: float
    radius: float
    ion_radius: float
    alpha: float
    normals: Array | None
    depths: Array | None
    charge: float | None
    gem_compat: bool


class GravityOptions(SumOptions, total=False):
    velocities: Array | None
    target_velocities: Array | None
    potential: bool
    jerk: bool
    g: float
    softening: float
    target_softening: bool
