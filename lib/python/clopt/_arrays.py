# SPDX-License-Identifier: MIT
"""NumPy arrays as the library takes them: an address, a layout, and the gaps between rows.

An array that has no such form (steps within its rows, a negative step, an address that is no
multiple of its element's size, the other byte order) is copied once.
"""
from __future__ import annotations

from itertools import combinations
from math import prod
from typing import Any, Callable, NamedTuple, Sequence, TypeVar

import numpy as np

from ._errors import InvalidArgument, InvalidType
from ._library import ENUMS

TYPES = {np.dtype(name): ENUMS["type"][word] for name, word in
         (("float16", "half"), ("float32", "float"), ("float64", "double"),
          ("complex64", "complex-float"), ("complex128", "complex-double"), ("int8", "int8"))}
BFLOAT16 = ENUMS["type"]["bfloat16"]
T = TypeVar("T")


def type_of(name: str, arrays: Sequence[Any], word: str | None = None) -> tuple[int, np.dtype, np.dtype]:
    """The number of the type that NumPy gives these arrays' product, the type, and the result's.
    `word` "bfloat16": arrays of uint16 have that type."""
    if word not in (None, "bfloat16"):
        raise InvalidArgument(f"{name}: type is {word!r}: it must be 'bfloat16'")
    dtypes = {a.dtype.newbyteorder("=") for a in arrays}
    if word is None and dtypes <= TYPES.keys():
        dtype = np.result_type(*dtypes)
        return TYPES[dtype], dtype, np.dtype(np.int32) if dtype == np.int8 else dtype
    dtype = dtypes.pop()
    if not dtypes and (dtype.name == "bfloat16" or (word == "bfloat16" and dtype == np.uint16)):
        return BFLOAT16, dtype, dtype
    raise InvalidType(f"{name}: {kinds(arrays)}" + (f" with type={word!r}" if word else "") +
                      ": the types must be of float16, float32, float64, complex64, complex128, int8; or "
                      "all bfloat16 (of ml_dtypes, or uint16 with type='bfloat16')")


def kinds(arrays: Sequence[Any]) -> str:
    """Types and shapes, for a message."""
    return ", ".join(f"{a.dtype} {tuple(a.shape)}" for a in arrays)


def scalar(name: str, given: Any, kind: Callable[[Any], T]) -> T:
    """The number as Python's float or complex."""
    try:
        return kind(None if isinstance(given, str) else given)
    except (TypeError, ValueError):
        raise InvalidType(f"{name} is {given!r:.60}: it must be a number") from None


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def plain(array: np.ndarray) -> bool:
    """Of this machine's byte order, and aligned."""
    return array.dtype.isnative and array.flags.aligned


def as_array(given: Any, name: str = "an argument") -> np.ndarray:
    """What NumPy makes an array of, but for masked arrays, whose mask would be lost, and objects."""
    if isinstance(given, np.ma.MaskedArray):
        raise InvalidType(f"masked array {given.shape}: the mask would be lost; pass .data or .filled()")
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        try:
            return np.from_dlpack(given)
        except (BufferError, RuntimeError) as e:
            raise InvalidType(f"{name} is {type(given).__name__}, not in the host's memory: {e}"
                              ) from None
    try:
        array = np.asarray(given)
    except InvalidType:  # of a Buffer
        raise
    except ValueError as e:  # of rows of different lengths
        raise InvalidArgument(f"{name}: {e}") from None
    if array.dtype.kind in "OUS" and not isinstance(given, np.ndarray):
        raise InvalidType(f"{name} is {given!r:.60}: it must be an array of numbers")
    return array


def contiguous(array: np.ndarray) -> np.ndarray:
    """The array itself if it lies row by row without gaps, else a copy that does."""
    return np.require(array, array.dtype.newbyteorder("="), ["C", "A"])


def no_objects(name: str, dtype: np.dtype, shape: tuple[int, ...]) -> None:
    """Refuse references to Python's objects, which nobody would count."""
    if dtype.hasobject:
        raise InvalidType(f"{name}: {dtype} {shape}: the type must not hold Python objects")


def is_written(name: str, array: Any, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The array, if a result of this shape and type may be written there."""
    if not isinstance(array, np.ndarray):
        raise InvalidType(f"{name}: {type(array).__name__}: it must be a NumPy array")
    as_array(array)
    if array.shape != shape:
        raise InvalidArgument(f"{name} has shape {array.shape}: it must be {shape}")
    if array.dtype.newbyteorder("=") != dtype:
        raise InvalidType(f"{name} is {array.dtype}: it must be {dtype}")
    if not array.flags.writeable:
        raise InvalidArgument(f"{name} {array.shape} is read-only: it must be writeable")
    return array


def are_apart(name: str, arrays: dict[str, np.ndarray]) -> None:
    """Refuse results that overlap.  The library does so too, but does not see it in copies."""
    for (p, a), (q, b) in combinations(arrays.items(), 2):
        if np.shares_memory(a, b):
            raise InvalidArgument(f"{name}: {p} and {q} overlap")


class Matrices(NamedTuple):
    """Matrices of one shape in memory."""

    array: Any  # what owns the memory: an array, its copy, or a buffer
    at: int  # the address; 0 for a buffer, which may be freed before its turn
    swapped: bool  # the columns lie one behind the other, not the rows
    ld: int  # elements from one row (column) to the next
    stride: int  # elements from one matrix to the next; 0: one for all
    is_copy: bool


def _leading(rows: int, columns: int, step: int, inner: int, size: int) -> int:
    """The leading dimension of rows `step` bytes apart; 0 if there is none."""
    if columns > 1 and inner != size:
        return 0
    if rows <= 1:
        return max(columns, 1)
    return step // size if step >= columns * size and step % size == 0 and step > 0 else 0


def matrices(array: np.ndarray, swapped: bool, written: bool = False, copy: bool = False,
             dtype: np.dtype | None = None) -> Matrices:
    """An array (..., rows, columns), as numbers of dtype (None: its own).  `swapped` is the
    form that is preferred, or with `written` or `copy` needed, if the array has both or none."""
    if array.ndim > 3:
        flat = array.reshape((prod(array.shape[:-2]),) + array.shape[-2:])
        copied = array.size > 0 and not np.may_share_memory(flat, array)
    else:
        flat, copied = array, False
    dtype = (flat.dtype if dtype is None else dtype).newbyteorder("=")
    *batch, rows, columns = flat.shape
    *apart, down, across = flat.strides
    size = flat.itemsize
    stride = 0
    for way in (swapped, not swapped):
        ld = (_leading(columns, rows, across, down, size) if way else
              _leading(rows, columns, down, across, size))
        if batch and batch[0] > 1:
            stride = apart[0] // size
            if apart[0] % size or apart[0] < 0 or (written and apart[0] <= 0):
                ld = 0
        if ld and plain(flat) and flat.dtype == dtype and (way == swapped or not copy):
            return Matrices(flat, address(flat), way, ld, stride, copied)
    if swapped:
        flat = np.array(flat.swapaxes(-1, -2), dtype, order="C").swapaxes(-1, -2)
    else:
        flat = np.array(flat, dtype, order="C")
    return Matrices(flat, address(flat), swapped, max(rows if swapped else columns, 1),
                    rows * columns if batch and batch[0] > 1 else 0, True)


def copy_back(to: np.ndarray, m: Matrices) -> None:
    """Write what was computed in a copy."""
    if m.is_copy:
        to[...] = m.array.reshape(to.shape)
