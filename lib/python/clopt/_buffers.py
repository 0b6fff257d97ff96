# SPDX-License-Identifier: MIT
"""Matrices on the device, for results that are used again there."""
from __future__ import annotations

import ctypes as C
import math
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library as L
from ._arrays import Matrices, as_array, contiguous, is_written, no_objects, plain
from ._errors import InvalidArgument

if TYPE_CHECKING:
    from ._context import Context


class Buffer:
    """An array on the device, row by row without gaps; Context.upload and Context.buffer make it.

    Its memory is released by free(), with its last reference, or with its context.
    """

    def __init__(self, ctx: Context, handle: int | None, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)
        self.nbytes = math.prod(shape) * dtype.itemsize
        self._ctx, self._handle = ctx, handle
        worker = ctx._worker
        self._free = weakref.finalize(self, worker.post, lambda: L.lib.clopt_buffer_free(handle))
        self._free.atexit = False

    def upload(self, array: Any) -> Buffer:
        """Fill the buffer with an array of its shape and type.  Returns the buffer."""
        given = as_array(array)
        no_objects("upload", given.dtype, given.shape)
        if given.shape != self.shape or given.dtype.newbyteorder("=") != self.dtype:
            raise InvalidArgument(f"upload: {given.dtype} {given.shape} into a buffer of "
                                  f"{self.dtype} {self.shape}")
        return self._move("clopt_buffer_write", contiguous(given), self)

    def download(self, out: np.ndarray | None = None) -> np.ndarray:
        """The buffer's content, when all commands before have run: in out, or a new array."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        is_written("out", out, self.shape, self.dtype)
        if out.flags.c_contiguous and plain(out):
            return self._move("clopt_buffer_read", out, out)
        out[...] = self._move("clopt_buffer_read", got := np.empty(self.shape, self.dtype), got)
        return out

    def free(self) -> None:
        """Release the device's memory; commands that are queued still run."""
        self._free()

    def _move(self, name: str, array: np.ndarray, result: Any) -> Any:
        event = C.c_void_p()
        order = L.Order(queue=self._ctx._queue, event=C.addressof(event))
        at = self._at()

        def call() -> Any:
            self._ctx._c(name, at, 0, self.nbytes, array.ctypes.data, C.byref(order), ctx=False)
            try:
                self._ctx._c("clopt_event_wait", event, ctx=False)
            finally:
                L.lib.clopt_event_free(event)
            return result

        return self._ctx._do(call)

    def _at(self) -> Any:
        if not self._free.alive:
            raise InvalidArgument(f"the buffer of {self.dtype} {self.shape} was freed")
        return self._handle

    def _matrices(self) -> Matrices:
        *batch, rows, columns = self.shape
        return Matrices(self, self._at(), False, max(columns, 1),
                        rows * columns if math.prod(batch) > 1 else 0, False)

    def __repr__(self) -> str:
        return f"clopt.Buffer({self.shape}, {self.dtype})"

    def __reduce__(self) -> Any:
        raise TypeError("a buffer cannot be pickled: its memory is on a device; download() it")
