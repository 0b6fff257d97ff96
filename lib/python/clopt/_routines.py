# SPDX-License-Identifier: MIT
"""What the routines of a context have in common."""
from __future__ import annotations

import ctypes as C
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from . import _library as L
from ._errors import InvalidType
from ._worker import Worker

if TYPE_CHECKING:
    from ._context import Context

T = TypeVar("T")


class Routines:
    """Arrays are NumPy's; what a routine cannot take as it lies is copied once, when the call runs,
    since started calls before it may write it.  Refused arguments raise InvalidArgument or
    InvalidType before anything is computed."""

    _worker: Worker
    _queue: int | None

    def _do(self, call: Callable[[], T]) -> T:
        """Run this in the thread of the context: at once, or as a started call."""
        raise NotImplementedError

    def _c(self, name: str, *arguments: Any, ctx: bool = True) -> None:
        """Call a function of the library in the thread of the context."""
        handle = self._worker.handle
        try:
            status = getattr(L.lib, name)(*((handle,) if ctx else ()), *arguments)
        except C.ArgumentError as e:
            raise InvalidType(L.in_python(f"{name}: {e}")) from None
        if status:
            raise L.failure(status, handle)

    def _order(self) -> Any:
        """The queue of commands on buffers: the adopted one, or the context's own."""
        return C.byref(L.Order(queue=self._queue)) if self._queue else None

    @property
    def _ctx(self) -> Context:
        raise NotImplementedError
