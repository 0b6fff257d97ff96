# SPDX-License-Identifier: MIT
"""Matrices on the device, for results that are used again there."""
from __future__ import annotations

import ctypes as C
import math
import weakref
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import _library as L
from ._arrays import Matrices, as_array, contiguous, is_written, no_objects, plain
from ._errors import InvalidArgument, InvalidType

if TYPE_CHECKING:
    from . import _types as t
    from ._context import Context


class OnDevice:
    """What the library knows by a handle, which is freed in the thread of the context."""

    def __init__(self, ctx: Context, handle: int | None, free: Callable[[int | None], None]) -> None:
        self._ctx, self._handles = ctx, (handles := [handle])
        self._free = weakref.finalize(self, ctx._worker.post, lambda: free(handles.pop()))
        self._free.atexit = False

    def free(self) -> None:
        """Release the device's memory, behind the calls before, and commands that are queued."""
        self._free()

    def _check(self) -> None:
        """Before a call is put into its turn, so that calls before free() still run."""
        if not self._free.alive:
            raise self._freed()

    def _at(self) -> int | None:
        """The handle, in the thread of the context: another thread may have freed it since _check."""
        if not self._handles:
            raise self._freed()
        return self._handles[0]

    def _freed(self) -> InvalidArgument:
        return InvalidArgument(f"{self!r} was freed")


class Buffer(OnDevice):
    """An array on the device, row by row without gaps; Context.upload and Context.buffer make it.

    Its memory is released by free(), with its last reference, or with its context.
    """

    def __init__(self, ctx: Context, handle: int | None, shape: tuple[int, ...], dtype: np.dtype) -> None:
        super().__init__(ctx, handle, L.lib.clopt_buffer_free)
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)
        self.nbytes = math.prod(shape) * dtype.itemsize

    def upload(self, array: t.Array) -> Buffer:
        """Fill the buffer with an array of its shape and type.  Returns the buffer.

        >>> ctx.buffer((2, 3)).upload(np.ones((2, 3), np.float32))
        clopt.Buffer((2, 3), float32)
        """
        given = as_array(array)
        no_objects("upload", given.dtype, given.shape)
        if given.shape != self.shape or given.dtype.newbyteorder("=") != self.dtype:
            raise InvalidArgument(f"upload: array is {given.dtype} {given.shape}: it must be "
                                  f"{self.dtype} {self.shape}, as the buffer")
        return self._move("clopt_buffer_write", contiguous(given), self)

    def download(self, out: np.ndarray | None = None) -> np.ndarray:
        """The buffer's content, when all commands before have run: in out, or a new array.

        >>> ctx.buffer(3).upload(np.arange(3, dtype=np.float32)).download().tolist()
        [0.0, 1.0, 2.0]
        """
        if out is None:
            out = np.empty(self.shape, self.dtype)
        is_written("out", out, self.shape, self.dtype)
        if out.flags.c_contiguous and plain(out):
            return self._move("clopt_buffer_read", out, out)
        out[...] = self._move("clopt_buffer_read", got := np.empty(self.shape, self.dtype), got)
        return out

    def __matmul__(self, other: Buffer) -> Buffer:
        return self._ctx.matmul(self, other)

    __array_ufunc__ = None  # so that NumPy does not make an array of a Buffer beside an operator
    if not TYPE_CHECKING:
        def __array__(self, *_, **__):
            raise InvalidType(f"{self!r} is on the device: download() makes an array of it")

        def __rmatmul__(self, other):
            return self._ctx.matmul(other, self)

    def _move(self, name: str, array: np.ndarray, result: Any) -> Any:
        event = C.c_void_p()
        order = L.Order(queue=self._ctx._queue, event=C.addressof(event))
        self._check()

        def call() -> Any:
            self._ctx._c(name, self._at(), 0, self.nbytes, array.ctypes.data, C.byref(order), ctx=False)
            try:
                self._ctx._c("clopt_event_wait", event, ctx=False)
            finally:
                L.lib.clopt_event_free(event)
            return result

        return self._ctx._do(call)

    def _matrices(self) -> Matrices:
        *batch, rows, columns = self.shape
        self._check()
        return Matrices(self, 0, False, max(columns, 1),
                        rows * columns if math.prod(batch) > 1 else 0, False)

    def __repr__(self) -> str:
        return f"clopt.Buffer({self.shape}, {self.dtype})"

    def __reduce__(self) -> Any:
        raise TypeError("a buffer cannot be pickled: its memory is on a device; pickle the "
                        "array of download()")
